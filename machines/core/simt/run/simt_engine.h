/* SPDX-License-Identifier: MIT
 * The run half of near-bank SIMT cores: memory, and kernels in it.  What they cost is not known. */
#ifndef MACHINES_CORE_SIMT_RUN_SIMT_ENGINE_H
#define MACHINES_CORE_SIMT_RUN_SIMT_ENGINE_H

#include "machines/core/simt/run/core.h"
#include "machines/state/state.h"

struct simt_machine_state {
    struct lane_state state;
    struct state_memory memory;
    VEC(struct simt_program *) programs;
};

extern const struct datapath_ops simt_engine;

#endif
