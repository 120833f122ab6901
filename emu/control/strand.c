/* SPDX-License-Identifier: MIT
 * One stream of control through a body. */
#include "support/saturate.h"
#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void control_strand_begin(struct control *c, struct strand *s, const struct ensemble *e,
                          const struct batch *b, uint32_t body) {
    *s = (struct strand){.mpu = NO_INDEX, .batch = NO_INDEX, .weight = e->batch_count};
    s->in_a_row = e->most_batches;
    for (uint32_t i = 0; !b && i < e->part_count; i++) {
        s->mpus += e->parts[i].batch_count != 0;
        s->largest = e->parts[i].most_vrfs > s->largest ? e->parts[i].most_vrfs : s->largest;
    }
    s->at_once = e->at_once;
    s->vrfs = e->vrfs;
    s->vrf_count = e->count;
    s->on = e->all;
    s->region = c->region;
    timing_path_add(&s->path, STEP_REGION, s->region, 0);
    control_flow_begin(&s->flow, body, c->top.base + c->top.depth);
    s->known = control_count_enter(c, body);
    if (!b)
        return;
    s->mpu = b->mpu;
    s->batch = b->index;
    s->weight = s->in_a_row = s->mpus = 1;
    s->vrfs = b->vrfs;
    s->vrf_count = s->at_once = b->count;
    s->ranges = xcalloc(b->count, sizeof *s->ranges);
    s->on = (struct vrf_set){s->ranges, control_vrf_ranges(b->vrfs, b->count, NULL, s->ranges)};
}

void control_strand_end(struct strand *s) {
    control_flow_free(&s->flow);
    timing_path_record_free(&s->path);
    free(s->ranges);
    free(s->off);
    free(s->clock);
    free(s->outcome_words);
    vec_free(&s->laps.list);
    free(s->known);
}

struct stop_place control_strand_place(const struct strand *s) {
    return (struct stop_place){s->flow.pc, s->mpu, s->batch, NO_INDEX, NO_INDEX};
}

bool control_strand_any(struct control *c, const struct strand *s, enum dp_any what,
                        struct dp_cost *cost) {
    uint32_t n = (uint32_t)vrf_set_size(s->on);
    if (n > c->bits_cap) {
        c->bits = xreallocarray(c->bits, n, 1);
        c->bits_cap = n;
    }
    if (c->config.count_laps && !cost)
        return false;
    c->dp->ops->any(c->dp, what, s->on, c->bits, cost);
    for (uint32_t i = 0; i < n; i++)
        if (c->bits[i])
            return true;
    return false;
}

/* A control instruction; all kinds but STEP_SLOT need the bits of all that was issued.  Where the
 * host takes it, it takes no more than that. */
static void take_step(struct control *c, struct strand *s, enum step_kind kind, uint64_t count) {
    uint64_t host_ps = control_host_cost_ps(c->target, c->text.insns[s->flow.pc].op);
    control_step_strand(c, s, 1, false);
    control_account_insn(c, s->flow.pc, s->weight);
    control_account_cycles(c, s, 1);
    if (host_ps && kind != STEP_SLOT)
        timing_path_add(&s->path, STEP_DRAIN, s->flow.pc, host_ps);
    else
        timing_path_add(&s->path, kind, s->flow.pc, host_ps ? host_ps : count);
    if (kind != STEP_SLOT && s->done_ps > s->time_ps)
        s->time_ps = s->done_ps;
    s->time_ps = sat_add(s->time_ps, host_ps ? host_ps : target_issue_ps(c->target));
}

/* Whether some lane has M; the machine answers, or the front end looks at the mask bits, those of a
 * batch: all batches are in step only in a run that counts. */
