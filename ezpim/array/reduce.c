/* SPDX-License-Identifier: MIT
 * Reductions.  They are put off until somebody needs the value of one: so several in a row are one
 * fold. */
#include "ezpim/array/array.h"
#include "ezpim/array/finish.h"
#include "ezpim/array/scan.h"

#include <string.h>

/* What becomes of an array along an axis, or (ARRAY_ALL) of all of it. */
struct reduction {
    enum array_fold_kind kind;
    uint32_t axis;
    struct mpu_type from, type; /* of the elements; of the result */
};

/* The shape without the axis. */
static uint32_t rest_of(const struct array_ref *x, uint32_t axis, uint64_t *shape) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < x->ndim && axis != ARRAY_ALL; d++)
        if (d != axis)
            shape[n++] = x->shape[d];
    return n;
}

/* ---- put off and caught up with ---- */

/* Folds of the same elements, or of such as lie in the same lanes, are carried out together, and
 * those that the host may finish by themselves. */
static bool goes_along(const struct array_due *a, const struct array_due *b) {
    return a->axis == b->axis && a->is_output == b->is_output &&
           array_same_shape(a->x.ndim, a->x.shape, b->x.ndim, b->x.shape);
}

static bool is_output(const struct arrays *c, uint32_t variable) {
    return c->b.p->variables.data[variable].decl.group == NO_INDEX;
}

static struct array_ref *put_off(struct arrays *c, struct array_ref *x, const struct reduction *r,
                                 struct span at) {
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim = rest_of(x, r->axis, shape);
    if (x->root && x->root->due)
        array_catch_up(c);
    struct array_ref *y = array_new(c, r->type, ndim, shape, at);
    struct array_due f = {.x = *x, .axis = r->axis, .y = y->root, .at = at};
    f.item = (struct array_fold){.kind = r->kind, .from = r->from, .type = r->type};
    f.is_output = is_output(c, y->root->variable);
    if (c->due.len == c->folded || (c->due.len && !goes_along(&c->due.data[0], &f)))
        array_catch_up(c);
    y->root->due = true;
    y->root->total = r->axis == ARRAY_ALL;
    vec_push(&c->due, f);
    return y;
}

/* Where the elements lie already they are folded there; else they are put where the fold begins. */
static void put_elements(struct arrays *c, const struct array_folds *f, uint32_t i,
                         const struct array_value *v, struct span at) {
    const struct array_fold *item = &f->items[i];
    if (array_fold_borrow(&c->b, f, i, v))
        return;
    ir_begin_ensemble(&c->b, c->b.p->variables.data[item->own.variable].decl.group, at);
    ir_convert(&c->b, ir_element(&c->b, v->variable, v->element), v->type, item->own.type,
               array_fold_element(&c->b, item), at);
}

/* What has to be moved for it is moved before. */
static void put_all_elements(struct arrays *c, const struct array_folds *f,
                             const struct array_due *folds) {
    struct array_value *v = ARENA_ARRAY(c->arena, f->count, struct array_value);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct array_ref *x = &folds[i].x;
        v[i] = array_fetch(c, x, x->ndim, x->shape, folds[i].at);
        if (folds[i].item.from.bits < x->type.bits || array_is_bool(x->type))
            v[i].type = folds[i].item.from; /* it holds all values */
    }
    for (uint32_t i = 0; i < f->count; i++)
        put_elements(c, f, i, &v[i], folds[i].at);
}

/* The result, at the type that it has outside, in a variable or element of an ensemble. */
static void put_result(struct arrays *c, const struct array_folds *f, const struct array_due *x,
                       const struct array_value *v) {
    uint32_t to = x->y->variable, group = array_group(c, x->y->ndim, x->y->shape);
    if (x->is_output) {
        group = f->lane;
        to = ir_local(&c->b, group, x->y->type, 1);
    }
    ir_begin_ensemble(&c->b, group, x->at);
    ir_convert(&c->b, ir_element(&c->b, v->variable, v->element), v->type, x->y->type,
               ir_element(&c->b, to, 0), x->at);
    if (!x->is_output)
        return;
    const struct array_value wide = {to, 0, x->y->type};
    struct ir_move m = array_fold_move(&c->b, f, &wide, x->y->variable);
    ir_put_move(&c->b, &m, x->at);
}

static struct array_finish open_finish(struct arrays *c, const struct array_folds *f,
                                       const struct array_due *folds, struct span at) {
    struct array_output *outputs = ARENA_ARRAY(c->arena, f->count, struct array_output);
    for (uint32_t i = 0; i < f->count; i++)
        outputs[i] = (struct array_output){folds[i].y->variable, 0};
    return array_finish_open(&c->b, f, outputs, at);
}

