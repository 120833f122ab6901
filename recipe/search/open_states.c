/* SPDX-License-Identifier: MIT */
#include "recipe/search/open_states.h"

#include <string.h>

static bool in_bounds(const struct search_problem *p) {
    if (p->gate_count > SEARCH_MAX_GATES || p->value_count > SEARCH_MAX_VALUES ||
        p->output_count > SEARCH_MAX_OUTPUTS)
        return false;
    for (unsigned i = 0; i < p->gate_count; i++)
        if (p->gates[i].nsrc > 3 || !p->gates[i].cost)
            return false;
    for (unsigned i = 0; i < p->value_count; i++)
        if (p->values[i].place > SEARCH_VALID)
            return false;
    for (unsigned i = 0; i < p->output_count; i++)
        if (p->outputs[i].place > SEARCH_VALID)
            return false;
    return true;
}

static const uint8_t orders[SEARCH_SYMMETRY][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* f with variable v renamed orders[k][v]. */
static uint8_t rename_variables(unsigned f, unsigned k) {
    unsigned r = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned j = 0;
        for (unsigned v = 0; v < 3; v++)
            j |= (i >> v & 1) << orders[k][v];
        r |= (f >> i & 1) << j;
    }
    return (uint8_t)r;
}

/* Does renaming map the problem's values onto themselves?  Values are a list, so counts matter. */
static bool keeps_values(const struct search_state *s, const uint8_t *renamed, bool chains) {
    const struct search_problem *p = s->p;
    for (unsigned i = 0; i < p->value_count; i++) {
        unsigned here = 0, there = 0;
        for (unsigned j = 0; j < p->value_count; j++) {
            const struct search_value *a = &p->values[i], *b = &p->values[j];
            bool like = a->place == b->place && (!chains || a->late == b->late);
            here += like && b->truth == a->truth;
            there += like && b->truth == renamed[a->truth];
        }
        if (here != there)
            return false;
    }
    return true;
}

static bool keeps_outputs(const struct search_state *s, const uint8_t *renamed, bool chains) {
    const struct search_problem *p = s->p;
    for (unsigned i = 0; i < p->output_count; i++) {
        bool there = false;
        for (unsigned j = 0; j < p->output_count; j++) {
            const struct search_output *a = &p->outputs[i], *b = &p->outputs[j];
            there |= a->place == b->place && b->truth == renamed[a->truth] &&
                     (!chains || a->early == b->early);
        }
        if (!there)
            return false;
    }
    return true;
}

void search_symmetry(struct search_state *s, bool chains) {
    s->node[0].group = 0;
    for (unsigned k = 0; k < SEARCH_SYMMETRY; k++)
        if (keeps_values(s, s->permuted[k], chains) && keeps_outputs(s, s->permuted[k], chains))
            s->node[0].group |= (uint8_t)(1u << k);
}

static uint64_t least_cost(const struct search_ops *o, uint8_t f) {
    uint64_t least = SEARCH_NEVER;
    for (unsigned i = 0; i < o->first[4]; i++)
        if (o->op[i].cost < least && search_op_can(&o->op[i], f))
            least = o->op[i].cost;
    return least;
}

static bool is_row(const struct search_state *s, uint8_t f) {
    for (unsigned i = 0; i < s->rows.count; i++)
        if (s->rows.f[i] == f)
            return true;
    return false;
}

static bool is_need(const struct search_state *s, uint8_t f) {
    for (unsigned i = 0; i < s->need_count; i++)
        if (s->need[i].row && s->need[i].truth == f)
            return true;
    return false;
}

static void add_row_need(struct search_state *s, uint8_t f) {
    if (!is_need(s, f))
        s->need[s->need_count++] = (struct search_need){.truth = f, .row = true, .ops = &s->ops};
}

/* If one step with one source is the only way to o's place for f: that source, which then is what
 * has to be made, and the step comes on top. */
static bool only_source(const struct search_state *s, const struct search_ops *o, uint8_t f,
                        uint8_t *x) {
    struct function_set before = search_ops_before(o, f);
    const struct search_rows none = {.count = 0};
    unsigned only;
    if (o->first[2] < o->first[4] || !set_take(&before, &only) || !set_empty(&before))
        return false;
    *x = (uint8_t)only;
    return !is_row(s, *x) && search_ops_cost(o, &none, f) == SEARCH_NEVER;
}

