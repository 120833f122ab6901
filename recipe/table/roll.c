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

static bool is_loop(const struct roll_item *i) {
    return i->shape & SHAPE_LOOP;
}

static const struct rolled *loop_of(const struct roll *r, const struct roll_item *i) {
    return &r->loops.data[i->shape & ~SHAPE_LOOP];
}

/* Where the position stands behind an item. */
static int32_t behind(const struct roll_item *i) {
    return i->position + i->laps * i->step;
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
static struct table_entry best_move(const struct lap_course *c, const int32_t to[2]) {
    static const int32_t nowhere[2] = {0, 0};
    const struct table_entry moves[] = {move_entry(MOVE_FROM_LAP, c->lap, to),
                                        move_entry(MOVE_TO, nowhere, to),
                                        move_entry(MOVE_FROM_HERE, c->here, to)};
    unsigned best = c->in_loop ? 0 : 1;
    for (unsigned i = best + 1; i < 3; i++) {
        int32_t was = c->in_loop ? moves[best].move.change : moves[best].move.value;
        int32_t now = c->in_loop ? moves[i].move.change : moves[i].move.value;
        if (abs(now) < abs(was))
            best = i;
    }
    return moves[best];
}

static void put_entry(struct roll *r, struct table_entry e, struct entry_list *out,
                      uint32_t *cost) {
    e.words = (uint16_t)table_entry_words(r->layout, &e);
    *cost += e.words ? e.words : UINT16_MAX; /* what has no layout is not worth it */
    vec_push(out, e);
}

static void put_item(struct roll *r, const struct roll_item *i, int32_t change,
                     struct entry_list *out, uint32_t *cost) {
    if (!is_loop(i)) {
        struct table_entry e = r->words.data[i->shape];
        e.forward = i->forward;
        put_entry(r, e, out, cost);
        return;
    }
    const struct rolled *l = loop_of(r, i);
    struct table_entry header = r->pool.data[l->first];
    header.loop.laps = (uint32_t)i->laps;
    header.loop.change = change;
    put_entry(r, header, out, cost);
    *cost += header.loop.words;
    for (uint32_t k = 1; k < l->count; k++)
        vec_push(out, r->pool.data[l->first + k]);
}

/* Entries of `count` items, the body of a loop whose second lap is `next`, or all (next == NULL).
 * The templates that they take. */
static uint32_t put_items(struct roll *r, const struct roll_item *items, size_t count,
                          const struct roll_item *next, struct entry_list *out) {
    uint32_t cost = 0;
    struct lap_course c = {.in_loop = next != NULL};
    for (unsigned k = 0; next && k < 2; k++)
        c.here[k] = c.lap[k] = k ? next->position : items->position;
    for (size_t i = 0; i < count; i++) {
        const struct roll_item *other = next ? &next[i] : &items[i];
        const int32_t to[2] = {items[i].position, other->position};
        if (to[0] != c.here[0] || to[1] != c.here[1])
            put_entry(r, best_move(&c, to), out, &cost);
        put_item(r, &items[i], other->laps - items[i].laps, out, &cost);
        c.here[0] = behind(&items[i]);
        c.here[1] = behind(other);
    }
    return cost;
}

/* ---- loops ---- */

/* The loop with this header and body, new or known. */
static uint32_t intern_loop(struct roll *r, const struct table_entry *entries, size_t count) {
    const uint64_t *known = map_get_n(&r->loop_ids, (const char *)entries, count * sizeof *entries);
    if (known)
        return (uint32_t)*known;
    struct rolled l = {(uint32_t)r->pool.len, (uint32_t)count, false};
    for (size_t i = 0; i < count; i++) {
        l.nested |= i > 0 && entries[i].kind == ENTRY_LOOP;
        vec_push(&r->pool, entries[i]);
    }
    vec_push(&r->loops, l);
    map_put_n(&r->loop_ids, (const char *)entries, count * sizeof *entries, r->loops.len - 1);
    return (uint32_t)r->loops.len - 1;
}

/* A stretch of the row: n laps of `length` items. */
struct roll_stretch {
    size_t first, length, laps;
    bool pipelined;
};

/* Templates that it takes as it is. */
static uint32_t cost_unrolled(const struct roll *r, const struct roll_stretch *s) {
    uint32_t cost = 0;
    for (size_t i = s->first; i < s->first + s->length * s->laps; i++) {
        const struct roll_item *item = &r->items.data[i];
        bool moves = i > s->first && item->position != behind(&item[-1]);
        cost += item->cost + moves;
    }
    return cost;
}

/* The stretch as one item; false if that saves nothing. */
static bool roll_stretch(struct roll *r, const struct roll_stretch *s, struct roll_item *made) {
    const struct roll_item *lap = &r->items.data[s->first], *next = lap + s->length;
    struct entry_list entries = {0};
    struct table_entry header;
    memset(&header, 0, sizeof header);
    header.kind = ENTRY_LOOP;
    header.forward = s->pipelined;
    header.loop.step = next->position - lap->position;
    vec_push(&entries, header);
    uint32_t words = put_items(r, lap, s->length, next, &entries), cost = words;
    entries.data[0].loop.words = words;
    entries.data[0].loop.entries = (uint32_t)entries.len - 1;
    header = entries.data[0];
    header.loop.laps = (uint32_t)s->laps;
    cost += table_entry_words(r->layout, &header);
    bool saves = words < UINT16_MAX && cost < cost_unrolled(r, s);
    if (saves)
        *made = (struct roll_item){.shape = SHAPE_LOOP | intern_loop(r, entries.data, entries.len),
                                   .position = lap->position,
                                   .laps = (int32_t)s->laps,
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

static bool compare_one(void *context, const struct table_entry *e, const struct table_course *at) {
    struct lap_comparison *c = context;
    if (c->count_only) {
        c->at++;
        return true;
    }
    if (c->at >= c->r->count)
        return false;
    return table_gives(c->r->layout, e, at, &c->r->tokens[c->at++]);
}

/* True if lap `number` of a loop gives the micro-ops from c->at on, which is then behind them. */
static bool lap_matches(const struct roll *r, const struct roll_item *loop, int64_t number,
                        struct lap_comparison *c) {
    const struct rolled *l = loop_of(r, loop);
    struct table_run run = {.entries = r->pool.data,
                            .emit = compare_one,
                            .context = c,
                            .position = loop->position + number * loop->step};
    return table_walk(&run, l->first + 1, l->count - 1, number);
}

/* Takes laps behind the loop: *next is the item behind it. */
static void grow_behind(struct roll *r, struct roll_item *loop, size_t *next) {
    for (;;) {
        size_t i = *next;
        struct lap_comparison c = {.r = r,
                                   .at = i < r->items.len ? r->items.data[i].flat : r->count};
        size_t before = c.at;
        if (!lap_matches(r, loop, loop->laps, &c) || c.at == before)
            return;
        while (i < r->items.len && r->items.data[i].flat < c.at)
            i++;
        if ((i < r->items.len ? r->items.data[i].flat : r->count) != c.at)
            return;
        *next = i;
        loop->laps++;
    }
}

/* The loop with its laps counted from the one before its first.  False if that cannot be. */
static bool rebase(struct roll *r, struct roll_item *loop) {
    const struct rolled *l = loop_of(r, loop);
    struct entry_list entries = {0};
    bool fine = true;
    for (uint32_t i = 0; i < l->count; i++)
        vec_push(&entries, r->pool.data[l->first + i]);
    uint32_t words = 0;
    for (uint32_t i = 1; i < l->count;) {
        struct table_entry *e = &entries.data[i];
        if (e->kind == ENTRY_MOVE)
            e->move.value -= e->move.change;
        if (e->kind == ENTRY_LOOP)
            e->loop.laps -= (uint32_t)e->loop.change;
        fine &= e->kind != ENTRY_LOOP || e->loop.laps <= INT32_MAX;
        e->words = (uint16_t)table_entry_words(r->layout, e);
        fine &= e->words != 0;
        words += e->words + (e->kind == ENTRY_LOOP ? e->loop.words : 0);
        i += e->kind == ENTRY_LOOP ? 1 + e->loop.entries : 1;
    }
    entries.data[0].loop.words = words;
    if (fine) {
        loop->shape = SHAPE_LOOP | intern_loop(r, entries.data, entries.len);
        loop->position -= loop->step;
        loop->laps++;
    }
    vec_free(&entries);
    return fine;
}

/* Takes laps before the loop, from the items in front of it in r->made. */
static void grow_before(struct roll *r, struct roll_item *loop) {
    for (;;) {
        struct lap_comparison length = {.r = r, .count_only = true};
        if (!lap_matches(r, loop, -1, &length) || length.at == 0 || length.at > loop->flat)
            return;
        struct lap_comparison c = {.r = r, .at = loop->flat - length.at};
        size_t first = c.at, i = r->made.len;
        while (i > 0 && r->made.data[i - 1].flat >= first)
            i--;
        if (i == r->made.len || r->made.data[i].flat != first || !lap_matches(r, loop, -1, &c) ||
            !rebase(r, loop))
            return;
        r->made.len = i;
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
static bool changes_alike(const struct roll_search *s, const struct roll_item *a) {
    const struct roll_item *b = a + s->length;
    const struct roll_item *before = s->matches >= s->length ? a - s->length : NULL;
    if (before)
        return b->position - a->position == a->position - before->position &&
               b->laps - a->laps == a->laps - before->laps;
    return s->matches == 0 || a->position != behind(&a[-1]) || is_loop(a) || is_loop(&a[-1]) ||
           b->position - a->position == b[-1].position - a[-1].position;
}

static bool match_next(const struct roll *r, struct roll_search *s) {
    size_t at = s->first + s->matches;
    if (at + s->length >= r->items.len)
        return !(s->unlike = true);
    const struct roll_item *a = &r->items.data[at], *b = a + s->length;
    s->unlike = a->shape != b->shape;
    if (s->unlike)
        return false;
    bool serial = s->serial && a->forward == b->forward;
    bool pipelined = s->pipelined && b->forward == FORWARD_RULE && !is_loop(a);
    if ((!serial && !pipelined) || !changes_alike(s, a))
        return false;
    s->serial = serial;
    s->pipelined = pipelined;
    s->matches++;
    return true;
}

/* Of the places where the laps of a stretch may be cut, the first at which the position changes. */
static size_t cut_at_move(const struct roll *r, size_t first, size_t slack) {
    for (size_t i = first; i <= first + slack; i++)
        if (i == 0 || r->items.data[i].position != r->items.data[i - 1].position)
            return i;
    return first;
}

static void copy_items(struct roll *r, size_t first, size_t end) {
    for (; first < end; first++)
        vec_push(&r->made, r->items.data[first]);
}

/* Puts the stretch that was found into r->made as a loop; *at is then behind it. */
static bool take_stretch(struct roll *r, const struct roll_search *f, size_t *at) {
    struct roll_stretch s = {.length = f->length,
                             .laps = f->matches / f->length + 1,
                             .pipelined = f->pipelined && !f->serial};
    struct roll_item made;
    s.first = cut_at_move(r, f->first, f->matches % f->length);
    if (!roll_stretch(r, &s, &made))
        return false;
    size_t next = s.first + s.length * s.laps;
    copy_items(r, *at, s.first);
    if (loop_of(r, &made)->nested) {
        grow_before(r, &made);
        grow_behind(r, &made, &next);
    }
    vec_push(&r->made, made);
    *at = next;
    return true;
}

static bool roll_length(struct roll *r, size_t length, size_t min_laps) {
    bool any = false;
    size_t copied = 0, at = 0;
    r->made.len = 0;
    while (at + length * min_laps <= r->items.len) {
        struct roll_search s = {.first = at, .length = length, .serial = true, .pipelined = true};
        while (match_next(r, &s))
            ;
        if (s.matches >= (min_laps - 1) * length && take_stretch(r, &s, &copied)) {
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
    copy_items(r, copied, r->items.len);
    struct item_list old = r->items;
    r->items = r->made;
    r->made = old;
    return true;
}

static size_t longest_lap(const struct roll *r, size_t min_laps) {
    size_t n = r->items.len, most = n / min_laps, affordable = MAX_COMPARISONS / (n + 1);
    if (affordable < MIN_LONGEST_LAP)
        affordable = MIN_LONGEST_LAP;
    most = most < affordable ? most : affordable;
    return most < LONGEST_LAP ? most : LONGEST_LAP;
}

static bool roll_once(struct roll *r, size_t min_laps) {
    for (size_t length = 1; length <= longest_lap(r, min_laps); length++)
        if (roll_length(r, length, min_laps))
            return true;
    return false;
}

/* ---- the list ---- */

static uint32_t word_of(struct roll *r, const struct table_entry *e) {
    const uint64_t *known = map_get_n(&r->word_ids, (const char *)e, sizeof *e);
    if (known)
        return (uint32_t)*known;
    vec_push(&r->words, *e);
    map_put_n(&r->word_ids, (const char *)e, sizeof *e, r->words.len - 1);
    return (uint32_t)r->words.len - 1;
}

static void fill_items(struct roll *r) {
    vec_reserve(&r->items, r->count);
    for (size_t i = 0; i < r->count; i++) {
        const struct table_token *t = &r->tokens[i];
        struct table_entry e = t->entry;
        e.forward = t->forward;
        struct roll_item item = {.shape = word_of(r, &t->entry),
                                 .forward = t->forward,
                                 .position = t->position,
                                 .flat = (uint32_t)i,
                                 .cost = table_entry_words(r->layout, &e)};
        vec_push(&r->items, item);
    }
}

void table_roll(const struct table_layout *l, const struct table_token *tokens, size_t count,
                struct entry_list *out) {
    struct roll r = {.layout = l, .tokens = tokens, .count = count};
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
