/* SPDX-License-Identifier: MIT
 * From numbers of elements to places and texts. */
#include "linker/package/element_place.h"

#include "support/str.h"

/* The first placement of this group or one behind it. */
static size_t first_from(const struct package *package, uint32_t group) {
    size_t low = 0, high = package->placement_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (package->placements[mid].group < group)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

size_t package_group_placements(const struct package *package, uint32_t group, size_t *first) {
    *first = first_from(package, group);
    return first_from(package, group + 1) - *first;
}

uint32_t package_placement_vrf(const struct target *target, const struct placement *placement) {
    return placement->mpu * target_vrfs_per_mpu(target) + placement->vrf * target->rfh_per_mpu +
           placement->rfh;
}

bool package_find_element(const struct package *package, const struct target *target,
                          uint32_t group, uint64_t number, struct element_lane *out) {
    size_t low, count = package_group_placements(package, group, &low), high = low + count;
    while (low < high) { /* the one that has it, if any has, is among low .. high - 1 */
        size_t mid = low + (high - low) / 2;
        const struct placement *p = &package->placements[mid];
        if (number < p->first) {
            high = mid;
        } else if (number - p->first >= p->count) {
            low = mid + 1;
        } else {
            *out = (struct element_lane){package_placement_vrf(target, p),
                                         (uint32_t)(number - p->first)};
            return true;
        }
    }
    return false;
}

uint32_t package_group_axes(const struct package *package, const struct object *program,
                            uint32_t group, uint64_t axes[ELEMENT_MAX_DIMS]) {
    const struct group *g = &program->groups.data[group];
    uint32_t n = 0;
    for (uint32_t i = 0; g->per_mpu && i < program->geometry.grid_dims; i++)
        axes[n++] = program->geometry.grid[i];
    for (uint32_t i = 0; i < g->ndim; i++)
        axes[n++] = g->extent[i].size == NO_INDEX ? g->extent[i].value
                                                  : (uint64_t)package->sizes[g->extent[i].size];
    return n;
}

void package_element_text(const struct package *package, const struct object *program,
                          uint32_t group, uint64_t number, uint64_t count, struct str *out) {
    uint64_t axes[ELEMENT_MAX_DIMS], at[ELEMENT_MAX_DIMS];
    uint32_t n = package_group_axes(package, program, group, axes);
    for (uint32_t i = n; i-- > 0;) {
        at[i] = i && axes[i] ? number % axes[i] : number;
        number = axes[i] ? number / axes[i] : 0;
    }
    for (uint32_t i = 0; i < n; i++)
        str_printf(out, "%s%llu", i ? ", " : "[", (unsigned long long)at[i]);
    if (count > 1)
        str_printf(out, ":%llu", (unsigned long long)(at[n - 1] + count));
    str_char(out, ']');
}

uint64_t package_elements_left(const struct package *package, const struct object *program,
                               uint32_t group, uint64_t number) {
    uint64_t axes[ELEMENT_MAX_DIMS];
    uint64_t last = axes[package_group_axes(package, program, group, axes) - 1];
    return last ? last - number % last : 1;
}
