/* SPDX-License-Identifier: MIT
 * What a package has of a stage kernel for DPUs beside its program: what the host puts into WRAM
 * before a launch, and what it takes out of MRAM after it.
 *
 * A DPU has rows of elements of its own (machines/core/scalar/stage.h), its tasklets parts of them
 * one behind the other.  Where a table has a word for each tasklet, tasklet 0's is the first. */
#ifndef MACHINES_CORE_DPU_STAGE_PLAN_H
#define MACHINES_CORE_DPU_STAGE_PLAN_H

#include "support/str.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements that lie in slices, or are kept: where a tasklet's are in MRAM. */
struct dpu_stage_block {
    uint32_t array; /* of the stage kernel */
    uint32_t at;    /* table of addresses */
    uint32_t row_bytes, beyond_bytes;
    uint32_t kept;  /* 1: of a filter; it comes together in MRAM that the host gives */
    uint32_t stage; /* kept: whose */
    uint32_t stale; /* 1: another kernel may have changed what lies beyond a slice */
};
/* An array that tasklets see whole: words with its address, and its bytes. */
struct dpu_stage_seen {
    uint32_t array, at, bytes_at, element_bytes;
    uint32_t count; /* elements */
};
/* What each tasklet leaves: elements of an accumulator, or how many units a filter kept. */
struct dpu_stage_part {
    uint32_t stage, parameter; /* numbers; parameter NO_INDEX: 8 bytes with a number of units */
    uint32_t at;               /* table of addresses */
    uint32_t bytes;            /* a multiple of 8 */
};
struct dpu_stage_number {
    uint32_t number, at; /* of a length: a word, how many elements there are from the DPU's on */
};
struct dpu_stage_site {
    uint32_t line, group;     /* group: a unit is one */
    uint32_t per, unit;       /* units of a row, and which one it is from the lap's first on */
    uint32_t is_signed, bits; /* of the index */
    uint32_t count, bound;    /* struct scalar_stage_site */
    char *name;               /* of what has no such element */
};
/* An array of the stage kernel whose buffer a kernel of the program reads on the DPUs: what the
 * host puts together of it goes back. */
struct dpu_stage_read {
    uint32_t array;
};
struct dpu_stage_plan {
    uint32_t tasklets;
    uint32_t rows, row;        /* of a DPU; base elements of a row */
    uint32_t starts_at;        /* [tasklets + 1]: first rows, and where the last one ends */
    uint32_t full_at;          /* a word: rows of which everything is there, .. */
    uint32_t rows_beyond;      /* .. and of so many behind them, which windows see */
    uint32_t own_at, own_each; /* WRAM of tasklet 0, and how much further on that of the next is */
    uint32_t end_at, wrong_at, counter; /* in there; number of the register */
    VEC(struct dpu_stage_block) blocks;
    VEC(struct dpu_stage_seen) seen;
    VEC(struct dpu_stage_part) parts;
    VEC(struct dpu_stage_number) left;
    VEC(struct dpu_stage_read) read;
    VEC(struct dpu_stage_site) sites;
};
void dpu_stage_plan_free(struct dpu_stage_plan *plan);
void dpu_stage_plan_write(const struct dpu_stage_plan *plan, struct str *out);
/* How many bytes it took; 0: it is none. */
size_t dpu_stage_plan_read(const void *bytes, size_t size, struct dpu_stage_plan *out);

#endif
