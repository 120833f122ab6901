/* SPDX-License-Identifier: MIT
 * A table of constants, indexed by a value of each lane: a tree of selections over the bits of the
 * index.  Bit k chooses between halves of 2^k entries; halves that are equal need no selection. */
#ifndef EZPIM_ARRAY_SELECT_H
#define EZPIM_ARRAY_SELECT_H

#include "ezpim/ir_build.h"

/* Entry x mod 2^k of the table for an index x, k the least with 2^k >= count; what the table lacks
 * of 2^k entries is 0. */
struct array_table {
    const uint64_t *entries; /* patterns of type.bits bits */
    uint32_t count;          /* from 1 */
    struct mpu_type type;
};

/* What an index can be: a value of that type, whose pattern is not above `last`.  Entries that it
 * cannot name cost nothing. */
struct array_index {
    struct mpu_type type;
    uint64_t last;
};

/* How many selections the tree has. */
uint32_t array_select_size(const struct array_table *table, struct array_index index);
/* The entry that the virtual register `index` names, in dst or (IR_NONE) in a new virtual register.
 * dst is written last, so that it may be the index. */
uint32_t array_select(struct ir_builder *builder, const struct array_table *table,
                      struct array_index array_index, uint32_t index, uint32_t dst, struct span at);

#endif
