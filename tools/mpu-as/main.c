/* SPDX-License-Identifier: MIT
 * mpu-as: assembly text to an object. */
#include "asm/asm.h"
#include "ezpim/driver.h"
#include "machines/syntax.h"
#include "support/file.h"
#include "tools/mpu-as/as_options.h"

#include <errno.h>
#include <string.h>

struct assembly_job {
    struct command_line cl;
    struct asm_options options;
    struct erc_options import;         /* --syntax=rc */
    const struct machine_syntax *core; /* --syntax=dpu: of a core's own program */
    VEC(const char *) folders;
    VEC(struct asm_define) defines;
    const char *input, *output, *listing_path;
    struct depend depend;
    struct str listing;
    int exit_code;
};

static void unreadable(struct assembly_job *job, const char *path) {
    if (strcmp(path, "-") == 0)
        diag_error(job->cl.diag, NO_SPAN, "cannot read standard input: %s", file_problem(errno));
    else
        diag_error(job->cl.diag, NO_SPAN, "cannot read '%s': %s", path, file_problem(errno));
    job->exit_code = EXIT_FILE;
}

static void take_define(struct assembly_job *job, const char *text) {
    struct asm_define d;
    if (!driver_define(text, &job->cl.arena, &d) || d.real)
        job->exit_code =
            tool_usage_error(&job->cl, "-D takes NAME or NAME=INTEGER, not '%s'", text);
    vec_push(&job->defines, d);
}

static void take_input(struct assembly_job *job, const char *path) {
    if (job->input)
        job->exit_code =
            tool_usage_error(&job->cl, "one input at a time: '%s' and '%s'", job->input, path);
    job->input = path;
}

static void take_syntax(struct assembly_job *job, const char *name) {
    job->import.assembly = strcmp(name, "rc") == 0;
    job->core = machine_syntax_named(name);
    if (!job->import.assembly && !job->core && strcmp(name, "mpu") != 0)
        job->exit_code =
            tool_usage_error(&job->cl, "--syntax takes mpu, rc, dpu or simt, not '%s'", name);
}

static void take_number(struct assembly_job *job, const struct option_value *value, unsigned last,
                        unsigned *number) {
    uint64_t n = 0;
    if (!number_parse_u64(value->value, strlen(value->value), &n) || n < 1 || n > last)
        job->exit_code = tool_usage_error(&job->cl, "%s takes a number from 1 to %u, not '%s'",
                                          value->name, last, value->value);
    *number = (unsigned)n;
}

static void take_value(struct assembly_job *job, const struct option_value *value) {
    if (value->id == OPT_OUTPUT)
        job->output = value->value;
    else if (value->id == OPT_LISTING)
        job->listing_path = value->value;
    else if (value->id == OPT_DEBUG)
        job->options.debug = true;
    else if (value->id == OPT_INCLUDE)
        vec_push(&job->folders, value->value);
    else if (value->id == OPT_DEFINE)
        take_define(job, value->value);
    else if (value->id == OPT_SYNTAX)
        take_syntax(job, value->value);
    else if (value->id == OPT_WIDTH)
        take_number(job, value, 64, &job->import.width);
    else if (value->id == OPT_RFHS)
        take_number(job, value, ERC_MAX_RFHS, &job->import.rfhs);
    else if (!depend_take(&job->depend, value))
        take_input(job, value->value);
}

/* "dir/x.s" becomes "x.o" in the current folder. */
static void choose_output(struct assembly_job *job) {
    const char *slash = strrchr(job->input, '/');
    file_uses_read(&job->cl.files, job->input);
    if (job->listing_path)
        file_uses_write(&job->cl.files, job->listing_path, "--listing");
    if (job->output) {
        file_uses_write(&job->cl.files, job->output, "-o");
        return;
    }
    job->output = strcmp(job->input, "-") == 0
                      ? "-"
                      : tool_output_name(&job->cl.arena, slash ? slash + 1 : job->input,
                                         job->core ? job->core->suffix : "o");
    file_uses_write(&job->cl.files, job->output, NULL);
}

/* What was made: the file, and how many instructions it has. */
struct made {
    struct str bytes;
    size_t instructions;
};
static void write_outputs(struct assembly_job *job, const struct made *made,
                          const struct str *rule) {
    size_t failed;
    struct file_output outputs[3] = {{job->output, made->bytes.text, made->bytes.len}};
    size_t count = 1;
    if (job->listing_path)
        outputs[count++] =
            (struct file_output){job->listing_path, str_text(&job->listing), job->listing.len};
    if (job->depend.wanted)
        outputs[count++] = (struct file_output){job->depend.file, str_text(rule), rule->len};
    if (file_write_all(outputs, count, &failed))
        tool_say(&job->cl, "wrote '%s': %zu instructions, %zu bytes", job->output,
                 made->instructions, made->bytes.len);
    else
        job->exit_code = tool_write_error(&job->cl, outputs[failed].path);
}

