/* SPDX-License-Identifier: MIT
 * The same elements in another order or shape. */
#include "ezpim/np/functions.h"
#include "ezpim/np/promotion.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

bool np_axis(struct np_unit *unit, const struct np_value *value, uint32_t ndim, uint32_t *axis) {
    np_int n;
    if (value->kind == NP_BOOL)
        return np_error(unit, value->at, "an axis is a number"), false;
    if (!np_static_int(unit, value, "an axis", &n))
        return false;
    if (n < -(np_int)ndim || n >= (np_int)ndim) {
        np_error(unit, value->at, "the array has %u ax%s, and this names another one", ndim,
                 ndim == 1 ? "is" : "es");
        return false;
    }
    *axis = (uint32_t)(n < 0 ? n + (np_int)ndim : n);
    return true;
}

bool np_axes(struct np_unit *unit, const struct np_value *value, uint32_t ndim, uint32_t *axes) {
    uint32_t axis, count;
    const struct np_value *items = np_items(value, &count);
    *axes = value->kind == NP_NONE ? (1u << ndim) - 1 : 0;
    for (uint32_t i = 0; value->kind != NP_NONE && i < count; i++) {
        if (!np_axis(unit, &items[i], ndim, &axis))
            return false;
        if (*axes >> axis & 1)
            return np_error(unit, value->at, "an axis is named twice"), false;
        *axes |= 1u << axis;
    }
    return true;
}

/* ---- shapes ---- */

/* One extent of -1 is what is left. */
static bool resolve_shape(struct np_unit *unit, const struct array_ref *ref, struct np_value *value,
                          uint32_t *ndim, uint64_t *shape) {
    uint64_t all = array_elements(ref->ndim, ref->shape), known = 1;
    struct np_value *free = NULL;
    uint32_t count;
    const struct np_value *given = np_items(value, &count);
    struct np_value *items = ARENA_ARRAY(&unit->arena, count + 1, struct np_value);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = given[i];
        if (items[i].kind == NP_INT && items[i].number == -1 && !free)
            free = &items[i];
        else if (items[i].kind == NP_INT && items[i].number > 0 && known <= all)
            known *= items[i].number > (np_int)all ? all + 1 : (uint64_t)items[i].number;
    }
    if (free)
        free->number = known > all ? 1 : (np_int)(all / known);
    struct np_value whole = np_items_value(NP_TUPLE, items, count, value->at);
    if (!np_shape(unit, &whole, ndim, shape, value->at))
        return false;
    if (array_elements(*ndim, shape) == all && all > 0)
        return true;
    const struct np_value old = np_array_value((struct array_ref *)(uintptr_t)ref, value->at);
    np_error(unit, value->at, "shape %s has another number of elements than %s",
             np_shape_string(unit, *ndim, shape), np_value_text(unit, &old));
    return false;
}

/* Whether NumPy need not move elements for the other shape: axes that become others lie behind each
 * other in memory.  Arrays are taken to lie there row by row. */
static bool keeps_strides(const struct array_ref *ref, uint32_t ndim, const uint64_t *shape) {
    uint64_t extent[ARRAY_DIMS];
    int64_t stride[ARRAY_DIMS];
    uint32_t n = 0, v = 0;
    for (uint32_t d = 0; d < ref->ndim; d++) {
        if (ref->shape[d] == 1)
            continue;
        stride[n] = 0;
        for (uint32_t r = 0; r < ref->rdim; r++)
            stride[n] = stride[n] * (int64_t)ref->rshape[r] + ref->map[r].coeff[d];
        extent[n++] = ref->shape[d];
    }
    for (uint32_t i = 0, d = 0; i < n && d < ndim; i++, d++) {
        uint64_t own = extent[i], other = shape[d];
        for (v = i; own != other;)
            if (own < other)
                own *= extent[++i];
            else
                other *= shape[++d];
        for (; v < i; v++)
            if (stride[v] != stride[v + 1] * (int64_t)extent[v + 1])
                return false;
    }
    return true;
}

/* What is a view in NumPy is none to be written, or to be read late, where it is a copy here. */
static struct array_ref *shown(const struct array_ref *of, struct array_ref *copy, uint32_t ndim,
                               const uint64_t *shape) {
    if (!copy || !of->root || array_stays(of) || !(of->shows || keeps_strides(of, ndim, shape)))
        return copy;
    copy->is_view = true;
    copy->version = copy->root->version;
    copy->shows = of->shows ? of->shows : of->root;
    copy->shown = of->shows ? of->shown : of->root->version;
    return copy;
}

