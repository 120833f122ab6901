/* SPDX-License-Identifier: MIT
 * Arrays of floating point through libmpu: every bit goes in and out, other types give the same
 * numbers or an error, and what is expected is compared as numbers. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"
#include "support/llvm/apfloat.h"

/* Of each type an array that is moved to another one. */
static const char text[] = "        .size n\n"
                           "        .group g[n]\n"
                           "        .var in  h: f16[2] @g = r0\n"
                           "        .var in  b: bf16 @g = r2\n"
                           "        .var in  x: f32 @g = r3\n"
                           "        .var in  d: f64 @g = r4\n"
                           "        .var out H: f16[2] @g = r5\n"
                           "        .var out B: bf16 @g = r7\n"
                           "        .var out X: f32 @g = r8\n"
                           "        .var out D: f64 @g = r9\n"
                           "        .var out s: f32[2] = r10\n"
                           "        .var     t: f32[2] = r12\n"
                           "        .value   k: f32 = 1.5\n"
                           "        .data    t = -0, bits(0xffc01234)\n"
                           "        COMPUTEG @g\n"
                           "        MOV.16 h[0], H[0]\n"
                           "        MOV.16 h[1], H[1]\n"
                           "        MOV.16 b, B\n"
                           "        MOV.32 x, X\n"
                           "        MOV.64 d, D\n"
                           "        MOV.32 t[1], s[0]\n"
                           "        LI.32 value(k), s[1]\n"
                           "        LIK1.32 value(k), s[1]\n"
                           "        LIK2.32 value(k), s[1]\n"
                           "        COMPUTE_DONE\n"
                           "        HALT\n";

struct rig {
    mpu_target *target;
    mpu_source *source;
    mpu_program *program;
    mpu_session *s;
};

static void need(bool good, mpu_error *e) {
    if (!good)
        fail_msg("%s", e ? mpu_error_text(e) : "no message");
}

static struct rig open_rig(const char *target, const char *const *set) {
    mpu_error *e = NULL;
    struct rig x = {.target = mpu_target_open(target, set, &e), .source = mpu_source_new(NULL)};
    need(x.target, e);
    mpu_source_add_text(x.source, "reals.s", text, strlen(text));
    x.program = mpu_source_build(x.source, &e);
    need(x.program, e);
    x.s = mpu_session_new(x.program, x.target, NULL, &e);
    need(x.s, e);
    return x;
}

static void close_rig(struct rig *x) {
    mpu_session_free(x->s);
    mpu_program_free(x->program);
    mpu_source_free(x->source);
    mpu_target_close(x->target);
}

static void put(struct rig *x, const char *name, mpu_type type, uint32_t ndim, uint64_t n,
                void *data) {
    mpu_error *e = NULL;
    mpu_array a = {type, ndim, {n, 2}, data};
    need(mpu_session_put(x->s, name, &a, &e) == MPU_OK, e);
}

static void put_text(struct rig *x, const char *name, const char *data) {
    mpu_error *e = NULL;
    need(mpu_session_put_data(x->s, name, data, NULL, &e) == MPU_OK, e);
}

/* The others are 0. */
static void run_with(struct rig *x, const char *name, uint64_t n) {
    static const char *const names[] = {"h", "b", "x", "d"};
    mpu_error *e = NULL;
    mpu_session_bind_size(x->s, "n", n, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!name || strcmp(names[i], name) != 0)
            put_text(x, names[i], "zeros");
    need(mpu_session_run(x->s, &e) == MPU_OK, e);
}

static void check_back(struct rig *x, const char *name, mpu_type type, const void *data,
                       size_t bytes) {
    mpu_error *e = NULL;
    mpu_array a;
    need(mpu_session_get(x->s, name, &a, &e) == MPU_OK, e);
    assert_int_equal(a.type, type);
    assert_memory_equal(a.data, data, bytes);
    mpu_array_free(&a);
}

static void refuse(mpu_result r, mpu_error **e, const char *part) {
    assert_int_equal(r, MPU_REJECTED);
    if (!strstr(mpu_error_text(*e), part))
        fail_msg("'%s' is not in '%s'", part, mpu_error_text(*e));
    mpu_error_free(*e);
    *e = NULL;
}

/* ---- */

