/* SPDX-License-Identifier: MIT
 * The formats, and the functions: their tables and the numbers of their texts. */
#include "tools/float-gen/gen.h"

#include <math.h>

#define LN2     0.693147180559945309417232121458176568L
#define LOG2E   1.442695040888963407359924681001892137L
#define LOG10_2 0.301029995663981195213738894724493027L

const struct gen_format gen_formats[GEN_FORMATS] = {
    [GEN_F16] = {"f16", "F16", "f16", 11, 5, 16, 25},
    [GEN_F16_WIDE] = {"f16", "F16_WIDE", "f16_wide", 11, 5, 16, 29},
    [GEN_BF16] = {"bf16", "BF16", "bf16", 8, 8, 16, 19},
    [GEN_BF16_WIDE] = {"bf16", "BF16_WIDE", "bf16_wide", 8, 8, 16, 23},
    [GEN_F32] = {"f32", "F32", "f32", 24, 8, 32, 30},
};

/* log(1 + d) / d, at d = 0 the limit. */
static long double log_slope(long double d) {
    return d == 0 ? 1 : log1pl(d) / d;
}
static long double log2_slope(long double d) {
    return log_slope(d) * LOG2E;
}
static long double log10_slope(long double d) {
    return log_slope(d) * LOG10_2 * LOG2E;
}

#define QUARTER 1.570796326794896619231321691639751442L /* of a turn: pi / 2 */
static long double turn_sine(long double r) {
    return sinl(QUARTER * fminl(r, 0.6L)); /* beyond a half nothing is looked up */
}
static long double turn_cosine(long double r) {
    return cosl(QUARTER * fminl(r, 0.6L));
}
static long double turn_tangent(long double r) {
    return tanl(QUARTER * fminl(r, 0.6L));
}
static long double turn_cotangent(long double r) {
    return 1 / turn_tangent(r);
}

/* log(1 + e^-u), over e^-u. */
static long double soft_slope(long double u) {
    return log1pl(expl(-u)) * expl(u);
}

/* (e^x - 1) / x, at x = 0 the limit. */
static long double less_slope(long double x) {
    return x == 0 ? 1 : expm1l(x) / x;
}
static long double reciprocal(long double x) {
    return 1 / x;
}
static long double root_reciprocal(long double x) {
    return 1 / sqrtl(x);
}

/* R of shares: what is above u, over e^-u or e^(-u^2 / 2) or e^(-u^2). */
static long double sigmoid_slope(long double u) {
    return 1 / (1 + expl(-u));
}
static long double ndtr_slope(long double u) {
    return erfcl(u * sqrtl(0.5L)) / 2 * expl(u * u / 2);
}
static long double erfc_slope(long double u) {
    return erfcl(u) / 2 * expl(u * u);
}

/* Arguments of exp are below 2^n and have q bits behind the point; k of x = k ln 2 + r comes from k
 * bits of x behind the point and c of 1 / ln 2, rounded down.  In `width` bits of r lies the
 * interval. */
#define EXP_FIXED(id, n, q, k, c, segments, width, degree, ...)                                    \
    {                                                                                              \
        .format = id, .text = "exp_fixed", .function = "exp_fixed",                                \
        .tables = {{"exp_poly", expl, 0, segments, width, degree, q, 0, {__VA_ARGS__}, 0}},        \
        .numbers = {{"N", n, 0},                                                                   \
                    {"Q", q, 0},                                                                   \
                    {"K", k, 0},                                                                   \
                    {"C", c, 0},                                                                   \
                    {"LOG2E", LOG2E - 0.5L / ((uint64_t)1 << c), c}},                              \
    }
#define EXP(id)                                                                                    \
    { .format = id, .text = "exp", .function = "exp" }
#define EXP2(id, n, q, width, degree)                                                              \
    {                                                                                              \
        .format = id, .text = "exp2", .function = "exp2",                                          \
        .tables = {{"exp2_poly", exp2l, 0, 1u << width, width, degree, q, 0}},                     \
        .numbers = {{"N", n, 0}, {"Q", q, 0}},                                                     \
    }
