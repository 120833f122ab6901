/* SPDX-License-Identifier: MIT */
#include "tests/observe/trace_read.h"

#include "tests/observe/command.h"
#include "tests/observe/json_check.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Threads from here on are messages under way (emu/observe/trace.c). */
#define FIRST_MESSAGE_THREAD (1u << 28)

static void read_line(struct read_trace *t, const char *line) {
    struct read_span s;
    uint64_t us, ps, long_us, long_ps;
    int digits[4];
    if (strncmp(line, "{\"ph\":\"M\",", 10) == 0)
        return;
    int n = sscanf(line,
                   "{\"ph\":\"X\",\"pid\":%" SCNu32 ",\"tid\":%" SCNu32 ",\"ts\":%" SCNu64
                   ".%n%6" SCNu64 "%n,\"dur\":%" SCNu64 ".%n%6" SCNu64 "%n,\"name\":\"%63[^\"]",
                   &s.process, &s.thread, &us, &digits[0], &ps, &digits[1], &long_us, &digits[2],
                   &long_ps, &digits[3], s.name);
    if (n != 7 || digits[1] - digits[0] != 6 || digits[3] - digits[2] != 6)
        fail_msg("no event: %.200s", line);
    s.start_ps = us * 1000000 + ps;
    s.end_ps = s.start_ps + long_us * 1000000 + long_ps;
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
    *t = (struct read_trace){.text = read_whole(path, &size)};
    assert_true(json_is_valid(t->text, size));
    const char *line = strchr(t->text, '\n');
    assert_non_null(line);
    for (char *next; *++line != ']'; line = next) {
        next = strchr(line, '\n');
        assert_non_null(next);
        *next = '\0'; /* what sscanf reads ends here */
        read_line(t, line);
    }
    if (t->spans.len)
        qsort(t->spans.data, t->spans.len, sizeof *t->spans.data, by_track);
}

void trace_read_free(struct read_trace *t) {
    vec_free(&t->spans);
    free(t->text);
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
