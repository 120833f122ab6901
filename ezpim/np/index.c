/* SPDX-License-Identifier: MIT
 * x[..], read and written: views by numbers and slices, selections by masks, elements by indices.
 */
#include "ezpim/np/unit.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

/* ---- views ---- */

static struct np_value outside(struct np_unit *u, np_int i, uint64_t n, struct span at) {
    struct str text = {0};
    np_number_text(i, &text);
    np_error(u, at, "index %s is outside of an axis of length %llu", str_text(&text),
             (unsigned long long)n);
    str_free(&text);
    return none;
}

/* A bound of a slice, as Python clips it. */
static np_int clipped(const struct np_value *v, np_int usual, np_int least, np_int most,
                      uint64_t n) {
    if (v->kind == NP_NONE)
        return usual;
    np_int i = v->number < 0 ? v->number + (np_int)n : v->number;
    return i < least ? least : i > most ? most : i;
}

/* first, step and how many; false after reporting. */
static bool resolve_slice(struct np_unit *u, const struct np_value *s, uint64_t n, np_int *first,
                          np_int *step, uint64_t *count) {
    np_int last, x;
    for (uint32_t i = 0; i < 3; i++)
        if (s->items[i].kind != NP_NONE &&
            !np_static_int(u, &s->items[i], "a bound of a slice", &x))
            return false;
    *step = s->items[2].kind == NP_NONE ? 1 : s->items[2].number;
    if (*step == 0) {
        np_error(u, s->at, "the step of a slice is 0");
        return false;
    }
    if (*step > 0) {
        *first = clipped(&s->items[0], 0, 0, (np_int)n, n);
        last = clipped(&s->items[1], (np_int)n, 0, (np_int)n, n);
        *count = last > *first ? (uint64_t)((last - *first + *step - 1) / *step) : 0;
    } else {
        *first = clipped(&s->items[0], (np_int)n - 1, -1, (np_int)n - 1, n);
        last = clipped(&s->items[1], -1, -1, (np_int)n - 1, n);
        *count = *first > last ? (uint64_t)((*first - last - *step - 1) / -*step) : 0;
    }
    if (*count)
        return true;
    np_error(u, s->at, "the slice has no elements: an axis has at least one");
    return false;
}

