/* SPDX-License-Identifier: MIT
 * Values of planes in some lanes: what a plane may be equal to, before a solver says whether it
 * is; for smt.c and chain.c alone. */
#ifndef RECIPE_PROVE_SAMPLE_H
#define RECIPE_PROVE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_WORDS 32

/* One bit of each of 2,048 lanes. */
struct sample {
    uint64_t words[SAMPLE_WORDS];
};

/* The plane's values before the instruction; false for planes that have none.  Registers hold
 * random numbers, half of them with runs of equal bits at an end, that long carries occur. */
bool prove_sample_input(uint32_t plane, struct sample *out);
/* Bit i of truth: the function's value where source k is bit k of i. */
void prove_sample_apply(uint32_t truth, const struct sample *in, unsigned count,
                        struct sample *out);
/* a where c is 1, else b. */
void prove_sample_choose(const struct sample *c, const struct sample *a, const struct sample *b,
                         struct sample *out);
bool prove_sample_is_constant(const struct sample *s);
/* Equal in every lane, or (complement) different in every lane. */
bool prove_sample_matches(const struct sample *a, const struct sample *b, bool complement);

#endif
