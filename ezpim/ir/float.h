/* SPDX-License-Identifier: MIT
 * Floating point for who makes programs in the intermediate form: operations by the type of their
 * operands, and what is made of several instructions.  A `dst` of IR_NONE is a new virtual
 * register; all return dst. */
#ifndef EZPIM_IR_FLOAT_H
#define EZPIM_IR_FLOAT_H

#include "ezpim/ir/build.h"

/* op (ADD SUB MUL DIV MIN MAX NEG EQ NE LT LE GT GE) as the type of its operands has it: of
 * floating point FADD and so on, comparisons true as IEEE 754 says (only NE of what is not a
 * number); operations that floating point has not are made as they are. */
uint32_t ir_typed(struct ir_builder *builder, enum ir_op op, struct lane_type type, uint32_t dst,
                  uint32_t a, uint32_t b, struct span at);

/* What ir_convert does where one of the types is of floating point. */
uint32_t ir_convert_float(struct ir_builder *builder, uint32_t a, struct lane_type from,
                          struct lane_type to, uint32_t dst, struct span at);

enum ir_rounding { IR_ROUND_NEAREST, IR_ROUND_DOWN, IR_ROUND_UP, IR_ROUND_ZERO };
/* The integer beside a that the rounding says, in the format of a: IEEE 754's roundToIntegral.  An
 * infinity, what is not a number and the sign of zeros stay as they are. */
uint32_t ir_float_round(struct ir_builder *builder, enum ir_rounding rounding,
                        struct lane_type type, uint32_t a, uint32_t dst, struct span at);

/* A number without a sign of as many bits, in the order of the numbers: -inf first, -0 in front of
 * +0 or (one_zero) both the same, inf last; what is not a number becomes `nan`. */
uint32_t ir_float_key(struct ir_builder *builder, struct lane_type type, uint32_t a, bool one_zero,
                      uint64_t nan, uint32_t dst, struct span at);
/* Back; ir_float_nan_key is the key of ieee_nan, behind that of inf. */
uint32_t ir_float_of_key(struct ir_builder *builder, struct lane_type type, uint32_t key,
                         uint32_t dst, struct span at);
uint64_t ir_float_nan_key(struct lane_type type);

/* What these do to constants, which are patterns of their types' bits; `to` is no bool. */
uint64_t ir_fold_typed(enum ir_op op, struct lane_type type, uint64_t left, uint64_t right);
uint64_t ir_fold_convert(uint64_t a, struct lane_type from, struct lane_type to);
uint64_t ir_fold_round(enum ir_rounding rounding, struct lane_type type, uint64_t a);

/* bool: a is not a number; is an infinity; is neither; has its sign set. */
uint32_t ir_float_is_nan(struct ir_builder *builder, struct lane_type type, uint32_t a,
                         uint32_t dst, struct span at);
uint32_t ir_float_is_infinite(struct ir_builder *builder, struct lane_type type, uint32_t a,
                              uint32_t dst, struct span at);
uint32_t ir_float_is_finite(struct ir_builder *builder, struct lane_type type, uint32_t a,
                            uint32_t dst, struct span at);
uint32_t ir_float_sign(struct ir_builder *builder, struct lane_type type, uint32_t a, uint32_t dst,
                       struct span at);

#endif
