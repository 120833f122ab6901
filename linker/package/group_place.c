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
#include "linker/package/pack.h"
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

static const struct group *group_at(const struct placer *placer, uint32_t group) {
    return &placer->k->program->groups.data[group];
}

static struct span group_span(const struct placer *placer, uint32_t group) {
    return object_span(placer->k->program, group_at(placer, group)->place, placer->k->d);
}

static bool is_fixed(const struct group *group) {
    return group->at_rfh != NO_INDEX;
}

static void set_slice(struct leader *leader, uint64_t elements) {
    leader->slice = elements;
    leader->vrfs = ceil_div(elements, leader->lanes);
}

/* Leaders, and what their kin need together.  False if a group is larger than any can be. */
static bool find_leaders(struct placer *placer) {
    const struct object *o = placer->k->program;
    uint64_t *most = ARENA_ARRAY(&placer->k->scratch, o->groups.len, uint64_t);
    bool ok = true;
    link_find_kin(o, placer->k->p->sizes, placer->leader_of, most);
    for (uint32_t g = 0; g < o->groups.len && !diag_full(placer->k->d); g++) {
        struct leader *l = &placer->leaders[g];
        l->elements = placer->k->p->unplaced[g] ? 0 : most[g];
        l->most = l->lanes = placer->k->lanes.of_group[g];
        l->copies = group_at(placer, g)->per_mpu ? placer->k->p->image_count : 1;
        set_slice(l, l->elements);
        if (link_group_elements(o, placer->k->p->sizes, g) == 0) {
            diag_error(placer->k->d, group_span(placer, g),
                       "group '%s' has more than 2^40 elements", o->groups.data[g].name);
            ok = false;
        }
    }
    return ok;
}

static unsigned free_rows(const struct placer *placer, uint32_t mpu) {
    uint32_t rows = placer->k->t->vrf_per_rfh;
    uint64_t all = rows >= MAX_VRFS ? UINT64_MAX : (UINT64_C(1) << rows) - 1;
    return (unsigned)__builtin_popcountll(all & ~placer->k->rows_used[mpu]);
}

static uint64_t free_vrfs(const struct placer *placer) {
    uint64_t rows = 0;
    for (uint32_t m = placer->k->p->image_first; m < placer->k->mpu_limit; m++)
        rows += free_rows(placer, m);
    return rows * placer->k->t->rfh_per_mpu;
}

#define MOST_NOTES 8

/* Demand against capacity, and who else takes part of it. */
static void too_large(const struct placer *placer, uint32_t group, uint64_t vrfs_free) {
    const struct target *t = placer->k->t;
    const struct leader *l = &placer->leaders[group];
    uint64_t lanes = (uint64_t)(placer->k->mpu_limit - placer->k->p->image_first) *
                     target_vrfs_per_mpu(t) * l->most;
    diag_error(placer->k->d, group_span(placer, group),
               "group '%s' needs %" PRIu64 " lanes; target '%s' has %" PRIu64 " lanes (%" PRIu32
               " MPUs of %" PRIu32 " VRFs of %" PRIu32 " lanes), of which %" PRIu64 " are free",
               group_at(placer, group)->name, l->elements, t->name, lanes,
               placer->k->mpu_limit - placer->k->p->image_first, target_vrfs_per_mpu(t), l->most,
               vrfs_free * l->most);
    unsigned notes = 0;
    for (uint32_t other = 0; other < group && notes < MOST_NOTES; other++)
        if (placer->leader_of[other] == other && !is_fixed(group_at(placer, other)) && ++notes)
            diag_note(placer->k->d, group_span(placer, other), "group '%s' takes %" PRIu64 " VRFs",
                      group_at(placer, other)->name, placer->leaders[other].vrfs);
    if (placer->k->p->fixed_count)
        diag_note(placer->k->d, NO_SPAN, "rows with fixed VRFs are not used for groups");
    package_note_rounds(placer->k);
}

