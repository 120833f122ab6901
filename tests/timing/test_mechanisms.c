/* SPDX-License-Identifier: MIT
 * Each mechanism of the control path alone, on a made-up machine whose times can be worked out by
 * hand. */
#include "tests/timing/rig.h"

#include "emu/timing/engine.h"

/* ---- playback buffer ---- */

/* Five slots and the footer, text 2 .. 7, in a buffer of `entries`; two batches. */
static void slots_twice(struct rig *r, uint32_t entries) {
    static const uint32_t vrfs[] = {VRF(0, 0), VRF(0, 1)};
    struct target t = rig_base;
    struct path_record p = {0};
    t.playback_entries = entries;
    verify_rig_open(r, &t);
    for (uint32_t i = 2; i < 7; i++)
        timing_path_add(&p, STEP_SLOT, i, 0);
    timing_path_add(&p, STEP_DRAIN, 7, 0);
    rig_compute(r, 0, 0, timing_path(r->timing, &p), vrfs, 2);
    timing_path_record_free(&p);
    rig_finish(r);
}

/* Header: 2.  First batch: the first fetch, then 6 slots, with the other fetches ahead of them.  A
 * cycle for the change.  The second batch has all: 6 slots.  2 + 7 + 1 + 6 = 16 ns.
 * With 4 entries 6 waits for the issue of 2, and 7 for that of 3, which were long ago: 7 again.
 * Then places 0 .. 3 hold 4, 5, 6, 7.  2 and 3 displace 6 and 7; 4 and 5 are there; 6 and 7 come
 * again: 4 misses, of which the first is not hidden.  2 + 7 + 1 + 7 = 17 ns. Without a buffer each
 * is a miss, and none ahead: 2 + 12 + 1 + 12 = 27 ns. */
static void a_body_overflows_the_playback_buffer(void **state) {
    struct rig r;
    (void)state;
    slots_twice(&r, 1024);
    assert_int_equal(r.totals.time_ps, 16 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_FETCH], 1 * NS);
    slots_twice(&r, 4);
    assert_int_equal(r.totals.time_ps, 17 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_FETCH], 2 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_DECODE], 14 * NS);
    assert_int_equal(r.totals.part_cycles[TIMING_FETCH], 10);
    slots_twice(&r, 0);
    assert_int_equal(r.totals.time_ps, 27 * NS);
}

/* The instruction store holds 1,024 instructions; 1,023 and 1,024 are a miss each.  The second lies
 * in the next MPU: a cycle there and a cycle back more.  Header 1, fetched 2 and 5, slots 3 and 6.
 */
static void text_of_a_neighbour_takes_its_way(void **state) {
    static const uint32_t vrf = VRF(0, 0);
    struct rig r;
    struct path_record p = {0};
    (void)state;
    verify_rig_open(&r, &rig_base);
    timing_path_add(&p, STEP_SLOT, 1023, 0);
    timing_path_add(&p, STEP_DRAIN, 1024, 0);
    rig_compute(&r, 0, 1022, timing_path(r.timing, &p), &vrf, 1);
    timing_path_record_free(&p);
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, 6 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_FETCH], 3 * NS);
}

/* ---- batches ---- */

static void run_batches(struct rig *r, const struct target *t, uint32_t count) {
    static const uint32_t vrfs[] = {VRF(0, 0), VRF(0, 1), VRF(0, 2)};
    struct path_record p = {0};
    struct dp_code code;
    verify_rig_open(r, t);
    timing_path_add(&p, STEP_RUN, rig_add_run(r, &code, 3, 5, 50), 0);
    timing_path_add(&p, STEP_DRAIN, 4, 0);
    rig_compute(r, 0, 0, timing_path(r->timing, &p), vrfs, count);
    timing_path_record_free(&p);
    rig_finish(r);
}

/* Header 3.  First batch: fetch 1, slot 1, run 50 (the footer is fetched meanwhile), slot 1: 53.
 * The others fetch nothing: 52 each, behind a change of 1.  3 + 53 + 53 + 53 = 162. Software
 * changes batches in 500: 3 + 53 + 552 + 552 = 1,160. */
