/* SPDX-License-Identifier: MIT
 * Statistics: clocks of the MPUs, regions, counts per instruction. */
#include "support/saturate.h"
#include "emu/control/baseline.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

/* As many as they are; the caller frees them. */
static uint64_t *unit_values(const struct control *control) {
    const struct dp_tables *t = &control->dp->tables;
    uint64_t *values = xcalloc((size_t)t->units * t->unit_counter_count + 1, sizeof *values);
    if (t->unit_counter_count)
        control->dp->ops->unit_counters(control->dp, values);
    return values;
}

static void open_unit_counters(struct control *control) {
    control->account.unit_values = unit_values(control);
    control->account.stats.unit_counters = control->account.unit_counters = xcalloc(
        (size_t)control->dp->tables.unit_counter_count + 1, sizeof *control->account.unit_counters);
}

void control_account_open(struct control *control) {
    struct marked_region first = {.mark = NO_INDEX};
    control->limits.mpu_cycles =
        xcalloc(control->package->mpus ? control->package->mpus : 1, sizeof(uint64_t));
    control->limits.ensemble_cycles =
        xcalloc(control->package->mpus ? control->package->mpus : 1, sizeof(uint64_t));
    control->account.insns =
        xcalloc(control->text.len ? control->text.len : 1, sizeof *control->account.insns);
    control_heat_open(control);
    control->account.used_vrfs =
        xcalloc((size_t)control->package->mpus * target_vrfs_per_mpu(control->target) + 1, 1);
    vec_push(&control->account.regions, first);
    control->account.stats.cost_known = !control->config.cost_unknown;
    control->account.stats.element_instructions_known = true;
    control->account.stats.kind_fj = control->account.kind_fj =
        xcalloc((size_t)control->dp->tables.kind_count + 1, sizeof *control->account.kind_fj);
    control->account.stats.uops = control->account.uops =
        xcalloc((size_t)control->dp->tables.kind_count + 1, sizeof *control->account.uops);
    control->account.answer_uops =
        xcalloc((size_t)control->dp->tables.kind_count + 1, sizeof *control->account.answer_uops);
    control->account.launch_kind_fj = xcalloc((size_t)control->dp->tables.kind_count + 1,
                                              sizeof *control->account.launch_kind_fj);
    if (control->dp->tables.selects || control->dp->tables.measured)
        control->account.answer_kind_fj = xcalloc((size_t)control->dp->tables.kind_count + 1,
                                                  sizeof *control->account.answer_kind_fj);
    control->account.answer_fj =
        xcalloc((size_t)control->dp->tables.part_count + 1, sizeof *control->account.answer_fj);
    control->account.stats.energy_fj = control->account.energy_fj =
        xcalloc((size_t)control->dp->tables.part_count + 1, sizeof *control->account.energy_fj);
    control->account.stats.counters = control->account.counters =
        xcalloc((size_t)control->dp->tables.counter_count + 1, sizeof *control->account.counters);
    if (control->dp->tables.counter_count)
        control->dp->ops->counters(control->dp, control->account.counters);
    open_unit_counters(control);
    if (!control->config.cost_unknown)
        control->timing =
            timing_new(&(struct timing_setup){.target = control->target,
                                              .dp = control->dp,
                                              .code = control->package->code,
                                              .text = &control->text,
                                              .text_len = control->text.len,
                                              .mpus = control->mpus,
                                              .mpu_count = control->mpu_count,
                                              .lanes = control->package->lanes,
                                              .machine_mpus = control->package->mpus,
                                              .tables = control->config.tables,
                                              .span = control->config.span,
                                              .span_context = control->config.span_context,
                                              .bars = control->config.span_bars});
}

void control_account_close(struct control *control) {
    timing_free(control->timing);
    dtc_free(control->dtc);
    vec_free(&control->account.regions);
    free(control->limits.mpu_cycles);
    free(control->limits.ensemble_cycles);
    free(control->account.insns);
    free(control->account.uops);
    free(control->account.kind_fj);
    free(control->account.answer_uops);
    free(control->account.answer_fj);
    free(control->account.answer_kind_fj);
    free(control->account.launch_kind_fj);
    free(control->account.counters);
    free(control->account.unit_values);
    free(control->account.unit_counters);
    free(control->account.energy_fj);
    free(control->account.used_vrfs);
    control_heat_close(control);
    free(control->account.region_stats);
    for (size_t i = 0; i < control->account.kernels.len; i++) {
        free(control->account.kernels.data[i].places);
        free(control->account.kernels.data[i].figures);
    }
    vec_free(&control->account.kernels);
}

