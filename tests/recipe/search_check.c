/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "search_check.h"

#include <string.h>

uint8_t apply_gate(const struct search_gate *g, const uint8_t src[3]) {
    unsigned result = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
        unsigned index = 0;
        for (unsigned s = 0; s < g->nsrc; s++)
            index |= (src[s] >> bit & 1u) << s;
        result |= (g->truth >> index & 1u) << bit;
    }
    return (uint8_t)result;
}

struct value {
    uint8_t truth, place;
    bool late, cone;
};

static unsigned load_values(const struct search_problem *p, struct value *v) {
    for (unsigned i = 0; i < p->value_count; i++)
        v[i] = (struct value){p->values[i].truth, p->values[i].place, p->values[i].late, false};
    return p->value_count;
}

static void check_step(const struct search_problem *p, const struct search_step *s, unsigned n,
                       struct value *v) {
    const struct search_gate *g;
    uint8_t src[3] = {0};
    assert_in_range(s->gate, 0, p->gate_count - 1);
    g = &p->gates[s->gate];
    assert_int_equal(s->tag, g->tag);
    assert_int_equal(s->nsrc, g->nsrc);
    v[n].late = false;
    for (unsigned i = 0; i < g->nsrc; i++) {
        assert_true(s->src[i] < n);
        assert_true(g->src_places[i] >> v[s->src[i]].place & 1);
        src[i] = v[s->src[i]].truth;
        v[n].late |= v[s->src[i]].late;
    }
    assert_true(g->dst_places >> s->place & 1);
    v[n].truth = apply_gate(g, src);
    v[n].place = s->place;
    v[n].cone = false;
}

static bool is_output(const struct search_program *x, const struct search_problem *p, unsigned n) {
    for (unsigned i = 0; i < p->output_count; i++)
        if (x->outputs[i] == n)
            return true;
    return false;
}

static void check_outputs(const struct search_problem *p, const struct search_program *x,
                          struct value *v) {
    for (unsigned i = 0; i < p->output_count; i++) {
        unsigned n = x->outputs[i];
        assert_in_range(n, p->value_count, p->value_count + x->step_count - 1);
        assert_int_equal(v[n].truth, p->outputs[i].truth);
        assert_int_equal(v[n].place, p->outputs[i].place);
        v[n].cone |= p->outputs[i].early;
        for (unsigned k = 0; k < i; k++)
            assert_int_not_equal(n, x->outputs[k]);
    }
}

/* Steps write rows or are outputs; what lies elsewhere is not read after it was overwritten. */
static void check_places(const struct search_problem *p, const struct search_program *x,
                         const struct value *v) {
    bool written[8] = {false};
    for (unsigned i = 0; i < x->step_count; i++) {
        unsigned n = p->value_count + i;
        assert_true(v[n].place == SEARCH_ROW || is_output(x, p, n));
        for (unsigned k = 0; k < x->steps[i].nsrc; k++) {
            unsigned from = x->steps[i].src[k], place = v[from].place;
            if (place == SEARCH_C || place == SEARCH_M)
                assert_false(written[place] && p->output_count < 2);
            assert_true(from < p->value_count || place == SEARCH_ROW);
        }
        written[v[n].place] = true;
    }
}

static void check_costs(const struct search_problem *p, const struct search_program *x,
                        struct value *v) {
    uint64_t cost = 0, chain = 0;
    for (unsigned i = x->step_count; i-- > 0;) {
        const struct search_step *s = &x->steps[i];
        unsigned n = p->value_count + i;
        cost += p->gates[s->gate].cost;
        if (!v[n].cone)
            continue;
        chain += v[n].late ? p->gates[s->gate].cost : 0;
        for (unsigned k = 0; k < s->nsrc; k++)
            v[s->src[k]].cone = true;
    }
    assert_int_equal(x->cost, cost);
    assert_int_equal(x->chain, chain);
}

void check_program(const struct search_problem *p, const struct search_program *x) {
    struct value v[SEARCH_MAX_VALUES + SEARCH_MAX_STEPS];
    unsigned n = load_values(p, v);
    assert_in_range(x->step_count, 1, SEARCH_MAX_STEPS);
    for (unsigned i = 0; i < x->step_count; i++)
        check_step(p, &x->steps[i], n + i, v);
    check_outputs(p, x, v);
    check_places(p, x, v);
    check_costs(p, x, v);
}

