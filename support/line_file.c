/* SPDX-License-Identifier: MIT
 * Files are read at the first line that is asked for. */
#include "support/line_file.h"

#include "support/alloc.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

/* Nobody vouches for the name. */
static void load(struct line_file *f, const char *name) {
    f->tried = true;
    f->text = file_read_named_text(name, FILE_MAX_SOURCE, &f->size);
    if (!f->text)
        return;
    vec_push(&f->starts, 0);
    for (size_t i = 0; i + 1 < f->size; i++)
        if (f->text[i] == '\n')
            vec_push(&f->starts, i + 1);
}

/* A line as it may go to a terminal: of control characters tabs alone stay as they are. */
static void put_visible(const char *line, size_t n, struct str *out) {
    char *piece = xstrndup(line, n);
    for (char *at = piece, *tab; at; at = tab) {
        tab = strchr(at, '\t');
        if (tab)
            *tab++ = '\0';
        str_visible(out, at);
        if (tab)
            str_char(out, '\t');
    }
    free(piece);
}

bool line_file_put(struct line_file *file, const char *name, uint32_t line, struct str *out) {
    if (!file->tried)
        load(file, name);
    if (!file->text || line == 0 || line > file->starts.len)
        return false;
    const char *text = file->text + file->starts.data[line - 1];
    size_t left = file->size - file->starts.data[line - 1];
    const char *end = memchr(text, '\n', left);
    size_t n = end ? (size_t)(end - text) : left;
    str_append(out, "; ");
    put_visible(text, n && text[n - 1] == '\r' ? n - 1 : n, out);
    str_char(out, '\n');
    return true;
}

void line_file_free(struct line_file *file) {
    free(file->text);
    vec_free(&file->starts);
}
