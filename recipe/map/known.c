/* SPDX-License-Identifier: MIT
 * Programs for the gates of the built-in targets, so that no start of a tool has to search for
 * them.  The list is generated from the search (target recipe-programs); what is not in it is
 * searched for.  A test searches for all of it anew. */
#include "recipe/map/memo.h"

#include <stdlib.h>
#include <string.h>

/* As search_step; nsrc and tag are the gate's. */
struct known_step {
    uint8_t gate, place, src[SEARCH_MAX_SRC];
};

struct known_program {
    struct search_key key;
    bool found, minimal;
    uint32_t cost, chain;
    uint8_t outputs[SEARCH_MAX_OUTPUTS];
    uint8_t step_count;
    uint32_t first_step;
};

struct known_gates {
    const struct search_gate *gates; /* without tags */
    unsigned gate_count;
    bool zero, one;
    const struct known_program *programs; /* by key */
    size_t program_count;
    const struct known_step *steps;
};

#include "recipe/map/known_programs.inc"

/* A member more is one that has to be compared, and printed by the generator. */
_Static_assert(sizeof(struct search_gate) == 16, "same_gate compares every member but the tag");

static bool same_gate(const struct search_gate *a, const struct search_gate *b) {
    return a->nsrc == b->nsrc && a->truth == b->truth &&
           memcmp(a->src_places, b->src_places, sizeof a->src_places) == 0 &&
           a->dst_places == b->dst_places && a->cost == b->cost;
}

bool mapping_same_gates(const struct search_gate *a, const struct search_gate *b, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!same_gate(&a[i], &b[i]))
            return false;
    return true;
}

static bool serves(const struct known_gates *k, const struct map_gates *g) {
    return k->gate_count == g->count && k->zero == g->zero && k->one == g->one &&
           mapping_same_gates(k->gates, g->gates, g->count);
}

const struct known_gates *mapping_known_find(const struct map_gates *gates) {
    for (size_t i = 0; i < sizeof all_known / sizeof all_known[0]; i++)
        if (serves(&all_known[i], gates))
            return &all_known[i];
    return NULL;
}

static int compare_key(const void *key, const void *program) {
    return memcmp(key, &((const struct known_program *)program)->key, sizeof(struct search_key));
}

static void unpack(const struct known_gates *known, const struct map_gates *gates,
                   const struct known_program *k, struct search_program *p) {
    p->cost = k->cost;
    p->chain = k->chain;
    p->minimal = k->minimal;
    p->step_count = k->step_count;
    memcpy(p->outputs, k->outputs, sizeof p->outputs);
    for (unsigned i = 0; i < k->step_count; i++) {
        const struct known_step *s = &known->steps[k->first_step + i];
        const struct search_gate *g = &gates->gates[s->gate];
        p->steps[i] = (struct search_step){
            .tag = g->tag, .gate = s->gate, .nsrc = g->nsrc, .place = s->place};
        memcpy(p->steps[i].src, s->src, sizeof s->src);
    }
}

bool mapping_known_recall(const struct known_gates *known, const struct map_gates *gates,
                          struct search_memory *x) {
    const struct known_program *k = bsearch(&x->key, known->programs, known->program_count,
                                            sizeof *known->programs, compare_key);
    if (!k)
        return false;
    x->found = k->found;
    if (k->found)
        unpack(known, gates, k, &x->program);
    return true;
}
