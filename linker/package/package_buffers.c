/* SPDX-License-Identifier: MIT
 * How buffers lie in the units of a machine: a result of all kernels that are called, kept in the
 * package. */
#include "linker/package/pack.h"

#include "support/saturate.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of a unit that stay together, and of a halo: more are nothing that a machine has. */
#define MOST_BYTES ((uint64_t)1 << 40)

/* ---- what kernels want ---- */

/* The first kernel of its form that is called: the form is asked once. */
static bool is_first(const struct machine_launches *launches, uint32_t kernel) {
    const struct kernel_decl *list = launches->object->kernels.data;
    for (uint32_t i = 0; i < kernel; i++)
        if (launches->called[i] && strcmp(list[i].form, list[kernel].form) == 0)
            return false;
    return launches->called[kernel];
}

static void want_flat(struct machine_launches *launches, uint32_t kernel) {
    const struct kernel_decl *k = &launches->object->kernels.data[kernel];
    for (uint32_t i = 0; i < k->parameter_count; i++)
        machine_want(launches, kernel, i, (struct machine_buffer){LAYOUT_FLAT, 0, 0}, 0);
}

static void ask_kernel(const struct machine_library *library, struct machine_launches *launches,
                       uint32_t kernel) {
    const struct machine_form *form =
        machine_form(library->target, launches->object->kernels.data[kernel].form, NULL);
    if (!form->lie && launches->called[kernel])
        want_flat(launches, kernel);
    else if (form->lie && is_first(launches, kernel))
        form->lie(library, launches);
}

/* In `arena`. */
static struct machine_launches ask(const struct object *object, const int64_t *sizes,
                                   const struct machine_library *library, struct arena *arena) {
    struct machine_launches launches = package_launches_of(object, sizes, arena);
    launches.wants = ARENA_ARRAY(arena, object->buffers.len + 1, struct machine_want);
    launches.others = ARENA_ARRAY(arena, object->buffers.len + 1, struct machine_want);
    for (size_t i = 0; i < object->buffers.len; i++)
        launches.wants[i].kernel = launches.others[i].kernel = NO_INDEX;
    for (uint32_t i = 0; i < object->kernels.len; i++)
        if (launches.called[i])
            ask_kernel(library, &launches, i);
    return launches;
}

/* ---- what goes ---- */

static uint64_t rows_of(const struct object *object, const int64_t *sizes, uint32_t buffer) {
    const struct buffer_decl *b = &object->buffers.data[buffer];
    const struct extent *e = &b->shape[0];
    if (!b->ndim)
        return 1;
    return e->size == NO_INDEX ? e->value : (uint64_t)sizes[e->size];
}

uint64_t package_buffer_rows(const struct package *package, const struct object *object,
                             uint32_t buffer) {
    return rows_of(object, package->sizes, buffer);
}

static bool in_rows(const struct machine_buffer *lies) {
    return lies->layout == LAYOUT_EACH || lies->layout == LAYOUT_OWN;
}

bool package_layout_problem(const struct object *object, const int64_t *sizes, uint32_t buffer,
                            const struct machine_buffer *lies, struct str *problem) {
    const struct buffer_decl *b = &object->buffers.data[buffer];
    uint64_t element = object_element_bytes(b->type);
    if (object_buffer_elements(b, sizes) == UINT64_MAX && lies->layout != LAYOUT_FLAT)
        str_append(problem, "has more elements than can be counted");
    else if (lies->layout == LAYOUT_OWN && lies->halo >= object->kernels.len)
        str_append(problem, "lies in the program of a kernel that there is not");
    else if (lies->layout == LAYOUT_OWN)
        return false;
    else if (lies->layout != LAYOUT_SPLIT && (lies->unit || lies->halo))
        str_append(problem, "is not split, and has a unit or a halo");
    else if (lies->layout == LAYOUT_SPLIT &&
             (!lies->unit || lies->unit % element || lies->unit > MOST_BYTES))
        str_printf(problem,
                   "cannot be split by %" PRIu64 " bytes: a unit is elements of %" PRIu64
                   ", and at most 2^40 bytes",
                   lies->unit, element);
    else if (lies->halo % element || lies->halo > MOST_BYTES)
        str_printf(problem,
                   "cannot have a halo of %" PRIu64 " bytes: it is elements of %" PRIu64
                   ", and at most 2^40 bytes",
                   lies->halo, element);
    return problem->len != 0;
}

