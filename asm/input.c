/* SPDX-License-Identifier: MIT
 * The stack of texts that are being read: files, and what macros and .rept make. */
#include "asm/assembler.h"
#include "support/file.h"

#include <errno.h>
#include <string.h>

/* Where a new text is used: the statement being read if it stands in a file, else where the
 * outermost expansion began. */
static void note_caller(struct assembler *assembler, struct asm_input *in) {
    const struct asm_input *from = assembler->in;
    if (!from)
        return;
    if (from->kind != INPUT_FILE) {
        in->called = from->called;
        in->called_file = from->called_file;
        in->called_line = from->called_line;
        in->called_column = from->called_column;
        return;
    }
    in->called = asm_span(assembler, assembler->statement, assembler->token.end);
    in->called_file = from->name;
    in->called_line = assembler->statement_line;
    in->called_column = assembler->statement_column;
}

static bool room_for(struct assembler *assembler, enum input_kind kind, const char *name,
                     size_t size) {
    size_t files = 0;
    for (size_t i = 0; i < assembler->depth; i++)
        files += assembler->inputs[i].kind == INPUT_FILE;
    if (assembler->depth == MAX_INPUTS || (kind == INPUT_FILE && files > MAX_INCLUDES)) {
        asm_error(assembler, assembler->statement, assembler->token.end,
                  "'%s' is nested more than %d deep", name,
                  kind == INPUT_FILE ? MAX_INCLUDES : MAX_INPUTS);
        assembler->stop = true;
        return false;
    }
    assembler->expanded += size;
    assembler->files_read += kind == INPUT_FILE;
    if (assembler->expanded <= MAX_EXPANSION && assembler->files_read <= MAX_FILES)
        return true;
    asm_error(assembler, assembler->statement, assembler->token.end,
              "'%s' makes the program too large: its files and expansions may have %u MiB in all, "
              "and %d files may be included",
              name, MAX_EXPANSION >> 20, MAX_FILES);
    assembler->stop = true;
    return false;
}

bool asm_input_work(struct assembler *assembler, const char *name, size_t bytes) {
    assembler->worked += bytes;
    if (assembler->worked <= MAX_WORK)
        return true;
    asm_error(assembler, assembler->statement, assembler->token.end,
              "'%s' makes the program too much work: the bodies of all expansions may have %u MiB "
              "before parameters are replaced",
              name, MAX_WORK >> 20);
    assembler->stop = true;
    return false;
}

bool asm_input_push(struct assembler *assembler, enum input_kind kind, const char *name,
                    const char *text, size_t size) {
    if (!room_for(assembler, kind, name, size))
        return false;
    struct asm_input in = {.kind = kind,
                           .name = name,
                           .text = text,
                           .size = size,
                           .line = 1,
                           .scope = assembler->scope,
                           .sub = assembler->sub,
                           .conditions = assembler->conditions.len};
    note_caller(assembler, &in);
    if (kind == INPUT_FILE)
        in.source = diag_source(assembler->d, name, text, size);
    assembler->inputs[assembler->depth++] = in;
    assembler->in = &assembler->inputs[assembler->depth - 1];
    return true;
}

/* A label that a macro makes does not end its caller's scope; a .sub that it opens or closes does.
 */
static void leave_scope(struct assembler *assembler) {
    if (assembler->in->kind == INPUT_MACRO && assembler->sub == assembler->in->sub)
        assembler->scope = assembler->in->scope;
}

static void asm_condition_close(struct assembler *assembler, size_t down_to) {
    while (assembler->conditions.len > down_to) {
        const struct asm_input *in = assembler->in;
        struct condition c = vec_last(&assembler->conditions);
        assembler->conditions.len--;
        diag_error(assembler->d, c.at, "this condition is not closed");
        diag_note(assembler->d, asm_kept_span(assembler, in->size ? in->size - 1 : 0, in->size),
                  "a line '.endif' is missing before the end of %s", in->name);
    }
}

void asm_input_pop(struct assembler *assembler) {
    asm_condition_close(assembler, assembler->in->conditions);
    if (assembler->in->kind == INPUT_FILE && assembler->in->size && !assembler->in->filled)
        diag_warning(assembler->d, W_EMPTY, (struct span){assembler->in->source, 0, 0},
                     "nothing stands here but blanks and comments");
    leave_scope(assembler);
    assembler->depth--;
    assembler->in = assembler->depth ? &assembler->inputs[assembler->depth - 1] : NULL;
}

static const char *including_file(const struct assembler *assembler) {
    for (size_t i = assembler->depth; i-- > 0;)
        if (assembler->inputs[i].kind == INPUT_FILE)
            return assembler->inputs[i].name;
    return "";
}

char *asm_read_beside(struct assembler *assembler, const char *path, const struct asm_token *at,
                      const char *who, char **name, size_t *size) {
    *name = NULL;
    if (!path[0] || strcmp(path, "-") == 0) {
        asm_error_token(assembler, at, "%s needs the name of a file", who);
        return NULL;
    }
    char *text = file_read_beside(path, including_file(assembler), assembler->options->include_dirs,
                                  assembler->options->include_count, FILE_MAX_SOURCE, name, size);
    if (!text)
        asm_error_token(assembler, at, "cannot read '%s': %s", path, file_problem(errno));
    else
        file_uses_read(assembler->options->files, *name);
    return text;
}

void asm_include_file(struct assembler *assembler, const char *path, const struct asm_token *at) {
    char *name;
    size_t size;
    char *text = asm_read_beside(assembler, path, at, ".include", &name, &size);
    if (text) {
        vec_push(&assembler->texts, text);
        asm_input_push(assembler, INPUT_FILE, asm_keep(assembler, name, strlen(name)), text, size);
    }
    free(name);
}
