/* SPDX-License-Identifier: MIT
 * Reductions of arrays: sums, minima and the like. */
#include "ezpim/np/advice.h"
#include "ezpim/np/functions.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};
static const struct lane_type truth = {TYPE_BOOL, 1}, one_bit = {TYPE_UINT, 1},
                              int64 = {TYPE_INT, 64}, float32 = {TYPE_FLOAT, 32}, float64 = {TYPE_FLOAT, 64};

/* What becomes of an array along an axis, or (ARRAY_ALL) of all of it. */
struct np_reduction {
    enum array_fold_kind kind;
    uint32_t axis;
    struct lane_type from, type; /* of the elements; of the result */
    uint64_t order;              /* of extremes of floats (enum array_key) */
};

static struct array_ref *reduce_one(struct np_unit *unit, struct array_ref *ref,
                                    const struct np_reduction *reduction, struct span at) {
    if (!np_readable(unit, ref, at))
        return NULL;
    if (array_is_float(ref->type) && reduction->kind != ARRAY_SUM && reduction->kind != ARRAY_PROD)
        return array_extreme(&unit->arrays, ref, reduction->kind, reduction->order, reduction->axis,
                             reduction->type, at);
    return array_reduced(&unit->arrays, ref, reduction->kind, reduction->axis, reduction->from,
                         reduction->type, at);
}

/* ---- axes ---- */

