/* SPDX-License-Identifier: MIT
 * A target with its recipes, and whose fault it is when there is none. */
#include "recipe/recipe.h"
#include "target/load.h"
#include "support/file.h"

#include <stdlib.h>

static enum target_fault why_not_open(const char *name) {
    size_t size;
    if (!target_is_path(name))
        return TARGET_UNKNOWN;
    char *text = file_read(name, &size);
    free(text);
    return text ? TARGET_REJECTED : TARGET_UNREADABLE;
}

enum target_fault target_open_recipes(const char *name, const struct target_override *overrides,
                                      size_t count, struct diag *d, struct target **target,
                                      struct recipe_set **recipes) {
    *recipes = NULL;
    *target = target_open(name, overrides, count, d);
    if (!*target)
        return why_not_open(name);
    if (!(*target)->kind->costs)
        return TARGET_FINE;
    *recipes = recipe_set_open(*target, d);
    if (*recipes)
        return TARGET_FINE;
    target_free(*target);
    *target = NULL;
    return TARGET_REJECTED;
}
