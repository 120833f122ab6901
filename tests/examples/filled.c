/* SPDX-License-Identifier: MIT
 * The kernels, their made-up data, and what some of them have to give. */
#include "tests/examples/filled.h"

#include "support/alloc.h"
#include "tests/examples/arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what kernels that are no examples have to give ---- */

static int64_t i16_of(const unsigned char *data, uint64_t i) {
    int16_t value;
    memcpy(&value, data + i * sizeof value, sizeof value);
    return value;
}

static int64_t u16_of(const unsigned char *data, uint64_t i) {
    return (uint16_t)i16_of(data, i);
}

static int64_t root_of(uint64_t x) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= x)
            root |= bit;
    return (int64_t)root;
}

static int64_t manhattan(const struct filled_data *d, uint64_t i) {
    int64_t sum = 0;
    for (uint64_t k = 0; k < 8; k++)
        sum += llabs(i16_of(d->in[1], 8 * i + k) - i16_of(d->in[0], k));
    return sum;
}

static int64_t euclidean(const struct filled_data *d, uint64_t i) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < 4; k++) {
        int64_t x = i16_of(d->in[1], 4 * i + k) - i16_of(d->in[0], k);
        sum += (uint64_t)(x * x);
    }
    return root_of((uint32_t)sum);
}

static int64_t isqrt(const struct filled_data *d, uint64_t i) {
    uint32_t x;
    memcpy(&x, d->in[0] + i * sizeof x, sizeof x);
    return root_of(x);
}

static int64_t nested(const struct filled_data *d, uint64_t i) {
    int64_t x = i16_of(d->in[0], i), y = i16_of(d->in[1], i), z = x * y;
    if (x > 0 && y > 0)
        return x > y ? z / y : z % x;
    if (x > 0)
        return z - x * x;
    return y > x ? z + y * y : -z;
}

static int64_t triangle(const struct filled_data *d, uint64_t i) {
    int64_t a = u16_of(d->in[0], i), b = u16_of(d->in[1], i), c = u16_of(d->in[2], i);
    int same = (a == b) + (b == c) + (a == c);
    if (a + b <= c || b + c <= a || a + c <= b)
        return 0;
    return same == 3 ? 3 : 1 + same;
}

/* The element so many places away in a picture; 0 outside. */
static int64_t near(const struct filled_data *d, unsigned in, uint64_t i, int64_t down,
                    int64_t right) {
    int64_t row = (int64_t)(i / d->columns) + down, column = (int64_t)(i % d->columns) + right;
    if (row < 0 || column < 0 || row >= (int64_t)d->rows || column >= (int64_t)d->columns)
        return 0;
    return i16_of(d->in[in], (uint64_t)row * d->columns + (uint64_t)column);
}

static int64_t blur(const struct filled_data *d, uint64_t i) {
    int64_t sum = 0;
    for (int64_t y = -1; y <= 1; y++)
        for (int64_t x = -1; x <= 1; x++)
            sum += near(d, 0, i, y, x) * (2 - y * y) * (2 - x * x);
    return sum >> 4;
}

static int64_t convolution(const struct filled_data *d, uint64_t i) {
    int64_t sum = 0;
    for (int64_t k = 0; k < 9; k++)
        sum += near(d, 1, i, k / 3 - 1, k % 3 - 1) * i16_of(d->in[0], (uint64_t)k);
    return sum;
}

/* ---- the kernels ---- */

#define KERNELS "/../tests/examples/kernels"

