/* SPDX-License-Identifier: MIT */
#include "machines/dtc/dtc.h"

#include "support/alloc.h"
#include "support/saturate.h"
#include "target/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- one register ---- */

static uint64_t register_bytes(const struct target *t, unsigned width) {
    return ((uint64_t)t->lanes * width + 7) / 8;
}

uint64_t dtc_setup_ps(const struct target *t) {
    return t->network == NETWORK_HOST ? 0 : t->setup_ps;
}

/* The bounds of the keys keep it in 64 bits. */
static uint64_t register_ps(const struct target *t, unsigned width) {
    return t->register_ps + width * t->bit_ps;
}

static uint64_t register_fj(const struct target *t, unsigned width) {
    return sat_mul((uint64_t)t->lanes * width, t->network_fj_per_bit);
}

uint64_t dtc_copy_ps(const struct target *t, unsigned width) {
    uint64_t bytes = register_bytes(t, width);
    if (t->network != NETWORK_HOST)
        return register_ps(t, width);
    return sat_add(target_host_serial_ps(t, HOST_OUT, bytes),
                   target_host_serial_ps(t, HOST_IN, bytes));
}

uint64_t dtc_copy_fj(const struct target *t, unsigned width) {
    return t->network == NETWORK_HOST ? sat_mul(2, target_host_fj(t, register_bytes(t, width)))
                                      : register_fj(t, width);
}

uint64_t dtc_in_a_row_ps(const struct target *t, unsigned width, uint64_t registers) {
    return sat_mul(registers, sat_add(dtc_setup_ps(t), dtc_copy_ps(t, width)));
}

uint64_t dtc_numbers_ps(const struct target *t, unsigned width) {
    return t->network == NETWORK_HOST ? target_host_serial_ps(t, HOST_IN, register_bytes(t, width))
                                      : register_ps(t, width);
}

uint64_t dtc_numbers_fj(const struct target *t, unsigned width) {
    return t->network == NETWORK_HOST ? target_host_fj(t, register_bytes(t, width))
                                      : register_fj(t, width);
}

/* How pairs follow one another: NETWORK_HOST does so like one of the others. */
static enum network_kind order_of(const struct target *t) {
    if (t->network != NETWORK_HOST)
        return t->network;
    return target_host_mode(t, HOST_SERIAL).scope == HOST_CHIP ? NETWORK_SERIAL : NETWORK_P2P;
}

bool dtc_rfhs_at_once(const struct target *t) {
    return order_of(t) != NETWORK_SERIAL;
}

/* ---- many ---- */

enum { PORT, UP, DOWN, RESOURCES };

struct dtc {
    enum network_kind kind; /* not NETWORK_HOST */
    uint32_t rfhs;
    uint64_t hop_ps;
    /* [RESOURCES][rfhs]: when the port of an RFH, its link to the next RFH, and its link to the one
     * before are free. */
    uint64_t *free_ps[RESOURCES];
};

/* Round the ring, the shorter way; of two equally long ones the one of increasing numbers. */
struct ring_way {
    uint32_t hops;
    int direction; /* UP or DOWN */
};

struct dtc *dtc_new(const struct target *t) {
    struct dtc *d = xcalloc(1, sizeof *d);
    d->kind = order_of(t);
    d->rfhs = t->rfh_per_mpu;
    d->hop_ps = t->ring_hop_ps;
    for (int i = 0; i < RESOURCES; i++)
        d->free_ps[i] = xcalloc(d->rfhs, sizeof *d->free_ps[i]);
    return d;
}

void dtc_free(struct dtc *d) {
    if (!d)
        return;
    for (int i = 0; i < RESOURCES; i++)
        free(d->free_ps[i]);
    free(d);
}

static void later(uint64_t *ps, uint64_t than) {
    if (*ps < than)
        *ps = than;
}

/* ---- serial and point to point ---- */

