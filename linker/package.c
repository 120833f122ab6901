/* SPDX-License-Identifier: MIT
 * Building a package, and whether an old one may still be used. */
#include "linker/linker.h"
#include "linker/pack.h"
#include "linker/where.h"
#include "support/file.h"

#include <inttypes.h>
#include <string.h>

/* The file without its packages; reading and writing it again gives the same bytes. */
void package_program_hash(const struct object *o, char hex[65]) {
    struct object portable = *o;
    struct str bytes = {0};
    portable.packages.len = 0;
    object_write(&portable, &bytes);
    sha256_hex(bytes.text, bytes.len, hex);
    str_free(&bytes);
}

void package_target_hash(const struct target *t, const struct machine_library *library,
                         char hex[65]) {
    struct str both = {0};
    const char *own = machine_hash(library);
    str_printf(&both, "%s %s %d", t->hash, own ? own : library->machine->kind->name,
               PACKAGE_VERSION);
    sha256_hex(both.text, both.len, hex);
    str_free(&both);
}

/* Without a grid the entry table must name all MPUs between the first and the last. */
static void check_entry_gaps(struct pack *k) {
    const struct object *o = k->program;
    for (size_t i = 1; i < o->entries.len; i++) {
        uint64_t end =
            (uint64_t)o->entries.data[i - 1].first_mpu + o->entries.data[i - 1].mpu_count;
        if (o->entries.data[i].first_mpu != end)
            diag_error(k->d, NO_SPAN,
                       "the .mpu directives leave out MPU%" PRIu64
                       "; with .geometry grid= it would start at 'main'",
                       end);
    }
}

void package_build_image(struct pack *k) {
    link_program_image(k->program, &k->p->image_first, &k->p->image_count);
    uint64_t end = (uint64_t)k->p->image_first + k->p->image_count;
    k->p->mpus = (uint32_t)end;
    if (!k->program->geometry.grid_dims)
        check_entry_gaps(k);
    if (end > k->mpu_limit)
        diag_error(k->d, NO_SPAN,
                   "the program is for MPU%" PRIu64 " too; target '%s' has %" PRIu32
                   " MPUs, MPU0 to MPU%" PRIu32,
                   end - 1, k->t->name, k->mpu_limit, k->mpu_limit - 1);
}

static void check_store(struct pack *k) {
    uint64_t room = (uint64_t)k->mpu_limit * PACKAGE_STORE_WORDS;
    if (k->program->text.len > room)
        diag_error(k->d, NO_SPAN,
                   "the text has %zu instructions; the instruction stores of all %" PRIu32
                   " MPUs of target '%s' hold %" PRIu64,
                   k->program->text.len, k->mpu_limit, k->t->name, room);
}

static bool build_sizes_and_text(struct pack *k, const struct size_binding *sizes, size_t count) {
    const struct object *o = k->program;
    bool fine;
    k->p->sizes = ARENA_ARRAY(&k->p->arena, o->sizes.len, int64_t);
    k->p->text = ARENA_ARRAY(&k->p->arena, o->text.len, uint32_t);
    k->p->text_count = o->text.len;
    k->p->size_count = o->sizes.len;
    k->p->value_count = object_value_elements(o, NULL);
    k->p->values = ARENA_ARRAY(&k->p->arena, k->p->value_count, uint64_t);
    link_list_patches(o, k->p);
    fine = link_bind_values(o, sizes, count, k->p->values, k->d);
    fine = link_bind_sizes(o, sizes, count, k->p->sizes, k->d) && fine;
    fine = fine && link_patch_text(o, k->p->sizes, k->p->values, k->p->text, k->d) &&
           package_forms_fit(o, k->p->sizes, k->d);
    if (fine)
        link_patch_calls(o, k->p->calls, k->p->text);
    if (fine)
        package_patch_finishes(o, &k->p->finish, k->p->text);
    return fine;
}

