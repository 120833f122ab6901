/* SPDX-License-Identifier: MIT */
#include "tests/places/programs.h"

#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define N 20000
#define LINE(name, type)                                                                           \
    name, MPU_##type, 1, {                                                                         \
        N                                                                                          \
    }

const struct place_program place_programs[PLACE_PROGRAMS] = {
    {"none", N, {{LINE("x", U32)}, {LINE("y", U32)}}, "z"},
    {"halve", N, {{LINE("x", U32)}}, "steps"},
    {"two-groups", 0, {{LINE("x", U32)}, {"y", MPU_U32, 1, {3000}}}, "y"},
    {"shift", N, {{LINE("x", U32)}}, "y"},
    {"far-shift", N, {{LINE("x", U16)}}, "x"},
    {"reverse", N, {{LINE("x", U32)}}, "y"},
    {"transposed", 0, {{"x", MPU_U16, 2, {120, 160}}}, "y"},
    {"halves", 0, {{LINE("x", U32)}}, "s"},
    {"rows", 0, {{"a", MPU_U16, 2, {4, 8000}}}, "s"},
    {"stencil", N, {{LINE("t", I32)}}, "t"},
    {"thin-stencil", N, {{LINE("t", U8)}}, "t"},
    {"plate", 0, {{"t", MPU_U16, 2, {100, 200}}}, "t"},
    {"late-moves", N, {{LINE("x", U32)}}, "x"},
    {"total", N, {{LINE("x", U16)}}, "s"},
    {"sums", N, {{LINE("x", U16)}}, "s"},
    {"running", N, {{LINE("x", U8)}}, "y"},
    {"pack", N, {{LINE("x", U16)}}, "y"},
    {"settle", N, {{LINE("x", U16)}}, "x"},
    {"ring", 5000, {{"x", MPU_U16, 2, {2, 5000}}}, "x"},
    {"letters", 5000, {{"x", MPU_U32, 2, {2, 5000}}}, "sum"},
};

mpu_program *place_load(const struct place_program *x) {
    char path[4096];
    mpu_error *e = NULL;
    snprintf(path, sizeof path, MPU_SOURCE_DIR "/tests/places/programs/%s.ez", x->name);
    mpu_program *p = mpu_program_load_file(path, &e);
    need(p != NULL, x->name, e);
    return p;
}

static void put_input(mpu_session *s, const struct place_input *in) {
    uint64_t count = in->ndim > 1 ? in->shape[0] * in->shape[1] : in->shape[0], state = 1;
    uint32_t *data = xcalloc(count, sizeof *data); /* of the widest type: fewer bytes are taken */
    mpu_array a = {.type = in->type, .ndim = in->ndim, .data = data};
    mpu_error *e = NULL;
    for (uint32_t d = 0; d < in->ndim; d++)
        a.shape[d] = in->shape[d];
    for (uint64_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data[i] = (uint32_t)(state >> 32);
    }
    need(mpu_session_put(s, in->name, &a, &e) == MPU_OK, in->name, e);
    free(data);
}

mpu_session *place_run(const struct place_program *x, const mpu_program *p, const mpu_target *t,
                       const char *place) {
    const mpu_config config = {.size = sizeof config, .place = place, .finish = "device"};
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, x->name, e);
    if (x->n)
        need(mpu_session_bind_size(s, "n", x->n, &e) == MPU_OK, x->name, e);
    for (size_t i = 0; i < PLACE_INPUTS && x->in[i].name; i++)
        put_input(s, &x->in[i]);
    need(mpu_session_run(s, &e) == MPU_OK, x->name, e);
    return s;
}
