/* SPDX-License-Identifier: MIT
 * What a package has of a kernel of form `dpu` or `stage`: where its arguments go, and its program;
 * of the latter a plan in front. */
#ifndef MACHINES_CORE_DPU_PACKED_KERNEL_H
#define MACHINES_CORE_DPU_PACKED_KERNEL_H

#include "machines/core/dpu/dpu.h"
#include "machines/core/dpu/stage_plan.h"

/* Where an argument goes before each launch: bytes of WRAM, which a symbol of the parameter's name
 * has; a buffer's are its address in MRAM.  `own`: the symbol itself is the buffer. */
struct dpu_parameter {
    bool own;
    uint32_t at, bytes;
};
#define DPU_NO_SYMBOL UINT32_MAX
struct dpu_kernel {
    struct dpu_parameter *parameters; /* [count] */
    uint32_t count;
    uint32_t unit_at, units_at; /* of MPU_UNIT, MPU_UNITS in WRAM; DPU_NO_SYMBOL: there is none */
    bool staged;                /* it has a plan */
    struct dpu_stage_plan plan;
    const void *file; /* [size]: the program, as ELF */
    size_t size;
};
/* Appended, with the program as its file. */
void dpu_kernel_write(const struct dpu_kernel *kernel, const struct dpu_program *program,
                      struct str *out);
/* False if it is none; the file is that of the bytes. */
bool dpu_kernel_read(const void *bytes, size_t size, struct dpu_kernel *out);
void dpu_kernel_free(struct dpu_kernel *kernel);

#endif
