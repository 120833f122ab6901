/* SPDX-License-Identifier: MIT
 * Whether there is any use in making code: of programs whose variables leave too few rows for what
 * some body computes. */
#ifndef EZPIM_IR_ROOM_H
#define EZPIM_IR_ROOM_H

#include "ezpim/ir.h"

/* False if no target of rows_left has room for `taken` rows of variables beside what the program's
 * instructions need, whatever registers the code gets.  Where it is true there may be none either:
 * long bodies are made, as far as their instructions are chosen, only if they look as if they
 * needed too much on every target.  The program stays as it is. */
bool ir_room_possible(const struct ir_program *program, int level, uint32_t taken);

#endif
