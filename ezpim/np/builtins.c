/* SPDX-License-Identifier: MIT
 * Python's own functions. */
#include "ezpim/np/texts.h"

#include <math.h>
#include <string.h>

static const char *const builtins[] = {"len",      "range",  "min",   "max",   "abs", "int",
                                       "sum",      "print",  "bool",  "float", "zip", "enumerate",
                                       "list",     "tuple",  "round", "any",   "all", "sorted",
                                       "reversed", "divmod", "pow",   "ord",   "chr"};

bool np_is_builtin(const char *name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (builtins[i][0] == name[0] && strcmp(builtins[i], name) == 0)
            return true;
    return false;
}

static struct np_value length(struct np_unit *unit, const struct np_value *value, struct span at) {
    if (np_is_list(value))
        return np_int_value(value->count, at);
    if (value->kind == NP_ARRAY && value->array->ndim && !value->mask)
        return np_int_value((np_int)value->array->shape[0], at);
    return np_error(unit, at, "%s has no length that is known", np_value_text(unit, value));
}

static struct np_value range_value(struct np_unit *unit, const struct np_value *args,
                                   uint32_t count, struct span at) {
    struct np_value *items = ARENA_ARRAY(&unit->arena, 3, struct np_value);
    np_int n;
    if (count < 1 || count > 3)
        return np_error(unit, at, "`range` has one to three parameters");
    for (uint32_t i = 0; i < count; i++)
        if (!np_static_int(unit, &args[i], "a bound of `range`", &n))
            return (struct np_value){.kind = NP_ERROR, .at = at};
    items[0] = count > 1 ? args[0] : np_int_value(0, at);
    items[1] = count > 1 ? args[1] : args[0];
    items[2] = count > 2 ? args[2] : np_int_value(1, at);
    if (items[2].number == 0)
        return np_error(unit, at, "the step of `range` is 0");
    return np_items_value(NP_RANGE, items, 3, at);
}

/* A number of Python that is known when the kernel runs. */
static bool is_counted(const struct np_value *value) {
    return value->kind == NP_ARRAY && value->counts;
}

/* min and max of numbers. */
static struct np_value least(struct np_unit *unit, bool most, const struct np_value *args,
                             uint32_t count, struct span at) {
    struct np_value best = args[0];
    bool chosen;
    if (count == 1 && np_is_list(&args[0]) && args[0].count)
        return least(unit, most, args[0].items, args[0].count, at);
    if (count == 1 && np_is_number(&args[0]))
        return np_error(unit, at, "`%s` of one number", most ? "max" : "min");
    for (uint32_t i = 0; i < count; i++) {
        if (is_counted(&args[i]) || is_counted(&best)) {
            const char *name = most ? "max" : "min";
            best =
                i ? np_apply(unit, name, most ? NP_OP_MAX : NP_OP_MIN, best, &args[i], at) : best;
            best.counts = true;
            if (best.kind == NP_ERROR)
                return best;
            continue;
        }
        if (args[i].kind == NP_ARRAY)
            return np_error(unit, at, "Python's `%s` of arrays; NumPy's is `np.%s`",
                            most ? "max" : "min",
                            count > 1 ? (most ? "maximum" : "minimum")
                            : most    ? "max"
                                      : "min");
        np_int n;
        if (args[i].kind != NP_REAL &&
            !np_static_int(unit, &args[i], most ? "what `max` takes" : "what `min` takes", &n))
            return (struct np_value){.kind = NP_ERROR, .at = at};
        struct np_value less = np_binary(unit, most ? NP_OP_GT : NP_OP_LT, args[i], best, NULL, at);
        if (less.kind == NP_ERROR)
            return less;
        best = np_truth(unit, &less, &chosen) ? args[i] : best;
    }
    best.at = at;
    return best;
}

/* ---- lists ---- */

/* Python's sum: from the left on, to 0 first. */
static struct np_value sum_up(struct np_unit *unit, const struct np_value *args, uint32_t count,
                              struct span at) {
    struct np_value *items, sum = count > 1 ? args[1] : np_int_value(0, at);
    uint32_t n = np_sequence(unit, &args[0], &items);
    for (uint32_t i = 0; i < n && sum.kind != NP_ERROR; i++)
        sum = np_binary(unit, NP_OP_ADD, sum, items[i], NULL, at);
    return sum;
}

static struct np_value truth_of_list(struct np_unit *unit, bool all, const struct np_value *list,
                                     struct span at) {
    bool known = true, truth = all;
    for (uint32_t i = 0; i < list->count && known && truth == all; i++)
        truth = np_truth(unit, &list->items[i], &known);
    return known ? np_bool_value(truth, at) : (struct np_value){.kind = NP_ERROR, .at = at};
}

