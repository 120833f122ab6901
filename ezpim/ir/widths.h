/* SPDX-License-Identifier: MIT
 * Widths of variables: what the values of all of the program fit in is what is kept and moved. */
#ifndef EZPIM_IR_WIDTHS_H
#define EZPIM_IR_WIDTHS_H

#include "ezpim/ir/ir.h"

/* Variables whose values fit fewer bits than their types have get types of that many; moves take so
 * many bits, and code that names such variables extends what it reads and cuts what it writes.  An
 * array keeps its type in files (struct variable, form).  Inputs keep theirs, and so do variables
 * that instructions name by hand.  Before variables have registers. */
void ir_keep_narrow(struct ir_program *program);

#endif
