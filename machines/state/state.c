/* SPDX-License-Identifier: MIT */
#include "machines/state/state.h"
#include "support/alloc.h"
#include "support/vec.h"
#include "support/bits.h"
#include "support/str.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool lay_out(struct lane_state *s, struct diag *d) {
    const struct target *t = s->setup.target;
    uint64_t vrfs = (uint64_t)t->vrf_per_rfh * t->rfh_per_mpu;
    s->lanes = s->setup.lanes ? s->setup.lanes : t->lanes;
    if (vrfs == 0 || s->lanes == 0 || vrfs > UINT32_MAX || (vrfs *= s->setup.mpus) > UINT32_MAX) {
        diag_error(d, NO_SPAN,
                   "target %s with %u MPUs has no lanes, or more VRFs than can be numbered",
                   t->name, s->setup.mpus);
        return false;
    }
    s->vrfs = (uint32_t)vrfs;
    for (unsigned r = 0; r < 64; r++)
        if (s->reg_bits[r])
            s->reg_index[r] = (uint8_t)s->reg_count++;
    s->vrf = calloc(s->vrfs ? s->vrfs : 1, sizeof *s->vrf);
    if (!s->vrf)
        diag_error(d, NO_SPAN, "no memory for a machine of %u VRFs", s->vrfs);
    return s->vrf != NULL;
}

bool state_open(struct lane_state *s, const struct datapath_ops *ops, const struct dp_setup *setup,
                struct diag *d) {
    s->base.ops = ops;
    s->base.grain = 1;
    s->setup = *setup;
    for (unsigned r = 0; r < 64; r++)
        s->reg_bits[r] = setup->reg_bits[r] < 64 ? setup->reg_bits[r] : 64;
    s->setup.reg_bits = s->reg_bits;
    pthread_mutex_init(&s->lock, NULL);
    return lay_out(s, d);
}

static struct state_vrf *peek(const struct lane_state *s, uint32_t v) {
    return atomic_load_explicit(&s->vrf[v], memory_order_acquire);
}

static void vrf_free(struct state_vrf *x) {
    if (!x)
        return;
    free(x->bits);
    free(x->regs);
    free(x);
}

static void forget_all(struct lane_state *s) {
    for (uint32_t v = 0; v < s->vrfs; v++) {
        vrf_free(peek(s, v));
        atomic_store_explicit(&s->vrf[v], NULL, memory_order_relaxed);
    }
    s->bytes = 0;
}

void state_close(struct lane_state *s) {
    if (s->vrf)
        forget_all(s);
    free(s->vrf);
    pthread_mutex_destroy(&s->lock);
}

static size_t bits_bytes(uint32_t lanes) {
    return lanes * sizeof(struct state_bits);
}

static size_t regs_bytes(const struct lane_state *s, uint32_t lanes) {
    return (size_t)lanes * s->reg_count * sizeof(uint64_t);
}

/* Lanes of a new VRF as they are at the start. */
static void start_lanes(const struct lane_state *s, struct state_vrf *x, uint32_t v) {
    memset(x->bits, 0, bits_bytes(x->lanes));
    memset(x->regs, 0, regs_bytes(s, x->lanes));
    for (uint32_t lane = 0; s->setup.init == DP_INIT_RANDOM && lane < x->lanes; lane++) {
        for (unsigned r = 0; r < 64; r++)
            state_write(s, x, lane, r, 64, state_init_value(s->setup.seed, v, r, lane));
        x->bits[lane].c = state_init_value(s->setup.seed, v, DP_INIT_C, lane) & 1;
    }
}

/* Lanes from `first` on become what the lane before them is. */
static void repeat_lane(const struct lane_state *s, struct state_vrf *x, uint32_t first) {
    size_t words = s->reg_count;
    for (uint32_t lane = first; lane < x->lanes; lane++) {
        x->bits[lane] = x->bits[first - 1];
        if (words)
            memcpy(x->regs + lane * words, x->regs + (first - 1) * words, words * sizeof *x->regs);
    }
}

/* Counts bytes of state; false beyond the limit. */
static bool count_bytes(struct lane_state *s, uint64_t bytes) {
    uint64_t limit = s->setup.memory_limit;
    if (limit > 0 && (s->bytes > limit || bytes > limit - s->bytes)) {
        snprintf(s->failure, sizeof s->failure,
                 "the machine's state needs more than the limit of %llu bytes",
                 (unsigned long long)limit);
        s->base.failure = s->failure;
        return false;
    }
    s->bytes += bytes;
    return true;
}

