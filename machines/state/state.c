/* SPDX-License-Identifier: MIT
 * Memory of lanes by VRF.  The last lane that is kept stands for all behind it, and it is copied
 * out when one of those is written. */
#include "machines/state/state.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/str.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool lay_out(struct lane_state *state, struct diag *diag) {
    const struct target *t = state->setup.target;
    uint64_t vrfs = (uint64_t)t->vrf_per_rfh * t->rfh_per_mpu;
    state->lanes = state->setup.lanes ? state->setup.lanes : t->lanes;
    if (vrfs == 0 || state->lanes == 0 || vrfs > UINT32_MAX ||
        (vrfs *= state->setup.mpus) > UINT32_MAX) {
        diag_error(diag, NO_SPAN,
                   "target %s with %u MPUs has no lanes, or more VRFs than can be numbered",
                   t->name, state->setup.mpus);
        return false;
    }
    state->vrfs = (uint32_t)vrfs;
    for (unsigned r = 0; r < 64; r++)
        if (state->reg_bits[r])
            state->reg_first[r] = 64 * state->words++;
    state->vrf = calloc(state->vrfs ? state->vrfs : 1, sizeof *state->vrf);
    if (!state->vrf)
        diag_error(diag, NO_SPAN, "no memory for a machine of %u VRFs", state->vrfs);
    return state->vrf != NULL;
}

bool state_open(struct lane_state *state, const struct datapath_ops *ops,
                const struct dp_setup *setup, struct diag *diag) {
    state->base.ops = ops;
    state->base.grain = 1;
    state->setup = *setup;
    for (unsigned r = 0; r < 64; r++)
        state->reg_bits[r] = setup->bits ? 0 : setup->reg_bits[r] < 64 ? setup->reg_bits[r] : 64;
    state->setup.reg_bits = state->reg_bits;
    pthread_mutex_init(&state->lock, NULL);
    return lay_out(state, diag);
}

static struct state_vrf *peek(const struct lane_state *state, uint32_t value) {
    return atomic_load_explicit(&state->vrf[value], memory_order_acquire);
}

static void vrf_free(struct state_vrf *vrf) {
    if (!vrf)
        return;
    free(vrf->bits);
    free(vrf->regs);
    free(vrf);
}

static void forget_all(struct lane_state *state) {
    for (size_t i = 0; i < state->used.len; i++) {
        vrf_free(peek(state, state->used.data[i]));
        atomic_store_explicit(&state->vrf[state->used.data[i]], NULL, memory_order_relaxed);
    }
    vec_clear(&state->used);
    state->bytes = 0;
}

void state_close(struct lane_state *state) {
    if (state->vrf)
        forget_all(state);
    vec_free(&state->used);
    free(state->vrf);
    pthread_mutex_destroy(&state->lock);
}

static size_t bits_bytes(uint32_t lanes) {
    return lanes * sizeof(struct state_bits);
}

static size_t regs_bytes(const struct lane_state *state, uint32_t lanes) {
    return (size_t)lanes * state->words * sizeof(uint64_t);
}

/* Lanes of a new VRF as they are at the start. */
static void start_lanes(const struct lane_state *state, struct state_vrf *vrf, uint32_t value) {
    memset(vrf->bits, 0, bits_bytes(vrf->lanes));
    memset(vrf->regs, 0, regs_bytes(state, vrf->lanes));
    for (uint32_t lane = 0; state->setup.init == DP_INIT_RANDOM && lane < vrf->lanes; lane++) {
        for (unsigned r = 0; r < 64; r++)
            state_write(state, vrf, lane, r, 64,
                        state_init_value(state->setup.seed, value, r, lane));
        vrf->bits[lane].c = state_init_value(state->setup.seed, value, DP_INIT_C, lane) & 1;
    }
}

/* Lanes from `first` on become what the lane before them is. */
static void repeat_lane(const struct lane_state *state, struct state_vrf *vrf, uint32_t first) {
    size_t words = state->words;
    for (uint32_t lane = first; lane < vrf->lanes; lane++) {
        vrf->bits[lane] = vrf->bits[first - 1];
        if (words)
            memcpy(vrf->regs + lane * words, vrf->regs + (first - 1) * words,
                   words * sizeof *vrf->regs);
    }
}

