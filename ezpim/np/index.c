/* SPDX-License-Identifier: MIT
 * x[..], read and written: views by numbers and slices, selections by masks, elements by indices.
 */
#include "ezpim/np/unit.h"
#include "ezpim/array/select.h"
#include "support/bits.h"

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

/* Axis `from` of the array becomes axis `to` of the view. */
struct axis_step {
    uint32_t from;
    int to; /* -1: it is dropped */
    np_int first, step;
    const struct np_laps *laps; /* by which `first` grows; or NULL */
};

static void follow(struct np_array *view, const struct np_array *a, struct axis_step s) {
    for (uint32_t r = 0; r < a->rdim; r++) {
        int64_t c = a->map[r].coeff[s.from];
        view->map[r].offset += c * (int64_t)s.first;
        if (s.laps)
            np_laps_add(&view->map[r].laps, c, s.laps);
        if (s.to >= 0)
            view->map[r].coeff[s.to] = c * (int64_t)s.step;
    }
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
    const struct np_array *a;
    struct np_array *view;
    uint32_t axis; /* of a, next */
};

static bool add_axis(struct viewing *w, uint64_t n, struct span at) {
    if (w->view->ndim == NP_DIMS) {
        np_error(w->u, at, "an array has at most %d axes", NP_DIMS);
        return false;
    }
    w->view->shape[w->view->ndim++] = n;
    return true;
}

static bool is_lap_slice(const struct np_value *v) {
    return v->kind == NP_SLICE && (v->items[0].kind == NP_LAP || v->items[1].kind == NP_LAP);
}

/* x[i], or x[i + a:i + b]: as many elements in each lap. */
static bool take_lap(struct viewing *w, const struct np_value *v, uint64_t n) {
    const struct np_value *first = v->kind == NP_SLICE ? &v->items[0] : v;
    struct np_range r = np_lap_range(w->u, first);
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
    follow(w->view, w->a,
           (struct axis_step){w->axis++, to, first->number + back, step, first->laps});
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
        follow(w->view, w->a,
               (struct axis_step){w->axis++, (int)w->view->ndim - 1, first, step, NULL});
        return true;
    }
    if (!static_index(w->u, v, "an index", &first))
        return false;
    if (first < -(np_int)n || first >= (np_int)n)
        return outside(w->u, first, n, v->at).kind != NP_ERROR;
    follow(w->view, w->a,
           (struct axis_step){w->axis++, -1, first < 0 ? first + (np_int)n : first, 1, NULL});
    return true;
}

static bool take_rest(struct viewing *w, uint32_t more, struct span at) {
    for (; more; more--) {
        if (!add_axis(w, w->a->shape[w->axis], at))
            return false;
        follow(w->view, w->a, (struct axis_step){w->axis++, (int)w->view->ndim - 1, 0, 1, NULL});
    }
    return true;
}

