/* SPDX-License-Identifier: MIT
 * What a run on the toy took, counted from outside: every row command that the observer is told of,
 * the lanes that M enabled before its instruction, as get gives them, and what was asked and
 * copied, as the control path calls it. */
#ifndef TESTS_MACHINES_SLOT_LEDGER_H
#define TESTS_MACHINES_SLOT_LEDGER_H

#include "run.h"

#include "support/vec.h"

enum { LEDGER_CELLS = 64 + 3 + SLOT_MAX_SCRATCH };

struct ledger {
    struct datapath *dp;
    const struct target *target;
    uint32_t vrfs, lanes;
    uint64_t uops[SLOT_KINDS], logic_fj, sweep_fj, access_fj, lanes_fj;
    uint64_t *enabled, *before; /* [vrfs]: lanes now, and before the instruction at work */
    uint64_t *writes;           /* [vrfs][LEDGER_CELLS] */
    /* Of the last execution: VRFs, and the commands of its first range. */
    uint64_t on;
    VEC(struct dp_event) events;
    uint64_t asked; /* VRFs, at the last answer */
};

/* Watches a machine; one at a time. */
void ledger_open(struct ledger *l, struct datapath *dp, const struct target *t, uint32_t lanes);
void ledger_close(struct ledger *l);

#endif
