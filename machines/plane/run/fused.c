/* SPDX-License-Identifier: MIT
 * The steps of a run as functions of the planes that it finds; stretch by stretch where enabled
 * lanes are counted between two of them (no scratch is read across instructions). */
#include "machines/plane/run/native_patterns.h"

/* What the composed steps take at most, twice where registers have places of their own. */
static uint64_t most_bytes(const struct plane_machine *machine, size_t count) {
    return sizeof(struct plane_fused) +
           sizeof(struct plane_step) * (uint64_t)count * (machine->setup.bits ? 2 : 1);
}

static void free_steps(struct plane_machine *machine, struct plane_fused *fused) {
    if (fused->steps)
        machine->compose_room += most_bytes(machine, fused->count);
    free(fused->steps);
    fused->steps = NULL;
}

void plane_fused_free(struct plane_machine *machine, struct plane_fused *fused) {
    if (!fused)
        return;
    machine->compose_room += fused->code_bytes;
    plane_run_code_free(fused);
    free_steps(machine, fused);
    free(fused->stretch_steps);
    free(fused->placed.steps);
    free(fused);
}

/* Where the steps of a stretch end that begins with the instruction *insn; that moves on. */
static size_t stretch_end(const struct dp_code *code, size_t *insn) {
    const size_t first = *insn;
    while (*insn < code->insn_count && code->insn_stretch[*insn] == code->insn_stretch[first])
        ++*insn;
    return *insn < code->insn_count ? code->insn_steps[*insn] : code->step_count;
}

/* False if a step reads what no step wrote, or too much is held at once. */
static bool compose_stretch(struct plane_functions *functions, const struct dp_code *code,
                            size_t first, size_t end, struct step_list *steps,
                            uint32_t *scratch_slots) {
    plane_functions_read(functions, code->steps + first, end - first);
    if (functions->unknown)
        return false;
    plane_functions_cover(functions);
    plane_functions_write(functions, steps, scratch_slots);
    return *scratch_slots <= PLANE_MAX_SCRATCH;
}

static struct plane_fused *compose(struct plane_machine *machine, const struct dp_code *code) {
    struct plane_fused *fused = xcalloc(1, sizeof *fused);
    struct plane_functions functions = {.unknown = false};
    struct step_list steps = {0};
    size_t insn = 0, end = 0;
    bool fine = code->step_count <= PLANE_FUSED_STEPS &&
                most_bytes(machine, code->step_count) <= machine->compose_room;
    uint32_t stretches = code->insn_lane_fj ? code->stretches : 1;
    fine = fine && plane_code_place_all(machine, code);
    fused->stretch_steps = xcalloc((size_t)code->stretches + 1, sizeof *fused->stretch_steps);
    fused->scratch_slots = SLOT_FIRST;
    for (uint32_t i = 0; i < stretches && fine; i++) {
        size_t first = end;
        end = code->insn_lane_fj ? stretch_end(code, &insn) : code->step_count;
        fine = compose_stretch(&functions, code, first, end, &steps, &fused->scratch_slots);
        fused->stretch_steps[i + 1] = steps.len;
    }
    plane_functions_free(&functions);
    if (fine && steps.len < code->step_count) {
        plane_plan_fetches(machine, &steps);
        fused->steps = xreallocarray(steps.data, steps.len + 1, sizeof *steps.data);
        fused->count = steps.len;
        machine->compose_room -= most_bytes(machine, fused->count);
    } else {
        vec_free(&steps);
    }
    return fused;
}

/* Once the code has worked on `at` words; parts: NULL, or its instructions, for code of the whole.
 */
static struct plane_fused *fused_at(struct plane_machine *machine, struct dp_code *code,
                                    const struct plane_part *parts, uint64_t words, uint64_t at) {
    struct plane_fused *fused = atomic_load_explicit(&code->fused, memory_order_acquire);
    if (fused)
        return fused;
    uint64_t worked = atomic_fetch_add_explicit(&code->worked, words, memory_order_relaxed);
    if (worked + words < at)
        return NULL;
    struct alloc_lock lock;
    alloc_lock(&lock, &machine->lock);
    fused = atomic_load_explicit(&code->fused, memory_order_relaxed);
    if (!fused) {
        fused = compose(machine, code);
        if (parts) { /* with code of the whole, or of its instructions, nobody executes them */
            plane_run_code_make(machine, code, parts, fused);
            free_steps(machine, fused);
        }
        atomic_store_explicit(&code->fused, fused, memory_order_release);
    }
    alloc_unlock(&lock);
    return fused;
}

struct plane_fused *plane_fused_of(struct plane_machine *machine, struct dp_code *code,
                                   uint64_t words) {
    struct plane_fused *fused = fused_at(machine, code, NULL, words, machine->compose_at);
    return fused && fused->steps ? fused : NULL;
}

struct plane_fused *plane_fused_code_of(struct plane_machine *machine, struct dp_code *code,
                                        const struct plane_part *parts, uint64_t words) {
    struct plane_fused *fused = NULL;
    if (code->insn_count > 1 && !machine->setup.bits)
        fused = fused_at(machine, code, parts, words, machine->whole_at);
    return fused && fused->routines ? fused : NULL;
}
