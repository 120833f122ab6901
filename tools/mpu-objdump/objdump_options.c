/* SPDX-License-Identifier: MIT
 * The option table of mpu-objdump. */
#include "tools/mpu-objdump/objdump_options.h"

#include "disasm/disasm.h"
#include "support/alloc.h"

#include <string.h>

/* Options above the actions' bits. */
enum objdump_option {
    OPT_REASSEMBLE = 1 << 20,
    OPT_OUTPUT,
    OPT_RECIPES,
    OPT_PLAN,
    OPT_PLAIN,
    OPT_HTML,
    OPT_IN
};

static const struct option option_table[] = {
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
    {OPT_PLAN, "--plan", ARG_NONE, NULL, NULL,
     "of a pipeline, with --target: which unit has which elements, rounds, and where arrays lie; "
     "--recipes shows the code of its kernels"},
    {OPT_HTML, "--html", ARG_REQUIRED, "FILE", NULL,
     "with --target: source, instructions, recipes, micro-ops and planes of a program as one page, "
     "each target a tab"},
    {PACKAGE_TARGET, "--target", ARG_REQUIRED, "T[,T...]", NULL,
     "the packages for these targets (built-in names or YAML files), made where there is none: "
     "what lies where; --recipes shows theirs"},
    {OPT_REASSEMBLE, "--reassemble", ARG_NONE, NULL, NULL,
     "source that mpu-as makes the same object of (a program: mpu-as and mpu-ld, without its "
     "packages)"},
    {DISASM_LINES, "-l, --line-numbers", ARG_NONE, NULL, "Details", "-d with file and line"},
    {DISASM_NO_RAW, "--no-show-raw-insn", ARG_NONE, NULL, NULL, "with -d: no instruction words"},
    {OPT_PLAIN, "--no-aliases", ARG_NONE, NULL, NULL,
     "of a DPU program: each instruction under its own name, without short forms"},
    {PACKAGE_SIZE, "--size", ARG_REQUIRED, "NAME=N[,...]", NULL,
     "with --target: value of a size of the program"},
    {OPT_IN, "--in", ARG_REQUIRED, "NAME=DATA", NULL,
     "with --html: data to carry the program out with, as mpu-run takes them"},
    PACKAGE_CACHE_OPTION,
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", NULL, "write there, not to standard output"},
};

const struct tool mpu_objdump_tool = {
    .name = "mpu-objdump",
    .summary = "mpu-objdump - show MPU objects and programs",
    .synopsis = "-d|-h|-s|-r|-t|-x|-S [options] FILE...\n"
                "--recipes|--target T [options] FILE...\n"
                "--html PAGE --target T[,T...] [--in NAME=DATA] FILE\n"
                "--reassemble [-o FILE] FILE",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .warner = TOOL_OBJDUMP,
    .epilog = "Examples:\n"
              "  mpu-objdump -d prog.mpu\n"
              "  mpu-objdump --recipes --target racer prog.mpu\n"
              "  mpu-objdump --html page.html --target racer,mimdram --in x=iota prog.mpu\n"
              "  mpu-objdump --plan --target upmem-dappa --size n=1000000 dot.mpu\n"
              "  mpu-objdump --reassemble prog.o | mpu-as -o same.o -\n",
};

static const char *take_data(struct objdump_options *options, const char *value) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1])
        return "is not of the form NAME=DATA";
    const char *name = arena_strndup(&options->cl.arena, value, (size_t)(equals - value));
    vec_push(&options->data, ((struct objdump_data){name, equals + 1}));
    return NULL;
}

/* NULL, or what is wrong with the value. */
static const char *take_value(struct objdump_options *options, const struct option_value *value) {
    switch (value->id) {
    case 0:
        vec_push(&options->inputs, value->value);
        return NULL;
    case OPT_REASSEMBLE:
        options->reassemble = true;
        return NULL;
    case OPT_RECIPES:
        options->recipes = true;
        return NULL;
    case OPT_PLAN:
        options->plan = true;
        return NULL;
    case OPT_PLAIN:
        options->plain = true;
        return NULL;
    case OPT_HTML:
        options->html = value->value;
        return NULL;
    case OPT_IN:
        return take_data(options, value->value);
    case OPT_OUTPUT:
        options->output = value->value;
        return NULL;
    case PACKAGE_TARGET:
    case PACKAGE_SIZE:
    case PACKAGE_NO_CACHE:
        return package_request_take(&options->targets, value, &options->cl.arena);
    default:
        options->actions |= (unsigned)value->id;
        return NULL;
    }
}

/* NULL, or what is wrong with what --html asks for. */
static const char *html_misuse(const struct objdump_options *options) {
    if (options->html && (options->reassemble || options->actions || options->recipes ||
                          options->plan || options->output))
        return "--html writes a page and goes with no other action";
    if (options->html && !options->targets.names.len)
        return "--html shows a program on machines: --target T,... names them";
    if (options->data.len && !options->html)
        return "--in is for --html, which is not given";
    if (options->html && options->inputs.len > 1)
        return "--html takes one file";
    return NULL;
}

/* NULL, or what is wrong with the command line. */
static const char *misuse(const struct objdump_options *options) {
    bool shows = options->actions & ~(unsigned)DISASM_NO_RAW;
    bool packages = options->recipes || options->plan || options->targets.names.len;
    const char *page = html_misuse(options);
    if (page)
        return page;
    if (!options->reassemble && !shows && !packages)
        return "nothing to show: give at least one of -d -h -s -r -t -x -S --recipes --plan "
               "--target --reassemble";
    if (options->reassemble && (options->actions || packages))
        return "--reassemble makes source for the assembler and goes with no other action";
    if (options->plan && !options->targets.names.len)
        return "--plan is of a machine: --target T names it";
    const char *problem = package_request_misuse(&options->targets);
    if (problem || options->inputs.len == 0)
        return problem ? problem : "no input files";
    return options->reassemble && options->inputs.len > 1 ? "--reassemble takes one file" : NULL;
}

bool objdump_options_parse(int argc, char **argv, struct objdump_options *options, int *exit_code) {
    *options = (struct objdump_options){0};
    if (!command_line_parse(&mpu_objdump_tool, argc, argv, &options->cl, exit_code))
        return false;
    for (size_t i = 0; i < options->cl.count; i++) {
        const struct option_value *v = &options->cl.values[i];
        const char *problem = take_value(options, v);
        if (problem) {
            *exit_code = tool_usage_error(&options->cl, "%s '%s': %s", v->name, v->value, problem);
            return false;
        }
    }
    if (options->actions & (DISASM_SOURCE | DISASM_LINES))
        options->actions |= DISASM_TEXT;
    const char *problem = misuse(options);
    if (problem)
        *exit_code = tool_usage_error(&options->cl, "%s", problem);
    return !problem;
}

void objdump_options_free(struct objdump_options *options) {
    vec_free(&options->inputs);
    vec_free(&options->data);
    package_request_free(&options->targets);
    command_line_free(&options->cl);
}
