/* SPDX-License-Identifier: MIT
 * The packages that a command line asks for: --target T[,T...] and --size NAME=N[,...]. */
#ifndef LINKER_PACKAGES_H
#define LINKER_PACKAGES_H

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
    package_maker *make;
    /* Of the names, in their order, once they are open. */
    struct open_target {
        struct target *target;
        struct machine_library *own;
        const struct machine_library *library; /* the same; a user may put another in its place */
    } * targets;
};

/* Take the value of --target, --size, --place or --finish; texts go to the arena.  False if it is
 * malformed.
 */
bool package_request_targets(struct package_request *request, const char *list,
                             struct arena *arena);
bool package_request_sizes(struct package_request *request, const char *list, struct arena *arena);

bool package_request_place(struct package_request *request, const char *name);
bool package_request_finish(struct package_request *request, const char *name);

/* Opens all targets.  EXIT_DONE; after reporting EXIT_USAGE for a name that no target has,
 * EXIT_FILE for a file that cannot be read, EXIT_REJECTED for one that is wrong. */
enum exit_code package_request_open(struct package_request *request, struct diag *diag);

/* Builds and attaches a package for each open target, and shows each to `made`.  False after
 * reporting; what no target runs is reported once. */
typedef void package_made(void *context, const struct package *p, const struct target *t);
bool package_request_build(const struct package_request *request, struct object *program,
                           package_made *made, void *context, struct diag *diag);

void package_request_free(struct package_request *request);

#endif
