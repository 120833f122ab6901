/* SPDX-License-Identifier: MIT
 * Ensembles over one group with moves between them become one, where the moves may as well stand in
 * front of both or behind them. */
#ifndef EZPIM_IR_JOIN_H
#define EZPIM_IR_JOIN_H

#include "ezpim/ir/ir.h"

/* Before variables have registers. */
void ir_join_ensembles(struct ir_program *program);

#endif
