/* SPDX-License-Identifier: MIT
 * What the host does for DPUs, which have no way to one another: it reads registers from them, and
 * writes them. */
#include "machines/core/dpu/run/dpu_machine.h"

#include "support/alloc.h"
#include "support/saturate.h"
#include "target/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- what it takes: bytes from and to each unit ---- */

struct traffic {
    uint64_t *from, *to; /* [units] */
    uint32_t units;
};

static void open_traffic(struct traffic *t, uint32_t units) {
    *t = (struct traffic){.units = units};
    t->from = xcalloc(2 * (size_t)units + 1, sizeof *t->from);
    t->to = t->from + units;
}

/* One transfer of all slices; its time, and the link's energy added to *fj. */
static uint64_t one_way(const struct target *target, enum host_way way, const uint64_t *bytes,
                        uint32_t units, uint64_t *fj) {
    struct host_slice *slices = xcalloc(units + 1u, sizeof *slices);
    size_t count = 0;
    for (uint32_t v = 0; v < units; v++)
        if (bytes[v])
            slices[count++] = (struct host_slice){v, bytes[v]};
    struct host_transfer x = {.time_ps = 0};
    if (count)
        x = target_host_transfer(target, way, slices, count);
    *fj = sat_add(*fj, target_host_fj(target, x.bytes));
    free(slices);
    return x.time_ps;
}

static void charge(const struct target *target, struct traffic *t, struct dp_cost *cost) {
    uint64_t fj = 0;
    uint64_t ps = one_way(target, HOST_OUT, t->from, t->units, &fj);
    ps = sat_add(ps, one_way(target, HOST_IN, t->to, t->units, &fj));
    cost->known = true;
    cost->ps = ps;
    cost->transfer_fj = fj;
    free(t->from);
}

/* ---- whether some lane has M ---- */

void dpu_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
             struct dp_cost *cost) {
    struct stored_dp *m = stored_of(dp);
    struct traffic t;
    uint64_t mask[DP_PIECE_LANES], c[DP_PIECE_LANES];
    open_traffic(&t, m->state.vrfs);
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t k = 0; k < set.ranges[r].count; k++, bits++) {
            uint32_t v = set.ranges[r].first + k;
            *bits = 0;
            t.from[v] = m->lanes[v] * (what == DP_ANY_M ? UINT64_C(1) : 2);
            for (uint32_t first = 0, n; !*bits && first < m->lanes[v]; first += n) {
                n = dp_piece(first, m->lanes[v]);
                dpu_get(dp, v, DP_M, 0, first, n, mask);
                if (what != DP_ANY_M)
                    dpu_get(dp, v, DP_C, 0, first, n, c);
                for (uint32_t i = 0; i < n; i++)
                    *bits |= mask[i] && (what == DP_ANY_M || !c[i]);
            }
        }
    if (cost)
        charge(stored_target(m), &t, cost);
    else
        free(t.from);
}

/* ---- copies ---- */

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t i) {
    return (uint32_t)((int64_t)first + (int64_t)i * step);
}

/* The lanes that a copy means, written out: of every lane those that hold anything but 0. */
static struct dp_copy all_lanes(struct stored_dp *m, const struct dp_copy *copy) {
    const struct dpu_units *u = dpu_units_of(m);
    struct dp_copy c = *copy;
    if (c.count)
        return c;
    dpu_lanes_of(m, c.dst_vrf, 0);
    c.count = u->list[c.dst_vrf].used;
    if (c.source == DP_FROM_REGISTER) {
        dpu_lanes_of(m, c.src_vrf, 0);
        uint32_t from = u->list[c.src_vrf].used;
        c.count = from > c.count ? from : c.count;
    }
    if (m->state.setup.init == DP_INIT_RANDOM)
        c.count = m->state.lanes;
    c.src_first = c.dst_first = 0;
    c.src_step = c.dst_step = 1;
    return c;
}

