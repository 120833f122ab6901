/* SPDX-License-Identifier: MIT
 * Groups over elements along an axis: their extents, and what is left at the end. */
#include "ezpim/array/view.h"

static const struct extent one = {NO_INDEX, 1};

struct extent array_ceil_div(struct ir_builder *b, struct extent x, uint64_t y) {
    x = ir_extent(b, DERIVE_ADD, x, (struct extent){NO_INDEX, y - 1});
    return ir_extent(b, DERIVE_DIV, x, (struct extent){NO_INDEX, y});
}

/* The product of own extents first .. last - 1. */
static struct extent product(struct ir_builder *b, const struct group *g, uint32_t first,
                             uint32_t last) {
    struct extent x = one;
    for (uint32_t d = first; d < last; d++)
        x = x.size == NO_INDEX && x.value == 1 ? g->extent[d]
                                               : ir_extent(b, DERIVE_MUL, x, g->extent[d]);
    return x;
}

struct array_view array_view(struct ir_builder *b, uint32_t group, uint32_t axis) {
    const struct group *g = &b->p->groups.data[group];
    struct array_view v = {.base = group, .lead = ir_group_dims(b->p, group) - g->ndim};
    if (axis == ARRAY_ALL) {
        v.along = product(b, g, 0, g->ndim);
        return v;
    }
    v.along = g->extent[axis];
    v.has_outer = axis > 0;
    v.has_inner = axis + 1 < g->ndim;
    v.outer = product(b, g, 0, axis);
    v.inner = product(b, g, axis + 1, g->ndim);
    return v;
}

static uint32_t group_of(struct ir_builder *b, const struct array_view *v,
                         const struct extent *along) {
    struct extent extents[GROUP_MAX_DIMS];
    uint32_t n = 0;
    if (v->has_outer)
        extents[n++] = v->outer;
    if (along)
        extents[n++] = *along;
    if (v->has_inner)
        extents[n++] = v->inner;
    if (n == 0)
        extents[n++] = one;
    return ir_group_like(b, v->base, n, extents);
}

uint32_t array_view_group(struct ir_builder *b, const struct array_view *v, struct extent along) {
    return group_of(b, v, &along);
}

static uint32_t lines_of(struct ir_builder *b, const struct array_view *v, struct extent along,
                         const struct extent *parts) {
    struct extent extents[GROUP_MAX_DIMS];
    uint32_t n = 0;
    extents[n++] = v->has_outer ? ir_extent(b, DERIVE_MUL, v->outer, along) : along;
    if (parts)
        extents[n++] = *parts;
    if (v->has_inner)
        extents[n++] = v->inner;
    return ir_group_like(b, v->base, n, extents);
}

uint32_t array_view_lines(struct ir_builder *b, const struct array_view *v, struct extent along) {
    return lines_of(b, v, along, NULL);
}

uint32_t array_view_blocks(struct ir_builder *b, const struct array_view *v, struct extent blocks,
                           struct extent parts) {
    return lines_of(b, v, blocks, &parts);
}

uint32_t array_view_rest(struct ir_builder *b, const struct array_view *v) {
    return group_of(b, v, NULL);
}
