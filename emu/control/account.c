/* SPDX-License-Identifier: MIT
 * Statistics: clocks of the MPUs, regions, counts per instruction. */
#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <string.h>

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

void account_open(struct control *c) {
    struct region first = {.mark = NO_INDEX};
    c->clocks = xcalloc(c->package->mpus ? c->package->mpus : 1, sizeof *c->clocks);
    c->mpu_cycles = xcalloc(c->package->mpus ? c->package->mpus : 1, sizeof(uint64_t));
    c->ensemble_cycles = xcalloc(c->package->mpus ? c->package->mpus : 1, sizeof(uint64_t));
    c->insns = xcalloc(c->text.len ? c->text.len : 1, sizeof *c->insns);
    heat_open(c);
    c->used_vrfs = xcalloc((size_t)c->package->mpus * target_vrfs_per_mpu(c->target) + 1, 1);
    vec_push(&c->regions, first);
    c->stats.cost_known = !c->config.cost_unknown;
}

void account_close(struct control *c) {
    for (size_t i = 0; i < c->regions.len; i++)
        free(c->regions.data[i].mpu_ps);
    vec_free(&c->regions);
    free(c->clocks);
    free(c->mpu_cycles);
    free(c->ensemble_cycles);
    free(c->insns);
    free(c->used_vrfs);
    heat_close(c);
    free(c->region_stats);
}

void account_insn(struct control *c, uint32_t index, uint64_t times) {
    add(&c->insns[index].executed, times);
    if (!host_takes(c->target, c->text.insns[index].op))
        add(&c->stats.issue_slots, times);
}

struct mpu_clock account_slots(const struct control *c, enum mpu_op op, uint64_t slots) {
    uint64_t host = host_cost_ps(c->target, op), ps = sat_mul(slots, slot_ps(c));
    return host_takes(c->target, op) ? (struct mpu_clock){.time_ps = host, .host_ps = host}
                                     : (struct mpu_clock){.time_ps = ps, .control_ps = ps};
}

static void region_time(struct control *c, uint32_t region, uint32_t mpu, uint64_t ps) {
    struct region *r = &c->regions.data[region];
    if (!r->mpu_ps)
        r->mpu_ps = xcalloc(c->package->mpus, sizeof *r->mpu_ps);
    add(&r->mpu_ps[mpu], ps);
}

void account_mpu(struct control *c, uint32_t mpu, uint32_t region, struct mpu_clock spent) {
    struct mpu_clock *m = &c->clocks[mpu];
    add(&m->time_ps, spent.time_ps);
    add(&m->compute_ps, spent.compute_ps);
    add(&m->transfer_ps, spent.transfer_ps);
    add(&m->control_ps, spent.control_ps);
    add(&m->host_ps, spent.host_ps);
    region_time(c, region, mpu, spent.time_ps);
}

void account_top(struct control *c, uint32_t index) {
    struct mpu_clock took = account_slots(c, c->text.insns[index].op, 1);
    span_stream(c, index, took.time_ps);
    step_stream(c, index);
    account_insn(c, index, c->now->count);
    account_elapsed(c, 1);
    if (!all_together(c)) {
        for (uint32_t i = 0; i < c->now->count; i++)
            account_mpu(c, c->now->mpus[i], c->region, took);
        return;
    }
    add(&c->common.time_ps, took.time_ps);
    add(&c->common.control_ps, took.control_ps);
    add(&c->common.host_ps, took.host_ps);
    add(&c->regions.data[c->region].common_ps, took.time_ps);
}

