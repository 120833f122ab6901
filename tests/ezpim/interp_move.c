/* SPDX-License-Identifier: MIT
 * move target[i, ...] = source[...]: every element of the target asks where its value comes from;
 * move target[k[i], ...] = source[i, ...]: every element of the source says where it goes.
 */
#include "tests/ezpim/interp_parts.h"

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

/* A variable that holds an index, as it was before the move. */
struct held {
    struct side side;
    struct interp_cell *cells;
};

static bool holds_index(struct interp *it, const struct expr *e) {
    const struct interp_binding *b = e->kind == EXPR_INDEX ? interp_find(it, e->name.text) : NULL;
    return b && b->kind == BOUND_VARIABLE;
}

/* The first of the indices of e that a variable holds, or NULL. */
static const struct expr *held_index(struct interp *it, const struct expr *e) {
    for (uint32_t d = 0; e->kind == EXPR_INDEX && d < e->arg_count; d++)
        if (holds_index(it, e->args[d]))
            return e->args[d];
    return NULL;
}

static ez_number held_value(struct interp *it, const struct held *k, uint64_t same_register) {
    uint64_t place = 0;
    for (uint32_t d = 0; d < k->side.all; d++) {
        bool named = d < given(&k->side);
        uint64_t at = named ? (uint64_t)interp_eval(it, k->side.e->args[d]).v : same_register;
        place = place * k->side.extent[d] + at;
    }
    return interp_typed(k->cells[place].pattern, k->side.v->type).v;
}

/* Names that mean nothing else are the target's indices; others say which coordinate it is.
 * False when the coordinates `at` are not meant. */
static bool bind_target(struct interp *it, const struct side *to, const uint64_t *at) {
    bool meant = true;
    size_t mark = it->locals.len;
    for (uint32_t d = 0; d < given(to); d++) {
        const struct expr *e = to->e->args[d];
        struct interp_binding b = {.name = e->name.text, .kind = BOUND_NUMBER};
        b.number = interp_number((ez_number)at[d]);
        if (e->kind == EXPR_NAME && !interp_lookup(it, e->name.text))
            vec_push(&it->locals, b);
        else
            meant = meant && interp_eval(it, e).v == (ez_number)at[d];
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

enum { NOWHERE = -1 };

static ez_number brought_in(const struct stmt *s, ez_number v, ez_number n) {
    if (s->wrap)
        return (v % n + n) % n;
    return !s->clip ? v : v < 0 ? 0 : v >= n ? n - 1 : v;
}

/* The cell of the far side for the near one's coordinates; NOWHERE when there is none. */
static int64_t far_cell(struct interp *it, const struct stmt *s, const struct side *far,
                        const struct held *k, uint64_t same_register) {
    uint64_t place = 0;
    for (uint32_t d = 0; d <= far->dims; d++) {
        ez_number n = (ez_number)far->extent[d], v = 0;
        if (d < given(far) && holds_index(it, far->e->args[d]))
            v = held_value(it, k, same_register);
        else if (d < given(far))
            v = interp_eval(it, far->e->args[d]).v;
        else if (far->v->has_k)
            v = (ez_number)same_register;
        v = brought_in(s, v, n);
        if (v < 0 || v >= n)
            return NOWHERE;
        place = place * far->extent[d] + (uint64_t)v;
    }
    return (int64_t)place;
}

static void take(struct interp *it, const struct stmt *s, const struct side *to,
                 const struct interp_cell *from, struct interp_cell *c) {
    if (from)
        *c = *from;
    else if (s->fill)
        *c = (struct interp_cell){interp_as(it, interp_eval(it, s->fill), to->v->type), true};
}

/* What a move is made of; cells as they were before it. */
struct moving {
    const struct stmt *s;
    struct side to, from;
    struct held held;
    struct interp_cell *old;
    bool scatters;
};

static void move_cell(struct interp *it, const struct moving *m, uint64_t cell) {
    const struct side *near = m->scatters ? &m->from : &m->to;
    const struct side *far = m->scatters ? &m->to : &m->from;
    uint64_t at[DIMS], rest = cell;
    size_t mark = it->locals.len;
    for (uint32_t d = near->dims + 1; d-- > 0; rest /= near->extent[d])
        at[d] = rest % near->extent[d];
    if (!bind_target(it, near, at))
        return;
    if (within_bounds(it, m->s)) {
        int64_t other = far_cell(it, m->s, far, &m->held, at[near->dims]);
        if (!m->scatters)
            take(it, m->s, &m->to, other == NOWHERE ? NULL : &m->old[other], &m->to.v->cells[cell]);
        else if (other != NOWHERE)
            m->to.v->cells[other] = m->old[cell];
    }
    it->locals.len = mark;
}

/* All copies of a variable without a group get the same. */
static void copy_shared(struct interp_variable *v) {
    for (uint64_t i = v->count; !v->group && i < v->elements * v->count; i++)
        v->cells[i] = v->cells[i % v->count];
}

static struct interp_cell *cells_of(struct interp *it, const struct interp_variable *v) {
    uint64_t n = v->elements * v->count;
    struct interp_cell *old = ARENA_ARRAY(&it->arena, n, struct interp_cell);
    for (uint64_t i = 0; i < n; i++)
        old[i] = v->cells[i];
    return old;
}

void interp_move(struct interp *it, const struct stmt *s) {
    struct moving m = {.s = s};
    if (!make_side(it, s->target, &m.to) || !make_side(it, s->value, &m.from))
        return;
    const struct expr *index = held_index(it, s->target);
    m.scatters = index != NULL;
    index = index ? index : held_index(it, s->value);
    if (index && !make_side(it, index, &m.held.side))
        return;
    m.held.cells = index ? cells_of(it, m.held.side.v) : NULL;
    m.old = cells_of(it, m.from.v);
    const struct side *near = m.scatters ? &m.from : &m.to;
    uint64_t cells = (near->v->group ? near->v->elements : 1) * near->v->count;
    for (uint64_t i = 0; i < cells && interp_step(it); i++)
        move_cell(it, &m, i);
    copy_shared(m.to.v);
}