/* The next free row at or after *row of MPU *mpu; there is one. */
static void next_row(const struct placer *placer, uint32_t *mpu, uint32_t *row) {
    while (*row >= placer->k->t->vrf_per_rfh || (placer->k->rows_used[*mpu] >> *row & 1)) {
        if (++*row >= placer->k->t->vrf_per_rfh) {
            *row = 0;
            ++*mpu;
        }
    }
}

/* So many rows, the next free ones at or after *mpu, for VRFs from number *n on. */
static void take_rows(struct placer *placer, struct leader *leader, uint32_t *mpu, uint64_t rows,
                      uint64_t *n) {
    uint32_t row = 0, rfhs = placer->k->t->rfh_per_mpu;
    for (uint64_t end = *n + rows * rfhs; *n < end && *n < leader->vrfs; ++*n) {
        if (*n % rfhs == 0) {
            next_row(placer, mpu, &row);
            placer->k->rows_used[*mpu] |= UINT64_C(1) << row;
        }
        leader->slots[*n] = (struct vrf_slot){*mpu, (uint32_t)(*n % rfhs), row};
    }
}

static void place_in_rows(struct placer *placer, uint32_t group) {
    struct leader *l = &placer->leaders[group];
    uint64_t n = 0;
    take_rows(placer, l, &placer->first_free, UINT64_MAX / placer->k->t->rfh_per_mpu, &n);
}

/* True if the text sends or receives: which MPU has which elements is then the program's business,
 * and its groups are packed wherever they are asked to lie. */
static bool package_names_mpus(const struct object *object) {
    struct insn insn;
    for (uint32_t i = 0; i < object->text.len; i++)
        if (isa_decode(object->text.data[i], &insn) == ISA_OK &&
            (insn.op == OP_SEND || insn.op == OP_RECV))
            return true;
    return false;
}

/* MPUs from the image's first on that groups may lie in.  One without a start of its own cannot
 * join those that start at different places. */
static uint32_t spread_mpus(const struct pack *pack) {
    uint32_t all =
        package_starts_apart(pack) ? pack->p->image_count : pack->mpu_limit - pack->p->image_first;
    return pack->p->place.mpus && pack->p->place.mpus < all ? pack->p->place.mpus : all;
}

/* False if it has no room that way. */
static bool place_spread(struct placer *placer, uint32_t group) {
    struct leader *l = &placer->leaders[group];
    uint32_t mpus = spread_mpus(placer->k);
    uint64_t n = 0, rows = ceil_div(l->vrfs, placer->k->t->rfh_per_mpu);
    uint8_t *room = ARENA_ARRAY(&placer->k->scratch, mpus, uint8_t);
    uint8_t *taken = ARENA_ARRAY(&placer->k->scratch, mpus, uint8_t);
    for (uint32_t m = 0; m < mpus; m++)
        room[m] = (uint8_t)free_rows(placer, placer->k->p->image_first + m);
    if (!package_spread_rows(room, mpus, rows, taken))
        return false;
    for (uint32_t m = 0; m < mpus; m++) {
        uint32_t mpu = placer->k->p->image_first + m;
        if (taken[m])
            take_rows(placer, l, &mpu, taken[m], &n);
    }
    return true;
}

static void too_large_for_mpu(const struct placer *placer, uint32_t group, uint32_t mpu) {
    const struct target *t = placer->k->t;
    const struct leader *l = &placer->leaders[group];
    uint64_t lanes = (uint64_t)target_vrfs_per_mpu(t) * l->most;
    diag_error(placer->k->d, group_span(placer, group),
               "group '%s' needs %" PRIu64 " lanes in each MPU; an MPU of target '%s' has %" PRIu64
               " lanes (%" PRIu32 " VRFs of %" PRIu32 " lanes), of which %" PRIu64
               " are free in MPU%" PRIu32,
               group_at(placer, group)->name, l->elements, t->name, lanes, target_vrfs_per_mpu(t),
               l->most, (uint64_t)free_rows(placer, mpu) * t->rfh_per_mpu * l->most, mpu);
    diag_note(placer->k->d, NO_SPAN, "a group per MPU does not go on in the next MPU");
    package_note_rounds(placer->k);
}

