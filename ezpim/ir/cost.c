/* SPDX-License-Identifier: MIT
 * Costs of operations: counts at four widths, and straight lines in between. */
#include "ezpim/ir/cost.h"

#include "support/bits.h"

/* Micro-ops at 8, 16, 32 and 64 bits on target racer, whose recipes are the generic library's but
 * for a few: what one operation costs beside another is much the same elsewhere. */
static const uint32_t costs[OP_COUNT][4] = {
#include "ez_costs.inc"
};

uint64_t ir_machine_cost(enum isa_op op, unsigned width) {
    const uint32_t *c = costs[op];
    unsigned at = width <= 16 ? 0 : width <= 32 ? 1 : 2, low = 8u << at;
    if (!c[0] && !c[1]) /* set F has no 8 bits */
        return width;   /* of no count: one for each bit */
    if (width <= 8)
        return (uint64_t)c[0] * width / 8;
    return c[at] + (uint64_t)(c[at + 1] - c[at]) * (width - low) / low;
}

/* Of MULI: an addition for each bit of the constant. */
static uint64_t multiply_cost(uint64_t constant, unsigned width) {
    unsigned ones = (unsigned)__builtin_popcountll(constant);
    return ir_machine_cost(OP_MOV, width) + ones * ir_machine_cost(OP_ADD, width);
}

uint64_t ir_constant_product_cost(uint64_t constant, unsigned width) {
    uint64_t plain = ir_machine_cost(OP_MUL, width);
    bool immediate = constant < 2048 || constant >= (low_bits(width) & ~(uint64_t)2047);
    uint64_t short_form = multiply_cost(constant, width);
    return immediate && short_form < plain ? short_form : plain;
}

/* Bits of partial products that reach a column up to `last` of a x b bits. */
static uint64_t partial_bits(unsigned a, unsigned b, unsigned last) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < b && i <= last; i++)
        bits += a < last + 1 - i ? a : last + 1 - i;
    return bits;
}

uint64_t ir_product_cost(const struct isa_product *product) {
    unsigned last = (unsigned)product->lo + product->width - 1;
    uint64_t bits = partial_bits(product->a, product->b, last);
    return bits * ir_machine_cost(OP_MUL, 32) / partial_bits(32, 32, 31) + product->width;
}

uint64_t ir_cost(const struct ir_insn *insn) {
    if (ir_is_mark(insn->op) || insn->op == IR_CALL)
        return 0;
    struct isa_product p;
    if (insn->op == IR_MACHINE && insn->machine == OP_MULP &&
        isa_product_of((int32_t)insn->imm, insn->width, &p))
        return ir_product_cost(&p);
    if (insn->op == IR_MACHINE)
        return ir_machine_cost((enum isa_op)insn->machine, insn->width);
    if ((insn->op == IR_SHL || insn->op == IR_SHR) && insn->b == IR_NONE)
        return ir_machine_cost(OP_SHLI, insn->type.bits);
    return ir_machine_cost(ir_op_machine(insn->op, insn->type), insn->type.bits);
}
