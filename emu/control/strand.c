/* SPDX-License-Identifier: MIT
 * One stream of control through a body. */
#include "support/saturate.h"
#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void control_strand_begin(struct control *control, struct strand *strand,
                          const struct ensemble *ensemble, const struct batch *batch,
                          uint32_t body) {
    *strand = (struct strand){.mpu = NO_INDEX, .batch = NO_INDEX, .weight = ensemble->batch_count};
    strand->in_a_row = ensemble->most_batches;
    for (uint32_t i = 0; !batch && i < ensemble->part_count; i++) {
        strand->mpus += ensemble->parts[i].batch_count != 0;
        strand->largest = ensemble->parts[i].most_vrfs > strand->largest
                              ? ensemble->parts[i].most_vrfs
                              : strand->largest;
    }
    strand->at_once = ensemble->at_once;
    strand->vrfs = ensemble->vrfs;
    strand->vrf_count = ensemble->count;
    strand->on = ensemble->all;
    strand->kin = ensemble->count ? ensemble->bindings[0].kin : 0;
    strand->ensemble = ensemble;
    strand->elements = ensemble->lanes;
    strand->region = control->region;
    timing_path_add(&strand->path, STEP_REGION, strand->region, 0);
    control_flow_begin(&strand->flow, body, control->top.base + control->top.depth);
    strand->known = control_count_enter(control, body);
    if (batch)
        strand->kin = control_ensemble_binding(ensemble, batch->vrfs[0])->kin;
    strand->runs = control->bodies.runs + 2 * (size_t)control->text.len * strand->kin;
    if (!batch)
        return;
    strand->mpu = batch->mpu;
    strand->batch = batch->index;
    strand->weight = strand->in_a_row = strand->mpus = 1;
    strand->vrfs = batch->vrfs;
    strand->vrf_count = strand->at_once = batch->count;
    strand->ranges = xcalloc(batch->count, sizeof *strand->ranges);
    strand->on = (struct vrf_set){
        strand->ranges, control_vrf_ranges(batch->vrfs, batch->count, NULL, strand->ranges)};
    strand->elements = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        strand->elements += control_ensemble_binding(ensemble, batch->vrfs[i])->valid_lanes;
    control_select_begin(control, strand);
}

void control_strand_end(struct strand *strand) {
    control_flow_free(&strand->flow);
    timing_path_record_free(&strand->path);
    free(strand->ranges);
    free(strand->off);
    free(strand->outcome_words);
    vec_free(&strand->selected.ranges);
    vec_free(&strand->selected.set);
    vec_free(&strand->laps.list);
    free(strand->known);
}

struct stop_place control_strand_place(const struct strand *strand) {
    return (struct stop_place){strand->flow.pc, strand->mpu, strand->batch, NO_INDEX, NO_INDEX};
}

bool control_strand_any(struct control *control, const struct strand *strand, enum dp_any what,
                        struct dp_cost *cost) {
    uint32_t n = (uint32_t)vrf_set_size(strand->on);
    if (n > control->answers.cap) {
        control->answers.bits = xreallocarray(control->answers.bits, n, 1);
        control->answers.cap = n;
    }
    if (control->config.count_laps && !cost)
        return false;
    control->dp->ops->any(control->dp, what, strand->on, control->answers.bits, cost);
    for (uint32_t i = 0; i < n; i++)
        if (control->answers.bits[i])
            return true;
    return false;
}

/* The strand's own clock, for observers: as if all had been fetched, and every recipe were there.
 */
static void pass_time(struct control *control, struct strand *strand, uint64_t ps) {
    if (strand->clock)
        strand->clock = control->dp->ops->pass(control->dp, strand->clock, ps);
    strand->time_ps = sat_add(strand->time_ps, ps);
}

