/* SPDX-License-Identifier: MIT
 * Bytes to a package.  A digest finds damage; whatever can be derived from the program is derived
 * again and compared, and every number is checked, so that no package can make a machine read or
 * write beyond its state. */
#include "linker/linker.h"
#include "linker/package_format.h"
#include "linker/pack.h"
#include "object/bytes.h"
#include "support/file.h"

#include <inttypes.h>
#include <string.h>

struct package_reader {
    const struct object *program;
    const unsigned char *bytes;
    size_t size, at;
    struct package *p;
    struct diag *d;
    bool ok;
};

/* Reports the first problem. */
static bool fail(struct package_reader *r, const char *problem) {
    if (r->ok)
        diag_error(r->d, NO_SPAN, "the package cannot be used: %s (byte %zu of %zu)", problem,
                   r->at, r->size);
    r->ok = false;
    return false;
}

static bool need(struct package_reader *r, uint64_t count, uint64_t each) {
    if (!r->ok || count > (r->size - r->at) / each)
        return fail(r, "it is truncated");
    return true;
}

static uint32_t take_u32(struct package_reader *r) {
    if (!need(r, 1, 4))
        return 0;
    r->at += 4;
    return get_u32(r->bytes + r->at - 4);
}

static uint64_t take_u64(struct package_reader *r) {
    if (!need(r, 1, 8))
        return 0;
    r->at += 8;
    return get_u64(r->bytes + r->at - 8);
}

static const unsigned char *take_bytes(struct package_reader *r, size_t n) {
    if (!need(r, n, 1))
        return NULL;
    r->at += n;
    return r->bytes + r->at - n;
}

/* The number of records of `each` bytes that follow. */
static uint32_t take_count(struct package_reader *r, uint64_t each) {
    uint32_t n = take_u32(r);
    return need(r, n, each) ? n : 0;
}

static void read_header(struct package_reader *r) {
    char digest[65];
    if (take_u32(r) != PACKAGE_MAGIC) {
        fail(r, "it does not begin as a package does");
        return;
    }
    uint32_t version = take_u32(r);
    if (r->ok && version != PACKAGE_VERSION) {
        diag_warning(r->d, W_STALE_PACKAGE, NO_SPAN,
                     "the package is of version %" PRIu32 " of the format, not %d; it is not used",
                     version, PACKAGE_VERSION);
        r->ok = false;
        return;
    }
    const unsigned char *said = take_bytes(r, PACKAGE_DIGEST);
    if (!said)
        return;
    sha256_hex(r->bytes + r->at, r->size - r->at, digest);
    if (memcmp(said, digest, PACKAGE_DIGEST) != 0)
        fail(r, "it is damaged");
}

static void read_hash(struct package_reader *r, char out[65]) {
    const unsigned char *hash = take_bytes(r, 64);
    for (size_t i = 0; hash && i < 64; i++)
        if (!strchr("0123456789abcdef", hash[i]) || !hash[i])
            fail(r, "a hash is not a hash");
    if (hash && r->ok)
        memcpy(out, hash, 64);
}

static void read_target(struct package_reader *r) {
    uint32_t n = take_count(r, 1);
    const unsigned char *name = take_bytes(r, n);
    if (!name)
        return;
    r->p->target = arena_strndup(&r->p->arena, (const char *)name, n);
    if (!object_target_ok(r->p->target) || strlen(r->p->target) != n)
        fail(r, "its target has an impossible name");
    read_hash(r, r->p->target_hash);
    read_hash(r, r->p->program_hash);
}

static bool same_image(const struct package_reader *r) {
    uint32_t first, count;
    link_program_image(r->program, &first, &count);
    return r->p->image_first == first && r->p->image_count == count;
}

static void read_machine(struct package_reader *r) {
    struct package *p = r->p;
    p->lanes = take_u32(r);
    p->vrf_per_rfh = take_u32(r);
    p->rfh_per_mpu = take_u32(r);
    p->mpus = take_u32(r);
    p->image_first = take_u32(r);
    p->image_count = take_u32(r);
    if (!r->ok)
        return;
    if (p->lanes < 1 || p->lanes > OBJECT_MAX_LANES || p->vrf_per_rfh < 1 ||
        p->vrf_per_rfh > MAX_VRFS || p->rfh_per_mpu < 1 || p->rfh_per_mpu > MAX_RFHS)
        fail(r, "its machine is not possible");
    else if (p->mpus > PACKAGE_MAX_VRFS / (p->vrf_per_rfh * p->rfh_per_mpu) || p->image_count < 1 ||
             (uint64_t)p->image_first + p->image_count > p->mpus)
        fail(r, "its MPUs are not possible");
    else if (!same_image(r))
        fail(r, "its MPUs are not those of the program");
}

