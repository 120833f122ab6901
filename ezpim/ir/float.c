/* SPDX-License-Identifier: MIT
 * Conversions that no single instruction does go by a wider format that has all that matters of
 * the number; roundings to integers work on the pattern, whose fraction carries into the exponent
 * as the number does. */
#include "ezpim/ir/float.h"

#include "support/bits.h"
#include "support/ieee.h"

static const struct lane_type bit = {TYPE_BOOL, 1};

/* ---- operations ---- */

static enum ir_op float_op(enum ir_op op) {
    static const uint8_t ops[IR_OPERATION_COUNT] = {
        [IR_ADD] = IR_FADD, [IR_SUB] = IR_FSUB, [IR_MUL] = IR_FMUL, [IR_DIV] = IR_FDIV,
        [IR_MIN] = IR_FMIN, [IR_MAX] = IR_FMAX, [IR_NEG] = IR_FNEG, [IR_EQ] = IR_FEQ,
        [IR_NE] = IR_FEQ,   [IR_LT] = IR_FLT,   [IR_LE] = IR_FLE,   [IR_GT] = IR_FLT,
        [IR_GE] = IR_FLE,
    };
    return ops[op] ? (enum ir_op)ops[op] : op;
}

uint32_t ir_typed(struct ir_builder *builder, enum ir_op op, struct lane_type type, uint32_t dst,
                  uint32_t a, uint32_t b, struct span at) {
    if (!object_type_is_float(type))
        return ir_operation(builder, op, type, dst, a, b, IR_NONE, 0, at);
    if (op == IR_NE) {
        uint32_t equal = ir_operation(builder, IR_FEQ, type, IR_NONE, a, b, IR_NONE, 0, at);
        return ir_operation(builder, IR_NOT, bit, dst, equal, IR_NONE, IR_NONE, 0, at);
    }
    bool turned = op == IR_GT || op == IR_GE;
    return ir_operation(builder, float_op(op), type, dst, turned ? b : a, turned ? a : b, IR_NONE,
                        0, at);
}

uint64_t ir_fold_typed(enum ir_op op, struct lane_type type, uint64_t left, uint64_t right) {
    if (!object_type_is_float(type))
        return ir_fold(op, type, left, right, 0);
    bool turned = op == IR_GT || op == IR_GE;
    uint64_t r = ir_fold(float_op(op), type, turned ? right : left, turned ? left : right, 0);
    return op == IR_NE ? !r : r;
}

/* ---- conversions ---- */

/* The word of CVT for one that comes from or goes to integers. */
static uint64_t integer_conversion(enum isa_conversion conversion, struct lane_type format) {
    return (uint64_t)conversion + (format.kind == TYPE_BFLOAT ? CONVERT_BFLOAT : 0);
}

static uint64_t format_conversion(struct lane_type from, struct lane_type to) {
    enum isa_conversion c = from.kind == TYPE_BFLOAT ? CONVERT_FROM_BF16
                            : from.bits == 16        ? CONVERT_FROM_F16
                            : from.bits == 32        ? CONVERT_FROM_F32
                                                     : CONVERT_FROM_F64;
    return integer_conversion(c, to);
}

static uint32_t put_cvt(struct ir_builder *builder, uint64_t conversion, uint32_t a,
                        struct lane_type from, struct lane_type to, uint32_t dst, struct span at) {
    dst = ir_operation(builder, IR_CVT, to, dst, a, IR_NONE, IR_NONE, conversion, at);
    vec_last(&builder->code->insns).from = from;
    return dst;
}

static uint32_t between_formats(struct ir_builder *builder, uint32_t a, struct lane_type from,
                                struct lane_type to, uint32_t dst, struct span at) {
    if (ir_same_type(from, to))
        return ir_operation(builder, IR_COPY, to, dst, a, IR_NONE, IR_NONE, 0, at);
    return put_cvt(builder, format_conversion(from, to), a, from, to, dst, at);
}

static unsigned precision_of(struct lane_type format) {
    return object_type_format(format).fraction_bits + 1u;
}

/* `type` has as many bits as the format `wide`, less precision.  Where its value has more bits than
 * the format, the low bits are replaced by one that says whether they were 0: the format then has
 * the value exactly, and what is rounded to fewer bits afterwards comes out as the value itself
 * would (rounding to odd). */
