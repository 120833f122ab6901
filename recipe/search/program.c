/* SPDX-License-Identifier: MIT
 * From a plan, which only names functions, to steps.  Most functions can be made from the others
 * in several ways; which one is taken decides how long the chain is from a late value to an early
 * output.  What can be made without late values is made so; then the early outputs are followed
 * back over all choices, counting what is not. */
#include "recipe/search/open_states.h"

#include <string.h>

#define NODES (SEARCH_MAX_VALUES + SEARCH_MAX_STEPS + SEARCH_MAX_OUTPUTS)
#define TRIES 20000 /* choices looked at for one plan's chain */

/* Nodes: the problem's values, the plan's functions, then outputs made by a step that nobody reads.
 */
struct weaving {
    struct search_weaver *w;
    const struct search_problem *p;
    const struct search_plan *plan;
    unsigned first_last, nodes;
    uint8_t truth[NODES], place[NODES];
    uint64_t most[NODES]; /* what the node's step may cost */
    uint8_t output_node[SEARCH_MAX_OUTPUTS];
    int pick[NODES], best_pick[NODES]; /* the way that was chosen; -1: none */
    uint64_t prompt;                   /* nodes that wait for no late value */
    uint64_t chain, best_chain;
    unsigned tries;
};

static uint64_t bit(unsigned n) {
    return (uint64_t)1 << n;
}

static uint8_t apply_gate(const struct search_gate *g, const uint8_t *truth) {
    unsigned result = 0;
    for (unsigned i = 0; i < 1u << g->nsrc; i++) {
        unsigned term = g->truth >> i & 1 ? 0xFF : 0;
        for (unsigned s = 0; s < g->nsrc; s++)
            term &= i >> s & 1 ? truth[s] : ~(unsigned)truth[s];
        result |= term;
    }
    return (uint8_t)result;
}

static void lay_values(struct weaving *x) {
    for (unsigned i = 0; i < x->p->value_count; i++) {
        x->truth[i] = x->p->values[i].truth;
        x->place[i] = x->p->values[i].place;
        if (!x->p->values[i].late)
            x->prompt |= bit(i);
    }
    for (unsigned i = 0; i < x->plan->count; i++) {
        unsigned n = x->p->value_count + i;
        x->truth[n] = x->plan->f[i];
        x->place[n] = SEARCH_ROW;
        x->most[n] = x->plan->cost[i];
    }
    x->first_last = x->p->value_count + x->plan->count;
}

/* The plan's node for output i, unless another output has it. */
static bool find_row(struct weaving *x, unsigned i, uint64_t *taken) {
    if (x->p->outputs[i].place != SEARCH_ROW)
        return false;
    for (unsigned n = x->p->value_count; n < x->first_last; n++)
        if (x->truth[n] == x->p->outputs[i].truth && !(*taken & bit(n))) {
            x->output_node[i] = (uint8_t)n;
            *taken |= bit(n);
            return true;
        }
    return false;
}

/* Early outputs choose first. */
static void lay_outputs(struct weaving *x) {
    uint64_t taken = 0;
    x->nodes = x->first_last;
    for (int early = 1; early >= 0; early--)
        for (unsigned i = 0; i < x->p->output_count; i++)
            if (x->p->outputs[i].early == (early == 1) && !find_row(x, i, &taken)) {
                x->truth[x->nodes] = x->p->outputs[i].truth;
                x->place[x->nodes] = x->p->outputs[i].place;
                x->most[x->nodes] = SEARCH_NEVER;
                x->output_node[i] = (uint8_t)x->nodes++;
            }
}

static bool reads(const struct search_way *way, unsigned nsrc, unsigned node) {
    for (unsigned i = 0; i < nsrc; i++)
        if (way->src[i] == node)
            return true;
    return false;
}

/* Remembers the way for each node that it makes. */
static void add_way(struct weaving *x, const struct search_way *way) {
    const struct search_gate *g = &x->p->gates[way->gate];
    uint8_t truth[SEARCH_MAX_SRC], f;
    for (unsigned i = 0; i < g->nsrc && i < SEARCH_MAX_SRC; i++)
        truth[i] = x->truth[way->src[i]];
    f = apply_gate(g, truth);
    for (unsigned n = x->p->value_count; n < x->nodes; n++)
        if (x->truth[n] == f && g->dst_places >> x->place[n] & 1 && g->cost <= x->most[n] &&
            !reads(way, g->nsrc, n)) {
            struct search_way w = *way;
            w.node = (uint8_t)n;
            vec_push(&x->w->ways, w);
        }
}

static void find_ways(struct weaving *x, struct search_way *way, unsigned i, bool repeats,
                      bool repeated) {
    const struct search_gate *g = &x->p->gates[way->gate];
    if (i >= g->nsrc || i >= SEARCH_MAX_SRC) {
        if (repeats == repeated)
            add_way(x, way);
        return;
    }
    for (unsigned n = 0; n < x->first_last; n++) {
        bool again = repeated;
        if (!(g->src_places[i] >> x->place[n] & 1))
            continue;
        for (unsigned k = 0; k < i; k++)
            again |= way->src[k] == n;
        way->src[i] = (uint8_t)n;
        find_ways(x, way, i + 1, repeats, again);
    }
}

