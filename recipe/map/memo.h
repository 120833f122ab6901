/* SPDX-License-Identifier: MIT
 * Programs that the search has found, for the files of this folder and for the tests. */
#ifndef RECIPE_MAP_MEMO_H
#define RECIPE_MAP_MEMO_H

#include "recipe/map/mapping.h"

#include "support/hash_table.h"

/* What a program depends on besides the target's gates, in one fixed order. */
struct search_key {
    uint8_t value_count, output_count;
    uint8_t values[SEARCH_MAX_INPUTS];      /* place | late << 7 */
    uint8_t outputs[SEARCH_MAX_OUTPUTS][2]; /* truth, place | early << 7 */
};

struct search_memory {
    struct search_key key;
    struct search_program program; /* if found */
    bool found;
    struct search_memory *next;      /* asked for before this one */
    struct search_memory *next_kept; /* among those that the cache keeps */
};

struct known_gates;

/* Of one recipe set. */
struct search_memo {
    struct map_gates gates;
    const struct derived *copies;    /* sequences that copy a row are among these, or NULL */
    const struct derived **between;  /* [from class][to class]: NULL until they are asked for */
    const struct known_gates *known; /* programs for these very gates, or NULL */
    /* By effort, so that no program depends on what was asked before. */
    HASH_TABLE(struct search_key, struct search_memory *) by_key[EFFORTS];
    struct search_memory *latest;
    const char *refusal;        /* why a usual function is missing, once that was asked for */
    struct search_memory *kept; /* what the cache has, or is to have: of full effort */
    size_t kept_count;
    bool read, unwritten; /* the cache was asked; it lacks some */
};

extern const uint8_t mapping_variables[SEARCH_MAX_INPUTS];
void mapping_add_constants(const struct map_gates *gates, struct search_problem *problem);

/* known.c: do `count` gates agree in all but their tags? */
bool mapping_same_gates(const struct search_gate *left, const struct search_gate *right,
                        unsigned count);
/* Programs that were searched when known_programs.inc was generated.  A list of them
 * serves a target whose gates (functions, places, costs, in this order) and constants are the
 * list's; NULL if there is none. */
const struct known_gates *mapping_known_find(const struct map_gates *gates);
/* Fills in what is known about x->key; false if that is nothing. */
bool mapping_known_recall(const struct known_gates *known, const struct map_gates *gates,
                          struct search_memory *memory);

/* kept_searches.c: where the set keeps things, what earlier mappings for such gates have found
 * joins what is remembered, once; what was found joins what is to be kept; that is written. */
void mapping_kept_read(struct recipe_set *set);
void mapping_kept_note(struct search_memo *memo, struct search_memory *memory);
void mapping_kept_write(struct recipe_set *set);

#endif
