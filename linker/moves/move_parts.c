/* SPDX-License-Identifier: MIT
 * Copies of moves with very many of them, part after part: each has those into some VRFs, which are
 * found by cutting the pieces at the elements that these hold. */
#include "linker/moves/copies.h"

#include <stdlib.h>
#include <string.h>

struct move_walk {
    struct maker maker;
    struct move_plan plan;
    const uint32_t *order; /* [order_count]: placements of the destination, or VRFs of all groups,
                              in the order of MPUs and VRFs */
    size_t order_count;
};

/* What a part is made of, and in. */
struct part_room {
    size_t next; /* of walk.order */
    struct maker maker;
    struct copy_key *keys;    /* [room] */
    struct move_copy *sorted; /* [room] */
    size_t room;
};

/* ---- cutting pieces ---- */

struct element_interval {
    int64_t first, last; /* elements of the destination, both inclusive */
};

static int64_t reach(const struct move_axis *axis) {
    return (int64_t)(axis->count - 1) * axis->dst;
}

static struct element_interval span_of(const struct move_piece *piece) {
    struct element_interval s = {(int64_t)piece->dst, (int64_t)piece->dst};
    for (uint32_t i = 0; i < piece->axes; i++)
        *(reach(&piece->axis[i]) < 0 ? &s.first : &s.last) += reach(&piece->axis[i]);
    return s;
}

/* The same piece with `count` steps of an axis, from step `first` on. */
static struct move_piece steps_of(const struct move_piece *piece, uint32_t axis, int64_t first,
                                  int64_t count) {
    struct move_piece y = *piece;
    struct move_axis *a = &y.axis[axis];
    y.dst += (uint64_t)(first * a->dst);
    y.src += (uint64_t)(first * a->src);
    y.dst_reg += (uint32_t)first * (uint32_t)a->dst_reg;
    y.src_reg += (uint32_t)first * (uint32_t)a->src_reg;
    a->count = (uint64_t)count;
    return y;
}

/* The axis whose steps are longest, of a piece with several elements. */
static uint32_t longest(const struct move_piece *piece) {
    uint32_t best = piece->axes;
    for (uint32_t i = 0; i < piece->axes; i++)
        if (piece->axis[i].count > 1 &&
            (best == piece->axes || llabs(piece->axis[i].dst) > llabs(piece->axis[best].dst)))
            best = i;
    return best;
}

static int64_t div_down(int64_t left, int64_t right) { /* right > 0 */
    return left / right - (left % right < 0);
}

/* Steps 0 .. count - 1 whose elements lie between: at + i * step >= low, <= high. */
static struct element_interval steps_between(int64_t low, int64_t high, int64_t step,
                                             uint64_t count) {
    struct element_interval s = {-div_down(-low, step), div_down(high, step)};
    if (step < 0)
        s = (struct element_interval){-div_down(high, -step), div_down(-low, -step)};
    s.first = s.first < 0 ? 0 : s.first;
    s.last = s.last >= (int64_t)count ? (int64_t)count - 1 : s.last;
    return s;
}

static bool add_within(struct maker *maker, const struct move_piece *piece,
                       struct element_interval in);

/* Single steps, each to be cut by itself. */
static bool add_steps(struct maker *maker, const struct move_piece *piece, uint32_t axis,
                      int64_t first, int64_t behind, struct element_interval in) {
    for (int64_t i = first; i < behind; i++) {
        const struct move_piece y = steps_of(piece, axis, i, 1);
        if (!add_within(maker, &y, in))
            return false;
    }
    return true;
}

/* Steps of the longest axis that lie inside as a whole are one piece. */
static bool add_cut(struct maker *maker, const struct move_piece *piece,
                    struct element_interval in) {
    uint32_t axis = longest(piece);
    const struct move_axis *a = &piece->axis[axis];
    const struct move_piece one = steps_of(piece, axis, 0, 1);
    struct element_interval s = span_of(&one);
    struct element_interval some =
        steps_between(in.first - s.last, in.last - s.first, a->dst, a->count);
    struct element_interval whole =
        steps_between(in.first - s.first, in.last - s.last, a->dst, a->count);
    if (whole.first > whole.last)
        return add_steps(maker, piece, axis, some.first, some.last + 1, in);
    const struct move_piece inside =
        steps_of(piece, axis, whole.first, whole.last - whole.first + 1);
    return add_steps(maker, piece, axis, some.first, whole.first, in) &&
           package_move_add_piece(maker, &inside) &&
           add_steps(maker, piece, axis, whole.last + 1, some.last + 1, in);
}

/* What of a piece goes to elements of the interval. */
static bool add_within(struct maker *maker, const struct move_piece *piece,
                       struct element_interval in) {
    struct element_interval s = span_of(piece);
    if (s.first > in.last || s.last < in.first)
        return true;
    if (s.first >= in.first && s.last <= in.last)
        return package_move_add_piece(maker, piece);
    return add_cut(maker, piece, in);
}

static bool add_all_within(struct maker *maker, const struct move_plan *plan,
                           struct element_interval in) {
    for (size_t i = 0; i < plan->piece_count; i++)
        if (!add_within(maker, &plan->pieces[i], in))
            return false;
    return true;
}

