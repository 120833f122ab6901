/* SPDX-License-Identifier: MIT
 * A schedule of copies inside an MPU: each begins when what it needs is free. */
#include "machines/dtc/dtc.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"
#include "target/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- one register ---- */

static uint64_t register_bytes(const struct target *target, unsigned width) {
    return ((uint64_t)target->lanes * width + 7) / 8;
}

static bool is_tree(const struct target *target) {
    return target->network == NETWORK_HTREE;
}

uint64_t dtc_setup_ps(const struct target *target) {
    return target->network == NETWORK_HOST || is_tree(target) ? 0 : target->setup_ps;
}

uint64_t dtc_move_ps(const struct target *target) {
    return target->control == CONTROL_STREAM ? target_issue_ps(target) : target->datapath_ps;
}

static uint64_t cells(const struct target *target) {
    return target->move_bits ? target->move_bits : 32;
}

uint64_t dtc_moves(const struct target *target, unsigned width) {
    return ceil_div(width, cells(target));
}

/* The bounds of the keys keep it in 64 bits. */
static uint64_t register_ps(const struct target *target, unsigned width) {
    if (is_tree(target))
        return sat_mul(target->lanes * dtc_moves(target, width), dtc_move_ps(target));
    return target->register_ps + width * target->bit_ps;
}

static uint64_t register_fj(const struct target *target, unsigned width) {
    uint64_t bits = is_tree(target) ? dtc_moves(target, width) * cells(target) : width;
    return sat_mul(target->lanes * bits, target->network_fj_per_bit);
}

uint64_t dtc_copy_ps(const struct target *target, unsigned width) {
    uint64_t bytes = register_bytes(target, width);
    if (target->network != NETWORK_HOST)
        return register_ps(target, width);
    return sat_add(target_host_serial_ps(target, HOST_OUT, bytes),
                   target_host_serial_ps(target, HOST_IN, bytes));
}

uint64_t dtc_copy_fj(const struct target *target, unsigned width) {
    return target->network == NETWORK_HOST
               ? sat_mul(2, target_host_fj(target, register_bytes(target, width)))
               : register_fj(target, width);
}

uint64_t dtc_in_a_row_ps(const struct target *target, unsigned width, uint64_t registers) {
    return sat_mul(registers, sat_add(dtc_setup_ps(target), dtc_copy_ps(target, width)));
}

uint64_t dtc_numbers_ps(const struct target *target, unsigned width) {
    return target->network == NETWORK_HOST
               ? target_host_serial_ps(target, HOST_IN, register_bytes(target, width))
               : register_ps(target, width);
}

uint64_t dtc_numbers_fj(const struct target *target, unsigned width) {
    return target->network == NETWORK_HOST ? target_host_fj(target, register_bytes(target, width))
                                           : register_fj(target, width);
}

/* How pairs follow one another: NETWORK_HOST does so like one of the others, and so does a tree on
 * machines that do not say which moves go together. */
static enum network_kind order_of(const struct target *target) {
    if (is_tree(target))
        return NETWORK_SERIAL;
    if (target->network != NETWORK_HOST)
        return target->network;
    return target_host_mode(target, HOST_SERIAL).scope == HOST_CHIP ? NETWORK_SERIAL : NETWORK_P2P;
}

bool dtc_rfhs_at_once(const struct target *target) {
    return order_of(target) != NETWORK_SERIAL;
}

/* ---- many ---- */

enum { PORT, UP, DOWN, RESOURCES };

