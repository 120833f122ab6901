/* SPDX-License-Identifier: MIT
 * From a run to its steps: expanded by the recipe table, translated, and kept for as long as the
 * machine. */
#include "machines/plane/run/code/patterns.h"
#include "recipe/set/words.h"

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

/* --- energy by enabled lanes --- */

static bool is_mask(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_M || PLANE_CLASS(plane) == PLANE_VALID;
}

static bool writes_m(const struct uop *uop) {
    bool writes = false;
    for (unsigned k = 0; k < uop->ndst; k++)
        writes |= PLANE_CLASS(uop->dst[k]) == PLANE_M;
    return writes;
}

/* What moves the mask itself reaches every lane; the mask gates all else. */
static bool is_gated(const struct uop *uop) {
    bool mask = writes_m(uop);
    for (unsigned k = 0; k < uop->nsrc; k++)
        mask |= is_mask(uop->src[k]);
    return !mask;
}

/* Adds what a gated micro-op takes in each enabled lane. */
static void count_lane(struct dp_code *code, const struct target *target, const struct uop *uop,
                       size_t insn) {
    const struct target_op *op = &plane_target(target)->ops[uop->kind];
    size_t at = code->insn_stretch[insn];
    add(&code->insn_lane_fj[insn], op->energy);
    add(&code->stretch_part_fj[at * PLANE_PARTS + op->class], op->energy);
    add(&code->stretch_kind_fj[at * plane_kinds(target) + uop->kind], op->energy);
}

/* Behind an instruction that writes M a new stretch begins. */
static void begin_insn(struct dp_code *code, size_t insn, size_t first, size_t step) {
    for (size_t i = insn ? code->insn_uops[insn - 1] : first; i < first; i++)
        if (writes_m(&code->uops.data[i])) {
            code->stretches++;
            break;
        }
    if (insn < code->insn_count) {
        code->insn_stretch[insn] = code->stretches - 1;
        code->insn_steps[insn] = step;
    }
}

/* Instructions that ignore the mask act on every lane. */
static bool goes_by_lanes(const struct dp_code *code, const struct uop *uop, bool unmasked) {
    return code->insn_lane_fj && !unmasked && is_gated(uop);
}

/* --- counts --- */

static void divide(uint64_t *list, size_t count, uint32_t parts) {
    for (size_t i = 0; list && i < count; i++)
        list[i] /= parts;
}

/* From the target's parts of a fJ, in which energies were added up, to fJ. */
static void settle_energies(struct dp_code *code, const struct target *target) {
    uint32_t parts = plane_target(target)->energy_parts;
    if (parts == 1)
        return;
    divide(code->energy_fj, PLANE_PARTS, parts);
    divide(code->insn_energy_fj, code->insn_count, parts);
    divide(code->kind_fj, plane_kinds(target), parts);
}

/* Adds the counts of one instruction's micro-ops, energies in the target's parts of a fJ. */
static void count_uops(struct dp_code *code, const struct target *target, const struct uop *uops,
                       size_t count, size_t insn, bool unmasked) {
    for (size_t i = 0; i < count; i++) {
        const struct target_op *op = &plane_target(target)->ops[uops[i].kind];
        uint64_t fj = plane_op_parts(target, op);
        bool word = !recipe_word_goes_on(target, &uops[i]);
        code->kinds[uops[i].kind] += word;
        code->micro_ops += word;
        code->insn_micro_ops[insn] += word;
        code->insn_slots[insn] += !uops[i].forwarded;
        if (goes_by_lanes(code, &uops[i], unmasked)) {
            count_lane(code, target, &uops[i], insn);
            continue;
        }
        add(&code->energy_fj[op->class], fj);
        add(&code->insn_energy_fj[insn], fj);
        if (code->kind_fj)
            add(&code->kind_fj[uops[i].kind], fj);
    }
}

