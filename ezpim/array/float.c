/* SPDX-License-Identifier: MIT
 * Operations on floating point element by element: the instructions that they become. */
#include "ezpim/array/array.h"
#include "ezpim/ir/float.h"
#include "support/bits.h"

#include <stdio.h>

/* An operation at work, and its operands' patterns as numbers without a sign. */
struct float_work {
    struct ir_builder *builder;
    struct lane_type type, plain;
    struct ieee_format format;
    struct span at;
};

static struct float_work float_work_of(struct ir_builder *builder, struct lane_type type,
                                       struct span at) {
    return (struct float_work){builder, type, {TYPE_UINT, type.bits}, object_type_format(type), at};
}

static uint32_t operate(const struct float_work *w, enum ir_op op, struct lane_type type,
                        uint32_t dst, uint32_t left, uint32_t right) {
    return ir_operation(w->builder, op, type, dst, left, right, IR_NONE, 0, w->at);
}

static uint32_t choose(const struct float_work *w, uint32_t dst, uint32_t condition, uint32_t left,
                       uint32_t right) {
    return ir_operation(w->builder, IR_SELECT, w->type, dst, condition, left, right, 0, w->at);
}

static uint32_t pattern(const struct float_work *w, uint64_t bits) {
    return ir_constant(w->builder, w->plain, bits, IR_NONE, w->at);
}

static uint32_t number(const struct float_work *w, uint64_t bits) {
    return ir_constant(w->builder, w->type, bits, IR_NONE, w->at);
}

static uint32_t with_bits(const struct float_work *w, uint32_t a, uint64_t bits) {
    return operate(w, IR_AND, w->plain, IR_NONE, a, pattern(w, bits));
}

/* ---- extremes ---- */

/* NumPy's minimum and maximum: what is no number is handed on. */
static uint32_t extreme(const struct float_work *w, enum ir_op op, const uint32_t *args,
                        uint32_t dst) {
    uint32_t none = operate(w, IR_FUN, w->type, IR_NONE, args[0], args[1]);
    uint32_t best = operate(w, op, w->type, IR_NONE, args[0], args[1]);
    return choose(w, dst, none, number(w, ieee_nan(w->format)), best);
}

/* ---- signs ---- */

static uint32_t copy_sign(const struct float_work *w, const uint32_t *args, uint32_t dst) {
    uint32_t sign = with_bits(w, args[1], ieee_sign_bit(w->format));
    uint32_t value = operate(w, IR_FABS, w->type, IR_NONE, args[0], IR_NONE);
    operate(w, IR_OR, w->plain, value, value, sign);
    return ir_convert(w->builder, value, w->type, w->type, dst, w->at);
}

/* 1 with the sign; 0 of both zeros; what is no number is handed on. */
static uint32_t sign(const struct float_work *w, uint32_t a, uint32_t dst) {
    uint64_t one = ieee_from_unsigned(w->format, 1);
    uint32_t unit = operate(w, IR_OR, w->plain, IR_NONE, with_bits(w, a, ieee_sign_bit(w->format)),
                            pattern(w, one));
    uint32_t zero = number(w, 0);
    uint32_t nothing = operate(w, IR_FEQ, w->type, IR_NONE, a, zero);
    uint32_t some = choose(w, IR_NONE, nothing, zero, unit);
    uint32_t none = operate(w, IR_FUN, w->type, IR_NONE, a, a);
    return choose(w, dst, none, a, some);
}

/* ---- keys ---- */

static uint32_t key(const struct float_work *w, uint32_t a, uint64_t which, uint32_t dst) {
    uint64_t nan = which & ARRAY_KEY_NAN_FIRST ? 0 : ir_float_nan_key(w->type);
    return ir_float_key(w->builder, w->type, a, which & ARRAY_KEY_ZEROS_ALIKE, nan, dst, w->at);
}

static uint32_t unkey(const struct float_work *w, uint32_t a, uint32_t dst) {
    uint32_t value = ir_float_of_key(w->builder, w->type, a, IR_NONE, w->at);
    uint32_t none = operate(w, IR_FUN, w->type, IR_NONE, value, value);
    return choose(w, dst, none, number(w, ieee_nan(w->format)), value);
}

/* ---- functions of the library ---- */

