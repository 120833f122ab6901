/* SPDX-License-Identifier: MIT
 * A host without memory: allocations of a small session, and of a device, fail one at a time: each
 * with an argument, else the first ones and ever fewer.  The call then says MPU_CAPACITY, and what
 * was begun can be freed. */
#include "support/alloc.h"

#include <mpu/mpu.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#ifdef MPU_SANITIZED
#define HAS_LEAKS 1
/* Missing where threads are looked at. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);
#endif

/* What a failing call had allocated for itself is lost: that is the contract (support/alloc.h). */
static void ignore_leaks(bool ignore) {
#ifdef HAS_LEAKS
    if (ignore && __lsan_disable)
        __lsan_disable();
    else if (__lsan_enable)
        __lsan_enable();
#else
    (void)ignore;
#endif
}

/* True if it failed, as it has to say. */
static bool lacks(mpu_result r, mpu_error **e) {
    if (r == MPU_OK)
        return false;
    if (r != MPU_CAPACITY)
        fail_msg("%d: %s", (int)r, mpu_error_text(*e));
    if (*e) {
        assert_int_equal(mpu_error_code(*e), MPU_CAPACITY);
        assert_non_null(strstr(mpu_error_text(*e), "out of memory"));
    }
    mpu_error_free(*e);
    *e = NULL;
    return true;
}

static bool missing(const void *made, mpu_error **e) {
    return lacks(made ? MPU_OK : *e ? mpu_error_code(*e) : MPU_CAPACITY, e);
}

static const mpu_vtype u8 = {MPU_KIND_UINT, 8};

static bool use_device(mpu_device *d, mpu_vector **v, mpu_error **e) {
    static const uint8_t x[6] = {1, 2, 3, 4, 5, 6};
    uint8_t y[6] = {0};
    if (missing(v[0] = mpu_vector_new(d, u8, 6, e), e) ||
        lacks(mpu_vector_put(v[0], 0, 6, x, e), e) ||
        missing(v[1] = mpu_apply(d, MPU_OP_MUL, u8, 6, (mpu_operand[]){{v[0], 0}, {NULL, 5}}, 2, e),
                e) ||
        missing(v[2] = mpu_fold(v[1], MPU_OP_ADD, u8, 0, 6, 3, e), e) ||
        missing(v[3] = mpu_move(v[0], &(mpu_dim){6, 1}, 1, 1, 0, 9, e), e) ||
        lacks(mpu_vector_get(v[2], 0, 2, y, e), e))
        return false;
    assert_int_equal(y[0], 30);
    assert_int_equal(y[1], 75);
    if (lacks(mpu_vector_get(v[3], 0, 6, y, e), e))
        return false;
    assert_int_equal(y[5], 9);
    char *text = mpu_device_stats(d, "json", e);
    mpu_string_free(text);
    return !missing(text, e);
}

static bool all;

static uint64_t stride(uint64_t n) {
    return all ? 1 : 1 + n / 64;
}

/* False when some call failed. */
static bool try_device(const mpu_target *target, uint64_t fails_at) {
    mpu_error *e = NULL;
    mpu_vector *v[4] = {0};
    alloc_fail_at(fails_at);
    mpu_device *d = mpu_device_open(target, NULL, &e);
    bool fine = !missing(d, &e) && use_device(d, v, &e);
    alloc_fail_at(0);
    for (unsigned k = 0; k < 4; k++)
        mpu_vector_release(v[k]);
    mpu_device_close(d);
    return fine;
}

static void device(void **state) {
    static const char *const names[] = {"racer", "golden"};
    (void)state;
    ignore_leaks(true);
    for (unsigned t = 0; t < 2; t++) {
        mpu_target *target = mpu_target_open(names[t], NULL, NULL);
        assert_true(try_device(target, 0));
        uint64_t n = 1, failed = 0;
        for (; !try_device(target, n); n += stride(n))
            failed++;
        assert_true(failed > 200);
        assert_true(try_device(target, 0)); /* the target is as it was */
        mpu_target_close(target);
    }
    ignore_leaks(false);
}

static const char program[] = "size n;\ngroup g[n];\nin x: u8 @ g;\nout z: u8 @ g;\nout s: u8;\n"
                              "main { s = sum(x); compute g { z = x * s; } }\n";

static bool use_session(mpu_session *s, mpu_error **e) {
    uint8_t x[3] = {1, 2, 3};
    mpu_array a = {.type = MPU_U8, .ndim = 1, .shape = {3}, .data = x}, z = {0};
    if (lacks(mpu_session_put(s, "x", &a, e), e) || lacks(mpu_session_run(s, e), e) ||
        lacks(mpu_session_get(s, "z", &z, e), e))
        return false;
    assert_int_equal(((const uint8_t *)z.data)[2], 18);
    mpu_array_free(&z);
    char *text = mpu_session_stats(s, "text", e);
    mpu_string_free(text);
    return !missing(text, e);
}

static bool try_session(const mpu_target *target, uint64_t fails_at) {
    mpu_error *e = NULL;
    mpu_session *s = NULL;
    alloc_fail_at(fails_at);
    mpu_source *source = mpu_source_new(NULL);
    if (source)
        mpu_source_add_text(source, "a.ez", program, sizeof program - 1);
    mpu_program *p = source ? mpu_source_build(source, &e) : NULL;
    bool fine = !missing(p, &e) && !missing(s = mpu_session_new(p, target, NULL, &e), &e) &&
                use_session(s, &e);
    alloc_fail_at(0);
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_source_free(source);
    return fine;
}

static void session(void **state) {
    mpu_target *target = mpu_target_open("mimdram", NULL, NULL);
    (void)state;
    ignore_leaks(true);
    assert_true(try_session(target, 0));
    uint64_t n = 1, failed = 0;
    for (; !try_session(target, n); n += stride(n))
        failed++;
    assert_true(failed > 200);
    assert_true(try_session(target, 0));
    mpu_target_close(target);
    ignore_leaks(false);
}

/* Undone in the reverse order, and the point outside is reached by what comes behind. */
static void note(void *context) {
    char *text = context;
    text[strlen(text)] = (char)('a' + (int)strlen(text));
}

static void points(void **state) {
    char text[8] = "";
    struct alloc_point outer, inner;
    struct alloc_undo first, second;
    volatile unsigned reached = 0;
    (void)state;
    if (ALLOC_POINT_REACHED(outer)) {
        assert_int_equal(reached, 1);
        assert_string_equal(text, "abc");
        return;
    }
    alloc_undo_begin(&first, note, text);
    if (ALLOC_POINT_REACHED(inner)) {
        assert_string_equal(text, "ab");
        reached++;
        alloc_failed();
    }
    alloc_undo_begin(&second, note, text);
    alloc_undo_begin(&(struct alloc_undo){0}, note, text);
    alloc_fail_at(1);
    free(xmalloc(1));
    fail();
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points),
        cmocka_unit_test(device),
        cmocka_unit_test(session),
    };
    (void)argv;
    all = argc > 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
