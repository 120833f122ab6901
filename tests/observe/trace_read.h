/* SPDX-License-Identifier: MIT
 * The spans of a trace file, read back. */
#ifndef TESTS_OBSERVE_TRACE_READ_H
#define TESTS_OBSERVE_TRACE_READ_H

#include "support/arena.h"
#include "support/json_read.h"
#include "support/vec.h"

#include <stdint.h>

struct read_span {
    uint32_t process, thread;
    uint64_t start_ps, end_ps;
    const char *name;
    const struct json_value *args; /* as they stand in the file */
};
/* An arrow, or a value of a counter. */
struct read_point {
    char kind; /* of the event: 's', 'f', 'C' */
    uint32_t process, thread;
    uint64_t ps, id;
    const char *name;
    double value; /* of a counter */
};
struct read_trace {
    VEC(struct read_span) spans;   /* by process, thread, start; what lies in another, behind it */
    VEC(struct read_point) points; /* in the order of the file */
    uint64_t end_ps;               /* of the last */
    struct arena arena;
};

/* Fails the test if the file is no JSON, or no trace. */
void trace_read(struct read_trace *t, const char *path);
void trace_read_free(struct read_trace *t);
/* Fails the test if two spans of a track overlap, but for those of messages; the spans of batches
 * and of what is in them lie inside of one another. */
void trace_check_tracks(const struct read_trace *t);
/* Fails the test if an arrow begins or ends outside of all spans of its track, or ends before it
 * begins; returns how many have an end. */
size_t trace_check_arrows(const struct read_trace *t);
/* A whole number among the details of a span; false: there is none of that name. */
bool trace_argument(const struct read_span *span, const char *name, uint64_t *value);
/* Fails the test if a counter goes back in time, or does not end with 0; returns the most that one
 * of that name has. */
double trace_check_counters(const struct read_trace *t, const char *name);

#endif
