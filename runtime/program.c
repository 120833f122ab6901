/* SPDX-License-Identifier: MIT
 * Programs: what they are made from, and what there is to know of them. */
#include "runtime/internal.h"

#include "linker/linker.h"
#include "support/alloc.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static void program_make(struct object *o, const char *name, mpu_program **out) {
    struct str bytes = {0};
    *out = xcalloc(1, sizeof **out);
    (*out)->object = o;
    (*out)->name = xstrdup(name);
    object_write(o, &bytes);
    sha256_hex(bytes.text, bytes.len, (*out)->sha256);
    str_free(&bytes);
    program_list(*out);
}

/* An object that was assembled but not linked is linked alone. */
static struct object *linked(struct object *o, struct diag *d) {
    const struct object *const inputs[] = {o};
    const struct link_options options = {0};
    if (!o || o->linked)
        return o;
    struct object *program = link_objects(inputs, 1, &options, d);
    object_free(o);
    return program;
}

mpu_result program_bytes_diag(const char *name, const void *bytes, size_t size, struct diag *d,
                              mpu_program **out) {
    struct object *o = linked(object_read(name, bytes, size, d), d);
    if (!o)
        return MPU_REJECTED;
    program_make(o, name, out);
    return MPU_OK;
}

mpu_program *mpu_program_load(const void *bytes, size_t size, mpu_error **error) {
    struct call c;
    mpu_program *p = NULL;
    call_begin(&c, NULL, error);
    call_end(&c, program_bytes_diag("program", bytes, size, c.d, &p));
    return p;
}

void mpu_program_free(mpu_program *p) {
    if (!p)
        return;
    object_free(p->object);
    arena_free(&p->texts);
    free(p->name);
    free(p);
}

/* ---- sources ---- */

mpu_source *mpu_source_new(mpu_messages *messages) {
    mpu_source *s = xcalloc(1, sizeof *s);
    s->messages = messages;
    return s;
}

void mpu_source_free(mpu_source *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->files.len; i++)
        free(s->files.data[i].bytes);
    vec_free(&s->files);
    vec_free(&s->defines);
    vec_free(&s->shapes);
    arena_free(&s->arena);
    free(s);
}

void mpu_source_add_file(mpu_source *s, const char *path) {
    struct source_file f = {.path = arena_strdup(&s->arena, path)};
    vec_push(&s->files, f);
}

void mpu_source_add_text(mpu_source *s, const char *name, const void *bytes, size_t size) {
    struct source_file f = {arena_strdup(&s->arena, name), xcalloc(size + 1, 1), size};
    if (size)
        memcpy(f.bytes, bytes, size);
    vec_push(&s->files, f);
}

mpu_result mpu_source_set_language(mpu_source *s, const char *language) {
    if (!driver_language(language))
        return MPU_USAGE;
    s->language = arena_strdup(&s->arena, language);
    return MPU_OK;
}

mpu_result mpu_source_define(mpu_source *s, const char *text) {
    struct asm_define x;
    if (!driver_define(text, &s->arena, &x))
        return MPU_USAGE;
    vec_push(&s->defines, x);
    return MPU_OK;
}

void mpu_source_set_entry(mpu_source *s, const char *name) {
    s->entry = name ? arena_strdup(&s->arena, name) : NULL;
}

void mpu_source_follow(mpu_source *s, const char *parameter, const char *data) {
    struct source_shape x = {.parameter = arena_strdup(&s->arena, parameter),
                             .data = arena_strdup(&s->arena, data)};
    vec_push(&s->shapes, x);
}

void mpu_source_follow_shape(mpu_source *s, const char *parameter, uint32_t ndim,
                             const uint64_t *shape) {
    struct source_shape x = {.parameter = arena_strdup(&s->arena, parameter)};
    for (x.like.ndim = 0; x.like.ndim < ndim && x.like.ndim < ARRAY_MAX_DIMS; x.like.ndim++)
        x.like.shape[x.like.ndim] = shape[x.like.ndim];
    vec_push(&s->shapes, x);
}

/* Standard input can be read once, and a kernel that follows shapes is compiled twice. */
static mpu_result read_standard_input(struct source_file *f, struct diag *d) {
    if (f->bytes || strcmp(f->path, "-") != 0)
        return MPU_OK;
    f->bytes = file_read("-", &f->size);
    if (f->bytes)
        return MPU_OK;
    diag_error(d, NO_SPAN, "cannot read '-': %s", strerror(errno));
    return MPU_FILE;
}

/* What stands in memory; returns how many. */
static size_t texts_of(const mpu_source *s, struct driver_text *texts) {
    size_t n = 0;
    for (size_t i = 0; i < s->files.len; i++) {
        const struct source_file *f = &s->files.data[i];
        if (f->bytes)
            texts[n++] = (struct driver_text){f->path, f->bytes, f->size};
    }
    return n;
}

static mpu_result link_source(mpu_source *s, const struct driver_options *options, struct diag *d,
                              mpu_program **out) {
    const char **paths = xcalloc(s->files.len + 1, sizeof *paths);
    bool io_error = false;
    for (size_t i = 0; i < s->files.len; i++)
        paths[i] = s->files.data[i].path;
    struct object *o = driver_link(paths, s->files.len, options, d, &io_error);
    if (o)
        program_make(o, paths[0], out);
    free(paths);
    return o ? MPU_OK : io_error ? MPU_FILE : MPU_REJECTED;
}

static void set_defines(struct driver_options *options, const struct source_defines *x) {
    options->ez.defines = options->as.defines = options->erc.defines = x->items.data;
    options->ez.define_count = options->as.define_count = options->erc.define_count = x->items.len;
}

mpu_result source_build_diag(mpu_source *s, struct diag *d, mpu_program **out) {
    struct driver_text *texts = xcalloc(s->files.len + 1, sizeof *texts);
    struct source_defines defines = {0};
    struct driver_options options = {.ez = {.optimize = 1, .debug = true},
                                     .as = {.debug = true},
                                     .erc = {.debug = true},
                                     .language = s->language,
                                     .entry = s->entry,
                                     .texts = texts};
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < s->files.len; i++)
        r = read_standard_input(&s->files.data[i], d);
    options.text_count = texts_of(s, texts);
    if (r == MPU_OK)
        r = source_defines_find(s, &options, &defines, d);
    set_defines(&options, &defines);
    if (r == MPU_OK)
        r = link_source(s, &options, d, out);
    source_defines_free(&defines);
    free(texts);
    return r;
}

mpu_program *mpu_source_build(mpu_source *s, mpu_error **error) {
    struct call c;
    mpu_program *p = NULL;
    mpu_result r = MPU_USAGE;
    call_begin(&c, s->messages, error);
    if (s->files.len)
        r = source_build_diag(s, c.d, &p);
    else
        diag_error(c.d, NO_SPAN, "a program of no source");
    call_end(&c, r);
    return p;
}

mpu_result program_file_diag(const char *path, struct diag *d, mpu_program **out) {
    mpu_source *s = mpu_source_new(NULL);
    mpu_source_add_file(s, path);
    mpu_result r = source_build_diag(s, d, out);
    mpu_source_free(s);
    return r;
}

mpu_program *mpu_program_load_file(const char *path, mpu_error **error) {
    struct call c;
    mpu_program *p = NULL;
    call_begin(&c, NULL, error);
    call_end(&c, program_file_diag(path, c.d, &p));
    return p;
}
