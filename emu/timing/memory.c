/* SPDX-License-Identifier: MIT
 * The known times of batches grow in number with the ways that a program takes through its bodies.
 * When they take too much memory they are forgotten, and worked out anew where they are needed. */
#include "emu/timing/engine.h"

#include "support/saturate.h"

void timing_add_uses(struct timing *timing) {
    for (size_t i = 0; i < timing->model.times.len; i++) {
        struct batch_time *b = timing->model.times.data[i];
        for (uint32_t k = 0; k < b->share_count; k++) {
            const struct time_share *s = &b->shares[k];
            timing_add(&timing->insn_ps[s->index], sat_mul(s->ps, b->uses));
            timing_add(&timing->insn_cycles[s->index], sat_mul(s->cycles, b->uses));
        }
        b->uses = 0;
    }
}

/* A way that an event is going to take, with its number among `paths`. */
static void keep_path(struct batch_model *model, const struct map *paths, uint32_t *path) {
    uint32_t count;
    const struct step *steps = timing_path_steps(paths, *path, &count);
    struct path_record r = {0};
    for (uint32_t i = 0; i < count; i++)
        vec_push(&r.steps, steps[i]);
    *path = timing_batch_path(model, &r);
    timing_path_record_free(&r);
}

static void keep_paths(struct batch_model *model, const struct map *paths,
                       const struct timing_mpu *time) {
    for (size_t i = time->next; i < time->events.len; i++) {
        struct timing_compute *x = &time->events.data[i].compute;
        if (time->events.data[i].kind != EVENT_COMPUTE)
            continue;
        for (uint32_t k = 0; k < (x->same_path ? 1 : x->count); k++)
            keep_path(model, paths, (uint32_t *)(uintptr_t)&x->paths[k]);
    }
}

static void keep_contents(struct batch_model *model, const struct map *contents, uint32_t *number) {
    const struct map_entry *e = &contents->entries[*number];
    *number = map_number(&model->recipes.contents, e->key, e->key_len);
}

void timing_save_memory(struct timing *timing) {
    struct batch_model *m = &timing->model;
    if (timing_batch_model_bytes(m) <= m->room && m->measured_bytes <= m->measured_room)
        return;
    struct map paths = m->paths, contents = m->recipes.contents;
    timing_add_uses(timing);
    m->paths = m->recipes.contents = (struct map){0};
    timing_batch_model_forget(m);
    for (uint32_t i = 0; i < timing->setup.mpu_count; i++) {
        keep_paths(m, &paths, &timing->mpus[i]);
        keep_contents(m, &contents, &timing->mpus[i].recipes);
        for (uint32_t k = 0; k < timing->target->controllers; k++)
            keep_contents(m, &contents, &timing->mpus[i].controllers[k].recipes);
    }
    if (timing_batch_model_bytes(m) > m->room / 2) /* not too often, if most of it is needed */
        m->room = 2 * timing_batch_model_bytes(m);
    if (m->measured_bytes > m->measured_room / 2)
        m->measured_room = 2 * m->measured_bytes;
    map_free(&paths);
    map_free(&contents);
}