const char *package_place_name(enum group_place p) {
    static const char *const names[PLACES] = {
        [PLACE_AUTO] = "auto", [PLACE_PACKED] = "packed", [PLACE_SPREAD] = "spread"};
    return names[p];
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
static void check_joined(struct pack *k) {
    const struct object *o = k->program;
    const struct package *p = k->p;
    bool apart = package_starts_apart(k);
    for (size_t i = 0; apart && i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        if (x->mpu - p->image_first < p->image_count)
            continue;
        const struct group *g = &o->groups.data[x->group];
        diag_error(
            k->d, object_span(o, g->place, k->d),
            "group '%s' reaches MPU%" PRIu32
            ", which no .mpu directive lets start anywhere; the MPUs of the program start at "
            "different places",
            g->name, x->mpu);
        return;
    }
}

static void build(struct pack *k) {
    uint32_t before = diag_errors(k->d);
    package_build_register_map(k);
    package_build_lanes(k);
    check_store(k);
    package_build_image(k);
    if (diag_errors(k->d) != before)
        return;
    k->rows_used = ARENA_ARRAY(&k->scratch, k->mpu_limit, uint64_t);
    package_build_fixed_map(k);
    if (diag_errors(k->d) != before)
        return;
    for (size_t i = 0; i < k->p->fixed_count; i++) {
        uint32_t end = k->p->image_first + k->p->image_count + k->p->fixed[i].mpu_offset;
        k->p->mpus = end > k->p->mpus ? end : k->p->mpus;
    }
    package_build_placements(k);
    check_joined(k);
}

static void identify(struct pack *k) {
    struct package *p = k->p;
    p->target = arena_strdup(&p->arena, k->t->name);
    p->vrf_per_rfh = k->t->vrf_per_rfh;
    p->rfh_per_mpu = k->t->rfh_per_mpu;
    package_program_hash(k->program, p->program_hash);
    package_target_hash(k->t, k->library, p->target_hash);
}

static bool target_usable(const struct target *t, struct diag *d) {
    if (t->lanes && t->vrf_per_rfh && t->vrf_per_rfh <= MAX_VRFS && t->rfh_per_mpu &&
        t->rfh_per_mpu <= MAX_RFHS && t->mpus &&
        (uint64_t)t->mpus * target_vrfs_per_mpu(t) <= PACKAGE_MAX_VRFS)
        return true;
    diag_error(d, NO_SPAN,
               "target '%s' has no usable geometry: %" PRIu32 " lanes, %" PRIu32
               " VRFs per RFH (at most %d), %" PRIu32 " RFHs per MPU (at most %d), %" PRIu32
               " MPUs (at most 2^24 VRFs)",
               t->name, t->lanes, t->vrf_per_rfh, MAX_VRFS, t->rfh_per_mpu, MAX_RFHS, t->mpus);
    return false;
}

/* How many VRFs may work at once follows from what their code takes. */
static bool power_known(const struct target *t, struct diag *d) {
    if (t->cap != CAP_POWER || !t->kind->measured)
        return true;
    diag_error(d, NO_SPAN,
               "target '%s' has control.cap=power, but what its code takes is known only when it "
               "has been executed; let control.cap be active",
               t->name);
    return false;
}

struct package *package_build(const struct object *program, const struct target *t,
                              const struct machine_library *library,
                              const struct size_binding *sizes, size_t size_count, struct diag *d) {
    const struct package_place packed = {.asked = PLACE_PACKED, .chosen = PLACE_PACKED};
    return package_build_at(program, t, library, sizes, size_count, &packed, NULL, d);
}

struct package *package_build_at(const struct object *program, const struct target *t,
                                 const struct machine_library *library,
                                 const struct size_binding *sizes, size_t size_count,
                                 const struct package_place *place,
                                 const struct package_finish *finish, struct diag *d) {
    uint32_t before = diag_errors(d);
    if (!target_usable(t, d) || !power_known(t, d))
        return NULL;
    struct package *p = xcalloc(1, sizeof *p);
    struct pack k = {.program = program, .t = t, .library = library, .d = d, .p = p};
    p->place = *place;
    package_keep_finish(p, program, finish);
    k.mpu_limit = t->mpus;
    object_users(program, &k.users, &k.scratch, NULL);
    link_choose_calls(&k);
    package_refuse_instructions(&k);
    link_refuse_calls(&k);
    if (build_sizes_and_text(&k, sizes, size_count)) {
        package_refuse_unfit(&k);
        build(&k);
    }
    if (diag_errors(d) == before) {
        identify(&k);
        package_list_uses(p, p->text, p->text_count);
        package_build_code(&k);
        if (p->code)
            package_check_rows(&k);
        package_build_moves(&k);
    }
    arena_free(&k.scratch);
    if (diag_errors(d) == before)
        return p;
    package_free(p);
    return NULL;
}

void package_free(struct package *p) {
    if (!p)
        return;
    machine_code_free(p->code);
    arena_free(&p->arena);
    free(p);
}

static bool same_sizes(const struct package *p, const struct object *o,
                       const struct size_binding *bindings, size_t count) {
    int64_t *values = xcalloc(o->sizes.len + 1, sizeof *values);
    bool same = link_bind_sizes(o, bindings, count, values, NULL);
    for (size_t i = 0; same && i < o->sizes.len; i++)
        same = values[i] == p->sizes[i];
    same = same && package_forms_fit(o, values, NULL);
    free(values);
    return same;
}

static bool same_values(const struct package *p, const struct object *o,
                        const struct size_binding *bindings, size_t count) {
    uint64_t *elements = xcalloc(p->value_count + 1, sizeof *elements);
    bool same = link_bind_values(o, bindings, count, elements, NULL) &&
                memcmp(elements, p->values, p->value_count * sizeof *elements) == 0;
    free(elements);
    return same;
}

bool package_fresh(const struct package *p, const struct object *program, const struct target *t,
                   const struct machine_library *library, const struct size_binding *sizes,
                   size_t size_count) {
    char hash[65];
    if (p->text_count != program->text.len || p->vrf_per_rfh != t->vrf_per_rfh ||
        p->rfh_per_mpu != t->rfh_per_mpu)
        return false;
    if (p->mpus > t->mpus)
        return false;
    package_target_hash(t, library, hash);
    if (strcmp(hash, p->target_hash) != 0)
        return false;
    package_program_hash(program, hash);
    return strcmp(hash, p->program_hash) == 0 && same_sizes(p, program, sizes, size_count) &&
           same_values(p, program, sizes, size_count) &&
           package_lanes_possible(program, p, t, library) && package_ready_code(p, library);
}

uint64_t package_group_elements(const struct package *p, const struct object *program,
                                uint32_t group) {
    return link_group_elements(program, p->sizes, group);
}