void control_account_insn(struct control *control, uint32_t index, uint64_t times) {
    add(&control->account.insns[index].executed, times);
}

static uint64_t lanes_of(const struct control *control, uint64_t vrfs) {
    uint32_t each = control->package->lanes ? control->package->lanes : control->target->lanes;
    return sat_mul(vrfs, each);
}

/* A JUMP_ANY is about the masks of all MPUs. */
static uint64_t host_cost_ps(const struct control *control, enum isa_op op) {
    uint64_t vrfs = 0;
    if (op != OP_JUMP_ANY || !control_host_decides(control->target, OP_JUMP_COND))
        return control_host_cost_ps(control->target, op);
    for (uint32_t i = 0; i < control->mpu_count; i++)
        vrfs += control->streams.a[control->mpus[i]].vrfs;
    return sat_add(control->target->host_round_trip_ps,
                   control_host_masks_ps(control->target, lanes_of(control, vrfs)));
}

void control_account_decision(struct control *control, struct host_decisions *decisions,
                              struct timing_place at, uint64_t vrfs) {
    uint64_t lanes = control->dp->tables.answers ? 0 : lanes_of(control, vrfs);
    uint64_t ps = control_host_decision_ps(control->target, lanes);
    if (!ps)
        return;
    for (size_t i = 0; i < decisions->list.len; i++) {
        struct timing_decision *d = &decisions->list.data[i];
        if (d->at.index == at.index && d->at.region == at.region) {
            add(&d->ps, ps);
            return;
        }
    }
    vec_push(&decisions->list, ((struct timing_decision){at, ps}));
}

void control_account_crossing(struct control *control, const uint32_t *mpus, size_t count) {
    uint64_t ps = control_host_crossing_ps(control->target);
    for (size_t i = 0; ps && control->timing && i < count; i++)
        timing_slot(control->timing, mpus[i], place_of(control, control->top.pc), ps);
}

void control_account_top(struct control *control, uint32_t index) {
    control_step_stream(control, index, false);
    control_account_told(control, index);
}

void control_account_told(struct control *control, uint32_t index) {
    struct timing_place at = place_of(control, index);
    enum isa_op op = control->text.insns[index].op;
    uint64_t host_ps = host_cost_ps(control, op);
    bool unrolled = !host_ps && control_host_takes(control->target, op);
    control_account_insn(control, index, control->now->count);
    control_account_elapsed(control, 1);
    for (uint32_t i = 0; control->timing && !unrolled && i < control->now->count; i++)
        if (op == OP_MPU_SYNC)
            timing_sync(control->timing, control->now->mpus[i], at, host_ps);
        else
            timing_slot(control->timing, control->now->mpus[i], at, host_ps);
}

