/* SPDX-License-Identifier: MIT
 * The same elements in another order or shape. */
#include "ezpim/array/select.h"
#include "ezpim/np/functions.h"

#include <string.h>

static const struct np_value none = {.kind = NP_ERROR};

bool np_axis(struct np_unit *u, const struct np_value *v, uint32_t ndim, uint32_t *axis) {
    np_int n;
    if (v->kind == NP_BOOL)
        return np_error(u, v->at, "an axis is a number"), false;
    if (!np_static_int(u, v, "an axis", &n))
        return false;
    if (n < -(np_int)ndim || n >= (np_int)ndim) {
        np_error(u, v->at, "the array has %u ax%s, and this names another one", ndim,
                 ndim == 1 ? "is" : "es");
        return false;
    }
    *axis = (uint32_t)(n < 0 ? n + (np_int)ndim : n);
    return true;
}

/* ---- shapes ---- */

/* One extent of -1 is what is left. */
static bool resolve_shape(struct np_unit *u, const struct np_array *a, struct np_value *v,
                          uint32_t *ndim, uint64_t *shape) {
    uint64_t all = np_elements(a->ndim, a->shape), known = 1;
    struct np_value *free = NULL;
    bool one = v->kind != NP_TUPLE && v->kind != NP_LIST;
    uint32_t count = one ? 1 : v->count;
    struct np_value *items = ARENA_ARRAY(&u->arena, count + 1, struct np_value);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = one ? *v : v->items[i];
        if (items[i].kind == NP_INT && items[i].number == -1 && !free)
            free = &items[i];
        else if (items[i].kind == NP_INT && items[i].number > 0 && known <= all)
            known *= (uint64_t)items[i].number;
    }
    if (free)
        free->number = (np_int)(all / known);
    struct np_value whole = np_items_value(NP_TUPLE, items, count, v->at);
    if (!np_shape(u, &whole, ndim, shape, v->at))
        return false;
    if (np_elements(*ndim, shape) == all)
        return true;
    struct str s = {0};
    np_shape_text(*ndim, shape, &s);
    np_error(u, v->at, "shape %s has another number of elements than %s", str_text(&s),
             np_value_text(u, &(struct np_value){.kind = NP_ARRAY,
                                                 .array = (struct np_array *)(uintptr_t)a}));
    str_free(&s);
    return false;
}

/* Elements stay in their lanes where they lie row by row; else they are moved there. */
static struct np_array *in_order(struct np_unit *u, struct np_array *a, struct span at) {
    bool lies = !a->uniform && np_is_direct(a) &&
                np_elements(a->ndim, a->shape) == np_elements(a->root->ndim, a->root->shape);
    if (!a->uniform && !lies && np_is_storage(a)) /* all but for registers */
        return np_in_lanes(u, a, at);
    return lies ? a : np_fresh(u, a, at);
}

struct np_array *np_reshaped(struct np_unit *u, struct np_array *a, uint32_t ndim,
                             const uint64_t *shape, struct span at) {
    struct np_array *x = in_order(u, a, at);
    if (!x)
        return NULL;
    struct np_array *v = np_copy_view(u, x, at);
    v->ndim = v->rdim = ndim;
    memcpy(v->shape, shape, ndim * sizeof *shape);
    memcpy(v->rshape, shape, ndim * sizeof *shape);
    memset(v->map, 0, sizeof v->map);
    for (uint32_t d = 0; d < ndim; d++)
        v->map[d].coeff[d] = 1;
    if (x != a && (x->root->lay.count > 1 || a->uniform || !np_is_storage(a)))
        return np_fresh(u, v, at); /* of a shape of its own */
    v->is_view = x == a;
    return v;
}

struct np_value np_reshape(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], "reshape");
    uint64_t shape[NP_DIMS];
    uint32_t ndim;
    if (!x || !np_given(u, a, 1, "shape") || !resolve_shape(u, x, &a->items[1], &ndim, shape))
        return none;
    return np_array_value(np_reshaped(u, x, ndim, shape, a->at), a->at);
}

