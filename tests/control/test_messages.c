/* SPDX-License-Identifier: MIT
 * MPUs with flows of their own: messages, queues, JUMP_ANY, deadlocks; programs small enough to
 * follow by hand, on golden, on the plane machine and on both at once, under every batching. */
#include "emu/timing/network.h"
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One program and what goes in: r0 of RFH0.VRF0 of MPU m, lane l, is 10 * m + l. */
struct way {
    enum machine_kind kind;
    enum batch_mode batch;
};
static const struct way ways[] = {
    {ON_GOLDEN, BATCH_TARGET}, {ON_GOLDEN, BATCH_ONE}, {ON_GOLDEN, BATCH_ALL},
    {ON_RACER, BATCH_TARGET},  {ON_RACER, BATCH_ONE},  {ON_RACER, BATCH_ALL},
    {ON_BOTH, BATCH_TARGET},   {ON_BOTH, BATCH_ONE},   {ON_BOTH, BATCH_ALL}};
#define WAYS (sizeof ways / sizeof *ways)

static void start(struct opened *m, const struct way *w, const char *text,
                  const struct target_override *set, size_t count) {
    struct control_config config = {
        .batch = w->batch, .check = w->kind == ON_BOTH, .max_cycles = 1000000};
    machine_open_with(m, w->kind, text, set, count);
    for (uint32_t mpu = 0; m->package->reg_bits[0] && mpu < m->package->mpus; mpu++)
        for (uint32_t lane = 0; lane < 4; lane++)
            machine_put_of(m, mpu, 0, 0, 0, lane, 10 * mpu + lane);
    machine_run(m, &config);
}

static void expect_end(struct opened *m, enum control_end end) {
    if (m->end != end)
        fail_msg("%s", control_message(m->control));
}

static void expect_lane(struct opened *m, uint32_t mpu, unsigned reg, uint32_t lane,
                        uint64_t value) {
    assert_int_equal(machine_lane_of(m, mpu, 0, 0, reg, lane), value);
}

static const char *note_at(const struct opened *m, size_t i, size_t *count) {
    const struct control_note *notes = control_notes(m->control, count);
    assert_true(i < *count);
    return notes[i].text;
}

#define SEND_TO(who, from, to)                                                                     \
    "SEND " who "\nMOVE RFH0 RFH0\nMEMCPY.8 VRF0 " from " VRF0 " to "\nMOVE_DONE\nSEND_DONE\n"
#define GRID "        .geometry lanes=4, vrfs=2, rfhs=2, grid="

/* ---- who sends to whom ---- */

/* Each of four adds up what three steps round the ring bring by. */
static void a_ring_of_four(void **state) {
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(
            &m, &ways[w],
            GRID "[4]\n        REPEAT 3\n" SEND_TO(
                "MPU+1 wrap", "r0",
                "r0") "RECV MPU-1 wrap\nCOMPUTE RFH0 VRF0\nADD.8 r0 r1 r1\nCOMPUTE_DONE\nREPEAT_END\n",
            NULL, 0);
        expect_end(&m, CONTROL_DONE);
        for (uint32_t mpu = 0; mpu < 4; mpu++)
            for (uint32_t lane = 0; lane < 4; lane++)
                expect_lane(&m, mpu, 1, lane, 60 - 10 * mpu + 3 * lane);
        assert_int_equal(control_stats(m.control)->messages, 12);
        assert_int_equal(control_stats(m.control)->message_bytes, 12 * 4);
        /* In a row of MPUs the way back from the last to the first is three steps. */
        assert_int_equal(control_stats(m.control)->message_hops, 3 * (1 + 1 + 1 + 3));
        assert_int_equal(control_stats(m.control)->messages_passed, 0);
        machine_close(&m);
    }
}

