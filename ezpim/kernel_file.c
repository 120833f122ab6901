/* SPDX-License-Identifier: MIT
 * A program around the words of a file. */
#include "ezpim/kernel_file.h"

#include "asm/builder.h"
#include "machines/machine.h"

#include <string.h>

const char *driver_kernel_suffix(const char *path) {
    size_t length = strlen(path), n;
    const char *suffix;
    for (size_t i = 0; (suffix = machine_form_suffix(i)); i++) {
        n = strlen(suffix);
        if (length > n && strcmp(path + length - n, suffix) == 0)
            return suffix;
    }
    return NULL;
}

const char *driver_kernel_language(const char *name) {
    const char *suffix;
    for (size_t i = 0; (suffix = machine_form_suffix(i)); i++)
        if (strcmp(suffix + 1, name) == 0)
            return suffix;
    return NULL;
}

/* Where what the words return goes; NO_INDEX: they return nothing. */
static uint32_t declare_reads(struct builder *builder, struct mpu_type type, uint64_t count) {
    const struct buffer_decl reads = {.name = "reads",
                                      .direction = VAR_OUT,
                                      .type = type,
                                      .ndim = 1,
                                      .shape = {{NO_INDEX, count}},
                                      .place = {NO_INDEX, 0, 0}};
    return count ? builder_buffer(builder, &reads) : NO_INDEX;
}

static struct object *program(const char *name, const struct machine_form *form,
                              const struct str *words, struct diag *diag) {
    struct builder *b = builder_new(diag);
    uint64_t count = form->returns ? form->returns(words->text, words->len) : 0;
    static const struct mpu_type none = {TYPE_UINT, 64};
    const struct kernel_parameter reads = {"reads", PARAMETER_BUFFER,
                                           form->returned ? *form->returned : none};
    const struct kernel_decl k = {.name = "words",
                                  .form = form->name,
                                  .words = true,
                                  .bytes = words->text,
                                  .size = words->len,
                                  .parameters = &reads,
                                  .parameter_count = count != 0,
                                  .otherwise = NO_INDEX,
                                  .place = {NO_INDEX, 0, 0}};
    const struct kernel_argument argument = {declare_reads(b, reads.type, count), NO_INDEX, 0};
    builder_symbol(b, "main", SYMBOL_LABEL, false);
    builder_kernel_call(b, builder_kernel(b, &k), &argument);
    builder_plain(b, OP_HALT);
    struct object *o = builder_finish(b);
    if (o)
        o->source = arena_strdup(&o->arena, name);
    return o;
}

/* At the line that is wrong, if it is one. */
static void report(const char *name, const char *bytes, size_t size,
                   const struct machine_kernel_fault *fault, struct diag *diag) {
    struct span at = {diag_source(diag, name, fault->line ? bytes : NULL, fault->line ? size : 0),
                      0, 0};
    const char *line = bytes, *end = bytes + size;
    for (uint32_t i = 1; i < fault->line && line < end; i++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline ? newline + 1 : end;
    }
    if (fault->line) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        at.begin = (uint32_t)(line - bytes);
        at.end = (uint32_t)((newline ? newline : end) - bytes);
    }
    diag_error(diag, at, "%s", str_text(&fault->what));
}

struct object *driver_kernel_program(const char *name, const char *suffix, const char *bytes,
                                     size_t size, struct diag *diag) {
    const struct machine_form *form = machine_form_of_suffix(suffix);
    struct machine_kernel_fault fault = {.line = 0};
    struct str words = {0};
    struct object *o = NULL;
    bool fine = form->read_file(suffix, bytes, size, &words, &fault);
    if (fine && words.len == 0) {
        fine = false;
        fault.line = 0;
        str_append(&fault.what, "there are no words");
    }
    if (fine)
        o = program(name, form, &words, diag);
    else
        report(name, bytes, size, &fault, diag);
    str_free(&words);
    str_free(&fault.what);
    return o;
}
