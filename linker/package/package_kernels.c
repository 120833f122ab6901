/* SPDX-License-Identifier: MIT
 * Kernels of a program on a target: which form each has there, and what the machine makes of it.  A
 * target carries out all kernels that the program calls, or none and what stands behind their
 * 'else': buffers are in its memory, or their variables in VRFs. */
#include "linker/package/pack.h"
#include "linker/where.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <string.h>

const struct kernel_decl *package_call_kernel(const struct object *object, size_t call) {
    return object_call_kernel(object, &object->calls.data[call]);
}

static uint32_t kernel_index(const struct object *object, const struct kernel_decl *kernel) {
    return (uint32_t)(kernel - object->kernels.data);
}

bool package_calls_kernel(const struct object *object, uint32_t kernel) {
    for (size_t i = 0; i < object->calls.len; i++) {
        const struct kernel_decl *k = package_call_kernel(object, i);
        if (k && kernel_index(object, k) == kernel)
            return true;
    }
    return false;
}

/* ---- which ---- */

bool link_kernels_launch(const struct object *object, const struct target *target,
                         struct str *why) {
    bool some = false;
    for (size_t i = 0; i < object->calls.len; i++) {
        const struct kernel_decl *k = package_call_kernel(object, i);
        if (k && !machine_form(target, k->form, why))
            return false;
        some |= k != NULL;
    }
    return some;
}

/* The first RECIPE of a kernel without an 'else', where the target launches none. */
static void refuse(struct pack *pack, uint32_t index, const struct kernel_decl *kernel,
                   const char *why) {
    if (strcmp(kernel->form, OBJECT_PIPELINE_FORM) == 0) {
        diag_error(pack->d, object_span(pack->program, kernel->place, pack->d),
                   "pipeline '%s' is planned for target '%s', and compiled, when it is run: a "
                   "package has nothing of it",
                   kernel->name, pack->t->name);
        diag_note(pack->d, NO_SPAN,
                  "link it without --target; mpu-objdump --plan --target %s shows the plan",
                  pack->t->name);
        return;
    }
    diag_error(pack->d, package_pack_span(pack, index),
               "kernel '%s' (instruction %" PRIu32 ") cannot be carried out, and has no 'else': %s",
               kernel->name, index, why);
    link_note_where(pack->program, index, pack->d);
    diag_note(pack->d, object_span(pack->program, kernel->place, pack->d),
              "behind its 'else' stands what is done on targets that do not know form '%s'",
              kernel->form);
}

/* Each kernel once. */
void link_refuse_kernels(struct pack *pack) {
    const struct object *o = pack->program;
    uint8_t *said = ARENA_ARRAY(&pack->scratch, o->kernels.len + 1, uint8_t);
    struct str why = {0};
    struct insn insn;
    link_kernels_launch(o, pack->t, &why);
    for (uint32_t i = 0; o->kernels.len && i < o->text.len && !diag_full(pack->d); i++) {
        const struct recipe_call *c =
            isa_decode(o->text.data[i], &insn) == ISA_OK ? object_call(o, &insn) : NULL;
        const struct kernel_decl *k = c ? object_call_kernel(o, c) : NULL;
        if (!k || c->otherwise != NO_INDEX || pack->p->calls[insn.imm] ||
            said[kernel_index(o, k)]++)
            continue;
        refuse(pack, i, k, str_text(&why));
    }
    str_free(&why);
}

bool package_has_every_else(const struct object *object) {
    for (size_t i = 0; i < object->calls.len; i++)
        if (package_call_kernel(object, i) && object->calls.data[i].otherwise == NO_INDEX)
            return false;
    return true;
}

/* ---- what the machine makes of them ---- */

struct span package_kernel_span(const struct object *object, const struct kernel_decl *kernel,
                                uint32_t line, uint32_t column, struct diag *diag) {
    struct place at = line ? object_kernel_place(object, kernel) : kernel->place;
    if (line && kernel->first_line) {
        /* a text that begins behind its brace is not all of its first line */
        bool whole = line > 1 || at.line != kernel->first_line;
        at.line = kernel->first_line + line - 1;
        at.column = whole ? column : 0;
    }
    return object_span(object, at, diag);
}

/* What is said of a kernel: an error, or warnings that it takes long, or is beyond its machine. */
enum kernel_news { KERNEL_WRONG, KERNEL_SLOW, KERNEL_BEYOND };