static uint64_t later(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

static bool waits_for_bits(enum step_kind kind) {
    return kind != STEP_SLOT && kind != STEP_JUMP;
}

/* The steps of a control instruction that the host takes: its trip in the place of a slot, or none
 * if it has unrolled it.  Masks that go over its link are read first. */
static void take_host_steps(const struct control *control, struct strand *strand,
                            enum step_kind kind, uint64_t count, uint64_t host_ps) {
    uint32_t pc = strand->flow.pc;
    bool reads =
        kind == STEP_EVALUATE && control_host_decides(control->target, control->text.insns[pc].op);
    if (reads)
        timing_path_add(&strand->path, kind, pc, count);
    else if (waits_for_bits(kind))
        timing_path_add(&strand->path, STEP_ANSWER, pc, 0); /* waits until all bits are there */
    if (host_ps)
        timing_path_add(&strand->path, kind == STEP_SLOT ? STEP_SLOT : STEP_JUMP, pc, host_ps);
}

/* Of a control instruction that observers were told of. */
static void take_told_step(struct control *control, struct strand *strand, enum step_kind kind,
                           uint64_t count) {
    enum isa_op op = control->text.insns[strand->flow.pc].op;
    uint64_t host_ps = control_host_cost_ps(control->target, op);
    bool takes = control_host_takes(control->target, op);
    control_account_insn(control, strand->flow.pc, strand->weight);
    control_account_cycles(control, strand, 1);
    if (takes)
        take_host_steps(control, strand, kind, count, host_ps);
    else
        timing_path_add(&strand->path, kind, strand->flow.pc, count);
    if (waits_for_bits(kind) && strand->done_ps > strand->time_ps)
        pass_time(control, strand, strand->done_ps - strand->time_ps);
    pass_time(control, strand, takes ? host_ps : target_decode_ps(control->target));
}

/* A control instruction; all kinds but STEP_SLOT and STEP_JUMP need the bits of all that was
 * issued. */
static void take_step(struct control *control, struct strand *strand, enum step_kind kind,
                      uint64_t count) {
    control_step_strand(control, strand, strand->flow.pc, 1, false);
    take_told_step(control, strand, kind, count);
}

/* Tells of a question or an INDEX, which has micro-ops where the machine is told of VRFs, before it
 * is carried out; of others behind. */
static void tell_first(struct control *control, struct strand *strand, bool before) {
    if (control->dp->tables.selects == before)
        control_step_strand(control, strand, strand->flow.pc, 1, before);
}

/* Whether some lane has M; the machine answers, or the front end looks at the mask bits, those of a
 * batch: all batches are in step only in a run that counts. */
static bool ask(struct control *control, struct strand *strand) {
    struct dp_cost cost = control_account_asked(control, later(strand->time_ps, strand->done_ps));
    cost.lanes = control_select_lanes(control, strand);
    if (!control->dp->tables.answers) {
        bool some = control_strand_any(control, strand, DP_ANY_M, NULL),
             all = strand->batch == NO_INDEX;
        take_step(control, strand, STEP_EVALUATE, all ? strand->largest : vrf_set_size(strand->on));
        return some;
    }
    tell_first(control, strand, true);
    bool some = control_strand_any(control, strand, DP_ANY_M, &cost);
    tell_first(control, strand, false);
    timing_path_add(&strand->path, STEP_ANSWER, strand->flow.pc, cost.ps);
    control_account_uop_cost(control, strand->region, strand->flow.pc, &cost);
    pass_time(control, strand,
              sat_add(strand->done_ps > strand->time_ps ? strand->done_ps - strand->time_ps : 0,
                      cost.ps));
    take_told_step(control, strand, STEP_DRAIN, 0);
    return some;
}

static void jump_on_mask(struct control *control, struct strand *strand, const struct insn *insn) {
    uint32_t pc = strand->flow.pc, target = (uint32_t)insn->imm;
    bool when_some = insn->op == OP_JUMP_COND, taken = ask(control, strand) == when_some;
    if (strand->known && strand->known->m != UNKNOWN) /* the same for all VRFs: none is idle */
        taken = (strand->known->m == KNOWN_1) == when_some;
    else if (strand->known)
        taken = control_count_taken(control, &strand->laps, pc, target);
    else if (when_some && taken && target <= pc)
        control_switch_off_idle(strand, control->answers.bits, true, target, pc);
    else if (!when_some && !taken && target > pc)
        control_switch_off_idle(strand, control->answers.bits, false, target, target);
    strand->flow.pc = taken ? target : pc + 1;
}

static bool is_watched(const struct control *control) {
    return control->config.step || control->dp->observed;
}

static void execute_joined(struct control *control, struct prepared_run *run, struct vrf_set set) {
    if (control->config.count_laps) /* its cost is fixed */
        return;
    control_spread_execute(&control->spread, control->dp, run->code, run->about.host_ps, set, NULL,
                           0);
    control_run_executed(run, set);
}

static uint64_t enabled_lanes(struct control *control, struct strand *strand) {
    if (!strand->lanes_known)
        strand->lanes = control->dp->ops->lanes(control->dp, strand->on);
    strand->lanes_known = true;
    return strand->lanes;
}

/* At which the strand of the front stands. */
static struct prepared_run *run_of(const struct control *control, const struct strand *strand) {
    return control->bodies.front[2 * (size_t)strand->kin + strand->masked];
}

/* The same for a run whose energy goes by enabled lanes: stretch by stretch, so that the lanes of
 * each strand are counted where M has changed and nowhere else.  The set is that of all strands of
 * the front under this predication, of this kin. */
static bool execute_counted(struct control *control, struct strand *strands, const uint32_t *front,
                            uint32_t count, struct prepared_run *run, struct vrf_set set) {
    uint32_t stretch = 0;
    for (uint32_t p = 0; p < run->part_count; p++) {
        struct dp_code *code = control_run_part(control, run, p, &stretch);
        bool writes_m = stretch + 1 < run->about.stretches;
        if (!code)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            struct strand *s = &strands[front[i]];
            if (run_of(control, s) != run)
                continue;
            if (p == 0)
                control_run_begin_outcome(control, run, s);
            s->outcome.lanes[stretch] = enabled_lanes(control, s);
            s->lanes_known = !writes_m;
        }
        if (!control->config.count_laps)
            control_spread_execute(&control->spread, control->dp, code, run->about.host_ps, set,
                                   NULL, 0);
    }
    if (!control->config.count_laps)
        control_run_executed(run, set);
    return true;
}

