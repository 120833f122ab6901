/* SPDX-License-Identifier: MIT
 * Instructions as recipes see them: those of the ISA, and MASKED, which masks the results of
 * others. */
#include "recipe/set/set.h"

/* rs, d and M to d.  Its own form has no mask: it is what masks others. */
static void merge(struct golden_lane *lane) {
    lane->rd = lane->m ? lane->rs : lane->rd;
}

const struct isa_info *recipe_info(enum isa_op op) {
    static const struct isa_info masked = {.name = "MASKED",
                                           .operand_count = 2,
                                           .operands = {ROLE_RS, ROLE_RD},
                                           .flags = ISA_VECTOR | ISA_WIDTH | ISA_UNMASKED |
                                                    READS_RS | READS_RD | READS_M | WRITES_RD,
                                           .golden = merge,
                                           .operation = "rd = M ? rs : rd",
                                           .text = "",
                                           .decision = ""};
    return op == OP_MASKED ? &masked : isa_info(op);
}
