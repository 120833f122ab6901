/* SPDX-License-Identifier: MIT
 * Operations element by element: the instructions that they become. */
#include "ezpim/array/array.h"
#include "ezpim/ir/float.h"
#include "support/bits.h"

#include <string.h>

static const struct lane_type one_bit = {TYPE_UINT, 1};

/* ---- instructions ---- */

static uint32_t put(struct arrays *arrays, enum ir_op op, struct lane_type type, uint32_t dst,
                    uint32_t left, uint32_t right, struct span at) {
    return ir_operation(&arrays->b, op, type, dst, left, right, IR_NONE, 0, at);
}

/* Quotients, and shifts by counts that are data, cost by more than the width: it is that of what
 * the operands can be. */
struct narrowed {
    struct lane_type type, own;
    uint32_t a, b;
};

static uint32_t at_type(struct arrays *arrays, uint32_t a, struct lane_type from,
                        struct lane_type to, struct span at) {
    return array_same_type(from, to) ? a : ir_convert(&arrays->b, a, from, to, IR_NONE, at);
}

/* ranges: of both operands, or NULL. */
static struct narrowed narrowed(struct arrays *arrays, struct lane_type type, const uint32_t *args,
                                const struct array_range *ranges, struct span at) {
    struct narrowed n = {.type = type, .own = type};
    if (ranges) {
        struct array_range r = array_range_union(ranges[0], ranges[1]);
        r.high = -r.low > r.high ? -r.low : r.high; /* quotients by -1 */
        n.type = array_narrowest(r, type);
    }
    n.a = at_type(arrays, args[0], type, n.type, at);
    n.b = at_type(arrays, args[1], type, n.type, at);
    return n;
}

static uint32_t widened(struct arrays *arrays, const struct narrowed *narrowed, enum ir_op op,
                        uint32_t left, uint32_t right, uint32_t z, uint32_t dst, struct span at) {
    bool same = array_same_type(narrowed->type, narrowed->own);
    uint32_t v =
        ir_operation(&arrays->b, op, narrowed->type, same ? dst : IR_NONE, left, right, z, 0, at);
    return same ? v : ir_convert(&arrays->b, v, narrowed->type, narrowed->own, dst, at);
}

/* By 0 they give 0. */
static uint32_t divide(struct arrays *arrays, enum ir_op op, struct lane_type type,
                       const uint32_t *args, const struct array_range *ranges, uint32_t dst,
                       struct span at) {
    const struct narrowed n = narrowed(arrays, type, args, ranges, at);
    uint32_t zero = ir_constant(&arrays->b, n.type, 0, IR_NONE, at);
    uint32_t none = put(arrays, IR_EQ, n.type, IR_NONE, n.b, zero, at);
    uint32_t value = put(arrays, op, n.type, IR_NONE, n.a, n.b, at);
    return widened(arrays, &n, IR_SELECT, none, zero, value, dst, at);
}

static uint32_t shift_right(struct arrays *arrays, struct lane_type type, const uint32_t *args,
                            const struct array_range *ranges, uint32_t dst, struct span at) {
    bool known = ranges && ranges[1].low == ranges[1].high;
    const struct narrowed n = narrowed(arrays, type, args, known ? NULL : ranges, at);
    return widened(arrays, &n, IR_SHR, n.a, n.b, IR_NONE, dst, at);
}

static uint32_t sign(struct arrays *arrays, struct lane_type type, uint32_t a, uint32_t dst,
                     struct span at) {
    uint32_t zero = ir_constant(&arrays->b, type, 0, IR_NONE, at);
    uint32_t more = put(arrays, IR_NE, type, IR_NONE, a, zero, at);
    if (type.kind == TYPE_UINT)
        return ir_convert(&arrays->b, more, one_bit, type, dst, at);
    uint32_t less = put(arrays, IR_LT, type, IR_NONE, a, zero, at);
    uint32_t one = ir_convert(&arrays->b, more, one_bit, type, IR_NONE, at);
    uint32_t minus = ir_constant(&arrays->b, type, low_bits(type.bits), IR_NONE, at);
    return ir_operation(&arrays->b, IR_SELECT, type, dst, less, minus, one, 0, at);
}

