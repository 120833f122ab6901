/* SPDX-License-Identifier: MIT
 * What the golden semantics in the *.isa tables are written with.  All values are given and
 * returned as patterns of w bits in the low end of 64; bits at and above w of a result have no
 * meaning (the caller of a golden function drops them). */
#ifndef ISA_SPEC_GOLDEN_H
#define ISA_SPEC_GOLDEN_H

#include "isa-spec/isa.h"
#include "support/bits.h"

static inline uint64_t golden_low(uint64_t v, unsigned w) {
    return v & low_bits(w);
}

static inline int64_t golden_signed(uint64_t v, unsigned w) {
    return sign_extend(v, w);
}

static inline uint64_t golden_popcount(uint64_t v) {
    return (uint64_t)__builtin_popcountll(v);
}

static inline uint64_t golden_reverse(uint64_t v, unsigned w) {
    uint64_t r = 0;
    for (unsigned j = 0; j < w; j++)
        r |= (v >> j & 1) << (w - 1 - j);
    return r;
}

/* Replaces bits 12k .. 12k+11. */
static inline uint64_t golden_piece(uint64_t v, int64_t imm, unsigned k) {
    uint64_t field = (uint64_t)0xFFF << (12 * k);
    return (v & ~field) | ((uint64_t)imm << (12 * k) & field);
}

static inline uint64_t golden_shl(uint64_t v, uint64_t count, unsigned w) {
    return count < w ? v << count : 0;
}

static inline uint64_t golden_shr(uint64_t v, uint64_t count, unsigned w) {
    return count < w ? v >> count : 0;
}

static inline uint64_t golden_sar(uint64_t v, uint64_t count, unsigned w) {
    return (uint64_t)(sign_extend(v, w) >> (count < w ? count : w - 1));
}

static inline uint64_t golden_quotient(uint64_t a, uint64_t b) {
    return b ? a / b : UINT64_MAX;
}

static inline uint64_t golden_remainder(uint64_t a, uint64_t b) {
    return b ? a % b : a;
}

/* |v| as a pattern: the smallest number gives 2^(w-1). */
static inline uint64_t golden_magnitude(uint64_t v, unsigned w) {
    return golden_low(sign_extend(v, w) < 0 ? 0 - v : v, w);
}

/* Computed on magnitudes, so that the smallest number by -1 does not overflow in C. */
static inline uint64_t golden_sdiv(uint64_t a, uint64_t b, unsigned w) {
    if (b == 0)
        return UINT64_MAX;
    uint64_t q = golden_magnitude(a, w) / golden_magnitude(b, w);
    return (sign_extend(a, w) < 0) != (sign_extend(b, w) < 0) ? 0 - q : q;
}

static inline uint64_t golden_srem(uint64_t a, uint64_t b, unsigned w) {
    return b ? a - golden_sdiv(a, b, w) * b : a;
}

/* The truncated quotient is one too large where the remainder has the divisor's opposite sign. */
static inline bool golden_rounds_down(uint64_t a, uint64_t b, unsigned w) {
    int64_t r = sign_extend(golden_srem(a, b, w), w);
    return r != 0 && (r < 0) != (sign_extend(b, w) < 0);
}

static inline uint64_t golden_fldiv(uint64_t a, uint64_t b, unsigned w) {
    if (b == 0)
        return UINT64_MAX;
    return golden_sdiv(a, b, w) - golden_rounds_down(a, b, w);
}

static inline uint64_t golden_flmod(uint64_t a, uint64_t b, unsigned w) {
    if (b == 0)
        return a;
    return golden_srem(a, b, w) + (golden_rounds_down(a, b, w) ? b : 0);
}

#endif