/* "float-f32.ez" and "f32_exp" are not kept. */
static uint32_t function(const struct float_work *w, enum array_op op, const uint32_t *args,
                         uint32_t dst) {
    char type[8], file[24], name[32];
    object_type_text(w->type, type);
    snprintf(file, sizeof file, "float-%s.ez", type);
    snprintf(name, sizeof name, "%s_%s", type, array_op_info(op)->name);
    return w->builder->function(w->builder, file, name, args, dst, w->at);
}

/* ---- all of them ---- */

static uint32_t is_zero(const struct float_work *w, uint32_t a, uint32_t dst) {
    const struct lane_type truth = {TYPE_BOOL, 1};
    uint32_t zero = operate(w, IR_FZERO, w->type, IR_NONE, a, IR_NONE);
    return operate(w, IR_COPY, truth, dst, zero, IR_NONE);
}

enum ir_rounding array_rounding(enum array_op op) {
    return op == ARRAY_OP_FLOOR   ? IR_ROUND_DOWN
           : op == ARRAY_OP_CEIL  ? IR_ROUND_UP
           : op == ARRAY_OP_TRUNC ? IR_ROUND_ZERO
                                  : IR_ROUND_NEAREST;
}

static uint32_t class_of(const struct float_work *w, enum array_op op, uint32_t a, uint32_t dst) {
    struct ir_builder *b = w->builder;
    return op == ARRAY_OP_ISNAN      ? ir_float_is_nan(b, w->type, a, dst, w->at)
           : op == ARRAY_OP_ISINF    ? ir_float_is_infinite(b, w->type, a, dst, w->at)
           : op == ARRAY_OP_ISFINITE ? ir_float_is_finite(b, w->type, a, dst, w->at)
                                     : ir_float_sign(b, w->type, a, dst, w->at);
}

static uint32_t of_one(const struct float_work *w, enum array_op op, uint32_t a, uint64_t which,
                       uint32_t dst) {
    switch (op) {
    case ARRAY_OP_NEG:
        return operate(w, IR_FNEG, w->type, dst, a, IR_NONE);
    case ARRAY_OP_ABS:
        return operate(w, IR_FABS, w->type, dst, a, IR_NONE);
    case ARRAY_OP_SQRT:
        return operate(w, IR_FSQRT, w->type, dst, a, IR_NONE);
    case ARRAY_OP_SIGN:
        return sign(w, a, dst);
    case ARRAY_OP_ISZERO:
        return is_zero(w, a, dst);
    case ARRAY_OP_KEY:
        return key(w, a, which, dst);
    case ARRAY_OP_FLOOR:
    case ARRAY_OP_CEIL:
    case ARRAY_OP_TRUNC:
    case ARRAY_OP_RINT:
        return ir_float_round(w->builder, array_rounding(op), w->type, a, dst, w->at);
    default:
        return class_of(w, op, a, dst);
    }
}

static uint32_t of_two(const struct float_work *w, enum array_op op, const uint32_t *args,
                       uint32_t dst) {
    if (op == ARRAY_OP_MINIMUM || op == ARRAY_OP_MAXIMUM)
        return extreme(w, op == ARRAY_OP_MINIMUM ? IR_FMIN : IR_FMAX, args, dst);
    if (op == ARRAY_OP_COPYSIGN)
        return copy_sign(w, args, dst);
    if (op == ARRAY_OP_UNORDERED)
        return operate(w, IR_FUN, w->type, dst, args[0], args[1]);
    return ir_typed(w->builder, array_instruction(op), w->type, dst, args[0], args[1], w->at);
}

uint32_t array_emit_float(struct ir_builder *builder, enum array_op op, struct lane_type operand,
                          struct lane_type result, const uint32_t *args, uint64_t which,
                          uint32_t dst, struct span at) {
    const struct float_work w =
        float_work_of(builder, array_is_float(operand) ? operand : result, at);
    if (op == ARRAY_OP_CAST)
        return ir_convert(builder, args[0], operand, result, dst, at);
    if (array_op_is_function(op))
        return function(&w, op, args, dst);
    if (op == ARRAY_OP_UNKEY)
        return unkey(&w, args[0], dst);
    return array_op_info(op)->operands == 2 ? of_two(&w, op, args, dst)
                                            : of_one(&w, op, args[0], which, dst);
}
