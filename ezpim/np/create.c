/* SPDX-License-Identifier: MIT
 * New arrays. */
#include "ezpim/np/functions.h"
#include "ezpim/np/promotion.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

bool np_extent(struct np_unit *unit, const struct np_value *value, uint64_t *out) {
    np_int n;
    if (!np_static_int(unit, value, "an extent", &n))
        return false;
    *out = (uint64_t)n;
    if (n >= 1 && n <= (np_int)OBJECT_MAX_EXTENT)
        return true;
    np_error(unit, value->at,
             n < 1 ? "an axis of length 0: each has at least one element"
                   : "an axis of more than 2^40 elements");
    return false;
}

bool np_shape(struct np_unit *unit, const struct np_value *value, uint32_t *ndim, uint64_t *shape,
              struct span at) {
    uint32_t count;
    const struct np_value *items = np_items(value, &count);
    if (count > ARRAY_DIMS) {
        np_error(unit, value->at, "an array has at most %d axes", ARRAY_DIMS);
        return false;
    }
    *ndim = count;
    for (uint32_t d = 0; d < count; d++) {
        bool nothing = items[d].kind == NP_INT && items[d].number == 0;
        shape[d] = 0;
        if (!nothing && !np_extent(unit, &items[d], &shape[d]))
            return false;
    }
    if (array_elements(*ndim, shape) <= OBJECT_MAX_EXTENT)
        return true;
    np_error(unit, at, "an array of more than 2^40 elements");
    return false;
}

/* The type that NumPy takes for numbers: of a list the widest of its items'. */
static struct lane_type type_of_numbers(const struct np_value *value) {
    struct lane_type type = {value->kind == NP_BOOL || np_is_list(value) ? TYPE_BOOL : TYPE_INT,
                             value->kind == NP_BOOL || np_is_list(value) ? 1 : 64};
    if (value->kind == NP_REAL)
        type = (struct lane_type){TYPE_FLOAT, 64};
    if (value->kind == NP_INT && value->number > INT64_MAX)
        type.kind = TYPE_UINT;
    for (uint32_t i = 0; np_is_list(value) && i < value->count; i++)
        type = np_promoted(type, type_of_numbers(&value->items[i]));
    return type;
}

/* usual: which type NumPy takes where none is said. */
static bool type_or_usual(struct np_unit *unit, const struct np_args *args, uint32_t index,
                          struct lane_type usual, struct lane_type *type) {
    *type = usual;
    return args->items[index].kind == NP_NONE || np_dtype(unit, &args->items[index], type);
}

static struct np_value filled(struct np_unit *unit, uint32_t ndim, const uint64_t *shape,
                              struct array_ref *ref, struct span at) {
    if (!ref || !np_readable(unit, ref, at))
        return none;
    for (uint32_t d = 0; d < ndim; d++)
        if (shape[d] == 0)
            return np_array_value(np_empty(unit, ref->type, ndim, shape, at), at);
    return np_array_value(array_filled(&unit->arrays, ref, ndim, shape, at), at);
}

/* zeros, ones */
struct np_value np_same(struct np_unit *unit, const struct np_args *args) {
    uint64_t shape[ARRAY_DIMS];
    struct lane_type type;
    uint32_t ndim;
    if (!type_or_usual(unit, args, 1, (struct lane_type){TYPE_FLOAT, 64}, &type) ||
        !np_shape(unit, &args->items[0], &ndim, shape, args->at))
        return none;
    return filled(unit, ndim, shape, array_constant(&unit->arrays, type, args->which, args->at),
                  args->at);
}

/* The value in that type: of Python's numbers one that fits, else a value of the same type. */
static struct array_ref *fill_value(struct np_unit *unit, const struct np_value *value,
                                    struct lane_type type, struct span at) {
    if (value->kind != NP_ARRAY) {
        struct np_value n = *value;
        if (array_is_bool(type) && n.kind == NP_INT)
            n = np_bool_value(n.number != 0, n.at);
        return np_fitting(unit, &n, type, at);
    }
    struct array_ref *x = np_need_array(unit, value, "full");
    return x ? np_cast(unit, x, type, at) : NULL;
}

struct np_value np_full(struct np_unit *unit, const struct np_args *args) {
    uint64_t shape[ARRAY_DIMS];
    struct lane_type type;
    uint32_t ndim;
    bool typed = args->items[1].kind == NP_ARRAY && args->items[2].kind == NP_NONE;
    if (!np_given(unit, args, 1, "fill_value") ||
        !np_shape(unit, &args->items[0], &ndim, shape, args->at))
        return none;
    if (typed)
        type = args->items[1].array->type;
    else if (!type_or_usual(unit, args, 2, type_of_numbers(&args->items[1]), &type))
        return none;
    struct array_ref *x = fill_value(unit, &args->items[1], type, args->at);
    struct array_ref wide = {.ndim = ndim, .at = args->at}, *both[] = {x, &wide};
    memcpy(wide.shape, shape, sizeof shape);
    if (!x || (x->ndim && !np_broadcast(unit, 2, both, &ndim, shape, args->at)))
        return none;
    if (!array_same_shape(ndim, shape, wide.ndim, wide.shape))
        return np_error(unit, args->at, "what fills the array has more elements than its shape");
    return filled(unit, ndim, shape, x, args->at);
}

