/* SPDX-License-Identifier: MIT
 * What threads gain, and the memory that a whole chip takes: one JSON object on one line.
 * README.md says what the numbers mean.
 *   bench_threads MPU_RUN CHIP.s */
#include "machines/plane/run/plane.h"
#include "asm/asm.h"
#include "bench/sample.h"
#include "emu/control/control.h"
#include "linker/linker.h"
#include "support/file.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS 9

/* 64 additions and as many exclusive ors over 16,384 VRFs of 32 MPUs. */
static const char straight[] = "        .group g[1048576]\n"
                               "        COMPUTEG @g\n"
                               "        INDEX.64 r1\n"
                               "        REPEAT 64\n"
                               "        ADD.64 r0 r1 r0\n"
                               "        XOR.64 r0 r1 r2\n"
                               "        REPEAT_END\n"
                               "        COMPUTE_DONE\n";

/* Elements leave a loop after 1 to 64 passes, batch by batch: 512 batches of 8 MPUs. */
static const char looping[] = "        .group g[262144]\n"
                              "        COMPUTEG @g\n"
                              "        INDEX.32 r1\n"
                              "        LI.32 63 r2\n"
                              "        SHRI.32 r1 9 r0\n"
                              "        AND.32 r0 r2 r0\n"
                              "        INC.32 r0 r0\n"
                              "        INIT0.32 r3\n"
                              "        LI.32 1 r4\n"
                              "loop:   ADD.32 r3 r0 r3\n"
                              "        XOR.32 r3 r1 r3\n"
                              "        MUL.8 r3 r0 r5\n"
                              "        SUB.32 r0 r4 r0\n"
                              "        CMPGT.32 r0 r4\n"
                              "        SETMASK cond\n"
                              "        JUMP_COND loop\n"
                              "        COMPUTE_DONE\n";

/* One VRF: there is nothing for threads. */
static const char small[] = "        REPEAT 200\n"
                            "        COMPUTE RFH0 VRF0\n"
                            "        ADD.64 r0 r1 r0\n"
                            "        COMPUTE_DONE\n"
                            "        REPEAT_END\n";

struct bench {
    struct target *target;
    struct machine_library *library;
    struct object *object;
    struct package *package;
    struct datapath *dp;
};

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one program on one machine ---- */

static bool open_bench(struct bench *bench, const char *text, struct diag *diag) {
    const struct asm_options options = {0};
    const struct link_options link = {0};
    struct object *o = asm_assemble("bench.s", text, strlen(text), &options, diag);
    const struct object *const inputs[] = {o};
    bench->object = o ? link_objects(inputs, 1, &link, diag) : NULL;
    object_free(o);
    bench->package =
        bench->object ? package_build(bench->object, bench->target, bench->library, NULL, 0, diag)
                      : NULL;
    if (!bench->package)
        return false;
    const struct dp_setup setup = {.target = bench->target,
                                   .library = bench->library,
                                   .mpus = bench->package->mpus,
                                   .reg_bits = bench->package->reg_bits};
    bench->dp = plane_strict_ops.open(&setup, diag);
    return bench->dp;
}

static void close_bench(struct bench *bench) {
    if (bench->dp)
        bench->dp->ops->close(bench->dp);
    package_free(bench->package);
    object_free(bench->object);
    *bench = (struct bench){.target = bench->target, .library = bench->library};
}

static bool run_once(struct bench *bench, unsigned threads) {
    const struct control_config config = {.threads = threads};
    struct control *c =
        control_new(bench->object, bench->package, bench->target, bench->dp, &config);
    bool good = control_run(c) == CONTROL_DONE;
    control_free(c);
    return good;
}

/* ---- threads ---- */

static double run_seconds(struct bench *bench, unsigned threads) {
    double start = wall_seconds();
    return run_once(bench, threads) ? wall_seconds() - start : -1;
}

/* Both in turn, so that what else the machine does meets both. */
static bool measure_threads(struct bench *bench, struct json *json) {
    double one[RUNS], gain[RUNS];
    run_seconds(bench, 2);
    for (size_t i = 0; i < RUNS; i++) {
        one[i] = run_seconds(bench, 1);
        double two = run_seconds(bench, 2);
        if (one[i] <= 0 || two <= 0)
            return false;
        gain[i] = one[i] / two;
    }
    sample_report(json, "one_thread_seconds", one, RUNS, 1, 1);
    sample_report(json, "speed_up_of_two_threads", gain, RUNS, 1, 1);
    return true;
}

static bool bench_program(struct bench *bench, const char *name, const char *text,
                          struct json *json, struct diag *diag) {
    json_object_begin(json, name);
    bool good = open_bench(bench, text, diag) && measure_threads(bench, json);
    json_object_end(json);
    close_bench(bench);
    return good;
}

