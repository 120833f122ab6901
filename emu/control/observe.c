/* SPDX-License-Identifier: MIT
 * What observers are told: spans of the units of an MPU, for traces, before the clocks go on;
 * steps, for logs. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

void span_report(struct control *c, uint32_t mpu, enum timing_unit unit, uint32_t number,
                 uint64_t start_ps, uint64_t duration_ps, uint32_t index) {
    const struct timing_span s = {mpu,   unit,    number, start_ps, sat_add(start_ps, duration_ps),
                                  index, NO_INDEX};
    if (c->config.span)
        c->config.span(c->config.span_context, &s);
}

void span_stream(struct control *c, uint32_t index, uint64_t duration_ps) {
    for (uint32_t i = 0; c->config.span && i < c->now->count; i++)
        span_report(c, c->now->mpus[i], UNIT_PRECODER, 0, account_now(c, c->now->mpus[i]),
                    duration_ps, index);
}

/* Each RFH that has a VRF in the batch.  seen [rfh_per_mpu] is all 0 before and after. */
static void span_batch(struct control *c, const struct batch *b, struct timing_span s,
                       uint8_t *seen) {
    uint32_t per_mpu = target_vrfs_per_mpu(c->target), rfhs = c->target->rfh_per_mpu;
    s.unit = UNIT_RFH;
    s.batch = b->index;
    for (uint32_t i = 0; i < b->count; i++)
        seen[b->vrfs[i] % per_mpu % rfhs] = 1;
    for (s.number = 0; s.number < rfhs; s.number++) {
        if (seen[s.number])
            c->config.span(c->config.span_context, &s);
        seen[s.number] = 0;
    }
}

/* The strand of batch i: its own, or the one that all share. */
static uint64_t batch_ps(const struct strand *strands, uint32_t i) {
    return strands[0].mpu == NO_INDEX ? strands[0].time_ps : strands[i].time_ps;
}

static void span_part(struct control *c, const struct ensemble *e, const struct part *p,
                      const struct strand *strands, uint32_t index, uint8_t *seen) {
    uint64_t end = account_now(c, p->mpu), all = 0;
    for (uint32_t i = 0; i < p->batch_count; i++)
        all = sat_add(all, batch_ps(strands, p->first_batch + i));
    struct timing_span s = {.mpu = p->mpu, .unit = UNIT_CONTROLLER, .index = index};
    s.start_ps = end - (all < end ? all : end);
    s.end_ps = end;
    s.batch = NO_INDEX;
    c->config.span(c->config.span_context, &s);
    for (uint32_t i = p->first_batch; i < p->first_batch + p->batch_count; i++) {
        s.end_ps = sat_add(s.start_ps, batch_ps(strands, i));
        span_batch(c, &e->batches[i], s, seen);
        s.start_ps = s.end_ps;
    }
}

void span_body(struct control *c, const struct ensemble *e, const struct strand *strands,
               uint32_t index) {
    if (!c->config.span)
        return;
    uint8_t *seen = xcalloc(c->target->rfh_per_mpu, sizeof *seen);
    for (uint32_t i = 0; i < e->part_count; i++)
        if (e->parts[i].batch_count)
            span_part(c, e, &e->parts[i], strands, index, seen);
    free(seen);
}

void step_stream(struct control *c, uint32_t index) {
    if (!c->config.step)
        return;
    const struct control_step s = {.index = index,
                                   .count = 1,
                                   .mpu = c->now->mpus[0],
                                   .other_mpus = c->now->count - 1,
                                   .batch = NO_INDEX,
                                   .time_known = !c->config.cost_unknown,
                                   .time_ps = account_now(c, c->now->mpus[0])};
    c->config.step(c->config.step_context, &s);
}

void step_strand(struct control *c, const struct strand *s, uint32_t count, bool executes) {
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
