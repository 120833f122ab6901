/* SPDX-License-Identifier: MIT
 * Folds along a size.  The text has as many levels as the largest size needs; levels behind the one
 * that ends with one element are left out when the program is packaged.  So the result of each
 * level is kept, and the one that was kept last is the result of the fold. */
#include "ezpim/array/fold_level.h"
#include "ezpim/ir/float.h"

/* Parts that come together: half as many levels as of numbers (fold.c), in a text that has all that
 * there may be. */
enum { FAR_OF_SIZES = 4, BEST_OF_SIZES = 4 };

/* Levels in the text are for so many elements; a loop does the rest. */
enum { LEVELS_FOR = 65536 };

static const struct extent one = {NO_INDEX, 1};

/* A register of the group of results for what each level gives: later ones may be left out. */
static struct array_value result_of(struct ir_builder *builder, const struct array_folds *folds,
                                    struct lane_type type, unsigned part, uint32_t number) {
    uint32_t v = ir_hidden(builder, folds->lane, type, 1, array_fold_use(0, part, number));
    return (struct array_value){v, 0, type};
}

static void keep_value(struct ir_builder *builder, const struct array_value *from,
                       const struct array_value *to, struct span at) {
    uint32_t v = ir_element(builder, from->variable, from->element);
    ir_convert(builder, v, from->type, to->type, ir_element(builder, to->variable, to->element),
               at);
}

static void keep_results(struct ir_builder *builder, const struct array_level *level) {
    struct array_folds *f = level->f;
    ir_begin_ensemble(builder, level->group, level->at);
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        keep_value(builder, &item->own, &item->kept, level->at);
        if (array_fold_with_index(item->kind))
            keep_value(builder, &item->index, &item->kept_index, level->at);
    }
}

static void choose_results(struct ir_builder *builder, struct array_folds *folds) {
    for (uint32_t i = 0; i < folds->count; i++) {
        struct array_fold *item = &folds->items[i];
        item->kept = result_of(builder, folds, array_fold_exact_type(item, folds->most),
                               ARRAY_PART_RESULT, i);
        if (array_fold_with_index(item->kind))
            item->kept_index =
                result_of(builder, folds, array_bits_type(array_fold_bits(folds->most - 1)),
                          ARRAY_PART_RESULT_INDEX, i);
    }
}

static void take_results(struct array_folds *folds) {
    for (uint32_t i = 0; i < folds->count; i++) {
        folds->items[i].own = folds->items[i].kept;
        if (array_fold_with_index(folds->items[i].kind))
            folds->items[i].index = folds->items[i].kept_index;
    }
}

/* min(extent - 1, most). */
static struct extent laps(struct ir_builder *builder, struct extent extent, uint64_t most) {
    extent = ir_extent(builder, DERIVE_SUB, extent, one);
    return ir_extent(builder, DERIVE_MIN, extent, (struct extent){NO_INDEX, most});
}

/* A level that is left out, if that is asked for, where `extent`, the size before it, is 1. */
static void fold_level_of_size(struct ir_builder *builder, const struct array_level *level,
                               struct extent extent, bool guarded) {
    struct ir_repeat r = {NULL};
    if (guarded)
        r = ir_open_repeat(builder, laps(builder, extent, 1), level->at);
    array_level_fold(builder, level);
    keep_results(builder, level);
    if (guarded)
        ir_close_repeat(builder, &r);
}

/* Elements 2i + part of a register of a group with n elements come to element i. */
static void move_pairs(struct ir_builder *builder, const struct array_level *level, uint32_t to,
                       uint32_t from, uint32_t part, uint64_t fill) {
    struct ir_move m = ir_plain_move(builder->p, to, from);
    ir_move_source(&m, level->axis, level->axis, 2, part);
    m.record.outside = MOVE_FILL;
    m.record.fill = fill;
    ir_put_move(builder, &m, level->at);
}

/* What is left of an item, at the width of the result. */
struct rest {
    struct array_value own, index;
    uint32_t other, other_index;
};

/* Places along the axis are the upper bits of indices from here on. */
static void put_rest_index(struct ir_builder *builder, const struct array_level *level,
                           const struct array_fold *item, const struct rest *rest) {
    struct lane_type type = rest->index.type;
    unsigned low = item->index.type.bits;
    uint32_t i = ir_lane_index(builder, type, IR_NONE, level->at);
    uint32_t mpu =
        ir_operation(builder, IR_SHL, type, IR_NONE, i, IR_NONE, IR_NONE, low, level->at);
    uint32_t below =
        ir_convert(builder, ir_element(builder, item->index.variable, item->index.element),
                   item->index.type, type, IR_NONE, level->at);
    ir_operation(builder, IR_OR, type, ir_element(builder, rest->index.variable, 0), mpu, below,
                 IR_NONE, 0, level->at);
}

static struct rest rest_of(struct ir_builder *builder, const struct array_level *level,
                           uint32_t number) {
    struct array_fold *item = &level->f->items[number];
    struct lane_type type = item->kept.type, index = item->kept_index.type;
    struct rest r = {.own = {array_level_variable(builder, level->group, type, 1,
                                                  array_fold_use(0, ARRAY_PART_REST, number)),
                             0, type},
                     .index.type = index};
    r.other = array_level_variable(builder, level->group, type, 1,
                                   array_fold_use(0, ARRAY_PART_REST, ARRAY_MOST_ITEMS + number));
    keep_value(builder, &item->own, &r.own, level->at);
    if (!array_fold_with_index(item->kind))
        return r;
    r.index.variable = array_level_variable(builder, level->group, index, 1,
                                            array_fold_use(0, ARRAY_PART_REST_INDEX, number));
    r.other_index =
        array_level_variable(builder, level->group, index, 1,
                             array_fold_use(0, ARRAY_PART_REST_INDEX, ARRAY_MOST_ITEMS + number));
    put_rest_index(builder, level, item, &r);
    return r;
}

