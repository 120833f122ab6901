/* SPDX-License-Identifier: MIT
 * Widths.  Cost follows precision, so work is done on no more bits than matter.
 *
 * Forward, one operation at a time while values are numbered: an operation on values that are
 * narrower ones, extended, is done on those where the result is known to fit, and its result is
 * extended.  Backward: where the low bits of a result depend on the low bits of the operands
 * alone, the operation is done on the bits that somebody reads.  What was extended for nobody
 * goes. */
#include "ezpim/ir/cost.h"
#include "ezpim/ir/narrow.h"
#include "ezpim/ir/products.h"
#include "ezpim/ir/touched.h"

#include <string.h>

static bool is_signed(struct lane_type type) {
    return type.kind == TYPE_INT;
}

unsigned ir_constant_bits(uint64_t value, struct lane_type type) {
    bool negative = is_signed(type) && (value >> (type.bits - 1) & 1);
    uint64_t magnitude = negative ? ~(value | (UINT64_MAX << (type.bits - 1))) : value;
    unsigned bits = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    return is_signed(type) ? bits + 1 : bits ? bits : 1;
}

static bool never_borrows(const struct simplifier *simplifier, const struct ir_insn *insn) {
    return simplifier->range(simplifier->context, insn->a, insn->type.bits).low >=
           simplifier->range(simplifier->context, insn->b, insn->type.bits).high;
}

static bool divides_by_zero(const struct simplifier *simplifier, const struct ir_insn *insn) {
    return simplifier->range(simplifier->context, insn->b, insn->type.bits).low == 0;
}

/* Bits in which the operation's result is known to fit, extended in the way of its type; 0: it is
 * not. */
static unsigned result_bits(const struct simplifier *simplifier, const struct ir_insn *insn,
                            unsigned left, unsigned right) {
    unsigned wide = left > right ? left : right;
    switch ((enum ir_op)insn->op) {
    case IR_ADD:
        return wide + 1;
    case IR_SUB:
        return is_signed(insn->type) ? wide + 1 : never_borrows(simplifier, insn) ? wide : 0;
    case IR_MUL:
        return left + right;
    case IR_AND:
        return is_signed(insn->type) ? wide : left < right ? left : right;
    case IR_DIV:
    case IR_FLOORDIV: /* by zero all bits are ones */
        return is_signed(insn->type) || divides_by_zero(simplifier, insn) ? 0 : wide;
    case IR_REM:
    case IR_FLOORMOD:
        return is_signed(insn->type) ? 0 : wide;
    case IR_OR:
    case IR_XOR:
    case IR_MIN:
    case IR_MAX:
        return wide;
    case IR_SHL:
        return insn->imm < 64 ? left + (unsigned)insn->imm : 0;
    case IR_SHR:
        return left;
    default:
        return ir_op_compares(insn->op) ? wide : 0;
    }
}

/* What it saves is a good deal more than the extension behind it, which may be for nobody. */
static bool pays(const struct ir_insn *insn, unsigned bits) {
    struct ir_insn narrow = *insn, widen = {.op = IR_WIDEN, .type = insn->type};
    narrow.type.bits = (uint8_t)bits;
    uint64_t extension = ir_op_compares(insn->op) ? 0 : 6 * ir_cost(&widen);
    return ir_cost(insn) > ir_cost(&narrow) + extension;
}

static uint32_t put_before(struct simplifier *simplifier, struct ir_insn made,
                           struct lane_type type) {
    made.dst = ir_vreg(simplifier->code, type, NULL, made.at);
    simplifier->before(simplifier->context, &made);
    return made.dst;
}

