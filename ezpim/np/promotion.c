/* SPDX-License-Identifier: MIT
 * NumPy's rules of types, as NumPy 2 has them (NEP 50): arrays and values without dimension are
 * promoted by their types, a number of Python takes the type of what it meets and must fit it. */
#include "ezpim/np/promotion.h"
#include "ezpim/np/advice.h"

#include <string.h>

static const struct lane_type truth = {TYPE_BOOL, 1}, int64 = {TYPE_INT, 64},
                              uint64 = {TYPE_UINT, 64}, float64 = {TYPE_FLOAT, 64};

/* ---- types ---- */

struct lane_type np_real_type(struct lane_type type) {
    if (array_is_float(type))
        return type;
    return (struct lane_type){TYPE_FLOAT, type.bits <= 8 ? 16 : type.bits == 16 ? 32 : 64};
}

static struct lane_type wider(struct lane_type left, struct lane_type right) {
    return left.bits > right.bits ? left : right;
}

struct lane_type np_promoted(struct lane_type left, struct lane_type right) {
    if (array_is_bool(left))
        return right;
    if (array_is_bool(right) || array_same_type(left, right))
        return left;
    if (array_is_float(left) || array_is_float(right))
        return wider(np_real_type(left), np_real_type(right));
    if (left.kind == right.kind)
        return wider(left, right);
    struct lane_type whole = left.kind == TYPE_INT ? left : right;
    uint8_t bits = left.kind == TYPE_INT ? right.bits : left.bits; /* of what has no sign */
    if (whole.bits > bits)
        return whole;
    return bits == 64 ? float64 : (struct lane_type){TYPE_INT, (uint8_t)(2 * bits)};
}

/* bool, integers, floats. */
static unsigned rank(struct lane_type type) {
    return array_is_float(type) ? 2 : !array_is_bool(type);
}

bool np_same_kind(struct lane_type from, struct lane_type to) {
    if (rank(from) != rank(to))
        return rank(from) < rank(to);
    return !(from.kind == TYPE_INT && to.kind == TYPE_UINT);
}

bool np_is_python_number(const struct np_value *value) {
    return np_is_number(value) || value->kind == NP_LAP ||
           (value->kind == NP_ARRAY && value->counts);
}

static struct array_range number_range(const struct np_unit *unit, const struct np_value *number) {
    return number->kind == NP_ARRAY ? number->array->range : np_lap_range(unit, number);
}

/* The type that a number of Python has on its own. */
static struct lane_type own_type(const struct np_value *number) {
    return number->kind == NP_BOOL ? truth : number->kind == NP_REAL ? float64 : int64;
}

/* What it becomes beside elements of a type: that, unless it is of a higher kind. */
static struct lane_type type_beside(const struct np_value *number, struct lane_type other) {
    return rank(own_type(number)) > rank(other) ? own_type(number) : other;
}

/* ---- NumPy 1.24 ---- */

/* The least float that NumPy 1.24 takes for a number. */
static struct lane_type float_of(const struct np_unit *unit, const struct np_value *number) {
    uint8_t bits = 16;
    if (number->kind == NP_REAL) {
        double v = number->real;
        bool finite = v - v == 0;
        bits = !finite || (v > -65000 && v < 65000) ? 16 : v > -3.4e38 && v < 3.4e38 ? 32 : 64;
    } else {
        struct array_range r = number_range(unit, number);
        bits = array_range_within(r, (struct array_range){-128, 255})        ? 16
               : array_range_within(r, (struct array_range){-32768, 65535}) ? 32
                                                                             : 64;
    }
    return (struct lane_type){TYPE_FLOAT, bits};
}

static struct lane_type former_of_number(const struct np_unit *unit, const struct np_value *number,
                                         const struct array_ref *array) {
    if (array->ndim == 0)
        return np_promoted(array->type, number->kind == NP_INT && number->number > INT64_MAX
                                            ? uint64
                                            : own_type(number));
    if (array_is_float(array->type) && number->kind != NP_BOOL)
        return wider(array->type, float_of(unit, number));
    return type_beside(number, array->type);
}

/* What NumPy 1.24 takes.  It looks at values without dimension beside arrays: *small: it takes that
 * type for values that fit it. */