/* That an exponent may have, which is not negative. */
static unsigned exponent_bits(struct lane_type type, const struct array_range *ranges) {
    unsigned bits = type.bits - (type.kind == TYPE_INT ? 1u : 0u);
    while (ranges && bits > 1 && !(ranges[1].high >> (bits - 1)))
        bits--;
    return bits;
}

static uint32_t cast(struct arrays *arrays, uint32_t a, struct lane_type from, struct lane_type to,
                     uint32_t dst, struct span at) {
    if (array_is_bool(to) && !array_is_bool(from))
        return put(arrays, IR_NE, from, dst, a, ir_constant(&arrays->b, from, 0, IR_NONE, at), at);
    return ir_convert(&arrays->b, a, array_is_bool(from) ? one_bit : from, to, dst, at);
}

enum ir_op array_instruction(enum array_op op) {
    static const uint8_t ops[ARRAY_OPS] = {
        [ARRAY_OP_ADD] = IR_ADD,
        [ARRAY_OP_SUB] = IR_SUB,
        [ARRAY_OP_MUL] = IR_MUL,
        [ARRAY_OP_DIV] = IR_DIV,
        [ARRAY_OP_TRUNC_DIVIDE] = IR_DIV,
        [ARRAY_OP_REM] = IR_REM,
        [ARRAY_OP_FMOD] = IR_REM,
        [ARRAY_OP_FLOORDIV] = IR_FLOORDIV,
        [ARRAY_OP_FLOOR_DIVIDE] = IR_FLOORDIV,
        [ARRAY_OP_FLOORMOD] = IR_FLOORMOD,
        [ARRAY_OP_REMAINDER] = IR_FLOORMOD,
        [ARRAY_OP_SHL] = IR_SHL,
        [ARRAY_OP_SHR] = IR_SHR,
        [ARRAY_OP_AND] = IR_AND,
        [ARRAY_OP_OR] = IR_OR,
        [ARRAY_OP_XOR] = IR_XOR,
        [ARRAY_OP_NOT] = IR_NOT,
        [ARRAY_OP_NEG] = IR_NEG,
        [ARRAY_OP_MIN] = IR_MIN,
        [ARRAY_OP_MINIMUM] = IR_MIN,
        [ARRAY_OP_MAX] = IR_MAX,
        [ARRAY_OP_MAXIMUM] = IR_MAX,
        [ARRAY_OP_EQ] = IR_EQ,
        [ARRAY_OP_NE] = IR_NE,
        [ARRAY_OP_LT] = IR_LT,
        [ARRAY_OP_LE] = IR_LE,
        [ARRAY_OP_GT] = IR_GT,
        [ARRAY_OP_GE] = IR_GE,
    };
    return (enum ir_op)ops[op];
}

static enum ir_op instruction_of(enum array_op op, bool is_bool) {
    enum ir_op found = array_instruction(op);
    return !is_bool || (found != IR_MIN && found != IR_MAX) ? found
           : found == IR_MIN                                ? IR_AND
                                                            : IR_OR;
}

/* maximum, then minimum. */
static uint32_t clip(struct arrays *arrays, struct lane_type type, const uint32_t *args,
                     uint32_t dst, struct span at) {
    uint32_t above = array_emit(arrays, ARRAY_OP_MAXIMUM, type, type, args, NULL, 0, IR_NONE, at);
    const uint32_t both[] = {above, args[2]};
    return array_emit(arrays, ARRAY_OP_MINIMUM, type, type, both, NULL, 0, dst, at);
}

static uint32_t absolute(struct arrays *arrays, struct lane_type type, uint32_t a, uint32_t dst,
                         struct span at) {
    if (type.kind != TYPE_INT)
        return ir_convert(&arrays->b, a, type, type, dst, at);
    return put(arrays, IR_MAX, type, dst, a, put(arrays, IR_NEG, type, IR_NONE, a, IR_NONE, at),
               at);
}

/* What is the same for patterns of all types, or made of other operations. */
static bool is_general(enum array_op op) {
    return op == ARRAY_OP_COPY || op == ARRAY_OP_BITCAST || op == ARRAY_OP_SELECT ||
           op == ARRAY_OP_BIT || op == ARRAY_OP_SETBIT || op == ARRAY_OP_POPCOUNT ||
           op == ARRAY_OP_POW || op == ARRAY_OP_CLIP;
}

