/* SPDX-License-Identifier: MIT
 * Compute ensembles: header, the strands of the body, footer.
 *
 * A body without data-dependent jumps is one strand over all VRFs of all MPUs, whose time counts
 * once per batch.  Otherwise each batch of each MPU is a strand.  Strands go on in program order:
 * those at the earliest place take their step first.  So at a stop every VRF has done all
 * instructions before the failing one and none behind it, whatever the batching. */
#include "support/saturate.h"
#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

enum body_kind { BODY_UNKNOWN, BODY_IN_STEP, BODY_BY_BATCH };

struct strand_schedule {
    struct strand *strands; /* [count], by MPU, then batch */
    uint32_t count;
    uint32_t *front; /* [front_count], ascending: strands at the earliest place */
    uint32_t front_count;
    uint32_t live;
    const struct strand *next; /* the earliest of the strands that wait, or NULL */
    struct host_decisions decisions;
};

static bool depends_on_data(struct control *control, uint32_t body) {
    if (body >= control->text.len)
        return false;
    if (control->bodies.kind[body] == BODY_UNKNOWN)
        control->bodies.kind[body] =
            object_text_body_depends_on_data(&control->text, body) ? BODY_BY_BATCH : BODY_IN_STEP;
    return control->bodies.kind[body] == BODY_BY_BATCH;
}

static void schedule_open(struct control *control, struct strand_schedule *schedule,
                          const struct ensemble *ensemble, uint32_t body) {
    /* What is measured is measured batch by batch, and so is what depends on a batch's size or
     * kin, or is told which VRFs it has. */
    const struct dp_tables *tables = &control->dp->tables;
    bool apart = depends_on_data(control, body) && (tables->answers || !control->config.count_laps);
    bool by_batch =
        tables->measured || tables->at_once || tables->selects || ensemble->mixed || apart;
    *schedule = (struct strand_schedule){.count = by_batch ? ensemble->batch_count : 1};
    if (ensemble->batch_count == 0)
        schedule->count = 0;
    schedule->strands = xcalloc(schedule->count ? schedule->count : 1, sizeof *schedule->strands);
    schedule->front = xcalloc(schedule->count ? schedule->count : 1, sizeof *schedule->front);
    schedule->front_count = schedule->live = schedule->count;
    for (uint32_t i = 0; i < schedule->count; i++) {
        schedule->front[i] = i;
        control_strand_begin(control, &schedule->strands[i], ensemble,
                             by_batch ? &ensemble->batches[i] : NULL, body);
    }
}

static void schedule_close(struct control *control, struct strand_schedule *schedule) {
    for (uint32_t i = 0; i < schedule->count; i++) {
        control_select_end(control, &schedule->strands[i]);
        control_strand_end(&schedule->strands[i]);
    }
    free(schedule->strands);
    free(schedule->front);
    vec_free(&schedule->decisions.list);
}

static int compare(const struct strand *left, const struct strand *right) {
    return control_flow_compare(&left->flow, &right->flow);
}

static const struct strand *earliest(const struct strand *left, const struct strand *right) {
    return !left || (right && compare(right, left) < 0) ? right : left;
}

/* All strands that still run, from the waiting ones too. */
static void gather(struct strand_schedule *schedule) {
    schedule->front_count = 0;
    schedule->next = NULL;
    for (uint32_t i = 0; i < schedule->count; i++)
        if (!schedule->strands[i].finished)
            schedule->front[schedule->front_count++] = i;
}

/* Leaves in front those at the earliest place; the others wait. */
static void keep_earliest(struct strand_schedule *schedule) {
    const struct strand *first = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < schedule->front_count; i++)
        first = earliest(first, &schedule->strands[schedule->front[i]]);
    for (uint32_t i = 0; i < schedule->front_count; i++) {
        struct strand *s = &schedule->strands[schedule->front[i]];
        if (compare(s, first) == 0)
            schedule->front[kept++] = schedule->front[i];
        else
            schedule->next = earliest(schedule->next, s);
    }
    schedule->front_count = kept;
}

