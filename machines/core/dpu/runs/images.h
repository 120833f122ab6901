/* SPDX-License-Identifier: MIT
 * Runs of a program as DPUs have them.  An image is what lies in IRAM at one time: code of as many
 * runs as fit, behind two instructions that go to the one that is launched.  A run that IRAM or
 * WRAM does not hold comes in pieces, which are launched one after another.
 *
 * WRAM: the place that is launched (DPU_RUN_ENTRY), how many blocks there are and where the arrays
 * lie (DPU_RUN_ARGUMENTS, as struct dpu_loop says), tables of LUT, and behind them what tasklets
 * share out. */
#ifndef MACHINES_CORE_DPU_RUNS_IMAGES_H
#define MACHINES_CORE_DPU_RUNS_IMAGES_H

#include "machines/core/dpu/runs/runs.h"

#define DPU_RUN_ENTRY     0u
#define DPU_RUN_ARGUMENTS 8u
#define DPU_RUN_TABLES    ((DPU_RUN_ARGUMENTS + 4 * DPU_LOOP_ARGUMENTS + 7) / 8 * 8)

/* In front of all code of an image. */
#define DPU_RUN_HEAD_WORDS 2u

struct dpu_run_limits {
    uint32_t iram_words, wram_bytes, tasklets;
    uint32_t table_bytes; /* of WRAM, for tables */
    uint32_t far_bytes;   /* of MRAM, for those that have no room there */
};
/* A table of LUT as memory has it, entries of 1, 2, 4 or 8 bytes. */
struct dpu_run_table {
    uint32_t lut, bytes; /* its number in the program; of an entry */
    uint32_t at, size;   /* in WRAM, or behind where those in MRAM begin; all bytes */
    bool far;            /* in MRAM */
};
struct dpu_run_piece {
    uint32_t image, entry, words; /* its code there */
    uint32_t block, unrolled;     /* elements, at most; of a lap */
    uint32_t count;               /* instructions of the run */
};
struct dpu_run {
    bool masked;
    uint32_t count;      /* instructions */
    uint32_t first_text; /* of dpu_runs.text: their words */
    uint32_t first_piece, piece_count;
};
struct dpu_run_image {
    VEC(uint64_t) words;
};
struct dpu_runs {
    VEC(struct dpu_run_image) images;
    VEC(struct dpu_run_piece) pieces;
    VEC(struct dpu_run) runs;
    VEC(uint32_t) text;
    VEC(struct dpu_run_table) tables;
};
void dpu_runs_free(struct dpu_runs *runs);

/* The tables that the instructions look up get places, without those of taken[i] == 0 (NULL: all):
 * in WRAM, small ones first, and in MRAM what has no room there.  False, with what is wrong
 * appended, where *wrong is the instruction whose table has no room.  Before all runs. */
bool dpu_runs_place_tables(struct dpu_runs *runs, const struct dpu_run_limits *limits,
                           const struct insn *insns, const uint8_t *taken, size_t count,
                           size_t *wrong, struct str *problem);
/* Bytes that tables take in MRAM, a multiple of 8. */
uint32_t dpu_runs_far_bytes(const struct dpu_runs *runs);
/* The place of an instruction's table; NULL. */
const struct dpu_run_table *dpu_runs_table(const struct dpu_runs *runs, const struct insn *insn);
/* Compiles a run and adds it; false, with what is wrong appended, where *wrong is its instruction.
 */
bool dpu_runs_add(struct dpu_runs *runs, const struct dpu_run_limits *limits,
                  const struct scalar_run *run, size_t *wrong, struct str *problem);
/* The run of these instructions; NULL: it is not there. */
const struct dpu_run *dpu_runs_find(const struct dpu_runs *runs, const struct insn *insns,
                                    size_t count, bool masked);

/* As bytes, little-endian. */
void dpu_runs_write(const struct dpu_runs *runs, struct str *out);
/* False: these bytes are none. */
bool dpu_runs_read(const void *bytes, size_t size, struct dpu_runs *out);

#endif
