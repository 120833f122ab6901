/* SPDX-License-Identifier: MIT
 * The time of compute ensembles: the precoder hands the header to a free controller, which runs the
 * body for one batch after the other. */
#include "emu/timing/engine.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* ---- what else is at work ---- */

static bool contains(const uint32_t *list, uint32_t count, uint32_t x) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low] == x;
}

static bool have_common(const uint32_t *left, uint32_t a_count, const uint32_t *right,
                        uint32_t b_count) {
    if (a_count > b_count)
        return have_common(right, b_count, left, a_count);
    for (uint32_t i = 0; i < a_count; i++)
        if (contains(right, b_count, left[i]))
            return true;
    return false;
}

uint64_t timing_mpu_hazards(const struct timing_mpu *time, const uint32_t *vrfs, uint32_t count,
                            uint64_t from_ps) {
    uint64_t ps = from_ps;
    for (size_t i = 0; i < time->in_flight.len; i++) {
        const struct in_flight *x = &time->in_flight.data[i];
        if (x->end_ps > ps && have_common(x->vrfs, x->count, vrfs, count))
            ps = x->end_ps;
    }
    return ps;
}

void timing_mpu_in_flight(struct timing_mpu *time, const struct in_flight *flight) {
    size_t kept = 0;
    for (size_t i = 0; i < time->in_flight.len; i++)
        if (time->in_flight.data[i].end_ps > time->precoder_ps)
            time->in_flight.data[kept++] = time->in_flight.data[i];
        else
            free(time->in_flight.data[i].own);
    time->in_flight.len = kept;
    vec_push(&time->in_flight, *flight);
}

/* An RFH follows one stream of instructions at a time. */
static bool share_an_rfh(const struct timing *timing, const struct in_flight *flight,
                         const struct timing_compute *compute) {
    uint32_t per_mpu = target_vrfs_per_mpu(timing->target), rfhs = timing->target->rfh_per_mpu;
    uint8_t *used = xcalloc(rfhs, 1);
    bool common = false;
    for (uint32_t i = 0; i < flight->count; i++)
        used[flight->vrfs[i] % per_mpu % rfhs] = 1;
    for (uint32_t i = 0; i < compute->vrf_count && !common; i++)
        common = used[compute->vrfs[i] % per_mpu % rfhs];
    free(used);
    return common;
}

static uint64_t rfhs_free(const struct timing *timing, const struct timing_mpu *time,
                          const struct timing_compute *compute, uint64_t from_ps) {
    uint64_t ps = from_ps;
    for (size_t i = 0; i < time->in_flight.len; i++) {
        const struct in_flight *x = &time->in_flight.data[i];
        if (x->compute && x->end_ps > ps && share_an_rfh(timing, x, compute))
            ps = x->end_ps;
    }
    return ps;
}

/* ---- the batches of an ensemble ---- */

struct ensemble_time {
    uint64_t start_ps, now_ps;
    uint64_t part_ps[TIMING_PARTS]; /* add up to now_ps - start_ps */
    uint64_t last_fetch_ps;
    uint32_t playback, recipes, controller;
    uint64_t energy_fj;      /* of what spans told, with that of front-end cycles */
    VEC(uint64_t) region_ps; /* likewise */
};

static void add_region(struct ensemble_time *time, uint32_t region, uint64_t ps) {
    while (time->region_ps.len <= region)
        vec_push(&time->region_ps, 0);
    timing_add(&time->region_ps.data[region], ps);
}

static void add_shares(struct timing *timing, const struct batch_time *time) {
    for (uint32_t i = 0; i < time->share_count; i++) {
        timing_add(&timing->insn_ps[time->shares[i].index], time->shares[i].ps);
        timing_add(&timing->insn_cycles[time->shares[i].index], time->shares[i].cycles);
    }
}

/* The part of `all` that the next `weight` of `weights` has; *before: those that had theirs.  All
 * parts add up to it. */
static uint64_t part_of(uint64_t all, uint64_t weight, uint64_t weights, uint64_t *before) {
    uint64_t given = weights ? sat_scale(all, *before, weights) : 0;
    *before = sat_add(*before, weight);
    *before = *before < weights ? *before : weights;
    return weights ? sat_scale(all, *before, weights) - given : 0;
}

/* Of the batch's energy each RFH has the part of its VRFs. */
static void report_rfhs(const struct timing *timing, const struct batch *batch,
                        const struct timing_span *span, uint64_t energy_fj) {
    uint32_t per_mpu = target_vrfs_per_mpu(timing->target), rfhs = timing->target->rfh_per_mpu;
    uint32_t *vrfs = xcalloc(rfhs, sizeof *vrfs);
    uint64_t before = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        vrfs[batch->vrfs[i] % per_mpu % rfhs]++;
    for (uint32_t r = 0; r < rfhs; r++)
        if (vrfs[r]) {
            struct timing_span s =
                timing_span_of(batch->mpu, UNIT_RFH, r, span->start_ps, span->end_ps, span->index);
            s.batch = batch->index;
            s.energy_fj = part_of(energy_fj, vrfs[r], batch->count, &before);
            timing_span_report(timing, &s);
        }
    free(vrfs);
}