struct np_value np_ravel(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], "ravel");
    if (!x)
        return none;
    uint64_t n = np_elements(x->ndim, x->shape);
    return np_array_value(np_reshaped(u, x, 1, &n, a->at), a->at);
}

struct np_value np_copy_flat(struct np_unit *u, const struct np_args *a) {
    struct np_value v = np_ravel(u, a);
    return v.kind == NP_ARRAY ? np_array_value(np_fresh(u, v.array, a->at), a->at) : v;
}

static struct np_array *permuted(struct np_unit *u, const struct np_array *a, const uint32_t *axes,
                                 struct span at) {
    struct np_array *v = np_copy_view(u, a, at);
    for (uint32_t d = 0; d < a->ndim; d++) {
        v->shape[d] = a->shape[axes[d]];
        for (uint32_t r = 0; r < a->rdim; r++)
            v->map[r].coeff[d] = a->map[r].coeff[axes[d]];
    }
    return v;
}

struct np_value np_transposed(struct np_unit *u, const struct np_array *a, struct span at) {
    uint32_t axes[NP_DIMS];
    for (uint32_t d = 0; d < a->ndim; d++)
        axes[d] = a->ndim - 1 - d;
    return np_array_value(permuted(u, a, axes, at), at);
}

struct np_value np_transpose(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], "transpose");
    const struct np_value *v = &a->items[1];
    uint32_t axes[NP_DIMS], seen = 0;
    if (!x)
        return none;
    if (v->kind == NP_NONE || x->uniform)
        return x->uniform ? np_array_value(x, a->at) : np_transposed(u, x, a->at);
    if ((v->kind != NP_TUPLE && v->kind != NP_LIST) || v->count != x->ndim)
        return np_error(u, v->at, "`transpose` takes each of the %u axes once", x->ndim);
    for (uint32_t d = 0; d < x->ndim; d++) {
        if (!np_axis(u, &v->items[d], x->ndim, &axes[d]))
            return none;
        seen |= 1u << axes[d];
    }
    if (seen != (1u << x->ndim) - 1)
        return np_error(u, v->at, "`transpose` takes each of the %u axes once", x->ndim);
    return np_array_value(permuted(u, x, axes, a->at), a->at);
}

struct np_value np_broadcast_to(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], "broadcast_to"), wide = {0};
    struct np_array *both[] = {x, &wide};
    uint64_t shape[NP_DIMS];
    uint32_t ndim;
    if (!x || !np_given(u, a, 1, "shape") ||
        !np_shape(u, &a->items[1], &wide.ndim, wide.shape, a->at))
        return none;
    wide.at = a->items[1].at;
    if (!np_broadcast(u, 2, both, &ndim, shape, a->at))
        return none;
    if (!np_same_shape(ndim, shape, wide.ndim, wide.shape))
        return np_error(u, a->at, "the array has more elements than the shape");
    if (!x->uniform) {
        struct np_array *v = np_copy_view(u, x, a->at);
        uint32_t more = ndim - x->ndim;
        v->ndim = ndim;
        memcpy(v->shape, shape, sizeof shape);
        for (uint32_t r = 0; r < x->rdim; r++) {
            memset(v->map[r].coeff, 0, sizeof v->map[r].coeff);
            for (uint32_t d = 0; d < x->ndim; d++)
                v->map[r].coeff[d + more] = x->shape[d] > 1 ? x->map[r].coeff[d] : 0;
        }
        return np_array_value(v, a->at);
    }
    struct np_array *y = np_free_array(u, x->type, ndim, shape, a->at);
    return np_array_value(np_elementwise(u, NP_OP_PLUS, 1, &x, x->type, 0, y->root, a->at), a->at);
}

/* ---- flip and roll ---- */

/* Which axes; none given: all of them. */
static bool axes_of(struct np_unit *u, const struct np_value *v, uint32_t ndim, uint32_t *mask) {
    bool one = v->kind != NP_TUPLE && v->kind != NP_LIST;
    uint32_t axis;
    *mask = v->kind == NP_NONE ? (1u << ndim) - 1 : 0;
    for (uint32_t i = 0; v->kind != NP_NONE && i < (one ? 1 : v->count); i++) {
        if (!np_axis(u, one ? v : &v->items[i], ndim, &axis))
            return false;
        *mask |= 1u << axis;
    }
    return true;
}

