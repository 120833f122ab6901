/* SPDX-License-Identifier: MIT
 * From truth tables to gates: the ways that are tried.  For the files of this folder and the
 * tests. */
#ifndef RECIPE_LUT_SYNTHESIS_H
#define RECIPE_LUT_SYNTHESIS_H

#include "recipe/lut/truth.h"

/* Which outputs a way has to make: bit i for output i.  It adds gates to the network and sets these
 * outputs; what others have made before may be shared. */
typedef uint64_t lut_outputs;

/* sums.c: outputs that are sums of inputs, modulo 2, and perhaps 1; the constants among them.  Says
 * which of `wanted` it made. */
lut_outputs lut_make_sums(const struct lut_truth *truth, lut_outputs wanted,
                          struct lut_network *network);
/* Faster than a call where the processor's own way may not be used. */
static inline unsigned lut_bit_count(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Sums of sources: bit k of rows[i] says that sources[k] is in sum i.  Pairs that many sums have
 * in common are made once, the most frequent first (Paar's method); `seed` decides between equals.
 * At most 64 sources and 64 sums. */
void lut_add_sums(struct lut_network *network, const uint32_t *sources, unsigned source_count,
                  const uint64_t *rows, unsigned row_count, uint64_t seed, uint32_t *sums);
/* The XORs that would take. */
unsigned lut_count_sums(unsigned source_count, const uint64_t *rows, unsigned row_count,
                        uint64_t seed);

/* diagram.c: a decision diagram with the order of inputs, and the expansion by each, that was found
 * to cost least. */
void lut_make_diagram(const struct lut_truth *truth, lut_outputs wanted,
                      const struct lut_costs *costs, struct lut_network *network);
/* With the inputs as they stand, the highest first: a tree of selects that shares what is equal. */
void lut_make_selects(const struct lut_truth *truth, lut_outputs wanted,
                      struct lut_network *network);

/* inversion.c: eight outputs that are an affine map of the inverse, in the field of 256 elements,
 * of an affine map of eight inputs, where all others are constants.  False if they are not. */
bool lut_make_inversion(const struct lut_truth *truth, struct lut_network *network);

#endif
