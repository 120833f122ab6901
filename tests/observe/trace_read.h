/* SPDX-License-Identifier: MIT
 * The spans of a trace file, read back. */
#ifndef TESTS_OBSERVE_TRACE_READ_H
#define TESTS_OBSERVE_TRACE_READ_H

#include "support/vec.h"

#include <stdint.h>

struct read_span {
    uint32_t process, thread;
    uint64_t start_ps, end_ps;
    char name[64];
};
struct read_trace {
    VEC(struct read_span) spans; /* by process, thread, start */
    uint64_t end_ps;             /* of the last */
    char *text;
};

/* Fails the test if the file is no JSON, or has a line that is no event. */
void trace_read(struct read_trace *t, const char *path);
void trace_read_free(struct read_trace *t);
/* Fails the test if two spans of a track overlap, but for those of messages. */
void trace_check_tracks(const struct read_trace *t);

#endif