void control_account_elapsed(struct control *control, uint64_t cycles) {
    if (all_together(control)) {
        add(&control->limits.cycles, cycles);
        return;
    }
    for (uint32_t i = 0; i < control->now->count; i++) {
        uint64_t *sum = &control->limits.mpu_cycles[control->now->mpus[i]];
        add(sum, cycles);
        if (*sum > control->limits.most_mpu_cycles)
            control->limits.most_mpu_cycles = *sum;
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

/* What micro-ops of each kind took: kind_fj, or by the tables where it is NULL. */
static void account_kinds(struct control *control, const uint64_t *uops, const uint64_t *kind_fj,
                          uint64_t times) {
    const struct dp_tables *t = &control->dp->tables;
    for (uint32_t k = 0; uops && k < t->kind_count; k++) {
        uint64_t fj = kind_fj ? kind_fj[k] : sat_mul(uops[k], t->kinds[k].energy_fj);
        add(&control->account.kind_fj[k], sat_mul(fj, times));
    }
}

/* Micro-ops by kind, energy by part and by kind, `times` times. */
static void account_uops(struct control *control, uint32_t region, const uint64_t *uops,
                         const uint64_t *energy_fj, const uint64_t *kind_fj, uint64_t times) {
    const struct dp_tables *t = &control->dp->tables;
    struct marked_region *r = &control->account.regions.data[region];
    add_list(control->account.uops, uops, t->kind_count, times);
    add_list(control->account.energy_fj, energy_fj, t->part_count, times);
    account_kinds(control, uops, kind_fj, times);
    add(&r->micro_ops, sat_mul(sum_of(uops, t->kind_count), times));
    add(&r->energy_fj, sat_mul(sum_of(energy_fj, t->part_count), times));
}

struct dp_cost control_account_asked(const struct control *control, uint64_t begin_ps) {
    return (struct dp_cost){.begin_ps = begin_ps,
                            .known = !control->config.cost_unknown,
                            .uops = control->account.answer_uops,
                            .energy_fj = control->account.answer_fj,
                            .kind_fj = control->account.answer_kind_fj};
}

/* What it points to, for the next who asks. */
static void forget_cost(const struct control *control, const struct dp_cost *cost) {
    const struct dp_tables *t = &control->dp->tables;
    if (cost->uops)
        memset(cost->uops, 0, t->kind_count * sizeof *cost->uops);
    if (cost->energy_fj)
        memset(cost->energy_fj, 0, t->part_count * sizeof *cost->energy_fj);
    if (cost->kind_fj)
        memset(cost->kind_fj, 0, t->kind_count * sizeof *cost->kind_fj);
}

void control_account_uop_cost(struct control *control, uint32_t region, uint32_t index,
                              const struct dp_cost *cost) {
    const struct dp_tables *t = &control->dp->tables;
    add(&control->account.insns[index].micro_ops, sum_of(cost->uops, t->kind_count));
    add(&control->account.insns[index].energy_fj, sum_of(cost->energy_fj, t->part_count));
    account_uops(control, region, cost->uops, cost->energy_fj, cost->kind_fj, 1);
    forget_cost(control, cost);
}

uint64_t control_account_fj(const struct control *control, const struct dp_cost *cost) {
    return sat_add(cost->transfer_fj, sum_of(cost->energy_fj, control->dp->tables.part_count));
}

uint64_t control_account_copy(struct control *control, uint32_t region, uint32_t index,
                              const struct dp_cost *cost) {
    uint64_t all_fj = control_account_fj(control, cost);
    control_account_uop_cost(control, region, index, cost);
    control->account.stats.cost_known &= cost->known;
    add(&control->account.stats.transfer_fj, cost->transfer_fj);
    add(&control->account.regions.data[region].energy_fj, cost->transfer_fj);
    add(&control->account.insns[index].energy_fj, cost->transfer_fj);
    return all_fj;
}

void control_account_cycles(struct control *control, const struct strand *strand, uint64_t cycles) {
    uint64_t *sum =
        &control->limits
             .ensemble_cycles[strand->mpu == NO_INDEX ? control->now->mpus[0] : strand->mpu];
    add(sum, sat_mul(cycles, strand->in_a_row));
    if (*sum > control->limits.busiest_cycles)
        control->limits.busiest_cycles = *sum;
}

/* The lanes that were enabled, whose energy fold_lanes counts. */
static void account_lanes(struct prepared_run *run, const struct strand *strand) {
    uint32_t n = run->about.stretches;
    while (run->region_lanes.len < ((size_t)strand->region + 1) * n)
        vec_push(&run->region_lanes, 0);
    for (uint32_t s = 0; s < n; s++)
        add(&run->region_lanes.data[(size_t)strand->region * n + s], strand->outcome.lanes[s]);
}

static void account_measured(struct control *control, const struct prepared_run *run,
                             const struct strand *strand) {
    const struct dp_outcome *o = &strand->outcome;
    account_uops(control, strand->region, o->uops, o->energy_fj, o->kind_fj, 1);
    for (uint32_t i = 0; i < run->count; i++) {
        add(&control->account.insns[run->first + i].micro_ops, o->insn_micro_ops[i]);
        add(&control->account.insns[run->first + i].energy_fj, o->insn_energy_fj[i]);
    }
}

/* Instructions of the run, each one slot of the front end, and the datapath's cycles from the
 * start of the run to its last bit. */
void control_account_run(struct control *control, struct prepared_run *run,
                         const struct strand *strand, const struct run_cost *cost) {
    uint64_t vrfs = vrf_set_size(strand->on), period = control->target->datapath_ps;
    uint64_t cycles = run->count, latency = cost->latency_ps;
    if (!control->config.cost_unknown && period)
        cycles = sat_add(cycles, latency / period + (latency % period != 0));
    control_account_cycles(control, strand, cycles);
    run->batches += strand->weight;
    run->vrfs += vrfs;
    add(&run->elements, strand->elements);
    while (run->region_vrfs.len <= strand->region)
        vec_push(&run->region_vrfs, 0);
    run->region_vrfs.data[strand->region] += vrfs;
    if (run->parts)
        account_lanes(run, strand);
    if (run->about.form == DP_COST_MEASURED)
        account_measured(control, run, strand);
}

/* VRFs of one MPU, which are neighbours. */
static const uint32_t *vrfs_of(const struct control *control, const struct ensemble *ensemble,
                               uint32_t mpu, uint32_t *count) {
    uint32_t per_mpu = target_vrfs_per_mpu(control->target), first = 0, end = ensemble->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (ensemble->vrfs[middle] / per_mpu < mpu)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < ensemble->count && ensemble->vrfs[end] / per_mpu == mpu)
        end++;
    *count = end - first;
    return ensemble->vrfs + first;
}

/* What the datapath took in the batches of a part, of those of all strands together: for who
 * watches.  Of a strand that stands for all batches each has the part of its VRFs; *before: VRFs
 * of it that have theirs. */
static uint64_t *energy_of_batches(const struct ensemble *ensemble,
                                   const struct ensemble_part *part, const struct strand *strands,
                                   bool same, uint64_t *before) {
    uint64_t *fj = xcalloc((size_t)part->batch_count + 1, sizeof *fj);
    for (uint32_t i = 0; i < part->batch_count; i++) {
        uint32_t batch = part->first_batch + i, all = strands[0].vrf_count;
        uint64_t begin = *before, whole = strands[0].heat_fj;
        *before += ensemble->batches[batch].count;
        fj[i] = same ? sat_scale(whole, *before, all) - sat_scale(whole, begin, all)
                     : strands[batch].heat_fj;
    }
    return fj;
}

#define PATH_PIECE 4096 /* steps; few enough to be nothing beside the rest of a body */

void control_account_path(struct control *control, struct strand *strand) {
    bool first = false;
    if (!control->timing || !control->dp->tables.measured || strand->mpu == NO_INDEX ||
        strand->path.steps.len < PATH_PIECE)
        return;
    for (uint32_t i = 0; i < strand->ensemble->part_count; i++) {
        const struct ensemble_part *p = &strand->ensemble->parts[i];
        if (p->mpu == strand->mpu && p->batch_count)
            first = strand->ensemble->batches[p->first_batch].index == strand->batch;
    }
    if (!strand->told)
        strand->told = timing_begin(control->timing, strand->mpu, strand->vrf_count, first);
    if (strand->told)
        timing_take(strand->told, &strand->path);
}

/* The path of a batch, or what has not been told of it. */
static uint32_t path_of(struct control *control, struct strand *strand) {
    if (strand->told)
        timing_take(strand->told, &strand->path);
    return timing_path(control->timing, &strand->path);
}

void control_account_body(struct control *control, const struct ensemble *ensemble,
                          const struct ensemble *whole, struct strand *strands,
                          const struct host_decisions *decisions, uint32_t header) {
    if (!control->timing)
        return;
    bool same = ensemble->batch_count && strands[0].mpu == NO_INDEX;
    uint32_t count = same ? 1 : ensemble->batch_count;
    uint32_t *paths = xcalloc((size_t)count + 1, sizeof *paths);
    uint64_t before = 0;
    struct batch_run **told = xcalloc((size_t)count + 1, sizeof *told);
    bool some = false;
    for (uint32_t i = 0; i < count; i++) {
        paths[i] = path_of(control, &strands[i]);
        told[i] = strands[i].told;
        some |= told[i] != NULL;
    }
    for (uint32_t i = 0, w = 0; i < ensemble->part_count; i++) {
        const struct ensemble_part *p = &ensemble->parts[i];
        while (whole->parts[w].mpu != p->mpu)
            w++;
        struct timing_compute x = {
            .at = {control->top.pc, control->region},
            .header_slots = p->header_slots + (p->batch_count == 0),
            .header_host_ps = sat_mul(control_host_cost_ps(control->target, OP_COMPUTE), header),
            .batches = whole->batches + whole->parts[w].first_batch,
            .count = p->batch_count,
            .paths = paths + (same ? 0 : p->first_batch),
            .same_path = same,
            .told = some ? told + p->first_batch : NULL,
            .decisions = decisions->list.data,
            .decision_count = p->batch_count ? (uint32_t)decisions->list.len : 0};
        x.vrfs = vrfs_of(control, whole, p->mpu, &x.vrf_count);
        uint64_t *fj =
            control->config.span ? energy_of_batches(ensemble, p, strands, same, &before) : NULL;
        x.batch_fj = fj;
        timing_compute(control->timing, p->mpu, &x);
        free(fj);
    }
    free(told);
    free(paths);
}

void control_account_bound(struct control *control, const struct ensemble *ensemble) {
    control->account.stats.ensembles++;
    control->account.stats.batches += ensemble->batch_count;
    for (uint32_t i = 0; i < ensemble->part_count; i++)
        control->account.stats.cut_batches += ensemble->parts[i].cut_batches;
    if (ensemble->lanes > control->account.stats.lanes_valid)
        control->account.stats.lanes_valid = ensemble->lanes;
    if (ensemble->lanes > control->account.round_lanes)
        control->account.round_lanes = ensemble->lanes;
    for (uint32_t i = 0; i < ensemble->count; i++) {
        control->account.stats.vrfs_used += !control->account.used_vrfs[ensemble->vrfs[i]];
        control->account.used_vrfs[ensemble->vrfs[i]] = 1;
    }
}

/* Those of the kin that were never bound; their number. */
static uint32_t new_of_kin(const struct control *control, const struct ensemble *ensemble,
                           uint32_t kin, uint32_t *vrfs) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < ensemble->count; i++)
        if (ensemble->bindings[i].kin == kin && !control->account.used_vrfs[ensemble->vrfs[i]])
            vrfs[n++] = ensemble->vrfs[i];
    return n;
}

