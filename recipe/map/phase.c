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

static bool phase(const struct mapping *m, uint32_t var) {
    return var != NOTHING && m->phases.data[var];
}

static uint8_t evaluate(const struct segment *s, const struct logic *l) {
    uint8_t a[3] = {0, 0, 0};
    for (unsigned i = 0; i < l->count; i++)
        a[i] = evaluate(s, l->args[i]);
    switch (l->op) {
    case LOGIC_CONST:
        return mask(l->one);
    case LOGIC_LEAF:
        return s->values.data[l->ref.value].truth ^ mask(l->ref.inverted);
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
static void fill_truths(struct mapping *m, struct segment *s, const struct map_block *b) {
    static const uint8_t variables[SEARCH_MAX_INPUTS] = {0xAA, 0xCC, 0xF0};
    for (unsigned i = 0; i < b->input_count; i++) {
        struct map_value *v = &s->values.data[b->inputs[i]];
        v->truth = variables[i] ^ mask(phase(m, v->phase));
    }
    for (uint32_t d = b->first_def; d < b->end_def; d++)
        for (unsigned k = 0; k < s->defs.data[d].count; k++) {
            struct map_value *v = &s->values.data[s->defs.data[d].values[k]];
            if (v->needed)
                v->truth = evaluate(s, v->tree);
        }
}

static uint8_t place_of_value(const struct segment *s, uint32_t value) {
    const struct map_value *v = &s->values.data[value];
    return v->input ? v->place : SEARCH_ROW;
}

static const struct map_name *name_of(const struct mapping *m, const struct segment *s,
                                      const struct block_entry *e) {
    return e->write == NOTHING ? NULL : &m->names.data[s->writes.data[e->write].name];
}

static uint8_t stored_truth(const struct mapping *m, const struct segment *s,
                            const struct block_entry *e) {
    const struct map_name *n = name_of(m, s, e);
    uint32_t var = n ? n->phase : s->values.data[e->value].phase;
    return s->values.data[e->value].truth ^ mask(e->inverted) ^ mask(phase(m, var));
}

static int find_output(const struct request *q, uint8_t truth, uint8_t place) {
    for (unsigned i = 0; i < q->output_count; i++)
        if (q->outputs[i].truth == truth && q->outputs[i].place == place)
            return (int)i;
    return -1;
}

static void set_entry(struct realization *r, unsigned entry, enum realized how, unsigned index,
                      bool own) {
    r->entries[entry].how = how;
    r->entries[entry].index = index;
    r->entries[entry].own = own;
}

/* A new output, if there is room. */
static bool add_output(struct realization *r, unsigned entry, uint8_t truth, uint8_t place,
                       bool early, bool own) {
    struct request *q = &r->request;
    if (q->output_count == SEARCH_MAX_OUTPUTS)
        return false;
    set_entry(r, entry, FROM_OUTPUT, q->output_count, own);
    q->outputs[q->output_count++] = (struct search_output){truth, place, early};
    return true;
}

/* Registers and latches: written by a step of their own, or copied when there are too many. */
static void realize_fixed(struct mapping *m, struct segment *s, const struct map_block *b,
                          unsigned i, struct realization *r) {
    const struct map_name *n = name_of(m, s, &b->entries[i]);
    uint32_t name = s->writes.data[b->entries[i].write].name;
    uint8_t place = n->kind == NAME_REGISTER ? SEARCH_ROW : name == SYMBOL_C ? SEARCH_C : SEARCH_M;
    uint8_t truth = stored_truth(m, s, &b->entries[i]);
    int same = find_output(&r->request, truth, SEARCH_ROW);
    if (add_output(r, i, truth, place, false, true))
        return;
    r->feasible &= same >= 0 && place != SEARCH_M;
    set_entry(r, i, FROM_OUTPUT, same < 0 ? 0 : (unsigned)same, false);
    r->moved += m->gates.copy_cost;
}

static bool may_move(const struct mapping *m, const struct segment *s, const struct map_name *n,
                     uint8_t place) {
    if (!n)
        return place == SEARCH_ROW || (place == SEARCH_CONST && m->gates.plain_constants);
    if (n->kind == NAME_SCRATCH)
        return m->gates.names[place];
    return s->carry ? m->gates.begins[place] : m->gates.hands_on[place];
}

bool mapping_is_written(const struct mapping *m, uint32_t name) {
    const struct map_name *n = &m->names.data[name];
    uint8_t field = n->kind == NAME_REGISTER ? n->field : name == SYMBOL_C ? FIELD_C : FIELD_M;
    struct signature s;
    notation_signature(m->source->op, &s);
    for (unsigned i = 0; i < s.out_count; i++)
        if (s.out[i] == field)
            return n->kind == NAME_REGISTER || name == SYMBOL_C || name == SYMBOL_M;
    return false;
}

static bool is_written_register(const struct mapping *m, uint32_t name) {
    return m->names.data[name].kind == NAME_REGISTER && mapping_is_written(m, name);
}

/* A second name costs a copy where its place may be overwritten. */
static uint64_t move_cost(const struct mapping *m, const struct map_name *n, uint8_t place,
                          bool written) {
    bool lasting = place != SEARCH_BUFFER && !written;
    bool crosses = n && n->kind == NAME_CARRY && m->gates.sections;
    return !n || crosses || lasting ? 0 : m->gates.copy_cost;
}

static bool move_input(struct mapping *m, struct segment *s, const struct map_block *b, unsigned i,
                       uint8_t truth, struct realization *r) {
    static const uint8_t variables[SEARCH_MAX_INPUTS] = {0xAA, 0xCC, 0xF0};
    const struct map_name *n = name_of(m, s, &b->entries[i]);
    for (unsigned k = 0; k < b->input_count; k++) {
        const struct map_value *v = &s->values.data[b->inputs[k]];
        uint8_t place = place_of_value(s, b->inputs[k]);
        if (truth != variables[k] || !may_move(m, s, n, place))
            continue;
        set_entry(r, i, FROM_INPUT, k, false);
        r->moved += move_cost(m, n, place, v->input && is_written_register(m, v->name));
        return true;
    }
    return false;
}

static bool move_constant(struct mapping *m, struct segment *s, const struct map_block *b,
                          unsigned i, uint8_t truth, struct realization *r) {
    const struct map_name *n = name_of(m, s, &b->entries[i]);
    bool there = truth == 0 ? m->gates.zero : truth == 0xff && m->gates.one;
    if (!there || !may_move(m, s, n, SEARCH_CONST))
        return false;
    set_entry(r, i, FROM_CONST, truth != 0, false);
    return true;
}

static bool move_output(struct mapping *m, struct segment *s, const struct map_block *b, unsigned i,
                        uint8_t truth, struct realization *r) {
    const struct map_name *n = name_of(m, s, &b->entries[i]);
    int same = find_output(&r->request, truth, SEARCH_ROW);
    if (same < 0)
        return false;
    bool is_register = false;
    for (unsigned k = 0; k < b->entry_count; k++) {
        const struct map_name *other = name_of(m, s, &b->entries[k]);
        is_register |= r->entries[k].own && r->entries[k].index == (unsigned)same && other &&
                       other->kind == NAME_REGISTER;
    }
    set_entry(r, i, FROM_OUTPUT, (unsigned)same, false);
    r->request.outputs[same].early |= s->values.data[b->entries[i].value].early;
    r->moved += move_cost(m, n, SEARCH_ROW, is_register);
    return true;
}

/* Scratch names, carries and values for other blocks: second names where that is free. */
static void realize_loose(struct mapping *m, struct segment *s, const struct map_block *b,
                          unsigned i, struct realization *r) {
    uint8_t truth = stored_truth(m, s, &b->entries[i]);
    const struct map_name *n = name_of(m, s, &b->entries[i]);
    bool early = s->values.data[b->entries[i].value].early;
    if (move_input(m, s, b, i, truth, r) || move_constant(m, s, b, i, truth, r) ||
        move_output(m, s, b, i, truth, r))
        return;
    r->feasible &= add_output(r, i, truth, SEARCH_ROW, early, !n || n->kind == NAME_SCRATCH);
}

static void realize_entries(struct mapping *m, struct segment *s, const struct map_block *b,
                            bool fixed, struct realization *r) {
    for (unsigned i = 0; i < b->entry_count; i++) {
        const struct map_name *n = name_of(m, s, &b->entries[i]);
        bool is_fixed = n && (n->kind == NAME_REGISTER || n->kind == NAME_LATCH);
        if (is_fixed && fixed)
            realize_fixed(m, s, b, i, r);
        else if (!is_fixed && !fixed)
            realize_loose(m, s, b, i, r);
    }
}

void mapping_realize(struct mapping *m, struct segment *s, const struct map_block *b,
                     struct realization *r) {
    *r = (struct realization){.feasible = true};
    fill_truths(m, s, b);
    r->request.input_count = b->input_count;
    for (unsigned i = 0; i < b->input_count; i++) {
        r->request.places[i] = place_of_value(s, b->inputs[i]);
        r->request.late[i] = s->values.data[b->inputs[i]].late;
    }
    realize_entries(m, s, b, true, r);
    realize_entries(m, s, b, false, r);
    if (r->feasible && r->request.output_count)
        mapping_solve(m, &r->request, &r->solved);
    r->feasible &= !r->request.output_count || r->solved.found;
}

/* --- costs --- */

struct site {
    struct segment *segment;
    struct map_block *block;
    uint64_t weight;
};

struct phase_chooser {
    struct mapping *m;
    VEC(struct site) sites;
    uint32_t *group; /* by variable: one of those that it is related to */
};

static uint64_t cost_of_block(struct mapping *m, struct segment *s, const struct map_block *b) {
    struct realization r;
    mapping_realize(m, s, b, &r);
    if (!r.feasible)
        return IMPOSSIBLE;
    uint64_t cost = r.moved, chain = 0;
    if (r.request.output_count) {
        cost += r.solved.program->cost;
        chain = r.solved.program->chain;
    }
    return cost * COST_UNIT + (chain < COST_UNIT ? chain : COST_UNIT - 1) + 1;
}

static uint64_t cost_of_site(struct mapping *m, const struct site *t) {
    struct map_block *b = t->block;
    uint32_t at = 0;
    if (b->var_count > CACHED_VARS)
        return t->weight * cost_of_block(m, t->segment, b);
    if (!b->costs)
        b->costs = ARENA_ARRAY(&m->scratch, 1u << b->var_count, uint64_t);
    for (unsigned i = 0; i < b->var_count; i++)
        at |= (uint32_t)m->phases.data[b->vars[i]] << i;
    if (!b->costs[at])
        b->costs[at] = cost_of_block(m, t->segment, b);
    return t->weight * b->costs[at];
}

static void list_sites(struct phase_chooser *c) {
    for (size_t i = 0; i < c->m->segments.len; i++) {
        struct segment *s = c->m->segments.data[i];
        uint64_t weight = 1;
        for (unsigned d = 0; d < s->depth && d < MAX_DEPTH; d++)
            weight *= LOOP_WEIGHT;
        for (size_t k = 0; k < s->blocks.len; k++) {
            struct site t = {s, &s->blocks.data[k], weight};
            if (t.block->var_count)
                vec_push(&c->sites, t);
        }
    }
}

/* --- groups of related variables --- */

static uint32_t group_of(const struct phase_chooser *c, uint32_t var) {
    while (c->group[var] != var)
        var = c->group[var];
    return var;
}

static void find_groups(struct phase_chooser *c) {
    c->group = ARENA_ARRAY(&c->m->scratch, c->m->phases.len + 1, uint32_t);
    for (uint32_t i = 0; i < c->m->phases.len; i++)
        c->group[i] = i;
    for (size_t i = 0; i < c->sites.len; i++) {
        const struct map_block *b = c->sites.data[i].block;
        for (unsigned k = 1; k < b->var_count; k++) {
            uint32_t x = group_of(c, b->vars[0]), y = group_of(c, b->vars[k]);
            c->group[x > y ? x : y] = x > y ? y : x;
        }
    }
}

static uint64_t cost_of_group(struct phase_chooser *c, uint32_t group) {
    uint64_t sum = 0;
    for (size_t i = 0; i < c->sites.len; i++)
        if (group_of(c, c->sites.data[i].block->vars[0]) == group)
            sum += cost_of_site(c->m, &c->sites.data[i]);
    return sum;
}

/* --- choices --- */

static void set_phases(struct mapping *m, const uint32_t *vars, unsigned count, uint32_t bits) {
    for (unsigned i = 0; i < count; i++)
        m->phases.data[vars[i]] = bits >> i & 1;
}

static void try_all(struct phase_chooser *c, uint32_t group, const uint32_t *vars, unsigned count) {
    uint64_t best = UINT64_MAX;
    uint32_t chosen = 0;
    for (uint32_t bits = 0; bits < 1u << count; bits++) {
        set_phases(c->m, vars, count, bits);
        uint64_t cost = cost_of_group(c, group);
        if (cost < best) {
            best = cost;
            chosen = bits;
        }
    }
    set_phases(c->m, vars, count, chosen);
}

/* Flips x, and y if it is another one; back if that is no gain. */
static bool try_flip(struct phase_chooser *c, uint32_t group, uint32_t x, uint32_t y,
                     uint64_t *best) {
    bool *phases = c->m->phases.data;
    phases[x] ^= true;
    phases[y] ^= x != y;
    uint64_t cost = cost_of_group(c, group);
    if (cost < *best) {
        *best = cost;
        return true;
    }
    phases[x] ^= true;
    phases[y] ^= x != y;
    return false;
}

static bool are_neighbours(const struct phase_chooser *c, uint32_t x, uint32_t y) {
    for (size_t i = 0; i < c->sites.len; i++) {
        const struct map_block *b = c->sites.data[i].block;
        bool has_x = false, has_y = false;
        for (unsigned k = 0; k < b->var_count; k++) {
            has_x |= b->vars[k] == x;
            has_y |= b->vars[k] == y;
        }
        if (has_x && has_y)
            return true;
    }
    return false;
}

/* Downhill by one variable, or two of one block, until nothing gains. */
static void descend(struct phase_chooser *c, uint32_t group, const uint32_t *vars, unsigned count) {
    uint64_t best = cost_of_group(c, group);
    bool gain = true;
    for (unsigned pass = 0; gain && pass < MAX_PASSES; pass++) {
        gain = false;
        for (unsigned i = 0; i < count; i++)
            gain |= try_flip(c, group, vars[i], vars[i], &best);
        for (unsigned i = 0; i < count; i++)
            for (unsigned k = 0; k < i; k++)
                gain |= are_neighbours(c, vars[i], vars[k]) &&
                        try_flip(c, group, vars[i], vars[k], &best);
    }
}

static void choose_group(struct phase_chooser *c, uint32_t group, uint32_t *vars) {
    unsigned count = 0;
    for (uint32_t v = 0; v < c->m->phases.len; v++)
        if (group_of(c, v) == group)
            vars[count++] = v;
    if (count <= EXHAUSTIVE_VARS)
        try_all(c, group, vars, count);
    else
        descend(c, group, vars, count);
}

bool mapping_choose_phases(struct mapping *m) {
    struct phase_chooser c = {.m = m};
    uint32_t *vars = ARENA_ARRAY(&m->scratch, m->phases.len + 1, uint32_t);
    list_sites(&c);
    find_groups(&c);
    for (uint32_t v = 0; v < m->phases.len; v++)
        if (c.group[v] == v)
            choose_group(&c, v, vars);
    vec_free(&c.sites);
    return true;
}
