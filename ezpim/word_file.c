/* SPDX-License-Identifier: MIT
 * A program around the words of a file. */
#include "ezpim/word_file.h"

#include "asm/builder.h"
#include "linker/join/kernel_file.h"

#include <string.h>

const char *driver_kernel_suffix(const char *path) {
    size_t length = strlen(path), n;
    const char *suffix;
    for (size_t i = 0; (suffix = link_kernel_suffix(i)); i++) {
        n = strlen(suffix);
        if (length > n && strcmp(path + length - n, suffix) == 0)
            return suffix;
    }
    return NULL;
}

const char *driver_kernel_language(const char *name) {
    const char *suffix;
    for (size_t i = 0; (suffix = link_kernel_suffix(i)); i++)
        if (strcmp(suffix + 1, name) == 0)
            return suffix;
    return NULL;
}

/* Where what the words return goes; NO_INDEX: they return nothing. */
static uint32_t declare_reads(struct builder *builder, struct lane_type type, uint64_t count) {
    const struct buffer_decl reads = {.name = "reads",
                                      .direction = VAR_OUT,
                                      .type = type,
                                      .ndim = 1,
                                      .shape = {{NO_INDEX, count}},
                                      .place = {NO_INDEX, 0, 0}};
    return count ? builder_buffer(builder, &reads) : NO_INDEX;
}

static struct object *program(const char *name, const struct kernel_file *file, struct diag *diag) {
    struct builder *b = builder_new(diag);
    const struct kernel_parameter reads = {
        .name = "reads", .kind = PARAMETER_BUFFER, .type = file->type};
    const struct kernel_decl k = {.name = "words",
                                  .form = file->form,
                                  .words = true,
                                  .bytes = file->words.text,
                                  .size = file->words.len,
                                  .parameters = &reads,
                                  .parameter_count = file->returns != 0,
                                  .otherwise = NO_INDEX,
                                  .place = {NO_INDEX, 0, 0}};
    const struct kernel_argument argument = {declare_reads(b, file->type, file->returns), NO_INDEX,
                                             0, NULL};
    builder_symbol(b, "main", SYMBOL_LABEL, false);
    builder_kernel_call(b, builder_kernel(b, &k), &argument, NULL, NO_INDEX);
    builder_plain(b, OP_HALT);
    struct object *o = builder_finish(b);
    if (o)
        o->source = arena_strdup(&o->arena, name);
    return o;
}

/* At the line that is wrong, if it is one. */
static void report(const char *name, const char *bytes, size_t size, const struct kernel_file *file,
                   struct diag *diag) {
    struct span at = diag_text_line(diag, name, bytes, size, file->problem_line);
    if (!file->problem_line)
        at = (struct span){diag_source(diag, name, NULL, 0), 0, 0};
    diag_error(diag, at, "%s", str_text(&file->problem));
}

struct object *driver_kernel_program(const char *name, const char *suffix, const char *bytes,
                                     size_t size, struct diag *diag) {
    struct kernel_file file;
    struct object *o = NULL;
    if (link_kernel_file_read(suffix, bytes, size, &file))
        o = program(name, &file, diag);
    else
        report(name, bytes, size, &file, diag);
    link_kernel_file_free(&file);
    return o;
}
