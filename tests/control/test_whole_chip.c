/* SPDX-License-Identifier: MIT
 * Programs on many MPUs, with one and with several host threads: the memory that they take, where
 * they stop, what they print, and that threads are used where there is work. */
#include "machines/plane/run/plane.h"
#include "machine.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHIP = 497, TOUCHED = 5, MOST_THREADS = 3 };

/* `body` on the VRFs RFHk VRF(k * step), k < TOUCHED, of the first `mpus` MPUs. */
static void open_chip(struct opened *m, enum machine_kind kind, unsigned mpus, unsigned step,
                      const char *body, const char *recipes) {
    struct str text = {0};
    str_printf(&text, "        .mpu 0..%u main\n        .global main\nmain:\n", mpus - 1);
    for (unsigned k = 0; k < TOUCHED; k++)
        str_printf(&text, "        COMPUTE RFH%u VRF%u\n", k, k * step);
    str_printf(&text, "%s        COMPUTE_DONE\n", body);
    machine_open(m, kind, str_text(&text), recipes);
    str_free(&text);
}

static void run_threads(struct opened *m, unsigned threads, bool check) {
    const struct control_config config = {.threads = threads, .part_ps = 1, .check = check};
    machine_run(m, &config);
}

/* ---- memory ---- */

static const char counting[] = "        LI.16 5 r0\n"
                               "        LI.16 1 r1\n"
                               "        INDEX.16 r2\n"
                               "loop:   ADD.16 r2 r1 r2\n"
                               "        SUB.16 r0 r1 r0\n"
                               "        CMPGT.16 r0 r1\n"
                               "        SETMASK cond\n"
                               "        JUMP_COND loop\n";

static uint64_t bytes_of_state(unsigned mpus, unsigned step, unsigned threads) {
    struct opened m;
    open_chip(&m, ON_RACER, mpus, step, counting, NULL);
    run_threads(&m, threads, false);
    assert_int_equal(m.end, CONTROL_DONE);
    assert_int_equal(control_stats(m.control)->vrfs_used, mpus * TOUCHED);
    for (unsigned k = 0; k < TOUCHED; k++)
        assert_int_equal(machine_lane_of(&m, mpus - 1, k, k * step, 2, 7), 7 + 4);
    uint64_t bytes = plane_of(m.dp)->bytes;
    machine_close(&m);
    return bytes;
}

/* Of what a VRF of 64 lanes holds: 8 bytes of each of its planes. */
static uint64_t bytes_per_vrf(void) {
    struct opened m;
    open_chip(&m, ON_RACER, 1, 0, counting, NULL);
    uint64_t bytes = (uint64_t)plane_of(m.dp)->slots * 8;
    machine_close(&m);
    return bytes;
}

/* All MPUs of the chip, 5 of 512 VRFs of each.  VRFs take places in blocks of eight: five of one
 * row are less than two thirds more than what they hold; five that lie far apart, at most eight
 * times as much.  Another tile has just been begun. */
static void memory_is_proportional_to_what_is_touched(void **state) {
    static const unsigned mpus[] = {1, 50, CHIP};
    uint64_t vrf = bytes_per_vrf(), tile = vrf * PLANE_TILE_WORDS;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t touched = vrf * TOUCHED * mpus[i];
        assert_in_range(bytes_of_state(mpus[i], 0, 1), touched, touched * 8 / 5 + tile);
        assert_in_range(bytes_of_state(mpus[i], 12, 1), touched, touched * 8 + tile);
    }
    for (unsigned threads = 2; threads <= MOST_THREADS; threads++)
        assert_int_equal(bytes_of_state(CHIP, 12, threads), bytes_of_state(CHIP, 12, 1));
}

/* The limit is met by the same VRF, and the same VRFs have state. */
static void memory_limits_do_not_depend_on_threads(void **state) {
    struct str texts[MOST_THREADS + 1] = {{0}}, states[MOST_THREADS + 1] = {{0}};
    (void)state;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        struct opened m;
        open_chip(&m, ON_RACER, CHIP, 1, counting, NULL);
        m.dp->ops->close(m.dp);
        const struct dp_setup setup = {.target = m.target,
                                       .library = m.library,
                                       .mpus = m.package->mpus,
                                       .reg_bits = m.package->reg_bits,
                                       .memory_limit = 1000000};
        struct diag *d = diag_new(NULL, NULL);
        m.dp = plane_strict_ops.open(&setup, d);
        assert_non_null(m.dp);
        diag_free(d);
        run_threads(&m, threads, false);
        assert_int_equal(m.end, CONTROL_STOPPED);
        str_append(&texts[threads], control_message(m.control));
        assert_non_null(strstr(str_text(&texts[threads]), "limit of 1000000 bytes"));
        assert_true(m.dp->ops->snapshot(m.dp, false, &states[threads]));
        assert_string_equal(str_text(&texts[threads]), str_text(&texts[1]));
        assert_int_equal(states[threads].len, states[1].len);
        assert_memory_equal(states[threads].text, states[1].text, states[1].len);
        machine_close(&m);
    }
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        str_free(&texts[threads]);
        str_free(&states[threads]);
    }
}

/* ---- places ---- */

static const char asserting[] = "        LI.8 9 r1\n"
                                "        CMPLT.8 r0 r1\n"
                                "        ASSERT \"small\"\n";

