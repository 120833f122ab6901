/* SPDX-License-Identifier: MIT
 * What NumPy's rules demand of arrays before they are read and written: shapes that go together,
 * views that are not old, and only one name for an operand that an operation changes. */
#include "ezpim/np/unit.h"

#include <string.h>

/* ---- arrays without an element ---- */

bool np_is_empty(const struct array_ref *ref) {
    for (uint32_t d = 0; d < ref->ndim; d++)
        if (ref->shape[d] == 0)
            return true;
    return false;
}

struct array_ref *np_empty(struct np_unit *unit, struct lane_type type, uint32_t ndim,
                           const uint64_t *shape, struct span at) {
    struct array_ref *x = array_of_pattern(&unit->arrays, type, 0, at);
    x->ndim = ndim;
    for (uint32_t d = 0; d < ndim; d++)
        x->shape[d] = shape[d];
    return x;
}

/* ---- views and names ---- */

bool np_readable(struct np_unit *unit, const struct array_ref *ref, struct span at) {
    if (!array_is_old(ref))
        return true;
    np_error(unit, at,
             "this view is read after its array was written, and NumPy would see the new "
             "elements");
    np_note(unit, (ref->shows ? ref->shows : ref->root)->written, "the array is written here");
    np_note(unit, ref->at, "the view is made here; `%s.copy()` keeps the old elements",
            np_operand_text(unit, ref->at));
    return false;
}

void np_no_view(struct np_unit *unit, const struct array_ref *ref, struct span at) {
    np_error(unit, at,
             "this is a view of another array, and writing it would change that one, too");
    np_note(unit, ref->at, "the view is made here; `%s.copy()` is an array of its own",
            np_operand_text(unit, ref->at));
}

static struct np_entangled *find_entangled(struct np_unit *unit, const struct array_storage *s) {
    for (size_t i = 0; i < unit->entangled.len; i++)
        if (unit->entangled.data[i].storage == s)
            return &unit->entangled.data[i];
    return NULL;
}

void np_entangle(struct np_unit *unit, const struct array_storage *storage,
                 const struct np_stmt *loop) {
    struct np_entangled *known = find_entangled(unit, storage);
    if (known)
        known->loop = loop;
    else if (loop)
        vec_push(&unit->entangled, ((struct np_entangled){storage, loop}));
}

bool np_is_entangled(struct np_unit *unit, const struct array_storage *storage) {
    const struct np_entangled *x = find_entangled(unit, storage);
    return x && x->loop;
}

void np_check_names(struct np_unit *unit, const struct array_storage *storage, struct span at) {
    struct np_entangled *x = find_entangled(unit, storage);
    if (!x || !x->loop)
        return;
    np_error(
        unit, at,
        "it depends on the iterations of a loop whether this array has a second name; writing it "
        "would change what that name stands for, too");
    np_note(unit, x->loop->word,
            "the loop stands here; bind a `.copy()` in front of it or "
            "in its body");
    x->loop = NULL;
}

void np_touch(struct np_unit *unit, struct array_storage *storage, struct span at) {
    np_check_names(unit, storage, at);
    array_touch(storage, at);
}

/* What is no view is as its storage is now. */
static uint32_t version_of(const struct array_ref *ref) {
    return ref->is_view ? ref->version : ref->root->version;
}

bool np_same_mask(struct np_unit *unit, const struct array_ref *left, const struct array_ref *right,
                  struct span at) {
    if (left == right || (left->root && left->root == right->root &&
                          version_of(left) == version_of(right) && array_same_maps(left, right)))
        return true;
    bool fresh = left->root && right->root && left->root->serial >= unit->fresh &&
                 right->root->serial >= unit->fresh && left->at.begin != right->at.begin;
    if (fresh && strcmp(np_source_text(unit, left->at), np_source_text(unit, right->at)) == 0)
        return true;
    np_error(unit, at,
             "two masks: whether both choose as many elements is known when the kernel runs");
    np_note(unit, left->at, "one is made here");
    np_note(unit, right->at, "the other here; a mask that has a name can be used twice");
    return false;
}

