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
    OPT_TARGET,
    OPT_SIZE,
    OPT_PLACE,
    OPT_FINISH,
    OPT_CAPACITY,
    OPT_RECIPES,
};

static const struct option options[] = {
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
    {OPT_TARGET, "--target", ARG_REQUIRED, "T[,T...]", "Packages",
     "add a package for each target: a built-in name or a YAML file"},
    {OPT_SIZE, "--size", ARG_REQUIRED, "NAME=N[,...]", NULL,
     "value of a size of the program, 1 to 2^40, for the packages"},
    {OPT_PLACE, "--place", ARG_REQUIRED, "P", NULL,
     "where groups lie on the chip: packed into few MPUs, spread over all, or auto (default): "
     "what takes less time"},
    {OPT_FINISH, "--finish", ARG_REQUIRED, "W", NULL,
     "who finishes reductions that the host may finish: device, host, or auto (default): whoever "
     "takes less time"},
    {OPT_RECIPES, "--recipe-file", ARG_REQUIRED, "FILE", NULL,
     "recipes and instructions that the program brings along; repeatable"},
};

const struct tool mpu_ld_tool = {
    .name = "mpu-ld",
    .summary = "mpu-ld - linker and packager for MPU programs",
    .synopsis = "[options] FILE.o...\n[options] --target T FILE.mpu",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .epilog = "Examples:\n"
              "  mpu-ld -o prog.mpu main.o lib.o\n"
              "  mpu-ld --target racer --size n=4096 -Map=prog.map -o prog.mpu main.o\n",
};

/* NULL, or what is wrong with the value. */
static const char *take_value(struct ld_options *o, const struct option_value *v) {
    switch (v->id) {
    case 0:
        vec_push(&o->inputs, v->value);
        return NULL;
    case OPT_OUTPUT:
        o->output = v->value;
        return NULL;
    case OPT_RELOCATABLE:
        o->link.relocatable = true;
        return NULL;
    case OPT_ENTRY:
        o->link.entry = v->value;
        return NULL;
    case OPT_GC:
        o->link.gc_sections = true;
        return NULL;
    case OPT_MAP:
        o->map_file = v->value;
        return NULL;
    case OPT_CAPACITY:
        o->print_capacity = true;
        return NULL;
    case OPT_RECIPES:
        vec_push(&o->recipes, v->value);
        return NULL;
    case OPT_TARGET:
        return package_request_targets(&o->packages, v->value, &o->cl.arena)
                   ? NULL
                   : "expected names with commas between";
    case OPT_PLACE:
        return package_request_place(&o->packages, v->value) ? NULL
                                                             : "expected auto, packed or spread";
    case OPT_FINISH:
        return package_request_finish(&o->packages, v->value) ? NULL
                                                              : "expected auto, device or host";
    default:
        return package_request_sizes(&o->packages, v->value, &o->cl.arena) ? NULL
                                                                           : "expected NAME=N";
    }
}

/* NULL, or what does not go together. */
static const char *contradiction(const struct ld_options *o) {
    if (o->inputs.len == 0)
        return "no input files";
    if (o->link.relocatable && o->packages.names.len)
        return "-r makes an object, and objects have no packages: drop -r or --target";
    if (o->link.relocatable && !o->output)
        return "-r needs the name of its output: -o FILE";
    if (o->print_capacity && o->packages.names.len == 0)
        return "--print-capacity needs --target";
    if (o->packages.sizes.len && o->packages.names.len == 0)
        return "--size binds a size for packages and needs --target";
    if (o->packages.placed && o->packages.names.len == 0)
        return "--place says where packages put groups and needs --target";
    if (o->packages.finished && o->packages.names.len == 0)
        return "--finish says who finishes reductions in packages and needs --target";
    return NULL;
}

/* "dir/prog.o" to "dir/prog.mpu". */
static const char *default_output(struct ld_options *o) {
    const char *name = strcmp(o->inputs.data[0], "-") == 0 ? "a" : o->inputs.data[0];
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    size_t n = dot && dot > (slash ? slash + 1 : name) ? (size_t)(dot - name) : strlen(name);
    return arena_printf(&o->cl.arena, "%.*s.mpu", (int)n, name);
}

bool ld_options_parse(int argc, char **argv, struct ld_options *o, int *exit_code) {
    *o = (struct ld_options){0};
    if (!command_line_parse(&mpu_ld_tool, argc, argv, &o->cl, exit_code))
        return false;
    for (size_t i = 0; i < o->cl.count; i++) {
        const struct option_value *v = &o->cl.values[i];
        const char *problem = take_value(o, v);
        if (problem) {
            *exit_code = tool_usage_error(&o->cl, "%s '%s': %s", v->name, v->value, problem);
            return false;
        }
    }
    const char *problem = contradiction(o);
    if (problem) {
        *exit_code = tool_usage_error(&o->cl, "%s", problem);
        return false;
    }
    if (!o->output)
        o->output = default_output(o);
    return true;
}

void ld_options_free(struct ld_options *o) {
    vec_free(&o->inputs);
    vec_free(&o->recipes);
    package_request_free(&o->packages);
    command_line_free(&o->cl);
}
