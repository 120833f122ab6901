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

/* Threads from here on are messages under way (emu/observe/trace.c). */
#define FIRST_MESSAGE_THREAD (1u << 28)

/* "12.345678" microseconds. */
static uint64_t picoseconds(const struct json_value *event, const char *key) {
    const struct json_value *time = json_member(event, key);
    unsigned long long us, ps;
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

static void read_event(struct read_trace *t, const struct json_value *event) {
    const char *kind = json_member_text(event, "ph"), *name = json_member_text(event, "name");
    struct read_span s = {.process = number(event, "pid"), .name = name};
    assert_true(kind && name && json_member(event, "args"));
    if (strcmp(kind, "M") == 0)
        return;
    assert_string_equal(kind, "X");
    s.thread = number(event, "tid");
    s.start_ps = picoseconds(event, "ts");
    s.end_ps = s.start_ps + picoseconds(event, "dur");
    t->end_ps = s.end_ps > t->end_ps ? s.end_ps : t->end_ps;
    vec_push(&t->spans, s);
}

static int by_track(const void *x, const void *y) {
    const struct read_span *a = x, *b = y;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return (a->end_ps > b->end_ps) - (a->end_ps < b->end_ps);
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
    arena_free(&t->arena);
}

void trace_check_tracks(const struct read_trace *t) {
    for (size_t i = 1; i < t->spans.len; i++) {
        const struct read_span *a = &t->spans.data[i - 1], *b = &t->spans.data[i];
        bool same = a->process == b->process && a->thread == b->thread;
        if (same && a->thread < FIRST_MESSAGE_THREAD && b->start_ps < a->end_ps)
            fail_msg("process %u, thread %u: '%s' ends at %" PRIu64 ", '%s' begins at %" PRIu64,
                     (unsigned)a->process, (unsigned)a->thread, a->name, a->end_ps, b->name,
                     b->start_ps);
    }
}
