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

static void to_machine(struct ir_insn *i, enum mpu_op op, uint32_t a, uint32_t b) {
    i->op = IR_MACHINE;
    i->machine = (uint16_t)op;
    i->width = i->type.bits;
    i->a = a;
    i->b = b;
    i->c = IR_NONE;
}

static void drop(struct ir_insn *i) {
    *i = (struct ir_insn){.op = IR_COPY,
                          .type = i->type,
                          .dst = i->dst,
                          .a = i->dst,
                          .b = IR_NONE,
                          .c = IR_NONE,
                          .at = i->at};
}

/* NOT of what AND, OR or XOR made for it alone: NAND, NOR, XNOR. */
static bool merge_not(struct ir_insn *i, struct ir_insn *next) {
    enum mpu_op op = i->op == IR_AND   ? OP_NAND
                     : i->op == IR_OR  ? OP_NOR
                     : i->op == IR_XOR ? OP_XNOR
                                       : OP_COUNT;
    if (next->op != IR_NOT || op == OP_COUNT || next->type.bits != i->type.bits)
        return false;
    to_machine(next, op, i->a, i->b);
    return true;
}

/* v = v + a * b: MAC. */
static bool merge_product(struct ir_insn *i, struct ir_insn *next, uint32_t t) {
    uint32_t other = next->a == t ? next->b : next->a;
    if (next->op != IR_ADD || i->op != IR_MUL || next->type.bits != i->type.bits ||
        other != next->dst || other == t)
        return false;
    to_machine(next, OP_MAC, i->a, i->b);
    return true;
}

/* v ^= (a, extended by zeros), likewise |=: the upper bits stay as they are. */
static bool merge_extension(const struct ir_code *code, struct ir_insn *i, struct ir_insn *next,
                            uint32_t t) {
    uint32_t other = next->a == t ? next->b : next->a;
    if ((next->op != IR_XOR && next->op != IR_OR) || i->op != IR_WIDEN ||
        i->from.kind == TYPE_INT || other != next->dst || other == t ||
        code->vregs.data[next->dst].type.bits < next->type.bits)
        return false;
    unsigned bits = i->from.bits;
    to_machine(next, next->op == IR_XOR ? OP_XOR : OP_OR, next->dst, i->a);
    next->width = (uint8_t)bits;
    next->partial = true;
    return true;
}

/* u = ...; t = a * b; v = u + t: v = ...; MAC a b v. */
static bool merge_sum(const struct ir_code *code, const struct uses *uses, struct ir_insn *sum,
                      struct ir_insn *product, struct ir_insn *first) {
    uint32_t u = first->dst, t = product->dst, v = sum->dst;
    bool fits = sum->op == IR_ADD && product->op == IR_MUL && is_operation(first) &&
                first->op != IR_CONST && first->op != IR_SELECT &&
                sum->type.bits == product->type.bits &&
                ir_result_type(first).bits == sum->type.bits;
    bool adds = (sum->a == u && sum->b == t) || (sum->a == t && sum->b == u);
    if (!fits || !adds || u == t || v == u || v == t || !is_passing(code, uses, u) ||
        !is_passing(code, uses, t) || reads(product, v) || reads(product, u) ||
        code->vregs.data[u].type.bits != code->vregs.data[v].type.bits)
        return false;
    first->dst = v;
    to_machine(sum, OP_MAC, product->a, product->b);
    drop(product);
    return true;
}

/* Two operations that one instruction does; `next` uses up what i made. */
static bool merge(const struct ir_code *code, const struct uses *u, struct ir_insn *i,
                  struct ir_insn *next) {
    uint32_t t = i->dst;
    if (!is_operation(i) || !is_operation(next) || !is_passing(code, u, t) || !reads(next, t))
        return false;
    if (!merge_not(i, next) && !merge_product(i, next, t) && !merge_extension(code, i, next, t))
        return false;
    drop(i);
    return true;
}

/* Of a register to itself. */
static void leave_out_copies(struct ir_code *code) {
    size_t kept = 0;
    for (size_t k = 0; k < code->insns.len; k++) {
        const struct ir_insn *i = &code->insns.data[k];
        if (i->op != IR_COPY || i->dst != i->a)
            code->insns.data[kept++] = *i;
    }
    code->insns.len = kept;
}

void ir_coalesce(struct ir_code *code) {
    struct uses *u = xcalloc(code->vregs.len + 1, sizeof *u);
    for (size_t k = 0; k < code->insns.len; k++)
        ir_visit(&code->insns.data[k], count_use, u);
    for (size_t k = code->insns.len; k-- > 1;) {
        struct ir_insn *next = &code->insns.data[k], *i = next - 1;
        if (k > 1 && merge_sum(code, u, next, i, i - 1))
            continue;
        if (merge(code, u, i, next) || !may_coalesce(code, u, i, next))
            continue;
        uint32_t t = i->dst;
        next->a = next->a == t ? next->dst : next->a;
        next->b = next->b == t ? next->dst : next->b;
        i->dst = next->dst;
    }
    free(u);
    leave_out_copies(code);
}
