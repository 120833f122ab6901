/* SPDX-License-Identifier: MIT
 * Rows that stay: memory of those that are used, and elements in their slots.
 *
 * A VRF that is written before it is bound has slots as wide as the program's widest register; when
 * its kin is known, what it holds moves into the slots of the kin. */
#include "machines/slot/run/machine.h"
#include "support/alloc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t *slot_bits_of(const struct slot_datapath *m, uint32_t kin) {
    if (kin == SLOT_NO_KIN || !m->setup.kins)
        return m->reg_bits;
    return m->setup.kins[kin].reg_bits;
}

unsigned slot_of_kin(const struct slot_datapath *m, uint32_t kin) {
    if (kin == SLOT_NO_KIN || !m->setup.kins)
        return slot_width(m->reg_bits);
    return m->setup.kins[kin].slot;
}

static struct slot_vrf *peek(const struct slot_datapath *m, uint32_t v) {
    return atomic_load_explicit(&m->vrf[v], memory_order_acquire);
}

void slot_fail_at(struct slot_datapath *m, const struct dp_code *code, uint32_t insn,
                  const char *text) {
    pthread_mutex_lock(&m->lock);
    if (!m->base.failure) {
        snprintf(m->failure, sizeof m->failure, "%s", text);
        m->base.failure_code = code;
        m->base.failure_insn = insn;
        m->base.failure = m->failure;
    }
    pthread_mutex_unlock(&m->lock);
}

bool slot_take_bytes(struct slot_datapath *m, uint64_t bytes) {
    uint64_t limit = m->setup.memory_limit;
    pthread_mutex_lock(&m->lock);
    bool fine = limit == 0 || (m->bytes <= limit && bytes <= limit - m->bytes);
    m->bytes += fine ? bytes : 0;
    pthread_mutex_unlock(&m->lock);
    if (fine)
        return true;
    char text[96];
    snprintf(text, sizeof text, "the machine's state needs more than the limit of %llu bytes",
             (unsigned long long)limit);
    slot_fail_at(m, NULL, 0, text);
    return false;
}

void slot_give_bytes(struct slot_datapath *m, uint64_t bytes) {
    pthread_mutex_lock(&m->lock);
    m->bytes -= bytes;
    pthread_mutex_unlock(&m->lock);
}

/* ---- VRFs ---- */

/* As the kin has them: slots, and rows for so many lanes. */
static void shape(const struct slot_datapath *m, struct slot_vrf *x, uint32_t kin) {
    uint32_t lanes = kin != SLOT_NO_KIN && m->setup.kins ? m->setup.kins[kin].lanes : m->lanes;
    uint64_t row_bits = m->own->row_bits;
    x->kin = kin;
    x->slot = (uint8_t)slot_of_kin(m, kin);
    x->rows = (uint32_t)ceil_div((uint64_t)lanes * x->slot, row_bits);
    x->rows = x->rows ? x->rows : 1;
    x->words = x->rows * m->row_words;
    x->lanes = (uint32_t)(x->rows * (row_bits / x->slot));
    x->lanes = x->lanes < m->lanes ? x->lanes : m->lanes;
}

struct slot_vrf *slot_vrf(struct slot_datapath *m, uint32_t v) {
    assert(v < m->vrfs);
    struct slot_vrf *x = peek(m, v);
    if (x && x->map != m->map)
        slot_turn_to_map(m, x);
    if (x)
        return x;
    x = xcalloc(1, sizeof *x);
    x->map = m->map;
    shape(m, x, m->setup.kin_count > 1 ? SLOT_NO_KIN : 0);
    pthread_mutex_lock(&m->lock);
    vec_push(&m->used, v);
    pthread_mutex_unlock(&m->lock);
    atomic_store_explicit(&m->vrf[v], x, memory_order_release);
    return x;
}

static void vrf_free(struct slot_datapath *m, struct slot_vrf *x) {
    for (unsigned r = m->setup.bits ? SLOT_ROW_C : 0; r < SLOT_STAYING; r++)
        slot_row_free(m, x->row[r], x->words);
    for (size_t i = 0; i < x->places.len; i++)
        slot_row_free(m, x->places.data[i].words, x->words);
    vec_free(&x->places);
    slot_forget_remains(m, x);
    free(x);
}

void slot_forget_all(struct slot_datapath *m) {
    for (size_t i = 0; i < m->used.len; i++) {
        vrf_free(m, peek(m, m->used.data[i]));
        atomic_store_explicit(&m->vrf[m->used.data[i]], NULL, memory_order_relaxed);
    }
    vec_clear(&m->used);
    m->bytes = 0;
}

/* ---- rows ---- */

