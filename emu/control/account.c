/* SPDX-License-Identifier: MIT
 * Statistics: clocks of the MPUs, regions, counts per instruction. */
#include "support/saturate.h"
#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <string.h>

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

void control_account_open(struct control *c) {
    struct marked_region first = {.mark = NO_INDEX};
    c->mpu_cycles = xcalloc(c->package->mpus ? c->package->mpus : 1, sizeof(uint64_t));
    c->ensemble_cycles = xcalloc(c->package->mpus ? c->package->mpus : 1, sizeof(uint64_t));
    c->insns = xcalloc(c->text.len ? c->text.len : 1, sizeof *c->insns);
    control_heat_open(c);
    c->used_vrfs = xcalloc((size_t)c->package->mpus * target_vrfs_per_mpu(c->target) + 1, 1);
    vec_push(&c->regions, first);
    c->stats.cost_known = !c->config.cost_unknown;
    c->stats.uops = c->uops = xcalloc((size_t)c->dp->tables.kind_count + 1, sizeof *c->uops);
    c->answer_uops = xcalloc((size_t)c->dp->tables.kind_count + 1, sizeof *c->answer_uops);
    c->answer_fj = xcalloc((size_t)c->dp->tables.part_count + 1, sizeof *c->answer_fj);
    c->stats.energy_fj = c->energy_fj =
        xcalloc((size_t)c->dp->tables.part_count + 1, sizeof *c->energy_fj);
    c->stats.counters = c->counters =
        xcalloc((size_t)c->dp->tables.counter_count + 1, sizeof *c->counters);
    if (c->dp->tables.counter_count)
        c->dp->ops->counters(c->dp, c->counters);
    if (!c->config.cost_unknown)
        c->timing = timing_new(&(struct timing_setup){.target = c->target,
                                                      .dp = c->dp,
                                                      .code = c->package->code,
                                                      .text = &c->text,
                                                      .text_len = c->text.len,
                                                      .mpus = c->mpus,
                                                      .mpu_count = c->mpu_count,
                                                      .lanes = c->package->lanes,
                                                      .machine_mpus = c->package->mpus,
                                                      .span = c->config.span,
                                                      .span_context = c->config.span_context});
}

void control_account_close(struct control *c) {
    timing_free(c->timing);
    dtc_free(c->dtc);
    vec_free(&c->regions);
    free(c->mpu_cycles);
    free(c->ensemble_cycles);
    free(c->insns);
    free(c->uops);
    free(c->answer_uops);
    free(c->answer_fj);
    free(c->counters);
    free(c->energy_fj);
    free(c->used_vrfs);
    control_heat_close(c);
    free(c->region_stats);
}

void control_account_insn(struct control *c, uint32_t index, uint64_t times) {
    add(&c->insns[index].executed, times);
}

void control_account_top(struct control *c, uint32_t index) {
    struct timing_place at = place_of(c, index);
    uint64_t host_ps = control_host_cost_ps(c->target, c->text.insns[index].op);
    control_step_stream(c, index);
    control_account_insn(c, index, c->now->count);
    control_account_elapsed(c, 1);
    for (uint32_t i = 0; c->timing && i < c->now->count; i++)
        if (c->text.insns[index].op == OP_MPU_SYNC)
            timing_sync(c->timing, c->now->mpus[i], at, host_ps);
        else
            timing_slot(c->timing, c->now->mpus[i], at, host_ps);
}

void control_account_elapsed(struct control *c, uint64_t cycles) {
    if (all_together(c)) {
        add(&c->cycles, cycles);
        return;
    }
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint64_t *sum = &c->mpu_cycles[c->now->mpus[i]];
        add(sum, cycles);
        if (*sum > c->most_mpu_cycles)
            c->most_mpu_cycles = *sum;
    }
}

static void add_list(uint64_t *sums, const uint64_t *more, uint32_t count, uint64_t times) {
    for (uint32_t i = 0; more && i < count; i++)
        add(&sums[i], sat_mul(more[i], times));
}

static uint64_t sum_of(const uint64_t *list, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; list && i < count; i++)
        add(&sum, list[i]);
    return sum;
}