static void code_free(struct plane_machine *machine, struct dp_code *code) {
    free(code->steps);
    if (code->placed)
        free(code->placed->steps);
    free(code->placed);
    plane_fused_free(atomic_load_explicit(&code->fused, memory_order_relaxed));
    plane_parts_free(machine, atomic_load_explicit(&code->parts, memory_order_relaxed),
                     code->insn_count);
    free(code->kinds);
    free(code->insn_micro_ops);
    free(code->insn_energy_fj);
    free(code->insn_slots);
    free(code->writes);
    free(code->insn_uops);
    free(code->lists);
    free(code->insn_done_ps);
    free(code->insn_lane_fj);
    free(code->insn_stretch);
    free(code->stretch_part_fj);
    free(code->stretch_kind_fj);
    free(code->kind_fj);
    free(code->insn_steps);
    vec_free(&code->uops);
    free(code);
}

static void link_code(struct plane_machine *machine, struct dp_code *code) {
    pthread_mutex_lock(&machine->lock);
    code->next = machine->codes;
    code->link = &machine->codes;
    if (code->next)
        code->next->link = &code->next;
    machine->codes = code;
    pthread_mutex_unlock(&machine->lock);
}

void plane_forget(struct datapath *dp, struct dp_code *code) {
    struct plane_machine *m = plane_of(dp);
    pthread_mutex_lock(&m->lock);
    *code->link = code->next;
    if (code->next)
        code->next->link = code->link;
    pthread_mutex_unlock(&m->lock);
    for (size_t i = 0; i < code->insn_count; i++)
        if (code->lists[i])
            recipe_timeline_drop(m->timeline, code->lists[i]);
    pthread_mutex_lock(&m->lock);
    code_free(m, code);
    pthread_mutex_unlock(&m->lock);
}

void plane_codes_free(struct plane_machine *machine) {
    while (machine->codes) {
        struct dp_code *code = machine->codes;
        machine->codes = code->next;
        code_free(machine, code);
    }
}

static void make_stretches(struct dp_code *code) {
    code->stretches = 1;
    code->insn_stretch = xcalloc(code->insn_count + 1, sizeof *code->insn_stretch);
    code->insn_steps = xcalloc(code->insn_count + 1, sizeof *code->insn_steps);
}

static void make_lanes(struct dp_code *code, size_t kinds) {
    size_t most = code->insn_count + 1;
    code->insn_lane_fj = xcalloc(most, sizeof *code->insn_lane_fj);
    code->stretch_part_fj = xcalloc(most * PLANE_PARTS, sizeof *code->stretch_part_fj);
    code->stretch_kind_fj = xcalloc(most * kinds + 1, sizeof *code->stretch_kind_fj);
    code->kind_fj = xcalloc(kinds + 1, sizeof *code->kind_fj);
}

static struct dp_code *code_new(const struct target *target, size_t insns) {
    struct dp_code *code = xcalloc(1, sizeof *code);
    code->insn_count = insns;
    code->kinds = xcalloc((size_t)plane_kinds(target) + 1, sizeof *code->kinds);
    code->insn_micro_ops = xcalloc(insns ? insns : 1, sizeof *code->insn_micro_ops);
    code->insn_energy_fj = xcalloc(insns ? insns : 1, sizeof *code->insn_energy_fj);
    code->insn_slots = xcalloc(insns ? insns : 1, sizeof *code->insn_slots);
    for (size_t i = 0; i < insns; i++)
        code->insn_slots[i] = 1;
    code->insn_uops = xcalloc(insns ? insns : 1, sizeof *code->insn_uops);
    code->lists = xcalloc(insns ? insns : 1, sizeof *code->lists);
    code->insn_done_ps = xcalloc(insns ? insns : 1, sizeof *code->insn_done_ps);
    make_stretches(code);
    if (plane_counts_lanes(target))
        make_lanes(code, plane_kinds(target));
    else if (plane_target(target)->energy_parts > 1 || plane_target(target)->partitioned)
        code->kind_fj = xcalloc((size_t)plane_kinds(target) + 1, sizeof *code->kind_fj);
    return code;
}

