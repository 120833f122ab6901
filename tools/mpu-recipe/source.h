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

/* Which recipes; zeroed: those in use on the target as it is. */
struct source_choice {
    const struct target_override *overrides; /* [override_count], of the target */
    size_t override_count;
    const struct recipe_text *file; /* its recipes override; NULL */
    bool mapped;                    /* as the mapping makes them, without a file */
    bool programs; /* a target of another kind will do if its machine shows programs */
    bool any;      /* .. or if it has costs */
};
/* EXIT_DONE, else after reporting EXIT_USAGE for a name that no target has, EXIT_FILE for a file
 * that cannot be read, EXIT_REJECTED. */
enum exit_code source_open(struct recipe_source *source, const char *target,
                           const struct source_choice *choice, struct diag *diag);
/* Names of the instructions that the file declares. */
const struct isa_users *source_users(const struct recipe_source *source);
void source_close(struct recipe_source *source);

#endif