static bool ask(struct control *c, struct strand *s) {
    struct dp_cost cost = {.known = true, .uops = c->answer_uops, .energy_fj = c->answer_fj};
    if (!c->dp->tables.answers) {
        bool some = control_strand_any(c, s, DP_ANY_M, NULL), all = s->batch == NO_INDEX;
        take_step(c, s, STEP_EVALUATE, all ? s->largest : vrf_set_size(s->on));
        return some;
    }
    bool some = control_strand_any(c, s, DP_ANY_M, &cost);
    timing_path_add(&s->path, STEP_ANSWER, s->flow.pc, cost.ps);
    control_account_uop_cost(c, s->region, s->flow.pc, &cost);
    s->time_ps = sat_add(s->done_ps > s->time_ps ? s->done_ps : s->time_ps, cost.ps);
    take_step(c, s, STEP_DRAIN, 0);
    return some;
}

static void jump_on_mask(struct control *c, struct strand *s, const struct insn *x) {
    uint32_t pc = s->flow.pc, target = (uint32_t)x->imm;
    bool when_some = x->op == OP_JUMP_COND, taken = ask(c, s) == when_some;
    if (s->known && s->known->m != UNKNOWN) /* the same for all VRFs: none is idle */
        taken = (s->known->m == KNOWN_1) == when_some;
    else if (s->known)
        taken = control_count_taken(c, &s->laps, pc, target);
    else if (when_some && taken && target <= pc)
        control_switch_off_idle(s, c->bits, true, target, pc);
    else if (!when_some && !taken && target > pc)
        control_switch_off_idle(s, c->bits, false, target, target);
    s->flow.pc = taken ? target : pc + 1;
}

static bool is_watched(const struct control *c) {
    return c->config.step || c->dp->observed;
}

static void execute_joined(struct control *c, struct prepared_run *r, struct vrf_set set) {
    if (c->config.count_laps) /* its cost is fixed */
        return;
    control_spread_execute(&c->spread, c->dp, r->code, r->about.host_ps, set, NULL, 0);
    control_run_executed(r, set);
}

/* Strands at a run whose executions say what they cost: each has its own, side by side. */
static void execute_each(struct control *c, struct strand *strands, const uint32_t *front,
                         uint32_t count, struct prepared_run *const runs[2]) {
    struct spread_job *jobs = xcalloc((size_t)count + 1, sizeof *jobs);
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct strand *s = &strands[front[i]];
        struct prepared_run *r = runs[s->masked];
        if (r->about.form == DP_COST_FIXED)
            continue;
        control_run_begin_outcome(c, r, s);
        if (r->about.form == DP_COST_MEASURED)
            jobs[n++] = (struct spread_job){r->code, s->on, r->about.host_ps, &s->outcome};
        else
            control_spread_execute(&c->spread, c->dp, r->code, r->about.host_ps, s->on,
                                   s->outcome.lanes, r->about.stretches);
        control_run_executed(r, s->on);
    }
    control_spread_jobs(&c->spread, c->dp, jobs, n);
    free(jobs);
}

static bool is_fixed(const struct prepared_run *r) {
    return !r || r->about.form == DP_COST_FIXED;
}

bool control_strands_execute(struct control *c, struct strand *strands, const uint32_t *front,
                             uint32_t count) {
    struct prepared_run *runs[2] = {NULL, NULL}; /* unmasked, masked */
    uint32_t pc = strands[front[0]].flow.pc;
    if (pc >= c->text.len || !insn_in_run(&c->text.insns[pc]) || is_watched(c))
        return true;
    for (uint32_t i = 0; i < count; i++) {
        const struct strand *s = &strands[front[i]];
        if (!runs[s->masked])
            runs[s->masked] = control_run_get(c, pc, s->masked, control_strand_place(s));
        if (!runs[s->masked])
            return false;
    }
    for (unsigned masked = 0; masked < 2; masked++) {
        struct prepared_run *r = runs[masked];
        if (!r || !is_fixed(r))
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (strands[front[i]].masked == masked)
                control_spread_join(&c->spread, strands[front[i]].on);
        execute_joined(c, r, control_spread_joined(&c->spread));
    }
    if (!is_fixed(runs[0]) || !is_fixed(runs[1]))
        execute_each(c, strands, front, count, runs);
    return true;
}

