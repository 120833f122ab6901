/* SPDX-License-Identifier: MIT
 * Bits as functions of bits, where equal ones are one: most of what is to be proved is settled here
 * before a solver is asked.
 *
 * A bit is an input, or a function of at most FOLD_LEAVES bits made before it.  Of each bit several
 * such functions are known ("cuts"): of its sources, of the sources of its sources, and so on, as
 * long as there are no more than FOLD_LEAVES leaves.  A new bit that has a cut with the leaves and
 * the truth table of a cut of an old one, or with the complement of that table, is that bit or its
 * complement: two functions with one truth table are equal for all values of their leaves.  So two
 * circuits that differ inside a few gates (a full adder of nine NORs, one of majorities) meet at
 * the bits that they have in common.
 *
 * Invariant: each cut of a bit gives, whatever the inputs are, the bit's value from those of its
 * leaves.  Bits are only ever taken for equal; none is taken to differ. */
#ifndef RECIPE_PROVE_FOLD_H
#define RECIPE_PROVE_FOLD_H

#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLD_LEAVES 6

/* A bit or its complement: twice its number, and 1 for the complement. */
#define FOLD_FALSE 0u
#define FOLD_TRUE  1u
static inline uint32_t prove_fold_not(uint32_t bit) {
    return bit ^ 1;
}

struct fold;

struct fold *prove_fold_new(void);
void prove_fold_free(struct fold *fold);
/* The plane's value before the instruction. */
uint32_t prove_fold_input(struct fold *fold, uint32_t plane);
/* Bit i of truth: the function's value where source k is bit k of i.  At most FOLD_LEAVES sources.
 */
uint32_t prove_fold_apply(struct fold *fold, uint64_t truth, const uint32_t *in, unsigned count);
/* sample ? left : right */
uint32_t prove_fold_choose(struct fold *fold, uint32_t sample, uint32_t left, uint32_t right);
uint32_t prove_fold_nor(struct fold *fold, uint32_t left, uint32_t right);
/* left ^ right, by way of their NOR and of *carry, which is left & right. */
uint32_t prove_fold_half_add(struct fold *fold, uint32_t left, uint32_t right, uint32_t *carry);
/* What is made from now on has no cut below this bit: the end of a storey, below which nothing that
 * comes after it needs to be looked at. */
void prove_fold_bound(struct fold *fold, uint32_t bit);
/* prove_fold_write takes this bit as anything: it declares it, and defines nothing below it. */
void prove_fold_close(struct fold *fold, uint32_t bit);

/* Appends the definitions that the bits need, those of closed bits and inputs excepted: closed ones
 * are declared, inputs must have their names (prove_smt_print_input) before. */
void prove_fold_write(const struct fold *fold, const uint32_t *bits, size_t count, struct str *out);
/* The bit as a term, of names that prove_fold_write has defined. */
void prove_fold_print(const struct fold *fold, uint32_t bit, struct str *out);

#endif
