/* SPDX-License-Identifier: MIT
 * Registers of variables: which each of them has, and what that means for nodes and moves. */
#ifndef EZPIM_IR_REGISTERS_H
#define EZPIM_IR_REGISTERS_H

#include "ezpim/ir/lives.h"

/* What variables may take of a lane: registers 0 .. registers - 1, and of them all together bits
 * and, where `sections` is not 0, columns of as many bits as there are sections; homes of spilled
 * ones may have any register. */
struct ir_room {
    unsigned registers, bits, columns, sections;
};

/* Gives every variable registers.  share: variables that are never held at the same time may have
 * the same ones, the wide ones are placed first; else only those of the compiler do, and the others
 * have theirs for good: those without a group first, then those of each place, in the order of
 * declaration.  IR_NONE, or the variable for which there is no room. */
uint32_t ir_registers_give(struct ir_program *program, const struct ir_lives *lives, bool share,
                           struct ir_room room);
/* True if what is held at the program's end takes more registers than there are, whoever has which:
 * inputs, outputs, and elements that the host may ask for. */
bool ir_registers_full_at_end(const struct ir_program *program, const struct ir_lives *lives);
/* Writes the registers into virtual registers, moves, and what each body leaves free. */
void ir_registers_bind(struct ir_program *program, const struct ir_lives *lives, bool share);
/* Where inputs gave their registers away (ir_lives.gives): those of which another variable has one,
 * or bodies may have one for values of their own, become consumed.  The first such, or IR_NONE;
 * which variable has its register, or IR_NONE; and how many there are. */
uint32_t ir_registers_consume(struct ir_program *program, const struct ir_lives *lives,
                              uint32_t *taken_by, uint32_t *count);
/* Bits of registers that the program takes at least, whatever its instructions take beside: those
 * of variables that it declares, and of what moves name. */
void ir_registers_bits(const struct ir_program *program, uint8_t bits[IR_REGISTERS]);
/* The registers of a variable that was given some: bit r for r. */
uint64_t ir_registers_of(const struct variable *variable);
/* True if both have elements in the same VRFs. */
bool ir_registers_meet(const struct ir_program *program, uint32_t left, uint32_t right);

#endif
