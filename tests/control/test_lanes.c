/* SPDX-License-Identifier: MIT
 * LANE, INDEX and GMOVE by hand: what they leave in the lanes, where they stop a program, whom they
 * let wait and what they cost. */
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 6 };
#define GEOMETRY ".geometry lanes=6, vrfs=2, rfhs=2\n"

/* Lane l of r0 of RFH0.VRF0 holds 10 + l; all lanes of r1 of RFH1.VRF0 hold 90 + l. */
static void start(struct opened *m, enum machine_kind kind, const char *text) {
    struct control_config config = {.check = kind == ON_BOTH};
    machine_open_with(m, kind, text, NULL, 0);
    for (uint32_t lane = 0; lane < LANES + 2; lane++) {
        machine_put(m, 0, 0, 0, lane, 10 + lane);
        machine_put(m, 1, 0, 1, lane, 90 + lane);
    }
    machine_run(m, &config);
}

static void expect_done(struct opened *m) {
    if (m->end != CONTROL_DONE)
        fail_msg("%s", control_message(m->control));
}

static void expect_stop(const char *text, const char *part) {
    struct opened m;
    start(&m, ON_GOLDEN, text);
    assert_int_equal(m.end, CONTROL_STOPPED);
    if (!strstr(control_message(m.control), part))
        fail_msg("'%s' does not say '%s'", control_message(m.control), part);
    machine_close(&m);
}

/* What a MEMCPY under the map leaves in lanes 0 .. 7 of RFH1.VRF0 r1; the last two are not the
 * program's. */
static void expect_map(const char *map, const uint64_t *wanted) {
    for (int kind = ON_GOLDEN; kind <= ON_BOTH; kind++) {
        struct opened m;
        char text[200];
        snprintf(text, sizeof text,
                 GEOMETRY "MOVE RFH0 RFH1\nLANE %s\nMEMCPY.8 VRF0 r0 VRF0 r1\nMOVE_DONE\n", map);
        start(&m, (enum machine_kind)kind, text);
        expect_done(&m);
        for (uint32_t lane = 0; lane < LANES + 2; lane++)
            if (machine_lane(&m, 1, 0, 1, lane) != wanted[lane])
                fail_msg("LANE %s: lane %u holds %u, not %u", map, lane,
                         (unsigned)machine_lane(&m, 1, 0, 1, lane), (unsigned)wanted[lane]);
        assert_int_equal(control_stats(m.control)->instructions, 4);
        machine_close(&m);
    }
}

static void maps_of_lanes(void **state) {
    (void)state;
    expect_map("identity", (const uint64_t[]){10, 11, 12, 13, 14, 15, 16, 17});
    expect_map("shift 2", (const uint64_t[]){90, 91, 10, 11, 12, 13, 96, 97});
    expect_map("shift -1", (const uint64_t[]){11, 12, 13, 14, 15, 95, 96, 97});
    expect_map("shift 6", (const uint64_t[]){90, 91, 92, 93, 94, 95, 96, 97});
    expect_map("rotate 2", (const uint64_t[]){14, 15, 10, 11, 12, 13, 96, 97});
    expect_map("rotate -8", (const uint64_t[]){12, 13, 14, 15, 10, 11, 96, 97});
    expect_map("gather 2", (const uint64_t[]){10, 12, 14, 93, 94, 95, 96, 97});
    expect_map("scatter 3", (const uint64_t[]){10, 91, 92, 11, 94, 95, 96, 97});
    expect_map("reverse", (const uint64_t[]){15, 14, 13, 12, 11, 10, 96, 97});
    expect_map("broadcast 4", (const uint64_t[]){14, 14, 14, 14, 14, 14, 96, 97});
    expect_map("broadcast 6", (const uint64_t[]){90, 91, 92, 93, 94, 95, 96, 97});
}

