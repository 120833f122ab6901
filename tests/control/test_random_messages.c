/* SPDX-License-Identifier: MIT
 * Random programs of up to nine MPUs that exchange messages, against an interpreter that lets one
 * MPU at a time go on in an order of its own: on the golden datapath under every batching and from
 * both initial states, on the plane machine under one batching each, in turn. */
#include "tests/draws.h"
#include "machines/plane/run/plane.h"
#include "emu/control/control.h"
#include "random_messages.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_CONTROL_MESSAGES)

struct bench {
    struct target *target[2]; /* with queues of 1 and of 2 */
    struct machine_library *recipes[2];
    uint32_t done, stuck, damaged_runs;
    uint64_t passed;
};

static int set_up(void **state) {
    static const char *const queues[] = {"1", "2"};
    struct bench *b = calloc(1, sizeof *b);
    struct diag *d = diag_new(NULL, NULL);
    for (unsigned q = 0; q < 2; q++) {
        const struct target_override small[] = {
            {"machine.mpus", "9"},        {"machine.rfh_per_mpu", "2"},
            {"machine.vrf_per_rfh", "4"}, {"machine.active_vrf_per_rfh", "1"},
            {"array.lanes", "8"},         {"control.queue", queues[q]}};
        b->target[q] = target_open("racer", small, sizeof small / sizeof *small, d);
        b->recipes[q] = b->target[q] ? machine_library_open(b->target[q], NULL, 0, d) : NULL;
    }
    if (diag_errors(d))
        fprintf(stderr, "%s\n", diag_first(d));
    diag_free(d);
    *state = b;
    return b->recipes[0] && b->recipes[1] ? 0 : -1;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    for (unsigned q = 0; q < 2; q++) {
        machine_library_close(b->recipes[q]);
        target_free(b->target[q]);
    }
    free(b);
    return 0;
}

/* One program on one machine, in one way. */
struct run {
    struct bench *b;
    uint64_t seed;
    unsigned queue; /* index of the target */
    const struct object *o;
    const struct package *p;
    struct net_state *want;
};

static void begin_lanes(struct net_state *s, bool random, uint64_t seed) {
    memset(s, 0, sizeof *s);
    for (uint32_t v = 0; random && v < NET_ALL; v++)
        for (uint32_t i = 0; i < NET_LANES; i++) {
            for (unsigned r = 0; r < NET_REGS; r++)
                s->lanes[v][i].reg[r] = (uint16_t)state_init_value(seed, v, r, i);
            s->lanes[v][i].c = state_init_value(seed, v, DP_INIT_C, i) & 1;
        }
}

/* Lanes that are valid where the VRF is named at all. */
static uint32_t valid_lanes(const struct run *x, uint32_t v) {
    for (size_t i = 0; i < x->p->placement_count; i++) {
        const struct placement *q = &x->p->placements[i];
        if (q->mpu * NET_PER_MPU + q->vrf * NET_RFHS + q->rfh == v)
            return q->count;
    }
    bool fixed = v % NET_PER_MPU < 2 * NET_RFHS;
    return fixed && v / NET_PER_MPU < x->p->image_count ? x->o->geometry.lanes : 0;
}

static void compare_lanes(const struct run *x, struct datapath *dp) {
    uint64_t values[NET_LANES];
    for (uint32_t v = 0; v < x->p->mpus * NET_PER_MPU; v++)
        for (unsigned r = 0; r < NET_REGS; r++) {
            uint32_t n = valid_lanes(x, v);
            uint64_t bits = (UINT64_C(1) << x->p->reg_bits[r]) - 1;
            dp->ops->get(dp, v, DP_REGISTER, r, 0, n, values);
            for (uint32_t i = 0; i < n; i++)
                if (values[i] != (x->want->lanes[v][i].reg[r] & bits))
                    fail_msg("program %llu, %s: MPU %u VRF %u r%u lane %u is %llx, not %x",
                             (unsigned long long)x->seed, dp->ops->name, v / NET_PER_MPU,
                             v % NET_PER_MPU, r, i, (unsigned long long)values[i],
                             x->want->lanes[v][i].reg[r]);
        }
}

/* Who waits where, as far as it is told. */
static void compare_notes(const struct run *x, const struct control *c) {
    size_t count, told = 0;
    const struct control_note *notes = control_notes(c, &count);
    for (uint32_t mpu = 0; mpu < NET_MPUS && told < 8; mpu++)
        if (x->want->where[mpu] != NO_INDEX) {
            assert_true(told < count);
            assert_int_equal(notes[told].index, x->want->where[mpu]);
            told++;
        }
    assert_true(told == count || count == 9);
}

static void compare_end(const struct run *x, const struct control *c, enum control_end end) {
    const struct control_stats *s = control_stats(c);
    if (end != (x->want->deadlock ? CONTROL_STOPPED : CONTROL_DONE))
        fail_msg("program %llu: %s", (unsigned long long)x->seed,
                 end == CONTROL_DONE ? "is done" : control_message(c));
    if (x->want->deadlock)
        assert_non_null(strstr(control_message(c), "deadlock"));
    compare_notes(x, c);
    assert_int_equal(s->messages - x->want->moved, x->want->messages);
    assert_int_equal(s->message_bytes - x->want->moved_bytes, x->want->bytes);
    assert_int_equal(s->messages_passed, x->want->passed);
    assert_int_equal(s->messages_left, x->want->left);
}

