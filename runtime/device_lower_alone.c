/* SPDX-License-Identifier: MIT
 * Moves, folds, scans, sorts and tables in the intermediate form.  Variable 0 is the input, 1 the
 * output; products have a file of their own.
 */
#include "runtime/device.h"

#include "ezpim/array/array.h"
#include "ezpim/array/prefix_sum.h"
#include "ezpim/array/sort.h"
#include "support/bits.h"

enum { INPUT, OUTPUT };

static enum array_fold_kind kind_of(mpu_op op, struct lane_type type) {
    static const uint8_t kinds[MPU_OPS] = {
        [MPU_OP_ADD] = ARRAY_SUM,       [MPU_OP_MUL] = ARRAY_PROD,
        [MPU_OP_MIN] = ARRAY_MIN,       [MPU_OP_MAX] = ARRAY_MAX,
        [MPU_OP_MINIMUM] = ARRAY_MIN,   [MPU_OP_MAXIMUM] = ARRAY_MAX,
        [MPU_OP_AND] = ARRAY_AND,       [MPU_OP_OR] = ARRAY_OR,
        [MPU_OP_XOR] = ARRAY_XOR,       [MPU_OP_ARGMIN] = ARRAY_ARGMIN,
        [MPU_OP_ARGMAX] = ARRAY_ARGMAX,
    };
    if (type.kind == TYPE_BOOL && (op == MPU_OP_MINIMUM || op == MPU_OP_MAXIMUM))
        return op == MPU_OP_MINIMUM ? ARRAY_AND : ARRAY_OR;
    return (enum array_fold_kind)kinds[op];
}

/* ---- keys: floating point as integers of the same order ---- */

/* What elements of the type are compared as, where order is all that counts. */
static struct lane_type key_of(struct lane_type type) {
    const struct lane_type byte = {TYPE_UINT, 8};
    if (type.kind == TYPE_BOOL)
        return byte;
    return object_type_is_float(type) ? (struct lane_type){TYPE_UINT, type.bits} : type;
}

static uint32_t to_key(struct arrays *arrays, uint32_t value, struct lane_type type, uint64_t order,
                       uint32_t dst) {
    enum array_op op = object_type_is_float(type) ? ARRAY_OP_KEY : ARRAY_OP_CAST;
    return array_emit(arrays, op, type, key_of(type), &value, NULL, order, dst, NO_SPAN);
}

static uint32_t from_key(struct arrays *arrays, uint32_t key, struct lane_type type, uint32_t dst) {
    enum array_op op = object_type_is_float(type) ? ARRAY_OP_UNKEY : ARRAY_OP_CAST;
    return array_emit(arrays, op, key_of(type), type, &key, NULL, 0, dst, NO_SPAN);
}

/* That of the segments, as device_lower declares the group; `all` where there is one segment. */
static uint32_t axis_of(const struct device_graph *graph, uint32_t all) {
    uint64_t block = graph->segment * graph->alone->stride;
    return graph->segment == graph->n ? all : block < graph->n;
}

/* ---- folds and scans ---- */

/* The fold is one of keys. */
static bool has_keys(const struct device_node *node) {
    return device_gives_place(node->op) ||
           (object_type_is_float(node->type) &&
            (node->op == MPU_OP_MINIMUM || node->op == MPU_OP_MAXIMUM));
}

/* NumPy hands on what is not a number: it is before all others where the least wins. */
static uint64_t order_of(mpu_op op) {
    uint64_t least = op == MPU_OP_MINIMUM || op == MPU_OP_ARGMIN ? ARRAY_KEY_NAN_FIRST : 0;
    return least | (device_gives_place(op) ? ARRAY_KEY_ZEROS_ALIKE : 0);
}

/* At which elements are compared or combined. */
static struct lane_type at_type(const struct device_node *node, struct lane_type from) {
    return device_gives_place(node->op) ? from : node->type;
}

