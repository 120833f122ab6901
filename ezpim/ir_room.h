/* SPDX-License-Identifier: MIT
 * Whether there is any use in making code: of programs whose variables leave too few rows for what
 * some body computes. */
#ifndef EZPIM_IR_ROOM_H
#define EZPIM_IR_ROOM_H

#include "ezpim/ir.h"

/* Bit i: the i-th target of rows_left may have room for `taken` rows of variables beside what the
 * program's instructions need.  A target without the bit has none, whatever registers the code
 * gets; one with it may have none either: only bodies that look as if they needed too much are
 * made, as far as their instructions are chosen.  The program stays as it is. */
uint32_t ir_room_targets(const struct ir_program *program, int level, uint32_t taken);

#endif
