/* SPDX-License-Identifier: MIT
 * When no MPU can take a step: a cycle of full queues is broken, anything else is explained. */
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

#define MOST_NOTES 8

/* The MPU that an MPU at a full queue waits for; NO_INDEX if it waits for something else. */
static uint32_t waits_to_send(const struct control *c, uint32_t mpu) {
    const struct stream *s = control_stream_of(c, mpu);
    if (!s || s->state != STREAM_AT_SEND)
        return NO_INDEX;
    return control_message_partner(c, &c->text.insns[s->flow.pc], mpu);
}

/* The lowest MPU with a free data buffer of the cycle that `start` is in. */
static uint32_t lowest_of_cycle(const struct control *c, uint32_t start) {
    uint32_t lowest = NO_INDEX, mpu = start;
    do {
        if (!c->network.buffer_used[mpu] && mpu < lowest)
            lowest = mpu;
        mpu = waits_to_send(c, mpu);
    } while (mpu != start);
    return lowest;
}

/* Of all cycles of full queues.  walk[mpu]: the first MPU of the walk that came by, + 1. */
static uint32_t find_breaker(const struct control *c, uint32_t *walk) {
    uint32_t best = NO_INDEX;
    for (uint32_t i = 0; i < c->mpu_count; i++) {
        uint32_t mpu = c->mpus[i];
        while (mpu != NO_INDEX && !walk[mpu]) {
            walk[mpu] = i + 1;
            mpu = waits_to_send(c, mpu);
        }
        if (mpu == NO_INDEX || walk[mpu] != i + 1)
            continue;
        uint32_t lowest = lowest_of_cycle(c, mpu);
        best = lowest < best ? lowest : best;
    }
    return best;
}

static bool break_cycle(struct control *c) {
    uint32_t *walk = xcalloc((size_t)c->package->mpus + 1, sizeof *walk);
    uint32_t mpu = find_breaker(c, walk);
    free(walk);
    if (mpu == NO_INDEX)
        return false;
    control_queue_pass(c, control_message_queue(c, mpu, waits_to_send(c, mpu)));
    c->network.buffer_used[mpu] = 1;
    c->stats.messages_passed++;
    control_stream_wake(c, mpu, STREAM_AT_SEND);
    return true;
}

/* ---- explaining ---- */

static void end_of(const struct control *c, uint32_t mpu, struct str *out) {
    if (!control_stream_of(c, mpu))
        str_append(out, ", which has ended");
}

static void describe(struct control *c, uint32_t mpu, const struct stream *s, struct str *out) {
    const struct insn *x = &c->text.insns[s->flow.pc];
    uint32_t other;
    str_printf(out, "MPU%u waits at instruction %u (", (unsigned)mpu, (unsigned)s->flow.pc);
    control_describe_insn(c, x, out);
    str_append(out, "): ");
    switch (s->state) {
    case STREAM_AT_SEND:
        other = control_message_partner(c, x, mpu);
        str_printf(out, "its queue to MPU%u is full", (unsigned)other);
        end_of(c, other, out);
        break;
    case STREAM_AT_RECV:
        other = control_message_partner(c, x, mpu);
        str_printf(out, "there is no message from MPU%u", (unsigned)other);
        end_of(c, other, out);
        break;
    case STREAM_AT_GMOVE:
        other = control_gmove_missing(c, s);
        str_printf(out, "MPU%u is not there", (unsigned)other);
        end_of(c, other, out);
        break;
    default:
        str_append(out, "not all MPUs are there");
        break;
    }
}

static void note(struct control *c, uint32_t index, struct str *text) {
    struct control_note n = {index, arena_strdup(&c->arena, str_text(text))};
    vec_push(&c->notes, n);
    str_clear(text);
}

/* One line for each MPU that waits. */
static uint32_t explain(struct control *c) {
    struct str text = {0};
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < c->mpu_count; i++) {
        const struct stream *s = control_stream_of(c, c->mpus[i]);
        if (!s || waiting++ >= MOST_NOTES)
            continue;
        describe(c, c->mpus[i], s, &text);
        note(c, s->flow.pc, &text);
    }
    if (waiting > MOST_NOTES) {
        str_printf(&text, "and %u more MPUs wait", (unsigned)(waiting - MOST_NOTES));
        note(c, NO_INDEX, &text);
    }
    str_free(&text);
    return waiting;
}

bool control_break_deadlock(struct control *c) {
    if (c->target->deadlock == DEADLOCK_BREAK && break_cycle(c))
        return true;
    uint32_t waiting = explain(c);
    const struct control_note *first = &c->notes.data[0];
    return control_stop(c, CONTROL_STOPPED, STOP_AT(first->index),
                        "deadlock: %u of %u MPUs wait and none can go on", (unsigned)waiting,
                        (unsigned)c->mpu_count);
}
