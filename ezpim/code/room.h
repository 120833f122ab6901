/* SPDX-License-Identifier: MIT
 * Whether there is any use in making code: of programs whose variables leave too few rows for what
 * some body computes. */
#ifndef EZPIM_CODE_ROOM_H
#define EZPIM_CODE_ROOM_H

#include "ezpim/ir/ir.h"
#include "ezpim/code/rows.h"

/* False if none of these targets (bit i: of rows_left) has room for such variables beside what the
 * program's instructions need, whatever registers the code gets, or one of those in `must` has not.
 * Where it is true there may be none either: long bodies are made, as far as their instructions are
 * chosen, only if they look as if they needed too much.  The program stays as it is. */
bool code_room_possible(const struct ir_program *program, int level, bool products,
                        const struct rows_use *use, uint32_t targets, uint32_t must);

#endif
