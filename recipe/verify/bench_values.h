/* SPDX-License-Identifier: MIT
 * Operands on which lists of micro-ops are tried (recipe_verify). */
#ifndef RECIPE_VERIFY_BENCH_VALUES_H
#define RECIPE_VERIFY_BENCH_VALUES_H

#include "isa-spec/isa.h"

#define BENCH_LANES 64

/* How many times 64 lanes show an instruction at width w all that is worth trying, at least 1. */
unsigned recipe_bench_rounds(const struct insn *insn, unsigned w);

/* Values of 64 bits of r1 .. r3 for one of these rounds, of which 0 has a bit of everything; what
 * lies above the operands' widths is random.  The same each time. */
void recipe_bench_values(const struct insn *insn, unsigned w, unsigned round,
                         uint64_t registers[4][BENCH_LANES]);

#endif
