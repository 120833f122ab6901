/* SPDX-License-Identifier: MIT
 * One whole machine: registers of lanes, memory, counters. */
#include "machines/dtc/transfer.h"
#include "machines/stored/run/work.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void stored_machine_close(struct datapath *dp) {
    struct stored_dp *m = stored_of(dp);
    stored_free_codes(m);
    stored_free_kernels(m);
    state_memory_close(&m->memory);
    dtc_free(m->dtc);
    free(m->lanes);
    free(m->of_units);
    state_close(&m->state);
    free(m->kinds);
    free(m);
}

static struct dp_tables tables_of(const struct stored_dp *m) {
    const struct stored_engine *e = m->engine;
    return (struct dp_tables){.kinds = m->kinds,
                              .kind_count = e->kind->isa.op_count,
                              .parts = e->parts,
                              .part_count = e->part_count,
                              .counters = e->counters,
                              .counter_count = e->counter_count,
                              .tracks = &e->track,
                              .track_count = 1,
                              .unit_counters = m->unit_counters,
                              .unit_counter_count = 1 + e->unit_counts_count,
                              .measured = true,
                              .places = true};
}

struct datapath *stored_machine_open(const struct stored_engine *engine,
                                     const struct dp_setup *setup, struct diag *d) {
    struct stored_dp *m = xcalloc(1, sizeof *m);
    m->engine = engine;
    state_memory_open(&m->memory, 0);
    m->kinds = xcalloc(engine->kind->isa.op_count, sizeof *m->kinds);
    m->unit_counters[0] = engine->unit_counter;
    for (uint32_t i = 0; i < engine->unit_counts_count; i++)
        m->unit_counters[1 + i] = engine->unit_counts[i];
    for (uint32_t op = 0; op < engine->kind->isa.op_count; op++) {
        m->kinds[op] = (struct dp_kind){.name = engine->kind->isa.ops[op].name, .first = op};
        engine->price(setup->target, op, &m->kinds[op]);
    }
    m->state.base.tables = tables_of(m);
    if (state_open(&m->state, engine->ops, setup, d)) {
        m->lanes = xcalloc((size_t)m->state.vrfs + 1, sizeof *m->lanes);
        m->of_units = xcalloc(((size_t)m->state.vrfs + 1) * (1 + engine->unit_counts_count),
                              sizeof *m->of_units);
        m->state.base.tables.units = m->state.vrfs;
        return &m->state.base;
    }
    stored_machine_close(&m->state.base);
    return NULL;
}

/* A unit works on the lanes that are valid; nothing looks at the others. */
void stored_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    state_bind(dp, bindings, count);
    for (size_t i = 0; i < count; i++)
        stored_of(dp)->lanes[bindings[i].vrf] = bindings[i].valid_lanes;
}

void stored_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct stored_dp *m = stored_of(dp);
    state_copy(&m->state, x);
    dtc_charge(&m->dtc, stored_target(m), x, cost);
}

/* ---- memory ---- */

bool stored_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d) {
    return state_memory_alloc(&stored_of(dp)->memory, bytes, address, d);
}

bool stored_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                             uint64_t *stride, struct diag *d) {
    return state_memory_alloc_slices(&stored_of(dp)->memory, bytes, units, address, stride, d);
}

bool stored_mem_free(struct datapath *dp, uint64_t address, struct diag *d) {
    return state_memory_free(&stored_of(dp)->memory, address, d);
}

bool stored_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                    struct diag *d) {
    return state_memory_put(&stored_of(dp)->memory, address, bytes, size, d);
}

bool stored_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                    struct diag *d) {
    return state_memory_get(&stored_of(dp)->memory, address, bytes, size, d);
}

/* Registers, and behind them what buffers hold. */
bool stored_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct state_memory *memory = &stored_of(dp)->memory;
    const char *block = restore ? state_memory_take(memory, state) : NULL;
    if ((restore && !block) || !state_snapshot(dp, restore, state))
        return false;
    if (restore)
        state_memory_restore(memory, block);
    else
        state_memory_save(memory, state);
    return true;
}

/* ---- counters ---- */

void stored_counters(const struct datapath *dp, uint64_t *values) {
    const struct stored_dp *m = stored_const(dp);
    memcpy(values, m->counters, m->engine->counter_count * sizeof *values);
}

void stored_unit_counters(const struct datapath *dp, uint64_t *values) {
    const struct stored_dp *m = stored_const(dp);
    memcpy(values, m->of_units,
           (size_t)m->state.vrfs * (1 + m->engine->unit_counts_count) * sizeof *values);
}
