/* SPDX-License-Identifier: MIT
 * From a list of micro-ops to nested counted loops.
 *
 * A list is a row of items: at first its micro-ops, later also loops.  For each length L from 1 up
 * the row is searched for stretches in which every item is like the one L items on: of the same
 * shape, with values that differ by the same amounts from lap to lap.  A stretch becomes one item
 * if that saves templates, and the search begins anew, so that inner loops are there before those
 * around them.  A new loop around loops is tried on the micro-ops before and behind it too: there
 * the inner loops have too few laps to be recognised.  Written out, the row gives the list at any
 * time: that is the invariant.
 *
 * In a serial loop all laps are forwarded alike; in a pipelined one all laps but the first are
 * forwarded throughout. */
#include "recipe/table/roll.h"

enum { LONGEST_LAP = 256, MIN_LONGEST_LAP = 32, MAX_COMPARISONS = 1 << 24 };

/* ---- the list ---- */

uint32_t table_roll_shape(struct roll *roll, struct map *ids, const void *key, size_t size,
                          struct roll_shape shape, bool *known) {
    const uint64_t *id = map_get_n(ids, key, size);
    *known = id != NULL;
    if (id)
        return (uint32_t)*id;
    vec_push(&roll->shapes, shape);
    map_put_n(ids, key, size, roll->shapes.len - 1);
    return (uint32_t)roll->shapes.len - 1;
}

static void fill_items(struct roll *roll) {
    roll->list = xcalloc(roll->count + 1, sizeof *roll->list);
    vec_reserve(&roll->items, roll->count);
    for (size_t i = 0; i < roll->count; i++) {
        struct roll_item item = roll->notation->read(roll, &roll->tokens[i]);
        item.forward = roll->tokens[i].forward;
        item.begin = (uint32_t)i;
        roll->list[i] = item;
        vec_push(&roll->items, item);
    }
}

/* ---- more laps of a loop around loops ---- */

/* The first micro-op of an item, or the end of the list. */
static size_t begin_of(const struct roll *roll, size_t item) {
    return item < roll->items.len ? roll->items.data[item].begin : roll->count;
}

/* Takes laps behind the loop: *next is the item behind it. */
static void grow_behind(struct roll *roll, struct roll_item *loop, size_t *next) {
    int32_t *laps = &roll->values.data[loop->value];
    for (;;) {
        size_t i = *next, before = begin_of(roll, i);
        struct roll_comparison c = {.roll = roll, .at = before};
        if (!roll->notation->lap_matches(roll, loop, *laps, &c) || c.at == before)
            return;
        while (i < roll->items.len && begin_of(roll, i) < c.at)
            i++;
        if (begin_of(roll, i) != c.at)
            return;
        *next = i;
        ++*laps;
    }
}

/* Takes laps before the loop, from the items in front of it in roll->made. */
static void grow_before(struct roll *roll, struct roll_item *loop) {
    for (;;) {
        struct roll_comparison length = {.roll = roll, .count_only = true};
        if (!roll->notation->lap_matches(roll, loop, -1, &length) || length.at == 0 ||
            length.at > loop->begin)
            return;
        struct roll_comparison c = {.roll = roll, .at = loop->begin - length.at};
        size_t first = c.at, i = roll->made.len;
        while (i > 0 && roll->made.data[i - 1].begin >= first)
            i--;
        if (i == roll->made.len || roll->made.data[i].begin != first ||
            !roll->notation->lap_matches(roll, loop, -1, &c) ||
            !roll->notation->add_lap_before(roll, loop))
            return;
        roll->made.len = i;
        loop->begin = (uint32_t)first;
    }
}

/* ---- search ---- */

/* How far a stretch that begins at `first` goes on. */
struct roll_search {
    size_t first, length, matches;
    bool serial, pipelined;
    bool unlike; /* it ended at items of different shapes, not in how they change */
};

/* Does `item` become the one a lap on as the one a lap before became `item`? */
static bool changes_alike(const struct roll *roll, const struct roll_search *search,
                          const struct roll_item *item) {
    const struct roll_item *next = item + search->length;
    if (search->matches < search->length)
        return !roll->notation->may_begin ||
               roll->notation->may_begin(roll, item, next, search->matches > 0);
    const int32_t *before = roll_values_of(roll, item - search->length),
                  *here = roll_values_of(roll, item), *behind = roll_values_of(roll, next);
    for (uint32_t k = 0; k < roll_shape_of(roll, item)->values; k++)
        if (here[k] - before[k] != behind[k] - here[k])
            return false;
    return true;
}