/* True and False are masks, and no numbers. */
static bool static_index(struct np_unit *u, const struct np_value *v, const char *what,
                         np_int *out) {
    if (v->kind == NP_BOOL)
        return np_error(u, v->at, "%s is a number, and NumPy takes True and False for masks", what),
               false;
    return np_static_int(u, v, what, out);
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

static bool add_axis(struct viewing *w, uint64_t n, struct span at) {
    if (w->view->ndim == ARRAY_DIMS) {
        np_error(w->u, at, "an array has at most %d axes", ARRAY_DIMS);
        return false;
    }
    w->view->shape[w->view->ndim++] = n;
    return true;
}

/* The next axis of the array becomes axis `to` of the view, or (-1) is dropped. */
static void follow(struct viewing *w, int to, np_int first, np_int step,
                   const struct array_laps *laps) {
    array_follow(w->view, w->a,
                 (struct array_step){w->axis++, to, (int64_t)first, (int64_t)step, laps});
}

static bool is_lap_slice(const struct np_value *v) {
    return v->kind == NP_SLICE && (v->items[0].kind == NP_LAP || v->items[1].kind == NP_LAP);
}

/* x[i], or x[i + a:i + b]: as many elements in each lap. */
static bool take_lap(struct viewing *w, const struct np_value *v, uint64_t n) {
    const struct np_value *first = v->kind == NP_SLICE ? &v->items[0] : v;
    struct array_range r = np_lap_range(w->u, first);
    np_int count = 1, step = 1;
    if (v->kind == NP_SLICE) {
        const struct np_value *last = &v->items[1];
        bool same = first->kind == NP_LAP && last->kind == NP_LAP &&
                    memcmp(first->laps, last->laps, sizeof *last->laps) == 0;
        step = v->items[2].kind == NP_NONE  ? 1
               : v->items[2].kind == NP_INT ? v->items[2].number
                                            : 0;
        count = same && step > 0 ? (last->number - first->number + step - 1) / step : 0;
        r.high += last->number - first->number - 1;
    }
    np_int back = r.high < 0 && v->kind == NP_LAP ? (np_int)n : 0;
    if (count < 1 || r.low + back < 0 || r.high + back >= (np_int)n)
        return np_error(w->u, v->at, "the index is outside in some lap").kind != NP_ERROR;
    if (v->kind == NP_SLICE && !add_axis(w, (uint64_t)count, v->at))
        return false;
    int to = v->kind == NP_SLICE ? (int)w->view->ndim - 1 : -1;
    follow(w, to, first->number + back, step, first->laps);
    return true;
}

static bool take_item(struct viewing *w, const struct np_value *v) {
    np_int first = 0, step = 1;
    uint64_t n = 1, count;
    if (v->kind == NP_NONE)
        return add_axis(w, 1, v->at);
    n = w->a->shape[w->axis];
    if (is_lap_slice(v) || v->kind == NP_LAP)
        return take_lap(w, v, n);
    if (v->kind == NP_SLICE) {
        if (!resolve_slice(w->u, v, n, &first, &step, &count) || !add_axis(w, count, v->at))
            return false;
        follow(w, (int)w->view->ndim - 1, first, step, NULL);
        return true;
    }
    if (!static_index(w->u, v, "an index", &first))
        return false;
    if (first < -(np_int)n || first >= (np_int)n)
        return outside(w->u, first, n, v->at).kind != NP_ERROR;
    follow(w, -1, first < 0 ? first + (np_int)n : first, 1, NULL);
    return true;
}

static bool take_rest(struct viewing *w, uint32_t more, struct span at) {
    for (; more; more--) {
        if (!add_axis(w, w->a->shape[w->axis], at))
            return false;
        follow(w, (int)w->view->ndim - 1, 0, 1, NULL);
    }
    return true;
}

static struct array_ref *view_of(struct np_unit *u, const struct array_ref *a,
                                 const struct np_value *items, uint32_t count, struct span at) {
    struct array_ref *v = array_open_view(&u->arrays, a, at);
    struct viewing w = {u, a, v, 0};
    uint32_t named = axes_named(items, count);
    bool rest = false;
    if (named > a->ndim) {
        np_error(u, at, "%u indices, and the array has %u ax%s", named, a->ndim,
                 a->ndim == 1 ? "is" : "es");
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool dots = items[i].kind == NP_ELLIPSIS && !rest;
        rest |= dots;
        if (dots ? !take_rest(&w, a->ndim - named, at) : !take_item(&w, &items[i]))
            return NULL;
    }
    return rest || take_rest(&w, a->ndim - w.axis, at) ? v : NULL;
}

/* ---- tables ---- */

static struct np_value table_element(struct np_unit *u, const struct array_ref *t,
                                     const struct np_value *items, uint32_t count, struct span at) {
    uint64_t element = 0;
    np_int i;
    for (uint32_t d = 0; d < count; d++) {
        uint64_t n = t->shape[d];
        if (!static_index(u, &items[d], "an index of a table", &i))
            return none;
        if (i < -(np_int)n || i >= (np_int)n)
            return outside(u, i, n, items[d].at);
        element = element * n + (uint64_t)(i < 0 ? i + (np_int)n : i);
    }
    return np_array_value(array_table_element(&u->arrays, t, element, at), at);
}

/* Selections that a table in lanes may take. */
enum { MOST_ENTRIES = 4096 };

struct array_ref *np_table_in_lanes(struct np_unit *u, const struct array_ref *t, struct span at) {
    if (t->table->linked || t->table->count > MOST_ENTRIES) {
        np_error(u, at,
                 t->table->linked
                     ? "a host table has elements, and is no array of lanes: name one, as in `k[0]`"
                     : "a table of more than %d entries is a parameter",
                 MOST_ENTRIES);
        return NULL;
    }
    return array_table_in_lanes(&u->arrays, t, at);
}

/* ---- masks and indices ---- */

/* The only item is an array: of bools, or of indices. */
static bool is_only(const struct np_value *items, uint32_t count, bool mask) {
    return count == 1 && items[0].kind == NP_ARRAY && items[0].array->ndim > 0 &&
           array_is_bool(items[0].array->type) == mask;
}

static bool mask_fits(struct np_unit *u, const struct np_value *v, const struct np_value *mask,
                      struct span at) {
    const struct array_ref *a = v->array, *m = mask->array;
    if (!v->mask != !mask->mask) {
        np_error(u, at, "x[mask] is masked by what is computed of it, as in `y[y > 3]`");
        return false;
    }
    if (array_same_shape(a->ndim, a->shape, m->ndim, m->shape))
        return true;
    np_error(u, at, "a mask of shape %s of an array of shape %s",
             np_shape_string(u, m->ndim, m->shape), np_shape_string(u, a->ndim, a->shape));
    np_note(u, m->at, "the mask is made here");
    return false;
}

/* NumPy reads masks as it writes: of a view it would find what was written. */
static bool mask_stays(struct np_unit *u, const struct array_ref *y, const struct array_ref *mask,
                       struct span at) {
    if (!mask->root || mask->root != y->root || array_same_maps(mask, y))
        return true;
    np_error(u, at, "the mask is a view of the array that is written");
    np_note(u, mask->at, "the view is made here; `%s.copy()` keeps what it is now",
            np_operand_text(u, mask->at));
    return false;
}

/* Both are kept as they are: neither may be written before it is read. */
static struct np_value masked(struct np_unit *u, const struct np_value *v,
                              const struct np_value *mask, struct span at) {
    if (!mask_fits(u, v, mask, at) || (v->mask && !np_same_mask(u, v->mask, mask->mask, at)))
        return none;
    struct array_ref *args[] = {mask->array, (struct array_ref *)(uintptr_t)v->mask};
    struct array_ref *both = mask->array;
    if (v->mask)
        both = np_elementwise(u, NP_OP_AND, 2, args, both->type, 0, NULL, at);
    if (!both)
        return none;
    struct np_value x = np_array_value(array_view_of(&u->arrays, v->array, at), at);
    x.mask = array_view_of(&u->arrays, both, at);
    return x;
}

static struct np_value by_indices(struct np_unit *u, struct np_value base, struct np_value index,
                                  struct span at) {
    struct np_value items[4] = {
        base, index, {.kind = NP_NONE, .at = at}, {.kind = NP_NONE, .at = at}};
    const struct np_args take = {"x[i]", at, items, 0};
    return np_function_find("take")->call(u, &take);
}

static struct np_value of_items(struct np_unit *u, const struct np_value *list,
                                const struct np_value *items, uint32_t count, struct span at) {
    np_int i, n = list->count, first, step;
    uint64_t length;
    if (count != 1)
        return np_error(u, at, "a %s has one index", list->kind == NP_LIST ? "list" : "tuple");
    if (items[0].kind == NP_SLICE) {
        if (!resolve_slice(u, &items[0], list->count, &first, &step, &length))
            return none;
        struct np_value *part = ARENA_ARRAY(&u->arena, length, struct np_value);
        for (uint64_t k = 0; k < length; k++)
            part[k] = list->items[first + (np_int)k * step];
        return np_items_value(list->kind, part, (uint32_t)length, at);
    }
    if (!np_static_int(u, &items[0], "an index of a list", &i))
        return none;
    if (i < -n || i >= n)
        return outside(u, i, list->count, items[0].at);
    struct np_value v = list->items[i < 0 ? i + n : i];
    v.at = at;
    return v;
}

struct np_value np_index(struct np_unit *u, struct np_value base, struct np_value *items,
                         uint32_t count, struct span at) {
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ERROR)
            return none;
    if (np_is_list(&base))
        return of_items(u, &base, items, count, at);
    if (base.kind == NP_ERROR)
        return none;
    if (base.kind != NP_ARRAY || base.array->ndim == 0)
        return np_error(u, at, "%s has no elements", np_value_text(u, &base));
    if (is_only(items, count, false))
        return by_indices(u, base, items[0], at);
    struct array_ref *a = base.array;
    if (a->table && count == a->ndim && axes_named(items, count) == count &&
        items[0].kind == NP_INT)
        return table_element(u, a, items, count, at);
    if (a->table && !(a = base.array = np_table_in_lanes(u, a, at)))
        return none;
    if (is_only(items, count, true))
        return masked(u, &base, &items[0], at);
    if (base.mask)
        return np_error(u, at, "x[mask] is indexed by a mask alone");
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ARRAY)
            return np_error(u, items[i].at,
                            "indices that are arrays stand alone: `x[i]` with an array of integers "
                            "or a mask of x's shape");
    return np_array_value(view_of(u, a, items, count, at), at);
}