static void carry_out(struct arrays *c, const struct array_due *folds, uint32_t count) {
    const struct array_due *first = folds;
    struct array_folds f = {.items = ARENA_ARRAY(c->arena, count, struct array_fold),
                            .count = count,
                            .group = array_group(c, first->x.ndim, first->x.shape),
                            .axis = first->axis,
                            .held = first->is_output,
                            .room = 2u * c->folded};
    for (uint32_t i = 0; i < count; i++)
        f.items[i] = folds[i].item;
    array_folds_begin(&c->b, &f);
    put_all_elements(c, &f, folds);
    struct array_finish finish = open_finish(c, &f, folds, first->at);
    array_folds_run(&c->b, &f, first->at);
    for (uint32_t i = 0; i < count; i++)
        put_result(c, &f, &folds[i], array_fold_result(&f.items[i]));
    array_finish_close(&c->b, &finish);
}

void array_catch_up(struct arrays *c) {
    uint32_t count = (uint32_t)c->due.len;
    if (!count)
        return;
    struct array_due *folds = ARENA_ARRAY(c->arena, count, struct array_due);
    memcpy(folds, c->due.data, count * sizeof *folds);
    vec_clear(&c->due);
    for (uint32_t i = 0; i < count; i++)
        folds[i].y->due = false;
    carry_out(c, folds, count);
}

/* Of n elements that lie in x's range. */
static struct array_range range_of_sum(const struct array_ref *x, uint64_t n,
                                       struct mpu_type type) {
    struct array_range all = array_type_range(type), y = x->range;
    y.low = y.low < 0 ? y.low * (array_int)n : y.low;
    y.high = y.high > 0 ? y.high * (array_int)n : y.high;
    return array_range_within(y, all) ? y : all;
}

static struct array_range range_after(const struct array_ref *x, const struct reduction *r) {
    struct array_range all = array_type_range(r->type), y = x->range;
    uint64_t n = r->axis == ARRAY_ALL ? array_elements(x->ndim, x->shape) : x->shape[r->axis];
    bool index = r->kind == ARRAY_ARGMIN || r->kind == ARRAY_ARGMAX;
    if (r->kind == ARRAY_SUM)
        return range_of_sum(x, n, r->type);
    if (index)
        y = (struct array_range){0, (array_int)n - 1};
    else if (r->kind == ARRAY_PROD)
        y = all;
    return array_range_within(y, all) ? y : all;
}

struct array_ref *array_reduced(struct arrays *c, struct array_ref *x, enum array_fold_kind kind,
                                uint32_t axis, struct mpu_type from, struct mpu_type type,
                                struct span at) {
    const struct reduction r = {kind, axis, from, type};
    struct reduction rest = r;
    if (kind == ARRAY_SUM && !array_is_bool(x->type) && from.bits == x->type.bits)
        from = array_narrowest(x->range, from);
    struct array_fold item = {.kind = kind, .from = from, .type = type};
    if (x->ndim == 0 && (kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX))
        return array_constant(c, type, 0, at);
    if (x->ndim == 0)
        return array_cast(c, x, type, at);
    struct array_ref *z = array_fold_registers(c, x, &item, &rest.axis, at), *y;
    rest.from = z != x ? z->type : from;
    y = rest.axis == ARRAY_DIMS ? array_cast(c, z, type, at) : put_off(c, z, &rest, at);
    y->range = range_after(x, &r);
    return y;
}

struct array_ref *array_neutral(struct arrays *c, enum array_fold_kind kind,
                                const struct array_ref *x, struct span at) {
    struct array_uniform *v = ARENA_NEW(c->arena, struct array_uniform);
    *v = (struct array_uniform){
        .kind = ARRAY_UNIFORM_CONSTANT, .type = x->type, .pattern = array_identity(kind, x->type)};
    struct array_ref *a = array_of_uniform(c, v, at);
    a->range = kind == ARRAY_SUM ? (struct array_range){0, 0} : x->range;
    return a;
}

/* ---- prefix sums ---- */

struct array_ref *array_cumulated(struct arrays *c, const struct array_ref *x, uint32_t axis,
                                  struct mpu_type from, struct mpu_type type, struct span at) {
    struct array_ref *y = array_new(c, type, x->ndim, x->shape, at);
    struct array_scan s = {.fold = {.kind = ARRAY_SUM, .from = from, .type = type},
                           .group = array_group(c, x->ndim, x->shape),
                           .axis = axis,
                           .room = 2u * c->folded};
    const struct array_value to = {y->root->variable, 0, type};
    array_scan_begin(&c->b, &s);
    struct array_value v = array_bring(c, x, x->ndim, x->shape, at);
    v.type = from;
    if (!array_scan_borrow(&c->b, &s, &v)) {
        ir_begin_ensemble(&c->b, s.group, at);
        ir_convert(&c->b, ir_element(&c->b, v.variable, v.element), from, s.fold.own.type,
                   array_fold_element(&c->b, &s.fold), at);
    }
    array_scan_run(&c->b, &s, &to, at);
    y->range = range_of_sum(x, x->shape[axis], type);
    return y;
}
