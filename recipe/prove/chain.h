/* SPDX-License-Identifier: MIT
 * Products and divisions as chains of sums and differences, for smt.c alone.
 *
 * A solver that is asked at once whether micro-ops compute a product or a quotient has to compare
 * two towers of adders, which takes it exponential time.  So the contract gets a reference: the
 * product as additions one after the other, the quotient as rounds of a long division, each bit of
 * a sum, a borrow or a remainder a bit of its own in the fold (fold.h).  The micro-ops come after
 * it.  Where they go the same way they meet its bits storey by storey, and what is left is that
 * their last bits are the reference's.
 *
 * That the reference computes what the contract says has two parts.  That a storey is right for any
 * numbers that come into it is asked of the solver, by files of their own ("laws"), once for a
 * width and for every recipe.  That storeys which are right make a product or a quotient is an
 * induction, which is said where the storey is made (sums.c, division.c). */
#ifndef RECIPE_PROVE_CHAIN_H
#define RECIPE_PROVE_CHAIN_H

#include "recipe/prove/fold.h"
#include "recipe/set/set.h"

struct chain;

/* NULL if the contracts are not  x * constant, x * y, z + x * y or popc(x),  nor quotients and
 * remainders of x and y,  with registers x, y, z. */
struct chain *prove_chain_new(const struct recipe *recipe, const struct insn *insn, unsigned w);
void prove_chain_free(struct chain *chain);
/* True if the reference reads bits of that register: r<reg>.<0..w-1> must be defined before. */
bool prove_chain_reads(const struct chain *chain, unsigned reg);
/* Makes the reference's bits; before the micro-ops'.  Where these do not meet it at attempt 0 they
 * may at a later one: how many there are. */
unsigned prove_chain_attempts(const struct chain *chain);
void prove_chain_build(struct chain *chain, struct fold *fold, unsigned attempt);
/* Bit j of the result in that field, where it is a bit of the reference. */
bool prove_chain_result(const struct chain *chain, uint8_t field, unsigned j, uint32_t *bit);
/* True if what a file says of this chain may hold for more than the reference's values: a model of
 * it refutes nothing. */
bool prove_chain_is_wider(const struct chain *chain);
/* Appends the bits that prove_chain_define names. */
struct fold_bits {
    uint32_t *data;
    size_t len, cap; /* works with vec_push and vec_free */
};
void prove_chain_names(const struct chain *chain, struct fold_bits *bits);
/* Defines want.<field> of the results that are no bits of the reference. */
void prove_chain_define(const struct chain *chain, const struct fold *fold, struct str *out);
/* The laws' files: false if there is none of that number.  They depend on the width and the
 * contracts alone. */
bool prove_chain_law(const struct chain *chain, unsigned index, struct str *out);

#endif
