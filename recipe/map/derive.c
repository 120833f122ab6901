/* SPDX-License-Identifier: MIT
 * Sequences of micro-ops for functions of one, two and three inputs: all states of the frame's rows
 * that can be reached are looked at in the order of their cost, until every function is there or
 * the budget is used up.  States that differ in the order of inputs, or of rows of one class, are
 * one. */
#include "recipe/map/derive.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/hash_table.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

/* For each number of inputs. */
struct budget {
    uint64_t states, expanded, applied;
    uint8_t depth; /* micro-ops of a sequence */
};
static const struct budget usual_budget = {1u << 16, 12000, 300000, 10},
                           thorough_budget = {1u << 18, 40000, 10000000, 10};
#define STATES_OF_STEP  8 /* kept for each one that is looked at, and uses of ops that are tried */
#define APPLIED_OF_STEP 250

#define UNDEFINED 256
#define NO_STATE  UINT32_MAX
#define VARIANTS  48 /* sequences kept for a function */
#define FUNCTIONS 256

const uint8_t mapping_input_orders[INPUT_ORDERS][FRAME_INPUTS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                                  {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const uint8_t variables[FRAME_INPUTS] = {0xAA, 0xCC, 0xF0};

struct row_state {
    uint16_t v[FRAME_ROWS]; /* truth table over the inputs, or UNDEFINED */
    uint64_t key;           /* the same for all states that are alike */
    uint32_t cost, parent;
    uint16_t use; /* that led here */
    uint8_t depth;
};

/* The last step of a sequence, and which row it leaves the function in. */
struct found {
    uint32_t parent;
    uint16_t use;
    uint8_t place, truth;
};

struct found_list {
    uint32_t cost; /* of all of them */
    VEC(struct found) found;
};

struct deriver {
    struct arena *arena;
    struct derived *out;
    const struct target *target;
    unsigned inputs, rows; /* rows: that may be written */
    uint32_t *reads;       /* by use: places that must hold something */
    VEC(struct row_state) states;
    VEC(uint32_t) heap;
    HASH_TABLE(uint64_t, uint32_t) latest; /* of a key: number of the state, from 1 */
    uint16_t permuted[INPUT_ORDERS][UNDEFINED + 1];
    uint64_t numbers[FRAME_ROWS][UNDEFINED + 1];
    uint8_t group[FRAME_ROWS];   /* the first row that is alike */
    bool possible[INPUT_ORDERS]; /* with so many inputs */
    uint8_t least[FUNCTIONS], support[FUNCTIONS];
    struct found_list best[2][FUNCTIONS]; /* [stays][function in its least order] */
    uint64_t expanded, applied;
    struct budget budget;
    bool copies; /* only what its input is counts */
    VEC(struct template_group) groups;
};

/* --- functions --- */

uint8_t mapping_function_permute(uint8_t truth, const uint8_t *order) {
    uint8_t made = 0;
    for (unsigned row = 0; row < 8; row++) {
        unsigned old = 0;
        for (unsigned v = 0; v < FRAME_INPUTS; v++)
            old |= (row >> order[v] & 1) << v;
        made |= (uint8_t)((truth >> old & 1) << row);
    }
    return made;
}

static bool depends_on(uint8_t truth, unsigned value) {
    return ((truth >> (1u << value) ^ truth) & ~variables[value] & 0xff) != 0;
}

/* How many inputs count; `low`: they are the first ones. */
static unsigned support_of(uint8_t truth, bool *low) {
    unsigned count = 0;
    *low = true;
    for (unsigned v = 0; v < FRAME_INPUTS; v++) {
        bool counts = depends_on(truth, v);
        *low &= !counts || count == v;
        count += counts;
    }
    return count;
}

/* The least truth table that the function has in any order of inputs where those that count come
 * first: index into mapping_input_orders. */
static unsigned least_order(uint8_t truth, uint8_t *least) {
    unsigned best = 0;
    bool any = false, low;
    for (unsigned n = 0; n < INPUT_ORDERS; n++) {
        uint8_t t = mapping_function_permute(truth, mapping_input_orders[n]);
        support_of(t, &low);
        if (!low || (any && t >= *least))
            continue;
        *least = t;
        best = n;
        any = true;
    }
    return best;
}

/* --- states --- */

static bool same_group(const struct op_frame *frame, unsigned left, unsigned right) {
    return frame->places[left].kind == frame->places[right].kind &&
           frame->places[left].class == frame->places[right].class;
}

/* Alike are states that differ in the order of inputs, or of rows of one class: the sum over the
 * rows of a random number for each class and value, the least one of all orders of inputs.  Two
 * other states that meet in one number by chance cost a sequence, no more. */
static void make_key(const struct deriver *deriver, struct row_state *state) {
    state->key = UINT64_MAX;
    for (unsigned n = 0; n < INPUT_ORDERS; n++) {
        uint64_t sum = 0;
        if (!deriver->possible[n])
            continue;
        for (unsigned i = 0; i < deriver->rows; i++)
            sum += deriver->numbers[deriver->group[i]][deriver->permuted[n][state->v[i]]];
        state->key = sum < state->key ? sum : state->key;
    }
}

static bool is_before(const struct deriver *deriver, uint32_t left, uint32_t right) {
    uint32_t x = deriver->states.data[left].cost, y = deriver->states.data[right].cost;
    return x < y || (x == y && left < right);
}

static void push(struct deriver *deriver, uint32_t state) {
    vec_push(&deriver->heap, state);
    uint32_t *h = deriver->heap.data;
    for (size_t i = deriver->heap.len - 1; i > 0 && is_before(deriver, h[i], h[(i - 1) / 2]);
         i = (i - 1) / 2) {
        uint32_t moved = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = moved;
    }
}

static uint32_t pop(struct deriver *deriver) {
    uint32_t *h = deriver->heap.data, first = h[0];
    h[0] = h[--deriver->heap.len];
    for (size_t i = 0, k; (k = 2 * i + 1) < deriver->heap.len; i = k) {
        k += k + 1 < deriver->heap.len && is_before(deriver, h[k + 1], h[k]);
        if (!is_before(deriver, h[k], h[i]))
            break;
        uint32_t moved = h[i];
        h[i] = h[k];
        h[k] = moved;
    }
    return first;
}

/* A state that is new, or cheaper than it was; the old entry of one that is cheaper now stays
 * behind and is passed over by its cost. */
static void add_state(struct deriver *deriver, struct row_state *state) {
    make_key(deriver, state);
    const uint32_t *known = hash_table_get(&deriver->latest, &state->key);
    if ((known && deriver->states.data[*known - 1].cost <= state->cost) ||
        deriver->states.len == deriver->budget.states)
        return;
    *(uint32_t *)hash_table_put(&deriver->latest, &state->key) = (uint32_t)deriver->states.len + 1;
    vec_push(&deriver->states, *state);
    push(deriver, (uint32_t)deriver->states.len - 1);
}

/* --- what a use makes --- */

/* A function of as many inputs as there are now; constants go with those of one. */
static bool is_ours(const struct deriver *deriver, uint8_t truth) {
    unsigned support = deriver->support[truth];
    if (deriver->copies)
        return truth == variables[0];
    return support == deriver->inputs || (support == 0 && deriver->inputs == 1);
}

static void note_found(struct deriver *deriver, const struct found *found, bool stays,
                       uint32_t cost) {
    struct found_list *l = &deriver->best[stays][deriver->least[found->truth]];
    if (l->found.len && cost > l->cost)
        return;
    if (l->found.len && cost < l->cost)
        l->found.len = 0;
    l->cost = cost;
    if (l->found.len < VARIANTS)
        vec_push(&l->found, *found);
}

static void note_results(struct deriver *deriver, uint32_t parent, uint16_t use, uint32_t cost,
                         const struct row_state *state) {
    const struct op_use *u = &deriver->out->uses[use];
    const struct op_frame *f = &deriver->out->frame;
    for (unsigned i = 0; i < u->ndst; i++) {
        uint8_t truth = (uint8_t)state->v[u->dst[i] - f->first_written];
        bool stays = f->places[u->dst[i]].class != f->wanted, known = false;
        for (unsigned k = 0; k < i; k++)
            known |= state->v[u->dst[k] - f->first_written] == truth &&
                     stays == (f->places[u->dst[k]].class != f->wanted);
        if (is_ours(deriver, truth) && !known)
            note_found(deriver, &(struct found){parent, use, u->dst[i], truth}, stays, cost);
    }
}

static void apply(struct deriver *deriver, uint32_t from, uint16_t use) {
    const struct op_use *u = &deriver->out->uses[use];
    const struct op_frame *f = &deriver->out->frame;
    struct row_state s = deriver->states.data[from];
    uint64_t values[FRAME_MAX] = {0}, results[OP_MAX_DESTS];
    for (unsigned i = 0; i < FRAME_INPUTS; i++)
        values[i] = variables[i];
    for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
        values[i] = f->places[i].number ? 0xff : 0;
    for (unsigned i = 0; i < deriver->rows; i++)
        values[f->first_written + i] = s.v[i] & 0xff;
    mapping_use_apply(deriver->target, u, values, results);
    bool changes = false;
    for (unsigned i = 0; i < u->ndst; i++) {
        uint16_t *v = &s.v[u->dst[i] - f->first_written];
        changes |= *v != (results[i] & 0xff);
        *v = results[i] & 0xff;
    }
    deriver->applied++;
    if (!changes)
        return;
    s.cost += u->cost;
    note_results(deriver, from, use, s.cost, &s);
    s.parent = from;
    s.use = use;
    if (++s.depth < deriver->budget.depth)
        add_state(deriver, &s);
}

static bool speaks_of(const struct op_use *use, unsigned place) {
    bool found = false;
    for (unsigned i = 0; i < use->nsrc; i++)
        found |= use->src[i] == place;
    for (unsigned i = 0; i < use->ndst; i++)
        found |= use->dst[i] == place;
    return found;
}

/* Another use does the same with a row before this one, of the same class and value. */
static bool has_twin(const struct deriver *deriver, const struct row_state *state,
                     const struct op_use *use) {
    const struct op_frame *f = &deriver->out->frame;
    for (unsigned i = 1; i < deriver->rows; i++) {
        unsigned place = f->first_written + i;
        if (!same_group(f, place, place - 1) || !speaks_of(use, place))
            continue;
        for (unsigned k = i; k-- > 0 && same_group(f, place, f->first_written + k);)
            if (state->v[k] == state->v[i] && !speaks_of(use, f->first_written + k))
                return true;
    }
    return false;
}

static void expand(struct deriver *deriver, uint32_t from) {
    const struct op_frame *f = &deriver->out->frame;
    uint32_t there = 0;
    for (unsigned i = 0; i < f->first_written; i++)
        there |= (uint32_t)(i < deriver->inputs || i >= FRAME_INPUTS) << i;
    for (unsigned i = 0; i < deriver->rows; i++)
        there |= (uint32_t)(deriver->states.data[from].v[i] != UNDEFINED) << (f->first_written + i);
    for (unsigned u = 0; u < deriver->out->use_count; u++)
        if ((deriver->reads[u] & ~there) == 0 &&
            !has_twin(deriver, &deriver->states.data[from], &deriver->out->uses[u]))
            apply(deriver, from, (uint16_t)u);
    deriver->expanded++;
}

/* --- from what was found to sequences --- */

static void rename_inputs(struct step_template *template, const uint8_t *order) {
    for (unsigned i = 0; i < template->step_count; i++)
        for (unsigned k = 0; k < template->steps[i].nsrc; k++)
            if (template->steps[i].src[k] < FRAME_INPUTS)
                template->steps[i].src[k] = order[template->steps[i].src[k]];
}

static void note_touched(struct step_template *template) {
    bool written = false;
    for (unsigned i = 0; i < template->step_count; i++) {
        for (unsigned k = 0; k < template->steps[i].ndst; k++)
            written |= template->steps[i].dst[k] == template->out;
        for (unsigned k = 0; k < template->steps[i].nsrc && written; k++)
            if (template->steps[i].src[k] < FRAME_INPUTS)
                template->touched |= (uint8_t)(1u << template->steps[i].src[k]);
    }
}

static struct step_template make_template(const struct deriver *deriver, const struct found *found,
                                          bool stays) {
    struct step_template t = {.out = found->place, .stays = stays};
    uint8_t least;
    unsigned n = deriver->states.data[found->parent].depth;
    t.step_count = (uint8_t)(n + 1);
    t.steps[n] = deriver->out->uses[found->use];
    for (uint32_t s = found->parent; n-- > 0; s = deriver->states.data[s].parent)
        t.steps[n] = deriver->out->uses[deriver->states.data[s].use];
    rename_inputs(&t, mapping_input_orders[least_order(found->truth, &least)]);
    note_touched(&t);
    return t;
}

static void add_group(struct deriver *deriver, uint8_t truth) {
    struct found_list *home = &deriver->best[0][truth], *stay = &deriver->best[1][truth];
    if (!home->found.len)
        return;
    struct template_group g = {.truth = truth, .cost = home->cost, .stay_cost = stay->cost};
    g.nsrc = deriver->support[truth];
    struct step_template *list =
        ARENA_ARRAY(deriver->arena, home->found.len + stay->found.len, struct step_template);
    for (size_t i = 0; i < home->found.len; i++)
        list[g.count++] = make_template(deriver, &home->found.data[i], false);
    for (size_t i = 0; i < stay->found.len && stay->cost <= home->cost; i++)
        list[g.count++] = make_template(deriver, &stay->found.data[i], true);
    g.list = list;
    vec_push(&deriver->groups, g);
}

/* --- the search --- */

/* Nothing that is still missing can turn up, and nothing better. */
static bool is_done(const struct deriver *deriver, uint32_t cost) {
    bool done = true;
    for (unsigned f = 0; f < FUNCTIONS && done; f++) {
        const struct found_list *l = &deriver->best[0][deriver->least[f]];
        done = !is_ours(deriver, (uint8_t)f) || (l->found.len && l->cost <= cost);
    }
    return done;
}

static void start(struct deriver *deriver, unsigned inputs) {
    struct row_state first = {.parent = NO_STATE};
    for (unsigned i = 0; i < deriver->rows; i++)
        first.v[i] = UNDEFINED;
    deriver->inputs = inputs;
    for (unsigned n = 0; n < INPUT_ORDERS; n++) {
        deriver->possible[n] = true;
        for (unsigned i = inputs; i < FRAME_INPUTS; i++)
            deriver->possible[n] &= mapping_input_orders[n][i] == i;
    }
    deriver->states.len = deriver->heap.len = 0;
    deriver->expanded = deriver->applied = 0;
    hash_table_clear(&deriver->latest);
    add_state(deriver, &first);
}

static void search(struct deriver *deriver, unsigned inputs) {
    uint32_t checked = NO_STATE;
    start(deriver, inputs);
    while (deriver->heap.len && deriver->expanded < deriver->budget.expanded &&
           deriver->applied < deriver->budget.applied) {
        uint32_t at = pop(deriver), cost = deriver->states.data[at].cost;
        if (cost != checked && is_done(deriver, cost))
            break;
        checked = cost;
        expand(deriver, at);
    }
    for (unsigned f = 0; f < FUNCTIONS; f++)
        if (is_ours(deriver, (uint8_t)f))
            add_group(deriver, (uint8_t)f);
}

static void list_reads(struct deriver *deriver) {
    const struct derived *out = deriver->out;
    deriver->reads = xcalloc(out->use_count + 1, sizeof *deriver->reads);
    for (unsigned i = 0; i < out->use_count; i++) {
        const struct op_use *u = &out->uses[i];
        const struct target_op *op = &plane_target(deriver->target)->ops[u->op];
        for (unsigned k = 0; k < u->nsrc; k++)
            deriver->reads[i] |= 1u << u->src[k];
        for (unsigned k = 0; k < u->ndst; k++)
            if (plane_op_keeps_old(op, k))
                deriver->reads[i] |= 1u << u->dst[k];
    }
}

static void fill_tables(struct deriver *deriver) {
    const struct op_frame *frame = &deriver->out->frame;
    uint64_t seed = 0;
    bool low;
    for (unsigned i = 0; i < deriver->rows; i++) {
        while (
            !same_group(frame, frame->first_written + i, frame->first_written + deriver->group[i]))
            deriver->group[i]++;
        for (unsigned v = 0; v <= UNDEFINED; v++)
            deriver->numbers[i][v] = splitmix64(&seed);
    }
    for (unsigned n = 0; n < INPUT_ORDERS; n++)
        deriver->permuted[n][UNDEFINED] = UNDEFINED;
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        deriver->support[f] = (uint8_t)support_of((uint8_t)f, &low);
        least_order((uint8_t)f, &deriver->least[f]);
        for (unsigned n = 0; n < INPUT_ORDERS; n++)
            deriver->permuted[n][f] = mapping_function_permute((uint8_t)f, mapping_input_orders[n]);
    }
}

static void release(struct deriver *deriver) {
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        vec_free(&deriver->best[0][f].found);
        vec_free(&deriver->best[1][f].found);
    }
    vec_free(&deriver->states);
    vec_free(&deriver->heap);
    vec_free(&deriver->groups);
    hash_table_free(&deriver->latest);
    free(deriver->reads);
}

