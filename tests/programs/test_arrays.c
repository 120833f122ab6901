/* SPDX-License-Identifier: MIT
 * Array programs (arrays/NAME.ez, and in Python NAME.py) against plain C, and what they move and
 * execute against the figures of programs that were written by hand for the machines: registers
 * moved on racer, mimdram and duality-cache, as the linker counts them, and micro-ops on racer.  At
 * most 1.2 times as many.  Programs without moves (elementwise/NAME.ez and NAME.py) execute as many
 * micro-ops in Python as in ezpim on each of them, and at most 2 % more.
 */
#include "runtime/include/mpu/mpu.h"
#include "support/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

enum { TARGETS = 3, MOST = 65536 };
static const char *const target_names[TARGETS] = {"racer", "mimdram", "duality-cache"};

/* Inputs and the output as 64-bit values. */
typedef void reference(const int64_t *x, const int64_t *other, int64_t *y);

static int64_t wrapped(int64_t v) {
    return (int32_t)(uint32_t)(uint64_t)v;
}

static void sum_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    y[0] = 0;
    for (unsigned i = 0; i < 65536; i++)
        y[0] = wrapped(y[0] + x[i]);
}

static void count_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    y[0] = 0;
    for (unsigned i = 0; i < 65536; i++)
        y[0] += x[i] == 7;
}

static void rows_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 256; i++) {
        y[i] = 0;
        for (unsigned j = 0; j < 64; j++)
            y[i] = wrapped(y[i] + x[64 * i + j]);
    }
}

static void columns_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned j = 0; j < 64; j++) {
        y[j] = 0;
        for (unsigned i = 0; i < 256; i++)
            y[j] = wrapped(y[j] + x[64 * i + j]);
    }
}

static void argmin_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 256; i++) {
        y[i] = 0;
        for (unsigned j = 1; j < 64; j++)
            y[i] = x[64 * i + j] < x[64 * i + y[i]] ? j : y[i];
    }
}

static void cumsum_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 256; i++)
        for (unsigned j = 0; j < 64; j++)
            y[64 * i + j] = wrapped(x[64 * i + j] + (j ? y[64 * i + j - 1] : 0));
}

static void gemv_of(const int64_t *x, const int64_t *other, int64_t *y) {
    for (unsigned i = 0; i < 1024; i++) {
        y[i] = 0;
        for (unsigned j = 0; j < 64; j++)
            y[i] = wrapped(y[i] + wrapped(x[64 * i + j] * other[j]));
    }
}

static void matmul_of(const int64_t *x, const int64_t *other, int64_t *y) {
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++) {
            y[64 * i + j] = 0;
            for (unsigned k = 0; k < 64; k++)
                y[64 * i + j] = wrapped(y[64 * i + j] + wrapped(x[64 * i + k] * other[64 * k + j]));
        }
}

static void conv_of(const int64_t *x, const int64_t *other, int64_t *y) {
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++) {
            int64_t sum = 0;
            for (unsigned n = 0; n < 9; n++)
                sum = wrapped(sum + wrapped(x[66 * (i + n / 3) + j + n % 3] * other[n]));
            y[64 * i + j] = sum;
        }
}

static void maxpool_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++) {
            int64_t most = INT64_MIN;
            for (unsigned n = 0; n < 4; n++) {
                int64_t v = x[128 * (2 * i + n / 2) + 2 * j + n % 2];
                most = v > most ? v : most;
            }
            y[64 * i + j] = most;
        }
}

static void roll_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 4096; i++)
        y[i] = x[(i + 4089) % 4096];
}

static void every2_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 2048; i++)
        y[i] = x[2 * i];
}

static void reverse_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 4096; i++)
        y[i] = x[4095 - i];
}

static void transpose_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 128; j++)
            y[64 * j + i] = x[128 * i + j];
}

