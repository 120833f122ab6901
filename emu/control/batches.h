/* SPDX-License-Identifier: MIT
 * Which VRFs of an MPU work at once. */
#ifndef EMU_CONTROL_BATCHES_H
#define EMU_CONTROL_BATCHES_H

#include <stdbool.h>
#include <stdint.h>

/* The VRFs of one MPU that a header names. */
struct batch_maker {
    const uint32_t *vrfs; /* [count], ascending */
    uint32_t count;
    uint32_t rfh_per_mpu;
    uint32_t active; /* VRFs of an RFH that may work at once; 0: all */
    /* One word says which VRFs work, a range of them (dp_tables.selects), and what works at once
     * are those of one word.  Of all numbers up to `active` that one is taken with which batches
     * are the fewest ranges, and each of these is a batch: so more at once is never slower. */
    bool by_range;
};

/* batch[i] is that of vrfs[i]: the VRFs of an RFH stand in its queue in order of their numbers, and
 * the first of all queues work at once, then the next.  Returns how many batches there are beyond
 * those: ranges that were cut off. */
uint32_t control_batches_make(const struct batch_maker *maker, uint32_t *batch);

#endif
