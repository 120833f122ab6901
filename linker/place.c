/* SPDX-License-Identifier: MIT
 * Placement of groups (docs/linking.md, "Groups").
 *
 * VRF n of a group, counted in its MPU, is RFH n mod RFHs in the n div RFHs-th free VRF row; when
 * an MPU has no free row left the group goes on in the next.  A row in which a fixed VRF or
 * another group lies is not free, so every group starts at a fresh row.  Groups that are `like`
 * one another share the VRFs of the first, which has as many as the largest of them needs.  A group
 * per MPU is placed so in each MPU of the image, and stays in it.
 *
 * That is the place `packed`.  `spread` takes few rows of each MPU instead, in the same order, so
 * that elements that are neighbours stay together.
 *
 * What has no room at once is cut into rounds: of each group so many rows at a time that all fit,
 * in as few rounds as that takes.  What is placed then is the first round. */
#include "linker/pack.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>

struct vrf_slot {
    uint32_t mpu, rfh, vrf;
};

/* A group that others may be like, and its VRFs. */
struct leader {
    uint64_t elements; /* of the largest group of its kin; per MPU: in each */
    uint32_t most;     /* elements that a VRF can hold */
    uint32_t lanes;    /* elements per VRF */
    uint32_t copies;   /* 1, or the MPUs of the image */
    uint64_t slice;    /* elements of each copy that a round has; all of them in a single round */
    uint64_t vrfs;     /* of a slice of each copy */
    struct vrf_slot *slots; /* [copies * vrfs] */
};

struct placer {
    struct pack *k;
    uint32_t *leader_of;    /* [groups] */
    struct leader *leaders; /* [groups]; used where leader_of[g] == g */
    uint32_t *order;        /* [order_count]: leaders as they are placed */
    size_t order_count;
    bool spread;         /* over MPUs */
    uint32_t first_free; /* MPUs before it have no free row */
};

static const struct group *group_at(const struct placer *p, uint32_t g) {
    return &p->k->program->groups.data[g];
}

static struct span group_span(const struct placer *p, uint32_t g) {
    return object_span(p->k->program, group_at(p, g)->place, p->k->d);
}

static bool is_fixed(const struct group *g) {
    return g->at_rfh != NO_INDEX;
}

static void set_slice(struct leader *l, uint64_t elements) {
    l->slice = elements;
    l->vrfs = ceil_div(elements, l->lanes);
}

/* Leaders, and what their kin need together.  False if a group is larger than any can be. */
static bool find_leaders(struct placer *p) {
    const struct object *o = p->k->program;
    uint64_t *most = ARENA_ARRAY(&p->k->scratch, o->groups.len, uint64_t);
    bool ok = true;
    link_find_kin(o, p->k->p->sizes, p->leader_of, most);
    for (uint32_t g = 0; g < o->groups.len && !diag_full(p->k->d); g++) {
        struct leader *l = &p->leaders[g];
        l->elements = most[g];
        l->most = l->lanes = p->k->lanes.of_group[g];
        l->copies = group_at(p, g)->per_mpu ? p->k->p->image_count : 1;
        set_slice(l, l->elements);
        if (link_group_elements(o, p->k->p->sizes, g) == 0) {
            diag_error(p->k->d, group_span(p, g), "group '%s' has more than 2^40 elements",
                       o->groups.data[g].name);
            ok = false;
        }
    }
    return ok;
}

static unsigned free_rows(const struct placer *p, uint32_t mpu) {
    uint32_t rows = p->k->t->vrf_per_rfh;
    uint64_t all = rows >= MAX_VRFS ? UINT64_MAX : (UINT64_C(1) << rows) - 1;
    return (unsigned)__builtin_popcountll(all & ~p->k->rows_used[mpu]);
}

static uint64_t free_vrfs(const struct placer *p) {
    uint64_t rows = 0;
    for (uint32_t m = p->k->p->image_first; m < p->k->mpu_limit; m++)
        rows += free_rows(p, m);
    return rows * p->k->t->rfh_per_mpu;
}

#define MOST_NOTES 8