/* Micro-ops by kind and energy by part, `times` times. */
static void account_uops(struct control *c, uint32_t region, const uint64_t *uops,
                         const uint64_t *energy_fj, uint64_t times) {
    const struct dp_tables *t = &c->dp->tables;
    struct marked_region *r = &c->regions.data[region];
    add_list(c->uops, uops, t->kind_count, times);
    add_list(c->energy_fj, energy_fj, t->part_count, times);
    add(&r->micro_ops, sat_mul(sum_of(uops, t->kind_count), times));
    add(&r->energy_fj, sat_mul(sum_of(energy_fj, t->part_count), times));
}

void control_account_uop_cost(struct control *c, uint32_t region, uint32_t index,
                              const struct dp_cost *cost) {
    const struct dp_tables *t = &c->dp->tables;
    add(&c->insns[index].micro_ops, sum_of(cost->uops, t->kind_count));
    add(&c->insns[index].energy_fj, sum_of(cost->energy_fj, t->part_count));
    account_uops(c, region, cost->uops, cost->energy_fj, 1);
    if (cost->uops)
        memset(cost->uops, 0, t->kind_count * sizeof *cost->uops);
    if (cost->energy_fj)
        memset(cost->energy_fj, 0, t->part_count * sizeof *cost->energy_fj);
}

void control_account_copy(struct control *c, uint32_t region, uint32_t index,
                          const struct dp_cost *cost) {
    control_account_uop_cost(c, region, index, cost);
    c->stats.cost_known &= cost->known;
    add(&c->stats.transfer_fj, cost->transfer_fj);
    add(&c->regions.data[region].energy_fj, cost->transfer_fj);
    add(&c->insns[index].energy_fj, cost->transfer_fj);
}

void control_account_cycles(struct control *c, const struct strand *s, uint64_t cycles) {
    uint64_t *sum = &c->ensemble_cycles[s->mpu == NO_INDEX ? c->now->mpus[0] : s->mpu];
    add(sum, sat_mul(cycles, s->in_a_row));
    if (*sum > c->busiest_cycles)
        c->busiest_cycles = *sum;
}

/* Energy of the lanes that were enabled. */
static void account_lanes(struct control *c, const struct prepared_run *r, const struct strand *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t fj = sat_mul(r->about.insn_lane_fj[i], s->outcome.lanes[r->about.insn_stretch[i]]);
        add(&c->insns[r->first + i].energy_fj, fj);
        add(&sum, fj);
    }
    add(&c->energy_fj[r->about.lane_part], sum);
    add(&c->regions.data[s->region].energy_fj, sum);
}

static void account_measured(struct control *c, const struct prepared_run *r,
                             const struct strand *s) {
    const struct dp_outcome *o = &s->outcome;
    account_uops(c, s->region, o->uops, o->energy_fj, 1);
    for (uint32_t i = 0; i < r->count; i++) {
        add(&c->insns[r->first + i].micro_ops, o->insn_micro_ops[i]);
        add(&c->insns[r->first + i].energy_fj, o->insn_energy_fj[i]);
    }
}

/* Instructions of the run, each one slot of the front end, and the datapath's cycles from the
 * start of the run to its last bit. */
void control_account_run(struct control *c, struct prepared_run *r, const struct strand *s,
                         const struct run_cost *cost) {
    uint64_t vrfs = vrf_set_size(s->on), period = c->target->datapath_ps;
    uint64_t cycles = r->count, latency = cost->latency_ps;
    if (!c->config.cost_unknown && period)
        cycles = sat_add(cycles, latency / period + (latency % period != 0));
    control_account_cycles(c, s, cycles);
    r->batches += s->weight;
    r->vrfs += vrfs;
    while (r->region_vrfs.len <= s->region)
        vec_push(&r->region_vrfs, 0);
    r->region_vrfs.data[s->region] += vrfs;
    if (r->about.form == DP_COST_LANES)
        account_lanes(c, r, s);
    if (r->about.form == DP_COST_MEASURED)
        account_measured(c, r, s);
}

