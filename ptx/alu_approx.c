/* SPDX-License-Identifier: MIT
 * .approx functions: values of float64, rounded to the type.  Only sums, products, quotients and
 * roots of float64 are used, which are the same on every host, and polynomials of our own. */
#include "ptx/alu.h"

#include "support/bits.h"
#include "support/ieee.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

#define LN2     0.69314718055994530942
#define HALF_PI 1.57079632679489661923

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^n, n in the range of normal numbers. */
static double power_of_two(int n) {
    return value_of((uint64_t)(n + 1023) << 52);
}

/* e^x - 1, |x| at most 1: the series, whose term 23 lies below the last bit. */
static double exponential_less_one(double x) {
    double sum = 0;
    for (int n = 23; n >= 1; n--)
        sum = x / n * (1 + sum);
    return sum;
}

/* |x| at most 1000. */
static double exp2_of(double x) {
    int whole = (int)(x < 0 ? x - 0.5 : x + 0.5);
    return power_of_two(whole) * (1 + exponential_less_one((x - whole) * LN2));
}

static double exp2_approx(double x) {
    return x > 200 ? INFINITY : x < -200 ? 0 : exp2_of(x);
}

/* ln m = 2 artanh((m - 1) / (m + 1)), m between the roots of 1/2 and 2. */
static double log2_approx(double x) {
    int exponent = 0;
    if (x < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    if (isinf(x))
        return x;
    uint64_t bits = bits_of(x); /* normal: it was float32 */
    exponent = (int)(bits >> 52) - 1023;
    double m = value_of((bits & low_bits(52)) | (uint64_t)1023 << 52);
    if (m > 1.41421356237309504880) {
        m /= 2;
        exponent++;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int n = 25; n >= 1; n -= 2)
        sum = sum * square + 1.0 / n;
    return exponent + 2 * s * sum / LN2;
}

/* ---- sine and cosine ---- */

/* The bits of 2 / pi behind the point. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
};

/* 64 bits of 2 / pi from bit `from` on, counted behind the point; those in front of it are 0. */
static uint64_t piece(int from) {
    uint64_t out = 0;
    for (int i = 0; i < 64; i++) {
        int at = from + i;
        if (at >= 0 && at < 256)
            out |= (two_over_pi[at / 64] >> (63 - at % 64) & 1) << (63 - i);
    }
    return out;
}

/* |x| in quarters of a turn: their number mod 4, and what is left, between -1/2 and 1/2.  x is
 * float32: m * 2^e with 24 bits of m; of the product only the bits around the point count. */
static double quarters(double x, unsigned *quarter) {
    if (x < 0.5) {
        *quarter = 0;
        return x / HALF_PI;
    }
    uint64_t bits = bits_of(x);
    int e = (int)(bits >> 52) - 1023 - 23;
    uint64_t m = ((bits & low_bits(52)) | (uint64_t)1 << 52) >> 29;
    /* 2 / pi * 2^e without the bits of whole turns, which m makes no others of */
    wide product = (wide)piece(e - 2) << 64 | piece(e + 62);
    product *= m; /* what goes over the top are whole turns */
    *quarter = (unsigned)(product >> 126) & 3;
    signed_wide left = (signed_wide)(product << 2); /* of a quarter; the upper half is negative */
    if (left < 0)
        *quarter = (*quarter + 1) & 3;
    return (double)left / 340282366920938463463374607431768211456.0;
}

static double sine_series(double x) {
    double square = x * x, sum = 0;
    for (int n = 21; n >= 3; n -= 2)
        sum = -square / (n * (n - 1)) * (1 + sum);
    return x * (1 + sum);
}

static double cosine_series(double x) {
    double square = x * x, sum = 0;
    for (int n = 22; n >= 2; n -= 2)
        sum = -square / (n * (n - 1)) * (1 + sum);
    return 1 + sum;
}

static double sine_from(double x, unsigned more) {
    unsigned quarter;
    double left = quarters(fabs(x), &quarter) * HALF_PI;
    quarter = (quarter + more) & 3;
    double value = quarter & 1 ? cosine_series(left) : sine_series(left);
    return quarter & 2 ? -value : value;
}

static double sine_approx(double x) {
    if (isinf(x))
        return NAN;
    if (x == 0)
        return x;
    return x < 0 ? -sine_from(x, 0) : sine_from(x, 0);
}

static double cosine_approx(double x) {
    return isinf(x) ? NAN : sine_from(x, 1);
}

static double tanh_approx(double x) {
    double size = fabs(x);
    double twice = size < 0.5  ? exponential_less_one(2 * size)
                   : size < 25 ? exp2_of(2 * size / LN2) - 1
                               : INFINITY;
    double value = isinf(twice) ? 1 : twice / (twice + 2);
    return copysign(value, x);
}

static double rsqrt_approx(double x) {
    return x == 0 ? copysign(INFINITY, x) : x < 0 ? NAN : 1 / sqrt(x);
}

void ptx_alu_approx(struct ptx_alu *alu) {
    const bool single = alu->m->type[0] == PTX_F32;
    const struct ieee_format f =
        ieee_flushing(ieee_binary(single ? 32 : 64), alu->m->flags & PTX_FTZ);
    double x = value_of(ieee_convert(f, ieee_binary(64), alu->in[0]));
    double y = isnan(x)                  ? x
               : alu->op == PTX_OP_RSQRT ? rsqrt_approx(x)
               : alu->op == PTX_OP_SIN   ? sine_approx(x)
               : alu->op == PTX_OP_COS   ? cosine_approx(x)
               : alu->op == PTX_OP_LG2   ? log2_approx(x)
               : alu->op == PTX_OP_EX2   ? exp2_approx(x)
                                         : tanh_approx(x);
    uint64_t out = ieee_convert(ieee_binary(64), f, bits_of(y));
    alu->out = ieee_is_nan(f, out) ? ieee_sign_bit(f) - 1 : out;
}