/* Demand against capacity, and who else takes part of it. */
static void too_large(const struct placer *p, uint32_t g, uint64_t vrfs_free) {
    const struct target *t = p->k->t;
    const struct leader *l = &p->leaders[g];
    uint64_t lanes =
        (uint64_t)(p->k->mpu_limit - p->k->p->image_first) * target_vrfs_per_mpu(t) * l->most;
    diag_error(p->k->d, group_span(p, g),
               "group '%s' needs %" PRIu64 " lanes; target '%s' has %" PRIu64 " lanes (%" PRIu32
               " MPUs of %" PRIu32 " VRFs of %" PRIu32 " lanes), of which %" PRIu64 " are free",
               group_at(p, g)->name, l->elements, t->name, lanes,
               p->k->mpu_limit - p->k->p->image_first, target_vrfs_per_mpu(t), l->most,
               vrfs_free * l->most);
    unsigned notes = 0;
    for (uint32_t other = 0; other < g && notes < MOST_NOTES; other++)
        if (p->leader_of[other] == other && !is_fixed(group_at(p, other)) && ++notes)
            diag_note(p->k->d, group_span(p, other), "group '%s' takes %" PRIu64 " VRFs",
                      group_at(p, other)->name, p->leaders[other].vrfs);
    if (p->k->p->fixed_count)
        diag_note(p->k->d, NO_SPAN, "rows with fixed VRFs are not used for groups");
    package_note_rounds(p->k);
}

/* The next free row at or after *row of MPU *mpu; there is one. */
static void next_row(const struct placer *p, uint32_t *mpu, uint32_t *row) {
    while (*row >= p->k->t->vrf_per_rfh || (p->k->rows_used[*mpu] >> *row & 1)) {
        if (++*row >= p->k->t->vrf_per_rfh) {
            *row = 0;
            ++*mpu;
        }
    }
}

/* So many rows, the next free ones at or after *mpu, for VRFs from number *n on. */
static void take_rows(struct placer *p, struct leader *l, uint32_t *mpu, uint64_t rows,
                      uint64_t *n) {
    uint32_t row = 0, rfhs = p->k->t->rfh_per_mpu;
    for (uint64_t end = *n + rows * rfhs; *n < end && *n < l->vrfs; ++*n) {
        if (*n % rfhs == 0) {
            next_row(p, mpu, &row);
            p->k->rows_used[*mpu] |= UINT64_C(1) << row;
        }
        l->slots[*n] = (struct vrf_slot){*mpu, (uint32_t)(*n % rfhs), row};
    }
}

static void place_in_rows(struct placer *p, uint32_t g) {
    struct leader *l = &p->leaders[g];
    uint64_t n = 0;
    take_rows(p, l, &p->first_free, UINT64_MAX / p->k->t->rfh_per_mpu, &n);
}

bool package_names_mpus(const struct object *o) {
    struct insn insn;
    for (uint32_t i = 0; i < o->text.len; i++)
        if (isa_decode(o->text.data[i], &insn) == ISA_OK &&
            (insn.op == OP_SEND || insn.op == OP_RECV))
            return true;
    return false;
}

/* MPUs from the image's first on that groups may lie in.  One without a start of its own cannot
 * join those that start at different places. */
static uint32_t spread_mpus(const struct pack *k) {
    uint32_t all = package_starts_apart(k) ? k->p->image_count : k->mpu_limit - k->p->image_first;
    return k->p->place.mpus && k->p->place.mpus < all ? k->p->place.mpus : all;
}

/* False if it has no room that way. */
static bool place_spread(struct placer *p, uint32_t g) {
    struct leader *l = &p->leaders[g];
    uint32_t mpus = spread_mpus(p->k);
    uint64_t n = 0, rows = ceil_div(l->vrfs, p->k->t->rfh_per_mpu);
    uint8_t *room = ARENA_ARRAY(&p->k->scratch, mpus, uint8_t);
    uint8_t *taken = ARENA_ARRAY(&p->k->scratch, mpus, uint8_t);
    for (uint32_t m = 0; m < mpus; m++)
        room[m] = (uint8_t)free_rows(p, p->k->p->image_first + m);
    if (!package_spread_rows(room, mpus, rows, taken))
        return false;
    for (uint32_t m = 0; m < mpus; m++) {
        uint32_t mpu = p->k->p->image_first + m;
        if (taken[m])
            take_rows(p, l, &mpu, taken[m], &n);
    }
    return true;
}

