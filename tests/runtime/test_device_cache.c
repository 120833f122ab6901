/* SPDX-License-Identifier: MIT
 * What a device keeps for later: it is bounded, and neither values nor statistics say what it was.
 */
#include "device.h"

#include "runtime/device.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mpu_vtype i16 = {MPU_KIND_INT, 16}, u8 = {MPU_KIND_UINT, 8}, i64 = {MPU_KIND_INT, 64};
enum { N = 48 };
#ifdef MPU_SANITIZED
enum { LAPS = 8 };
#else
enum { LAPS = 18 };
#endif

static mpu_vector *vector_of(mpu_device *device, uint64_t n) {
    mpu_error *e = NULL;
    int16_t data[N];
    mpu_vector *v = mpu_vector_new(device, i16, n, &e);
    for (int i = 0; i < N; i++)
        data[i] = (int16_t)(i * 37 - 500);
    fine(mpu_vector_put(v, 0, n, data, &e), e);
    return v;
}

/* Adds what a vector holds to a sum, and releases it. */
static void take_in(mpu_vector *v, uint64_t *sum) {
    mpu_error *e = NULL;
    uint64_t data[N] = {0};
    assert_non_null(v);
    fine(mpu_vector_get(v, 0, mpu_vector_length(v), data, &e), e);
    for (int i = 0; i < N; i++)
        *sum = *sum * 31 + data[i];
    mpu_vector_release(v);
}

static mpu_vector *apply(mpu_device *device, mpu_op op, mpu_vtype type, const mpu_vector *v,
                         uint64_t scalar) {
    mpu_error *e = NULL;
    return mpu_apply(device, op, type, mpu_vector_length(v),
                     (mpu_operand[]){{v, 0}, {NULL, scalar}}, 2, &e);
}

/* ---- statistics ---- */

/* x * k + k', and shifted by what is baked into programs of their own. */
static void elements(mpu_device *device, const mpu_vector *v, uint32_t k, uint64_t *sum) {
    mpu_vector *x = apply(device, MPU_OP_MUL, i16, v, 3 + 5 * (k % 7));
    mpu_vector *y = apply(device, MPU_OP_ADD, i16, x, 1000 + k % 3);
    mpu_vector *z = apply(device, MPU_OP_SHL, i16, y, k % 5);
    mpu_vector_release(x);
    mpu_vector_release(y);
    take_in(z, sum);
}

/* x * a ^ x * b: recipes that were made for some numbers serve others, too. */
static void two_numbers(mpu_device *device, const mpu_vector *v, uint32_t k, uint64_t *sum) {
    static const uint8_t numbers[][2] = {{11, 13}, {11, 11}, {13, 11}, {13, 13}, {11, 13}, {7, 13}};
    mpu_error *e = NULL;
    mpu_vector *x = apply(device, MPU_OP_MUL, i16, v, numbers[k % 6][0]);
    mpu_vector *y = apply(device, MPU_OP_MUL, i16, v, numbers[k % 6][1]);
    take_in(mpu_apply(device, MPU_OP_XOR, i16, mpu_vector_length(v),
                      (mpu_operand[]){{x, 0}, {y, 0}}, 2, &e),
            sum);
    mpu_vector_release(x);
    mpu_vector_release(y);
}

static void alone(mpu_device *device, const mpu_vector *v, uint32_t k, uint64_t *sum) {
    mpu_error *e = NULL;
    uint16_t table[9];
    for (uint32_t i = 0; i < 9; i++)
        table[i] = (uint16_t)(i * k);
    const mpu_array described = {.type = MPU_U16, .ndim = 1, .shape = {9}, .data = table};
    mpu_vector *places =
        mpu_apply(device, MPU_OP_CAST, u8, mpu_vector_length(v), &(mpu_operand){v, 0}, 1, &e);
    take_in(mpu_take(places, &described, &e), sum);
    mpu_vector_release(places);
    take_in(mpu_move(v, &(mpu_dim){mpu_vector_length(v), 1}, 1, (int64_t)(k % 4), 1, 0, &e), sum);
    take_in(mpu_fold(v, k % 2 ? MPU_OP_ADD : MPU_OP_MAX, k % 2 ? i64 : i16, 0, mpu_vector_length(v),
                     mpu_vector_length(v) / (1 + k % 2), &e),
            sum);
}

static const char *const parts[] = {"sub f(x: i16): i16 { return x * 3; }",
                                    "sub f(x: i16): i16 { return x * 3 - 1; }",
                                    "sub g(x: i16): i16 { return x ^ 77; }"};

static void called(mpu_device *device, const mpu_vector *v, uint32_t k, uint64_t *sum) {
    mpu_error *e = NULL;
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_set_parts(s);
    mpu_source_add_text(s, "parts.ez", parts[k % 3], strlen(parts[k % 3]));
    mpu_program *p = mpu_source_build(s, &e);
    assert_non_null(p);
    take_in(mpu_call(device, p, k % 3 == 2 ? "g" : "f", mpu_vector_length(v), &(mpu_operand){v, 0},
                     1, &e),
            sum);
    mpu_program_free(p);
    mpu_source_free(s);
}

