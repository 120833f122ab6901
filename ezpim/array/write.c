/* SPDX-License-Identifier: MIT
 * Writing parts of arrays. */
#include "ezpim/array/array.h"

#include <string.h>

/* The axis of the view that a coordinate of its storage follows; ARRAY_DIMS: none. */
static uint32_t axis_of(const struct array_ref *view, const struct array_affine *f) {
    uint32_t v = 0;
    while (v < view->ndim && !f->coeff[v])
        v++;
    return v < view->ndim ? v : ARRAY_DIMS;
}

/* Which elements of coordinate d of the storage are written. */
static void bound_axis(struct arrays *c, struct ir_move *m, const struct array_ref *view,
                       const struct array_spot *p, uint32_t d) {
    uint32_t v = axis_of(view, &p->map[d]);
    int64_t first = p->map[d].offset, n = v < ARRAY_DIMS ? (int64_t)view->shape[v] : 1;
    int64_t step = v < ARRAY_DIMS && n > 1 ? p->map[d].coeff[v] : 1;
    const struct move_bound offset = {first, NO_INDEX, 0};
    if (step != 1) {
        object_move_set_stride(&m->record, d, step, &offset, c->arena);
        array_set_laps(c, &m->record, MOVE_STRIDE, d, &p->map[d].laps);
        first = 0;
    } else {
        array_set_laps(c, &m->record, MOVE_FIRST, d, &p->map[d].laps);
        array_set_laps(c, &m->record, MOVE_LAST, d, &p->map[d].laps);
    }
    if (step != 1 || first != 0 || (uint64_t)n != p->shape[d])
        ir_move_bound(m, d, (struct move_bound){first, NO_INDEX, 0},
                      (struct move_bound){first + n, NO_INDEX, 0});
}

/* Source coordinates, which follow the axes of the view, in coordinates of the storage. */
static void follow_axes(struct arrays *c, struct move *m, uint32_t r, const struct array_affine *by,
                        const struct array_ref *view, const struct array_spot *p) {
    struct move_affine *f = &m->source[r];
    struct array_laps laps = by->laps;
    f->offset = by->offset;
    for (uint32_t d = 0; d < p->n; d++) {
        uint32_t v = axis_of(view, &p->map[d]);
        int64_t coeff = v < ARRAY_DIMS && view->shape[v] > 1 ? by->coeff[v] : 0;
        f->coeff[d] = coeff;
        if (v == ARRAY_DIMS || p->map[d].coeff[v] != 1)
            continue;
        f->offset -= coeff * p->map[d].offset;
        array_laps_add(&laps, -coeff, &p->map[d].laps);
    }
    array_set_laps(c, m, MOVE_SOURCE, r, &laps);
}

/* One value for all: it is put beside the elements that get it. */
static void source_is_value(struct arrays *c, struct ir_move *m, const struct array_ref *view,
                            const struct array_ref *from, struct span at) {
    uint32_t group = c->b.p->variables.data[view->root->variable].decl.group;
    m->from = array_local(c, group, from->type, at);
    ir_begin_ensemble(&c->b, group, at);
    array_put_uniform(c, from->uniform, ir_element(&c->b, m->from, 0), at);
    *m = ir_plain_move(c->b.p, m->to, m->from);
}

static void source_is_array(struct arrays *c, struct ir_move *m, const struct array_ref *view,
                            const struct array_spot *p, const struct array_ref *from,
                            struct span at) {
    struct array_ref wide = array_broadcast(from, view->ndim, view->shape);
    struct array_spot q;
    *m = ir_plain_move(c->b.p, m->to, array_source(c, &wide, &q, at));
    array_clear_sources(m);
    for (uint32_t r = 0; r < q.n + m->record.src_has_k; r++)
        follow_axes(c, &m->record, r, &q.map[r], view, p);
}

