/* SPDX-License-Identifier: MIT
 * Bytes to a package.  A digest finds damage; whatever can be derived from the program is derived
 * again and compared, and every number is checked, so that no package can make a machine read or
 * write beyond its state. */
#include "linker/linker.h"
#include "linker/package/package_format.h"
#include "linker/package/pack.h"
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
static bool fail(struct package_reader *reader, const char *problem) {
    if (reader->ok)
        diag_error(reader->d, NO_SPAN, "the package cannot be used: %s (byte %zu of %zu)", problem,
                   reader->at, reader->size);
    reader->ok = false;
    return false;
}

static bool need(struct package_reader *reader, uint64_t count, uint64_t each) {
    if (!reader->ok || count > (reader->size - reader->at) / each)
        return fail(reader, "it is truncated");
    return true;
}

static uint32_t take_u32(struct package_reader *reader) {
    if (!need(reader, 1, 4))
        return 0;
    reader->at += 4;
    return get_u32(reader->bytes + reader->at - 4);
}

static uint64_t take_u64(struct package_reader *reader) {
    if (!need(reader, 1, 8))
        return 0;
    reader->at += 8;
    return get_u64(reader->bytes + reader->at - 8);
}

static const unsigned char *take_bytes(struct package_reader *reader, size_t n) {
    if (!need(reader, n, 1))
        return NULL;
    reader->at += n;
    return reader->bytes + reader->at - n;
}

/* The number of records of `each` bytes that follow. */
static uint32_t take_count(struct package_reader *reader, uint64_t each) {
    uint32_t n = take_u32(reader);
    return need(reader, n, each) ? n : 0;
}

static void read_header(struct package_reader *reader) {
    char digest[65];
    if (take_u32(reader) != PACKAGE_MAGIC) {
        fail(reader, "it does not begin as a package does");
        return;
    }
    uint32_t version = take_u32(reader);
    if (reader->ok && version != PACKAGE_VERSION) {
        diag_warning(reader->d, W_STALE_PACKAGE, NO_SPAN,
                     "the package is of version %" PRIu32 " of the format, not %d; it is not used",
                     version, PACKAGE_VERSION);
        reader->ok = false;
        return;
    }
    const unsigned char *said = take_bytes(reader, PACKAGE_DIGEST);
    if (!said)
        return;
    sha256_hex(reader->bytes + reader->at, reader->size - reader->at, digest);
    if (memcmp(said, digest, PACKAGE_DIGEST) != 0)
        fail(reader, "it is damaged");
}

static void read_hash(struct package_reader *reader, char out[65]) {
    const unsigned char *hash = take_bytes(reader, 64);
    for (size_t i = 0; hash && i < 64; i++)
        if (!strchr("0123456789abcdef", hash[i]) || !hash[i])
            fail(reader, "a hash is not a hash");
    if (hash && reader->ok)
        memcpy(out, hash, 64);
}

static void read_target(struct package_reader *reader) {
    uint32_t n = take_count(reader, 1);
    const unsigned char *name = take_bytes(reader, n);
    if (!name)
        return;
    reader->p->target = arena_strndup(&reader->p->arena, (const char *)name, n);
    if (!object_target_ok(reader->p->target) || strlen(reader->p->target) != n)
        fail(reader, "its target has an impossible name");
    read_hash(reader, reader->p->target_hash);
    read_hash(reader, reader->p->program_hash);
}

static bool same_image(const struct package_reader *reader) {
    uint32_t first, count;
    link_program_image(reader->program, &first, &count);
    return reader->p->image_first == first && reader->p->image_count == count;
}

