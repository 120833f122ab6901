/* SPDX-License-Identifier: MIT
 * One instruction made simpler: whatever takes its place gives the same bits. */
#include "ezpim/ir/cost.h"
#include "ezpim/ir/simplify.h"
#include "support/bits.h"

static void to_constant(struct ir_insn *insn, uint64_t value) {
    struct lane_type type = ir_result_type(insn);
    *insn = (struct ir_insn){.op = IR_CONST,
                             .type = type,
                             .dst = insn->dst,
                             .a = IR_NONE,
                             .b = IR_NONE,
                             .c = IR_NONE,
                             .imm = value & low_bits(type.bits),
                             .at = insn->at};
}

static void to_copy(struct ir_insn *insn, uint32_t source) {
    *insn = (struct ir_insn){.op = IR_COPY,
                             .type = insn->type,
                             .dst = insn->dst,
                             .a = source,
                             .b = IR_NONE,
                             .c = IR_NONE,
                             .at = insn->at};
}

static void to_shift(struct ir_insn *insn, enum ir_op op, uint32_t source, unsigned count) {
    insn->op = (uint8_t)op;
    insn->a = source;
    insn->b = IR_NONE;
    insn->imm = count;
}

/* A virtual register that holds op of the operands, made in front of `insn`. */
static uint32_t make_before(struct simplifier *simplifier, const struct ir_insn *insn,
                            enum ir_op op, uint32_t a, uint64_t imm) {
    struct ir_insn made = {.op = (uint8_t)op,
                           .type = insn->type,
                           .a = a,
                           .b = IR_NONE,
                           .c = IR_NONE,
                           .imm = imm,
                           .at = insn->at};
    made.dst = ir_vreg(simplifier->code, insn->type, NULL, insn->at);
    simplifier->before(simplifier->context, &made);
    return made.dst;
}

static bool is_power(uint64_t value) {
    return value && !(value & (value - 1));
}

static unsigned log2_of(uint64_t value) {
    return (unsigned)__builtin_ctzll(value);
}

/* x * (2^a + 2^b), x * (2^a - 2^b) as shifts and an addition, where that is cheaper. */
static void multiply_by_two_terms(struct simplifier *simplifier, struct ir_insn *insn, uint32_t x,
                                  uint64_t constant) {
    uint64_t low = constant & (0 - constant), rest = constant - low, top = constant + low;
    bool adds = is_power(rest);
    unsigned w = insn->type.bits, shifts = low == 1 ? 1 : 2;
    uint64_t cost = shifts * ir_machine_cost(OP_SHLI, w) + ir_machine_cost(OP_ADD, w);
    if ((!adds && !is_power(top)) || cost >= ir_constant_product_cost(constant, w))
        return;
    uint64_t high = adds ? rest : top;
    insn->a = make_before(simplifier, insn, IR_SHL, x, log2_of(high));
    insn->b = low == 1 ? x : make_before(simplifier, insn, IR_SHL, x, log2_of(low));
    insn->op = adds ? IR_ADD : IR_SUB;
}

static void simplify_multiply(struct simplifier *simplifier, struct ir_insn *insn, uint32_t x,
                              uint64_t constant) {
    if (constant == 0)
        to_constant(insn, 0);
    else if (constant == 1)
        to_copy(insn, x);
    else if (is_power(constant))
        to_shift(insn, IR_SHL, x, log2_of(constant));
    else
        multiply_by_two_terms(simplifier, insn, x, constant);
}

static void simplify_divide(struct simplifier *simplifier, struct ir_insn *insn,
                            uint64_t constant) {
    bool remainder = insn->op == IR_REM || insn->op == IR_FLOORMOD;
    bool floors = insn->op == IR_FLOORDIV || insn->op == IR_FLOORMOD || insn->type.kind != TYPE_INT;
    bool negative = insn->type.kind == TYPE_INT && (constant >> (insn->type.bits - 1) & 1);
    if (constant == 1)
        remainder ? to_constant(insn, 0) : to_copy(insn, insn->a);
    else if (!is_power(constant) || !floors || negative)
        return;
    else if (!remainder)
        to_shift(insn, IR_SHR, insn->a, log2_of(constant));
    else {
        insn->b = make_before(simplifier, insn, IR_CONST, IR_NONE, constant - 1);
        insn->op = IR_AND;
    }
}

