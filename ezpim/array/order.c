/* SPDX-License-Identifier: MIT
 * Sorted lines, elements that a mask chooses, and products. */
#include "ezpim/array/array.h"
#include "ezpim/array/compact.h"
#include "ezpim/array/product.h"
#include "ezpim/array/sort.h"

struct array_ref *array_sorted(struct arrays *c, const struct array_ref *x, uint32_t axis,
                               struct span at) {
    struct array_sort s = {.axis = axis, .from = {array_settle(c, x, at), 0, x->type}};
    struct array_ref *y = array_new(c, x->type, x->ndim, x->shape, at);
    s.to = (struct array_value){y->root->variable, 0, y->type};
    array_sort(&c->b, &s, at);
    y->range = x->range;
    return y;
}

struct array_ref *array_chosen(struct arrays *c, const struct array_ref *x,
                               const struct array_ref *mask, uint32_t length, struct span at) {
    static const struct mpu_type one_bit = {TYPE_UINT, 1};
    struct array_ref *y = array_new(c, x->type, 1, x->shape, at);
    struct array_compact k = {.group = array_group(c, 1, y->shape),
                              .count = array_count_type(y->shape[0]),
                              .room = 2u * c->folded,
                              .values = y->root->variable,
                              .length = length};
    array_compact_begin(&c->b, &k);
    struct array_value values = array_bring(c, x, 1, y->shape, at);
    struct array_value chosen = array_bring(c, mask, 1, y->shape, at);
    ir_begin_ensemble(&c->b, k.group, at);
    ir_convert(&c->b, ir_element(&c->b, chosen.variable, chosen.element), one_bit, one_bit,
               array_compact_chosen(&c->b, &k), at);
    ir_convert(&c->b, ir_element(&c->b, values.variable, values.element), y->type, y->type,
               ir_element(&c->b, k.values, 0), at);
    array_compact_run(&c->b, &k, at);
    return y;
}

/* The axes that are left. */
static uint32_t shape_of_product(const struct array_ref *a, const struct array_ref *b,
                                 uint64_t *shape) {
    uint32_t n = 0;
    if (a->ndim == 2)
        shape[n++] = a->shape[0];
    if (b->ndim == 2)
        shape[n++] = b->shape[1];
    return n;
}

struct array_ref *array_multiplied(struct arrays *c, const struct array_ref *a,
                                   const struct array_ref *b, struct span at) {
    struct array_product x = {.room = 2u * c->folded};
    uint64_t shape[ARRAY_DIMS];
    x.left = (struct array_value){array_settle(c, a, at), 0, a->type};
    x.right = (struct array_value){array_settle(c, b, at), 0, b->type};
    uint32_t ndim = shape_of_product(a, b, shape);
    struct array_ref *y = array_new(c, a->type, ndim, shape, at);
    x.to = (struct array_value){y->root->variable, 0, y->type};
    array_product(&c->b, &x, at);
    return y;
}
