/* SPDX-License-Identifier: MIT
 * Loops whose laps are not walked one by one: what is bound in a lap lies where it lay before. */
#ifndef EZPIM_NP_LOOP_H
#define EZPIM_NP_LOOP_H

#include "ezpim/np/unit.h"

/* `while np.any(c):`, with all, and with not. */
void np_run_while(struct np_unit *unit, const struct np_stmt *stmt);

/* `np.any(c)`, `not c.all()` and so on. */
struct np_question {
    const struct np_expr *of; /* whose elements are asked */
    bool all, opposite;
    struct span at;
};
bool np_is_question(struct np_unit *unit, const struct np_expr *expr, struct np_question *q);

/* breaks.c: statements that stand for a loop which `break` or `continue` leaves on data; NULL: it
 * has none of them. */
struct np_stmt *np_left_early(struct np_unit *unit, struct np_stmt *stmt);
/* The same for an `if` on data. */
struct np_stmt *np_branches(struct np_unit *unit, struct np_stmt *stmt);
/* Names that a lap binds to what is no array are not known behind the loop. */
void np_forget_known(struct np_unit *unit, const struct np_stmt *loop);
/* It depends on data: the walk begins anew. */
void np_depends(struct np_unit *unit, const struct np_stmt *stmt);
/* Counts an iteration that is walked, of comprehensions, too; false after reporting too many. */
bool np_walks_on(struct np_unit *unit, struct span at);
/* An iteration of a loop that is walked is over: whether there is another one. */
bool np_goes_on(struct np_unit *unit, const struct np_stmt *stmt);

/* What a lap changes gets a home in front of the loop, goes there at the end of the lap, and is
 * forgotten behind the loop where it has none. */
struct np_loop;
struct np_loop *np_carry(struct np_unit *unit, const struct np_stmt *s);
void np_carry_home(struct np_loop *loop);
void np_carry_end(struct np_loop *loop);

/* True if a loop of so many laps is repeated: not where it was found that it must be walked. */
bool np_repeats(const struct np_unit *unit, const struct np_stmt *stmt, np_int laps);
void np_run_repeat(struct np_unit *unit, const struct np_stmt *stmt, const struct np_value *range,
                   np_int laps);

#endif
