/* SPDX-License-Identifier: MIT
 * Programs: building and loading them, and what they tell of themselves. */
#include "runtime/program.h"
#include "runtime/public.h"

#include "ezpim/code/rows.h"
#include "linker/linker.h"
#include "linker/package.h"
#include "machines/machine.h"
#include "support/alloc.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static void program_make(struct object *object, const char *name, mpu_program **out) {
    struct str bytes = {0};
    *out = xcalloc(1, sizeof **out);
    (*out)->object = object;
    (*out)->name = xstrdup(name);
    object_write(object, &bytes);
    sha256_hex(bytes.text, bytes.len, (*out)->sha256);
    str_free(&bytes);
    program_list(*out);
    for (size_t i = 0; i < object->own_texts.len; i++) {
        struct program_variant v = {NULL, xcalloc(1, sizeof *v.program)};
        v.program->object = object->own_texts.data[i].program;
        v.program->borrowed = true;
        v.program->name = xstrdup(name);
        memcpy(v.program->sha256, (*out)->sha256, sizeof v.program->sha256);
        program_list(v.program);
        vec_push(&(*out)->variants, v);
    }
}

/* An object that was assembled but not linked is linked alone. */
static struct object *linked(struct object *object, struct diag *diag) {
    const struct object *const inputs[] = {object};
    const struct link_options options = {0};
    if (!object || object->linked)
        return object;
    struct object *program = link_objects(inputs, 1, &options, diag);
    object_free(object);
    return program;
}

static mpu_result program_bytes_diag(const char *name, const void *bytes, size_t size,
                                     struct diag *diag, mpu_program **out) {
    struct object *o = linked(object_read(name, bytes, size, diag), diag);
    if (!o)
        return MPU_REJECTED;
    program_make(o, name, out);
    return MPU_OK;
}

mpu_program *mpu_program_load(const void *bytes, size_t size, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    mpu_program *p = NULL;
    public_call_begin(&c, NULL, error);
    public_call_end(&c, program_bytes_diag("program", bytes, size, c.d, &p));
    return p;
}

void mpu_program_free(mpu_program *program) {
    if (!program)
        return;
    for (size_t i = 0; i < program->variants.len; i++)
        mpu_program_free(program->variants.data[i].program);
    vec_free(&program->variants);
    if (!program->borrowed)
        object_free(program->object);
    arena_free(&program->texts);
    free(program->name);
    free(program);
}

/* ---- sources ---- */

mpu_source *mpu_source_new(mpu_messages *messages) {
    PUBLIC_ENTRY(NULL, NULL);
    mpu_source *s = xcalloc(1, sizeof *s);
    s->messages = messages;
    return s;
}

void mpu_source_free(mpu_source *source) {
    if (!source || source->broken)
        return;
    for (size_t i = 0; i < source->files.len; i++)
        free(source->files.data[i].bytes);
    vec_free(&source->files);
    vec_free(&source->defines);
    vec_free(&source->shapes);
    vec_free(&source->targets);
    vec_free(&source->launches);
    vec_free(&source->buffers);
    file_uses_free(&source->used);
    arena_free(&source->arena);
    free(source);
}

void mpu_source_add_file(mpu_source *source, const char *path) {
    PUBLIC_ENTRY_OF(source, NULL, );
    struct source_file f = {.path = arena_strdup(&source->arena, path)};
    vec_push(&source->files, f);
}

void mpu_source_add_text(mpu_source *source, const char *name, const void *bytes, size_t size) {
    PUBLIC_ENTRY_OF(source, NULL, );
    struct source_file f = {arena_strdup(&source->arena, name), xcalloc(size + 1, 1), size};
    if (size)
        memcpy(f.bytes, bytes, size);
    vec_push(&source->files, f);
}

mpu_result mpu_source_set_language(mpu_source *source, const char *language) {
    if (!driver_language(language))
        return MPU_USAGE;
    source->language = arena_strdup(&source->arena, language);
    return MPU_OK;
}

mpu_result mpu_source_define(mpu_source *source, const char *text) {
    PUBLIC_ENTRY_OF(source, NULL, MPU_CAPACITY);
    struct asm_define x;
    if (!driver_define(text, &source->arena, &x))
        return MPU_USAGE;
    vec_push(&source->defines, x);
    return MPU_OK;
}

