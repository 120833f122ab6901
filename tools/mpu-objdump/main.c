/* SPDX-License-Identifier: MIT
 * mpu-objdump: what is in an object or a program. */
#include "disasm/disasm.h"
#include "support/file.h"
#include "support/options.h"

#include <errno.h>
#include <string.h>

/* Options above the actions' bits. */
enum option_id { OPT_REASSEMBLE = 1 << 20, OPT_OUTPUT };

static const struct option options[] = {
    {DISASM_TEXT, "-d, --disassemble", ARG_NONE, NULL, "Actions (at least one)",
     "the text, with labels and named operands"},
    {DISASM_HEADERS, "-h, --section-headers", ARG_NONE, NULL, NULL,
     "ISA version, instruction sets, geometry, and the sections"},
    {DISASM_CONTENTS, "-s, --full-contents", ARG_NONE, NULL, NULL, "the bytes of every section"},
    {DISASM_RELOCS, "-r, --reloc", ARG_NONE, NULL, NULL,
     "relocations; with -d behind their instructions"},
    {DISASM_SYMBOLS, "-t, --syms", ARG_NONE, NULL, NULL, "symbols"},
    {DISASM_ALL_HEADERS, "-x, --all-headers", ARG_NONE, NULL, NULL,
     "-h -t -r, and sizes, groups, variables, debug records, entries, packages"},
    {DISASM_SOURCE, "-S, --source", ARG_NONE, NULL, NULL, "-d with source lines where known"},
    {OPT_REASSEMBLE, "--reassemble", ARG_NONE, NULL, NULL,
     "source that mpu-as makes the same object of (a program: mpu-as and mpu-ld, without its "
     "packages)"},
    {DISASM_LINES, "-l, --line-numbers", ARG_NONE, NULL, "Details", "with -d: file and line"},
    {DISASM_NO_RAW, "--no-show-raw-insn", ARG_NONE, NULL, NULL, "with -d: no instruction words"},
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", NULL, "write there, not to standard output"},
};

static const struct tool tool = {
    .name = "mpu-objdump",
    .summary = "mpu-objdump - show MPU objects and programs",
    .synopsis = "-d|-h|-s|-r|-t|-x|-S [options] FILE...\n--reassemble [-o FILE] FILE",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .epilog = "Examples:\n"
              "  mpu-objdump -d prog.mpu\n"
              "  mpu-objdump --reassemble prog.o | mpu-as -o same.o -\n",
};

struct run {
    struct command_line cl;
    unsigned actions;
    bool reassemble;
    const char *output;
    size_t inputs;
    struct str out;
    int exit_code;
};

static void file_error(struct run *r, const char *what, const char *path) {
    diag_error(r->cl.diag, NO_SPAN, "cannot %s '%s': %s", what, path, strerror(errno));
    r->exit_code = EXIT_FILE;
}

static void show(struct run *r, const char *path) {
    size_t size;
    char *bytes = file_read(path, &size);
    if (!bytes) {
        file_error(r, "read", path);
        return;
    }
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct object *o = object_read(name, bytes, size, r->cl.diag);
    if (o)
        say(&r->cl, "read '%s': %zu instructions, %zu bytes", path, o->text.len, size);
    if (o && r->reassemble)
        disasm_reassemble(o, &r->out);
    else if (o)
        disasm_dump(o, name, bytes, size, r->actions, &r->out, r->cl.diag);
    else if (r->exit_code == EXIT_DONE)
        r->exit_code = EXIT_REJECTED;
    object_free(o);
    free(bytes);
}

static void take_values(struct run *r) {
    for (size_t i = 0; i < r->cl.count; i++) {
        const struct option_value *v = &r->cl.values[i];
        if (v->id == 0)
            r->inputs++;
        else if (v->id == OPT_REASSEMBLE)
            r->reassemble = true;
        else if (v->id == OPT_OUTPUT)
            r->output = v->value;
        else
            r->actions |= (unsigned)v->id;
    }
    if (r->actions & DISASM_SOURCE)
        r->actions |= DISASM_TEXT;
}

/* NULL, or what is wrong with the command line. */
static const char *misuse(const struct run *r) {
    if (!r->reassemble && !(r->actions & ~(unsigned)(DISASM_LINES | DISASM_NO_RAW)))
        return "nothing to show: give at least one of -d -h -s -r -t -x -S --reassemble";
    if (r->reassemble && r->actions)
        return "--reassemble makes source for the assembler and goes with no other action";
    if (r->inputs == 0)
        return "no input files";
    if (r->reassemble && r->inputs > 1)
        return "--reassemble takes one file";
    return NULL;
}

static void run(struct run *r) {
    for (size_t i = 0; i < r->cl.count; i++)
        if (r->cl.values[i].id == 0)
            show(r, r->cl.values[i].value);
    const char *output = r->output ? r->output : "-";
    if (r->exit_code != EXIT_DONE && r->output)
        return;
    if (!file_write(output, str_text(&r->out), r->out.len))
        file_error(r, "write", output);
}

int main(int argc, char **argv) {
    struct run r = {0};
    if (!command_line_parse(&tool, argc, argv, &r.cl, &r.exit_code))
        return r.exit_code;
    take_values(&r);
    const char *problem = misuse(&r);
    if (problem)
        r.exit_code = usage_error(&r.cl, "%s", problem);
    else
        run(&r);
    str_free(&r.out);
    command_line_free(&r.cl);
    return r.exit_code;
}
