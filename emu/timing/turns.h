/* SPDX-License-Identifier: MIT
 * Who of many is the first: times by number, and the lowest number of those with the least time. */
#ifndef EMU_TIMING_TURNS_H
#define EMU_TIMING_TURNS_H

#include <stdint.h>

/* A tournament: node 1 has the first of all, nodes 2 k and 2 k + 1 play for node k, and number i
 * begins at node leaves + i. */
struct turn_tree {
    uint64_t *ps;    /* [leaves]; TURN_NEVER: it does not take part */
    uint32_t *first; /* [2 * leaves] */
    uint32_t leaves; /* a power of two */
};
#define TURN_NEVER UINT64_MAX

/* Nobody of `count` takes part. */
void timing_turns_open(struct turn_tree *t, uint32_t count);
void timing_turns_close(struct turn_tree *t);
void timing_turns_set(struct turn_tree *t, uint32_t number, uint64_t ps);
/* ps[number] is TURN_NEVER if nobody takes part. */
static inline uint32_t turns_first(const struct turn_tree *t) {
    return t->first[1];
}

#endif
