/* SPDX-License-Identifier: MIT
 * Registers that several variables have one after the other. */
#ifndef EZPIM_EZ_SHARING_H
#define EZPIM_EZ_SHARING_H

#include "ezpim/ez/unit.h"

/* Finds from which statement to which each variable is needed; false if that is not known. */
bool ez_find_times(struct unit *u);
/* Gives registers so that variables which are needed together have different ones; false if there
 * are too few for that. */
bool ez_share_registers(struct unit *u);

#endif
