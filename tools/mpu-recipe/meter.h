/* SPDX-License-Identifier: MIT
 * What one instruction costs on a machine that has no recipes, as its run half says it; of a
 * machine with slots in each of these. */
#ifndef TOOLS_MPU_RECIPE_METER_H
#define TOOLS_MPU_RECIPE_METER_H

#include "tools/mpu-recipe/source.h"

/* In one VRF that is alone on an idle machine, all of its lanes enabled. */
struct meter_cost {
    uint64_t micro_ops, latency_cycles, energy_fj;
    uint64_t scratch_rows; /* of a kind with programs to show, else 0 */
};

/* The slots that a source's instructions have costs in, ascending and ended by 0: those of `asked`
 * [count] that its machine has, or all; 64 alone of a machine without. */
struct meter_slots {
    uint8_t bits[65];
};
struct meter_slots meter_slots_of(const struct recipe_source *source, const uint8_t *asked,
                                  size_t count);
/* A slot has room for the instruction's operands. */
bool meter_fits(unsigned slot, const struct insn *insn);
bool meter_has(const struct recipe_source *source, enum isa_op op);
/* False after reporting. */
bool meter_read(const struct recipe_source *source, unsigned slot, const struct insn *insn,
                bool masked, struct meter_cost *out, struct diag *diag);
/* "8", or "8-64": so many of the slots from number `first` on. */
void meter_slots_text(const struct meter_slots *slots, unsigned first, unsigned count,
                      struct str *out);

#endif
