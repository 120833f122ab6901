/* SPDX-License-Identifier: MIT
 * What of an instruction is known before it is issued. */
#ifndef MACHINES_CORE_SIMT_TIME_STEP_PLANS_H
#define MACHINES_CORE_SIMT_TIME_STEP_PLANS_H

#include "machines/core/simt/link/simt_link.h"
#include "machines/core/simt/code.h"

enum simt_unit {
    SIMT_UNIT_ALU,
    SIMT_UNIT_MEMORY, /* global, local, generic */
    SIMT_UNIT_SHARED,
    SIMT_UNIT_CONST, /* and parameters */
    SIMT_UNIT_BARRIER,
    SIMT_UNIT_FENCE,
    SIMT_UNIT_FRONT, /* branches, ends */
};
/* Sets of units of 32 bits, R0 from bit 0 on, and of predicates, P0 from bit 0 on. */
struct simt_set {
    uint64_t units;
    uint32_t predicates;
};
struct simt_plan {
    uint8_t unit;     /* enum simt_unit */
    uint8_t location; /* SIMT_NEAR, SIMT_FAR; SIMT_BOTH: the track table decides */
    bool slow;        /* a division, a root */
    bool stores, atomic;
    bool has_sources;        /* registers */
    uint8_t number_bytes;    /* of numbers that its packet holds */
    uint8_t registers;       /* of 32 bits that it reads and writes */
    uint8_t result_units;    /* of those, that it writes */
    uint32_t line;           /* of the instruction cache */
    struct simt_set sources; /* but for the address and the guard */
    struct simt_set address, results, guard;
    struct simt_set needs; /* all of these */
};

/* [insn_count], to be freed. */
struct simt_plan *simt_plans(const struct simt_kernel *kernel, const struct simt_keys *keys);

#endif
