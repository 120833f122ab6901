/* SPDX-License-Identifier: MIT
 * Numbers that change from call to call are data of programs: scalars, ranges of folds, places of
 * slices, elements that are put.  What is counted is programs and copies, never time. */
#include "tests/draws.h"
#include "random_graph.h"

#include <stdlib.h>
#include <string.h>

static const mpu_vtype i32 = {MPU_KIND_INT, 32};

static mpu_vector *vector_of(mpu_device *device, mpu_vtype type, uint64_t n, const void *data) {
    mpu_error *e = NULL;
    mpu_vector *v = mpu_vector_new(device, type, n, &e);
    if (!v)
        fail_msg("%s", mpu_error_text(e));
    fine(mpu_vector_put(v, 0, n, data, &e), e);
    return v;
}

/* ---- scalars ---- */

enum { LANES = 5 };

static const mpu_vtype types[] = {{MPU_KIND_UINT, 8},   {MPU_KIND_INT, 16},   {MPU_KIND_INT, 32},
                                  {MPU_KIND_UINT, 64},  {MPU_KIND_INT, 23},   {MPU_KIND_FLOAT, 16},
                                  {MPU_KIND_FLOAT, 32}, {MPU_KIND_BFLOAT, 16}};
static const mpu_op ops[] = {MPU_OP_ADD, MPU_OP_SUB, MPU_OP_MUL, MPU_OP_MIN,
                             MPU_OP_LT,  MPU_OP_EQ,  MPU_OP_XOR};
enum { TYPES = sizeof types / sizeof *types, OPS = sizeof ops / sizeof *ops };

/* Of 64 bits, whatever the type has: what is above its width does not count. */
static uint64_t random_scalar(struct play *play) {
    uint64_t bits = graph_roll(play, UINT64_MAX);
    switch (graph_roll(play, 8)) {
    case 0:
        return bits % 9 - 4;
    case 1:
        return UINT64_C(1) << bits % 64;
    case 2:
        return bits % 300;
    default:
        return bits;
    }
}

static void one_scalar(struct play *play, const mpu_vector *v, const uint64_t *x, mpu_vtype type) {
    mpu_op op = ops[graph_roll(play, graph_is_float(type) ? OPS - 1 : OPS)];
    const uint64_t scalar = random_scalar(play), bits = scalar & low_bits(type.bits);
    const bool left = graph_roll(play, 2), truth = op == MPU_OP_LT || op == MPU_OP_EQ;
    const mpu_vtype of = truth ? (mpu_vtype){MPU_KIND_BOOL, 1} : type;
    const mpu_operand operands[] = {{left ? NULL : v, left ? scalar : 0},
                                    {left ? v : NULL, left ? 0 : scalar}};
    struct mirror m = {.v = mpu_apply(play->d, op, type, LANES, operands, 2, &play->e),
                       .type = of,
                       .x = calloc(LANES, sizeof *m.x),
                       .made_by = "scalar"};
    if (!m.v)
        fail_msg("%s", mpu_error_text(play->e));
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t both[3] = {left ? bits : x[i], left ? x[i] : bits};
        m.x[i] = graph_result(op, type, type, both) & low_bits(of.bits);
    }
    graph_check(play, &m);
    graph_drop(&m);
}

/* All operations with the scalar on either side: so many shapes, with as many programs of numbers
 * that have some of their own as there may be. */
static void draw_scalars(const char *target, unsigned count) {
    const mpu_config config = {.size = sizeof config, .threads = 1};
    mpu_target *t;
    mpu_device *d = open_device(target, NULL, &config, &t);
    struct play p = {.d = d, .n = LANES, .seed = 20};
    for (unsigned k = 0; k < TYPES; k++) {
        struct mirror m = {.v = NULL};
        graph_fill(&p, &m, types[k]);
        for (unsigned i = 0; i < count / TYPES; i++)
            one_scalar(&p, m.v, m.x, types[k]);
        graph_drop(&m);
    }
    assert_true(figure(d, "graph.programs") <= TYPES * OPS * 2 * 17);
    close_device(d, t);
}