static void three_batches(void **state) {
    struct target t = rig_base;
    struct rig r;
    (void)state;
    run_batches(&r, &t, 3);
    assert_int_equal(r.totals.time_ps, 162 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_COMPUTE], 153 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_SCHEDULE], 2 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_FETCH], 1 * NS);
    assert_int_equal(r.totals.part_cycles[TIMING_FETCH], 2);
    assert_int_equal(r.totals.part_cycles[TIMING_COMPUTE], 3 * 4);
    /* Header: its 3 slots and 2 changes.  Run: its fetch and 5 cycles a batch.  Footer likewise. */
    assert_int_equal(r.insns[0].cycles, 3 + 2);
    assert_int_equal(r.insns[3].cycles, 1 + 3 * 5);
    assert_int_equal(r.insns[4].cycles, 1 + 3 * 1);
    t.scheduler = SCHEDULER_SOFTWARE;
    run_batches(&r, &t, 3);
    assert_int_equal(r.totals.time_ps, 1160 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_SCHEDULE], 1000 * NS);
    assert_int_equal(r.totals.part_cycles[TIMING_SCHEDULE], 0);
}

/* ---- loops ---- */

/* A body that loops `laps` times over a run, recorded as the control path records it. */
static void loop(struct rig *r, uint64_t laps, bool told_once) {
    static const uint32_t vrf = VRF(0, 0);
    struct path_record p = {0};
    struct dp_code code;
    verify_rig_open(r, &rig_base);
    uint32_t run = rig_add_run(r, &code, 1, 5, 50);
    for (uint64_t i = 0; i < laps; i++) {
        timing_path_add(&p, STEP_RUN, run, 0);
        timing_path_add(&p, STEP_JUMP, 2, 0);
        if (i + 1 < laps && told_once)
            timing_path_back(&p, 1);
    }
    timing_path_add(&p, STEP_DRAIN, 3, 0);
    assert_true(!told_once || p.steps.len < 12);
    rig_compute(r, 0, 0, timing_path(r->timing, &p), &vrf, 1);
    timing_path_record_free(&p);
    rig_finish(r);
}

/* Header 1, fetch 1, slot 1; laps x 50, each run on the heels of the last; the slots and the
 * fetches of the loop's end and of the footer are hidden; the footer's slot 1. */
static void laps_that_are_alike_are_told_once(void **state) {
    static const uint64_t counts[] = {1, 2, 3, 4, 5, 17, 1000};
    struct rig once, each;
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        loop(&once, counts[i], true);
        loop(&each, counts[i], false);
        assert_int_equal(once.totals.time_ps, (4 + 50 * counts[i]) * NS);
        assert_memory_equal(&once.totals, &each.totals, sizeof once.totals);
    }
}

/* A loop of six instructions in a playback buffer of four: each lap misses, as the one before. */
static void laps_that_miss_are_alike(void **state) {
    static const uint32_t vrf = VRF(0, 0);
    struct timing_totals totals[2];
    (void)state;
    for (int told_once = 0; told_once < 2; told_once++) {
        struct target t = rig_base;
        struct rig r;
        struct path_record p = {0};
        struct dp_code code;
        uint64_t charged = 0;
        t.playback_entries = 4;
        verify_rig_open(&r, &t);
        uint32_t run = rig_add_run(&r, &code, 1, 5, 50);
        code.charged = &charged;
        for (uint32_t lap = 0; lap < 1000; lap++) {
            timing_path_add(&p, STEP_RUN, run, 0);
            for (uint32_t i = 2; i < 7; i++)
                timing_path_add(&p, i < 6 ? STEP_SLOT : STEP_JUMP, i, 0);
            if (lap < 999 && told_once)
                timing_path_back(&p, 1);
        }
        rig_compute(&r, 0, 0, timing_path(r.timing, &p), &vrf, 1);
        timing_slot(r.timing, 0, (struct timing_place){8, 0}, 0); /* behind the last fetch */
        timing_path_record_free(&p);
        rig_finish(&r);
        assert_true(told_once ? charged < 8 : charged == 1000);
        totals[told_once] = r.totals;
    }
    assert_memory_equal(&totals[0], &totals[1], sizeof totals[0]);
}

