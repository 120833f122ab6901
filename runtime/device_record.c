/* SPDX-License-Identifier: MIT
 * Recording operations: what does not go together is refused here. */
#include "ezpim/array/product.h"
#include "runtime/device.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks ---- */

static bool check_op(mpu_device *device, mpu_op op, mpu_vtype type, uint32_t count,
                     mpu_error **error) {
    const struct array_op_info *o = device_op(op);
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
    if (array_op_takes(device_array_op(op), device_type(type)))
        return true;
    if (device_gives_place(op)) {
        device_refuse(device, error, MPU_USAGE, "%s is an operation of mpu_fold only", o->name);
        return false;
    }
    object_type_text(device_type(type), text);
    device_refuse(device, error, MPU_USAGE, "%s is no operation of %s", o->name, text);
    return false;
}

/* What a vector's type has to be. */
static bool type_fits(mpu_op op, struct lane_type type, uint32_t k, struct lane_type have) {
    if (op == MPU_OP_CAST)
        return true;
    if (op == MPU_OP_BITCAST)
        return have.bits == type.bits;
    return ir_same_type(array_op_operand(device_array_op(op), type, k), have);
}

static bool is_number(mpu_op op, uint32_t k) {
    return k && k == array_op_number(device_array_op(op));
}

static bool check_scalar(mpu_device *device, mpu_op op, struct lane_type type, uint32_t k,
                         const mpu_operand *operand, mpu_error **error) {
    if (!is_number(op, k) || op == MPU_OP_POW || operand->bits < type.bits)
        return true;
    device_refuse(device, error, MPU_USAGE, "%s: there is no bit %" PRIu64 " in %u",
                  mpu_op_name(op), operand->bits, (unsigned)type.bits);
    return false;
}

static bool check_vector(mpu_device *device, mpu_op op, struct lane_type type, uint64_t n,
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
    if (is_number(op, k) || !type_fits(op, type, k, v->type)) {
        object_type_text(array_op_operand(device_array_op(op), type, k), want);
        object_type_text(v->type, have);
        device_refuse(device, error, MPU_USAGE, "operand %" PRIu32 " of %s is %s, not %s", k + 1,
                      mpu_op_name(op), have, is_number(op, k) ? "a scalar" : want);
        return false;
    }
    if (v->value->state != VALUE_FAILED)
        return true;
    device_refuse_failed(device, error, v->value);
    return false;
}

static bool check_operands(mpu_device *device, mpu_op op, struct lane_type type, uint64_t n,
                           const mpu_operand *operands, uint32_t count, mpu_error **error) {
    for (uint32_t k = 0; k < count; k++)
        if (!(operands[k].v ? check_vector(device, op, type, n, k, operands[k].v, error)
                            : check_scalar(device, op, type, k, &operands[k], error)))
            return false;
    return true;
}

/* False after refusing a vector that cannot be read. */
static bool check_source(const mpu_vector *v, const char *what, mpu_error **error) {
    if (!v->device) {
        device_refuse(NULL, error, MPU_USAGE, "%s: the vector's device was closed", what);
        return false;
    }
    if (v->value->state != VALUE_FAILED)
        return true;
    device_refuse_failed(v->device, error, v->value);
    return false;
}

/* ---- recording ---- */

static struct device_node *node_new(enum node_kind kind, struct lane_type type, uint32_t count) {
    struct device_node *node = xcalloc(1, sizeof *node + count * sizeof *node->operands);
    node->kind = kind;
    node->type = type;
    node->count = count;
    return node;
}

