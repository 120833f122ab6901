/* SPDX-License-Identifier: MIT
 * A table as the truth tables of its bits. */
#ifndef RECIPE_LUT_TRUTH_H
#define RECIPE_LUT_TRUTH_H

#include "isa-spec/lut.h"
#include "recipe/lut/network.h"

/* Bit x of a truth table is the value at index x; tables of fewer than 64 entries repeat. */
struct lut_truth {
    unsigned inputs, outputs;
    size_t words;   /* of one truth table */
    uint64_t *bits; /* [outputs][words] */
};

/* The low `inputs` bits of the index count, at most the table's; outputs beyond the elements' width
 * are 0. */
void lut_truth_make(const struct isa_lut *table, unsigned inputs, unsigned outputs,
                    struct lut_truth *truth);
void lut_truth_free(struct lut_truth *truth);

static inline uint64_t *lut_truth_of(const struct lut_truth *truth, unsigned output) {
    return truth->bits + output * truth->words;
}
static inline bool lut_truth_bit(const struct lut_truth *truth, unsigned output, uint32_t index) {
    return lut_truth_of(truth, output)[index >> 6] >> (index & 63) & 1;
}
/* Entries that differ. */
static inline uint32_t lut_truth_size(const struct lut_truth *truth) {
    return (uint32_t)1 << truth->inputs;
}
/* Input `input` as a truth table: word number `word` of it. */
uint64_t lut_variable_word(unsigned input, size_t word);

/* Does the network give the table's value for every index? */
bool lut_truth_holds(const struct lut_truth *truth, const struct lut_network *network);

#endif
