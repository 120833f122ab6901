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
static bool raise(np_int a, np_int n, np_int *out) {
    if (a >= -1 && a <= 1 && n > 2)
        n = 2 - n % 2;
    *out = 1;
    for (np_int i = 0; i < n; i++)
        if (__builtin_mul_overflow(*out, a, out))
            return false;
    return true;
}

static bool shift(np_int a, np_int n, np_int *out) {
    if (n > NP_BITS)
        return a == 0 && (*out = 0, true);
    return !__builtin_mul_overflow(a, (np_int)1 << n, out);
}

static bool known_divide(struct np_unit *u, enum np_operator op, np_int a, np_int b, np_int *out,
                         struct span at) {
    if (b == 0) {
        np_error(u, at, "division by zero");
        return false;
    }
    *out = op == NP_OP_FLOORDIV ? floor_divide(a, b) : a - b * floor_divide(a, b);
    return true;
}

/* Of Python's numbers; false after reporting. */
static bool known_integer(struct np_unit *u, enum np_operator op, np_int a, np_int b, np_int *out,
                          struct span at) {
    bool fits = true;
    switch (op) {
    case NP_OP_ADD:
        fits = !__builtin_add_overflow(a, b, out);
        break;
    case NP_OP_SUB:
        fits = !__builtin_sub_overflow(a, b, out);
        break;
    case NP_OP_MUL:
        fits = !__builtin_mul_overflow(a, b, out);
        break;
    case NP_OP_FLOORDIV:
    case NP_OP_MOD:
        return known_divide(u, op, a, b, out, at);
    case NP_OP_POW:
    case NP_OP_SHL:
    case NP_OP_SHR:
        if (b < 0) {
            np_error(u, at, "the number behind `%s` is negative", np_operator_text(op));
            return false;
        }
        *out = a >> (b > 126 ? 126 : b);
        fits = op == NP_OP_POW ? raise(a, b, out) : op == NP_OP_SHR || shift(a, b, out);
        break;
    case NP_OP_AND:
        *out = a & b;
        break;
    case NP_OP_OR:
        *out = a | b;
        break;
    default:
        *out = a ^ b;
        break;
    }
    return np_number_fits(u, fits, *out, at);
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

static struct np_value known_real(struct np_unit *u, enum np_operator op, double a, double b,
                                  struct span at) {
    double v = op == NP_OP_ADD ? a + b : op == NP_OP_SUB ? a - b : op == NP_OP_MUL ? a * b : a / b;
    if (compares(op))
        return np_bool_value(
            a != a || b != b ? op == NP_OP_NE : known_compare(op, a < b ? -1 : a > b), at);
    if (op > NP_OP_MUL && op != NP_OP_DIV)
        return np_error(u, at, "`%s` of floats is not known when the kernel is compiled",
                        np_operator_text(op));
    if (op == NP_OP_DIV && b == 0)
        return np_error(u, at, "division by zero");
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

static struct np_value repeat_list(struct np_unit *u, struct np_value a, np_int n, struct span at) {
    enum { MOST = 1 << 20 };
    if (n < 0 || n > MOST || n * a.count > MOST)
        return np_error(u, at, "the list has a negative number of elements, or more than 2^20");
    struct np_value *items = ARENA_ARRAY(&u->arena, (size_t)n * a.count + 1, struct np_value);
    for (uint32_t i = 0; i < (uint32_t)n * a.count; i++)
        items[i] = a.items[i % a.count];
    return np_items_value(a.kind, items, (uint32_t)n * a.count, at);
}

static struct np_value join_lists(struct np_unit *u, struct np_value a, struct np_value b,
                                  struct span at) {
    struct np_value *items = ARENA_ARRAY(&u->arena, a.count + b.count + 1, struct np_value);
    for (uint32_t i = 0; i < a.count + b.count; i++)
        items[i] = i < a.count ? a.items[i] : b.items[i - a.count];
    return np_items_value(a.kind, items, a.count + b.count, at);
}

static bool same_items(const struct np_value *a, const struct np_value *b) {
    bool same = np_is_list(a) == np_is_list(b) && a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = same_items(&a->items[i], &b->items[i]);
    if (np_is_number(a) && np_is_number(b))
        return real_of(a) == real_of(b) && a->number == b->number;
    return same && (np_is_list(a) || (a->kind == NP_NONE && b->kind == NP_NONE));
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

struct array_ref *np_need_array(struct np_unit *u, const struct np_value *v, const char *who) {
    if (v->kind == NP_ERROR)
        return NULL;
    if (v->kind != NP_ARRAY) {
        np_error(u, v->at, "%s takes an array, and this is %s", who, np_value_text(u, v));
        return NULL;
    }
    if (!has_length(u, v, who))
        return NULL;
    return v->array->table ? np_table_in_lanes(u, v->array, v->at) : v->array;
}

static void report_unfit(struct np_unit *u, const struct np_value *v, struct lane_type type) {
    struct str text = {0};
    struct array_range r = array_type_range(type);
    np_number_text(v->number, &text);
    str_append(&text, " does not fit ");
    str_printf(&text, "%s, which goes from ", np_type_short(type));
    np_number_text(r.low, &text);
    str_append(&text, " to ");
    np_number_text(r.high, &text);
    np_error(u, v->at, "%s", str_text(&text));
    np_note(u, v->at,
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
static bool leaves_type(struct np_unit *unit, const struct np_value *v, const struct array_ref *a) {
    struct array_range r =
        a->type.bits == 16 ? (struct array_range){-128, 255} : (struct array_range){-32768, 65535};
    double most = a->type.bits == 16 ? 65000 : 3.4e38;
    if (!array_is_float(a->type) || a->type.bits == 64 || v->kind == NP_ERROR)
        return true;
    if (v->kind == NP_REAL ? v->real - v->real != 0 || (v->real > -most && v->real < most)
                           : array_range_within(np_lap_range(unit, v), r))
        return true;
    np_error(unit, v->at, "%s meets %s: NumPy 1.24 takes a wider type, NumPy 2 does not",
             np_value_text(unit, v), np_type_short(a->type));
    if (v->kind != NP_LAP)
        np_note(unit, v->at, "`%s(%s)` has the type that NumPy 2 takes",
                np_type_text(unit, a->type), np_source_text(unit, v->at));
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

static bool is_real(const struct np_value *v) {
    return v->kind == NP_REAL || (v->kind == NP_ARRAY && array_is_float(v->array->type));
}

bool np_meet(struct np_unit *u, const char *op, struct np_value *a, struct np_value *b,
             struct array_ref **x, struct array_ref **y, struct span at) {
    if (a->kind == NP_ERROR || b->kind == NP_ERROR)
        return false;
    if (np_is_among(op, "& | ^ << >>") && (is_real(a) || is_real(b))) {
        np_error(u, at, "`%s` of floats is not taken in kernels", op);
        return false;
    }
    if (count_meets(u, a, b) || count_meets(u, b, a))
        return false;
    if (a->kind != NP_ARRAY && b->kind != NP_ARRAY) {
        np_error(u, at, "`%s` of %s and %s is not taken in kernels", op, np_value_text(u, a),
                 np_value_text(u, b));
        return false;
    }
    if (a->kind != NP_ARRAY || b->kind != NP_ARRAY) {
        const struct np_value *number = a->kind == NP_ARRAY ? b : a;
        const struct np_value *array = a->kind == NP_ARRAY ? a : b;
        if (array->array->ndim == 0 && (np_is_number(number) || number->kind == NP_LAP)) {
            np_no_dimension(u, op, number, array->array, at);
            return false;
        }
        if (number->kind == NP_REAL && !array_is_float(array->array->type)) {
            no_real(u, number, array);
            return false;
        }
        if (!leaves_type(u, number, array->array))
            return false;
        *x = a->kind == NP_ARRAY ? np_need_array(u, a, op) : np_fitting(u, a, b->array->type, at);
        *y = b->kind == NP_ARRAY ? np_need_array(u, b, op) : np_fitting(u, b, a->array->type, at);
        return *x && *y;
    }
    if (!array_same_type(a->array->type, b->array->type)) {
        np_types_differ(u, op, a, b, at);
        return false;
    }
    *x = np_need_array(u, a, op);
    *y = np_need_array(u, b, op);
    return *x && *y;
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

bool np_factors(struct np_unit *u, const char *op, const struct np_value *a,
                const struct np_value *b, struct span at) {
    if (a->kind == NP_ERROR || b->kind == NP_ERROR || np_counts_meet(u, a) || np_counts_meet(u, b))
        return false;
    if (a->kind != NP_ARRAY || b->kind != NP_ARRAY)
        return true;
    if (!array_same_type(a->array->type, b->array->type)) {
        np_types_differ(u, op, a, b, at);
        return false;
    }
    return has_length(u, a, op) && has_length(u, b, op) &&
           !refuses_type(u, NP_OP_MATMUL, a->array->type, a, b, at);
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
static struct np_value float_power(struct np_unit *u, struct np_value a, struct np_value b,
                                   struct array_storage *into, struct span at) {
    const struct np_value none = {.kind = NP_ERROR, .at = at};
    struct array_ref *x = np_need_array(u, &a, "`**`");
    double n = np_is_number(&b) ? real_of(&b) : -1;
    if (b.kind == NP_LAP) /* the loop is walked */
        return np_error(u, b.at, "an exponent of floats is known when the kernel is compiled");
    if (!x || !leaves_type(u, &b, x))
        return none;
    if (x->ndim == 0) {
        np_error(u, at,
                 "`**` of a value without dimension is not the same in all versions of NumPy");
        np_note(u, at, "its square is written `%s * %s`", np_operand_text(u, a.at),
                np_operand_text(u, a.at));
        return none;
    }
    if (n == 0.5)
        return np_array_value(np_elementwise(u, NP_OP_SQRT, 1, &x, x->type, 0, into, at), at);
    if (n >= 0 && n < 0x1p53 && n == (double)(uint64_t)n)
        return np_array_value(np_elementwise(u, NP_OP_POW, 1, &x, x->type, (uint64_t)n, into, at),
                              at);
    np_error(u, b.at, "an exponent of floats is a whole number from 0 on, or 0.5");
    if (n == -1)
        np_offer(u, at, "(1 / %s)", np_operand_text(u, a.at));
    else
        np_note(u, at, "the last bit of others differs from one NumPy to the next");
    return none;
}

/* By exponents that are data. */
static struct np_value data_power(struct np_unit *u, struct np_value a, struct np_value b,
                                  struct array_storage *into, struct span at) {
    struct array_ref *both[2];
    uint32_t ndim;
    uint64_t shape[ARRAY_DIMS];
    np_int base;
    if ((a.kind == NP_LAP && !np_static_int(u, &a, "a base", &base)) ||
        !np_meet(u, np_called(u, NP_OP_POW), &a, &b, &both[0], &both[1], at) ||
        refuses_type(u, NP_OP_POW, both[1]->type, &a, &b, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    if (both[1]->range.low < 0) {
        np_error(u, b.at, "an exponent may be negative, where NumPy stops");
        np_note(u, b.at, "`np.maximum(e, 0)`, `e & 7` and unsigned types are known not to be");
        return (struct np_value){.kind = NP_ERROR, .at = at};
    }
    if (!np_broadcast(u, 2, both, &ndim, shape, at) || !np_readable(u, both[0], at) ||
        !np_readable(u, both[1], at) || (into && !fits_into(u, into, both[1], at)))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct array_ref *x = array_power(&u->arrays, both[0], both[1], at);
    return np_array_value(into ? np_elementwise(u, NP_OP_PLUS, 1, &x, x->type, 0, into, at) : x,
                          at);
}

static bool is_float(const struct np_value *v) {
    return v->kind == NP_ARRAY && array_is_float(v->array->type);
}

static struct np_value power(struct np_unit *u, struct np_value a, struct np_value b,
                             struct array_storage *into, struct span at) {
    struct array_ref *x, *y;
    np_int n;
    if (b.kind == NP_ARRAY && (is_float(&a) || is_float(&b))) {
        np_error(u, at, "`%s` of floats by exponents that are data is not taken in kernels",
                 np_called(u, NP_OP_POW));
        np_note(u, at, "its last bit differs from one NumPy to the next");
        return (struct np_value){.kind = NP_ERROR, .at = at};
    }
    if (is_float(&a))
        return float_power(u, a, b, into, at);
    if (b.kind == NP_ARRAY)
        return data_power(u, a, b, into, at);
    if (b.kind == NP_INT && b.number < 0)
        return np_error(u, b.at, "integers to negative powers are not taken by NumPy");
    if ((b.kind == NP_LAP && !np_static_int(u, &b, "an exponent", &n)) ||
        !np_meet(u, np_called(u, NP_OP_POW), &a, &b, &x, &y, at) ||
        refuses_type(u, NP_OP_POW, x->type, &a, &b, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    return np_array_value(
        np_elementwise(u, NP_OP_POW, 1, &x, x->type, (uint64_t)b.number, into, at), at);
}

struct np_value np_binary(struct np_unit *u, enum np_operator op, struct np_value a,
                          struct np_value b, struct array_storage *into, struct span at) {
    struct array_ref *args[2] = {NULL, NULL};
    const struct np_value none = {.kind = NP_ERROR, .at = at};
    const struct array_ref *mask = NULL;
    if (op != NP_OP_MATMUL && !uncover(u, np_called(u, op), &a, &b, &mask, at))
        return none;
    if (np_is_number(&a) && np_is_number(&b))
        return known_binary(u, op, a, b, at);
    if (np_is_lap_operation(op, &a, &b))
        return np_lap_operation(u, op, &a, &b, at);
    if (np_is_list(&a) && np_is_list(&b) && (op == NP_OP_EQ || op == NP_OP_NE))
        return np_bool_value(same_items(&a, &b) == (op == NP_OP_EQ), at);
    if (op == NP_OP_ADD && np_is_list(&a) && a.kind == b.kind)
        return join_lists(u, a, b, at);
    if (op == NP_OP_MUL && np_is_list(&a) && b.kind == NP_INT)
        return repeat_list(u, a, b.number, at);
    if (op == NP_OP_MATMUL) {
        const struct np_args product = {"@", at, (struct np_value[]){a, b}, 0};
        return np_function_find("matmul")->call(u, &product);
    }
    if (op == NP_OP_POW && a.kind != NP_ERROR && b.kind != NP_ERROR)
        return covered(power(u, a, b, into, at), mask);
    if (op == NP_OP_DIV && a.kind && b.kind && !is_float(&a) && !is_float(&b))
        return np_no_division(u, &a, &b, at), none;
    if (!np_meet(u, np_called(u, op), &a, &b, &args[0], &args[1], at) ||
        refuses_type(u, op, args[0]->type, &a, &b, at))
        return none;
    if (into && (!fits_into(u, into, args[1], at)))
        return none;
    struct lane_type type = compares(op) ? truth : args[0]->type;
    return covered(np_array_value(np_elementwise(u, op, 2, args, type, 0, into, at), at), mask);
}

struct np_value np_unary(struct np_unit *u, enum np_operator op, struct np_value a,
                         struct span at) {
    const struct array_ref *mask = uncovered(&a);
    if (a.kind == NP_ERROR)
        return a;
    if (a.kind == NP_REAL && op != NP_OP_INVERT)
        return (struct np_value){
            .kind = NP_REAL, .at = at, .real = op == NP_OP_NEG ? -a.real : a.real};
    if (np_is_number(&a) && a.kind != NP_REAL) {
        np_int n = op == NP_OP_NEG ? -a.number : op == NP_OP_INVERT ? ~a.number : a.number;
        return np_number_fits(u, true, n, at) ? np_int_value(n, at)
                                              : (struct np_value){.kind = NP_ERROR, .at = at};
    }
    if (np_counts_meet(u, &a))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct array_ref *x = np_need_array(u, &a, np_called(u, op));
    if (!x || refuses_type(u, op, x->type, &a, NULL, at))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct lane_type type = array_op_info(op)->gives_bool ? truth : x->type;
    return covered(np_array_value(np_elementwise(u, op, 1, &x, type, 0, NULL, at), at), mask);
}

struct np_value np_apply(struct np_unit *u, const char *function, enum np_operator op,
                         struct np_value a, const struct np_value *b, struct span at) {
    u->function = function;
    struct np_value v = b ? np_binary(u, op, a, *b, NULL, at) : np_unary(u, op, a, at);
    u->function = NULL;
    return v;
}
