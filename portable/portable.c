/* SPDX-License-Identifier: MIT
 * The interpreter of a form, by its name. */
#include "portable/portable.h"

#include <string.h>

const struct portable_form *portable_find(const char *name) {
    for (size_t i = 0; portable_list[i]; i++)
        if (strcmp(portable_list[i]->name, name) == 0)
            return portable_list[i];
    return NULL;
}
