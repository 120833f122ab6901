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
    g->lanes = t->lanes;
    if (vrfs == 0 || t->lanes == 0 || vrfs > UINT32_MAX || (vrfs *= g->setup.mpus) > UINT32_MAX) {
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

static size_t reg_words(const struct golden_machine *g) {
    return (size_t)g->lanes * g->reg_count;
}

static void randomise(const struct golden_machine *g, struct golden_vrf *x, uint32_t v) {
    for (uint32_t lane = 0; lane < g->lanes; lane++) {
        for (unsigned r = 0; r < 64; r++)
            golden_write(g, x, lane, r, 64, dp_init_value(g->setup.seed, v, r, lane));
        x->bits[lane].c = dp_init_value(g->setup.seed, v, DP_INIT_C, lane) & 1;
    }
}

/* The caller holds the lock. */
static struct golden_vrf *make_vrf(struct golden_machine *g, uint32_t v) {
    uint64_t bytes = reg_words(g) * sizeof(uint64_t) + g->lanes * sizeof(struct golden_lane_bits);
    uint64_t limit = g->setup.memory_limit;
    if (limit > 0 && (g->bytes > limit || bytes > limit - g->bytes)) {
        snprintf(g->failure, sizeof g->failure,
                 "the machine's state needs more than the limit of %llu bytes",
                 (unsigned long long)limit);
        g->base.failure = g->failure;
        return NULL;
    }
    struct golden_vrf *x = xcalloc(1, sizeof *x);
    x->bits = xcalloc(g->lanes, sizeof *x->bits);
    x->regs = xcalloc(reg_words(g) + 1, sizeof *x->regs);
    if (g->setup.init == DP_INIT_RANDOM)
        randomise(g, x, v);
    g->bytes += bytes;
    return x;
}

struct golden_vrf *golden_vrf(struct golden_machine *g, uint32_t v) {
    assert(v < g->vrfs);
    struct golden_vrf *x = peek(g, v);
    if (x)
        return x;
    pthread_mutex_lock(&g->lock);
    x = peek(g, v);
    if (!x) {
        x = make_vrf(g, v);
        atomic_store_explicit(&g->vrf[v], x, memory_order_release);
    }
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
        struct golden_vrf *x = golden_vrf(g, bindings[i].vrf);
        for (uint32_t lane = 0; x && lane < g->lanes; lane++)
            x->bits[lane].m = x->bits[lane].valid = lane < bindings[i].valid_lanes;
    }
}

static uint8_t any_one(struct golden_machine *g, enum dp_any what, uint32_t v) {
    const struct golden_vrf *x = golden_vrf(g, v);
    for (uint32_t lane = 0; x && lane < g->lanes; lane++)
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

/* The lanes that c means, written out. */
static struct dp_copy all_lanes(const struct golden_machine *g, const struct dp_copy *c) {
    struct dp_copy x = *c;
    if (x.count == 0) {
        x.count = g->lanes;
        x.src_step = x.dst_step = 1;
    }
    return x;
}

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t i) {
    return (uint32_t)((int64_t)first + (int64_t)i * step);
}

static void read_sources(struct golden_machine *g, const struct dp_copy *c, uint64_t *values) {
    const struct golden_vrf *from = NULL;
    if (c->source == DP_FROM_REGISTER)
        from = golden_vrf(g, c->src_vrf);
    for (uint32_t i = 0; i < c->count; i++)
        values[i] = from ? golden_read(g, from, lane_at(c->src_first, c->src_step, i), c->src_reg)
                         : c->value + (c->source == DP_FROM_COUNT ? i : 0);
}

static void write_copy(struct golden_machine *g, const struct dp_copy *c, const uint64_t *values) {
    struct golden_vrf *to = golden_vrf(g, c->dst_vrf);
    for (uint32_t i = 0; to && i < c->count; i++) {
        uint32_t lane = lane_at(c->dst_first, c->dst_step, i);
        if (c->source != DP_FROM_COUNT || to->bits[lane].m)
            golden_write(g, to, lane, c->dst_reg, c->width, values[i]);
    }
}

