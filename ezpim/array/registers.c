/* SPDX-License-Identifier: MIT
 * Arrays with an axis that lies in registers: they are read, written and folded a register at a
 * time.  Everything else is done with a copy in lanes. */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- parts ---- */

/* Elements first, first + step .. of an axis; count 0: the first alone, and the axis goes. */
static struct array_ref *cut(struct arrays *arrays, const struct array_ref *ref, uint32_t axis,
                             int64_t first, int64_t step, uint64_t count) {
    struct array_ref *x = ARENA_NEW(arrays->arena, struct array_ref);
    *x = *ref;
    x->shape[axis] = count;
    for (uint32_t v = axis; !count && v + 1 < ref->ndim; v++)
        x->shape[v] = ref->shape[v + 1];
    for (uint32_t r = 0; r < ref->rdim; r++) {
        int64_t *coeff = x->map[r].coeff;
        x->map[r].offset += coeff[axis] * first;
        coeff[axis] *= step;
        for (uint32_t v = axis; !count && v < ref->ndim; v++)
            coeff[v] = v + 1 < ref->ndim ? coeff[v + 1] : 0;
    }
    x->ndim -= !count;
    return x;
}

static struct array_ref *neighbours(struct arrays *arrays, const struct array_ref *ref,
                                    uint32_t axis, uint32_t first, uint32_t step) {
    return cut(arrays, ref, axis, first, step, (ref->shape[axis] - first + step - 1) / step);
}

struct array_ref *array_part(struct arrays *arrays, struct array_ref *ref,
                             const struct array_storage *storage, uint32_t j) {
    int axis = (int)storage->lay.axis - (int)(storage->ndim - ref->ndim);
    if (storage->lay.count == 1 || ref->uniform || axis < 0)
        return ref;
    bool one = ref->shape[axis] == 1;
    if (storage->lay.split)
        return one ? ref : neighbours(arrays, ref, (uint32_t)axis, j, storage->lay.count);
    return cut(arrays, ref, (uint32_t)axis, one ? 0 : j, 0, 0);
}

/* Of a split axis every register by itself. */
static void copy_to_lanes(struct arrays *arrays, const struct array_ref *to,
                          const struct array_ref *from, struct span at) {
    uint32_t step = from->root->lay.split ? from->root->lay.count : 1, last = to->ndim - 1;
    for (uint32_t i = 0; i < step; i++)
        array_put(arrays, step > 1 ? neighbours(arrays, to, last, i, step) : to,
                  step > 1 ? neighbours(arrays, from, last, i, step) : from, at);
}

struct array_ref *array_in_lanes(struct arrays *arrays, const struct array_ref *ref,
                                 struct span at) {
    struct array_storage *s = ref->root;
    struct array_ref *x = ARENA_NEW(arrays->arena, struct array_ref), *lanes;
    if (!s->in_lanes || s->in_lanes_version != s->version ||
        !array_epoch_is_open(arrays, s->in_lanes_epoch)) {
        s->in_lanes_version = s->version;
        s->in_lanes_epoch = vec_last(&arrays->epochs);
        lanes =
            array_uncounted(arrays, s->type, s->ndim, s->shape, (struct array_lay){.count = 1}, at);
        copy_to_lanes(arrays, lanes, array_whole(arrays, s, at), at);
        s->in_lanes = lanes->root;
    }
    *x = *ref;
    x->root = s->in_lanes;
    x->version = x->root->version;
    return x;
}

struct array_ref *array_kept(struct arrays *arrays, const struct array_ref *ref, struct span at) {
    const struct array_storage *s = ref->root;
    struct array_ref *x = ARENA_NEW(arrays->arena, struct array_ref),
                     *all = array_whole(arrays, ref->root, at);
    *x = *ref;
    x->root = array_uncounted(arrays, s->type, s->ndim, s->shape, s->lay, at)->root;
    array_copy_into(arrays, all, x->root, at);
    x->version = x->root->version;
    return x;
}

/* ---- writing ---- */

/* The part of `from` that goes where element (or every step-th element from there) `index` of an
 * axis of the view is. */
