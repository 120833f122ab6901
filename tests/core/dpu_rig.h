/* SPDX-License-Identifier: MIT
 * Runs on one DPU beside golden: memory of both from the same draw, compared afterwards. */
#ifndef TESTS_CORE_DPU_RIG_H
#define TESTS_CORE_DPU_RIG_H

#include "machines/core/dpu/run/core.h"
#include "machines/core/dpu/runs/runs.h"

/* Registers of a run, the host's copy of what lies in MRAM: one number an element. */
struct rig_state {
    uint32_t elements;
    uint64_t *values[SCALAR_ARRAYS]; /* [elements]; NULL: the array is not there */
    bool flush;                      /* floats have no subnormal numbers */
};
struct rig {
    struct dpu_loop loop;
    uint8_t bits[64];
    uint32_t table_at[4];
    uint8_t far[4];             /* which of them lie in MRAM */
    const struct isa_lut *luts; /* of table_at */
    uint32_t lut_count;
    struct rig_state state;
    struct str text;
    struct dpu_loop_about about;
    struct dpu_counters counters;
};

uint64_t rig_random(uint64_t *seed);
/* A number of so many bits: an edge, or at random. */
uint64_t rig_number(uint64_t *seed, unsigned bits);
/* Registers, C, M and valid of so many elements at random; M only where valid is 1. */
void rig_open(struct rig *r, const uint8_t *bits, uint32_t elements, uint32_t tasklets,
              uint64_t *seed);
void rig_close(struct rig *r);
/* Compiles and carries out the run, by golden functions and on a DPU.  False, with what differs or
 * is wrong in *what. */
bool rig_run(struct rig *r, const struct insn *insns, size_t count, bool masked, struct str *what);
/* One instruction on one element, by its golden function. */
void rig_golden(struct rig_state *s, const struct insn *insn, uint32_t element, bool masked);
/* What the instructions are, for messages. */
void rig_print(const struct insn *insns, size_t count, struct str *out);

#endif
