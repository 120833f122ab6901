/* SPDX-License-Identifier: MIT
 * Pipelines in C on DPUs, planes and golden: each pattern against its formula in DaPPA's paper, of
 * lengths from 0 to several rounds; orders of reductions; what is refused, with the reason. */
#include "runtime/pipelines.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST    2000
#define NOTHING 0x5a5a5a5a

/* ---- machines ---- */

struct way {
    const char *name, *target, *set[2];
    mpu_pipeline_options options;
    mpu_target *open;
};
static const mpu_config checked = {.size = sizeof checked, .check = 1};
static const mpu_config on_golden = {.size = sizeof on_golden, .engine = "golden"};
static struct way ways[] = {
    {"1 DPU", "upmem", {"dpu.run_tasklets=1"}, {.dpus = 1}, NULL},
    {"3 DPUs", "upmem", {"dpu.run_tasklets=11"}, {.dpus = 3}, NULL},
    {"64 DPUs", "upmem", {"dpu.run_tasklets=24"}, {.dpus = 64}, NULL},
    {"rounds", "upmem", {NULL}, {.dpus = 3, .mram_bytes = 1500}, NULL},
    {"host", "upmem", {NULL}, {.dpus = 2, .cpu_elements = 50}, NULL},
    {"no fuse", "upmem-dappa", {NULL}, {.dpus = 3, .no_fuse = 1}, NULL},
    {"racer", "racer", {NULL}, {.dpus = 0}, NULL},
    {"mimdram", "mimdram", {NULL}, {.no_fuse = 1}, NULL},
    {"checked", "upmem", {NULL}, {.dpus = 3, .config = &checked}, NULL},
    {"engine golden", "upmem", {NULL}, {.dpus = 3, .config = &on_golden}, NULL},
    {"golden", "golden", {NULL}, {.dpus = 0}, NULL},
};
enum { WAYS = sizeof ways / sizeof *ways };
static const struct way *way; /* at work */
static uint64_t length;

static int open_ways(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        ways[i].options.size = sizeof ways[i].options;
        ways[i].open = mpu_target_open(ways[i].target, ways[i].set, NULL);
        assert_non_null(ways[i].open);
    }
    return 0;
}

static int close_ways(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++)
        mpu_target_close(ways[i].open);
    return 0;
}

static mpu_pipeline *begin(int full) {
    mpu_pipeline_options o = way->options;
    o.full = full;
    mpu_pipeline *p = mpu_pipeline_new(way->open, length, &o, NULL);
    assert_non_null(p);
    return p;
}

#define IN(type, data)                                                                             \
    { MPU_ROLE_INPUT, type, data, 0, NULL, 0 }
#define OUT(type, data)                                                                            \
    { MPU_ROLE_OUTPUT, type, data, 0, NULL, 0 }
#define INOUT(type, data)                                                                          \
    { MPU_ROLE_INOUT, type, data, 0, NULL, 0 }
#define SCALAR(type, data, n)                                                                      \
    { MPU_ROLE_SCALAR, type, data, n, NULL, 0 }
#define ACC(type, data, n)                                                                         \
    { MPU_ROLE_REDUCE_OUT, type, data, n, NULL, 0 }
#define TAIL(type, data, t, n)                                                                     \
    { MPU_ROLE_INPUT, type, data, 0, t, n }
#define ARGUMENTS(...)                                                                             \
    (mpu_stage_argument[]){__VA_ARGS__},                                                           \
        sizeof(mpu_stage_argument[]){__VA_ARGS__} / sizeof(mpu_stage_argument)

static void add(mpu_pipeline *p, mpu_pattern pattern, uint32_t overlap, uint32_t group,
                const char *function, const mpu_stage_argument *arguments, size_t count) {
    mpu_error *e = NULL;
    const mpu_stage s = {.pattern = pattern,
                         .function = function,
                         .arguments = arguments,
                         .count = (uint32_t)count,
                         .overlap = overlap,
                         .group = group,
                         .file = "test.c",
                         .line = 1};
    if (mpu_pipeline_stage(p, &s, &e) != MPU_OK)
        fail_msg("%s, %" PRIu64 ": %s", way->name, length, mpu_error_text(e));
}

static void execute(mpu_pipeline *p) {
    mpu_error *e = NULL;
    if (mpu_pipeline_execute(p, &e) != MPU_OK) {
        char *text = mpu_pipeline_program(p, 0, NULL);
        fail_msg("%s, %" PRIu64 ": %s\n%s", way->name, length, mpu_error_text(e), text);
    }
}

static void fetch(mpu_pipeline *p, const void *data) {
    assert_int_equal(mpu_pipeline_fetch(p, data, NULL), MPU_OK);
}

static void check(const mpu_pipeline *p, const void *got, const void *want, uint64_t count,
                  size_t size) {
    uint64_t n = UINT64_MAX;
    assert_int_equal(mpu_pipeline_length(p, got, &n), MPU_OK);
    if (n != count)
        fail_msg("%s, %" PRIu64 ": %" PRIu64 " elements, not %" PRIu64, way->name, length, n,
                 count);
    for (uint64_t i = 0; i < count; i++)
        if (memcmp((const char *)got + i * size, (const char *)want + i * size, size) != 0)
            fail_msg("%s, %" PRIu64 ": element %" PRIu64 " differs", way->name, length, i);
}

/* ---- data ---- */

static int32_t x[MOST + 16], y[MOST], z[MOST], want[MOST], want_z[MOST];
static uint8_t b[MOST], kept_b[MOST], want_b[MOST];
static int64_t wide[MOST], want_wide[MOST];

static void fill(void) {
    for (uint32_t i = 0; i < MOST + 16; i++)
        x[i] = (int32_t)(i * 2654435761u >> 20) - 2000;
    for (uint32_t i = 0; i < MOST; i++) {
        y[i] = z[i] = NOTHING;
        b[i] = (uint8_t)(i * 37 >> 3);
        kept_b[i] = 0xee;
        wide[i] = NOTHING;
    }
}

/* What windows see behind the last element. */
static int32_t at(uint64_t i, const int32_t *tail) {
    return i < length ? x[i] : tail ? tail[i - length] : 0;
}

/* ---- patterns ---- */

