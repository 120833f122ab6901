/* SPDX-License-Identifier: MIT
 * The reference itself, against cases worked out by hand: slots, sections, buffers, C, queues and
 * the port with micro-ops that are made up, and whole bodies on racer, where the emulator has to
 * come to the same number.  A cycle of the front end is 1 ns, one of the datapath 3 ns. */
#include "tests/elastic/rig.h"

#include "machines/plane/link/plane.h"
#include "support/alloc.h"

#include <string.h>

#define NS UINT64_C(1000)

static int set_up(void **state) {
    struct rig *r = xcalloc(1, sizeof *r);
    rig_open(r, "racer", NULL, 0);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    rig_close(*state);
    free(*state);
    return 0;
}

/* ---- micro-ops ---- */

#define NO_PLANE  PLANE(PLANE_NONE, 0, 0)
#define BUF(s, c) PLANE(PLANE_BUFFER, s, c)
#define C_PLANE   PLANE(PLANE_C, 0, 0)
#define M_PLANE   PLANE(PLANE_M, 0, 0)
#define PLAIN(s)                                                                                   \
    { .section = (s), .predicate = NO_PLANE }
#define READS(s, p)                                                                                \
    {                                                                                              \
        .section = (s), .predicate = NO_PLANE, .nsrc = 1, .src = { p }                             \
    }
#define WRITES(s, p)                                                                               \
    {                                                                                              \
        .section = (s), .predicate = NO_PLANE, .ndst = 1, .dst = { p }                             \
    }
#define FORWARDED(s, by)                                                                           \
    { .section = (s), .predicate = NO_PLANE, .pipelined = 1, .forwarded = (by) }

struct played {
    struct ref_schedule s;
    uint64_t issued_ps, done_ps;
};

static void begin(struct played *x, const struct rig *r, uint32_t queue, struct ref_port *port) {
    *x = (struct played){0};
    ref_schedule_open(&x->s, r->target, queue, port, 0);
}

static bool issue(struct played *x, const struct uop *uops, size_t count) {
    return ref_schedule_issue(&x->s, uops, count, &x->issued_ps, &x->done_ps);
}
#define ISSUE(x, ...)                                                                              \
    issue(x, (const struct uop[]){__VA_ARGS__},                                                    \
          sizeof((const struct uop[]){__VA_ARGS__}) / sizeof(struct uop))

static void expect_start(const struct played *x, unsigned section, size_t place, uint64_t ns) {
    assert_true(place < x->s.starts[section].len);
    assert_int_equal(x->s.starts[section].data[place], ns * NS);
}

static void expect_end(struct played *x, uint64_t issued_ns, uint64_t done_ns) {
    assert_int_equal(x->issued_ps, issued_ns * NS);
    assert_int_equal(x->done_ps, done_ns * NS);
    ref_schedule_close(&x->s);
}

/* Three sections: slots end at 1, 2 and 3 ns. */
static void each_micro_op_has_a_slot(void **state) {
    struct played x;
    begin(&x, *state, 16, NULL);
    assert_true(ISSUE(&x, PLAIN(0), PLAIN(1), PLAIN(2)));
    expect_start(&x, 0, 0, 1);
    expect_start(&x, 1, 0, 2);
    expect_start(&x, 2, 0, 3);
    expect_end(&x, 3, 6);
}

static void a_section_does_one_at_a_time(void **state) {
    struct played x;
    begin(&x, *state, 16, NULL);
    assert_true(ISSUE(&x, PLAIN(0), PLAIN(0), PLAIN(1), PLAIN(0)));
    expect_start(&x, 0, 1, 4);
    expect_start(&x, 1, 0, 3);
    expect_start(&x, 0, 2, 7);
    expect_end(&x, 4, 10);
}

/* One slot for all of them; each begins a period after the one that it comes from. */
static void what_is_forwarded_has_no_slot(void **state) {
    struct played x;
    begin(&x, *state, 16, NULL);
    assert_true(ISSUE(&x, PLAIN(0), FORWARDED(1, 1), FORWARDED(2, 1)));
    expect_start(&x, 1, 0, 4);
    expect_start(&x, 2, 0, 7);
    assert_true(ISSUE(&x, PLAIN(0), FORWARDED(1, 1), FORWARDED(2, 1)));
    expect_start(&x, 0, 1, 4);
    expect_start(&x, 1, 1, 7);
    expect_start(&x, 2, 1, 10);
    expect_end(&x, 2, 13);
}