static void read_machine(struct package_reader *reader) {
    struct package *p = reader->p;
    p->lanes = take_u32(reader);
    p->vrf_per_rfh = take_u32(reader);
    p->rfh_per_mpu = take_u32(reader);
    p->mpus = take_u32(reader);
    p->image_first = take_u32(reader);
    p->image_count = take_u32(reader);
    if (!reader->ok)
        return;
    if (p->lanes < 1 || p->lanes > OBJECT_MAX_LANES || p->vrf_per_rfh < 1 ||
        p->vrf_per_rfh > MAX_VRFS || p->rfh_per_mpu < 1 || p->rfh_per_mpu > MAX_RFHS)
        fail(reader, "its machine is not possible");
    else if (p->mpus > PACKAGE_MAX_VRFS / (p->vrf_per_rfh * p->rfh_per_mpu) || p->image_count < 1 ||
             (uint64_t)p->image_first + p->image_count > p->mpus)
        fail(reader, "its MPUs are not possible");
    else if (!same_image(reader))
        fail(reader, "its MPUs are not those of the program");
}

static bool size_possible(const struct package_reader *reader, uint32_t index) {
    int64_t value = reader->p->sizes[index], derived;
    if (reader->program->sizes.data[index].op != SIZE_GIVEN)
        return object_size_value(reader->program, index, reader->p->sizes, &derived, NULL) &&
               value == derived;
    return value >= 1 && value <= (int64_t)OBJECT_MAX_EXTENT &&
           object_size_allows(reader->program, index, (uint64_t)value, NULL);
}

static void read_sizes(struct package_reader *reader) {
    struct package *p = reader->p;
    p->size_count = take_count(reader, 8);
    if (reader->ok && p->size_count != reader->program->sizes.len)
        fail(reader, "it has other sizes than the program");
    p->sizes = ARENA_ARRAY(&p->arena, reader->ok ? p->size_count : 0, int64_t);
    for (uint32_t i = 0; reader->ok && i < p->size_count; i++) {
        p->sizes[i] = (int64_t)take_u64(reader);
        if (!size_possible(reader, i))
            fail(reader, "a size is out of range, or not what it is derived from");
    }
    if (reader->ok && !link_check_extents(reader->program, p->sizes, NULL))
        fail(reader, "a size is not what an extent can be");
    for (uint32_t g = 0; reader->ok && g < reader->program->groups.len; g++)
        if (link_group_elements(reader->program, p->sizes, g) == 0)
            fail(reader, "a group is too large");
}

/* At most what a VRF has, the same for groups that share VRFs, and as the program says at a place.
 */
static bool values_possible(const struct package_reader *reader) {
    const uint64_t *at = reader->p->values;
    for (size_t i = 0; i < reader->program->values.len; i++) {
        const struct value_decl *v = &reader->program->values.data[i];
        for (uint32_t k = 0; k < object_value_count(v); k++)
            if (!object_value_holds(v->type, *at++))
                return false;
    }
    return true;
}

static void read_values(struct package_reader *reader) {
    struct package *p = reader->p;
    p->value_count = take_count(reader, 8);
    if (reader->ok && p->value_count != object_value_elements(reader->program, NULL))
        fail(reader, "it has other link-time values than the program");
    p->values = ARENA_ARRAY(&p->arena, reader->ok ? p->value_count : 0, uint64_t);
    for (size_t i = 0; reader->ok && i < p->value_count; i++)
        p->values[i] = take_u64(reader);
    if (reader->ok && !values_possible(reader))
        fail(reader, "a link-time value is not one of its type");
}

static bool group_lanes_possible(const struct package_reader *reader, const uint32_t *lanes) {
    const struct object *o = reader->program;
    for (uint32_t g = 0; g < o->groups.len; g++) {
        const struct group *x = &o->groups.data[g];
        if (lanes[g] < 1 || lanes[g] > reader->p->lanes ||
            (x->like != NO_INDEX && lanes[g] != lanes[x->like]) ||
            (x->at_rfh != NO_INDEX && lanes[g] != o->geometry.lanes))
            return false;
    }
    return true;
}

