/* SPDX-License-Identifier: MIT
 * Packages whose sizes are all known: who finishes reductions, and where groups lie. */
#ifndef EMU_PLACE_FINISH_H
#define EMU_PLACE_FINISH_H

#include "linker/package.h"

/* As place_build, for the sizes as they are, or their defaults. */
struct package *place_finish(const struct object *program, const struct target *target,
                             const struct machine_library *library,
                             const struct size_binding *sizes, size_t size_count,
                             enum group_place asked, enum finish_choice finish, struct diag *diag);

#endif
