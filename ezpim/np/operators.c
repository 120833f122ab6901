/* SPDX-License-Identifier: MIT
 * Operators on arrays, and functions that are called like them: at which type they work, and what
 * is computed in place. */
#include "ezpim/np/advice.h"
#include "ezpim/np/functions.h"
#include "ezpim/np/texts.h"

#include <string.h>

static const struct lane_type truth = {TYPE_BOOL, 1};
static const struct np_value none = {.kind = NP_ERROR};

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

struct array_ref *np_any_array(struct np_unit *unit, const struct np_value *value,
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

struct array_ref *np_need_array(struct np_unit *unit, const struct np_value *value,
                                const char *who) {
    struct array_ref *x = np_any_array(unit, value, who);
    if (!x || !np_is_empty(x))
        return x;
    np_error(unit, value->at,
             "%s of an array of length 0: it is computed element by element, stored, concatenated "
             "and reduced",
             who);
    return NULL;
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
            "NumPy 1.24 takes a wider type, NumPy 2 stops: cast the array with .astype");
    str_free(&text);
}

/* Of a number of Python NumPy takes the double, and of that the nearest one of the type. */
static struct array_ref *as_float(struct np_unit *unit, const struct np_value *value,
                                  struct lane_type type) {
    double real = np_real_of(value);
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
    if (array_is_float(type) && (np_is_number(value) || value->kind == NP_LAP))
        return as_float(unit, value, type);
    if (value->kind == NP_BOOL)
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

static bool takes_bool(enum np_operator op) {
    return np_compares(op) || op == NP_OP_AND || op == NP_OP_OR || op == NP_OP_XOR ||
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
        np_no_bool(unit, op, right, at);
    } else if (real && !takes_float(op)) {
        np_error(unit, at, "`%s` of floats is not taken in kernels", np_called(unit, op));
        if (op == NP_OP_FLOORDIV)
            np_note(unit, at, "`np.floor(a / b)` rounds twice, and is as good for most purposes");
    } else if (real && op != NP_OP_MATMUL && !array_op_takes((enum array_op)op, type)) {
        np_error(unit, at, "`%s` of float64 is not taken in kernels", np_called(unit, op));
        np_note(unit, left->at,
                "`.astype(np.float32)` says it; there the result has a bound of its "
                "error (docs/float-functions.md)");
    } else if (!real && !takes_integers(op)) {
        np_no_integer(unit, op, left->kind == NP_ARRAY ? left : right, at);
    } else {
        return false;
    }
    return true;
}

