/* SPDX-License-Identifier: MIT
 * Expressions of contracts as terms of SMT-LIB 2, logic QF_BV, or QF_BVFP where floats are
 * compared; for smt.c alone. */
#ifndef RECIPE_PROVE_SMT_TERM_H
#define RECIPE_PROVE_SMT_TERM_H

#include "recipe/computes.h"
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
/* "rs", "rt", "rd", "C", "M", "valid" */
const char *prove_smt_operand_name(uint8_t operand);

#endif
