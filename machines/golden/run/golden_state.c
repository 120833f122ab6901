/* SPDX-License-Identifier: MIT */
#include "machines/golden/run/golden.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/str.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool golden_layout(struct golden_machine *g, struct diag *d) {
    const struct target *t = g->setup.target;
    uint64_t vrfs = (uint64_t)t->vrf_per_rfh * t->rfh_per_mpu;
    g->lanes = g->setup.lanes ? g->setup.lanes : t->lanes;
    if (vrfs == 0 || g->lanes == 0 || vrfs > UINT32_MAX || (vrfs *= g->setup.mpus) > UINT32_MAX) {
        diag_error(d, NO_SPAN,
                   "target %s with %u MPUs has no lanes, or more VRFs than can be numbered",
                   t->name, g->setup.mpus);
        return false;
    }
    g->vrfs = (uint32_t)vrfs;
    for (unsigned r = 0; r < 64; r++)
        if (g->reg_bits[r])
            g->reg_index[r] = (uint8_t)g->reg_count++;
    g->vrf = calloc(g->vrfs ? g->vrfs : 1, sizeof *g->vrf);
    if (!g->vrf)
        diag_error(d, NO_SPAN, "no memory for a machine of %u VRFs", g->vrfs);
    return g->vrf != NULL;
}

static struct golden_vrf *peek(const struct golden_machine *g, uint32_t v) {
    return atomic_load_explicit(&g->vrf[v], memory_order_acquire);
}

static void vrf_free(struct golden_vrf *x) {
    if (!x)
        return;
    free(x->bits);
    free(x->regs);
    free(x);
}

static void forget_all(struct golden_machine *g) {
    for (uint32_t v = 0; v < g->vrfs; v++) {
        vrf_free(peek(g, v));
        atomic_store_explicit(&g->vrf[v], NULL, memory_order_relaxed);
    }
    g->bytes = 0;
}

void golden_state_free(struct golden_machine *g) {
    if (g->vrf)
        forget_all(g);
    free(g->vrf);
}

static size_t bits_bytes(uint32_t lanes) {
    return lanes * sizeof(struct golden_lane_bits);
}

static size_t regs_bytes(const struct golden_machine *g, uint32_t lanes) {
    return (size_t)lanes * g->reg_count * sizeof(uint64_t);
}

/* Lanes of a new VRF as they are at the start. */
static void start_lanes(const struct golden_machine *g, struct golden_vrf *x, uint32_t v) {
    memset(x->bits, 0, bits_bytes(x->lanes));
    memset(x->regs, 0, regs_bytes(g, x->lanes));
    for (uint32_t lane = 0; g->setup.init == DP_INIT_RANDOM && lane < x->lanes; lane++) {
        for (unsigned r = 0; r < 64; r++)
            golden_write(g, x, lane, r, 64, dp_init_value(g->setup.seed, v, r, lane));
        x->bits[lane].c = dp_init_value(g->setup.seed, v, DP_INIT_C, lane) & 1;
    }
}

/* Lanes from `first` on become what the lane before them is. */
static void repeat_lane(const struct golden_machine *g, struct golden_vrf *x, uint32_t first) {
    size_t words = g->reg_count;
    for (uint32_t lane = first; lane < x->lanes; lane++) {
        x->bits[lane] = x->bits[first - 1];
        if (words)
            memcpy(x->regs + lane * words, x->regs + (first - 1) * words, words * sizeof *x->regs);
    }
}

/* Counts bytes of state; false beyond the limit. */
static bool count_bytes(struct golden_machine *g, uint64_t bytes) {
    uint64_t limit = g->setup.memory_limit;
    if (limit > 0 && (g->bytes > limit || bytes > limit - g->bytes)) {
        snprintf(g->failure, sizeof g->failure,
                 "the machine's state needs more than the limit of %llu bytes",
                 (unsigned long long)limit);
        g->base.failure = g->failure;
        return false;
    }
    g->bytes += bytes;
    return true;
}

/* Lanes that are kept where `need` may differ from those behind them. */
static uint32_t lanes_to_keep(const struct golden_machine *g, uint32_t need) {
    uint64_t want = ((uint64_t)need / DP_PIECE_LANES + 1) * DP_PIECE_LANES;
    bool all = g->setup.init == DP_INIT_RANDOM || want > g->lanes;
    return all ? g->lanes : (uint32_t)want;
}

/* False beyond the limit.  The caller holds the lock. */
static bool grow(struct golden_machine *g, struct golden_vrf *x, uint32_t v, uint32_t lanes) {
    uint32_t before = x->lanes;
    if (!count_bytes(g, bits_bytes(lanes - before) + regs_bytes(g, lanes - before)))
        return false;
    x->lanes = lanes;
    x->bits = xreallocarray(x->bits, bits_bytes(lanes), 1);
    x->regs = xreallocarray(x->regs, regs_bytes(g, lanes) + 1, 1);
    if (before)
        repeat_lane(g, x, before);
    else
        start_lanes(g, x, v);
    return true;
}

