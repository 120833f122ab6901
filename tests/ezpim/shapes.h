/* SPDX-License-Identifier: MIT
 * Programs about the elements of one group along a dimension, or all of them, for tests that
 * compare with plain C: their extents and what is put in. */
#ifndef TESTS_EZPIM_SHAPES_H
#define TESTS_EZPIM_SHAPES_H

#include "runtime/include/mpu/mpu.h"
#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

#define SHAPE_ALL UINT32_MAX
enum { SHAPE_MPUS = 3, SHAPE_MOST_DIMS = 3 };

struct shape {
    uint32_t ndim;
    uint64_t extent[SHAPE_MOST_DIMS];
};

/* Extents are sizes or numbers, and each MPU may have its own elements. */
struct shape_form {
    struct shape shape;
    uint32_t axis; /* or SHAPE_ALL */
    bool sizes, on_mpus;
};

/* "[n0, n1] on ring;", one dimension left out (SHAPE_ALL: none). */
void shape_put_extents(struct str *s, const struct shape_form *f, uint32_t without);
/* The sizes, group g and its input x of i16. */
void shape_put_head(struct str *s, const struct shape_form *f);

/* Of extents first .. last - 1. */
uint64_t shape_product(const struct shape *s, uint32_t first, uint32_t last);
/* Of group g, in all MPUs. */
uint64_t shape_elements(const struct shape_form *f);

/* The elements that are looked at together: from the first on, `step` apart. */
struct shape_line {
    const int16_t *x;
    uint64_t first, step, count;
};
uint64_t shape_lines(const struct shape_form *f);
struct shape_line shape_line(const struct shape_form *f, const int16_t *x, uint64_t number);
static inline int16_t shape_at(const struct shape_line *l, uint64_t i) {
    return l->x[l->first + i * l->step];
}

/* Small values of both signs for x; free them. */
int16_t *shape_values(const struct shape_form *f);
/* The program after it ran with these. */
mpu_session *shape_run(const mpu_program *p, mpu_target *t, const struct shape_form *f,
                       const int16_t *x);
mpu_array shape_get(mpu_session *s, const char *name);
int64_t shape_value(const mpu_array *a, uint64_t i);

/* golden, racer, mimdram, duality-cache */
enum { SHAPE_TARGETS = 4 };
void shape_open_targets(mpu_target **targets);
void shape_close_targets(mpu_target **targets);

#endif
