/* SPDX-License-Identifier: MIT
 * Compute ensembles in time: the precoder hands the header to a free controller, which runs the
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

static bool have_common(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count) {
    if (a_count > b_count)
        return have_common(b, b_count, a, a_count);
    for (uint32_t i = 0; i < a_count; i++)
        if (contains(b, b_count, a[i]))
            return true;
    return false;
}

uint64_t timing_mpu_hazards(const struct mpu_time *m, const uint32_t *vrfs, uint32_t count,
                            uint64_t from_ps) {
    uint64_t ps = from_ps;
    for (size_t i = 0; i < m->in_flight.len; i++) {
        const struct in_flight *x = &m->in_flight.data[i];
        if (x->end_ps > ps && have_common(x->vrfs, x->count, vrfs, count))
            ps = x->end_ps;
    }
    return ps;
}

void timing_mpu_in_flight(struct mpu_time *m, const struct in_flight *x) {
    size_t kept = 0;
    for (size_t i = 0; i < m->in_flight.len; i++)
        if (m->in_flight.data[i].end_ps > m->precoder_ps)
            m->in_flight.data[kept++] = m->in_flight.data[i];
        else
            free(m->in_flight.data[i].own);
    m->in_flight.len = kept;
    vec_push(&m->in_flight, *x);
}

/* An RFH follows one stream of instructions at a time. */
static bool share_an_rfh(const struct timing *t, const struct in_flight *x,
                         const struct timing_compute *y) {
    uint32_t per_mpu = target_vrfs_per_mpu(t->target), rfhs = t->target->rfh_per_mpu;
    uint8_t *used = xcalloc(rfhs, 1);
    bool common = false;
    for (uint32_t i = 0; i < x->count; i++)
        used[x->vrfs[i] % per_mpu % rfhs] = 1;
    for (uint32_t i = 0; i < y->vrf_count && !common; i++)
        common = used[y->vrfs[i] % per_mpu % rfhs];
    free(used);
    return common;
}

