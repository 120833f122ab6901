/* SPDX-License-Identifier: MIT
 * Which instructions are meant: mnemonics, widths, constants and aliases to instructions. */
#ifndef TOOLS_MPU_RECIPE_FORMS_H
#define TOOLS_MPU_RECIPE_FORMS_H

#include "isa-spec/user.h"
#include "support/str.h"
#include "support/vec.h"

struct form_choice {
    VEC(enum isa_op) ops; /* empty: every vector instruction in use, in the order of the opcodes */
    VEC(uint8_t) widths;  /* empty: 8, 16, 32, 64 */
    bool has_constant;    /* --imm; else the rule of form_make */
    int32_t constant;
    bool aliased;
    uint8_t registers[3];          /* of rs, rt, rd: 1, 2, 3 where nothing is aliased */
    uint8_t named;                 /* bit i: an alias names operand i */
    const struct isa_users *users; /* instructions that a file of recipes declares; NULL: none */
};

/* True for a vector instruction that has recipes whatever table it looks into, and is not merely
 * reserved, and for a user's that is declared. */
bool form_is_wanted(const struct form_choice *choice, enum isa_op op);

/* True for an instruction with an immediate, a shift count or a source width. */
bool form_has_constant(enum isa_op op);
void form_choice_init(struct form_choice *choice);
void form_choice_free(struct form_choice *choice);
/* Each takes one piece of the option's list: "ADD" or "SETMASK cond" (a mnemonic stands for all
 * its forms, one that looks into tables too), "32" or "1..64", "rd=rs".  False if it means nothing.
 */
bool form_take_op(struct form_choice *choice, const char *piece, size_t length);
bool form_take_width(struct form_choice *choice, const char *piece, size_t length);
bool form_take_alias(struct form_choice *choice, const char *piece, size_t length);

/* Whether an instruction that was chosen by name has a constant. */
bool form_takes_constant(const struct form_choice *choice);
/* The instruction of op at a width: rs, rt, rd are r1, r2, r3 but for aliases; a constant is
 * --imm, else 1 for a shift count, half the width (rounded up) for a source width, and for an
 * immediate 0x555 cut to the bits that fit.  False if there is no such instruction: an operand
 * named by an alias is missing, or the word would be illegal. */
bool form_make(const struct form_choice *choice, enum isa_op op, unsigned width, struct insn *insn);
/* "ADD", "SETMASK cond"; a user instruction has the name that `users` (may be NULL) gives it. */
void form_name(enum isa_op op, const struct isa_users *users, struct str *out);
/* "ADD", "SETMASK cond", "SHLI 1", "ADD rd=rs": unique among the instructions of one width. */
void form_label(const struct insn *insn, const struct isa_users *users, struct str *out);

/* Calls visit for each instruction of the choice, mnemonic by mnemonic, narrow ones first (once
 * for an instruction without a width); stops at false.  False if stopped; *made (may be NULL)
 * counts the calls. */
typedef bool form_visit(void *context, const struct insn *insn);
bool form_each(const struct form_choice *choice, form_visit *visit, void *context, size_t *made);

#endif
