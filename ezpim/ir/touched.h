/* SPDX-License-Identifier: MIT
 * Inside the middle: regions and the virtual registers that live outside of them. */
#ifndef EZPIM_IR_TOUCHED_H
#define EZPIM_IR_TOUCHED_H

#include "ezpim/ir/ir.h"

#include <stdlib.h>

struct ir_vregs {
    uint32_t *data;
    size_t len, cap;
};

/* By region: the virtual registers whose home is around it and that it writes, or reads, itself or
 * in regions inside; some of them more than once. */
struct ir_touched {
    struct ir_vregs *written, *read;
    size_t count;
};

void ir_touched_find(struct ir_code *code, struct ir_touched *touched);
void ir_touched_free(struct ir_touched *touched);

static inline bool ir_opens(uint8_t op) {
    return op == IR_BLOCK || op == IR_IF || op == IR_LOOP || op == IR_REPEAT;
}
/* The region behind instruction `insn`, which stands in `region`. */
static inline uint32_t ir_region_behind(const struct ir_code *code, const struct ir_insn *insn,
                                        uint32_t region) {
    if (insn->op == IR_END)
        return code->regions.data[insn->region].parent;
    return ir_opens(insn->op) ? insn->region : region;
}

/* How often a region is run, as a guess: the laps of the loops around it. */
#define IR_LAPS 8
uint64_t ir_region_weight(const struct ir_code *code, uint32_t region);
/* left * right, or a large number. */
uint64_t ir_weight_mul(uint64_t left, uint64_t right);

#endif
