/* SPDX-License-Identifier: MIT
 * The operations of folds, and the types of values on the way: a partial result of n elements has a
 * type that holds every value that n elements can give, modulo 2^bits of the result. */
#include "ezpim/array/fold_level.h"
#include "ezpim/ir/float.h"
#include "support/bits.h"

/* ---- what is folded ---- */

bool array_fold_with_index(enum array_fold_kind kind) {
    return kind == ARRAY_ARGMIN || kind == ARRAY_ARGMAX;
}

/* x + -0 and x * 1 are x; of a number and a NaN minimum and maximum are the number. */
static uint64_t float_identity(enum array_fold_kind kind, struct lane_type type) {
    struct ieee_format format = object_type_format(type);
    return kind == ARRAY_SUM    ? ieee_sign_bit(format)
           : kind == ARRAY_PROD ? ieee_from_unsigned(format, 1)
                                : ieee_nan(format);
}

uint64_t array_identity(enum array_fold_kind kind, struct lane_type type) {
    if (object_type_is_float(type))
        return float_identity(kind, type);
    uint64_t ones = low_bits(type.bits), top = (uint64_t)1 << (type.bits - 1);
    bool with_sign = type.kind == TYPE_INT;
    switch (kind) {
    case ARRAY_PROD:
        return 1;
    case ARRAY_MIN:
    case ARRAY_ARGMIN:
        return with_sign ? ones ^ top : ones;
    case ARRAY_MAX:
    case ARRAY_ARGMAX:
        return with_sign ? top : 0;
    case ARRAY_AND:
        return ones;
    default:
        return 0;
    }
}

bool array_fold_in_order(const struct array_fold *item) {
    return object_type_is_float(item->type) &&
           (item->kind == ARRAY_SUM || item->kind == ARRAY_PROD);
}

enum ir_op array_operation(enum array_fold_kind kind) {
    static const uint8_t ops[] = {
        [ARRAY_SUM] = IR_ADD, [ARRAY_PROD] = IR_MUL, [ARRAY_MIN] = IR_MIN, [ARRAY_MAX] = IR_MAX,
        [ARRAY_AND] = IR_AND, [ARRAY_OR] = IR_OR,    [ARRAY_XOR] = IR_XOR};
    return (enum ir_op)ops[kind];
}

/* Beyond what a sum of 2^40 values of 64 bits needs. */
__extension__ typedef unsigned __int128 large;

static unsigned bits_of(large v) {
    uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
    return high ? 128 - (unsigned)__builtin_clzll(high)
                : 64 - (low ? (unsigned)__builtin_clzll(low) : 64);
}

unsigned array_fold_bits(uint64_t value) {
    return bits_of(value);
}

struct lane_type array_sum_type(struct lane_type value, uint64_t most, struct lane_type result) {
    if (object_type_is_float(result))
        return result;
    bool with_sign = value.kind == TYPE_INT;
    large largest = (((large)1 << value.bits) - 1) * most;
    unsigned bits = with_sign ? value.bits + bits_of(most - 1) : bits_of(largest);
    if (most == 0 || bits >= result.bits)
        return result;
    return (struct lane_type){with_sign ? TYPE_INT : TYPE_UINT, (uint8_t)bits};
}

struct lane_type array_fold_exact_type(const struct array_fold *item, uint64_t elements) {
    return item->kind == ARRAY_SUM ? array_sum_type(item->from, elements, item->type) : item->from;
}

struct lane_type array_fold_type(const struct array_fold *item, uint64_t elements) {
    struct lane_type type = array_fold_exact_type(item, elements);
    unsigned bits = (type.bits + 3u) / 4 * 4;
    if (item->kind != ARRAY_SUM || elements <= 64 || bits >= item->type.bits)
        return type;
    return (struct lane_type){type.kind, (uint8_t)bits};
}

uint64_t array_fold_times(uint64_t left, uint64_t right) {
    return left > OBJECT_MAX_EXTENT / right ? OBJECT_MAX_EXTENT : left * right;
}

unsigned array_fold_class(const struct array_fold *item, struct lane_type type) {
    uint64_t v = array_identity(item->kind, type);
    if (object_type_is_float(type) && ieee_is_nan(object_type_format(type), v))
        return 5;
    return v == 0 ? 0 : v == low_bits(type.bits) ? 1 : v == 1 ? 2 : v >> (type.bits - 1) ? 3 : 4;
}

unsigned array_fold_use(unsigned class, unsigned part, uint32_t number) {
    return ARRAY_USE_FOLD + (number * 8u + class) * ARRAY_PARTS + part;
}

uint32_t array_level_variable(struct ir_builder *builder, uint32_t group, struct lane_type type,
                              uint32_t count, unsigned use) {
    uint32_t v = ir_hidden(builder, group, type, count, use);
    builder->p->variables.data[v].chained = true;
    return v;
}

/* ---- terms ---- */

static uint32_t at_type(struct ir_builder *builder, const struct array_term *term,
                        struct lane_type type, struct span at) {
    return ir_same_type(term->type, type)
               ? term->v
               : ir_convert(builder, term->v, term->type, type, IR_NONE, at);
}

static struct array_term combine(struct ir_builder *builder, const struct array_fold *item,
                                 const struct array_term *left, const struct array_term *right,
                                 uint32_t dst, struct span at) {
    struct array_term r = {.elements = array_fold_times(1, left->elements + right->elements)};
    r.type = array_fold_type(item, r.elements);
    uint32_t v = at_type(builder, left, r.type, at), w = at_type(builder, right, r.type, at);
    r.v = ir_typed(builder, array_operation(item->kind), r.type, dst, v, w, at);
    return r;
}

void array_fold_terms(struct ir_builder *builder, const struct array_fold *item,
                      struct array_term *term, uint32_t n, struct lane_type type, uint32_t dst,
                      struct span at) {
    for (; n > 2; n = (n + 1) / 2)
        for (uint32_t i = 0; i < n; i += 2)
            term[i / 2] =
                i + 1 < n ? combine(builder, item, &term[i], &term[i + 1], IR_NONE, at) : term[i];
    uint32_t v = at_type(builder, &term[0], type, at), w = at_type(builder, &term[1], type, at);
    ir_typed(builder, array_operation(item->kind), type, dst, v, w, at);
}