static void read_group_lanes(struct package_reader *reader) {
    struct package *p = reader->p;
    uint32_t n = take_count(reader, 4);
    if (reader->ok && n != reader->program->groups.len)
        fail(reader, "it has other groups than the program");
    uint32_t *lanes = ARENA_ARRAY(&p->arena, reader->ok ? n : 0, uint32_t);
    for (uint32_t g = 0; reader->ok && g < n; g++)
        lanes[g] = take_u32(reader);
    if (reader->ok && !group_lanes_possible(reader, lanes))
        fail(reader, "the lanes of a group are not possible");
    p->group_lanes = lanes;
    p->group_count = reader->ok ? n : 0;
}

/* Ranges are equal or disjoint, and equal ones follow one another. */
static bool finish_possible(const struct object *object, const uint8_t *by_host, uint32_t asked) {
    bool fine = asked < FINISH_CHOICES;
    for (size_t i = 0; fine && i < object->finishes.len; i++) {
        const struct finish_record *r = &object->finishes.data[i];
        bool same = i && r[-1].first == r->first;
        fine = by_host[i] <= 1 && !(same && by_host[i] != by_host[i - 1]) &&
               !(asked == FINISH_DEVICE && by_host[i]) && !(asked == FINISH_HOST && !by_host[i]);
    }
    return fine;
}

static void read_finish(struct package_reader *reader) {
    uint32_t asked = take_u32(reader), n = take_count(reader, 1);
    const unsigned char *by_host = take_bytes(reader, n);
    const struct package_finish f = {(enum finish_choice)asked, by_host};
    if (!reader->ok)
        return;
    if (n != reader->program->finishes.len || !finish_possible(reader->program, by_host, asked))
        fail(reader, "who finishes its reductions is not possible");
    else
        package_keep_finish(reader->p, reader->program, &f);
}

/* Whole rows, and the same for groups that share VRFs. */
static bool slices_possible(const struct package_reader *reader, const uint64_t *slices) {
    const struct object *o = reader->program;
    const struct package *p = reader->p;
    for (uint32_t g = 0; g < o->groups.len; g++) {
        uint32_t like = o->groups.data[g].like;
        uint64_t row = (uint64_t)p->group_lanes[g] * p->rfh_per_mpu;
        if (slices[g] < 1 || slices[g] > OBJECT_MAX_EXTENT + row || slices[g] % row != 0 ||
            (like != NO_INDEX && slices[g] != slices[like]))
            return false;
    }
    return true;
}

static void read_slices(struct package_reader *reader, uint32_t n) {
    struct package *p = reader->p;
    struct rounds_obstacle obstacle;
    uint64_t *slices = ARENA_ARRAY(&p->arena, n, uint64_t);
    if (n != reader->program->groups.len ||
        package_rounds_obstacle(reader->program, p->finish.by_host, &obstacle)) {
        fail(reader, "it cuts a program into rounds that cannot run in rounds");
        return;
    }
    for (uint32_t g = 0; g < n; g++)
        slices[g] = take_u64(reader);
    if (reader->ok && !slices_possible(reader, slices))
        fail(reader, "a slice of a group is not possible");
    else if (reader->ok && p->rounds != package_count_rounds(reader->program, p->sizes, slices))
        fail(reader, "its rounds are not those that its slices need");
    p->slices = slices;
}

/* Where elements lie is said by the placements; this is what was asked and chosen. */
static void read_place(struct package_reader *reader) {
    struct package_place *x = &reader->p->place;
    uint32_t asked = take_u32(reader), chosen = take_u32(reader);
    x->mpus = take_u32(reader);
    x->laps = take_u32(reader);
    uint32_t in_part = take_u32(reader);
    if (!reader->ok)
        return;
    x->asked = (enum group_place)asked;
    x->chosen = (enum group_place)chosen;
    x->in_part = in_part != 0;
    bool chose = asked == PLACE_AUTO && (chosen == PLACE_PACKED || chosen == PLACE_SPREAD);
    bool said = asked < PLACE_AUTO && asked == chosen && !x->mpus && !x->laps && !in_part;
    if ((!chose && !said) || (x->mpus && chosen != PLACE_SPREAD) || in_part > 1)
        fail(reader, "its place is not possible");
}