/* All choices of gate and sources for the next step after n values. */
struct choices {
    const struct search_problem *p;
    const struct value *v;
    unsigned n;
    void (*each)(void *context, unsigned gate, const uint8_t src[3], uint8_t truth);
    void *context;
};

static void choose(const struct choices *c, unsigned gate, unsigned i,
                   uint8_t src[SEARCH_MAX_SRC]) {
    const struct search_gate *g = &c->p->gates[gate];
    if (i >= g->nsrc || i >= SEARCH_MAX_SRC) {
        uint8_t truth[SEARCH_MAX_SRC] = {0};
        for (unsigned k = 0; k < g->nsrc && k < SEARCH_MAX_SRC; k++)
            truth[k] = c->v[src[k]].truth;
        c->each(c->context, gate, src, apply_gate(g, truth));
        return;
    }
    for (unsigned k = 0; k < c->n; k++)
        if (g->src_places[i] >> c->v[k].place & 1) {
            src[i] = (uint8_t)k;
            choose(c, gate, i + 1, src);
        }
}

static void choose_all(const struct choices *c) {
    uint8_t src[3] = {0};
    for (unsigned g = 0; g < c->p->gate_count; g++)
        choose(c, g, 0, src);
}

/* The path of all_costs. */
struct path {
    const struct search_problem *p;
    struct all_costs *a;
    struct value v[64];
    unsigned n;
    uint32_t cost;
};

/* Functions one more step away, in a row ([0]) and in M ([1]), and the cost of that step. */
struct next {
    const struct path *x;
    uint32_t cost[2][256];
    uint8_t f[2][256];
    unsigned count[2];
};

static void note_step(void *context, unsigned gate, const uint8_t src[3], uint8_t truth) {
    struct next *n = context;
    const struct search_gate *g = &n->x->p->gates[gate];
    (void)src;
    for (unsigned m = 0; m < 2; m++) {
        if (!(g->dst_places >> (m ? SEARCH_M : SEARCH_ROW) & 1) || g->cost >= n->cost[m][truth])
            continue;
        if (n->cost[m][truth] == NO_COST)
            n->f[m][n->count[m]++] = truth;
        n->cost[m][truth] = g->cost;
    }
}

static void least(uint32_t *cost, uint64_t other, uint32_t most) {
    if (other <= most && other < *cost)
        *cost = (uint32_t)other;
}

static void note_pairs(const struct path *x, const struct next *n, uint64_t base, unsigned f) {
    for (unsigned m = 0; m < 2; m++)
        for (unsigned i = 0; i < n->count[m]; i++)
            least(&x->a->pair[m][f][n->f[m][i]], base + n->cost[m][n->f[m][i]], x->a->most);
    for (unsigned i = x->p->value_count; i < x->n; i++)
        if (x->v[i].truth != f)
            least(&x->a->pair[0][f][x->v[i].truth], base, x->a->most);
}

/* Outputs are made on the way, or each by a step of its own after it. */
static void note_outputs(const struct path *x, const struct next *n) {
    for (unsigned m = 0; m < 2; m++)
        for (unsigned i = 0; i < n->count[m]; i++)
            least(&x->a->one[m][n->f[m][i]], (uint64_t)x->cost + n->cost[m][n->f[m][i]],
                  x->a->most);
    for (unsigned i = 0; i < n->count[0]; i++)
        note_pairs(x, n, (uint64_t)x->cost + n->cost[0][n->f[0][i]], n->f[0][i]);
    for (unsigned i = x->p->value_count; i < x->n; i++)
        note_pairs(x, n, x->cost, x->v[i].truth);
}

static bool in_row(const struct path *x, unsigned f) {
    for (unsigned i = 0; i < x->n; i++)
        if (x->v[i].place == SEARCH_ROW && x->v[i].truth == f)
            return true;
    return false;
}

