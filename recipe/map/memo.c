/* SPDX-License-Identifier: MIT
 * What the mapping asks of the search is asked once: problems that differ in the names of inputs
 * and outputs only are one, and those of the built-in targets' gates are known beforehand. */
#include "recipe/map/memo.h"

#include "support/pool.h"

#include <string.h>

/* States that the search looks at before it takes the best program so far, by effort. */
static const uint64_t budgets[EFFORTS] = {1000000, 100000, 5000};

const uint8_t mapping_variables[SEARCH_MAX_INPUTS] = {0xAA, 0xCC, 0xF0};

/* The function when variable p of it is called order[p]. */
static uint8_t rename_variables(uint8_t truth, const unsigned *order) {
    uint8_t renamed = 0;
    for (unsigned row = 0; row < 8; row++) {
        unsigned old = 0;
        for (unsigned v = 0; v < SEARCH_MAX_INPUTS; v++)
            old |= (row >> order[v] & 1) << v;
        renamed |= (uint8_t)((truth >> old & 1) << row);
    }
    return renamed;
}

static bool depends_on(uint8_t truth, unsigned value) {
    unsigned shift = 1u << value;
    return ((truth >> shift ^ truth) & ~mapping_variables[value] & 0xff) != 0;
}

/* order[i]: the variable that input i becomes; inputs that nothing depends on come last. */
static void make_key(const struct request *request, const unsigned *order, unsigned used,
                     bool swapped, struct search_key *key) {
    memset(key, 0, sizeof *key);
    key->value_count = (uint8_t)used;
    key->output_count = (uint8_t)request->output_count;
    for (unsigned i = 0; i < request->input_count; i++)
        if (order[i] < used)
            key->values[order[i]] = (uint8_t)(request->places[i] | request->late[i] << 7);
    for (unsigned i = 0; i < request->output_count; i++) {
        const struct search_output *o =
            &request->outputs[swapped ? request->output_count - 1 - i : i];
        key->outputs[i][0] = rename_variables(o->truth, order);
        key->outputs[i][1] = (uint8_t)(o->place | o->early << 7);
    }
}

static unsigned order_used(const struct request *request, const unsigned *order, bool *fine) {
    unsigned used = 0;
    bool needed[SEARCH_MAX_INPUTS] = {false};
    for (unsigned i = 0; i < request->input_count; i++)
        for (unsigned o = 0; o < request->output_count; o++)
            needed[i] |= depends_on(request->outputs[o].truth, i);
    for (unsigned i = 0; i < SEARCH_MAX_INPUTS; i++)
        used += needed[i];
    *fine = true;
    for (unsigned i = 0; i < SEARCH_MAX_INPUTS; i++)
        *fine &= !needed[i] || order[i] < used;
    return used;
}

/* The least key of all orders of inputs and outputs: programs that differ in names only are
 * searched once. */
static void find_key(const struct request *request, struct search_key *key, struct solved *out) {
    static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    bool first = true;
    for (unsigned n = 0; n < 12; n++) {
        const unsigned *order = orders[n / 2];
        bool swapped = n % 2, fine;
        struct search_key k;
        unsigned used = order_used(request, order, &fine);
        if (!fine || (swapped && request->output_count < 2))
            continue;
        make_key(request, order, used, swapped, &k);
        if (!first && memcmp(&k, key, sizeof k) >= 0)
            continue;
        first = false;
        *key = k;
        out->input_count = used;
        for (unsigned i = 0; i < SEARCH_MAX_INPUTS; i++)
            if (order[i] < used)
                out->inputs[order[i]] = i;
        for (unsigned i = 0; i < request->output_count; i++)
            out->outputs[i] = swapped ? request->output_count - 1 - i : i;
    }
}

void mapping_add_constants(const struct map_gates *gates, struct search_problem *problem) {
    const struct search_value zero = {0x00, SEARCH_CONST, false}, one = {0xFF, SEARCH_CONST, false};
    if (gates->zero)
        problem->values[problem->value_count++] = zero;
    if (gates->one)
        problem->values[problem->value_count++] = one;
}