/* NaNs with their payloads among them; in rounds where the chip is small. */
static void bits_go_through(const char *target, const char *const *set) {
    enum { N = 3000 };
    uint64_t seed = 1;
    struct rig x = open_rig(target, set);
    uint16_t *h = calloc(2 * N, 2), *b = calloc(N, 2);
    uint32_t *f = calloc(N, 4);
    uint64_t *d = calloc(N, 8);
    for (size_t i = 0; i < N; i++) {
        h[2 * i] = (uint16_t)splitmix64(&seed);
        h[2 * i + 1] = (uint16_t)(0x7c00 | (i & 0x83ff));
        b[i] = (uint16_t)splitmix64(&seed);
        f[i] = (uint32_t)splitmix64(&seed) | (i % 2 ? 0x7f800000u : 0);
        d[i] = splitmix64(&seed);
    }
    put(&x, "h", MPU_F16, 2, N, h);
    put(&x, "b", MPU_BF16, 1, N, b);
    put(&x, "x", MPU_F32, 1, N, f);
    put(&x, "d", MPU_F64, 1, N, d);
    mpu_error *e = NULL;
    need(mpu_session_run(x.s, &e) == MPU_OK, e);
    check_back(&x, "H", MPU_F16, h, 4 * N);
    check_back(&x, "B", MPU_BF16, b, 2 * N);
    check_back(&x, "X", MPU_F32, f, 4 * N);
    check_back(&x, "D", MPU_F64, d, 8 * N);
    close_rig(&x);
    free(h);
    free(b);
    free(f);
    free(d);
}

static void every_bit_goes_through(void **state) {
    static const char *const small[] = {"machine.mpus=1", "machine.vrf_per_rfh=4", NULL};
    (void)state;
    bits_go_through("golden", NULL);
    bits_go_through("racer", NULL);
    bits_go_through("racer", small);
}

static void data_and_link_time_values(void **state) {
    uint32_t want[] = {0xffc01234, 0x3fc00000};
    struct rig x = open_rig("golden", NULL);
    (void)state;
    run_with(&x, NULL, 1);
    check_back(&x, "s", MPU_F32, want, sizeof want);
    close_rig(&x);
    x = open_rig("golden", NULL);
    put_text(&x, "k", "-1e-3");
    want[1] = 0xba83126f;
    run_with(&x, NULL, 1);
    check_back(&x, "s", MPU_F32, want, sizeof want);
    close_rig(&x);
    x = open_rig("golden", NULL);
    double tenth = 0.1;
    mpu_error *e = NULL;
    mpu_array a = {MPU_F64, 0, {0}, &tenth};
    refuse(mpu_session_put(x.s, "k", &a, &e), &e, "k = 0.1 of type float64 does not fit float32");
    close_rig(&x);
}

/* A number goes from one type to another exactly if that leads back to it. */
static void numbers_of_other_types(void **state) {
    uint64_t seed = 2;
    struct rig x = open_rig("golden", NULL);
    unsigned taken = 0;
    (void)state;
    for (unsigned n = 0; n < 2000; n++) {
        uint32_t single = (uint32_t)splitmix64(&seed) & (n % 4 ? UINT32_MAX : 0xc7ffffffu);
        uint64_t d = apfloat_convert(8, 23, 11, 52, single), lost = n % 2 ? 0 : 1;
        mpu_error *e = NULL;
        mpu_array a = {MPU_F64, 1, {1}, &(uint64_t){d ^ lost << splitmix64(&seed) % 52}};
        uint64_t given = *(uint64_t *)a.data;
        uint64_t nearest = apfloat_convert(11, 52, 8, 23, given);
        bool good =
            apfloat_is_nan(11, 52, given) || apfloat_convert(8, 23, 11, 52, nearest) == given;
        mpu_result r = mpu_session_put(x.s, "x", &a, &e);
        if (!good) {
            refuse(r, &e, "x[0] = ");
            continue;
        }
        need(r == MPU_OK, e);
        taken++;
    }
    assert_in_range(taken, 1000, 1900);
    close_rig(&x);
}

static void integers_that_are_numbers(void **state) {
    struct rig x = open_rig("golden", NULL);
    int64_t whole[] = {0, -1, 16777216, -16777218, INT64_MIN};
    uint32_t want[] = {0, 0xbf800000, 0x4b800000, 0xcb800001, 0xdf000000};
    uint8_t small[] = {0, 1, 2, 254, 255};
    uint16_t want_small[] = {0, 0x3f80, 0x4000, 0x437e, 0x437f};
    int64_t large[] = {0, 65504, 65520};
    mpu_error *e = NULL;
    mpu_array a = {MPU_I64, 1, {3}, large};
    (void)state;
    refuse(mpu_session_put(x.s, "b", &a, &e), &e, "b[1] = 65504 of type int64 does not fit");
    a.ndim = 2;
    a.shape[0] = 1, a.shape[1] = 2;
    a.data = large + 1;
    refuse(mpu_session_put(x.s, "h", &a, &e), &e,
           "h[0, 1] = 65520 of type int64 does not fit float16");
    put(&x, "x", MPU_I64, 1, 5, whole);
    put(&x, "b", MPU_U8, 1, 5, small);
    put_text(&x, "h", "zeros");
    put_text(&x, "d", "iota");
    need(mpu_session_run(x.s, &e) == MPU_OK, e);
    check_back(&x, "X", MPU_F32, want, sizeof want);
    check_back(&x, "B", MPU_BF16, want_small, sizeof want_small);
    check_back(&x, "D", MPU_F64, (double[]){0, 1, 2, 3, 4}, 40);
    close_rig(&x);
}