static bool size_possible(const struct package_reader *r, uint32_t i) {
    int64_t value = r->p->sizes[i], derived;
    if (r->program->sizes.data[i].op != SIZE_GIVEN)
        return object_size_value(r->program, i, r->p->sizes, &derived, NULL) && value == derived;
    return value >= 1 && value <= (int64_t)OBJECT_MAX_EXTENT &&
           object_size_allows(r->program, i, (uint64_t)value, NULL);
}

static void read_sizes(struct package_reader *r) {
    struct package *p = r->p;
    p->size_count = take_count(r, 8);
    if (r->ok && p->size_count != r->program->sizes.len)
        fail(r, "it has other sizes than the program");
    p->sizes = ARENA_ARRAY(&p->arena, r->ok ? p->size_count : 0, int64_t);
    for (uint32_t i = 0; r->ok && i < p->size_count; i++) {
        p->sizes[i] = (int64_t)take_u64(r);
        if (!size_possible(r, i))
            fail(r, "a size is out of range, or not what it is derived from");
    }
    if (r->ok && !link_check_extents(r->program, p->sizes, NULL))
        fail(r, "a size is not what an extent can be");
    for (uint32_t g = 0; r->ok && g < r->program->groups.len; g++)
        if (link_group_elements(r->program, p->sizes, g) == 0)
            fail(r, "a group is too large");
}

/* At most what a VRF has, the same for groups that share VRFs, and as the program says at a place.
 */
static bool values_possible(const struct package_reader *r) {
    const uint64_t *at = r->p->values;
    for (size_t i = 0; i < r->program->values.len; i++) {
        const struct value_decl *v = &r->program->values.data[i];
        for (uint32_t k = 0; k < object_value_count(v); k++)
            if (!object_value_holds(v->type, *at++))
                return false;
    }
    return true;
}

static void read_values(struct package_reader *r) {
    struct package *p = r->p;
    p->value_count = take_count(r, 8);
    if (r->ok && p->value_count != object_value_elements(r->program, NULL))
        fail(r, "it has other link-time values than the program");
    p->values = ARENA_ARRAY(&p->arena, r->ok ? p->value_count : 0, uint64_t);
    for (size_t i = 0; r->ok && i < p->value_count; i++)
        p->values[i] = take_u64(r);
    if (r->ok && !values_possible(r))
        fail(r, "a link-time value is not one of its type");
}

static bool group_lanes_possible(const struct package_reader *r, const uint32_t *lanes) {
    const struct object *o = r->program;
    for (uint32_t g = 0; g < o->groups.len; g++) {
        const struct group *x = &o->groups.data[g];
        if (lanes[g] < 1 || lanes[g] > r->p->lanes ||
            (x->like != NO_INDEX && lanes[g] != lanes[x->like]) ||
            (x->at_rfh != NO_INDEX && lanes[g] != o->geometry.lanes))
            return false;
    }
    return true;
}

static void read_group_lanes(struct package_reader *r) {
    struct package *p = r->p;
    uint32_t n = take_count(r, 4);
    if (r->ok && n != r->program->groups.len)
        fail(r, "it has other groups than the program");
    uint32_t *lanes = ARENA_ARRAY(&p->arena, r->ok ? n : 0, uint32_t);
    for (uint32_t g = 0; r->ok && g < n; g++)
        lanes[g] = take_u32(r);
    if (r->ok && !group_lanes_possible(r, lanes))
        fail(r, "the lanes of a group are not possible");
    p->group_lanes = lanes;
    p->group_count = r->ok ? n : 0;
}

