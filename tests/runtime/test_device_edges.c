/* SPDX-License-Identifier: MIT
 * What a layer with PIMeval's calls relies on (docs/arrays.md): divisions by 0, shifts by the width
 * and beyond, the ends of types, and what becomes of a destination that is a source. */

#include <mpu/mpu.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const targets[] = {"golden", "racer", "mimdram", "duality-cache", "pypim"};
enum { TARGETS = sizeof targets / sizeof *targets };

static const mpu_vtype boolean = {MPU_KIND_BOOL, 1}, i8 = {MPU_KIND_INT, 8},
                       u8 = {MPU_KIND_UINT, 8};
static const mpu_vtype i16 = {MPU_KIND_INT, 16}, i32 = {MPU_KIND_INT, 32}, i64 = {MPU_KIND_INT, 64};

struct fixture {
    mpu_target *target;
    mpu_device *d;
    mpu_error *e;
};

static void fine(struct fixture *fixture, mpu_result result) {
    if (result != MPU_OK)
        fail_msg("%s", mpu_error_text(fixture->e));
}

static mpu_vector *made(struct fixture *fixture, mpu_vector *vector) {
    if (!vector)
        fail_msg("%s", mpu_error_text(fixture->e));
    return vector;
}

static struct fixture open_on(const char *name) {
    struct fixture f = {0};
    f.target = mpu_target_open(name, NULL, &f.e);
    if (!f.target)
        fail_msg("%s", mpu_error_text(f.e));
    f.d = mpu_device_open(f.target, NULL, &f.e);
    if (!f.d)
        fail_msg("%s", mpu_error_text(f.e));
    return f;
}

static void close_on(struct fixture *fixture) {
    mpu_device_close(fixture->d);
    mpu_target_close(fixture->target);
}

static mpu_vector *vector_of(struct fixture *fixture, mpu_vtype type, uint64_t n,
                             const void *data) {
    mpu_vector *v = made(fixture, mpu_vector_new(fixture->d, type, n, &fixture->e));
    fine(fixture, mpu_vector_put(v, 0, n, data, &fixture->e));
    return v;
}

static mpu_vector *two(struct fixture *fixture, mpu_op op, mpu_vtype type, mpu_vector *left,
                       mpu_operand right) {
    const mpu_operand x[] = {{left, 0}, right};
    return made(fixture, mpu_apply(fixture->d, op, type, mpu_vector_length(left), x,
                                   mpu_op_operands(op), &fixture->e));
}

static mpu_vector *cast(struct fixture *fixture, mpu_vtype type, mpu_vector *vector) {
    return two(fixture, MPU_OP_CAST, type, vector, (mpu_operand){0});
}

/* The elements, in their host form; releases the vector. */
static void expect(struct fixture *fixture, mpu_vector *vector, const void *want) {
    size_t size = mpu_vector_length(vector) * mpu_vtype_bytes(mpu_vector_type(vector));
    unsigned char *have = malloc(size + 1);
    fine(fixture, mpu_vector_get(vector, 0, mpu_vector_length(vector), have, &fixture->e));
    assert_memory_equal(have, want, size);
    free(have);
    mpu_vector_release(vector);
}

/* ---- every pair of 8 bits ---- */

enum { PAIRS = 65536 };

static int divide(int a, int b) {
    return b ? a / b : -1;
}

static int shift(int a, unsigned by, bool left) {
    return left ? by < 8 ? (int)((unsigned)a << by) : 0 : a >> (by < 31 ? by : 31);
}

static int pair_of(mpu_op op, int a, int b, unsigned by) {
    switch (op) {
    case MPU_OP_DIV:
        return divide(a, b);
    case MPU_OP_REM:
        return b ? a % b : a;
    case MPU_OP_SHL:
        return shift(a, by, true);
    case MPU_OP_SHR:
        return shift(a, by, false);
    case MPU_OP_LT:
        return a < b;
    case MPU_OP_GT:
        return a > b;
    case MPU_OP_EQ:
        return a == b;
    case MPU_OP_NE:
        return a != b;
    case MPU_OP_MIN:
        return a < b ? a : b;
    case MPU_OP_MAX:
        return a > b ? a : b;
    case MPU_OP_POPCOUNT:
        return __builtin_popcount((unsigned)a & 0xff);
    default: /* ABS */
        return a < 0 ? -a : a;
    }
}

