/* SPDX-License-Identifier: MIT
 * Loops where the bits of a register lie in several sections: a micro-op works at a position, its
 * operands are relative to it, and moves set it.
 *
 * The value of a micro-op is its position; those of a loop are its laps and the position of its
 * first lap.  The shape of a loop is its entries, header and body, with positions relative to the
 * lap's. */
#include "recipe/table/roll.h"

#include <string.h>

static int32_t position_of(const struct roll *roll, const struct roll_item *item) {
    return roll_values_of(roll, item)[roll_shape_of(roll, item)->loop];
}

static int32_t laps_of(const struct roll *roll, const struct roll_item *item) {
    return roll_shape_of(roll, item)->loop ? *roll_values_of(roll, item) : 0;
}

/* Where the position stands behind an item. */
static int32_t behind(const struct roll *roll, const struct roll_item *item) {
    return position_of(roll, item) + laps_of(roll, item) * roll_shape_of(roll, item)->step;
}

static struct roll_item read_token(struct roll *roll, const struct table_token *token) {
    bool known;
    struct roll_shape s = {.word = (uint32_t)roll->words.len, .values = 1};
    struct roll_item made = {.value = (uint32_t)roll->values.len};
    made.shape =
        table_roll_shape(roll, &roll->word_ids, &token->entry, sizeof token->entry, s, &known);
    if (!known)
        vec_push(&roll->words, token->entry);
    vec_push(&roll->values, token->position);
    struct table_entry e = token->entry;
    e.forward = token->forward;
    made.cost = table_entry_words(roll->layout, &e);
    return made;
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

static void put_entry(const struct roll *roll, struct table_entry entry, struct entry_list *out,
                      uint32_t *cost) {
    entry.words = (uint16_t)table_entry_words(roll->layout, &entry);
    *cost += entry.words ? entry.words : UINT16_MAX; /* what has no layout is not worth it */
    vec_push(out, entry);
}

static void put_item(const struct roll *roll, const struct roll_item *item, int32_t change,
                     struct entry_list *out, uint32_t *cost) {
    const struct roll_shape *shape = roll_shape_of(roll, item);
    if (!shape->loop) {
        struct table_entry e = roll->words.data[shape->word];
        e.forward = item->forward;
        put_entry(roll, e, out, cost);
        return;
    }
    struct table_entry header = roll->pool.data[shape->child];
    header.loop.laps = (uint32_t)laps_of(roll, item);
    header.loop.change = change;
    put_entry(roll, header, out, cost);
    *cost += header.loop.words;
    for (uint32_t k = 1; k < shape->count; k++)
        vec_push(out, roll->pool.data[shape->child + k]);
}

/* Entries of `count` items, the body of a loop whose second lap is `next`, or all (next == NULL).
 * The templates that they take. */
static uint32_t put_items(const struct roll *roll, const struct roll_item *items, size_t count,
                          const struct roll_item *next, struct entry_list *out) {
    uint32_t cost = 0;
    struct lap_course c = {.in_loop = next != NULL};
    for (unsigned k = 0; next && k < 2; k++)
        c.here[k] = c.lap[k] = position_of(roll, k ? next : items);
    for (size_t i = 0; i < count; i++) {
        const struct roll_item *other = next ? &next[i] : &items[i];
        const int32_t to[2] = {position_of(roll, &items[i]), position_of(roll, other)};
        if (to[0] != c.here[0] || to[1] != c.here[1])
            put_entry(roll, best_move(&c, to), out, &cost);
        put_item(roll, &items[i], laps_of(roll, other) - laps_of(roll, &items[i]), out, &cost);
        c.here[0] = behind(roll, &items[i]);
        c.here[1] = behind(roll, other);
    }
    return cost;
}

/* ---- loops ---- */

/* The loop with this header and body, new or known. */
static uint32_t intern_loop(struct roll *roll, const struct table_entry *entries, size_t count) {
    struct roll_shape s = {.loop = true,
                           .child = (uint32_t)roll->pool.len,
                           .count = (uint32_t)count,
                           .step = entries->loop.step,
                           .values = 2};
    bool known;
    for (size_t i = 1; i < count; i++)
        s.nested |= entries[i].kind == ENTRY_LOOP;
    uint32_t id =
        table_roll_shape(roll, &roll->loop_ids, entries, count * sizeof *entries, s, &known);
    for (size_t i = 0; i < count && !known; i++)
        vec_push(&roll->pool, entries[i]);
    return id;
}

/* Templates that it takes as it is. */
static uint32_t cost_unrolled(const struct roll *roll, const struct roll_stretch *stretch) {
    uint32_t cost = 0;
    for (size_t i = stretch->first; i < stretch->first + stretch->length * stretch->laps; i++) {
        const struct roll_item *item = &roll->items.data[i];
        bool moves = i > stretch->first && position_of(roll, item) != behind(roll, &item[-1]);
        cost += item->cost + moves;
    }
    return cost;
}

/* Of the places where the laps of a stretch may be cut, the first at which the position changes. */
static size_t cut_at_move(const struct roll *roll, size_t first, size_t slack) {
    const struct roll_item *items = roll->items.data;
    for (size_t i = first; i <= first + slack; i++)
        if (i == 0 || position_of(roll, &items[i]) != position_of(roll, &items[i - 1]))
            return i;
    return first;
}

static bool make_loop(struct roll *roll, struct roll_stretch *stretch, struct roll_item *made) {
    stretch->first = cut_at_move(roll, stretch->first, stretch->slack);
    const struct roll_item *lap = &roll->items.data[stretch->first], *next = lap + stretch->length;
    struct entry_list entries = {0};
    struct table_entry header;
    memset(&header, 0, sizeof header);
    header.kind = ENTRY_LOOP;
    header.forward = stretch->pipelined;
    header.loop.step = position_of(roll, next) - position_of(roll, lap);
    vec_push(&entries, header);
    uint32_t words = put_items(roll, lap, stretch->length, next, &entries), cost = words;
    entries.data[0].loop.words = words;
    entries.data[0].loop.entries = (uint32_t)entries.len - 1;
    header = entries.data[0];
    header.loop.laps = (uint32_t)stretch->laps;
    cost += table_entry_words(roll->layout, &header);
    bool saves = words < UINT16_MAX && cost < cost_unrolled(roll, stretch);
    if (saves) {
        int32_t position = position_of(roll, lap);
        *made = (struct roll_item){.shape = intern_loop(roll, entries.data, entries.len),
                                   .value = (uint32_t)roll->values.len,
                                   .begin = lap->begin,
                                   .cost = cost};
        vec_push(&roll->values, (int32_t)stretch->laps);
        vec_push(&roll->values, position);
    }
    vec_free(&entries);
    return saves;
}

/* ---- more laps of a loop around loops ---- */

static bool compare_one(void *context, const struct table_entry *entry,
                        const struct table_course *at) {
    struct roll_comparison *c = context;
    if (c->count_only) {
        c->at++;
        return true;
    }
    if (c->at >= c->roll->count)
        return false;
    return table_gives(c->roll->layout, entry, at, &c->roll->tokens[c->at++]);
}

static bool lap_matches(const struct roll *roll, const struct roll_item *loop, int32_t number,
                        struct roll_comparison *comparison) {
    const struct roll_shape *s = roll_shape_of(roll, loop);
    int64_t first = position_of(roll, loop);
    struct table_run run = {.entries = roll->pool.data,
                            .emit = compare_one,
                            .context = comparison,
                            .position = first + (int64_t)number * s->step};
    return table_walk(&run, s->child + 1, s->count - 1, number);
}

/* Laps are counted from the new one: what changes from lap to lap begins earlier by as much. */
static bool add_lap_before(struct roll *roll, struct roll_item *loop) {
    const struct roll_shape *s = roll_shape_of(roll, loop);
    int32_t *values = &roll->values.data[loop->value], step = s->step;
    struct entry_list entries = {0};
    bool fine = true;
    for (uint32_t i = 0; i < s->count; i++)
        vec_push(&entries, roll->pool.data[s->child + i]);
    uint32_t words = 0;
    for (uint32_t i = 1; i < entries.len;) {
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
        loop->shape = intern_loop(roll, entries.data, entries.len);
        values[0]++;
        values[1] -= step;
    }
    vec_free(&entries);
    return fine;
}

/* ---- the notation ---- */

/* Neighbours in one section move together. */
static bool may_begin(const struct roll *roll, const struct roll_item *item,
                      const struct roll_item *next, bool inside) {
    if (!inside || position_of(roll, item) != behind(roll, &item[-1]) ||
        roll_shape_of(roll, item)->loop || roll_shape_of(roll, &item[-1])->loop)
        return true;
    return position_of(roll, next) - position_of(roll, item) ==
           position_of(roll, &next[-1]) - position_of(roll, &item[-1]);
}

static uint32_t write_items(const struct roll *roll, const struct roll_item *items, size_t count,
                            struct entry_list *out) {
    return put_items(roll, items, count, NULL, out);
}

const struct roll_notation table_roll_sections = {.read = read_token,
                                                  .may_begin = may_begin,
                                                  .make_loop = make_loop,
                                                  .lap_matches = lap_matches,
                                                  .add_lap_before = add_lap_before,
                                                  .write = write_items};
