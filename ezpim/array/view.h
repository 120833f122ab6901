/* SPDX-License-Identifier: MIT
 * The elements of a group along one of its axes, and groups on its VRFs with fewer elements: what
 * folds, scans and products are made of.  Nothing here knows a front end. */
#ifndef EZPIM_ARRAY_VIEW_H
#define EZPIM_ARRAY_VIEW_H

#include "ezpim/ir/build.h"

/* Uses of hidden variables (ir_hidden), from these on. */
enum {
    ARRAY_USE_SCAN = 0x1000,
    ARRAY_USE_COMPACT = 0x1800,
    ARRAY_USE_SORT = 0x2000,
    ARRAY_USE_PRODUCT = 0x3000,
    ARRAY_USE_FOLD = 0x4000,
    ARRAY_USE_HELD = 0x8000
};

#define ARRAY_ALL UINT32_MAX

/* The coordinates of a group in up to three parts, row by row: those in front of the axis, the
 * axis, those behind it.  Coordinates of the array of MPUs stand in front of all, `lead` of them.
 */
struct array_view {
    uint32_t base, lead;
    bool has_outer, has_inner;
    struct extent outer, along, inner;
};
/* axis: of the group's own coordinates, or ARRAY_ALL: all elements, row by row. */
struct array_view array_view(struct ir_builder *builder, uint32_t group, uint32_t axis);
/* The axis among the coordinates of a group of the view. */
static inline uint32_t array_view_axis(const struct array_view *view) {
    return view->lead + view->has_outer;
}
/* The group on the same VRFs with so many elements along the axis. */
uint32_t array_view_group(struct ir_builder *builder, const struct array_view *view,
                          struct extent along);
/* Two others with the same elements in the same order, where the view has so many along the axis:
 * all lines along it one behind the other, and these cut into blocks of `parts` elements (then
 * along = blocks * parts).  The place in the line, or that of the block, is coordinate `lead`; that
 * in the block is the next one. */
uint32_t array_view_lines(struct ir_builder *builder, const struct array_view *view,
                          struct extent along);
uint32_t array_view_blocks(struct ir_builder *builder, const struct array_view *view,
                           struct extent blocks, struct extent parts);
/* The same without the axis, whose place the coordinates behind it take; where there is no other,
 * one of extent 1. */
uint32_t array_view_rest(struct ir_builder *builder, const struct array_view *view);

/* ceil(extent / y). */
struct extent array_ceil_div(struct ir_builder *builder, struct extent extent, uint64_t y);

#endif
