/* SPDX-License-Identifier: MIT
 * `computes`, the contract of a recipe: result == expression, in ezpim's expressions.  Arithmetic
 * is modulo 2^w; s(x) reads x as signed; min, max, popc and select(c, x, y) are known. */
#ifndef RECIPE_COMPUTES_H
#define RECIPE_COMPUTES_H

#include "recipe/set.h"

/* Checks the names; false after reporting.  A recipe without `computes` is fine. */
bool computes_check(const struct recipe *c, struct diag *d);
/* The value that the contract promises for the lane `x` (operands at width w), of the result
 * whose field is set.  False where there is no contract. */
bool computes_eval(const struct recipe *c, const struct golden_lane *x, uint8_t *field,
                   uint64_t *value);

/* Runs the recipe's micro-ops on 64 lanes and compares with the instruction's golden function, and
 * the contract as well; false after reporting. */
bool recipe_verify(const struct recipe_set *set, const struct recipe *c, const struct insn *insn,
                   const struct uop_list *list, struct diag *d);

#endif