static struct np_value like(struct np_unit *unit, const struct np_args *args,
                            const struct np_value *value, uint32_t dtype) {
    struct array_ref *x = np_any_array(unit, &args->items[0], args->name);
    if (!x)
        return none;
    struct lane_type type = x->type;
    if (args->items[dtype].kind != NP_NONE && !np_dtype(unit, &args->items[dtype], &type))
        return none;
    return filled(unit, x->ndim, x->shape, fill_value(unit, value, type, args->at), args->at);
}

/* zeros_like, ones_like */
struct np_value np_same_like(struct np_unit *unit, const struct np_args *args) {
    const struct np_value v = np_int_value(args->which, args->at);
    return like(unit, args, &v, 1);
}

struct np_value np_full_like(struct np_unit *unit, const struct np_args *args) {
    return np_given(unit, args, 1, "fill_value") ? like(unit, args, &args->items[1], 2) : none;
}

/* Of floats the integers that they have all of. */
static struct array_range number_range(struct lane_type type) {
    array_int most = (array_int)1 << (ieee_binary(type.bits).fraction_bits + 1);
    return array_is_float(type) ? (struct array_range){-most, most} : array_type_range(type);
}

static struct lane_type arange_type(const struct np_args *args) {
    struct lane_type type = {TYPE_INT, 64};
    for (unsigned i = 0; i < 3; i++)
        type = args->items[i].kind == NP_NONE ? type
                                              : np_promoted(type, type_of_numbers(&args->items[i]));
    return type;
}

struct np_value np_arange(struct np_unit *unit, const struct np_args *args) {
    np_int first = 0, last, step = 1;
    struct lane_type type;
    bool one = args->items[1].kind == NP_NONE;
    if (!type_or_usual(unit, args, 3, arange_type(args), &type) ||
        !np_static_int(unit, &args->items[one ? 0 : 1], "a bound of `arange`", &last) ||
        (!one && !np_static_int(unit, &args->items[0], "a bound of `arange`", &first)) ||
        (args->items[2].kind != NP_NONE &&
         !np_static_int(unit, &args->items[2], "the step of `arange`", &step)))
        return none;
    if (step == 0)
        return np_error(unit, args->at, "the step of `arange` is 0");
    np_int n = step > 0 ? (last - first + step - 1) / step : (first - last - step - 1) / -step;
    const uint64_t nothing = 0;
    if (n < 1)
        return np_array_value(np_empty(unit, type, 1, &nothing, args->at), args->at);
    if (n > (np_int)OBJECT_MAX_EXTENT)
        return np_error(unit, args->at, "`arange` gives an axis of more than 2^40");
    struct array_range all = number_range(type), r = {first, first + step * (n - 1)};
    if (array_is_bool(type) || !array_range_within((struct array_range){r.low, r.low}, all) ||
        !array_range_within((struct array_range){r.high, r.high}, all))
        return np_error(unit, args->at, "the numbers of `arange` do not fit %s",
                        np_type_short(type));
    struct lane_type counted = array_is_float(type) ? (struct lane_type){TYPE_INT, 64} : type;
    struct array_ref *y =
        array_count_up(&unit->arrays, counted, first, step, (uint64_t)n, args->at);
    return np_array_value(array_is_float(type) ? np_cast(unit, y, type, args->at) : y, args->at);
}

/* ---- tables ---- */

/* Rows of equal length. */
static bool list_shape(struct np_unit *unit, const struct np_value *value, uint32_t *ndim,
                       uint64_t *shape) {
    *ndim = 0;
    for (const struct np_value *x = value; np_is_list(x); x = &x->items[0]) {
        if (x->count == 0 || *ndim == ARRAY_DIMS) {
            np_error(unit, value->at,
                     x->count ? "an array has at most 3 axes"
                              : "an axis of length 0: each has at least one element");
            return false;
        }
        shape[(*ndim)++] = x->count;
    }
    return true;
}

