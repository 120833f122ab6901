/* SPDX-License-Identifier: MIT
 * Vectors on a device: the time that the host takes for what eager front ends do most, one JSON
 * object a target.  README.md says what the numbers mean.
 *   bench_device [TARGET ...] */
#include "bench/sample.h"
#include "support/json.h"
#include "support/str.h"

#include <mpu/mpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS    15
#define LARGE   1048576
#define SMALL   64
#define CHAIN   10000
#define NUMBERS 1000
#define ROUNDS  64

static const mpu_vtype i32 = {MPU_KIND_INT, 32}, i64 = {MPU_KIND_INT, 64};

struct bench {
    mpu_device *d;
    uint64_t n;
    mpu_vector *x, *y;
    int32_t *a, *b;
    uint32_t number; /* the last scalar */
    mpu_error *e;
    bool failed;
};

static void note(struct bench *bench, bool good) {
    if (!good && !bench->failed)
        fprintf(stderr, "%s", mpu_error_text(bench->e));
    bench->failed |= !good;
}

static void put(void *context) {
    struct bench *b = context;
    note(b, mpu_vector_put(b->x, 0, b->n, b->a, &b->e) == MPU_OK);
}

static void get(void *context) {
    struct bench *b = context;
    note(b, mpu_vector_get(b->x, 0, b->n, b->b, &b->e) == MPU_OK);
}

static mpu_vector *sum_of(struct bench *bench, const mpu_vector *left) {
    const mpu_operand operands[] = {{left, 0}, {bench->y, 0}};
    mpu_vector *z = mpu_apply(bench->d, MPU_OP_ADD, i32, bench->n, operands, 2, &bench->e);
    note(bench, z != NULL);
    return z;
}

static void add(void *context) {
    struct bench *b = context;
    mpu_vector *z = sum_of(b, b->x);
    note(b, mpu_device_flush(b->d, &b->e) == MPU_OK);
    mpu_vector_release(z);
}

static void chain(void *context) {
    struct bench *b = context;
    mpu_vector *z = mpu_vector_retain(b->x);
    for (unsigned k = 0; k < CHAIN && !b->failed; k++) {
        mpu_vector *next = sum_of(b, z);
        mpu_vector_release(z);
        z = next;
    }
    note(b, z && mpu_vector_get(z, 0, b->n, b->b, &b->e) == MPU_OK);
    for (uint64_t i = 0; i < b->n && !b->failed; i++)
        note(b, (uint32_t)b->b[i] == (uint32_t)b->a[i] * (CHAIN + 1u));
    mpu_vector_release(z);
}

static mpu_vector *product_of(struct bench *bench, const mpu_vector *v) {
    bench->number = bench->number * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
    const mpu_operand operands[] = {{v, 0}, {NULL, bench->number}};
    mpu_vector *z = mpu_apply(bench->d, MPU_OP_MUL, i32, bench->n, operands, 2, &bench->e);
    note(bench, z != NULL);
    return z;
}

/* Each by a number that was not there before. */
static void products(void *context) {
    struct bench *b = context;
    for (unsigned k = 0; k < NUMBERS && !b->failed; k++) {
        mpu_vector *z = product_of(b, b->x);
        note(b, z && mpu_vector_get(z, 0, b->n, b->b, &b->e) == MPU_OK);
        for (uint64_t i = 0; i < b->n && !b->failed; i++)
            note(b, (uint32_t)b->b[i] == (uint32_t)b->a[i] * b->number);
        mpu_vector_release(z);
    }
}

/* A put for each product, which are added up. */
static void put_in_turn(void *context) {
    struct bench *b = context;
    mpu_vector *sum = mpu_vector_new(b->d, i32, b->n, &b->e);
    for (unsigned k = 0; k < ROUNDS && !b->failed; k++) {
        note(b, mpu_vector_put(b->x, 0, b->n, b->a, &b->e) == MPU_OK);
        mpu_vector *z = product_of(b, b->x);
        const mpu_operand operands[] = {{z, 0}, {sum, 0}};
        mpu_vector *next = mpu_apply(b->d, MPU_OP_ADD, i32, b->n, operands, 2, &b->e);
        note(b, next != NULL);
        mpu_vector_release(z);
        mpu_vector_release(sum);
        sum = next;
    }
    note(b, sum && mpu_vector_get(sum, 0, b->n, b->b, &b->e) == MPU_OK);
    mpu_vector_release(sum);
}