static void scalars(void **state) {
    (void)state;
    draw_scalars("racer", (unsigned)draws(DRAWS_DEVICE_SCALARS));
    draw_scalars("mimdram", (unsigned)draws(DRAWS_DEVICE_SCALARS) / 4);
    draw_scalars("duality-cache", (unsigned)draws(DRAWS_DEVICE_SCALARS) / 4);
    draw_scalars("pypim", (unsigned)draws(DRAWS_DEVICE_SCALARS) / 10);
}

/* The product by a number, as a device does it that has done nothing else. */
static uint64_t product_ps(mpu_device *device, mpu_vector *v, uint32_t number) {
    mpu_error *e = NULL;
    const uint64_t before = figure(device, "total.time_ps"),
                   uops = figure(device, "total.micro_ops");
    mpu_vector *z =
        mpu_apply(device, MPU_OP_MUL, i32, LANES, (mpu_operand[]){{v, 0}, {NULL, number}}, 2, &e);
    fine(mpu_device_flush(device, &e), e);
    mpu_vector_release(z);
    return (figure(device, "total.time_ps") - before) * 31 + figure(device, "total.micro_ops") -
           uops;
}

/* What a number costs does not depend on those before it. */
static void plain_costs(void **state) {
    static const char *const targets[] = {"racer", "mimdram", "duality-cache", "pypim"};
    const int32_t data[LANES] = {3, -7, 100000, 5, 0};
    (void)state;
    for (unsigned k = 0; k < sizeof targets / sizeof *targets; k++) {
        mpu_target *t, *other;
        mpu_device *d = open_device(targets[k], NULL, NULL, &t);
        mpu_vector *v = vector_of(d, i32, LANES, data);
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t number = 0x9e3779b9u * (i + 3);
            mpu_device *alone = open_device(targets[k], NULL, NULL, &other);
            mpu_vector *x = vector_of(alone, i32, LANES, data);
            (void)product_ps(d, v, number); /* recipe tables have it then */
            (void)product_ps(alone, x, number);
            assert_int_equal(product_ps(d, v, number), product_ps(alone, x, number));
            mpu_vector_release(x);
            close_device(alone, other);
        }
        assert_int_equal(figure(d, "graph.programs"), 1);
        mpu_vector_release(v);
        close_device(d, t);
    }
}

/* ---- ranges of folds, places of slices ---- */

enum { ELEMENTS = 300 };

static int64_t folded(mpu_op op, const int32_t *x, uint64_t n) {
    int64_t y = x[0];
    for (uint64_t i = 1; i < n; i++)
        y = op == MPU_OP_ADD   ? (int32_t)((uint32_t)y + (uint32_t)x[i])
            : op == MPU_OP_MIN ? (x[i] < y ? x[i] : y)
            : op == MPU_OP_MAX ? (x[i] > y ? x[i] : y)
                               : (y ^ x[i]);
    return y;
}

