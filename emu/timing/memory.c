/* SPDX-License-Identifier: MIT
 * What the model knows of batches grows with the ways that a program takes through its bodies; when
 * it gets too much, it is forgotten and worked out anew. */
#include "emu/timing/engine.h"

#include "support/saturate.h"

void timing_add_uses(struct timing *t) {
    for (size_t i = 0; i < t->model.times.len; i++) {
        struct batch_time *b = t->model.times.data[i];
        for (uint32_t k = 0; k < b->share_count; k++) {
            const struct time_share *s = &b->shares[k];
            timing_add(&t->insn_ps[s->index], sat_mul(s->ps, b->uses));
            timing_add(&t->insn_cycles[s->index], sat_mul(s->cycles, b->uses));
        }
        b->uses = 0;
    }
}

/* A way that an event is going to take, with its number among `paths`. */
static void keep_path(struct batch_model *m, const struct map *paths, uint32_t *path) {
    uint32_t count;
    const struct step *steps = timing_path_steps(paths, *path, &count);
    struct path_record r = {0};
    for (uint32_t i = 0; i < count; i++)
        vec_push(&r.steps, steps[i]);
    *path = timing_batch_path(m, &r);
    timing_path_record_free(&r);
}

static void keep_paths(struct batch_model *m, const struct map *paths, const struct mpu_time *u) {
    for (size_t i = u->next; i < u->events.len; i++) {
        struct timing_compute *x = &u->events.data[i].compute;
        if (u->events.data[i].kind != EVENT_COMPUTE)
            continue;
        for (uint32_t k = 0; k < (x->same_path ? 1 : x->count); k++)
            keep_path(m, paths, (uint32_t *)(uintptr_t)&x->paths[k]);
    }
}

static void keep_contents(struct batch_model *m, const struct map *contents, uint32_t *number) {
    const struct map_entry *e = &contents->entries[*number];
    *number = map_number(&m->recipes.contents, e->key, e->key_len);
}

void timing_save_memory(struct timing *t) {
    struct batch_model *m = &t->model;
    if (timing_batch_model_bytes(m) <= m->room)
        return;
    struct map paths = m->paths, contents = m->recipes.contents;
    timing_add_uses(t);
    m->paths = m->recipes.contents = (struct map){0};
    timing_batch_model_forget(m);
    for (uint32_t i = 0; i < t->setup.mpu_count; i++) {
        keep_paths(m, &paths, &t->mpus[i]);
        keep_contents(m, &contents, &t->mpus[i].recipes);
        for (uint32_t k = 0; k < t->target->controllers; k++)
            keep_contents(m, &contents, &t->mpus[i].controllers[k].recipes);
    }
    if (timing_batch_model_bytes(m) > m->room / 2) /* not too often, if most of it is needed */
        m->room = 2 * timing_batch_model_bytes(m);
    map_free(&paths);
    map_free(&contents);
}
