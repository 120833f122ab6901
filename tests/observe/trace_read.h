/* SPDX-License-Identifier: MIT
 * The spans of a trace file, read back. */
#ifndef TESTS_OBSERVE_TRACE_READ_H
#define TESTS_OBSERVE_TRACE_READ_H

#include "support/arena.h"
#include "support/vec.h"

#include <stdint.h>

struct read_span {
    uint32_t process, thread;
    uint64_t start_ps, end_ps;
    const char *name;
};
struct read_trace {
    VEC(struct read_span) spans; /* by process, thread, start */
    uint64_t end_ps;             /* of the last */
    struct arena arena;
};

/* Fails the test if the file is no JSON, or no trace. */
void trace_read(struct read_trace *t, const char *path);
void trace_read_free(struct read_trace *t);
/* Fails the test if two spans of a track overlap, but for those of messages. */
void trace_check_tracks(const struct read_trace *t);

#endif
