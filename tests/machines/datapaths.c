/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/plane.h"
#include "tests/machines/core/core.h"

static const struct datapath_ops *const plane_engines[] = {&plane_strict_ops, NULL};
static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&core_engine, NULL};

const struct datapath_kind datapath_kinds[] = {
    {"plane", plane_engines}, {"golden", golden_engines}, {"toy-core", core_engines}, {NULL, NULL}};
