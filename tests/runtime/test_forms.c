/* SPDX-License-Identifier: MIT
 * Arrays of other types and shapes than their registers, against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"

#define K 3

static const char text[] = "        .size n\n        .group g[n]\n"
                           "        .var in  x: i64 @g = r0 as u6\n"
                           "        .var in  b: i32[3] @g = r1 as i7 first\n"
                           "        .var in  s: i64[2] = r8 as i5 shape[1, 2]\n"
                           "        .var out y: i64 @g = r5 as i9\n"
                           "        .var out z: i16[3] @g = r1 as i7 split\n"
                           "        .var out w: i32[3] @g = r1 as i7 first shape[3, 1, n]\n"
                           "        .var out flag: bool @g = r0 as u1\n"
                           "        .var out t: i16[2] = r8 as i5\n"
                           "main:   COMPUTEG @g\n"
                           "        ZEXT.9 r0 6 r5\n"
                           "        LI.9 -9 r7\n"
                           "        ADD.9 r5 r7 r5\n"
                           "        INC.7 r2 r2\n"
                           "        COMPUTE_DONE\n"
                           "        HALT\n";

static void expect_ok(mpu_result r, mpu_error *e) {
    if (r != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

static mpu_program *assemble(const char *source) {
    mpu_error *e = NULL;
    FILE *f = fopen("test_forms_program.s", "w");
    assert_non_null(f);
    fputs(source, f);
    fclose(f);
    mpu_program *p = mpu_program_load_file("test_forms_program.s", &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    remove("test_forms_program.s");
    return p;
}

static void put(mpu_session *s, const char *name, mpu_array a) {
    mpu_error *e = NULL;
    expect_ok(mpu_session_put(s, name, &a, &e), e);
}

static mpu_array get(mpu_session *s, const char *name, mpu_type type, uint32_t ndim) {
    mpu_error *e = NULL;
    mpu_array a;
    expect_ok(mpu_session_get(s, name, &a, &e), e);
    assert_int_equal(a.type, type);
    assert_int_equal(a.ndim, ndim);
    return a;
}

/* x[e] of 6 bits, b[j][e] of 7 bits with a sign. */
static int64_t *make_x(uint64_t n, uint64_t *seed) {
    int64_t *x = malloc((size_t)n * sizeof *x);
    for (uint64_t e = 0; e < n; e++)
        x[e] = (int64_t)(splitmix64(seed) & 63);
    return x;
}

static int32_t *make_b(uint64_t n, uint64_t *seed) {
    int32_t *b = malloc((size_t)n * K * sizeof *b);
    for (uint64_t e = 0; e < n * K; e++)
        b[e] = (int32_t)sign_extend(splitmix64(seed) & 127, 7);
    return b;
}

static int32_t second_plus_one(const int32_t *b, uint64_t n, uint64_t j, uint64_t e) {
    int32_t v = b[j * n + e];
    return j == 1 ? (int32_t)sign_extend((uint64_t)(v + 1) & 127, 7) : v;
}

static void check_lanes(mpu_session *s, uint64_t n, const int64_t *x) {
    mpu_array y = get(s, "y", MPU_I64, 1), flag = get(s, "flag", MPU_BOOL, 1);
    for (uint64_t e = 0; e < n; e++) {
        assert_int_equal(((int64_t *)y.data)[e], x[e] - 9);
        assert_int_equal(((uint8_t *)flag.data)[e], x[e] & 1);
    }
    mpu_array_free(&y);
    mpu_array_free(&flag);
}

static void check_registers(mpu_session *s, uint64_t n, const int32_t *b) {
    mpu_array z = get(s, "z", MPU_I16, 1), w = get(s, "w", MPU_I32, 3);
    assert_int_equal(z.shape[0], K * n);
    assert_true(w.shape[0] == K && w.shape[1] == 1 && w.shape[2] == n);
    for (uint64_t e = 0; e < n; e++)
        for (uint64_t j = 0; j < K; j++) {
            assert_int_equal(((int16_t *)z.data)[K * e + j], second_plus_one(b, n, j, e));
            assert_int_equal(((int32_t *)w.data)[j * n + e], second_plus_one(b, n, j, e));
        }
    mpu_array_free(&z);
    mpu_array_free(&w);
}