static void read_rounds(struct package_reader *reader) {
    reader->p->rounds = take_u64(reader);
    uint32_t n = take_count(reader, 8);
    if (reader->ok && n)
        read_slices(reader, n);
    if (reader->ok && (reader->p->rounds > 1) != (n != 0))
        fail(reader, "its rounds are not those that its slices need");
}

static void read_calls(struct package_reader *reader) {
    const struct object *o = reader->program;
    struct package *p = reader->p;
    uint32_t n = take_count(reader, 1);
    const unsigned char *calls = take_bytes(reader, n);
    if (!calls)
        return;
    if (n != o->calls.len)
        fail(reader, "it has other calls than the program");
    uint8_t *kept = ARENA_ARRAY(&p->arena, n, uint8_t);
    for (uint32_t i = 0; reader->ok && i < n; i++) {
        kept[i] = calls[i];
        if (calls[i] > 1 || (!calls[i] && o->calls.data[i].otherwise == NO_INDEX))
            fail(reader, "a call is neither by a recipe nor by its 'else'");
    }
    p->calls = kept;
    p->call_count = n;
}

static void read_kernel(struct package_reader *reader, struct package_kernel *out) {
    uint32_t size = take_count(reader, 1);
    const unsigned char *code = take_bytes(reader, size);
    uint32_t count = take_count(reader, 4);
    uint32_t *lines = ARENA_ARRAY(&reader->p->arena, (size_t)count + 1, uint32_t);
    for (uint32_t i = 0; i < count; i++)
        lines[i] = take_u32(reader);
    const unsigned char *bits = take_bytes(reader, sizeof out->reg_bits);
    out->mpus = take_u32(reader);
    if (!reader->ok || !code || !bits)
        return;
    out->code = arena_copy(&reader->p->arena, (const char *)code, size);
    out->size = size;
    out->lines = lines;
    out->line_count = count;
    memcpy(out->reg_bits, bits, sizeof out->reg_bits);
    for (unsigned r = 0; r < 64; r++)
        if (bits[r] > 64)
            fail(reader, "a kernel works on registers of more than 64 bits");
}

static void read_module(struct package_reader *reader, struct package_module *out) {
    struct arena *arena = &reader->p->arena;
    uint32_t size = take_count(reader, 1);
    const unsigned char *data = take_bytes(reader, size);
    uint32_t count = take_count(reader, sizeof(uint64_t));
    uint64_t *places = ARENA_ARRAY(arena, (size_t)count + 1, uint64_t);
    for (uint32_t i = 0; reader->ok && i < count; i++) {
        places[i] = take_u64(reader);
        if (places[i] > size || size - places[i] < 8)
            fail(reader, "an address lies beyond the data of its module");
    }
    if (reader->ok && data)
        *out = (struct package_module){arena_copy(arena, (const char *)data, size), size, places,
                                       count};
}

static void read_modules(struct package_reader *reader) {
    struct package *p = reader->p;
    size_t count = reader->program->modules.len;
    struct package_module *list = ARENA_ARRAY(&p->arena, count + 1, struct package_module);
    p->modules = list;
    p->module_count = count;
    for (size_t i = 0; reader->ok && i < count; i++)
        read_module(reader, &list[i]);
}

/* Of a program with kernels alone.  Whether the machine would make the same of them is asked when
 * the package is to be used: package_fresh. */
static void read_kernels(struct package_reader *reader) {
    const struct object *o = reader->program;
    struct package *p = reader->p;
    struct package_kernel *list = ARENA_ARRAY(&p->arena, o->kernels.len + 1, struct package_kernel);
    p->kernels = list;
    p->kernel_count = o->kernels.len;
    for (size_t i = 0; reader->ok && i < o->calls.len; i++) {
        if (!package_call_kernel(o, i))
            continue;
        if (p->launches && !p->calls[i])
            fail(reader, "it launches some kernels and not others");
        p->launches |= p->calls[i];
    }
    for (size_t i = 0; reader->ok && i < o->kernels.len; i++)
        read_kernel(reader, &list[i]);
    read_modules(reader);
}