static int by_value(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void sort_of(const int64_t *x, const int64_t *other, int64_t *y) {
    (void)other;
    memcpy(y, x, 1024 * sizeof *y);
    qsort(y, 1024, sizeof *y, by_value);
}

/* e^(-d / 2^16), 16 bits behind the point: 2^-n from t = d / ln 2 = n + i / 8 + f. */
static uint64_t exp_of(uint64_t d) {
    static const uint64_t root[8] = {65536, 60097, 55109, 50535, 46341, 42495, 38968, 35734};
    uint64_t t = d * 94548 >> 16, f = t & 0x1FFF;
    uint64_t p = 65536 - (f * (45423 - (f * 15280 >> 16)) >> 16);
    return (root[t >> 13 & 7] * p + 32768) >> 16 >> (t >> 16);
}

/* The arithmetic itself is off by a few units of 2^-16, each relative to the largest. */
static void check_softmax(const int64_t *x, int64_t top, const int64_t *y) {
    double total = 0;
    for (unsigned i = 0; i < 4096; i++)
        total += exp((double)(x[i] - top) / (1 << 28));
    for (unsigned i = 0; i < 4096; i++) {
        double want = exp((double)(x[i] - top) / (1 << 28)) / total, unit = 1 / (65536 * total);
        if (fabs((double)y[i] / 16777216 - want) > 3 * unit + want / 10000)
            fail_msg("softmax: element %u is %g, not %g", i, (double)y[i] / 16777216, want);
    }
}

static void softmax_of(const int64_t *x, const int64_t *other, int64_t *y) {
    int64_t top = x[0], total = 0;
    (void)other;
    for (unsigned i = 0; i < 4096; i++)
        top = x[i] > top ? x[i] : top;
    for (unsigned i = 0; i < 4096; i++)
        total += y[i] = (int64_t)exp_of((uint64_t)(top - x[i]) >> 12);
    for (unsigned i = 0; i < 4096; i++)
        y[i] = (y[i] << 24) / total;
    check_softmax(x, top, y);
}

struct input {
    const char *name; /* NULL: none */
    mpu_type type;
    uint32_t ndim;
    uint64_t shape[2];
};

static const struct program {
    const char *name;
    struct input x, other;
    const char *result;
    reference *compute;
    uint64_t moved[TARGETS], uops;
} programs[] = {
    {"sum", {"x", MPU_I32, 1, {65536}}, {0}, "s", sum_of, {1032, 141, 267}, 324048},
    {"count", {"x", MPU_U8, 1, {65536}}, {0}, "s", count_of, {1032, 141, 267}, 93752},
    {"rows", {"x", MPU_I32, 2, {256, 64}}, {0}, "y", rows_of, {288, 40, 72}, 79128},
    {"sum_rows", {"x", MPU_I32, 2, {256, 64}}, {0}, "y", rows_of, {288, 40, 72}, 79128},
    {"sum_columns", {"x", MPU_I32, 2, {256, 64}}, {0}, "y", columns_of, {255, 36, 66}, 80070},
    {"argmin", {"x", MPU_I32, 2, {256, 64}}, {0}, "y", argmin_of, {352, 52, 88}, 65672},
    {"cumsum", {"x", MPU_I32, 2, {256, 64}}, {0}, "y", cumsum_of, {576, 79, 640}, 159512},
    {"gemv",
     {"a", MPU_I32, 2, {1024, 64}},
     {"x", MPU_I32, 1, {64}},
     "y",
     gemv_of,
     {2176, 272, 544},
     7304288},
    {"matmul",
     {"a", MPU_I32, 2, {64, 64}},
     {"b", MPU_I32, 2, {64, 64}},
     "c",
     matmul_of,
     {9152, 1144, 2288},
     29567360},
    {"product_vector",
     {"a", MPU_I32, 2, {1024, 64}},
     {"x", MPU_I32, 1, {64}},
     "y",
     gemv_of,
     {2176, 272, 544},
     7304288},
    {"product",
     {"a", MPU_I32, 2, {64, 64}},
     {"b", MPU_I32, 2, {64, 64}},
     "c",
     matmul_of,
     {9152, 1144, 2288},
     29567360},
    {"sort", {"x", MPU_I32, 1, {1024}}, {0}, "y", sort_of, {896, 112, 224}, 824240},
    {"softmax", {"x", MPU_I32, 1, {4096}}, {0}, "y", softmax_of, {282, 72, 102}, 4849041},
    {"conv",
     {"x", MPU_I32, 2, {66, 66}},
     {"k", MPU_I32, 1, {9}},
     "y",
     conv_of,
     {599, 81, 291},
     4112960},
    {"maxpool", {"x", MPU_I32, 2, {128, 128}}, {0}, "y", maxpool_of, {256, 64, 128}, 66624},
    {"roll", {"x", MPU_I32, 1, {4096}}, {0}, "y", roll_of, {64, 8, 32}, 0},
    {"every2", {"x", MPU_I32, 1, {4096}}, {0}, "y", every2_of, {64, 8, 16}, 0},
    {"reverse", {"x", MPU_I32, 1, {4096}}, {0}, "y", reverse_of, {64, 8, 16}, 0},
    {"transpose", {"x", MPU_I32, 2, {64, 128}}, {0}, "y", transpose_of, {128, 16, 256}, 0},
};

static void need(bool good, const struct program *p, mpu_error *e) {
    if (!good)
        fail_msg("%s: %s", p->name, e ? mpu_error_text(e) : "?");
}

static int64_t element(const mpu_array *a, uint64_t i) {
    switch (a->type) {
    case MPU_I32:
        return ((const int32_t *)a->data)[i];
    case MPU_U32:
        return ((const uint32_t *)a->data)[i];
    case MPU_U64:
    case MPU_I64:
        return ((const int64_t *)a->data)[i];
    default:
        fail_msg("an array of another type");
        return 0;
    }
}

/* Made-up values, also as 64-bit ones. */
static void put(mpu_session *s, const struct program *p, const struct input *in, int64_t *wide,
                uint32_t seed) {
    mpu_error *e = NULL;
    uint64_t count = 1;
    for (uint32_t d = 0; d < in->ndim; d++)
        count *= in->shape[d];
    int32_t *data = xcalloc(count, sizeof *data);
    uint8_t *bytes = (uint8_t *)data;
    for (uint64_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        if (in->type == MPU_U8)
            wide[i] = bytes[i] = (uint8_t)(seed >> 27);
        else
            wide[i] = data[i] = (int32_t)seed;
    }
    mpu_array a = {in->type, in->ndim, {in->shape[0], in->ndim > 1 ? in->shape[1] : 0}, data};
    mpu_result r = mpu_session_put(s, in->name, &a, &e);
    need(r == MPU_OK, p, e);
    free(data);
}

/* How many elements the result has, which come to `values`. */
static uint64_t get(mpu_session *s, const struct program *p, int64_t *values) {
    mpu_error *e = NULL;
    mpu_array y;
    uint64_t count = 1;
    mpu_result r = mpu_session_get(s, p->result, &y, &e);
    need(r == MPU_OK, p, e);
    for (uint32_t d = 0; d < y.ndim; d++)
        count *= y.shape[d];
    for (uint64_t i = 0; i < count; i++)
        values[i] = element(&y, i);
    mpu_array_free(&y);
    return count;
}

static void compare(mpu_session *s, const struct program *p, const int64_t *want) {
    static int64_t got[MOST];
    uint64_t count = get(s, p, got);
    for (uint64_t i = 0; i < count; i++)
        if (got[i] != want[i])
            fail_msg("%s: element %llu", p->name, (unsigned long long)i);
}

static void at_most(const struct program *p, const char *target, const char *what, uint64_t got,
                    uint64_t hand) {
    if (10 * got > 12 * hand)
        fail_msg("%s on %s: %llu %s, by hand %llu", p->name, target, (unsigned long long)got, what,
                 (unsigned long long)hand);
}

static uint64_t figure(mpu_session *s, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, path, &value), 0);
    return value;
}

