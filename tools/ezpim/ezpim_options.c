/* SPDX-License-Identifier: MIT
 * The option table of ezpim. */
#include "tools/ezpim/ezpim_options.h"

#include "support/str.h"

#include <stdio.h>
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
    OPT_PRODUCTS,
    OPT_NO_FUSE,
    OPT_ROWS,
    OPT_COLUMNS,
    OPT_ENTRY,
    OPT_WIDTH,
    OPT_RFHS,
};

static const struct option option_table[] = {
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", "Output",
     "default: the first input's name with .mpu, with -c .o, with -S .s; "
     "- is standard output"},
    {OPT_COMPILE, "-c", ARG_NONE, NULL, NULL, "make an object, do not link"},
    {OPT_ASSEMBLY, "-S", ARG_NONE, NULL, NULL, "make assembly text"},
    {OPT_EMIT, "--emit", ARG_REQUIRED, "ast|ir|layout|signature", NULL,
     "print the program as ast (syntax tree), ir (intermediate form), layout (where arrays lie and "
     "what is moved) or signature (of kernels in Python parameters and results, as JSON; of a file "
     "without main what declares its subroutines)"},
    DEPEND_OPTIONS(NULL),
    {OPT_LANGUAGE, "-x", ARG_REQUIRED, "ez|py|s|erc|rc", "Compiling",
     "inputs are ez, py, s, erc or rc, whatever their suffix"},
    {OPT_INCLUDE, "-I", ARG_REQUIRED, "DIR", NULL, "look here too for files that are included"},
    {OPT_DEFINE, "-D", ARG_REQUIRED, "NAME[=V]", NULL, "set a constant (1 without a value)"},
    {OPT_OPTIMIZE, "-O", ARG_REQUIRED, "0|1|2", NULL,
     "0 as written, 1 (default) without needless work, 2 also larger subroutines "
     "put in where they are called"},
    {OPT_DEBUG, "-g", ARG_NONE, NULL, NULL, "record which source line made an instruction"},
    {OPT_SPILL, "-fspill", ARG_NONE, NULL, NULL,
     "move variables for which there are too few registers or rows to VRFs of their own"},
    {OPT_PRODUCTS, "-fproducts", ARG_NONE, NULL, NULL,
     "multiply only the bits that operands have and results need (instruction MULP), where that is "
     "estimated to cost less than MUL"},
    {OPT_NO_FUSE, "--no-fuse", ARG_NONE, NULL, NULL,
     "each stage of a pipeline is a launch of its own, which goes through its arrays in memory"},
    {OPT_ROWS, "--rows", ARG_REQUIRED, "N", NULL,
     "a lane has N rows for the bits of registers, 1 to 4096; without it, as many as the built-in "
     "targets have beside what the program's instructions need (mpu-run --list-targets -v)"},
    {OPT_COLUMNS, "--columns", ARG_REQUIRED, "N[/S]", NULL,
     "registers have room in N columns of S partitions (default: 32), 1 to 4096, each for S bits of "
     "one; without it, columns do not count"},
    {OPT_WIDTH, "--width", ARG_REQUIRED, "N", "Import of .erc and .rc",
     "words have N bits, 1 to 64 (default: 64)"},
    {OPT_RFHS, "--rfhs", ARG_REQUIRED, "N", NULL, "an MPU has N RFHs, 1 to 4096 (default: 8)"},
    {OPT_ENTRY, "-e, --entry", ARG_REQUIRED, "NAME", "Linking",
     "where the program starts (default: main, else instruction 0); of kernels in Python, the "
     "function that is compiled (default: the one that no other calls)"},
    PACKAGE_OPTIONS(NULL),
};

const struct tool ezpim_tool = {
    .name = "ezpim",
    .summary = "ezpim - compiles, assembles and links programs for MPUs",
    .synopsis = "[options] FILE.ez|FILE.py|FILE.s|FILE.erc|FILE.rc|FILE.o...",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .warner = TOOL_EZPIM,
    .epilog = "Examples:\n"
              "  ezpim axpy.ez                             makes axpy.mpu\n"
              "  ezpim -S -o - axpy.ez                     shows its instructions\n"
              "  ezpim --target racer --size n=4096 axpy.ez\n",
};

static bool take_define(struct ezpim_options *options, const char *text) {
    struct asm_define d;
    bool good = driver_define(text, &options->cl.arena, &d);
    if (good)
        vec_push(&options->defines, d);
    return good;
}

