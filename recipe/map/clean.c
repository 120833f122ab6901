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

static const struct target_op *op_of(const struct cleaner *cleaner, const struct low_step *step) {
    return &plane_target(cleaner->l->t)->ops[step->op];
}

/* --- what is read again --- */

static void start_liveness(struct cleaner *cleaner) {
    for (size_t i = 0; i < cleaner->l->spots.len; i++)
        cleaner->live[i] = cleaner->l->spots.data[i].name != NOTHING || i == cleaner->wanted;
}

/* Walking from the end. */
static void note_step(struct cleaner *cleaner, const struct low_step *step) {
    for (unsigned d = 0; d < step->ndst; d++)
        if (!plane_op_keeps_old(op_of(cleaner, step), d))
            cleaner->live[step->dst[d]] = false;
    for (unsigned i = 0; i < step->nsrc; i++)
        cleaner->live[step->src[i]] = true;
}

/* --- another op that does the same --- */

/* Spots that are to be written, and what with. */
struct spot_wish {
    uint32_t spots[OP_MAX_DESTS], values[OP_MAX_DESTS];
    unsigned count;
};

/* The step with op's results in the spots of the wish in this order; false if it does not do it. */
static bool try_op(struct cleaner *cleaner, const struct low_step *like,
                   const struct spot_wish *wish, const uint8_t *order, uint16_t index,
                   struct low_step *made) {
    const struct target_op *op = &plane_target(cleaner->l->t)->ops[index];
    unsigned next = 0;
    *made = *like;
    made->op = index;
    made->ndst = op->ndst;
    for (unsigned d = 0; d < op->ndst; d++) {
        unsigned at = 0;
        made->makes[d] =
            mapping_value_apply(&cleaner->l->values, op->truth[d], like->reads, op->nsrc);
        if (op->tied[d])
            made->dst[d] = like->src[op->tied[d] - 1];
        else if (next < wish->count)
            made->dst[d] = wish->spots[order[next++]];
        else
            return false;
        while (at < wish->count && wish->spots[at] != made->dst[d])
            at++;
        if (at < wish->count ? wish->values[at] != made->makes[d] : cleaner->live[made->dst[d]])
            return false;
    }
    return mapping_step_holds(cleaner->l, made);
}

static bool writes_all(const struct low_step *step, const struct spot_wish *wish) {
    for (unsigned i = 0; i < wish->count; i++) {
        bool found = false;
        for (unsigned d = 0; d < step->ndst; d++)
            found |= step->dst[d] == wish->spots[i];
        if (!found)
            return false;
    }
    return true;
}

/* Fixed operands are where they have to be. */
static bool fits_fixed(const struct cleaner *cleaner, const struct low_step *step) {
    const struct target_op *op = op_of(cleaner, step);
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        uint32_t spot = i < op->nsrc ? step->src[i] : step->dst[i - op->nsrc];
        if (op->fixed[i] && cleaner->l->spots.data[spot].class != op->fixed[i] - 1)
            return false;
    }
    return true;
}

static uint32_t cost_of(const struct cleaner *cleaner, const struct low_step *step) {
    return mapping_op_cost(cleaner->l->t, op_of(cleaner, step), cleaner->l->d->unit);
}

/* The cheapest op, below `limit`, that reads what `like` reads and fulfils the wish; spots that are
 * not live may be destroyed. */
static bool find_op(struct cleaner *cleaner, const struct low_step *like,
                    const struct spot_wish *wish, uint32_t limit, struct low_step *best) {
    static const uint8_t orders[][MOST_WRITTEN] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    bool found = false;
    for (uint16_t i = 0; i < plane_target(cleaner->l->t)->op_count; i++) {
        const struct target_op *op = &plane_target(cleaner->l->t)->ops[i];
        if (op->nsrc != like->nsrc || op->reads_old ||
            mapping_op_cost(cleaner->l->t, op, cleaner->l->d->unit) >= limit)
            continue;
        for (unsigned n = 0; n < 6; n++) {
            struct low_step made;
            bool possible = true;
            for (unsigned k = wish->count; k < MOST_WRITTEN; k++)
                possible &= orders[n][k] == k;
            if (!possible || !try_op(cleaner, like, wish, orders[n], i, &made) ||
                !writes_all(&made, wish) || !fits_fixed(cleaner, &made))
                continue;
            *best = made;
            limit = cost_of(cleaner, &made);
            found = true;
            break;
        }
    }
    return found;
}

static void add_results(const struct cleaner *cleaner, const struct low_step *step,
                        struct spot_wish *wish) {
    for (unsigned d = 0; d < step->ndst; d++)
        if (cleaner->live[step->dst[d]] && wish->count < OP_MAX_DESTS) {
            wish->spots[wish->count] = step->dst[d];
            wish->values[wish->count++] = step->makes[d];
        }
}

/* --- dead results --- */

static bool has_live(const struct cleaner *cleaner, const struct low_step *step) {
    for (unsigned d = 0; d < step->ndst; d++)
        if (cleaner->live[step->dst[d]])
            return true;
    return false;
}

/* Of some of its results nothing is read: a smaller op may do. */
static void narrow(struct cleaner *cleaner, struct low_step *step) {
    struct spot_wish w = {.count = 0};
    struct low_step made;
    add_results(cleaner, step, &w);
    if (w.count < step->ndst && w.count <= MOST_WRITTEN && !op_of(cleaner, step)->reads_old &&
        find_op(cleaner, step, &w, cost_of(cleaner, step), &made))
        *step = made;
}