/* VRFs of one MPU, which are neighbours. */
static const uint32_t *vrfs_of(const struct control *c, const struct ensemble *e, uint32_t mpu,
                               uint32_t *count) {
    uint32_t per_mpu = target_vrfs_per_mpu(c->target), first = 0, end = e->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (e->vrfs[middle] / per_mpu < mpu)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < e->count && e->vrfs[end] / per_mpu == mpu)
        end++;
    *count = end - first;
    return e->vrfs + first;
}

void control_account_body(struct control *c, const struct ensemble *e, const struct ensemble *whole,
                          struct strand *strands, uint32_t first, uint32_t header) {
    if (!c->timing)
        return;
    bool same = e->batch_count && strands[0].mpu == NO_INDEX;
    uint32_t count = same ? 1 : e->batch_count;
    uint32_t *paths = xcalloc((size_t)count + 1, sizeof *paths);
    for (uint32_t i = 0; i < count; i++)
        paths[i] = timing_path(c->timing, &strands[i].path);
    for (uint32_t i = 0, w = 0; i < e->part_count; i++) {
        const struct ensemble_part *p = &e->parts[i];
        while (whole->parts[w].mpu != p->mpu)
            w++;
        struct timing_compute x = {.at = {first, c->region},
                                   .header_slots = p->header_slots + (p->batch_count == 0),
                                   .header_host_ps =
                                       sat_mul(control_host_cost_ps(c->target, OP_COMPUTE), header),
                                   .batches = whole->batches + whole->parts[w].first_batch,
                                   .count = p->batch_count,
                                   .paths = paths + (same ? 0 : p->first_batch),
                                   .same_path = same};
        x.vrfs = vrfs_of(c, whole, p->mpu, &x.vrf_count);
        timing_compute(c->timing, p->mpu, &x);
    }
    free(paths);
}

void control_account_bound(struct control *c, const struct ensemble *e) {
    c->stats.ensembles++;
    c->stats.batches += e->batch_count;
    if (e->lanes > c->stats.lanes_valid)
        c->stats.lanes_valid = e->lanes;
    if (e->lanes > c->round_lanes)
        c->round_lanes = e->lanes;
    for (uint32_t i = 0; i < e->count; i++) {
        c->stats.vrfs_used += !c->used_vrfs[e->vrfs[i]];
        c->used_vrfs[e->vrfs[i]] = 1;
    }
}

void control_account_message(struct control *c, uint32_t from, uint32_t to, uint64_t bytes) {
    c->stats.messages++;
    add(&c->stats.message_bytes, bytes);
    add(&c->stats.message_hops, target_hops(c->target, from, to));
}

/* A question goes to the lowest MPU and its answer comes back, as far as they have to go. */
void control_account_barrier(struct control *c, bool any) {
    uint32_t *mpus = xcalloc((size_t)c->mpu_count + 1, sizeof *mpus), count = 0, hops = 0;
    for (uint32_t i = 0; i < c->mpu_count; i++)
        if (control_stream_of(c, c->mpus[i]))
            mpus[count++] = c->mpus[i];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t far = target_hops(c->target, mpus[0], mpus[i]);
        hops = far > hops ? far : hops;
    }
    const struct stream *first = c->streams.data[0];
    struct timing_meeting x = {.at = {first->flow.pc, first->region},
                               .mpus = mpus,
                               .count = count,
                               .hops = any ? 2 * (uint64_t)hops : 0};
    if (c->timing && count)
        timing_meet(c->timing, &x);
    free(mpus);
}

uint64_t control_account_now(const struct control *c, uint32_t mpu) {
    return c->timing ? timing_reached(c->timing, mpu) : 0;
}

uint32_t control_account_region(struct control *c, uint32_t mark) {
    struct marked_region fresh = {.mark = mark};
    for (size_t i = 0; i < c->regions.len; i++)
        if (c->regions.data[i].mark == mark)
            return (uint32_t)i;
    vec_push(&c->regions, fresh);
    return (uint32_t)c->regions.len - 1;
}

static void fold_run(struct control *c, const struct prepared_run *r) {
    for (uint32_t i = 0; i < r->region_vrfs.len; i++)
        account_uops(c, i, r->about.uops, r->about.energy_fj, r->region_vrfs.data[i]);
    for (uint32_t i = 0; i < r->count; i++) {
        struct control_insn_stats *s = &c->insns[r->first + i];
        control_account_insn(c, r->first + i, r->batches);
        if (r->about.insn_micro_ops)
            add(&s->micro_ops, sat_mul(r->about.insn_micro_ops[i], r->vrfs));
        if (r->about.insn_energy_fj)
            add(&s->energy_fj, sat_mul(r->about.insn_energy_fj[i], r->vrfs));
    }
}