/* Of a program that launches kernels alone. */
static void read_buffers(struct package_reader *reader) {
    const struct object *o = reader->program;
    struct package *p = reader->p;
    struct str problem = {0};
    const struct kernel_decl *kernel;
    if (!p->launches)
        return;
    struct machine_buffer *list = ARENA_ARRAY(&p->arena, o->buffers.len + 1, struct machine_buffer);
    for (uint32_t i = 0; reader->ok && i < o->buffers.len; i++) {
        uint32_t layout = take_u32(reader);
        list[i].layout = (enum machine_layout)layout;
        list[i].unit = take_u64(reader);
        list[i].halo = take_u64(reader);
        if (reader->ok &&
            (layout >= LAYOUTS || package_layout_problem(o, p->sizes, i, &list[i], &problem)))
            fail(reader, "a buffer does not lie in a possible way");
    }
    p->buffers = list;
    p->buffer_count = o->buffers.len;
    if (reader->ok && p->rounds > 1 && !package_launches_in_rounds(p, o, &kernel, &problem))
        fail(reader, "it launches kernels that do not go in rounds, and runs in rounds");
    str_clear(&problem);
    if (reader->ok && !package_launches_possible(p, o, NULL, &problem))
        fail(reader, str_text(&problem));
    str_free(&problem);
}

/* Derived from the program and the sizes: text and register map. */
static void derive(struct package_reader *reader) {
    struct package *p = reader->p;
    size_t n = reader->program->text.len;
    if (!reader->ok)
        return;
    p->text = ARENA_ARRAY(&p->arena, n, uint32_t);
    p->text_count = n;
    if (!link_patch_text(reader->program, p->sizes, p->values, p->text, NULL))
        fail(reader, "a size does not fit the text");
    if (!package_fill_luts(reader->program, p->sizes, p->values, &p->arena, &p->luts, NULL))
        fail(reader, "a size or value does not fit a table");
    link_patch_calls(reader->program, p->calls, p->text);
    package_patch_finishes(reader->program, &p->finish, p->text);
    package_program_registers(reader->program, p->text, p->reg_bits);
    package_widen_kernels(p, p->reg_bits);
    p->taken = package_find_taken(p, reader->program, &p->arena);
    package_list_uses(p, reader->program, p->text, n);
    package_find_unplaced(p, reader->program);
}

static void read_registers(struct package_reader *reader) {
    const unsigned char *bits = take_bytes(reader, sizeof reader->p->reg_bits);
    if (bits && memcmp(bits, reader->p->reg_bits, sizeof reader->p->reg_bits) != 0)
        fail(reader, "its register map is not that of the program");
}

static const struct machine *machine_named(const unsigned char *name, size_t n) {
    for (size_t i = 0; machine_list[i]; i++) {
        const char *known = machine_list[i]->kind->name;
        if (strlen(known) == n && memcmp(known, name, n) == 0)
            return machine_list[i];
    }
    return NULL;
}

static void stale_code(struct package_reader *reader, const struct machine *machine,
                       uint32_t version) {
    diag_warning(reader->d, W_STALE_PACKAGE, NO_SPAN,
                 "the package's code is of version %" PRIu32 " of the %s format, not %" PRIu32
                 "; it is not used",
                 version, machine->kind->name, machine->code_version);
    reader->ok = false;
}

/* What needs the target is checked when its package is to be used: package_fresh. */
static void read_code(struct package_reader *reader) {
    const char *problem;
    uint32_t n = take_count(reader, 1);
    const unsigned char *name = take_bytes(reader, n);
    const struct machine *m = name ? machine_named(name, n) : NULL;
    uint32_t version = take_u32(reader), size = take_count(reader, 1);
    const unsigned char *bytes = take_bytes(reader, size);
    if (!bytes)
        return;
    if (!m) {
        fail(reader, "its code is for no kind of machine that is known");
        return;
    }
    if (version != m->code_version) {
        stale_code(reader, m, version);
        return;
    }
    reader->p->code = machine_code_read(m, bytes, size, &problem);
    if (!reader->p->code)
        fail(reader, problem);
}

