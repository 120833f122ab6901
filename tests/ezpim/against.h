/* SPDX-License-Identifier: MIT
 * Runs the text of a program on targets and compares all its outputs with the interpreter's. */
#ifndef TESTS_EZPIM_AGAINST_H
#define TESTS_EZPIM_AGAINST_H

#include "runtime/include/mpu/mpu.h"
#include "support/str.h"

enum {
    AGAINST_SPLIT = 128,   /* so often added to registers: bodies are split so far */
    AGAINST_PRODUCTS = 16, /* added to level: -fproducts */
    AGAINST_TIGHT = 1,     /* in place of rows: as few as may be */
    AGAINST_ROOM = 2,      /* or: as there is on the target, which is a built-in one */
    AGAINST_OWN = 3,       /* or: each built-in target without room gets a text of its own */
};

/* A way to run a program. */
struct against_setup {
    mpu_target *target;
    int level;         /* of optimization */
    const char *batch; /* as in mpu_config */
    const char *init;
    unsigned registers; /* with -fspill: as in ez_options; 0: without */
    unsigned rows;      /* as in ez_options */
    bool check;         /* golden beside */
};

/* Values of sizes that have no default in the text. */
struct against_size {
    char name[8];
    uint64_t value;
};
struct against_sizes {
    struct against_size items[4];
    unsigned count;
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
/* The sizes have these values; what is not among them is 7. */
enum against_outcome against_sized(const char *text, uint64_t seed,
                                   const struct against_sizes *sizes,
                                   const struct against_setup *setups, size_t count,
                                   struct str *why);

#endif
