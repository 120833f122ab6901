/* SPDX-License-Identifier: MIT
 * A GMOVE between SEND and SEND_DONE: what the move would write in the partner goes into a message,
 * and nobody waits for anybody at the move. */
#include "emu/control/state.h"

static bool add_copy(struct control *c, struct control_message *m, const struct move_copy *x,
                     unsigned width, struct stop_place at) {
    const struct message_copy copy = {x->dst_vrf, x->dst_reg,  (uint8_t)width,
                                      x->count,   x->dst_lane, x->dst_step};
    const struct message_copy from = {x->src_vrf, x->src_reg,  (uint8_t)width,
                                      x->count,   x->src_lane, x->src_step};
    c->network.bytes += copy.count * sizeof(uint64_t);
    if (c->network.bytes > MESSAGE_LIMIT)
        return control_stop(c, CONTROL_STOPPED, at, "messages hold more than 1 GiB");
    vec_push(&m->copies, copy);
    vec_push(&m->work.vrfs, x->src_vrf);
    control_message_take(c, &from, m);
    return true;
}

struct sent_move {
    const struct move_work *work;
    unsigned width;
    uint32_t mpu, to;
};

/* What the move takes from this MPU must all be for the partner. */
static bool add_part(struct control *c, const struct sent_move *s, const struct move_part *part,
                     struct control_message *m) {
    uint32_t per = target_vrfs_per_mpu(c->target);
    struct stop_place at = {c->top.pc, s->mpu, NO_INDEX, NO_INDEX, NO_INDEX};
    for (size_t i = 0; i < part->count; i++) {
        const struct move_copy *x = &part->copies[i];
        if (x->fill)
            return control_stop(c, CONTROL_STOPPED, at,
                                "a message carries elements, and no constants");
        if (x->src_vrf / per != s->mpu)
            continue;
        if (x->dst_vrf / per != s->to)
            return control_stop(c, CONTROL_STOPPED, at,
                                "the message is for MPU%u, and the move takes elements to MPU%u",
                                (unsigned)s->to, (unsigned)(x->dst_vrf / per));
        if (x->count && !add_copy(c, m, x, s->width, at))
            return false;
    }
    return true;
}

static bool add_all(struct control *c, const struct sent_move *s, struct control_message *m) {
    struct move_part part = {0};
    bool ok = true;
    while (ok && package_move_next_part(s->work, &part))
        ok = add_part(c, s, &part, m);
    package_move_part_free(&part);
    return ok;
}

bool control_move_to_messages(struct control *c, struct control_message *const *messages,
                              const uint32_t *to) {
    const struct gmove_meeting at = control_gmove_meeting_of(c, &c->top);
    const struct move_work *w = control_gmove_work(c, &at);
    if (!w)
        return false;
    if (c->program->moves.data[at.move].index.kind)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(c->top.pc),
                            "a message carries no move with an index");
    for (uint32_t i = 0; i < c->now->count; i++) {
        struct timing_copy copy = {place_of(c, c->top.pc), 0, 0,
                                   control_gmove_charge_ps(c, w, at.move, c->now->mpus[i])};
        vec_push(&messages[i]->work.copies, copy);
        const struct sent_move sent = {w, c->program->moves.data[at.move].width, c->now->mpus[i],
                                       to[i]};
        if (!add_all(c, &sent, messages[i]))
            return false;
    }
    control_account_top(c, c->top.pc++);
    return true;
}
