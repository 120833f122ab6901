/* SPDX-License-Identifier: MIT
 * Groups over some of the elements along an axis: their extents, and what is left over at the end.
 */
#include "ezpim/array/view.h"

static const struct extent one = {NO_INDEX, 1};

struct extent array_ceil_div(struct ir_builder *builder, struct extent extent, uint64_t y) {
    extent = ir_extent(builder, DERIVE_ADD, extent, (struct extent){NO_INDEX, y - 1});
    return ir_extent(builder, DERIVE_DIV, extent, (struct extent){NO_INDEX, y});
}

/* The product of own extents first .. last - 1. */
static struct extent product(struct ir_builder *builder, const struct group *group, uint32_t first,
                             uint32_t last) {
    struct extent x = one;
    for (uint32_t d = first; d < last; d++)
        x = x.size == NO_INDEX && x.value == 1
                ? group->extent[d]
                : ir_extent(builder, DERIVE_MUL, x, group->extent[d]);
    return x;
}

struct array_view array_view(struct ir_builder *builder, uint32_t group, uint32_t axis) {
    const struct group *g = &builder->p->groups.data[group];
    struct array_view v = {.base = group, .lead = ir_group_dims(builder->p, group) - g->ndim};
    if (axis == ARRAY_ALL) {
        v.along = product(builder, g, 0, g->ndim);
        return v;
    }
    v.along = g->extent[axis];
    v.has_outer = axis > 0;
    v.has_inner = axis + 1 < g->ndim;
    v.outer = product(builder, g, 0, axis);
    v.inner = product(builder, g, axis + 1, g->ndim);
    return v;
}

static uint32_t group_of(struct ir_builder *builder, const struct array_view *view,
                         const struct extent *along) {
    struct extent extents[GROUP_MAX_DIMS];
    uint32_t n = 0;
    if (view->has_outer)
        extents[n++] = view->outer;
    if (along)
        extents[n++] = *along;
    if (view->has_inner)
        extents[n++] = view->inner;
    if (n == 0)
        extents[n++] = one;
    return ir_group_like(builder, view->base, n, extents);
}

uint32_t array_view_group(struct ir_builder *builder, const struct array_view *view,
                          struct extent along) {
    return group_of(builder, view, &along);
}

static uint32_t lines_of(struct ir_builder *builder, const struct array_view *view,
                         struct extent along, const struct extent *parts) {
    struct extent extents[GROUP_MAX_DIMS];
    uint32_t n = 0;
    extents[n++] = view->has_outer ? ir_extent(builder, DERIVE_MUL, view->outer, along) : along;
    if (parts)
        extents[n++] = *parts;
    if (view->has_inner)
        extents[n++] = view->inner;
    return ir_group_like(builder, view->base, n, extents);
}

uint32_t array_view_lines(struct ir_builder *builder, const struct array_view *view,
                          struct extent along) {
    return lines_of(builder, view, along, NULL);
}

uint32_t array_view_blocks(struct ir_builder *builder, const struct array_view *view,
                           struct extent blocks, struct extent parts) {
    return lines_of(builder, view, blocks, &parts);
}

uint32_t array_view_rest(struct ir_builder *builder, const struct array_view *view) {
    return group_of(builder, view, NULL);
}
