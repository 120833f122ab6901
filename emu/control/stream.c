/* SPDX-License-Identifier: MIT
 * Streams: which MPUs go on together, how they split and wait.  Each MPU that has not ended is in
 * exactly one, and stream_of says in which. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct stream *add_stream(struct control *c, uint32_t room) {
    struct stream *s = xcalloc(1, sizeof *s);
    s->mpus = xcalloc(room, sizeof *s->mpus);
    vec_push(&c->streams, s);
    return s;
}

static void free_stream(struct stream *s) {
    control_flow_free(&s->flow);
    free(s->mpus);
    free(s);
}

void control_stream_remove(struct control *c, struct stream *s) {
    size_t kept = 0;
    for (size_t i = 0; i < c->streams.len; i++)
        if (c->streams.data[i] != s)
            c->streams.data[kept++] = c->streams.data[i];
    c->streams.len = kept;
    free_stream(s);
}

void control_stream_take(struct control *c, struct stream *s, uint32_t mpu) {
    s->mpus[s->count++] = mpu;
    c->stream_of[mpu] = s;
}

/* ---- beginning and end ---- */

static uint32_t symbol_index(const struct object *o, uint32_t symbol) {
    if (symbol == NO_INDEX)
        symbol = object_find_symbol(o, "main");
    if (symbol >= o->symbols.len || !o->symbols.data[symbol].defined ||
        o->symbols.data[symbol].kind == SYMBOL_ABS || o->symbols.data[symbol].value < 0)
        return 0;
    return (uint32_t)o->symbols.data[symbol].value;
}

/* Where the entry table lets an MPU start.  One that is here only because a group spans it goes
 * with the image's first. */
static uint32_t start_of(const struct control *c, uint32_t mpu) {
    const struct object *o = c->program;
    if (mpu - c->package->image_first >= c->package->image_count)
        mpu = c->package->image_first;
    for (size_t i = 0; i < o->entries.len; i++)
        if (mpu - o->entries.data[i].first_mpu < o->entries.data[i].mpu_count)
            return symbol_index(o, o->entries.data[i].symbol);
    return symbol_index(o, NO_INDEX);
}

static struct stream *stream_at(struct control *c, uint32_t pc) {
    for (size_t i = 0; i < c->streams.len; i++)
        if (c->streams.data[i]->flow.pc == pc)
            return c->streams.data[i];
    struct stream *s = add_stream(c, c->mpu_count);
    control_flow_begin(&s->flow, pc, 0);
    return s;
}

void control_streams_open(struct control *c) {
    for (uint32_t i = 0; i < c->mpu_count; i++)
        control_stream_take(c, stream_at(c, start_of(c, c->mpus[i])), c->mpus[i]);
}

void control_streams_close(struct control *c) {
    for (size_t i = 0; i < c->streams.len; i++)
        free_stream(c->streams.data[i]);
    vec_free(&c->streams);
}

/* ---- the stream at work ---- */

void control_stream_enter(struct control *c, struct stream *s) {
    c->now = s;
    c->top = s->flow;
    c->region = s->region;
}

void control_stream_suspend(struct control *c) {
    c->now->flow = c->top;
    c->now->region = c->region;
}

bool control_stream_leave(struct control *c, const uint8_t *out, uint32_t pc,
                          enum stream_state state) {
    struct stream *s = c->now, *other = NULL;
    uint32_t kept = 0, leaving = 0;
    for (uint32_t i = 0; i < s->count; i++)
        leaving += out[s->mpus[i]] != 0;
    if (leaving == s->count) {
        c->top.pc = pc;
        s->state = state;
        return false;
    }
    if (leaving) {
        other = add_stream(c, leaving);
        control_flow_copy(&other->flow, &c->top);
        other->flow.pc = pc;
        other->region = c->region;
        other->state = state;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (out[s->mpus[i]])
            control_stream_take(c, other, s->mpus[i]);
        else
            s->mpus[kept++] = s->mpus[i];
    s->count = kept;
    return true;
}

void control_stream_wake(struct control *c, uint32_t mpu, enum stream_state state) {
    struct stream *s = c->stream_of[mpu];
    if (s && s->state == state)
        s->state = STREAM_READY;
}

static bool stands_at(const struct control *c, uint32_t mpu, const struct gmove_meeting *at) {
    const struct stream *s = c->stream_of[mpu];
    return s && (s == c->now || control_gmove_waits(c, s, at));
}

bool control_stream_gather(struct control *c, const uint8_t *named) {
    uint32_t pc = c->top.pc;
    const struct gmove_meeting at = control_gmove_meeting_of(c, &c->top);
    for (uint32_t i = 0; i < c->now->count; i++)
        c->marks[c->now->mpus[i]] = !named[c->now->mpus[i]];
    if (!control_stream_leave(c, c->marks, pc + 1, STREAM_READY))
        return false;
    for (uint32_t i = 0; i < c->mpu_count; i++)
        if (named[c->mpus[i]] && !stands_at(c, c->mpus[i], &at)) {
            c->now->state = STREAM_AT_GMOVE;
            return false;
        }
    return true;
}

void control_stream_gathered(struct control *c) {
    struct stream *now = c->now;
    const struct gmove_meeting at = control_gmove_meeting_of(c, &c->top);
    control_stream_suspend(c);
    for (size_t i = 0; i < c->streams.len; i++) {
        struct stream *s = c->streams.data[i];
        if (s == now || !control_gmove_waits(c, s, &at))
            continue;
        control_stream_enter(c, s);
        control_account_top(c, c->top.pc++);
        s->state = STREAM_READY;
        control_stream_suspend(c);
    }
    control_stream_enter(c, now);
}
