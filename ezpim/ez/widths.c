/* SPDX-License-Identifier: MIT
 * Widths of what the compiler makes for itself: no wider than the elements of a group, and the
 * values that it works on, can need. */
#include "ezpim/ez/move.h"

uint64_t ez_most_in_extent(const struct unit *u, struct extent x) {
    return x.size == NO_INDEX ? x.value : u->sizes.items.data[x.size]->bound;
}

uint64_t ez_most_elements(const struct unit *u, const struct ez_symbol *group) {
    uint64_t elements = 1;
    for (uint32_t d = 0; d < ez_group_dims(u, group); d++) {
        uint64_t most = ez_most_in_extent(u, ez_group_extent(u, group, d));
        if (most == 0)
            return 0;
        elements = elements > OBJECT_MAX_EXTENT / most ? OBJECT_MAX_EXTENT : elements * most;
    }
    return elements;
}

/* Beyond what a sum of 2^40 values of 64 bits needs. */
__extension__ typedef unsigned __int128 large;

static uint8_t bits_of(large v) {
    uint8_t bits = 0;
    for (; v; v >>= 1)
        bits++;
    return bits;
}

struct mpu_type ez_counter_type(const struct ez_symbol *k) {
    bool with_sign = k->value < 0;
    struct mpu_type t = {with_sign ? TYPE_INT : TYPE_UINT, with_sign ? 2 : 1};
    for (; t.bits < 64; t.bits++) {
        ez_number most = ((ez_number)1 << (with_sign ? t.bits - 1 : t.bits)) - 1;
        if (k->last + 1 <= most && (!with_sign || k->value >= -most - 1))
            break;
    }
    return t;
}

struct mpu_type ez_type_up_to(uint64_t most, uint8_t otherwise) {
    uint8_t bits = bits_of(most);
    return (struct mpu_type){TYPE_UINT, most == 0 ? otherwise : bits};
}

struct mpu_type ez_index_type(const struct unit *u, const struct ez_symbol *group) {
    uint64_t most = ez_most_elements(u, group);
    return most == 1 ? (struct mpu_type){TYPE_UINT, 1} : ez_type_up_to(most ? most - 1 : 0, 64);
}

/* A value of type `from`, extended, is the same at type `to`. */
static bool holds(struct mpu_type to, struct mpu_type from) {
    return from.bits < to.bits && (from.kind != TYPE_INT || to.kind == TYPE_INT);
}

struct expr *ez_without_widening(struct expr *e) {
    while (e->kind == EXPR_CALL && e->function == FUNCTION_CAST && !e->is_constant &&
           holds(e->type.type, e->args[0]->type.type))
        e = e->args[0];
    return e;
}

/* The narrowest type of values of both. */
static struct mpu_type join(struct mpu_type a, struct mpu_type b) {
    bool with_sign = a.kind == TYPE_INT || b.kind == TYPE_INT;
    unsigned first = a.bits + (with_sign && a.kind != TYPE_INT ? 1u : 0u);
    unsigned second = b.bits + (with_sign && b.kind != TYPE_INT ? 1u : 0u);
    return (struct mpu_type){with_sign ? TYPE_INT : TYPE_UINT,
                             (uint8_t)(first > second ? first : second)};
}

static struct mpu_type constant_type(ez_number value) {
    if (value >= 0)
        return (struct mpu_type){TYPE_UINT, value ? bits_of((large)value) : 1};
    uint8_t bits = bits_of((large)~value);
    return (struct mpu_type){TYPE_INT, (uint8_t)(bits ? bits + 1 : 2)};
}

static struct mpu_type choice_type(const struct unit *u, const struct ez_symbol *group,
                                   const struct expr *e, uint32_t first) {
    return join(ez_value_type(u, group, e->args[first]),
                ez_value_type(u, group, e->args[first + 1]));
}

/* What a call gives, at its own type or a narrower one. */
static struct mpu_type call_type(const struct unit *u, const struct ez_symbol *group,
                                 const struct expr *e) {
    switch ((enum function_kind)e->function) {
    case FUNCTION_CAST:
        return ez_value_type(u, group, e->args[0]);
    case FUNCTION_INDEX:
        return ez_index_type(u, group);
    case FUNCTION_LENGTH:
        return e->symbol->type.type;
    case FUNCTION_SELECT:
        return choice_type(u, group, e, 1);
    case FUNCTION_MIN:
    case FUNCTION_MAX:
        return choice_type(u, group, e, 0);
    default:
        return e->type.type;
    }
}

/* The narrower of both, which are unsigned. */
static struct mpu_type narrower(struct mpu_type a, struct mpu_type b) {
    return a.bits < b.bits ? a : b;
}

/* What an operation of unsigned values gives that cannot have as many bits as its operand. */
static struct mpu_type binary_type(const struct unit *u, const struct ez_symbol *group,
                                   const struct expr *e) {
    const struct expr *second = e->args[1];
    struct mpu_type value, own = e->type.type;
    if (own.kind != TYPE_UINT || (e->op != BINARY_AND && !second->is_constant))
        return own;
    value = ez_value_type(u, group, e->args[0]);
    if (e->op == BINARY_AND)
        return narrower(value, ez_value_type(u, group, second));
    if (e->op == BINARY_REM && second->value > 1)
        return narrower(value, ez_type_up_to((uint64_t)second->value - 1, 0));
    if (e->op != BINARY_SHR || second->value < 0)
        return own;
    value.bits = second->value < value.bits ? (uint8_t)(value.bits - second->value) : 1;
    return value;
}

struct mpu_type ez_value_type(const struct unit *u, const struct ez_symbol *group,
                              const struct expr *e) {
    struct mpu_type own = e->type.type, inner = own;
    if (e->is_constant)
        inner = constant_type(e->value);
    else if (e->kind == EXPR_CALL)
        inner = call_type(u, group, e);
    else if (e->kind == EXPR_BINARY)
        inner = binary_type(u, group, e);
    if (!holds(own, inner))
        return own;
    return inner.kind == TYPE_INT ? inner : (struct mpu_type){TYPE_UINT, inner.bits};
}

struct mpu_type ez_sum_type(struct mpu_type value, uint64_t most, struct mpu_type result) {
    bool with_sign = value.kind == TYPE_INT;
    large largest = (((large)1 << value.bits) - 1) * most;
    unsigned bits = with_sign ? value.bits + bits_of(most - 1) : bits_of(largest);
    if (most == 0 || bits >= result.bits)
        return result;
    return (struct mpu_type){with_sign ? TYPE_INT : TYPE_UINT, (uint8_t)bits};
}
