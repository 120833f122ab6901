/* SPDX-License-Identifier: MIT
 * Messages about recipes: in the file that the recipe stands in. */
#include "recipe/set/set.h"

#include <stdarg.h>

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
