/* SPDX-License-Identifier: MIT
 * The table of operations element by element. */
#include "ezpim/array/operations.h"

enum {
    NONE = 0,
    F = ARRAY_KIND_FLOAT,
    L = ARRAY_KIND_FLOAT | ARRAY_KIND_LIBRARY,
    I = ARRAY_KIND_INT,
    BI = ARRAY_KIND_BOOL | ARRAY_KIND_INT,
    IF = ARRAY_KIND_INT | ARRAY_KIND_FLOAT,
    BIF = ARRAY_KIND_ANY
};
enum { SAME = false, TRUTH = true };

const struct array_op_info *array_op_info(unsigned op) {
    static const struct array_op_info operations[ARRAY_OPS] = {
#define X(id, name, operands, kinds, result)                                                       \
    [ARRAY_OP_##id] = {name, operands, kinds, (bool)(result)},
        ARRAY_PUBLIC_OPERATIONS(X) ARRAY_INNER_OPERATIONS(X)
#undef X
    };
    return op < ARRAY_OPS ? &operations[op] : NULL;
}

uint32_t array_op_number(enum array_op op) {
    return op == ARRAY_OP_BIT || op == ARRAY_OP_POW ? 1 : op == ARRAY_OP_SETBIT ? 2 : 0;
}

struct lane_type array_op_operand(enum array_op op, struct lane_type type, uint32_t operand) {
    bool truth = (op == ARRAY_OP_SELECT && operand == 0) || (op == ARRAY_OP_SETBIT && operand == 1);
    if (truth)
        return (struct lane_type){TYPE_BOOL, 1};
    if (operand && operand == array_op_number(op))
        return (struct lane_type){TYPE_UINT, 64};
    return type;
}

enum array_kind array_kind_of(struct lane_type type) {
    return type.kind == TYPE_BOOL       ? ARRAY_KIND_BOOL
           : object_type_is_float(type) ? ARRAY_KIND_FLOAT
                                        : ARRAY_KIND_INT;
}

bool array_op_takes(enum array_op op, struct lane_type type) {
    return array_op_info(op) && (array_op_info(op)->kinds & array_kind_of(type)) &&
           !(array_op_is_function(op) && type.bits > 32);
}

bool array_op_is_function(enum array_op op) {
    return array_op_info(op) && (array_op_info(op)->kinds & ARRAY_KIND_LIBRARY);
}
