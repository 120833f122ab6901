/* SPDX-License-Identifier: MIT
 * The fixed-point library over all 65,536 arguments of 16 bits, in several places of the 32-bit
 * number, against the host's long double functions: its errors are within the bounds that it
 * states, and as large as they. */
#include "runtime/include/mpu/mpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#ifdef MPU_SANITIZED
enum { STEP = 16 }; /* every 16th argument */
#else
enum { STEP = 1 };
#endif
enum { ARGUMENTS = 65536, ALL = ARGUMENTS / STEP, PART = 256, ONE = 65536 };

/* An exact result in units of the last place, from the arguments' integers. */
typedef long double exact_function(int32_t a, int32_t b);

static long double saturated(long double x) {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}
static long double wrapped(long double x) {
    const long double turn = 4294967296.0L;
    return x - turn * floorl((x + turn / 2) / turn);
}
static long double exact_mul(int32_t a, int32_t b) {
    return wrapped((long double)((int64_t)a * b) / ONE);
}
static long double exact_div(int32_t a, int32_t b) {
    return b ? saturated((long double)a / b * ONE) : -1;
}
static long double exact_reciprocal(int32_t a, int32_t b) {
    (void)b;
    return a ? saturated((long double)ONE * ONE / a) : -1;
}
static long double exact_sqrt(int32_t a, int32_t b) {
    (void)b;
    return a > 0 ? sqrtl((long double)a * ONE) : 0;
}
static long double exact_exp(int32_t a, int32_t b) {
    (void)b;
    return saturated(expl((long double)a / ONE) * ONE);
}
static long double exact_sin(int32_t a, int32_t b) {
    (void)b;
    return sinl((long double)a / ONE) * ONE;
}
static long double exact_cos(int32_t a, int32_t b) {
    (void)b;
    return cosl((long double)a / ONE) * ONE;
}

/* Bounds as ezpim/lib/fixed.ez states them, in ulps. */
static const struct {
    const char *name;
    exact_function *exact;
    long double bound;
} functions[] = {
    {"product", exact_mul, 0.5L},        {"quotient", exact_div, 0.5L},
    {"inverse", exact_reciprocal, 0.5L}, {"root", exact_sqrt, 0.5L},
    {"power", exact_exp, 0.51L},         {"sine", exact_sin, 0.54L},
    {"cosine", exact_cos, 0.54L},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void need(bool good, const char *what, mpu_error *e) {
    if (!good)
        fail_msg("%s: %s", what, e ? mpu_error_text(e) : "no message");
}

static void put(mpu_session *s, const char *name, int32_t *values, uint64_t n) {
    mpu_error *e = NULL;
    mpu_array a = {.type = MPU_I32, .ndim = 1, .data = values};
    a.shape[0] = n;
    need(mpu_session_put(s, name, &a, &e) == MPU_OK, name, e);
}

/* The largest error of one function. */
static long double largest_error(mpu_session *s, size_t f, const int32_t *a, const int32_t *b,
                                 uint64_t n) {
    mpu_array got = {0};
    mpu_error *e = NULL;
    long double largest = 0;
    need(mpu_session_get(s, functions[f].name, &got, &e) == MPU_OK, functions[f].name, e);
    assert_int_equal(got.type, MPU_I32);
    for (uint64_t i = 0; i < n; i++) {
        long double want = functions[f].exact(a[i], b[i]);
        long double error = fabsl(((const int32_t *)got.data)[i] - want);
        if (error > functions[f].bound)
            fail_msg("%s of %d, %d: %d, and exactly %Lf", functions[f].name, a[i], b[i],
                     ((const int32_t *)got.data)[i], want);
        largest = fmaxl(largest, error);
    }
    mpu_array_free(&got);
    return largest;
}

enum { MOST_INSTRUCTIONS = 745 }; /* of functions.ez */

/* Runs all functions; worst[] grows to the errors found. */
static void run(const char *target_name, int32_t *a, int32_t *b, uint64_t n, long double *worst) {
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load_file(MPU_SOURCE_DIR "/examples/functions.ez", &e);
    need(p != NULL, "functions.ez", e);
    mpu_target *t = mpu_target_open(target_name, NULL, &e);
    need(t != NULL, target_name, e);
    mpu_config config = {.size = sizeof config, .init = "random:1"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, target_name, e);
    put(s, "x", a, n);
    put(s, "y", b, n);
    need(mpu_session_run(s, &e) == MPU_OK, target_name, e);
    for (size_t f = 0; f < FUNCTIONS; f++)
        worst[f] = fmaxl(worst[f], largest_error(s, f, a, b, n));
    /* There are too few registers for all of it: constants are made again only where they must be.
     */
    uint64_t bytes;
    assert_int_equal(mpu_session_figure(s, "load.text_bytes", &bytes), MPU_OK);
    if (bytes > 4 * MOST_INSTRUCTIONS)
        fail_msg("%llu instructions, not %d", (unsigned long long)bytes / 4, MOST_INSTRUCTIONS);
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
}

/* `n` of the 16-bit numbers, `shift` places up, `below` in the places below; the second argument is
 * another permutation of them. */
static void arguments(unsigned shift, uint32_t below, uint32_t n, int32_t *a, int32_t *b) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = i * (ARGUMENTS / n) - ARGUMENTS / 2;
        a[i] = (int32_t)(x << shift | below);
        b[i] = (int32_t)(int16_t)(x * 40503u + 1u) * (i % 2 ? 1 : 700);
    }
}

static void all_arguments_on_golden(void **state) {
    (void)state;
    static int32_t a[ALL], b[ALL];
    long double worst[FUNCTIONS] = {0};
    for (unsigned shift = 0; shift <= 5; shift += 5) { /* up to 1/2, and up to 16 */
        arguments(shift, 0, ALL, a, b);
        run("golden", a, b, ALL, worst);
    }
    for (size_t f = 0; f < FUNCTIONS; f++) {
        printf("%-12s %.4Lf ulp, stated %.2Lf\n", functions[f].name, worst[f], functions[f].bound);
        assert_true(STEP > 1 || worst[f] > functions[f].bound - 0.02L);
    }
}

static void some_arguments_on_racer(void **state) {
    (void)state;
    static int32_t a[PART], b[PART];
    long double worst[FUNCTIONS] = {0};
    arguments(5, 3, PART, a, b);
    run("racer", a, b, PART, worst);
    arguments(16, 0x1234, PART, a, b);
    run("racer", a, b, PART, worst);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arguments_on_golden),
        cmocka_unit_test(some_arguments_on_racer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
