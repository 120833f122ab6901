/* SPDX-License-Identifier: MIT
 * Sums and their kin.  They are put off until somebody needs the value of one: so several in a row
 * are one fold. */
#include "ezpim/array/finish.h"
#include "ezpim/np/functions.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};
static const struct mpu_type truth = {TYPE_BOOL, 1}, one_bit = {TYPE_UINT, 1},
                             int64 = {TYPE_INT, 64};

/* What becomes of an array along an axis, or (ARRAY_ALL) of all of it. */
struct reduction {
    enum array_fold_kind kind;
    uint32_t axis;
    struct mpu_type from, type; /* of the elements; of the result */
};

/* The shape without the axis. */
static uint32_t rest_of(const struct np_array *x, uint32_t axis, uint64_t *shape) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < x->ndim && axis != ARRAY_ALL; d++)
        if (d != axis)
            shape[n++] = x->shape[d];
    return n;
}

/* ---- put off and caught up with ---- */

/* Folds of the same elements, or of such as lie in the same lanes, are carried out together, and
 * those that the host may finish by themselves. */
static bool goes_along(const struct np_fold *a, const struct np_fold *b) {
    return a->axis == b->axis && a->is_output == b->is_output &&
           np_same_shape(a->x.ndim, a->x.shape, b->x.ndim, b->x.shape);
}

static bool is_output(const struct np_unit *u, uint32_t variable) {
    return u->b.p->variables.data[variable].decl.group == NO_INDEX;
}

static struct np_array *put_off(struct np_unit *u, struct np_array *x, const struct reduction *r,
                                struct span at) {
    uint64_t shape[NP_DIMS];
    uint32_t ndim = rest_of(x, r->axis, shape);
    if (!np_readable(u, x, at))
        return NULL;
    struct np_array *y = np_new_array(u, r->type, ndim, shape, at);
    struct np_fold f = {.x = *x, .axis = r->axis, .y = y->root, .at = at};
    f.item = (struct array_fold){.kind = r->kind, .from = r->from, .type = r->type};
    f.is_output = is_output(u, y->root->variable);
    if (u->folds.len == u->how.folded || (u->folds.len && !goes_along(&u->folds.data[0], &f)))
        np_catch_up(u);
    y->root->due = true;
    y->root->total = r->axis == ARRAY_ALL;
    vec_push(&u->folds, f);
    return y;
}

/* Where the elements lie already they are folded there; else they are put where the fold begins. */
static void put_elements(struct np_unit *u, const struct array_folds *f, uint32_t i,
                         const struct array_value *v, struct span at) {
    const struct array_fold *item = &f->items[i];
    if (array_fold_borrow(&u->b, f, i, v))
        return;
    ir_begin_ensemble(&u->b, u->b.p->variables.data[item->own.variable].decl.group, at);
    ir_convert(&u->b, ir_element(&u->b, v->variable, v->element), v->type, item->own.type,
               array_fold_element(&u->b, item), at);
}

/* What has to be moved for it is moved before. */
static void put_all_elements(struct np_unit *u, const struct array_folds *f,
                             const struct np_fold *folds) {
    struct array_value *v = ARENA_ARRAY(&u->arena, f->count, struct array_value);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct np_array *x = &folds[i].x;
        v[i].type = np_is_bool(x->type) ? folds[i].item.from : x->type;
        np_fetch(u, x, x->ndim, x->shape, folds[i].at, &v[i].variable, &v[i].element);
    }
    for (uint32_t i = 0; i < f->count; i++)
        put_elements(u, f, i, &v[i], folds[i].at);
}

/* The result, at the type that it has outside, in a variable or element of an ensemble. */
static void put_result(struct np_unit *u, const struct array_folds *f, const struct np_fold *x,
                       const struct array_value *v) {
    uint32_t to = x->y->variable, group = np_group(u, x->y->ndim, x->y->shape);
    if (x->is_output) {
        group = f->lane;
        to = ir_local(&u->b, group, x->y->type, 1);
    }
    ir_begin_ensemble(&u->b, group, x->at);
    ir_convert(&u->b, ir_element(&u->b, v->variable, v->element), v->type, x->y->type,
               ir_element(&u->b, to, 0), x->at);
    if (!x->is_output)
        return;
    const struct array_value wide = {to, 0, x->y->type};
    struct ir_move m = array_fold_move(&u->b, f, &wide, x->y->variable);
    ir_put_move(&u->b, &m, x->at);
}

