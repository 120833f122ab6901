/* SPDX-License-Identifier: MIT
 * x[..], read and written: views by numbers and slices, selections by masks, elements by indices.
 */
#include "ezpim/np/advice.h"
#include "ezpim/np/texts.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

/* ---- views ---- */

static struct np_value outside(struct np_unit *unit, np_int i, uint64_t size, struct span at) {
    struct str text = {0};
    np_number_text(i, &text);
    np_error(unit, at, "index %s is outside of an axis of length %llu", str_text(&text),
             (unsigned long long)size);
    str_free(&text);
    return none;
}

/* A bound of a slice, as Python clips it. */
static np_int clipped(const struct np_value *value, np_int usual, np_int least, np_int most,
                      uint64_t length) {
    if (value->kind == NP_NONE)
        return usual;
    np_int i = value->number < 0 ? value->number + (np_int)length : value->number;
    return i < least ? least : i > most ? most : i;
}

/* first, step and how many; false after reporting. */
static bool resolve_slice(struct np_unit *unit, const struct np_value *value, uint64_t length,
                          np_int *first, np_int *step, uint64_t *count) {
    np_int last, x;
    for (uint32_t i = 0; i < 3; i++)
        if (value->items[i].kind != NP_NONE &&
            !np_static_int(unit, &value->items[i], "a bound of a slice", &x))
            return false;
    *step = value->items[2].kind == NP_NONE ? 1 : value->items[2].number;
    if (*step == 0) {
        np_error(unit, value->at, "the step of a slice is 0");
        return false;
    }
    if (*step > 0) {
        *first = clipped(&value->items[0], 0, 0, (np_int)length, length);
        last = clipped(&value->items[1], (np_int)length, 0, (np_int)length, length);
        *count = last > *first ? (uint64_t)((last - *first + *step - 1) / *step) : 0;
    } else {
        *first = clipped(&value->items[0], (np_int)length - 1, -1, (np_int)length - 1, length);
        last = clipped(&value->items[1], -1, -1, (np_int)length - 1, length);
        *count = *first > last ? (uint64_t)((*first - last - *step - 1) / -*step) : 0;
    }
    return true;
}

/* True and False are masks, and no numbers. */
static bool static_index(struct np_unit *unit, const struct np_value *value, const char *what,
                         np_int *out) {
    if (value->kind == NP_BOOL)
        return np_error(unit, value->at, "%s is a number, and NumPy takes True and False for masks",
                        what),
               false;
    return np_static_int(unit, value, what, out);
}

static uint32_t axes_named(const struct np_value *items, uint32_t count) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += items[i].kind != NP_NONE && items[i].kind != NP_ELLIPSIS;
    return n;
}

struct viewing {
    struct np_unit *u;
    const struct array_ref *a;
    struct array_ref *view;
    uint32_t axis; /* of a, next */
};

static bool add_axis(struct viewing *viewing, uint64_t length, struct span at) {
    if (viewing->view->ndim == ARRAY_DIMS) {
        np_error(viewing->u, at, "an array has at most %d axes", ARRAY_DIMS);
        return false;
    }
    viewing->view->shape[viewing->view->ndim++] = length;
    return true;
}

/* The next axis of the array becomes axis `to` of the view, or (-1) is dropped. */
static void follow(struct viewing *viewing, int to, np_int first, np_int step,
                   const struct array_laps *laps) {
    if (np_is_empty(viewing->a) || (to >= 0 && viewing->view->shape[to] == 0)) {
        viewing->axis++; /* no element comes from anywhere */
        return;
    }
    array_follow(viewing->view, viewing->a,
                 (struct array_step){viewing->axis++, to, (int64_t)first, (int64_t)step, laps});
}

static bool is_lap_slice(const struct np_value *value) {
    return value->kind == NP_SLICE &&
           (value->items[0].kind == NP_LAP || value->items[1].kind == NP_LAP);
}

