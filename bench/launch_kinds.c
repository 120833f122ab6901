/* SPDX-License-Identifier: MIT
 * The kinds of machines that bench_launches knows: the suite's two with stored code. */
#include "machines/golden/link/golden.h"
#include "tests/machines/core/core.h"
#include "tests/machines/turns/turns.h"

const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &core_kind,
                                                          &turns_kind, NULL};
const struct machine *const machine_list[] = {&golden_machine, &core_machine, &turns_machine, NULL};
const struct machine_form *const core_forms[] = {&core_form, NULL};

static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&core_engine, NULL};
static const struct datapath_ops *const turns_engines[] = {&turns_engine, NULL};
const struct datapath_kind datapath_kinds[] = {{"golden", golden_engines},
                                               {"toy-core", core_engines},
                                               {"toy-turns", turns_engines},
                                               {NULL, NULL}};
