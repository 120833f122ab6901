/* SPDX-License-Identifier: MIT
 * Stages: where arrays lie, what comes to each lane, and what is made of all lanes.
 *
 * Elements of a length lie in the lanes of a group, from the first one on.  A window's units lie
 * with the elements that they begin with; a group's units in a group of their own.  What a filter
 * keeps stays where it is, beside a variable that says whether it is kept: what reads it asks that,
 * and `compact` brings it together when it goes into a buffer. */
#include "ezpim/stage/planner.h"

#include <string.h>

static void put_stage(struct stage_planner *p, const struct stage_stage *s) {
    const struct stage_kernel *k = p->w.o->kernel;
    uint32_t i = 0;
    stage_mark(&p->w, s->at);
    p->w.stage = s;
    p->w.places = ARENA_ARRAY(&p->w.arena, s->param_count + 1, struct stage_place);
    p->w.others = ARENA_ARRAY(&p->w.arena, s->param_count + 1, struct stage_place);
    p->w.keeps = NULL;
    p->w.skip_large = false;
    for (const struct stage_param *q = s->params; q && !p->w.failed; q = q->next)
        p->w.places[i++] = stage_see(p, s, q);
    if (p->w.failed)
        return;
    if (s->pattern == STAGE_REDUCE) {
        stage_put_reduce(p, s);
        return;
    }
    if (s->pattern == STAGE_FILTER) {
        for (uint32_t l = 0; l < k->length_count && !p->w.keeps; l++)
            if (k->lengths[l].kind == STAGE_KEPT && k->lengths[l].of == s->units &&
                k->lengths[l].unit == 1)
                for (const struct stage_param *q = s->params; q; q = q->next)
                    if (q->role == STAGE_OUT && k->arrays[q->array]->length == l)
                        p->w.keeps = p->homes[l].keeps;
        if (!p->w.keeps)
            p->w.keeps = stage_variable(p, "keep", (struct lane_type){TYPE_BOOL, 1}, 0,
                                        p->homes[s->units].group);
    }
    stage_put_compute(p, s);
    if (s->pattern == STAGE_FILTER)
        stage_end_filter(p, s);
    else
        stage_end_map(p, s);
}

/* A buffer for two parameters, one of which is written. */
static void check_aliases(struct stage_planner *p) {
    const struct stage_kernel *k = p->w.o->kernel;
    for (uint32_t i = 0; i < k->array_count; i++)
        for (uint32_t j = i + 1; j < k->array_count; j++) {
            const struct stage_stand_in *a = stage_stand_in_of(p, i), *b = stage_stand_in_of(p, j);
            if (a && a == b)
                stage_cannot(&p->w, k->arrays[j]->at, "'%s' and '%s' are one buffer",
                             k->arrays[i]->text, k->arrays[j]->text);
        }
}

bool stage_write_otherwise(struct stage_otherwise *o) {
    struct stage_planner p = {.w = {.o = o, .laps = 1}};
    const struct stage_kernel *k = o->kernel;
    p.homes = ARENA_ARRAY(&p.w.arena, k->length_count + 1, struct stage_home);
    p.arrays = ARENA_ARRAY(&p.w.arena, k->array_count + 1, struct stage_array_place);
    memset(p.homes, 0, (k->length_count + 1) * sizeof *p.homes);
    memset(p.arrays, 0, (k->array_count + 1) * sizeof *p.arrays);
    check_aliases(&p);
    if (!p.w.failed)
        stage_place_lengths(&p);
    for (const struct stage_stage *s = k->stages; s && !p.w.failed; s = s->next)
        put_stage(&p, s);
    arena_free(&p.w.arena);
    return !p.w.failed;
}
