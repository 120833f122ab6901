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
        b->dp->ops->execute(b->dp, b->code, (struct vrf_set){&b->range, 1}, 0, NULL);
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

static struct dp_code *prepare_add(struct bench *b, bool masked, struct diag *d) {
    struct insn add = {.op = OP_ADD, .width = 64, .rs = 0, .rt = 1, .rd = 2};
    struct dp_run run = {&add, 1, masked};
    struct dp_code *code = b->dp->ops->prepare(b->dp, &run, d);
    if (code)
        b->dp->ops->describe(b->dp, code, &b->about);
    return code;
}

/* The sums are right, in the first and last VRF and some between. */
static bool sums_are_right(struct bench *b) {
    uint64_t x[3][4096];
    uint32_t lanes = b->target->lanes;
    for (uint32_t v = 0; v < b->range.count; v += 511)
        for (uint32_t first = 0; first < lanes; first += 4096) {
            uint32_t n = lanes - first < 4096 ? lanes - first : 4096;
            for (unsigned r = 0; r < 3; r++)
                b->dp->ops->get(b->dp, v, DP_REGISTER, r, first, n, x[r]);
            for (uint32_t i = 0; i < n; i++)
                if (x[0][i] + x[1][i] != x[2][i])
                    return false;
        }
    return true;
}

static void bind_all(struct bench *b) {
    for (uint32_t v = 0; v < b->range.count; v++) {
        struct dp_binding binding = {.vrf = v, .valid_lanes = b->target->lanes};
        b->dp->ops->bind(b->dp, &binding, 1);
    }
}

/* 64-bit additions over 1 Mi lanes; a micro-op bit is one lane of one executed micro-op. */
static bool bench_add(struct bench *b, struct json *j, bool masked, struct diag *d) {
    double seconds[RUNS];
    b->code = prepare_add(b, masked, d);
    if (!b->code)
        return false;
    b->repeats = 1;
    sample_measure(run_code, b, RUNS, seconds);
    double bits = (double)b->about.micro_ops * b->range.count * b->target->lanes;
    sample_report(j, masked ? "add64_masked_G_uop_bits_per_s" : "add64_G_uop_bits_per_s", seconds,
                  RUNS, bits * 1e-9, 0);
    return sums_are_right(b);
}

static void bench_one_vrf(struct bench *b, struct json *j) {
    double seconds[RUNS];
    struct bench one = *b;
    one.range.count = 1;
    one.repeats = 200;
    sample_measure(run_code, &one, RUNS, seconds);
    sample_report(j, "one_vrf_ns_per_uop", seconds, RUNS,
                  1e9 / (double)b->about.micro_ops / one.repeats, 1);
}

static void bench_transposes(struct bench *b, struct json *j) {
    double seconds[RUNS], lanes = (double)b->range.count * b->target->lanes;
    sample_measure(get_all, b, RUNS, seconds);
    sample_report(j, "get_M_elements_per_s", seconds, RUNS, lanes * 1e-6, 0);
    sample_measure(put_all, b, RUNS, seconds);
    sample_report(j, "put_M_elements_per_s", seconds, RUNS, lanes * 1e-6, 0);
}

static const char *chosen_name(const struct bench *b) {
    const struct plane_kernels *k = atomic_load(&plane_of(b->dp)->choice.chosen);
    return k ? k->name : "none";
}

/* `kernels` NULL: those that the machine chooses. */
static bool bench_build(struct bench *b, const struct plane_kernels *kernels, const char *name,
                        struct json *j, struct diag *d) {
    static const uint8_t bits[64] = {64, 64, 64};
    uint32_t vrfs = LANES / b->target->lanes, per_mpu = target_vrfs_per_mpu(b->target);
    struct dp_setup setup = {.target = b->target,
                             .mpus = (vrfs + per_mpu - 1) / per_mpu,
                             .reg_bits = bits,
                             .init = DP_INIT_RANDOM,
                             .seed = 1};
    b->dp = plane_open_with(&setup, kernels, true, d);
    if (!b->dp)
        return false;
    b->range = (struct vrf_range){0, vrfs};
    bind_all(b);
    json_object_begin(j, name);
    bool good = bench_add(b, j, false, d);
    json_u64(j, "micro_ops", b->about.micro_ops);
    if (good) {
        bench_one_vrf(b, j);
        good = bench_add(b, j, true, d);
        bench_transposes(b, j);
    }
    if (!kernels)
        json_string(j, "kernels", chosen_name(b));
    json_object_end(j);
    b->dp->ops->close(b->dp);
    return good;
}

static bool bench_all(struct bench *b, struct json *j, struct diag *d) {
    size_t builds;
    const struct plane_kernels *const *all = plane_kernels_all(&builds);
    bool good = true;
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "engine");
    json_string(j, "engine", "strict");
    json_string(j, "target", b->target->name);
    json_u64(j, "lanes", LANES);
    json_u64(j, "runs", RUNS);
    sample_report_machine(j);
    json_object_begin(j, "builds");
    for (size_t i = 0; i < builds && good; i++)
        good = bench_build(b, all[i], all[i]->name, j, d);
    good = good && bench_build(b, NULL, "chosen", j, d);
    json_object_end(j);
    json_object_end(j);
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
