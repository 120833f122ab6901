/* SPDX-License-Identifier: MIT
 * A kernel as one function whose instructions are those of the machine: calls are replaced by what
 * they call, variables by their places, and each operand is a register, a number, or what an
 * instruction of its own fetches.  It is still PTX, so that what looks at functions looks at it. */
#ifndef MACHINES_CORE_SIMT_LOWER_H
#define MACHINES_CORE_SIMT_LOWER_H

#include "machines/core/simt/live.h"
#include "ptx/program.h"

struct simt_lowered {
    const struct ptx_program *program;
    struct ptx_function function; /* registers, insns and labels; registers of temporaries have no
                                     name */
    VEC(uint32_t) parts;          /* [insns]: part of the program that each comes from */
    VEC(uint8_t) fixed;           /* [registers, or fewer]: 1 that cannot be spilled */
    uint64_t local_bytes, spill_bytes; /* of a thread; the last of them are for spilled registers */
    struct arena arena;
};
/* False with *fault set.  Freed by simt_lowered_free in any case. */
bool simt_lower(const struct ptx_program *program, struct simt_lowered *out,
                struct portable_fault *fault);
void simt_lowered_free(struct simt_lowered *l);

/* Makes instructions; those of *like's line that are new have its guard only where it is said. */
uint32_t simt_new_register(struct simt_lowered *l, enum ptx_type type);
/* An instruction of that name with `count` operands, at the line of `like`; not yet put in. */
struct ptx_insn simt_new_insn(struct simt_lowered *l, const struct ptx_insn *like, const char *name,
                              const struct ptx_operand *operands, uint32_t count);
struct ptx_operand simt_register_operand(uint32_t number);
struct ptx_operand simt_number_operand(uint64_t number);
/* An address that is a number, or a register with one added. */
struct ptx_operand simt_place_operand(uint64_t address);

/* ---- webs.c ---- */

/* A register of its own for each value that has nothing to do with others in the same one. */
void simt_split_webs(struct simt_lowered *l);

/* ---- spill.c ---- */

/* Registers that are marked leave for local memory, or, where one instruction makes them of nothing
 * but numbers, are made anew where they are read.  [registers] */
void simt_spill(struct simt_lowered *l, const uint8_t *marked);
/* Whether an instruction makes its result of nothing that changes. */
bool simt_makes_anew(const struct simt_lowered *l, const struct ptx_insn *insn);
/* One that stays where it is. */
uint32_t simt_fixed_register(struct simt_lowered *l, enum ptx_type type);

#endif
