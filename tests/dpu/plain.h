/* SPDX-License-Identifier: MIT
 * A DPU that looks at every cycle and every tasklet, one instruction at a time: slow, and plain
 * enough to be read as the rules that it follows.  What instructions compute is reference.h's. */
#ifndef TESTS_DPU_PLAIN_H
#define TESTS_DPU_PLAIN_H

#include "tests/dpu/reference.h"

#define PLAIN_MRAM_BYTES (1u << 18)
struct plain_tasklet {
    struct reference_state s;
    bool runs, in_transfer;
    bool was_stopped; /* in this run */
    long ready, last; /* cycles */
};
struct plain_dpu {
    struct plain_tasklet t[24];
    struct dpu_insn code[4096];
    uint32_t words;
    long executed[4096];
    uint8_t wram[65536], mram[PLAIN_MRAM_BYTES];
    bool atomic[256];
    long cycle, engine_milli; /* the cycle that comes; when the engine is free */
    long instructions, idle[3], counter_from;
    int counting;
};
void plain_load(struct plain_dpu *d, const struct dpu_program *p);
/* From tasklet 0's first instruction until all have stopped; false: after so many cycles some had
 * not, or an instruction is none that it knows. */
bool plain_run(struct plain_dpu *d, long most_cycles);

#endif
