/* SPDX-License-Identifier: MIT
 * Constant folding and strength reduction of one instruction; optimize.c drives it. */
#ifndef EZPIM_IR_SIMPLIFY_H
#define EZPIM_IR_SIMPLIFY_H

#include "ezpim/ir/range.h"

/* What is known of an operand: it is `vreg`, of type `from`, extended; in the way of the
 * operation's type `bits` bits are enough for it.  Or a constant. */
struct ir_form {
    uint32_t vreg;
    struct lane_type from;
    uint8_t bits;
    bool is_constant;
};

struct simplifier {
    void *context;
    struct ir_code *code;
    int level;
    bool products; /* MULP may be chosen */
    bool (*constant)(void *context, uint32_t vreg, uint64_t *value);
    bool (*same)(void *context, uint32_t a, uint32_t b);
    /* False if nothing is known of the operand of an operation of that type. */
    bool (*form)(void *context, uint32_t vreg, struct lane_type type, struct ir_form *form);
    /* The range of the low bits of an operand. */
    struct ir_range (*range)(void *context, uint32_t vreg, unsigned bits);
    /* An instruction that must run before the one at hand. */
    void (*before)(void *context, struct ir_insn *insn);
};

/* Replaces *insn by something cheaper that gives the same. */
void ir_simplify(struct simplifier *simplifier, struct ir_insn *insn);

#endif
