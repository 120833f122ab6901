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
    uint64_t with_newest[256]; /* cost of the program of the newest settled function and of each */
};

static uint64_t program_cost(const struct settling *settling, struct function_set set) {
    uint64_t cost = 0;
    unsigned f;
    while (set_take(&set, &f))
        cost += settling->own[f];
    return cost;
}

/* Results that may be improved: of row steps, or of the last step of need `last`. */
#define BOUNDS 24
struct aim {
    int last; /* -1: row steps */
    struct function_set better;
    uint8_t is_better[256]; /* the same as bytes */
    /* Of these, by what is known: bounds on cost, descending, and those that cost more. */
    unsigned bounds;
    uint64_t bound[BOUNDS];
    struct function_set above[BOUNDS];
};

/* The operands of a step that is tried. */
struct step_operands {
    uint8_t f[3];
    unsigned count;
    uint64_t least; /* no operand's program costs more */
};

/* Takes the step `op` from operands to `goal` if it is cheaper than what is known. */
static void improve(struct settling *settling, unsigned goal, uint32_t own,
                    const struct step_operands *operands) {
    struct function_set set = {{0}};
    uint64_t cost;
    if (settling->cost[goal] <= operands->least + own)
        return;
    for (unsigned i = 0; i < operands->count; i++)
        set = set_or(set, &settling->program[operands->f[i]]);
    cost = program_cost(settling, set) + own;
    if (cost >= settling->cost[goal] || (goal < 256 && set_has(&set, goal)))
        return;
    if (goal < 256) {
        settling->own[goal] = own;
        set_add(&set, goal);
    }
    settling->cost[goal] = cost;
    settling->program[goal] = set;
}

static void improve_in(struct settling *settling, uint8_t field, uint32_t own,
                       const struct step_operands *operands, const struct aim *aim) {
    if (aim->is_better[field])
        improve(settling, aim->last < 0 ? field : 256 + (unsigned)aim->last, own, operands);
}

/* Is one of eight functions better? */
static bool any_is_better(const struct aim *aim, uint64_t functions) {
    unsigned any = 0;
    for (unsigned i = 0; i < 8; i++)
        any |= aim->is_better[functions >> 8 * i & 0xFF];
    return any != 0;
}

/* What op, which has one argument left, makes of operands and settled functions from number `from`
 * on.  `better`: what that may improve. */
static void combine_last(struct settling *settling, const struct search_op *op,
                         struct step_operands *operands, unsigned from, const struct aim *aim,
                         const struct function_set *better) {
    /* Bits that the argument has no say in: three times of four nothing better has them. */
    struct function_set can = set_agreeing(0xFFu & ~(unsigned)op->c[1], op->c[0]);
    if (!set_meets(&can, better))
        return;
    for (unsigned k = from / 8; k < (settling->done.count + 7) / 8; k++) {
        if (!any_is_better(aim, search_op_apply(op, settling->done.word[k])))
            continue;
        for (unsigned i = 8 * k; i < 8 * k + 8 && i < settling->done.count; i++) {
            operands->f[operands->count++] = settling->done.f[i];
            improve_in(settling, (uint8_t)((settling->done.f[i] & op->c[1]) ^ op->c[0]), op->cost,
                       operands, aim);
            operands->count--;
        }
    }
}

/* Does one of them have the bits that no argument has a say in? */
static bool any_can_be_better(const struct search_op *op, const struct aim *aim) {
    unsigned free = 0;
    for (unsigned m = 1; m < 1u << op->args; m++)
        free |= op->c[m];
    struct function_set can = set_agreeing(0xFFu & ~free, op->c[0]);
    return set_meets(&can, &aim->better);
}

/* What a program of that cost may improve, as far as the bounds tell. */
static const struct function_set *above(const struct aim *aim, uint64_t cost) {
    unsigned i = 0;
    while (i < aim->bounds && aim->bound[i] > cost)
        i++;
    return i < aim->bounds ? &aim->above[i] : &aim->better;
}

static void combine(struct settling *settling, const struct search_op *op,
                    struct step_operands *operands, const struct aim *aim) {
    if (op->args == 0)
        improve_in(settling, op->c[0], op->cost, operands, aim);
    else if (op->args == 1)
        combine_last(settling, op, operands, 0, aim, &aim->better);
    else if (any_can_be_better(op, aim))
        for (unsigned i = 0; i < settling->done.count; i++) {
            const struct function_set *better =
                above(aim, settling->with_newest[settling->done.f[i]] + op->cost);
            if (set_empty(better))
                continue;
            struct search_op r = search_op_fix(op, settling->done.f[i]);
            operands->f[operands->count++] = settling->done.f[i];
            combine_last(settling, &r, operands, i, aim, better);
            operands->count--;
        }
}

/* The function joins those of its cost; of too many costs the least are left out. */
static void add_bound(struct aim *aim, uint64_t cost, unsigned field) {
    unsigned i = 0;
    while (i < aim->bounds && aim->bound[i] > cost)
        i++;
    if (i == BOUNDS)
        return;
    if (i == aim->bounds || aim->bound[i] != cost) {
        unsigned last = aim->bounds < BOUNDS ? aim->bounds++ : BOUNDS - 1;
        for (; last > i; last--) {
            aim->bound[last] = aim->bound[last - 1];
            aim->above[last] = aim->above[last - 1];
        }
        aim->bound[i] = cost;
        aim->above[i] = (struct function_set){{0}};
    }
    set_add(&aim->above[i], field);
}

static void add_better(struct aim *aim, unsigned field, uint64_t cost) {
    set_add(&aim->better, field);
    aim->is_better[field] = 1;
    add_bound(aim, cost, field);
}

