/* SPDX-License-Identifier: MIT
 * Building a package, and whether an old one may still be used. */
#include "linker/linker.h"
#include "linker/package/pack.h"
#include "linker/where.h"
#include "support/file.h"

#include <inttypes.h>
#include <string.h>

/* The file without its packages and its other texts; reading and writing it again gives the same
 * bytes. */
static void package_program_hash(const struct object *object, char hex[65]) {
    struct object portable = *object;
    struct str bytes = {0};
    portable.packages.len = portable.own_texts.len = 0;
    object_write(&portable, &bytes);
    sha256_hex(bytes.text, bytes.len, hex);
    str_free(&bytes);
}

static void package_target_hash(const struct target *target, const struct machine_library *library,
                                char hex[65]) {
    struct str both = {0};
    const char *own = machine_hash(library);
    str_printf(&both, "%s %s %d", target->hash, own ? own : library->machine->kind->name,
               PACKAGE_VERSION);
    sha256_hex(both.text, both.len, hex);
    str_free(&both);
}

/* Without a grid the entry table must name all MPUs between the first and the last. */
static void check_entry_gaps(struct pack *pack) {
    const struct object *o = pack->program;
    for (size_t i = 1; i < o->entries.len; i++) {
        uint64_t end =
            (uint64_t)o->entries.data[i - 1].first_mpu + o->entries.data[i - 1].mpu_count;
        if (o->entries.data[i].first_mpu != end)
            diag_error(pack->d, NO_SPAN,
                       "the .mpu directives leave out MPU%" PRIu64
                       "; with .geometry grid= it would start at 'main'",
                       end);
    }
}

static void package_build_image(struct pack *pack) {
    link_program_image(pack->program, &pack->p->image_first, &pack->p->image_count);
    uint64_t end = (uint64_t)pack->p->image_first + pack->p->image_count;
    pack->p->mpus = (uint32_t)end;
    if (!pack->program->geometry.grid_dims)
        check_entry_gaps(pack);
    if (end <= pack->mpu_limit)
        return;
    diag_error(pack->d, NO_SPAN,
               "the program is for MPU%" PRIu64 " too; target '%s' has %" PRIu32
               " MPUs, MPU0 to MPU%" PRIu32,
               end - 1, pack->t->name, pack->mpu_limit, pack->mpu_limit - 1);
    diag_note(pack->d, NO_SPAN, "with --set machine.mpus=%" PRIu64 " it has as many", end);
}

static void check_store(struct pack *pack) {
    uint64_t room = (uint64_t)pack->mpu_limit * PACKAGE_STORE_WORDS;
    if (pack->program->text.len > room)
        diag_error(pack->d, NO_SPAN,
                   "the text has %zu instructions; the instruction stores of all %" PRIu32
                   " MPUs of target '%s' hold %" PRIu64,
                   pack->program->text.len, pack->mpu_limit, pack->t->name, room);
}

static bool build_sizes_and_text(struct pack *pack, const struct size_binding *sizes,
                                 size_t count) {
    const struct object *o = pack->program;
    bool fine;
    pack->p->sizes = ARENA_ARRAY(&pack->p->arena, o->sizes.len, int64_t);
    pack->p->text = ARENA_ARRAY(&pack->p->arena, o->text.len, uint32_t);
    pack->p->text_count = o->text.len;
    pack->p->size_count = o->sizes.len;
    pack->p->value_count = object_value_elements(o, NULL);
    pack->p->values = ARENA_ARRAY(&pack->p->arena, pack->p->value_count, uint64_t);
    link_list_patches(o, pack->p);
    fine = link_bind_values(o, sizes, count, pack->p->values, pack->d);
    fine = link_bind_sizes(o, sizes, count, pack->p->sizes, pack->d) && fine;
    fine = fine && link_patch_text(o, pack->p->sizes, pack->p->values, pack->p->text, pack->d) &&
           package_fill_luts(o, pack->p->sizes, pack->p->values, &pack->p->arena, &pack->p->luts,
                             pack->d) &&
           package_forms_fit(o, pack->p->sizes, pack->d);
    if (fine)
        link_patch_calls(o, pack->p->calls, pack->p->text);
    if (fine)
        package_patch_finishes(o, &pack->p->finish, pack->p->text);
    return fine;
}

const char *package_place_name(enum group_place place) {
    static const char *const names[PLACES] = {
        [PLACE_AUTO] = "auto", [PLACE_PACKED] = "packed", [PLACE_SPREAD] = "spread"};
    return names[place];
}

bool package_place_parse(const char *name, enum group_place *out) {
    for (unsigned p = 0; p < PLACES; p++)
        if (strcmp(package_place_name((enum group_place)p), name) == 0) {
            *out = (enum group_place)p;
            return true;
        }
    return false;
}

/* An MPU that is here only because a group spans it starts with the image's first; but which text
 * would that be if the image's MPUs start at different places? */