static struct derived *list_uses(struct arena *arena, struct derived *out,
                                 enum derive_effort effort) {
    out->uses = mapping_frame_uses(arena, &out->frame, out->unit, false, effort != DERIVE_USUAL,
                                   &out->use_count);
    return out;
}

static struct derived *new_derived(struct arena *arena, const struct target *target, uint64_t unit,
                                   enum derive_effort effort) {
    struct derived *out = ARENA_NEW(arena, struct derived);
    out->unit = unit;
    mapping_frame_fill(&out->frame, target, effort);
    return out;
}

struct derived *mapping_derive_start(struct arena *arena, const struct target *target,
                                     uint64_t unit, enum derive_effort effort) {
    return mapping_frame_is_needed(target)
               ? list_uses(arena, new_derived(arena, target, unit, effort), effort)
               : NULL;
}

static struct budget budget_of(const struct target *target, enum derive_effort effort) {
    uint64_t steps = plane_target(target)->search_steps;
    if (effort != DERIVE_WIDE)
        return effort == DERIVE_USUAL ? usual_budget : thorough_budget;
    return (struct budget){STATES_OF_STEP * steps, steps, APPLIED_OF_STEP * steps, TEMPLATE_STEPS};
}

/* For functions of up to so many inputs. */
static void search_up_to(struct arena *arena, const struct target *target, unsigned most,
                         enum derive_effort effort, struct derived *out) {
    struct deriver *d = xcalloc(1, sizeof *d);
    *d = (struct deriver){.arena = arena, .out = out, .target = target};
    d->budget = budget_of(target, effort);
    d->rows = out->frame.count - out->frame.first_written;
    d->copies = out->frame.wanted != CLASS_HOME;
    list_reads(d);
    fill_tables(d);
    for (unsigned inputs = 1; inputs <= most; inputs++)
        search(d, inputs);
    struct template_group *groups = ARENA_ARRAY(arena, d->groups.len + 1, struct template_group);
    if (d->groups.len)
        memcpy(groups, d->groups.data, d->groups.len * sizeof *groups);
    out->groups = groups;
    out->group_count = (unsigned)d->groups.len;
    release(d);
    free(d);
}

