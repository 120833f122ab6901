/* SPDX-License-Identifier: MIT
 * Operators and functions of the language to operations of the intermediate form, by table. */
#include "ezpim/ez/operations.h"

enum ir_op ez_binary_operation(uint8_t op) {
    static const uint8_t table[] = {
        [BINARY_ADD] = IR_ADD, [BINARY_SUB] = IR_SUB, [BINARY_MUL] = IR_MUL, [BINARY_DIV] = IR_DIV,
        [BINARY_REM] = IR_REM, [BINARY_SHL] = IR_SHL, [BINARY_SHR] = IR_SHR, [BINARY_AND] = IR_AND,
        [BINARY_OR] = IR_OR,   [BINARY_XOR] = IR_XOR, [BINARY_EQ] = IR_EQ,   [BINARY_NE] = IR_NE,
        [BINARY_LT] = IR_LT,   [BINARY_LE] = IR_LE,   [BINARY_GT] = IR_GT,   [BINARY_GE] = IR_GE,
        [BINARY_ALL] = IR_AND, [BINARY_ANY] = IR_OR,
    };
    return table[op];
}

enum ir_op ez_function_operation(uint8_t function) {
    switch ((enum function_kind)function) {
    case FUNCTION_MIN:
        return IR_MIN;
    case FUNCTION_MAX:
        return IR_MAX;
    case FUNCTION_FLOORDIV:
        return IR_FLOORDIV;
    case FUNCTION_FLOORMOD:
        return IR_FLOORMOD;
    default:
        return IR_OPERATION_COUNT;
    }
}

bool ez_function_is_float(uint8_t function) {
    return function >= FUNCTION_ABS && function <= FUNCTION_SIGNBIT;
}

enum ir_rounding ez_function_rounding(uint8_t function) {
    return function == FUNCTION_FLOOR  ? IR_ROUND_DOWN
           : function == FUNCTION_CEIL ? IR_ROUND_UP
           : function == FUNCTION_RINT ? IR_ROUND_NEAREST
                                       : IR_ROUND_ZERO;
}
