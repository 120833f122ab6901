/* SPDX-License-Identifier: MIT
 * Targets with their recipes, as the command line names them. */
#ifndef TOOLS_MPU_RECIPE_SOURCE_H
#define TOOLS_MPU_RECIPE_SOURCE_H

#include "machines/plane/link/plane.h"
#include "support/options.h"

/* A file of recipes in memory. */
struct recipe_text {
    const char *name; /* for messages */
    char *text;
    size_t size;
};

/* EXIT_DONE, or EXIT_FILE after reporting. */
enum exit_code source_text_read(struct recipe_text *text, const char *path, struct diag *diag);
void source_text_free(struct recipe_text *text);

struct recipe_source {
    struct target *target;
    struct machine_library *library;
    const struct recipe_set
        *recipes; /* of the library, or own_recipes; NULL: not a plane machine */
    struct recipe_set *own_recipes;
};

/* The recipes in use on a target; with `file` (may be NULL) those of the file override; `mapped`
 * (without a file): as the mapping makes them; `any`: a target of another kind has none, and that
 * is fine, if it has costs.  EXIT_DONE, else after reporting EXIT_USAGE for a name that no target
 * has, EXIT_FILE for a file that cannot be read, EXIT_REJECTED. */
enum exit_code source_open(struct recipe_source *source, const char *target, bool mapped, bool any,
                           const struct recipe_text *file, struct diag *diag);
void source_close(struct recipe_source *source);

#endif
