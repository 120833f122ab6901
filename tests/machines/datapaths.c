/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/plane.h"
#include "tests/machines/core/core.h"
#include "tests/machines/slot/run.h"

static const struct datapath_ops *const plane_engines[] = {&plane_strict_ops, NULL};
static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&core_engine, NULL};
static const struct datapath_ops *const slot_engines[] = {&slot_ops, NULL};

const struct datapath_kind datapath_kinds[] = {{"plane", plane_engines},
                                               {"golden", golden_engines},
                                               {"toy-core", core_engines},
                                               {"toy-slot", slot_engines},
                                               {NULL, NULL}};