/* ---- writing ---- */

/* The array itself, where it may be written. */
static struct array_ref *writable(struct np_unit *u, const struct np_value *base, struct span at) {
    if (base->kind == NP_ERROR)
        return NULL;
    if (base->kind != NP_ARRAY || base->array->table || base->array->ndim == 0 || base->mask) {
        np_error(u, at, "%s has no elements that are written", np_value_text(u, base));
        return NULL;
    }
    if (!base->array->is_view)
        return base->array;
    np_no_view(u, base->array, at);
    return NULL;
}

/* What is stored has the array's type; of Python's numbers those that fit. */
static struct array_ref *stored(struct np_unit *u, const struct array_ref *y,
                                const struct np_value *v, struct span at) {
    if (v->kind != NP_ARRAY)
        return np_fitting(u, v, y->type, at);
    struct array_ref *x = np_need_array(u, v, "=");
    if (!x)
        return NULL;
    if (v->counts) {
        if (array_range_within(x->range, array_type_range(y->type)))
            return np_cast(u, x, y->type, v->at);
        np_error(u, v->at, "the count may not fit %s", np_type_short(y->type));
        return NULL;
    }
    if (array_same_type(x->type, y->type))
        return x;
    np_error(u, v->at, "%s is stored in an array of type %s", np_value_text(u, v),
             np_type_short(y->type));
    np_offer(u, v->at, "%s.astype(np.%s)", np_operand_text(u, v->at), np_type_name(y->type));
    return NULL;
}

