/* SPDX-License-Identifier: MIT
 * The kinds of machines that tools know: link halves and run halves of golden and of this one. */
#include "tests/machines/turns/turns.h"

#include "machines/golden/link/golden.h"

const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &turns_kind, NULL};
const struct machine *const machine_list[] = {&golden_machine, &turns_machine, NULL};

static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const turns_engines[] = {&turns_engine, NULL};
const struct datapath_kind datapath_kinds[] = {
    {"golden", golden_engines}, {"toy-turns", turns_engines}, {NULL, NULL}};
