/* SPDX-License-Identifier: MIT
 * The examples with data, and what reads and writes them. */
#ifndef TESTS_EXAMPLES_LIST_H
#define TESTS_EXAMPLES_LIST_H

#include "tests/examples/arrays.h"

enum { MAX_ARRAYS = 4, EXAMPLES = 24 };

struct example {
    const char *program;
    struct binding in[MAX_ARRAYS], out[MAX_ARRAYS];
};

extern const struct example example_axpy, example_brightness, example_popcount, example_dot,
    example_poly, example_collatz, example_flow, example_factor, example_edit_distance,
    example_sort, example_crc32, example_kmeans, example_life, example_maze, example_histogram,
    example_systolic, example_heat, example_allreduce, example_grid_edit, example_outliers,
    example_chain, example_crc32_table, example_aes, example_gamma, example_levels,
    example_equalise;
extern const struct example *const example_list[EXAMPLES];

/* False if the target (its name, or "small") has too few rows or MPUs for the program. */
bool example_fits(const struct example *x, const char *target);
/* A session that has run, its results compared with the references; the test fails if not. */
mpu_session *example_run(const struct example *x, const mpu_program *p, const mpu_target *t,
                         const char *batch, const char *init, const char *place);
mpu_session *example_run_as(const struct example *x, const mpu_program *p, const mpu_target *t,
                            const mpu_config *config);

#endif