/* After a round: who takes the next step. */
static void choose(struct strand_schedule *schedule) {
    uint32_t kept = 0;
    const struct strand *first = NULL;
    for (uint32_t i = 0; i < schedule->front_count; i++) {
        struct strand *s = &schedule->strands[schedule->front[i]];
        if (s->finished) {
            schedule->live--;
            continue;
        }
        schedule->front[kept++] = schedule->front[i];
        first = earliest(first, s);
    }
    schedule->front_count = kept;
    if (!first || (schedule->next && compare(schedule->next, first) <= 0))
        gather(schedule);
    keep_earliest(schedule);
}

/* An assertion is looked at in all strands before one of them passes it. */
static bool assertions_hold(struct control *control, const struct ensemble *ensemble,
                            const struct strand_schedule *schedule) {
    const struct strand *first = &schedule->strands[schedule->front[0]];
    uint32_t pc = first->flow.pc;
    if (pc >= control->text.len || control->text.insns[pc].op != OP_ASSERT)
        return true;
    struct failing_element failing = {0};
    for (uint32_t i = 0; i < schedule->front_count; i++)
        control_debug_find_failing(control, ensemble, &schedule->strands[schedule->front[i]],
                                   &failing);
    return !failing.count || control_debug_failed(control, &failing, pc);
}

/* A host is asked once about the masks of all batches that stand at the same jump: it goes on with
 * each lap when all of them have gone through the last one. */
static void ask_host(struct control *control, struct strand_schedule *schedule) {
    const struct strand *first = &schedule->strands[schedule->front[0]];
    uint32_t pc = first->flow.pc;
    uint64_t vrfs = 0;
    if (pc >= control->text.len ||
        !control_host_decides(control->target, control->text.insns[pc].op))
        return;
    for (uint32_t i = 0; i < schedule->front_count; i++)
        vrfs += vrf_set_size(schedule->strands[schedule->front[i]].on);
    const struct timing_place at = {pc, first->region};
    control_account_decision(control, &schedule->decisions, at, vrfs);
}

static bool round_of_steps(struct control *control, const struct ensemble *ensemble,
                           struct strand_schedule *schedule) {
    if (!control_may_go_on(control, schedule->strands[schedule->front[0]].flow.pc) ||
        !assertions_hold(control, ensemble, schedule) ||
        !control_strands_execute(control, schedule->strands, schedule->front,
                                 schedule->front_count))
        return false;
    work_add(control, schedule->front_count);
    ask_host(control, schedule);
    for (uint32_t i = 0; i < schedule->front_count; i++)
        if (!control_strand_step(control, ensemble, &schedule->strands[schedule->front[i]]))
            return false;
    choose(schedule);
    return true;
}

/* Cycles of the busiest MPU join those of the stream. */
static void fold_cycles(struct control *control) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < control->now->count; i++) {
        uint64_t *sum = &control->limits.ensemble_cycles[control->now->mpus[i]];
        most = *sum > most ? *sum : most;
        *sum = 0;
    }
    control->limits.busiest_cycles = 0;
    control_account_elapsed(control, most);
}

static bool run_body(struct control *control, const struct ensemble *ensemble,
                     const struct ensemble *whole, uint32_t body, uint32_t *footer) {
    struct strand_schedule q;
    bool ok = true;
    schedule_open(control, &q, ensemble, body);
    control_heat_before(control);
    while (ok && q.live)
        ok = round_of_steps(control, ensemble, &q);
    control_account_body(control, ensemble, whole, q.strands, &q.decisions, body - control->top.pc);
    work_add(control, WORK_OF_PART * (uint64_t)ensemble->part_count);
    control_heat_after(control, ensemble, q.strands, q.count);
    if (ok && q.count) {
        control_count_leave(control, body, q.strands[0].known);
        *footer = q.strands[0].flow.pc;
        control->region = q.strands[q.count - 1].region;
    }
    if (!q.count)
        control->counting.any = UNKNOWN;
    schedule_close(control, &q);
    fold_cycles(control);
    control_debug_flush(control);
    return ok;
}

/* The header costs a slot per VRF that it names; an MPU that has none skips to the footer. */
static void account_header(struct control *control, const struct ensemble *ensemble, uint32_t first,
                           uint32_t count) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        control_step_stream(control, first + i, false);
    for (uint32_t i = 0; i < ensemble->part_count; i++) {
        uint64_t slots = ensemble->parts[i].header_slots + (ensemble->parts[i].batch_count == 0);
        most = slots > most ? slots : most;
    }
    for (uint32_t i = 0; i < count; i++)
        control->account.insns[first + i].executed =
            sat_add(control->account.insns[first + i].executed, ensemble->part_count);
    control_account_elapsed(control, most);
}

