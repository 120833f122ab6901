/* SPDX-License-Identifier: MIT
 * Random programs of MPU instructions on a core, whatever its instruction set. */
#ifndef TESTS_CORE_CORE_PROGRAMS_H
#define TESTS_CORE_CORE_PROGRAMS_H

#include "emu/control/control.h"
#include "machines/datapath.h"
#include "tests/machines/target_bench.h"

struct core_under_test {
    const char *target;
    const struct machine *machine;
    const struct datapath_ops *engine;
    bool tells_all; /* an observer is told of all micro-ops that are counted, not of instructions */
};
struct core_bench {
    struct target_bench on;
    const struct core_under_test *core;
    bool allowed[OP_COUNT];
};
/* The random programs' machine, with one key more. */
void core_bench_open(struct core_bench *bench, const struct core_under_test *core, const char *key,
                     const char *value);

/* A program with its package, code among it. */
struct core_program {
    struct core_bench *b;
    uint64_t seed;
    struct object *o;
    struct package p;
};
void core_program_open(struct core_program *program, struct core_bench *bench, uint64_t seed);
void core_program_close(struct core_program *program);
/* Appends the registers of valid lanes. */
void core_program_visible(const struct core_program *program, struct datapath *dp, struct str *out);
void core_program_same(const struct core_program *program, const char *what, const struct str *a,
                       const struct str *b);

/* The program of that seed, in all ways. */
void core_program_compare(struct core_bench *bench, uint64_t seed);
/* A snapshot brings back what was there; one of another machine is refused. */
void core_program_snapshot(struct core_bench *bench);
/* Bytes of a package that are damaged, or end early, are refused, or are other code. */
void core_program_damaged(struct core_bench *bench, uint64_t count);

#endif
