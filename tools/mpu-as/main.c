/* SPDX-License-Identifier: MIT
 * mpu-as: assembly text to an object. */
#include "asm/asm.h"
#include "ezpim/erc/erc.h"
#include "support/file.h"
#include "tools/mpu-as/as_options.h"

#include <errno.h>
#include <string.h>

struct assembly_job {
    struct command_line cl;
    struct asm_options options;
    struct erc_options import; /* --syntax=rc */
    VEC(const char *) folders;
    VEC(struct asm_define) defines;
    const char *input, *output, *listing_path;
    struct str output_name, listing;
    int exit_code;
};

static void file_error(struct assembly_job *r, const char *what, const char *path) {
    if (strcmp(path, "-") == 0)
        diag_error(r->cl.diag, NO_SPAN, "cannot %s standard %s: %s", what,
                   what[0] == 'r' ? "input" : "output", strerror(errno));
    else
        diag_error(r->cl.diag, NO_SPAN, "cannot %s '%s': %s", what, path, strerror(errno));
    r->exit_code = EXIT_FILE;
}

static void take_define(struct assembly_job *r, const char *text) {
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);
    struct asm_define d = {arena_strndup(&r->cl.arena, text, n), 1};
    if (!object_name_ok(d.name) || (d.name[0] >= '0' && d.name[0] <= '9') ||
        (equals && !number_parse_i64(equals + 1, strlen(equals + 1), &d.value)))
        r->exit_code = tool_usage_error(&r->cl, "-D takes NAME or NAME=NUMBER, not '%s'", text);
    vec_push(&r->defines, d);
}

static void take_input(struct assembly_job *r, const char *path) {
    if (r->input)
        r->exit_code =
            tool_usage_error(&r->cl, "one input at a time: '%s' and '%s'", r->input, path);
    r->input = path;
}

static void take_syntax(struct assembly_job *r, const char *name) {
    r->import.assembly = strcmp(name, "rc") == 0;
    if (!r->import.assembly && strcmp(name, "mpu") != 0)
        r->exit_code = tool_usage_error(&r->cl, "--syntax takes mpu or rc, not '%s'", name);
}

static void take_number(struct assembly_job *r, const struct option_value *v, unsigned last,
                        unsigned *number) {
    uint64_t n = 0;
    if (!number_parse_u64(v->value, strlen(v->value), &n) || n < 1 || n > last)
        r->exit_code = tool_usage_error(&r->cl, "%s takes a number from 1 to %u, not '%s'", v->name,
                                        last, v->value);
    *number = (unsigned)n;
}

static void take_value(struct assembly_job *r, const struct option_value *v) {
    if (v->id == OPT_OUTPUT)
        r->output = v->value;
    else if (v->id == OPT_LISTING)
        r->listing_path = v->value;
    else if (v->id == OPT_DEBUG)
        r->options.debug = true;
    else if (v->id == OPT_INCLUDE)
        vec_push(&r->folders, v->value);
    else if (v->id == OPT_DEFINE)
        take_define(r, v->value);
    else if (v->id == OPT_SYNTAX)
        take_syntax(r, v->value);
    else if (v->id == OPT_WIDTH)
        take_number(r, v, 64, &r->import.width);
    else if (v->id == OPT_RFHS)
        take_number(r, v, ERC_MAX_RFHS, &r->import.rfhs);
    else
        take_input(r, v->value);
}

/* "dir/x.s" becomes "x.o" in the current folder. */
static void choose_output(struct assembly_job *r) {
    const char *slash = strrchr(r->input, '/'), *name = slash ? slash + 1 : r->input;
    const char *dot = strrchr(name, '.');
    if (r->output)
        return;
    r->output = "-";
    if (strcmp(r->input, "-") == 0)
        return;
    str_append_n(&r->output_name, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    str_append(&r->output_name, ".o");
    r->output = r->output_name.text;
}

static void write_results(struct assembly_job *r, const struct object *o) {
    struct str bytes = {0};
    size_t failed;
    object_write(o, &bytes);
    const struct file_output outputs[] = {
        {r->output, bytes.text, bytes.len},
        {r->listing_path, str_text(&r->listing), r->listing.len},
    };
    if (file_write_all(outputs, r->listing_path ? 2 : 1, &failed))
        tool_say(&r->cl, "wrote '%s': %zu instructions, %zu bytes", r->output, o->text.len,
                 bytes.len);
    else
        file_error(r, "write", outputs[failed].path);
    str_free(&bytes);
}

/* False after reporting a file that is no text at all. */
static bool is_text(struct assembly_job *r, const char *name, const char *bytes, size_t size) {
    const char *kind = file_kind(bytes, size);
    bool elf = strcmp(kind, "an ELF file") == 0;
    if (!elf && strcmp(kind, "a NumPy array") != 0 && strcmp(kind, "a picture") != 0)
        return true;
    struct span at = {diag_source(r->cl.diag, name, NULL, 0), 0, 0};
    diag_error(r->cl.diag, at, "this is %s, not assembly text", kind);
    if (elf)
        diag_note(r->cl.diag, NO_SPAN, "'mpu-objdump --reassemble' makes text of an object");
    return false;
}

static struct object *make_object(struct assembly_job *r, const char *name, const char *text,
                                  size_t size) {
    if (!is_text(r, name, text, size))
        return NULL;
    if (!r->import.assembly)
        return asm_assemble(name, text, size, &r->options, r->cl.diag);
    r->import.debug = r->options.debug;
    return erc_compile(name, text, size, &r->import, r->cl.diag);
}

static void assemble(struct assembly_job *r) {
    size_t size;
    char *text = file_read(r->input, &size);
    if (!text) {
        file_error(r, "read", r->input);
        return;
    }
    const char *name = strcmp(r->input, "-") == 0 ? "<stdin>" : r->input;
    struct object *o = make_object(r, name, text, size);
    if (o)
        write_results(r, o);
    else
        r->exit_code = EXIT_REJECTED;
    object_free(o);
    free(text);
}

/* What goes with one syntax alone. */
static void check_import(struct assembly_job *r) {
    if (!r->import.assembly && (r->import.width || r->import.rfhs))
        r->exit_code = tool_usage_error(&r->cl, "--width and --rfhs belong to --syntax=rc");
    else if (r->import.assembly && (r->listing_path || r->folders.len || r->defines.len))
        r->exit_code = tool_usage_error(&r->cl, "--syntax=rc knows no --listing, -I and -D");
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
    r.options.listing = r.listing_path ? &r.listing : NULL;
    if (r.exit_code == EXIT_DONE) {
        choose_output(&r);
        assemble(&r);
    }
    vec_free(&r.folders);
    vec_free(&r.defines);
    str_free(&r.output_name);
    str_free(&r.listing);
    command_line_free(&r.cl);
    return r.exit_code;
}