static void drop_dead(struct cleaner *cleaner) {
    size_t kept = cleaner->p->steps.len;
    start_liveness(cleaner);
    for (size_t i = cleaner->p->steps.len; i-- > 0;) {
        struct low_step *s = &cleaner->p->steps.data[i];
        if (!s->move && !has_live(cleaner, s))
            continue;
        if (!s->move)
            narrow(cleaner, s);
        note_step(cleaner, s);
        cleaner->p->steps.data[--kept] = *s;
    }
    cleaner->p->steps.len -= kept;
    memmove(cleaner->p->steps.data, cleaner->p->steps.data + kept,
            cleaner->p->steps.len * sizeof *cleaner->p->steps.data);
}

/* --- one op for several --- */

static bool touches(const struct cleaner *cleaner, const struct low_step *step, uint32_t spot,
                    bool reads) {
    for (unsigned d = 0; d < step->ndst; d++)
        if (step->dst[d] == spot && (!reads || plane_op_keeps_old(op_of(cleaner, step), d)))
            return true;
    for (unsigned i = 0; i < step->nsrc && reads; i++)
        if (step->src[i] == spot)
            return true;
    return false;
}

/* May what step j writes be written by step index already? */
static bool may_rise(const struct cleaner *cleaner, size_t index, size_t j) {
    const struct low_step *from = &cleaner->p->steps.data[j];
    for (size_t k = index; k < j; k++)
        for (unsigned d = 0; d < from->ndst; d++) {
            const struct low_step *s = &cleaner->p->steps.data[k];
            if (touches(cleaner, s, from->dst[d], false) || touches(cleaner, s, from->dst[d], true))
                return false;
        }
    return true;
}

/* May what step index writes be written by step j, from what index reads? */
static bool may_sink(const struct cleaner *cleaner, size_t index, size_t j) {
    const struct low_step *from = &cleaner->p->steps.data[index];
    for (size_t k = index + 1; k <= j; k++) {
        const struct low_step *s = &cleaner->p->steps.data[k];
        for (unsigned d = 0; d < from->ndst; d++)
            if (touches(cleaner, s, from->dst[d], false) || touches(cleaner, s, from->dst[d], true))
                return false;
    }
    return true;
}

/* Both make their results of the same values, of one, and destroy nothing. */
static bool is_alike(const struct cleaner *cleaner, const struct low_step *left,
                     const struct low_step *right) {
    return !left->move && !right->move && left->nsrc == 1 && right->nsrc == 1 &&
           left->reads[0] == right->reads[0] && !op_of(cleaner, left)->tied[0] &&
           !op_of(cleaner, right)->tied[0] && !op_of(cleaner, left)->reads_old &&
           !op_of(cleaner, right)->reads_old;
}

static void add_all(const struct low_step *step, struct spot_wish *wish) {
    for (unsigned d = 0; d < step->ndst && wish->count < OP_MAX_DESTS; d++) {
        wish->spots[wish->count] = step->dst[d];
        wish->values[wish->count++] = step->makes[d];
    }
}

static void remove_step(struct cleaner *cleaner, size_t index) {
    cleaner->p->steps.len--;
    memmove(&cleaner->p->steps.data[index], &cleaner->p->steps.data[index + 1],
            (cleaner->p->steps.len - index) * sizeof *cleaner->p->steps.data);
}

/* One op for steps index and j, and for number behind j if it is one. */
static bool merge(struct cleaner *cleaner, size_t index, size_t j, size_t number) {
    struct low_step *steps = cleaner->p->steps.data, made;
    bool three = number != j,
         rise = may_rise(cleaner, index, j) && (!three || may_rise(cleaner, index, number));
    struct spot_wish w = {.count = 0};
    add_all(&steps[index], &w);
    add_all(&steps[j], &w);
    if (three)
        add_all(&steps[number], &w);
    uint32_t cost = cost_of(cleaner, &steps[index]) + cost_of(cleaner, &steps[j]) +
                    (three ? cost_of(cleaner, &steps[number]) : 0);
    bool sink = !rise && !three && may_sink(cleaner, index, j);
    if ((!rise && !sink) || w.count > MOST_WRITTEN)
        return false;
    for (size_t s = 0; s < cleaner->l->spots.len; s++)
        cleaner->live[s] = true;
    if (!find_op(cleaner, &steps[rise ? index : j], &w, cost, &made))
        return false;
    steps[rise ? index : j] = made;
    if (three)
        remove_step(cleaner, number);
    remove_step(cleaner, rise ? j : index);
    return true;
}

static bool merge_any(struct cleaner *cleaner) {
    for (size_t i = 0; i < cleaner->p->steps.len; i++)
        for (size_t j = i + 1; j < cleaner->p->steps.len; j++) {
            const struct low_step *steps = cleaner->p->steps.data;
            if (!is_alike(cleaner, &steps[i], &steps[j]))
                continue;
            if (merge(cleaner, i, j, j))
                return true;
            for (size_t k = j + 1; k < cleaner->p->steps.len; k++)
                if (is_alike(cleaner, &steps[i], &steps[k]) && merge(cleaner, i, j, k))
                    return true;
        }
    return false;
}

/* --- the plan --- */

static void sum_costs(struct cleaner *cleaner) {
    cleaner->p->cost = 0;
    for (size_t i = 0; i < cleaner->p->steps.len; i++)
        if (!cleaner->p->steps.data[i].move)
            cleaner->p->cost += cost_of(cleaner, &cleaner->p->steps.data[i]);
}

void mapping_plan_clean(struct map_lowering *lowering, struct plan *plan, uint32_t wanted) {
    struct cleaner c = {.l = lowering, .p = plan, .wanted = wanted};
    if (!plan->steps.len)
        return;
    c.live = xcalloc(lowering->spots.len + 1, sizeof *c.live);
    drop_dead(&c);
    while (merge_any(&c))
        ;
    drop_dead(&c);
    sum_costs(&c);
    free(c.live);
}
