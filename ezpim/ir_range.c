/* SPDX-License-Identifier: MIT
 * Ranges through operations: the result's range has every value that operands in theirs can give.
 */
#include "ezpim/ir_range.h"
#include "support/bits.h"

struct ir_range ir_range_all(unsigned bits) {
    return (struct ir_range){0, low_bits(bits)};
}

struct ir_range ir_range_cut(struct ir_range r, unsigned bits) {
    return r.high > low_bits(bits) ? ir_range_all(bits) : r;
}

unsigned ir_range_bits(struct ir_range r) {
    return r.high ? 64 - (unsigned)__builtin_clzll(r.high) : 1;
}

bool ir_range_positive(struct ir_range r, unsigned bits) {
    return r.high >> (bits - 1) == 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* All patterns with as many bits as the larger of both. */
static struct ir_range up_to_bits_of(struct ir_range a, struct ir_range b) {
    return (struct ir_range){0, low_bits(ir_range_bits(a.high > b.high ? a : b))};
}

/* What overflows may be anything. */
static struct ir_range sum(struct ir_range a, struct ir_range b, struct ir_range all) {
    struct ir_range r = {a.low + b.low, 0};
    bool over = __builtin_add_overflow(a.high, b.high, &r.high) || r.high > all.high;
    return over ? all : r;
}

static struct ir_range difference(struct ir_range a, struct ir_range b, struct ir_range all) {
    return a.low < b.high ? all : (struct ir_range){a.low - b.high, a.high - b.low};
}

static struct ir_range product(struct ir_range a, struct ir_range b, struct ir_range all) {
    struct ir_range r = {0, 0};
    bool over = __builtin_mul_overflow(a.high, b.high, &r.high) || r.high > all.high;
    r.low = over ? 0 : a.low * b.low;
    return over ? all : r;
}

/* Division by zero gives all ones. */
static struct ir_range quotient(struct ir_range a, struct ir_range b, struct ir_range all) {
    return b.low == 0 ? all : (struct ir_range){a.low / b.high, a.high / b.low};
}

/* The remainder of a division by zero is the dividend. */
static struct ir_range remainder_of(struct ir_range a, struct ir_range b) {
    return (struct ir_range){0, b.low == 0 ? a.high : least(a.high, b.high - 1)};
}

/* Shifts by as many bits as there are, or more, shift everything out. */
static struct ir_range shifted(const struct ir_insn *i, struct ir_range a, struct ir_range b,
                               struct ir_range all) {
    if (i->b == IR_NONE)
        b = (struct ir_range){i->imm, i->imm};
    bool whole = b.high >= i->type.bits;
    if (i->op == IR_SHR)
        return (struct ir_range){whole ? 0 : a.low >> b.high,
                                 b.low >= i->type.bits ? 0 : a.high >> b.low};
    bool over = whole || a.high > all.high >> b.high;
    return over ? all : (struct ir_range){a.low << b.low, a.high << b.high};
}

static struct ir_range either(struct ir_range b, struct ir_range c) {
    return (struct ir_range){least(b.low, c.low), most(b.high, c.high)};
}

/* Operations that do the same to patterns with and without a sign. */
static struct ir_range plain(const struct ir_insn *i, struct ir_range a, struct ir_range b,
                             struct ir_range c, struct ir_range all) {
    switch ((enum ir_op)i->op) {
    case IR_ADD:
        return sum(a, b, all);
    case IR_SUB:
        return difference(a, b, all);
    case IR_MUL:
        return product(a, b, all);
    case IR_AND:
        return (struct ir_range){0, least(a.high, b.high)};
    case IR_OR:
        return (struct ir_range){most(a.low, b.low), up_to_bits_of(a, b).high};
    case IR_XOR:
        return up_to_bits_of(a, b);
    case IR_SHL:
        return shifted(i, a, b, all);
    case IR_SELECT:
        return either(b, c);
    case IR_COPY:
        return a;
    default:
        return all;
    }
}

/* Those that look at the sign, of operands that have none set. */
static struct ir_range ordered(const struct ir_insn *i, struct ir_range a, struct ir_range b,
                               struct ir_range all) {
    switch ((enum ir_op)i->op) {
    case IR_DIV:
    case IR_FLOORDIV:
        return quotient(a, b, all);
    case IR_REM:
    case IR_FLOORMOD:
        return remainder_of(a, b);
    case IR_SHR:
        return shifted(i, a, b, all);
    case IR_MIN:
        return (struct ir_range){least(a.low, b.low), least(a.high, b.high)};
    case IR_MAX:
        return (struct ir_range){most(a.low, b.low), most(a.high, b.high)};
    default:
        return all;
    }
}

static bool is_ordered(uint8_t op) {
    return op == IR_DIV || op == IR_FLOORDIV || op == IR_REM || op == IR_FLOORMOD || op == IR_SHR ||
           op == IR_MIN || op == IR_MAX;
}

struct ir_range ir_range_result(const struct ir_insn *i, struct ir_range a, struct ir_range b,
                                struct ir_range c) {
    unsigned bits = i->type.bits;
    struct ir_range all = ir_range_all(bits);
    if (i->op == IR_WIDEN && (i->from.kind != TYPE_INT || ir_range_positive(a, i->from.bits)))
        return a;
    if (i->op == IR_MACHINE)
        return i->machine == OP_POPC ? (struct ir_range){0, i->width} : ir_range_all(i->width);
    if (ir_op_compares(i->op))
        return (struct ir_range){0, 1};
    if (!is_ordered(i->op))
        return plain(i, a, b, c, all);
    bool one = i->op == IR_SHR; /* the count has no sign */
    if (i->type.kind == TYPE_INT &&
        !(ir_range_positive(a, bits) && (one || ir_range_positive(b, bits))))
        return all;
    return ordered(i, a, b, all);
}

bool ir_range_decides(const struct ir_insn *i, struct ir_range a, struct ir_range b, bool *result) {
    unsigned bits = i->type.bits;
    bool apart = a.high < b.low || b.high < a.low, below = a.high < b.low;
    if (i->type.kind == TYPE_INT && i->op != IR_EQ && i->op != IR_NE &&
        !(ir_range_positive(a, bits) && ir_range_positive(b, bits)))
        return false;
    switch ((enum ir_op)i->op) {
    case IR_EQ:
    case IR_NE:
        *result = i->op == IR_NE;
        return apart;
    case IR_LT:
    case IR_GE:
        *result = below == (i->op == IR_LT);
        return below || b.high <= a.low;
    case IR_GT:
    case IR_LE:
        *result = (b.high < a.low) == (i->op == IR_GT);
        return b.high < a.low || a.high <= b.low;
    default:
        return false;
    }
}
