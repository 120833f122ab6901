/* SPDX-License-Identifier: MIT
 * Chosen elements of a group come first, in their order.  How many are chosen up to an element says
 * where it goes; one scatter takes all of them there. */
#ifndef EZPIM_ARRAY_COMPACT_H
#define EZPIM_ARRAY_COMPACT_H

#include "ezpim/array/prefix_sum.h"

/* Over a group of one dimension that all MPUs share. */
struct array_compact {
    uint32_t group;
    struct lane_type count; /* unsigned: of numbers of elements, all of them included */
    uint32_t room;          /* registers that it may have, 2 at least */
    uint32_t values;        /* a variable of the group: all its registers change their places */
    uint32_t length;        /* one without a group, of type `count`: gets how many are chosen */
    struct array_scan places;
};

/* Chooses where elements say whether they are chosen: in front of array_compact_run each must, in
 * the bool that array_compact_chosen is in ensembles over the group. */
void array_compact_begin(struct ir_builder *builder, struct array_compact *compact);
uint32_t array_compact_chosen(struct ir_builder *builder, const struct array_compact *compact);
/* Behind the elements that are chosen there is 0. */
void array_compact_run(struct ir_builder *builder, const struct array_compact *compact,
                       struct span at);

#endif
