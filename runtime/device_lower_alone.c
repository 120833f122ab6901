/* SPDX-License-Identifier: MIT
 * Moves, folds, scans and tables in the intermediate form.  Variable 0 is the input, 1 the output.
 */
#include "runtime/device.h"

#include "ezpim/array/array.h"
#include "ezpim/array/prefix_sum.h"
#include "support/bits.h"

enum { INPUT, OUTPUT };

static enum array_fold_kind kind_of(mpu_op op) {
    static const uint8_t kinds[MPU_OPS] = {
        [MPU_OP_ADD] = ARRAY_SUM, [MPU_OP_MUL] = ARRAY_PROD, [MPU_OP_MIN] = ARRAY_MIN,
        [MPU_OP_MAX] = ARRAY_MAX, [MPU_OP_AND] = ARRAY_AND,  [MPU_OP_OR] = ARRAY_OR,
        [MPU_OP_XOR] = ARRAY_XOR};
    return (enum array_fold_kind)kinds[op];
}

/* Sums of narrower numbers of the same kind begin with these; all else is cast before. */
static struct lane_type begins_with(const struct device_node *node, struct lane_type from) {
    bool narrow = node->op == MPU_OP_ADD && from.kind == node->type.kind &&
                  from.bits <= node->type.bits && !object_type_is_float(from);
    return narrow ? from : node->type;
}

/* Elements are where the fold wants them. */
static void put_elements(struct arrays *arrays, const struct array_fold *item,
                         const struct device_graph *graph) {
    struct ir_builder *builder = &arrays->b;
    struct lane_type from = graph->inputs.data[0];
    uint32_t group = builder->p->variables.data[item->own.variable].decl.group, v;
    ir_begin_ensemble(builder, group, NO_SPAN);
    v = ir_element(builder, INPUT, 0);
    if (!ir_same_type(from, item->from))
        v = array_emit(arrays, ARRAY_OP_CAST, from, item->from, &v, NULL, 0, IR_NONE, NO_SPAN);
    ir_convert(builder, v, item->from, item->own.type, array_fold_element(builder, item), NO_SPAN);
}

static void lower_fold(const struct device_graph *graph, struct arrays *arrays) {
    struct ir_builder *builder = &arrays->b;
    const struct device_node *node = graph->alone;
    struct lane_type from = graph->inputs.data[0];
    struct array_fold item = {
        .kind = kind_of(node->op), .from = begins_with(node, from), .type = node->type};
    struct array_folds f = {.items = &item,
                            .count = 1,
                            .group = 0,
                            .axis = graph->segment < graph->n ? 1 : ARRAY_ALL,
                            .room = 2u * arrays->folded};
    const struct array_value in = {INPUT, 0, from};
    array_folds_begin(builder, &f);
    if (!ir_same_type(from, item.from) || !array_fold_borrow(builder, &f, 0, &in))
        put_elements(arrays, &item, graph);
    array_folds_run(builder, &f, NO_SPAN);
    struct array_value *v = array_fold_result(&item);
    const struct array_value out = {ir_local(builder, f.lane, graph->result, 1), 0, graph->result};
    ir_begin_ensemble(builder, f.lane, NO_SPAN);
    ir_convert(builder, ir_element(builder, v->variable, v->element), v->type, graph->result,
               ir_element(builder, out.variable, 0), NO_SPAN);
    struct ir_move m = array_fold_move(builder, &f, &out, OUTPUT);
    ir_put_move(builder, &m, NO_SPAN);
}

static void lower_scan(const struct device_graph *graph, struct arrays *arrays) {
    struct ir_builder *builder = &arrays->b;
    const struct device_node *node = graph->alone;
    struct lane_type from = graph->inputs.data[0];
    struct array_scan s = {
        .fold = {.kind = kind_of(node->op), .from = begins_with(node, from), .type = node->type},
        .group = 0,
        .axis = ARRAY_ALL,
        .room = 2u * arrays->folded};
    const struct array_value in = {INPUT, 0, from}, out = {OUTPUT, 0, graph->result};
    array_scan_begin(builder, &s);
    if (!ir_same_type(from, s.fold.from) || !array_scan_borrow(builder, &s, &in))
        put_elements(arrays, &s.fold, graph);
    array_scan_run(builder, &s, &out, NO_SPAN);
}

