/* SPDX-License-Identifier: MIT
 * Independent means to judge recipe/search.c: a checker of programs and plain enumerations. */
#ifndef TESTS_RECIPE_SEARCH_CHECK_H
#define TESTS_RECIPE_SEARCH_CHECK_H

#include "recipe/search/search.h"

#define NO_COST UINT32_MAX

uint8_t apply_gate(const struct search_gate *g, const uint8_t src[3]);

/* Runs the program and fails the test unless every source, destination, output, cost and chain is
 * what the problem allows and the program says. */
void check_program(const struct search_problem *p, const struct search_program *x);

/* Least costs up to `most`, by looking at all sets of functions that steps can make in rows, one
 * step after the other.  The problem's outputs are not looked at.  NO_COST: more than `most`. */
struct all_costs {
    uint32_t most;
    uint32_t one[2][256];       /* [0]: in a row, [1]: in M */
    uint32_t pair[2][256][256]; /* first output in a row, second in a row or in M */
};
void all_costs(const struct search_problem *p, struct all_costs *a);

/* Cost and chain of the best program for the outputs of p, by looking at every program of at most
 * `steps` steps in every choice of gates and sources; false: there is none. */
bool best_program(const struct search_problem *p, unsigned steps, uint64_t *cost, uint64_t *chain);

#endif