static struct lane_type former_type(const struct np_unit *unit, const struct np_value *left,
                                    const struct np_value *right, bool *small) {
    *small = false;
    if (np_is_python_number(left))
        return former_of_number(unit, left, right->array);
    if (np_is_python_number(right))
        return former_of_number(unit, right, left->array);
    const struct array_ref *a = left->array->ndim ? left->array : right->array;
    const struct array_ref *value = a == left->array ? right->array : left->array;
    if (a->ndim == 0 || value->ndim > 0 || rank(value->type) > rank(a->type))
        return np_promoted(a->type, value->type);
    *small = true;
    return a->type;
}

void np_note_promotion(struct np_unit *unit, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&unit->arena, format, args);
    va_end(args);
    for (size_t i = 0; i < unit->promotions.len; i++)
        if (unit->promotions.data[i].at.begin == at.begin &&
            unit->promotions.data[i].at.end == at.end)
            return;
    if (unit->checks && !unit->again)
        vec_push(&unit->promotions, ((struct np_promotion){at, text}));
}

void np_report_promotions(struct np_unit *unit) {
    for (size_t i = 0; i < unit->promotions.len; i++)
        diag_warning(unit->diag, W_PROMOTION, unit->promotions.data[i].at, "%s",
                     unit->promotions.data[i].text);
    vec_clear(&unit->promotions);
}

static void compare_with_former(struct np_unit *unit, const char *op, const struct np_value *left,
                                const struct np_value *right, struct lane_type type,
                                struct span at) {
    bool small;
    struct lane_type former = former_type(unit, left, right, &small);
    bool compares = np_is_among(op, "== != < <= > >=");
    bool whole = !array_is_float(former) && !array_is_float(type);
    /* An element is stored again in its own type. */
    bool stored = unit->computed && unit->computed->target->kind == NP_EXPR_INDEX;
    if (array_same_type(former, type) || (whole && (compares || stored)))
        return;
    np_note_promotion(unit, at, "`%s` of %s and %s gives %s; NumPy 1.24 %s %s%s", op,
                      np_value_text(unit, left), np_value_text(unit, right), np_type_name(type),
                      compares ? "compares in" : "gives", np_type_name(former),
                      small ? " where the value fits it" : "");
}

/* ---- operands ---- */

bool np_common_type(struct np_unit *unit, const char *op, const struct np_value *left,
                    const struct np_value *right, struct lane_type *type, struct span at) {
    if (left->kind == NP_ERROR || right->kind == NP_ERROR)
        return false;
    bool first = np_is_python_number(left), second = np_is_python_number(right);
    if ((first && second) || (!first && left->kind != NP_ARRAY) ||
        (!second && right->kind != NP_ARRAY)) {
        np_error(unit, at, "`%s` of %s and %s is not taken in kernels", op,
                 np_value_text(unit, left), np_value_text(unit, right));
        return false;
    }
    *type = first    ? type_beside(left, right->array->type)
            : second ? type_beside(right, left->array->type)
                     : np_promoted(left->array->type, right->array->type);
    compare_with_former(unit, op, left, right, *type, at);
    return true;
}

struct array_ref *np_at_type(struct np_unit *unit, const struct np_value *value,
                             struct lane_type type, const char *who, struct span at) {
    if (value->kind != NP_ARRAY)
        return np_fitting(unit, value, type, at);
    struct array_ref *x = np_any_array(unit, value, who);
    if (!x || array_same_type(x->type, type))
        return x;
    if (value->counts && !array_is_float(type) && !array_is_bool(type) &&
        !array_range_within(x->range, array_type_range(type))) {
        np_error(unit, value->at, "the count may not fit %s", np_type_short(type));
        return NULL;
    }
    return np_cast(unit, x, type, value->at);
}

bool np_meet(struct np_unit *unit, const char *op, const struct np_value *left,
             const struct np_value *right, struct array_ref **ref, struct array_ref **into,
             struct span at) {
    struct lane_type type;
    if (!np_common_type(unit, op, left, right, &type, at))
        return false;
    *ref = np_at_type(unit, left, type, op, at);
    *into = np_at_type(unit, right, type, op, at);
    return *ref && *into;
}

/* ---- comparisons ---- */

static struct np_value compared(struct np_unit *unit, enum np_operator op, struct array_ref *left,
                                struct array_ref *right, struct span at) {
    struct array_ref *args[] = {left, right};
    if (!left || !right)
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return np_array_value(np_elementwise(unit, op, 2, args, truth, 0, NULL, at), at);
}

