/* SPDX-License-Identifier: MIT
 * Which stretch of a batch's time each instruction takes, for traces that draw it. */
#ifndef EMU_TIMING_BARS_H
#define EMU_TIMING_BARS_H

#include "emu/timing/parts.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* What stands beside a bar: of its own instruction, and of those behind it that moved no end
 * because their work was hidden under it. */
struct bar_note {
    /* Of the bar, where its part is TIMING_COMPUTE: slots of the front end, and what these waited
     * for, a section or the port that controllers share.  In the rest micro-ops that had been
     * issued came to their end. */
    uint64_t issue_ps, section_ps, port_ps;
    uint64_t cycles;            /* of the front end: those of all bars are the batch's */
    uint64_t vrf_fj;            /* of micro-ops in one VRF, all of its lanes enabled */
    uint64_t misses, templates; /* recipes that the table did not hold, what was loaded for them */
    uint64_t waiting; /* the most micro-ops that had been issued and had not begun at the end of an
                         instruction's last slot */
};

/* From begin_ps to end_ps, counted since the batch began: the stretch by which an instruction moved
 * the end of its batch. */
struct time_bar {
    uint32_t index;        /* in the text; NO_INDEX: further laps like those before */
    enum timing_part part; /* that did */
    uint64_t begin_ps, end_ps;
    struct bar_note note;
};

/* Bars ascend and do not overlap; together they are the batch from its begin to its end. */
struct bar_list {
    bool wanted; /* else nothing is kept */
    VEC(struct time_bar) list;
    size_t closed;         /* bars before it get no longer, nor anything beside them */
    struct bar_note early; /* told before there was a bar behind `closed` */
};

/* Laps that are repeated without being followed again are drawn one by one until a batch has so
 * many bars; the rest of them is one bar. */
#define BARS_MOST 65536

/* The only way to add a bar; begin_ps is where the last one ends. */
void timing_bars_add(struct bar_list *bars, enum timing_part part, uint32_t index,
                     uint64_t begin_ps, uint64_t end_ps);
/* Stands beside the last bar, or beside the next where that belongs to another lap. */
void timing_bars_note(struct bar_list *bars, const struct bar_note *note);
/* What comes next belongs to another lap; returns how many bars there are so far. */
size_t timing_bars_lap(struct bar_list *bars);
/* Adds the lap of bars `first` .. len - 1, which takes lap_ps, `times` more times. */
void timing_bars_repeat(struct bar_list *bars, size_t first, uint64_t lap_ps, uint64_t times);
/* The list, which is the caller's from then on. */
struct time_bar *timing_bars_take(struct bar_list *bars, uint32_t *count);

#endif
