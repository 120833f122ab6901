/* SPDX-License-Identifier: MIT
 * What a block did, warp by warp: the instructions that were carried out, for which lanes, and what
 * of memory they reached.  It is written while the block is carried out and read when its time is
 * worked out (time/launch_time.h). */
#ifndef MACHINES_CORE_SIMT_TIME_WARP_TRACE_H
#define MACHINES_CORE_SIMT_TIME_WARP_TRACE_H

#include "machines/core/simt/code.h"
#include "machines/state/array_memory.h"

/* Instructions first .. first + count - 1 of the kernel, one after another, for the same lanes. */
struct simt_stretch {
    uint32_t first, mask, count;
};

enum simt_reach {
    SIMT_REACH_GLOBAL,  /* sectors of the banks */
    SIMT_REACH_LOCAL,   /* of the warp's own unit: words of a thread, one per lane */
    SIMT_REACH_SHARED,  /* passes through the shared memory */
    SIMT_REACH_CONST,   /* constants and parameters, which lie beside the front end */
    SIMT_REACH_BARRIER, /* of a barrier: which, and how many warps it wants */
};
#define SIMT_SECTOR_BYTES 32u /* a column of a bank */

/* A record: its first word has what is below; SIMT_REACH_GLOBAL then has the number of its first
 * sector, and if they are not a range those of the others.  Sector numbers are those of the
 * machine's memory, in which each array begins at a multiple of what is spread over all cores. */
struct simt_record {
    uint32_t reach : 3;   /* enum simt_reach */
    uint32_t in_line : 1; /* lane i + 1 begins where lane i ends; all 32 lanes */
    uint32_t same : 1;    /* all lanes one address */
    uint32_t aligned : 1; /* the first lane's address is a multiple of 128 */
    uint32_t range : 1;   /* sectors follow one another */
    uint32_t arrive : 1;  /* of a barrier: it does not wait there */
    uint32_t repeats : 6; /* of an atomic: lanes that share the most wanted address */
    uint32_t count : 18;  /* sectors, passes; of a barrier: id, and from bit 4 on warps (0: all) */
};
_Static_assert(sizeof(struct simt_record) == 4, "a word");

struct simt_warp_trace {
    VEC(struct simt_stretch) stretches;
    VEC(uint32_t) words;
    uint64_t issued;       /* instructions */
    uint32_t first_sector; /* of the first global access; UINT32_MAX: none */
    uint32_t whole_sector; /* of the first whose lanes are all in a line in one granule; likewise */
};
struct simt_trace {
    uint64_t block;                /* its number */
    struct simt_warp_trace *warps; /* [count] */
    uint32_t count;
    const int64_t *moved; /* [arrays of the memory]: added to an address it is that in the banks */
    uint32_t granule_shift;  /* of sectors */
    struct simt_trace *next; /* for whoever keeps it */
};

/* One warp instruction, before it is carried out. */
static inline void simt_trace_step(struct simt_trace *trace, uint32_t warp, uint32_t step,
                                   uint32_t mask) {
    struct simt_warp_trace *w = &trace->warps[warp];
    struct simt_stretch *s = w->stretches.len ? &vec_last(&w->stretches) : NULL;
    w->issued++;
    if (s && s->mask == mask && s->first + s->count == step)
        s->count++;
    else
        vec_push(&w->stretches, ((struct simt_stretch){step, mask, 1}));
}

/* Accesses of the lanes of `mask`, which is not empty, of `size` bytes each. */
struct simt_reached {
    uint32_t warp, mask, size;
    bool atomic;
    bool in_line;            /* as in the record */
    bool together;           /* all lie in one array */
    const uint64_t *address; /* [32], multiples of size */
};
/* `first`: the array that the first lane's address is in; that of others is looked for, unless all
 * lie in it. */
void simt_trace_global(struct simt_trace *trace, const struct simt_reached *x,
                       const struct state_memory *memory, const struct state_array *first);
void simt_trace_shared(struct simt_trace *trace, const struct simt_reached *x);
void simt_trace_local(struct simt_trace *trace, const struct simt_reached *x);
void simt_trace_const(struct simt_trace *trace, const struct simt_reached *x);
/* warps 0: all that have not ended. */
void simt_trace_barrier(struct simt_trace *trace, uint32_t warp, uint32_t id, uint32_t warps,
                        bool arrive);

struct simt_trace *simt_trace_new(uint32_t warps);
void simt_trace_clear(struct simt_trace *trace);
void simt_trace_free(struct simt_trace *trace);

#endif
