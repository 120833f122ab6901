/* SPDX-License-Identifier: MIT
 * The strict engine: every micro-op in order, on every word of the set. */
#include "machines/plane/run/plane.h"

#include <string.h>

_Static_assert(sizeof((struct dp_clock *)0)->release_ps / sizeof(uint64_t) >= TIMING_RESOURCES,
               "a clock has a place for every resource");

static void plane_close(struct datapath *dp) {
    struct plane_machine *m = plane_of(dp);
    plane_codes_free(m);
    plane_tiles_free(m);
    recipe_set_free(m->own_recipes);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static bool check_target(const struct target *t, struct diag *d) {
    if (t->kind != &plane_target_kind) {
        diag_error(d, NO_SPAN, "target %s is not a plane machine", t->name);
        return false;
    }
    if (plane_target(t)->op_count > DP_MAX_KINDS) { /* the loader has no more; a caller may */
        diag_error(d, NO_SPAN, "target %s has %u ops; at most %d are possible", t->name,
                   plane_target(t)->op_count, DP_MAX_KINDS);
        return false;
    }
    return true;
}

static bool set_up(struct plane_machine *m, bool recipes, struct diag *d) {
    if (!check_target(m->target, d) || !plane_layout(m, d))
        return false;
    if (recipes && !m->setup.recipes)
        m->own_recipes = recipe_set_open(m->target, d);
    if (recipes)
        m->recipes = m->setup.recipes ? m->setup.recipes : m->own_recipes;
    return !recipes || m->recipes;
}

struct datapath *plane_open_with(const struct dp_setup *setup, const struct plane_kernels *kernels,
                                 bool recipes, struct diag *d) {
    struct plane_machine *m = xcalloc(1, sizeof *m);
    m->base.ops = &plane_strict_ops;
    m->base.has_cells = true;
    m->setup = *setup;
    m->target = setup->target;
    m->kernels = kernels;
    for (unsigned r = 0; r < 64; r++)
        m->reg_bits[r] = setup->reg_bits[r] < 64 ? setup->reg_bits[r] : 64;
    m->setup.reg_bits = m->reg_bits;
    pthread_mutex_init(&m->lock, NULL);
    if (set_up(m, recipes, d))
        return &m->base;
    plane_close(&m->base);
    return NULL;
}

static struct datapath *plane_open(const struct dp_setup *setup, struct diag *d) {
    return plane_open_with(setup, plane_kernels_best(), true, d);
}

const struct datapath_ops plane_strict_ops = {
    .name = "strict",
    .open = plane_open,
    .close = plane_close,
    .prepare = plane_prepare,
    .describe = plane_describe,
    .bind = plane_bind,
    .execute = plane_execute,
    .charge = plane_charge,
    .any = plane_any,
    .copy = plane_copy,
    .get = plane_get,
    .put = plane_put,
    .observe = plane_observe,
    .format = plane_format,
    .cell_text = plane_cell_text,
    .snapshot = plane_snapshot,
};
