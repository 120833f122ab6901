/* SPDX-License-Identifier: MIT
 * Batches of an MPU: so many VRFs of each queue at a time, and where a word names a range of VRFs,
 * the ranges of these. */
#include "emu/control/batches.h"

#include "machines/dtc/tree_ranges.h"
#include "support/alloc.h"

#include <stdlib.h>

/* The VRFs by their places in the queues of their RFHs. */
struct queues {
    const struct batch_maker *maker;
    uint32_t *place; /* [count] */
    uint32_t longest;
    uint32_t *members; /* [count]: of a batch, by their numbers in maker->vrfs */
    uint32_t *vrfs;    /* [count]: the same, as VRFs */
    dtc_ranges ranges; /* of one batch */
};

static void open_queues(struct queues *queues, const struct batch_maker *maker) {
    uint32_t *length = xcalloc(maker->rfh_per_mpu, sizeof *length);
    *queues = (struct queues){.maker = maker,
                              .place = xcalloc(maker->count, sizeof *queues->place),
                              .members = xcalloc(maker->count, sizeof *queues->members),
                              .vrfs = xcalloc(maker->count, sizeof *queues->vrfs)};
    for (uint32_t i = 0; i < maker->count; i++) {
        uint32_t *n = &length[maker->vrfs[i] % maker->rfh_per_mpu];
        queues->place[i] = (*n)++;
        queues->longest = *n > queues->longest ? *n : queues->longest;
    }
    free(length);
}

static void close_queues(struct queues *queues) {
    free(queues->place);
    free(queues->members);
    free(queues->vrfs);
    vec_free(&queues->ranges);
}

/* Batches of `active` VRFs of each RFH. */
static uint32_t count_batches(const struct queues *queues, uint32_t active) {
    return (queues->longest - 1) / active + 1;
}

/* The ranges of batch `batch` of these. */
static uint32_t find_ranges(struct queues *queues, uint32_t active, uint32_t batch) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < queues->maker->count; i++)
        if (queues->place[i] / active == batch) {
            queues->members[n] = i;
            queues->vrfs[n++] = queues->maker->vrfs[i];
        }
    vec_clear(&queues->ranges);
    dtc_cover(queues->vrfs, n, &queues->ranges);
    return n;
}

static uint32_t count_ranges(struct queues *queues, uint32_t active) {
    uint32_t ranges = 0;
    for (uint32_t b = 0; b < count_batches(queues, active); b++) {
        find_ranges(queues, active, b);
        ranges += (uint32_t)queues->ranges.len;
    }
    return ranges;
}

/* The most VRFs of an RFH whose batches are the fewest ranges.  Fewer VRFs at once are no fewer
 * batches, and a batch is a range at least. */
static uint32_t best_active(struct queues *queues, uint32_t most) {
    uint32_t best = most, fewest = count_ranges(queues, most);
    for (uint32_t active = most - 1; active && count_batches(queues, active) < fewest; active--) {
        uint32_t ranges = count_ranges(queues, active);
        best = ranges < fewest ? active : best;
        fewest = ranges < fewest ? ranges : fewest;
    }
    return best;
}

static bool is_in(const struct dtc_range *range, uint32_t vrf) {
    return vrf >= range->first && vrf <= range->last && (vrf - range->first) % range->step == 0;
}

/* Each range is a batch; returns how many there are. */
static uint32_t cut(struct queues *queues, uint32_t active, uint32_t *batch) {
    uint32_t next = 0;
    for (uint32_t b = 0; b < count_batches(queues, active); b++) {
        uint32_t members = find_ranges(queues, active, b);
        for (size_t r = 0; r < queues->ranges.len; r++, next++)
            for (uint32_t i = 0; i < members; i++)
                if (is_in(&queues->ranges.data[r], queues->vrfs[i]))
                    batch[queues->members[i]] = next;
    }
    return next;
}

uint32_t control_batches_make(const struct batch_maker *maker, uint32_t *batch) {
    struct queues q;
    uint32_t beyond = 0;
    if (!maker->count)
        return 0;
    open_queues(&q, maker);
    uint32_t active = maker->active && maker->active < q.longest ? maker->active : q.longest;
    if (maker->by_range)
        beyond = cut(&q, best_active(&q, active), batch) - count_batches(&q, active);
    for (uint32_t i = 0; !maker->by_range && i < maker->count; i++)
        batch[i] = q.place[i] / active;
    close_queues(&q);
    return beyond;
}