/* Micro-ops of the bar in one VRF; where that is known of none, its time. */
static uint64_t bar_weight(const struct time_bar *bar, bool by_energy) {
    return by_energy ? bar->note.vrf_fj : bar->end_ps - bar->begin_ps;
}

/* Behind its batch: every instruction that moved its end, when it did. */
static void report_bars(const struct timing *timing, const struct timing_span *batch,
                        const struct batch_time *batch_time) {
    struct timing_span s = *batch;
    s.kind = SPAN_BAR;
    uint64_t weights = 0, before = 0;
    bool by_energy = false;
    s.vrfs = 0;
    s.cycles = 0;
    for (uint32_t i = 0; i < batch_time->bar_count; i++)
        by_energy |= batch_time->bars[i].note.vrf_fj > 0;
    for (uint32_t i = 0; i < batch_time->bar_count; i++)
        timing_add(&weights, bar_weight(&batch_time->bars[i], by_energy));
    for (uint32_t i = 0; i < batch_time->bar_count; i++) {
        s.energy_fj = part_of(batch->energy_fj, bar_weight(&batch_time->bars[i], by_energy),
                              weights, &before);
        s.note = batch_time->bars[i].note;
        s.start_ps = sat_add(batch->start_ps, batch_time->bars[i].begin_ps);
        s.end_ps = sat_add(batch->start_ps, batch_time->bars[i].end_ps);
        s.index = batch_time->bars[i].index;
        s.part = batch_time->bars[i].part;
        timing_span_report(timing, &s);
    }
}

static uint64_t cycles_of(const struct batch_time *time) {
    uint64_t cycles = 0;
    for (int i = 0; i < TIMING_PARTS; i++)
        timing_add(&cycles, time->part_cycles[i]);
    return cycles;
}

static void report_batch(const struct timing *timing, const struct timing_compute *compute,
                         uint32_t index, struct ensemble_time *time, uint64_t start_ps,
                         const struct batch_time *batch_time) {
    const struct batch *batch = &compute->batches[index];
    uint64_t end_ps = sat_add(start_ps, batch_time->ps);
    struct timing_span s = timing_span_of(batch->mpu, UNIT_BATCHES, time->controller, start_ps,
                                          end_ps, compute->at.index);
    if (!timing->setup.span)
        return;
    s.batch = batch->index;
    s.vrfs = batch->count;
    s.cycles = cycles_of(batch_time);
    s.energy_fj = compute->batch_fj ? compute->batch_fj[index] : 0;
    uint64_t all_fj = sat_add(s.energy_fj, sat_mul(s.cycles, timing->target->front_end_fj));
    timing_add(&time->energy_fj, all_fj);
    timing_span_report(timing, &s);
    report_bars(timing, &s, batch_time);
    report_rfhs(timing, batch, &s, all_fj);
}

/* `times` batches in a row that all take as long as this one. */
static void add_batches(struct timing *timing, struct ensemble_time *time,
                        const struct batch_time *batch_time, uint64_t times) {
    if (batch_time->last_fetch_ps)
        time->last_fetch_ps = sat_add(time->now_ps, batch_time->last_fetch_ps);
    time->now_ps = sat_add(time->now_ps, sat_mul(batch_time->ps, times));
    for (int i = 0; i < TIMING_PARTS; i++)
        timing_add(&time->part_ps[i], sat_mul(batch_time->part_ps[i], times));
    timing_batch_cycles(timing, batch_time, times);
    for (uint32_t i = 0; i < batch_time->share_count; i++)
        add_region(time, batch_time->shares[i].region, sat_mul(batch_time->shares[i].ps, times));
    time->playback = batch_time->playback;
    time->recipes = batch_time->recipes;
}

/* The controller turns the body to its next batch. */
static void report_change(const struct timing *timing, struct ensemble_time *time,
                          const struct timing_compute *compute, uint64_t ps, uint64_t cycles) {
    struct timing_span s =
        timing_span_of(compute->batches[0].mpu, UNIT_BATCHES, time->controller, time->now_ps,
                       sat_add(time->now_ps, ps), compute->at.index);
    s.cycles = cycles;
    s.part = TIMING_SCHEDULE;
    timing_add(&time->energy_fj, sat_mul(cycles, timing->target->front_end_fj));
    timing_span_report(timing, &s);
}