static struct device_value *record(mpu_device *device, struct device_node *node,
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
    struct device_node *node = node_new(NODE_MOVE, source->type, 1);
    node->operands[0].v = source;
    node->ndim = 1;
    node->dims[0] = (mpu_dim){count, 1};
    node->offset = (int64_t)first;
    return record(source->device, node, source->type, count);
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

/* Apart from the entry, in whose frame a compiler takes copies of its arguments for lost. */
static __attribute__((noinline)) mpu_vector *apply(mpu_device *device, mpu_op op, mpu_vtype vtype,
                                                   uint64_t n, const mpu_operand *operands,
                                                   uint32_t count, mpu_error **error) {
    const struct lane_type flag = {TYPE_BOOL, 1}, type = device_type(vtype);
    if (!device_type_check(device, vtype, n, error) || !check_op(device, op, vtype, count, error) ||
        !check_operands(device, op, type, n, operands, count, error))
        return NULL;
    struct device_node *node = node_new(NODE_APPLY, type, count);
    node->op = op;
    for (uint32_t k = 0; k < count; k++)
        node->operands[k] =
            (struct value_operand){operands[k].v ? operands[k].v->value : NULL, operands[k].bits};
    return hold(device, record(device, node, device_op(op)->gives_bool ? flag : type, n), error);
}

mpu_vector *device_record_call(mpu_device *device, const struct device_sub *sub, uint64_t n,
                               const mpu_operand *operands, uint32_t count, mpu_error **error) {
    struct lane_type type = sub->signature->out[0].type;
    struct device_node *node = node_new(NODE_APPLY, type, count);
    node->op = MPU_OPS;
    node->sub = sub;
    for (uint32_t k = 0; k < count; k++)
        node->operands[k] =
            (struct value_operand){operands[k].v ? operands[k].v->value : NULL, operands[k].bits};
    return hold(device, record(device, node, type, n), error);
}

mpu_vector *mpu_apply(mpu_device *device, mpu_op op, mpu_vtype type, uint64_t n,
                      const mpu_operand *operands, uint32_t count, mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    return apply(device, op, type, n, operands, count, error);
}

/* ---- other operations ---- */

static struct device_node *node_of(enum node_kind kind, struct lane_type type,
                                   const mpu_vector *source) {
    struct device_node *node = node_new(kind, type, 1);
    node->operands[0].v = source->value;
    return node;
}

static mpu_vector *hold_node(const mpu_vector *source, struct device_node *node,
                             struct lane_type type, uint64_t n, mpu_error **error) {
    return hold(source->device, record(source->device, node, type, n), error);
}

/* Elements of the shape; 0: there are none, or too many. */
static uint64_t elements_of(const mpu_dim *dims, uint32_t ndim) {
    uint64_t n = 1;
    for (uint32_t k = 0; k < ndim; k++) {
        if (!dims[k].count || n > OBJECT_MAX_EXTENT / dims[k].count)
            return 0;
        n *= dims[k].count;
    }
    return n;
}

/* Every element of the source that could be named is a number that fits. */
static bool steps_fit(const mpu_dim *dims, uint32_t ndim, int64_t offset) {
    int64_t low = offset, high = offset, span;
    for (uint32_t k = 0; k < ndim; k++)
        if (__builtin_mul_overflow((int64_t)dims[k].count - 1, dims[k].step, &span) ||
            __builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high))
            return false;
    return true;
}

mpu_vector *mpu_move(const mpu_vector *source, const mpu_dim *dims, uint32_t ndim, int64_t offset,
                     int wrap, uint64_t fill, mpu_error **error) {
    DEVICE_ENTRY(source->device, error, NULL);
    if (!check_source(source, "move", error))
        return NULL;
    uint64_t n = ndim >= 1 && ndim <= MPU_MOVE_DIMS ? elements_of(dims, ndim) : 0;
    if (!n || !steps_fit(dims, ndim, offset)) {
        device_refuse(source->device, error, MPU_USAGE,
                      "a move has 1 to %d axes, 1 to 2^40 elements, and steps within 63 bits",
                      MPU_MOVE_DIMS);
        return NULL;
    }
    struct device_node *node = node_of(NODE_MOVE, source->type, source);
    node->ndim = ndim;
    node->offset = offset;
    node->wrap = wrap != 0;
    node->fill = fill;
    for (uint32_t k = 0; k < ndim; k++)
        node->dims[k] = dims[k];
    return hold_node(source, node, source->type, n, error);
}

static bool scans(mpu_op op, struct lane_type type) {
    bool bits = op == MPU_OP_AND || op == MPU_OP_OR || op == MPU_OP_XOR;
    bool numbers = op == MPU_OP_ADD || op == MPU_OP_MUL;
    return (bits || numbers || op == MPU_OP_MIN || op == MPU_OP_MAX) &&
           array_op_takes(device_array_op(op), type);
}

static bool folds(mpu_op op, struct lane_type type) {
    if (device_gives_place(op))
        return array_kind_of(type) == ARRAY_KIND_INT;
    return scans(op, type) || op == MPU_OP_MINIMUM || op == MPU_OP_MAXIMUM;
}

static bool check_fold(const mpu_vector *v, mpu_op op, mpu_vtype type, mpu_error **error) {
    if (!check_source(v, "a fold", error) || !device_type_check(v->device, type, 1, error))
        return false;
    if (folds(op, device_type(type)))
        return true;
    device_refuse(
        v->device, error, MPU_USAGE,
        "the operation of a fold is add, mul, min, max, and, or, xor, minimum, maximum, argmin or "
        "argmax, and one that its type has");
    return false;
}