/* Strands execute it together. */
static bool is_joined(const struct control *control, const struct prepared_run *run) {
    return !run || run->about.form == DP_COST_FIXED || control_run_counts_lanes(control, run);
}

/* Strands at a run whose executions say what they cost: each has its own, side by side. */
static void execute_each(struct control *control, struct strand *strands, const uint32_t *front,
                         uint32_t count) {
    struct spread_job *jobs = xcalloc((size_t)count + 1, sizeof *jobs);
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct strand *s = &strands[front[i]];
        struct prepared_run *r = run_of(control, s);
        if (is_joined(control, r))
            continue;
        control_run_begin_outcome(control, r, s);
        if (r->about.form == DP_COST_MEASURED)
            jobs[n++] = (struct spread_job){r->code, s->on, r->about.host_ps, &s->outcome};
        else
            control_spread_execute(&control->spread, control->dp, r->code, r->about.host_ps, s->on,
                                   s->outcome.lanes, r->about.stretches);
        control_run_executed(r, s->on);
    }
    control_spread_jobs(&control->spread, control->dp, jobs, n);
    free(jobs);
}

/* All strands of the front that stand at the run. */
static bool execute_together(struct control *control, struct strand *strands, const uint32_t *front,
                             uint32_t count, struct prepared_run *run) {
    for (uint32_t i = 0; i < count; i++)
        if (run_of(control, &strands[front[i]]) == run)
            control_spread_join(&control->spread, strands[front[i]].on);
    struct vrf_set set = control_spread_joined(&control->spread);
    if (run->parts)
        return execute_counted(control, strands, front, count, run, set);
    execute_joined(control, run, set);
    return true;
}