static void extend(struct path *x) {
    struct next n = {.x = x};
    memset(n.cost, 0xFF, sizeof n.cost);
    choose_all(&(struct choices){x->p, x->v, x->n, note_step, &n});
    note_outputs(x, &n);
    for (unsigned i = 0; i < n.count[0]; i++) {
        unsigned f = n.f[0][i];
        if (x->cost + n.cost[0][f] >= x->a->most || in_row(x, f))
            continue;
        x->v[x->n++] = (struct value){(uint8_t)f, SEARCH_ROW, false, false};
        x->cost += n.cost[0][f];
        extend(x);
        x->cost -= n.cost[0][f];
        x->n--;
    }
}

void all_costs(const struct search_problem *p, struct all_costs *a) {
    struct path x = {.p = p, .a = a};
    memset(a->one, 0xFF, sizeof a->one);
    memset(a->pair, 0xFF, sizeof a->pair);
    x.n = load_values(p, x.v);
    extend(&x);
}

/* The path of best_program: like a search_program, with the places of the outputs. */
struct trial {
    const struct search_problem *p;
    struct search_program x;
    struct value v[64];
    unsigned n, steps;
    uint64_t cost, chain;
    bool found;
};

static bool assign_outputs(struct trial *t) {
    for (unsigned i = 0; i < t->p->output_count; i++) {
        unsigned n = t->p->value_count;
        while (n < t->n && (t->v[n].truth != t->p->outputs[i].truth ||
                            t->v[n].place != t->p->outputs[i].place || (i && n == t->x.outputs[0])))
            n++;
        if (n == t->n)
            return false;
        t->x.outputs[i] = (uint8_t)n;
    }
    return true;
}

static uint64_t chain_of(struct trial *t) {
    uint64_t chain = 0;
    for (unsigned n = 0; n < t->n; n++)
        t->v[n].cone = false;
    for (unsigned i = 0; i < t->p->output_count; i++)
        t->v[t->x.outputs[i]].cone |= t->p->outputs[i].early;
    for (unsigned n = t->n; n-- > t->p->value_count;) {
        const struct search_step *s = &t->x.steps[n - t->p->value_count];
        if (!t->v[n].cone)
            continue;
        chain += t->v[n].late ? t->p->gates[s->gate].cost : 0;
        for (unsigned k = 0; k < s->nsrc; k++)
            t->v[s->src[k]].cone = true;
    }
    return chain;
}

static void try_program(struct trial *t) {
    uint64_t chain;
    if (!assign_outputs(t) || (t->found && t->x.cost > t->cost))
        return;
    chain = chain_of(t);
    if (!t->found || t->x.cost < t->cost || chain < t->chain) {
        t->cost = t->x.cost;
        t->chain = chain;
    }
    t->found = true;
}

static void try_all(struct trial *t);

static bool repeats(const struct trial *t, uint8_t truth, unsigned place) {
    for (unsigned i = 0; i < t->n; i++)
        if (t->v[i].truth == truth && t->v[i].place == place)
            return true;
    return false;
}

static void try_step(void *context, unsigned gate, const uint8_t src[3], uint8_t truth) {
    struct trial *t = context;
    const struct search_gate *g = &t->p->gates[gate];
    struct search_step *s = &t->x.steps[t->x.step_count];
    bool late = false;
    for (unsigned k = 0; k < g->nsrc; k++)
        late |= t->v[src[k]].late;
    for (unsigned place = 0; place < 6; place++) {
        if (!(g->dst_places >> place & 1) || repeats(t, truth, place))
            continue;
        *s = (struct search_step){.gate = (uint8_t)gate, .nsrc = g->nsrc};
        memcpy(s->src, src, sizeof s->src);
        t->v[t->n++] = (struct value){truth, (uint8_t)place, late, false};
        t->x.step_count++;
        t->x.cost += g->cost;
        try_all(t);
        t->x.cost -= g->cost;
        t->x.step_count--;
        t->n--;
    }
}

static void try_all(struct trial *t) {
    struct value v[64];
    try_program(t);
    if (t->x.step_count == t->steps)
        return;
    memcpy(v, t->v, sizeof v);
    choose_all(&(struct choices){t->p, v, t->n, try_step, t});
}

bool best_program(const struct search_problem *p, unsigned steps, uint64_t *cost, uint64_t *chain) {
    struct trial t = {.p = p, .steps = steps};
    t.n = load_values(p, t.v);
    try_all(&t);
    *cost = t.cost;
    *chain = t.chain;
    return t.found;
}
