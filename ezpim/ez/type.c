/* SPDX-License-Identifier: MIT
 * Types, constants and groups: what they are, and how messages name them. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/move.h"
#include "support/bits.h"

const struct lane_type ez_type_bool = {TYPE_BOOL, 1};

struct value_type ez_type_of(struct lane_type type) {
    return (struct value_type){.state = STATE_TYPED, .type = type};
}

bool ez_type_is_bool(struct value_type type) {
    return type.state == STATE_TYPED && type.type.kind == TYPE_BOOL;
}

bool ez_type_is_integer(struct value_type type) {
    return type.state == STATE_TYPED && (type.type.kind == TYPE_UINT || type.type.kind == TYPE_INT);
}

bool ez_type_is_float(struct value_type type) {
    return type.state == STATE_TYPED ? object_type_is_float(type.type)
                                     : type.state == STATE_NUMBER && type.real;
}

bool ez_is_integer_constant(const struct expr *expr) {
    return expr->is_constant &&
           (expr->type.state == STATE_NUMBER || ez_type_is_integer(expr->type));
}

bool ez_type_same(struct lane_type left, struct lane_type right) {
    return left.kind == right.kind && left.bits == right.bits;
}

const char *ez_type_name(struct checker *checker, struct lane_type type) {
    char text[8];
    object_type_text(type, text);
    return arena_strdup(&checker->u->arena, text);
}

const char *ez_number_text(struct checker *checker, ez_number number) {
    char digits[48];
    char *p = digits + sizeof digits;
    bool negative = number < 0;
    *--p = '\0';
    do {
        int digit = (int)(number % 10);
        *--p = (char)('0' + (negative ? -digit : digit));
        number /= 10;
    } while (number);
    if (negative)
        *--p = '-';
    return arena_strdup(&checker->u->arena, p);
}

const char *ez_source_text(struct checker *checker, struct span at) {
    size_t size;
    const char *text = diag_source_text(checker->u->diag, at.source, &size);
    return arena_strndup(&checker->u->arena, text + at.begin, at.end - at.begin);
}

uint64_t ez_all_elements(const struct ez_symbol *symbol) {
    return symbol->count >= 64 ? UINT64_MAX : ((uint64_t)1 << symbol->count) - 1;
}

uint64_t ez_pattern(ez_number value, struct lane_type type) {
    return (uint64_t)value & low_bits(type.bits);
}

ez_number ez_value(uint64_t pattern, struct lane_type type) {
    if (type.kind == TYPE_INT)
        return sign_extend(pattern, type.bits);
    return pattern;
}

void ez_set_constant(struct expr *expr, ez_number number, struct lane_type type) {
    expr->is_constant = true;
    expr->type = ez_type_of(type);
    expr->value = ez_value(ez_pattern(number, type), type);
}

void ez_poison(struct expr *expr) {
    expr->type = TYPE_ERROR;
    expr->is_constant = false;
}

uint32_t ez_group_dims(const struct ez_unit *unit, const struct ez_symbol *group) {
    return group->layout.ndim + (group->layout.on_mpus ? unit->grid_dims : 0);
}

struct extent ez_group_extent(const struct ez_unit *unit, const struct ez_symbol *group,
                              uint32_t dim) {
    uint32_t before = group->layout.on_mpus ? unit->grid_dims : 0;
    return dim < before ? (struct extent){NO_INDEX, unit->grid[dim]}
                        : group->layout.extents[dim - before];
}
