/* SPDX-License-Identifier: MIT
 * Expressions of contracts as terms of SMT-LIB 2, logic QF_BV, or QF_BVFP where
 * floats are compared, and names of planes; for
 * recipe/prove/ alone. */
#ifndef RECIPE_PROVE_SMT_TERM_H
#define RECIPE_PROVE_SMT_TERM_H

#include "recipe/verify/computes.h"
#include "support/str.h"

/* Appends the expression's value as a term of w bits (lane->w).  `lane` gives w and the
 * instruction's constant; operands are the names that prove_smt_operand_name gives, bit vectors of
 * w bits. */
void prove_smt_term(const struct recipe *recipe, const struct recipe_expr *expr,
                    const struct golden_lane *lane, struct str *out);
/* Whether the expression has a term: arithmetic on floats, and conversions, have none. */
bool prove_smt_term_exists(const struct recipe_expr *expr);
/* Whether its term is one of QF_BVFP. */
bool prove_smt_term_is_float(const struct recipe_expr *expr);
/* The same with sdiv, srem and smod, which the file defines, in the place of bvsdiv, bvsrem and
 * bvsmod. */
void prove_smt_term_by_magnitudes(const struct recipe *recipe, const struct recipe_expr *expr,
                                  const struct golden_lane *lane, struct str *out);
/* "rs", "rt", "rd", "C", "M", "valid" */
const char *prove_smt_operand_name(uint8_t operand);
/* The name of a plane's value before the instruction: "r3.17", "c", "m", "v". */
void prove_smt_print_input(uint32_t plane, struct str *out);
/* Defines that name for a bit of a register, whose word is "r3". */
void prove_smt_define_input(uint32_t plane, struct str *out);
/* Declares the word "r3" of register 3. */
void prove_smt_declare_register(unsigned reg, struct str *out);

#endif
