/* SPDX-License-Identifier: MIT
 * The sum of the components equals the total, in time, energy, cycles and micro-ops: random
 * programs on every target, and numbers so large that sums stop at the largest. */
#include "tests/draws.h"
#include "rig.h"

#include "recipe/technology/plane_target.h"

#include "support/saturate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_REPORT_SUMS)

/* The sum of one column of a list; of by_component over the rows of the kernel alone or over all.
 */
static uint64_t sum_of(const struct figures *f, const char *list, const char *key, bool kernel) {
    bool inside = false, counts = true;
    uint64_t sum = 0;
    for (size_t i = 0; i < f->list.len; i++) {
        const struct figure *x = &f->list.data[i];
        if (x->kind == FIGURE_ARRAY && x->key)
            inside = strcmp(x->key, list) == 0;
        if (!inside || !x->key)
            continue;
        if (x->kind == FIGURE_TEXT && strcmp(x->key, "of") == 0)
            counts = !kernel || strcmp(x->text, "kernel") == 0;
        if (x->kind == FIGURE_NUMBER && counts && strcmp(x->key, key) == 0)
            sum = sat_add(sum, x->number);
    }
    return sum;
}

static const struct sum {
    const char *key, *total;
    bool kernel;
} sums[] = {
    {"time_ps", "total.time_ps", true},
    {"energy_fj", "total.energy_fj", true},
    {"cycles", "total.issue_slots", true},
    {"micro_ops", "total.micro_ops", true},
    {"time_ps", "total.end_to_end_time_ps", false},
    {"energy_fj", "total.end_to_end_energy_fj", false},
};

static void check_sums(const struct figures *f, const char *target, uint64_t seed) {
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        uint64_t total, sum = sum_of(f, "by_component", sums[i].key, sums[i].kernel);
        assert_true(report_figures_find(f, sums[i].total, &total));
        if (sum != total)
            fail_msg("%s, program %llu: %s of the components is %llu, %s is %llu", target,
                     (unsigned long long)seed, sums[i].key, (unsigned long long)sum, sums[i].total,
                     (unsigned long long)total);
    }
}

/* Instructions and regions have the micro-ops, and the energy of all but static power and the
 * host's CPU; kinds of micro-ops those of the datapath. */
static void check_instructions(const struct figures *f, const struct control_stats *s,
                               const char *target, uint64_t seed) {
    uint64_t micro_ops, executed, datapath = 0;
    assert_true(report_figures_find(f, "total.micro_ops", &micro_ops));
    assert_true(report_figures_find(f, "total.instructions", &executed));
    assert_int_equal(sum_of(f, "by_instruction", "micro_ops", false), micro_ops);
    assert_int_equal(sum_of(f, "by_instruction", "executed", false), executed);
    for (unsigned i = 0; i <= OPCLASS_CROSSING; i++)
        datapath = sat_add(datapath, s->energy_fj[i]);
    datapath = sat_add(datapath, s->transfer_fj);
    assert_int_equal(sum_of(f, "by_micro_op", "executed", false), micro_ops);
    uint64_t ops = sum_of(f, "by_micro_op", "energy_fj", false);
    if (ops != datapath - s->transfer_fj)
        fail_msg("%s, program %llu: energy of micro-ops is %llu, that of the datapath %llu", target,
                 (unsigned long long)seed, (unsigned long long)ops,
                 (unsigned long long)(datapath - s->transfer_fj));
    uint64_t spent = sat_add(datapath, sat_add(s->network_fj, s->front_end_fj));
    static const char *const lists[] = {"by_instruction", "by_line", "by_region"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        uint64_t fj = sum_of(f, lists[i], "energy_fj", false);
        if (fj != spent)
            fail_msg("%s, program %llu: energy of %s is %llu, that spent %llu", target,
                     (unsigned long long)seed, lists[i], (unsigned long long)fj,
                     (unsigned long long)spent);
    }
}

static void one_program(const struct rig *r, const char *target, uint64_t seed) {
    struct rig_run x;
    struct figures f = {0};
    rig_run(r, seed, (enum batch_mode)(seed % 3), NULL, NULL, &x);
    rig_report(r, &x, &f);
    check_sums(&f, target, seed);
    check_instructions(&f, control_stats(x.control), target, seed);
    report_figures_free(&f);
    rig_run_free(&x);
}

static void some_programs(const struct rig *r, const char *target, size_t number) {
    for (uint64_t i = 0; i < PROGRAMS; i++)
        one_program(r, target, 5000 + 1000 * number + i);
}

static void components_add_up(void **state) {
    (void)state;
    rig_each(some_programs);
}

static void see_nothing(void *context, const struct dp_event *e) {
    (void)context, (void)e;
}

