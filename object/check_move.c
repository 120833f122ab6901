/* SPDX-License-Identifier: MIT
 * Checks of moves. */
#include "object/check_object.h"

uint32_t object_move_dims(const struct object *object, uint32_t group, bool has_k) {
    if (group == NO_INDEX)
        return has_k;
    const struct group *g = &object->groups.data[group];
    return (g->per_mpu ? object->geometry.grid_dims : 0) + g->ndim + has_k;
}

static uint32_t first_of_kin(const struct object *object, uint32_t group) {
    while (object->groups.data[group].like != NO_INDEX)
        group = object->groups.data[group].like;
    return group;
}

bool object_groups_match(const struct object *object, uint32_t left, uint32_t right) {
    const struct group *x = &object->groups.data[left], *y = &object->groups.data[right];
    bool same = first_of_kin(object, left) == first_of_kin(object, right) && x->ndim == y->ndim;
    for (uint32_t i = 0; same && i < x->ndim; i++)
        same = x->extent[i].size == y->extent[i].size && x->extent[i].value == y->extent[i].value;
    return same;
}

struct move object_move_from_near(const struct move *move) {
    struct move x = *move;
    if (move->index.kind != INDEX_SCATTER)
        return x;
    x.dst_group = move->src_group;
    x.dst_reg = move->src_reg;
    x.dst_count = move->src_count;
    x.dst_has_k = move->src_has_k;
    x.src_group = move->dst_group;
    x.src_reg = move->dst_reg;
    x.src_count = move->dst_count;
    x.src_has_k = move->dst_has_k;
    return x;
}

unsigned object_move_index_count(const struct move *move) {
    if (!move->index.kind || !move->index.follows)
        return move->index.kind != INDEX_NONE;
    return move->index.kind == INDEX_SCATTER ? move->src_count : move->dst_count;
}

static bool factor_ok(int64_t x) {
    return x >= -(int64_t)MOVE_MAX_FACTOR && x <= (int64_t)MOVE_MAX_FACTOR;
}

static bool bound_ok(const struct object *object, int64_t offset, uint32_t size,
                     int64_t size_coeff) {
    bool named = size_coeff ? size < object->sizes.len : size == NO_INDEX;
    return named && factor_ok(offset) && factor_ok(size_coeff);
}

static bool bound_is_zero(const struct move_bound *bound) {
    return bound->offset == 0 && bound->size == NO_INDEX && bound->size_coeff == 0;
}

static void check_bounds(struct check *check, const struct move *move, uint32_t dims) {
    for (uint32_t d = 0; d < MOVE_MAX_DIMS && check->ok; d++) {
        const struct move_bound *first = &move->first[d], *last = &move->last[d];
        bool given = move->bounded >> d & 1;
        if (given ? d >= dims : !bound_is_zero(first) || !bound_is_zero(last))
            object_check_fail(check, "move '%s' has a range in a dimension that it does not have",
                              move->name);
        else if (!bound_ok(check->o, first->offset, first->size, first->size_coeff) ||
                 !bound_ok(check->o, last->offset, last->size, last->size_coeff))
            object_check_fail(check, "a bound of move '%s' is beyond 2^40 or names no size",
                              move->name);
    }
    if (move->bounded >> MOVE_MAX_DIMS)
        object_check_fail(check, "move '%s' has a range in a dimension that it does not have",
                          move->name);
}

/* Coefficients of coordinates that are not there are 0, as is the whole of one that is not. */
static void check_source(struct check *check, const struct move *move, uint32_t d,
                         uint32_t dst_dims, uint32_t src_dims) {
    const struct move_affine *a = &move->source[d];
    for (uint32_t k = 0; k < MOVE_MAX_DIMS && check->ok; k++)
        if (!factor_ok(a->coeff[k]) || (a->coeff[k] && (k >= dst_dims || d >= src_dims)))
            object_check_fail(check, "move '%s' has a coefficient beyond 2^40 or of no coordinate",
                              move->name);
    if (!bound_ok(check->o, a->offset, a->size, a->size_coeff) ||
        (d >= src_dims && (a->offset || a->size_coeff)))
        object_check_fail(check,
                          "source coordinate %u of move '%s' is beyond 2^40 or names no size",
                          (unsigned)d, move->name);
}

static bool registers_ok(uint8_t reg, uint8_t count, bool has_k) {
    return reg < 64 && count >= 1 && reg + count <= 64 && (has_k || count == 1);
}

static void check_move_head(struct check *check, const struct move *move) {
    const struct object *o = check->o;
    if ((move->dst_group != NO_INDEX && move->dst_group >= o->groups.len) ||
        (move->src_group != NO_INDEX && move->src_group >= o->groups.len))
        object_check_fail(check, "move '%s' names a group that is not there", move->name);
    else if (!registers_ok(move->dst_reg, move->dst_count, move->dst_has_k) ||
             !registers_ok(move->src_reg, move->src_count, move->src_has_k))
        object_check_fail(check, "move '%s' needs registers beyond r63", move->name);
    else if (move->width < 1 || move->width > 64)
        object_check_fail(check, "the width of move '%s' is not in 1..64", move->name);
    else if (move->outside > MOVE_CLIP || (move->outside == MOVE_CLIP && !move->index.kind) ||
             (move->fill && move->outside != MOVE_FILL) ||
             (move->width < 64 && move->fill >> move->width))
        object_check_fail(check, "move '%s' has no known way with elements without a source",
                          move->name);
}