/* Ways that read one value twice come last. */
static void find_all_ways(struct weaving *x) {
    vec_clear(&x->w->ways);
    for (int repeats = 0; repeats < 2; repeats++)
        for (unsigned g = 0; g < x->p->gate_count; g++) {
            struct search_way way = {.gate = (uint8_t)g};
            find_ways(x, &way, 0, repeats == 1, false);
        }
}

static uint64_t way_cost(const struct weaving *x, int way) {
    return x->p->gates[x->w->ways.data[way].gate].cost;
}

/* The last steps' cost is the least that the whole plan allows. */
static void limit_last_steps(struct weaving *x) {
    for (size_t i = 0; i < x->w->ways.len; i++) {
        unsigned n = x->w->ways.data[i].node;
        if (n >= x->first_last && way_cost(x, (int)i) < x->most[n])
            x->most[n] = way_cost(x, (int)i);
    }
}

static bool allowed(const struct weaving *x, int way) {
    return way_cost(x, way) <= x->most[x->w->ways.data[way].node];
}

static uint64_t sources(const struct weaving *x, int way) {
    const struct search_way *w = &x->w->ways.data[way];
    uint64_t set = 0;
    for (unsigned i = 0; i < x->p->gates[w->gate].nsrc; i++)
        set |= bit(w->src[i]);
    return set;
}

/* Adds to `have` what can be made from it in ways allowed; keeps picks.  With `only` those alone.
 */
static uint64_t make_all(struct weaving *x, uint64_t have, const int *only) {
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < (int)x->w->ways.len; i++) {
            unsigned n = x->w->ways.data[i].node;
            if (have & bit(n) || sources(x, i) & ~have || !allowed(x, i) ||
                (only && only[n] >= 0 && only[n] != i))
                continue;
            x->pick[n] = i;
            x->w->order[x->w->made++] = (uint8_t)n;
            have |= bit(n);
            more = true;
        }
    }
    return have;
}

/* Do the picks of `cone` build it, each from what comes before? */
static bool buildable(const struct weaving *x, uint64_t cone, uint64_t have) {
    for (bool more = true; more;) {
        more = false;
        for (unsigned n = 0; n < x->nodes; n++)
            if (cone & ~have & bit(n) && !(sources(x, x->pick[n]) & ~have)) {
                have |= bit(n);
                more = true;
            }
    }
    return !(cone & ~have);
}

static uint64_t late_values(const struct weaving *x) {
    return (bit(x->p->value_count) - 1) & ~x->prompt;
}

/* What a chain through this way waits for besides late values. */
static uint64_t late_sources(const struct weaving *x, int way) {
    return sources(x, way) & ~x->prompt & ~late_values(x);
}

/* Is there a way to the same node that waits for no more and costs no more?  Of equals the first
 * stays. */
static bool way_beaten(const struct weaving *x, int way) {
    uint64_t mine = late_sources(x, way), cost = way_cost(x, way);
    for (int i = 0; i < (int)x->w->ways.len; i++) {
        uint64_t other;
        if (i == way || x->w->ways.data[i].node != x->w->ways.data[way].node || !allowed(x, i))
            continue;
        other = late_sources(x, i);
        if (!(other & ~mine) && way_cost(x, i) <= cost &&
            (i < way || other != mine || way_cost(x, i) < cost))
            return true;
    }
    return false;
}

/* Marks the ways that need not be followed. */
static void drop_beaten(struct weaving *x) {
    for (int i = 0; i < (int)x->w->ways.len; i++)
        x->w->ways.data[i].beaten = x->prompt & bit(x->w->ways.data[i].node) || way_beaten(x, i);
}

/* All choices for the nodes that wait, which outputs of `cone` need; cost: of cone less waiting. */
static void follow(struct weaving *x, uint64_t cone, uint64_t waiting, uint64_t cost) {
    unsigned n;
    if (cost >= x->best_chain || x->tries++ > TRIES)
        return;
    if (!waiting) {
        if (!buildable(x, cone, x->prompt | late_values(x)))
            return;
        x->best_chain = cost;
        memcpy(x->best_pick, x->pick, sizeof x->pick);
        return;
    }
    n = (unsigned)__builtin_ctzll(waiting);
    for (int i = 0; i < (int)x->w->ways.len; i++) {
        uint64_t more;
        if (x->w->ways.data[i].node != n || x->w->ways.data[i].beaten || !allowed(x, i))
            continue;
        more = late_sources(x, i) & ~cone;
        x->pick[n] = i;
        follow(x, cone | more, (waiting & ~bit(n)) | more, cost + way_cost(x, i));
    }
    x->pick[n] = -1;
}

