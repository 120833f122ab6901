/* SPDX-License-Identifier: MIT
 * Fixed VRFs: which ones a program names, and where they lie on a target. */
#include "linker/package/pack.h"

#include <inttypes.h>

/* A transfer ensemble: headers first .. first + headers - 1; bit v of src and dst is set if a
 * MEMCPY of the ensemble reads or writes VRF v of each pair. */
struct fixed_transfer {
    uint32_t first, headers;
    uint64_t src, dst;
};
typedef void transfer_visitor(void *context, const struct fixed_transfer *t);

static void visit_transfers(const struct object *object, transfer_visitor *visit, void *context) {
    struct fixed_transfer t = {0};
    struct insn insn;
    for (uint32_t i = 0; i < object->text.len; i++) {
        if (isa_decode(object->text.data[i], &insn) != ISA_OK)
            continue;
        if (insn.op == OP_MOVE && t.headers && t.first + t.headers == i) {
            t.headers++;
        } else if (insn.op == OP_MOVE) {
            t = (struct fixed_transfer){.first = i, .headers = 1};
        } else if (insn.op == OP_MOVE_DONE) {
            visit(context, &t);
            t = (struct fixed_transfer){0};
        } else if (isa_info(insn.op)->format == FORMAT_M) {
            t.src |= UINT64_C(1) << insn.vrf_src;
            t.dst |= UINT64_C(1) << insn.vrf_dst;
        }
    }
}

struct user {
    const struct object *o;
    uint64_t *used;
};

static void use_transfer(void *context, const struct fixed_transfer *transfer) {
    const struct user *u = context;
    struct insn pair;
    for (uint32_t i = transfer->first; i < transfer->first + transfer->headers; i++) {
        if (isa_decode(u->o->text.data[i], &pair) != ISA_OK)
            continue;
        u->used[pair.rfh] |= transfer->src;
        u->used[pair.vrf] |= transfer->dst;
    }
}

/* VRF index of a group fixed at a place: RFH by RFH through the row, then the next row, as groups
 * lie elsewhere, but in the program's geometry. */
bool package_fixed_group_vrf(const struct object *object, const struct group *group, uint64_t index,
                             uint32_t *rfh, uint32_t *vrf) {
    const struct geometry *m = &object->geometry;
    uint64_t at = (uint64_t)group->at_vrf * m->rfhs + group->at_rfh + index;
    *rfh = (uint32_t)(at % m->rfhs);
    *vrf = (uint32_t)(at / m->rfhs < m->vrfs ? at / m->rfhs : 0);
    return group->at_rfh < m->rfhs && at / m->rfhs < m->vrfs;
}

/* begins[i] counts the groups that begin at VRF i of the geometry, less those that end there: each
 * group costs two steps however large it is. */
static void use_group(const struct object *object, const struct group *group, uint64_t elements,
                      int32_t *begins) {
    const struct geometry *m = &object->geometry;
    uint64_t all = (uint64_t)m->vrfs * m->rfhs;
    uint64_t first = (uint64_t)group->at_vrf * m->rfhs + group->at_rfh;
    uint64_t vrfs = elements / m->lanes + (elements % m->lanes != 0);
    if (group->at_rfh >= m->rfhs || first >= all)
        return;
    begins[first]++;
    begins[vrfs < all - first ? first + vrfs : all]--;
}

static void use_groups(const struct object *object, const int64_t *sizes, uint64_t used[MAX_RFHS]) {
    struct arena arena = {0};
    uint32_t *leader = ARENA_ARRAY(&arena, object->groups.len, uint32_t);
    uint64_t *most = ARENA_ARRAY(&arena, object->groups.len, uint64_t);
    int32_t *begins = ARENA_ARRAY(&arena, MAX_RFHS * MAX_VRFS + 1, int32_t);
    int32_t open = 0;
    link_find_kin(object, sizes, leader, most);
    for (uint32_t g = 0; g < object->groups.len; g++)
        if (leader[g] == g && object->groups.data[g].at_rfh != NO_INDEX)
            use_group(object, &object->groups.data[g], most[g], begins);
    for (uint32_t i = 0; i < object->geometry.vrfs * object->geometry.rfhs; i++) {
        open += begins[i];
        if (open > 0)
            used[i % object->geometry.rfhs] |= UINT64_C(1) << (i / object->geometry.rfhs);
    }
    arena_free(&arena);
}

void package_find_fixed(const struct object *object, const int64_t *sizes,
                        uint64_t used[MAX_RFHS]) {
    struct insn insn;
    for (uint32_t h = 0; h < MAX_RFHS; h++)
        used[h] = 0;
    for (uint32_t i = 0; i < object->text.len; i++)
        if (isa_decode(object->text.data[i], &insn) == ISA_OK && insn.op == OP_COMPUTE)
            used[insn.rfh] |= UINT64_C(1) << insn.vrf;
    visit_transfers(object, use_transfer, &(struct user){object, used});
    if (object->groups.len)
        use_groups(object, sizes, used);
}

const struct fixed_vrf *package_find_fixed_vrf(const struct package *package, uint32_t rfh,
                                               uint32_t vrf) {
    size_t low = 0, high = package->fixed_count;
    uint32_t key = rfh * MAX_VRFS + vrf;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fixed_vrf *f = &package->fixed[middle];
        if (f->rfh * MAX_VRFS + f->vrf < key)
            low = middle + 1;
        else
            high = middle;
    }
    const struct fixed_vrf *f = &package->fixed[low];
    return low < package->fixed_count && f->rfh == rfh && f->vrf == vrf ? f : NULL;
}

