/* SPDX-License-Identifier: MIT
 * Sequences of micro-ops for functions of one, two and three inputs: all states of the frame's rows
 * that can be reached are looked at in the order of their cost, until every function is there or
 * the budget is used up.  States that differ in the order of inputs, or of rows of one class, are
 * one. */
#include "recipe/map/derive.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

/* For each number of inputs. */
#define MOST_STATES   (1u << 16)
#define MOST_EXPANDED 12000u
#define MOST_APPLIED  300000u

#define SLOTS     (1u << 18) /* of the index of states */
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
    uint32_t *slots;
    uint16_t permuted[INPUT_ORDERS][UNDEFINED + 1];
    uint64_t numbers[FRAME_ROWS][UNDEFINED + 1];
    uint8_t group[FRAME_ROWS];   /* the first row that is alike */
    bool possible[INPUT_ORDERS]; /* with so many inputs */
    uint8_t least[FUNCTIONS], support[FUNCTIONS];
    struct found_list best[2][FUNCTIONS]; /* [stays][function in its least order] */
    uint32_t expanded, applied;
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

static bool depends_on(uint8_t truth, unsigned v) {
    return ((truth >> (1u << v) ^ truth) & ~variables[v] & 0xff) != 0;
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

static bool same_group(const struct op_frame *f, unsigned a, unsigned b) {
    return f->places[a].kind == f->places[b].kind && f->places[a].class == f->places[b].class;
}

/* Alike are states that differ in the order of inputs, or of rows of one class: the sum over the
 * rows of a random number for each class and value, the least one of all orders of inputs.  Two
 * other states that meet in one number by chance cost a sequence, no more. */
static void make_key(const struct deriver *d, struct row_state *s) {
    s->key = UINT64_MAX;
    for (unsigned n = 0; n < INPUT_ORDERS; n++) {
        uint64_t sum = 0;
        if (!d->possible[n])
            continue;
        for (unsigned i = 0; i < d->rows; i++)
            sum += d->numbers[d->group[i]][d->permuted[n][s->v[i]]];
        s->key = sum < s->key ? sum : s->key;
    }
}

static bool is_before(const struct deriver *d, uint32_t a, uint32_t b) {
    uint32_t x = d->states.data[a].cost, y = d->states.data[b].cost;
    return x < y || (x == y && a < b);
}

static void push(struct deriver *d, uint32_t state) {
    vec_push(&d->heap, state);
    uint32_t *h = d->heap.data;
    for (size_t i = d->heap.len - 1; i > 0 && is_before(d, h[i], h[(i - 1) / 2]); i = (i - 1) / 2) {
        uint32_t moved = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = moved;
    }
}

static uint32_t pop(struct deriver *d) {
    uint32_t *h = d->heap.data, first = h[0];
    h[0] = h[--d->heap.len];
    for (size_t i = 0, k; (k = 2 * i + 1) < d->heap.len; i = k) {
        k += k + 1 < d->heap.len && is_before(d, h[k + 1], h[k]);
        if (!is_before(d, h[k], h[i]))
            break;
        uint32_t moved = h[i];
        h[i] = h[k];
        h[k] = moved;
    }
    return first;
}

/* A state that is new, or cheaper than it was; the old entry of one that is cheaper now stays
 * behind and is passed over by its cost. */
static void add_state(struct deriver *d, struct row_state *s) {
    make_key(d, s);
    uint32_t slot = (uint32_t)s->key & (SLOTS - 1);
    for (; d->slots[slot] != NO_STATE; slot = (slot + 1) & (SLOTS - 1)) {
        const struct row_state *known = &d->states.data[d->slots[slot]];
        if (known->key != s->key)
            continue;
        if (known->cost <= s->cost)
            return;
        break;
    }
    if (d->states.len == MOST_STATES)
        return;
    d->slots[slot] = (uint32_t)d->states.len;
    vec_push(&d->states, *s);
    push(d, (uint32_t)d->states.len - 1);
}

/* --- what a use makes --- */

/* A function of as many inputs as there are now; constants go with those of one. */
static bool is_ours(const struct deriver *d, uint8_t truth) {
    unsigned support = d->support[truth];
    return support == d->inputs || (support == 0 && d->inputs == 1);
}

static void note_found(struct deriver *d, const struct found *f, bool stays, uint32_t cost) {
    struct found_list *l = &d->best[stays][d->least[f->truth]];
    if (l->found.len && cost > l->cost)
        return;
    if (l->found.len && cost < l->cost)
        l->found.len = 0;
    l->cost = cost;
    if (l->found.len < VARIANTS)
        vec_push(&l->found, *f);
}

static void note_results(struct deriver *d, uint32_t parent, uint16_t use, uint32_t cost,
                         const struct row_state *s) {
    const struct op_use *u = &d->out->uses[use];
    const struct op_frame *f = &d->out->frame;
    for (unsigned i = 0; i < u->ndst; i++) {
        uint8_t truth = (uint8_t)s->v[u->dst[i] - f->first_written];
        bool stays = f->places[u->dst[i]].class != CLASS_HOME, known = false;
        for (unsigned k = 0; k < i; k++)
            known |= s->v[u->dst[k] - f->first_written] == truth &&
                     stays == (f->places[u->dst[k]].class != CLASS_HOME);
        if (is_ours(d, truth) && !known)
            note_found(d, &(struct found){parent, use, u->dst[i], truth}, stays, cost);
    }
}

static void apply(struct deriver *d, uint32_t from, uint16_t use) {
    const struct op_use *u = &d->out->uses[use];
    const struct op_frame *f = &d->out->frame;
    struct row_state s = d->states.data[from];
    uint64_t values[FRAME_MAX] = {0}, results[OP_MAX_DESTS];
    for (unsigned i = 0; i < FRAME_INPUTS; i++)
        values[i] = variables[i];
    for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
        values[i] = f->places[i].number ? 0xff : 0;
    for (unsigned i = 0; i < d->rows; i++)
        values[f->first_written + i] = s.v[i] & 0xff;
    mapping_use_apply(d->target, u, values, results);
    bool changes = false;
    for (unsigned i = 0; i < u->ndst; i++) {
        uint16_t *v = &s.v[u->dst[i] - f->first_written];
        changes |= *v != (results[i] & 0xff);
        *v = results[i] & 0xff;
    }
    d->applied++;
    if (!changes)
        return;
    s.cost += u->cost;
    note_results(d, from, use, s.cost, &s);
    s.parent = from;
    s.use = use;
    if (++s.depth < TEMPLATE_STEPS)
        add_state(d, &s);
}

static bool speaks_of(const struct op_use *u, unsigned place) {
    bool found = false;
    for (unsigned i = 0; i < u->nsrc; i++)
        found |= u->src[i] == place;
    for (unsigned i = 0; i < u->ndst; i++)
        found |= u->dst[i] == place;
    return found;
}

/* Another use does the same with a row before this one, of the same class and value. */
static bool has_twin(const struct deriver *d, const struct row_state *s, const struct op_use *u) {
    const struct op_frame *f = &d->out->frame;
    for (unsigned i = 1; i < d->rows; i++) {
        unsigned place = f->first_written + i;
        if (!same_group(f, place, place - 1) || !speaks_of(u, place))
            continue;
        for (unsigned k = i; k-- > 0 && same_group(f, place, f->first_written + k);)
            if (s->v[k] == s->v[i] && !speaks_of(u, f->first_written + k))
                return true;
    }
    return false;
}

static void expand(struct deriver *d, uint32_t from) {
    const struct op_frame *f = &d->out->frame;
    uint32_t there = 0;
    for (unsigned i = 0; i < f->first_written; i++)
        there |= (uint32_t)(i < d->inputs || i >= FRAME_INPUTS) << i;
    for (unsigned i = 0; i < d->rows; i++)
        there |= (uint32_t)(d->states.data[from].v[i] != UNDEFINED) << (f->first_written + i);
    for (unsigned u = 0; u < d->out->use_count; u++)
        if ((d->reads[u] & ~there) == 0 && !has_twin(d, &d->states.data[from], &d->out->uses[u]))
            apply(d, from, (uint16_t)u);
    d->expanded++;
}

/* --- from what was found to sequences --- */

static void rename_inputs(struct step_template *t, const uint8_t *order) {
    for (unsigned i = 0; i < t->step_count; i++)
        for (unsigned k = 0; k < t->steps[i].nsrc; k++)
            if (t->steps[i].src[k] < FRAME_INPUTS)
                t->steps[i].src[k] = order[t->steps[i].src[k]];
}

static void note_touched(struct step_template *t) {
    bool written = false;
    for (unsigned i = 0; i < t->step_count; i++) {
        for (unsigned k = 0; k < t->steps[i].ndst; k++)
            written |= t->steps[i].dst[k] == t->out;
        for (unsigned k = 0; k < t->steps[i].nsrc && written; k++)
            if (t->steps[i].src[k] < FRAME_INPUTS)
                t->touched |= (uint8_t)(1u << t->steps[i].src[k]);
    }
}

static struct step_template make_template(const struct deriver *d, const struct found *f,
                                          bool stays) {
    struct step_template t = {.out = f->place, .stays = stays};
    uint8_t least;
    unsigned n = d->states.data[f->parent].depth;
    t.step_count = (uint8_t)(n + 1);
    t.steps[n] = d->out->uses[f->use];
    for (uint32_t s = f->parent; n-- > 0; s = d->states.data[s].parent)
        t.steps[n] = d->out->uses[d->states.data[s].use];
    rename_inputs(&t, mapping_input_orders[least_order(f->truth, &least)]);
    note_touched(&t);
    return t;
}

static void add_group(struct deriver *d, uint8_t truth) {
    struct found_list *home = &d->best[0][truth], *stay = &d->best[1][truth];
    if (!home->found.len)
        return;
    struct template_group g = {.truth = truth, .cost = home->cost, .stay_cost = stay->cost};
    g.nsrc = d->support[truth];
    struct step_template *list =
        ARENA_ARRAY(d->arena, home->found.len + stay->found.len, struct step_template);
    for (size_t i = 0; i < home->found.len; i++)
        list[g.count++] = make_template(d, &home->found.data[i], false);
    for (size_t i = 0; i < stay->found.len && stay->cost <= home->cost; i++)
        list[g.count++] = make_template(d, &stay->found.data[i], true);
    g.list = list;
    vec_push(&d->groups, g);
}

/* --- the search --- */

/* Nothing that is still missing can turn up, and nothing better. */
static bool is_done(const struct deriver *d, uint32_t cost) {
    bool done = true;
    for (unsigned f = 0; f < FUNCTIONS && done; f++) {
        const struct found_list *l = &d->best[0][d->least[f]];
        done = !is_ours(d, (uint8_t)f) || (l->found.len && l->cost <= cost);
    }
    return done;
}

static void start(struct deriver *d, unsigned inputs) {
    struct row_state first = {.parent = NO_STATE};
    for (unsigned i = 0; i < d->rows; i++)
        first.v[i] = UNDEFINED;
    d->inputs = inputs;
    for (unsigned n = 0; n < INPUT_ORDERS; n++) {
        d->possible[n] = true;
        for (unsigned i = inputs; i < FRAME_INPUTS; i++)
            d->possible[n] &= mapping_input_orders[n][i] == i;
    }
    d->states.len = d->heap.len = 0;
    d->expanded = d->applied = 0;
    memset(d->slots, 0xff, SLOTS * sizeof *d->slots);
    add_state(d, &first);
}

static void search(struct deriver *d, unsigned inputs) {
    uint32_t checked = NO_STATE;
    start(d, inputs);
    while (d->heap.len && d->expanded < MOST_EXPANDED && d->applied < MOST_APPLIED) {
        uint32_t at = pop(d), cost = d->states.data[at].cost;
        if (cost != checked && is_done(d, cost))
            break;
        checked = cost;
        expand(d, at);
    }
    for (unsigned f = 0; f < FUNCTIONS; f++)
        if (is_ours(d, (uint8_t)f))
            add_group(d, (uint8_t)f);
}

static void list_reads(struct deriver *d) {
    const struct derived *out = d->out;
    d->reads = xcalloc(out->use_count + 1, sizeof *d->reads);
    for (unsigned i = 0; i < out->use_count; i++) {
        const struct op_use *u = &out->uses[i];
        const struct target_op *op = &plane_target(d->target)->ops[u->op];
        for (unsigned k = 0; k < u->nsrc; k++)
            d->reads[i] |= 1u << u->src[k];
        for (unsigned k = 0; k < u->ndst && op->reads_old && !op->preset; k++)
            d->reads[i] |= 1u << u->dst[k];
    }
}

static void fill_tables(struct deriver *d) {
    const struct op_frame *frame = &d->out->frame;
    uint64_t seed = 0;
    bool low;
    for (unsigned i = 0; i < d->rows; i++) {
        while (!same_group(frame, frame->first_written + i, frame->first_written + d->group[i]))
            d->group[i]++;
        for (unsigned v = 0; v <= UNDEFINED; v++)
            d->numbers[i][v] = splitmix64(&seed);
    }
    for (unsigned n = 0; n < INPUT_ORDERS; n++)
        d->permuted[n][UNDEFINED] = UNDEFINED;
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        d->support[f] = (uint8_t)support_of((uint8_t)f, &low);
        least_order((uint8_t)f, &d->least[f]);
        for (unsigned n = 0; n < INPUT_ORDERS; n++)
            d->permuted[n][f] = mapping_function_permute((uint8_t)f, mapping_input_orders[n]);
    }
}

