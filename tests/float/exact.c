/* SPDX-License-Identifier: MIT
 * What the functions are, by the host's long double, and numbers of formats around it. */
#include "tests/float/functions.h"

#include <math.h>
#include <string.h>

static long double sigmoidl(long double x) {
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}
static long double silul(long double x) {
    if (fabsl(x) < 0x1p-40L && x != 0) /* x / 2 + x^2 / 4 */
        return nextafterl(x / 2, INFINITY);
    return isinf(x) ? (x < 0 ? -0.0L : x) : x * sigmoidl(x);
}
static long double ndtrl(long double x) {
    return erfcl(-x * sqrtl(0.5L)) / 2;
}
static long double gelul(long double x) {
    if (fabsl(x) < 0x1p-40L && x != 0) /* x / 2 + x^2 / sqrt(2 pi) */
        return nextafterl(x / 2, INFINITY);
    return isinf(x) ? (x < 0 ? -0.0L : x) : x * ndtrl(x);
}

static long double softplusl(long double x) {
    return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x));
}
static long double reciprocal(long double x) {
    return 1 / x;
}
static long double rsqrtl(long double x) {
    return x < 0 ? NAN : copysignl(1 / sqrtl(fabsl(x)), x);
}

static const struct {
    const char *name;
    floats_exact *exact;
    long double bound;
} exact[] = {
    {"exp", expl, 0.55L},           {"exp2", exp2l, 0.55L},
    {"log", logl, 0.65L},           {"log2", log2l, 0.65L},
    {"log10", log10l, 0.65L},       {"sigmoid", sigmoidl, 0.75L},
    {"silu", silul, 0.75L},         {"ndtr", ndtrl, 0.75L},
    {"gelu", gelul, 0.95L},         {"erfc", erfcl, 0.85L},
    {"tanh", tanhl, 0.75L},         {"arctan", atanl, 0.75L},
    {"erf", erfl, 0.75L},           {"sin", sinl, 0.75L},
    {"cos", cosl, 0.75L},           {"tan", tanl, 0.75L},
    {"sinh", sinhl, 0.75L},         {"cosh", coshl, 0.75L},
    {"expm1", expm1l, 0.75L},       {"log1p", log1pl, 0.85L},
    {"softplus", softplusl, 0.75L}, {"reciprocal", reciprocal, 0.65L},
    {"rsqrt", rsqrtl, 0.65L},
};

long double floats_bound(const char *name) {
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(exact[i].name, name) == 0)
            return exact[i].bound;
    return 0;
}

floats_exact *floats_exact_of(const char *name) {
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(exact[i].name, name) == 0)
            return exact[i].exact;
    return NULL;
}

long double floats_number(const struct floats_format *format, uint64_t pattern) {
    unsigned fraction_bits = format->precision - 1;
    int bias = (1 << (format->exponent_bits - 1)) - 1;
    uint64_t magnitude = pattern & (((uint64_t)1 << (format->width - 1)) - 1);
    int e = (int)(magnitude >> fraction_bits);
    uint64_t fraction = magnitude & (((uint64_t)1 << fraction_bits) - 1);
    long double x;
    if (e == 2 * bias + 1)
        x = fraction ? NAN : INFINITY;
    else if (e == 0)
        x = ldexpl((long double)fraction, 1 - bias - (int)fraction_bits);
    else
        x = ldexpl((long double)(fraction + ((uint64_t)1 << fraction_bits)),
                   e - bias - (int)fraction_bits);
    return pattern >> (format->width - 1) ? -x : x;
}

/* The exponent of the last place of numbers around x, which is no infinity. */
static int place_of(const struct floats_format *format, long double x) {
    int bias = (1 << (format->exponent_bits - 1)) - 1, e;
    frexpl(x, &e);
    int least = 2 - bias;
    return (x == 0 || e < least ? least : e) - (int)format->precision;
}

uint64_t floats_nearest(const struct floats_format *format, long double x) {
    int bias = (1 << (format->exponent_bits - 1)) - 1;
    unsigned fraction_bits = format->precision - 1;
    uint64_t infinity = (uint64_t)(2 * bias + 1) << fraction_bits;
    uint64_t sign = (uint64_t)(signbit(x) != 0) << (format->width - 1);
    if (isnan(x))
        return infinity | (uint64_t)1 << (fraction_bits - 1);
    if (isinf(x))
        return infinity | sign;
    int place = place_of(format, x);
    uint64_t units = (uint64_t)rintl(ldexpl(fabsl(x), -place));
    uint64_t steps = (uint64_t)(place + bias - 1 + (int)fraction_bits);
    uint64_t pattern = units ? (steps << fraction_bits) + units : 0;
    return sign | (pattern > infinity ? infinity : pattern);
}

long double floats_distance(const struct floats_format *format, uint64_t pattern, long double x) {
    uint64_t nearest = floats_nearest(format, x);
    long double got = floats_number(format, pattern);
    if (pattern == nearest && !isfinite(got))
        return 0;
    if (!isfinite(got) || isnan(x))
        return INFINITY;
    return isinf(x) ? INFINITY : fabsl(got - x) / ldexpl(1, place_of(format, x));
}
