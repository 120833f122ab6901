/* SPDX-License-Identifier: MIT
 * Which names are held inverted.  Where a target inverts, a carry that runs inverted can save a
 * micro-op in every lap; so phases are chosen for the least cost of all blocks, weighted by the
 * depth of their loops. */
#include "recipe/map/mapping.h"

#define EXHAUSTIVE_VARS 6 /* so many related names are tried in all phases */
#define MAX_PASSES      8
#define CACHED_VARS     8
#define LOOP_WEIGHT     16
#define MAX_DEPTH       4

/* Cost of what cannot be done: far above all others, and small enough to be summed. */
#define IMPOSSIBLE ((uint64_t)1 << 36)
/* The chain decides between programs of one cost. */
#define COST_UNIT 1024u

/* --- what a block leaves where, in the phases at hand --- */

static uint8_t mask(bool inverted) {
    return inverted ? 0xff : 0;
}

static bool phase(const struct mapping *mapping, uint32_t var) {
    return var != NOTHING && mapping->phases.data[var];
}

static uint8_t evaluate(const struct segment *segment, const struct logic *logic) {
    uint8_t a[3] = {0, 0, 0};
    for (unsigned i = 0; i < logic->count; i++)
        a[i] = evaluate(segment, logic->args[i]);
    switch (logic->op) {
    case LOGIC_CONST:
        return mask(logic->one);
    case LOGIC_LEAF:
        return segment->values.data[logic->ref.value].truth ^ mask(logic->ref.inverted);
    case LOGIC_NOT:
        return (uint8_t)~a[0];
    case LOGIC_AND:
        return a[0] & a[1];
    case LOGIC_OR:
        return a[0] | a[1];
    case LOGIC_XOR:
    case LOGIC_SUM:
        return a[0] ^ a[1] ^ a[2];
    case LOGIC_CHOOSE:
        return (uint8_t)((a[0] & a[1]) | (~a[0] & a[2]));
    case LOGIC_MAJORITY:
        return (uint8_t)((a[0] & a[1]) | (a[0] & a[2]) | (a[1] & a[2]));
    }
    return 0;
}

/* Truth tables of the block's values, over what its inputs hold. */
static void fill_truths(struct mapping *mapping, struct segment *segment,
                        const struct map_block *block) {
    static const uint8_t variables[SEARCH_MAX_INPUTS] = {0xAA, 0xCC, 0xF0};
    for (unsigned i = 0; i < block->input_count; i++) {
        struct map_value *v = &segment->values.data[block->inputs[i]];
        v->truth = variables[i] ^ mask(phase(mapping, v->phase));
    }
    for (uint32_t d = block->first_def; d < block->end_def; d++)
        for (unsigned k = 0; k < segment->defs.data[d].count; k++) {
            struct map_value *v = &segment->values.data[segment->defs.data[d].values[k]];
            if (v->needed)
                v->truth = evaluate(segment, v->tree);
        }
}

static uint8_t place_of_value(const struct segment *segment, uint32_t value) {
    const struct map_value *v = &segment->values.data[value];
    return v->input ? v->place : SEARCH_ROW;
}

static const struct map_name *name_of(const struct mapping *mapping, const struct segment *segment,
                                      const struct block_entry *entry) {
    return entry->write == NOTHING ? NULL
                                   : &mapping->names.data[segment->writes.data[entry->write].name];
}

static uint8_t stored_truth(const struct mapping *mapping, const struct segment *segment,
                            const struct block_entry *entry) {
    const struct map_name *n = name_of(mapping, segment, entry);
    uint32_t var = n ? n->phase : segment->values.data[entry->value].phase;
    return segment->values.data[entry->value].truth ^ mask(entry->inverted) ^
           mask(phase(mapping, var));
}

static int find_output(const struct request *request, uint8_t truth, uint8_t place) {
    for (unsigned i = 0; i < request->output_count; i++)
        if (request->outputs[i].truth == truth && request->outputs[i].place == place)
            return (int)i;
    return -1;
}

static void set_entry(struct realization *realization, unsigned entry, enum realized how,
                      unsigned index, bool own) {
    realization->entries[entry].how = how;
    realization->entries[entry].index = index;
    realization->entries[entry].own = own;
}

/* A new output, if there is room. */
static bool add_output(struct realization *realization, unsigned entry, uint8_t truth,
                       uint8_t place, bool early, bool own) {
    struct request *q = &realization->request;
    if (q->output_count == SEARCH_MAX_OUTPUTS)
        return false;
    set_entry(realization, entry, FROM_OUTPUT, q->output_count, own);
    q->outputs[q->output_count++] = (struct search_output){truth, place, early};
    return true;
}

