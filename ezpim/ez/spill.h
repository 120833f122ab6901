/* SPDX-License-Identifier: MIT
 * -fspill: variables that lie in VRFs of their own, in a group beside theirs with the same
 * extents (their home).  A statement of main that uses such a variable has a register for it: all
 * of its elements are moved in front of the statement, and back behind it if they are written. */
#ifndef EZPIM_EZ_SPILL_H
#define EZPIM_EZ_SPILL_H

#include "ezpim/ez/sharing.h"

/* A statement of main, and what it does with a variable. */
struct ez_use {
    struct ez_symbol *symbol;
    bool writes; /* it may write some of its elements */
};
struct ez_uses {
    VEC(struct ez_use) items; /* each symbol once, in the order in which they are named */
};
/* Appends the variables that the statement itself uses, without those of the statements inside,
 * unless it is an ensemble.  What moves and their like name is not among them. */
void ez_statement_uses(const struct stmt *s, struct ez_uses *uses);

/* Gives registers within the limits, moving as many more variables to VRFs of their own as that
 * takes; those that were moved before stay there.  False if there are too few all the same. */
bool ez_spill(struct unit *u, struct ez_limits limits);
/* Warns for each variable that was moved, with the transfers that each statement takes. */
void ez_report_spills(struct unit *u);

#endif
