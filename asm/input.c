/* SPDX-License-Identifier: MIT
 * The stack of texts that are being read: files, and what macros and .rept make. */
#include "asm/assembler.h"
#include "support/file.h"

#include <errno.h>
#include <string.h>

/* Where a new text is used: the statement being read if it stands in a file, else where the
 * outermost expansion began. */
static void note_caller(struct assembler *a, struct asm_input *in) {
    const struct asm_input *from = a->in;
    if (!from)
        return;
    if (from->kind != INPUT_FILE) {
        in->called = from->called;
        in->called_file = from->called_file;
        in->called_line = from->called_line;
        in->called_column = from->called_column;
        return;
    }
    in->called = asm_span(a, a->statement, a->token.end);
    in->called_file = from->name;
    in->called_line = a->statement_line;
    in->called_column = a->statement_column;
}

static bool room_for(struct assembler *a, enum input_kind kind, const char *name, size_t size) {
    size_t files = 0;
    for (size_t i = 0; i < a->depth; i++)
        files += a->inputs[i].kind == INPUT_FILE;
    if (a->depth == MAX_INPUTS || (kind == INPUT_FILE && files > MAX_INCLUDES)) {
        asm_error(a, a->statement, a->token.end, "'%s' is nested more than %d deep", name,
                  kind == INPUT_FILE ? MAX_INCLUDES : MAX_INPUTS);
        a->stop = true;
        return false;
    }
    a->expanded += kind == INPUT_FILE ? 0 : size;
    a->files_read += kind == INPUT_FILE;
    if (a->expanded <= MAX_EXPANSION && a->files_read <= MAX_FILES)
        return true;
    asm_error(a, a->statement, a->token.end,
              "'%s' makes the program too large: expansions may have %u MiB in all, and %d files "
              "may be included",
              name, MAX_EXPANSION >> 20, MAX_FILES);
    a->stop = true;
    return false;
}

bool asm_input_push(struct assembler *a, enum input_kind kind, const char *name, const char *text,
                    size_t size) {
    if (!room_for(a, kind, name, size))
        return false;
    struct asm_input in = {.kind = kind,
                           .name = name,
                           .text = text,
                           .size = size,
                           .line = 1,
                           .conditions = a->conditions.len};
    note_caller(a, &in);
    if (kind == INPUT_FILE)
        in.source = diag_source(a->d, name, text, size);
    a->inputs[a->depth++] = in;
    a->in = &a->inputs[a->depth - 1];
    return true;
}

void asm_input_pop(struct assembler *a) {
    asm_condition_close(a, a->in->conditions);
    a->depth--;
    a->in = a->depth ? &a->inputs[a->depth - 1] : NULL;
}

static const char *including_file(const struct assembler *a) {
    for (size_t i = a->depth; i-- > 0;)
        if (a->inputs[i].kind == INPUT_FILE)
            return a->inputs[i].name;
    return "";
}

char *asm_read_beside(struct assembler *a, const char *path, const struct asm_token *at,
                      const char *who, char **name, size_t *size) {
    *name = NULL;
    if (!path[0] || strcmp(path, "-") == 0) {
        asm_error_token(a, at, "%s needs the name of a file", who);
        return NULL;
    }
    char *text = file_read_beside(path, including_file(a), a->options->include_dirs,
                                  a->options->include_count, name, size);
    if (!text)
        asm_error_token(a, at, "cannot read '%s': %s", path, strerror(errno));
    return text;
}

void asm_include_file(struct assembler *a, const char *path, const struct asm_token *at) {
    char *name;
    size_t size;
    char *text = asm_read_beside(a, path, at, ".include", &name, &size);
    if (text) {
        vec_push(&a->texts, text);
        asm_input_push(a, INPUT_FILE, asm_keep(a, name, strlen(name)), text, size);
    }
    free(name);
}

void asm_condition_close(struct assembler *a, size_t down_to) {
    while (a->conditions.len > down_to) {
        const struct asm_input *in = a->in;
        struct condition c = vec_last(&a->conditions);
        a->conditions.len--;
        diag_error(a->d, c.at, "this condition is not closed");
        diag_note(a->d, asm_kept_span(a, in->size ? in->size - 1 : 0, in->size),
                  "a line '.endif' is missing before the end of %s", in->name);
    }
}
