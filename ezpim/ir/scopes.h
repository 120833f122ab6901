/* SPDX-License-Identifier: MIT
 * Where variables without a group lie. */
#ifndef EZPIM_IR_SCOPES_H
#define EZPIM_IR_SCOPES_H

#include "ezpim/ir/ir.h"

/* A variable without a group lies in the VRFs of the groups whose code names it, and a move to it
 * writes there alone; one that is only taken out of the program lies in one VRF.  One that
 * subroutines name lies everywhere.  Before variables have registers. */
void ir_find_scopes(struct ir_program *program);

#endif
