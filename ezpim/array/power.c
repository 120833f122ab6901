/* SPDX-License-Identifier: MIT
 * Powers: by squares, and of integers with exponents that are data, of which some bases have less to
 * do. */
#include "ezpim/array/array.h"
#include "ezpim/ir/float.h"

/* ---- instructions ---- */

static uint32_t multiply(struct ir_builder *builder, struct lane_type type, uint32_t dst,
                         uint32_t left, uint32_t right, struct span at) {
    return ir_typed(builder, IR_MUL, type, dst, left, right, at);
}

/* By squares; dst is written last. */
static uint32_t squares(struct ir_builder *builder, struct lane_type type, uint32_t a, uint64_t n,
                        uint32_t dst, struct span at) {
    uint32_t result = IR_NONE;
    for (; n > 1 || result == IR_NONE; n /= 2) {
        if (n & 1)
            result = result == IR_NONE ? a : multiply(builder, type, IR_NONE, result, a, at);
        if (n == 1)
            break;
        a = multiply(builder, type, n == 2 && result == IR_NONE ? dst : IR_NONE, a, a, at);
        if (n == 2 && result == IR_NONE)
            return a;
    }
    return multiply(builder, type, dst, result, a, at);
}

uint32_t array_emit_power(struct ir_builder *builder, struct lane_type type, uint32_t base,
                          uint64_t n, uint32_t dst, struct span at) {
    const struct lane_type float32 = {TYPE_FLOAT, 32};
    if (n == 0)
        return ir_constant(builder, type, array_pattern(1, type), dst, at);
    if (n == 1)
        return ir_convert(builder, base, type, type, dst, at);
    if (n == 2 || !array_is_float(type) || type.bits != 16)
        return squares(builder, type, base, n, dst, at);
    base = ir_convert(builder, base, type, float32, IR_NONE, at);
    base = squares(builder, float32, base, n, IR_NONE, at);
    return ir_convert(builder, base, float32, type, dst, at);
}

/* `base` where the exponent has bit k, else `one`. */
static uint32_t factor(struct ir_builder *builder, struct lane_type type, struct lane_type by,
                       uint32_t exponent, unsigned k, uint32_t base, uint32_t one, uint32_t dst,
                       struct span at) {
    uint32_t bit = ir_constant(builder, by, UINT64_C(1) << k, IR_NONE, at);
    uint32_t zero = ir_constant(builder, by, 0, IR_NONE, at);
    uint32_t own = ir_typed(builder, IR_AND, by, IR_NONE, exponent, bit, at);
    uint32_t test = ir_typed(builder, IR_NE, by, IR_NONE, own, zero, at);
    return ir_operation(builder, IR_SELECT, type, dst, test, base, one, 0, at);
}

uint32_t array_emit_power_of(struct ir_builder *builder, struct lane_type type, struct lane_type by,
                             const uint32_t *args, unsigned bits, uint32_t dst, struct span at) {
    uint32_t one = ir_constant(builder, type, 1, IR_NONE, at), base = args[0], product = one;
    for (unsigned k = 0; k < bits; k++) {
        bool last = k + 1 == bits;
        uint32_t to = last ? dst : IR_NONE;
        uint32_t v = factor(builder, type, by, args[1], k, base, one, k == 0 ? to : IR_NONE, at);
        product = k == 0 ? v : multiply(builder, type, to, product, v, at);
        base = last ? base : multiply(builder, type, IR_NONE, base, base, at);
    }
    return product;
}

/* ---- arrays ---- */

struct raising {
    struct arrays *arrays;
    struct lane_type type;
    struct array_ref *exponent;
    struct span at;
};

static struct array_ref *operate(const struct raising *r, enum array_op op, struct array_ref *x,
                                 struct array_ref *y) {
    struct array_ref *args[] = {x, y};
    return array_elementwise(r->arrays, op, 2, args, r->type, 0, NULL, r->at);
}

static bool is_constant(const struct array_ref *ref) {
    return ref->uniform && ref->uniform->kind == ARRAY_UNIFORM_CONSTANT;
}

static struct array_ref *constant(const struct raising *r, uint64_t pattern) {
    return array_constant(r->arrays, r->type, array_number(pattern, r->type), r->at);
}

/* 0 or 1: 1 to the power 0, else itself. */
static struct array_ref *of_bit(const struct raising *r, struct array_ref *base) {
    const struct lane_type truth = {TYPE_BOOL, 1};
    struct array_ref *one = constant(r, 1), *test[] = {r->exponent, one};
    struct array_ref *none =
        array_elementwise(r->arrays, ARRAY_OP_LT, 2, test, truth, 0, NULL, r->at);
    struct array_ref *args[] = {none, one, base};
    return array_elementwise(r->arrays, ARRAY_OP_SELECT, 3, args, r->type, 0, NULL, r->at);
}

static bool is_number(const struct array_ref *base, uint64_t pattern) {
    return is_constant(base) && base->uniform->pattern == pattern;
}

struct array_ref *array_power(struct arrays *arrays, struct array_ref *base,
                              struct array_ref *exponent, struct span at) {
    const struct raising r = {arrays, base->type, exponent, at};
    if (is_number(base, 2))
        return operate(&r, ARRAY_OP_SHL, constant(&r, 1), exponent);
    if (is_number(base, 0) || is_number(base, 1))
        return of_bit(&r, base);
    return operate(&r, ARRAY_OP_POWER, base, exponent);
}