/* Ranges are equal or disjoint, and equal ones follow one another. */
static bool finish_possible(const struct object *o, const uint8_t *by_host, uint32_t asked) {
    bool fine = asked < FINISH_CHOICES;
    for (size_t i = 0; fine && i < o->finishes.len; i++) {
        const struct finish_record *r = &o->finishes.data[i];
        bool same = i && r[-1].first == r->first;
        fine = by_host[i] <= 1 && !(same && by_host[i] != by_host[i - 1]) &&
               !(asked == FINISH_DEVICE && by_host[i]) && !(asked == FINISH_HOST && !by_host[i]);
    }
    return fine;
}

static void read_finish(struct package_reader *r) {
    uint32_t asked = take_u32(r), n = take_count(r, 1);
    const unsigned char *by_host = take_bytes(r, n);
    const struct package_finish f = {(enum finish_choice)asked, by_host};
    if (!r->ok)
        return;
    if (n != r->program->finishes.len || !finish_possible(r->program, by_host, asked))
        fail(r, "who finishes its reductions is not possible");
    else
        package_keep_finish(r->p, r->program, &f);
}

/* Whole rows, and the same for groups that share VRFs. */
static bool slices_possible(const struct package_reader *r, const uint64_t *slices) {
    const struct object *o = r->program;
    const struct package *p = r->p;
    for (uint32_t g = 0; g < o->groups.len; g++) {
        uint32_t like = o->groups.data[g].like;
        uint64_t row = (uint64_t)p->group_lanes[g] * p->rfh_per_mpu;
        if (slices[g] < 1 || slices[g] > OBJECT_MAX_EXTENT + row || slices[g] % row != 0 ||
            (like != NO_INDEX && slices[g] != slices[like]))
            return false;
    }
    return true;
}

static void read_slices(struct package_reader *r, uint32_t n) {
    struct package *p = r->p;
    struct rounds_obstacle obstacle;
    uint64_t *slices = ARENA_ARRAY(&p->arena, n, uint64_t);
    if (n != r->program->groups.len ||
        package_rounds_obstacle(r->program, p->finish.by_host, &obstacle)) {
        fail(r, "it cuts a program into rounds that cannot run in rounds");
        return;
    }
    for (uint32_t g = 0; g < n; g++)
        slices[g] = take_u64(r);
    if (r->ok && !slices_possible(r, slices))
        fail(r, "a slice of a group is not possible");
    else if (r->ok && p->rounds != package_count_rounds(r->program, p->sizes, slices))
        fail(r, "its rounds are not those that its slices need");
    p->slices = slices;
}

/* Where elements lie is said by the placements; this is what was asked and chosen. */
static void read_place(struct package_reader *r) {
    struct package_place *x = &r->p->place;
    uint32_t asked = take_u32(r), chosen = take_u32(r);
    x->mpus = take_u32(r);
    x->laps = take_u32(r);
    uint32_t in_part = take_u32(r);
    if (!r->ok)
        return;
    x->asked = (enum group_place)asked;
    x->chosen = (enum group_place)chosen;
    x->in_part = in_part != 0;
    bool chose = asked == PLACE_AUTO && (chosen == PLACE_PACKED || chosen == PLACE_SPREAD);
    bool said = asked < PLACE_AUTO && asked == chosen && !x->mpus && !x->laps && !in_part;
    if ((!chose && !said) || (x->mpus && chosen != PLACE_SPREAD) || in_part > 1)
        fail(r, "its place is not possible");
}

static void read_rounds(struct package_reader *r) {
    r->p->rounds = take_u64(r);
    uint32_t n = take_count(r, 8);
    if (r->ok && n)
        read_slices(r, n);
    if (r->ok && (r->p->rounds > 1) != (n != 0))
        fail(r, "its rounds are not those that its slices need");
}

static void read_calls(struct package_reader *r) {
    const struct object *o = r->program;
    struct package *p = r->p;
    uint32_t n = take_count(r, 1);
    const unsigned char *calls = take_bytes(r, n);
    if (!calls)
        return;
    if (n != o->calls.len)
        fail(r, "it has other calls than the program");
    uint8_t *kept = ARENA_ARRAY(&p->arena, n, uint8_t);
    for (uint32_t i = 0; r->ok && i < n; i++) {
        kept[i] = calls[i];
        if (calls[i] > 1 || (!calls[i] && o->calls.data[i].otherwise == NO_INDEX))
            fail(r, "a call is neither by a recipe nor by its 'else'");
    }
    p->calls = kept;
    p->call_count = n;
}