bool control_strands_execute(struct control *control, struct strand *strands, const uint32_t *front,
                             uint32_t count) {
    struct prepared_run **runs = control->bodies.front;
    size_t run_count = 2 * (size_t)control->bodies.kin_count;
    bool joined = true;
    uint32_t pc = strands[front[0]].flow.pc;
    if (pc >= control->text.len || !insn_in_run(&control->text.insns[pc]) || is_watched(control))
        return true;
    for (size_t i = 0; i < run_count; i++)
        runs[i] = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct strand *s = &strands[front[i]];
        struct prepared_run **run = &runs[2 * (size_t)s->kin + s->masked];
        if (!*run)
            *run = control_run_get(control, s);
        if (!*run)
            return false;
    }
    for (size_t i = 0; i < run_count; i++) {
        joined &= is_joined(control, runs[i]);
        if (runs[i] && is_joined(control, runs[i]) &&
            !execute_together(control, strands, front, count, runs[i]))
            return false;
    }
    if (!joined)
        execute_each(control, strands, front, count);
    return true;
}

/* The strand's own clock passes over the run. */
static void follow(struct control *control, struct strand *strand, const struct prepared_run *run,
                   const struct dp_description *about) {
    struct run_times times =
        control_run_times(control, run, about, vrf_set_size(strand->on), strand->clock);
    uint64_t done = sat_add(strand->time_ps, times.done_ps);
    strand->done_ps = done > strand->done_ps ? done : strand->done_ps;
    strand->time_ps = sat_add(strand->time_ps, times.issued_ps);
    strand->clock = times.clock;
}

/* The clock passes over instruction i of a run. */
static void follow_insn(struct control *control, struct strand *strand,
                        const struct prepared_run *run, uint32_t i) {
    const struct dp_issue issue = {
        .insn = i, .clock = strand->clock, .after_ps = target_decode_ps(control->target)};
    struct dp_times times = {0};
    control->dp->ops->follow(control->dp, run->code, &run->about, &issue, &times);
    uint64_t done = sat_add(strand->time_ps, times.done_ps);
    strand->done_ps = done > strand->done_ps ? done : strand->done_ps;
    strand->time_ps = sat_add(strand->time_ps, times.issued_ps);
    strand->clock = times.clock;
}

/* Instruction by instruction, and each range by range: of the first one the machine has been told
 * for the first instruction. */
static bool execute_ranges(struct control *control, struct strand *strand,
                           struct prepared_run *run) {
    struct vrf_set all = strand->on;
    uint32_t ranges = control_select_ranges(strand);
    for (uint32_t i = 0; i < run->count; i++) {
        const uint32_t *stretch = run->about.insn_stretch;
        uint64_t *lanes = strand->outcome.lanes, unused[3] = {0};
        struct dp_code *code = control_run_insn(control, run, i);
        bool first = i == 0 || (stretch && stretch[i] != stretch[i - 1]);
        if (!code)
            return false;
        if (control->config.step_each && i)
            control_step_strand(control, strand, run->first + i, 1, true);
        for (uint32_t k = 0; k < ranges; k++) {
            struct dp_outcome out = {.lanes = unused};
            if (i || k)
                pass_time(control, strand, control_select(control, strand, k, run->first + i));
            const struct dp_moment begin = {strand->time_ps, strand->clock};
            control->dp->ops->execute(control->dp, code, control_select_set(strand, k), begin,
                                      lanes ? &out : NULL);
            follow_insn(control, strand, run, i);
        }
        if (stretch && lanes && first)
            lanes[stretch[i]] += unused[0];
    }
    strand->on = all;
    control_run_executed(run, all);
    return true;
}

