/* SPDX-License-Identifier: MIT
 * A trace for Perfetto and chrome://tracing: the spans of all units as trace-event JSON
 * (docs/trace.md).  It is written as it comes: how much of the host's memory it takes depends on
 * the program's text and the number of units, not on the length of the run. */
#ifndef EMU_OBSERVE_TRACE_H
#define EMU_OBSERVE_TRACE_H

#include "emu/timing/span.h"
#include "machines/datapath.h"
#include "linker/package.h"
#include "support/file.h"
#include "target/target.h"

struct trace;

/* The most bars of instructions in a trace: bars would make it as long as the log of a run. */
#define TRACE_BARS SPAN_MOST_BARS

/* Program, package, target, stream and the machine's tables outlive it (NULL: a machine without
 * tracks). */
struct trace *observe_trace_new(const struct object *program, const struct package *package,
                                const struct target *target, const struct dp_tables *tables,
                                struct file_stream *out);
/* config.span of the control path; the context is the trace. */
void observe_trace_span(void *trace, const struct timing_span *span);
/* Writes the end and releases the trace; the stream is still open. */
void observe_trace_end(struct trace *trace);

#endif