/* x[i], or x[i + a:i + b]: as many elements in each lap. */
static bool take_lap(struct viewing *viewing, const struct np_value *value, uint64_t length) {
    const struct np_value *first = value->kind == NP_SLICE ? &value->items[0] : value;
    struct array_range r = np_lap_range(viewing->u, first);
    np_int count = 1, step = 1;
    if (value->kind == NP_SLICE) {
        const struct np_value *last = &value->items[1];
        bool same = first->kind == NP_LAP && last->kind == NP_LAP &&
                    memcmp(first->laps, last->laps, sizeof *last->laps) == 0;
        step = value->items[2].kind == NP_NONE  ? 1
               : value->items[2].kind == NP_INT ? value->items[2].number
                                                : 0;
        count = same && step > 0 ? (last->number - first->number + step - 1) / step : 0;
        r.high += last->number - first->number - 1;
    }
    np_int back = r.high < 0 && value->kind == NP_LAP ? (np_int)length : 0;
    if (count < 1 || r.low + back < 0 || r.high + back >= (np_int)length)
        return np_error(viewing->u, value->at, "the index is outside in some iteration").kind !=
               NP_ERROR;
    if (value->kind == NP_SLICE && !add_axis(viewing, (uint64_t)count, value->at))
        return false;
    int to = value->kind == NP_SLICE ? (int)viewing->view->ndim - 1 : -1;
    follow(viewing, to, first->number + back, step, first->laps);
    return true;
}

static bool take_item(struct viewing *w, const struct np_value *value) {
    np_int first = 0, step = 1;
    uint64_t n = 1, count;
    if (value->kind == NP_NONE)
        return add_axis(w, 1, value->at);
    n = w->a->shape[w->axis];
    if (is_lap_slice(value) || value->kind == NP_LAP)
        return take_lap(w, value, n);
    if (value->kind == NP_SLICE) {
        if (!resolve_slice(w->u, value, n, &first, &step, &count) || !add_axis(w, count, value->at))
            return false;
        follow(w, (int)w->view->ndim - 1, first, step, NULL);
        return true;
    }
    if (!static_index(w->u, value, "an index", &first))
        return false;
    if (first < -(np_int)n || first >= (np_int)n)
        return outside(w->u, first, n, value->at).kind != NP_ERROR;
    follow(w, -1, first < 0 ? first + (np_int)n : first, 1, NULL);
    return true;
}

static bool take_rest(struct viewing *viewing, uint32_t more, struct span at) {
    for (; more; more--) {
        if (!add_axis(viewing, viewing->a->shape[viewing->axis], at))
            return false;
        follow(viewing, (int)viewing->view->ndim - 1, 0, 1, NULL);
    }
    return true;
}

static struct array_ref *view_of(struct np_unit *unit, const struct array_ref *ref,
                                 const struct np_value *items, uint32_t count, struct span at) {
    struct array_ref *v = np_is_empty(ref) ? np_empty(unit, ref->type, 0, NULL, at)
                                           : array_open_view(&unit->arrays, ref, at);
    struct viewing w = {unit, ref, v, 0};
    uint32_t named = axes_named(items, count);
    bool rest = false;
    if (named > ref->ndim) {
        np_error(unit, at, "%u indices, and the array has %u ax%s", named, ref->ndim,
                 ref->ndim == 1 ? "is" : "es");
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool dots = items[i].kind == NP_ELLIPSIS && !rest;
        rest |= dots;
        if (dots ? !take_rest(&w, ref->ndim - named, at) : !take_item(&w, &items[i]))
            return NULL;
    }
    if (!rest && !take_rest(&w, ref->ndim - w.axis, at))
        return NULL;
    return np_is_empty(v) ? np_empty(unit, ref->type, v->ndim, v->shape, at) : v;
}

/* ---- tables ---- */

static struct np_value table_element(struct np_unit *unit, const struct array_ref *ref,
                                     const struct np_value *items, uint32_t count, struct span at) {
    uint64_t element = 0;
    np_int i;
    for (uint32_t d = 0; d < count; d++) {
        uint64_t n = ref->shape[d];
        if (!static_index(unit, &items[d], "an index of a table", &i))
            return none;
        if (i < -(np_int)n || i >= (np_int)n)
            return outside(unit, i, n, items[d].at);
        element = element * n + (uint64_t)(i < 0 ? i + (np_int)n : i);
    }
    return np_array_value(array_table_element(&unit->arrays, ref, element, at), at);
}