static bool check_scan(const mpu_vector *v, mpu_op op, mpu_vtype type, mpu_error **error) {
    if (!check_source(v, "a scan", error) || !device_type_check(v->device, type, 1, error))
        return false;
    if (scans(op, device_type(type)))
        return true;
    device_refuse(
        v->device, error, MPU_USAGE,
        "the operation of a scan is add, mul, min, max, and, or or xor, and one that its type has");
    return false;
}

static bool check_segment(const mpu_vector *v, uint64_t segment, mpu_error **error) {
    if (segment && v->n % segment == 0)
        return true;
    device_refuse(v->device, error, MPU_USAGE,
                  "a vector of %" PRIu64 " elements cannot be cut into segments of %" PRIu64
                  " elements",
                  v->n, segment);
    return false;
}

static bool check_axis(const mpu_vector *v, uint64_t extent, uint64_t inner, mpu_error **error) {
    uint64_t block;
    if (extent && inner && !__builtin_mul_overflow(extent, inner, &block) && v->n % block == 0)
        return true;
    device_refuse(v->device, error, MPU_USAGE,
                  "a vector of %" PRIu64 " elements is not made of blocks of %" PRIu64 " x %" PRIu64
                  " elements",
                  v->n, extent, inner);
    return false;
}

/* The type has the numbers of all elements of a segment. */
static bool check_places(const mpu_vector *v, mpu_op op, mpu_vtype type, uint64_t segment,
                         mpu_error **error) {
    unsigned bits = type.bits - (type.kind == MPU_KIND_INT ? 1u : 0u);
    if (!device_gives_place(op) || segment - 1 <= low_bits(bits))
        return true;
    device_refuse(v->device, error, MPU_USAGE,
                  "%s of %" PRIu64 " elements gives numbers of more than %u bits", mpu_op_name(op),
                  segment, bits);
    return false;
}

/* Of segments of one element. */
static mpu_vector *fold_single(const mpu_vector *v, mpu_op op, mpu_vtype type, mpu_error **error) {
    const mpu_operand zero = {NULL, 0}, own = {v, 0};
    bool place = device_gives_place(op);
    return mpu_apply(v->device, place ? MPU_OP_COPY : MPU_OP_CAST, type, v->n, place ? &zero : &own,
                     1, error);
}

/* The same of a part of the vector. */
static mpu_vector *fold_part(const mpu_vector *v, mpu_op op, mpu_vtype type, uint64_t first,
                             uint64_t count, mpu_error **error) {
    mpu_vector *part = mpu_move(v, &(mpu_dim){count, 1}, 1, (int64_t)first, 0, 0, error);
    mpu_vector *result = part ? fold_single(part, op, type, error) : NULL;
    mpu_vector_release(part);
    return result;
}

/* What goes along an axis. */
static struct device_node *node_along(enum node_kind kind, struct lane_type type,
                                      const mpu_vector *source, uint64_t extent, uint64_t inner) {
    struct device_node *node = node_of(kind, type, source);
    node->segment = extent;
    node->stride = inner;
    return node;
}

mpu_vector *mpu_fold(const mpu_vector *vector, mpu_op op, mpu_vtype type, uint64_t first,
                     uint64_t count, uint64_t segment, mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, NULL);
    if (!check_fold(vector, op, type, error))
        return NULL;
    if (!count || !segment || count % segment || first > vector->n || count > vector->n - first) {
        device_refuse(vector->device, error, MPU_USAGE,
                      "%" PRIu64 " elements from %" PRIu64 " on, in segments of %" PRIu64
                      ", are not in a vector of %" PRIu64,
                      count, first, segment, vector->n);
        return NULL;
    }
    if (count == vector->n)
        return mpu_fold_axis(vector, op, type, segment, 1, error);
    if (segment == 1)
        return fold_part(vector, op, type, first, count, error);
    if (!check_places(vector, op, type, segment, error))
        return NULL;
    struct device_node *node = node_along(NODE_FOLD, device_type(type), vector, segment, 1);
    node->op = op;
    node->ranged = true;
    node->first = first;
    node->length = count;
    return hold_node(vector, node, node->type, count / segment, error);
}

mpu_vector *mpu_fold_axis(const mpu_vector *vector, mpu_op op, mpu_vtype type, uint64_t extent,
                          uint64_t inner, mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, NULL);
    if (!check_fold(vector, op, type, error) || !check_axis(vector, extent, inner, error) ||
        !check_places(vector, op, type, extent, error))
        return NULL;
    if (extent == 1)
        return fold_single(vector, op, type, error);
    struct device_node *node = node_along(NODE_FOLD, device_type(type), vector, extent, inner);
    node->op = op;
    return hold_node(vector, node, node->type, vector->n / extent, error);
}

