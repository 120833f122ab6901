/* SPDX-License-Identifier: MIT
 * When no MPU can take a step: a cycle of full queues is broken, anything else is explained. */
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

#define MOST_NOTES 8

/* The MPU that an MPU at a full queue waits for; NO_INDEX if it waits for something else. */
static uint32_t waits_to_send(const struct control *control, uint32_t mpu) {
    const struct stream *s = control_stream_of(control, mpu);
    if (!s || s->state != STREAM_AT_SEND)
        return NO_INDEX;
    return control_message_partner(control, &control->text.insns[s->flow.pc], mpu);
}

/* The lowest MPU with a free data buffer of the cycle that `start` is in. */
static uint32_t lowest_of_cycle(const struct control *control, uint32_t start) {
    uint32_t lowest = NO_INDEX, mpu = start;
    do {
        if (!control->network.buffer_used[mpu] && mpu < lowest)
            lowest = mpu;
        mpu = waits_to_send(control, mpu);
    } while (mpu != start);
    return lowest;
}

/* Of all cycles of full queues.  walk[mpu]: the first MPU of the walk that came by, + 1. */
static uint32_t find_breaker(const struct control *control, uint32_t *walk) {
    uint32_t best = NO_INDEX;
    for (uint32_t i = 0; i < control->mpu_count; i++) {
        uint32_t mpu = control->mpus[i];
        while (mpu != NO_INDEX && !walk[mpu]) {
            walk[mpu] = i + 1;
            mpu = waits_to_send(control, mpu);
        }
        if (mpu == NO_INDEX || walk[mpu] != i + 1)
            continue;
        uint32_t lowest = lowest_of_cycle(control, mpu);
        best = lowest < best ? lowest : best;
    }
    return best;
}

static bool break_cycle(struct control *control) {
    uint32_t *walk = xcalloc((size_t)control->package->mpus + 1, sizeof *walk);
    uint32_t mpu = find_breaker(control, walk);
    free(walk);
    if (mpu == NO_INDEX)
        return false;
    control_queue_pass(control, control_message_queue(control, mpu, waits_to_send(control, mpu)));
    control->network.buffer_used[mpu] = 1;
    control->account.stats.messages_passed++;
    control_stream_wake(control, mpu, STREAM_AT_SEND);
    return true;
}

/* ---- explaining ---- */

static void end_of(const struct control *control, uint32_t mpu, struct str *out) {
    if (!control_stream_of(control, mpu))
        str_append(out, ", which has ended");
}

static void describe(struct control *control, uint32_t mpu, const struct stream *stream,
                     struct str *out) {
    const struct insn *x = &control->text.insns[stream->flow.pc];
    uint32_t other;
    str_printf(out, "MPU%u waits at instruction %u (", (unsigned)mpu, (unsigned)stream->flow.pc);
    control_describe_insn(control, x, out);
    str_append(out, "): ");
    switch (stream->state) {
    case STREAM_AT_SEND:
        other = control_message_partner(control, x, mpu);
        str_printf(out, "its queue to MPU%u is full", (unsigned)other);
        end_of(control, other, out);
        break;
    case STREAM_AT_RECV:
        other = control_message_partner(control, x, mpu);
        str_printf(out, "there is no message from MPU%u", (unsigned)other);
        end_of(control, other, out);
        break;
    case STREAM_AT_GMOVE:
        other = control_gmove_missing(control, stream);
        str_printf(out, "MPU%u is not there", (unsigned)other);
        end_of(control, other, out);
        break;
    default:
        str_append(out, "not all MPUs are there");
        break;
    }
}

static void note(struct control *control, uint32_t index, struct str *text) {
    control_note(control, index, str_text(text));
    str_clear(text);
}

/* One line for each MPU that waits. */
static uint32_t explain(struct control *control) {
    struct str text = {0};
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < control->mpu_count; i++) {
        const struct stream *s = control_stream_of(control, control->mpus[i]);
        if (!s || waiting++ >= MOST_NOTES)
            continue;
        describe(control, control->mpus[i], s, &text);
        note(control, s->flow.pc, &text);
    }
    if (waiting > MOST_NOTES) {
        str_printf(&text, "and %u more MPUs wait", (unsigned)(waiting - MOST_NOTES));
        note(control, NO_INDEX, &text);
    }
    str_free(&text);
    return waiting;
}

bool control_break_deadlock(struct control *control) {
    if (control->target->deadlock == DEADLOCK_BREAK && break_cycle(control))
        return true;
    uint32_t waiting = explain(control);
    const struct control_note *first = &control->notes.data[0];
    return control_stop(control, CONTROL_STOPPED, STOP_AT(first->index),
                        "deadlock: %u of %u MPUs wait and none can go on", (unsigned)waiting,
                        (unsigned)control->mpu_count);
}