/* Of a table in lanes, which looks up the number of its lane. */
enum { MOST_ENTRIES = 1 << 16 };

struct array_ref *np_table_in_lanes(struct np_unit *unit, const struct array_ref *t,
                                    struct span at) {
    if (t->table->linked || t->table->count > MOST_ENTRIES) {
        np_error(unit, at,
                 t->table->linked
                     ? "a host table has elements, and is no array of lanes: name one, as in `k[0]`"
                     : "a table of more than %d entries is a parameter",
                 MOST_ENTRIES);
        return NULL;
    }
    return array_table_in_lanes(&unit->arrays, t, at);
}

/* ---- masks and indices ---- */

/* The only item is an array: of bools, or of indices. */
static bool is_only(const struct np_value *items, uint32_t count, bool mask) {
    return count == 1 && items[0].kind == NP_ARRAY && items[0].array->ndim > 0 &&
           array_is_bool(items[0].array->type) == mask;
}

/* A mask that is a table comes into lanes; false after reporting. */
static bool bring_mask(struct np_unit *unit, struct np_value *items, uint32_t count) {
    if (is_only(items, count, true) && items[0].array->table)
        items[0].array = np_table_in_lanes(unit, items[0].array, items[0].at);
    return count != 1 || items[0].kind != NP_ARRAY || items[0].array;
}

static bool mask_fits(struct np_unit *unit, const struct np_value *value,
                      const struct np_value *mask, struct span at) {
    const struct array_ref *a = value->array, *m = mask->array;
    if (!value->mask != !mask->mask) {
        np_error(unit, at, "x[mask] is masked by what is computed of it, as in `y[y > 3]`");
        return false;
    }
    if (array_same_shape(a->ndim, a->shape, m->ndim, m->shape))
        return true;
    np_error(unit, at, "a mask of shape %s of an array of shape %s",
             np_shape_string(unit, m->ndim, m->shape), np_shape_string(unit, a->ndim, a->shape));
    np_note(unit, m->at, "the mask is made here");
    return false;
}

/* NumPy reads masks as it writes: of a view it would find what was written. */
static bool mask_stays(struct np_unit *unit, const struct array_ref *ref,
                       const struct array_ref *mask, struct span at) {
    if (!mask->root || mask->root != ref->root || array_same_maps(mask, ref))
        return true;
    np_error(unit, at, "the mask is a view of the array that is written");
    np_note(unit, mask->at, "the view is made here; `%s.copy()` keeps what it is now",
            np_operand_text(unit, mask->at));
    return false;
}

/* Both are kept as they are: neither may be written before it is read. */
static struct np_value masked(struct np_unit *unit, const struct np_value *value,
                              const struct np_value *mask, struct span at) {
    if (!mask_fits(unit, value, mask, at) ||
        (value->mask && !np_same_mask(unit, value->mask, mask->mask, at)))
        return none;
    struct array_ref *args[] = {mask->array, (struct array_ref *)(uintptr_t)value->mask};
    struct array_ref *both = mask->array;
    if (value->mask)
        both = np_elementwise(unit, NP_OP_AND, 2, args, both->type, 0, NULL, at);
    if (!both)
        return none;
    struct np_value x = np_array_value(array_view_of(&unit->arrays, value->array, at), at);
    x.mask = array_view_of(&unit->arrays, both, value->mask ? at : both->at);
    return x;
}

static struct np_value by_indices(struct np_unit *unit, struct np_value base, struct np_value index,
                                  struct span at) {
    struct np_value items[4] = {
        base, index, {.kind = NP_NONE, .at = at}, {.kind = NP_NONE, .at = at}};
    const struct np_args take = {"x[i]", at, items, 0};
    return np_function_find("take")->call(unit, &take);
}