/* The operand at `type`. */
static uint32_t operand(struct simplifier *simplifier, uint32_t vreg, const struct ir_form *form,
                        struct lane_type type, struct span at) {
    if (form->is_constant)
        return vreg;
    if (form->from.bits >= type.bits) /* its low bits are enough */
        return form->vreg;
    struct ir_insn widen = {.op = IR_WIDEN,
                            .type = type,
                            .from = form->from,
                            .a = form->vreg,
                            .b = IR_NONE,
                            .c = IR_NONE,
                            .at = at};
    return put_before(simplifier, widen, type);
}

void ir_narrow(struct simplifier *simplifier, struct ir_insn *insn) {
    struct ir_form a, b = {.bits = 1, .is_constant = true};
    bool shifts = (insn->op == IR_SHL || insn->op == IR_SHR) && insn->b == IR_NONE;
    bool by_register = (insn->op == IR_SHL || insn->op == IR_SHR) && !shifts;
    if (insn->op >= IR_SELECT || insn->type.kind == TYPE_BOOL || by_register ||
        (insn->b == IR_NONE && !shifts))
        return;
    if (!simplifier->form(simplifier->context, insn->a, insn->type, &a) ||
        (!shifts && !simplifier->form(simplifier->context, insn->b, insn->type, &b)) ||
        (a.is_constant && b.is_constant)) {
        ir_product_by_need(simplifier, insn);
        return;
    }
    unsigned bits = result_bits(simplifier, insn, a.bits, b.bits);
    if (!bits || bits >= insn->type.bits || !pays(insn, bits)) {
        ir_product_by_need(simplifier, insn);
        return;
    }
    struct lane_type narrow = {insn->type.kind, (uint8_t)bits}, own = insn->type;
    struct ir_insn made = *insn;
    made.type = narrow;
    made.a = operand(simplifier, insn->a, &a, narrow, insn->at);
    made.b = shifts ? IR_NONE : operand(simplifier, insn->b, &b, narrow, insn->at);
    if (ir_op_compares(insn->op)) {
        *insn = made;
        return;
    }
    struct ir_insn plain = *insn;
    plain.type = narrow;
    ir_product_by_need(simplifier, &plain);
    if (plain.op != insn->op)
        made = plain;
    uint32_t low = put_before(simplifier, made, narrow);
    *insn = (struct ir_insn){.op = IR_WIDEN,
                             .type = own,
                             .from = narrow,
                             .dst = insn->dst,
                             .a = low,
                             .b = IR_NONE,
                             .c = IR_NONE,
                             .at = insn->at};
}

struct demand {
    struct ir_code *code;
    uint8_t *defs; /* writes of each virtual register: 0, 1 or 2 for more */
    uint8_t *bits; /* that somebody reads */
};

static void count_def(void *context, uint32_t *vreg, bool writes) {
    struct demand *d = context;
    if (writes && d->defs[*vreg] < 2)
        d->defs[*vreg]++;
}

static void demand_bits(struct demand *demand, uint32_t vreg, unsigned bits) {
    if (vreg != IR_NONE && demand->bits[vreg] < bits)
        demand->bits[vreg] = (uint8_t)bits;
}

static void demand_all(void *context, uint32_t *vreg, bool writes) {
    struct demand *d = context;
    if (!writes)
        demand_bits(d, *vreg, d->code->vregs.data[*vreg].type.bits);
}

/* The number of the element, modulo 2^width. */
static bool is_index(const struct ir_insn *insn) {
    return insn->op == IR_MACHINE && insn->machine == OP_INDEX && !insn->kept;
}

/* A product keeps as many of its bits as are read. */
static bool is_product(const struct ir_insn *insn) {
    struct isa_product p;
    return ir_product(insn, &p);
}

/* Bit k of the result depends on bits 0..k of the operands alone (of SHR: 0..k + count). */
static bool is_low_bits(const struct ir_insn *insn) {
    switch ((enum ir_op)insn->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_NOT:
    case IR_NEG:
    case IR_COPY:
    case IR_CONST:
        return true;
    case IR_SHL:
    case IR_SHR:
        return insn->b == IR_NONE;
    default:
        return is_index(insn) || is_product(insn);
    }
}

