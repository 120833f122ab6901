/* SPDX-License-Identifier: MIT
 * Cuts a set of VRFs into consecutive parts, each with enough work for a thread of the pool. */
#include "emu/control/spread.h"
#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

/* Parts for each thread, so that one that was kept from its work does not hold up the others. */
#define PARTS_A_THREAD 4

void control_spread_open(struct spread *spread, unsigned threads, uint64_t part_ps) {
    *spread = (struct spread){.pool = threads > 1 ? pool_new(threads) : NULL,
                              .part_ps = part_ps ? part_ps : SPREAD_PART_PS};
}

void control_spread_close(struct spread *spread) {
    pool_free(spread->pool);
    vec_free(&spread->joined);
    vec_free(&spread->ranges);
    vec_free(&spread->starts);
}

/* ---- joining ---- */

void control_spread_join(struct spread *spread, struct vrf_set set) {
    for (size_t i = 0; i < set.count; i++)
        vec_push(&spread->joined, set.ranges[i]);
}

static int by_first(const void *left, const void *right) {
    const struct vrf_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Batches of an MPU need not lie one behind the other. */
static bool ascend(const struct vrf_range *range, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (range[i].first < range[i - 1].first)
            return false;
    return true;
}

struct vrf_set control_spread_joined(struct spread *spread) {
    struct vrf_range *r = spread->joined.data;
    size_t count = spread->joined.len, kept = 0;
    if (!ascend(r, count))
        qsort(r, count, sizeof *r, by_first);
    for (size_t i = 0; i < count; i++) {
        if (kept && r[kept - 1].first + r[kept - 1].count == r[i].first)
            r[kept - 1].count += r[i].count;
        else
            r[kept++] = r[i];
    }
    spread->joined.len = 0;
    return (struct vrf_set){r, kept};
}

/* ---- cutting ---- */

/* VRFs of the range that the part still takes, which has room for `room` and goes on to the next
 * multiple of the grain. */
static uint32_t taken(struct vrf_range range, uint64_t room, uint32_t grain) {
    uint64_t end = (range.first + room + grain - 1) / grain * grain;
    return end - range.first < range.count ? (uint32_t)(end - range.first) : range.count;
}

void control_spread_cut(struct spread *spread, struct vrf_set set, uint32_t grain, size_t parts) {
    uint64_t size = (vrf_set_size(set) + parts - 1) / parts, room = size;
    uint64_t last = UINT64_MAX; /* grain of the VRF before */
    vec_clear(&spread->ranges);
    vec_clear(&spread->starts);
    vec_push(&spread->starts, (size_t)0);
    for (size_t i = 0; i < set.count; i++)
        for (struct vrf_range r = set.ranges[i]; r.count;) {
            if (room == 0 && r.first / grain != last) {
                vec_push(&spread->starts, spread->ranges.len);
                room = size;
            }
            const struct vrf_range piece = {r.first, taken(r, room, grain)};
            vec_push(&spread->ranges, piece);
            room -= piece.count < room ? piece.count : room;
            r.first += piece.count;
            r.count -= piece.count;
            last = (r.first - 1) / grain;
        }
    vec_push(&spread->starts, spread->ranges.len);
}

/* ---- executing ---- */

struct part_job {
    const struct spread *spread;
    struct datapath *dp;
    const struct dp_code *code;
    uint64_t *lanes; /* [parts][stretches], or NULL */
    uint32_t stretches;
};

static void execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    uint64_t *lanes) {
    struct dp_outcome out = {.lanes = lanes};
    dp->ops->execute(dp, code, set, (struct dp_moment){0}, lanes ? &out : NULL);
}

static void execute_part(void *context, size_t index) {
    const struct part_job *j = context;
    const size_t *at = &j->spread->starts.data[index];
    execute(j->dp, j->code, (struct vrf_set){&j->spread->ranges.data[at[0]], at[1] - at[0]},
            j->lanes ? j->lanes + index * j->stretches : NULL);
}

/* How many parts pay. */
static size_t parts_of(const struct spread *spread, const struct datapath *dp, uint64_t work_ps) {
    if (!spread->pool || dp->observed)
        return 1;
    uint64_t most = (uint64_t)PARTS_A_THREAD * pool_threads(spread->pool);
    uint64_t parts = work_ps / spread->part_ps;
    return (size_t)(parts < most ? parts : most);
}

/* Sums do not depend on how the set was cut. */
static void add_lanes(const struct part_job *job, size_t parts, uint64_t *lanes) {
    for (size_t i = 0; i < parts * job->stretches; i++)
        lanes[i % job->stretches] = sat_add(lanes[i % job->stretches], job->lanes[i]);
}

void control_spread_execute(struct spread *spread, struct datapath *dp, const struct dp_code *code,
                            uint64_t host_ps, struct vrf_set set, uint64_t *lanes,
                            uint32_t stretches) {
    struct part_job job = {spread, dp, code, NULL, stretches};
    size_t parts = parts_of(spread, dp, sat_mul(host_ps, vrf_set_size(set)));
    if (parts < 2) {
        execute(dp, code, set, lanes);
        return;
    }
    control_spread_cut(spread, set, dp->grain, parts);
    parts = spread->starts.len - 1;
    if (lanes)
        job.lanes = xcalloc(parts * stretches + 1, sizeof *job.lanes);
    pool_run(spread->pool, parts, execute_part, &job);
    if (lanes)
        add_lanes(&job, parts, lanes);
    free(job.lanes);
}

struct job_list {
    struct datapath *dp;
    const struct spread_job *jobs;
};

static void execute_job(void *context, size_t index) {
    const struct job_list *l = context;
    const struct spread_job *j = &l->jobs[index];
    l->dp->ops->execute(l->dp, j->code, j->set, (struct dp_moment){0}, j->out);
}

void control_spread_jobs(struct spread *spread, struct datapath *dp, const struct spread_job *jobs,
                         size_t count) {
    struct job_list list = {dp, jobs};
    uint64_t work = 0;
    for (size_t i = 0; i < count; i++)
        work = sat_add(work, sat_mul(jobs[i].host_ps, vrf_set_size(jobs[i].set)));
    if (count > 1 && parts_of(spread, dp, work) > 1) {
        pool_run(spread->pool, count, execute_job, &list);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        jobs[i].out->pool = dp->observed ? NULL : spread->pool;
        jobs[i].out->part_ps = spread->part_ps;
        execute_job(&list, i);
    }
}
