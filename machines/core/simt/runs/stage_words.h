/* SPDX-License-Identifier: MIT
 * Stage kernels as kernels of near-bank SIMT cores: the scalar IR of one row of base elements
 * (machines/core/scalar/stage.h) as PTX, a thread a row.
 *
 * A launch is a few grids.  One thread stores what results begin with.  Where there are filters, a
 * thread for each row counts what they keep of it, and sums over the rows in front of each, which
 * take as many grids as rows have bits, say where that goes.  Then a thread for each row computes
 * all of it.  A thread's part comes to a result by an atomic operation on words, which one thread
 * makes elements of 8 and 16 bits of in the end; where two parts become one by `combine`, it lies
 * in a row of an array until the host puts them together. */
#ifndef MACHINES_CORE_SIMT_RUNS_STAGE_WORDS_H
#define MACHINES_CORE_SIMT_RUNS_STAGE_WORDS_H

#include "machines/core/simt/compile.h"
#include "machines/core/scalar/stage.h"
#include "support/str.h"

/* Elements of a launch at most: numbers of elements are words, with what windows see behind. */
#define SIMT_STAGE_ELEMENTS (UINT64_C(1) << 31)

/* Kernels of a launch, in the order in which they are carried out. */
enum simt_stage_part {
    SIMT_STAGE_BEGIN, /* one thread */
    SIMT_STAGE_COUNT, /* rows; of kernels with filters */
    SIMT_STAGE_SCAN,  /* likewise, several times */
    SIMT_STAGE_ROWS,
    SIMT_STAGE_END, /* one thread */
    SIMT_STAGE_PARTS
};

/* An array of the launch's own. */
enum simt_stage_kind {
    SIMT_STAGE_KEPT,  /* of a filter, a word a row: how many of its units are kept in it, and then
                         in all rows up to it */
    SIMT_STAGE_OWN,   /* of an accumulator with `combine`: what a row's thread has gathered */
    SIMT_STAGE_WHOLE, /* of one whose elements are less than a word: a word for each */
};
struct simt_stage_scratch {
    enum simt_stage_kind kind;
    const struct stage_stage *stage;
    const struct stage_param *acc; /* NULL: a filter's */
    uint32_t bytes;                /* of a row; SIMT_STAGE_WHOLE: of all */
};
#define SIMT_STAGE_SCRATCHES 64u
/* How many there are; more than that: the kernel has too many. */
uint32_t simt_stage_scratches(const struct stage_kernel *kernel,
                              struct simt_stage_scratch out[SIMT_STAGE_SCRATCHES]);

/* Parameters of COUNT and ROWS are numbers of 8 bytes: those of the kernel, as a launch gives them,
 * then how many elements there are of each length, then rows, the address of what stops a thread
 * (its value, then its site and row), and addresses of scratch arrays. */
static inline uint32_t simt_stage_length_at(const struct stage_kernel *kernel, uint32_t length) {
    return kernel->decl->parameter_count + length;
}
static inline uint32_t simt_stage_rows_at(const struct stage_kernel *kernel) {
    return simt_stage_length_at(kernel, kernel->length_count);
}
static inline uint32_t simt_stage_wrong_at(const struct stage_kernel *kernel) {
    return simt_stage_rows_at(kernel) + 1;
}
static inline uint32_t simt_stage_scratch_at(const struct stage_kernel *kernel, uint32_t scratch) {
    return simt_stage_wrong_at(kernel) + 1 + scratch;
}
#define SIMT_STAGE_WRONG_BYTES 16u
/* Of SCAN: addresses of words that are read and of those that are written, how far apart two are
 * that are added, and how many words there are. */
#define SIMT_STAGE_SCAN_PARAMETERS 4u

struct simt_stage_code {
    struct simt_kernel *parts[SIMT_STAGE_PARTS]; /* NULL: there is nothing to do */
    bool all_loops;                              /* as ROWS was made (struct scalar_stage) */
};
void simt_stage_free(struct simt_stage_code *code);
/* False with *what, and *line of the text or 0: there is no code for it, of so many bytes at most.
 */
bool simt_stage_compile(const struct stage_kernel *kernel, const struct simt_options *options,
                        uint64_t code_bytes, struct simt_stage_code *out, struct str *what,
                        uint32_t *line);

/* Appended: a word of flags, then each kernel behind how many bytes it has; of none 0. */
void simt_stage_write(const struct simt_stage_code *code, struct str *out);
/* One of them within such bytes; false: they are damaged.  size 0: there is none. */
struct simt_stage_bytes {
    const void *bytes;
    size_t size;
    bool all_loops;
};
bool simt_stage_find(const void *bytes, size_t size, enum simt_stage_part part,
                     struct simt_stage_bytes *out);

/* The site whose number a thread left, told as `element 5: ...`. */
bool simt_stage_explain(const struct stage_kernel *kernel, const uint64_t *scalars, bool all_loops,
                        const uint64_t wrong[2], struct str *out);

#endif
