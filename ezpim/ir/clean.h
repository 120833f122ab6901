/* SPDX-License-Identifier: MIT
 * Zeros above the bits of variables, kept for the whole program. */
#ifndef EZPIM_IR_CLEAN_H
#define EZPIM_IR_CLEAN_H

#include "ezpim/ir/ir.h"

/* Chooses variables that have zeros above their bits, and makes them so where the program begins;
 * false: there are none. */
bool ir_clean(struct ir_program *program);

#endif
