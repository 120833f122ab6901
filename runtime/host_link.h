/* SPDX-License-Identifier: MIT
 * What a transfer over the host's link takes, for sessions and devices. */
#ifndef RUNTIME_HOST_LINK_H
#define RUNTIME_HOST_LINK_H

#include "emu/report/report.h"
#include "target/host.h"

/* Adds one put or get of these bytes to what went over the link.  planes: elements are turned into
 * planes or back. */
void session_link_charge(const struct target *target, struct report_host *host, enum host_way way,
                         const struct host_slice *slices, size_t count, bool planes);
/* That of bytes of the machine's memory: a piece of a buffer. */
static inline void session_link_charge_memory(const struct target *target, struct report_host *host,
                                              enum host_way way, uint64_t bytes) {
    session_link_charge(target, host, way, &(const struct host_slice){0, bytes}, 1, false);
}

#endif
