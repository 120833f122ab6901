/* SPDX-License-Identifier: MIT
 * Helpers of the assembler's tests. */
#ifndef TESTS_ASM_ASSEMBLING_H
#define TESTS_ASM_ASSEMBLING_H

#include "asm/asm.h"

/* Assembles a text named "t.s" with default options; d may be NULL (a sink of its own). */
struct object *assemble_text(const char *text, struct diag *d);
/* The same, and fails the test with the message when the text is refused. */
struct object *assemble_well(const char *text);
/* The word at `index` of a text that assembles. */
uint32_t assembled_word(const char *text, uint32_t index);

#endif