void mpu_source_add_launch(mpu_source *source, const char *launch) {
    PUBLIC_ENTRY_OF(source, NULL, );
    const char *text = arena_strdup(&source->arena, launch);
    vec_push(&source->launches, text);
}

void mpu_source_add_buffer(mpu_source *source, const char *buffer) {
    PUBLIC_ENTRY_OF(source, NULL, );
    const char *text = arena_strdup(&source->arena, buffer);
    vec_push(&source->buffers, text);
}

void mpu_source_set_parts(mpu_source *source) {
    source->parts = true;
}

void mpu_source_set_entry(mpu_source *source, const char *name) {
    PUBLIC_ENTRY_OF(source, NULL, );
    source->entry = name ? arena_strdup(&source->arena, name) : NULL;
}

void mpu_source_for_target(mpu_source *source, const char *target) {
    PUBLIC_ENTRY_OF(source, NULL, );
    const char *name = arena_strdup(&source->arena, target);
    vec_push(&source->targets, name);
}

void mpu_source_set_spill(mpu_source *source, int spill) {
    PUBLIC_ENTRY_OF(source, NULL, );
    source->spill = spill != 0;
}

void mpu_source_use_cache(mpu_source *source) {
    PUBLIC_ENTRY_OF(source, NULL, );
    source->keeps = true;
}

void mpu_source_follow(mpu_source *source, const char *parameter, const char *data) {
    PUBLIC_ENTRY_OF(source, NULL, );
    struct source_shape x = {.parameter = arena_strdup(&source->arena, parameter),
                             .data = arena_strdup(&source->arena, data)};
    vec_push(&source->shapes, x);
}

void mpu_source_follow_shape(mpu_source *source, const char *parameter, uint32_t ndim,
                             const uint64_t *shape) {
    PUBLIC_ENTRY_OF(source, NULL, );
    struct source_shape x = {.parameter = arena_strdup(&source->arena, parameter)};
    for (x.like.ndim = 0; x.like.ndim < ndim && x.like.ndim < NDARRAY_MAX_DIMS; x.like.ndim++)
        x.like.shape[x.like.ndim] = shape[x.like.ndim];
    vec_push(&source->shapes, x);
}

/* Standard input can be read once, and a kernel that follows shapes is compiled twice. */
static mpu_result read_standard_input(struct source_file *file, struct diag *diag) {
    if (file->bytes || strcmp(file->path, "-") != 0)
        return MPU_OK;
    file->bytes = file_read_most("-", FILE_MAX_OBJECT, &file->size);
    if (file->bytes)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "cannot read '-': %s", strerror(errno));
    return MPU_FILE;
}

/* What stands in memory; returns how many. */
static size_t texts_of(const mpu_source *source, struct driver_text *texts) {
    size_t n = 0;
    for (size_t i = 0; i < source->files.len; i++) {
        const struct source_file *f = &source->files.data[i];
        if (f->bytes)
            texts[n++] = (struct driver_text){f->path, f->bytes, f->size};
    }
    return n;
}

static mpu_result link_source(mpu_source *source, const struct driver_options *options,
                              struct diag *diag, mpu_program **out) {
    const char **paths = xcalloc(source->files.len + 1, sizeof *paths);
    bool io_error = false;
    for (size_t i = 0; i < source->files.len; i++)
        paths[i] = source->files.data[i].path;
    struct object *o = driver_link(paths, source->files.len, options, diag, &io_error);
    if (o) {
        program_make(o, paths[0], out);
        (*out)->parts = source->parts;
    }
    free(paths);
    return o ? MPU_OK : io_error ? MPU_FILE : MPU_REJECTED;
}

/* What was compiled for the target of that name, or NULL. */
static const mpu_program *variant_for(const mpu_program *program, const char *target) {
    for (size_t i = 0; i < program->variants.len; i++)
        if (program->variants.data[i].target &&
            strcmp(program->variants.data[i].target, target) == 0)
            return program->variants.data[i].program;
    return NULL;
}

const mpu_program *program_on(const mpu_program *program, const mpu_target *target) {
    const mpu_program *own = variant_for(program, target->t->name);
    if (own || !program->variants.len)
        return own ? own : program;
    const struct object *text = package_text_on(program->object, target->t, target->library);
    for (size_t i = 0; i < program->variants.len; i++)
        if (program->variants.data[i].program->object == text)
            return program->variants.data[i].program;
    return program;
}

