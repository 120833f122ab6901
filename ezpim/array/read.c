/* SPDX-License-Identifier: MIT
 * Reading arrays: where they lie, or moved to the reader's lanes. */
#include "ezpim/array/array.h"

#include <string.h>

/* ---- what is remembered ---- */

static const struct array_brought *find_brought(const struct arrays *c, const struct array_ref *a) {
    for (const struct array_brought *x = a->root->brought; x; x = x->next)
        if (x->version == a->root->version && array_epoch_is_open(c, x->epoch) &&
            array_same_maps(x->as, a))
            return x;
    return NULL;
}

static void keep_brought(struct arrays *c, const struct array_ref *a, uint32_t variable) {
    struct array_brought *x = ARENA_NEW(c->arena, struct array_brought);
    struct array_ref *as = ARENA_NEW(c->arena, struct array_ref);
    *as = *a;
    *x = (struct array_brought){
        .variable = variable, .version = a->root->version, .epoch = vec_last(&c->epochs), .as = as};
    x->next = a->root->brought;
    a->root->brought = x;
}

/* The variable's elements in the group of another shape with as many. */
static uint32_t recast(struct arrays *c, struct array_storage *s, uint32_t ndim,
                       const uint64_t *shape, struct span at) {
    struct array_ref as = *array_whole(c, s, at);
    as.ndim = as.rdim = ndim;
    memcpy(as.shape, shape, ndim * sizeof *shape);
    memcpy(as.rshape, shape, ndim * sizeof *shape);
    memset(as.map, 0, sizeof as.map);
    for (uint32_t d = 0; d < ndim; d++)
        as.map[d].coeff[d] = 1;
    const struct array_brought *known = find_brought(c, &as);
    if (known)
        return known->variable;
    uint32_t v = array_local(c, array_group(c, ndim, shape), s->type, at);
    array_begin(c, ndim, shape, at);
    ir_operation(&c->b, IR_COPY, s->type, ir_element(&c->b, v, 0),
                 ir_element(&c->b, s->variable, 0), IR_NONE, IR_NONE, 0, at);
    vec_last(&c->b.code->insns).from = s->type;
    keep_brought(c, &as, v);
    return v;
}

void array_clear_sources(struct ir_move *m) {
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        m->record.source[d] = (struct move_affine){.size = NO_INDEX};
}

uint32_t array_source(struct arrays *c, const struct array_ref *a, struct array_spot *p,
                      struct span at) {
    if (!array_find_spot(a, p)) {
        a = array_in_lanes(c, a, at);
        array_find_spot(a, p);
    }
    const struct array_storage *s = a->root;
    if (s->lay.count > 1 || array_same_shape(a->rdim, a->rshape, s->ndim, s->shape))
        return s->variable;
    return recast(c, a->root, a->rdim, a->rshape, at);
}

/* Brings what the array's map says. */
static uint32_t bring_by_map(struct arrays *c, const struct array_ref *a, struct span at) {
    struct array_spot p;
    const struct array_brought *known = find_brought(c, a);
    if (known)
        return known->variable;
    at = a->is_view ? a->at : at; /* what is moved there, rather than for what */
    uint32_t from = array_source(c, a, &p, at);
    uint32_t to = array_local(c, array_group(c, a->ndim, a->shape), a->type, at);
    struct ir_move m = ir_plain_move(c->b.p, to, from);
    array_clear_sources(&m);
    for (uint32_t r = 0; r < p.n + m.record.src_has_k; r++) {
        m.record.source[r].offset = p.map[r].offset;
        for (uint32_t v = 0; v < a->ndim; v++)
            m.record.source[r].coeff[v] = a->shape[v] > 1 ? p.map[r].coeff[v] : 0;
        array_set_laps(c, &m.record, MOVE_SOURCE, r, &p.map[r].laps);
    }
    ir_put_move(&c->b, &m, at);
    keep_brought(c, a, to);
    return to;
}

/* What is put off is there afterwards. */
static void await(struct arrays *c, const struct array_ref *a) {
    if (a->root->due)
        array_catch_up(c);
    a->root->read = true;
}

struct array_value array_fetch(struct arrays *c, const struct array_ref *a, uint32_t ndim,
                               const uint64_t *shape, struct span at) {
    struct array_ref wide = array_broadcast(a, ndim, shape);
    struct array_spot p;
    await(c, a);
    if (array_find_spot(&wide, &p) && p.fixed && array_lies_in_order(&wide, &p))
        return (struct array_value){a->root->variable, p.element, a->type};
    return (struct array_value){bring_by_map(c, &wide, at), 0, a->type};
}

struct array_value array_bring(struct arrays *c, const struct array_ref *a, uint32_t ndim,
                               const uint64_t *shape, struct span at) {
    array_note_meeting(c, a, NULL, NULL);
    return array_fetch(c, a, ndim, shape, at);
}

uint32_t array_settle(struct arrays *c, const struct array_ref *a, struct span at) {
    uint32_t group = array_group(c, a->ndim, a->shape);
    struct array_value v = {0};
    if (!a->uniform) {
        v = array_bring(c, a, a->ndim, a->shape, at);
        const struct variable *x = &c->b.p->variables.data[v.variable].decl;
        if (x->group == group && x->count == 1)
            return v.variable;
    }
    uint32_t to = array_local(c, group, a->type, at);
    ir_begin_ensemble(&c->b, group, at);
    uint32_t dst = ir_element(&c->b, to, 0);
    if (a->uniform)
        array_put_uniform(c, a->uniform, dst, at);
    else
        ir_convert(&c->b, ir_element(&c->b, v.variable, v.element), a->type, a->type, dst, at);
    return to;
}