static struct np_value of_items(struct np_unit *unit, const struct np_value *list,
                                const struct np_value *items, uint32_t count, struct span at) {
    np_int i, n = list->count, first, step;
    uint64_t length;
    if (count != 1)
        return np_error(unit, at, "%s has one index", np_value_text(unit, list));
    if (items[0].kind == NP_SLICE) {
        if (!resolve_slice(unit, &items[0], list->count, &first, &step, &length))
            return none;
        struct np_value *part = ARENA_ARRAY(&unit->arena, length, struct np_value);
        for (uint64_t k = 0; k < length; k++)
            part[k] = list->items[first + (np_int)k * step];
        return np_items_value(list->kind == NP_LIST ? NP_LIST : NP_TUPLE, part, (uint32_t)length,
                              at);
    }
    if (!np_static_int(unit, &items[0], "an index of a list", &i))
        return none;
    if (i < -n || i >= n)
        return outside(unit, i, list->count, items[0].at);
    struct np_value v = list->items[i < 0 ? i + n : i];
    v.at = at;
    return v;
}

struct np_value np_index(struct np_unit *unit, struct np_value base, struct np_value *items,
                         uint32_t count, struct span at) {
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ERROR)
            return none;
    if (np_is_list(&base))
        return of_items(unit, &base, items, count, at);
    if (base.kind == NP_TEXT) {
        base.count = np_characters(unit, &base, &base.items);
        struct np_value v = of_items(unit, &base, items, count, at);
        return np_is_list(&v) ? np_joined_text(unit, &v, at) : v;
    }
    if (base.kind == NP_ERROR)
        return none;
    if (base.kind != NP_ARRAY || base.array->ndim == 0)
        return np_error(unit, at, "%s has no elements", np_value_text(unit, &base));
    if (!bring_mask(unit, items, count))
        return none;
    if (is_only(items, count, false))
        return by_indices(unit, base, items[0], at);
    struct array_ref *a = base.array;
    if (a->table && count == a->ndim && axes_named(items, count) == count &&
        items[0].kind == NP_INT)
        return table_element(unit, a, items, count, at);
    if (a->table && !(a = base.array = np_table_in_lanes(unit, a, at)))
        return none;
    if (is_only(items, count, true))
        return masked(unit, &base, &items[0], at);
    if (base.mask)
        return np_error(unit, at, "x[mask] is indexed by a mask alone");
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ARRAY)
            return np_error(unit, items[i].at,
                            "indices that are arrays stand alone: `x[i]` with an array of integers "
                            "or a mask of x's shape");
    return np_array_value(view_of(unit, a, items, count, at), at);
}

/* ---- writing ---- */

/* The array itself, where it may be written. */
static struct array_ref *writable(struct np_unit *unit, const struct np_value *base,
                                  struct span at) {
    if (base->kind == NP_ERROR)
        return NULL;
    if (base->kind != NP_ARRAY || base->array->table || base->array->ndim == 0 || base->mask) {
        np_error(unit, at, "%s has no elements that are written", np_value_text(unit, base));
        return NULL;
    }
    if (!base->array->is_view)
        return base->array;
    np_no_view(unit, base->array, at);
    return NULL;
}

/* What is stored becomes the array's type, where NumPy's casting="same_kind" does it; of Python's
 * numbers those that fit. */
static struct array_ref *stored(struct np_unit *unit, const struct array_ref *into,
                                const struct np_value *value, struct span at) {
    if (value->kind != NP_ARRAY || value->counts || np_same_kind(value->array->type, into->type))
        return np_at_type(unit, value, into->type, "=", at);
    np_error(unit, value->at, "%s is stored in an array of type %s", np_value_text(unit, value),
             np_type_short(into->type));
    np_offer_cast(unit, value, into->type);
    return NULL;
}