/* Registers and latches: written by a step of their own, or copied when there are too many. */
static void realize_fixed(struct mapping *mapping, struct segment *segment,
                          const struct map_block *block, unsigned index,
                          struct realization *realization) {
    const struct map_name *n = name_of(mapping, segment, &block->entries[index]);
    uint32_t name = segment->writes.data[block->entries[index].write].name;
    uint8_t place = n->kind == NAME_REGISTER ? mapping_register_place(mapping)
                                             : mapping_latch_place(mapping, name);
    uint8_t truth = stored_truth(mapping, segment, &block->entries[index]);
    int same = find_output(&realization->request, truth, SEARCH_ROW);
    if (add_output(realization, index, truth, place, false, true))
        return;
    realization->feasible &= same >= 0 && place != SEARCH_M;
    set_entry(realization, index, FROM_OUTPUT, same < 0 ? 0 : (unsigned)same, false);
    realization->moved += mapping->gates.copy_cost;
}

static bool may_move(const struct mapping *mapping, const struct segment *segment,
                     const struct map_name *name, uint8_t place) {
    if (!name)
        return place == SEARCH_ROW || (place == SEARCH_CONST && mapping->gates.plain >> place & 1);
    if (name->kind == NAME_SCRATCH)
        return mapping->gates.names[place];
    return segment->carry ? mapping->gates.begins[place] : mapping->gates.hands_on[place];
}

bool mapping_is_written(const struct mapping *mapping, uint32_t name) {
    const struct map_name *n = &mapping->names.data[name];
    uint8_t field = n->kind == NAME_REGISTER ? n->field : name == SYMBOL_C ? FIELD_C : FIELD_M;
    struct signature s;
    notation_signature(mapping->source->op, &s);
    for (unsigned i = 0; i < s.out_count; i++)
        if (s.out[i] == field)
            return n->kind == NAME_REGISTER || name == SYMBOL_C || name == SYMBOL_M;
    return false;
}

static bool is_written_register(const struct mapping *mapping, uint32_t name) {
    return mapping->names.data[name].kind == NAME_REGISTER && mapping_is_written(mapping, name);
}

/* A second name costs a copy where its place may be overwritten. */
static uint64_t move_cost(const struct mapping *mapping, const struct map_name *name, uint8_t place,
                          bool written) {
    bool lasting = place != SEARCH_BUFFER && !written;
    bool crosses = name && name->kind == NAME_CARRY && mapping->gates.sections;
    return !name || crosses || lasting ? 0 : mapping->gates.copy_cost;
}

static bool move_input(struct mapping *mapping, struct segment *segment,
                       const struct map_block *block, unsigned index, uint8_t truth,
                       struct realization *realization) {
    static const uint8_t variables[SEARCH_MAX_INPUTS] = {0xAA, 0xCC, 0xF0};
    const struct map_name *n = name_of(mapping, segment, &block->entries[index]);
    for (unsigned k = 0; k < block->input_count; k++) {
        const struct map_value *v = &segment->values.data[block->inputs[k]];
        uint8_t place = place_of_value(segment, block->inputs[k]);
        if (truth != variables[k] || !may_move(mapping, segment, n, place))
            continue;
        set_entry(realization, index, FROM_INPUT, k, false);
        realization->moved +=
            move_cost(mapping, n, place, v->input && is_written_register(mapping, v->name));
        return true;
    }
    return false;
}

static bool move_constant(struct mapping *mapping, struct segment *segment,
                          const struct map_block *block, unsigned index, uint8_t truth,
                          struct realization *realization) {
    const struct map_name *n = name_of(mapping, segment, &block->entries[index]);
    bool there = truth == 0 ? mapping->gates.zero : truth == 0xff && mapping->gates.one;
    if (!there || !may_move(mapping, segment, n, SEARCH_CONST))
        return false;
    set_entry(realization, index, FROM_CONST, truth != 0, false);
    return true;
}