/* What is made for one program serves the next. */
static mpu_target *opened[TARGETS];

static int open_targets(void **state) {
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++) {
        opened[t] = mpu_target_open(target_names[t], NULL, NULL);
        if (!opened[t])
            return -1;
    }
    return 0;
}

static int close_targets(void **state) {
    (void)state;
    for (unsigned t = 0; t < TARGETS; t++)
        mpu_target_close(opened[t]);
    return 0;
}

static void run_on(const struct program *p, const mpu_program *program, unsigned target) {
    static int64_t x[MOST], other[MOST], want[MOST];
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .place = "packed", .finish = "device"};
    mpu_session *s = mpu_session_new(program, opened[target], &config, &e);
    need(s != NULL, p, e);
    put(s, p, &p->x, x, 1);
    if (p->other.name)
        put(s, p, &p->other, other, 2);
    mpu_result r = mpu_session_run(s, &e);
    need(r == MPU_OK, p, e);
    p->compute(x, other, want);
    compare(s, p, want);
    at_most(p, target_names[target], "registers are moved", figure(s, "total.register_transfers"),
            p->moved[target]);
    if (target == 0)
        at_most(p, target_names[target], "micro-ops", figure(s, "total.micro_ops"), p->uops);
    mpu_session_free(s);
}

/* The same arrays in one of the languages; not every program is written in each. */
static void programs_cost(const char *suffix, size_t least) {
    size_t found = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[4096];
        mpu_error *e = NULL;
        snprintf(path, sizeof path, "%s/tests/programs/arrays/%s.%s", MPU_SOURCE_DIR,
                 programs[i].name, suffix);
        if (access(path, R_OK) != 0)
            continue;
        found++;
        mpu_program *p = mpu_program_load_file(path, &e);
        need(p != NULL, &programs[i], e);
        /* Under sanitizers one target for each program. */
        for (unsigned t = MPU_SANITIZED ? (unsigned)i % TARGETS : 0; t < TARGETS;
             t += MPU_SANITIZED ? TARGETS : 1)
            run_on(&programs[i], p, t);
        mpu_program_free(p);
    }
    assert_true(found >= least);
}

