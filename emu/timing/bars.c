/* SPDX-License-Identifier: MIT
 * The stretches by which instructions move the end of a batch. */
#include "emu/timing/bars.h"

#include "support/saturate.h"

void timing_bars_add(struct bar_list *bars, enum timing_part part, uint32_t index,
                     uint64_t begin_ps, uint64_t end_ps) {
    if (!bars->wanted || end_ps <= begin_ps)
        return;
    struct time_bar *last = bars->list.len > bars->closed ? &vec_last(&bars->list) : NULL;
    if (last && last->index == index && last->part == part && last->end_ps == begin_ps)
        last->end_ps = end_ps;
    else
        vec_push(&bars->list, ((struct time_bar){index, part, begin_ps, end_ps}));
}

size_t timing_bars_lap(struct bar_list *bars) {
    bars->closed = bars->list.len;
    return bars->closed;
}

void timing_bars_repeat(struct bar_list *bars, size_t first, uint64_t lap_ps, uint64_t times) {
    size_t end = bars->list.len, each = end - first;
    uint64_t lap = 1;
    for (; each && lap <= times && bars->list.len + each <= BARS_MOST; lap++)
        for (size_t i = first; i < end; i++) {
            struct time_bar x = bars->list.data[i];
            x.begin_ps = sat_add(x.begin_ps, sat_mul(lap_ps, lap));
            x.end_ps = sat_add(x.end_ps, sat_mul(lap_ps, lap));
            vec_push(&bars->list, x);
        }
    if (each && lap <= times) {
        uint64_t from = vec_last(&bars->list).end_ps;
        vec_push(&bars->list, ((struct time_bar){UINT32_MAX, TIMING_COMPUTE, from,
                                                 sat_add(from, sat_mul(lap_ps, times - lap + 1))}));
    }
    timing_bars_lap(bars);
}

struct time_bar *timing_bars_take(struct bar_list *bars, uint32_t *count) {
    struct time_bar *list = bars->list.data;
    *count = (uint32_t)bars->list.len;
    bars->list.data = NULL;
    bars->list.len = bars->list.cap = bars->closed = 0;
    return list;
}
