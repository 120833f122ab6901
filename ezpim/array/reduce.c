/* SPDX-License-Identifier: MIT
 * Reductions.  They are put off until the value of one is needed, so that several in a row become
 * one fold. */
#include "ezpim/array/array.h"
#include "ezpim/array/finish.h"
#include "ezpim/array/fold_level.h"
#include "ezpim/array/prefix_sum.h"

#include <string.h>

/* What becomes of an array along an axis, or (ARRAY_ALL) of all of it. */
struct axis_reduction {
    enum array_fold_kind kind;
    uint32_t axis;
    struct lane_type from, type; /* of the elements; of the result */
    bool keyed;                  /* as in array_due */
    uint64_t order;
};

/* The shape without the axis. */
static uint32_t rest_of(const struct array_ref *ref, uint32_t axis, uint64_t *shape) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < ref->ndim && axis != ARRAY_ALL; d++)
        if (d != axis)
            shape[n++] = ref->shape[d];
    return n;
}

/* ---- put off and caught up with ---- */

/* Folds of the same elements, or of such as lie in the same lanes, are carried out together, and
 * those that the host may finish by themselves. */
static bool goes_along(const struct array_due *left, const struct array_due *right) {
    return left->axis == right->axis && left->is_output == right->is_output &&
           array_same_shape(left->x.ndim, left->x.shape, right->x.ndim, right->x.shape);
}

static bool is_output(const struct arrays *arrays, uint32_t variable) {
    return arrays->b.p->variables.data[variable].decl.group == NO_INDEX;
}

static struct array_ref *put_off(struct arrays *arrays, struct array_ref *ref,
                                 const struct axis_reduction *reduction, struct span at) {
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim = rest_of(ref, reduction->axis, shape);
    if (ref->root && ref->root->due)
        array_catch_up(arrays);
    struct array_ref *y = array_new(arrays, reduction->type, ndim, shape, at);
    struct array_due f = {.x = *ref,
                          .axis = reduction->axis,
                          .keyed = reduction->keyed,
                          .order = reduction->order,
                          .y = y->root,
                          .at = at};
    bool extreme = reduction->keyed && array_is_float(reduction->type);
    f.item = (struct array_fold){.kind = reduction->kind,
                                 .from = reduction->from,
                                 .type = extreme ? reduction->from : reduction->type};
    f.is_output = is_output(arrays, y->root->variable);
    if (arrays->due.len == arrays->folded ||
        (arrays->due.len && !goes_along(&arrays->due.data[0], &f)))
        array_catch_up(arrays);
    y->root->due = true;
    y->root->total = reduction->axis == ARRAY_ALL;
    vec_push(&arrays->due, f);
    return y;
}

/* Where the elements lie already they are folded there; else they are put where the fold begins. */
static void put_elements(struct arrays *arrays, const struct array_folds *folds, uint32_t index,
                         const struct array_due *due, const struct array_value *value) {
    const struct array_fold *item = &folds->items[index];
    struct span at = due->at;
    bool keyed = due->keyed && array_is_float(value->type);
    if (!keyed && array_fold_borrow(&arrays->b, folds, index, value))
        return;
    ir_begin_ensemble(&arrays->b, arrays->b.p->variables.data[item->own.variable].decl.group, at);
    if (keyed) {
        uint32_t x = ir_element(&arrays->b, value->variable, value->element);
        array_emit(arrays, ARRAY_OP_KEY, value->type, item->own.type, &x, NULL, due->order,
                   array_fold_element(&arrays->b, item), at);
        return;
    }
    ir_convert(&arrays->b, ir_element(&arrays->b, value->variable, value->element), value->type,
               item->own.type, array_fold_element(&arrays->b, item), at);
}

/* What has to be moved for it is moved before. */
static struct array_value *fetch_all(struct arrays *arrays, const struct array_due *folds,
                                     uint32_t count) {
    struct array_value *v = ARENA_ARRAY(arrays->arena, count, struct array_value);
    for (uint32_t i = 0; i < count; i++) {
        const struct array_ref *x = &folds[i].x;
        v[i] = array_fetch(arrays, x, x->ndim, x->shape, folds[i].at);
        if (folds[i].item.from.bits < x->type.bits || array_is_bool(x->type))
            v[i].type = folds[i].item.from; /* it holds all values */
    }
    return v;
}