/* Derived from the program and the sizes: text and register map. */
static void derive(struct package_reader *r) {
    struct package *p = r->p;
    size_t n = r->program->text.len;
    if (!r->ok)
        return;
    p->text = ARENA_ARRAY(&p->arena, n, uint32_t);
    p->text_count = n;
    if (!link_patch_text(r->program, p->sizes, p->values, p->text, NULL))
        fail(r, "a size does not fit the text");
    link_patch_calls(r->program, p->calls, p->text);
    package_patch_finishes(r->program, &p->finish, p->text);
    package_program_registers(r->program, p->text, p->reg_bits);
    package_list_uses(p, p->text, n);
}

static void read_registers(struct package_reader *r) {
    const unsigned char *bits = take_bytes(r, sizeof r->p->reg_bits);
    if (bits && memcmp(bits, r->p->reg_bits, sizeof r->p->reg_bits) != 0)
        fail(r, "its register map is not that of the program");
}

static const struct machine *machine_named(const unsigned char *name, size_t n) {
    for (size_t i = 0; machine_list[i]; i++) {
        const char *known = machine_list[i]->kind->name;
        if (strlen(known) == n && memcmp(known, name, n) == 0)
            return machine_list[i];
    }
    return NULL;
}

static void stale_code(struct package_reader *r, const struct machine *m, uint32_t version) {
    diag_warning(r->d, W_STALE_PACKAGE, NO_SPAN,
                 "the package's code is of version %" PRIu32 " of the %s format, not %" PRIu32
                 "; it is not used",
                 version, m->kind->name, m->code_version);
    r->ok = false;
}

/* What needs the target is checked when its package is to be used: package_fresh. */
static void read_code(struct package_reader *r) {
    const char *problem;
    uint32_t n = take_count(r, 1);
    const unsigned char *name = take_bytes(r, n);
    const struct machine *m = name ? machine_named(name, n) : NULL;
    uint32_t version = take_u32(r), size = take_count(r, 1);
    const unsigned char *bytes = take_bytes(r, size);
    if (!bytes)
        return;
    if (!m) {
        fail(r, "its code is for no kind of machine that is known");
        return;
    }
    if (version != m->code_version) {
        stale_code(r, m, version);
        return;
    }
    r->p->code = m->read(bytes, size, &problem);
    if (!r->p->code)
        fail(r, problem);
}

static void read_patches(struct package_reader *r) {
    uint32_t n = take_count(r, PATCH_BYTES);
    if (!r->ok)
        return;
    link_list_patches(r->program, r->p);
    if (n != r->p->patch_count)
        fail(r, "it patches other words than those that depend on sizes");
    for (uint32_t i = 0; r->ok && i < n; i++) {
        uint32_t index = take_u32(r), word = take_u32(r);
        if (index != r->p->patches[i] || word != r->p->text[index])
            fail(r, "a patched word is not what the sizes make it");
    }
}

static bool fixed_possible(const struct package *p, const struct fixed_vrf *f) {
    return f->phys_rfh < p->rfh_per_mpu && f->phys_vrf < p->vrf_per_rfh &&
           (uint64_t)p->image_first + p->image_count + f->mpu_offset <= p->mpus;
}

/* The logical VRFs must be those that the program names, in order. */
static void read_fixed(struct package_reader *r) {
    struct package *p = r->p;
    uint32_t n = take_count(r, FIXED_BYTES);
    if (!r->ok)
        return;
    p->fixed = ARENA_ARRAY(&p->arena, n, struct fixed_vrf);
    uint64_t *used = ARENA_ARRAY(&p->arena, MAX_RFHS, uint64_t);
    package_find_fixed(r->program, p->sizes, used);
    for (uint32_t h = 0; h < MAX_RFHS; h++)
        for (uint64_t left = used[h]; r->ok && left; left &= left - 1) {
            if (p->fixed_count == n) {
                fail(r, "a fixed VRF of the program is missing");
                return;
            }
            struct fixed_vrf f = {take_u32(r), take_u32(r), take_u32(r), take_u32(r), take_u32(r)};
            p->fixed[p->fixed_count++] = f;
            if (f.rfh != h || f.vrf != (uint32_t)__builtin_ctzll(left) || !fixed_possible(p, &f))
                fail(r, "a fixed VRF is not one of the program or not one of the machine");
        }
    if (r->ok && n && r->program->geometry.lanes > p->lanes)
        fail(r, "its fixed VRFs have more lanes than its machine");
    if (r->ok && p->fixed_count != n)
        fail(r, "it has more fixed VRFs than the program");
}

