/* SPDX-License-Identifier: MIT
 * Ascending order by a bitonic network: n elements are padded to 2^k with the largest value of the
 * type.  Level l makes sorted blocks of 2^l of sorted halves: each element of a block is compared
 * with the one as far from the other end of the block, and then with those 2^(l-2), 2^(l-3) .. 1
 * away.  A stage is one GMOVE and one selection: R(elements) k (k + 1) / 2 registers are moved.
 */
#ifndef EZPIM_ARRAY_SORT_H
#define EZPIM_ARRAY_SORT_H

#include "ezpim/array/fold.h"

/* Levels of a size are all in the text; there are no more. */
enum { ARRAY_MOST_LEVELS_OF_SIZES = 20 };

/* Variables of groups of the same extents, of numbers of one sign; `to` is at least as wide, and
 * may be `from`. */
struct array_sort {
    struct array_value from, to;
    uint32_t axis; /* of the group's own coordinates, or ARRAY_ALL: of each MPU all elements */
    /* On whose VRFs lines are sorted: a group of the same extents; NO_INDEX: that of `to`. */
    uint32_t base;
};

/* How many levels there are, at most: more than ARRAY_MOST_LEVELS_OF_SIZES of numbers alone. */
unsigned array_sort_levels(uint64_t most_elements);
void array_sort(struct ir_builder *builder, const struct array_sort *sort, struct span at);

#endif
