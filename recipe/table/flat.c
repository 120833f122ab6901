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

static const struct flat_shape *shape_of(const struct flat *f, const struct flat_item *i) {
    return &f->shapes.data[i->shape];
}

static const int32_t *values_of(const struct flat *f, const struct flat_item *i) {
    return f->values.data + i->value;
}

/* ---- the micro-ops ---- */

static uint32_t add_shape(struct flat *f, struct map *ids, const void *key, size_t size,
                          struct flat_shape s, bool *known) {
    const uint64_t *id = map_get_n(ids, key, size);
    *known = id != NULL;
    if (id)
        return (uint32_t)*id;
    vec_push(&f->shapes, s);
    map_put_n(ids, key, size, f->shapes.len - 1);
    return (uint32_t)f->shapes.len - 1;
}

/* The shape of a micro-op; its values behind those that there are. */
static struct flat_item item_of(struct flat *f, const struct table_token *t) {
    const struct target_op *op = &plane_target(f->layout->t)->ops[t->entry.op];
    struct flat_item made = {.value = (uint32_t)f->values.len};
    struct table_entry e = t->entry;
    struct flat_shape s = {.word = (uint32_t)f->words.len};
    bool known;
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        struct table_operand *o = &e.operands[i];
        if (!table_flat_is_value(o))
            continue;
        vec_push(&f->values, o->class == PLANE_SCRATCH ? o->number : o->offset);
        if (o->class == PLANE_SCRATCH)
            o->number = 0;
        o->offset = 0;
        s.values++;
    }
    made.shape = add_shape(f, &f->word_ids, &e, sizeof e, s, &known);
    if (!known)
        vec_push(&f->words, e);
    return made;
}