static uint32_t jammed(struct ir_builder *builder, uint32_t a, struct lane_type type,
                       struct lane_type wide, struct span at) {
    unsigned precision = precision_of(wide), lost = type.bits - precision;
    uint64_t low = low_bits(lost), all = low_bits(type.bits);
    struct lane_type plain = {TYPE_UINT, type.bits};
    uint32_t mask = ir_constant(builder, plain, low, IR_NONE, at);
    uint32_t tail = ir_operation(builder, IR_AND, plain, IR_NONE, a, mask, IR_NONE, 0, at);
    uint32_t up = ir_operation(builder, IR_ADD, plain, IR_NONE, tail, mask, IR_NONE, 0, at);
    uint32_t or = ir_operation(builder, IR_OR, plain, IR_NONE, a, up, IR_NONE, 0, at);
    uint32_t keep = ir_constant(builder, plain, ~low & all, IR_NONE, at);
    uint32_t odd = ir_operation(builder, IR_AND, plain, IR_NONE, or, keep, IR_NONE, 0, at);
    /* -2^precision <= a < 2^precision: moved up, below twice that. */
    bool with_sign = type.kind == TYPE_INT;
    uint64_t reach = (uint64_t)1 << precision;
    uint32_t moved = a;
    if (with_sign) {
        uint32_t bias = ir_constant(builder, plain, reach, IR_NONE, at);
        moved = ir_operation(builder, IR_ADD, plain, IR_NONE, a, bias, IR_NONE, 0, at);
    }
    uint32_t bound = ir_constant(builder, plain, with_sign ? 2 * reach : reach, IR_NONE, at);
    uint32_t fits = ir_operation(builder, IR_LT, plain, IR_NONE, moved, bound, IR_NONE, 0, at);
    return ir_operation(builder, IR_SELECT, plain, IR_NONE, fits, a, odd, 0, at);
}

static uint32_t from_bool(struct ir_builder *builder, uint32_t a, struct lane_type to, uint32_t dst,
                          struct span at) {
    uint32_t one =
        ir_constant(builder, to, ieee_from_unsigned(object_type_format(to), 1), IR_NONE, at);
    uint32_t zero = ir_constant(builder, to, 0, IR_NONE, at);
    return ir_operation(builder, IR_SELECT, to, dst, a, one, zero, 0, at);
}

static uint32_t from_integer(struct ir_builder *builder, uint32_t a, struct lane_type from,
                             struct lane_type to, uint32_t dst, struct span at) {
    if (from.bits == 1)
        return from_bool(builder, a, to, dst, at);
    struct lane_type wide = to;
    if (from.bits > to.bits)
        wide = (struct lane_type){TYPE_FLOAT, from.bits <= 32 ? 32 : 64};
    struct lane_type integer = {from.kind, wide.bits};
    if (from.bits < wide.bits)
        a = ir_convert(builder, a, from, integer, IR_NONE, at);
    /* Too large for binary16 is so in any case. */
    bool binary16 = to.kind == TYPE_FLOAT && to.bits == 16;
    if (!ir_same_type(wide, to) && from.bits > precision_of(wide) && !binary16)
        a = jammed(builder, a, integer, wide, at);
    enum isa_conversion c = from.kind == TYPE_INT ? CONVERT_FROM_INT : CONVERT_FROM_UNSIGNED;
    if (ir_same_type(wide, to))
        return put_cvt(builder, integer_conversion(c, to), a, integer, to, dst, at);
    a = put_cvt(builder, integer_conversion(c, wide), a, integer, wide, IR_NONE, at);
    return between_formats(builder, a, wide, to, dst, at);
}

/* An integer of more bits as the nearest one of `to`. */
static uint32_t saturated(struct ir_builder *builder, uint32_t a, struct lane_type from,
                          struct lane_type to, uint32_t dst, struct span at) {
    bool with_sign = to.kind == TYPE_INT;
    uint64_t most = low_bits(with_sign ? to.bits - 1u : to.bits);
    if (from.bits == to.bits)
        return ir_operation(builder, IR_COPY, to, dst, a, IR_NONE, IR_NONE, 0, at);
    uint32_t high = ir_constant(builder, from, most, IR_NONE, at);
    a = ir_operation(builder, IR_MIN, from, IR_NONE, a, high, IR_NONE, 0, at);
    if (with_sign) {
        uint32_t low = ir_constant(builder, from, ~most & low_bits(from.bits), IR_NONE, at);
        a = ir_operation(builder, IR_MAX, from, IR_NONE, a, low, IR_NONE, 0, at);
    }
    return ir_convert(builder, a, from, to, dst, at);
}

