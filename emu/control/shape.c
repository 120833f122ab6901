/* SPDX-License-Identifier: MIT
 * How wide lanes are, before anything is put into them. */
#include "emu/control/control.h"
#include "emu/control/ensemble.h"

static void shape(const struct package *package, struct datapath *dp, uint32_t vrf, uint32_t kin) {
    const struct vrf_range one = {vrf, 1};
    if (vrf != NO_INDEX)
        dp->ops->shape(dp, (struct vrf_set){&one, 1}, package->kins[kin].slot);
}

/* Those of each MPU of the image. */
static void shape_fixed(const struct package *package, const struct target *target,
                        struct datapath *dp) {
    const struct ensemble_maker maker = {.package = package, .target = target};
    for (size_t i = 0; i < package->fixed_count; i++)
        for (uint32_t k = 0; k < package->image_count; k++)
            shape(package, dp,
                  control_fixed_vrf_number(&maker, package->image_first + k, package->fixed[i].rfh,
                                           package->fixed[i].vrf),
                  package_kin(package, NO_INDEX));
}

void control_shape(const struct package *package, const struct target *target,
                   struct datapath *dp) {
    if (!package->kins || !dp->ops->shape)
        return;
    for (size_t i = 0; i < package->placement_count; i++) {
        const struct placement *p = &package->placements[i];
        shape(package, dp, control_vrf_number(target, p->mpu, p->rfh, p->vrf),
              package_kin(package, p->group));
    }
    shape_fixed(package, target, dp);
}
