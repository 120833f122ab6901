/* SPDX-License-Identifier: MIT
 * All levels of a fold: along an extent that is a number here, along a size in fold_size.c; then
 * the results of the MPUs are folded. */
#include "ezpim/array/fold_level.h"

/* Parts that come together.  As many registers are moved with 2 as with 4, but MPUs side by side
 * share the work evenly with 2: mimdram sums 65,536 in 14 ms instead of 20. */
enum { FAR = 2 };

bool array_folds_any_index(const struct array_folds *folds) {
    for (uint32_t i = 0; i < folds->count; i++)
        if (array_fold_with_index(folds->items[i].kind))
            return true;
    return false;
}

static bool any_in_order(const struct array_folds *folds) {
    for (uint32_t i = 0; i < folds->count; i++)
        if (array_fold_in_order(&folds->items[i]))
            return true;
    return false;
}

static void fold_number(struct ir_builder *builder, struct array_folds *folds, bool far,
                        struct span at) {
    uint32_t most = array_level_most_parts(folds, far ? FAR : ARRAY_NEAR);
    for (uint64_t n = folds->view.along.value, m; n > 1; n = m) {
        uint32_t parts = far ? most : array_level_near(folds, n, most);
        m = (n + parts - 1) / parts;
        struct array_level l = {
            .f = folds, .axis = array_view_axis(&folds->view), .far = far, .at = at};
        l.ends = m == 1;
        l.parts = far ? (uint32_t)((n + m - 1) / m) : l.ends ? (uint32_t)n : parts;
        l.step = (struct extent){NO_INDEX, far ? m : 1};
        l.group = l.ends ? folds->lane
                         : array_view_group(builder, &folds->view, (struct extent){NO_INDEX, m});
        array_level_fold(builder, &l);
    }
}

static uint64_t mpu_count(const struct ir_program *program, const struct array_folds *folds) {
    uint64_t n = 1;
    for (uint32_t d = 0; d < folds->view.lead; d++)
        n *= program->grid[d];
    return n;
}

/* Numbers of elements become those among the elements of all MPUs. */
static void number_mpus(struct ir_builder *builder, const struct array_folds *folds,
                        uint32_t number, struct span at) {
    struct array_fold *item = &folds->items[number];
    struct lane_type type = array_bits_type(array_fold_bits(folds->most - 1));
    uint32_t own =
        array_level_variable(builder, folds->lane, type, 1,
                             array_fold_use(0, ARRAY_PART_INDEX, ARRAY_MOST_ITEMS + number));
    ir_begin_ensemble(builder, folds->lane, at);
    uint32_t mpu = ir_lane_index(builder, type, IR_NONE, at);
    uint32_t first = ir_operation(builder, IR_MUL, type, IR_NONE, mpu,
                                  ir_extent_value(builder, type, folds->view.along, 0, IR_NONE, at),
                                  IR_NONE, 0, at);
    uint32_t i = ir_convert(builder, ir_element(builder, item->index.variable, 0), item->index.type,
                            type, IR_NONE, at);
    ir_operation(builder, IR_ADD, type, ir_element(builder, own, 0), first, i, IR_NONE, 0, at);
    item->index = (struct array_value){own, 0, type};
}

/* Before the round with that distance each MPU has what so many from it on have together, as far as
 * there are any: none is taken in twice. */
static void fold_mpus(struct ir_builder *builder, struct array_folds *folds, struct span at) {
    folds->most = array_fold_times(folds->most, mpu_count(builder->p, folds));
    for (uint32_t i = 0; i < folds->count && folds->view.lead; i++)
        if (array_fold_with_index(folds->items[i].kind))
            number_mpus(builder, folds, i, at);
    struct array_level l = {
        .f = folds, .group = folds->lane, .far = true, .mpus = true, .parts = 2, .at = at};
    uint32_t round = 0;
    for (l.axis = folds->view.lead; l.axis-- > 0;)
        for (uint64_t distance = 1; distance < builder->p->grid[l.axis]; distance *= 2) {
            l.step = (struct extent){NO_INDEX, distance};
            l.number = ARRAY_MOST_ITEMS * (1 + round++ % 2);
            array_level_fold(builder, &l);
        }
}

/* ---- for others ---- */

