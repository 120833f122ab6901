/* SPDX-License-Identifier: MIT
 * From a list of micro-ops to nested counted loops.
 *
 * A list is a row of items: at first its micro-ops, later also loops.  For each length L from 1 up
 * the row is searched for stretches in which every item is like the one L items on; what differs
 * is the position and the number of laps of loops, by the same amount from lap to lap.  A stretch
 * becomes one item if that saves templates, and the search begins anew, so that inner loops are
 * there before those around them.  A new loop around loops is tried on the micro-ops before and
 * behind it too: there the inner loops have too few laps to be recognised.
 *
 * A pipelined loop is one whose laps but the first are forwarded throughout; in a serial one all
 * laps are forwarded alike.  Where all bits lie in one section, flat.c does this. */
#include "recipe/table/parts.h"

#include "support/map.h"

#include <string.h>

#define SHAPE_LOOP (UINT32_C(1) << 31)

enum { LONGEST_LAP = 256, MIN_LONGEST_LAP = 32, MAX_COMPARISONS = 1 << 24 };

struct roll_item {
    uint32_t shape;   /* index into words, or SHAPE_LOOP | index into loops */
    uint32_t forward; /* of a micro-op */
    int32_t position; /* at its begin */
    int32_t laps;
    int32_t step;
    uint32_t flat; /* its first micro-op in the list */
    uint32_t cost; /* templates */
};
struct item_list {
    struct roll_item *data;
    size_t len, cap;
};

/* A loop but for its position and laps: header and body in the pool. */
struct rolled {
    uint32_t first, count;
    bool nested;
};

struct roll {
    const struct table_layout *layout;
    const struct table_token *tokens;
    size_t count;
    struct item_list items, made;
    struct entry_list words, pool;
    struct map word_ids, loop_ids;
    VEC(struct rolled) loops;
};

static bool is_loop(const struct roll_item *item) {
    return item->shape & SHAPE_LOOP;
}

static const struct rolled *loop_of(const struct roll *roll, const struct roll_item *item) {
    return &roll->loops.data[item->shape & ~SHAPE_LOOP];
}

/* Where the position stands behind an item. */
static int32_t behind(const struct roll_item *item) {
    return item->position + item->laps * item->step;
}

/* ---- items to entries ---- */

/* Position and lap's begin in two laps that follow one another; how a move says it. */
struct lap_course {
    int32_t here[2], lap[2];
    bool in_loop;
};

static struct table_entry move_entry(uint32_t mode, const int32_t from[2], const int32_t to[2]) {
    struct table_entry e;
    memset(&e, 0, sizeof e);
    e.kind = ENTRY_MOVE;
    e.move.mode = mode;
    e.move.value = to[0] - from[0];
    e.move.change = to[1] - from[1] - e.move.value;
    return e;
}

/* The move that changes least from lap to lap; outside of loops the shortest. */
static struct table_entry best_move(const struct lap_course *course, const int32_t to[2]) {
    static const int32_t nowhere[2] = {0, 0};
    const struct table_entry moves[] = {move_entry(MOVE_FROM_LAP, course->lap, to),
                                        move_entry(MOVE_TO, nowhere, to),
                                        move_entry(MOVE_FROM_HERE, course->here, to)};
    unsigned best = course->in_loop ? 0 : 1;
    for (unsigned i = best + 1; i < 3; i++) {
        int32_t was = course->in_loop ? moves[best].move.change : moves[best].move.value;
        int32_t now = course->in_loop ? moves[i].move.change : moves[i].move.value;
        if (abs(now) < abs(was))
            best = i;
    }
    return moves[best];
}

static void put_entry(struct roll *roll, struct table_entry entry, struct entry_list *out,
                      uint32_t *cost) {
    entry.words = (uint16_t)table_entry_words(roll->layout, &entry);
    *cost += entry.words ? entry.words : UINT16_MAX; /* what has no layout is not worth it */
    vec_push(out, entry);
}

