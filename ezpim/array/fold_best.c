/* SPDX-License-Identifier: MIT
 * argmin and argmax.  Behind each level an element has the best value of the neighbours that it
 * took in and the number of the first that has it among them: which part it is stands in the upper
 * bits, and the number inside of that part below. */
#include "ezpim/array/fold_level.h"
#include "support/bits.h"

/* ---- the number of the best ---- */

/* high above the `bits` low ones of `low`, which is IR_NONE if there are none. */
static uint32_t concatenate(struct ir_builder *b, uint32_t high, unsigned high_bits, uint32_t low,
                            unsigned bits, struct span at) {
    struct mpu_type type = array_bits_type(high_bits + bits);
    if (bits == 0)
        return high;
    uint32_t above = ir_convert(b, high, array_bits_type(high_bits), type, IR_NONE, at);
    uint32_t below = ir_convert(b, low, array_bits_type(bits), type, IR_NONE, at);
    above = ir_operation(b, IR_SHL, type, IR_NONE, above, IR_NONE, IR_NONE, bits, at);
    return ir_operation(b, IR_OR, type, IR_NONE, above, below, IR_NONE, 0, at);
}

/* The best of an element's parts so far: its value, which of them it is, and its own index. */
struct best {
    uint32_t v, place, low; /* low: IR_NONE: there is none */
    unsigned bits;          /* of place */
};

static void replace(struct ir_builder *b, struct mpu_type type, uint32_t to, uint32_t by,
                    struct span at) {
    ir_operation(b, IR_COPY, type, to, by, IR_NONE, IR_NONE, 0, at);
}

/* Part p with that value and index comes in where it is array_fold_better.  Lanes that take it are
 * enabled alone: most machines write a register under a mask for less than they select. */
static void compete(struct ir_builder *b, const struct array_fold *item, const struct best *x,
                    uint32_t p, uint32_t v, uint32_t low, struct span at) {
    uint32_t wins =
        ir_operation(b, array_fold_better(item), item->own.type, IR_NONE, v, x->v, IR_NONE, 0, at);
    uint32_t region = ir_open(b->code, IR_IF, wins, at);
    replace(b, item->own.type, x->v, v, at);
    ir_constant(b, array_bits_type(x->bits), p, x->place, at);
    if (low != IR_NONE)
        replace(b, item->index.type, x->low, low, at);
    ir_mark(b->code, IR_END, region, IR_NONE, at);
}

/* The values and indices of `parts` elements are in registers of `value` and `index`, from 0 on:
 * the first becomes the best, of equals the first. */
static struct best find_best(struct ir_builder *b, const struct array_level *l,
                             const struct array_fold *item, uint32_t value, uint32_t index) {
    bool has_low = item->index.type.bits;
    struct best x = {ir_element(b, value, 0), IR_NONE, IR_NONE, array_fold_bits(l->parts - 1)};
    if (has_low)
        x.low = ir_element(b, index, 0);
    x.place = ir_constant(b, array_bits_type(x.bits), 0, IR_NONE, l->at);
    for (uint32_t p = 1; p < l->parts; p++)
        compete(b, item, &x, p, ir_element(b, value, p),
                has_low ? ir_element(b, index, p) : IR_NONE, l->at);
    return x;
}

static void choose_best(struct ir_builder *b, const struct array_level *l, uint32_t number,
                        uint32_t value, uint32_t index) {
    struct array_fold *item = &l->f->items[number];
    unsigned low = item->index.type.bits;
    struct best x = find_best(b, l, item, value, index);
    struct mpu_type all = array_bits_type(x.bits + low),
                    type = array_bits_type(array_fold_bits(l->f->most - 1));
    if (type.bits > all.bits)
        type = all;
    uint32_t own =
        array_level_variable(b, l->group, type, 1, array_fold_use(0, ARRAY_PART_INDEX, number));
    uint32_t place = concatenate(b, x.place, x.bits, x.low, low, l->at);
    ir_convert(b, place, all, type, ir_element(b, own, 0), l->at);
    item->index = (struct array_value){own, 0, type};
    item->own = (struct array_value){value, 0, item->own.type};
}

/* The values of an element's parts come, and their indices, which all are lower bits. */
void array_fold_best(struct ir_builder *b, const struct array_level *l, uint32_t number) {
    struct array_fold *item = &l->f->items[number];
    struct mpu_type type = item->index.type;
    unsigned class = array_fold_class(item, item->own.type);
    uint32_t index = IR_NONE,
             value = array_level_variable(b, l->group, item->own.type, l->parts,
                                          array_fold_use(class, ARRAY_PART_OTHER, number));
    array_level_move_parts(b, l, value, 0, &item->own, array_identity(item->kind, item->own.type));
    if (type.bits) {
        index = array_level_variable(b, l->group, type, l->parts,
                                     array_fold_use(0, ARRAY_PART_OTHER_INDEX, number));
        array_level_move_parts(b, l, index, 0, &item->index, 0);
    }
    ir_begin_ensemble(b, l->group, l->at);
    choose_best(b, l, number, value, index);
}

/* MPUs compare indices too: they do not take in each other in their order. */
void array_fold_best_of_mpus(struct ir_builder *b, const struct array_level *l, uint32_t number) {
    struct array_fold *item = &l->f->items[number];
    struct mpu_type value = item->own.type, index = item->index.type, bit = {TYPE_BOOL, 1};
    unsigned class = array_fold_class(item, value);
    uint32_t other = array_level_variable(
        b, l->group, value, 1, array_fold_use(class, ARRAY_PART_OTHER, l->number + number));
    uint32_t other_index = array_level_variable(
        b, l->group, index, 1, array_fold_use(0, ARRAY_PART_OTHER_INDEX, l->number + number));
    array_level_move_parts(b, l, other, 0, &item->own, array_identity(item->kind, value));
    array_level_move_parts(b, l, other_index, 0, &item->index, low_bits(index.bits));
    ir_begin_ensemble(b, l->group, l->at);
    uint32_t x = array_fold_element(b, item), y = ir_element(b, other, 0);
    uint32_t i = ir_element(b, item->index.variable, 0), k = ir_element(b, other_index, 0);
    uint32_t wins =
        ir_operation(b, array_fold_better(item), value, IR_NONE, y, x, IR_NONE, 0, l->at);
    uint32_t equal = ir_operation(b, IR_EQ, value, IR_NONE, y, x, IR_NONE, 0, l->at);
    uint32_t earlier = ir_operation(b, IR_LT, index, IR_NONE, k, i, IR_NONE, 0, l->at);
    equal = ir_operation(b, IR_AND, bit, IR_NONE, equal, earlier, IR_NONE, 0, l->at);
    wins = ir_operation(b, IR_OR, bit, IR_NONE, wins, equal, IR_NONE, 0, l->at);
    ir_operation(b, IR_SELECT, value, y, wins, y, x, 0, l->at);
    ir_operation(b, IR_SELECT, index, k, wins, k, i, 0, l->at);
    item->own.variable = other;
    item->own.element = 0;
    item->index.variable = other_index;
}