/* Counts bytes of state; false beyond the limit. */
static bool count_bytes(struct lane_state *state, uint64_t bytes) {
    uint64_t limit = state->setup.memory_limit;
    if (limit > 0 && (state->bytes > limit || bytes > limit - state->bytes)) {
        snprintf(state->failure, sizeof state->failure,
                 "the machine's state needs more than the limit of %llu bytes",
                 (unsigned long long)limit);
        state->base.failure = state->failure;
        return false;
    }
    state->bytes += bytes;
    return true;
}

/* Lanes that are kept where `need` may differ from those behind them. */
static uint32_t lanes_to_keep(const struct lane_state *state, uint32_t need) {
    uint64_t want = ((uint64_t)need / DP_PIECE_LANES + 1) * DP_PIECE_LANES;
    bool all = state->setup.init == DP_INIT_RANDOM || want > state->lanes;
    return all ? state->lanes : (uint32_t)want;
}

/* False beyond the limit.  The caller holds the lock. */
static bool grow(struct lane_state *state, struct state_vrf *vrf, uint32_t value, uint32_t lanes) {
    uint32_t before = vrf->lanes;
    if (!count_bytes(state, bits_bytes(lanes - before) + regs_bytes(state, lanes - before)))
        return false;
    vrf->lanes = lanes;
    vrf->bits = xreallocarray(vrf->bits, bits_bytes(lanes), 1);
    vrf->regs = xreallocarray(vrf->regs, regs_bytes(state, lanes) + 1, 1);
    if (before)
        repeat_lane(state, vrf, before);
    else
        start_lanes(state, vrf, value);
    return true;
}

/* Whether lanes 0 .. need - 1 are kept, each for itself. */
static bool keeps(const struct lane_state *state, const struct state_vrf *vrf, uint32_t need) {
    return vrf->lanes == state->lanes || need < vrf->lanes;
}

/* The caller holds the lock. */
static struct state_vrf *vrf_with(struct lane_state *state, uint32_t value, uint32_t lanes) {
    struct state_vrf *x = peek(state, value), *made = x ? x : xcalloc(1, sizeof *made);
    if (!keeps(state, made, lanes) && !grow(state, made, value, lanes_to_keep(state, lanes))) {
        if (!x)
            free(made);
        return NULL;
    }
    if (!x)
        vec_push(&state->used, value);
    atomic_store_explicit(&state->vrf[value], made, memory_order_release);
    return made;
}

struct state_vrf *state_vrf(struct lane_state *state, uint32_t value, uint32_t lanes) {
    assert(value < state->vrfs);
    struct state_vrf *x = peek(state, value);
    if (x && keeps(state, x, lanes))
        return x;
    struct alloc_lock lock;
    alloc_lock(&lock, &state->lock);
    x = vrf_with(state, value, lanes);
    alloc_unlock(&lock);
    return x;
}

void state_write(const struct lane_state *state, struct state_vrf *vrf, uint32_t lane, unsigned reg,
                 unsigned width, uint64_t value) {
    unsigned bits = state->reg_bits[reg], shift = state->reg_first[reg] % 64;
    if (bits == 0)
        return;
    uint64_t mask = low_bits(width < bits ? width : bits);
    uint64_t *at = &vrf->regs[(size_t)lane * state->words + state->reg_first[reg] / 64];
    at[0] = (at[0] & ~(mask << shift)) | (value & mask) << shift;
    if (shift && mask >> (64 - shift))
        at[1] = (at[1] & ~(mask >> (64 - shift))) | (value & mask) >> (64 - shift);
}