/* For traces: behind what was set up before. */
static void show_established(const struct control *control, uint32_t vrfs, uint64_t ps) {
    uint64_t start = control->account.stats.established.time_ps;
    const struct timing_span s = {.mpu = control->target->mpus,
                                  .unit = UNIT_SETUP,
                                  .start_ps = start,
                                  .end_ps = sat_add(start, ps),
                                  .index = control->top.pc,
                                  .batch = NO_INDEX,
                                  .kind = SPAN_WORK,
                                  .vrfs = vrfs};
    if (control->timing && control->config.span && ps)
        control->config.span(control->config.span_context, &s);
}

void control_account_establish(struct control *control, const struct ensemble *ensemble) {
    struct control_established *e = &control->account.stats.established;
    uint32_t *vrfs = xcalloc((size_t)ensemble->count + 1, sizeof *vrfs);
    struct vrf_range *ranges = xcalloc((size_t)ensemble->count + 1, sizeof *ranges);
    for (uint32_t kin = 0; kin < control->bodies.kin_count; kin++) {
        uint32_t n = new_of_kin(control, ensemble, kin, vrfs);
        const struct vrf_set set = {ranges, control_vrf_ranges(vrfs, n, NULL, ranges)};
        struct dp_cost cost = control_account_asked(control, 0);
        if (!n)
            continue;
        control->dp->ops->establish(control->dp, set, kin, &cost);
        show_established(control, n, cost.ps);
        add(&e->vrfs, n);
        add(&e->time_ps, cost.ps);
        add(&e->micro_ops, sum_of(cost.uops, control->dp->tables.kind_count));
        add(&e->energy_fj, sum_of(cost.energy_fj, control->dp->tables.part_count));
        forget_cost(control, &cost);
    }
    free(vrfs);
    free(ranges);
}

