/* SPDX-License-Identifier: MIT
 * Random programs of several kin on the toy: groups of 1 to 64 bits and fixed VRFs, bodies and
 * subroutines that serve one of them or several, masks, rounds, several MPUs.  Every bit is
 * compared with golden, row commands with a naive count, and runs on two threads, and watched, with
 * the plain one. */
#include "tests/draws.h"
#include "kin_run.h"
#include "run.h"

#include "emu/place/count.h"
#include "support/alloc.h"

#include <string.h>

#define PROGRAMS draws(DRAWS_MACHINES_SLOT_KIN)
enum { ROW_BITS = 512 };

/* Naive: every instruction, in every VRF of its owner, in slots of the owner. */
static void check_count(const struct kin_case *x, const struct kin_seen *plain) {
    uint64_t uops[SLOT_KINDS] = {0};
    for (size_t i = 0; i < x->k.done.len; i++) {
        const struct done *y = &x->k.done.data[i];
        struct slot_program p = {0};
        slot_program_add(&p, &y->insn, kin_slot(x->k.width[y->owner]), y->masked);
        for (size_t c = 0; c < p.commands.len; c++)
            uops[p.commands.data[c].kind] += kin_vrfs(x, y->owner);
        slot_program_free(&p);
    }
    kin_compare_counts(x, uops, plain, slot_kind_names, SLOT_COMMANDS);
}

/* A table once for each VRF of an owner that a header names, in however many ensembles and rounds;
 * of a package in rounds by what the first one has. */
static void check_tables(const struct kin_case *x, const struct kin_seen *plain) {
    uint64_t vrfs = 0, rows = 0;
    for (uint32_t owner = 0; owner < KIN_OWNERS; owner++) {
        uint64_t here = owner == KIN_FIXED ? 2 : 0;
        for (size_t i = 0; i < x->p->placement_count; i++)
            here += x->p->placements[i].group == owner;
        bool named = false;
        for (size_t i = 0; i < x->k.done.len; i++)
            named |= x->k.done.data[i].owner == owner;
        vrfs += named ? here : 0;
        rows += named ? here * kin_slot(x->k.width[owner]) : 0;
    }
    assert_int_equal(plain->established.vrfs, vrfs);
    assert_int_equal(plain->established.micro_ops, rows);
    assert_int_equal(plain->established.energy_fj,
                     rows * slot_kind_fj(x->b->on.target, SLOT_WRITE));
}

/* What places are counted by is the kernel and its tables, whether or not bits are asked for. */
static void check_place(const struct kin_case *x, const struct kin_seen *plain) {
    const struct place_count n =
        place_count(x->o, x->p, x->b->on.target, x->b->on.library, UINT64_MAX, UINT64_MAX);
    assert_true(n.known && n.whole);
    assert_int_equal(n.time_ps, plain->time_ps + plain->established.time_ps);
}

static void check(const struct kin_case *x, const struct kin_seen *plain) {
    if (x->seven && !x->k.fixed)
        assert_true(x->p->kin_count <= KIN_GROUPS);
    check_tables(x, plain);
    if (x->seed % 3 == 0) /* batches as they are counted */
        check_place(x, plain);
    if (x->p->rounds == 1)
        check_count(x, plain);
}

static int set_up(void **state) {
    static const struct target_override small[] = {
        {"machine.mpus", "3"}, {"machine.rfh_per_mpu", "2"}, {"machine.vrf_per_rfh", "12"}};
    struct kin_bench *b = xcalloc(1, sizeof *b);
    *b =
        (struct kin_bench){.ops = &slot_ops, .has = slot_has, .check = check, .row_bits = ROW_BITS};
    *state = b;
    b->on = target_bench_open(MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml", small, 3);
    return 0;
}

static void test_random(void **state) {
    struct kin_bench *b = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        kin_run(b, seed, false);
    assert_true(b->built > PROGRAMS * 9 / 10);
    assert_true(b->shared && b->with_rounds && b->with_fixed && b->several_mpus);
}

static void test_seven(void **state) {
    for (uint64_t seed = 1; seed <= PROGRAMS / 10; seed++)
        kin_run(*state, seed, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_seven)};
    return cmocka_run_group_tests(tests, set_up, target_bench_tear_down);
}