bool np_factors(struct np_unit *unit, const char *op, const struct np_value *left,
                const struct np_value *right, struct span at) {
    struct lane_type type;
    if (left->kind != NP_ARRAY || right->kind != NP_ARRAY)
        return left->kind != NP_ERROR && right->kind != NP_ERROR;
    return np_common_type(unit, op, left, right, &type, at) && has_length(unit, left, op) &&
           has_length(unit, right, op) && !refuses_type(unit, NP_OP_MATMUL, type, left, right, at);
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

/* op(args) at a type; in place of `into`, if there is one, it is cast where NumPy does so. */
static struct np_value computed(struct np_unit *unit, enum np_operator op, uint32_t count,
                                struct array_ref *const *args, struct lane_type type,
                                uint64_t exponent, struct array_storage *into, struct span at) {
    struct array_ref *x;
    if (!into || array_same_type(type, into->type))
        return np_array_value(np_elementwise(unit, op, count, args, type, exponent, into, at), at);
    if (!np_same_kind(type, into->type))
        return np_not_in_place(unit, type, into->type, at), none;
    x = np_elementwise(unit, op, count, args, type, exponent, NULL, at);
    return np_array_value(
        x ? np_elementwise(unit, NP_OP_CAST, 1, &x, into->type, 0, into, at) : NULL, at);
}

/* ---- powers ---- */

/* By a whole number, or 0.5; what another one gives differs from one NumPy to the next. */
static struct np_value float_power(struct np_unit *unit, struct np_value left,
                                   struct np_value right, struct array_storage *into,
                                   struct span at) {
    struct lane_type type;
    double n = np_is_number(&right) ? np_real_of(&right) : -1;
    if (right.kind == NP_LAP) /* the loop is walked */
        return np_error(unit, right.at,
                        "an exponent of floats is known when the kernel is compiled");
    if (!np_common_type(unit, np_called(unit, NP_OP_POW), &left, &right, &type, at))
        return none;
    struct array_ref *x = np_need_array(unit, &left, "`**`");
    if (!x)
        return none;
    if (x->ndim == 0) {
        np_error(unit, at,
                 "`**` of a value without dimension is not the same in all versions of NumPy");
        np_note(unit, at, "its square is written `%s * %s`", np_operand_text(unit, left.at),
                np_operand_text(unit, left.at));
        return none;
    }
    if (n == 0.5)
        return computed(unit, NP_OP_SQRT, 1, &x, x->type, 0, into, at);
    if (n >= 0 && n < 0x1p53 && n == (double)(uint64_t)n)
        return computed(unit, NP_OP_POW, 1, &x, x->type, (uint64_t)n, into, at);
    np_error(unit, right.at, "an exponent of floats is a whole number from 0 on, or 0.5");
    if (n == -1)
        np_offer(unit, at, "(1 / %s)", np_operand_text(unit, left.at));
    else
        np_note(unit, at, "the last bit of others differs from one NumPy to the next");
    return none;
}

/* The type that the operator works at, of operands of that type. */
static struct lane_type working_type(enum np_operator op, struct lane_type type) {
    static const struct lane_type int8 = {TYPE_INT, 8}, float64 = {TYPE_FLOAT, 64};
    if (op == NP_OP_DIV && !array_is_float(type))
        return float64;
    if (op == NP_OP_COPYSIGN)
        return np_real_type(type);
    bool counts = op == NP_OP_FLOORDIV || op == NP_OP_MOD || op == NP_OP_POW || op == NP_OP_SHL ||
                  op == NP_OP_SHR;
    return counts && array_is_bool(type) ? int8 : type;
}

/* Of bool `+` is `|`, `*` is `&`; of integers fmin is minimum. */
static enum np_operator meant(enum np_operator op, struct lane_type type) {
    if (array_is_bool(type))
        op = op == NP_OP_ADD ? NP_OP_OR : op == NP_OP_MUL ? NP_OP_AND : op;
    if (!array_is_float(type))
        op = op == NP_OP_FMIN ? NP_OP_MIN : op == NP_OP_FMAX ? NP_OP_MAX : op;
    return op;
}

/* Both operands at the operator's type; false after reporting. */
static bool operands(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                     const struct np_value *right, struct array_ref **args, struct span at) {
    const char *called = np_called(unit, op);
    struct lane_type type;
    if (!np_common_type(unit, called, left, right, &type, at))
        return false;
    bool arrays = left->kind == NP_ARRAY && right->kind == NP_ARRAY;
    if (op == NP_OP_COPYSIGN && arrays)
        type = np_promoted(np_real_type(left->array->type), np_real_type(right->array->type));
    type = working_type(op, type);
    if (refuses_type(unit, meant(op, type), type, left, right, at))
        return false;
    args[0] = np_at_type(unit, left, type, called, at);
    args[1] = np_at_type(unit, right, type, called, at);
    return args[0] && args[1];
}

/* By exponents that are data. */
static struct np_value data_power(struct np_unit *unit, struct np_value left, struct np_value right,
                                  struct array_storage *into, struct span at) {
    struct array_ref *both[2];
    uint32_t ndim;
    uint64_t shape[ARRAY_DIMS];
    np_int base;
    if ((left.kind == NP_LAP && !np_static_int(unit, &left, "a base", &base)) ||
        !operands(unit, NP_OP_POW, &left, &right, both, at))
        return none;
    if (both[1]->range.low < 0) {
        np_error(unit, right.at, "an exponent may be negative, where NumPy stops");
        np_note(unit, right.at,
                "`np.maximum(e, 0)`, `e & 7` and unsigned types are known not to be");
        return none;
    }
    if (!np_broadcast(unit, 2, both, &ndim, shape, at) || !np_readable(unit, both[0], at) ||
        !np_readable(unit, both[1], at) || (into && !fits_into(unit, into, both[1], at)))
        return none;
    struct array_ref *x = array_power(&unit->arrays, both[0], both[1], at);
    return into ? computed(unit, NP_OP_PLUS, 1, &x, x->type, 0, into, at) : np_array_value(x, at);
}

static bool is_float(const struct np_value *value) {
    return value->kind == NP_ARRAY && array_is_float(value->array->type);
}

static struct np_value power(struct np_unit *unit, struct np_value left, struct np_value right,
                             struct array_storage *into, struct span at) {
    struct array_ref *args[2];
    np_int n;
    if (right.kind == NP_ARRAY && (is_float(&left) || is_float(&right) || left.kind == NP_REAL)) {
        np_error(unit, at, "`%s` of floats by exponents that are data is not taken in kernels",
                 np_called(unit, NP_OP_POW));
        np_note(unit, at, "its last bit differs from one NumPy to the next");
        return none;
    }
    if (is_float(&left))
        return float_power(unit, left, right, into, at);
    if (right.kind == NP_ARRAY)
        return data_power(unit, left, right, into, at);
    if (right.kind == NP_REAL) {
        np_error(unit, right.at, "integers to a power that is a float give float64 in NumPy");
        np_note(unit, left.at,
                "`.astype(np.float64)` says it; the last bit of others than 0.5 "
                "and whole numbers differs from one NumPy to the next");
        return none;
    }
    if (right.kind == NP_INT && right.number < 0)
        return np_error(unit, right.at, "integers to negative powers are not taken by NumPy");
    if ((right.kind == NP_LAP && !np_static_int(unit, &right, "an exponent", &n)) ||
        !operands(unit, NP_OP_POW, &left, &right, args, at))
        return none;
    return computed(unit, NP_OP_POW, 1, args, args[0]->type, (uint64_t)right.number, into, at);
}

/* ---- numbers of Python that are not known: of count_nonzero ---- */

static struct np_value of_counts(struct np_unit *unit, enum np_operator op,
                                 const struct np_value *left, const struct np_value *right,
                                 struct span at) {
    static const struct lane_type int64 = {TYPE_INT, 64};
    struct array_ref *args[] = {np_at_type(unit, left, int64, np_called(unit, op), at),
                                np_at_type(unit, right, int64, np_called(unit, op), at)};
    if (!args[0] || !args[1])
        return none;
    if (np_compares(op))
        return np_array_value(np_elementwise(unit, op, 2, args, truth, 0, NULL, at), at);
    bool takes = op == NP_OP_ADD || op == NP_OP_SUB || op == NP_OP_MUL || op == NP_OP_FLOORDIV ||
                 op == NP_OP_MOD || op == NP_OP_AND || op == NP_OP_OR || op == NP_OP_XOR ||
                 op == NP_OP_MIN || op == NP_OP_MAX;
    const struct array_range all = array_type_range(int64);
    struct array_range r = takes ? array_range_of((enum array_op)op, 2, args, int64) : all;
    if ((op == NP_OP_FLOORDIV || op == NP_OP_MOD) && args[1]->range.low > 0)
        r = op == NP_OP_MOD ? (struct array_range){0, args[1]->range.high - 1} : args[0]->range;
    if (r.low <= all.low || r.high >= all.high)
        return np_error(
            unit, at,
            "`%s` of Python ints that are known when the kernel runs: what it gives may "
            "not fit 64 bits, and `np.int64(..)` of them does",
            np_called(unit, op));
    struct np_value v = np_array_value(np_elementwise(unit, op, 2, args, int64, 0, NULL, at), at);
    v.counts = op != NP_OP_MIN && op != NP_OP_MAX;
    return v;
}

/* ---- any operator ---- */

static struct np_value elementwise(struct np_unit *unit, enum np_operator op,
                                   const struct np_value *left, const struct np_value *right,
                                   struct array_storage *into, struct span at) {
    struct array_ref *args[2] = {NULL, NULL};
    if (!operands(unit, op, left, right, args, at) || (into && !fits_into(unit, into, args[1], at)))
        return none;
    return computed(unit, meant(op, args[0]->type), 2, args, args[0]->type, 0, into, at);
}

/* What lists and numbers that are known give; false: they are none. */
static bool of_known(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                     const struct np_value *right, struct np_value *v, struct span at) {
    if (np_is_number(left) && np_is_number(right))
        *v = np_known_binary(unit, op, *left, *right, at);
    else if (np_is_lap_operation(op, left, right))
        *v = np_lap_operation(unit, op, left, right, at);
    else if (np_is_list(left) && np_is_list(right) && (op == NP_OP_EQ || op == NP_OP_NE))
        *v = np_bool_value(np_same_items(left, right) == (op == NP_OP_EQ), at);
    else if (op == NP_OP_ADD && np_is_list(left) && left->kind == right->kind)
        *v = np_join_lists(unit, *left, *right, at);
    else if (op == NP_OP_MUL && np_is_list(left) && right->kind == NP_INT)
        *v = np_repeat_list(unit, *left, right->number, at);
    else
        return np_text_operator(unit, op, left, right, v, at);
    return true;
}

struct np_value np_binary(struct np_unit *unit, enum np_operator op, struct np_value left,
                          struct np_value right, struct array_storage *into, struct span at) {
    const struct array_ref *mask = NULL;
    struct np_value v = none;
    if (op >= NP_OP_IN)
        return np_membership(unit, op, &left, &right, at);
    if (left.kind == NP_ERROR || right.kind == NP_ERROR ||
        (op != NP_OP_MATMUL && !uncover(unit, np_called(unit, op), &left, &right, &mask, at)))
        return none;
    if (of_known(unit, op, &left, &right, &v, at))
        return v;
    if (op == NP_OP_MATMUL) {
        const struct np_args product = {"@", at, (struct np_value[]){left, right}, 0};
        return np_function_find("matmul")->call(unit, &product);
    }
    if (np_is_python_number(&left) && np_is_python_number(&right) && left.kind != NP_REAL &&
        right.kind != NP_REAL && (left.counts || right.counts))
        return of_counts(unit, op, &left, &right, at);
    v = op == NP_OP_POW   ? power(unit, left, right, into, at)
        : np_compares(op) ? np_compare(unit, op, left, right, at)
                          : elementwise(unit, op, &left, &right, into, at);
    return covered(v, mask);
}

/* Of one operand: NumPy takes integers for floats where the function is of these alone, but for
 * floor, ceil and trunc, in which its versions differ. */
static struct np_value of_one(struct np_unit *unit, enum np_operator op,
                              const struct np_value *value, struct span at) {
    struct array_ref *x = np_any_array(unit, value, np_called(unit, op));
    if (!x)
        return none;
    bool differs = op == NP_OP_FLOOR || op == NP_OP_CEIL || op == NP_OP_TRUNC;
    if (!array_is_float(x->type) && !takes_integers(op) && !differs)
        x = np_cast(unit, x, np_real_type(x->type), value->at);
    if (x && op == NP_OP_ABS && array_is_bool(x->type))
        return np_array_value(np_fresh(unit, x, at), at);
    if (!x || refuses_type(unit, op, x->type, value, NULL, at))
        return none;
    struct lane_type type = array_op_info(op)->gives_bool ? truth : x->type;
    return np_array_value(np_elementwise(unit, op, 1, &x, type, 0, NULL, at), at);
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
        return np_number_fits(unit, true, n, at) ? np_int_value(n, at) : none;
    }
    struct np_value v = of_one(unit, op, &value, at);
    v.counts = value.counts && v.kind == NP_ARRAY &&
               (op == NP_OP_NEG || op == NP_OP_PLUS || op == NP_OP_INVERT);
    return covered(v, mask);
}

struct np_value np_apply(struct np_unit *unit, const char *function, enum np_operator op,
                         struct np_value left, const struct np_value *right, struct span at) {
    unit->function = function;
    struct np_value v =
        right ? np_binary(unit, op, left, *right, NULL, at) : np_unary(unit, op, left, at);
    unit->function = NULL;
    return v;
}
