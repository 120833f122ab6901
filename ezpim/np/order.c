/* SPDX-License-Identifier: MIT
 * What depends on the order of elements: prefix sums, sorted lines, and x[mask] as a result. */
#include "ezpim/array/compact.h"
#include "ezpim/array/sort.h"
#include "ezpim/np/functions.h"

static const struct np_value none = {.kind = NP_ERROR};
static const struct mpu_type one_bit = {TYPE_UINT, 1}, byte = {TYPE_UINT, 8},
                             truth = {TYPE_BOOL, 1};

/* All elements as one line. */
static struct np_array *line_of(struct np_unit *u, struct np_array *x, struct span at) {
    uint64_t n = np_elements(x->ndim, x->shape);
    return x->ndim == 1 ? x : np_reshaped(u, x, 1, &n, at);
}

/* ---- prefix sums ---- */

/* Elements of type `from` are summed in y's type. */
static bool scan(struct np_unit *u, const struct np_array *x, uint32_t axis, struct mpu_type from,
                 const struct np_array *y, struct span at) {
    uint32_t group = np_group(u, x->ndim, x->shape), variable, element;
    struct array_scan s = {.fold = {.kind = ARRAY_SUM, .from = from, .type = y->type},
                           .group = group,
                           .axis = axis,
                           .room = 2u * u->how.folded};
    const struct array_value to = {y->root->variable, 0, y->type};
    array_scan_begin(&u->b, &s);
    if (!np_bring(u, x, x->ndim, x->shape, at, &variable, &element))
        return false;
    const struct array_value v = {variable, element, from};
    if (!array_scan_borrow(&u->b, &s, &v)) {
        ir_begin_ensemble(&u->b, group, at);
        ir_convert(&u->b, ir_element(&u->b, variable, element), from, s.fold.own.type,
                   array_fold_element(&u->b, &s.fold), at);
    }
    array_scan_run(&u->b, &s, &to, at);
    return true;
}

struct np_value np_cumsum(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], a->name);
    struct mpu_type type, from;
    uint32_t axis = 0;
    if (!x || !np_sum_type(u, a, x, &type))
        return none;
    if (a->items[1].kind == NP_NONE)
        x = line_of(u, x, a->at);
    else if (!np_axis(u, &a->items[1], x->ndim, &axis))
        return none;
    from = np_is_bool(x->type) ? one_bit : x->type;
    if (from.bits > type.bits) {
        x = np_cast(u, x, type, a->at);
        from = type;
    }
    struct np_array *y = np_new_array(u, type, x->ndim, x->shape, a->at);
    if (!scan(u, x, axis, from, y, a->at))
        return none;
    y->range = np_range_of_sum(x, x->shape[axis], type);
    return np_array_value(y, a->at);
}

/* ---- sorted lines ---- */

static struct np_array *sorted(struct np_unit *u, const struct np_array *x, uint32_t axis,
                               struct span at) {
    struct array_sort s = {.axis = axis, .from = {np_settle(u, x, at), 0, x->type}};
    if (s.from.variable == IR_NONE)
        return NULL;
    struct np_array *y = np_new_array(u, x->type, x->ndim, x->shape, at);
    s.to = (struct array_value){y->root->variable, 0, y->type};
    array_sort(&u->b, &s, at);
    y->range = x->range;
    return y;
}

struct np_value np_sort(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], a->name);
    if (!x)
        return none;
    struct np_value last = np_int_value(-1, a->items[0].at);
    const struct np_value *v = &a->items[1];
    uint32_t axis = 0;
    bool is_truth = np_is_bool(x->type);
    if (v->kind == NP_NONE && np_is_written(a, 1))
        x = line_of(u, x, a->at);
    else if (!np_axis(u, v->kind == NP_NONE ? &last : v, x->ndim, &axis))
        return none;
    if (x && is_truth)
        x = np_cast(u, x, byte, a->at);
    x = x ? sorted(u, x, axis, a->at) : NULL;
    if (x && is_truth)
        x = np_cast(u, x, truth, a->at);
    return np_array_value(x, a->at);
}

/* ---- x[mask] ---- */

struct mpu_type np_length_type(uint64_t elements) {
    uint8_t bits = 1;
    while (elements >> bits)
        bits++;
    return (struct mpu_type){TYPE_UINT, bits};
}

/* Chosen elements come to the front of y. */
static bool compact(struct np_unit *u, const struct np_array *x, const struct np_array *mask,
                    const struct np_array *y, uint32_t length, struct span at) {
    struct array_compact c = {.group = np_group(u, 1, y->shape),
                              .count = np_length_type(y->shape[0]),
                              .room = 2u * u->how.folded,
                              .values = y->root->variable,
                              .length = length};
    uint32_t values, value, truths, chosen;
    array_compact_begin(&u->b, &c);
    if (!np_bring(u, x, 1, y->shape, at, &values, &value) ||
        !np_bring(u, mask, 1, y->shape, at, &truths, &chosen))
        return false;
    ir_begin_ensemble(&u->b, c.group, at);
    ir_convert(&u->b, ir_element(&u->b, truths, chosen), one_bit, one_bit,
               array_compact_chosen(&u->b, &c), at);
    ir_convert(&u->b, ir_element(&u->b, values, value), y->type, y->type,
               ir_element(&u->b, c.values, 0), at);
    array_compact_run(&u->b, &c, at);
    return true;
}

struct np_array *np_chosen(struct np_unit *u, const struct np_array *a, uint32_t length,
                           struct span at) {
    struct np_array *x = ARENA_NEW(&u->arena, struct np_array), *mask = NULL;
    *x = *a;
    x->mask = NULL;
    if ((x = line_of(u, x, at)))
        mask = line_of(u, (struct np_array *)(uintptr_t)a->mask, at);
    if (!mask)
        return NULL;
    struct np_array *y = np_new_array(u, a->type, 1, x->shape, at);
    return compact(u, x, mask, y, length, at) ? y : NULL;
}
