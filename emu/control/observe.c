/* SPDX-License-Identifier: MIT
 * Steps, as logs are told of them. */
#include "emu/control/state.h"

void control_step_stream(struct control *c, uint32_t index) {
    if (!c->config.step)
        return;
    const struct control_step s = {.index = index,
                                   .count = 1,
                                   .mpu = c->now->mpus[0],
                                   .other_mpus = c->now->count - 1,
                                   .batch = NO_INDEX,
                                   .time_known = c->timing != NULL,
                                   .time_ps =
                                       c->timing ? timing_now(c->timing, c->now->mpus[0]) : 0};
    c->config.step(c->config.step_context, &s);
}

void control_step_strand(struct control *c, const struct strand *s, uint32_t count, bool executes) {
    if (!c->config.step)
        return;
    const struct control_step x = {.index = s->flow.pc,
                                   .count = count,
                                   .mpu = s->vrfs[0] / target_vrfs_per_mpu(c->target),
                                   .other_mpus = s->mpus - 1,
                                   .batch = s->batch,
                                   .in_body = true,
                                   .executes = executes,
                                   .time_known = !c->config.cost_unknown,
                                   .time_ps = s->time_ps};
    c->config.step(c->config.step_context, &x);
}
