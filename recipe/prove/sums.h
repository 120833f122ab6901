/* SPDX-License-Identifier: MIT
 * The reference of a product or a count of ones (chain.h): additions one after the other. */
#ifndef RECIPE_PROVE_SUMS_H
#define RECIPE_PROVE_SUMS_H

#include "recipe/prove/fold.h"
#include "recipe/set/set.h"

struct sums;

/* As prove_chain_...; chain.h says what. */
struct sums *prove_sums_new(const struct recipe *recipe, const struct insn *insn, unsigned w);
void prove_sums_free(struct sums *product);
bool prove_sums_reads(const struct sums *product, unsigned reg);
void prove_sums_build(struct sums *product, struct fold *fold, unsigned attempt);
bool prove_sums_result(const struct sums *product, uint8_t field, unsigned j, uint32_t *bit);
bool prove_sums_law(const struct sums *product, unsigned index, struct str *out);

#endif
