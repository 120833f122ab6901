/* SPDX-License-Identifier: MIT
 * The operations of vectors: what they are called and what they are about. */
#include "runtime/device.h"

#include "support/bits.h"

/* The public numbers are those of the table. */
#define X(id, name, operands, kinds, result)                                                       \
    _Static_assert((int)MPU_OP_##id == (int)ARRAY_OP_##id, name);
ARRAY_PUBLIC_OPERATIONS(X)
#undef X
_Static_assert((int)MPU_OPS == (int)ARRAY_PUBLIC_OPS, "all are public that are said to be");

enum array_op device_array_op(mpu_op op) {
    return (enum array_op)op;
}

const struct array_op_info *device_op(mpu_op op) {
    return (unsigned)op < MPU_OPS ? array_op_info(op) : NULL;
}

const char *mpu_op_name(mpu_op op) {
    return device_op(op) ? device_op(op)->name : NULL;
}

uint32_t mpu_op_operands(mpu_op op) {
    return device_op(op) ? device_op(op)->operands : 0;
}

struct lane_type device_node_operand_type(const struct device_node *node, uint32_t operand) {
    return node->sub ? node->sub->signature->in[operand].type
                     : array_op_operand(device_array_op(node->op), node->type, operand);
}

/* 0, 1, all ones, powers of two: the optimizer makes more of them than of others. */
static bool is_special(struct lane_type type, uint64_t bits) {
    return bits == 0 || (!object_type_is_float(type) &&
                         ((bits & (bits - 1)) == 0 || bits == low_bits(type.bits)));
}

bool device_bakes(mpu_op op, struct lane_type type, uint32_t operand, uint64_t bits, bool plain) {
    bool is_count = operand == 1 && (op == MPU_OP_SHL || op == MPU_OP_SHR);
    return is_count || (operand && operand == array_op_number(device_array_op(op))) ||
           (!plain && is_special(type, bits));
}
