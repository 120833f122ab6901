/* SPDX-License-Identifier: MIT */
#include "emu/control/spread.h"
#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

/* Parts for each thread, so that one that was kept from its work does not hold up the others. */
#define PARTS_A_THREAD 4

void control_spread_open(struct spread *s, unsigned threads, uint64_t part_ps) {
    *s = (struct spread){.pool = threads > 1 ? pool_new(threads) : NULL,
                         .part_ps = part_ps ? part_ps : SPREAD_PART_PS};
}

void control_spread_close(struct spread *s) {
    pool_free(s->pool);
    vec_free(&s->joined);
    vec_free(&s->ranges);
    vec_free(&s->starts);
}

/* ---- joining ---- */

void control_spread_join(struct spread *s, struct vrf_set set) {
    for (size_t i = 0; i < set.count; i++)
        vec_push(&s->joined, set.ranges[i]);
}

static int by_first(const void *x, const void *y) {
    const struct vrf_range *a = x, *b = y;
    return (a->first > b->first) - (a->first < b->first);
}

/* Batches of an MPU need not lie one behind the other. */
static bool ascend(const struct vrf_range *r, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (r[i].first < r[i - 1].first)
            return false;
    return true;
}

struct vrf_set control_spread_joined(struct spread *s) {
    struct vrf_range *r = s->joined.data;
    size_t count = s->joined.len, kept = 0;
    if (!ascend(r, count))
        qsort(r, count, sizeof *r, by_first);
    for (size_t i = 0; i < count; i++) {
        if (kept && r[kept - 1].first + r[kept - 1].count == r[i].first)
            r[kept - 1].count += r[i].count;
        else
            r[kept++] = r[i];
    }
    s->joined.len = 0;
    return (struct vrf_set){r, kept};
}

/* ---- cutting ---- */

/* VRFs of the range that the part still takes, which has room for `room` and goes on to the next
 * multiple of the grain. */
static uint32_t taken(struct vrf_range r, uint64_t room, uint32_t grain) {
    uint64_t end = (r.first + room + grain - 1) / grain * grain;
    return end - r.first < r.count ? (uint32_t)(end - r.first) : r.count;
}

void control_spread_cut(struct spread *s, struct vrf_set set, uint32_t grain, size_t parts) {
    uint64_t size = (vrf_set_size(set) + parts - 1) / parts, room = size;
    uint64_t last = UINT64_MAX; /* grain of the VRF before */
    vec_clear(&s->ranges);
    vec_clear(&s->starts);
    vec_push(&s->starts, (size_t)0);
    for (size_t i = 0; i < set.count; i++)
        for (struct vrf_range r = set.ranges[i]; r.count;) {
            if (room == 0 && r.first / grain != last) {
                vec_push(&s->starts, s->ranges.len);
                room = size;
            }
            const struct vrf_range piece = {r.first, taken(r, room, grain)};
            vec_push(&s->ranges, piece);
            room -= piece.count < room ? piece.count : room;
            r.first += piece.count;
            r.count -= piece.count;
            last = (r.first - 1) / grain;
        }
    vec_push(&s->starts, s->ranges.len);
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
    dp->ops->execute(dp, code, set, 0, lanes ? &out : NULL);
}

static void execute_part(void *context, size_t index) {
    const struct part_job *j = context;
    const size_t *at = &j->spread->starts.data[index];
    execute(j->dp, j->code, (struct vrf_set){&j->spread->ranges.data[at[0]], at[1] - at[0]},
            j->lanes ? j->lanes + index * j->stretches : NULL);
}

/* How many parts pay. */
static size_t parts_of(const struct spread *s, const struct datapath *dp, uint64_t work_ps) {
    if (!s->pool || dp->observed)
        return 1;
    uint64_t most = (uint64_t)PARTS_A_THREAD * pool_threads(s->pool);
    uint64_t parts = work_ps / s->part_ps;
    return (size_t)(parts < most ? parts : most);
}

/* Sums do not depend on how the set was cut. */
static void add_lanes(const struct part_job *j, size_t parts, uint64_t *lanes) {
    for (size_t i = 0; i < parts * j->stretches; i++)
        lanes[i % j->stretches] = sat_add(lanes[i % j->stretches], j->lanes[i]);
}

void control_spread_execute(struct spread *s, struct datapath *dp, const struct dp_code *code,
                            uint64_t host_ps, struct vrf_set set, uint64_t *lanes,
                            uint32_t stretches) {
    struct part_job job = {s, dp, code, NULL, stretches};
    size_t parts = parts_of(s, dp, sat_mul(host_ps, vrf_set_size(set)));
    if (parts < 2) {
        execute(dp, code, set, lanes);
        return;
    }
    control_spread_cut(s, set, dp->grain, parts);
    parts = s->starts.len - 1;
    if (lanes)
        job.lanes = xcalloc(parts * stretches + 1, sizeof *job.lanes);
    pool_run(s->pool, parts, execute_part, &job);
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
    l->dp->ops->execute(l->dp, j->code, j->set, 0, j->out);
}

void control_spread_jobs(struct spread *s, struct datapath *dp, const struct spread_job *jobs,
                         size_t count) {
    struct job_list list = {dp, jobs};
    uint64_t work = 0;
    for (size_t i = 0; i < count; i++)
        work = sat_add(work, sat_mul(jobs[i].host_ps, vrf_set_size(jobs[i].set)));
    if (count > 1 && parts_of(s, dp, work) > 1) {
        pool_run(s->pool, count, execute_job, &list);
        return;
    }
    for (size_t i = 0; i < count; i++)
        execute_job(&list, i);
}
