/* SPDX-License-Identifier: MIT
 * Packages: found in the file, or made. */
#include "tools/mpu-objdump/packages.h"

#include "emu/place/place.h"
#include "linker/linker.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct package_blob *find_blob(const struct object *program, const char *target) {
    for (size_t i = 0; i < program->packages.len; i++)
        if (strcmp(program->packages.data[i].target, target) == 0)
            return &program->packages.data[i];
    return NULL;
}

/* The sizes of the command line, and behind them those and the link-time values that the package in
 * the file was built for; the first value of a name counts. */
static size_t bind_sizes(const struct package_request *request, const struct object *program,
                         const struct package *of_file, struct size_binding *out) {
    size_t n = 0;
    for (size_t i = 0; i < request->sizes.len; i++)
        out[n++] = request->sizes.data[i];
    for (size_t i = 0; of_file && i < of_file->size_count; i++) {
        struct size_binding b = {program->sizes.data[i].name, (uint64_t)of_file->sizes[i], NULL};
        bool given = program->sizes.data[i].op != SIZE_GIVEN;
        for (size_t k = 0; k < request->sizes.len; k++)
            given |= strcmp(request->sizes.data[k].name, b.name) == 0;
        if (!given)
            out[n++] = b;
    }
    const uint64_t *elements = of_file ? of_file->values : NULL;
    for (size_t i = 0; of_file && i < program->values.len; i++) {
        const struct value_decl *v = &program->values.data[i];
        out[n++] = (struct size_binding){.name = v->name, .elements = elements};
        elements += object_value_count(v);
    }
    return n;
}

/* The package of the file if it fits, else a new one; NULL after reporting. */
static struct package *open_package(const struct package_request *request, struct object *program,
                                    const struct open_target *target, struct diag *diag) {
    const struct package_blob *blob = find_blob(program, target->target->name);
    uint32_t before = diag_errors(diag);
    struct package *p = blob ? package_read(program, blob->bytes, blob->size, diag) : NULL;
    if (diag_errors(diag) != before || (!p && !package_program_runnable(program, diag)))
        return NULL;
    struct size_binding *sizes =
        xcalloc(request->sizes.len + program->sizes.len + program->values.len + 1, sizeof *sizes);
    size_t count = bind_sizes(request, program, p, sizes);
    if (!p || !package_fresh(p, program, target->target, target->library, sizes, count)) {
        if (p)
            diag_warning(
                diag, W_STALE_PACKAGE, NO_SPAN,
                "the package for target '%s' was made for other sizes or values, another target or "
                "other recipes; shown is what it would be now",
                target->target->name);
        struct package *stale = p; /* elements that are bound are its own */
        p = place_build(program, target->target, target->library, sizes, count, PLACE_AUTO,
                        FINISH_AUTO, diag);
        package_free(stale);
    }
    free(sizes);
    return p;
}

static enum exit_code show(const struct objdump_options *options,
                           const struct package_request *request, struct object *program,
                           bool placement, struct str *out) {
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < request->names.len; i++) {
        struct open_target own = request->targets[i];
        struct object *text = package_text_on(program, own.target, own.library);
        struct program_library l;
        if (!package_library_open(text, own.target, own.library, &l, options->cl.diag))
            return EXIT_REJECTED;
        own.library = l.library;
        struct package *p = open_package(request, text, &own, options->cl.diag);
        if (!p) {
            code = EXIT_REJECTED;
            package_library_close(&l);
            continue;
        }
        if (out->len)
            str_char(out, '\n');
        if (placement)
            package_print_map(p, text, request->targets[i].target, out);
        if (options->recipes)
            package_print_code(p, own.library, out);
        if (options->recipes)
            package_print_kernels(p, text, own.library, out);
        package_free(p);
        package_library_close(&l);
    }
    return code;
}

enum exit_code objdump_package_open(const struct objdump_options *options,
                                    const struct object *program, size_t target,
                                    struct package_view *out) {
    const struct package_request *r = &options->targets;
    struct open_target own = r->targets[target];
    *out = (struct package_view){
        .text = package_text_on((struct object *)(uintptr_t)program, own.target, own.library)};
    out->open =
        package_library_open(out->text, own.target, own.library, &out->own, options->cl.diag);
    if (!out->open)
        return EXIT_REJECTED;
    own.library = out->library = out->own.library;
    out->package = open_package(r, out->text, &own, options->cl.diag);
    return out->package ? EXIT_DONE : EXIT_REJECTED;
}

void objdump_package_close(struct package_view *view) {
    package_free(view->package);
    if (view->open)
        package_library_close(&view->own);
}

static void add_packages(struct package_request *request, const struct object *program) {
    for (size_t i = 0; i < program->packages.len; i++)
        vec_push(&request->names, program->packages.data[i].target);
}

/* The recipes of what is in the file: of its common text, then of those of single machines. */
static enum exit_code show_own(const struct objdump_options *options, struct object *program,
                               struct str *out) {
    struct package_request r = {.uncached = options->targets.uncached};
    add_packages(&r, program);
    for (size_t i = 0; i < program->own_texts.len; i++)
        add_packages(&r, program->own_texts.data[i].program);
    if (!r.names.len) {
        diag_error(options->cl.diag, NO_SPAN, "the program has no package, and so no recipes");
        diag_note(options->cl.diag, NO_SPAN,
                  "--target T shows those that it would have on a target");
        return EXIT_REJECTED;
    }
    enum exit_code code = package_request_open(&r, options->cl.diag);
    if (code == EXIT_DONE)
        code = show(options, &r, program, false, out);
    else
        diag_note(options->cl.diag, NO_SPAN,
                  "a package for a target of your own: --target FILE.yaml");
    package_request_free(&r);
    return code == EXIT_USAGE ? EXIT_REJECTED : code;
}

enum exit_code objdump_packages_show(const struct objdump_options *options, struct object *program,
                                     struct str *out) {
    if (!program->linked) {
        diag_error(options->cl.diag, NO_SPAN, "an object has no packages; link it with mpu-ld");
        return EXIT_REJECTED;
    }
    return options->targets.names.len ? show(options, &options->targets, program, true, out)
                                      : show_own(options, program, out);
}
