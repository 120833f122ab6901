/* SPDX-License-Identifier: MIT
 * Kernels of a few lines in time, as a block of one launch in memory of the test's. */
#ifndef TESTS_SIMT_TIMED_KERNEL_H
#define TESTS_SIMT_TIMED_KERNEL_H

#include "machines/core/simt/run/core.h"

#define TIMED_STEPS 512u /* instructions of a kernel, fewer */

struct taken {
    struct simt_kernel *kernel; /* of the program */
    struct simt_program *program;
    struct simt_place_time places[TIMED_STEPS];
    struct simt_issued issued[TIMED_STEPS]; /* of each instruction, the last */
    struct simt_launch_time time;
    struct target *target;
    struct machine_library *library;
};

/* Compiles `lines`, in which %rd1 is 1 MiB of zeros, %r1 the thread's number, %rd3 its word there,
 * and runs a block of it on target simt; set: [2 * count], keys and values.  It is to be let go. */
void timed_take(struct taken *t, const char *lines, uint32_t threads, const char *const *set,
                size_t count);
void timed_take_on(const char *target, struct taken *t, const char *lines, uint32_t threads,
                   const char *const *set, size_t count);
void timed_let_go(struct taken *t);
/* The number of the n-th instruction with that op, from 0. */
uint32_t timed_nth(const struct taken *t, enum simt_op op, unsigned n);
/* Likewise of loads and stores of global memory. */
uint32_t timed_global(const struct taken *t, enum simt_op op, unsigned n);

#endif
