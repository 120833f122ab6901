/* SPDX-License-Identifier: MIT
 * Proof that a recipe's micro-ops keep its contract for all operands: a file in SMT-LIB 2 (logic
 * QF_BV, or QF_BVFP where floats are compared) that is unsatisfiable exactly then (with lemmas:
 * only then).  Any solver that reads the standard decides it. */
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
 * no recipe, no contract, or one that logic cannot say. */
bool prove_smt_write(const struct recipe_set *set, const struct insn *insn, enum smt_form form,
                     struct str *out, struct diag *diag);
/* The same for a list of micro-ops that may be another than recipe_expand's, against the contract
 * of the recipe.  False also if a micro-op reads a scratch or buffer plane before it is written.
 */
bool prove_smt_write_list(const struct recipe_set *s, const struct recipe *recipe,
                          const struct insn *insn, enum smt_form form, const struct uop_list *list,
                          struct str *out, struct diag *diag);

/* True if the contract of every result can be said in logic: arithmetic on floats cannot. */
bool prove_smt_is_sayable(const struct recipe_set *set, enum mpu_op op);

/* True if such a file is one of QF_BVFP. */
bool prove_smt_has_floats(const char *file);

/* True if the form SMT_LEMMAS of the instruction's file has lemmas. */
bool prove_smt_has_lemmas(const struct recipe_set *set, const struct insn *insn);

#endif