/* In a grid of 4 rows and 6 columns: from the left and above, nothing at the edges. */
static void a_grid_of_four_by_six(void **state) {
    static const struct target_override square[] = {{"machine.mpu_columns", "6"}};
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w],
              GRID "[4, 6]\n" SEND_TO("MPU(1, 0)", "r0", "r1")
                  SEND_TO("MPU(0, 1)", "r0", "r2") "RECV MPU(-1, 0)\nRECV MPU(0, -1)\n" SEND_TO(
                      "MPU(-2, 3)", "r0", "r3") "RECV MPU(2, -3)\n",
              square, 1);
        expect_end(&m, CONTROL_DONE);
        for (uint32_t mpu = 0; mpu < 24; mpu++) {
            uint32_t row = mpu / 6, column = mpu % 6;
            expect_lane(&m, mpu, 1, 2, column > 0 ? 10 * (mpu - 1) + 2 : 0);
            expect_lane(&m, mpu, 2, 3, row > 0 ? 10 * (mpu - 6) + 3 : 0);
            expect_lane(&m, mpu, 3, 1, row == 3 && column < 4 ? 10 * (column + 2) + 1 : 0);
        }
        /* 4 x 5 to the right, 3 x 6 down, 4 of 2 + 3 steps. */
        assert_int_equal(control_stats(m.control)->messages, 20 + 18 + 4);
        assert_int_equal(control_stats(m.control)->message_hops, 20 + 18 + 4 * 5);
        machine_close(&m);
    }
}

/* Absolute numbers and the ends of a line: MPU+1 is skipped by the last, MPU-1 by the first. */
static void a_line_has_ends(void **state) {
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w],
              GRID "[3]\n        .mpu 2\n" SEND_TO("MPU+1", "r0", "r1") "RECV MPU-1\n" SEND_TO(
                  "MPU2", "r0", "r2") "NOP\n",
              NULL, 0);
        expect_end(&m, CONTROL_DONE);
        assert_int_equal(m.package->image_first, 2);
        expect_lane(&m, 2, 1, 0, 0);
        expect_lane(&m, 3, 1, 0, 20);
        expect_lane(&m, 4, 1, 0, 30);
        assert_int_equal(control_stats(m.control)->messages, 2 + 3);
        assert_int_equal(control_stats(m.control)->messages_left, 3);
        machine_close(&m);
    }
}

/* Two texts: one makes numbers, the other adds them up; the queue holds one. */
static const char producer_consumer[] =
    "        .geometry lanes=4, vrfs=2, rfhs=2\n"
    "        .mpu 0, make\n"
    "        .mpu 1, take\n"
    "        .sub next\n"
    "        COMPUTE RFH0 VRF0\n"
    "        INC.8 r0 r0\n"
    "        COMPUTE_DONE\n"
    "        RETURN\n"
    "        .endsub\n"
    "make:   REPEAT 5\n"
    "        JUMP next\n" SEND_TO("MPU1", "r0", "r5") "        REPEAT_END\n"
                                                      "        HALT\n"
                                                      "take:   REPEAT 5\n"
                                                      "        RECV MPU0\n"
                                                      "        COMPUTE RFH0 VRF0\n"
                                                      "        ADD.8 r5 r6 r6\n"
                                                      "        COMPUTE_DONE\n"
                                                      "        REPEAT_END\n";

static void producer_and_consumer(void **state) {
    static const struct target_override queues[][1] = {{{"control.queue", "1"}},
                                                       {{"control.queue", "3"}}};
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++)
        for (size_t q = 0; q < 2; q++) {
            start(&m, &ways[w], producer_consumer, queues[q], 1);
            expect_end(&m, CONTROL_DONE);
            for (uint32_t lane = 0; lane < 4; lane++)
                expect_lane(&m, 1, 6, lane, 1 + 2 + 3 + 4 + 5 + 5 * lane);
            expect_lane(&m, 0, 6, 0, 0);
            assert_int_equal(control_stats(m.control)->messages, 5);
            assert_int_equal(control_stats(m.control)->messages_left, 0);
            machine_close(&m);
        }
}

/* All that a message holds is what the registers held at its MEMCPYs, and comes in their order;
 * bits above the width stay. */
