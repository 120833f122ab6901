/* SPDX-License-Identifier: MIT
 * Code over several columns at a turn: each step is done for all of them, each column with planes
 * and scratch of its own. */
#include "machines/plane/run/native.h"

/* Of column `column`; constants are all columns'. */
static uint32_t operand_of(uint32_t operand, uint32_t column, uint32_t slots, uint32_t scratch) {
    uint32_t slot = operand / PLANE_STRIDE;
    if (!(operand & 1))
        return tile_operand(slot + column * slots);
    return slot < SLOT_SELECT ? operand : scratch_operand(slot + column * scratch);
}

struct plane_code_source plane_code_columns(const struct plane_code_source *source,
                                            unsigned columns) {
    struct plane_code_source all = *source;
    uint32_t named, scratch, slots = source->slots;
    uint32_t vector = source->vectors == PLANE_VECTORS_AVX512 ? 64 : 32;
    struct step_list steps = {0};
    struct plane_code_place *places = xcalloc((size_t)slots * columns + 1, sizeof *places);
    plane_code_slots(source, &named, &scratch);
    for (uint32_t i = 0; i < slots * columns; i++) {
        places[i] = source->places[i % slots];
        places[i].column = i / slots * vector;
    }
    for (size_t i = 0; i < source->count; i++)
        for (uint32_t c = 0; c < columns; c++) {
            const struct plane_step *s = &source->steps[i];
            struct plane_step step = {.dst = operand_of(s->dst, c, slots, scratch),
                                      .mask = operand_of(s->mask, c, slots, scratch),
                                      .kernel = s->kernel};
            for (unsigned k = 0; k < 3; k++)
                step.src[k] = operand_of(s->src[k], c, slots, scratch);
            vec_push(&steps, step);
        }
    all.steps = steps.data;
    all.count = steps.len;
    all.places = places;
    all.slots = slots * columns;
    return all;
}

void plane_code_columns_free(struct plane_code_source *columns) {
    free((void *)(uintptr_t)columns->steps);
    free((void *)(uintptr_t)columns->places);
}
