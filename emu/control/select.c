/* SPDX-License-Identifier: MIT
 * Which VRFs and lanes work, where the machine is told so by micro-ops of its own: ranges of VRFs,
 * those of one batch, and the lanes up to the last one with an element.  VRFs that are no range are
 * several, and every instruction is carried out once for each of them. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "machines/dtc/tree_ranges.h"
#include "support/alloc.h"

#include <stdlib.h>

static bool has_several_batches(const struct strand *strand) {
    const struct ensemble *e = strand->ensemble;
    for (uint32_t i = 0; i < e->part_count; i++)
        if (e->parts[i].mpu == strand->mpu)
            return e->parts[i].batch_count > 1;
    return false;
}

/* The first batch finds what was before the ensemble; what others find nobody knows. */
void control_select_begin(struct control *control, struct strand *strand) {
    struct strand_selected *s = &strand->selected;
    s->apart = control->dp->tables.selects && strand->vrf_count && has_several_batches(strand);
    if (s->apart && strand->batch == 0)
        control->dp->ops->selected(control->dp, strand->vrfs[0], false, &s->state);
}

void control_select_enter(struct control *control, struct strand *strand) {
    if (strand->selected.apart)
        control->dp->ops->selected(control->dp, strand->vrfs[0], true, &strand->selected.state);
}

void control_select_leave(struct control *control, struct strand *strand) {
    if (strand->selected.apart)
        control->dp->ops->selected(control->dp, strand->vrfs[0], false, &strand->selected.state);
}

void control_select_end(struct control *control, struct strand *strand) {
    struct dp_selected nobody_knows = {{0}};
    if (strand->selected.apart)
        control->dp->ops->selected(control->dp, strand->vrfs[0], true, &nobody_knows);
}

/* Ranges of the VRFs that are on, and the lanes of the largest. */
static void make_ranges(struct strand *strand) {
    uint32_t *vrfs = xcalloc(vrf_set_size(strand->on) + 1, sizeof *vrfs);
    size_t n = 0;
    vec_clear(&strand->selected.ranges);
    strand->selected.lanes = 0;
    for (size_t i = 0; i < strand->on.count; i++)
        for (uint32_t k = 0; k < strand->on.ranges[i].count; k++) {
            uint32_t v = strand->on.ranges[i].first + k;
            uint32_t lanes = control_ensemble_binding(strand->ensemble, v)->valid_lanes;
            strand->selected.lanes =
                lanes > strand->selected.lanes ? lanes : strand->selected.lanes;
            vrfs[n++] = v;
        }
    dtc_cover(vrfs, n, &strand->selected.ranges);
    strand->selected.known = true;
    free(vrfs);
}

uint32_t control_select_ranges(struct strand *strand) {
    if (!strand->selected.known)
        make_ranges(strand);
    return (uint32_t)strand->selected.ranges.len;
}

uint32_t control_select_lanes(const struct control *control, struct strand *strand) {
    return control->dp->tables.selects && control_select_ranges(strand) ? strand->selected.lanes
                                                                        : 0;
}

uint64_t control_select(struct control *control, struct strand *strand, uint32_t range,
                        uint32_t index) {
    const struct dtc_range *r = &strand->selected.ranges.data[range];
    const struct dp_selection s = {r->first, r->last, r->step, strand->selected.lanes};
    struct dp_cost cost = control_account_asked(control, strand->time_ps);
    control->dp->ops->select(control->dp, &s, &cost);
    control_account_uop_cost(control, strand->region, index, &cost);
    return cost.ps;
}

struct vrf_set control_select_set(struct strand *strand, uint32_t range) {
    const struct dtc_range *r = &strand->selected.ranges.data[range];
    vec_clear(&strand->selected.set);
    if (r->step == 1)
        vec_push(&strand->selected.set, ((struct vrf_range){r->first, r->last - r->first + 1}));
    for (uint32_t v = r->first; r->step > 1 && v <= r->last; v += r->step)
        vec_push(&strand->selected.set, ((struct vrf_range){v, 1}));
    return (struct vrf_set){strand->selected.set.data, strand->selected.set.len};
}
