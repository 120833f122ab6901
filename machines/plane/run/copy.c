/* SPDX-License-Identifier: MIT
 * What the data-transfer controller writes: registers to registers, through a lane map or straight,
 * constants, and numbers that count up. */
#include "machines/dtc/transfer.h"
#include "machines/plane/run/plane.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct copier {
    struct plane_machine *m;
    /* Of register r and VRF v shadows[r][v] is what it was before anything was written:
     * words_per_vrf words of each plane.  NULL: what it is. */
    uint64_t **shadows[64];
    bool some; /* there are such */
};

/* Where the bits of some neighbouring lanes come from: plane j at words[j * stride]. */
struct bit_source {
    const uint64_t *words; /* NULL: value */
    size_t stride;
    uint32_t planes; /* beyond them are zeros */
    unsigned shift;  /* to the first lane */
    bool spread;     /* that lane for all */
    uint64_t value;
};

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t i) {
    return (uint32_t)((int64_t)first + (int64_t)i * step);
}

/* Bits of plane j, the first lane's lowest. */
static uint64_t bits_of(const struct bit_source *s, uint32_t j) {
    if (!s->words)
        return s->value >> j & 1 ? UINT64_MAX : 0;
    if (j >= s->planes)
        return 0;
    uint64_t bits = s->words[j * s->stride] >> s->shift;
    return !s->spread ? bits : bits & 1 ? UINT64_MAX : 0;
}

static const uint64_t *find_shadow(const struct copier *k, uint32_t vrf, unsigned reg) {
    return k->shadows[reg & 63] ? k->shadows[reg & 63][vrf] : NULL;
}

/* The word that holds lane `lane` of the source; false without state. */
static bool open_source(const struct copier *k, const struct dp_copy *c, uint32_t lane,
                        struct bit_source *s) {
    struct plane_machine *m = k->m;
    struct plane_group g = plane_group_of(m, DP_REGISTER, c->src_reg);
    *s = (struct bit_source){.planes = g.bits, .spread = c->src_step == 0, .value = c->value};
    if (c->source != DP_FROM_REGISTER)
        return true;
    s->shift = lane % 64;
    const uint64_t *shadow = find_shadow(k, c->src_vrf, c->src_reg);
    if (shadow) {
        s->words = shadow + lane / 64;
        s->stride = m->words_per_vrf;
        return true;
    }
    struct plane_piece p = plane_piece(m, (uint64_t)c->src_vrf * m->words_per_vrf + lane / 64, 1);
    if (!p.at)
        return false;
    s->words = plane_words(p, g.first);
    s->stride = PLANE_TILE_WORDS;
    return true;
}

/* Writes the lanes that `mask` has of one word; bits begin at lane `shift` of it. */
static void write_word(const struct plane_machine *m, const struct dp_copy *c,
                       struct plane_piece to, const struct bit_source *s, unsigned shift,
                       uint64_t mask) {
    struct plane_group g = plane_group_of(m, DP_REGISTER, c->dst_reg);
    for (uint32_t j = 0; j < g.bits && j < c->width; j++) {
        uint64_t *word = plane_words(to, g.first + j);
        *word = (*word & ~mask) | (bits_of(s, j) << shift & mask);
    }
}

/* Steps from i on that stay in one word on both sides. */
static uint32_t steps_in_word(const struct dp_copy *c, uint32_t i) {
    uint32_t n = c->count - i, room = 64 - lane_at(c->dst_first, c->dst_step, i) % 64;
    if (c->dst_step != 1 || (c->src_step != 1 && c->src_step != 0))
        return 1;
    n = n < room ? n : room;
    if (c->src_step == 0)
        return n;
    room = 64 - lane_at(c->src_first, c->src_step, i) % 64;
    return n < room ? n : room;
}

