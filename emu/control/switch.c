/* SPDX-License-Identifier: MIT
 * VRFs that are switched off while others of their batch go on, so that each behaves as if it ran
 * alone. */
#include "emu/control/state.h"

#include "support/alloc.h"

static void rebuild(struct strand *s) {
    uint8_t *skip = xcalloc(s->vrf_count, 1);
    for (uint32_t i = 0; i < s->vrf_count; i++)
        skip[i] = s->off[i].off;
    if (!s->ranges)
        s->ranges = xcalloc(s->vrf_count, sizeof *s->ranges);
    s->on = (struct vrf_set){s->ranges, control_vrf_ranges(s->vrfs, s->vrf_count, skip, s->ranges)};
    free(skip);
}

void control_switch_off_idle(struct strand *s, const uint8_t *enabled, bool loop, uint32_t low,
                             uint32_t high) {
    uint32_t before = s->off_count, k = 0;
    if (!s->off)
        s->off = xcalloc(s->vrf_count, sizeof *s->off);
    for (uint32_t i = 0; i < s->vrf_count; i++) {
        if (s->off[i].off || enabled[k++])
            continue;
        s->off[i] = (struct off_state){true, loop, low, high, s->flow.depth};
        s->off_count++;
    }
    if (s->off_count != before)
        rebuild(s);
}

/* A deeper call does not leave the region that its caller is in. */
static bool ends(const struct off_state *o, const struct flow *f) {
    if (f->depth > o->depth)
        return false;
    if (o->loop)
        return f->pc < o->low || f->pc > o->high;
    return f->depth < o->depth || f->pc == o->low;
}

void control_switch_on(struct strand *s) {
    uint32_t before = s->off_count;
    for (uint32_t i = 0; s->off_count && i < s->vrf_count; i++) {
        if (!s->off[i].off || !ends(&s->off[i], &s->flow))
            continue;
        s->off[i].off = false;
        s->off_count--;
    }
    if (s->off_count != before)
        rebuild(s);
}
