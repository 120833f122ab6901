/* SPDX-License-Identifier: MIT
 * Elements of groups, by number and by place.  Numbers are those of the arrays of variables in the
 * group: the last axis runs fastest; the MPUs of the grid stand before the group's own axes where
 * it is per MPU. */
#ifndef LINKER_PACKAGE_ELEMENT_PLACE_H
#define LINKER_PACKAGE_ELEMENT_PLACE_H

#include "linker/package.h"
#include "target/target.h"

/* The placements of a group: [*first, *first + result). */
size_t package_group_placements(const struct package *package, uint32_t group, size_t *first);

/* Number of a VRF as the datapath has it. */
uint32_t package_placement_vrf(const struct target *target, const struct placement *placement);

/* The lane of an element; false where this round has no such element. */
struct element_lane {
    uint32_t vrf, lane;
};
bool package_find_element(const struct package *package, const struct target *target,
                          uint32_t group, uint64_t number, struct element_lane *out);

/* The axes of the group's arrays; returns how many. */
#define ELEMENT_MAX_DIMS (GRID_MAX_DIMS + GROUP_MAX_DIMS)
uint32_t package_group_axes(const struct package *package, const struct object *program,
                            uint32_t group, uint64_t axes[ELEMENT_MAX_DIMS]);

/* "[3, 77]", and "[3, 77:80]" for three elements; `count` is at least 1. */
void package_element_text(const struct package *package, const struct object *program,
                          uint32_t group, uint64_t number, uint64_t count, struct str *out);
/* Elements from this one to the end of the last axis. */
uint64_t package_elements_left(const struct package *package, const struct object *program,
                               uint32_t group, uint64_t number);

#endif
