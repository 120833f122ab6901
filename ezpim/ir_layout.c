/* SPDX-License-Identifier: MIT
 * Where arrays lie, as text and as drawings of their first lanes. */
#include "ezpim/ir_layout.h"
#include "ezpim/ir_build.h"

#include <inttypes.h>

struct layout {
    const struct ir_program *p;
    const struct diag *diag;
    struct str *out;
};

static void print_extent(struct layout *l, struct extent x, uint64_t times) {
    if (x.size == NO_INDEX)
        str_u64(l->out, x.value * times);
    else
        str_append(l->out, l->p->sizes.data[x.size].name);
}

/* "[4, 8] in lanes, axis 0 in registers": the array's own extents. */
static void print_extents(struct layout *l, const struct variable *v) {
    const struct group *g = &l->p->groups.data[v->group];
    uint32_t dims = ir_group_dims(l->p, v->group);
    bool first = v->form.order == FORM_FIRST, split = v->form.order == FORM_SPLIT;
    str_append(l->out, " [");
    if (first)
        str_printf(l->out, "%u, ", v->count);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(l->out, d ? ", " : "");
        print_extent(l, ir_group_extent(l->p, v->group, d), split && d + 1 == dims ? v->count : 1);
    }
    if (v->has_k && !first && !split)
        str_printf(l->out, ", %u", v->count);
    str_printf(l->out, "] in %s", g->like == NO_INDEX ? g->name : l->p->groups.data[g->like].name);
    if (split)
        str_printf(l->out, ", split by %u", v->count);
    else if (v->has_k)
        str_printf(l->out, ", axis %u in registers", first ? 0 : dims);
}

/* Variables without a name hold something for a line or two, as moves say. */
static bool has_name(const struct ir_variable *v) {
    return v->decl.count && v->decl.name[0] != '$';
}

/* ---- a drawing ---- */

/* "[1, 0, 7]" for register k of a lane, in a column. */
static void draw_index(struct layout *l, const struct variable *v, uint64_t lane, uint32_t k) {
    uint32_t dims = ir_group_dims(l->p, v->group);
    bool first = v->form.order == FORM_FIRST, split = v->form.order == FORM_SPLIT;
    uint64_t c[MOVE_MAX_DIMS];
    struct str s = {0};
    for (uint32_t d = dims; d-- > 0;) {
        uint64_t n = ir_group_extent(l->p, v->group, d).value;
        c[d] = lane % n;
        lane /= n;
    }
    c[dims - 1] = split ? c[dims - 1] * v->count + k : c[dims - 1];
    if (first)
        str_printf(&s, "%u, ", k);
    for (uint32_t d = 0; d < dims; d++)
        str_printf(&s, "%s%" PRIu64, d ? ", " : "", c[d]);
    if (!first && !split)
        str_printf(&s, ", %u", k);
    str_printf(l->out, " %*s%s]", s.len < 12 ? (int)(12 - s.len) : 1, "[", str_text(&s));
    str_free(&s);
}

/* A line of the drawing: register k, or (IR_NONE) the lanes' numbers, of the first lanes and the
 * last one. */
static void draw_line(struct layout *l, const struct variable *v, uint64_t lanes, uint32_t k) {
    enum { FIRST = 3 };
    if (k == IR_NONE)
        str_append(l->out, "   lane");
    else
        str_printf(l->out, "%*sr%u", v->reg + k < 10 ? 5 : 4, "", v->reg + k);
    for (uint64_t e = 0; e < lanes; e = e + 1 < FIRST || e + 1 == lanes ? e + 1 : lanes - 1) {
        if (e > FIRST)
            str_append(l->out, " ..");
        if (k == IR_NONE)
            str_printf(l->out, " %13" PRIu64, e);
        else
            draw_index(l, v, e, k);
    }
    str_char(l->out, '\n');
}

/* Of an array with registers of its own for an axis: which element is where. */
static void draw(struct layout *l, const struct variable *v) {
    uint64_t lanes = 1;
    for (uint32_t d = 0; d < ir_group_dims(l->p, v->group); d++) {
        struct extent x = ir_group_extent(l->p, v->group, d);
        lanes = x.size == NO_INDEX ? lanes * x.value : 0;
    }
    for (uint32_t k = 0; k <= v->count && lanes; k++)
        draw_line(l, v, lanes, k ? k - 1 : IR_NONE);
}

static void print_variable(struct layout *l, const struct ir_variable *v) {
    char type[8], kept[8];
    object_type_text(object_variable_array_type(&v->decl), type);
    object_type_text(v->decl.type, kept);
    str_printf(l->out, "%s: %s", v->decl.name, type);
    if (v->decl.group == NO_INDEX)
        str_append(l->out, " in every lane");
    else
        print_extents(l, &v->decl);
    str_printf(l->out, ", kept as %s in r%u", kept, v->decl.reg);
    if (v->decl.count > 1)
        str_printf(l->out, " .. r%u", v->decl.reg + v->decl.count - 1);
    str_char(l->out, '\n');
    if (v->decl.has_k && v->decl.group != NO_INDEX)
        draw(l, &v->decl);
}

static void print_side(struct layout *l, uint32_t variable) {
    const struct ir_variable *v = &l->p->variables.data[variable];
    if (has_name(v))
        str_printf(l->out, " %s", v->decl.name);
    if (v->decl.group == NO_INDEX)
        str_append(l->out, " every lane");
    else
        print_extents(l, &v->decl);
}

/* The text says why: it is what the move brings. */
static void print_text(struct layout *l, struct span at) {
    size_t size;
    const char *text = diag_source_text(l->diag, at.source, &size);
    str_append(l->out, " for `");
    for (uint32_t i = at.begin; text && i < at.end && i < size && i < at.begin + 60; i++)
        str_char(l->out, text[i] == '\n' ? ' ' : text[i]);
    str_append(l->out, "`\n");
}

static void print_move(struct layout *l, const struct ir_node *n) {
    const struct ir_move *m = &l->p->moves.data[n->move];
    uint32_t line, column;
    diag_position(l->diag, n->at, &line, &column);
    str_printf(l->out, "line %u: %u bits of", line, m->record.width);
    print_side(l, m->from);
    str_append(l->out, " to");
    print_side(l, m->to);
    print_text(l, n->at);
}

static void print_moves(struct layout *l, const struct ir_node *n) {
    for (; n; n = n->next) {
        if (n->kind == IR_NODE_MOVE || n->kind == IR_NODE_SEND)
            print_move(l, n);
        print_moves(l, n->body);
        print_moves(l, n->otherwise);
    }
}

void ir_print_layout(const struct ir_program *p, const struct diag *d, struct str *out) {
    struct layout l = {p, d, out};
    for (size_t i = 0; i < p->variables.len; i++)
        if (has_name(&p->variables.data[i]))
            print_variable(&l, &p->variables.data[i]);
    for (size_t i = 0; i < p->images.len; i++)
        print_moves(&l, p->images.data[i].nodes);
}