/* The second carry is written when the first one has been read, by a micro-op that stands behind it
 * in the list: 1..4 written, 4..7 read, 7..10 written.  The next instruction writes the buffer when
 * the second one has been read, and so at 13. */
static void a_carry_waits_for_its_readers(void **state) {
    struct played x;
    begin(&x, *state, 16, NULL);
    assert_true(ISSUE(&x, WRITES(0, BUF(1, 0)), WRITES(0, BUF(1, 1)), READS(1, BUF(1, 0)),
                      READS(1, BUF(1, 1))));
    expect_start(&x, 0, 0, 1);
    expect_start(&x, 1, 0, 4);
    expect_start(&x, 0, 1, 7);
    expect_start(&x, 1, 1, 10);
    assert_true(ISSUE(&x, WRITES(0, BUF(1, 0)), READS(1, BUF(1, 0))));
    expect_start(&x, 0, 2, 13);
    expect_start(&x, 1, 2, 16);
    expect_end(&x, 6, 19);
}

/* Buffers of the other direction, and of other sections, have nothing to do with it. */
static void other_buffers_do_not_wait(void **state) {
    struct played x;
    begin(&x, *state, 16, NULL);
    assert_true(ISSUE(&x, WRITES(0, BUF(1, 0)), WRITES(2, BUF(1, 1 << 8)), WRITES(3, BUF(4, 0)),
                      READS(1, BUF(1, 0))));
    expect_start(&x, 2, 0, 2);
    expect_start(&x, 3, 0, 3);
    expect_start(&x, 1, 0, 4);
    expect_end(&x, 4, 7);
}

/* C is read by two instructions before it is written again: 1..4 written, read from 4 on in
 * sections 1 and 2, 7..10 written.  M is read as a predicate. */
static void c_and_m_are_kept_between_instructions(void **state) {
    struct played x;
    const struct uop gated = {.section = 4, .predicate = M_PLANE};
    begin(&x, *state, 16, NULL);
    assert_true(ISSUE(&x, WRITES(0, C_PLANE)));
    assert_true(ISSUE(&x, READS(1, C_PLANE)));
    assert_true(ISSUE(&x, READS(2, C_PLANE)));
    assert_true(ISSUE(&x, WRITES(3, C_PLANE), WRITES(5, M_PLANE)));
    assert_true(issue(&x, &gated, 1));
    expect_start(&x, 1, 0, 4);
    expect_start(&x, 2, 0, 4);
    expect_start(&x, 3, 0, 7);
    expect_start(&x, 5, 0, 5);
    expect_start(&x, 4, 0, 8);
    expect_end(&x, 6, 11);
}

/* A queue of one: the third slot begins when the first micro-op has begun, at 1 and so at once; the
 * fourth when the second has, at 4; the fifth at 7. */
static void a_full_queue_holds_the_issue(void **state) {
    struct played x;
    begin(&x, *state, 1, NULL);
    assert_true(ISSUE(&x, PLAIN(0), PLAIN(0), PLAIN(0), PLAIN(0), PLAIN(0)));
    expect_end(&x, 8, 16);
}

/* Those that are forwarded stand in no queue: the second and the third micro-op that are issued to
 * section 1 have room, and the fourth waits until the second has begun. */
static void forwarded_ones_take_no_places(void **state) {
    struct played x;
    begin(&x, *state, 1, NULL);
    assert_true(ISSUE(&x, PLAIN(0), FORWARDED(1, 1), PLAIN(1), PLAIN(1), PLAIN(1)));
    expect_start(&x, 1, 0, 4);
    expect_start(&x, 1, 1, 7);
    expect_start(&x, 1, 2, 10);
    expect_start(&x, 1, 3, 13);
    expect_end(&x, 8, 16); /* the last slot begins at 7 */
}

/* The second carry waits for a reader whose slot would come after that of a third micro-op, which
 * has to wait until the second has begun. */
static void a_queue_may_be_too_small(void **state) {
    const struct uop uops[] = {WRITES(0, BUF(1, 0)), WRITES(0, BUF(1, 1)), PLAIN(0),
                               READS(1, BUF(1, 0)), READS(1, BUF(1, 1))};
    struct played x;
    begin(&x, *state, 0, NULL);
    assert_false(issue(&x, uops, 5));
    ref_schedule_close(&x.s);
    begin(&x, *state, 1, NULL);
    assert_true(issue(&x, uops, 5));
    ref_schedule_close(&x.s);
}