static bool goes_into(struct np_unit *u, const struct array_ref *view, const struct array_ref *x,
                      struct span at) {
    uint32_t front = x->ndim;
    bool fits = true;
    for (uint32_t v = 0; v < x->ndim && v < front; v++)
        if (x->ndim - v <= view->ndim || x->shape[v] != 1)
            front = v;
    fits = x->ndim - front <= view->ndim;
    for (uint32_t v = front; fits && v < x->ndim; v++)
        fits = x->shape[v] == 1 || x->shape[v] == view->shape[v + view->ndim - x->ndim];
    if (fits)
        return true;
    np_goes_not_into(u, x, view->ndim, view->shape, at);
    return false;
}

/* y = where(mask, x, y). */
static void store_masked(struct np_unit *u, struct array_ref *y, const struct np_value *mask,
                         struct array_ref *x, struct span at) {
    const struct np_value whole = np_array_value(y, at);
    struct array_ref *args[] = {mask->array, x, y};
    if (x->ndim) {
        np_error(u, at,
                 "what is stored by a mask is one value for all; "
                 "`np.where(mask, a, b)` takes arrays");
    } else if (mask_fits(u, &whole, mask, at) && mask_stays(u, y, mask->array, at)) {
        struct array_ref *z = np_elementwise(u, NP_OP_WHERE, 3, args, y->type, 0, y->root, at);
        y->range = z ? z->range : y->range;
    }
}

void np_store(struct np_unit *u, struct np_value base, struct np_value *items, uint32_t count,
              struct np_value v, struct span at) {
    struct array_ref *y = writable(u, &base, at);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ERROR)
            return;
    struct array_ref *x = y && v.kind != NP_ERROR ? stored(u, y, &v, at) : NULL;
    if (!x)
        return;
    if (is_only(items, count, true)) {
        store_masked(u, y, &items[0], x, at);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ARRAY) {
            np_error(u, items[i].at,
                     "elements are stored at numbers, slices or a mask; indices "
                     "that are data are read with `x[i]`, and not written");
            return;
        }
    struct array_ref *view = view_of(u, y, items, count, at);
    if (!view || !goes_into(u, view, x, at) || !np_readable(u, x, at))
        return;
    np_check_names(u, y->root, at);
    array_store(&u->arrays, y, view, x, at);
}

bool np_compute_masked(struct np_unit *u, struct np_value base, struct np_value *items,
                       uint32_t count, enum np_operator op, struct np_value v, struct span at) {
    if (!is_only(items, count, true) || base.kind != NP_ARRAY)
        return false;
    struct array_ref *y = writable(u, &base, at);
    if (!y || v.kind == NP_ERROR)
        return true;
    if (v.kind == NP_ARRAY && v.array->ndim) {
        np_error(u, at, "what x[mask] is computed with is one value for all");
        return true;
    }
    struct np_value x = np_binary(u, op, base, v, NULL, at);
    struct array_ref *args[] = {items[0].array, x.array, y};
    if (x.kind == NP_ARRAY && mask_fits(u, &base, &items[0], at) &&
        mask_stays(u, y, items[0].array, at))
        np_elementwise(u, NP_OP_WHERE, 3, args, y->type, 0, y->root, at);
    y->range = array_type_range(y->type);
    return true;
}
