/* SPDX-License-Identifier: MIT
 * Messages about recipes: in the file that the recipe stands in; keys of the target that they speak
 * of have a note. */
#include "recipe/set/set.h"

#include <stdarg.h>
#include <string.h>

void recipe_error(struct diag *diag, const struct recipe_file *file, struct span at,
                  const char *format, ...) {
    if (!diag)
        return;
    va_list args;
    va_start(args, format);
    if (file)
        at.source = diag_source(diag, file->name, file->text, file->size);
    diag_verror(diag, at, format, args);
    va_end(args);
}

void recipe_note_keys(struct diag *diag, const struct target *target, const char *text) {
    for (size_t i = 0; diag && i < target->key_count; i++) {
        const struct target_key *k = &target->keys[i];
        const char *dot = strchr(k->path, '.');
        if (dot && strstr(text, k->path))
            diag_note(diag, NO_SPAN, "'%s' is %s: %s", k->path, k->value,
                      k->place ? k->place : target->name);
    }
}
