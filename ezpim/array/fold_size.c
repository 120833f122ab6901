/* SPDX-License-Identifier: MIT
 * Folds along a size.  The text has all levels that there may be, and those behind the one that
 * ends with one element are left out when the program is packaged: so what each level gives is
 * kept, and in the end what was kept last is the result. */
#include "ezpim/array/fold_level.h"

/* Parts that come together: half as many levels as of numbers (fold.c), in a text that has all that
 * there may be. */
enum { FAR_OF_SIZES = 4, BEST_OF_SIZES = 4 };

/* Levels in the text are for so many elements; a loop does the rest. */
enum { LEVELS_FOR = 65536 };

static const struct extent one = {NO_INDEX, 1};

/* A register of the group of results for what each level gives: later ones may be left out. */
static struct array_value result_of(struct ir_builder *b, const struct array_folds *f,
                                    struct mpu_type type, unsigned part, uint32_t number) {
    uint32_t v = ir_hidden(b, f->lane, type, 1, array_fold_use(0, part, number));
    return (struct array_value){v, 0, type};
}

static void keep_value(struct ir_builder *b, const struct array_value *from,
                       const struct array_value *to, struct span at) {
    uint32_t v = ir_element(b, from->variable, from->element);
    ir_convert(b, v, from->type, to->type, ir_element(b, to->variable, to->element), at);
}

static void keep_results(struct ir_builder *b, const struct array_level *l) {
    struct array_folds *f = l->f;
    ir_begin_ensemble(b, l->group, l->at);
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        keep_value(b, &item->own, &item->kept, l->at);
        if (array_fold_with_index(item->kind))
            keep_value(b, &item->index, &item->kept_index, l->at);
    }
}

static void choose_results(struct ir_builder *b, struct array_folds *f) {
    for (uint32_t i = 0; i < f->count; i++) {
        struct array_fold *item = &f->items[i];
        item->kept = result_of(b, f, array_fold_exact_type(item, f->most), ARRAY_PART_RESULT, i);
        if (array_fold_with_index(item->kind))
            item->kept_index = result_of(b, f, array_bits_type(array_fold_bits(f->most - 1)),
                                         ARRAY_PART_RESULT_INDEX, i);
    }
}

static void take_results(struct array_folds *f) {
    for (uint32_t i = 0; i < f->count; i++) {
        f->items[i].own = f->items[i].kept;
        if (array_fold_with_index(f->items[i].kind))
            f->items[i].index = f->items[i].kept_index;
    }
}

/* min(n - 1, most). */
static struct extent laps(struct ir_builder *b, struct extent n, uint64_t most) {
    n = ir_extent(b, DERIVE_SUB, n, one);
    return ir_extent(b, DERIVE_MIN, n, (struct extent){NO_INDEX, most});
}

/* A level that is left out, if that is asked for, where n, the size before it, is 1. */
static void fold_level_of_size(struct ir_builder *b, const struct array_level *l, struct extent n,
                               bool guarded) {
    struct ir_repeat r = {NULL};
    if (guarded)
        r = ir_open_repeat(b, laps(b, n, 1), l->at);
    array_level_fold(b, l);
    keep_results(b, l);
    if (guarded)
        ir_close_repeat(b, &r);
}

/* Elements 2i + part of a register of a group with n elements come to element i. */
static void move_pairs(struct ir_builder *b, const struct array_level *l, uint32_t to,
                       uint32_t from, uint32_t part, uint64_t fill) {
    struct ir_move m = ir_plain_move(b->p, to, from);
    ir_move_source(&m, l->axis, l->axis, 2, part);
    m.record.outside = MOVE_FILL;
    m.record.fill = fill;
    ir_put_move(b, &m, l->at);
}

/* What is left of an item, at the width of the result. */
struct rest {
    struct array_value own, index;
    uint32_t other, other_index;
};

/* Places along the axis are the upper bits of indices from here on. */
static void put_rest_index(struct ir_builder *b, const struct array_level *l,
                           const struct array_fold *item, const struct rest *r) {
    struct mpu_type type = r->index.type;
    unsigned low = item->index.type.bits;
    uint32_t i = ir_lane_index(b, type, IR_NONE, l->at);
    uint32_t mpu = ir_operation(b, IR_SHL, type, IR_NONE, i, IR_NONE, IR_NONE, low, l->at);
    uint32_t below = ir_convert(b, ir_element(b, item->index.variable, item->index.element),
                                item->index.type, type, IR_NONE, l->at);
    ir_operation(b, IR_OR, type, ir_element(b, r->index.variable, 0), mpu, below, IR_NONE, 0,
                 l->at);
}

static struct rest rest_of(struct ir_builder *b, const struct array_level *l, uint32_t number) {
    struct array_fold *item = &l->f->items[number];
    struct mpu_type type = item->kept.type, index = item->kept_index.type;
    struct rest r = {.own = {array_level_variable(b, l->group, type, 1,
                                                  array_fold_use(0, ARRAY_PART_REST, number)),
                             0, type},
                     .index.type = index};
    r.other = array_level_variable(b, l->group, type, 1,
                                   array_fold_use(0, ARRAY_PART_REST, ARRAY_MOST_ITEMS + number));
    keep_value(b, &item->own, &r.own, l->at);
    if (!array_fold_with_index(item->kind))
        return r;
    r.index.variable = array_level_variable(b, l->group, index, 1,
                                            array_fold_use(0, ARRAY_PART_REST_INDEX, number));
    r.other_index = array_level_variable(
        b, l->group, index, 1, array_fold_use(0, ARRAY_PART_REST_INDEX, ARRAY_MOST_ITEMS + number));
    put_rest_index(b, l, item, &r);
    return r;
}

