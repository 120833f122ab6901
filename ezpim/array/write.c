/* SPDX-License-Identifier: MIT
 * Writing parts of arrays. */
#include "ezpim/array/array.h"

#include <string.h>

/* The axis of the view that a coordinate of its storage follows; ARRAY_DIMS: none. */
static uint32_t axis_of(const struct array_ref *view, const struct array_affine *affine) {
    uint32_t v = 0;
    while (v < view->ndim && !affine->coeff[v])
        v++;
    return v < view->ndim ? v : ARRAY_DIMS;
}

/* Which elements of coordinate `dim` of the storage are written. */
static void bound_axis(struct arrays *arrays, struct ir_move *move, const struct array_ref *view,
                       const struct array_spot *spot, uint32_t dim) {
    uint32_t v = axis_of(view, &spot->map[dim]);
    int64_t first = spot->map[dim].offset, n = v < ARRAY_DIMS ? (int64_t)view->shape[v] : 1;
    int64_t step = v < ARRAY_DIMS && n > 1 ? spot->map[dim].coeff[v] : 1;
    const struct move_bound offset = {first, NO_INDEX, 0};
    if (step != 1) {
        object_move_set_stride(&move->record, dim, step, &offset, arrays->arena);
        array_set_laps(arrays, &move->record, MOVE_STRIDE, dim, &spot->map[dim].laps);
        first = 0;
    } else {
        array_set_laps(arrays, &move->record, MOVE_FIRST, dim, &spot->map[dim].laps);
        array_set_laps(arrays, &move->record, MOVE_LAST, dim, &spot->map[dim].laps);
    }
    if (step != 1 || first != 0 || (uint64_t)n != spot->shape[dim])
        ir_move_bound(move, dim, (struct move_bound){first, NO_INDEX, 0},
                      (struct move_bound){first + n, NO_INDEX, 0});
}

/* Source coordinates, which follow the axes of the view, in coordinates of the storage. */
static void follow_axes(struct arrays *arrays, struct move *move, uint32_t r,
                        const struct array_affine *by, const struct array_ref *view,
                        const struct array_spot *spot) {
    struct move_affine *f = &move->source[r];
    struct array_laps laps = by->laps;
    f->offset = by->offset;
    for (uint32_t d = 0; d < spot->n; d++) {
        uint32_t v = axis_of(view, &spot->map[d]);
        int64_t coeff = v < ARRAY_DIMS && view->shape[v] > 1 ? by->coeff[v] : 0;
        f->coeff[d] = coeff;
        if (v == ARRAY_DIMS || spot->map[d].coeff[v] != 1)
            continue;
        f->offset -= coeff * spot->map[d].offset;
        array_laps_add(&laps, -coeff, &spot->map[d].laps);
    }
    array_set_laps(arrays, move, MOVE_SOURCE, r, &laps);
}

/* One value for all: it is put beside the elements that get it. */
static void source_is_value(struct arrays *arrays, struct ir_move *move,
                            const struct array_ref *view, const struct array_ref *from,
                            struct span at) {
    uint32_t group = arrays->b.p->variables.data[view->root->variable].decl.group;
    move->from = array_local(arrays, group, from->type, at);
    ir_begin_ensemble(&arrays->b, group, at);
    array_put_uniform(arrays, from->uniform, ir_element(&arrays->b, move->from, 0), at);
    *move = ir_plain_move(arrays->b.p, move->to, move->from);
}

static void source_is_array(struct arrays *arrays, struct ir_move *move,
                            const struct array_ref *view, const struct array_spot *spot,
                            const struct array_ref *from, struct span at) {
    struct array_ref wide = array_broadcast(from, view->ndim, view->shape);
    struct array_spot q;
    *move = ir_plain_move(arrays->b.p, move->to, array_source(arrays, &wide, &q, at));
    array_clear_sources(move);
    for (uint32_t r = 0; r < q.n + move->record.src_has_k; r++)
        follow_axes(arrays, &move->record, r, &q.map[r], view, spot);
}

