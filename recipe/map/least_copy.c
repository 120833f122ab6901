/* SPDX-License-Identifier: MIT
 * The least copy of a row that a target's gates make, for recipes that are not mapped. */
#include "recipe/map/derive.h"
#include "recipe/map/memo.h"

const struct op_frame *mapping_frame(const struct recipe_set *set) {
    return &set->searches->copies->frame;
}

static bool uses_rows(const struct op_frame *frame, const struct step_template *template) {
    for (unsigned i = 0; i < template->step_count; i++)
        for (unsigned d = 0; d < template->steps[i].ndst; d++)
            if (frame->places[template->steps[i].dst[d]].kind == FRAME_ROW)
                return true;
    return false;
}

const struct step_template *mapping_copy_sequence(const struct recipe_set *set, bool inverting,
                                                  bool rows, unsigned index) {
    const struct derived *d = set->searches ? set->searches->copies : NULL;
    unsigned order[FRAME_INPUTS];
    uint8_t truth = inverting ? (uint8_t)~mapping_variables[0] : mapping_variables[0];
    const struct template_group *g = d ? mapping_derived_find(d, truth, order) : NULL;
    for (unsigned i = 0; g && i < g->count; i++)
        if (!g->list[i].stays && uses_rows(&d->frame, &g->list[i]) == rows && index-- == 0)
            return &g->list[i];
    return NULL;
}