static void write_results(struct assembly_job *job, const struct made *made) {
    struct str rule = {0};
    if (job->depend.wanted &&
        !depend_rule(&job->depend, job->output, &job->input, 1, &job->cl, &rule))
        job->exit_code = EXIT_REJECTED;
    else
        write_outputs(job, made, &rule);
    str_free(&rule);
}

/* False after reporting a file that is no text at all. */
static bool is_text(struct assembly_job *job, const char *name, const char *bytes, size_t size) {
    const char *kind = file_kind(bytes, size);
    bool elf = strcmp(kind, "an ELF file") == 0;
    if (!elf && strcmp(kind, "a NumPy array") != 0 && strcmp(kind, "a picture") != 0)
        return true;
    struct span at = {diag_source(job->cl.diag, name, NULL, 0), 0, 0};
    diag_error(job->cl.diag, at, "this is %s, not assembly text", kind);
    if (elf)
        diag_note(job->cl.diag, NO_SPAN, "'mpu-objdump --reassemble' makes text of an object");
    return false;
}

static bool make_object(struct assembly_job *job, const char *name, const char *text, size_t size,
                        struct made *made) {
    job->import.debug = job->options.debug;
    struct object *o = job->import.assembly
                           ? erc_compile(name, text, size, &job->import, job->cl.diag)
                           : asm_assemble(name, text, size, &job->options, job->cl.diag);
    if (!o)
        return false;
    made->instructions = o->text.len;
    object_write(o, &made->bytes);
    object_free(o);
    return true;
}
/* A core's own program. */
static bool make_program(struct assembly_job *job, const char *name, const char *text, size_t size,
                         struct made *made) {
    VEC(struct machine_define) defines = {0};
    for (size_t i = 0; i < job->defines.len; i++)
        vec_push(&defines,
                 ((struct machine_define){job->defines.data[i].name, job->defines.data[i].value}));
    const struct machine_text_options options = {job->folders.data, job->folders.len, defines.data,
                                                 defines.len, &job->cl.files};
    bool fine = job->core->assemble(name, text, size, &options, &made->bytes, &made->instructions,
                                    job->cl.diag);
    vec_free(&defines);
    return fine;
}
static bool make(struct assembly_job *job, const char *name, const char *text, size_t size,
                 struct made *made) {
    if (!is_text(job, name, text, size))
        return false;
    if (job->core)
        return make_program(job, name, text, size, made);
    return make_object(job, name, text, size, made);
}

static void assemble(struct assembly_job *job) {
    size_t size;
    char *text = file_read_text(job->input, FILE_MAX_SOURCE, &size);
    if (!text) {
        unreadable(job, job->input);
        return;
    }
    const char *name = strcmp(job->input, "-") == 0 ? "<stdin>" : job->input;
    struct made made = {0};
    if (!make(job, name, text, size, &made))
        job->exit_code = EXIT_REJECTED;
    else if (!tool_files_differ(&job->cl)) /* what is included is known by now */
        job->exit_code = EXIT_USAGE;
    else
        write_results(job, &made);
    str_free(&made.bytes);
    free(text);
}

/* What goes with one syntax alone. */
static void check_import(struct assembly_job *job) {
    if (!job->import.assembly && (job->import.width || job->import.rfhs))
        job->exit_code = tool_usage_error(&job->cl, "--width and --rfhs belong to --syntax=rc");
    else if (job->import.assembly && (job->listing_path || job->folders.len || job->defines.len))
        job->exit_code = tool_usage_error(&job->cl, "--syntax=rc knows no --listing, -I and -D");
    else if (job->core && (job->listing_path || job->options.debug))
        job->exit_code =
            tool_usage_error(&job->cl, "--syntax=%s knows no --listing and -g", job->core->name);
}

int main(int argc, char **argv) {
    struct assembly_job r = {0};
    if (!command_line_parse(&mpu_as_tool, argc, argv, &r.cl, &r.exit_code))
        return r.exit_code;
    for (size_t i = 0; i < r.cl.count && r.exit_code == EXIT_DONE; i++)
        take_value(&r, &r.cl.values[i]);
    if (!r.input && r.exit_code == EXIT_DONE)
        r.exit_code = tool_usage_error(&r.cl, "no input file");
    if (r.exit_code == EXIT_DONE)
        check_import(&r);
    r.options.include_dirs = r.folders.data;
    r.options.include_count = r.folders.len;
    r.options.defines = r.defines.data;
    r.options.define_count = r.defines.len;
    r.options.files = &r.cl.files;
    r.options.listing = r.listing_path ? &r.listing : NULL;
    if (r.exit_code == EXIT_DONE) {
        choose_output(&r);
        const char *problem = depend_complete(&r.depend, r.output, &r.cl);
        if (problem)
            r.exit_code = tool_usage_error(&r.cl, "%s", problem);
        else if (tool_files_differ(&r.cl))
            assemble(&r);
        else
            r.exit_code = EXIT_USAGE;
    }
    depend_free(&r.depend);
    vec_free(&r.folders);
    vec_free(&r.defines);
    str_free(&r.listing);
    command_line_free(&r.cl);
    return r.exit_code;
}
