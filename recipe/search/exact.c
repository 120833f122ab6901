/* SPDX-License-Identifier: MIT
 * Depth first below a bound on cost.  What is cut off costs as much as the bound or is there
 * elsewhere, so the last program found is a least one. */
#include "recipe/search/open_states.h"

/* Looked at so far; stops the search when the budget is used up. */
static void count_state(struct search_state *state) {
    state->states += state->weight;
    if (state->states > state->budget)
        state->stop = state->exhausted = true;
}

/* Cost at least of the needs in `open`. */
static uint64_t least_rest(const struct search_state *state, unsigned open) {
    uint64_t rest = 0;
    for (unsigned i = 0; i < state->need_count; i++)
        if (open >> i & 1)
            rest =
                state->need[i].least == SEARCH_NEVER ? SEARCH_NEVER : rest + state->need[i].least;
    return rest;
}

/* How many steps that are no needs may still come: -1 if not even the needs may. */
static int spare_steps(const struct search_state *state, uint64_t used, uint64_t rest) {
    uint64_t n;
    if (rest == SEARCH_NEVER || used + rest > state->bound)
        return -1;
    if (state->cheapest == SEARCH_NEVER)
        return 0;
    n = state->bound - used - rest;
    if (n < 2 * state->cheapest) /* mostly; a division would take longer than all else here */
        return n >= state->cheapest;
    n /= state->cheapest;
    return n > SEARCH_MAX_STEPS ? SEARCH_MAX_STEPS : (int)n;
}

static bool reached(const struct search_state *state, const struct search_node *node, unsigned f) {
    for (unsigned l = 0; l < state->ops.levels; l++)
        if (set_has(&node->reach[l], f))
            return true;
    return false;
}

static bool ready(const struct search_state *state, const struct search_node *node, unsigned need) {
    return state->need[need].row ? reached(state, node, state->need[need].truth)
                                 : node->ready[need] != SEARCH_NEVER;
}

/* What makes need index ready once need number is there: `before` is that of need index without
 * number. */
