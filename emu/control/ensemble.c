/* SPDX-License-Identifier: MIT
 * Finds the VRFs that a header names, each once and in ascending order, and the batches of every
 * MPU. */
#include "emu/control/ensemble.h"
#include "emu/control/batches.h"

#include "linker/package/element_place.h"
#include "support/vec.h"

#include <string.h>

/* One VRF as a header instruction names it. */
struct named {
    struct dp_binding binding;
    uint32_t group; /* NO_INDEX: a fixed VRF */
    uint32_t mpu, batch;
    uint32_t order; /* of the instruction in the header */
    uint32_t cut;   /* batches of its MPU that are ranges cut off */
};
struct named_list {
    struct named *data;
    size_t len, cap;
};

uint32_t control_vrf_number(const struct target *target, uint32_t mpu, uint32_t rfh, uint32_t vrf) {
    return mpu * target_vrfs_per_mpu(target) + vrf * target->rfh_per_mpu + rfh;
}

uint32_t control_fixed_vrf_number(const struct ensemble_maker *maker, uint32_t mpu, uint32_t rfh,
                                  uint32_t vrf) {
    const struct package *p = maker->package;
    for (size_t i = 0; i < p->fixed_count; i++) {
        const struct fixed_vrf *f = &p->fixed[i];
        if (f->rfh != rfh || f->vrf != vrf)
            continue;
        bool fits = f->mpu_offset < p->mpus && mpu < p->mpus - f->mpu_offset &&
                    f->phys_rfh < maker->target->rfh_per_mpu &&
                    f->phys_vrf < maker->target->vrf_per_rfh;
        return fits ? control_vrf_number(maker->target, mpu + f->mpu_offset, f->phys_rfh,
                                         f->phys_vrf)
                    : NO_INDEX;
    }
    return NO_INDEX;
}

static const char *add_fixed(const struct ensemble_maker *maker, const struct insn *insn,
                             uint32_t order, struct named_list *out) {
    for (uint32_t k = 0; k < maker->package->image_count; k++) {
        uint32_t mpu = maker->package->image_first + k;
        uint32_t v = control_fixed_vrf_number(maker, mpu, insn->rfh, insn->vrf);
        if (v == NO_INDEX)
            return arena_printf(maker->arena, "the package has no place for RFH%u.VRF%u",
                                (unsigned)insn->rfh, (unsigned)insn->vrf);
        struct named n = {
            {v, maker->program->geometry.lanes, 0, package_kin(maker->package, NO_INDEX)},
            NO_INDEX,
            v / target_vrfs_per_mpu(maker->target),
            0,
            order,
            0};
        vec_push(out, n);
    }
    return NULL;
}

static const char *add_group(const struct ensemble_maker *maker, const struct insn *insn,
                             uint32_t order, struct named_list *out) {
    const struct package *p = maker->package;
    uint32_t group = (uint32_t)insn->imm;
    size_t i, count = package_group_placements(p, group, &i);
    bool may_be_done = p->rounds > 1 && group < p->group_count; /* in an earlier round */
    if (!may_be_done && !count)
        return arena_printf(maker->arena, "the package has no place for group %u", (unsigned)group);
    vec_reserve(out, out->len + count);
    for (size_t end = i + count; i < end; i++) {
        const struct placement *q = &p->placements[i];
        if (q->mpu >= p->mpus || q->rfh >= maker->target->rfh_per_mpu ||
            q->vrf >= maker->target->vrf_per_rfh || q->count > p->lanes)
            return "the package places a group outside of the machine";
        struct named n = {
            {package_placement_vrf(maker->target, q), q->count, q->first, package_kin(p, group)},
            group,
            q->mpu,
            0,
            order,
            0};
        vec_push(out, n);
    }
    return NULL;
}

/* Namings of whole groups are in order already. */
static void sort_names(struct named_list *list, int (*order)(const void *, const void *)) {
    size_t i = 1;
    while (i < list->len && order(&list->data[i - 1], &list->data[i]) <= 0)
        i++;
    if (i < list->len)
        qsort(list->data, list->len, sizeof *list->data, order);
}

