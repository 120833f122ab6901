/* SPDX-License-Identifier: MIT
 * Streams: who takes the next step, splitting and joining. */
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

static void remove_stream(struct control *c, struct stream *s) {
    size_t kept = 0;
    for (size_t i = 0; i < c->streams.len; i++)
        if (c->streams.data[i] != s)
            c->streams.data[kept++] = c->streams.data[i];
    c->streams.len = kept;
    free_stream(s);
}

struct stream *control_stream_of(const struct control *c, uint32_t mpu) {
    return c->stream_of[mpu];
}

static void take_mpu(struct control *c, struct stream *s, uint32_t mpu) {
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
        take_mpu(c, stream_at(c, start_of(c, c->mpus[i])), c->mpus[i]);
}

void control_streams_close(struct control *c) {
    for (size_t i = 0; i < c->streams.len; i++)
        free_stream(c->streams.data[i]);
    vec_free(&c->streams);
}

static void end_stream(struct control *c, struct stream *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        c->stream_of[s->mpus[i]] = NULL;
        if (c->timing)
            timing_end(c->timing, s->mpus[i]);
    }
    remove_stream(c, s);
}

/* ---- the stream at work ---- */

static void enter(struct control *c, struct stream *s) {
    c->now = s;
    c->top = s->flow;
    c->region = s->region;
}

static void leave(struct control *c) {
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
            take_mpu(c, other, s->mpus[i]);
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
    leave(c);
    for (size_t i = 0; i < c->streams.len; i++) {
        struct stream *s = c->streams.data[i];
        if (s == now || !control_gmove_waits(c, s, &at))
            continue;
        enter(c, s);
        control_account_top(c, c->top.pc++);
        s->state = STREAM_READY;
        leave(c);
    }
    enter(c, now);
}

/* ---- joining ---- */

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static void absorb(struct control *c, struct stream *s, struct stream *other) {
    s->mpus = xreallocarray(s->mpus, s->count + other->count, sizeof *s->mpus);
    for (uint32_t i = 0; i < other->count; i++)
        take_mpu(c, s, other->mpus[i]);
    qsort(s->mpus, s->count, sizeof *s->mpus, by_number);
    remove_stream(c, other);
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

/* ---- JUMP_ANY ---- */

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
        enter(c, c->streams.data[i]);
        control_account_top(c, c->top.pc);
        c->top.pc = some ? (uint32_t)c->text.insns[c->top.pc].imm : c->top.pc + 1;
        c->now->state = STREAM_READY;
        leave(c);
    }
}

/* ---- the loop ---- */

/* False when the program stopped. */
static bool step(struct control *c, struct stream *s) {
    enum top_result result = TOP_ENDED;
    enter(c, s);
    if (c->top.pc < c->text.len)
        result = control_may_go_on(c, c->top.pc) ? control_top_step(c) : TOP_STOPPED;
    else if (c->top.pc > c->text.len)
        control_stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc), "the program left its text");
    leave(c);
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
