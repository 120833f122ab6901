/* SPDX-License-Identifier: MIT
 * A GMOVE between SEND and SEND_DONE: what the move would write in the partner goes into a message,
 * so that no MPU waits for another at the move. */
#include "emu/control/state.h"

static bool add_copy(struct control *control, struct control_message *message,
                     const struct move_copy *move_copy, unsigned width, struct stop_place at) {
    const struct message_copy copy = {move_copy->dst_vrf, move_copy->dst_reg,  (uint8_t)width,
                                      move_copy->count,   move_copy->dst_lane, move_copy->dst_step};
    const struct message_copy from = {move_copy->src_vrf, move_copy->src_reg,  (uint8_t)width,
                                      move_copy->count,   move_copy->src_lane, move_copy->src_step};
    control->network.bytes += copy.count * sizeof(uint64_t);
    if (control->network.bytes > MESSAGE_LIMIT)
        return control_stop(control, CONTROL_STOPPED, at, "messages hold more than 1 GiB");
    vec_push(&message->copies, copy);
    vec_push(&message->work.vrfs, move_copy->src_vrf);
    control_message_take(control, &from, message);
    return true;
}

struct sent_move {
    const struct move_work *work;
    unsigned width;
    uint32_t mpu, to;
};

/* What the move takes from this MPU must all be for the partner. */
static bool add_part(struct control *control, const struct sent_move *move,
                     const struct move_part *part, struct control_message *message) {
    uint32_t per = target_vrfs_per_mpu(control->target);
    struct stop_place at = {control->top.pc, move->mpu, NO_INDEX, NO_INDEX, NO_INDEX};
    for (size_t i = 0; i < part->count; i++) {
        const struct move_copy *x = &part->copies[i];
        if (x->fill)
            return control_stop(control, CONTROL_STOPPED, at,
                                "a message carries elements, and no constants");
        if (x->src_vrf / per != move->mpu)
            continue;
        if (x->dst_vrf / per != move->to)
            return control_stop(control, CONTROL_STOPPED, at,
                                "the message is for MPU%u, and the move takes elements to MPU%u",
                                (unsigned)move->to, (unsigned)(x->dst_vrf / per));
        if (x->count && !add_copy(control, message, x, move->width, at))
            return false;
    }
    return true;
}

static bool add_all(struct control *control, const struct sent_move *move,
                    struct control_message *message) {
    struct move_part part = {0};
    bool ok = true;
    while (ok && package_move_next_part(move->work, &part))
        ok = add_part(control, move, &part, message);
    package_move_part_free(&part);
    return ok;
}

bool control_move_to_messages(struct control *control, struct control_message *const *messages,
                              const uint32_t *to) {
    const struct gmove_meeting at = control_gmove_meeting_of(control, &control->top);
    const struct move_work *w = control_gmove_work(control, &at);
    if (!w)
        return false;
    if (control->program->moves.data[at.move].index.kind)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(control->top.pc),
                            "a message carries no move with an index");
    for (uint32_t i = 0; i < control->now->count; i++) {
        struct timing_copy copy = {
            place_of(control, control->top.pc), 0, 0,
            control_gmove_charge_ps(control, w, at.move, control->now->mpus[i]), 0};
        vec_push(&messages[i]->work.copies, copy);
        const struct sent_move sent = {w, control->program->moves.data[at.move].width,
                                       control->now->mpus[i], to[i]};
        if (!add_all(control, &sent, messages[i]))
            return false;
    }
    control_account_top(control, control->top.pc++);
    return true;
}