static int by_vrf(const void *left, const void *right) {
    const struct named *a = left, *b = right;
    if (a->binding.vrf != b->binding.vrf)
        return a->binding.vrf < b->binding.vrf ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Valid lanes begin at lane 0, so the OR of two of them is the larger one. */
static void merge_twice_named(struct named_list *list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++) {
        struct named *last = kept ? &list->data[kept - 1] : NULL;
        if (!last || last->binding.vrf != list->data[i].binding.vrf)
            list->data[kept++] = list->data[i];
        else if (list->data[i].binding.valid_lanes > last->binding.valid_lanes)
            last->binding.valid_lanes = list->data[i].binding.valid_lanes;
    }
    list->len = kept;
}

/* Batches of those of named[0..count) that have the kin of the first, numbered from *batches on;
 * vrfs, batch, of [count]: scratch.  Ranges that were cut off. */
static uint32_t assign_kin(const struct ensemble_maker *maker, struct named *named, uint32_t count,
                           uint32_t *vrfs, uint32_t *batch, uint32_t *batches) {
    uint32_t n = 0, first = *batches, kin = named->binding.kin;
    for (uint32_t i = 0; i < count; i++)
        if (named[i].binding.kin == kin)
            vrfs[n++] = named[i].binding.vrf;
    const struct batch_maker m = {vrfs, n, maker->target->rfh_per_mpu,
                                  maker->mode == BATCH_ALL ? 0 : maker->active, maker->by_range};
    uint32_t cut = maker->mode == BATCH_ONE ? 0 : control_batches_make(&m, batch);
    for (uint32_t i = 0, k = 0; i < count; i++) {
        if (named[i].binding.kin != kin)
            continue;
        named[i].batch = first + (maker->mode == BATCH_ONE ? k : batch[k]);
        *batches = named[i].batch >= *batches ? named[i].batch + 1 : *batches;
        k++;
    }
    return cut;
}

/* VRFs of several kin carry out different code: no batch has two of them. */
static void assign_in_mpu(const struct ensemble_maker *maker, struct named *named, uint32_t count) {
    uint32_t *vrfs = xcalloc(count, sizeof *vrfs), *batch = xcalloc(count, sizeof *batch);
    uint32_t cut = 0, batches = 0;
    for (uint32_t i = 0; i < count; i++)
        named[i].batch = NO_INDEX;
    for (uint32_t i = 0; i < count; i++)
        if (named[i].batch == NO_INDEX)
            cut += assign_kin(maker, &named[i], count - i, vrfs, batch, &batches);
    for (uint32_t i = 0; i < count; i++)
        named[i].cut = cut;
    free(vrfs);
    free(batch);
}

/* Which batch each VRF runs in. */
static void assign_batches(const struct ensemble_maker *maker, struct named_list *list) {
    for (size_t i = 0, end; i < list->len; i = end) {
        end = i + 1;
        while (end < list->len && list->data[end].mpu == list->data[i].mpu)
            end++;
        assign_in_mpu(maker, &list->data[i], (uint32_t)(end - i));
    }
}

static int by_batch(const void *left, const void *right) {
    const struct named *a = left, *b = right;
    if (a->mpu != b->mpu)
        return a->mpu < b->mpu ? -1 : 1;
    if (a->batch != b->batch)
        return a->batch < b->batch ? -1 : 1;
    return (a->binding.vrf > b->binding.vrf) - (a->binding.vrf < b->binding.vrf);
}

static void make_batches(const struct ensemble_maker *maker, struct named_list *list,
                         struct ensemble *ensemble) {
    uint32_t *vrfs = ARENA_ARRAY(maker->arena, ensemble->count, uint32_t);
    struct batch *batches = ARENA_ARRAY(maker->arena, ensemble->count, struct batch);
    sort_names(list, by_batch);
    for (uint32_t i = 0; i < ensemble->count; i++) {
        const struct named *x = &list->data[i];
        vrfs[i] = x->binding.vrf;
        if (i == 0 || x->mpu != x[-1].mpu || x->batch != x[-1].batch)
            batches[ensemble->batch_count++] = (struct batch){x->mpu, x->batch, &vrfs[i], 0};
        batches[ensemble->batch_count - 1].count++;
    }
    ensemble->batches = batches;
}

/* One slot for each VRF that an instruction names in this MPU, at least one an instruction.
 * seen[order] == mpu + 1 once an instruction named something here. */
