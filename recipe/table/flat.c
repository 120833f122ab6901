/* SPDX-License-Identifier: MIT
 * From a list of micro-ops to nested counted loops where all bits of a register lie in one section.
 *
 * As roll.c does it: for each length L from 1 up the row of items is searched for stretches in
 * which every item is like the one L items on, and stretches become items.  Like means of the same
 * shape; what differs are bits, rows and laps, by the same amounts from lap to lap.  An amount must
 * be one that a template can say: the position's step, its opposite or nothing, and what the number
 * of the lap around the loop adds. */
#include "recipe/table/flat.h"

#include <string.h>

enum { LONGEST_LAP = 256, MIN_LONGEST_LAP = 32, MAX_COMPARISONS = 1 << 24, MOST_STEPS = 8 };

static const struct flat_shape *shape_of(const struct flat *flat, const struct flat_item *item) {
    return &flat->shapes.data[item->shape];
}

static const int32_t *values_of(const struct flat *flat, const struct flat_item *item) {
    return flat->values.data + item->value;
}

/* ---- the micro-ops ---- */

static uint32_t add_shape(struct flat *flat, struct map *ids, const void *key, size_t size,
                          struct flat_shape shape, bool *known) {
    const uint64_t *id = map_get_n(ids, key, size);
    *known = id != NULL;
    if (id)
        return (uint32_t)*id;
    vec_push(&flat->shapes, shape);
    map_put_n(ids, key, size, flat->shapes.len - 1);
    return (uint32_t)flat->shapes.len - 1;
}

/* The shape of a micro-op; its values behind those that there are. */
static struct flat_item item_of(struct flat *flat, const struct table_token *token) {
    const struct target_op *op = &plane_target(flat->layout->t)->ops[token->entry.op];
    struct flat_item made = {.value = (uint32_t)flat->values.len};
    struct table_entry e = token->entry;
    struct flat_shape s = {.word = (uint32_t)flat->words.len};
    bool known;
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        struct table_operand *o = &e.operands[i];
        if (!table_flat_is_value(o))
            continue;
        vec_push(&flat->values, o->class == PLANE_SCRATCH ? o->number : o->offset);
        if (o->class == PLANE_SCRATCH)
            o->number = 0;
        o->offset = 0;
        s.values++;
    }
    made.shape = add_shape(flat, &flat->word_ids, &e, sizeof e, s, &known);
    if (!known)
        vec_push(&flat->words, e);
    return made;
}

static void fill_items(struct flat *flat, const struct table_token *tokens) {
    struct entry_list scratch = {0};
    flat->list = xcalloc(flat->count + 1, sizeof *flat->list);
    for (size_t i = 0; i < flat->count; i++) {
        struct flat_item item = item_of(flat, &tokens[i]);
        item.flat = (uint32_t)i;
        item.cost = 1;
        flat->list[i] = item;
        vec_push(&flat->items, item);
    }
    for (size_t i = 0; i < flat->count; i++) {
        scratch.len = 0;
        table_flat_write(flat, &flat->items.data[i], 1, &scratch);
        flat->items.data[i].cost = vec_last(&scratch).words;
    }
    vec_free(&scratch);
}

/* ---- loops ---- */

/* A stretch of the row: n laps of `length` items. */
struct flat_stretch {
    size_t first, length, laps;
};

static bool is_small(int64_t n) {
    return n >= -MOST_OUTER && n <= MOST_OUTER;
}

/* How a value that changes by `delta` from lap to lap, where the position changes by `step`, is
 * said.  `value` is what it is in a lap; false if it cannot be said. */
static bool say_delta(struct loop_value *value, bool in_row, int32_t delta, int32_t step) {
    value->delta = delta;
    if (in_row) { /* a micro-op of the body */
        value->sign = (int8_t)(delta == 0 ? 0 : delta == step ? 1 : -1);
        return delta == 0 || delta == step || delta == -step;
    }
    if (value->laps) {
        value->change = value->depth == 1 ? delta : value->change;
        return value->depth == 1 || delta == 0;
    }
    int64_t outer = (int64_t)delta - (int64_t)value->sign * step;
    if (value->depth == 1)
        value->outer = (int8_t)(is_small(outer) ? outer : 0);
    return value->depth == 1 ? is_small(outer) : outer == 0;
}

