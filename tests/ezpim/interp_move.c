/* SPDX-License-Identifier: MIT
 * move target[i, ...] = source[...]: every element of the side whose coordinates have names asks
 * for its partner on the other side.  That side is the target; where an index variable stands in
 * the target (a scatter), it is the source. */
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

/* What is written goes to `made`, so that all of it is read before. */
struct moved {
    const struct stmt *s;
    struct side to, from;
    const struct side *near, *far; /* near has the names */
    struct interp_cell *made;      /* the target's cells */
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

/* A name in e that means nothing yet, or NULL. */
static const char *new_name(struct interp *it, const struct expr *e) {
    if (e->kind == EXPR_NAME)
        return interp_lookup(it, e->name.text) ? NULL : e->name.text;
    const char *name = NULL;
    for (uint32_t i = 0; !name && i < e->arg_count; i++)
        name = new_name(it, e->args[i]);
    return name;
}

static ez_number value_with(struct interp *it, const struct expr *e, const char *name,
                            ez_number value) {
    struct interp_binding b = {.name = name, .kind = BOUND_NUMBER, .number = interp_number(value)};
    vec_push(&it->locals, b);
    ez_number v = interp_eval(it, e).v;
    it->locals.len--;
    return v;
}

static bool has_range(const struct stmt *s, const char *name) {
    for (uint32_t i = 0; i + 2 < s->operand_count; i += 3)
        if (s->operands[i]->name.text == name)
            return true;
    return false;
}

/* A coordinate is a multiple of its index and a number: the index at which it is `at` is bound.
 * Without a range an index is not negative. */
static bool bind_index(struct interp *it, const struct stmt *s, const struct expr *e,
                       const char *name, ez_number at) {
    ez_number none = value_with(it, e, name, 0), step = value_with(it, e, name, 1) - none;
    if (!step || (at - none) % step)
        return false;
    ez_number i = (at - none) / step;
    if (i < 0 && !has_range(s, name))
        return false;
    struct interp_binding b = {.name = name, .kind = BOUND_NUMBER, .number = interp_number(i)};
    vec_push(&it->locals, b);
    return true;
}

/* False when the coordinates `at` are not meant. */
static bool bind_indices(struct interp *it, const struct moved *m, const uint64_t *at) {
    bool meant = true;
    for (uint32_t d = 0; meant && d < given(m->near); d++) {
        const struct expr *e = m->near->e->args[d];
        const char *name = new_name(it, e);
        meant = name ? bind_index(it, m->s, e, name, (ez_number)at[d])
                     : interp_eval(it, e).v == (ez_number)at[d];
    }
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

static bool is_index_variable(struct interp *it, const struct expr *e) {
    const struct interp_binding *b = e->kind == EXPR_INDEX ? interp_lookup(it, e->name.text) : NULL;
    return b && b->kind == BOUND_VARIABLE;
}

/* What an index variable holds for the near side's register k. */
static ez_number index_value(struct interp *it, const struct expr *e, uint64_t k) {
    struct side s;
    uint64_t place = 0;
    if (!make_side(it, e, &s))
        return 0;
    for (uint32_t d = 0; d <= s.dims; d++) {
        ez_number v = d < given(&s) ? interp_eval(it, e->args[d]).v : s.v->has_k ? (ez_number)k : 0;
        if (v < 0 || v >= (ez_number)s.extent[d]) {
            interp_fail(it, "`%s` has no such element", e->name.text);
            return 0;
        }
        place = place * s.extent[d] + (uint64_t)v;
    }
    if (!s.v->cells[place].written)
        interp_fail(it, "`%s` is an index before it is written", e->name.text);
    return interp_typed(s.v->cells[place].pattern, s.v->type).v;
}

/* A coordinate brought inside, or one that is outside. */
static ez_number brought_inside(const struct stmt *s, ez_number v, ez_number n) {
    if (s->wrap)
        return (v % n + n) % n;
    return !s->clip ? v : v < 0 ? 0 : v >= n ? n - 1 : v;
}

/* The cell of the far side for the near side's register k; false when there is none. */
static bool partner(struct interp *it, const struct moved *m, uint64_t k, uint64_t *place) {
    const struct side *far = m->far;
    *place = 0;
    for (uint32_t d = 0; d <= far->dims; d++) {
        ez_number n = (ez_number)far->extent[d], v = 0;
        if (d < given(far) && is_index_variable(it, far->e->args[d]))
            v = index_value(it, far->e->args[d], k);
        else if (d < given(far))
            v = interp_eval(it, far->e->args[d]).v;
        else if (far->v->has_k)
            v = (ez_number)k;
        v = brought_inside(m->s, v, n);
        if (v < 0 || v >= n)
            return false;
        *place = *place * far->extent[d] + (uint64_t)v;
    }
    return true;
}

static void carry(struct interp *it, const struct moved *m, uint64_t cell, uint64_t k) {
    uint64_t place;
    bool found = partner(it, m, k, &place);
    if (found && m->near == &m->to)
        m->made[cell] = m->from.v->cells[place];
    else if (found)
        m->made[place] = m->from.v->cells[cell];
    else if (m->s->fill)
        m->made[cell] =
            (struct interp_cell){interp_as(it, interp_eval(it, m->s->fill), m->to.v->type), true};
}

static void move_cell(struct interp *it, const struct moved *m, uint64_t cell) {
    uint64_t at[DIMS], rest = cell;
    size_t mark = it->locals.len;
    for (uint32_t d = m->near->dims + 1; d-- > 0; rest /= m->near->extent[d])
        at[d] = rest % m->near->extent[d];
    if (bind_indices(it, m, at) && within_bounds(it, m->s))
        carry(it, m, cell, at[m->near->dims]);
    it->locals.len = mark;
}

/* All copies of a variable without a group get the same. */
static void copy_shared(struct interp_variable *v) {
    for (uint64_t i = v->count; !v->group && i < v->elements * v->count; i++)
        v->cells[i] = v->cells[i % v->count];
}

static bool scatters(struct interp *it, const struct side *to) {
    for (uint32_t d = 0; d < given(to); d++)
        if (is_index_variable(it, to->e->args[d]))
            return true;
    return false;
}

void interp_move(struct interp *it, const struct stmt *s) {
    struct moved m = {.s = s};
    if (!make_side(it, s->target, &m.to) || !make_side(it, s->value, &m.from))
        return;
    bool back = scatters(it, &m.to);
    m.near = back ? &m.from : &m.to;
    m.far = back ? &m.to : &m.from;
    uint64_t n = m.to.v->elements * m.to.v->count;
    m.made = malloc((n + 1) * sizeof *m.made);
    if (!m.made)
        abort();
    memcpy(m.made, m.to.v->cells, n * sizeof *m.made);
    uint64_t cells = (m.near->v->group ? m.near->v->elements : 1) * m.near->v->count;
    for (uint64_t i = 0; i < cells && interp_step(it); i++)
        move_cell(it, &m, i);
    memcpy(m.to.v->cells, m.made, n * sizeof *m.made);
    free(m.made);
    copy_shared(m.to.v);
}