/* Bits of a slot that a row has: the others are undefined, and here junk. */
static unsigned row_bits(const struct slot_datapath *m, const struct slot_vrf *x, unsigned row) {
    return row < SLOT_ROW_C ? slot_bits_of(m, x->kin)[row] : x->slot;
}

static void start_row(const struct slot_datapath *m, const struct slot_vrf *x, uint32_t v,
                      unsigned row, uint64_t *words) {
    unsigned bits = row_bits(m, x, row);
    uint64_t defined = slot_repeat(low_bits(bits), x->slot),
             junk = ((uint64_t)v << 8 | row) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < x->words && bits < x->slot; i++)
        words[i] = splitmix64(&junk) & ~defined;
    if (m->setup.init != DP_INIT_RANDOM || row > SLOT_ROW_C)
        return;
    unsigned number = row == SLOT_ROW_C ? DP_INIT_C : row;
    for (uint32_t lane = 0; lane < x->lanes; lane++) {
        uint64_t value = state_init_value(m->setup.seed, v, number, lane);
        slot_lane_write(words, x->slot, lane, bits, row == SLOT_ROW_C ? -(value & 1) : value);
    }
}

uint64_t *slot_row(struct slot_datapath *m, struct slot_vrf *x, uint32_t v, unsigned row) {
    if (!x->row[row] && m->setup.bits && row < SLOT_ROW_C)
        x->row[row] = slot_find_place(m, x, row);
    if (x->row[row])
        return x->row[row];
    if (!slot_take_bytes(m, x->words * sizeof *x->row[row]))
        return NULL;
    x->row[row] = slot_row_new(m, x->words);
    if (m->setup.bits && row < SLOT_ROW_C)
        slot_note_place(m, x, row);
    start_row(m, x, v, row, x->row[row]);
    return x->row[row];
}

/* Lanes are as wide as was said before; what sweeps have destroyed is of the tables there. */
static void settle_there(struct slot_datapath *m, struct slot_vrf *x, uint32_t kin) {
    uint64_t tables = slot_pool_key(m, kin);
    if (x->slot != slot_of_kin(m, kin))
        slot_fail_at(m, NULL, 0, "lanes of a VRF are not as wide as its program has them");
    x->kin = kin;
    if (tables && x->tables != tables) {
        slot_forget_remains(m, x);
        x->tables = tables;
    }
}

/* Into the slots of the kin. */
static void settle(struct slot_datapath *m, struct slot_vrf *x, uint32_t v, uint32_t kin) {
    struct slot_vrf before = *x;
    if (m->setup.bits)
        settle_there(m, x, kin);
    if (x->kin == kin || x->kin != SLOT_NO_KIN)
        return;
    shape(m, x, kin);
    memset(x->row, 0, sizeof x->row);
    for (unsigned r = 0; r < SLOT_STAYING; r++) {
        uint64_t *to = before.row[r] && row_bits(m, x, r) ? slot_row(m, x, v, r) : NULL;
        for (uint32_t lane = 0; to && lane < x->lanes && lane < before.lanes; lane++) {
            uint64_t value = slot_lane_read(before.row[r], before.slot, lane);
            slot_lane_write(to, x->slot, lane, row_bits(m, x, r),
                            r < SLOT_ROW_C ? value : -(value & 1));
        }
        slot_row_free(m, before.row[r], before.words);
    }
}

static void fill_ones(uint64_t *words, size_t count, size_t bits) {
    for (size_t i = 0; i < count; i++) {
        size_t left = bits > 64 * i ? bits - 64 * i : 0;
        words[i] = left >= 64 ? UINT64_MAX : low_bits((unsigned)left) * (left > 0);
    }
}

void slot_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct slot_datapath *m = slot_datapath_of(dp);
    for (size_t i = 0; i < count && !m->setup.costs_only; i++) {
        uint32_t v = bindings[i].vrf;
        struct slot_vrf *x = slot_vrf(m, v);
        settle(m, x, v, bindings[i].kin);
        uint32_t valid = bindings[i].valid_lanes < x->lanes ? bindings[i].valid_lanes : x->lanes;
        for (unsigned row = SLOT_ROW_M; row <= SLOT_ROW_VALID; row++) {
            uint64_t *words = slot_row(m, x, v, row);
            if (words)
                fill_ones(words, x->words, (size_t)valid * x->slot);
        }
    }
}

/* ---- elements ---- */

static unsigned row_of(enum dp_what what, unsigned reg) {
    switch (what) {
    case DP_REGISTER:
        return reg & 63;
    case DP_C:
        return SLOT_ROW_C;
    case DP_M:
        return SLOT_ROW_M;
    case DP_VALID:
        break;
    }
    return SLOT_ROW_VALID;
}

