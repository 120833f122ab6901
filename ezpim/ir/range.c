/* SPDX-License-Identifier: MIT
 * Ranges through operations: the result's range has every value that operands in theirs can give.
 */
#include "ezpim/ir/range.h"
#include "support/bits.h"

struct ir_range ir_range_all(unsigned bits) {
    return (struct ir_range){0, low_bits(bits)};
}

struct ir_range ir_range_cut(struct ir_range range, unsigned bits) {
    return range.high > low_bits(bits) ? ir_range_all(bits) : range;
}

unsigned ir_range_bits(struct ir_range range) {
    return range.high ? 64 - (unsigned)__builtin_clzll(range.high) : 1;
}

bool ir_range_positive(struct ir_range range, unsigned bits) {
    return range.high >> (bits - 1) == 0;
}

static uint64_t least(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

static uint64_t most(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

/* All patterns with as many bits as the larger of both. */
static struct ir_range up_to_bits_of(struct ir_range left, struct ir_range right) {
    return (struct ir_range){0, low_bits(ir_range_bits(left.high > right.high ? left : right))};
}

/* What overflows may be anything. */
static struct ir_range sum(struct ir_range left, struct ir_range right, struct ir_range all) {
    struct ir_range r = {left.low + right.low, 0};
    bool over = __builtin_add_overflow(left.high, right.high, &r.high) || r.high > all.high;
    return over ? all : r;
}

static struct ir_range difference(struct ir_range left, struct ir_range right,
                                  struct ir_range all) {
    return left.low < right.high ? all
                                 : (struct ir_range){left.low - right.high, left.high - right.low};
}

static struct ir_range product(struct ir_range left, struct ir_range right, struct ir_range all) {
    struct ir_range r = {0, 0};
    bool over = __builtin_mul_overflow(left.high, right.high, &r.high) || r.high > all.high;
    r.low = over ? 0 : left.low * right.low;
    return over ? all : r;
}

/* Division by zero gives all ones. */
static struct ir_range quotient(struct ir_range left, struct ir_range right, struct ir_range all) {
    return right.low == 0 ? all : (struct ir_range){left.low / right.high, left.high / right.low};
}

/* The remainder of a division by zero is the dividend. */
static struct ir_range remainder_of(struct ir_range left, struct ir_range right) {
    return (struct ir_range){0, right.low == 0 ? left.high : least(left.high, right.high - 1)};
}

/* Shifts by as many bits as there are, or more, shift everything out. */
static struct ir_range shifted(const struct ir_insn *insn, struct ir_range left,
                               struct ir_range right, struct ir_range all) {
    if (insn->b == IR_NONE)
        right = (struct ir_range){insn->imm, insn->imm};
    bool whole = right.high >= insn->type.bits;
    if (insn->op == IR_SHR)
        return (struct ir_range){whole ? 0 : left.low >> right.high,
                                 right.low >= insn->type.bits ? 0 : left.high >> right.low};
    bool over = whole || left.high > all.high >> right.high;
    return over ? all : (struct ir_range){left.low << right.low, left.high << right.high};
}

static struct ir_range either(struct ir_range b, struct ir_range c) {
    return (struct ir_range){least(b.low, c.low), most(b.high, c.high)};
}

/* Operations that do the same to patterns with and without a sign. */
static struct ir_range plain(const struct ir_insn *insn, struct ir_range left,
                             struct ir_range right, struct ir_range c, struct ir_range all) {
    switch ((enum ir_op)insn->op) {
    case IR_ADD:
        return sum(left, right, all);
    case IR_SUB:
        return difference(left, right, all);
    case IR_MUL:
        return product(left, right, all);
    case IR_AND:
        return (struct ir_range){0, least(left.high, right.high)};
    case IR_OR:
        return (struct ir_range){most(left.low, right.low), up_to_bits_of(left, right).high};
    case IR_XOR:
        return up_to_bits_of(left, right);
    case IR_SHL:
        return shifted(insn, left, right, all);
    case IR_SELECT:
        return either(right, c);
    case IR_COPY:
        return left;
    default:
        return all;
    }
}

/* Those that look at the sign, of operands that have none set. */
static struct ir_range ordered(const struct ir_insn *insn, struct ir_range left,
                               struct ir_range right, struct ir_range all) {
    switch ((enum ir_op)insn->op) {
    case IR_DIV:
    case IR_FLOORDIV:
        return quotient(left, right, all);
    case IR_REM:
    case IR_FLOORMOD:
        return remainder_of(left, right);
    case IR_SHR:
        return shifted(insn, left, right, all);
    case IR_MIN:
        return (struct ir_range){least(left.low, right.low), least(left.high, right.high)};
    case IR_MAX:
        return (struct ir_range){most(left.low, right.low), most(left.high, right.high)};
    default:
        return all;
    }
}

static bool is_ordered(uint8_t op) {
    return op == IR_DIV || op == IR_FLOORDIV || op == IR_REM || op == IR_FLOORMOD || op == IR_SHR ||
           op == IR_MIN || op == IR_MAX;
}

struct ir_range ir_range_result(const struct ir_insn *insn, struct ir_range left,
                                struct ir_range right, struct ir_range c) {
    unsigned bits = insn->type.bits;
    struct ir_range all = ir_range_all(bits);
    if (insn->op == IR_WIDEN &&
        (insn->from.kind != TYPE_INT || ir_range_positive(left, insn->from.bits)))
        return left;
    if (insn->op == IR_MACHINE)
        return insn->machine == OP_POPC ? (struct ir_range){0, insn->width}
                                        : ir_range_all(insn->width);
    if (insn->op == IR_LOOKUP)
        return all;
    if (ir_op_compares(insn->op) || insn->op == IR_FSIGN || insn->op == IR_FZERO)
        return (struct ir_range){0, 1};
    if (!is_ordered(insn->op))
        return plain(insn, left, right, c, all);
    bool one = insn->op == IR_SHR; /* the count has no sign */
    if (insn->type.kind == TYPE_INT &&
        !(ir_range_positive(left, bits) && (one || ir_range_positive(right, bits))))
        return all;
    return ordered(insn, left, right, all);
}

bool ir_range_decides(const struct ir_insn *insn, struct ir_range left, struct ir_range right,
                      bool *result) {
    unsigned bits = insn->type.bits;
    bool apart = left.high < right.low || right.high < left.low, below = left.high < right.low;
    if (insn->type.kind == TYPE_INT && insn->op != IR_EQ && insn->op != IR_NE &&
        !(ir_range_positive(left, bits) && ir_range_positive(right, bits)))
        return false;
    switch ((enum ir_op)insn->op) {
    case IR_EQ:
    case IR_NE:
        *result = insn->op == IR_NE;
        return apart;
    case IR_LT:
    case IR_GE:
        *result = below == (insn->op == IR_LT);
        return below || right.high <= left.low;
    case IR_GT:
    case IR_LE:
        *result = (right.high < left.low) == (insn->op == IR_GT);
        return right.high < left.low || left.high <= right.low;
    default:
        return false;
    }
}