/* In MPU `mpu`; there is room. */
static void place_in_mpu(struct placer *placer, const struct leader *leader, uint32_t mpu,
                         struct vrf_slot *slots) {
    uint32_t at = mpu, row = 0, rfhs = placer->k->t->rfh_per_mpu;
    for (uint64_t n = 0; n < leader->vrfs; n++) {
        if (n % rfhs == 0) {
            next_row(placer, &at, &row);
            placer->k->rows_used[mpu] |= UINT64_C(1) << row;
        }
        slots[n] = (struct vrf_slot){mpu, (uint32_t)(n % rfhs), row};
    }
}

static bool place_per_mpu(struct placer *placer, uint32_t group) {
    struct leader *l = &placer->leaders[group];
    uint32_t first = placer->k->p->image_first;
    for (uint32_t m = 0; m < l->copies; m++)
        if (l->vrfs > (uint64_t)free_rows(placer, first + m) * placer->k->t->rfh_per_mpu) {
            too_large_for_mpu(placer, group, first + m);
            return false;
        }
    l->slots = ARENA_ARRAY(&placer->k->scratch, l->vrfs * l->copies, struct vrf_slot);
    for (uint32_t m = 0; m < l->copies; m++)
        place_in_mpu(placer, l, first + m, &l->slots[m * l->vrfs]);
    return true;
}

/* VRF n is RFH n mod RFHs of the n div RFHs-th row; false after reporting that there are not as
 * many rows as it needs. */
static bool place_given(struct placer *placer, uint32_t group) {
    struct leader *l = &placer->leaders[group];
    const struct group_rows *given = &placer->k->p->place.given[group];
    uint32_t rfhs = placer->k->t->rfh_per_mpu, vrfs = placer->k->t->vrf_per_rfh;
    if (l->vrfs > (uint64_t)given->count * rfhs) {
        too_large(placer, group, (uint64_t)given->count * rfhs);
        return false;
    }
    l->slots = ARENA_ARRAY(&placer->k->scratch, l->vrfs, struct vrf_slot);
    for (uint64_t n = 0; n < l->vrfs; n++) {
        uint32_t row = given->rows[n / rfhs];
        l->slots[n] = (struct vrf_slot){row / vrfs, (uint32_t)(n % rfhs), row % vrfs};
    }
    return true;
}

static bool place_free_group(struct placer *placer, uint32_t group) {
    struct leader *l = &placer->leaders[group];
    if (group_at(placer, group)->per_mpu)
        return place_per_mpu(placer, group);
    if (placer->k->p->place.given)
        return place_given(placer, group);
    uint64_t vrfs_free = free_vrfs(placer);
    if (l->vrfs > vrfs_free) {
        too_large(placer, group, vrfs_free);
        return false;
    }
    l->slots = ARENA_ARRAY(&placer->k->scratch, l->vrfs, struct vrf_slot);
    if (!placer->spread || !place_spread(placer, group))
        place_in_rows(placer, group);
    return true;
}