/* Where values lie that are made for the fold; `held`: which nobody has had before. */
static uint32_t first_own(struct ir_builder *builder, const struct array_folds *folds,
                          uint32_t group, const struct array_fold *item, uint32_t count,
                          uint32_t held) {
    struct lane_type type = array_fold_type(item, 1);
    unsigned class = array_fold_class(item, type);
    if (folds->held)
        return ir_hidden(builder, group, type, count,
                         ARRAY_USE_HELD + held * 8 % ARRAY_USE_HELD + class);
    return array_level_variable(builder, group, type, count,
                                array_fold_use(class, ARRAY_PART_OWN, 0));
}

/* Items that begin with values of one type and class share a variable. */
void array_folds_begin(struct ir_builder *builder, struct array_folds *folds) {
    folds->view = array_view(builder, folds->group, folds->axis);
    folds->lane = array_view_rest(builder, &folds->view);
    folds->elements = 1;
    folds->most = (uint64_t)ir_extent_range(builder->p, folds->view.along).most;
    uint32_t group = array_view_group(builder, &folds->view, folds->view.along);
    uint32_t held = (uint32_t)builder->p->variables.len;
    for (uint32_t i = 0; i < folds->count; i++) {
        struct array_fold *item = &folds->items[i];
        struct lane_type type = array_fold_type(item, 1);
        uint32_t count = 0, before = 0;
        for (uint32_t k = 0; k < folds->count; k++) {
            bool shares = ir_same_type(array_fold_type(&folds->items[k], 1), type) &&
                          array_fold_class(&folds->items[k], type) == array_fold_class(item, type);
            before += shares && k < i;
            count += shares;
        }
        item->own =
            (struct array_value){first_own(builder, folds, group, item, count, held), before, type};
        item->index = (struct array_value){IR_NONE, 0, {TYPE_UINT, 0}};
    }
}

bool array_fold_borrow(struct ir_builder *builder, const struct array_folds *folds, uint32_t item,
                       const struct array_value *value) {
    struct array_fold *x = &folds->items[item];
    uint32_t group = builder->p->variables.data[value->variable].decl.group;
    bool same = group == builder->p->variables.data[x->own.variable].decl.group,
         /* The first level looks at it by the axes of the view; there has to be one. */
        axes = group == folds->view.base && folds->view.along.size == NO_INDEX &&
               folds->view.along.value > 1;
    if (!(same || axes) || !ir_same_type(value->type, x->own.type))
        return false;
    x->own = *value;
    return true;
}

uint32_t array_fold_element(struct ir_builder *builder, const struct array_fold *item) {
    return ir_element(builder, item->own.variable, item->own.element);
}

/* The only element along the axis has the number 0. */
static void number_nothing(struct ir_builder *builder, const struct array_folds *folds,
                           struct span at) {
    for (uint32_t i = 0; i < folds->count; i++) {
        struct array_fold *item = &folds->items[i];
        if (!array_fold_with_index(item->kind) || item->index.variable != IR_NONE)
            continue;
        item->index.type = array_bits_type(1);
        item->index.variable = array_level_variable(builder, folds->lane, item->index.type, 1,
                                                    array_fold_use(0, ARRAY_PART_INDEX, i));
        ir_begin_ensemble(builder, folds->lane, at);
        ir_constant(builder, item->index.type, 0, ir_element(builder, item->index.variable, 0), at);
    }
}

void array_folds_run(struct ir_builder *builder, struct array_folds *folds, struct span at) {
    bool far = !folds->view.has_outer && !array_folds_any_index(folds) && !any_in_order(folds);
    if (builder->p->folded < folds->count)
        builder->p->folded = folds->count;
    if (folds->view.along.size == NO_INDEX)
        fold_number(builder, folds, far, at);
    else
        array_fold_size(builder, folds, far, at);
    number_nothing(builder, folds, at);
    if (folds->axis == ARRAY_ALL)
        fold_mpus(builder, folds, at);
}

struct array_value *array_fold_result(struct array_fold *item) {
    return array_fold_with_index(item->kind) ? &item->index : &item->own;
}

struct ir_move array_fold_move(struct ir_builder *builder, const struct array_folds *folds,
                               const struct array_value *from, uint32_t to) {
    uint32_t group = builder->p->variables.data[from->variable].decl.group,
             axis = array_view_axis(&folds->view);
    struct ir_move m = ir_plain_move(builder->p, to, from->variable);
    uint32_t k = ir_group_dims(builder->p, group);
    if (group != folds->lane) {
        m.record.source[axis] = (struct move_affine){.size = NO_INDEX};
        if (folds->view.has_inner)
            ir_move_source(&m, axis + 1, axis, 1, 0);
    }
    if (m.record.src_has_k)
        m.record.source[k] = (struct move_affine){.size = NO_INDEX, .offset = from->element};
    return m;
}
