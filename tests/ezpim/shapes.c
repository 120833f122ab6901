/* SPDX-License-Identifier: MIT */
#include "tests/ezpim/shapes.h"
#include "tests/ezpim/build.h"

#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void shape_put_extents(struct str *s, const struct shape_form *f, uint32_t without) {
    const char *before = "[";
    for (uint32_t d = 0; d < f->shape.ndim; d++) {
        if (d == without)
            continue;
        if (f->sizes)
            str_printf(s, "%sn%u", before, d);
        else
            str_printf(s, "%s%u", before, (uint32_t)f->shape.extent[d]);
        before = ", ";
    }
    if (before[0] == '[')
        str_append(s, "[1");
    str_append(s, f->on_mpus ? "] on ring;\n" : "];\n");
}

void shape_put_head(struct str *s, const struct shape_form *f) {
    if (f->on_mpus)
        str_printf(s, "mpus ring[%u];\n", (unsigned)SHAPE_MPUS);
    for (uint32_t d = 0; d < f->shape.ndim && f->sizes; d++)
        str_printf(s, d ? "size n%u <= 4096;\n" : "size n%u;\n", d);
    str_append(s, "group g");
    shape_put_extents(s, f, SHAPE_ALL);
    str_append(s, "in x: i16 @ g;\n");
}

uint64_t shape_product(const struct shape *s, uint32_t first, uint32_t last) {
    uint64_t n = 1;
    for (uint32_t d = first; d < last; d++)
        n *= s->extent[d];
    return n;
}

uint64_t shape_elements(const struct shape_form *f) {
    return shape_product(&f->shape, 0, f->shape.ndim) * (f->on_mpus ? SHAPE_MPUS : 1);
}

uint64_t shape_lines(const struct shape_form *f) {
    return f->axis == SHAPE_ALL ? 1 : shape_elements(f) / f->shape.extent[f->axis];
}

struct shape_line shape_line(const struct shape_form *f, const int16_t *x, uint64_t number) {
    if (f->axis == SHAPE_ALL)
        return (struct shape_line){x, 0, 1, shape_elements(f)};
    uint64_t inner = shape_product(&f->shape, f->axis + 1, f->shape.ndim);
    uint64_t n = f->shape.extent[f->axis];
    return (struct shape_line){x, number / inner * inner * n + number % inner, inner, n};
}

int16_t *shape_values(const struct shape_form *f) {
    uint64_t n = shape_elements(f);
    int16_t *x = xcalloc(n, sizeof *x);
    for (uint64_t i = 0; i < n; i++)
        x[i] = (int16_t)((uint32_t)(i * 2654435761u + 77) >> 8) % 40;
    return x;
}

mpu_session *shape_run(const mpu_program *p, mpu_target *t, const struct shape_form *f,
                       const int16_t *x) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, NULL, &e);
    mpu_array a = {.type = MPU_I16, .data = (void *)(uintptr_t)x};
    if (!s)
        fail_with("session", e);
    if (f->on_mpus)
        a.shape[a.ndim++] = SHAPE_MPUS;
    for (uint32_t d = 0; d < f->shape.ndim; d++)
        a.shape[a.ndim++] = f->shape.extent[d];
    if (mpu_session_put(s, "x", &a, &e) != MPU_OK)
        fail_with("put", e);
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with("run", e);
    return s;
}

mpu_array shape_get(mpu_session *s, const char *name) {
    mpu_error *e = NULL;
    mpu_array a;
    if (mpu_session_get(s, name, &a, &e) != MPU_OK)
        fail_with(name, e);
    return a;
}

int64_t shape_value(const mpu_array *a, uint64_t i) {
    switch (a->type) {
    case MPU_BOOL:
        return ((const uint8_t *)a->data)[i];
    case MPU_I16:
        return ((const int16_t *)a->data)[i];
    case MPU_I32:
        return ((const int32_t *)a->data)[i];
    default:
        return ((const int64_t *)a->data)[i];
    }
}

static const char *const names[SHAPE_TARGETS] = {"golden", "racer", "mimdram", "duality-cache"};

void shape_open_targets(mpu_target **targets) {
    for (size_t i = 0; i < SHAPE_TARGETS; i++) {
        mpu_error *e = NULL;
        targets[i] = mpu_target_open(names[i], NULL, &e);
        if (!targets[i])
            fail_with(names[i], e);
    }
}

void shape_close_targets(mpu_target **targets) {
    for (size_t i = 0; i < SHAPE_TARGETS; i++)
        mpu_target_close(targets[i]);
}