static void report(struct pack *pack, const struct kernel_decl *kernel,
                   const struct machine_kernel_fault *fault, enum kernel_news news) {
    const struct object *object = pack->program;
    struct span span = package_kernel_span(object, kernel, fault->line, fault->column, pack->d);
    struct str text = {0};
    str_printf(&text, "kernel '%s'", kernel->name);
    if (fault->line && !kernel->first_line)
        str_printf(&text, ", line %" PRIu32, fault->line);
    str_printf(&text, ": %s", str_text(&fault->what));
    if (news == KERNEL_WRONG)
        diag_error(pack->d, span, "%s", str_text(&text));
    else if (news == KERNEL_SLOW)
        diag_warning(pack->d, W_TABLE_TURNS, span, "%s", str_text(&text));
    else
        diag_warning(pack->d, W_KERNEL_ELSE, span,
                     "%s; what stands behind `else` is carried out, as MPU instructions",
                     str_text(&text));
    str_free(&text);
}

static bool compile(const struct machine_launches *program, const struct machine_library *library,
                    const struct kernel_decl *kernel, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    const struct machine_form *form = machine_form(library->target, kernel->form, &fault->what);
    return form && package_entry_fine(program->object, form, kernel, fault) &&
           form->compile(library, program, kernel, out, fault);
}
/* Nobody asks why not. */
static bool compiles(const struct machine_launches *program, const struct machine_library *library,
                     const struct kernel_decl *kernel, struct machine_kernel *out, bool *beyond) {
    struct machine_kernel_fault fault = {.line = 0};
    bool fine = compile(program, library, kernel, out, &fault);
    *beyond = fault.beyond;
    str_free(&fault.what);
    return fine;
}

static void keep(struct arena *arena, const struct machine_kernel *from,
                 struct package_kernel *out) {
    uint32_t *lines = ARENA_ARRAY(arena, (size_t)from->line_count + 1, uint32_t);
    if (from->line_count)
        memcpy(lines, from->lines, from->line_count * sizeof *lines);
    out->code = arena_copy(arena, str_text(&from->code), from->code.len);
    out->size = from->code.len;
    out->lines = lines;
    out->line_count = from->line_count;
    memcpy(out->reg_bits, from->reg_bits, sizeof out->reg_bits);
    out->mpus = from->mpus;
}

struct machine_launches package_launches_of(const struct object *object, const int64_t *sizes,
                                            struct arena *arena) {
    uint8_t *called = ARENA_ARRAY(arena, object->kernels.len + 1, uint8_t);
    for (uint32_t i = 0; i < object->kernels.len; i++)
        called[i] = package_calls_kernel(object, i);
    return (struct machine_launches){.object = object, .sizes = sizes, .called = called};
}

void package_build_kernels(struct pack *pack) {
    const struct object *o = pack->program;
    const struct machine_launches program = package_launches_of(o, pack->p->sizes, &pack->scratch);
    struct package_kernel *kernels =
        ARENA_ARRAY(&pack->p->arena, o->kernels.len + 1, struct package_kernel);
    pack->p->kernels = kernels;
    pack->p->kernel_count = o->kernels.len;
    const uint32_t errors = diag_errors(pack->d);
    /* All of them, also behind one that is beyond the machine: what is wrong with a text is said.
     */
    for (uint32_t i = 0; pack->p->launches && i < o->kernels.len; i++) {
        struct machine_kernel made = {.mpus = 0};
        struct machine_kernel_fault fault = {.line = 0};
        if (program.called[i]) {
            if (compile(&program, pack->library, &o->kernels.data[i], &made, &fault)) {
                keep(&pack->p->arena, &made, &kernels[i]);
                for (size_t k = 0; k < made.turns.len; k++)
                    report(pack, &o->kernels.data[i], &made.turns.data[k], KERNEL_SLOW);
            } else {
                bool beyond = fault.beyond && package_has_every_else(o);
                pack->beyond |= beyond;
                report(pack, &o->kernels.data[i], &fault, beyond ? KERNEL_BEYOND : KERNEL_WRONG);
            }
        }
        str_free(&fault.what);
        machine_kernel_free(&made);
    }
    package_build_modules(pack, diag_errors(pack->d) == errors);
}

/* ---- how they are launched ---- */

int64_t package_launch_extent(const struct package *package, const struct extent *extent) {
    return extent->size == NO_INDEX ? (int64_t)extent->value : package->sizes[extent->size];
}

