/* SPDX-License-Identifier: MIT
 * Messages about recipes: in the file that the recipe stands in. */
#include "recipe/set.h"

#include <stdarg.h>

void recipe_error(struct diag *d, const struct recipe_file *file, struct span at,
                  const char *format, ...) {
    if (!d)
        return;
    va_list args;
    va_start(args, format);
    if (file)
        at.source = diag_source(d, file->name, file->text, file->size);
    diag_verror(d, at, format, args);
    va_end(args);
}