/* Those that are folded as keys, or the others. */
static void put_all_elements(struct arrays *arrays, const struct array_folds *array_folds,
                             const struct array_due *folds, const struct array_value *values,
                             bool keyed) {
    for (uint32_t i = 0; i < array_folds->count; i++)
        if (folds[i].keyed == keyed)
            put_elements(arrays, array_folds, i, &folds[i], &values[i]);
}

/* The result, at the type that it has outside, in a variable or element of an ensemble. */
static void put_result(struct arrays *arrays, const struct array_folds *folds,
                       const struct array_due *due, const struct array_value *value) {
    uint32_t to =
        due->is_output ? ir_local(&arrays->b, folds->lane, due->y->type, 1) : due->y->variable;
    /* Its elements lie in the lanes of those of `y`, in one ensemble with the last level. */
    ir_begin_ensemble(&arrays->b, folds->lane, due->at);
    uint32_t x = ir_element(&arrays->b, value->variable, value->element),
             dst = ir_element(&arrays->b, to, 0);
    if (array_is_float(due->y->type) && due->keyed)
        array_emit(arrays, ARRAY_OP_UNKEY, value->type, due->y->type, &x, NULL, 0, dst, due->at);
    else
        ir_convert(&arrays->b, x, value->type, due->y->type, dst, due->at);
    if (!due->is_output)
        return;
    const struct array_value wide = {to, 0, due->y->type};
    struct ir_move m = array_fold_move(&arrays->b, folds, &wide, due->y->variable);
    ir_put_move(&arrays->b, &m, due->at);
}

/* Not of keys that were made before: the output is made of numbers. */
static struct array_finish open_finish(struct arrays *arrays, const struct array_folds *array_folds,
                                       const struct array_due *folds,
                                       const struct array_value *values, struct span at) {
    struct array_output *outputs =
        ARENA_ARRAY(arrays->arena, array_folds->count, struct array_output);
    for (uint32_t i = 0; i < array_folds->count; i++)
        if (folds[i].keyed && !array_is_float(values[i].type))
            return (struct array_finish){NULL};
    for (uint32_t i = 0; i < array_folds->count; i++)
        outputs[i] = (struct array_output){folds[i].y->variable, 0,
                                           folds[i].keyed ? values[i] : array_folds->items[i].own};
    return array_finish_open(&arrays->b, array_folds, outputs, at);
}

static void carry_out(struct arrays *arrays, const struct array_due *folds, uint32_t count) {
    const struct array_due *first = folds;
    struct array_folds f = {.items = ARENA_ARRAY(arrays->arena, count, struct array_fold),
                            .count = count,
                            .group = array_group(arrays, first->x.ndim, first->x.shape),
                            .axis = first->axis,
                            .held = first->is_output,
                            .room = 2u * arrays->folded};
    for (uint32_t i = 0; i < count; i++)
        f.items[i] = folds[i].item;
    array_folds_begin(&arrays->b, &f);
    struct array_value *values = fetch_all(arrays, folds, count);
    put_all_elements(arrays, &f, folds, values, false);
    struct array_finish finish = open_finish(arrays, &f, folds, values, first->at);
    put_all_elements(arrays, &f, folds, values, true);
    array_folds_run(&arrays->b, &f, first->at);
    for (uint32_t i = 0; i < count; i++)
        put_result(arrays, &f, &folds[i], array_fold_result(&f.items[i]));
    array_finish_close(&arrays->b, &finish);
}

void array_catch_up(struct arrays *arrays) {
    uint32_t count = (uint32_t)arrays->due.len;
    if (!count)
        return;
    struct array_due *folds = ARENA_ARRAY(arrays->arena, count, struct array_due);
    memcpy(folds, arrays->due.data, count * sizeof *folds);
    vec_clear(&arrays->due);
    for (uint32_t i = 0; i < count; i++)
        folds[i].y->due = false;
    carry_out(arrays, folds, count);
}

