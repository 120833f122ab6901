/* SPDX-License-Identifier: MIT
 * Operations on single bits of elements of any type. */
#include "ezpim/array/array.h"
#include "support/bits.h"

static const struct lane_type truth = {TYPE_BOOL, 1};

/* An operation at work: on the elements' patterns as numbers without a sign. */
struct bit_work {
    struct arrays *arrays;
    struct lane_type type, plain;
    struct span at;
};

static uint32_t operate(const struct bit_work *w, enum ir_op op, struct lane_type type,
                        uint32_t dst, uint32_t left, uint32_t right) {
    return ir_operation(&w->arrays->b, op, type, dst, left, right, IR_NONE, 0, w->at);
}

/* By a number of bits below the width. */
static uint32_t shift(const struct bit_work *w, enum ir_op op, uint32_t a, uint64_t count) {
    if (count == 0)
        return a;
    return ir_operation(&w->arrays->b, op, w->plain, IR_NONE, a, IR_NONE, IR_NONE, count, w->at);
}

static uint32_t plain(const struct bit_work *w, uint32_t a) {
    return operate(w, IR_COPY, w->plain, IR_NONE, a, IR_NONE);
}

static uint32_t extract(const struct bit_work *w, uint32_t a, uint64_t number, uint32_t dst) {
    return operate(w, IR_COPY, truth, dst, shift(w, IR_SHR, plain(w, a), number), IR_NONE);
}

static uint32_t insert(const struct bit_work *w, const uint32_t *args, uint64_t number,
                       uint32_t dst) {
    uint64_t others = low_bits(w->type.bits) & ~(UINT64_C(1) << number);
    uint32_t mask = ir_constant(&w->arrays->b, w->plain, others, IR_NONE, w->at);
    uint32_t rest = operate(w, IR_AND, w->plain, IR_NONE, plain(w, args[0]), mask);
    uint32_t bit = ir_convert(&w->arrays->b, args[1], truth, w->plain, IR_NONE, w->at);
    uint32_t both = operate(w, IR_OR, w->plain, IR_NONE, rest, shift(w, IR_SHL, bit, number));
    return operate(w, IR_COPY, w->type, dst, both, IR_NONE);
}

uint32_t array_emit_bits(struct arrays *arrays, enum array_op op, struct lane_type type,
                         const uint32_t *args, uint64_t number, uint32_t dst, struct span at) {
    const struct bit_work w = {arrays, type, {TYPE_UINT, type.bits}, at};
    switch (op) {
    case ARRAY_OP_BIT:
        return extract(&w, args[0], number, dst);
    case ARRAY_OP_SETBIT:
        return insert(&w, args, number, dst);
    default:
        return ir_machine(&arrays->b, OP_POPC, type, dst, args[0], at);
    }
}