static struct move_piece take_piece(struct package_reader *r) {
    struct move_piece x = {.fill = take_u32(r) == 1, .axes = take_u32(r)};
    x.dst = take_u64(r);
    x.src = take_u64(r);
    x.dst_reg = take_u32(r);
    x.src_reg = take_u32(r);
    if (x.axes > MOVE_MAX_AXES)
        fail(r, "a piece of a move has too many axes");
    for (uint32_t i = 0; r->ok && i < x.axes; i++) {
        x.axis[i].count = take_u64(r);
        x.axis[i].dst = (int64_t)take_u64(r);
        x.axis[i].src = (int64_t)take_u64(r);
        x.axis[i].dst_reg = (int32_t)take_u32(r);
        x.axis[i].src_reg = (int32_t)take_u32(r);
    }
    return x;
}

static bool same_piece(const struct move_piece *a, const struct move_piece *b) {
    bool same = a->fill == b->fill && a->axes == b->axes && a->dst == b->dst && a->src == b->src &&
                a->dst_reg == b->dst_reg && a->src_reg == b->src_reg;
    for (uint32_t i = 0; same && i < a->axes; i++) {
        const struct move_axis *x = &a->axis[i], *y = &b->axis[i];
        same = x->count == y->count && x->dst == y->dst && x->src == y->src &&
               x->dst_reg == y->dst_reg && x->src_reg == y->src_reg;
    }
    return same;
}

/* Each move is planned again; one with laps is when it is carried out. */
static void read_plan(struct package_reader *r, uint32_t move, struct move_plan *plan) {
    struct str problem = {0};
    uint32_t n = take_count(r, PIECE_BYTES);
    bool planned = r->ok && !r->program->moves.data[move].laps;
    if (planned &&
        !package_move_plan(r->program, r->p->sizes, move, NULL, &r->p->arena, plan, &problem))
        fail(r, "a move cannot be carried out");
    if (r->ok && n != plan->piece_count)
        fail(r, "a move has other pieces than the program's");
    for (uint32_t i = 0; r->ok && i < n; i++) {
        struct move_piece x = take_piece(r);
        if (r->ok && !same_piece(&x, &plan->pieces[i]))
            fail(r, "a piece of a move is not what the program makes it");
    }
    str_free(&problem);
}

static void read_moves(struct package_reader *r) {
    uint32_t n = take_count(r, 4);
    if (r->ok && n != r->program->moves.len)
        fail(r, "it has other moves than the program");
    struct move_plan *plans = ARENA_ARRAY(&r->p->arena, r->ok ? n : 0, struct move_plan);
    for (uint32_t i = 0; r->ok && i < n; i++)
        read_plan(r, i, &plans[i]);
    r->p->plans = plans;
    r->p->plan_count = r->ok ? n : 0;
}

static struct vrf_run take_run(struct package_reader *r) {
    struct vrf_run run = {0};
    run.group = take_u32(r);
    run.mpu = take_u32(r);
    run.rfh = take_u32(r);
    run.vrf = take_u32(r);
    run.vrfs = take_u32(r);
    run.lanes = take_u32(r);
    run.first = take_u64(r);
    run.count = take_u64(r);
    return run;
}

/* One VRF alone may say as lanes how many elements it has. */
static bool run_possible(const struct package *p, const struct vrf_run *run) {
    uint64_t vrfs_per_mpu = (uint64_t)p->vrf_per_rfh * p->rfh_per_mpu;
    uint64_t at = (uint64_t)run->vrf * p->rfh_per_mpu + run->rfh;
    if (run->group >= p->group_count || run->lanes > p->group_lanes[run->group] ||
        (run->vrfs > 1 && run->lanes != p->group_lanes[run->group]))
        return false;
    return run->mpu < p->mpus && run->rfh < p->rfh_per_mpu && run->vrf < p->vrf_per_rfh &&
           run->vrfs >= 1 && at + run->vrfs <= vrfs_per_mpu && run->lanes >= 1 &&
           run->count > (uint64_t)(run->vrfs - 1) * run->lanes &&
           run->count <= (uint64_t)run->vrfs * run->lanes;
}

