/* SPDX-License-Identifier: MIT
 * What is said of an expansion: which recipe, at which width, and which place. */
#include "recipe/expand/walk.h"

#include <stdarg.h>
#include <string.h>

/* What stands against a recipe is often a condition of the target's file, and the error stands in
 * the recipe: where the file has its micro-ops. */
static void note_conditions(const struct expansion *expansion, const char *text) {
    const char *place = plane_target(expansion->set->target)->ops_place;
    if (place && strstr(text, "'where'"))
        diag_note(expansion->diag, NO_SPAN, "'where' is said of micro-ops: %s: 'ops'", place);
}

static void expansion_verror(const struct expansion *expansion, const struct recipe_unit *unit,
                             struct span at, const char *format, va_list args) {
    if (!expansion->diag)
        return;
    struct arena scratch = {0};
    const struct recipe_unit *whole = &expansion->recipe->unit;
    const char *text = arena_vprintf(&scratch, format, args);
    recipe_error(expansion->diag, unit->file, at, "%s: %s", whole->name, text);
    expand_note(expansion, whole, whole->at, "at width %u", expansion->w);
    note_conditions(expansion, text);
    arena_free(&scratch);
}

void expand_error(const struct expansion *expansion, const struct recipe_unit *unit, struct span at,
                  const char *format, ...) {
    va_list args;
    va_start(args, format);
    expansion_verror(expansion, unit, at, format, args);
    va_end(args);
}

void expand_note(const struct expansion *expansion, const struct recipe_unit *unit, struct span at,
                 const char *format, ...) {
    struct arena scratch = {0};
    va_list args;
    if (!expansion->diag)
        return;
    va_start(args, format);
    if (unit->file)
        at.source =
            diag_source(expansion->diag, unit->file->name, unit->file->text, unit->file->size);
    diag_note(expansion->diag, at, "%s", arena_vprintf(&scratch, format, args));
    va_end(args);
    arena_free(&scratch);
}

bool expand_walk_fail(struct section_machine *machine, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!machine->failed)
        expansion_verror(machine->x, machine->frame->unit, at, format, args);
    va_end(args);
    machine->failed = true;
    return false;
}

const char *expand_place_name(struct arena *arena, const struct expansion *expansion,
                              uint32_t place) {
    const struct recipe_unit *u = &expansion->recipe->unit;
    const struct uop_value *v;
    uint32_t payload = PLACE_PAYLOAD(place);
    struct signature s;
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        notation_signature(expansion->recipe->op, &s);
        for (unsigned i = 0; i < s.in_count + s.out_count; i++)
            if ((i < s.in_count ? s.in[i] : s.out[i - s.in_count]) == payload >> 6)
                return arena_printf(arena, "'%s[%u]'",
                                    i < s.in_count ? u->in[i].name : u->out[i - s.in_count].name,
                                    payload & 63);
        return "a register";
    case PLANE_SCRATCH:
        v = &expansion->list.values.data[payload];
        return v->named ? arena_printf(
                              arena, "row '%s'",
                              plane_target(expansion->set->target)->row_classes[v->class - 1].name)
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
