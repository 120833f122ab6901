/* SPDX-License-Identifier: MIT
 * Which crossbars and rows the words that follow act on, where VRFs hang in a tree. */
#include "machines/dtc/dtc.h"
#include "machines/plane/run/sent.h"
#include "support/alloc.h"

#include <string.h>

struct plane_selection *plane_selection_of(struct plane_machine *machine, uint32_t vrf) {
    return &machine->selected[vrf / target_vrfs_per_mpu(machine->target)];
}

void plane_select_all(struct plane_machine *machine) {
    uint32_t per = target_vrfs_per_mpu(machine->target);
    for (uint32_t mpu = 0; mpu < machine->setup.mpus; mpu++)
        machine->selected[mpu] = (struct plane_selection){{mpu * per, mpu * per + per - 1, 1},
                                                          {0, machine->target->lanes - 1, 1}};
}

uint32_t *plane_numbers(struct vrf_set set, size_t *count) {
    uint32_t *vrfs = xcalloc(vrf_set_size(set) + 1, sizeof *vrfs);
    *count = 0;
    for (size_t i = 0; i < set.count; i++)
        for (uint32_t k = 0; k < set.ranges[i].count; k++)
            vrfs[(*count)++] = set.ranges[i].first + k;
    return vrfs;
}

void plane_select(struct datapath *dp, const struct dp_selection *selection, struct dp_cost *cost) {
    struct plane_machine *m = plane_of(dp);
    struct plane_sent sent = {.m = m,
                              .at = plane_selection_of(m, selection->first),
                              .cost = cost,
                              .begin_ps = cost->begin_ps};
    plane_sent_crossbars(&sent,
                         (struct dtc_range){selection->first, selection->last, selection->step});
    if (selection->lanes)
        plane_sent_rows(&sent, (struct dtc_range){0, selection->lanes - 1, 1});
    cost->ps = sat_mul(sent.words, dtc_move_ps(m->target));
}

void plane_selected(struct datapath *dp, uint32_t vrf, bool restore, struct dp_selected *state) {
    struct plane_selection *at = plane_selection_of(plane_of(dp), vrf);
    _Static_assert(sizeof *at == sizeof state->words, "two ranges");
    if (restore)
        memcpy(at, state->words, sizeof *at);
    else
        memcpy(state->words, at, sizeof *at);
}
