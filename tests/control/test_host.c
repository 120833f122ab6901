/* SPDX-License-Identifier: MIT
 * control=host: which instructions are round trips, for how many batches, and what they cost.  A
 * round trip takes 1 ms here, longer than all else together, so that what goes on beside it is
 * hidden behind it; the CPU takes 1 W in it and 0.1 W otherwise. */
#include "emu/control/baseline.h"
#include "machine.h"

#include "recipe/technology/plane_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define TRIP UINT64_C(1000000000)

static struct control_stats run(const char *text, const char *control, const char *trip_ps) {
    const struct target_override set[] = {{"control", control},
                                          {"host.round_trip_ps", trip_ps},
                                          {"host.active_mw", "1000"},
                                          {"host.idle_mw", "100"}};
    struct opened m;
    machine_open_with(&m, ON_RACER, text, set, 4);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_DONE);
    struct control_stats s = machine_stats(&m);
    machine_close(&m);
    return s;
}

/* Each trip that takes twice as long makes the program so much longer, since nothing else changes.
 * The time of the host is what nothing else goes on beside; fJ are mW x ps. */
static void expect_trips(const char *text, uint64_t trips) {
    struct control_stats host = run(text, "host", "1000000000"), mpu = run(text, "mpu", "1");
    struct control_stats slow = run(text, "host", "2000000000");
    assert_int_equal(slow.time_ps - host.time_ps, trips * TRIP);
    assert_int_equal(slow.host_ps - host.host_ps, trips * TRIP);
    assert_true(host.host_ps <= trips * TRIP);
    assert_true(host.host_ps + TRIP / 100 >= trips * TRIP);
    assert_int_equal(host.host_fj, 1000 * host.host_ps + 100 * (host.time_ps - host.host_ps));
    assert_int_equal(mpu.host_ps, 0);
    assert_int_equal(mpu.host_fj, 0);
    assert_int_equal(mpu.instructions, host.instructions);
    assert_true(mpu.issue_slots >= host.issue_slots);
    for (unsigned k = 0; k <= OPCLASS_CROSSING; k++)
        assert_int_equal(mpu.energy_fj[k], host.energy_fj[k]);
}

/* Two headers, JUMP, RETURN, REPEAT, REPEAT_END twice, a footer, MPU_SYNC, MOVE, MOVE_DONE: 11.
 * ADD, INC, NOP, MEMCPY and HALT are not the host's. */
static void control_instructions_are_round_trips(void **state) {
    (void)state;
    expect_trips("        .sub one\n"
                 "        INC r2 r2\n"
                 "        RETURN\n"
                 "        .endsub\n"
                 "        .global main\n"
                 "main:   COMPUTE RFH0 VRF0\n"
                 "        COMPUTE RFH1 VRF0\n"
                 "        ADD r0 r1 r2\n"
                 "        JUMP one\n"
                 "        REPEAT 2\n"
                 "        NOP\n"
                 "        REPEAT_END\n"
                 "        COMPUTE_DONE\n"
                 "        MPU_SYNC\n"
                 "        MOVE RFH0 RFH1\n"
                 "        MEMCPY.64 VRF0 r2 VRF0 r3\n"
                 "        MOVE_DONE\n"
                 "        HALT\n",
                 11);
    expect_trips("HALT\n", 0);
    expect_trips("MARK \"here\"\nHALT\n", 0);
}

/* Three batches: three headers, three footers.  With a jump in the body each batch is a stream of
 * its own: three jumps more. */
static void batches_have_their_own(void **state) {
    (void)state;
    expect_trips("COMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\nCOMPUTE RFH0 VRF2\nADD r0 r1 r2\n"
                 "COMPUTE_DONE\n",
                 6);
    expect_trips("COMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\nCOMPUTE RFH0 VRF2\nJUMP_NONE on\n"
                 "on: ADD r0 r1 r2\nCOMPUTE_DONE\n",
                 9);
}

/* A group is one header, whatever its VRFs; here five, in five RFHs. */
static void groups_are_one_header(void **state) {
    (void)state;
    expect_trips("        .group g[300]\n"
                 "        .global main\n"
                 "main:   COMPUTEG @g\n"
                 "        ADD r0 r1 r2\n"
                 "        COMPUTE_DONE\n"
                 "        HALT\n",
                 2);
}

/* The jump waits for the last bit of what was issued, and only then for the host: an AND of 64 bits
 * has its bits after 66 cycles of 3 ns. */
static void a_decision_waits_for_its_bits(void **state) {
    static const char with[] = "COMPUTE RFH0 VRF0\nAND r0 r1 r2\nJUMP_NONE on\non: COMPUTE_DONE\n";
    static const char without[] = "COMPUTE RFH0 VRF0\nJUMP_NONE on\non: COMPUTE_DONE\n";
    (void)state;
    struct control_stats a = run(with, "host", "1000000000");
    struct control_stats b = run(without, "host", "1000000000");
    assert_int_equal(a.host_ps, 3 * TRIP);
    assert_in_range(a.time_ps - b.time_ps, 66 * 3000, 80 * 3000);
}

/* MPUs decide at the same time: the trips of one, not of all. */
static void mpus_do_not_add_up(void **state) {
    (void)state;
    expect_trips("        .geometry grid=[8]\n"
                 "        .global main\n"
                 "main:   COMPUTE RFH0 VRF0\n"
                 "        ADD r0 r1 r2\n"
                 "        COMPUTE_DONE\n"
                 "        HALT\n",
                 2);
}

/* A link without latency is no MPU: its slots are not the front end's. */
static void a_round_trip_may_be_free(void **state) {
    const struct target_override set[] = {{"control", "host"}, {"host.round_trip_ps", "0"}};
    struct opened m;
    (void)state;
    machine_open_with(&m, ON_RACER, "COMPUTE RFH0 VRF0\nCOMPUTE_DONE\nHALT\n", set, 2);
    machine_run(&m, NULL);
    assert_true(control_host_takes(m.target, OP_COMPUTE));
    assert_false(control_host_takes(m.target, OP_ADD));
    assert_false(control_host_takes(m.target, OP_MEMCPY_64));
    assert_int_equal(control_host_cost_ps(m.target, OP_COMPUTE), 0);
    assert_true(control_stats(m.control)->time_ps <=
                run("COMPUTE RFH0 VRF0\nCOMPUTE_DONE\nHALT\n", "mpu", "1").time_ps);
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_instructions_are_round_trips),
        cmocka_unit_test(batches_have_their_own),
        cmocka_unit_test(groups_are_one_header),
        cmocka_unit_test(a_decision_waits_for_its_bits),
        cmocka_unit_test(mpus_do_not_add_up),
        cmocka_unit_test(a_round_trip_may_be_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