/* The statistics after a walk over programs, some of which come again; to be freed. */
static char *walk(const char *target, const mpu_config *config, uint64_t *sum) {
    mpu_target *t;
    mpu_error *e = NULL;
    mpu_device *d = open_device(target, NULL, config, &t);
    *sum = 0;
    mpu_vector *of[] = {vector_of(d, N), vector_of(d, N - 2)};
    for (uint32_t k = 0; k < LAPS; k++) {
        mpu_vector *v = of[k % 2];
        elements(d, v, k, sum);
        two_numbers(d, v, k / 2, sum);
        alone(d, v, k / 2 % 4, sum);
        called(d, v, k, sum);
    }
    mpu_vector_release(of[0]);
    mpu_vector_release(of[1]);
    char *text = mpu_device_stats(d, "text", &e);
    assert_non_null(text);
    close_device(d, t);
    return text;
}

/* With everything kept, with nothing, and with some of it. */
static void says_nothing(void **state) {
    static const char *const targets[] = {"racer", "mimdram", "duality-cache", "pypim"};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        uint64_t sum, other;
        char *wanted = walk(targets[i], NULL, &sum);
        for (uint64_t bytes = 1; bytes <= 1 << 18; bytes <<= 18) {
            const mpu_config config = {.size = sizeof config, .device_bytes = bytes};
            char *text = walk(targets[i], &config, &other);
            assert_string_equal(text, wanted);
            assert_int_equal(other, sum);
            mpu_string_free(text);
        }
        mpu_string_free(wanted);
    }
}

/* ---- bounds ---- */

/* Bytes that are allocated; 0 where nobody says. */
static uint64_t in_use(void) {
#ifdef __GLIBC__
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

/* Products by numbers that come once: each is code of its own. */
static void products(mpu_device *device, const mpu_vector *v, uint32_t first, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t k = first; k < first + count; k++)
        take_in(apply(device, MPU_OP_MUL, i16, v, 2 * k + 3), &sum);
}

static void is_bounded(const char *target, uint32_t count) {
    const mpu_config config = {
        .size = sizeof config, .device_bytes = (uint64_t)2 << 20, .threads = 1};
    mpu_target *t;
    mpu_device *d = open_device(target, NULL, &config, &t);
    mpu_vector *v = vector_of(d, N);
    products(d, v, 0, count);
    const uint64_t before = in_use();
    products(d, v, count, count);
    const uint64_t after = in_use();
    assert_true(after < before + ((uint64_t)3 << 20));
    mpu_vector_release(v);
    close_device(d, t);
}

static void bounded(void **state) {
    (void)state;
    is_bounded("racer", 120);
    is_bounded("mimdram", 120);
}

/* Subroutines of ever new programs, and programs of ever new forms. */
static void libraries(void **state) {
    const mpu_config config = {.size = sizeof config, .device_bytes = 1 << 16, .threads = 1};
    mpu_target *t;
    mpu_error *e = NULL;
    mpu_device *d = open_device("golden", NULL, &config, &t);
    mpu_vector *v = vector_of(d, N);
    uint64_t sum = 0, before = 0;
    (void)state;
    for (uint32_t k = 0; k < 120; k++) {
        char text[80];
        mpu_source *s = mpu_source_new(NULL);
        mpu_source_set_parts(s);
        int size = snprintf(text, sizeof text, "sub f(x: i16): i16 { return x + %u; }", 100 + k);
        mpu_source_add_text(s, "parts.ez", text, (size_t)size);
        mpu_program *p = mpu_source_build(s, &e);
        take_in(mpu_call(d, p, "f", N, &(mpu_operand){v, 0}, 1, &e), &sum);
        mpu_program_free(p);
        mpu_source_free(s);
        before = k == 60 ? in_use() : before;
    }
    assert_true(in_use() < before + (1 << 19));
    mpu_vector_release(v);
    close_device(d, t);
}

/* Keys that were not asked for of late are forgotten; others are known, and new but once. */
static void memo(void **state) {
    struct device_memo m = {0};
    const char often[] = "often";
    uint64_t value;
    (void)state;
    assert_true(device_memo_put(&m, often, sizeof often, 7));
    for (uint64_t k = 0; k < 3 * (uint64_t)DEVICE_MEMO; k++) {
        assert_true(device_memo_put(&m, (const char *)&k, sizeof k, k));
        assert_false(device_memo_put(&m, (const char *)&k, sizeof k, k));
        if (k % 1000 == 0)
            assert_true(device_memo_get(&m, often, sizeof often, &value) && value == 7);
        assert_true(m.young.len + m.old.len <= 2 * (uint64_t)DEVICE_MEMO);
    }
    for (uint64_t k = 0; k < DEVICE_MEMO / 2; k += 100) {
        const uint64_t late = 3 * (uint64_t)DEVICE_MEMO - 1 - k;
        assert_false(device_memo_get(&m, (const char *)&k, sizeof k, &value));
        assert_true(device_memo_get(&m, (const char *)&late, sizeof late, &value) && value == late);
    }
    device_memo_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_nothing),
        cmocka_unit_test(bounded),
        cmocka_unit_test(libraries),
        cmocka_unit_test(memo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