/* ---- into the package ---- */

static const struct kernel_decl *kernel_of(const struct object *object,
                                           const struct machine_want *want) {
    return &object->kernels.data[want->kernel];
}

/* "kernel 'f', line 3 of its text": the line where messages cannot point at it. */
static void name_kernel(const struct object *object, const struct machine_want *want,
                        struct str *out) {
    const struct kernel_decl *k = kernel_of(object, want);
    str_printf(out, "kernel '%s'", k->name);
    if (want->line && !k->first_line)
        str_printf(out, ", line %" PRIu32 " of its text,", want->line);
}

static struct span span_of(const struct pack *pack, const struct machine_want *want) {
    return package_kernel_span(pack->program, kernel_of(pack->program, want), want->line, 0,
                               pack->d);
}

/* Kernels want two layouts that no line of a text says: nothing is wrong with the texts, and an
 * 'else' of each launch does without. */
static bool is_beyond(const struct machine_launches *launches, uint32_t buffer) {
    const struct machine_want *first = &launches->wants[buffer], *other = &launches->others[buffer];
    return other->kernel != NO_INDEX && !first->line && !other->line &&
           package_has_every_else(launches->object);
}

/* An error, or a warning where they are beyond the machine. */
static void refuse_two(const struct pack *pack, uint32_t buffer, const struct machine_want *first,
                       const struct machine_want *other, bool beyond) {
    struct str text = {0};
    str_printf(&text,
               "buffer '%s' cannot lie in two ways: ", pack->program->buffers.data[buffer].name);
    name_kernel(pack->program, other, &text);
    str_append(&text, " wants it ");
    machine_buffer_text(&other->lies, &text);
    str_append(&text, ", and ");
    name_kernel(pack->program, first, &text);
    str_char(&text, ' ');
    machine_buffer_text(&first->lies, &text);
    if (beyond)
        diag_warning(pack->d, W_KERNEL_ELSE, span_of(pack, other),
                     "%s; what stands behind them is carried out, as MPU instructions",
                     str_text(&text));
    else
        diag_error(pack->d, span_of(pack, other), "%s", str_text(&text));
    diag_note(pack->d, span_of(pack, first), "this is what kernel '%s' wants",
              kernel_of(pack->program, first)->name);
    str_free(&text);
}

static void refuse(const struct pack *pack, uint32_t buffer, const struct machine_want *want,
                   const char *problem) {
    struct str text = {0};
    name_kernel(pack->program, want, &text);
    diag_error(pack->d, span_of(pack, want), "%s: buffer '%s' %s", str_text(&text),
               pack->program->buffers.data[buffer].name, problem);
    str_free(&text);
}

static void lay(struct pack *pack, uint32_t buffer, const struct machine_launches *launches,
                struct machine_buffer *out) {
    const struct machine_want *first = &launches->wants[buffer];
    uint64_t rows = rows_of(pack->program, pack->p->sizes, buffer),
             units = (uint64_t)pack->t->mpus * target_vrfs_per_mpu(pack->t);
    struct str problem = {0};
    *out = first->lies;
    if (launches->others[buffer].kernel != NO_INDEX)
        refuse_two(pack, buffer, first, &launches->others[buffer], false);
    else if (in_rows(&first->lies) && rows > units)
        str_printf(&problem,
                   "has %" PRIu64 " rows, one for each unit; target '%s' has %" PRIu64 " units",
                   rows, pack->t->name, units);
    else
        package_layout_problem(pack->program, pack->p->sizes, buffer, &first->lies, &problem);
    if (problem.len)
        refuse(pack, buffer, first, str_text(&problem));
    str_free(&problem);
}

void package_lay_buffers(struct pack *pack) {
    const struct object *o = pack->program;
    struct package *p = pack->p;
    if (!p->launches)
        return;
    uint32_t errors = diag_errors(pack->d);
    struct machine_launches launches = ask(o, p->sizes, pack->library, &pack->scratch);
    struct machine_buffer *list = ARENA_ARRAY(&p->arena, o->buffers.len + 1, struct machine_buffer);
    for (uint32_t i = 0; i < o->buffers.len && !pack->beyond; i++) {
        pack->beyond = is_beyond(&launches, i);
        if (pack->beyond)
            refuse_two(pack, i, &launches.wants[i], &launches.others[i], true);
    }
    if (pack->beyond)
        return;
    for (uint32_t i = 0; i < o->buffers.len && !diag_full(pack->d); i++)
        lay(pack, i, &launches, &list[i]);
    if (diag_errors(pack->d) != errors)
        return;
    p->buffers = list;
    p->buffer_count = o->buffers.len;
}

