/* SPDX-License-Identifier: MIT
 * What a second thread gains in launches, on the suite's two machines with stored code: one JSON
 * object on one line.  README.md says what the numbers mean. */
#include "asm/asm.h"
#include "bench/sample.h"
#include "emu/control/control.h"
#include "linker/linker.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define RUNS     9
#define ELEMENTS 4096

/* An element after the other, 40 laps each, by the workers of all units. */
static const char own[] = "        .buffer inout y: i64[4096]\n"
                          "        .kernel work core(y: i64[], n: u64)\n"
                          "            li x9 3\n            li x8 1\n"
                          "        lap: ltu x5 x15 x2\n            beqz x5 out\n"
                          "            shl x6 x15 x9\n            add x6 x6 x1\n"
                          "            ld x10 (x6)\n            li x11 400\n"
                          "        in: add x10 x10 x11\n            sub x11 x11 x8\n"
                          "            bnez x11 in\n            st x10 (x6)\n"
                          "            add x15 x15 x14\n            beqz x0 lap\n"
                          "        out: end\n        .endkernel\n"
                          "main:   RECIPE work(y, 4096)\n        HALT\n";
/* 16 threads a unit, which take turns, and go to memory in each lap. */
static const char turns[] = "        .buffer inout y: i64[4096]\n"
                            "        .kernel work turns(y: i64[], n: u64)\n"
                            "        lap: lt.z x5 x39 x2 out\n"
                            "            shl x6 x39 3\n            add x6 x6 x1\n"
                            "            set x11 200\n"
                            "        in: load x10 x6\n            add x10 x10 x11\n"
                            "            store x10 x6\n            sub.nz x11 x11 1 in\n"
                            "            add x39 x39 x38\n            jump lap\n"
                            "        out: end\n        .endkernel\n"
                            "main:   RECIPE work<<<1024>>>(y, 4096)\n        HALT\n";

struct bench {
    struct target *target;
    struct machine_library *library;
    struct object *object;
    struct package *package;
    struct datapath *dp;
    uint64_t address;
};

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool open_package(struct bench *b, const char *file, const char *text, struct diag *d) {
    const struct target_override more = {"array.lanes", "64"};
    const struct asm_options options = {0};
    const struct link_options link = {0};
    b->target = target_open(file, &more, 1, d);
    b->library = b->target ? machine_library_open(b->target, NULL, 0, d) : NULL;
    struct object *o = asm_assemble("bench.s", text, strlen(text), &options, d);
    const struct object *const inputs[] = {o};
    b->object = o ? link_objects(inputs, 1, &link, d) : NULL;
    object_free(o);
    b->package = b->object && b->library
                     ? package_build(b->object, b->target, b->library, NULL, 0, d)
                     : NULL;
    return b->package;
}

static bool open_bench(struct bench *b, const char *file, const char *text, struct diag *d) {
    if (!open_package(b, file, text, d))
        return false;
    const struct dp_setup setup = {.target = b->target,
                                   .library = b->library,
                                   .mpus = b->target->mpus,
                                   .reg_bits = b->package->reg_bits,
                                   .kernels = true};
    b->dp = datapath_find(b->target->kind->name, NULL)->open(&setup, d);
    return b->dp && b->dp->ops->mem_alloc(b->dp, 8 * ELEMENTS, &b->address, d);
}

static void close_bench(struct bench *b) {
    if (b->dp)
        b->dp->ops->close(b->dp);
    package_free(b->package);
    object_free(b->object);
    machine_library_close(b->library);
    target_free(b->target);
    *b = (struct bench){.target = NULL};
}

/* Of all threads together. */
static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a run on so many threads, and of processors; below 0: it failed. */
static double run_seconds(const struct bench *b, unsigned threads, double *work) {
    const struct control_config config = {.threads = threads, .buffers = &b->address};
    struct control *c = control_new(b->object, b->package, b->target, b->dp, &config);
    double start = wall_seconds(), before = processor_seconds();
    bool good = control_run(c) == CONTROL_DONE;
    double seconds = wall_seconds() - start;
    *work = processor_seconds() - before;
    control_free(c);
    return good ? seconds : -1;
}

/* Both in turn, so that what else the machine does meets both. */
static bool measure(const struct bench *b, struct json *json) {
    double one[RUNS], gain[RUNS], more[RUNS], works[2];
    run_seconds(b, 2, works);
    for (size_t i = 0; i < RUNS; i++) {
        one[i] = run_seconds(b, 1, &works[0]);
        double two = run_seconds(b, 2, &works[1]);
        if (one[i] <= 0 || two <= 0)
            return false;
        gain[i] = one[i] / two;
        more[i] = works[1] / works[0];
    }
    sample_report(json, "one_thread_seconds", one, RUNS, 1, 1);
    sample_report(json, "speed_up_of_two_threads", gain, RUNS, 1, 1);
    sample_report(json, "work_of_two_threads", more, RUNS, 1, 1);
    return true;
}

static bool bench_machine(const char *name, const char *file, const char *text, struct json *json,
                          struct diag *d) {
    struct bench b = {.target = NULL};
    json_object_begin(json, name);
    bool good = open_bench(&b, file, text, d) && measure(&b, json);
    json_object_end(json);
    close_bench(&b);
    return good;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct json *j = json_new_line();
    struct str text = {0};
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "launches");
    json_u64(j, "runs", RUNS);
    sample_report_machine(j);
    bool good =
        bench_machine("core", MPU_SOURCE_DIR "/tests/machines/core/core.yaml", own, j, d) &&
        bench_machine("turns", MPU_SOURCE_DIR "/tests/machines/turns/turns.yaml", turns, j, d);
    json_object_end(j);
    json_finish(j, &text);
    if (good)
        fputs(str_text(&text), stdout);
    else
        fprintf(stderr, "bench_launches: %s\n", diag_first(d) ? diag_first(d) : "failed");
    str_free(&text);
    diag_free(d);
    return good ? 0 : 1;
}