static void move_rest(struct ir_builder *builder, const struct array_level *level,
                      const struct array_fold *item, const struct rest *rest) {
    uint64_t fill = array_identity(item->kind, rest->own.type);
    move_pairs(builder, level, rest->other, rest->own.variable, 1, fill);
    move_pairs(builder, level, rest->own.variable, rest->own.variable, 0, fill);
    if (!array_fold_with_index(item->kind))
        return;
    move_pairs(builder, level, rest->other_index, rest->index.variable, 1, 0);
    move_pairs(builder, level, rest->index.variable, rest->index.variable, 0, 0);
}

static void take_in_rest(struct ir_builder *builder, const struct array_level *level,
                         const struct array_fold *item, const struct rest *rest) {
    struct lane_type type = rest->own.type, index = rest->index.type;
    uint32_t x = ir_element(builder, rest->own.variable, 0),
             y = ir_element(builder, rest->other, 0);
    if (!array_fold_with_index(item->kind)) {
        ir_typed(builder, array_operation(item->kind), type, x, x, y, level->at);
        return;
    }
    uint32_t i = ir_element(builder, rest->index.variable, 0),
             k = ir_element(builder, rest->other_index, 0);
    uint32_t wins =
        ir_operation(builder, array_fold_better(item), type, IR_NONE, y, x, IR_NONE, 0, level->at);
    ir_operation(builder, IR_SELECT, type, x, wins, y, x, 0, level->at);
    ir_operation(builder, IR_SELECT, index, i, wins, k, i, 0, level->at);
}

/* Elements of a size that is larger than what levels are for take in their neighbours, over and
 * over: not as fast, but in a text that does not grow with the bound. */
static void fold_rest(struct ir_builder *builder, struct array_folds *folds, struct extent extent,
                      bool guarded, struct span at) {
    struct array_level l = {.f = folds, .axis = array_view_axis(&folds->view), .at = at};
    struct rest *rest = ARENA_ARRAY(builder->p->arena, folds->count, struct rest);
    struct ir_repeat once = {NULL};
    l.group = array_view_group(builder, &folds->view, extent);
    if (guarded)
        once = ir_open_repeat(builder, laps(builder, extent, 1), at);
    ir_begin_ensemble(builder, l.group, at);
    for (uint32_t i = 0; i < folds->count; i++)
        rest[i] = rest_of(builder, &l, i);
    uint64_t most = (uint64_t)ir_extent_range(builder->p, extent).most;
    struct ir_repeat each =
        ir_open_repeat(builder, laps(builder, extent, array_fold_bits(most - 1)), at);
    for (uint32_t i = 0; i < folds->count; i++)
        move_rest(builder, &l, &folds->items[i], &rest[i]);
    ir_begin_ensemble(builder, l.group, at);
    for (uint32_t i = 0; i < folds->count; i++)
        take_in_rest(builder, &l, &folds->items[i], &rest[i]);
    ir_close_repeat(builder, &each);
    ir_begin_ensemble(builder, folds->lane, at);
    for (uint32_t i = 0; i < folds->count; i++) {
        keep_value(builder, &rest[i].own, &folds->items[i].kept, at);
        if (array_fold_with_index(folds->items[i].kind))
            keep_value(builder, &rest[i].index, &folds->items[i].kept_index, at);
    }
    if (guarded)
        ir_close_repeat(builder, &once);
}

static void fold_levels_of_size(struct ir_builder *builder, struct array_folds *folds,
                                uint32_t most, bool far, struct span at) {
    struct extent n = folds->view.along, m;
    bool guarded = builder->repeats + 2 <= IR_MOST_REPEATS,
         loops = builder->repeats + 1 <= IR_MOST_REPEATS;
    uint64_t covered = 1;
    for (uint32_t parts; ir_extent_range(builder->p, n).most > 1; n = m, covered *= parts) {
        if (covered >= LEVELS_FOR && folds->axis == ARRAY_ALL && !folds->view.lead && loops) {
            fold_rest(builder, folds, n, guarded, at);
            return;
        }
        uint64_t left = (uint64_t)ir_extent_range(builder->p, n).most;
        parts = far ? most : array_level_near(folds, left, most);
        m = array_ceil_div(builder, n, parts);
        struct array_level l = {
            .f = folds, .axis = array_view_axis(&folds->view), .far = far, .at = at};
        l.ends = ir_extent_range(builder->p, m).most == 1;
        l.parts = l.ends ? (uint32_t)left : parts;
        l.step = far ? m : one;
        l.group = l.ends ? folds->lane : array_view_group(builder, &folds->view, m);
        fold_level_of_size(builder, &l, n, guarded && covered > 1);
    }
}

void array_fold_size(struct ir_builder *builder, struct array_folds *folds, bool far,
                     struct span at) {
    uint32_t most = far ? FAR_OF_SIZES : array_folds_any_index(folds) ? BEST_OF_SIZES : ARRAY_NEAR;
    if (folds->most == 1)
        return;
    choose_results(builder, folds);
    fold_levels_of_size(builder, folds, array_level_most_parts(folds, most), far, at);
    take_results(folds);
}