static void messages_are_whole_and_in_order(void **state) {
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w],
              GRID "[2]\n        .mpu 0, a\n        .mpu 1, b\n"
                   "a: SEND MPU1\nMOVE RFH0 RFH1\nMOVE RFH1 RFH0\n"
                   "MEMCPY.8 VRF0 r0 VRF0 r1\nREPEAT 2\nMEMCPY.16 VRF0 r2 VRF1 r3\nREPEAT_END\n"
                   "MOVE_DONE\nSEND_DONE\n"
                   "COMPUTE RFH0 VRF0\nINIT0.8 r0\nCOMPUTE_DONE\n" SEND_TO(
                       "MPU1", "r0",
                       "r7") "HALT\n"
                             "b: COMPUTE RFH1 VRF0\nLI.16 777 r1\nCOMPUTE_DONE\nRECV MPU0\n"
                             "COMPUTE RFH0 VRF0\nLI.16 9 r7\nCOMPUTE_DONE\nRECV MPU0\n",
              NULL, 0);
        expect_end(&m, CONTROL_DONE);
        assert_int_equal(machine_lane_of(&m, 1, 1, 0, 1, 2), (777 & 0xff00) | 2);
        assert_int_equal(machine_lane_of(&m, 1, 0, 0, 1, 2), 0);
        assert_int_equal(machine_lane_of(&m, 1, 0, 0, 7, 3), 0);
        assert_int_equal(control_stats(m.control)->message_bytes, (2 * 1 + 4 * 2) * 4 + 4);
        machine_close(&m);
    }
}

/* MPU 0 and MPU 1 wait at one instruction, in the first pass and in the second, and one step of the
 * others gives both what they wait for: they do not become one. */
static void passes_are_kept_apart(void **state) {
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w],
              GRID "[4]\n        .mpu 0..1, loop\n        .mpu 2, both\n        .mpu 3, extra\n"
                   "loop: REPEAT 3\nRECV MPU+2\nCOMPUTE RFH0 VRF0\nINC.8 r2 r2\nCOMPUTE_DONE\n"
                   "REPEAT_END\nHALT\n"
                   "extra: " SEND_TO("MPU1", "r0", "r1") "both: REPEAT 3\n" SEND_TO(
                       "MPU-2", "r0", "r1") "REPEAT_END\n",
              NULL, 0);
        expect_end(&m, CONTROL_DONE);
        expect_lane(&m, 0, 2, 0, 3);
        expect_lane(&m, 1, 2, 0, 3);
        assert_int_equal(control_stats(m.control)->messages_left, 1);
        machine_close(&m);
    }
}

/* ---- JUMP_ANY ---- */

/* MPU m counts down from its first lane's 10 * m, the other VRF has nothing to do; the loop ends
 * when no MPU has work left. */
static void jump_any_waits_for_all(void **state) {
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w],
              GRID
              "[3]\n"
              "loop: COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF0\nLI.8 0 r2\nCMPGT.8 r0 r2\nSETMASK cond\n"
              "LI.8 1 r2\nSUB.8 r0 r2 r0\nINC.8 r3 r3\nCOMPUTE_DONE\n" SEND_TO(
                  "MPU+1", "r3", "r4") "RECV MPU-1\nJUMP_ANY loop\n",
              NULL, 0);
        expect_end(&m, CONTROL_DONE);
        for (uint32_t mpu = 0; mpu < 3; mpu++)
            expect_lane(&m, mpu, 3, 1, 10 * mpu + 1);
        expect_lane(&m, 2, 4, 1, 11);
        /* The longest lane has 23, and one round more finds that no lane is left. */
        assert_int_equal(control_stats(m.control)->messages, 2 * 24);
        machine_close(&m);
    }
}

/* The MPUs need not stand at the same JUMP_ANY, and those that have ended are not waited for. */
static void jump_any_in_two_texts(void **state) {
    struct opened m;
    (void)state;
    start(&m, &ways[0],
          "        .geometry lanes=4, vrfs=2, rfhs=2\n"
          "        .mpu 0, a\n        .mpu 1, b\n        .mpu 2, end\n"
          "a: COMPUTE RFH0 VRF0\nINC.8 r1 r1\nLI.8 3 r2\nCMPLT.8 r1 r2\nSETMASK cond\n"
          "COMPUTE_DONE\nJUMP_ANY a\nHALT\n"
          "b: COMPUTE RFH0 VRF0\nINC.8 r1 r1\nLI.8 5 r2\nCMPLT.8 r1 r2\nSETMASK cond\n"
          "COMPUTE_DONE\nJUMP_ANY b\nHALT\n"
          "end: COMPUTE RFH0 VRF0\nINC.8 r1 r1\nCOMPUTE_DONE\n",
          NULL, 0);
    expect_end(&m, CONTROL_DONE);
    expect_lane(&m, 0, 1, 0, 5);
    expect_lane(&m, 1, 1, 0, 5);
    machine_close(&m);
}

