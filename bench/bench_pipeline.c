/* SPDX-License-Identifier: MIT
 * Pipelines of DaPPA: planning, compiling, and VA on 64 emulated DPUs from two files to a third,
 * beside the rate of the benchmark's VA (bench_dpu): one JSON object a line.  README.md says what
 * the numbers mean.
 *   bench_pipeline BENCH_DPU FOLDER [ELEMENTS] */
#include "bench/sample.h"
#include "runtime/include/mpu/pipeline.h"
#include "support/alloc.h"
#include "support/json.h"
#include "support/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RUNS    5
#define DPUS    64
#define MOST    (UINT64_C(1) << 28)
#define PROGRAM "(int32_t *c, int32_t *a, int32_t *b) { *c = *a + *b; }"

/* CLOCK_MONOTONIC, or CLOCK_PROCESS_CPUTIME_ID: of all threads together. */
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(bool fine, mpu_error *e) {
    if (fine)
        return;
    fprintf(stderr, "bench_pipeline: %s\n", e ? mpu_error_text(e) : "failed");
    exit(1);
}

/* ---- the pipeline ---- */

static mpu_pipeline *vector_addition(const mpu_target *t, int32_t *c, int32_t *a, int32_t *b,
                                     uint64_t n) {
    const mpu_pipeline_options options = {.size = sizeof options, .dpus = DPUS};
    const mpu_stage_argument arguments[] = {{MPU_ROLE_OUTPUT, MPU_I32, c, 0, NULL, 0},
                                            {MPU_ROLE_INPUT, MPU_I32, a, 0, NULL, 0},
                                            {MPU_ROLE_INPUT, MPU_I32, b, 0, NULL, 0}};
    const mpu_stage stage = {
        .pattern = MPU_PATTERN_MAP, .function = PROGRAM, .arguments = arguments, .count = 3};
    mpu_error *e = NULL;
    mpu_pipeline *p = mpu_pipeline_new(t, n, &options, &e);
    check(p && mpu_pipeline_stage(p, &stage, &e) == MPU_OK &&
              mpu_pipeline_fetch(p, c, &e) == MPU_OK,
          e);
    return p;
}

struct job {
    const mpu_target *target;
    uint64_t n;
};
/* A plan of that many elements, made once. */
static void plan(void *context) {
    const struct job *job = context;
    static int32_t a, b, c;
    mpu_pipeline *p = vector_addition(job->target, &c, &a, &b, job->n);
    mpu_string_free(mpu_pipeline_plan(p, NULL));
    mpu_pipeline_free(p);
}
/* All that is done for elements of which there are next to none: reading, compiling, linking. */
static void compile(void *context) {
    const struct job *job = context;
    int32_t a[2 * DPUS] = {0}, b[2 * DPUS] = {0}, c[2 * DPUS];
    mpu_error *e = NULL;
    mpu_pipeline *p = vector_addition(job->target, c, a, b, 2 * DPUS);
    check(mpu_pipeline_execute(p, &e) == MPU_OK, e);
    mpu_pipeline_free(p);
}

static void report(const char *what, void (*work)(void *), struct job *job, double least_s) {
    double seconds[RUNS];
    struct str line = {0};
    sample_measure(work, job, RUNS, seconds);
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "pipeline");
    json_string(j, "part", what);
    sample_report(j, "milliseconds", seconds, RUNS, 1e3, 1);
    double best = seconds[0];
    for (int i = 1; i < RUNS; i++)
        best = seconds[i] < best ? seconds[i] : best;
    sample_report_number(j, "over_limit", best / least_s);
    json_object_end(j);
    json_finish(j, &line);
    fputs(str_text(&line), stdout);
    fflush(stdout);
    str_free(&line);
}

/* ---- from file to file ---- */

static const char *path(const char *folder, const char *name, char *out, size_t size) {
    snprintf(out, size, "%s/%s", folder, name);
    return out;
}
static int opened(const char *name, int flags) {
    int file = open(name, flags, 0600);
    if (file < 0) {
        perror(name);
        exit(1);
    }
    return file;
}
static void write_all(int file, const void *bytes, size_t size) {
    for (const char *at = bytes; size;) {
        ssize_t n = write(file, at, size);
        if (n <= 0) {
            perror("bench_pipeline");
            exit(1);
        }
        at += n;
        size -= (size_t)n;
    }
    close(file);
}
static int32_t *file_of(const char *name, uint64_t n) {
    int file = opened(name, O_RDONLY);
    void *bytes = mmap(NULL, n * sizeof(int32_t), PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) {
        perror(name);
        exit(1);
    }
    return bytes;
}

