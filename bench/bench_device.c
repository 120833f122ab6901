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

#define RUNS  15
#define LARGE 1048576
#define SMALL 64
#define CHAIN 10000

static const mpu_vtype i32 = {MPU_KIND_INT, 32};

struct bench {
    mpu_device *d;
    uint64_t n;
    mpu_vector *x, *y;
    int32_t *a, *b;
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
    }
    good = close_vectors(&b) && good && open_vectors(&b, d, SMALL);
    if (good) {
        put(&b);
        measure(&b, json, "add_64_i32_ms", add);
        measure(&b, json, "add_64_i32_10000_times_ms", chain);
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
