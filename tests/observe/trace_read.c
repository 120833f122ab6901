/* SPDX-License-Identifier: MIT */
#include "tests/observe/trace_read.h"

#include "support/json_read.h"
#include "tests/observe/command.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Threads of batches, with the bars of what is in them. */
#define FIRST_BATCH_THREAD (1u << 9)
#define BATCH_THREADS_END  (1u << 16)
/* Threads from here on are messages under way (emu/observe/trace.c). */
#define FIRST_MESSAGE_THREAD (1u << 28)

/* "12.345678" microseconds. */
static uint64_t picoseconds(const struct json_value *event, const char *key) {
    const struct json_value *time = json_member(event, key);
    unsigned long long us = 0, ps = 0;
    char rest;
    assert_non_null(time);
    assert_int_equal(time->kind, JSON_NUMBER);
    const char *point = strchr(time->text, '.');
    if (!point || strlen(point) != 7 || sscanf(time->text, "%llu.%llu%c", &us, &ps, &rest) != 2)
        fail_msg("%s is %s", key, time->text);
    return us * 1000000 + ps;
}

static uint32_t number(const struct json_value *event, const char *key) {
    const struct json_value *x = json_member(event, key);
    assert_true(x && x->whole && x->number <= UINT32_MAX);
    return (uint32_t)x->number;
}

static void read_point(struct read_trace *t, const struct json_value *event, char kind) {
    struct read_point x = {.kind = kind,
                           .process = number(event, "pid"),
                           .thread = number(event, "tid"),
                           .ps = picoseconds(event, "ts"),
                           .name = json_member_text(event, "name")};
    const struct json_value *values = json_member(event, "args");
    if (kind == 'C')
        x.value = strtod(values->first->text, NULL);
    else
        x.id = number(event, "id");
    vec_push(&t->points, x);
}

static void read_event(struct read_trace *t, const struct json_value *event) {
    const char *kind = json_member_text(event, "ph"), *name = json_member_text(event, "name");
    struct read_span s = {.process = number(event, "pid"), .name = name};
    assert_true(kind && name && json_member(event, "args"));
    if (strcmp(kind, "M") == 0)
        return;
    if (strchr("sfC", kind[0])) {
        read_point(t, event, kind[0]);
        return;
    }
    assert_string_equal(kind, "X");
    s.args = json_member(event, "args");
    s.thread = number(event, "tid");
    s.start_ps = picoseconds(event, "ts");
    s.end_ps = s.start_ps + picoseconds(event, "dur");
    t->end_ps = s.end_ps > t->end_ps ? s.end_ps : t->end_ps;
    vec_push(&t->spans, s);
}

static bool is_nested(const struct read_span *span) {
    return span->thread >= FIRST_BATCH_THREAD && span->thread < BATCH_THREADS_END;
}

static int by_track(const void *x, const void *y) {
    const struct read_span *a = x, *b = y;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    int later = (a->end_ps > b->end_ps) - (a->end_ps < b->end_ps);
    return is_nested(a) ? -later : later;
}

void trace_read(struct read_trace *t, const char *path) {
    size_t size;
    char *text = read_whole(path, &size);
    struct diag *d = diag_new(NULL, NULL);
    *t = (struct read_trace){.end_ps = 0};
    const struct json_value *all = json_read(text, size, 0, &t->arena, d);
    if (!all)
        fail_msg("%s: %s", path, diag_first(d));
    const struct json_value *events = json_member(all, "traceEvents");
    assert_true(events && events->kind == JSON_ARRAY);
    for (const struct json_value *e = events->first; e; e = e->next)
        read_event(t, e);
    if (t->spans.len)
        qsort(t->spans.data, t->spans.len, sizeof *t->spans.data, by_track);
    diag_free(d);
    free(text);
}

void trace_read_free(struct read_trace *t) {
    vec_free(&t->spans);
    vec_free(&t->points);
    arena_free(&t->arena);
}

