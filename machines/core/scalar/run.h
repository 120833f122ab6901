/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions as scalar IR: what they do to one element. */
#ifndef MACHINES_CORE_SCALAR_RUN_H
#define MACHINES_CORE_SCALAR_RUN_H

#include "isa-spec/isa.h"
#include "machines/core/scalar/routines.h"

/* Arrays: registers have their numbers; C and M are one byte, 0 or 1, as is `valid`. */
enum { SCALAR_C = 64, SCALAR_M, SCALAR_VALID, SCALAR_ARRAYS };

struct scalar_run {
    const struct insn *insns;
    size_t count;
    bool masked;             /* predication is on at entry */
    const uint8_t *reg_bits; /* [64]: what lies above them is nobody's */
    uint64_t dead;           /* registers that nobody reads afterwards */
    bool dead_c, dead_m;     /* likewise */
    bool all_valid;          /* `valid` is 1 in all elements */
    bool flush;              /* floats have no subnormal numbers */
    /* Operations on floats, and conversions, that the core has itself: they are calls (routines.h),
     * where numbers are not flushed.  NULL: none. */
    bool (*calls)(const struct scalar_routine *routine);
    const uint8_t *far; /* by the number of a table: it comes by transfers; NULL: none does */
};
/* Bytes of an element of a register of so many bits: 1, 2, 4, 8. */
unsigned scalar_bytes(unsigned bits);
/* Whether the words [count] are those of the instructions. */
bool scalar_run_has_words(const uint32_t *words, const struct insn *insns, size_t count);
/* What one instruction makes of rs, which is register 0, and rt, register 1 (0: it has none), in
 * register 2 or C; with anything above its width.  0: it is not in the IR. */
scalar_id scalar_instruction(struct scalar_body *b, const struct insn *insn, scalar_id rs,
                             scalar_id rt);
/* Sources of values: 1 + the number of an instruction; of those from here on 0. */
#define SCALAR_MOST_SOURCES 0x7ffeu
/* Appends what lap `element` of a loop over the run does.  False at an instruction that the IR does
 * not have, whose number is in *wrong. */
bool scalar_from_run(struct scalar_body *b, const struct scalar_run *run, uint32_t element,
                     size_t *wrong);

#endif