static void do_map(void) {
    static int32_t factor = 3;
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_MAP, 0, 0, "([](int32_t *y, const int32_t *x, int32_t *k){ *y = *x * *k; })",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x), SCALAR(MPU_I32, &factor, 1)));
    add(p, MPU_PATTERN_MAP, 0, 0, "(int64_t *out, int *in) { out[0] = (int64_t)*in - 1; }",
        ARGUMENTS(OUT(MPU_I64, wide), IN(MPU_I32, y)));
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y) { *y += 5; }", ARGUMENTS(INOUT(MPU_I32, y)));
    fetch(p, wide);
    fetch(p, y);
    execute(p);
    for (uint64_t i = 0; i < length; i++) {
        want[i] = x[i] * 3 + 5;
        want_wide[i] = (int64_t)x[i] * 3 - 1;
    }
    check(p, wide, want_wide, length, sizeof *wide);
    check(p, y, want, length, sizeof *y);
    mpu_pipeline_free(p);
}

static void do_filter(void) {
    static const char *const keeps[] = {
        "[](uint8_t *x) -> bool { return false; }", "[](uint8_t *x) { return true; }",
        "[](uint8_t *x) { return *x & 1; }", "[](uint8_t *x) { return *x > 100; }"};
    for (int k = 0; k < 4; k++) {
        uint64_t n = 0;
        mpu_pipeline *p = begin(0);
        /* The third keeps one in two, the last all of the last DPU alone. */
        for (uint64_t i = 0; i < length; i++) {
            b[i] = (uint8_t)(k == 3 ? (i * 64 / length == 63 ? 101 : 7) : i % 2 + i % 7 * 2);
            if (k == 1 || (k == 2 && b[i] % 2) || (k == 3 && b[i] > 100))
                want_b[n++] = b[i];
        }
        add(p, MPU_PATTERN_FILTER, 0, 0, keeps[k], ARGUMENTS(OUT(MPU_U8, kept_b), IN(MPU_U8, b)));
        fetch(p, kept_b);
        execute(p);
        check(p, kept_b, want_b, n, 1);
        mpu_pipeline_free(p);
    }
}

/* Filters and a reduce behind a filter, and a filter in place. */
static void do_filters(void) {
    uint64_t n = 0, m = 0;
    int64_t sum = 1000, want_sum = 1000;
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y, int *x) { *y = *x + 1; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_FILTER, 0, 0, "[](int *v) { return *v % 2 == 0; }",
        ARGUMENTS(INOUT(MPU_I32, y)));
    add(p, MPU_PATTERN_FILTER, 0, 0, "[](int *v) { return *v > 0; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y)));
    add(p, MPU_PATTERN_REDUCE, 0, 0, "[](int64_t *s, int *v) { *s += *v; }",
        ARGUMENTS(ACC(MPU_I64, &sum, 1), IN(MPU_I32, z)));
    fetch(p, y);
    fetch(p, z);
    fetch(p, &sum);
    execute(p);
    for (uint64_t i = 0; i < length; i++) {
        if ((x[i] + 1) % 2)
            continue;
        want[n++] = x[i] + 1;
        if (x[i] + 1 <= 0)
            continue;
        want_z[m++] = x[i] + 1;
        want_sum += x[i] + 1;
    }
    check(p, y, want, n, sizeof *y);
    check(p, z, want_z, m, sizeof *z);
    check(p, &sum, &want_sum, 1, sizeof sum);
    mpu_pipeline_free(p);
}

static void do_reduce(void) {
    int32_t ends[2] = {10, -10}, want_ends[2] = {10, -10};
    static uint32_t bins[64], want_bins[64];
    mpu_pipeline *p = begin(0);
    for (int i = 0; i < 64; i++)
        bins[i] = want_bins[i] = (uint32_t)i;
    add(p, MPU_PATTERN_REDUCE, 0, 0, "(uint32_t *bins, uint8_t *v) { bins[*v & 63]++; }",
        ARGUMENTS(ACC(MPU_U32, bins, 64), IN(MPU_U8, b)));
    /* What begins with the value of its owner, by another's function. */
    const mpu_stage_argument arguments[] = {ACC(MPU_I32, ends, 2), IN(MPU_I32, x)};
    const mpu_stage s = {.pattern = MPU_PATTERN_REDUCE,
                         .function = "[](int *r, int *v) { if (*v < r[0]) r[0] = *v;"
                                     " if (*v > r[1]) r[1] = *v; }",
                         .combine = "[](int *a, int *r) { a[0] = min(a[0], r[0]);"
                                    " a[1] = max(a[1], r[1]); }",
                         .arguments = arguments,
                         .count = 2};
    assert_int_equal(mpu_pipeline_stage(p, &s, NULL), MPU_OK);
    fetch(p, bins);
    fetch(p, ends);
    execute(p);
    for (uint64_t i = 0; i < length; i++) {
        want_bins[b[i] & 63]++;
        want_ends[0] = x[i] < want_ends[0] ? x[i] : want_ends[0];
        want_ends[1] = x[i] > want_ends[1] ? x[i] : want_ends[1];
    }
    check(p, bins, want_bins, 64, sizeof *bins);
    check(p, ends, want_ends, 2, sizeof *ends);
    mpu_pipeline_free(p);
}

/* A hash that depends on the order: r[0] is it, r[1] + 1 the power of what comes behind. */
static void do_order(void) {
    for (int init = 0; init < 2; init++) {
        uint32_t r[2] = {7, 30}, want_r[2] = {7, 30};
        mpu_pipeline *p = begin(0);
        const mpu_stage_argument arguments[] = {ACC(MPU_U32, r, 2), IN(MPU_U8, b)};
        const mpu_stage s = {
            .pattern = MPU_PATTERN_REDUCE,
            .function =
                "[](uint32_t *r, uint8_t *v) { r[0] = r[0] * 31 + *v; r[1] = (r[1] + 1) * 31 - 1; }",
            .combine = "[](uint32_t *in, uint32_t *out) { in[0] = in[0] * (out[1] + 1) + out[0];"
                       " in[1] = (in[1] + 1) * (out[1] + 1) - 1; }",
            .init = init ? "0" : NULL,
            .arguments = arguments,
            .count = 2};
        mpu_error *e = NULL;
        if (mpu_pipeline_stage(p, &s, &e) != MPU_OK)
            fail_msg("%s", mpu_error_text(e));
        fetch(p, r);
        execute(p);
        for (uint64_t i = 0; i < length; i++) {
            want_r[0] = want_r[0] * 31 + b[i];
            want_r[1] = (want_r[1] + 1) * 31 - 1;
        }
        check(p, r, want_r, 2, sizeof *r);
        mpu_pipeline_free(p);
    }
}

