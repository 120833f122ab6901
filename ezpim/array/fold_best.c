/* SPDX-License-Identifier: MIT
 * argmin and argmax.  After each level an element has the best value of those that it took in, and
 * the number of the first of them that has this value.  The upper bits of the number say in which
 * part that one is, the lower bits its number in the part. */
#include "ezpim/array/fold_level.h"
#include "support/bits.h"

/* ---- the number of the best ---- */

/* high above the `bits` low ones of `low`, which is IR_NONE if there are none. */
static uint32_t concatenate(struct ir_builder *builder, uint32_t high, unsigned high_bits,
                            uint32_t low, unsigned bits, struct span at) {
    struct lane_type type = array_bits_type(high_bits + bits);
    if (bits == 0)
        return high;
    uint32_t above = ir_convert(builder, high, array_bits_type(high_bits), type, IR_NONE, at);
    uint32_t below = ir_convert(builder, low, array_bits_type(bits), type, IR_NONE, at);
    above = ir_operation(builder, IR_SHL, type, IR_NONE, above, IR_NONE, IR_NONE, bits, at);
    return ir_operation(builder, IR_OR, type, IR_NONE, above, below, IR_NONE, 0, at);
}

/* The best of an element's parts so far: its value, which of them it is, and its own index. */
struct best {
    uint32_t v, place, low; /* low: IR_NONE: there is none */
    unsigned bits;          /* of place */
};

static void replace(struct ir_builder *builder, struct lane_type type, uint32_t to, uint32_t by,
                    struct span at) {
    ir_operation(builder, IR_COPY, type, to, by, IR_NONE, IR_NONE, 0, at);
}

/* Part p with that value and index comes in where it is array_fold_better.  Lanes that take it are
 * enabled alone: most machines write a register under a mask for less than they select. */
static void compete(struct ir_builder *builder, const struct array_fold *item,
                    const struct best *best, uint32_t p, uint32_t value, uint32_t low,
                    struct span at) {
    uint32_t wins = ir_operation(builder, array_fold_better(item), item->own.type, IR_NONE, value,
                                 best->v, IR_NONE, 0, at);
    uint32_t region = ir_open(builder->code, IR_IF, wins, at);
    replace(builder, item->own.type, best->v, value, at);
    ir_constant(builder, array_bits_type(best->bits), p, best->place, at);
    if (low != IR_NONE)
        replace(builder, item->index.type, best->low, low, at);
    ir_mark(builder->code, IR_END, region, IR_NONE, at);
}

/* The values and indices of `parts` elements are in registers of `value` and `index`, from 0 on:
 * the first becomes the best, of equals the first. */
static struct best find_best(struct ir_builder *builder, const struct array_level *level,
                             const struct array_fold *item, uint32_t value, uint32_t index) {
    bool has_low = item->index.type.bits;
    struct best x = {ir_element(builder, value, 0), IR_NONE, IR_NONE,
                     array_fold_bits(level->parts - 1)};
    if (has_low)
        x.low = ir_element(builder, index, 0);
    x.place = ir_constant(builder, array_bits_type(x.bits), 0, IR_NONE, level->at);
    for (uint32_t p = 1; p < level->parts; p++)
        compete(builder, item, &x, p, ir_element(builder, value, p),
                has_low ? ir_element(builder, index, p) : IR_NONE, level->at);
    return x;
}

static void choose_best(struct ir_builder *builder, const struct array_level *level,
                        uint32_t number, uint32_t value, uint32_t index) {
    struct array_fold *item = &level->f->items[number];
    unsigned low = item->index.type.bits;
    struct best x = find_best(builder, level, item, value, index);
    struct lane_type all = array_bits_type(x.bits + low),
                     type = array_bits_type(array_fold_bits(level->f->most - 1));
    if (type.bits > all.bits)
        type = all;
    uint32_t own = array_level_variable(builder, level->group, type, 1,
                                        array_fold_use(0, ARRAY_PART_INDEX, number));
    uint32_t place = concatenate(builder, x.place, x.bits, x.low, low, level->at);
    ir_convert(builder, place, all, type, ir_element(builder, own, 0), level->at);
    item->index = (struct array_value){own, 0, type};
    item->own = (struct array_value){value, 0, item->own.type};
}

/* The values of an element's parts come, and their indices, which all are lower bits. */
void array_fold_best(struct ir_builder *builder, const struct array_level *level, uint32_t number) {
    struct array_fold *item = &level->f->items[number];
    struct lane_type type = item->index.type;
    unsigned class = array_fold_class(item, item->own.type);
    uint32_t index = IR_NONE,
             value = array_level_variable(builder, level->group, item->own.type, level->parts,
                                          array_fold_use(class, ARRAY_PART_OTHER, number));
    array_level_move_parts(builder, level, value, 0, &item->own,
                           array_identity(item->kind, item->own.type));
    if (type.bits) {
        index = array_level_variable(builder, level->group, type, level->parts,
                                     array_fold_use(0, ARRAY_PART_OTHER_INDEX, number));
        array_level_move_parts(builder, level, index, 0, &item->index, 0);
    }
    ir_begin_ensemble(builder, level->group, level->at);
    choose_best(builder, level, number, value, index);
}

/* MPUs compare indices too: they do not take in each other in their order. */
void array_fold_best_of_mpus(struct ir_builder *builder, const struct array_level *level,
                             uint32_t number) {
    struct array_fold *item = &level->f->items[number];
    struct lane_type value = item->own.type, index = item->index.type, bit = {TYPE_BOOL, 1};
    unsigned class = array_fold_class(item, value);
    uint32_t other =
        array_level_variable(builder, level->group, value, 1,
                             array_fold_use(class, ARRAY_PART_OTHER, level->number + number));
    uint32_t other_index =
        array_level_variable(builder, level->group, index, 1,
                             array_fold_use(0, ARRAY_PART_OTHER_INDEX, level->number + number));
    array_level_move_parts(builder, level, other, 0, &item->own, array_identity(item->kind, value));
    array_level_move_parts(builder, level, other_index, 0, &item->index, low_bits(index.bits));
    ir_begin_ensemble(builder, level->group, level->at);
    uint32_t x = array_fold_element(builder, item), y = ir_element(builder, other, 0);
    uint32_t i = ir_element(builder, item->index.variable, 0),
             k = ir_element(builder, other_index, 0);
    uint32_t wins =
        ir_operation(builder, array_fold_better(item), value, IR_NONE, y, x, IR_NONE, 0, level->at);
    uint32_t equal = ir_operation(builder, IR_EQ, value, IR_NONE, y, x, IR_NONE, 0, level->at);
    uint32_t earlier = ir_operation(builder, IR_LT, index, IR_NONE, k, i, IR_NONE, 0, level->at);
    equal = ir_operation(builder, IR_AND, bit, IR_NONE, equal, earlier, IR_NONE, 0, level->at);
    wins = ir_operation(builder, IR_OR, bit, IR_NONE, wins, equal, IR_NONE, 0, level->at);
    ir_operation(builder, IR_SELECT, value, y, wins, y, x, 0, level->at);
    ir_operation(builder, IR_SELECT, index, k, wins, k, i, 0, level->at);
    item->own.variable = other;
    item->own.element = 0;
    item->index.variable = other_index;
}