/* What the slices of all buffers take of a unit's memory; *largest: the buffer that takes most. */
static uint64_t bytes_of_unit(const struct package *package, const struct object *object,
                              const struct target *target, uint32_t *largest) {
    uint64_t all = 0, most = 0;
    for (uint32_t i = 0; i < object->buffers.len; i++) {
        struct package_layout l = package_buffer_layout(package, object, target, i);
        uint64_t own = package_layout_takes(&l);
        *largest = own > most ? i : *largest;
        most = own > most ? own : most;
        all = sat_add(all, own);
    }
    return all;
}

/* As far as anybody knows what there is. */
static bool memory_fits(const struct package *package, const struct object *object,
                        const struct target *target) {
    uint32_t largest = 0;
    return bytes_of_unit(package, object, target, &largest) <= machine_memory(target);
}

static const struct kernel_decl *user_of(const struct object *object, uint32_t buffer) {
    for (size_t i = 0; i < object->calls.len; i++) {
        const struct recipe_call *c = &object->calls.data[i];
        const struct kernel_decl *k = object_call_kernel(object, c);
        for (uint32_t p = 0; k && p < k->parameter_count; p++)
            if (c->arguments[p].buffer == buffer)
                return k;
    }
    return NULL;
}

void package_check_memory(struct pack *pack) {
    const struct object *o = pack->program;
    const struct package *p = pack->p;
    uint32_t i = 0;
    if (!p->buffers || memory_fits(p, o, pack->t))
        return;
    uint64_t all = bytes_of_unit(p, o, pack->t, &i), there = machine_memory(pack->t);
    struct package_layout l = package_buffer_layout(p, o, pack->t, i);
    const struct kernel_decl *k = user_of(o, i);
    diag_error(pack->d, object_span(o, o->buffers.data[i].place, pack->d),
               "buffers take %" PRIu64 " bytes of each unit; a unit of target '%s' has %" PRIu64
               " for them: '%s' of kernel '%s' takes %" PRIu64,
               all, pack->t->name, there, o->buffers.data[i].name, k ? k->name : "", l.room);
    diag_note(pack->d, NO_SPAN,
              l.layout == LAYOUT_SPLIT
                  ? "on more units (--set machine.mpus=N) each has less of it; buffers make no "
                    "rounds, groups with more elements than there are lanes do"
                  : "it does not become less on more units; buffers make no rounds");
}

struct package_layout package_buffer_layout(const struct package *package,
                                            const struct object *object,
                                            const struct target *target, uint32_t buffer) {
    const struct buffer_decl *b = &object->buffers.data[buffer];
    uint64_t total =
        sat_mul(object_buffer_elements(b, package->sizes), object_element_bytes(b->type));
    /* While a package is made nobody knows its rounds yet. */
    return package_layout_of(
        &package->buffers[buffer], total, rows_of(object, package->sizes, buffer),
        target->mpus * target_vrfs_per_mpu(target), package->rounds ? package->rounds : 1);
}

bool package_layouts_beyond(const struct object *object, const int64_t *sizes,
                            const struct machine_library *library) {
    struct arena scratch = {0};
    struct machine_launches launches = ask(object, sizes, library, &scratch);
    bool beyond = false;
    for (uint32_t i = 0; !beyond && i < object->buffers.len; i++)
        beyond = is_beyond(&launches, i);
    arena_free(&scratch);
    return beyond;
}

bool package_buffers_fresh(const struct package *package, const struct object *object,
                           const struct machine_library *library) {
    struct arena scratch = {0};
    bool fine = true;
    if (!package->launches)
        return true;
    if (!package->buffers || !memory_fits(package, object, library->target))
        return false;
    struct machine_launches launches = ask(object, package->sizes, library, &scratch);
    for (size_t i = 0; fine && i < object->buffers.len; i++)
        fine = launches.others[i].kernel == NO_INDEX &&
               machine_buffer_same(&launches.wants[i].lies, &package->buffers[i]) &&
               (!in_rows(&package->buffers[i]) ||
                rows_of(object, package->sizes, (uint32_t)i) <=
                    (uint64_t)library->target->mpus * target_vrfs_per_mpu(library->target));
    arena_free(&scratch);
    return fine;
}