static struct array_finish open_finish(struct np_unit *u, const struct array_folds *f,
                                       const struct np_fold *folds, struct span at) {
    struct array_output *outputs = ARENA_ARRAY(&u->arena, f->count, struct array_output);
    for (uint32_t i = 0; i < f->count; i++)
        outputs[i] = (struct array_output){folds[i].y->variable, 0};
    return array_finish_open(&u->b, f, outputs, at);
}

static void carry_out(struct np_unit *u, const struct np_fold *folds, uint32_t count) {
    const struct np_fold *first = folds;
    struct array_folds f = {.items = ARENA_ARRAY(&u->arena, count, struct array_fold),
                            .count = count,
                            .group = np_group(u, first->x.ndim, first->x.shape),
                            .axis = first->axis,
                            .held = first->is_output,
                            .room = 2u * u->how.folded};
    for (uint32_t i = 0; i < count; i++)
        f.items[i] = folds[i].item;
    array_folds_begin(&u->b, &f);
    put_all_elements(u, &f, folds);
    struct array_finish finish = open_finish(u, &f, folds, first->at);
    array_folds_run(&u->b, &f, first->at);
    for (uint32_t i = 0; i < count; i++)
        put_result(u, &f, &folds[i], array_fold_result(&f.items[i]));
    array_finish_close(&u->b, &finish);
}

void np_catch_up(struct np_unit *u) {
    uint32_t count = (uint32_t)u->folds.len;
    if (!count)
        return;
    struct np_fold *folds = ARENA_ARRAY(&u->arena, count, struct np_fold);
    memcpy(folds, u->folds.data, count * sizeof *folds);
    vec_clear(&u->folds);
    for (uint32_t i = 0; i < count; i++)
        folds[i].y->due = false;
    carry_out(u, folds, count);
}

struct np_range np_range_of_sum(const struct np_array *x, uint64_t n, struct mpu_type type) {
    struct np_range all = np_type_range(type), y = x->range;
    y.low = y.low < 0 ? y.low * (np_int)n : y.low;
    y.high = y.high > 0 ? y.high * (np_int)n : y.high;
    return np_range_within(y, all) ? y : all;
}

static struct np_range range_after(const struct np_array *x, const struct reduction *r) {
    struct np_range all = np_type_range(r->type), y = x->range;
    uint64_t n = r->axis == ARRAY_ALL ? np_elements(x->ndim, x->shape) : x->shape[r->axis];
    bool index = r->kind == ARRAY_ARGMIN || r->kind == ARRAY_ARGMAX;
    if (r->kind == ARRAY_SUM)
        return np_range_of_sum(x, n, r->type);
    if (index)
        y = (struct np_range){0, (np_int)n - 1};
    else if (r->kind == ARRAY_PROD)
        y = all;
    return np_range_within(y, all) ? y : all;
}

static struct np_array *reduce_one(struct np_unit *u, struct np_array *x, const struct reduction *r,
                                   struct span at) {
    if (x->ndim == 0 && (r->kind == ARRAY_ARGMIN || r->kind == ARRAY_ARGMAX))
        return np_constant_array(u, int64, 0, at);
    if (x->ndim == 0)
        return np_cast(u, x, r->type, at);
    struct reduction rest = *r;
    struct np_array *z = np_fold_registers(u, x, r->kind, r->from, r->type, &rest.axis, at), *y = z;
    rest.from = z != x && z ? z->type : r->from;
    if (z)
        y = rest.axis == NP_DIMS ? np_cast(u, z, r->type, at) : put_off(u, z, &rest, at);
    if (y)
        y->range = range_after(x, r);
    return y;
}

struct np_array *np_total(struct np_unit *u, struct np_array *x, struct span at) {
    const struct reduction r = {
        .kind = ARRAY_SUM, .axis = ARRAY_ALL, .from = x->type, .type = x->type};
    return reduce_one(u, x, &r, at);
}

/* ---- axes ---- */