/* ---- the largest time ---- */

/* 2^60 laps of 100 ns, and of 12 ns for a jump, are more than the largest number.  Time stops
 * there, and its parts still add up to it (rig_finish). */
static void parts_of_the_largest_time_add_up(void **state) {
    static const uint32_t vrf = VRF(0, 0);
    struct rig r;
    struct path_record p = {0};
    struct dp_code code;
    (void)state;
    verify_rig_open(&r, &rig_base);
    timing_path_add(&p, STEP_RUN, rig_add_run(&r, &code, 1, 10, 100), 0);
    timing_path_add(&p, STEP_EVALUATE, 2, 3);
    timing_path_add(&p, STEP_AGAIN, 2, (uint64_t)1 << 60);
    rig_compute(&r, 0, 0, timing_path(r.timing, &p), &vrf, 1);
    timing_path_record_free(&p);
    rig_finish(&r);
    assert_true(r.totals.time_ps == UINT64_MAX);
}

/* Three runs that each issue for 2^63 ps, next to another controller. */
static void the_port_ends_at_the_largest_time(void **state) {
    static const uint32_t vrf = VRF(0, 0);
    struct target t = rig_base;
    struct rig r;
    struct path_record p = {0};
    struct dp_code code;
    (void)state;
    t.controllers = 2;
    t.front_end_ps = (uint64_t)1 << 61;
    verify_rig_open(&r, &t);
    uint32_t run = rig_add_run(&r, &code, 1, 4, 1);
    for (int i = 0; i < 3; i++)
        timing_path_add(&p, STEP_RUN, run, 0);
    timing_path_add(&p, STEP_DRAIN, 2, 0);
    rig_compute(&r, 0, 0, timing_path(r.timing, &p), &vrf, 1);
    timing_path_record_free(&p);
    rig_finish(&r);
    assert_true(r.totals.time_ps == UINT64_MAX);
}

/* ---- jumps on masks ---- */

/* Header 1, fetch 1, slot 1, run 100.  The jump is fetched meanwhile, waits for the last bit, takes
 * a slot, and looks at 3 VRFs of 64 bits, 16 at a time: 12 cycles.  The footer is fetched when that
 * is over, and has a slot.  1 + 1 + 1 + 100 + 1 + 12 + 2 = 118. */
static void a_jump_waits_for_the_last_section(void **state) {
    static const uint32_t vrf = VRF(0, 0);
    struct rig r;
    struct dp_code code;
    struct path_record p = {0};
    (void)state;
    verify_rig_open(&r, &rig_base);
    timing_path_add(&p, STEP_RUN, rig_add_run(&r, &code, 1, 10, 100), 0);
    timing_path_add(&p, STEP_EVALUATE, 2, 3);
    timing_path_add(&p, STEP_DRAIN, 3, 0);
    rig_compute(&r, 0, 0, timing_path(r.timing, &p), &vrf, 1);
    timing_path_record_free(&p);
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, 118 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_EVALUATE], 12 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_COMPUTE], 101 * NS);
}

/* ---- controllers ---- */

/* Two ensembles of one run each, with so many slots; the first has `batches` of them. */
static void two_ensembles(struct rig *r, uint32_t controllers, uint64_t slots, uint32_t batches,
                          uint64_t second_slots, uint32_t second_vrf) {
    static const uint32_t first[] = {VRF(0, 0), VRF(0, 1)};
    struct target t = rig_base;
    struct path_record p = {0};
    struct dp_code a, b;
    t.controllers = controllers;
    verify_rig_open(r, &t);
    timing_path_add(&p, STEP_RUN, rig_add_run(r, &a, 1, slots, 100), 0);
    timing_path_add(&p, STEP_DRAIN, 2, 0);
    rig_compute(r, 0, 0, timing_path(r->timing, &p), first, batches);
    timing_path_add(&p, STEP_RUN, rig_add_run(r, &b, 4, second_slots, 100), 0);
    timing_path_add(&p, STEP_DRAIN, 5, 0);
    rig_compute(r, 0, 3, timing_path(r->timing, &p), &second_vrf, 1);
    timing_path_record_free(&p);
    rig_finish(r);
}

