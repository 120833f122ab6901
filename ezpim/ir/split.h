/* SPDX-License-Identifier: MIT
 * Bodies of several statements become ensembles of their own, so that each needs only the registers
 * of what it names, where variables may lie elsewhere (spill.h). */
#ifndef EZPIM_IR_SPLIT_H
#define EZPIM_IR_SPLIT_H

#include "ezpim/ir/ir.h"

/* How far: between statements; also in REPEATs that no lane leaves early, which become nodes; also
 * between the instructions of a statement, whose values become variables then; or between
 * statements where lanes are left out, too; and between instructions there. */
enum ir_split_how {
    IR_SPLIT_NOT,
    IR_SPLIT_STATEMENTS,
    IR_SPLIT_REPEATS,
    IR_SPLIT_VALUES,
    IR_SPLIT_LANES,
    IR_SPLIT_LANE_VALUES
};

/* Splits each body.  What is needed on both sides becomes a hidden
 * variable.  Where lanes are left out, pieces have the mask in a variable of one bit, and a loop
 * that lanes leave becomes a node that asks it, in programs of one text.  Bodies stay whole that
 * name conditions and masks themselves. */
void ir_split_ensembles(struct ir_program *program, enum ir_split_how how, const struct diag *diag);

#endif
