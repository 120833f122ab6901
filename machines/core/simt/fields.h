/* SPDX-License-Identifier: MIT
 * Fields of words (docs/simt-code.md): shared by encode.c and decode.c. */
#ifndef MACHINES_CORE_SIMT_FIELDS_H
#define MACHINES_CORE_SIMT_FIELDS_H

#include "machines/core/simt/words.h"

/* W0 */
#define SIMT_W0_EXTENDED  (UINT32_C(1) << 19)
#define SIMT_W0_IMMEDIATE (UINT32_C(1) << 18)
/* mod of W1 where X = 1 and I = 0 */
#define SIMT_W1_NUMBER 0x10 /* source 1 is the 16 bits above; of an atomic: 32-bit address */
#define SIMT_W1_LONG   0x1f /* the 16 bits above say what follows */
/* The 16 bits of a long form */
#define SIMT_LONG_WIDE      0x20 /* numbers have 64 bits */
#define SIMT_LONG_MODIFIERS 0x40
#define SIMT_LONG_REGISTERS 0x80
#define SIMT_LONG_OFFSET    0x4000
#define SIMT_LONG_SPREAD    0x8000 /* of MOV: several results */

#define SIMT_RECONVERGE_END 0x7fff
#define SIMT_MODE_THREADS   30 /* of BAR's modifiers: bar.sync says for how many threads */

/* Flags that a word of modifiers has, from bit 22 on. */
#define SIMT_TOLD_FLAGS 9
static const uint16_t simt_told_flags[SIMT_TOLD_FLAGS] = {PTX_FTZ,  PTX_SAT,      PTX_APPROX,
                                                          PTX_FULL, PTX_WRAP,     PTX_CLAMP,
                                                          PTX_CC,   PTX_NAN_FLAG, PTX_SHIFTAMT};

/* Where operands stand. */
enum { SIMT_SLOT_DST, SIMT_SLOT_A, SIMT_SLOT_B, SIMT_SLOT_C, SIMT_SLOT_D, SIMT_SLOT_E };
/* What is stored stands where results do. */
static inline unsigned simt_slot_of(const struct simt_insn *insn, unsigned source) {
    if (insn->op == SIMT_ST && source == 1)
        return SIMT_SLOT_DST;
    return SIMT_SLOT_A + source;
}
/* The source that a number in W0's or W1's field is. */
static inline unsigned simt_number_source(const struct simt_insn *insn) {
    return insn->source_count > 1 ? 1 : 0;
}

#endif