/* Every VRF that is kept gets room for as many words as there are now. */
static void widen_all(struct lane_state *state, uint32_t before) {
    for (size_t i = 0; i < state->used.len; i++) {
        struct state_vrf *x = peek(state, state->used.data[i]);
        uint64_t *regs = xcalloc((size_t)x->lanes * state->words + 1, sizeof *regs);
        for (uint32_t lane = 0; before && lane < x->lanes; lane++)
            memcpy(regs + (size_t)lane * state->words, x->regs + (size_t)lane * before,
                   before * sizeof *regs);
        free(x->regs);
        x->regs = regs;
        count_bytes(state, regs_bytes(state, x->lanes) - (size_t)x->lanes * before * sizeof *regs);
    }
}

void state_remap(struct datapath *dp, const struct dp_map *map) {
    struct lane_state *s = state_of(dp);
    uint32_t before = s->words;
    for (unsigned r = 0; r < 64; r++) {
        s->reg_bits[r] = map->bits[r];
        if (!map->bits[r])
            continue;
        s->reg_first[r] = map->first[r];
        uint32_t words = (map->first[r] + map->bits[r] + 63) / 64;
        s->words = words > s->words ? words : s->words;
    }
    if (s->words > before)
        widen_all(s, before);
}

void state_shape(struct datapath *dp, struct vrf_set set, unsigned slot) {
    struct lane_state *s = state_of(dp);
    (void)slot;
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t k = 0; k < set.ranges[r].count; k++) {
            struct state_vrf *x = peek(s, set.ranges[r].first + k);
            for (uint32_t lane = 0; x && lane < x->lanes; lane++)
                x->bits[lane].c = 0;
            if (x)
                memset(x->regs, 0, regs_bytes(s, x->lanes));
        }
}

void state_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct lane_state *s = state_of(dp);
    for (size_t i = 0; i < count; i++) {
        uint32_t valid = bindings[i].valid_lanes < s->lanes ? bindings[i].valid_lanes : s->lanes;
        struct state_vrf *x = state_vrf(s, bindings[i].vrf, valid);
        for (uint32_t lane = 0; x && lane < x->lanes; lane++)
            x->bits[lane].m = x->bits[lane].valid = lane < valid;
    }
}

static uint8_t any_one(struct lane_state *state, enum dp_any what, uint32_t value) {
    const struct state_vrf *x = state_vrf(state, value, 0);
    for (uint32_t lane = 0; x && lane < x->lanes; lane++)
        if (x->bits[lane].m && (what == DP_ANY_M || !x->bits[lane].c))
            return 1;
    return 0;
}

void state_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
               struct dp_cost *cost) {
    (void)cost;
    for (size_t i = 0; i < set.count; i++)
        for (uint32_t k = 0; k < set.ranges[i].count; k++)
            *bits++ = any_one(state_of(dp), what, set.ranges[i].first + k);
}

static uint64_t read_what(const struct lane_state *state, const struct state_vrf *vrf,
                          uint32_t lane, enum dp_what what, unsigned reg) {
    uint32_t kept = lane < vrf->lanes ? lane : vrf->lanes - 1;
    switch (what) {
    case DP_REGISTER:
        return state_read(state, vrf, kept, reg & 63);
    case DP_C:
        return vrf->bits[kept].c;
    case DP_M:
        return vrf->bits[kept].m;
    case DP_VALID:
        break;
    }
    return vrf->bits[kept].valid;
}

void state_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
               uint32_t count, uint64_t *values) {
    struct lane_state *s = state_of(dp);
    const struct state_vrf *x = state_vrf(s, vrf, 0);
    assert(first <= s->lanes && count <= s->lanes - first);
    for (uint32_t i = 0; i < count; i++)
        values[i] = x ? read_what(s, x, first + i, what, reg) : 0;
}

/* --- copies --- */

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t index) {
    return (uint32_t)((int64_t)first + (int64_t)index * step);
}

static uint32_t larger(uint32_t left, uint32_t right) {
    return left > right ? left : right;
}

static uint32_t lanes_kept(struct lane_state *state, uint32_t value, uint32_t need) {
    const struct state_vrf *x = state_vrf(state, value, need);
    return x ? x->lanes : 0;
}

/* Keeps the lanes that one copy needs, `every` of them where it is of every lane; the most that one
 * of its VRFs keeps then. */