/* From those of each bound to those above it. */
static void add_up_bounds(struct aim *aim) {
    struct function_set above = {{0}};
    for (unsigned i = 0; i < aim->bounds; i++) {
        struct function_set own = aim->above[i];
        aim->above[i] = above;
        above = set_or(above, &own);
    }
}

/* What programs of that cost could improve: one that costs as much as the goal's less a step does
 * not help the goal. */
static void aim_at(const struct search_state *state, const struct settling *settling, int last,
                   uint64_t cost, struct aim *aim) {
    *aim = (struct aim){.last = last};
    if (last >= 0 && cost < settling->cost[256 + last])
        add_better(aim, state->need[last].truth, settling->cost[256 + last]);
    for (unsigned f = 0; f < 256 && last < 0; f++)
        if (cost < settling->cost[f] &&
            (f == settling->goal || cost + state->cheapest < settling->cost[settling->goal]))
            add_better(aim, f, settling->cost[f]);
    add_up_bounds(aim);
}

/* What the newest settled function's program costs together with that of each of them. */
static void cost_pairs(struct settling *settling) {
    const struct function_set *newest =
        &settling->program[settling->done.f[settling->done.count - 1]];
    for (unsigned i = 0; i < settling->done.count; i++) {
        uint8_t f = settling->done.f[i];
        settling->with_newest[f] = program_cost(settling, set_or(*newest, &settling->program[f]));
    }
}

/* All steps that read the newest settled function; those without operands at the start. */
static void combine_newest(const struct search_state *state, struct settling *settling,
                           const struct search_ops *ops, int last) {
    bool start = !settling->done.count;
    uint8_t z = start ? 0 : settling->done.f[settling->done.count - 1];
    struct step_operands x = {.f = {z}, .count = !start, .least = start ? 0 : settling->cost[z]};
    struct aim aims[SEARCH_MAX_GATES];
    for (unsigned l = 0; l < ops->levels; l++)
        aim_at(state, settling, last, x.least + ops->costs[l], &aims[l]);
    for (unsigned i = ops->first[!start]; i < ops->first[start ? 1 : 4]; i++) {
        struct search_op r = start ? ops->op[i] : search_op_fix(&ops->op[i], z);
        if (!set_empty(&aims[r.level].better))
            combine(settling, &r, &x, &aims[r.level]);
    }
}

static void combine_all(const struct search_state *state, struct settling *settling) {
    if (settling->done.count)
        cost_pairs(settling);
    combine_newest(state, settling, &state->ops, -1);
    for (unsigned i = 0; i < state->need_count; i++)
        if (!state->need[i].row)
            combine_newest(state, settling, state->need[i].ops, (int)i);
}

static int cheapest_open(const struct settling *settling) {
    int best = -1;
    for (int f = 0; f < 256; f++)
        if (!settling->settled[f] && settling->cost[f] != SEARCH_NEVER &&
            (best < 0 || settling->cost[f] < settling->cost[best]))
            best = f;
    return best;
}

/* Settles functions until `goal` has its program; `free` need not be made. */
static bool settle_goal(const struct search_state *state, struct settling *settling, unsigned goal,
                        const struct function_set *free) {
    int z;
    memset(settling, 0, sizeof *settling);
    settling->goal = goal;
    for (unsigned f = 0; f < GOALS; f++)
        settling->cost[f] = f < 256 && set_has(free, f) ? 0 : SEARCH_NEVER;
    combine_all(state, settling);
    while ((z = cheapest_open(settling)) >= 0) {
        if (settling->cost[goal] <= settling->cost[z])
            return true;
        settling->settled[z] = true;
        search_rows_push(&settling->done, (uint8_t)z);
        combine_all(state, settling);
    }
    return settling->cost[goal] != SEARCH_NEVER;
}

/* Adds the goal's program to the plan, operands first. */
static bool extend_plan(const struct settling *settling, unsigned goal, struct search_plan *plan) {
    struct function_set set = settling->program[goal];
    for (unsigned i = 0; i <= settling->done.count; i++) {
        unsigned f = i < settling->done.count ? settling->done.f[i] : goal;
        if (f >= 256 || !set_has(&set, f))
            continue;
        if (plan->count == SEARCH_MAX_STEPS)
            return false;
        plan->f[plan->count] = (uint8_t)f;
        plan->cost[plan->count++] = settling->own[f];
    }
    return true;
}

static struct function_set row_set(const struct search_state *state,
                                   const struct search_plan *plan) {
    struct function_set set = {{0}};
    for (unsigned i = 0; i < state->given; i++)
        set_add(&set, state->rows.f[i]);
    for (unsigned i = 0; i < plan->count; i++)
        set_add(&set, plan->f[i]);
    return set;
}

/* False: a need cannot be made at all. */
static bool try_order(struct search_state *state, struct settling *settling, bool backward) {
    struct search_plan plan = {.count = 0};
    for (unsigned k = 0; k < state->need_count; k++) {
        unsigned i = backward ? state->need_count - 1 - k : k;
        unsigned goal = state->need[i].row ? state->need[i].truth : 256 + i;
        struct function_set free = row_set(state, &plan);
        if (!settle_goal(state, settling, goal, &free))
            return false;
        if (!extend_plan(settling, goal, &plan))
            return true;
    }
    search_offer(state, &plan);
    return true;
}

bool search_first(struct search_state *state) {
    struct settling *t = ARENA_NEW(&state->arena, struct settling);
    if (!try_order(state, t, false))
        return false;
    return state->need_count < 2 || try_order(state, t, true);
}
