/* SPDX-License-Identifier: MIT
 * What --html shows of a program: what its instructions did, the first time each, on a machine. */
#ifndef TOOLS_MPU_OBJDUMP_EXPLORE_H
#define TOOLS_MPU_OBJDUMP_EXPLORE_H

#include "tools/mpu-objdump/objdump_options.h"

#include <mpu/mpu.h>

/* Lanes of a group: those of elements that are shown. */
#define EXPLORE_LANES 16
/* Instructions that are carried out while somebody looks, and lines kept of one. */
#define EXPLORE_INSNS 2000
#define EXPLORE_LINES 512

/* What an instruction left in a register, C or M of some lanes. */
struct explored_plane {
    char name[8]; /* "r3", "C", "M" */
    uint64_t values[EXPLORE_LANES];
    uint32_t known; /* bit i: values[i] */
};
struct explored_insn {
    struct str uops; /* a line for each micro-op */
    uint32_t lines;  /* [up to EXPLORE_LINES] of these */
    uint64_t count;  /* micro-ops, shown or not */
    uint64_t number; /* in the order of the run; 0: it was not carried out */
    int64_t order;   /* of the last micro-op: the same once more is of other VRFs */
    VEC(struct explored_plane) planes;
};
struct explored {
    struct explored_insn *insns; /* [count] */
    uint32_t count;
    bool ran;
    const char *no_uops, *no_planes; /* NULL, or why there are none */
};

/* A program with the data of options->data on a target of that name; count: instructions of its
 * text there.  EXIT_DONE, or another code after reporting. */
enum exit_code objdump_explore(const struct objdump_options *options, const mpu_program *program,
                               const char *target, uint32_t count, struct explored *out);
void objdump_explored_free(struct explored *explored);

#endif
