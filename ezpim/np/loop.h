/* SPDX-License-Identifier: MIT
 * Loops whose laps are not walked one by one: what is bound in a lap lies where it lay before. */
#ifndef EZPIM_NP_LOOP_H
#define EZPIM_NP_LOOP_H

#include "ezpim/np/unit.h"

/* `while np.any(c):`, with all, and with not. */
void np_run_while(struct np_unit *unit, const struct np_stmt *stmt);

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