static double rate_of_va(const char *bench_dpu) {
    char command[4096], line[4096];
    double rate = 0;
    snprintf(command, sizeof command, "'%s'", bench_dpu);
    FILE *out = popen(command, "r");
    while (out && fgets(line, sizeof line, out)) {
        const char *at = strstr(line, "\"instructions_per_second\":{\"median\":");
        if (at && strstr(line, "\"program\":\"VA\""))
            rate = strtod(strchr(at, '{') + strlen("{\"median\":"), NULL);
    }
    if (!out || pclose(out) || rate == 0) {
        fprintf(stderr, "bench_pipeline: '%s' tells no rate of VA\n", bench_dpu);
        exit(1);
    }
    return rate;
}

static void make_files(const char *folder, uint64_t n) {
    int32_t *x = xmalloc(n * sizeof *x);
    char name[4096];
    for (uint64_t i = 0; i < n; i++)
        x[i] = (int32_t)(uint32_t)(i * 2654435761u);
    write_all(opened(path(folder, "a", name, sizeof name), O_WRONLY | O_CREAT | O_TRUNC), x,
              n * sizeof *x);
    write_all(opened(path(folder, "b", name, sizeof name), O_WRONLY | O_CREAT | O_TRUNC), x,
              n * sizeof *x);
    free(x);
}

static uint64_t figure(const mpu_pipeline *p, const char *name) {
    uint64_t value = 0;
    check(mpu_pipeline_figure(p, name, &value) == MPU_OK, NULL);
    return value;
}

static void file_to_file(const struct job *job, const char *folder, double rate) {
    char name[4096];
    mpu_error *e = NULL;
    struct str line = {0};
    const double begin = now(CLOCK_MONOTONIC), begin_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    int32_t *a = file_of(path(folder, "a", name, sizeof name), job->n),
            *b = file_of(path(folder, "b", name, sizeof name), job->n),
            *c = xmalloc_large(job->n * sizeof *c);
    mpu_pipeline *p = vector_addition(job->target, c, a, b, job->n);
    const double first = now(CLOCK_PROCESS_CPUTIME_ID);
    check(mpu_pipeline_execute(p, &e) == MPU_OK, e);
    const double last = now(CLOCK_PROCESS_CPUTIME_ID);
    write_all(opened(path(folder, "c", name, sizeof name), O_WRONLY | O_CREAT | O_TRUNC), c,
              job->n * sizeof *c);
    const double end = now(CLOCK_MONOTONIC), end_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (uint64_t i = 0; i < job->n; i++)
        check((uint32_t)c[i] == (uint32_t)a[i] + (uint32_t)b[i], NULL);
    const double instructions = (double)figure(p, "micro_ops");
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "pipeline");
    json_string(j, "part", "VA, file to file");
    json_u64(j, "elements", job->n);
    json_u64(j, "instructions", figure(p, "micro_ops"));
    sample_report_number(j, "seconds", end - begin);
    sample_report_number(j, "cpu_seconds", end_cpu - begin_cpu);
    sample_report_number(j, "cpu_seconds_of_execute", last - first);
    sample_report_number(j, "instructions_per_second_of_VA", rate);
    sample_report_number(j, "over_rate", (end - begin) * rate / instructions);
    sample_report_number(j, "cpu_over_rate", (end_cpu - begin_cpu) * rate / instructions);
    json_object_end(j);
    json_finish(j, &line);
    fputs(str_text(&line), stdout);
    str_free(&line);
    mpu_pipeline_free(p);
    munmap(a, job->n * sizeof *a);
    munmap(b, job->n * sizeof *b);
    free(c);
}

int main(int argc, char **argv) {
    mpu_error *e = NULL;
    struct job job = {.n = argc > 3 ? strtoull(argv[3], NULL, 10) : 64 << 20};
    if (argc < 3 || !job.n || job.n > MOST) {
        fprintf(stderr, "bench_pipeline BENCH_DPU FOLDER [ELEMENTS, at most 2^28]\n");
        return 2;
    }
    mpu_target *t = mpu_target_open("upmem-dappa", NULL, &e);
    check(t, e);
    job.target = t;
    report("plan", plan, &job, 1e-3);
    report("compile", compile, &job, 50e-3);
    make_files(argv[2], job.n);
    file_to_file(&job, argv[2], rate_of_va(argv[1]));
    mpu_target_close(t);
    return 0;
}