static void put_item(struct roll *roll, const struct roll_item *item, int32_t change,
                     struct entry_list *out, uint32_t *cost) {
    if (!is_loop(item)) {
        struct table_entry e = roll->words.data[item->shape];
        e.forward = item->forward;
        put_entry(roll, e, out, cost);
        return;
    }
    const struct rolled *l = loop_of(roll, item);
    struct table_entry header = roll->pool.data[l->first];
    header.loop.laps = (uint32_t)item->laps;
    header.loop.change = change;
    put_entry(roll, header, out, cost);
    *cost += header.loop.words;
    for (uint32_t k = 1; k < l->count; k++)
        vec_push(out, roll->pool.data[l->first + k]);
}

/* Entries of `count` items, the body of a loop whose second lap is `next`, or all (next == NULL).
 * The templates that they take. */
static uint32_t put_items(struct roll *roll, const struct roll_item *items, size_t count,
                          const struct roll_item *next, struct entry_list *out) {
    uint32_t cost = 0;
    struct lap_course c = {.in_loop = next != NULL};
    for (unsigned k = 0; next && k < 2; k++)
        c.here[k] = c.lap[k] = k ? next->position : items->position;
    for (size_t i = 0; i < count; i++) {
        const struct roll_item *other = next ? &next[i] : &items[i];
        const int32_t to[2] = {items[i].position, other->position};
        if (to[0] != c.here[0] || to[1] != c.here[1])
            put_entry(roll, best_move(&c, to), out, &cost);
        put_item(roll, &items[i], other->laps - items[i].laps, out, &cost);
        c.here[0] = behind(&items[i]);
        c.here[1] = behind(other);
    }
    return cost;
}

/* ---- loops ---- */

/* The loop with this header and body, new or known. */
static uint32_t intern_loop(struct roll *roll, const struct table_entry *entries, size_t count) {
    const uint64_t *known =
        map_get_n(&roll->loop_ids, (const char *)entries, count * sizeof *entries);
    if (known)
        return (uint32_t)*known;
    struct rolled l = {(uint32_t)roll->pool.len, (uint32_t)count, false};
    for (size_t i = 0; i < count; i++) {
        l.nested |= i > 0 && entries[i].kind == ENTRY_LOOP;
        vec_push(&roll->pool, entries[i]);
    }
    vec_push(&roll->loops, l);
    map_put_n(&roll->loop_ids, (const char *)entries, count * sizeof *entries, roll->loops.len - 1);
    return (uint32_t)roll->loops.len - 1;
}

/* A stretch of the row: n laps of `length` items. */
struct roll_stretch {
    size_t first, length, laps;
    bool pipelined;
};

/* Templates that it takes as it is. */
static uint32_t cost_unrolled(const struct roll *roll, const struct roll_stretch *stretch) {
    uint32_t cost = 0;
    for (size_t i = stretch->first; i < stretch->first + stretch->length * stretch->laps; i++) {
        const struct roll_item *item = &roll->items.data[i];
        bool moves = i > stretch->first && item->position != behind(&item[-1]);
        cost += item->cost + moves;
    }
    return cost;
}

/* The stretch as one item; false if that saves nothing. */
static bool roll_stretch(struct roll *roll, const struct roll_stretch *stretch,
                         struct roll_item *made) {
    const struct roll_item *lap = &roll->items.data[stretch->first], *next = lap + stretch->length;
    struct entry_list entries = {0};
    struct table_entry header;
    memset(&header, 0, sizeof header);
    header.kind = ENTRY_LOOP;
    header.forward = stretch->pipelined;
    header.loop.step = next->position - lap->position;
    vec_push(&entries, header);
    uint32_t words = put_items(roll, lap, stretch->length, next, &entries), cost = words;
    entries.data[0].loop.words = words;
    entries.data[0].loop.entries = (uint32_t)entries.len - 1;
    header = entries.data[0];
    header.loop.laps = (uint32_t)stretch->laps;
    cost += table_entry_words(roll->layout, &header);
    bool saves = words < UINT16_MAX && cost < cost_unrolled(roll, stretch);
    if (saves)
        *made =
            (struct roll_item){.shape = SHAPE_LOOP | intern_loop(roll, entries.data, entries.len),
                               .position = lap->position,
                               .laps = (int32_t)stretch->laps,
                               .step = header.loop.step,
                               .flat = lap->flat,
                               .cost = cost};
    vec_free(&entries);
    return saves;
}

