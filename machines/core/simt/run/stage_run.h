/* SPDX-License-Identifier: MIT
 * A launch of a stage kernel: between stage_launch.c and stage_grids.c. */
#ifndef MACHINES_CORE_SIMT_RUN_STAGE_RUN_H
#define MACHINES_CORE_SIMT_RUN_STAGE_RUN_H

#include "machines/core/simt/run/simt_engine.h"
#include "machines/core/simt/runs/stage_words.h"

struct simt_stage_run {
    struct simt_machine_state *machine;
    const struct dp_launch *launch;
    struct dp_cost *cost;
    struct diag *diag;
    struct stage_kernel *text;
    uint64_t *scalars, *lengths; /* [parameters], [lengths] */
    uint64_t rows;
    /* The launch's own arrays: of rows, as many again for sums, and what stops a thread. */
    struct simt_stage_scratch scratches[SIMT_STAGE_SCRATCHES];
    uint32_t scratch_count;
    uint64_t scratch_at[SIMT_STAGE_SCRATCHES]; /* addresses */
    uint64_t sums_at, wrong_at;                /* 0: there is none */
};

/* False after reporting. */
bool simt_stage_open(struct simt_stage_run *run);
void simt_stage_close(struct simt_stage_run *run);
/* All grids of the launch, one after another. */
bool simt_stage_run_grids(struct simt_stage_run *run);

#endif