/* Whether lanes 0 .. need - 1 are kept, each for itself. */
static bool keeps(const struct golden_machine *g, const struct golden_vrf *x, uint32_t need) {
    return x->lanes == g->lanes || need < x->lanes;
}

/* The caller holds the lock. */
static struct golden_vrf *vrf_with(struct golden_machine *g, uint32_t v, uint32_t lanes) {
    struct golden_vrf *x = peek(g, v), *made = x ? x : xcalloc(1, sizeof *made);
    if (!keeps(g, made, lanes) && !grow(g, made, v, lanes_to_keep(g, lanes))) {
        if (!x)
            free(made);
        return NULL;
    }
    atomic_store_explicit(&g->vrf[v], made, memory_order_release);
    return made;
}

struct golden_vrf *golden_vrf(struct golden_machine *g, uint32_t v, uint32_t lanes) {
    assert(v < g->vrfs);
    struct golden_vrf *x = peek(g, v);
    if (x && keeps(g, x, lanes))
        return x;
    pthread_mutex_lock(&g->lock);
    x = vrf_with(g, v, lanes);
    pthread_mutex_unlock(&g->lock);
    return x;
}

void golden_write(const struct golden_machine *g, struct golden_vrf *x, uint32_t lane, unsigned reg,
                  unsigned width, uint64_t value) {
    unsigned bits = g->reg_bits[reg];
    if (bits == 0)
        return;
    uint64_t keep = ~low_bits(width < bits ? width : bits);
    uint64_t *at = &x->regs[(size_t)lane * g->reg_count + g->reg_index[reg]];
    *at = (*at & keep) | (value & ~keep);
}

void golden_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct golden_machine *g = golden_of(dp);
    for (size_t i = 0; i < count; i++) {
        uint32_t valid = bindings[i].valid_lanes < g->lanes ? bindings[i].valid_lanes : g->lanes;
        struct golden_vrf *x = golden_vrf(g, bindings[i].vrf, valid);
        for (uint32_t lane = 0; x && lane < x->lanes; lane++)
            x->bits[lane].m = x->bits[lane].valid = lane < valid;
    }
}

static uint8_t any_one(struct golden_machine *g, enum dp_any what, uint32_t v) {
    const struct golden_vrf *x = golden_vrf(g, v, 0);
    for (uint32_t lane = 0; x && lane < x->lanes; lane++)
        if (x->bits[lane].m && (what == DP_ANY_M || !x->bits[lane].c))
            return 1;
    return 0;
}

void golden_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                struct dp_cost *cost) {
    (void)cost;
    for (size_t i = 0; i < set.count; i++)
        for (uint32_t k = 0; k < set.ranges[i].count; k++)
            *bits++ = any_one(golden_of(dp), what, set.ranges[i].first + k);
}

static uint64_t read_what(const struct golden_machine *g, const struct golden_vrf *x, uint32_t lane,
                          enum dp_what what, unsigned reg) {
    uint32_t kept = lane < x->lanes ? lane : x->lanes - 1;
    switch (what) {
    case DP_REGISTER:
        return golden_read(g, x, kept, reg & 63);
    case DP_C:
        return x->bits[kept].c;
    case DP_M:
        return x->bits[kept].m;
    case DP_VALID:
        break;
    }
    return x->bits[kept].valid;
}

void golden_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
                uint32_t count, uint64_t *values) {
    struct golden_machine *g = golden_of(dp);
    const struct golden_vrf *x = golden_vrf(g, vrf, 0);
    assert(first <= g->lanes && count <= g->lanes - first);
    for (uint32_t i = 0; i < count; i++)
        values[i] = x ? read_what(g, x, first + i, what, reg) : 0;
}

/* --- copies --- */

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t i) {
    return (uint32_t)((int64_t)first + (int64_t)i * step);
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t lanes_kept(struct golden_machine *g, uint32_t v, uint32_t need) {
    const struct golden_vrf *x = golden_vrf(g, v, need);
    return x ? x->lanes : 0;
}

/* Keeps the lanes that one copy needs, `every` of them where it is of every lane; the most that one
 * of its VRFs keeps then. */
static uint32_t keep_lanes(struct golden_machine *g, const struct dp_copy *c, uint32_t every) {
    uint32_t last = lane_at(c->dst_first, c->dst_step, c->count - 1);
    uint32_t need = c->count                     ? larger(c->dst_first, last) + 1
                    : c->source == DP_FROM_COUNT ? g->lanes
                                                 : every;
    uint32_t dst = lanes_kept(g, c->dst_vrf, need);
    uint32_t src =
        c->source == DP_FROM_REGISTER ? lanes_kept(g, c->src_vrf, c->count ? 0 : every) : 0;
    return c->count ? 0 : larger(src, dst);
}

/* The lanes of copies of every lane: as many as the VRFs of all of those keep, which all do then.
 * What a VRF keeps is known when all copies have been looked at once. */
static uint32_t every_lane(struct golden_machine *g, const struct dp_copy *copies, size_t count) {
    uint32_t every = 0;
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < count; i++)
            every = larger(every, keep_lanes(g, &copies[i], 0));
    for (size_t i = 0; every && i < count; i++)
        keep_lanes(g, &copies[i], every - 1);
    return every;
}

