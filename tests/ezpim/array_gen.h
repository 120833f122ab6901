/* SPDX-License-Identifier: MIT
 * Random ezpim programs about arrays, as text: groups of one to three dimensions whose extents are
 * numbers and sizes, moves of every form, folds, scans, loops around them.  They compile, end,
 * never read what may be unwritten, and write every output in every element.  The generator of
 * program_gen.h makes control flow instead. */
#ifndef TESTS_EZPIM_ARRAY_GEN_H
#define TESTS_EZPIM_ARRAY_GEN_H

#include "support/str.h"
#include "tests/ezpim/against.h"

#include <stdbool.h>
#include <stdint.h>

/* What may stand in a program beside ensembles, affine moves, folds and loops. */
enum array_form {
    ARRAY_SIZES = 1,     /* extents, counts and bounds that are worked out from sizes */
    ARRAY_STEPS = 2,     /* strided targets; counters of loops in moves; sizes as bounds of loops */
    ARRAY_INDICES = 4,   /* gather and scatter */
    ARRAY_FOLDS = 8,     /* folds along a dimension */
    ARRAY_SCANS = 16,    /* scans of all kinds */
    ARRAY_PRODUCTS = 32, /* products of matrices and vectors */
    ARRAY_SORTS = 64,
    ARRAY_VALUES = 128, /* link-time values, with and without a default */
    ARRAY_TABLES = 256, /* tables of constants that data index */
    ARRAY_OUTSIDE = 512 /* variables whose arrays have another type: `as` */
};

struct array_options {
    unsigned forms; /* enum array_form */
    bool cheap;     /* only operations that all targets have at a low cost */
    bool alone;     /* one MPU */
    bool apart;     /* no element meets another one: no moves and folds */
    uint32_t most;  /* elements of a group, about */
};

/* Replaces *text, and *sizes by the values of sizes without a default.  The same seed gives the
 * same program. */
void array_random(uint64_t seed, const struct array_options *options, struct str *text,
                  struct against_sizes *sizes);

#endif
