/* SPDX-License-Identifier: MIT
 * Inside the middle: fewer bits. */
#ifndef EZPIM_IR_NARROW_H
#define EZPIM_IR_NARROW_H

#include "ezpim/ir/simplify.h"

/* Does an operation at fewer bits, where its operands allow it and it pays. */
void ir_narrow(struct simplifier *simplifier, struct ir_insn *insn);
/* Over a whole body. */
void ir_narrow_backward(struct ir_code *code);
/* The fewest bits that give the constant when they are extended in the way of its type. */
unsigned ir_constant_bits(uint64_t value, struct lane_type type);

#endif
