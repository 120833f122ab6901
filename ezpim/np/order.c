/* SPDX-License-Identifier: MIT
 * What depends on the order of elements: prefix sums, and sorted lines. */
#include "ezpim/np/functions.h"

static const struct np_value none = {.kind = NP_ERROR};
static const struct mpu_type one_bit = {TYPE_UINT, 1}, byte = {TYPE_UINT, 8},
                             truth = {TYPE_BOOL, 1};

/* ---- prefix sums ---- */

struct np_value np_cumsum(struct np_unit *u, const struct np_args *a) {
    struct array_ref *x = np_need_array(u, &a->items[0], a->name);
    struct mpu_type type, from;
    uint32_t axis = 0;
    if (!x || !np_sum_type(u, a, x, &type))
        return none;
    from = array_is_bool(x->type) ? one_bit : x->type;
    if (a->items[1].kind == NP_NONE)
        x = np_lined(u, x, a->at);
    else if (!np_axis(u, &a->items[1], x->ndim, &axis))
        return none;
    if (x && from.bits > type.bits) {
        x = np_cast(u, x, type, a->at);
        from = type;
    }
    if (!x || !np_readable(u, x, a->at))
        return none;
    return np_array_value(array_cumulated(&u->arrays, x, axis, from, type, a->at), a->at);
}

/* ---- sorted lines ---- */

struct np_value np_sort(struct np_unit *u, const struct np_args *a) {
    struct array_ref *x = np_need_array(u, &a->items[0], a->name);
    if (!x)
        return none;
    struct np_value last = np_int_value(-1, a->items[0].at);
    const struct np_value *v = &a->items[1];
    uint32_t axis = 0;
    bool is_truth = array_is_bool(x->type);
    if (v->kind == NP_NONE && np_is_written(a, 1))
        x = np_lined(u, x, a->at);
    else if (!np_axis(u, v->kind == NP_NONE ? &last : v, x->ndim, &axis))
        return none;
    if (x && is_truth)
        x = np_cast(u, x, byte, a->at);
    x = x && np_readable(u, x, a->at) ? array_sorted(&u->arrays, x, axis, a->at) : NULL;
    if (x && is_truth)
        x = np_cast(u, x, truth, a->at);
    return np_array_value(x, a->at);
}
