/* SPDX-License-Identifier: MIT
 * Inside the middle: products by need, the instruction MULP. */
#ifndef EZPIM_IR_PRODUCTS_H
#define EZPIM_IR_PRODUCTS_H

#include "ezpim/ir/simplify.h"

/* Whether the instruction is a MULP that the middle made, and its shape. */
bool ir_product(const struct ir_insn *insn, struct isa_product *product);
/* A MUL whose operands are narrower ones, extended, becomes a product of these where that is
 * cheaper. */
void ir_product_by_need(struct simplifier *simplifier, struct ir_insn *insn);
/* Shifts right of products begin at a higher bit; over a whole body. */
void ir_products_shift(struct ir_code *code);
/* Shapes that a program has so far. */
struct ir_shapes {
    struct isa_product data[ISA_MAX_PRODUCTS];
    uint32_t count;
};
/* Once operations are final: shapes beyond those that a program may have become MUL again. */
void ir_products_limit(struct ir_code *code, struct ir_shapes *shapes);

#endif