static void do_window(void) {
    static const int32_t tails[3] = {77, -5, 1000};
    for (int with = 0; with < 2; with++) {
        const int32_t *tail = with ? tails : NULL;
        mpu_pipeline *p = begin(0);
        add(p, MPU_PATTERN_WINDOW, 3, 0, "[](int *y, int *x) { *y = x[0] + 2 * x[1] - x[3]; }",
            ARGUMENTS(OUT(MPU_I32, y), TAIL(MPU_I32, x, tail, with ? 3 : 0)));
        fetch(p, y);
        execute(p);
        for (uint64_t i = 0; i < length; i++)
            want[i] = x[i] + 2 * at(i + 1, tail) - at(i + 3, tail);
        check(p, y, want, length, sizeof *y);
        mpu_pipeline_free(p);
    }
}

/* Windows over what a stage makes. */
/* What has as many elements goes into one stage: what windows make with what they see, and what is
 * made of groups of one size. */
static void do_together(void) {
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_WINDOW, 2, 0, "[](int *y, int *x) { *y = x[0] - x[2]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *z, int *y, int *x) { *z = *y * 2 + *x; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y), IN(MPU_I32, x)));
    fetch(p, z);
    execute(p);
    for (uint64_t i = 0; i < length; i++)
        want[i] = 2 * (x[i] - at(i + 2, NULL)) + x[i];
    check(p, z, want, length, sizeof *z);
    mpu_pipeline_free(p);
    p = begin(0);
    add(p, MPU_PATTERN_GROUP, 0, 4, "[](int *y, int *x) { *y = x[3]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_WINDOW_GROUP, 1, 4, "[](int *z, int *x) { *z = x[4]; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *z, int *y) { *z = *z - *y; }",
        ARGUMENTS(INOUT(MPU_I32, z), IN(MPU_I32, y)));
    fetch(p, z);
    execute(p);
    for (uint64_t i = 0; i < length / 4; i++)
        want[i] = at(4 * i + 4, NULL) - x[4 * i + 3];
    check(p, z, want, length / 4, sizeof *z);
    mpu_pipeline_free(p);
}

static uint64_t figure(const mpu_pipeline *p, const char *name) {
    uint64_t value = 0;
    if (mpu_pipeline_figure(p, name, &value) != MPU_OK)
        fail_msg("no figure '%s'", name);
    return value;
}

/* Windows over windows, a map of its own array between them, in rounds and with elements of the
 * host: each part makes what the next one makes anew. */
static void do_chain_of_windows(void) {
    static const int tail[] = {7, -9, 11};
    static int first[MOST], second[MOST];
    if (length < 4) /* an overlap is no longer than the array */
        return;
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_WINDOW, 2, 0, "[](int *y, int *x) { *y = x[2] - x[0]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_WINDOW, 3, 0, "[](int *z, int *y) { *z = y[3] * 3 + y[1]; }",
        ARGUMENTS(OUT(MPU_I32, z), {MPU_ROLE_INPUT, MPU_I32, y, 0, tail, 3}));
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *z, int *x) { *z += *x; }",
        ARGUMENTS(INOUT(MPU_I32, z), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_WINDOW, 1, 0, "[](int *w, int *z) { *w = z[1] ^ z[0]; }",
        ARGUMENTS(OUT(MPU_I32, second), IN(MPU_I32, z)));
    fetch(p, z);
    fetch(p, second);
    execute(p);
    for (uint64_t i = 0; i < length; i++)
        first[i] = at(i + 2, NULL) - x[i];
    for (uint64_t i = 0; i < length; i++)
        want[i] = 3 * (i + 3 < length ? first[i + 3] : tail[i + 3 - length]) +
                  (i + 1 < length ? first[i + 1] : tail[i + 1 - length]) + x[i];
    check(p, z, want, length, sizeof *z);
    for (uint64_t i = 0; i < length; i++)
        want[i] ^= i + 1 < length ? want[i + 1] : 0;
    check(p, second, want, length, sizeof *second);
    if (length > 1000 && way->options.mram_bytes)
        assert_true(figure(p, "rounds") > 1);
    if (length > 1000 && way->options.cpu_elements)
        assert_true(figure(p, "cpu_elements") >= way->options.cpu_elements);
    mpu_pipeline_free(p);
}

static void do_windows(void) {
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y, int *x) { *y = *x - 3; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_WINDOW, 1, 0, "[](int *z, int *y) { *z = y[1] - y[0]; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y)));
    fetch(p, z);
    execute(p);
    for (uint64_t i = 0; i < length; i++)
        want[i] = (i + 1 < length ? x[i + 1] - 3 : 0) - (x[i] - 3);
    check(p, z, want, length, sizeof *z);
    mpu_pipeline_free(p);
    do_chain_of_windows();
}

static void do_window_filter(void) {
    uint64_t n = 0;
    mpu_pipeline *p = begin(0);
    for (uint64_t i = 0; i < length; i++)
        b[i] = (uint8_t)(i / 3 * 5);
    uint8_t behind = 1;
    add(p, MPU_PATTERN_WINDOW_FILTER, 1, 0, "[](uint8_t *x) { return x[0] != x[1]; }",
        ARGUMENTS(OUT(MPU_U8, kept_b), TAIL(MPU_U8, b, &behind, 1)));
    fetch(p, kept_b);
    execute(p);
    for (uint64_t i = 0; i < length; i++)
        if (b[i] != (i + 1 < length ? b[i + 1] : behind))
            want_b[n++] = b[i];
    check(p, kept_b, want_b, n, 1);
    mpu_pipeline_free(p);
}

static void do_group(void) {
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_GROUP, 0, 4,
        "[](int *y, int *x) { for (int i = 0; i < 4; i++) *y += (i + 1) * x[i]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *z, int *y) { *z = -*y; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y)));
    fetch(p, z);
    execute(p);
    for (uint64_t i = 0; i < length / 4; i++)
        want[i] = -(x[4 * i] + 2 * x[4 * i + 1] + 3 * x[4 * i + 2] + 4 * x[4 * i + 3]);
    check(p, z, want, length / 4, sizeof *z);
    mpu_pipeline_free(p);
}

