/* SPDX-License-Identifier: MIT */
#include "ezpim/ir_layout.h"
#include "ezpim/ir_build.h"

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
