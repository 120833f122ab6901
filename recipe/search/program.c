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

/* Source by source: of each two results that differ in the source alone, what it chooses. */
static uint8_t apply_gate(const struct search_gate *gate, const uint8_t *truth) {
    uint8_t result[1 << SEARCH_MAX_SRC];
    for (unsigned i = 0; i < 1u << gate->nsrc; i++)
        result[i] = gate->truth >> i & 1 ? 0xFF : 0;
    for (unsigned s = 0; s < gate->nsrc; s++)
        for (unsigned i = 0; i < 1u << (gate->nsrc - s - 1u); i++)
            result[i] = (uint8_t)((result[2 * i] & ~truth[s]) | (result[2 * i + 1] & truth[s]));
    return result[0];
}

static void lay_values(struct weaving *weaving) {
    for (unsigned i = 0; i < weaving->p->value_count; i++) {
        weaving->truth[i] = weaving->p->values[i].truth;
        weaving->place[i] = weaving->p->values[i].place;
        if (!weaving->p->values[i].late)
            weaving->prompt |= bit(i);
    }
    for (unsigned i = 0; i < weaving->plan->count; i++) {
        unsigned n = weaving->p->value_count + i;
        weaving->truth[n] = weaving->plan->f[i];
        weaving->place[n] = SEARCH_ROW;
        weaving->most[n] = weaving->plan->cost[i];
    }
    weaving->first_last = weaving->p->value_count + weaving->plan->count;
}

/* The plan's node for output index, unless another output has it. */
static bool find_row(struct weaving *weaving, unsigned index, uint64_t *taken) {
    if (weaving->p->outputs[index].place != SEARCH_ROW)
        return false;
    for (unsigned n = weaving->p->value_count; n < weaving->first_last; n++)
        if (weaving->truth[n] == weaving->p->outputs[index].truth && !(*taken & bit(n))) {
            weaving->output_node[index] = (uint8_t)n;
            *taken |= bit(n);
            return true;
        }
    return false;
}

/* Early outputs choose first. */
static void lay_outputs(struct weaving *weaving) {
    uint64_t taken = 0;
    weaving->nodes = weaving->first_last;
    for (int early = 1; early >= 0; early--)
        for (unsigned i = 0; i < weaving->p->output_count; i++)
            if (weaving->p->outputs[i].early == (early == 1) && !find_row(weaving, i, &taken)) {
                weaving->truth[weaving->nodes] = weaving->p->outputs[i].truth;
                weaving->place[weaving->nodes] = weaving->p->outputs[i].place;
                weaving->most[weaving->nodes] = SEARCH_NEVER;
                weaving->output_node[i] = (uint8_t)weaving->nodes++;
            }
}

static bool reads(const struct search_way *way, unsigned nsrc, unsigned node) {
    for (unsigned i = 0; i < nsrc; i++)
        if (way->src[i] == node)
            return true;
    return false;
}

/* Remembers the way for each node that it makes. */
static void add_way(struct weaving *weaving, const struct search_way *way) {
    const struct search_gate *g = &weaving->p->gates[way->gate];
    uint8_t truth[SEARCH_MAX_SRC], f;
    for (unsigned i = 0; i < g->nsrc && i < SEARCH_MAX_SRC; i++)
        truth[i] = weaving->truth[way->src[i]];
    f = apply_gate(g, truth);
    for (unsigned n = weaving->p->value_count; n < weaving->nodes; n++)
        if (weaving->truth[n] == f && g->dst_places >> weaving->place[n] & 1 &&
            g->cost <= weaving->most[n] && !reads(way, g->nsrc, n)) {
            struct search_way w = *way;
            w.node = (uint8_t)n;
            vec_push(&weaving->w->ways, w);
        }
}

static void find_ways(struct weaving *weaving, struct search_way *way, unsigned index, bool repeats,
                      bool repeated) {
    const struct search_gate *g = &weaving->p->gates[way->gate];
    if (index >= g->nsrc || index >= SEARCH_MAX_SRC) {
        if (repeats == repeated)
            add_way(weaving, way);
        return;
    }
    for (unsigned n = 0; n < weaving->first_last; n++) {
        bool again = repeated;
        if (!(g->src_places[index] >> weaving->place[n] & 1))
            continue;
        for (unsigned k = 0; k < index; k++)
            again |= way->src[k] == n;
        way->src[index] = (uint8_t)n;
        find_ways(weaving, way, index + 1, repeats, again);
    }
}

/* Ways that read one value twice come last. */
static void find_all_ways(struct weaving *weaving) {
    vec_clear(&weaving->w->ways);
    for (int repeats = 0; repeats < 2; repeats++)
        for (unsigned g = 0; g < weaving->p->gate_count; g++) {
            struct search_way way = {.gate = (uint8_t)g};
            find_ways(weaving, &way, 0, repeats == 1, false);
        }
}

