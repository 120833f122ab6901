/* SPDX-License-Identifier: MIT
 * Registers of no group that lie in the VRFs of some groups only, against the same in all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"

/* y = y * factor + x[n - 1] + x[0] over a short group while a long one lies in other VRFs; r5 of
 * the long one stays what it was where the scalars do not lie.  %s is empty or names the scope. */
static const char text[] = "        .size n\n        .group a[n]\n        .group b[33]\n"
                           "        .group c[20] like b\n"
                           "        .var in    x: i32 @a = r0\n"
                           "        .var inout y: i32 @b = r1\n"
                           "        .var inout factor: i32 = r4 %s\n"
                           "        .var out   w: i32 @a = r5\n"
                           "        .move last u32 r5 = x[n - 1] %s\n"
                           "        .move head u32 r6 = x[0] %s\n"
                           "        .move own u32 r7 = r6 %s\n"
                           "main:   GMOVE last\n"
                           "        GMOVE head\n"
                           "        GMOVE own\n"
                           "        COMPUTEG @b\n"
                           "        MUL.32 r1 r4 r1\n"
                           "        ADD.32 r1 r5 r1\n"
                           "        ADD.32 r1 r7 r1\n"
                           "        INC.32 r4 r4\n"
                           "        COMPUTE_DONE\n"
                           "        HALT\n";

static void expect_ok(mpu_result r, mpu_error *e) {
    if (r != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

static mpu_program *assemble(const char *scope) {
    mpu_error *e = NULL;
    FILE *f = fopen("test_scopes_program.s", "w");
    assert_non_null(f);
    fprintf(f, text, scope, scope, scope, scope); /* NOLINT: the format is above */
    fclose(f);
    mpu_program *p = mpu_program_load_file("test_scopes_program.s", &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    remove("test_scopes_program.s");
    return p;
}

static void put(mpu_session *s, const char *name, uint64_t count, int32_t *data) {
    mpu_error *e = NULL;
    mpu_array a = {MPU_I32, count ? 1 : 0, {count}, data};
    expect_ok(mpu_session_put(s, name, &a, &e), e);
}

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    mpu_session_figure(s, path, &value); /* golden has none */
    return value;
}

struct outcome {
    uint64_t registers, host_bytes;
    int32_t w; /* the last element */
};

static void check_y(mpu_session *s, const int32_t *x, uint64_t n) {
    mpu_error *e = NULL;
    mpu_array y;
    expect_ok(mpu_session_get(s, "y", &y, &e), e);
    for (int32_t i = 0; i < 33; i++)
        assert_int_equal(((int32_t *)y.data)[i], -3 * i + x[n - 1] + x[0]);
    mpu_array_free(&y);
}

static int32_t get_last(mpu_session *s, const char *name, uint64_t n) {
    mpu_error *e = NULL;
    mpu_array a;
    expect_ok(mpu_session_get(s, name, &a, &e), e);
    int32_t last = ((int32_t *)a.data)[n - 1];
    mpu_array_free(&a);
    return last;
}

static struct outcome run_on(const mpu_program *p, const char *target, uint64_t n) {
    mpu_error *e = NULL;
    int32_t *x = malloc((size_t)n * sizeof *x), y[33], factor = -3;
    for (uint64_t i = 0; i < n; i++)
        x[i] = (int32_t)(7 + i * i);
    for (int32_t i = 0; i < 33; i++)
        y[i] = i;
    mpu_target *t = mpu_target_open(target, NULL, &e);
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    put(s, "x", n, x);
    put(s, "y", 33, y);
    put(s, "factor", 0, &factor);
    expect_ok(mpu_session_run(s, &e), e);
    check_y(s, x, n);
    struct outcome out = {figure(s, "total.register_transfers"), figure(s, "host.bytes_in"),
                          get_last(s, "w", n)};
    get_last(s, "factor", 1);
    mpu_session_free(s);
    mpu_target_close(t);
    free(x);
    return out;
}

static void scalars_lie_in_their_groups(void **state) {
    static const char *const targets[] = {"golden", "racer", "mimdram", "duality-cache", "simdram"};
    static const uint64_t lengths[] = {1, 63, 64, 65, 511, 513, 10007};
    (void)state;
    mpu_program *all = assemble(""), *some = assemble("in c, b");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            uint64_t n = lengths[k];
            struct outcome a = run_on(all, targets[i], n), b = run_on(some, targets[i], n);
            assert_int_equal(a.w, (int32_t)(7 + (n - 1) * (n - 1)));
            assert_int_equal(b.w, 0);
            if (i) /* of each move of no group one register for each VRF of a; of the factor x's */
                assert_true(a.registers > b.registers && a.host_bytes == b.host_bytes + 4 * n);
        }
    mpu_program_free(all);
    mpu_program_free(some);
}

/* What is read is element 0 of the first group of the scope. */
static void a_scalar_is_read_where_it_lies(void **state) {
    (void)state;
    mpu_error *e = NULL;
    FILE *f = fopen("test_scopes_read.s", "w");
    fputs("        .group g[3]\n        .group h[3]\n        .var inout a: u8 = r0 in h\n"
          "        .var out b: u8 = r0 in g\n        .var out c: u8 = r0\n"
          "main:   COMPUTEG @h\n        INC.8 r0 r0\n        COMPUTE_DONE\n        HALT\n",
          f);
    fclose(f);
    mpu_program *p = mpu_program_load_file("test_scopes_read.s", &e);
    mpu_target *t = mpu_target_open("racer", NULL, &e);
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    uint8_t five = 5;
    mpu_array in = {MPU_U8, 0, {0}, &five};
    expect_ok(mpu_session_put(s, "a", &in, &e), e);
    expect_ok(mpu_session_run(s, &e), e);
    for (const char *name = "abc"; *name; name++) {
        mpu_array out;
        expect_ok(mpu_session_get(s, (char[]){*name, 0}, &out, &e), e);
        assert_int_equal(*(uint8_t *)out.data, *name == 'a' ? 6 : 0);
        mpu_array_free(&out);
    }
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
    remove("test_scopes_read.s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_lie_in_their_groups),
        cmocka_unit_test(a_scalar_is_read_where_it_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
