/* SPDX-License-Identifier: MIT
 * Transfers inside an MPU: each kind of network by hand, and properties of random lists. */
#include "machines/dtc/dtc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define RFHS 8

static struct target machine(enum network_kind kind) {
    return (struct target){.network = kind, .rfh_per_mpu = RFHS, .ring_hop_ps = 5};
}

/* Schedules `count` pairs and holds them against what was expected: start, end, start, end ... */
static void expect(enum network_kind kind, const struct dtc_cost *cost, size_t count,
                   const struct dtc_pair *pairs, const uint64_t *want, uint64_t total) {
    struct target t = machine(kind);
    struct dtc *d = dtc_new(&t);
    struct dtc_time times[16];
    assert_true(count <= 16);
    assert_int_equal(dtc_schedule(d, pairs, count, cost, times), total);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(times[i].start_ps, want[2 * i]);
        assert_int_equal(times[i].end_ps, want[2 * i + 1]);
    }
    assert_int_equal(dtc_schedule(d, pairs, count, cost, NULL), total);
    dtc_free(d);
}

/* All tests below: the controller begins at 1,000 ps, a pair takes 10 to set up and a register 100
 * to move; on a ring a hop takes 5 (above). */
static const struct dtc_cost usual = {1000, 10, 100};
/* Four pairs of eight RFHs, no two with an RFH in common. */
static const struct dtc_pair four[] = {{0, 2}, {1, 3}, {4, 5}, {6, 7}};

/* Four set-ups end at 1,040; then 100 for each pair, one after another: until 1,440. */
static void four_pairs_serial(void **state) {
    static const uint64_t want[] = {1040, 1140, 1140, 1240, 1240, 1340, 1340, 1440};
    (void)state;
    expect(NETWORK_SERIAL, &usual, 4, four, want, 1440);
}

/* Four set-ups end at 1,040; then all move at once. */
static void four_pairs_point_to_point(void **state) {
    static const uint64_t want[] = {1040, 1140, 1040, 1140, 1040, 1140, 1040, 1140};
    (void)state;
    expect(NETWORK_P2P, &usual, 4, four, want, 1140);
}

/* A ring of eight.  0 -> 2 takes the links 0-1 (from 1,040) and 1-2 (from 1,045): all of the
 * register is there at 1,040 + 2 * 5 + 100 = 1,150.  1 -> 3 needs the link 1-2, which is free at
 * 1,145, and 2-3: from 1,145 to 1,145 + 10 + 100 = 1,255.  4 -> 5 and 6 -> 7 go one hop on links of
 * their own: 1,040 to 1,145. */
static void four_pairs_on_a_ring(void **state) {
    static const uint64_t want[] = {1040, 1150, 1145, 1255, 1040, 1145, 1040, 1145};
    (void)state;
    expect(NETWORK_RING, &usual, 4, four, want, 1255);
}

/* A MEMCPY whose pairs are set up begins at once. */
static void no_set_up(void **state) {
    static const struct dtc_cost cost = {7, 0, 100};
    static const uint64_t want[] = {7, 107, 7, 107};
    (void)state;
    expect(NETWORK_P2P, &cost, 2, four, want, 107);
}

/* 0 -> 1, 1 -> 2 and 2 -> 3 are a chain: each begins when the RFH it shares is free.  4 -> 5 shares
 * none and goes at once.  6 -> 0 comes behind the first pair alone, which ends at 1,160.  3 -> 3
 * stays in an RFH that the third holds until 1,360.  Six pairs are set up by 1,060. */
static void ports_in_conflict(void **state) {
    static const struct dtc_pair pairs[] = {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {6, 0}, {3, 3}};
    static const uint64_t want[] = {1060, 1160, 1160, 1260, 1260, 1360,
                                    1060, 1160, 1160, 1260, 1360, 1460};
    (void)state;
    expect(NETWORK_P2P, &usual, 6, pairs, want, 1460);
}

/* Three pairs are set up by 1,030.  0 -> 2 and 0 -> 6 go two hops each, up and down; the port of
 * RFH 0 reads one register at a time, so the second starts at 1,130 and ends at 1,130 + 10 + 100 =
 * 1,240. 3 -> 6 finds the port of RFH 6 taken until then; it needs it three hops after its start,
 * so it starts at 1,240 - 15 = 1,225 and ends at 1,225 + 15 + 100 = 1,340.  Its links are free. */
static void ports_on_a_ring(void **state) {
    static const struct dtc_pair pairs[] = {{0, 2}, {0, 6}, {3, 6}};
    static const uint64_t want[] = {1030, 1140, 1130, 1240, 1225, 1340};
    (void)state;
    expect(NETWORK_RING, &usual, 3, pairs, want, 1340);
}

