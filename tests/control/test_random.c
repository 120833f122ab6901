/* SPDX-License-Identifier: MIT
 * The control path against the per-lane reading of the ISA in lane_isa.c: random programs
 * on the golden datapath under every batching and from both initial states, and on the plane
 * machine under one batching and from one state each, in turn. */
#include "tests/draws.h"
#include "machines/plane/run/plane.h"
#include "emu/control/control.h"
#include "lane_isa.h"
#include "random_program.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_CONTROL_PROGRAMS)

/* Ways to run a program, as bits: 3 * initial state + batching. */
enum { WAY_COUNT = 6, ALL_WAYS = (1 << WAY_COUNT) - 1 };

struct bench {
    struct target *target;
    struct machine_library *recipes;
    bool allowed[OP_COUNT]; /* has a recipe on the target */
    bool all[OP_COUNT];     /* in the ISA */
    struct lane lanes[BENCH_ALL_VRFS][BENCH_LANES];
    struct lane_vrf vrfs[BENCH_ALL_VRFS];
    struct lane_member members[16];
    uint32_t member_count;
    uint32_t valid[BENCH_ALL_VRFS]; /* lanes that are valid when the VRF is named; 0 = never */
    uint64_t acted;                 /* lanes that instructions acted in, when each ran alone */
};

static uint32_t number_of(uint32_t mpu, uint32_t rfh, uint32_t vrf) {
    return mpu * BENCH_RFHS * BENCH_VRFS + vrf * BENCH_RFHS + rfh;
}

static void valid_at_least(struct bench *b, uint32_t vrf, uint32_t lanes) {
    if (b->valid[vrf] < lanes)
        b->valid[vrf] = lanes;
}

/* What the package says, once more for the per-lane machine. */
static void lay_out(struct bench *b) {
    struct package p;
    bench_package(&p);
    for (uint32_t v = 0; v < BENCH_ALL_VRFS; v++)
        b->vrfs[v] =
            (struct lane_vrf){b->lanes[v], v / (BENCH_RFHS * BENCH_VRFS), NO_NUMBER, NO_NUMBER, 0};
    for (uint32_t mpu = 0; mpu < BENCH_IMAGE; mpu++)
        for (size_t i = 0; i < p.fixed_count; i++) {
            uint32_t v = number_of(mpu, p.fixed[i].phys_rfh, p.fixed[i].phys_vrf);
            b->vrfs[v].rfh = p.fixed[i].rfh;
            b->vrfs[v].vrf = p.fixed[i].vrf;
            valid_at_least(b, v, BENCH_FIXED_LANES);
        }
    for (size_t i = 0; i < p.placement_count; i++) {
        const struct placement *q = &p.placements[i];
        uint32_t v = number_of(q->mpu, q->rfh, q->vrf);
        b->members[b->member_count++] = (struct lane_member){q->group, v, q->count, q->first};
        valid_at_least(b, v, q->count);
    }
}

static int set_up_on(void **state, const char *target) {
    static const struct target_override small[] = {{"machine.mpus", "3"},
                                                   {"machine.rfh_per_mpu", "2"},
                                                   {"machine.vrf_per_rfh", "3"},
                                                   {"machine.active_vrf_per_rfh", "1"},
                                                   {"array.lanes", "8"}};
    struct diag *d = diag_new(NULL, NULL);
    struct bench *b = calloc(1, sizeof *b);
    b->target = target_open(target, small, sizeof small / sizeof *small, d);
    b->recipes = b->target ? machine_library_open(b->target, NULL, 0, d) : NULL;
    if (!b->recipes)
        fprintf(stderr, "%s\n", diag_first(d));
    diag_free(d);
    for (unsigned op = 0; op < OP_COUNT; op++) {
        b->all[op] = true;
        b->allowed[op] = b->recipes && machine_has(b->recipes, (enum isa_op)op);
    }
    lay_out(b);
    *state = b;
    return b->recipes ? 0 : -1;
}

static int set_up(void **state) {
    return set_up_on(state, "racer");
}

static int set_up_mimdram(void **state) {
    return set_up_on(state, "mimdram");
}

static int set_up_pypim(void **state) {
    return set_up_on(state, "pypim");
}

static int tear_down(void **state) {
    struct bench *b = *state;
    machine_library_close(b->recipes);
    target_free(b->target);
    free(b);
    return 0;
}

/* The initial state, and then what one lane at a time makes of it. */
static void run_alone(struct bench *b, const struct object *o, const struct dp_setup *setup) {
    struct arena arena = {0};
    struct lane_machine m = {.text = o->text.data,
                             .text_len = (uint32_t)o->text.len,
                             .luts = object_luts(o, &arena),
                             .lanes = BENCH_LANES,
                             .fixed_lanes = BENCH_FIXED_LANES,
                             .vrfs = b->vrfs,
                             .vrf_count = BENCH_ALL_VRFS,
                             .members = b->members,
                             .member_count = b->member_count};
    bool random = setup->init == DP_INIT_RANDOM;
    b->acted = 0;
    m.acted = &b->acted;
    for (uint32_t v = 0; v < BENCH_ALL_VRFS; v++)
        for (uint32_t i = 0; i < BENCH_LANES; i++) {
            struct lane *l = &b->lanes[v][i];
            memset(l, 0, sizeof *l);
            for (unsigned r = 0; random && r < 64; r++)
                l->reg[r] = state_init_value(setup->seed, v, r, i);
            l->c = random && (state_init_value(setup->seed, v, DP_INIT_C, i) & 1);
        }
    assert_true(lane_machine_run(&m));
    arena_free(&arena);
}