static uint64_t header_slots(const struct named_list *here, uint32_t instructions, uint32_t mpu,
                             uint32_t *seen) {
    uint64_t slots = here->len + instructions;
    for (size_t i = 0; i < here->len; i++) {
        slots -= seen[here->data[i].order] != mpu + 1;
        seen[here->data[i].order] = mpu + 1;
    }
    return slots;
}

static struct named_list slice_of_mpu(const struct named_list *all, uint32_t mpu, size_t *next) {
    struct named_list s = {vec_from(all, *next), 0, 0};
    while (*next < all->len && all->data[*next].mpu == mpu) {
        s.len++;
        ++*next;
    }
    return s;
}

/* named: all of them, by MPU. */
static void count_cut(const struct named_list *named, struct ensemble_part *parts, uint32_t count) {
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (n < named->len && named->data[n].mpu < parts[i].mpu)
            n++;
        if (n < named->len && named->data[n].mpu == parts[i].mpu)
            parts[i].cut_batches = named->data[n].cut;
    }
}

/* all: every naming, ascending by VRF and thus by MPU, before those named twice were merged. */
static void make_parts(const struct ensemble_maker *maker, const struct named_list *all,
                       const struct named_list *list, uint32_t instructions,
                       struct ensemble *ensemble) {
    struct ensemble_part *parts = ARENA_ARRAY(maker->arena, maker->mpu_count, struct ensemble_part);
    uint32_t b = 0, *seen = xcalloc(instructions, sizeof *seen);
    size_t next = 0;
    for (uint32_t i = 0; i < maker->mpu_count; i++) {
        struct named_list here = slice_of_mpu(all, maker->mpus[i], &next);
        parts[i] = (struct ensemble_part){
            maker->mpus[i], header_slots(&here, instructions, maker->mpus[i], seen), b, 0, 0, 0};
        for (; b < ensemble->batch_count && ensemble->batches[b].mpu == maker->mpus[i]; b++)
            if (ensemble->batches[b].count > parts[i].most_vrfs)
                parts[i].most_vrfs = ensemble->batches[b].count;
        ensemble->at_once += parts[i].most_vrfs;
        parts[i].batch_count = b - parts[i].first_batch;
        if (parts[i].batch_count > ensemble->most_batches)
            ensemble->most_batches = parts[i].batch_count;
    }
    free(seen);
    count_cut(list, parts, maker->mpu_count);
    ensemble->parts = parts;
    ensemble->part_count = maker->mpu_count;
}

size_t control_vrf_ranges(const uint32_t *vrfs, uint32_t count, const uint8_t *skip,
                          struct vrf_range *ranges) {
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (skip && skip[i])
            continue;
        if (n && ranges[n - 1].first + ranges[n - 1].count == vrfs[i])
            ranges[n - 1].count++;
        else
            ranges[n++] = (struct vrf_range){vrfs[i], 1};
    }
    return n;
}

static void make_bindings(const struct ensemble_maker *maker, const struct named_list *list,
                          struct ensemble *ensemble) {
    struct dp_binding *b = ARENA_ARRAY(maker->arena, list->len, struct dp_binding);
    uint32_t *vrfs = ARENA_ARRAY(maker->arena, list->len, uint32_t);
    uint32_t *groups = ARENA_ARRAY(maker->arena, list->len, uint32_t);
    struct vrf_range *ranges = ARENA_ARRAY(maker->arena, list->len, struct vrf_range);
    for (size_t i = 0; i < list->len; i++) {
        b[i] = list->data[i].binding;
        vrfs[i] = b[i].vrf;
        groups[i] = list->data[i].group;
        ensemble->lanes += b[i].valid_lanes;
        ensemble->mixed |= b[i].kin != b[0].kin;
    }
    ensemble->bindings = b;
    ensemble->vrfs = vrfs;
    ensemble->groups = groups;
    ensemble->count = (uint32_t)list->len;
    ensemble->all =
        (struct vrf_set){ranges, control_vrf_ranges(vrfs, ensemble->count, NULL, ranges)};
}