/* Objects that were compiled before are as they are. */
static bool is_compiled_here(const mpu_source *source) {
    for (size_t i = 0; i < source->files.len; i++) {
        const char *dot = strrchr(source->files.data[i].path, '.');
        if (!source->language && dot && (strcmp(dot, ".o") == 0 || strcmp(dot, ".mpu") == 0))
            return false;
    }
    return true;
}

/* The program once more with these options, or NULL. */
static mpu_program *compiled_for(mpu_source *source, struct driver_options options,
                                 struct diag *diag) {
    mpu_program *p = NULL;
    options.files = options.as.files = options.ez.files = NULL; /* they were read */
    return link_source(source, &options, diag, &p) == MPU_OK ? p : NULL;
}

static void add_variant(mpu_program *program, const char *target, mpu_program *own,
                        struct diag *diag) {
    struct program_variant v = {arena_strdup(&program->texts, target), own};
    memcpy(own->sha256, program->sha256, sizeof program->sha256);
    vec_push(&program->variants, v);
    diag_warning(
        diag, W_OWN_TEXT, NO_SPAN,
        "the program takes more of a lane than target '%s' has: it runs a text of its own, "
        "of %zu instructions in place of %zu",
        target, own->object->text.len, program->object->text.len);
}

/* Rows that the program takes there; false if nothing lies in rows. */
static bool rows_taken_on(const mpu_program *program, const mpu_target *target,
                          struct machine_rows *out) {
    struct program_library library;
    struct diag *quiet = diag_new(NULL, NULL);
    bool some = false;
    if (package_library_open(program->object, target->t, target->library, &library, quiet)) {
        if (library.own && target->keeps)
            public_keep(library.own);
        some = package_program_rows(program->object, target->t, library.library, out);
        package_library_close(&library);
    }
    diag_free(quiet);
    return some;
}

/* The program with as many rows for registers as the text before left there, whose instructions may
 * need more scratch than those of the new one: until one has room, a few times.  NULL: none has. */
static mpu_program *compiled_for_rows(mpu_source *source, const struct driver_options *options,
                                      const mpu_target *target, struct machine_rows rows) {
    enum { TRIES = 4 };
    struct diag *quiet = diag_new(NULL, NULL);
    mpu_program *p = NULL;
    for (unsigned i = 0; i < TRIES && machine_rows_taken(&rows) > rows.there; i++) {
        struct driver_options own = *options;
        uint32_t left = (uint32_t)machine_rows_left(&rows);
        mpu_program_free(p);
        p = NULL;
        if (rows.bits > 1) {
            own.ez.columns = left;
            own.ez.sections = rows.bits;
        } else {
            own.ez.rows = left;
        }
        p = left ? compiled_for(source, own, quiet) : NULL;
        if (!p || !rows_taken_on(p, target, &rows))
            break;
    }
    if (p && machine_rows_taken(&rows) > rows.there) {
        mpu_program_free(p);
        p = NULL;
    }
    diag_free(quiet);
    return p;
}

/* What the recipes leave there is counted: of a user's target, and where tables make recipes of
 * their own. */
static void add_by_count(mpu_source *source, const struct driver_options *options, const char *file,
                         mpu_program *program, struct diag *diag) {
    struct diag *quiet = diag_new(NULL, NULL);
    mpu_target *target = NULL;
    struct machine_rows rows;
    mpu_result opened = public_target_open_diag(file, NULL, 0, quiet, &target);
    if (opened == MPU_OK && source->keeps)
        mpu_target_use_cache(target);
    if (opened == MPU_OK && program_on(program, target) == program &&
        rows_taken_on(program, target, &rows) && machine_rows_taken(&rows) > rows.there) {
        struct driver_options spilling = *options;
        spilling.ez.spill = true;
        spilling.ez.own_texts = 0;
        mpu_program *own = compiled_for_rows(source, options, target, rows);
        if (!own)
            own = compiled_for_rows(source, &spilling, target, rows);
        if (own)
            add_variant(program, target->t->name, own, diag);
    }
    mpu_target_close(target);
    diag_free(quiet);
}

