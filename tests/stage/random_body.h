/* SPDX-License-Identifier: MIT
 * Random bodies of stage kernels, as text: variables and arrays of all types, indices that are
 * data, conditions, loops that are left and go on.  What they come to the interpreter says. */
#ifndef TESTS_STAGE_RANDOM_BODY_H
#define TESTS_STAGE_RANDOM_BODY_H

#include "tests/stage/launched.h"

/* Parameters are numbers `a` and `n`, the length, and buffers x, y and z. */
void random_bodies(struct launched *x, uint64_t seed, uint64_t *a, uint64_t *n);

#endif