static uint64_t way_cost(const struct weaving *weaving, int way) {
    return weaving->p->gates[weaving->w->ways.data[way].gate].cost;
}

/* The last steps' cost is the least that the whole plan allows. */
static void limit_last_steps(struct weaving *weaving) {
    for (size_t i = 0; i < weaving->w->ways.len; i++) {
        unsigned n = weaving->w->ways.data[i].node;
        if (n >= weaving->first_last && way_cost(weaving, (int)i) < weaving->most[n])
            weaving->most[n] = way_cost(weaving, (int)i);
    }
}

static bool allowed(const struct weaving *weaving, int way) {
    return way_cost(weaving, way) <= weaving->most[weaving->w->ways.data[way].node];
}

static uint64_t sources(const struct weaving *weaving, int way) {
    const struct search_way *w = &weaving->w->ways.data[way];
    uint64_t set = 0;
    for (unsigned i = 0; i < weaving->p->gates[w->gate].nsrc; i++)
        set |= bit(w->src[i]);
    return set;
}

/* Adds to `have` what can be made from it in ways allowed; keeps picks.  With `only` those alone.
 */
static uint64_t make_all(struct weaving *weaving, uint64_t have, const int *only) {
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < (int)weaving->w->ways.len; i++) {
            unsigned n = weaving->w->ways.data[i].node;
            if (have & bit(n) || sources(weaving, i) & ~have || !allowed(weaving, i) ||
                (only && only[n] >= 0 && only[n] != i))
                continue;
            weaving->pick[n] = i;
            weaving->w->order[weaving->w->made++] = (uint8_t)n;
            have |= bit(n);
            more = true;
        }
    }
    return have;
}

/* Do the picks of `cone` build it, each from what comes before? */
static bool buildable(const struct weaving *weaving, uint64_t cone, uint64_t have) {
    for (bool more = true; more;) {
        more = false;
        for (unsigned n = 0; n < weaving->nodes; n++)
            if (cone & ~have & bit(n) && !(sources(weaving, weaving->pick[n]) & ~have)) {
                have |= bit(n);
                more = true;
            }
    }
    return !(cone & ~have);
}

static uint64_t late_values(const struct weaving *weaving) {
    return (bit(weaving->p->value_count) - 1) & ~weaving->prompt;
}

/* What a chain through this way waits for besides late values. */
static uint64_t late_sources(const struct weaving *weaving, int way) {
    return sources(weaving, way) & ~weaving->prompt & ~late_values(weaving);
}

/* Is there a way to the same node that waits for no more and costs no more?  Of equals the first
 * stays. */
static bool way_beaten(const struct weaving *weaving, int way) {
    uint64_t mine = late_sources(weaving, way), cost = way_cost(weaving, way);
    for (int i = 0; i < (int)weaving->w->ways.len; i++) {
        uint64_t other;
        if (i == way || weaving->w->ways.data[i].node != weaving->w->ways.data[way].node ||
            !allowed(weaving, i))
            continue;
        other = late_sources(weaving, i);
        if (!(other & ~mine) && way_cost(weaving, i) <= cost &&
            (i < way || other != mine || way_cost(weaving, i) < cost))
            return true;
    }
    return false;
}

/* Marks the ways that need not be followed. */
static void drop_beaten(struct weaving *weaving) {
    for (int i = 0; i < (int)weaving->w->ways.len; i++)
        weaving->w->ways.data[i].beaten =
            weaving->prompt & bit(weaving->w->ways.data[i].node) || way_beaten(weaving, i);
}

/* All choices for the nodes that wait, which outputs of `cone` need; cost: of cone less waiting. */
static void follow(struct weaving *weaving, uint64_t cone, uint64_t waiting, uint64_t cost) {
    unsigned n;
    if (cost >= weaving->best_chain || weaving->tries++ > TRIES)
        return;
    if (!waiting) {
        if (!buildable(weaving, cone, weaving->prompt | late_values(weaving)))
            return;
        weaving->best_chain = cost;
        memcpy(weaving->best_pick, weaving->pick, sizeof weaving->pick);
        return;
    }
    n = (unsigned)__builtin_ctzll(waiting);
    for (int i = 0; i < (int)weaving->w->ways.len; i++) {
        uint64_t more;
        if (weaving->w->ways.data[i].node != n || weaving->w->ways.data[i].beaten ||
            !allowed(weaving, i))
            continue;
        more = late_sources(weaving, i) & ~cone;
        weaving->pick[n] = i;
        follow(weaving, cone | more, (waiting & ~bit(n)) | more, cost + way_cost(weaving, i));
    }
    weaving->pick[n] = -1;
}

static void shorten_chain(struct weaving *weaving) {
    uint64_t early = 0;
    for (unsigned i = 0; i < weaving->p->output_count; i++)
        if (weaving->p->outputs[i].early)
            early |= bit(weaving->output_node[i]);
    early &= ~weaving->prompt;
    weaving->best_chain = SEARCH_NEVER;
    memcpy(weaving->best_pick, weaving->pick, sizeof weaving->pick);
    if (!early)
        return;
    drop_beaten(weaving);
    follow(weaving, early, early, 0);
}