static void do_window_group(void) {
    static const int32_t tail[2] = {5, 6};
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_WINDOW_GROUP, 2, 4, "[](int *y, int *x) { *y = x[0] - x[3] + 2 * x[5]; }",
        ARGUMENTS(OUT(MPU_I32, y), TAIL(MPU_I32, x, tail, 2)));
    fetch(p, y);
    execute(p);
    for (uint64_t i = 0; i < length / 4; i++)
        want[i] = x[4 * i] - x[4 * i + 3] + 2 * at(4 * i + 5, tail);
    check(p, y, want, length / 4, sizeof *y);
    mpu_pipeline_free(p);
}

static void do_group_filters(void) {
    for (int windows = 0; windows < 2; windows++) {
        uint64_t n = 0;
        mpu_pipeline *p = begin(0);
        if (windows)
            add(p, MPU_PATTERN_WINDOW_GROUP_FILTER, 1, 4, "[](int *x) { return x[0] < x[4]; }",
                ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
        else
            add(p, MPU_PATTERN_GROUP_FILTER, 0, 4, "[](int *x) { return x[1] < x[2]; }",
                ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
        fetch(p, y);
        execute(p);
        for (uint64_t i = 0; i + 4 <= length; i += 4)
            if (windows ? x[i] < at(i + 4, NULL) : x[i + 1] < x[i + 2]) {
                memcpy(want + n, x + i, 4 * sizeof *x);
                n += 4;
            }
        check(p, y, want, n, sizeof *y);
        mpu_pipeline_free(p);
    }
}

/* Groups of two sizes beside each other: no part of the elements ends within one of either. */
static void do_two_groups(void) {
    uint64_t n = 0, n_z = 0;
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_GROUP_FILTER, 0, 7, "[](int *x) { return x[1] < x[6]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_GROUP_FILTER, 0, 4, "[](int *x) { return x[0] < x[3]; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, x)));
    fetch(p, y);
    fetch(p, z);
    execute(p);
    for (uint64_t i = 0; i + 7 <= length; i += 7)
        if (x[i + 1] < x[i + 6]) {
            memcpy(want + n, x + i, 7 * sizeof *x);
            n += 7;
        }
    for (uint64_t i = 0; i + 4 <= length; i += 4)
        if (x[i] < x[i + 3]) {
            memcpy(want_z + n_z, x + i, 4 * sizeof *x);
            n_z += 4;
        }
    check(p, y, want, n, sizeof *y);
    check(p, z, want_z, n_z, sizeof *z);
    mpu_pipeline_free(p);
}

/* The paper's formula of window+group+filter keeps what a function makes of a group: two stages. */
static void do_group_then_filter(void) {
    uint64_t n = 0;
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_WINDOW_GROUP, 1, 4, "[](int *y, int *x) { *y = x[0] + x[4]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_FILTER, 0, 0, "[](int *y) { return *y > 0; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y)));
    fetch(p, z);
    execute(p);
    for (uint64_t i = 0; i + 4 <= length; i += 4)
        if (x[i] + at(i + 4, NULL) > 0)
            want[n++] = x[i] + at(i + 4, NULL);
    check(p, z, want, n, sizeof *z);
    mpu_pipeline_free(p);
}

/* PipelineFull: a map of what is kept, by the sum of it. */
static void do_full(void) {
    uint64_t n = 0, parts;
    int32_t sum = 0, want_sum = 0;
    mpu_pipeline *p = begin(1);
    add(p, MPU_PATTERN_FILTER, 0, 0, "[](int *x) { return *x % 3 == 0; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_REDUCE, 0, 0, "[](int *s, int *y) { *s += *y; }",
        ARGUMENTS(ACC(MPU_I32, &sum, 1), IN(MPU_I32, y)));
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *z, int *y, int *s) { *z = *y * 2 + *s; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y), SCALAR(MPU_I32, &sum, 1)));
    fetch(p, z);
    fetch(p, &sum);
    execute(p);
    for (uint64_t i = 0; i < length; i++)
        if (x[i] % 3 == 0)
            want[n++] = x[i], want_sum += x[i];
    for (uint64_t i = 0; i < n; i++)
        want[i] = want[i] * 2 + want_sum;
    check(p, z, want, n, sizeof *z);
    check(p, &sum, &want_sum, 1, sizeof sum);
    assert_int_equal(mpu_pipeline_figure(p, "parts", &parts), MPU_OK);
    assert_int_equal(parts, 2);
    mpu_pipeline_free(p);
}

/* As many entries as an image of 12 bits has values. */
static void do_many_bins(void) {
    static uint16_t bins[4096], want_bins[4096];
    if (way->options.mram_bytes) /* it has no room for them */
        return;
    memset(bins, 0, sizeof bins);
    memset(want_bins, 0, sizeof want_bins);
    mpu_pipeline *p = begin(0);
    add(p, MPU_PATTERN_REDUCE, 0, 0, "(uint16_t *bins, int32_t *v) { bins[*v & 4095]++; }",
        ARGUMENTS(ACC(MPU_U16, bins, 4096), IN(MPU_I32, x)));
    fetch(p, bins);
    execute(p);
    for (uint64_t i = 0; i < length; i++)
        want_bins[x[i] & 4095]++;
    check(p, bins, want_bins, 4096, sizeof *bins);
    mpu_pipeline_free(p);
}

static void everywhere(void (*one)(void), uint64_t unit) {
    static const uint64_t lengths[] = {0, 1, 17, 1237};
    for (size_t i = 0; i < WAYS; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            bool planes = strncmp(ways[i].target, "upmem", 5) != 0 || ways[i].options.config;
            /* Programs are compiled for each: planes, and what is checked, have one, others the
             * short lengths in turns. */
            if (planes ? k != 2 : k < 3 && (i + k) % 3)
                continue;
            way = &ways[i];
            length = lengths[k] / unit * unit;
            fill();
            one();
        }
}

#define EVERYWHERE(name, unit)                                                                     \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        everywhere(do_##name, unit);                                                               \
    }