static void find_kin(struct package_reader *reader) {
    if (reader->ok)
        package_find_kin(reader->p, reader->program, NULL, reader->p->code->machine);
}

static void read_patches(struct package_reader *reader) {
    uint32_t n = take_count(reader, PATCH_BYTES);
    if (!reader->ok)
        return;
    link_list_patches(reader->program, reader->p);
    if (n != reader->p->patch_count)
        fail(reader, "it patches other words than those that depend on sizes");
    for (uint32_t i = 0; reader->ok && i < n; i++) {
        uint32_t index = take_u32(reader), word = take_u32(reader);
        if (index != reader->p->patches[i] || word != reader->p->text[index])
            fail(reader, "a patched word is not what the sizes make it");
    }
}

static bool fixed_possible(const struct package *package, const struct fixed_vrf *vrf) {
    return vrf->phys_rfh < package->rfh_per_mpu && vrf->phys_vrf < package->vrf_per_rfh &&
           (uint64_t)package->image_first + package->image_count + vrf->mpu_offset <= package->mpus;
}

/* The logical VRFs must be those that the program names, in order. */
static void read_fixed(struct package_reader *reader) {
    struct package *p = reader->p;
    uint32_t n = take_count(reader, FIXED_BYTES);
    if (!reader->ok)
        return;
    p->fixed = ARENA_ARRAY(&p->arena, n, struct fixed_vrf);
    uint64_t *used = ARENA_ARRAY(&p->arena, MAX_RFHS, uint64_t);
    package_find_fixed(reader->program, p->sizes, used);
    for (uint32_t h = 0; h < MAX_RFHS; h++)
        for (uint64_t left = used[h]; reader->ok && left; left &= left - 1) {
            if (p->fixed_count == n) {
                fail(reader, "a fixed VRF of the program is missing");
                return;
            }
            struct fixed_vrf f = {take_u32(reader), take_u32(reader), take_u32(reader),
                                  take_u32(reader), take_u32(reader)};
            p->fixed[p->fixed_count++] = f;
            if (f.rfh != h || f.vrf != (uint32_t)__builtin_ctzll(left) || !fixed_possible(p, &f))
                fail(reader, "a fixed VRF is not one of the program or not one of the machine");
        }
    if (reader->ok && n && reader->program->geometry.lanes > p->lanes)
        fail(reader, "its fixed VRFs have more lanes than its machine");
    if (reader->ok && p->fixed_count != n)
        fail(reader, "it has more fixed VRFs than the program");
}

static struct move_piece take_piece(struct package_reader *reader) {
    struct move_piece x = {.fill = take_u32(reader) == 1, .axes = take_u32(reader)};
    x.dst = take_u64(reader);
    x.src = take_u64(reader);
    x.dst_reg = take_u32(reader);
    x.src_reg = take_u32(reader);
    if (x.axes > MOVE_MAX_AXES)
        fail(reader, "a piece of a move has too many axes");
    for (uint32_t i = 0; reader->ok && i < x.axes; i++) {
        x.axis[i].count = take_u64(reader);
        x.axis[i].dst = (int64_t)take_u64(reader);
        x.axis[i].src = (int64_t)take_u64(reader);
        x.axis[i].dst_reg = (int32_t)take_u32(reader);
        x.axis[i].src_reg = (int32_t)take_u32(reader);
    }
    return x;
}

static bool same_piece(const struct move_piece *left, const struct move_piece *right) {
    bool same = left->fill == right->fill && left->axes == right->axes && left->dst == right->dst &&
                left->src == right->src && left->dst_reg == right->dst_reg &&
                left->src_reg == right->src_reg;
    for (uint32_t i = 0; same && i < left->axes; i++) {
        const struct move_axis *x = &left->axis[i], *y = &right->axis[i];
        same = x->count == y->count && x->dst == y->dst && x->src == y->src &&
               x->dst_reg == y->dst_reg && x->src_reg == y->src_reg;
    }
    return same;
}