static void change_batch(struct timing *timing, struct ensemble_time *time,
                         const struct timing_compute *compute) {
    bool hardware = timing->target->scheduler == SCHEDULER_HARDWARE;
    uint64_t ps = hardware ? timing->target->front_end_ps : timing->target->software_schedule_ps;
    if (timing->setup.span)
        report_change(timing, time, compute, ps, hardware);
    time->now_ps = sat_add(time->now_ps, ps);
    timing_add(&time->part_ps[TIMING_SCHEDULE], ps);
    timing_spend_cycles(timing, TIMING_SCHEDULE, compute->at, hardware);
    timing_add(&timing->insn_ps[compute->at.index], ps);
    add_region(time, compute->at.region, ps);
}

/* What was told of a batch, and the rest of its path. */
static struct batch_time *end_told(struct timing *timing, const struct ensemble_time *ensemble_time,
                                   struct batch_run **told, uint32_t path) {
    uint32_t count;
    const struct step *steps = timing_path_steps(&timing->model.paths, path, &count);
    struct batch_run *run = *told;
    *told = NULL;
    timing_batch_find(run, ensemble_time->playback, ensemble_time->recipes);
    timing_batch_take(run, steps, count);
    return timing_batch_end(run);
}

/* One batch, alone on the port or among others. */
static void run_batch(struct timing *timing, struct timing_mpu *time,
                      struct ensemble_time *ensemble_time, const struct timing_compute *compute,
                      uint32_t index) {
    uint32_t path = compute->paths[compute->same_path ? 0 : index];
    uint32_t vrfs = compute->batches[index].count;
    uint64_t start = ensemble_time->now_ps;
    bool told = compute->told && compute->told[index];
    if (told || timing->target->controllers > 1) {
        struct batch_time *b =
            told ? end_told(timing, ensemble_time, &compute->told[index], path)
                 : timing_batch_time_shared(&timing->model, path, vrfs, ensemble_time->playback,
                                            ensemble_time->recipes, &time->port, start);
        add_batches(timing, ensemble_time, b, 1);
        add_shares(timing, b);
        report_batch(timing, compute, index, ensemble_time, start, b);
        timing_batch_time_free(b);
    } else {
        struct batch_time *b = timing_batch_time(&timing->model, path, vrfs,
                                                 ensemble_time->playback, ensemble_time->recipes);
        add_batches(timing, ensemble_time, b, 1);
        b->uses++;
        report_batch(timing, compute, index, ensemble_time, start, b);
    }
}

/* Batches from index on that take as long because they have as many VRFs, if that matters. */
static uint32_t alike(const struct timing *timing, const struct timing_compute *compute,
                      uint32_t index) {
    uint32_t end = index + 1;
    if (!timing->model.dp->tables.at_once)
        return compute->count - index;
    while (end < compute->count && compute->batches[end].count == compute->batches[index].count)
        end++;
    return end - index;
}

/* Batches that find everything as the one before them did take as long. */
static uint32_t repeat_batches(struct timing *timing, struct ensemble_time *time,
                               const struct timing_compute *compute, uint32_t index) {
    uint32_t left = alike(timing, compute, index);
    if (!compute->same_path || timing->target->controllers > 1 || timing->setup.span || index == 0)
        return 0;
    struct batch_time *b =
        timing_batch_time(&timing->model, compute->paths[0], compute->batches[index].count,
                          time->playback, time->recipes);
    if (b->playback != time->playback || b->recipes != time->recipes)
        return 0;
    struct ensemble_time one = {.playback = time->playback, .recipes = time->recipes};
    change_batch(timing, &one, compute);
    add_batches(timing, &one, b, 1);
    b->uses += left;
    time->now_ps = sat_add(time->now_ps, sat_mul(one.now_ps, left));
    for (int p = 0; p < TIMING_PARTS; p++)
        timing_add(&time->part_ps[p], sat_mul(one.part_ps[p], left));
    timing_batch_cycles(timing, b, left - 1);
    timing_spend_cycles(timing, TIMING_SCHEDULE, compute->at,
                        timing->target->scheduler == SCHEDULER_HARDWARE ? left - 1 : 0);
    timing_add(&timing->insn_ps[compute->at.index],
               sat_mul(one.part_ps[TIMING_SCHEDULE], left - 1));
    for (size_t r = 0; r < one.region_ps.len; r++)
        add_region(time, (uint32_t)r, sat_mul(one.region_ps.data[r], left));
    if (b->last_fetch_ps)
        time->last_fetch_ps = time->now_ps - b->ps + b->last_fetch_ps;
    vec_free(&one.region_ps);
    return left;
}

static void run_batches(struct timing *timing, struct timing_mpu *time,
                        struct ensemble_time *ensemble_time, const struct timing_compute *compute) {
    for (uint32_t i = 0, more; i < compute->count; i += more ? more : 1) {
        more = repeat_batches(timing, ensemble_time, compute, i);
        if (more)
            continue;
        if (i)
            change_batch(timing, ensemble_time, compute);
        run_batch(timing, time, ensemble_time, compute, i);
    }
}

