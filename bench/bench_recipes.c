/* SPDX-License-Identifier: MIT
 * How fast recipes are verified, and how fast each instruction is on the strict engine: one JSON
 * object a line.  README.md says what the numbers mean. */
#include "bench/sample.h"
#include "machines/plane/run/plane.h"
#include "machines/plane/verify/verify.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define RUNS  5
#define LANES (1u << 20)

struct bench {
    struct target *target;
    struct machine_library *library;
    const struct recipe_set *set; /* of the library */
    struct datapath *dp;
    struct dp_code *code;
    struct vrf_range range;
};

static void print_line(struct json *json) {
    struct str text = {0};
    json_finish(json, &text);
    fputs(str_text(&text), stdout);
    fflush(stdout);
    str_free(&text);
}

/* --- the matrix --- */

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool bench_matrix(const struct bench *bench, struct diag *diag) {
    struct verify_options o = {.effort = VERIFY_FULL, .op = OP_COUNT, .seed = 1};
    struct verify_plane plane;
    struct verify_count n;
    double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (!verify_matrix(plane_verify(&plane, bench->target, bench->set), &o, &n, diag))
        return false;
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "verification");
    json_string(j, "target", bench->target->name);
    sample_report_machine(j);
    json_u64(j, "instructions", n.instructions);
    json_u64(j, "forms", n.forms);
    json_u64(j, "lane_results", n.lanes);
    json_u64(j, "micro_op_lanes", n.uop_lanes);
    sample_report_number(j, "seconds", wall);
    sample_report_number(j, "cpu_seconds", cpu);
    sample_report_number(j, "M_lane_results_per_cpu_s", 1e-6 * (double)n.lanes / cpu);
    sample_report_number(j, "G_micro_op_lanes_per_cpu_s", 1e-9 * (double)n.uop_lanes / cpu);
    json_object_end(j);
    print_line(j);
    return true;
}

/* --- instructions --- */

static void run_code(void *context) {
    struct bench *b = context;
    b->dp->ops->execute(b->dp, b->code, (struct vrf_set){&b->range, 1}, (struct dp_moment){0},
                        NULL);
}

/* Distinct registers (rs is r0), and a constant that is neither free nor the most expensive one. */
static struct insn insn_of(enum isa_op op, unsigned w) {
    const struct isa_info *info = isa_info(op);
    struct insn x = {.op = op, .width = info->flags & ISA_WIDTH ? (uint8_t)w : 0};
    x.rt = info->flags & (READS_RT | WRITES_RT) ? 1 : 0;
    x.rd = info->flags & (READS_RD | WRITES_RD) ? 2 : 0;
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_COUNT)
            x.imm = 1;
        else if (info->operands[i] == ROLE_SRCWIDTH)
            x.imm = (int32_t)w / 2;
        else if (info->operands[i] == ROLE_IMM)
            x.imm = 0x55;
    return x;
}

static bool bench_width(struct bench *bench, struct json *json, enum isa_op op, unsigned w,
                        struct diag *diag) {
    struct insn insn = insn_of(op, w);
    struct dp_run run = {&insn, 1, false, 0};
    struct dp_description about;
    double seconds[RUNS];
    uint32_t word;
    char key[16];
    if (isa_encode(&insn, &word) != ISA_OK)
        insn.imm = 5; /* bits 60..63 are but four */
    if (isa_encode(&insn, &word) != ISA_OK)
        return true; /* the instruction has not this width */
    bench->code = bench->dp->ops->prepare(bench->dp, &run, diag);
    if (!bench->code)
        return false;
    bench->dp->ops->describe(bench->dp, bench->code, &about);
    sample_measure(run_code, bench, RUNS, seconds);
    snprintf(key, sizeof key, "%u", w);
    json_object_begin(json, key);
    json_u64(json, "micro_ops", about.micro_ops);
    sample_report(json, "M_lane_ops_per_s", seconds, RUNS,
                  1e-6 * bench->range.count * bench->target->lanes, 0);
    json_object_end(json);
    plane_codes_free(plane_of(bench->dp));
    return true;
}

static bool bench_instruction(struct bench *bench, enum isa_op op, struct diag *diag) {
    static const unsigned widths[] = {8, 16, 32, 64};
    const struct isa_info *info = isa_info(op);
    size_t count = info->flags & ISA_WIDTH ? sizeof widths / sizeof *widths : 1;
    struct json *j = json_new_line();
    bool good = true;
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "instruction");
    json_string(j, "engine", "strict");
    json_string(j, "target", bench->target->name);
    json_string(j, "instruction", info->name);
    json_string(j, "operation", info->operation);
    json_u64(j, "lanes", LANES);
    json_u64(j, "runs", RUNS);
    json_object_begin(j, "widths");
    for (size_t i = 0; i < count && good; i++)
        good = bench_width(bench, j, op, count > 1 ? widths[i] : 1, diag);
    json_object_end(j);
    json_object_end(j);
    print_line(j);
    return good;
}

static bool open_machine(struct bench *bench, struct diag *diag) {
    static const uint8_t bits[64] = {64, 64, 64};
    uint32_t vrfs = LANES / bench->target->lanes, per_mpu = target_vrfs_per_mpu(bench->target);
    struct dp_setup setup = {.target = bench->target,
                             .library = bench->library,
                             .mpus = (vrfs + per_mpu - 1) / per_mpu,
                             .reg_bits = bits,
                             .init = DP_INIT_RANDOM,
                             .seed = 1};
    bench->range = (struct vrf_range){0, vrfs};
    bench->dp = plane_strict_ops.open(&setup, diag);
    for (uint32_t v = 0; bench->dp && v < vrfs; v++) {
        struct dp_binding binding = {.vrf = v, .valid_lanes = bench->target->lanes};
        bench->dp->ops->bind(bench->dp, &binding, 1);
    }
    return bench->dp != NULL;
}

static bool bench_instructions(struct bench *bench, struct diag *diag) {
    bool good = open_machine(bench, diag);
    for (int op = 0; op < OP_COUNT && good; op++)
        if (recipe_exists(bench->set, (enum isa_op)op))
            good = bench_instruction(bench, (enum isa_op)op, diag);
    if (bench->dp)
        bench->dp->ops->close(bench->dp);
    return good;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct bench b = {.target = target_open("racer", NULL, 0, d)};
    b.library = b.target ? machine_library_open(b.target, NULL, 0, d) : NULL;
    b.set = b.library ? plane_recipes(b.library) : NULL;
    bool good = b.set && bench_matrix(&b, d) && bench_instructions(&b, d);
    diag_flush(d);
    if (!good)
        fprintf(stderr, "bench_recipes: %s\n", diag_first(d) ? diag_first(d) : "failed");
    machine_library_close(b.library);
    target_free(b.target);
    diag_free(d);
    return good ? 0 : 1;
}
