/* SPDX-License-Identifier: MIT
 * Reductions are folds (array/fold.h), of a run of them together; prefix sums and their kin are
 * scans (array/scan.h). */
#include "ezpim/array/finish.h"
#include "ezpim/array/scan.h"
#include "ezpim/ez/lower_top.h"
#include "support/bits.h"

enum array_fold_kind lower_fold_kind(enum reduction_kind kind) {
    static const uint8_t kinds[] = {
        [REDUCE_SUM] = ARRAY_SUM,   [REDUCE_PROD] = ARRAY_PROD,     [REDUCE_MIN] = ARRAY_MIN,
        [REDUCE_MAX] = ARRAY_MAX,   [REDUCE_AND] = ARRAY_AND,       [REDUCE_OR] = ARRAY_OR,
        [REDUCE_XOR] = ARRAY_XOR,   [REDUCE_ANY] = ARRAY_OR,        [REDUCE_ALL] = ARRAY_AND,
        [REDUCE_COUNT] = ARRAY_SUM, [REDUCE_ARGMIN] = ARRAY_ARGMIN, [REDUCE_ARGMAX] = ARRAY_ARGMAX};
    return (enum array_fold_kind)kinds[kind];
}

/* Hidden variables of reductions, beside those of the folds. */
enum { USE_WIDE, USE_INDEX, USE_SCANNED, USE_LEFT };

/* A run of reductions and the folds that carry it out. */
struct run {
    struct array_folds folds;
    const struct ez_reduction **reductions; /* [folds.count] */
    struct span at;
};

static struct array_fold fold_of(const struct lowering *l, const struct ez_reduction *r) {
    struct array_fold f = {.kind = lower_fold_kind(r->kind), .from = r->type, .type = r->type};
    if (r->kind == REDUCE_COUNT)
        f.from = (struct mpu_type){TYPE_UINT, 1};
    else if (r->kind == REDUCE_SUM)
        f.from = ez_value_type(l->u, r->group, r->value);
    return f;
}

static struct run run_of(struct lowering *l, const struct ez_reduction *first, struct span at) {
    struct run x = {.folds = {.group = first->group->index, .axis = first->axis}, .at = at};
    uint32_t folded = l->options.folded;
    for (const struct ez_reduction *r = first; r; r = ez_fold_next(r, folded))
        x.folds.count++;
    x.folds.room = 2 * folded;
    x.folds.items = ARENA_ARRAY(l->b.p->arena, x.folds.count, struct array_fold);
    x.reductions = ARENA_ARRAY(l->b.p->arena, x.folds.count, const struct ez_reduction *);
    uint32_t i = 0;
    for (const struct ez_reduction *r = first; r; r = ez_fold_next(r, folded), i++) {
        x.folds.items[i] = fold_of(l, r);
        x.reductions[i] = r;
    }
    return x;
}

/* The value of an element, which has fewer bits than its type where that is known. */
static void put_item(struct lowering *l, const struct ez_reduction *r,
                     const struct array_fold *item, struct span at) {
    struct mpu_type type = r->value->type.type, to = item->own.type;
    uint32_t dst = array_fold_element(&l->b, item), region = IR_NONE;
    if (r->front.count) {
        ir_constant(&l->b, to, array_identity(item->kind, to), dst, at);
        region = lower_enter_front(l, &r->front, at);
    }
    if (type.bits <= to.bits)
        lower_as(l, r->value, to, dst);
    else
        lower_operation(l, IR_COPY, to, dst, lower_as(l, r->value, type, IR_NONE), IR_NONE, 0, at);
    lower_leave_front(l, region, at);
}

/* True if the value is a variable's, from which it can be moved. */
static bool borrowed(const struct ez_reduction *r, struct array_value *v) {
    const struct expr *e = r->value;
    if (r->front.count || (e->kind != EXPR_NAME && e->kind != EXPR_INDEX) || e->is_constant ||
        e->symbol->kind != SYMBOL_EZ_VARIABLE || !e->symbol->var.group)
        return false;
    *v = (struct array_value){e->symbol->var.number, e->element, e->symbol->type.type};
    return true;
}

static bool borrow_item(struct lowering *l, const struct run *x, uint32_t i) {
    struct array_value v;
    return borrowed(x->reductions[i], &v) && array_fold_borrow(&l->b, &x->folds, i, &v);
}

static void put_items(struct lowering *l, const struct run *x) {
    bool begun = false;
    for (uint32_t i = 0; i < x->folds.count; i++) {
        if (borrow_item(l, x, i))
            continue;
        if (!begun)
            lower_begin_ensemble(l, x->reductions[0]->group, x->at);
        put_item(l, x->reductions[i], &x->folds.items[i], x->at);
        begun = true;
    }
}

/* The result behind those in front of it, in one array, for targets side by side: how many go with
 * the i-th, and how far apart they are. */
