/* SPDX-License-Identifier: MIT
 * Errors of the functions that kernels get from mpu/cuda_math.h and mpu/cuda_angle.h, against C's
 * in double precision: at most what the header says, over floats of every exponent, and C's results
 * of infinities, NaN and zeros. */
#define MPU_CUDA_FN    static inline
#define MPU_CUDA_CONST static const
#include "mpu/cuda_angle.h"
#include "tests/draws.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* How many units in the last place of a float at `right` the value lies beside it. */
static double error_of(float value, double right) {
    if (isnan(right) || isnan(value))
        return isnan(right) && isnan(value) ? 0 : INFINITY;
    float nearest = (float)right;
    if (isinf(nearest) || isinf(value))
        return nearest == value || fabs(right) < 3.4028236e38 ? 0 : INFINITY;
    int e = right == 0 ? -149 : ilogb(right) - 23;
    return fabs((double)value - right) / ldexp(1, e < -149 ? -149 : e);
}

struct worst {
    double error;
    float x, y;
};

static void note(struct worst *w, float value, double right, float x, float y) {
    double e = error_of(value, right);
    if (!(e <= w->error))
        *w = (struct worst){e, x, y};
}

static void judge(const char *name, const struct worst *w, double bound) {
    if (w->error > bound)
        fail_msg("%s(%a, %a): %g units", name, (double)w->x, (double)w->y, w->error);
}

static const struct unary {
    const char *name;
    float (*ours)(float);
    double (*right)(double);
    double bound;
} unary[] = {
    {"exp", mpu_cuda_exp, exp, 1},       {"exp2", mpu_cuda_exp2, exp2, 1},
    {"expm1", mpu_cuda_expm1, expm1, 2}, {"log", mpu_cuda_log, log, 1},
    {"log2", mpu_cuda_log2, log2, 1},    {"log10", mpu_cuda_log10, log10, 1},
    {"log1p", mpu_cuda_log1p, log1p, 2}, {"cbrt", mpu_cuda_cbrt, cbrt, 1},
    {"sin", mpu_cuda_sin, sin, 2},       {"cos", mpu_cuda_cos, cos, 2},
    {"tan", mpu_cuda_tan, tan, 4},       {"atan", mpu_cuda_atan, atan, 2},
    {"asin", mpu_cuda_asin, asin, 3},    {"acos", mpu_cuda_acos, acos, 2},
    {"tanh", mpu_cuda_tanh, tanh, 2},    {"sinh", mpu_cuda_sinh, sinh, 3},
    {"cosh", mpu_cuda_cosh, cosh, 2},
};

static const uint32_t edges[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
    0x3f7fffff, 0x3f000000, 0x40000000, 0xc0400000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0x42b17218, 0xc2cff1b5, 0x4b7fffff, 0x471c3fff, 0x471c4001, 0x5a800000, 0x6f79be45};
enum { EDGES = sizeof edges / sizeof *edges };

/* Pattern number i of n that are spread evenly, or an edge. */
static float pattern(uint64_t i, uint64_t n) {
    return mpu_cuda_float(i < EDGES ? edges[i] : (uint32_t)((i - EDGES) * 0x100000000u / n) + 77);
}

static double right_exp10(double x) {
    return pow(10, x);
}

static void test_unary(void **state) {
    (void)state;
    uint64_t n = draws(DRAWS_CUDA_MATH);
    for (size_t f = 0; f < sizeof unary / sizeof *unary; f++) {
        struct worst w = {0};
        for (uint64_t i = 0; i < n + EDGES; i++) {
            float x = pattern(i, n);
            note(&w, unary[f].ours(x), unary[f].right(x), x, 0);
        }
        judge(unary[f].name, &w, unary[f].bound);
    }
    struct worst w = {0};
    for (uint64_t i = 0; i < n; i++) {
        float x = pattern(i, n);
        note(&w, mpu_cuda_exp10(x), right_exp10(x), x, 0);
    }
    judge("exp10", &w, 1);
}

/* Arguments near one another, near 1, and anywhere. */
static void pair(uint64_t i, float *x, float *y) {
    uint64_t r = (i + 1) * 0x9e3779b97f4a7c15u;
    r ^= r >> 29;
    r *= 0xbf58476d1ce4e5b9u;
    r ^= r >> 32;
    uint32_t a = (uint32_t)r, b = (uint32_t)(r >> 32);
    switch (i % 4) {
    case 0:
        b = (a & 0x7f800000) ^ (b & 0x83ffffff);
        break;
    case 1:
        a = 0x3f000000 + (a & 0xffffff);
        b = (b & 0x80ffffff) | 0x42000000;
        break;
    case 2:
        a = (a & 0x81ffffff) | 0x40000000;
        b = (b & 0x81ffffff) | 0x40000000;
        break;
    }
    *x = mpu_cuda_float(i < EDGES * EDGES ? edges[i / EDGES] : a);
    *y = mpu_cuda_float(i < EDGES * EDGES ? edges[i % EDGES] : b);
}

static void test_binary(void **state) {
    (void)state;
    struct worst power = {0}, angle = {0}, length = {0}, rest = {0};
    uint64_t n = EDGES * EDGES + 2 * (uint64_t)draws(DRAWS_CUDA_MATH);
    for (uint64_t i = 0; i < n; i++) {
        float x, y;
        pair(i, &x, &y);
        note(&power, mpu_cuda_pow(x, y), pow(x, y), x, y);
        note(&angle, mpu_cuda_atan2(x, y), atan2(x, y), x, y);
        note(&length, mpu_cuda_hypot(x, y), hypot(x, y), x, y);
        note(&rest, mpu_cuda_fmod(x, y), fmod(x, y), x, y);
    }
    judge("pow", &power, 1);
    judge("atan2", &angle, 2);
    judge("hypot", &length, 1);
    judge("fmod", &rest, 0);
}

/* -0 where C has it. */
static void test_signs(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof unary / sizeof *unary; f++)
        if (unary[f].right(-0.0) == 0 &&
            !signbit(unary[f].right(-0.0)) != !signbit(unary[f].ours(-0.0f)))
            fail_msg("%s(-0)", unary[f].name);
    assert_true(signbit(mpu_cuda_fmod(-6, 3)) && signbit(mpu_cuda_pow(-0.0f, 3)));
    assert_true(signbit(mpu_cuda_atan2(-0.0f, 1)) && !signbit(mpu_cuda_pow(-0.0f, 2)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unary),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