static void fill_items(struct flat *f, const struct table_token *tokens) {
    struct entry_list scratch = {0};
    f->list = xcalloc(f->count + 1, sizeof *f->list);
    for (size_t i = 0; i < f->count; i++) {
        struct flat_item item = item_of(f, &tokens[i]);
        item.flat = (uint32_t)i;
        item.cost = 1;
        f->list[i] = item;
        vec_push(&f->items, item);
    }
    for (size_t i = 0; i < f->count; i++) {
        scratch.len = 0;
        table_flat_write(f, &f->items.data[i], 1, &scratch);
        f->items.data[i].cost = vec_last(&scratch).words;
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
 * said.  `s` is what it is in a lap; false if it cannot be said. */
static bool say_delta(struct loop_value *s, bool in_row, int32_t delta, int32_t step) {
    s->delta = delta;
    if (in_row) { /* a micro-op of the body */
        s->sign = (int8_t)(delta == 0 ? 0 : delta == step ? 1 : -1);
        return delta == 0 || delta == step || delta == -step;
    }
    if (s->laps) {
        s->change = s->depth == 1 ? delta : s->change;
        return s->depth == 1 || delta == 0;
    }
    int64_t outer = (int64_t)delta - (int64_t)s->sign * step;
    if (s->depth == 1)
        s->outer = (int8_t)(is_small(outer) ? outer : 0);
    return s->depth == 1 ? is_small(outer) : outer == 0;
}

struct slot_list {
    struct loop_value *data;
    size_t len, cap;
};

/* The slots of one lap's items; false if some change from lap to lap cannot be said. */
static bool say_lap(const struct flat *f, const struct flat_stretch *t, int32_t step,
                    struct slot_list *out) {
    bool fine = true;
    out->len = 0;
    struct loop_value own = {.laps = 1};
    vec_push(out, own);
    for (size_t i = t->first; i < t->first + t->length && fine; i++) {
        const struct flat_item *a = &f->items.data[i], *b = a + t->length;
        const struct flat_shape *s = shape_of(f, a);
        for (uint32_t k = 0; k < s->values && fine; k++) {
            struct loop_value slot = {0};
            if (s->loop)
                slot = f->slots.data[s->slot + k];
            fine = say_delta(&slot, !s->loop, values_of(f, b)[k] - values_of(f, a)[k], step);
            slot.depth++;
            vec_push(out, slot);
        }
    }
    out->data[0].depth = 1;
    return fine;
}

/* Steps that the position may take: amounts by which values change. */
static unsigned list_steps(const struct flat *f, const struct flat_stretch *t, int32_t *steps) {
    unsigned count = 0;
    for (size_t i = t->first; i < t->first + t->length; i++) {
        const struct flat_item *a = &f->items.data[i], *b = a + t->length;
        for (uint32_t k = shape_of(f, a)->loop; k < shape_of(f, a)->values; k++) {
            int32_t delta = values_of(f, b)[k] - values_of(f, a)[k];
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
static uint32_t intern_loop(struct flat *f, const struct flat_stretch *t, int32_t step,
                            const struct slot_list *slots) {
    struct str key = {0};
    struct flat_shape s = {.loop = true, .step = step, .values = (uint32_t)slots->len};
    bool known;
    s.child = (uint32_t)f->children.len;
    s.count = (uint32_t)t->length;
    s.slot = (uint32_t)f->slots.len;
    str_append_n(&key, (const char *)&step, sizeof step);
    for (size_t i = t->first; i < t->first + t->length; i++) {
        str_append_n(&key, (const char *)&f->items.data[i].shape, sizeof(uint32_t));
        s.nested |= shape_of(f, &f->items.data[i])->loop;
    }
    str_append_n(&key, (const char *)slots->data, slots->len * sizeof *slots->data);
    uint32_t id = add_shape(f, &f->loop_ids, key.text, key.len, s, &known);
    for (size_t i = t->first; i < t->first + t->length && !known; i++)
        vec_push(&f->children, f->items.data[i].shape);
    for (size_t i = 0; i < slots->len && !known; i++)
        vec_push(&f->slots, slots->data[i]);
    str_free(&key);
    return id;
}

static struct flat_item make_loop(struct flat *f, const struct flat_stretch *t, int32_t step,
                                  const struct slot_list *slots) {
    struct flat_item made = {.value = (uint32_t)f->values.len,
                             .flat = f->items.data[t->first].flat};
    vec_push(&f->values, (int32_t)t->laps);
    for (size_t i = t->first; i < t->first + t->length; i++)
        for (uint32_t k = 0; k < shape_of(f, &f->items.data[i])->values; k++)
            vec_push(&f->values, f->values.data[f->items.data[i].value + k]);
    made.shape = intern_loop(f, t, step, slots);
    return made;
}

static uint32_t cost_of(const struct flat *f, const struct flat_item *item) {
    struct entry_list entries = {0};
    uint32_t words = table_flat_write(f, item, 1, &entries);
    bool moves = entries.len && entries.data[0].kind == ENTRY_MOVE;
    words -= moves ? entries.data[0].words : 0;
    vec_free(&entries);
    return words;
}

/* The stretch as one item; false if that cannot be or saves nothing. */
static bool roll_stretch(struct flat *f, const struct flat_stretch *t, struct flat_item *made) {
    int32_t steps[MOST_STEPS + 1];
    struct slot_list slots = {0};
    uint32_t unrolled = 0;
    for (size_t i = t->first; i < t->first + t->length * t->laps; i++)
        unrolled += f->items.data[i].cost;
    made->cost = UINT32_MAX;
    for (unsigned n = list_steps(f, t, steps); n-- > 0;) {
        if (!say_lap(f, t, steps[n], &slots))
            continue;
        struct flat_item tried = make_loop(f, t, steps[n], &slots);
        tried.cost = cost_of(f, &tried);
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

static bool op_matches(struct flat_comparison *c, uint32_t shape, const int32_t *values) {
    size_t at = c->at++;
    if (c->count_only)
        return true;
    const struct flat_item *i = &c->f->list[at < c->f->count ? at : 0];
    return at < c->f->count && i->shape == shape &&
           memcmp(values_of(c->f, i), values, c->f->shapes.data[shape].values * sizeof *values) ==
               0;
}

static bool lap_matches(struct flat_comparison *c, const struct flat_shape *loop,
                        const int32_t *values, int32_t number);

static bool laps_match(struct flat_comparison *c, const struct flat_shape *loop,
                       const int32_t *values) {
    bool fine = values[0] >= 0;
    for (int32_t i = 0; i < values[0] && fine; i++)
        fine = c->at <= c->f->count && lap_matches(c, loop, values, i);
    return fine;
}

/* True if lap `number` of a loop gives the micro-ops from c->at on, which is then behind them. */
static bool lap_matches(struct flat_comparison *c, const struct flat_shape *loop,
                        const int32_t *values, int32_t number) {
    const struct flat *f = c->f;
    int32_t *now = xcalloc(loop->values, sizeof *now);
    bool fine = true;
    uint32_t at = 1;
    for (uint32_t k = 1; k < loop->values; k++)
        now[k] = values[k] + number * f->slots.data[loop->slot + k].delta;
    for (uint32_t i = 0; i < loop->count && fine; i++) {
        uint32_t shape = f->children.data[loop->child + i];
        const struct flat_shape *s = &f->shapes.data[shape];
        fine = s->loop ? laps_match(c, s, now + at) : op_matches(c, shape, now + at);
        at += s->values;
    }
    free(now);
    return fine;
}

static size_t flat_at(const struct flat *f, size_t item) {
    return item < f->items.len ? f->items.data[item].flat : f->count;
}

/* Takes laps behind the loop: *next is the item behind it. */
static void grow_behind(struct flat *f, struct flat_item *loop, size_t *next) {
    int32_t *values = f->values.data + loop->value;
    for (;;) {
        size_t i = *next;
        struct flat_comparison c = {.f = f, .at = flat_at(f, i)};
        size_t before = c.at;
        if (!lap_matches(&c, shape_of(f, loop), values, values[0]) || c.at == before)
            return;
        while (i < f->items.len && flat_at(f, i) < c.at)
            i++;
        if (flat_at(f, i) != c.at)
            return;
        *next = i;
        values[0]++;
    }
}

/* Takes laps before the loop, from the items in front of it in f->made. */
static void grow_before(struct flat *f, struct flat_item *loop) {
    const struct flat_shape *s = shape_of(f, loop);
    int32_t *values = f->values.data + loop->value;
    for (;;) {
        struct flat_comparison length = {.f = f, .count_only = true};
        if (!lap_matches(&length, s, values, -1) || !length.at || length.at > loop->flat)
            return;
        struct flat_comparison c = {.f = f, .at = loop->flat - length.at};
        size_t first = c.at, i = f->made.len;
        while (i > 0 && f->made.data[i - 1].flat >= first)
            i--;
        if (i == f->made.len || f->made.data[i].flat != first || !lap_matches(&c, s, values, -1))
            return;
        for (uint32_t k = 1; k < s->values; k++)
            values[k] -= f->slots.data[s->slot + k].delta;
        values[0]++;
        f->made.len = i;
        loop->flat = (uint32_t)first;
    }
}

/* ---- search ---- */

/* How far a stretch that begins at `first` goes on. */
struct flat_search {
    size_t first, length, matches;
    bool unlike; /* it ended at items of different shapes, not in how they change */
};

static bool changes_alike(const struct flat *f, const struct flat_item *before,
                          const struct flat_item *a, const struct flat_item *b) {
    const int32_t *x = values_of(f, before), *y = values_of(f, a), *z = values_of(f, b);
    for (uint32_t k = 0; k < shape_of(f, a)->values; k++)
        if (y[k] - x[k] != z[k] - y[k])
            return false;
    return true;
}

static bool match_next(const struct flat *f, struct flat_search *s) {
    size_t at = s->first + s->matches;
    if (at + s->length >= f->items.len)
        return !(s->unlike = true);
    const struct flat_item *a = &f->items.data[at], *b = a + s->length;
    s->unlike = a->shape != b->shape;
    if (s->unlike || (s->matches >= s->length && !changes_alike(f, a - s->length, a, b)))
        return false;
    s->matches++;
    return true;
}

static void copy_items(struct flat *f, size_t first, size_t end) {
    for (; first < end; first++)
        vec_push(&f->made, f->items.data[first]);
}

/* Puts the stretch that was found into f->made as a loop; *at is then behind it. */
static bool take_stretch(struct flat *f, const struct flat_search *found, size_t *at) {
    struct flat_stretch t = {found->first, found->length, found->matches / found->length + 1};
    struct flat_item made;
    if (!roll_stretch(f, &t, &made))
        return false;
    size_t next = t.first + t.length * t.laps;
    copy_items(f, *at, t.first);
    if (shape_of(f, &made)->nested) {
        grow_before(f, &made);
        grow_behind(f, &made, &next);
    }
    vec_push(&f->made, made);
    *at = next;
    return true;
}

static bool roll_length(struct flat *f, size_t length, size_t min_laps) {
    bool any = false;
    size_t copied = 0, at = 0;
    f->made.len = 0;
    while (at + length * min_laps <= f->items.len) {
        struct flat_search s = {.first = at, .length = length};
        while (match_next(f, &s))
            ;
        if (s.matches >= (min_laps - 1) * length && take_stretch(f, &s, &copied)) {
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
    copy_items(f, copied, f->items.len);
    f->items.len = 0;
    for (size_t i = 0; i < f->made.len; i++)
        vec_push(&f->items, f->made.data[i]);
    return true;
}

static size_t longest_lap(const struct flat *f, size_t min_laps) {
    size_t n = f->items.len, most = n / min_laps, affordable = MAX_COMPARISONS / (n + 1);
    if (affordable < MIN_LONGEST_LAP)
        affordable = MIN_LONGEST_LAP;
    most = most < affordable ? most : affordable;
    return most < LONGEST_LAP ? most : LONGEST_LAP;
}

static bool roll_once(struct flat *f, size_t min_laps) {
    for (size_t length = 1; length <= longest_lap(f, min_laps); length++)
        if (roll_length(f, length, min_laps))
            return true;
    return false;
}

void table_roll_flat(const struct table_layout *l, const struct table_token *tokens, size_t count,
                     struct entry_list *out) {
    struct flat f = {.layout = l, .count = count};
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