static uint32_t keep_lanes(struct lane_state *state, const struct dp_copy *copy, uint32_t every) {
    uint32_t last = lane_at(copy->dst_first, copy->dst_step, copy->count - 1);
    uint32_t need = copy->count                     ? larger(copy->dst_first, last) + 1
                    : copy->source == DP_FROM_COUNT ? state->lanes
                                                    : every;
    uint32_t dst = lanes_kept(state, copy->dst_vrf, need);
    uint32_t src = copy->source == DP_FROM_REGISTER
                       ? lanes_kept(state, copy->src_vrf, copy->count ? 0 : every)
                       : 0;
    return copy->count ? 0 : larger(src, dst);
}

/* The lanes of copies of every lane: as many as the VRFs of all of those keep, which all do then.
 * What a VRF keeps is known when all copies have been looked at once. */
static uint32_t every_lane(struct lane_state *state, const struct dp_copy *copies, size_t count) {
    uint32_t every = 0;
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < count; i++)
            every = larger(every, keep_lanes(state, &copies[i], 0));
    for (size_t i = 0; every && i < count; i++)
        keep_lanes(state, &copies[i], every - 1);
    return every;
}

/* The lanes that copy means, written out. */
static struct dp_copy all_lanes(const struct dp_copy *copy, uint32_t every) {
    struct dp_copy x = *copy;
    if (x.count == 0) {
        x.count = every;
        x.src_step = x.dst_step = 1;
    }
    return x;
}

/* Of the lanes of copy, those from `done` on. */
static void read_sources(struct lane_state *state, const struct dp_copy *copy, uint32_t done,
                         uint32_t count, uint64_t *values) {
    const struct state_vrf *from = NULL;
    if (copy->source == DP_FROM_REGISTER)
        from = state_vrf(state, copy->src_vrf, 0);
    for (uint32_t i = 0; i < count; i++)
        values[i] = from
                        ? read_what(state, from, lane_at(copy->src_first, copy->src_step, done + i),
                                    DP_REGISTER, copy->src_reg)
                    : copy->source == DP_FROM_COUNT ? dp_copy_number(copy, done + i)
                                                    : copy->value;
}

