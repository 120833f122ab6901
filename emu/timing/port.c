/* SPDX-License-Identifier: MIT */
#include "emu/timing/port.h"

#include "support/saturate.h"

#include <string.h>

/* The first of the busy times that ends after `ps`. */
static size_t first_after(const struct issue_port *p, uint64_t ps) {
    size_t low = 0, high = p->busy.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->busy.data[middle].end_ps > ps)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t timing_port_find(const struct issue_port *p, uint64_t ready_ps, uint64_t length_ps) {
    uint64_t at = ready_ps;
    for (size_t i = first_after(p, ready_ps); i < p->busy.len; i++) {
        const struct busy_time *b = &p->busy.data[i];
        if (b->start_ps >= at && b->start_ps - at >= length_ps)
            break;
        at = b->end_ps > at ? b->end_ps : at;
    }
    return at;
}

void timing_port_take(struct issue_port *p, uint64_t start_ps, uint64_t length_ps) {
    struct busy_time b = {start_ps, sat_add(start_ps, length_ps)};
    if (length_ps == 0)
        return;
    size_t i = first_after(p, start_ps);
    bool before = i && p->busy.data[i - 1].end_ps == start_ps;
    bool after = i < p->busy.len && p->busy.data[i].start_ps == b.end_ps;
    if (before)
        p->busy.data[i - 1].end_ps = after ? p->busy.data[i].end_ps : b.end_ps;
    else if (after)
        p->busy.data[i].start_ps = start_ps;
    if (before == after) {
        struct busy_time *at;
        if (before) { /* two have become one */
            at = &p->busy.data[i];
            memmove(at, at + 1, (--p->busy.len - i) * sizeof *at);
        } else {
            vec_push(&p->busy, b);
            at = &p->busy.data[i];
            memmove(at + 1, at, (p->busy.len - 1 - i) * sizeof *at);
            *at = b;
        }
    }
}

void timing_port_forget(struct issue_port *p, uint64_t ps) {
    size_t gone = first_after(p, ps);
    if (gone == 0)
        return;
    p->busy.len -= gone;
    memmove(p->busy.data, p->busy.data + gone, p->busy.len * sizeof *p->busy.data);
}
