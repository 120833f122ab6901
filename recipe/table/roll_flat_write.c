/* SPDX-License-Identifier: MIT
 * Entries of loops.  The position of a loop's first lap is that of a bit which follows it, so that
 * operands are near it; inside of loops positions are said relative to where the lap began. */
#include "recipe/table/roll.h"

#include <string.h>

/* Positions in the first two laps of the loop at work. */
struct write_course {
    int32_t here[2], lap[2];
    bool in_loop;
};

struct flat_writer {
    const struct roll *roll;
    struct entry_list *out;
    const struct loop_value *slots; /* of the outermost loop; NULL outside of loops */
    const int32_t *values;
    uint32_t at; /* value that is next */
    uint32_t words;
};

static void put(struct flat_writer *writer, struct table_entry entry) {
    entry.words = (uint16_t)table_entry_words(writer->roll->layout, &entry);
    writer->words +=
        entry.words ? entry.words : UINT16_MAX; /* what has no layout is not worth it */
    vec_push(writer->out, entry);
}

static void move_to(struct flat_writer *writer, struct write_course *course, const int32_t to[2]) {
    struct table_entry e;
    if (course->here[0] == to[0] && course->here[1] == to[1])
        return;
    memset(&e, 0, sizeof e);
    e.kind = ENTRY_MOVE;
    e.move.mode = course->in_loop ? MOVE_FROM_LAP : MOVE_TO;
    e.move.value = to[0] - (course->in_loop ? course->lap[0] : 0);
    e.move.change = course->in_loop ? to[1] - course->lap[1] - e.move.value : 0;
    memcpy(course->here, to, sizeof course->here);
    put(writer, e);
}

/* ---- micro-ops ---- */

bool table_flat_is_value(const struct table_operand *operand) {
    return operand->class == PLANE_REGISTER || operand->class == PLANE_SCRATCH ||
           (operand->class == PLANE_CONST && operand->number == CONSTANT_BIT);
}

static void set_operand(struct table_operand *operand, int sign, int outer, int32_t base) {
    bool row = operand->class == PLANE_SCRATCH;
    operand->outer = (int8_t)outer;
    operand->mode = (uint8_t)(sign < 0            ? MODE_MIRRORED
                              : (sign > 0) != row ? MODE_PLAIN
                              : row               ? MODE_FOLLOWS
                                                  : MODE_FIXED);
    if (row)
        operand->number = (uint16_t)(base + (sign > 0 ? ROW_BIAS : 0));
    else
        operand->offset = (int8_t)base;
}

/* The bit to which the position goes for a micro-op outside of loops: that which it writes, else
 * reads; -1 if it has none. */
static int32_t wanted_bit(const struct table_entry *entry, const struct target_op *op,
                          const int32_t *values) {
    int32_t read = -1, written = -1;
    for (unsigned i = 0, k = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        if (!table_flat_is_value(&entry->operands[i]))
            continue;
        if (entry->operands[i].class == PLANE_REGISTER)
            *(i < op->nsrc ? &read : &written) = values[k];
        k++;
    }
    return written >= 0 ? written : read;
}

static bool any_follows(const struct loop_value *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!slots[i].laps && slots[i].sign)
            return true;
    return false;
}

/* The values from here on; where there are none there is no pointer to add to. */
static const int32_t *values_here(const struct flat_writer *writer) {
    return writer->at ? writer->values + writer->at : writer->values;
}

static void put_op(struct flat_writer *writer, const struct roll_shape *shape,
                   struct write_course *course) {
    struct table_entry e = writer->roll->words.data[shape->word];
    const struct target_op *op = &plane_target(writer->roll->layout->t)->ops[e.op];
    int32_t bit = wanted_bit(&e, op, values_here(writer));
    if (writer->slots && any_follows(writer->slots + writer->at, shape->values))
        move_to(writer, course, course->lap);
    if (!writer->slots && bit >= 0 && (bit - course->here[0] > 1 || bit - course->here[0] < -1))
        move_to(writer, course, (const int32_t[2]){bit, bit});
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        struct table_operand *o = &e.operands[i];
        if (!table_flat_is_value(o))
            continue;
        const struct loop_value *slot = writer->slots ? &writer->slots[writer->at] : NULL;
        int sign = slot ? slot->sign : o->class != PLANE_SCRATCH;
        int32_t base = writer->values[writer->at++] - sign * course->here[0];
        set_operand(o, sign, slot ? slot->outer : 0, base);
    }
    put(writer, e);
}

