/* SPDX-License-Identifier: MIT
 * Registers of VRFs in banks.  A warp's loads and stores reach them there; between launches the
 * host's side has them (struct lane_state), and brings lanes that are valid there and back.  Of a
 * record that is not full the other lanes are 0, so that nothing depends on what was there. */
#include "machines/core/simt/run/simt_engine.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

bool simt_banks_open(struct simt_machine_state *m, struct diag *d) {
    const struct simt_banks banks = simt_banks_of(m->state.setup.target);
    if (m->lanes_at)
        return true;
    simt_layout_make(&banks, m->state.reg_bits, &m->layout);
    const uint32_t records = (m->state.lanes + SIMT_RECORD_LANES - 1) / SIMT_RECORD_LANES;
    return state_memory_alloc(&m->banks, simt_layout_bytes(&m->layout, records), &m->lanes_at, d);
}

/* Valid ones, of those that the machine was opened with. */
static uint32_t lanes_of(const struct simt_machine_state *m, uint32_t v) {
    return m->valid[v] < m->state.lanes ? m->valid[v] : m->state.lanes;
}

struct simt_run_vrf simt_banks_vrf(const struct simt_machine_state *m, uint32_t v) {
    const struct target *t = m->state.setup.target;
    const uint32_t inner = v % target_vrfs_per_mpu(t), unit = inner / t->rfh_per_mpu,
                   core = v / target_vrfs_per_mpu(t) * t->rfh_per_mpu + inner % t->rfh_per_mpu;
    return (struct simt_run_vrf){.base = m->lanes_at + simt_layout_vrf(&m->layout, core, unit),
                                 .lanes = lanes_of(m, v),
                                 .core = core};
}

static unsigned char *row_at(const struct simt_machine_state *m, uint64_t base, uint32_t record,
                             uint32_t row) {
    const uint64_t at =
        base + simt_layout_to_record(&m->layout, record) + simt_layout_to_row(&m->layout, row);
    return m->banks.arrays.data[0].bytes + (at - m->lanes_at);
}