/* Every VRF of a fixed group is in the fixed map, unless it lies outside the geometry. */
static bool place_fixed_group(struct placer *placer, uint32_t g) {
    const struct object *o = placer->k->program;
    const struct group *group = group_at(placer, g);
    struct leader *l = &placer->leaders[g];
    uint64_t room = (uint64_t)o->geometry.vrfs * o->geometry.rfhs;
    uint32_t rfh, vrf;
    if (l->vrfs > room || !package_fixed_group_vrf(o, group, l->vrfs - 1, &rfh, &vrf)) {
        diag_error(placer->k->d, group_span(placer, g),
                   "group '%s' needs %" PRIu64 " VRFs of %u lanes from RFH%u.VRF%u on; .geometry "
                   "has %u VRFs in each of %u RFHs",
                   group->name, l->vrfs, (unsigned)o->geometry.lanes, (unsigned)group->at_rfh,
                   (unsigned)group->at_vrf, (unsigned)o->geometry.vrfs, (unsigned)o->geometry.rfhs);
        return false;
    }
    l->slots = ARENA_ARRAY(&placer->k->scratch, l->vrfs * l->copies, struct vrf_slot);
    for (uint64_t n = 0; n < l->vrfs * l->copies; n++) {
        (void)package_fixed_group_vrf(o, group, n % l->vrfs, &rfh, &vrf);
        const struct fixed_vrf *f = package_find_fixed_vrf(placer->k->p, rfh, vrf);
        uint32_t mpu = placer->k->p->image_first + (uint32_t)(n / l->vrfs) + f->mpu_offset;
        l->slots[n] = (struct vrf_slot){mpu, f->phys_rfh, f->phys_vrf};
    }
    return true;
}

/* Two groups fixed at the same VRF would overwrite each other's registers unawares. */
static bool fixed_groups_apart(struct placer *placer) {
    const struct object *o = placer->k->program;
    uint32_t rfh, vrf;
    uint32_t *owner = ARENA_ARRAY(&placer->k->scratch, MAX_RFHS * MAX_VRFS, uint32_t);
    for (uint32_t g = 0; g < o->groups.len; g++) {
        if (placer->leader_of[g] != g || !is_fixed(group_at(placer, g)))
            continue;
        for (uint64_t n = 0; n < placer->leaders[g].vrfs; n++) {
            if (!package_fixed_group_vrf(o, group_at(placer, g), n, &rfh, &vrf))
                break;
            uint32_t *who = &owner[rfh * MAX_VRFS + vrf];
            if (*who) {
                diag_error(placer->k->d, group_span(placer, g),
                           "groups '%s' and '%s' are both fixed at RFH%" PRIu32 ".VRF%" PRIu32,
                           group_at(placer, *who - 1)->name, group_at(placer, g)->name, rfh, vrf);
                diag_note(placer->k->d, group_span(placer, *who - 1),
                          "'like %s' makes groups share their VRFs",
                          group_at(placer, *who - 1)->name);
                return false;
            }
            *who = g + 1;
        }
    }
    return true;
}

static bool place_leaders(struct placer *placer) {
    bool ok = true;
    if (!fixed_groups_apart(placer))
        return false;
    for (size_t i = 0; i < placer->order_count && !diag_full(placer->k->d); i++) {
        uint32_t g = placer->order[i];
        ok = (is_fixed(group_at(placer, g)) ? place_fixed_group(placer, g)
                                            : place_free_group(placer, g)) &&
             ok;
    }
    return ok;
}

/* What the first round has of each copy of a group. */
static uint64_t first_slice(const struct placer *placer, uint32_t group) {
    uint64_t slice = placer->leaders[placer->leader_of[group]].slice;
    uint64_t elements = link_group_share(placer->k->program, placer->k->p->sizes, group);
    return elements < slice ? elements : slice;
}

/* Of all copies. */
static uint64_t vrfs_of(const struct placer *placer, uint32_t group) {
    const struct leader *l = &placer->leaders[placer->leader_of[group]];
    uint64_t elements = first_slice(placer, group);
    return ceil_div(elements, l->lanes) * l->copies;
}

static void list_copy(struct placer *placer, uint32_t group, uint32_t copy) {
    const struct leader *l = &placer->leaders[placer->leader_of[group]];
    struct package *out = placer->k->p;
    uint64_t elements = link_group_share(placer->k->program, out->sizes, group),
             slice = first_slice(placer, group);
    const struct vrf_slot *s = &l->slots[copy * l->vrfs];
    for (uint64_t first = 0; first < slice; s++, first += l->lanes) {
        uint64_t left = slice - first;
        out->placements[out->placement_count++] =
            (struct placement){group,
                               s->mpu,
                               s->rfh,
                               s->vrf,
                               copy * elements + first,
                               (uint32_t)(left < l->lanes ? left : l->lanes)};
        if (s->mpu >= out->mpus)
            out->mpus = s->mpu + 1;
    }
}

