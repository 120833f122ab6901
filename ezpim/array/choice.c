/* SPDX-License-Identifier: MIT
 * Which axes of arrays lie in registers.  The first walk notes how the first and the last axis of
 * each array are used, where they have at most 16 elements; axes that operations combine are
 * treated alike.  An axis that is indexed by numbers, stacked or reduced, and otherwise only
 * combined with such axes, lies in registers. */
#include "ezpim/array/array.h"

/* Bits that an axis in registers takes of a lane without being asked, at most. */
enum { MOST_BITS = 256 };

/* ---- what is noted ---- */

static uint32_t find(struct arrays *arrays, uint32_t index) {
    while (arrays->sides.data[index].like != index)
        index = arrays->sides.data[index].like =
            arrays->sides.data[arrays->sides.data[index].like].like;
    return index;
}

static void join(struct arrays *arrays, const struct array_storage *left, unsigned last,
                 const struct array_storage *right, unsigned other_last) {
    uint32_t x = find(arrays, 2 * left->serial + last),
             y = find(arrays, 2 * right->serial + other_last);
    arrays->sides.data[x].like = y;
    arrays->sides.data[y].against |= arrays->sides.data[x].against;
    arrays->sides.data[y].wanted |= arrays->sides.data[x].wanted;
    arrays->sides.data[y].split |= last && other_last ? arrays->sides.data[x].split : 0;
}

static void mark(struct arrays *arrays, const struct array_storage *storage, unsigned last,
                 bool wanted) {
    struct array_side *x = &arrays->sides.data[find(arrays, 2 * storage->serial + last)];
    x->wanted |= wanted;
    x->against |= !wanted;
}

/* Storages that no walk counts are all in lanes. */
static bool is_counted(const struct arrays *arrays, const struct array_storage *storage) {
    return !arrays->chosen && storage->serial < arrays->lays.len;
}

void array_note_storage(struct arrays *arrays, const struct array_storage *storage, bool free) {
    for (uint32_t last = 0; last < 2 && !arrays->chosen; last++) {
        uint32_t axis = last && storage->ndim ? storage->ndim - 1 : 0;
        uint64_t n = storage->ndim ? storage->shape[axis] : 1;
        struct array_side side = {
            .axis = axis, .extent = (uint32_t)n, .like = (uint32_t)arrays->sides.len, .free = free};
        side.against = !free || storage->ndim < 2 || n < 2 || n > ARRAY_MOST_REGISTERS ||
                       n * storage->type.bits > MOST_BITS;
        vec_push(&arrays->sides, side);
    }
    if (!arrays->chosen)
        vec_push(&arrays->lays, ((struct array_lay){.count = 0}));
}

/* The only axis that the coordinate follows; ARRAY_DIMS: none, ARRAY_DIMS + 1: several. */
static uint32_t followed(const struct array_ref *ref, uint32_t r) {
    uint32_t axis = ARRAY_DIMS;
    for (uint32_t v = 0; v < ref->ndim; v++)
        if (ref->shape[v] > 1 && ref->map[r].coeff[v])
            axis = axis == ARRAY_DIMS ? v : ARRAY_DIMS + 1;
    return array_laps_any(&ref->map[r].laps) ? ARRAY_DIMS + 1 : axis;
}

static void meet(struct arrays *arrays, const struct array_ref *ref, unsigned last,
                 const struct array_storage *storage, const int *target) {
    const struct array_storage *s = ref->root;
    uint32_t v = array_same_shape(ref->rdim, ref->rshape, s->ndim, s->shape)
                     ? followed(ref, last ? s->ndim - 1 : 0)
                     : ARRAY_DIMS + 1;
    int t = v < ARRAY_DIMS && storage && is_counted(arrays, storage) ? target[v] : -1;
    if (v == ARRAY_DIMS)
        mark(arrays, s, last, true);
    else if (t >= 0 && (uint32_t)t == storage->ndim - 1 && (t > 0 || last))
        join(arrays, s, last, storage, 1);
    else if (t == 0)
        join(arrays, s, last, storage, 0);
    else
        mark(arrays, s, last, false);
}