static void check_joined(struct pack *pack) {
    const struct object *o = pack->program;
    const struct package *p = pack->p;
    bool apart = package_starts_apart(pack);
    for (size_t i = 0; apart && i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        if (x->mpu - p->image_first < p->image_count)
            continue;
        const struct group *g = &o->groups.data[x->group];
        diag_error(
            pack->d, object_span(o, g->place, pack->d),
            "group '%s' reaches MPU%" PRIu32
            ", which no .mpu directive lets start anywhere; the MPUs of the program start at "
            "different places",
            g->name, x->mpu);
        return;
    }
}

static void build(struct pack *pack) {
    uint32_t before = diag_errors(pack->d);
    package_build_register_map(pack);
    package_build_lanes(pack);
    check_store(pack);
    package_build_image(pack);
    if (diag_errors(pack->d) != before)
        return;
    pack->rows_used = ARENA_ARRAY(&pack->scratch, pack->mpu_limit, uint64_t);
    package_build_fixed_map(pack);
    if (diag_errors(pack->d) != before)
        return;
    for (size_t i = 0; i < pack->p->fixed_count; i++) {
        uint32_t end = pack->p->image_first + pack->p->image_count + pack->p->fixed[i].mpu_offset;
        pack->p->mpus = end > pack->p->mpus ? end : pack->p->mpus;
    }
    package_find_unplaced(pack->p, pack->program);
    package_build_placements(pack);
    package_find_kin(pack->p, pack->program, pack->t, pack->library->machine);
    package_check_memory(pack);
    check_joined(pack);
}

static void identify(struct pack *pack) {
    struct package *p = pack->p;
    p->target = arena_strdup(&p->arena, pack->t->name);
    p->vrf_per_rfh = pack->t->vrf_per_rfh;
    p->rfh_per_mpu = pack->t->rfh_per_mpu;
    if (p->place.given)
        return;
    package_program_hash(pack->program, p->program_hash);
    package_target_hash(pack->t, pack->library, p->target_hash);
}

static bool target_usable(const struct target *target, struct diag *diag) {
    if (target->lanes && target->vrf_per_rfh && target->vrf_per_rfh <= MAX_VRFS &&
        target->rfh_per_mpu && target->rfh_per_mpu <= MAX_RFHS && target->mpus &&
        (uint64_t)target->mpus * target_vrfs_per_mpu(target) <= PACKAGE_MAX_VRFS)
        return true;
    diag_error(diag, NO_SPAN,
               "target '%s' has no usable geometry: %" PRIu32 " lanes, %" PRIu32
               " VRFs per RFH (at most %d), %" PRIu32 " RFHs per MPU (at most %d), %" PRIu32
               " MPUs (at most 2^24 VRFs)",
               target->name, target->lanes, target->vrf_per_rfh, MAX_VRFS, target->rfh_per_mpu,
               MAX_RFHS, target->mpus);
    return false;
}

/* How many VRFs may work at once follows from what their code takes. */
static bool power_known(const struct target *target, struct diag *diag) {
    if (target->cap != CAP_POWER || !target->kind->measured)
        return true;
    diag_error(diag, NO_SPAN,
               "target '%s' has control.cap=power, but what its code takes is known only when it "
               "has been executed; let control.cap be active",
               target->name);
    return false;
}

struct package *package_build(const struct object *program, const struct target *target,
                              const struct machine_library *library,
                              const struct size_binding *sizes, size_t size_count,
                              struct diag *diag) {
    const struct package_place packed = {.asked = PLACE_PACKED, .chosen = PLACE_PACKED};
    return package_build_at(program, target, library, sizes, size_count, &packed, NULL, diag);
}

/* With what stands behind the kernels' 'else'. */
static struct package *build_instead(struct pack *pack, const struct size_binding *sizes,
                                     size_t size_count, const struct package_place *place,
                                     const struct package_finish *finish) {
    struct package_place otherwise = *place;
    otherwise.otherwise = true;
    arena_free(&pack->scratch);
    package_free(pack->p);
    return package_build_at(pack->program, pack->t, pack->library, sizes, size_count, &otherwise,
                            finish, pack->d);
}