static void too_large_for_mpu(const struct placer *p, uint32_t g, uint32_t mpu) {
    const struct target *t = p->k->t;
    const struct leader *l = &p->leaders[g];
    uint64_t lanes = (uint64_t)target_vrfs_per_mpu(t) * l->most;
    diag_error(p->k->d, group_span(p, g),
               "group '%s' needs %" PRIu64 " lanes in each MPU; an MPU of target '%s' has %" PRIu64
               " lanes (%" PRIu32 " VRFs of %" PRIu32 " lanes), of which %" PRIu64
               " are free in MPU%" PRIu32,
               group_at(p, g)->name, l->elements, t->name, lanes, target_vrfs_per_mpu(t), l->most,
               (uint64_t)free_rows(p, mpu) * t->rfh_per_mpu * l->most, mpu);
    diag_note(p->k->d, NO_SPAN, "a group per MPU does not go on in the next MPU");
    package_note_rounds(p->k);
}

/* In MPU `mpu`; there is room. */
static void place_in_mpu(struct placer *p, const struct leader *l, uint32_t mpu,
                         struct vrf_slot *slots) {
    uint32_t at = mpu, row = 0, rfhs = p->k->t->rfh_per_mpu;
    for (uint64_t n = 0; n < l->vrfs; n++) {
        if (n % rfhs == 0) {
            next_row(p, &at, &row);
            p->k->rows_used[mpu] |= UINT64_C(1) << row;
        }
        slots[n] = (struct vrf_slot){mpu, (uint32_t)(n % rfhs), row};
    }
}

static bool place_per_mpu(struct placer *p, uint32_t g) {
    struct leader *l = &p->leaders[g];
    uint32_t first = p->k->p->image_first;
    for (uint32_t m = 0; m < l->copies; m++)
        if (l->vrfs > (uint64_t)free_rows(p, first + m) * p->k->t->rfh_per_mpu) {
            too_large_for_mpu(p, g, first + m);
            return false;
        }
    l->slots = ARENA_ARRAY(&p->k->scratch, l->vrfs * l->copies, struct vrf_slot);
    for (uint32_t m = 0; m < l->copies; m++)
        place_in_mpu(p, l, first + m, &l->slots[m * l->vrfs]);
    return true;
}

static bool place_free_group(struct placer *p, uint32_t g) {
    struct leader *l = &p->leaders[g];
    if (group_at(p, g)->per_mpu)
        return place_per_mpu(p, g);
    uint64_t vrfs_free = free_vrfs(p);
    if (l->vrfs > vrfs_free) {
        too_large(p, g, vrfs_free);
        return false;
    }
    l->slots = ARENA_ARRAY(&p->k->scratch, l->vrfs, struct vrf_slot);
    if (!p->spread || !place_spread(p, g))
        place_in_rows(p, g);
    return true;
}

/* Every VRF of a fixed group is in the fixed map, unless it lies outside the geometry. */
static bool place_fixed_group(struct placer *p, uint32_t g) {
    const struct object *o = p->k->program;
    const struct group *group = group_at(p, g);
    struct leader *l = &p->leaders[g];
    uint64_t room = (uint64_t)o->geometry.vrfs * o->geometry.rfhs;
    uint32_t rfh, vrf;
    if (l->vrfs > room || !package_fixed_group_vrf(o, group, l->vrfs - 1, &rfh, &vrf)) {
        diag_error(p->k->d, group_span(p, g),
                   "group '%s' needs %" PRIu64 " VRFs of %u lanes from RFH%u.VRF%u on; .geometry "
                   "has %u VRFs in each of %u RFHs",
                   group->name, l->vrfs, (unsigned)o->geometry.lanes, (unsigned)group->at_rfh,
                   (unsigned)group->at_vrf, (unsigned)o->geometry.vrfs, (unsigned)o->geometry.rfhs);
        return false;
    }
    l->slots = ARENA_ARRAY(&p->k->scratch, l->vrfs * l->copies, struct vrf_slot);
    for (uint64_t n = 0; n < l->vrfs * l->copies; n++) {
        (void)package_fixed_group_vrf(o, group, n % l->vrfs, &rfh, &vrf);
        const struct fixed_vrf *f = package_find_fixed_vrf(p->k->p, rfh, vrf);
        uint32_t mpu = p->k->p->image_first + (uint32_t)(n / l->vrfs) + f->mpu_offset;
        l->slots[n] = (struct vrf_slot){mpu, f->phys_rfh, f->phys_vrf};
    }
    return true;
}