static bool take_language(struct ezpim_options *options, const char *text) {
    options->driver.language = text;
    return driver_language(text);
}

static bool take_number(const char *text, unsigned last, unsigned *number) {
    uint64_t n;
    bool good = number_parse_u64(text, strlen(text), &n) && n >= 1 && n <= last;
    *number = good ? (unsigned)n : 0;
    return good;
}

static bool take_level(struct ezpim_options *options, const char *text) {
    options->driver.ez.optimize = text[0] - '0';
    return text[0] >= '0' && text[0] <= '2' && text[1] == '\0';
}

static bool take_emit(struct ezpim_options *options, const char *text) {
    static const char *const forms[] = {[EZ_EMIT_AST] = "ast",
                                        [EZ_EMIT_IR] = "ir",
                                        [EZ_EMIT_LAYOUT] = "layout",
                                        [EZ_EMIT_SIGNATURE] = "signature"};
    options->step = STEP_EMIT;
    for (unsigned i = EZ_EMIT_AST; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(text, forms[i]) == 0)
            options->driver.ez.emit = (enum ez_emit)i;
    return options->driver.ez.emit != EZ_EMIT_NONE;
}

/* "N", or "N/S" of S partitions. */
static bool take_columns(const char *text, struct ez_options *options) {
    char count[8];
    const char *slash = strchr(text, '/');
    size_t n = slash ? (size_t)(slash - text) : strlen(text);
    options->sections = EZ_USUAL_PARTITIONS;
    snprintf(count, sizeof count, "%.*s", (int)(n < sizeof count ? n : sizeof count), text);
    return n < sizeof count && take_number(count, 64 * 64, &options->columns) &&
           (!slash || (take_number(slash + 1, 64, &options->sections) && options->sections > 1));
}

/* NULL, or what is wrong with the value. */
static const char *take_value(struct ezpim_options *options, const struct option_value *value) {
    switch (value->id) {
    case 0:
        vec_push(&options->inputs, value->value);
        return NULL;
    case OPT_OUTPUT:
        options->output = value->value;
        return NULL;
    case OPT_COMPILE:
        options->step = STEP_OBJECT;
        return NULL;
    case OPT_ASSEMBLY:
        options->step = STEP_ASSEMBLY;
        return NULL;
    case OPT_EMIT:
        return take_emit(options, value->value) ? NULL : "expected ast, ir, layout or signature";
    case OPT_LANGUAGE:
        return take_language(options, value->value)
                   ? NULL
                   : "expected ez, py, s, erc, rc, pypim, pypimhex, dpu, elf, ptx or cu";
    case OPT_WIDTH:
        return take_number(value->value, 64, &options->driver.erc.width) ? NULL
                                                                         : "expected 1 to 64";
    case OPT_RFHS:
        return take_number(value->value, ERC_MAX_RFHS, &options->driver.erc.rfhs)
                   ? NULL
                   : "expected 1 to 4096";
    case OPT_INCLUDE:
        vec_push(&options->includes, value->value);
        return NULL;
    case OPT_DEFINE:
        return take_define(options, value->value) ? NULL : "expected NAME or NAME=NUMBER";
    case OPT_OPTIMIZE:
        return take_level(options, value->value) ? NULL : "expected 0, 1 or 2";
    case OPT_DEBUG:
        options->driver.ez.debug = options->driver.as.debug = options->driver.erc.debug = true;
        return NULL;
    case OPT_SPILL:
        options->driver.ez.spill = true;
        return NULL;
    case OPT_PRODUCTS:
        options->driver.ez.products = true;
        return NULL;
    case OPT_NO_FUSE:
        options->driver.ez.no_fuse = true;
        return NULL;
    case OPT_ROWS:
        return take_number(value->value, 64 * 64, &options->driver.ez.rows) ? NULL
                                                                            : "expected 1 to 4096";
    case OPT_COLUMNS:
        return take_columns(value->value, &options->driver.ez)
                   ? NULL
                   : "expected N or N/S, N of 1 to 4096, S of 2 to 64";
    case OPT_ENTRY:
        options->driver.entry = value->value;
        return NULL;
    default:
        if (depend_take(&options->depend, value))
            return NULL;
        return package_request_take(&options->packages, value, &options->cl.arena);
    }
}

