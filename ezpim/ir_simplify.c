/* SPDX-License-Identifier: MIT
 * One instruction made simpler: whatever takes its place gives the same bits. */
#include "ezpim/ir_cost.h"
#include "ezpim/ir_simplify.h"
#include "support/bits.h"

static void to_constant(struct ir_insn *i, uint64_t value) {
    struct mpu_type type = ir_result_type(i);
    *i = (struct ir_insn){.op = IR_CONST,
                          .type = type,
                          .dst = i->dst,
                          .a = IR_NONE,
                          .b = IR_NONE,
                          .c = IR_NONE,
                          .imm = value & low_bits(type.bits),
                          .at = i->at};
}

static void to_copy(struct ir_insn *i, uint32_t source) {
    *i = (struct ir_insn){.op = IR_COPY,
                          .type = i->type,
                          .dst = i->dst,
                          .a = source,
                          .b = IR_NONE,
                          .c = IR_NONE,
                          .at = i->at};
}

static void to_shift(struct ir_insn *i, enum ir_op op, uint32_t source, unsigned count) {
    i->op = (uint8_t)op;
    i->a = source;
    i->b = IR_NONE;
    i->imm = count;
}

/* A virtual register that holds op of the operands, made in front of i. */
static uint32_t make_before(struct simplifier *s, const struct ir_insn *i, enum ir_op op,
                            uint32_t a, uint64_t imm) {
    struct ir_insn made = {.op = (uint8_t)op,
                           .type = i->type,
                           .a = a,
                           .b = IR_NONE,
                           .c = IR_NONE,
                           .imm = imm,
                           .at = i->at};
    made.dst = ir_vreg(s->code, i->type, NULL, i->at);
    s->before(s->context, &made);
    return made.dst;
}

static bool is_power(uint64_t v) {
    return v && !(v & (v - 1));
}

static unsigned log2_of(uint64_t v) {
    return (unsigned)__builtin_ctzll(v);
}

/* Of MUL with the constant in a register, or of MULI. */
static uint64_t product_cost(const struct ir_insn *i, uint64_t k) {
    unsigned w = i->type.bits;
    uint64_t plain = ir_machine_cost(OP_MUL, w);
    bool immediate = k < 2048 || k >= (low_bits(w) & ~(uint64_t)2047);
    uint64_t short_form = ir_multiply_cost(k, w);
    return immediate && short_form < plain ? short_form : plain;
}

/* x * (2^a + 2^b), x * (2^a - 2^b) as shifts and an addition, where that is cheaper. */
static void multiply_by_two_terms(struct simplifier *s, struct ir_insn *i, uint32_t x, uint64_t k) {
    uint64_t low = k & (0 - k), rest = k - low, top = k + low;
    bool adds = is_power(rest);
    unsigned w = i->type.bits, shifts = low == 1 ? 1 : 2;
    uint64_t cost = shifts * ir_machine_cost(OP_SHLI, w) + ir_machine_cost(OP_ADD, w);
    if ((!adds && !is_power(top)) || cost >= product_cost(i, k))
        return;
    uint64_t high = adds ? rest : top;
    i->a = make_before(s, i, IR_SHL, x, log2_of(high));
    i->b = low == 1 ? x : make_before(s, i, IR_SHL, x, log2_of(low));
    i->op = adds ? IR_ADD : IR_SUB;
}

static void simplify_multiply(struct simplifier *s, struct ir_insn *i, uint32_t x, uint64_t k) {
    if (k == 0)
        to_constant(i, 0);
    else if (k == 1)
        to_copy(i, x);
    else if (is_power(k))
        to_shift(i, IR_SHL, x, log2_of(k));
    else
        multiply_by_two_terms(s, i, x, k);
}

