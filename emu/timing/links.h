/* SPDX-License-Identifier: MIT
 * Transfers between RFHs inside one MPU: when each pair of a transfer ensemble's header moves its
 * register (docs/network.md).  Times are ps and stop at UINT64_MAX. */
#ifndef EMU_TIMING_LINKS_H
#define EMU_TIMING_LINKS_H

#include "target/target.h"

/* RFHs are physical and below target.rfh_per_mpu; the two may be one. */
struct link_pair {
    uint32_t source, destination;
};
/* From when the source is read to when the destination has all of it. */
struct link_time {
    uint64_t start_ps, end_ps;
};
struct links_cost {
    uint64_t start_ps;    /* when the controller begins */
    uint64_t setup_ps;    /* of each pair, one pair at a time, before the first moves anything; 0
                             for a MEMCPY whose pairs are set up */
    uint64_t register_ps; /* one register through a link or a port */
};

/* The network of one MPU; it holds room to work in and no state. */
struct links;
struct links *links_new(const struct target *t);
void links_free(struct links *l);
/* One MEMCPY of `count` pairs in the order of the header.  Fills times[count], unless it is NULL,
 * and returns when all is done. */
uint64_t links_schedule(struct links *l, const struct link_pair *pairs, size_t count,
                        const struct links_cost *cost, struct link_time *times);

#endif
