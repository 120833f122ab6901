/* SPDX-License-Identifier: MIT
 * Widths of what the compiler makes for itself: no wider than the elements of a group, and the
 * values that it works on, can need. */
#include "ezpim/ez/move.h"
#include "support/bits.h"

uint64_t ez_most_in_extent(const struct ez_unit *unit, struct extent extent) {
    return extent.size == NO_INDEX ? extent.value : unit->sizes.items.data[extent.size]->bound;
}

uint64_t ez_most_elements(const struct ez_unit *unit, const struct ez_symbol *group) {
    uint64_t elements = 1;
    for (uint32_t d = 0; d < ez_group_dims(unit, group); d++) {
        uint64_t most = ez_most_in_extent(unit, ez_group_extent(unit, group, d));
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

struct lane_type ez_counter_type(const struct ez_symbol *symbol) {
    bool with_sign = symbol->value < 0;
    struct lane_type t = {with_sign ? TYPE_INT : TYPE_UINT, with_sign ? 2 : 1};
    for (; t.bits < 64; t.bits++) {
        ez_number most = ((ez_number)1 << (with_sign ? t.bits - 1 : t.bits)) - 1;
        if (symbol->counter.last + 1 <= most && (!with_sign || symbol->value >= -most - 1))
            break;
    }
    return t;
}

struct lane_type ez_type_up_to(uint64_t most, uint8_t otherwise) {
    uint8_t bits = bits_of(most);
    return (struct lane_type){TYPE_UINT, most == 0 ? otherwise : bits};
}

/* How many numbers index() or index(d) can give; 0: not known. */
static uint64_t most_places(const struct ez_unit *unit, const struct ez_symbol *group,
                            const struct expr *index) {
    return index->arg_count ? ez_most_in_extent(unit, group->layout.extents[index->element])
                            : ez_most_elements(unit, group);
}

struct lane_type ez_place_type(const struct ez_unit *unit, const struct ez_symbol *group,
                               const struct expr *index) {
    uint64_t most = most_places(unit, group, index);
    return most == 1 ? (struct lane_type){TYPE_UINT, 1} : ez_type_up_to(most ? most - 1 : 0, 64);
}

/* A value of type `from`, extended, is the same at type `to`. */
static bool holds(struct lane_type to, struct lane_type from) {
    if (object_type_is_float(to) || object_type_is_float(from))
        return false;
    return from.bits < to.bits && (from.kind != TYPE_INT || to.kind == TYPE_INT);
}

struct expr *ez_without_widening(struct expr *expr) {
    while (expr->kind == EXPR_CALL && expr->function == FUNCTION_CAST && !expr->is_constant &&
           holds(expr->type.type, expr->args[0]->type.type))
        expr = expr->args[0];
    return expr;
}

/* The narrowest type of values of both. */
static struct lane_type join(struct lane_type left, struct lane_type right) {
    bool with_sign = left.kind == TYPE_INT || right.kind == TYPE_INT;
    unsigned first = left.bits + (with_sign && left.kind != TYPE_INT ? 1u : 0u);
    unsigned second = right.bits + (with_sign && right.kind != TYPE_INT ? 1u : 0u);
    return (struct lane_type){with_sign ? TYPE_INT : TYPE_UINT,
                              (uint8_t)(first > second ? first : second)};
}

static struct lane_type constant_type(ez_number value) {
    if (value >= 0)
        return (struct lane_type){TYPE_UINT, value ? bits_of((large)value) : 1};
    uint8_t bits = bits_of((large)~value);
    return (struct lane_type){TYPE_INT, (uint8_t)(bits ? bits + 1 : 2)};
}

static struct lane_type choice_type(const struct ez_unit *unit, const struct ez_symbol *group,
                                    const struct expr *expr, uint32_t first) {
    return join(ez_value_type(unit, group, expr->args[first]),
                ez_value_type(unit, group, expr->args[first + 1]));
}

/* What a call gives, at its own type or a narrower one. */
static struct lane_type call_type(const struct ez_unit *unit, const struct ez_symbol *group,
                                  const struct expr *expr) {
    switch ((enum function_kind)expr->function) {
    case FUNCTION_CAST:
        return ez_value_type(unit, group, expr->args[0]);
    case FUNCTION_INDEX:
        return ez_place_type(unit, group, expr);
    case FUNCTION_LENGTH:
        return expr->symbol->type.type;
    case FUNCTION_SELECT:
        return choice_type(unit, group, expr, 1);
    case FUNCTION_MIN:
    case FUNCTION_MAX:
        return choice_type(unit, group, expr, 0);
    default:
        return expr->type.type;
    }
}

/* The narrower of both, which are unsigned. */
static struct lane_type narrower(struct lane_type left, struct lane_type right) {
    return left.bits < right.bits ? left : right;
}

/* What an operation of unsigned values gives that cannot have as many bits as its operand. */
static struct lane_type binary_type(const struct ez_unit *unit, const struct ez_symbol *group,
                                    const struct expr *expr) {
    const struct expr *second = expr->args[1];
    struct lane_type value, own = expr->type.type;
    if (own.kind != TYPE_UINT || (expr->op != BINARY_AND && !second->is_constant))
        return own;
    value = ez_value_type(unit, group, expr->args[0]);
    if (expr->op == BINARY_AND)
        return narrower(value, ez_value_type(unit, group, second));
    if (expr->op == BINARY_REM && second->value > 1)
        return narrower(value, ez_type_up_to((uint64_t)second->value - 1, 0));
    if (expr->op != BINARY_SHR || second->value < 0)
        return own;
    value.bits = second->value < value.bits ? (uint8_t)(value.bits - second->value) : 1;
    return value;
}

struct lane_type ez_value_type(const struct ez_unit *unit, const struct ez_symbol *group,
                               const struct expr *expr) {
    struct lane_type own = expr->type.type, inner = own;
    if (object_type_is_float(own))
        return own;
    if (expr->is_constant)
        inner = constant_type(expr->value);
    else if (expr->kind == EXPR_CALL)
        inner = call_type(unit, group, expr);
    else if (expr->kind == EXPR_BINARY)
        inner = binary_type(unit, group, expr);
    if (!holds(own, inner))
        return own;
    return inner.kind == TYPE_INT ? inner : (struct lane_type){TYPE_UINT, inner.bits};
}

/* No pattern of the value of `expr` is above this, as far as constants, casts, choices, `&`, `>>`,
 * `%` and index() tell; `expr` stands in an ensemble over the group, or (NULL) anywhere. */
static uint64_t ez_largest(const struct ez_unit *unit, const struct ez_symbol *group,
                           const struct expr *expr);

static uint64_t least(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

/* Of a call of two values of the same type, which are unsigned. */
static uint64_t largest_of_call(const struct ez_unit *unit, const struct ez_symbol *group,
                                const struct expr *expr) {
    uint64_t a, b;
    switch ((enum function_kind)expr->function) {
    case FUNCTION_CAST: /* the sign of the operand may be extended */
        a = expr->args[0]->type.type.kind == TYPE_UINT || expr->args[0]->type.type.kind == TYPE_BOOL
                ? ez_largest(unit, group, expr->args[0])
                : UINT64_MAX;
        return a <= low_bits(expr->type.type.bits) ? a : UINT64_MAX;
    case FUNCTION_MIN:
        return least(ez_largest(unit, group, expr->args[0]),
                     ez_largest(unit, group, expr->args[1]));
    case FUNCTION_MAX:
    case FUNCTION_SELECT:
        a = ez_largest(unit, group, expr->args[expr->arg_count - 2]);
        b = ez_largest(unit, group, expr->args[expr->arg_count - 1]);
        return a > b ? a : b;
    case FUNCTION_INDEX:
        a = group ? most_places(unit, group, expr) : 0;
        return a ? a - 1 : UINT64_MAX;
    default:
        return UINT64_MAX;
    }
}

static uint64_t largest_of_binary(const struct ez_unit *unit, const struct ez_symbol *group,
                                  const struct expr *expr) {
    const struct expr *second = expr->args[1];
    uint64_t a = ez_largest(unit, group, expr->args[0]);
    if (expr->op == BINARY_AND)
        return least(a, ez_largest(unit, group, second));
    if (!second->is_constant || second->value < 0)
        return UINT64_MAX;
    if (expr->op == BINARY_REM && second->value > 0)
        return least(a, (uint64_t)second->value - 1);
    return expr->op == BINARY_SHR && second->value < 64 ? a >> second->value : UINT64_MAX;
}

static uint64_t ez_largest(const struct ez_unit *unit, const struct ez_symbol *group,
                           const struct expr *expr) {
    uint64_t all = low_bits(expr->type.type.bits), r = all;
    if (expr->is_constant)
        return ez_pattern(expr->value, expr->type.type);
    if (expr->type.type.kind == TYPE_INT || object_type_is_float(expr->type.type))
        return all;
    if (expr->kind == EXPR_CALL)
        r = largest_of_call(unit, group, expr);
    else if (expr->kind == EXPR_BINARY)
        r = largest_of_binary(unit, group, expr);
    return least(r, all);
}

struct array_index ez_array_index(const struct ez_unit *unit, const struct ez_symbol *group,
                                  const struct expr *expr) {
    return (struct array_index){expr->type.type, ez_largest(unit, group, expr)};
}