static unsigned bits_seen(const struct slot_datapath *m, const struct slot_vrf *x, unsigned row) {
    return row < SLOT_ROW_C ? row_bits(m, x, row) : 1;
}

/* Lanes beyond those that the VRF has room for hold what they did at the start. */
static uint64_t beyond(const struct slot_datapath *m, uint32_t v, unsigned row, unsigned bits,
                       uint32_t lane) {
    if (m->setup.init != DP_INIT_RANDOM || row > SLOT_ROW_C)
        return 0;
    return state_init_value(m->setup.seed, v, row == SLOT_ROW_C ? DP_INIT_C : row, lane) &
           low_bits(bits) & (bits ? UINT64_MAX : 0);
}

void slot_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
              uint32_t count, uint64_t *values) {
    struct slot_datapath *m = slot_datapath_of(dp);
    struct slot_vrf *x = slot_vrf(m, vrf);
    unsigned row = row_of(what, reg), bits = bits_seen(m, x, row);
    const uint64_t *words = bits ? slot_row(m, x, vrf, row) : NULL;
    assert(first <= m->lanes && count <= m->lanes - first);
    for (uint32_t i = 0; i < count; i++)
        values[i] = first + i >= x->lanes ? beyond(m, vrf, row, bits, first + i)
                    : words ? slot_lane_read(words, x->slot, first + i) & low_bits(bits)
                            : 0;
}

void slot_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
              uint32_t first, uint32_t count, const uint64_t *values) {
    struct slot_datapath *m = slot_datapath_of(dp);
    struct slot_vrf *x = slot_vrf(m, vrf);
    unsigned row = row_of(what, reg), bits = bits_seen(m, x, row);
    uint64_t *words = bits && width && count ? slot_row(m, x, vrf, row) : NULL;
    assert(first <= m->lanes && count <= m->lanes - first);
    for (uint32_t i = 0; words && i < count && first + i < x->lanes; i++)
        if (row < SLOT_ROW_C)
            slot_lane_write(words, x->slot, first + i, width < bits ? width : bits, values[i]);
        else
            slot_lane_write(words, x->slot, first + i, x->slot, -(values[i] & 1));
}

static uint64_t element(const struct dp_elements *x, const unsigned char *at) {
    uint64_t value = 0;
    memcpy(&value, at, x->bytes);
    return value;
}

/* Lanes 0 .. n - 1 of one VRF. */
static void put_some(const struct dp_elements *e, const struct slot_vrf *x, unsigned bits,
                     uint32_t n, uint64_t *words, const unsigned char *from) {
    if (e->step == 1 && x->slot == 8u * e->bytes && bits == x->slot) {
        memcpy(words, from, (size_t)n * e->bytes);
        return;
    }
    for (uint32_t lane = 0; lane < n; lane++, from += (size_t)e->step * e->bytes)
        slot_lane_write(words, x->slot, lane, bits, element(e, from));
}

static void get_some(const struct dp_elements *e, const struct slot_vrf *x, unsigned bits,
                     uint32_t n, const uint64_t *words, unsigned char *to) {
    if (e->step == 1 && x->slot == 8u * e->bytes && bits == x->slot) {
        memcpy(to, words, (size_t)n * e->bytes);
        return;
    }
    for (uint32_t lane = 0; lane < n; lane++, to += (size_t)e->step * e->bytes) {
        uint64_t value = slot_lane_read(words, x->slot, lane) & low_bits(bits);
        if (e->sign)
            value = (uint64_t)sign_extend(value, bits);
        memcpy(to, &value, e->bytes);
    }
}

/* As many of them as lie in the VRF. */
static void walk(struct slot_datapath *m, const struct dp_elements *e, bool put) {
    unsigned char *at = e->data;
    uint32_t v = e->vrf, n;
    for (uint64_t left = e->count; left > 0; left -= n, v++, at += (size_t)n * e->step * e->bytes) {
        struct slot_vrf *x = slot_vrf(m, v);
        n = left < e->lanes ? (uint32_t)left : e->lanes;
        unsigned have = row_bits(m, x, e->reg), bits = have < e->bits ? have : e->bits;
        uint64_t *words = bits ? slot_row(m, x, v, e->reg) : NULL;
        assert(n <= x->lanes);
        if (words && put)
            put_some(e, x, bits, n, words, at);
        else if (words)
            get_some(e, x, bits, n, words, at);
        for (uint32_t i = 0; !words && !put && i < n; i++)
            memset(at + (size_t)i * e->step * e->bytes, 0, e->bytes);
    }
}