static void copy_lanes(const struct copier *k, const struct dp_copy *c) {
    struct plane_machine *m = k->m;
    struct bit_source s;
    for (uint32_t i = 0, n; i < c->count; i += n) {
        uint32_t lane = lane_at(c->dst_first, c->dst_step, i);
        struct plane_piece to =
            plane_piece(m, (uint64_t)c->dst_vrf * m->words_per_vrf + lane / 64, 1);
        n = steps_in_word(c, i);
        if (to.at && open_source(k, c, lane_at(c->src_first, c->src_step, i), &s))
            write_word(m, c, to, &s, lane % 64, low_bits(n) << lane % 64);
    }
}

/* Planes of the numbers first, first + 1, ... of 64 lanes, modulo 2^64.  The low six bits go round
 * once; behind those lanes that carry, the others are one higher. */
static void number_planes(uint64_t first, unsigned bits, uint64_t planes[64]) {
    static const uint64_t low[6] = {0xaaaaaaaaaaaaaaaau, 0xccccccccccccccccu, 0xf0f0f0f0f0f0f0f0u,
                                    0xff00ff00ff00ff00u, 0xffff0000ffff0000u, 0xffffffff00000000u};
    unsigned turn = first % 64;
    uint64_t high = first / 64, same = UINT64_MAX >> turn;
    for (unsigned j = 0; j < bits && j < 6; j++)
        planes[j] = turn ? low[j] >> turn | low[j] << (64 - turn) : low[j];
    for (unsigned j = 6; j < bits; j++)
        planes[j] = (high >> (j - 6) & 1 ? same : 0) | ((high + 1) >> (j - 6) & 1 ? ~same : 0);
}

/* Numbers that count up from lane to lane, where M is 1; lanes are neighbours. */
static void count_lanes(const struct copier *k, const struct dp_copy *c) {
    struct plane_machine *m = k->m;
    uint64_t planes[64];
    unsigned bits = c->width < 64 ? c->width : 64;
    for (uint32_t i = 0, n; i < c->count; i += n) {
        uint32_t lane = c->dst_first + i, shift = lane % 64;
        struct plane_piece to =
            plane_piece(m, (uint64_t)c->dst_vrf * m->words_per_vrf + lane / 64, 1);
        n = 64 - shift < c->count - i ? 64 - shift : c->count - i;
        if (!to.at)
            continue;
        number_planes(c->value + i, bits, planes);
        const struct bit_source s = {.words = planes, .stride = 1, .planes = bits};
        write_word(m, c, to, &s, shift, low_bits(n) << shift & *plane_words(to, m->m_slot));
    }
}

/* ---- sources that are written too ---- */

/* Bit r: some copy reads, or writes, a register r. */
static uint64_t registers_of(const struct dp_copy *copies, size_t count, bool written) {
    uint64_t set = 0;
    for (size_t i = 0; i < count; i++)
        if (written || copies[i].source == DP_FROM_REGISTER)
            set |= UINT64_C(1) << ((written ? copies[i].dst_reg : copies[i].src_reg) & 63);
    return set;
}

static uint64_t *save_register(struct plane_machine *m, uint32_t vrf, unsigned reg) {
    struct plane_group g = plane_group_of(m, DP_REGISTER, reg);
    uint64_t first = (uint64_t)vrf * m->words_per_vrf;
    uint64_t *words = xcalloc((size_t)g.bits * m->words_per_vrf + 1, sizeof *words);
    for (uint32_t k = 0; k < m->words_per_vrf; k++) {
        struct plane_piece p = plane_piece(m, first + k, 1);
        for (uint32_t j = 0; p.at && j < g.bits; j++)
            words[(size_t)j * m->words_per_vrf + k] = *plane_words(p, g.first + j);
    }
    return words;
}

/* Keeps every source register whose number is in `both`, as long as nothing is written. */
static void save_sources(struct copier *k, const struct dp_copy *copies, size_t count,
                         uint64_t both) {
    for (size_t i = 0; i < count; i++) {
        unsigned reg = copies[i].src_reg & 63;
        if (copies[i].source != DP_FROM_REGISTER || !(both >> reg & 1))
            continue;
        if (!k->shadows[reg])
            k->shadows[reg] = xcalloc(k->m->vrfs, sizeof *k->shadows[reg]);
        if (!k->shadows[reg][copies[i].src_vrf])
            k->shadows[reg][copies[i].src_vrf] = save_register(k->m, copies[i].src_vrf, reg);
        k->some = true;
    }
}

