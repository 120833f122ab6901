/* SPDX-License-Identifier: MIT
 * Runs the text of a program on targets and compares all its outputs with the interpreter's. */
#ifndef TESTS_EZPIM_AGAINST_H
#define TESTS_EZPIM_AGAINST_H

#include "runtime/include/mpu/mpu.h"
#include "support/str.h"

/* A way to run a program. */
struct against_setup {
    mpu_target *target;
    int level;         /* of optimization */
    const char *batch; /* as in mpu_config */
    const char *init;
    unsigned registers; /* with -fspill: as in ez_options; 0: without */
    unsigned rows;      /* as in ez_options; 1: tight */
    bool check;         /* golden beside */
};

enum against_outcome {
    AGAINST_SAME,
    AGAINST_DIFFERS,  /* also: the run stopped */
    AGAINST_REFUSED,  /* does not compile or link */
    AGAINST_SENSELESS /* the interpreter cannot run it: the program is not as it should be */
};

/* Sizes without a default are 7.  Inputs are random, made from `seed`.  What is wrong is
 * appended to *why. */
enum against_outcome against(const char *text, uint64_t seed, const struct against_setup *setups,
                             size_t count, struct str *why);

#endif
