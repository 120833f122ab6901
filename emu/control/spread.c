/* SPDX-License-Identifier: MIT */
#include "emu/control/spread.h"
#include "support/saturate.h"

#include <stdlib.h>

/* Parts for each thread, so that one that was kept from its work does not hold up the others. */
#define PARTS_A_THREAD 4

void spread_open(struct spread *s, unsigned threads, uint64_t part_ps) {
    *s = (struct spread){.pool = threads > 1 ? pool_new(threads) : NULL,
                         .part_ps = part_ps ? part_ps : SPREAD_PART_PS};
}

void spread_close(struct spread *s) {
    pool_free(s->pool);
    vec_free(&s->joined);
    vec_free(&s->ranges);
    vec_free(&s->starts);
}

/* ---- joining ---- */

void spread_join(struct spread *s, struct vrf_set set) {
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

struct vrf_set spread_joined(struct spread *s) {
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

void spread_cut(struct spread *s, struct vrf_set set, uint32_t grain, size_t parts) {
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

struct job {
    const struct spread *spread;
    struct datapath *dp;
    const struct dp_code *code;
};

static void execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set) {
    struct dp_clock clock = {{0}};
    struct dp_cost cost = {0};
    dp->ops->execute(dp, code, set, 0, &clock, &cost);
}

static void execute_part(void *context, size_t index) {
    const struct job *j = context;
    const size_t *at = &j->spread->starts.data[index];
    execute(j->dp, j->code, (struct vrf_set){&j->spread->ranges.data[at[0]], at[1] - at[0]});
}

/* How many parts pay. */
static size_t parts_of(const struct spread *s, const struct datapath *dp, uint64_t host_ps,
                       uint64_t vrfs) {
    if (!s->pool || dp->observed)
        return 1;
    uint64_t most = (uint64_t)PARTS_A_THREAD * pool_threads(s->pool);
    uint64_t parts = sat_mul(host_ps, vrfs) / s->part_ps;
    return (size_t)(parts < most ? parts : most);
}

void spread_execute(struct spread *s, struct datapath *dp, const struct dp_code *code,
                    uint64_t host_ps, struct vrf_set set) {
    struct job job = {s, dp, code};
    size_t parts = parts_of(s, dp, host_ps, vrf_set_size(set));
    if (parts < 2) {
        execute(dp, code, set);
        return;
    }
    spread_cut(s, set, dp->grain, parts);
    pool_run(s->pool, s->starts.len - 1, execute_part, &job);
}