static void draw_ranges(const char *target, const char *finish, unsigned count) {
    static const mpu_op of[] = {MPU_OP_ADD, MPU_OP_MIN, MPU_OP_MAX, MPU_OP_XOR};
    const mpu_config config = {.size = sizeof config, .finish = finish, .threads = 1};
    mpu_target *t;
    mpu_error *e = NULL;
    int32_t data[ELEMENTS], got;
    mpu_device *d = open_device(target, NULL, &config, &t);
    struct play p = {.d = d, .seed = 4};
    uint64_t bytes = 0;
    for (unsigned i = 0; i < ELEMENTS; i++)
        data[i] = (int32_t)graph_roll(&p, UINT64_MAX);
    mpu_vector *v = vector_of(d, i32, ELEMENTS, data);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t first = graph_roll(&p, ELEMENTS - 2),
                       n = 2 + graph_roll(&p, ELEMENTS - first - 2);
        mpu_vector *z = mpu_fold(v, of[i % 4], i32, first, n, n, &e);
        assert_non_null(z);
        fine(mpu_vector_get(z, 0, 1, &got, &e), e);
        assert_int_equal(got, folded(of[i % 4], data + first, n));
        mpu_vector_release(z);
        bytes += 4 * (n + 1);
    }
    assert_true(figure(d, "graph.programs") <= 4);
    const bool known = strcmp(target, "golden") != 0;   /* what the host's link takes */
    if (known && finish && strcmp(finish, "host") == 0) /* that range alone, and the result */
        assert_int_equal(figure(d, "host.bytes_out"), bytes);
    else if (known && finish)
        assert_int_equal(figure(d, "host.bytes_out"), 4 * count);
    mpu_vector_release(v);
    close_device(d, t);
}

static void ranges(void **state) {
    static const char *const targets[] = {"racer", "mimdram", "duality-cache", "pypim", "golden"};
    const unsigned count = (unsigned)draws(DRAWS_DEVICE_RANGES);
    (void)state;
    for (unsigned k = 0; k < sizeof targets / sizeof *targets; k++) {
        draw_ranges(targets[k], NULL, count);
        draw_ranges(targets[k], "host", count / 10);
        draw_ranges(targets[k], "device", count / 50);
    }
}

/* Windows of one length, also beyond the ends. */
static void slices(void **state) {
    enum { LENGTH = 20 };
    mpu_target *t;
    mpu_error *e = NULL;
    int32_t data[ELEMENTS], got[LENGTH];
    mpu_device *d = open_device("mimdram", NULL, NULL, &t);
    (void)state;
    for (int i = 0; i < ELEMENTS; i++)
        data[i] = i * i + 1;
    mpu_vector *v = vector_of(d, i32, ELEMENTS, data);
    for (int at = -LENGTH; at < ELEMENTS; at += 3) {
        mpu_vector *z = mpu_move(v, &(mpu_dim){LENGTH, 1}, 1, at, 0, 0, &e);
        assert_non_null(z);
        fine(mpu_vector_get(z, 0, LENGTH, got, &e), e);
        for (int i = 0; i < LENGTH; i++)
            assert_int_equal(got[i], at + i < 0 || at + i >= ELEMENTS ? 0 : data[at + i]);
        mpu_vector_release(z);
    }
    assert_int_equal(figure(d, "graph.programs"), 1);
    mpu_vector_release(v);
    close_device(d, t);
}

/* ---- puts that wait ---- */

enum { ROUNDS = 64, TIMES = 8, ROW = 128 };

static void set(mpu_vector *dst, mpu_vector *value) {
    mpu_error *e = NULL;
    assert_non_null(value);
    fine(mpu_vector_set(dst, value, &e), e);
    mpu_vector_release(value);
}

/* A row times a column of factors: a put for each factor, and no get before the end. */
static void multiply(mpu_device *device, const uint32_t *matrix, const uint32_t *factors) {
    mpu_error *e = NULL;
    const uint32_t zeros[ROW] = {0};
    uint32_t got[ROW];
    mpu_vector *x = vector_of(device, i32, ROW, zeros), *y = vector_of(device, i32, ROW, zeros),
               *sum = vector_of(device, i32, ROW, zeros);
    set(sum, mpu_apply(device, MPU_OP_COPY, i32, ROW, &(mpu_operand){NULL, 0}, 1, &e));
    for (unsigned k = 0; k < ROUNDS; k++) {
        fine(mpu_vector_put(x, 0, ROW, matrix + (size_t)k * ROW, &e), e);
        set(y, mpu_apply(device, MPU_OP_MUL, i32, ROW, (mpu_operand[]){{x, 0}, {NULL, factors[k]}},
                         2, &e));
        set(sum, mpu_apply(device, MPU_OP_ADD, i32, ROW, (mpu_operand[]){{y, 0}, {sum, 0}}, 2, &e));
    }
    fine(mpu_vector_get(sum, 0, ROW, got, &e), e);
    for (unsigned i = 0; i < ROW; i++) {
        uint32_t want = 0;
        for (unsigned k = 0; k < ROUNDS; k++)
            want += matrix[(size_t)k * ROW + i] * factors[k];
        assert_int_equal(got[i], want);
    }
    mpu_vector_release(x);
    mpu_vector_release(y);
    mpu_vector_release(sum);
}

