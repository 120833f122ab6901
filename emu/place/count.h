/* SPDX-License-Identifier: MIT
 * What a program takes at one place. */
#ifndef EMU_PLACE_COUNT_H
#define EMU_PLACE_COUNT_H

#include "linker/package.h"

/* What all counts of a program together may cost the host, in control_config.max_work: a few
 * seconds. */
#define PLACE_WORK (UINT64_C(1) << 24)

struct place_count {
    bool known;              /* false: the machine cannot say, or the program stops on an error */
    bool whole;              /* the program came to its end; else it was counted up to `steps` */
    uint64_t time_ps;        /* of the kernel, and of what VRFs take to be set up */
    uint64_t established_ps; /* of these the latter */
    uint64_t steps;          /* of its first MPU, which are the same at all places */
    uint32_t mpus;           /* in use */
    bool laps;               /* some loop had PLACE_LAPS laps because its end depends on data */
};

/* No more than max_steps, 0: all, as far as max_work goes. */
struct place_count place_count(const struct object *program, const struct package *package,
                               const struct target *target, const struct machine_library *library,
                               uint64_t max_steps, uint64_t max_work);

#endif
