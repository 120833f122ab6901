/* SPDX-License-Identifier: MIT
 * What the golden semantics in the *.isa tables are written with.  All values are given and
 * returned as patterns of w bits in the low end of 64; bits at and above w of a result have no
 * meaning (the caller of a golden function drops them). */
#ifndef ISA_SPEC_GOLDEN_H
#define ISA_SPEC_GOLDEN_H

#include "isa-spec/isa.h"
#include "support/bits.h"
#include "support/ieee.h"

static inline uint64_t golden_low(uint64_t value, unsigned w) {
    return value & low_bits(w);
}

static inline int64_t golden_signed(uint64_t value, unsigned w) {
    return sign_extend(value, w);
}

static inline uint64_t golden_popcount(uint64_t value) {
    return (uint64_t)__builtin_popcountll(value);
}

static inline uint64_t golden_reverse(uint64_t value, unsigned w) {
    uint64_t r = 0;
    for (unsigned j = 0; j < w; j++)
        r |= (value >> j & 1) << (w - 1 - j);
    return r;
}

/* Replaces bits 12k .. 12k+11. */
static inline uint64_t golden_piece(uint64_t value, int64_t imm, unsigned index) {
    uint64_t field = (uint64_t)0xFFF << (12 * index);
    return (value & ~field) | ((uint64_t)imm << (12 * index) & field);
}

static inline uint64_t golden_shl(uint64_t value, uint64_t count, unsigned w) {
    return count < w ? value << count : 0;
}

static inline uint64_t golden_shr(uint64_t value, uint64_t count, unsigned w) {
    return count < w ? value >> count : 0;
}

static inline uint64_t golden_sar(uint64_t value, uint64_t count, unsigned w) {
    return (uint64_t)(sign_extend(value, w) >> (count < w ? count : w - 1));
}

static inline uint64_t golden_quotient(uint64_t left, uint64_t right) {
    return right ? left / right : UINT64_MAX;
}

static inline uint64_t golden_remainder(uint64_t left, uint64_t right) {
    return right ? left % right : left;
}

/* Bits 64 to 127 of a product without signs, from four of halves. */
static inline uint64_t golden_high_product(uint64_t left, uint64_t right) {
    uint64_t l0 = left & 0xFFFFFFFF, l1 = left >> 32, r0 = right & 0xFFFFFFFF, r1 = right >> 32;
    uint64_t middle = l1 * r0 + (l0 * r0 >> 32), other = l0 * r1 + (middle & 0xFFFFFFFF);
    return l1 * r1 + (middle >> 32) + (other >> 32);
}

/* Bits lo and up of a product, whose shape the constant says at width w.  With a sign the operand
 * stands for its pattern less 2^64, and so much the upper half is less. */
static inline uint64_t golden_product(uint64_t left, uint64_t right, int64_t constant, unsigned w) {
    struct isa_product p;
    if (!isa_product_of((int32_t)constant, w, &p))
        return 0;
    left = p.signed_a ? (uint64_t)sign_extend(left, p.a) : left & low_bits(p.a);
    right = p.signed_b ? (uint64_t)sign_extend(right, p.b) : right & low_bits(p.b);
    uint64_t low = left * right, high = golden_high_product(left, right);
    high -= p.signed_a && left >> 63 ? right : 0;
    high -= p.signed_b && right >> 63 ? left : 0;
    if (p.lo < 64)
        return p.lo ? low >> p.lo | high << (64 - p.lo) : low;
    bool has_sign = p.signed_a || p.signed_b;
    return has_sign ? (uint64_t)((int64_t)high >> (p.lo - 64)) : high >> (p.lo - 64);
}

/* The element that the low bits of rs name. */
static inline uint64_t golden_lookup(const struct isa_lut *lut, uint64_t index) {
    return lut->entries[index & low_bits(lut->index_bits)];
}

/* |value| as a pattern: the smallest number gives 2^(w-1). */
static inline uint64_t golden_magnitude(uint64_t value, unsigned w) {
    return golden_low(sign_extend(value, w) < 0 ? 0 - value : value, w);
}

/* Computed on magnitudes, so that the smallest number by -1 does not overflow in C. */
static inline uint64_t golden_sdiv(uint64_t left, uint64_t right, unsigned w) {
    if (right == 0)
        return UINT64_MAX;
    uint64_t q = golden_magnitude(left, w) / golden_magnitude(right, w);
    return (sign_extend(left, w) < 0) != (sign_extend(right, w) < 0) ? 0 - q : q;
}

static inline uint64_t golden_srem(uint64_t left, uint64_t right, unsigned w) {
    return right ? left - golden_sdiv(left, right, w) * right : left;
}

/* The truncated quotient is one too large where the remainder has the divisor's opposite sign. */
static inline bool golden_rounds_down(uint64_t left, uint64_t right, unsigned w) {
    int64_t r = sign_extend(golden_srem(left, right, w), w);
    return r != 0 && (r < 0) != (sign_extend(right, w) < 0);
}

static inline uint64_t golden_fldiv(uint64_t left, uint64_t right, unsigned w) {
    if (right == 0)
        return UINT64_MAX;
    return golden_sdiv(left, right, w) - golden_rounds_down(left, right, w);
}

static inline uint64_t golden_flmod(uint64_t left, uint64_t right, unsigned w) {
    if (right == 0)
        return left;
    return golden_srem(left, right, w) + (golden_rounds_down(left, right, w) ? right : 0);
}

/* The format of w bits, and bfloat16, as the lane counts with them. */
static inline struct ieee_format golden_float(const struct golden_lane *lane) {
    return ieee_flushing(ieee_binary(lane->w), lane->flush);
}
static inline struct ieee_format golden_bfloat(const struct golden_lane *lane) {
    return ieee_flushing(IEEE_BFLOAT16, lane->flush);
}

/* CVT of a value with the conversion `code`, to the width of the lane. */
static inline uint64_t golden_convert(const struct golden_lane *lane, uint64_t value,
                                      int64_t code) {
    struct ieee_format to = code >= CONVERT_BFLOAT ? golden_bfloat(lane) : golden_float(lane);
    unsigned w = lane->w;
    switch (code % CONVERT_BFLOAT) {
    case CONVERT_FROM_INT:
        return ieee_from_signed(to, sign_extend(value, w));
    case CONVERT_FROM_UNSIGNED:
        return ieee_from_unsigned(to, value);
    case CONVERT_TO_INT:
    case CONVERT_TO_INT_NEAREST:
        return ieee_to_signed(to, value, w, code % CONVERT_BFLOAT == CONVERT_TO_INT_NEAREST);
    case CONVERT_TO_UNSIGNED:
    case CONVERT_TO_UNSIGNED_NEAREST:
        return ieee_to_unsigned(to, value, w, code % CONVERT_BFLOAT == CONVERT_TO_UNSIGNED_NEAREST);
    case CONVERT_FROM_BF16:
        return ieee_convert(ieee_flushing(IEEE_BFLOAT16, lane->flush), to, value);
    case CONVERT_FROM_F16:
        return ieee_convert(ieee_flushing(ieee_binary(16), lane->flush), to, value);
    case CONVERT_FROM_F32:
        return ieee_convert(ieee_flushing(ieee_binary(32), lane->flush), to, value);
    default:
        return ieee_convert(ieee_flushing(ieee_binary(64), lane->flush), to, value);
    }
}

#endif
