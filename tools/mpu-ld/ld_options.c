/* SPDX-License-Identifier: MIT
 * The option table of mpu-ld. */
#include "tools/mpu-ld/ld_options.h"

#include <string.h>

enum ld_option {
    OPT_OUTPUT = 1,
    OPT_RELOCATABLE,
    OPT_ENTRY,
    OPT_GC,
    OPT_MAP,
    OPT_CAPACITY,
    OPT_RECIPES,
};

static const struct option option_table[] = {
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", "Output",
     "the program (default: the first input with suffix .mpu); - is standard output"},
    {OPT_RELOCATABLE, "-r, --relocatable", ARG_NONE, NULL, NULL,
     "join the inputs into one object that can be linked again; needs -o"},
    {OPT_MAP, "-Map, --Map", ARG_REQUIRED, "FILE", NULL,
     "write what lies where, for the program and each package"},
    {OPT_CAPACITY, "--print-capacity", ARG_NONE, NULL, NULL,
     "print demand against capacity for each target"},
    {OPT_ENTRY, "-e, --entry", ARG_REQUIRED, "NAME", "Linking",
     "where the program starts (default: main, else instruction 0)"},
    {OPT_GC, "--gc-sections", ARG_NONE, NULL, NULL, "leave out subroutines that nothing refers to"},
    PACKAGE_OPTIONS("Packages"),
    {OPT_RECIPES, "--recipe-file", ARG_REQUIRED, "FILE", NULL,
     "recipes and instructions that the program brings along; repeatable"},
};

const struct tool mpu_ld_tool = {
    .name = "mpu-ld",
    .summary = "mpu-ld - linker and packager for MPU programs",
    .synopsis = "[options] FILE.o...\n[options] --target T FILE.mpu",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .warner = TOOL_LD,
    .epilog = "Examples:\n"
              "  mpu-ld -o prog.mpu main.o lib.o\n"
              "  mpu-ld --target racer --size n=4096 -Map=prog.map -o prog.mpu main.o\n",
};

/* NULL, or what is wrong with the value. */
static const char *take_value(struct ld_options *options, const struct option_value *value) {
    switch (value->id) {
    case 0:
        vec_push(&options->inputs, value->value);
        return NULL;
    case OPT_OUTPUT:
        options->output = value->value;
        return NULL;
    case OPT_RELOCATABLE:
        options->link.relocatable = true;
        return NULL;
    case OPT_ENTRY:
        options->link.entry = value->value;
        return NULL;
    case OPT_GC:
        options->link.gc_sections = true;
        return NULL;
    case OPT_MAP:
        options->map_file = value->value;
        return NULL;
    case OPT_CAPACITY:
        options->print_capacity = true;
        return NULL;
    case OPT_RECIPES:
        vec_push(&options->recipes, value->value);
        return NULL;
    default:
        return package_request_take(&options->packages, value, &options->cl.arena);
    }
}

/* NULL, or what does not go together. */
static const char *contradiction(const struct ld_options *options) {
    if (options->inputs.len == 0)
        return "no input files";
    if (options->link.relocatable && options->packages.names.len)
        return "-r makes an object, and objects have no packages: drop -r or --target";
    if (options->link.relocatable && !options->output)
        return "-r needs the name of its output: -o FILE";
    if (options->print_capacity && options->packages.names.len == 0)
        return "--print-capacity needs --target";
    return package_request_misuse(&options->packages);
}

/* "dir/prog.o" to "dir/prog.mpu". */
static const char *default_output(struct ld_options *options) {
    return tool_output_name(&options->cl.arena, options->inputs.data[0], "mpu");
}

bool ld_options_parse(int argc, char **argv, struct ld_options *options, int *exit_code) {
    *options = (struct ld_options){0};
    if (!command_line_parse(&mpu_ld_tool, argc, argv, &options->cl, exit_code))
        return false;
    for (size_t i = 0; i < options->cl.count; i++) {
        const struct option_value *v = &options->cl.values[i];
        const char *problem = take_value(options, v);
        if (problem) {
            *exit_code = tool_usage_error(&options->cl, "%s '%s': %s", v->name, v->value, problem);
            return false;
        }
    }
    const char *problem = contradiction(options);
    if (problem) {
        *exit_code = tool_usage_error(&options->cl, "%s", problem);
        return false;
    }
    options->output_given = options->output;
    if (!options->output)
        options->output = default_output(options);
    return true;
}

void ld_options_free(struct ld_options *options) {
    vec_free(&options->inputs);
    vec_free(&options->recipes);
    package_request_free(&options->packages);
    command_line_free(&options->cl);
}
