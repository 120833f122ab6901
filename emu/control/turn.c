/* SPDX-License-Identifier: MIT
 * Whose turn it is: the stream that takes the next step, streams that meet, JUMP_ANY.
 * What is ready is always taken in program order, so that a run is the same each time. */
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

static void end_stream(struct control *c, struct stream *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        c->stream_of[s->mpus[i]] = NULL;
        if (c->timing)
            timing_end(c->timing, s->mpus[i]);
    }
    control_stream_remove(c, s);
}

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static void absorb(struct control *c, struct stream *s, struct stream *other) {
    s->mpus = xreallocarray(s->mpus, s->count + other->count, sizeof *s->mpus);
    for (uint32_t i = 0; i < other->count; i++)
        control_stream_take(c, s, other->mpus[i]);
    qsort(s->mpus, s->count, sizeof *s->mpus, by_number);
    control_stream_remove(c, other);
}

/* Before: a is earlier in program order, or is to be preferred. */
static int before(const struct stream *a, const struct stream *b) {
    int order = control_flow_order(&a->flow, &b->flow);
    return order ? order : a->mpus[0] < b->mpus[0] ? -1 : 1;
}

/* The ready stream that comes first, with all that stand where it stands; NULL if none is ready.
 */
static struct stream *choose(struct control *c) {
    struct stream *first = NULL;
    for (size_t i = 0; i < c->streams.len; i++) {
        struct stream *s = c->streams.data[i];
        if (s->state == STREAM_READY && (!first || before(s, first) < 0))
            first = s;
    }
    for (size_t i = c->streams.len; first && i-- > 0;) {
        struct stream *s = c->streams.data[i];
        if (s != first && s->state == STREAM_READY && s->region == first->region &&
            control_flow_order(&s->flow, &first->flow) == 0)
            absorb(c, first, s);
    }
    return first;
}

static bool all_at_any(const struct control *c) {
    for (size_t i = 0; i < c->streams.len; i++)
        if (c->streams.data[i]->state != STREAM_AT_ANY)
            return false;
    return c->streams.len != 0;
}

static bool some_any(struct control *c) {
    uint32_t pc = c->streams.data[0]->flow.pc;
    bool some = false;
    if (c->config.count_laps && c->any_known != UNKNOWN)
        return c->any_known == KNOWN_1;
    if (c->config.count_laps)
        return control_count_taken(c, &c->laps, pc, (uint32_t)c->text.insns[pc].imm);
    for (uint32_t i = 0; i < c->mpu_count; i++)
        some |= c->stream_of[c->mpus[i]] && c->flag_a[c->mpus[i]];
    return some;
}

static void jump_any(struct control *c) {
    bool some = some_any(c);
    control_account_barrier(c, true);
    for (size_t i = 0; i < c->streams.len; i++) {
        control_stream_enter(c, c->streams.data[i]);
        control_account_top(c, c->top.pc);
        c->top.pc = some ? (uint32_t)c->text.insns[c->top.pc].imm : c->top.pc + 1;
        c->now->state = STREAM_READY;
        control_stream_suspend(c);
    }
}

/* False when the program stopped. */
static bool step(struct control *c, struct stream *s) {
    enum top_result result = TOP_ENDED;
    control_stream_enter(c, s);
    if (c->top.pc < c->text.len)
        result = control_may_go_on(c, c->top.pc) ? control_top_step(c) : TOP_STOPPED;
    else if (c->top.pc > c->text.len)
        control_stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc), "the program left its text");
    control_stream_suspend(c);
    if (result == TOP_ENDED)
        end_stream(c, s);
    if (c->timing)
        timing_settle(c->timing);
    return c->end == CONTROL_DONE;
}

bool control_streams_turn(struct control *c) {
    struct stream *s = choose(c);
    if (s)
        return step(c, s);
    if (!all_at_any(c))
        return control_break_deadlock(c);
    jump_any(c);
    return true;
}

void control_streams_run(struct control *c) {
    while (c->streams.len && control_streams_turn(c) && control_order_follow(c)) {
    }
}