void mapping_derive_search(struct arena *arena, const struct target *target,
                           enum derive_effort effort, struct derived *out) {
    search_up_to(arena, target, FRAME_INPUTS, effort, out);
}

const struct derived *mapping_derive_copies(struct arena *arena, const struct target *target,
                                            uint64_t unit) {
    struct derived *out = NULL;
    unsigned order[FRAME_INPUTS];
    for (enum derive_effort e = DERIVE_USUAL; e < DERIVE_EFFORTS; e++) {
        out = list_uses(arena, new_derived(arena, target, unit, e), e);
        search_up_to(arena, target, 1, e, out);
        if (mapping_derived_find(out, variables[0], order) ||
            !mapping_is_possible(target, variables[0], 1, false))
            break;
    }
    return out;
}

const struct derived *mapping_derive_between(struct arena *arena, const struct target *target,
                                             uint64_t unit, int from, int to) {
    struct derived *out = NULL;
    for (enum derive_effort e = DERIVE_USUAL; e < DERIVE_WIDE && (!out || !out->group_count); e++) {
        out = ARENA_NEW(arena, struct derived);
        out->unit = unit;
        mapping_frame_fill_between(&out->frame, target, e, from, to);
        list_uses(arena, out, e);
        search_up_to(arena, target, 1, e, out);
    }
    return out;
}

const struct derived *mapping_derive_gates(struct arena *arena, const struct target *target,
                                           uint64_t unit, enum derive_effort effort) {
    struct derived *out = mapping_derive_start(arena, target, unit, effort);
    if (out)
        mapping_derive_search(arena, target, effort, out);
    return out;
}

const struct derived *mapping_derive_without(struct arena *arena, const struct target *target,
                                             uint64_t unit, enum derive_effort effort,
                                             uint32_t op) {
    if (!mapping_frame_is_needed(target))
        return NULL;
    struct derived *out = new_derived(arena, target, unit, effort);
    out->frame.without = op + 1;
    list_uses(arena, out, effort);
    mapping_derive_search(arena, target, effort, out);
    return out;
}

const struct template_group *mapping_derived_find(const struct derived *derived, uint8_t truth,
                                                  unsigned *order) {
    uint8_t least;
    unsigned n = least_order(truth, &least);
    for (unsigned i = 0; i < FRAME_INPUTS; i++)
        order[mapping_input_orders[n][i]] = i;
    for (unsigned i = 0; i < derived->group_count; i++)
        if (derived->groups[i].truth == least)
            return &derived->groups[i];
    return NULL;
}