mpu_vector *mpu_scan_axis(const mpu_vector *vector, mpu_op op, mpu_vtype type, uint64_t extent,
                          uint64_t inner, mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, NULL);
    if (!check_scan(vector, op, type, error) || !check_axis(vector, extent, inner, error))
        return NULL;
    if (extent == 1)
        return fold_single(vector, op, type, error);
    struct device_node *node = node_along(NODE_SCAN, device_type(type), vector, extent, inner);
    node->op = op;
    return hold_node(vector, node, node->type, vector->n, error);
}

mpu_vector *mpu_scan_segments(const mpu_vector *vector, mpu_op op, mpu_vtype type, uint64_t segment,
                              mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, NULL);
    if (!check_scan(vector, op, type, error) || !check_segment(vector, segment, error))
        return NULL;
    return mpu_scan_axis(vector, op, type, segment, 1, error);
}

mpu_vector *mpu_scan(const mpu_vector *vector, mpu_op op, mpu_vtype type, mpu_error **error) {
    return mpu_scan_segments(vector, op, type, vector->n, error);
}

mpu_vector *mpu_sort_axis(const mpu_vector *vector, uint64_t extent, uint64_t inner,
                          mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, NULL);
    if (!check_source(vector, "a sort", error) || !check_axis(vector, extent, inner, error))
        return NULL;
    struct device_node *node = node_along(NODE_SORT, vector->type, vector, extent, inner);
    return hold_node(vector, node, node->type, vector->n, error);
}

mpu_vector *mpu_sort(const mpu_vector *vector, uint64_t segment, mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, NULL);
    if (!check_source(vector, "a sort", error) || !check_segment(vector, segment, error))
        return NULL;
    return mpu_sort_axis(vector, segment, 1, error);
}

/* ---- products ---- */

static bool holds_matrix(const mpu_vector *v, uint64_t rows, uint64_t columns) {
    return rows && columns && rows <= v->n && v->n % rows == 0 && v->n / rows == columns;
}

static bool check_matrices(const mpu_vector *left, const mpu_vector *right, uint64_t rows,
                           uint64_t inner, uint64_t columns, mpu_error **error) {
    const char *wrong = NULL;
    if (!check_source(left, "matmul", error) || !check_source(right, "matmul", error))
        return false;
    if (left->device != right->device)
        wrong = "the matrices lie on different devices";
    else if (!ir_same_type(left->type, right->type) || !array_op_takes(ARRAY_OP_MUL, left->type))
        wrong = "matmul takes matrices of one type of numbers";
    else if (rows > OBJECT_MAX_EXTENT / (columns ? columns : 1))
        wrong = "a product has 1 to 2^40 elements";
    if (wrong) {
        device_refuse(left->device, error, MPU_USAGE, "%s", wrong);
        return false;
    }
    if (holds_matrix(left, rows, inner) && holds_matrix(right, inner, columns))
        return true;
    device_refuse(left->device, error, MPU_USAGE,
                  "vectors of %" PRIu64 " and %" PRIu64 " elements are no matrices of %" PRIu64
                  " x %" PRIu64 " and %" PRIu64 " x %" PRIu64,
                  left->n, right->n, rows, inner, inner, columns);
    return false;
}

static mpu_vtype vtype_of(struct lane_type type) {
    return (mpu_vtype){(uint8_t)type.kind, type.bits};
}

/* Products that lie in lanes of their own at once, at most. */
enum { MOST_PRODUCTS = 1 << 20 };

/* Where the host is to finish sums, all products lie side by side.  It adds them up in the
 * order of additions that products have on the machine: of integers any is, and a matrix and a
 * vector add up in pairs, as blocks do that have a factor each. */
static bool at_once(const struct device_node *shape) {
    uint64_t elements = shape->rows * shape->columns;
    bool pairs = !object_type_is_float(shape->type) || shape->rows == 1 || shape->columns == 1 ||
                 array_product_blocks(elements, shape->inner, shape->type) == shape->inner;
    return pairs && elements <= MOST_PRODUCTS / shape->inner;
}

