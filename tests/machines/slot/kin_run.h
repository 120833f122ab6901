/* SPDX-License-Identifier: MIT
 * Random programs of several kin on a machine of slots: plain, checked, on two threads and watched,
 * compared with one another; what a machine takes for them is its test's to count. */
#ifndef TESTS_MACHINES_SLOT_KIN_RUN_H
#define TESTS_MACHINES_SLOT_KIN_RUN_H

#include "kin_program.h"
#include "tests/machines/target_bench.h"

#include "emu/control/control.h"
#include "linker/package.h"

enum { KIN_MOST_KINDS = 32, KIN_MOST_PARTS = 16 };

/* What a run came to; arrays as far as the machine has kinds, parts and counters. */
struct kin_seen {
    uint64_t time_ps, uops[KIN_MOST_KINDS], energy_fj[KIN_MOST_PARTS], counters[KIN_MOST_PARTS],
        events;
    struct control_established established;
    struct str state;
};

struct kin_case;
struct kin_bench {
    struct target_bench on; /* the first: target_bench_tear_down */
    const struct datapath_ops *ops;
    bool (*has)(enum isa_op op); /* instructions that may be drawn */
    bool luts;
    /* Of each program that was built, with the plain run. */
    void (*check)(const struct kin_case *x, const struct kin_seen *plain);
    uint64_t row_bits;
    uint64_t built, shared, with_rounds, with_fixed, several_mpus;
};
struct kin_case {
    struct kin_bench *b;
    uint64_t seed;
    bool seven;
    struct kin_program k;
    struct object *o;
    struct package *p;
};

/* seven: a group of each width. */
void kin_run(struct kin_bench *b, uint64_t seed, bool seven);
/* VRFs of an owner in one round, by the rows that its elements fill. */
uint64_t kin_vrfs(const struct kin_case *x, uint32_t owner);
unsigned kin_slot(unsigned width);
/* The counted are what was carried out, of kinds below `kinds`. */
void kin_compare_counts(const struct kin_case *x, const uint64_t *counted,
                        const struct kin_seen *plain, const char *const *names, unsigned kinds);

#endif
