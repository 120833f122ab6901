/* SPDX-License-Identifier: MIT */
#include "runtime/internal.h"

#include "ezpim/driver.h"
#include "linker/linker.h"
#include "support/alloc.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

static void program_make(struct object *o, const char *name, mpu_program **out) {
    struct str bytes = {0};
    *out = xcalloc(1, sizeof **out);
    (*out)->object = o;
    (*out)->name = xstrdup(name);
    object_write(o, &bytes);
    sha256_hex(bytes.text, bytes.len, (*out)->sha256);
    str_free(&bytes);
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

mpu_result program_load_diag(const char *const *paths, size_t count,
                             const struct program_source *source, struct diag *d,
                             mpu_program **out) {
    static const struct program_source nothing = {0};
    const struct program_source *s = source ? source : &nothing;
    const struct driver_options options = {
        .ez = {.optimize = 1,
               .debug = true,
               .defines = s->defines,
               .define_count = s->define_count},
        .as = {.debug = true, .defines = s->defines, .define_count = s->define_count},
        .erc = {.debug = true, .defines = s->defines, .define_count = s->define_count},
        .entry = s->entry};
    bool io_error = false;
    struct object *o = driver_link(paths, count, &options, d, &io_error);
    if (!o)
        return io_error ? MPU_FILE : MPU_REJECTED;
    program_make(o, paths[0], out);
    return MPU_OK;
}

mpu_program *mpu_program_load(const void *bytes, size_t size, mpu_error **error) {
    struct call c;
    mpu_program *p = NULL;
    call_begin(&c);
    call_end(&c, program_bytes_diag("program", bytes, size, c.d, &p), error);
    return p;
}

mpu_program *mpu_program_load_file(const char *path, mpu_error **error) {
    struct call c;
    mpu_program *p = NULL;
    call_begin(&c);
    call_end(&c, program_load_diag(&path, 1, NULL, c.d, &p), error);
    return p;
}

void mpu_program_free(mpu_program *p) {
    if (!p)
        return;
    object_free(p->object);
    free(p->name);
    free(p);
}