static bool fill_table(struct np_unit *unit, const struct np_value *value, struct lane_type type,
                       uint32_t ndim, const uint64_t *shape, uint64_t **next,
                       struct array_range *range) {
    if (ndim == 0) {
        struct array_ref *x = np_is_number(value) ? np_fitting(unit, value, type, value->at) : NULL;
        if (!x && value->kind != NP_ERROR && !np_is_number(value))
            np_error(unit, value->at, "an element of `np.array` is a number, and this is %s",
                     np_value_text(unit, value));
        if (x) {
            *(*next)++ = x->uniform->pattern;
            range->low = value->number < range->low ? value->number : range->low;
            range->high = value->number > range->high ? value->number : range->high;
        }
        return x != NULL;
    }
    if (!np_is_list(value) || value->count != shape[0]) {
        np_error(unit, value->at, "the rows of `np.array` differ in length");
        return false;
    }
    for (uint32_t i = 0; i < value->count; i++)
        if (!fill_table(unit, &value->items[i], type, ndim - 1, shape + 1, next, range))
            return false;
    return true;
}

/* A list with values or arrays in it is a stack of them. */
static bool has_arrays(const struct np_value *list) {
    for (uint32_t i = 0; np_is_list(list) && i < list->count; i++)
        if (list->items[i].kind == NP_ARRAY)
            return true;
    return false;
}

static struct np_value stack_of(struct np_unit *unit, const struct np_args *args) {
    const struct np_value *list = &args->items[0];
    struct np_value *items = ARENA_ARRAY(&unit->arena, list->count, struct np_value);
    for (uint32_t i = 0; i < list->count; i++) {
        items[i] = list->items[i];
        if (np_is_number(&items[i]))
            items[i] = np_array_value(
                np_fitting(unit, &items[i], type_of_numbers(&items[i]), items[i].at), items[i].at);
        items[i].counts = false; /* int64, as Python's are in NumPy */
    }
    struct np_value given[] = {np_items_value(NP_LIST, items, list->count, list->at),
                               np_int_value(0, args->at)};
    const struct np_args stack = {"array", args->at, given, 0};
    struct np_value v = np_stack(unit, &stack);
    struct lane_type type;
    if (v.kind != NP_ARRAY || args->items[1].kind == NP_NONE)
        return v;
    if (!np_dtype(unit, &args->items[1], &type))
        return none;
    return np_array_value(np_cast(unit, v.array, type, args->at), args->at);
}

struct np_value np_array_of(struct np_unit *unit, const struct np_args *args) {
    struct lane_type type;
    struct array_ref t = {.range = {(np_int)1 << 100, -((np_int)1 << 100)}, .at = args->at};
    if (args->items[0].kind == NP_ARRAY && args->items[1].kind == NP_NONE)
        return np_copy(unit, args);
    if (!np_is_list(&args->items[0]))
        return np_error(unit, args->at, "`np.array` takes a list of numbers");
    if (has_arrays(&args->items[0]))
        return stack_of(unit, args);
    if (!type_or_usual(unit, args, 1, type_of_numbers(&args->items[0]), &type) ||
        !list_shape(unit, &args->items[0], &t.ndim, t.shape))
        return none;
    uint64_t n = array_elements(t.ndim, t.shape);
    uint64_t *entries = ARENA_ARRAY(&unit->arena, n, uint64_t), *next = entries;
    if (!fill_table(unit, &args->items[0], type, t.ndim, t.shape, &next, &t.range))
        return none;
    if (array_is_float(type))
        t.range = array_type_range(type);
    const struct array_known table = {.entries = entries, .count = (uint32_t)n};
    return np_array_value(
        array_table(&unit->arrays, &table, type, t.ndim, t.shape, t.range, args->at), args->at);
}

/* Of b"...", as numbers of 8 bits. */
struct np_value np_from_bytes(struct np_unit *unit, const struct np_args *args) {
    static const struct lane_type byte = {TYPE_UINT, 8};
    struct lane_type type;
    if (!type_or_usual(unit, args, 1, (struct lane_type){TYPE_FLOAT, 64}, &type))
        return none;
    if (args->items[0].kind != NP_TUPLE || !array_same_type(type, byte))
        return np_error(unit, args->at, "`frombuffer` takes b\"...\" and `dtype=%s`",
                        np_type_text(unit, byte));
    struct np_value items[] = {args->items[0], args->items[1]};
    return np_array_of(unit, &(struct np_args){args->name, args->at, items, 0});
}

/* iinfo, finfo: what the type's limits are asked of */
struct np_value np_info(struct np_unit *unit, const struct np_args *args) {
    struct np_value v = {.kind = NP_INFO, .at = args->at};
    if (args->items[0].kind == NP_ARRAY)
        v.type = args->items[0].array->type;
    else if (!np_dtype(unit, &args->items[0], &v.type))
        return none;
    bool real = args->which == TYPE_FLOAT;
    if (real != array_is_float(v.type) || array_is_bool(v.type))
        return np_error(unit, args->at, "`%s` of %s, which is %s", args->name,
                        np_type_short(v.type), real ? "no type of floats" : "no type of integers");
    return v;
}

struct np_value np_copy(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_any_array(unit, &args->items[0], "copy");
    return x ? np_array_value(np_fresh(unit, x, args->at), args->at) : none;
}