static struct control_stats stats_of(const struct rig *r, uint64_t seed, enum batch_mode batch,
                                     dp_observer *observer, uint64_t fj[OPCLASS_CROSSING + 1]) {
    struct rig_run x;
    rig_run(r, seed, batch, observer, NULL, &x);
    struct control_stats s = *control_stats(x.control);
    memcpy(fj, s.energy_fj, (OPCLASS_CROSSING + 1) * sizeof *fj);
    rig_run_free(&x);
    return s;
}

/* Enabled lanes are counted for all batches in step, or batch by batch by the machine itself where
 * somebody watches; energy is the same, and less than if every lane were enabled. */
static void lanes_are_counted_alike(void **state) {
    struct rig r;
    uint64_t gated = 0, all = 0;
    (void)state;
    verify_rig_open(&r, "racer");
    for (uint64_t seed = 9000; seed < 9000 + PROGRAMS; seed++) {
        uint64_t together[OPCLASS_CROSSING + 1], watched[OPCLASS_CROSSING + 1];
        struct control_stats a = stats_of(&r, seed, BATCH_TARGET, NULL, together);
        struct control_stats b = stats_of(&r, seed, BATCH_TARGET, see_nothing, watched);
        assert_memory_equal(together, watched, sizeof together);
        assert_int_equal(a.front_end_fj, b.front_end_fj);
        for (unsigned i = 0; i <= OPCLASS_CROSSING; i++)
            gated += together[i];
        uint64_t micro_ops = 0;
        struct rig_run x;
        rig_run(&r, seed, BATCH_TARGET, NULL, NULL, &x);
        for (uint32_t k = 0; k < control_tables(x.control)->kind_count; k++)
            micro_ops += control_stats(x.control)->uops[k];
        rig_run_free(&x);
        all += micro_ops * UINT64_C(125) * 8;
    }
    assert_true(gated && gated < all);
    verify_rig_close(&r);
}

/* Energies and times near the largest number. */
static void components_add_up_beyond_64_bits(void **state) {
    static const struct target_override large[] = {
        {"front_end.energy_fj_per_cycle", "1099511627776"},
        {"front_end.static_nw", "1099511627776"},
        {"front_end.cycle_ps", "1099511627776"},
        {"machine.mpus", "3"},
        {"machine.rfh_per_mpu", "2"},
        {"machine.vrf_per_rfh", "3"},
        {"machine.active_vrf_per_rfh", "1"},
        {"array.lanes", "8"},
    };
    struct rig r;
    (void)state;
    rig_open_with(&r, "racer", large, sizeof large / sizeof *large);
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        one_program(&r, "racer", seed);
    verify_rig_close(&r);
}

/* A host in the place of the control path, and as many VRFs at once as a limit of power lets: what
 * is computed and what that takes does not change, and the parts are the whole. */
static void components_add_up_with_a_host(void **state) {
    static const char *const names[] = {"racer", "mimdram", "duality-cache"};
    static const struct target_override set[] = {
        {"control", "host"},          {"control.cap", "power"},
        {"window_ps", "1"},           {"limit_mw_per_cm2", "300"},
        {"machine.mpus", "3"},        {"machine.rfh_per_mpu", "2"},
        {"machine.vrf_per_rfh", "3"}, {"machine.active_vrf_per_rfh", "1"},
        {"array.lanes", "8"}};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct rig host, mpu;
        rig_open_with(&host, names[i], set, sizeof set / sizeof *set);
        rig_open_with(&mpu, names[i], set + 4, sizeof set / sizeof *set - 4);
        for (uint64_t seed = 9000; seed < 9000 + (PROGRAMS + 2) / 3; seed++) {
            struct rig_run a, b;
            one_program(&host, names[i], seed);
            rig_run(&host, seed, BATCH_TARGET, NULL, NULL, &a);
            rig_run(&mpu, seed, BATCH_TARGET, NULL, NULL, &b);
            const struct control_stats *x = control_stats(a.control), *y = control_stats(b.control);
            assert_memory_equal(x->uops, y->uops, sizeof x->uops);
            assert_memory_equal(x->energy_fj, y->energy_fj, sizeof x->energy_fj);
            assert_true(x->host_ps <= x->time_ps && y->host_ps == 0);
            assert_true(x->heat.end_ps <= x->time_ps);
            rig_run_free(&a);
            rig_run_free(&b);
        }
        verify_rig_close(&host);
        verify_rig_close(&mpu);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_add_up),
        cmocka_unit_test(lanes_are_counted_alike),
        cmocka_unit_test(components_add_up_beyond_64_bits),
        cmocka_unit_test(components_add_up_with_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
