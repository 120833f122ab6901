/* SPDX-License-Identifier: MIT
 * Reading arrays: in the lanes where they lie, or after a move to the reader's lanes. */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- what is remembered ---- */

static const struct array_brought *find_brought(const struct arrays *arrays,
                                                const struct array_ref *ref) {
    for (const struct array_brought *x = ref->root->brought; x; x = x->next)
        if (x->version == ref->root->version && array_epoch_is_open(arrays, x->epoch) &&
            array_same_maps(x->as, ref))
            return x;
    return NULL;
}

static void keep_brought(struct arrays *arrays, const struct array_ref *ref, uint32_t variable) {
    struct array_brought *x = ARENA_NEW(arrays->arena, struct array_brought);
    struct array_ref *as = ARENA_NEW(arrays->arena, struct array_ref);
    *as = *ref;
    *x = (struct array_brought){.variable = variable,
                                .version = ref->root->version,
                                .epoch = vec_last(&arrays->epochs),
                                .as = as};
    x->next = ref->root->brought;
    ref->root->brought = x;
}

/* The variable's elements in the group of another shape with as many. */
static uint32_t recast(struct arrays *arrays, struct array_storage *storage, uint32_t ndim,
                       const uint64_t *shape, struct span at) {
    struct array_ref as = *array_whole(arrays, storage, at);
    as.ndim = as.rdim = ndim;
    memcpy(as.shape, shape, ndim * sizeof *shape);
    memcpy(as.rshape, shape, ndim * sizeof *shape);
    memset(as.map, 0, sizeof as.map);
    for (uint32_t d = 0; d < ndim; d++)
        as.map[d].coeff[d] = 1;
    const struct array_brought *known = find_brought(arrays, &as);
    if (known)
        return known->variable;
    uint32_t v = array_local(arrays, array_group(arrays, ndim, shape), storage->type, at);
    array_begin(arrays, ndim, shape, at);
    ir_operation(&arrays->b, IR_COPY, storage->type, ir_element(&arrays->b, v, 0),
                 ir_element(&arrays->b, storage->variable, 0), IR_NONE, IR_NONE, 0, at);
    vec_last(&arrays->b.code->insns).from = storage->type;
    keep_brought(arrays, &as, v);
    return v;
}

void array_clear_sources(struct ir_move *move) {
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        move->record.source[d] = (struct move_affine){.size = NO_INDEX};
}

uint32_t array_source(struct arrays *arrays, const struct array_ref *ref, struct array_spot *spot,
                      struct span at) {
    if (!array_find_spot(ref, spot)) {
        ref = array_in_lanes(arrays, ref, at);
        array_find_spot(ref, spot);
    }
    const struct array_storage *s = ref->root;
    if (s->lay.count > 1 || array_same_shape(ref->rdim, ref->rshape, s->ndim, s->shape))
        return s->variable;
    return recast(arrays, ref->root, ref->rdim, ref->rshape, at);
}

/* Brings what the array's map says. */
static uint32_t bring_by_map(struct arrays *arrays, const struct array_ref *ref, struct span at) {
    struct array_spot p;
    const struct array_brought *known = find_brought(arrays, ref);
    if (known)
        return known->variable;
    at = ref->is_view ? ref->at : at; /* what is moved there, rather than for what */
    uint32_t from = array_source(arrays, ref, &p, at);
    uint32_t to = array_local(arrays, array_group(arrays, ref->ndim, ref->shape), ref->type, at);
    struct ir_move m = ir_plain_move(arrays->b.p, to, from);
    array_clear_sources(&m);
    for (uint32_t r = 0; r < p.n + m.record.src_has_k; r++) {
        m.record.source[r].offset = p.map[r].offset;
        for (uint32_t v = 0; v < ref->ndim; v++)
            m.record.source[r].coeff[v] = ref->shape[v] > 1 ? p.map[r].coeff[v] : 0;
        array_set_laps(arrays, &m.record, MOVE_SOURCE, r, &p.map[r].laps);
    }
    ir_put_move(&arrays->b, &m, at);
    keep_brought(arrays, ref, to);
    return to;
}

/* What is put off is there afterwards. */
static void await(struct arrays *arrays, const struct array_ref *ref) {
    if (ref->root->due)
        array_catch_up(arrays);
    ref->root->read = true;
}

struct array_value array_fetch(struct arrays *arrays, const struct array_ref *ref, uint32_t ndim,
                               const uint64_t *shape, struct span at) {
    struct array_ref wide = array_broadcast(ref, ndim, shape);
    struct array_spot p;
    await(arrays, ref);
    if (array_find_spot(&wide, &p) && p.fixed && array_lies_in_order(&wide, &p))
        return (struct array_value){ref->root->variable, p.element, ref->type};
    return (struct array_value){bring_by_map(arrays, &wide, at), 0, ref->type};
}

struct array_value array_bring(struct arrays *arrays, const struct array_ref *ref, uint32_t ndim,
                               const uint64_t *shape, struct span at) {
    array_note_meeting(arrays, ref, NULL, NULL);
    return array_fetch(arrays, ref, ndim, shape, at);
}

uint32_t array_settle(struct arrays *arrays, const struct array_ref *ref, struct span at) {
    uint32_t group = array_group(arrays, ref->ndim, ref->shape);
    struct array_value v = {0};
    if (!ref->uniform) {
        v = array_bring(arrays, ref, ref->ndim, ref->shape, at);
        const struct variable *x = &arrays->b.p->variables.data[v.variable].decl;
        if (x->group == group && x->count == 1)
            return v.variable;
    }
    uint32_t to = array_local(arrays, group, ref->type, at);
    ir_begin_ensemble(&arrays->b, group, at);
    uint32_t dst = ir_element(&arrays->b, to, 0);
    if (ref->uniform)
        array_put_uniform(arrays, ref->uniform, dst, at);
    else
        ir_convert(&arrays->b, ir_element(&arrays->b, v.variable, v.element), ref->type, ref->type,
                   dst, at);
    return to;
}
