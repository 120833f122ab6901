/* SPDX-License-Identifier: MIT
 * The same elements in another order or shape: views, and what is moved for them. */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- views ---- */

struct array_ref *array_open_view(struct arrays *arrays, const struct array_ref *ref,
                                  struct span at) {
    struct array_ref *v = array_view_of(arrays, ref, at);
    v->ndim = 0;
    for (uint32_t r = 0; r < ref->rdim; r++)
        memset(v->map[r].coeff, 0, sizeof v->map[r].coeff);
    return v;
}

void array_follow(struct array_ref *view, const struct array_ref *ref, struct array_step step) {
    for (uint32_t r = 0; r < ref->rdim; r++) {
        int64_t coeff = ref->map[r].coeff[step.from];
        view->map[r].offset += coeff * step.first;
        if (step.laps)
            array_laps_add(&view->map[r].laps, coeff, step.laps);
        if (step.to >= 0)
            view->map[r].coeff[step.to] = coeff * step.step;
    }
}

struct array_ref *array_permuted(struct arrays *arrays, const struct array_ref *ref,
                                 const uint32_t *axes, struct span at) {
    struct array_ref *v = array_view_of(arrays, ref, at);
    for (uint32_t d = 0; d < ref->ndim; d++) {
        v->shape[d] = ref->shape[axes[d]];
        for (uint32_t r = 0; r < ref->rdim; r++)
            v->map[r].coeff[d] = ref->map[r].coeff[axes[d]];
    }
    return v;
}

struct array_ref *array_flipped(struct arrays *arrays, const struct array_ref *ref, uint32_t axes,
                                struct span at) {
    struct array_ref *v = array_view_of(arrays, ref, at);
    for (uint32_t r = 0; r < ref->rdim; r++)
        for (uint32_t d = 0; d < ref->ndim; d++)
            if (axes >> d & 1) {
                v->map[r].offset += v->map[r].coeff[d] * (int64_t)(ref->shape[d] - 1);
                v->map[r].coeff[d] = -v->map[r].coeff[d];
            }
    return v;
}

/* A view; of a value, which no map says, an array of its own. */
struct array_ref *array_widened(struct arrays *arrays, struct array_ref *ref, uint32_t ndim,
                                const uint64_t *shape, struct span at) {
    if (ref->uniform)
        return array_filled(arrays, ref, ndim, shape, at);
    struct array_ref *v = array_view_of(arrays, ref, at);
    struct array_ref wide = array_broadcast(v, ndim, shape);
    *v = wide;
    return v;
}

struct array_ref *array_with_axis(struct arrays *arrays, const struct array_ref *ref,
                                  uint32_t axis) {
    struct array_ref *v = array_view_of(arrays, ref, ref->at);
    v->ndim = ref->ndim + 1;
    for (uint32_t d = v->ndim; d-- > 0;) {
        v->shape[d] = d == axis ? 1 : ref->shape[d - (d > axis)];
        for (uint32_t r = 0; r < ref->rdim; r++)
            v->map[r].coeff[d] = d == axis ? 0 : ref->map[r].coeff[d - (d > axis)];
    }
    return v;
}

/* ---- other shapes ---- */

bool array_stays(const struct array_ref *ref) {
    return !ref->uniform && array_is_direct(ref) &&
           array_elements(ref->ndim, ref->shape) ==
               array_elements(ref->root->ndim, ref->root->shape);
}

/* Elements stay in their lanes where they lie row by row; else they are moved there. */
static struct array_ref *in_order(struct arrays *arrays, struct array_ref *ref, struct span at) {
    if (array_stays(ref))
        return ref;
    bool all = !ref->uniform && array_is_storage(ref); /* but for registers */
    return all ? array_in_lanes(arrays, ref, at) : array_fresh(arrays, ref, at);
}

struct array_ref *array_reshaped(struct arrays *arrays, struct array_ref *ref, uint32_t ndim,
                                 const uint64_t *shape, struct span at) {
    struct array_ref *x = in_order(arrays, ref, at);
    struct array_ref *v = array_view_of(arrays, x, at);
    v->ndim = v->rdim = ndim;
    memcpy(v->shape, shape, ndim * sizeof *shape);
    memcpy(v->rshape, shape, ndim * sizeof *shape);
    memset(v->map, 0, sizeof v->map);
    for (uint32_t d = 0; d < ndim; d++)
        v->map[d].coeff[d] = 1;
    if (x != ref && (x->root->lay.count > 1 || ref->uniform || !array_is_storage(ref)))
        return array_fresh(arrays, v, at); /* of a shape of its own */
    v->is_view = x == ref;
    return v;
}

/* ---- other lanes ---- */

struct array_ref *array_rolled(struct arrays *arrays, struct array_ref *ref, const int64_t *shifts,
                               struct span at) {
    struct array_ref *y = array_new(arrays, ref->type, ref->ndim, ref->shape, at);
    uint32_t from = array_settle(arrays, ref, at);
    struct ir_move m = ir_plain_move(arrays->b.p, y->root->variable, from);
    for (uint32_t d = 0; d < ref->ndim; d++)
        m.record.source[d].offset = -shifts[d];
    m.record.outside = MOVE_WRAP;
    ir_put_move(&arrays->b, &m, at);
    y->range = ref->range;
    return y;
}

/* Elements first .. of an axis. */
static struct array_ref *part_of(struct arrays *arrays, struct array_ref *whole, uint32_t axis,
                                 uint64_t first, uint64_t n, struct span at) {
    struct array_ref *v = array_view_of(arrays, whole, at);
    v->shape[axis] = n;
    v->map[axis].offset = (int64_t)first;
    return v;
}

struct array_ref *array_joined(struct arrays *arrays, struct array_ref *const *parts,
                               uint32_t count, uint32_t axis, struct span at) {
    uint64_t shape[ARRAY_DIMS], first = 0;
    memcpy(shape, parts[0]->shape, sizeof shape);
    for (uint32_t i = 1; i < count; i++)
        shape[axis] += parts[i]->shape[axis];
    struct array_ref *y = array_new_free(arrays, parts[0]->type, parts[0]->ndim, shape, at);
    y->range = parts[0]->range;
    for (uint32_t i = 0; i < count; i++) {
        struct array_ref *v = part_of(arrays, y, axis, first, parts[i]->shape[axis], at);
        array_put(arrays, v, parts[i], at);
        first += parts[i]->shape[axis];
        y->range = array_range_union(y->range, parts[i]->range);
    }
    return y;
}
