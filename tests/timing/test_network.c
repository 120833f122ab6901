/* SPDX-License-Identifier: MIT
 * Messages between MPUs: routes and times by hand, and properties of random traffic. */
#include "emu/timing/network.h"
#include "support/vec.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A flit of 16 bytes takes a link 40 ps, a hop 8 ps; 2 fJ per bit and hop.  Six MPUs in two rows:
 *   0 1 2
 *   3 4 5 */
static struct target six(enum chip_kind chip) {
    return (struct target){.chip = chip,
                           .mpus = 6,
                           .mpu_columns = 3,
                           .flit_bytes = 16,
                           .flit_ps = 40,
                           .hop_ps = 8,
                           .hop_fj_per_bit = 2};
}

static void expect(const struct noc_trip *t, uint64_t start, uint64_t arrival, uint64_t wait,
                   uint32_t hops) {
    assert_int_equal(t->start_ps, start);
    assert_int_equal(t->arrival_ps, arrival);
    assert_int_equal(t->wait_ps, wait);
    assert_int_equal(t->hops, hops);
}

/* 20 bytes are two flits: 80 ps on each link.  0 -> 4 goes right, then down: the first flit is at
 * the receiver's router after 2 * 8 ps, the last one 80 ps later: 100 + 16 + 80 = 196.  The
 * sender's port is free after 80.  Energy: 2 * 16 * 8 bits * 2 hops * 2 fJ = 1,024. */
static void two_hops_alone(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    struct noc_trip trip = timing_noc_reserve(n, 0, 4, 20, 100);
    expect(&trip, 100, 196, 0, 2);
    assert_int_equal(trip.left_ps, 180);
    assert_int_equal(trip.energy_fj, 1024);
    struct noc_stats s = timing_noc_stats(n);
    assert_int_equal(s.messages, 1);
    assert_int_equal(s.bytes, 20);
    assert_int_equal(s.flits, 2);
    assert_int_equal(s.hops, 2);
    assert_int_equal(s.energy_fj, 1024);
    assert_int_equal(s.busy_ps, 4 * 80); /* two links and two ports */
    assert_int_equal(s.links, 4);
    /* All were held equally long: the first by router and direction is named. */
    assert_int_equal(s.most_loaded.router, 0);
    assert_int_equal(s.most_loaded.direction, NOC_RIGHT);
    assert_int_equal(s.most_loaded.messages, 1);
    timing_noc_close(n);
}

/* One flit each, 40 ps.  0 -> 2 takes the links 0-1 and 1-2: 100 + 16 + 40 = 156.
 * 1 -> 2 is ready at 100, too, but the link 1-2 is taken from 108 to 148; it would need it from 100
 * to 140, so it waits 48 and goes at 148: there at 148 + 8 = 156, where the port of MPU 2 is just
 * free (it was taken from 116 to 156): 156 + 40 = 196.  Its own port it leaves at once. */
static void two_messages_on_one_link(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    struct noc_trip a = timing_noc_reserve(n, 0, 2, 16, 100),
                    b = timing_noc_reserve(n, 1, 2, 16, 100);
    expect(&a, 100, 156, 0, 2);
    expect(&b, 100, 196, 48, 1);
    struct noc_stats s = timing_noc_stats(n);
    assert_int_equal(s.wait_ps, 48);
    /* The link 1-2 and the port of MPU 2 were both held for 80 ps: the lower router is named. */
    assert_int_equal(s.most_loaded.router, 1);
    assert_int_equal(s.most_loaded.direction, NOC_RIGHT);
    assert_int_equal(s.most_loaded.busy_ps, 80);
    assert_int_equal(s.most_loaded.wait_ps, 48);
    timing_noc_close(n);
}

/* 0 -> 1 -> 4 and 3 -> 4 -> 5: the rows are different, and so are all links and ports.  So are
 * 1 -> 0 and the link 0-1, which is of the other direction. */
static void two_messages_apart(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    struct noc_trip a = timing_noc_reserve(n, 0, 4, 16, 0), b = timing_noc_reserve(n, 3, 5, 16, 0);
    struct noc_trip c = timing_noc_reserve(n, 1, 0, 16, 0);
    expect(&a, 0, 56, 0, 2);
    expect(&b, 0, 56, 0, 2);
    expect(&c, 0, 48, 0, 1);
    timing_noc_close(n);
}