static uint32_t go_together(const struct run *x, uint32_t i, int64_t *step) {
    const struct array_value *first = array_fold_result(&x->folds.items[i]);
    uint32_t n = 1;
    *step = 0;
    for (; i + n < x->folds.count; n++) {
        const struct array_value *v = array_fold_result(&x->folds.items[i + n]);
        int64_t distance = (int64_t)v->element - first->element;
        if (n == 1)
            *step = distance;
        if (x->reductions[i + n]->target != x->reductions[i]->target ||
            x->reductions[i + n]->element != x->reductions[i]->element + n ||
            v->variable != first->variable || distance != *step * n)
            break;
    }
    return n;
}

/* Every lane of every group gets what element 0 has. */
static uint32_t give_out(struct lowering *l, const struct run *x, uint32_t i) {
    const struct ez_reduction *r = x->reductions[i];
    const struct array_value *v = array_fold_result(&x->folds.items[i]);
    int64_t step;
    uint32_t count = go_together(x, i, &step);
    struct ir_move m = array_fold_move(&l->b, &x->folds, v, r->target->var.number);
    uint32_t k = ir_group_dims(l->b.p, l->b.p->variables.data[v->variable].decl.group);
    if (r->target->has_k) {
        ir_move_bound(&m, 0, (struct move_bound){r->element, NO_INDEX, 0},
                      (struct move_bound){r->element + count, NO_INDEX, 0});
        if (m.record.src_has_k)
            ir_move_source(&m, k, 0, step, v->element - step * r->element);
    }
    ir_put_move(&l->b, &m, x->at);
    return count;
}

/* Where a result goes: to the target, or, where that has other coordinates than the fold's groups
 * or another type, to a variable on the same VRFs. */
static uint32_t landing_of(struct lowering *l, const struct run *x, uint32_t i) {
    const struct ez_reduction *r = x->reductions[i];
    const struct array_value *v = array_fold_result(&x->folds.items[i]);
    struct array_view view = x->folds.view;
    struct mpu_type to = r->target->type.type;
    view.base = r->target->var.group->index;
    uint32_t group = array_view_rest(&l->b, &view);
    if (group == view.base && to.kind == v->type.kind && to.bits == v->type.bits)
        return r->target->var.number;
    return ir_hidden(&l->b, group, v->type, 1, USE_LEFT);
}

/* The elements that are left get theirs. */
static void give_along(struct lowering *l, const struct run *x, uint32_t i) {
    const struct ez_reduction *r = x->reductions[i];
    const struct array_value *v = array_fold_result(&x->folds.items[i]);
    uint32_t to = landing_of(l, x, i), group = r->target->var.group->index;
    struct ir_move m = array_fold_move(&l->b, &x->folds, v, to);
    if (m.record.dst_has_k)
        ir_move_bound(&m, ir_group_dims(l->b.p, group),
                      (struct move_bound){r->element, NO_INDEX, 0},
                      (struct move_bound){r->element + 1, NO_INDEX, 0});
    ir_put_move(&l->b, &m, x->at);
    if (to == r->target->var.number)
        return;
    lower_begin_ensemble(l, r->target->var.group, x->at);
    ir_convert(&l->b, ir_element(&l->b, to, 0), v->type, r->target->type.type,
               lower_element(l, r->target, r->element), x->at);
}

static void give_all_along(struct lowering *l, const struct run *x) {
    for (uint32_t i = 0; i < x->folds.count; i++)
        give_along(l, x, i);
}

static bool has_type(const struct run *x, uint32_t i, struct mpu_type type) {
    struct mpu_type to = x->reductions[i]->target->type.type;
    return to.kind == type.kind && to.bits == type.bits;
}

/* Where the result has more bits than the values, it is extended where it is.  Results of one type
 * lie side by side. */
static void extend(struct lowering *l, const struct run *x, uint32_t i) {
    struct array_value *v = array_fold_result(&x->folds.items[i]);
    struct mpu_type to = x->reductions[i]->target->type.type;
    uint32_t count = 0, before = 0;
    if (v->type.bits == to.bits)
        return;
    for (uint32_t k = 0; k < x->folds.count; k++) {
        count += has_type(x, k, to);
        before += k < i && has_type(x, k, to);
    }
    uint32_t wide = ir_hidden(&l->b, x->folds.lane, to, count, USE_WIDE);
    ir_begin_ensemble(&l->b, x->folds.lane, x->at);
    ir_convert(&l->b, ir_element(&l->b, v->variable, v->element), v->type, to,
               ir_element(&l->b, wide, before), x->at);
    *v = (struct array_value){wide, before, to};
}