void control_account_message(struct control *control, uint32_t from, uint32_t to, uint64_t bytes) {
    control->account.stats.messages++;
    add(&control->account.stats.message_bytes, bytes);
    add(&control->account.stats.message_hops, target_hops(control->target, from, to));
}

/* What it takes each MPU to know of its flag A where the machine answers by itself. */
static uint64_t control_account_flags(struct control *control) {
    const struct stream *first = control->streams.list.data[0];
    uint64_t ps = 0;
    for (uint32_t i = 0; control->dp->tables.selects && i < control->mpu_count; i++) {
        const struct control_flag *a = &control->streams.a[control->mpus[i]];
        const struct vrf_range vrfs = {a->first, a->last - a->first + 1};
        if (!control->streams.of[control->mpus[i]] || !a->vrfs)
            continue;
        struct dp_cost cost =
            control_account_asked(control, control_account_now(control, control->mpus[i]));
        uint8_t *bits = xcalloc(vrfs.count, 1);
        cost.lanes = a->lanes;
        control->dp->ops->any(control->dp, DP_ANY_M, (struct vrf_set){&vrfs, 1}, bits, &cost);
        control_account_uop_cost(control, first->region, first->flow.pc, &cost);
        ps = cost.ps > ps ? cost.ps : ps;
        free(bits);
    }
    return ps;
}