static uint64_t rfhs_free(const struct timing *t, const struct mpu_time *m,
                          const struct timing_compute *y, uint64_t from_ps) {
    uint64_t ps = from_ps;
    for (size_t i = 0; i < m->in_flight.len; i++) {
        const struct in_flight *x = &m->in_flight.data[i];
        if (x->compute && x->end_ps > ps && share_an_rfh(t, x, y))
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
    VEC(uint64_t) region_ps; /* likewise */
};

static void add_region(struct ensemble_time *e, uint32_t region, uint64_t ps) {
    while (e->region_ps.len <= region)
        vec_push(&e->region_ps, 0);
    timing_add(&e->region_ps.data[region], ps);
}

static void add_shares(struct timing *t, const struct batch_time *b) {
    for (uint32_t i = 0; i < b->share_count; i++) {
        timing_add(&t->insn_ps[b->shares[i].index], b->shares[i].ps);
        timing_add(&t->insn_cycles[b->shares[i].index], b->shares[i].cycles);
    }
}

static void report_rfhs(const struct timing *t, const struct batch *b, uint64_t start_ps,
                        uint64_t end_ps, uint32_t index) {
    uint32_t per_mpu = target_vrfs_per_mpu(t->target), rfhs = t->target->rfh_per_mpu;
    uint8_t *seen = xcalloc(rfhs, 1);
    for (uint32_t i = 0; i < b->count; i++)
        seen[b->vrfs[i] % per_mpu % rfhs] = 1;
    for (uint32_t r = 0; r < rfhs; r++)
        if (seen[r])
            timing_span_report(t, b->mpu, UNIT_RFH, r, start_ps, end_ps, index, b->index);
    free(seen);
}

/* `times` batches in a row that all take as long as this one. */
static void add_batches(struct timing *t, struct ensemble_time *e, const struct batch_time *b,
                        uint64_t times) {
    if (b->last_fetch_ps)
        e->last_fetch_ps = sat_add(e->now_ps, b->last_fetch_ps);
    e->now_ps = sat_add(e->now_ps, sat_mul(b->ps, times));
    for (int i = 0; i < TIMING_PARTS; i++)
        timing_add(&e->part_ps[i], sat_mul(b->part_ps[i], times));
    timing_batch_cycles(t, b, times);
    for (uint32_t i = 0; i < b->share_count; i++)
        add_region(e, b->shares[i].region, sat_mul(b->shares[i].ps, times));
    e->playback = b->playback;
    e->recipes = b->recipes;
}

static void change_batch(struct timing *t, struct ensemble_time *e,
                         const struct timing_compute *x) {
    bool hardware = t->target->scheduler == SCHEDULER_HARDWARE;
    uint64_t ps = hardware ? t->target->front_end_ps : t->target->software_schedule_ps;
    e->now_ps = sat_add(e->now_ps, ps);
    timing_add(&e->part_ps[TIMING_SCHEDULE], ps);
    timing_spend_cycles(t, TIMING_SCHEDULE, x->at, hardware);
    timing_add(&t->insn_ps[x->at.index], ps);
    add_region(e, x->at.region, ps);
}

/* One batch, alone on the port or among others. */
static void run_batch(struct timing *t, struct mpu_time *m, struct ensemble_time *e,
                      const struct timing_compute *x, uint32_t i) {
    uint32_t path = x->paths[x->same_path ? 0 : i];
    uint64_t start = e->now_ps;
    if (t->target->controllers > 1) {
        struct batch_time *b = timing_batch_time_shared(&t->model, path, x->batches[i].count,
                                                        e->playback, e->recipes, &m->port, start);
        add_batches(t, e, b, 1);
        add_shares(t, b);
        timing_batch_time_free(b);
    } else {
        struct batch_time *b =
            timing_batch_time(&t->model, path, x->batches[i].count, e->playback, e->recipes);
        add_batches(t, e, b, 1);
        b->uses++;
    }
    if (t->setup.span)
        report_rfhs(t, &x->batches[i], start, e->now_ps, x->at.index);
}

/* Batches from i on that take as long because they have as many VRFs, if that matters. */
static uint32_t alike(const struct timing *t, const struct timing_compute *x, uint32_t i) {
    uint32_t end = i + 1;
    if (!t->model.dp->tables.at_once)
        return x->count - i;
    while (end < x->count && x->batches[end].count == x->batches[i].count)
        end++;
    return end - i;
}

/* Batches that find everything as the one before them did take as long. */
static uint32_t repeat_batches(struct timing *t, struct ensemble_time *e,
                               const struct timing_compute *x, uint32_t i) {
    uint32_t left = alike(t, x, i);
    if (!x->same_path || t->target->controllers > 1 || t->setup.span || i == 0)
        return 0;
    struct batch_time *b =
        timing_batch_time(&t->model, x->paths[0], x->batches[i].count, e->playback, e->recipes);
    if (b->playback != e->playback || b->recipes != e->recipes)
        return 0;
    struct ensemble_time one = {.playback = e->playback, .recipes = e->recipes};
    change_batch(t, &one, x);
    add_batches(t, &one, b, 1);
    b->uses += left;
    e->now_ps = sat_add(e->now_ps, sat_mul(one.now_ps, left));
    for (int p = 0; p < TIMING_PARTS; p++)
        timing_add(&e->part_ps[p], sat_mul(one.part_ps[p], left));
    timing_batch_cycles(t, b, left - 1);
    timing_spend_cycles(t, TIMING_SCHEDULE, x->at,
                        t->target->scheduler == SCHEDULER_HARDWARE ? left - 1 : 0);
    timing_add(&t->insn_ps[x->at.index], sat_mul(one.part_ps[TIMING_SCHEDULE], left - 1));
    for (size_t r = 0; r < one.region_ps.len; r++)
        add_region(e, (uint32_t)r, sat_mul(one.region_ps.data[r], left));
    if (b->last_fetch_ps)
        e->last_fetch_ps = e->now_ps - b->ps + b->last_fetch_ps;
    vec_free(&one.region_ps);
    return left;
}

static void run_batches(struct timing *t, struct mpu_time *m, struct ensemble_time *e,
                        const struct timing_compute *x) {
    for (uint32_t i = 0, more; i < x->count; i += more ? more : 1) {
        more = repeat_batches(t, e, x, i);
        if (more)
            continue;
        if (i)
            change_batch(t, e, x);
        run_batch(t, m, e, x, i);
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

static void expose(struct mpu_time *m, const struct ensemble_time *e) {
    if (e->now_ps <= m->end_ps)
        return;
    uint64_t exposed = e->now_ps - m->end_ps, whole = e->now_ps - e->start_ps;
    while (m->region_ps.len < e->region_ps.len)
        vec_push(&m->region_ps, 0);
    spread(m->part_ps, e->part_ps, TIMING_PARTS, whole, exposed);
    spread(m->region_ps.data, e->region_ps.data, e->region_ps.len, whole, exposed);
    m->end_ps = e->now_ps;
}

static uint32_t first_free(const struct timing *t, const struct mpu_time *m) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < t->target->controllers; i++)
        if (m->controllers[i].free_ps < m->controllers[first].free_ps)
            first = i;
    return first;
}

static uint32_t *table_of(const struct timing *t, struct mpu_time *m, uint32_t controller) {
    return t->target->recipe_table == RECIPE_TABLE_PRIVATE ? &m->controllers[controller].recipes
                                                           : &m->recipes;
}

void timing_mpu_compute(struct timing *t, struct mpu_time *m, const struct timing_compute *x) {
    uint32_t which = first_free(t, m);
    uint64_t start = m->controllers[which].free_ps;
    m->precoder_ps = start > m->precoder_ps ? start : m->precoder_ps;
    timing_mpu_slots(t, m, x->at, x->header_slots, x->header_host_ps);
    if (x->count == 0)
        return;
    start = timing_mpu_hazards(m, x->vrfs, x->vrf_count, m->precoder_ps);
    if (t->target->controllers > 1) {
        start = rfhs_free(t, m, x, start);
        timing_port_forget(&m->port, m->precoder_ps);
    }
    struct ensemble_time e = {.start_ps = start, .now_ps = start, .controller = which};
    e.recipes = *table_of(t, m, which);
    run_batches(t, m, &e, x);
    *table_of(t, m, which) = e.recipes;
    m->controllers[which].free_ps = e.now_ps;
    if (e.last_fetch_ps > m->precoder_ps)
        m->precoder_ps = e.last_fetch_ps;
    timing_span_report(t, m->mpu, UNIT_CONTROLLER, which, start, e.now_ps, x->at.index, UINT32_MAX);
    expose(m, &e);
    timing_mpu_in_flight(
        m, &(struct in_flight){
               .end_ps = e.now_ps, .vrfs = x->vrfs, .count = x->vrf_count, .compute = true});
    vec_free(&e.region_ps);
}