static struct np_array *view_of(struct np_unit *u, const struct np_array *a,
                                const struct np_value *items, uint32_t count, struct span at) {
    struct np_array *v = np_copy_view(u, a, at);
    struct viewing w = {u, a, v, 0};
    uint32_t named = axes_named(items, count);
    bool rest = false;
    if (named > a->ndim) {
        np_error(u, at, "%u indices, and the array has %u ax%s", named, a->ndim,
                 a->ndim == 1 ? "is" : "es");
        return NULL;
    }
    v->ndim = 0;
    for (uint32_t r = 0; r < a->rdim; r++) {
        memset(v->map[r].coeff, 0, sizeof v->map[r].coeff);
        v->map[r].offset = a->map[r].offset;
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

static struct np_value table_element(struct np_unit *u, const struct np_array *t,
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
    struct np_uniform *x = ARENA_NEW(&u->arena, struct np_uniform);
    *x = (struct np_uniform){.kind = t->table->linked ? NP_UNIFORM_LINK : NP_UNIFORM_CONSTANT,
                             .type = t->type,
                             .link = t->table->link,
                             .element = (uint32_t)element};
    struct np_array *a = np_uniform_array(u, x, at);
    if (!t->table->linked) {
        x->pattern = t->table->entries[element];
        np_int v =
            t->type.kind == TYPE_INT ? sign_extend(x->pattern, t->type.bits) : (np_int)x->pattern;
        a->range = (struct np_range){v, v};
    }
    return np_array_value(a, at);
}

/* Selections that a table in lanes may take. */
enum { MOST_ENTRIES = 4096 };

static uint32_t number_type_bits(uint64_t n) {
    uint32_t bits = 1;
    while ((n - 1) >> bits)
        bits++;
    return bits;
}

struct np_array *np_table_in_lanes(struct np_unit *u, const struct np_array *t, struct span at) {
    if (t->table->linked || t->table->count > MOST_ENTRIES) {
        np_error(u, at,
                 t->table->linked
                     ? "a host table has elements, and is no array of lanes: name one, as in `k[0]`"
                     : "a table of more than %d entries is a parameter",
                 MOST_ENTRIES);
        return NULL;
    }
    struct np_array *a = np_new_array(u, t->type, t->ndim, t->shape, at);
    struct mpu_type index = {TYPE_UINT, (uint8_t)number_type_bits(t->table->count)};
    const struct array_table table = {t->table->entries, t->table->count, t->type};
    np_begin(u, t->ndim, t->shape, at);
    uint32_t lane = ir_lane_index(&u->b, index, IR_NONE, at);
    array_select(&u->b, &table, (struct array_index){index, t->table->count - 1}, lane,
                 ir_element(&u->b, a->root->variable, 0), at);
    a->range = t->range;
    return a;
}

/* ---- masks and indices ---- */

/* The only item, where it is an array of that sort. */
static struct np_array *only_array(const struct np_value *items, uint32_t count, bool mask) {
    if (count != 1 || items[0].kind != NP_ARRAY || items[0].array->ndim == 0)
        return NULL;
    return np_is_bool(items[0].array->type) == mask ? items[0].array : NULL;
}

static bool mask_fits(struct np_unit *u, const struct np_array *a, const struct np_array *mask,
                      struct span at) {
    if (!a->mask != !mask->mask) {
        np_error(u, at, "x[mask] is masked by what is computed of it, as in `y[y > 3]`");
        return false;
    }
    if (np_same_shape(a->ndim, a->shape, mask->ndim, mask->shape))
        return true;
    struct str x = {0}, y = {0};
    np_shape_text(a->ndim, a->shape, &x);
    np_shape_text(mask->ndim, mask->shape, &y);
    np_error(u, at, "a mask of shape %s of an array of shape %s", str_text(&y), str_text(&x));
    np_note(u, mask->at, "the mask is made here");
    str_free(&x);
    str_free(&y);
    return false;
}

/* Both are kept as they are: neither may be written before it is read. */
static struct np_value masked(struct np_unit *u, const struct np_array *a, struct np_array *mask,
                              struct span at) {
    if (!mask_fits(u, a, mask, at))
        return none;
    if (a->mask && mask->mask && !np_same_mask(u, a->mask, mask->mask, at))
        return none;
    struct np_array *args[] = {mask, (struct np_array *)a->mask};
    struct np_array *both = mask;
    if (a->mask)
        both = np_elementwise(u, NP_OP_AND, 2, args, mask->type, 0, NULL, at);
    if (!both)
        return none;
    struct np_array *x = np_copy_view(u, a, at);
    x->mask = np_copy_view(u, both, at);
    return np_array_value(x, at);
}

static struct np_value by_indices(struct np_unit *u, struct np_value base, struct np_value index,
                                  struct span at) {
    struct np_value items[4] = {
        base, index, {.kind = NP_NONE, .at = at}, {.kind = NP_NONE, .at = at}};
    const struct np_args take = {"x[i]", at, items, 4, false};
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
    if (base.kind == NP_LIST || base.kind == NP_TUPLE)
        return of_items(u, &base, items, count, at);
    if (base.kind == NP_ERROR)
        return none;
    if (base.kind != NP_ARRAY || base.array->ndim == 0)
        return np_error(u, at, "%s has no elements", np_value_text(u, &base));
    struct np_array *a = base.array, *by = only_array(items, count, false);
    if (by)
        return by_indices(u, base, items[0], at);
    if (a->table && count == a->ndim && axes_named(items, count) == count &&
        items[0].kind == NP_INT)
        return table_element(u, a, items, count, at);
    if (a->table && !(a = np_table_in_lanes(u, a, at)))
        return none;
    by = only_array(items, count, true);
    if (by)
        return masked(u, a, by, at);
    if (a->mask)
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
static struct np_array *writable(struct np_unit *u, const struct np_value *base, struct span at) {
    if (base->kind == NP_ERROR)
        return NULL;
    if (base->kind != NP_ARRAY || base->array->table || base->array->ndim == 0 ||
        base->array->mask) {
        np_error(u, at, "%s has no elements that are written", np_value_text(u, base));
        return NULL;
    }
    if (!base->array->is_view)
        return base->array;
    np_error(u, at, "this is a view of another array, and writing it would change that one, too");
    np_note(u, base->array->at, "the view is made here; `%s.copy()` is an array of its own",
            np_operand_text(u, base->array->at));
    return NULL;
}

/* What is stored has the array's type; of Python's numbers those that fit. */
static struct np_array *stored(struct np_unit *u, const struct np_array *y,
                               const struct np_value *v, struct span at) {
    if (v->kind != NP_ARRAY)
        return np_fitting(u, v, y->type, at);
    struct np_array *x = np_need_array(u, v, "=");
    if (!x)
        return NULL;
    if (x->counts) {
        if (np_range_within(x->range, np_type_range(y->type)))
            return np_cast(u, x, y->type, v->at);
        np_error(u, v->at, "the count may not fit %s", np_type_short(y->type));
        return NULL;
    }
    if (np_same_type(x->type, y->type))
        return x;
    np_error(u, v->at, "%s is stored in an array of type %s", np_value_text(u, v),
             np_type_short(y->type));
    np_offer(u, v->at, "%s.astype(np.%s)", np_operand_text(u, v->at), np_type_name(y->type));
    return NULL;
}

static bool goes_into(struct np_unit *u, const struct np_array *view, const struct np_array *x,
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

/* What goes into an array of fewer axes, without those in front, which have one element. */
static struct np_array *without_front(struct np_unit *u, struct np_array *x, uint32_t ndim) {
    if (x->ndim <= ndim)
        return x;
    uint32_t more = x->ndim - ndim;
    struct np_array *v = np_copy_view(u, x, x->at);
    v->ndim = ndim;
    memmove(v->shape, v->shape + more, ndim * sizeof *v->shape);
    for (uint32_t r = 0; r < v->rdim; r++)
        memmove(v->map[r].coeff, v->map[r].coeff + more, ndim * sizeof *v->map[r].coeff);
    return v;
}

static void widen_range(struct np_array *y, const struct np_array *x) {
    y->range.low = x->range.low < y->range.low ? x->range.low : y->range.low;
    y->range.high = x->range.high > y->range.high ? x->range.high : y->range.high;
}

/* y = where(mask, x, y). */
static void store_masked(struct np_unit *u, struct np_array *y, struct np_array *mask,
                         struct np_array *x, struct span at) {
    struct np_array *args[] = {mask, x, y};
    if (x->ndim) {
        np_error(u, at,
                 "what is stored by a mask is one value for all; "
                 "`np.where(mask, a, b)` takes arrays");
        return;
    }
    if (mask_fits(u, y, mask, at)) {
        struct np_array *z = np_elementwise(u, NP_OP_WHERE, 3, args, y->type, 0, y->root, at);
        y->range = z ? z->range : y->range;
    }
}

void np_store(struct np_unit *u, struct np_value base, struct np_value *items, uint32_t count,
              struct np_value v, struct span at) {
    struct np_array *y = writable(u, &base, at);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ERROR)
            return;
    struct np_array *x = y && v.kind != NP_ERROR ? stored(u, y, &v, at) : NULL;
    if (!x)
        return;
    struct np_array *mask = only_array(items, count, true);
    if (mask) {
        store_masked(u, y, mask, x, at);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == NP_ARRAY) {
            np_error(u, items[i].at,
                     "elements are stored at numbers, slices or a mask; indices "
                     "that are data are read with `x[i]`, and not written");
            return;
        }
    struct np_array *view = view_of(u, y, items, count, at);
    if (!view || !goes_into(u, view, x, at))
        return;
    x = without_front(u, x, view->ndim);
    bool whole = (np_is_storage(view) || np_is_direct(view)) &&
                 np_same_shape(view->ndim, view->shape, y->ndim, y->shape);
    if (whole && np_elementwise(u, NP_OP_PLUS, 1, &x, y->type, 0, y->root, at))
        y->range = x->range;
    else if (!whole && np_write(u, view, x, at))
        widen_range(y, x);
}

bool np_compute_masked(struct np_unit *u, struct np_value base, struct np_value *items,
                       uint32_t count, enum np_operator op, struct np_value v, struct span at) {
    struct np_array *mask = only_array(items, count, true);
    if (!mask || base.kind != NP_ARRAY)
        return false;
    struct np_array *y = writable(u, &base, at);
    if (!y || v.kind == NP_ERROR)
        return true;
    if (v.kind == NP_ARRAY && v.array->ndim) {
        np_error(u, at, "what x[mask] is computed with is one value for all");
        return true;
    }
    struct np_value x = np_binary(u, op, base, v, NULL, at);
    struct np_array *args[] = {mask, x.array, y};
    if (x.kind == NP_ARRAY && mask_fits(u, y, mask, at))
        np_elementwise(u, NP_OP_WHERE, 3, args, y->type, 0, y->root, at);
    y->range = np_type_range(y->type);
    return true;
}