struct dtc {
    enum network_kind kind; /* SERIAL, P2P or RING */
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

struct dtc *dtc_new(const struct target *target) {
    struct dtc *d = xcalloc(1, sizeof *d);
    d->kind = order_of(target);
    d->rfhs = target->rfh_per_mpu;
    d->hop_ps = target->ring_hop_ps;
    for (int i = 0; i < RESOURCES; i++)
        d->free_ps[i] = xcalloc(d->rfhs, sizeof *d->free_ps[i]);
    return d;
}

void dtc_free(struct dtc *dtc) {
    if (!dtc)
        return;
    for (int i = 0; i < RESOURCES; i++)
        free(dtc->free_ps[i]);
    free(dtc);
}

static void later(uint64_t *ps, uint64_t than) {
    if (*ps < than)
        *ps = than;
}

/* ---- serial and point to point ---- */

static struct dtc_time serial(uint64_t ready, const struct dtc_cost *cost) {
    return (struct dtc_time){ready, sat_add(ready, cost->register_ps)};
}

/* Both ports are held from start to end, so a pair that shares an RFH with an earlier one waits
 * until that has ended, and no other does. */
static struct dtc_time point_to_point(struct dtc *dtc, const struct dtc_pair *pair, uint64_t ready,
                                      const struct dtc_cost *cost) {
    uint64_t *port = dtc->free_ps[PORT];
    later(&ready, port[pair->source]);
    later(&ready, port[pair->destination]);
    struct dtc_time t = {ready, sat_add(ready, cost->register_ps)};
    port[pair->source] = port[pair->destination] = t.end_ps;
    return t;
}

/* ---- ring ---- */

static struct ring_way way_of(const struct dtc *dtc, const struct dtc_pair *pair) {
    uint32_t up = (pair->destination + dtc->rfhs - pair->source) % dtc->rfhs;
    return up <= dtc->rfhs - up ? (struct ring_way){up, UP}
                                : (struct ring_way){dtc->rfhs - up, DOWN};
}

static uint32_t next(const struct dtc *dtc, uint32_t rfh, int direction) {
    return (rfh + (direction == UP ? 1 : dtc->rfhs - 1)) % dtc->rfhs;
}

/* What is used `after` its start must be free then. */
static void free_after(uint64_t *start, uint64_t free_ps, uint64_t after) {
    if (free_ps > after)
        later(start, free_ps - after);
}

static uint64_t ring_start(const struct dtc *dtc, const struct dtc_pair *pair, struct ring_way way,
                           uint64_t ready) {
    uint64_t after = 0;
    uint32_t rfh = pair->source;
    later(&ready, dtc->free_ps[PORT][rfh]);
    for (uint32_t i = 0; i < way.hops; i++) {
        free_after(&ready, dtc->free_ps[way.direction][rfh], after);
        after = sat_add(after, dtc->hop_ps);
        rfh = next(dtc, rfh, way.direction);
    }
    free_after(&ready, dtc->free_ps[PORT][rfh], after);
    return ready;
}

/* A register leaves when it can go all the way without a stop: each link and port is held for the
 * time of the register, each one hop later than the one before. */
static struct dtc_time ring(struct dtc *dtc, const struct dtc_pair *pair, uint64_t ready,
                            const struct dtc_cost *cost) {
    struct ring_way w = way_of(dtc, pair);
    uint32_t rfh = pair->source;
    struct dtc_time t = {ring_start(dtc, pair, w, ready), 0};
    uint64_t end = sat_add(t.start_ps, cost->register_ps);
    dtc->free_ps[PORT][rfh] = end;
    for (uint32_t i = 0; i < w.hops; i++) {
        dtc->free_ps[w.direction][rfh] = end;
        end = sat_add(end, dtc->hop_ps);
        rfh = next(dtc, rfh, w.direction);
    }
    t.end_ps = dtc->free_ps[PORT][rfh] = end;
    return t;
}

/* ---- a MEMCPY ---- */

static struct dtc_time place(struct dtc *dtc, const struct dtc_pair *pair, uint64_t begin,
                             uint64_t *last, const struct dtc_cost *cost) {
    switch (dtc->kind) {
    case NETWORK_P2P:
        return point_to_point(dtc, pair, begin, cost);
    case NETWORK_RING:
        return ring(dtc, pair, begin, cost);
    default:
        return serial(*last, cost);
    }
}

uint64_t dtc_schedule(struct dtc *dtc, const struct dtc_pair *pairs, size_t count,
                      const struct dtc_cost *cost, struct dtc_time *times) {
    uint64_t begin = sat_add(cost->start_ps, sat_mul(count, cost->setup_ps)), last = begin;
    for (int i = 0; i < RESOURCES; i++)
        memset(dtc->free_ps[i], 0, dtc->rfhs * sizeof *dtc->free_ps[i]);
    for (size_t i = 0; i < count; i++) {
        struct dtc_time t = place(dtc, &pairs[i], begin, &last, cost);
        later(&last, t.end_ps);
        if (times)
            times[i] = t;
    }
    return last;
}