static bool move_output(struct mapping *mapping, struct segment *segment,
                        const struct map_block *block, unsigned index, uint8_t truth,
                        struct realization *realization) {
    const struct map_name *n = name_of(mapping, segment, &block->entries[index]);
    int same = find_output(&realization->request, truth, SEARCH_ROW);
    if (same < 0)
        return false;
    bool is_register = false;
    for (unsigned k = 0; k < block->entry_count; k++) {
        const struct map_name *other = name_of(mapping, segment, &block->entries[k]);
        is_register |= realization->entries[k].own &&
                       realization->entries[k].index == (unsigned)same && other &&
                       other->kind == NAME_REGISTER;
    }
    set_entry(realization, index, FROM_OUTPUT, (unsigned)same, false);
    realization->request.outputs[same].early |=
        segment->values.data[block->entries[index].value].early;
    realization->moved += move_cost(mapping, n, SEARCH_ROW, is_register);
    return true;
}

/* Scratch names, carries and values for other blocks: second names where that is free. */
static void realize_loose(struct mapping *mapping, struct segment *segment,
                          const struct map_block *block, unsigned index,
                          struct realization *realization) {
    uint8_t truth = stored_truth(mapping, segment, &block->entries[index]);
    const struct map_name *n = name_of(mapping, segment, &block->entries[index]);
    bool early = segment->values.data[block->entries[index].value].early;
    if (move_input(mapping, segment, block, index, truth, realization) ||
        move_constant(mapping, segment, block, index, truth, realization) ||
        move_output(mapping, segment, block, index, truth, realization))
        return;
    realization->feasible &=
        add_output(realization, index, truth, SEARCH_ROW, early, !n || n->kind == NAME_SCRATCH);
}

static void realize_entries(struct mapping *mapping, struct segment *segment,
                            const struct map_block *block, bool fixed,
                            struct realization *realization) {
    for (unsigned i = 0; i < block->entry_count; i++) {
        const struct map_name *n = name_of(mapping, segment, &block->entries[i]);
        bool is_fixed = n && (n->kind == NAME_REGISTER || n->kind == NAME_LATCH);
        if (is_fixed && fixed)
            realize_fixed(mapping, segment, block, i, realization);
        else if (!is_fixed && !fixed)
            realize_loose(mapping, segment, block, i, realization);
    }
}

static void make_request(struct mapping *mapping, struct segment *segment,
                         const struct map_block *block, struct realization *realization) {
    *realization = (struct realization){.feasible = true};
    fill_truths(mapping, segment, block);
    realization->request.input_count = block->input_count;
    for (unsigned i = 0; i < block->input_count; i++) {
        realization->request.places[i] = place_of_value(segment, block->inputs[i]);
        realization->request.late[i] = segment->values.data[block->inputs[i]].late;
    }
    realize_entries(mapping, segment, block, true, realization);
    realize_entries(mapping, segment, block, false, realization);
}

void mapping_realize(struct mapping *mapping, struct segment *segment,
                     const struct map_block *block, struct realization *realization) {
    make_request(mapping, segment, block, realization);
    if (realization->feasible && realization->request.output_count)
        mapping_solve(mapping, &realization->request, &realization->solved);
    realization->feasible &= !realization->request.output_count || realization->solved.found;
}

/* --- costs --- */

struct site {
    struct segment *segment;
    struct map_block *block;
    uint64_t weight;
    uint64_t cost; /* in the phases at hand */
    uint32_t seen; /* the last flip that it was counted in */
};

/* Sites of each variable: those of variable v are of_var[first_of[v]] .. of_var[first_of[v+1]]. */
struct phase_chooser {
    struct mapping *m;
    VEC(struct site) sites;
    uint32_t *group; /* by variable: one of those that it is related to */
    uint32_t *first_of, *of_var;
    uint32_t *place;         /* by variable: in the group at hand */
    uint64_t *alone, *joint; /* by variable, modulo 2^64 */
    uint64_t sum;            /* of costs */
    uint32_t flips;
};

static uint64_t cost_of_block(struct mapping *mapping, struct segment *segment,
                              const struct map_block *block) {
    struct realization r;
    mapping_realize(mapping, segment, block, &r);
    if (!r.feasible)
        return IMPOSSIBLE;
    uint64_t cost = r.moved, chain = 0;
    if (r.request.output_count) {
        cost += r.solved.program->cost;
        chain = r.solved.program->chain;
    }
    return cost * COST_UNIT + (chain < COST_UNIT ? chain : COST_UNIT - 1) + 1;
}

static uint64_t cost_of_site(struct mapping *mapping, const struct site *site) {
    struct map_block *b = site->block;
    uint32_t at = 0;
    if (b->var_count > CACHED_VARS)
        return site->weight * cost_of_block(mapping, site->segment, b);
    if (!b->costs)
        b->costs = ARENA_ARRAY(&mapping->scratch, 1u << b->var_count, uint64_t);
    for (unsigned i = 0; i < b->var_count; i++)
        at |= (uint32_t)mapping->phases.data[b->vars[i]] << i;
    if (!b->costs[at])
        b->costs[at] = cost_of_block(mapping, site->segment, b);
    return site->weight * b->costs[at];
}