/* ---- more laps of a loop around loops ---- */

/* Compares what a lap gives with the list. */
struct lap_comparison {
    const struct roll *r;
    size_t at;
    bool count_only;
};

static bool compare_one(void *context, const struct table_entry *entry,
                        const struct table_course *at) {
    struct lap_comparison *c = context;
    if (c->count_only) {
        c->at++;
        return true;
    }
    if (c->at >= c->r->count)
        return false;
    return table_gives(c->r->layout, entry, at, &c->r->tokens[c->at++]);
}

/* True if lap `number` of a loop gives the micro-ops from c->at on, which is then behind them. */
static bool lap_matches(const struct roll *roll, const struct roll_item *loop, int64_t number,
                        struct lap_comparison *comparison) {
    const struct rolled *l = loop_of(roll, loop);
    struct table_run run = {.entries = roll->pool.data,
                            .emit = compare_one,
                            .context = comparison,
                            .position = loop->position + number * loop->step};
    return table_walk(&run, l->first + 1, l->count - 1, number);
}

/* Takes laps behind the loop: *next is the item behind it. */
static void grow_behind(struct roll *roll, struct roll_item *loop, size_t *next) {
    for (;;) {
        size_t i = *next;
        struct lap_comparison c = {
            .r = roll, .at = i < roll->items.len ? roll->items.data[i].flat : roll->count};
        size_t before = c.at;
        if (!lap_matches(roll, loop, loop->laps, &c) || c.at == before)
            return;
        while (i < roll->items.len && roll->items.data[i].flat < c.at)
            i++;
        if ((i < roll->items.len ? roll->items.data[i].flat : roll->count) != c.at)
            return;
        *next = i;
        loop->laps++;
    }
}

/* The loop with its laps counted from the one before its first.  False if that cannot be. */
static bool rebase(struct roll *roll, struct roll_item *loop) {
    const struct rolled *l = loop_of(roll, loop);
    struct entry_list entries = {0};
    bool fine = true;
    for (uint32_t i = 0; i < l->count; i++)
        vec_push(&entries, roll->pool.data[l->first + i]);
    uint32_t words = 0;
    for (uint32_t i = 1; i < l->count;) {
        struct table_entry *e = &entries.data[i];
        if (e->kind == ENTRY_MOVE)
            e->move.value -= e->move.change;
        if (e->kind == ENTRY_LOOP)
            e->loop.laps -= (uint32_t)e->loop.change;
        fine &= e->kind != ENTRY_LOOP || e->loop.laps <= INT32_MAX;
        e->words = (uint16_t)table_entry_words(roll->layout, e);
        fine &= e->words != 0;
        words += e->words + (e->kind == ENTRY_LOOP ? e->loop.words : 0);
        i += e->kind == ENTRY_LOOP ? 1 + e->loop.entries : 1;
    }
    entries.data[0].loop.words = words;
    if (fine) {
        loop->shape = SHAPE_LOOP | intern_loop(roll, entries.data, entries.len);
        loop->position -= loop->step;
        loop->laps++;
    }
    vec_free(&entries);
    return fine;
}

/* Takes laps before the loop, from the items in front of it in r->made. */
static void grow_before(struct roll *roll, struct roll_item *loop) {
    for (;;) {
        struct lap_comparison length = {.r = roll, .count_only = true};
        if (!lap_matches(roll, loop, -1, &length) || length.at == 0 || length.at > loop->flat)
            return;
        struct lap_comparison c = {.r = roll, .at = loop->flat - length.at};
        size_t first = c.at, i = roll->made.len;
        while (i > 0 && roll->made.data[i - 1].flat >= first)
            i--;
        if (i == roll->made.len || roll->made.data[i].flat != first ||
            !lap_matches(roll, loop, -1, &c) || !rebase(roll, loop))
            return;
        roll->made.len = i;
        loop->flat = (uint32_t)first;
    }
}

/* ---- search ---- */

/* How far a stretch that begins at `first` goes on. */
struct roll_search {
    size_t first, length, matches;
    bool serial, pipelined;
    bool unlike; /* it ended at items of different shapes, not in how they change */
};

