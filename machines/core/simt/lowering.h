/* SPDX-License-Identifier: MIT
 * Lowering at work: lower_insn.c has instructions, lower_function.c functions. */
#ifndef MACHINES_CORE_SIMT_LOWERING_H
#define MACHINES_CORE_SIMT_LOWERING_H

#include "machines/core/simt/lowered.h"

struct simt_lowering {
    struct simt_lowered *out;
    const struct ptx_program *program;
    struct portable_fault *fault;
    uint32_t part; /* of the program, that is put in */
    const struct ptx_function *function;
    const struct ptx_insn *insn; /* that is looked at */
    uint32_t first_label, end;   /* labels of this copy of the function, and that behind it */
};

/* Puts an instruction in, or a new one at the line that is looked at. */
void simt_lower_emit(struct simt_lowering *l, struct ptx_insn insn);
void simt_lower_emit_new(struct simt_lowering *l, const char *name,
                         const struct ptx_operand *operands, uint32_t count);
/* guard PTX_NONE: always */
void simt_lower_emit_branch(struct simt_lowering *l, uint32_t label, uint32_t guard,
                            bool guard_not);
uint32_t simt_lower_new_label(struct simt_lowering *l);
void simt_lower_place_label(struct simt_lowering *l, uint32_t label); /* behind what is there */
/* A register of the function, as one of the program. */
uint32_t simt_lower_slot(const struct simt_lowering *l, uint32_t number);
const char *simt_lower_move_name(unsigned bits); /* 16, 32, 64 */
/* The instruction that is looked at, which neither calls nor returns. */
void simt_lower_plain(struct simt_lowering *l);

#endif