/* Instruction by instruction; what the run says of lanes, stretch by stretch, is what the first of
 * each stretch sees. */
static bool execute_each_insn(struct control *control, struct strand *strand,
                              const struct prepared_run *run, struct dp_moment begin) {
    for (uint32_t i = 0; i < run->count; i++) {
        const uint32_t *stretch = run->about.insn_stretch;
        uint64_t *lanes = strand->outcome.lanes, unused[3] = {0};
        struct dp_outcome out = {.lanes = unused};
        struct dp_code *code = control_run_insn(control, run, i);
        if (!code)
            return false;
        if (i)
            control_step_strand(control, strand, run->first + i, 1, true);
        control->dp->ops->execute(control->dp, code, strand->on, begin, lanes ? &out : NULL);
        if (stretch && lanes && (i == 0 || stretch[i] != stretch[i - 1]))
            lanes[stretch[i]] += unused[0];
    }
    return true;
}

/* Strand by strand, as the observer wants its micro-ops; the strand's own clock passes.  VRFs of
 * several ranges have been told of, and were executed, range by range. */
static bool execute_watched(struct control *control, struct strand *strand,
                            struct prepared_run *run, bool in_ranges) {
    bool fixed = run->about.form == DP_COST_FIXED && !run->parts;
    struct dp_moment begin = {strand->time_ps, strand->clock};
    if (!fixed)
        control_run_begin_outcome(control, run, strand);
    else
        strand->outcome.lanes = NULL;
    if (in_ranges)
        return execute_ranges(control, strand, run);
    if (!control->config.step_each)
        control->dp->ops->execute(control->dp, run->code, strand->on, begin,
                                  fixed ? NULL : &strand->outcome);
    else if (!execute_each_insn(control, strand, run, begin))
        return false;
    follow(control, strand, run, control_run_cost(control, run, strand).about);
    control_run_executed(run, strand->on);
    return true;
}

/* Tells a machine that is told of VRFs which of them work; the steps of the path up to the run. */
static uint32_t select_vrfs(struct control *control, struct strand *strand,
                            const struct prepared_run *run) {
    if (!control->dp->tables.selects)
        return 1;
    uint32_t ranges = control_select_ranges(strand);
    uint64_t ps = control_select(control, strand, 0, run->first);
    if (ps)
        timing_path_add(&strand->path, STEP_SELECT, run->first, ps);
    pass_time(control, strand, ps);
    if (ranges > 1)
        timing_path_add(&strand->path, STEP_RANGES, run->first, ranges);
    return ranges;
}

/* The ranges behind the first, of each instruction of the run; those of a watched one were told of
 * as it was executed. */
static void select_others(struct control *control, struct strand *strand,
                          const struct prepared_run *run, uint32_t ranges) {
    for (uint32_t i = 0; ranges > 1 && i < run->count; i++)
        for (uint32_t k = i == 0; k < ranges; k++)
            control_select(control, strand, k, run->first + i);
}

/* VRFs of the batch that are switched off, where times depend on it. */
static uint64_t count_off(const struct control *control, const struct strand *strand) {
    return control->dp->tables.at_once ? strand->off_count : 0;
}

/* Where in this run the machine failed, if it was there that it did: in all of its code, or in what
 * one of its instructions has as code of its own, where each is told of. */
static uint32_t failed_at(struct control *control, const struct prepared_run *r) {
    const struct datapath *dp = control->dp;
    if (!dp->failure || (r->about.form != DP_COST_MEASURED && !dp->failure_code))
        return NO_INDEX;
    if (r->about.form == DP_COST_MEASURED || dp->failure_code == r->code)
        return r->first + dp->failure_insn;
    for (uint32_t i = 0; is_watched(control) && i < r->count; i++)
        if (control_run_insn(control, r, i) == dp->failure_code)
            return r->first + i;
    return NO_INDEX;
}

