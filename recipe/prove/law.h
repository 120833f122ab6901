/* SPDX-License-Identifier: MIT
 * What products and divisions share: how their contracts name registers, and how the files of their
 * laws begin. */
#ifndef RECIPE_PROVE_LAW_H
#define RECIPE_PROVE_LAW_H

#include "recipe/prove/fold.h"
#include "recipe/set/set.h"

/* The register that the expression names; false if it is no name of one. */
bool prove_law_register(const struct recipe *recipe, const struct insn *insn,
                        const struct recipe_expr *expr, unsigned *reg);
/* The bit of a register before the instruction. */
uint32_t prove_law_input(struct fold *fold, unsigned reg, unsigned bit);
/* Defines the word `name`, the lowest bit first in `bits`. */
void prove_law_word(const struct fold *fold, const char *name, const uint32_t *bits, unsigned count,
                    struct str *out);

/* Any two numbers x and y of w bits, the bits of these registers, and a bit c. */
#define LAW_X 1u
#define LAW_Y 2u
void prove_law_head(unsigned w, struct str *out);

#endif