EVERYWHERE(map, 1)
EVERYWHERE(filter, 1)
EVERYWHERE(filters, 1)
EVERYWHERE(reduce, 1)
EVERYWHERE(many_bins, 1)
EVERYWHERE(order, 1)
EVERYWHERE(window, 4) /* the overlap is no longer than the array */
EVERYWHERE(together, 4)
EVERYWHERE(windows, 1)
EVERYWHERE(window_filter, 1)
EVERYWHERE(group, 4)
EVERYWHERE(window_group, 4)
EVERYWHERE(group_filters, 4)
EVERYWHERE(two_groups, 28)
EVERYWHERE(group_then_filter, 4)
EVERYWHERE(full, 1)

/* ---- plan and figures ---- */

static void expect(char *text, const char *part) {
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("'%s' has no '%s'", text, part);
    mpu_string_free(text);
}

/* What mpu_pipeline_stats says of parts, added up. */
struct added {
    uint64_t in, kernel, launches, out, own, moved, once, bytes_in, bytes_out, total, rounds;
};

static uint64_t number_behind(const char *text, const char *words) {
    const char *at = strstr(text, words);
    if (!at)
        fail_msg("'%s' has no '%s'", text, words);
    return strtoull(at + strlen(words), NULL, 10);
}

/* Transfers, the longer of a part's kernels and of the host's own elements, and what it moves. */
static struct added add_up(const char *text) {
    struct added a = {.in = 0};
    uint64_t kernel = 0, ps, bytes;
    for (const char *line = text; line && *line; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n'), *at;
        if (strncmp(line, "transfer in:", 12) == 0) /* the sums */
            break;
        if (sscanf(line, "  transfer in: %" SCNu64 " ps, %" SCNu64, &ps, &bytes) == 2)
            a.in += ps, a.bytes_in += bytes, a.total += ps, a.rounds++;
        else if (sscanf(line, "  transfer out: %" SCNu64 " ps, %" SCNu64, &ps, &bytes) == 2)
            a.out += ps, a.bytes_out += bytes, a.total += ps;
        else if (sscanf(line, "  kernel: %" SCNu64, &ps) == 1)
            a.kernel += ps, kernel += ps;
        else if (strncmp(line, "    ", 4) == 0) {
            for (at = end; at[-1] != ':'; at--)
                ;
            a.launches += strtoull(at, NULL, 10);
        } else if (sscanf(line, "  one-time: %" SCNu64, &ps) == 1) {
            a.once += ps;
            at = strstr(line, "compiling, ");
            a.once += at && at < end ? number_behind(line, "compiling, ") : 0;
        } else if (strstr(line, ", host: ") && strstr(line, ", host: ") < end) {
            ps = number_behind(line, ", host: ");
            bytes = number_behind(line, "while kernels run, ");
            a.own += ps, a.moved += bytes;
            a.total += (kernel > ps ? kernel : ps) + bytes;
            kernel = 0;
        }
    }
    a.once += number_behind(text, "not in the total, ");
    return a;
}

/* Lines of the parts come to what the sums say, and these are the figures. */
static void check_sums(mpu_pipeline *p) {
    char *text = mpu_pipeline_stats(p, NULL);
    struct added a = add_up(text);
    assert_int_equal(a.in, figure(p, "transfer_in"));
    assert_int_equal(a.kernel, figure(p, "kernel"));
    assert_int_equal(a.launches, figure(p, "kernel"));
    assert_int_equal(a.out, figure(p, "transfer_out"));
    assert_int_equal(a.own + a.moved, figure(p, "host"));
    assert_int_equal(a.total, figure(p, "total"));
    assert_int_equal(a.once, figure(p, "once"));
    assert_int_equal(a.bytes_in, figure(p, "bytes_in"));
    assert_int_equal(a.bytes_out, figure(p, "bytes_out"));
    assert_int_equal(a.rounds, figure(p, "rounds"));
    assert_int_equal(number_behind(text, "\ntransfer in:"), a.in);
    assert_int_equal(number_behind(text, "\nkernel:"), a.kernel);
    assert_int_equal(number_behind(text, "\ntransfer out:"), a.out);
    assert_int_equal(number_behind(text, "\nhost:"), a.own + a.moved);
    assert_int_equal(number_behind(text, "\ntotal:"), a.total);
    assert_int_equal(number_behind(text, "\none-time:"), a.once);
    mpu_string_free(text);
}

/* A map and a filter; with `full` a map of what is kept, in a part of its own. */
static mpu_pipeline *map_and_filter(int full) {
    fill();
    mpu_pipeline *p = begin(full);
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y, int *x) { *y = *x + 1; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_FILTER, 0, 0, "[](int *y) { return *y > 0; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y)));
    if (full)
        add(p, MPU_PATTERN_MAP, 0, 0, "[](int *z) { *z += 1; }", ARGUMENTS(INOUT(MPU_I32, z)));
    fetch(p, z);
    return p;
}

static void test_figures(void **state) {
    (void)state;
    for (size_t i = 3; i < 6; i++) { /* rounds, host, no fuse */
        way = &ways[i];
        length = 1237;
        mpu_pipeline *p = map_and_filter(0);
        assert_int_equal(mpu_pipeline_figure(p, "total", &(uint64_t){0}), MPU_USAGE);
        assert_null(mpu_pipeline_stats(p, NULL));
        /* 1,500 bytes have room for 186 elements of x and z; y lies nowhere. */
        expect(
            mpu_pipeline_plan(p, NULL),
            i == 3
                ? "rounds 3, DPUs 3, elements of a DPU 136, elements per round 408, CPU elements 13"
            : i == 4
                ? "rounds 1, DPUs 2, elements of a DPU 592, elements per round 1184, CPU elements 53"
                : "part 1: 2 launches a round");
        execute(p);
        assert_int_equal(figure(p, "rounds"), i == 3 ? 3 : 1);
        assert_int_equal(figure(p, "cpu_elements"), i == 3 ? 13 : i == 4 ? 53 : 1);
        check_sums(p);
        assert_true(figure(p, "kernel") >= figure(p, "rounds") * 150000000);
        assert_true(figure(p, "once") >= 1351000000000);
        assert_true(figure(p, "host") >= figure(p, "cpu_elements") * 1000);
        /* x alone goes there; what is kept, and how many, comes back. */
        assert_true(figure(p, "bytes_in") >= (length - figure(p, "cpu_elements")) * 4);
        expect(mpu_pipeline_stats(p, NULL), i == 5
                                                ? "    stage 2 (test.c:1): "
                                                : "    stage 1 (test.c:1) to stage 2 (test.c:1): ");
        assert_int_equal(mpu_pipeline_figure(p, "nothing", &(uint64_t){0}), MPU_USAGE);
        mpu_pipeline_free(p);
        p = map_and_filter(1);
        execute(p);
        assert_int_equal(figure(p, "parts"), 2);
        check_sums(p);
        mpu_pipeline_free(p);
    }
}

