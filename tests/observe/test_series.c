/* SPDX-License-Identifier: MIT
 * Series by hand: what spans have goes to the intervals that they lie in, and none of it is lost;
 * bars of a batch whose laps were followed once. */
#include "emu/observe/series.h"

#include "emu/observe/trace.h"
#include "emu/timing/bars.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int take_bytes(void *context, const void *bytes, size_t size) {
    str_append_n(context, bytes, size);
    return 0;
}

/* Front-end cycles of 10 ps and 7 fJ. */
struct written {
    struct target target;
    struct str text;
    struct file_stream *out;
    struct series *series;
};

static void begin(struct written *w, uint64_t cycles) {
    *w = (struct written){.target = {.front_end_ps = 10, .front_end_fj = 7}};
    w->out = file_stream_call(take_bytes, &w->text);
    w->series = observe_series_new(&w->target, cycles, w->out);
}

static const char *end(struct written *w) {
    observe_series_end(w->series);
    assert_true(file_stream_close(w->out));
    return str_text(&w->text);
}

static void span(struct written *w, enum timing_unit unit, uint64_t start, uint64_t stop,
                 uint32_t vrfs, uint64_t cycles, uint64_t fj) {
    const struct timing_span s = {.unit = unit,
                                  .start_ps = start,
                                  .end_ps = stop,
                                  .vrfs = vrfs,
                                  .cycles = cycles,
                                  .energy_fj = fj};
    observe_series_span(w->series, &s);
}

/* Intervals of 100 ps: a batch from 50 to 250 with 3 VRFs, 10 cycles and 9 fJ; before it, in the
 * file behind it, a header; a message without a length. */
static void by_hand(void **state) {
    struct written w;
    (void)state;
    begin(&w, 10);
    span(&w, UNIT_BATCHES, 50, 250, 3, 10, 9);
    span(&w, UNIT_PRECODER, 0, 50, 0, 5, 0);
    span(&w, UNIT_CONTROLLER, 50, 250, 0, 0, 0);
    span(&w, UNIT_RFH, 50, 250, 0, 0, 0);
    span(&w, UNIT_NETWORK, 120, 120, 0, 0, 4);
    assert_string_equal(
        strchr(end(&w), '\n') + 1,
        /* number, cycle, from, length, precoder, controller, transfers, messages under way, batches
         * and messages that began, cycles, VRFs, three energies, power */
        "0,0,0,100,50,50,0,0,1,0,7,1500,2,49,0,510000\n"
        "1,10,100,100,0,100,0,0,0,1,5,3000,4,35,4,430000\n"
        "2,20,200,50,0,50,0,0,0,0,3,3000,3,21,0,480000\n");
    str_free(&w.text);
}

/* A run of three times as many intervals as there may be lines: four of them become one. */
static void halved(void **state) {
    struct written w;
    (void)state;
    begin(&w, 1);
    span(&w, UNIT_PRECODER, 0, 10, 0, 1, 0);
    uint64_t all = 3 * (uint64_t)SERIES_LINES;
    span(&w, UNIT_BATCHES, 10, all * 10, 1, all - 1, 0);
    const char *text = end(&w), *line = strchr(text, '\n') + 1;
    size_t lines = 0;
    uint64_t cycles = 0;
    assert_int_equal(strncmp(line, "0,0,0,40,10,", 12), 0);
    assert_int_equal(strncmp(strchr(line, '\n') + 1, "1,4,40,40,", 10), 0);
    for (; *line; line = strchr(line, '\n') + 1, lines++) {
        const char *at = line;
        for (int i = 0; i < 10; i++)
            at = strchr(at, ',') + 1;
        cycles += strtoull(at, NULL, 10);
    }
    assert_int_equal(lines, all / 4);
    assert_int_equal(cycles, all);
    str_free(&w.text);
}

/* ---- bars ---- */

