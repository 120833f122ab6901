/* SPDX-License-Identifier: MIT
 * Inside the checker: statements at top level. */
#ifndef EZPIM_EZ_CHECK_TOP_H
#define EZPIM_EZ_CHECK_TOP_H

#include "ezpim/ez/check.h"

/* False if the statement is none of control flow, moves and their like. */
bool check_top_flow(struct checker *c, struct stmt *s);
void check_move(struct checker *c, struct stmt *s);
/* x = sum(...) and its kin; false if the assignment is none. */
bool check_reduction(struct checker *c, struct stmt *s);
/* The condition any(...) or all(...) of an `if` or `while`: s->value becomes what stands inside,
 * s->symbol its group (NULL after reporting).  False if it is none. */
bool check_any(struct checker *c, struct stmt *s);
/* Checks an expression over the elements of the group that its variables are of; NULL after
 * reporting. */
struct ez_symbol *check_over_group(struct checker *c, struct expr *e);

#endif
