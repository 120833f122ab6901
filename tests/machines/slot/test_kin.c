/* SPDX-License-Identifier: MIT
 * Random programs of several kin on the toy: groups of 1 to 64 bits and fixed VRFs, bodies and
 * subroutines that serve one of them or several, masks, rounds, several MPUs.  Every bit is
 * compared with golden, row commands with a naive count, and runs on two threads, and watched, with
 * the plain one. */
#include "tests/draws.h"
#include "kin_program.h"
#include "run.h"
#include "tests/machines/target_bench.h"

#include "asm/asm.h"
#include "emu/control/control.h"
#include "emu/place/count.h"
#include "linker/linker.h"
#include "linker/package.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_MACHINES_SLOT_KIN)
enum { ROW_BITS = 512 };

/* ---- naive: every instruction, in every VRF of its owner, in slots of the owner ---- */

static unsigned slot_of(unsigned width) {
    unsigned slot = 1;
    while (slot < width)
        slot *= 2;
    return slot;
}

static uint64_t vrfs_of(const struct kin_program *k, uint32_t owner) {
    return owner == KIN_FIXED ? 2
                              : ceil_div(k->elements[owner], ROW_BITS / slot_of(k->width[owner]));
}

static void count_naively(const struct kin_program *k, uint64_t uops[SLOT_KINDS]) {
    memset(uops, 0, SLOT_KINDS * sizeof *uops);
    for (size_t i = 0; i < k->done.len; i++) {
        const struct done *x = &k->done.data[i];
        struct slot_program p = {0};
        slot_program_add(&p, &x->insn, slot_of(k->width[x->owner]), x->masked);
        for (size_t c = 0; c < p.commands.len; c++)
            uops[p.commands.data[c].kind] += vrfs_of(k, x->owner);
        slot_program_free(&p);
    }
}

/* ---- runs ---- */

struct bench {
    struct target_bench on;
    uint64_t built, shared, with_rounds, with_fixed, several_mpus;
};

struct program {
    struct bench *b;
    uint64_t seed;
    struct object *o;
    struct package *p;
};

struct round_state {
    const struct program *x;
    struct arena arena;
    struct package view;
    uint64_t now;
};

static const struct package *next_round(void *context) {
    struct round_state *r = context;
    if (++r->now >= r->x->p->rounds)
        return NULL;
    arena_free(&r->arena);
    r->view = package_round(r->x->p, r->x->o, r->now, &r->arena);
    return &r->view;
}

struct seen {
    uint64_t time_ps, uops[SLOT_KINDS], energy_fj[4], events;
    struct control_established established;
    struct str state;
};

static void take_event(void *context, const struct dp_event *e) {
    struct seen *seen = context;
    seen->events += e->vrf_count;
}

enum { PLAIN, CHECKED, THREADS, WATCHED, WAYS };

static void run(const struct program *x, int way, struct seen *seen) {
    struct diag *d = diag_new(NULL, NULL);
    const struct datapath_ops *ops = way == CHECKED ? &check_ops : &slot_ops;
    const struct dp_setup setup = {.target = x->b->on.target,
                                   .library = x->b->on.library,
                                   .code = x->p->code,
                                   .mpus = x->p->mpus,
                                   .lanes = x->p->lanes,
                                   .reg_bits = x->p->reg_bits,
                                   .kins = x->p->kins,
                                   .kin_count = x->p->kin_count,
                                   .init = DP_INIT_RANDOM,
                                   .seed = x->seed};
    struct datapath *dp = ops->open(&setup, d);
    struct round_state rounds = {.x = x};
    const struct control_config config = {.batch = (enum batch_mode)(x->seed % 3),
                                          .check = way == CHECKED,
                                          .threads = way == THREADS ? 2 : 1,
                                          .part_ps = way == THREADS,
                                          .next_round = x->p->rounds > 1 ? next_round : NULL,
                                          .round_context = &rounds};
    *seen = (struct seen){0};
    assert_non_null(dp);
    control_shape(x->p, x->b->on.target, dp);
    if (way == WATCHED)
        dp->ops->observe(dp, take_event, seen);
    struct control *c = control_new(x->o, x->p, x->b->on.target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)x->seed, control_message(c));
    const struct control_stats *s = control_stats(c);
    seen->time_ps = s->time_ps;
    memcpy(seen->uops, s->uops, sizeof seen->uops);
    memcpy(seen->energy_fj, s->energy_fj, sizeof seen->energy_fj);
    seen->established = s->established;
    assert_true(dp->ops->snapshot(dp, false, &seen->state));
    control_free(c);
    dp->ops->close(dp);
    arena_free(&rounds.arena);
    diag_free(d);
}

static void compare(const struct program *x, const struct kin_program *k, int way,
                    const struct seen *plain, const struct seen *other) {
    if (other->time_ps != plain->time_ps ||
        memcmp(other->uops, plain->uops, sizeof plain->uops) != 0 ||
        memcmp(&other->established, &plain->established, sizeof plain->established) != 0 ||
        memcmp(other->energy_fj, plain->energy_fj, sizeof plain->energy_fj) != 0)
        fail_msg("program %llu, way %d: other figures\n%s", (unsigned long long)x->seed, way,
                 str_text(&k->text));
    if (way != CHECKED && (other->state.len != plain->state.len ||
                           memcmp(other->state.text, plain->state.text, plain->state.len) != 0))
        fail_msg("program %llu, way %d: another state", (unsigned long long)x->seed, way);
}