static bool goes_into(struct np_unit *unit, const struct array_ref *view,
                      const struct array_ref *ref, struct span at) {
    uint32_t front = ref->ndim;
    bool fits = true;
    for (uint32_t v = 0; v < ref->ndim && v < front; v++)
        if (ref->ndim - v <= view->ndim || ref->shape[v] != 1)
            front = v;
    fits = ref->ndim - front <= view->ndim;
    for (uint32_t v = front; fits && v < ref->ndim; v++)
        fits = ref->shape[v] == 1 || ref->shape[v] == view->shape[v + view->ndim - ref->ndim];
    if (fits)
        return true;
    np_goes_not_into(unit, ref, view->ndim, view->shape, at);
    return false;
}

/* to = where(mask, from, to); of one value, or of what the mask chooses of all. */
static void store_masked(struct np_unit *unit, struct array_ref *to, const struct np_value *mask,
                         struct array_ref *from, bool chosen, struct span at) {
    const struct np_value whole = np_array_value(to, at);
    struct array_ref *args[] = {mask->array, from, to};
    if (from->ndim && !chosen) {
        np_error(unit, at,
                 "what is stored by a mask is one value for all; "
                 "`np.where(mask, a, b)` takes arrays");
    } else if (mask_fits(unit, &whole, mask, at) && mask_stays(unit, to, mask->array, at)) {
        struct array_ref *z = np_elementwise(unit, NP_OP_WHERE, 3, args, to->type, 0, to->root, at);
        to->range = z ? z->range : to->range;
    }
}

void np_store(struct np_unit *unit, struct np_value base, struct np_value *items, uint32_t count,
              struct np_value value, struct span at) {
    struct array_ref *y = writable(unit, &base, at);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ERROR)
            return;
    if (!bring_mask(unit, items, count))
        return;
    bool masked_value = value.kind == NP_ARRAY && value.mask && is_only(items, count, true);
    if (y && masked_value && !np_same_mask(unit, value.mask, items[0].array, at))
        return;
    value.mask = masked_value ? NULL : value.mask;
    struct array_ref *x = y && value.kind != NP_ERROR ? stored(unit, y, &value, at) : NULL;
    if (!x)
        return;
    if (is_only(items, count, true)) {
        store_masked(unit, y, &items[0], x, masked_value, at);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ARRAY) {
            np_error(unit, items[i].at,
                     "elements are stored at numbers, slices or a mask; indices "
                     "that are data are read with `x[i]`, and not written");
            return;
        }
    struct array_ref *view = view_of(unit, y, items, count, at);
    if (!view || !goes_into(unit, view, x, at) || !np_readable(unit, x, at) || np_is_empty(view))
        return;
    np_check_names(unit, y->root, at);
    array_store(&unit->arrays, y, view, x, at);
}

bool np_compute_masked(struct np_unit *unit, struct np_value base, struct np_value *items,
                       uint32_t count, enum np_operator op, struct np_value value, struct span at) {
    if (!is_only(items, count, true) || base.kind != NP_ARRAY)
        return false;
    struct array_ref *y = writable(unit, &base, at);
    if (!y || value.kind == NP_ERROR || !bring_mask(unit, items, count))
        return true;
    if (value.kind == NP_ARRAY && value.mask && !np_same_mask(unit, value.mask, items[0].array, at))
        return true;
    if (value.kind == NP_ARRAY && value.array->ndim && !value.mask) {
        np_error(unit, at, "what x[mask] is computed with is one value for all");
        return true;
    }
    value.mask = NULL;
    struct np_value x = np_binary(unit, op, base, value, NULL, at);
    if (x.kind == NP_ARRAY && !np_same_kind(x.array->type, y->type))
        return np_not_in_place(unit, x.array->type, y->type, at), true;
    struct array_ref *args[] = {items[0].array, x.array, y};
    if (x.kind == NP_ARRAY && !array_same_type(x.array->type, y->type))
        args[1] = np_cast(unit, x.array, y->type, at);
    if (x.kind == NP_ARRAY && args[1] && mask_fits(unit, &base, &items[0], at) &&
        mask_stays(unit, y, items[0].array, at))
        np_elementwise(unit, NP_OP_WHERE, 3, args, y->type, 0, y->root, at);
    y->range = array_type_range(y->type);
    return true;
}