static void shorten_chain(struct weaving *x) {
    uint64_t early = 0;
    for (unsigned i = 0; i < x->p->output_count; i++)
        if (x->p->outputs[i].early)
            early |= bit(x->output_node[i]);
    early &= ~x->prompt;
    x->best_chain = SEARCH_NEVER;
    memcpy(x->best_pick, x->pick, sizeof x->pick);
    if (!early)
        return;
    drop_beaten(x);
    follow(x, early, early, 0);
}

/* What the steps of `want` read, over all steps. */
static uint64_t cone_of(const struct weaving *x, uint64_t want) {
    uint64_t cone = want;
    for (unsigned i = x->w->made; i-- > 0;)
        if (cone & bit(x->w->order[i]))
            cone |= sources(x, x->pick[x->w->order[i]]);
    return cone;
}

static bool reads_place(const struct weaving *x, unsigned node, unsigned place) {
    const struct search_way *w = &x->w->ways.data[x->pick[node]];
    for (unsigned i = 0; i < x->p->gates[w->gate].nsrc; i++)
        if (w->src[i] < x->p->value_count && x->place[w->src[i]] == place)
            return true;
    return false;
}

/* C and M hold their old values until a step writes them: readers go before. */
static bool waits(const struct weaving *x, unsigned node, uint64_t todo) {
    if (x->place[node] != SEARCH_C && x->place[node] != SEARCH_M)
        return false;
    for (unsigned n = x->p->value_count; n < x->nodes; n++)
        if (todo & bit(n) && n != node && reads_place(x, n, x->place[node]))
            return true;
    return false;
}

static int next_node(const struct weaving *x, uint64_t todo, uint64_t first) {
    for (int pass = 0; pass < 3; pass++)
        for (unsigned i = 0; i < x->w->made; i++) {
            unsigned n = x->w->order[i];
            if (!(todo & bit(n)) || sources(x, x->pick[n]) & todo)
                continue;
            if ((pass > 0 || first & bit(n)) && (pass > 1 || !waits(x, n, todo)))
                return (int)n;
        }
    return -1;
}

static void write_step(const struct weaving *x, unsigned node, uint8_t *number,
                       struct search_program *out) {
    const struct search_way *w = &x->w->ways.data[x->pick[node]];
    const struct search_gate *g = &x->p->gates[w->gate];
    struct search_step *step = &out->steps[out->step_count];
    *step = (struct search_step){.tag = g->tag, .gate = w->gate, .nsrc = g->nsrc};
    for (unsigned i = 0; i < g->nsrc; i++)
        step->src[i] = number[w->src[i]];
    step->place = x->place[node];
    number[node] = (uint8_t)(x->p->value_count + out->step_count++);
    out->cost += g->cost;
}

static uint64_t chain_cost(const struct weaving *x, uint64_t early_cone) {
    uint64_t late = late_values(x), cost = 0;
    for (unsigned i = 0; i < x->w->made; i++) {
        unsigned n = x->w->order[i];
        if (!(sources(x, x->pick[n]) & late))
            continue;
        late |= bit(n);
        if (early_cone & bit(n))
            cost += way_cost(x, x->pick[n]);
    }
    return cost;
}

static bool write_program(const struct weaving *x, struct search_program *out) {
    uint64_t wanted = 0, early = 0, steps = bit(x->nodes) - bit(x->p->value_count), todo;
    uint8_t number[NODES];
    int n;
    for (unsigned i = 0; i < x->p->output_count; i++) {
        wanted |= bit(x->output_node[i]);
        early |= x->p->outputs[i].early ? bit(x->output_node[i]) : 0;
    }
    early = cone_of(x, early);
    todo = cone_of(x, wanted) & steps;
    if (__builtin_popcountll(todo) > SEARCH_MAX_STEPS)
        return false;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < x->p->value_count; i++)
        number[i] = (uint8_t)i;
    for (; (n = next_node(x, todo, early)) >= 0; todo &= ~bit((unsigned)n))
        write_step(x, (unsigned)n, number, out);
    for (unsigned i = 0; i < x->p->output_count; i++)
        out->outputs[i] = number[x->output_node[i]];
    out->chain = chain_cost(x, early);
    return !todo;
}

bool search_build(const struct search_problem *p, const struct search_plan *plan,
                  struct search_weaver *w, struct search_program *out) {
    struct weaving x = {.w = w, .p = p, .plan = plan};
    uint64_t have;
    lay_values(&x);
    lay_outputs(&x);
    memset(x.pick, 0xFF, sizeof x.pick);
    find_all_ways(&x);
    limit_last_steps(&x);
    w->made = 0;
    x.prompt = make_all(&x, x.prompt, NULL);
    shorten_chain(&x);
    memcpy(x.pick, x.best_pick, sizeof x.pick);
    have = make_all(&x, x.prompt | late_values(&x), x.best_pick);
    return have == bit(x.nodes) - 1 && write_program(&x, out);
}