/* Of no elements the index is all ones, which at one bit more are no element's number. */
static void note_none(struct lowering *l, const struct run *x, uint32_t i) {
    struct array_value *v = &x->folds.items[i].index;
    const struct ez_front *f = &x->reductions[i]->front;
    struct mpu_type type = {TYPE_INT, (uint8_t)(v->type.bits + 1)};
    if (!f->count || x->folds.items[i].index.variable == IR_NONE || v->type.bits == 64)
        return;
    uint32_t to = ir_hidden(&l->b, x->folds.lane, type, 1, USE_INDEX);
    ir_begin_ensemble(&l->b, x->folds.lane, x->at);
    uint32_t in = lower_in_front(l, f, x->at);
    uint32_t found = ir_convert(&l->b, ir_element(&l->b, v->variable, v->element), v->type,
                                (struct mpu_type){TYPE_UINT, type.bits}, IR_NONE, x->at);
    uint32_t none = ir_constant(&l->b, type, low_bits(type.bits), IR_NONE, x->at);
    ir_operation(&l->b, IR_SELECT, type, ir_element(&l->b, to, 0), in, found, none, 0, x->at);
    *v = (struct array_value){to, 0, type};
}

/* True if the results are outputs alone, and each is all that the host would make of the values: of
 * no elements it knows no number.  MPUs with texts of their own make variables in the same order.
 */
static bool may_finish(const struct lowering *l, const struct ez_reduction *first) {
    bool good = first->axis == ARRAY_ALL && !l->u->roles;
    for (const struct ez_reduction *r = first; r; r = ez_fold_next(r, l->options.folded)) {
        bool numbers = r->kind == REDUCE_ARGMIN || r->kind == REDUCE_ARGMAX;
        good &= r->target->var.direction == VAR_OUT && !(numbers && r->front.count);
    }
    return good;
}

static struct array_finish open_finish(struct lowering *l, const struct run *x) {
    struct array_output *outputs = ARENA_ARRAY(l->b.p->arena, x->folds.count, struct array_output);
    for (uint32_t i = 0; i < x->folds.count; i++)
        outputs[i] =
            (struct array_output){x->reductions[i]->target->var.number, x->reductions[i]->element};
    return array_finish_open(&l->b, &x->folds, outputs, x->at);
}

static void give_all(struct lowering *l, struct run *x) {
    for (uint32_t i = 0; i < x->folds.count; i++)
        extend(l, x, i);
    for (uint32_t i = 0; i < x->folds.count;)
        i += give_out(l, x, i);
}

static void lower_folds(struct lowering *l, const struct ez_reduction *first, struct span at) {
    struct run x = run_of(l, first, at);
    x.folds.held = may_finish(l, first);
    array_folds_begin(&l->b, &x.folds);
    put_items(l, &x);
    struct array_finish finish = open_finish(l, &x);
    array_folds_run(&l->b, &x.folds, at);
    for (uint32_t i = 0; i < x.folds.count; i++)
        note_none(l, &x, i);
    if (first->axis == ARRAY_ALL)
        give_all(l, &x);
    else
        give_all_along(l, &x);
    array_finish_close(&l->b, &finish);
}

/* ---- prefix sums ---- */

/* True if the results can be moved to where they belong: they have its type, and all elements get
 * one. */
static bool lands(const struct ez_reduction *r) {
    struct mpu_type to = r->target->type.type;
    return !r->front.count && to.kind == r->type.kind && to.bits == r->type.bits;
}

static void give_scanned(struct lowering *l, const struct ez_reduction *r,
                         const struct array_value *v, struct span at) {
    lower_begin_ensemble(l, r->group, at);
    uint32_t region = lower_enter_front(l, &r->front, at);
    uint32_t target = lower_element(l, r->target, r->element);
    ir_convert(&l->b, ir_element(&l->b, v->variable, v->element), v->type, r->target->type.type,
               target, at);
    lower_leave_front(l, region, at);
}

static struct array_scan scan_of(const struct lowering *l, const struct ez_reduction *r) {
    struct array_scan x = {.exclusive = r->exclusive, .group = r->group->index, .axis = r->axis};
    x.fold = fold_of(l, r);
    x.room = 2 * l->options.folded;
    return x;
}

static void lower_scan(struct lowering *l, const struct ez_reduction *r, struct span at) {
    struct array_scan x = scan_of(l, r);
    struct array_value to = {r->target->var.number, r->element, r->type}, from;
    array_scan_begin(&l->b, &x);
    if (!borrowed(r, &from) || !array_scan_borrow(&l->b, &x, &from)) {
        lower_begin_ensemble(l, r->group, at);
        put_item(l, r, &x.fold, at);
    }
    if (!lands(r))
        to = (struct array_value){ir_hidden(&l->b, r->group->index, r->type, 1, USE_SCANNED), 0,
                                  r->type};
    array_scan_run(&l->b, &x, &to, at);
    if (!lands(r))
        give_scanned(l, r, &to, at);
}

void lower_reduction(struct lowering *l, const struct stmt *s) {
    const struct ez_reduction *r = s->reduction;
    if (r->scan)
        lower_scan(l, r, s->at);
    else if (ez_fold_first(r, l->options.folded) == r) /* it carries out the others, too */
        lower_folds(l, r, s->at);
}