static uint32_t to_integer(struct ir_builder *builder, uint32_t a, struct lane_type from,
                           struct lane_type to, uint32_t dst, struct span at) {
    struct lane_type wide = from;
    if (to.bits > from.bits)
        wide = (struct lane_type){TYPE_FLOAT, to.bits <= 32 ? 32 : 64};
    if (!ir_same_type(wide, from))
        a = between_formats(builder, a, from, wide, IR_NONE, at);
    enum isa_conversion c = to.kind == TYPE_INT ? CONVERT_TO_INT : CONVERT_TO_UNSIGNED;
    struct lane_type integer = {to.kind, wide.bits};
    bool ends = integer.bits == to.bits;
    a = put_cvt(builder, integer_conversion(c, wide), a, wide, integer, ends ? dst : IR_NONE, at);
    return ends ? a : saturated(builder, a, integer, to, dst, at);
}

static uint32_t to_bool(struct ir_builder *builder, uint32_t a, struct lane_type from, uint32_t dst,
                        struct span at) {
    uint32_t zero = ir_constant(builder, from, 0, IR_NONE, at);
    return ir_typed(builder, IR_NE, from, dst, a, zero, at);
}

uint32_t ir_convert_float(struct ir_builder *builder, uint32_t a, struct lane_type from,
                          struct lane_type to, uint32_t dst, struct span at) {
    if (to.kind == TYPE_BOOL)
        return to_bool(builder, a, from, dst, at);
    if (!object_type_is_float(to))
        return to_integer(builder, a, from, to, dst, at);
    return object_type_is_float(from) ? between_formats(builder, a, from, to, dst, at)
                                      : from_integer(builder, a, from, to, dst, at);
}

uint64_t ir_fold_convert(uint64_t a, struct lane_type from, struct lane_type to) {
    struct ieee_format f = object_type_format(from), t = object_type_format(to);
    if (object_type_is_float(from) && object_type_is_float(to))
        return ir_same_type(from, to) ? a : ieee_convert(f, t, a);
    if (object_type_is_float(to))
        return from.kind == TYPE_INT ? ieee_from_signed(t, sign_extend(a, from.bits))
                                     : ieee_from_unsigned(t, a);
    if (object_type_is_float(from))
        return to.kind == TYPE_INT ? ieee_to_signed(f, a, to.bits, false)
                                   : ieee_to_unsigned(f, a, to.bits, false);
    return ir_widen(a, from, to);
}

/* ---- roundings to integers ---- */

/* Below 2^fraction_bits by way of an integer. */
uint64_t ir_fold_round(enum ir_rounding rounding, struct lane_type type, uint64_t a) {
    struct ieee_format f = object_type_format(type);
    uint64_t sign = a & ieee_sign_bit(f), magnitude = a - sign;
    if (!ieee_less(f, magnitude, ieee_from_unsigned(f, (uint64_t)1 << f.fraction_bits)))
        return a;
    uint64_t whole =
        ieee_from_unsigned(f, ieee_to_unsigned(f, magnitude, 64, rounding == IR_ROUND_NEAREST));
    if (rounding == (sign ? IR_ROUND_DOWN : IR_ROUND_UP) && ieee_less(f, whole, magnitude))
        whole = ieee_add(f, whole, ieee_from_unsigned(f, 1));
    return whole | sign;
}

/* A pattern of `w` bits is worked on as a number without a sign. */
struct rounder {
    struct ir_builder *b;
    struct lane_type plain;
    struct ieee_format format;
    struct span at;
};

static uint32_t operate(struct rounder *r, enum ir_op op, uint32_t a, uint32_t b) {
    return ir_operation(r->b, op, r->plain, IR_NONE, a, b, IR_NONE, 0, r->at);
}

static uint32_t logic(struct rounder *r, enum ir_op op, uint32_t a, uint32_t b) {
    return ir_operation(r->b, op, bit, IR_NONE, a, b, IR_NONE, 0, r->at);
}