static void finish_regions(struct control *c) {
    c->region_stats = xcalloc(c->regions.len, sizeof *c->region_stats);
    for (size_t i = 0; i < c->regions.len; i++) {
        const struct marked_region *r = &c->regions.data[i];
        struct timing_sums sums = {0};
        if (c->timing)
            sums = timing_region(c->timing, (uint32_t)i);
        uint64_t fj = sat_add(sums.network_fj, sat_mul(sums.cycles, c->target->front_end_fj));
        c->region_stats[i] = (struct control_region_stats){r->mark, sums.ps, r->micro_ops,
                                                           sat_add(r->energy_fj, fj)};
    }
}

/* nW x ps is 10^-6 fJ.  The front end has work while its MPU has, and is not there where the host
 * stands in for it; arrays are on all the time. */
static void finish_static(struct control *c, const struct timing_totals *all) {
    bool host = c->target->control != CONTROL_MPU;
    c->stats.front_end_fj = sat_mul(c->stats.issue_slots, c->target->front_end_fj);
    c->stats.static_fj = sat_add(
        sat_scale(host ? 0 : c->target->front_end_static_nw, all->mpu_ps, 1000000),
        sat_scale(c->target->array_static_nw, sat_mul(all->time_ps, c->mpu_count), 1000000));
}

static void finish_times(struct control *c) {
    struct control_stats *s = &c->stats;
    struct timing_totals all;
    timing_finish(c->timing);
    timing_totals(c->timing, &all);
    for (uint32_t i = 0; i < c->text.len; i++) {
        struct timing_sums sums = timing_insn(c->timing, i);
        c->insns[i].time_ps = sums.ps;
        add(&c->insns[i].energy_fj, sums.network_fj);
        add(&c->insns[i].energy_fj, sat_mul(sums.cycles, c->target->front_end_fj));
    }
    s->time_ps = all.time_ps;
    s->mpu_time_ps = all.mpu_ps;
    s->network_fj = all.network_fj;
    for (int i = 0; i < TIMING_PARTS; i++) {
        s->part_ps[i] = all.part_ps[i];
        s->part_cycles[i] = all.part_cycles[i];
        add(&s->issue_slots, all.part_cycles[i]);
    }
    s->compute_ps = s->part_ps[TIMING_COMPUTE];
    s->transfer_ps = sat_add(s->part_ps[TIMING_TRANSFER], s->part_ps[TIMING_NETWORK]);
    s->host_ps = s->part_ps[TIMING_HOST];
    s->control_ps = s->time_ps - s->compute_ps - s->transfer_ps - s->host_ps;
    s->host_fj = control_host_energy_fj(c->target, s->time_ps, s->host_ps);
    if (c->target->datapath_ps)
        s->datapath_cycles = sat_scale_up(s->compute_ps, 1, c->target->datapath_ps);
    finish_static(c, &all);
}

/* What the machine counted since the control path took it over. */
static void finish_counters(struct control *c) {
    uint32_t n = c->dp->tables.counter_count;
    uint64_t *now = xcalloc((size_t)n + 1, sizeof *now);
    if (n)
        c->dp->ops->counters(c->dp, now);
    for (uint32_t i = 0; i < n; i++)
        c->counters[i] = now[i] - c->counters[i];
    free(now);
}

void control_account_finish(struct control *c) {
    struct control_stats *s = &c->stats;
    finish_counters(c);
    for (size_t i = 0; i < 2 * (size_t)c->text.len; i++)
        if (c->runs[i])
            fold_run(c, c->runs[i]);
    for (uint32_t i = 0; i < c->text.len; i++)
        add(&s->instructions, c->insns[i].executed);
    s->mpus_used = c->mpu_count;
    s->rounds++;
    s->elements += c->round_lanes;
    if (c->timing)
        finish_times(c);
    finish_regions(c);
}