/* Divisions by 0, the smallest by -1, shifts by 8 to 255, numbers of either sign. */
static void pairs(void **state) {
    static const mpu_op ops[] = {MPU_OP_DIV, MPU_OP_REM, MPU_OP_SHL, MPU_OP_SHR,
                                 MPU_OP_LT,  MPU_OP_GT,  MPU_OP_EQ,  MPU_OP_NE,
                                 MPU_OP_MIN, MPU_OP_MAX, MPU_OP_ABS, MPU_OP_POPCOUNT};
    uint8_t *x = malloc(PAIRS), *y = malloc(PAIRS), *want = malloc(PAIRS);
    (void)state;
    for (unsigned i = 0; i < PAIRS; i++) {
        x[i] = (uint8_t)i;
        y[i] = (uint8_t)(i >> 8);
    }
    for (unsigned t = 0; t < TARGETS; t++) {
        struct fixture f = open_on(targets[t]);
        for (unsigned sign = 0; sign < 2; sign++) {
            mpu_vtype type = sign ? i8 : u8;
            mpu_vector *a = vector_of(&f, type, PAIRS, x), *b = vector_of(&f, type, PAIRS, y);
            for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++) {
                for (unsigned i = 0; i < PAIRS; i++)
                    want[i] = (uint8_t)pair_of(ops[k], sign ? (int8_t)x[i] : x[i],
                                               sign ? (int8_t)y[i] : y[i], y[i]);
                expect(&f, two(&f, ops[k], type, a, (mpu_operand){b, 0}), want);
            }
            mpu_vector_release(a);
            mpu_vector_release(b);
        }
        close_on(&f);
    }
    free(x);
    free(y);
    free(want);
}

/* ---- 64 bits ---- */

static void long_ends(void **state) {
    static const int64_t x[4] = {INT64_MIN, INT64_MAX, -1, 5}, y[4] = {-1, INT64_MIN, 0, 0};
    (void)state;
    for (unsigned t = 0; t < 3; t++) {
        struct fixture f = open_on(targets[t]);
        mpu_vector *a = vector_of(&f, i64, 4, x), *b = vector_of(&f, i64, 4, y);
        mpu_operand right = {b, 0};
        expect(&f, two(&f, MPU_OP_DIV, i64, a, right), (const int64_t[]){INT64_MIN, 0, -1, -1});
        expect(&f, two(&f, MPU_OP_REM, i64, a, right), (const int64_t[]){0, INT64_MAX, -1, 5});
        expect(&f, two(&f, MPU_OP_LT, i64, a, right), (const uint8_t[]){1, 0, 1, 0});
        expect(&f, two(&f, MPU_OP_ABS, i64, a, right),
               (const int64_t[]){INT64_MIN, INT64_MAX, 1, 5});
        expect(&f, two(&f, MPU_OP_POPCOUNT, i64, a, right), (const int64_t[]){1, 63, 64, 2});
        expect(&f, two(&f, MPU_OP_SHR, i64, a, (mpu_operand){NULL, 64}),
               (const int64_t[]){-1, 0, -1, 0});
        expect(&f, two(&f, MPU_OP_SHL, i64, a, (mpu_operand){NULL, UINT64_MAX}),
               (const int64_t[]){0, 0, 0, 0});
        mpu_vector_release(a);
        mpu_vector_release(b);
        close_on(&f);
    }
}

/* ---- the calls of the table ---- */

/* PIMeval's scalars are not cut to the width: the comparison is made at 64 bits. */
static void scalars(struct fixture *fixture) {
    static const int8_t x[4] = {-5, 100, 127, -128};
    static const int32_t y[2] = {-5, 7};
    mpu_vector *a = vector_of(fixture, i8, 4, x), *wide = cast(fixture, i64, a);
    mpu_vector *least = two(fixture, MPU_OP_MIN, i64, wide, (mpu_operand){NULL, 200});
    mpu_vector *b = vector_of(fixture, i32, 2, y), *wider = cast(fixture, i64, b);
    expect(fixture, cast(fixture, i8, least), x);
    expect(fixture, two(fixture, MPU_OP_GT, i64, wide, (mpu_operand){NULL, 300}),
           (const uint8_t[]){0, 0, 0, 0});
    expect(fixture, two(fixture, MPU_OP_EQ, i64, wider, (mpu_operand){NULL, 0xfffffffb}),
           (const uint8_t[]){0, 0});
    /* At the type itself it is cut. */
    expect(fixture, two(fixture, MPU_OP_EQ, i32, b, (mpu_operand){NULL, 0xfffffffffffffffb}),
           (const uint8_t[]){1, 0});
    expect(fixture, two(fixture, MPU_OP_ADD, i8, a, (mpu_operand){NULL, 200}),
           (const int8_t[]){-61, 44, 71, 72});
    mpu_vector *const all[] = {a, wide, least, b, wider};
    for (unsigned k = 0; k < 5; k++)
        mpu_vector_release(all[k]);
}