/* First ensemble: header 0..1, fetch 1..2, slot 2..3, run 3..103, which issues until 12; the footer
 * is fetched 2..3 and the precoder goes on; slot 103..104. One controller: header of the second
 * 104..105, fetch 106, slot 107, run 207, slot 208. Two, other RFH: header 3..4, fetch 5,
 * slot 12..13, when the port is free, run 113, slot 114. Two, same RFH: header 3..4; from 104 on:
 * fetch 105, slot 106, run 206, slot 207. */
static void two_controllers(void **state) {
    struct rig r;
    (void)state;
    two_ensembles(&r, 1, 10, 1, 10, VRF(1, 0));
    assert_int_equal(r.totals.time_ps, 208 * NS);
    two_ensembles(&r, 2, 10, 1, 10, VRF(1, 0));
    assert_int_equal(r.totals.time_ps, 114 * NS);
    two_ensembles(&r, 2, 10, 1, 10, VRF(0, 3));
    assert_int_equal(r.totals.time_ps, 207 * NS);
}

/* The first has two batches and a header of 2, so its first run is 4..104, and the second, behind
 * the footer 104..105, the change 105..106 and its slot 106..107, is 107..207; its footer 207..208.
 * Of 60 slots that a run has, its own among them, the port has 3..63, 104..105, 106..166 and
 * 207..208 taken.  The other ensemble could begin at 6 (header 4..5, fetch 5..6) and has its own
 * slot at 63..64.  Its 159 others are 40 at 64..104, 105..106, 41 at 166..207, and 77 at 208..285:
 * footer 286.  With 30 slots of the first 3..33, 104..105, 106..136 and 207..208 are taken: its own
 * 33..34, 70 at 34..104, 105..106, 71 at 136..207, 17 at 208..225: footer 226. */
static void one_issue_port(void **state) {
    struct rig r;
    (void)state;
    two_ensembles(&r, 2, 60, 2, 160, VRF(1, 0));
    assert_int_equal(r.totals.time_ps, 286 * NS);
    two_ensembles(&r, 2, 30, 2, 160, VRF(1, 0));
    assert_int_equal(r.totals.time_ps, 226 * NS);
}

/* ---- transfers ---- */

/* A run of 100 on RFH0.VRF0, then a transfer of two copies of 20. */
static void run_and_transfer(struct rig *r, uint32_t vrf, bool sync) {
    static const uint32_t busy = VRF(0, 0);
    static const struct timing_copy copies[] = {
        {{5, 0}, 1, 0, 20 * NS, 0}, {{6, 0}, 1, 0, 20 * NS, 0}, {{7, 0}, 1, 0, 0, 0}};
    struct path_record p = {0};
    struct dp_code code;
    verify_rig_open(r, &rig_base);
    timing_path_add(&p, STEP_RUN, rig_add_run(r, &code, 1, 10, 100), 0);
    timing_path_add(&p, STEP_DRAIN, 2, 0);
    rig_compute(r, 0, 0, timing_path(r->timing, &p), &busy, 1);
    if (sync)
        timing_sync(r->timing, 0, (struct timing_place){3, 0}, 0);
    timing_slot(r->timing, 0, (struct timing_place){4, 0}, 0);
    timing_transfer(r->timing, 0, &(struct timing_transfer){{4, 0}, copies, 3, &vrf, 1});
    timing_path_record_free(&p);
    rig_finish(r);
}

/* The ensemble is done at 104, as above, and the precoder goes on at 3.  On another VRF: header 4,
 * MEMCPY 5, copies 25 and 45: all hidden.  On the same: MEMCPY read at 5, copies 104 .. 144.
 * Behind MPU_SYNC (slot 105): header 106, MEMCPY 107, copies 127, 147. */
static void transfers_wait_for_their_vrfs(void **state) {
    struct rig r;
    (void)state;
    run_and_transfer(&r, VRF(1, 0), false);
    assert_int_equal(r.totals.time_ps, 104 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_TRANSFER], 0);
    run_and_transfer(&r, VRF(0, 0), false);
    assert_int_equal(r.totals.time_ps, 144 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_TRANSFER], 40 * NS);
    run_and_transfer(&r, VRF(1, 0), true);
    assert_int_equal(r.totals.time_ps, 147 * NS);
}