static void programs_cost_what_hands_make_of_them(void **state) {
    (void)state;
    programs_cost("ez", sizeof programs / sizeof *programs);
}

static void kernels_cost_what_hands_make_of_them(void **state) {
    (void)state;
    programs_cost("py", 16);
}

/* ---- the same text in both languages ---- */

static const char *const texts[] = {"scaled",     "clipped", "distance", "ones",
                                    "polynomial", "mixed",   "divided"};

/* Micro-ops on the target; the results come to y. */
static uint64_t micro_ops_of(const char *name, const char *suffix, const char *target, int64_t *y) {
    static const struct input x = {"x", MPU_I32, 1, {4096}}, z = {"z", MPU_I32, 1, {4096}};
    static int64_t unused[MOST];
    const struct program p = {.name = name, .result = "y"};
    mpu_config config = {.size = sizeof config};
    char path[4096];
    mpu_error *e = NULL;
    snprintf(path, sizeof path, "%s/tests/programs/elementwise/%s.%s", MPU_SOURCE_DIR, name,
             suffix);
    mpu_program *program = mpu_program_load_file(path, &e);
    need(program != NULL, &p, e);
    mpu_target *t = mpu_target_open(target, NULL, &e);
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    need(s != NULL, &p, e);
    put(s, &p, &x, unused, 1);
    put(s, &p, &z, unused, 2);
    mpu_result r = mpu_session_run(s, &e);
    need(r == MPU_OK, &p, e);
    get(s, &p, y);
    uint64_t n = figure(s, "total.micro_ops");
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(program);
    return n;
}

static void texts_cost_the_same_in_both_languages(void **state) {
    static int64_t y[MOST], z[MOST];
    (void)state;
    for (size_t i = 0; i < TARGETS * sizeof texts / sizeof *texts; i++) {
        const char *name = texts[i / TARGETS], *target = target_names[i % TARGETS];
        uint64_t ez = micro_ops_of(name, "ez", target, y);
        uint64_t py = micro_ops_of(name, "py", target, z);
        if (memcmp(y, z, 4096 * sizeof *y) != 0)
            fail_msg("%s: the results differ on %s", name, target);
        if (100 * py > 102 * ez)
            fail_msg("%s: %llu micro-ops on %s in Python, %llu in ezpim", name,
                     (unsigned long long)py, target, (unsigned long long)ez);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_cost_what_hands_make_of_them),
                                       cmocka_unit_test(kernels_cost_what_hands_make_of_them),
                                       cmocka_unit_test(texts_cost_the_same_in_both_languages)};
    return cmocka_run_group_tests(tests, open_targets, close_targets);
}
