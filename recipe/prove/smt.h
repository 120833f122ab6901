/* SPDX-License-Identifier: MIT
 * Proof that a recipe's micro-ops keep its contract for all operands: a file in SMT-LIB 2 (logic
 * QF_BV) that is unsatisfiable exactly then (with lemmas: only then).  Any solver that reads the
 * standard decides it. */
#ifndef RECIPE_PROVE_SMT_H
#define RECIPE_PROVE_SMT_H

#include "recipe/set.h"
#include "support/str.h"

/* How a file asks.  Products are split into lemmas about sums (chain.h) unless PLAIN: such a file
 * proves where it is unsatisfiable, but refutes nothing. */
enum smt_form { SMT_LEMMAS = 0, SMT_MASKED = 1, SMT_PLAIN = 2, SMT_PLAIN_MASKED = 3 };

/* Appends the file for one instruction at its width, masked or not: the micro-ops that
 * recipe_expand gives, one definition each, against `computes` of every result (under a mask: the
 * old value where M is 0), and that nothing else that is visible changes.  False after reporting:
 * no recipe, or no contract. */
bool prove_smt_write(const struct recipe_set *s, const struct insn *insn, enum smt_form form,
                     struct str *out, struct diag *d);
/* The same for a list of micro-ops that may be another than recipe_expand's, against the contract
 * of recipe c.  False also if a micro-op reads a scratch or buffer plane before it is written. */
bool prove_smt_write_list(const struct recipe_set *s, const struct recipe *c,
                          const struct insn *insn, enum smt_form form, const struct uop_list *list,
                          struct str *out, struct diag *d);

/* True if the form SMT_LEMMAS of the instruction's file has lemmas. */
bool prove_smt_has_lemmas(const struct recipe_set *s, const struct insn *insn);

#endif