/* ---- messages ---- */

static const struct timing_copy one_copy = {{1, 0}, 1, 0, 20 * NS, 0};

/* SEND, a copy of 20, SEND_DONE. */
static struct timing_message *send(struct rig *r, uint32_t from, uint32_t to,
                                   struct timing_message *room) {
    uint32_t vrf = VRF_OF(from, 0, 0);
    struct timing_transfer inner = {{1, 0}, &one_copy, 1, &vrf, 1};
    timing_slot(r->timing, from, (struct timing_place){0, 0}, 0);
    struct timing_message *m =
        timing_send(r->timing, from, (struct timing_place){0, 0}, &inner, to, 16, room);
    timing_slot(r->timing, from, (struct timing_place){2, 0}, 0);
    return m;
}

static void receive(struct rig *r, uint32_t mpu, struct timing_message *m) {
    timing_slot(r->timing, mpu, (struct timing_place){3, 0}, 0);
    timing_recv(r->timing, mpu, (struct timing_place){3, 0}, m);
}

/* SEND 1, MEMCPY 2, copy 22.  Two hops of 2 and one flit of 4: 30.  The receiver's slot 1, copy 50:
 * 21 of it waiting for the sender, 8 for the network. */
static void a_message_over_two_hops(void **state) {
    struct rig r;
    (void)state;
    verify_rig_open(&r, &rig_base);
    struct timing_message *m = send(&r, 0, 2, NULL);
    receive(&r, 2, m);
    timing_message_drop(m);
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, 50 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_WAIT], 21 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_NETWORK], 8 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_TRANSFER], 20 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_DECODE], 1 * NS);
}

/* Both are ready at 22; the lower goes first, in whichever order they are posted.  0 -> 2 is on the
 * link 1 -> 2 from 24 to 28 and arrives at 30.  1 -> 2 has that link from 28 on and arrives
 * at 28 + 2 + 4 = 34.  MPU2 takes MPU1's first: 34 + 20 = 54, then MPU0's: 54 + 1 + 20 = 75. */
static void lower_mpus_send_first(void **state) {
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct rig r;
        struct timing_message *m[2];
        verify_rig_open(&r, &rig_base);
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t from = order ? 1 - i : i;
            m[from] = send(&r, from, 2, NULL);
            timing_settle(r.timing);
        }
        receive(&r, 2, m[1]);
        receive(&r, 2, m[0]);
        timing_message_drop(m[0]);
        timing_message_drop(m[1]);
        rig_finish(&r);
        assert_int_equal(r.totals.time_ps, 75 * NS);
    }
}

/* The receiver works until 104 (header 1, fetch 1, slot 1, run 100, slot 1); RECV has its slot
 * before that is over.  The first message is there at 28 and copied at 124: its place is free.  The
 * second SEND, at 4, waits until then: MEMCPY 125, copy 145, one hop and a flit: 151.  The receiver
 * has taken RECV's slot at 125 and waits until 145 for the sender, until 151 for the network; copy
 * 171. */
static void a_full_queue(void **state) {
    static const uint32_t vrf = VRF_OF(1, 0, 1);
    struct rig r;
    struct path_record p = {0};
    struct dp_code code;
    (void)state;
    verify_rig_open(&r, &rig_base);
    timing_path_add(&p, STEP_RUN, rig_add_run(&r, &code, 11, 10, 100), 0);
    timing_path_add(&p, STEP_DRAIN, 12, 0);
    struct timing_message *first = send(&r, 0, 1, NULL);
    struct timing_message *second = send(&r, 0, 1, first);
    rig_compute(&r, 1, 10, timing_path(r.timing, &p), &vrf, 1);
    receive(&r, 1, first);
    receive(&r, 1, second);
    timing_message_drop(first);
    timing_message_drop(second);
    timing_path_record_free(&p);
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, 171 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_WAIT], 20 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_NETWORK], 6 * NS);
}

