/* SPDX-License-Identifier: MIT
 * Masks: how the regions of the intermediate form become instructions.
 *
 * A level is the mask that a region runs under.  Where lanes leave a region before its end, the
 * level around it is kept in a register (GETMASK), and the region's end brings it back (SETMASK).
 * Lanes that leave several regions at once (break, continue, return) are struck from the levels in
 * between by a masked INIT0: so one instruction a level, and nothing at the ends that they pass.
 * At the outermost level of an ensemble all valid lanes are enabled, and UNMASK brings that back
 * without a register. */
#ifndef EZPIM_CODE_MASK_H
#define EZPIM_CODE_MASK_H

#include "ezpim/code/code.h"

struct masks;

/* For the code of one body; fills out->stretches. */
struct masks *code_mask_open(struct ir_code *ir, struct code *out);
/* The instructions of mark `insn`, number `index` of the body. */
void code_mask_select(struct masks *masks, const struct ir_insn *insn, size_t index);
/* The comparison in front of `mark` left its result in C (inverted: the opposite); `value` is the
 * register that the mark would read. */
void code_mask_take_condition(struct masks *masks, const struct ir_insn *mark, uint32_t value,
                              bool inverted);
/* IR_ENABLE: all valid lanes are enabled before it. */
void code_mask_enable(struct masks *masks, const struct ir_insn *insn);
/* Behind a call: the mask is what it was, but predication may be on where all lanes are enabled. */
void code_mask_called(struct masks *masks, const struct ir_insn *insn);
void code_mask_close(struct masks *masks);

/* Appends an instruction. */
struct code_insn *code_put(struct code *out, enum isa_op op, unsigned width, uint32_t rs,
                           uint32_t rt, uint32_t rd, struct span at);

#endif
