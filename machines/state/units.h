/* SPDX-License-Identifier: MIT
 * Units of a launch on several threads of the host, as if each had worked alone, one after another
 * in the order of their numbers.
 *
 * Some units at a time begin with the memory as it is, and each keeps what it writes to itself.
 * Then they take effect in their order: what a unit wrote goes to memory, unless it has read bytes
 * that one before it wrote meanwhile; such a unit works once more.  So results depend neither on
 * the number of threads nor on what they are at, whatever units read and write.  A launch that one
 * thread carries out works on the memory itself. */
#ifndef MACHINES_STATE_UNITS_H
#define MACHINES_STATE_UNITS_H

#include "machines/state/array_memory.h"
#include "support/map.h"
#include "support/pool.h"

/* The memory as one unit sees it. */
#define STATE_RECENT 32
struct state_view {
    struct state_memory *memory;
    bool direct;                              /* the memory itself, on the caller's thread */
    struct map blocks;                        /* what the unit has to do with */
    struct state_block *recent[STATE_RECENT]; /* by number */
};
/* Bytes at an address; false: no array has all of them. */
bool state_view_get(struct state_view *view, uint64_t address, void *bytes, uint64_t size);
bool state_view_put(struct state_view *view, uint64_t address, const void *bytes, uint64_t size);

struct state_units {
    struct state_memory *memory;
    struct pool *pool; /* NULL: the caller's thread alone */
    uint64_t part_ps;  /* of the host: less work than that is not worth another thread */
    uint32_t count;    /* units 0 .. count - 1 */
    void *context;
    /* Carries a unit out, on any thread; what it is to say of that it leaves at `slot`, which has
     * what another unit, or a try of the same one, left there.  False: it stopped, and those behind
     * it are not to take effect. */
    bool (*work)(void *context, uint32_t slot, uint32_t unit, struct state_view *view);
    /* The unit has taken effect, or stopped (`fine`); in the order of units, on the caller's
     * thread. False: that was all.  *host_ps: roughly what it took of a thread. */
    bool (*done)(void *context, uint32_t slot, uint32_t unit, bool fine, uint64_t *host_ps);
};

/* Slots that there have to be. */
uint32_t state_units_slots(const struct pool *pool);
/* False if not all of them took effect. */
bool state_units_run(const struct state_units *units);

#endif
