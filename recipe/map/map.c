/* SPDX-License-Identifier: MIT
 * The mapping as a whole; mapping.h says which steps it takes. */
#include "recipe/map/derive.h"
#include "recipe/map/memo.h"

static struct recipe *start_recipe(struct recipe_set *s, const struct recipe *g) {
    struct recipe *made = ARENA_NEW(&s->arena, struct recipe);
    *made = *g;
    made->expects = NULL;
    made->expect_count = 0;
    made->unit.scope = (struct scope){NULL, 0, 0};
    made->unit.body = NULL;
    made->unit.generic = false;
    made->unit.mapped = true;
    return made;
}

static bool read_segments(struct mapping *m) {
    for (size_t i = 0; i < m->segments.len; i++)
        if (!mapping_read_logic(m, m->segments.data[i]) ||
            !mapping_cut_blocks(m, m->segments.data[i]))
            return false;
    return true;
}

static void release(struct mapping *m) {
    for (size_t i = 0; i < m->segments.len; i++) {
        struct segment *s = m->segments.data[i];
        vec_free(&s->values);
        vec_free(&s->defs);
        vec_free(&s->writes);
        vec_free(&s->blocks);
    }
    vec_free(&m->segments);
    vec_free(&m->names);
    map_free(&m->name_index);
    map_free(&m->name_numbers);
    vec_free(&m->phases);
    vec_free(&m->temporaries);
    arena_free(&m->scratch);
}

struct recipe *mapping_run(struct recipe_set *s, const struct recipe *g, struct diag *d) {
    struct mapping m = {.set = s, .source = g, .diag = d};
    m.made = start_recipe(s, g);
    mapping_find_gates(&m);
    bool fine = mapping_put_subs(&m) && mapping_cut_parts(&m) && read_segments(&m) &&
                mapping_choose_phases(&m) && mapping_emit_body(&m);
    release(&m);
    return fine ? m.made : NULL;
}

/* --- copies --- */

static bool copies_rows(const struct target *t) {
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (mapping_op_is_copy(&plane_target(t)->ops[i]) &&
            plane_target(t)->ops[i].class != OPCLASS_CROSSING)
            return true;
    return false;
}

void mapping_prepare(struct recipe_set *s) {
    struct mapping m = {.set = s};
    if (plane_target(s->target)->op_count && !copies_rows(s->target))
        mapping_find_gates(&m);
}

const char *mapping_missing_function(const struct recipe_set *s) {
    struct mapping m = {.set = (struct recipe_set *)(uintptr_t)s};
    if (!s->searches)
        return NULL; /* nothing was mapped yet, so nothing was missing */
    mapping_find_gates(&m);
    return mapping_refuse_function(&m);
}