static uint32_t number(struct rounder *r, uint64_t value) {
    return ir_constant(r->b, r->plain, value, IR_NONE, r->at);
}

static uint32_t choose(struct rounder *r, uint32_t c, uint32_t a, uint32_t b) {
    return ir_operation(r->b, IR_SELECT, r->plain, IR_NONE, c, a, b, 0, r->at);
}

static uint64_t sign_of(const struct rounder *r) {
    return ieee_sign_bit(r->format);
}

static uint64_t one_of(const struct rounder *r) {
    return ieee_from_unsigned(r->format, 1);
}

/* The bits of the pattern that are worth less than 1: none where there are only integers. */
static uint32_t fraction_mask(struct rounder *r, uint32_t magnitude) {
    unsigned f = r->format.fraction_bits;
    uint32_t exponent =
        ir_operation(r->b, IR_SHR, r->plain, IR_NONE, magnitude, IR_NONE, IR_NONE, f, r->at);
    uint32_t whole = operate(r, IR_SUB, exponent, number(r, one_of(r) >> f));
    whole = operate(r, IR_MIN, whole, number(r, f));
    return operate(r, IR_SHR, number(r, low_bits(f)), whole);
}

/* Whether a number between two integers is rounded away from zero.  `rest`: its bits below 1, among
 * which `mask` are all; `small`: it is below 1, and mask is without meaning. */
static uint32_t rounds_away(struct rounder *r, enum ir_rounding rounding, uint32_t value,
                            uint32_t rest, uint32_t mask, uint32_t small) {
    uint32_t zero = number(r, 0);
    uint32_t some = operate(r, IR_NE, rest, zero);
    uint32_t sign = operate(r, IR_NE, operate(r, IR_AND, value, number(r, sign_of(r))), zero);
    if (rounding == IR_ROUND_UP)
        sign = logic(r, IR_NOT, sign, IR_NONE);
    if (rounding != IR_ROUND_NEAREST)
        return logic(r, IR_AND, some, sign);
    uint32_t half =
        operate(r, IR_SUB, mask,
                ir_operation(r->b, IR_SHR, r->plain, IR_NONE, mask, IR_NONE, IR_NONE, 1, r->at));
    half =
        choose(r, small,
               number(r, ieee_div(r->format, one_of(r), ieee_from_unsigned(r->format, 2))), half);
    uint32_t unit = operate(r, IR_ADD, mask, number(r, 1));
    uint32_t odd = operate(r, IR_NE, operate(r, IR_AND, value, unit), zero);
    odd = logic(r, IR_AND, odd, logic(r, IR_NOT, small, IR_NONE));
    uint32_t tie = logic(r, IR_AND, operate(r, IR_EQ, rest, half), odd);
    uint32_t above = logic(r, IR_OR, operate(r, IR_GT, rest, half), tie);
    return logic(r, IR_AND, above, some);
}

uint32_t ir_float_round(struct ir_builder *builder, enum ir_rounding rounding,
                        struct lane_type type, uint32_t a, uint32_t dst, struct span at) {
    struct rounder r = {builder, {TYPE_UINT, type.bits}, object_type_format(type), at};
    uint64_t all = sign_of(&r) - 1;
    uint32_t magnitude = operate(&r, IR_AND, a, number(&r, all));
    uint32_t small = operate(&r, IR_LT, magnitude, number(&r, one_of(&r)));
    uint32_t mask = fraction_mask(&r, magnitude);
    uint32_t below = choose(&r, small, number(&r, all), mask);
    uint32_t kept = operate(&r, IR_AND, a, operate(&r, IR_NOT, below, IR_NONE));
    if (rounding == IR_ROUND_ZERO)
        return ir_operation(builder, IR_COPY, type, dst, kept, IR_NONE, IR_NONE, 0, at);
    uint32_t rest = operate(&r, IR_AND, a, below);
    uint32_t away = rounds_away(&r, rounding, a, rest, mask, small);
    uint32_t unit =
        choose(&r, small, number(&r, one_of(&r)), operate(&r, IR_ADD, mask, number(&r, 1)));
    uint32_t more = choose(&r, away, unit, number(&r, 0));
    return ir_operation(builder, IR_ADD, r.plain, dst, kept, more, IR_NONE, 0, at);
}