/* Lanes that are kept where `need` may differ from those behind them. */
static uint32_t lanes_to_keep(const struct lane_state *s, uint32_t need) {
    uint64_t want = ((uint64_t)need / DP_PIECE_LANES + 1) * DP_PIECE_LANES;
    bool all = s->setup.init == DP_INIT_RANDOM || want > s->lanes;
    return all ? s->lanes : (uint32_t)want;
}

/* False beyond the limit.  The caller holds the lock. */
static bool grow(struct lane_state *s, struct state_vrf *x, uint32_t v, uint32_t lanes) {
    uint32_t before = x->lanes;
    if (!count_bytes(s, bits_bytes(lanes - before) + regs_bytes(s, lanes - before)))
        return false;
    x->lanes = lanes;
    x->bits = xreallocarray(x->bits, bits_bytes(lanes), 1);
    x->regs = xreallocarray(x->regs, regs_bytes(s, lanes) + 1, 1);
    if (before)
        repeat_lane(s, x, before);
    else
        start_lanes(s, x, v);
    return true;
}

/* Whether lanes 0 .. need - 1 are kept, each for itself. */
static bool keeps(const struct lane_state *s, const struct state_vrf *x, uint32_t need) {
    return x->lanes == s->lanes || need < x->lanes;
}

/* The caller holds the lock. */
static struct state_vrf *vrf_with(struct lane_state *s, uint32_t v, uint32_t lanes) {
    struct state_vrf *x = peek(s, v), *made = x ? x : xcalloc(1, sizeof *made);
    if (!keeps(s, made, lanes) && !grow(s, made, v, lanes_to_keep(s, lanes))) {
        if (!x)
            free(made);
        return NULL;
    }
    atomic_store_explicit(&s->vrf[v], made, memory_order_release);
    return made;
}

struct state_vrf *state_vrf(struct lane_state *s, uint32_t v, uint32_t lanes) {
    assert(v < s->vrfs);
    struct state_vrf *x = peek(s, v);
    if (x && keeps(s, x, lanes))
        return x;
    pthread_mutex_lock(&s->lock);
    x = vrf_with(s, v, lanes);
    pthread_mutex_unlock(&s->lock);
    return x;
}

