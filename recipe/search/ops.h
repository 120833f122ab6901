/* SPDX-License-Identifier: MIT
 * Gates as the search sees them: one op for each way to connect a gate's sources to row values and
 * to values that lie elsewhere.
 *
 * An op has up to three different row values as arguments.  It is kept in algebraic normal form,
 * byte by byte: c[m] belongs to the product of the arguments in mask m, so that
 *     result = XOR over m of (c[m] & product of the arguments in m).
 * Values outside of rows are folded into the coefficients; each order of the arguments is an op of
 * its own, and so is each way to give one row value to several sources.  Fixing an argument leaves
 * an op with one argument less. */
#ifndef RECIPE_SEARCH_OPS_H
#define RECIPE_SEARCH_OPS_H

#include "recipe/search/search.h"
#include "recipe/search/function_set.h"
#include "support/arena.h"

struct search_op {
    uint8_t c[8];
    uint8_t args;
    uint8_t level; /* index of its cost in search_ops.costs */
    uint32_t cost;
};

/* Ops with n arguments are op[first[n]] .. op[first[n + 1] - 1]; no two are alike. */
struct search_ops {
    struct search_op *op;
    unsigned first[5];
    uint32_t costs[SEARCH_MAX_GATES]; /* the different costs, ascending */
    unsigned levels;
};

/* Row values, eight to a word; the last word is filled up with the last value. */
struct search_rows {
    union {
        uint8_t f[256 + 32];
        uint64_t word[(256 + 32) / 8];
    };
    unsigned count;
};

/* The ops of p's gates that write to `place`.  Without `all` those that only give back an argument
 * are left out: in rows they make nothing new. */
void search_ops_build(struct search_ops *ops, const struct search_problem *problem,
                      enum search_place place, bool all, struct arena *arena);
void search_rows_push(struct search_rows *rows, uint8_t field);
void search_rows_pop(struct search_rows *rows);
/* The cheapest op of ops that makes field from row values; UINT64_MAX if none does. */
uint64_t search_ops_cost(const struct search_ops *ops, const struct search_rows *rows,
                         uint8_t field);
/* Can op make field, whatever its arguments are? */
bool search_op_can(const struct search_op *op, uint8_t field);

/* reach[level] gets what ops make from z and from rows, z being no part of them yet. */
void search_ops_reach(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                      struct function_set *reach);
/* Is any of that in `wanted`? */
bool search_ops_hit(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                    const struct function_set *wanted);

/* The x from which an op with one argument makes field. */
struct function_set search_ops_before(const struct search_ops *ops, uint8_t field);
/* The x from which an op with two arguments, x and z, makes field. */
struct function_set search_ops_before_with(const struct search_ops *ops, uint8_t z, uint8_t field);
/* The x from which an op with three, x, z and one of the rows, makes field; into set. */
void search_ops_before_pair(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                            uint8_t field, struct function_set *set);

/* op with its first argument fixed; the others move down. */
static inline struct search_op search_op_fix(const struct search_op *op, uint8_t z) {
    struct search_op r = *op;
    for (unsigned m = 0; m < 4; m++)
        r.c[m] = (uint8_t)(op->c[2 * m] ^ (op->c[2 * m + 1] & z));
    r.args--;
    return r;
}

/* Eight results of an op with one argument. */
static inline uint64_t search_op_apply(const struct search_op *op, uint64_t x) {
    const uint64_t bytes = UINT64_C(0x0101010101010101);
    return (x & op->c[1] * bytes) ^ op->c[0] * bytes;
}

/* Is one of eight functions in set? */
static inline bool search_word_hits(const struct function_set *set, uint64_t value) {
    uint64_t hit = 0;
    for (unsigned i = 0; i < 8; i++, value >>= 8)
        hit |= set->w[value >> 6 & 3] >> (value & 63);
    return hit & 1;
}

#endif
