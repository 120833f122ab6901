/* SPDX-License-Identifier: MIT
 * The link half of UPMEM's machine: DPUs that carry out runs of MPU instructions as loops over
 * arrays in their MRAM, and kernels of form `dpu`. */
#ifndef MACHINES_CORE_DPU_LINK_DPU_LINK_H
#define MACHINES_CORE_DPU_LINK_DPU_LINK_H

#include "machines/core/dpu/runs/images.h"
#include "machines/stored/link/stored.h"
#include "stage/stage.h"

/* ---- keys of the target file ---- */

struct dpu_keys {
    struct stored_keys stored; /* buffer_bytes: MRAM */
    uint32_t wram_bytes, iram_instructions, tasklets;
    uint32_t run_tasklets; /* of runs; 0: 16, or all if there are fewer */
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

/* ---- run_code.c: runs ---- */

struct dpu_code {
    struct machine_code base;
    struct dpu_runs runs;
};
static inline const struct dpu_code *dpu_code_of(const struct machine_code *c) {
    return (const struct dpu_code *)(const void *)c;
}
struct dpu_run_limits dpu_run_limits(const struct target *t);

bool dpu_has(const struct machine_library *l, enum isa_op op);
void dpu_why_not(const struct machine_library *l, enum isa_op op, struct str *out);
uint32_t dpu_lanes(const struct target *t, const uint8_t reg_bits[64]);
bool dpu_has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem);
struct machine_code *dpu_build(const struct machine_library *l, const struct machine_program *p,
                               struct diag *d);
void dpu_code_write(const struct machine_code *c, struct str *out);
struct machine_code *dpu_code_read(const void *bytes, size_t size, const char **problem);
void dpu_code_free(struct machine_code *c);
void dpu_code_print(const struct machine_code *c, const struct machine_library *l,
                    const struct machine_program *p, struct str *out);
void dpu_code_load(const struct machine_code *c, struct machine_load *out);

/* ---- kernels: dpu_form.c, layouts.c ---- */

/* Formats of micro-ops. */
enum { DPU_FORMAT_TEXT, DPU_FORMAT_CSV, DPU_FORMATS };

extern const struct machine_form *const dpu_forms[];
void dpu_kernel_print(const struct machine_library *l, const void *code, size_t size,
                      const struct machine_lines *lines, struct str *out);

/* ---- stage kernels: stage_form.c, stage_shares.c ---- */

extern const struct machine_form dpu_stage_form;

/* A stage kernel that is called, while all of them are looked at. */
struct dpu_staged {
    uint32_t kernel; /* of the object */
    struct stage_kernel *text;
    uint32_t row, *per; /* base elements of a row; [arrays]: elements of it in a row, 0: none */
    uint64_t rows;      /* of a DPU, a multiple of 8 */
    uint64_t numerator, denominator; /* of its rows, to those of others that share buffers */
    bool reached;
};
struct dpu_stagings {
    VEC(struct dpu_staged) list;
    uint32_t units; /* DPUs that work */
};
/* All stage kernels that are called, with their rows; false with *fault set, and the kernel in
 * *whose. */
bool dpu_stagings_open(const struct machine_library *l, const struct machine_launches *launches,
                       struct dpu_stagings *out, uint32_t *whose,
                       struct machine_kernel_fault *fault);
void dpu_stagings_close(struct dpu_stagings *s);

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