void state_write(const struct lane_state *s, struct state_vrf *x, uint32_t lane, unsigned reg,
                 unsigned width, uint64_t value) {
    unsigned bits = s->reg_bits[reg];
    if (bits == 0)
        return;
    uint64_t keep = ~low_bits(width < bits ? width : bits);
    uint64_t *at = &x->regs[(size_t)lane * s->reg_count + s->reg_index[reg]];
    *at = (*at & keep) | (value & ~keep);
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

static uint8_t any_one(struct lane_state *s, enum dp_any what, uint32_t v) {
    const struct state_vrf *x = state_vrf(s, v, 0);
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

static uint64_t read_what(const struct lane_state *s, const struct state_vrf *x, uint32_t lane,
                          enum dp_what what, unsigned reg) {
    uint32_t kept = lane < x->lanes ? lane : x->lanes - 1;
    switch (what) {
    case DP_REGISTER:
        return state_read(s, x, kept, reg & 63);
    case DP_C:
        return x->bits[kept].c;
    case DP_M:
        return x->bits[kept].m;
    case DP_VALID:
        break;
    }
    return x->bits[kept].valid;
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

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t i) {
    return (uint32_t)((int64_t)first + (int64_t)i * step);
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t lanes_kept(struct lane_state *s, uint32_t v, uint32_t need) {
    const struct state_vrf *x = state_vrf(s, v, need);
    return x ? x->lanes : 0;
}

/* Keeps the lanes that one copy needs, `every` of them where it is of every lane; the most that one
 * of its VRFs keeps then. */
static uint32_t keep_lanes(struct lane_state *s, const struct dp_copy *c, uint32_t every) {
    uint32_t last = lane_at(c->dst_first, c->dst_step, c->count - 1);
    uint32_t need = c->count                     ? larger(c->dst_first, last) + 1
                    : c->source == DP_FROM_COUNT ? s->lanes
                                                 : every;
    uint32_t dst = lanes_kept(s, c->dst_vrf, need);
    uint32_t src =
        c->source == DP_FROM_REGISTER ? lanes_kept(s, c->src_vrf, c->count ? 0 : every) : 0;
    return c->count ? 0 : larger(src, dst);
}

/* The lanes of copies of every lane: as many as the VRFs of all of those keep, which all do then.
 * What a VRF keeps is known when all copies have been looked at once. */
static uint32_t every_lane(struct lane_state *s, const struct dp_copy *copies, size_t count) {
    uint32_t every = 0;
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < count; i++)
            every = larger(every, keep_lanes(s, &copies[i], 0));
    for (size_t i = 0; every && i < count; i++)
        keep_lanes(s, &copies[i], every - 1);
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
static void read_sources(struct lane_state *s, const struct dp_copy *c, uint32_t done,
                         uint32_t count, uint64_t *values) {
    const struct state_vrf *from = NULL;
    if (c->source == DP_FROM_REGISTER)
        from = state_vrf(s, c->src_vrf, 0);
    for (uint32_t i = 0; i < count; i++)
        values[i] = from ? read_what(s, from, lane_at(c->src_first, c->src_step, done + i),
                                     DP_REGISTER, c->src_reg)
                         : c->value + (c->source == DP_FROM_COUNT ? done + i : 0);
}

static void write_copy(struct lane_state *s, const struct dp_copy *c, uint32_t done, uint32_t count,
                       const uint64_t *values) {
    struct state_vrf *to = state_vrf(s, c->dst_vrf, 0);
    for (uint32_t i = 0; to && i < count; i++) {
        uint32_t lane = lane_at(c->dst_first, c->dst_step, done + i);
        if (lane < to->lanes && (c->source != DP_FROM_COUNT || to->bits[lane].m))
            state_write(s, to, lane, c->dst_reg, c->width, values[i]);
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

static void copy_in_pieces(struct lane_state *s, const struct dp_copy *copies, size_t count,
                           uint32_t every) {
    uint64_t values[DP_PIECE_LANES];
    for (size_t i = 0; i < count; i++) {
        struct dp_copy c = all_lanes(&copies[i], every);
        for (uint32_t done = 0, n; done < c.count; done += n) {
            n = dp_piece(done, c.count);
            read_sources(s, &c, done, n, values);
            write_copy(s, &c, done, n, values);
        }
    }
}

static void copy_at_once(struct lane_state *s, const struct dp_copy *copies, size_t count,
                         uint32_t every) {
    struct dp_copy *all = xcalloc(count + 1, sizeof *all);
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = all_lanes(&copies[i], every);
        total += all[i].count;
    }
    uint64_t *values = xmalloc((total + 1) * sizeof *values);
    for (size_t i = 0; i < count; at += all[i++].count)
        read_sources(s, &all[i], 0, all[i].count, values + at);
    at = 0;
    for (size_t i = 0; i < count; at += all[i++].count)
        write_copy(s, &all[i], 0, all[i].count, values + at);
    free(values);
    free(all);
}

static void copy_together(struct lane_state *s, const struct dp_copy *copies, size_t count) {
    uint32_t every = every_lane(s, copies, count);
    if (reads_what_it_writes(copies, count))
        copy_at_once(s, copies, count, every);
    else
        copy_in_pieces(s, copies, count, every);
}

struct values_read {
    VEC(uint64_t) list;
};

/* What all parts read, before anything is written. */
static void read_parts(struct lane_state *s, const struct dp_transfer *x,
                       struct values_read *values) {
    const struct dp_copy *copies;
    size_t count;
    while (x->next(x->context, &copies, &count)) {
        every_lane(s, copies, count);
        for (size_t i = 0; i < count; i++) {
            vec_reserve(&values->list, values->list.len + copies[i].count);
            read_sources(s, &copies[i], 0, copies[i].count, values->list.data + values->list.len);
            values->list.len += copies[i].count;
        }
    }
}

/* The copies of a GMOVE that come in parts; each has a number of lanes. */
static void copy_parts(struct lane_state *s, const struct dp_transfer *x) {
    const struct dp_copy *copies;
    struct values_read values = {0};
    size_t count, at = 0;
    bool held = (x->reads & x->writes) != 0;
    if (held)
        read_parts(s, x, &values);
    while (x->next(x->context, &copies, &count)) {
        if (!held)
            copy_in_pieces(s, copies, count, every_lane(s, copies, count));
        for (size_t i = 0; held && i < count; at += copies[i++].count)
            write_copy(s, &copies[i], 0, copies[i].count, values.list.data + at);
    }
    vec_free(&values.list);
}

void state_copy(struct lane_state *s, const struct dp_transfer *x) {
    const struct dp_copy *copies = x->copies;
    if (x->next)
        copy_parts(s, x);
    else if (!x->pair_count)
        copy_together(s, copies, x->count);
    for (size_t i = 0; i < x->pair_count; copies += x->pair_copies[i++])
        copy_together(s, copies, x->pair_copies[i]);
}

/* --- writing --- */

static void write_what(const struct lane_state *s, struct state_vrf *x, uint32_t lane,
                       enum dp_what what, unsigned reg, unsigned width, uint64_t value) {
    switch (what) {
    case DP_REGISTER:
        state_write(s, x, lane, reg & 63, width, value);
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

static struct state_snapshot_header header_of(const struct lane_state *s) {
    struct state_snapshot_header h = {.magic = "MPULANE", .vrfs = s->vrfs, .lanes = s->lanes};
    memcpy(h.reg_bits, s->reg_bits, sizeof h.reg_bits);
    for (uint32_t v = 0; v < s->vrfs; v++)
        h.used += peek(s, v) != NULL;
    return h;
}

/* Of each VRF: its number and its lanes, bits, registers. */
#define VRF_HEAD (2 * sizeof(uint32_t))

static size_t vrf_bytes(const struct lane_state *s, uint32_t lanes) {
    return VRF_HEAD + bits_bytes(lanes) + regs_bytes(s, lanes);
}

static void save_vrf(const struct lane_state *s, uint32_t v, const struct state_vrf *x,
                     struct str *state) {
    const uint32_t head[] = {v, x->lanes};
    str_append_n(state, (const char *)head, sizeof head);
    str_append_n(state, (const char *)x->bits, bits_bytes(x->lanes));
    str_append_n(state, (const char *)x->regs, regs_bytes(s, x->lanes));
}

static void save(const struct lane_state *s, struct str *state) {
    struct state_snapshot_header h = header_of(s);
    uint64_t length = sizeof h;
    str_append_n(state, (const char *)&h, sizeof h);
    for (uint32_t v = 0; v < s->vrfs; v++) {
        const struct state_vrf *x = peek(s, v);
        if (!x)
            continue;
        save_vrf(s, v, x, state);
        length += vrf_bytes(s, x->lanes);
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
static bool head_at(const struct lane_state *s, const struct snapshot_block *b, size_t at,
                    uint32_t head[2]) {
    if (b->size - at < VRF_HEAD)
        return false;
    memcpy(head, b->at + at, VRF_HEAD);
    return head[0] < s->vrfs && head[1] >= 1 && head[1] <= s->lanes &&
           vrf_bytes(s, head[1]) <= b->size - at;
}

static bool find_block(const struct lane_state *s, const struct str *state,
                       struct snapshot_block *b) {
    struct state_snapshot_header h, mine = header_of(s);
    uint64_t length;
    uint32_t head[2];
    size_t at = 0;
    if (state->len < sizeof length + sizeof h)
        return false;
    size_t end = state->len - sizeof length;
    memcpy(&length, state->text + end, sizeof length);
    if (length < sizeof h || length > end)
        return false;
    *b = (struct snapshot_block){.begin = end - (size_t)length, .size = (size_t)length - sizeof h};
    b->at = state->text + b->begin + sizeof h;
    memcpy(&h, state->text + b->begin, sizeof h);
    b->used = mine.used = h.used;
    if (memcmp(&h, &mine, sizeof h) != 0 || h.used > s->vrfs)
        return false;
    for (uint64_t i = 0; i < b->used; i++, at += vrf_bytes(s, head[1]))
        if (!head_at(s, b, at, head))
            return false;
    return at == b->size;
}

static bool take_vrf(struct lane_state *s, const uint32_t head[2], const char *at) {
    struct state_vrf *x = state_vrf(s, head[0], head[1] - 1);
    if (!x || x->lanes != head[1])
        return false;
    memcpy(x->bits, at, bits_bytes(head[1]));
    memcpy(x->regs, at + bits_bytes(head[1]), regs_bytes(s, head[1]));
    return true;
}

static bool take(struct lane_state *s, struct str *state) {
    struct snapshot_block b;
    uint32_t head[2];
    if (!find_block(s, state, &b))
        return false;
    forget_all(s);
    for (size_t at = 0; at < b.size; at += vrf_bytes(s, head[1]))
        if (!head_at(s, &b, at, head) || !take_vrf(s, head, b.at + at + VRF_HEAD))
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
