/* SPDX-License-Identifier: MIT */
#include "tests/examples/filled.h"

#include "support/alloc.h"
#include "tests/examples/arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct filled filled_list[FILLED] = {
    {"axpy.ez", {{"a", MPU_I32, 0, 0}, {"x", MPU_I32, 1, 0}, {"y", MPU_I32, 1, 0}}},
    {"popcount.ez", {{"x", MPU_U64, 1, 0}}},
    {"dot.ez", {{"a", MPU_I16, 8, 0}, {"b", MPU_I16, 8, 0}}},
    {"poly.ez", {{"x", MPU_I32, 1, 65536}}},
    {"collatz.ez", {{"x", MPU_U32, 1, 1000}}},
    {"factor.ez", {{"x", MPU_U16, 1, 0}}},
    {"crc32.ez", {{"length", MPU_U8, 1, 17}, {"message", MPU_U8, 16, 0}}},
};

static size_t size_of(mpu_type type) {
    switch (type) {
    case MPU_U64:
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

static void put_input(mpu_session *s, const struct filled_input *in, uint64_t n) {
    uint64_t count = in->each ? n * in->each : 1, state = 1;
    size_t size = size_of(in->type);
    unsigned char *data = xcalloc(count, size);
    mpu_array a = {.type = in->type, .ndim = in->each > 1 ? 2 : in->each != 0, .data = data};
    mpu_error *e = NULL;
    a.shape[0] = n;
    a.shape[1] = in->each;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = next(&state);
        value = in->below ? value % in->below : value;
        memcpy(data + i * size, &value, size); /* little-endian, like every array here */
    }
    need(mpu_session_put(s, in->name, &a, &e) == MPU_OK, in->name, e);
    free(data);
}

mpu_session *filled_run(const struct filled *x, const mpu_program *p, const mpu_target *t,
                        uint64_t n) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config, .place = "packed"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, x->program, e);
    for (size_t i = 0; i < FILLED_INPUTS && x->in[i].name; i++)
        put_input(s, &x->in[i], n);
    need(mpu_session_run(s, &e) == MPU_OK, x->program, e);
    return s;
}
