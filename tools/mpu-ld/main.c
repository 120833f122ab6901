/* SPDX-License-Identifier: MIT
 * mpu-ld: objects to a program, and packages for targets. */
#include "tools/mpu-ld/ld_options.h"

#include "emu/place/place.h"
#include "support/file.h"

#include <errno.h>
#include <string.h>

struct link_job {
    struct ld_options o;
    struct diag *d;
    VEC(struct object *) objects;
    struct object *program;
    struct str map, capacity;
    int exit_code;
};

static void file_error(struct link_job *r, const char *what, const char *path) {
    diag_error(r->d, NO_SPAN, "cannot %s '%s': %s", what, path, strerror(errno));
    r->exit_code = EXIT_FILE;
}

static void read_input(struct link_job *r, const char *path) {
    size_t size;
    char *bytes = file_read(path, &size);
    if (!bytes) {
        file_error(r, "read", path);
        return;
    }
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct object *o = object_read(name, bytes, size, r->d);
    free(bytes);
    if (!o && r->exit_code == EXIT_DONE)
        r->exit_code = EXIT_REJECTED;
    if (!o)
        return;
    vec_push(&r->objects, o);
    tool_say(&r->o.cl, "read '%s': %zu instructions, %zu bytes", path, o->text.len, size);
    if (!o->linked || (r->o.inputs.len == 1 && !r->o.link.relocatable))
        return;
    diag_error(r->d, NO_SPAN, "'%s' is already linked; link the objects that it was made of", name);
    r->exit_code = EXIT_REJECTED;
}

/* A linked program alone only gets packages. */
static bool is_program(const struct link_job *r) {
    return r->objects.len == 1 && r->objects.data[0]->linked && !r->o.link.relocatable;
}

static void link_inputs(struct link_job *r) {
    for (size_t i = 0; i < r->o.inputs.len; i++)
        read_input(r, r->o.inputs.data[i]);
    if (r->exit_code != EXIT_DONE)
        return;
    if (is_program(r)) {
        r->program = r->objects.data[0];
        r->objects.len = 0;
    } else {
        r->program = link_objects((const struct object *const *)r->objects.data, r->objects.len,
                                  &r->o.link, r->d);
    }
    if (!r->program)
        r->exit_code = EXIT_REJECTED;
}

/* Recipe files join the program, so that whoever packages it later has them. */
static void add_recipes(struct link_job *r) {
    for (size_t i = 0; i < r->o.recipes.len && r->exit_code == EXIT_DONE; i++) {
        const char *path = r->o.recipes.data[i];
        size_t size;
        char *text = file_read(path, &size);
        if (!text)
            file_error(r, "read", path);
        else if (!link_add_recipes(r->program, path, text, size, r->d))
            r->exit_code = EXIT_REJECTED;
        free(text);
    }
}

static void package_was_made(void *context, const struct package *p, const struct target *t) {
    struct link_job *r = context;
    tool_say(&r->o.cl, "made a package for target '%s'", t->name);
    package_print_map(p, r->program, t, &r->map);
    package_print_capacity(p, r->program, t, &r->capacity);
}

static void make_packages(struct link_job *r) {
    link_print_map(r->program, &r->map);
    if (!package_request_build(&r->o.packages, r->program, package_was_made, r, r->d))
        r->exit_code = EXIT_REJECTED;
}

static void write_outputs(struct link_job *r) {
    struct str bytes = {0};
    object_write(r->program, &bytes);
    bool ok = file_write(r->o.output, bytes.text, bytes.len);
    if (ok)
        tool_say(&r->o.cl, "wrote '%s': %zu bytes", r->o.output, bytes.len);
    str_free(&bytes);
    if (!ok)
        file_error(r, "write", r->o.output);
    else if (r->o.map_file && !file_write(r->o.map_file, str_text(&r->map), r->map.len))
        file_error(r, "write", r->o.map_file);
    else if (r->o.print_capacity && !file_write("-", str_text(&r->capacity), r->capacity.len))
        file_error(r, "write", "-");
}

static void release(struct link_job *r) {
    for (size_t i = 0; i < r->objects.len; i++)
        object_free(r->objects.data[i]);
    vec_free(&r->objects);
    object_free(r->program);
    str_free(&r->map);
    str_free(&r->capacity);
}

int main(int argc, char **argv) {
    struct link_job r = {0};
    if (ld_options_parse(argc, argv, &r.o, &r.exit_code)) {
        r.d = r.o.cl.diag;
        r.o.packages.make = place_build;
        r.exit_code = package_request_open(&r.o.packages, r.d);
        if (r.exit_code == EXIT_DONE)
            link_inputs(&r);
        if (r.exit_code == EXIT_DONE)
            add_recipes(&r);
        if (r.exit_code == EXIT_DONE)
            make_packages(&r);
        if (r.exit_code == EXIT_DONE)
            write_outputs(&r);
        release(&r);
    }
    ld_options_free(&r.o);
    return r.exit_code;
}
