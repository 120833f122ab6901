/* SPDX-License-Identifier: MIT
 * The kinds of machines that tools know: link halves and run halves of golden and of the core.  A
 * kind that becomes a part of the project stands in machines/list.c and machines/datapaths.c. */
#include "core.h"

#include "machines/golden/link/golden.h"

const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &core_kind, NULL};
const struct machine *const machine_list[] = {&golden_machine, &core_machine, NULL};
const struct machine_form *const core_forms[] = {&core_form, NULL};

static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&core_engine, NULL};
const struct datapath_kind datapath_kinds[] = {
    {"golden", golden_engines}, {"toy-core", core_engines}, {NULL, NULL}};
