/* SPDX-License-Identifier: MIT
 * A first program without search.  Functions are settled in order of cost, each with one program:
 * that of its operands together and one step.  What operands share is made once, so the programs
 * are good but not always the best.  A second output is settled again with all of the first
 * output's values for nothing, in both orders. */
#include "recipe/search/open_states.h"

#include <string.h>

#define GOALS (256 + SEARCH_MAX_OUTPUTS) /* functions in rows; needs made by a last step */

struct settling {
    struct function_set program[GOALS]; /* what has to be made in rows, itself included */
    uint64_t cost[GOALS];               /* of that; SEARCH_NEVER: not found yet */
    uint32_t own[256];                  /* cost of the step that makes it */
    bool settled[256];
    struct search_rows done; /* settled functions, in order */
    unsigned goal;
};

static uint64_t program_cost(const struct settling *t, struct function_set set) {
    uint64_t cost = 0;
    unsigned f;
    while (set_take(&set, &f))
        cost += t->own[f];
    return cost;
}

/* Results that may be improved: of row steps, or of the last step of need `last`. */
struct aim {
    int last; /* -1: row steps */
    struct function_set better;
};

/* The operands of a step that is tried. */
struct step_operands {
    uint8_t f[3];
    unsigned count;
    uint64_t least; /* no operand's program costs more */
};

/* Takes the step `op` from x to `goal` if it is cheaper than what is known. */
static void improve(struct settling *t, unsigned goal, uint32_t own,
                    const struct step_operands *x) {
    struct function_set set = {{0}};
    uint64_t cost;
    if (t->cost[goal] <= x->least + own)
        return;
    for (unsigned i = 0; i < x->count; i++)
        set = set_or(set, &t->program[x->f[i]]);
    cost = program_cost(t, set) + own;
    if (cost >= t->cost[goal] || (goal < 256 && set_has(&set, goal)))
        return;
    if (goal < 256) {
        t->own[goal] = own;
        set_add(&set, goal);
    }
    t->cost[goal] = cost;
    t->program[goal] = set;
}

static void improve_in(struct settling *t, uint8_t f, uint32_t own, const struct step_operands *x,
                       const struct aim *aim) {
    if (set_has(&aim->better, f))
        improve(t, aim->last < 0 ? f : 256 + (unsigned)aim->last, own, x);
}

/* What op, which has one argument left, makes of x and settled functions from number `from` on. */
static void combine_last(struct settling *t, const struct search_op *op, struct step_operands *x,
                         unsigned from, const struct aim *aim) {
    for (unsigned k = from / 8; k < (t->done.count + 7) / 8; k++) {
        uint64_t made = search_op_apply(op, t->done.word[k]);
        if (!search_word_hits(&aim->better, made))
            continue;
        for (unsigned i = 8 * k; i < 8 * k + 8 && i < t->done.count; i++) {
            x->f[x->count++] = t->done.f[i];
            improve_in(t, (uint8_t)((t->done.f[i] & op->c[1]) ^ op->c[0]), op->cost, x, aim);
            x->count--;
        }
    }
}

static void combine(struct settling *t, const struct search_op *op, struct step_operands *x,
                    unsigned from, const struct aim *aim) {
    if (op->args == 0)
        improve_in(t, op->c[0], op->cost, x, aim);
    else if (op->args == 1)
        combine_last(t, op, x, from, aim);
    else
        for (unsigned i = from; i < t->done.count; i++) {
            struct search_op r = search_op_fix(op, t->done.f[i]);
            x->f[x->count++] = t->done.f[i];
            combine(t, &r, x, i, aim);
            x->count--;
        }
}

/* What programs of that cost could improve: one that costs as much as the goal's less a step does
 * not help the goal. */
static struct aim aim_at(const struct search_state *s, const struct settling *t, int last,
                         uint64_t cost) {
    struct aim aim = {.last = last, .better = {{0}}};
    if (last >= 0) {
        if (cost < t->cost[256 + last])
            set_add(&aim.better, s->need[last].truth);
        return aim;
    }
    for (unsigned f = 0; f < 256; f++)
        if (cost < t->cost[f] && (f == t->goal || cost + s->cheapest < t->cost[t->goal]))
            set_add(&aim.better, f);
    return aim;
}

