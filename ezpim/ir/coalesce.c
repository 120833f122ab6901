/* SPDX-License-Identifier: MIT
 * Results are made where they end up: t = a + b; v = t * c; becomes v = a + b; v = v * c; */
#include "ezpim/ir/coalesce.h"

#include <stdlib.h>

struct vreg_uses {
    uint8_t reads, writes; /* 0, 1 or 2 for more */
};

static void count_use(void *context, uint32_t *vreg, bool writes) {
    struct vreg_uses *u = context;
    uint8_t *count = writes ? &u[*vreg].writes : &u[*vreg].reads;
    if (*count < 2)
        ++*count;
}

/* Written once and read once, and of no meaning to the user. */
static bool is_passing(const struct ir_code *code, const struct vreg_uses *uses, uint32_t value) {
    return value != IR_NONE && code->vregs.data[value].fixed < 0 &&
           !code->vregs.data[value].result && !code->vregs.data[value].name &&
           uses[value].reads == 1 && uses[value].writes == 1;
}

static bool reads(const struct ir_insn *insn, uint32_t value) {
    return insn->a == value || insn->b == value || insn->c == value;
}

static bool is_operation(const struct ir_insn *insn) {
    return insn->op < IR_MACHINE && insn->dst != IR_NONE;
}

/* `insn` makes what `next`, the very next one, uses up and replaces in a register of as many bits.
 */
static bool may_coalesce(const struct ir_code *code, const struct vreg_uses *uses,
                         const struct ir_insn *insn, const struct ir_insn *next) {
    uint32_t t = insn->dst, v = next->dst;
    if (!is_operation(insn) || !is_operation(next) || t == v || !is_passing(code, uses, t) ||
        !reads(next, t) || reads(next, v) || next->op == IR_SELECT || insn->op == IR_SELECT)
        return false;
    return code->vregs.data[t].type.bits == code->vregs.data[v].type.bits &&
           ir_result_type(insn).bits == ir_result_type(next).bits && insn->op != IR_CONST;
}

static void to_machine(struct ir_insn *insn, enum isa_op op, uint32_t left, uint32_t right) {
    insn->op = IR_MACHINE;
    insn->machine = (uint16_t)op;
    insn->width = insn->type.bits;
    insn->a = left;
    insn->b = right;
    insn->c = IR_NONE;
}

static void drop(struct ir_insn *insn) {
    *insn = (struct ir_insn){.op = IR_COPY,
                             .type = insn->type,
                             .dst = insn->dst,
                             .a = insn->dst,
                             .b = IR_NONE,
                             .c = IR_NONE,
                             .at = insn->at};
}

/* NOT of what AND, OR or XOR made for it alone: NAND, NOR, XNOR. */
static bool merge_not(struct ir_insn *insn, struct ir_insn *next) {
    enum isa_op op = insn->op == IR_AND   ? OP_NAND
                     : insn->op == IR_OR  ? OP_NOR
                     : insn->op == IR_XOR ? OP_XNOR
                                          : OP_COUNT;
    if (next->op != IR_NOT || op == OP_COUNT || next->type.bits != insn->type.bits)
        return false;
    to_machine(next, op, insn->a, insn->b);
    return true;
}

/* v = v + a * b: MAC. */
static bool merge_product(struct ir_insn *insn, struct ir_insn *next, uint32_t t) {
    uint32_t other = next->a == t ? next->b : next->a;
    if (next->op != IR_ADD || insn->op != IR_MUL || next->type.bits != insn->type.bits ||
        other != next->dst || other == t)
        return false;
    to_machine(next, OP_MAC, insn->a, insn->b);
    return true;
}

/* v ^= (a, extended by zeros), likewise |=: the upper bits stay as they are. */
static bool merge_extension(const struct ir_code *code, struct ir_insn *insn, struct ir_insn *next,
                            uint32_t t) {
    uint32_t other = next->a == t ? next->b : next->a;
    if ((next->op != IR_XOR && next->op != IR_OR) || insn->op != IR_WIDEN ||
        insn->from.kind == TYPE_INT || other != next->dst || other == t ||
        code->vregs.data[next->dst].type.bits < next->type.bits)
        return false;
    unsigned bits = insn->from.bits;
    to_machine(next, next->op == IR_XOR ? OP_XOR : OP_OR, next->dst, insn->a);
    next->width = (uint8_t)bits;
    next->partial = true;
    return true;
}

/* u = ...; t = a * b; v = u + t: v = ...; MAC a b v. */
static bool merge_sum(const struct ir_code *code, const struct vreg_uses *uses, struct ir_insn *sum,
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

/* Two operations that one instruction does; `next` uses up what `insn` made. */
static bool merge(const struct ir_code *code, const struct vreg_uses *uses, struct ir_insn *insn,
                  struct ir_insn *next) {
    uint32_t t = insn->dst;
    if (!is_operation(insn) || !is_operation(next) || !is_passing(code, uses, t) || !reads(next, t))
        return false;
    if (!merge_not(insn, next) && !merge_product(insn, next, t) &&
        !merge_extension(code, insn, next, t))
        return false;
    drop(insn);
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
    struct vreg_uses *u = xcalloc(code->vregs.len + 1, sizeof *u);
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