static struct dtc_time serial(uint64_t ready, const struct dtc_cost *x) {
    return (struct dtc_time){ready, sat_add(ready, x->register_ps)};
}

/* Both ports are held from start to end, so a pair that shares an RFH with an earlier one waits
 * until that has ended, and no other does. */
static struct dtc_time point_to_point(struct dtc *d, const struct dtc_pair *p, uint64_t ready,
                                      const struct dtc_cost *x) {
    uint64_t *port = d->free_ps[PORT];
    later(&ready, port[p->source]);
    later(&ready, port[p->destination]);
    struct dtc_time t = {ready, sat_add(ready, x->register_ps)};
    port[p->source] = port[p->destination] = t.end_ps;
    return t;
}

/* ---- ring ---- */

static struct ring_way way_of(const struct dtc *d, const struct dtc_pair *p) {
    uint32_t up = (p->destination + d->rfhs - p->source) % d->rfhs;
    return up <= d->rfhs - up ? (struct ring_way){up, UP} : (struct ring_way){d->rfhs - up, DOWN};
}

static uint32_t next(const struct dtc *d, uint32_t rfh, int direction) {
    return (rfh + (direction == UP ? 1 : d->rfhs - 1)) % d->rfhs;
}

/* What is used `after` its start must be free then. */
static void free_after(uint64_t *start, uint64_t free_ps, uint64_t after) {
    if (free_ps > after)
        later(start, free_ps - after);
}

static uint64_t ring_start(const struct dtc *d, const struct dtc_pair *p, struct ring_way w,
                           uint64_t ready) {
    uint64_t after = 0;
    uint32_t rfh = p->source;
    later(&ready, d->free_ps[PORT][rfh]);
    for (uint32_t i = 0; i < w.hops; i++) {
        free_after(&ready, d->free_ps[w.direction][rfh], after);
        after = sat_add(after, d->hop_ps);
        rfh = next(d, rfh, w.direction);
    }
    free_after(&ready, d->free_ps[PORT][rfh], after);
    return ready;
}

/* A register leaves when it can go all the way without a stop: each link and port is held for the
 * time of the register, each one hop later than the one before. */
static struct dtc_time ring(struct dtc *d, const struct dtc_pair *p, uint64_t ready,
                            const struct dtc_cost *x) {
    struct ring_way w = way_of(d, p);
    uint32_t rfh = p->source;
    struct dtc_time t = {ring_start(d, p, w, ready), 0};
    uint64_t end = sat_add(t.start_ps, x->register_ps);
    d->free_ps[PORT][rfh] = end;
    for (uint32_t i = 0; i < w.hops; i++) {
        d->free_ps[w.direction][rfh] = end;
        end = sat_add(end, d->hop_ps);
        rfh = next(d, rfh, w.direction);
    }
    t.end_ps = d->free_ps[PORT][rfh] = end;
    return t;
}

/* ---- a MEMCPY ---- */

static struct dtc_time place(struct dtc *d, const struct dtc_pair *p, uint64_t begin,
                             uint64_t *last, const struct dtc_cost *x) {
    switch (d->kind) {
    case NETWORK_P2P:
        return point_to_point(d, p, begin, x);
    case NETWORK_RING:
        return ring(d, p, begin, x);
    default:
        return serial(*last, x);
    }
}

uint64_t dtc_schedule(struct dtc *d, const struct dtc_pair *pairs, size_t count,
                      const struct dtc_cost *cost, struct dtc_time *times) {
    uint64_t begin = sat_add(cost->start_ps, sat_mul(count, cost->setup_ps)), last = begin;
    for (int i = 0; i < RESOURCES; i++)
        memset(d->free_ps[i], 0, d->rfhs * sizeof *d->free_ps[i]);
    for (size_t i = 0; i < count; i++) {
        struct dtc_time t = place(d, &pairs[i], begin, &last, cost);
        later(&last, t.end_ps);
        if (times)
            times[i] = t;
    }
    return last;
}