static void sum_range(struct bench *b, uint64_t first, uint64_t count) {
    int64_t got = 0, want = 0;
    mpu_vector *z = mpu_fold(b->x, MPU_OP_ADD, i64, first, count, count, &b->e);
    note(b, z && mpu_vector_get(z, 0, 1, &got, &b->e) == MPU_OK);
    for (uint64_t i = first; i < first + count; i++)
        want += b->a[i];
    note(b, got == want);
    mpu_vector_release(z);
}

static void sum_all(void *context) {
    struct bench *b = context;
    sum_range(b, 0, b->n);
}

static void sum_quarter(void *context) {
    struct bench *b = context;
    sum_range(b, b->n / 4, b->n / 4);
}

static void scan(void *context) {
    struct bench *b = context;
    mpu_vector *z = mpu_scan(b->x, MPU_OP_ADD, i32, &b->e);
    note(b, z && mpu_device_flush(b->d, &b->e) == MPU_OK);
    mpu_vector_release(z);
}

/* Wall time: the work may be that of several threads. */
static void measure(struct bench *bench, struct json *json, const char *key,
                    void (*work)(void *context)) {
    double seconds[RUNS];
    struct timespec begin, end;
    work(bench);
    for (unsigned k = 0; k < RUNS; k++) {
        clock_gettime(CLOCK_MONOTONIC, &begin);
        work(bench);
        clock_gettime(CLOCK_MONOTONIC, &end);
        seconds[k] =
            (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    }
    sample_report(json, key, seconds, RUNS, 1e3, 1);
}

static bool open_vectors(struct bench *bench, mpu_device *device, uint64_t n) {
    *bench = (struct bench){.d = device, .n = n};
    bench->a = malloc(n * sizeof *bench->a);
    bench->b = malloc(n * sizeof *bench->b);
    for (uint64_t i = 0; i < n; i++)
        bench->a[i] = (int32_t)(i * 2654435761u);
    bench->x = mpu_vector_new(device, i32, n, &bench->e);
    bench->y = mpu_vector_new(device, i32, n, &bench->e);
    note(bench,
         bench->x && bench->y && mpu_vector_put(bench->y, 0, n, bench->a, &bench->e) == MPU_OK);
    return !bench->failed;
}

static bool close_vectors(struct bench *bench) {
    mpu_vector_release(bench->x);
    mpu_vector_release(bench->y);
    free(bench->a);
    free(bench->b);
    return !bench->failed;
}

static bool bench_target(const char *name, struct json *json) {
    struct bench b;
    mpu_target *t = mpu_target_open(name, NULL, NULL);
    mpu_device *d = t ? mpu_device_open(t, NULL, NULL) : NULL;
    if (!d)
        return false;
    json_object_begin(json, NULL);
    json_string(json, "benchmark", "device");
    json_string(json, "target", name);
    json_u64(json, "runs", RUNS);
    sample_report_machine(json);
    bool good = open_vectors(&b, d, LARGE);
    if (good) {
        measure(&b, json, "put_1Mi_i32_ms", put);
        measure(&b, json, "get_1Mi_i32_ms", get);
        measure(&b, json, "add_1Mi_i32_ms", add);
        measure(&b, json, "sum_1Mi_i32_ms", sum_all);
        measure(&b, json, "sum_of_quarter_1Mi_i32_ms", sum_quarter);
        measure(&b, json, "scan_1Mi_i32_ms", scan);
    }
    good = close_vectors(&b) && good && open_vectors(&b, d, SMALL);
    if (good) {
        put(&b);
        measure(&b, json, "add_64_i32_ms", add);
        measure(&b, json, "add_64_i32_10000_times_ms", chain);
        measure(&b, json, "product_64_i32_1000_new_numbers_ms", products);
        measure(&b, json, "put_product_add_64_i32_64_times_ms", put_in_turn);
    }
    good = close_vectors(&b) && good;
    json_object_end(json);
    mpu_device_close(d);
    mpu_target_close(t);
    return good;
}

int main(int argc, char **argv) {
    static const char *const usual[] = {"racer", "mimdram"};
    bool good = true;
    for (int i = 0; i < (argc > 1 ? argc - 1 : 2) && good; i++) {
        struct json *j = json_new_line();
        struct str text = {0};
        good = bench_target(argc > 1 ? argv[i + 1] : usual[i], j);
        json_finish(j, &text);
        fputs(str_text(&text), stdout);
        str_free(&text);
    }
    return good ? 0 : 1;
}
