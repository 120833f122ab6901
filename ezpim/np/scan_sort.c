/* SPDX-License-Identifier: MIT
 * What depends on the order of elements: prefix sums, and sorted lines. */
#include "ezpim/np/functions.h"

static const struct np_value none = {.kind = NP_ERROR};
static const struct lane_type byte = {TYPE_UINT, 8}, truth = {TYPE_BOOL, 1};

/* ---- prefix sums ---- */

struct np_value np_cumsum(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_any_array(unit, &args->items[0], args->name);
    struct lane_type type, from;
    uint32_t axis = 0;
    const uint64_t nothing = 0;
    if (!x || !np_sum_type(unit, args, x, &type))
        return none;
    if (np_is_empty(x))
        return np_array_value(args->items[1].kind == NP_NONE
                                  ? np_empty(unit, type, 1, &nothing, args->at)
                                  : np_empty(unit, type, x->ndim, x->shape, args->at),
                              args->at);
    if (args->items[1].kind == NP_NONE)
        x = np_lined(unit, x, args->at);
    else if (!np_axis(unit, &args->items[1], x->ndim, &axis))
        return none;
    x = x ? np_summands(unit, x, type, &from, args->at) : NULL;
    if (!x || !np_readable(unit, x, args->at))
        return none;
    return np_array_value(array_cumulated(&unit->arrays, x, axis, from, type, args->at), args->at);
}

/* ---- sorted lines ---- */

struct np_value np_sort(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_need_array(unit, &args->items[0], args->name);
    if (!x)
        return none;
    struct np_value last = np_int_value(-1, args->items[0].at);
    const struct np_value *v = &args->items[1];
    uint32_t axis = 0;
    bool is_truth = array_is_bool(x->type);
    if (v->kind == NP_NONE && np_is_written(args, 1))
        x = np_lined(unit, x, args->at);
    else if (!np_axis(unit, v->kind == NP_NONE ? &last : v, x->ndim, &axis))
        return none;
    if (x && is_truth)
        x = np_cast(unit, x, byte, args->at);
    x = x && np_readable(unit, x, args->at) ? array_sorted(&unit->arrays, x, axis, args->at) : NULL;
    if (x && is_truth)
        x = np_cast(unit, x, truth, args->at);
    return np_array_value(x, args->at);
}