static uint32_t emit_general(struct arrays *arrays, enum array_op op, struct lane_type type,
                             const uint32_t *args, uint64_t number, uint32_t dst, struct span at) {
    switch (op) {
    case ARRAY_OP_POW:
        return array_emit_power(&arrays->b, type, args[0], number, dst, at);
    case ARRAY_OP_CLIP:
        return clip(arrays, type, args, dst, at);
    case ARRAY_OP_SELECT:
        return ir_operation(&arrays->b, IR_SELECT, type, dst, args[0], args[1], args[2], 0, at);
    case ARRAY_OP_COPY:
    case ARRAY_OP_BITCAST:
        return ir_convert(&arrays->b, args[0], type, type, dst, at);
    default:
        return array_emit_bits(arrays, op, type, args, number, dst, at);
    }
}

uint32_t array_emit(struct arrays *arrays, enum array_op op, struct lane_type operand,
                    struct lane_type result, const uint32_t *args, const struct array_range *ranges,
                    uint64_t exponent, uint32_t dst, struct span at) {
    struct lane_type type = operand;
    if (is_general(op))
        return emit_general(arrays, op, operand, args, exponent, dst, at);
    if (array_is_float(operand) || array_is_float(result))
        return array_emit_float(&arrays->b, op, operand, result, args, exponent, dst, at);
    if (array_is_bool(type) && op >= ARRAY_OP_EQ && op <= ARRAY_OP_GE)
        type = one_bit;
    switch (op) {
    case ARRAY_OP_FLOOR_DIVIDE:
    case ARRAY_OP_REMAINDER:
    case ARRAY_OP_FMOD:
    case ARRAY_OP_TRUNC_DIVIDE:
        return divide(arrays, array_instruction(op), type, args, ranges, dst, at);
    case ARRAY_OP_SHR:
        return shift_right(arrays, type, args, ranges, dst, at);
    case ARRAY_OP_NEG:
    case ARRAY_OP_NOT:
        return put(arrays, array_instruction(op), type, dst, args[0], IR_NONE, at);
    case ARRAY_OP_ABS:
        return absolute(arrays, type, args[0], dst, at);
    case ARRAY_OP_SIGN:
        return sign(arrays, type, args[0], dst, at);
    case ARRAY_OP_POWER:
        return array_emit_power_of(&arrays->b, type, type, args,
                                   exponent_bits(type, ranges), dst, at);
    case ARRAY_OP_CAST:
        return cast(arrays, args[0], operand, result, dst, at);
    default:
        return put(arrays, instruction_of(op, array_is_bool(type)), type, dst, args[0], args[1],
                   at);
    }
}

static unsigned args_of(const struct array_uniform *uniform) {
    unsigned n = 0;
    while (n < 3 && uniform->args[n])
        n++;
    return n;
}

uint32_t array_put_uniform(struct arrays *arrays, const struct array_uniform *uniform, uint32_t dst,
                           struct span at) {
    uint32_t args[3] = {IR_NONE, IR_NONE, IR_NONE};
    if (uniform->kind == ARRAY_UNIFORM_CONSTANT)
        return ir_constant(&arrays->b, uniform->type, uniform->pattern, dst, at);
    if (uniform->kind == ARRAY_UNIFORM_LINK)
        return ir_link_value(&arrays->b, uniform->type, uniform->link, uniform->element, dst, at);
    if (uniform->kind == ARRAY_UNIFORM_COUNTER)
        return ir_convert(&arrays->b, ir_element(&arrays->b, uniform->link, 0), uniform->type,
                          uniform->type, dst, at);
    for (unsigned i = 0; i < args_of(uniform); i++)
        args[i] = array_put_uniform(arrays, uniform->args[i], IR_NONE, at);
    return array_emit(arrays, uniform->op, uniform->operand, uniform->type, args, NULL,
                      uniform->exponent, dst, at);
}

/* ---- shapes ---- */