static void list_sites(struct phase_chooser *chooser) {
    for (size_t i = 0; i < chooser->m->segments.len; i++) {
        struct segment *s = chooser->m->segments.data[i];
        uint64_t weight = 1;
        for (unsigned d = 0; d < s->depth && d < MAX_DEPTH; d++)
            weight *= LOOP_WEIGHT;
        for (size_t k = 0; k < s->blocks.len; k++) {
            struct site t = {s, &s->blocks.data[k], weight, 0, 0};
            if (t.block->var_count)
                vec_push(&chooser->sites, t);
        }
    }
}

/* --- groups of related variables --- */

static uint32_t group_of(const struct phase_chooser *chooser, uint32_t var) {
    uint32_t *group = chooser->group;
    while (group[var] != var)
        var = group[var] = group[group[var]];
    return var;
}

static void find_groups(struct phase_chooser *chooser) {
    chooser->group = ARENA_ARRAY(&chooser->m->scratch, chooser->m->phases.len + 1, uint32_t);
    for (uint32_t i = 0; i < chooser->m->phases.len; i++)
        chooser->group[i] = i;
    for (size_t i = 0; i < chooser->sites.len; i++) {
        const struct map_block *b = chooser->sites.data[i].block;
        for (unsigned k = 1; k < b->var_count; k++) {
            uint32_t x = group_of(chooser, b->vars[0]), y = group_of(chooser, b->vars[k]);
            chooser->group[x > y ? x : y] = x > y ? y : x;
        }
    }
}

static void list_sites_of_vars(struct phase_chooser *chooser) {
    struct arena *arena = &chooser->m->scratch;
    size_t vars = chooser->m->phases.len;
    chooser->place = ARENA_ARRAY(arena, vars + 1, uint32_t);
    chooser->alone = ARENA_ARRAY(arena, vars + 1, uint64_t);
    chooser->joint = ARENA_ARRAY(arena, vars + 1, uint64_t);
    chooser->first_of = ARENA_ARRAY(arena, vars + 2, uint32_t);
    for (size_t i = 0; i < chooser->sites.len; i++)
        for (unsigned k = 0; k < chooser->sites.data[i].block->var_count; k++)
            chooser->first_of[chooser->sites.data[i].block->vars[k] + 2]++;
    for (size_t v = 2; v < vars + 2; v++)
        chooser->first_of[v] += chooser->first_of[v - 1];
    chooser->of_var = ARENA_ARRAY(arena, (size_t)chooser->first_of[vars + 1] + 1, uint32_t);
    for (uint32_t i = 0; i < chooser->sites.len; i++)
        for (unsigned k = 0; k < chooser->sites.data[i].block->var_count; k++)
            chooser->of_var[chooser->first_of[chooser->sites.data[i].block->vars[k] + 1]++] = i;
}

/* --- choices --- */

static void set_phases(struct mapping *mapping, const uint32_t *vars, unsigned count,
                       uint32_t bits) {
    for (unsigned i = 0; i < count; i++)
        mapping->phases.data[vars[i]] = bits >> i & 1;
}

/* Calls it once for each site of these variables. */
static void each_site(struct phase_chooser *chooser, const uint32_t *vars, unsigned count,
                      void call(struct phase_chooser *chooser, struct site *site)) {
    chooser->flips++;
    for (unsigned i = 0; i < count; i++)
        for (uint32_t k = chooser->first_of[vars[i]]; k < chooser->first_of[vars[i] + 1]; k++) {
            struct site *s = &chooser->sites.data[chooser->of_var[k]];
            if (s->seen != chooser->flips)
                call(chooser, s);
            s->seen = chooser->flips;
        }
}

static void add_site(struct phase_chooser *chooser, struct site *site) {
    chooser->sum += cost_of_site(chooser->m, site);
}

static void try_all(struct phase_chooser *chooser, const uint32_t *vars, unsigned count) {
    uint64_t best = UINT64_MAX;
    uint32_t chosen = 0;
    for (uint32_t bits = 0; bits < 1u << count; bits++) {
        set_phases(chooser->m, vars, count, bits);
        chooser->sum = 0;
        each_site(chooser, vars, count, add_site);
        if (chooser->sum < best) {
            best = chooser->sum;
            chosen = bits;
        }
    }
    set_phases(chooser->m, vars, count, chosen);
}

