/* SPDX-License-Identifier: MIT
 * Registers, C, M and valid of VRFs: arrays in the MRAM of their DPUs, an element a lane. */
#include "machines/core/dpu/run/dpu_machine.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (8u * DP_PIECE_LANES)

/* The arrays are one block of buffers' MRAM, so that no buffer lies there; a machine whose program
 * has no registers has none. */
bool dpu_arrays_open(struct stored_dp *m, struct diag *d) {
    struct dpu_units *u = dpu_units_of(m);
    struct dpu_arrays *a = &u->arrays;
    uint64_t bytes = 0, at, stride;
    a->lanes = dpu_loop_round(m->state.lanes);
    for (unsigned r = 0; r < SCALAR_ARRAYS; r++) {
        unsigned bits = r < SCALAR_C ? m->state.reg_bits[r] : 8;
        a->bytes[r] = bits ? (uint8_t)scalar_bytes(bits) : 0;
        bytes += (uint64_t)a->bytes[r] * a->lanes;
    }
    if (bytes == 3 * (uint64_t)a->lanes)
        a->lanes = dpu_loop_round(1), bytes = 3 * (uint64_t)a->lanes;
    if (!dpu_mem_alloc_slices(&m->state.base, bytes, u->count, &at, &stride, d))
        return false;
    at -= DPU_AT_MRAM;
    for (unsigned r = 0; r < SCALAR_ARRAYS; r++) {
        a->base[r] = (uint32_t)at;
        at += (uint64_t)a->bytes[r] * a->lanes;
    }
    return true;
}

/* ---- elements ---- */

static uint64_t element(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}
static void set_element(uint8_t *at, unsigned bytes, uint64_t value) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Of at most DP_PIECE_LANES lanes, which have room. */
static void read_lanes(const struct dpu_arrays *a, const struct dpu_core *core, unsigned array,
                       uint32_t first, uint32_t count, uint64_t *values) {
    uint8_t bytes[PIECE_BYTES];
    unsigned each = a->bytes[array];
    dpu_core_mram_get(core, a->base[array] + first * each, bytes, count * each);
    for (uint32_t i = 0; i < count; i++)
        values[i] = element(bytes + (size_t)i * each, each);
}
static void write_lanes(const struct dpu_arrays *a, struct dpu_core *core, unsigned array,
                        uint32_t first, uint32_t count, const uint64_t *values) {
    uint8_t bytes[PIECE_BYTES];
    unsigned each = a->bytes[array];
    for (uint32_t i = 0; i < count; i++)
        set_element(bytes + (size_t)i * each, each, values[i]);
    dpu_core_mram_put(core, a->base[array] + first * each, bytes, count * each);
}
static void fill_lanes(const struct dpu_arrays *a, struct dpu_core *core, unsigned array,
                       uint32_t first, uint32_t end, uint8_t value) {
    uint8_t bytes[DP_PIECE_LANES];
    memset(bytes, value, sizeof bytes);
    for (uint32_t n; first < end; first += n) {
        n = dp_piece(0, end - first);
        dpu_core_mram_put(core, a->base[array] + first, bytes, n);
    }
}

/* ---- the start ---- */

/* Lanes up to `end` hold something, if it is nothing but what they do at the start. */
static void use_lanes(struct stored_dp *m, struct dpu_core *core, uint32_t v, uint32_t end) {
    const struct dpu_arrays *a = &dpu_units_of(m)->arrays;
    struct dpu_unit *unit = &dpu_units_of(m)->list[v];
    uint64_t values[DP_PIECE_LANES];
    bool random = m->state.setup.init == DP_INIT_RANDOM;
    for (unsigned r = 0; random && r <= SCALAR_C; r++)
        for (uint32_t first = unit->used, n; a->bytes[r] && first < end; first += n) {
            n = dp_piece(0, end - first);
            for (uint32_t i = 0; i < n; i++)
                values[i] = state_init_value(m->state.setup.seed, v, r == SCALAR_C ? DP_INIT_C : r,
                                             first + i);
            write_lanes(a, core, r, first, n, values);
        }
    unit->used = end > unit->used ? end : unit->used;
}

struct dpu_core *dpu_lanes_of(struct stored_dp *m, uint32_t v, uint32_t end) {
    struct dpu_units *u = dpu_units_of(m);
    struct dpu_core *core = dpu_units_with(u, v, 0);
    u->list[v].started = true;
    if (end > u->list[v].used)
        use_lanes(m, core, v, end);
    return core;
}

/* M is 0 where valid is, so that lanes that were never valid need nothing. */
void dpu_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct stored_dp *m = stored_of(dp);
    struct dpu_units *u = dpu_units_of(m);
    for (size_t i = 0; i < count; i++) {
        uint32_t valid = bindings[i].valid_lanes;
        struct dpu_core *core = dpu_lanes_of(m, bindings[i].vrf, valid);
        struct dpu_unit *unit = &u->list[bindings[i].vrf];
        fill_lanes(&u->arrays, core, SCALAR_M, 0, valid, 1);
        fill_lanes(&u->arrays, core, SCALAR_M, valid, unit->valid, 0);
        fill_lanes(&u->arrays, core, SCALAR_VALID, unit->valid, valid, 1);
        fill_lanes(&u->arrays, core, SCALAR_VALID, valid, unit->valid, 0);
        unit->valid = m->lanes[bindings[i].vrf] = valid;
    }
}

/* ---- who asks ---- */

