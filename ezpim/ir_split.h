/* SPDX-License-Identifier: MIT
 * Bodies of several statements become ensembles of their own, so that each needs only the registers
 * of what it names, where variables may lie elsewhere (ir_spill.h). */
#ifndef EZPIM_IR_SPLIT_H
#define EZPIM_IR_SPLIT_H

#include "ezpim/ir.h"

/* Splits each body between two statements in which no lane is left out.  What has a name and is
 * needed on both sides becomes a hidden variable.  Bodies stay whole that print, that check, or
 * that name conditions and masks themselves.  opens: REPEATs that no lane leaves early become nodes,
 * whose bodies are split too. */
void ir_split_ensembles(struct ir_program *program, bool opens, const struct diag *diag);

#endif
