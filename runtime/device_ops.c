/* SPDX-License-Identifier: MIT
 * The operations of vectors: what they are called and what they are about. */
#include "runtime/device.h"

#include "support/bits.h"

#define B OP_KIND_BOOL
#define I OP_KIND_INT
#define F OP_KIND_FLOAT

static const struct device_op ops[MPU_OPS] = {
    [MPU_OP_COPY] = {"copy", 1, OP_KIND_ANY, false},
    [MPU_OP_ADD] = {"add", 2, I | F, false},
    [MPU_OP_SUB] = {"sub", 2, I | F, false},
    [MPU_OP_MUL] = {"mul", 2, I | F, false},
    [MPU_OP_DIV] = {"div", 2, I | F, false},
    [MPU_OP_REM] = {"rem", 2, I, false},
    [MPU_OP_FLOORDIV] = {"floordiv", 2, I, false},
    [MPU_OP_FLOORMOD] = {"floormod", 2, I, false},
    [MPU_OP_SHL] = {"shl", 2, I, false},
    [MPU_OP_SHR] = {"shr", 2, I, false},
    [MPU_OP_AND] = {"and", 2, B | I, false},
    [MPU_OP_OR] = {"or", 2, B | I, false},
    [MPU_OP_XOR] = {"xor", 2, B | I, false},
    [MPU_OP_NOT] = {"not", 1, B | I, false},
    [MPU_OP_NEG] = {"neg", 1, I | F, false},
    [MPU_OP_ABS] = {"abs", 1, I | F, false},
    [MPU_OP_MIN] = {"min", 2, OP_KIND_ANY, false},
    [MPU_OP_MAX] = {"max", 2, OP_KIND_ANY, false},
    [MPU_OP_EQ] = {"eq", 2, OP_KIND_ANY, true},
    [MPU_OP_NE] = {"ne", 2, OP_KIND_ANY, true},
    [MPU_OP_LT] = {"lt", 2, OP_KIND_ANY, true},
    [MPU_OP_LE] = {"le", 2, OP_KIND_ANY, true},
    [MPU_OP_GT] = {"gt", 2, OP_KIND_ANY, true},
    [MPU_OP_GE] = {"ge", 2, OP_KIND_ANY, true},
    [MPU_OP_SELECT] = {"select", 3, OP_KIND_ANY, false},
    [MPU_OP_CAST] = {"cast", 1, OP_KIND_ANY, false},
    [MPU_OP_BITCAST] = {"bitcast", 1, OP_KIND_ANY, false},
    [MPU_OP_POPCOUNT] = {"popcount", 1, B | I, false},
    [MPU_OP_BIT] = {"bit", 2, OP_KIND_ANY, true},
    [MPU_OP_SETBIT] = {"setbit", 3, OP_KIND_ANY, false},
    [MPU_OP_SQRT] = {"sqrt", 1, F, false},
    [MPU_OP_UNORDERED] = {"unordered", 2, F, true},
    [MPU_OP_SIGNBIT] = {"signbit", 1, F, true},
    [MPU_OP_ISZERO] = {"iszero", 1, F, true},
};

#undef B
#undef I
#undef F

const struct device_op *device_op(mpu_op op) {
    return (unsigned)op < MPU_OPS ? &ops[op] : NULL;
}

const char *mpu_op_name(mpu_op op) {
    return device_op(op) ? device_op(op)->name : NULL;
}

uint32_t mpu_op_operands(mpu_op op) {
    return device_op(op) ? device_op(op)->operands : 0;
}

struct lane_type device_operand_type(mpu_op op, struct lane_type type, uint32_t operand) {
    bool is_bool = (op == MPU_OP_SELECT && operand == 0) || (op == MPU_OP_SETBIT && operand == 1);
    bool is_number = (op == MPU_OP_BIT && operand == 1) || (op == MPU_OP_SETBIT && operand == 2);
    return is_bool     ? (struct lane_type){TYPE_BOOL, 1}
           : is_number ? (struct lane_type){TYPE_UINT, 64}
                       : type;
}

struct lane_type device_node_operand_type(const struct device_node *node, uint32_t operand) {
    return node->sub ? node->sub->signature->in[operand].type
                     : device_operand_type(node->op, node->type, operand);
}

/* 0, 1, all ones, powers of two: the optimizer makes more of them than of others. */
static bool is_special(struct lane_type type, uint64_t bits) {
    return bits == 0 || (!object_type_is_float(type) &&
                         ((bits & (bits - 1)) == 0 || bits == low_bits(type.bits)));
}

bool device_bakes(mpu_op op, struct lane_type type, uint32_t operand, uint64_t bits) {
    bool is_count = operand == 1 && (op == MPU_OP_SHL || op == MPU_OP_SHR);
    bool is_number = (op == MPU_OP_BIT && operand == 1) || (op == MPU_OP_SETBIT && operand == 2);
    return is_count || is_number || is_special(type, bits);
}
