/* SPDX-License-Identifier: MIT
 * Code of a whole run that stays hot, stretch by stretch, where that takes fewer instructions of
 * the processor than code of its instructions one by one. */
#include "machines/plane/run/insn_forms.h"
#include "machines/plane/run/native_patterns.h"

/* Where each slot of the machine lies, all from its slot 0 on; the caller frees it. */
static struct plane_code_place *all_places(const struct plane_machine *machine) {
    struct plane_code_place *places = xcalloc((size_t)machine->slots + 1, sizeof *places);
    for (uint32_t k = 0; k < machine->slots; k++)
        places[k].offset = k * PLANE_STRIDE;
    return places;
}

/* What the instructions take one by one; steps of those without code count as a load, a function
 * and a store. */
static uint64_t ops_of_parts(const struct dp_code *code, const struct plane_part *parts) {
    uint64_t ops = 0;
    for (size_t i = 0; i < code->insn_count; i++) {
        const struct plane_pattern *p = parts[i].pattern;
        const struct plane_routine *made =
            p ? plane_pattern_made(p, plane_code_kind_of(code)) : NULL;
        ops += made ? made->ops : 3 * (uint64_t)code->forms[i]->step_count;
    }
    return ops;
}

/* False: some stretch has no code. */
static bool make_stretches(struct plane_machine *machine, const struct dp_code *code,
                           struct plane_fused *fused, uint64_t *ops) {
    struct plane_emission emission = {.bad = false};
    struct plane_code_place *places = all_places(machine);
    struct plane_code_source source = {.places = places,
                                       .slots = machine->slots,
                                       .vectors = machine->vectors,
                                       .fetches = true,
                                       .tiles = true,
                                       .extent = {machine->slots * PLANE_STRIDE}};
    uint32_t stretches = code->insn_lane_fj ? code->stretches : 1;
    bool fine = true;
    fused->routines = xcalloc((size_t)code->stretches + 1, sizeof *fused->routines);
    for (uint32_t i = 0; i < stretches && fine; i++) {
        source.steps = fused->steps + fused->stretch_steps[i];
        source.count = fused->stretch_steps[i + 1] - fused->stretch_steps[i];
        if (source.count == 0)
            continue;
        struct plane_routine *made = plane_code_emit(&source, &emission)
                                         ? plane_routine_make(&emission, machine->vectors)
                                         : NULL;
        fine = made != NULL;
        fused->routines[i] = made;
        if (!made)
            break;
        fused->code_bytes += made->size;
        *ops += made->ops;
        fused->spill_bytes =
            made->spill_bytes > fused->spill_bytes ? made->spill_bytes : fused->spill_bytes;
    }
    fused->routine_count = stretches;
    plane_emission_free(&emission);
    free(places);
    return fine;
}

void plane_run_code_free(struct plane_fused *fused) {
    for (uint32_t i = 0; fused->routines && i < fused->routine_count; i++)
        plane_routine_free(fused->routines[i]);
    free(fused->routines);
    fused->routines = NULL;
    fused->code_bytes = 0;
}

/* The whole does with a tenth less; or with less, and stays in the first-level cache. */
static bool pays(const struct plane_fused *fused, uint64_t ops, uint64_t one_by_one) {
    return 10 * ops < 9 * one_by_one || (ops < one_by_one && fused->code_bytes <= 32768);
}

void plane_run_code_make(struct plane_machine *machine, const struct dp_code *code,
                         const struct plane_part *parts, struct plane_fused *fused) {
    uint64_t ops = 0;
    if (!fused->steps || machine->setup.bits || machine->vectors == PLANE_VECTORS_NONE)
        return;
    if (!make_stretches(machine, code, fused, &ops) ||
        !pays(fused, ops, ops_of_parts(code, parts)) || fused->code_bytes > machine->compose_room) {
        plane_run_code_free(fused);
        return;
    }
    machine->compose_room -= fused->code_bytes;
}
