/* SPDX-License-Identifier: MIT
 * How many random cases tests draw, in one place.  The suite draws few, under sanitizers fewer, so
 * that `./dev test` stays within its quarter of an hour; with MPU_DRAWS=all in the environment, as
 * `./dev fuzz` has it, a test draws as many as are needed to meet what is rare, and takes each case
 * of lists of which the suite takes a part (draws_takes).  A test that is
 * given seeds as arguments draws what it is told.  mpu_test gives programs whose first source
 * includes this the label `draws`, by which `./dev fuzz` finds them. */
#ifndef TESTS_DRAWS_H
#define TESTS_DRAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef MPU_TEST_DRAWS
#error                                                                                             \
    "not seen by mpu_test in the first source of this test, so that ./dev fuzz leaves it out: run cmake"
#endif

/* X(NAME, in the suite, under sanitizers, all) */
#define DRAWS(X)                                                                                   \
    X(CONTROL_MOVES, 400, 100, 2000)                                                               \
    X(CONTROL_PROGRAMS, 240, 40, 2000)                                                             \
    X(CONTROL_MESSAGES, 400, 60, 2000)                                                             \
    X(CONTROL_THREADS, 150, 30, 1000)                                                              \
    X(CORE_INSTRUCTIONS, 1, 1, 2) /* 1: a sixteenth of widths and forms, 2: all */                 \
    X(CORE_RUNS, 120, 30, 3000)                                                                    \
    X(CORE_SMALL, 500, 100, 5000)                                                                  \
    X(CUDA_MATH, 20000, 5000, 4000000)                                                             \
    X(FUSED_RUNS, 12, 5, 800)        /* on five targets, or all of them */                         \
    X(FUSED_FORMS, 1000, 300, 10000) /* in one program */                                          \
    X(FUSED_PIECES, 20, 4, 2000)     /* on two targets, by each build of the kernels */            \
    X(DPU_DAMAGED, 2000, 500, 20000)                                                               \
    X(DPU_BUDDY, 1500, 400, 50000)                                                                 \
    X(DPU_PROGRAMS, 200, 60, 2000)                                                                 \
    X(DEVICE_LABELS, 2, 1, 100)                                                                    \
    X(PAGE_DAMAGES, 300, 60, 20000)                                                                \
    X(DEVICE_RANGES, 1000, 100, 10000)                                                             \
    X(DEVICE_SCALARS, 10000, 400, 100000)                                                          \
    X(DPU_RUNTIME, 300, 100, 20000)                                                                \
    X(DPU_RUNS, 3, 1, 400)                                                                         \
    X(ELASTIC, 220, 30, 2000)                                                                      \
    X(ELASTIC_SMALL_QUEUES, 40, 20, 100)                                                           \
    X(ELASTIC_CUTS, 32, 12, 200)                                                                   \
    X(ERC_MACHINES, 200, 50, 1000)                                                                 \
    X(ERC_PROGRAMS, 250, 50, 1000)                                                                 \
    X(EZPIM_ARRAYS, 100, 60, 400)                                                                  \
    X(EZPIM_CONSUMED, 40, 30, 150)                                                                 \
    X(EZPIM_EXPRESSIONS, 150, 50, 500)                                                             \
    X(EZPIM_FIT, 3, 1, 2000)                                                                       \
    X(EZPIM_HOSTILE, 4000, 2500, 10000)                                                            \
    X(EZPIM_PRODUCTS, 60, 12, 600)                                                                 \
    X(EZPIM_PROGRAMS, 140, 30, 1000)                                                               \
    X(EZPIM_ROUNDS, 250, 60, 1000)                                                                 \
    X(EZPIM_SPILL, 80, 14, 300)                                                                    \
    X(ERC_HOSTILE, 8000, 5000, 20000)                                                              \
    X(FLOAT_COMPOSITIONS, 1, 1, 100)                                                               \
    X(FLOAT_GOLDEN, 16384, 2048, 100000)                                                           \
    X(FLOAT_MACHINES, 256, 64, 100000)                                                             \
    X(FLOAT_NUMBERS, 100000, 10000, 10000000)                                                      \
    X(FLOAT_PAIRS, 2000, 500, 100000)                                                              \
    X(ISA_WORDS, 1, 1, 2) /* 1: any two fields, 2: all words */                                    \
    X(MACHINES_CORE, 100, 40, 300)                                                                 \
    X(MACHINES_CORE_LAYOUTS, 250, 30, 1000)                                                        \
    X(MACHINES_CORE_LOOPS, 150, 30, 1000)                                                          \
    X(MACHINES_CORE_UNITS, 200, 60, 2000)                                                          \
    X(MACHINES_PLUTO, 1000, 250, 2000)                                                             \
    X(MACHINES_PLUTO_GRAPHS, 75, 75, 1000)                                                         \
    X(MACHINES_PLUTO_ODD, 3, 1, 100)                                                               \
    X(MACHINES_PLUTO_QUERY, 600, 60, 3000)                                                         \
    X(MACHINES_PLUTO_WIDTHS, 9, 3, 381)                                                            \
    X(MACHINES_ROWS_MATCHED, 4, 1, 100)                                                            \
    X(MACHINES_TURNS, 300, 60, 2000)                                                               \
    X(MACHINES_SLOT, 24, 8, 60)                                                                    \
    X(MACHINES_SLOT_GRAPHS, 64, 64, 1000)                                                          \
    X(MACHINES_SLOT_LENGTHS, 30, 10, 500)                                                          \
    X(MACHINES_SLOT_KIN, 200, 40, 2000)                                                            \
    X(MACHINES_SLOT_TIME, 60, 12, 150)                                                             \
    X(NP_FLOATS, 60, 12, 300)                                                                      \
    X(NP_HOSTILE, 4000, 2500, 10000)                                                               \
    X(NP_KERNELS, 150, 40, 1000)                                                                   \
    X(NP_OUTSIDE, 120, 40, 500)                                                                    \
    X(OBSERVE, 40, 8, 200)                                                                         \
    X(OBSERVE_WORDS, 10, 4, 40)                                                                    \
    X(PIMEVAL_CALLS, 500, 120, 20000) /* on each of four targets */                                \
    X(PIPELINE_CHAINS, 60, 12, 3000)                                                               \
    X(PIPELINE_DAMAGED, 150, 60, 5000)                                                             \
    X(PIPELINE_PLANS, 2000, 300, 200000)                                                           \
    X(PTX_HOSTILE, 3000, 1500, 50000)                                                              \
    X(PTX_KERNELS, 400, 60, 10000)                                                                 \
    X(RECIPE_HOSTILE, 2000, 500, 10000)                                                            \
    X(RECIPE_HOSTILE_TARGETS, 2000, 1800, 10000)                                                   \
    X(RECIPE_TABLES, 40, 10, 200)                                                                  \
    X(REPORT_SCHEMA, 3, 1, 8)                                                                      \
    X(REPORT_SUMS, 6, 2, 30)                                                                       \
    X(REPORT_WEAR, 3, 1, 8)                                                                        \
    X(RUN_DAMAGED, 2000, 2000, 10000)                                                              \
    X(RUN_DAMAGED_INPUTS, 1000, 500, 3000)                                                         \
    X(RUN_INSIDE, 8, 3, 24)                                                                        \
    X(RUN_RERUN, 120, 25, 400)                                                                     \
    X(SIMT_DAMAGED, 3000, 1500, 50000)                                                             \
    X(SIMT_FORMS, 8, 2, 100)                                                                       \
    X(SIMT_NAMES, 2000, 300, 100000) /* of each pattern; few are forms */                          \
    X(SIMT_WORDS, 30000, 5000, 3000000)                                                            \
    X(SIMT_CODE_DAMAGED, 500, 100, 20000)                                                          \
    X(SIMT_KERNELS, 1000, 60, 10000)                                                               \
    X(SIMT_RUNS, 10, 2, 600)                                                                       \
    X(STAGE_DPUS, 60, 10, 2000)                                                                    \
    X(STAGE_SIMT, 60, 10, 2000)                                                                    \
    X(STAGE_DPU_MISTAKES, 20, 20, 200)                                                             \
    X(STAGE_ELSE, 8, 3, 2000)                                                                      \
    X(STAGE_ELSE_MISTAKES, 18, 9, 200)                                                             \
    X(STAGE_KERNELS, 400, 60, 2000)                                                                \
    X(STAGE_MISTAKES, 200, 40, 400)                                                                \
    X(TECHNOLOGIES, 3, 2, 16)

#define DRAWS_NAME(name, suite, sanitized, all) DRAWS_##name,
enum draws_of { DRAWS(DRAWS_NAME) DRAWS_COUNT };
#undef DRAWS_NAME

/* A page that a test writes has each row, too. */
static inline bool draws_all(void) {
    const char *wanted = getenv("MPU_DRAWS");
    return (wanted && strcmp(wanted, "all") == 0) || getenv("MPU_WRITE_PAGE");
}

/* Whether the suite takes the case with this number of a list that is too long for it: one of
 * EVERY, and all of them with MPU_DRAWS=all. */
static inline bool draws_takes(size_t number, unsigned every) {
    return number % every == 0 || draws_all();
}

static inline unsigned draws(enum draws_of what) {
#ifdef MPU_SANITIZED
#define DRAWS_NUMBERS(name, suite, sanitized, all) {sanitized, all},
#else
#define DRAWS_NUMBERS(name, suite, sanitized, all) {suite, all},
#endif
    static const unsigned numbers[DRAWS_COUNT][2] = {DRAWS(DRAWS_NUMBERS)};
#undef DRAWS_NUMBERS
    return numbers[what][draws_all()];
}

#endif
