/* SPDX-License-Identifier: MIT
 * What copies write, whoever carries them out: registers to registers, through a lane map or
 * straight, constants, and numbers that count up. */
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

static uint32_t lane_at(uint32_t first, int32_t step, uint32_t index) {
    return (uint32_t)((int64_t)first + (int64_t)index * step);
}

/* Bits of plane j, the first lane's lowest. */
static uint64_t bits_of(const struct bit_source *source, uint32_t j) {
    if (!source->words)
        return source->value >> j & 1 ? UINT64_MAX : 0;
    if (j >= source->planes)
        return 0;
    uint64_t bits = source->words[j * source->stride] >> source->shift;
    return !source->spread ? bits : bits & 1 ? UINT64_MAX : 0;
}

static const uint64_t *find_shadow(const struct copier *copier, uint32_t vrf, unsigned reg) {
    return copier->shadows[reg & 63] ? copier->shadows[reg & 63][vrf] : NULL;
}

/* The word that holds lane `lane` of the source; false without state. */
static bool open_source(const struct copier *copier, const struct dp_copy *copy, uint32_t lane,
                        struct bit_source *source) {
    struct plane_machine *m = copier->m;
    struct plane_group g = plane_group_of(m, DP_REGISTER, copy->src_reg);
    *source =
        (struct bit_source){.planes = g.bits, .spread = copy->src_step == 0, .value = copy->value};
    if (copy->source != DP_FROM_REGISTER)
        return true;
    source->shift = lane % 64;
    const uint64_t *shadow = find_shadow(copier, copy->src_vrf, copy->src_reg);
    if (shadow) {
        source->words = shadow + lane / 64;
        source->stride = m->words_per_vrf;
        return true;
    }
    struct plane_piece p =
        plane_piece(m, (uint64_t)copy->src_vrf * m->words_per_vrf + lane / 64, 1);
    if (!p.at)
        return false;
    source->words = plane_words(p, g.first);
    source->stride = PLANE_TILE_WORDS;
    return true;
}

/* Writes the lanes that `mask` has of one word; bits begin at lane `shift` of it. */
static void write_word(const struct plane_machine *machine, const struct dp_copy *copy,
                       struct plane_piece to, const struct bit_source *source, unsigned shift,
                       uint64_t mask) {
    struct plane_group g = plane_group_of(machine, DP_REGISTER, copy->dst_reg);
    for (uint32_t j = 0; j < g.bits && j < copy->width; j++) {
        uint64_t *word = plane_words(to, g.first + j);
        *word = (*word & ~mask) | (bits_of(source, j) << shift & mask);
    }
}

/* Lanes of a word from `lane` on that are so far apart, none if there is no end of them. */
static uint32_t lanes_in_word(uint32_t lane, int32_t step) {
    return step <= 0 ? step ? 1 : UINT32_MAX
                     : (64 - lane % 64 + (uint32_t)step - 1) / (uint32_t)step;
}

/* Steps from index on that stay in one word on both sides. */
static uint32_t steps_in_word(const struct dp_copy *copy, uint32_t index) {
    uint32_t n = copy->count - index,
             to = lanes_in_word(lane_at(copy->dst_first, copy->dst_step, index), copy->dst_step),
             from = lanes_in_word(lane_at(copy->src_first, copy->src_step, index), copy->src_step);
    n = n < to ? n : to;
    return n < from ? n : from;
}

/* Some lanes of a word. */
static uint64_t lane_mask(uint32_t lane, int32_t step, uint32_t count) {
    uint64_t mask = 0;
    for (uint32_t k = 0; k < count; k++)
        mask |= UINT64_C(1) << (lane + k * (uint32_t)step) % 64;
    return mask;
}

/* Lanes that are apart on either side: those of `from` in one word become those of `to` in another.
 */
struct lane_steps {
    uint64_t from, to;
    uint32_t first_from, first_to, count;
    uint32_t from_step, to_step;
};