struct slot_list {
    struct loop_value *data;
    size_t len, cap;
};

/* The slots of one lap's items; false if some change from lap to lap cannot be said. */
static bool say_lap(const struct flat *flat, const struct flat_stretch *stretch, int32_t step,
                    struct slot_list *out) {
    bool fine = true;
    out->len = 0;
    struct loop_value own = {.laps = 1};
    vec_push(out, own);
    for (size_t i = stretch->first; i < stretch->first + stretch->length && fine; i++) {
        const struct flat_item *a = &flat->items.data[i], *b = a + stretch->length;
        const struct flat_shape *s = shape_of(flat, a);
        for (uint32_t k = 0; k < s->values && fine; k++) {
            struct loop_value slot = {0};
            if (s->loop)
                slot = flat->slots.data[s->slot + k];
            fine = say_delta(&slot, !s->loop, values_of(flat, b)[k] - values_of(flat, a)[k], step);
            slot.depth++;
            vec_push(out, slot);
        }
    }
    out->data[0].depth = 1;
    return fine;
}

/* Steps that the position may take: amounts by which values change. */
static unsigned list_steps(const struct flat *flat, const struct flat_stretch *stretch,
                           int32_t *steps) {
    unsigned count = 0;
    for (size_t i = stretch->first; i < stretch->first + stretch->length; i++) {
        const struct flat_item *a = &flat->items.data[i], *b = a + stretch->length;
        for (uint32_t k = shape_of(flat, a)->loop; k < shape_of(flat, a)->values; k++) {
            int32_t delta = values_of(flat, b)[k] - values_of(flat, a)[k];
            unsigned n = 0;
            while (n < count && steps[n] != delta)
                n++;
            if (n == count && count < MOST_STEPS)
                steps[count++] = delta;
        }
    }
    bool none = true;
    for (unsigned n = 0; n < count; n++)
        none &= steps[n] != 0;
    if (none)
        steps[count++] = 0;
    return count;
}

/* The loop with this body, new or known. */
static uint32_t intern_loop(struct flat *flat, const struct flat_stretch *stretch, int32_t step,
                            const struct slot_list *slots) {
    struct str key = {0};
    struct flat_shape s = {.loop = true, .step = step, .values = (uint32_t)slots->len};
    bool known;
    s.child = (uint32_t)flat->children.len;
    s.count = (uint32_t)stretch->length;
    s.slot = (uint32_t)flat->slots.len;
    str_append_n(&key, (const char *)&step, sizeof step);
    for (size_t i = stretch->first; i < stretch->first + stretch->length; i++) {
        str_append_n(&key, (const char *)&flat->items.data[i].shape, sizeof(uint32_t));
        s.nested |= shape_of(flat, &flat->items.data[i])->loop;
    }
    str_append_n(&key, (const char *)slots->data, slots->len * sizeof *slots->data);
    uint32_t id = add_shape(flat, &flat->loop_ids, key.text, key.len, s, &known);
    for (size_t i = stretch->first; i < stretch->first + stretch->length && !known; i++)
        vec_push(&flat->children, flat->items.data[i].shape);
    for (size_t i = 0; i < slots->len && !known; i++)
        vec_push(&flat->slots, slots->data[i]);
    str_free(&key);
    return id;
}

static struct flat_item make_loop(struct flat *flat, const struct flat_stretch *stretch,
                                  int32_t step, const struct slot_list *slots) {
    struct flat_item made = {.value = (uint32_t)flat->values.len,
                             .flat = flat->items.data[stretch->first].flat};
    vec_push(&flat->values, (int32_t)stretch->laps);
    for (size_t i = stretch->first; i < stretch->first + stretch->length; i++)
        for (uint32_t k = 0; k < shape_of(flat, &flat->items.data[i])->values; k++)
            vec_push(&flat->values, flat->values.data[flat->items.data[i].value + k]);
    made.shape = intern_loop(flat, stretch, step, slots);
    return made;
}

static uint32_t cost_of(const struct flat *flat, const struct flat_item *item) {
    struct entry_list entries = {0};
    uint32_t words = table_flat_write(flat, item, 1, &entries);
    bool moves = entries.len && entries.data[0].kind == ENTRY_MOVE;
    words -= moves ? entries.data[0].words : 0;
    vec_free(&entries);
    return words;
}