struct np_value np_flip(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], "flip");
    uint32_t mask;
    if (!x || !axes_of(u, &a->items[1], x->ndim, &mask))
        return none;
    struct np_array *v = np_copy_view(u, x, a->at);
    for (uint32_t r = 0; r < x->rdim; r++)
        for (uint32_t d = 0; d < x->ndim; d++)
            if (mask >> d & 1) {
                v->map[r].offset += x->map[r].coeff[d] * (int64_t)(x->shape[d] - 1);
                v->map[r].coeff[d] = -x->map[r].coeff[d];
            }
    return np_array_value(v, a->at);
}

static struct np_array *rolled(struct np_unit *u, struct np_array *x, const int64_t *shifts,
                               struct span at) {
    struct np_array *y = np_new_array(u, x->type, x->ndim, x->shape, at);
    uint32_t from = np_settle(u, x, at);
    if (from == IR_NONE)
        return NULL;
    struct ir_move m = ir_plain_move(u->b.p, y->root->variable, from);
    for (uint32_t d = 0; d < x->ndim; d++)
        m.record.source[d].offset = -shifts[d];
    m.record.outside = MOVE_WRAP;
    ir_put_move(&u->b, &m, at);
    y->range = x->range;
    return y;
}

struct np_value np_roll(struct np_unit *u, const struct np_args *a) {
    struct np_array *x = np_need_array(u, &a->items[0], "roll");
    int64_t shifts[NP_DIMS] = {0};
    const struct np_value *by = &a->items[1], *axes = &a->items[2];
    bool all = axes->kind == NP_NONE, one = axes->kind != NP_TUPLE && axes->kind != NP_LIST;
    uint32_t axis = 0;
    np_int n;
    if (!x || !np_given(u, a, 1, "shift"))
        return none;
    if (x->ndim == 0)
        return np_array_value(x, a->at);
    struct np_array *y = x;
    if (all && x->ndim > 1) {
        uint64_t length = np_elements(x->ndim, x->shape);
        y = np_reshaped(u, x, 1, &length, a->at);
    }
    for (uint32_t i = 0; y && i < (one ? 1 : axes->count); i++) {
        const struct np_value *shift = by->kind == NP_TUPLE && i < by->count ? &by->items[i] : by;
        if ((!all && !np_axis(u, one ? axes : &axes->items[i], x->ndim, &axis)) ||
            !np_static_int(u, shift, "a shift", &n))
            return none;
        shifts[axis] = (int64_t)((shifts[axis] + n) % (np_int)y->shape[axis]);
    }
    y = y ? rolled(u, y, shifts, a->at) : NULL;
    if (y && y->ndim != x->ndim)
        y = np_reshaped(u, y, x->ndim, x->shape, a->at);
    if (y && y->is_view)
        y = np_fresh(u, y, a->at);
    return np_array_value(y, a->at);
}

/* ---- parts side by side ---- */

/* The parts as arrays of one type; their number; 0 after reporting. */
static uint32_t parts_of(struct np_unit *u, const struct np_args *a, struct np_array ***parts) {
    const struct np_value *v = &a->items[0];
    if ((v->kind != NP_TUPLE && v->kind != NP_LIST) || v->count == 0) {
        np_error(u, v->at, "`%s` takes a tuple or list of arrays, and this is %s", a->name,
                 np_value_text(u, v));
        return 0;
    }
    *parts = ARENA_ARRAY(&u->arena, v->count, struct np_array *);
    for (uint32_t i = 0; i < v->count; i++) {
        struct np_array *x = (*parts)[i] = np_need_array(u, &v->items[i], a->name);
        if (!x)
            return 0;
        if (!np_same_type(x->type, (*parts)[0]->type)) {
            np_error(u, a->at, "`%s` of %s and %s: NumPy would choose a type, here it is said",
                     a->name, np_type_short((*parts)[0]->type), np_type_short(x->type));
            np_offer(u, v->items[i].at, "%s.astype(np.%s)", np_operand_text(u, v->items[i].at),
                     np_type_name((*parts)[0]->type));
            return 0;
        }
    }
    return v->count;
}

