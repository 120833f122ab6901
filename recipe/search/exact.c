/* SPDX-License-Identifier: MIT */
#include "recipe/search/open_states.h"

/* Looked at so far; stops the search when the budget is used up. */
static void count_state(struct search_state *s) {
    s->states += s->weight;
    if (s->states > s->budget)
        s->stop = s->exhausted = true;
}

/* Cost at least of the needs in `open`. */
static uint64_t least_rest(const struct search_state *s, unsigned open) {
    uint64_t rest = 0;
    for (unsigned i = 0; i < s->need_count; i++)
        if (open >> i & 1)
            rest = s->need[i].least == SEARCH_NEVER ? SEARCH_NEVER : rest + s->need[i].least;
    return rest;
}

/* How many steps that are no needs may still come: -1 if not even the needs may. */
static int spare_steps(const struct search_state *s, uint64_t used, uint64_t rest) {
    uint64_t n;
    if (rest == SEARCH_NEVER || used + rest > s->bound)
        return -1;
    if (s->cheapest == SEARCH_NEVER)
        return 0;
    n = (s->bound - used - rest) / s->cheapest;
    return n > SEARCH_MAX_STEPS ? SEARCH_MAX_STEPS : (int)n;
}

static bool reached(const struct search_state *s, const struct search_node *n, unsigned f) {
    for (unsigned l = 0; l < s->ops.levels; l++)
        if (set_has(&n->reach[l], f))
            return true;
    return false;
}

static bool ready(const struct search_state *s, const struct search_node *n, unsigned need) {
    return s->need[need].row ? reached(s, n, s->need[need].truth) : n->ready[need] != SEARCH_NEVER;
}