/* Texts for targets that have no room for what the others run. */
static void add_variants(mpu_source *source, const struct driver_options *options,
                         mpu_program *program, struct diag *diag) {
    for (size_t i = 0; i < source->targets.len && is_compiled_here(source); i++) {
        const char *target = source->targets.data[i];
        bool shapes = program->object->luts.len || program->object->products.len;
        if (!variant_for(program, target) && (!target_summary(target) || shapes))
            add_by_count(source, options, target, program, diag);
    }
}

/* Built-in targets that get texts of their own where they have no room: those that were named, or
 * all. */
static uint32_t own_texts_of(const mpu_source *source) {
    uint32_t targets = 0;
    if (source->parts)
        return 0;
    for (size_t i = 0; i < source->targets.len; i++)
        targets |= rows_target_bit(source->targets.data[i]);
    return source->targets.len ? targets : EZ_ALL_TARGETS;
}

static void set_defines(struct driver_options *options, const struct program_defines *defines) {
    options->ez.defines = options->as.defines = options->erc.defines = defines->items.data;
    options->ez.define_count = options->as.define_count = options->erc.define_count =
        defines->items.len;
    options->launches.defines = defines->items.data;
    options->launches.define_count = defines->items.len;
}

/* Launches of the source, and buffers that get data; the list of these is to be freed. */
static struct driver_launches launches_of(const mpu_source *source, const char ***inputs) {
    *inputs = xcalloc(source->shapes.len + 1, sizeof **inputs);
    for (size_t i = 0; i < source->shapes.len; i++)
        (*inputs)[i] = source->shapes.data[i].parameter;
    return (struct driver_launches){source->launches.data,
                                    source->launches.len,
                                    source->buffers.data,
                                    source->buffers.len,
                                    *inputs,
                                    source->shapes.len,
                                    NULL,
                                    0,
                                    false};
}

mpu_result program_build_diag(mpu_source *source, struct diag *diag, mpu_program **out) {
    struct driver_text *texts = xcalloc(source->files.len + 1, sizeof *texts);
    const char **inputs;
    struct program_defines defines = {0};
    struct driver_options options = {.ez = {.optimize = 1,
                                            .debug = true,
                                            .spill = source->spill,
                                            .own_texts = own_texts_of(source),
                                            .parts = source->parts},
                                     .as = {.debug = true},
                                     .erc = {.debug = true},
                                     .language = source->language,
                                     .entry = source->entry,
                                     .launches = launches_of(source, &inputs),
                                     .parts = source->parts,
                                     .texts = texts,
                                     .files = &source->used};
    options.ez.files = options.as.files = &source->used;
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < source->files.len; i++)
        r = read_standard_input(&source->files.data[i], diag);
    options.text_count = texts_of(source, texts);
    if (r == MPU_OK)
        r = program_defines_find(source, &options, &defines, diag);
    set_defines(&options, &defines);
    if (r == MPU_OK)
        r = link_source(source, &options, diag, out);
    if (r == MPU_OK)
        add_variants(source, &options, *out, diag);
    program_defines_free(&defines);
    free(texts);
    free(inputs);
    return r;
}

const char *mpu_source_file(const mpu_source *source, size_t index) {
    return index < source->used.list.len ? source->used.list.data[index].path : NULL;
}

mpu_program *mpu_source_build(mpu_source *source, mpu_error **error) {
    PUBLIC_ENTRY_OF(source, error, NULL);
    struct public_call c;
    mpu_program *p = NULL;
    mpu_result r = MPU_USAGE;
    public_call_begin(&c, source->messages, error);
    if (source->files.len)
        r = program_build_diag(source, c.d, &p);
    else
        diag_error(c.d, NO_SPAN, "a program of no source");
    public_call_end(&c, r);
    return p;
}

mpu_result program_file_diag(const char *path, struct diag *diag, mpu_program **out) {
    mpu_source *s = mpu_source_new(NULL);
    if (!s)
        alloc_failed();
    mpu_source_add_file(s, path);
    if (s->broken)
        alloc_failed();
    mpu_result r = program_build_diag(s, diag, out);
    mpu_source_free(s);
    return r;
}

mpu_program *mpu_program_load_file(const char *path, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    mpu_program *p = NULL;
    public_call_begin(&c, NULL, error);
    public_call_end(&c, program_file_diag(path, c.d, &p));
    return p;
}