static void check_single(mpu_session *s) {
    mpu_array t = get(s, "t", MPU_I16, 1);
    assert_int_equal(((int16_t *)t.data)[0], -16);
    assert_int_equal(((int16_t *)t.data)[1], 15);
    mpu_array_free(&t);
}

/* The rounds that it took. */
static uint64_t arrays_on(const mpu_program *p, const char *target, const char *const *set,
                          uint64_t n) {
    uint64_t rounds = 1; /* golden has no figures */
    mpu_error *e = NULL;
    uint64_t seed = n;
    int64_t *x = make_x(n, &seed), both[2] = {-16, 15};
    int32_t *b = make_b(n, &seed);
    mpu_target *t = mpu_target_open(target, set, &e);
    if (!t)
        fail_msg("%s", mpu_error_text(e));
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    put(s, "b", (mpu_array){MPU_I32, 2, {K, n}, b}); /* n is known from its second dimension */
    put(s, "x", (mpu_array){MPU_I64, 1, {n}, x});
    put(s, "s", (mpu_array){MPU_I64, 2, {1, 2}, both});
    expect_ok(mpu_session_run(s, &e), e);
    check_lanes(s, n, x);
    check_registers(s, n, b);
    check_single(s);
    mpu_session_figure(s, "total.rounds", &rounds);
    mpu_session_free(s);
    mpu_target_close(t);
    free(x);
    free(b);
    return rounds;
}

static void arrays_on_every_target(void **state) {
    static const char *const targets[] = {"golden", "racer", "mimdram", "duality-cache", "simdram"};
    static const uint64_t lengths[] = {1, 63, 64, 65, 511, 513, 10007};
    (void)state;
    mpu_program *p = assemble(text);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            arrays_on(p, targets[i], NULL, lengths[k]);
    mpu_program_free(p);
}

static void arrays_in_rounds(void **state) {
    static const char *const small[] = {"machine.mpus=1", "machine.vrf_per_rfh=4", NULL};
    (void)state;
    mpu_program *p = assemble(text);
    assert_true(arrays_on(p, "racer", small, 10007) > 1);
    mpu_program_free(p);
}

/* Registers before the grid of MPUs. */
static void arrays_of_a_grid(void **state) {
    static const char source[] = "        .geometry grid=[2, 3]\n        .group g[5, 7] per mpu\n"
                                 "        .var in  x: u8[4] @g = r0 first\n"
                                 "        .var out y: u8[4] @g = r0\n"
                                 "        .var out z: u8[4] @g = r0 split\n"
                                 "        .var out w: u8[4] @g = r0 first shape[4, 210]\n"
                                 "main:   HALT\n";
    enum { N = 2 * 3 * 5 * 7 };
    uint8_t x[4 * N];
    mpu_error *e = NULL;
    (void)state;
    for (unsigned i = 0; i < sizeof x; i++)
        x[i] = (uint8_t)(i * 7 + i / 256);
    mpu_program *p = assemble(source);
    mpu_target *t = mpu_target_open("duality-cache", NULL, &e);
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    put(s, "x", (mpu_array){MPU_U8, 5, {4, 2, 3, 5, 7}, x});
    expect_ok(mpu_session_run(s, &e), e);
    mpu_array y = get(s, "y", MPU_U8, 5), z = get(s, "z", MPU_U8, 4), w = get(s, "w", MPU_U8, 2);
    assert_true(y.shape[0] == 2 && y.shape[4] == 4 && z.shape[3] == 28 && w.shape[1] == N);
    for (unsigned i = 0; i < N; i++)
        for (unsigned j = 0; j < 4; j++)
            assert_int_equal(((uint8_t *)y.data)[4 * i + j], x[j * N + i]);
    assert_memory_equal(y.data, z.data, sizeof x);
    assert_memory_equal(w.data, x, sizeof x);
    mpu_array_free(&y);
    mpu_array_free(&z);
    mpu_array_free(&w);
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_on_every_target),
        cmocka_unit_test(arrays_in_rounds),
        cmocka_unit_test(arrays_of_a_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