static void simplify_divide(struct simplifier *s, struct ir_insn *i, uint64_t k) {
    bool remainder = i->op == IR_REM || i->op == IR_FLOORMOD;
    bool floors = i->op == IR_FLOORDIV || i->op == IR_FLOORMOD || i->type.kind != TYPE_INT;
    bool negative = i->type.kind == TYPE_INT && (k >> (i->type.bits - 1) & 1);
    if (k == 1)
        remainder ? to_constant(i, 0) : to_copy(i, i->a);
    else if (!is_power(k) || !floors || negative)
        return;
    else if (!remainder)
        to_shift(i, IR_SHR, i->a, log2_of(k));
    else {
        i->b = make_before(s, i, IR_CONST, IR_NONE, k - 1);
        i->op = IR_AND;
    }
}

/* b is the constant k. */
static void simplify_right(struct simplifier *s, struct ir_insn *i, uint64_t k) {
    uint64_t ones = low_bits(i->type.bits);
    switch ((enum ir_op)i->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_XOR:
        if (k == 0)
            to_copy(i, i->a);
        else if (i->op == IR_XOR && k == ones) {
            i->op = IR_NOT;
            i->b = IR_NONE;
        }
        break;
    case IR_OR:
        k == 0 ? to_copy(i, i->a) : k == ones ? to_constant(i, ones) : (void)0;
        break;
    case IR_AND:
        k == 0 ? to_constant(i, 0) : k == ones ? to_copy(i, i->a) : (void)0;
        break;
    case IR_MUL:
        simplify_multiply(s, i, i->a, k);
        break;
    case IR_DIV:
    case IR_REM:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
        simplify_divide(s, i, k);
        break;
    case IR_SHL:
    case IR_SHR:
        to_shift(i, i->op, i->a, k < 64 ? (unsigned)k : 64);
        break;
    default:
        break;
    }
}

/* a is the constant k. */
static void simplify_left(struct simplifier *s, struct ir_insn *i, uint64_t k) {
    uint32_t x = i->b;
    switch ((enum ir_op)i->op) {
    case IR_ADD:
    case IR_OR:
    case IR_XOR:
    case IR_AND:
    case IR_MUL:
        i->b = i->a;
        i->a = x;
        simplify_right(s, i, k);
        break;
    case IR_EQ:
    case IR_NE:
        i->b = i->a;
        i->a = x;
        break;
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
        i->op = (uint8_t)(i->op == IR_LT   ? IR_GT
                          : i->op == IR_LE ? IR_GE
                          : i->op == IR_GT ? IR_LT
                                           : IR_LE);
        i->b = i->a;
        i->a = x;
        break;
    case IR_SUB:
        if (k == 0) {
            i->op = IR_NEG;
            i->a = x;
            i->b = IR_NONE;
        }
        break;
    default:
        break;
    }
}

static void simplify_equal(struct ir_insn *i) {
    switch ((enum ir_op)i->op) {
    case IR_SUB:
    case IR_XOR:
    case IR_NE:
    case IR_LT:
    case IR_GT:
        to_constant(i, 0);
        break;
    case IR_EQ:
    case IR_LE:
    case IR_GE:
        to_constant(i, 1);
        break;
    case IR_AND:
    case IR_OR:
    case IR_MIN:
    case IR_MAX:
        to_copy(i, i->a);
        break;
    default:
        break;
    }
}

/* a ? b : 0 is b AND as many bits of a: the condition need not be copied for it. */
static void select_or_zero(struct simplifier *s, struct ir_insn *i) {
    struct ir_insn mask = {.op = IR_WIDEN,
                           .type = i->type,
                           .from = {TYPE_INT, 1},
                           .a = i->a,
                           .b = IR_NONE,
                           .c = IR_NONE,
                           .at = i->at};
    if (i->type.bits == 1)
        mask.op = IR_COPY;
    mask.dst = ir_vreg(s->code, i->type, NULL, i->at);
    s->before(s->context, &mask);
    i->op = IR_AND;
    i->a = i->b;
    i->b = mask.dst;
    i->c = IR_NONE;
}

static void simplify_select(struct simplifier *s, struct ir_insn *i) {
    uint64_t k;
    if (s->constant(s->context, i->a, &k))
        to_copy(i, k & 1 ? i->b : i->c);
    else if (s->same(s->context, i->b, i->c))
        to_copy(i, i->b);
    else if (s->constant(s->context, i->c, &k) && (k & low_bits(i->type.bits)) == 0)
        select_or_zero(s, i);
}

