/* SPDX-License-Identifier: MIT
 * Operations that have a short form in the base set take it, so that a program runs on targets
 * without set S: the other comparisons are inverted ones, and signed order is unsigned order with
 * the sign bit flipped (x + 2^(w-1) is monotonic). */
#include "ezpim/ir.h"

struct legalizer {
    struct ir_code *code;
    VEC(struct ir_insn) out;
};

static const struct mpu_type type_bool = {TYPE_BOOL, 1};

static uint32_t put(struct legalizer *l, enum ir_op op, struct mpu_type type, uint32_t a,
                    uint32_t b, uint32_t dst, struct span at) {
    struct ir_insn i = {
        .op = (uint8_t)op, .type = type, .a = a, .b = b, .c = IR_NONE, .dst = dst, .at = at};
    if (dst == IR_NONE)
        i.dst = ir_vreg(l->code, ir_result_type(&i), NULL, at);
    vec_push(&l->out, i);
    return i.dst;
}

static uint32_t put_constant(struct legalizer *l, struct mpu_type type, uint64_t value,
                             struct span at) {
    uint32_t v = put(l, IR_CONST, type, IR_NONE, IR_NONE, IR_NONE, at);
    vec_last(&l->out).imm = value;
    return v;
}

/* Comparisons that the base set has, and whether the result is then inverted. */
static enum ir_op base_comparison(enum ir_op op, bool *inverted) {
    *inverted = op == IR_NE || op == IR_LE || op == IR_GE;
    return op == IR_NE ? IR_EQ : op == IR_LE ? IR_GT : op == IR_GE ? IR_LT : op;
}

static void legalize_comparison(struct legalizer *l, const struct ir_insn *i) {
    bool inverted;
    enum ir_op op = base_comparison(i->op, &inverted);
    struct mpu_type type = {TYPE_UINT, i->type.bits};
    uint32_t a = i->a, b = i->b;
    if (op != IR_EQ && i->type.kind == TYPE_INT) {
        uint32_t sign = put_constant(l, type, (uint64_t)1 << (type.bits - 1), i->at);
        a = put(l, IR_XOR, type, a, sign, IR_NONE, i->at);
        b = put(l, IR_XOR, type, b, sign, IR_NONE, i->at);
    }
    uint32_t c = put(l, op, type, a, b, inverted ? IR_NONE : i->dst, i->at);
    if (inverted)
        put(l, IR_NOT, type_bool, c, IR_NONE, i->dst, i->at);
}

/* min(a, b) is a < b ? a : b, max the other way round. */
static void legalize_extreme(struct legalizer *l, const struct ir_insn *i) {
    struct ir_insn less = {.op = IR_LT,
                           .type = i->type,
                           .a = i->a,
                           .b = i->b,
                           .c = IR_NONE,
                           .dst = ir_vreg(l->code, type_bool, NULL, i->at),
                           .at = i->at};
    legalize_comparison(l, &less);
    struct ir_insn select = *i;
    select.op = IR_SELECT;
    select.a = less.dst;
    select.b = i->op == IR_MIN ? i->a : i->b;
    select.c = i->op == IR_MIN ? i->b : i->a;
    vec_push(&l->out, select);
}

static void legalize_insn(struct legalizer *l, const struct ir_insn *i) {
    bool with_sign = i->type.kind == TYPE_INT;
    if (ir_op_compares(i->op)) {
        legalize_comparison(l, i);
    } else if ((i->op == IR_MIN || i->op == IR_MAX) && with_sign) {
        legalize_extreme(l, i);
    } else if (i->op == IR_NEG) {
        uint32_t zero = put_constant(l, i->type, 0, i->at);
        put(l, IR_SUB, i->type, zero, i->a, i->dst, i->at);
    } else {
        vec_push(&l->out, *i);
    }
}

void ir_legalize(struct ir_code *code) {
    struct legalizer l = {.code = code};
    vec_reserve(&l.out, code->insns.len);
    for (size_t i = 0; i < code->insns.len; i++)
        legalize_insn(&l, &code->insns.data[i]);
    vec_free(&code->insns);
    code->insns.data = l.out.data;
    code->insns.len = l.out.len;
    code->insns.cap = l.out.cap;
}
