/* SPDX-License-Identifier: MIT
 * NumPy's functions that work element by element. */
#include "ezpim/np/functions.h"
#include "ezpim/np/promotion.h"

static const struct np_value none = {.kind = NP_ERROR};

static bool is_known(const struct np_value *value) {
    return np_is_number(value) || value->kind == NP_LAP;
}

/* minimum, maximum, power, add, less and so on */
struct np_value np_extreme(struct np_unit *unit, const struct np_args *args) {
    if (!np_given(unit, args, 1, "x2"))
        return none;
    if (is_known(&args->items[0]) && is_known(&args->items[1]))
        return np_error(unit, args->at, "`%s` of two numbers that are known", args->name);
    if (args->which == NP_OP_POW && args->items[1].kind == NP_REAL && args->items[1].real == 0.5) {
        np_error(unit, args->at, "`np.power` by 0.5 is not taken in kernels");
        np_note(unit, args->at,
                "NumPy's `x ** 0.5` is `np.sqrt(x)`, and this another root of -0 and -inf");
        return none;
    }
    return np_apply(unit, args->name, (enum np_operator)args->which, args->items[0],
                    &args->items[1], args->at);
}

/* logical_and and so on: of what is not 0 */
struct np_value np_logical(struct np_unit *unit, const struct np_args *args) {
    const struct np_value zero = np_int_value(0, args->at), no = np_bool_value(false, args->at);
    struct np_value both[2] = {args->items[0], args->items[1]};
    if (args->which == NP_OP_INVERT)
        return np_apply(
            unit, args->name, NP_OP_EQ, both[0],
            both[0].kind == NP_ARRAY && array_is_bool(both[0].array->type) ? &no : &zero, args->at);
    if (!np_given(unit, args, 1, "x2"))
        return none;
    if (is_known(&both[0]) && is_known(&both[1]))
        return np_error(unit, args->at, "`%s` of two numbers that are known", args->name);
    for (unsigned i = 0; i < 2; i++) {
        bool truths = both[i].kind == NP_BOOL ||
                      (both[i].kind == NP_ARRAY && array_is_bool(both[i].array->type));
        if (!truths)
            both[i] = np_apply(unit, args->name, NP_OP_NE, both[i], &zero, args->at);
    }
    return np_apply(unit, args->name, (enum np_operator)args->which, both[0], &both[1], args->at);
}

/* Products with themselves; of bool int8, as NumPy has it. */
struct np_value np_square(struct np_unit *unit, const struct np_args *args) {
    struct np_value v = args->items[0];
    if (!np_any_array(unit, &v, "square"))
        return none;
    if (array_is_bool(v.array->type))
        v = np_array_value(np_cast(unit, v.array, (struct lane_type){TYPE_INT, 8}, args->at),
                           args->at);
    return np_apply(unit, "square", NP_OP_MUL, v, &v, args->at);
}

/* abs, sign, sqrt, isnan and so on */
struct np_value np_of_one(struct np_unit *unit, const struct np_args *args) {
    if (np_is_number(&args->items[0]))
        return np_error(unit, args->at, "`%s` of a number that is known", args->name);
    return np_apply(unit, args->name, (enum np_operator)args->which, args->items[0], NULL,
                    args->at);
}

/* A bound that NumPy 2 leaves out: beyond the array's type all elements keep to it. */
static bool bounds_nothing(struct np_unit *unit, const struct np_value *value,
                           const struct np_value *bound, bool low) {
    const struct lane_type type = value->array->type;
    const struct array_range all = array_type_range(type);
    if (bound->kind == NP_NONE)
        return true;
    if (bound->kind != NP_INT || array_is_float(type) || array_is_bool(type) ||
        (low ? bound->number > all.low : bound->number < all.high))
        return false;
    if (low ? bound->number < all.low : bound->number > all.high)
        np_note_promotion(unit, bound->at,
                          "`clip` of %s keeps its type; NumPy 1.24 takes a wider one",
                          np_value_text(unit, value));
    return true;
}

struct np_value np_clip(struct np_unit *unit, const struct np_args *args) {
    struct np_value v = args->items[0];
    if (!np_any_array(unit, &v, "clip"))
        return none;
    if (args->items[1].kind == NP_NONE && args->items[2].kind == NP_NONE)
        return np_error(unit, args->at, "`clip` lacks a bound");
    bool none_below = bounds_nothing(unit, &args->items[0], &args->items[1], true);
    bool none_above = bounds_nothing(unit, &args->items[0], &args->items[2], false);
    if (!none_below)
        v = np_apply(unit, "clip", NP_OP_MAX, v, &args->items[1], args->at);
    if (!none_above)
        v = np_apply(unit, "clip", NP_OP_MIN, v, &args->items[2], args->at);
    return none_below && none_above ? np_array_value(np_fresh(unit, v.array, args->at), args->at)
                                    : v;
}

