/* SPDX-License-Identifier: MIT
 * The option table of ezpim. */
#include "tools/ezpim/ezpim_options.h"

#include "support/str.h"

#include <string.h>

enum ezpim_option {
    OPT_OUTPUT = 1,
    OPT_COMPILE,
    OPT_ASSEMBLY,
    OPT_EMIT,
    OPT_LANGUAGE,
    OPT_INCLUDE,
    OPT_DEFINE,
    OPT_OPTIMIZE,
    OPT_DEBUG,
    OPT_SPILL,
    OPT_ROWS,
    OPT_ENTRY,
    OPT_TARGET,
    OPT_SIZE,
    OPT_PLACE,
    OPT_FINISH,
    OPT_WIDTH,
    OPT_RFHS,
};

static const struct option options[] = {
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", "Output",
     "default: the first input's name with .mpu, with -c .o, with -S .s; "
     "- is standard output"},
    {OPT_COMPILE, "-c", ARG_NONE, NULL, NULL, "make an object, do not link"},
    {OPT_ASSEMBLY, "-S", ARG_NONE, NULL, NULL, "make assembly text"},
    {OPT_EMIT, "--emit", ARG_REQUIRED, "FORM", NULL,
     "print the program as ast (syntax tree), ir (intermediate form), layout (where arrays lie and "
     "what is moved) or, of kernels in Python, signature (parameters and results, as JSON)"},
    {OPT_LANGUAGE, "-x", ARG_REQUIRED, "LANG", "Compiling",
     "inputs are ez, py, s, erc or rc, whatever their suffix"},
    {OPT_INCLUDE, "-I", ARG_REQUIRED, "DIR", NULL, "look here too for files that are included"},
    {OPT_DEFINE, "-D", ARG_REQUIRED, "NAME[=V]", NULL, "set a constant (1 without a value)"},
    {OPT_OPTIMIZE, "-O", ARG_REQUIRED, "LEVEL", NULL,
     "0 as written, 1 (default) without needless work, 2 also larger subroutines "
     "put in where they are called"},
    {OPT_DEBUG, "-g", ARG_NONE, NULL, NULL, "record which source line made an instruction"},
    {OPT_SPILL, "-fspill", ARG_NONE, NULL, NULL,
     "move variables for which there are too few registers or rows to VRFs of their own"},
    {OPT_ROWS, "--rows", ARG_REQUIRED, "N", NULL,
     "a lane has N rows for the bits of registers, 1 to 4096; without it, as many as the built-in "
     "targets have beside what the program's instructions need (mpu-run --list-targets -v)"},
    {OPT_WIDTH, "--width", ARG_REQUIRED, "N", "Import of .erc and .rc",
     "words have N bits, 1 to 64 (default: 64)"},
    {OPT_RFHS, "--rfhs", ARG_REQUIRED, "N", NULL, "an MPU has N RFHs, 1 to 4096 (default: 8)"},
    {OPT_ENTRY, "-e, --entry", ARG_REQUIRED, "NAME", "Linking",
     "where the program starts (default: main, else instruction 0); of kernels in Python, the "
     "function that is compiled (default: the one that no other calls)"},
    {OPT_TARGET, "--target", ARG_REQUIRED, "T[,T...]", NULL,
     "add a package for each target: a built-in name or a YAML file"},
    {OPT_SIZE, "--size", ARG_REQUIRED, "NAME=N[,...]", NULL,
     "value of a size of the program, 1 to 2^40, for the packages"},
    {OPT_PLACE, "--place", ARG_REQUIRED, "P", NULL,
     "where groups lie on the chip: packed into few MPUs, spread over all, or auto (default): "
     "what takes less time"},
    {OPT_FINISH, "--finish", ARG_REQUIRED, "W", NULL,
     "who finishes reductions that the host may finish: device, host, or auto (default): whoever "
     "takes less time"},
};

const struct tool ezpim_tool = {
    .name = "ezpim",
    .summary = "ezpim - compiles, assembles and links programs for MPUs",
    .synopsis = "[options] FILE.ez|FILE.py|FILE.s|FILE.erc|FILE.rc|FILE.o...",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .epilog = "Examples:\n"
              "  ezpim axpy.ez                             makes axpy.mpu\n"
              "  ezpim -S -o - axpy.ez                     shows its instructions\n"
              "  ezpim --target racer --size n=4096 axpy.ez\n",
};

static bool take_define(struct ezpim_options *o, const char *text) {
    struct asm_define d;
    bool good = driver_define(text, &o->cl.arena, &d);
    if (good)
        vec_push(&o->defines, d);
    return good;
}

static bool take_language(struct ezpim_options *o, const char *text) {
    o->driver.language = text;
    return driver_language(text);
}

static bool take_number(const char *text, unsigned last, unsigned *number) {
    uint64_t n;
    bool good = number_parse_u64(text, strlen(text), &n) && n >= 1 && n <= last;
    *number = good ? (unsigned)n : 0;
    return good;
}

static bool take_level(struct ezpim_options *o, const char *text) {
    o->driver.ez.optimize = text[0] - '0';
    return text[0] >= '0' && text[0] <= '2' && text[1] == '\0';
}

static bool take_emit(struct ezpim_options *o, const char *text) {
    static const char *const forms[] = {[EZ_EMIT_AST] = "ast",
                                        [EZ_EMIT_IR] = "ir",
                                        [EZ_EMIT_LAYOUT] = "layout",
                                        [EZ_EMIT_SIGNATURE] = "signature"};
    o->step = STEP_EMIT;
    for (unsigned i = EZ_EMIT_AST; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(text, forms[i]) == 0)
            o->driver.ez.emit = (enum ez_emit)i;
    return o->driver.ez.emit != EZ_EMIT_NONE;
}