/* Elements first .. of an axis. */
static struct np_array *part_of(struct np_unit *u, struct np_array *whole, uint32_t axis,
                                uint64_t first, uint64_t n, struct span at) {
    struct np_array *v = np_copy_view(u, whole, at);
    v->shape[axis] = n;
    v->map[axis].offset = (int64_t)first;
    return v;
}

static bool parts_agree(struct np_unit *u, const struct np_array *x, const struct np_array *y,
                        uint32_t axis, struct span at) {
    bool same = x->ndim == y->ndim;
    for (uint32_t d = 0; same && d < x->ndim; d++)
        same = d == axis || x->shape[d] == y->shape[d];
    if (same)
        return true;
    struct str a = {0}, b = {0};
    np_shape_text(x->ndim, x->shape, &a);
    np_shape_text(y->ndim, y->shape, &b);
    np_error(u, at, "parts of shapes %s and %s do not go together", str_text(&a), str_text(&b));
    np_note(u, x->at, "shape %s is made here", str_text(&a));
    np_note(u, y->at, "shape %s is made here", str_text(&b));
    str_free(&a);
    str_free(&b);
    return false;
}

static struct np_value put_parts(struct np_unit *u, struct np_array **parts, uint32_t count,
                                 uint32_t axis, struct span at) {
    uint64_t shape[NP_DIMS], first = 0;
    memcpy(shape, parts[0]->shape, sizeof shape);
    for (uint32_t i = 1; i < count; i++) {
        if (!parts_agree(u, parts[0], parts[i], axis, at))
            return none;
        shape[axis] += parts[i]->shape[axis];
    }
    struct np_array *y = np_free_array(u, parts[0]->type, parts[0]->ndim, shape, at);
    y->range = parts[0]->range;
    for (uint32_t i = 0; i < count; i++) {
        struct np_array *v = part_of(u, y, axis, first, parts[i]->shape[axis], at);
        if (!np_write(u, v, parts[i], at))
            return none;
        first += parts[i]->shape[axis];
        y->range.low = parts[i]->range.low < y->range.low ? parts[i]->range.low : y->range.low;
        y->range.high = parts[i]->range.high > y->range.high ? parts[i]->range.high : y->range.high;
    }
    return np_array_value(y, at);
}

struct np_value np_concatenate(struct np_unit *u, const struct np_args *a) {
    struct np_array **parts;
    uint32_t axis = 0, count = parts_of(u, a, &parts);
    if (a->items[1].kind == NP_NONE && np_is_written(a, 1))
        return np_error(u, a->items[1].at,
                        "an axis is a number; `.ravel()` gives parts of one axis");
    if (count && parts[0]->ndim == 0)
        return np_error(u, a->at, "values without dimension are put together by `np.stack`");
    if (!count || (a->items[1].kind != NP_NONE && !np_axis(u, &a->items[1], parts[0]->ndim, &axis)))
        return none;
    return put_parts(u, parts, count, axis, a->at);
}

/* A part with one more axis, of extent 1. */
static struct np_array *with_axis(struct np_unit *u, const struct np_array *x, uint32_t axis) {
    struct np_array *v = np_copy_view(u, x, x->at);
    v->ndim = x->ndim + 1;
    for (uint32_t d = v->ndim; d-- > 0;) {
        v->shape[d] = d == axis ? 1 : x->shape[d - (d > axis)];
        for (uint32_t r = 0; r < x->rdim; r++)
            v->map[r].coeff[d] = d == axis ? 0 : x->map[r].coeff[d - (d > axis)];
    }
    return v;
}

