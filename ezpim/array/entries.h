/* SPDX-License-Identifier: MIT
 * Entries of tables by an index in lanes: one LUT. */
#ifndef EZPIM_ARRAY_ENTRIES_H
#define EZPIM_ARRAY_ENTRIES_H

#include "ezpim/ir/build.h"

/* Entry x mod 2^k of the table for an index x, k the least with 2^k >= count; what the table lacks
 * of 2^k entries is 0. */
struct array_table {
    const uint64_t *entries; /* patterns of type.bits bits; NULL: those of a link-time value */
    uint32_t count;          /* 1 .. 2^16 */
    struct lane_type type;
    uint32_t link; /* the link-time value */
};

/* What an index can be: a value of that type, whose pattern is not above `last`. */
struct array_index {
    struct lane_type type;
    uint64_t last;
};

/* How many bits of the index choose among entries that are not all the same: at most 16. */
unsigned array_entry_bits(const struct array_table *table, struct array_index index);
/* The entry that the virtual register `index` names, in dst or (IR_NONE) in a new virtual register.
 * dst is written last, so that it may be the index. */
uint32_t array_entry(struct ir_builder *builder, const struct array_table *table,
                     struct array_index array_index, uint32_t index, uint32_t dst, struct span at);

#endif
