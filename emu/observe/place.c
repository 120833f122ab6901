/* SPDX-License-Identifier: MIT */
#include "emu/observe/place.h"

#include <inttypes.h>

void observe_step_mpus_text(const struct control_step *s, struct str *out) {
    str_printf(out, "%" PRIu32, s->mpu);
    if (s->other_mpus)
        str_printf(out, "+%" PRIu32, s->other_mpus);
}

void observe_step_batch_text(const struct control_step *s, struct str *out) {
    if (s->batch != NO_INDEX)
        str_printf(out, "%" PRIu32, s->batch);
    else
        str_char(out, s->in_body ? '*' : '-');
}

void observe_vrfs_text(const struct target *t, uint32_t vrf, uint32_t count, struct str *out) {
    uint32_t per_mpu = target_vrfs_per_mpu(t), in_mpu = vrf % per_mpu;
    str_printf(out, "MPU%" PRIu32 ".RFH%" PRIu32 ".VRF%" PRIu32, vrf / per_mpu,
               in_mpu % t->rfh_per_mpu, in_mpu / t->rfh_per_mpu);
    if (count > 1)
        str_printf(out, "+%" PRIu32, count - 1);
}
