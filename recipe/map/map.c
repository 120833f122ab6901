/* SPDX-License-Identifier: MIT
 * The mapping as a whole; mapping.h says which steps it takes. */
#include "recipe/expand/expand.h"
#include "recipe/map/derive.h"
#include "recipe/map/memo.h"

static struct recipe *start_recipe(struct recipe_set *set, const struct recipe *recipe) {
    struct recipe *made = ARENA_NEW(&set->arena, struct recipe);
    *made = *recipe;
    made->expects = NULL;
    made->expect_count = 0;
    made->unit.scope = (struct scope){NULL, 0, 0};
    made->unit.body = NULL;
    made->unit.generic = false;
    made->unit.mapped = true;
    return made;
}

static bool read_segments(struct mapping *mapping) {
    for (size_t i = 0; i < mapping->segments.len; i++)
        if (!mapping_read_logic(mapping, mapping->segments.data[i]) ||
            !mapping_cut_blocks(mapping, mapping->segments.data[i]))
            return false;
    return true;
}

static void release(struct mapping *mapping) {
    for (size_t i = 0; i < mapping->segments.len; i++) {
        struct segment *s = mapping->segments.data[i];
        vec_free(&s->values);
        vec_free(&s->defs);
        vec_free(&s->writes);
        vec_free(&s->blocks);
    }
    vec_free(&mapping->segments);
    vec_free(&mapping->names);
    map_free(&mapping->name_index);
    map_free(&mapping->name_numbers);
    vec_free(&mapping->phases);
    vec_free(&mapping->temporaries);
    vec_free(&mapping->expected);
    arena_free(&mapping->scratch);
}

#define MANY_STATEMENTS 600
#define LONG_BODY       6000 /* statements; the logic of large tables */

static void choose_effort(struct mapping *mapping) {
    mapping->long_body = mapping->stmt_count > LONG_BODY;
    if (mapping->source->op == OP_LUT)
        mapping->effort = mapping->stmt_count > MANY_STATEMENTS ? EFFORT_LEAST : EFFORT_SHORT;
}

struct recipe *mapping_run(struct recipe_set *set, const struct recipe *recipe, struct diag *diag) {
    struct mapping m = {.set = set, .source = recipe, .diag = diag};
    m.made = start_recipe(set, recipe);
    mapping_find_gates(&m);
    bool fine = mapping_put_subs(&m);
    choose_effort(&m);
    fine = fine && mapping_cut_parts(&m) && read_segments(&m) && mapping_choose_phases(&m) &&
           mapping_emit_body(&m);
    mapping_kept_write(set);
    release(&m);
    return fine ? m.made : NULL;
}

/* --- copies --- */

/* Any register or scratch value to any other, as long as nothing demands that it lie elsewhere. */
static bool copies_rows(const struct target *target) {
    int registers = (int)plane_target(target)->register_class;
    int scratch = expand_plain_scratch_class(target);
    return mapping_frame_copies(target, registers, registers) &&
           (scratch < 0 || (mapping_frame_copies(target, registers, scratch) &&
                            mapping_frame_copies(target, scratch, registers)));
}

void mapping_prepare(struct recipe_set *set) {
    struct mapping m = {.set = set};
    if (!plane_target(set->target)->op_count || copies_rows(set->target))
        return;
    mapping_find_gates(&m);
    if (!set->searches->copies)
        set->searches->copies =
            mapping_derive_copies(&set->arena, set->target, mapping_cost_unit(set->target));
}

uint64_t mapping_function_cost(struct recipe_set *set, uint8_t truth) {
    struct mapping m = {.set = set};
    struct request request = {.input_count = SEARCH_MAX_INPUTS, .output_count = 1};
    struct solved solved;
    mapping_find_gates(&m);
    for (unsigned i = 0; i < SEARCH_MAX_INPUTS; i++)
        request.places[i] = SEARCH_ROW;
    request.outputs[0] = (struct search_output){.truth = truth, .place = SEARCH_ROW};
    mapping_solve(&m, &request, &solved);
    return solved.found ? solved.program->cost : UINT32_MAX;
}

const char *mapping_why_missing(const struct recipe_set *set) {
    struct mapping m = {.set = (struct recipe_set *)(uintptr_t)set};
    if (!set->searches)
        return NULL; /* nothing was mapped yet, so nothing was missing */
    mapping_find_gates(&m);
    return mapping_refusal(&m);
}
