/* SPDX-License-Identifier: MIT
 * Moves that nobody needs. */
#ifndef EZPIM_IR_NEEDLESS_MOVES_H
#define EZPIM_IR_NEEDLESS_MOVES_H

#include "ezpim/ir/ir.h"

/* Leaves out moves whose elements nobody reads, and those that bring again what is there already.
 * Before variables have registers; of a program whose MPUs have one text. */
void ir_drop_moves(struct ir_program *program);

#endif
