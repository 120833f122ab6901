/* SPDX-License-Identifier: MIT
 * The rows that are known on the path at work; what was pushed is popped in reverse order, so that
 * the state is as before. */
#include "recipe/search/open_states.h"

#include <string.h>

static bool in_bounds(const struct search_problem *problem) {
    if (problem->gate_count > SEARCH_MAX_GATES || problem->value_count > SEARCH_MAX_VALUES ||
        problem->output_count > SEARCH_MAX_OUTPUTS)
        return false;
    for (unsigned i = 0; i < problem->gate_count; i++)
        if (problem->gates[i].nsrc > 3 || !problem->gates[i].cost)
            return false;
    for (unsigned i = 0; i < problem->value_count; i++)
        if (problem->values[i].place >= SEARCH_PLACES)
            return false;
    for (unsigned i = 0; i < problem->output_count; i++)
        if (problem->outputs[i].place >= SEARCH_PLACES)
            return false;
    return true;
}

static const uint8_t orders[SEARCH_SYMMETRY][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* f with variable v renamed orders[index][v]. */
static uint8_t rename_variables(unsigned f, unsigned index) {
    unsigned r = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned j = 0;
        for (unsigned v = 0; v < 3; v++)
            j |= (i >> v & 1) << orders[index][v];
        r |= (f >> i & 1) << j;
    }
    return (uint8_t)r;
}