static void run_one(const struct run *x, const struct datapath_ops *ops, enum batch_mode batch,
                    bool random) {
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = x->b->target[x->queue],
                             .mpus = x->p->mpus,
                             .reg_bits = x->p->reg_bits,
                             .library = x->b->recipes[x->queue],
                             .init = random ? DP_INIT_RANDOM : DP_INIT_ZERO,
                             .seed = x->seed};
    struct datapath *dp = ops->open(&setup, d);
    struct control_config config = {.batch = batch, .cost_unknown = ops == &golden_ops};
    assert_non_null(dp);
    struct control *c = control_new(x->o, x->p, x->b->target[x->queue], dp, &config);
    enum control_end end = control_run(c);
    compare_end(x, c, end);
    compare_lanes(x, dp);
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

static void one_program(struct bench *b, uint64_t seed, const struct datapath_ops *ops,
                        unsigned ways) {
    struct diag *d = diag_new(NULL, NULL);
    struct net_state *want = calloc(1, sizeof *want);
    struct object *o = object_new();
    random_messages(seed, o);
    struct run x = {.b = b, .seed = seed, .queue = seed & 1, .o = o, .want = want};
    struct package *p = package_build(o, b->target[x.queue], b->recipes[x.queue], NULL, 0, d);
    if (!p)
        fail_msg("program %llu: %s", (unsigned long long)seed, diag_first(d));
    x.p = p;
    for (unsigned way = 0; way < 6; way++) {
        if (!(ways >> way & 1))
            continue;
        begin_lanes(want, way >= 3, seed);
        net_run(want, o, p, x.queue + 1, seed + way);
        run_one(&x, ops, (enum batch_mode)(way % 3), way >= 3);
        b->done += !want->deadlock;
        b->stuck += want->deadlock;
        b->passed += want->passed;
    }
    free(want);
    package_free(p);
    object_free(o);
    diag_free(d);
}

/* Programs with damaged words end in some way, without a crash; those that no file could hold are
 * left out. */
static void run_damaged(struct bench *b, uint64_t seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = object_new();
    uint64_t draw = seed;
    o->sets = (1u << SET_COUNT) - 1;
    random_messages(seed, o);
    for (uint64_t n = 1 + splitmix64(&draw) % 4; n > 0; n--) {
        uint64_t x = splitmix64(&draw);
        uint32_t *word = &o->text.data[x % o->text.len],
                 other = o->text.data[(x >> 8) % o->text.len];
        struct insn insn;
        other = x >> 40 & 3 ? *word ^ 1u << (x >> 32 & 31) : other;
        *word = isa_decode(other, &insn) == ISA_OK ? other : *word;
    }
    struct package *p = object_check(o, d, NO_SPAN)
                            ? package_build(o, b->target[0], b->recipes[0], NULL, 0, d)
                            : NULL;
    if (p) {
        struct dp_setup setup = {.target = b->target[0], .mpus = p->mpus, .reg_bits = p->reg_bits};
        struct control_config config = {.cost_unknown = true, .max_cycles = 5000};
        setup.library = b->recipes[0];
        struct datapath *dp = golden_ops.open(&setup, d);
        struct control *c = control_new(o, p, b->target[0], dp, &config);
        enum control_end end = control_run(c);
        assert_true(end == CONTROL_DONE || end == CONTROL_STOPPED || end == CONTROL_LIMIT);
        b->damaged_runs++;
        control_free(c);
        dp->ops->close(dp);
    }
    package_free(p);
    object_free(o);
    diag_free(d);
}

static struct { uint64_t first, count; } range = {1, 0};

/* Most programs must go through, some must not, and cycles must have been broken: else the test
 * would show little. */
static void golden_agrees(void **state) {
    struct bench *b = *state;
    for (uint64_t i = 0; i < range.count; i++)
        one_program(b, range.first + i, &golden_ops, 63);
    assert_true(b->done > 2 * b->stuck);
    assert_true(b->stuck > range.count / 20);
    assert_true(b->passed > range.count / 20);
}

static void strict_agrees(void **state) {
    for (uint64_t i = 0; i < range.count / 4; i++)
        one_program(*state, 99999 + range.first + i, &plane_strict_ops, 1u << i % 6);
}

static void damaged_programs_end(void **state) {
    struct bench *b = *state;
    for (uint64_t i = 0; i < range.count; i++)
        run_damaged(b, range.first + i);
    assert_true(b->damaged_runs > range.count / 4);
}

/* [FIRST_SEED COUNT]: other programs than the suite's, for longer runs. */
int main(int argc, char **argv) {
    range.count = PROGRAMS;
    if (argc == 3) {
        range.first = strtoull(argv[1], NULL, 10);
        range.count = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_agrees),
        cmocka_unit_test(strict_agrees),
        cmocka_unit_test(damaged_programs_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