static void mapping_make_problem(const struct map_gates *gates, const struct search_key *key,
                                 struct search_problem *problem) {
    *problem = (struct search_problem){.gates = gates->gates, .gate_count = gates->count};
    for (unsigned i = 0; i < key->value_count; i++)
        problem->values[problem->value_count++] =
            (struct search_value){mapping_variables[i], key->values[i] & 0x7f, key->values[i] >> 7};
    mapping_add_constants(gates, problem);
    for (unsigned i = 0; i < key->output_count; i++)
        problem->outputs[problem->output_count++] = (struct search_output){
            key->outputs[i][0], key->outputs[i][1] & 0x7f, key->outputs[i][1] >> 7};
    problem->budget = budgets[EFFORT_FULL];
}

static void search(const struct mapping *mapping, struct search_memory *memory) {
    struct search_problem p;
    mapping_make_problem(&mapping->gates, &memory->key, &p);
    p.budget = budgets[mapping->effort];
    memory->found = search_minimal(&p, &memory->program);
}

static bool recall_known(const struct search_memo *memo, struct search_memory *memory) {
    return memo->known && mapping_known_recall(memo->known, &memo->gates, memory);
}

/* Where a program of the key is remembered: not NULL if one is.  Earlier runs may have found it. */
static struct search_memory **find(struct mapping *mapping, const struct search_key *key) {
    struct search_memo *memo = mapping->set->searches;
    struct search_memory **known = hash_table_put(&memo->by_key[mapping->effort], key);
    struct search_memory unused = {.key = *key};
    if (*known || mapping->effort != EFFORT_FULL || recall_known(memo, &unused))
        return known;
    mapping_kept_read(mapping->set);
    return hash_table_put(&memo->by_key[mapping->effort], key);
}

/* What is remembered of the key, a new one if nothing is; *searched: what it lacks is there. */
static struct search_memory *remember(struct mapping *mapping, const struct search_key *key,
                                      bool *searched) {
    struct search_memo *memo = mapping->set->searches;
    struct search_memory **known = find(mapping, key);
    *searched = *known != NULL;
    if (*known)
        return *known;
    struct search_memory *made = *known = ARENA_NEW(&mapping->set->arena, struct search_memory);
    made->key = *key;
    *searched = recall_known(memo, made);
    if (mapping->effort == EFFORT_FULL) {
        made->next = memo->latest;
        memo->latest = made;
    }
    return made;
}

static void note_search(const struct mapping *mapping, struct search_memory *memory) {
    if (mapping->effort == EFFORT_FULL)
        mapping_kept_note(mapping->set->searches, memory);
}

static const struct search_memory *recall(struct mapping *mapping, const struct search_key *key) {
    bool searched;
    struct search_memory *memory = remember(mapping, key, &searched);
    if (!searched) {
        search(mapping, memory);
        note_search(mapping, memory);
    }
    return memory;
}

void mapping_expect(struct mapping *mapping, const struct request *request) {
    struct search_key key = {0};
    struct solved unused;
    bool searched;
    find_key(request, &key, &unused);
    struct search_memory *memory = remember(mapping, &key, &searched);
    if (!searched)
        vec_push(&mapping->expected, memory);
}

static void search_one(void *context, size_t index) {
    const struct mapping *m = context;
    search(m, m->expected.data[index]);
}

void mapping_search_expected(struct mapping *mapping) {
    pool_run(mapping->set->pool, mapping->expected.len, search_one, mapping);
    for (size_t i = 0; i < mapping->expected.len; i++)
        note_search(mapping, mapping->expected.data[i]);
    mapping->expected.len = 0;
}

void mapping_memo_free(struct search_memo *memo) {
    for (unsigned i = 0; memo && i < EFFORTS; i++)
        hash_table_free(&memo->by_key[i]);
    if (!memo)
        return;
    pthread_mutex_destroy(&memo->lock);
    arena_free(&memo->own);
}

void mapping_solve(struct mapping *mapping, const struct request *request, struct solved *out) {
    struct search_key key = {0};
    *out = (struct solved){0};
    find_key(request, &key, out);
    const struct search_memory *s = recall(mapping, &key);
    out->program = &s->program;
    out->found = s->found;
}