/* All steps that read the newest settled function; those without operands at the start. */
static void combine_newest(const struct search_state *s, struct settling *t,
                           const struct search_ops *o, int last) {
    bool start = !t->done.count;
    uint8_t z = start ? 0 : t->done.f[t->done.count - 1];
    struct step_operands x = {.f = {z}, .count = !start, .least = start ? 0 : t->cost[z]};
    struct aim aims[SEARCH_MAX_GATES];
    for (unsigned l = 0; l < o->levels; l++)
        aims[l] = aim_at(s, t, last, x.least + o->costs[l]);
    for (unsigned i = o->first[!start]; i < o->first[start ? 1 : 4]; i++) {
        struct search_op r = start ? o->op[i] : search_op_fix(&o->op[i], z);
        if (!set_empty(&aims[r.level].better))
            combine(t, &r, &x, 0, &aims[r.level]);
    }
}

static void combine_all(const struct search_state *s, struct settling *t) {
    combine_newest(s, t, &s->ops, -1);
    for (unsigned i = 0; i < s->need_count; i++)
        if (!s->need[i].row)
            combine_newest(s, t, s->need[i].ops, (int)i);
}

static int cheapest_open(const struct settling *t) {
    int best = -1;
    for (int f = 0; f < 256; f++)
        if (!t->settled[f] && t->cost[f] != SEARCH_NEVER &&
            (best < 0 || t->cost[f] < t->cost[best]))
            best = f;
    return best;
}

/* Settles functions until `goal` has its program; `free` need not be made. */
static bool settle_goal(const struct search_state *s, struct settling *t, unsigned goal,
                        const struct function_set *free) {
    int z;
    memset(t, 0, sizeof *t);
    t->goal = goal;
    for (unsigned f = 0; f < GOALS; f++)
        t->cost[f] = f < 256 && set_has(free, f) ? 0 : SEARCH_NEVER;
    combine_all(s, t);
    while ((z = cheapest_open(t)) >= 0) {
        if (t->cost[goal] <= t->cost[z])
            return true;
        t->settled[z] = true;
        search_rows_push(&t->done, (uint8_t)z);
        combine_all(s, t);
    }
    return t->cost[goal] != SEARCH_NEVER;
}

/* Adds the goal's program to the plan, operands first. */
static bool extend_plan(const struct settling *t, unsigned goal, struct search_plan *plan) {
    struct function_set set = t->program[goal];
    for (unsigned i = 0; i <= t->done.count; i++) {
        unsigned f = i < t->done.count ? t->done.f[i] : goal;
        if (f >= 256 || !set_has(&set, f))
            continue;
        if (plan->count == SEARCH_MAX_STEPS)
            return false;
        plan->f[plan->count] = (uint8_t)f;
        plan->cost[plan->count++] = t->own[f];
    }
    return true;
}

static struct function_set row_set(const struct search_state *s, const struct search_plan *plan) {
    struct function_set set = {{0}};
    for (unsigned i = 0; i < s->given; i++)
        set_add(&set, s->rows.f[i]);
    for (unsigned i = 0; i < plan->count; i++)
        set_add(&set, plan->f[i]);
    return set;
}

/* False: a need cannot be made at all. */
static bool try_order(struct search_state *s, struct settling *t, bool backward) {
    struct search_plan plan = {.count = 0};
    for (unsigned k = 0; k < s->need_count; k++) {
        unsigned i = backward ? s->need_count - 1 - k : k;
        unsigned goal = s->need[i].row ? s->need[i].truth : 256 + i;
        struct function_set free = row_set(s, &plan);
        if (!settle_goal(s, t, goal, &free))
            return false;
        if (!extend_plan(t, goal, &plan))
            return true;
    }
    search_offer(s, &plan);
    return true;
}

bool search_first(struct search_state *s) {
    struct settling *t = ARENA_NEW(&s->arena, struct settling);
    if (!try_order(s, t, false))
        return false;
    return s->need_count < 2 || try_order(s, t, true);
}