static void note_written(struct arrays *arrays, const struct array_ref *view,
                         const struct array_ref *from) {
    int target[ARRAY_DIMS] = {-1, -1, -1};
    uint32_t more = view->ndim - from->ndim;
    for (uint32_t r = 0; r < view->rdim; r++)
        for (uint32_t v = more; v < view->ndim; v++)
            if (view->map[r].coeff[v] && view->shape[v] > 1)
                target[v - more] = (int)r;
    array_note_meeting(arrays, from, view->root, target);
    array_note_stacked(arrays, view);
}

/* An array in the order of these extents, from which its own differ by axes of one element. */
static struct array_ref aligned(const struct array_ref *ref, uint32_t ndim, const uint64_t *shape) {
    struct array_ref x = *ref;
    uint32_t v = 0;
    memset(x.map, 0, sizeof x.map);
    for (uint32_t d = 0; d < ndim; d++) {
        while (v < ref->ndim && ref->shape[v] == 1 && shape[d] != 1)
            v++;
        for (uint32_t r = 0; r < ref->rdim && v < ref->ndim && shape[d] > 1; r++)
            x.map[r].coeff[d] = ref->map[r].coeff[v];
        v += v < ref->ndim && ref->shape[v] == shape[d];
    }
    for (uint32_t r = 0; r < ref->rdim; r++) {
        x.map[r].offset = ref->map[r].offset;
        x.map[r].laps = ref->map[r].laps;
    }
    x.ndim = ndim;
    memcpy(x.shape, shape, ndim * sizeof *shape);
    return x;
}

static void write_register(struct arrays *arrays, const struct array_ref *view,
                           const struct array_spot *spot, const struct array_ref *from,
                           struct span at) {
    struct array_ref wide = *from;
    if (!from->uniform) {
        wide = array_broadcast(from, view->ndim, view->shape);
        wide = aligned(&wide, spot->n, spot->shape);
    }
    array_put_register(arrays, &wide, view->root, spot->element, at);
}

void array_put(struct arrays *arrays, const struct array_ref *view, const struct array_ref *from,
               struct span at) {
    struct ir_move m = {.to = view->root->variable};
    struct array_spot p;
    array_catch_up(arrays);
    if (from->root)
        from->root->read = true;
    note_written(arrays, view, from);
    uint64_t n = array_elements(view->ndim, view->shape);
    bool fixed = array_find_spot(view, &p) && p.fixed, some = view->root->lay.count > 1;
    if (some && !fixed && array_register_axis(view) < ARRAY_DIMS) {
        array_write_registers(arrays, view, from, at);
        return;
    }
    if (some && fixed && array_lies_in_order(view, &p) && n == array_elements(p.n, p.shape)) {
        write_register(arrays, view, &p, from, at);
        return;
    }
    if (from->uniform)
        source_is_value(arrays, &m, view, from, at);
    else
        source_is_array(arrays, &m, view, &p, from, at);
    for (uint32_t d = 0; d < p.n + m.record.dst_has_k; d++)
        bound_axis(arrays, &m, view, &p, d);
    ir_put_move(&arrays->b, &m, at);
    array_touch(view->root, at);
}

/* What goes into an array of fewer axes, without those in front, which have one element. */
static struct array_ref *without_front(struct arrays *arrays, struct array_ref *ref,
                                       uint32_t ndim) {
    if (ref->ndim <= ndim)
        return ref;
    uint32_t more = ref->ndim - ndim;
    struct array_ref *v = array_view_of(arrays, ref, ref->at);
    v->ndim = ndim;
    memmove(v->shape, v->shape + more, ndim * sizeof *v->shape);
    for (uint32_t r = 0; r < v->rdim; r++)
        memmove(v->map[r].coeff, v->map[r].coeff + more, ndim * sizeof *v->map[r].coeff);
    return v;
}

void array_store(struct arrays *arrays, struct array_ref *to, const struct array_ref *view,
                 struct array_ref *from, struct span at) {
    bool whole = (array_is_storage(view) || array_is_direct(view)) &&
                 array_same_shape(view->ndim, view->shape, to->ndim, to->shape);
    from = without_front(arrays, from, view->ndim);
    if (whole)
        array_copy_into(arrays, from, to->root, at);
    else
        array_put(arrays, view, from, at);
    to->range = whole ? from->range : array_range_union(from->range, to->range);
}
