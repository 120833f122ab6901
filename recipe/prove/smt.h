/* SPDX-License-Identifier: MIT
 * Proof that a recipe's micro-ops keep its contract for all operands: a file in SMT-LIB 2 (logic
 * QF_BV, or QF_BVFP where floats are compared) that is unsatisfiable exactly then (of a division:
 * only then).  Any solver that reads the standard decides it. */
#ifndef RECIPE_PROVE_SMT_H
#define RECIPE_PROVE_SMT_H

#include "recipe/set/set.h"
#include "support/str.h"

/* How a file asks.  FOLDED: the micro-ops are folded (fold.h), products and divisions after their
 * reference (chain.h), whose laws have files of their own; what is left is asked.  PLAIN: a
 * definition for each micro-op, and no reference. */
enum smt_form { SMT_FOLDED = 0, SMT_MASKED = 1, SMT_PLAIN = 2, SMT_PLAIN_MASKED = 3 };

/* Appends the file for one instruction at its width, masked or not: the micro-ops that
 * recipe_expand gives against `computes` of every result (under a mask: the
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
bool prove_smt_is_sayable(const struct recipe_set *set, enum isa_op op);

/* True if such a file is one of QF_BVFP. */
bool prove_smt_has_floats(const char *file);

/* The file of a law that the form FOLDED of the instruction's file relies on: with all of them
 * unsatisfiable, and it, the contract is kept.  False if there is none of that number. */
bool prove_smt_law(const struct recipe_set *set, const struct insn *insn, unsigned index,
                   struct str *out);
/* True if a model of that file refutes nothing. */
bool prove_smt_is_wider(const struct recipe_set *set, const struct insn *insn);

#endif
