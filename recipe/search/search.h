/* SPDX-License-Identifier: MIT
 * Straight-line programs of least cost for Boolean functions: what the mapping of generic recipes
 * asks for each body of up to three inputs and two outputs.  Knows nothing of recipes or targets;
 * works on truth tables.
 *
 * Functions are those of SEARCH_MAX_INPUTS variables: bit i of a truth table is the value where
 * variable v has bit (i >> v) & 1, so variables are 0xAA, 0xCC and 0xF0. */
#ifndef RECIPE_SEARCH_SEARCH_H
#define RECIPE_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEARCH_MAX_INPUTS  3
#define SEARCH_MAX_VALUES  8 /* values there at the start: variables and constants */
#define SEARCH_MAX_OUTPUTS 2
#define SEARCH_MAX_SRC     3 /* of one gate */
#define SEARCH_MAX_STEPS   24
#define SEARCH_MAX_GATES   250 /* their numbers are bytes */

/* Where a value lies, as far as gates care.  Results of steps lie in rows unless an output asks
 * for another place. */
enum search_place {
    SEARCH_ROW,
    SEARCH_CONST,
    SEARCH_BUFFER,
    SEARCH_C,
    SEARCH_M,
    SEARCH_VALID,
    SEARCH_REGISTER, /* where registers are no rows like others */
    SEARCH_PLACES
};
#define SEARCH_IN(place) (1u << (place))

/* One way to use a micro-op.  truth: bit i is the result where source s has bit (i >> s) & 1. */
struct search_gate {
    uint8_t nsrc; /* 0 .. SEARCH_MAX_SRC */
    uint8_t truth;
    uint8_t src_places[SEARCH_MAX_SRC]; /* SEARCH_IN bits: where source s may lie */
    uint8_t dst_places;                 /* where the result may go */
    uint32_t cost;                      /* at least 1; all costs of a problem in one unit */
    uint32_t tag;                       /* the caller's */
};

struct search_value {
    uint8_t truth;
    uint8_t place;
    bool late; /* a carry that comes in: steps that depend on it wait for the neighbour */
};

struct search_output {
    uint8_t truth;
    uint8_t place; /* SEARCH_ROW, SEARCH_C, SEARCH_M, ...: the last step writes there directly */
    bool early;    /* a carry that goes out: to be ready as soon as possible */
};

struct search_problem {
    const struct search_gate *gates;
    unsigned gate_count;
    struct search_value values[SEARCH_MAX_VALUES];
    unsigned value_count;
    struct search_output outputs[SEARCH_MAX_OUTPUTS];
    unsigned output_count;
    uint64_t budget; /* states looked at before the best program so far is taken; 0: no bound */
};

/* Value numbers: those of the problem first, then one for each step. */
struct search_step {
    uint32_t tag;
    uint8_t gate; /* index into the problem's gates */
    uint8_t nsrc;
    uint8_t src[SEARCH_MAX_SRC];
    uint8_t place;
};

struct search_program {
    struct search_step steps[SEARCH_MAX_STEPS]; /* each after those that it reads */
    unsigned step_count;
    uint8_t outputs[SEARCH_MAX_OUTPUTS]; /* value number of each */
    uint64_t cost;
    uint64_t chain; /* cost of the steps of early outputs that depend on late values */
    bool minimal;   /* no program of less cost exists: the search was exhausted */
    uint64_t states;
};

/* The program of least cost, and among those (as far as the budget goes) of the shortest chain;
 * the same on every machine.  Each output is written by a step of its own, also where its function
 * is that of a value (the caller may prefer to name that value instead) or of the other output.
 * False if no program of at most SEARCH_MAX_STEPS steps was found. */
bool search_minimal(const struct search_problem *problem, struct search_program *out);

/* The functions that steps can make in rows from the problem's values: bit f of set[f / 64].
 * For telling what an incomplete gate set lacks. */
void search_closure(const struct search_problem *problem, uint64_t set[4]);
/* The same, but ends as soon as all of `wanted` are there. */
void search_closure_of(const struct search_problem *problem, const uint64_t wanted[4],
                       uint64_t set[4]);

#endif
