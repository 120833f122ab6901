/* SPDX-License-Identifier: MIT
 * Operands of instructions, whose kinds follow from how they are written. */
#ifndef ASM_OPERAND_H
#define ASM_OPERAND_H

#include "asm/assembler.h"

enum asm_operand_kind {
    OPERAND_REGISTER,
    OPERAND_RFH,
    OPERAND_VRF,
    OPERAND_MPU,
    OPERAND_GROUP,
    OPERAND_COND,
    OPERAND_VALUE,
    OPERAND_STRING,
};

struct asm_operand {
    enum asm_operand_kind kind;
    struct asm_token at; /* from its first to its last byte */
    uint32_t number;     /* register, RFH, VRF, group */
    uint8_t mode;        /* OPERAND_MPU */
    struct asm_value value;
    const char *text;      /* OPERAND_STRING */
    bool literal;          /* nothing but a number */
    bool typed;            /* a register with a type behind it: r3:u32 */
    struct lane_type type; /* of the register, or of the variable that names it */
};

struct asm_operands {
    struct asm_operand list[MAX_OPERANDS];
    size_t count;
};

/* Reads operands to the end of the statement; `target`: names are labels. */
bool asm_parse_operands(struct assembler *assembler, bool target, struct asm_operands *out);
/* lut.c: the name of a table at the current token, as its number; false if there is none. */
bool asm_parse_table(struct assembler *assembler, struct asm_operand *operand);
/* The operand of a LUT; false after reporting. */
bool asm_set_table(struct assembler *assembler, const struct asm_operand *operand,
                   struct insn *insn);
/* declare_product.c: the same for shapes of products.  The width of the mnemonic's suffix, 0
 * without one, must be the shape's. */
bool asm_parse_shape(struct assembler *assembler, struct asm_operand *operand);
bool asm_set_shape(struct assembler *assembler, const struct asm_operand *operand, unsigned suffix,
                   struct insn *insn);
/* Those of `op`, whose place may say what they are. */
bool asm_parse_operands_of(struct assembler *assembler, enum isa_op op, struct asm_operands *out);
/* The same, to the end of the statement or to this word. */
bool asm_parse_operands_to(struct assembler *assembler, bool target, const char *word,
                           struct asm_operands *out);
/* instruction.c: the instruction of a mnemonic with its suffix and of operands.  False after
 * reporting. */
bool asm_make_insn(struct assembler *assembler, const struct asm_token *mnemonic, enum isa_op op,
                   const struct asm_operands *operands, struct insn *out);
/* "a register" */
const char *asm_operand_kind_text(enum asm_operand_kind kind);

#endif
