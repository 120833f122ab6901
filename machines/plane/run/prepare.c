/* SPDX-License-Identifier: MIT
 * From a run to its steps, those of its instructions' forms, kept for as long as the machine. */
#include "machines/plane/run/native_patterns.h"
#include "machines/plane/run/insn_forms.h"

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
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

/* Adds what a form takes in each enabled lane. */
static void count_lanes(struct dp_code *code, const struct target *target,
                        const struct plane_form_kind *kind, size_t insn) {
    size_t at = code->insn_stretch[insn];
    add(&code->insn_lane_fj[insn], kind->lane_fj);
    add(&code->stretch_part_fj[at * PLANE_PARTS + plane_target(target)->ops[kind->kind].class],
        kind->lane_fj);
    add(&code->stretch_kind_fj[at * plane_kinds(target) + kind->kind], kind->lane_fj);
}

/* Adds the counts of an instruction, energies in the target's parts of a fJ. */
static void count_form(struct dp_code *code, const struct target *target, size_t insn) {
    const struct plane_form *form = code->forms[insn];
    code->micro_ops += form->micro_ops;
    code->insn_micro_ops[insn] = form->micro_ops;
    code->insn_slots[insn] += form->uop_slots;
    for (size_t i = 0; i < form->kind_count; i++) {
        const struct plane_form_kind *k = &form->kinds[i];
        code->kinds[k->kind] += k->words;
        add(&code->energy_fj[plane_target(target)->ops[k->kind].class], k->parts);
        add(&code->insn_energy_fj[insn], k->parts);
        if (code->kind_fj)
            add(&code->kind_fj[k->kind], k->parts);
        if (code->insn_lane_fj)
            count_lanes(code, target, k, insn);
    }
}

/* Behind an instruction that writes M a new stretch begins. */
static void count_forms(struct dp_code *code, const struct target *target) {
    for (size_t i = 0; i < code->insn_count; i++) {
        code->insn_stretch[i] = code->stretches - 1;
        code->insn_steps[i] = code->step_count;
        code->step_count += code->forms[i]->step_count;
        if (code->forms[i]->scratch_slots > code->scratch_slots)
            code->scratch_slots = code->forms[i]->scratch_slots;
        count_form(code, target, i);
        code->stretches += code->forms[i]->writes_m;
    }
}

/* Where registers have places of their own they lie there a second time. */
static uint64_t step_bytes(const struct plane_machine *machine, const struct dp_code *code) {
    return sizeof(struct plane_step) * ((uint64_t)code->step_count + 1) *
           (machine->setup.bits ? 2 : 1);
}

static void free_steps(struct plane_machine *machine, struct dp_code *code) {
    if (code->steps)
        machine->step_room += step_bytes(machine, code);
    free(code->steps);
}