void array_note_meeting(struct arrays *arrays, const struct array_ref *ref,
                        const struct array_storage *storage, const int *target) {
    for (unsigned last = 0;
         ref->root && ref->root->ndim && is_counted(arrays, ref->root) && last < 2; last++)
        meet(arrays, ref, last, storage, target);
}

void array_note_fold(struct arrays *arrays, const struct array_ref *ref, uint32_t axis) {
    for (unsigned last = 0;
         ref->root && ref->root->ndim && is_counted(arrays, ref->root) && last < 2; last++) {
        uint32_t v = followed(ref, last ? ref->root->ndim - 1 : 0);
        if (array_same_shape(ref->rdim, ref->rshape, ref->root->ndim, ref->root->shape) &&
            v < ARRAY_DIMS && (axis == ARRAY_ALL || axis == v))
            mark(arrays, ref->root, last, true);
        else
            meet(arrays, ref, last, NULL, NULL);
    }
}

void array_note_stacked(struct arrays *arrays, const struct array_ref *view) {
    const struct array_storage *s = view->root;
    for (unsigned last = 0; s->ndim && is_counted(arrays, s) && last < 2; last++)
        if (followed(view, last ? s->ndim - 1 : 0) == ARRAY_DIMS)
            mark(arrays, s, last, true);
    for (uint32_t r = 0; r < view->rdim && is_counted(arrays, s); r++)
        arrays->sides.data[2 * s->serial + 1].counted |= array_laps_any(&view->map[r].laps);
}

/* ---- wishes ---- */

bool array_is_undecided(const struct arrays *arrays, const struct array_storage *storage) {
    return is_counted(arrays, storage) && !arrays->lays.data[storage->serial].count;
}

bool array_may_lie(const struct arrays *arrays, const struct array_storage *storage) {
    return arrays->sides.data[2 * storage->serial].free;
}

void array_wish(struct arrays *arrays, const struct array_storage *storage, struct array_lay lay) {
    arrays->lays.data[storage->serial] = lay;
    if (lay.split)
        arrays->sides.data[find(arrays, 2 * storage->serial + 1)].split = lay.count;
    mark(arrays, storage, 0, lay.count > 1 && !lay.split && lay.axis == 0);
    mark(arrays, storage, 1, lay.count > 1 && !lay.split && lay.axis > 0);
}

/* ---- what is chosen ---- */

/* What is chosen where nobody wishes. */
static struct array_lay chosen(struct arrays *arrays, uint32_t serial) {
    for (unsigned last = 0; last < 2; last++) {
        const struct array_side *own = &arrays->sides.data[2 * serial + last];
        const struct array_side *all = &arrays->sides.data[find(arrays, 2 * serial + last)];
        if (all->wanted && !all->against)
            return (struct array_lay){.axis = own->axis, .count = own->extent};
        if (last && all->split && own->free && !own->counted && own->extent % all->split == 0)
            return (struct array_lay){.axis = own->axis, .count = all->split, .split = true};
    }
    return (struct array_lay){.count = 1};
}

bool array_choose(struct arrays *arrays) {
    bool some = false;
    arrays->chosen = true;
    for (uint32_t i = 0; i < arrays->lays.len; i++) {
        struct array_lay *lay = &arrays->lays.data[i];
        if (!lay->count)
            *lay = chosen(arrays, i);
        if (lay->split && arrays->sides.data[2 * i + 1].counted)
            *lay = (struct array_lay){.count = 1};
        some |= lay->count > 1;
    }
    return some;
}

struct array_lay array_lay_of(const struct arrays *arrays, uint32_t serial) {
    const struct array_lay all = {.count = 1};
    bool known = arrays->chosen && serial < arrays->lays.len;
    return known && arrays->lays.data[serial].count ? arrays->lays.data[serial] : all;
}

void array_choices_clear(struct arrays *arrays) {
    vec_clear(&arrays->sides);
    vec_clear(&arrays->lays);
}
