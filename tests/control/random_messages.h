/* SPDX-License-Identifier: MIT
 * Random programs for several MPUs that exchange messages; and what becomes of them by a reading
 * of the ISA that lets one MPU at a time go on, lane by lane, in any order. */
#ifndef TESTS_CONTROL_RANDOM_MESSAGES_H
#define TESTS_CONTROL_RANDOM_MESSAGES_H

#include "linker/package.h"

/* The machine: 9 MPUs of 2 RFHs of 4 VRFs of 8 lanes. */
enum { NET_MPUS = 9, NET_RFHS = 2, NET_VRFS = 4, NET_LANES = 8, NET_REGS = 6 };
/* GMOVE 0 shifts r1 of group g from column to column of the grid into r3, round and round. */
enum { NET_MOVE_FROM = 1, NET_MOVE_TO = 3 };
enum { NET_PER_MPU = NET_RFHS * NET_VRFS, NET_ALL = NET_MPUS * NET_PER_MPU };

/* A linked program.  One text for all MPUs, or one for each; most go through, some cannot. */
void random_messages(uint64_t seed, struct object *o);

/* One lane holds NET_REGS registers of 16 bits, C and M. */
struct net_lane {
    uint16_t reg[NET_REGS];
    bool c, m;
};
struct net_state {
    struct net_lane lanes[NET_ALL][NET_LANES];
    bool deadlock;
    uint32_t where[NET_MPUS]; /* of each MPU that waits at the end; else NO_INDEX */
    uint64_t messages, bytes, passed, left;
    uint64_t moved, moved_bytes; /* messages that the moves came to */
};
/* From the lanes as they are given, with queues of so many messages; `order` draws who goes on. */
void net_run(struct net_state *s, const struct object *o, const struct package *p, uint32_t queue,
             uint64_t order);

#endif
