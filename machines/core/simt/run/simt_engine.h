/* SPDX-License-Identifier: MIT
 * The run half of near-bank SIMT cores: memory, kernels in it, and runs over lanes in banks. */
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
    SIMT_COUNT_TSV_MOVES,
    SIMT_COUNT_TSV_PACKETS,
    SIMT_COUNT_TSV_WHOLE,
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
    SIMT_COUNT_ISSUE_LIMIT,
    SIMT_COUNT_TSV_LIMIT,
    SIMT_COUNT_BANK_LIMIT,
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
    uint32_t pc;        /* word */
    uint32_t line;      /* of the kernel's file; 0: of none */
    const char *source; /* what it says that this was made from, and the line there; NULL */
    uint32_t source_line;
};

/* A table that runs look up, of which cores have copies. */
struct simt_core_table {
    uint32_t size;
    unsigned char *bytes; /* [size] */
    uint64_t address;     /* in the banks */
    uint8_t *there;       /* [cores]: they have it */
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
    /* Runs: where lanes lie, apart from the memory of kernels. */
    struct simt_layout layout;
    struct state_memory banks;
    uint64_t lanes_at; /* address of all lanes; 0: no run is prepared yet */
    uint32_t *valid;   /* [VRFs]: lanes 0 .. valid - 1 are */
    VEC(struct simt_core_table) tables;
    struct dp_code *codes;
};
static inline struct simt_machine_state *simt_machine_of(struct datapath *dp) {
    return (struct simt_machine_state *)(void *)dp;
}

/* ---- lane_banks.c: registers in banks ---- */

/* Arrays that a run is about, and those that it writes: registers; C, M and valid are always of the
 * first. */
struct simt_arrays {
    uint64_t registers, written;
    bool writes_c, writes_m;
};
/* False after reporting. */
bool simt_banks_open(struct simt_machine_state *machine, struct diag *diag);
void simt_banks_close(struct simt_machine_state *machine);
struct simt_run_vrf simt_banks_vrf(const struct simt_machine_state *machine, uint32_t vrf);
/* Valid lanes of a VRF go to the banks, or come back. */
void simt_banks_move(struct simt_machine_state *machine, uint32_t vrf,
                     const struct simt_arrays *arrays, bool back);
/* The machine's number of a table, which is new if none is like it; UINT32_MAX after reporting. */
uint32_t simt_banks_table(struct simt_machine_state *machine, const struct isa_lut *lut,
                          unsigned bytes, struct diag *diag);
/* The core has it from now on. */
void simt_banks_bring(struct simt_machine_state *machine, uint32_t table, uint32_t core);
void simt_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count);

/* ---- run_engine.c: runs ---- */

void simt_codes_free(struct simt_machine_state *machine);
struct dp_code *simt_prepare(struct datapath *dp, const struct dp_run *run, struct diag *diag);
void simt_describe(const struct datapath *dp, const struct dp_code *code,
                   struct dp_description *out);
void simt_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                  struct dp_moment begin, struct dp_outcome *out);
void simt_follow(struct datapath *dp, const struct dp_code *code,
                 const struct dp_description *about, const struct dp_issue *issue,
                 struct dp_times *out);
uint64_t simt_pass(struct datapath *dp, uint64_t clock, uint64_t ps);

/* ---- run_copies.c ---- */

void simt_copy(struct datapath *dp, const struct dp_transfer *transfer, struct dp_cost *cost);
void simt_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
              struct dp_cost *cost);

/* A launch of code as packages have kernels; false after reporting. */
bool simt_engine_launch_code(struct simt_machine_state *machine, const struct dp_launch *launch,
                             struct dp_cost *cost, struct diag *diag);

/* ---- stage_launch.c ---- */

bool simt_stage_launch(struct simt_machine_state *machine, const struct dp_launch *launch,
                       struct dp_cost *cost, struct diag *diag);

extern const struct datapath_ops simt_engine;

#endif
