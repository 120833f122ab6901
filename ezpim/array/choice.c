/* SPDX-License-Identifier: MIT
 * Which axes of arrays lie in registers.  The first walk notes how the first and the last axis of
 * each array are used, where they have at most 16 elements; axes that meet go the same way.  One
 * that is indexed by numbers, stacked or reduced, and otherwise only met by its like, lies in
 * registers. */
#include "ezpim/array/array.h"

/* Bits that an axis in registers takes of a lane without being asked, at most. */
enum { MOST_BITS = 256 };

/* ---- what is noted ---- */

static uint32_t find(struct arrays *c, uint32_t i) {
    while (c->sides.data[i].like != i)
        i = c->sides.data[i].like = c->sides.data[c->sides.data[i].like].like;
    return i;
}

static void join(struct arrays *c, const struct array_storage *a, unsigned last,
                 const struct array_storage *b, unsigned other_last) {
    uint32_t x = find(c, 2 * a->serial + last), y = find(c, 2 * b->serial + other_last);
    c->sides.data[x].like = y;
    c->sides.data[y].against |= c->sides.data[x].against;
    c->sides.data[y].wanted |= c->sides.data[x].wanted;
    c->sides.data[y].split |= last && other_last ? c->sides.data[x].split : 0;
}

static void mark(struct arrays *c, const struct array_storage *s, unsigned last, bool wanted) {
    struct array_side *x = &c->sides.data[find(c, 2 * s->serial + last)];
    x->wanted |= wanted;
    x->against |= !wanted;
}

/* Storages that no walk counts are all in lanes. */
static bool is_counted(const struct arrays *c, const struct array_storage *s) {
    return !c->chosen && s->serial < c->lays.len;
}

void array_note_storage(struct arrays *c, const struct array_storage *s, bool free) {
    for (uint32_t last = 0; last < 2 && !c->chosen; last++) {
        uint32_t axis = last && s->ndim ? s->ndim - 1 : 0;
        uint64_t n = s->ndim ? s->shape[axis] : 1;
        struct array_side side = {
            .axis = axis, .extent = (uint32_t)n, .like = (uint32_t)c->sides.len, .free = free};
        side.against = !free || s->ndim < 2 || n < 2 || n > ARRAY_MOST_REGISTERS ||
                       n * s->type.bits > MOST_BITS;
        vec_push(&c->sides, side);
    }
    if (!c->chosen)
        vec_push(&c->lays, ((struct array_lay){.count = 0}));
}

/* The only axis that the coordinate follows; ARRAY_DIMS: none, ARRAY_DIMS + 1: several. */
static uint32_t followed(const struct array_ref *a, uint32_t r) {
    uint32_t axis = ARRAY_DIMS;
    for (uint32_t v = 0; v < a->ndim; v++)
        if (a->shape[v] > 1 && a->map[r].coeff[v])
            axis = axis == ARRAY_DIMS ? v : ARRAY_DIMS + 1;
    return array_laps_any(&a->map[r].laps) ? ARRAY_DIMS + 1 : axis;
}

static void meet(struct arrays *c, const struct array_ref *a, unsigned last,
                 const struct array_storage *y, const int *target) {
    const struct array_storage *s = a->root;
    uint32_t v = array_same_shape(a->rdim, a->rshape, s->ndim, s->shape)
                     ? followed(a, last ? s->ndim - 1 : 0)
                     : ARRAY_DIMS + 1;
    int t = v < ARRAY_DIMS && y && is_counted(c, y) ? target[v] : -1;
    if (v == ARRAY_DIMS)
        mark(c, s, last, true);
    else if (t >= 0 && (uint32_t)t == y->ndim - 1 && (t > 0 || last))
        join(c, s, last, y, 1);
    else if (t == 0)
        join(c, s, last, y, 0);
    else
        mark(c, s, last, false);
}

void array_note_meeting(struct arrays *c, const struct array_ref *a, const struct array_storage *y,
                        const int *target) {
    for (unsigned last = 0; a->root && a->root->ndim && is_counted(c, a->root) && last < 2; last++)
        meet(c, a, last, y, target);
}

void array_note_fold(struct arrays *c, const struct array_ref *a, uint32_t axis) {
    for (unsigned last = 0; a->root && a->root->ndim && is_counted(c, a->root) && last < 2;
         last++) {
        uint32_t v = followed(a, last ? a->root->ndim - 1 : 0);
        if (array_same_shape(a->rdim, a->rshape, a->root->ndim, a->root->shape) && v < ARRAY_DIMS &&
            (axis == ARRAY_ALL || axis == v))
            mark(c, a->root, last, true);
        else
            meet(c, a, last, NULL, NULL);
    }
}

void array_note_stacked(struct arrays *c, const struct array_ref *view) {
    const struct array_storage *s = view->root;
    for (unsigned last = 0; s->ndim && is_counted(c, s) && last < 2; last++)
        if (followed(view, last ? s->ndim - 1 : 0) == ARRAY_DIMS)
            mark(c, s, last, true);
    for (uint32_t r = 0; r < view->rdim && is_counted(c, s); r++)
        c->sides.data[2 * s->serial + 1].counted |= array_laps_any(&view->map[r].laps);
}

/* ---- wishes ---- */

bool array_is_undecided(const struct arrays *c, const struct array_storage *s) {
    return is_counted(c, s) && !c->lays.data[s->serial].count;
}

bool array_may_lie(const struct arrays *c, const struct array_storage *s) {
    return c->sides.data[2 * s->serial].free;
}

void array_wish(struct arrays *c, const struct array_storage *s, struct array_lay lay) {
    c->lays.data[s->serial] = lay;
    if (lay.split)
        c->sides.data[find(c, 2 * s->serial + 1)].split = lay.count;
    mark(c, s, 0, lay.count > 1 && !lay.split && lay.axis == 0);
    mark(c, s, 1, lay.count > 1 && !lay.split && lay.axis > 0);
}

/* ---- what is chosen ---- */

/* What is chosen where nobody wishes. */
static struct array_lay chosen(struct arrays *c, uint32_t serial) {
    for (unsigned last = 0; last < 2; last++) {
        const struct array_side *own = &c->sides.data[2 * serial + last];
        const struct array_side *all = &c->sides.data[find(c, 2 * serial + last)];
        if (all->wanted && !all->against)
            return (struct array_lay){.axis = own->axis, .count = own->extent};
        if (last && all->split && own->free && !own->counted && own->extent % all->split == 0)
            return (struct array_lay){.axis = own->axis, .count = all->split, .split = true};
    }
    return (struct array_lay){.count = 1};
}

bool array_choose(struct arrays *c) {
    bool some = false;
    c->chosen = true;
    for (uint32_t i = 0; i < c->lays.len; i++) {
        struct array_lay *lay = &c->lays.data[i];
        if (!lay->count)
            *lay = chosen(c, i);
        if (lay->split && c->sides.data[2 * i + 1].counted)
            *lay = (struct array_lay){.count = 1};
        some |= lay->count > 1;
    }
    return some;
}

struct array_lay array_lay_of(const struct arrays *c, uint32_t serial) {
    const struct array_lay all = {.count = 1};
    bool known = c->chosen && serial < c->lays.len;
    return known && c->lays.data[serial].count ? c->lays.data[serial] : all;
}

void array_choices_clear(struct arrays *c) {
    vec_clear(&c->sides);
    vec_clear(&c->lays);
}
