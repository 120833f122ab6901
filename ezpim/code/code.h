/* SPDX-License-Identifier: MIT
 * Code of one ensemble between the intermediate form and the builder: MPU instructions over
 * virtual registers (after selection), then over registers (after allocation). */
#ifndef EZPIM_CODE_CODE_H
#define EZPIM_CODE_CODE_H

#include "ezpim/ir/ir.h"

enum code_kind {
    CODE_INSN,
    CODE_CONST,  /* rd = value: LI and LIKs */
    CODE_SIZE,   /* rd = size + value */
    CODE_VALUE,  /* rd = element `value` of the link-time value number `size` */
    CODE_LABEL,  /* binds the label `value` */
    CODE_JUMP,   /* op to the label `value` */
    CODE_CALL,   /* of call->sub */
    CODE_DEBUG,  /* as op says PRINT rs, ASSERT or, NOP, the record of rs alone; value: of
                     ir_program.debugs */
    CODE_REPEAT, /* `size`, or value when that is IR_NONE, times up to CODE_INSN REPEAT_END */
};

enum code_field { CODE_RS, CODE_RT, CODE_RD, CODE_FIELDS };

struct code_insn {
    uint8_t kind; /* enum code_kind */
    uint8_t width;
    bool partial;                /* written registers keep bits above */
    bool every_lane;             /* writes whatever the mask is */
    uint16_t op;                 /* enum isa_op */
    uint32_t field[CODE_FIELDS]; /* virtual registers, later registers; IR_NONE: no operand */
    uint32_t size;               /* CODE_SIZE, CODE_REPEAT, CODE_VALUE */
    uint32_t region;             /* of the intermediate form, in which it stands */
    const struct ir_call *call;  /* CODE_CALL */
    uint64_t value;              /* constant, addend or immediate */
    struct span at;
};

/* Where the code of a region begins and ends. */
struct code_stretch {
    uint32_t begin, end;
};

struct code {
    VEC(struct code_insn) insns;
    struct code_stretch *stretches; /* [regions of the intermediate form] */
    uint32_t labels;                /* how many there are */
};
void code_free(struct code *code);

/* True if the instruction reads (writes) what the field names. */
bool code_reads(const struct code_insn *insn, enum code_field field);
bool code_writes(const struct code_insn *insn, enum code_field field);

/* Chooses instructions and makes the masks; may add virtual registers. */
void code_select(struct ir_code *ir, struct code *out);

/* Registers in use, as widest use goes: allocation prefers what makes none wider.  apart: what is
 * as wide as the value instead; a bit does not hold a wide register then, so that wide values need
 * fewer of these, and all values more registers.  roomy: no operand's register, where the
 * instruction pays for that. */
struct register_widths {
    uint8_t bits[IR_REGISTERS];
    bool apart, roomy;
};
/* Replaces virtual registers by registers.  False, with nothing reported and nothing changed,
 * when there are too few. */
bool code_allocate(const struct ir_code *ir, struct code *code, struct register_widths *widths);
/* The same for a subroutine, whose in and out it finds registers for. */
bool code_allocate_sub(struct ir_sub *sub, struct code *code, struct register_widths *widths);
/* Reports the place where most registers are needed, with the table of what lives there. */
void code_report_pressure(const struct ir_code *ir, const struct code *code, struct diag *diag);

/* Code for all of it: optimizes, allocates registers, emits.  NULL after reporting, or where there
 * are too few registers.  The program is spent. */
struct object *code_emit(struct ir_program *program, struct ir_options options, struct diag *diag);

#endif
