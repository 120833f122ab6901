/* SPDX-License-Identifier: MIT
 * Bits of registers are rows: what a program takes of a lane, and what its instructions leave. */
#ifndef EZPIM_ROWS_H
#define EZPIM_ROWS_H

#include "object/object.h"

/* Which operands are one register. */
enum rows_alias { ROWS_APART, ROWS_RS_RT, ROWS_RS_RD, ROWS_RT_RD, ROWS_ALL_ONE, ROWS_ALIASES };

/* Built-in targets whose registers lie in one section (rows.csv); the others have room for 64
 * registers of any width. */
#define ROWS_MOST_TARGETS 8
struct rows_left {
    unsigned count;
    const char *target[ROWS_MOST_TARGETS];
    uint32_t left[ROWS_MOST_TARGETS];
};

/* The same before any instruction, and with the one that leaves fewest; false if 64 registers of
 * any width have room there, or it is none of the built-in targets. */
bool rows_of_target(const char *target, uint32_t *there, uint32_t *least);
/* Bit i: the i-th of rows_left has room for so many before any instruction. */
uint32_t rows_targets(uint32_t taken);
/* The same beside one instruction, whatever its registers and the mask are. */
uint32_t rows_targets_beside(enum mpu_op op, unsigned width, uint32_t taken);

/* Bits of all registers, as the linker counts them. */
uint32_t rows_taken(const struct object *object);
/* Rows that each target has for registers beside what the object's instructions need for scratch
 * there.  An object that is not linked yet may be called from anywhere: what none of its own
 * ensembles comes to counts as masked too. */
void rows_left(const struct object *object, struct rows_left *out);

#endif
