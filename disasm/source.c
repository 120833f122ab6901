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

struct dump_sources *disasm_sources_new(const struct object *o) {
    struct dump_sources *s = xcalloc(1, sizeof *s);
    s->o = o;
    s->files = xcalloc(o->files.len + 1, sizeof *s->files);
    s->last.file = NO_INDEX;
    return s;
}

void disasm_sources_free(struct dump_sources *s) {
    for (size_t i = 0; i < s->o->files.len; i++) {
        free(s->files[i].text);
        vec_free(&s->files[i].starts);
    }
    free(s->files);
    free(s);
}

/* Standard input cannot be read again. */
static void load(struct source_text *t, const char *name) {
    t->tried = true;
    t->text = strcmp(name, "-") == 0 ? NULL : file_read(name, &t->size);
    if (!t->text)
        return;
    vec_push(&t->starts, 0);
    for (size_t i = 0; i + 1 < t->size; i++)
        if (t->text[i] == '\n')
            vec_push(&t->starts, i + 1);
}

/* False if the line is not there to be shown. */
static bool put_line(struct dump_sources *s, struct place p, struct str *out) {
    struct source_text *t = &s->files[p.file];
    if (!t->tried)
        load(t, s->o->files.data[p.file]);
    if (!t->text || p.line == 0 || p.line > t->starts.len)
        return false;
    const char *line = t->text + t->starts.data[p.line - 1];
    size_t left = t->size - t->starts.data[p.line - 1];
    const char *end = memchr(line, '\n', left);
    size_t n = end ? (size_t)(end - line) : left;
    str_append(out, "; ");
    str_append_n(out, line, n && line[n - 1] == '\r' ? n - 1 : n);
    str_char(out, '\n');
    return true;
}

void disasm_source_before(struct dump_sources *s, uint32_t index, unsigned actions,
                          struct str *out) {
    if (!(actions & (DISASM_SOURCE | DISASM_LINES)))
        return;
    struct place p = object_place(s->o, index);
    if (p.file >= s->o->files.len || (p.file == s->last.file && p.line == s->last.line))
        return;
    struct str line = {0};
    bool shown = (actions & DISASM_SOURCE) && put_line(s, p, &line);
    if (!shown || (actions & DISASM_LINES))
        str_printf(out, "; %s:%" PRIu32 "\n", s->o->files.data[p.file], p.line);
    str_append(out, str_text(&line));
    str_free(&line);
    s->last = p;
}
