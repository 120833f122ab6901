/* SPDX-License-Identifier: MIT
 * Arrays of which an axis lies in registers: where their elements are, and how such arrays are
 * read, written and folded a register at a time.  Whatever else is done with them is done with a
 * copy in lanes. */
#include "ezpim/np/unit.h"

#include <string.h>

/* ---- where ---- */

/* Of an axis in registers: its coordinate comes last. */
static void spot_of_axis(const struct np_storage *s, struct np_spot *p) {
    const struct np_affine f = p->map[s->lay.axis];
    for (uint32_t r = s->lay.axis; r + 1 < p->n; r++) {
        p->map[r] = p->map[r + 1];
        p->shape[r] = p->shape[r + 1];
    }
    p->map[--p->n] = f;
}

/* Of a split axis: c = count * lane + register. */
static bool spot_of_split(const struct np_array *a, struct np_spot *p) {
    struct np_affine *f = &p->map[p->n - 1];
    int64_t count = a->root->lay.count;
    for (uint32_t v = 0; v < a->ndim; v++) {
        if (a->shape[v] > 1 && f->coeff[v] % count != 0)
            return false;
        f->coeff[v] = a->shape[v] > 1 ? f->coeff[v] / count : 0;
    }
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++) {
        if (f->laps.coeff[d] % count != 0)
            return false;
        f->laps.coeff[d] /= count;
    }
    p->map[p->n] = (struct np_affine){.offset = f->offset % count};
    f->offset /= count;
    p->shape[p->n - 1] /= (uint64_t)count;
    return true;
}

bool np_find_spot(const struct np_array *a, struct np_spot *p) {
    const struct np_storage *s = a->root;
    *p = (struct np_spot){.n = a->rdim, .fixed = true};
    memcpy(p->map, a->map, sizeof a->map);
    memcpy(p->shape, a->rshape, sizeof a->rshape);
    if (s->lay.count == 1)
        return true;
    if (!np_same_shape(a->rdim, a->rshape, s->ndim, s->shape) ||
        (s->lay.split && !spot_of_split(a, p)))
        return false;
    if (!s->lay.split)
        spot_of_axis(s, p);
    p->shape[p->n] = s->lay.count;
    p->fixed = np_is_constant(&p->map[p->n], a->ndim, a->shape);
    p->element = p->fixed ? (uint32_t)p->map[p->n].offset : 0;
    return true;
}

/* ---- parts ---- */

