/* SPDX-License-Identifier: MIT
 * Keys of forms; for the files of this folder alone. */
#ifndef RECIPE_TABLE_FORMS_H
#define RECIPE_TABLE_FORMS_H

#include "recipe/table/table.h"

/* Which of the operands that the instruction has are one register. */
uint8_t table_form_alias(const struct insn *insn);
bool table_form_has_immediate(enum isa_op op);
/* An immediate, a shift count, a source width or the number of a table. */
bool table_form_has_constant(enum isa_op op);
int32_t table_form_constant(const struct insn *insn);
/* The vector instruction of an opcode, or OP_COUNT. */
enum isa_op table_form_op(uint8_t opcode);
/* The instruction with the least registers for that alias. */
struct insn table_plain_insn(const struct insn *insn, uint8_t alias);
/* Order of forms in a table. */
int table_form_compare(const struct recipe_form *left, const struct recipe_form *right);

#endif