/* ---- queues and deadlocks ---- */

static const char two_sends[] = GRID "[4]\n" SEND_TO("MPU+1 wrap", "r0", "r1")
    SEND_TO("MPU+1 wrap", "r0", "r2") "RECV MPU-1 wrap\nRECV MPU-1 wrap\n";

/* Two messages each before anyone receives: queues of one are full all round. */
static void a_cycle_of_full_queues_is_broken(void **state) {
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w], two_sends, NULL, 0);
        expect_end(&m, CONTROL_DONE);
        for (uint32_t mpu = 0; mpu < 4; mpu++) {
            expect_lane(&m, mpu, 1, 1, 10 * ((mpu + 3) % 4) + 1);
            expect_lane(&m, mpu, 2, 1, 10 * ((mpu + 3) % 4) + 1);
        }
        assert_int_equal(control_stats(m.control)->messages_passed, 1);
        machine_close(&m);
    }
}

static void longer_queues_need_no_breaking(void **state) {
    static const struct target_override two[] = {{"control.queue", "2"}};
    struct opened m;
    (void)state;
    start(&m, &ways[3], two_sends, two, 1);
    expect_end(&m, CONTROL_DONE);
    assert_int_equal(control_stats(m.control)->messages_passed, 0);
    machine_close(&m);
}

static void a_cycle_may_stop_the_program(void **state) {
    static const struct target_override stops[] = {{"control.deadlock", "stop"}};
    struct opened m;
    size_t count;
    (void)state;
    start(&m, &ways[3], two_sends, stops, 1);
    expect_end(&m, CONTROL_STOPPED);
    assert_string_equal(control_message(m.control),
                        "deadlock: 4 of 4 MPUs wait and none can go on (instruction 5: SEND MPU+1 "
                        "wrap)");
    assert_string_equal(note_at(&m, 3, &count),
                        "MPU3 waits at instruction 5 (SEND MPU+1 wrap): its queue to MPU0 is full");
    assert_int_equal(count, 4);
    machine_close(&m);
}

/* One data buffer for each MPU: a third message each finds all of them used. */
static void data_buffers_hold_one_message(void **state) {
    struct opened m;
    (void)state;
    start(&m, &ways[0],
          GRID "[2]\n" SEND_TO("MPU+1 wrap", "r0", "r1") SEND_TO("MPU+1 wrap", "r0", "r1")
              SEND_TO("MPU+1 wrap", "r0", "r1") "RECV MPU-1 wrap\n",
          NULL, 0);
    expect_end(&m, CONTROL_STOPPED);
    assert_int_equal(control_stats(m.control)->messages_passed, 2);
    assert_int_equal(control_stats(m.control)->messages_left, 4);
    assert_int_equal(control_index(m.control), 10);
    machine_close(&m);
}

/* Everyone waits for the one before; the first line of each says for whom. */
static void a_deadlock_is_explained(void **state) {
    struct opened m;
    size_t count;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w],
              GRID "[12]\n        .mpu 0, first\n        .mpu 1..10, line\n        .mpu 11, end\n"
                   "first: RECV MPU11\nHALT\nline: RECV MPU-1\n" SEND_TO("MPU+1", "r0",
                                                                         "r0") "end: HALT\n",
              NULL, 0);
        expect_end(&m, CONTROL_STOPPED);
        assert_string_equal(
            control_message(m.control),
            "deadlock: 11 of 12 MPUs wait and none can go on (instruction 0: RECV MPU11)");
        assert_string_equal(note_at(&m, 0, &count), "MPU0 waits at instruction 0 (RECV MPU11): "
                                                    "there is no message from MPU11, which has "
                                                    "ended");
        assert_string_equal(note_at(&m, 7, &count),
                            "MPU7 waits at instruction 2 (RECV MPU-1): there is no message from "
                            "MPU6");
        assert_string_equal(note_at(&m, 8, &count), "and 3 more MPUs wait");
        assert_int_equal(count, 9);
        machine_close(&m);
    }
}

