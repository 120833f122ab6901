/* SPDX-License-Identifier: MIT
 * Reductions that the host may finish: which of those that a front end marks. */
#ifndef EZPIM_IR_FINISHES_H
#define EZPIM_IR_FINISHES_H

#include "ezpim/ir/ir.h"

/* Of the nodes IR_NODE_FINISH those stay (allowed: else none) whose text nobody needs but for its
 * outputs, and whose elements are there at the end of the program: of a program whose MPUs have one
 * text, at its top level, into pure outputs that nothing else names, of elements that nothing
 * behind writes.  In the place of the others stands their body.  True if some stay. */
bool ir_keep_finishes(struct ir_program *program, bool allowed);
/* True if some stayed. */
bool ir_has_finishes(const struct ir_program *program);

#endif