static bool match_next(const struct roll *roll, struct roll_search *search) {
    size_t at = search->first + search->matches;
    if (at + search->length >= roll->items.len)
        return !(search->unlike = true);
    const struct roll_item *a = &roll->items.data[at], *b = a + search->length;
    search->unlike = a->shape != b->shape;
    if (search->unlike)
        return false;
    bool serial = search->serial && a->forward == b->forward;
    bool pipelined =
        search->pipelined && b->forward == FORWARD_RULE && !roll_shape_of(roll, a)->loop;
    if ((!serial && !pipelined) || !changes_alike(roll, search, a))
        return false;
    search->serial = serial;
    search->pipelined = pipelined;
    search->matches++;
    return true;
}

static void copy_items(struct roll *roll, size_t first, size_t end) {
    for (; first < end; first++)
        vec_push(&roll->made, roll->items.data[first]);
}

/* Puts the stretch that was found into roll->made as a loop; *at is then behind it. */
static bool take_stretch(struct roll *roll, const struct roll_search *found, size_t *at) {
    struct roll_stretch s = {.first = found->first,
                             .length = found->length,
                             .laps = found->matches / found->length + 1,
                             .slack = found->matches % found->length,
                             .pipelined = found->pipelined && !found->serial};
    struct roll_item made;
    if (!roll->notation->make_loop(roll, &s, &made))
        return false;
    size_t next = s.first + s.length * s.laps;
    copy_items(roll, *at, s.first);
    if (roll_shape_of(roll, &made)->nested) {
        grow_before(roll, &made);
        grow_behind(roll, &made, &next);
    }
    vec_push(&roll->made, made);
    *at = next;
    return true;
}

/* The first place from `at` on where a stretch may begin: from there on so many items have the
 * shapes of those a lap on.  Looked at from the last one down, for behind one that has not all
 * places before it are out of the question. */
static size_t next_begin(const struct roll *roll, size_t at, size_t length, size_t min_laps) {
    const struct roll_item *items = roll->items.data;
    size_t needed = (min_laps - 1) * length, i = at + needed;
    while (i > at && at + needed + length <= roll->items.len) {
        i--;
        if (items[i].shape != items[i + length].shape) {
            at = i + 1;
            i = at + needed;
        }
    }
    return at;
}

static bool roll_length(struct roll *roll, size_t length, size_t min_laps) {
    bool any = false;
    size_t copied = 0, at = 0;
    roll->made.len = 0;
    while ((at = next_begin(roll, at, length, min_laps)) + length * min_laps <= roll->items.len) {
        struct roll_search s = {.first = at, .length = length, .serial = true, .pipelined = true};
        while (match_next(roll, &s))
            ;
        if (s.matches >= (min_laps - 1) * length && take_stretch(roll, &s, &copied)) {
            any = true;
            at = copied;
        } else if (s.unlike || s.matches < length) {
            at += s.matches + 1;
        } else {
            at += s.matches - length + 1;
        }
    }
    if (!any)
        return false;
    copy_items(roll, copied, roll->items.len);
    struct roll_items old = roll->items;
    roll->items = roll->made;
    roll->made = old;
    return true;
}

static size_t longest_lap(const struct roll *roll, size_t min_laps) {
    size_t n = roll->items.len, most = n / min_laps, affordable = MAX_COMPARISONS / (n + 1);
    if (affordable < MIN_LONGEST_LAP)
        affordable = MIN_LONGEST_LAP;
    most = most < affordable ? most : affordable;
    return most < LONGEST_LAP ? most : LONGEST_LAP;
}

static bool roll_once(struct roll *roll, size_t min_laps) {
    for (size_t length = 1; length <= longest_lap(roll, min_laps); length++)
        if (roll_length(roll, length, min_laps))
            return true;
    return false;
}

static void free_roll(struct roll *roll) {
    vec_free(&roll->items);
    vec_free(&roll->made);
    vec_free(&roll->shapes);
    vec_free(&roll->values);
    vec_free(&roll->words);
    vec_free(&roll->pool);
    vec_free(&roll->children);
    vec_free(&roll->slots);
    vec_free(&roll->scratch);
    map_free(&roll->word_ids);
    map_free(&roll->loop_ids);
    free(roll->list);
}

void table_roll(const struct table_layout *layout, const struct table_token *tokens, size_t count,
                struct entry_list *out) {
    bool flat = plane_target(layout->t)->sections == 1;
    struct roll r = {.notation = flat ? &table_roll_flat : &table_roll_sections,
                     .layout = layout,
                     .tokens = tokens,
                     .count = count};
    fill_items(&r);
    do {
        while (roll_once(&r, 3))
            ;
    } while (roll_once(&r, 2));
    r.notation->write(&r, r.items.data, r.items.len, out);
    free_roll(&r);
}
