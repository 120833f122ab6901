/* SPDX-License-Identifier: MIT
 * The toy's datapath, and what an event of it points to. */
#ifndef TESTS_MACHINES_SLOT_RUN_H
#define TESTS_MACHINES_SLOT_RUN_H

#include "tests/machines/slot/slot.h"

#include "machines/datapath.h"

extern const struct datapath_ops slot_ops;

struct slot_record {
    const struct slot_command *command;
    const uint64_t *constants;
    const struct insn *insn;
};

#endif
