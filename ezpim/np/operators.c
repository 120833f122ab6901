/* SPDX-License-Identifier: MIT
 * NumPy's rules of types, as far as its versions 1.24 and 2 agree: operands have one type, a number
 * must fit that type, and a value without dimensions is never combined with a number. */
#include "ezpim/np/advice.h"

#include <string.h>

static const struct lane_type truth = {TYPE_BOOL, 1};

/* ---- numbers that are known ---- */

static double real_of(const struct np_value *value) {
    return value->kind == NP_REAL ? value->real : (double)value->number;
}

static np_int floor_divide(np_int left, np_int right) {
    np_int q = left / right;
    return q * right != left && (left < 0) != (right < 0) ? q - 1 : q;
}

/* False: it does not fit. */
static bool raise(np_int left, np_int length, np_int *out) {
    if (left >= -1 && left <= 1 && length > 2)
        length = 2 - length % 2;
    *out = 1;
    for (np_int i = 0; i < length; i++)
        if (__builtin_mul_overflow(*out, left, out))
            return false;
    return true;
}

static bool shift(np_int left, np_int length, np_int *out) {
    if (length > NP_BITS)
        return left == 0 && (*out = 0, true);
    return !__builtin_mul_overflow(left, (np_int)1 << length, out);
}

static bool known_divide(struct np_unit *unit, enum np_operator op, np_int left, np_int right,
                         np_int *out, struct span at) {
    if (right == 0) {
        np_error(unit, at, "division by zero");
        return false;
    }
    *out =
        op == NP_OP_FLOORDIV ? floor_divide(left, right) : left - right * floor_divide(left, right);
    return true;
}

/* Of Python's numbers; false after reporting. */
static bool known_integer(struct np_unit *unit, enum np_operator op, np_int left, np_int right,
                          np_int *out, struct span at) {
    bool fits = true;
    switch (op) {
    case NP_OP_ADD:
        fits = !__builtin_add_overflow(left, right, out);
        break;
    case NP_OP_SUB:
        fits = !__builtin_sub_overflow(left, right, out);
        break;
    case NP_OP_MUL:
        fits = !__builtin_mul_overflow(left, right, out);
        break;
    case NP_OP_FLOORDIV:
    case NP_OP_MOD:
        return known_divide(unit, op, left, right, out, at);
    case NP_OP_POW:
    case NP_OP_SHL:
    case NP_OP_SHR:
        if (right < 0) {
            np_error(unit, at, "the number behind `%s` is negative", np_operator_text(op));
            return false;
        }
        *out = left >> (right > 126 ? 126 : right);
        fits =
            op == NP_OP_POW ? raise(left, right, out) : op == NP_OP_SHR || shift(left, right, out);
        break;
    case NP_OP_AND:
        *out = left & right;
        break;
    case NP_OP_OR:
        *out = left | right;
        break;
    default:
        *out = left ^ right;
        break;
    }
    return np_number_fits(unit, fits, *out, at);
}

static bool compares(enum np_operator op) {
    return op >= NP_OP_EQ && op <= NP_OP_GE;
}

