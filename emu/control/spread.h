/* SPDX-License-Identifier: MIT
 * Runs on the host's threads.
 *
 * The bits of a run are made for all VRFs that stand at it at once, in parts that go to a pool of
 * threads where there is enough to do; what it costs is charged afterwards, strand by strand.  So
 * nothing that is counted, printed or compared is ever touched by two threads, and results do not
 * depend on how many there are. */
#ifndef EMU_CONTROL_SPREAD_H
#define EMU_CONTROL_SPREAD_H

#include "machines/datapath.h"
#include "support/pool.h"
#include "support/vec.h"

/* Work that a part has at least: a thread that sleeps needs about 25 us to come (measured on a
 * virtual machine of two busy cores), so that a run of two parts gains.  What it has not begun by
 * then, the caller does itself. */
#define SPREAD_PART_PS UINT64_C(50000000)

struct spread {
    struct pool *pool; /* NULL: one thread */
    uint64_t part_ps;  /* the least work of a part */
    VEC(struct vrf_range) joined;
    VEC(struct vrf_range) ranges; /* of all parts */
    VEC(size_t) starts;           /* part i: ranges starts[i] .. starts[i + 1] - 1 */
};

/* `threads`: with the caller's; 0 is 1.  `part_ps`: 0 is SPREAD_PART_PS. */
void control_spread_open(struct spread *s, unsigned threads, uint64_t part_ps);
void control_spread_close(struct spread *s);
/* Code on all VRFs of the set, in parts if that pays.  `lanes` [stretches]: for code whose cost
 * depends on the lanes enabled, added to; else NULL and 0. */
void control_spread_execute(struct spread *s, struct datapath *dp, const struct dp_code *code,
                            uint64_t host_ps, struct vrf_set set, uint64_t *lanes,
                            uint32_t stretches);

/* Code on a set, which is not cut, and what it said. */
struct spread_job {
    const struct dp_code *code;
    struct vrf_set set;
    uint64_t host_ps;
    struct dp_outcome *out;
};
/* Jobs whose sets have no VRF in common, side by side if that pays. */
void control_spread_jobs(struct spread *s, struct datapath *dp, const struct spread_job *jobs,
                         size_t count);

/* Adds to the set that is being joined; sets of one join have no VRF in common. */
void control_spread_join(struct spread *s, struct vrf_set set);
/* What was joined since the last call, until the next. */
struct vrf_set control_spread_joined(struct spread *s);
/* Cuts a set into at most `parts` of about the same size, at multiples of the grain. */
void control_spread_cut(struct spread *s, struct vrf_set set, uint32_t grain, size_t parts);

#endif
