/* SPDX-License-Identifier: MIT
 * All levels of a fold: along a number here, along a size in fold_size.c; then MPUs take in each
 * other. */
#include "ezpim/array/fold_level.h"

/* Parts that come together.  As many registers are moved with 2 as with 4, but MPUs side by side
 * share the work evenly with 2: mimdram sums 65,536 in 14 ms instead of 20. */
enum { FAR = 2 };

bool array_folds_any_index(const struct array_folds *f) {
    for (uint32_t i = 0; i < f->count; i++)
        if (array_fold_with_index(f->items[i].kind))
            return true;
    return false;
}

static void fold_number(struct ir_builder *b, struct array_folds *f, bool far, struct span at) {
    uint32_t most = array_level_most_parts(f, far ? FAR : ARRAY_NEAR);
    for (uint64_t n = f->view.along.value, m; n > 1; n = m) {
        m = (n + most - 1) / most;
        struct array_level l = {.f = f, .axis = array_view_axis(&f->view), .far = far, .at = at};
        l.ends = m == 1;
        l.parts = far ? (uint32_t)((n + m - 1) / m) : l.ends ? (uint32_t)n : most;
        l.step = (struct extent){NO_INDEX, far ? m : 1};
        l.group = l.ends ? f->lane : array_view_group(b, &f->view, (struct extent){NO_INDEX, m});
        array_level_fold(b, &l);
    }
}

static uint64_t mpu_count(const struct ir_program *p, const struct array_folds *f) {
    uint64_t n = 1;
    for (uint32_t d = 0; d < f->view.lead; d++)
        n *= p->grid[d];
    return n;
}

/* Numbers of elements become those among the elements of all MPUs. */
static void number_mpus(struct ir_builder *b, const struct array_folds *f, uint32_t number,
                        struct span at) {
    struct array_fold *item = &f->items[number];
    struct mpu_type type = array_bits_type(array_fold_bits(f->most - 1));
    uint32_t own = array_level_variable(
        b, f->lane, type, 1, array_fold_use(0, ARRAY_PART_INDEX, ARRAY_MOST_ITEMS + number));
    ir_begin_ensemble(b, f->lane, at);
    uint32_t mpu = ir_lane_index(b, type, IR_NONE, at);
    uint32_t first =
        ir_operation(b, IR_MUL, type, IR_NONE, mpu,
                     ir_extent_value(b, type, f->view.along, 0, IR_NONE, at), IR_NONE, 0, at);
    uint32_t i =
        ir_convert(b, ir_element(b, item->index.variable, 0), item->index.type, type, IR_NONE, at);
    ir_operation(b, IR_ADD, type, ir_element(b, own, 0), first, i, IR_NONE, 0, at);
    item->index = (struct array_value){own, 0, type};
}

static void fold_mpus(struct ir_builder *b, struct array_folds *f, struct span at) {
    f->most = array_fold_times(f->most, mpu_count(b->p, f));
    for (uint32_t i = 0; i < f->count && f->view.lead; i++)
        if (array_fold_with_index(f->items[i].kind))
            number_mpus(b, f, i, at);
    struct array_level l = {
        .f = f, .group = f->lane, .far = true, .mpus = true, .parts = 2, .at = at};
    uint32_t round = 0;
    for (l.axis = f->view.lead; l.axis-- > 0;)
        for (uint64_t m = b->p->grid[l.axis]; m > 1; m = l.step.value) {
            l.step = (struct extent){NO_INDEX, (m + 1) / 2};
            l.number = ARRAY_MOST_ITEMS * (1 + round++ % 2);
            array_level_fold(b, &l);
        }
}

/* ---- for others ---- */

