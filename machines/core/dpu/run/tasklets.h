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
struct dpu_tasklet;
struct dpu_step;
/* Carries an instruction out ahead of its cycle, and those behind it; ahead.c says how. */
typedef void dpu_ahead(struct dpu_core *core, struct dpu_tasklet *t, struct dpu_step *s,
                       uintptr_t origin, uint32_t last, bool carry);
/* An instruction made ready: b = x[b] + imm, where one of them is nothing. */
struct dpu_step {
    dpu_ahead *ahead;
    uint64_t taken; /* jumps from here that were taken ahead, not yet in `executed` */
    uint32_t imm;   /* or how far to shift, or an offset */
    uint32_t value; /* that is stored */
    uint16_t pc;
    uint8_t op, ask; /* enum dpu_op, DPU_OPS: no instruction is there; enum dpu_ask */
    uint8_t c, a, b; /* registers; c DPU_NOWHERE: nothing is written */
    uint8_t wide : 2, after : 2, big : 1;
    uint8_t quiet : 1; /* it has to do with its tasklet's registers alone, and cannot fail */
};
#define DPU_NOWHERE 32u /* written, never read */

struct dpu_flags {
    bool zero, carry;
};
/* What of a tasklet instructions change that can be carried out ahead. */
struct dpu_registers {
    uint32_t x[34]; /* r0 .. r23, constants, what nobody reads */
    uint32_t pc;
    struct dpu_flags flags;
};
/* A word of WRAM before it was written ahead. */
struct dpu_undo {
    uint64_t old;
    uint32_t word;
};
#define DPU_MOST_UNDO 256u
struct dpu_tasklet {
    struct dpu_registers now;
    bool running;
    bool waits;     /* stopped, and goes on behind the stop */
    bool alone;     /* its next instruction cannot be carried out ahead, as was found already */
    uint8_t id;     /* its number */
    uint64_t ready; /* the cycle it may issue from */
    uint64_t next;  /* `interval` after its last issue */
    /* Of `ran` instructions that were carried out at once, `ahead` have not had their cycles yet;
     * before the first of them registers were `kept`, and words as `undo` .. `undone` say. */
    uint32_t ran, ahead;
    struct dpu_undo *undo, *undone; /* [DPU_MOST_UNDO], while the DPU is at work */
    struct dpu_registers kept;
};

/* Words of WRAM, of 8 bytes, by who has accessed them in this run: that is how it is known what can
 * be carried out ahead.  0 .. 23: that tasklet alone; with DPU_READ: it has only read. */
enum dpu_owner {
    DPU_READ = 32,
    DPU_READ_BY_MANY = 96,
    DPU_SHARED,
    DPU_NOBODYS,
};
#define DPU_WRAM_WORDS (DPU_WRAM_BYTES / 8)

/* MRAM has memory of the host by pages that were written, and these by blocks that have some.  Of a
 * block that gets more than a few, the others lie in one piece as large as a huge page of the
 * host's: faults of small pages take longer than DPUs do with what lies there. */
#define DPU_PAGE_BYTES  16384u
#define DPU_BLOCK_PAGES 128u
#define DPU_FEW_PAGES   (DPU_BLOCK_PAGES / 4)
#define DPU_BLOCK_BYTES (DPU_PAGE_BYTES * DPU_BLOCK_PAGES)
#define DPU_BLOCKS      (DPU_MRAM_BYTES / DPU_BLOCK_BYTES)
struct dpu_mram_block {
    uint8_t *pages[DPU_BLOCK_PAGES]; /* NULL: nothing was written there, and it is 0 */
    uint8_t *whole;                  /* DPU_BLOCK_BYTES for all pages that are in it; NULL */
    uint32_t own;                    /* pages that are not in it */
};
struct dpu_core {
    struct dpu_time time;
    uint64_t clock;              /* the next cycle that can issue */
    uint64_t engine_milli;       /* when the engine is free */
    uint64_t instructions, left; /* that had their cycles; until the watchdog */
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
    uint32_t filled; /* tasklets in the queue with instructions ahead */
    uint32_t code;   /* instructions of the program */
    bool overlays;   /* some instruction moves code */
    /* Places of IRAM that can have an instruction: all of them with overlays, else `code`. */
    uint32_t room;
    struct dpu_step *steps; /* [room + 1]: one more, where what runs ahead stops */
    uint64_t *words;        /* [room] */
    uint64_t *executed;     /* [room] */
    /* How often more instructions were begun ahead here than ended before here. */
    int64_t *edges; /* [room + 1] */
    bool atomic[DPU_ATOMIC_BITS];
    uint8_t owners[DPU_WRAM_WORDS];
    _Alignas(8) uint8_t wram[DPU_WRAM_BYTES];
    struct dpu_mram_block *blocks[DPU_BLOCKS]; /* last, as they stay with other programs */
};

/* An instruction of that word; op DPU_OPS for a word that nothing has. */
struct dpu_step dpu_step_of(uint64_t word);

/* ---- one instruction in its cycle: single.c ---- */

enum dpu_next { DPU_GOES_ON, DPU_STOPS, DPU_IN_TRANSFER, DPU_STUCK };
/* Carries out the instruction at the tasklet's pc. */
enum dpu_next dpu_single(struct dpu_core *core, struct dpu_tasklet *t);
/* It begins, or goes on, in that cycle at the earliest. */
void dpu_start(struct dpu_core *core, struct dpu_tasklet *t, uint64_t from);
/* False. */
bool dpu_stuck(struct dpu_core *core, const struct dpu_tasklet *t, enum dpu_fault fault,
               uint32_t address, uint32_t bytes);
/* Carries out `count` instructions from `kept` on that were carried out before; `executed` changes
 * by `by` for each. */
void dpu_replay(struct dpu_core *core, struct dpu_tasklet *t, uint32_t count, uint64_t by);
/* False beyond MRAM. */
bool dpu_core_mram_copy(struct dpu_core *core, uint32_t at, void *bytes, uint32_t size, bool put);

/* ---- instructions ahead of their cycles: ahead.c, owners.c ---- */

/* What carries the instruction out ahead. */
dpu_ahead *dpu_ahead_of(const struct dpu_step *s);
/* What does not. */
dpu_ahead dpu_ahead_stop;
/* As many instructions as may be, from the tasklet's pc on; none may be. */
void dpu_run_ahead(struct dpu_core *core, struct dpu_tasklet *t);
/* All tasklets are as they were when their last instructions had their cycles. */
void dpu_retreat_all(struct dpu_core *core);
/* Adds what was carried out ahead to `executed`. */
void dpu_settle(struct dpu_core *core);

/* An access in its cycle: of a tasklet whose word this is not, and who was there ahead, what it did
 * is undone.  Only of words that are not its own. */
void dpu_own(struct dpu_core *core, const struct dpu_tasklet *t, uint32_t word, bool write);
/* Whether an access ahead of its cycle can be; if not, nothing has changed. */
bool dpu_own_ahead(struct dpu_core *core, const struct dpu_tasklet *t, uint32_t word, bool write);

#endif
