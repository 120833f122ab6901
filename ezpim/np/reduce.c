/* SPDX-License-Identifier: MIT
 * Reductions of arrays: sums, minima and the like. */
#include "ezpim/np/functions.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};
static const struct mpu_type truth = {TYPE_BOOL, 1}, one_bit = {TYPE_UINT, 1},
                             int64 = {TYPE_INT, 64};

/* What becomes of an array along an axis, or (ARRAY_ALL) of all of it. */
struct np_reduction {
    enum array_fold_kind kind;
    uint32_t axis;
    struct mpu_type from, type; /* of the elements; of the result */
};

static struct array_ref *reduce_one(struct np_unit *u, struct array_ref *x,
                                    const struct np_reduction *r, struct span at) {
    if (!np_readable(u, x, at))
        return NULL;
    return array_reduced(&u->arrays, x, r->kind, r->axis, r->from, r->type, at);
}

/* ---- axes ---- */

/* NumPy takes tuples of axes alone, and `axis=()` for no reduction at all. */
static bool axes_of(struct np_unit *u, const struct np_value *v, uint32_t ndim, uint32_t *axes) {
    if (v->kind == NP_LIST || (v->kind == NP_TUPLE && v->count == 0))
        return np_error(u, v->at, v->count ? "an axis is a number" : "no axis is named"), false;
    return np_axes(u, v, ndim, axes);
}

/* The axes that went come back with one element each. */
static struct array_ref *keep_axes(struct np_unit *unit, const struct array_ref *left,
                                   struct array_ref *right, uint32_t axes, struct span at) {
    uint64_t shape[ARRAY_DIMS];
    if (right->ndim == left->ndim)
        return right;
    for (uint32_t d = 0; d < left->ndim; d++)
        shape[d] = axes >> d & 1 ? 1 : left->shape[d];
    right = np_reshaped(unit, right, left->ndim, shape, at);
    return right && right->is_view ? np_fresh(unit, right, at) : right;
}

static struct np_value reduce(struct np_unit *unit, struct array_ref *ref,
                              struct np_reduction reduction, const struct np_value *axis,
                              const struct np_value *keep, struct span at) {
    uint32_t axes;
    bool known, keeps = np_truth(unit, keep, &known);
    struct array_ref *y = ref;
    if (!known || !axes_of(unit, axis, ref->ndim, &axes))
        return none;
    bool all = axes == (1u << ref->ndim) - 1;
    reduction.axis = ARRAY_ALL;
    if (all)
        y = reduce_one(unit, ref, &reduction, at);
    for (uint32_t d = ref->ndim; !all && y && d-- > 0;) {
        reduction.axis = d;
        if (!(axes >> d & 1))
            continue;
        y = reduce_one(unit, y, &reduction, at);
        reduction.from = reduction.type;
    }
    if (y && keeps)
        y = keep_axes(unit, ref, y, axes, at);
    return np_array_value(y, at);
}

/* ---- operands ---- */

/* The elements where the mask holds, and elsewhere what changes nothing. */
static struct array_ref *operand(struct np_unit *u, const struct np_args *a,
                                 enum array_fold_kind kind) {
    const struct np_value *v = &a->items[0];
    if (!v->mask)
        return np_need_array(u, v, a->name);
    if (kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX) {
        np_error(u, a->at, "`%s` of x[mask] is not taken: its indices are those among the masked",
                 a->name);
        return NULL;
    }
    if (a->items[1].kind != NP_NONE) {
        np_error(u, a->items[1].at, "x[mask] has one axis");
        return NULL;
    }
    struct array_ref *args[] = {(struct array_ref *)(uintptr_t)v->mask, v->array,
                                array_neutral(&u->arrays, kind, v->array, a->at)};
    return np_elementwise(u, NP_OP_WHERE, 3, args, v->array->type, 0, NULL, a->at);
}

