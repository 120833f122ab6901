/* SPDX-License-Identifier: MIT
 * Streams: which MPUs go on together, how they split and wait.  Each MPU that has not ended is in
 * exactly one, and control_stream_of says in which. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct stream *add_stream(struct control *control, uint32_t room) {
    struct stream *s = xcalloc(1, sizeof *s);
    s->mpus = xcalloc(room, sizeof *s->mpus);
    vec_push(&control->streams.list, s);
    return s;
}

static void free_stream(struct stream *stream) {
    control_flow_free(&stream->flow);
    free(stream->mpus);
    free(stream);
}

void control_stream_remove(struct control *control, struct stream *stream) {
    size_t kept = 0;
    for (size_t i = 0; i < control->streams.list.len; i++)
        if (control->streams.list.data[i] != stream)
            control->streams.list.data[kept++] = control->streams.list.data[i];
    control->streams.list.len = kept;
    free_stream(stream);
}

void control_stream_take(struct control *control, struct stream *stream, uint32_t mpu) {
    stream->mpus[stream->count++] = mpu;
    control->streams.of[mpu] = stream;
}

/* ---- beginning and end ---- */

static uint32_t symbol_index(const struct object *object, uint32_t symbol) {
    if (symbol == NO_INDEX)
        symbol = object_find_symbol(object, "main");
    if (symbol >= object->symbols.len || !object->symbols.data[symbol].defined ||
        object->symbols.data[symbol].kind == SYMBOL_ABS || object->symbols.data[symbol].value < 0)
        return 0;
    return (uint32_t)object->symbols.data[symbol].value;
}

/* Where the entry table lets an MPU start.  One that is here only because a group spans it goes
 * with the image's first. */
static uint32_t start_of(const struct control *control, uint32_t mpu) {
    const struct object *o = control->program;
    if (mpu - control->package->image_first >= control->package->image_count)
        mpu = control->package->image_first;
    for (size_t i = 0; i < o->entries.len; i++)
        if (mpu - o->entries.data[i].first_mpu < o->entries.data[i].mpu_count)
            return symbol_index(o, o->entries.data[i].symbol);
    return symbol_index(o, NO_INDEX);
}

static struct stream *stream_at(struct control *control, uint32_t pc) {
    for (size_t i = 0; i < control->streams.list.len; i++)
        if (control->streams.list.data[i]->flow.pc == pc)
            return control->streams.list.data[i];
    struct stream *s = add_stream(control, control->mpu_count);
    control_flow_begin(&s->flow, pc, 0);
    return s;
}

void control_streams_open(struct control *control) {
    for (uint32_t i = 0; i < control->mpu_count; i++)
        control_stream_take(control, stream_at(control, start_of(control, control->mpus[i])),
                            control->mpus[i]);
}

void control_streams_close(struct control *control) {
    for (size_t i = 0; i < control->streams.list.len; i++)
        free_stream(control->streams.list.data[i]);
    vec_free(&control->streams.list);
}

/* ---- the stream at work ---- */

void control_stream_enter(struct control *control, struct stream *stream) {
    control->now = stream;
    control->top = stream->flow;
    control->region = stream->region;
}

void control_stream_suspend(struct control *control) {
    control->now->flow = control->top;
    control->now->region = control->region;
}

bool control_stream_leave(struct control *control, const uint8_t *out, uint32_t pc,
                          enum stream_state state) {
    struct stream *s = control->now, *other = NULL;
    uint32_t kept = 0, leaving = 0;
    for (uint32_t i = 0; i < s->count; i++)
        leaving += out[s->mpus[i]] != 0;
    if (leaving == s->count) {
        control->top.pc = pc;
        s->state = state;
        return false;
    }
    if (leaving) {
        other = add_stream(control, leaving);
        control_flow_copy(&other->flow, &control->top);
        other->flow.pc = pc;
        other->region = control->region;
        other->state = state;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (out[s->mpus[i]])
            control_stream_take(control, other, s->mpus[i]);
        else
            s->mpus[kept++] = s->mpus[i];
    s->count = kept;
    return true;
}

void control_stream_wake(struct control *control, uint32_t mpu, enum stream_state state) {
    struct stream *s = control->streams.of[mpu];
    if (s && s->state == state)
        s->state = STREAM_READY;
}

static bool stands_at(const struct control *control, uint32_t mpu, const struct gmove_meeting *at) {
    const struct stream *s = control->streams.of[mpu];
    return s && (s == control->now || control_gmove_waits(control, s, at));
}

bool control_stream_gather(struct control *control, const uint8_t *named) {
    uint32_t pc = control->top.pc;
    const struct gmove_meeting at = control_gmove_meeting_of(control, &control->top);
    for (uint32_t i = 0; i < control->now->count; i++)
        control->streams.marks[control->now->mpus[i]] = !named[control->now->mpus[i]];
    if (!control_stream_leave(control, control->streams.marks, pc + 1, STREAM_READY))
        return false;
    for (uint32_t i = 0; i < control->mpu_count; i++)
        if (named[control->mpus[i]] && !stands_at(control, control->mpus[i], &at)) {
            control->now->state = STREAM_AT_GMOVE;
            return false;
        }
    return true;
}

void control_stream_gathered(struct control *control) {
    struct stream *now = control->now;
    const struct gmove_meeting at = control_gmove_meeting_of(control, &control->top);
    control_stream_suspend(control);
    for (size_t i = 0; i < control->streams.list.len; i++) {
        struct stream *s = control->streams.list.data[i];
        if (s == now || !control_gmove_waits(control, s, &at))
            continue;
        control_stream_enter(control, s);
        control_account_top(control, control->top.pc++);
        s->state = STREAM_READY;
        control_stream_suspend(control);
    }
    control_stream_enter(control, now);
}
