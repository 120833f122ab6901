/* SPDX-License-Identifier: MIT
 * Where an instruction of finished text stands, for messages. */
#include "linker/where.h"
#include "support/diag.h"

#include <inttypes.h>

static bool has_line(const struct object *object, uint32_t index) {
    struct place p = object_place(object, index);
    return p.file < object->files.len && p.line;
}

/* The last label or subroutine at or before an instruction, the first of several at one place. */
static const struct symbol *label_before(const struct object *object, uint32_t index) {
    const struct symbol *best = NULL;
    for (size_t i = 0; i < object->symbols.len; i++) {
        const struct symbol *s = &object->symbols.data[i];
        if (s->defined && s->kind != SYMBOL_ABS && s->value >= 0 && s->value <= index &&
            (!best || s->value > best->value))
            best = s;
    }
    return best;
}

struct span link_text_span(const struct object *object, uint32_t index, struct diag *diag) {
    if (has_line(object, index))
        return object_span(object, object_place(object, index), diag);
    const struct symbol *s = label_before(object, index);
    const char *file =
        s && s->place.file < object->files.len ? object->files.data[s->place.file] : object->source;
    return file ? diag_line(diag, file, 0, 0) : NO_SPAN;
}

void link_note_where(const struct object *object, uint32_t index, struct diag *diag) {
    if (has_line(object, index))
        return;
    const struct symbol *s = label_before(object, index);
    uint32_t behind = s ? index - (uint32_t)s->value : 0;
    if (behind)
        diag_note(diag, object_span(object, s->place, diag),
                  "it stands %" PRIu32
                  " instruction%s behind '%s'; compile with -g to see its line",
                  behind, behind == 1 ? "" : "s", s->name);
    else if (s)
        diag_note(diag, object_span(object, s->place, diag),
                  "it stands at '%s'; compile with -g to see its line", s->name);
    else
        diag_note(diag, NO_SPAN, "compile with -g to see its line");
}
