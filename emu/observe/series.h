/* SPDX-License-Identifier: MIT
 * What a run did over time: the spans of all units, summed over intervals of so many front-end
 * cycles, as CSV (docs/trace.md). */
#ifndef EMU_OBSERVE_SERIES_H
#define EMU_OBSERVE_SERIES_H

#include "emu/timing/span.h"
#include "support/file.h"
#include "target/target.h"

struct series;

/* The most lines: when a run has more intervals, each two neighbours become one. */
#define SERIES_LINES ((size_t)1 << 20)

/* Intervals of `cycles`, which is above 0; the stream outlives the series. */
struct series *observe_series_new(const struct target *target, uint64_t cycles,
                                  struct file_stream *out);
/* config.span of the control path; the context is the series.  What a span has is spread evenly
 * over its time, and none of it is lost: columns add up to the run's. */
void observe_series_span(void *series, const struct timing_span *span);
/* Writes all lines and releases the series; the stream is still open. */
void observe_series_end(struct series *series);

#endif