/* Four hops either way round a ring of eight: the way of increasing numbers is taken.  0 -> 4
 * starts at 1,030 and ends at 1,030 + 20 + 100 = 1,150; it holds the link 2-3 from 1,040 to 1,140,
 * for which 2 -> 3 waits.  6 -> 5 uses a link that 0 -> 4 would hold from 1,040 on if it went down;
 * it starts at once. */
static void a_tie_on_the_ring(void **state) {
    static const struct dtc_pair pairs[] = {{0, 4}, {2, 3}, {6, 5}};
    static const uint64_t want[] = {1030, 1150, 1140, 1245, 1030, 1135};
    (void)state;
    expect(NETWORK_RING, &usual, 3, pairs, want, 1245);
}

/* A link is of one direction: 1 -> 3 upwards and 4 -> 2 downwards pass each other at RFH 3, whose
 * port the second does not need.  5 -> 6 and 7 -> 6 have the port of RFH 6 in common: the second
 * needs it one hop after its start, and it is free at 1,040 + 5 + 100 = 1,145. */
static void both_directions(void **state) {
    static const struct dtc_pair pairs[] = {{1, 3}, {4, 2}, {5, 6}, {7, 6}};
    static const uint64_t want[] = {1040, 1150, 1040, 1150, 1040, 1145, 1140, 1245};
    (void)state;
    expect(NETWORK_RING, &usual, 4, pairs, want, 1245);
}

static void nothing_to_do(void **state) {
    (void)state;
    for (int kind = NETWORK_SERIAL; kind <= NETWORK_RING; kind++)
        expect((enum network_kind)kind, &usual, 0, NULL, NULL, 1000);
}

/* No sum wraps round: what would be later than the last picosecond is at it. */
static void no_sum_wraps(void **state) {
    static const struct dtc_cost costs[] = {{UINT64_MAX - 50, 10, 100},
                                            {0, UINT64_MAX / 2, 1},
                                            {5, 0, UINT64_MAX},
                                            {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    (void)state;
    for (int kind = NETWORK_SERIAL; kind <= NETWORK_RING; kind++)
        for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
            struct target t = machine((enum network_kind)kind);
            t.ring_hop_ps = i % 2 ? UINT64_MAX : 5;
            struct dtc *d = dtc_new(&t);
            struct dtc_time times[4];
            assert_int_equal(dtc_schedule(d, four, 4, &costs[i], times), UINT64_MAX);
            for (size_t k = 0; k < 4; k++)
                assert_true(times[k].end_ps >= times[k].start_ps);
            dtc_free(d);
        }
}

/* Hops of 2^63 ps.  1 -> 2 ends at 2^63 + 100.  0 -> 2 would need the port of RFH 2 at 2^64, which
 * no number holds: the port is free by then, so it starts at once, and ends at the last picosecond.
 */
static void no_way_wraps(void **state) {
    static const struct dtc_pair pairs[] = {{1, 2}, {0, 2}};
    static const struct dtc_cost cost = {0, 0, 100};
    struct target t = machine(NETWORK_RING);
    struct dtc_time times[2];
    (void)state;
    t.ring_hop_ps = (uint64_t)1 << 63;
    struct dtc *d = dtc_new(&t);
    assert_int_equal(dtc_schedule(d, pairs, 2, &cost, times), UINT64_MAX);
    assert_int_equal(times[0].end_ps, ((uint64_t)1 << 63) + 100);
    assert_int_equal(times[1].start_ps, 0);
    assert_int_equal(times[1].end_ps, UINT64_MAX);
    dtc_free(d);
}

/* ---- by way of the host ---- */

/* 16 lanes of 32 bits are 64 bytes; 10 and 20 ns a byte, and a set-up of 3 ps each way.  What a
 * controller would take is not asked for. */
static struct target without_controller(enum host_scope scope) {
    struct target t = machine(NETWORK_HOST);
    t.lanes = 16;
    t.vrf_per_rfh = 4;
    t.setup_ps = t.register_ps = t.bit_ps = t.network_fj_per_bit = 999;
    t.host_fj_per_bit = 5;
    t.host_modes[HOST_SERIAL] = (struct host_mode){
        .in_bytes_per_s = 100000000, .out_bytes_per_s = 50000000, .setup_ps = 3, .scope = scope};
    return t;
}

static void a_copy_is_two_transfers(void **state) {
    struct target t = without_controller(HOST_CHIP);
    (void)state;
    assert_int_equal(dtc_setup_ps(&t), 0);
    assert_int_equal(dtc_copy_ps(&t, 32), 3 + 64 * 20000 + 3 + 64 * 10000);
    assert_int_equal(dtc_copy_fj(&t, 32), 2 * 64 * 8 * 5);
    assert_int_equal(dtc_numbers_ps(&t, 32), 3 + 64 * 10000);
    assert_int_equal(dtc_numbers_fj(&t, 32), 64 * 8 * 5);
    t.lanes = 3; /* 3 x 3 bits: two bytes */
    assert_int_equal(dtc_copy_ps(&t, 3), 6 + 2 * 30000);
    t = machine(NETWORK_SERIAL);
    t.lanes = 16;
    t.setup_ps = 7, t.register_ps = 100, t.bit_ps = 2, t.network_fj_per_bit = 5;
    assert_int_equal(dtc_setup_ps(&t), 7);
    assert_int_equal(dtc_copy_ps(&t, 32), 100 + 64);
    assert_int_equal(dtc_numbers_ps(&t, 32), 100 + 64);
    assert_int_equal(dtc_copy_fj(&t, 32), 16 * 32 * 5);
    assert_int_equal(dtc_numbers_fj(&t, 32), 16 * 32 * 5);
}

/* One link for all of the chip: one pair after another; else RFHs have links of their own. */
static void pairs_by_way_of_the_host(void **state) {
    static const struct dtc_pair pairs[] = {{0, 2}, {1, 3}, {2, 5}};
    static const enum host_scope scopes[] = {HOST_CHIP, HOST_RFH, HOST_VRF};
    static const uint64_t ends[] = {1300, 1200, 1200};
    static const struct dtc_cost cost = {1000, 0, 100};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct target t = without_controller(scopes[i]);
        struct dtc *d = dtc_new(&t);
        assert_int_equal(dtc_rfhs_at_once(&t), scopes[i] != HOST_CHIP);
        assert_int_equal(dtc_schedule(d, pairs, 3, &cost, NULL), ends[i]);
        dtc_free(d);
    }
}