/* MPU0 comes at 3, MPU2 at 1.  MPU2's controller works for 10, and MPU0's elements arrive after two
 * hops and a flit, 3 + 8 = 11: MPU2 is done at 13 (of that 2 waiting, 10 copying), a slot: 14. */
static void moves_meet_and_exchange(void **state) {
    static const uint32_t mpus[] = {0, 2};
    static const struct timing_charge charges[] = {{2, 10 * NS, 0}};
    static const struct timing_crossing crossings[] = {{0, 2, 16}};
    struct rig r;
    (void)state;
    verify_rig_open(&r, &rig_base);
    for (int i = 0; i < 3; i++)
        timing_slot(r.timing, 0, (struct timing_place){0, 0}, 0);
    timing_slot(r.timing, 2, (struct timing_place){0, 0}, 0);
    timing_meet(r.timing, &(struct timing_meeting){.at = {4, 0},
                                                   .mpus = mpus,
                                                   .count = 2,
                                                   .charges = charges,
                                                   .charge_count = 1,
                                                   .crossings = crossings,
                                                   .crossing_count = 1});
    for (uint32_t i = 0; i < 2; i++)
        timing_slot(r.timing, mpus[i], (struct timing_place){4, 0}, 0);
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, 14 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_WAIT], 2 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_TRANSFER], 10 * NS);
}

/* JUMP_ANY of all four: the last comes at 3; to the farthest, three hops away, and back: 12. */
static void questions_go_to_the_farthest(void **state) {
    struct rig r;
    (void)state;
    verify_rig_open(&r, &rig_base);
    for (int i = 0; i < 3; i++)
        timing_slot(r.timing, 3, (struct timing_place){0, 0}, 0);
    timing_meet(r.timing,
                &(struct timing_meeting){.at = {4, 0}, .mpus = r.mpus, .count = 4, .hops = 6});
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, 15 * NS);
    assert_int_equal(r.totals.mpu_ps, 4 * 15 * NS);
    assert_int_equal(r.totals.part_ps[TIMING_NETWORK], 12 * NS);
}

/* SEND 1, MEMCPY 2, copy 22, ten flits of 4 leave the buffer until `left`, a hop of 2 later than
 * they began.  All meet at 23, behind SEND_DONE.  A question does not need the buffer; a copy
 * behind it does, and so does a move. */
static void a_meeting_leaves_the_buffer_to_its_message(void **state) {
    static const uint32_t vrf = VRF(1, 0), pair[] = {0, 2};
    static const struct timing_charge charge = {0, 10 * NS, 0};
    uint64_t left = (22 + 10 * 4) * NS;
    (void)state;
    for (int move = 0; move < 2; move++) {
        struct rig r;
        verify_rig_open(&r, &rig_base);
        const struct timing_transfer inner = {{1, 0}, &one_copy, 1, &vrf, 1};
        timing_slot(r.timing, 0, (struct timing_place){0, 0}, 0);
        timing_message_drop(
            timing_send(r.timing, 0, (struct timing_place){0, 0}, &inner, 1, 160, NULL));
        timing_slot(r.timing, 0, (struct timing_place){2, 0}, 0);
        if (move) {
            timing_meet(
                r.timing,
                &(struct timing_meeting){
                    .at = {4, 0}, .mpus = pair, .count = 2, .charges = &charge, .charge_count = 1});
        } else {
            timing_meet(r.timing,
                        &(struct timing_meeting){.at = {4, 0}, .mpus = r.mpus, .count = 4});
            timing_transfer(r.timing, 0, &inner);
        }
        rig_finish(&r);
        assert_int_equal(r.totals.time_ps, left + (move ? 10 : 20) * NS);
    }
}

/* The same instruction twice, of which the host carries out one: 1 + 5, also if both had to wait
 * for a message (one hop: arrives at 22 + 6, copy 48). */
static void slots_that_wait_are_all_counted(void **state) {
    const struct timing_place at = {9, 0};
    struct rig r;
    (void)state;
    verify_rig_open(&r, &rig_base);
    struct timing_message *m = send(&r, 0, 1, NULL);
    timing_recv(r.timing, 1, (struct timing_place){3, 0}, m);
    timing_slot(r.timing, 1, at, 0);
    timing_slot(r.timing, 1, at, 5 * NS);
    timing_message_drop(m);
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, (48 + 1 + 5) * NS);
}

