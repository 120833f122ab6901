/* SPDX-License-Identifier: MIT
 * The formats, and the functions: their tables and the numbers of their texts. */
#include "tools/float-gen/gen.h"

#include <math.h>

#define LN2 0.693147180559945309417232121458176568L
#define LOG2E 1.442695040888963407359924681001892137L
#define LOG10_2 0.301029995663981195213738894724493027L

const struct gen_format gen_formats[GEN_FORMATS] = {
    [GEN_F16] = {"f16", "F16", 11, 5, 16, 25},
    [GEN_BF16] = {"bf16", "BF16", 8, 8, 16, 19},
    [GEN_F32] = {"f32", "F32", 24, 8, 32, 30},
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

/* Arguments of exp are below 2^n and have q bits behind the point; k of x = k ln 2 + r comes from k
 * bits of x behind the point and c of 1 / ln 2, rounded down.  In `width` bits of r lies the
 * interval. */
#define EXP(id, n, q, k, c, segments, width, degree, ...)                                          \
    {                                                                                              \
        .format = id, .text = "exp", .function = "exp",                                            \
        .tables = {{"exp_poly", expl, 0, segments, width, degree, q, 0, {__VA_ARGS__}}},           \
        .numbers = {{"N", n, 0},   {"Q", q, 0},                                                    \
                    {"K", k, 0},   {"C", c, 0},                                                    \
                    {"LOG2E", LOG2E - 0.5L / ((uint64_t)1 << c), c}, {"LN2", LN2, q + 8}},         \
    }
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
        .tables = {{name "_poly", slope, -0.5L, 15u << (width - 4), width, degree, precision, b,   \
                    {__VA_ARGS__}}},                                                               \
        .numbers = {{"N", n, 0}, {"Q", q, 0}, {"B", b, 0}, {"BASE", base, q}},                     \
    }

const struct gen_entry gen_entries[] = {
    EXP(GEN_F32, 7, 30, 8, 15, 23, 5, 3, {0, 0}),
    EXP(GEN_F16, 5, 25, 6, 13, 46, 6, 2, {44, -1}),
    EXP(GEN_BF16, 7, 19, 8, 15, 12, 4, 2, {0, 0}),
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
};
const size_t gen_entry_count = sizeof gen_entries / sizeof *gen_entries;