/* MPU 1 has one port to receive by.  From 0 and from 2 it is one hop each: both are there at 8; the
 * one that was reserved first, of the lower MPU, arrives at 48, the other at 88. */
static void the_lower_mpu_first(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    struct noc_trip a = timing_noc_reserve(n, 0, 1, 16, 0), b = timing_noc_reserve(n, 2, 1, 16, 0);
    expect(&a, 0, 48, 0, 1);
    expect(&b, 0, 88, 40, 1);
    timing_noc_close(n);
}

/* 0 -> 2 holds the link 1-2 from 8 on only, for 400 ps.  1 -> 2 of one flit with a hop of 8 cannot
 * be over by then; but with a hop of 50 ps it is: the link is free until 50, and 40 are enough.  It
 * is then through the port of MPU 2 (50 to 90) before the first message comes there (at 100). */
static void a_short_one_slips_in(void **state) {
    struct target t = six(CHIP_MESH_2D);
    (void)state;
    for (int i = 0; i < 2; i++) {
        t.hop_ps = i ? 50 : 8;
        struct noc *n = timing_noc_open(&t);
        struct noc_trip a = timing_noc_reserve(n, 0, 2, 160, 0),
                        b = timing_noc_reserve(n, 1, 2, 16, 0);
        expect(&a, 0, 2 * t.hop_ps + 400, 0, 2);
        if (i)
            expect(&b, 0, 90, 0, 1);
        else
            expect(&b, 0, 408 + 8 + 40, 408, 1);
        timing_noc_close(n);
    }
}

/* A message of no bytes is one flit: it has to say where it comes from. */
static void no_bytes(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    struct noc_trip a = timing_noc_reserve(n, 0, 1, 0, 0);
    expect(&a, 0, 48, 0, 1);
    assert_int_equal(timing_noc_stats(n).flits, 1);
    timing_noc_close(n);
}

/* 8 bytes of header: 24 bytes are two flits, 25 are three. */
static void a_header(void **state) {
    struct target t = six(CHIP_MESH_2D);
    t.header_bytes = 8;
    struct noc *n = timing_noc_open(&t);
    (void)state;
    assert_int_equal(timing_noc_reserve(n, 0, 1, 24, 0).arrival_ps, 88);
    assert_int_equal(timing_noc_reserve(n, 3, 4, 25, 0).arrival_ps, 128);
    assert_int_equal(timing_noc_stats(n).bytes, 49);
    assert_int_equal(timing_noc_stats(n).flits, 5);
    timing_noc_close(n);
}

static void to_itself(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    struct noc_trip a = timing_noc_reserve(n, 2, 2, 1000, 70);
    expect(&a, 70, 70, 0, 0);
    assert_int_equal(a.energy_fj, 0);
    struct noc_stats s = timing_noc_stats(n);
    assert_int_equal(s.messages, 1);
    assert_int_equal(s.bytes, 1000);
    assert_int_equal(s.flits, 0);
    assert_int_equal(s.links, 0);
    timing_noc_close(n);
}

/* Without flit_ps and hop_ps nothing takes time, and nobody waits. */
static void a_network_without_times(void **state) {
    struct target t = six(CHIP_MESH_2D);
    t.flit_ps = t.hop_ps = 0;
    struct noc *n = timing_noc_open(&t);
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct noc_trip a = timing_noc_reserve(n, 0, 5, 1000, 3);
        expect(&a, 3, 3, 0, 3);
    }
    assert_int_equal(timing_noc_stats(n).busy_ps, 0);
    timing_noc_close(n);
}

/* What would end after the last picosecond ends at it; a second one finds the link taken for ever.
 * The first holds its port and the link 0-1 for 30 ps, and the port of MPU 1 for 22. */
static void no_sum_wraps(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    struct noc_trip a = timing_noc_reserve(n, 0, 1, 16, UINT64_MAX - 30);
    assert_int_equal(a.arrival_ps, UINT64_MAX);
    assert_int_equal(timing_noc_stats(n).busy_ps, 82);
    a = timing_noc_reserve(n, 0, 1, 16, UINT64_MAX - 20);
    assert_int_equal(a.start_ps, UINT64_MAX);
    timing_noc_close(n);
    n = timing_noc_open(&t);
    a = timing_noc_reserve(n, 0, 1, UINT64_MAX, 5);
    assert_int_equal(a.start_ps, 5);
    assert_int_equal(a.arrival_ps, UINT64_MAX);
    assert_int_equal(a.energy_fj, UINT64_MAX);
    a = timing_noc_reserve(n, 0, 1, 1, 6);
    assert_int_equal(a.start_ps, UINT64_MAX);
    assert_int_equal(timing_noc_stats(n).bytes, UINT64_MAX);
    timing_noc_close(n);
}