static void put_in_turn(const char *target, uint32_t below) {
    mpu_target *t;
    struct play p = {.seed = 9};
    mpu_device *d = open_device(target, NULL, NULL, &t);
    uint32_t *matrix = calloc((size_t)ROUNDS * ROW, sizeof *matrix), factors[ROUNDS];
    for (unsigned i = 0; i < ROUNDS * ROW; i++)
        matrix[i] = (uint32_t)graph_roll(&p, UINT32_MAX);
    for (unsigned k = 0; k < TIMES; k++) {
        for (unsigned i = 0; i < ROUNDS; i++)
            factors[i] = (uint32_t)graph_roll(&p, below);
        multiply(d, matrix, factors);
    }
    assert_int_equal(figure(d, "graph.slab_copies"), 0);
    assert_int_equal(figure(d, "host.spills"), 0);
    assert_true(figure(d, "graph.programs") <= (below == UINT32_MAX ? 4 : 4 * 17));
    free(matrix);
    close_device(d, t);
}

static void puts_wait(void **state) {
    static const char *const targets[] = {"racer", "mimdram", "duality-cache", "pypim"};
    (void)state;
    for (unsigned k = 0; k < sizeof targets / sizeof *targets; k++) {
        put_in_turn(targets[k], UINT32_MAX);
        put_in_turn(targets[k], 10);
    }
}

/* What was recorded before a put reads what was there; what is read in between, and dropped. */
static void puts_in_order(void **state) {
    mpu_target *t;
    mpu_error *e = NULL;
    mpu_device *d = open_device("racer", NULL, NULL, &t);
    const int32_t first[3] = {1, 2, 3}, second[3] = {10, 20, 30}, third[3] = {-1, -2, -3};
    int32_t got[3];
    (void)state;
    mpu_vector *x = vector_of(d, i32, 3, first);
    mpu_vector *a = mpu_apply(d, MPU_OP_ADD, i32, 3, (mpu_operand[]){{x, 0}, {NULL, 7}}, 2, &e);
    fine(mpu_vector_put(x, 0, 3, second, &e), e);
    fine(mpu_vector_get(x, 1, 2, got, &e), e);
    assert_int_equal(got[0], 20);
    mpu_vector *b = mpu_apply(d, MPU_OP_ADD, i32, 3, (mpu_operand[]){{x, 0}, {a, 0}}, 2, &e);
    fine(mpu_vector_put(x, 0, 3, third, &e), e);
    fine(mpu_vector_put(x, 1, 1, second, &e), e);
    fine(mpu_vector_get(b, 0, 3, got, &e), e);
    assert_int_equal(got[0], 18);
    assert_int_equal(got[2], 40);
    fine(mpu_vector_get(x, 0, 3, got, &e), e);
    assert_true(got[0] == -1 && got[1] == 10 && got[2] == -3);
    fine(mpu_vector_get(a, 0, 3, got, &e), e);
    assert_int_equal(got[1], 9);
    mpu_vector_release(x);
    mpu_vector_release(a);
    mpu_vector_release(b);
    close_device(d, t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars), cmocka_unit_test(plain_costs), cmocka_unit_test(ranges),
        cmocka_unit_test(slices),  cmocka_unit_test(puts_wait),   cmocka_unit_test(puts_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