static void add_last_need(struct search_state *s, const struct search_output *out) {
    struct search_ops *o = &s->last[s->need_count];
    struct search_rows one = {.count = 0};
    uint8_t x;
    search_ops_build(o, s->p, out->place, true, &s->arena);
    if (only_source(s, o, out->truth, &x)) {
        search_rows_push(&one, x);
        s->node[0].used += search_ops_cost(o, &one, out->truth);
        add_row_need(s, x);
        return;
    }
    s->need[s->need_count++] = (struct search_need){.truth = out->truth, .ops = o};
}

static void ready_need(struct search_state *s, struct search_need *n) {
    n->least = least_cost(n->ops, n->truth);
    n->before = search_ops_before(n->ops, n->truth);
    n->with = ARENA_ARRAY(&s->arena, 256, struct function_set);
    for (unsigned z = 0; z < 256; z++)
        n->with[z] = search_ops_before_with(n->ops, (uint8_t)z, n->truth);
}

/* Row values first: what a step outside of rows needs may be one of them. */
static void add_needs(struct search_state *s) {
    bool done[SEARCH_MAX_OUTPUTS] = {false};
    for (unsigned i = 0; i < s->p->output_count; i++) {
        const struct search_output *out = &s->p->outputs[i];
        done[i] = out->place == SEARCH_ROW && !is_row(s, out->truth) && !is_need(s, out->truth);
        if (done[i])
            add_row_need(s, out->truth);
    }
    for (unsigned i = 0; i < s->p->output_count; i++)
        if (!done[i])
            add_last_need(s, &s->p->outputs[i]);
    for (unsigned i = 0; i < s->need_count; i++)
        ready_need(s, &s->need[i]);
}

/* Is f of no use in a row, because every source that reads rows can read it elsewhere? */
static bool useless(const struct search_state *s, uint8_t f) {
    unsigned places = 0;
    for (unsigned i = 0; i < s->p->value_count; i++)
        if (s->p->values[i].truth == f)
            places |= SEARCH_IN(s->p->values[i].place);
    if (!places || is_need(s, f))
        return false;
    for (unsigned i = 0; i < s->p->gate_count; i++)
        for (unsigned k = 0; k < s->p->gates[i].nsrc; k++)
            if (s->p->gates[i].src_places[k] & SEARCH_IN(SEARCH_ROW) &&
                !(s->p->gates[i].src_places[k] & places))
                return false;
    return true;
}

static void shut_level(struct search_state *s, struct search_node *n, unsigned f) {
    for (unsigned l = 0; l < s->ops.levels; l++)
        set_add(&n->shut[l], f);
}

/* Needs that a last step makes: they wait for row values, not for each other. */
static void settle(struct search_state *s, struct search_node *n) {
    for (unsigned i = 0; i < s->need_count; i++)
        if (n->open >> i & 1 && !s->need[i].row && n->ready[i] == s->need[i].least) {
            n->open &= (uint8_t) ~(1u << i);
            n->used += n->ready[i];
        }
}

static void grow_before(struct search_state *s, struct search_node *n, uint8_t z) {
    for (unsigned i = 0; i < s->need_count; i++) {
        if (!(n->open >> i & 1))
            continue;
        n->before[i] = set_or(n->before[i], &s->need[i].with[z]);
        search_ops_before_pair(s->need[i].ops, &s->rows, z, s->need[i].truth, &n->before[i]);
    }
}

