/* SPDX-License-Identifier: MIT
 * Entries of loops.  The position of a loop's first lap is that of a bit which follows it, so that
 * operands are near it; inside of loops positions are said relative to where the lap began. */
#include "recipe/table/flat.h"

#include <string.h>

/* Positions in the first two laps of the loop at work. */
struct write_course {
    int32_t here[2], lap[2];
    bool in_loop;
};

struct flat_writer {
    const struct flat *f;
    struct entry_list *out;
    const struct loop_value *slots; /* of the outermost loop; NULL outside of loops */
    const int32_t *values;
    uint32_t at; /* value that is next */
    uint32_t words;
};

static void put(struct flat_writer *w, struct table_entry e) {
    e.words = (uint16_t)table_entry_words(w->f->layout, &e);
    w->words += e.words ? e.words : UINT16_MAX; /* what has no layout is not worth it */
    vec_push(w->out, e);
}

static void move_to(struct flat_writer *w, struct write_course *c, const int32_t to[2]) {
    struct table_entry e;
    if (c->here[0] == to[0] && c->here[1] == to[1])
        return;
    memset(&e, 0, sizeof e);
    e.kind = ENTRY_MOVE;
    e.move.mode = c->in_loop ? MOVE_FROM_LAP : MOVE_TO;
    e.move.value = to[0] - (c->in_loop ? c->lap[0] : 0);
    e.move.change = c->in_loop ? to[1] - c->lap[1] - e.move.value : 0;
    memcpy(c->here, to, sizeof c->here);
    put(w, e);
}

/* ---- micro-ops ---- */

bool table_flat_is_value(const struct table_operand *o) {
    return o->class == PLANE_REGISTER || o->class == PLANE_SCRATCH ||
           (o->class == PLANE_CONST && o->number == CONSTANT_BIT);
}

static void set_operand(struct table_operand *o, int sign, int outer, int32_t base) {
    bool row = o->class == PLANE_SCRATCH;
    o->outer = (int8_t)outer;
    o->mode = (uint8_t)(sign < 0            ? MODE_MIRRORED
                        : (sign > 0) != row ? MODE_PLAIN
                        : row               ? MODE_FOLLOWS
                                            : MODE_FIXED);
    if (row)
        o->number = (uint16_t)(base + (sign > 0 ? ROW_BIAS : 0));
    else
        o->offset = (int8_t)base;
}

/* The bit to which the position goes for a micro-op outside of loops: that which it writes, else
 * reads; -1 if it has none. */
static int32_t wanted_bit(const struct table_entry *e, const struct target_op *op,
                          const int32_t *values) {
    int32_t read = -1, written = -1;
    for (unsigned i = 0, k = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        if (!table_flat_is_value(&e->operands[i]))
            continue;
        if (e->operands[i].class == PLANE_REGISTER)
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

static void put_op(struct flat_writer *w, const struct flat_shape *s, struct write_course *c) {
    struct table_entry e = w->f->words.data[s->word];
    const struct target_op *op = &plane_target(w->f->layout->t)->ops[e.op];
    int32_t bit = wanted_bit(&e, op, w->values + w->at);
    if (w->slots && any_follows(w->slots + w->at, s->values))
        move_to(w, c, c->lap);
    if (!w->slots && bit >= 0 && (bit - c->here[0] > 1 || bit - c->here[0] < -1))
        move_to(w, c, (const int32_t[2]){bit, bit});
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++) {
        struct table_operand *o = &e.operands[i];
        if (!table_flat_is_value(o))
            continue;
        const struct loop_value *slot = w->slots ? &w->slots[w->at] : NULL;
        int sign = slot ? slot->sign : o->class != PLANE_SCRATCH;
        int32_t base = w->values[w->at++] - sign * c->here[0];
        set_operand(o, sign, slot ? slot->outer : 0, base);
    }
    put(w, e);
}

/* ---- loops ---- */

/* The value that the position of a loop's first lap is: a bit that the body itself writes and that
 * follows, else one that it reads; -1 if there is none. */
static int32_t anchor_of(const struct flat *f, const struct flat_shape *loop,
                         const int32_t *values) {
    int32_t read = -1;
    uint32_t at = 1;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct flat_shape *s = &f->shapes.data[f->children.data[loop->child + i]];
        const struct loop_value *slots = &f->slots.data[loop->slot];
        const struct table_entry *e = &f->words.data[s->loop ? 0 : s->word];
        const struct target_op *op = &plane_target(f->layout->t)->ops[e->op];
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

static void put_body(struct flat_writer *w, const struct flat_shape *loop, struct write_course *c);

/* Where the loop begins, in two laps of the loop around it.  Without a bit to go by: outside of
 * loops so that its positions are the lowest that there are. */
static void begin_loop(struct flat_writer *w, const struct flat_shape *s, const int32_t *values,
                       int32_t step, struct write_course *c) {
    int32_t anchor = anchor_of(w->f, s, values);
    int32_t to[2] = {anchor, anchor + step};
    if (!any_follows(&w->f->slots.data[s->slot], s->values))
        return;
    if (anchor < 0 && c->in_loop && c->here[1] - c->here[0] == step)
        return;
    if (anchor < 0 && c->in_loop)
        memcpy(to, c->lap, sizeof to);
    else if (anchor < 0)
        to[0] = to[1] = s->step < 0 ? (1 - values[0]) * s->step : 0;
    move_to(w, c, to);
}

static void put_loop(struct flat_writer *w, const struct flat_shape *s, int32_t step,
                     struct write_course *c) {
    struct table_entry e;
    begin_loop(w, s, w->values + w->at, step, c);
    memset(&e, 0, sizeof e);
    e.kind = ENTRY_LOOP;
    e.loop.laps = (uint32_t)w->values[w->at];
    e.loop.change = w->slots ? w->slots[w->at].change : 0;
    e.loop.step = s->step;
    bool outermost = !w->slots;
    if (outermost)
        w->slots = &w->f->slots.data[s->slot] - w->at;
    w->at++;
    size_t header = w->out->len;
    vec_push(w->out, e);
    struct write_course inner = {.here = {c->here[0], c->here[0] + s->step}, .in_loop = true};
    memcpy(inner.lap, inner.here, sizeof inner.lap);
    uint32_t before = w->words;
    put_body(w, s, &inner);
    e.loop.words = w->words - before;
    e.loop.entries = (uint32_t)(w->out->len - header - 1);
    e.words = (uint16_t)table_entry_words(w->f->layout, &e);
    w->words += e.words ? e.words : UINT16_MAX;
    w->out->data[header] = e;
    if (outermost)
        w->slots = NULL;
    c->here[0] += (int32_t)e.loop.laps * s->step;
    c->here[1] += ((int32_t)e.loop.laps + e.loop.change) * s->step;
}

static void put_body(struct flat_writer *w, const struct flat_shape *loop, struct write_course *c) {
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct flat_shape *s = &w->f->shapes.data[w->f->children.data[loop->child + i]];
        if (s->loop)
            put_loop(w, s, loop->step, c);
        else
            put_op(w, s, c);
    }
}

uint32_t table_flat_write(const struct flat *f, const struct flat_item *items, size_t count,
                          struct entry_list *out) {
    struct flat_writer w = {.f = f, .out = out};
    struct write_course c = {.in_loop = false};
    for (size_t i = 0; i < count; i++) {
        const struct flat_shape *s = &f->shapes.data[items[i].shape];
        w.values = f->values.data + items[i].value;
        w.at = 0;
        if (s->loop)
            put_loop(&w, s, 0, &c);
        else
            put_op(&w, s, &c);
    }
    return w.words;
}