/* The lanes that c means, written out. */
static struct dp_copy all_lanes(const struct dp_copy *c, uint32_t every) {
    struct dp_copy x = *c;
    if (x.count == 0) {
        x.count = every;
        x.src_step = x.dst_step = 1;
    }
    return x;
}

/* Of the lanes of c, those from `done` on. */
static void read_sources(struct golden_machine *g, const struct dp_copy *c, uint32_t done,
                         uint32_t count, uint64_t *values) {
    const struct golden_vrf *from = NULL;
    if (c->source == DP_FROM_REGISTER)
        from = golden_vrf(g, c->src_vrf, 0);
    for (uint32_t i = 0; i < count; i++)
        values[i] = from ? read_what(g, from, lane_at(c->src_first, c->src_step, done + i),
                                     DP_REGISTER, c->src_reg)
                         : c->value + (c->source == DP_FROM_COUNT ? done + i : 0);
}

static void write_copy(struct golden_machine *g, const struct dp_copy *c, uint32_t done,
                       uint32_t count, const uint64_t *values) {
    struct golden_vrf *to = golden_vrf(g, c->dst_vrf, 0);
    for (uint32_t i = 0; to && i < count; i++) {
        uint32_t lane = lane_at(c->dst_first, c->dst_step, done + i);
        if (lane < to->lanes && (c->source != DP_FROM_COUNT || to->bits[lane].m))
            golden_write(g, to, lane, c->dst_reg, c->width, values[i]);
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

static void copy_in_pieces(struct golden_machine *g, const struct dp_copy *copies, size_t count,
                           uint32_t every) {
    uint64_t values[DP_PIECE_LANES];
    for (size_t i = 0; i < count; i++) {
        struct dp_copy c = all_lanes(&copies[i], every);
        for (uint32_t done = 0, n; done < c.count; done += n) {
            n = dp_piece(done, c.count);
            read_sources(g, &c, done, n, values);
            write_copy(g, &c, done, n, values);
        }
    }
}

static void copy_at_once(struct golden_machine *g, const struct dp_copy *copies, size_t count,
                         uint32_t every) {
    struct dp_copy *all = xcalloc(count + 1, sizeof *all);
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = all_lanes(&copies[i], every);
        total += all[i].count;
    }
    uint64_t *values = xmalloc((total + 1) * sizeof *values);
    for (size_t i = 0; i < count; at += all[i++].count)
        read_sources(g, &all[i], 0, all[i].count, values + at);
    at = 0;
    for (size_t i = 0; i < count; at += all[i++].count)
        write_copy(g, &all[i], 0, all[i].count, values + at);
    free(values);
    free(all);
}

static void copy_together(struct golden_machine *g, const struct dp_copy *copies, size_t count) {
    uint32_t every = every_lane(g, copies, count);
    if (reads_what_it_writes(copies, count))
        copy_at_once(g, copies, count, every);
    else
        copy_in_pieces(g, copies, count, every);
}

void golden_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct golden_machine *g = golden_of(dp);
    const struct dp_copy *copies = x->copies;
    if (!x->pair_count)
        copy_together(g, copies, x->count);
    for (size_t i = 0; i < x->pair_count; copies += x->pair_copies[i++])
        copy_together(g, copies, x->pair_copies[i]);
    cost->known = false;
}

/* --- writing --- */

static void write_what(const struct golden_machine *g, struct golden_vrf *x, uint32_t lane,
                       enum dp_what what, unsigned reg, unsigned width, uint64_t value) {
    switch (what) {
    case DP_REGISTER:
        golden_write(g, x, lane, reg & 63, width, value);
        return;
    case DP_C:
        x->bits[lane].c = value & 1;
        return;
    case DP_M:
        x->bits[lane].m = value & 1;
        return;
    case DP_VALID:
        x->bits[lane].valid = value & 1;
        return;
    }
}

void golden_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
                uint32_t first, uint32_t count, const uint64_t *values) {
    struct golden_machine *g = golden_of(dp);
    assert(first <= g->lanes && count <= g->lanes - first);
    struct golden_vrf *x = golden_vrf(g, vrf, width && count ? first + count : 0);
    for (uint32_t i = 0; x && width > 0 && i < count; i++)
        write_what(g, x, first + i, what, reg, width, values[i]);
}