void account_elapsed(struct control *c, uint64_t cycles) {
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

uint64_t account_now(const struct control *c, uint32_t mpu) {
    return sat_add(c->common.time_ps, c->clocks[mpu].time_ps);
}

void account_wait(struct control *c, uint32_t mpu, uint64_t ps) {
    uint64_t now = account_now(c, mpu), wait = ps > now ? ps - now : 0;
    const struct stream *s = stream_of(c, mpu);
    if (!wait)
        return;
    span_report(c, mpu, UNIT_PRECODER, 0, now, wait, s && s != c->now ? s->flow.pc : c->top.pc);
    account_mpu(c, mpu, c->region, (struct mpu_clock){.time_ps = wait, .control_ps = wait});
}

void account_cost(struct control *c, uint32_t region, const struct dp_cost *cost) {
    struct region *r = &c->regions.data[region];
    c->stats.cost_known &= cost->known;
    for (unsigned k = 0; k < DP_MAX_KINDS; k++) {
        add(&c->stats.uops[k], cost->uops[k]);
        add(&r->micro_ops, cost->uops[k]);
    }
    for (unsigned k = 0; k < DP_ENERGY_PARTS; k++) {
        add(&c->stats.energy_fj[k], cost->energy_fj[k]);
        add(&r->energy_fj, cost->energy_fj[k]);
    }
}

void account_cycles(struct control *c, const struct strand *s, uint64_t cycles) {
    uint64_t *sum = &c->ensemble_cycles[s->mpu == NO_INDEX ? c->now->mpus[0] : s->mpu];
    add(sum, sat_mul(cycles, s->in_a_row));
    if (*sum > c->busiest_cycles)
        c->busiest_cycles = *sum;
}

/* Instructions of the run, each one slot of the front end, and the datapath's cycles from the
 * start of the run to its last bit. */
void account_run(struct control *c, struct run *r, const struct strand *s,
                 const struct dp_cost *cost, uint64_t start_ps) {
    uint64_t cycles = r->count, period = c->target->datapath_ps;
    if (cost->known && period && cost->done_ps > start_ps)
        cycles = sat_add(cycles, sat_scale_up(cost->done_ps - start_ps, 1, period));
    r->batches += s->weight;
    r->vrfs += vrf_set_size(s->on);
    account_cycles(c, s, cycles);
    account_cost(c, s->region, cost);
}

static struct mpu_clock times(struct mpu_clock x, uint64_t n) {
    return (struct mpu_clock){x.time_ps * n, x.compute_ps * n, x.transfer_ps * n, x.control_ps * n,
                              x.host_ps * n};
}

void account_strand(struct control *c, const struct ensemble *e, struct strand *s) {
    uint64_t time = s->time_ps - s->noted_ps, slots = s->slots_ps - s->noted_slots_ps;
    uint64_t host = s->host_ps - s->noted_host_ps;
    struct mpu_clock spent = {time, time - slots - host, 0, slots, host};
    s->noted_ps = s->time_ps;
    s->noted_slots_ps = s->slots_ps;
    s->noted_host_ps = s->host_ps;
    if (s->mpu != NO_INDEX) {
        account_mpu(c, s->mpu, s->region, spent);
        return;
    }
    for (uint32_t i = 0; i < e->part_count; i++)
        if (e->parts[i].batch_count)
            account_mpu(c, e->parts[i].mpu, s->region, times(spent, e->parts[i].batch_count));
}

void account_bound(struct control *c, const struct ensemble *e) {
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

void account_message(struct control *c, uint32_t from, uint32_t to, uint64_t bytes) {
    c->stats.messages++;
    add(&c->stats.message_bytes, bytes);
    add(&c->stats.message_hops, target_hops(c->target, from, to));
}

/* The MPU that is done last; the lowest of several. */
static uint32_t slowest(const struct control *c) {
    uint32_t last = c->mpus[0];
    for (uint32_t i = 1; i < c->mpu_count; i++)
        if (c->clocks[c->mpus[i]].time_ps > c->clocks[last].time_ps)
            last = c->mpus[i];
    return last;
}

void account_barrier(struct control *c) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < c->mpu_count; i++)
        if (stream_of(c, c->mpus[i]) && account_now(c, c->mpus[i]) > end)
            end = account_now(c, c->mpus[i]);
    for (size_t i = 0; i < c->streams.len; i++) {
        const struct stream *s = c->streams.data[i];
        c->region = s->region;
        for (uint32_t k = 0; k < s->count; k++)
            account_wait(c, s->mpus[k], end);
    }
}