static bool same_track(const struct read_span *a, const struct read_span *b) {
    return a->process == b->process && a->thread == b->thread;
}

static void overlap(const struct read_span *a, const struct read_span *b) {
    fail_msg("process %u, thread %u: '%s' ends at %" PRIu64 ", '%s' begins at %" PRIu64,
             (unsigned)a->process, (unsigned)a->thread, a->name, a->end_ps, b->name, b->start_ps);
}

/* Spans that are open at the place where the walk is: each in the one before. */
struct open_spans {
    VEC(const struct read_span *) list;
};

static void nest(struct open_spans *open, const struct read_span *s) {
    while (open->list.len && vec_last(&open->list)->end_ps <= s->start_ps)
        open->list.len--;
    if (open->list.len && vec_last(&open->list)->end_ps < s->end_ps)
        overlap(vec_last(&open->list), s);
    vec_push(&open->list, s);
}

void trace_check_tracks(const struct read_trace *t) {
    struct open_spans open = {0};
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *b = &t->spans.data[i], *a = b - (i > 0);
        bool same = i && same_track(a, b);
        if (!same)
            open.list.len = 0;
        if (is_nested(b))
            nest(&open, b);
        else if (same && a->thread < FIRST_MESSAGE_THREAD && b->start_ps < a->end_ps)
            overlap(a, b);
    }
    vec_free(&open.list);
}

static bool in_a_span(const struct read_trace *t, const struct read_point *x) {
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *s = &t->spans.data[i];
        if (s->process == x->process && s->thread == x->thread && s->start_ps <= x->ps &&
            s->end_ps >= x->ps)
            return true;
    }
    return false;
}

bool trace_argument(const struct read_span *span, const char *name, uint64_t *value) {
    const struct json_value *x = json_member(span->args, name);
    if (!x)
        return false;
    assert_true(x->whole);
    *value = x->number;
    return true;
}

static const struct read_point *begin_of(const struct read_trace *t, uint64_t id) {
    for (size_t i = 0; i < t->points.len; i++)
        if (t->points.data[i].kind == 's' && t->points.data[i].id == id)
            return &t->points.data[i];
    return NULL;
}

size_t trace_check_arrows(const struct read_trace *t) {
    size_t ends = 0;
    for (size_t i = 0; i < t->points.len; i++) {
        const struct read_point *x = &t->points.data[i];
        const struct read_point *begin = x->kind == 'f' ? begin_of(t, x->id) : NULL;
        if (x->kind == 'C')
            continue;
        if (!in_a_span(t, x))
            fail_msg("arrow %" PRIu64 " at %" PRIu64 " ps lies in no span", x->id, x->ps);
        if (x->kind == 'f' && (!begin || begin->ps > x->ps))
            fail_msg("arrow %" PRIu64 " ends at %" PRIu64 " ps before it begins", x->id, x->ps);
        ends += x->kind == 'f';
    }
    return ends;
}

/* The next value of the same counter; NULL: it was the last. */
static const struct read_point *next_value(const struct read_trace *t, const struct read_point *x) {
    for (const struct read_point *y = x + 1; y < t->points.data + t->points.len; y++)
        if (y->kind == 'C' && y->process == x->process && y->thread == x->thread &&
            strcmp(y->name, x->name) == 0)
            return y;
    return NULL;
}

double trace_check_counters(const struct read_trace *t, const char *name) {
    double most = 0;
    for (size_t i = 0; i < t->points.len; i++) {
        const struct read_point *x = &t->points.data[i], *next;
        if (x->kind != 'C' || strcmp(x->name, name) != 0)
            continue;
        next = next_value(t, x);
        if (next ? next->ps < x->ps : x->value != 0)
            fail_msg("%s is %f at %" PRIu64 " ps, then comes %" PRIu64 " ps", name, x->value, x->ps,
                     next ? next->ps : 0);
        most = x->value > most ? x->value : most;
    }
    return most;
}
