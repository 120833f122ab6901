/* SPDX-License-Identifier: MIT
 * Results made where they end up. */
#ifndef EZPIM_IR_COALESCE_H
#define EZPIM_IR_COALESCE_H

#include "ezpim/ir/ir.h"

/* Results are made in the registers where they end up. */
void ir_coalesce(struct ir_code *code);

#endif