static struct dp_times follow(const struct control *c, const struct strand *s,
                              const struct prepared_run *r, const struct dp_description *about,
                              uint64_t *clock) {
    struct dp_times times = {0};
    uint64_t vrfs = c->dp->tables.at_once ? vrf_set_size(s->on) : 0;
    c->dp->ops->follow(c->dp, r->code, about, vrfs, s->time_ps, clock, &times);
    return times;
}

/* When a run that is to be measured begins: as if it took no time. */
static uint64_t begin_of(const struct control *c, const struct strand *s,
                         const struct prepared_run *r) {
    uint32_t parts = c->dp->tables.clock_parts;
    uint64_t *clock = xcalloc((size_t)parts + 1, sizeof *clock);
    struct dp_description about = r->about;
    about.latency_ps = 0;
    if (parts)
        memcpy(clock, s->clock, parts * sizeof *clock);
    struct dp_times times = follow(c, s, r, &about, clock);
    free(clock);
    return times.begin_ps;
}

/* Strand by strand, as the observer wants its micro-ops; the strand's own clock passes. */
static void execute_watched(struct control *c, struct strand *s, struct prepared_run *r) {
    bool measured = r->about.form == DP_COST_MEASURED, fixed = r->about.form == DP_COST_FIXED;
    struct dp_times times = {0};
    if (!s->clock)
        s->clock = xcalloc((size_t)c->dp->tables.clock_parts + 1, sizeof *s->clock);
    if (!fixed)
        control_run_begin_outcome(c, r, s);
    if (!measured)
        times = follow(c, s, r, &r->about, s->clock);
    c->dp->ops->execute(c->dp, r->code, s->on, measured ? begin_of(c, s, r) : times.begin_ps,
                        fixed ? NULL : &s->outcome);
    if (measured)
        times = follow(c, s, r, control_run_cost(c, r, s).about, s->clock);
    s->time_ps = times.next_ps;
    s->done_ps = times.done_ps > s->done_ps ? times.done_ps : s->done_ps;
    control_run_executed(r, s->on);
}

/* VRFs of the batch that are switched off, where times depend on it. */
static uint64_t count_off(const struct control *c, const struct strand *s) {
    return c->dp->tables.at_once ? s->off_count : 0;
}

/* What the run at the pc costs this strand. */
static bool charge(struct control *c, struct strand *s) {
    struct prepared_run *r = control_run_get(c, s->flow.pc, s->masked, control_strand_place(s));
    if (!r)
        return false;
    control_step_strand(c, s, r->count, true);
    if (is_watched(c))
        execute_watched(c, s, r);
    struct run_cost cost = control_run_cost(c, r, s);
    timing_path_add(&s->path, STEP_RUN, cost.number, count_off(c, s));
    control_account_run(c, r, s, &cost);
    control_heat_run(s, r->first, cost.energy_fj);
    control_run_note(c, r, s, &cost);
    if (s->known)
        control_known_run(s->known, &c->text.insns[r->first], r->count, s->masked);
    if (r->masked_after >= 0)
        s->masked = r->masked_after;
    s->flow.pc = r->first + r->count;
    return true;
}

static bool footer(struct control *c, struct strand *s) {
    if (s->flow.depth)
        return control_stop(
            c, CONTROL_STOPPED, control_strand_place(s),
            "COMPUTE_DONE in a subroutine that the body called: a body must leave the "
            "return stack as it found it");
    if (s->flow.frames[0].loops)
        return control_stop(c, CONTROL_STOPPED, control_strand_place(s),
                            "COMPUTE_DONE inside a REPEAT");
    take_step(c, s, STEP_DRAIN, 0);
    s->finished = true;
    return true;
}

static bool misplaced(struct control *c, const struct strand *s, const struct insn *x) {
    if (x->op == OP_COUNT)
        return control_stop(c, CONTROL_STOPPED, control_strand_place(s), "illegal instruction");
    return control_stop(c, CONTROL_STOPPED, control_strand_place(s), "%s inside a compute ensemble",
                        isa_info(x->op)->name);
}

static void mark(struct control *c, struct strand *s, const struct insn *x) {
    s->region = control_account_region(c, (uint32_t)x->imm);
    timing_path_add(&s->path, STEP_REGION, s->region, 0);
    take_step(c, s, STEP_SLOT, 0);
    s->flow.pc++;
}

