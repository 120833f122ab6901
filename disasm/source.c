/* SPDX-License-Identifier: MIT
 * -l and -S: places and source lines before instructions. */
#include "disasm/dump.h"
#include "support/file.h"

#include <inttypes.h>
#include <string.h>

struct source_text {
    bool tried;
    char *text; /* NULL: not there */
    size_t size;
    VEC(size_t) starts; /* of lines */
};

struct dump_sources {
    const struct object *o;
    struct source_text *files; /* [o->files] */
    struct place last;
};

struct dump_sources *disasm_sources_new(const struct object *object) {
    struct dump_sources *s = xcalloc(1, sizeof *s);
    s->o = object;
    s->files = xcalloc(object->files.len + 1, sizeof *s->files);
    s->last.file = NO_INDEX;
    return s;
}

void disasm_sources_free(struct dump_sources *sources) {
    for (size_t i = 0; i < sources->o->files.len; i++) {
        free(sources->files[i].text);
        vec_free(&sources->files[i].starts);
    }
    free(sources->files);
    free(sources);
}

/* Nobody vouches for the name: it stands in the object. */
static void load(struct source_text *text, const char *name) {
    text->tried = true;
    text->text = file_read_named_text(name, FILE_MAX_SOURCE, &text->size);
    if (!text->text)
        return;
    vec_push(&text->starts, 0);
    for (size_t i = 0; i + 1 < text->size; i++)
        if (text->text[i] == '\n')
            vec_push(&text->starts, i + 1);
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

/* False if the line is not there to be shown. */
static bool put_line(struct dump_sources *sources, struct place place, struct str *out) {
    struct source_text *t = &sources->files[place.file];
    if (!t->tried)
        load(t, sources->o->files.data[place.file]);
    if (!t->text || place.line == 0 || place.line > t->starts.len)
        return false;
    const char *line = t->text + t->starts.data[place.line - 1];
    size_t left = t->size - t->starts.data[place.line - 1];
    const char *end = memchr(line, '\n', left);
    size_t n = end ? (size_t)(end - line) : left;
    str_append(out, "; ");
    put_visible(line, n && line[n - 1] == '\r' ? n - 1 : n, out);
    str_char(out, '\n');
    return true;
}

void disasm_source_before(struct dump_sources *sources, uint32_t index, unsigned actions,
                          struct str *out) {
    if (!(actions & (DISASM_SOURCE | DISASM_LINES)))
        return;
    struct place p = object_place(sources->o, index);
    if (p.file >= sources->o->files.len ||
        (p.file == sources->last.file && p.line == sources->last.line))
        return;
    struct str line = {0};
    bool shown = (actions & DISASM_SOURCE) && put_line(sources, p, &line);
    if (!shown || (actions & DISASM_LINES)) {
        str_append(out, "; ");
        str_visible(out, sources->o->files.data[p.file]);
        str_printf(out, ":%" PRIu32 "\n", p.line);
    }
    str_append(out, str_text(&line));
    str_free(&line);
    sources->last = p;
}