/* Sources are read before anything is written. */
static void copy_together(struct golden_machine *g, const struct dp_copy *copies, size_t count) {
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        total += all_lanes(g, &copies[i]).count;
    uint64_t *values = xmalloc((total + 1) * sizeof *values);
    for (size_t i = 0; i < count; at += all_lanes(g, &copies[i++]).count) {
        struct dp_copy c = all_lanes(g, &copies[i]);
        read_sources(g, &c, values + at);
    }
    at = 0;
    for (size_t i = 0; i < count; at += all_lanes(g, &copies[i++]).count) {
        struct dp_copy c = all_lanes(g, &copies[i]);
        write_copy(g, &c, values + at);
    }
    free(values);
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

static uint64_t read_what(const struct golden_machine *g, const struct golden_vrf *x, uint32_t lane,
                          enum dp_what what, unsigned reg) {
    switch (what) {
    case DP_REGISTER:
        return golden_read(g, x, lane, reg & 63);
    case DP_C:
        return x->bits[lane].c;
    case DP_M:
        return x->bits[lane].m;
    case DP_VALID:
        break;
    }
    return x->bits[lane].valid;
}

void golden_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
                uint32_t count, uint64_t *values) {
    struct golden_machine *g = golden_of(dp);
    const struct golden_vrf *x = golden_vrf(g, vrf);
    assert(first <= g->lanes && count <= g->lanes - first);
    for (uint32_t i = 0; i < count; i++)
        values[i] = x ? read_what(g, x, first + i, what, reg) : 0;
}

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
    struct golden_vrf *x = golden_vrf(g, vrf);
    assert(first <= g->lanes && count <= g->lanes - first);
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

static size_t bits_bytes(const struct golden_machine *g) {
    return g->lanes * sizeof(struct golden_lane_bits);
}
static size_t vrf_bytes(const struct golden_machine *g) {
    return sizeof(uint32_t) + bits_bytes(g) + reg_words(g) * sizeof(uint64_t);
}

static void save(const struct golden_machine *g, struct str *state) {
    struct snapshot_header h = header_of(g);
    uint64_t length = sizeof h + h.used * vrf_bytes(g);
    str_append_n(state, (const char *)&h, sizeof h);
    for (uint32_t v = 0; v < g->vrfs; v++) {
        const struct golden_vrf *x = peek(g, v);
        if (!x)
            continue;
        str_append_n(state, (const char *)&v, sizeof v);
        str_append_n(state, (const char *)x->bits, bits_bytes(g));
        str_append_n(state, (const char *)x->regs, reg_words(g) * sizeof(uint64_t));
    }
    str_append_n(state, (const char *)&length, sizeof length);
}

/* The VRFs of the block at the end, their number and where it begins; NULL if it does not fit. */
static const char *find_block(const struct golden_machine *g, const struct str *state,
                              uint64_t *used, size_t *begin) {
    struct snapshot_header h, mine = header_of(g);
    uint64_t length;
    if (state->len < sizeof length + sizeof h)
        return NULL;
    size_t end = state->len - sizeof length;
    memcpy(&length, state->text + end, sizeof length);
    if (length < sizeof h || length > end)
        return NULL;
    *begin = end - (size_t)length;
    memcpy(&h, state->text + *begin, sizeof h);
    *used = mine.used = h.used;
    if (memcmp(&h, &mine, sizeof h) != 0 || h.used > g->vrfs ||
        length - sizeof h != h.used * vrf_bytes(g))
        return NULL;
    return state->text + *begin + sizeof h;
}

static uint32_t number_at(const struct golden_machine *g, const char *block, uint64_t i) {
    uint32_t v;
    memcpy(&v, block + i * vrf_bytes(g), sizeof v);
    return v;
}

static bool take_vrf(struct golden_machine *g, const char *at) {
    uint32_t v;
    memcpy(&v, at, sizeof v);
    struct golden_vrf *x = golden_vrf(g, v);
    if (!x)
        return false;
    memcpy(x->bits, at + sizeof v, bits_bytes(g));
    memcpy(x->regs, at + sizeof v + bits_bytes(g), reg_words(g) * sizeof(uint64_t));
    return true;
}

static bool take(struct golden_machine *g, struct str *state) {
    uint64_t used;
    size_t begin;
    const char *block = find_block(g, state, &used, &begin);
    if (!block)
        return false;
    for (uint64_t i = 0; i < used; i++)
        if (number_at(g, block, i) >= g->vrfs)
            return false;
    forget_all(g);
    for (uint64_t i = 0; i < used; i++)
        if (!take_vrf(g, block + i * vrf_bytes(g)))
            return false;
    state->len = begin;
    state->text[begin] = '\0';
    return true;
}

bool golden_snapshot(struct datapath *dp, bool restore, struct str *state) {
    if (restore)
        return take(golden_of(dp), state);
    save(golden_of(dp), state);
    return true;
}