/* Which axes go: a bit each, or (none given) all at once. */
static bool axes_of(struct np_unit *u, const struct np_value *v, uint32_t ndim, uint32_t *axes,
                    bool *all) {
    bool one = v->kind != NP_TUPLE;
    uint32_t axis;
    *axes = 0;
    *all = v->kind == NP_NONE;
    for (uint32_t i = 0; !*all && i < (one ? 1 : v->count); i++) {
        if (!np_axis(u, one ? v : &v->items[i], ndim, &axis))
            return false;
        if (*axes >> axis & 1)
            return np_error(u, v->at, "an axis is named twice"), false;
        *axes |= 1u << axis;
    }
    if (!*all && !*axes)
        return np_error(u, v->at, "no axis is named"), false;
    *all |= *axes == (1u << ndim) - 1;
    return true;
}

/* The axes that went come back with one element each. */
static struct np_array *keep_axes(struct np_unit *u, const struct np_array *x, struct np_array *y,
                                  uint32_t axes, struct span at) {
    uint64_t shape[NP_DIMS];
    if (y->ndim == x->ndim)
        return y;
    for (uint32_t d = 0; d < x->ndim; d++)
        shape[d] = axes >> d & 1 ? 1 : x->shape[d];
    y = np_reshaped(u, y, x->ndim, shape, at);
    return y && y->is_view ? np_fresh(u, y, at) : y;
}

static struct np_value reduce(struct np_unit *u, struct np_array *x, struct reduction r,
                              const struct np_value *axis, const struct np_value *keep,
                              struct span at) {
    uint32_t axes;
    bool all, known, keeps = np_truth(u, keep, &known);
    struct np_array *y = x;
    if (!known || !axes_of(u, axis, x->ndim, &axes, &all))
        return none;
    r.axis = ARRAY_ALL;
    if (all)
        y = reduce_one(u, x, &r, at);
    for (uint32_t d = x->ndim; !all && y && d-- > 0;) {
        r.axis = d;
        if (!(axes >> d & 1))
            continue;
        y = reduce_one(u, y, &r, at);
        r.from = r.type;
    }
    if (y && keeps)
        y = keep_axes(u, x, y, all ? ~0u : axes, at);
    return np_array_value(y, at);
}

/* ---- operands ---- */

static struct np_array *identity(struct np_unit *u, enum array_fold_kind kind,
                                 const struct np_array *x, struct span at) {
    struct np_array *c = np_constant_array(u, x->type, 0, at);
    struct np_uniform *v = ARENA_NEW(&u->arena, struct np_uniform);
    *v = *c->uniform;
    v->pattern = array_identity(kind, x->type);
    c->uniform = v;
    c->range = x->range;
    if (kind == ARRAY_SUM) {
        c->range.low = 0;
        c->range.high = 0;
    }
    return c;
}

/* The elements where the mask holds, and elsewhere what changes nothing. */
static struct np_array *operand(struct np_unit *u, const struct np_args *a,
                                enum array_fold_kind kind) {
    const struct np_value *v = &a->items[0];
    if (v->kind != NP_ARRAY || !v->array->mask)
        return np_need_array(u, v, a->name);
    struct np_array *x = ARENA_NEW(&u->arena, struct np_array);
    *x = *v->array;
    x->mask = NULL;
    if (kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX) {
        np_error(u, a->at, "`%s` of x[mask] is not taken: its indices are those among the masked",
                 a->name);
        return NULL;
    }
    if (a->items[1].kind != NP_NONE) {
        np_error(u, a->items[1].at, "x[mask] has one axis");
        return NULL;
    }
    struct np_array *args[] = {(struct np_array *)(uintptr_t)v->array->mask, x,
                               identity(u, kind, x, a->at)};
    return np_elementwise(u, NP_OP_WHERE, 3, args, x->type, 0, NULL, a->at);
}

bool np_sum_type(struct np_unit *u, const struct np_args *a, const struct np_array *x,
                 struct mpu_type *type) {
    if (a->items[2].kind != NP_NONE) {
        if (!np_dtype(u, &a->items[2], type))
            return false;
        if (np_is_bool(*type))
            np_error(u, a->items[2].at, "`%s` in bool is written `np.any`", a->name);
        return !np_is_bool(*type);
    }
    *type = x->type;
    if (type->bits == 64)
        return true;
    np_error(u, a->at, "`%s` of %s without dtype= gives %s in NumPy; say which type is meant",
             a->name, np_type_short(x->type), x->type.kind == TYPE_UINT ? "uint64" : "int64");
    np_note(u, a->at, "as in `dtype=np.%s`", np_is_bool(x->type) ? "int32" : np_type_name(x->type));
    return false;
}