/* What the steps of `want` read, over all steps. */
static uint64_t cone_of(const struct weaving *weaving, uint64_t want) {
    uint64_t cone = want;
    for (unsigned i = weaving->w->made; i-- > 0;)
        if (cone & bit(weaving->w->order[i]))
            cone |= sources(weaving, weaving->pick[weaving->w->order[i]]);
    return cone;
}

static bool reads_place(const struct weaving *weaving, unsigned node, unsigned place) {
    const struct search_way *w = &weaving->w->ways.data[weaving->pick[node]];
    for (unsigned i = 0; i < weaving->p->gates[w->gate].nsrc; i++)
        if (w->src[i] < weaving->p->value_count && weaving->place[w->src[i]] == place)
            return true;
    return false;
}

/* C and M hold their old values until a step writes them: readers go before. */
static bool waits(const struct weaving *weaving, unsigned node, uint64_t todo) {
    if (weaving->place[node] != SEARCH_C && weaving->place[node] != SEARCH_M)
        return false;
    for (unsigned n = weaving->p->value_count; n < weaving->nodes; n++)
        if (todo & bit(n) && n != node && reads_place(weaving, n, weaving->place[node]))
            return true;
    return false;
}

static int next_node(const struct weaving *weaving, uint64_t todo, uint64_t first) {
    for (int pass = 0; pass < 3; pass++)
        for (unsigned i = 0; i < weaving->w->made; i++) {
            unsigned n = weaving->w->order[i];
            if (!(todo & bit(n)) || sources(weaving, weaving->pick[n]) & todo)
                continue;
            if ((pass > 0 || first & bit(n)) && (pass > 1 || !waits(weaving, n, todo)))
                return (int)n;
        }
    return -1;
}

static void write_step(const struct weaving *weaving, unsigned node, uint8_t *number,
                       struct search_program *out) {
    const struct search_way *w = &weaving->w->ways.data[weaving->pick[node]];
    const struct search_gate *g = &weaving->p->gates[w->gate];
    struct search_step *step = &out->steps[out->step_count];
    *step = (struct search_step){.tag = g->tag, .gate = w->gate, .nsrc = g->nsrc};
    for (unsigned i = 0; i < g->nsrc; i++)
        step->src[i] = number[w->src[i]];
    step->place = weaving->place[node];
    number[node] = (uint8_t)(weaving->p->value_count + out->step_count++);
    out->cost += g->cost;
}

static uint64_t chain_cost(const struct weaving *weaving, uint64_t early_cone) {
    uint64_t late = late_values(weaving), cost = 0;
    for (unsigned i = 0; i < weaving->w->made; i++) {
        unsigned n = weaving->w->order[i];
        if (!(sources(weaving, weaving->pick[n]) & late))
            continue;
        late |= bit(n);
        if (early_cone & bit(n))
            cost += way_cost(weaving, weaving->pick[n]);
    }
    return cost;
}

static bool write_program(const struct weaving *weaving, struct search_program *out) {
    uint64_t wanted = 0, early = 0, steps = bit(weaving->nodes) - bit(weaving->p->value_count),
             todo;
    uint8_t number[NODES];
    int n;
    for (unsigned i = 0; i < weaving->p->output_count; i++) {
        wanted |= bit(weaving->output_node[i]);
        early |= weaving->p->outputs[i].early ? bit(weaving->output_node[i]) : 0;
    }
    early = cone_of(weaving, early);
    todo = cone_of(weaving, wanted) & steps;
    if (__builtin_popcountll(todo) > SEARCH_MAX_STEPS)
        return false;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < weaving->p->value_count; i++)
        number[i] = (uint8_t)i;
    for (; (n = next_node(weaving, todo, early)) >= 0; todo &= ~bit((unsigned)n))
        write_step(weaving, (unsigned)n, number, out);
    for (unsigned i = 0; i < weaving->p->output_count; i++)
        out->outputs[i] = number[weaving->output_node[i]];
    out->chain = chain_cost(weaving, early);
    return !todo;
}

bool search_build(const struct search_problem *problem, const struct search_plan *plan,
                  struct search_weaver *weaver, struct search_program *out) {
    struct weaving x = {.w = weaver, .p = problem, .plan = plan};
    uint64_t have;
    lay_values(&x);
    lay_outputs(&x);
    memset(x.pick, 0xFF, sizeof x.pick);
    find_all_ways(&x);
    limit_last_steps(&x);
    weaver->made = 0;
    x.prompt = make_all(&x, x.prompt, NULL);
    shorten_chain(&x);
    memcpy(x.pick, x.best_pick, sizeof x.pick);
    have = make_all(&x, x.prompt | late_values(&x), x.best_pick);
    return have == bit(x.nodes) - 1 && write_program(&x, out);
}