static void open_node(struct search_state *s) {
    struct search_node *n = &s->node[0];
    struct search_rows given = s->rows;
    for (unsigned i = s->ops.first[0]; i < s->ops.first[1]; i++)
        set_add(&n->reach[s->ops.op[i].level], s->ops.op[i].c[0]);
    n->open = (uint8_t)((1u << s->need_count) - 1);
    for (unsigned i = 0; i < s->need_count; i++) {
        n->before[i] = s->need[i].before;
        n->ready[i] = search_ops_cost(s->need[i].ops, &given, s->need[i].truth);
    }
    s->rows.count = 0;
    for (unsigned i = 0; i < given.count; i++) {
        search_ops_reach(&s->ops, &s->rows, given.f[i], n->reach);
        grow_before(s, n, given.f[i]);
        search_rows_push(&s->rows, given.f[i]);
    }
    for (unsigned f = 0; f < 256; f++)
        if (is_row(s, (uint8_t)f) || useless(s, (uint8_t)f))
            set_add(&s->closed, f);
    settle(s, n);
}

static void allot(struct search_state *s) {
    for (unsigned i = 0; i <= SEARCH_MAX_STEPS; i++) {
        s->node[i].reach = ARENA_ARRAY(&s->arena, s->ops.levels + 1, struct function_set);
        s->node[i].shut = ARENA_ARRAY(&s->arena, s->ops.levels + 1, struct function_set);
    }
    for (unsigned k = 0; k < SEARCH_SYMMETRY; k++)
        for (unsigned f = 0; f < 256; f++)
            s->permuted[k][f] = rename_variables(f, k);
}

static void weigh(struct search_state *s) {
    const unsigned *first = s->ops.first;
    s->cheapest = s->ops.levels ? s->ops.costs[0] : SEARCH_NEVER;
    s->weight = 1 + (first[3] - first[0]) / 32 + (first[4] - first[3]) / 4;
}

bool search_open(struct search_state *s, const struct search_problem *p,
                 const struct function_set *free) {
    memset(s, 0, sizeof *s);
    s->p = p;
    if (!in_bounds(p))
        return false;
    for (unsigned i = 0; i < p->value_count; i++)
        if (p->values[i].place == SEARCH_ROW && !is_row(s, p->values[i].truth))
            search_rows_push(&s->rows, p->values[i].truth);
    for (unsigned f = 0; free && f < 256; f++)
        if (set_has(free, f) && !is_row(s, (uint8_t)f))
            search_rows_push(&s->rows, (uint8_t)f);
    s->given = s->rows.count;
    search_ops_build(&s->ops, p, SEARCH_ROW, false, &s->arena);
    allot(s);
    weigh(s);
    add_needs(s);
    open_node(s);
    search_symmetry(s, false);
    s->budget = p->budget ? p->budget : UINT64_MAX;
    return true;
}

void search_close(struct search_state *s) {
    arena_free(&s->arena);
    vec_free(&s->weaver.ways);
}

static uint8_t stabilizer(const struct search_state *s, uint8_t group, uint8_t z) {
    uint8_t g = 0;
    for (unsigned k = 0; k < SEARCH_SYMMETRY; k++)
        if (group >> k & 1 && s->permuted[k][z] == z)
            g |= (uint8_t)(1u << k);
    return g;
}

void search_push(struct search_state *s, unsigned at, uint8_t z, uint64_t own) {
    const struct search_node *n = &s->node[at];
    struct search_node *c = &s->node[at + 1];
    size_t size = s->ops.levels * sizeof *c->reach;
    memcpy(c->reach, n->reach, size);
    memcpy(c->shut, n->shut, size);
    memcpy(c->before, n->before, sizeof c->before);
    memcpy(c->ready, n->ready, sizeof c->ready);
    c->used = n->used + own;
    c->own = own;
    c->open = n->open;
    c->group = n->group == 1 ? 1 : stabilizer(s, n->group, z);
    for (unsigned i = 0; i < s->need_count; i++)
        if (s->need[i].row && s->need[i].truth == z)
            c->open &= (uint8_t) ~(1u << i);
    search_ops_reach(&s->ops, &s->rows, z, c->reach);
    shut_level(s, c, z);
    grow_before(s, c, z);
    search_rows_push(&s->rows, z);
    for (unsigned i = 0; i < s->need_count; i++)
        if (c->open >> i & 1 && !s->need[i].row && set_has(&n->before[i], z))
            c->ready[i] = search_ops_cost(s->need[i].ops, &s->rows, s->need[i].truth);
    settle(s, c);
}

void search_pop(struct search_state *s) {
    search_rows_pop(&s->rows);
}
