/* SPDX-License-Identifier: MIT
 * Constants of regions, made once. */
#ifndef EZPIM_IR_HOIST_H
#define EZPIM_IR_HOIST_H

#include "ezpim/ir/ir.h"

/* Makes constants that loops or several regions need once, at the beginning of the body. */
void ir_hoist(struct ir_code *code);
/* Instructions that make a constant of so many bits: LI, and LIKs of 12 bits each. */
unsigned ir_constant_length(uint64_t value, unsigned bits);

#endif
