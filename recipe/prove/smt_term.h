/* SPDX-License-Identifier: MIT
 * Expressions of contracts as terms of SMT-LIB 2, logic QF_BV; for smt.c alone. */
#ifndef RECIPE_PROVE_SMT_TERM_H
#define RECIPE_PROVE_SMT_TERM_H

#include "recipe/computes.h"
#include "support/str.h"

/* Appends the expression's value as a term of w bits (lane->w).  `lane` gives w and the
 * instruction's constant; operands are the names that prove_smt_operand_name gives, bit vectors of
 * w bits. */
void prove_smt_term(const struct recipe *c, const struct recipe_expr *e,
                    const struct golden_lane *lane, struct str *out);
/* "rs", "rt", "rd", "C", "M", "valid" */
const char *prove_smt_operand_name(uint8_t operand);

#endif
