/* SPDX-License-Identifier: MIT
 * Everything that reads or writes planes other than by micro-ops. */
#include "machines/plane/run/words_out.h"
#include "support/bits.h"

#include <assert.h>
#include <string.h>

struct plane_group plane_group_of(const struct plane_machine *machine, enum dp_what what,
                                  unsigned reg) {
    switch (what) {
    case DP_REGISTER:
        return (struct plane_group){machine->reg_slot[reg & 63], machine->reg_bits[reg & 63]};
    case DP_C:
        return (struct plane_group){machine->c_slot, 1};
    case DP_M:
        return (struct plane_group){machine->m_slot, 1};
    case DP_VALID:
        break;
    }
    return (struct plane_group){machine->valid_slot, 1};
}

/* Word index of a VRF when its first `lanes` lanes are 1. */
static uint64_t lanes_word(uint32_t lanes, uint32_t index) {
    uint64_t before = (uint64_t)index * 64;
    if (lanes <= before)
        return 0;
    return lanes - before >= 64 ? UINT64_MAX : low_bits((unsigned)(lanes - before));
}

static void bind_one(struct plane_machine *machine, const struct dp_binding *binding) {
    uint64_t word = (uint64_t)binding->vrf * machine->words_per_vrf;
    uint32_t lanes = binding->valid_lanes < machine->target->lanes ? binding->valid_lanes
                                                                   : machine->target->lanes;
    assert(binding->vrf < machine->vrfs);
    for (uint32_t k = 0; k < machine->words_per_vrf; k++) {
        struct plane_piece p = plane_piece(machine, word + k, 1);
        if (p.at)
            *plane_words(p, machine->m_slot) = *plane_words(p, machine->valid_slot) =
                lanes_word(lanes, k);
    }
}

void plane_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct plane_machine *m = plane_of(dp);
    for (size_t i = 0; i < count && !m->setup.costs_only; i++)
        bind_one(m, &bindings[i]);
    plane_write_bound(m, bindings, count);
}

static uint8_t any_one(struct plane_machine *machine, enum dp_any what, uint32_t vrf) {
    uint64_t word = (uint64_t)vrf * machine->words_per_vrf, some = 0;
    for (uint32_t k = 0; k < machine->words_per_vrf; k++) {
        struct plane_piece p = plane_piece(machine, word + k, 1);
        if (!p.at)
            continue;
        uint64_t c = what == DP_ANY_M ? 0 : *plane_words(p, machine->c_slot);
        some |= *plane_words(p, machine->m_slot) & ~c;
    }
    return some != 0;
}

void plane_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
               struct dp_cost *cost) {
    struct plane_machine *m = plane_of(dp);
    if (cost && m->selected) /* else the front end looks at the mask bits */
        plane_answer_charge(m, set, cost);
    for (size_t i = 0; i < set.count; i++)
        for (uint32_t k = 0; k < set.ranges[i].count; k++)
            *bits++ = any_one(m, what, set.ranges[i].first + k);
}

static uint64_t lanes_of(struct plane_machine *machine, struct vrf_range range) {
    uint64_t word = (uint64_t)range.first * machine->words_per_vrf, lanes = 0;
    uint64_t end = word + (uint64_t)range.count * machine->words_per_vrf;
    while (word < end) {
        struct plane_piece p = plane_piece(machine, word, end - word);
        for (size_t i = 0; p.at && i < p.words; i++)
            lanes += (uint64_t)__builtin_popcountll(plane_words(p, machine->m_slot)[i]);
        word += p.words;
    }
    return lanes;
}

/* A machine of costs alone has no bits: all lanes. */
uint64_t plane_lanes(struct datapath *dp, struct vrf_set set) {
    struct plane_machine *m = plane_of(dp);
    uint64_t lanes = 0;
    if (m->setup.costs_only)
        return sat_mul(vrf_set_size(set), m->target->lanes);
    for (size_t i = 0; i < set.count; i++)
        lanes += lanes_of(m, set.ranges[i]);
    return lanes;
}

/* Lanes that one step of get or put handles: whole words of one tile, or a part of one word. */
struct lane_run {
    struct plane_piece at;
    uint32_t skip;  /* lanes of the first word before the run */
    uint32_t lanes; /* in the run */
};

static struct lane_run next_run(struct plane_machine *machine, uint32_t vrf, uint32_t first,
                                uint32_t count) {
    uint64_t word = (uint64_t)vrf * machine->words_per_vrf + first / 64;
    struct lane_run r = {.skip = first % 64};
    if (r.skip == 0 && count >= 64) {
        r.at = plane_piece(machine, word, count / 64);
        r.lanes = (uint32_t)r.at.words * 64;
    } else {
        r.at = plane_piece(machine, word, 1);
        r.lanes = count < 64 - r.skip ? count : 64 - r.skip;
    }
    return r;
}

static void get_run(const struct lane_run *run, struct plane_group group, uint64_t *values) {
    uint64_t block[64];
    if (!run->at.at || group.bits == 0)
        memset(values, 0, run->lanes * sizeof *values);
    else if (run->lanes >= 64)
        planes_to_elements(plane_words(run->at, group.first), PLANE_TILE_WORDS, run->at.words,
                           values, group.bits);
    else {
        planes_to_elements(plane_words(run->at, group.first), PLANE_TILE_WORDS, 1, block,
                           group.bits);
        memcpy(values, block + run->skip, run->lanes * sizeof *values);
    }
}

void plane_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
               uint32_t count, uint64_t *values) {
    struct plane_machine *m = plane_of(dp);
    struct plane_group g = plane_group_of(m, what, reg);
    assert(vrf < m->vrfs && first <= m->target->lanes && count <= m->target->lanes - first);
    while (count > 0) {
        struct lane_run r = next_run(m, vrf, first, count);
        get_run(&r, g, values);
        values += r.lanes;
        first += r.lanes;
        count -= r.lanes;
    }
}

static void put_run(const struct lane_run *run, struct plane_group group, const uint64_t *values) {
    uint64_t block[64];
    if (!run->at.at || group.bits == 0)
        return;
    uint64_t *planes = plane_words(run->at, group.first);
    if (run->lanes >= 64) {
        elements_to_planes(values, run->at.words, planes, PLANE_TILE_WORDS, group.bits);
        return;
    }
    planes_to_elements(planes, PLANE_TILE_WORDS, 1, block, group.bits);
    memcpy(block + run->skip, values, run->lanes * sizeof *values);
    elements_to_planes(block, 1, planes, PLANE_TILE_WORDS, group.bits);
}

void plane_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
               uint32_t first, uint32_t count, const uint64_t *values) {
    struct plane_machine *m = plane_of(dp);
    struct plane_group g = plane_group_of(m, what, reg);
    assert(vrf < m->vrfs && first <= m->target->lanes && count <= m->target->lanes - first);
    if (width < g.bits)
        g.bits = width;
    while (count > 0) {
        struct lane_run r = next_run(m, vrf, first, count);
        put_run(&r, g, values);
        values += r.lanes;
        first += r.lanes;
        count -= r.lanes;
    }
}