/* ---- shapes ---- */

void np_note_shapes(struct np_unit *unit, const struct array_ref *left,
                    const struct array_ref *right) {
    np_note(unit, left->at, "shape %s is made here",
            np_shape_string(unit, left->ndim, left->shape));
    np_note(unit, right->at, "shape %s is made here",
            np_shape_string(unit, right->ndim, right->shape));
}

void np_shapes_differ(struct np_unit *unit, const char *what, const struct array_ref *left,
                      const struct array_ref *right, struct span at) {
    np_error(unit, at, "%s %s and %s do not go together", what,
             np_shape_string(unit, left->ndim, left->shape),
             np_shape_string(unit, right->ndim, right->shape));
    np_note_shapes(unit, left, right);
}

void np_goes_not_into(struct np_unit *unit, const struct array_ref *ref, uint32_t ndim,
                      const uint64_t *shape, struct span at) {
    np_error(unit, at, "shape %s does not go into shape %s",
             np_shape_string(unit, ref->ndim, ref->shape), np_shape_string(unit, ndim, shape));
    np_note(unit, ref->at, "shape %s is made here", np_shape_string(unit, ref->ndim, ref->shape));
}

bool np_broadcast(struct np_unit *unit, uint32_t count, struct array_ref *const *args,
                  uint32_t *ndim, uint64_t *shape, struct span at) {
    uint32_t i = array_common_shape(count, args, ndim, shape);
    if (i < count) {
        np_shapes_differ(unit, "shapes", args[i], args[i || count < 2 ? 0 : 1], at);
        return false;
    }
    if (array_elements(*ndim, shape) <= OBJECT_MAX_EXTENT)
        return true;
    np_error(unit, at, "the result has more than 2^40 elements");
    return false;
}

/* ---- operations ---- */

struct array_ref *np_elementwise(struct np_unit *unit, enum np_operator op, uint32_t count,
                                 struct array_ref *const *args, struct lane_type result,
                                 uint64_t exponent, struct array_storage *into, struct span at) {
    uint32_t ndim;
    uint64_t shape[ARRAY_DIMS];
    if (!np_broadcast(unit, count, args, &ndim, shape, at))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!np_readable(unit, args[i], at))
            return NULL;
    for (uint32_t d = 0; d < ndim; d++)
        if (shape[d] == 0)
            return np_empty(unit, result, ndim, shape, at);
    if (into)
        np_check_names(unit, into, at);
    return array_elementwise(&unit->arrays, (enum array_op)op, count, args, result, exponent, into,
                             at);
}

struct array_ref *np_cast(struct np_unit *unit, struct array_ref *ref, struct lane_type type,
                          struct span at) {
    return np_elementwise(unit, NP_OP_CAST, 1, &ref, type, 0, NULL, at);
}

struct array_ref *np_fresh(struct np_unit *unit, struct array_ref *ref, struct span at) {
    if (np_is_empty(ref))
        return ref;
    return np_readable(unit, ref, at) ? array_fresh(&unit->arrays, ref, at) : NULL;
}

/* An array that stays where it is is not read. */
struct array_ref *np_reshaped(struct np_unit *unit, struct array_ref *ref, uint32_t ndim,
                              const uint64_t *shape, struct span at) {
    if (!array_stays(ref) && !np_readable(unit, ref, at))
        return NULL;
    return array_reshaped(&unit->arrays, ref, ndim, shape, at);
}

struct array_ref *np_lined(struct np_unit *unit, struct array_ref *ref, struct span at) {
    uint64_t n = array_elements(ref->ndim, ref->shape);
    return ref->ndim == 1 ? ref : np_reshaped(unit, ref, 1, &n, at);
}