/* Set-up and one transfer, whatever the number of VRFs: the controller counts for all of the batch
 * at once. */
static void account_numbers(struct control *c, struct strand *s, const struct dp_cost *cost) {
    uint64_t ps = cost->known ? cost->ps : 0;
    take_step(c, s, STEP_NUMBERS, ps);
    s->time_ps = sat_add(s->time_ps, ps);
    if (c->target->datapath_ps)
        control_account_cycles(c, s, ps / c->target->datapath_ps);
    control_account_copy(c, s->region, s->flow.pc, cost);
    c->stats.transfers += vrf_set_size(s->on);
    s->flow.pc++;
}

/* INDEX: numbers of the elements, written by the data-transfer controller. */
static void write_numbers(struct control *c, const struct ensemble *e, struct strand *s,
                          const struct insn *x) {
    struct dp_cost cost = {.uops = c->answer_uops, .energy_fj = c->answer_fj};
    uint64_t vrfs = vrf_set_size(s->on);
    struct dp_copy *list = xcalloc(vrfs + 1, sizeof *list);
    size_t n = 0;
    for (size_t r = 0; r < s->on.count; r++)
        for (uint32_t k = 0; k < s->on.ranges[r].count; k++) {
            const struct dp_binding *b = control_ensemble_binding(e, s->on.ranges[r].first + k);
            list[n++] = (struct dp_copy){.dst_vrf = b->vrf,
                                         .dst_reg = x->rd,
                                         .width = x->width,
                                         .source = DP_FROM_COUNT,
                                         .value = b->first_element,
                                         .count = b->valid_lanes,
                                         .dst_step = 1};
        }
    const struct dp_share all = {.mpu = s->mpu, .registers = n, .in_a_row = 1};
    const struct dp_transfer t = {
        .width = x->width, .copies = list, .count = n, .shares = &all, .share_count = 1};
    c->dp->ops->copy(c->dp, &t, &cost);
    free(list);
    if (s->known)
        control_known_forget(s->known, x->rd, x->width);
    account_numbers(c, s, &cost);
}

/* A control instruction. */
static bool control_step(struct control *c, const struct ensemble *e, struct strand *s,
                         const struct insn *x) {
    const char *why = NULL;
    switch (x->op) {
    case OP_COMPUTE_DONE:
        return footer(c, s);
    case OP_JUMP_COND:
    case OP_JUMP_NONE:
        jump_on_mask(c, s, x);
        return true;
    case OP_INDEX:
        write_numbers(c, e, s, x);
        return true;
    case OP_MARK:
        mark(c, s, x);
        return true;
    case OP_PRINT:
        control_debug_print(c, e, s);
        break;
    case OP_ASSERT: /* compute.c has seen that it holds */
        break;
    default: {
        uint32_t pc = s->flow.pc;
        if (!control_flow_step(&s->flow, &c->text, x, &why))
            return misplaced(c, s, x);
        if (why)
            return control_stop(c, CONTROL_STOPPED, control_strand_place(s), "%s", why);
        uint32_t next = s->flow.pc;
        s->flow.pc = pc;
        take_step(c, s, STEP_SLOT, 0);
        s->flow.pc = next;
        return true;
    }
    }
    take_step(c, s, STEP_SLOT, 0);
    s->flow.pc++;
    return true;
}

bool control_strand_step(struct control *c, const struct ensemble *e, struct strand *s) {
    if (s->flow.pc >= c->text.len)
        return control_stop(c, CONTROL_STOPPED, control_strand_place(s),
                            "the text ends inside a compute ensemble");
    uint32_t pc = s->flow.pc;
    const struct insn *x = &c->text.insns[pc];
    if (!(insn_in_run(x) ? charge(c, s) : control_step(c, e, s, x)))
        return false;
    if (s->flow.pc <= pc && !s->finished)
        timing_path_back(&s->path, s->flow.pc);
    if (s->off_count && !s->finished)
        control_switch_on(s);
    return c->end == CONTROL_DONE;
}
