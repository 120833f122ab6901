/* SPDX-License-Identifier: MIT
 * Generic recipes, carried out as they stand: 64 lanes of a machine that knows bits, positions and
 * carries, and no target.  It shares nothing with the mapping, the expansion and the emulator but
 * the syntax tree. */
#ifndef TESTS_RECIPE_LOGIC_H
#define TESTS_RECIPE_LOGIC_H

#include "recipe/set/set.h"

/* Bit planes of 64 lanes. */
struct logic_lanes {
    uint64_t registers[3][64]; /* rs, rt, rd */
    uint64_t c, m, valid;
};

/* Carries out a resolved generic recipe for insn, whose operands are distinct.  False, with why
 * and where in `error`, if the body misuses the notation: reads what was not written, a bit of a
 * register at another position, or leaves a result unwritten. */
bool logic_run(const struct recipe_set *set, const struct recipe *c, const struct insn *insn,
               struct logic_lanes *lanes, char *error, size_t error_size);

#endif
