/* SPDX-License-Identifier: MIT
 * What the files of the DPU's interpreter share. */
#ifndef MACHINES_CORE_DPU_RUN_TASKLETS_H
#define MACHINES_CORE_DPU_RUN_TASKLETS_H

#include "machines/core/dpu/run/core.h"

/* What becomes of a result. */
enum dpu_after {
    DPU_AFTER_WRITE,
    DPU_AFTER_SET,  /* 1 or 0 is written, as the condition is */
    DPU_AFTER_JUMP, /* written, and the condition says whether to jump */
};
/* An instruction made ready: b = x[b] + imm, where one of them is nothing. */
struct dpu_step {
    uint8_t op;   /* enum dpu_op; DPU_OPS: no instruction is there */
    uint8_t wide; /* enum dpu_wide */
    uint8_t after, ask;
    uint8_t c, a, b; /* registers; c DPU_NOWHERE: nothing is written */
    bool big;
    bool quiet; /* it has to do with its tasklet's registers alone, and cannot fail */
    uint16_t pc;
    uint32_t imm;   /* or how far to shift, or an offset */
    uint32_t value; /* that is stored */
};
#define DPU_NOWHERE 32u /* written, never read */

struct dpu_tasklet {
    uint32_t x[34]; /* r0 .. r23, constants, what nobody reads */
    uint32_t pc;
    bool running, zero, carry;
    bool waits;     /* stopped, and goes on behind the stop */
    uint64_t ready; /* the cycle it may issue from */
    uint64_t next;  /* `interval` after its last issue */
};

#define DPU_PAGE_BYTES 65536u
struct dpu_core {
    struct dpu_time time;
    uint64_t clock;              /* the next cycle that can issue */
    uint64_t engine_milli;       /* when the engine is free */
    uint64_t instructions, left; /* carried out; until the watchdog */
    struct dpu_counters counted; /* classes are in `executed` */
    struct dpu_trouble trouble;
    dpu_watcher *watcher;
    void *context;
    uint32_t counting;   /* what the performance counter counts: 1 cycles, 2 instructions */
    uint64_t count_from; /* that is 0 of it */
    uint64_t count_kept; /* of one that counts nothing */
    struct dpu_tasklet tasklets[DPU_TASKLETS];
    /* Tasklets that have issued, in that order, which is that of `ready`; and bits of those that
     * something else woke, or will. */
    uint8_t queue[32];
    uint32_t queue_begin, queue_end, others, transfers, stopped;
    bool atomic[DPU_ATOMIC_BITS];
    struct dpu_step steps[DPU_IRAM_WORDS];
    uint64_t words[DPU_IRAM_WORDS];
    uint64_t executed[DPU_IRAM_WORDS];
    uint8_t wram[DPU_WRAM_BYTES];
    uint8_t *pages[DPU_MRAM_BYTES / DPU_PAGE_BYTES];
};

/* An instruction of that word; op DPU_OPS for a word that nothing has. */
struct dpu_step dpu_step_of(uint64_t word);
/* False beyond MRAM. */
bool dpu_core_mram_copy(struct dpu_core *core, uint32_t at, void *bytes, uint32_t size, bool put);

#endif
