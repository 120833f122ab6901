/* SPDX-License-Identifier: MIT
 * Random programs whose results do not depend on which VRFs share a batch, and the small machine
 * that they run on. */
#ifndef TESTS_CONTROL_RANDOM_PROGRAM_H
#define TESTS_CONTROL_RANDOM_PROGRAM_H

#include "linker/package.h"

/* The machine: 3 MPUs of 2 RFHs of 3 VRFs of 8 lanes; the program's fixed VRFs have 6 lanes and
 * are in MPUs 0 and 1. */
enum {
    BENCH_MPUS = 3,
    BENCH_RFHS = 2,
    BENCH_VRFS = 3,
    BENCH_LANES = 8,
    BENCH_FIXED_LANES = 6,
    BENCH_IMAGE = 2,
    BENCH_GROUPS = 3,
    BENCH_ALL_VRFS = BENCH_MPUS * BENCH_RFHS * BENCH_VRFS,
};

/* The package of that machine, made by hand: where fixed VRFs and the three groups lie. */
void bench_package(struct package *p);

/* Makes a program; `allowed[op]` says which vector instructions may be drawn, but for those on
 * floats, which planes have thousands of micro-ops for.  Returns how many registers it uses, from
 * r0 on. */
unsigned random_program(uint64_t seed, const bool allowed[OP_COUNT], struct object *o);
/* Floats too. */
unsigned random_program_of_floats(uint64_t seed, const bool allowed[OP_COUNT], struct object *o);

#endif