/* A question goes to the lowest MPU and its answer comes back, as far as they have to go; a host
 * asks them itself. */
/* The MPUs that have not ended; the caller frees them. */
static uint32_t *mpus_left(const struct control *control, uint32_t *count) {
    uint32_t *mpus = xcalloc((size_t)control->mpu_count + 1, sizeof *mpus);
    *count = 0;
    for (uint32_t i = 0; i < control->mpu_count; i++)
        if (control_stream_of(control, control->mpus[i]))
            mpus[(*count)++] = control->mpus[i];
    return mpus;
}

struct control_kernel_stats *control_account_kernel(struct control *control, uint32_t index,
                                                    uint32_t kernel) {
    uint32_t places = control->package->kernels[kernel].line_count;
    if (!control->dp->tables.places)
        return NULL;
    for (size_t i = 0; i < control->account.kernels.len; i++)
        if (control->account.kernels.data[i].index == index)
            return &control->account.kernels.data[i];
    struct control_kernel_stats own = {.index = index, .kernel = kernel, .place_count = places};
    own.places = xcalloc((size_t)places + 1, sizeof *own.places);
    own.figures =
        xcalloc((size_t)places * control->dp->tables.place_figure_count + 1, sizeof *own.figures);
    vec_push(&control->account.kernels, own);
    return &vec_last(&control->account.kernels);
}

/* Its places were added up by the launch. */
static void account_kernel(struct control *control, uint32_t index, const struct dp_cost *cost,
                           uint32_t mpus) {
    for (size_t i = 0; i < control->account.kernels.len; i++) {
        struct control_kernel_stats *k = &control->account.kernels.data[i];
        if (k->index != index)
            continue;
        k->launches++;
        add(&k->time_ps, cost->ps);
        add(&k->mpu_time_ps, sat_mul(cost->ps, mpus));
        add(&k->transfer_ps, cost->transfer_ps);
        add(&k->transfer_bytes, cost->transfer_bytes);
    }
}

void control_account_launch(struct control *control, uint32_t index, const struct dp_cost *cost,
                            const struct dp_bar *bars, size_t bar_count) {
    uint32_t count;
    uint32_t *mpus = mpus_left(control, &count);
    const struct timing_meeting x = {.at = place_of(control, index),
                                     .mpus = mpus,
                                     .count = count,
                                     .launch_ps = control->target->launch_ps,
                                     .kernel_ps = cost->ps,
                                     .kernel_fj = control_account_fj(control, cost),
                                     .bars = bars,
                                     .bar_count = (uint32_t)bar_count,
                                     .shown = control->dp->tables.track_count != 0};
    add(&control->account.stats.launches, 1);
    account_kernel(control, index, cost, count);
    control_account_copy(control, control->region, index, cost);
    if (control->timing && count)
        timing_meet(control->timing, &x);
    free(mpus);
}

