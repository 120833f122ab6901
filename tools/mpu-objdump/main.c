/* SPDX-License-Identifier: MIT
 * mpu-objdump: what is in an object or a program. */
#include "disasm/disasm.h"
#include "machines/syntax.h"
#include "support/file.h"
#include "tools/mpu-objdump/packages.h"

#include <errno.h>
#include <string.h>

struct dump_job {
    struct objdump_options o;
    struct diag *d;
    struct str out;
    int exit_code;
};

static void unreadable(struct dump_job *job, const char *path) {
    diag_error(job->d, NO_SPAN, "cannot read '%s': %s", path, strerror(errno));
    job->exit_code = EXIT_FILE;
}

static void fail(struct dump_job *job, int code) {
    if (job->exit_code == EXIT_DONE)
        job->exit_code = code;
}

static void show_object(struct dump_job *job, const char *name, struct object *object,
                        const char *bytes, size_t size) {
    if (job->o.reassemble)
        disasm_reassemble(object, &job->out);
    if (job->o.actions)
        disasm_dump(object, name, bytes, size, job->o.actions, &job->out, job->d);
    if (job->o.html) {
        fail(job, objdump_html_show(&job->o, name, object, bytes, size, &job->out));
        return;
    }
    bool pipeline =
        job->o.plan || (job->o.recipes && job->o.targets.names.len && object_find_pipeline(object));
    if (pipeline)
        fail(job, objdump_pipeline_show(&job->o, name, object, bytes, size, &job->out));
    else if (job->o.recipes || job->o.targets.names.len)
        fail(job, objdump_packages_show(&job->o, object, &job->out));
}

/* A program that cores carry out by themselves. */
static void show_core(struct dump_job *job, const struct machine_syntax *core, const char *name,
                      const char *bytes, size_t size) {
    if (job->o.recipes || job->o.html || job->o.targets.names.len ||
        (job->o.actions & ~(unsigned)(DISASM_TEXT | DISASM_LINES | DISASM_SOURCE))) {
        fail(job, tool_usage_error(&job->o.cl,
                                   "'%s' is a %s, which has -d, -l, -S and --reassemble alone",
                                   name, core->what));
        return;
    }
    const struct machine_view view = {.reassemble = job->o.reassemble,
                                      .plain = job->o.plain,
                                      .lines = job->o.actions & DISASM_LINES,
                                      .source = job->o.actions & DISASM_SOURCE};
    if (!core->show(name, bytes, size, &view, &job->out, job->d))
        fail(job, EXIT_REJECTED);
}

static void show(struct dump_job *job, const char *path) {
    size_t size;
    char *bytes = file_read_most(path, FILE_MAX_OBJECT, &size);
    if (!bytes) {
        unreadable(job, path);
        return;
    }
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    const struct machine_syntax *core = machine_syntax_of(bytes, size);
    struct object *o = core ? NULL : object_read(name, bytes, size, job->d);
    if (core) {
        show_core(job, core, name, bytes, size);
    } else if (o) {
        tool_say(&job->o.cl, "read '%s': %zu instructions, %zu bytes", path, o->text.len, size);
        show_object(job, name, o, bytes, size);
    } else {
        fail(job, EXIT_REJECTED);
    }
    object_free(o);
    free(bytes);
}

static void show_all(struct dump_job *job) {
    for (size_t i = 0; i < job->o.inputs.len; i++)
        show(job, job->o.inputs.data[i]);
    const char *file = job->o.html ? job->o.html : job->o.output, *output = file ? file : "-";
    if (job->exit_code != EXIT_DONE && file)
        return;
    if (!file_write(output, str_text(&job->out), job->out.len))
        job->exit_code = tool_write_error(&job->o.cl, output);
}

static bool outputs_differ(struct dump_job *job) {
    struct file_uses *files = &job->o.cl.files;
    for (size_t i = 0; i < job->o.inputs.len; i++)
        file_uses_read(files, job->o.inputs.data[i]);
    package_request_files(&job->o.targets, files);
    for (size_t i = 0; i < job->o.data.len; i++)
        if (mpu_data_is_file(job->o.data.data[i].value))
            file_uses_read(files, job->o.data.data[i].value);
    if (job->o.html)
        file_uses_write(files, job->o.html, "--html");
    else
        file_uses_write(files, job->o.output ? job->o.output : "-", "-o");
    return tool_files_differ(&job->o.cl);
}

int main(int argc, char **argv) {
    struct dump_job r = {0};
    if (objdump_options_parse(argc, argv, &r.o, &r.exit_code)) {
        r.d = r.o.cl.diag;
        r.exit_code = outputs_differ(&r) ? EXIT_DONE : EXIT_USAGE;
        if (r.exit_code == EXIT_DONE)
            r.exit_code = package_request_open(&r.o.targets, r.d);
        if (r.exit_code == EXIT_DONE)
            show_all(&r);
    }
    str_free(&r.out);
    objdump_options_free(&r.o);
    return r.exit_code;
}