/* 0 -> 2 holds the link 1-2 from 52 ps before the last one on.  1 -> 2 comes there 8 ps earlier,
 * and 80 ps do not fit in: it waits until the end of time. */
static void no_gap_wraps(void **state) {
    struct target t = six(CHIP_MESH_2D);
    struct noc *n = timing_noc_open(&t);
    (void)state;
    timing_noc_reserve(n, 0, 2, 32, UINT64_MAX - 60);
    struct noc_trip b = timing_noc_reserve(n, 1, 2, 32, UINT64_MAX - 60);
    expect(&b, UINT64_MAX - 60, UINT64_MAX, 60, 1);
    timing_noc_close(n);
}

/* ---- ways ---- */

struct way {
    struct noc_hold steps[64];
    size_t count;
};

static void keep(void *context, const struct noc_hold *h) {
    struct way *w = context;
    assert_true(w->count < 64);
    w->steps[w->count++] = *h;
}

/* Routers and directions of the way, the two ports left out: "0> 1v ". */
static void expect_way(const struct target *t, uint32_t from, uint32_t to, const char *want) {
    static const char arrows[] = "><v^";
    struct noc *n = timing_noc_open(t);
    struct way w = {0};
    char text[200] = "";
    timing_noc_watch(n, keep, &w);
    struct noc_trip trip = timing_noc_reserve(n, from, to, 16, 0);
    assert_int_equal(w.steps[0].direction, NOC_IN);
    assert_int_equal(w.steps[0].router, from);
    assert_int_equal(w.steps[w.count - 1].direction, NOC_OUT);
    assert_int_equal(w.steps[w.count - 1].router, to);
    for (size_t i = 1; i + 1 < w.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u%c ",
                 (unsigned)w.steps[i].router, arrows[w.steps[i].direction]);
    assert_string_equal(text, want);
    assert_int_equal(trip.hops, w.count - 2);
    assert_int_equal(target_hops(t, from, to), trip.hops);
    timing_noc_close(n);
}

static void ways(void **state) {
    /* 0 1 2 3 / 4 5 6 7 / 8 9 10 11 / 12 13: the last row has two routers without an MPU. */
    struct target t = {.mpus = 14, .mpu_columns = 4, .flit_bytes = 1};
    (void)state;
    t.chip = CHIP_MESH_2D;
    expect_way(&t, 0, 10, "0> 1> 2v 6v ");
    expect_way(&t, 10, 0, "10< 9< 8^ 4^ ");
    expect_way(&t, 3, 0, "3< 2< 1< ");
    expect_way(&t, 12, 3, "12> 13> 14> 15^ 11^ 7^ ");
    t.chip = CHIP_TORUS;
    expect_way(&t, 3, 0, "3> ");
    expect_way(&t, 0, 3, "0< ");
    expect_way(&t, 0, 2, "0> 1> "); /* two steps either way: increasing numbers */
    expect_way(&t, 2, 0, "2> 3> ");
    expect_way(&t, 1, 9, "1v 5v ");
    expect_way(&t, 9, 1, "9v 13v ");
    expect_way(&t, 13, 0, "13< 12v ");
    expect_way(&t, 0, 12, "0^ ");
    t.chip = CHIP_MESH_1D;
    expect_way(&t, 3, 6, "3> 4> 5> ");
    expect_way(&t, 13, 11, "13< 12< ");
    t.chip = CHIP_RING;
    expect_way(&t, 13, 1, "13> 0> ");
    expect_way(&t, 0, 12, "0< 13< ");
    expect_way(&t, 1, 8, "1> 2> 3> 4> 5> 6> 7> ");
    expect_way(&t, 8, 1, "8> 9> 10> 11> 12> 13> 0> ");
    t.chip = CHIP_MESH_2D;
    t.mpu_columns = 0; /* one row */
    expect_way(&t, 3, 6, "3> 4> 5> ");
    t.mpu_columns = 100;
    expect_way(&t, 13, 11, "13< 12< ");
}

/* Steps to every router from one, by breadth-first search over neighbours: closed rows and columns
 * lead from one end to the other. */