/* A table once for each VRF of an owner that a header names, in however many ensembles and rounds;
 * of a package in rounds by what the first one has. */
static void check_tables(const struct program *x, const struct kin_program *k,
                         const struct seen *plain) {
    uint64_t vrfs = 0, rows = 0;
    for (uint32_t owner = 0; owner < KIN_OWNERS; owner++) {
        uint64_t here = owner == KIN_FIXED ? 2 : 0;
        for (size_t i = 0; i < x->p->placement_count; i++)
            here += x->p->placements[i].group == owner;
        bool named = false;
        for (size_t i = 0; i < k->done.len; i++)
            named |= k->done.data[i].owner == owner;
        vrfs += named ? here : 0;
        rows += named ? here * slot_of(k->width[owner]) : 0;
    }
    assert_int_equal(plain->established.vrfs, vrfs);
    assert_int_equal(plain->established.micro_ops, rows);
    assert_int_equal(plain->established.energy_fj,
                     rows * slot_kind_fj(x->b->on.target, SLOT_WRITE));
}

/* What places are counted by is the kernel and its tables, whether or not bits are asked for. */
static void check_place(const struct program *x, const struct seen *plain) {
    const struct place_count n =
        place_count(x->o, x->p, x->b->on.target, x->b->on.library, UINT64_MAX, UINT64_MAX);
    assert_true(n.known && n.whole);
    assert_int_equal(n.time_ps, plain->time_ps + plain->established.time_ps);
}

static void check_count(const struct program *x, const struct kin_program *k,
                        const struct seen *plain) {
    uint64_t uops[SLOT_KINDS];
    count_naively(k, uops);
    for (unsigned kind = 0; kind < SLOT_COMMANDS; kind++)
        if (uops[kind] != plain->uops[kind])
            fail_msg("program %llu: %llu of %s, not %llu\n%s", (unsigned long long)x->seed,
                     (unsigned long long)plain->uops[kind], slot_kind_names[kind],
                     (unsigned long long)uops[kind], str_text(&k->text));
}

static bool build(struct program *x, const struct kin_program *k, struct diag *d) {
    static const struct asm_options assembling = {0};
    static const struct link_options linking = {0};
    const char *text = k->text.text;
    struct object *o = asm_assemble("kin.s", text, k->text.len, &assembling, d);
    const struct object *const inputs[] = {o};
    x->o = o ? link_objects(inputs, 1, &linking, d) : NULL;
    object_free(o);
    if (!x->o)
        fail_msg("program %llu: %s\n%s", (unsigned long long)x->seed, diag_first(d), text);
    const struct package_place spread = {.asked = PLACE_SPREAD, .chosen = PLACE_SPREAD};
    x->p = x->seed % 2 ? package_build(x->o, x->b->on.target, x->b->on.library, NULL, 0, d)
                       : package_build_at(x->o, x->b->on.target, x->b->on.library, NULL, 0, &spread,
                                          NULL, d);
    return x->p;
}

static void one_program(struct bench *b, uint64_t seed, bool seven) {
    struct kin_program k = {.has = slot_has};
    struct diag *d = diag_new(NULL, NULL);
    struct program x = {.b = b, .seed = seed};
    struct seen plain = {0}, other;
    kin_program_make(&k, seed, seven);
    bool built = build(&x, &k, d);
    if (!built && !strstr(diag_first(d), "lanes")) /* no room beside fixed VRFs */
        fail_msg("program %llu: %s\n%s", (unsigned long long)seed, diag_first(d),
                 str_text(&k.text));
    for (int way = PLAIN; built && way < WAYS; way++) {
        run(&x, way, way == PLAIN ? &plain : &other);
        if (way == PLAIN)
            continue;
        compare(&x, &k, way, &plain, &other);
        str_free(&other.state);
    }
    if (built) {
        b->built++;
        b->with_rounds += x.p->rounds > 1;
        b->with_fixed += k.fixed;
        b->several_mpus += x.p->mpus > 1;
        b->shared += x.p->kin_count > 1;
        if (seven && !k.fixed)
            assert_true(x.p->kin_count <= KIN_GROUPS);
        check_tables(&x, &k, &plain);
        if (seed % 3 == 0) /* batches as they are counted */
            check_place(&x, &plain);
        if (x.p->rounds == 1)
            check_count(&x, &k, &plain);
    }
    str_free(&plain.state);
    package_free(x.p);
    object_free(x.o);
    kin_program_free(&k);
    diag_free(d);
}

static int set_up(void **state) {
    static const struct target_override small[] = {
        {"machine.mpus", "3"}, {"machine.rfh_per_mpu", "2"}, {"machine.vrf_per_rfh", "12"}};
    struct bench *b = xcalloc(1, sizeof *b);
    *state = b;
    b->on = target_bench_open(MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml", small, 3);
    return 0;
}

static void test_random(void **state) {
    struct bench *b = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        one_program(b, seed, false);
    assert_true(b->built > PROGRAMS * 9 / 10);
    assert_true(b->shared && b->with_rounds && b->with_fixed && b->several_mpus);
}

static void test_seven(void **state) {
    for (uint64_t seed = 1; seed <= PROGRAMS / 10; seed++)
        one_program(*state, seed, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_seven)};
    return cmocka_run_group_tests(tests, set_up, target_bench_tear_down);
}
