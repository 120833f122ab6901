/* SPDX-License-Identifier: MIT
 * Which stretch of a batch's time each instruction takes, for traces that draw it. */
#ifndef EMU_TIMING_BARS_H
#define EMU_TIMING_BARS_H

#include "emu/timing/parts.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* From begin_ps to end_ps, counted since the batch began: the stretch by which an instruction moved
 * the end of its batch. */
struct time_bar {
    uint32_t index;        /* in the text; NO_INDEX: further laps like those before */
    enum timing_part part; /* that did */
    uint64_t begin_ps, end_ps;
};

/* Bars ascend and do not overlap; together they are the batch from its begin to its end. */
struct bar_list {
    bool wanted; /* else nothing is kept */
    VEC(struct time_bar) list;
    size_t closed; /* bars before it get no longer */
};

/* Laps that are repeated without being followed again are drawn one by one until a batch has so
 * many bars; the rest of them is one bar. */
#define BARS_MOST 65536

/* The only way to add a bar; begin_ps is where the last one ends. */
void timing_bars_add(struct bar_list *bars, enum timing_part part, uint32_t index,
                     uint64_t begin_ps, uint64_t end_ps);
/* What comes next belongs to another lap; returns how many bars there are so far. */
size_t timing_bars_lap(struct bar_list *bars);
/* Adds the lap of bars `first` .. len - 1, which takes lap_ps, `times` more times. */
void timing_bars_repeat(struct bar_list *bars, size_t first, uint64_t lap_ps, uint64_t times);
/* The list, which is the caller's from then on. */
struct time_bar *timing_bars_take(struct bar_list *bars, uint32_t *count);

#endif
