/* SPDX-License-Identifier: MIT
 * Where a lane is too full: an error that says what lives at the worst line. */
#ifndef EZPIM_IR_WORST_H
#define EZPIM_IR_WORST_H

#include "ezpim/ir/lives.h"

/* rows: that the lane has (columns, where one holds more bits of a register than one); 0: registers
 * are what it lacks.  False, with nothing reported, if there are rows for all that is held at any
 * line: it is what is computed that lacks them. */
bool ir_report_worst(const struct ir_program *program, const struct ir_lives *lives, uint32_t rows,
                     uint32_t bits, struct diag *diag);

#endif