static bool known_compare(enum np_operator op, int order) {
    switch (op) {
    case NP_OP_EQ:
        return order == 0;
    case NP_OP_NE:
        return order != 0;
    case NP_OP_LT:
        return order < 0;
    case NP_OP_LE:
        return order <= 0;
    case NP_OP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static struct np_value known_real(struct np_unit *unit, enum np_operator op, double left,
                                  double right, struct span at) {
    double v = op == NP_OP_ADD   ? left + right
               : op == NP_OP_SUB ? left - right
               : op == NP_OP_MUL ? left * right
                                 : left / right;
    if (compares(op))
        return np_bool_value(left != left || right != right
                                 ? op == NP_OP_NE
                                 : known_compare(op, left < right ? -1 : left > right),
                             at);
    if (op > NP_OP_MUL && op != NP_OP_DIV)
        return np_error(unit, at, "`%s` of floats is not known when the kernel is compiled",
                        np_operator_text(op));
    if (op == NP_OP_DIV && right == 0)
        return np_error(unit, at, "division by zero");
    return (struct np_value){.kind = NP_REAL, .at = at, .real = v};
}

/* Doubles have it as it is. */
static bool is_exact(const struct np_value *value) {
    const np_int most = (np_int)1 << 53;
    return value->kind == NP_REAL || (value->number <= most && value->number >= -most);
}

static struct np_value known_binary(struct np_unit *unit, enum np_operator op, struct np_value left,
                                    struct np_value right, struct span at) {
    np_int v = 0;
    bool bits = op == NP_OP_AND || op == NP_OP_OR || op == NP_OP_XOR;
    bool real = left.kind == NP_REAL || right.kind == NP_REAL || op == NP_OP_DIV;
    if (real && (!is_exact(&left) || !is_exact(&right)))
        return np_error(unit, at, "a number of more than 53 bits becomes a float");
    if (real)
        return known_real(unit, op, real_of(&left), real_of(&right), at);
    if (compares(op))
        return np_bool_value(
            known_compare(op, left.number < right.number ? -1 : left.number > right.number), at);
    if (!known_integer(unit, op, left.number, right.number, &v, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return bits && left.kind == NP_BOOL && right.kind == NP_BOOL ? np_bool_value(v != 0, at)
                                                                 : np_int_value(v, at);
}

/* ---- lists ---- */

static struct np_value repeat_list(struct np_unit *unit, struct np_value value, np_int length,
                                   struct span at) {
    enum { MOST = 1 << 20 };
    if (length < 0 || length > MOST || length * value.count > MOST)
        return np_error(unit, at, "the list has a negative number of elements, or more than 2^20");
    struct np_value *items =
        ARENA_ARRAY(&unit->arena, (size_t)length * value.count + 1, struct np_value);
    for (uint32_t i = 0; i < (uint32_t)length * value.count; i++)
        items[i] = value.items[i % value.count];
    return np_items_value(value.kind, items, (uint32_t)length * value.count, at);
}

static struct np_value join_lists(struct np_unit *unit, struct np_value left, struct np_value right,
                                  struct span at) {
    struct np_value *items =
        ARENA_ARRAY(&unit->arena, left.count + right.count + 1, struct np_value);
    for (uint32_t i = 0; i < left.count + right.count; i++)
        items[i] = i < left.count ? left.items[i] : right.items[i - left.count];
    return np_items_value(left.kind, items, left.count + right.count, at);
}

static bool same_items(const struct np_value *left, const struct np_value *right) {
    bool same = np_is_list(left) == np_is_list(right) && left->count == right->count;
    for (uint32_t i = 0; same && i < left->count; i++)
        same = same_items(&left->items[i], &right->items[i]);
    if (np_is_number(left) && np_is_number(right))
        return real_of(left) == real_of(right) && left->number == right->number;
    return same && (np_is_list(left) || (left->kind == NP_NONE && right->kind == NP_NONE));
}

/* ---- arrays ---- */

/* x[mask] has as many elements as the mask says. */
static bool has_length(struct np_unit *unit, const struct np_value *value, const char *who) {
    if (!value->mask)
        return true;
    np_error(unit, value->at,
             "%s: how many elements x[mask] has is known when the kernel runs; it may be reduced, "
             "masked again, computed with values or others of its mask, and returned",
             who);
    np_note(unit, value->at, "`np.where(mask, a, b)` keeps the shape");
    return false;
}

/* The value with all elements, in *value; its mask. */
static const struct array_ref *uncovered(struct np_value *value) {
    const struct array_ref *mask = value->mask;
    value->mask = NULL;
    return mask;
}

/* x[mask] with values without dimension, or with others of the same mask, is computed for all
 * elements, of which nobody sees the others. */
static bool uncover(struct np_unit *unit, const char *who, struct np_value *left,
                    struct np_value *right, const struct array_ref **mask, struct span at) {
    const struct np_value *other = left->mask ? right : left;
    const struct np_value *chosen = other == left ? right : left;
    *mask = NULL;
    if (!chosen->mask)
        return true;
    bool wide = other->kind == NP_ARRAY && other->array->ndim > 0;
    if (wide && !other->mask)
        return has_length(unit, chosen, who);
    if (wide && !np_same_mask(unit, chosen->mask, other->mask, at))
        return false;
    *mask = uncovered(left);
    const struct array_ref *second = uncovered(right);
    *mask = *mask ? *mask : second;
    return true;
}

static struct np_value covered(struct np_value value, const struct array_ref *mask) {
    if (value.kind == NP_ARRAY)
        value.mask = mask;
    return value;
}

struct array_ref *np_need_array(struct np_unit *unit, const struct np_value *value,
                                const char *who) {
    if (value->kind == NP_ERROR)
        return NULL;
    if (value->kind != NP_ARRAY) {
        np_error(unit, value->at, "%s takes an array, and this is %s", who,
                 np_value_text(unit, value));
        return NULL;
    }
    if (!has_length(unit, value, who))
        return NULL;
    return value->array->table ? np_table_in_lanes(unit, value->array, value->at) : value->array;
}

static void report_unfit(struct np_unit *unit, const struct np_value *value,
                         struct lane_type type) {
    struct str text = {0};
    struct array_range r = array_type_range(type);
    np_number_text(value->number, &text);
    str_append(&text, " does not fit ");
    str_printf(&text, "%s, which goes from ", np_type_short(type));
    np_number_text(r.low, &text);
    str_append(&text, " to ");
    np_number_text(r.high, &text);
    np_error(unit, value->at, "%s", str_text(&text));
    np_note(unit, value->at,
            "NumPy 1.24 takes a wider type, NumPy 2 stops (comparing, it takes any number): "
            "cast the array with .astype");
    str_free(&text);
}

/* Of a number of Python NumPy takes the double, and of that the nearest one of the type. */
static struct array_ref *as_float(struct np_unit *unit, const struct np_value *value,
                                  struct lane_type type) {
    double real = real_of(value);
    uint64_t pattern;
    if (value->kind == NP_LAP)
        return array_cast(&unit->arrays,
                          array_laps_value(&unit->arrays, value->number, value->laps,
                                           (struct lane_type){TYPE_INT, 64}, value->at),
                          type, value->at);
    memcpy(&pattern, &real, sizeof pattern);
    return array_of_pattern(&unit->arrays, type,
                            ieee_convert(ieee_binary(64), ieee_binary(type.bits), pattern),
                            value->at);
}

struct array_ref *np_fitting(struct np_unit *unit, const struct np_value *value,
                             struct lane_type type, struct span at) {
    struct array_range r = array_type_range(type);
    if (value->kind == NP_ERROR)
        return NULL;
    if (array_is_float(type) &&
        (value->kind == NP_INT || value->kind == NP_REAL || value->kind == NP_LAP))
        return as_float(unit, value, type);
    if (value->kind == NP_BOOL && array_is_bool(type))
        return array_constant(&unit->arrays, type, value->number, value->at);
    if (value->kind == NP_REAL) {
        np_error(unit, value->at, "a float goes together with floats, and this is of type %s",
                 np_type_short(type));
        np_note(unit, value->at, "`.astype(np.float32)` makes some of an array");
        return NULL;
    }
    if ((value->kind != NP_INT && value->kind != NP_LAP) || array_is_bool(type)) {
        np_error(unit, value->at.end ? value->at : at, "%s does not go together with type %s",
                 np_value_text(unit, value), np_type_short(type));
        return NULL;
    }
    if (!array_range_within(np_lap_range(unit, value), r)) {
        report_unfit(unit, value, type);
        return NULL;
    }
    if (value->kind == NP_LAP)
        return array_laps_value(&unit->arrays, value->number, value->laps, type, value->at);
    return array_constant(&unit->arrays, type, value->number, value->at);
}

/* Whether a number leaves a float array its type: NumPy 2 does not look at it, and 1.24 takes a
 * wider type for what it thinks is large. */
static bool leaves_type(struct np_unit *unit, const struct np_value *value,
                        const struct array_ref *array) {
    struct array_range r = array->type.bits == 16 ? (struct array_range){-128, 255}
                                                  : (struct array_range){-32768, 65535};
    double most = array->type.bits == 16 ? 65000 : 3.4e38;
    if (!array_is_float(array->type) || array->type.bits == 64 || value->kind == NP_ERROR)
        return true;
    if (value->kind == NP_REAL
            ? value->real - value->real != 0 || (value->real > -most && value->real < most)
            : array_range_within(np_lap_range(unit, value), r))
        return true;
    np_error(unit, value->at, "%s meets %s: NumPy 1.24 takes a wider type, NumPy 2 does not",
             np_value_text(unit, value), np_type_short(array->type));
    if (value->kind != NP_LAP)
        np_note(unit, value->at, "`%s(%s)` has the type that NumPy 2 takes",
                np_type_text(unit, array->type), np_source_text(unit, value->at));
    return false;
}

/* Beside an array it has the array's type, where it fits; beside a number it is a Python int. */
static bool is_agreed_count(const struct np_value *value, const struct np_value *other,
                            struct lane_type *type) {
    const struct array_range half = {0, 255}, real = {0, 65535};
    *type = (struct lane_type){TYPE_INT, 64};
    if (!other || np_is_number(other) || other->kind != NP_ARRAY || other->counts)
        return true;
    *type = other->array->type;
    bool wide = type->bits == 64 && type->kind != TYPE_UINT;
    if (array_is_bool(*type) || (other->array->ndim == 0 && !wide))
        return false;
    return wide ||
           array_range_within(value->array->range, !array_is_float(*type) ? array_type_range(*type)
                                                   : type->bits == 16     ? half
                                                                          : real);
}

/* other: what it meets, or NULL. */
static bool count_meets(struct np_unit *unit, const struct np_value *value,
                        const struct np_value *other) {
    struct lane_type type;
    if (!value->counts)
        return false;
    np_error(unit, value->at,
             "`count_nonzero` of all elements is a Python int: it is stored, returned or "
             "cast");
    if (is_agreed_count(value, other, &type))
        np_offer(unit, value->at, "%s(%s)", np_type_text(unit, type),
                 np_source_text(unit, value->at));
    return true;
}

bool np_counts_meet(struct np_unit *unit, const struct np_value *value) {
    return count_meets(unit, value, NULL);
}

/* A float beside integers.  NumPy 1.24 takes narrow floats for narrow integers. */
static void no_real(struct np_unit *unit, const struct np_value *number,
                    const struct np_value *array) {
    const struct lane_type type = array->array->type, real = np_real_type(type);
    np_error(unit, number->at, "a float goes together with floats, and this is of type %s",
             np_type_short(type));
    if (unit->computed || array->array->ndim == 0)
        return;
    if (real.bits == 64)
        np_offer_cast(unit, array, real);
    else
        np_note(unit, array->at, "NumPy 1.24 takes %s, NumPy 2 float64: `.astype` says it",
                np_type_name(real));
}

static bool is_real(const struct np_value *value) {
    return value->kind == NP_REAL ||
           (value->kind == NP_ARRAY && array_is_float(value->array->type));
}

bool np_meet(struct np_unit *unit, const char *op, struct np_value *left, struct np_value *right,
             struct array_ref **ref, struct array_ref **into, struct span at) {
    if (left->kind == NP_ERROR || right->kind == NP_ERROR)
        return false;
    if (np_is_among(op, "& | ^ << >>") && (is_real(left) || is_real(right))) {
        np_error(unit, at, "`%s` of floats is not taken in kernels", op);
        return false;
    }
    if (count_meets(unit, left, right) || count_meets(unit, right, left))
        return false;
    if (left->kind != NP_ARRAY && right->kind != NP_ARRAY) {
        np_error(unit, at, "`%s` of %s and %s is not taken in kernels", op,
                 np_value_text(unit, left), np_value_text(unit, right));
        return false;
    }
    if (left->kind != NP_ARRAY || right->kind != NP_ARRAY) {
        const struct np_value *number = left->kind == NP_ARRAY ? right : left;
        const struct np_value *array = left->kind == NP_ARRAY ? left : right;
        if (array->array->ndim == 0 && (np_is_number(number) || number->kind == NP_LAP)) {
            np_no_dimension(unit, op, number, array->array, at);
            return false;
        }
        if (number->kind == NP_REAL && !array_is_float(array->array->type)) {
            no_real(unit, number, array);
            return false;
        }
        if (!leaves_type(unit, number, array->array))
            return false;
        *ref = left->kind == NP_ARRAY ? np_need_array(unit, left, op)
                                      : np_fitting(unit, left, right->array->type, at);
        *into = right->kind == NP_ARRAY ? np_need_array(unit, right, op)
                                        : np_fitting(unit, right, left->array->type, at);
        return *ref && *into;
    }
    if (!array_same_type(left->array->type, right->array->type)) {
        np_types_differ(unit, op, left, right, at);
        return false;
    }
    *ref = np_need_array(unit, left, op);
    *into = np_need_array(unit, right, op);
    return *ref && *into;
}

static bool takes_bool(enum np_operator op) {
    return compares(op) || op == NP_OP_AND || op == NP_OP_OR || op == NP_OP_XOR ||
           op == NP_OP_INVERT || op == NP_OP_MIN || op == NP_OP_MAX;
}

/* Products of matrices are no operation on elements, and of all types but bool. */
static bool takes_float(enum np_operator op) {
    return op == NP_OP_MATMUL || (array_op_info(op)->kinds & ARRAY_KIND_FLOAT);
}

/* NumPy divides integers in floating point; its fmin and fmax of them are minimum and maximum. */
static bool takes_integers(enum np_operator op) {
    return op == NP_OP_MATMUL || (op != NP_OP_DIV && op != NP_OP_FMIN && op != NP_OP_FMAX &&
                                  (array_op_info(op)->kinds & ARRAY_KIND_INT));
}

const char *np_called(const struct np_unit *unit, enum np_operator op) {
    return unit->function ? unit->function : np_operator_text(op);
}

/* Whether the type is none of the operator's, after reporting it; right: NULL where there is one
 * operand. */
static bool refuses_type(struct np_unit *unit, enum np_operator op, struct lane_type type,
                         const struct np_value *left, const struct np_value *right,
                         struct span at) {
    bool real = array_is_float(type);
    if (array_is_bool(type) && !takes_bool(op)) {
        np_no_bool(unit, op, left, right, at);
    } else if (real && !takes_float(op)) {
        np_error(unit, at, "`%s` of floats is not taken in kernels", np_called(unit, op));
        if (op == NP_OP_FLOORDIV)
            np_note(unit, at, "`np.floor(a / b)` rounds twice, and is as good for most purposes");
    } else if (!real && !takes_integers(op)) {
        np_no_integer(unit, op, left->kind == NP_ARRAY ? left : right, right, at);
    } else {
        return false;
    }
    return true;
}

bool np_factors(struct np_unit *unit, const char *op, const struct np_value *left,
                const struct np_value *right, struct span at) {
    if (left->kind == NP_ERROR || right->kind == NP_ERROR || np_counts_meet(unit, left) ||
        np_counts_meet(unit, right))
        return false;
    if (left->kind != NP_ARRAY || right->kind != NP_ARRAY)
        return true;
    if (!array_same_type(left->array->type, right->array->type)) {
        np_types_differ(unit, op, left, right, at);
        return false;
    }
    return has_length(unit, left, op) && has_length(unit, right, op) &&
           !refuses_type(unit, NP_OP_MATMUL, left->array->type, left, right, at);
}

/* What is computed in place keeps its shape. */
static bool fits_into(struct np_unit *unit, const struct array_storage *into,
                      const struct array_ref *ref, struct span at) {
    bool fits = ref->ndim <= into->ndim;
    for (uint32_t v = 0; fits && v < ref->ndim; v++)
        fits = ref->shape[v] == 1 || ref->shape[v] == into->shape[v + into->ndim - ref->ndim];
    if (fits)
        return true;
    np_goes_not_into(unit, ref, into->ndim, into->shape, at);
    return false;
}

/* By a whole number, or 0.5; what another one gives differs from one NumPy to the next. */
static struct np_value float_power(struct np_unit *unit, struct np_value left,
                                   struct np_value right, struct array_storage *into,
                                   struct span at) {
    const struct np_value none = {.kind = NP_ERROR, .at = at};
    struct array_ref *x = np_need_array(unit, &left, "`**`");
    double n = np_is_number(&right) ? real_of(&right) : -1;
    if (right.kind == NP_LAP) /* the loop is walked */
        return np_error(unit, right.at,
                        "an exponent of floats is known when the kernel is compiled");
    if (!x || !leaves_type(unit, &right, x))
        return none;
    if (x->ndim == 0) {
        np_error(unit, at,
                 "`**` of a value without dimension is not the same in all versions of NumPy");
        np_note(unit, at, "its square is written `%s * %s`", np_operand_text(unit, left.at),
                np_operand_text(unit, left.at));
        return none;
    }
    if (n == 0.5)
        return np_array_value(np_elementwise(unit, NP_OP_SQRT, 1, &x, x->type, 0, into, at), at);
    if (n >= 0 && n < 0x1p53 && n == (double)(uint64_t)n)
        return np_array_value(
            np_elementwise(unit, NP_OP_POW, 1, &x, x->type, (uint64_t)n, into, at), at);
    np_error(unit, right.at, "an exponent of floats is a whole number from 0 on, or 0.5");
    if (n == -1)
        np_offer(unit, at, "(1 / %s)", np_operand_text(unit, left.at));
    else
        np_note(unit, at, "the last bit of others differs from one NumPy to the next");
    return none;
}

/* By exponents that are data. */
static struct np_value data_power(struct np_unit *unit, struct np_value left, struct np_value right,
                                  struct array_storage *into, struct span at) {
    struct array_ref *both[2];
    uint32_t ndim;
    uint64_t shape[ARRAY_DIMS];
    np_int base;
    if ((left.kind == NP_LAP && !np_static_int(unit, &left, "a base", &base)) ||
        !np_meet(unit, np_called(unit, NP_OP_POW), &left, &right, &both[0], &both[1], at) ||
        refuses_type(unit, NP_OP_POW, both[1]->type, &left, &right, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    if (both[1]->range.low < 0) {
        np_error(unit, right.at, "an exponent may be negative, where NumPy stops");
        np_note(unit, right.at,
                "`np.maximum(e, 0)`, `e & 7` and unsigned types are known not to be");
        return (struct np_value){.kind = NP_ERROR, .at = at};
    }
    if (!np_broadcast(unit, 2, both, &ndim, shape, at) || !np_readable(unit, both[0], at) ||
        !np_readable(unit, both[1], at) || (into && !fits_into(unit, into, both[1], at)))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct array_ref *x = array_power(&unit->arrays, both[0], both[1], at);
    return np_array_value(into ? np_elementwise(unit, NP_OP_PLUS, 1, &x, x->type, 0, into, at) : x,
                          at);
}

static bool is_float(const struct np_value *value) {
    return value->kind == NP_ARRAY && array_is_float(value->array->type);
}

static struct np_value power(struct np_unit *unit, struct np_value left, struct np_value right,
                             struct array_storage *into, struct span at) {
    struct array_ref *x, *y;
    np_int n;
    if (right.kind == NP_ARRAY && (is_float(&left) || is_float(&right))) {
        np_error(unit, at, "`%s` of floats by exponents that are data is not taken in kernels",
                 np_called(unit, NP_OP_POW));
        np_note(unit, at, "its last bit differs from one NumPy to the next");
        return (struct np_value){.kind = NP_ERROR, .at = at};
    }
    if (is_float(&left))
        return float_power(unit, left, right, into, at);
    if (right.kind == NP_ARRAY)
        return data_power(unit, left, right, into, at);
    if (right.kind == NP_INT && right.number < 0)
        return np_error(unit, right.at, "integers to negative powers are not taken by NumPy");
    if ((right.kind == NP_LAP && !np_static_int(unit, &right, "an exponent", &n)) ||
        !np_meet(unit, np_called(unit, NP_OP_POW), &left, &right, &x, &y, at) ||
        refuses_type(unit, NP_OP_POW, x->type, &left, &right, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return np_array_value(
        np_elementwise(unit, NP_OP_POW, 1, &x, x->type, (uint64_t)right.number, into, at), at);
}

struct np_value np_binary(struct np_unit *unit, enum np_operator op, struct np_value left,
                          struct np_value right, struct array_storage *into, struct span at) {
    struct array_ref *args[2] = {NULL, NULL};
    const struct np_value none = {.kind = NP_ERROR, .at = at};
    const struct array_ref *mask = NULL;
    if (op != NP_OP_MATMUL && !uncover(unit, np_called(unit, op), &left, &right, &mask, at))
        return none;
    if (np_is_number(&left) && np_is_number(&right))
        return known_binary(unit, op, left, right, at);
    if (np_is_lap_operation(op, &left, &right))
        return np_lap_operation(unit, op, &left, &right, at);
    if (np_is_list(&left) && np_is_list(&right) && (op == NP_OP_EQ || op == NP_OP_NE))
        return np_bool_value(same_items(&left, &right) == (op == NP_OP_EQ), at);
    if (op == NP_OP_ADD && np_is_list(&left) && left.kind == right.kind)
        return join_lists(unit, left, right, at);
    if (op == NP_OP_MUL && np_is_list(&left) && right.kind == NP_INT)
        return repeat_list(unit, left, right.number, at);
    if (op == NP_OP_MATMUL) {
        const struct np_args product = {"@", at, (struct np_value[]){left, right}, 0};
        return np_function_find("matmul")->call(unit, &product);
    }
    if (op == NP_OP_POW && left.kind != NP_ERROR && right.kind != NP_ERROR)
        return covered(power(unit, left, right, into, at), mask);
    if (op == NP_OP_DIV && left.kind && right.kind && !is_float(&left) && !is_float(&right))
        return np_no_division(unit, &left, &right, at), none;
    if (!np_meet(unit, np_called(unit, op), &left, &right, &args[0], &args[1], at) ||
        refuses_type(unit, op, args[0]->type, &left, &right, at))
        return none;
    if (into && (!fits_into(unit, into, args[1], at)))
        return none;
    struct lane_type type = compares(op) ? truth : args[0]->type;
    return covered(np_array_value(np_elementwise(unit, op, 2, args, type, 0, into, at), at), mask);
}

struct np_value np_unary(struct np_unit *unit, enum np_operator op, struct np_value value,
                         struct span at) {
    const struct array_ref *mask = uncovered(&value);
    if (value.kind == NP_ERROR)
        return value;
    if (value.kind == NP_REAL && op != NP_OP_INVERT)
        return (struct np_value){
            .kind = NP_REAL, .at = at, .real = op == NP_OP_NEG ? -value.real : value.real};
    if (np_is_number(&value) && value.kind != NP_REAL) {
        np_int n = op == NP_OP_NEG      ? -value.number
                   : op == NP_OP_INVERT ? ~value.number
                                        : value.number;
        return np_number_fits(unit, true, n, at) ? np_int_value(n, at)
                                                 : (struct np_value){.kind = NP_ERROR, .at = at};
    }
    if (np_counts_meet(unit, &value))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct array_ref *x = np_need_array(unit, &value, np_called(unit, op));
    if (!x || refuses_type(unit, op, x->type, &value, NULL, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct lane_type type = array_op_info(op)->gives_bool ? truth : x->type;
    return covered(np_array_value(np_elementwise(unit, op, 1, &x, type, 0, NULL, at), at), mask);
}

struct np_value np_apply(struct np_unit *unit, const char *function, enum np_operator op,
                         struct np_value left, const struct np_value *right, struct span at) {
    unit->function = function;
    struct np_value v =
        right ? np_binary(unit, op, left, *right, NULL, at) : np_unary(unit, op, left, at);
    unit->function = NULL;
    return v;
}