/* Where the divisor is 0 the destination stays; the destination may be a source. */
static void destinations(struct fixture *fixture) {
    static const int16_t x[4] = {100, -7, 9, INT16_MIN}, y[4] = {7, 0, -2, -1};
    mpu_vector *a = vector_of(fixture, i16, 4, x), *b = vector_of(fixture, i16, 4, y);
    mpu_vector *quotient = two(fixture, MPU_OP_DIV, i16, a, (mpu_operand){b, 0});
    mpu_vector *some = two(fixture, MPU_OP_NE, i16, b, (mpu_operand){NULL, 0});
    const mpu_operand choice[] = {{some, 0}, {quotient, 0}, {a, 0}};
    mpu_vector *kept =
        made(fixture, mpu_apply(fixture->d, MPU_OP_SELECT, i16, 4, choice, 3, &fixture->e));
    fine(fixture, mpu_vector_set(a, kept, &fixture->e));
    expect(fixture, mpu_vector_retain(a), (const int16_t[]){14, -7, -4, INT16_MIN});
    mpu_vector *twice = two(fixture, MPU_OP_SUB, i16, a, (mpu_operand){a, 0});
    fine(fixture, mpu_vector_set(a, twice, &fixture->e));
    expect(fixture, mpu_vector_retain(a), (const int16_t[]){0, 0, 0, 0});
    /* A copy is a name: what is put into one of both does not change the other. */
    fine(fixture, mpu_vector_set(a, b, &fixture->e));
    fine(fixture, mpu_vector_put(b, 1, 1, &x[0], &fixture->e));
    expect(fixture, mpu_vector_retain(a), y);
    expect(fixture, mpu_vector_retain(b), (const int16_t[]){7, 100, -2, -1});
    mpu_vector *const all[] = {a, b, quotient, some, kept, twice};
    for (unsigned k = 0; k < 6; k++)
        mpu_vector_release(all[k]);
}

static mpu_vector *moved(struct fixture *fixture, mpu_vector *vector, int64_t offset, int wrap) {
    const mpu_dim all = {mpu_vector_length(vector), 1};
    return made(fixture, mpu_move(vector, &all, 1, offset, wrap, 0, &fixture->e));
}

static void elements(struct fixture *fixture) {
    static const int8_t x[5] = {-128, -128, 3, 127, -1};
    mpu_vector *a = vector_of(fixture, i8, 5, x);
    expect(fixture, moved(fixture, a, -1, 0), (const int8_t[]){0, -128, -128, 3, 127});
    expect(fixture, moved(fixture, a, -1, 1), (const int8_t[]){-1, -128, -128, 3, 127});
    expect(fixture, moved(fixture, a, 1, 0), (const int8_t[]){-128, 3, 127, -1, 0});
    expect(fixture, moved(fixture, a, 1, 1), (const int8_t[]){-128, 3, 127, -1, -128});
    expect(fixture, made(fixture, mpu_fold(a, MPU_OP_ADD, i64, 0, 5, 5, &fixture->e)),
           (const int64_t[]){-127});
    expect(fixture, made(fixture, mpu_fold(a, MPU_OP_MIN, i8, 2, 3, 3, &fixture->e)),
           (const int8_t[]){-1});
    expect(fixture, made(fixture, mpu_scan(a, MPU_OP_ADD, i8, &fixture->e)),
           (const int8_t[]){-128, 0, 3, -126, -127});
    mpu_vector *negative = two(fixture, MPU_OP_LT, i8, a, (mpu_operand){NULL, 0});
    expect(fixture, made(fixture, mpu_fold(negative, MPU_OP_ADD, i64, 0, 5, 5, &fixture->e)),
           (const int64_t[]){3});
    expect(fixture, two(fixture, MPU_OP_NOT, boolean, negative, (mpu_operand){0}),
           (const uint8_t[]){0, 0, 1, 1, 0});
    const mpu_operand pattern = {NULL, 0x1ff};
    expect(fixture,
           made(fixture, mpu_apply(fixture->d, MPU_OP_COPY, i8, 5, &pattern, 1, &fixture->e)),
           (const int8_t[]){-1, -1, -1, -1, -1});
    const mpu_operand bit[] = {{a, 0}, {negative, 0}, {NULL, 7}};
    expect(fixture, two(fixture, MPU_OP_BIT, i8, a, (mpu_operand){NULL, 7}),
           (const uint8_t[]){1, 1, 0, 0, 1});
    expect(fixture, made(fixture, mpu_apply(fixture->d, MPU_OP_SETBIT, i8, 5, bit, 3, &fixture->e)),
           x);
    mpu_vector_release(a);
    mpu_vector_release(negative);
}

static void table(void **state) {
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        struct fixture f = open_on(targets[t]);
        scalars(&f);
        destinations(&f);
        elements(&f);
        close_on(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs), cmocka_unit_test(long_ends),
                                       cmocka_unit_test(table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