/* Two carries that are read by one micro-op can never both be there. */
static void one_buffer_may_be_too_few(void **state) {
    const struct uop both = {
        .section = 1, .predicate = NO_PLANE, .nsrc = 2, .src = {BUF(1, 0), BUF(1, 1)}};
    struct played x;
    begin(&x, *state, 16, NULL);
    assert_false(ISSUE(&x, WRITES(0, BUF(1, 0)), WRITES(0, BUF(1, 1)), both));
    ref_schedule_close(&x.s);
}

/* The older batch has the port from 0 to 3 and from 5 to 6; the younger one's slots go between. */
static void slots_go_between(void **state) {
    struct ref_port port = {0};
    struct played x;
    for (uint64_t ns = 0; ns < 3; ns++)
        assert_int_equal(ref_port_take(&port, ns * NS, NS), ns * NS);
    assert_int_equal(ref_port_take(&port, 5 * NS, NS), 5 * NS);
    begin(&x, *state, 16, &port);
    assert_true(ISSUE(&x, PLAIN(0), PLAIN(1), PLAIN(2)));
    expect_start(&x, 0, 0, 4);
    expect_start(&x, 1, 0, 5);
    expect_start(&x, 2, 0, 7);
    expect_end(&x, 7, 10);
    assert_int_equal(port.busy.len, 1);
    assert_int_equal(ref_port_take(&port, 500, NS), 7 * NS);
    assert_int_equal(ref_port_take(&port, 8 * NS + 1, NS), 8 * NS + 1);
    assert_int_equal(ref_port_take(&port, 6 * NS, NS), 9 * NS + 1); /* no ns between 8 and 8.001 */
    vec_free(&port.busy);
}

/* ---- bodies ---- */

#define HEADER "        .group g[8]\nCOMPUTEG @g\n"
#define FOOTER "COMPUTE_DONE\n"

static void expect_ns(struct rig *r, const char *text, uint64_t ns) {
    struct rig_outcome x = rig_run_text(r, text);
    assert_null(x.reference.problem);
    assert_int_equal(x.reference.time_ps, ns * NS);
    assert_int_equal(x.stats.time_ps, ns * NS);
    rig_outcome_free(&x);
}

/* The header takes a slot.  Then: fetched at 1, slot until 2. */
static void an_empty_body(void **state) {
    expect_ns(*state, HEADER FOOTER, 1 + 2);
}

/* Fetched at 1, 2, 3 and 4, each slot over a cycle later. */
static void fetching_runs_ahead(void **state) {
    expect_ns(*state, HEADER "NOP\nNOP\nNOP\n" FOOTER, 1 + 5);
}

/* NOP over at 2, GOTO at 3; only then the NOP at L is fetched, at 4, and the footer at 5. */
static void a_jump_stops_fetching(void **state) {
    expect_ns(*state, HEADER "NOP\nGOTO L\nL: NOP\n" FOOTER, 1 + 6);
}

/* REPEAT over at 2; the NOP is fetched at 3, over at 4, the end fetched at 4, over at 5; two more
 * laps of two slots; what follows is fetched at 10, over at 11. */
static void a_loop_is_fetched_once(void **state) {
    expect_ns(*state, HEADER "REPEAT 3\nNOP\nREPEAT_END\n" FOOTER, 1 + 11);
}

/* Two entries for REPEAT 0, NOP 1, NOP 2, REPEAT_END 3, DONE 4: REPEAT over at 2, NOP 1 fetched at
 * 3 and over at 4; NOP 2 takes REPEAT's entry at 4, over at 5; the end waits for NOP 1's, is
 * fetched at 5 and over at 6.  Again: NOP 1 fetched at 7, over at 8, in the entry of the end; NOP 2
 * is there, over at 9; the end waits for NOP 1 and is fetched at 9, over at 10; DONE at 11, 12. */
static void entries_wait_for_their_holders(void **state) {
    struct rig *r = *state;
    r->target->playback_entries = 2;
    expect_ns(r, HEADER "REPEAT 2\nNOP\nNOP\nREPEAT_END\n" FOOTER, 1 + 12);
    rig_reset(r);
}

/* A loop that a host has unrolled ends with no jump, and what it left in an entry holds up the
 * fetch of what follows: an entry for all.  The first NOP is fetched at 1 and over at 2; each of
 * the others is fetched when the one before is over, and over two cycles behind it, and so is the
 * footer: 200 NOPs of 2, and 2. */
