/* SPDX-License-Identifier: MIT
 * One operation on values: what the ISA's instructions of the same names do, at any width. */
#include "stage/stage.h"

#include "isa-spec/golden.h"

uint64_t stage_normal(struct lane_type type, uint64_t value) {
    return type.kind == TYPE_INT ? (uint64_t)sign_extend(value, type.bits)
                                 : value & low_bits(type.bits);
}

static uint64_t float_unary(enum stage_op op, struct ieee_format format, uint64_t value) {
    switch (op) {
    case STAGE_NEGATE:
        return value ^ ieee_sign_bit(format);
    case STAGE_ABS:
        return value & ~ieee_sign_bit(format);
    default:
        return ieee_sqrt(format, value);
    }
}

uint64_t stage_unary(enum stage_op op, struct lane_type type, uint64_t value) {
    if (object_type_is_float(type))
        return float_unary(op, object_type_format(type), value);
    switch (op) {
    case STAGE_NEGATE:
        return stage_normal(type, 0 - value);
    case STAGE_INVERT:
        return stage_normal(type, ~value);
    case STAGE_NOT:
        return !value;
    default: /* STAGE_ABS: the least signed number gives itself */
        return type.kind == TYPE_INT ? stage_normal(type, golden_magnitude(value, type.bits))
                                     : value;
    }
}

static uint64_t float_binary(enum stage_op op, struct ieee_format format, uint64_t left,
                             uint64_t right) {
    switch (op) {
    case STAGE_ADD:
        return ieee_add(format, left, right);
    case STAGE_SUB:
        return ieee_sub(format, left, right);
    case STAGE_MUL:
        return ieee_mul(format, left, right);
    case STAGE_DIV:
        return ieee_div(format, left, right);
    case STAGE_MIN:
        return ieee_min(format, left, right);
    case STAGE_MAX:
        return ieee_max(format, left, right);
    case STAGE_EQ:
        return ieee_equal(format, left, right);
    case STAGE_NE:
        return !ieee_equal(format, left, right);
    case STAGE_LT:
        return ieee_less(format, left, right);
    case STAGE_LE:
        return ieee_less_equal(format, left, right);
    case STAGE_GT:
        return ieee_less(format, right, left);
    default:
        return ieee_less_equal(format, right, left);
    }
}

static bool is_less(bool is_signed, uint64_t left, uint64_t right) {
    return is_signed ? (int64_t)left < (int64_t)right : left < right;
}

/* Operands as stage_normal has them; the result is brought there. */
static uint64_t integer_binary(enum stage_op op, bool is_signed, unsigned w, uint64_t left,
                               uint64_t right) {
    switch (op) {
    case STAGE_ADD:
        return left + right;
    case STAGE_SUB:
        return left - right;
    case STAGE_MUL:
        return left * right;
    case STAGE_DIV:
        return is_signed ? golden_sdiv(left, right, w) : golden_quotient(left, right);
    case STAGE_REM:
        return is_signed ? golden_srem(left, right, w) : golden_remainder(left, right);
    case STAGE_AND:
        return left & right;
    case STAGE_OR:
        return left | right;
    case STAGE_XOR:
        return left ^ right;
    case STAGE_SHL:
        return golden_shl(left, right, w);
    case STAGE_SHR:
        return is_signed ? golden_sar(left, right, w) : golden_shr(left, right, w);
    case STAGE_MIN:
        return is_less(is_signed, right, left) ? right : left;
    default:
        return is_less(is_signed, left, right) ? right : left;
    }
}

uint64_t stage_binary(enum stage_op op, struct lane_type type, uint64_t left, uint64_t right) {
    bool is_signed = type.kind == TYPE_INT;
    if (op == STAGE_BOTH || op == STAGE_EITHER)
        return op == STAGE_BOTH ? left & right : left | right;
    if (object_type_is_float(type))
        return float_binary(op, object_type_format(type), left, right);
    switch (op) {
    case STAGE_EQ:
        return left == right;
    case STAGE_NE:
        return left != right;
    case STAGE_LT:
        return is_less(is_signed, left, right);
    case STAGE_LE:
        return !is_less(is_signed, right, left);
    case STAGE_GT:
        return is_less(is_signed, right, left);
    case STAGE_GE:
        return !is_less(is_signed, left, right);
    default:
        return stage_normal(type, integer_binary(op, is_signed, type.bits, left, right));
    }
}

uint64_t stage_convert(struct lane_type from, struct lane_type to, uint64_t value) {
    bool from_float = object_type_is_float(from);
    if (object_type_is_float(to)) {
        struct ieee_format format = object_type_format(to);
        return from_float              ? ieee_convert(object_type_format(from), format, value)
               : from.kind == TYPE_INT ? ieee_from_signed(format, (int64_t)value)
                                       : ieee_from_unsigned(format, value);
    }
    if (from_float)
        value = to.kind == TYPE_INT
                    ? ieee_to_signed(object_type_format(from), value, to.bits, false)
                    : ieee_to_unsigned(object_type_format(from), value, to.bits, false);
    return to.kind == TYPE_BOOL ? value != 0 : stage_normal(to, value);
}

uint64_t stage_identity(enum stage_op op, struct lane_type type) {
    bool is_float = object_type_is_float(type);
    uint64_t least = type.kind == TYPE_INT ? (uint64_t)1 << (type.bits - 1) : 0;
    switch (op) {
    case STAGE_MUL:
        return is_float ? ieee_from_unsigned(object_type_format(type), 1) : 1;
    case STAGE_AND:
        return stage_normal(type, UINT64_MAX);
    case STAGE_MIN:
        return is_float ? ieee_nan(object_type_format(type)) : stage_normal(type, ~least);
    case STAGE_MAX:
        return is_float ? ieee_nan(object_type_format(type)) : stage_normal(type, least);
    case STAGE_ADD: /* 0 + -0 is +0: only -0 leaves every number as it is */
        return is_float ? ieee_sign_bit(object_type_format(type)) : 0;
    default:
        return 0;
    }
}

const char *stage_op_text(enum stage_op op) {
    static const char *const texts[] = {
        [STAGE_NEGATE] = "-",  [STAGE_INVERT] = "~", [STAGE_NOT] = "!",   [STAGE_ABS] = "abs",
        [STAGE_SQRT] = "sqrt", [STAGE_ADD] = "+",    [STAGE_SUB] = "-",   [STAGE_MUL] = "*",
        [STAGE_DIV] = "/",     [STAGE_REM] = "%",    [STAGE_AND] = "&",   [STAGE_OR] = "|",
        [STAGE_XOR] = "^",     [STAGE_MIN] = "min",  [STAGE_MAX] = "max", [STAGE_SHL] = "<<",
        [STAGE_SHR] = ">>",    [STAGE_EQ] = "==",    [STAGE_NE] = "!=",   [STAGE_LT] = "<",
        [STAGE_LE] = "<=",     [STAGE_GT] = ">",     [STAGE_GE] = ">=",   [STAGE_BOTH] = "&&",
        [STAGE_EITHER] = "||", [STAGE_NO_OP] = ""};
    return texts[op];
}
