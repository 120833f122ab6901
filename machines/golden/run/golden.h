/* SPDX-License-Identifier: MIT
 * The golden datapath: a register of a lane is a number, an instruction is the golden function of
 * the ISA's table.  It exists to check; its costs are unknown, not zero. */
#ifndef MACHINES_GOLDEN_GOLDEN_H
#define MACHINES_GOLDEN_GOLDEN_H

#include "machines/state/state.h"

struct golden_machine {
    struct lane_state state;
    struct dp_code *codes; /* under the state's lock */
};

struct dp_code {
    struct dp_code *next;
    struct insn *insns;
    bool *masked; /* predication at each instruction */
    size_t count;
};

static inline struct golden_machine *golden_of(struct datapath *dp) {
    return (struct golden_machine *)(void *)dp;
}

#endif