static void neighbours_are_one(void **state) {
    struct bar_list b = {.wanted = true};
    uint32_t count;
    (void)state;
    timing_bars_add(&b, TIMING_FETCH, 1, 0, 5);
    timing_bars_add(&b, TIMING_FETCH, 1, 5, 7);
    timing_bars_add(&b, TIMING_COMPUTE, 1, 7, 9);
    timing_bars_add(&b, TIMING_COMPUTE, 2, 9, 9); /* moved nothing */
    assert_int_equal(timing_bars_lap(&b), 2);
    timing_bars_add(&b, TIMING_COMPUTE, 1, 9, 12); /* of another lap */
    struct time_bar *bars = timing_bars_take(&b, &count);
    assert_int_equal(count, 3);
    assert_int_equal(bars[0].end_ps, 7);
    assert_int_equal(bars[2].begin_ps, 9);
    free(bars);
    b.wanted = false;
    timing_bars_add(&b, TIMING_COMPUTE, 1, 12, 13);
    assert_null(timing_bars_take(&b, &count));
    assert_int_equal(count, 0);
}

/* Laps of two bars and 10 ps behind one of 3: as many as there is room for, and then one bar. */
static void laps(uint64_t times) {
    struct bar_list b = {.wanted = true};
    uint32_t count;
    timing_bars_add(&b, TIMING_FETCH, 1, 0, 3);
    size_t first = timing_bars_lap(&b);
    timing_bars_add(&b, TIMING_COMPUTE, 2, 3, 9);
    timing_bars_add(&b, TIMING_DECODE, 3, 9, 13);
    timing_bars_lap(&b);
    timing_bars_repeat(&b, first, 10, times);
    timing_bars_add(&b, TIMING_DECODE, 4, 13 + 10 * times, 14 + 10 * times);
    struct time_bar *bars = timing_bars_take(&b, &count);
    bool all = 3 + 2 * times <= BARS_MOST;
    assert_int_equal(count, all ? 4 + 2 * times : BARS_MOST + 1);
    for (uint32_t i = 1; i < count; i++)
        assert_int_equal(bars[i].begin_ps, bars[i - 1].end_ps);
    assert_int_equal(bars[count - 1].end_ps, 14 + 10 * times);
    assert_true((bars[count - 2].index == UINT32_MAX) == !all);
    free(bars);
}

static void laps_that_go_on(void **state) {
    (void)state;
    laps(1);
    laps(7);
    laps((BARS_MOST - 3) / 2);
    laps((BARS_MOST - 3) / 2 + 1);
    laps(1000000000);
}

/* ---- the most bars of a trace ---- */

static int count_bars(void *context, const void *bytes, size_t size) {
    size_t *counts = context;
    for (const char *at = bytes, *last = at + size; at < last; at++) {
        counts[0] += *at == 'X' && at + 1 < last; /* "ph":"X" */
        counts[1] += last - at > 7 && memcmp(at, "no bars", 7) == 0;
    }
    return 0;
}

static void a_million_bars(void **state) {
    (void)state;
    struct object program = {0};
    struct package package = {0};
    struct target target = {.name = "t"};
    size_t counts[2] = {0, 0};
    struct file_stream *out = file_stream_call(count_bars, counts);
    struct trace *t = observe_trace_new(&program, &package, &target, NULL, out);
    struct timing_span s = {
        .unit = UNIT_BATCHES, .kind = SPAN_BAR, .index = UINT32_MAX, .batch = UINT32_MAX};
    for (uint64_t i = 0; i < TRACE_BARS + 5; i++, s.start_ps = s.end_ps) {
        s.end_ps = s.start_ps + 1;
        observe_trace_span(t, &s);
    }
    observe_trace_end(t);
    assert_true(file_stream_close(out));
    assert_int_equal(counts[0], TRACE_BARS);
    assert_int_equal(counts[1], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(halved),
        cmocka_unit_test(neighbours_are_one),
        cmocka_unit_test(laps_that_go_on),
        cmocka_unit_test(a_million_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