/* Without instructions for it. */
static void put_lanes_slowly(const struct plane_machine *machine, const struct dp_copy *copy,
                             struct plane_piece to, const struct bit_source *source,
                             const struct lane_steps *steps) {
    struct plane_group g = plane_group_of(machine, DP_REGISTER, copy->dst_reg);
    for (uint32_t j = 0; j < g.bits && j < copy->width; j++) {
        uint64_t *word = plane_words(to, g.first + j), bits = 0;
        const uint64_t have = j < source->planes ? source->words[j * source->stride] : 0;
        for (uint32_t k = 0; k < steps->count; k++)
            bits |= (have >> (steps->first_from + k * steps->from_step) & 1)
                    << (steps->first_to + k * steps->to_step);
        *word = (*word & ~steps->to) | bits;
    }
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) static void put_lanes_at_once(const struct plane_machine *machine,
                                                              const struct dp_copy *copy,
                                                              struct plane_piece to,
                                                              const struct bit_source *source,
                                                              const struct lane_steps *steps) {
    const struct plane_group g = plane_group_of(machine, DP_REGISTER, copy->dst_reg);
    const uint32_t planes = g.bits < copy->width ? g.bits : copy->width;
    const uint64_t from = steps->from, into = steps->to, *have = source->words;
    const size_t stride = source->stride;
    uint64_t *word = plane_words(to, g.first);
    uint32_t j = 0;
    for (; j < planes && j < source->planes; j++, word += PLANE_TILE_WORDS, have += stride)
        *word = (*word & ~into) | __builtin_ia32_pdep_di(__builtin_ia32_pext_di(*have, from), into);
    for (; j < planes; j++, word += PLANE_TILE_WORDS)
        *word &= ~into;
}
static bool has_lane_instructions(void) {
    return __builtin_cpu_supports("bmi2");
}
#else
static void put_lanes_at_once(const struct plane_machine *machine, const struct dp_copy *copy,
                              struct plane_piece to, const struct bit_source *source,
                              const struct lane_steps *steps) {
    put_lanes_slowly(machine, copy, to, source, steps);
}
static bool has_lane_instructions(void) {
    return false;
}
#endif

/* Steps upwards on both sides, from a register, of which at least one is not to the next lane. */
static void put_lanes(const struct plane_machine *machine, const struct dp_copy *copy,
                      struct plane_piece to, const struct bit_source *source, uint32_t lane,
                      uint32_t from, uint32_t count) {
    const struct lane_steps steps = {.from = lane_mask(from, copy->src_step, count),
                                     .to = lane_mask(lane, copy->dst_step, count),
                                     .first_from = from % 64,
                                     .first_to = lane % 64,
                                     .count = count,
                                     .from_step = (uint32_t)copy->src_step,
                                     .to_step = (uint32_t)copy->dst_step};
    if (has_lane_instructions())
        put_lanes_at_once(machine, copy, to, source, &steps);
    else
        put_lanes_slowly(machine, copy, to, source, &steps);
}

