/* SPDX-License-Identifier: MIT
 * Numbers of the DWARF 4 line-number program (section 6.2.5 and figure 37) and our choices in its
 * header. */
#ifndef OBJECT_LINE_TABLE_H
#define OBJECT_LINE_TABLE_H

#include <stdint.h>

/* A special opcode says: line += LINE_BASE .. LINE_BASE + LINE_RANGE - 1, and up to 17
 * instructions forward; the values that compilers commonly use. */
#define LINE_BASE        (-5)
#define LINE_RANGE       14
#define LINE_OPCODE_BASE 13

enum line_opcode {
    LINE_COPY = 1,
    LINE_ADVANCE_PC,
    LINE_ADVANCE_LINE,
    LINE_SET_FILE,
    LINE_SET_COLUMN,
    LINE_NEGATE_STMT,
    LINE_SET_BASIC_BLOCK,
    LINE_CONST_ADD_PC,
    LINE_FIXED_ADVANCE_PC,
    LINE_SET_PROLOGUE_END,
    LINE_SET_EPILOGUE_BEGIN,
    LINE_SET_ISA,
};
enum line_extended {
    LINE_END_SEQUENCE = 1,
    LINE_SET_ADDRESS,
    LINE_DEFINE_FILE,
    LINE_DISCRIMINATOR
};

/* Operands of opcodes 1..12. */
static const uint8_t line_opcode_operands[LINE_OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0,
                                                                   0, 0, 1, 0, 0, 1};

#endif