/* Elements first, first + step .. of an axis; count 0: the first alone, and the axis goes. */
static struct np_array *cut(struct np_unit *u, const struct np_array *a, uint32_t axis,
                            int64_t first, int64_t step, uint64_t count) {
    struct np_array *x = ARENA_NEW(&u->arena, struct np_array);
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

static struct np_array *neighbours(struct np_unit *u, const struct np_array *a, uint32_t axis,
                                   uint32_t first, uint32_t step) {
    return cut(u, a, axis, first, step, (a->shape[axis] - first + step - 1) / step);
}

struct np_array *np_part(struct np_unit *u, struct np_array *a, const struct np_storage *s,
                         uint32_t j) {
    int axis = (int)s->lay.axis - (int)(s->ndim - a->ndim);
    if (s->lay.count == 1 || a->uniform || axis < 0)
        return a;
    bool one = a->shape[axis] == 1;
    if (s->lay.split)
        return one ? a : neighbours(u, a, (uint32_t)axis, j, s->lay.count);
    return cut(u, a, (uint32_t)axis, one ? 0 : j, 0, 0);
}

uint32_t np_register_axis(const struct np_array *a) {
    const struct np_storage *s = a->root;
    if (s->lay.count == 1 || !np_same_shape(a->rdim, a->rshape, s->ndim, s->shape))
        return NP_DIMS;
    uint32_t v = 0;
    while (v < a->ndim && (a->shape[v] == 1 || !a->map[s->lay.axis].coeff[v]))
        v++;
    return v < a->ndim ? v : NP_DIMS;
}

/* Of a split axis every register by itself. */
static void copy_to_lanes(struct np_unit *u, const struct np_array *to, const struct np_array *from,
                          struct span at) {
    uint32_t step = from->root->lay.split ? from->root->lay.count : 1, last = to->ndim - 1;
    for (uint32_t i = 0; i < step; i++)
        np_write(u, step > 1 ? neighbours(u, to, last, i, step) : to,
                 step > 1 ? neighbours(u, from, last, i, step) : from, at);
}

struct np_array *np_in_lanes(struct np_unit *u, const struct np_array *a, struct span at) {
    struct np_storage *s = a->root;
    struct np_array *x = ARENA_NEW(&u->arena, struct np_array), *lanes;
    if (!s->in_lanes || s->in_lanes_version != s->version ||
        !np_epoch_is_open(u, s->in_lanes_epoch)) {
        s->in_lanes_version = s->version;
        s->in_lanes_epoch = vec_last(&u->epochs);
        lanes = np_uncounted_array(u, s->type, s->ndim, s->shape, (struct np_lay){.count = 1}, at);
        copy_to_lanes(u, lanes, np_whole(u, s, at), at);
        s->in_lanes = lanes->root;
    }
    *x = *a;
    x->root = s->in_lanes;
    x->version = x->root->version;
    return x;
}

struct np_array *np_kept(struct np_unit *u, const struct np_array *a, struct span at) {
    const struct np_storage *s = a->root;
    struct np_array *x = ARENA_NEW(&u->arena, struct np_array), *all = np_whole(u, a->root, at);
    *x = *a;
    x->root = np_uncounted_array(u, s->type, s->ndim, s->shape, s->lay, at)->root;
    np_elementwise(u, NP_OP_PLUS, 1, &all, s->type, 0, x->root, at);
    x->version = x->root->version;
    return x;
}

/* ---- writing ---- */

/* The part of `from` that goes where element (or every step-th element from there) i of an axis of
 * the view is. */
static struct np_array *source_part(struct np_unit *u, const struct np_array *view,
                                    const struct np_array *from, uint32_t axis, uint32_t i,
                                    uint32_t step) {
    int own = (int)axis - (int)(view->ndim - from->ndim);
    if (from->uniform || own < 0 || (step && from->shape[own] == 1))
        return (struct np_array *)(uintptr_t)from;
    if (step)
        return neighbours(u, from, (uint32_t)own, i, step);
    return cut(u, from, (uint32_t)own, from->shape[own] == 1 ? 0 : i, 0, 0);
}

bool np_write_registers(struct np_unit *u, const struct np_array *view, const struct np_array *from,
                        struct span at) {
    const struct np_storage *s = view->root;
    uint32_t axis = np_register_axis(view), step = s->lay.split ? s->lay.count : 0;
    uint64_t n = axis == NP_DIMS ? 0 : view->shape[axis];
    n = step && step < n ? step : n;
    if (!from->uniform && from->root == s) /* all is read before something is written */
        from = np_kept(u, from, at);
    for (uint32_t i = 0; i < n; i++) {
        struct np_array *part =
            step ? neighbours(u, view, axis, i, step) : cut(u, view, axis, i, 0, 0);
        if (!np_write(u, part, source_part(u, view, from, axis, i, step), at))
            return false;
    }
    return true;
}

/* ---- folds ---- */

/* What one register of the result is made of. */
struct np_terms {
    struct np_array *parts[IR_REGISTERS];
    uint32_t count;
};

static bool fold_terms(struct np_unit *u, const struct np_terms *t, const struct array_fold *item,
                       struct np_array *y, struct span at) {
    struct array_term terms[IR_REGISTERS];
    uint32_t variable[IR_REGISTERS], element[IR_REGISTERS];
    for (uint32_t i = 0; i < t->count; i++)
        if (!np_fetch(u, t->parts[i], y->ndim, y->shape, at, &variable[i], &element[i]))
            return false;
    np_begin(u, y->ndim, y->shape, at);
    for (uint32_t i = 0; i < t->count; i++)
        terms[i] =
            (struct array_term){ir_convert(&u->b, ir_element(&u->b, variable[i], element[i]),
                                           item->from, array_fold_type(item, 1), IR_NONE, at),
                                array_fold_type(item, 1), 1};
    array_fold_terms(&u->b, item, terms, t->count, y->type, ir_element(&u->b, y->root->variable, 0),
                     at);
    return true;
}

struct np_array *np_fold_registers(struct np_unit *u, struct np_array *x, enum array_fold_kind kind,
                                   struct mpu_type from, struct mpu_type type, uint32_t *axis,
                                   struct span at) {
    struct np_terms t = {.count = 0};
    struct array_fold item = {.kind = kind, .from = from, .type = type};
    np_note_fold(u, x, kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX ? NP_DIMS : *axis);
    uint32_t along = x->root ? np_register_axis(x) : NP_DIMS, step = 0;
    if (along == NP_DIMS || kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX ||
        (*axis != ARRAY_ALL && *axis != along))
        return x;
    if (x->root->lay.split)
        step = x->root->lay.count;
    if (step && (!np_is_storage(x) || x->shape[along] == step))
        return x;
    t.count = step ? step : (uint32_t)x->shape[along];
    for (uint32_t i = 0; i < t.count; i++)
        t.parts[i] = step ? neighbours(u, x, along, i, step) : cut(u, x, along, i, 0, 0);
    const struct np_array *p = t.parts[0];
    struct np_array *y = np_uncounted_array(u, array_fold_type(&item, t.count), p->ndim, p->shape,
                                            (struct np_lay){.count = 1}, at);
    if (!np_readable(u, x, at) || !fold_terms(u, &t, &item, y, at))
        return NULL;
    *axis = *axis == ARRAY_ALL || step ? *axis : NP_DIMS;
    return y;
}
