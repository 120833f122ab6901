/* SPDX-License-Identifier: MIT
 * Functions of NumPy that say in one word what slices, new axes, stores and joined parts say. */
#include "ezpim/np/functions.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

/* first:last of an axis; NULL: open. */
static struct np_value slice(struct np_unit *unit, const np_int *first, const np_int *last,
                             struct span at) {
    const np_int *bounds[] = {first, last, NULL};
    struct np_value *items = ARENA_ARRAY(&unit->arena, 3, struct np_value);
    for (unsigned i = 0; i < 3; i++)
        items[i] =
            bounds[i] ? np_int_value(*bounds[i], at) : (struct np_value){.kind = NP_NONE, .at = at};
    return np_items_value(NP_SLICE, items, 3, at);
}

/* x[:, .., first:last, ..] along an axis. */
static struct np_value along(struct np_unit *unit, struct np_value value, uint32_t axis,
                             const np_int *first, const np_int *last, struct span at) {
    struct np_value items[ARRAY_DIMS];
    for (uint32_t d = 0; d <= axis; d++)
        items[d] = d == axis ? slice(unit, first, last, at) : slice(unit, NULL, NULL, at);
    return np_index(unit, value, items, axis + 1, at);
}

struct np_value np_diff(struct np_unit *unit, const struct np_args *args) {
    static const np_int one = 1, back = -1;
    struct array_ref *x = np_any_array(unit, &args->items[0], args->name);
    np_int times = 1;
    if (!x || (args->items[1].kind != NP_NONE &&
               !np_static_int(unit, &args->items[1], "`n` of `diff`", &times)))
        return none;
    if (x->ndim == 0 || times < 0)
        return np_error(unit, args->at,
                        x->ndim ? "differences are taken 0 times or more often"
                                : "`diff` is of arrays with an axis");
    uint32_t axis = x->ndim - 1;
    if (args->items[2].kind != NP_NONE && !np_axis(unit, &args->items[2], x->ndim, &axis))
        return none;
    enum np_operator op = array_is_bool(x->type) ? NP_OP_NE : NP_OP_SUB;
    struct np_value v = np_array_value(x, args->at);
    for (; times && v.kind == NP_ARRAY; times--) {
        struct np_value behind = along(unit, v, axis, &one, NULL, args->at),
                        before = along(unit, v, axis, NULL, &back, args->at);
        v = np_apply(unit, args->name, op, behind, &before, args->at);
    }
    return v;
}

/* All elements as one line, and with a new axis behind it. */
static struct np_value line_of(struct np_unit *unit, const struct np_value *value, const char *who,
                               bool column) {
    struct array_ref *x = np_need_array(unit, value, who);
    struct np_value items[] = {slice(unit, NULL, NULL, value->at),
                               {.kind = NP_NONE, .at = value->at}};
    uint64_t n = x ? array_elements(x->ndim, x->shape) : 0;
    x = x ? np_reshaped(unit, x, 1, &n, value->at) : NULL;
    if (!x)
        return none;
    struct np_value v = np_array_value(x, value->at);
    return column ? np_index(unit, v, items, 2, value->at) : v;
}

struct np_value np_outer(struct np_unit *unit, const struct np_args *args) {
    if (!np_given(unit, args, 1, "b"))
        return none;
    struct np_value a = line_of(unit, &args->items[0], args->name, true),
                    b = line_of(unit, &args->items[1], args->name, false);
    return np_apply(unit, args->name, NP_OP_MUL, a, &b, args->at);
}

/* ---- parts side by side ---- */

/* With the axes that the function gives a part that has fewer. */
static struct np_value with_axes(struct np_unit *unit, const struct np_args *args,
                                 const struct np_value *value) {
    static const char *const axes[][3] = {
        [NP_HSTACK] = {"N", "", ""},
        [NP_VSTACK] = {"NN", "N:", ""},
        [NP_DSTACK] = {"NNN", "N:N", "::N"},
        [NP_COLUMNS] = {"NN", ":N", ""},
    };
    struct array_ref *x = np_any_array(unit, value, args->name);
    struct np_value items[ARRAY_DIMS];
    if (x && x->uniform)
        x = np_fresh(unit, x, value->at);
    if (!x)
        return none;
    const char *text = x->ndim < 3 ? axes[args->which][x->ndim] : "";
    uint32_t count = (uint32_t)strlen(text);
    for (uint32_t i = 0; i < count; i++)
        items[i] = text[i] == 'N' ? (struct np_value){.kind = NP_NONE, .at = value->at}
                                  : slice(unit, NULL, NULL, value->at);
    struct np_value v = np_array_value(x, value->at);
    return count ? np_index(unit, v, items, count, value->at) : v;
}

