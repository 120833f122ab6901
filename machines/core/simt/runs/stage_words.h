/* SPDX-License-Identifier: MIT
 * Stage kernels as kernels of near-bank SIMT cores: the scalar IR of one row of base elements
 * (machines/core/scalar/stage.h) as PTX, a thread a row.
 *
 * Maps, their windows and groups, and reductions that one operation gathers: a thread's part comes
 * to the result by an atomic operation.  What a result begins with is stored by a kernel of one
 * thread in front of it. */
#ifndef MACHINES_CORE_SIMT_RUNS_STAGE_WORDS_H
#define MACHINES_CORE_SIMT_RUNS_STAGE_WORDS_H

#include "machines/core/simt/compile.h"
#include "machines/core/scalar/stage.h"
#include "support/str.h"

/* Elements of a launch at most: numbers of elements are words, with what windows see behind. */
#define SIMT_STAGE_ELEMENTS (UINT64_C(1) << 31)

/* Parameters are numbers of 8 bytes: those of the kernel, as a launch gives them, then how many
 * elements there are of each length, then rows. */
static inline uint32_t simt_stage_length_at(const struct stage_kernel *kernel, uint32_t length) {
    return kernel->decl->parameter_count + length;
}
static inline uint32_t simt_stage_rows_at(const struct stage_kernel *kernel) {
    return simt_stage_length_at(kernel, kernel->length_count);
}
static inline uint32_t simt_stage_parameters(const struct stage_kernel *kernel) {
    return simt_stage_rows_at(kernel) + 1;
}

struct simt_stage_code {
    struct simt_kernel *begin, *rows; /* begin NULL: nothing is stored before */
};
void simt_stage_free(struct simt_stage_code *code);
/* False with *what, and *line of the text or 0: there is no code for it, of so many bytes at most.
 */
bool simt_stage_compile(const struct stage_kernel *kernel, const struct simt_options *options,
                        uint64_t code_bytes, struct simt_stage_code *out, struct str *what,
                        uint32_t *line);

/* Appended: each kernel behind how many bytes it has; of none 0. */
void simt_stage_write(const struct simt_stage_code *code, struct str *out);
/* One of them within such bytes; false: they are damaged.  *size 0: there is none. */
bool simt_stage_part(const void *bytes, size_t size, bool begin, const void **part,
                     size_t *part_size);

#endif
