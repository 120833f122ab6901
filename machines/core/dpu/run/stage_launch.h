/* SPDX-License-Identifier: MIT
 * Launches of stage kernels on DPUs: what the host does before and after. */
#ifndef MACHINES_CORE_DPU_RUN_STAGE_LAUNCH_H
#define MACHINES_CORE_DPU_RUN_STAGE_LAUNCH_H

#include "machines/core/dpu/run/dpu_machine.h"
#include "stage/stage.h"
#include "target/host.h"

/* A launch at work. */
struct dpu_stage_launch {
    struct stored_dp *machine;
    const struct dp_launch *x;
    const struct dpu_stage_plan *plan;
    struct stage_kernel *text;
    uint64_t *scalars;                  /* [parameters] */
    uint64_t *lengths;                  /* [lengths]: of filters at most */
    uint32_t *per;                      /* [lengths]: elements of each in a row */
    uint32_t units;                     /* DPUs that have something to do */
    uint64_t scratch, stride;           /* MRAM for what is kept, then for parts */
    uint64_t *kept_at, *parts_at;       /* [blocks], [parts]: in there */
    uint64_t out_ps, out_fj, out_bytes; /* of transfers, over the host's link */
};

/* False after reporting: arguments are wrong, or there is no MRAM. */
bool dpu_stage_open(struct dpu_stage_launch *s, struct stored_dp *m, const struct dp_launch *x,
                    const struct dpu_stage_plan *plan, struct diag *d);
/* One transfer of all slices, if there are any. */
void dpu_stage_charge(struct dpu_stage_launch *s, enum host_way way,
                      const struct host_slice *slices, size_t count);
void dpu_stage_close(struct dpu_stage_launch *s);
/* A DPU of the launch gets its words. */
void dpu_stage_begin(const struct dpu_stage_launch *s, const struct stored_unit *u,
                     struct dpu_core *core);
/* Parts come together in buffers.  False after reporting. */
bool dpu_stage_end(struct dpu_stage_launch *s, struct diag *d);
/* What a core says that has stopped by itself: which element, which index.  False: it is not for a
 * reason of the plan's. */
bool dpu_stage_explain(const struct dpu_stage_launch *s, const struct stored_unit *u,
                       const struct dpu_core *core, struct str *out);

#endif
