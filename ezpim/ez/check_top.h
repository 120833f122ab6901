/* SPDX-License-Identifier: MIT
 * Inside the checker: statements at top level. */
#ifndef EZPIM_EZ_CHECK_TOP_H
#define EZPIM_EZ_CHECK_TOP_H

#include "ezpim/ez/check.h"
#include "ezpim/ez/move.h"

/* False if the statement is none of control flow, moves and their like. */
bool ez_check_top_flow(struct checker *checker, struct stmt *stmt);
void ez_check_move(struct checker *checker, struct stmt *stmt);
void ez_check_message(struct checker *checker, struct stmt *stmt);
/* Whether what is sent is received: when all of the program is known. */
void ez_check_messages(struct checker *checker);
/* The word `from` or `to` and an MPU, as the statement `name` has them; false after reporting. */
bool ez_check_root(struct checker *checker, struct stmt *stmt, const char *name, const char *word,
                   uint32_t *place);
/* The whole variable of a group on MPUs that `expr` is; NULL after reporting. */
struct ez_symbol *ez_check_whole(struct checker *checker, struct expr *expr);
void ez_check_barrier(struct checker *checker, const struct stmt *stmt);
void ez_check_collective(struct checker *checker, struct stmt *stmt);
/* An MPU as in ring[1] or grid[0, 2]: its coordinates; false after reporting. */
bool ez_check_mpu(struct checker *checker, const struct expr *expr, uint32_t *place);
/* The variable that `expr` names, whole or in part; NULL after reporting. */
struct ez_symbol *ez_find_variable(struct checker *checker, struct expr *expr);
/* All of a variable is moved from, or to. */
void ez_move_reads(struct checker *checker, const struct expr *expr, struct ez_symbol *symbol);
void ez_move_writes(struct checker *checker, struct ez_symbol *symbol);
/* Gives the targets of `compact` in main their lengths. */
void ez_declare_lengths(struct checker *checker);
void ez_check_compact(struct checker *checker, struct stmt *stmt);
/* The lengths of what two expressions and statements (each may be NULL) name. */
struct ez_front ez_check_front(struct checker *checker, struct expr *expr, struct expr *other,
                               struct stmt *stmt, const struct ez_symbol *counted_by);
/* The condition as any(..), all(..) or the opposite, where it is one of them with what has no
 * group; *always becomes false where that is not the same for a group that a length leaves without
 * elements. */
struct expr *ez_gather_question(struct checker *checker, struct expr *expr, bool *always);
/* x = sum(...) and its kin; false if the assignment is none. */
bool ez_check_reduction(struct checker *checker, struct stmt *stmt);
/* The variable in which such a statement stores its result, and its register; NULL after reporting,
 * or where that was done before. */
struct ez_symbol *ez_check_result(struct checker *checker, struct stmt *stmt, uint32_t *element);
/* It has a value then, in the first elements of its group alone if `front`. */
void ez_note_result(struct checker *checker, struct ez_symbol *symbol, uint32_t element,
                    bool front);
/* Whether `expr` is product(...) or sort(...). */
bool ez_is_array_call(const struct expr *expr);
/* c = product(a, b) and y = sort(x); false if the assignment is none. */
bool ez_check_array_call(struct checker *checker, struct stmt *stmt);
/* REDUCE_KINDS when it is none. */
enum reduction_kind ez_find_reduction(const char *name);
/* True if a reduction, or another call over whole groups, stands in the expression. */
bool ez_mentions_reduction(struct expr *expr);
/* The condition any(...) or all(...) of an `if` or `while`: stmt->value becomes what stands inside,
 * stmt->symbol its group (NULL after reporting).  False if it is none. */
bool ez_check_any(struct checker *checker, struct stmt *stmt);
/* Checks an expression over the elements of the group that its variables are of; NULL after
 * reporting. */
struct ez_symbol *ez_check_over_group(struct checker *checker, struct expr *expr);

/* s = e; of variables without a group alone, which becomes a STMT_COMPUTE; false if it is none. */
bool ez_check_scalar(struct checker *checker, struct stmt *stmt);
/* Such a condition of an `if` or `while` (`name` in messages): stmt->symbol becomes the group whose
 * lanes are asked, NULL after reporting.  False if it is none. */
bool ez_check_scalar_question(struct checker *checker, struct stmt *stmt, const char *name);
/* Checks the statements `body` as an ensemble over the group, which stmt becomes. */
void ez_check_ensemble(struct checker *checker, struct stmt *stmt, struct ez_symbol *group,
                       struct stmt *body);

#endif
