/* SPDX-License-Identifier: MIT
 * Where something stands, for messages: of finished text, of an input, of a package's text. */
#include "linker/where.h"
#include "linker/link.h"
#include "linker/pack.h"

#include <inttypes.h>

static bool has_line(const struct object *o, uint32_t index) {
    struct place p = object_place(o, index);
    return p.file < o->files.len && p.line;
}

/* The last label or subroutine at or before an instruction, the first of several at one place. */
static const struct symbol *label_before(const struct object *o, uint32_t index) {
    const struct symbol *best = NULL;
    for (size_t i = 0; i < o->symbols.len; i++) {
        const struct symbol *s = &o->symbols.data[i];
        if (s->defined && s->kind != SYMBOL_ABS && s->value >= 0 && s->value <= index &&
            (!best || s->value > best->value))
            best = s;
    }
    return best;
}

struct span link_text_span(const struct object *o, uint32_t index, struct diag *d) {
    if (has_line(o, index))
        return object_span(o, object_place(o, index), d);
    const struct symbol *s = label_before(o, index);
    const char *file = s && s->place.file < o->files.len ? o->files.data[s->place.file] : o->source;
    return file ? diag_line(d, file, 0, 0) : NO_SPAN;
}

void link_note_where(const struct object *o, uint32_t index, struct diag *d) {
    if (has_line(o, index))
        return;
    const struct symbol *s = label_before(o, index);
    uint32_t behind = s ? index - (uint32_t)s->value : 0;
    if (behind)
        diag_note(d, object_span(o, s->place, d),
                  "it stands %" PRIu32
                  " instruction%s behind '%s'; compile with -g to see its line",
                  behind, behind == 1 ? "" : "s", s->name);
    else if (s)
        diag_note(d, object_span(o, s->place, d),
                  "it stands at '%s'; compile with -g to see its line", s->name);
    else
        diag_note(d, NO_SPAN, "compile with -g to see its line");
}

struct place link_place_out(const struct link_input *in, struct place p) {
    if (p.file != NO_INDEX)
        p.file = in->files[p.file];
    return p;
}

const char *link_input_name(const struct link_input *in) {
    return in->o->source ? in->o->source : "an object without a name";
}

struct span link_span_of(const struct link *l, uint32_t index) {
    return link_text_span(l->out, index, l->d);
}

struct span package_pack_span(const struct pack *k, uint32_t index) {
    return link_text_span(k->program, index, k->d);
}