/* Which elements go where, the package is told (device_move_plan): this names the move. */
static void lower_move(const struct device_graph *graph, struct ir_builder *builder) {
    struct ir_move m = ir_plain_move(builder->p, OUTPUT, INPUT);
    ir_move_bound(&m, 0, (struct move_bound){0, NO_INDEX, 0}, (struct move_bound){1, NO_INDEX, 0});
    ir_move_source(&m, 0, 0, 1, 0);
    m.record.outside = MOVE_FILL;
    m.record.fill = graph->alone->fill & low_bits(graph->result.bits);
    ir_put_move(builder, &m, NO_SPAN);
}

static struct lut_decl table_of(const struct device_node *node, struct ir_builder *builder,
                                uint8_t index_bits, uint8_t width) {
    uint64_t *entries = ARENA_ARRAY(builder->p->arena, (size_t)1 << index_bits, uint64_t);
    for (uint64_t i = 0; i < node->table_count; i++)
        entries[i] = node->table[i];
    return (struct lut_decl){
        .name = "t", .table = {index_bits, width, entries}, .element_bits = width};
}

/* `value` where the index has no more than so many bits, else 0. */
static uint32_t within(struct arrays *arrays, uint8_t bits, struct lane_type index, uint32_t at,
                       struct lane_type type, uint32_t value) {
    const struct lane_type truth = {TYPE_BOOL, 1};
    const uint32_t test[] = {at, ir_constant(&arrays->b, index, low_bits(bits), IR_NONE, NO_SPAN)};
    const uint32_t inside =
        array_emit(arrays, ARRAY_OP_LE, index, truth, test, NULL, 0, IR_NONE, NO_SPAN);
    const uint32_t choice[] = {inside, value, ir_constant(&arrays->b, type, 0, IR_NONE, NO_SPAN)};
    return array_emit(arrays, ARRAY_OP_SELECT, type, type, choice, NULL, 0, IR_NONE, NO_SPAN);
}

/* At a width that has index and entry; behind the table there are zeros. */
static void lower_take(const struct device_graph *graph, struct arrays *arrays) {
    const struct device_node *node = graph->alone;
    struct ir_builder *builder = &arrays->b;
    struct lane_type index = {TYPE_UINT, graph->inputs.data[0].bits}, entry = {TYPE_UINT, 1};
    uint8_t bits = 1;
    while (bits < ISA_LUT_MAX_INDEX_BITS && (uint64_t)1 << bits < node->table_count)
        bits++;
    entry.bits = graph->result.bits > bits ? graph->result.bits : bits;
    struct lut_decl table = table_of(node, builder, bits, graph->result.bits);
    ir_begin_ensemble(builder, 0, NO_SPAN);
    uint32_t i = ir_element(builder, INPUT, 0);
    uint32_t low = ir_convert(builder, i, index, entry, IR_NONE, NO_SPAN);
    uint32_t found = ir_lookup(builder, &table, entry, low, IR_NONE, NO_SPAN);
    if (index.bits > bits)
        found = within(arrays, bits, index, i, entry, found);
    array_emit(arrays, ARRAY_OP_BITCAST, graph->result, graph->result, &found, NULL, 0,
               ir_element(builder, OUTPUT, 0), NO_SPAN);
}

void device_lower_alone(const struct device_graph *graph, struct arrays *arrays) {
    switch (graph->alone->kind) {
    case NODE_MOVE:
        lower_move(graph, &arrays->b);
        break;
    case NODE_FOLD:
        lower_fold(graph, arrays);
        break;
    case NODE_SCAN:
        lower_scan(graph, arrays);
        break;
    case NODE_TAKE:
        lower_take(graph, arrays);
        break;
    case NODE_APPLY:
    case NODE_KINDS:
        break;
    }
}
