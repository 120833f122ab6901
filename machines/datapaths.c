/* SPDX-License-Identifier: MIT
 * The run halves of the kinds of machines that there are; list.c has their link halves. */
#include "machines/core/dpu/run/dpu_machine.h"
#include "machines/core/simt/run/simt_engine.h"
#include "machines/plane/run/plane.h"
#include "machines/slot/run/slot.h"

static const struct datapath_ops *const plane_engines[] = {&plane_strict_ops, &plane_fused_ops,
                                                           NULL};
static const struct datapath_ops *const slot_engines[] = {&slot_engine, NULL};
static const struct datapath_ops *const dpu_engines[] = {&dpu_engine, NULL};
static const struct datapath_ops *const simt_engines[] = {&simt_engine, NULL};
static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};

const struct datapath_kind datapath_kinds[] = {{"plane", plane_engines},   {"slot", slot_engines},
                                               {"core", dpu_engines},      {"simt", simt_engines},
                                               {"golden", golden_engines}, {NULL, NULL}};
