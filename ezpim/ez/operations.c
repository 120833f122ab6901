/* SPDX-License-Identifier: MIT
 * Operators and functions of the language, by table. */
#include "ezpim/ez/operations.h"

enum array_op ez_unary_operation(uint8_t op) {
    return op == UNARY_NEG ? ARRAY_OP_NEG : ARRAY_OP_NOT;
}

enum array_op ez_binary_operation(uint8_t op) {
    static const uint8_t table[] = {
        [BINARY_ADD] = ARRAY_OP_ADD, [BINARY_SUB] = ARRAY_OP_SUB, [BINARY_MUL] = ARRAY_OP_MUL,
        [BINARY_DIV] = ARRAY_OP_DIV, [BINARY_REM] = ARRAY_OP_REM, [BINARY_SHL] = ARRAY_OP_SHL,
        [BINARY_SHR] = ARRAY_OP_SHR, [BINARY_AND] = ARRAY_OP_AND, [BINARY_OR] = ARRAY_OP_OR,
        [BINARY_XOR] = ARRAY_OP_XOR, [BINARY_EQ] = ARRAY_OP_EQ,   [BINARY_NE] = ARRAY_OP_NE,
        [BINARY_LT] = ARRAY_OP_LT,   [BINARY_LE] = ARRAY_OP_LE,   [BINARY_GT] = ARRAY_OP_GT,
        [BINARY_GE] = ARRAY_OP_GE,   [BINARY_ALL] = ARRAY_OP_AND, [BINARY_ANY] = ARRAY_OP_OR,
    };
    return (enum array_op)table[op];
}

enum array_op ez_function_operation(uint8_t function) {
    switch ((enum function_kind)function) {
    case FUNCTION_MIN:
        return ARRAY_OP_MIN;
    case FUNCTION_MAX:
        return ARRAY_OP_MAX;
    case FUNCTION_SELECT:
        return ARRAY_OP_SELECT;
    case FUNCTION_FLOORDIV:
        return ARRAY_OP_FLOORDIV;
    case FUNCTION_FLOORMOD:
        return ARRAY_OP_FLOORMOD;
    case FUNCTION_ABS:
        return ARRAY_OP_ABS;
    case FUNCTION_SQRT:
        return ARRAY_OP_SQRT;
    case FUNCTION_FLOOR:
        return ARRAY_OP_FLOOR;
    case FUNCTION_CEIL:
        return ARRAY_OP_CEIL;
    case FUNCTION_TRUNC:
        return ARRAY_OP_TRUNC;
    case FUNCTION_RINT:
        return ARRAY_OP_RINT;
    case FUNCTION_ISNAN:
        return ARRAY_OP_ISNAN;
    case FUNCTION_ISINF:
        return ARRAY_OP_ISINF;
    case FUNCTION_ISFINITE:
        return ARRAY_OP_ISFINITE;
    case FUNCTION_SIGNBIT:
        return ARRAY_OP_SIGNBIT;
    default:
        return ARRAY_OPS;
    }
}

bool ez_function_is_float(uint8_t function) {
    enum array_op op = ez_function_operation(function);
    return op == ARRAY_OP_ABS || (op != ARRAY_OPS && array_op_info(op)->kinds == ARRAY_KIND_FLOAT);
}

bool ez_is_of_integers(enum array_op op) {
    return op != ARRAY_OPS && !(array_op_info(op)->kinds & ARRAY_KIND_FLOAT);
}