/* From lap to lap the same difference, and neighbours in one section move together. */
static bool changes_alike(const struct roll_search *search, const struct roll_item *item) {
    const struct roll_item *b = item + search->length;
    const struct roll_item *before =
        search->matches >= search->length ? item - search->length : NULL;
    if (before)
        return b->position - item->position == item->position - before->position &&
               b->laps - item->laps == item->laps - before->laps;
    return search->matches == 0 || item->position != behind(&item[-1]) || is_loop(item) ||
           is_loop(&item[-1]) || b->position - item->position == b[-1].position - item[-1].position;
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
    bool pipelined = search->pipelined && b->forward == FORWARD_RULE && !is_loop(a);
    if ((!serial && !pipelined) || !changes_alike(search, a))
        return false;
    search->serial = serial;
    search->pipelined = pipelined;
    search->matches++;
    return true;
}

/* Of the places where the laps of a stretch may be cut, the first at which the position changes. */
static size_t cut_at_move(const struct roll *roll, size_t first, size_t slack) {
    for (size_t i = first; i <= first + slack; i++)
        if (i == 0 || roll->items.data[i].position != roll->items.data[i - 1].position)
            return i;
    return first;
}

static void copy_items(struct roll *roll, size_t first, size_t end) {
    for (; first < end; first++)
        vec_push(&roll->made, roll->items.data[first]);
}

/* Puts the stretch that was found into r->made as a loop; *at is then behind it. */
static bool take_stretch(struct roll *roll, const struct roll_search *search, size_t *at) {
    struct roll_stretch s = {.length = search->length,
                             .laps = search->matches / search->length + 1,
                             .pipelined = search->pipelined && !search->serial};
    struct roll_item made;
    s.first = cut_at_move(roll, search->first, search->matches % search->length);
    if (!roll_stretch(roll, &s, &made))
        return false;
    size_t next = s.first + s.length * s.laps;
    copy_items(roll, *at, s.first);
    if (loop_of(roll, &made)->nested) {
        grow_before(roll, &made);
        grow_behind(roll, &made, &next);
    }
    vec_push(&roll->made, made);
    *at = next;
    return true;
}

static bool roll_length(struct roll *roll, size_t length, size_t min_laps) {
    bool any = false;
    size_t copied = 0, at = 0;
    roll->made.len = 0;
    while (at + length * min_laps <= roll->items.len) {
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
    struct item_list old = roll->items;
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

/* ---- the list ---- */

static uint32_t word_of(struct roll *roll, const struct table_entry *entry) {
    const uint64_t *known = map_get_n(&roll->word_ids, (const char *)entry, sizeof *entry);
    if (known)
        return (uint32_t)*known;
    vec_push(&roll->words, *entry);
    map_put_n(&roll->word_ids, (const char *)entry, sizeof *entry, roll->words.len - 1);
    return (uint32_t)roll->words.len - 1;
}

static void fill_items(struct roll *roll) {
    vec_reserve(&roll->items, roll->count);
    for (size_t i = 0; i < roll->count; i++) {
        const struct table_token *t = &roll->tokens[i];
        struct table_entry e = t->entry;
        e.forward = t->forward;
        struct roll_item item = {.shape = word_of(roll, &t->entry),
                                 .forward = t->forward,
                                 .position = t->position,
                                 .flat = (uint32_t)i,
                                 .cost = table_entry_words(roll->layout, &e)};
        vec_push(&roll->items, item);
    }
}

void table_roll(const struct table_layout *layout, const struct table_token *tokens, size_t count,
                struct entry_list *out) {
    struct roll r = {.layout = layout, .tokens = tokens, .count = count};
    fill_items(&r);
    do {
        while (roll_once(&r, 3))
            ;
    } while (roll_once(&r, 2));
    put_items(&r, r.items.data, r.items.len, NULL, out);
    vec_free(&r.items);
    vec_free(&r.made);
    vec_free(&r.words);
    vec_free(&r.pool);
    vec_free(&r.loops);
    map_free(&r.word_ids);
    map_free(&r.loop_ids);
}