struct np_value np_reshape(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_need_array(unit, &args->items[0], "reshape");
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim;
    if (!x || !np_given(unit, args, 1, "shape") ||
        !resolve_shape(unit, x, &args->items[1], &ndim, shape))
        return none;
    return np_array_value(shown(x, np_reshaped(unit, x, ndim, shape, args->at), ndim, shape),
                          args->at);
}

struct np_value np_ravel(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_need_array(unit, &args->items[0], "ravel");
    if (!x)
        return none;
    uint64_t n = array_elements(x->ndim, x->shape);
    return np_array_value(np_reshaped(unit, x, 1, &n, args->at), args->at);
}

struct np_value np_copy_flat(struct np_unit *unit, const struct np_args *args) {
    struct np_value v = np_ravel(unit, args);
    return v.kind == NP_ARRAY ? np_array_value(np_fresh(unit, v.array, args->at), args->at) : v;
}

struct np_value np_transposed(struct np_unit *unit, const struct array_ref *ref, struct span at) {
    uint32_t axes[ARRAY_DIMS];
    for (uint32_t d = 0; d < ref->ndim; d++)
        axes[d] = ref->ndim - 1 - d;
    return np_array_value(array_permuted(&unit->arrays, ref, axes, at), at);
}

struct np_value np_transpose(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_need_array(unit, &args->items[0], "transpose");
    const struct np_value *v = &args->items[1];
    uint32_t axes[ARRAY_DIMS], seen = 0;
    if (!x)
        return none;
    if (v->kind == NP_NONE || x->uniform)
        return x->uniform ? np_array_value(x, args->at) : np_transposed(unit, x, args->at);
    if (!np_is_list(v) || v->count != x->ndim)
        return np_error(unit, v->at, "`transpose` takes each of the %u axes once", x->ndim);
    for (uint32_t d = 0; d < x->ndim; d++) {
        if (!np_axis(unit, &v->items[d], x->ndim, &axes[d]))
            return none;
        seen |= 1u << axes[d];
    }
    if (seen != (1u << x->ndim) - 1)
        return np_error(unit, v->at, "`transpose` takes each of the %u axes once", x->ndim);
    return np_array_value(array_permuted(&unit->arrays, x, axes, args->at), args->at);
}

struct np_value np_broadcast_to(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_need_array(unit, &args->items[0], "broadcast_to"), wide = {0};
    struct array_ref *both[] = {x, &wide};
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim;
    if (!x || !np_given(unit, args, 1, "shape") ||
        !np_shape(unit, &args->items[1], &wide.ndim, wide.shape, args->at))
        return none;
    wide.at = args->items[1].at;
    if (np_is_empty(&wide))
        return np_error(unit, args->at, "`broadcast_to` an axis of length 0");
    if (!np_broadcast(unit, 2, both, &ndim, shape, args->at))
        return none;
    if (!array_same_shape(ndim, shape, wide.ndim, wide.shape))
        return np_error(unit, args->at, "the array has more elements than the shape");
    return np_array_value(array_widened(&unit->arrays, x, ndim, shape, args->at), args->at);
}

/* ---- flip and roll ---- */

struct np_value np_flip(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_need_array(unit, &args->items[0], "flip");
    uint32_t mask;
    if (!x || !np_axes(unit, &args->items[1], x->ndim, &mask))
        return none;
    return np_array_value(array_flipped(&unit->arrays, x, mask, args->at), args->at);
}

struct np_value np_roll(struct np_unit *unit, const struct np_args *args) {
    struct array_ref *x = np_need_array(unit, &args->items[0], "roll");
    int64_t shifts[ARRAY_DIMS] = {0};
    uint32_t axis = 0, count;
    const struct np_value *by = &args->items[1], *axes = np_items(&args->items[2], &count);
    bool all = args->items[2].kind == NP_NONE;
    np_int n;
    if (!x || !np_given(unit, args, 1, "shift"))
        return none;
    if (x->ndim == 0)
        return np_array_value(x, args->at);
    struct array_ref *y = all ? np_lined(unit, x, args->at) : x;
    for (uint32_t i = 0; y && i < count; i++) {
        const struct np_value *shift = by->kind == NP_TUPLE && i < by->count ? &by->items[i] : by;
        if ((!all && !np_axis(unit, &axes[i], x->ndim, &axis)) ||
            !np_static_int(unit, shift, "a shift", &n))
            return none;
        shifts[axis] = (int64_t)((shifts[axis] + n) % (np_int)y->shape[axis]);
    }
    y = y && np_readable(unit, y, args->at) ? array_rolled(&unit->arrays, y, shifts, args->at)
                                            : NULL;
    if (y && y->ndim != x->ndim)
        y = np_reshaped(unit, y, x->ndim, x->shape, args->at);
    if (y && y->is_view)
        y = np_fresh(unit, y, args->at);
    return np_array_value(y, args->at);
}