/* x != 0. */
static struct np_array *as_truth(struct np_unit *u, struct np_array *x, struct span at) {
    return x && !np_is_bool(x->type) ? np_cast(u, x, truth, at) : x;
}

/* ---- functions ---- */

struct np_value np_sum(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = operand(u, a, ARRAY_SUM);
    struct reduction r = {.kind = ARRAY_SUM};
    if (!x || !np_sum_type(u, a, x, &r.type))
        return none;
    r.from = np_is_bool(x->type) ? one_bit : x->type;
    if (r.from.bits > r.type.bits) {
        x = np_cast(u, x, r.type, a->at);
        r.from = r.type;
    }
    return x ? reduce(u, x, r, &a->items[1], &a->items[4], a->at) : none;
}

struct np_value np_prod(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = operand(u, a, ARRAY_PROD);
    struct reduction r = {.kind = ARRAY_PROD};
    if (!x || !np_sum_type(u, a, x, &r.type))
        return none;
    r.from = r.type;
    x = np_cast(u, x, r.type, a->at);
    return x ? reduce(u, x, r, &a->items[1], &a->items[4], a->at) : none;
}

static struct np_value extreme(struct np_unit *u, const struct np_args *a,
                               enum array_fold_kind kind) {
    struct np_array *x = operand(u, a, kind);
    if (!x)
        return none;
    if (np_is_bool(x->type))
        kind = kind == ARRAY_MIN ? ARRAY_AND : ARRAY_OR;
    const struct reduction r = {.kind = kind, .from = x->type, .type = x->type};
    return reduce(u, x, r, &a->items[1], &a->items[3], a->at);
}

struct np_value np_min(struct np_unit *u, const struct np_args *a) {
    return extreme(u, a, ARRAY_MIN);
}

struct np_value np_max(struct np_unit *u, const struct np_args *a) {
    return extreme(u, a, ARRAY_MAX);
}

static struct np_value truths(struct np_unit *u, const struct np_args *a,
                              enum array_fold_kind kind) {
    struct np_array *x = as_truth(u, operand(u, a, kind), a->at);
    const struct reduction r = {.kind = kind, .from = truth, .type = truth};
    return x ? reduce(u, x, r, &a->items[1], &a->items[3], a->at) : none;
}

struct np_value np_any(struct np_unit *u, const struct np_args *a) {
    return truths(u, a, ARRAY_OR);
}

struct np_value np_all(struct np_unit *u, const struct np_args *a) {
    return truths(u, a, ARRAY_AND);
}

struct np_value np_count_nonzero(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = as_truth(u, operand(u, a, ARRAY_SUM), a->at);
    const struct reduction r = {.kind = ARRAY_SUM, .from = one_bit, .type = int64};
    if (!x)
        return none;
    struct np_value v = reduce(u, x, r, &a->items[1], &a->items[2], a->at);
    if (v.kind == NP_ARRAY)
        v.array->counts = a->items[1].kind == NP_NONE && v.array->ndim == 0;
    return v;
}

static struct np_value number_of(struct np_unit *u, const struct np_args *a,
                                 enum array_fold_kind kind) {
    struct np_array *x = operand(u, a, kind);
    if (x && np_is_bool(x->type))
        x = np_cast(u, x, (struct mpu_type){TYPE_UINT, 8}, a->at);
    if (!x)
        return none;
    const struct reduction r = {.kind = kind, .from = x->type, .type = int64};
    if (a->items[1].kind == NP_TUPLE)
        return np_error(u, a->items[1].at, "`%s` goes along one axis", a->name);
    return reduce(u, x, r, &a->items[1], &a->items[3], a->at);
}

struct np_value np_argmin(struct np_unit *u, const struct np_args *a) {
    return number_of(u, a, ARRAY_ARGMIN);
}

struct np_value np_argmax(struct np_unit *u, const struct np_args *a) {
    return number_of(u, a, ARRAY_ARGMAX);
}
