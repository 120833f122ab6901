/* SPDX-License-Identifier: MIT
 * Intervals double their length whenever a span ends behind the last of them, and each two become
 * one: invariant of every row is that its intervals add up to what its units were busy. */
#include "emu/observe/timeline.h"

#include "machines/datapath.h"
#include "support/alloc.h"
#include "support/json.h"
#include "support/map.h"
#include "support/saturate.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

#define ALL_MPUS UINT32_MAX

/* Rows by what they are of, and units that are counted in them. */
struct timeline_row_name {
    uint32_t mpu; /* or ALL_MPUS */
    uint32_t unit, track;
};
struct unit_name {
    uint32_t row, mpu, number;
};
struct timeline_row {
    struct timeline_row_name name;
    uint64_t units;
    uint64_t busy_ps[TIMELINE_INTERVALS];
};
struct pair_name {
    uint32_t from, to;
};
struct pair {
    struct pair_name name;
    uint64_t sent, busy_ps, energy_fj;
};

struct timeline {
    const struct dp_tables *tables;
    uint64_t interval_ps, end_ps;
    struct map row_names, unit_names, pair_names;
    VEC(struct timeline_row) rows;
    VEC(struct pair) pairs;
    uint64_t pairs_left_out;
};

struct timeline *observe_timeline_new(const struct dp_tables *tables) {
    struct timeline *t = xcalloc(1, sizeof *t);
    t->tables = tables;
    t->interval_ps = 1;
    return t;
}

void observe_timeline_free(struct timeline *timeline) {
    if (!timeline)
        return;
    map_free(&timeline->row_names);
    map_free(&timeline->unit_names);
    map_free(&timeline->pair_names);
    vec_free(&timeline->rows);
    vec_free(&timeline->pairs);
    free(timeline);
}

/* ---- spans ---- */

/* Each two intervals become one. */
static void halve(struct timeline *timeline) {
    for (size_t r = 0; r < timeline->rows.len; r++) {
        uint64_t *busy = timeline->rows.data[r].busy_ps;
        for (unsigned i = 0; i < TIMELINE_INTERVALS; i++)
            busy[i] = 2 * i + 1 < TIMELINE_INTERVALS ? sat_add(busy[2 * i], busy[2 * i + 1]) : 0;
    }
    timeline->interval_ps = sat_mul(timeline->interval_ps, 2);
}

static struct timeline_row *row_of(struct timeline *timeline, uint32_t mpu,
                                   const struct timing_span *span) {
    struct timeline_row_name name = {mpu, span->unit, span->unit == UNIT_TRACK ? span->track : 0};
    uint32_t number = map_number(&timeline->row_names, (const char *)&name, sizeof name);
    if (number == timeline->rows.len)
        vec_push(&timeline->rows, ((struct timeline_row){.name = name}));
    struct timeline_row *row = &timeline->rows.data[number];
    struct unit_name unit = {number, span->mpu, span->number};
    if (timeline->unit_names.len < TIMELINE_UNITS)
        row->units += map_put_n(&timeline->unit_names, (const char *)&unit, sizeof unit, 1);
    return row;
}

/* The parts of a span that lie in the intervals. */
static void spread(struct timeline *timeline, struct timeline_row *row,
                   const struct timing_span *span) {
    uint64_t length = timeline->interval_ps;
    for (uint64_t ps = span->start_ps; ps < span->end_ps;) {
        uint64_t i = ps / length, end = sat_mul(i + 1, length);
        end = end < span->end_ps ? end : span->end_ps;
        row->busy_ps[i] = sat_add(row->busy_ps[i], end - ps);
        ps = end;
    }
}

static void count_message(struct timeline *timeline, const struct timing_span *span) {
    struct pair_name name = {span->mpu, span->number};
    uint64_t *known = map_get_n(&timeline->pair_names, (const char *)&name, sizeof name);
    if (!known && timeline->pairs.len == TIMELINE_PAIRS) {
        timeline->pairs_left_out++;
        return;
    }
    if (!known) {
        map_put_n(&timeline->pair_names, (const char *)&name, sizeof name, timeline->pairs.len);
        vec_push(&timeline->pairs, ((struct pair){.name = name}));
    }
    struct pair *pair = &timeline->pairs.data[known ? *known : timeline->pairs.len - 1];
    pair->sent++;
    pair->busy_ps = sat_add(pair->busy_ps, span->end_ps - span->start_ps);
    pair->energy_fj = sat_add(pair->energy_fj, span->energy_fj);
}

