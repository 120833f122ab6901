/* SPDX-License-Identifier: MIT
 * Ranges of values: from operation to operation, what a pattern lies between. */
#ifndef EZPIM_IR_RANGE_H
#define EZPIM_IR_RANGE_H

#include "ezpim/ir/ir.h"

/* Patterns without a sign: low <= pattern <= high. */
struct ir_range {
    uint64_t low, high;
};

/* All patterns of so many bits, 1 to 64. */
struct ir_range ir_range_all(unsigned bits);
/* What the low `bits` bits of patterns of that range lie between. */
struct ir_range ir_range_cut(struct ir_range range, unsigned bits);
/* The least number of bits that hold them, at least 1. */
unsigned ir_range_bits(struct ir_range range);
/* No pattern has the sign of that many bits set. */
bool ir_range_positive(struct ir_range range, unsigned bits);
/* The range of what the operation gives; operands that it has not do not matter.  Those that it
 * has are cut to what it reads of them. */
struct ir_range ir_range_result(const struct ir_insn *insn, struct ir_range left,
                                struct ir_range right, struct ir_range c);
/* Whether a comparison of such operands always comes out the same way, and which. */
bool ir_range_decides(const struct ir_insn *insn, struct ir_range left, struct ir_range right,
                      bool *result);

#endif