/* A register onto itself is read before it is written; the map ends with the ensemble. */
static void maps_read_before_they_write(void **state) {
    (void)state;
    for (int kind = ON_GOLDEN; kind <= ON_BOTH; kind++) {
        struct opened m;
        start(&m, (enum machine_kind)kind,
              GEOMETRY "MOVE RFH0 RFH0\nLANE rotate 1\nMEMCPY.8 VRF0 r0 VRF0 r0\n"
                       "LANE reverse\nMEMCPY.8 VRF0 r0 VRF0 r0\nMOVE_DONE\n"
                       "MOVE RFH0 RFH1\nMEMCPY.8 VRF0 r0 VRF0 r1\nMOVE_DONE\n");
        expect_done(&m);
        static const uint64_t wanted[] = {14, 13, 12, 11, 10, 15};
        for (uint32_t lane = 0; lane < LANES; lane++) {
            assert_int_equal(machine_lane(&m, 0, 0, 0, lane), wanted[lane]);
            assert_int_equal(machine_lane(&m, 1, 0, 1, lane), wanted[lane]);
        }
        assert_int_equal(control_stats(m.control)->transfers, 3);
        machine_close(&m);
    }
}

/* A message carries the lanes that its map names, and leaves the others where it arrives. */
static void maps_in_messages(void **state) {
    (void)state;
    for (int kind = ON_GOLDEN; kind <= ON_BOTH; kind++) {
        struct opened m;
        start(&m, (enum machine_kind)kind,
              ".geometry lanes=6, vrfs=2, rfhs=2, grid=[2]\n"
              "SEND MPU+1\nMOVE RFH0 RFH1\nLANE scatter 2\nMEMCPY.8 VRF0 r0 VRF0 r1\n"
              "LANE rotate 1\nMEMCPY.8 VRF0 r0 VRF0 r2\nMOVE_DONE\nSEND_DONE\nRECV MPU-1\n");
        expect_done(&m);
        static const uint64_t first[] = {10, 0, 11, 0, 12, 0}, second[] = {15, 10, 11, 12, 13, 14};
        for (uint32_t lane = 0; lane < LANES; lane++) {
            assert_int_equal(machine_lane_of(&m, 1, 1, 0, 1, lane), first[lane]);
            assert_int_equal(machine_lane_of(&m, 1, 1, 0, 2, lane), second[lane]);
        }
        assert_int_equal(control_stats(m.control)->message_bytes, 3 + 6);
        machine_close(&m);
    }
}

/* ---- INDEX ---- */

/* 100 elements in VRFs of 64: numbers of elements modulo 2^w where M is 1; lanes in a fixed VRF. */
static void numbers_of_elements(void **state) {
    (void)state;
    for (int kind = ON_GOLDEN; kind <= ON_BOTH; kind++) {
        struct opened m;
        start(&m, (enum machine_kind)kind,
              ".geometry lanes=6, vrfs=64, rfhs=2\n"
              ".group g[100]\nCOMPUTEG @g\nINDEX.8 r2\nINDEX.3 r3\nLI.8 90 r4\nCMPLT.8 r2 r4\n"
              "SETMASK cond\nINDEX.8 r5\nCOMPUTE_DONE\nCOMPUTE RFH0 VRF9\nINDEX.8 r2\n"
              "COMPUTE_DONE\n");
        expect_done(&m);
        uint32_t lanes = m.target->lanes;
        for (uint32_t e = 0; e < 100; e++) {
            const struct placement *p = &m.package->placements[e / lanes];
            assert_int_equal(machine_lane(&m, p->rfh, p->vrf, 2, e % lanes), e);
            assert_int_equal(machine_lane(&m, p->rfh, p->vrf, 3, e % lanes), e % 8);
            assert_int_equal(machine_lane(&m, p->rfh, p->vrf, 5, e % lanes), e < 90 ? e : 0);
        }
        for (uint32_t lane = 0; lane < 8; lane++) /* lanes 6 and 7 are not valid */
            assert_int_equal(machine_lane(&m, 0, 9, 2, lane), lane < LANES ? lane : 0);
        machine_close(&m);
    }
}

