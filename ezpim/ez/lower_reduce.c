/* SPDX-License-Identifier: MIT
 * Reductions are folds (array/fold.h), of a run of them together; prefix sums and their kin are
 * scans (array/prefix_sum.h). */
#include "ezpim/array/finish.h"
#include "ezpim/array/prefix_sum.h"
#include "ezpim/ez/lower_top.h"
#include "ezpim/ir/float.h"
#include "support/bits.h"

enum array_fold_kind ez_lower_fold_kind(enum reduction_kind kind) {
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
struct fold_run {
    struct array_folds folds;
    const struct ez_reduction **reductions; /* [folds.count] */
    struct span at;
};

/* argmin and argmax of floating point are those of numbers in the same order. */
static bool is_of_keys(const struct ez_reduction *reduction) {
    return object_type_is_float(reduction->type) &&
           (reduction->kind == REDUCE_ARGMIN || reduction->kind == REDUCE_ARGMAX);
}

static struct array_fold fold_of(const struct lowering *lowering,
                                 const struct ez_reduction *reduction) {
    struct array_fold f = {.kind = ez_lower_fold_kind(reduction->kind),
                           .from = reduction->type,
                           .type = reduction->type};
    if (is_of_keys(reduction))
        f.from.kind = f.type.kind = TYPE_UINT;
    if (reduction->kind == REDUCE_COUNT)
        f.from = (struct lane_type){TYPE_UINT, 1};
    else if (reduction->kind == REDUCE_SUM)
        f.from = ez_value_type(lowering->u, reduction->group, reduction->value);
    return f;
}

static struct fold_run run_of(struct lowering *lowering, const struct ez_reduction *first,
                              struct span at) {
    struct fold_run x = {.folds = {.group = first->group->index, .axis = first->axis}, .at = at};
    uint32_t folded = lowering->options.folded;
    for (const struct ez_reduction *r = first; r; r = ez_fold_next(r, folded))
        x.folds.count++;
    x.folds.room = 2 * folded;
    x.folds.items = ARENA_ARRAY(lowering->b.p->arena, x.folds.count, struct array_fold);
    x.reductions = ARENA_ARRAY(lowering->b.p->arena, x.folds.count, const struct ez_reduction *);
    uint32_t i = 0;
    for (const struct ez_reduction *r = first; r; r = ez_fold_next(r, folded), i++) {
        x.folds.items[i] = fold_of(lowering, r);
        x.reductions[i] = r;
    }
    return x;
}

/* The value of an element, which has fewer bits than its type where that is known. */
static void put_item(struct lowering *lowering, const struct ez_reduction *reduction,
                     const struct array_fold *item, struct span at) {
    struct lane_type type = reduction->value->type.type, to = item->own.type;
    uint32_t dst = array_fold_element(&lowering->b, item), region = IR_NONE;
    if (reduction->front.count) {
        ir_constant(&lowering->b, to, array_identity(item->kind, to), dst, at);
        region = ez_lower_enter_front(lowering, &reduction->front, at);
    }
    if (is_of_keys(reduction))
        ir_float_key(&lowering->b, type, ez_lower_as(lowering, reduction->value, type, IR_NONE),
                     true, array_identity(item->kind, to), dst, at);
    else if (type.bits <= to.bits)
        ez_lower_as(lowering, reduction->value, to, dst);
    else
        ez_lower_operation(lowering, IR_COPY, to, dst,
                           ez_lower_as(lowering, reduction->value, type, IR_NONE), IR_NONE, 0, at);
    ez_lower_leave_front(lowering, region, at);
}

/* True if the value is a variable's, from which it can be moved. */
static bool borrowed(const struct ez_reduction *reduction, struct array_value *value) {
    const struct expr *e = reduction->value;
    if (reduction->front.count || (e->kind != EXPR_NAME && e->kind != EXPR_INDEX) ||
        e->is_constant || e->symbol->kind != SYMBOL_EZ_VARIABLE || !e->symbol->var.group)
        return false;
    *value = (struct array_value){e->symbol->var.number, e->element, e->symbol->type.type};
    return true;
}

static bool borrow_item(struct lowering *lowering, const struct fold_run *run, uint32_t index) {
    struct array_value v;
    return borrowed(run->reductions[index], &v) &&
           array_fold_borrow(&lowering->b, &run->folds, index, &v);
}

static void put_items(struct lowering *lowering, const struct fold_run *run) {
    bool begun = false;
    for (uint32_t i = 0; i < run->folds.count; i++) {
        if (borrow_item(lowering, run, i))
            continue;
        if (!begun)
            ez_lower_begin_ensemble(lowering, run->reductions[0]->group, run->at);
        put_item(lowering, run->reductions[i], &run->folds.items[i], run->at);
        begun = true;
    }
}

/* The result behind those in front of it, in one array, for targets side by side: how many go with
 * the i-th, and how far apart they are. */
static uint32_t go_together(const struct fold_run *run, uint32_t index, int64_t *step) {
    const struct array_value *first = array_fold_result(&run->folds.items[index]);
    uint32_t n = 1;
    *step = 0;
    for (; index + n < run->folds.count; n++) {
        const struct array_value *v = array_fold_result(&run->folds.items[index + n]);
        int64_t distance = (int64_t)v->element - first->element;
        if (n == 1)
            *step = distance;
        if (run->reductions[index + n]->target != run->reductions[index]->target ||
            run->reductions[index + n]->element != run->reductions[index]->element + n ||
            v->variable != first->variable || distance != *step * n)
            break;
    }
    return n;
}

/* Every lane of every group gets what element 0 has. */
static uint32_t give_out(struct lowering *lowering, const struct fold_run *run, uint32_t index) {
    const struct ez_reduction *r = run->reductions[index];
    const struct array_value *v = array_fold_result(&run->folds.items[index]);
    int64_t step;
    uint32_t count = go_together(run, index, &step);
    struct ir_move m = array_fold_move(&lowering->b, &run->folds, v, r->target->var.number);
    uint32_t k =
        ir_group_dims(lowering->b.p, lowering->b.p->variables.data[v->variable].decl.group);
    if (r->target->has_k) {
        ir_move_bound(&m, 0, (struct move_bound){r->element, NO_INDEX, 0},
                      (struct move_bound){r->element + count, NO_INDEX, 0});
        if (m.record.src_has_k)
            ir_move_source(&m, k, 0, step, v->element - step * r->element);
    }
    ir_put_move(&lowering->b, &m, run->at);
    return count;
}

/* Where a result goes: to the target, or, where that has other coordinates than the fold's groups
 * or another type, to a variable on the same VRFs. */
static uint32_t landing_of(struct lowering *lowering, const struct fold_run *run, uint32_t index) {
    const struct ez_reduction *r = run->reductions[index];
    const struct array_value *v = array_fold_result(&run->folds.items[index]);
    struct array_view view = run->folds.view;
    struct lane_type to = r->target->type.type;
    view.base = r->target->var.group->index;
    uint32_t group = array_view_rest(&lowering->b, &view);
    if (group == view.base && to.kind == v->type.kind && to.bits == v->type.bits)
        return r->target->var.number;
    return ir_hidden(&lowering->b, group, v->type, 1, USE_LEFT);
}

/* The elements that are left get theirs. */
static void give_along(struct lowering *lowering, const struct fold_run *run, uint32_t index) {
    const struct ez_reduction *r = run->reductions[index];
    const struct array_value *v = array_fold_result(&run->folds.items[index]);
    uint32_t to = landing_of(lowering, run, index), group = r->target->var.group->index;
    struct ir_move m = array_fold_move(&lowering->b, &run->folds, v, to);
    if (m.record.dst_has_k)
        ir_move_bound(&m, ir_group_dims(lowering->b.p, group),
                      (struct move_bound){r->element, NO_INDEX, 0},
                      (struct move_bound){r->element + 1, NO_INDEX, 0});
    ir_put_move(&lowering->b, &m, run->at);
    if (to == r->target->var.number)
        return;
    ez_lower_begin_ensemble(lowering, r->target->var.group, run->at);
    ir_convert(&lowering->b, ir_element(&lowering->b, to, 0), v->type, r->target->type.type,
               ez_lower_element(lowering, r->target, r->element), run->at);
}

static void give_all_along(struct lowering *lowering, const struct fold_run *run) {
    for (uint32_t i = 0; i < run->folds.count; i++)
        give_along(lowering, run, i);
}

static bool has_type(const struct fold_run *run, uint32_t index, struct lane_type type) {
    struct lane_type to = run->reductions[index]->target->type.type;
    return to.kind == type.kind && to.bits == type.bits;
}

/* Where the result has more bits than the values, it is extended where it is.  Results of one type
 * lie side by side. */
static void extend(struct lowering *lowering, const struct fold_run *run, uint32_t index) {
    struct array_value *v = array_fold_result(&run->folds.items[index]);
    struct lane_type to = run->reductions[index]->target->type.type;
    uint32_t count = 0, before = 0;
    if (v->type.bits == to.bits)
        return;
    for (uint32_t k = 0; k < run->folds.count; k++) {
        count += has_type(run, k, to);
        before += k < index && has_type(run, k, to);
    }
    uint32_t wide = ir_hidden(&lowering->b, run->folds.lane, to, count, USE_WIDE);
    ir_begin_ensemble(&lowering->b, run->folds.lane, run->at);
    ir_convert(&lowering->b, ir_element(&lowering->b, v->variable, v->element), v->type, to,
               ir_element(&lowering->b, wide, before), run->at);
    *v = (struct array_value){wide, before, to};
}

/* Of no elements the index is all ones, which at one bit more are no element's number. */
static void note_none(struct lowering *lowering, const struct fold_run *run, uint32_t index) {
    struct array_value *v = &run->folds.items[index].index;
    const struct ez_front *f = &run->reductions[index]->front;
    struct lane_type type = {TYPE_INT, (uint8_t)(v->type.bits + 1)};
    if (!f->count || run->folds.items[index].index.variable == IR_NONE || v->type.bits == 64)
        return;
    uint32_t to = ir_hidden(&lowering->b, run->folds.lane, type, 1, USE_INDEX);
    ir_begin_ensemble(&lowering->b, run->folds.lane, run->at);
    uint32_t in = ez_lower_in_front(lowering, f, run->at);
    uint32_t found =
        ir_convert(&lowering->b, ir_element(&lowering->b, v->variable, v->element), v->type,
                   (struct lane_type){TYPE_UINT, type.bits}, IR_NONE, run->at);
    uint32_t none = ir_constant(&lowering->b, type, low_bits(type.bits), IR_NONE, run->at);
    ir_operation(&lowering->b, IR_SELECT, type, ir_element(&lowering->b, to, 0), in, found, none, 0,
                 run->at);
    *v = (struct array_value){to, 0, type};
}

/* True if the results are outputs alone, and each is all that the host would make of the values: of
 * no elements it knows no number.  MPUs with texts of their own make variables in the same order.
 */
static bool may_finish(const struct lowering *lowering, const struct ez_reduction *first) {
    bool good = first->axis == ARRAY_ALL && !lowering->u->roles;
    for (const struct ez_reduction *r = first; r; r = ez_fold_next(r, lowering->options.folded)) {
        bool numbers = r->kind == REDUCE_ARGMIN || r->kind == REDUCE_ARGMAX;
        good &= r->target->var.direction == VAR_OUT && !(numbers && r->front.count);
    }
    return good;
}

static struct array_finish open_finish(struct lowering *lowering, const struct fold_run *run) {
    struct array_output *outputs =
        ARENA_ARRAY(lowering->b.p->arena, run->folds.count, struct array_output);
    for (uint32_t i = 0; i < run->folds.count; i++)
        outputs[i] = (struct array_output){run->reductions[i]->target->var.number,
                                           run->reductions[i]->element, run->folds.items[i].own};
    return array_finish_open(&lowering->b, &run->folds, outputs, run->at);
}

static void give_all(struct lowering *lowering, struct fold_run *run) {
    for (uint32_t i = 0; i < run->folds.count; i++)
        extend(lowering, run, i);
    for (uint32_t i = 0; i < run->folds.count;)
        i += give_out(lowering, run, i);
}

static void lower_folds(struct lowering *lowering, const struct ez_reduction *first,
                        struct span at) {
    struct fold_run x = run_of(lowering, first, at);
    x.folds.held = may_finish(lowering, first);
    array_folds_begin(&lowering->b, &x.folds);
    put_items(lowering, &x);
    struct array_finish finish = open_finish(lowering, &x);
    array_folds_run(&lowering->b, &x.folds, at);
    for (uint32_t i = 0; i < x.folds.count; i++)
        note_none(lowering, &x, i);
    if (first->axis == ARRAY_ALL)
        give_all(lowering, &x);
    else
        give_all_along(lowering, &x);
    array_finish_close(&lowering->b, &finish);
}

/* ---- prefix sums ---- */

/* True if the results can be moved to where they belong: they have its type, and all elements get
 * one. */
static bool lands(const struct ez_reduction *reduction) {
    struct lane_type to = reduction->target->type.type;
    return !reduction->front.count && to.kind == reduction->type.kind &&
           to.bits == reduction->type.bits;
}

static void give_scanned(struct lowering *lowering, const struct ez_reduction *reduction,
                         const struct array_value *value, struct span at) {
    ez_lower_begin_ensemble(lowering, reduction->group, at);
    uint32_t region = ez_lower_enter_front(lowering, &reduction->front, at);
    uint32_t target = ez_lower_element(lowering, reduction->target, reduction->element);
    ir_convert(&lowering->b, ir_element(&lowering->b, value->variable, value->element), value->type,
               reduction->target->type.type, target, at);
    ez_lower_leave_front(lowering, region, at);
}

static struct array_scan scan_of(const struct lowering *lowering,
                                 const struct ez_reduction *reduction) {
    struct array_scan x = {.exclusive = reduction->exclusive,
                           .group = reduction->group->index,
                           .axis = reduction->axis};
    x.fold = fold_of(lowering, reduction);
    x.room = 2 * lowering->options.folded;
    return x;
}

static void lower_scan(struct lowering *lowering, const struct ez_reduction *reduction,
                       struct span at) {
    struct array_scan x = scan_of(lowering, reduction);
    struct array_value to = {reduction->target->var.number, reduction->element, reduction->type},
                       from;
    array_scan_begin(&lowering->b, &x);
    if (!borrowed(reduction, &from) || !array_scan_borrow(&lowering->b, &x, &from)) {
        ez_lower_begin_ensemble(lowering, reduction->group, at);
        put_item(lowering, reduction, &x.fold, at);
    }
    if (!lands(reduction))
        to = (struct array_value){
            ir_hidden(&lowering->b, reduction->group->index, reduction->type, 1, USE_SCANNED), 0,
            reduction->type};
    array_scan_run(&lowering->b, &x, &to, at);
    if (!lands(reduction))
        give_scanned(lowering, reduction, &to, at);
}

void ez_lower_reduction(struct lowering *lowering, const struct stmt *stmt) {
    const struct ez_reduction *r = stmt->reduction;
    if (r->scan)
        lower_scan(lowering, r, stmt->at);
    else if (ez_fold_first(r, lowering->options.folded) == r) /* it carries out the others, too */
        lower_folds(lowering, r, stmt->at);
}
