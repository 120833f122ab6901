/* SPDX-License-Identifier: MIT
 * The option table of mpu-objdump. */
#include "tools/mpu-objdump/objdump_options.h"

#include "disasm/disasm.h"
#include "support/alloc.h"

/* Options above the actions' bits. */
enum objdump_option { OPT_REASSEMBLE = 1 << 20, OPT_OUTPUT, OPT_RECIPES, OPT_TARGET, OPT_SIZE };

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
    {OPT_RECIPES, "--recipes", ARG_NONE, NULL, NULL,
     "the recipes of each package of a program: instructions, micro-ops, and what they cost"},
    {OPT_TARGET, "--target", ARG_REQUIRED, "T[,T...]", NULL,
     "the packages for these targets (built-in names or YAML files), made where there is none: "
     "what lies where; --recipes shows theirs"},
    {OPT_REASSEMBLE, "--reassemble", ARG_NONE, NULL, NULL,
     "source that mpu-as makes the same object of (a program: mpu-as and mpu-ld, without its "
     "packages)"},
    {DISASM_LINES, "-l, --line-numbers", ARG_NONE, NULL, "Details", "with -d: file and line"},
    {DISASM_NO_RAW, "--no-show-raw-insn", ARG_NONE, NULL, NULL, "with -d: no instruction words"},
    {OPT_SIZE, "--size", ARG_REQUIRED, "NAME=N[,...]", NULL,
     "with --target: value of a size of the program"},
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", NULL, "write there, not to standard output"},
};

const struct tool mpu_objdump_tool = {
    .name = "mpu-objdump",
    .summary = "mpu-objdump - show MPU objects and programs",
    .synopsis = "-d|-h|-s|-r|-t|-x|-S [options] FILE...\n"
                "--recipes|--target T [options] FILE...\n"
                "--reassemble [-o FILE] FILE",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .epilog = "Examples:\n"
              "  mpu-objdump -d prog.mpu\n"
              "  mpu-objdump --recipes --target racer prog.mpu\n"
              "  mpu-objdump --reassemble prog.o | mpu-as -o same.o -\n",
};

/* NULL, or what is wrong with the value. */
static const char *take_value(struct objdump_options *o, const struct option_value *v) {
    switch (v->id) {
    case 0:
        vec_push(&o->inputs, v->value);
        return NULL;
    case OPT_REASSEMBLE:
        o->reassemble = true;
        return NULL;
    case OPT_RECIPES:
        o->recipes = true;
        return NULL;
    case OPT_OUTPUT:
        o->output = v->value;
        return NULL;
    case OPT_TARGET:
        return package_request_targets(&o->targets, v->value, &o->cl.arena)
                   ? NULL
                   : "expected names with commas between";
    case OPT_SIZE:
        return package_request_sizes(&o->targets, v->value, &o->cl.arena) ? NULL
                                                                          : "expected NAME=N";
    default:
        o->actions |= (unsigned)v->id;
        return NULL;
    }
}

/* NULL, or what is wrong with the command line. */
static const char *misuse(const struct objdump_options *o) {
    bool shows = o->actions & ~(unsigned)(DISASM_LINES | DISASM_NO_RAW);
    bool packages = o->recipes || o->targets.names.len;
    if (!o->reassemble && !shows && !packages)
        return "nothing to show: give at least one of -d -h -s -r -t -x -S --recipes --target "
               "--reassemble";
    if (o->reassemble && (o->actions || packages))
        return "--reassemble makes source for the assembler and goes with no other action";
    if (o->targets.sizes.len && !o->targets.names.len)
        return "--size binds a size for packages and needs --target";
    if (o->inputs.len == 0)
        return "no input files";
    return o->reassemble && o->inputs.len > 1 ? "--reassemble takes one file" : NULL;
}

bool objdump_options_parse(int argc, char **argv, struct objdump_options *o, int *exit_code) {
    *o = (struct objdump_options){0};
    if (!command_line_parse(&mpu_objdump_tool, argc, argv, &o->cl, exit_code))
        return false;
    for (size_t i = 0; i < o->cl.count; i++) {
        const struct option_value *v = &o->cl.values[i];
        const char *problem = take_value(o, v);
        if (problem) {
            *exit_code = tool_usage_error(&o->cl, "%s '%s': %s", v->name, v->value, problem);
            return false;
        }
    }
    if (o->actions & DISASM_SOURCE)
        o->actions |= DISASM_TEXT;
    const char *problem = misuse(o);
    if (problem)
        *exit_code = tool_usage_error(&o->cl, "%s", problem);
    return !problem;
}

void objdump_options_free(struct objdump_options *o) {
    vec_free(&o->inputs);
    package_request_free(&o->targets);
    command_line_free(&o->cl);
}
