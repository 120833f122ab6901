/* SPDX-License-Identifier: MIT
 * move target[i, ...] = source[...]: every element of the target asks where its value comes from.
 */
#include "tests/ezpim/interp_parts.h"

#include <string.h>

enum { DIMS = 9 };

/* A variable with its coordinates: those of the group, then its registers. */
struct side {
    struct interp_variable *v;
    const struct expr *e;
    uint32_t dims; /* of the group */
    uint32_t all;  /* with the registers of an array */
    uint64_t extent[DIMS];
};

static bool make_side(struct interp *it, const struct expr *e, struct side *s) {
    const struct interp_binding *b = interp_find(it, e->name.text);
    if (!b || b->kind != BOUND_VARIABLE) {
        interp_fail(it, "`%s` is no variable", e->name.text);
        return false;
    }
    *s = (struct side){.v = &it->variables.data[b->variable], .e = e};
    s->dims = s->v->group ? s->v->ndim : 0;
    s->all = s->dims + s->v->has_k;
    for (uint32_t d = 0; d < s->dims; d++)
        s->extent[d] = s->v->shape[d];
    s->extent[s->dims] = s->v->count;
    return true;
}

static uint32_t given(const struct side *s) {
    return s->e->kind == EXPR_INDEX ? s->e->arg_count : 0;
}

/* The name in an index of the target that means nothing else; NULL if there is none. */
static const struct expr *new_name(struct interp *it, const struct expr *e) {
    const struct expr *found = NULL;
    if (e->kind == EXPR_NAME && !interp_lookup(it, e->name.text))
        return e;
    for (uint32_t i = 0; i < e->arg_count && !found; i++)
        found = new_name(it, e->args[i]);
    return found;
}

/* What the index of the target is when that name is `v`. */
static ez_number index_at(struct interp *it, const struct expr *e, const struct expr *name,
                          ez_number v) {
    size_t mark = it->locals.len;
    struct interp_binding b = {.name = name->name.text, .kind = BOUND_NUMBER};
    b.number = interp_number(v);
    vec_push(&it->locals, b);
    ez_number index = interp_eval(it, e).v;
    it->locals.len = mark;
    return index;
}

/* Finds the value of the name with which the index is `at`: the index is linear in it. */
static bool solve_index(struct interp *it, const struct expr *e, const struct expr *name,
                        ez_number at, bool bounded, ez_number *v) {
    ez_number none = index_at(it, e, name, 0), step = index_at(it, e, name, 1) - none;
    if ((at - none) % step != 0)
        return false;
    *v = (at - none) / step;
    return bounded || *v >= 0;
}

static bool has_bounds(const struct stmt *s, const struct expr *name) {
    for (uint32_t i = 0; i + 2 < s->operand_count; i += 3)
        if (strcmp(s->operands[i]->name.text, name->name.text) == 0)
            return true;
    return false;
}

/* Names that mean nothing else are the target's indices; others say which coordinate it is.
 * False when the coordinates `at` are not meant. */
static bool bind_target(struct interp *it, const struct stmt *s, const struct side *to,
                        const uint64_t *at) {
    bool meant = true;
    size_t mark = it->locals.len;
    for (uint32_t d = 0; d < given(to) && meant; d++) {
        const struct expr *e = to->e->args[d], *name = new_name(it, e);
        ez_number v;
        if (!name) {
            meant = interp_eval(it, e).v == (ez_number)at[d];
            continue;
        }
        meant = solve_index(it, e, name, (ez_number)at[d], has_bounds(s, name), &v);
        struct interp_binding b = {.name = name->name.text, .kind = BOUND_NUMBER};
        b.number = interp_number(meant ? v : 0);
        vec_push(&it->locals, b);
    }
    if (!meant)
        it->locals.len = mark;
    return meant;
}

static bool within_bounds(struct interp *it, const struct stmt *s) {
    for (uint32_t i = 0; i + 2 < s->operand_count; i += 3) {
        ez_number v = interp_eval(it, s->operands[i]).v;
        if (v < interp_eval(it, s->operands[i + 1]).v || v >= interp_eval(it, s->operands[i + 2]).v)
            return false;
    }
    return true;
}

/* The cell of the source for the target's coordinates `at`; NULL when there is none. */
static const struct interp_cell *source_cell(struct interp *it, const struct side *from,
                                             const struct interp_cell *cells, bool wrap,
                                             uint64_t same_register) {
    uint64_t place = 0;
    for (uint32_t d = 0; d <= from->dims; d++) {
        ez_number n = (ez_number)from->extent[d], v = 0;
        if (d < given(from))
            v = interp_eval(it, from->e->args[d]).v;
        else if (from->v->has_k)
            v = (ez_number)same_register;
        if (wrap)
            v = (v % n + n) % n;
        if (v < 0 || v >= n)
            return NULL;
        place = place * from->extent[d] + (uint64_t)v;
    }
    return &cells[place];
}

static void take(struct interp *it, const struct stmt *s, const struct side *to,
                 const struct interp_cell *from, struct interp_cell *c) {
    if (from)
        *c = *from;
    else if (s->fill)
        *c = (struct interp_cell){interp_as(it, interp_eval(it, s->fill), to->v->type), true};
}

static void move_cell(struct interp *it, const struct stmt *s, const struct side *to,
                      const struct side *from, const struct interp_cell *old, uint64_t cell) {
    uint64_t at[DIMS], rest = cell;
    size_t mark = it->locals.len;
    for (uint32_t d = to->dims + 1; d-- > 0; rest /= to->extent[d])
        at[d] = rest % to->extent[d];
    if (!bind_target(it, s, to, at))
        return;
    if (within_bounds(it, s))
        take(it, s, to, source_cell(it, from, old, s->wrap, at[to->dims]), &to->v->cells[cell]);
    it->locals.len = mark;
}

/* All copies of a variable without a group get the same. */
static void copy_shared(struct interp_variable *v) {
    for (uint64_t i = v->count; !v->group && i < v->elements * v->count; i++)
        v->cells[i] = v->cells[i % v->count];
}

void interp_move(struct interp *it, const struct stmt *s) {
    struct side to, from;
    if (!make_side(it, s->target, &to) || !make_side(it, s->value, &from))
        return;
    uint64_t n = from.v->elements * from.v->count;
    struct interp_cell *old = ARENA_ARRAY(&it->arena, n, struct interp_cell);
    for (uint64_t i = 0; i < n; i++)
        old[i] = from.v->cells[i];
    uint64_t cells = (to.v->group ? to.v->elements : 1) * to.v->count;
    for (uint64_t i = 0; i < cells && interp_step(it); i++)
        move_cell(it, s, &to, &from, old, i);
    copy_shared(to.v);
}