static void at_once_or_not(void **state) {
    struct target serial = machine(NETWORK_SERIAL), ring = machine(NETWORK_RING);
    struct target p2p = machine(NETWORK_P2P), host = machine(NETWORK_HOST);
    (void)state;
    assert_false(dtc_rfhs_at_once(&serial));
    assert_true(dtc_rfhs_at_once(&ring));
    assert_true(dtc_rfhs_at_once(&p2p));
    assert_false(dtc_rfhs_at_once(&host)); /* no modes: one link */
}

/* ---- random lists ---- */

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

static void draw_pairs(struct dtc_pair *pairs, size_t count, uint32_t rfhs) {
    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct dtc_pair){draw(rfhs), draw(rfhs)};
}

/* From `begin` on, for `length`: what a port or a link does. */
struct use {
    uint64_t begin;
    uint32_t what; /* 3 * RFH, and 1 for its link upwards, 2 for the one downwards */
};

/* All that a pair holds for the time of a register, by the page's words. */
static size_t uses_of(const struct target *t, const struct dtc_pair *p, const struct dtc_time *at,
                      struct use *uses) {
    uint32_t n = t->rfh_per_mpu, up = (p->destination + n - p->source) % n;
    uint32_t hops = t->network != NETWORK_RING ? 0 : up <= n - up ? up : n - up;
    bool upwards = up <= n - up;
    size_t count = 0;
    uses[count++] = (struct use){at->start_ps, 3 * p->source};
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t rfh = (upwards ? p->source + i : p->source + n - i) % n;
        uses[count++] =
            (struct use){at->start_ps + i * t->ring_hop_ps, 3 * rfh + (upwards ? 1 : 2)};
    }
    if (p->source != p->destination)
        uses[count++] = (struct use){at->start_ps + hops * t->ring_hop_ps, 3 * p->destination};
    return count;
}

static bool may_overlap(const struct target *t, const struct dtc_pair *p, const struct dtc_time *a,
                        const struct dtc_pair *q, const struct dtc_time *b, uint64_t register_ps) {
    struct use x[40], y[40];
    size_t m = uses_of(t, p, a, x), n = uses_of(t, q, b, y);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            if (x[i].what == y[k].what && y[k].begin < x[i].begin + register_ps)
                return false; /* the later pair must come when the earlier one is over */
    return true;
}

/* One that begins earlier than some resource allows is caught by may_overlap; one that begins later
 * than all of them demand is caught here: a picosecond earlier it would clash. */
static void check_earliest(const struct target *t, const struct dtc_pair *pairs,
                           const struct dtc_time *times, size_t i, uint64_t begin,
                           uint64_t register_ps) {
    struct dtc_time earlier = {times[i].start_ps - 1, times[i].end_ps - 1};
    bool clashes = times[i].start_ps == begin;
    for (size_t k = 0; k < i && !clashes; k++)
        clashes = !may_overlap(t, &pairs[k], &times[k], &pairs[i], &earlier, register_ps);
    assert_true(clashes);
}

