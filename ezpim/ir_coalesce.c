/* SPDX-License-Identifier: MIT
 * Results are made where they end up: t = a + b; v = t * c; becomes v = a + b; v = v * c; */
#include "ezpim/ir_coalesce.h"

#include <stdlib.h>

struct uses {
    uint8_t reads, writes; /* 0, 1 or 2 for more */
};

static void count_use(void *context, uint32_t *vreg, bool writes) {
    struct uses *u = context;
    uint8_t *count = writes ? &u[*vreg].writes : &u[*vreg].reads;
    if (*count < 2)
        ++*count;
}

/* Written once and read once, and of no meaning to the user. */
static bool is_passing(const struct ir_code *code, const struct uses *u, uint32_t v) {
    return v != IR_NONE && code->vregs.data[v].fixed < 0 && !code->vregs.data[v].result &&
           !code->vregs.data[v].name && u[v].reads == 1 && u[v].writes == 1;
}

static bool reads(const struct ir_insn *i, uint32_t v) {
    return i->a == v || i->b == v || i->c == v;
}

static bool is_operation(const struct ir_insn *i) {
    return i->op < IR_MACHINE && i->dst != IR_NONE;
}

/* i makes what `next`, the very next one, uses up and replaces in a register of as many bits. */
static bool may_coalesce(const struct ir_code *code, const struct uses *u, const struct ir_insn *i,
                         const struct ir_insn *next) {
    uint32_t t = i->dst, v = next->dst;
    if (!is_operation(i) || !is_operation(next) || t == v || !is_passing(code, u, t) ||
        !reads(next, t) || reads(next, v) || next->op == IR_SELECT || i->op == IR_SELECT)
        return false;
    return code->vregs.data[t].type.bits == code->vregs.data[v].type.bits &&
           ir_result_type(i).bits == ir_result_type(next).bits && i->op != IR_CONST;
}

void ir_coalesce(struct ir_code *code) {
    struct uses *u = xcalloc(code->vregs.len + 1, sizeof *u);
    for (size_t k = 0; k < code->insns.len; k++)
        ir_visit(&code->insns.data[k], count_use, u);
    for (size_t k = code->insns.len; k-- > 1;) {
        struct ir_insn *next = &code->insns.data[k], *i = next - 1;
        if (!may_coalesce(code, u, i, next))
            continue;
        uint32_t t = i->dst;
        next->a = next->a == t ? next->dst : next->a;
        next->b = next->b == t ? next->dst : next->b;
        i->dst = next->dst;
    }
    free(u);
}