/* Logarithms are below 2^n; sums have q bits behind the point, the slope g has b. */
#define LOG(id, name, slope, base, n, q, b, width, degree, precision, ...)                         \
    {                                                                                              \
        .format = id, .text = "log", .function = name,                                             \
        .tables = {{name "_poly",                                                                  \
                    slope,                                                                         \
                    -0.5L,                                                                         \
                    15u << (width - 4),                                                            \
                    width,                                                                         \
                    degree,                                                                        \
                    precision,                                                                     \
                    b,                                                                             \
                    {__VA_ARGS__}}},                                                               \
        .numbers = {{"N", n, 0}, {"Q", q, 0}, {"B", b, 0}, {"BASE", base, q}},                     \
    }

/* Shares of |x| below 2^rn, q bits of it behind the point; R has rb of them, e^-g loses pc; square:
 * g is u^2 shifted by `one` less than 1; flip: 1 where the share falls with x. */
#define SHARE(id, name, slope, n, rn, q, square, one, p, flip, parts, width, degree, rb, pc, lift, \
              ...)                                                                                 \
    {                                                                                              \
        .format = id, .text = "share", .function = name,                                           \
        .tables = {{name "_poly", slope, 0, parts, width, degree, q, rb, {__VA_ARGS__}, lift}},    \
        .numbers = {{"N", n, 0},                                                                   \
                    {"RN", rn, 0},                                                                 \
                    {"Q", q, 0},                                                                   \
                    {"SQUARE", square, 0},                                                         \
                    {"NEGATED", flip, 0},                                                          \
                    {"RB", rb, 0},                                                                 \
                    {"PC", pc, 0},                                                                 \
                    {"SL", 2 * rn - 2 * p + q - (one) > 0 ? 2 * rn - 2 * p + q - (one) : 0, 0},    \
                    {"SR", 2 * rn - 2 * p + q - (one) < 0 ? 2 * p - 2 * rn - q + (one) : 0, 0}},   \
    }
#define TAIL(id, name, rn, flip)                                                                   \
    {                                                                                              \
        .format = id, .text = "tail", .function = name, .share = name,                             \
        .numbers = {{"RN", rn, 0}, {"NEGATED", flip, 0}, {"MORE", flip, 0}},                       \
    }
#define GATE(id, name, other, rn)                                                                  \
    { .format = id, .text = "gate", .function = name, .share = other, .numbers = {{"RN", rn, 0}}, }

/* Odd functions by binades from 2^lo to 2^(hi + 1), 2^width parts of each.  Below they are linear,
 * or (linear 0) x; above they are `far`. */
#define BINADES(id, name, value, precision, lo, hi, linear, far, width, degree, ...)               \
    {                                                                                              \
        .format = id, .text = "binades", .function = name,                                         \
        .tables = {{name "_poly",                                                                  \
                    value,                                                                         \
                    lo,                                                                            \
                    ((hi) - (lo) + 1u) << (width),                                                 \
                    width,                                                                         \
                    degree,                                                                        \
                    (precision)-1,                                                                 \
                    0,                                                                             \
                    {__VA_ARGS__},                                                                 \
                    0,                                                                             \
                    true}},                                                                        \
        .numbers = {{"LO", lo, 0}, {"HI", hi, 0}, {"LINEAR", linear, 0}, {"FAR", far, 0}},         \
    }

/* Arguments of e^x are below 2^n, with q bits behind the point; the table of sinh is from 2^lo
 * to 1. */
#define HYPER(id, n, q, lo, width, degree, ...)                                                    \
    {                                                                                              \
        .format = id,                                                                              \
        .text = "hyper",                                                                           \
        .function = "sinh",                                                                        \
        .tables = {{"sinh_poly",                                                                   \
                    sinhl,                                                                         \
                    lo,                                                                            \
                    (unsigned)-(lo) << (width),                                                    \
                    width,                                                                         \
                    degree,                                                                        \
                    0,                                                                             \
                    0,                                                                             \
                    {__VA_ARGS__},                                                                 \
                    0,                                                                             \
                    true}},                                                                        \
        .numbers = {{"N", n, 0}, {"Q", q, 0}, {"ODD", 1, 0}, {"LO", lo, 0}},                       \
    },                                                                                             \
    {                                                                                              \
        .format = id, .text = "hyper", .function = "cosh",                                         \
        .numbers = {{"N", n, 0}, {"Q", q, 0}, {"ODD", 0, 0}, {"LO", 0, 0}},                        \
    }
