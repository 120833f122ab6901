/* SPDX-License-Identifier: MIT
 * Power density: how many VRFs it lets work at once, and when a program exceeds its limit.
 *
 * racer, 64 bits: ADD takes 634 micro-ops of 8 pJ in 196 cycles of 3 ns, 5,072 pJ / 588 ns = 8.63
 * mW a VRF; OR 64 in 64 cycles, 512 pJ / 192 ns = 2.67 mW; MUL 27,976 in 1,297 cycles, 57.5 mW.  An
 * MPU takes 0.90425 mm2, and 20 W/cm2 of that are 180.85 mW; one VRF in each of 8 RFHs takes 69.0,
 * 21.3 and 460 mW.  So 2, 8 and less than one fit. */
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define EIGHT                                                                                      \
    "COMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\nCOMPUTE RFH0 VRF2\nCOMPUTE RFH0 VRF3\n"                 \
    "COMPUTE RFH0 VRF4\nCOMPUTE RFH0 VRF5\nCOMPUTE RFH0 VRF6\nCOMPUTE RFH0 VRF7\n"

static uint64_t batches_of(const char *text, const struct target_override *set, size_t count) {
    struct opened m;
    machine_open_with(&m, ON_RACER, text, set, count);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_DONE);
    uint64_t batches = control_stats(m.control)->batches;
    machine_close(&m);
    return batches;
}

static uint64_t batches_by_power(const char *text) {
    static const struct target_override set[] = {{"control.cap", "power"}};
    return batches_of(text, set, 1);
}

static void the_hungriest_instruction_counts(void **state) {
    (void)state;
    assert_int_equal(batches_by_power(EIGHT "ADD r0 r1 r2\nCOMPUTE_DONE\n"), 4);
    assert_int_equal(batches_by_power(EIGHT "OR r0 r1 r2\nCOMPUTE_DONE\n"), 1);
    assert_int_equal(batches_by_power(EIGHT "MUL r0 r1 r2\nCOMPUTE_DONE\n"), 8);
    assert_int_equal(batches_by_power(EIGHT "OR r0 r1 r2\nADD r0 r1 r3\nCOMPUTE_DONE\n"), 4);
    assert_int_equal(batches_by_power(EIGHT "COMPUTE_DONE\n"), 1);
    /* The same header, another body. */
    assert_int_equal(
        batches_by_power(EIGHT "ADD r0 r1 r2\nCOMPUTE_DONE\n" EIGHT "OR r0 r1 r2\nCOMPUTE_DONE\n"),
        5);
}

/* What a body calls is a part of it; what it jumps over is, too, for nobody knows. */
static void calls_and_jumps_are_followed(void **state) {
    (void)state;
    assert_int_equal(batches_by_power("        .sub add\n"
                                      "        ADD r0 r1 r2\n"
                                      "        RETURN\n"
                                      "        .endsub\n"
                                      "        .global main\n"
                                      "main:\n" EIGHT "        OR r0 r1 r3\n"
                                      "        JUMP add\n"
                                      "        COMPUTE_DONE\n"
                                      "        HALT\n"),
                     4);
    assert_int_equal(batches_by_power(EIGHT "        JUMP_NONE skip\n"
                                            "        ADD r0 r1 r2\n"
                                            "skip:   OR r0 r1 r2\n"
                                            "        COMPUTE_DONE\n"),
                     4);
}

/* active is the paper's cap and looks at no power; a higher limit lets more work. */
static void other_limits(void **state) {
    static const struct target_override active[] = {{"active_vrf_per_rfh", "4"}};
    static const struct target_override wide[] = {{"control.cap", "power"},
                                                  {"limit_mw_per_cm2", "40000"}};
    static const struct target_override narrow[] = {{"control.cap", "power"},
                                                    {"limit_mw_per_cm2", "1"}};
    (void)state;
    assert_int_equal(batches_of(EIGHT "MUL r0 r1 r2\nCOMPUTE_DONE\n", active, 1), 2);
    assert_int_equal(batches_of(EIGHT "ADD r0 r1 r2\nCOMPUTE_DONE\n", wide, 2), 2); /* 5.2 */
    assert_int_equal(batches_of(EIGHT "OR r0 r1 r2\nCOMPUTE_DONE\n", narrow, 2), 8);
}

