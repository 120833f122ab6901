/* SPDX-License-Identifier: MIT
 * Loops where all bits of a register lie in one section: operands say how they follow the position.
 *
 * The values of a micro-op are the bits and rows among its operands.  A loop has its laps and all
 * values of its body as they are in the first lap; nested loops' lie where they stand in the body.
 * From lap to lap each value changes by an amount of its own, which must be one that a template can
 * say: the position's step, its opposite or nothing, and what the number of the lap around the loop
 * adds. */
#include "recipe/table/roll.h"

#include <string.h>

enum { MOST_STEPS = 8 };

/* ---- the micro-ops ---- */

/* Templates of an item, without the move before it. */
static uint32_t cost_of(struct roll *roll, const struct roll_item *item) {
    roll->scratch.len = 0;
    uint32_t words = table_flat_write(roll, item, 1, &roll->scratch);
    const struct table_entry *first = roll->scratch.data;
    return words - (first->kind == ENTRY_MOVE ? first->words : 0);
}

static struct roll_item read_token(struct roll *roll, const struct table_token *token) {
    const struct target_op *op = &plane_target(roll->layout->t)->ops[token->entry.op];
    struct roll_item made = {.value = (uint32_t)roll->values.len};
    struct table_entry e = token->entry;
    struct roll_shape s = {.word = (uint32_t)roll->words.len};
    bool known;
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        struct table_operand *o = &e.operands[i];
        if (!table_flat_is_value(o))
            continue;
        vec_push(&roll->values, o->class == PLANE_SCRATCH ? o->number : o->offset);
        if (o->class == PLANE_SCRATCH)
            o->number = 0;
        o->offset = 0;
        s.values++;
    }
    made.shape = table_roll_shape(roll, &roll->word_ids, &e, sizeof e, s, &known);
    if (!known)
        vec_push(&roll->words, e);
    made.cost = cost_of(roll, &made);
    return made;
}

/* ---- loops ---- */

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
static bool say_lap(const struct roll *roll, const struct roll_stretch *stretch, int32_t step,
                    struct slot_list *out) {
    bool fine = true;
    out->len = 0;
    struct loop_value own = {.laps = 1};
    vec_push(out, own);
    for (size_t i = stretch->first; i < stretch->first + stretch->length && fine; i++) {
        const struct roll_item *a = &roll->items.data[i], *b = a + stretch->length;
        const struct roll_shape *s = roll_shape_of(roll, a);
        for (uint32_t k = 0; k < s->values && fine; k++) {
            struct loop_value slot = {0};
            if (s->loop)
                slot = roll->slots.data[s->slot + k];
            fine = say_delta(&slot, !s->loop,
                             roll_values_of(roll, b)[k] - roll_values_of(roll, a)[k], step);
            slot.depth++;
            vec_push(out, slot);
        }
    }
    out->data[0].depth = 1;
    return fine;
}