/* ---- parts ---- */

struct ordered {
    uint64_t vrf;
    uint32_t index;
};

static int by_vrf(const void *left, const void *right) {
    const struct ordered *a = left, *b = right;
    return (a->vrf > b->vrf) - (a->vrf < b->vrf);
}

static const uint32_t *order_of(const struct maker *maker, size_t n, struct arena *arena) {
    struct ordered *list = xcalloc(n + 1, sizeof *list);
    uint32_t *order = ARENA_ARRAY(arena, n, uint32_t);
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct ordered){maker->m->dst_group == NO_INDEX
                                       ? maker->everywhere[i].vrf
                                       : package_move_vrf(maker->p, &maker->dst.list[i]),
                                   i};
    qsort(list, n, sizeof *list, by_vrf);
    for (size_t i = 0; i < n; i++)
        order[i] = list[i].index;
    free(list);
    return order;
}

struct move_walk *package_move_walk_new(const struct maker *maker, const struct move_plan *plan,
                                        struct arena *arena) {
    struct move_walk *w = ARENA_NEW(arena, struct move_walk);
    w->maker = *maker;
    memset(&w->maker.copies, 0, sizeof w->maker.copies);
    w->maker.full = false;
    w->maker.most = SIZE_MAX;
    w->plan = *plan;
    w->order_count = maker->m->dst_group == NO_INDEX ? maker->everywhere_count : maker->dst.count;
    w->order = order_of(maker, w->order_count, arena);
    return w;
}

/* Into every VRF of all groups that belongs to the part. */
static bool add_everywhere(const struct move_walk *walk, struct part_room *room, size_t end) {
    for (size_t i = room->next; i < end; i++) {
        room->maker.everywhere = &walk->maker.everywhere[walk->order[i]];
        room->maker.everywhere_count = 1;
        for (size_t k = 0; k < walk->plan.piece_count; k++)
            if (!package_move_add_piece(&room->maker, &walk->plan.pieces[k]))
                return false;
    }
    return true;
}

/* Into the elements of its placements; neighbours at once. */
static bool add_elements(const struct move_walk *walk, struct part_room *room, size_t end) {
    for (size_t i = room->next, last; i < end; i = last) {
        const struct placement *x = &walk->maker.dst.list[walk->order[i]], *y = x;
        for (last = i + 1; last < end && walk->order[last] == walk->order[last - 1] + 1; last++)
            y++;
        struct element_interval in = {(int64_t)x->first, (int64_t)(y->first + y->count) - 1};
        if (!add_all_within(&room->maker, &walk->plan, in))
            return false;
    }
    return true;
}

static uint64_t elements_at(const struct move_walk *walk, size_t index) {
    bool everywhere = walk->maker.m->dst_group == NO_INDEX;
    return (everywhere ? 1 : (uint64_t)walk->maker.dst.list[walk->order[index]].count) *
           walk->maker.m->dst_count;
}

/* Copies into the VRFs from r->next on, as many as make a part. */
static bool make_part(const struct move_walk *walk, struct part_room *room) {
    uint64_t elements = 0;
    size_t end = room->next;
    while (end < walk->order_count && (end == room->next || elements < walk->maker.limits.part))
        elements += elements_at(walk, end++);
    vec_clear(&room->maker.copies);
    bool ok = walk->maker.m->dst_group == NO_INDEX ? add_everywhere(walk, room, end)
                                                   : add_elements(walk, room, end);
    room->next = end;
    return ok;
}

static void sort_part(struct part_room *room) {
    size_t n = room->maker.copies.len;
    if (n > room->room) {
        room->room = n + n / 2;
        room->keys = xreallocarray(room->keys, room->room, sizeof *room->keys);
        room->sorted = xreallocarray(room->sorted, room->room, sizeof *room->sorted);
    }
    package_move_copies_sort(&room->maker, room->maker.copies.data, n, room->keys, room->sorted);
}

static bool next_of_walk(const struct move_walk *walk, struct move_part *part) {
    struct part_room *r = part->room;
    if (!r) {
        r = part->room = xcalloc(1, sizeof *r);
        r->maker = walk->maker;
    }
    do {
        if (r->next == walk->order_count || !make_part(walk, r))
            return false;
    } while (r->maker.copies.len == 0);
    sort_part(r);
    part->copies = r->sorted;
    part->keys = r->keys;
    part->count = r->maker.copies.len;
    return true;
}

bool package_move_next_part(const struct move_work *work, struct move_part *part) {
    bool more = false;
    if (work->walk) {
        more = next_of_walk(work->walk, part);
    } else if (!part->copies && work->copy_count) {
        part->copies = work->copies;
        part->count = work->copy_count;
        more = true;
    }
    if (!more)
        package_move_part_free(part);
    return more;
}

void package_move_part_free(struct move_part *part) {
    if (part->room) {
        vec_free(&part->room->maker.copies);
        free(part->room->keys);
        free(part->room->sorted);
        free(part->room);
    }
    *part = (struct move_part){0};
}
