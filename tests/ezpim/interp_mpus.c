/* SPDX-License-Identifier: MIT
 * Messages and collectives.  MPUs run their parts in the order of the text, so a message must be
 * sent in front of where it is received. */
#include "tests/ezpim/interp_parts.h"

#include <string.h>

uint64_t interp_mpu(struct interp *it, struct expr *const *index, uint32_t count) {
    uint64_t place = 0;
    for (uint32_t d = 0; d < count && d < it->grid.ndim; d++)
        place = place * it->grid.shape[d] + (uint64_t)interp_eval(it, index[d]).v;
    return place;
}

/* All elements and registers of a variable in one MPU: cells[mpu * cells_each ...]. */
struct share {
    struct interp_variable *v;
    uint64_t each;
};

static bool share_of(struct interp *it, const struct expr *e, struct share *s) {
    const struct interp_binding *b = interp_find(it, e->name.text);
    if (!b || b->kind != BOUND_VARIABLE || !it->grid.name || e->kind != EXPR_NAME) {
        interp_fail(it, "no variable of all MPUs");
        return false;
    }
    s->v = &it->variables.data[b->variable];
    s->each = s->v->elements / it->grid.elements * s->v->count;
    return true;
}

static uint64_t partner(struct interp *it, const struct stmt *s) {
    return interp_mpu(it, s->operands[1]->args, s->operands[1]->arg_count);
}

static void need_written(struct interp *it, const struct share *s, const struct interp_cell *cells,
                         uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (!cells[i].written)
            interp_fail(it, "`%s` is sent before it is written", s->v->name);
}

void interp_send(struct interp *it, const struct stmt *s) {
    struct share x;
    if (!it->on || !share_of(it, s->target, &x))
        return;
    struct interp_message m = {.from = interp_mpu(it, it->on->operands, it->on->operand_count),
                               .to = partner(it, s),
                               .count = x.each};
    struct interp_cell *copy = ARENA_ARRAY(&it->arena, x.each, struct interp_cell);
    memcpy(copy, x.v->cells + m.from * x.each, x.each * sizeof *copy);
    need_written(it, &x, copy, x.each);
    m.cells = copy;
    vec_push(&it->messages, m);
}

void interp_receive(struct interp *it, const struct stmt *s) {
    struct share y;
    if (!it->on || !share_of(it, s->target, &y))
        return;
    uint64_t to = interp_mpu(it, it->on->operands, it->on->operand_count), from = partner(it, s);
    for (size_t i = 0; i < it->messages.len; i++) {
        struct interp_message *m = &it->messages.data[i];
        if (m->taken || m->from != from || m->to != to || m->count != y.each)
            continue;
        memcpy(y.v->cells + to * y.each, m->cells, y.each * sizeof *m->cells);
        m->taken = true;
        return;
    }
    interp_fail(it, "there is no message to receive");
}

/* ---- collectives ---- */

struct collective {
    const struct stmt *s;
    uint64_t mpus, root, elements; /* elements of the group in each MPU */
    struct share to, from;
    const struct interp_cell *old; /* the source as it was */
};

static struct interp_cell source(const struct collective *c, uint64_t mpu, uint64_t element,
                                 uint64_t k) {
    return c->old[mpu * c->from.each + element * c->from.v->count + k];
}

static struct interp_cell *target(const struct collective *c, uint64_t mpu, uint64_t element,
                                  uint64_t k) {
    return &c->to.v->cells[mpu * c->to.each + element * c->to.v->count + k];
}

/* One place of all MPUs taken together. */
static struct interp_cell reduced(struct interp *it, const struct collective *c, uint64_t element,
                                  uint64_t k) {
    struct interp_fold f = {0};
    for (uint64_t q = 0; q < c->mpus; q++) {
        struct interp_cell x = source(c, q, element, k);
        interp_fold_in(&f, c->s->name.text, interp_typed(x.pattern, c->from.v->type), q);
    }
    (void)it;
    return (struct interp_cell){(uint64_t)f.value & rtype_mask(c->from.v->type), true};
}

/* What MPU p gets in register k. */
static struct interp_cell result(struct interp *it, const struct collective *c, uint64_t p,
                                 uint64_t element, uint64_t k) {
    uint64_t kf = c->from.v->count, columns = it->grid.ndim == 2 ? it->grid.shape[1] : 1;
    switch ((enum collective_kind)c->s->op) {
    case COLLECTIVE_BROADCAST:
        return source(c, c->root, element, k);
    case COLLECTIVE_SCATTER:
        return source(c, c->root, element, p * c->to.v->count + k);
    case COLLECTIVE_GATHER:
    case COLLECTIVE_ALLGATHER:
        return source(c, k / kf, element, k % kf);
    case COLLECTIVE_TRANSPOSE:
        if (it->grid.ndim == 2)
            return source(c, p % columns * columns + p / columns, element, k);
        return source(c, k, element, p);
    case COLLECTIVE_ALLTOALL:
        return source(c, k / (kf / c->mpus), element, p * (kf / c->mpus) + k % (kf / c->mpus));
    default:
        return reduced(it, c, element, k);
    }
}

void interp_collective(struct interp *it, const struct stmt *s) {
    struct collective c = {.s = s, .mpus = it->grid.elements};
    if (!share_of(it, s->target, &c.to) || !share_of(it, s->value ? s->value : s->target, &c.from))
        return;
    bool one = s->op == COLLECTIVE_GATHER || s->op == COLLECTIVE_REDUCE;
    uint64_t all = c.mpus * c.from.each;
    struct interp_cell *old = ARENA_ARRAY(&it->arena, all, struct interp_cell);
    memcpy(old, c.from.v->cells, all * sizeof *old);
    need_written(it, &c.from, old, all);
    c.old = old;
    c.root = s->operand_count ? partner(it, s) : 0;
    c.elements = c.to.each / c.to.v->count;
    for (uint64_t p = 0; p < c.mpus && !it->error; p++)
        for (uint64_t i = 0; (!one || p == c.root) && i < c.elements; i++)
            for (uint64_t k = 0; k < c.to.v->count; k++)
                *target(&c, p, i, k) = result(it, &c, p, i, k);
}