static void release(struct deriver *d) {
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        vec_free(&d->best[0][f].found);
        vec_free(&d->best[1][f].found);
    }
    vec_free(&d->states);
    vec_free(&d->heap);
    vec_free(&d->groups);
    free(d->slots);
    free(d->reads);
}

const struct derived *mapping_derive_gates(struct arena *arena, const struct target *t,
                                           uint64_t unit) {
    if (!mapping_frame_is_needed(t))
        return NULL;
    struct derived *out = ARENA_NEW(arena, struct derived);
    struct deriver *d = xcalloc(1, sizeof *d);
    *d = (struct deriver){.arena = arena, .out = out, .target = t};
    out->unit = unit;
    mapping_frame_fill(&out->frame, t);
    out->uses = mapping_frame_uses(arena, &out->frame, unit, false, &out->use_count);
    d->rows = out->frame.count - out->frame.first_written;
    d->slots = xcalloc(SLOTS, sizeof *d->slots);
    list_reads(d);
    fill_tables(d);
    for (unsigned inputs = 1; inputs <= FRAME_INPUTS; inputs++)
        search(d, inputs);
    struct template_group *groups = ARENA_ARRAY(arena, d->groups.len + 1, struct template_group);
    if (d->groups.len)
        memcpy(groups, d->groups.data, d->groups.len * sizeof *groups);
    out->groups = groups;
    out->group_count = (unsigned)d->groups.len;
    release(d);
    free(d);
    return out;
}

const struct template_group *mapping_derived_find(const struct derived *d, uint8_t truth,
                                                  unsigned *order) {
    uint8_t least;
    unsigned n = least_order(truth, &least);
    for (unsigned i = 0; i < FRAME_INPUTS; i++)
        order[mapping_input_orders[n][i]] = i;
    for (unsigned i = 0; i < d->group_count; i++)
        if (d->groups[i].truth == least)
            return &d->groups[i];
    return NULL;
}