static void list_group(struct placer *placer, uint32_t group) {
    for (uint32_t copy = 0; copy < placer->leaders[placer->leader_of[group]].copies; copy++)
        list_copy(placer, group, copy);
}

static bool list_fits(const struct placer *placer, uint64_t total) {
    if (total <= PACKAGE_MAX_VRFS)
        return true;
    diag_error(placer->k->d, NO_SPAN,
               "the groups have %" PRIu64 " VRFs, counted group by group; at most 2^24 can be "
               "placed",
               total);
    return false;
}

static void list_placements(struct placer *placer) {
    struct package *out = placer->k->p;
    uint64_t total = 0;
    uint32_t groups = (uint32_t)placer->k->program->groups.len;
    for (uint32_t g = 0; g < groups; g++)
        total += vrfs_of(placer, g);
    if (!list_fits(placer, total))
        return;
    out->placements = ARENA_ARRAY(&out->arena, total, struct placement);
    for (uint32_t g = 0; g < groups; g++)
        list_group(placer, g);
}

/* ---- rounds, and elements of a VRF ---- */

static bool evenly(const struct placer *placer) {
    return placer->k->t->spread == SPREAD_EVEN;
}

/* As they stand in the program; but groups per MPU need rows of every MPU and come first where all
 * VRFs, or all MPUs, are to be used. */
static void order_leaders(struct placer *placer) {
    uint32_t groups = (uint32_t)placer->k->program->groups.len;
    placer->order = ARENA_ARRAY(&placer->k->scratch, groups, uint32_t);
    for (unsigned turn = 0; turn < 2; turn++)
        for (uint32_t g = 0; g < groups; g++)
            if (placer->leader_of[g] == g &&
                ((evenly(placer) || placer->spread) && !group_at(placer, g)->per_mpu) == turn)
                placer->order[placer->order_count++] = g;
}

static bool launches_in_rounds(const struct pack *pack, uint64_t rounds) {
    struct str why = {0};
    const struct kernel_decl *kernel;
    bool fine = package_launches_in_rounds(pack->p, pack->program, &kernel, &why) &&
                !package_too_many_units(pack, rounds);
    str_free(&why);
    return fine;
}

/* Rounds that the groups need with full VRFs; 1 as well where none would do, or none is possible:
 * everything stays whole then, and what has no room is refused when it is placed. */
static uint64_t choose_rounds(const struct placer *placer) {
    struct rounds_obstacle obstacle;
    struct row_demand *demands =
        ARENA_ARRAY(&placer->k->scratch, placer->order_count, struct row_demand);
    size_t n = 0;
    for (size_t i = 0; i < placer->order_count; i++) {
        uint32_t g = placer->order[i];
        if (!is_fixed(group_at(placer, g)))
            demands[n++] =
                (struct row_demand){ceil_div(placer->leaders[g].vrfs, placer->k->t->rfh_per_mpu),
                                    group_at(placer, g)->per_mpu};
    }
    uint64_t rounds = package_fewest_rounds(placer->k, demands, n);
    placer->k->rounds_asked = rounds;
    bool possible =
        rounds > 1 &&
        !package_rounds_obstacle(placer->k->program, placer->k->p->finish.by_host, &obstacle) &&
        launches_in_rounds(placer->k, rounds);
    return possible ? rounds : 1;
}

/* As many elements, in whole rows, that they are done after `rounds`. */
static void cut(const struct placer *placer, struct leader *leader, uint64_t elements) {
    uint64_t row = (uint64_t)leader->lanes * placer->k->t->rfh_per_mpu;
    set_slice(leader, ceil_div(elements, row) * row);
}

/* The machine has a say in how many elements of it lie in a VRF. */
static bool is_spread(const struct placer *placer, uint32_t group) {
    return !is_fixed(group_at(placer, group)) && placer->leaders[group].elements;
}