/* Each move is planned again; one with laps is when it is carried out. */
static void read_plan(struct package_reader *reader, uint32_t move, struct move_plan *plan) {
    struct str problem = {0};
    uint32_t n = take_count(reader, PIECE_BYTES);
    bool planned = reader->ok && !reader->program->moves.data[move].laps &&
                   !package_move_unplaced(reader->p, reader->program, move);
    if (planned && !package_move_plan(reader->program, reader->p->sizes, move, NULL,
                                      &reader->p->arena, plan, &problem))
        fail(reader, "a move cannot be carried out");
    if (reader->ok && n != plan->piece_count)
        fail(reader, "a move has other pieces than the program's");
    for (uint32_t i = 0; reader->ok && i < n; i++) {
        struct move_piece x = take_piece(reader);
        if (reader->ok && !same_piece(&x, &plan->pieces[i]))
            fail(reader, "a piece of a move is not what the program makes it");
    }
    str_free(&problem);
}

static void read_moves(struct package_reader *reader) {
    uint32_t n = take_count(reader, 4);
    if (reader->ok && n != reader->program->moves.len)
        fail(reader, "it has other moves than the program");
    struct move_plan *plans = ARENA_ARRAY(&reader->p->arena, reader->ok ? n : 0, struct move_plan);
    for (uint32_t i = 0; reader->ok && i < n; i++)
        read_plan(reader, i, &plans[i]);
    reader->p->plans = plans;
    reader->p->plan_count = reader->ok ? n : 0;
}

static struct vrf_run take_run(struct package_reader *reader) {
    struct vrf_run run = {0};
    run.group = take_u32(reader);
    run.mpu = take_u32(reader);
    run.rfh = take_u32(reader);
    run.vrf = take_u32(reader);
    run.vrfs = take_u32(reader);
    run.lanes = take_u32(reader);
    run.first = take_u64(reader);
    run.count = take_u64(reader);
    return run;
}

/* One VRF alone may say as lanes how many elements it has. */
static bool run_possible(const struct package *package, const struct vrf_run *run) {
    uint64_t vrfs_per_mpu = (uint64_t)package->vrf_per_rfh * package->rfh_per_mpu;
    uint64_t at = (uint64_t)run->vrf * package->rfh_per_mpu + run->rfh;
    if (run->group >= package->group_count || run->lanes > package->group_lanes[run->group] ||
        (run->vrfs > 1 && run->lanes != package->group_lanes[run->group]))
        return false;
    return run->mpu < package->mpus && run->rfh < package->rfh_per_mpu &&
           run->vrf < package->vrf_per_rfh && run->vrfs >= 1 && at + run->vrfs <= vrfs_per_mpu &&
           run->lanes >= 1 && run->count > (uint64_t)(run->vrfs - 1) * run->lanes &&
           run->count <= (uint64_t)run->vrfs * run->lanes;
}

/* Groups follow one another, in each its copies (one for each MPU of a group per MPU), and the runs
 * of each hold the elements of its first slice without a gap. */
struct progress {
    uint32_t group, copies;   /* left of the group, with the one at work */
    uint64_t elements, share; /* of each copy, in the slice and in all */
    uint64_t begin, placed;   /* first element of the copy, elements placed */
};

/* Behind a group (NO_INDEX: the first), those that need no room passed over. */
static uint32_t next_group(const struct package_reader *reader, uint32_t group) {
    do
        group++;
    while (group < reader->program->groups.len && reader->p->unplaced[group]);
    return group;
}

static bool next_copy(const struct package_reader *reader, struct progress *now) {
    const struct object *o = reader->program;
    now->placed = 0;
    now->begin += now->share;
    if (now->copies && --now->copies)
        return true;
    now->group = next_group(reader, now->group);
    if (now->group >= o->groups.len)
        return false;
    now->begin = 0;
    now->copies = o->groups.data[now->group].per_mpu ? grid_mpus(&o->geometry) : 1;
    now->elements = now->share = link_group_share(o, reader->p->sizes, now->group);
    if (reader->p->slices && reader->p->slices[now->group] < now->elements)
        now->elements = reader->p->slices[now->group];
    return true;
}