static void write_copy(struct lane_state *state, const struct dp_copy *copy, uint32_t done,
                       uint32_t count, const uint64_t *values) {
    struct state_vrf *to = state_vrf(state, copy->dst_vrf, 0);
    for (uint32_t i = 0; to && i < count; i++) {
        uint32_t lane = lane_at(copy->dst_first, copy->dst_step, done + i);
        if (lane < to->lanes && (copy->source != DP_FROM_COUNT || to->bits[lane].m))
            state_write(state, to, lane, copy->dst_reg, copy->width, values[i]);
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

static void copy_in_pieces(struct lane_state *state, const struct dp_copy *copies, size_t count,
                           uint32_t every) {
    uint64_t values[DP_PIECE_LANES];
    for (size_t i = 0; i < count; i++) {
        struct dp_copy c = all_lanes(&copies[i], every);
        for (uint32_t done = 0, n; done < c.count; done += n) {
            n = dp_piece(done, c.count);
            read_sources(state, &c, done, n, values);
            write_copy(state, &c, done, n, values);
        }
    }
}

static void copy_at_once(struct lane_state *state, const struct dp_copy *copies, size_t count,
                         uint32_t every) {
    struct dp_copy *all = xcalloc(count + 1, sizeof *all);
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = all_lanes(&copies[i], every);
        total += all[i].count;
    }
    uint64_t *values = xmalloc((total + 1) * sizeof *values);
    for (size_t i = 0; i < count; at += all[i++].count)
        read_sources(state, &all[i], 0, all[i].count, values + at);
    at = 0;
    for (size_t i = 0; i < count; at += all[i++].count)
        write_copy(state, &all[i], 0, all[i].count, values + at);
    free(values);
    free(all);
}

static void copy_together(struct lane_state *state, const struct dp_copy *copies, size_t count) {
    uint32_t every = every_lane(state, copies, count);
    if (reads_what_it_writes(copies, count))
        copy_at_once(state, copies, count, every);
    else
        copy_in_pieces(state, copies, count, every);
}

struct values_read {
    VEC(uint64_t) list;
};

/* What all parts read, before anything is written. */
static void read_parts(struct lane_state *state, const struct dp_transfer *transfer,
                       struct values_read *values) {
    const struct dp_copy *copies;
    size_t count;
    while (transfer->next(transfer->context, &copies, &count)) {
        every_lane(state, copies, count);
        for (size_t i = 0; i < count; i++) {
            vec_reserve(&values->list, values->list.len + copies[i].count);
            read_sources(state, &copies[i], 0, copies[i].count,
                         values->list.data + values->list.len);
            values->list.len += copies[i].count;
        }
    }
}

/* The copies of a GMOVE that come in parts; each has a number of lanes. */
static void copy_parts(struct lane_state *state, const struct dp_transfer *transfer) {
    const struct dp_copy *copies;
    struct values_read values = {0};
    size_t count, at = 0;
    bool held = (transfer->reads & transfer->writes) != 0;
    if (held)
        read_parts(state, transfer, &values);
    while (transfer->next(transfer->context, &copies, &count)) {
        if (!held)
            copy_in_pieces(state, copies, count, every_lane(state, copies, count));
        for (size_t i = 0; held && i < count; at += copies[i++].count)
            write_copy(state, &copies[i], 0, copies[i].count, values.list.data + at);
    }
    vec_free(&values.list);
}

void state_copy(struct lane_state *state, const struct dp_transfer *transfer) {
    const struct dp_copy *copies = transfer->copies;
    if (transfer->next)
        copy_parts(state, transfer);
    else if (!transfer->pair_count)
        copy_together(state, copies, transfer->count);
    for (size_t i = 0; i < transfer->pair_count; copies += transfer->pair_copies[i++])
        copy_together(state, copies, transfer->pair_copies[i]);
}

/* --- writing --- */

static void write_what(const struct lane_state *state, struct state_vrf *vrf, uint32_t lane,
                       enum dp_what what, unsigned reg, unsigned width, uint64_t value) {
    switch (what) {
    case DP_REGISTER:
        state_write(state, vrf, lane, reg & 63, width, value);
        return;
    case DP_C:
        vrf->bits[lane].c = value & 1;
        return;
    case DP_M:
        vrf->bits[lane].m = value & 1;
        return;
    case DP_VALID:
        vrf->bits[lane].valid = value & 1;
        return;
    }
}

void state_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
               uint32_t first, uint32_t count, const uint64_t *values) {
    struct lane_state *s = state_of(dp);
    assert(first <= s->lanes && count <= s->lanes - first);
    struct state_vrf *x = state_vrf(s, vrf, width && count ? first + count : 0);
    for (uint32_t i = 0; x && width > 0 && i < count; i++)
        write_what(s, x, first + i, what, reg, width, values[i]);
}

/* --- snapshots: a block at the end of the string, taken off by restore --- */

struct state_snapshot_header {
    char magic[8];
    uint32_t vrfs, lanes;
    uint8_t reg_bits[64];
    uint64_t used; /* VRFs that follow: number, bits, registers */
};

_Static_assert(sizeof(struct state_snapshot_header) == 88, "headers are compared byte by byte");

static struct state_snapshot_header header_of(const struct lane_state *state) {
    struct state_snapshot_header h = {
        .magic = "MPULANE", .vrfs = state->vrfs, .lanes = state->lanes, .used = state->used.len};
    memcpy(h.reg_bits, state->reg_bits, sizeof h.reg_bits);
    return h;
}

/* Of each VRF: its number and its lanes, bits, registers. */
#define VRF_HEAD (2 * sizeof(uint32_t))

static size_t vrf_bytes(const struct lane_state *state, uint32_t lanes) {
    return VRF_HEAD + bits_bytes(lanes) + regs_bytes(state, lanes);
}