/* ---- classes ---- */

static uint32_t magnitude_against_infinity(struct ir_builder *builder, enum ir_op op,
                                           struct lane_type type, uint32_t a, uint32_t dst,
                                           struct span at) {
    struct rounder r = {builder, {TYPE_UINT, type.bits}, object_type_format(type), at};
    uint32_t magnitude = operate(&r, IR_AND, a, number(&r, sign_of(&r) - 1));
    return ir_operation(builder, op, r.plain, dst, magnitude,
                        number(&r, ieee_infinity(r.format, false)), IR_NONE, 0, at);
}

uint32_t ir_float_is_nan(struct ir_builder *builder, struct lane_type type, uint32_t a,
                         uint32_t dst, struct span at) {
    return ir_operation(builder, IR_FUN, type, dst, a, a, IR_NONE, 0, at);
}

uint32_t ir_float_is_infinite(struct ir_builder *builder, struct lane_type type, uint32_t a,
                              uint32_t dst, struct span at) {
    return magnitude_against_infinity(builder, IR_EQ, type, a, dst, at);
}

uint32_t ir_float_is_finite(struct ir_builder *builder, struct lane_type type, uint32_t a,
                            uint32_t dst, struct span at) {
    return magnitude_against_infinity(builder, IR_LT, type, a, dst, at);
}

uint32_t ir_float_sign(struct ir_builder *builder, struct lane_type type, uint32_t a, uint32_t dst,
                       struct span at) {
    uint32_t sign = ir_operation(builder, IR_FSIGN, type, IR_NONE, a, IR_NONE, IR_NONE, 0, at);
    return ir_operation(builder, IR_COPY, bit, dst, sign, IR_NONE, IR_NONE, 0, at);
}

/* ---- order ---- */

uint64_t ir_float_nan_key(struct lane_type type) {
    struct ieee_format f = object_type_format(type);
    return ieee_nan(f) | ieee_sign_bit(f);
}

/* The bits that are turned: all of a number below 0, the sign of others. */
static uint32_t turned_bits(struct rounder *r, uint32_t negative) {
    uint32_t all = ir_vreg(r->b->code, r->plain, NULL, r->at);
    ir_operation(r->b, IR_WIDEN, r->plain, all, negative, IR_NONE, IR_NONE, 0, r->at);
    vec_last(&r->b->code->insns).from = (struct lane_type){TYPE_INT, 1};
    return operate(r, IR_OR, all, number(r, sign_of(r)));
}

static uint32_t top_bit(struct rounder *r, uint32_t a) {
    uint32_t top = ir_operation(r->b, IR_SHR, r->plain, IR_NONE, a, IR_NONE, IR_NONE,
                                r->plain.bits - 1u, r->at);
    return ir_operation(r->b, IR_COPY, bit, IR_NONE, top, IR_NONE, IR_NONE, 0, r->at);
}

uint32_t ir_float_key(struct ir_builder *builder, struct lane_type type, uint32_t a, bool one_zero,
                      uint64_t nan, uint32_t dst, struct span at) {
    struct rounder r = {builder, {TYPE_UINT, type.bits}, object_type_format(type), at};
    uint32_t magnitude = operate(&r, IR_AND, a, number(&r, sign_of(&r) - 1));
    uint32_t is_nan = operate(&r, IR_GT, magnitude, number(&r, ieee_infinity(r.format, false)));
    if (one_zero)
        a = choose(&r, operate(&r, IR_EQ, magnitude, number(&r, 0)), magnitude, a);
    uint32_t key = operate(&r, IR_XOR, a, turned_bits(&r, top_bit(&r, a)));
    return ir_operation(builder, IR_SELECT, r.plain, dst, is_nan, number(&r, nan), key, 0, at);
}

uint32_t ir_float_of_key(struct ir_builder *builder, struct lane_type type, uint32_t key,
                         uint32_t dst, struct span at) {
    struct rounder r = {builder, {TYPE_UINT, type.bits}, object_type_format(type), at};
    uint32_t negative =
        ir_operation(builder, IR_NOT, bit, IR_NONE, top_bit(&r, key), IR_NONE, IR_NONE, 0, at);
    return ir_operation(builder, IR_XOR, r.plain, dst, key, turned_bits(&r, negative), IR_NONE, 0,
                        at);
}