/* Tuples of what stands at the same place in each. */
static struct np_value zip(struct np_unit *unit, const struct np_value *args, uint32_t count,
                           struct span at) {
    struct np_value **lists = ARENA_ARRAY(&unit->arena, count, struct np_value *);
    uint32_t n = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t m = np_sequence(unit, &args[i], &lists[i]);
        n = m < n ? m : n;
    }
    struct np_value *made = ARENA_ARRAY(&unit->arena, n + 1, struct np_value);
    for (uint32_t k = 0; k < n; k++) {
        struct np_value *row = ARENA_ARRAY(&unit->arena, count, struct np_value);
        for (uint32_t i = 0; i < count; i++)
            row[i] = lists[i][k];
        made[k] = np_items_value(NP_TUPLE, row, count, at);
    }
    return np_items_value(NP_LIST, made, n, at);
}

static struct np_value enumerate(struct np_unit *unit, const struct np_value *args, uint32_t count,
                                 struct span at) {
    np_int first = 0;
    if (count > 1 && !np_static_int(unit, &args[1], "the first number", &first))
        return (struct np_value){.kind = NP_ERROR, .at = at};
    struct np_value *items;
    uint32_t n = np_sequence(unit, &args[0], &items);
    struct np_value *numbers = ARENA_ARRAY(&unit->arena, n + 1, struct np_value);
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = np_int_value(first + i, at);
    const struct np_value both[] = {np_items_value(NP_LIST, numbers, n, at), args[0]};
    return zip(unit, both, 2, at);
}

/* list, tuple, reversed */
static struct np_value listed(struct np_unit *unit, const char *name, const struct np_value *arg,
                              struct span at) {
    struct np_value *items;
    uint32_t n = np_sequence(unit, arg, &items);
    struct np_value *made = ARENA_ARRAY(&unit->arena, n + 1, struct np_value);
    for (uint32_t i = 0; i < n; i++)
        made[strcmp(name, "reversed") == 0 ? n - 1 - i : i] = items[i];
    return np_items_value(strcmp(name, "tuple") == 0 ? NP_TUPLE : NP_LIST, made, n, at);
}

/* Merges two sorted runs, of equals the left one first; false after reporting. */
static bool merge(struct np_unit *unit, const struct np_value *left, uint32_t left_count,
                  const struct np_value *right, uint32_t right_count, struct np_value *to,
                  struct span at) {
    while (left_count && right_count) {
        struct np_value less = np_binary(unit, NP_OP_LT, *right, *left, NULL, at);
        bool known, first = np_truth(unit, &less, &known);
        if (!known)
            return false;
        *to++ = first ? *right++ : *left++;
        left_count -= !first;
        right_count -= first;
    }
    memcpy(to, left, left_count * sizeof *to);
    memcpy(to + left_count, right, right_count * sizeof *to);
    return true;
}

static struct np_value sorted(struct np_unit *unit, const struct np_value *arg, struct span at) {
    struct np_value *from;
    uint32_t n = np_sequence(unit, arg, &from);
    struct np_value *halves[] = {ARENA_ARRAY(&unit->arena, n + 1, struct np_value),
                                 ARENA_ARRAY(&unit->arena, n + 1, struct np_value)};
    for (uint32_t run = 1, lap = 0; run < n; run *= 2, lap++) {
        struct np_value *to = halves[lap % 2];
        for (uint32_t i = 0; i < n; i += 2 * run) {
            uint32_t left = n - i < run ? n - i : run;
            uint32_t right = n - i - left < run ? n - i - left : run;
            if (!merge(unit, from + i, left, from + i + left, right, to + i, at))
                return (struct np_value){.kind = NP_ERROR, .at = at};
        }
        from = to;
    }
    return np_items_value(NP_LIST, from, n, at);
}

/* ---- numbers ---- */

struct np_value np_whole_of(struct np_unit *unit, double real, struct span at) {
    bool fits = real > -0x1p62 && real < 0x1p62;
    np_int n = fits ? (np_int)real : 0;
    return np_number_fits(unit, fits, n, at) ? np_int_value(n, at)
                                             : (struct np_value){.kind = NP_ERROR, .at = at};
}

/* An integer without dimension as Python's: one that is not known. */
static bool is_whole_value(const struct np_value *value) {
    return value->kind == NP_ARRAY && value->array->ndim == 0 &&
           !array_is_float(value->array->type) &&
           array_range_within(value->array->range,
                              array_type_range((struct lane_type){TYPE_INT, 64}));
}

static struct np_value as_int(struct np_unit *unit, const struct np_value *value, struct span at) {
    static const struct lane_type int64 = {TYPE_INT, 64};
    if (value->kind == NP_INT || value->kind == NP_BOOL)
        return np_int_value(value->number, at);
    if (value->kind == NP_REAL)
        return np_whole_of(unit, value->real, at);
    bool real =
        value->kind == NP_ARRAY && value->array->ndim == 0 && array_is_float(value->array->type);
    if (real || is_whole_value(value)) {
        struct array_ref *x = np_need_array(unit, value, "int");
        struct np_value v = np_array_value(x ? np_cast(unit, x, int64, at) : NULL, at);
        v.counts = v.kind == NP_ARRAY;
        return v;
    }
    np_error(unit, at, "`int` of %s is not taken in kernels", np_value_text(unit, value));
    return (struct np_value){.kind = NP_ERROR, .at = at};
}