/* --- downhill, in a group too large for all phases ---
 *
 * What a flip of one variable changes is kept for each of the group (`alone`); a flip of two
 * changes what each does alone and what their common sites make of both (`joint`).  So a flip is
 * judged without a look at all sites of its variables.  Sums are modulo 2^64, differences exact. */

static uint64_t flipped_cost(struct phase_chooser *chooser, const struct site *site, uint32_t var) {
    bool *phases = chooser->m->phases.data;
    phases[var] ^= true;
    uint64_t cost = cost_of_site(chooser->m, site);
    phases[var] ^= true;
    return cost;
}

/* Adds what the site has in `alone`, or takes it away. */
static void count_alone(struct phase_chooser *chooser, const struct site *site, bool add) {
    const struct map_block *b = site->block;
    for (unsigned k = 0; k < b->var_count; k++) {
        uint64_t change = flipped_cost(chooser, site, b->vars[k]) - site->cost;
        chooser->alone[b->vars[k]] += add ? change : -change;
    }
}

static void forget_site(struct phase_chooser *chooser, struct site *site) {
    count_alone(chooser, site, false);
}

static void take_site(struct phase_chooser *chooser, struct site *site) {
    site->cost = cost_of_site(chooser->m, site);
    count_alone(chooser, site, true);
}

static void flip(struct phase_chooser *chooser, const uint32_t *vars, unsigned count) {
    each_site(chooser, vars, count, forget_site);
    for (unsigned i = 0; i < count; i++)
        chooser->m->phases.data[vars[i]] ^= true;
    each_site(chooser, vars, count, take_site);
}

/* What flipping each variable of its sites together with this one changes beside what both do
 * alone. */
static void find_joint(struct phase_chooser *chooser, uint32_t var) {
    for (uint32_t k = chooser->first_of[var]; k < chooser->first_of[var + 1]; k++) {
        const struct site *s = &chooser->sites.data[chooser->of_var[k]];
        for (unsigned i = 0; i < s->block->var_count; i++)
            chooser->joint[s->block->vars[i]] = 0;
    }
    for (uint32_t k = chooser->first_of[var]; k < chooser->first_of[var + 1]; k++) {
        const struct site *s = &chooser->sites.data[chooser->of_var[k]];
        uint64_t own = flipped_cost(chooser, s, var) - s->cost;
        for (unsigned i = 0; i < s->block->var_count; i++) {
            uint32_t other = s->block->vars[i];
            if (other == var)
                continue;
            uint64_t theirs = flipped_cost(chooser, s, other);
            chooser->m->phases.data[other] ^= true;
            chooser->joint[other] += flipped_cost(chooser, s, var) - theirs - own;
            chooser->m->phases.data[other] ^= true;
        }
    }
}

static int by_number(const void *left, const void *right) {
    const uint32_t *l = left, *r = right;
    return *l < *r ? -1 : *l > *r;
}

/* Places of the variables before that one which are in a block with it, in order. */
static unsigned find_neighbours(struct phase_chooser *chooser, const uint32_t *vars, uint32_t at,
                                uint32_t **list, size_t *room) {
    unsigned count = 0, kept = 0;
    for (uint32_t k = chooser->first_of[vars[at]]; k < chooser->first_of[vars[at] + 1]; k++) {
        const struct map_block *b = chooser->sites.data[chooser->of_var[k]].block;
        if (*room < count + b->var_count)
            *list = vec_grow(*list, room, count + b->var_count, sizeof **list);
        for (unsigned i = 0; i < b->var_count; i++)
            if (chooser->place[b->vars[i]] < at)
                (*list)[count++] = chooser->place[b->vars[i]];
    }
    if (count)
        qsort(*list, count, sizeof **list, by_number);
    for (unsigned i = 0; i < count; i++)
        if (!i || (*list)[i] != (*list)[i - 1])
            (*list)[kept++] = (*list)[i];
    return kept;
}

static bool flip_singles(struct phase_chooser *chooser, const uint32_t *vars, unsigned count) {
    bool gain = false;
    for (unsigned i = 0; i < count; i++)
        if ((int64_t)chooser->alone[vars[i]] < 0) {
            flip(chooser, &vars[i], 1);
            gain = true;
        }
    return gain;
}

