/* SPDX-License-Identifier: MIT
 * A near-bank SIMT core at work: warps of 32 lanes, whose registers are rows.
 *
 * A row of 64 bits has a place of its own, and not that of its two units: which lanes of a unit lie
 * where lanes of a pair do would be others, and these may be at work elsewhere.  What is written as
 * one is never read as the other, since both are registers of PTX.
 *
 * A kernel is made ready once (make.c): each instruction has what carries it out, and where its
 * operands' rows lie.  A launch carries its blocks out in their order, each to its end: its warps
 * one after another, each up to where it waits for others (warp.c). */
#ifndef MACHINES_CORE_SIMT_RUN_CORE_H
#define MACHINES_CORE_SIMT_RUN_CORE_H

#include "machines/core/simt/code.h"
#include "machines/core/simt/link/simt_link.h"
#include "machines/core/simt/run/rows.h"
#include "machines/core/simt/time/launch_time.h"
#include "machines/datapath.h"
#include "machines/state/array_memory.h"

#define SIMT_ROW_BYTES (SIMT_LANES * 4u) /* of a unit of 32 bits */
/* Entries of the stack: each divergence adds two at most, and leaves the upper one fewer lanes. */
#define SIMT_STACK    66u
#define SIMT_BARRIERS 16u
#define SIMT_DROPPED  16u /* a predicate that nobody reads, for results that nobody wants */

/* ---- a kernel made ready ---- */

/* Where the row of an operand lies, from one of these on. */
enum simt_base {
    SIMT_FROM_UNITS,      /* registers of 32 bits, of the warp */
    SIMT_FROM_PAIRS,      /* and of 64 bits */
    SIMT_FROM_CONSTANTS,  /* of the kernel, in a launch */
    SIMT_FROM_PREDICATES, /* of the warp */
    SIMT_BASES
};
struct simt_place {
    uint32_t base, offset; /* enum simt_base; bytes */
};

enum simt_kind {
    SIMT_DO_ROW,      /* a function of rows: a result of 32 bits, */
    SIMT_DO_ROW_64,   /* of 64 bits, */
    SIMT_DO_TEST,     /* a predicate */
    SIMT_DO_LOGIC,    /* of predicates */
    SIMT_DO_LANES,    /* lane by lane: ptx/alu, */
    SIMT_DO_MOVE,     /* vectors, */
    SIMT_DO_SPECIAL,  /* special registers, */
    SIMT_DO_ISSPACEP, /* a question about an address */
    SIMT_DO_LOAD,
    SIMT_DO_STORE,
    SIMT_DO_ATOMIC,
    SIMT_DO_TOGETHER, /* shuffles, votes and the like */
    SIMT_DO_BRANCH,
    SIMT_DO_BARRIER,
    SIMT_DO_EXIT,
    SIMT_DO_TRAP,
    SIMT_DO_NOTHING,
};
/* An instruction; what is seldom wanted stands in `insn`. */
struct simt_step {
    uint8_t kind;           /* enum simt_kind */
    uint8_t guard;          /* predicate; SIMT_PT: always */
    bool guard_not, turned; /* turned: predicate source 2 is !p */
    simt_row_fn *row;
    struct simt_place result, source[3];
    uint32_t target, reconverge; /* steps; of a branch */
    const struct simt_insn *insn;
    ptx_compute *compute; /* of SIMT_DO_LANES */
};
/* What constants depend on the launch: numbers of rows. */
struct simt_patch {
    uint32_t offset; /* of the row among the constants */
    uint32_t step;
    bool wide;
};
struct simt_program {
    const struct kernel_decl *decl; /* as launches name it */
    const void *code;               /* what it is made of: a stage kernel has two */
    struct simt_kernel *kernel;
    const struct simt_rows *rows;
    struct simt_step *steps;      /* [kernel.insn_count] */
    VEC(unsigned char) constants; /* rows */
    VEC(struct simt_patch) patches;
    uint32_t units; /* of registers */
};
/* Where an access is that has a number for its address. */
static inline uint64_t simt_number_address(const struct simt_insn *x) {
    return (x->source_kind[0] == SIMT_OPERAND_NUMBER ? x->number[0] : 0) +
           (uint64_t)(int64_t)x->offset;
}
/* rows NULL: the best.  NULL with *problem set. */
struct simt_program *simt_program_new(const void *code, size_t size, const struct simt_rows *rows,
                                      const char **problem);
void simt_program_free(struct simt_program *program);
/* All lanes of a row. */
void simt_fill_row(unsigned char *row, uint64_t value, bool wide);

/* ---- a launch ---- */