/* b is the constant `constant`. */
static void simplify_right(struct simplifier *simplifier, struct ir_insn *insn, uint64_t constant) {
    uint64_t ones = low_bits(insn->type.bits);
    switch ((enum ir_op)insn->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_XOR:
        if (constant == 0)
            to_copy(insn, insn->a);
        else if (insn->op == IR_XOR && constant == ones) {
            insn->op = IR_NOT;
            insn->b = IR_NONE;
        }
        break;
    case IR_OR:
        constant == 0      ? to_copy(insn, insn->a)
        : constant == ones ? to_constant(insn, ones)
                           : (void)0;
        break;
    case IR_AND:
        constant == 0 ? to_constant(insn, 0) : constant == ones ? to_copy(insn, insn->a) : (void)0;
        break;
    case IR_MUL:
        simplify_multiply(simplifier, insn, insn->a, constant);
        break;
    case IR_DIV:
    case IR_REM:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
        simplify_divide(simplifier, insn, constant);
        break;
    case IR_SHL:
    case IR_SHR:
        to_shift(insn, insn->op, insn->a, constant < 64 ? (unsigned)constant : 64);
        break;
    default:
        break;
    }
}

/* a is the constant `constant`. */
static void simplify_left(struct simplifier *simplifier, struct ir_insn *insn, uint64_t constant) {
    uint32_t x = insn->b;
    switch ((enum ir_op)insn->op) {
    case IR_ADD:
    case IR_OR:
    case IR_XOR:
    case IR_AND:
    case IR_MUL:
        insn->b = insn->a;
        insn->a = x;
        simplify_right(simplifier, insn, constant);
        break;
    case IR_EQ:
    case IR_NE:
        insn->b = insn->a;
        insn->a = x;
        break;
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
        insn->op = (uint8_t)(insn->op == IR_LT   ? IR_GT
                             : insn->op == IR_LE ? IR_GE
                             : insn->op == IR_GT ? IR_LT
                                                 : IR_LE);
        insn->b = insn->a;
        insn->a = x;
        break;
    case IR_SUB:
        if (constant == 0) {
            insn->op = IR_NEG;
            insn->a = x;
            insn->b = IR_NONE;
        }
        break;
    default:
        break;
    }
}

static void simplify_equal(struct ir_insn *insn) {
    switch ((enum ir_op)insn->op) {
    case IR_SUB:
    case IR_XOR:
    case IR_NE:
    case IR_LT:
    case IR_GT:
        to_constant(insn, 0);
        break;
    case IR_EQ:
    case IR_LE:
    case IR_GE:
        to_constant(insn, 1);
        break;
    case IR_AND:
    case IR_OR:
    case IR_MIN:
    case IR_MAX:
        to_copy(insn, insn->a);
        break;
    default:
        break;
    }
}

/* a ? b : 0 is b AND as many bits of a: the condition need not be copied for it. */
static void select_or_zero(struct simplifier *simplifier, struct ir_insn *insn) {
    struct ir_insn mask = {.op = IR_WIDEN,
                           .type = insn->type,
                           .from = {TYPE_INT, 1},
                           .a = insn->a,
                           .b = IR_NONE,
                           .c = IR_NONE,
                           .at = insn->at};
    if (insn->type.bits == 1)
        mask.op = IR_COPY;
    mask.dst = ir_vreg(simplifier->code, insn->type, NULL, insn->at);
    simplifier->before(simplifier->context, &mask);
    insn->op = IR_AND;
    insn->a = insn->b;
    insn->b = mask.dst;
    insn->c = IR_NONE;
}

static void simplify_select(struct simplifier *simplifier, struct ir_insn *insn) {
    uint64_t k;
    if (simplifier->constant(simplifier->context, insn->a, &k))
        to_copy(insn, k & 1 ? insn->b : insn->c);
    else if (simplifier->same(simplifier->context, insn->b, insn->c))
        to_copy(insn, insn->b);
    else if (simplifier->constant(simplifier->context, insn->c, &k) &&
             (k & low_bits(insn->type.bits)) == 0)
        select_or_zero(simplifier, insn);
}