uint32_t array_common_shape(uint32_t count, struct array_ref *const *args, uint32_t *ndim,
                            uint64_t *shape) {
    const struct array_ref *widest = args[0];
    for (uint32_t i = 1; i < count; i++)
        widest = args[i]->ndim > widest->ndim ? args[i] : widest;
    *ndim = widest->ndim;
    memcpy(shape, widest->shape, sizeof widest->shape);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t v = 0; v < args[i]->ndim; v++) {
            uint64_t *n = &shape[v + *ndim - args[i]->ndim], own = args[i]->shape[v];
            if (*n != own && *n != 1 && own != 1)
                return i;
            *n = *n == 1 ? own : *n;
        }
    return count;
}

/* ---- arrays ---- */

static bool all_uniform(uint32_t count, struct array_ref *const *args) {
    for (uint32_t i = 0; i < count; i++)
        if (!args[i]->uniform)
            return false;
    return true;
}

/* What an operation works on: of `where` what it chooses between. */
static struct lane_type operand_type(enum array_op op, struct array_ref *const *args) {
    return op == ARRAY_OP_SELECT ? args[1]->type : args[0]->type;
}

static struct array_ref *put_off(struct arrays *arrays, enum array_op op, uint32_t count,
                                 struct array_ref *const *args, struct lane_type result,
                                 uint64_t exponent, struct span at) {
    struct array_uniform *x = ARENA_NEW(arrays->arena, struct array_uniform);
    *x = (struct array_uniform){.kind = ARRAY_UNIFORM_OPERATION,
                                .type = result,
                                .op = op,
                                .operand = operand_type(op, args),
                                .exponent = exponent};
    for (uint32_t i = 0; i < count; i++)
        x->args[i] = args[i]->uniform;
    struct array_ref *a = array_of_uniform(arrays, x, at);
    a->range = array_range_of(op, count, args, result);
    return a;
}

/* An operation at work. */
struct operation {
    enum array_op op;
    uint32_t count;
    struct array_ref *args[3];
    struct lane_type operand, result;
    uint64_t exponent;
    struct span at;
};

/* One register of the result, over its lanes. */
static void put_result(struct arrays *arrays, const struct operation *operation,
                       struct array_storage *storage, uint32_t register_, uint32_t ndim,
                       const uint64_t *shape) {
    uint32_t vregs[3] = {IR_NONE, IR_NONE, IR_NONE};
    struct array_range ranges[3];
    struct array_value v[3];
    for (uint32_t i = 0; i < operation->count; i++)
        if (!operation->args[i]->uniform)
            v[i] = array_fetch(arrays, operation->args[i], ndim, shape, operation->at);
    array_begin(arrays, ndim, shape, operation->at);
    for (uint32_t i = 0; i < operation->count; i++)
        ranges[i] = operation->args[i]->range;
    for (uint32_t i = 0; i < operation->count; i++)
        vregs[i] =
            operation->args[i]->uniform
                ? array_put_uniform(arrays, operation->args[i]->uniform, IR_NONE, operation->at)
                : ir_element(&arrays->b, v[i].variable, v[i].element);
    array_emit(arrays, operation->op, operation->operand, operation->result, vregs, ranges,
               operation->exponent, ir_element(&arrays->b, storage->variable, register_),
               operation->at);
}

void array_put_register(struct arrays *arrays, const struct array_ref *from,
                        struct array_storage *into, uint32_t element, struct span at) {
    uint64_t shape[ARRAY_DIMS];
    const struct operation copy = {.op = ARRAY_OP_COPY,
                                   .count = 1,
                                   .args = {(struct array_ref *)(uintptr_t)from},
                                   .operand = from->type,
                                   .result = from->type,
                                   .at = at};
    uint32_t ndim = array_lane_shape(into, shape);
    put_result(arrays, &copy, into, element, ndim, shape);
    array_touch(into, at);
}

/* Each register by itself.  What is written must not be read by another register's turn. */
static void put_results(struct arrays *arrays, const struct operation *operation,
                        struct array_storage *storage) {
    struct operation part = *operation, whole = *operation;
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim = array_lane_shape(storage, shape);
    for (uint32_t i = 0; i < operation->count; i++)
        if (storage->lay.count > 1 && operation->args[i]->root == storage &&
            !array_is_storage(operation->args[i]))
            whole.args[i] = array_kept(arrays, operation->args[i], operation->at);
    for (uint32_t j = 0; j < storage->lay.count; j++) {
        for (uint32_t i = 0; i < operation->count; i++)
            part.args[i] = array_part(arrays, whole.args[i], storage, j);
        put_result(arrays, &part, storage, j, ndim, shape);
    }
}