/* hstack, vstack, dstack, column_stack */
struct np_value np_side_by_side(struct np_unit *unit, const struct np_args *args) {
    static const np_int axis_of[] = {
        [NP_HSTACK] = 1, [NP_VSTACK] = 0, [NP_DSTACK] = 2, [NP_COLUMNS] = 1};
    const struct np_value *list = &args->items[0];
    if (!np_is_list(list) || list->count == 0)
        return np_error(unit, list->at, "`%s` takes a tuple or list of arrays, and this is %s",
                        args->name, np_value_text(unit, list));
    struct np_value *parts = ARENA_ARRAY(&unit->arena, list->count, struct np_value);
    for (uint32_t i = 0; i < list->count; i++) {
        parts[i] = with_axes(unit, args, &list->items[i]);
        if (parts[i].kind != NP_ARRAY)
            return none;
    }
    np_int axis = args->which == NP_HSTACK && parts[0].array->ndim == 1 ? 0 : axis_of[args->which];
    struct np_value items[] = {np_items_value(NP_TUPLE, parts, list->count, list->at),
                               np_int_value(axis, args->at)};
    return np_concatenate(unit, &(struct np_args){args->name, args->at, items, 0});
}

/* ---- with a margin ---- */

/* Elements in front of an axis, or behind it: of `2`, `(1, 2)` and `((1, 2), (0, 3))`. */
static bool margin(struct np_unit *unit, const struct np_value *given, uint32_t ndim, uint32_t axis,
                   uint32_t side, np_int *out) {
    uint32_t count;
    const struct np_value *items = np_items(given, &count);
    bool by_axis = count && np_is_list(&items[0]);
    if (by_axis && count > 1 && count != ndim)
        count = 0;
    if (by_axis && count)
        items = np_items(&items[count > 1 ? axis : 0], &count);
    if (count != 1 && count != 2) {
        np_error(unit, given->at,
                 "margins are a number, `(before, after)`, or a pair for each axis");
        return false;
    }
    if (!np_static_int(unit, &items[count > 1 ? side : 0], "a margin", out))
        return false;
    if (*out < 0)
        np_error(unit, given->at, "a margin has 0 elements or more");
    return *out >= 0;
}

/* One value around the elements. */
struct np_value np_pad(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_any_array(unit, &args->items[0], args->name);
    const struct np_value *mode = &args->items[2];
    struct np_value zero = np_int_value(0, args->at), inner[ARRAY_DIMS], extents[ARRAY_DIMS];
    if (!x || !np_given(unit, args, 1, "pad_width"))
        return none;
    if (mode->kind != NP_NONE && (mode->kind != NP_TEXT || strcmp(mode->text, "constant") != 0)) {
        np_error(unit, mode->at, "`pad` puts one value around: mode= is \"constant\"");
        np_note(unit, mode->at, "`np.concatenate` puts parts of the array beside it");
        return none;
    }
    if (np_is_list(&args->items[3]))
        return np_error(unit, args->items[3].at, "`pad` puts one value around");
    for (uint32_t d = 0; d < x->ndim; d++) {
        np_int before, after, last;
        if (!margin(unit, &args->items[1], x->ndim, d, 0, &before) ||
            !margin(unit, &args->items[1], x->ndim, d, 1, &after))
            return none;
        last = before + (np_int)x->shape[d];
        inner[d] = slice(unit, &before, &last, args->at);
        extents[d] = np_int_value(last + after, args->at);
    }
    struct np_value full[] = {np_items_value(NP_TUPLE, extents, x->ndim, args->at),
                              args->items[3].kind == NP_NONE ? zero : args->items[3],
                              {.kind = NP_TYPE, .at = args->at, .type = x->type}};
    struct np_value v = np_full(unit, &(struct np_args){args->name, args->at, full, 0});
    if (v.kind == NP_ARRAY)
        np_store(unit, v, inner, x->ndim, np_array_value(x, args->at), args->at);
    return v;
}