/* Where values lie that are made for the fold; `held`: which nobody has had before. */
static uint32_t first_own(struct ir_builder *b, const struct array_folds *f, uint32_t group,
                          const struct array_fold *item, uint32_t count, uint32_t held) {
    struct mpu_type type = array_fold_type(item, 1);
    unsigned class = array_fold_class(item, type);
    if (f->held)
        return ir_hidden(b, group, type, count, ARRAY_USE_HELD + held * 8 % ARRAY_USE_HELD + class);
    return array_level_variable(b, group, type, count, array_fold_use(class, ARRAY_PART_OWN, 0));
}

/* Items that begin with values of one type and class share a variable. */
void array_folds_begin(struct ir_builder *b, struct array_folds *f) {
    f->view = array_view(b, f->group, f->axis);
    f->lane = array_view_rest(b, &f->view);
    f->elements = 1;
    f->most = (uint64_t)ir_extent_range(b->p, f->view.along).most;
    uint32_t group = array_view_group(b, &f->view, f->view.along);
    uint32_t held = (uint32_t)b->p->variables.len;
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        struct mpu_type type = array_fold_type(item, 1);
        uint32_t count = 0, before = 0;
        for (uint32_t k = 0; k < f->count; k++) {
            bool shares = ir_same_type(array_fold_type(&f->items[k], 1), type) &&
                          array_fold_class(&f->items[k], type) == array_fold_class(item, type);
            before += shares && k < i;
            count += shares;
        }
        item->own = (struct array_value){first_own(b, f, group, item, count, held), before, type};
        item->index = (struct array_value){IR_NONE, 0, {TYPE_UINT, 0}};
    }
}

bool array_fold_borrow(struct ir_builder *b, const struct array_folds *f, uint32_t item,
                       const struct array_value *value) {
    struct array_fold *x = &f->items[item];
    uint32_t group = b->p->variables.data[value->variable].decl.group;
    if (group != b->p->variables.data[x->own.variable].decl.group ||
        !ir_same_type(value->type, x->own.type))
        return false;
    x->own = *value;
    return true;
}

uint32_t array_fold_element(struct ir_builder *b, const struct array_fold *item) {
    return ir_element(b, item->own.variable, item->own.element);
}

/* The only element along the axis has the number 0. */
static void number_nothing(struct ir_builder *b, const struct array_folds *f, struct span at) {
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        if (!array_fold_with_index(item->kind) || item->index.variable != IR_NONE)
            continue;
        item->index.type = array_bits_type(1);
        item->index.variable = array_level_variable(b, f->lane, item->index.type, 1,
                                                    array_fold_use(0, ARRAY_PART_INDEX, i));
        ir_begin_ensemble(b, f->lane, at);
        ir_constant(b, item->index.type, 0, ir_element(b, item->index.variable, 0), at);
    }
}

void array_folds_run(struct ir_builder *b, struct array_folds *f, struct span at) {
    bool far = !f->view.has_outer && !array_folds_any_index(f);
    if (f->view.along.size == NO_INDEX)
        fold_number(b, f, far, at);
    else
        array_fold_size(b, f, far, at);
    number_nothing(b, f, at);
    if (f->axis == ARRAY_ALL)
        fold_mpus(b, f, at);
}

struct array_value *array_fold_result(struct array_fold *item) {
    return array_fold_with_index(item->kind) ? &item->index : &item->own;
}

struct ir_move array_fold_move(struct ir_builder *b, const struct array_folds *f,
                               const struct array_value *from, uint32_t to) {
    uint32_t group = b->p->variables.data[from->variable].decl.group,
             axis = array_view_axis(&f->view);
    struct ir_move m = ir_plain_move(b->p, to, from->variable);
    uint32_t k = ir_group_dims(b->p, group);
    if (group != f->lane) {
        m.record.source[axis] = (struct move_affine){.size = NO_INDEX};
        if (f->view.has_inner)
            ir_move_source(&m, axis + 1, axis, 1, 0);
    }
    if (m.record.src_has_k)
        m.record.source[k] = (struct move_affine){.size = NO_INDEX, .offset = from->element};
    return m;
}
