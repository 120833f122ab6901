/* SPDX-License-Identifier: MIT
 * Recording operations: what does not go together is refused here. */
#include "runtime/device.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- checks ---- */

static unsigned kind_of(struct mpu_type type) {
    return type.kind == TYPE_BOOL          ? OP_KIND_BOOL
           : object_type_is_float(type) ? OP_KIND_FLOAT
                                        : OP_KIND_INT;
}

static bool check_op(mpu_device *device, mpu_op op, mpu_vtype type, uint32_t count,
                     mpu_error **error) {
    const struct device_op *o = device_op(op);
    char text[8];
    if (!o) {
        device_refuse(device, error, MPU_USAGE, "there is no operation %d", (int)op);
        return false;
    }
    if (count != o->operands) {
        device_refuse(device, error, MPU_USAGE, "%s takes %u operand%s, not %" PRIu32, o->name,
                      (unsigned)o->operands, o->operands == 1 ? "" : "s", count);
        return false;
    }
    if (o->kinds & kind_of(device_type(type)))
        return true;
    object_type_text(device_type(type), text);
    device_refuse(device, error, MPU_USAGE, "%s is no operation of %s", o->name, text);
    return false;
}

/* What a vector's type has to be. */
static bool type_fits(mpu_op op, struct mpu_type type, uint32_t k, struct mpu_type have) {
    if (op == MPU_OP_CAST)
        return true;
    if (op == MPU_OP_BITCAST)
        return have.bits == type.bits;
    return ir_same_type(device_operand_type(op, type, k), have);
}

static bool is_bit_number(mpu_op op, uint32_t k) {
    return (op == MPU_OP_BIT && k == 1) || (op == MPU_OP_SETBIT && k == 2);
}

static bool check_scalar(mpu_device *device, mpu_op op, struct mpu_type type, uint32_t k,
                         const mpu_operand *operand, mpu_error **error) {
    if (!is_bit_number(op, k) || operand->bits < type.bits)
        return true;
    device_refuse(device, error, MPU_USAGE, "%s: there is no bit %" PRIu64 " in %u", mpu_op_name(op),
                  operand->bits, (unsigned)type.bits);
    return false;
}

static bool check_vector(mpu_device *device, mpu_op op, struct mpu_type type, uint64_t n,
                         uint32_t k, const mpu_vector *v, mpu_error **error) {
    char want[8], have[8];
    if (v->device != device) {
        device_refuse(device, error, MPU_USAGE, "operand %" PRIu32 " of %s is of another device",
                      k + 1, mpu_op_name(op));
        return false;
    }
    if (v->n != n) {
        device_refuse(device, error, MPU_USAGE,
                      "operand %" PRIu32 " of %s has %" PRIu64 " elements, not %" PRIu64, k + 1,
                      mpu_op_name(op), v->n, n);
        return false;
    }
    if (is_bit_number(op, k) || !type_fits(op, type, k, v->type)) {
        object_type_text(device_operand_type(op, type, k), want);
        object_type_text(v->type, have);
        device_refuse(device, error, MPU_USAGE, "operand %" PRIu32 " of %s is %s, not %s", k + 1,
                      mpu_op_name(op), have, is_bit_number(op, k) ? "a scalar" : want);
        return false;
    }
    if (v->value->state != VALUE_FAILED)
        return true;
    device_refuse_failed(device, error, v->value);
    return false;
}

static bool check_operands(mpu_device *device, mpu_op op, struct mpu_type type, uint64_t n,
                           const mpu_operand *operands, uint32_t count, mpu_error **error) {
    for (uint32_t k = 0; k < count; k++)
        if (!(operands[k].v ? check_vector(device, op, type, n, k, operands[k].v, error)
                            : check_scalar(device, op, type, k, &operands[k], error)))
            return false;
    return true;
}

/* ---- recording ---- */

static struct device_value *record(mpu_device *device, struct device_node *node,
                                   struct mpu_type type, uint64_t n) {
    struct device_value *v = device_value_new(device, type, n, VALUE_RECORDED);
    v->node = node;
    v->at = device->recorded.len;
    for (uint32_t k = 0; k < node->count; k++)
        if (node->operands[k].v)
            node->operands[k].v->refs++;
    vec_push(&device->recorded, v);
    device->waiting++;
    return v;
}

/* Places of what went are used again when there are many. */
static void tidy(mpu_device *device) {
    size_t kept = 0;
    if (device->recorded.len < 2 * device->waiting + DEVICE_MOST_RECORDED)
        return;
    for (size_t i = 0; i < device->recorded.len; i++) {
        struct device_value *v = device->recorded.data[i];
        if (!v)
            continue;
        v->at = kept;
        device->recorded.data[kept++] = v;
    }
    device->recorded.len = kept;
}

/* The vector, or NULL if the graph was full and could not be carried out. */
static mpu_vector *hold(mpu_device *device, struct device_value *value, mpu_error **error) {
    mpu_vector *v = device_vector_of(device, value);
    tidy(device);
    if (device->waiting < DEVICE_MOST_RECORDED || mpu_device_flush(device, error) == MPU_OK)
        return v;
    mpu_vector_release(v);
    return NULL;
}

mpu_vector *mpu_apply(mpu_device *device, mpu_op op, mpu_vtype vtype, uint64_t n,
                      const mpu_operand *operands, uint32_t count, mpu_error **error) {
    struct mpu_type type = device_type(vtype);
    if (!device_type_check(device, vtype, n, error) || !check_op(device, op, vtype, count, error) ||
        !check_operands(device, op, type, n, operands, count, error))
        return NULL;
    struct device_node *node = xcalloc(1, sizeof *node);
    node->op = op;
    node->type = type;
    node->count = count;
    for (uint32_t k = 0; k < count; k++)
        node->operands[k] = (struct value_operand){operands[k].v ? operands[k].v->value : NULL,
                                                   operands[k].bits};
    if (device_op(op)->gives_bool)
        type = (struct mpu_type){TYPE_BOOL, 1};
    return hold(device, record(device, node, type, n), error);
}
