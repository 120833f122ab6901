/* SPDX-License-Identifier: MIT
 * The baseline that the MPU is compared with (MPU paper, section VIII-B): the same datapath, whose
 * control instructions a host CPU carries out over a link.  docs/baseline.md says what is modelled
 * and how the one number of it was calibrated. */
#ifndef EMU_CONTROL_BASELINE_H
#define EMU_CONTROL_BASELINE_H

#include "isa-spec/isa.h"
#include "target/target.h"

/* True if the host takes an instruction in the place of the front end: headers, footers, jumps,
 * calls, loops, fences and messages.  Vector instructions and copies are dispatched as ever, and
 * MARK, PRINT, ASSERT, NOP, LANE and HALT, which decide nothing, are the front end's. */
bool control_host_takes(const struct target *t, enum mpu_op op);
/* Picoseconds of the host for an instruction: one round trip, or where it sends a stream and needs
 * no answer one word; 0 where it takes none. */
uint64_t control_host_cost_ps(const struct target *t, enum mpu_op op);
/* Energy of the CPU over a kernel of `time_ps`, of which it worked `host_ps`; 0 without it. */
uint64_t control_host_energy_fj(const struct target *t, uint64_t time_ps, uint64_t host_ps);

#endif