static void check_pairs(const struct target *t, const struct dtc_cost *cost,
                        const struct dtc_pair *pairs, const struct dtc_time *times, size_t count,
                        uint64_t total) {
    uint64_t begin = cost->start_ps + count * cost->setup_ps, last = begin;
    for (size_t i = 0; i < count; i++) {
        struct use uses[40];
        size_t n = uses_of(t, &pairs[i], &times[i], uses);
        assert_true(times[i].start_ps >= begin);
        assert_int_equal(times[i].end_ps, uses[n - 1].begin + cost->register_ps);
        last = times[i].end_ps > last ? times[i].end_ps : last;
        for (size_t k = 0; k < i; k++)
            assert_true(
                may_overlap(t, &pairs[k], &times[k], &pairs[i], &times[i], cost->register_ps));
        check_earliest(t, pairs, times, i, begin, cost->register_ps);
    }
    assert_int_equal(total, last);
}

static void check_serial(const struct dtc_cost *cost, const struct dtc_time *times, size_t count,
                         uint64_t total) {
    uint64_t begin = cost->start_ps + count * cost->setup_ps;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(times[i].start_ps, begin + i * cost->register_ps);
        assert_int_equal(times[i].end_ps, times[i].start_ps + cost->register_ps);
    }
    assert_int_equal(total, begin + count * cost->register_ps);
}

#define MOST 40

/* A pair more changes nothing for those before it but the set-up. */
static void check_prefixes(struct dtc *d, const struct dtc_pair *pairs, size_t count,
                           const struct dtc_cost *cost, const struct dtc_time *times) {
    struct dtc_time fewer[MOST];
    size_t n = draw((uint32_t)count + 1);
    struct dtc_cost later = *cost;
    later.start_ps += (count - n) * cost->setup_ps;
    dtc_schedule(d, pairs, n, &later, fewer);
    assert_memory_equal(fewer, times, n * sizeof *times);
}

static void random_lists(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 6000; round++) {
        struct target t = {.network = (enum network_kind)(round % 3),
                           .rfh_per_mpu = 1 + draw(round % 5 ? 8 : 33),
                           .ring_hop_ps = draw(2) ? draw(12) : draw(300)};
        struct dtc_cost cost = {draw(1000), draw(30), 1 + draw(100)};
        struct dtc_pair pairs[MOST];
        struct dtc_time times[MOST];
        size_t count = draw(MOST + 1);
        struct dtc *d = dtc_new(&t);
        draw_pairs(pairs, count, t.rfh_per_mpu);
        uint64_t total = dtc_schedule(d, pairs, count, &cost, times);
        if (t.network == NETWORK_SERIAL)
            check_serial(&cost, times, count, total);
        else
            check_pairs(&t, &cost, pairs, times, count, total);
        check_prefixes(d, pairs, count, &cost, times);
        dtc_free(d);
    }
}

/* With no time for a hop and all pairs between neighbours a ring is point to point. */
static void a_ring_of_neighbours(void **state) {
    struct target ring = machine(NETWORK_RING), direct = machine(NETWORK_P2P);
    struct dtc *a = dtc_new(&ring), *b = dtc_new(&direct);
    (void)state;
    ring.ring_hop_ps = 0;
    dtc_free(a);
    a = dtc_new(&ring);
    for (int round = 0; round < 200; round++) {
        struct dtc_pair pairs[MOST];
        struct dtc_time x[MOST], y[MOST];
        for (size_t i = 0; i < MOST; i++) {
            uint32_t rfh = draw(RFHS);
            pairs[i] = (struct dtc_pair){rfh, (rfh + draw(3) + RFHS - 1) % RFHS};
        }
        assert_int_equal(dtc_schedule(a, pairs, MOST, &usual, x),
                         dtc_schedule(b, pairs, MOST, &usual, y));
        assert_memory_equal(x, y, sizeof x);
    }
    dtc_free(a);
    dtc_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_pairs_serial),
        cmocka_unit_test(four_pairs_point_to_point),
        cmocka_unit_test(four_pairs_on_a_ring),
        cmocka_unit_test(no_set_up),
        cmocka_unit_test(ports_in_conflict),
        cmocka_unit_test(ports_on_a_ring),
        cmocka_unit_test(a_tie_on_the_ring),
        cmocka_unit_test(both_directions),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(no_sum_wraps),
        cmocka_unit_test(no_way_wraps),
        cmocka_unit_test(a_copy_is_two_transfers),
        cmocka_unit_test(pairs_by_way_of_the_host),
        cmocka_unit_test(at_once_or_not),
        cmocka_unit_test(random_lists),
        cmocka_unit_test(a_ring_of_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