/* Of a round, or of all elements. */
static void choose_lanes(struct placer *placer, uint64_t rounds) {
    struct spread_kin *kin =
        ARENA_ARRAY(&placer->k->scratch, placer->order_count, struct spread_kin);
    size_t n = 0;
    for (size_t i = 0; i < placer->order_count; i++) {
        uint32_t g = placer->order[i];
        const struct leader *l = &placer->leaders[g];
        if (is_spread(placer, g))
            kin[n++] = (struct spread_kin){ceil_div(l->elements, rounds), l->most,
                                           group_at(placer, g)->per_mpu, 0};
    }
    package_spread_evenly(placer->k, kin, n);
    for (size_t i = 0, k = 0; i < placer->order_count; i++)
        if (is_spread(placer, placer->order[i]))
            placer->leaders[placer->order[i]].lanes = kin[k++].lanes;
}

static void cut_leaders(struct placer *placer, uint64_t rounds) {
    uint64_t *slices = ARENA_ARRAY(&placer->k->p->arena, placer->k->program->groups.len, uint64_t);
    for (uint32_t g = 0; g < placer->k->program->groups.len; g++) {
        struct leader *l = &placer->leaders[placer->leader_of[g]];
        if (placer->leader_of[g] == g)
            cut(placer, l, ceil_div(l->elements, rounds));
        slices[g] = l->slice;
    }
    placer->k->p->slices = slices;
    placer->k->p->rounds = package_count_rounds(placer->k->program, placer->k->p->sizes, slices);
}

/* Where elements are spread a machine's VRFs have no more lanes than the program needs; groups that
 * no VRF holds, as those of an `else` that is not taken, need none and have at most as many. */
static void narrow(struct package *package, const struct geometry *geometry, uint32_t *lanes) {
    uint32_t most = package->fixed_count ? geometry->lanes : 1;
    if ((!geometry->lanes && package->fixed_count) || !package->group_count)
        return;
    for (uint32_t g = 0; g < package->group_count; g++)
        if (!package->unplaced[g] && lanes[g] > most)
            most = lanes[g];
    for (uint32_t g = 0; g < package->group_count; g++)
        if (package->unplaced[g] && lanes[g] > most)
            lanes[g] = most;
    package->lanes = most;
}

/* How many elements of each group lie in a VRF, and how many there are in a round. */
static void cut_and_spread(struct placer *placer) {
    bool given = placer->k->p->place.given != NULL;
    uint64_t rounds = given ? 1 : choose_rounds(placer);
    uint32_t groups = (uint32_t)placer->k->program->groups.len;
    uint32_t *lanes = ARENA_ARRAY(&placer->k->p->arena, groups, uint32_t);
    if (evenly(placer) && !given)
        choose_lanes(placer, rounds);
    for (size_t i = 0; i < placer->order_count; i++)
        set_slice(&placer->leaders[placer->order[i]], placer->leaders[placer->order[i]].elements);
    if (rounds > 1)
        cut_leaders(placer, rounds);
    for (uint32_t g = 0; g < groups; g++)
        lanes[g] = placer->leaders[placer->leader_of[g]].lanes;
    placer->k->p->group_lanes = lanes;
    placer->k->p->group_count = groups;
    if (evenly(placer) && !given)
        narrow(placer->k->p, &placer->k->program->geometry, lanes);
}

void package_build_placements(struct pack *pack) {
    size_t groups = pack->program->groups.len;
    struct placer p = {.k = pack, .first_free = pack->p->image_first};
    p.spread = pack->p->place.chosen == PLACE_SPREAD && !package_names_mpus(pack->program);
    p.leader_of = ARENA_ARRAY(&pack->scratch, groups, uint32_t);
    p.leaders = ARENA_ARRAY(&pack->scratch, groups, struct leader);
    pack->p->rounds = 1;
    if (!find_leaders(&p))
        return;
    order_leaders(&p);
    cut_and_spread(&p);
    if (place_leaders(&p))
        list_placements(&p);
}
