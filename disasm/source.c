/* SPDX-License-Identifier: MIT
 * -l and -S: places and source lines before instructions. */
#include "disasm/dump.h"
#include "support/line_file.h"

#include <inttypes.h>
#include <string.h>

struct dump_sources {
    const struct object *o;
    struct line_file *files; /* [o->files] */
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
    for (size_t i = 0; i < sources->o->files.len; i++)
        line_file_free(&sources->files[i]);
    free(sources->files);
    free(sources);
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
    bool shown =
        (actions & DISASM_SOURCE) &&
        line_file_put(&sources->files[p.file], sources->o->files.data[p.file], p.line, &line);
    if (!shown || (actions & DISASM_LINES)) {
        str_append(out, "; ");
        str_visible(out, sources->o->files.data[p.file]);
        str_printf(out, ":%" PRIu32 "\n", p.line);
    }
    str_append(out, str_text(&line));
    str_free(&line);
    sources->last = p;
}