static void simplify_shift(struct simplifier *simplifier, struct ir_insn *insn) {
    uint64_t a;
    unsigned w = insn->type.bits;
    unsigned count = insn->imm < w ? (unsigned)insn->imm : w;
    bool with_sign = insn->op == IR_SHR && insn->type.kind == TYPE_INT;
    struct ir_range r = simplifier->range(simplifier->context, insn->a, w);
    bool nothing = insn->op == IR_SHR && count < w && !(with_sign && !ir_range_positive(r, w)) &&
                   r.high >> count == 0; /* is left: no value has so many bits */
    if (simplifier->constant(simplifier->context, insn->a, &a))
        to_constant(insn, ir_fold(insn->op, insn->type, a & low_bits(w), count, 0));
    else if (count == 0)
        to_copy(insn, insn->a);
    else if (nothing || (count == w && !with_sign))
        to_constant(insn, 0);
    else
        insn->imm = count < w ? count : w - 1;
}

static void simplify_unary(struct simplifier *simplifier, struct ir_insn *insn) {
    uint64_t a;
    if (!simplifier->constant(simplifier->context, insn->a, &a))
        return;
    if (insn->op == IR_LOOKUP && insn->lut->fill_count)
        return; /* its entries are not known yet */
    if (insn->op == IR_LOOKUP)
        to_constant(insn, insn->lut->table.entries[a & low_bits(insn->from.bits)]);
    else if (insn->op == IR_CVT)
        to_constant(insn, ir_cvt(a, insn->imm, insn->from, insn->type));
    else if (insn->op == IR_WIDEN)
        to_constant(insn, ir_widen(a & low_bits(insn->from.bits), insn->from, insn->type));
    else if (insn->op == IR_COPY)
        to_constant(insn, a);
    else
        to_constant(insn, ir_fold(insn->op, insn->type, a & low_bits(insn->type.bits), 0, 0));
}

/* Signs that are never set need not be looked at. */
static void drop_sign(struct simplifier *simplifier, struct ir_insn *insn) {
    struct ir_insn plain = *insn;
    unsigned bits = insn->type.bits;
    bool looks = insn->op == IR_DIV || insn->op == IR_REM || insn->op == IR_FLOORDIV ||
                 insn->op == IR_FLOORMOD || (insn->op == IR_SHR && insn->b == IR_NONE) ||
                 insn->op == IR_MIN || insn->op == IR_MAX ||
                 (ir_op_compares(insn->op) && insn->op != IR_EQ && insn->op != IR_NE);
    if (!looks || insn->type.kind != TYPE_INT ||
        !ir_range_positive(simplifier->range(simplifier->context, insn->a, bits), bits) ||
        (insn->b != IR_NONE &&
         !ir_range_positive(simplifier->range(simplifier->context, insn->b, bits), bits)))
        return;
    plain.type.kind = TYPE_UINT;
    if (ir_cost(&plain) <= ir_cost(insn))
        *insn = plain;
}

/* A comparison of values that are apart. */
static void decide(struct simplifier *simplifier, struct ir_insn *insn) {
    unsigned bits = insn->type.bits;
    bool result;
    if (ir_op_compares(insn->op) && insn->type.kind != TYPE_BOOL &&
        ir_range_decides(insn, simplifier->range(simplifier->context, insn->a, bits),
                         simplifier->range(simplifier->context, insn->b, bits), &result))
        to_constant(insn, result);
}

static void simplify_binary(struct simplifier *simplifier, struct ir_insn *insn) {
    uint64_t a, b, ones = low_bits(insn->type.bits);
    bool left = simplifier->constant(simplifier->context, insn->a, &a),
         right = simplifier->constant(simplifier->context, insn->b, &b);
    if (left && right)
        to_constant(insn, ir_fold(insn->op, insn->type, a & ones, b & ones, 0));
    else if (right)
        simplify_right(simplifier, insn, b & ones);
    else if (left)
        simplify_left(simplifier, insn, a & ones);
    else if (simplifier->same(simplifier->context, insn->a, insn->b))
        simplify_equal(insn);
}

void ir_simplify(struct simplifier *simplifier, struct ir_insn *insn) {
    bool is_shift = insn->op == IR_SHL || insn->op == IR_SHR;
    drop_sign(simplifier, insn);
    if (insn->op == IR_SELECT)
        simplify_select(simplifier, insn);
    else if (ir_op_operands(insn->op) == 1 && insn->op <= IR_LOOKUP)
        simplify_unary(simplifier, insn);
    else if (insn->op < IR_OPERATION_COUNT && insn->b != IR_NONE)
        simplify_binary(simplifier, insn);
    decide(simplifier, insn);
    if (is_shift && (insn->op == IR_SHL || insn->op == IR_SHR) && insn->b == IR_NONE)
        simplify_shift(simplifier, insn);
}