/* The stretch as one item; false if that cannot be or saves nothing. */
static bool roll_stretch(struct flat *flat, const struct flat_stretch *stretch,
                         struct flat_item *made) {
    int32_t steps[MOST_STEPS + 1];
    struct slot_list slots = {0};
    uint32_t unrolled = 0;
    for (size_t i = stretch->first; i < stretch->first + stretch->length * stretch->laps; i++)
        unrolled += flat->items.data[i].cost;
    made->cost = UINT32_MAX;
    for (unsigned n = list_steps(flat, stretch, steps); n-- > 0;) {
        if (!say_lap(flat, stretch, steps[n], &slots))
            continue;
        struct flat_item tried = make_loop(flat, stretch, steps[n], &slots);
        tried.cost = cost_of(flat, &tried);
        if (tried.cost < made->cost)
            *made = tried;
    }
    vec_free(&slots);
    return made->cost < unrolled;
}

/* ---- more laps of a loop around loops ---- */

/* Compares what a loop's lap gives with the list; from c->at on. */
struct flat_comparison {
    const struct flat *f;
    size_t at;
    bool count_only;
};

static bool op_matches(struct flat_comparison *comparison, uint32_t shape, const int32_t *values) {
    size_t at = comparison->at++;
    if (comparison->count_only)
        return true;
    const struct flat_item *i = &comparison->f->list[at < comparison->f->count ? at : 0];
    return at < comparison->f->count && i->shape == shape &&
           memcmp(values_of(comparison->f, i), values,
                  comparison->f->shapes.data[shape].values * sizeof *values) == 0;
}

static bool lap_matches(struct flat_comparison *comparison, const struct flat_shape *loop,
                        const int32_t *values, int32_t number);

static bool laps_match(struct flat_comparison *comparison, const struct flat_shape *loop,
                       const int32_t *values) {
    bool fine = values[0] >= 0;
    for (int32_t i = 0; i < values[0] && fine; i++)
        fine = comparison->at <= comparison->f->count && lap_matches(comparison, loop, values, i);
    return fine;
}

/* True if lap `number` of a loop gives the micro-ops from c->at on, which is then behind them. */
static bool lap_matches(struct flat_comparison *comparison, const struct flat_shape *loop,
                        const int32_t *values, int32_t number) {
    const struct flat *f = comparison->f;
    int32_t *now = xcalloc(loop->values, sizeof *now);
    bool fine = true;
    uint32_t at = 1;
    for (uint32_t k = 1; k < loop->values; k++)
        now[k] = values[k] + number * f->slots.data[loop->slot + k].delta;
    for (uint32_t i = 0; i < loop->count && fine; i++) {
        uint32_t shape = f->children.data[loop->child + i];
        const struct flat_shape *s = &f->shapes.data[shape];
        fine =
            s->loop ? laps_match(comparison, s, now + at) : op_matches(comparison, shape, now + at);
        at += s->values;
    }
    free(now);
    return fine;
}

static size_t flat_at(const struct flat *flat, size_t item) {
    return item < flat->items.len ? flat->items.data[item].flat : flat->count;
}

/* Takes laps behind the loop: *next is the item behind it. */
static void grow_behind(struct flat *flat, struct flat_item *loop, size_t *next) {
    int32_t *values = flat->values.data + loop->value;
    for (;;) {
        size_t i = *next;
        struct flat_comparison c = {.f = flat, .at = flat_at(flat, i)};
        size_t before = c.at;
        if (!lap_matches(&c, shape_of(flat, loop), values, values[0]) || c.at == before)
            return;
        while (i < flat->items.len && flat_at(flat, i) < c.at)
            i++;
        if (flat_at(flat, i) != c.at)
            return;
        *next = i;
        values[0]++;
    }
}

/* Takes laps before the loop, from the items in front of it in f->made. */
static void grow_before(struct flat *flat, struct flat_item *loop) {
    const struct flat_shape *s = shape_of(flat, loop);
    int32_t *values = flat->values.data + loop->value;
    for (;;) {
        struct flat_comparison length = {.f = flat, .count_only = true};
        if (!lap_matches(&length, s, values, -1) || !length.at || length.at > loop->flat)
            return;
        struct flat_comparison c = {.f = flat, .at = loop->flat - length.at};
        size_t first = c.at, i = flat->made.len;
        while (i > 0 && flat->made.data[i - 1].flat >= first)
            i--;
        if (i == flat->made.len || flat->made.data[i].flat != first ||
            !lap_matches(&c, s, values, -1))
            return;
        for (uint32_t k = 1; k < s->values; k++)
            values[k] -= flat->slots.data[s->slot + k].delta;
        values[0]++;
        flat->made.len = i;
        loop->flat = (uint32_t)first;
    }
}

