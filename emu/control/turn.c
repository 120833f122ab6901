/* SPDX-License-Identifier: MIT
 * Which stream takes the next step, streams that meet, JUMP_ANY.  Of streams that are ready the
 * first in program order is taken, so that a run is the same each time. */
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

static void end_stream(struct control *control, struct stream *stream) {
    for (uint32_t i = 0; i < stream->count; i++) {
        control->streams.of[stream->mpus[i]] = NULL;
        if (control->timing)
            timing_end(control->timing, stream->mpus[i]);
    }
    control_stream_remove(control, stream);
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void absorb(struct control *control, struct stream *stream, struct stream *other) {
    stream->mpus = xreallocarray(stream->mpus, stream->count + other->count, sizeof *stream->mpus);
    for (uint32_t i = 0; i < other->count; i++)
        control_stream_take(control, stream, other->mpus[i]);
    qsort(stream->mpus, stream->count, sizeof *stream->mpus, by_number);
    control_stream_remove(control, other);
}

/* Before: a is earlier in program order, or is to be preferred. */
static int before(const struct stream *left, const struct stream *right) {
    int order = control_flow_order(&left->flow, &right->flow);
    return order ? order : left->mpus[0] < right->mpus[0] ? -1 : 1;
}

/* The ready stream that comes first, with all that stand where it stands; NULL if none is ready.
 */
static struct stream *choose(struct control *control) {
    struct stream *first = NULL;
    for (size_t i = 0; i < control->streams.list.len; i++) {
        struct stream *s = control->streams.list.data[i];
        if (s->state == STREAM_READY && (!first || before(s, first) < 0))
            first = s;
    }
    for (size_t i = control->streams.list.len; first && i-- > 0;) {
        struct stream *s = control->streams.list.data[i];
        if (s != first && s->state == STREAM_READY && s->region == first->region &&
            control_flow_order(&s->flow, &first->flow) == 0)
            absorb(control, first, s);
    }
    return first;
}

static bool all_at_any(const struct control *control) {
    for (size_t i = 0; i < control->streams.list.len; i++)
        if (control->streams.list.data[i]->state != STREAM_AT_ANY)
            return false;
    return control->streams.list.len != 0;
}

static bool some_any(struct control *control) {
    uint32_t pc = control->streams.list.data[0]->flow.pc;
    bool some = false;
    if (control->config.count_laps && control->counting.any != UNKNOWN)
        return control->counting.any == KNOWN_1;
    if (control->config.count_laps)
        return control_count_taken(control, &control->counting.laps, pc,
                                   (uint32_t)control->text.insns[pc].imm);
    for (uint32_t i = 0; i < control->mpu_count; i++)
        some |= control->streams.of[control->mpus[i]] && control->streams.a[control->mpus[i]].some;
    return some;
}

static void jump_any(struct control *control) {
    bool some = some_any(control);
    control_account_barrier(control, true);
    for (size_t i = 0; i < control->streams.list.len; i++) {
        control_stream_enter(control, control->streams.list.data[i]);
        control_account_top(control, control->top.pc);
        control->top.pc =
            some ? (uint32_t)control->text.insns[control->top.pc].imm : control->top.pc + 1;
        control->now->state = STREAM_READY;
        control_stream_suspend(control);
    }
}

/* False when the program stopped. */
static bool step(struct control *control, struct stream *stream) {
    enum top_result result = TOP_ENDED;
    control_stream_enter(control, stream);
    if (control->top.pc < control->text.len)
        result =
            control_may_go_on(control, control->top.pc) ? control_top_step(control) : TOP_STOPPED;
    else if (control->top.pc > control->text.len)
        control_stop(control, CONTROL_STOPPED, STOP_AT(control->top.pc),
                     "the program left its text");
    control_stream_suspend(control);
    if (result == TOP_ENDED)
        end_stream(control, stream);
    if (control->timing)
        timing_settle(control->timing);
    return control->ended.how == CONTROL_DONE;
}

bool control_streams_turn(struct control *control) {
    struct stream *s = choose(control);
    if (s)
        return step(control, s);
    if (control_launch_waits(control)) {
        bool fine = control_launch(control);
        if (control->timing)
            timing_settle(control->timing);
        return fine;
    }
    if (!all_at_any(control))
        return control_break_deadlock(control);
    jump_any(control);
    return true;
}

/* The control path, lap by lap, until all streams have ended or the program stops:
 *   1. choose a stream that is ready, the first in program order (choose); MPUs whose streams stand
 *      at the same place become one again;
 *   2. take its instruction (control_top_step, top.c), one of:
 *        an ensemble: bind its VRFs, batch by batch, run its body (compute.c, transfer.c);
 *        SEND, RECV, GMOVE: post it, or wait for the other side (message.c, gmove.c);
 *        a call, a loop, a jump, MARK, HALT: move the pc on (flow.c, top.c);
 *   3. post what it took, and let the model of time work off what no later event can change
 *      (timing_settle);
 *   4. where no stream is ready: launch the kernel that all wait for, take a JUMP_ANY that all have
 *      reached, break a cycle of full queues, or stop and say who waits for whom.
 * A stream is never ready while it waits, and each turn moves a stream on or stops the program. */
void control_streams_run(struct control *control) {
    while (control->streams.list.len && control_streams_turn(control) &&
           control_order_follow(control)) {
    }
}