/* NumPy takes tuples of axes alone, and `axis=()` for no reduction at all. */
static bool axes_of(struct np_unit *unit, const struct np_value *value, uint32_t ndim,
                    uint32_t *axes) {
    if (value->kind == NP_LIST || (value->kind == NP_TUPLE && value->count == 0))
        return np_error(unit, value->at, value->count ? "an axis is a number" : "no axis is named"),
               false;
    return np_axes(unit, value, ndim, axes);
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

/* Of no element NumPy has sums, products and truths. */
static struct np_value reduce_nothing(struct np_unit *unit, const struct array_ref *ref,
                                      const struct np_reduction *reduction, uint32_t axes,
                                      bool keeps, struct span at) {
    enum array_fold_kind kind = reduction->kind;
    bool one = kind == ARRAY_PROD || (kind == ARRAY_AND && array_is_bool(ref->type));
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim = 0;
    if (kind != ARRAY_SUM && kind != ARRAY_PROD && kind != ARRAY_AND && kind != ARRAY_OR)
        return np_error(unit, at, "NumPy stops at the least or greatest of no element");
    for (uint32_t d = 0; d < ref->ndim; d++)
        if (!(axes >> d & 1) || keeps)
            shape[ndim++] = axes >> d & 1 ? 1 : ref->shape[d];
    struct array_ref *x = array_constant(&unit->arrays, (struct lane_type){TYPE_UINT, 8}, one, at);
    x = array_same_type(x->type, reduction->type) ? x : np_cast(unit, x, reduction->type, at);
    for (uint32_t d = 0; d < ndim; d++)
        if (shape[d] == 0)
            return np_array_value(np_empty(unit, reduction->type, ndim, shape, at), at);
    return np_array_value(ndim ? array_filled(&unit->arrays, x, ndim, shape, at) : x, at);
}

static struct np_value reduce(struct np_unit *unit, struct array_ref *ref,
                              struct np_reduction reduction, const struct np_value *axis,
                              const struct np_value *keep, struct span at) {
    uint32_t axes;
    bool known, keeps = np_truth(unit, keep, &known);
    struct array_ref *y = ref;
    if (!known || !axes_of(unit, axis, ref->ndim, &axes))
        return none;
    if (np_is_empty(ref))
        return reduce_nothing(unit, ref, &reduction, axes, keeps, at);
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
static struct array_ref *operand(struct np_unit *unit, const struct np_args *a,
                                 enum array_fold_kind kind) {
    const struct np_value *v = &a->items[0];
    if (!v->mask)
        return np_any_array(unit, v, a->name);
    if (kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX) {
        np_error(unit, a->at,
                 "`%s` of x[mask] is not taken: its indices are those among the masked", a->name);
        return NULL;
    }
    if (a->items[1].kind != NP_NONE) {
        np_error(unit, a->items[1].at, "x[mask] has one axis");
        return NULL;
    }
    struct array_ref *args[] = {(struct array_ref *)(uintptr_t)v->mask, v->array,
                                array_neutral(&unit->arrays, kind, v->array, a->at)};
    return np_elementwise(unit, NP_OP_WHERE, 3, args, v->array->type, 0, NULL, a->at);
}

/* A sum of x[mask] would be one of zeros, too, whose order is another one than NumPy's. */
static bool sums_all(struct np_unit *unit, const struct np_args *args, struct lane_type type) {
    if (!args->items[0].mask || !array_is_float(type))
        return true;
    np_error(unit, args->at, "`%s` of x[mask] of floats depends on how many there are", args->name);
    np_note(unit, args->at, "`np.where(mask, x, 0)` has as many as x");
    return false;
}

bool np_sum_type(struct np_unit *unit, const struct np_args *args, const struct array_ref *ref,
                 struct lane_type *type) {
    if (args->items[2].kind != NP_NONE) {
        if (!np_dtype(unit, &args->items[2], type))
            return false;
        if (array_is_bool(*type))
            np_error(unit, args->items[2].at, "`%s` in bool is written `np.%s`", args->name,
                     args->name[0] == 'p'   ? "all"
                     : args->name[0] == 's' ? "any"
                                            : "cumsum(x) != 0");
        return !array_is_bool(*type);
    }
    *type = ref->type;
    if (!array_is_float(*type))
        *type = (struct lane_type){type->kind == TYPE_UINT ? TYPE_UINT : TYPE_INT, 64};
    return true;
}

/* NumPy takes means of integers in float64. */
static bool mean_type(struct np_unit *unit, const struct np_args *args, const struct array_ref *ref,
                      struct lane_type *type) {
    *type = array_is_float(ref->type) ? ref->type : float64;
    if (args->items[2].kind != NP_NONE && !np_dtype(unit, &args->items[2], type))
        return false;
    if (array_is_float(*type))
        return true;
    np_error(unit, args->at, "`mean` in integers is not taken: NumPy cuts the quotient");
    np_note(unit, args->at, "`x.sum() // x.size` rounds down");
    return false;
}

/* Floats as integers in that order (enum array_key), anything else as it is; and back. */
static struct array_ref *key_of(struct np_unit *unit, struct array_ref *ref, uint64_t order,
                                struct span at) {
    const struct lane_type type = {TYPE_UINT, ref->type.bits};
    if (!array_is_float(ref->type))
        return ref;
    return np_readable(unit, ref, at)
               ? array_elementwise(&unit->arrays, ARRAY_OP_KEY, 1, &ref, type, order, NULL, at)
               : NULL;
}

static struct array_ref *of_key(struct np_unit *unit, struct array_ref *ref, struct lane_type type,
                                struct span at) {
    if (!array_is_float(type))
        return ref;
    return array_elementwise(&unit->arrays, ARRAY_OP_UNKEY, 1, &ref, type, 0, NULL, at);
}

/* Along several axes, or some of them, floats are keys in between. */
static bool goes_by_keys(const struct array_ref *ref, const struct np_value *axis) {
    return array_is_float(ref->type) && axis->kind != NP_NONE && ref->ndim > 1;
}

/* `ref` != 0. */
static struct array_ref *as_truth(struct np_unit *unit, struct array_ref *ref, struct span at) {
    return ref && !array_is_bool(ref->type) ? np_cast(unit, ref, truth, at) : ref;
}

/* ---- functions ---- */

struct array_ref *np_summands(struct np_unit *unit, struct array_ref *ref, struct lane_type type,
                              struct lane_type *from, struct span at) {
    bool real = array_is_float(ref->type) || array_is_float(type);
    *from = array_is_bool(ref->type) ? one_bit : ref->type;
    if (!real && from->bits <= type.bits)
        return ref;
    *from = type;
    return array_same_type(ref->type, type) ? ref : np_cast(unit, ref, type, at);
}

struct np_value np_sum(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = operand(unit, args, ARRAY_SUM);
    struct np_reduction r = {.kind = ARRAY_SUM};
    if (!x || !np_sum_type(unit, args, x, &r.type) || !sums_all(unit, args, r.type))
        return none;
    x = np_summands(unit, x, r.type, &r.from, args->at);
    return x ? reduce(unit, x, r, &args->items[1], &args->items[4], args->at) : none;
}

struct np_value np_prod(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = operand(unit, args, ARRAY_PROD);
    struct np_reduction r = {.kind = ARRAY_PROD};
    if (!x || !np_sum_type(unit, args, x, &r.type) || !sums_all(unit, args, r.type))
        return none;
    r.from = r.type;
    x = array_same_type(x->type, r.type) ? x : np_cast(unit, x, r.type, args->at);
    return x ? reduce(unit, x, r, &args->items[1], &args->items[4], args->at) : none;
}

/* The sum over as many elements as there are for one of the result.  Of float16 NumPy makes it in
 * float32. */
struct np_value np_mean(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = NULL;
    if (sums_all(unit, args, (struct lane_type){TYPE_FLOAT, 64}))
        x = np_any_array(unit, &args->items[0], "mean");
    struct lane_type type;
    if (!x || !mean_type(unit, args, x, &type))
        return none;
    bool half = type.bits == 16 && args->items[2].kind == NP_NONE;
    struct np_reduction r = {.kind = ARRAY_SUM, .type = half ? float32 : type};
    struct array_ref *y = np_summands(unit, x, r.type, &r.from, args->at);
    struct np_value v = y ? reduce(unit, y, r, &args->items[1], &args->items[4], args->at) : none;
    if (v.kind != NP_ARRAY)
        return none;
    uint64_t means = array_elements(v.array->ndim, v.array->shape);
    uint64_t n = array_elements(x->ndim, x->shape) / (means ? means : 1);
    if (n >> (ieee_binary(r.type.bits).fraction_bits + 1))
        return np_error(unit, args->at, "a mean of so many elements is not rounded alike in NumPy");
    struct array_ref *both[] = {v.array,
                                array_constant(&unit->arrays, r.type, (array_int)n, args->at)};
    y = np_elementwise(unit, NP_OP_DIV, 2, both, r.type, 0, NULL, args->at);
    return np_array_value(y && half ? np_cast(unit, y, type, args->at) : y, args->at);
}

/* min, max.  What is no number comes first, or last: NumPy hands it on. */
struct np_value np_most(struct np_unit *unit, const struct np_args *args) {
    enum array_fold_kind kind = (enum array_fold_kind)args->which;
    uint64_t order = kind == ARRAY_MIN ? ARRAY_KEY_NAN_FIRST : ARRAY_KEY_PLAIN;
    struct array_ref *x = operand(unit, args, kind);
    struct lane_type type = x ? x->type : truth;
    bool keys = x && goes_by_keys(x, &args->items[1]);
    x = keys ? key_of(unit, x, order, args->at) : x;
    if (!x)
        return none;
    if (array_is_bool(x->type))
        kind = kind == ARRAY_MIN ? ARRAY_AND : ARRAY_OR;
    const struct np_reduction r = {.kind = kind, .from = x->type, .type = x->type, .order = order};
    struct np_value v = reduce(unit, x, r, &args->items[1], &args->items[3], args->at);
    if (v.kind == NP_ARRAY && keys)
        v.array = of_key(unit, v.array, type, args->at);
    return v;
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
    uint64_t order = ARRAY_KEY_ZEROS_ALIKE | (kind == ARRAY_ARGMIN ? ARRAY_KEY_NAN_FIRST : 0);
    struct array_ref *x = operand(unit, args, kind);
    if (x && array_is_bool(x->type))
        x = np_cast(unit, x, (struct lane_type){TYPE_UINT, 8}, args->at);
    if (!x)
        return none;
    const struct np_reduction r = {.kind = kind, .from = x->type, .type = int64, .order = order};
    if (args->items[1].kind == NP_TUPLE)
        return np_error(unit, args->items[1].at, "`%s` goes along one axis", args->name);
    return reduce(unit, x, r, &args->items[1], &args->items[3], args->at);
}