/* ---- the whole chip ---- */

/* What a program of one addition names of a chip. */
struct chip {
    const char *target;
    unsigned width, vrfs_per_rfh;
    struct {
        const char *bytes, *seconds; /* keys */
        unsigned mpus, vrfs;         /* of each */
    } parts[3];
};

/* One of the 512 VRFs of 497 MPUs, five of each in different rows, all; of 65,536 crossbars one,
 * 656, all. */
static const struct chip racer_chip = {"racer",
                                       64,
                                       64,
                                       {{"one_vrf_MB", "one_vrf_seconds", 1, 1},
                                        {"one_percent_MB", "one_percent_seconds", 497, 5},
                                        {"all_MB", "all_seconds", 497, 512}}};
static const struct chip pypim_chip = {"pypim",
                                       32,
                                       16,
                                       {{"one_vrf_MB", "one_vrf_seconds", 1, 1},
                                        {"one_percent_MB", "one_percent_seconds", 328, 2},
                                        {"all_MB", "all_seconds", 512, 128}}};

/* Largest resident set of one run of the tool, in bytes; 0 when it fails.  *seconds: wall time. */
static uint64_t resident_bytes(const char *tool, const char *target, const char *program,
                               double *seconds) {
    struct rusage use;
    int status;
    double start = wall_seconds();
    pid_t child = fork();
    if (child == 0) {
        execl(tool, tool, "--target", target, program, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &use) != child || status != 0)
        return 0;
    *seconds = wall_seconds() - start;
    return (uint64_t)use.ru_maxrss * 1024;
}

static bool write_chip(const char *path, const struct chip *chip, unsigned mpus, unsigned vrfs) {
    struct str text = {0};
    str_printf(&text, "        .mpu 0..%u main\n        .global main\nmain:\n", mpus - 1);
    for (unsigned k = 0; k < vrfs; k++)
        str_printf(&text, "        COMPUTE RFH%u VRF%u\n", k % 8,
                   vrfs > 8 ? k / 8 : k * 9 % chip->vrfs_per_rfh);
    str_printf(&text, "        ADD.%u r0 r1 r2\n        COMPUTE_DONE\n", chip->width);
    FILE *f = fopen(path, "w");
    bool good = f && fputs(str_text(&text), f) >= 0;
    good = f && fclose(f) == 0 && good;
    str_free(&text);
    return good;
}

static bool bench_chip(const char *key, const struct chip *chip, const char *tool, const char *path,
                       struct json *json) {
    bool good = true;
    json_object_begin(json, key);
    for (unsigned i = 0; i < 3 && good; i++) {
        double seconds = 0;
        uint64_t bytes = write_chip(path, chip, chip->parts[i].mpus, chip->parts[i].vrfs)
                             ? resident_bytes(tool, chip->target, path, &seconds)
                             : 0;
        sample_report_number(json, chip->parts[i].bytes, 1e-6 * (double)bytes);
        sample_report_number(json, chip->parts[i].seconds, seconds);
        good = bytes != 0;
    }
    json_object_end(json);
    return good;
}

static bool bench_all(struct bench *bench, char **argv, struct json *json, struct diag *diag) {
    json_object_begin(json, NULL);
    json_string(json, "benchmark", "threads");
    json_string(json, "target", bench->target->name);
    json_u64(json, "runs", RUNS);
    sample_report_machine(json);
    bool good = bench_program(bench, "straight", straight, json, diag) &&
                bench_program(bench, "looping", looping, json, diag) &&
                bench_program(bench, "small", small, json, diag) &&
                bench_chip("whole_chip", &racer_chip, argv[1], argv[2], json) &&
                bench_chip("whole_pypim", &pypim_chip, argv[1], argv[2], json);
    json_object_end(json);
    return good;
}

int main(int argc, char **argv) {
    struct diag *d = diag_new(NULL, NULL);
    struct bench b = {.target = target_open("racer", NULL, 0, d)};
    struct json *j = json_new_line();
    struct str text = {0};
    b.library = b.target ? machine_library_open(b.target, NULL, 0, d) : NULL;
    bool good = argc == 3 && b.library && bench_all(&b, argv, j, d);
    json_finish(j, &text);
    if (good)
        fputs(str_text(&text), stdout);
    else
        fprintf(stderr, "bench_threads: %s\n", diag_first(d) ? diag_first(d) : "failed");
    str_free(&text);
    machine_library_close(b.library);
    target_free(b.target);
    diag_free(d);
    return good ? 0 : 1;
}
