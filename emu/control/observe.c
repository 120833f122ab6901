/* SPDX-License-Identifier: MIT
 * Tells logs of each step. */
#include "emu/control/state.h"

void control_step_stream(struct control *control, uint32_t index, bool executes) {
    if (!control->config.step)
        return;
    const struct control_step s = {
        .index = index,
        .count = 1,
        .mpu = control->now->mpus[0],
        .other_mpus = control->now->count - 1,
        .batch = NO_INDEX,
        .executes = executes || control->launching,
        .time_known = control->timing != NULL,
        .time_ps = control->timing ? timing_now(control->timing, control->now->mpus[0]) : 0};
    control->config.step(control->config.step_context, &s);
}

void control_step_strand(struct control *control, const struct strand *strand, uint32_t index,
                         uint32_t count, bool executes) {
    if (!control->config.step)
        return;
    const struct control_step x = {.index = index,
                                   .count = count,
                                   .mpu = strand->vrfs[0] / target_vrfs_per_mpu(control->target),
                                   .other_mpus = strand->mpus - 1,
                                   .batch = strand->batch,
                                   .in_body = true,
                                   .executes = executes,
                                   .vrfs = strand->on,
                                   .time_known = !control->config.cost_unknown,
                                   .time_ps = strand->time_ps};
    control->config.step(control->config.step_context, &x);
}