struct np_value np_stack(struct np_unit *u, const struct np_args *a) {
    struct np_array **parts;
    uint32_t axis = 0, count = parts_of(u, a, &parts);
    if (a->items[1].kind == NP_NONE && np_is_written(a, 1))
        return np_error(u, a->items[1].at, "an axis is a number");
    if (!count)
        return none;
    if (parts[0]->ndim == NP_DIMS)
        return np_error(u, a->at, "an array has at most %d axes", NP_DIMS);
    if (a->items[1].kind != NP_NONE && !np_axis(u, &a->items[1], parts[0]->ndim + 1, &axis))
        return none;
    for (uint32_t i = 1; i < count; i++)
        if (!parts_agree(u, parts[0], parts[i], NP_DIMS, a->at))
            return none;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i]->uniform && !(parts[i] = np_fresh(u, parts[i], a->at)))
            return none;
        parts[i] = with_axis(u, parts[i], axis);
    }
    return put_parts(u, parts, count, axis, a->at);
}

/* ---- elements by indices ---- */

/* Entries that are chosen by selections rather than moved. */
enum { MOST_SELECTED = 64 };

enum mode { MODE_INSIDE, MODE_WRAP, MODE_CLIP };

static bool mode_of(struct np_unit *u, const struct np_value *v, enum mode *mode) {
    *mode = MODE_INSIDE;
    if (v->kind == NP_NONE)
        return true;
    if (v->kind == NP_TEXT && strstr(v->text, "wrap"))
        *mode = MODE_WRAP;
    else if (v->kind == NP_TEXT && strstr(v->text, "clip"))
        *mode = MODE_CLIP;
    else
        np_error(u, v->at, "mode= of `take` is \"wrap\" or \"clip\"");
    return *mode != MODE_INSIDE;
}

/* Without a mode every index must be known to be inside; negative ones count from the end. */
static bool is_inside(struct np_unit *u, const struct np_array *index, uint64_t n, enum mode *mode,
                      struct span at) {
    struct np_range r = index->range;
    if (r.low >= 0 && r.high < (np_int)n) {
        *mode = MODE_INSIDE;
        return true;
    }
    if (*mode != MODE_INSIDE)
        return true;
    if (r.low >= -(np_int)n && r.high < (np_int)n) {
        *mode = MODE_WRAP;
        return true;
    }
    struct str text = {0};
    np_number_text(r.low, &text);
    str_append(&text, " to ");
    np_number_text(r.high, &text);
    np_error(u, at, "the index may be outside: it goes from %s, and the axis has %llu elements",
             str_text(&text), (unsigned long long)n);
    np_note(u, at,
            "`np.take(x, i, mode=\"wrap\")` and `mode=\"clip\"` say what is meant there; "
            "`i %% %llu` and `i & ..` are known to be inside",
            (unsigned long long)n);
    str_free(&text);
    return false;
}

/* The index, brought inside by arithmetic. */
static struct np_array *bounded(struct np_unit *u, struct np_array *index, uint64_t n,
                                enum mode mode, struct span at) {
    static const struct mpu_type wide = {TYPE_INT, 64};
    if (mode == MODE_INSIDE)
        return index;
    if (np_type_range(index->type).high < (np_int)n)
        index = np_cast(u, index, wide, at);
    struct np_array *zero = np_constant_array(u, index->type, 0, at);
    struct np_array *last = np_constant_array(u, index->type, (np_int)n - 1, at);
    struct np_array *length = np_constant_array(u, index->type, (np_int)n, at);
    if (mode == MODE_WRAP) {
        struct np_array *args[] = {index, length};
        return np_elementwise(u, NP_OP_MOD, 2, args, index->type, 0, NULL, at);
    }
    struct np_array *low[] = {index, zero};
    low[0] = np_elementwise(u, NP_OP_MAX, 2, low, index->type, 0, NULL, at);
    low[1] = last;
    return low[0] ? np_elementwise(u, NP_OP_MIN, 2, low, index->type, 0, NULL, at) : NULL;
}

static struct np_value select_entry(struct np_unit *u, const struct np_array *t,
                                    struct np_array *index, enum mode mode, struct span at) {
    const struct array_table table = {t->table->entries, t->table->count, t->type};
    uint32_t variable, element;
    index = bounded(u, index, t->table->count, mode, at);
    if (!index || index->uniform)
        index = index ? np_fresh(u, index, at) : NULL;
    if (!index || !np_bring(u, index, index->ndim, index->shape, at, &variable, &element))
        return none;
    struct np_array *y = np_new_array(u, t->type, index->ndim, index->shape, at);
    struct array_index x = {index->type, t->table->count - 1};
    np_begin(u, index->ndim, index->shape, at);
    array_select(&u->b, &table, x, ir_element(&u->b, variable, element),
                 ir_element(&u->b, y->root->variable, 0), at);
    y->range = t->range;
    return np_array_value(y, at);
}