static void narrow_widen(struct demand *demand, struct ir_insn *insn, unsigned bits) {
    if (bits > insn->from.bits) {
        demand_bits(demand, insn->a, insn->from.bits);
        return;
    }
    insn->op = IR_COPY;
    demand_bits(demand, insn->a, bits);
}

/* SHL by as many bits as are left, or more, is another operation: the width stays above it.  SHR
 * takes its bits from further up. */
static unsigned least_bits(const struct ir_insn *insn, unsigned bits) {
    unsigned count = insn->imm < 64 ? (unsigned)insn->imm : 64;
    if (insn->op == IR_SHL && count >= bits)
        return count + 1;
    if (insn->op == IR_SHR)
        return bits + count < insn->type.bits ? bits + count : insn->type.bits;
    return bits;
}

/* An operation reads as many bits of its operands as its type has. */
static void demand_operands(struct demand *demand, struct ir_insn *insn) {
    bool by_register = (insn->op == IR_SHL || insn->op == IR_SHR) && insn->b != IR_NONE;
    unsigned bits = ir_reads_from(insn->op) ? insn->from.bits : insn->type.bits;
    struct isa_product p;
    if (ir_product(insn, &p)) {
        demand_bits(demand, insn->a, p.a);
        demand_bits(demand, insn->b, p.b);
        return;
    }
    if (insn->op >= IR_MACHINE || by_register) {
        ir_visit(insn, demand_all, demand);
        return;
    }
    demand_bits(demand, insn->a, insn->op == IR_SELECT ? 1 : bits);
    demand_bits(demand, insn->b, bits);
    demand_bits(demand, insn->c, bits);
}

static void narrow_backward(struct demand *demand, struct ir_insn *insn) {
    bool temporary = !ir_is_mark(insn->op) && insn->dst != IR_NONE &&
                     (insn->op < IR_MACHINE || is_index(insn) || is_product(insn)) &&
                     demand->code->vregs.data[insn->dst].fixed < 0 &&
                     !demand->code->vregs.data[insn->dst].given &&
                     !demand->code->vregs.data[insn->dst].result && demand->defs[insn->dst] == 1;
    unsigned bits = temporary ? demand->bits[insn->dst] : 0;
    if (insn->op == IR_TEST || insn->op == IR_IF || insn->op == IR_ELSE || insn->op == IR_ENABLE) {
        demand_bits(demand, insn->a, 1);
        return;
    }
    if (!temporary || bits == 0 || !(is_low_bits(insn) || insn->op == IR_WIDEN)) {
        demand_operands(demand, insn);
        return;
    }
    bits = least_bits(insn, bits);
    if (bits < insn->type.bits) {
        insn->type.bits = (uint8_t)bits;
        demand->code->vregs.data[insn->dst].type.bits = (uint8_t)bits;
        if (is_index(insn) || is_product(insn))
            insn->width = (uint8_t)bits;
        if (insn->op == IR_CONST)
            insn->imm &= UINT64_MAX >> (64 - bits);
    }
    if (insn->op == IR_WIDEN) {
        narrow_widen(demand, insn, insn->type.bits);
        return;
    }
    if (is_product(insn)) {
        demand_operands(demand, insn);
        return;
    }
    demand_bits(demand, insn->a, insn->type.bits);
    demand_bits(demand, insn->b, insn->type.bits);
}

void ir_narrow_backward(struct ir_code *code) {
    struct demand d = {code, xcalloc(code->vregs.len + 1, 1), xcalloc(code->vregs.len + 1, 1)};
    for (size_t k = 0; k < code->insns.len; k++)
        ir_visit(&code->insns.data[k], count_def, &d);
    for (size_t k = code->insns.len; k-- > 0;)
        narrow_backward(&d, &code->insns.data[k]);
    free(d.defs);
    free(d.bits);
}
