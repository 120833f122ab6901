/* SPDX-License-Identifier: MIT
 * Why a recipe cannot be mapped: the first reason alone is said. */
#include "recipe/map/derive.h"
#include "recipe/map/memo.h"

bool mapping_fail(struct mapping *m, struct span at, const char *format, ...) {
    struct arena text = {0};
    va_list args;
    va_start(args, format);
    if (!m->failed)
        recipe_error(m->diag, m->source->unit.file, at, "%s: %s", m->source->unit.name,
                     arena_vprintf(&text, format, args));
    va_end(args);
    arena_free(&text);
    m->failed = true;
    return false;
}
