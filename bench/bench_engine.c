/* SPDX-License-Identifier: MIT
 * How fast the strict engine is, in each build of its kernels that this processor can run: one
 * JSON object on one line.  README.md says what the numbers mean. */
#include "bench/sample.h"
#include "machines/plane/run/plane.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>
#include <string.h>

#define RUNS  15
#define LANES (1u << 20)

struct bench {
    struct target *target;
    struct datapath *dp;
    struct dp_code *code;
    struct dp_description about;
    struct vrf_range range;
    unsigned repeats; /* of the call in one measurement */
    uint64_t *values;
};

static void run_code(void *context) {
    struct bench *b = context;
    for (unsigned i = 0; i < b->repeats; i++)
        b->dp->ops->execute(b->dp, b->code, (struct vrf_set){&b->range, 1}, (struct dp_moment){0},
                            NULL);
}

static void get_all(void *context) {
    struct bench *b = context;
    uint32_t lanes = b->target->lanes;
    for (uint32_t v = 0; v < b->range.count; v++)
        b->dp->ops->get(b->dp, v, DP_REGISTER, 0, 0, lanes, b->values + (size_t)v * lanes);
}

static void put_all(void *context) {
    struct bench *b = context;
    uint32_t lanes = b->target->lanes;
    for (uint32_t v = 0; v < b->range.count; v++)
        b->dp->ops->put(b->dp, v, DP_REGISTER, 1, 64, 0, lanes, b->values + (size_t)v * lanes);
}

static struct dp_code *prepare_add(struct bench *bench, bool masked, struct diag *diag) {
    struct insn add = {.op = OP_ADD, .width = 64, .rs = 0, .rt = 1, .rd = 2};
    struct dp_run run = {&add, 1, masked, 0};
    struct dp_code *code = bench->dp->ops->prepare(bench->dp, &run, diag);
    if (code)
        bench->dp->ops->describe(bench->dp, code, &bench->about);
    return code;
}

/* The sums are right, in the first and last VRF and some between. */
static bool sums_are_right(struct bench *bench) {
    uint64_t x[3][4096];
    uint32_t lanes = bench->target->lanes;
    for (uint32_t v = 0; v < bench->range.count; v += 511)
        for (uint32_t first = 0; first < lanes; first += 4096) {
            uint32_t n = lanes - first < 4096 ? lanes - first : 4096;
            for (unsigned r = 0; r < 3; r++)
                bench->dp->ops->get(bench->dp, v, DP_REGISTER, r, first, n, x[r]);
            for (uint32_t i = 0; i < n; i++)
                if (x[0][i] + x[1][i] != x[2][i])
                    return false;
        }
    return true;
}

static void bind_all(struct bench *bench) {
    for (uint32_t v = 0; v < bench->range.count; v++) {
        struct dp_binding binding = {.vrf = v, .valid_lanes = bench->target->lanes};
        bench->dp->ops->bind(bench->dp, &binding, 1);
    }
}

/* 64-bit additions over 1 Mi lanes; a micro-op bit is one lane of one executed micro-op. */
static bool bench_add(struct bench *bench, struct json *json, bool masked, struct diag *diag) {
    double seconds[RUNS];
    bench->code = prepare_add(bench, masked, diag);
    if (!bench->code)
        return false;
    bench->repeats = 1;
    sample_measure(run_code, bench, RUNS, seconds);
    double bits = (double)bench->about.micro_ops * bench->range.count * bench->target->lanes;
    sample_report(json, masked ? "add64_masked_G_uop_bits_per_s" : "add64_G_uop_bits_per_s",
                  seconds, RUNS, bits * 1e-9, 0);
    return sums_are_right(bench);
}

static void bench_one_vrf(struct bench *bench, struct json *json) {
    double seconds[RUNS];
    struct bench one = *bench;
    one.range.count = 1;
    one.repeats = 200;
    sample_measure(run_code, &one, RUNS, seconds);
    sample_report(json, "one_vrf_ns_per_uop", seconds, RUNS,
                  1e9 / (double)bench->about.micro_ops / one.repeats, 1);
}

static void bench_transposes(struct bench *bench, struct json *json) {
    double seconds[RUNS], lanes = (double)bench->range.count * bench->target->lanes;
    sample_measure(get_all, bench, RUNS, seconds);
    sample_report(json, "get_M_elements_per_s", seconds, RUNS, lanes * 1e-6, 0);
    sample_measure(put_all, bench, RUNS, seconds);
    sample_report(json, "put_M_elements_per_s", seconds, RUNS, lanes * 1e-6, 0);
}

static const char *chosen_name(const struct bench *bench) {
    const struct plane_kernels *k = atomic_load(&plane_of(bench->dp)->choice.chosen);
    return k ? k->name : "none";
}

/* `kernels` NULL: those that the machine chooses. */
static bool bench_build(struct bench *bench, const struct plane_kernels *kernels, const char *name,
                        struct json *json, struct diag *diag) {
    static const uint8_t bits[64] = {64, 64, 64};
    uint32_t vrfs = LANES / bench->target->lanes, per_mpu = target_vrfs_per_mpu(bench->target);
    struct dp_setup setup = {.target = bench->target,
                             .mpus = (vrfs + per_mpu - 1) / per_mpu,
                             .reg_bits = bits,
                             .init = DP_INIT_RANDOM,
                             .seed = 1};
    bench->dp = plane_open_with(&setup, kernels, true, diag);
    if (!bench->dp)
        return false;
    bench->range = (struct vrf_range){0, vrfs};
    bind_all(bench);
    json_object_begin(json, name);
    bool good = bench_add(bench, json, false, diag);
    json_u64(json, "micro_ops", bench->about.micro_ops);
    if (good) {
        bench_one_vrf(bench, json);
        good = bench_add(bench, json, true, diag);
        bench_transposes(bench, json);
    }
    if (!kernels)
        json_string(json, "kernels", chosen_name(bench));
    json_object_end(json);
    bench->dp->ops->close(bench->dp);
    return good;
}

static bool bench_all(struct bench *bench, struct json *json, struct diag *diag) {
    size_t builds;
    const struct plane_kernels *const *all = plane_kernels_all(&builds);
    bool good = true;
    json_object_begin(json, NULL);
    json_string(json, "benchmark", "engine");
    json_string(json, "engine", "strict");
    json_string(json, "target", bench->target->name);
    json_u64(json, "lanes", LANES);
    json_u64(json, "runs", RUNS);
    sample_report_machine(json);
    json_object_begin(json, "builds");
    for (size_t i = 0; i < builds && good; i++)
        good = bench_build(bench, all[i], all[i]->name, json, diag);
    good = good && bench_build(bench, NULL, "chosen", json, diag);
    json_object_end(json);
    json_object_end(json);
    return good;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct bench b = {.target = target_open("racer", NULL, 0, d)};
    struct json *j = json_new_line();
    struct str text = {0};
    b.values = xcalloc(LANES, sizeof *b.values);
    bool good = b.target && bench_all(&b, j, d);
    json_finish(j, &text);
    if (good)
        fputs(str_text(&text), stdout);
    else
        fprintf(stderr, "bench_engine: %s\n", diag_first(d) ? diag_first(d) : "a sum is wrong");
    str_free(&text);
    free(b.values);
    target_free(b.target);
    diag_free(d);
    return good ? 0 : 1;
}
