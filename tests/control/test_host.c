/* SPDX-License-Identifier: MIT
 * control=host and host-all: which instructions are round trips, for how many batches, and what
 * they cost.  A round trip takes 1 ms here, longer than all else together, so that what goes on
 * beside it is hidden behind it; the CPU takes 1 W in it and 0.1 W otherwise. */
#include "emu/control/baseline.h"
#include "machine.h"

#include "recipe/technology/plane.h"

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
static void expect_trips_of(const char *control, const char *text, uint64_t trips) {
    struct control_stats host = run(text, control, "1000000000"), mpu = run(text, "mpu", "1");
    struct control_stats slow = run(text, control, "2000000000");
    assert_int_equal(slow.time_ps - host.time_ps, trips * TRIP);
    assert_int_equal(slow.host_ps - host.host_ps, trips * TRIP);
    assert_true(host.host_ps <= trips * TRIP + TRIP / 1000); /* with the way of the masks */
    assert_true(host.host_ps + TRIP / 100 >= trips * TRIP);
    assert_int_equal(host.host_fj, 1000 * host.host_ps + 100 * (host.time_ps - host.host_ps));
    assert_int_equal(mpu.host_ps, 0);
    assert_int_equal(mpu.host_fj, 0);
    assert_int_equal(mpu.instructions, host.instructions);
    assert_true(mpu.issue_slots >= host.issue_slots);
    for (unsigned k = 0; k <= OPCLASS_CROSSING; k++)
        assert_int_equal(mpu.energy_fj[k], host.energy_fj[k]);
}

/* ---- host-all ---- */

static void expect_trips(const char *text, uint64_t trips) {
    expect_trips_of("host-all", text, trips);
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
    struct control_stats a = run(with, "host-all", "1000000000");
    struct control_stats b = run(without, "host-all", "1000000000");
    assert_in_range(a.host_ps, 3 * TRIP, 3 * TRIP + 1000); /* and the way of the masks */
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
    const struct target_override set[] = {{"control", "host-all"}, {"host.round_trip_ps", "0"}};
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

/* ---- host ---- */

/* What follows from the text costs the host nothing: headers, calls, loops, footers, fences. */
static void what_the_text_says_is_free(void **state) {
    (void)state;
    expect_trips_of("host",
                    "        .sub one\n"
                    "        INC r2 r2\n"
                    "        RETURN\n"
                    "        .endsub\n"
                    "        .global main\n"
                    "main:   COMPUTE RFH0 VRF0\n"
                    "        COMPUTE RFH0 VRF1\n"
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
                    0);
}

#define LOOP_OF_THREE                                                                              \
    "COMPUTE RFH0 VRF0\nREPEAT 3\nNOP\nADD r0 r1 r2\nREPEAT_END\nCOMPUTE_DONE\nREPEAT 3\nNOP\n"    \
    "REPEAT_END\n"
#define UNROLLED                                                                                   \
    "COMPUTE RFH0 VRF0\nNOP\nADD r0 r1 r2\nNOP\nADD r0 r1 r2\nNOP\nADD r0 r1 r2\nCOMPUTE_DONE\n"   \
    "NOP\nNOP\nNOP\n"

/* A static loop takes what its unrolled text takes, but for the fetches of that text: NOP and ADD
 * twice more.  Behind the last bit both are the same. */
static void static_loops_are_unrolled(void **state) {
    (void)state;
    struct control_stats loop = run(LOOP_OF_THREE, "host", "1000000000");
    struct control_stats flat = run(UNROLLED, "host", "1000000000");
    assert_int_equal(loop.host_ps, 0);
    assert_true(loop.time_ps <= flat.time_ps);
    assert_true(loop.time_ps + 4 * 3000 >= flat.time_ps);
    assert_int_equal(loop.issue_slots + 4, flat.issue_slots);
}

/* Sixteen VRFs in two batches: the first goes round five times, the second three times.  The host
 * asks once for both: five times. */
static const char two_batches[] = "        .group g[1024]\n"
                                  "        .global main\n"
                                  "main:   COMPUTEG @g\n"
                                  "        INDEX r1\n"
                                  "        LI 512 r3\n"
                                  "        LI 3 r4\n"
                                  "        INIT0 r2\n"
                                  "        CMPLT r1 r3\n"
                                  "        SETMASK cond\n"
                                  "        LI 5 r4\n"
                                  "        UNMASK\n"
                                  "loop:   INC r2 r2\n"
                                  "        CMPLT r2 r4\n"
                                  "        SETMASK cond\n"
                                  "        JUMP_COND loop\n"
                                  "        COMPUTE_DONE\n"
                                  "        HALT\n";

static void batches_are_asked_together(void **state) {
    (void)state;
    expect_trips_of("host", two_batches, 5);
    expect_trips_of("host-all", two_batches, 5 + 3 + 1 + 2);
}

/* Eight MPUs, each of which asks for one VRF. */
static const char eight_mpus[] = "        .geometry grid=[8]\n"
                                 "        .global main\n"
                                 "main:   COMPUTE RFH0 VRF0\n"
                                 "        INIT0.8 r0\n"
                                 "        CMPGT.8 r0 r0\n"
                                 "        SETMASK cond\n"
                                 "        COMPUTE_DONE\n"
                                 "        JUMP_ANY main\n"
                                 "        HALT\n";

/* All MPUs are asked at once. */
static void some_mpu_at_work_is_one_trip(void **state) {
    (void)state;
    expect_trips_of("host", eight_mpus, 1);
}

/* Mask bits of sixteen VRFs of 64 lanes three times, then of eight twice: 512 bytes.  JUMP_ANY has
 * those of all MPUs. */
static void masks_go_over_the_link(void **state) {
    const struct target_override set[] = {
        {"control", "host"}, {"host.round_trip_ps", "0"}, {"host.mask_bytes_per_s", "1000000"}};
    struct opened m;
    (void)state;
    machine_open_with(&m, ON_RACER, two_batches, set, 3);
    machine_run(&m, NULL);
    assert_int_equal(machine_stats(&m).host_ps, 512 * UINT64_C(1000000));
    assert_int_equal(control_host_decision_ps(m.target, 9), 2 * UINT64_C(1000000));
    machine_close(&m);
    machine_open_with(&m, ON_RACER, eight_mpus, set, 3);
    machine_run(&m, NULL);
    assert_int_equal(machine_stats(&m).host_ps, 8 * 8 * UINT64_C(1000000));
    machine_close(&m);
    machine_open_with(&m, ON_RACER, two_batches, set, 2);
    assert_int_equal(m.target->host_mask_bytes_per_s, 0); /* as elements: 19.2 GB/s */
    assert_int_equal(control_host_decision_ps(m.target, 19200 * 8), 1000000);
    machine_close(&m);
}

/* The time of the trips stands with the jump, in its region, and in no other part. */
static void decisions_are_their_instructions_time(void **state) {
    const struct target_override set[] = {{"control", "host"},
                                          {"host.round_trip_ps", "1000000000"}};
    struct opened m;
    (void)state;
    machine_open_with(&m, ON_RACER, two_batches, set, 2);
    machine_run(&m, NULL);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m.object->text.len; i++) {
        uint64_t ps = control_insn_stats(m.control)[i].time_ps;
        sum += ps;
        assert_true(i == 12 ? ps >= 5 * TRIP : ps < TRIP);
    }
    assert_true(sum >= machine_stats(&m).time_ps);
    machine_close(&m);
}

