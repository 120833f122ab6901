/* SPDX-License-Identifier: MIT
 * Checks of moves. */
#include "object/check_object.h"

uint32_t object_move_dims(const struct object *o, uint32_t group, bool has_k) {
    if (group == NO_INDEX)
        return has_k;
    const struct group *g = &o->groups.data[group];
    return (g->per_mpu ? o->geometry.grid_dims : 0) + g->ndim + has_k;
}

static uint32_t first_of_kin(const struct object *o, uint32_t g) {
    while (o->groups.data[g].like != NO_INDEX)
        g = o->groups.data[g].like;
    return g;
}

bool object_groups_match(const struct object *o, uint32_t a, uint32_t b) {
    const struct group *x = &o->groups.data[a], *y = &o->groups.data[b];
    bool same = first_of_kin(o, a) == first_of_kin(o, b) && x->ndim == y->ndim;
    for (uint32_t i = 0; same && i < x->ndim; i++)
        same = x->extent[i].size == y->extent[i].size && x->extent[i].value == y->extent[i].value;
    return same;
}

struct move object_move_from_near(const struct move *m) {
    struct move x = *m;
    if (m->index.kind != INDEX_SCATTER)
        return x;
    x.dst_group = m->src_group;
    x.dst_reg = m->src_reg;
    x.dst_count = m->src_count;
    x.dst_has_k = m->src_has_k;
    x.src_group = m->dst_group;
    x.src_reg = m->dst_reg;
    x.src_count = m->dst_count;
    x.src_has_k = m->dst_has_k;
    return x;
}

unsigned object_move_index_count(const struct move *m) {
    if (!m->index.kind || !m->index.follows)
        return m->index.kind != INDEX_NONE;
    return m->index.kind == INDEX_SCATTER ? m->src_count : m->dst_count;
}

static bool factor_ok(int64_t x) {
    return x >= -(int64_t)MOVE_MAX_FACTOR && x <= (int64_t)MOVE_MAX_FACTOR;
}

static bool bound_ok(const struct object *o, int64_t offset, uint32_t size, int64_t size_coeff) {
    bool named = size_coeff ? size < o->sizes.len : size == NO_INDEX;
    return named && factor_ok(offset) && factor_ok(size_coeff);
}

static bool bound_is_zero(const struct move_bound *b) {
    return b->offset == 0 && b->size == NO_INDEX && b->size_coeff == 0;
}

static void check_bounds(struct check *c, const struct move *m, uint32_t dims) {
    for (uint32_t d = 0; d < MOVE_MAX_DIMS && c->ok; d++) {
        const struct move_bound *first = &m->first[d], *last = &m->last[d];
        bool given = m->bounded >> d & 1;
        if (given ? d >= dims : !bound_is_zero(first) || !bound_is_zero(last))
            object_check_fail(c, "move '%s' has a range in a dimension that it does not have",
                              m->name);
        else if (!bound_ok(c->o, first->offset, first->size, first->size_coeff) ||
                 !bound_ok(c->o, last->offset, last->size, last->size_coeff))
            object_check_fail(c, "a bound of move '%s' is beyond 2^40 or names no size", m->name);
    }
    if (m->bounded >> MOVE_MAX_DIMS)
        object_check_fail(c, "move '%s' has a range in a dimension that it does not have", m->name);
}

/* Coefficients of coordinates that are not there are 0, as is the whole of one that is not. */
static void check_source(struct check *c, const struct move *m, uint32_t d, uint32_t dst_dims,
                         uint32_t src_dims) {
    const struct move_affine *a = &m->source[d];
    for (uint32_t k = 0; k < MOVE_MAX_DIMS && c->ok; k++)
        if (!factor_ok(a->coeff[k]) || (a->coeff[k] && (k >= dst_dims || d >= src_dims)))
            object_check_fail(c, "move '%s' has a coefficient beyond 2^40 or of no coordinate",
                              m->name);
    if (!bound_ok(c->o, a->offset, a->size, a->size_coeff) ||
        (d >= src_dims && (a->offset || a->size_coeff)))
        object_check_fail(c, "source coordinate %u of move '%s' is beyond 2^40 or names no size",
                          (unsigned)d, m->name);
}

static bool registers_ok(uint8_t reg, uint8_t count, bool has_k) {
    return reg < 64 && count >= 1 && reg + count <= 64 && (has_k || count == 1);
}

static void check_move_head(struct check *c, const struct move *m) {
    const struct object *o = c->o;
    if ((m->dst_group != NO_INDEX && m->dst_group >= o->groups.len) ||
        (m->src_group != NO_INDEX && m->src_group >= o->groups.len))
        object_check_fail(c, "move '%s' names a group that is not there", m->name);
    else if (!registers_ok(m->dst_reg, m->dst_count, m->dst_has_k) ||
             !registers_ok(m->src_reg, m->src_count, m->src_has_k))
        object_check_fail(c, "move '%s' needs registers beyond r63", m->name);
    else if (m->width < 1 || m->width > 64)
        object_check_fail(c, "the width of move '%s' is not in 1..64", m->name);
    else if (m->outside > MOVE_CLIP || (m->outside == MOVE_CLIP && !m->index.kind) ||
             (m->fill && m->outside != MOVE_FILL) || (m->width < 64 && m->fill >> m->width))
        object_check_fail(c, "move '%s' has no known way with elements without a source", m->name);
}