/* Of n elements that lie in the range of `ref`. */
static struct array_range range_of_sum(const struct array_ref *ref, uint64_t n,
                                       struct lane_type type) {
    struct array_range all = array_type_range(type), y = ref->range;
    if (array_is_float(type) || array_is_float(ref->type))
        return all;
    y.low = y.low < 0 ? y.low * (array_int)n : y.low;
    y.high = y.high > 0 ? y.high * (array_int)n : y.high;
    return array_range_within(y, all) ? y : all;
}

static struct array_range range_after(const struct array_ref *ref,
                                      const struct axis_reduction *reduction) {
    struct array_range all = array_type_range(reduction->type), y = ref->range;
    uint64_t n = reduction->axis == ARRAY_ALL ? array_elements(ref->ndim, ref->shape)
                                              : ref->shape[reduction->axis];
    bool index = reduction->kind == ARRAY_ARGMIN || reduction->kind == ARRAY_ARGMAX;
    if (reduction->kind == ARRAY_SUM)
        return range_of_sum(ref, n, reduction->type);
    if (index)
        y = (struct array_range){0, (array_int)n - 1};
    else if (reduction->kind == ARRAY_PROD)
        y = all;
    return array_range_within(y, all) ? y : all;
}

struct array_ref *array_reduced(struct arrays *arrays, struct array_ref *ref,
                                enum array_fold_kind kind, uint32_t axis, struct lane_type from,
                                struct lane_type type, struct span at) {
    const struct axis_reduction r = {.kind = kind, .axis = axis, .from = from, .type = type};
    struct axis_reduction rest = r;
    if (kind == ARRAY_SUM && !array_is_bool(ref->type) && from.bits == ref->type.bits)
        from = array_narrowest(ref->range, from);
    struct array_fold item = {.kind = kind, .from = from, .type = type};
    if (ref->ndim == 0 && (kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX))
        return array_constant(arrays, type, 0, at);
    if (ref->ndim == 0)
        return array_cast(arrays, ref, type, at);
    struct array_ref *z = array_fold_registers(arrays, ref, &item, &rest.axis, at), *y;
    rest.from = z != ref ? z->type : from;
    y = rest.axis == ARRAY_DIMS ? array_cast(arrays, z, type, at) : put_off(arrays, z, &rest, at);
    y->range = range_after(ref, &r);
    return y;
}

/* All elements, or keys of them, in lanes: the host may do it from the numbers themselves. */
static struct array_ref *extreme_of_all(struct arrays *arrays, struct array_ref *ref,
                                        const struct axis_reduction *reduction, struct span at) {
    struct axis_reduction r = *reduction;
    r.keyed = true;
    r.from = (struct lane_type){TYPE_UINT, ref->type.bits};
    struct array_ref *y = put_off(arrays, ref, &r, at);
    y->range = array_is_float(r.type) ? array_type_range(r.type) : range_after(ref, &r);
    return y;
}

/* In an array that is not counted: walks of one program count the same arrays, however these lie.
 */
static struct array_ref *keys_of(struct arrays *arrays, struct array_ref *ref, uint64_t order,
                                 struct span at) {
    const struct lane_type key = {TYPE_UINT, ref->type.bits};
    struct array_ref *y = array_uncounted(arrays, key, ref->ndim, ref->shape, ref->root->lay, at);
    return array_elementwise(arrays, ARRAY_OP_KEY, 1, &ref, key, order, y->root, at);
}

/* All elements, of which registers hold an axis: keys of these are folded first. */
static struct array_ref *extreme_of_registers(struct arrays *arrays, struct array_ref *ref,
                                              const struct axis_reduction *reduction,
                                              struct span at) {
    const struct lane_type key = {TYPE_UINT, ref->type.bits};
    const struct array_fold item = {.kind = reduction->kind, .from = key, .type = key};
    struct axis_reduction rest = *reduction;
    ref = keys_of(arrays, ref, rest.order, at);
    ref = array_fold_registers(arrays, ref, &item, &rest.axis, at);
    return rest.axis == ARRAY_DIMS
               ? array_elementwise(arrays, ARRAY_OP_UNKEY, 1, &ref, rest.type, 0, NULL, at)
               : extreme_of_all(arrays, ref, &rest, at);
}

