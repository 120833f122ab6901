/* SPDX-License-Identifier: MIT
 * The baseline that the MPU is compared with (MPU paper, section VIII-B): the same datapath, whose
 * control instructions a host CPU carries out over a link.  docs/baseline.md says what is modelled
 * and how its one number was calibrated. */
#ifndef EMU_CONTROL_BASELINE_H
#define EMU_CONTROL_BASELINE_H

#include "isa-spec/isa.h"
#include "target/target.h"

/* True if the host carries out an instruction instead of the front end, which then has no slot for
 * it.  CONTROL_HOST: calls, loops and jumps that ask nobody, SEND and JUMP_ANY.  CONTROL_HOST_ALL:
 * headers, footers, fences and jumps on masks as well.  Vector instructions and copies are
 * dispatched as with an MPU, and MARK, PRINT, ASSERT, NOP, LANE and HALT, which decide nothing, are
 * the front end's.  CONTROL_STREAM: all but INDEX, which is the machine's as copies are; what is
 * sent is micro-ops. */
bool control_host_takes(const struct target *target, enum isa_op op);
/* Picoseconds of the host for each time that an instruction is carried out: a round trip; 0 where
 * the host does not take it, or needs no answer.  With CONTROL_HOST only JUMP_ANY and SEND take
 * any, with CONTROL_STREAM only jumps on masks and fences: the host knows what follows from the
 * text before it begins. */
uint64_t control_host_cost_ps(const struct target *target, enum isa_op op);
/* True if the host decides an instruction of a body on masks that come over its link.  Reading them
 * comes before, and takes as long as the MPU's evaluation fetching would. */
bool control_host_decides(const struct target *target, enum isa_op op);
/* Picoseconds of the way of so many lanes' masks to the host. */
uint64_t control_host_masks_ps(const struct target *target, uint64_t lanes);
/* Picoseconds of a decision for all batches of an ensemble that stand at a jump: one round trip
 * (with CONTROL_HOST_ALL one for each batch), and the way of the masks. */
uint64_t control_host_decision_ps(const struct target *target, uint64_t lanes);
/* Picoseconds of the host for a move that takes elements from MPU to MPU, which is a message. */
uint64_t control_host_crossing_ps(const struct target *target);
/* Energy of the CPU over a kernel of `time_ps`, of which it worked `host_ps`; 0 without it. */
uint64_t control_host_energy_fj(const struct target *target, uint64_t time_ps, uint64_t host_ps);

#endif
