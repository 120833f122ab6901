/* SPDX-License-Identifier: MIT
 * The list of cores' own instruction sets. */
#include "machines/syntax.h"
#include "machines/core/dpu/dpu_tools.h"
#include "machines/core/simt/simt_tools.h"

#include <string.h>

static const struct machine_syntax *const list[] = {&dpu_syntax, &simt_syntax};
#define COUNT (sizeof list / sizeof *list)

const struct machine_syntax *machine_syntax_named(const char *name) {
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}
const struct machine_syntax *machine_syntax_of(const void *bytes, size_t size) {
    for (size_t i = 0; i < COUNT; i++)
        if (list[i]->has(bytes, size))
            return list[i];
    return NULL;
}
