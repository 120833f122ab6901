/* SPDX-License-Identifier: MIT
 * Stage kernels as programs of a DPU: blocks of rows through WRAM, a tasklet's one behind the
 * other. */
#ifndef MACHINES_CORE_DPU_RUNS_STAGE_LOOP_H
#define MACHINES_CORE_DPU_RUNS_STAGE_LOOP_H

#include "machines/core/dpu/stage_plan.h"
#include "machines/core/scalar/emit.h"
#include "machines/core/scalar/stage.h"

struct dpu_stage_loop {
    const struct stage_kernel *kernel;
    const uint64_t *elements; /* [array_count]: of buffers that are seen whole, at most */
    uint32_t tasklets;        /* as many, or fewer where WRAM is short */
    uint32_t wram_bytes, iram_words;
    uint32_t rows;          /* of a DPU, at most: a multiple of 8 */
    uint32_t most_unrolled; /* rows a lap, a power of 2; 0: as many as are of use */
};
struct dpu_stage_about {
    uint32_t words;           /* of IRAM */
    uint32_t block, unrolled; /* rows */
    uint32_t lap;             /* instructions of the loop, `unrolled` rows */
    uint32_t spills;
};
/* Appends a program for the assembler, and fills in the plan but for `rows`; *numbers gets, for
 * each parameter of the kernel, where it lies in WRAM, NO_INDEX: nobody asks.  False, with why not
 * appended to `wrong`, and the line of the text that says it, 0: none does. */
bool dpu_stage_text(const struct dpu_stage_loop *loop, struct str *out, struct dpu_stage_plan *plan,
                    uint32_t *numbers, struct dpu_stage_about *about, struct str *wrong,
                    uint32_t *line);
/* Base elements of a row; 0 with `wrong` as there. */
uint32_t dpu_stage_row(const struct stage_kernel *kernel, struct str *wrong);

#endif
