/* SPDX-License-Identifier: MIT
 * Loops whose laps are not walked one by one: what is bound in a lap lies where it lay before. */
#ifndef EZPIM_NP_LOOP_H
#define EZPIM_NP_LOOP_H

#include "ezpim/np/unit.h"

/* `while np.any(c):`, with all, and with not. */
void np_run_while(struct np_unit *u, const struct np_stmt *s);

#endif