static bool affine_is_zero(const struct move_affine *affine) {
    for (uint32_t k = 0; k < MOVE_MAX_DIMS; k++)
        if (affine->coeff[k])
            return false;
    return affine->offset == 0 && affine->size == NO_INDEX && affine->size_coeff == 0;
}

static bool has_laps(const struct move *move, enum move_form form, uint32_t d) {
    for (uint32_t n = 0; move->laps && n < MOVE_MAX_LAPS; n++)
        if (move->laps->coeff[form][d][n])
            return true;
    return false;
}

static bool index_registers_ok(const struct move *near) {
    const struct move_index *x = &near->index;
    unsigned most = x->follows ? near->dst_count - 1u : 0;
    return x->reg + most < 64 && (!x->follows || near->dst_has_k);
}

static bool index_type_ok(struct lane_type type) {
    return (type.kind == TYPE_UINT || type.kind == TYPE_INT) && object_type_ok(type);
}

/* `near`: as object_move_from_near gives it, its sides checked. */
static void check_index(struct check *check, const struct move *near) {
    const struct move_index *x = &near->index;
    uint32_t far_dims = object_move_dims(check->o, near->src_group, near->src_has_k);
    if (x->kind > INDEX_SCATTER)
        object_check_fail(check, "move '%s' has an index of no known kind", near->name);
    else if (near->dst_group == NO_INDEX ||
             (x->kind == INDEX_SCATTER && near->src_group == NO_INDEX))
        object_check_fail(check, "move '%s' has an index, and a side without a group", near->name);
    else if (x->coordinate >= far_dims || !affine_is_zero(&near->source[x->coordinate]) ||
             has_laps(near, MOVE_SOURCE, x->coordinate))
        object_check_fail(check, "the index of move '%s' is of no coordinate of its own",
                          near->name);
    else if (!index_registers_ok(near) || !index_type_ok(x->type))
        object_check_fail(check, "the index of move '%s' is in no register of integers",
                          near->name);
    else if (x->kind == INDEX_SCATTER && near->outside == MOVE_FILL)
        object_check_fail(check, "move '%s' scatters, and has a constant for what has no source",
                          near->name);
}

static void check_strides(struct check *check, const struct move *move, uint32_t dims) {
    for (uint32_t d = 0; d < MOVE_MAX_DIMS && check->ok && move->strides; d++) {
        const struct move_bound *b = &move->strides->offset[d];
        int64_t coeff = move->strides->coeff[d];
        if (d >= dims && (coeff != 1 || !bound_is_zero(b)))
            object_check_fail(check, "move '%s' has a stride in a dimension that it does not have",
                              move->name);
        else if (!coeff || !factor_ok(coeff) ||
                 !bound_ok(check->o, b->offset, b->size, b->size_coeff))
            object_check_fail(check, "a stride of move '%s' is 0, beyond 2^40 or names no size",
                              move->name);
    }
}

/* True if the move has such a number, so that laps may add to it. */
static bool has_form(const struct move *move, enum move_form form, uint32_t d, uint32_t dst_dims,
                     uint32_t src_dims) {
    if (form == MOVE_SOURCE)
        return d < src_dims;
    return d < dst_dims && (form == MOVE_STRIDE || move->bounded >> d & 1);
}

static void check_laps(struct check *check, const struct move *move, uint32_t dst_dims,
                       uint32_t src_dims) {
    for (unsigned f = 0; move->laps && f < MOVE_FORMS; f++)
        for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
            for (unsigned n = 0; n < MOVE_MAX_LAPS && check->ok; n++) {
                int64_t x = move->laps->coeff[f][d][n];
                if (x && !has_form(move, (enum move_form)f, d, dst_dims, src_dims))
                    object_check_fail(check, "move '%s' has laps of a number that it does not have",
                                      move->name);
                else if (!factor_ok(x))
                    object_check_fail(check, "a coefficient of laps of move '%s' is beyond 2^40",
                                      move->name);
            }
    if (check->ok && move->laps && !object_move_repeats(move))
        object_check_fail(check, "the laps of move '%s' add nothing", move->name);
}

static void check_move(struct check *check, struct map *seen, const struct move *move) {
    struct move near = object_move_from_near(move);
    object_check_unique(check, seen, "move", move->name);
    object_check_place(check, "move", move->name, &move->place);
    check_move_head(check, &near);
    object_check_scope(check, "move", move->name, move->dst_group, &move->scope);
    if (!check->ok)
        return;
    uint32_t dst_dims = object_move_dims(check->o, near.dst_group, near.dst_has_k);
    uint32_t src_dims = object_move_dims(check->o, near.src_group, near.src_has_k);
    check_bounds(check, &near, dst_dims);
    for (uint32_t d = 0; d < MOVE_MAX_DIMS && check->ok; d++)
        check_source(check, &near, d, dst_dims, src_dims);
    check_strides(check, &near, dst_dims);
    check_laps(check, &near, dst_dims, src_dims);
    if (check->ok && move->index.kind)
        check_index(check, &near);
}

void object_check_moves(struct check *check) {
    struct map seen = {0};
    if (check->o->moves.len > OBJECT_MAX_MOVES)
        object_check_fail(check, "there are more than 2^16 moves");
    for (size_t i = 0; i < check->o->moves.len && check->ok; i++)
        check_move(check, &seen, &check->o->moves.data[i]);
    map_free(&seen);
}