/* Times that 64 bits do not hold read as the largest number. */
static void test_long_host_time(void **state) {
    struct way own = {"long",
                      "upmem",
                      {NULL},
                      {.dpus = 2, .cpu_elements = 50, .host_element_ps = UINT64_MAX / 2},
                      NULL};
    (void)state;
    own.options.size = sizeof own.options;
    own.open = mpu_target_open("upmem", NULL, NULL);
    way = &own;
    length = 1237;
    mpu_pipeline *p = map_and_filter(0);
    execute(p);
    assert_true(figure(p, "host") == UINT64_MAX && figure(p, "total") == UINT64_MAX);
    mpu_pipeline_free(p);
    mpu_target_close(own.open);
}

/* The host's numbers are the target's, and what is chosen is not beaten by a share beside it, nor
 * by none or all. */
static void test_cpu_share(void **state) {
    static const char *const set[] = {"host.element_ps=400000", "host.alloc_ps=7",
                                      "host.compile_ps=5", "host.template_ps=3", NULL};
    struct way own = {
        "share", "upmem", {NULL}, {.dpus = 2, .cpu_elements = MPU_PIPELINE_CPU_AUTO}, NULL};
    uint64_t best = 0, cpu = 0;
    (void)state;
    own.options.size = sizeof own.options;
    own.open = mpu_target_open("upmem", set, NULL);
    way = &own;
    length = 1999;
    for (int i = 0; i < 6; i++) {
        mpu_pipeline *p = map_and_filter(0);
        if (!i)
            expect(mpu_pipeline_plan(p, NULL), "CPU elements are chosen when it is executed");
        execute(p);
        uint64_t total = figure(p, "total");
        if (!i) {
            best = total;
            cpu = figure(p, "cpu_elements");
            assert_true(cpu > 0 && cpu < length);
            /* One part: 7 + 5 + 3, and loading the code. */
            expect(mpu_pipeline_stats(p, NULL), "one-time: 5 ps for compiling, 3 ps for");
        }
        /* What is kept is moved in any case. */
        assert_int_equal(figure(p, "host") % 400000, 0);
        if (total < best)
            fail_msg("%" PRIu64 " elements for the host take %" PRIu64 " ps, %" PRIu64
                     " that were chosen %" PRIu64,
                     figure(p, "cpu_elements"), total, cpu, best);
        check_sums(p);
        mpu_pipeline_free(p);
        own.options.cpu_elements =
            (const uint64_t[]){0, length, cpu / 2, cpu - 100, cpu + 100}[i % 5];
    }
    mpu_target_close(own.open);
}

/* The machine as DaPPA's paper has it (its sections 2 and 6). */
static void test_paper_machine(void **state) {
    uint64_t mpus, rfhs, vrfs, mram, wram, iram, ps, tasklets;
    (void)state;
    mpu_target *t = mpu_target_open("upmem-dappa", NULL, NULL);
    const struct {
        const char *name;
        uint64_t *value;
    } all[] = {{"machine.mpus", &mpus},        {"machine.rfh_per_mpu", &rfhs},
               {"machine.vrf_per_rfh", &vrfs}, {"dpu.mram_bytes", &mram},
               {"dpu.wram_bytes", &wram},      {"dpu.iram_instructions", &iram},
               {"dpu.tasklets", &tasklets},    {"clocks.datapath_ps", &ps}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t k = 0;
        while (k < t->t->key_count && strcmp(t->t->keys[k].path, all[i].name) != 0)
            k++;
        assert_true(k < t->t->key_count);
        *all[i].value = strtoull(t->t->keys[k].value, NULL, 10);
    }
    assert_int_equal(mpus * rfhs * vrfs, 2560);
    assert_int_equal(mpus * rfhs * vrfs * mram, (uint64_t)160 << 30);
    assert_int_equal(mram, 64 << 20);
    assert_int_equal(wram, 64 << 10);
    assert_int_equal(iram * 6, 24 << 10); /* instructions of 48 bits */
    assert_int_equal(tasklets, 24);
    /* One addition a cycle: above 1 tera-operation a second at 450 MHz. */
    assert_true(2560 * (UINT64_C(1000000000000) / ps) > UINT64_C(1000000000000));
    mpu_target_close(t);
}

/* ---- what is refused ---- */

struct refusal {
    const char *why;
    mpu_stage stage;
    mpu_stage_argument arguments[4];
};
#define STAGE(pattern_, function_, ...)                                                            \
    {                                                                                              \
        .pattern = MPU_PATTERN_##pattern_, .function = function_, .file = "a.c", .line = 7,        \
        __VA_ARGS__                                                                                \
    }