/* The host decides between laps of all batches.  Since their work does not overlap with that, it
 * does not matter where in the ensemble its time stands: behind the last batch. */
static void wait_for_host(struct timing *timing, struct ensemble_time *time,
                          const struct timing_compute *compute) {
    for (uint32_t i = 0; i < compute->decision_count; i++) {
        const struct timing_decision *d = &compute->decisions[i];
        struct timing_span s =
            timing_span_of(compute->batches[0].mpu, UNIT_BATCHES, time->controller, time->now_ps,
                           sat_add(time->now_ps, d->ps), d->at.index);
        s.part = TIMING_HOST;
        timing_span_report(timing, &s);
        time->now_ps = sat_add(time->now_ps, d->ps);
        timing_add(&time->part_ps[TIMING_HOST], d->ps);
        timing_add(&timing->insn_ps[d->at.index], d->ps);
        add_region(time, d->at.region, d->ps);
        time->last_fetch_ps = time->now_ps; /* what follows is not known before */
    }
}

/* ---- the ensemble in its MPU ---- */

/* Work that ran beside other work is exposed in part: as much as it moved the end of the MPU.  Its
 * parts are cut in proportion; what rounding leaves is the largest part's.  Sums that stopped at
 * the largest number get what there is, first come first served. */
static void spread(uint64_t *sums, const uint64_t *values, size_t count, uint64_t whole,
                   uint64_t exposed) {
    uint64_t given = 0;
    size_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t one = exposed == whole ? values[i] : sat_scale(values[i], exposed, whole);
        largest = values[i] > values[largest] ? i : largest;
        one = one < exposed - given ? one : exposed - given;
        timing_add(&sums[i], one);
        given += one;
    }
    if (count && given < exposed)
        timing_add(&sums[largest], exposed - given);
}

static void expose(struct timing_mpu *time, const struct ensemble_time *ensemble_time) {
    if (ensemble_time->now_ps <= time->end_ps)
        return;
    uint64_t exposed = ensemble_time->now_ps - time->end_ps,
             whole = ensemble_time->now_ps - ensemble_time->start_ps;
    while (time->region_ps.len < ensemble_time->region_ps.len)
        vec_push(&time->region_ps, 0);
    spread(time->part_ps, ensemble_time->part_ps, TIMING_PARTS, whole, exposed);
    spread(time->region_ps.data, ensemble_time->region_ps.data, ensemble_time->region_ps.len, whole,
           exposed);
    time->end_ps = ensemble_time->now_ps;
}

static uint32_t first_free(const struct timing *timing, const struct timing_mpu *time) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < timing->target->controllers; i++)
        if (time->controllers[i].free_ps < time->controllers[first].free_ps)
            first = i;
    return first;
}

static uint32_t *table_of(const struct timing *timing, struct timing_mpu *time,
                          uint32_t controller) {
    return timing->target->recipe_table == RECIPE_TABLE_PRIVATE
               ? &time->controllers[controller].recipes
               : &time->recipes;
}

void timing_mpu_compute(struct timing *timing, struct timing_mpu *time,
                        const struct timing_compute *compute) {
    uint32_t which = first_free(timing, time);
    uint64_t start = time->controllers[which].free_ps;
    time->precoder_ps = start > time->precoder_ps ? start : time->precoder_ps;
    timing_mpu_slots(timing, time, compute->at, compute->header_slots, compute->header_host_ps);
    if (compute->count == 0)
        return;
    start = timing_mpu_hazards(time, compute->vrfs, compute->vrf_count, time->precoder_ps);
    if (timing->target->controllers > 1) {
        start = rfhs_free(timing, time, compute, start);
        timing_port_forget(&time->port, time->precoder_ps);
    }
    struct ensemble_time e = {.start_ps = start, .now_ps = start, .controller = which};
    e.recipes = *table_of(timing, time, which);
    run_batches(timing, time, &e, compute);
    wait_for_host(timing, &e, compute);
    *table_of(timing, time, which) = e.recipes;
    time->controllers[which].free_ps = e.now_ps;
    if (e.last_fetch_ps > time->precoder_ps)
        time->precoder_ps = e.last_fetch_ps;
    struct timing_span s =
        timing_span_of(time->mpu, UNIT_CONTROLLER, which, start, e.now_ps, compute->at.index);
    s.energy_fj = e.energy_fj;
    timing_span_report(timing, &s);
    expose(time, &e);
    timing_mpu_in_flight(time, &(struct in_flight){.end_ps = e.now_ps,
                                                   .vrfs = compute->vrfs,
                                                   .count = compute->vrf_count,
                                                   .compute = true});
    vec_free(&e.region_ps);
}