struct simt_entry {
    uint32_t pc, mask, reconverge; /* SIMT_END: where threads end */
    uint32_t waits;                /* 1: at its pc, for others of its warp */
};
enum simt_wait {
    SIMT_READY,
    SIMT_AT_BARRIER,
    SIMT_SPINNING, /* goes round, and nothing that it sees changes */
    SIMT_DONE,
};
/* Bytes of `base` by enum simt_base. */
struct simt_warp {
    unsigned char *base[SIMT_BASES];
    uint32_t predicate[SIMT_DROPPED + 1]; /* [SIMT_PT] is all ones */
    uint32_t number;                      /* in its block */
    uint32_t lanes, live;                 /* bits: that there are; that have not ended */
    uint32_t carry;
    struct simt_entry stack[SIMT_STACK];
    uint32_t depth; /* entries */
    enum simt_wait wait;
    uint32_t barrier;       /* at which it waits */
    uint64_t steps, slices; /* in all */
};

struct simt_run {
    const struct simt_program *program;
    const struct dp_launch *launch;
    const struct target *target;
    struct state_memory *memory;
    struct diag *diag;
    uint32_t charged_cores;        /* whose refreshes it pays for; 0: all */
    uint32_t first_insn;           /* of a piece of a run: what is in front of it */
    const struct simt_home *homes; /* [blocks in the first dimension], where each goes, or NULL */
    uint32_t threads, warps;       /* of a block */
    uint32_t threads_of[3], blocks[3]; /* in three dimensions */
    uint32_t block[3];                 /* that is carried out */
    uint64_t shared_bytes, own_bytes;  /* of a block; of a thread's .param */
    unsigned char *shared, *local, *own;
    unsigned char *registers; /* of all warps */
    unsigned char *constants;
    unsigned char *specials;         /* rows of warps: tid.x, tid.y, tid.z */
    struct simt_warp *warp;          /* [warps] */
    VEC(unsigned char *) rooms;      /* that all of these lie in */
    const struct state_array *last;  /* that an access was to */
    uint32_t arrived[SIMT_BARRIERS]; /* warps that came to it and went on */
    struct simt_trace *trace;        /* of the block; NULL: nobody asks what it takes */
    /* What the launch takes, with places; NULL: nobody asks. */
    struct simt_launch_time *timed;
    /* The warp at work. */
    struct simt_warp snapshot;
    unsigned char *snapshot_rows;
    bool snapshot_valid;
    bool watched; /* whether stores change memory is wanted: */
    bool changed, touched;
    uint64_t steps; /* of all, */
    bool stopped;   /* go_on said so */
    bool endless;   /* simt.watchdog did */
};

/* Always false; names block and thread.  `at`: the step, whose line it is. */
bool simt_fault(struct simt_run *run, const struct simt_warp *w, uint32_t lane, uint32_t at,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* grid.c */
bool simt_launch(struct simt_run *run);

/* ---- stuck.c ---- */
/* Notes: where each warp of the block is, and which registers it awaits. */
void simt_stuck_describe(struct simt_run *run);

/* ---- warp.c ---- */
/* Up to where it waits, or so many steps; false after a fault. */
bool simt_warp_run(struct simt_run *run, struct simt_warp *w, uint64_t most);

/* ---- lanes.c: lane by lane; `mask`: for which ---- */
uint64_t simt_value(const struct simt_run *run, const struct simt_warp *w,
                    const struct simt_insn *insn, unsigned source, unsigned lane);
/* Result number i, of a type: of a signed one, with `extends`, its sign is above it. */
void simt_put(struct simt_warp *w, const struct simt_insn *insn, unsigned i, unsigned lane,
              uint64_t value);
void simt_put_typed(struct simt_warp *w, const struct simt_insn *insn, unsigned i, unsigned lane,
                    enum ptx_type type, uint64_t value);
void simt_lanes(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                uint32_t mask);
void simt_move(struct simt_run *run, struct simt_warp *w, const struct simt_step *s, uint32_t mask);
void simt_special(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                  uint32_t mask);
void simt_ask_space(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                    uint32_t mask);
void simt_logic(struct simt_warp *w, const struct simt_step *s, uint32_t mask);

/* ---- access.c; false after a fault ---- */
bool simt_load(struct simt_run *run, struct simt_warp *w, const struct simt_step *s, uint32_t mask);
bool simt_store(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                uint32_t mask);
bool simt_atomic(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                 uint32_t mask);

/* ---- together.c; false after a fault ---- */
/* Whether all lanes that the masks name are at work. */
bool simt_are_all(const struct simt_run *run, const struct simt_warp *w, const struct simt_step *s,
                  uint32_t mask);
bool simt_together(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                   uint32_t mask);
/* It waits then, or has come and goes on. */
bool simt_barrier(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                  uint32_t mask);
/* Warps that all have come go on; true if there were such. */
bool simt_barriers_open(struct simt_run *run);

/* Units of a warp, and likewise pairs, which follow: with rows that nobody reads behind them. */
static inline size_t simt_file_bytes(const struct simt_program *program) {
    return (size_t)((program->units + 3) / 2 * 2) * SIMT_ROW_BYTES;
}
static inline uint32_t simt_step_of(const struct simt_run *run, const struct simt_step *s) {
    return (uint32_t)(s - run->program->steps);
}
static inline const void *simt_row_at(const struct simt_warp *w, struct simt_place place) {
    return w->base[place.base] + place.offset;
}

#endif
