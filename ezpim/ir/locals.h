/* SPDX-License-Identifier: MIT
 * Variables of the compiler that one body alone knows. */
#ifndef EZPIM_IR_LOCALS_H
#define EZPIM_IR_LOCALS_H

#include "ezpim/ir/ir.h"

/* A hidden variable that one body names, and no move, and that is written there in all lanes before
 * it is read, is a value of that body: its virtual registers stand for no variable any more.  It
 * and hidden variables that nobody names have no registers from then on (count 0).  Before
 * variables have registers. */
void ir_find_locals(struct ir_program *program);

#endif
