/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/translate.h"

/* Adds the counts of one instruction's micro-ops. */
static void count_uops(struct dp_code *code, const struct target *t, const struct uop *uops,
                       size_t count, size_t insn) {
    for (size_t i = 0; i < count; i++) {
        const struct target_op *op = &plane_target(t)->ops[uops[i].kind];
        uint64_t fj = sat_mul(plane_op_fj(t, op), uops[i].count);
        code->kinds[uops[i].kind] += uops[i].count;
        code->micro_ops += uops[i].count;
        code->insn_micro_ops[insn] += uops[i].count;
        code->insn_slots[insn] += !uops[i].forwarded;
        code->energy_fj[op->class] = sat_add(code->energy_fj[op->class], fj);
        code->insn_energy_fj[insn] = sat_add(code->insn_energy_fj[insn], fj);
    }
}

static void code_free(struct dp_code *code) {
    free(code->steps);
    free(code->kinds);
    free(code->insn_micro_ops);
    free(code->insn_energy_fj);
    free(code->insn_slots);
    free(code->writes);
    free(code->insn_uops);
    free(code->insn_done_ps);
    vec_free(&code->uops);
    free(code);
}

void plane_codes_free(struct plane_machine *m) {
    while (m->codes) {
        struct dp_code *code = m->codes;
        m->codes = code->next;
        code_free(code);
    }
}

static struct dp_code *code_new(const struct target *t, size_t insns) {
    struct dp_code *code = xcalloc(1, sizeof *code);
    code->insn_count = insns;
    code->kinds = xcalloc((size_t)plane_target(t)->op_count + 1, sizeof *code->kinds);
    code->insn_micro_ops = xcalloc(insns ? insns : 1, sizeof *code->insn_micro_ops);
    code->insn_energy_fj = xcalloc(insns ? insns : 1, sizeof *code->insn_energy_fj);
    code->insn_slots = xcalloc(insns ? insns : 1, sizeof *code->insn_slots);
    for (size_t i = 0; i < insns; i++)
        code->insn_slots[i] = 1;
    code->insn_uops = xcalloc(insns ? insns : 1, sizeof *code->insn_uops);
    code->insn_done_ps = xcalloc(insns ? insns : 1, sizeof *code->insn_done_ps);
    return code;
}

/* Steps and counts of the micro-ops behind `first`, one instruction. */
static bool add_instruction(struct dp_code *code, struct run_translation *t, size_t first,
                            size_t insn) {
    const struct uop *uops = code->uops.data + first;
    size_t count = code->uops.len - first;
    if (!plane_translate(t, uops, count))
        return false;
    count_uops(code, t->machine->target, uops, count, insn);
    return true;
}

/* Marks, some steps before a plane of a tile is used for the first time, that it should be fetched
 * from memory: the latency of the third-level cache is that of about AHEAD steps on a full tile.
 * Each step fetches at most one plane. */
static void plan_fetches(const struct plane_machine *m, struct step_list *steps) {
    enum { AHEAD = 12 };
    uint8_t *seen = xcalloc(m->slots, 1);
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
static struct dp_code *finish(struct plane_machine *m, struct dp_code *code,
                              struct run_translation *t, bool good) {
    plan_fetches(m, &t->steps);
    code->steps = t->steps.data;
    code->step_count = t->steps.len;
    code->scratch_slots = t->scratch_slots;
    t->steps.data = NULL;
    plane_translation_free(t);
    if (!good) {
        code_free(code);
        return NULL;
    }
    plane_count_writes(code);
    pthread_mutex_lock(&m->lock);
    code->next = m->codes;
    m->codes = code;
    pthread_mutex_unlock(&m->lock);
    return code;
}

/* From the program's code, where the machine has it. */
static bool expand_insn(const struct plane_machine *m, const struct insn *insn, bool masked,
                        struct dp_code *code, struct diag *d) {
    if (m->setup.code)
        return recipe_table_expand(plane_table(m->setup.code), insn, masked, &code->uops, d);
    return recipe_expand(m->recipes, insn, masked, &code->uops, d);
}

/* Expands and translates all instructions. */
static bool expand_run(struct plane_machine *m, const struct dp_run *run, struct dp_code *code,
                       struct run_translation *t) {
    bool masked = run->masked;
    for (size_t i = 0; i < run->count; i++) {
        size_t first = code->uops.len;
        uint32_t flags = isa_info(run->insns[i].op)->flags;
        code->insn_uops[i] = (uint32_t)first;
        if (!expand_insn(m, &run->insns[i], masked, code, t->diag) ||
            !add_instruction(code, t, first, i))
            return false;
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return true;
}

static bool schedule(const struct plane_machine *m, struct dp_code *code, struct diag *d) {
    const char *error = NULL;
    if (recipe_timing_schedule(m->target, code->uops.data, code->uops.len, code->insn_uops,
                               code->insn_count, &code->profile, code->insn_done_ps, &error))
        return true;
    diag_error(d, NO_SPAN, "the run cannot be timed on target %s: %s", m->target->name, error);
    return false;
}

struct dp_code *plane_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d) {
    struct plane_machine *m = plane_of(dp);
    struct dp_code *code = code_new(m->target, run->count);
    struct run_translation t = {.machine = m, .diag = d};
    bool good = expand_run(m, run, code, &t) && schedule(m, code, d);
    return finish(m, code, &t, good);
}

struct dp_code *plane_prepare_uops(struct datapath *dp, const struct uop *uops, size_t count,
                                   struct diag *d) {
    struct plane_machine *m = plane_of(dp);
    struct dp_code *code = code_new(m->target, 1);
    struct run_translation t = {.machine = m, .diag = d};
    for (size_t i = 0; i < count; i++)
        vec_push(&code->uops, uops[i]);
    for (size_t r = 0; r < TIMING_RESOURCES; r++)
        code->profile.first_ps[r] = TIMING_UNUSED;
    return finish(m, code, &t, add_instruction(code, &t, 0, 0));
}

/* One step on one word of a plane, when it goes over whole tiles: 200 to 300 lanes a ns
 * (bench/README.md, add64_G_uop_bits_per_s). */
#define PLANE_STEP_HOST_PS 250

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
        .form = DP_COST_FIXED,
        .micro_ops = code->micro_ops,
        .uops = code->kinds,
        .energy_fj = code->energy_fj,
        .insn_micro_ops = code->insn_micro_ops,
        .insn_energy_fj = code->insn_energy_fj,
        .insn_done_ps = code->insn_done_ps,
        .latency_ps = code->profile.done_ps,
        .issue_slots = issue_slots(code),
        .insn_issue_slots = code->insn_slots,
        .writes = code->writes,
        .write_count = code->write_count,
        .host_ps = sat_mul(word_steps, PLANE_STEP_HOST_PS),
    };
}