static void search(uint32_t w, uint32_t h, bool closed, uint32_t from, uint32_t *far) {
    uint32_t queue[64], head = 0, tail = 0;
    memset(far, 0xff, 64 * sizeof *far);
    far[from] = 0;
    for (queue[tail++] = from; head < tail; head++) {
        uint32_t x = queue[head] % w, y = queue[head] / w;
        const uint32_t near[4] = {y * w + (x + 1) % w, y * w + (x + w - 1) % w, (y + 1) % h * w + x,
                                  (y + h - 1) % h * w + x};
        const bool edge[4] = {x + 1 == w, x == 0, y + 1 == h, y == 0};
        for (int i = 0; i < 4; i++)
            if ((closed || !edge[i]) && far[near[i]] == UINT32_MAX) {
                far[near[i]] = far[queue[head]] + 1;
                queue[tail++] = near[i];
            }
    }
}

static void check_hops(const struct target *t) {
    bool closed = t->chip == CHIP_TORUS || t->chip == CHIP_RING;
    bool row = t->chip == CHIP_MESH_1D || t->chip == CHIP_RING || !t->mpu_columns ||
               t->mpu_columns > t->mpus;
    uint32_t w = row ? t->mpus : t->mpu_columns, h = (t->mpus + w - 1) / w, far[64];
    for (uint32_t from = 0; from < t->mpus; from++) {
        search(w, h, closed, from, far);
        for (uint32_t to = 0; to < t->mpus; to++)
            assert_int_equal(target_hops(t, from, to), far[to]);
    }
}

static void hops_are_shortest_ways(void **state) {
    (void)state;
    for (uint32_t mpus = 1; mpus <= 20; mpus++)
        for (uint32_t columns = 0; columns <= 7; columns++)
            for (int chip = CHIP_MESH_2D; chip <= CHIP_RING; chip++)
                check_hops(&(struct target){
                    .chip = (enum chip_kind)chip, .mpus = mpus, .mpu_columns = columns});
}

/* ---- random traffic against a slow model ---- */

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

struct traffic {
    VEC(struct noc_hold) all;
    size_t first; /* of the message at hand */
};

static void note(void *context, const struct noc_hold *h) {
    struct traffic *x = context;
    vec_push(&x->all, *h);
}

/* Whether the link of `h` could be held from at_ps on, beside what was reserved before. */
static bool is_free(const struct traffic *x, const struct noc_hold *h, uint64_t at_ps,
                    uint64_t hold_ps) {
    for (size_t i = 0; i < x->first; i++) {
        const struct noc_hold *o = &x->all.data[i];
        if (o->router != h->router || o->direction != h->direction)
            continue;
        if (o->start_ps < at_ps + hold_ps && at_ps < o->end_ps)
            return false;
        if (o->source == h->source && at_ps < o->end_ps)
            return false; /* it would pass one of its own */
    }
    return true;
}

/* Tries picosecond after picosecond. */
static void check_message(const struct target *t, const struct traffic *x,
                          const struct noc_trip *trip, uint64_t bytes, uint64_t ready) {
    uint64_t hold = (bytes + t->flit_bytes - 1) / t->flit_bytes * t->flit_ps, at = ready, wait = 0;
    hold = bytes ? hold : t->flit_ps;
    for (size_t i = x->first; i < x->all.len; i++) {
        const struct noc_hold *h = &x->all.data[i];
        uint64_t reached = at;
        while (!is_free(x, h, at, hold))
            at++;
        assert_int_equal(h->start_ps, at);
        assert_int_equal(h->end_ps, at + hold);
        wait += at - reached;
        if (i == x->first)
            assert_int_equal(trip->start_ps, at);
        bool hop = h->direction != NOC_IN && h->direction != NOC_OUT;
        at += hop ? t->hop_ps : 0;
    }
    assert_int_equal(trip->arrival_ps, at + hold);
    assert_int_equal(trip->wait_ps, wait);
}

