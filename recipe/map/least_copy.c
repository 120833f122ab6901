/* SPDX-License-Identifier: MIT
 * The least copy of a row that a target's gates make, for recipes that are not mapped, and for
 * values that have to lie in rows of two classes. */
#include "recipe/map/derive.h"
#include "recipe/map/map.h"
#include "recipe/map/memo.h"

#include "support/alloc.h"

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

static const struct derived *between(struct recipe_set *set, unsigned from, unsigned to) {
    const struct plane_target *t = plane_target(set->target);
    struct search_memo *memo = set->searches;
    if (!memo->between)
        memo->between = ARENA_ARRAY(&set->arena, (size_t)t->row_class_count * t->row_class_count,
                                    const struct derived *);
    const struct derived **known = &memo->between[from * t->row_class_count + to];
    if (!*known)
        *known = mapping_derive_between(&set->arena, set->target, mapping_cost_unit(set->target),
                                        (int)from, (int)to);
    return *known;
}

const struct step_template *mapping_copy_between(const struct recipe_set *set, unsigned from,
                                                 unsigned to, unsigned index, uint32_t *cost,
                                                 const struct op_frame **frame) {
    struct alloc_lock lock;
    if (!set->searches)
        return NULL;
    recipe_set_lock(set, &lock);
    const struct derived *d = between((struct recipe_set *)(uintptr_t)set, from, to);
    alloc_unlock(&lock);
    *frame = &d->frame;
    *cost = d->group_count ? d->groups[0].cost : 0;
    return d->group_count && index < d->groups[0].count && !d->groups[0].list[index].stays
               ? &d->groups[0].list[index]
               : NULL;
}
