/* SPDX-License-Identifier: MIT */
#ifndef EZPIM_IR_HOIST_H
#define EZPIM_IR_HOIST_H

#include "ezpim/ir.h"

/* Makes constants that loops or several regions need once, at the beginning of the body. */
void ir_hoist(struct ir_code *code);

#endif