/* MPU0 sends every 100 ns, and MPU2 comes one turn later each time, so that one message always
 * waits for its turn.  The events of MPU0 that are over are forgotten nevertheless. */
static void events_that_are_over_are_forgotten(void **state) {
    const struct timing_place at = {9, 0};
    const struct timing_transfer nothing = {.at = at};
    struct rig r;
    (void)state;
    verify_rig_open(&r, &rig_base);
    timing_end(r.timing, 1);
    timing_end(r.timing, 3);
    for (int i = 0; i < 5000; i++) {
        timing_slot(r.timing, 0, at, 100 * NS);
        timing_message_drop(timing_send(r.timing, 0, at, &nothing, 1, 16, NULL));
        if (i)
            timing_slot(r.timing, 2, at, 100 * NS);
        timing_settle(r.timing);
        assert_true(r.timing->mpus[0].next < r.timing->mpus[0].events.len);
    }
    assert_true(r.timing->mpus[0].events.cap < 500);
    rig_finish(&r);
    assert_int_equal(r.totals.time_ps, 5000 * 100 * NS);
}

/* 40,000 ensembles, each with another number of laps: what is known of them is forgotten now and
 * then, and the sums are as they have to be.  Ensemble i takes its header's slot, a fetch, a slot,
 * i + 1 runs of 50, and the footer's slot, whose fetch is hidden: 54 + 50 i. */
static void memory_does_not_grow_with_the_ways_taken(void **state) {
    static const uint32_t vrf = VRF(0, 0);
    struct rig r;
    struct path_record p = {0};
    struct dp_code code;
    const uint64_t count = 40000, runs = 50 * (count * (count + 1) / 2);
    (void)state;
    verify_rig_open(&r, &rig_base);
    uint32_t run = rig_add_run(&r, &code, 1, 5, 50);
    r.timing->model.room = (size_t)1 << 20;
    for (uint32_t i = 0; i < count; i++) {
        timing_path_add(&p, STEP_RUN, run, 0);
        if (i)
            timing_path_add(&p, STEP_AGAIN, 1, i);
        timing_path_add(&p, STEP_DRAIN, 2, 0);
        rig_compute(&r, 0, 0, timing_path(r.timing, &p), &vrf, 1);
        timing_settle(r.timing);
        assert_true(timing_batch_model_bytes(&r.timing->model) <= (size_t)1 << 20);
    }
    timing_path_record_free(&p);
    rig_take_totals(&r);
    assert_int_equal(r.totals.time_ps, (4 * count + runs) * NS);
    assert_int_equal(timing_insn(r.timing, 1).ps, (2 * count + runs) * NS);
    timing_free(r.timing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_overflows_the_playback_buffer),
        cmocka_unit_test(text_of_a_neighbour_takes_its_way),
        cmocka_unit_test(three_batches),
        cmocka_unit_test(laps_that_are_alike_are_told_once),
        cmocka_unit_test(laps_that_miss_are_alike),
        cmocka_unit_test(parts_of_the_largest_time_add_up),
        cmocka_unit_test(a_jump_waits_for_the_last_section),
        cmocka_unit_test(two_controllers),
        cmocka_unit_test(one_issue_port),
        cmocka_unit_test(transfers_wait_for_their_vrfs),
        cmocka_unit_test(a_message_over_two_hops),
        cmocka_unit_test(lower_mpus_send_first),
        cmocka_unit_test(a_full_queue),
        cmocka_unit_test(moves_meet_and_exchange),
        cmocka_unit_test(questions_go_to_the_farthest),
        cmocka_unit_test(a_meeting_leaves_the_buffer_to_its_message),
        cmocka_unit_test(slots_that_wait_are_all_counted),
        cmocka_unit_test(events_that_are_over_are_forgotten),
        cmocka_unit_test(memory_does_not_grow_with_the_ways_taken),
        cmocka_unit_test(the_port_ends_at_the_largest_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
