/* SPDX-License-Identifier: MIT
 * The verification matrix: every instruction of a machine against the golden function, lane by
 * lane.  Of the machine it uses bind, put, prepare, execute, get and what describe says of
 * micro-ops, so that it is the same for all kinds. */
#ifndef MACHINES_VERIFY_VERIFY_H
#define MACHINES_VERIFY_VERIFY_H

#include "isa-spec/isa.h"
#include "machines/datapath.h"
#include "support/diag.h"

/* A machine to verify. */
struct verify_machine {
    struct datapath *(*open)(const struct dp_setup *setup, struct diag *d); /* datapath_ops.open */
    /* Target and library; the rest is the matrix's.  It opens the machine several times, with one
     * MPU of one RFH and as many VRFs as it needs. */
    struct dp_setup setup;
    uint32_t lanes; /* of each VRF, where they are not free; 0: as suits the matrix */
    /* Bits of all registers, which instructions are no wider than: those of one slot of the machine
     * (machine.slots); 0: 64. */
    unsigned slot;

    const void *context; /* of the functions below, which threads call at once */
    bool (*has)(const void *context, enum isa_op op);
    /* What a lane holds after an instruction, by the target's arithmetic; NULL: what the ISA's own
     * golden functions say, to the last bit, and there are no others. */
    void (*golden)(const void *context, enum isa_op op, struct golden_lane *x);
    /* What can be said of a form without running it, of the code that prepare made of it: false
     * after reporting.  NULL: nothing. */
    bool (*check)(const void *context, const struct insn *insn, bool masked,
                  const struct dp_code *code, struct diag *d);
};

enum verify_effort {
    VERIFY_LIGHT, /* for sanitizer builds: each thing once */
    VERIFY_FULL,  /* all operand values at w 1..5 (three operands 1..4), all pairs and all 2^24
                     triples at 8, random and edge values at 9, 13, 16, 31, 32, 33, 63, 64; masked
                     and not; every alias that the ISA allows; registers that are not written keep
                     every bit, also those above w */
    VERIFY_LONG,  /* all of it at more widths and with more random values */
};

struct verify_count {
    uint64_t instructions; /* mnemonics */
    uint64_t forms;        /* distinct ones: width, constant, alias, mask */
    uint64_t lanes;        /* lane results compared */
    uint64_t uop_lanes;    /* micro-ops times lanes executed */
};

struct verify_options {
    enum verify_effort effort;
    enum isa_op op;     /* OP_COUNT: all that the machine has */
    unsigned width;     /* 0: those of the effort */
    uint64_t seed;      /* of the random values */
    const int32_t *imm; /* instructions with a constant alone, and this one; NULL: all */
    /* Every shift count and source width at every width, and every immediate at one: each in one
     * form more, by turns masked and under another alias, on fewer lanes. */
    bool every_constant;
    /* After each instruction; may be NULL. */
    void (*progress)(void *context, enum isa_op op, const struct verify_count *so_far);
    void *context;
};

/* False at the first difference, which is reported with the instruction, its operands, the lane,
 * what was there, what came out and what should have. */
bool verify_matrix(const struct verify_machine *machine, const struct verify_options *options,
                   struct verify_count *count, struct diag *diag);

/* Fills *machine with the default engine of the library's target, what the library has and, of a
 * kind with slots, the lanes of VRFs in one; false if the kind has no engine.  The library is kept
 * by the caller. */
bool verify_library(struct verify_machine *machine, const struct machine_library *library,
                    unsigned slot);

#endif