static struct array_ref *source_part(struct arrays *arrays, const struct array_ref *view,
                                     const struct array_ref *from, uint32_t axis, uint32_t index,
                                     uint32_t step) {
    int own = (int)axis - (int)(view->ndim - from->ndim);
    if (from->uniform || own < 0 || (step && from->shape[own] == 1))
        return (struct array_ref *)(uintptr_t)from;
    if (step)
        return neighbours(arrays, from, (uint32_t)own, index, step);
    return cut(arrays, from, (uint32_t)own, from->shape[own] == 1 ? 0 : index, 0, 0);
}

void array_write_registers(struct arrays *arrays, const struct array_ref *view,
                           const struct array_ref *from, struct span at) {
    const struct array_storage *s = view->root;
    uint32_t axis = array_register_axis(view), step = s->lay.split ? s->lay.count : 0;
    uint64_t n = axis == ARRAY_DIMS ? 0 : view->shape[axis];
    n = step && step < n ? step : n;
    if (!from->uniform && from->root == s) /* all is read before something is written */
        from = array_kept(arrays, from, at);
    for (uint32_t i = 0; i < n; i++) {
        struct array_ref *part =
            step ? neighbours(arrays, view, axis, i, step) : cut(arrays, view, axis, i, 0, 0);
        array_put(arrays, part, source_part(arrays, view, from, axis, i, step), at);
    }
}

/* ---- folds ---- */

/* What one register of the result is made of. */
struct beside {
    struct array_ref *parts[IR_REGISTERS];
    uint32_t count;
};

static void fold_terms(struct arrays *arrays, const struct beside *beside,
                       const struct array_fold *item, struct array_ref *ref, struct span at) {
    const struct lane_type type = array_fold_type(item, 1);
    struct array_value v[IR_REGISTERS];
    struct array_term terms[IR_REGISTERS];
    for (uint32_t i = 0; i < beside->count; i++)
        v[i] = array_fetch(arrays, beside->parts[i], ref->ndim, ref->shape, at);
    array_begin(arrays, ref->ndim, ref->shape, at);
    for (uint32_t i = 0; i < beside->count; i++) {
        uint32_t own = ir_element(&arrays->b, v[i].variable, v[i].element);
        terms[i] = (struct array_term){ir_convert(&arrays->b, own, item->from, type, IR_NONE, at),
                                       type, 1};
    }
    array_fold_terms(&arrays->b, item, terms, beside->count, ref->type,
                     ir_element(&arrays->b, ref->root->variable, 0), at);
}

/* Whether registers hold the elements that the order of the fold takes first: an axis is folded by
 * itself, or lines of elements are 2^k registers long. */
static bool come_first(const struct array_ref *ref, const struct array_fold *item, uint32_t along,
                       uint32_t axis) {
    const struct array_lay *lay = &ref->root->lay;
    if (!array_fold_in_order(item) || (!lay->split && axis == along))
        return true;
    return along == ref->ndim - 1 && (lay->count & (lay->count - 1)) == 0 && array_is_storage(ref);
}

struct array_ref *array_fold_registers(struct arrays *arrays, struct array_ref *ref,
                                       const struct array_fold *item, uint32_t *axis,
                                       struct span at) {
    struct beside t = {.count = 0};
    bool index = item->kind == ARRAY_ARGMIN || item->kind == ARRAY_ARGMAX;
    array_note_fold(arrays, ref, index ? ARRAY_DIMS : *axis);
    uint32_t along = ref->root ? array_register_axis(ref) : ARRAY_DIMS, step = 0;
    if (along == ARRAY_DIMS || index || (*axis != ARRAY_ALL && *axis != along) ||
        !come_first(ref, item, along, *axis))
        return ref;
    if (ref->root->lay.split)
        step = ref->root->lay.count;
    if (step && (!array_is_storage(ref) || ref->shape[along] == step))
        return ref;
    t.count = step ? step : (uint32_t)ref->shape[along];
    for (uint32_t i = 0; i < t.count; i++)
        t.parts[i] =
            step ? neighbours(arrays, ref, along, i, step) : cut(arrays, ref, along, i, 0, 0);
    const struct array_ref *p = t.parts[0];
    struct array_ref *y = array_uncounted(arrays, array_fold_type(item, t.count), p->ndim, p->shape,
                                          (struct array_lay){.count = 1}, at);
    fold_terms(arrays, &t, item, y, at);
    *axis = *axis == ARRAY_ALL || step ? *axis : ARRAY_DIMS;
    return y;
}