/* Does renaming map the problem's values onto themselves?  Values are a list, so counts matter. */
static bool keeps_values(const struct search_state *state, const uint8_t *renamed, bool chains) {
    const struct search_problem *p = state->p;
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

static bool keeps_outputs(const struct search_state *state, const uint8_t *renamed, bool chains) {
    const struct search_problem *p = state->p;
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

void search_symmetry(struct search_state *state, bool chains) {
    state->node[0].group = 0;
    for (unsigned k = 0; k < SEARCH_SYMMETRY; k++)
        if (keeps_values(state, state->permuted[k], chains) &&
            keeps_outputs(state, state->permuted[k], chains))
            state->node[0].group |= (uint8_t)(1u << k);
}

static uint64_t least_cost(const struct search_ops *ops, uint8_t field) {
    uint64_t least = SEARCH_NEVER;
    for (unsigned i = 0; i < ops->first[4]; i++)
        if (ops->op[i].cost < least && search_op_can(&ops->op[i], field))
            least = ops->op[i].cost;
    return least;
}

static bool is_row(const struct search_state *state, uint8_t field) {
    for (unsigned i = 0; i < state->rows.count; i++)
        if (state->rows.f[i] == field)
            return true;
    return false;
}

static bool is_need(const struct search_state *state, uint8_t field) {
    for (unsigned i = 0; i < state->need_count; i++)
        if (state->need[i].row && state->need[i].truth == field)
            return true;
    return false;
}

static void add_row_need(struct search_state *state, uint8_t field) {
    if (!is_need(state, field))
        state->need[state->need_count++] =
            (struct search_need){.truth = field, .row = true, .ops = &state->ops};
}

/* If one step with one source is the only way to o's place for field: that source, which then is
 * what has to be made, and the step comes on top. */
static bool only_source(const struct search_state *state, const struct search_ops *ops,
                        uint8_t field, uint8_t *x) {
    struct function_set before = search_ops_before(ops, field);
    const struct search_rows none = {.count = 0};
    unsigned only;
    if (ops->first[2] < ops->first[4] || !set_take(&before, &only) || !set_empty(&before))
        return false;
    *x = (uint8_t)only;
    return !is_row(state, *x) && search_ops_cost(ops, &none, field) == SEARCH_NEVER;
}

static void add_last_need(struct search_state *state, const struct search_output *out) {
    struct search_ops *o = &state->last[state->need_count];
    struct search_rows one = {.count = 0};
    uint8_t x;
    search_ops_build(o, state->p, out->place, true, &state->arena);
    if (only_source(state, o, out->truth, &x)) {
        search_rows_push(&one, x);
        state->node[0].used += search_ops_cost(o, &one, out->truth);
        add_row_need(state, x);
        return;
    }
    state->need[state->need_count++] = (struct search_need){.truth = out->truth, .ops = o};
}

static void ready_need(struct search_state *state, struct search_need *need) {
    need->least = least_cost(need->ops, need->truth);
    need->before = search_ops_before(need->ops, need->truth);
    need->with = ARENA_ARRAY(&state->arena, 256, struct function_set);
    for (unsigned z = 0; z < 256; z++)
        need->with[z] = search_ops_before_with(need->ops, (uint8_t)z, need->truth);
}

/* Row values first: what a step outside of rows needs may be one of them. */
static void add_needs(struct search_state *state) {
    bool done[SEARCH_MAX_OUTPUTS] = {false};
    for (unsigned i = 0; i < state->p->output_count; i++) {
        const struct search_output *out = &state->p->outputs[i];
        done[i] =
            out->place == SEARCH_ROW && !is_row(state, out->truth) && !is_need(state, out->truth);
        if (done[i])
            add_row_need(state, out->truth);
    }
    for (unsigned i = 0; i < state->p->output_count; i++)
        if (!done[i])
            add_last_need(state, &state->p->outputs[i]);
    for (unsigned i = 0; i < state->need_count; i++)
        ready_need(state, &state->need[i]);
}

/* Is field of no use in a row, because every source that reads rows can read it elsewhere? */
static bool useless(const struct search_state *state, uint8_t field) {
    unsigned places = 0;
    for (unsigned i = 0; i < state->p->value_count; i++)
        if (state->p->values[i].truth == field)
            places |= SEARCH_IN(state->p->values[i].place);
    if (!places || is_need(state, field))
        return false;
    for (unsigned i = 0; i < state->p->gate_count; i++)
        for (unsigned k = 0; k < state->p->gates[i].nsrc; k++)
            if (state->p->gates[i].src_places[k] & SEARCH_IN(SEARCH_ROW) &&
                !(state->p->gates[i].src_places[k] & places))
                return false;
    return true;
}

static void shut_level(struct search_state *state, struct search_node *node, unsigned f) {
    for (unsigned l = 0; l < state->ops.levels; l++)
        set_add(&node->shut[l], f);
}

/* Needs that a last step makes: they wait for row values, not for each other. */
static void settle(struct search_state *state, struct search_node *node) {
    for (unsigned i = 0; i < state->need_count; i++)
        if (node->open >> i & 1 && !state->need[i].row && node->ready[i] == state->need[i].least) {
            node->open &= (uint8_t) ~(1u << i);
            node->used += node->ready[i];
        }
}

static void grow_before(struct search_state *state, struct search_node *node, uint8_t z) {
    for (unsigned i = 0; i < state->need_count; i++) {
        if (!(node->open >> i & 1))
            continue;
        node->before[i] = set_or(node->before[i], &state->need[i].with[z]);
        search_ops_before_pair(state->need[i].ops, &state->rows, z, state->need[i].truth,
                               &node->before[i]);
    }
}

static void open_node(struct search_state *state) {
    struct search_node *n = &state->node[0];
    struct search_rows given = state->rows;
    for (unsigned i = state->ops.first[0]; i < state->ops.first[1]; i++)
        set_add(&n->reach[state->ops.op[i].level], state->ops.op[i].c[0]);
    n->open = (uint8_t)((1u << state->need_count) - 1);
    for (unsigned i = 0; i < state->need_count; i++) {
        n->before[i] = state->need[i].before;
        n->ready[i] = search_ops_cost(state->need[i].ops, &given, state->need[i].truth);
    }
    state->rows.count = 0;
    for (unsigned i = 0; i < given.count; i++) {
        search_ops_reach(&state->ops, &state->rows, given.f[i], n->reach);
        grow_before(state, n, given.f[i]);
        search_rows_push(&state->rows, given.f[i]);
    }
    for (unsigned f = 0; f < 256; f++)
        if (is_row(state, (uint8_t)f) || useless(state, (uint8_t)f))
            set_add(&state->closed, f);
    settle(state, n);
}

static void allot(struct search_state *state) {
    for (unsigned i = 0; i <= SEARCH_MAX_STEPS; i++) {
        state->node[i].reach =
            ARENA_ARRAY(&state->arena, state->ops.levels + 1, struct function_set);
        state->node[i].shut =
            ARENA_ARRAY(&state->arena, state->ops.levels + 1, struct function_set);
    }
    for (unsigned k = 0; k < SEARCH_SYMMETRY; k++)
        for (unsigned f = 0; f < 256; f++)
            state->permuted[k][f] = rename_variables(f, k);
}

static void weigh(struct search_state *state) {
    const unsigned *first = state->ops.first;
    state->cheapest = state->ops.levels ? state->ops.costs[0] : SEARCH_NEVER;
    state->weight = 1 + (first[3] - first[0]) / 32 + (first[4] - first[3]) / 4;
}

bool search_open(struct search_state *state, const struct search_problem *problem,
                 const struct function_set *free) {
    memset(state, 0, sizeof *state);
    state->p = problem;
    if (!in_bounds(problem))
        return false;
    for (unsigned i = 0; i < problem->value_count; i++)
        if (problem->values[i].place == SEARCH_ROW && !is_row(state, problem->values[i].truth))
            search_rows_push(&state->rows, problem->values[i].truth);
    for (unsigned f = 0; free && f < 256; f++)
        if (set_has(free, f) && !is_row(state, (uint8_t)f))
            search_rows_push(&state->rows, (uint8_t)f);
    state->given = state->rows.count;
    search_ops_build(&state->ops, problem, SEARCH_ROW, false, &state->arena);
    allot(state);
    weigh(state);
    add_needs(state);
    open_node(state);
    search_symmetry(state, false);
    state->budget = problem->budget ? problem->budget : UINT64_MAX;
    return true;
}

void search_close(struct search_state *state) {
    arena_free(&state->arena);
    vec_free(&state->weaver.ways);
}

static uint8_t stabilizer(const struct search_state *state, uint8_t group, uint8_t z) {
    uint8_t g = 0;
    for (unsigned k = 0; k < SEARCH_SYMMETRY; k++)
        if (group >> k & 1 && state->permuted[k][z] == z)
            g |= (uint8_t)(1u << k);
    return g;
}

void search_push(struct search_state *state, unsigned at, uint8_t z, uint64_t own) {
    const struct search_node *n = &state->node[at];
    struct search_node *c = &state->node[at + 1];
    size_t size = state->ops.levels * sizeof *c->reach;
    memcpy(c->reach, n->reach, size);
    memcpy(c->shut, n->shut, size);
    memcpy(c->before, n->before, sizeof c->before);
    memcpy(c->ready, n->ready, sizeof c->ready);
    c->used = n->used + own;
    c->own = own;
    c->open = n->open;
    c->group = n->group == 1 ? 1 : stabilizer(state, n->group, z);
    for (unsigned i = 0; i < state->need_count; i++)
        if (state->need[i].row && state->need[i].truth == z)
            c->open &= (uint8_t) ~(1u << i);
    search_ops_reach(&state->ops, &state->rows, z, c->reach);
    shut_level(state, c, z);
    grow_before(state, c, z);
    search_rows_push(&state->rows, z);
    for (unsigned i = 0; i < state->need_count; i++)
        if (c->open >> i & 1 && !state->need[i].row && set_has(&n->before[i], z))
            c->ready[i] = search_ops_cost(state->need[i].ops, &state->rows, state->need[i].truth);
    settle(state, c);
}

void search_pop(struct search_state *state) {
    search_rows_pop(&state->rows);
}