static bool affine_is_zero(const struct move_affine *a) {
    for (uint32_t k = 0; k < MOVE_MAX_DIMS; k++)
        if (a->coeff[k])
            return false;
    return a->offset == 0 && a->size == NO_INDEX && a->size_coeff == 0;
}

static bool has_laps(const struct move *m, enum move_form form, uint32_t d) {
    for (uint32_t n = 0; m->laps && n < MOVE_MAX_LAPS; n++)
        if (m->laps->coeff[form][d][n])
            return true;
    return false;
}

static bool index_registers_ok(const struct move *near) {
    const struct move_index *x = &near->index;
    unsigned most = x->follows ? near->dst_count - 1u : 0;
    return x->reg + most < 64 && (!x->follows || near->dst_has_k);
}

static bool index_type_ok(struct mpu_type t) {
    return (t.kind == TYPE_UINT || t.kind == TYPE_INT) && object_type_ok(t);
}

/* `near`: as object_move_from_near gives it, its sides checked. */
static void check_index(struct check *c, const struct move *near) {
    const struct move_index *x = &near->index;
    uint32_t far_dims = object_move_dims(c->o, near->src_group, near->src_has_k);
    if (x->kind > INDEX_SCATTER)
        object_check_fail(c, "move '%s' has an index of no known kind", near->name);
    else if (near->dst_group == NO_INDEX ||
             (x->kind == INDEX_SCATTER && near->src_group == NO_INDEX))
        object_check_fail(c, "move '%s' has an index, and a side without a group", near->name);
    else if (x->coordinate >= far_dims || !affine_is_zero(&near->source[x->coordinate]) ||
             has_laps(near, MOVE_SOURCE, x->coordinate))
        object_check_fail(c, "the index of move '%s' is of no coordinate of its own", near->name);
    else if (!index_registers_ok(near) || !index_type_ok(x->type))
        object_check_fail(c, "the index of move '%s' is in no register of integers", near->name);
    else if (x->kind == INDEX_SCATTER && near->outside == MOVE_FILL)
        object_check_fail(c, "move '%s' scatters, and has a constant for what has no source",
                          near->name);
}

static void check_strides(struct check *c, const struct move *m, uint32_t dims) {
    for (uint32_t d = 0; d < MOVE_MAX_DIMS && c->ok && m->strides; d++) {
        const struct move_bound *b = &m->strides->offset[d];
        int64_t coeff = m->strides->coeff[d];
        if (d >= dims && (coeff != 1 || !bound_is_zero(b)))
            object_check_fail(c, "move '%s' has a stride in a dimension that it does not have",
                              m->name);
        else if (!coeff || !factor_ok(coeff) || !bound_ok(c->o, b->offset, b->size, b->size_coeff))
            object_check_fail(c, "a stride of move '%s' is 0, beyond 2^40 or names no size",
                              m->name);
    }
}

/* True if the move has such a number, so that laps may add to it. */
static bool has_form(const struct move *m, enum move_form form, uint32_t d, uint32_t dst_dims,
                     uint32_t src_dims) {
    if (form == MOVE_SOURCE)
        return d < src_dims;
    return d < dst_dims && (form == MOVE_STRIDE || m->bounded >> d & 1);
}

static void check_laps(struct check *c, const struct move *m, uint32_t dst_dims,
                       uint32_t src_dims) {
    for (unsigned f = 0; m->laps && f < MOVE_FORMS; f++)
        for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
            for (unsigned n = 0; n < MOVE_MAX_LAPS && c->ok; n++) {
                int64_t x = m->laps->coeff[f][d][n];
                if (x && !has_form(m, (enum move_form)f, d, dst_dims, src_dims))
                    object_check_fail(c, "move '%s' has laps of a number that it does not have",
                                      m->name);
                else if (!factor_ok(x))
                    object_check_fail(c, "a coefficient of laps of move '%s' is beyond 2^40",
                                      m->name);
            }
    if (c->ok && m->laps && !object_move_repeats(m))
        object_check_fail(c, "the laps of move '%s' add nothing", m->name);
}

static void check_move(struct check *c, struct map *seen, const struct move *m) {
    struct move near = object_move_from_near(m);
    object_check_unique(c, seen, "move", m->name);
    object_check_place(c, "move", m->name, &m->place);
    check_move_head(c, &near);
    object_check_scope(c, "move", m->name, m->dst_group, &m->scope);
    if (!c->ok)
        return;
    uint32_t dst_dims = object_move_dims(c->o, near.dst_group, near.dst_has_k);
    uint32_t src_dims = object_move_dims(c->o, near.src_group, near.src_has_k);
    check_bounds(c, &near, dst_dims);
    for (uint32_t d = 0; d < MOVE_MAX_DIMS && c->ok; d++)
        check_source(c, &near, d, dst_dims, src_dims);
    check_strides(c, &near, dst_dims);
    check_laps(c, &near, dst_dims, src_dims);
    if (c->ok && m->index.kind)
        check_index(c, &near);
}

void object_check_moves(struct check *c) {
    struct map seen = {0};
    for (size_t i = 0; i < c->o->moves.len && c->ok; i++)
        check_move(c, &seen, &c->o->moves.data[i]);
    map_free(&seen);
}