static void compare_vrf(const struct bench *b, struct datapath *dp, uint32_t v, unsigned regs,
                        uint64_t seed) {
    uint64_t values[BENCH_LANES];
    uint32_t n = b->valid[v];
    for (unsigned r = 0; r < regs; r++) {
        dp->ops->get(dp, v, DP_REGISTER, r, 0, n, values);
        for (uint32_t i = 0; i < n; i++)
            if (values[i] != b->lanes[v][i].reg[r])
                fail_msg("program %llu, %s: VRF %u r%u lane %u is %llx, not %llx",
                         (unsigned long long)seed, dp->ops->name, v, r, i,
                         (unsigned long long)values[i], (unsigned long long)b->lanes[v][i].reg[r]);
    }
    dp->ops->get(dp, v, DP_C, 0, 0, n, values);
    for (uint32_t i = 0; i < n; i++)
        if (values[i] != b->lanes[v][i].c)
            fail_msg("program %llu, %s: C of VRF %u lane %u", (unsigned long long)seed,
                     dp->ops->name, v, i);
}

/* Golden does not count the lanes that a mask leaves. */
static void compare_work(const struct bench *b, const struct control_stats *s,
                         const struct datapath_ops *ops, uint64_t seed) {
    if (!s->element_instructions_known && ops == &golden_ops)
        return;
    if (!s->element_instructions_known || s->element_instructions != b->acted)
        fail_msg("program %llu, %s: %llu element-instructions, not %llu", (unsigned long long)seed,
                 ops->name, (unsigned long long)s->element_instructions,
                 (unsigned long long)b->acted);
}

static void run_emulated(struct bench *b, const struct object *o, struct package *p,
                         const struct dp_setup *setup, const struct datapath_ops *ops,
                         enum batch_mode batch, unsigned regs, uint64_t seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct datapath *dp = ops->open(setup, d);
    struct control_config config = {.batch = batch, .cost_unknown = ops == &golden_ops};
    assert_non_null(dp);
    struct control *c = control_new(o, p, b->target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)seed, control_message(c));
    for (uint32_t v = 0; v < BENCH_ALL_VRFS; v++)
        if (b->valid[v])
            compare_vrf(b, dp, v, regs, seed);
    compare_work(b, control_stats(c), ops, seed);
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

static void one_program(struct bench *b, uint64_t seed, const struct datapath_ops *ops,
                        const bool allowed[OP_COUNT], unsigned ways) {
    struct object *o = object_new();
    struct package p;
    bench_package(&p);
    unsigned regs = random_program(seed, allowed, o);
    memset(p.reg_bits + regs, 0, sizeof p.reg_bits - regs);
    for (unsigned init = 0; init < 2; init++) {
        struct dp_setup setup = {.target = b->target,
                                 .mpus = BENCH_MPUS,
                                 .reg_bits = p.reg_bits,
                                 .library = b->recipes,
                                 .init = init ? DP_INIT_RANDOM : DP_INIT_ZERO,
                                 .seed = seed};
        unsigned batches = ways >> 3 * init & 7;
        if (batches)
            run_alone(b, o, &setup);
        for (unsigned batch = 0; batch < 3; batch++)
            if (batches >> batch & 1)
                run_emulated(b, o, &p, &setup, ops, (enum batch_mode)batch, regs, seed);
    }
    object_free(o);
}

/* What runs: the suite's programs, or those of the command line. */
static struct {
    uint64_t first, count;
    bool all_ways;
} range = {1, 0, false};

/* Every program under all batchings and initial states. */
static void golden_agrees(void **state) {
    for (uint64_t i = 0; i < range.count; i++)
        one_program(*state, range.first + i, &golden_ops, ((struct bench *)*state)->all, ALL_WAYS);
}

/* Most of the time goes into preparing the code of each machine, so one way has to do for each
 * program.  Given seeds run under all six. */
static void strict_agrees(void **state) {
    for (uint64_t i = 0; i < range.count; i++)
        one_program(*state, 99999 + range.first + i, &plane_strict_ops,
                    ((struct bench *)*state)->allowed,
                    range.all_ways ? ALL_WAYS : 1u << i % WAY_COUNT);
}

/* A machine whose costs are the same whatever its lanes do. */
static void lanes_without_a_cost(void **state) {
    for (uint64_t i = 0; i < range.count / 20; i++)
        one_program(*state, 299999 + range.first + i, &plane_strict_ops,
                    ((struct bench *)*state)->allowed, 1u << i % WAY_COUNT);
}

/* A machine that is told which VRFs and lanes work, and is sent its copies and questions. */
static void vrfs_that_are_selected(void **state) {
    for (uint64_t i = 0; i < range.count / 20; i++)
        one_program(*state, 399999 + range.first + i, &plane_strict_ops,
                    ((struct bench *)*state)->allowed, 1u << i % WAY_COUNT);
}

/* [FIRST_SEED COUNT]: other programs than the suite's, for longer runs. */
int main(int argc, char **argv) {
    range.count = PROGRAMS;
    if (argc == 3) {
        range.first = strtoull(argv[1], NULL, 10);
        range.count = strtoull(argv[2], NULL, 10);
        range.all_ways = true;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_agrees),
        cmocka_unit_test(strict_agrees),
    };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(lanes_without_a_cost),
    };
    const struct CMUnitTest selected[] = {
        cmocka_unit_test(vrfs_that_are_selected),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    failed += cmocka_run_group_tests(others, set_up_mimdram, tear_down);
    return failed + cmocka_run_group_tests(selected, set_up_pypim, tear_down);
}