/* Steps that the position may take: amounts by which values change. */
static unsigned list_steps(const struct roll *roll, const struct roll_stretch *stretch,
                           int32_t *steps) {
    unsigned count = 0;
    for (size_t i = stretch->first; i < stretch->first + stretch->length; i++) {
        const struct roll_item *a = &roll->items.data[i], *b = a + stretch->length;
        for (uint32_t k = roll_shape_of(roll, a)->loop; k < roll_shape_of(roll, a)->values; k++) {
            int32_t delta = roll_values_of(roll, b)[k] - roll_values_of(roll, a)[k];
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
static uint32_t intern_loop(struct roll *roll, const struct roll_stretch *stretch, int32_t step,
                            const struct slot_list *slots) {
    struct str key = {0};
    struct roll_shape s = {.loop = true, .step = step, .values = (uint32_t)slots->len};
    bool known;
    s.child = (uint32_t)roll->children.len;
    s.count = (uint32_t)stretch->length;
    s.slot = (uint32_t)roll->slots.len;
    str_append_n(&key, (const char *)&step, sizeof step);
    for (size_t i = stretch->first; i < stretch->first + stretch->length; i++) {
        str_append_n(&key, (const char *)&roll->items.data[i].shape, sizeof(uint32_t));
        s.nested |= roll_shape_of(roll, &roll->items.data[i])->loop;
    }
    str_append_n(&key, (const char *)slots->data, slots->len * sizeof *slots->data);
    uint32_t id = table_roll_shape(roll, &roll->loop_ids, key.text, key.len, s, &known);
    for (size_t i = stretch->first; i < stretch->first + stretch->length && !known; i++)
        vec_push(&roll->children, roll->items.data[i].shape);
    for (size_t i = 0; i < slots->len && !known; i++)
        vec_push(&roll->slots, slots->data[i]);
    str_free(&key);
    return id;
}

static struct roll_item loop_of(struct roll *roll, const struct roll_stretch *stretch, int32_t step,
                                const struct slot_list *slots) {
    struct roll_item made = {.value = (uint32_t)roll->values.len,
                             .begin = roll->items.data[stretch->first].begin};
    vec_push(&roll->values, (int32_t)stretch->laps);
    for (size_t i = stretch->first; i < stretch->first + stretch->length; i++)
        for (uint32_t k = 0; k < roll_shape_of(roll, &roll->items.data[i])->values; k++)
            vec_push(&roll->values, roll->values.data[roll->items.data[i].value + k]);
    made.shape = intern_loop(roll, stretch, step, slots);
    return made;
}

static bool make_loop(struct roll *roll, struct roll_stretch *stretch, struct roll_item *made) {
    int32_t steps[MOST_STEPS + 1];
    struct slot_list slots = {0};
    uint32_t unrolled = 0;
    for (size_t i = stretch->first; i < stretch->first + stretch->length * stretch->laps; i++)
        unrolled += roll->items.data[i].cost;
    made->cost = UINT32_MAX;
    for (unsigned n = list_steps(roll, stretch, steps); n-- > 0;) {
        if (!say_lap(roll, stretch, steps[n], &slots))
            continue;
        struct roll_item tried = loop_of(roll, stretch, steps[n], &slots);
        tried.cost = cost_of(roll, &tried);
        if (tried.cost < made->cost)
            *made = tried;
    }
    vec_free(&slots);
    return made->cost < unrolled;
}

/* ---- more laps of a loop around loops ---- */

static bool op_matches(struct roll_comparison *comparison, uint32_t shape, const int32_t *values) {
    size_t at = comparison->at++;
    if (comparison->count_only)
        return true;
    const struct roll_item *i = &comparison->roll->list[at < comparison->roll->count ? at : 0];
    return at < comparison->roll->count && i->shape == shape &&
           memcmp(roll_values_of(comparison->roll, i), values,
                  comparison->roll->shapes.data[shape].values * sizeof *values) == 0;
}

static bool body_matches(struct roll_comparison *comparison, const struct roll_shape *loop,
                         const int32_t *values, int32_t number);

static bool laps_match(struct roll_comparison *comparison, const struct roll_shape *loop,
                       const int32_t *values) {
    bool fine = values[0] >= 0;
    for (int32_t i = 0; i < values[0] && fine; i++)
        fine =
            comparison->at <= comparison->roll->count && body_matches(comparison, loop, values, i);
    return fine;
}

/* `values`: in lap 0. */
static bool body_matches(struct roll_comparison *comparison, const struct roll_shape *loop,
                         const int32_t *values, int32_t number) {
    const struct roll *roll = comparison->roll;
    int32_t *now = xcalloc(loop->values, sizeof *now);
    bool fine = true;
    uint32_t at = 1;
    for (uint32_t k = 1; k < loop->values; k++)
        now[k] = values[k] + number * roll->slots.data[loop->slot + k].delta;
    for (uint32_t i = 0; i < loop->count && fine; i++) {
        uint32_t shape = roll->children.data[loop->child + i];
        const struct roll_shape *s = &roll->shapes.data[shape];
        fine =
            s->loop ? laps_match(comparison, s, now + at) : op_matches(comparison, shape, now + at);
        at += s->values;
    }
    free(now);
    return fine;
}

static bool lap_matches(const struct roll *roll, const struct roll_item *loop, int32_t number,
                        struct roll_comparison *comparison) {
    return body_matches(comparison, roll_shape_of(roll, loop), roll_values_of(roll, loop), number);
}

static bool add_lap_before(struct roll *roll, struct roll_item *loop) {
    const struct roll_shape *s = roll_shape_of(roll, loop);
    int32_t *values = &roll->values.data[loop->value];
    for (uint32_t k = 1; k < s->values; k++)
        values[k] -= roll->slots.data[s->slot + k].delta;
    values[0]++;
    return true;
}

const struct roll_notation table_roll_flat = {.read = read_token,
                                              .make_loop = make_loop,
                                              .lap_matches = lap_matches,
                                              .add_lap_before = add_lap_before,
                                              .write = table_flat_write};
