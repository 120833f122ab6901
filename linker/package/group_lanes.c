/* SPDX-License-Identifier: MIT
 * How many elements a VRF holds (docs/linking.md, "Groups"): the machine says it for a kin of
 * groups, those that share VRFs, from the registers that are used in them. */
#include "linker/package/kin_use.h"

static struct lanes_found package_find_lanes(const struct object *object,
                                             const struct package *package,
                                             const struct target *target,
                                             const struct machine *machine, struct arena *arena) {
    struct arena scratch = {0};
    uint32_t groups = (uint32_t)object->groups.len;
    struct kin_use k;
    struct lanes_found found = {.of_group = ARENA_ARRAY(arena, groups, uint32_t)};
    found.most = machine_lanes(machine, target, package->reg_bits);
    found.fixed = machine_fixed_lanes(machine, target, package->reg_bits);
    if (object->geometry.lanes > found.most && object->geometry.lanes <= found.fixed)
        found.most = object->geometry.lanes;
    package_find_kin_use(object, package->text, &scratch, &k);
    for (uint32_t g = 0; g < groups; g++) {
        bool fixed = object->groups.data[k.leader[g]].at_rfh != NO_INDEX;
        uint32_t *lanes = &found.of_group[g];
        *lanes = fixed ? object->geometry.lanes : package_lanes_of(&k, package, target, machine, g);
        found.most = *lanes > found.most && !fixed ? *lanes : found.most;
    }
    arena_free(&scratch);
    return found;
}

void package_build_lanes(struct pack *pack) {
    pack->lanes =
        package_find_lanes(pack->program, pack->p, pack->t, pack->library->machine, &pack->scratch);
    pack->p->lanes = pack->lanes.most;
}

bool package_lanes_possible(const struct object *object, const struct package *package,
                            const struct target *target, const struct machine_library *library) {
    struct arena scratch = {0};
    struct lanes_found have =
        package_find_lanes(object, package, target, library->machine, &scratch);
    bool possible = target->spread == SPREAD_EVEN ? package->lanes <= have.most
                                                  : package->lanes == have.most;
    for (uint32_t g = 0; g < object->groups.len; g++)
        possible &= package->group_lanes[g] <= have.of_group[g];
    arena_free(&scratch);
    return possible;
}