static void move_rest(struct ir_builder *b, const struct array_level *l,
                      const struct array_fold *item, const struct rest *r) {
    uint64_t fill = array_identity(item->kind, r->own.type);
    move_pairs(b, l, r->other, r->own.variable, 1, fill);
    move_pairs(b, l, r->own.variable, r->own.variable, 0, fill);
    if (!array_fold_with_index(item->kind))
        return;
    move_pairs(b, l, r->other_index, r->index.variable, 1, 0);
    move_pairs(b, l, r->index.variable, r->index.variable, 0, 0);
}

static void take_in_rest(struct ir_builder *b, const struct array_level *l,
                         const struct array_fold *item, const struct rest *r) {
    struct mpu_type type = r->own.type, index = r->index.type;
    uint32_t x = ir_element(b, r->own.variable, 0), y = ir_element(b, r->other, 0);
    if (!array_fold_with_index(item->kind)) {
        ir_operation(b, array_operation(item->kind), type, x, x, y, IR_NONE, 0, l->at);
        return;
    }
    uint32_t i = ir_element(b, r->index.variable, 0), k = ir_element(b, r->other_index, 0);
    uint32_t wins =
        ir_operation(b, array_fold_better(item), type, IR_NONE, y, x, IR_NONE, 0, l->at);
    ir_operation(b, IR_SELECT, type, x, wins, y, x, 0, l->at);
    ir_operation(b, IR_SELECT, index, i, wins, k, i, 0, l->at);
}

/* Elements of a size that is larger than what levels are for take in their neighbours, over and
 * over: not as fast, but in a text that does not grow with the bound. */
static void fold_rest(struct ir_builder *b, struct array_folds *f, struct extent n, bool guarded,
                      struct span at) {
    struct array_level l = {.f = f, .axis = array_view_axis(&f->view), .at = at};
    struct rest *rest = ARENA_ARRAY(b->p->arena, f->count, struct rest);
    struct ir_repeat once = {NULL};
    l.group = array_view_group(b, &f->view, n);
    if (guarded)
        once = ir_open_repeat(b, laps(b, n, 1), at);
    ir_begin_ensemble(b, l.group, at);
    for (uint32_t i = 0; i < f->count; i++)
        rest[i] = rest_of(b, &l, i);
    uint64_t most = (uint64_t)ir_extent_range(b->p, n).most;
    struct ir_repeat each = ir_open_repeat(b, laps(b, n, array_fold_bits(most - 1)), at);
    for (uint32_t i = 0; i < f->count; i++)
        move_rest(b, &l, &f->items[i], &rest[i]);
    ir_begin_ensemble(b, l.group, at);
    for (uint32_t i = 0; i < f->count; i++)
        take_in_rest(b, &l, &f->items[i], &rest[i]);
    ir_close_repeat(b, &each);
    ir_begin_ensemble(b, f->lane, at);
    for (uint32_t i = 0; i < f->count; i++) {
        keep_value(b, &rest[i].own, &f->items[i].kept, at);
        if (array_fold_with_index(f->items[i].kind))
            keep_value(b, &rest[i].index, &f->items[i].kept_index, at);
    }
    if (guarded)
        ir_close_repeat(b, &once);
}

static void fold_levels_of_size(struct ir_builder *b, struct array_folds *f, uint32_t parts,
                                bool far, struct span at) {
    struct extent n = f->view.along, m;
    bool guarded = b->repeats + 2 <= IR_MOST_REPEATS, loops = b->repeats + 1 <= IR_MOST_REPEATS;
    uint64_t covered = 1;
    for (; ir_extent_range(b->p, n).most > 1; n = m, covered *= parts) {
        if (covered >= LEVELS_FOR && f->axis == ARRAY_ALL && !f->view.lead && loops) {
            fold_rest(b, f, n, guarded, at);
            return;
        }
        m = array_ceil_div(b, n, parts);
        struct array_level l = {.f = f, .axis = array_view_axis(&f->view), .far = far, .at = at};
        l.ends = ir_extent_range(b->p, m).most == 1;
        l.parts = l.ends ? (uint32_t)ir_extent_range(b->p, n).most : parts;
        l.step = far ? m : one;
        l.group = l.ends ? f->lane : array_view_group(b, &f->view, m);
        fold_level_of_size(b, &l, n, guarded && covered > 1);
    }
}

void array_fold_size(struct ir_builder *b, struct array_folds *f, bool far, struct span at) {
    uint32_t most = far ? FAR_OF_SIZES : array_folds_any_index(f) ? BEST_OF_SIZES : ARRAY_NEAR;
    if (f->most == 1)
        return;
    choose_results(b, f);
    fold_levels_of_size(b, f, array_level_most_parts(f, most), far, at);
    take_results(f);
}
