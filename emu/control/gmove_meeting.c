/* SPDX-License-Identifier: MIT
 * Which lap of a move an MPU stands at: what those must agree on that carry it out together. */
#include "emu/control/state.h"

#include <string.h>

struct gmove_meeting control_gmove_meeting_in(const struct control *c,
                                              const struct call_frame *frame, uint32_t pc) {
    struct gmove_meeting at = {.move = (uint32_t)c->text.insns[pc].imm};
    uint32_t repeats =
        at.move < c->program->moves.len ? object_move_repeats(&c->program->moves.data[at.move]) : 0;
    if (!control_frame_laps(frame, &c->text, pc, repeats, at.laps))
        at.laps[0] = NO_REPEAT;
    return at;
}

struct gmove_meeting control_gmove_meeting_of(const struct control *c, const struct flow *f) {
    return control_gmove_meeting_in(c, &f->frames[f->depth], f->pc);
}

bool control_gmove_same_laps(const uint64_t *a, const uint64_t *b) {
    return memcmp(a, b, MOVE_MAX_LAPS * sizeof *a) == 0;
}

bool control_gmove_waits(const struct control *c, const struct stream *s,
                         const struct gmove_meeting *at) {
    if (s->state != STREAM_AT_GMOVE || (uint32_t)c->text.insns[s->flow.pc].imm != at->move)
        return false;
    const struct gmove_meeting its = control_gmove_meeting_of(c, &s->flow);
    return control_gmove_same_laps(its.laps, at->laps);
}