static uint32_t header_end(const struct control *control, uint32_t pc) {
    while (pc < control->text.len &&
           (control->text.insns[pc].op == OP_COMPUTE || control->text.insns[pc].op == OP_COMPUTEG))
        pc++;
    return pc;
}

/* In all MPUs; headers of the same words share what was made for the first, if their bodies let as
 * many VRFs work at once. */
static const struct ensemble *find_ensemble(struct control *control, uint32_t first,
                                            uint32_t count) {
    struct str key = {0};
    const char *error;
    control->bodies.maker.active = control_heat_cap(control, first + count);
    str_append_n(&key, (const char *)&control->bodies.maker.active,
                 sizeof control->bodies.maker.active);
    str_append_n(&key, (const char *)&control->text.words[first],
                 count * sizeof *control->text.words);
    const uint64_t *known = map_get_n(&control->bodies.ensembles, key.text, key.len);
    const struct ensemble *e =
        known ? (const struct ensemble *)(uintptr_t)*known
              : control_ensemble_make(&control->bodies.maker, &control->text.insns[first], count,
                                      &error);
    if (e && !known)
        map_put_n(&control->bodies.ensembles, key.text, key.len, (uint64_t)(uintptr_t)e);
    else if (!e)
        control_stop(control, CONTROL_STOPPED, STOP_AT(first), "%s", error);
    str_free(&key);
    return e;
}

static void add_to_flag(struct control_flag *flag, uint32_t vrf, uint32_t lanes) {
    flag->first = flag->vrfs ? flag->first : vrf;
    flag->last = vrf;
    flag->lanes = lanes > flag->lanes ? lanes : flag->lanes;
    flag->vrfs++;
}

/* A of each MPU: some lane of its VRFs is enabled. */
static void set_flag_a(struct control *control, const struct ensemble *ensemble) {
    struct strand all = {.on = ensemble->all};
    uint32_t per_mpu = target_vrfs_per_mpu(control->target);
    for (uint32_t i = 0; i < control->now->count; i++)
        control->streams.a[control->now->mpus[i]] = (struct control_flag){0};
    for (uint32_t i = 0; i < ensemble->count; i++)
        add_to_flag(&control->streams.a[ensemble->vrfs[i] / per_mpu], ensemble->vrfs[i],
                    control_ensemble_binding(ensemble, ensemble->vrfs[i])->valid_lanes);
    if (!ensemble->count || !control_strand_any(control, &all, DP_ANY_M, NULL))
        return;
    for (uint32_t i = 0; i < ensemble->count; i++)
        control->streams.a[ensemble->vrfs[i] / per_mpu].some |= control->answers.bits[i] != 0;
}

/* `ensemble` is all of `whole`, or what it is in some MPUs. */
static bool run_ensemble(struct control *control, const struct ensemble *ensemble,
                         const struct ensemble *whole, uint32_t body) {
    uint32_t first = control->top.pc, footer = NO_INDEX;
    if (control->dp->tables.establishes)
        control_account_establish(control, ensemble);
    control->dp->ops->bind(control->dp, ensemble->bindings, ensemble->count);
    if (control->dp->failure)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(first), "%s", control->dp->failure);
    control_account_bound(control, ensemble);
    account_header(control, ensemble, first, body - first);
    if (!run_body(control, ensemble, whole, body, &footer))
        return false;
    if (control->text.has_jump_any)
        set_flag_a(control, ensemble);
    if (footer == NO_INDEX) /* no VRF of these MPUs: they skip to the footer */
        footer = object_text_footer(&control->text, body, OP_COMPUTE_DONE);
    if (footer == control->text.len)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(footer),
                            "the text ends inside a compute ensemble");
    control->top.pc = footer + 1;
    return control_machine_is_sound(control, footer);
}

bool control_compute_ensemble(struct control *control) {
    uint32_t first = control->top.pc, body = header_end(control, first);
    const struct ensemble *e = find_ensemble(control, first, body - first);
    if (!e)
        return false;
    if (all_together(control))
        return run_ensemble(control, e, e, body);
    struct arena arena = {0};
    bool fine = run_ensemble(
        control, control_ensemble_part(e, control->now->mpus, control->now->count, &arena), e,
        body);
    arena_free(&arena);
    return fine;
}
