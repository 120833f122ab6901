/* SPDX-License-Identifier: MIT
 * Steps that a plan can do without, once all of it is known. */
#include "recipe/map/lower.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WRITTEN 3 /* rows that one op writes for several */

struct cleaner {
    struct map_lowering *l;
    struct plan *p;
    uint32_t wanted;
    bool *live; /* by spot */
};

static const struct target_op *op_of(const struct cleaner *c, const struct low_step *s) {
    return &plane_target(c->l->t)->ops[s->op];
}

static bool uses_old(const struct cleaner *c, const struct low_step *s) {
    return op_of(c, s)->reads_old && !op_of(c, s)->preset;
}

/* --- what is read again --- */

static void start_liveness(struct cleaner *c) {
    for (size_t i = 0; i < c->l->spots.len; i++)
        c->live[i] = c->l->spots.data[i].name != NOTHING || i == c->wanted;
}

/* Walking from the end. */
static void note_step(struct cleaner *c, const struct low_step *s) {
    for (unsigned d = 0; d < s->ndst; d++)
        if (!uses_old(c, s))
            c->live[s->dst[d]] = false;
    for (unsigned i = 0; i < s->nsrc; i++)
        c->live[s->src[i]] = true;
}

/* --- another op that does the same --- */

/* Spots that are to be written, and what with. */
struct spot_wish {
    uint32_t spots[OP_MAX_DESTS], values[OP_MAX_DESTS];
    unsigned count;
};

/* The step with op's results in the spots of the wish in this order; false if it does not do it. */
static bool try_op(struct cleaner *c, const struct low_step *like, const struct spot_wish *w,
                   const uint8_t *order, uint16_t index, struct low_step *made) {
    const struct target_op *op = &plane_target(c->l->t)->ops[index];
    unsigned next = 0;
    *made = *like;
    made->op = index;
    made->ndst = op->ndst;
    for (unsigned d = 0; d < op->ndst; d++) {
        unsigned at = 0;
        made->makes[d] = mapping_value_apply(&c->l->values, op->truth[d], like->reads, op->nsrc);
        if (op->tied[d])
            made->dst[d] = like->src[op->tied[d] - 1];
        else if (next < w->count)
            made->dst[d] = w->spots[order[next++]];
        else
            return false;
        while (at < w->count && w->spots[at] != made->dst[d])
            at++;
        if (at < w->count ? w->values[at] != made->makes[d] : c->live[made->dst[d]])
            return false;
    }
    return mapping_step_holds(c->l, made);
}

static bool writes_all(const struct low_step *s, const struct spot_wish *w) {
    for (unsigned i = 0; i < w->count; i++) {
        bool found = false;
        for (unsigned d = 0; d < s->ndst; d++)
            found |= s->dst[d] == w->spots[i];
        if (!found)
            return false;
    }
    return true;
}

/* Fixed operands are where they have to be. */
static bool fits_fixed(const struct cleaner *c, const struct low_step *s) {
    const struct target_op *op = op_of(c, s);
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        uint32_t spot = i < op->nsrc ? s->src[i] : s->dst[i - op->nsrc];
        if (op->fixed[i] && c->l->spots.data[spot].class != op->fixed[i] - 1)
            return false;
    }
    return true;
}

static uint32_t cost_of(const struct cleaner *c, const struct low_step *s) {
    return mapping_op_cost(c->l->t, op_of(c, s), c->l->d->unit);
}

/* The cheapest op, below `limit`, that reads what `like` reads and fulfils the wish; spots that are
 * not live may be destroyed. */
static bool find_op(struct cleaner *c, const struct low_step *like, const struct spot_wish *w,
                    uint32_t limit, struct low_step *best) {
    static const uint8_t orders[][MOST_WRITTEN] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    bool found = false;
    for (uint16_t i = 0; i < plane_target(c->l->t)->op_count; i++) {
        const struct target_op *op = &plane_target(c->l->t)->ops[i];
        if (op->nsrc != like->nsrc || op->reads_old ||
            mapping_op_cost(c->l->t, op, c->l->d->unit) >= limit)
            continue;
        for (unsigned n = 0; n < 6; n++) {
            struct low_step made;
            bool possible = true;
            for (unsigned k = w->count; k < MOST_WRITTEN; k++)
                possible &= orders[n][k] == k;
            if (!possible || !try_op(c, like, w, orders[n], i, &made) || !writes_all(&made, w) ||
                !fits_fixed(c, &made))
                continue;
            *best = made;
            limit = cost_of(c, &made);
            found = true;
            break;
        }
    }
    return found;
}

static void add_results(const struct cleaner *c, const struct low_step *s, struct spot_wish *w) {
    for (unsigned d = 0; d < s->ndst; d++)
        if (c->live[s->dst[d]] && w->count < OP_MAX_DESTS) {
            w->spots[w->count] = s->dst[d];
            w->values[w->count++] = s->makes[d];
        }
}

/* --- dead results --- */

static bool has_live(const struct cleaner *c, const struct low_step *s) {
    for (unsigned d = 0; d < s->ndst; d++)
        if (c->live[s->dst[d]])
            return true;
    return false;
}

/* Of some of its results nothing is read: a smaller op may do. */
static void narrow(struct cleaner *c, struct low_step *s) {
    struct spot_wish w = {.count = 0};
    struct low_step made;
    add_results(c, s, &w);
    if (w.count < s->ndst && w.count <= MOST_WRITTEN && !op_of(c, s)->reads_old &&
        find_op(c, s, &w, cost_of(c, s), &made))
        *s = made;
}