#define LESS(id, n, q, width, degree, ...)                                                         \
    {                                                                                              \
        .format = id, .text = "less", .function = "expm1",                                         \
        .tables =                                                                                  \
            {{"expm1_poly", less_slope, -1, 2u << (width), width, degree, q, 0, {__VA_ARGS__}}},   \
        .numbers = {{"N", n, 0}, {"Q", q, 0}},                                                     \
    }
/* Logarithms are below 2^n, with q bits behind the point; the slope has `scaled` ones of the
 * format, `above` less than 1 + x has, or `below` more. */
#define LOG1(id, n, q, above, below, width, degree, ...)                                           \
    {                                                                                              \
        .format = id, .text = "log1", .function = "log1p",                                         \
        .tables =                                                                                  \
            {{"log1p_poly", log_slope, -0.5L, 1u << (width), width, degree, q, 0, {__VA_ARGS__}}}, \
        .numbers = {                                                                               \
            {"N", n, 0}, {"Q", q, 0}, {"BASE", LN2, q}, {"LONG", above, 0}, {"SHORT", below, 0}},  \
    }
#define SOFT(id, n, q, parts, width, degree, lift, ...)                                            \
    {                                                                                              \
        .format = id, .text = "soft", .function = "softplus",                                      \
        .tables =                                                                                  \
            {{"softplus_poly", soft_slope, 0, parts, width, degree, q, 0, {__VA_ARGS__}, lift}},   \
        .numbers = {{"N", n, 0}},                                                                  \
    }
/* Of one binade, or of two for the root. */
#define INVERSE(id, name, value, root, width, degree, ...)                                         \
    {                                                                                              \
        .format = id, .text = "inverse", .function = name,                                         \
        .tables = {{name "_poly",                                                                  \
                    value,                                                                         \
                    0,                                                                             \
                    (1u + (root)) << (width),                                                      \
                    width,                                                                         \
                    degree,                                                                        \
                    0,                                                                             \
                    0,                                                                             \
                    {__VA_ARGS__},                                                                 \
                    0,                                                                             \
                    true}},                                                                        \
        .numbers = {{"ROOT", root, 0}},                                                            \
    }

/* Arguments from 2^lo on, in quarters of a turn with tb bits; of their parts t bits count. */
#define TURN(id, lo, hi, pieces, bits, tb)                                                         \
    {                                                                                              \
        .format = id, .text = "turn", .function = "turn", .windows = {pieces, bits, lo, hi},       \
        .numbers = {{"LO", lo, 0},                                                                 \
                    {"PIECES", pieces, 0},                                                         \
                    {"ONE", (pieces) == 1, 0},                                                     \
                    {"S", bits, 0},                                                                \
                    {"TB", tb, 0}},                                                                \
    }
#define WAVE(id, name, even, odd, ahead, tangent, t, degree, ...)                                  \
    {                                                                                              \
        .format = id, .text = "wave", .function = name,                                            \
        .tables = {{name "_poly", even, -16, 256, 3, degree, t, 0, {__VA_ARGS__}, 0, true, odd}},  \
        .numbers = {{"AHEAD", ahead, 0},                                                           \
                    {"TAN", tangent, 0},                                                           \
                    {"SINE", !(ahead) && !(tangent), 0},                                           \
                    {"T", t, 0}},                                                                  \
    }
#define WAVES(id, t, degree, ...)                                                                  \
    WAVE(id, "sin", turn_sine, turn_cosine, 0, 0, t, degree, {0, 0}),                              \
        WAVE(id, "cos", turn_sine, turn_cosine, 1, 0, t, degree, {0, 0}),                          \
        WAVE(id, "tan", turn_tangent, turn_cotangent, 0, 1, t, degree, __VA_ARGS__)