static void forget_sources(struct copier *k) {
    for (unsigned r = 0; k->some && r < 64; r++) {
        for (uint64_t v = 0; k->shadows[r] && v < k->m->vrfs; v++)
            free(k->shadows[r][v]);
        free(k->shadows[r]);
    }
}

/* ---- whole registers ---- */

/* One word of every copied plane; planes that the source does not have are 0. */
static void copy_word(const struct plane_machine *m, const struct dp_copy *c,
                      struct plane_piece from, struct plane_piece to) {
    struct plane_group src = plane_group_of(m, DP_REGISTER, c->src_reg);
    struct plane_group dst = plane_group_of(m, DP_REGISTER, c->dst_reg);
    for (uint32_t j = 0; j < dst.bits && j < c->width; j++)
        *plane_words(to, dst.first + j) = j < src.bits ? *plane_words(from, src.first + j) : 0;
}

static void copy_register(struct plane_machine *m, const struct dp_copy *c) {
    uint64_t src = (uint64_t)c->src_vrf * m->words_per_vrf;
    uint64_t dst = (uint64_t)c->dst_vrf * m->words_per_vrf;
    for (uint32_t k = 0; k < m->words_per_vrf; k++) {
        struct plane_piece from = plane_piece(m, src + k, 1), to = plane_piece(m, dst + k, 1);
        if (from.at && to.at)
            copy_word(m, c, from, to);
    }
}

static void copy_one(const struct copier *k, const struct dp_copy *c) {
    struct plane_machine *m = k->m;
    struct dp_copy all = *c;
    assert(c->dst_vrf < m->vrfs && (c->source != DP_FROM_REGISTER || c->src_vrf < m->vrfs));
    if (c->count == 0 && c->source == DP_FROM_REGISTER && !k->some) {
        copy_register(m, c);
        return;
    }
    if (c->count == 0) {
        all.count = m->target->lanes;
        all.src_step = c->source == DP_FROM_REGISTER;
        all.dst_step = 1;
    }
    if (c->source == DP_FROM_COUNT)
        count_lanes(k, &all);
    else
        copy_lanes(k, &all);
}

/* Copies whose sources are read before any of them is written. */
static void copy_together(struct plane_machine *m, const struct dp_copy *copies, size_t count) {
    struct copier k = {.m = m};
    uint64_t both = registers_of(copies, count, true) & registers_of(copies, count, false);
    if (both && (count > 1 || copies[0].count))
        save_sources(&k, copies, count, both);
    for (size_t i = 0; i < count; i++)
        copy_one(&k, &copies[i]);
    forget_sources(&k);
}

/* The same, part after part. */
static void copy_parts(struct plane_machine *m, const struct dp_transfer *x) {
    struct copier k = {.m = m};
    const struct dp_copy *copies;
    size_t count;
    if (x->reads & x->writes)
        while (x->next(x->context, &copies, &count))
            save_sources(&k, copies, count, x->reads & x->writes);
    while (x->next(x->context, &copies, &count))
        for (size_t i = 0; i < count; i++)
            copy_one(&k, &copies[i]);
    forget_sources(&k);
}

void plane_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct plane_machine *m = plane_of(dp);
    const struct dp_copy *copies = x->copies;
    bool bits = !m->setup.costs_only;
    if (bits && x->next)
        copy_parts(m, x);
    else if (bits && !x->pair_count)
        copy_together(m, copies, x->count);
    for (size_t i = 0; bits && i < x->pair_count; copies += x->pair_copies[i++])
        copy_together(m, copies, x->pair_copies[i]);
    dtc_charge(&m->dtc, m->target, x, cost);
}