/* ---- search ---- */

/* How far a stretch that begins at `first` goes on. */
struct flat_search {
    size_t first, length, matches;
    bool unlike; /* it ended at items of different shapes, not in how they change */
};

static bool changes_alike(const struct flat *flat, const struct flat_item *before,
                          const struct flat_item *left, const struct flat_item *right) {
    const int32_t *x = values_of(flat, before), *y = values_of(flat, left),
                  *z = values_of(flat, right);
    for (uint32_t k = 0; k < shape_of(flat, left)->values; k++)
        if (y[k] - x[k] != z[k] - y[k])
            return false;
    return true;
}

static bool match_next(const struct flat *flat, struct flat_search *search) {
    size_t at = search->first + search->matches;
    if (at + search->length >= flat->items.len)
        return !(search->unlike = true);
    const struct flat_item *a = &flat->items.data[at], *b = a + search->length;
    search->unlike = a->shape != b->shape;
    if (search->unlike ||
        (search->matches >= search->length && !changes_alike(flat, a - search->length, a, b)))
        return false;
    search->matches++;
    return true;
}

static void copy_items(struct flat *flat, size_t first, size_t end) {
    for (; first < end; first++)
        vec_push(&flat->made, flat->items.data[first]);
}

/* Puts the stretch that was found into f->made as a loop; *at is then behind it. */
static bool take_stretch(struct flat *flat, const struct flat_search *found, size_t *at) {
    struct flat_stretch t = {found->first, found->length, found->matches / found->length + 1};
    struct flat_item made;
    if (!roll_stretch(flat, &t, &made))
        return false;
    size_t next = t.first + t.length * t.laps;
    copy_items(flat, *at, t.first);
    if (shape_of(flat, &made)->nested) {
        grow_before(flat, &made);
        grow_behind(flat, &made, &next);
    }
    vec_push(&flat->made, made);
    *at = next;
    return true;
}

static bool roll_length(struct flat *flat, size_t length, size_t min_laps) {
    bool any = false;
    size_t copied = 0, at = 0;
    flat->made.len = 0;
    while (at + length * min_laps <= flat->items.len) {
        struct flat_search s = {.first = at, .length = length};
        while (match_next(flat, &s))
            ;
        if (s.matches >= (min_laps - 1) * length && take_stretch(flat, &s, &copied)) {
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
    copy_items(flat, copied, flat->items.len);
    flat->items.len = 0;
    for (size_t i = 0; i < flat->made.len; i++)
        vec_push(&flat->items, flat->made.data[i]);
    return true;
}

static size_t longest_lap(const struct flat *flat, size_t min_laps) {
    size_t n = flat->items.len, most = n / min_laps, affordable = MAX_COMPARISONS / (n + 1);
    if (affordable < MIN_LONGEST_LAP)
        affordable = MIN_LONGEST_LAP;
    most = most < affordable ? most : affordable;
    return most < LONGEST_LAP ? most : LONGEST_LAP;
}

static bool roll_once(struct flat *flat, size_t min_laps) {
    for (size_t length = 1; length <= longest_lap(flat, min_laps); length++)
        if (roll_length(flat, length, min_laps))
            return true;
    return false;
}

void table_roll_flat(const struct table_layout *layout, const struct table_token *tokens,
                     size_t count, struct entry_list *out) {
    struct flat f = {.layout = layout, .count = count};
    fill_items(&f, tokens);
    do {
        while (roll_once(&f, 3))
            ;
    } while (roll_once(&f, 2));
    table_flat_write(&f, f.items.data, f.items.len, out);
    vec_free(&f.items);
    vec_free(&f.made);
    vec_free(&f.shapes);
    vec_free(&f.children);
    vec_free(&f.slots);
    vec_free(&f.values);
    vec_free(&f.words);
    map_free(&f.word_ids);
    map_free(&f.loop_ids);
    free(f.list);
}
