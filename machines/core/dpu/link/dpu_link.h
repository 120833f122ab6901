/* SPDX-License-Identifier: MIT
 * The link half of UPMEM's machine: DPUs that carry out kernels of form `dpu`, and no instructions
 * of the MPU. */
#ifndef MACHINES_CORE_DPU_LINK_DPU_LINK_H
#define MACHINES_CORE_DPU_LINK_DPU_LINK_H

#include "machines/stored/link/stored.h"

/* ---- keys of the target file ---- */

struct dpu_keys {
    struct stored_keys stored; /* buffer_bytes: MRAM */
    uint32_t wram_bytes, iram_instructions, tasklets;
    uint32_t interval;
    uint32_t busy_milli, busy_byte_milli; /* thousandths of cycles, as struct dpu_time */
    uint32_t read_milli, write_milli, byte_milli;
    uint64_t instruction_fj;
};
static inline const struct dpu_keys *dpu_keys(const struct target *t) {
    return t->own;
}

extern const struct target_kind dpu_target_kind;
extern const struct machine dpu_machine;
extern const struct stored_kind dpu_stored;

/* ---- kernels: form.c, layouts.c ---- */

/* Formats of micro-ops. */
enum { DPU_FORMAT_TEXT, DPU_FORMAT_CSV, DPU_FORMATS };

extern const struct machine_form *const dpu_forms[];

/* A line of a kernel's text that says how a buffer lies; blanked for the assembler. */
struct dpu_lies {
    char *name; /* of the parameter */
    uint32_t line;
    struct machine_buffer lies;
};
struct dpu_text {
    struct str text; /* without these lines, each in its place */
    VEC(struct dpu_lies) layouts;
};
/* False with *fault set. */
bool dpu_text_read(const char *text, size_t size, struct dpu_text *out,
                   struct machine_kernel_fault *fault);
void dpu_text_free(struct dpu_text *text);

#endif
