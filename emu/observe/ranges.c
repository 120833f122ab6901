/* SPDX-License-Identifier: MIT
 * MPUs, batches and VRFs as lists of ranges. */
#include "emu/observe/ranges.h"

#include <inttypes.h>

void observe_step_mpus_text(const struct control_step *step, struct str *out) {
    str_printf(out, "%" PRIu32, step->mpu);
    if (step->other_mpus)
        str_printf(out, "+%" PRIu32, step->other_mpus);
}

void observe_step_batch_text(const struct control_step *step, struct str *out) {
    if (step->batch != NO_INDEX)
        str_printf(out, "%" PRIu32, step->batch);
    else
        str_char(out, step->in_body ? '*' : '-');
}

void observe_vrfs_text(const struct target *target, uint32_t vrf, uint32_t count, struct str *out) {
    uint32_t per_mpu = target_vrfs_per_mpu(target), in_mpu = vrf % per_mpu;
    str_printf(out, "MPU%" PRIu32 ".RFH%" PRIu32 ".VRF%" PRIu32, vrf / per_mpu,
               in_mpu % target->rfh_per_mpu, in_mpu / target->rfh_per_mpu);
    if (count > 1)
        str_printf(out, "+%" PRIu32, count - 1);
}
