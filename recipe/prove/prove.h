/* SPDX-License-Identifier: MIT
 * Proofs: an SMT solver, run as a child process, decides the files of smt.h.  The solver is no
 * part of the toolchain: where there is none, that is a result of its own and never a success. */
#ifndef RECIPE_PROVE_PROVE_H
#define RECIPE_PROVE_PROVE_H

#include "recipe/set/recipe.h"
#include "support/str.h"

enum prove_result {
    PROVE_HOLDS,     /* for all operands */
    PROVE_FAILS,     /* there are operands for which it does not */
    PROVE_TIMEOUT,   /* the time limit */
    PROVE_UNKNOWN,   /* the solver gave up */
    PROVE_NO_SOLVER, /* none installed, or it could not be started */
    PROVE_ERROR,     /* no recipe or contract (reported), or the solver's answer is none */
    PROVE_RESULTS
};
const char *prove_result_text(enum prove_result result); /* "proved", "refuted", ... */

struct kept_proofs;

struct prove_options {
    const char *solver; /* name in PATH or path; NULL: the first of prove_solvers() that is there */
    unsigned seconds;   /* limit of one proof; 0: 60 */
    unsigned limit; /* of one question, in units of cvc5's, which do not depend on the machine; 0:
                       none */
    struct kept_proofs *kept; /* what is there is not proved again, and what is proved goes there;
                                 NULL: nothing is kept */
};

/* Solvers that are known to read the files, the preferred one first; NULL ends the list. */
const char *const *prove_solvers(void);
/* The path of the solver that the options mean, in `path`; false if there is none. */
bool prove_find_solver(const struct prove_options *options, char *path, size_t size);

/* One instruction (at its width, with its operands and constant), masked or not. */
struct prove_task {
    struct insn insn;
    bool masked;
    enum prove_result result;
    double seconds; /* taken by the solver */
    bool kept;      /* proved before */
};
struct prove_tasks {
    struct prove_task *data;
    size_t len, cap; /* works with vec_push and vec_free */
};

/* Called after each proof, in the order of the tasks; false stops: what is left has result
 * PROVE_UNKNOWN. */
typedef bool prove_progress(void *context, const struct prove_task *task, size_t index,
                            size_t count);

/* Proves the tasks one after the other, with as few starts of the solver as possible.  True if all
 * hold.  Why one does not is reported to diag, with operands that refute it. */
bool prove_all(const struct recipe_set *set, struct prove_tasks *tasks,
               const struct prove_options *options, prove_progress *progress, void *context,
               struct diag *diag);
/* The same for one. */
enum prove_result prove_instruction(const struct recipe_set *set, const struct insn *insn,
                                    bool masked, const struct prove_options *options,
                                    double *seconds, struct diag *diag);

/* One form that a recipe of the user's makes, of a program that is packaged.  cvc5 decides it if it
 * is there and needs no more than PROVE_OWN_LIMIT: about a second, and the same on each machine.
 * What it decides, and what it does not, is kept where the set keeps things.  Behind PROVE_OWN_MOST
 * of a set that were not decided it is asked no more.  PROVE_HOLDS, PROVE_FAILS after reporting the
 * operands, PROVE_UNKNOWN, PROVE_NO_SOLVER. */
#define PROVE_OWN_LIMIT 50000
#define PROVE_OWN_MOST  8
enum prove_result prove_own(const struct recipe_set *set, const struct insn *insn, bool masked,
                            unsigned *undecided, struct diag *diag);

/* What there is to prove.  SHORT: what is linear in the width, at widths 8 and 16.  LINEAR: the
 * same at 8, 16, 32 and 64, and everything else at 8.  FULL: everything at 8, 16, 32 and 64.  The
 * masked form at width 8 (except of what is not linear: in FULL alone); instructions with a
 * constant for representative ones.  With `forms` at every width also what is masked, and every way
 * in which registers are one. */
enum prove_extent { PROVE_SHORT, PROVE_LINEAR, PROVE_FULL };
void prove_plan(const struct recipe_set *set, enum prove_extent extent, bool forms,
                struct prove_tasks *tasks);
/* Appends a table of the full plan with all forms: instructions, widths, aliases, masks, constants.
 */
void prove_document(const struct recipe_set *set, struct str *out);
/* The hash of what the full plan asks at widths up to 16, without aliases: 64 digits, of the
 * micro-ops, the functions of the gates and the contracts.  Any change of a recipe, a gate or the
 * mapping that shows there changes it. */
void prove_fingerprint(const struct recipe_set *set, char hash[65]);

#endif