void slot_put_elements(struct datapath *dp, const struct dp_elements *x) {
    if (!slot_datapath_of(dp)->setup.costs_only)
        walk(slot_datapath_of(dp), x, true);
}

void slot_get_elements(struct datapath *dp, const struct dp_elements *x) {
    walk(slot_datapath_of(dp), x, false);
}

/* ---- snapshots: a block at the end of the string, taken off by restore ---- */

struct snapshot_header {
    char magic[8];
    uint32_t vrfs, lanes;
    uint8_t reg_bits[64];
    uint64_t used; /* VRFs that follow */
};
_Static_assert(sizeof(struct snapshot_header) == 88, "headers are compared byte by byte");
struct vrf_header {
    uint32_t number, kin;
    uint64_t rows[2]; /* bit r: the words of row r follow */
};

static struct snapshot_header header_of(const struct slot_datapath *m) {
    struct snapshot_header h = {
        .magic = "MPUSLOT", .vrfs = m->vrfs, .lanes = m->lanes, .used = m->used.len};
    memcpy(h.reg_bits, m->reg_bits, sizeof h.reg_bits);
    return h;
}

static int number_order(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void save_vrf(const struct slot_vrf *x, uint32_t v, struct str *state) {
    struct vrf_header h = {.number = v, .kin = x->kin};
    for (unsigned r = 0; r < SLOT_STAYING; r++)
        h.rows[r / 64] |= (uint64_t)(x->row[r] != NULL) << r % 64;
    str_append_n(state, (const char *)&h, sizeof h);
    for (unsigned r = 0; r < SLOT_STAYING; r++)
        if (x->row[r])
            str_append_n(state, (const char *)x->row[r], x->words * sizeof *x->row[r]);
}

static void save(struct slot_datapath *m, struct str *state) {
    size_t begin = state->len;
    struct snapshot_header h = header_of(m);
    if (m->used.len)
        qsort(m->used.data, m->used.len, sizeof *m->used.data, number_order);
    str_append_n(state, (const char *)&h, sizeof h);
    for (size_t i = 0; i < m->used.len; i++)
        save_vrf(peek(m, m->used.data[i]), m->used.data[i], state);
    uint64_t length = state->len - begin;
    str_append_n(state, (const char *)&length, sizeof length);
}

static bool restore_vrf(struct slot_datapath *m, const char **at, const char *end) {
    struct vrf_header h;
    if ((size_t)(end - *at) < sizeof h)
        return false;
    memcpy(&h, *at, sizeof h);
    *at += sizeof h;
    uint32_t kins = m->setup.kins ? m->setup.kin_count : 1;
    if (h.number >= m->vrfs || (h.kin >= kins && h.kin != SLOT_NO_KIN) ||
        h.rows[1] >> (SLOT_STAYING - 64))
        return false;
    struct slot_vrf *x = slot_vrf(m, h.number);
    if (x->kin != h.kin)
        shape(m, x, h.kin);
    for (unsigned r = 0; r < SLOT_STAYING; r++) {
        size_t bytes = x->words * sizeof *x->row[r];
        if (!(h.rows[r / 64] >> r % 64 & 1))
            continue;
        if ((size_t)(end - *at) < bytes || !slot_row(m, x, h.number, r))
            return false;
        memcpy(x->row[r], *at, bytes);
        *at += bytes;
    }
    return true;
}

static bool restore_all(struct slot_datapath *m, struct str *state) {
    struct snapshot_header h, mine = header_of(m);
    uint64_t length;
    if (state->len < sizeof length + sizeof h)
        return false;
    size_t end = state->len - sizeof length;
    memcpy(&length, state->text + end, sizeof length);
    if (length < sizeof h || length > end)
        return false;
    const char *at = state->text + end - length;
    memcpy(&h, at, sizeof h);
    mine.used = h.used;
    if (memcmp(&h, &mine, sizeof h) != 0 || h.used > m->vrfs)
        return false;
    slot_forget_all(m);
    at += sizeof h;
    for (uint64_t i = 0; i < h.used; i++)
        if (!restore_vrf(m, &at, state->text + end))
            return false;
    state->len = end - (size_t)length;
    state->text[state->len] = '\0';
    return at == state->text + end;
}

bool slot_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct slot_datapath *m = slot_datapath_of(dp);
    if (restore) {
        const char *memory = m->setup.kernels ? state_memory_take(&m->memory, state) : NULL;
        if ((m->setup.kernels && !memory) || !restore_all(m, state))
            return false;
        if (memory)
            state_memory_restore(&m->memory, memory);
        return true;
    }
    save(m, state);
    if (m->setup.kernels)
        state_memory_save(&m->memory, state);
    return true;
}
