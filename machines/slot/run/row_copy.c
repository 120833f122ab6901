/* SPDX-License-Identifier: MIT
 * Copies of registers: what they write, and the row commands that they are. */
#include "machines/dtc/transfer.h"
#include "machines/slot/run/machine.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The lanes that a copy means, written out. */
static struct dp_copy all_lanes(struct slot_datapath *m, const struct dp_copy *copy) {
    struct dp_copy c = *copy;
    if (c.count == 0) {
        c.count = slot_vrf(m, c.dst_vrf)->lanes;
        c.src_first = c.dst_first = 0;
        c.src_step = c.dst_step = 1;
        uint32_t there = c.source == DP_FROM_REGISTER ? slot_vrf(m, c.src_vrf)->lanes : c.count;
        c.count = there < c.count ? there : c.count;
    }
    return c;
}

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t i) {
    return (uint32_t)((int64_t)first + (int64_t)i * step);
}

/* Of the lanes of a copy, those from `done` on. */
static void read_some(struct slot_datapath *m, const struct dp_copy *c, uint32_t done, uint32_t n,
                      uint64_t *values) {
    struct slot_vrf *x = c->source == DP_FROM_REGISTER ? slot_vrf(m, c->src_vrf) : NULL;
    unsigned reg = c->src_reg & 63, bits = x ? slot_bits_of(m, x->kin)[reg] : 0;
    const uint64_t *row = bits ? slot_row(m, x, c->src_vrf, reg) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = lane_at(c->src_first, c->src_step, done + i);
        values[i] = c->source == DP_FROM_COUNT      ? dp_copy_number(c, done + i)
                    : c->source == DP_FROM_CONSTANT ? c->value
                    : row && lane < x->lanes ? slot_lane_read(row, x->slot, lane) & low_bits(bits)
                                             : 0;
    }
}

static void write_some(struct slot_datapath *m, const struct dp_copy *c, uint32_t done, uint32_t n,
                       const uint64_t *values) {
    struct slot_vrf *x = slot_vrf(m, c->dst_vrf);
    unsigned reg = c->dst_reg & 63, bits = slot_bits_of(m, x->kin)[reg];
    uint64_t *row = bits ? slot_row(m, x, c->dst_vrf, reg) : NULL;
    const uint64_t *enabled =
        c->source == DP_FROM_COUNT ? slot_row(m, x, c->dst_vrf, SLOT_ROW_M) : NULL;
    for (uint32_t i = 0; row && i < n; i++) {
        uint32_t lane = lane_at(c->dst_first, c->dst_step, done + i);
        if (lane < x->lanes && (!enabled || slot_lane_read(enabled, x->slot, lane)))
            slot_lane_write(row, x->slot, lane, c->width < bits ? c->width : bits, values[i]);
    }
}

/* What is written may be read by another copy, or later by the same. */
static bool reads_what_it_writes(const struct dp_copy *copies, size_t count) {
    uint64_t read = 0, written = 0;
    if (count == 1 && copies->src_vrf != copies->dst_vrf)
        return false;
    for (size_t i = 0; i < count; i++) {
        written |= UINT64_C(1) << (copies[i].dst_reg & 63);
        if (copies[i].source == DP_FROM_REGISTER)
            read |= UINT64_C(1) << (copies[i].src_reg & 63);
    }
    return (read & written) != 0;
}

struct copied_values {
    VEC(uint64_t) list;
};

static void read_all(struct slot_datapath *m, const struct dp_copy *copies, size_t count,
                     struct copied_values *to) {
    for (size_t i = 0; i < count; i++) {
        struct dp_copy c = all_lanes(m, &copies[i]);
        vec_reserve(&to->list, to->list.len + c.count);
        read_some(m, &c, 0, c.count, to->list.data + to->list.len);
        to->list.len += c.count;
    }
}

static void write_all(struct slot_datapath *m, const struct dp_copy *copies, size_t count,
                      const struct copied_values *from, size_t *at) {
    for (size_t i = 0; i < count; i++) {
        struct dp_copy c = all_lanes(m, &copies[i]);
        write_some(m, &c, 0, c.count, from->list.data + *at);
        *at += c.count;
    }
}

static void copy_in_pieces(struct slot_datapath *m, const struct dp_copy *copies, size_t count) {
    uint64_t values[DP_PIECE_LANES];
    for (size_t i = 0; i < count; i++) {
        struct dp_copy c = all_lanes(m, &copies[i]);
        for (uint32_t done = 0, n; done < c.count; done += n) {
            n = dp_piece(done, c.count);
            read_some(m, &c, done, n, values);
            write_some(m, &c, done, n, values);
        }
    }
}

/* Copies whose sources are read before any of them is written. */
static void copy_together(struct slot_datapath *m, const struct dp_copy *copies, size_t count) {
    struct copied_values values = {0};
    size_t at = 0;
    if (!count)
        return;
    if (!reads_what_it_writes(copies, count)) {
        copy_in_pieces(m, copies, count);
        return;
    }
    read_all(m, copies, count, &values);
    write_all(m, copies, count, &values, &at);
    vec_free(&values.list);
}

