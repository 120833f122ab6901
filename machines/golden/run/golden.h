/* SPDX-License-Identifier: MIT
 * The golden datapath: a register of a lane is a number, an instruction is the golden function of
 * the ISA's table.  It exists to check; its costs are unknown, not zero. */
#ifndef MACHINES_GOLDEN_GOLDEN_H
#define MACHINES_GOLDEN_GOLDEN_H

#include "machines/state/array_memory.h"
#include "machines/state/state.h"
#include "portable/portable.h"

/* A kernel that its form made ready. */
struct golden_kernel {
    const struct kernel_decl *decl;
    struct kernel_decl *own; /* what the form read, which it may point to */
    struct str text;         /* of that */
    const struct portable_form *form;
    struct portable_kernel *kernel;
};

struct golden_machine {
    struct lane_state state;
    struct dp_code *codes; /* under the state's lock */
    struct state_memory memory;
    VEC(struct golden_kernel) kernels;
};

struct dp_code {
    struct dp_code *next;
    struct insn *insns;
    bool *masked; /* predication at each instruction */
    size_t count;
};

static inline struct golden_machine *golden_of(struct datapath *dp) {
    return (struct golden_machine *)(void *)dp;
}

/* ---- interpret.c: functions of datapath.h, and what checking asks beside ---- */
bool golden_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *diag);
bool golden_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                             uint64_t *stride, struct diag *diag);
bool golden_mem_free(struct datapath *dp, uint64_t address, struct diag *diag);
bool golden_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                    struct diag *diag);
bool golden_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                    struct diag *diag);
bool golden_snapshot(struct datapath *dp, bool restore, struct str *state);
bool golden_launch(struct datapath *dp, const struct dp_launch *launch, struct dp_cost *cost,
                   struct diag *diag);
void golden_kernels_free(struct golden_machine *machine); /* with the memory */
void golden_forget_kernel(struct datapath *dp, const struct kernel_decl *decl);

/* A line of the text makes a thread touch bytes of memory. */
struct golden_access {
    uint64_t address, size, thread;
    uint32_t line;
    uint32_t touch; /* PORTABLE_READS, .. */
};
/* Told of them; NULL: nobody asks.  The rest is golden_carry_out's. */
struct golden_watch {
    void (*touched)(void *context, const struct golden_access *access);
    void *context;
    struct golden_machine *machine;
    const struct dp_launch *launch;
};
/* The launch, in that order of its threads.  False after reporting, and without where it was asked
 * to stop. */
bool golden_carry_out(struct golden_machine *machine, const struct dp_launch *launch,
                      bool descending, struct golden_watch *watch, struct diag *diag);
/* Whether something of it depends on an order of its threads that the text does not settle. */
bool golden_is_ordered(struct golden_machine *machine, const struct dp_launch *launch);

#endif
