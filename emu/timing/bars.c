/* SPDX-License-Identifier: MIT
 * The stretches by which instructions move the end of a batch. */
#include "emu/timing/bars.h"

#include "support/saturate.h"

static void add_note(struct bar_note *sum, const struct bar_note *more, uint64_t times) {
    sum->issue_ps = sat_add(sum->issue_ps, sat_mul(more->issue_ps, times));
    sum->section_ps = sat_add(sum->section_ps, sat_mul(more->section_ps, times));
    sum->port_ps = sat_add(sum->port_ps, sat_mul(more->port_ps, times));
    sum->cycles = sat_add(sum->cycles, sat_mul(more->cycles, times));
    sum->vrf_fj = sat_add(sum->vrf_fj, sat_mul(more->vrf_fj, times));
    sum->misses = sat_add(sum->misses, sat_mul(more->misses, times));
    sum->templates = sat_add(sum->templates, sat_mul(more->templates, times));
    sum->waiting = more->waiting > sum->waiting ? more->waiting : sum->waiting;
}

void timing_bars_note(struct bar_list *bars, const struct bar_note *note) {
    bool open = bars->list.len > bars->closed;
    if (bars->wanted)
        add_note(open ? &vec_last(&bars->list).note : &bars->early, note, 1);
}

void timing_bars_add(struct bar_list *bars, enum timing_part part, uint32_t index,
                     uint64_t begin_ps, uint64_t end_ps) {
    if (!bars->wanted || end_ps <= begin_ps)
        return;
    struct time_bar *last = bars->list.len > bars->closed ? &vec_last(&bars->list) : NULL;
    if (last && last->index == index && last->part == part && last->end_ps == begin_ps)
        last->end_ps = end_ps;
    else {
        vec_push(&bars->list, ((struct time_bar){index, part, begin_ps, end_ps, bars->early}));
        bars->early = (struct bar_note){0};
    }
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
        struct time_bar rest = {
            UINT32_MAX, TIMING_COMPUTE, from, sat_add(from, sat_mul(lap_ps, times - lap + 1)), {0}};
        for (size_t i = first; i < end; i++)
            add_note(&rest.note, &bars->list.data[i].note, times - lap + 1);
        vec_push(&bars->list, rest);
    }
    timing_bars_lap(bars);
}

struct time_bar *timing_bars_take(struct bar_list *bars, uint32_t *count) {
    struct time_bar *list = bars->list.data;
    if (bars->list.len)
        add_note(&vec_last(&bars->list).note, &bars->early, 1);
    bars->early = (struct bar_note){0};
    *count = (uint32_t)bars->list.len;
    bars->list.data = NULL;
    bars->list.len = bars->list.cap = bars->closed = 0;
    return list;
}
