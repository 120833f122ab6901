/* SPDX-License-Identifier: MIT
 * The scalar interpreter: blocks one after another; in each its threads one after another, each up
 * to its end or to where it waits for others: a barrier, a shuffle, a vote. */
#ifndef PTX_RUN_H
#define PTX_RUN_H

#include "ptx/program.h"

enum ptx_wait {
    PTX_READY,
    PTX_AT_BARRIER, /* of the block; the step says which */
    PTX_AT_WARP,    /* for lanes of its warp */
    PTX_SPINNING,   /* goes round, and nothing that it sees changes */
    PTX_DONE,
};

struct ptx_thread {
    uint64_t *slots;              /* [program.slots] */
    unsigned char *local, *param; /* param: without the kernel's own parameters */
    uint32_t *returns;            /* [parts]: step behind the call */
    uint32_t pc;                  /* where it waits, at that step */
    enum ptx_wait wait;
    bool carry;
    bool unsettled; /* it has seen what depends on the order of threads */
    uint64_t steps; /* in all */
};

/* A thread's state at a jump back, to see whether it comes there again. */
struct ptx_snapshot {
    uint64_t *slots;
    uint32_t pc;
    bool carry, valid;
};

struct ptx_run {
    const struct ptx_program *program;
    const struct portable_launch *launch;
    struct portable_fault *fault;
    uint32_t threads;       /* of a block, */
    uint32_t threads_of[3]; /* in its three dimensions */
    uint32_t blocks[3];
    uint32_t block[3];     /* that is carried out */
    uint64_t first_thread; /* its first one's number in the launch */
    uint64_t shared_bytes;
    unsigned char *shared;
    unsigned char *unsettled;  /* [shared_bytes]: 1 if the byte depends on the order of threads */
    struct ptx_thread *thread; /* [threads] */
    uint32_t arrived[16];      /* of each barrier: threads that came and went on */
    struct ptx_snapshot snapshot;
    bool changed;   /* memory, since the snapshot, */
    bool touched;   /* and since all threads that may run were looked at */
    uint64_t steps; /* of all */
    bool stopped;   /* go_on said so */
};

/* Always false; names block and thread.  `at`: the step, whose line it is; NULL: of none. */
bool ptx_fault(struct ptx_run *run, uint32_t thread, const struct ptx_step *at, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* ---- thread.c ---- */
/* A thread in its launch. */
struct ptx_where {
    const uint32_t *blocks, *threads_of, *block; /* [3]: of the grid, of a block; which block */
    uint32_t threads, thread;                    /* of a block; which */
    uint64_t clock, dynamic_bytes, shared_bytes;
};
uint64_t ptx_special_value(const struct ptx_where *where, enum ptx_special which);
/* Up to where it waits; false after a fault, or where it is to stop. */
bool ptx_thread_run(struct ptx_run *run, uint32_t thread);
uint64_t ptx_source_value(const struct ptx_run *run, uint32_t thread, const struct ptx_source *s);
void ptx_result_put(struct ptx_thread *thread, const struct ptx_result *r, enum ptx_type type,
                    uint64_t value);

/* ---- memory.c ---- */
bool ptx_load(struct ptx_run *run, uint32_t thread, const struct ptx_step *s);
bool ptx_store(struct ptx_run *run, uint32_t thread, const struct ptx_step *s);
bool ptx_atomic_access(struct ptx_run *run, uint32_t thread, const struct ptx_step *s);
/* Bytes of .param, also those of the kernel; NULL after a fault. */
unsigned char *ptx_param(struct ptx_run *run, uint32_t thread, const struct ptx_step *s,
                         uint64_t address, uint64_t size, bool writes);

/* ---- together.c ---- */
/* Whether some threads can go on that waited; false with *fault set after a fault. */
bool ptx_warps_meet(struct ptx_run *run, bool *some);
bool ptx_barriers_meet(struct ptx_run *run, bool *some);

/* ---- launch.c ---- */
/* What an entry says of its blocks; 0: nothing. */
struct ptx_bounds {
    const char *name;
    uint32_t max_threads, needed_threads[3];
};
struct ptx_geometry {
    uint32_t blocks[3], threads_of[3]; /* in three dimensions */
    uint32_t threads;                  /* of a block */
};
/* grid and block as a launch has them, 0 where it says nothing; false with what is wrong appended.
 */
bool ptx_geometry_read(const struct ptx_bounds *bounds, const uint32_t grid[3],
                       const uint32_t block[3], struct ptx_geometry *out, struct str *what);
bool ptx_launch(const struct ptx_program *program, const struct portable_launch *launch,
                struct portable_fault *fault);

#endif