/* ---- loops ---- */

/* The value that the position of a loop's first lap is: a bit that the body itself writes and that
 * follows, else one that it reads; -1 if there is none. */
static int32_t anchor_of(const struct roll *roll, const struct roll_shape *loop,
                         const int32_t *values) {
    int32_t read = -1;
    uint32_t at = 1;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct roll_shape *s = &roll->shapes.data[roll->children.data[loop->child + i]];
        const struct loop_value *slots = &roll->slots.data[loop->slot];
        const struct table_entry *e = &roll->words.data[s->loop ? 0 : s->word];
        const struct target_op *op = &plane_target(roll->layout->t)->ops[e->op];
        for (unsigned k = 0, v = at; !s->loop && k < op->nsrc + (unsigned)op->ndst; k++) {
            if (!table_flat_is_value(&e->operands[k]))
                continue;
            bool bit = e->operands[k].class == PLANE_REGISTER && slots[v].sign > 0;
            if (bit && k >= op->nsrc)
                return values[v];
            read = bit && read < 0 ? values[v] : read;
            v++;
        }
        at += s->values;
    }
    return read;
}

static void put_body(struct flat_writer *writer, const struct roll_shape *loop,
                     struct write_course *course);

/* Where the loop begins, in two laps of the loop around it.  Without a bit to go by: outside of
 * loops so that its positions are the lowest that there are. */
static void begin_loop(struct flat_writer *writer, const struct roll_shape *shape,
                       const int32_t *values, int32_t step, struct write_course *course) {
    int32_t anchor = anchor_of(writer->roll, shape, values);
    int32_t to[2] = {anchor, anchor + step};
    if (!any_follows(&writer->roll->slots.data[shape->slot], shape->values))
        return;
    if (anchor < 0 && course->in_loop && course->here[1] - course->here[0] == step)
        return;
    if (anchor < 0 && course->in_loop)
        memcpy(to, course->lap, sizeof to);
    else if (anchor < 0)
        to[0] = to[1] = shape->step < 0 ? (1 - values[0]) * shape->step : 0;
    move_to(writer, course, to);
}

static void put_loop(struct flat_writer *writer, const struct roll_shape *shape, int32_t step,
                     struct write_course *course) {
    struct table_entry e;
    begin_loop(writer, shape, values_here(writer), step, course);
    memset(&e, 0, sizeof e);
    e.kind = ENTRY_LOOP;
    e.loop.laps = (uint32_t)writer->values[writer->at];
    e.loop.change = writer->slots ? writer->slots[writer->at].change : 0;
    e.loop.step = shape->step;
    bool outermost = !writer->slots;
    if (outermost)
        writer->slots = &writer->roll->slots.data[shape->slot] - writer->at;
    writer->at++;
    size_t header = writer->out->len;
    vec_push(writer->out, e);
    struct write_course inner = {.here = {course->here[0], course->here[0] + shape->step},
                                 .in_loop = true};
    memcpy(inner.lap, inner.here, sizeof inner.lap);
    uint32_t before = writer->words;
    put_body(writer, shape, &inner);
    e.loop.words = writer->words - before;
    e.loop.entries = (uint32_t)(writer->out->len - header - 1);
    e.words = (uint16_t)table_entry_words(writer->roll->layout, &e);
    writer->words += e.words ? e.words : UINT16_MAX;
    writer->out->data[header] = e;
    if (outermost)
        writer->slots = NULL;
    course->here[0] += (int32_t)e.loop.laps * shape->step;
    course->here[1] += ((int32_t)e.loop.laps + e.loop.change) * shape->step;
}

static void put_body(struct flat_writer *writer, const struct roll_shape *loop,
                     struct write_course *course) {
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct roll_shape *s =
            &writer->roll->shapes.data[writer->roll->children.data[loop->child + i]];
        if (s->loop)
            put_loop(writer, s, loop->step, course);
        else
            put_op(writer, s, course);
    }
}

uint32_t table_flat_write(const struct roll *roll, const struct roll_item *items, size_t count,
                          struct entry_list *out) {
    struct flat_writer w = {.roll = roll, .out = out};
    struct write_course c = {.in_loop = false};
    for (size_t i = 0; i < count; i++) {
        const struct roll_shape *s = &roll->shapes.data[items[i].shape];
        w.values = vec_from(&roll->values, items[i].value);
        w.at = 0;
        if (s->loop)
            put_loop(&w, s, 0, &c);
        else
            put_op(&w, s, &c);
    }
    return w.words;
}