/* What an extent of a launch is, what makes a form take it, and the least that it may be. */
static const struct launch_part {
    const char *name;
    unsigned takes;
    int64_t least;
} launch_parts[LAUNCH_EXTENTS] = {
    [LAUNCH_GRID] = {"grid", TAKES_GRID, 1},
    [LAUNCH_GRID + 1] = {"second dimension of the grid", TAKES_GRID, 1},
    [LAUNCH_GRID + 2] = {"third dimension of the grid", TAKES_GRID, 1},
    [LAUNCH_BLOCK] = {"block", TAKES_BLOCK, 1},
    [LAUNCH_BLOCK + 1] = {"second dimension of the block", TAKES_BLOCK, 1},
    [LAUNCH_BLOCK + 2] = {"third dimension of the block", TAKES_BLOCK, 1},
    [LAUNCH_BYTES] = {"number of bytes of a block", TAKES_BYTES, 0},
    [LAUNCH_UNITS] = {"number of units", TAKES_COUNT, 1},
    [LAUNCH_FIRST] = {"first unit", TAKES_FIRST, 0},
};

/* Workers of a launch: more are nothing that anybody waits for. */
#define MOST_WORKERS ((uint64_t)1 << 40)

static bool extents_fine(const struct target *target, const struct kernel_decl *kernel,
                         const struct launch_values *x, unsigned *extent, struct str *why) {
    const struct machine_form *form = target ? machine_form(target, kernel->form, NULL) : NULL;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++) {
        const struct launch_part *part = &launch_parts[i];
        if (!x->said[i])
            continue;
        if (form && !(form->takes & part->takes)) {
            str_printf(why, "kernel '%s': form '%s' leaves the %s to the machine", kernel->name,
                       kernel->form, part->name);
            return false;
        }
        if (x->value[i] >= part->least && x->value[i] <= UINT32_MAX)
            continue;
        str_printf(why, "kernel '%s': the %s is %" PRId64 ", not %" PRId64 " to %" PRIu32,
                   kernel->name, part->name, x->value[i], part->least, UINT32_MAX);
        *extent = i;
        return false;
    }
    return true;
}

bool package_launch_fine(const struct target *target, const struct kernel_decl *kernel,
                         const struct launch_values *values, unsigned *extent, struct str *why) {
    uint64_t workers = 1, first = (uint64_t)values->value[LAUNCH_FIRST],
             units = (uint64_t)values->value[LAUNCH_UNITS],
             there = target ? (uint64_t)target->mpus * target_vrfs_per_mpu(target) : UINT64_MAX;
    *extent = LAUNCH_EXTENTS;
    if (!extents_fine(target, kernel, values, extent, why))
        return false;
    for (unsigned i = 0; i < LAUNCH_BYTES; i++)
        if (values->said[i])
            workers = sat_mul(workers, (uint64_t)values->value[i]);
    if (workers > MOST_WORKERS)
        str_printf(why, "kernel '%s': the launch has more than 2^40 workers", kernel->name);
    else if (first + units > there)
        str_printf(why,
                   "kernel '%s' names units %" PRIu64 " to %" PRIu64 "; target '%s' has %" PRIu64,
                   kernel->name, first, first + units - 1, target->name, there);
    return why->len == 0;
}

/* What is wrong with a launch, and the size that it comes from (NO_INDEX). */
struct launch_problem {
    struct str why;
    uint32_t size;
};

static bool geometry_fine(const struct package *package, const struct target *target,
                          const struct kernel_decl *kernel, const struct launch_geometry *geometry,
                          struct launch_problem *problem) {
    struct launch_values x;
    unsigned extent;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++) {
        x.value[i] = package_launch_extent(package, &geometry->extent[i]);
        x.said[i] = launch_said(&geometry->extent[i]);
    }
    if (package_launch_fine(target, kernel, &x, &extent, &problem->why))
        return true;
    if (extent < LAUNCH_EXTENTS)
        problem->size = geometry->extent[extent].size;
    return false;
}

/* Bytes of a buffer that each unit finds: all, or its row. */
static uint64_t bytes_of_unit(const struct package *package, const struct object *object,
                              uint32_t buffer) {
    const struct buffer_decl *b = &object->buffers.data[buffer];
    uint64_t total =
        sat_mul(object_buffer_elements(b, package->sizes), object_element_bytes(b->type));
    return package->buffers && package->buffers[buffer].layout == LAYOUT_EACH
               ? total / package_buffer_rows(package, object, buffer)
               : total;
}