/* The entry of a kernel in Python is the function that is compiled, whatever is made of it. */
static bool is_kernel(const struct ezpim_options *options) {
    const char *name = options->inputs.len ? options->inputs.data[0] : "";
    size_t n = strlen(name);
    return options->driver.language ? strcmp(options->driver.language, "py") == 0
                                    : n > 3 && strcmp(name + n - 3, ".py") == 0;
}

/* NULL, or what does not go together. */
static const char *contradiction(const struct ezpim_options *options) {
    if (options->inputs.len == 0)
        return "no input files";
    if (options->step != STEP_LINK &&
        !driver_is_one(options->inputs.data, options->inputs.len, &options->driver))
        return "-c, -S and --emit take one input, or several .ez files, which are one program";
    if (options->step != STEP_LINK && options->packages.names.len)
        return "packages are made at link time: drop --target, or -c, -S, --emit";
    if (options->step != STEP_LINK && options->driver.entry && !is_kernel(options))
        return "the entry is set at link time: drop --entry, or -c, -S, --emit";
    return package_request_misuse(&options->packages);
}

/* "dir/prog.ez" to "dir/prog.mpu". */
static const char *default_output(struct ezpim_options *options) {
    static const char *const suffix[] = {
        [STEP_LINK] = "mpu", [STEP_OBJECT] = "o", [STEP_ASSEMBLY] = "s"};
    if (options->step == STEP_EMIT)
        return "-";
    return tool_output_name(&options->cl.arena, options->inputs.data[0], suffix[options->step]);
}

static const char *take_values(struct ezpim_options *options, const struct option_value **bad) {
    for (size_t i = 0; i < options->cl.count; i++) {
        *bad = &options->cl.values[i];
        const char *problem = take_value(options, *bad);
        if (problem)
            return problem;
    }
    *bad = NULL;
    options->driver.launches.parts = true;
    if (options->step == STEP_LINK && options->inputs.len == 1 &&
        driver_is_kernels(options->inputs.data[0], &options->driver))
        options->step = STEP_OBJECT; /* nothing of it is a program */
    return contradiction(options);
}

/* What is known before anything is read.  A program that gets packages, and no other name, is
 * written where it was. */
static void list_files(struct ezpim_options *options) {
    struct file_uses *files = &options->cl.files;
    bool in_place = !options->output_given && options->packages.names.len &&
                    options->inputs.len == 1 &&
                    file_is_same(options->inputs.data[0], options->output);
    for (size_t i = 0; i < options->inputs.len; i++)
        file_uses_read(files, options->inputs.data[i]);
    package_request_files(&options->packages, files);
    if (!in_place)
        file_uses_write(files, options->output, options->output_given ? "-o" : NULL);
}

static void finish(struct ezpim_options *options) {
    options->driver.as.include_dirs = options->includes.data;
    options->driver.as.include_count = options->includes.len;
    options->driver.ez.include_dirs = options->includes.data;
    options->driver.ez.include_count = options->includes.len;
    options->driver.as.defines = options->driver.ez.defines = options->driver.erc.defines =
        options->defines.data;
    options->driver.files = options->driver.as.files = options->driver.ez.files =
        &options->cl.files;
    options->driver.as.define_count = options->driver.ez.define_count =
        options->driver.erc.define_count = options->defines.len;
    options->output_given = options->output;
    if (!options->output)
        options->output = default_output(options);
    list_files(options);
}

bool ezpim_options_parse(int argc, char **argv, struct ezpim_options *options, int *exit_code) {
    const struct option_value *bad;
    *options = (struct ezpim_options){.driver.ez.optimize = 1};
    if (!command_line_parse(&ezpim_tool, argc, argv, &options->cl, exit_code))
        return false;
    const char *problem = take_values(options, &bad);
    if (problem && bad)
        *exit_code = tool_usage_error(&options->cl, "%s '%s': %s", bad->name, bad->value, problem);
    else if (problem)
        *exit_code = tool_usage_error(&options->cl, "%s", problem);
    else
        finish(options);
    if (problem)
        return false;
    problem = depend_complete(&options->depend, options->output, &options->cl);
    if (problem)
        *exit_code = tool_usage_error(&options->cl, "%s", problem);
    return !problem;
}

void ezpim_options_free(struct ezpim_options *options) {
    vec_free(&options->inputs);
    vec_free(&options->includes);
    package_request_free(&options->packages);
    depend_free(&options->depend);
    vec_free(&options->defines);
    command_line_free(&options->cl);
}
