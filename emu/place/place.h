/* SPDX-License-Identifier: MIT
 * Packages with groups at the place that is asked for (docs/linking.md, "Places").  What `auto`
 * comes to is counted by the control path and the timing model themselves, on a machine that says
 * what things cost and computes nothing. */
#ifndef EMU_PLACE_PLACE_H
#define EMU_PLACE_PLACE_H

#include "linker/package.h"

/* Laps that a loop has whose end depends on data. */
#define PLACE_LAPS 8
/* A place that takes longer than the best by no more than one part of so many is as good. */
#define PLACE_TOLERANCE 50

/* As package_build; `auto` chooses: of the places that are as good as the best the one with fewest
 * MPUs, which takes least energy; of in place and by the host (finish.c) what takes less time. */
struct package *place_build(const struct object *program, const struct target *target,
                            const struct machine_library *library, const struct size_binding *sizes,
                            size_t size_count, enum group_place asked, enum finish_choice finish,
                            struct diag *diag);
/* The same when it is known what the host finishes. */
struct package *place_groups(const struct object *program, const struct target *target,
                             const struct machine_library *library,
                             const struct size_binding *sizes, size_t size_count,
                             enum group_place asked, const struct package_finish *finish,
                             struct diag *diag);

#endif
