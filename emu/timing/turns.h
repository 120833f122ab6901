/* SPDX-License-Identifier: MIT
 * Which of many comes first: each number has a time, and the lowest number of those with the least
 * time is first. */
#ifndef EMU_TIMING_TURNS_H
#define EMU_TIMING_TURNS_H

#include <stdint.h>

/* A tournament.  Number i begins at node leaves + i; of nodes 2 k and 2 k + 1 the earlier one goes
 * to node k; so node 1 has the first of all. */
struct turn_tree {
    uint64_t *ps;    /* [leaves]; TURN_NEVER: it does not take part */
    uint32_t *first; /* [2 * leaves] */
    uint32_t leaves; /* a power of two */
};
#define TURN_NEVER UINT64_MAX

/* Nobody of `count` takes part. */
void timing_turns_open(struct turn_tree *tree, uint32_t count);
void timing_turns_close(struct turn_tree *tree);
void timing_turns_set(struct turn_tree *tree, uint32_t number, uint64_t ps);
/* The number that is first; its ps is TURN_NEVER if nobody takes part. */
static inline uint32_t turns_first(const struct turn_tree *tree) {
    return tree->first[1];
}

#endif
