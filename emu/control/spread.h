/* SPDX-License-Identifier: MIT
 * Dividing runs among the host's threads.
 *
 * The bits of a run are computed at once for all VRFs that stand at it, in parts that go to a pool
 * of threads if there is enough to do; what the run costs is charged afterwards, strand by strand.
 * So nothing that is counted, printed or compared is ever touched by two threads, and results do
 * not depend on how many there are. */
#ifndef EMU_CONTROL_SPREAD_H
#define EMU_CONTROL_SPREAD_H

#include "machines/datapath.h"
#include "support/pool.h"
#include "support/vec.h"

/* The least work of a part.  A thread that sleeps needs about 25 us to wake (measured on a virtual
 * machine of two busy cores), so that a run gains from two such parts.  A part that no thread has
 * begun by then is done by the caller itself. */
#define SPREAD_PART_PS UINT64_C(50000000)

struct spread {
    struct pool *pool; /* NULL: one thread */
    uint64_t part_ps;  /* the least work of a part */
    VEC(struct vrf_range) joined;
    VEC(struct vrf_range) ranges; /* of all parts */
    VEC(size_t) starts;           /* part i: ranges starts[i] .. starts[i + 1] - 1 */
};

/* `threads`: the caller's among them; 0 is 1.  `part_ps`: 0 is SPREAD_PART_PS. */
void control_spread_open(struct spread *spread, unsigned threads, uint64_t part_ps);
void control_spread_close(struct spread *spread);
/* Executes code on all VRFs of the set, in parts if that pays.  For code whose cost depends on the
 * lanes that are enabled, their number in each stretch is added to lanes[stretches]; else NULL and
 * 0. */
void control_spread_execute(struct spread *spread, struct datapath *dp, const struct dp_code *code,
                            uint64_t host_ps, struct vrf_set set, uint64_t *lanes,
                            uint32_t stretches);

/* Code to be executed on a whole set, and its outcome. */
struct spread_job {
    const struct dp_code *code;
    struct vrf_set set;
    uint64_t host_ps;
    struct dp_outcome *out;
};
/* Executes jobs whose sets have no VRF in common, at the same time if that pays; else one after
 * another, where the machine may have its own parts of each go to the pool. */
void control_spread_jobs(struct spread *spread, struct datapath *dp, const struct spread_job *jobs,
                         size_t count);

/* Adds to the set that is being joined; all sets that are added have no VRF in common. */
void control_spread_join(struct spread *spread, struct vrf_set set);
/* The set that was joined since the last call; valid until the next. */
struct vrf_set control_spread_joined(struct spread *spread);
/* Cuts a set into at most `parts` of about the same size, at multiples of the grain. */
void control_spread_cut(struct spread *spread, struct vrf_set set, uint32_t grain, size_t parts);

#endif
