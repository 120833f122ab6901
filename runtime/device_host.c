/* SPDX-License-Identifier: MIT
 * What the host does with elements that it got, where that takes less time than the machine does or
 * the machine cannot: counted, and named in the statistics. */
#include "runtime/device.h"
#include "runtime/element_order.h"

#include "ezpim/ir/float.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* ---- elements as patterns ---- */

/* One of the four widths that the host has. */
#define TAKE(type)                                                                                 \
    for (uint64_t i = 0; i < count; i++) {                                                         \
        type x;                                                                                    \
        memcpy(&x, data + i * sizeof x, sizeof x);                                                 \
        patterns[i] = x & mask;                                                                    \
    }

static void take_patterns(struct lane_type type, const unsigned char *data, uint64_t count,
                          uint64_t *patterns) {
    const uint64_t mask = low_bits(type.bits);
    switch (device_type_bytes(type)) {
    case 1:
        TAKE(uint8_t)
        break;
    case 2:
        TAKE(uint16_t)
        break;
    case 4:
        TAKE(uint32_t)
        break;
    default:
        TAKE(uint64_t)
    }
}

/* From `first` on, so many. */
static uint64_t *patterns_from(struct device_value *value, uint64_t first, uint64_t count) {
    uint32_t bytes = device_type_bytes(value->type);
    uint64_t *patterns = xcalloc(count, sizeof *patterns);
    unsigned char *own = NULL;
    if (value->state == VALUE_ZERO)
        return patterns;
    const unsigned char *data = value->host ? value->host + first * bytes : NULL;
    if (!data) {
        data = own = xmalloc((size_t)count * bytes);
        device_transfer(value, first, count, own, false);
        device_value_touch(value);
    }
    take_patterns(value->type, data, count, patterns);
    free(own);
    return patterns;
}

static uint64_t *patterns_of(struct device_value *value) {
    return patterns_from(value, 0, value->n);
}

static unsigned char *bytes_of(const uint64_t *patterns, uint64_t n, struct lane_type type) {
    uint32_t bytes = device_type_bytes(type);
    unsigned char *data = xmalloc((size_t)n * bytes);
    for (uint64_t i = 0; i < n; i++)
        memcpy(data + i * bytes, &patterns[i], bytes);
    return data;
}

/* ---- operations ---- */

static uint64_t convert(uint64_t a, struct lane_type from, struct lane_type to) {
    if (ir_same_type(from, to))
        return a;
    if (object_type_is_float(from) && to.kind == TYPE_BOOL)
        return (a & low_bits(from.bits - 1u)) != 0;
    if (to.kind == TYPE_BOOL)
        return a != 0;
    if (object_type_is_float(from) || object_type_is_float(to))
        return ir_fold_convert(a, from, to);
    return from.bits < to.bits ? ir_widen(a, from, to) : a & low_bits(to.bits);
}

static const uint8_t fold_ops[MPU_OPS] = {
    [MPU_OP_ADD] = IR_ADD, [MPU_OP_MUL] = IR_MUL,     [MPU_OP_MIN] = IR_MIN,
    [MPU_OP_MAX] = IR_MAX, [MPU_OP_AND] = IR_AND,     [MPU_OP_OR] = IR_OR,
    [MPU_OP_XOR] = IR_XOR, [MPU_OP_MINIMUM] = IR_MIN, [MPU_OP_MAXIMUM] = IR_MAX,
};

uint64_t device_combine(mpu_op op, struct lane_type type, uint64_t left, uint64_t right) {
    if ((op == MPU_OP_MINIMUM || op == MPU_OP_MAXIMUM) && object_type_is_float(type)) {
        struct ieee_format format = object_type_format(type);
        if (ieee_unordered(format, left, right))
            return ieee_nan(format);
    }
    return ir_fold_typed((enum ir_op)fold_ops[op], type, left, right);
}

uint64_t device_fold_pairs(mpu_op op, struct lane_type type, uint64_t *x, uint64_t n) {
    for (; n > 1; n = n / 2 + n % 2) {
        for (uint64_t i = 0; i < n / 2; i++)
            x[i] = device_combine(op, type, x[2 * i], x[2 * i + 1]);
        if (n % 2)
            x[n / 2] = x[n - 1];
    }
    return x[0];
}

static uint64_t combine(const struct device_node *node, uint64_t left, uint64_t right) {
    return device_combine(node->op, node->type, left, right);
}

/* ---- order ---- */

static int by_key(const void *left, const void *right) {
    const uint64_t *x = left, *y = right;
    return (*x > *y) - (*x < *y);
}

static void sort(const struct device_node *node, uint64_t *x, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        x[i] = session_element_key(node->type, x[i]);
    qsort(x, n, sizeof *x, by_key);
    for (uint64_t i = 0; i < n; i++)
        x[i] = session_of_element_key(node->type, x[i]);
}

static uint64_t worth(const struct device_node *node, struct lane_type from, uint64_t x) {
    return session_element_worth(from, node->op == MPU_OP_ARGMIN, true, x);
}

