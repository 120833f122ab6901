/* SPDX-License-Identifier: MIT
 * Instruction selection.  All sources of an operation are read before its result is written, so
 * that a result may go to the register of a source. */
#include "ezpim/code.h"
#include "support/bits.h"

static struct code_insn *put(struct code *out, enum mpu_op op, unsigned width, uint32_t rs,
                             uint32_t rt, uint32_t rd, struct span at) {
    struct code_insn i = {.kind = CODE_INSN,
                          .op = (uint16_t)op,
                          .width = (uint8_t)width,
                          .field = {rs, rt, rd},
                          .at = at};
    vec_push(&out->insns, i);
    return &vec_last(&out->insns);
}

static void put_constant(struct code *out, unsigned width, uint32_t rd, uint64_t value,
                         struct span at) {
    struct code_insn *i = put(out, OP_LI, width, IR_NONE, IR_NONE, rd, at);
    i->kind = CODE_CONST;
    i->value = value;
}

static void select_compare(struct code *out, const struct ir_insn *i) {
    put(out, ir_op_machine(i->op, i->type), i->type.bits, i->a, i->b, IR_NONE, i->at);
    put(out, OP_GETC, 1, IR_NONE, IR_NONE, i->dst, i->at);
}

/* SEL rs rt rd: rd = bit 0 of rd ? rs : rt. */
static void select_select(struct ir_code *ir, struct code *out, const struct ir_insn *i) {
    bool clash = i->dst == i->b || i->dst == i->c;
    uint32_t rd = clash ? ir_vreg(ir, i->type, NULL, i->at) : i->dst;
    if (i->a != rd)
        put(out, OP_MOV, 1, i->a, IR_NONE, rd, i->at);
    put(out, OP_SEL, i->type.bits, i->b, i->c, rd, i->at);
    if (clash)
        put(out, OP_MOV, i->type.bits, rd, IR_NONE, i->dst, i->at);
}

static void select_shift(struct code *out, const struct ir_insn *i) {
    unsigned w = i->type.bits, count = i->imm < w ? (unsigned)i->imm : w;
    enum mpu_op op = i->op == IR_SHL ? OP_SHLI : i->type.kind == TYPE_INT ? OP_SARI : OP_SHRI;
    if (count == w && op != OP_SARI) {
        put_constant(out, w, i->dst, 0, i->at);
        return;
    }
    put(out, op, w, i->a, IR_NONE, i->dst, i->at)->value = count < w ? count : w - 1;
}

static void select_widen(struct code *out, const struct ir_insn *i) {
    if (i->from.bits >= i->type.bits)
        put(out, OP_MOV, i->type.bits, i->a, IR_NONE, i->dst, i->at);
    else
        put(out, i->from.kind == TYPE_INT ? OP_SEXT : OP_ZEXT, i->type.bits, i->a, IR_NONE, i->dst,
            i->at)
            ->value = i->from.bits;
}

static void select_machine(struct code *out, const struct ir_insn *i) {
    struct code_insn *made = put(out, (enum mpu_op)i->machine, i->width, i->a, i->b, i->dst, i->at);
    made->value = i->imm;
    made->partial = i->partial;
}

static void select_operation(struct ir_code *ir, struct code *out, const struct ir_insn *i) {
    bool shift = i->op == IR_SHL || i->op == IR_SHR;
    if (i->op == IR_SELECT)
        select_select(ir, out, i);
    else if (ir_op_compares(i->op))
        select_compare(out, i);
    else if (shift && i->b == IR_NONE)
        select_shift(out, i);
    else
        put(out, ir_op_machine(i->op, i->type), i->type.bits, i->a, i->b, i->dst, i->at);
}

static void select_insn(struct ir_code *ir, struct code *out, const struct ir_insn *i) {
    switch ((enum ir_op)i->op) {
    case IR_CONST:
        put_constant(out, i->type.bits, i->dst, i->imm, i->at);
        break;
    case IR_SIZE:
        put_constant(out, i->type.bits, i->dst, i->imm, i->at);
        vec_last(&out->insns).kind = CODE_SIZE;
        vec_last(&out->insns).size = i->size;
        break;
    case IR_COPY:
        put(out, OP_MOV, i->type.bits, i->a, IR_NONE, i->dst, i->at);
        break;
    case IR_WIDEN:
        select_widen(out, i);
        break;
    case IR_MACHINE:
        select_machine(out, i);
        break;
    default:
        select_operation(ir, out, i);
        break;
    }
}

void code_select(struct ir_code *ir, struct code *out) {
    vec_reserve(&out->insns, ir->insns.len);
    for (size_t i = 0; i < ir->insns.len; i++)
        select_insn(ir, out, &ir->insns.data[i]);
}

bool code_reads(const struct code_insn *i, enum code_field f) {
    if (i->field[f] == IR_NONE || i->kind != CODE_INSN)
        return false;
    uint32_t flags = isa_info((enum mpu_op)i->op)->flags;
    return (flags & ((uint32_t)READS_RS << f)) ||
           (i->partial && (flags & ((uint32_t)WRITES_RS << f)));
}

bool code_writes(const struct code_insn *i, enum code_field f) {
    if (i->field[f] == IR_NONE)
        return false;
    if (i->kind != CODE_INSN)
        return f == CODE_RD;
    return isa_info((enum mpu_op)i->op)->flags & ((uint32_t)WRITES_RS << f);
}