static const struct refusal refusals[] = {
    {"stage 2 (a.c:7): argument 2 has 99 elements, and the pipeline 1000",
     STAGE(MAP, "(int *y, int *x) { *y = *x; }", .count = 2),
     {OUT(MPU_I32, z), {MPU_ROLE_INPUT, MPU_I32, x, 99, NULL, 0}}},
    {"argument 2 is an array without elements that no stage before has written",
     STAGE(MAP, "(int *y, int *x) { *y = *x; }", .count = 2),
     {OUT(MPU_I32, z), {MPU_ROLE_INPUT, MPU_I32, x, MPU_PIPELINE_NO_ELEMENTS, NULL, 0}}},
    {"argument 3 is the array that argument 2 is: name it once",
     STAGE(MAP, "(int *y, int *x, int *w) { *y = *x + *w; }", .count = 3),
     {OUT(MPU_I32, z), IN(MPU_I32, x), IN(MPU_I32, x)}},
    {"argument 2 is what a filter has kept",
     STAGE(MAP, "(int *y, int *x) { *y = *x; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, y)}},
    {"use PipelineFull",
     STAGE(WINDOW_FILTER, "(int *x) { return x[0] < x[1]; }", .count = 2, .overlap = 1),
     {OUT(MPU_I32, z), IN(MPU_I32, y)}},
    {"groups of 3 do not divide 1000 elements",
     STAGE(GROUP, "(int *y, int *x) { *y = x[0]; }", .count = 2, .group = 3),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"a group needs the number of elements of a group",
     STAGE(GROUP, "(int *y, int *x) { *y = x[0]; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"a window needs an overlap",
     STAGE(WINDOW, "(int *y, int *x) { *y = x[0]; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"an overlap of 1001 is too long for 1000 elements",
     STAGE(WINDOW, "(int *y, int *x) { *y = x[0]; }", .count = 2, .overlap = 1001),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"argument 2 has 3 elements for an overlap of 2: give it as many",
     STAGE(WINDOW, "(int *y, int *x) { *y = x[0]; }", .count = 2, .overlap = 2),
     {OUT(MPU_I32, z), TAIL(MPU_I32, x, want, 3)}},
    {"a map has no overlap",
     STAGE(MAP, "(int *y, int *x) { *y = x[0]; }", .count = 2, .overlap = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"which have room for 65536: make it an INPUT",
     STAGE(MAP, "(int *y, int *x, int *v) { *y = *x + v[0]; }", .count = 3),
     {OUT(MPU_I32, z), IN(MPU_I32, x), SCALAR(MPU_I32, want, 70000)}},
    {"its function captures variables",
     STAGE(MAP, "[k](int *y, int *x) { *y = *x + k; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"its function has 1 parameter, and gets 2 arguments",
     STAGE(MAP, "[](int *y) { *y = 1; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"is no pointer with a name",
     STAGE(MAP, "[](int *y, int x) { *y = x; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"its function is not",
     STAGE(MAP, "[](int *y, int *x) { *y = *x; } }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"its function is not", STAGE(MAP, "plus", .count = 2), {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"parameter 'x' of its function points to another type than i32",
     STAGE(MAP, "[](int *y, float *x) { *y = 1; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"stage 2 (a.c:7):3:",
     STAGE(MAP, "[](int *y, int *x) { *y = printf(*x); }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"pointers are not kept",
     STAGE(MAP, "[](int *y, int *x) { int *p = x; *y = *p; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"index 1 is outside of 'x'",
     STAGE(MAP, "[](int *y, int *x) { *y = x[1]; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"elements of no type with 1, 2, 4 or 8 bytes",
     STAGE(MAP, "[](int *y, int *x) { *y = *x; }", .count = 2),
     {OUT(MPU_I32, z), IN((mpu_type)99, x)}},
    {"argument 1 is REDUCE_OUT, which a map does not have",
     STAGE(MAP, "[](int *y, int *x) { *y = *x; }", .count = 2),
     {ACC(MPU_I32, z, 1), IN(MPU_I32, x)}},
    {"a filter has one OUTPUT or INOUT, which comes first",
     STAGE(FILTER, "[](int *x) { return *x; }", .count = 2),
     {IN(MPU_I32, x), OUT(MPU_I32, z)}},
    {"has the type of its first INPUT",
     STAGE(FILTER, "[](int *x) { return *x; }", .count = 2),
     {OUT(MPU_I64, wide), IN(MPU_I32, x)}},
    {"a reduce needs a REDUCE_OUT", STAGE(REDUCE, "[](int *x) { }", .count = 1), {IN(MPU_I32, x)}},
    {"a map needs an OUTPUT", STAGE(MAP, "[](int *x) { }", .count = 1), {IN(MPU_I32, x)}},
    {"a map needs an INPUT", STAGE(MAP, "[](int *y) { *y = 1; }", .count = 1), {OUT(MPU_I32, z)}},
    {"argument 2 has no array",
     STAGE(MAP, "[](int *y, int *x) { *y = *x; }", .count = 2),
     {OUT(MPU_I32, z), IN(MPU_I32, NULL)}},
    {"combine: its function is not",
     STAGE(REDUCE, "[](int *s, int *x) { *s += *x; }", .count = 2, .combine = "+"),
     {ACC(MPU_I32, z, 1), IN(MPU_I32, x)}},
    {"a combine function goes with a reduce",
     STAGE(MAP, "[](int *y, int *x) { *y = *x; }", .count = 2,
           .combine = "[](int *a, int *b) { *a += *b; }"),
     {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"it has no function", STAGE(MAP, NULL, .count = 2), {OUT(MPU_I32, z), IN(MPU_I32, x)}},
    {"there is no such pattern", {.pattern = (mpu_pattern)77, .function = ""}, {IN(MPU_I32, x)}},
};

static void says(mpu_error *e, const char *what) {
    assert_non_null(e);
    if (!strstr(mpu_error_text(e), what))
        fail_msg("'%s' has no '%s'", mpu_error_text(e), what);
    mpu_error_free(e);
}

/* Nothing is added, and what was there works. */
static void test_refusals(void **state) {
    (void)state;
    way = &ways[1];
    length = 1000;
    fill();
    mpu_pipeline *p = begin(0);
    mpu_error *e = NULL;
    uint64_t n;
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_USAGE);
    says(e, "the pipeline has no stage");
    add(p, MPU_PATTERN_FILTER, 0, 0, "[](int *x) { return *x > 0; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        mpu_stage s = refusals[i].stage;
        s.arguments = refusals[i].arguments;
        e = NULL;
        if (mpu_pipeline_stage(p, &s, &e) != MPU_REJECTED)
            fail_msg("not refused: %s", refusals[i].why);
        says(e, refusals[i].why);
    }
    e = NULL;
    const mpu_stage none = STAGE(MAP, "[](int *y) { *y = 1; }", .count = 1);
    assert_int_equal(mpu_pipeline_stage(p, &none, &e), MPU_USAGE);
    says(e, "a stage has 1 arguments, and no array of them");
    e = NULL;
    assert_int_equal(mpu_pipeline_fetch(p, z, &e), MPU_USAGE);
    says(e, "fetch: no stage makes or changes this array");
    assert_int_equal(mpu_pipeline_length(p, y, &n), MPU_USAGE);
    fetch(p, y);
    execute(p);
    assert_int_equal(mpu_pipeline_length(p, z, &n), MPU_USAGE);
    e = NULL;
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_USAGE);
    says(e, "executed before");
    e = NULL;
    assert_int_equal(mpu_pipeline_fetch(p, y, &e), MPU_USAGE);
    says(e, "fetch before that");
    mpu_pipeline_free(p);
    e = NULL;
    assert_null(mpu_pipeline_new(way->open, UINT64_MAX, NULL, &e));
    says(e, "elements at most");
}

/* What a machine has no room for is known when it is carried out. */
static void test_scalar_beyond_wram(void **state) {
    (void)state;
    way = &ways[1];
    length = 1000;
    fill();
    mpu_pipeline *p = begin(0);
    mpu_error *e = NULL;
    int32_t *many = calloc(16385, sizeof *many);
    mpu_stage s = STAGE(MAP, "(int *y, int *x, int *v) { *y = *x + v[*x & 16383]; }", .count = 3);
    s.arguments =
        (mpu_stage_argument[]){OUT(MPU_I32, y), IN(MPU_I32, x), SCALAR(MPU_I32, many, 16385)};
    assert_int_equal(mpu_pipeline_stage(p, &s, &e), MPU_OK);
    fetch(p, y);
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_REJECTED);
    says(e, "stage 1 (a.c:7): argument 3 is a scalar of 65540 bytes, which all lie in each DPU's "
            "WRAM of 65536: make it an INPUT, or use several pipelines");
    mpu_pipeline_free(p);
    p = begin(0);
    s = (mpu_stage)STAGE(REDUCE, "(int *v, int *x) { v[*x & 16383] += 1; }", .count = 2);
    s.arguments = (mpu_stage_argument[]){{MPU_ROLE_REDUCE_OUT, MPU_I32, many, 16384, NULL, 0},
                                         IN(MPU_I32, x)};
    assert_int_equal(mpu_pipeline_stage(p, &s, &e), MPU_OK);
    fetch(p, many);
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_REJECTED);
    says(e, "argument 1 is accumulators of 65536 bytes, which all lie in each DPU's WRAM of 65536: "
            "gather in parts, by several pipelines");
    mpu_pipeline_free(p);
    free(many);
}

/* Groups of groups divide what the groups before them have made. */
static void test_groups_of_groups(void **state) {
    static const char function[] = "[](int *y, int *x) { *y = x[0]; }";
    (void)state;
    way = &ways[1];
    length = 60;
    fill();
    mpu_pipeline *p = begin(0);
    mpu_error *e = NULL;
    mpu_stage s = STAGE(GROUP, function, .count = 2, .group = 4);
    add(p, MPU_PATTERN_GROUP, 0, 2, function, ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    s.arguments = (mpu_stage_argument[]){OUT(MPU_I32, z), IN(MPU_I32, y)};
    assert_int_equal(mpu_pipeline_stage(p, &s, &e), MPU_REJECTED);
    says(e, "stage 2 (a.c:7): groups of 4 do not divide 30 elements");
    mpu_pipeline_free(p);
    /* No number of elements is too large for 64 bits. */
    length = 0;
    p = begin(0);
    add(p, MPU_PATTERN_GROUP, 0, 32768, function, ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_GROUP, 0, 32768, function, ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y)));
    s.group = 2048;
    s.arguments = (mpu_stage_argument[]){OUT(MPU_I32, want), IN(MPU_I32, z)};
    e = NULL;
    assert_int_equal(mpu_pipeline_stage(p, &s, &e), MPU_REJECTED);
    says(e, "groups of groups have 1099511627776 elements at most");
    fetch(p, z);
    execute(p);
    mpu_pipeline_free(p);
}

/* What shows itself when it is executed; nothing is written then. */
static void test_failures(void **state) {
    mpu_error *e = NULL;
    (void)state;
    way = &ways[3];
    length = 1000;
    fill();
    mpu_pipeline_options small = way->options;
    small.mram_bytes = 8;
    mpu_pipeline *p = mpu_pipeline_new(way->open, length, &small, NULL);
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y, int *x) { *y = *x; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    fetch(p, y);
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_CAPACITY);
    says(e, "not even 2 elements of all arrays of the pipeline have room");
    mpu_pipeline_free(p);
    /* Windows of what a stage makes, and a filter of these: one round has all. */
    small.mram_bytes = 1500;
    small.dpus = 1;
    p = mpu_pipeline_new(way->open, length, &small, NULL);
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y, int *x) { *y = *x; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    add(p, MPU_PATTERN_WINDOW_FILTER, 1, 0, "[](int *y) { return y[0] < y[1]; }",
        ARGUMENTS(OUT(MPU_I32, z), IN(MPU_I32, y)));
    fetch(p, z);
    e = NULL;
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_CAPACITY);
    says(e, "filter or reduce it in a pipeline of its own");
    mpu_pipeline_free(p);
    /* An array that is too short for what comes. */
    p = begin(0);
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y, int *x) { *y = *x; }",
        ARGUMENTS({MPU_ROLE_OUTPUT, MPU_I32, y, 10, NULL, 0}, IN(MPU_I32, x)));
    fetch(p, y);
    e = NULL;
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_USAGE);
    says(e, "has room for 10: make it larger");
    assert_int_equal(y[0], NOTHING);
    mpu_pipeline_free(p);
    /* An index that is outside for some element. */
    p = begin(0);
    add(p, MPU_PATTERN_MAP, 0, 0, "[](int *y, int *x) { int t[4]; t[*x] = 1; *y = t[0]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    fetch(p, y);
    e = NULL;
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_STOPPED);
    says(e, "is outside of 't'");
    assert_int_equal(y[0], NOTHING);
    mpu_pipeline_free(p);
    /* What planes have no registers for. */
    way = &ways[6];
    p = begin(0);
    add(p, MPU_PATTERN_GROUP, 0, 100, "[](int *y, int *x) { *y = x[99]; }",
        ARGUMENTS(OUT(MPU_I32, y), IN(MPU_I32, x)));
    fetch(p, y);
    e = NULL;
    assert_int_equal(mpu_pipeline_execute(p, &e), MPU_REJECTED);
    says(e, "target 'racer' cannot carry this pipeline out");
    mpu_pipeline_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_many_bins),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_window_filter),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_window_group),
        cmocka_unit_test(test_group_filters),
        cmocka_unit_test(test_two_groups),
        cmocka_unit_test(test_group_then_filter),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_long_host_time),
        cmocka_unit_test(test_cpu_share),
        cmocka_unit_test(test_paper_machine),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_scalar_beyond_wram),
        cmocka_unit_test(test_groups_of_groups),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, open_ways, close_ways);
}