static void waiting_at_jump_any_is_a_deadlock_too(void **state) {
    struct opened m;
    size_t count;
    (void)state;
    start(&m, &ways[0],
          GRID "[2]\n        .mpu 0, a\n        .mpu 1, b\n"
               "a: JUMP_ANY a\nHALT\nb: RECV MPU0\n",
          NULL, 0);
    expect_end(&m, CONTROL_STOPPED);
    assert_string_equal(note_at(&m, 0, &count),
                        "MPU0 waits at instruction 0 (JUMP_ANY 0): not all MPUs are there");
    machine_close(&m);
}

/* ---- stops, limits, time ---- */

/* What the other MPUs have done by then depends on nothing but the program. */
static void assertions_name_the_mpu(void **state) {
    struct opened m;
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        start(&m, &ways[w],
              GRID "[3]\n        .assert \"small\"\n" SEND_TO(
                  "MPU+1 wrap", "r0",
                  "r1") "RECV MPU-1 wrap\nCOMPUTE RFH0 VRF0\nLI.8 12 r2\nCMPLT.8 r1 r2\nASSERT 0\n"
                        "COMPUTE_DONE\n",
              NULL, 0);
        expect_end(&m, CONTROL_STOPPED);
        assert_non_null(strstr(control_message(m.control), "assertion failed: small"));
        /* MPU 0 has 20 to 23 of MPU 2, and is looked at before MPU 2's lane 2. */
        assert_non_null(strstr(control_message(m.control), "MPU 0, batch 0, RFH0.VRF0, lane 0"));
        machine_close(&m);
    }
}

static void limits_hold_while_mpus_part(void **state) {
    struct opened m;
    struct control_config config = {.max_cycles = 5000};
    (void)state;
    machine_open(&m, ON_GOLDEN,
                 GRID "[2]\n        .mpu 0, a\n        .mpu 1, b\na: NOP\nGOTO a\nb: NOP\n", NULL);
    machine_run(&m, &config);
    expect_end(&m, CONTROL_LIMIT);
    assert_true(control_insn_stats(m.control)[0].executed >= 2400);
    machine_close(&m);
}

/* The one that waits for a message waits as long as its sender works. */
static void receivers_wait_for_their_senders(void **state) {
    struct opened m, n;
    uint64_t alone;
    (void)state;
    machine_open(&m, ON_RACER,
                 "COMPUTE RFH0 VRF0\nREPEAT 9\nADD.8 r0 r1 r2\nREPEAT_END\n"
                 "COMPUTE_DONE\n",
                 NULL);
    machine_run(&m, NULL);
    alone = control_stats(m.control)->time_ps;
    machine_open(
        &n, ON_RACER,
        GRID "[2]\n        .mpu 0, a\n        .mpu 1, b\n"
             "a: COMPUTE RFH0 VRF0\nREPEAT 9\nADD.8 r0 r1 r2\nREPEAT_END\nCOMPUTE_DONE\n" SEND_TO(
                 "MPU1", "r2",
                 "r0") "HALT\n"
                       "b: RECV MPU0\nCOMPUTE RFH0 VRF0\nREPEAT 9\nADD.8 r0 r1 r2\nREPEAT_END\n"
                       "COMPUTE_DONE\n",
        NULL);
    machine_run(&n, NULL);
    expect_end(&n, CONTROL_DONE);
    /* The sender reads SEND and what it encloses while its ensemble works.  Then the register goes
     * into its buffer, over the network, and out of the receiver's buffer.  RECV took its slot
     * before it waited. */
    const struct target *t = n.target;
    struct noc *noc = timing_noc_open(t);
    uint64_t trip = timing_noc_reserve(noc, 0, 1, n.object->geometry.lanes, 0).arrival_ps;
    timing_noc_close(noc);
    assert_true(trip > 0);
    assert_int_equal(control_stats(n.control)->time_ps,
                     2 * alone + 2 * (t->setup_ps + t->register_ps) + trip);
    machine_close(&m);
    machine_close(&n);
}