static void note_operands(struct arrays *arrays, uint32_t count, struct array_ref *const *args,
                          const struct array_storage *storage) {
    for (uint32_t i = 0; i < count; i++) {
        int target[ARRAY_DIMS];
        for (uint32_t v = 0; v < ARRAY_DIMS; v++)
            target[v] = (int)(v + storage->ndim - args[i]->ndim);
        array_note_meeting(arrays, args[i], storage, target);
    }
}

struct array_ref *array_elementwise(struct arrays *arrays, enum array_op op, uint32_t count,
                                    struct array_ref *const *args, struct lane_type result,
                                    uint64_t exponent, struct array_storage *into, struct span at) {
    struct operation o = {
        .op = op, .count = count, .result = result, .exponent = exponent, .at = at};
    uint32_t ndim;
    uint64_t shape[ARRAY_DIMS];
    if (!into && all_uniform(count, args))
        return put_off(arrays, op, count, args, result, exponent, at);
    array_common_shape(count, args, &ndim, shape);
    if (into)
        array_catch_up(arrays);
    o.operand = operand_type(op, args);
    memcpy(o.args, args, count * sizeof *args);
    struct array_range range = array_range_of(op, count, args, result);
    struct array_ref *a =
        into ? array_whole(arrays, into, at) : array_new_free(arrays, result, ndim, shape, at);
    note_operands(arrays, count, args, a->root);
    put_results(arrays, &o, a->root);
    if (into)
        array_touch(into, at);
    a->range = range;
    return a;
}

struct array_ref *array_cast(struct arrays *arrays, struct array_ref *ref, struct lane_type type,
                             struct span at) {
    return array_elementwise(arrays, ARRAY_OP_CAST, 1, &ref, type, 0, NULL, at);
}

void array_copy_into(struct arrays *arrays, struct array_ref *ref, struct array_storage *into,
                     struct span at) {
    array_elementwise(arrays, ARRAY_OP_COPY, 1, &ref, into->type, 0, into, at);
}

/* ---- new arrays ---- */

struct array_ref *array_fresh(struct arrays *arrays, struct array_ref *ref, struct span at) {
    struct array_ref *x = array_new_free(arrays, ref->type, ref->ndim, ref->shape, at);
    if (!ref->uniform && (ref->root->lay.count > 1 || !array_is_direct(ref)))
        array_put(arrays, x, ref, at);
    else
        array_copy_into(arrays, ref, x->root, at);
    x->range = ref->range;
    return x;
}

struct array_ref *array_filled(struct arrays *arrays, struct array_ref *ref, uint32_t ndim,
                               const uint64_t *shape, struct span at) {
    struct array_ref *y = array_new_free(arrays, ref->type, ndim, shape, at);
    array_copy_into(arrays, ref, y->root, at);
    y->range = ref->range;
    return y;
}

struct array_ref *array_count_up(struct arrays *arrays, struct lane_type type, array_int first,
                                 array_int step, uint64_t n, struct span at) {
    struct array_ref *y = array_new(arrays, type, 1, &n, at);
    array_begin(arrays, 1, &n, at);
    uint32_t dst = ir_element(&arrays->b, y->root->variable, 0);
    bool plain = step == 1 && first == 0;
    uint32_t v = ir_lane_index(&arrays->b, type, plain ? dst : IR_NONE, at);
    if (step != 1) {
        uint32_t by = ir_constant(&arrays->b, type, array_pattern(step, type), IR_NONE, at);
        v = ir_operation(&arrays->b, IR_MUL, type, first == 0 ? dst : IR_NONE, v, by, IR_NONE, 0,
                         at);
    }
    if (first != 0)
        ir_operation(&arrays->b, IR_ADD, type, dst, v,
                     ir_constant(&arrays->b, type, array_pattern(first, type), IR_NONE, at),
                     IR_NONE, 0, at);
    array_int last = first + step * ((array_int)n - 1);
    y->range = first < last ? (struct array_range){first, last} : (struct array_range){last, first};
    return y;
}
