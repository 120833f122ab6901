/* SPDX-License-Identifier: MIT
 * Bodies of several statements become ensembles of their own, so that each needs only the registers
 * of what it names, where variables may lie elsewhere (spill.h). */
#ifndef EZPIM_IR_SPLIT_H
#define EZPIM_IR_SPLIT_H

#include "ezpim/ir/ir.h"

/* How far: between statements; also in REPEATs that no lane leaves early, which become nodes; also
 * between the instructions of a statement, whose values become variables then. */
enum ir_split_how { IR_SPLIT_NOT, IR_SPLIT_STATEMENTS, IR_SPLIT_REPEATS, IR_SPLIT_VALUES };

/* Splits each body where no lane is left out.  What is needed on both sides becomes a hidden
 * variable.  Bodies stay whole that print, that check, or that name conditions and masks
 * themselves. */
void ir_split_ensembles(struct ir_program *program, enum ir_split_how how, const struct diag *diag);

#endif