/* MPUs in different regions stay apart: each region gets what its MPU does. */
static void regions_of_mpus_are_their_own(void **state) {
    struct opened m;
    size_t count;
    (void)state;
    machine_open(&m, ON_RACER,
                 GRID "[2]\n        .mpu 0, a\n        .mpu 1, b\n"
                      "a: MARK \"a\"\nGOTO all\nb: MARK \"b\"\n"
                      "all: COMPUTE RFH0 VRF0\nADD.8 r0 r1 r2\nCOMPUTE_DONE\n",
                 NULL);
    machine_run(&m, NULL);
    expect_end(&m, CONTROL_DONE);
    const struct control_region_stats *r = control_regions(m.control, &count);
    assert_int_equal(count, 3);
    assert_int_equal(r[1].micro_ops, r[2].micro_ops);
    assert_true(r[1].micro_ops > 0);
    assert_int_equal(r[1].time_ps, r[2].time_ps + m.target->front_end_ps); /* GOTO */
    machine_close(&m);
}

#define MOVE_GEOMETRY                                                                              \
    ".geometry lanes=64, vrfs=2, rfhs=2, grid=[3]\n.group g[100] per mpu\n"                        \
    ".move to1 u9 @g r3[p: 1 .. 2, i] = @g r2[p - 1, 99 - i]\n"

/* A message that is a move: elements in reverse order, of several VRFs, at a width of 9 bits.
 */
static void a_move_is_a_message(void **state) {
    (void)state;
    for (int kind = ON_GOLDEN; kind <= ON_BOTH; kind++) {
        struct opened m;
        machine_open(&m, (enum machine_kind)kind,
                     MOVE_GEOMETRY
                     ".mpu 0, a\n.mpu 1, b\n.mpu 2, c\n"
                     "a: COMPUTEG @g\nINDEX.9 r2\nADDI.9 300 r2\nCOMPUTE_DONE\n"
                     "SEND MPU1\nGMOVE to1\nSEND_DONE\nHALT\n"
                     "b: COMPUTEG @g\nLI.9 7 r3\nMOV.9 r3 r4\nCOMPUTE_DONE\nRECV MPU0\nHALT\n"
                     "c: HALT\n",
                     NULL);
        machine_run(&m, NULL);
        expect_end(&m, CONTROL_DONE);
        uint32_t i = 0;
        for (size_t k = 0; k < m.package->placement_count; k++) {
            const struct placement *p = &m.package->placements[k];
            for (uint32_t lane = 0; p->mpu == 1 && lane < p->count; lane++, i++) {
                assert_int_equal(machine_lane_of(&m, 1, p->rfh, p->vrf, 3, lane), 399 - i);
                assert_int_equal(machine_lane_of(&m, 1, p->rfh, p->vrf, 4, lane), 7);
            }
        }
        assert_int_equal(i, 100);
        assert_int_equal(control_stats(m.control)->messages, 1);
        machine_close(&m);
    }
}

static void moves_that_are_no_message(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"SEND MPU+2\nGMOVE to1\nSEND_DONE\n",
         "the message is for MPU2, and the move takes elements to MPU1"},
        {".move fills u9 @g r3[p: 1 .. 2, i] = @g r2[p - 1, i - 3] else 0\n"
         "SEND MPU+1\nGMOVE fills\nSEND_DONE\n",
         "a message carries elements, and no constants"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened m;
        struct str text = {0};
        str_append(&text, MOVE_GEOMETRY);
        str_append(&text, cases[i].text);
        machine_open(&m, ON_GOLDEN, str_text(&text), NULL);
        machine_run(&m, NULL);
        expect_end(&m, CONTROL_STOPPED);
        assert_non_null(strstr(control_message(m.control), cases[i].part));
        machine_close(&m);
        str_free(&text);
    }
}

