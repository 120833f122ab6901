/* SPDX-License-Identifier: MIT
 * What a launch takes: blocks are handed to cores in their order, and what their warps did is
 * carried out once more in time.  Nothing that is computed depends on it. */
#ifndef MACHINES_CORE_SIMT_TIME_LAUNCH_TIME_H
#define MACHINES_CORE_SIMT_TIME_LAUNCH_TIME_H

#include "machines/core/simt/link/simt_link.h"
#include "machines/core/simt/time/warp_trace.h"

/* What takes energy: micro-ops of the machine. */
enum simt_act {
    SIMT_ACT_ALU,      /* a warp's operation */
    SIMT_ACT_COLLECT,  /* an operand collector */
    SIMT_ACT_REGISTER, /* a register of 32 bits of a warp read or written */
    SIMT_ACT_READ,     /* a column */
    SIMT_ACT_WRITE,
    SIMT_ACT_ACTIVATE, /* a row */
    SIMT_ACT_PRECHARGE,
    SIMT_ACT_REFRESH,   /* of a bank */
    SIMT_ACT_TSV,       /* a message */
    SIMT_ACT_HOP,       /* a packet from a core to the next, */
    SIMT_ACT_LINK,      /* from a processor to another */
    SIMT_ACT_SHARED,    /* a pass through the shared memory */
    SIMT_ACT_EXTENSION, /* a column through the LSU extension */
    SIMT_ACTS
};
/* Fig. 10's groups; its network is the mesh and the links. */
enum simt_part {
    SIMT_PART_ALU,
    SIMT_PART_REGISTERS,
    SIMT_PART_DRAM,
    SIMT_PART_TSV,
    SIMT_PART_NETWORK,
    SIMT_PART_OTHER,
    SIMT_PARTS
};
extern const char *const simt_part_names[SIMT_PARTS];
extern const char *const simt_act_names[SIMT_ACTS];
enum simt_part simt_part_of(enum simt_act act);

/* Why a subcore that has warps issued nothing in a cycle: what the warp waited for that issues
 * next, in this order.  A cycle of a subcore with warps is either an issue or one of these. */
enum simt_stall {
    SIMT_STALL_BLOCK,   /* that warp was not there yet */
    SIMT_STALL_BARRIER, /* it waits at one, */
    SIMT_STALL_MEMORY,  /* for what an access brings, or for all of its accesses, */
    SIMT_STALL_TSV,     /* for a result that was in the TSVs, or before them, for more than half of
                           the time that it took, */
    SIMT_STALL_COLLECTOR, /* for one that waited that long for a collector, */
    SIMT_STALL_RESULT,    /* for another one, */
    SIMT_STALL_FETCH,     /* for its instruction, */
    SIMT_STALL_LSU,       /* for room in the LSU */
    SIMT_STALL_DRAIN,     /* no warp issues any more: accesses of the last one are under way */
    SIMT_STALLS
};

#define SIMT_REGISTER_BYTES  128u /* of 32 bits, of a warp, through the TSVs */
#define SIMT_PREDICATE_BYTES 4u

/* Of an instruction of the kernel, in all warps. */
struct simt_place_time {
    uint64_t issued, worked; /* in all; for some lane */
    uint64_t lanes;
    uint64_t near;  /* carried out beside the banks; of loads and stores: as one */
    uint64_t moves; /* registers of 32 bits, and predicates, brought to the other side */
    uint64_t messages, tsv_bytes;
    uint64_t reads, writes, activates, precharges; /* columns, rows */
    uint64_t row_hits, row_conflicts; /* requests that found their row open; rows that were opened
                                         in the place of another */
    uint64_t passes, conflicts;       /* shared memory: in all; beyond the first */
    uint64_t hops, hop_bytes, links, link_bytes; /* packets; bytes times hops */
    uint64_t remote;                             /* columns of other cores */
    uint64_t extension;
    uint64_t moved_registers;     /* of 32 bits, that moves read and write */
    uint64_t stalls[SIMT_STALLS]; /* cycles of subcores */
};

