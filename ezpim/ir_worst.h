/* SPDX-License-Identifier: MIT
 * Where a lane is too full: an error that says what lives at the worst line. */
#ifndef EZPIM_IR_WORST_H
#define EZPIM_IR_WORST_H

#include "ezpim/ir_lives.h"

/* rows: that the lane has; 0: registers are what it lacks. */
void ir_report_worst(const struct ir_program *p, const struct ir_lives *l, uint32_t rows,
                     struct diag *d);

#endif
