/* SPDX-License-Identifier: MIT
 * From values that are recorded to a graph, whatever values it is about. */
#include "runtime/device_graph.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t input_number(struct builder_of_graph *builder, struct device_value *value) {
    if (!value->mark) {
        vec_push(&builder->inputs, value);
        vec_push(&builder->g.inputs, value->type);
        value->mark = (uint32_t)builder->inputs.len;
    }
    return value->mark - 1;
}

static bool is_inside(const struct builder_of_graph *builder, const struct device_value *value) {
    return value->state == VALUE_RECORDED && value->mark && value->mark <= builder->count &&
           builder->nodes[value->mark - 1] == value;
}

static struct graph_operand operand_of(struct builder_of_graph *builder,
                                       const struct device_node *node, uint32_t k) {
    const struct value_operand *x = &node->operands[k];
    struct graph_operand o = {.type = device_node_operand_type(node, k)};
    if (x->v)
        o.type = x->v->type;
    if (x->v && is_inside(builder, x->v)) {
        o.kind = OPERAND_NODE;
        o.index = x->v->mark - 1;
    } else if (x->v && x->v->state != VALUE_ZERO) {
        o.kind = OPERAND_INPUT;
        o.index = input_number(builder, x->v);
    } else {
        uint64_t bits = x->v ? 0 : x->bits & low_bits(o.type.bits);
        o.kind = device_bakes(node->op, o.type, k, bits, builder->plain) ? OPERAND_BAKED
                                                                         : OPERAND_SCALAR;
        o.bits = bits;
        o.index = o.kind == OPERAND_SCALAR ? (uint32_t)builder->g.scalars.len : 0;
        if (o.kind == OPERAND_SCALAR)
            vec_push(&builder->g.scalars, ((struct graph_scalar){o.type, bits}));
    }
    return o;
}

static void add_node(struct builder_of_graph *builder, struct device_value *value, bool output) {
    const struct device_node *node = value->node;
    struct graph_node g = {.op = node->op,
                           .sub = node->sub,
                           .type = node->type,
                           .result = value->type,
                           .count = node->count,
                           .output = output};
    for (uint32_t k = 0; k < node->count; k++)
        g.operands[k] = operand_of(builder, node, k);
    builder->g.outputs += output;
    vec_push(&builder->g.nodes, g);
}

/* Who is read by others than the nodes of the segment. */
static void find_outputs(struct device_value *const *nodes, size_t count, uint8_t *outputs) {
    uint64_t *inside = xcalloc(count + 1, sizeof *inside);
    for (size_t i = 0; i < count; i++)
        nodes[i]->mark = (uint32_t)i + 1;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < nodes[i]->node->count; k++) {
            const struct device_value *v = nodes[i]->node->operands[k].v;
            if (v && v->mark && v->mark <= count && nodes[v->mark - 1] == v)
                inside[v->mark - 1]++;
        }
    for (size_t i = 0; i < count; i++)
        outputs[i] = nodes[i]->refs > inside[i];
    free(inside);
}

static void build(struct builder_of_graph *builder) {
    uint8_t *outputs = xcalloc(builder->count + 1, 1);
    find_outputs(builder->nodes, builder->count, outputs);
    for (size_t i = 0; i < builder->count; i++)
        add_node(builder, builder->nodes[i], outputs[i]);
    free(outputs);
    for (size_t i = 0; i < builder->count; i++)
        builder->nodes[i]->mark = 0;
    for (size_t i = 0; i < builder->inputs.len; i++)
        builder->inputs.data[i]->mark = 0;
}

void device_graph_free(struct builder_of_graph *builder) {
    vec_free(&builder->g.nodes);
    vec_free(&builder->g.inputs);
    vec_free(&builder->g.scalars);
    vec_free(&builder->inputs);
}

/* ---- numbers with programs of their own ---- */

static void digest_of(const struct builder_of_graph *builder, char digest[65]) {
    struct str key = {0};
    str_printf(&key, "%" PRIu64 " %u ", builder->nodes[0]->n, builder->g.slot);
    device_graph_key(&builder->g, &key);
    sha256_hex(key.text, key.len, digest);
    str_free(&key);
}

static bool bakes_some(const struct builder_of_graph *builder) {
    for (size_t i = 0; i < builder->g.nodes.len; i++) {
        const struct graph_node *node = &builder->g.nodes.data[i];
        for (uint32_t k = 0; k < node->count; k++)
            if (node->operands[k].kind == OPERAND_BAKED &&
                !device_bakes(node->op, node->operands[k].type, k, node->operands[k].bits, true))
                return true;
    }
    return false;
}

/* As it would be if numbers were scalars; to be freed. */
static void build_plain(const struct builder_of_graph *builder, struct builder_of_graph *plain) {
    *plain = (struct builder_of_graph){.nodes = builder->nodes,
                                       .count = builder->count,
                                       .plain = true,
                                       .g = {.slot = builder->g.slot}};
    memcpy(plain->labels, builder->labels, sizeof plain->labels);
    build(plain);
}

/* Which graphs have come depends on the calls alone, not on what is kept of their programs. */
static bool comes_with_too_many(mpu_device *device, const struct builder_of_graph *builder,
                                const struct builder_of_graph *plain) {
    char own[65], shape[65];
    uint64_t seen = 0;
    digest_of(builder, own);
    digest_of(plain, shape);
    if (device_memo_get(&device->shapes, own, sizeof own, &seen))
        return false;
    seen = 0;
    (void)device_memo_get(&device->shapes, shape, sizeof shape, &seen);
    if (seen >= DEVICE_MOST_VARIANTS)
        return true;
    device_memo_put(&device->shapes, shape, sizeof shape, seen + 1);
    device_memo_put(&device->shapes, own, sizeof own, 0);
    return false;
}

void device_graph_build(struct builder_of_graph *builder, mpu_device *device) {
    struct builder_of_graph plain;
    build(builder);
    if (!bakes_some(builder))
        return;
    build_plain(builder, &plain);
    if (comes_with_too_many(device, builder, &plain)) {
        const struct builder_of_graph baked = *builder;
        *builder = plain;
        plain = baked;
    }
    device_graph_free(&plain);
}