static void misuses_stop_the_program(void **state) {
    static const struct {
        struct insn insns[5];
        size_t count;
        const char *part;
    } cases[] = {
        {{{.op = OP_SEND_DONE}}, 1, "SEND_DONE without a SEND"},
        {{{.op = OP_SEND}, {.op = OP_MOVE}, {.op = OP_MOVE_DONE}}, 3, "SEND without a SEND_DONE"},
        {{{.op = OP_SEND}, {.op = OP_NOP}, {.op = OP_SEND_DONE}},
         3,
         "SEND encloses one transfer ensemble"},
        {{{.op = OP_SEND},
          {.op = OP_MOVE},
          {.op = OP_MOVE_DONE},
          {.op = OP_NOP},
          {.op = OP_SEND_DONE}},
         5,
         "SEND_DONE follows it"},
        {{{.op = OP_RECV, .imm = 3}}, 1, "MPU3 is not one of the program's MPUs, MPU0 to MPU0"},
        {{{.op = OP_COMPUTE}, {.op = OP_RECV}, {.op = OP_COMPUTE_DONE}},
         3,
         "RECV inside a compute ensemble"},
        {{{.op = OP_MOVE}, {.op = OP_SEND}, {.op = OP_MOVE_DONE}, {.op = OP_SEND_DONE}},
         4,
         "SEND inside a transfer ensemble"},
    };
    struct opened m;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine_open_insns(&m, cases[i].insns, cases[i].count);
        machine_run(&m, NULL);
        expect_end(&m, CONTROL_STOPPED);
        if (!strstr(control_message(m.control), cases[i].part))
            fail_msg("'%s' does not say '%s'", control_message(m.control), cases[i].part);
        machine_close(&m);
    }
}

/* Nine RFHs do not fit one MPU of racer: the ninth lies in the next, and the transfer goes
 * there.
 */
static void split_holders_exchange_messages(void **state) {
    struct opened m;
    struct control_config config = {.check = true};
    (void)state;
    machine_open(&m, ON_BOTH,
                 "        .geometry rfhs=16\n"
                 "COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF0\nCOMPUTE RFH2 VRF0\nCOMPUTE RFH3 VRF0\n"
                 "COMPUTE RFH4 VRF0\nCOMPUTE RFH5 VRF0\nCOMPUTE RFH6 VRF0\nCOMPUTE RFH7 VRF0\n"
                 "COMPUTE RFH8 VRF0\nLI.16 513 r1\nCOMPUTE_DONE\n"
                 "COMPUTE RFH0 VRF0\nLI.16 1027 r1\nCOMPUTE_DONE\n"
                 "MOVE RFH0 RFH8\nMEMCPY.8 VRF0 r1 VRF0 r1\nMOVE_DONE\n",
                 NULL);
    machine_run(&m, &config);
    expect_end(&m, CONTROL_DONE);
    assert_int_equal(machine_lane_of(&m, 1, 0, 0, 1, 63), 512 + 3);
    assert_int_equal(control_stats(m.control)->messages, 1);
    assert_int_equal(control_stats(m.control)->message_bytes, 64);
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_of_four),
        cmocka_unit_test(a_grid_of_four_by_six),
        cmocka_unit_test(a_line_has_ends),
        cmocka_unit_test(producer_and_consumer),
        cmocka_unit_test(messages_are_whole_and_in_order),
        cmocka_unit_test(passes_are_kept_apart),
        cmocka_unit_test(jump_any_waits_for_all),
        cmocka_unit_test(jump_any_in_two_texts),
        cmocka_unit_test(a_cycle_of_full_queues_is_broken),
        cmocka_unit_test(longer_queues_need_no_breaking),
        cmocka_unit_test(a_cycle_may_stop_the_program),
        cmocka_unit_test(data_buffers_hold_one_message),
        cmocka_unit_test(a_deadlock_is_explained),
        cmocka_unit_test(waiting_at_jump_any_is_a_deadlock_too),
        cmocka_unit_test(assertions_name_the_mpu),
        cmocka_unit_test(limits_hold_while_mpus_part),
        cmocka_unit_test(receivers_wait_for_their_senders),
        cmocka_unit_test(regions_of_mpus_are_their_own),

        cmocka_unit_test(a_move_is_a_message),
        cmocka_unit_test(moves_that_are_no_message),
        cmocka_unit_test(misuses_stop_the_program),
        cmocka_unit_test(split_holders_exchange_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