/* ---- parts side by side ---- */

/* The parts as arrays of one type; their number; 0 after reporting. */
static uint32_t parts_of(struct np_unit *unit, const struct np_args *args,
                         struct array_ref ***parts) {
    const struct np_value *v = &args->items[0];
    if (!np_is_list(v) || v->count == 0) {
        np_error(unit, v->at, "`%s` takes a tuple or list of arrays, and this is %s", args->name,
                 np_value_text(unit, v));
        return 0;
    }
    *parts = ARENA_ARRAY(&unit->arena, v->count, struct array_ref *);
    for (uint32_t i = 0; i < v->count; i++)
        if (!((*parts)[i] = np_any_array(unit, &v->items[i], args->name)))
            return 0;
    struct lane_type type = (*parts)[0]->type;
    for (uint32_t i = 1; i < v->count; i++)
        type = np_promoted(type, (*parts)[i]->type);
    for (uint32_t i = 0; i < v->count; i++)
        if (!array_same_type((*parts)[i]->type, type) &&
            !((*parts)[i] = np_cast(unit, (*parts)[i], type, v->items[i].at)))
            return 0;
    return v->count;
}

static bool parts_agree(struct np_unit *unit, const struct array_ref *left,
                        const struct array_ref *right, uint32_t axis, struct span at) {
    bool same = left->ndim == right->ndim;
    for (uint32_t d = 0; same && d < left->ndim; d++)
        same = d == axis || left->shape[d] == right->shape[d];
    if (same)
        return true;
    np_shapes_differ(unit, "parts of shapes", left, right, at);
    return false;
}

static struct np_value put_parts(struct np_unit *unit, struct array_ref **parts, uint32_t count,
                                 uint32_t axis, struct span at) {
    for (uint32_t i = 1; i < count; i++)
        if (!parts_agree(unit, parts[0], parts[i], axis, at))
            return none;
    for (uint32_t i = 0; i < count; i++)
        if (!np_readable(unit, parts[i], at))
            return none;
    uint32_t full = 0; /* those that have elements */
    for (uint32_t i = 0; i < count; i++)
        if (!np_is_empty(parts[i]))
            parts[full++] = parts[i];
    if (full == 0)
        return np_array_value(parts[0], at);
    count = full;
    return np_array_value(array_joined(&unit->arrays, parts, count, axis, at), at);
}

struct np_value np_concatenate(struct np_unit *unit, const struct np_args *args) {
    struct array_ref **parts;
    uint32_t axis = 0, count = parts_of(unit, args, &parts);
    if (args->items[1].kind == NP_NONE && np_is_written(args, 1))
        return np_error(unit, args->items[1].at,
                        "an axis is a number; `.ravel()` gives parts of one axis");
    if (count && parts[0]->ndim == 0)
        return np_error(unit, args->at, "values without dimension are put together by `np.stack`");
    if (!count ||
        (args->items[1].kind != NP_NONE && !np_axis(unit, &args->items[1], parts[0]->ndim, &axis)))
        return none;
    return put_parts(unit, parts, count, axis, args->at);
}

struct np_value np_stack(struct np_unit *unit, const struct np_args *args) {
    struct array_ref **parts;
    uint32_t axis = 0, count = parts_of(unit, args, &parts);
    if (args->items[1].kind == NP_NONE && np_is_written(args, 1))
        return np_error(unit, args->items[1].at, "an axis is a number");
    if (!count)
        return none;
    if (parts[0]->ndim == ARRAY_DIMS)
        return np_error(unit, args->at, "an array has at most %d axes", ARRAY_DIMS);
    if (args->items[1].kind != NP_NONE &&
        !np_axis(unit, &args->items[1], parts[0]->ndim + 1, &axis))
        return none;
    for (uint32_t i = 1; i < count; i++)
        if (!parts_agree(unit, parts[0], parts[i], ARRAY_DIMS, args->at))
            return none;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i]->uniform && !(parts[i] = np_fresh(unit, parts[i], args->at)))
            return none;
        parts[i] = array_with_axis(&unit->arrays, parts[i], axis);
    }
    return put_parts(unit, parts, count, axis, args->at);
}