/* What the run at the pc costs this strand. */
static bool charge(struct control *control, struct strand *strand) {
    struct prepared_run *r = control_run_get(control, strand);
    if (!r)
        return false;
    control_step_strand(control, strand, r->first, control->config.step_each ? 1 : r->count, true);
    uint32_t ranges = select_vrfs(control, strand, r);
    if (is_watched(control) && !execute_watched(control, strand, r, ranges > 1))
        return false;
    if (!is_watched(control))
        select_others(control, strand, r, ranges);
    struct run_cost cost = control_run_cost(control, r, strand);
    uint32_t failed = failed_at(control, r);
    if (failed != NO_INDEX)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(failed), "%s", control->dp->failure);
    control_run_post(strand, r, count_off(control, strand));
    control_account_run(control, r, strand, &cost);
    control_heat_run(strand, r->first, cost.energy_fj);
    control_run_note(control, r, strand, &cost);
    if (strand->known)
        control_known_run(strand->known, &control->text.insns[r->first], r->count, strand->masked,
                          control->target->arith == ARITH_FLUSH);
    if (r->masked_after >= 0)
        strand->masked = r->masked_after;
    strand->flow.pc = r->first + r->count;
    return true;
}

static bool footer(struct control *control, struct strand *strand) {
    if (strand->flow.depth)
        return control_stop(
            control, CONTROL_STOPPED, control_strand_place(strand),
            "COMPUTE_DONE in a subroutine that the body called: a body must leave the "
            "return stack as it found it");
    if (strand->flow.frames[0].loops)
        return control_stop(control, CONTROL_STOPPED, control_strand_place(strand),
                            "COMPUTE_DONE inside a REPEAT");
    take_step(control, strand, STEP_DRAIN, 0);
    strand->finished = true;
    return true;
}

static bool misplaced(struct control *control, const struct strand *strand,
                      const struct insn *insn) {
    if (insn->op == OP_COUNT)
        return control_stop(control, CONTROL_STOPPED, control_strand_place(strand),
                            "illegal instruction");
    return control_stop(control, CONTROL_STOPPED, control_strand_place(strand),
                        "%s inside a compute ensemble", isa_info(insn->op)->name);
}

static void mark(struct control *control, struct strand *strand, const struct insn *insn) {
    strand->region = control_account_region(control, (uint32_t)insn->imm);
    timing_path_add(&strand->path, STEP_REGION, strand->region, 0);
    take_step(control, strand, STEP_SLOT, 0);
    strand->flow.pc++;
}

/* Set-up and one transfer, whatever the number of VRFs: the controller counts for all of the batch
 * at once. */
static void account_numbers(struct control *control, struct strand *strand,
                            const struct dp_cost *cost) {
    uint64_t ps = cost->known ? cost->ps : 0;
    take_told_step(control, strand, STEP_NUMBERS, ps);
    pass_time(control, strand, ps);
    if (control->target->datapath_ps)
        control_account_cycles(control, strand, ps / control->target->datapath_ps);
    control_account_copy(control, strand->region, strand->flow.pc, cost);
    control->account.stats.transfers += vrf_set_size(strand->on);
    strand->flow.pc++;
}

/* The value of an extent of what an INDEX counts. */
static uint64_t counted_by(const struct control *control, const struct extent *extent) {
    return extent->size == NO_INDEX ? extent->value
                                    : (uint64_t)control->package->sizes[extent->size];
}

