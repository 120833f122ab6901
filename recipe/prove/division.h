/* SPDX-License-Identifier: MIT
 * The reference of a quotient and a remainder (chain.h): the rounds of a long division. */
#ifndef RECIPE_PROVE_DIVISION_H
#define RECIPE_PROVE_DIVISION_H

#include "recipe/prove/chain.h"

struct division;

/* As prove_chain_...; chain.h says what. */
struct division *prove_division_new(const struct recipe *recipe, const struct insn *insn,
                                    unsigned w);
void prove_division_free(struct division *division);
bool prove_division_reads(const struct division *division, unsigned reg);
void prove_division_build(struct division *division, struct fold *fold, unsigned attempt);
bool prove_division_result(const struct division *division, uint8_t field, unsigned j,
                           uint32_t *bit);
void prove_division_names(const struct division *division, struct fold_bits *bits);
void prove_division_define(const struct division *division, const struct fold *fold,
                           struct str *out);
bool prove_division_law(const struct division *division, unsigned index, struct str *out);

#endif