struct package *package_build_at(const struct object *program, const struct target *target,
                                 const struct machine_library *library,
                                 const struct size_binding *sizes, size_t size_count,
                                 const struct package_place *place,
                                 const struct package_finish *finish, struct diag *diag) {
    uint32_t before = diag_errors(diag);
    if (!target_usable(target, diag) || !power_known(target, diag))
        return NULL;
    struct package *p = xcalloc(1, sizeof *p);
    struct pack k = {.program = program, .t = target, .library = library, .d = diag, .p = p};
    p->place = *place;
    package_keep_finish(p, program, finish);
    k.mpu_limit = target->mpus;
    object_users(program, &k.users, &k.scratch, NULL);
    link_choose_calls(&k);
    p->taken = package_find_taken(p, program, &p->arena);
    package_refuse_instructions(&k);
    link_refuse_calls(&k);
    link_refuse_kernels(&k);
    bool sized = build_sizes_and_text(&k, sizes, size_count);
    if (sized)
        package_build_kernels(&k);
    if (k.beyond && diag_errors(diag) == before)
        return build_instead(&k, sizes, size_count, place, finish);
    if (sized) {
        package_find_kin(p, program, target, library->machine);
        package_refuse_unfit(&k);
        if (diag_errors(diag) == before)
            package_lay_buffers(&k);
        if (k.beyond && diag_errors(diag) == before)
            return build_instead(&k, sizes, size_count, place, finish);
        package_check_launches(&k);
        if (diag_errors(diag) == before)
            package_try_forms(&k);
        build(&k);
    }
    if (diag_errors(diag) == before) {
        identify(&k);
        package_list_uses(p, program, p->text, p->text_count);
        package_build_code(&k);
        if (p->code)
            package_check_rows(&k);
        package_build_moves(&k);
    }
    arena_free(&k.scratch);
    if (diag_errors(diag) == before)
        return p;
    package_free(p);
    return NULL;
}

bool package_program_rows(const struct object *program, const struct target *target,
                          const struct machine_library *library, struct machine_rows *out) {
    struct package *p = xcalloc(1, sizeof *p);
    struct pack k = {.program = program, .t = target, .library = library, .p = p};
    k.d = diag_new(NULL, NULL);
    object_users(program, &k.users, &k.scratch, NULL);
    link_choose_calls(&k);
    p->taken = package_find_taken(p, program, &p->arena);
    p->text_count = program->text.len;
    p->text = ARENA_ARRAY(&p->arena, p->text_count, uint32_t);
    if (p->text_count)
        memcpy(p->text, program->text.data, p->text_count * sizeof *p->text);
    link_patch_calls(program, p->calls, p->text);
    p->luts = object_luts(program, &p->arena);
    package_build_kernels(&k);
    /* Without sizes nobody knows what VRFs share: as if all registers were in each. */
    package_build_register_map(&k);
    package_build_code(&k);
    bool some = diag_errors(k.d) == 0 && p->code && package_rows(p, target, out);
    arena_free(&k.scratch);
    diag_free(k.d);
    package_free(p);
    return some;
}

bool package_rebind(struct package *package, const struct object *program,
                    const struct size_binding *values, size_t count) {
    if (!link_bind_values(program, values, count, package->values, NULL) ||
        !link_patch_text(program, package->sizes, package->values, package->text, NULL))
        return false;
    link_patch_calls(program, package->calls, package->text);
    package_patch_finishes(program, &package->finish, package->text);
    return true;
}

void package_free(struct package *package) {
    if (!package)
        return;
    machine_code_free(package->code);
    arena_free(&package->arena);
    free(package);
}

static bool same_sizes(const struct package *package, const struct object *object,
                       const struct size_binding *bindings, size_t count) {
    int64_t *values = xcalloc(object->sizes.len + 1, sizeof *values);
    bool same = link_bind_sizes(object, bindings, count, values, NULL);
    for (size_t i = 0; same && i < object->sizes.len; i++)
        same = values[i] == package->sizes[i];
    same = same && package_forms_fit(object, values, NULL);
    free(values);
    return same;
}

static bool same_values(const struct package *package, const struct object *object,
                        const struct size_binding *bindings, size_t count) {
    uint64_t *elements = xcalloc(package->value_count + 1, sizeof *elements);
    bool same = link_bind_values(object, bindings, count, elements, NULL) &&
                memcmp(elements, package->values, package->value_count * sizeof *elements) == 0;
    free(elements);
    return same;
}

bool package_same_target(const struct package *package, const struct target *target,
                         const struct machine_library *library) {
    char hash[65];
    package_target_hash(target, library, hash);
    return strcmp(hash, package->target_hash) == 0;
}

bool package_fresh(const struct package *package, const struct object *program,
                   const struct target *target, const struct machine_library *library,
                   const struct size_binding *sizes, size_t size_count) {
    char hash[65];
    if (package->text_count != program->text.len || package->vrf_per_rfh != target->vrf_per_rfh ||
        package->rfh_per_mpu != target->rfh_per_mpu)
        return false;
    if (package->mpus > target->mpus)
        return false;
    if (!package_same_target(package, target, library))
        return false;
    package_program_hash(program, hash);
    return strcmp(hash, package->program_hash) == 0 &&
           same_sizes(package, program, sizes, size_count) &&
           same_values(package, program, sizes, size_count) &&
           package_lanes_possible(program, package, target, library) &&
           package_kernels_fresh(package, program, library) && package_ready_code(package, library);
}

uint64_t package_group_elements(const struct package *package, const struct object *program,
                                uint32_t group) {
    return link_group_elements(program, package->sizes, group);
}
