/* SPDX-License-Identifier: MIT
 * `computes`, the contract of a recipe: result == expression for each result, in ezpim's
 * expressions (docs/recipes.md, "Contracts").  What these expressions mean is defined here alone:
 * the verifier evaluates them, and the prover writes them in SMT-LIB. */
#ifndef RECIPE_VERIFY_COMPUTES_H
#define RECIPE_VERIFY_COMPUTES_H

#include "recipe/set/set.h"

/* Checks that the left sides name results, each at most once, and all names on the right; false
 * after reporting.  A recipe may have no `computes`, or one for some results only. */
bool recipe_computes_check(const struct recipe *recipe, struct diag *diag);
/* True if every result has its contract. */
bool recipe_computes_is_complete(const struct recipe *recipe);
/* The contract `result == expression` of the result with that field; NULL without one. */
const struct recipe_expr *recipe_computes_of(const struct recipe *recipe, uint8_t field);
/* The name of the first result without a contract, or NULL. */
const char *recipe_computes_missing(const struct recipe *recipe);

/* Constants (numbers, w, the instruction's constant and what is made of them alone) are 64-bit
 * two's complement; they take width and sign of what they meet.  Everything else has w bits and is
 * read as unsigned unless it stems from s(). */
enum number_kind { NUMBER_CONSTANT, NUMBER_UNSIGNED, NUMBER_SIGNED };
struct number {
    uint64_t v; /* CONSTANT: 64 bits, else the low w */
    enum number_kind kind;
};
/* The value of an expression in the lane (operands at width x->w, before the instruction). The
 * kind does not depend on the operands' values. */
struct number recipe_computes_value(const struct recipe *recipe, const struct recipe_expr *expr,
                                    const struct golden_lane *lane);
/* The value that a contract promises for its result. */
uint64_t recipe_computes_eval(const struct recipe *recipe, const struct recipe_expr *contract,
                              const struct golden_lane *lane);

/* The first `unlike` that holds in the lane, as `result == expression`; NULL where the recipe does
 * what the ISA says. */
const struct recipe_expr *recipe_computes_unlike(const struct recipe *recipe,
                                                 const struct golden_lane *lane);

/* What a name on the right stands for: a field, or one of these. */
enum { OPERAND_VALID = FIELD_NONE + 1, OPERAND_W };
uint8_t recipe_computes_operand(const struct recipe *recipe, const char *name);
uint8_t recipe_computes_result(const struct recipe *recipe, const struct recipe_expr *contract);

enum computes_function {
    FUNCTION_S,        /* s(x): x as a signed number */
    FUNCTION_S_OF,     /* s(x, v): its low v bits as a signed number; v is a constant */
    FUNCTION_MIN,      /* min(x, y) */
    FUNCTION_MAX,      /* max(x, y) */
    FUNCTION_POPC,     /* popc(x): how many bits are 1 */
    FUNCTION_FLIP,     /* flip(x): bits in reverse order */
    FUNCTION_SELECT,   /* select(c, x, y): c != 0 ? x : y */
    FUNCTION_FLOORDIV, /* floordiv(x, y) */
    FUNCTION_FLOORMOD, /* floormod(x, y) */
    FUNCTION_CONVERT,  /* convert(x, code): CVT; x is the operand rs, at its own width */
    FUNCTION_PRODUCT,  /* product(x, y, shape): MULP; x and y are rs and rt, at their own widths */
    FUNCTION_FLOAT,    /* fadd(x, y) ...: recipe_computes_float */
    FUNCTION_COUNT
};
/* Functions on floats of w bits; on bfloat16 their names begin with b: bfadd(x, y). */
enum computes_float {
    FLOAT_ADD,           /* fadd(x, y) */
    FLOAT_SUB,           /* fsub(x, y) */
    FLOAT_MUL,           /* fmul(x, y) */
    FLOAT_DIV,           /* fdiv(x, y) */
    FLOAT_SQRT,          /* fsqrt(x) */
    FLOAT_EQ,            /* feq(x, y): 0 or 1, as the next three */
    FLOAT_LT,            /* flt(x, y) */
    FLOAT_LE,            /* fle(x, y) */
    FLOAT_UN,            /* fun(x, y): one of them is not a number */
    FLOAT_MIN,           /* fmin(x, y): minimumNumber */
    FLOAT_MAX,           /* fmax(x, y): maximumNumber */
    FLOAT_ZERO,          /* fzero(x): 1 for both zeros */
    FLOAT_PUBLISHED_ADD, /* padd(x, y): of PyPIM (recipe/verify/published_float.h) */
    FLOAT_PUBLISHED_SUB, /* psub(x, y) */
    FLOAT_PUBLISHED_MUL, /* pmul(x, y) */
    FLOAT_PUBLISHED_DIV, /* pdiv(x, y) */
    FLOAT_COUNT
};
/* The function on floats that a call names, FLOAT_COUNT if there is none; *bfloat: of bfloat16. */
enum computes_float recipe_computes_float(const struct recipe_expr *call, bool *bfloat);

/* The function that a call names; FUNCTION_COUNT if there is none. */
enum computes_function recipe_computes_function(const struct recipe_expr *call);

/* How many bits of a register operand are read or written, MASKED's too. */
unsigned recipe_computes_bits(const struct insn *insn, enum operand_role role);

/* On how many operands a list is tried: 64 lanes with a bit of everything, or as many times 64 as
 * show all that is worth trying (recipe/verify/bench_values.h). */
enum recipe_effort { RECIPE_ONCE, RECIPE_ALL };

/* Runs a list of micro-ops on 64 lanes and compares all that is visible with what the instruction's
 * golden function leaves, and the contract as well; false after reporting.  The registers of insn
 * are among r1, r2 and r3; r0 stands for none. */
bool recipe_verify(const struct recipe_set *set, const struct recipe *recipe,
                   const struct insn *insn, bool masked, enum recipe_effort effort,
                   const struct uop_list *list, struct diag *diag);
/* True if every micro-op reads, in the order of time and with one buffer per direction, what it
 * reads in the order of the list with a buffer per carry.  Else *problem says why not. */
bool recipe_buffers_suffice(const struct target *target, const struct uop_list *list,
                            const char **problem);
/* Does something come into a buffer?  Else they suffice. */
bool recipe_uses_buffers(const struct uop_list *list);

#endif
