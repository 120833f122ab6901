/* SPDX-License-Identifier: MIT
 * Registers take rows, or columns: what a program takes of a lane, and what its instructions leave.
 */
#ifndef EZPIM_CODE_ROWS_H
#define EZPIM_CODE_ROWS_H

#include "object/object.h"

/* Which operands are one register. */
enum rows_alias { ROWS_APART, ROWS_RS_RT, ROWS_RS_RD, ROWS_RT_RD, ROWS_ALL_ONE, ROWS_ALIASES };

/* Built-in targets that may have no room (rows.csv): their registers lie in one section, in a row
 * for each bit, or in partitions, in a column for as many bits as there are of these.  The others
 * have room for 64 registers of any width. */
#define ROWS_MOST_TARGETS 8
struct rows_left {
    unsigned count;
    const char *target[ROWS_MOST_TARGETS];
    uint32_t sections[ROWS_MOST_TARGETS];
    uint32_t left[ROWS_MOST_TARGETS];
};

/* What registers of these bits take of a lane: of each of the targets. */
struct rows_use {
    uint8_t bits[64]; /* 0: not used */
    uint32_t taken[ROWS_MOST_TARGETS];
};
/* Rows, or columns, of arrays of so many sections. */
uint32_t rows_of_bits(const uint8_t bits[64], uint32_t sections);
/* The rest of a record whose bits are there. */
void rows_use_count(struct rows_use *use);

/* Rows of a target, or its columns of so many sections: before any instruction, and beside the one
 * that leaves fewest. */
struct rows_there {
    uint32_t there, least, sections;
};
/* False if 64 registers of any width have room there, or it is none of the built-in targets. */
bool rows_of_target(const char *target, struct rows_there *out);
/* Bit i: the i-th of rows_left has a row for each bit. */
uint32_t rows_targets_of_one_section(void);
/* The i-th of rows_left; NULL: there are no more. */
const char *rows_target_name(unsigned index);
/* Of these targets, the sections that a column goes through; 0: bits have rows. */
unsigned rows_most_sections(uint32_t targets);
/* The bit of that target; 0 where rows_of_target knows none. */
uint32_t rows_target_bit(const char *target);
/* Bit i: the i-th of rows_left has room for so much before any instruction. */
uint32_t rows_targets(const struct rows_use *use);
/* The same beside one instruction, of which the width and the shape of a product count: whatever
 * its registers and the mask are. */
uint32_t rows_targets_beside(const struct insn *insn, const struct rows_use *use);

/* What instructions leave of each target while they are made one by one, at best: whatever the mask
 * is. */
struct rows_made {
    uint32_t left[ROWS_MOST_TARGETS];
    uint32_t seen[256]; /* instructions that were looked at lately, each as one number but 0 */
};
void rows_made_start(struct rows_made *found);
void rows_made_take(struct rows_made *found, const struct insn *insn);
/* Bit i: the i-th of rows_left has room for registers of these bits beside them. */
uint32_t rows_made_targets(const struct rows_made *found, const uint8_t bits[64]);

/* What all registers take, as the linker counts them. */
void rows_taken(const struct object *object, struct rows_use *out);
/* Rows that each target has for registers beside what the object's instructions need for scratch
 * there.  An object that is not linked yet may be called from anywhere: what none of its own
 * ensembles comes to counts as masked too. */
void rows_left(const struct object *object, struct rows_left *out);
/* Whether there is as much of a lane as the object takes; true of other than the built-in ones. */
bool rows_do(const struct object *object, const char *target);

#endif
