/* SPDX-License-Identifier: MIT
 * Registers that several variables have one after the other. */
#ifndef EZPIM_EZ_SHARING_H
#define EZPIM_EZ_SHARING_H

#include "ezpim/ez/unit.h"

/* Finds from which statement to which each variable is needed; false if that is not known. */
bool ez_find_times(struct unit *u);
/* Gives registers below `limit` so that variables which are needed together have different ones;
 * NULL, or the variable for which there is none. */
struct ez_symbol *ez_share_registers(struct unit *u, unsigned limit);
/* A variable that has a register of the input s behind its last use, although it is not declared
 * `in consumed`; or NULL. */
const struct ez_symbol *ez_taken_by(const struct unit *u, const struct ez_symbol *s);
/* A warning if there are such inputs. */
void ez_report_taken(struct unit *u);
/* True if both are variables that may meet in a VRF at some time. */
bool ez_needed_together(const struct ez_symbol *a, const struct ez_symbol *b);

#endif