void control_account_barrier(struct control *control, bool any) {
    bool host = control->target->control == CONTROL_HOST;
    uint32_t count, hops = 0;
    uint32_t *mpus = mpus_left(control, &count);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t far = target_hops(control->target, mpus[0], mpus[i]);
        hops = far > hops ? far : hops;
    }
    const struct stream *first = control->streams.list.data[0];
    struct timing_meeting x = {.at = {first->flow.pc, first->region},
                               .mpus = mpus,
                               .count = count,
                               .hops = any && !host ? 2 * (uint64_t)hops : 0};
    uint64_t ps = any ? control_account_flags(control) : 0;
    struct timing_charge *charges = xcalloc((size_t)count + 1, sizeof *charges);
    for (uint32_t i = 0; i < count && ps; i++)
        charges[x.charge_count++] = (struct timing_charge){mpus[i], ps, 0};
    x.charges = charges;
    if (control->timing && count)
        timing_meet(control->timing, &x);
    free(charges);
    free(mpus);
}

uint64_t control_account_now(const struct control *control, uint32_t mpu) {
    return control->timing ? timing_reached(control->timing, mpu) : 0;
}

uint32_t control_account_region(struct control *control, uint32_t mark) {
    struct marked_region fresh = {.mark = mark};
    for (size_t i = 0; i < control->account.regions.len; i++)
        if (control->account.regions.data[i].mark == mark)
            return (uint32_t)i;
    vec_push(&control->account.regions, fresh);
    return (uint32_t)control->account.regions.len - 1;
}

/* Where nobody counts lanes, it is not known how many of them M keeps instructions from. */
static void fold_elements(struct control_stats *stats, const struct prepared_run *run) {
    add(&stats->element_instructions, sat_mul(run->count - run->under_mask, run->elements));
    stats->element_instructions_known &= run->parts || !run->under_mask || !run->elements;
    for (uint32_t i = 0; i < run->region_lanes.len; i++)
        add(&stats->element_instructions,
            sat_mul(run->stretch_under[i % run->about.stretches], run->region_lanes.data[i]));
}

/* What a stretch takes in so many lanes, of a list for each stretch. */
static void add_lanes(uint64_t *sums, const struct dp_description *about, const uint64_t *all,
                      uint32_t stretch, uint32_t count, uint64_t lanes) {
    for (uint32_t i = 0; all && i < count; i++)
        add(&sums[i], dp_lanes_fj(about, all[(size_t)stretch * count + i], lanes));
}

/* Energy of a stretch in so many enabled lanes. */
static void fold_stretch(struct control *control, const struct prepared_run *run, uint32_t region,
                         uint32_t stretch, uint64_t lanes) {
    const struct dp_tables *t = &control->dp->tables;
    const struct dp_description *about = &run->about;
    add_lanes(control->account.energy_fj, about, about->stretch_part_fj, stretch, t->part_count,
              lanes);
    if (about->stretch_kind_fj)
        add_lanes(control->account.kind_fj, about, about->stretch_kind_fj, stretch, t->kind_count,
                  lanes);
    add(&control->account.regions.data[region].energy_fj,
        dp_lanes_fj(about, run->stretch_fj[stretch], lanes));
    for (uint32_t i = 0; i < run->count; i++)
        if (about->insn_stretch[i] == stretch)
            add(&control->account.insns[run->first + i].energy_fj,
                dp_lanes_fj(about, about->insn_lane_fj[i], lanes));
}

static void fold_lanes(struct control *control, const struct prepared_run *run) {
    for (uint32_t i = 0; run->about.form == DP_COST_LANES && i < run->region_lanes.len; i++)
        if (run->region_lanes.data[i])
            fold_stretch(control, run, i / run->about.stretches, i % run->about.stretches,
                         run->region_lanes.data[i]);
}

static void fold_run(struct control *control, const struct prepared_run *run) {
    fold_elements(&control->account.stats, run);
    for (uint32_t i = 0; i < run->region_vrfs.len; i++)
        account_uops(control, i, run->about.uops, run->about.energy_fj, run->about.kind_fj,
                     run->region_vrfs.data[i]);
    fold_lanes(control, run);
    for (uint32_t i = 0; i < run->count; i++) {
        struct control_insn_stats *s = &control->account.insns[run->first + i];
        control_account_insn(control, run->first + i, run->batches);
        if (run->about.insn_micro_ops)
            add(&s->micro_ops, sat_mul(run->about.insn_micro_ops[i], run->vrfs));
        if (run->about.insn_energy_fj)
            add(&s->energy_fj, sat_mul(run->about.insn_energy_fj[i], run->vrfs));
    }
}