static void copy_lanes(const struct copier *copier, const struct dp_copy *copy) {
    struct plane_machine *m = copier->m;
    struct bit_source s;
    for (uint32_t i = 0, n; i < copy->count; i += n) {
        uint32_t lane = lane_at(copy->dst_first, copy->dst_step, i);
        struct plane_piece to =
            plane_piece(m, (uint64_t)copy->dst_vrf * m->words_per_vrf + lane / 64, 1);
        uint32_t from = lane_at(copy->src_first, copy->src_step, i);
        n = steps_in_word(copy, i);
        if (!to.at || !open_source(copier, copy, from, &s))
            continue;
        if (s.words && !s.spread && n > 1 && (copy->dst_step > 1 || copy->src_step > 1))
            put_lanes(m, copy, to, &s, lane, from, n);
        else
            write_word(m, copy, to, &s, lane % 64, lane_mask(lane, copy->dst_step, n));
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

/* The same of what a copy counts, for its lanes from `first` on. */
static void counted_planes(const struct dp_copy *copy, uint32_t first, unsigned bits,
                           uint64_t planes[64]) {
    if (copy->every <= 1 && !copy->below) {
        number_planes(copy->value + first, bits, planes);
        return;
    }
    for (uint32_t lane = 0; lane < 64; lane++)
        planes[lane] = dp_copy_number(copy, first + lane);
    bits_transpose64(planes);
}

/* Numbers that count up from lane to lane, where M is 1; lanes are neighbours. */
static void count_lanes(const struct copier *copier, const struct dp_copy *copy) {
    struct plane_machine *m = copier->m;
    uint64_t planes[64];
    unsigned bits = copy->width < 64 ? copy->width : 64;
    for (uint32_t i = 0, n; i < copy->count; i += n) {
        uint32_t lane = copy->dst_first + i, shift = lane % 64;
        struct plane_piece to =
            plane_piece(m, (uint64_t)copy->dst_vrf * m->words_per_vrf + lane / 64, 1);
        n = 64 - shift < copy->count - i ? 64 - shift : copy->count - i;
        if (!to.at)
            continue;
        counted_planes(copy, i, bits, planes);
        const struct bit_source s = {.words = planes, .stride = 1, .planes = bits};
        write_word(m, copy, to, &s, shift, low_bits(n) << shift & *plane_words(to, m->m_slot));
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

static uint64_t *save_register(struct plane_machine *machine, uint32_t vrf, unsigned reg) {
    struct plane_group g = plane_group_of(machine, DP_REGISTER, reg);
    uint64_t first = (uint64_t)vrf * machine->words_per_vrf;
    uint64_t *words = xcalloc((size_t)g.bits * machine->words_per_vrf + 1, sizeof *words);
    for (uint32_t k = 0; k < machine->words_per_vrf; k++) {
        struct plane_piece p = plane_piece(machine, first + k, 1);
        for (uint32_t j = 0; p.at && j < g.bits; j++)
            words[(size_t)j * machine->words_per_vrf + k] = *plane_words(p, g.first + j);
    }
    return words;
}

/* Keeps every source register whose number is in `both`, as long as nothing is written. */
static void save_sources(struct copier *copier, const struct dp_copy *copies, size_t count,
                         uint64_t both) {
    for (size_t i = 0; i < count; i++) {
        unsigned reg = copies[i].src_reg & 63;
        if (copies[i].source != DP_FROM_REGISTER || !(both >> reg & 1))
            continue;
        if (!copier->shadows[reg])
            copier->shadows[reg] = xcalloc(copier->m->vrfs, sizeof *copier->shadows[reg]);
        if (!copier->shadows[reg][copies[i].src_vrf])
            copier->shadows[reg][copies[i].src_vrf] =
                save_register(copier->m, copies[i].src_vrf, reg);
        copier->some = true;
    }
}

static void forget_sources(struct copier *copier) {
    for (unsigned r = 0; copier->some && r < 64; r++) {
        for (uint64_t v = 0; copier->shadows[r] && v < copier->m->vrfs; v++)
            free(copier->shadows[r][v]);
        free(copier->shadows[r]);
    }
}

/* ---- whole registers ---- */

/* One word of every copied plane; planes that the source does not have are 0. */
static void copy_word(const struct plane_machine *machine, const struct dp_copy *copy,
                      struct plane_piece from, struct plane_piece to) {
    struct plane_group src = plane_group_of(machine, DP_REGISTER, copy->src_reg);
    struct plane_group dst = plane_group_of(machine, DP_REGISTER, copy->dst_reg);
    for (uint32_t j = 0; j < dst.bits && j < copy->width; j++)
        *plane_words(to, dst.first + j) = j < src.bits ? *plane_words(from, src.first + j) : 0;
}

static void copy_register(struct plane_machine *machine, const struct dp_copy *copy) {
    uint64_t src = (uint64_t)copy->src_vrf * machine->words_per_vrf;
    uint64_t dst = (uint64_t)copy->dst_vrf * machine->words_per_vrf;
    for (uint32_t k = 0; k < machine->words_per_vrf; k++) {
        struct plane_piece from = plane_piece(machine, src + k, 1),
                           to = plane_piece(machine, dst + k, 1);
        if (from.at && to.at)
            copy_word(machine, copy, from, to);
    }
}

static void copy_one(const struct copier *copier, const struct dp_copy *copy) {
    struct plane_machine *m = copier->m;
    struct dp_copy all = *copy;
    assert(copy->dst_vrf < m->vrfs &&
           (copy->source != DP_FROM_REGISTER || copy->src_vrf < m->vrfs));
    if (copy->count == 0 && copy->source == DP_FROM_REGISTER && !copier->some) {
        copy_register(m, copy);
        return;
    }
    if (copy->count == 0) {
        all.count = m->target->lanes;
        all.src_step = copy->source == DP_FROM_REGISTER;
        all.dst_step = 1;
    }
    if (copy->source == DP_FROM_COUNT)
        count_lanes(copier, &all);
    else
        copy_lanes(copier, &all);
}

/* Copies whose sources are read before any of them is written. */
static void copy_together(struct plane_machine *machine, const struct dp_copy *copies,
                          size_t count) {
    struct copier k = {.m = machine};
    uint64_t both = registers_of(copies, count, true) & registers_of(copies, count, false);
    if (both && (count > 1 || copies[0].count))
        save_sources(&k, copies, count, both);
    for (size_t i = 0; i < count; i++)
        copy_one(&k, &copies[i]);
    forget_sources(&k);
}

/* The same, part after part. */
static void copy_parts(struct plane_machine *machine, const struct dp_transfer *transfer) {
    struct copier k = {.m = machine};
    const struct dp_copy *copies;
    size_t count;
    if (transfer->reads & transfer->writes)
        while (transfer->next(transfer->context, &copies, &count))
            save_sources(&k, copies, count, transfer->reads & transfer->writes);
    while (transfer->next(transfer->context, &copies, &count))
        for (size_t i = 0; i < count; i++)
            copy_one(&k, &copies[i]);
    forget_sources(&k);
}

void plane_copy(struct datapath *dp, const struct dp_transfer *transfer, struct dp_cost *cost) {
    struct plane_machine *m = plane_of(dp);
    const struct dp_copy *copies = transfer->copies;
    bool bits = !m->setup.costs_only;
    if (bits && transfer->next)
        copy_parts(m, transfer);
    else if (bits && !transfer->pair_count)
        copy_together(m, copies, transfer->count);
    for (size_t i = 0; bits && i < transfer->pair_count; copies += transfer->pair_copies[i++])
        copy_together(m, copies, transfer->pair_copies[i]);
    if (m->selected)
        plane_moves_charge(m, transfer, cost);
    else
        dtc_charge(&m->dtc, m->target, transfer, cost);
}
