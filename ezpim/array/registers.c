/* SPDX-License-Identifier: MIT
 * Arrays of which an axis lies in registers: how they are read, written and folded a register at a
 * time.  Whatever else is done with them is done with a copy in lanes. */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- parts ---- */

/* Elements first, first + step .. of an axis; count 0: the first alone, and the axis goes. */
static struct array_ref *cut(struct arrays *c, const struct array_ref *a, uint32_t axis,
                             int64_t first, int64_t step, uint64_t count) {
    struct array_ref *x = ARENA_NEW(c->arena, struct array_ref);
    *x = *a;
    x->shape[axis] = count;
    for (uint32_t v = axis; !count && v + 1 < a->ndim; v++)
        x->shape[v] = a->shape[v + 1];
    for (uint32_t r = 0; r < a->rdim; r++) {
        int64_t *coeff = x->map[r].coeff;
        x->map[r].offset += coeff[axis] * first;
        coeff[axis] *= step;
        for (uint32_t v = axis; !count && v < a->ndim; v++)
            coeff[v] = v + 1 < a->ndim ? coeff[v + 1] : 0;
    }
    x->ndim -= !count;
    return x;
}

static struct array_ref *neighbours(struct arrays *c, const struct array_ref *a, uint32_t axis,
                                    uint32_t first, uint32_t step) {
    return cut(c, a, axis, first, step, (a->shape[axis] - first + step - 1) / step);
}

struct array_ref *array_part(struct arrays *c, struct array_ref *a, const struct array_storage *s,
                             uint32_t j) {
    int axis = (int)s->lay.axis - (int)(s->ndim - a->ndim);
    if (s->lay.count == 1 || a->uniform || axis < 0)
        return a;
    bool one = a->shape[axis] == 1;
    if (s->lay.split)
        return one ? a : neighbours(c, a, (uint32_t)axis, j, s->lay.count);
    return cut(c, a, (uint32_t)axis, one ? 0 : j, 0, 0);
}

/* Of a split axis every register by itself. */
static void copy_to_lanes(struct arrays *c, const struct array_ref *to,
                          const struct array_ref *from, struct span at) {
    uint32_t step = from->root->lay.split ? from->root->lay.count : 1, last = to->ndim - 1;
    for (uint32_t i = 0; i < step; i++)
        array_put(c, step > 1 ? neighbours(c, to, last, i, step) : to,
                  step > 1 ? neighbours(c, from, last, i, step) : from, at);
}

struct array_ref *array_in_lanes(struct arrays *c, const struct array_ref *a, struct span at) {
    struct array_storage *s = a->root;
    struct array_ref *x = ARENA_NEW(c->arena, struct array_ref), *lanes;
    if (!s->in_lanes || s->in_lanes_version != s->version ||
        !array_epoch_is_open(c, s->in_lanes_epoch)) {
        s->in_lanes_version = s->version;
        s->in_lanes_epoch = vec_last(&c->epochs);
        lanes = array_uncounted(c, s->type, s->ndim, s->shape, (struct array_lay){.count = 1}, at);
        copy_to_lanes(c, lanes, array_whole(c, s, at), at);
        s->in_lanes = lanes->root;
    }
    *x = *a;
    x->root = s->in_lanes;
    x->version = x->root->version;
    return x;
}

struct array_ref *array_kept(struct arrays *c, const struct array_ref *a, struct span at) {
    const struct array_storage *s = a->root;
    struct array_ref *x = ARENA_NEW(c->arena, struct array_ref), *all = array_whole(c, a->root, at);
    *x = *a;
    x->root = array_uncounted(c, s->type, s->ndim, s->shape, s->lay, at)->root;
    array_copy_into(c, all, x->root, at);
    x->version = x->root->version;
    return x;
}

/* ---- writing ---- */

/* The part of `from` that goes where element (or every step-th element from there) i of an axis of
 * the view is. */
static struct array_ref *source_part(struct arrays *c, const struct array_ref *view,
                                     const struct array_ref *from, uint32_t axis, uint32_t i,
                                     uint32_t step) {
    int own = (int)axis - (int)(view->ndim - from->ndim);
    if (from->uniform || own < 0 || (step && from->shape[own] == 1))
        return (struct array_ref *)(uintptr_t)from;
    if (step)
        return neighbours(c, from, (uint32_t)own, i, step);
    return cut(c, from, (uint32_t)own, from->shape[own] == 1 ? 0 : i, 0, 0);
}

void array_write_registers(struct arrays *c, const struct array_ref *view,
                           const struct array_ref *from, struct span at) {
    const struct array_storage *s = view->root;
    uint32_t axis = array_register_axis(view), step = s->lay.split ? s->lay.count : 0;
    uint64_t n = axis == ARRAY_DIMS ? 0 : view->shape[axis];
    n = step && step < n ? step : n;
    if (!from->uniform && from->root == s) /* all is read before something is written */
        from = array_kept(c, from, at);
    for (uint32_t i = 0; i < n; i++) {
        struct array_ref *part =
            step ? neighbours(c, view, axis, i, step) : cut(c, view, axis, i, 0, 0);
        array_put(c, part, source_part(c, view, from, axis, i, step), at);
    }
}

/* ---- folds ---- */

/* What one register of the result is made of. */
struct beside {
    struct array_ref *parts[IR_REGISTERS];
    uint32_t count;
};

static void fold_terms(struct arrays *c, const struct beside *t, const struct array_fold *item,
                       struct array_ref *y, struct span at) {
    const struct mpu_type type = array_fold_type(item, 1);
    struct array_value v[IR_REGISTERS];
    struct array_term terms[IR_REGISTERS];
    for (uint32_t i = 0; i < t->count; i++)
        v[i] = array_fetch(c, t->parts[i], y->ndim, y->shape, at);
    array_begin(c, y->ndim, y->shape, at);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t own = ir_element(&c->b, v[i].variable, v[i].element);
        terms[i] =
            (struct array_term){ir_convert(&c->b, own, item->from, type, IR_NONE, at), type, 1};
    }
    array_fold_terms(&c->b, item, terms, t->count, y->type, ir_element(&c->b, y->root->variable, 0),
                     at);
}

struct array_ref *array_fold_registers(struct arrays *c, struct array_ref *x,
                                       const struct array_fold *item, uint32_t *axis,
                                       struct span at) {
    struct beside t = {.count = 0};
    bool index = item->kind == ARRAY_ARGMIN || item->kind == ARRAY_ARGMAX;
    array_note_fold(c, x, index ? ARRAY_DIMS : *axis);
    uint32_t along = x->root ? array_register_axis(x) : ARRAY_DIMS, step = 0;
    if (along == ARRAY_DIMS || index || (*axis != ARRAY_ALL && *axis != along))
        return x;
    if (x->root->lay.split)
        step = x->root->lay.count;
    if (step && (!array_is_storage(x) || x->shape[along] == step))
        return x;
    t.count = step ? step : (uint32_t)x->shape[along];
    for (uint32_t i = 0; i < t.count; i++)
        t.parts[i] = step ? neighbours(c, x, along, i, step) : cut(c, x, along, i, 0, 0);
    const struct array_ref *p = t.parts[0];
    struct array_ref *y = array_uncounted(c, array_fold_type(item, t.count), p->ndim, p->shape,
                                          (struct array_lay){.count = 1}, at);
    fold_terms(c, &t, item, y, at);
    *axis = *axis == ARRAY_ALL || step ? *axis : ARRAY_DIMS;
    return y;
}
