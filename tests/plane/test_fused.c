/* SPDX-License-Identifier: MIT
 * The engine `fused` beside `strict`: every form of the verification matrix, and random runs of 1
 * to 50 instructions on random planes, of which each leaves the same. */
#include "tests/draws.h"

#include "isa-spec/isa.h"
#include "machines/plane/run/plane.h"
#include "machines/verify/verify.h"
#include "recipe/set/set.h"
#include "support/bits.h"
#include "tests/machines/target_bench.h"

#include <stdio.h>
#include <string.h>

static const char *const targets[] = {"racer", "mimdram", "pypim", "duality-cache", "ambit"};
#define TARGETS (sizeof targets / sizeof *targets)

static struct datapath *open_at_once(const struct dp_setup *setup, struct diag *d) {
    struct datapath *dp = plane_fused_ops.open(setup, d);
    if (dp)
        plane_of(dp)->compose_at = 0;
    return dp;
}

static void test_matrix(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++) {
        const struct target_bench b = target_bench_open(targets[i], NULL, 0);
        struct verify_options o = {.effort = VERIFY_LIGHT, .op = OP_COUNT, .seed = 7};
        struct diag *d = diag_new(NULL, NULL);
        struct verify_machine m;
        struct verify_count n;
        assert_true(verify_library(&m, b.library, 0));
        m.open = open_at_once;
        if (!verify_matrix(&m, &o, &n, d))
            fail_msg("%s: %s", targets[i], diag_first(d));
        assert_true(n.instructions > 50);
        diag_free(d);
        target_bench_close(&b);
    }
}

/* ---- random runs ---- */

#define REGISTERS 8
#define MOST      50
#define MOST_VRFS 4

struct run_bench {
    struct target_bench on;
    struct datapath *strict, *fused;
    uint64_t seed;
    uint8_t bits[64];
    struct insn insns[MOST];
    unsigned fewer; /* runs with fewer steps */
};

static unsigned below(struct run_bench *b, unsigned n) {
    return (unsigned)(splitmix64(&b->seed) >> 20) % n;
}

static bool fits(const struct run_bench *b, const struct insn *insn) {
    struct str why = {0};
    bool fine = recipe_fits(plane_recipes(b->on.library), insn, &why);
    str_free(&why);
    return fine;
}

/* Any instruction that the machine has, registers alike as often as not. */
static struct insn draw_insn(struct run_bench *b, unsigned width) {
    for (;;) {
        enum isa_op op = (enum isa_op)below(b, OP_COUNT);
        if (!(isa_info(op)->flags & ISA_VECTOR) || isa_info(op)->flags & ISA_USER ||
            isa_has_table(op) || !machine_has(b->on.library, op))
            continue;
        struct insn x = recipe_usual_insn(op, width);
        x.rs = (uint8_t)below(b, REGISTERS);
        x.rt = (uint8_t)below(b, REGISTERS);
        x.rd = (uint8_t)below(b, REGISTERS);
        if (recipe_applies(&x) && fits(b, &x))
            return x;
    }
}

static void want_same(struct run_bench *b, uint32_t vrf, enum dp_what what, unsigned reg,
                      uint32_t lanes, uint64_t seed) {
    uint64_t *strict = xcalloc(lanes, 8), *fused = xcalloc(lanes, 8);
    b->strict->ops->get(b->strict, vrf, what, reg, 0, lanes, strict);
    b->fused->ops->get(b->fused, vrf, what, reg, 0, lanes, fused);
    for (uint32_t i = 0; i < lanes; i++)
        if (strict[i] != fused[i])
            fail_msg("%s, run %u: r%u (kind %d) of VRF %u, lane %u: %llx, strict has %llx",
                     b->on.target->name, (unsigned)seed, reg, (int)what, vrf, i,
                     (unsigned long long)fused[i], (unsigned long long)strict[i]);
    free(strict);
    free(fused);
}

/* A DRAM has few of them in an MPU. */
static uint32_t vrfs_of(struct datapath *dp) {
    return plane_of(dp)->vrfs < MOST_VRFS ? plane_of(dp)->vrfs : MOST_VRFS;
}

static struct dp_code *run_on(struct datapath *dp, const struct dp_run *run, uint32_t lanes,
                              struct vrf_range range) {
    struct diag *d = diag_new(NULL, NULL);
    struct dp_binding bindings[MOST_VRFS];
    uint32_t vrfs = vrfs_of(dp);
    struct dp_code *code = dp->ops->prepare(dp, run, d);
    uint64_t *counts = xcalloc(run->count + 2, 8);
    struct dp_outcome out = {.lanes = counts};
    if (!code)
        fail_msg("%s", diag_first(d));
    for (uint32_t v = 0; v < vrfs; v++)
        bindings[v] = (struct dp_binding){.vrf = v, .valid_lanes = lanes};
    dp->ops->bind(dp, bindings, vrfs);
    dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0},
                     code->insn_lane_fj ? &out : NULL);
    free(counts);
    diag_free(d);
    return code;
}

static void one_run(struct run_bench *b, uint64_t seed) {
    const struct target *t = b->on.target;
    uint32_t lanes = 1 + below(b, t->lanes < 200 ? t->lanes : 200);
    const struct dp_setup setup = {.target = t,
                                   .library = b->on.library,
                                   .mpus = 1,
                                   .lanes = lanes,
                                   .reg_bits = b->bits,
                                   .init = DP_INIT_RANDOM,
                                   .seed = seed};
    struct diag *d = diag_new(NULL, NULL);
    unsigned width = 1 + below(b, below(b, 2) ? 64 : 9);
    struct dp_run run = {.insns = b->insns, .count = 1 + below(b, below(b, 4) ? 6 : MOST)};
    memset(b->bits, 64, REGISTERS);
    run.masked = below(b, 2);
    for (size_t i = 0; i < run.count; i++)
        b->insns[i] = draw_insn(b, width);
    b->strict = plane_strict_ops.open(&setup, d);
    b->fused = open_at_once(&setup, d);
    assert_true(b->strict && b->fused);
    uint32_t vrfs = vrfs_of(b->strict), first = below(b, vrfs), count = 1 + below(b, vrfs - first);
    run_on(b->strict, &run, lanes, (struct vrf_range){first, count});
    const struct dp_code *code = run_on(b->fused, &run, lanes, (struct vrf_range){first, count});
    const struct plane_fused *made = atomic_load(&code->fused);
    b->fewer += made && made->steps;
    for (uint32_t v = 0; v < vrfs; v++) {
        for (unsigned r = 0; r < REGISTERS; r++)
            want_same(b, v, DP_REGISTER, r, lanes, seed);
        want_same(b, v, DP_C, 0, lanes, seed);
        want_same(b, v, DP_M, 0, lanes, seed);
    }
    b->strict->ops->close(b->strict);
    b->fused->ops->close(b->fused);
    diag_free(d);
}

static void test_runs(void **state) {
    (void)state;
    const unsigned runs = draws(DRAWS_FUSED_RUNS);
    for (size_t i = 0; i < TARGETS; i++) {
        struct run_bench b = {.on = target_bench_open(targets[i], NULL, 0), .seed = 20301130 + i};
        for (unsigned k = 0; k < runs; k++)
            one_run(&b, 1000 * i + k);
        assert_true(b.fewer > runs / 2);
        target_bench_close(&b.on);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
