/* SPDX-License-Identifier: MIT
 * Moves that take every other element of one source. */
#ifndef EZPIM_IR_STRIDES_H
#define EZPIM_IR_STRIDES_H

#include "ezpim/ir/ir.h"

/* Two moves in a row of moves, of every n-th element of the same source from another one on, read
 * the same registers: they become one move to the two registers of an array, which reads them once.
 * Of variables of the compiler that nothing else moves.  Before variables have registers. */
void ir_pair_strides(struct ir_program *program);

#endif