/* A message is one trip, at its SEND, whatever else its ensemble has; so is a move that takes
 * elements from MPU to MPU, and one inside of an MPU is none. */
static void messages_are_trips(void **state) {
    (void)state;
    expect_trips_of("host",
                    ".geometry lanes=64, vrfs=2, rfhs=2, grid=[2]\n"
                    "SEND MPU+1\nMOVE RFH0 RFH0\nMEMCPY.8 VRF0 r0 VRF0 r1\nMOVE_DONE\nSEND_DONE\n"
                    "RECV MPU-1\n",
                    1);
    expect_trips_of("host",
                    ".geometry lanes=64, vrfs=2, rfhs=2, grid=[3]\n.group g[6] per mpu\n"
                    ".move right u8 @g r2[p, i] = @g r2[p - 1, i] wrap\n"
                    "REPEAT 2\nGMOVE right\nREPEAT_END\n",
                    2);
    expect_trips_of("host",
                    ".group g[6]\n.move right u8 @g r2[i] = @g r2[i - 1] wrap\nGMOVE right\n", 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_instructions_are_round_trips),
        cmocka_unit_test(batches_have_their_own),
        cmocka_unit_test(groups_are_one_header),
        cmocka_unit_test(a_decision_waits_for_its_bits),
        cmocka_unit_test(mpus_do_not_add_up),
        cmocka_unit_test(a_round_trip_may_be_free),
        cmocka_unit_test(what_the_text_says_is_free),
        cmocka_unit_test(static_loops_are_unrolled),
        cmocka_unit_test(batches_are_asked_together),
        cmocka_unit_test(masks_go_over_the_link),
        cmocka_unit_test(decisions_are_their_instructions_time),
        cmocka_unit_test(messages_are_trips),
        cmocka_unit_test(some_mpu_at_work_is_one_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