/* An integer beside which all elements lie on one side. */
static struct np_value all_alike(struct np_unit *unit, const struct np_value *array, bool answer,
                                 struct span at) {
    struct array_ref *x = np_any_array(unit, array, "a comparison");
    struct array_ref *one = array_constant(&unit->arrays, truth, answer, at);
    if (!x || !np_readable(unit, x, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return np_array_value(
        np_is_empty(x) ? np_empty(unit, truth, x->ndim, x->shape, at)
        : x->ndim      ? array_filled(&unit->arrays, one, x->ndim, x->shape, at)
                       : one,
        at);
}

static bool is_beyond(const struct np_value *number, const struct np_value *array, int *side) {
    if (number->kind != NP_INT || array->kind != NP_ARRAY || array_is_float(array->array->type))
        return false;
    struct array_range all = array_type_range(type_beside(number, array->array->type));
    *side = number->number < all.low ? -1 : number->number > all.high;
    return *side != 0;
}

/* uint64 beside a type with a sign, whose elements may be negative: all of uint64 is greater. */
static struct np_value mixed_signs(struct np_unit *unit, enum np_operator op,
                                   const struct np_value *left, const struct np_value *right,
                                   struct span at) {
    bool first = left->array->type.kind == TYPE_INT;
    struct array_ref *x = np_any_array(unit, left, "a comparison");
    struct array_ref *y = np_any_array(unit, right, "a comparison");
    if (!x || !y)
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct array_ref *with_sign = first ? x : y;
    struct np_value plain = compared(unit, op, np_cast(unit, x, uint64, at),
                                     np_cast(unit, y, uint64, at), at);
    struct np_value below =
        compared(unit, NP_OP_LT, with_sign,
                 array_constant(&unit->arrays, with_sign->type, 0, at), at);
    if (plain.kind != NP_ARRAY || below.kind != NP_ARRAY)
        return plain;
    bool answer = np_known_compare(op, first ? -1 : 1);
    struct array_ref *rest = below.array;
    if (!answer)
        rest = np_elementwise(unit, NP_OP_INVERT, 1, &rest, truth, 0, NULL, at);
    struct array_ref *both[] = {rest, plain.array};
    return np_array_value(
        rest ? np_elementwise(unit, answer ? NP_OP_OR : NP_OP_AND, 2, both, truth, 0, NULL, at)
             : NULL,
        at);
}

static bool is_unsigned64(const struct np_value *value) {
    return value->kind == NP_ARRAY && array_same_type(value->array->type, uint64);
}

static bool has_sign(const struct np_value *value) {
    return value->kind == NP_ARRAY && value->array->type.kind == TYPE_INT;
}

/* Numbers that may lie in int64 alone: counters, and counts. */
static bool compares_wide(const struct np_unit *unit, const struct np_value *number,
                          const struct np_value *other) {
    if ((number->kind != NP_LAP && number->kind != NP_ARRAY) || !np_is_python_number(number) ||
        other->kind != NP_ARRAY || array_is_float(other->array->type) || is_unsigned64(other))
        return false;
    return !array_range_within(number_range(unit, number), array_type_range(other->array->type));
}

struct np_value np_compare(struct np_unit *unit, enum np_operator op, struct np_value left,
                           struct np_value right, struct span at) {
    struct array_ref *x, *y;
    int side;
    if (is_beyond(&right, &left, &side))
        return all_alike(unit, &left, np_known_compare(op, -side), at);
    if (is_beyond(&left, &right, &side))
        return all_alike(unit, &right, np_known_compare(op, side), at);
    if (compares_wide(unit, &left, &right) || compares_wide(unit, &right, &left))
        return compared(unit, op, np_at_type(unit, &left, int64, "a comparison", at),
                        np_at_type(unit, &right, int64, "a comparison", at), at);
    bool mixed = (is_unsigned64(&left) && has_sign(&right) && !right.counts) ||
                 (is_unsigned64(&right) && has_sign(&left) && !left.counts);
    if (mixed) {
        np_note_promotion(unit, at,
                          "`%s` of %s and %s compares them as they are; NumPy 1.24 compares in "
                          "float64",
                          np_operator_text(op), np_value_text(unit, &left),
                          np_value_text(unit, &right));
        return mixed_signs(unit, op, &left, &right, at);
    }
    if (!np_meet(unit, np_operator_text(op), &left, &right, &x, &y, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return compared(unit, op, x, y, at);
}
