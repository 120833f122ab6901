/* SPDX-License-Identifier: MIT
 * Products as chains of sums, for smt.c alone.
 *
 * A solver that is asked at once whether micro-ops compute a product has to compare two towers of
 * adders, which takes it exponential time.  It is quick where the towers are compared storey by
 * storey.  So the file gets a reference: the contract's product as additions one after the other,
 * each bit of a sum and of a carry a definition of its own.  Micro-ops whose values equal such a
 * bit in the lanes of sample.h are taken to equal it always: the micro-ops after them read the
 * reference's bit in their place, and the question contains, as one more way in which the contract
 * may be broken, that the two differ ("lemma").
 *
 * Why that proves the contract: the reference's bits are functions of the operands alone.  Let no
 * operands satisfy the question.  Then, by induction along the list, each micro-op gives for all
 * operands what its definition in the file says: its sources either are defined from earlier
 * micro-ops, or were replaced by a bit that a lemma says is equal.  So the final planes are what
 * the file says, and that is the last sum of the chain.  That the bits of one storey are the sum
 * of two numbers is asked as well ("law", for any two numbers and any carry in).  That the terms
 * add up to the product is the distributive law of numbers modulo 2^w: the terms are one operand
 * times powers of two that add up to the constant (chain.c sums them), or times the bits of the
 * other operand.
 *
 * The other direction does not hold: where operands satisfy the question a lemma may be at fault,
 * not the contract, and the question without a chain has to be asked (prove.c does). */
#ifndef RECIPE_PROVE_CHAIN_H
#define RECIPE_PROVE_CHAIN_H

#include "recipe/prove/sample.h"
#include "recipe/set.h"
#include "support/str.h"

struct lemma_chain;

/* NULL if the contract of rd is not  x * constant, x * y or z + x * y  with registers x, y, z. */
struct lemma_chain *prove_chain_new(const struct recipe *c, const struct insn *insn, unsigned w);
void prove_chain_free(struct lemma_chain *chain);
/* True if the definitions read bits of that register: r<reg>.<0..w-1> must be defined before. */
bool prove_chain_reads(const struct lemma_chain *chain, unsigned reg);
/* Appends the definitions: the reference's bits, and what the law needs. */
void prove_chain_define(const struct lemma_chain *chain, struct str *out);
/* The bit of the reference, numbered from 1, that has this sample or its complement; 0: none. */
uint32_t prove_chain_find(const struct lemma_chain *chain, const struct sample *s,
                          bool *complement);
void prove_chain_print(const struct lemma_chain *chain, uint32_t number, struct str *out);
/* Bit j of the product. */
void prove_chain_print_result(const struct lemma_chain *chain, unsigned j, struct str *out);
/* Appends the terms one of which is true if the law does not hold. */
void prove_chain_doubt_law(const struct lemma_chain *chain, struct str *out);

#endif