static void read_some(struct datapath *dp, const struct dp_copy *c, uint32_t done, uint32_t n,
                      uint64_t *values) {
    if (c->source == DP_FROM_REGISTER && c->src_step == 1) {
        dpu_get(dp, c->src_vrf, DP_REGISTER, c->src_reg, c->src_first + done, n, values);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (c->source == DP_FROM_REGISTER)
            dpu_get(dp, c->src_vrf, DP_REGISTER, c->src_reg,
                    lane_at(c->src_first, c->src_step, done + i), 1, &values[i]);
        else
            values[i] = c->source == DP_FROM_COUNT ? dp_copy_number(c, done + i) : c->value;
}

static void write_some(struct datapath *dp, const struct dp_copy *c, uint32_t done, uint32_t n,
                       const uint64_t *values) {
    uint64_t enabled = 1;
    if (c->source != DP_FROM_COUNT && c->dst_step == 1) {
        dpu_put(dp, c->dst_vrf, DP_REGISTER, c->dst_reg, c->width, c->dst_first + done, n, values);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = lane_at(c->dst_first, c->dst_step, done + i);
        if (c->source == DP_FROM_COUNT)
            dpu_get(dp, c->dst_vrf, DP_M, 0, lane, 1, &enabled);
        if (enabled)
            dpu_put(dp, c->dst_vrf, DP_REGISTER, c->dst_reg, c->width, lane, 1, &values[i]);
    }
}

/* Copies with their lanes written out, and what they read: a copy changes what lanes others mean. */
struct copied {
    VEC(struct dp_copy) copies;
    VEC(uint64_t) list;
};

static void read_all(struct stored_dp *m, const struct dp_copy *copies, size_t count,
                     struct copied *to) {
    for (size_t i = 0; i < count; i++) {
        struct dp_copy c = all_lanes(m, &copies[i]);
        vec_push(&to->copies, c);
        vec_reserve(&to->list, to->list.len + c.count);
        for (uint32_t done = 0, n; done < c.count; done += n) {
            n = dp_piece(done, c.count);
            read_some(&m->state.base, &c, done, n, to->list.data + to->list.len + done);
        }
        to->list.len += c.count;
    }
}
static void note(const struct dp_copy *c, bool masked, struct traffic *t) {
    unsigned bytes = scalar_bytes(c->width);
    uint64_t all = (uint64_t)c->count * bytes;
    if (c->source == DP_FROM_REGISTER)
        t->from[c->src_vrf] = sat_add(t->from[c->src_vrf], all);
    /* Where lanes may be disabled what is there comes first, with M. */
    if (c->source == DP_FROM_COUNT && masked)
        t->from[c->dst_vrf] = sat_add(t->from[c->dst_vrf], all + c->count);
    t->to[c->dst_vrf] = sat_add(t->to[c->dst_vrf], all);
}

static void write_all(struct stored_dp *m, struct copied *from, bool masked, struct traffic *t) {
    size_t at = 0;
    for (size_t i = 0; i < from->copies.len; i++) {
        const struct dp_copy *c = &from->copies.data[i];
        note(c, masked, t);
        for (uint32_t done = 0, n; done < c->count; done += n, at += n) {
            n = dp_piece(done, c->count);
            write_some(&m->state.base, c, done, n, from->list.data + at);
        }
    }
    vec_free(&from->copies);
    vec_free(&from->list);
}

/* Copies whose sources are read before any of them is written. */
static void copy_together(struct stored_dp *m, const struct dp_copy *copies, size_t count,
                          bool masked, struct traffic *t) {
    struct copied values = {.list = {0}};
    read_all(m, copies, count, &values);
    write_all(m, &values, masked, t);
}

static void copy_parts(struct stored_dp *m, const struct dp_transfer *x, struct traffic *t) {
    const struct dp_copy *copies;
    struct copied values = {.list = {0}};
    size_t count;
    bool held = (x->reads & x->writes) != 0;
    while (x->next(x->context, &copies, &count))
        if (held)
            read_all(m, copies, count, &values);
        else
            copy_together(m, copies, count, x->masked, t);
    write_all(m, &values, x->masked, t);
}

void dpu_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct stored_dp *m = stored_of(dp);
    const struct dp_copy *copies = x->copies;
    struct traffic t;
    open_traffic(&t, m->state.vrfs);
    if (x->next)
        copy_parts(m, x, &t);
    else if (!x->pair_count)
        copy_together(m, copies, x->count, x->masked, &t);
    for (size_t i = 0; i < x->pair_count; copies += x->pair_copies[i++])
        copy_together(m, copies, x->pair_copies[i], x->masked, &t);
    charge(stored_target(m), &t, cost);
    for (size_t i = 0; cost->share_ps && i < x->share_count; i++)
        cost->share_ps[i] = cost->ps;
}
