/* SPDX-License-Identifier: MIT
 * Carries by a tree (Brent and Kung, 1982), as a reference (chain.h) has them where micro-ops do:
 * of a stretch of bits `makes` is 1 where it makes a carry itself, and `hands` where it hands one
 * on. At first a stretch is one bit; two that touch become one at the upper one's place. */
#ifndef RECIPE_PROVE_CARRY_TREE_H
#define RECIPE_PROVE_CARRY_TREE_H

#include "recipe/prove/fold.h"

/* all[j] becomes 1 where all[0..j] are. */
void prove_carry_tree_all(struct fold *fold, uint32_t *all, unsigned count);
/* sum = x + y + carry, of w bits; *out: the carry out of the highest one.  sum may be x or y. */
void prove_carry_tree_add(struct fold *fold, const uint32_t *x, const uint32_t *y, uint32_t carry,
                          unsigned w, uint32_t *sum, uint32_t *out);

/* sample ? left : right */
uint32_t prove_carry_tree_pick(struct fold *fold, uint32_t sample, uint32_t left, uint32_t right);

#endif
