/* SPDX-License-Identifier: MIT
 * Files that are compiled into the tools: isa-spec/targets/ *.yaml and isa-spec/recipes/ ** .
 * There is no search path and no environment variable. */
#ifndef ISA_SPEC_BUILTIN_H
#define ISA_SPEC_BUILTIN_H

#include <stddef.h>

struct builtin_file {
    const char *path; /* "targets/racer.yaml", "recipes/racer/arith.recipe" */
    const char *text; /* NUL behind it */
    size_t size;
};
/* Sorted by path; *count is set. */
const struct builtin_file *isa_builtin_files(size_t *count);
const struct builtin_file *isa_builtin_find(const char *path); /* NULL if there is none */

#endif
