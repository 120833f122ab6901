/* SPDX-License-Identifier: MIT
 * IEEE 754 arithmetic on bit patterns of any binary format of at most 64 bits, in integers: the
 * result depends on no flag, rounding mode or library of the host.  Rounding is to nearest even, or
 * as the format says; subnormal numbers and both zeros are kept, and a result that is not a number
 * is always the same pattern, ieee_nan: sign 0, exponent all ones, the highest fraction bit 1.
 * A format that flushes has no subnormal numbers: an operand that is one counts as the zero of its
 * sign, and a result that would be one after rounding to the format is the zero of its sign.
 * Patterns are given and returned in the low bits of 64; bits above the format are ignored. */
#ifndef SUPPORT_IEEE_H
#define SUPPORT_IEEE_H

#include <stdbool.h>
#include <stdint.h>

enum ieee_rounding {
    IEEE_NEAREST, /* ties to even */
    IEEE_ZERO,
    IEEE_DOWN, /* toward minus infinity */
    IEEE_UP,
};
/* From the low end: fraction_bits (2..52), exponent_bits (2..11), one sign bit. */
struct ieee_format {
    uint8_t exponent_bits, fraction_bits;
    bool flush;
    enum ieee_rounding rounding;
};
#define IEEE_BFLOAT16 ((struct ieee_format){8, 7, false, IEEE_NEAREST})

/* binary16, binary32 or binary64; any other width gives binary64. */
static inline struct ieee_format ieee_binary(unsigned width) {
    return width == 16   ? (struct ieee_format){5, 10, false, IEEE_NEAREST}
           : width == 32 ? (struct ieee_format){8, 23, false, IEEE_NEAREST}
                         : (struct ieee_format){11, 52, false, IEEE_NEAREST};
}
static inline struct ieee_format ieee_flushing(struct ieee_format format, bool flush) {
    format.flush = flush;
    return format;
}
static inline struct ieee_format ieee_rounding(struct ieee_format format,
                                               enum ieee_rounding rounding) {
    format.rounding = rounding;
    return format;
}
static inline unsigned ieee_width(struct ieee_format format) {
    return 1u + format.exponent_bits + format.fraction_bits;
}

uint64_t ieee_nan(struct ieee_format format);
uint64_t ieee_infinity(struct ieee_format format, bool negative);
uint64_t ieee_sign_bit(struct ieee_format format);

bool ieee_is_nan(struct ieee_format format, uint64_t value);
bool ieee_is_infinite(struct ieee_format format, uint64_t value);
/* True for both zeros, and for what counts as one. */
bool ieee_is_zero(struct ieee_format format, uint64_t value);

uint64_t ieee_add(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t ieee_sub(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t ieee_mul(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t ieee_div(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t ieee_sqrt(struct ieee_format format, uint64_t value);
/* left * right + addend, rounded once. */
uint64_t ieee_fma(struct ieee_format format, uint64_t left, uint64_t right, uint64_t addend);
/* The whole number that the format's rounding gives; of a zero its sign is the value's. */
uint64_t ieee_integral(struct ieee_format format, uint64_t value);

/* False where one of them is not a number; the zeros are equal. */
bool ieee_equal(struct ieee_format format, uint64_t left, uint64_t right);
bool ieee_less(struct ieee_format format, uint64_t left, uint64_t right);
bool ieee_less_equal(struct ieee_format format, uint64_t left, uint64_t right);
bool ieee_unordered(struct ieee_format format, uint64_t left, uint64_t right);

/* minimumNumber and maximumNumber of IEEE 754-2019: of a number and a NaN the number, of two NaNs
 * ieee_nan; -0 is less than +0. */
uint64_t ieee_min(struct ieee_format format, uint64_t left, uint64_t right);
uint64_t ieee_max(struct ieee_format format, uint64_t left, uint64_t right);

/* The nearest number of the format; too large ones give an infinity. */
uint64_t ieee_from_unsigned(struct ieee_format format, uint64_t value);
uint64_t ieee_from_signed(struct ieee_format format, int64_t value);
/* As a number of `width` (1..64) bits, in the low bits of 64: rounded to nearest even, or toward
 * zero; out of range the nearest number that there is; 0 for what is not a number. */
uint64_t ieee_to_unsigned(struct ieee_format format, uint64_t value, unsigned width, bool nearest);
uint64_t ieee_to_signed(struct ieee_format format, uint64_t value, unsigned width, bool nearest);
uint64_t ieee_convert(struct ieee_format from, struct ieee_format to, uint64_t value);

/* How many numbers of the format lie between two: 0 for equal ones, both zeros and two NaNs, 1 for
 * neighbours, UINT64_MAX if just one is not a number. */
uint64_t ieee_distance(struct ieee_format format, uint64_t left, uint64_t right);

/* Values worth trying: number `index` of IEEE_EDGES, every class with its ends, both signs. */
#define IEEE_EDGES 24
uint64_t ieee_edge(struct ieee_format format, unsigned index);
/* Two operands of random classes, often alike in exponent, size or bits. */
void ieee_random_pair(struct ieee_format format, uint64_t *state, uint64_t pair[2]);

#endif