bool np_sum_type(struct np_unit *u, const struct np_args *a, const struct array_ref *x,
                 struct mpu_type *type) {
    if (a->items[2].kind != NP_NONE) {
        if (!np_dtype(u, &a->items[2], type))
            return false;
        if (array_is_bool(*type))
            np_error(u, a->items[2].at, "`%s` in bool is written `np.any`", a->name);
        return !array_is_bool(*type);
    }
    *type = x->type;
    if (type->bits == 64)
        return true;
    np_error(u, a->at, "`%s` of %s without dtype= gives %s in NumPy; say which type is meant",
             a->name, np_type_short(x->type), x->type.kind == TYPE_UINT ? "uint64" : "int64");
    np_note(u, a->at, "as in `dtype=np.%s`",
            array_is_bool(x->type) ? "int32" : np_type_name(x->type));
    return false;
}

/* `ref` != 0. */
static struct array_ref *as_truth(struct np_unit *unit, struct array_ref *ref, struct span at) {
    return ref && !array_is_bool(ref->type) ? np_cast(unit, ref, truth, at) : ref;
}

/* ---- functions ---- */

struct np_value np_sum(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = operand(unit, args, ARRAY_SUM);
    struct np_reduction r = {.kind = ARRAY_SUM};
    if (!x || !np_sum_type(unit, args, x, &r.type))
        return none;
    r.from = array_is_bool(x->type) ? one_bit : x->type;
    if (r.from.bits > r.type.bits) {
        x = np_cast(unit, x, r.type, args->at);
        r.from = r.type;
    }
    return x ? reduce(unit, x, r, &args->items[1], &args->items[4], args->at) : none;
}

struct np_value np_prod(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = operand(unit, args, ARRAY_PROD);
    struct np_reduction r = {.kind = ARRAY_PROD};
    if (!x || !np_sum_type(unit, args, x, &r.type))
        return none;
    r.from = r.type;
    x = np_cast(unit, x, r.type, args->at);
    return x ? reduce(unit, x, r, &args->items[1], &args->items[4], args->at) : none;
}

/* min, max */
struct np_value np_most(struct np_unit *unit, const struct np_args *args) {
    enum array_fold_kind kind = (enum array_fold_kind)args->which;
    struct array_ref *x = operand(unit, args, kind);
    if (!x)
        return none;
    if (array_is_bool(x->type))
        kind = kind == ARRAY_MIN ? ARRAY_AND : ARRAY_OR;
    const struct np_reduction r = {.kind = kind, .from = x->type, .type = x->type};
    return reduce(unit, x, r, &args->items[1], &args->items[3], args->at);
}

/* any, all */
struct np_value np_truths(struct np_unit *unit, const struct np_args *args) {
    enum array_fold_kind kind = (enum array_fold_kind)args->which;
    struct array_ref *x = as_truth(unit, operand(unit, args, kind), args->at);
    const struct np_reduction r = {.kind = kind, .from = truth, .type = truth};
    return x ? reduce(unit, x, r, &args->items[1], &args->items[3], args->at) : none;
}

struct np_value np_count_nonzero(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = as_truth(unit, operand(unit, args, ARRAY_SUM), args->at);
    const struct np_reduction r = {.kind = ARRAY_SUM, .from = one_bit, .type = int64};
    if (!x)
        return none;
    struct np_value v = reduce(unit, x, r, &args->items[1], &args->items[2], args->at);
    if (v.kind == NP_ARRAY)
        v.counts = args->items[1].kind == NP_NONE && v.array->ndim == 0;
    return v;
}

/* argmin, argmax */
struct np_value np_number_of(struct np_unit *unit, const struct np_args *args) {
    enum array_fold_kind kind = (enum array_fold_kind)args->which;
    struct array_ref *x = operand(unit, args, kind);
    if (x && array_is_bool(x->type))
        x = np_cast(unit, x, (struct mpu_type){TYPE_UINT, 8}, args->at);
    if (!x)
        return none;
    const struct np_reduction r = {.kind = kind, .from = x->type, .type = int64};
    if (args->items[1].kind == NP_TUPLE)
        return np_error(unit, args->items[1].at, "`%s` goes along one axis", args->name);
    return reduce(unit, x, r, &args->items[1], &args->items[3], args->at);
}
