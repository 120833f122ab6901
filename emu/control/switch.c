/* SPDX-License-Identifier: MIT
 * VRFs that are switched off while others of their batch go on, so that each behaves as if it ran
 * alone. */
#include "emu/control/state.h"

#include "support/alloc.h"

/* Elements of the VRFs that are not switched off. */
static uint64_t elements_on(const struct strand *strand) {
    uint64_t elements = 0;
    for (uint32_t i = 0; i < strand->vrf_count; i++)
        if (!strand->off[i].off)
            elements += control_ensemble_binding(strand->ensemble, strand->vrfs[i])->valid_lanes;
    return elements;
}

static void rebuild(struct strand *strand) {
    uint8_t *skip = xcalloc(strand->vrf_count, 1);
    for (uint32_t i = 0; i < strand->vrf_count; i++)
        skip[i] = strand->off[i].off;
    if (!strand->ranges)
        strand->ranges = xcalloc(strand->vrf_count, sizeof *strand->ranges);
    strand->on = (struct vrf_set){
        strand->ranges, control_vrf_ranges(strand->vrfs, strand->vrf_count, skip, strand->ranges)};
    strand->elements = elements_on(strand);
    strand->selected.known = false;
    free(skip);
}

void control_switch_off_idle(struct strand *strand, const uint8_t *enabled, bool loop, uint32_t low,
                             uint32_t high) {
    uint32_t before = strand->off_count, k = 0;
    if (!strand->off)
        strand->off = xcalloc(strand->vrf_count, sizeof *strand->off);
    for (uint32_t i = 0; i < strand->vrf_count; i++) {
        if (strand->off[i].off || enabled[k++])
            continue;
        strand->off[i] = (struct off_state){true, loop, low, high, strand->flow.depth};
        strand->off_count++;
    }
    if (strand->off_count != before)
        rebuild(strand);
}

/* A deeper call does not leave the region that its caller is in. */
static bool ends(const struct off_state *state, const struct flow *flow) {
    if (flow->depth > state->depth)
        return false;
    if (state->loop)
        return flow->pc < state->low || flow->pc > state->high;
    return flow->depth < state->depth || flow->pc == state->low;
}

void control_switch_on(struct strand *strand) {
    uint32_t before = strand->off_count;
    for (uint32_t i = 0; strand->off_count && i < strand->vrf_count; i++) {
        if (!strand->off[i].off || !ends(&strand->off[i], &strand->flow))
            continue;
        strand->off[i].off = false;
        strand->off_count--;
    }
    if (strand->off_count != before)
        rebuild(strand);
}