static bool keep_numbers(const struct target *target, const uint64_t used[MAX_RFHS]) {
    uint64_t vrfs =
        target->vrf_per_rfh >= MAX_VRFS ? UINT64_MAX : (UINT64_C(1) << target->vrf_per_rfh) - 1;
    for (uint32_t h = 0; h < MAX_RFHS; h++)
        if (used[h] && (h >= target->rfh_per_mpu || (used[h] & ~vrfs)))
            return false;
    return true;
}

static uint32_t count_vrfs(const uint64_t used[MAX_RFHS]) {
    uint32_t n = 0;
    for (uint32_t h = 0; h < MAX_RFHS; h++)
        n += (uint32_t)__builtin_popcountll(used[h]);
    return n;
}

/* Physical RFHs handed out so far: whole logical RFHs, one after the other. */
struct rfh_spread {
    uint32_t mpu_offset, next_rfh;
    bool identity;
};

/* The VRFs of logical RFH h: with the same numbers, or packed into physical RFHs from spread on. */
static void map_rfh(struct pack *pack, const struct rfh_spread *spread, uint32_t h, uint64_t used) {
    uint32_t v_per_rfh = pack->t->vrf_per_rfh, n = 0;
    for (uint32_t v = 0; v < MAX_VRFS; v++) {
        if (!(used >> v & 1))
            continue;
        pack->p->fixed[pack->p->fixed_count++] =
            spread->identity ? (struct fixed_vrf){h, v, 0, h, v}
                             : (struct fixed_vrf){h, v, spread->mpu_offset,
                                                  spread->next_rfh + n / v_per_rfh, n % v_per_rfh};
        n++;
    }
}

static bool spread_rfh(struct pack *pack, struct rfh_spread *spread, uint32_t h, uint64_t used) {
    uint32_t vrfs = (uint32_t)__builtin_popcountll(used);
    uint32_t need = (vrfs + pack->t->vrf_per_rfh - 1) / pack->t->vrf_per_rfh;
    if (need > pack->t->rfh_per_mpu) {
        diag_error(pack->d, NO_SPAN,
                   "RFH%" PRIu32 " uses %" PRIu32 " VRFs; an MPU of target '%s' has %" PRIu32, h,
                   vrfs, pack->t->name, target_vrfs_per_mpu(pack->t));
        return false;
    }
    if (spread->next_rfh + need > pack->t->rfh_per_mpu) {
        spread->mpu_offset++;
        spread->next_rfh = 0;
        diag_warning(pack->d, W_SPLIT_RFH, NO_SPAN,
                     "RFH%" PRIu32 " and what follows lie in MPU %" PRIu32
                     ": an MPU of target '%s' has %" PRIu32 " RFHs of %" PRIu32 " VRFs",
                     h, pack->p->image_first + spread->mpu_offset, pack->t->name,
                     pack->t->rfh_per_mpu, pack->t->vrf_per_rfh);
    }
    map_rfh(pack, spread, h, used);
    spread->next_rfh += need;
    return true;
}

static void check_split(struct pack *pack, const struct rfh_spread *spread) {
    uint64_t last = (uint64_t)pack->p->image_first + spread->mpu_offset;
    if (spread->mpu_offset == 0)
        return;
    if (pack->p->image_count > 1)
        diag_error(pack->d, NO_SPAN,
                   "the fixed VRFs of one MPU need %" PRIu32
                   " MPUs of target '%s', which a program for several MPUs does not have",
                   spread->mpu_offset + 1, pack->t->name);
    else if (last >= pack->mpu_limit)
        diag_error(pack->d, NO_SPAN,
                   "the fixed VRFs reach MPU %" PRIu64 "; target '%s' has %" PRIu32 " MPUs", last,
                   pack->t->name, pack->mpu_limit);
}

static void check_lanes(struct pack *pack) {
    if (pack->lanes.fixed < pack->program->geometry.lanes)
        diag_error(pack->d, NO_SPAN,
                   "the program's fixed VRFs have %u lanes (.geometry lanes=%u); a VRF of target "
                   "'%s' has %" PRIu32,
                   (unsigned)pack->program->geometry.lanes, (unsigned)pack->program->geometry.lanes,
                   pack->t->name, pack->lanes.fixed);
}

/* The VRF rows that fixed VRFs take in the MPUs of the image. */
static void take_rows(struct pack *pack) {
    for (size_t i = 0; i < pack->p->fixed_count; i++) {
        const struct fixed_vrf *f = &pack->p->fixed[i];
        for (uint32_t m = 0; m < pack->p->image_count; m++)
            pack->rows_used[pack->p->image_first + m + f->mpu_offset] |= UINT64_C(1) << f->phys_vrf;
    }
}

void package_build_fixed_map(struct pack *pack) {
    uint64_t *used = ARENA_ARRAY(&pack->scratch, MAX_RFHS, uint64_t);
    uint32_t before = diag_errors(pack->d);
    package_find_fixed(pack->program, pack->p->sizes, used);
    uint32_t count = count_vrfs(used);
    if (count == 0)
        return;
    struct rfh_spread s = {.identity = keep_numbers(pack->t, used)};
    pack->p->fixed = ARENA_ARRAY(&pack->p->arena, count, struct fixed_vrf);
    check_lanes(pack);
    for (uint32_t h = 0; h < MAX_RFHS; h++) {
        if (used[h] && s.identity)
            map_rfh(pack, &s, h, used[h]);
        else if (used[h] && !spread_rfh(pack, &s, h, used[h]))
            return;
    }
    check_split(pack, &s);
    if (diag_errors(pack->d) == before)
        take_rows(pack);
}