struct simt_span {
    uint64_t begin, end; /* cycles */
};
enum simt_track {
    SIMT_TRACK_SUBCORE,
    SIMT_TRACK_NEAR,
    SIMT_TRACK_TSV,
    SIMT_TRACK_BANKS,
    SIMT_TRACK_BLOCK,
    SIMT_TRACKS
};
/* A warp's instruction, when it is issued. */
struct simt_issued {
    uint64_t cycle, block;
    uint32_t core, subcore, warp, step, mask;
    bool near;
    /* The track table: registers of 32 bits that are valid near the banks and far from them. */
    uint64_t near_before, far_before, near_after, far_after;
};

/* Registers that are not there when a warp would issue what follows the end of its trace: R0 from 0
 * on, P0 from SIMT_PREDICATES_AT on; which instruction writes them, and what it is late by. */
#define SIMT_PREDICATES_AT 64u
#define SIMT_SCOREBOARD    (SIMT_PREDICATES_AT + SIMT_PREDICATES)
struct simt_awaited {
    bool is[SIMT_SCOREBOARD];
    uint8_t cause[SIMT_SCOREBOARD]; /* enum simt_stall */
    uint32_t step[SIMT_SCOREBOARD];
};

/* A core of the machine, and a subcore of it. */
struct simt_home {
    uint32_t core, sub;
};
struct simt_launch_time {
    const struct target *target;
    const struct simt_kernel *kernel;
    uint64_t blocks;
    uint32_t warps; /* of a block */
    uint64_t shared_bytes;
    /* Where block i goes, with all of its warps: homes[i % home_count], and nowhere else; NULL: as
     * simt.placement says. */
    const struct simt_home *homes;
    uint32_t home_count;
    /* Carries a block out and writes its trace; false: it stops, having said why. */
    bool (*block)(void *run, uint64_t number, struct simt_trace *trace);
    void *run;
    const int64_t *moved;   /* for traces */
    uint32_t charged_cores; /* whose banks' refreshes are counted; 0: all cores' */
    /* NULL: nobody watches.  Spans of one track, core and unit do not overlap. */
    void (*issued)(void *context, const struct simt_issued *x);
    void (*span)(void *context, enum simt_track track, uint32_t core, uint32_t unit,
                 struct simt_span span);
    void *context;
    /* ---- written ---- */
    struct simt_awaited *awaited;   /* [warps], of a launch of one block; NULL: nobody asks */
    struct simt_place_time *places; /* [kernel.insn_count], zeroed by the caller, added to */
    uint64_t cycles;
    uint64_t refreshes;                  /* of a bank */
    uint64_t busy_cycles;                /* of subcores: in which they issued, */
    uint64_t subcore_cycles;             /* and in which they had warps */
    uint64_t tsv_busy;                   /* cycles, of all cores */
    uint64_t used_cores, resident;       /* cores with blocks; the most warps of a core at a time */
    uint64_t lines;                      /* of code fetched */
    uint64_t up_bytes, down_bytes;       /* through TSVs */
    uint64_t sent_bytes, received_bytes; /* of the network, by cores */
};
/* False: `block` said so.  Or no block fits: then cycles is 0 and *blocks is what is left. */
bool simt_time_launch(struct simt_launch_time *launch);

/* Energy of an instruction of the kernel: micro-ops and fJ by act, [SIMT_ACTS] each, added to. */
void simt_place_energy(const struct simt_keys *keys, const struct simt_insn *insn,
                       const struct simt_place_time *place, uint64_t *count, uint64_t *fj);
/* Whether it is a load, store or atomic of global, local or generic memory. */
bool simt_reaches_banks(const struct simt_insn *insn);
/* So many warps of a subcore at a time, of those that such code leaves room for. */
uint32_t simt_time_resident(const struct target *t, const struct simt_kernel *k);

#endif