const struct filled filled_list[FILLED] = {
    {.program = "axpy.ez",
     .in = {{"a", MPU_I32, 0, 0, 0}, {"x", MPU_I32, 1, 0, 0}, {"y", MPU_I32, 1, 0, 0}}},
    {.program = "dot.ez", .in = {{"a", MPU_I16, 8, 0, 0}, {"b", MPU_I16, 8, 0, 0}}},
    {.program = "poly.ez", .in = {{"x", MPU_I32, 1, 65536, 0}}},
    {.program = "popcount.ez", .in = {{"x", MPU_U64, 1, 0, 0}}},
    {.folder = KERNELS,
     .program = "manhattan.ez",
     .fits = true,
     .in = {{"centre", MPU_I16, 0, 0, 8}, {"point", MPU_I16, 8, 0, 0}},
     .out = "distance",
     .expected = manhattan},
    {.folder = KERNELS, .program = "softmax.ez", .fits = true, .in = {{"x", MPU_I32, 1, 0, 0}}},
    {.folder = KERNELS,
     .program = "nested.ez",
     .group = FILLED_BRANCH,
     .in = {{"x", MPU_I16, 1, 0, 0}, {"y", MPU_I16, 1, 0, 0}},
     .out = "z",
     .expected = nested},
    {.folder = KERNELS,
     .program = "triangle.ez",
     .group = FILLED_BRANCH,
     .in = {{"a", MPU_U16, 1, 8, 0}, {"b", MPU_U16, 1, 8, 0}, {"c", MPU_U16, 1, 8, 0}},
     .out = "kind",
     .expected = triangle},
    {.folder = KERNELS,
     .program = "blur.ez",
     .group = FILLED_STENCIL,
     .picture = true,
     .in = {{"pixel", MPU_U16, 1, 4096, 0}},
     .out = "soft",
     .expected = blur},
    {.folder = KERNELS,
     .program = "conv.ez",
     .group = FILLED_STENCIL,
     .picture = true,
     .in = {{"weight", MPU_I16, 0, 100, 9}, {"pixel", MPU_I16, 1, 0, 0}},
     .out = "sum",
     .expected = convolution},
    {.program = "life.ez",
     .group = FILLED_STENCIL,
     .picture = true,
     .in = {{"start", MPU_U8, 1, 2, 0}}},
    {.program = "collatz.ez", .group = FILLED_COMPLEX, .in = {{"x", MPU_U32, 1, 1000, 0}}},
    {.program = "factor.ez", .group = FILLED_COMPLEX, .in = {{"x", MPU_U16, 1, 4096, 0}}},
    {.program = "crc32.ez",
     .group = FILLED_COMPLEX,
     .fits = true,
     .in = {{"length", MPU_U8, 1, 17, 0}, {"message", MPU_U8, 16, 0, 0}}},
    {.folder = KERNELS,
     .program = "isqrt.ez",
     .group = FILLED_COMPLEX,
     .fits = true,
     .in = {{"x", MPU_U32, 1, 0, 0}},
     .out = "root",
     .expected = isqrt},
    {.folder = KERNELS,
     .program = "euclidean.ez",
     .group = FILLED_COMPLEX,
     .fits = true,
     .in = {{"centre", MPU_I16, 0, 4096, 4}, {"point", MPU_I16, 4, 4096, 0}},
     .out = "distance",
     .expected = euclidean},
};

/* ---- data ---- */

static size_t size_of(mpu_type type) {
    switch (type) {
    case MPU_U64:
    case MPU_I64:
        return 8;
    case MPU_I32:
    case MPU_U32:
        return 4;
    case MPU_I16:
    case MPU_U16:
        return 2;
    default:
        return 1;
    }
}

/* Numerical Recipes' quick generator, the upper half. */
static uint64_t next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 32 | *state << 32;
}

/* Rows of a picture of n elements, twice as wide as high or square: n is a power of two. */
static uint64_t rows_of(uint64_t n) {
    uint64_t rows = 1;
    while (4 * rows * rows <= n)
        rows *= 2;
    return rows;
}

static void shape_of(const struct filled *x, const struct filled_input *in, uint64_t n,
                     mpu_array *a) {
    if (in->each && x->picture)
        a->shape[a->ndim++] = rows_of(n);
    if (in->each)
        a->shape[a->ndim++] = x->picture ? n / rows_of(n) : n;
    if (in->each > 1 || in->all)
        a->shape[a->ndim++] = in->each ? in->each : in->all;
}

/* The values, which the caller frees. */
static unsigned char *put_input(mpu_session *s, const struct filled *x, size_t which, uint64_t n) {
    const struct filled_input *in = &x->in[which];
    uint64_t count = in->each ? n * in->each : in->all ? in->all : 1, state = which + 1;
    size_t size = size_of(in->type);
    unsigned char *data = xcalloc(count, size);
    mpu_array a = {.type = in->type, .data = data};
    mpu_error *e = NULL;
    shape_of(x, in, n, &a);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = next(&state);
        value = in->below ? value % in->below : value;
        memcpy(data + i * size, &value, size); /* little-endian, like every array here */
    }
    need(mpu_session_put(s, in->name, &a, &e) == MPU_OK, in->name, e);
    return data;
}

/* The output as the expected number's bits. */
static void check_output(mpu_session *s, const struct filled *x, const struct filled_data *data,
                         uint64_t n) {
    mpu_array a = {0};
    mpu_error *e = NULL;
    need(mpu_session_get(s, x->out, &a, &e) == MPU_OK, x->out, e);
    size_t size = size_of(a.type);
    for (uint64_t i = 0; i < n; i++) {
        int64_t expected = x->expected(data, i);
        if (memcmp((const unsigned char *)a.data + i * size, &expected, size) != 0)
            fail_msg("%s: %s[%llu] is not %lld", x->program, x->out, (unsigned long long)i,
                     (long long)expected);
    }
    mpu_array_free(&a);
}

mpu_session *filled_run(const struct filled *x, const mpu_program *p, const mpu_target *t,
                        uint64_t n) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .place = "packed"};
    struct filled_data data = {.rows = rows_of(n), .columns = n / rows_of(n)};
    unsigned char *own[FILLED_INPUTS] = {NULL};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, x->program, e);
    for (size_t i = 0; i < FILLED_INPUTS && x->in[i].name; i++)
        data.in[i] = own[i] = put_input(s, x, i, n);
    need(mpu_session_run(s, &e) == MPU_OK, x->program, e);
    if (x->expected)
        check_output(s, x, &data, n);
    for (size_t i = 0; i < FILLED_INPUTS; i++)
        free(own[i]);
    return s;
}