static struct function_set before_after(const struct search_state *state, unsigned index,
                                        unsigned number, const struct function_set *before) {
    const struct search_need *a = &state->need[index], *b = &state->need[number];
    struct function_set r = *before;
    if (!b->row)
        return r;
    if (set_has(before, b->truth))
        return (struct function_set){{~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};
    r = set_or(r, &a->with[b->truth]);
    search_ops_before_pair(a->ops, &state->rows, b->truth, a->truth, &r);
    return r;
}

/* The functions one of which has to come next if it is the only step besides those of the needs in
 * `open`, of which none is ready yet: it makes one ready and then, with its help or not, the other.
 */
static struct function_set last_spare(const struct search_state *state, unsigned open,
                                      const struct function_set *before) {
    struct function_set first, second;
    if (open == 1 || open == 2)
        return before[open - 1];
    first = before_after(state, 1, 0, &before[1]);
    second = before_after(state, 0, 1, &before[0]);
    first = set_and(first, &before[0]);
    second = set_and(second, &before[1]);
    return set_or(first, &second);
}

/* The same from the node, whether needs are ready or not: a set that is certainly large enough. */
static struct function_set useful(const struct search_state *state, const struct search_node *node,
                                  int spare) {
    struct function_set u = {{0}};
    bool any = false;
    for (unsigned i = 0; i < state->need_count; i++)
        any |= node->open >> i & 1 && ready(state, node, i);
    if (spare > 1 || (spare == 1 && any))
        return (struct function_set){{~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};
    if (spare == 1)
        u = last_spare(state, node->open, node->before);
    for (unsigned i = 0; i < state->need_count; i++)
        if (node->open >> i & 1 && state->need[i].row)
            set_add(&u, state->need[i].truth);
    return u;
}

/* Can no step after z make ready a need, and the next the other?  s->rows holds z. */
static bool no_last_spare(const struct search_state *state, const struct search_node *node,
                          uint8_t z) {
    struct function_set before[SEARCH_MAX_OUTPUTS], wanted;
    for (unsigned i = 0; i < state->need_count; i++)
        if (node->open >> i & 1) {
            before[i] = set_or(node->before[i], &state->need[i].with[z]);
            search_ops_before_pair(state->need[i].ops, &state->rows, z, state->need[i].truth,
                                   &before[i]);
        }
    wanted = last_spare(state, node->open, before);
    wanted = set_without(wanted, &node->shut[0]);
    if (set_empty(&wanted))
        return true;
    for (unsigned l = 0; l < state->ops.levels; l++)
        if (set_meets(&node->reach[l], &wanted))
            return false;
    return !search_ops_hit(&state->ops, &state->rows, z, &wanted);
}

/* Is it certain that nothing within the bound comes of adding z, which is no need? */
static bool hopeless(struct search_state *state, const struct search_node *node, uint8_t z,
                     uint64_t used, uint64_t rest) {
    int spare = spare_steps(state, used, rest);
    bool none;
    if (spare < 0 || spare > 1)
        return spare < 0;
    for (unsigned i = 0; i < state->need_count; i++)
        if (node->open >> i & 1 && (set_has(&node->before[i], z) || ready(state, node, i)))
            return false;
    if (!spare)
        return true;
    search_rows_push(&state->rows, z);
    none = no_last_spare(state, node, z);
    search_rows_pop(&state->rows);
    return none;
}

/* Once all programs with z at this cost are done: no other needs it at that cost or above. */
static void shut_orbit(struct search_state *state, struct search_node *node, unsigned z,
                       unsigned level) {
    for (unsigned group = node->group; group; group &= group - 1)
        for (unsigned l = level; l < state->ops.levels; l++)
            set_add(&node->shut[l], state->permuted[__builtin_ctz(group)][z]);
}

static void offer_plan(struct search_state *state, unsigned at) {
    struct search_plan plan = {.count = at};
    for (unsigned i = 0; i < at; i++) {
        plan.f[i] = state->rows.f[state->given + i];
        plan.cost[i] = state->node[i + 1].own;
    }
    search_offer(state, &plan);
}

static void offer(struct search_state *state, unsigned at, uint64_t cost) {
    if (state->cost_only) {
        state->found = true;
        state->best.cost = cost;
    } else {
        offer_plan(state, at);
    }
    if (!state->found)
        return;
    if (state->chains) {
        state->stop |= state->best.chain <= state->chain_floor;
        return;
    }
    state->stop |= state->best.cost <= state->floor;
    if (state->bound >= state->best.cost)
        state->bound = state->best.cost - 1;
}

/* If all open needs only wait for their last steps, this is a program. */
static void offer_if_complete(struct search_state *state, unsigned at) {
    const struct search_node *n = &state->node[at];
    uint64_t cost = n->used;
    for (unsigned i = 0; i < state->need_count; i++)
        if (n->open >> i & 1) {
            if (state->need[i].row || n->ready[i] == SEARCH_NEVER)
                return;
            cost += n->ready[i];
        }
    if (cost <= state->bound)
        offer(state, at, cost);
}

static void expand(struct search_state *state, unsigned at);

static void descend(struct search_state *state, unsigned at, unsigned z, unsigned level) {
    search_push(state, at, (uint8_t)z, state->ops.costs[level]);
    expand(state, at + 1);
    search_pop(state);
}

/* A need that is ready at the least cost that it can have may be made at once: nothing is lost. */
static bool make_ready_need(struct search_state *state, unsigned at) {
    const struct search_node *n = &state->node[at];
    for (unsigned i = 0; i < state->need_count; i++)
        if (n->open >> i & 1 && state->need[i].row)
            for (unsigned l = 0;
                 l < state->ops.levels && state->ops.costs[l] <= state->need[i].least; l++)
                if (set_has(&n->reach[l], state->need[i].truth) &&
                    !set_has(&n->shut[l], state->need[i].truth)) {
                    count_state(state);
                    descend(state, at, state->need[i].truth, l);
                    return true;
                }
    return false;
}

/* The open row need with function z; -1: none. */
static int need_of(const struct search_state *state, const struct search_node *node, unsigned z) {
    for (unsigned i = 0; i < state->need_count; i++)
        if (node->open >> i & 1 && state->need[i].row && state->need[i].truth == z)
            return (int)i;
    return -1;
}

static void branch(struct search_state *state, unsigned at, uint64_t rest, unsigned level,
                   struct function_set todo) {
    struct search_node *n = &state->node[at];
    uint64_t own = state->ops.costs[level];
    unsigned z;
    while (!state->stop && set_take(&todo, &z)) {
        int need = need_of(state, n, z);
        if (set_has(&n->shut[level], z))
            continue; /* the image of one that was done */
        count_state(state);
        if (need >= 0 || !hopeless(state, n, (uint8_t)z, n->used + own, rest))
            descend(state, at, z, level);
        shut_orbit(state, n, z, level);
    }
}

static void expand(struct search_state *state, unsigned at) {
    struct search_node *n = &state->node[at];
    struct function_set mask;
    uint64_t rest = least_rest(state, n->open);
    int spare;
    offer_if_complete(state, at);
    spare = spare_steps(state, n->used, rest);
    if (state->stop || !n->open || spare < 0 || at == SEARCH_MAX_STEPS ||
        make_ready_need(state, at))
        return;
    mask = useful(state, n, spare);
    for (unsigned l = 0; l < state->ops.levels && !state->stop; l++) {
        struct function_set todo = set_and(n->reach[l], &mask);
        todo = set_without(todo, &n->shut[l]);
        branch(state, at, rest, l, todo);
    }
}

void search_run(struct search_state *state) {
    state->stop = false;
    count_state(state);
    for (unsigned l = 0; l < state->ops.levels; l++)
        state->node[0].shut[l] = state->closed;
    expand(state, 0);
}

bool search_start(struct search_state *state) {
    state->floor = state->node[0].used;
    for (unsigned i = 0; i < state->need_count; i++) {
        if (state->need[i].least == SEARCH_NEVER)
            return false;
        state->floor += state->node[0].open >> i & 1 ? state->need[i].least : 0;
    }
    return true;
}

/* Between two runs the bound grows by the cost of a step of two sources, of which programs mostly
 * consist. */
static uint64_t stride(const struct search_state *state) {
    uint64_t least = SEARCH_NEVER;
    for (unsigned i = state->ops.first[2]; i < state->ops.first[4]; i++)
        if (state->ops.op[i].cost < least)
            least = state->ops.op[i].cost;
    return least != SEARCH_NEVER ? least : state->ops.levels ? state->cheapest : 1;
}

void search_prove(struct search_state *state) {
    uint64_t step = stride(state), most = (uint64_t)SEARCH_MAX_STEPS * UINT32_MAX;
    while (!state->exhausted && state->floor <= most &&
           (!state->found || state->best.cost > state->floor)) {
        uint64_t bound = state->floor + step - 1;
        if (state->found && bound >= state->best.cost)
            bound = state->best.cost - 1;
        state->bound = bound;
        search_run(state);
        if (state->exhausted)
            return;
        state->floor = state->found && state->best.cost <= bound ? state->best.cost : bound + 1;
    }
}
