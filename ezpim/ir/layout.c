/* SPDX-License-Identifier: MIT
 * Where arrays lie, as text and as drawings of their first lanes. */
#include "ezpim/ir/layout.h"
#include "ezpim/ir/build.h"

#include <inttypes.h>

struct layout {
    const struct ir_program *p;
    const struct diag *diag;
    struct str *out;
};

static void print_extent(struct layout *layout, struct extent extent, uint64_t times) {
    if (extent.size == NO_INDEX)
        str_u64(layout->out, extent.value * times);
    else
        str_append(layout->out, layout->p->sizes.data[extent.size].name);
}

/* "[4, 8] in lanes, axis 0 in registers": the array's own extents. */
static void print_extents(struct layout *layout, const struct variable *variable) {
    const struct group *g = &layout->p->groups.data[variable->group];
    uint32_t dims = ir_group_dims(layout->p, variable->group);
    bool first = variable->form.order == FORM_FIRST, split = variable->form.order == FORM_SPLIT;
    str_append(layout->out, " [");
    if (first)
        str_printf(layout->out, "%u, ", variable->count);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(layout->out, d ? ", " : "");
        print_extent(layout, ir_group_extent(layout->p, variable->group, d),
                     split && d + 1 == dims ? variable->count : 1);
    }
    if (variable->has_k && !first && !split)
        str_printf(layout->out, ", %u", variable->count);
    str_printf(layout->out, "] in %s",
               g->like == NO_INDEX ? g->name : layout->p->groups.data[g->like].name);
    if (split)
        str_printf(layout->out, ", split by %u", variable->count);
    else if (variable->has_k)
        str_printf(layout->out, ", axis %u in registers", first ? 0 : dims);
}

/* Variables without a name hold something for a line or two, as moves say. */
static bool has_name(const struct ir_variable *variable) {
    return variable->decl.count && variable->decl.name[0] != '$';
}

/* ---- a drawing ---- */

/* "[1, 0, 7]" for register `index` of a lane, in a column. */
static void draw_index(struct layout *layout, const struct variable *variable, uint64_t lane,
                       uint32_t index) {
    uint32_t dims = ir_group_dims(layout->p, variable->group);
    bool first = variable->form.order == FORM_FIRST, split = variable->form.order == FORM_SPLIT;
    uint64_t c[MOVE_MAX_DIMS];
    struct str s = {0};
    for (uint32_t d = dims; d-- > 0;) {
        uint64_t n = ir_group_extent(layout->p, variable->group, d).value;
        c[d] = lane % n;
        lane /= n;
    }
    c[dims - 1] = split ? c[dims - 1] * variable->count + index : c[dims - 1];
    if (first)
        str_printf(&s, "%u, ", index);
    for (uint32_t d = 0; d < dims; d++)
        str_printf(&s, "%s%" PRIu64, d ? ", " : "", c[d]);
    if (!first && !split)
        str_printf(&s, ", %u", index);
    str_printf(layout->out, " %*s%s]", s.len < 12 ? (int)(12 - s.len) : 1, "[", str_text(&s));
    str_free(&s);
}

/* A line of the drawing: register `index`, or (IR_NONE) the lanes' numbers, of the first lanes and
 * the last one. */
static void draw_line(struct layout *layout, const struct variable *variable, uint64_t lanes,
                      uint32_t index) {
    enum { FIRST = 3 };
    if (index == IR_NONE)
        str_append(layout->out, "   lane");
    else
        str_printf(layout->out, "%*sr%u", variable->reg + index < 10 ? 5 : 4, "",
                   variable->reg + index);
    for (uint64_t e = 0; e < lanes; e = e + 1 < FIRST || e + 1 == lanes ? e + 1 : lanes - 1) {
        if (e > FIRST)
            str_append(layout->out, " ..");
        if (index == IR_NONE)
            str_printf(layout->out, " %13" PRIu64, e);
        else
            draw_index(layout, variable, e, index);
    }
    str_char(layout->out, '\n');
}

/* Of an array with registers of its own for an axis: which element is where. */
static void draw(struct layout *layout, const struct variable *variable) {
    uint64_t lanes = 1;
    for (uint32_t d = 0; d < ir_group_dims(layout->p, variable->group); d++) {
        struct extent x = ir_group_extent(layout->p, variable->group, d);
        lanes = x.size == NO_INDEX ? lanes * x.value : 0;
    }
    for (uint32_t k = 0; k <= variable->count && lanes; k++)
        draw_line(layout, variable, lanes, k ? k - 1 : IR_NONE);
}

static void print_variable(struct layout *layout, const struct ir_variable *variable) {
    char type[8], kept[8];
    object_type_text(object_variable_array_type(&variable->decl), type);
    object_type_text(variable->decl.type, kept);
    str_printf(layout->out, "%s: %s", variable->decl.name, type);
    if (variable->decl.group == NO_INDEX)
        str_append(layout->out, " in every lane");
    else
        print_extents(layout, &variable->decl);
    str_printf(layout->out, ", kept as %s in r%u", kept, variable->decl.reg);
    if (variable->decl.count > 1)
        str_printf(layout->out, " .. r%u", variable->decl.reg + variable->decl.count - 1);
    str_char(layout->out, '\n');
    if (variable->decl.has_k && variable->decl.group != NO_INDEX)
        draw(layout, &variable->decl);
}

static void print_side(struct layout *layout, uint32_t variable) {
    const struct ir_variable *v = &layout->p->variables.data[variable];
    if (has_name(v))
        str_printf(layout->out, " %s", v->decl.name);
    if (v->decl.group == NO_INDEX)
        str_append(layout->out, " every lane");
    else
        print_extents(layout, &v->decl);
}

/* The text says why: it is what the move brings. */
static void print_text(struct layout *layout, struct span at) {
    size_t size;
    const char *text = diag_source_text(layout->diag, at.source, &size);
    str_append(layout->out, " for `");
    for (uint32_t i = at.begin; text && i < at.end && i < size && i < at.begin + 60; i++)
        str_char(layout->out, text[i] == '\n' ? ' ' : text[i]);
    str_append(layout->out, "`\n");
}

static void print_move(struct layout *layout, const struct ir_node *node) {
    const struct ir_move *m = &layout->p->moves.data[node->move];
    uint32_t line, column;
    diag_position(layout->diag, node->at, &line, &column);
    str_printf(layout->out, "line %u: %u bits of", line, m->record.width);
    print_side(layout, m->from);
    str_append(layout->out, " to");
    print_side(layout, m->to);
    print_text(layout, node->at);
}

static void print_moves(struct layout *layout, const struct ir_node *node) {
    for (; node; node = node->next) {
        if (node->kind == IR_NODE_MOVE || node->kind == IR_NODE_SEND)
            print_move(layout, node);
        print_moves(layout, node->body);
        print_moves(layout, node->otherwise);
    }
}

void ir_print_layout(const struct ir_program *program, const struct diag *diag, struct str *out) {
    struct layout l = {program, diag, out};
    for (size_t i = 0; i < program->variables.len; i++)
        if (has_name(&program->variables.data[i]))
            print_variable(&l, &program->variables.data[i]);
    for (size_t i = 0; i < program->images.len; i++)
        print_moves(&l, program->images.data[i].nodes);
}
