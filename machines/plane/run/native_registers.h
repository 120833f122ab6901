/* SPDX-License-Identifier: MIT
 * Which registers hold which variables while code is emitted, for the files that emit. */
#ifndef MACHINES_PLANE_RUN_NATIVE_REGISTERS_H
#define MACHINES_PLANE_RUN_NATIVE_REGISTERS_H

#include "machines/plane/run/native.h"

#define CODE_NOWHERE       255
#define CODE_MOST_REGISTER 32

/* Of the call's bases; the last ones are those that a function gives back as they were. */
extern const enum x86_gpr plane_code_base_gpr[PLANE_CODE_BASES];

/* Invariant between operations: a register that is not in the queue holds a variable that is read
 * further on; such a variable is in a register, or in its plane of the tile, or spilled. */
struct code_registers {
    const struct plane_code_source *source;
    struct plane_emission *out;
    bool narrow_part; /* AVX2, under a mask: planes of the tile are no operands of operations */
    unsigned vector;  /* bytes */
    uint8_t *reg;     /* by variable, or CODE_NOWHERE */
    uint32_t *spill;  /* by variable: offset in the spill area; 0: not there */
    uint32_t held[CODE_MOST_REGISTER], next[CODE_MOST_REGISTER]; /* variable, its next use */
    uint32_t pinned;                                             /* bit r: operand of this op */
    uint8_t queue[CODE_MOST_REGISTER];                           /* free, for longest first */
    unsigned queue_first, queue_count;
    /* Of the spill area.  What an operation may still read is free behind it. */
    VEC(uint32_t) free_spills;
    VEC(uint32_t) left_spills;
};

void plane_registers_begin(struct code_registers *r, unsigned registers, uint32_t variables);
void plane_registers_end(struct code_registers *r);
/* Before each operation. */
void plane_registers_next(struct code_registers *r);
/* One that is free, or is then: what is read last of all is spilled. */
unsigned plane_register_take(struct code_registers *r);
void plane_register_give(struct code_registers *r, unsigned reg);
void plane_register_hold(struct code_registers *r, unsigned reg, uint32_t variable, uint32_t next);
/* Would a variable that is read at `next` go into a register that holds nothing of use sooner? */
bool plane_register_pays(const struct code_registers *r, uint32_t next);
/* Nothing reads the variable any more: its register and its spill are free. */
void plane_register_forget(struct code_registers *r, uint32_t variable);
/* Where a variable lies that is in no register. */
struct x86_operand plane_register_memory(struct code_registers *r, uint32_t variable);
/* The same as an operand of an operation. */
bool plane_register_is_operand(const struct code_registers *r, uint32_t variable);
/* Fetches the plane that is the `number`th to be touched, where the call will be next; near: one
 * that is touched a little later than that, in this turn or the next one. */
void plane_register_fetch(struct code_registers *r, const struct code_ops *ops, size_t number,
                          bool near);
void plane_register_load(struct code_registers *r, unsigned reg, uint32_t variable);
/* To its plane of the tile. */
void plane_register_store(struct code_registers *r, unsigned reg, uint32_t variable);

#endif