/* Two groups fixed at the same VRF would overwrite each other's registers unawares. */
static bool fixed_groups_apart(struct placer *p) {
    const struct object *o = p->k->program;
    uint32_t rfh, vrf;
    uint32_t *owner = ARENA_ARRAY(&p->k->scratch, MAX_RFHS * MAX_VRFS, uint32_t);
    for (uint32_t g = 0; g < o->groups.len; g++) {
        if (p->leader_of[g] != g || !is_fixed(group_at(p, g)))
            continue;
        for (uint64_t n = 0; n < p->leaders[g].vrfs; n++) {
            if (!package_fixed_group_vrf(o, group_at(p, g), n, &rfh, &vrf))
                break;
            uint32_t *who = &owner[rfh * MAX_VRFS + vrf];
            if (*who) {
                diag_error(p->k->d, group_span(p, g),
                           "groups '%s' and '%s' are both fixed at RFH%" PRIu32 ".VRF%" PRIu32,
                           group_at(p, *who - 1)->name, group_at(p, g)->name, rfh, vrf);
                diag_note(p->k->d, group_span(p, *who - 1),
                          "'like %s' makes groups share their VRFs", group_at(p, *who - 1)->name);
                return false;
            }
            *who = g + 1;
        }
    }
    return true;
}

static bool place_leaders(struct placer *p) {
    bool ok = true;
    if (!fixed_groups_apart(p))
        return false;
    for (size_t i = 0; i < p->order_count && !diag_full(p->k->d); i++) {
        uint32_t g = p->order[i];
        ok = (is_fixed(group_at(p, g)) ? place_fixed_group(p, g) : place_free_group(p, g)) && ok;
    }
    return ok;
}

/* What the first round has of each copy of a group. */
static uint64_t first_slice(const struct placer *p, uint32_t g) {
    uint64_t slice = p->leaders[p->leader_of[g]].slice;
    uint64_t elements = link_group_share(p->k->program, p->k->p->sizes, g);
    return elements < slice ? elements : slice;
}

/* Of all copies. */
static uint64_t vrfs_of(const struct placer *p, uint32_t g) {
    const struct leader *l = &p->leaders[p->leader_of[g]];
    uint64_t elements = first_slice(p, g);
    return ceil_div(elements, l->lanes) * l->copies;
}

static void list_copy(struct placer *p, uint32_t g, uint32_t copy) {
    const struct leader *l = &p->leaders[p->leader_of[g]];
    struct package *out = p->k->p;
    uint64_t elements = link_group_share(p->k->program, out->sizes, g), slice = first_slice(p, g);
    const struct vrf_slot *s = &l->slots[copy * l->vrfs];
    for (uint64_t first = 0; first < slice; s++, first += l->lanes) {
        uint64_t left = slice - first;
        out->placements[out->placement_count++] =
            (struct placement){g,
                               s->mpu,
                               s->rfh,
                               s->vrf,
                               copy * elements + first,
                               (uint32_t)(left < l->lanes ? left : l->lanes)};
        if (s->mpu >= out->mpus)
            out->mpus = s->mpu + 1;
    }
}

static void list_group(struct placer *p, uint32_t g) {
    for (uint32_t copy = 0; copy < p->leaders[p->leader_of[g]].copies; copy++)
        list_copy(p, g, copy);
}

static bool list_fits(const struct placer *p, uint64_t total) {
    if (total <= PACKAGE_MAX_VRFS)
        return true;
    diag_error(p->k->d, NO_SPAN,
               "the groups have %" PRIu64 " VRFs, counted group by group; at most 2^24 can be "
               "placed",
               total);
    return false;
}

static void list_placements(struct placer *p) {
    struct package *out = p->k->p;
    uint64_t total = 0;
    uint32_t groups = (uint32_t)p->k->program->groups.len;
    for (uint32_t g = 0; g < groups; g++)
        total += vrfs_of(p, g);
    if (!list_fits(p, total))
        return;
    out->placements = ARENA_ARRAY(&out->arena, total, struct placement);
    for (uint32_t g = 0; g < groups; g++)
        list_group(p, g);
}

/* ---- rounds, and elements of a VRF ---- */

static bool evenly(const struct placer *p) {
    return p->k->t->spread == SPREAD_EVEN;
}

/* As they stand in the program; but groups per MPU need rows of every MPU and come first where all
 * VRFs, or all MPUs, are to be used. */
static void order_leaders(struct placer *p) {
    uint32_t groups = (uint32_t)p->k->program->groups.len;
    p->order = ARENA_ARRAY(&p->k->scratch, groups, uint32_t);
    for (unsigned turn = 0; turn < 2; turn++)
        for (uint32_t g = 0; g < groups; g++)
            if (p->leader_of[g] == g &&
                ((evenly(p) || p->spread) && !group_at(p, g)->per_mpu) == turn)
                p->order[p->order_count++] = g;
}

