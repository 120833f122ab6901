/* SPDX-License-Identifier: MIT
 * Constant folding and strength reduction of one instruction; ir_optimize.c drives it. */
#ifndef EZPIM_IR_SIMPLIFY_H
#define EZPIM_IR_SIMPLIFY_H

#include "ezpim/ir.h"

struct simplifier {
    void *context;
    struct ir_code *code;
    int level;
    bool (*constant)(void *context, uint32_t vreg, uint64_t *value);
    bool (*same)(void *context, uint32_t a, uint32_t b);
    /* An instruction that must run before the one at hand. */
    void (*before)(void *context, struct ir_insn *insn);
};

/* Replaces *i by something cheaper that gives the same. */
void ir_simplify(struct simplifier *s, struct ir_insn *i);

#endif