static void numbers_cost_a_transfer(void **state) {
    struct opened m;
    (void)state;
    start(&m, ON_RACER, ".group g[100]\nCOMPUTEG @g\nINDEX.8 r2\nCOMPUTE_DONE\n");
    expect_done(&m);
    const struct control_stats *s = control_stats(m.control);
    const struct target *t = m.target;
    /* Of the header, INDEX with a fetch, and the footer, which is fetched meanwhile. */
    uint64_t slots = 2 + 2 + 1;
    assert_int_equal(s->transfers, 2);
    assert_int_equal(s->time_ps, slots * t->front_end_ps + t->setup_ps + t->register_ps);
    assert_int_equal(s->transfer_fj, 2 * 8 * 64 * t->network_fj_per_bit);
    machine_close(&m);
}

/* ---- GMOVE ---- */

static void moves_cost_registers(void **state) {
    struct opened m;
    (void)state;
    start(&m, ON_RACER, ".group g[320]\n.move m u8 @g r2[i] = @g r2[i - 1] wrap\nGMOVE m\n");
    expect_done(&m);
    const struct control_stats *s = control_stats(m.control);
    const struct target *t = m.target;
    assert_int_equal(s->transfers, 5);
    assert_int_equal(s->transfer_ps, 5 * (t->setup_ps + t->register_ps));
    assert_int_equal(s->time_ps, s->transfer_ps + t->front_end_ps);
    assert_int_equal(s->transfer_fj, 5 * 8 * 64 * t->network_fj_per_bit);
    assert_int_equal(s->messages, 0);
    machine_close(&m);
}

/* Each of five RFHs reads two registers and writes one, all of them at once. */
static void moves_between_rfhs_at_once(void **state) {
    static const struct target_override p2p[] = {{"network.intra", "p2p"}};
    struct opened m;
    (void)state;
    machine_open_with(&m, ON_RACER,
                      ".group g[320]\n.move m u8 @g r2[i] = @g r2[i - 1] wrap\nGMOVE m\n", p2p, 1);
    machine_run(&m, NULL);
    expect_done(&m);
    const struct control_stats *s = control_stats(m.control);
    assert_int_equal(s->transfers, 10);
    assert_int_equal(s->transfer_ps, 2 * (m.target->setup_ps + m.target->register_ps));
    machine_close(&m);
}

/* A move in a loop and in a subroutine, which waits for the second MPU; and one that does not
 * concern the third. */
static void moves_meet(void **state) {
    (void)state;
    for (int kind = ON_GOLDEN; kind <= ON_BOTH; kind++) {
        struct opened m;
        start(&m, (enum machine_kind)kind,
              ".geometry lanes=6, vrfs=2, rfhs=2, grid=[3]\n"
              ".group g[6] per mpu\n"
              ".move right u8 @g r2[p: 0 .. 2, i] = @g r2[p - 1, i] wrap\n"
              ".move one u8 @g r3[p: 1 .. 2, i] = @g r2[p - 1, i]\n"
              ".mpu 0, early\n.mpu 1, late\n.mpu 2, early\n"
              ".sub shift\nGMOVE right\nRETURN\n.endsub\n"
              "early: COMPUTEG @g\nINDEX.8 r2\nCOMPUTE_DONE\nGOTO both\n"
              "late: REPEAT 50\nNOP\nREPEAT_END\nGOTO early\n"
              "both: REPEAT 2\nJUMP shift\nREPEAT_END\nGMOVE one\n");
        expect_done(&m);
        for (uint32_t mpu = 0; mpu < 3; mpu++)
            for (uint32_t lane = 0; lane < 6; lane++) {
                const struct placement *p = &m.package->placements[mpu];
                /* 0 1 2 -> 2 0 2 -> 2 2 2 */
                assert_int_equal(machine_lane_of(&m, mpu, p->rfh, p->vrf, 2, lane), 12 + lane);
                assert_int_equal(machine_lane_of(&m, mpu, p->rfh, p->vrf, 3, lane),
                                 mpu == 1 ? 12 + lane : 0);
            }
        assert_int_equal(control_stats(m.control)->messages, 5);
        assert_int_equal(control_stats(m.control)->message_bytes, 30);
        machine_close(&m);
    }
}