/* Sums of narrower numbers of the same kind begin with these; all else is cast before. */
static struct lane_type begins_with(const struct device_node *node, struct lane_type from) {
    bool narrow = node->op == MPU_OP_ADD && from.kind == node->type.kind &&
                  from.bits <= node->type.bits && !object_type_is_float(from);
    if (has_keys(node))
        return key_of(at_type(node, from));
    return narrow ? from : node->type;
}

static struct array_fold fold_of(const struct device_node *node, struct lane_type from) {
    struct lane_type first = begins_with(node, from);
    return (struct array_fold){
        .kind = kind_of(node->op, node->type),
        .from = first,
        .type = has_keys(node) && !device_gives_place(node->op) ? first : node->type};
}

struct lane_type device_range_type(uint64_t n) {
    return (struct lane_type){TYPE_UINT, (uint8_t)array_fold_bits(n)};
}

/* `value` in the elements of the range, else what changes nothing.  Behind the difference of a
 * number below the first one's, modulo 2^bits, no range is as long. */
static uint32_t in_range(struct arrays *arrays, const struct device_graph *graph,
                         const struct array_fold *item, uint32_t value) {
    const struct lane_type type = device_range_type(graph->n), truth = {TYPE_BOOL, 1};
    struct ir_builder *builder = &arrays->b;
    const uint32_t number = ir_lane_index(builder, type, IR_NONE, NO_SPAN),
                   first = ir_link_value(builder, type, 0, 0, IR_NONE, NO_SPAN),
                   from_first = ir_operation(builder, IR_SUB, type, IR_NONE, number, first, IR_NONE,
                                             0, NO_SPAN);
    const uint32_t test[] = {from_first, ir_link_value(builder, type, 1, 0, IR_NONE, NO_SPAN)};
    const uint32_t inside =
        array_emit(arrays, ARRAY_OP_LT, type, truth, test, NULL, 0, IR_NONE, NO_SPAN);
    const uint32_t choice[] = {
        inside, value,
        ir_constant(builder, item->from, array_identity(item->kind, item->from), IR_NONE, NO_SPAN)};
    return array_emit(arrays, ARRAY_OP_SELECT, item->from, item->from, choice, NULL, 0, IR_NONE,
                      NO_SPAN);
}

/* Elements are where the fold wants them. */
static void put_elements(struct arrays *arrays, const struct array_fold *item,
                         const struct device_graph *graph) {
    const struct device_node *node = graph->alone;
    struct ir_builder *builder = &arrays->b;
    struct lane_type from = graph->inputs.data[0], at = at_type(node, from);
    uint32_t group = builder->p->variables.data[item->own.variable].decl.group, v;
    ir_begin_ensemble(builder, group, NO_SPAN);
    v = ir_element(builder, INPUT, 0);
    at = has_keys(node) ? at : item->from;
    if (!ir_same_type(from, at))
        v = array_emit(arrays, ARRAY_OP_CAST, from, at, &v, NULL, 0, IR_NONE, NO_SPAN);
    if (has_keys(node) && !ir_same_type(at, item->from))
        v = to_key(arrays, v, at, order_of(node->op), IR_NONE);
    if (node->ranged)
        v = in_range(arrays, graph, item, v);
    ir_convert(builder, v, item->from, item->own.type, array_fold_element(builder, item), NO_SPAN);
}

/* A result that is moved as it is. */
static bool is_ready(const struct device_graph *graph, const struct array_value *value) {
    bool keyed = has_keys(graph->alone) && !device_gives_place(graph->alone->op);
    return !keyed && ir_same_type(value->type, graph->result);
}

static void put_result(struct arrays *arrays, const struct device_graph *graph,
                       const struct array_value *value, uint32_t dst) {
    const struct device_node *node = graph->alone;
    struct ir_builder *builder = &arrays->b;
    uint32_t v = ir_element(builder, value->variable, value->element);
    if (has_keys(node) && !device_gives_place(node->op)) {
        v = ir_convert(builder, v, value->type, key_of(node->type), IR_NONE, NO_SPAN);
        from_key(arrays, v, node->type, dst);
    } else {
        ir_convert(builder, v, value->type, graph->result, dst, NO_SPAN);
    }
}