void observe_timeline_span(void *timeline, const struct timing_span *span) {
    struct timeline *t = timeline;
    if (span->kind != SPAN_WORK || span->unit == UNIT_RFH)
        return;
    t->end_ps = span->end_ps > t->end_ps ? span->end_ps : t->end_ps;
    while (span->end_ps && (span->end_ps - 1) / t->interval_ps >= TIMELINE_INTERVALS)
        halve(t);
    if (span->unit == UNIT_NETWORK)
        count_message(t, span);
    spread(t, row_of(t, ALL_MPUS, span), span);
    if (span->mpu < TIMELINE_MPUS)
        spread(t, row_of(t, span->mpu, span), span);
}

/* ---- JSON ---- */

static const char *unit_text(const struct timeline *timeline,
                             const struct timeline_row_name *name) {
    static const char *const names[] = {
        [UNIT_PRECODER] = "precoder", [UNIT_CONTROLLER] = "controllers",
        [UNIT_BATCHES] = "batches",   [UNIT_DTC] = "data-transfer controller",
        [UNIT_NETWORK] = "messages",  [UNIT_KERNEL] = "kernels",
        [UNIT_SETUP] = "setting up",
    };
    return name->unit == UNIT_TRACK ? timeline->tables->tracks[name->track] : names[name->unit];
}

static void put_row(const struct timeline *timeline, const struct timeline_row *row,
                    struct json *json) {
    uint64_t last = timeline->end_ps ? (timeline->end_ps - 1) / timeline->interval_ps : 0;
    json_object_begin(json, NULL);
    json_string(json, "unit", unit_text(timeline, &row->name));
    if (row->name.mpu == ALL_MPUS)
        json_null(json, "mpu");
    else
        json_u64(json, "mpu", row->name.mpu);
    json_u64(json, "units", row->units);
    json_array_begin(json, "busy_ps");
    for (uint64_t i = 0; i <= last; i++)
        json_u64(json, NULL, row->busy_ps[i]);
    json_array_end(json);
    json_object_end(json);
}

static void put_pair(const struct pair *pair, struct json *json) {
    json_object_begin(json, NULL);
    json_u64(json, "from", pair->name.from);
    json_u64(json, "to", pair->name.to);
    json_u64(json, "sent", pair->sent);
    json_u64(json, "busy_ps", pair->busy_ps);
    json_u64(json, "energy_fj", pair->energy_fj);
    json_object_end(json);
}

/* All MPUs first, whose number is 0 then; by unit and track. */
static int by_name(const void *left, const void *right) {
    const struct timeline_row_name *a = &((const struct timeline_row *)left)->name,
                                   *b = &((const struct timeline_row *)right)->name;
    const uint32_t x[] = {a->mpu + 1, a->unit, a->track}, y[] = {b->mpu + 1, b->unit, b->track};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

void observe_timeline_json(const struct timeline *timeline, struct str *out) {
    struct json *json = json_new_line();
    VEC(struct timeline_row) rows = {0};
    for (size_t i = 0; i < timeline->rows.len; i++)
        vec_push(&rows, timeline->rows.data[i]);
    if (rows.len)
        qsort(rows.data, rows.len, sizeof *rows.data, by_name);
    json_object_begin(json, NULL);
    json_u64(json, "interval_ps", timeline->interval_ps);
    json_u64(json, "end_ps", timeline->end_ps);
    json_array_begin(json, "rows");
    for (size_t i = 0; i < rows.len; i++)
        put_row(timeline, &rows.data[i], json);
    json_array_end(json);
    json_array_begin(json, "messages");
    for (size_t i = 0; i < timeline->pairs.len; i++)
        put_pair(&timeline->pairs.data[i], json);
    json_array_end(json);
    json_u64(json, "pairs_left_out", timeline->pairs_left_out);
    json_object_end(json);
    json_finish(json, out);
    vec_free(&rows);
}
