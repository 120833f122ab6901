/* SPDX-License-Identifier: MIT
 * The packages that a command line asks for: --target, --size, --place and --finish, as all tools
 * that make packages have them. */
#ifndef LINKER_PACKAGE_PACKAGES_H
#define LINKER_PACKAGE_PACKAGES_H

#include "linker/package.h"
#include "support/options.h"

/* How a package is made at a place, reporting: emu/place, which the linker does not know. */
typedef struct package *package_maker(const struct object *program, const struct target *t,
                                      const struct machine_library *library,
                                      const struct size_binding *sizes, size_t size_count,
                                      enum group_place place, enum finish_choice finish,
                                      struct diag *d);

struct package_request {
    VEC(const char *) names;
    VEC(struct size_binding) sizes;
    bool placed; /* somebody said where; else auto */
    enum group_place place;
    bool finished; /* somebody said who finishes reductions; else auto */
    enum finish_choice finish;
    bool uncached; /* nothing is kept from one run to the next */
    package_maker *make;
    /* Of the names, in their order, once they are open. */
    struct open_target {
        struct target *target;
        struct machine_library *own;
        const struct machine_library *library; /* the same; a user may put another in its place */
    } * targets;
};

/* Their numbers in the option tables of tools, above all that a tool has itself. */
enum package_option {
    PACKAGE_TARGET = 1 << 24,
    PACKAGE_SIZE,
    PACKAGE_PLACE,
    PACKAGE_FINISH,
    PACKAGE_NO_CACHE,
};

/* Their rows of an option table, in a group of --help or below what stands before (NULL). */
/* clang-format off */
#define PACKAGE_OPTIONS(heading)                                                                   \
    {PACKAGE_TARGET, "--target", ARG_REQUIRED, "T[,T...]", heading,                                \
     "add a package for each target: a built-in name or a YAML file"},                             \
    {PACKAGE_SIZE, "--size", ARG_REQUIRED, "NAME=N[,...]", NULL,                                   \
     "value of a size of the program, 1 to 2^40, for the packages"},                               \
    {PACKAGE_PLACE, "--place", ARG_REQUIRED, "packed|spread|auto", NULL, \
     "where groups lie on the chip: packed into few MPUs, spread over all, or auto (default): "    \
     "what takes less time"},                                                                      \
    {PACKAGE_FINISH, "--finish", ARG_REQUIRED, "device|host|auto", NULL, \
     "who finishes reductions that the host may finish: device, host, or auto (default): whoever " \
     "takes less time"},                                                                           \
    PACKAGE_CACHE_OPTION
#define PACKAGE_CACHE_OPTION                                                                       \
    {PACKAGE_NO_CACHE, "--no-cache", ARG_NONE, NULL, NULL,                                         \
     "work everything out anew, and keep nothing of it for the next time"}
/* clang-format on */

/* Takes the value of one of them; texts go to the arena.  NULL, or what is wrong with the value. */
const char *package_request_take(struct package_request *request, const struct option_value *value,
                                 struct arena *arena);
/* Once all are taken: NULL, or which of them says something of packages where none is asked for. */
const char *package_request_misuse(const struct package_request *request);

/* Opens all targets.  EXIT_DONE; after reporting EXIT_USAGE for a name that no target has,
 * EXIT_FILE for a file that cannot be read, EXIT_REJECTED for one that is wrong. */
enum exit_code package_request_open(struct package_request *request, struct diag *diag);

/* Builds and attaches a package for each open target, each to the text that runs there, and shows
 * it to `made`.  False after
 * reporting; what no target runs is reported once. */
typedef void package_made(void *context, const struct package *p, const struct object *text,
                          const struct target *t);
bool package_request_build(const struct package_request *request, struct object *program,
                           package_made *made, void *context, struct diag *diag);

/* Adds the target files among the names to what a command reads. */
void package_request_files(const struct package_request *request, struct file_uses *files);
void package_request_free(struct package_request *request);

#endif