/* ---- elements by indices ---- */

/* Entries that are looked up, where they are: to move them, a table would have to be in lanes. */
enum { MOST_LOOKED_UP = 1 << 16 };

/* MOVE_KEEP: no index is outside. */
static bool mode_of(struct np_unit *unit, const struct np_value *value, enum move_outside *mode) {
    *mode = MOVE_KEEP;
    if (value->kind == NP_NONE)
        return true;
    if (value->kind == NP_TEXT && strstr(value->text, "wrap"))
        *mode = MOVE_WRAP;
    else if (value->kind == NP_TEXT && strstr(value->text, "clip"))
        *mode = MOVE_CLIP;
    else
        np_error(unit, value->at, "mode= of `take` is \"wrap\" or \"clip\"");
    return *mode != MOVE_KEEP;
}

/* Without a mode every index must be known to be inside; negative ones count from the end. */
static bool is_inside(struct np_unit *unit, const struct array_ref *index, uint64_t length,
                      enum move_outside *mode, struct span at) {
    struct array_range r = index->range;
    if (r.low >= 0 && r.high < (np_int)length) {
        *mode = MOVE_KEEP;
        return true;
    }
    if (*mode != MOVE_KEEP)
        return true;
    if (r.low >= -(np_int)length && r.high < (np_int)length) {
        *mode = MOVE_WRAP;
        return true;
    }
    struct str text = {0};
    np_number_text(r.low, &text);
    str_append(&text, " to ");
    np_number_text(r.high, &text);
    np_error(unit, at, "the index may be outside: it goes from %s, and the axis has %llu elements",
             str_text(&text), (unsigned long long)length);
    np_note(unit, at,
            "`np.take(x, i, mode=\"wrap\")` and `mode=\"clip\"` say what is meant there; "
            "`i %% %llu` and `i & ..` are known to be inside",
            (unsigned long long)length);
    str_free(&text);
    return false;
}

struct np_value np_take(struct np_unit *unit, const struct np_args *args) {
    const struct np_value *base = &args->items[0];
    struct array_ref *x = base->array, *index;
    enum move_outside mode;
    uint32_t axis = 0;
    if (base->kind != NP_ARRAY)
        return np_need_array(unit, base, args->name), none;
    if (x->ndim == 0)
        return np_error(unit, base->at, "%s has no elements", np_value_text(unit, base));
    if (!np_given(unit, args, 1, "indices") || !mode_of(unit, &args->items[3], &mode) ||
        !(index = np_need_array(unit, &args->items[1], args->name)))
        return none;
    if (array_is_bool(index->type) || array_is_float(index->type))
        return np_error(unit, args->items[1].at, "indices are integers, and these are %s",
                        np_type_short(index->type));
    if (args->items[2].kind != NP_NONE && !np_axis(unit, &args->items[2], x->ndim, &axis))
        return none;
    bool flat = args->items[2].kind == NP_NONE && args->name[0] == 't' && x->ndim > 1;
    uint64_t n = flat ? array_elements(x->ndim, x->shape) : x->shape[axis];
    if (!is_inside(unit, index, n, &mode, args->items[1].at))
        return none;
    if (!np_readable(unit, index, args->at))
        return none;
    if (x->table && x->ndim == 1 && n <= MOST_LOOKED_UP)
        return np_array_value(array_selected(&unit->arrays, x, index, mode, args->at), args->at);
    if (!(x = np_need_array(unit, base, args->name)))
        return none;
    if (flat && !(x = np_lined(unit, x, args->at)))
        return none;
    if (x->ndim - 1 + index->ndim > ARRAY_DIMS)
        return np_error(unit, args->at, "an array has at most %d axes", ARRAY_DIMS);
    if (!np_readable(unit, x, args->at))
        return none;
    return np_array_value(array_gathered(&unit->arrays, x, index, axis, mode, args->at), args->at);
}