static void simplify_shift(struct simplifier *s, struct ir_insn *i) {
    uint64_t a;
    unsigned w = i->type.bits;
    unsigned count = i->imm < w ? (unsigned)i->imm : w;
    bool with_sign = i->op == IR_SHR && i->type.kind == TYPE_INT;
    struct ir_range r = s->range(s->context, i->a, w);
    bool nothing = i->op == IR_SHR && count < w && !(with_sign && !ir_range_positive(r, w)) &&
                   r.high >> count == 0; /* is left: no value has so many bits */
    if (s->constant(s->context, i->a, &a))
        to_constant(i, ir_fold(i->op, i->type, a & low_bits(w), count, 0));
    else if (count == 0)
        to_copy(i, i->a);
    else if (nothing || (count == w && !with_sign))
        to_constant(i, 0);
    else
        i->imm = count < w ? count : w - 1;
}

static void simplify_unary(struct simplifier *s, struct ir_insn *i) {
    uint64_t a;
    if (!s->constant(s->context, i->a, &a))
        return;
    if (i->op == IR_WIDEN)
        to_constant(i, ir_widen(a & low_bits(i->from.bits), i->from, i->type));
    else if (i->op == IR_COPY)
        to_constant(i, a);
    else
        to_constant(i, ir_fold(i->op, i->type, a & low_bits(i->type.bits), 0, 0));
}

/* Signs that are never set need not be looked at. */
static void drop_sign(struct simplifier *s, struct ir_insn *i) {
    struct ir_insn plain = *i;
    unsigned bits = i->type.bits;
    bool looks = i->op == IR_DIV || i->op == IR_REM || i->op == IR_FLOORDIV ||
                 i->op == IR_FLOORMOD || (i->op == IR_SHR && i->b == IR_NONE) || i->op == IR_MIN ||
                 i->op == IR_MAX || (ir_op_compares(i->op) && i->op != IR_EQ && i->op != IR_NE);
    if (!looks || i->type.kind != TYPE_INT ||
        !ir_range_positive(s->range(s->context, i->a, bits), bits) ||
        (i->b != IR_NONE && !ir_range_positive(s->range(s->context, i->b, bits), bits)))
        return;
    plain.type.kind = TYPE_UINT;
    if (ir_cost(&plain) <= ir_cost(i))
        *i = plain;
}

/* A comparison of values that are apart. */
static void decide(struct simplifier *s, struct ir_insn *i) {
    unsigned bits = i->type.bits;
    bool result;
    if (ir_op_compares(i->op) && i->type.kind != TYPE_BOOL &&
        ir_range_decides(i, s->range(s->context, i->a, bits), s->range(s->context, i->b, bits),
                         &result))
        to_constant(i, result);
}

static void simplify_binary(struct simplifier *s, struct ir_insn *i) {
    uint64_t a, b, ones = low_bits(i->type.bits);
    bool left = s->constant(s->context, i->a, &a), right = s->constant(s->context, i->b, &b);
    if (left && right)
        to_constant(i, ir_fold(i->op, i->type, a & ones, b & ones, 0));
    else if (right)
        simplify_right(s, i, b & ones);
    else if (left)
        simplify_left(s, i, a & ones);
    else if (s->same(s->context, i->a, i->b))
        simplify_equal(i);
}

void ir_simplify(struct simplifier *s, struct ir_insn *i) {
    bool is_shift = i->op == IR_SHL || i->op == IR_SHR;
    drop_sign(s, i);
    if (i->op == IR_SELECT)
        simplify_select(s, i);
    else if (i->op == IR_COPY || i->op == IR_WIDEN || i->op == IR_NOT || i->op == IR_NEG)
        simplify_unary(s, i);
    else if (i->op < IR_OPERATION_COUNT && i->b != IR_NONE)
        simplify_binary(s, i);
    decide(s, i);
    if (is_shift && (i->op == IR_SHL || i->op == IR_SHR) && i->b == IR_NONE)
        simplify_shift(s, i);
}