const struct gen_entry gen_entries[] = {
    EXP_FIXED(GEN_F32, 7, 30, 3, 11, 32, 5, 3, {0, 0}),
    EXP(GEN_F32),
    EXP_FIXED(GEN_F16, 5, 25, 3, 9, 64, 6, 2, {44, -1}),
    EXP(GEN_F16),
    EXP_FIXED(GEN_BF16, 7, 19, 3, 11, 16, 4, 2, {0, 0}),
    EXP(GEN_BF16),
    EXP2(GEN_F32, 8, 30, 5, 3),
    EXP2(GEN_F16, 5, 25, 6, 2),
    EXP2(GEN_BF16, 8, 19, 4, 2),
    LOG(GEN_F32, "log", log_slope, LN2, 7, 30, 28, 5, 3, 24, {0, 0}),
    LOG(GEN_F16, "log", log_slope, LN2, 5, 27, 24, 6, 2, 11, {37, 1}, {54, 1}),
    LOG(GEN_BF16, "log", log_slope, LN2, 7, 23, 20, 5, 2, 8, {0, 0}),
    LOG(GEN_F32, "log2", log2_slope, 1, 8, 30, 28, 5, 3, 24, {0, 0}),
    LOG(GEN_F16, "log2", log2_slope, 1, 5, 24, 24, 6, 2, 11, {0, 0}),
    LOG(GEN_BF16, "log2", log2_slope, 1, 8, 20, 20, 5, 2, 8, {0, 0}),
    LOG(GEN_F32, "log10", log10_slope, LOG10_2, 6, 31, 29, 5, 3, 24, {0, 0}),
    LOG(GEN_F16, "log10", log10_slope, LOG10_2, 4, 27, 25, 6, 2, 11, {0, 0}),
    LOG(GEN_BF16, "log10", log10_slope, LOG10_2, 6, 24, 20, 5, 2, 8, {0, 0}),
    EXP_FIXED(GEN_F16_WIDE, 5, 29, 3, 9, 32, 5, 3, {0, 0}),
    EXP_FIXED(GEN_BF16_WIDE, 7, 23, 3, 11, 32, 5, 2, {0, 0}),
    SHARE(GEN_F32, "sigmoid", sigmoid_slope, 7, 7, 30, 0, 1, 24, 0, 164, 3, 4, 30, 0, 0, {0, 0}),
    TAIL(GEN_F32, "sigmoid", 7, 0),
    GATE(GEN_F32, "silu", "sigmoid", 7),
    SHARE(GEN_F16_WIDE, "sigmoid", sigmoid_slope, 5, 5, 29, 0, 1, 11, 0, 144, 3, 4, 29, 0, 3,
          {0, 0}),
    TAIL(GEN_F16_WIDE, "sigmoid", 5, 0),
    GATE(GEN_F16_WIDE, "silu", "sigmoid", 5),
    SHARE(GEN_BF16_WIDE, "sigmoid", sigmoid_slope, 7, 7, 23, 0, 1, 8, 0, 52, 2, 3, 23, 0, 3,
          {0, 0}),
    TAIL(GEN_BF16_WIDE, "sigmoid", 7, 0),
    GATE(GEN_BF16_WIDE, "silu", "sigmoid", 7),
    SHARE(GEN_F32, "ndtr", ndtr_slope, 7, 4, 30, 1, 1, 24, 0, 116, 3, 4, 33, 1, 0, {0, 0}),
    TAIL(GEN_F32, "ndtr", 4, 0),
    GATE(GEN_F32, "gelu", "ndtr", 4),
    SHARE(GEN_F16_WIDE, "ndtr", ndtr_slope, 5, 3, 29, 1, 1, 11, 0, 46, 3, 4, 31, 1, 0, {0, 0}),
    TAIL(GEN_F16_WIDE, "ndtr", 3, 0),
    GATE(GEN_F16_WIDE, "gelu", "ndtr", 3),
    SHARE(GEN_BF16_WIDE, "ndtr", ndtr_slope, 7, 4, 23, 1, 1, 8, 0, 116, 3, 3, 27, 0, 0, {0, 0}),
    TAIL(GEN_BF16_WIDE, "ndtr", 4, 0),
    GATE(GEN_BF16_WIDE, "gelu", "ndtr", 4),
    SHARE(GEN_F32, "erfc", erfc_slope, 7, 4, 30, 1, 0, 24, 1, 82, 3, 4, 33, 1, 0, {0, 0}),
    TAIL(GEN_F32, "erfc", 4, 1),
    SHARE(GEN_F16_WIDE, "erfc", erfc_slope, 5, 3, 29, 1, 0, 11, 1, 34, 3, 4, 31, 1, 0, {0, 0}),
    TAIL(GEN_F16_WIDE, "erfc", 3, 1),
    SHARE(GEN_BF16_WIDE, "erfc", erfc_slope, 7, 4, 23, 1, 0, 8, 1, 82, 3, 3, 27, 0, 0, {2, -24}),
    TAIL(GEN_BF16_WIDE, "erfc", 4, 1),
    BINADES(GEN_F32, "tanh", tanhl, 24, -12, 3, 0, 0x3F800000, 3, 5, {0, 0}),
    BINADES(GEN_F16_WIDE, "tanh", tanhl, 11, -6, 2, 0, 0x3C00, 3, 5, {0, 0}),
    BINADES(GEN_BF16_WIDE, "tanh", tanhl, 8, -5, 1, 0, 0x3F80, 3, 4, {0, 0}),
    BINADES(GEN_F32, "arctan", atanl, 24, -12, 25, 0, 0x3FC90FDB, 3, 5, {0, 0}),
    BINADES(GEN_F16_WIDE, "arctan", atanl, 11, -6, 11, 0, 0x3E48, 3, 5, {0, 0}),
    BINADES(GEN_BF16_WIDE, "arctan", atanl, 8, -5, 8, 0, 0x3FC9, 3, 4, {0, 0}),
    BINADES(GEN_F32, "erf", erfl, 24, -14, 1, 1, 0x3F800000, 3, 5, {0, 0}),
    BINADES(GEN_F16_WIDE, "erf", erfl, 11, -12, 1, 1, 0x3C00, 3, 5, {0, 0}),
    BINADES(GEN_BF16_WIDE, "erf", erfl, 8, -13, 1, 1, 0x3F80, 3, 4, {0, 0}),
    TURN(GEN_F32, -12, 127, 3, 30, 60),
    WAVES(GEN_F32, 28, 5, {0, 0}),
    TURN(GEN_F16_WIDE, -6, 15, 1, 53, 53),
    WAVES(GEN_F16_WIDE, 27, 5, {0, 0}),
    TURN(GEN_BF16_WIDE, -5, 127, 1, 56, 56),
    WAVES(GEN_BF16_WIDE, 23, 4, {97, 2}),
    HYPER(GEN_F32, 7, 30, -12, 3, 5, {0, 0}),
    HYPER(GEN_F16_WIDE, 5, 29, -6, 3, 5, {0, 0}),
    HYPER(GEN_BF16_WIDE, 7, 23, -5, 3, 4, {0, 0}),
    LOG1(GEN_F32, 7, 30, 3, 0, 5, 3, {0, 0}),
    LOG1(GEN_F16_WIDE, 5, 29, 0, 9, 5, 3, {0, 0}),
    LOG1(GEN_BF16_WIDE, 7, 23, 0, 6, 5, 2, {0, 0}),
    SOFT(GEN_F32, 7, 30, 164, 3, 4, 0, {0, 0}),
    SOFT(GEN_F16_WIDE, 5, 29, 144, 3, 4, 0, {0, 0}),
    SOFT(GEN_BF16_WIDE, 7, 23, 104, 3, 4, 0, {0, 0}),
    LESS(GEN_F32, 7, 30, 4, 3, {0, 0}),
    LESS(GEN_F16_WIDE, 5, 29, 4, 3, {0, 0}),
    LESS(GEN_BF16_WIDE, 7, 23, 3, 3, {0, 0}),
    INVERSE(GEN_F32, "reciprocal", reciprocal, 0, 6, 3, {0, 0}),
    INVERSE(GEN_F16_WIDE, "reciprocal", reciprocal, 0, 5, 3, {0, 0}),
    INVERSE(GEN_BF16_WIDE, "reciprocal", reciprocal, 0, 4, 3, {0, 0}),
    INVERSE(GEN_F32, "rsqrt", root_reciprocal, 1, 5, 3, {0, 0}),
    INVERSE(GEN_F16_WIDE, "rsqrt", root_reciprocal, 1, 5, 3, {0, 0}),
    INVERSE(GEN_BF16_WIDE, "rsqrt", root_reciprocal, 1, 4, 3, {0, 0}),
};
const size_t gen_entry_count = sizeof gen_entries / sizeof *gen_entries;
