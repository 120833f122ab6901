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

/* Standard input cannot be read again. */
static void load(struct source_text *text, const char *name) {
    text->tried = true;
    text->text = strcmp(name, "-") == 0 ? NULL : file_read_text(name, &text->size);
    if (!text->text)
        return;
    vec_push(&text->starts, 0);
    for (size_t i = 0; i + 1 < text->size; i++)
        if (text->text[i] == '\n')
            vec_push(&text->starts, i + 1);
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
    str_append_n(out, line, n && line[n - 1] == '\r' ? n - 1 : n);
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
    if (!shown || (actions & DISASM_LINES))
        str_printf(out, "; %s:%" PRIu32 "\n", sources->o->files.data[p.file], p.line);
    str_append(out, str_text(&line));
    str_free(&line);
    sources->last = p;
}
