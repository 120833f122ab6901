/* SPDX-License-Identifier: MIT
 * The kinds of machines of the tests: those of machines/list.c, and toys.  Their run halves stand
 * in datapaths.c. */
#include "machines/golden/link/golden.h"
#include "machines/plane/link/plane.h"
#include "tests/machines/core/core.h"
#include "tests/machines/slot/slot.h"

const struct target_kind *const machine_target_kinds[] = {
    &technology_target_kind, &golden_target_kind, &core_kind, &slot_target_kind, NULL};

const struct machine *const machine_list[] = {&plane_machine, &golden_machine, &core_machine,
                                              &slot_machine, NULL};