/* Steps and counts of the micro-ops behind `first`, one instruction. */
static bool add_instruction(struct dp_code *code, struct run_translation *translation, size_t first,
                            size_t insn, bool unmasked) {
    const struct uop *uops = vec_from(&code->uops, first);
    size_t count = code->uops.len - first;
    begin_insn(code, insn, first, translation->steps.len);
    if (!plane_translate(translation, uops, count))
        return false;
    count_uops(code, translation->machine->target, uops, count, insn, unmasked);
    return true;
}

/* Marks, some steps before a plane of a tile is used for the first time, that it should be fetched
 * from memory: the latency of the third-level cache is that of about AHEAD steps on a full tile.
 * Each step fetches at most one plane. */
void plane_plan_fetches(const struct plane_machine *machine, struct step_list *steps) {
    enum { AHEAD = 12 };
    uint32_t slots =
        machine->setup.bits ? PLANE_NAME_SLOT(machine->first_slot, 64, 0) : machine->slots;
    uint8_t *seen = xcalloc(slots, 1);
    size_t next = 0; /* first step that fetches nothing yet */
    for (size_t i = 0; i < steps->len; i++) {
        const uint32_t used[] = {steps->data[i].src[0], steps->data[i].src[1],
                                 steps->data[i].src[2], steps->data[i].dst};
        for (size_t k = 0; k < sizeof used / sizeof *used; k++) {
            uint32_t slot = used[k] / PLANE_STRIDE;
            if (used[k] & 1 || seen[slot])
                continue;
            seen[slot] = 1;
            if (i > AHEAD && next < i - AHEAD)
                next = i - AHEAD;
            if (next < i)
                steps->data[next++].ahead = used[k];
        }
    }
    free(seen);
}

/* Hands the code to the machine, or frees it when `good` is false. */
static struct dp_code *finish(struct plane_machine *machine, struct dp_code *code,
                              struct run_translation *translation, bool good) {
    plane_plan_fetches(machine, &translation->steps);
    code->steps = translation->steps.data;
    code->step_count = translation->steps.len;
    code->scratch_slots = translation->scratch_slots;
    translation->steps.data = NULL;
    plane_translation_free(translation);
    if (!good) {
        code_free(machine, code);
        return NULL;
    }
    settle_energies(code, machine->target);
    if (machine->setup.bits)
        code->placed = xcalloc(1, sizeof *code->placed);
    plane_count_writes(code);
    link_code(machine, code);
    return code;
}

/* From the program's code, where the machine has it. */
static bool expand_insn(const struct plane_machine *machine, const struct insn *insn, bool masked,
                        struct dp_code *code, struct diag *diag) {
    if (machine->setup.code)
        return recipe_table_expand(plane_table(machine->setup.code), insn, masked, &code->uops,
                                   diag);
    return recipe_expand(machine->recipes, insn, masked, &code->uops, diag);
}