/* INDEX: numbers of the elements, written by the data-transfer controller. */
static void write_numbers(struct control *control, const struct ensemble *ensemble,
                          struct strand *strand, const struct insn *insn) {
    struct dp_cost cost = control_account_asked(control, later(strand->time_ps, strand->done_ps));
    const struct number_record *counts = object_number_at(control->program, strand->flow.pc);
    uint64_t every = counts ? counted_by(control, &counts->every) : 1,
             below = counts ? counted_by(control, &counts->below) : 0;
    uint64_t vrfs = vrf_set_size(strand->on);
    struct dp_copy *list = xcalloc(vrfs + 1, sizeof *list);
    size_t n = 0;
    for (size_t r = 0; r < strand->on.count; r++)
        for (uint32_t k = 0; k < strand->on.ranges[r].count; k++) {
            const struct dp_binding *b =
                control_ensemble_binding(ensemble, strand->on.ranges[r].first + k);
            list[n++] = (struct dp_copy){.dst_vrf = b->vrf,
                                         .dst_reg = insn->rd,
                                         .width = insn->width,
                                         .source = DP_FROM_COUNT,
                                         .value = b->first_element,
                                         .count = b->valid_lanes,
                                         .dst_step = 1,
                                         .every = every,
                                         .below = below};
        }
    const struct dp_share all = {.mpu = strand->mpu, .registers = n, .in_a_row = 1};
    const struct dp_transfer t = {.width = insn->width,
                                  .masked = strand->masked,
                                  .copies = list,
                                  .count = n,
                                  .shares = &all,
                                  .share_count = 1};
    tell_first(control, strand, true);
    control->dp->ops->copy(control->dp, &t, &cost);
    tell_first(control, strand, false);
    free(list);
    if (strand->known)
        control_known_forget(strand->known, insn->rd, insn->width);
    account_numbers(control, strand, &cost);
}

/* A control instruction. */
static bool control_step(struct control *control, const struct ensemble *ensemble,
                         struct strand *strand, const struct insn *insn) {
    const char *why = NULL;
    switch (insn->op) {
    case OP_COMPUTE_DONE:
        return footer(control, strand);
    case OP_JUMP_COND:
    case OP_JUMP_NONE:
        jump_on_mask(control, strand, insn);
        return true;
    case OP_INDEX:
        write_numbers(control, ensemble, strand, insn);
        return true;
    case OP_MARK:
        mark(control, strand, insn);
        return true;
    case OP_PRINT:
        control_debug_print(control, ensemble, strand);
        break;
    case OP_ASSERT: /* compute.c has seen that it holds */
        break;
    default: {
        uint32_t pc = strand->flow.pc;
        if (!control_flow_step(&strand->flow, &control->text, insn, &why))
            return misplaced(control, strand, insn);
        if (why)
            return control_stop(control, CONTROL_STOPPED, control_strand_place(strand), "%s", why);
        uint32_t next = strand->flow.pc;
        strand->flow.pc = pc;
        take_step(control, strand, insn->op == OP_NOP ? STEP_SLOT : STEP_JUMP, 0);
        strand->flow.pc = next;
        return true;
    }
    }
    take_step(control, strand, STEP_SLOT, 0);
    strand->flow.pc++;
    return true;
}

static bool take_next_step(struct control *control, const struct ensemble *ensemble,
                           struct strand *strand) {
    if (strand->flow.pc >= control->text.len)
        return control_stop(control, CONTROL_STOPPED, control_strand_place(strand),
                            "the text ends inside a compute ensemble");
    uint32_t pc = strand->flow.pc;
    const struct insn *x = &control->text.insns[pc];
    if (!(insn_in_run(x) ? charge(control, strand) : control_step(control, ensemble, strand, x)))
        return false;
    if (strand->flow.pc <= pc && !strand->finished)
        timing_path_back(&strand->path, strand->flow.pc);
    if (strand->off_count && !strand->finished)
        control_switch_on(strand);
    control_account_path(control, strand);
    return control->ended.how == CONTROL_DONE;
}

bool control_strand_step(struct control *control, const struct ensemble *ensemble,
                         struct strand *strand) {
    control_select_enter(control, strand);
    bool fine = take_next_step(control, ensemble, strand);
    control_select_leave(control, strand);
    return fine;
}
