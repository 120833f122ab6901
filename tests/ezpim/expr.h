/* SPDX-License-Identifier: MIT
 * Random typed programs for the ezpim compiler and an evaluator over their syntax that shares
 * nothing with it: values are patterns, operations are written out here once more. */
#ifndef TESTS_EZPIM_EXPR_H
#define TESTS_EZPIM_EXPR_H

#include "runtime/include/mpu/mpu.h"
#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};
uint64_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n);

struct rtype {
    bool is_bool, is_signed;
    unsigned bits;
    bool is_float; /* IEEE 754's format of 16, 32 or 64 bits; none is drawn by rtype_random */
};
void rtype_text(struct rtype t, struct str *s);
struct rtype rtype_random(struct rng *r);
/* A random value, often one at an end of the range. */
uint64_t rtype_pattern(struct rng *r, struct rtype t);
/* The type of arrays that hold such values, and its bytes. */
mpu_type rtype_storage(struct rtype t, unsigned *bytes);

enum rkind {
    R_VAR,
    R_LITERAL,
    R_NEG,
    R_INVERT,
    R_NOT,
    R_ADD,
    R_SUB,
    R_MUL,
    R_DIV,
    R_REM,
    R_AND,
    R_OR,
    R_XOR,
    R_SHL,
    R_SHR,
    R_EQ,
    R_NE,
    R_LT,
    R_LE,
    R_GT,
    R_GE,
    R_ALL,
    R_ANY,
    R_CAST,
    R_MIN,
    R_MAX,
    R_SELECT,
    R_POPC,
    R_POW,   /* ipow: by `literal`, or by args[1] */
    R_CALL,  /* of rcontext.functions[var]; rnode_value does not know it */
    R_TABLE, /* an entry of rcontext.table; neither */
};

struct rnode {
    enum rkind kind;
    struct rtype type;    /* of the result */
    struct rtype operand; /* at which a comparison works */
    unsigned var;
    int64_t literal;
    char counter[32]; /* R_LITERAL: the counter of a loop or a sum with it; empty for a number */
    struct rnode *args[3];
};

#define R_MAX_VARS 96
struct rvar {
    char name[16];
    struct rtype type;
    bool known; /* has a value: may be read */
};
/* The counter of a loop with constant bounds: a number from low to high. */
struct rcounter {
    char name[16];
    int low, high;
};
/* A subroutine that only reads its parameters and has a value. */
struct rfunction {
    char name[16];
    struct rtype result, params[3];
    unsigned param_count;
};
enum { R_MAX_COUNTERS = 8, R_MAX_FUNCTIONS = 8 };
struct rcontext {
    struct rng *rng;
    struct rvar vars[R_MAX_VARS];
    unsigned var_count;
    struct rcounter counters[R_MAX_COUNTERS];
    unsigned counter_count;
    struct rfunction functions[R_MAX_FUNCTIONS];
    unsigned function_count;
    struct rvar table;   /* of constants, that any number may index; without a name: none */
    unsigned calls;      /* that expressions may still have */
    bool all_operations; /* also those that only some targets have: / % and shifts by a variable */
    unsigned budget;     /* nodes left */
    struct rnode *pool;
    unsigned pool_used, pool_size;
};

/* Needs a variable at least. */
struct rnode *rnode_random(struct rcontext *c, struct rtype t, unsigned depth);
void rnode_text(const struct rcontext *c, const struct rnode *n, struct str *s);
/* Patterns of the variables, in the order of c->vars. */
uint64_t rnode_value(const struct rcontext *c, const struct rnode *n, const uint64_t *values);

uint64_t rtype_mask(struct rtype t);
int64_t rtype_signed(uint64_t v, unsigned bits);
/* v of type `from` as a value of type `to` with as many bits or more. */
uint64_t rtype_widen(uint64_t v, struct rtype from, struct rtype to);

#endif