static struct np_value magnitude(struct np_unit *unit, const struct np_value *value,
                                 struct span at) {
    if (value->kind == NP_REAL)
        return (struct np_value){.kind = NP_REAL, .at = at, .real = fabs(value->real)};
    if (np_is_number(value))
        return np_int_value(value->number < 0 ? -value->number : value->number, at);
    return np_unary(unit, NP_OP_ABS, *value, at);
}

/* ---- by name ---- */

static bool is(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

/* Of one argument; NP_NONE: there is no such function of that. */
static struct np_value of_one(struct np_unit *unit, const char *name, const struct np_value *arg,
                              struct span at) {
    bool several = np_is_list(arg) || arg->kind == NP_RANGE || arg->kind == NP_TEXT;
    struct np_value v = np_text_function(unit, name, arg, at);
    if (v.kind != NP_NONE)
        return v;
    if (is(name, "len"))
        return length(unit, arg, at);
    if (is(name, "int"))
        return as_int(unit, arg, at);
    if (is(name, "abs") && (np_is_number(arg) || arg->kind == NP_ARRAY))
        return magnitude(unit, arg, at);
    if (is(name, "float") && np_is_number(arg))
        return (struct np_value){.kind = NP_REAL, .at = at, .real = np_real_of(arg)};
    if (is(name, "bool") && (np_is_number(arg) || np_is_list(arg))) {
        bool known, truth = np_truth(unit, arg, &known);
        return np_bool_value(truth, at);
    }
    if (is(name, "round") && np_is_number(arg))
        return arg->kind == NP_REAL ? np_whole_of(unit, rint(arg->real), at)
                                    : np_int_value(arg->number, at);
    if ((is(name, "any") || is(name, "all")) && np_is_list(arg))
        return truth_of_list(unit, is(name, "all"), arg, at);
    bool rows = arg->kind == NP_ARRAY && arg->array->ndim;
    if (several && is(name, "sorted"))
        return sorted(unit, arg, at);
    if ((several || rows) && (is(name, "list") || is(name, "tuple") || is(name, "reversed")))
        return listed(unit, name, arg, at);
    return (struct np_value){.kind = NP_NONE};
}

static struct np_value of_several(struct np_unit *unit, const char *name,
                                  const struct np_value *args, uint32_t count, struct span at) {
    if (is(name, "range"))
        return range_value(unit, args, count, at);
    if ((is(name, "min") || is(name, "max")) && count)
        return least(unit, name[1] == 'a', args, count, at);
    if (is(name, "sum") && (count == 1 || count == 2) &&
        (np_is_list(&args[0]) || args[0].kind == NP_RANGE))
        return sum_up(unit, args, count, at);
    if (is(name, "zip") && count)
        return zip(unit, args, count, at);
    if (is(name, "enumerate") && (count == 1 || count == 2))
        return enumerate(unit, args, count, at);
    if (is(name, "pow") && count == 2)
        return np_binary(unit, NP_OP_POW, args[0], args[1], NULL, at);
    if (is(name, "divmod") && count == 2) {
        struct np_value *both = ARENA_ARRAY(&unit->arena, 2, struct np_value);
        both[0] = np_binary(unit, NP_OP_FLOORDIV, args[0], args[1], NULL, at);
        both[1] = np_binary(unit, NP_OP_MOD, args[0], args[1], NULL, at);
        return np_items_value(NP_TUPLE, both, 2, at);
    }
    return (struct np_value){.kind = NP_NONE};
}

struct np_value np_builtin(struct np_unit *unit, const struct np_value *value,
                           const struct np_value *args, uint32_t count, struct span at) {
    const char *name = value->text;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind == NP_ERROR)
            return args[i];
    if (value->function)
        return np_math_call(unit, value, args, count, at);
    if (is(name, "print")) {
        np_error(unit, at, "`print` in a kernel");
        np_note(unit, NO_SPAN, "`mpu-run kernel.py --print x` prints a result");
        return (struct np_value){.kind = NP_ERROR, .at = at};
    }
    struct np_value v = of_several(unit, name, args, count, at);
    if (v.kind == NP_NONE && count != 1)
        return np_error(unit, at, "`%s` has one parameter", name);
    if (v.kind == NP_NONE)
        v = of_one(unit, name, &args[0], at);
    if (v.kind != NP_NONE)
        return v;
    np_error(unit, at, "`%s` of %s is not taken in kernels", name, np_value_text(unit, &args[0]));
    if (args[0].kind == NP_ARRAY && (is(name, "any") || is(name, "all")))
        np_offer(unit, value->at, "%s.%s", unit->numpy, name);
    else if (args[0].kind == NP_ARRAY && is(name, "sum"))
        np_note(unit, at, "Python's sums lines up; `np.sum(x, axis=0, dtype=..)` does, too");
    return (struct np_value){.kind = NP_ERROR, .at = at};
}
