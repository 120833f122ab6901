/* SPDX-License-Identifier: MIT
 * Numbers that one word selects, and the moves of a tree of crossbars (network.intra: h-tree;
 * docs/network.md).
 *
 * Crossbars hang `fan_out` to a knot, as do knots.  A move takes a row's bits from each crossbar of
 * a range to the crossbar a fixed distance on; the step of the range is a power of the fan-out, and
 * every crossbar sends within its group of `step` neighbours.  All of them move at once. */
#ifndef MACHINES_DTC_TREE_RANGES_H
#define MACHINES_DTC_TREE_RANGES_H

#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct dtc_range {
    uint32_t first, last, step; /* step >= 1; last - first is a multiple of it */
};
typedef VEC(struct dtc_range) dtc_ranges;

static inline uint32_t dtc_range_size(struct dtc_range range) {
    return (range.last - range.first) / range.step + 1;
}
static inline bool dtc_same_range(struct dtc_range left, struct dtc_range right) {
    return left.first == right.first && left.last == right.last && left.step == right.step;
}

/* Appends ranges that together have exactly these numbers, each once, which ascend: one where one
 * will do, else as few as steps of one power of 2 allow. */
void dtc_cover(const uint32_t *numbers, size_t count, dtc_ranges *out);
/* Appends ranges whose crossbars, together exactly these, may send `distance` on: of the crossbars
 * that need groups of one size as few as steps of one power of the fan-out allow. */
void dtc_tree_moves(const uint32_t *crossbars, size_t count, int64_t distance, uint32_t fan_out,
                    dtc_ranges *out);
/* Whether all crossbars of a range may send `distance` on at once. */
bool dtc_tree_may_move(struct dtc_range range, int64_t distance, uint32_t fan_out);

#endif
