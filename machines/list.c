/* SPDX-License-Identifier: MIT
 * The kinds of machines that there are: their link halves.  The list of run halves is datapaths.c.
 * A program that has lists of its own, linked before these, has other kinds (tests/machines). */
#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/simt/link/simt_link.h"
#include "machines/golden/link/golden.h"
#include "machines/plane/link/plane.h"
#include "machines/slot/link/link.h"

const struct target_kind *const machine_target_kinds[] = {
    &technology_target_kind, &slot_kind_of_target, &dpu_target_kind,
    &simt_target_kind,       &golden_target_kind,  NULL};

const struct machine *const machine_list[] = {&plane_machine, &slot_kind_machine, &dpu_machine,
                                              &simt_machine,  &golden_machine,    NULL};