static bool run_follows(const struct package_reader *reader, struct progress *now,
                        const struct vrf_run *run) {
    if (now->placed == now->elements && !next_copy(reader, now))
        return false;
    if (run->group != now->group || run->first != now->begin + now->placed ||
        run->count > now->elements - now->placed ||
        now->placed % reader->p->group_lanes[run->group] != 0)
        return false;
    now->placed += run->count;
    return true;
}

static bool all_placed(const struct package_reader *reader, const struct progress *now) {
    return now->placed == now->elements && now->copies <= 1 &&
           next_group(reader, now->group) == reader->program->groups.len;
}

static void expand_run(struct package *package, const struct vrf_run *run) {
    uint64_t at = (uint64_t)run->vrf * package->rfh_per_mpu + run->rfh, done = 0;
    for (uint32_t n = 0; n < run->vrfs; n++, at++, done += run->lanes) {
        uint64_t left = run->count - done;
        package->placements[package->placement_count++] =
            (struct placement){run->group,
                               run->mpu,
                               (uint32_t)(at % package->rfh_per_mpu),
                               (uint32_t)(at / package->rfh_per_mpu),
                               run->first + done,
                               (uint32_t)(left < run->lanes ? left : run->lanes)};
    }
}

/* Checks all runs and returns how many placements they are. */
static uint64_t check_runs(struct package_reader *reader, uint32_t n, struct vrf_run *runs) {
    struct progress now = {.group = NO_INDEX};
    uint64_t total = 0;
    for (uint32_t i = 0; reader->ok && i < n; i++) {
        runs[i] = take_run(reader);
        total += runs[i].vrfs;
        if (!run_possible(reader->p, &runs[i]) || !run_follows(reader, &now, &runs[i]))
            fail(reader, "a group's placement is not possible");
    }
    if (reader->ok && !all_placed(reader, &now))
        fail(reader, "a group's placement is not complete");
    if (reader->ok && total > PACKAGE_MAX_VRFS)
        fail(reader, "its groups have more VRFs than any machine");
    return reader->ok ? total : 0;
}

static void read_runs(struct package_reader *reader) {
    struct package *p = reader->p;
    uint32_t n = take_count(reader, RUN_BYTES);
    struct vrf_run *runs = xcalloc((size_t)n + 1, sizeof *runs);
    uint64_t total = check_runs(reader, n, runs);
    p->placements = ARENA_ARRAY(&p->arena, total, struct placement);
    for (uint32_t i = 0; reader->ok && i < n; i++)
        expand_run(p, &runs[i]);
    free(runs);
    if (reader->ok && reader->at != reader->size)
        fail(reader, "something follows it");
}

/* One package has one form: numbers that mean the same, and placements cut into more runs than
 * there are, are nobody's. */
static void check_form(struct package_reader *reader) {
    struct str written = {0};
    if (!reader->ok)
        return;
    package_write(reader->p, &written);
    if (written.len != reader->size || memcmp(written.text, reader->bytes, written.len) != 0)
        fail(reader, "it has not the form that packages are written in");
    str_free(&written);
}

struct package *package_read(const struct object *program, const void *bytes, size_t size,
                             struct diag *diag) {
    void (*const steps[])(struct package_reader *) = {
        read_header, read_target,    read_machine, read_sizes, read_values,  read_group_lanes,
        read_finish, read_rounds,    read_place,   read_calls, read_kernels, read_buffers,
        derive,      read_registers, read_code,    find_kin,   read_patches, read_fixed,
        read_moves,  read_runs,      check_form,
    };
    struct package *p = xcalloc(1, sizeof *p);
    struct package_reader r = {
        .program = program, .bytes = bytes, .size = size, .p = p, .d = diag, .ok = true};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && r.ok; i++)
        steps[i](&r);
    if (r.ok)
        return p;
    package_free(p);
    return NULL;
}