/* Source coordinates follow those of the result around the indices. */
static struct np_value move_entries(struct np_unit *u, struct np_array *x, struct np_array *index,
                                    uint32_t axis, enum mode mode, struct span at) {
    uint64_t shape[NP_DIMS];
    uint32_t ndim = x->ndim - 1 + index->ndim, variable, element;
    if (ndim > NP_DIMS)
        return np_error(u, at, "an array has at most %d axes", NP_DIMS);
    for (uint32_t d = 0; d < ndim; d++)
        shape[d] = d < axis                 ? x->shape[d]
                   : d < axis + index->ndim ? index->shape[d - axis]
                                            : x->shape[d - index->ndim + 1];
    struct np_array lined = *index; /* its axes where the result has them */
    for (uint32_t d = axis + index->ndim; d < ndim; d++)
        lined.shape[lined.ndim++] = 1;
    for (uint32_t r = 0; r < lined.rdim; r++)
        for (uint32_t d = index->ndim; d < lined.ndim; d++)
            lined.map[r].coeff[d] = 0;
    uint32_t from = np_settle(u, x, at);
    if (from == IR_NONE || !np_bring(u, &lined, ndim, shape, at, &variable, &element))
        return none;
    struct np_array *y = np_new_array(u, x->type, ndim, shape, at);
    struct ir_move m = ir_plain_move(u->b.p, y->root->variable, from);
    for (uint32_t d = 0; d < x->ndim; d++) {
        m.record.source[d] = (struct move_affine){.size = NO_INDEX};
        if (d != axis)
            m.record.source[d].coeff[d < axis ? d : d - 1 + index->ndim] = 1;
    }
    m.record.index =
        (struct move_index){.kind = INDEX_GATHER, .coordinate = (uint8_t)axis, .type = index->type};
    m.index = variable;
    m.index_element = element;
    m.record.outside = mode == MODE_CLIP ? MOVE_CLIP : mode == MODE_WRAP ? MOVE_WRAP : MOVE_KEEP;
    ir_put_move(&u->b, &m, at);
    y->range = x->range;
    return np_array_value(y, at);
}

struct np_value np_take(struct np_unit *u, const struct np_args *a) {
    const struct np_value *base = &a->items[0];
    struct np_array *x = base->array, *index;
    enum mode mode;
    uint32_t axis = 0;
    if (base->kind != NP_ARRAY)
        return np_need_array(u, base, "take"), none;
    if (x->ndim == 0)
        return np_error(u, base->at, "%s has no elements", np_value_text(u, base));
    if (!np_given(u, a, 1, "indices") || !mode_of(u, &a->items[3], &mode) ||
        !(index = np_need_array(u, &a->items[1], "take")))
        return none;
    if (np_is_bool(index->type))
        return np_error(u, a->items[1].at, "indices are integers, and these are bool");
    if (a->items[2].kind != NP_NONE && !np_axis(u, &a->items[2], x->ndim, &axis))
        return none;
    bool flat = a->items[2].kind == NP_NONE && a->name[0] == 't' && x->ndim > 1;
    uint64_t n = flat ? np_elements(x->ndim, x->shape) : x->shape[axis];
    if (!is_inside(u, index, n, &mode, a->items[1].at))
        return none;
    if (x->table && !x->table->linked && x->ndim == 1 && n <= MOST_SELECTED)
        return select_entry(u, x, index, mode, a->at);
    if (!(x = np_need_array(u, base, "take")))
        return none;
    if (flat)
        x = np_reshaped(u, x, 1, &n, a->at);
    if (x && index->uniform)
        index = np_fresh(u, index, a->at);
    return x && index ? move_entries(u, x, index, axis, mode, a->at) : none;
}
