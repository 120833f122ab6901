/* SPDX-License-Identifier: MIT
 * Random kernels on the scalar interpreter. */
#ifndef TESTS_PTX_DRAWN_GOLDEN_H
#define TESTS_PTX_DRAWN_GOLDEN_H

#include "portable/portable.h"
#include "tests/ptx/drawn/drawn.h"

/* Parameters of k(input, own, sums, n, passed), at their offsets. */
struct drawn_parameters {
    uint64_t input, own, sums;
    uint32_t n, passed[3];
};

/* As drawn_values, of a text of it; false with *fault set. */
bool drawn_on_golden(const struct drawn *drawn, const struct str *text, bool descending,
                     uint64_t *own, uint64_t *sums, struct portable_fault *fault);

#endif