static uint64_t place_of(const struct device_node *node, struct lane_type from, const uint64_t *x) {
    uint64_t best = 0, most = worth(node, from, x[0]);
    for (uint64_t i = 1; i < node->segment; i++) {
        uint64_t here = worth(node, from, x[i]);
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    return best & low_bits(node->type.bits);
}

/* ---- folds and scans ---- */

/* Where the elements of line i of that length begin, which lie node->stride apart. */
static uint64_t line_at(const struct device_node *node, uint64_t i, uint64_t length) {
    return i / node->stride * node->stride * length + i % node->stride;
}

static void take_line(const struct device_node *node, const uint64_t *x, uint64_t i, uint64_t *line,
                      uint64_t length) {
    uint64_t at = line_at(node, i, length);
    if (node->stride == 1) {
        memcpy(line, x + at, length * sizeof *line);
        return;
    }
    for (uint64_t k = 0; k < length; k++)
        line[k] = x[at + k * node->stride];
}

static bool is_integer(struct lane_type type) {
    return type.kind == TYPE_INT || type.kind == TYPE_UINT;
}

static void convert_all(struct lane_type from, struct lane_type to, uint64_t *x, uint64_t n) {
    const uint64_t mask = low_bits(to.bits);
    if (ir_same_type(from, to))
        return;
    if (!is_integer(from) || !is_integer(to)) {
        for (uint64_t k = 0; k < n; k++)
            x[k] = convert(x[k], from, to);
        return;
    }
    const bool sign = from.kind == TYPE_INT;
    for (uint64_t k = 0; k < n; k++)
        x[k] = (sign ? (uint64_t)sign_extend(x[k], from.bits) : x[k]) & mask;
}

/* Sums of integers, from the first element on: the last one of them is returned, and all of them
 * come to `sums`, if that is not NULL. */
static uint64_t add_up(struct lane_type type, const uint64_t *x, uint64_t n, uint64_t *sums) {
    const uint64_t mask = low_bits(type.bits);
    uint64_t sum = 0;
    for (uint64_t k = 0; k < n; k++) {
        sum += x[k];
        if (sums)
            sums[k] = sum & mask;
    }
    return sum & mask;
}

static uint64_t fold_line(const struct device_node *node, struct lane_type from, uint64_t *line) {
    if (device_gives_place(node->op))
        return place_of(node, from, line);
    convert_all(from, node->type, line, node->segment);
    if (node->op == MPU_OP_ADD && is_integer(node->type))
        return add_up(node->type, line, node->segment, NULL);
    return device_fold_pairs(node->op, node->type, line, node->segment);
}

/* Sums and products of floating point: each takes in the one before it, then the one two before,
 * four before, and so on; the first one takes in the neutral element, as on the machine. */
static void scan_steps(const struct device_node *node, uint64_t *x, uint64_t n) {
    struct ieee_format format = object_type_format(node->type);
    if (n > 1 && ieee_is_nan(format, x[0]))
        x[0] = ieee_nan(format);
    for (uint64_t step = 1; step < n; step *= 2)
        for (uint64_t i = n; i-- > step;)
            x[i] = combine(node, x[i - step], x[i]);
}

static void scan_line(const struct device_node *node, struct lane_type from, uint64_t *x) {
    bool in_order = object_type_is_float(node->type);
    convert_all(from, node->type, x, node->segment);
    if (node->op == MPU_OP_ADD && is_integer(node->type)) {
        (void)add_up(node->type, x, node->segment, x);
        return;
    }
    if (in_order)
        scan_steps(node, x, node->segment);
    for (uint64_t i = 1; i < node->segment && !in_order; i++)
        x[i] = combine(node, x[i - 1], x[i]);
}

/* Folds, scans or sorts n elements along their axis. */
static void along_axis(const struct device_node *node, struct lane_type from, const uint64_t *x,
                       uint64_t n, uint64_t *result) {
    uint64_t length = node->segment, *line = xcalloc(length, sizeof *line);
    for (uint64_t i = 0; i < n / length; i++) {
        uint64_t at = line_at(node, i, length);
        take_line(node, x, i, line, length);
        if (node->kind == NODE_FOLD) {
            result[i] = fold_line(node, from, line);
            continue;
        }
        if (node->kind == NODE_SCAN)
            scan_line(node, from, line);
        else
            sort(node, line, length);
        for (uint64_t k = 0; k < length; k++)
            result[at + k * node->stride] = line[k];
    }
    free(line);
}

/* The next element of the shape: its place in the source. */
static int64_t next_place(const struct device_node *node, uint64_t *at, int64_t place) {
    for (uint32_t k = node->ndim; k-- > 0;) {
        place += node->dims[k].step;
        if (++at[k] < node->dims[k].count)
            return place;
        place -= (int64_t)node->dims[k].count * node->dims[k].step;
        at[k] = 0;
    }
    return place;
}

static uint64_t element_at(const struct device_node *node, const uint64_t *x, uint64_t n,
                           int64_t place) {
    if (place >= 0 && (uint64_t)place < n)
        return x[place];
    if (!node->wrap)
        return node->fill & low_bits(node->type.bits);
    int64_t modulo = place % (int64_t)n;
    return x[modulo < 0 ? modulo + (int64_t)n : modulo];
}

static void move(const struct device_node *node, const uint64_t *x, uint64_t source,
                 uint64_t *result, uint64_t n) {
    uint64_t at[MPU_MOVE_DIMS] = {0};
    int64_t place = node->offset;
    for (uint64_t i = 0; i < n; i++) {
        result[i] = element_at(node, x, source, place);
        place = next_place(node, at, place);
    }
}

static void take(const struct device_node *node, const uint64_t *x, uint64_t *result, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        result[i] = x[i] < node->table_count ? node->table[x[i]] : 0;
}

/* ---- all of it ---- */

/* What has one operand. */
static void work_out(const struct device_value *value, struct device_value *source,
                     uint64_t *result) {
    const struct device_node *node = value->node;
    const uint64_t n = device_node_length(node, source->n);
    uint64_t *x = patterns_from(source, node->first, n);
    switch (node->kind) {
    case NODE_APPLY:
    case NODE_MATMUL:
    case NODE_KINDS:
        break;
    case NODE_MOVE:
        move(node, x, source->n, result, value->n);
        break;
    case NODE_FOLD:
    case NODE_SCAN:
    case NODE_SORT:
        along_axis(node, source->type, x, n, result);
        break;
    case NODE_TAKE:
        take(node, x, result, value->n);
        break;
    }
    free(x);
}

static void multiply(const struct device_node *node, uint64_t *result) {
    uint64_t *left = patterns_of(node->operands[0].v), *right = patterns_of(node->operands[1].v);
    device_product_on_host(node, left, right, result);
    free(left);
    free(right);
}

/* The value is placed, with these elements; the node is gone. */
static mpu_result put_result(struct device_value *value, const uint64_t *result,
                             struct diag *diag) {
    struct device_slab *slab = device_room_for(value, diag);
    if (!slab)
        return MPU_CAPACITY;
    unsigned char *data = bytes_of(result, value->n, value->type);
    struct device_node *node = device_take_node(value);
    device_value_place(value, slab);
    device_transfer(value, 0, value->n, data, true);
    device_drop_node(node);
    value->device->counts.operations++;
    free(data);
    return MPU_OK;
}

mpu_result device_run_on_host(struct device_value *value, struct diag *diag) {
    uint64_t *result = xcalloc(value->n, sizeof *result);
    if (value->node->kind == NODE_MATMUL)
        multiply(value->node, result);
    else
        work_out(value, value->node->operands[0].v, result);
    mpu_result r = put_result(value, result, diag);
    free(result);
    return r;
}

mpu_result device_fold_partials(struct device_value *value, struct device_value *partials,
                                struct diag *diag) {
    const struct device_node *node = value->node;
    uint64_t *x = patterns_of(partials), *result = xcalloc(value->n, sizeof *result);
    uint64_t parts = partials->n / value->n, *line = xcalloc(parts, sizeof *line);
    for (uint64_t i = 0; i < value->n; i++) {
        take_line(node, x, i, line, parts);
        result[i] = device_fold_pairs(node->op, node->type, line, parts);
    }
    mpu_result r = put_result(value, result, diag);
    free(line);
    free(x);
    free(result);
    return r;
}

/* Of elements that lie in a slab, or anywhere, at once. */
static uint64_t link_ps(const mpu_device *device, uint64_t elements, uint32_t bytes, uint32_t lanes,
                        const struct device_slab *slab, bool put) {
    uint64_t vrfs = ceil_div(elements, lanes);
    uint32_t rfhs = device->target->rfh_per_mpu;
    struct host_slice *slices = xcalloc(vrfs, sizeof *slices);
    for (uint64_t i = 0, left = elements; i < vrfs; i++) {
        uint64_t here = left < lanes ? left : lanes;
        uint32_t row = slab ? slab->rows[i / rfhs] : (uint32_t)(i / rfhs);
        slices[i] = (struct host_slice){row * rfhs + (uint32_t)(i % rfhs), here * bytes};
        left -= here;
    }
    struct host_transfer x =
        target_host_transfer(device->target, put ? HOST_IN : HOST_OUT, slices, vrfs);
    free(slices);
    return x.time_ps + target_host_transpose_ps(device->target, x.bytes - x.padding);
}

uint64_t device_link_ps(const mpu_device *device, uint64_t elements, struct lane_type type,
                        const struct device_slab *slab, bool put) {
    uint32_t bytes = device_type_bytes(type);
    uint32_t lanes =
        slab ? slab->bank->room->lanes : device->rooms[device_type_slot(device, type)].lanes;
    uint64_t all = (uint64_t)device->target->mpus * target_vrfs_per_mpu(device->target) * lanes;
    uint64_t most = slab ? slab->chunk : all, ps = 0;
    for (uint64_t left = elements, n; left; left -= n) {
        n = most < left ? most : left;
        ps = sat_add(ps, link_ps(device, n, bytes, lanes, slab, put));
    }
    return ps;
}
