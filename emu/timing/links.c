/* SPDX-License-Identifier: MIT */
#include "emu/timing/links.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

enum { PORT, UP, DOWN, RESOURCES };

struct links {
    enum network_kind kind;
    uint32_t rfhs;
    uint64_t hop_ps;
    /* [RESOURCES][rfhs]: when the port of an RFH, its link to the next RFH, and its link to the one
     * before are free. */
    uint64_t *free_ps[RESOURCES];
};

/* Round the ring, the shorter way; of two equally long ones the one of increasing numbers. */
struct way {
    uint32_t hops;
    int direction; /* UP or DOWN */
};

struct links *links_new(const struct target *t) {
    struct links *l = xcalloc(1, sizeof *l);
    l->kind = t->network;
    l->rfhs = t->rfh_per_mpu;
    l->hop_ps = t->ring_hop_ps;
    for (int i = 0; i < RESOURCES; i++)
        l->free_ps[i] = xcalloc(l->rfhs, sizeof *l->free_ps[i]);
    return l;
}

void links_free(struct links *l) {
    if (!l)
        return;
    for (int i = 0; i < RESOURCES; i++)
        free(l->free_ps[i]);
    free(l);
}

static void later(uint64_t *ps, uint64_t than) {
    if (*ps < than)
        *ps = than;
}

/* ---- serial and point to point ---- */

static struct link_time serial(uint64_t ready, const struct links_cost *x) {
    return (struct link_time){ready, sat_add(ready, x->register_ps)};
}

/* Both ports are held from start to end, so a pair that shares an RFH with an earlier one waits
 * until that has ended, and no other does. */
static struct link_time point_to_point(struct links *l, const struct link_pair *p, uint64_t ready,
                                       const struct links_cost *x) {
    uint64_t *port = l->free_ps[PORT];
    later(&ready, port[p->source]);
    later(&ready, port[p->destination]);
    struct link_time t = {ready, sat_add(ready, x->register_ps)};
    port[p->source] = port[p->destination] = t.end_ps;
    return t;
}

/* ---- ring ---- */

static struct way way_of(const struct links *l, const struct link_pair *p) {
    uint32_t up = (p->destination + l->rfhs - p->source) % l->rfhs;
    return up <= l->rfhs - up ? (struct way){up, UP} : (struct way){l->rfhs - up, DOWN};
}

static uint32_t next(const struct links *l, uint32_t rfh, int direction) {
    return (rfh + (direction == UP ? 1 : l->rfhs - 1)) % l->rfhs;
}

/* What is used `after` its start must be free then. */
static void free_after(uint64_t *start, uint64_t free_ps, uint64_t after) {
    if (free_ps > after)
        later(start, free_ps - after);
}

static uint64_t ring_start(const struct links *l, const struct link_pair *p, struct way w,
                           uint64_t ready) {
    uint64_t after = 0;
    uint32_t rfh = p->source;
    later(&ready, l->free_ps[PORT][rfh]);
    for (uint32_t i = 0; i < w.hops; i++) {
        free_after(&ready, l->free_ps[w.direction][rfh], after);
        after = sat_add(after, l->hop_ps);
        rfh = next(l, rfh, w.direction);
    }
    free_after(&ready, l->free_ps[PORT][rfh], after);
    return ready;
}

/* A register leaves when it can go all the way without a stop: each link and port is held for the
 * time of the register, each one hop later than the one before. */
static struct link_time ring(struct links *l, const struct link_pair *p, uint64_t ready,
                             const struct links_cost *x) {
    struct way w = way_of(l, p);
    uint32_t rfh = p->source;
    struct link_time t = {ring_start(l, p, w, ready), 0};
    uint64_t end = sat_add(t.start_ps, x->register_ps);
    l->free_ps[PORT][rfh] = end;
    for (uint32_t i = 0; i < w.hops; i++) {
        l->free_ps[w.direction][rfh] = end;
        end = sat_add(end, l->hop_ps);
        rfh = next(l, rfh, w.direction);
    }
    t.end_ps = l->free_ps[PORT][rfh] = end;
    return t;
}

/* ---- a MEMCPY ---- */

static struct link_time place(struct links *l, const struct link_pair *p, uint64_t begin,
                              uint64_t *last, const struct links_cost *x) {
    switch (l->kind) {
    case NETWORK_P2P:
        return point_to_point(l, p, begin, x);
    case NETWORK_RING:
        return ring(l, p, begin, x);
    default:
        return serial(*last, x);
    }
}

uint64_t links_schedule(struct links *l, const struct link_pair *pairs, size_t count,
                        const struct links_cost *cost, struct link_time *times) {
    uint64_t begin = sat_add(cost->start_ps, sat_mul(count, cost->setup_ps)), last = begin;
    for (int i = 0; i < RESOURCES; i++)
        memset(l->free_ps[i], 0, l->rfhs * sizeof *l->free_ps[i]);
    for (size_t i = 0; i < count; i++) {
        struct link_time t = place(l, &pairs[i], begin, &last, cost);
        later(&last, t.end_ps);
        if (times)
            times[i] = t;
    }
    return last;
}