static unsigned array_of(enum dp_what what, unsigned reg) {
    return what == DP_REGISTER ? reg & 63
           : what == DP_C      ? SCALAR_C
           : what == DP_M      ? SCALAR_M
                               : SCALAR_VALID;
}
static unsigned bits_of(const struct stored_dp *m, unsigned array) {
    return array < SCALAR_C ? m->state.reg_bits[array] : 1;
}

void dpu_get(struct datapath *dp, uint32_t v, enum dp_what what, unsigned reg, uint32_t first,
             uint32_t count, uint64_t *values) {
    struct stored_dp *m = stored_of(dp);
    const struct dpu_arrays *a = &dpu_units_of(m)->arrays;
    const struct dpu_core *core = dpu_lanes_of(m, v, first + count);
    unsigned array = array_of(what, reg);
    uint64_t mask = low_bits(bits_of(m, array));
    memset(values, 0, count * sizeof *values);
    for (uint32_t done = 0, n; a->bytes[array] && done < count; done += n) {
        n = dp_piece(done, count);
        read_lanes(a, core, array, first + done, n, values + done);
        for (uint32_t i = done; i < done + n; i++)
            values[i] &= mask;
    }
}

void dpu_put(struct datapath *dp, uint32_t v, enum dp_what what, unsigned reg, unsigned width,
             uint32_t first, uint32_t count, const uint64_t *values) {
    struct stored_dp *m = stored_of(dp);
    const struct dpu_arrays *a = &dpu_units_of(m)->arrays;
    struct dpu_core *core = dpu_lanes_of(m, v, first + count);
    unsigned array = array_of(what, reg), bits = bits_of(m, array);
    uint64_t mask = low_bits(width < bits ? width : bits), now[DP_PIECE_LANES];
    if (!a->bytes[array] || !width)
        return;
    for (uint32_t done = 0, n; done < count; done += n) {
        n = dp_piece(done, count);
        if (width < bits)
            read_lanes(a, core, array, first + done, n, now);
        else
            memset(now, 0, n * sizeof *now);
        for (uint32_t i = 0; i < n; i++)
            now[i] = (now[i] & ~mask) | (values[done + i] & mask);
        write_lanes(a, core, array, first + done, n, now);
    }
}

/* ---- snapshots: of each unit its number, valid and used lanes, and what these hold; behind them
 * what DPUs hold otherwise, with which all begins when it is brought back ---- */

static void save_unit(const struct dpu_units *u, uint32_t v, struct str *state) {
    const struct dpu_unit *unit = &u->list[v];
    const struct dpu_arrays *a = &u->arrays;
    const uint32_t head[] = {v, unit->valid, unit->used};
    str_append_n(state, (const char *)head, sizeof head);
    for (unsigned r = 0; r < SCALAR_ARRAYS; r++) {
        uint32_t bytes = a->bytes[r] * unit->used;
        dpu_core_mram_get(unit->core, a->base[r], str_extend(state, bytes), bytes);
    }
}

static void save(const struct dpu_units *u, struct str *state) {
    uint64_t tail[2] = {state->len, 0};
    for (uint32_t v = 0; v < u->count; v++)
        if (u->list[v].started) {
            save_unit(u, v, state);
            tail[1]++;
        }
    tail[0] = state->len - tail[0];
    str_append_n(state, (const char *)tail, sizeof tail);
}

static uint64_t unit_bytes(const struct dpu_units *u, uint32_t used) {
    uint64_t bytes = 0;
    for (unsigned r = 0; r < SCALAR_ARRAYS; r++)
        bytes += (uint64_t)u->arrays.bytes[r] * used;
    return bytes;
}

/* One unit at `at`; NULL if it is none of the machine. */
static const char *take_unit(struct dpu_units *u, const char *at, const char *end) {
    uint32_t head[3];
    if ((size_t)(end - at) < sizeof head)
        return NULL;
    memcpy(head, at, sizeof head);
    at += sizeof head;
    if (head[0] >= u->count || head[1] > head[2] || head[2] > u->arrays.lanes ||
        unit_bytes(u, head[2]) > (uint64_t)(end - at))
        return NULL;
    struct dpu_unit *unit = &u->list[head[0]];
    struct dpu_core *core = dpu_units_with(u, head[0], 0);
    unit->started = true;
    unit->valid = head[1];
    unit->used = head[2];
    for (unsigned r = 0; r < SCALAR_ARRAYS; r++) {
        uint32_t bytes = u->arrays.bytes[r] * head[2];
        dpu_core_mram_put(core, u->arrays.base[r], at, bytes);
        at += bytes;
    }
    return at;
}

static bool restore_all(struct stored_dp *m, struct str *state) {
    struct dpu_units *u = dpu_units_of(m);
    uint64_t tail[2];
    if (state->len < sizeof tail)
        return false;
    size_t last = state->len - sizeof tail;
    memcpy(tail, state->text + last, sizeof tail);
    if (tail[0] > last || tail[1] > u->count)
        return false;
    const char *at = state->text + (last - tail[0]), *end = state->text + last;
    for (uint64_t i = 0; at && i < tail[1]; i++)
        at = take_unit(u, at, end);
    state->len = last - (size_t)tail[0];
    state->text[state->len] = '\0';
    return at == end;
}

bool dpu_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct stored_dp *m = stored_of(dp);
    if (restore)
        return dpu_memories_restore(dpu_units_of(m), state) && restore_all(m, state) &&
               stored_snapshot(dp, true, state);
    if (!stored_snapshot(dp, false, state))
        return false;
    save(dpu_units_of(m), state);
    dpu_memories_save(dpu_units_of(m), state);
    return true;
}
