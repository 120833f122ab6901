/* SPDX-License-Identifier: MIT
 * Loops of a DPU over arrays in its MRAM.  What the DPU's instruction set has to do with the scalar
 * IR is in two places: patterns.c, how each operation is written and which registers there are, and
 * routines.c, what is called.  loop.c is the loop around: blocks through WRAM, split among
 * tasklets. */
#ifndef MACHINES_CORE_DPU_RUNS_RUNS_H
#define MACHINES_CORE_DPU_RUNS_RUNS_H

#include "machines/core/scalar/emit.h"
#include "machines/core/scalar/run.h"

const struct scalar_core *dpu_scalar_core(void);
/* The text of a routine of its patterns, with those that it calls in *needs; NULL: none has that
 * name. */
const char *dpu_routine(const char *name, const char **needs);

/* Appends the routines that the code calls, and those that they call. */
void dpu_put_routines(struct str *out, const struct scalar_code *code);
/* Instructions of a text: each line that begins with two blanks, and no directive, is one. */
uint32_t dpu_words_of(const char *text);

struct dpu_loop {
    struct scalar_run run;
    uint32_t base[SCALAR_ARRAYS]; /* addresses in MRAM, multiples of 8 */
    uint32_t elements;            /* arrays have room for `dpu_loop_round` of them */
    /* They are found when it runs, so that the code is that of all units: words in WRAM from here
     * on, as dpu_loop_arguments makes them.  `elements` is then the most that there may be; 0: base
     * and elements are known. */
    uint32_t arguments;
    uint32_t tasklets;
    uint32_t wram_first, wram_bytes; /* of WRAM, that the tasklets share */
    uint32_t iram_words;             /* that the code may take */
    uint32_t most_unrolled;          /* elements a lap, a power of 2; 0: as many as are of use */
    /* By the number of a table of LUT: its address in WRAM, or where run.far says so, how far
     * behind far_base it lies in MRAM. */
    const uint32_t *tables;
    uint32_t far_base; /* a multiple of 8; without arguments */
};
/* How many blocks there are; the address of each array, MRAM from 0 on; of a block the logarithm of
 * its elements and its laps, for each size of elements what a transfer of one is in the highest
 * byte of its address in WRAM, and where tables in MRAM begin. */
#define DPU_LOOP_SIZES     4u /* 1, 2, 4, 8 bytes */
#define DPU_LOOP_ARGUMENTS (1 + SCALAR_ARRAYS + 2 + DPU_LOOP_SIZES + 1)
/* For so many elements, in blocks of which all tasklets get some, of at most `block` elements. */
void dpu_loop_arguments(uint32_t elements, uint32_t tasklets, uint32_t block, uint32_t unrolled,
                        const uint32_t base[SCALAR_ARRAYS], uint32_t far,
                        uint32_t out[DPU_LOOP_ARGUMENTS]);
/* Blocks are whole: arrays need room for so many elements. */
uint32_t dpu_loop_round(uint32_t elements);
struct dpu_loop_about {
    uint32_t block, unrolled;
    uint32_t lap;                         /* instructions of the loop, `unrolled` elements */
    uint32_t spills;                      /* values on the stack */
    uint32_t words;                       /* of IRAM, routines included */
    uint64_t loads, stores;               /* registers whose blocks come, and go */
    bool loads_flags[3], stores_flags[3]; /* C, M, valid */
};
enum dpu_loop_trouble {
    DPU_LOOP_FINE,
    DPU_LOOP_INSTRUCTION, /* the one with the number *which is not in the IR */
    DPU_LOOP_PATTERN,     /* no pattern for an operation */
    DPU_LOOP_WRAM,        /* blocks of 8 elements do not fit */
    DPU_LOOP_IRAM,        /* *which words are needed */
};
/* Appends a program for the assembler. */
enum dpu_loop_trouble dpu_loop_text(const struct dpu_loop *loop, struct str *out,
                                    struct dpu_loop_about *about, uint64_t *which);

#endif