/* Rounds that the groups need with full VRFs; 1 as well where none would do, or none is possible:
 * everything stays whole then, and what has no room is refused when it is placed. */
static uint64_t choose_rounds(const struct placer *p) {
    struct rounds_obstacle obstacle;
    struct row_demand *demands = ARENA_ARRAY(&p->k->scratch, p->order_count, struct row_demand);
    size_t n = 0;
    for (size_t i = 0; i < p->order_count; i++) {
        uint32_t g = p->order[i];
        if (!is_fixed(group_at(p, g)))
            demands[n++] = (struct row_demand){ceil_div(p->leaders[g].vrfs, p->k->t->rfh_per_mpu),
                                               group_at(p, g)->per_mpu};
    }
    uint64_t rounds = package_fewest_rounds(p->k, demands, n);
    return rounds > 1 && !package_rounds_obstacle(p->k->program, p->k->p->finish.by_host, &obstacle)
               ? rounds
               : 1;
}

/* As many elements, in whole rows, that they are done after `rounds`. */
static void cut(const struct placer *p, struct leader *l, uint64_t elements) {
    uint64_t row = (uint64_t)l->lanes * p->k->t->rfh_per_mpu;
    set_slice(l, ceil_div(elements, row) * row);
}

/* Of a round, or of all elements. */
static void choose_lanes(struct placer *p, uint64_t rounds) {
    struct spread_kin *kin = ARENA_ARRAY(&p->k->scratch, p->order_count, struct spread_kin);
    size_t n = 0;
    for (size_t i = 0; i < p->order_count; i++) {
        uint32_t g = p->order[i];
        const struct leader *l = &p->leaders[g];
        if (!is_fixed(group_at(p, g)))
            kin[n++] = (struct spread_kin){ceil_div(l->elements, rounds), l->most,
                                           group_at(p, g)->per_mpu, 0};
    }
    package_spread_evenly(p->k, kin, n);
    for (size_t i = 0, k = 0; i < p->order_count; i++)
        if (!is_fixed(group_at(p, p->order[i])))
            p->leaders[p->order[i]].lanes = kin[k++].lanes;
}

static void cut_leaders(struct placer *p, uint64_t rounds) {
    uint64_t *slices = ARENA_ARRAY(&p->k->p->arena, p->k->program->groups.len, uint64_t);
    for (uint32_t g = 0; g < p->k->program->groups.len; g++) {
        struct leader *l = &p->leaders[p->leader_of[g]];
        if (p->leader_of[g] == g)
            cut(p, l, ceil_div(l->elements, rounds));
        slices[g] = l->slice;
    }
    p->k->p->slices = slices;
    p->k->p->rounds = package_count_rounds(p->k->program, p->k->p->sizes, slices);
}

/* How many elements of each group lie in a VRF, and how many there are in a round. */
static void cut_and_spread(struct placer *p) {
    uint64_t rounds = choose_rounds(p);
    uint32_t groups = (uint32_t)p->k->program->groups.len;
    uint32_t *lanes = ARENA_ARRAY(&p->k->p->arena, groups, uint32_t);
    if (evenly(p))
        choose_lanes(p, rounds);
    for (size_t i = 0; i < p->order_count; i++)
        set_slice(&p->leaders[p->order[i]], p->leaders[p->order[i]].elements);
    if (rounds > 1)
        cut_leaders(p, rounds);
    for (uint32_t g = 0; g < groups; g++)
        lanes[g] = p->leaders[p->leader_of[g]].lanes;
    p->k->p->group_lanes = lanes;
    p->k->p->group_count = groups;
}

void package_build_placements(struct pack *k) {
    size_t groups = k->program->groups.len;
    struct placer p = {.k = k, .first_free = k->p->image_first};
    p.spread = k->p->place.chosen == PLACE_SPREAD && !package_names_mpus(k->program);
    p.leader_of = ARENA_ARRAY(&k->scratch, groups, uint32_t);
    p.leaders = ARENA_ARRAY(&k->scratch, groups, struct leader);
    k->p->rounds = 1;
    if (!find_leaders(&p))
        return;
    order_leaders(&p);
    cut_and_spread(&p);
    if (place_leaders(&p))
        list_placements(&p);
}
