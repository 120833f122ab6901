/* SPDX-License-Identifier: MIT
 * Random stage kernels with their buffers, and what they hold in the end. */
#ifndef TESTS_STAGE_RANDOM_KERNEL_H
#define TESTS_STAGE_RANDOM_KERNEL_H

#include "tests/stage/launched.h"

__extension__ typedef __int128 random_wide;

/* Numbers of any type as wide integers, floats as doubles. */
union random_value {
    random_wide i;
    double f;
};
struct random_array {
    struct lane_type type;
    uint64_t count;
    union random_value *at;
};

enum { RANDOM_STAGES = 4 };
/* `data` is what is expected of each array, in as many elements as it has in the end. */
struct random_kernel {
    struct launched launched;
    struct str stages, arrays;
    uint64_t seed, length;
    random_wide scalar;
    bool floats;
    struct random_array data[MOST_BUFFERS + RANDOM_STAGES * 4];
    unsigned data_count;
    int parameter[MOST_BUFFERS + RANDOM_STAGES * 4]; /* -1: no buffer */
    char names[MOST_BUFFERS + RANDOM_STAGES * 4][16];
};

/* Made from the seed; every field is set anew. */
void random_kernel(struct random_kernel *m, uint64_t seed);
void random_kernel_free(struct random_kernel *m);
uint64_t random_bits(struct lane_type t, union random_value v);

#endif
