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

static void unreadable(struct link_job *job, const char *path) {
    diag_error(job->d, NO_SPAN, "cannot read '%s': %s", path, file_problem(errno));
    job->exit_code = EXIT_FILE;
}

static void read_input(struct link_job *job, const char *path) {
    size_t size;
    char *bytes = file_read_most(path, FILE_MAX_OBJECT, &size);
    if (!bytes) {
        unreadable(job, path);
        return;
    }
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct object *o = object_read(name, bytes, size, job->d);
    free(bytes);
    if (!o && job->exit_code == EXIT_DONE)
        job->exit_code = EXIT_REJECTED;
    if (!o)
        return;
    vec_push(&job->objects, o);
    tool_say(&job->o.cl, "read '%s': %zu instructions, %zu bytes", path, o->text.len, size);
    if (!o->linked || (job->o.inputs.len == 1 && !job->o.link.relocatable))
        return;
    diag_error(job->d, NO_SPAN, "'%s' is already linked; link the objects that it was made of",
               name);
    job->exit_code = EXIT_REJECTED;
}

/* A linked program alone only gets packages. */
static bool is_program(const struct link_job *job) {
    return job->objects.len == 1 && job->objects.data[0]->linked && !job->o.link.relocatable;
}

static void read_inputs(struct link_job *job) {
    for (size_t i = 0; i < job->o.inputs.len; i++)
        read_input(job, job->o.inputs.data[i]);
}

static void link_inputs(struct link_job *job) {
    if (is_program(job)) {
        job->program = job->objects.data[0];
        job->objects.len = 0;
    } else {
        job->program = link_objects((const struct object *const *)job->objects.data,
                                    job->objects.len, &job->o.link, job->d);
    }
    if (!job->program)
        job->exit_code = EXIT_REJECTED;
}

/* Recipe files join the program, so that whoever packages it later has them. */
static void add_recipes(struct link_job *job) {
    for (size_t i = 0; i < job->o.recipes.len && job->exit_code == EXIT_DONE; i++) {
        const char *path = job->o.recipes.data[i];
        size_t size;
        char *text = file_read_text(path, FILE_MAX_TARGET, &size);
        if (!text)
            unreadable(job, path);
        else if (!link_add_recipes(job->program, path, text, size, job->d))
            job->exit_code = EXIT_REJECTED;
        free(text);
    }
}

static void package_was_made(void *context, const struct package *package,
                             const struct object *text, const struct target *target) {
    struct link_job *r = context;
    tool_say(&r->o.cl, "made a package for target '%s'", target->name);
    if (package->tested)
        tool_say(&r->o.cl, "recipes that did not come with the tools: %u form%s tested, not proved",
                 (unsigned)package->tested, package->tested == 1 ? "" : "s");
    package_print_map(package, text, target, &r->map);
    package_print_capacity(package, text, target, &r->capacity);
}

static void make_packages(struct link_job *job) {
    link_print_map(job->program, &job->map);
    if (!package_request_build(&job->o.packages, job->program, package_was_made, job, job->d))
        job->exit_code = EXIT_REJECTED;
}

static void write_outputs(struct link_job *job) {
    struct str bytes = {0};
    object_write(job->program, &bytes);
    struct file_output outputs[3] = {{job->o.output, bytes.text, bytes.len}};
    size_t count = 1, failed = 0;
    if (job->o.map_file)
        outputs[count++] = (struct file_output){job->o.map_file, str_text(&job->map), job->map.len};
    if (job->o.print_capacity)
        outputs[count++] = (struct file_output){"-", str_text(&job->capacity), job->capacity.len};
    if (file_write_all(outputs, count, &failed))
        tool_say(&job->o.cl, "wrote '%s': %zu bytes", job->o.output, bytes.len);
    else
        job->exit_code = tool_write_error(&job->o.cl, outputs[failed].path);
    str_free(&bytes);
}

/* A program that gets packages, and no other name, is written where it was. */
static bool outputs_differ(struct link_job *job) {
    struct file_uses *files = &job->o.cl.files;
    bool in_place = !job->o.output_given && is_program(job);
    for (size_t i = 0; i < job->o.inputs.len; i++)
        if (!in_place)
            file_uses_read(files, job->o.inputs.data[i]);
    for (size_t i = 0; i < job->o.recipes.len; i++)
        file_uses_read(files, job->o.recipes.data[i]);
    package_request_files(&job->o.packages, files);
    file_uses_write(files, job->o.output, job->o.output_given ? "-o" : NULL);
    if (job->o.map_file)
        file_uses_write(files, job->o.map_file, "-Map");
    return tool_files_differ(&job->o.cl);
}

static void release(struct link_job *job) {
    for (size_t i = 0; i < job->objects.len; i++)
        object_free(job->objects.data[i]);
    vec_free(&job->objects);
    object_free(job->program);
    str_free(&job->map);
    str_free(&job->capacity);
}

int main(int argc, char **argv) {
    struct link_job r = {0};
    if (ld_options_parse(argc, argv, &r.o, &r.exit_code)) {
        r.d = r.o.cl.diag;
        r.o.packages.make = place_build;
        r.exit_code = package_request_open(&r.o.packages, r.d);
        if (r.exit_code == EXIT_DONE)
            read_inputs(&r);
        if (r.exit_code == EXIT_DONE && !outputs_differ(&r))
            r.exit_code = EXIT_USAGE;
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
