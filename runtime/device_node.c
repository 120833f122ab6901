/* SPDX-License-Identifier: MIT
 * What makes a value: recorded, to be carried out later. */
#include "runtime/device.h"

#include "support/alloc.h"

struct device_node *device_node_new(enum node_kind kind, struct lane_type type, uint32_t count) {
    struct device_node *node = xcalloc(1, sizeof *node + count * sizeof *node->operands);
    node->kind = kind;
    node->type = type;
    node->count = count;
    return node;
}

struct device_value *device_record_node(mpu_device *device, struct device_node *node,
                                        struct lane_type type, uint64_t n) {
    struct device_value *v = device_value_new(device, type, n, VALUE_RECORDED);
    node->label = device->label;
    v->node = node;
    v->at = device->recorded.len;
    for (uint32_t k = 0; k < node->count; k++)
        if (node->operands[k].v)
            node->operands[k].v->refs++;
    vec_push(&device->recorded, v);
    device->waiting++;
    return v;
}

struct device_value *device_record_part(struct device_value *source, uint64_t first,
                                        uint64_t count) {
    struct device_node *node = device_node_new(NODE_MOVE, source->type, 1);
    node->operands[0].v = source;
    node->ndim = 1;
    node->dims[0] = (mpu_dim){count, 1};
    node->offset = (int64_t)first;
    return device_record_node(source->device, node, source->type, count);
}