/* Lanes of several MPUs and batches fail: the lowest is told. */
static void assertions_stop_at_the_lowest(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        struct opened m;
        open_chip(&m, ON_RACER, 40, 1, asserting, NULL);
        for (unsigned mpu = 39; mpu >= 7; mpu -= 4)
            for (unsigned k = 3; k < TOUCHED; k++)
                machine_put_of(&m, mpu, k, k, 0, 60 - k, 9);
        run_threads(&m, threads, false);
        assert_int_equal(m.end, CONTROL_STOPPED);
        if (!strstr(control_message(m.control), "MPU 7, batch 0, RFH3.VRF3, lane 57)"))
            fail_msg("%s", control_message(m.control));
        machine_close(&m);
    }
}

static void prints_come_in_order(void **state) {
    struct str first = {0};
    (void)state;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        struct opened m;
        open_chip(&m, ON_RACER, 30, 1, "        INDEX.8 r0\n        PRINT \"r0\" r0:u8\n", NULL);
        run_threads(&m, threads, false);
        assert_int_equal(m.end, CONTROL_DONE);
        if (threads == 1)
            str_append(&first, str_text(&m.printed));
        assert_string_equal(str_text(&m.printed), str_text(&first));
        machine_close(&m);
    }
    assert_non_null(strstr(str_text(&first), "MPU29"));
    str_free(&first);
}

/* OR is AND at width 23, which the check of recipes at small widths does not see. */
static const char damaged[] = "recipe OR(a, b) -> d any w for racer\n"
                              "{\n"
                              "  for j in 0 .. w-1 {\n"
                              "    x = NOR(a[j], a[j])\n"
                              "    y = NOR(b[j], b[j])\n"
                              "    n = NOR(a[j], b[j])\n"
                              "    if w == 23 { d[j] = NOR(x, y) }\n"
                              "    if w < 23 { d[j] = NOR(n, n) }\n"
                              "    if w > 23 { d[j] = NOR(n, n) }\n"
                              "  }\n"
                              "  computes d == a | b\n"
                              "}\n";

/* Two VRFs of different MPUs differ: the lowest is told. */
static void differences_are_those_of_the_lowest(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        struct opened m;
        open_chip(&m, ON_BOTH, 40, 1, "        OR.23 r0 r1 r2\n", damaged);
        machine_put_of(&m, 31, 2, 2, 0, 9, 8);
        machine_put_of(&m, 12, 4, 4, 1, 5, 8);
        run_threads(&m, threads, true);
        assert_int_equal(m.end, CONTROL_DIFFERS);
        if (!strstr(control_message(m.control), "MPU12 RFH4 VRF4 lane 5, r2: 0x0"))
            fail_msg("%s", control_message(m.control));
        machine_close(&m);
    }
}

/* ---- observers, threads ---- */

static void note_event(void *context, const struct dp_event *e) {
    str_printf(context, "%u+%u %u in %u %" PRIu64 "\n", e->vrf_first, e->vrf_count, e->kind,
               e->unit, e->start_ps);
}

/* Nobody else runs while an observer is told, and runs and times are its own. */
static void observers_see_the_same(void **state) {
    struct str seen[MOST_THREADS + 1] = {{0}};
    (void)state;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        struct opened m;
        open_chip(&m, ON_RACER, 20, 1, counting, NULL);
        m.dp->ops->observe(m.dp, note_event, &seen[threads]);
        run_threads(&m, threads, false);
        assert_int_equal(m.end, CONTROL_DONE);
        assert_true(seen[threads].len > 1000);
        assert_string_equal(str_text(&seen[threads]), str_text(&seen[1]));
        machine_close(&m);
    }
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        str_free(&seen[threads]);
}

static atomic_uint executions;

static void count_execution(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                            struct dp_moment begin, struct dp_outcome *out) {
    atomic_fetch_add(&executions, 1);
    plane_strict_ops.execute(dp, code, set, begin, out);
}

/* Calls of execute for a run over many VRFs. */
static unsigned executions_with(const struct control_config *config) {
    struct datapath_ops ops = plane_strict_ops;
    struct opened m;
    open_chip(&m, ON_RACER, CHIP, 12, "        MUL.32 r0 r1 r2\n", NULL);
    ops.execute = count_execution;
    m.dp->ops = &ops;
    atomic_store(&executions, 0);
    machine_run(&m, config);
    assert_int_equal(m.end, CONTROL_DONE);
    machine_close(&m);
    return atomic_load(&executions);
}

/* One thread has one part; several have several if each is enough, and no more than four each. */
static void work_is_cut_where_it_pays(void **state) {
    (void)state;
    assert_int_equal(executions_with(&(struct control_config){.threads = 1, .part_ps = 1}), 1);
    assert_int_equal(executions_with(&(struct control_config){.threads = 2, .part_ps = 1}), 8);
    assert_int_equal(executions_with(&(struct control_config){.threads = 3, .part_ps = 1}), 12);
    assert_int_equal(executions_with(&(struct control_config){.threads = 2, .part_ps = UINT64_MAX}),
                     1);
    assert_in_range(executions_with(&(struct control_config){.threads = 2}), 2, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_proportional_to_what_is_touched),
        cmocka_unit_test(memory_limits_do_not_depend_on_threads),
        cmocka_unit_test(assertions_stop_at_the_lowest),
        cmocka_unit_test(prints_come_in_order),
        cmocka_unit_test(differences_are_those_of_the_lowest),
        cmocka_unit_test(observers_see_the_same),
        cmocka_unit_test(work_is_cut_where_it_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
