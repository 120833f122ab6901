/* SPDX-License-Identifier: MIT
 * Ordinary programs whose lanes hold much (rows/NAME.ez): made-up inputs, and what must come out,
 * computed in plain C. */
#ifndef TESTS_PROGRAMS_ROWS_H
#define TESTS_PROGRAMS_ROWS_H

#include "runtime/include/mpu/mpu.h"

#include <stdint.h>

enum { ROWS_ARRAYS = 14 };

struct rows_array {
    const char *name;
    mpu_array values;
};
struct rows_list {
    struct rows_array item[ROWS_ARRAYS];
    uint32_t count;
};
struct rows_data {
    uint64_t random; /* state of splitmix64 */
    struct rows_list in, want;
};

/* Adds an array of zeros and returns its values, densely packed in C order.  Extents of 0 are left
 * out, so that `0, 0` is a single value. */
void *rows_add(struct rows_list *list, const char *name, mpu_type type, uint64_t n, uint64_t each);
/* The same for inputs that are random bytes. */
void *rows_random(struct rows_data *d, const char *name, mpu_type type, uint64_t n, uint64_t each);
uint32_t rows_below(struct rows_data *d, uint32_t limit);
uint64_t rows_bytes(const mpu_array *a);
void rows_free(struct rows_data *d);

/* Each fills inputs and expected outputs for n elements. */
typedef void rows_maker(struct rows_data *d, uint32_t n);
rows_maker rows_adpcm, rows_chacha20, rows_collectives, rows_dft, rows_grep, rows_mul128,
    rows_neighbours, rows_radix, rows_reductions, rows_sha256;

#endif
