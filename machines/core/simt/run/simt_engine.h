/* SPDX-License-Identifier: MIT
 * The run half of near-bank SIMT cores: memory, and kernels in it. */
#ifndef MACHINES_CORE_SIMT_RUN_SIMT_ENGINE_H
#define MACHINES_CORE_SIMT_RUN_SIMT_ENGINE_H

#include "machines/core/simt/run/core.h"
#include "machines/state/state.h"

/* What is counted, beside micro-ops. */
enum simt_counter {
    SIMT_COUNT_CYCLES,
    SIMT_COUNT_ISSUED,
    SIMT_COUNT_LANES,
    SIMT_COUNT_NEAR,
    SIMT_COUNT_MOVES,
    SIMT_COUNT_TSV_BYTES,
    SIMT_COUNT_TSV_CYCLES,
    SIMT_COUNT_READS,
    SIMT_COUNT_WRITES,
    SIMT_COUNT_HITS,
    SIMT_COUNT_MISSES,
    SIMT_COUNT_ROW_CONFLICTS,
    SIMT_COUNT_REMOTE,
    SIMT_COUNT_HOP_BYTES,
    SIMT_COUNT_LINK_BYTES,
    SIMT_COUNT_PASSES,
    SIMT_COUNT_CONFLICTS,
    SIMT_COUNT_LINES,
    SIMT_COUNT_BUSY,
    SIMT_COUNT_SUBCORES,
    SIMT_COUNT_CORES,
    SIMT_COUNT_RESIDENT,
    SIMT_COUNT_STALLS, /* by enum simt_stall */
    SIMT_COUNTERS = SIMT_COUNT_STALLS + SIMT_STALLS
};
/* Those of them that are counted by place. */
#define SIMT_PLACE_COUNTERS (14u + SIMT_STALLS)
/* The record of an event. */
struct simt_told {
    struct simt_issued issued;
    const struct simt_insn *insn;
    uint32_t pc; /* word */
};

struct simt_machine_state {
    struct lane_state state;
    struct state_memory memory;
    VEC(struct simt_program *) programs;
    struct dp_kind kinds[SIMT_ACTS];
    uint64_t counters[SIMT_COUNTERS];
    const char *place_names[SIMT_PLACE_COUNTERS];
    dp_observer *observer;
    void *context;
};

extern const struct datapath_ops simt_engine;

#endif