static mpu_result near(struct rig *x, const char *data, uint64_t ulps, uint64_t *distance) {
    mpu_error *e = NULL;
    mpu_result r = mpu_session_expect_near(x->s, "X", data, ulps, distance, &e);
    mpu_error_free(e);
    return r;
}

static void what_is_expected(void **state) {
    struct rig x = open_rig("golden", NULL);
    mpu_error *e = NULL;
    uint64_t distance = 99;
    (void)state;
    put_text(&x, "x", "1,-0,inf,nan,1e-45");
    run_with(&x, "x", 5);
    need(mpu_session_expect(x.s, "X", "1,-0,inf,nan,1e-45", &e) == MPU_OK, e);
    assert_int_equal(mpu_session_expect(x.s, "X", "1,0,inf,nan,1e-45", NULL), MPU_DIFFERS);
    assert_int_equal(near(&x, "1,0,inf,nan,1e-45", 0, &distance), MPU_OK);
    assert_int_equal(distance, 0);
    assert_int_equal(near(&x, "1.0000002,0,3.4028235e38,nan,-1e-45", 2, &distance), MPU_OK);
    assert_int_equal(distance, 2);
    assert_int_equal(near(&x, "1.0000002,0,3.4028235e38,nan,-1e-45", 1, &distance), MPU_DIFFERS);
    assert_int_equal(distance, 2);
    assert_int_equal(near(&x, "1,0,inf,1,0", UINT64_MAX, &distance), MPU_DIFFERS);
    assert_true(distance == UINT64_MAX);
    char *json = mpu_session_stats(x.s, "json", NULL);
    assert_non_null(strstr(json, "\"distance\": null"));
    mpu_string_free(json);
    char *shown = mpu_session_text(x.s, "X", 0, 5, 0, NULL);
    assert_string_equal(shown, " 1.0 -0.0 inf nan 1e-45\n");
    mpu_string_free(shown);
    close_rig(&x);
}

static mpu_array made(const char *data, mpu_type type, uint64_t n) {
    mpu_array like = {type, 1, {n}, NULL}, a;
    mpu_error *e = NULL;
    need(mpu_array_read(data, &like, &a, &e) == MPU_OK, e);
    return a;
}

/* Finite, of all sizes, of both signs, the same each time; a shorter array is the beginning of a
 * longer one. */
static void random_numbers(void **state) {
    enum { N = 100000 };
    (void)state;
    mpu_array a = made("random:7", MPU_F32, N), b = made("random:7", MPU_F32, 10);
    const uint32_t *x = a.data;
    unsigned exponents[256] = {0}, negative = 0;
    for (size_t i = 0; i < N; i++) {
        exponents[x[i] >> 23 & 255]++;
        negative += x[i] >> 31;
    }
    for (unsigned i = 0; i < 255; i++)
        assert_true(exponents[i] > N / 512);
    assert_int_equal(exponents[255], 0);
    assert_in_range(negative, N * 49 / 100, N * 51 / 100);
    assert_memory_equal(a.data, b.data, 40);
    mpu_array_free(&a);
    mpu_array_free(&b);
    a = made("random:7:-0.5..2", MPU_F64, N);
    double least = 9, most = -9;
    for (size_t i = 0; i < N; i++) {
        double value = ((double *)a.data)[i];
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    assert_true(least >= -0.5 && least < -0.499 && most <= 2 && most > 1.999);
    mpu_array_free(&a);
}

static void arrays_are_read(void **state) {
    mpu_array a = made("0.1,nan,3", MPU_BF16, 3);
    (void)state;
    assert_int_equal(a.type, MPU_BF16);
    assert_memory_equal(a.data, ((uint16_t[]){0x3dcd, 0x7fc0, 0x4040}), 6);
    assert_int_equal(mpu_array_write(&a, "test_reals.npy", NULL), MPU_OK);
    mpu_array_free(&a);
    need(mpu_array_read("test_reals.npy", NULL, &a, NULL) == MPU_OK, NULL);
    assert_int_equal(a.type, MPU_BF16);
    assert_memory_equal(a.data, ((uint16_t[]){0x3dcd, 0x7fc0, 0x4040}), 6);
    mpu_array_free(&a);
    remove("test_reals.npy");
    need(mpu_array_read("0.1,1", NULL, &a, NULL) == MPU_OK, NULL);
    assert_int_equal(a.type, MPU_F64);
    assert_memory_equal(a.data, ((double[]){0.1, 1}), 16);
    mpu_array_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_goes_through), cmocka_unit_test(data_and_link_time_values),
        cmocka_unit_test(numbers_of_other_types), cmocka_unit_test(integers_that_are_numbers),
        cmocka_unit_test(what_is_expected),       cmocka_unit_test(random_numbers),
        cmocka_unit_test(arrays_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
