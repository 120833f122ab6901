/* SPDX-License-Identifier: MIT
 * What operations cost, as far as it can be said without a target: micro-ops a lane. */
#ifndef EZPIM_IR_COST_H
#define EZPIM_IR_COST_H

#include "ezpim/ir/ir.h"

/* Of an instruction at a width of 1 to 64 bits; in between the widths that were counted, a
 * straight line. */
uint64_t ir_machine_cost(enum isa_op op, unsigned width);
/* Of a product with a constant: of MULI, or of MUL with the constant in a register. */
uint64_t ir_constant_product_cost(uint64_t constant, unsigned width);
/* Of MULP: by the bits of one operand times the other that it adds up, as MUL's. */
uint64_t ir_product_cost(const struct isa_product *product);
/* Of an operation; 0 of a mark or a call. */
uint64_t ir_cost(const struct ir_insn *insn);

#endif