static void finish_regions(struct control *control) {
    control->account.region_stats =
        xcalloc(control->account.regions.len, sizeof *control->account.region_stats);
    for (size_t i = 0; i < control->account.regions.len; i++) {
        const struct marked_region *r = &control->account.regions.data[i];
        struct timing_sums sums = {0};
        if (control->timing)
            sums = timing_region(control->timing, (uint32_t)i);
        uint64_t fj = sat_add(sums.network_fj, sat_mul(sums.cycles, control->target->front_end_fj));
        control->account.region_stats[i] = (struct control_region_stats){
            r->mark, sums.ps, r->micro_ops, sat_add(r->energy_fj, fj)};
    }
}

/* MPUs whose arrays are on: those of the program, or all once the whole machine was launched. */
static uint32_t mpus_on(const struct control *control) {
    return control->account.whole ? control->target->mpus : control->mpu_count;
}

/* nW x ps is 10^-6 fJ.  The front end has work while its MPU has, and is not there where the host
 * stands in for it; arrays are on all the time. */
static void finish_static(struct control *control, const struct timing_totals *all) {
    bool host = control->target->control != CONTROL_MPU;
    control->account.stats.front_end_fj =
        sat_mul(control->account.stats.issue_slots, control->target->front_end_fj);
    control->account.stats.static_fj =
        sat_add(sat_scale(host ? 0 : control->target->front_end_static_nw, all->mpu_ps, 1000000),
                sat_scale(control->target->array_static_nw, sat_mul(all->time_ps, mpus_on(control)),
                          1000000));
}

static void finish_times(struct control *control) {
    struct control_stats *s = &control->account.stats;
    struct timing_totals all;
    timing_finish(control->timing);
    timing_totals(control->timing, &all);
    for (uint32_t i = 0; i < control->text.len; i++) {
        struct timing_sums sums = timing_insn(control->timing, i);
        control->account.insns[i].time_ps = sums.ps;
        add(&control->account.insns[i].energy_fj, sums.network_fj);
        add(&control->account.insns[i].energy_fj,
            sat_mul(sums.cycles, control->target->front_end_fj));
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
    s->host_fj = control_host_energy_fj(control->target, s->time_ps, s->host_ps);
    if (control->target->datapath_ps)
        s->datapath_cycles = sat_scale_up(s->compute_ps, 1, control->target->datapath_ps);
    finish_static(control, &all);
}

/* What the machine counted since the control path took it over. */
static void finish_counters(struct control *control) {
    uint32_t n = control->dp->tables.counter_count;
    uint64_t *now = xcalloc((size_t)n + 1, sizeof *now);
    if (n)
        control->dp->ops->counters(control->dp, now);
    for (uint32_t i = 0; i < n; i++)
        control->account.counters[i] = now[i] - control->account.counters[i];
    free(now);
}

static void finish_unit_counters(struct control *control) {
    const struct dp_tables *t = &control->dp->tables;
    uint64_t *now = unit_values(control);
    for (uint32_t k = 0; t->units && k < t->unit_counter_count; k++) {
        struct control_unit_counter x = {0, UINT64_MAX, 0};
        for (size_t u = 0; u < t->units; u++) {
            size_t at = u * t->unit_counter_count + k;
            uint64_t value = now[at] - control->account.unit_values[at];
            x.sum = sat_add(x.sum, value);
            x.least = value < x.least ? value : x.least;
            x.most = value > x.most ? value : x.most;
        }
        control->account.unit_counters[k] = x;
    }
    free(now);
}

void control_account_finish(struct control *control) {
    struct control_stats *s = &control->account.stats;
    finish_counters(control);
    finish_unit_counters(control);
    for (size_t i = 0; i < control->bodies.run_count; i++)
        if (control->bodies.runs[i])
            fold_run(control, control->bodies.runs[i]);
    for (uint32_t i = 0; i < control->text.len; i++)
        add(&s->instructions, control->account.insns[i].executed);
    s->mpus_used = mpus_on(control);
    if (control->account.whole)
        s->vrfs_used = (uint64_t)control->target->mpus * target_vrfs_per_mpu(control->target);
    s->rounds++;
    s->elements += control->account.round_lanes;
    if (control->timing)
        finish_times(control);
    finish_regions(control);
}