/* NULL, or what is wrong with the value. */
static const char *take_value(struct ezpim_options *o, const struct option_value *v) {
    switch (v->id) {
    case 0:
        vec_push(&o->inputs, v->value);
        return NULL;
    case OPT_OUTPUT:
        o->output = v->value;
        return NULL;
    case OPT_COMPILE:
        o->step = STEP_OBJECT;
        return NULL;
    case OPT_ASSEMBLY:
        o->step = STEP_ASSEMBLY;
        return NULL;
    case OPT_EMIT:
        return take_emit(o, v->value) ? NULL : "expected ast, ir, layout or signature";
    case OPT_LANGUAGE:
        return take_language(o, v->value) ? NULL : "expected ez, py, s, erc or rc";
    case OPT_WIDTH:
        return take_number(v->value, 64, &o->driver.erc.width) ? NULL : "expected 1 to 64";
    case OPT_RFHS:
        return take_number(v->value, ERC_MAX_RFHS, &o->driver.erc.rfhs) ? NULL
                                                                        : "expected 1 to 4096";
    case OPT_INCLUDE:
        vec_push(&o->includes, v->value);
        return NULL;
    case OPT_DEFINE:
        return take_define(o, v->value) ? NULL : "expected NAME or NAME=NUMBER";
    case OPT_OPTIMIZE:
        return take_level(o, v->value) ? NULL : "expected 0, 1 or 2";
    case OPT_DEBUG:
        o->driver.ez.debug = o->driver.as.debug = o->driver.erc.debug = true;
        return NULL;
    case OPT_SPILL:
        o->driver.ez.spill = true;
        return NULL;
    case OPT_ROWS:
        return take_number(v->value, 64 * 64, &o->driver.ez.rows) ? NULL : "expected 1 to 4096";
    case OPT_ENTRY:
        o->driver.entry = v->value;
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

/* The entry of a kernel in Python is the function that is compiled, whatever is made of it. */
static bool is_kernel(const struct ezpim_options *o) {
    const char *name = o->inputs.len ? o->inputs.data[0] : "";
    size_t n = strlen(name);
    return o->driver.language ? strcmp(o->driver.language, "py") == 0
                              : n > 3 && strcmp(name + n - 3, ".py") == 0;
}

/* NULL, or what does not go together. */
static const char *contradiction(const struct ezpim_options *o) {
    if (o->inputs.len == 0)
        return "no input files";
    if (o->step != STEP_LINK && !driver_is_one(o->inputs.data, o->inputs.len, &o->driver))
        return "-c, -S and --emit take one input, or several .ez files, which are one program";
    if (o->step != STEP_LINK && o->packages.names.len)
        return "packages are made at link time: drop --target, or -c, -S, --emit";
    if (o->step != STEP_LINK && o->driver.entry && !is_kernel(o))
        return "the entry is set at link time: drop --entry, or -c, -S, --emit";
    if (o->packages.sizes.len && o->packages.names.len == 0)
        return "--size binds a size for packages and needs --target";
    if (o->packages.placed && o->packages.names.len == 0)
        return "--place says where packages put groups and needs --target";
    if (o->packages.finished && o->packages.names.len == 0)
        return "--finish says who finishes reductions in packages and needs --target";
    return NULL;
}

/* "dir/prog.ez" to "dir/prog.mpu". */
static const char *default_output(struct ezpim_options *o) {
    static const char *const suffix[] = {
        [STEP_LINK] = "mpu", [STEP_OBJECT] = "o", [STEP_ASSEMBLY] = "s"};
    if (o->step == STEP_EMIT)
        return "-";
    const char *name = strcmp(o->inputs.data[0], "-") == 0 ? "a" : o->inputs.data[0];
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    size_t n = dot && dot > (slash ? slash + 1 : name) ? (size_t)(dot - name) : strlen(name);
    return arena_printf(&o->cl.arena, "%.*s.%s", (int)n, name, suffix[o->step]);
}

static const char *take_values(struct ezpim_options *o, const struct option_value **bad) {
    for (size_t i = 0; i < o->cl.count; i++) {
        *bad = &o->cl.values[i];
        const char *problem = take_value(o, *bad);
        if (problem)
            return problem;
    }
    *bad = NULL;
    return contradiction(o);
}

static void finish(struct ezpim_options *o) {
    o->driver.as.include_dirs = o->includes.data;
    o->driver.as.include_count = o->includes.len;
    o->driver.ez.include_dirs = o->includes.data;
    o->driver.ez.include_count = o->includes.len;
    o->driver.as.defines = o->driver.ez.defines = o->driver.erc.defines = o->defines.data;
    o->driver.as.define_count = o->driver.ez.define_count = o->driver.erc.define_count =
        o->defines.len;
    if (!o->output)
        o->output = default_output(o);
}

bool ezpim_options_parse(int argc, char **argv, struct ezpim_options *o, int *exit_code) {
    const struct option_value *bad;
    *o = (struct ezpim_options){.driver.ez.optimize = 1};
    if (!command_line_parse(&ezpim_tool, argc, argv, &o->cl, exit_code))
        return false;
    const char *problem = take_values(o, &bad);
    if (problem && bad)
        *exit_code = tool_usage_error(&o->cl, "%s '%s': %s", bad->name, bad->value, problem);
    else if (problem)
        *exit_code = tool_usage_error(&o->cl, "%s", problem);
    else
        finish(o);
    return !problem;
}

void ezpim_options_free(struct ezpim_options *o) {
    vec_free(&o->inputs);
    vec_free(&o->includes);
    package_request_free(&o->packages);
    vec_free(&o->defines);
    command_line_free(&o->cl);
}
