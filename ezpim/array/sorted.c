/* SPDX-License-Identifier: MIT
 * Sorted lines, elements that a mask chooses, and products. */
#include "ezpim/array/array.h"
#include "ezpim/array/compact.h"
#include "ezpim/array/product.h"
#include "ezpim/array/sort.h"

struct array_ref *array_sorted(struct arrays *arrays, const struct array_ref *ref, uint32_t axis,
                               struct span at) {
    struct array_sort s = {
        .axis = axis, .from = {array_settle(arrays, ref, at), 0, ref->type}, .base = NO_INDEX};
    struct array_ref *y = array_new(arrays, ref->type, ref->ndim, ref->shape, at);
    s.to = (struct array_value){y->root->variable, 0, y->type};
    array_sort(&arrays->b, &s, at);
    y->range = ref->range;
    return y;
}

struct array_ref *array_chosen(struct arrays *arrays, const struct array_ref *ref,
                               const struct array_ref *mask, uint32_t length, struct span at) {
    static const struct lane_type one_bit = {TYPE_UINT, 1};
    struct array_ref *y = array_new(arrays, ref->type, 1, ref->shape, at);
    struct array_compact k = {.group = array_group(arrays, 1, y->shape),
                              .count = array_count_type(y->shape[0]),
                              .room = 2u * arrays->folded,
                              .values = y->root->variable,
                              .length = length};
    array_compact_begin(&arrays->b, &k);
    struct array_value values = array_bring(arrays, ref, 1, y->shape, at);
    struct array_value chosen = array_bring(arrays, mask, 1, y->shape, at);
    ir_begin_ensemble(&arrays->b, k.group, at);
    ir_convert(&arrays->b, ir_element(&arrays->b, chosen.variable, chosen.element), one_bit,
               one_bit, array_compact_chosen(&arrays->b, &k), at);
    ir_convert(&arrays->b, ir_element(&arrays->b, values.variable, values.element), y->type,
               y->type, ir_element(&arrays->b, k.values, 0), at);
    array_compact_run(&arrays->b, &k, at);
    return y;
}

/* The axes that are left. */
static uint32_t shape_of_product(const struct array_ref *left, const struct array_ref *right,
                                 uint64_t *shape) {
    uint32_t n = 0;
    if (left->ndim == 2)
        shape[n++] = left->shape[0];
    if (right->ndim == 2)
        shape[n++] = right->shape[1];
    return n;
}

struct array_ref *array_multiplied(struct arrays *arrays, const struct array_ref *left,
                                   const struct array_ref *right, struct span at) {
    struct array_product x = {.room = 2u * arrays->folded};
    uint64_t shape[ARRAY_DIMS];
    x.left = (struct array_value){array_settle(arrays, left, at), 0, left->type};
    x.right = (struct array_value){array_settle(arrays, right, at), 0, right->type};
    uint32_t ndim = shape_of_product(left, right, shape);
    struct array_ref *y = array_new(arrays, left->type, ndim, shape, at);
    x.to = (struct array_value){y->root->variable, 0, y->type};
    array_product(&arrays->b, &x, at);
    return y;
}