/* Two texts name one move: their MPUs wait for each other. */
static void texts_meet(void **state) {
    struct opened m;
    (void)state;
    start(&m, ON_GOLDEN,
          ".geometry lanes=6, vrfs=2, rfhs=2, grid=[3]\n"
          ".group g[6] per mpu\n"
          ".move right u8 @g r2[p, i] = @g r2[p - 1, i] wrap\n"
          ".mpu 0, plain\n.mpu 1, other\n.mpu 2, plain\n"
          "plain: COMPUTEG @g\nINDEX.8 r2\nCOMPUTE_DONE\nGMOVE right\nGMOVE right\nHALT\n"
          "other: COMPUTEG @g\nINDEX.8 r2\nADDI.8 50 r2\nCOMPUTE_DONE\nREPEAT 2\nGMOVE right\n"
          "REPEAT_END\n");
    expect_done(&m);
    for (uint32_t mpu = 0; mpu < 3; mpu++)
        for (uint32_t lane = 0; lane < 6; lane++) {
            const struct placement *p = &m.package->placements[mpu];
            uint32_t from = (mpu + 1) % 3, own = 6 * from + lane + (from == 1 ? 50 : 0);
            assert_int_equal(machine_lane_of(&m, mpu, p->rfh, p->vrf, 2, lane), own);
        }
    machine_close(&m);
}

static void moves_that_never_meet(void **state) {
    (void)state;
    expect_stop(".geometry lanes=6, vrfs=2, rfhs=2, grid=[2]\n.group g[6] per mpu\n"
                ".move right u8 @g r2[p, i] = @g r2[p - 1, i] wrap\n"
                ".mpu 0, first\n.mpu 1, second\nfirst: GMOVE right\nsecond: HALT\n",
                "deadlock: 1 of 2 MPUs wait and none can go on");
}

static void misplaced(void **state) {
    struct opened m;
    (void)state;
    expect_stop(GEOMETRY ".sub a\nLANE reverse\nRETURN\n.endsub\nmain: JUMP a\n.global main\n",
                "LANE outside of a transfer ensemble");
    expect_stop(GEOMETRY ".sub a\nINDEX.8 r1\nRETURN\n.endsub\nmain: JUMP a\n.global main\n",
                "INDEX outside of a compute ensemble");
    expect_stop(GEOMETRY ".group g[4]\n.move x u8 @g r1[i] = @g r2[i]\n.sub a\nGMOVE x\nRETURN\n"
                         ".endsub\nmain: COMPUTEG @g\nJUMP a\nCOMPUTE_DONE\n.global main\n",
                "GMOVE inside a compute ensemble");
    machine_open_insns(&m, (const struct insn[]){{.op = OP_GMOVE}}, 1);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_STOPPED);
    assert_non_null(strstr(control_message(m.control), "there is no move 0"));
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_of_lanes),
        cmocka_unit_test(maps_read_before_they_write),
        cmocka_unit_test(maps_in_messages),
        cmocka_unit_test(numbers_of_elements),
        cmocka_unit_test(numbers_cost_a_transfer),
        cmocka_unit_test(moves_cost_registers),
        cmocka_unit_test(moves_between_rfhs_at_once),
        cmocka_unit_test(moves_meet),
        cmocka_unit_test(texts_meet),
        cmocka_unit_test(moves_that_never_meet),
        cmocka_unit_test(misplaced),
    };
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
