/* SPDX-License-Identifier: MIT
 * Random ezpim programs with control flow, as text.  They compile, end, never read what may be
 * unwritten, and write every output in every element. */
#ifndef TESTS_EZPIM_PROGRAM_GEN_H
#define TESTS_EZPIM_PROGRAM_GEN_H

#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

struct program_options {
    bool all_operations; /* also those that only some targets have */
    unsigned work;       /* statements that an element runs, about, at most */
};

/* Replaces *text.  The same seed gives the same program. */
void program_random(uint64_t seed, const struct program_options *options, struct str *text);

#endif
