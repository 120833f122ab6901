/* SPDX-License-Identifier: MIT
 * Copies between VRFs, and whether some lane has M.
 *
 * A copy reads columns of one unit and writes columns of another: through the TSVs down from the
 * first bank, over the mesh where another core has the second, over a link where another processor
 * does, and up again.  Of a transfer all goes on at once, as far as units, TSVs, ports of cores and
 * links let it: it takes as long as the busiest of these, behind the way of one column.  (Packets
 * that are in each other's way elsewhere in the mesh are not modelled: assumed.)  The host reads M
 * of all lanes over its link. */
#include "machines/core/simt/run/simt_engine.h"

#include "support/alloc.h"
#include "support/saturate.h"
#include "target/host.h"

#include <stdlib.h>

#define SECTOR 32u /* bytes of a column */

/* Cycles that each is busy. */
struct copy_traffic {
    const struct target *target;
    const struct simt_time_keys *k;
    uint32_t width;                        /* cores of a row of the mesh */
    uint64_t *units, *tsv, *ports, *links; /* [VRFs], [cores], [cores], [processors] */
    uint64_t acts[SIMT_ACTS], hop_bytes, link_bytes, tsv_bytes;
    uint32_t most_hops;
    bool crosses;
};

static void open_traffic(const struct simt_machine_state *m, struct copy_traffic *x) {
    const struct target *t = m->state.setup.target;
    const size_t cores = (size_t)t->rfh_per_mpu * t->mpus;
    *x = (struct copy_traffic){.target = t, .k = &simt_keys(t)->time};
    while (x->width * x->width < t->rfh_per_mpu)
        x->width++;
    x->units = xcalloc(m->state.vrfs + 2 * cores + t->mpus + 1, sizeof *x->units);
    x->tsv = x->units + m->state.vrfs;
    x->ports = x->tsv + cores;
    x->links = x->ports + cores;
}

/* ---- one copy ---- */

/* Columns of so many lanes: those in a line share them. */
static uint64_t columns_of(uint32_t count, unsigned width, int32_t step) {
    const uint64_t rows = width > 32 ? 2 : 1, bytes = width > 32 ? 4 : scalar_bytes(width);
    return rows * (step == 1 || step == -1 ? (count * bytes + SECTOR - 1) / SECTOR : count);
}

static void use_unit(struct copy_traffic *x, uint32_t v, uint64_t columns, bool write) {
    const uint64_t rows = (columns * SECTOR + x->k->row_bytes - 1) / x->k->row_bytes;
    x->units[v] += columns * x->k->t_ccd + rows * (x->k->t_rcd + x->k->t_rp);
    x->acts[write ? SIMT_ACT_WRITE : SIMT_ACT_READ] += columns;
    x->acts[SIMT_ACT_ACTIVATE] += rows;
    x->acts[SIMT_ACT_PRECHARGE] += rows;
}

static uint32_t core_of(const struct target *t, uint32_t v) {
    return v / target_vrfs_per_mpu(t) * t->rfh_per_mpu +
           v % target_vrfs_per_mpu(t) % t->rfh_per_mpu;
}
static uint32_t apart(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}
static uint32_t hops(const struct copy_traffic *x, uint32_t a, uint32_t b) {
    return apart(a % x->width, b % x->width) + apart(a / x->width, b / x->width);
}

/* From core to core, as the mesh of kernels goes: to another processor by core 0 of each. */
static void use_network(struct copy_traffic *x, uint32_t from, uint32_t to, uint64_t columns) {
    const uint32_t cores = x->target->rfh_per_mpu, a = from / cores, b = to / cores;
    const uint64_t bytes = columns * (SECTOR + x->k->command_bytes) + x->k->header_bytes;
    const uint32_t way = a == b ? hops(x, from % cores, to % cores)
                                : hops(x, from % cores, 0) + hops(x, 0, to % cores);
    const uint64_t cycles = (bytes + x->k->mesh_bytes - 1) / x->k->mesh_bytes;
    x->ports[from] += cycles;
    x->ports[to] += cycles;
    x->most_hops = way > x->most_hops ? way : x->most_hops;
    x->hop_bytes = sat_add(x->hop_bytes, sat_mul(way, bytes));
    x->acts[SIMT_ACT_HOP] += way;
    if (a == b)
        return;
    x->crosses = true;
    x->links[a] += (bytes + x->k->link_bytes - 1) / x->k->link_bytes;
    x->links[b] += (bytes + x->k->link_bytes - 1) / x->k->link_bytes;
    x->link_bytes = sat_add(x->link_bytes, bytes);
    x->acts[SIMT_ACT_LINK]++;
}

static void use_tsv(struct copy_traffic *x, uint32_t core, uint64_t columns) {
    const uint64_t bytes = columns * (SECTOR + x->k->command_bytes);
    x->tsv[core] += (bytes + x->k->tsv_bytes - 1) / x->k->tsv_bytes;
    x->tsv_bytes = sat_add(x->tsv_bytes, bytes);
    x->acts[SIMT_ACT_TSV] += columns;
}