static void copy_parts(struct slot_datapath *m, const struct dp_transfer *x) {
    const struct dp_copy *copies;
    struct copied_values values = {0};
    size_t count, at = 0;
    bool held = (x->reads & x->writes) != 0;
    while (held && x->next(x->context, &copies, &count))
        read_all(m, copies, count, &values);
    while (x->next(x->context, &copies, &count))
        if (held)
            write_all(m, copies, count, &values, &at);
        else
            copy_in_pieces(m, copies, count);
    vec_free(&values.list);
}

static void copy_bits(struct slot_datapath *m, const struct dp_transfer *x) {
    const struct dp_copy *copies = x->copies;
    if (x->next)
        copy_parts(m, x);
    else if (!x->pair_count)
        copy_together(m, copies, x->count);
    for (size_t i = 0; i < x->pair_count; copies += x->pair_copies[i++])
        copy_together(m, copies, x->pair_copies[i]);
}

/* ---- costs ---- */

void slot_take(struct slot_datapath *m, struct dp_cost *to, unsigned kind, uint64_t count,
               const struct slot_cost *each) {
    if (to->uops)
        to->uops[kind] += count;
    for (unsigned c = 0; c < SLOT_COMMANDS; c++) {
        if (to->energy_fj)
            to->energy_fj[c] = sat_add(to->energy_fj[c], sat_mul(each->fj[c], count));
        atomic_fetch_add(&m->counters[SLOT_COUNT_COMMANDS + c], each->count[c] * count);
    }
}

/* A register of a VRF to another one of its bank: moved from subarray to subarray, two a pair. */
static uint64_t take_hops(struct slot_datapath *m, struct dp_cost *cost, uint32_t from,
                          uint32_t to) {
    const struct slot_step alone = {m->target, 1};
    struct slot_cost move = slot_cost_move(&alone), hop = {0};
    uint32_t rfhs = m->target->rfh_per_mpu, a = from / rfhs, b = to / rfhs,
             more = a == b ? 0 : 2 * (a > b ? a - b : b - a) - 1;
    hop.ps = m->own->rbm_ps;
    hop.count[SLOT_RBM] = 1;
    hop.fj[SLOT_RBM] = m->own->rbm_fj;
    slot_take(m, cost, ROW_MOVE, 1, &move);
    slot_take(m, cost, SLOT_HOP, more, &hop);
    return sat_add(move.ps, more * hop.ps);
}

/* Over the channel, read at one end and written at the other; numbers are only written. */
static uint64_t take_channel(struct slot_datapath *m, struct dp_cost *cost, bool reads,
                             uint64_t registers) {
    struct slot_cost read = slot_cost_access(m->target, SLOT_RD),
                     write = slot_cost_access(m->target, SLOT_WR);
    slot_take(m, cost, SLOT_READ, reads ? registers : 0, &read);
    slot_take(m, cost, SLOT_WRITE, registers, &write);
    return sat_mul(registers, sat_add(reads ? read.ps : 0, write.ps));
}

/* Pairs one after the other. */
static void take_pairs(struct slot_datapath *m, const struct dp_transfer *x, struct dp_cost *cost) {
    const struct dp_copy *copy = x->copies;
    for (size_t i = 0; i < x->pair_count; copy += x->pair_copies[i++]) {
        const struct dtc_pair *p = &x->pairs[i];
        uint64_t ps = 0;
        if (!x->pair_copies[i])
            continue;
        uint32_t per_mpu = target_vrfs_per_mpu(m->target);
        if (p->source == p->destination && copy->source == DP_FROM_REGISTER)
            ps = take_hops(m, cost, copy->src_vrf % per_mpu, copy->dst_vrf % per_mpu);
        else
            ps = take_channel(m, cost, true, 1);
        cost->ps = sat_add(cost->ps, ps);
    }
}

static void take_shares(struct slot_datapath *m, const struct dp_transfer *x, struct dp_cost *cost,
                        bool reads) {
    for (size_t i = 0; i < x->share_count; i++) {
        const struct dp_share *s = &x->shares[i];
        uint64_t ps = take_channel(m, cost, reads, s->registers + s->index_registers);
        if (cost->share_ps)
            cost->share_ps[i] = ps;
        cost->ps = ps > cost->ps ? ps : cost->ps;
    }
}

void slot_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct slot_datapath *m = slot_datapath_of(dp);
    bool reads = !x->count || !x->copies || x->copies[0].source != DP_FROM_COUNT;
    if (!m->setup.costs_only)
        copy_bits(m, x);
    cost->known = true;
    cost->ps = cost->transfer_fj = 0;
    if (x->pair_count)
        take_pairs(m, x, cost);
    else
        take_shares(m, x, cost, reads);
}