static void lower_fold(const struct device_graph *graph, struct arrays *arrays) {
    struct ir_builder *builder = &arrays->b;
    struct lane_type from = graph->inputs.data[0];
    struct array_fold item = fold_of(graph->alone, from);
    struct array_folds f = {.items = &item,
                            .count = 1,
                            .group = 0,
                            .axis = axis_of(graph, ARRAY_ALL),
                            .room = 2u * arrays->folded};
    const struct array_value in = {INPUT, 0, from};
    array_folds_begin(builder, &f);
    if (graph->alone->ranged || !ir_same_type(from, item.from) ||
        !array_fold_borrow(builder, &f, 0, &in))
        put_elements(arrays, &item, graph);
    array_folds_run(builder, &f, NO_SPAN);
    struct array_value out = *array_fold_result(&item);
    if (builder->p->variables.data[OUTPUT].decl.group == f.lane) {
        ir_begin_ensemble(builder, f.lane, NO_SPAN);
        put_result(arrays, graph, &out, ir_element(builder, OUTPUT, 0));
        return;
    }
    if (!is_ready(graph, &out)) {
        const struct array_value made = out;
        out = (struct array_value){ir_local(builder, f.lane, graph->result, 1), 0, graph->result};
        ir_begin_ensemble(builder, f.lane, NO_SPAN);
        put_result(arrays, graph, &made, ir_element(builder, out.variable, 0));
    }
    struct ir_move m = array_fold_move(builder, &f, &out, OUTPUT);
    ir_put_move(builder, &m, NO_SPAN);
}

static void lower_scan(const struct device_graph *graph, struct arrays *arrays) {
    struct ir_builder *builder = &arrays->b;
    struct lane_type from = graph->inputs.data[0];
    struct array_scan s = {.fold = fold_of(graph->alone, from),
                           .group = 0,
                           .axis = axis_of(graph, ARRAY_ALL),
                           .room = 2u * arrays->folded};
    const struct array_value in = {INPUT, 0, from}, out = {OUTPUT, 0, graph->result};
    array_scan_begin(builder, &s);
    if (!ir_same_type(from, s.fold.from) || !array_scan_borrow(builder, &s, &in))
        put_elements(arrays, &s.fold, graph);
    array_scan_run(builder, &s, &out, NO_SPAN);
}

/* Truth values are sorted as numbers. */
static void lower_sort(const struct device_graph *graph, struct arrays *arrays) {
    struct ir_builder *builder = &arrays->b;
    struct lane_type type = graph->inputs.data[0], key = {TYPE_UINT, 8};
    struct array_sort s = {.axis = axis_of(graph, 0),
                           .from = {INPUT, 0, type},
                           .to = {OUTPUT, 0, type},
                           .base = graph->lanes ? AT_ELSEWHERE : AT_INPUT};
    bool keyed = type.kind == TYPE_BOOL;
    if (keyed) {
        s.from = (struct array_value){ir_local(builder, 0, key, 1), 0, key};
        s.to = (struct array_value){ir_local(builder, 0, key, 1), 0, key};
        ir_begin_ensemble(builder, 0, NO_SPAN);
        to_key(arrays, ir_element(builder, INPUT, 0), type, ARRAY_KEY_PLAIN,
               ir_element(builder, s.from.variable, 0));
    }
    array_sort(builder, &s, NO_SPAN);
    if (!keyed)
        return;
    ir_begin_ensemble(builder, 0, NO_SPAN);
    from_key(arrays, ir_element(builder, s.to.variable, 0), type, ir_element(builder, OUTPUT, 0));
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
    case NODE_SORT:
        lower_sort(graph, arrays);
        break;
    case NODE_TAKE:
        lower_take(graph, arrays);
        break;
    case NODE_MATMUL:
        device_lower_product(graph, arrays);
        break;
    case NODE_APPLY:
    case NODE_KINDS:
        break;
    }
}