static void an_unrolled_loop_holds_its_entries(void **state) {
    struct rig *r = *state;
    r->target->control = CONTROL_HOST;
    r->target->playback_entries = 1;
    expect_ns(r, HEADER "REPEAT 100\nNOP\nNOP\nREPEAT_END\n" FOOTER, 1 + 402);
    expect_ns(r, HEADER "REPEAT 100\nNOP\nREPEAT_END\n" FOOTER, 1 + 2 + 99 + 2);
    rig_reset(r);
}

/* Without a buffer each is fetched when the one before it has issued. */
static void without_a_playback_buffer(void **state) {
    struct rig *r = *state;
    r->target->playback_entries = 0;
    expect_ns(r, HEADER "NOP\nNOP\nNOP\n" FOOTER, 1 + 8);
    rig_reset(r);
}

/* Four instructions a store: the fifth, NOP 4, lies a step away and takes three cycles; so does the
 * footer behind it.  COMPUTEG is instruction 0 and not fetched: 1..3 come at 1, 2, 3, then 6, 9. */
static void far_text_comes_late(void **state) {
    struct rig *r = *state;
    r->target->instruction_store_bytes = 16;
    expect_ns(r, HEADER "NOP\nNOP\nNOP\nNOP\n" FOOTER, 1 + 10);
    rig_reset(r);
}

/* Two batches: the second is there already, a cycle after the first is over. */
static void batches_keep_the_playback_buffer(void **state) {
    expect_ns(*state, "        .group g[24]\nCOMPUTEG @g\nNOP\n" FOOTER, 3 + 3 + 1 + 2);
}

/* INIT1.1 is one micro-op in one section.  Fetched at 1, slot until 2, templates loaded, one slot
 * for the micro-op, which takes 3; the footer waits for it. */
static void a_vector_instruction(void **state) {
    struct rig *r = *state;
    struct rig_outcome x = rig_run_text(r, HEADER "INIT1.1 r0\n" FOOTER);
    uint64_t loads = x.reference.cycles.recipe;
    assert_int_equal(x.reference.cycles.compute, 1);
    rig_outcome_free(&x);
    expect_ns(r, HEADER "INIT1.1 r0\n" FOOTER, 1 + 2 + loads + 1 + 3 + 1);
    /* The second is fetched and issued meanwhile: its slot is at the end of the first one's, its
     * micro-op's behind it; it begins when the section is free. */
    expect_ns(r, HEADER "INIT1.1 r0\nINIT1.1 r0\n" FOOTER, 1 + 2 + loads + 1 + 6 + 1);
}

/* A NOP between them has a slot that nothing waits for. */
static void a_bubble_costs_nothing_behind_the_datapath(void **state) {
    struct rig *r = *state;
    struct rig_outcome x = rig_run_text(r, HEADER "INIT1.1 r0\n" FOOTER);
    uint64_t loads = x.reference.cycles.recipe;
    rig_outcome_free(&x);
    expect_ns(r, HEADER "INIT1.1 r0\nNOP\nINIT1.1 r0\n" FOOTER, 1 + 2 + loads + 1 + 6 + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_micro_op_has_a_slot),
        cmocka_unit_test(a_section_does_one_at_a_time),
        cmocka_unit_test(what_is_forwarded_has_no_slot),
        cmocka_unit_test(a_carry_waits_for_its_readers),
        cmocka_unit_test(other_buffers_do_not_wait),
        cmocka_unit_test(c_and_m_are_kept_between_instructions),
        cmocka_unit_test(a_full_queue_holds_the_issue),
        cmocka_unit_test(forwarded_ones_take_no_places),
        cmocka_unit_test(a_queue_may_be_too_small),
        cmocka_unit_test(one_buffer_may_be_too_few),
        cmocka_unit_test(slots_go_between),
        cmocka_unit_test(an_empty_body),
        cmocka_unit_test(fetching_runs_ahead),
        cmocka_unit_test(a_jump_stops_fetching),
        cmocka_unit_test(a_loop_is_fetched_once),
        cmocka_unit_test(entries_wait_for_their_holders),
        cmocka_unit_test(an_unrolled_loop_holds_its_entries),
        cmocka_unit_test(without_a_playback_buffer),
        cmocka_unit_test(far_text_comes_late),
        cmocka_unit_test(batches_keep_the_playback_buffer),
        cmocka_unit_test(a_vector_instruction),
        cmocka_unit_test(a_bubble_costs_nothing_behind_the_datapath),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