/* This one together with one before it. */
static bool flip_pairs(struct phase_chooser *chooser, const uint32_t *vars, uint32_t at,
                       const uint32_t *near, unsigned neighbours) {
    bool gain = false;
    if (neighbours)
        find_joint(chooser, vars[at]);
    for (unsigned k = 0; k < neighbours; k++) {
        const uint32_t pair[] = {vars[at], vars[near[k]]};
        if ((int64_t)(chooser->alone[pair[0]] + chooser->alone[pair[1]] + chooser->joint[pair[1]]) <
            0) {
            flip(chooser, pair, 2);
            find_joint(chooser, pair[0]);
            gain = true;
        }
    }
    return gain;
}

/* Downhill by one variable, or two of one block, until nothing gains. */
static void descend(struct phase_chooser *chooser, const uint32_t *vars, unsigned count) {
    uint32_t *near = NULL;
    size_t room = 0;
    bool gain = true;
    each_site(chooser, vars, count, take_site);
    for (unsigned pass = 0; gain && pass < MAX_PASSES; pass++) {
        gain = flip_singles(chooser, vars, count);
        for (uint32_t i = 0; i < count; i++) {
            unsigned neighbours = find_neighbours(chooser, vars, i, &near, &room);
            gain |= flip_pairs(chooser, vars, i, near, neighbours);
        }
    }
    free(near);
}

/* --- what will be asked for, on several threads --- */

static void expect(struct phase_chooser *chooser, const struct site *site) {
    struct realization r;
    make_request(chooser->m, site->segment, site->block, &r);
    if (r.feasible && r.request.output_count)
        mapping_expect(chooser->m, &r.request);
}

/* In all phases of its variables. */
static void expect_all(struct phase_chooser *chooser, struct site *site) {
    const struct map_block *b = site->block;
    for (uint32_t bits = 0; bits < 1u << b->var_count; bits++) {
        set_phases(chooser->m, b->vars, b->var_count, bits);
        expect(chooser, site);
    }
    set_phases(chooser->m, b->vars, b->var_count, 0);
}

/* In the phases at hand, and with one or two flipped. */
static void expect_near(struct phase_chooser *chooser, struct site *site) {
    const struct map_block *b = site->block;
    bool *phases = chooser->m->phases.data;
    expect(chooser, site);
    for (unsigned i = 0; i < b->var_count; i++) {
        phases[b->vars[i]] ^= true;
        expect(chooser, site);
        for (unsigned k = 0; k < i; k++) {
            phases[b->vars[k]] ^= true;
            expect(chooser, site);
            phases[b->vars[k]] ^= true;
        }
        phases[b->vars[i]] ^= true;
    }
}

static void search_ahead(struct phase_chooser *chooser, const uint32_t *vars, unsigned count) {
    if (!chooser->m->set->pool)
        return;
    each_site(chooser, vars, count, count <= EXHAUSTIVE_VARS ? expect_all : expect_near);
    mapping_search_expected(chooser->m);
}

static void choose_group(struct phase_chooser *chooser, const uint32_t *vars, unsigned count) {
    for (uint32_t i = 0; i < count; i++)
        chooser->place[vars[i]] = i;
    search_ahead(chooser, vars, count);
    if (count <= EXHAUSTIVE_VARS)
        try_all(chooser, vars, count);
    else
        descend(chooser, vars, count);
}

/* Variables in order, those of one group one after the other; returns where each group begins. */
static uint32_t *sort_by_group(struct phase_chooser *chooser, uint32_t *vars) {
    size_t count = chooser->m->phases.len;
    uint32_t *begin = ARENA_ARRAY(&chooser->m->scratch, count + 2, uint32_t);
    for (uint32_t v = 0; v < count; v++)
        begin[group_of(chooser, v) + 2]++;
    for (size_t g = 2; g < count + 2; g++)
        begin[g] += begin[g - 1];
    for (uint32_t v = 0; v < count; v++)
        vars[begin[group_of(chooser, v) + 1]++] = v;
    return begin;
}

bool mapping_choose_phases(struct mapping *mapping) {
    struct phase_chooser c = {.m = mapping};
    uint32_t *vars = ARENA_ARRAY(&mapping->scratch, mapping->phases.len + 1, uint32_t);
    list_sites(&c);
    find_groups(&c);
    list_sites_of_vars(&c);
    uint32_t *begin = sort_by_group(&c, vars);
    for (uint32_t v = 0; v < mapping->phases.len; v++)
        if (begin[v + 1] > begin[v])
            choose_group(&c, vars + begin[v], begin[v + 1] - begin[v]);
    vec_free(&c.sites);
    return true;
}