/* Expands and translates all instructions. */
static bool expand_run(struct plane_machine *machine, const struct dp_run *run,
                       struct dp_code *code, struct run_translation *translation) {
    bool masked = run->masked;
    for (size_t i = 0; i < run->count; i++) {
        size_t first = code->uops.len;
        uint32_t flags = isa_info(run->insns[i].op)->flags;
        code->insn_uops[i] = (uint32_t)first;
        if (!expand_insn(machine, &run->insns[i], masked, code, translation->diag) ||
            !add_instruction(code, translation, first, i, flags & ISA_UNMASKED))
            return false;
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    begin_insn(code, run->count, code->uops.len, translation->steps.len);
    return true;
}

/* Instruction by instruction, from an idle machine on. */
static bool schedule(const struct plane_machine *machine, struct dp_code *code, struct diag *diag) {
    const char *error = NULL;
    uint64_t at = 0;
    uint32_t state = 0;
    for (size_t i = 0; i < code->insn_count; i++) {
        size_t first = code->insn_uops[i];
        size_t end = i + 1 < code->insn_count ? code->insn_uops[i + 1] : code->uops.len;
        code->lists[i] = recipe_timeline_list(machine->timeline, vec_from(&code->uops, first),
                                              end - first, &error);
        if (!code->lists[i])
            break;
        const struct timing_advance *x = recipe_timeline_advance(
            machine->timeline, code->lists[i], state, plane_slot_ps(machine, code->lists[i]));
        uint64_t done = sat_add(at, x->done_ps);
        code->latency_ps = done > code->latency_ps ? done : code->latency_ps;
        code->insn_done_ps[i] = code->latency_ps;
        at = sat_add(at, x->issued_ps);
        state = x->state;
    }
    if (!error && code->latency_ps == UINT64_MAX)
        error = "the time does not fit 64 bits";
    if (error)
        diag_error(diag, NO_SPAN, "the run cannot be timed on target %s: %s", machine->target->name,
                   error);
    return !error;
}

struct dp_code *plane_prepare(struct datapath *dp, const struct dp_run *run, struct diag *diag) {
    struct plane_machine *m = plane_of(dp);
    struct dp_code *code = code_new(m->target, run->count);
    struct run_translation t = {.machine = m, .diag = diag};
    bool good = expand_run(m, run, code, &t) && schedule(m, code, diag);
    return finish(m, code, &t, good);
}

struct dp_code *plane_prepare_uops(struct datapath *dp, const struct uop *uops, size_t count,
                                   struct diag *diag) {
    struct plane_machine *m = plane_of(dp);
    struct dp_code *code = code_new(m->target, 1);
    struct run_translation t = {.machine = m, .diag = diag};
    const char *none;
    for (size_t i = 0; i < count; i++)
        vec_push(&code->uops, uops[i]);
    code->lists[0] = recipe_timeline_list(m->timeline, uops, 0, &none);
    return finish(m, code, &t, add_instruction(code, &t, 0, 0, false));
}

/* One step on one word of a plane, when it goes over whole tiles: 200 to 300 lanes a ns
 * (bench/README.md, add64_G_uop_bits_per_s). */
#define PLANE_STEP_HOST_PS 250

/* Steps lie there a second time where registers have places of their own, and as often once more
 * when they are composed. */
static uint64_t host_bytes(const struct plane_machine *machine, const struct dp_code *code) {
    uint64_t steps = code->step_count * (machine->setup.bits ? 2 : 1) *
                     (machine->compose_at < UINT64_MAX ? 2 : 1);
    uint64_t counts = 8 * (code->insn_count + plane_kinds(machine->target));
    return sizeof *code + code->uops.cap * sizeof *code->uops.data + steps * sizeof *code->steps +
           code->write_count * sizeof *code->writes + 8 * counts;
}

static uint64_t issue_slots(const struct dp_code *code) {
    uint64_t slots = 0;
    for (size_t i = 0; i < code->insn_count; i++)
        slots += code->insn_slots[i];
    return slots;
}

void plane_describe(const struct datapath *dp, const struct dp_code *code,
                    struct dp_description *out) {
    uint64_t word_steps = sat_mul(code->step_count, plane_of_const(dp)->words_per_vrf);
    *out = (struct dp_description){
        .form = code->insn_lane_fj ? DP_COST_LANES : DP_COST_FIXED,
        .micro_ops = code->micro_ops,
        .uops = code->kinds,
        .energy_fj = code->energy_fj,
        .insn_micro_ops = code->insn_micro_ops,
        .insn_energy_fj = code->insn_energy_fj,
        .insn_lane_fj = code->insn_lane_fj,
        .lane_parts = plane_target(plane_of_const(dp)->target)->energy_parts,
        .insn_stretch = code->insn_stretch,
        .stretches = code->stretches,
        .stretch_part_fj = code->stretch_part_fj,
        .stretch_kind_fj = code->stretch_kind_fj,
        .kind_fj = code->kind_fj,
        .insn_done_ps = code->insn_done_ps,
        .latency_ps = code->latency_ps,
        .issue_slots = issue_slots(code),
        .insn_issue_slots = code->insn_slots,
        .writes = code->writes,
        .write_count = code->write_count,
        .host_ps = sat_mul(word_steps, PLANE_STEP_HOST_PS),
        .host_bytes = host_bytes(plane_of_const(dp), code),
    };
}