static struct array_ref *extreme_along(struct arrays *arrays, struct array_ref *ref,
                                       const struct axis_reduction *reduction, struct span at) {
    const struct lane_type key = {TYPE_UINT, ref->type.bits}, type = reduction->type;
    bool place = array_fold_with_index(reduction->kind);
    ref = array_elementwise(arrays, ARRAY_OP_KEY, 1, &ref, key, reduction->order, NULL, at);
    ref = array_reduced(arrays, ref, reduction->kind, reduction->axis, key, place ? type : key, at);
    return place ? ref : array_elementwise(arrays, ARRAY_OP_UNKEY, 1, &ref, type, 0, NULL, at);
}

struct array_ref *array_extreme(struct arrays *arrays, struct array_ref *ref,
                                enum array_fold_kind kind, uint64_t order, uint32_t axis,
                                struct lane_type type, struct span at) {
    struct axis_reduction r = {
        .kind = kind, .axis = axis, .from = ref->type, .type = type, .order = order};
    bool place = array_fold_with_index(kind);
    if (!array_is_float(ref->type) || ref->ndim == 0)
        return array_reduced(arrays, ref, kind, axis, ref->type, type, at);
    if (axis != ARRAY_ALL)
        return extreme_along(arrays, ref, &r, at);
    array_note_fold(arrays, ref, place ? ARRAY_DIMS : axis);
    return !place && ref->root && array_is_storage(ref) && array_register_axis(ref) != ARRAY_DIMS
               ? extreme_of_registers(arrays, ref, &r, at)
               : extreme_of_all(arrays, ref, &r, at);
}

/* Extremes hand on what is no number; `any` and `all` ask whether it is 0. */
static uint64_t neutral_float(enum array_fold_kind kind, struct lane_type type) {
    const struct ieee_format format = object_type_format(type);
    if (kind == ARRAY_MIN || kind == ARRAY_MAX)
        return ieee_infinity(format, kind == ARRAY_MAX);
    bool one = kind == ARRAY_AND || kind == ARRAY_PROD;
    return array_identity(one ? ARRAY_PROD : ARRAY_SUM, type);
}

struct array_ref *array_neutral(struct arrays *arrays, enum array_fold_kind kind,
                                const struct array_ref *ref, struct span at) {
    uint64_t identity = array_is_float(ref->type) ? neutral_float(kind, ref->type)
                                                  : array_identity(kind, ref->type);
    struct array_ref *a = array_of_pattern(arrays, ref->type, identity, at);
    a->range = kind == ARRAY_SUM ? (struct array_range){0, 0} : ref->range;
    return a;
}

/* ---- prefix sums ---- */

struct array_ref *array_cumulated(struct arrays *arrays, const struct array_ref *ref, uint32_t axis,
                                  struct lane_type from, struct lane_type type, struct span at) {
    struct array_ref *y = array_new(arrays, type, ref->ndim, ref->shape, at);
    struct array_scan s = {.fold = {.kind = ARRAY_SUM, .from = from, .type = type},
                           .group = array_group(arrays, ref->ndim, ref->shape),
                           .axis = axis,
                           .room = 2u * arrays->folded};
    const struct array_value to = {y->root->variable, 0, type};
    array_scan_begin(&arrays->b, &s);
    struct array_value v = array_bring(arrays, ref, ref->ndim, ref->shape, at);
    v.type = from;
    if (!array_scan_borrow(&arrays->b, &s, &v)) {
        ir_begin_ensemble(&arrays->b, s.group, at);
        ir_convert(&arrays->b, ir_element(&arrays->b, v.variable, v.element), from, s.fold.own.type,
                   array_fold_element(&arrays->b, &s.fold), at);
    }
    array_scan_run(&arrays->b, &s, &to, at);
    y->range = range_of_sum(ref, ref->shape[axis], type);
    return y;
}
