/* SPDX-License-Identifier: MIT
 * mpu-objdump: what is in an object or a program. */
#include "disasm/disasm.h"
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

static void file_error(struct dump_job *r, const char *what, const char *path) {
    diag_error(r->d, NO_SPAN, "cannot %s '%s': %s", what, path, strerror(errno));
    r->exit_code = EXIT_FILE;
}

static void fail(struct dump_job *r, int code) {
    if (r->exit_code == EXIT_DONE)
        r->exit_code = code;
}

static void show_object(struct dump_job *r, const char *name, struct object *o, const char *bytes,
                        size_t size) {
    if (r->o.reassemble)
        disasm_reassemble(o, &r->out);
    if (r->o.actions)
        disasm_dump(o, name, bytes, size, r->o.actions, &r->out, r->d);
    if (r->o.recipes || r->o.targets.names.len)
        fail(r, packages_show(&r->o, o, &r->out));
}

static void show(struct dump_job *r, const char *path) {
    size_t size;
    char *bytes = file_read(path, &size);
    if (!bytes) {
        file_error(r, "read", path);
        return;
    }
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct object *o = object_read(name, bytes, size, r->d);
    if (o) {
        tool_say(&r->o.cl, "read '%s': %zu instructions, %zu bytes", path, o->text.len, size);
        show_object(r, name, o, bytes, size);
    } else {
        fail(r, EXIT_REJECTED);
    }
    object_free(o);
    free(bytes);
}

static void show_all(struct dump_job *r) {
    for (size_t i = 0; i < r->o.inputs.len; i++)
        show(r, r->o.inputs.data[i]);
    const char *output = r->o.output ? r->o.output : "-";
    if (r->exit_code != EXIT_DONE && r->o.output)
        return;
    if (!file_write(output, str_text(&r->out), r->out.len))
        file_error(r, "write", output);
}

int main(int argc, char **argv) {
    struct dump_job r = {0};
    if (objdump_options_parse(argc, argv, &r.o, &r.exit_code)) {
        r.d = r.o.cl.diag;
        r.exit_code = package_request_open(&r.o.targets, r.d);
        if (r.exit_code == EXIT_DONE)
            show_all(&r);
    }
    str_free(&r.out);
    objdump_options_free(&r.o);
    return r.exit_code;
}