/* ---- rounds ---- */

/* Why it keeps a program from running in rounds: a unit of a round would find what another round
 * has, or the host more than one result; NULL: it does not. */
static const char *not_in_rounds(const struct package *package, const struct object *object,
                                 uint32_t buffer) {
    switch (package->buffers[buffer].layout) {
    case LAYOUT_SPLIT:
        return NULL;
    case LAYOUT_SAME:
        return object->buffers.data[buffer].direction & VAR_OUT
                   ? "lies the same in each unit, and is a result"
                   : NULL;
    case LAYOUT_EACH:
    case LAYOUT_OWN:
        return "has a row for each unit of the machine";
    default:
        return "lies flat, where all units reach it";
    }
}

static bool kernel_in_rounds(const struct package *package, const struct object *object,
                             uint32_t kernel, struct str *why) {
    const struct package_kernel *made = &package->kernels[kernel];
    const struct kernel_decl *k = &object->kernels.data[kernel];
    bool registers = made->mpus != 0;
    for (unsigned r = 0; r < 64; r++)
        registers |= made->reg_bits[r] != 0;
    if (registers)
        str_printf(why, "kernel '%s' works on registers of all the machine", k->name);
    else if (k->entry && package->modules[k->module].size)
        str_printf(why, "kernel '%s' has data in common with the entries of module '%s'", k->name,
                   object->modules.data[k->module].name);
    return why->len == 0;
}

static bool call_in_rounds(const struct package *package, const struct object *object,
                           const struct recipe_call *call, const struct kernel_decl *kernel,
                           struct str *why) {
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        uint32_t buffer = call->arguments[i].buffer;
        const char *what = buffer == NO_INDEX ? NULL : not_in_rounds(package, object, buffer);
        if (!what)
            continue;
        str_printf(why, "buffer '%s' of kernel '%s' %s", object->buffers.data[buffer].name,
                   kernel->name, what);
        return false;
    }
    if (call->geometry && launch_said(&call->geometry->extent[LAUNCH_UNITS]))
        str_printf(why, "kernel '%s' is launched on some units, of which a round has others",
                   kernel->name);
    return why->len == 0;
}

bool package_launches_in_rounds(const struct package *package, const struct object *object,
                                const struct kernel_decl **kernel, struct str *why) {
    for (size_t i = 0; package->launches && i < object->calls.len; i++) {
        const struct recipe_call *c = &object->calls.data[i];
        const struct kernel_decl *k = *kernel = object_call_kernel(object, c);
        if (k && (!kernel_in_rounds(package, object, (uint32_t)(k - object->kernels.data), why) ||
                  !call_in_rounds(package, object, c, k, why)))
            return false;
    }
    return true;
}

/* ---- for people ---- */

static void print_slices(const struct package_layout *layout, struct str *out) {
    struct package_slice last = package_layout_slice(layout, layout->slices - 1);
    struct package_part second = package_layout_part(layout, 1);
    str_printf(out, ": %" PRIu32 " slice%s of %" PRIu64 " bytes", layout->slices,
               layout->slices == 1 ? "" : "s", layout->own);
    if (last.own != layout->own)
        str_printf(out, ", in the last %" PRIu64, last.own);
    if (layout->layout == LAYOUT_SPLIT && second.count)
        str_printf(out, ", %" PRIu32 " a round", second.first);
    str_char(out, '\n');
}

void package_print_buffers(const struct package *package, const struct object *object,
                           const struct target *target, struct str *out) {
    for (uint32_t i = 0; package->launches && i < object->buffers.len; i++) {
        const struct machine_buffer *b = &package->buffers[i];
        if (b->layout == LAYOUT_FLAT)
            continue;
        struct package_layout layout = package_buffer_layout(package, object, target, i);
        str_append(out, "buffer ");
        object_buffer_text(object, &object->buffers.data[i], out);
        str_append(out, " lies ");
        machine_buffer_text(b, out);
        print_slices(&layout, out);
    }
}