/* A buffer is given from a byte that it has, where an element begins. */
static bool offset_fine(const struct package *package, const struct object *object,
                        const struct kernel_argument *argument, struct launch_problem *problem) {
    const struct buffer_decl *b = &object->buffers.data[argument->buffer];
    int64_t offset =
        argument->size == NO_INDEX ? (int64_t)argument->number : package->sizes[argument->size];
    uint64_t element = object_element_bytes(b->type),
             bytes = bytes_of_unit(package, object, argument->buffer);
    if (!offset)
        return true;
    if (package->buffers && package->buffers[argument->buffer].layout == LAYOUT_SPLIT) {
        str_printf(&problem->why, "buffer '%s' is split, and is given whole", b->name);
        return false;
    }
    problem->size = argument->size;
    if (offset < 0 || (uint64_t)offset > bytes)
        str_printf(&problem->why, "buffer '%s' has %" PRIu64 " bytes, not %" PRId64, b->name, bytes,
                   offset);
    else if ((uint64_t)offset % element)
        str_printf(&problem->why,
                   "elements of buffer '%s' (%" PRIu64 " bytes) do not begin at byte %" PRId64,
                   b->name, element, offset);
    return problem->why.len == 0;
}

/* Without a target: as far as no machine has a part in it. */
static bool launch_fine(const struct package *package, const struct object *object,
                        const struct target *target, const struct recipe_call *call,
                        struct launch_problem *problem) {
    const struct kernel_decl *k = object_call_kernel(object, call);
    *problem = (struct launch_problem){.size = NO_INDEX};
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        struct str at = {0};
        if (call->arguments[i].buffer == NO_INDEX ||
            offset_fine(package, object, &call->arguments[i], problem))
            continue;
        str_printf(&at, "kernel '%s', parameter '%s': %s", k->name, k->parameters[i].name,
                   str_text(&problem->why));
        str_free(&problem->why);
        problem->why = at;
        return false;
    }
    return !call->geometry || geometry_fine(package, target, k, call->geometry, problem);
}

/* The launch that the instruction at `index` is; NULL: it is none. */
static const struct recipe_call *launch_at(const struct object *object, uint32_t index) {
    struct insn insn;
    const struct recipe_call *c =
        isa_decode(object->text.data[index], &insn) == ISA_OK ? object_call(object, &insn) : NULL;
    return c && object_call_kernel(object, c) ? c : NULL;
}

void package_check_launches(struct pack *pack) {
    const struct object *o = pack->program;
    for (uint32_t i = 0; pack->p->launches && i < o->text.len && !diag_full(pack->d); i++) {
        const struct recipe_call *c = launch_at(o, i);
        struct launch_problem problem = {.size = NO_INDEX};
        if (c && !launch_fine(pack->p, o, pack->t, c, &problem)) {
            diag_error(pack->d, package_pack_span(pack, i), "%s", str_text(&problem.why));
            if (problem.size != NO_INDEX)
                object_size_note(o, problem.size, pack->p->sizes, pack->d);
            link_note_where(o, i, pack->d);
        }
        str_free(&problem.why);
    }
}

bool package_launches_possible(const struct package *package, const struct object *object,
                               const struct target *target, struct str *why) {
    bool fine = true;
    for (uint32_t i = 0; fine && package->launches && i < object->text.len; i++) {
        const struct recipe_call *c = launch_at(object, i);
        struct launch_problem problem = {.size = NO_INDEX};
        fine = !c || launch_fine(package, object, target, c, &problem);
        if (why)
            str_append(why, str_text(&problem.why));
        str_free(&problem.why);
    }
    return fine;
}

static bool same_kernel(const struct package_kernel *k, const struct machine_kernel *now) {
    return k->size == now->code.len && k->mpus == now->mpus && k->line_count == now->line_count &&
           (k->size == 0 || memcmp(k->code, str_text(&now->code), k->size) == 0) &&
           memcmp(k->reg_bits, now->reg_bits, sizeof k->reg_bits) == 0 &&
           (k->line_count == 0 ||
            memcmp(k->lines, now->lines, k->line_count * sizeof *k->lines) == 0);
}