static void a_cap_needs_limit_and_area(void **state) {
    static const struct target_override no_limit[] = {{"control.cap", "power"},
                                                      {"limit_mw_per_cm2", "0"}};
    static const struct target_override no_area[] = {{"control.cap", "power"},
                                                     {"area.arrays_um2", "0"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct diag *d = diag_new(NULL, NULL);
        assert_null(target_open("racer", i ? no_area : no_limit, 2, d));
        assert_non_null(strstr(diag_first(d), "control.cap=power needs"));
        diag_free(d);
    }
}

/* ---- windows ---- */

#define TWO_BODIES                                                                                 \
    "COMPUTE RFH0 VRF0\nOR r0 r1 r2\nOR r0 r1 r3\nCOMPUTE_DONE\n"                                  \
    "COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF0\nADD r0 r1 r2\nCOMPUTE_DONE\n"

static struct control_heat heat_of(const char *text, const char *limit, const char *window) {
    const struct target_override set[] = {{"limit_mw_per_cm2", limit}, {"window_ps", window}};
    struct opened m;
    machine_open_with(&m, ON_RACER, text, set, 2);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_DONE);
    struct control_heat h = control_stats(m.control)->heat;
    assert_true(h.end_ps <= control_stats(m.control)->time_ps);
    machine_close(&m);
    return h;
}

/* Each body is a window.  The second takes 2 x 5,072 pJ in its 0.59 us or so: 17 mW over
 * 0.90425 mm2, 1.9 W/cm2; the first 1,024 pJ, less. */
static void the_worst_window_is_told(void **state) {
    (void)state;
    struct control_heat h = heat_of(TWO_BODIES, "1", "1");
    assert_int_equal(h.windows, 2);
    assert_int_equal(h.index, 6);
    assert_int_equal(h.mpu, 0);
    assert_in_range(h.end_ps - h.start_ps, 588000, 640000); /* with fetches and the recipe */
    /* mW / cm2 = fJ / ps / um2 * 10^8 */
    assert_int_equal(h.mw_per_cm2,
                     UINT64_C(10144000) * 1000000 / (h.end_ps - h.start_ps) * 100 / 904250);
    assert_int_equal(heat_of(TWO_BODIES, "1500", "1").windows, 1);
    assert_int_equal(heat_of(TWO_BODIES, "20000", "1").windows, 0);
    assert_int_equal(heat_of(TWO_BODIES, "0", "1").windows, 0);
}

/* A window of 0.7 us takes both bodies, one of a millisecond none. */
static void windows_join_bodies(void **state) {
    (void)state;
    struct control_heat h = heat_of(TWO_BODIES, "1", "700000");
    assert_int_equal(h.windows, 1);
    assert_int_equal(h.index, 6);
    assert_int_equal(h.mw_per_cm2,
                     UINT64_C(11168000) * 1000000 / (h.end_ps - h.start_ps) * 100 / 904250);
    assert_int_equal(heat_of(TWO_BODIES, "1", "1000000000").windows, 0);
}

/* In step or batch by batch, an MPU takes the same energy. */
static void batches_add_up(void **state) {
    (void)state;
    struct control_heat a = heat_of(EIGHT "ADD r0 r1 r2\nCOMPUTE_DONE\n", "1", "1");
    struct control_heat b =
        heat_of(EIGHT "ADD r0 r1 r2\nJUMP_NONE on\non: COMPUTE_DONE\n", "1", "1");
    uint64_t energy = UINT64_C(8) * 5072000;
    assert_int_equal(a.windows, 1);
    assert_int_equal(b.windows, 1);
    assert_int_equal(a.mw_per_cm2, energy * 1000000 / (a.end_ps - a.start_ps) * 100 / 904250);
    assert_int_equal(b.mw_per_cm2, energy * 1000000 / (b.end_ps - b.start_ps) * 100 / 904250);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hungriest_instruction_counts),
        cmocka_unit_test(calls_and_jumps_are_followed),
        cmocka_unit_test(other_limits),
        cmocka_unit_test(a_cap_needs_limit_and_area),
        cmocka_unit_test(the_worst_window_is_told),
        cmocka_unit_test(windows_join_bodies),
        cmocka_unit_test(batches_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
