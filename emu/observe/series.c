/* SPDX-License-Identifier: MIT
 * Sums of spans over intervals.  Spans may come in any order of time, so all intervals are kept
 * until the end. */
#include "emu/observe/series.h"

#include "support/alloc.h"
#include "support/saturate.h"
#include "support/str.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

/* What is summed in each interval. */
enum series_sum {
    SUM_PRECODER_PS,
    SUM_CONTROLLER_PS,
    SUM_TRANSFER_PS,
    SUM_NETWORK_PS,
    SUM_BATCHES,  /* that began */
    SUM_MESSAGES, /* that left */
    SUM_VRF_PS,   /* VRFs at work x time */
    SUM_CYCLES,
    SUM_DATAPATH_FJ,
    SUM_NETWORK_FJ,
    SERIES_SUMS
};
struct series_interval {
    uint64_t sum[SERIES_SUMS];
};

struct series {
    struct file_stream *out;
    uint64_t cycles;   /* of an interval */
    uint64_t cycle_ps; /* of the front end */
    uint64_t cycle_fj;
    uint64_t end_ps; /* of the last span */
    VEC(struct series_interval) intervals;
};

struct series *observe_series_new(const struct target *target, uint64_t cycles,
                                  struct file_stream *out) {
    struct series *s = xcalloc(1, sizeof *s);
    s->out = out;
    s->cycles = cycles;
    s->cycle_ps = target->front_end_ps ? target->front_end_ps : 1;
    s->cycle_fj = target->front_end_fj;
    return s;
}

static uint64_t length_ps(const struct series *series) {
    return sat_mul(series->cycles, series->cycle_ps);
}

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

/* Each two intervals become one. */
static void halve(struct series *series) {
    size_t n = series->intervals.len, kept = (n + 1) / 2;
    struct series_interval *all = series->intervals.data;
    for (size_t i = 0; i < kept; i++) {
        struct series_interval x = all[2 * i];
        for (unsigned k = 0; 2 * i + 1 < n && k < SERIES_SUMS; k++)
            add(&x.sum[k], all[2 * i + 1].sum[k]);
        all[i] = x;
    }
    series->intervals.len = kept;
    series->cycles = sat_mul(series->cycles, 2);
}

/* There are intervals up to the one that `ps` lies in. */
static void reach(struct series *series, uint64_t ps) {
    while (ps / length_ps(series) >= SERIES_LINES)
        halve(series);
    while (series->intervals.len <= ps / length_ps(series))
        vec_push(&series->intervals, ((struct series_interval){{0}}));
}

/* A value of a span, spread evenly over its time: each interval gets what has come by its end, less
 * what had come before, so that the parts add up to the value. */
static void spread(struct series *series, const struct timing_span *span, enum series_sum what,
                   uint64_t value) {
    uint64_t length = length_ps(series), whole = span->end_ps - span->start_ps, given = 0;
    for (uint64_t i = span->start_ps / length; given < value; i++) {
        uint64_t end = sat_mul(i + 1, length);
        uint64_t now = end >= span->end_ps ? value : sat_scale(value, end - span->start_ps, whole);
        add(&series->intervals.data[i].sum[what], now - given);
        given = now;
    }
}

static void once(struct series *series, const struct timing_span *span, enum series_sum what) {
    add(&series->intervals.data[span->start_ps / length_ps(series)].sum[what], 1);
}

static void batch(struct series *series, const struct timing_span *span) {
    uint64_t ps = span->end_ps - span->start_ps;
    if (span->vrfs)
        once(series, span, SUM_BATCHES);
    spread(series, span, SUM_VRF_PS, sat_mul(span->vrfs, ps));
    spread(series, span, SUM_DATAPATH_FJ, span->energy_fj);
}

static void message(struct series *series, const struct timing_span *span) {
    once(series, span, SUM_MESSAGES);
    spread(series, span, SUM_NETWORK_PS, span->end_ps - span->start_ps);
    spread(series, span, SUM_NETWORK_FJ, span->energy_fj);
}

void observe_series_span(void *series, const struct timing_span *span) {
    struct series *s = series;
    uint64_t ps = span->end_ps - span->start_ps;
    if (span->kind != SPAN_WORK || span->unit == UNIT_RFH || span->unit == UNIT_KERNEL ||
        span->unit == UNIT_TRACK || span->unit == UNIT_SETUP)
        return;
    s->end_ps = span->end_ps > s->end_ps ? span->end_ps : s->end_ps;
    reach(s, span->end_ps > span->start_ps ? span->end_ps - 1 : span->end_ps);
    if (span->unit == UNIT_BATCHES)
        batch(s, span);
    else if (span->unit == UNIT_NETWORK)
        message(s, span);
    else
        spread(s, span,
               span->unit == UNIT_PRECODER     ? SUM_PRECODER_PS
               : span->unit == UNIT_CONTROLLER ? SUM_CONTROLLER_PS
                                               : SUM_TRANSFER_PS,
               ps);
    spread(s, span, SUM_CYCLES, span->cycles);
}

/* ---- lines ---- */

static const char names[] =
    "interval,cycle,time_ps,duration_ps,precoder_ps,controller_ps,transfer_ps,network_ps,batches,"
    "messages,front_end_cycles,active_vrfs_milli,datapath_fj,front_end_fj,network_fj,power_nw\n";

static void field(struct str *line, uint64_t value) {
    str_char(line, ',');
    str_u64(line, value);
}

static void print(const struct series *series, size_t number, struct str *line) {
    const uint64_t *sum = series->intervals.data[number].sum;
    uint64_t begin = sat_mul(number, length_ps(series)), ps = length_ps(series);
    uint64_t front_end_fj = sat_mul(sum[SUM_CYCLES], series->cycle_fj);
    uint64_t all_fj = sat_add(sat_add(sum[SUM_DATAPATH_FJ], front_end_fj), sum[SUM_NETWORK_FJ]);
    ps = series->end_ps - begin < ps ? series->end_ps - begin : ps;
    str_u64(line, number);
    field(line, sat_mul(number, series->cycles));
    field(line, begin);
    field(line, ps);
    for (unsigned k = SUM_PRECODER_PS; k <= SUM_MESSAGES; k++)
        field(line, sum[k]);
    field(line, sum[SUM_CYCLES]);
    field(line, ps ? sat_scale(sum[SUM_VRF_PS], 1000, ps) : 0);
    field(line, sum[SUM_DATAPATH_FJ]);
    field(line, front_end_fj);
    field(line, sum[SUM_NETWORK_FJ]);
    field(line, ps ? sat_scale(all_fj, 1000000, ps) : 0);
    str_char(line, '\n');
}

void observe_series_end(struct series *series) {
    struct str line = {0};
    file_stream_write(series->out, names, sizeof names - 1);
    for (size_t i = 0; i < series->intervals.len; i++) {
        print(series, i, &line);
        file_stream_write(series->out, str_text(&line), line.len);
        str_clear(&line);
    }
    str_free(&line);
    vec_free(&series->intervals);
    free(series);
}
