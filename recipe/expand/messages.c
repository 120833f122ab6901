/* SPDX-License-Identifier: MIT
 * What is said of an expansion: which recipe, at which width, and which place. */
#include "recipe/expand/walk.h"

#include <stdarg.h>

static void expansion_verror(const struct expansion *x, const struct recipe_unit *u, struct span at,
                             const char *format, va_list args) {
    if (!x->diag)
        return;
    struct arena scratch = {0};
    const struct recipe_unit *whole = &x->recipe->unit;
    recipe_error(x->diag, u->file, at, "%s: %s", whole->name,
                 arena_vprintf(&scratch, format, args));
    expand_note(x, whole, whole->at, "at width %u", x->w);
    arena_free(&scratch);
}

void expand_error(const struct expansion *x, const struct recipe_unit *u, struct span at,
                  const char *format, ...) {
    va_list args;
    va_start(args, format);
    expansion_verror(x, u, at, format, args);
    va_end(args);
}

void expand_note(const struct expansion *x, const struct recipe_unit *u, struct span at,
                 const char *format, ...) {
    struct arena scratch = {0};
    va_list args;
    if (!x->diag)
        return;
    va_start(args, format);
    if (u->file)
        at.source = diag_source(x->diag, u->file->name, u->file->text, u->file->size);
    diag_note(x->diag, at, "%s", arena_vprintf(&scratch, format, args));
    va_end(args);
    arena_free(&scratch);
}

bool expand_walk_fail(struct section_machine *m, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!m->failed)
        expansion_verror(m->x, m->frame->unit, at, format, args);
    va_end(args);
    m->failed = true;
    return false;
}

const char *expand_place_name(struct arena *a, const struct expansion *x, uint32_t place) {
    const struct recipe_unit *u = &x->recipe->unit;
    const struct uop_value *v;
    uint32_t payload = PLACE_PAYLOAD(place);
    struct signature s;
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        notation_signature(x->recipe->op, &s);
        for (unsigned i = 0; i < s.in_count + s.out_count; i++)
            if ((i < s.in_count ? s.in[i] : s.out[i - s.in_count]) == payload >> 6)
                return arena_printf(a, "'%s[%u]'",
                                    i < s.in_count ? u->in[i].name : u->out[i - s.in_count].name,
                                    payload & 63);
        return "a register";
    case PLANE_SCRATCH:
        v = &x->list.values.data[payload];
        return v->named ? arena_printf(a, "row '%s'",
                                       plane_target(x->set->target)->row_classes[v->class - 1].name)
                        : "a scratch value";
    case PLANE_CONST:
        return payload ? "constant 1" : "constant 0";
    case PLANE_C:
        return "'C'";
    case PLANE_M:
        return "'M'";
    case PLANE_VALID:
        return "'valid'";
    default:
        return "a carry";
    }
}
