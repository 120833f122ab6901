/* SPDX-License-Identifier: MIT
 * Text for --emit=layout: where arrays lie, and what is moved, line by line. */
#ifndef EZPIM_IR_LAYOUT_H
#define EZPIM_IR_LAYOUT_H

#include "ezpim/ir/ir.h"

/* Of a program whose variables have registers. */
void ir_print_layout(const struct ir_program *program, const struct diag *diag, struct str *out);

#endif