static void code_free(struct plane_machine *machine, struct dp_code *code) {
    for (size_t i = 0; i < code->insn_count; i++)
        if (code->forms[i] && !code->forms[i]->kept)
            plane_form_leave(machine, (struct plane_form *)(uintptr_t)code->forms[i]);
    free_steps(machine, code);
    if (code->placed)
        free(code->placed->steps);
    free(code->placed);
    plane_fused_free(machine, atomic_load_explicit(&code->fused, memory_order_relaxed));
    plane_parts_free(machine, atomic_load_explicit(&code->parts, memory_order_relaxed),
                     code->insn_count);
    free(code->kinds);
    free(code->insn_micro_ops);
    free(code->insn_energy_fj);
    free(code->insn_slots);
    free(code->writes);
    free(code->forms);
    free(code->origins);
    free(code->registers);
    free((void *)code->placed_insns);
    free(code->lists);
    free(code->insn_done_ps);
    free(code->insn_lane_fj);
    free(code->insn_stretch);
    free(code->stretch_part_fj);
    free(code->stretch_kind_fj);
    free(code->kind_fj);
    free(code->insn_steps);
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

static void drop_lists(struct plane_machine *machine, const struct dp_code *code) {
    for (size_t i = 0; i < code->insn_count; i++)
        if (code->lists[i] && (!code->forms[i] || !code->forms[i]->kept))
            recipe_timeline_drop(machine->timeline, code->lists[i]);
}

void plane_forget(struct datapath *dp, struct dp_code *code) {
    struct plane_machine *m = plane_of(dp);
    pthread_mutex_lock(&m->lock);
    *code->link = code->next;
    if (code->next)
        code->next->link = code->link;
    pthread_mutex_unlock(&m->lock);
    drop_lists(m, code);
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
    code->forms = xcalloc(insns ? insns : 1, sizeof *code->forms);
    code->registers = xcalloc(insns ? insns : 1, sizeof *code->registers);
    code->lists = xcalloc(insns ? insns : 1, sizeof *code->lists);
    code->insn_done_ps = xcalloc(insns ? insns : 1, sizeof *code->insn_done_ps);
    make_stretches(code);
    if (plane_counts_lanes(target))
        make_lanes(code, plane_kinds(target));
    else if (plane_target(target)->energy_parts > 1 || plane_target(target)->partitioned)
        code->kind_fj = xcalloc((size_t)plane_kinds(target) + 1, sizeof *code->kind_fj);
    return code;
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

static void place_insn(const struct plane_machine *machine, const struct dp_code *code,
                       size_t insn) {
    plane_form_place(machine, code->forms[insn], &code->registers[insn], machine->setup.bits > 0,
                     code->steps + code->insn_steps[insn]);
}

/* Memory for the steps, where all forms are there and the machine has room for it. */
static bool make_steps(struct plane_machine *machine, const struct dp_code *code) {
    if (code->steps)
        return true;
    if (code->origins || !plane_room_take(&machine->step_room, step_bytes(machine, code)))
        return false;
    /* What others see of the code does not change with it. */
    ((struct dp_code *)(uintptr_t)code)->steps =
        xreallocarray(NULL, code->step_count + 1, sizeof *code->steps);
    return true;
}

/* Nobody executes them where costs alone are asked for, and few where there is code. */
static void place_steps(struct plane_machine *machine, struct dp_code *code) {
    if (machine->setup.costs_only)
        return;
    if (machine->vectors) {
        code->placed_insns = xcalloc(code->insn_count + 1, sizeof *code->placed_insns);
        return;
    }
    if (!make_steps(machine, code))
        return;
    for (size_t i = 0; i < code->insn_count; i++)
        place_insn(machine, code, i);
    plane_plan_fetches(machine, &(struct step_list){code->steps, code->step_count, 0});
}

static bool is_placed(const struct dp_code *code, size_t insn) {
    return !code->placed_insns ||
           atomic_load_explicit(&code->placed_insns[insn], memory_order_acquire);
}

/* Under the machine's lock.  Fetches are planned as long as nobody can have seen a step. */
bool plane_code_place_all(struct plane_machine *machine, const struct dp_code *code) {
    size_t placed = 0;
    if (!code->placed_insns)
        return code->steps != NULL;
    if (is_placed(code, code->insn_count))
        return true;
    if (!make_steps(machine, code))
        return false;
    for (size_t i = 0; i < code->insn_count; i++) {
        placed += is_placed(code, i);
        if (!is_placed(code, i))
            place_insn(machine, code, i);
    }
    if (placed == 0)
        plane_plan_fetches(machine, &(struct step_list){code->steps, code->step_count, 0});
    for (size_t i = 0; i <= code->insn_count; i++)
        atomic_store_explicit(&code->placed_insns[i], true, memory_order_release);
    return true;
}

const struct plane_step *plane_code_all_steps(struct plane_machine *machine,
                                              const struct dp_code *code) {
    bool there = true;
    if (!is_placed(code, code->insn_count)) {
        struct alloc_lock lock;
        alloc_lock(&lock, &machine->lock);
        there = plane_code_place_all(machine, code);
        alloc_unlock(&lock);
    }
    return there ? code->steps : NULL;
}

const struct plane_step *plane_code_steps(struct plane_machine *machine, const struct dp_code *code,
                                          size_t insn) {
    bool there = code->placed_insns || code->steps;
    if (!is_placed(code, insn)) {
        struct alloc_lock lock;
        alloc_lock(&lock, &machine->lock);
        there = is_placed(code, insn) || make_steps(machine, code);
        if (there && !is_placed(code, insn)) {
            place_insn(machine, code, insn);
            atomic_store_explicit(&code->placed_insns[insn], true, memory_order_release);
        }
        alloc_unlock(&lock);
    }
    return there ? code->steps + code->insn_steps[insn] : NULL;
}

/* Hands the code to the machine, or frees it when `good` is false. */
static struct dp_code *finish(struct plane_form_maker *maker, struct dp_code *code, bool good) {
    struct plane_machine *m = maker->machine;
    if (good) {
        place_steps(m, code);
        settle_energies(code, m->target);
        if (m->setup.bits)
            code->placed = xcalloc(1, sizeof *code->placed);
        if (!m->setup.costs_only) /* of which writes are none */
            plane_count_writes(code, &maker->translation.map);
        link_code(m, code);
    } else {
        drop_lists(m, code);
        code_free(m, code);
    }
    plane_form_maker_free(maker);
    return good ? code : NULL;
}

/* Times of the form's micro-ops; those of forms that are kept stay with the machine. */
static const struct timing_list *list_of(struct plane_machine *machine,
                                         const struct plane_form *form, const char **error) {
    const struct timing_list **known = form->kept ? hash_table_get(&machine->lists, &form) : NULL;
    if (known)
        return *known;
    const struct timing_list *list =
        recipe_timeline_list(machine->timeline, form->uops, form->uop_count, error);
    if (list && form->kept)
        *(const struct timing_list **)hash_table_put(&machine->lists, &form) = list;
    return list;
}

static bool report_time(const struct plane_machine *machine, const char *error, struct diag *diag) {
    if (error)
        diag_error(diag, NO_SPAN, "the run cannot be timed on target %s: %s", machine->target->name,
                   error);
    return !error;
}

/* The form of each instruction, and its times. */
static bool find_forms(struct plane_form_maker *maker, const struct dp_run *run,
                       struct dp_code *code) {
    struct plane_machine *m = maker->machine;
    bool masked = run->masked;
    const char *error = NULL;
    for (size_t i = 0; i < run->count && !error; i++) {
        const struct plane_origin origin = {run->insns[i], masked};
        uint32_t flags = isa_info(run->insns[i].op)->flags;
        struct plane_registers *registers = &code->registers[i];
        code->forms[i] = plane_form_get(maker, &run->insns[i], masked, registers);
        if (!code->forms[i] || !plane_form_fits(m, code->forms[i], registers, maker->diag))
            return false;
        code->lists[i] = list_of(m, code->forms[i], &error);
        plane_form_settle(m, code, i, &origin);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return report_time(m, error, maker->diag);
}

/* Instruction by instruction, from an idle machine on. */
static bool schedule(struct plane_machine *machine, struct dp_code *code, struct diag *diag) {
    uint64_t at = 0;
    uint32_t state = 0;
    for (size_t i = 0; i < code->insn_count; i++) {
        const struct timing_advance *x = recipe_timeline_advance(
            machine->timeline, code->lists[i], state, plane_slot_ps(machine, code->lists[i]));
        uint64_t done = sat_add(at, x->done_ps);
        code->latency_ps = done > code->latency_ps ? done : code->latency_ps;
        code->insn_done_ps[i] = code->latency_ps;
        at = sat_add(at, x->issued_ps);
        state = x->state;
    }
    return report_time(
        machine, code->latency_ps == UINT64_MAX ? "the time does not fit 64 bits" : NULL, diag);
}

struct dp_code *plane_prepare(struct datapath *dp, const struct dp_run *run, struct diag *diag) {
    struct plane_machine *m = plane_of(dp);
    struct dp_code *code = code_new(m->target, run->count);
    struct plane_form_maker maker = {.machine = m, .diag = diag};
    bool good = find_forms(&maker, run, code);
    if (good)
        count_forms(code, m->target);
    return finish(&maker, code, good && schedule(m, code, diag));
}

struct dp_code *plane_prepare_uops(struct datapath *dp, const struct uop *uops, size_t count,
                                   struct diag *diag) {
    struct plane_machine *m = plane_of(dp);
    struct dp_code *code = code_new(m->target, 1);
    struct plane_form_maker maker = {.machine = m, .diag = diag};
    const char *none;
    code->forms[0] = plane_form_make(&maker, uops, count, false);
    bool good = code->forms[0] && plane_form_fits(m, code->forms[0], &code->registers[0], diag);
    if (good)
        count_forms(code, m->target);
    code->lists[0] = recipe_timeline_list(m->timeline, uops, 0, &none);
    return finish(&maker, code, good);
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
    uint64_t own = 0; /* forms that nobody else keeps */
    for (size_t i = 0; i < code->insn_count; i++)
        own += code->forms[i]->kept ? 0 : plane_form_bytes(code->forms[i]);
    return sizeof *code + own + steps * sizeof *code->steps +
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