/* Groups follow one another, in each its copies (one for each MPU of a group per MPU), and the runs
 * of each hold the elements of its first slice without a gap. */
struct progress {
    uint32_t group, copies;   /* left of the group, with the one at work */
    uint64_t elements, share; /* of each copy, in the slice and in all */
    uint64_t begin, placed;   /* first element of the copy, elements placed */
};

static bool next_copy(const struct package_reader *r, struct progress *now) {
    const struct object *o = r->program;
    now->placed = 0;
    now->begin += now->share;
    if (now->copies && --now->copies)
        return true;
    if (++now->group >= o->groups.len)
        return false;
    now->begin = 0;
    now->copies = o->groups.data[now->group].per_mpu ? grid_mpus(&o->geometry) : 1;
    now->elements = now->share = link_group_share(o, r->p->sizes, now->group);
    if (r->p->slices && r->p->slices[now->group] < now->elements)
        now->elements = r->p->slices[now->group];
    return true;
}

static bool run_follows(const struct package_reader *r, struct progress *now,
                        const struct vrf_run *run) {
    if (now->placed == now->elements && !next_copy(r, now))
        return false;
    if (run->group != now->group || run->first != now->begin + now->placed ||
        run->count > now->elements - now->placed ||
        now->placed % r->p->group_lanes[run->group] != 0)
        return false;
    now->placed += run->count;
    return true;
}

static bool all_placed(const struct package_reader *r, const struct progress *now) {
    return now->placed == now->elements && now->copies <= 1 &&
           now->group + 1 == r->program->groups.len;
}

static void expand_run(struct package *p, const struct vrf_run *run) {
    uint64_t at = (uint64_t)run->vrf * p->rfh_per_mpu + run->rfh, done = 0;
    for (uint32_t n = 0; n < run->vrfs; n++, at++, done += run->lanes) {
        uint64_t left = run->count - done;
        p->placements[p->placement_count++] =
            (struct placement){run->group,
                               run->mpu,
                               (uint32_t)(at % p->rfh_per_mpu),
                               (uint32_t)(at / p->rfh_per_mpu),
                               run->first + done,
                               (uint32_t)(left < run->lanes ? left : run->lanes)};
    }
}

/* Checks all runs and returns how many placements they are. */
static uint64_t check_runs(struct package_reader *r, uint32_t n, struct vrf_run *runs) {
    struct progress now = {.group = NO_INDEX};
    uint64_t total = 0;
    for (uint32_t i = 0; r->ok && i < n; i++) {
        runs[i] = take_run(r);
        total += runs[i].vrfs;
        if (!run_possible(r->p, &runs[i]) || !run_follows(r, &now, &runs[i]))
            fail(r, "a group's placement is not possible");
    }
    if (r->ok && !all_placed(r, &now))
        fail(r, "a group's placement is not complete");
    if (r->ok && total > PACKAGE_MAX_VRFS)
        fail(r, "its groups have more VRFs than any machine");
    return r->ok ? total : 0;
}

static void read_runs(struct package_reader *r) {
    struct package *p = r->p;
    uint32_t n = take_count(r, RUN_BYTES);
    struct vrf_run *runs = xcalloc((size_t)n + 1, sizeof *runs);
    uint64_t total = check_runs(r, n, runs);
    p->placements = ARENA_ARRAY(&p->arena, total, struct placement);
    for (uint32_t i = 0; r->ok && i < n; i++)
        expand_run(p, &runs[i]);
    free(runs);
    if (r->ok && r->at != r->size)
        fail(r, "something follows it");
}

struct package *package_read(const struct object *program, const void *bytes, size_t size,
                             struct diag *d) {
    void (*const steps[])(struct package_reader *) = {
        read_header, read_target,  read_machine, read_sizes, read_values, read_group_lanes,
        read_finish, read_rounds,  read_place,   read_calls, derive,      read_registers,
        read_code,   read_patches, read_fixed,   read_moves, read_runs,
    };
    struct package *p = xcalloc(1, sizeof *p);
    struct package_reader r = {
        .program = program, .bytes = bytes, .size = size, .p = p, .d = d, .ok = true};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && r.ok; i++)
        steps[i](&r);
    if (r.ok)
        return p;
    package_free(p);
    return NULL;
}