/* What makes need i ready once need k is there: `before` is that of need i without k. */
static struct function_set before_after(const struct search_state *s, unsigned i, unsigned k,
                                        const struct function_set *before) {
    const struct search_need *a = &s->need[i], *b = &s->need[k];
    struct function_set r = *before;
    if (!b->row)
        return r;
    if (set_has(before, b->truth))
        return (struct function_set){{~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};
    r = set_or(r, &a->with[b->truth]);
    search_ops_before_pair(a->ops, &s->rows, b->truth, a->truth, &r);
    return r;
}

/* The functions one of which has to come next if it is the only step besides those of the needs in
 * `open`, of which none is ready yet: it makes one ready and then, with its help or not, the other.
 */
static struct function_set last_spare(const struct search_state *s, unsigned open,
                                      const struct function_set *before) {
    struct function_set first, second;
    if (open == 1 || open == 2)
        return before[open - 1];
    first = before_after(s, 1, 0, &before[1]);
    second = before_after(s, 0, 1, &before[0]);
    first = set_and(first, &before[0]);
    second = set_and(second, &before[1]);
    return set_or(first, &second);
}

/* The same from node n, whether needs are ready or not: a set that is certainly large enough. */
static struct function_set useful(const struct search_state *s, const struct search_node *n,
                                  int spare) {
    struct function_set u = {{0}};
    bool any = false;
    for (unsigned i = 0; i < s->need_count; i++)
        any |= n->open >> i & 1 && ready(s, n, i);
    if (spare > 1 || (spare == 1 && any))
        return (struct function_set){{~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};
    if (spare == 1)
        u = last_spare(s, n->open, n->before);
    for (unsigned i = 0; i < s->need_count; i++)
        if (n->open >> i & 1 && s->need[i].row)
            set_add(&u, s->need[i].truth);
    return u;
}

/* Can no step after z make ready a need, and the next the other?  s->rows holds z. */
static bool no_last_spare(const struct search_state *s, const struct search_node *n, uint8_t z) {
    struct function_set before[SEARCH_MAX_OUTPUTS], wanted;
    for (unsigned i = 0; i < s->need_count; i++)
        if (n->open >> i & 1) {
            before[i] = set_or(n->before[i], &s->need[i].with[z]);
            search_ops_before_pair(s->need[i].ops, &s->rows, z, s->need[i].truth, &before[i]);
        }
    wanted = last_spare(s, n->open, before);
    wanted = set_without(wanted, &n->shut[0]);
    if (set_empty(&wanted))
        return true;
    for (unsigned l = 0; l < s->ops.levels; l++)
        if (set_meets(&n->reach[l], &wanted))
            return false;
    return !search_ops_hit(&s->ops, &s->rows, z, &wanted);
}

/* Is it certain that nothing within the bound comes of adding z, which is no need? */
static bool hopeless(struct search_state *s, const struct search_node *n, uint8_t z, uint64_t used,
                     uint64_t rest) {
    int spare = spare_steps(s, used, rest);
    bool none;
    if (spare < 0 || spare > 1)
        return spare < 0;
    for (unsigned i = 0; i < s->need_count; i++)
        if (n->open >> i & 1 && (set_has(&n->before[i], z) || ready(s, n, i)))
            return false;
    if (!spare)
        return true;
    search_rows_push(&s->rows, z);
    none = no_last_spare(s, n, z);
    search_rows_pop(&s->rows);
    return none;
}

/* Once all programs with z at this cost are done: no other needs it at that cost or above. */
static void shut_orbit(struct search_state *s, struct search_node *n, unsigned z, unsigned level) {
    for (unsigned group = n->group; group; group &= group - 1)
        for (unsigned l = level; l < s->ops.levels; l++)
            set_add(&n->shut[l], s->permuted[__builtin_ctz(group)][z]);
}

static void offer_plan(struct search_state *s, unsigned at) {
    struct search_plan plan = {.count = at};
    for (unsigned i = 0; i < at; i++) {
        plan.f[i] = s->rows.f[s->given + i];
        plan.cost[i] = s->node[i + 1].own;
    }
    search_offer(s, &plan);
}

static void offer(struct search_state *s, unsigned at, uint64_t cost) {
    if (s->cost_only) {
        s->found = true;
        s->best.cost = cost;
    } else {
        offer_plan(s, at);
    }
    if (!s->found)
        return;
    if (s->chains) {
        s->stop |= s->best.chain <= s->chain_floor;
        return;
    }
    s->stop |= s->best.cost <= s->floor;
    if (s->bound >= s->best.cost)
        s->bound = s->best.cost - 1;
}

/* If all open needs only wait for their last steps, this is a program. */
static void offer_if_complete(struct search_state *s, unsigned at) {
    const struct search_node *n = &s->node[at];
    uint64_t cost = n->used;
    for (unsigned i = 0; i < s->need_count; i++)
        if (n->open >> i & 1) {
            if (s->need[i].row || n->ready[i] == SEARCH_NEVER)
                return;
            cost += n->ready[i];
        }
    if (cost <= s->bound)
        offer(s, at, cost);
}

static void expand(struct search_state *s, unsigned at);

static void descend(struct search_state *s, unsigned at, unsigned z, unsigned level) {
    search_push(s, at, (uint8_t)z, s->ops.costs[level]);
    expand(s, at + 1);
    search_pop(s);
}

/* A need that is ready at the least cost that it can have may be made at once: nothing is lost. */
static bool make_ready_need(struct search_state *s, unsigned at) {
    const struct search_node *n = &s->node[at];
    for (unsigned i = 0; i < s->need_count; i++)
        if (n->open >> i & 1 && s->need[i].row)
            for (unsigned l = 0; l < s->ops.levels && s->ops.costs[l] <= s->need[i].least; l++)
                if (set_has(&n->reach[l], s->need[i].truth) &&
                    !set_has(&n->shut[l], s->need[i].truth)) {
                    count_state(s);
                    descend(s, at, s->need[i].truth, l);
                    return true;
                }
    return false;
}

/* The open row need with function z; -1: none. */
static int need_of(const struct search_state *s, const struct search_node *n, unsigned z) {
    for (unsigned i = 0; i < s->need_count; i++)
        if (n->open >> i & 1 && s->need[i].row && s->need[i].truth == z)
            return (int)i;
    return -1;
}

static void branch(struct search_state *s, unsigned at, uint64_t rest, unsigned level,
                   struct function_set todo) {
    struct search_node *n = &s->node[at];
    uint64_t own = s->ops.costs[level];
    unsigned z;
    while (!s->stop && set_take(&todo, &z)) {
        int need = need_of(s, n, z);
        if (set_has(&n->shut[level], z))
            continue; /* the image of one that was done */
        count_state(s);
        if (need >= 0 || !hopeless(s, n, (uint8_t)z, n->used + own, rest))
            descend(s, at, z, level);
        shut_orbit(s, n, z, level);
    }
}

static void expand(struct search_state *s, unsigned at) {
    struct search_node *n = &s->node[at];
    struct function_set mask;
    uint64_t rest = least_rest(s, n->open);
    int spare;
    offer_if_complete(s, at);
    spare = spare_steps(s, n->used, rest);
    if (s->stop || !n->open || spare < 0 || at == SEARCH_MAX_STEPS || make_ready_need(s, at))
        return;
    mask = useful(s, n, spare);
    for (unsigned l = 0; l < s->ops.levels && !s->stop; l++) {
        struct function_set todo = set_and(n->reach[l], &mask);
        todo = set_without(todo, &n->shut[l]);
        branch(s, at, rest, l, todo);
    }
}

void search_run(struct search_state *s) {
    s->stop = false;
    count_state(s);
    for (unsigned l = 0; l < s->ops.levels; l++)
        s->node[0].shut[l] = s->closed;
    expand(s, 0);
}

bool search_start(struct search_state *s) {
    s->floor = s->node[0].used;
    for (unsigned i = 0; i < s->need_count; i++) {
        if (s->need[i].least == SEARCH_NEVER)
            return false;
        s->floor += s->node[0].open >> i & 1 ? s->need[i].least : 0;
    }
    return true;
}

/* Between two runs the bound grows by the cost of a step of two sources, of which programs mostly
 * consist. */
static uint64_t stride(const struct search_state *s) {
    uint64_t least = SEARCH_NEVER;
    for (unsigned i = s->ops.first[2]; i < s->ops.first[4]; i++)
        if (s->ops.op[i].cost < least)
            least = s->ops.op[i].cost;
    return least != SEARCH_NEVER ? least : s->ops.levels ? s->cheapest : 1;
}

void search_prove(struct search_state *s) {
    uint64_t step = stride(s), most = (uint64_t)SEARCH_MAX_STEPS * UINT32_MAX;
    while (!s->exhausted && s->floor <= most && (!s->found || s->best.cost > s->floor)) {
        uint64_t bound = s->floor + step - 1;
        if (s->found && bound >= s->best.cost)
            bound = s->best.cost - 1;
        s->bound = bound;
        search_run(s);
        if (s->exhausted)
            return;
        s->floor = s->found && s->best.cost <= bound ? s->best.cost : bound + 1;
    }
}
