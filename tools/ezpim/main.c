/* SPDX-License-Identifier: MIT
 * ezpim: sources and objects to a program. */
#include "tools/ezpim/ezpim_options.h"

#include "disasm/disasm.h"
#include "emu/place/place.h"
#include "support/alloc.h"
#include "support/file.h"

static void package_was_made(void *context, const struct package *package,
                             const struct object *text, const struct target *target) {
    const struct ezpim_options *o = context;
    (void)package;
    (void)text;
    tool_say(&o->cl, "made a package for target '%s'", target->name);
}

static void input_was_read(void *context, const char *path, const struct object *object,
                           size_t size) {
    const struct ezpim_options *o = context;
    if (object)
        tool_say(&o->cl, "read '%s': %zu instructions, %zu bytes", path, object->text.len, size);
    else
        tool_say(&o->cl, "read '%s': %zu bytes", path, size);
}

static struct object *make_program(struct ezpim_options *options, bool *unreadable) {
    if (options->step != STEP_LINK)
        return driver_load_all(options->inputs.data, options->inputs.len, &options->driver,
                               options->cl.diag, unreadable);
    struct object *program = driver_link(options->inputs.data, options->inputs.len,
                                         &options->driver, options->cl.diag, unreadable);
    if (program && package_request_build(&options->packages, program, package_was_made, options,
                                         options->cl.diag))
        return program;
    if (program)
        object_free(program);
    return NULL;
}

/* The output, and beside it the rule that says what it was made of. */
static int write_output(struct ezpim_options *options, const struct str *bytes) {
    struct str rule = {0};
    size_t failed;
    bool depends = options->depend.wanted;
    if (depends && !depend_rule(&options->depend, options->output, options->inputs.data,
                                options->inputs.len, &options->cl, &rule))
        return EXIT_REJECTED;
    const struct file_output outputs[] = {{options->output, str_text(bytes), bytes->len},
                                          {options->depend.file, str_text(&rule), rule.len}};
    bool written = file_write_all(outputs, depends ? 2 : 1, &failed);
    if (written)
        tool_say(&options->cl, "wrote '%s': %zu bytes", options->output, bytes->len);
    int code = written ? EXIT_DONE : tool_write_error(&options->cl, outputs[failed].path);
    str_free(&rule);
    return code;
}

/* The bytes of the output file; for --emit they are there already. */
static void format_output(struct ezpim_options *options, const struct object *program,
                          struct str *bytes) {
    if (options->step == STEP_ASSEMBLY)
        disasm_reassemble(program, bytes);
    else if (program)
        object_write(program, bytes);
}

/* Who says how much room there is wants no other; assembly text has one text. */
static uint32_t wants_texts(const struct ezpim_options *options) {
    bool file = options->step != STEP_ASSEMBLY && options->step != STEP_EMIT;
    return file && !options->driver.ez.rows && !options->driver.ez.columns ? EZ_ALL_TARGETS : 0;
}

static int run(struct ezpim_options *options) {
    struct str bytes = {0};
    bool unreadable = false;
    options->packages.make = place_build;
    if (!tool_files_differ(&options->cl))
        return EXIT_USAGE;
    int exit_code = package_request_open(&options->packages, options->cl.diag);
    if (exit_code != EXIT_DONE)
        return exit_code;
    options->driver.loaded = input_was_read;
    options->driver.context = options;
    options->driver.ez.emit_text = &bytes;
    options->driver.ez.parts = options->step != STEP_LINK;
    options->driver.ez.own_texts = wants_texts(options);
    struct object *program = make_program(options, &unreadable);
    bool emitted = options->step == STEP_EMIT && diag_errors(options->cl.diag) == 0;
    if ((program || emitted) && !tool_files_differ(&options->cl)) {
        exit_code = EXIT_USAGE; /* what is included is known by now */
    } else if (program || emitted) {
        format_output(options, program, &bytes);
        exit_code = write_output(options, &bytes);
    } else {
        exit_code = unreadable ? EXIT_FILE : EXIT_REJECTED;
    }
    if (program)
        object_free(program);
    str_free(&bytes);
    return exit_code;
}

int main(int argc, char **argv) {
    struct ezpim_options o;
    int exit_code;
    alloc_keep_freed();
    if (ezpim_options_parse(argc, argv, &o, &exit_code))
        exit_code = run(&o);
    ezpim_options_free(&o);
    return exit_code;
}