/* Kernels that were read serve if the machine would make the same of them now. */
bool package_kernels_fresh(const struct package *package, const struct object *object,
                           const struct machine_library *library) {
    struct arena scratch = {0};
    const struct machine_launches program = package_launches_of(object, package->sizes, &scratch);
    bool beyond = false;
    bool launches = link_kernels_launch(object, library->target, NULL), fine = true;
    for (uint32_t i = 0; fine && !beyond && i < package->kernel_count; i++) {
        struct machine_kernel now = {.mpus = 0};
        if (launches && program.called[i])
            fine = compiles(&program, library, &object->kernels.data[i], &now, &beyond);
        fine = beyond || !package->launches || (fine && same_kernel(&package->kernels[i], &now));
        machine_kernel_free(&now);
    }
    if (fine && launches && !beyond && !package->launches)
        beyond = package_layouts_beyond(object, package->sizes, library);
    fine = fine && (beyond ? !package->launches && package_has_every_else(object)
                           : package->launches == launches);
    arena_free(&scratch);
    return fine && package_modules_fresh(package, object, library) &&
           package_buffers_fresh(package, object, library) &&
           package_launches_possible(package, object, library->target, NULL);
}

/* The first of its places whose code is another one; places take the same number of bytes each. */
static void describe_difference(const struct object *object, uint32_t kernel,
                                const struct package_kernel *k, const struct machine_kernel *now,
                                struct str *out) {
    size_t bytes = now->line_count ? now->code.len / now->line_count : 0, at = 0;
    const char *code = str_text(&now->code);
    const struct kernel_decl *decl = &object->kernels.data[kernel];
    while (at < k->size && at < now->code.len && ((const char *)k->code)[at] == code[at])
        at++;
    size_t pc = bytes ? at / bytes : now->line_count;
    str_printf(out, "has code of kernel '%s' that is not its text's", decl->name);
    if (pc >= now->line_count || bytes * now->line_count != now->code.len)
        return;
    struct place place = object_kernel_line(object, decl, now->lines[pc]);
    str_printf(out, ", at pc %zu", pc);
    if (place.file != NO_INDEX)
        str_printf(out, ", %s:%u", object->files.data[place.file], (unsigned)place.line);
    else
        str_printf(out, ", line %u of its text", (unsigned)now->lines[pc]);
}

bool package_kernel_differs(const struct package *package, const struct object *object,
                            const struct machine_library *library, struct str *out) {
    struct arena scratch = {0};
    const struct machine_launches program = package_launches_of(object, package->sizes, &scratch);
    bool differs = false;
    for (uint32_t i = 0; !differs && package->launches && i < package->kernel_count; i++) {
        struct machine_kernel now = {.mpus = 0};
        bool beyond;
        if (program.called[i] &&
            compiles(&program, library, &object->kernels.data[i], &now, &beyond))
            differs = !same_kernel(&package->kernels[i], &now);
        if (differs)
            describe_difference(object, i, &package->kernels[i], &now, out);
        machine_kernel_free(&now);
    }
    arena_free(&scratch);
    return differs;
}

void package_widen_kernels(const struct package *package, uint8_t reg_bits[64]) {
    for (size_t i = 0; i < package->kernel_count; i++)
        for (unsigned r = 0; r < 64; r++)
            package_widen_register(reg_bits, r, package->kernels[i].reg_bits[r]);
}

bool package_kernel_whole(const struct package *package, const struct object *object,
                          uint32_t kernel, const struct target *target) {
    const struct machine_form *form =
        package->kernels[kernel].size
            ? machine_form(target, object->kernels.data[kernel].form, NULL)
            : NULL;
    return form && form->whole;
}

uint32_t package_kernel_mpus(const struct package *package, const struct object *object,
                             const struct target *target) {
    uint32_t mpus = 0;
    for (uint32_t i = 0; i < package->kernel_count; i++) {
        bool whole = package_kernel_whole(package, object, i, target);
        uint32_t own = whole ? target->mpus : package->kernels[i].mpus;
        mpus = own > mpus ? own : mpus;
    }
    return mpus;
}

/* ---- for people ---- */

void package_print_kernels(const struct package *package, const struct object *object,
                           const struct machine_library *library, struct str *out) {
    package_print_buffers(package, object, library->target, out);
    for (size_t i = 0; i < package->kernel_count; i++) {
        const struct package_kernel *k = &package->kernels[i];
        const struct machine_form *form =
            k->size ? machine_form(library->target, object->kernels.data[i].form, NULL) : NULL;
        if (!form)
            continue;
        str_append(out, "kernel ");
        object_kernel_text(object, &object->kernels.data[i], out);
        str_char(out, '\n');
        struct place at = object_kernel_line(object, &object->kernels.data[i], 1);
        const struct machine_lines lines = {
            k->lines, k->line_count, at.file == NO_INDEX ? NULL : object->files.data[at.file],
            at.line};
        form->print(library, k->code, k->size, &lines, out);
    }
}