static void put_element(unsigned char *at, unsigned bytes, uint64_t value) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}
static uint64_t get_element(const unsigned char *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static uint64_t in_state(const struct lane_state *s, const struct state_vrf *vrf, uint32_t lane,
                         unsigned array) {
    const struct state_bits *b = &vrf->bits[lane];
    return array < SCALAR_C    ? state_read(s, vrf, lane, array)
           : array == SCALAR_C ? b->c
           : array == SCALAR_M ? b->m
                               : b->valid;
}
static void to_state(const struct lane_state *s, struct state_vrf *vrf, uint32_t lane,
                     unsigned array, uint64_t value) {
    struct state_bits *b = &vrf->bits[lane];
    if (array < SCALAR_C)
        state_write(s, vrf, lane, array, 64, value);
    else if (array == SCALAR_C)
        b->c = value & 1;
    else if (array == SCALAR_M)
        b->m = value & 1;
}

/* An array of a record. */
static void put_row(struct simt_machine_state *m, const struct state_vrf *vrf, uint64_t base,
                    uint32_t record, unsigned array, uint32_t lanes) {
    const unsigned bytes = m->layout.bytes[array], each = bytes > 4 ? 4 : bytes;
    unsigned char *low = row_at(m, base, record, m->layout.low[array]),
                  *high = row_at(m, base, record, m->layout.high[array]);
    for (uint32_t i = 0; i < SIMT_RECORD_LANES; i++) {
        const uint64_t value =
            i < lanes ? in_state(&m->state, vrf, record * SIMT_RECORD_LANES + i, array) : 0;
        put_element(low + i * each, each, value);
        if (bytes > 4)
            put_element(high + i * each, each, value >> 32);
    }
}
static void get_row(struct simt_machine_state *m, struct state_vrf *vrf, uint64_t base,
                    uint32_t record, unsigned array, uint32_t lanes) {
    const unsigned bytes = m->layout.bytes[array], each = bytes > 4 ? 4 : bytes;
    const unsigned char *low = row_at(m, base, record, m->layout.low[array]),
                        *high = row_at(m, base, record, m->layout.high[array]);
    for (uint32_t i = 0; i < lanes; i++) {
        uint64_t value = get_element(low + i * each, each);
        if (bytes > 4)
            value |= get_element(high + i * each, each) << 32;
        to_state(&m->state, vrf, record * SIMT_RECORD_LANES + i, array, value);
    }
}

static bool is_moved(const struct simt_layout *l, const struct simt_arrays *arrays, unsigned array,
                     bool back) {
    if (!l->bytes[array])
        return false;
    if (array < SCALAR_C)
        return (back ? arrays->written : arrays->registers) >> array & 1;
    return !back || (array == SCALAR_C && arrays->writes_c) ||
           (array == SCALAR_M && arrays->writes_m);
}

void simt_banks_move(struct simt_machine_state *m, uint32_t v, const struct simt_arrays *arrays,
                     bool back) {
    const struct simt_run_vrf x = simt_banks_vrf(m, v);
    struct state_vrf *vrf = x.lanes ? state_vrf(&m->state, v, x.lanes) : NULL;
    if (!vrf)
        return;
    for (uint32_t first = 0; first < x.lanes; first += SIMT_RECORD_LANES) {
        const uint32_t left = x.lanes - first,
                       lanes = left < SIMT_RECORD_LANES ? left : SIMT_RECORD_LANES;
        for (unsigned array = 0; array < SCALAR_ARRAYS; array++) {
            if (!is_moved(&m->layout, arrays, array, back))
                continue;
            if (back)
                get_row(m, vrf, x.base, first / SIMT_RECORD_LANES, array, lanes);
            else
                put_row(m, vrf, x.base, first / SIMT_RECORD_LANES, array, lanes);
        }
    }
}

/* ---- tables ---- */

static bool is_table(const struct simt_core_table *t, const struct simt_core_table *other) {
    return t->size == other->size && memcmp(t->bytes, other->bytes, t->size) == 0;
}

uint32_t simt_banks_table(struct simt_machine_state *m, const struct isa_lut *lut, unsigned bytes,
                          struct diag *d) {
    struct simt_core_table t = {.size = (UINT32_C(1) << lut->index_bits) * bytes};
    const struct simt_run_table about = {.bytes = (uint8_t)bytes,
                                         .entries = UINT32_C(1) << lut->index_bits};
    t.bytes = xcalloc(t.size, 1);
    for (uint32_t i = 0; i < about.entries; i++)
        put_element(t.bytes + (size_t)i * bytes, bytes, lut->entries[i]);
    for (uint32_t i = 0; i < m->tables.len; i++)
        if (is_table(&m->tables.data[i], &t)) {
            free(t.bytes);
            return i;
        }
    if (!state_memory_alloc(&m->banks, simt_run_table_bytes(&m->layout, &about), &t.address, d)) {
        free(t.bytes);
        return UINT32_MAX;
    }
    t.there = xcalloc(m->layout.cores, 1);
    vec_push(&m->tables, t);
    return (uint32_t)m->tables.len - 1;
}

/* VRFs of a core may be executed side by side: it is there when the first of them says so. */
void simt_banks_bring(struct simt_machine_state *m, uint32_t table, uint32_t core) {
    struct simt_core_table *t = &m->tables.data[table];
    const uint64_t chunk = m->layout.chunk;
    pthread_mutex_lock(&m->state.lock);
    for (uint64_t at = 0; !t->there[core] && at < t->size; at += chunk)
        memcpy(state_memory_at(&m->banks,
                               t->address + core * chunk + simt_run_table_place(&m->layout, at), 0),
               t->bytes + at, t->size - at < chunk ? t->size - at : chunk);
    t->there[core] = 1;
    pthread_mutex_unlock(&m->state.lock);
}

void simt_banks_close(struct simt_machine_state *m) {
    for (size_t i = 0; i < m->tables.len; i++) {
        free(m->tables.data[i].bytes);
        free(m->tables.data[i].there);
    }
    vec_free(&m->tables);
    state_memory_close(&m->banks);
    free(m->valid);
}

/* ---- headers ---- */

void simt_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct simt_machine_state *m = simt_machine_of(dp);
    state_bind(dp, bindings, count);
    for (size_t i = 0; i < count; i++)
        m->valid[bindings[i].vrf] = bindings[i].valid_lanes;
}
