/* SPDX-License-Identifier: MIT
 * MPUs, batches and VRFs as logs write them. */
#ifndef EMU_OBSERVE_RANGES_H
#define EMU_OBSERVE_RANGES_H

#include "emu/control/control.h"

/* "3", or "0+15" for MPU 0 and 15 others that go in step with it. */
void observe_step_mpus_text(const struct control_step *step, struct str *out);
/* "2"; "*" for all batches, which go in step; "-" outside of compute ensembles. */
void observe_step_batch_text(const struct control_step *step, struct str *out);
/* "MPU0.RFH1.VRF2", with "+7" for 7 more in the order of the machine, which has the VRFs of one
 * number RFH by RFH, then those of the next number, then the next MPU. */
void observe_vrfs_text(const struct target *target, uint32_t vrf, uint32_t count, struct str *out);

#endif
