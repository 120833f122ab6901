/* SPDX-License-Identifier: MIT
 * Which lap of a move an MPU stands at: MPUs that carry the move out together must stand at the
 * same. */
#include "emu/control/state.h"

#include <string.h>

struct gmove_meeting control_gmove_meeting_in(const struct control *control,
                                              const struct call_frame *frame, uint32_t pc) {
    struct gmove_meeting at = {.move = (uint32_t)control->text.insns[pc].imm};
    uint32_t repeats = at.move < control->program->moves.len
                           ? object_move_repeats(&control->program->moves.data[at.move])
                           : 0;
    if (!control_frame_laps(frame, &control->text, pc, repeats, at.laps))
        at.laps[0] = NO_REPEAT;
    return at;
}

struct gmove_meeting control_gmove_meeting_of(const struct control *control,
                                              const struct flow *flow) {
    return control_gmove_meeting_in(control, &flow->frames[flow->depth], flow->pc);
}

bool control_gmove_same_laps(const uint64_t *left, const uint64_t *right) {
    return memcmp(left, right, MOVE_MAX_LAPS * sizeof *left) == 0;
}

bool control_gmove_waits(const struct control *control, const struct stream *stream,
                         const struct gmove_meeting *at) {
    if (stream->state != STREAM_AT_GMOVE ||
        (uint32_t)control->text.insns[stream->flow.pc].imm != at->move)
        return false;
    const struct gmove_meeting its = control_gmove_meeting_of(control, &stream->flow);
    return control_gmove_same_laps(its.laps, at->laps);
}
