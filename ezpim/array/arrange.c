/* SPDX-License-Identifier: MIT
 * The same elements in another order or shape: views, and what is moved for them. */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- views ---- */

struct array_ref *array_open_view(struct arrays *c, const struct array_ref *a, struct span at) {
    struct array_ref *v = array_view_of(c, a, at);
    v->ndim = 0;
    for (uint32_t r = 0; r < a->rdim; r++)
        memset(v->map[r].coeff, 0, sizeof v->map[r].coeff);
    return v;
}

void array_follow(struct array_ref *view, const struct array_ref *a, struct array_step s) {
    for (uint32_t r = 0; r < a->rdim; r++) {
        int64_t coeff = a->map[r].coeff[s.from];
        view->map[r].offset += coeff * s.first;
        if (s.laps)
            array_laps_add(&view->map[r].laps, coeff, s.laps);
        if (s.to >= 0)
            view->map[r].coeff[s.to] = coeff * s.step;
    }
}

struct array_ref *array_permuted(struct arrays *c, const struct array_ref *a, const uint32_t *axes,
                                 struct span at) {
    struct array_ref *v = array_view_of(c, a, at);
    for (uint32_t d = 0; d < a->ndim; d++) {
        v->shape[d] = a->shape[axes[d]];
        for (uint32_t r = 0; r < a->rdim; r++)
            v->map[r].coeff[d] = a->map[r].coeff[axes[d]];
    }
    return v;
}

struct array_ref *array_flipped(struct arrays *c, const struct array_ref *a, uint32_t axes,
                                struct span at) {
    struct array_ref *v = array_view_of(c, a, at);
    for (uint32_t r = 0; r < a->rdim; r++)
        for (uint32_t d = 0; d < a->ndim; d++)
            if (axes >> d & 1) {
                v->map[r].offset += v->map[r].coeff[d] * (int64_t)(a->shape[d] - 1);
                v->map[r].coeff[d] = -v->map[r].coeff[d];
            }
    return v;
}

/* A view; of a value, which no map says, an array of its own. */
struct array_ref *array_widened(struct arrays *c, struct array_ref *a, uint32_t ndim,
                                const uint64_t *shape, struct span at) {
    if (a->uniform)
        return array_filled(c, a, ndim, shape, at);
    struct array_ref *v = array_view_of(c, a, at);
    struct array_ref wide = array_broadcast(v, ndim, shape);
    *v = wide;
    return v;
}

struct array_ref *array_with_axis(struct arrays *c, const struct array_ref *x, uint32_t axis) {
    struct array_ref *v = array_view_of(c, x, x->at);
    v->ndim = x->ndim + 1;
    for (uint32_t d = v->ndim; d-- > 0;) {
        v->shape[d] = d == axis ? 1 : x->shape[d - (d > axis)];
        for (uint32_t r = 0; r < x->rdim; r++)
            v->map[r].coeff[d] = d == axis ? 0 : x->map[r].coeff[d - (d > axis)];
    }
    return v;
}

/* ---- other shapes ---- */

bool array_stays(const struct array_ref *a) {
    return !a->uniform && array_is_direct(a) &&
           array_elements(a->ndim, a->shape) == array_elements(a->root->ndim, a->root->shape);
}

/* Elements stay in their lanes where they lie row by row; else they are moved there. */
static struct array_ref *in_order(struct arrays *c, struct array_ref *a, struct span at) {
    if (array_stays(a))
        return a;
    bool all = !a->uniform && array_is_storage(a); /* but for registers */
    return all ? array_in_lanes(c, a, at) : array_fresh(c, a, at);
}

struct array_ref *array_reshaped(struct arrays *c, struct array_ref *a, uint32_t ndim,
                                 const uint64_t *shape, struct span at) {
    struct array_ref *x = in_order(c, a, at);
    struct array_ref *v = array_view_of(c, x, at);
    v->ndim = v->rdim = ndim;
    memcpy(v->shape, shape, ndim * sizeof *shape);
    memcpy(v->rshape, shape, ndim * sizeof *shape);
    memset(v->map, 0, sizeof v->map);
    for (uint32_t d = 0; d < ndim; d++)
        v->map[d].coeff[d] = 1;
    if (x != a && (x->root->lay.count > 1 || a->uniform || !array_is_storage(a)))
        return array_fresh(c, v, at); /* of a shape of its own */
    v->is_view = x == a;
    return v;
}

/* ---- other lanes ---- */

struct array_ref *array_rolled(struct arrays *c, struct array_ref *x, const int64_t *shifts,
                               struct span at) {
    struct array_ref *y = array_new(c, x->type, x->ndim, x->shape, at);
    uint32_t from = array_settle(c, x, at);
    struct ir_move m = ir_plain_move(c->b.p, y->root->variable, from);
    for (uint32_t d = 0; d < x->ndim; d++)
        m.record.source[d].offset = -shifts[d];
    m.record.outside = MOVE_WRAP;
    ir_put_move(&c->b, &m, at);
    y->range = x->range;
    return y;
}

/* Elements first .. of an axis. */
static struct array_ref *part_of(struct arrays *c, struct array_ref *whole, uint32_t axis,
                                 uint64_t first, uint64_t n, struct span at) {
    struct array_ref *v = array_view_of(c, whole, at);
    v->shape[axis] = n;
    v->map[axis].offset = (int64_t)first;
    return v;
}

struct array_ref *array_joined(struct arrays *c, struct array_ref *const *parts, uint32_t count,
                               uint32_t axis, struct span at) {
    uint64_t shape[ARRAY_DIMS], first = 0;
    memcpy(shape, parts[0]->shape, sizeof shape);
    for (uint32_t i = 1; i < count; i++)
        shape[axis] += parts[i]->shape[axis];
    struct array_ref *y = array_new_free(c, parts[0]->type, parts[0]->ndim, shape, at);
    y->range = parts[0]->range;
    for (uint32_t i = 0; i < count; i++) {
        struct array_ref *v = part_of(c, y, axis, first, parts[i]->shape[axis], at);
        array_put(c, v, parts[i], at);
        first += parts[i]->shape[axis];
        y->range = array_range_union(y->range, parts[i]->range);
    }
    return y;
}