static void random_traffic(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        struct target t = {.chip = (enum chip_kind)(round % 4),
                           .mpus = 2 + draw(30),
                           .mpu_columns = draw(8),
                           .flit_bytes = 1 + draw(4),
                           .flit_ps = draw(5),
                           .hop_ps = draw(20)};
        struct noc *n = timing_noc_open(&t);
        struct traffic x = {0};
        uint64_t ready = 0, busy = 0, waits = 0;
        timing_noc_watch(n, note, &x);
        for (uint32_t i = 0; i < 60; i++) {
            uint32_t from = draw(t.mpus), to = (from + 1 + draw(t.mpus - 1)) % t.mpus;
            uint64_t bytes = draw(4) ? draw(12) : draw(200);
            ready += draw(3) ? 0 : draw(60);
            x.first = x.all.len;
            struct noc_trip trip = timing_noc_reserve(n, from, to, bytes, ready);
            assert_int_equal(x.all.len - x.first, target_hops(&t, from, to) + 2);
            check_message(&t, &x, &trip, bytes, ready);
            waits += trip.wait_ps;
        }
        for (size_t i = 0; i < x.all.len; i++)
            busy += x.all.data[i].end_ps - x.all.data[i].start_ps;
        assert_int_equal(timing_noc_stats(n).busy_ps, busy);
        assert_int_equal(timing_noc_stats(n).wait_ps, waits);
        vec_free(&x.all);
        timing_noc_close(n);
    }
}

/* Callers that do not keep to the order of time still share no link at one time. */
static void out_of_order(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 100; round++) {
        struct target t = six(CHIP_TORUS);
        struct noc *n = timing_noc_open(&t);
        struct traffic x = {0};
        timing_noc_watch(n, note, &x);
        for (uint32_t i = 0; i < 60; i++) {
            uint64_t ready = draw(2000);
            struct noc_trip trip = timing_noc_reserve(n, draw(6), draw(6), draw(100), ready);
            assert_true(trip.start_ps >= ready && trip.arrival_ps >= trip.start_ps);
        }
        for (x.first = 0; x.first < x.all.len; x.first++) {
            const struct noc_hold *h = &x.all.data[x.first];
            assert_true(is_free(&x, h, h->start_ps, h->end_ps - h->start_ps));
        }
        vec_free(&x.all);
        timing_noc_close(n);
    }
}

/* 10,000 MPUs, of which a few talk: what is kept is the links that they use. */
static void a_large_chip(void **state) {
    struct target t = six(CHIP_TORUS);
    (void)state;
    t.mpus = 10000;
    t.mpu_columns = 100;
    struct noc *n = timing_noc_open(&t);
    for (uint32_t i = 0; i < 1000; i++) {
        struct noc_trip trip = timing_noc_reserve(n, 0, 5050, 16, i * 40);
        expect(&trip, i * 40, i * 40 + 100 * 8 + 40, 0, 100);
    }
    struct noc_stats s = timing_noc_stats(n);
    assert_int_equal(s.links, 102);
    assert_int_equal(s.hops, 100000);
    assert_int_equal(timing_noc_link(n, 1).router, 0);
    assert_int_equal(timing_noc_link(n, 1).direction, NOC_RIGHT);
    assert_int_equal(timing_noc_link(n, 1).messages, 1000);
    assert_int_equal(timing_noc_link(n, 1).busy_ps, 40000);
    timing_noc_close(n);
}

/* 60,000 messages of 60 senders with time between them leave nothing behind that grows.  (Under the
 * address sanitizer both figures are 0.) */
static void what_is_over_is_forgotten(void **state) {
    struct target t = six(CHIP_MESH_2D);
    size_t early = 0;
    (void)state;
    t.mpus = 60;
    t.mpu_columns = 10;
    struct noc *n = timing_noc_open(&t);
    for (uint32_t i = 0; i < 60000; i++) {
        timing_noc_reserve(n, i % 60, (i + 31) % 60, 16, (uint64_t)i * 200);
        if (i == 2000)
            early = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= early + 4096);
    timing_noc_close(n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hops_alone),
        cmocka_unit_test(two_messages_on_one_link),
        cmocka_unit_test(two_messages_apart),
        cmocka_unit_test(the_lower_mpu_first),
        cmocka_unit_test(a_short_one_slips_in),
        cmocka_unit_test(no_bytes),
        cmocka_unit_test(a_header),
        cmocka_unit_test(to_itself),
        cmocka_unit_test(a_network_without_times),
        cmocka_unit_test(no_sum_wraps),
        cmocka_unit_test(no_gap_wraps),
        cmocka_unit_test(ways),
        cmocka_unit_test(hops_are_shortest_ways),
        cmocka_unit_test(random_traffic),
        cmocka_unit_test(out_of_order),
        cmocka_unit_test(a_large_chip),
        cmocka_unit_test(what_is_over_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
