/* SPDX-License-Identifier: MIT
 * Plane machines in the verification matrix, and their lists of micro-ops one by one. */
#ifndef MACHINES_PLANE_VERIFY_VERIFY_H
#define MACHINES_PLANE_VERIFY_VERIFY_H

#include "machines/plane/link/plane.h"
#include "machines/verify/verify.h"

/* The strict engine with recipes of one's choice, each list of micro-ops checked by verify_list. */
struct verify_plane {
    struct verify_machine machine;
    struct plane_library library;
};
/* Fills *plane and returns its machine; it points to all three. */
const struct verify_machine *plane_verify(struct verify_plane *plane, const struct target *target,
                                          const struct recipe_set *set);
/* For its `open`: the engine fused, each run composed at once. */
struct datapath *plane_verify_open_fused(const struct dp_setup *setup, struct diag *diag);

/* One list of micro-ops, wherever it comes from.
 * verify_list looks at it without running it: micro-ops that the target has, on places that their
 * `where` allows; no scratch or buffer plane read before it is written; nothing written but the
 * results below the width, under M and only then where the instruction is predicated; presets;
 * forwarding from the same micro-op of the neighbouring section; with `timed`, also that an order
 * exists in which one buffer per direction suffices (prepare has found one already).
 * plane_verify_run runs it, on all operand values where those are at most 2^16 and else on edges
 * and random values.  False after reporting. */
bool verify_list(const struct target *target, const struct insn *insn, bool masked,
                 const struct uop_list *list, bool timed, struct diag *diag);
bool plane_verify_run(const struct target *target, const struct insn *insn, bool masked,
                      const struct uop_list *list, uint64_t seed, struct diag *diag);

#endif
