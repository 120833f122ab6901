/* SPDX-License-Identifier: MIT
 * What INDEX counts: elements, or quotients and remainders of their numbers. */
#ifndef EZPIM_IR_ELEMENT_NUMBERS_H
#define EZPIM_IR_ELEMENT_NUMBERS_H

#include "ezpim/ir/build.h"

/* The immediate of an INDEX that counts (number / every) modulo below, where {NO_INDEX, 0} is no
 * modulus: 1 and up; 0 is that of an INDEX that counts elements. */
uint32_t ir_numbering(struct ir_program *program, struct extent every, struct extent below);
/* How many numbers such an INDEX can count in the group; 0: not known. */
uint64_t ir_most_numbers(const struct ir_program *program, uint32_t group, uint32_t numbering);
/* Divisions of elements' numbers by sizes and constants become INDEXes. */
void ir_count_numbers(struct ir_program *program);

#endif