static void note_written(struct arrays *c, const struct array_ref *view,
                         const struct array_ref *from) {
    int target[ARRAY_DIMS] = {-1, -1, -1};
    uint32_t more = view->ndim - from->ndim;
    for (uint32_t r = 0; r < view->rdim; r++)
        for (uint32_t v = more; v < view->ndim; v++)
            if (view->map[r].coeff[v] && view->shape[v] > 1)
                target[v - more] = (int)r;
    array_note_meeting(c, from, view->root, target);
    array_note_stacked(c, view);
}

/* An array in the order of these extents, from which its own differ by axes of one element. */
static struct array_ref aligned(const struct array_ref *a, uint32_t ndim, const uint64_t *shape) {
    struct array_ref x = *a;
    uint32_t v = 0;
    memset(x.map, 0, sizeof x.map);
    for (uint32_t d = 0; d < ndim; d++) {
        while (v < a->ndim && a->shape[v] == 1 && shape[d] != 1)
            v++;
        for (uint32_t r = 0; r < a->rdim && v < a->ndim && shape[d] > 1; r++)
            x.map[r].coeff[d] = a->map[r].coeff[v];
        v += v < a->ndim && a->shape[v] == shape[d];
    }
    for (uint32_t r = 0; r < a->rdim; r++) {
        x.map[r].offset = a->map[r].offset;
        x.map[r].laps = a->map[r].laps;
    }
    x.ndim = ndim;
    memcpy(x.shape, shape, ndim * sizeof *shape);
    return x;
}

static void write_register(struct arrays *c, const struct array_ref *view,
                           const struct array_spot *p, const struct array_ref *from,
                           struct span at) {
    struct array_ref wide = *from;
    if (!from->uniform) {
        wide = array_broadcast(from, view->ndim, view->shape);
        wide = aligned(&wide, p->n, p->shape);
    }
    array_put_register(c, &wide, view->root, p->element, at);
}

void array_put(struct arrays *c, const struct array_ref *view, const struct array_ref *from,
               struct span at) {
    struct ir_move m = {.to = view->root->variable};
    struct array_spot p;
    array_catch_up(c);
    if (from->root)
        from->root->read = true;
    note_written(c, view, from);
    uint64_t n = array_elements(view->ndim, view->shape);
    bool fixed = array_find_spot(view, &p) && p.fixed, some = view->root->lay.count > 1;
    if (some && !fixed && array_register_axis(view) < ARRAY_DIMS) {
        array_write_registers(c, view, from, at);
        return;
    }
    if (some && fixed && array_lies_in_order(view, &p) && n == array_elements(p.n, p.shape)) {
        write_register(c, view, &p, from, at);
        return;
    }
    if (from->uniform)
        source_is_value(c, &m, view, from, at);
    else
        source_is_array(c, &m, view, &p, from, at);
    for (uint32_t d = 0; d < p.n + m.record.dst_has_k; d++)
        bound_axis(c, &m, view, &p, d);
    ir_put_move(&c->b, &m, at);
    array_touch(view->root, at);
}

/* What goes into an array of fewer axes, without those in front, which have one element. */
static struct array_ref *without_front(struct arrays *c, struct array_ref *x, uint32_t ndim) {
    if (x->ndim <= ndim)
        return x;
    uint32_t more = x->ndim - ndim;
    struct array_ref *v = array_view_of(c, x, x->at);
    v->ndim = ndim;
    memmove(v->shape, v->shape + more, ndim * sizeof *v->shape);
    for (uint32_t r = 0; r < v->rdim; r++)
        memmove(v->map[r].coeff, v->map[r].coeff + more, ndim * sizeof *v->map[r].coeff);
    return v;
}

void array_store(struct arrays *c, struct array_ref *y, const struct array_ref *view,
                 struct array_ref *x, struct span at) {
    bool whole = (array_is_storage(view) || array_is_direct(view)) &&
                 array_same_shape(view->ndim, view->shape, y->ndim, y->shape);
    x = without_front(c, x, view->ndim);
    if (whole)
        array_copy_into(c, x, y->root, at);
    else
        array_put(c, view, x, at);
    y->range = whole ? x->range : array_range_union(x->range, y->range);
}