uint32_t account_region(struct control *c, uint32_t mark) {
    struct region fresh = {.mark = mark};
    for (size_t i = 0; i < c->regions.len; i++)
        if (c->regions.data[i].mark == mark)
            return (uint32_t)i;
    vec_push(&c->regions, fresh);
    return (uint32_t)c->regions.len - 1;
}

static void fold_run(struct control *c, const struct run *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        struct control_insn_stats *s = &c->insns[r->first + i];
        account_insn(c, r->first + i, r->batches);
        if (r->about.insn_micro_ops)
            add(&s->micro_ops, sat_mul(r->about.insn_micro_ops[i], r->vrfs));
        if (r->about.insn_energy_fj)
            add(&s->energy_fj, sat_mul(r->about.insn_energy_fj[i], r->vrfs));
    }
    if (r->about.issue_slots > r->count) /* those of micro-ops */
        add(&c->stats.issue_slots, sat_mul(r->about.issue_slots - r->count, r->batches));
}

static void finish_regions(struct control *c) {
    c->region_stats = xcalloc(c->regions.len, sizeof *c->region_stats);
    for (size_t i = 0; i < c->regions.len; i++) {
        const struct region *r = &c->regions.data[i];
        uint64_t most = 0;
        for (uint32_t k = 0; r->mpu_ps && k < c->mpu_count; k++)
            if (r->mpu_ps[c->mpus[k]] > most)
                most = r->mpu_ps[c->mpus[k]];
        c->region_stats[i] = (struct control_region_stats){r->mark, sat_add(r->common_ps, most),
                                                           r->micro_ops, r->energy_fj};
    }
}

/* nW x ps is 10^-6 fJ.  The front end has work while its MPU has, and is not there where the host
 * stands in for it; arrays are on all the time. */
static void finish_static(struct control *c) {
    bool host = c->target->control == CONTROL_HOST;
    uint64_t busy = 0;
    for (uint32_t i = 0; i < c->mpu_count; i++)
        add(&busy, sat_add(c->clocks[c->mpus[i]].time_ps, c->common.time_ps));
    c->stats.front_end_fj = sat_mul(c->stats.issue_slots, c->target->front_end_fj);
    c->stats.static_fj = sat_add(
        sat_scale(host ? 0 : c->target->front_end_static_nw, busy, 1000000),
        sat_scale(c->target->array_static_nw, sat_mul(c->stats.time_ps, c->mpu_count), 1000000));
}

void account_finish(struct control *c) {
    struct control_stats *s = &c->stats;
    const struct mpu_clock *last = &c->clocks[slowest(c)];
    for (size_t i = 0; i < 2 * (size_t)c->text.len; i++)
        if (c->runs[i])
            fold_run(c, c->runs[i]);
    for (uint32_t i = 0; i < c->text.len; i++)
        add(&s->instructions, c->insns[i].executed);
    s->time_ps = sat_add(c->common.time_ps, last->time_ps);
    s->compute_ps = last->compute_ps;
    s->transfer_ps = last->transfer_ps;
    s->control_ps = sat_add(c->common.control_ps, last->control_ps);
    s->host_ps = sat_add(c->common.host_ps, last->host_ps);
    if (c->target->datapath_ps)
        s->datapath_cycles = sat_scale_up(s->compute_ps, 1, c->target->datapath_ps);
    s->mpus_used = c->mpu_count;
    s->rounds++;
    s->elements += c->round_lanes;
    s->host_fj = host_energy_fj(c->target, s->time_ps, s->host_ps);
    finish_regions(c);
    finish_static(c);
}