static mpu_vector *product_at_once(const mpu_vector *left, const mpu_vector *right,
                                   const struct device_node *shape, mpu_error **error) {
    const int64_t rows = (int64_t)shape->rows, inner = (int64_t)shape->inner,
                  columns = (int64_t)shape->columns;
    const mpu_dim of_left[] = {{shape->rows, inner}, {shape->columns, 0}, {shape->inner, 1}};
    const mpu_dim of_right[] = {{shape->rows, 0}, {shape->columns, 1}, {shape->inner, columns}};
    const mpu_vtype type = vtype_of(shape->type);
    const uint64_t n = shape->rows * shape->columns * shape->inner;
    mpu_vector *a = columns == 1 ? mpu_vector_retain((mpu_vector *)(uintptr_t)left)
                                 : mpu_move(left, of_left, 3, 0, 0, 0, error);
    mpu_vector *b = rows == 1 && columns == 1 ? mpu_vector_retain((mpu_vector *)(uintptr_t)right)
                    : a                       ? mpu_move(right, of_right, 3, 0, 0, 0, error)
                                              : NULL;
    mpu_vector *all = a && b ? mpu_apply(left->device, MPU_OP_MUL, type, n,
                                         (mpu_operand[]){{a, 0}, {b, 0}}, 2, error)
                             : NULL;
    mpu_vector *sums = all ? mpu_fold(all, MPU_OP_ADD, type, 0, n, shape->inner, error) : NULL;
    mpu_vector_release(a);
    mpu_vector_release(b);
    mpu_vector_release(all);
    return sums;
}

mpu_vector *mpu_matmul(const mpu_vector *left, const mpu_vector *right, uint64_t rows,
                       uint64_t inner, uint64_t columns, mpu_error **error) {
    DEVICE_ENTRY(left->device, error, NULL);
    if (!check_matrices(left, right, rows, inner, columns, error))
        return NULL;
    const struct device_node shape = {
        .type = left->type, .rows = rows, .inner = inner, .columns = columns};
    if (left->device->finish == FINISH_HOST && at_once(&shape))
        return product_at_once(left, right, &shape, error);
    struct device_node *node = node_new(NODE_MATMUL, left->type, 2);
    node->rows = rows;
    node->inner = inner;
    node->columns = columns;
    node->operands[0].v = left->value;
    node->operands[1].v = right->value;
    return hold_node(left, node, left->type, rows * columns, error);
}

/* ---- tables ---- */

static const struct lane_type table_types[] = {
    [MPU_BOOL] = {TYPE_BOOL, 1},    [MPU_U8] = {TYPE_UINT, 8},    [MPU_U16] = {TYPE_UINT, 16},
    [MPU_U32] = {TYPE_UINT, 32},    [MPU_U64] = {TYPE_UINT, 64},  [MPU_I8] = {TYPE_INT, 8},
    [MPU_I16] = {TYPE_INT, 16},     [MPU_I32] = {TYPE_INT, 32},   [MPU_I64] = {TYPE_INT, 64},
    [MPU_F16] = {TYPE_FLOAT, 16},   [MPU_F32] = {TYPE_FLOAT, 32}, [MPU_F64] = {TYPE_FLOAT, 64},
    [MPU_BF16] = {TYPE_BFLOAT, 16},
};
enum { MOST_ENTRIES = 65536 };

static uint64_t *copy_table(const unsigned char *from, uint64_t count, struct lane_type type) {
    uint64_t *entries = xcalloc(count, sizeof *entries);
    uint32_t bytes = device_type_bytes(type);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&entries[i], from + i * bytes, bytes);
        entries[i] &= low_bits(type.bits);
    }
    return entries;
}

mpu_vector *mpu_take(const mpu_vector *index, const mpu_array *table, mpu_error **error) {
    return mpu_take_entries(index, table->type, table->data, table->ndim == 1 ? table->shape[0] : 0,
                            error);
}

mpu_vector *mpu_take_entries(const mpu_vector *index, mpu_type table_type, const void *entries,
                             uint64_t count, mpu_error **error) {
    DEVICE_ENTRY(index->device, error, NULL);
    if (!check_source(index, "take", error))
        return NULL;
    bool is_number = index->type.kind == TYPE_UINT || index->type.kind == TYPE_INT;
    if (!is_number || (unsigned)table_type > MPU_BF16 || !entries || !count ||
        count > MOST_ENTRIES) {
        device_refuse(index->device, error, MPU_USAGE,
                      "take needs integers as indices, and a table of one dimension with 1 to %d "
                      "entries",
                      MOST_ENTRIES);
        return NULL;
    }
    struct lane_type type = table_types[table_type];
    struct device_node *node = node_of(NODE_TAKE, type, index);
    node->table = copy_table(entries, count, type);
    node->table_count = count;
    return hold_node(index, node, type, index->n, error);
}
