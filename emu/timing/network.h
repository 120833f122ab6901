/* SPDX-License-Identifier: MIT
 * The network on the chip, between MPUs: when a message leaves and arrives (docs/network.md).
 * Virtual cut-through: the first flit goes on as soon as the next link is free, and each link of
 * the way is held until all flits have passed.  A message that waits for a link does so in the
 * router before it, and holds nothing else.  Times are ps, energy fJ; all sums stop at UINT64_MAX.
 */
#ifndef EMU_TIMING_NETWORK_H
#define EMU_TIMING_NETWORK_H

#include "target/target.h"

/* A router's links to its neighbours, and the two between it and its own MPU. */
enum noc_direction { NOC_RIGHT, NOC_LEFT, NOC_DOWN, NOC_UP, NOC_IN, NOC_OUT, NOC_DIRECTIONS };

struct noc_trip {
    uint64_t start_ps;   /* the first flit leaves the sender */
    uint64_t left_ps;    /* the last flit has left it */
    uint64_t arrival_ps; /* the last flit is at the receiver */
    uint64_t wait_ps;    /* time of the trip spent waiting for links that others hold */
    uint64_t energy_fj;
    uint32_t hops; /* target_hops */
};

/* One link that has carried something. */
struct noc_link {
    uint32_t router; /* from there: row * columns + column, which is also the MPU's number */
    enum noc_direction direction;
    uint64_t messages, busy_ps, wait_ps; /* wait_ps: of messages, for this link */
};

struct noc_stats {
    uint64_t messages, bytes, flits, hops;
    uint64_t wait_ps, energy_fj; /* of all messages */
    uint64_t busy_ps;            /* of all links, those between a router and its MPU included */
    struct noc_link most_loaded; /* by busy_ps, the first by router and direction of several */
    uint64_t links;              /* that carried something */
};

/* A link is held by a message of `source` from start_ps to end_ps. */
struct noc_hold {
    uint32_t router, source;
    enum noc_direction direction;
    uint64_t start_ps, end_ps;
};
typedef void noc_watcher(void *context, const struct noc_hold *hold);

struct noc;
/* Memory is proportional to the links in use and to the messages under way. */
struct noc *timing_noc_open(const struct target *target);
void timing_noc_close(struct noc *noc);
/* Sends `bytes` of data that are ready at ready_ps; MPUs are below target.mpus.  A reservation
 * never delays an earlier one, so callers reserve in the order of ready_ps, at equal times the
 * lower MPU first; messages of one MPU never pass one another.  A ready_ps before that of an
 * earlier call is allowed, but links may no longer know that they were free then.  From an MPU to
 * itself takes no time. */
struct noc_trip timing_noc_reserve(struct noc *noc, uint32_t from, uint32_t to, uint64_t bytes,
                                   uint64_t ready_ps);
struct noc_stats timing_noc_stats(const struct noc *noc);
/* Link number `index` in the order of first use, index < timing_noc_stats().links. */
struct noc_link timing_noc_link(const struct noc *noc, size_t index);
/* Called for each link that a message is going to hold, in the order of its way; NULL ends it. */
void timing_noc_watch(struct noc *noc, noc_watcher *watcher, void *context);

#endif
