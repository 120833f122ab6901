/* SPDX-License-Identifier: MIT
 * Whether two programs in the intermediate form are the same one. */
#ifndef EZPIM_IR_SAME_H
#define EZPIM_IR_SAME_H

#include "ezpim/ir/ir.h"

/* A number that programs have in common which say the same in the same order: nodes with their
 * code, moves, subroutines, declarations, the registers that they have by now, and the places that
 * the object keeps.  What is not the same has another number but for one case in 2^64. */
uint64_t ir_fingerprint(const struct ir_program *program);

#endif
