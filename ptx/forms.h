/* SPDX-License-Identifier: MIT
 * The forms of instructions: opcodes with their modifiers, types and kinds of operands, and what
 * they compute.  forms.def has all of them, each once. */
#ifndef PTX_FORMS_H
#define PTX_FORMS_H

#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

enum ptx_type {
    PTX_NO_TYPE,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_F16,
    PTX_F16X2,
    PTX_F32,
    PTX_F64,
    PTX_PRED,
    PTX_TYPES
};
unsigned ptx_type_bits(enum ptx_type type); /* of a predicate 1 */
static inline unsigned ptx_type_bytes(enum ptx_type type) {
    return (ptx_type_bits(type) + 7) / 8;
}
bool ptx_type_signed(enum ptx_type type);
bool ptx_type_float(enum ptx_type type);
const char *ptx_type_name(enum ptx_type type); /* "f32" */
/* PTX_NO_TYPE: no type has that name. */
enum ptx_type ptx_type_find(const char *name, size_t n);

enum ptx_space {
    PTX_GENERIC, /* none is said */
    PTX_REG_SPACE,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_CONST,
    PTX_PARAM,
};
enum ptx_rounding { /* of floating point; the four below are toward integers */
                    PTX_NO_ROUNDING,
                    PTX_RN,
                    PTX_RZ,
                    PTX_RM,
                    PTX_RP,
                    PTX_RNI,
                    PTX_RZI,
                    PTX_RMI,
                    PTX_RPI,
};
enum ptx_compare { /* and which part of a product, which has two of their words */
                   PTX_NO_COMPARE,
                   PTX_EQ,
                   PTX_NE,
                   PTX_LT,
                   PTX_LE,
                   PTX_GT,
                   PTX_GE,
                   PTX_LO, /* unsigned lt; the low half */
                   PTX_LS,
                   PTX_HI, /* unsigned gt; the high half */
                   PTX_HS,
                   PTX_EQU,
                   PTX_NEU,
                   PTX_LTU,
                   PTX_LEU,
                   PTX_GTU,
                   PTX_GEU,
                   PTX_NUM,
                   PTX_NAN,
                   PTX_WIDE,
};
enum ptx_operation { /* of atomics and of reductions; setp combines by the first three */
                     PTX_NO_OPERATION,
                     PTX_AND,
                     PTX_OR,
                     PTX_XOR,
                     PTX_CAS,
                     PTX_EXCH,
                     PTX_ADD_OP,
                     PTX_INC,
                     PTX_DEC,
                     PTX_MIN_OP,
                     PTX_MAX_OP,
                     PTX_POPC_OP,
};
enum ptx_mode {
    PTX_NO_MODE,
    PTX_UP,
    PTX_DOWN,
    PTX_BFLY,
    PTX_IDX,
    PTX_ALL,
    PTX_ANY,
    PTX_UNI,
    PTX_BALLOT,
    PTX_LEFT,
    PTX_RIGHT,
    PTX_ARRIVE,
    PTX_REDUCE,
    PTX_FINITE,
    PTX_INFINITE,
    PTX_NUMBER_TEST,
    PTX_NOTANUMBER,
    PTX_NORMAL,
    PTX_SUBNORMAL,
    PTX_F4E,
    PTX_B4E,
    PTX_RC8,
    PTX_ECL,
    PTX_ECR,
    PTX_RC16,
};
enum ptx_flag {
    PTX_FTZ = 1,
    PTX_SAT = 2,
    PTX_APPROX = 4,
    PTX_FULL = 8,
    PTX_TO = 16, /* cvta.to */
    PTX_SYNC = 32,
    PTX_WRAP = 64,
    PTX_CLAMP = 128,
    PTX_CC = 256,
    PTX_NAN_FLAG = 512, /* min.NaN */
    PTX_SHIFTAMT = 1024,
    PTX_XORSIGN = 2048,
    PTX_HINT = 4096, /* changes no result: caches, scopes, orders */
};
struct ptx_modifiers {
    uint8_t type[2]; /* enum ptx_type, as they stand */
    uint8_t space, round, compare, operation, mode;
    uint8_t vector; /* 1, 2, 4 */
    uint16_t flags; /* sum of enum ptx_flag */
};

enum ptx_op {
#define FORM(op, pattern, operands, compute) PTX_OP_##op,
#define MORE(op, pattern, operands, compute)
#include "ptx/forms.def"
#undef FORM
#undef MORE
    PTX_OPS
};

struct ptx_alu;
/* Computes a thread's results from its operands (ptx/alu.h). */
typedef void ptx_compute(struct ptx_alu *alu);

/* Letters of `operands`, in the order of the text:
 *     d w 2   result of the type, of twice its width, of 32 bits
 *     x       result of the type, in a register of at least its width
 *     q       predicate, or two of them: p|q
 *     e       result with a predicate: d|p
 *     v s     result, operand: as many as the vector says, in registers of at least the width
 *     a b W   operand of the first type, the second type, of twice the first's width
 *     y       operand of the second type, in a register of at least its width
 *     u       operand of 32 bits
 *     p       predicate, which may be negated
 *     m       address
 *     l f     label; function with what is called
 *     t       what mov takes: operand of the type, symbol, vector
 *     ?       what follows may be missing */
struct ptx_form {
    enum ptx_op op;
    const char *pattern, *operands;
    ptx_compute *compute; /* NULL: what it does concerns more than operands */
};
/* The form of an opcode with its modifiers, and these; NULL, with what is wrong appended. */
const struct ptx_form *ptx_form_find(const char *name, size_t n, struct ptx_modifiers *m,
                                     struct str *what);
/* The form of an opcode that has these modifiers, whose name is appended ("fma.rn.f32"); NULL: none
 * has.  Types may be .u32 where the form has .b32 alone; hints and .sync need not be said.  *m is
 * afterwards as ptx_form_find makes it of the name. */
const struct ptx_form *ptx_form_of(enum ptx_op op, struct ptx_modifiers *m, struct str *name);
/* ".space" of declarations: PTX_GENERIC if it is none. */
enum ptx_space ptx_space_find(const char *name, size_t n);
const char *ptx_space_name(enum ptx_space space);

enum ptx_special {
#define SPECIAL(name, id) PTX_SPECIAL_##id,
#include "ptx/specials.def"
#undef SPECIAL
    PTX_SPECIALS
};
/* PTX_SPECIALS: none has that name ("%tid.x"). */
enum ptx_special ptx_special_find(const char *name, size_t n);
const char *ptx_special_name(enum ptx_special special);

#endif