/* --- snapshots: a block at the end of the string, taken off by restore --- */

struct snapshot_header {
    char magic[8];
    uint32_t vrfs, lanes;
    uint8_t reg_bits[64];
    uint64_t used; /* VRFs that follow: number, bits, registers */
};

_Static_assert(sizeof(struct snapshot_header) == 88, "headers are compared byte by byte");

static struct snapshot_header header_of(const struct golden_machine *g) {
    struct snapshot_header h = {.magic = "MPUGOLD", .vrfs = g->vrfs, .lanes = g->lanes};
    memcpy(h.reg_bits, g->reg_bits, sizeof h.reg_bits);
    for (uint32_t v = 0; v < g->vrfs; v++)
        h.used += peek(g, v) != NULL;
    return h;
}

/* Of each VRF: its number and its lanes, bits, registers. */
#define VRF_HEAD (2 * sizeof(uint32_t))

static size_t vrf_bytes(const struct golden_machine *g, uint32_t lanes) {
    return VRF_HEAD + bits_bytes(lanes) + regs_bytes(g, lanes);
}

static void save_vrf(const struct golden_machine *g, uint32_t v, const struct golden_vrf *x,
                     struct str *state) {
    const uint32_t head[] = {v, x->lanes};
    str_append_n(state, (const char *)head, sizeof head);
    str_append_n(state, (const char *)x->bits, bits_bytes(x->lanes));
    str_append_n(state, (const char *)x->regs, regs_bytes(g, x->lanes));
}

static void save(const struct golden_machine *g, struct str *state) {
    struct snapshot_header h = header_of(g);
    uint64_t length = sizeof h;
    str_append_n(state, (const char *)&h, sizeof h);
    for (uint32_t v = 0; v < g->vrfs; v++) {
        const struct golden_vrf *x = peek(g, v);
        if (!x)
            continue;
        save_vrf(g, v, x, state);
        length += vrf_bytes(g, x->lanes);
    }
    str_append_n(state, (const char *)&length, sizeof length);
}

/* The VRFs of the block at the end. */
struct block {
    const char *at;
    size_t begin, size; /* in the state, of the VRFs */
    uint64_t used;      /* their number */
};

/* Number and lanes of the VRF at `at` of the block; false if it is not one of the machine, or does
 * not end in the block. */
static bool head_at(const struct golden_machine *g, const struct block *b, size_t at,
                    uint32_t head[2]) {
    if (b->size - at < VRF_HEAD)
        return false;
    memcpy(head, b->at + at, VRF_HEAD);
    return head[0] < g->vrfs && head[1] >= 1 && head[1] <= g->lanes &&
           vrf_bytes(g, head[1]) <= b->size - at;
}

static bool find_block(const struct golden_machine *g, const struct str *state, struct block *b) {
    struct snapshot_header h, mine = header_of(g);
    uint64_t length;
    uint32_t head[2];
    size_t at = 0;
    if (state->len < sizeof length + sizeof h)
        return false;
    size_t end = state->len - sizeof length;
    memcpy(&length, state->text + end, sizeof length);
    if (length < sizeof h || length > end)
        return false;
    *b = (struct block){.begin = end - (size_t)length, .size = (size_t)length - sizeof h};
    b->at = state->text + b->begin + sizeof h;
    memcpy(&h, state->text + b->begin, sizeof h);
    b->used = mine.used = h.used;
    if (memcmp(&h, &mine, sizeof h) != 0 || h.used > g->vrfs)
        return false;
    for (uint64_t i = 0; i < b->used; i++, at += vrf_bytes(g, head[1]))
        if (!head_at(g, b, at, head))
            return false;
    return at == b->size;
}

static bool take_vrf(struct golden_machine *g, const uint32_t head[2], const char *at) {
    struct golden_vrf *x = golden_vrf(g, head[0], head[1] - 1);
    if (!x || x->lanes != head[1])
        return false;
    memcpy(x->bits, at, bits_bytes(head[1]));
    memcpy(x->regs, at + bits_bytes(head[1]), regs_bytes(g, head[1]));
    return true;
}

static bool take(struct golden_machine *g, struct str *state) {
    struct block b;
    uint32_t head[2];
    if (!find_block(g, state, &b))
        return false;
    forget_all(g);
    for (size_t at = 0; at < b.size; at += vrf_bytes(g, head[1]))
        if (!head_at(g, &b, at, head) || !take_vrf(g, head, b.at + at + VRF_HEAD))
            return false;
    state->len = b.begin;
    state->text[b.begin] = '\0';
    return true;
}

bool golden_snapshot(struct datapath *dp, bool restore, struct str *state) {
    if (restore)
        return take(golden_of(dp), state);
    save(golden_of(dp), state);
    return true;
}
