/* SPDX-License-Identifier: MIT
 * The stretches of time that are taken, ascending and without overlap; those that nobody can ask
 * for any more are forgotten. */
#include "emu/timing/port.h"

#include "support/saturate.h"

#include <string.h>

/* The first of the busy times that ends after `ps`. */
static size_t first_after(const struct issue_port *port, uint64_t ps) {
    size_t low = 0, high = port->busy.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (port->busy.data[middle].end_ps > ps)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t timing_port_find(const struct issue_port *port, uint64_t ready_ps, uint64_t length_ps) {
    uint64_t at = ready_ps;
    for (size_t i = first_after(port, ready_ps); i < port->busy.len; i++) {
        const struct busy_time *b = &port->busy.data[i];
        if (b->start_ps >= at && b->start_ps - at >= length_ps)
            break;
        at = b->end_ps > at ? b->end_ps : at;
    }
    return at;
}

void timing_port_take(struct issue_port *port, uint64_t start_ps, uint64_t length_ps) {
    struct busy_time b = {start_ps, sat_add(start_ps, length_ps)};
    if (length_ps == 0)
        return;
    size_t i = first_after(port, start_ps);
    bool before = i && port->busy.data[i - 1].end_ps == start_ps;
    bool after = i < port->busy.len && port->busy.data[i].start_ps == b.end_ps;
    if (before)
        port->busy.data[i - 1].end_ps = after ? port->busy.data[i].end_ps : b.end_ps;
    else if (after)
        port->busy.data[i].start_ps = start_ps;
    if (before == after) {
        struct busy_time *at;
        if (before) { /* two have become one */
            at = &port->busy.data[i];
            memmove(at, at + 1, (--port->busy.len - i) * sizeof *at);
        } else {
            vec_push(&port->busy, b);
            at = &port->busy.data[i];
            memmove(at + 1, at, (port->busy.len - 1 - i) * sizeof *at);
            *at = b;
        }
    }
}

void timing_port_forget(struct issue_port *port, uint64_t ps) {
    size_t gone = first_after(port, ps);
    if (gone == 0)
        return;
    port->busy.len -= gone;
    memmove(port->busy.data, port->busy.data + gone, port->busy.len * sizeof *port->busy.data);
}