const struct ensemble *control_ensemble_make(const struct ensemble_maker *maker,
                                             const struct insn *header, uint32_t count,
                                             const char **error) {
    struct named_list n = {0}, all = {0};
    *error = NULL;
    for (uint32_t i = 0; i < count && !*error; i++)
        *error = header[i].op == OP_COMPUTE ? add_fixed(maker, &header[i], i, &n)
                                            : add_group(maker, &header[i], i, &n);
    struct ensemble *e = *error ? NULL : ARENA_NEW(maker->arena, struct ensemble);
    if (e) {
        sort_names(&n, by_vrf);
        for (size_t i = 0; i < n.len; i++)
            vec_push(&all, n.data[i]);
        merge_twice_named(&n);
        make_bindings(maker, &n, e);
        assign_batches(maker, &n);
        make_batches(maker, &n, e);
        make_parts(maker, &all, &n, count, e);
    }
    vec_free(&n);
    vec_free(&all);
    return e;
}

static const struct ensemble_part *find_part(const struct ensemble *ensemble, uint32_t mpu) {
    uint32_t low = 0, high = ensemble->part_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ensemble->parts[mid].mpu < mpu)
            low = mid + 1;
        else
            high = mid;
    }
    return &ensemble->parts[low];
}

static int vrf_order(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Room for what all MPUs together could have. */
struct ensemble_room {
    struct dp_binding *bindings;
    uint32_t *vrfs, *groups;
    struct batch *batches;
    struct ensemble_part *parts;
};

static void add_part(struct ensemble *ensemble, struct ensemble_room *room,
                     const struct ensemble *all, const struct ensemble_part *part) {
    uint32_t first = ensemble->count;
    room->parts[ensemble->part_count] = *part;
    room->parts[ensemble->part_count++].first_batch = ensemble->batch_count;
    for (uint32_t b = 0; b < part->batch_count; b++) {
        const struct batch *batch = &all->batches[part->first_batch + b];
        room->batches[ensemble->batch_count++] = *batch;
        memcpy(&room->vrfs[ensemble->count], batch->vrfs, batch->count * sizeof *room->vrfs);
        ensemble->count += batch->count;
    }
    qsort(&room->vrfs[first], ensemble->count - first, sizeof *room->vrfs, vrf_order);
    for (uint32_t i = first; i < ensemble->count; i++) {
        const struct dp_binding *binding = control_ensemble_binding(all, room->vrfs[i]);
        room->bindings[i] = *binding;
        room->groups[i] = all->groups[binding - all->bindings];
        ensemble->lanes += room->bindings[i].valid_lanes;
        ensemble->mixed |= room->bindings[i].kin != room->bindings[0].kin;
    }
    ensemble->at_once += part->most_vrfs;
    if (part->batch_count > ensemble->most_batches)
        ensemble->most_batches = part->batch_count;
}

const struct ensemble *control_ensemble_part(const struct ensemble *all, const uint32_t *mpus,
                                             uint32_t count, struct arena *arena) {
    struct ensemble *e = ARENA_NEW(arena, struct ensemble);
    uint32_t vrfs = 0, batches = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ensemble_part *p = find_part(all, mpus[i]);
        batches += p->batch_count;
        for (uint32_t b = 0; b < p->batch_count; b++)
            vrfs += all->batches[p->first_batch + b].count;
    }
    struct ensemble_room room = {
        ARENA_ARRAY(arena, vrfs, struct dp_binding), ARENA_ARRAY(arena, vrfs, uint32_t),
        ARENA_ARRAY(arena, vrfs, uint32_t), ARENA_ARRAY(arena, batches, struct batch),
        ARENA_ARRAY(arena, count, struct ensemble_part)};
    struct vrf_range *ranges = ARENA_ARRAY(arena, vrfs, struct vrf_range);
    *e = (struct ensemble){.bindings = room.bindings,
                           .vrfs = room.vrfs,
                           .groups = room.groups,
                           .batches = room.batches,
                           .parts = room.parts};
    for (uint32_t i = 0; i < count; i++)
        add_part(e, &room, all, find_part(all, mpus[i]));
    e->all = (struct vrf_set){ranges, control_vrf_ranges(room.vrfs, e->count, NULL, ranges)};
    return e;
}

const struct dp_binding *control_ensemble_binding(const struct ensemble *ensemble, uint32_t vrf) {
    uint32_t low = 0, high = ensemble->count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ensemble->bindings[mid].vrf < vrf)
            low = mid + 1;
        else
            high = mid;
    }
    return low < ensemble->count && ensemble->bindings[low].vrf == vrf ? &ensemble->bindings[low]
                                                                       : NULL;
}