static void save_vrf(const struct lane_state *lane_state, uint32_t value,
                     const struct state_vrf *vrf, struct str *state) {
    const uint32_t head[] = {value, vrf->lanes};
    str_append_n(state, (const char *)head, sizeof head);
    str_append_n(state, (const char *)vrf->bits, bits_bytes(vrf->lanes));
    str_append_n(state, (const char *)vrf->regs, regs_bytes(lane_state, vrf->lanes));
}

static int number_order(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* By the VRFs' numbers: equal states are equal bytes, whichever VRF was asked for first. */
static void save(struct lane_state *lane_state, struct str *state) {
    if (lane_state->used.len)
        qsort(lane_state->used.data, lane_state->used.len, sizeof *lane_state->used.data,
              number_order);
    struct state_snapshot_header h = header_of(lane_state);
    uint64_t length = sizeof h;
    str_append_n(state, (const char *)&h, sizeof h);
    for (size_t i = 0; i < lane_state->used.len; i++) {
        uint32_t v = lane_state->used.data[i];
        const struct state_vrf *x = peek(lane_state, v);
        save_vrf(lane_state, v, x, state);
        length += vrf_bytes(lane_state, x->lanes);
    }
    str_append_n(state, (const char *)&length, sizeof length);
}

/* The VRFs of the block at the end. */
struct snapshot_block {
    const char *at;
    size_t begin, size; /* in the state, of the VRFs */
    uint64_t used;      /* their number */
};

/* Number and lanes of the VRF at `at` of the block; false if it is not one of the machine, or does
 * not end in the block. */
static bool head_at(const struct lane_state *state, const struct snapshot_block *block, size_t at,
                    uint32_t head[2]) {
    if (block->size - at < VRF_HEAD)
        return false;
    memcpy(head, block->at + at, VRF_HEAD);
    return head[0] < state->vrfs && head[1] >= 1 && head[1] <= state->lanes &&
           vrf_bytes(state, head[1]) <= block->size - at;
}

static bool find_block(const struct lane_state *lane_state, const struct str *state,
                       struct snapshot_block *block) {
    struct state_snapshot_header h, mine = header_of(lane_state);
    uint64_t length;
    uint32_t head[2];
    size_t at = 0;
    if (state->len < sizeof length + sizeof h)
        return false;
    size_t end = state->len - sizeof length;
    memcpy(&length, state->text + end, sizeof length);
    if (length < sizeof h || length > end)
        return false;
    *block =
        (struct snapshot_block){.begin = end - (size_t)length, .size = (size_t)length - sizeof h};
    block->at = state->text + block->begin + sizeof h;
    memcpy(&h, state->text + block->begin, sizeof h);
    block->used = mine.used = h.used;
    if (memcmp(&h, &mine, sizeof h) != 0 || h.used > lane_state->vrfs)
        return false;
    for (uint64_t i = 0; i < block->used; i++, at += vrf_bytes(lane_state, head[1]))
        if (!head_at(lane_state, block, at, head))
            return false;
    return at == block->size;
}

static bool take_vrf(struct lane_state *state, const uint32_t head[2], const char *at) {
    struct state_vrf *x = state_vrf(state, head[0], head[1] - 1);
    if (!x || x->lanes != head[1])
        return false;
    memcpy(x->bits, at, bits_bytes(head[1]));
    memcpy(x->regs, at + bits_bytes(head[1]), regs_bytes(state, head[1]));
    return true;
}

static bool take(struct lane_state *lane_state, struct str *state) {
    struct snapshot_block b;
    uint32_t head[2];
    if (!find_block(lane_state, state, &b))
        return false;
    forget_all(lane_state);
    for (size_t at = 0; at < b.size; at += vrf_bytes(lane_state, head[1]))
        if (!head_at(lane_state, &b, at, head) || !take_vrf(lane_state, head, b.at + at + VRF_HEAD))
            return false;
    state->len = b.begin;
    state->text[b.begin] = '\0';
    return true;
}

bool state_snapshot(struct datapath *dp, bool restore, struct str *state) {
    if (restore)
        return take(state_of(dp), state);
    save(state_of(dp), state);
    return true;
}