static void add_copy(struct copy_traffic *x, const struct dp_copy *c, uint32_t lanes, bool masked) {
    const uint32_t count = c->count ? c->count : lanes;
    const uint64_t writes = columns_of(count, c->width, c->count ? c->dst_step : 1),
                   reads = columns_of(count, c->width, c->count ? c->src_step : 1);
    const uint32_t to = core_of(x->target, c->dst_vrf), from = core_of(x->target, c->src_vrf);
    use_unit(x, c->dst_vrf, writes, true);
    /* Where lanes may be disabled M comes first. */
    if (c->source == DP_FROM_COUNT && masked)
        use_unit(x, c->dst_vrf, columns_of(count, 1, 1), false);
    use_tsv(x, to, writes);
    if (c->source != DP_FROM_REGISTER)
        return;
    use_unit(x, c->src_vrf, reads, false);
    use_tsv(x, from, reads);
    if (from != to)
        use_network(x, from, to, reads);
}

/* ---- all ---- */

static uint64_t most_of(const uint64_t *list, size_t count) {
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = list[i] > most ? list[i] : most;
    return most;
}

static uint64_t cycles_of(const struct simt_machine_state *m, const struct copy_traffic *x) {
    const struct target *t = x->target;
    const struct simt_time_keys *k = x->k;
    const size_t cores = (size_t)t->rfh_per_mpu * t->mpus;
    uint64_t busy = most_of(x->units, m->state.vrfs + 2 * cores + t->mpus);
    if (!busy)
        return 0;
    busy += k->t_cl + k->t_cwl + 2 * (uint64_t)k->tsv_cycles;
    if (x->hop_bytes || x->crosses)
        busy += k->network_cycles + (uint64_t)x->most_hops * k->hop_millicycles / 1000;
    return busy + (x->crosses ? k->link_cycles : 0);
}

static void charge_copies(struct simt_machine_state *m, struct copy_traffic *x,
                          struct dp_cost *cost) {
    const struct simt_time_keys *k = x->k;
    uint64_t fj[SIMT_ACTS] = {0};
    for (unsigned i = 0; i < SIMT_ACTS; i++)
        fj[i] = sat_mul(x->acts[i], m->kinds[i].energy_fj);
    fj[SIMT_ACT_TSV] = sat_mul(8 * x->tsv_bytes, k->tsv_bit_fj);
    fj[SIMT_ACT_HOP] = sat_mul(8 * x->hop_bytes, k->mesh_bit_fj);
    fj[SIMT_ACT_LINK] = sat_mul(8 * x->link_bytes, k->link_bit_fj);
    cost->known = k->on;
    cost->ps = sat_mul(cycles_of(m, x), x->target->datapath_ps);
    for (unsigned i = 0; i < SIMT_ACTS && k->on; i++) {
        if (cost->uops)
            cost->uops[i] += x->acts[i];
        if (cost->kind_fj)
            cost->kind_fj[i] = sat_add(cost->kind_fj[i], fj[i]);
        if (cost->energy_fj)
            cost->energy_fj[m->kinds[i].part] = sat_add(cost->energy_fj[m->kinds[i].part], fj[i]);
    }
    free(x->units);
}

void simt_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct simt_machine_state *m = simt_machine_of(dp);
    struct copy_traffic traffic;
    const struct dp_copy *copies = x->copies;
    size_t count = x->count;
    open_traffic(m, &traffic);
    while (x->next ? x->next(x->context, &copies, &count) : copies != NULL) {
        for (size_t i = 0; i < count; i++)
            add_copy(&traffic, &copies[i], m->state.lanes, x->masked);
        copies = NULL;
    }
    state_copy(&m->state, x);
    charge_copies(m, &traffic, cost);
    for (size_t i = 0; cost->share_ps && i < x->share_count; i++)
        cost->share_ps[i] = cost->ps;
}

/* One transfer of the slices that VRFs have: C too where it is asked for. */
void simt_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
              struct dp_cost *cost) {
    struct simt_machine_state *m = simt_machine_of(dp);
    const struct target *t = m->state.setup.target;
    state_any(dp, what, set, bits, NULL);
    if (!cost)
        return;
    struct host_slice *slices = xcalloc(vrf_set_size(set) + 1, sizeof *slices);
    size_t count = 0;
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t k = 0; k < set.ranges[r].count; k++) {
            const uint32_t v = set.ranges[r].first + k;
            const uint64_t bytes = m->valid[v] * (what == DP_ANY_M ? UINT64_C(1) : 2);
            if (bytes)
                slices[count++] = (struct host_slice){v, bytes};
        }
    struct host_transfer transfer = {.time_ps = 0};
    if (count)
        transfer = target_host_transfer(t, HOST_OUT, slices, count);
    cost->known = true;
    cost->ps = transfer.time_ps;
    cost->transfer_fj = target_host_fj(t, transfer.bytes);
    free(slices);
}