static void drop_dead(struct cleaner *c) {
    size_t kept = c->p->steps.len;
    start_liveness(c);
    for (size_t i = c->p->steps.len; i-- > 0;) {
        struct low_step *s = &c->p->steps.data[i];
        if (!s->move && !has_live(c, s))
            continue;
        if (!s->move)
            narrow(c, s);
        note_step(c, s);
        c->p->steps.data[--kept] = *s;
    }
    c->p->steps.len -= kept;
    memmove(c->p->steps.data, c->p->steps.data + kept, c->p->steps.len * sizeof *c->p->steps.data);
}

/* --- one op for several --- */

static bool touches(const struct cleaner *c, const struct low_step *s, uint32_t spot, bool reads) {
    for (unsigned d = 0; d < s->ndst; d++)
        if (s->dst[d] == spot && (!reads || uses_old(c, s)))
            return true;
    for (unsigned i = 0; i < s->nsrc && reads; i++)
        if (s->src[i] == spot)
            return true;
    return false;
}

/* May what step j writes be written by step i already? */
static bool may_rise(const struct cleaner *c, size_t i, size_t j) {
    const struct low_step *from = &c->p->steps.data[j];
    for (size_t k = i; k < j; k++)
        for (unsigned d = 0; d < from->ndst; d++) {
            const struct low_step *s = &c->p->steps.data[k];
            if (touches(c, s, from->dst[d], false) || touches(c, s, from->dst[d], true))
                return false;
        }
    return true;
}

/* May what step i writes be written by step j, from what i reads? */
static bool may_sink(const struct cleaner *c, size_t i, size_t j) {
    const struct low_step *from = &c->p->steps.data[i];
    for (size_t k = i + 1; k <= j; k++) {
        const struct low_step *s = &c->p->steps.data[k];
        for (unsigned d = 0; d < from->ndst; d++)
            if (touches(c, s, from->dst[d], false) || touches(c, s, from->dst[d], true))
                return false;
    }
    return true;
}

/* Both make their results of the same values, of one, and destroy nothing. */
static bool is_alike(const struct cleaner *c, const struct low_step *a, const struct low_step *b) {
    return !a->move && !b->move && a->nsrc == 1 && b->nsrc == 1 && a->reads[0] == b->reads[0] &&
           !op_of(c, a)->tied[0] && !op_of(c, b)->tied[0] && !op_of(c, a)->reads_old &&
           !op_of(c, b)->reads_old;
}

static void add_all(const struct low_step *s, struct spot_wish *w) {
    for (unsigned d = 0; d < s->ndst && w->count < OP_MAX_DESTS; d++) {
        w->spots[w->count] = s->dst[d];
        w->values[w->count++] = s->makes[d];
    }
}

static void remove_step(struct cleaner *c, size_t i) {
    c->p->steps.len--;
    memmove(&c->p->steps.data[i], &c->p->steps.data[i + 1],
            (c->p->steps.len - i) * sizeof *c->p->steps.data);
}

/* One op for steps i and j, and for k behind j if it is one. */
static bool merge(struct cleaner *c, size_t i, size_t j, size_t k) {
    struct low_step *steps = c->p->steps.data, made;
    bool three = k != j, rise = may_rise(c, i, j) && (!three || may_rise(c, i, k));
    struct spot_wish w = {.count = 0};
    add_all(&steps[i], &w);
    add_all(&steps[j], &w);
    if (three)
        add_all(&steps[k], &w);
    uint32_t cost =
        cost_of(c, &steps[i]) + cost_of(c, &steps[j]) + (three ? cost_of(c, &steps[k]) : 0);
    bool sink = !rise && !three && may_sink(c, i, j);
    if ((!rise && !sink) || w.count > MOST_WRITTEN)
        return false;
    for (size_t s = 0; s < c->l->spots.len; s++)
        c->live[s] = true;
    if (!find_op(c, &steps[rise ? i : j], &w, cost, &made))
        return false;
    steps[rise ? i : j] = made;
    if (three)
        remove_step(c, k);
    remove_step(c, rise ? j : i);
    return true;
}

static bool merge_any(struct cleaner *c) {
    for (size_t i = 0; i < c->p->steps.len; i++)
        for (size_t j = i + 1; j < c->p->steps.len; j++) {
            const struct low_step *steps = c->p->steps.data;
            if (!is_alike(c, &steps[i], &steps[j]))
                continue;
            if (merge(c, i, j, j))
                return true;
            for (size_t k = j + 1; k < c->p->steps.len; k++)
                if (is_alike(c, &steps[i], &steps[k]) && merge(c, i, j, k))
                    return true;
        }
    return false;
}

/* --- the plan --- */

static void sum_costs(struct cleaner *c) {
    c->p->cost = 0;
    for (size_t i = 0; i < c->p->steps.len; i++)
        if (!c->p->steps.data[i].move)
            c->p->cost += cost_of(c, &c->p->steps.data[i]);
}

void mapping_plan_clean(struct map_lowering *l, struct plan *p, uint32_t wanted) {
    struct cleaner c = {.l = l, .p = p, .wanted = wanted};
    if (!p->steps.len)
        return;
    c.live = xcalloc(l->spots.len + 1, sizeof *c.live);
    drop_dead(&c);
    while (merge_any(&c))
        ;
    drop_dead(&c);
    sum_costs(&c);
    free(c.live);
}