struct np_value np_where(struct np_unit *unit, const struct np_args *a) {
    struct array_ref *args[3];
    if (!np_given(unit, a, 1, "x") || !np_given(unit, a, 2, "y"))
        return none;
    bool known, truth = np_is_number(&a->items[0]) && np_truth(unit, &a->items[0], &known);
    args[0] = np_is_number(&a->items[0])
                  ? array_constant(&unit->arrays, (struct lane_type){TYPE_BOOL, 1}, truth, a->at)
                  : np_any_array(unit, &a->items[0], "where");
    if (!args[0])
        return none;
    if (!array_is_bool(args[0]->type) &&
        !(args[0] = np_cast(unit, args[0], (struct lane_type){TYPE_BOOL, 1}, a->items[0].at)))
        return none;
    if (a->items[1].kind == NP_BOOL && a->items[2].kind == NP_BOOL) {
        args[1] = np_fitting(unit, &a->items[1], args[0]->type, a->at);
        args[2] = np_fitting(unit, &a->items[2], args[0]->type, a->at);
    } else if (np_is_number(&a->items[1]) && np_is_number(&a->items[2])) {
        bool real = a->items[1].kind == NP_REAL || a->items[2].kind == NP_REAL;
        const struct lane_type type = {real ? TYPE_FLOAT : TYPE_INT, 64};
        args[1] = np_fitting(unit, &a->items[1], type, a->at);
        args[2] = np_fitting(unit, &a->items[2], type, a->at);
    } else if (!np_meet(unit, "where", &a->items[1], &a->items[2], &args[1], &args[2], a->at)) {
        return none;
    }
    if (!args[1] || !args[2])
        return none;
    return np_array_value(np_elementwise(unit, NP_OP_WHERE, 3, args, args[1]->type, 0, NULL, a->at),
                          a->at);
}

/* What all of the list and the value go into: arrays by their types, numbers alone as NumPy takes
 * them. */
static struct lane_type common_of(const struct np_value *list, const struct np_value *other) {
    struct lane_type type = {TYPE_BOOL, 1};
    bool arrays = false, real = false, whole = false;
    for (uint32_t i = 0; i <= list->count; i++) {
        const struct np_value *v = i < list->count ? &list->items[i] : other;
        if (v->kind == NP_ARRAY) {
            type = arrays ? np_promoted(type, v->array->type) : v->array->type;
            arrays = true;
        }
        real |= v->kind == NP_REAL;
        whole |= v->kind == NP_INT;
    }
    if (real && !array_is_float(type))
        return (struct lane_type){TYPE_FLOAT, 64};
    return whole && array_is_bool(type) ? (struct lane_type){TYPE_INT, 64} : type;
}

/* The choice of the first condition that holds. */
struct np_value np_select(struct np_unit *unit, const struct np_args *args) {
    const struct np_value *conditions = &args->items[0], *choices = &args->items[1];
    const struct np_value zero = np_int_value(0, args->at);
    const struct np_value *rest = args->items[2].kind == NP_NONE ? &zero : &args->items[2];
    if (!np_is_list(conditions) || !np_is_list(choices) || conditions->count != choices->count ||
        conditions->count == 0)
        return np_error(unit, args->at,
                        "`select` takes a list of conditions and one of as many "
                        "choices");
    const struct lane_type type = common_of(choices, rest);
    struct array_ref *z = np_at_type(unit, rest, type, "select", args->at);
    for (uint32_t i = choices->count; i-- > 0 && z;) {
        struct array_ref *c = np_any_array(unit, &conditions->items[i], "select");
        if (c && !array_is_bool(c->type))
            return np_error(unit, conditions->items[i].at, "a condition of `select` is of bool");
        struct array_ref *of[] = {c, np_at_type(unit, &choices->items[i], type, "select", args->at),
                                  z};
        z = of[0] && of[1] ? np_elementwise(unit, NP_OP_WHERE, 3, of, type, 0, NULL, args->at)
                           : NULL;
    }
    return np_array_value(z, args->at);
}

struct np_value np_astype(struct np_unit *unit, const struct np_args *args) {
    struct lane_type type;
    if (!np_given(unit, args, 1, "dtype") || !np_dtype(unit, &args->items[1], &type))
        return none;
    struct np_value v = args->items[0];
    const struct array_ref *mask = v.mask; /* x[mask].astype(T) is masked, too */
    v.mask = NULL;
    struct array_ref *x = np_any_array(unit, &v, "astype");
    if (!x)
        return none;
    v = np_array_value(np_cast(unit, x, type, args->at), args->at);
    v.mask = mask;
    return v;
}

struct np_value np_make_scalar(struct np_unit *unit, struct lane_type type,
                               const struct np_value *value, struct span at) {
    if (value->kind == NP_ERROR)
        return *value;
    if (value->kind == NP_REAL && array_is_float(type))
        return np_array_value(np_fitting(unit, value, type, at), at);
    if (value->kind == NP_INT || value->kind == NP_BOOL ||
        (value->kind == NP_LAP && !array_is_bool(type))) {
        struct np_value n = array_is_bool(type) ? np_bool_value(value->number != 0, at) : *value;
        n.kind = array_is_bool(type) ? NP_BOOL : value->kind == NP_LAP ? NP_LAP : NP_INT;
        return np_array_value(np_fitting(unit, &n, type, at), at);
    }
    struct array_ref *x = np_need_array(unit, value, np_type_name(type));
    if (!x)
        return none;
    if (value->counts && !array_range_within(x->range, array_type_range(type)) &&
        !array_is_bool(type))
        return np_error(unit, at, "the count may not fit %s", np_type_short(type));
    return np_array_value(np_cast(unit, x, type, at), at);
}
