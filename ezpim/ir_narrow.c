/* SPDX-License-Identifier: MIT
 * Widths.  Cost follows precision, so work is done on no more bits than matter.
 *
 * Forward, one operation at a time while values are numbered: an operation on values that are
 * narrower ones, extended, is done on those where the result is known to fit, and its result is
 * extended.  Backward: where the low bits of a result depend on the low bits of the operands
 * alone, the operation is done on the bits that somebody reads.  What was extended for nobody
 * goes. */
#include "ezpim/ir_cost.h"
#include "ezpim/ir_narrow.h"
#include "ezpim/ir_touched.h"

#include <string.h>

static bool is_signed(struct mpu_type t) {
    return t.kind == TYPE_INT;
}

unsigned ir_constant_bits(uint64_t v, struct mpu_type t) {
    bool negative = is_signed(t) && (v >> (t.bits - 1) & 1);
    uint64_t magnitude = negative ? ~(v | (UINT64_MAX << (t.bits - 1))) : v;
    unsigned bits = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    return is_signed(t) ? bits + 1 : bits ? bits : 1;
}

static bool never_borrows(const struct simplifier *s, const struct ir_insn *i) {
    return s->range(s->context, i->a, i->type.bits).low >=
           s->range(s->context, i->b, i->type.bits).high;
}

static bool divides_by_zero(const struct simplifier *s, const struct ir_insn *i) {
    return s->range(s->context, i->b, i->type.bits).low == 0;
}

/* Bits in which the operation's result is known to fit, extended in the way of its type; 0: it is
 * not. */
static unsigned result_bits(const struct simplifier *s, const struct ir_insn *i, unsigned a,
                            unsigned b) {
    unsigned wide = a > b ? a : b;
    switch ((enum ir_op)i->op) {
    case IR_ADD:
        return wide + 1;
    case IR_SUB:
        return is_signed(i->type) ? wide + 1 : never_borrows(s, i) ? wide : 0;
    case IR_MUL:
        return a + b;
    case IR_AND:
        return is_signed(i->type) ? wide : a < b ? a : b;
    case IR_DIV:
    case IR_FLOORDIV: /* by zero all bits are ones */
        return is_signed(i->type) || divides_by_zero(s, i) ? 0 : wide;
    case IR_REM:
    case IR_FLOORMOD:
        return is_signed(i->type) ? 0 : wide;
    case IR_OR:
    case IR_XOR:
    case IR_MIN:
    case IR_MAX:
        return wide;
    case IR_SHL:
        return i->imm < 64 ? a + (unsigned)i->imm : 0;
    case IR_SHR:
        return a;
    default:
        return ir_op_compares(i->op) ? wide : 0;
    }
}

/* What it saves is a good deal more than the extension behind it, which may be for nobody. */
static bool pays(const struct ir_insn *i, unsigned bits) {
    struct ir_insn narrow = *i, widen = {.op = IR_WIDEN, .type = i->type};
    narrow.type.bits = (uint8_t)bits;
    uint64_t extension = ir_op_compares(i->op) ? 0 : 6 * ir_cost(&widen);
    return ir_cost(i) > ir_cost(&narrow) + extension;
}

static uint32_t put_before(struct simplifier *s, struct ir_insn made, struct mpu_type type) {
    made.dst = ir_vreg(s->code, type, NULL, made.at);
    s->before(s->context, &made);
    return made.dst;
}

/* The operand at `type`. */
static uint32_t operand(struct simplifier *s, uint32_t vreg, const struct ir_form *f,
                        struct mpu_type type, struct span at) {
    if (f->is_constant)
        return vreg;
    if (f->from.bits >= type.bits) /* its low bits are enough */
        return f->vreg;
    struct ir_insn widen = {.op = IR_WIDEN,
                            .type = type,
                            .from = f->from,
                            .a = f->vreg,
                            .b = IR_NONE,
                            .c = IR_NONE,
                            .at = at};
    return put_before(s, widen, type);
}

void ir_narrow(struct simplifier *s, struct ir_insn *i) {
    struct ir_form a, b = {.bits = 1, .is_constant = true};
    bool shifts = (i->op == IR_SHL || i->op == IR_SHR) && i->b == IR_NONE;
    bool by_register = (i->op == IR_SHL || i->op == IR_SHR) && !shifts;
    if (i->op >= IR_SELECT || i->type.kind == TYPE_BOOL || by_register ||
        (i->b == IR_NONE && !shifts))
        return;
    if (!s->form(s->context, i->a, i->type, &a) ||
        (!shifts && !s->form(s->context, i->b, i->type, &b)) || (a.is_constant && b.is_constant))
        return;
    unsigned bits = result_bits(s, i, a.bits, b.bits);
    if (!bits || bits >= i->type.bits || !pays(i, bits))
        return;
    struct mpu_type narrow = {i->type.kind, (uint8_t)bits}, own = i->type;
    struct ir_insn made = *i;
    made.type = narrow;
    made.a = operand(s, i->a, &a, narrow, i->at);
    made.b = shifts ? IR_NONE : operand(s, i->b, &b, narrow, i->at);
    if (ir_op_compares(i->op)) {
        *i = made;
        return;
    }
    uint32_t low = put_before(s, made, narrow);
    *i = (struct ir_insn){.op = IR_WIDEN,
                          .type = own,
                          .from = narrow,
                          .dst = i->dst,
                          .a = low,
                          .b = IR_NONE,
                          .c = IR_NONE,
                          .at = i->at};
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

static void demand_bits(struct demand *d, uint32_t vreg, unsigned bits) {
    if (vreg != IR_NONE && d->bits[vreg] < bits)
        d->bits[vreg] = (uint8_t)bits;
}

static void demand_all(void *context, uint32_t *vreg, bool writes) {
    struct demand *d = context;
    if (!writes)
        demand_bits(d, *vreg, d->code->vregs.data[*vreg].type.bits);
}

/* The number of the element, modulo 2^width. */
static bool is_index(const struct ir_insn *i) {
    return i->op == IR_MACHINE && i->machine == OP_INDEX && !i->kept;
}

/* Bit k of the result depends on bits 0..k of the operands alone (of SHR: 0..k + count). */
static bool is_low_bits(const struct ir_insn *i) {
    switch ((enum ir_op)i->op) {
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
        return i->b == IR_NONE;
    default:
        return is_index(i);
    }
}

static void narrow_widen(struct demand *d, struct ir_insn *i, unsigned bits) {
    if (bits > i->from.bits) {
        demand_bits(d, i->a, i->from.bits);
        return;
    }
    i->op = IR_COPY;
    demand_bits(d, i->a, bits);
}

/* SHL by as many bits as are left, or more, is another operation: the width stays above it.  SHR
 * takes its bits from further up. */
static unsigned least_bits(const struct ir_insn *i, unsigned bits) {
    unsigned count = i->imm < 64 ? (unsigned)i->imm : 64;
    if (i->op == IR_SHL && count >= bits)
        return count + 1;
    if (i->op == IR_SHR)
        return bits + count < i->type.bits ? bits + count : i->type.bits;
    return bits;
}

/* An operation reads as many bits of its operands as its type has. */
static void demand_operands(struct demand *d, struct ir_insn *i) {
    bool by_register = (i->op == IR_SHL || i->op == IR_SHR) && i->b != IR_NONE;
    unsigned bits = i->op == IR_WIDEN ? i->from.bits : i->type.bits;
    if (i->op >= IR_MACHINE || by_register) {
        ir_visit(i, demand_all, d);
        return;
    }
    demand_bits(d, i->a, i->op == IR_SELECT ? 1 : bits);
    demand_bits(d, i->b, bits);
    demand_bits(d, i->c, bits);
}

static void narrow_backward(struct demand *d, struct ir_insn *i) {
    bool temporary = !ir_is_mark(i->op) && i->dst != IR_NONE &&
                     (i->op < IR_MACHINE || is_index(i)) && d->code->vregs.data[i->dst].fixed < 0 &&
                     !d->code->vregs.data[i->dst].given && !d->code->vregs.data[i->dst].result &&
                     d->defs[i->dst] == 1;
    unsigned bits = temporary ? d->bits[i->dst] : 0;
    if (i->op == IR_TEST || i->op == IR_IF || i->op == IR_ELSE || i->op == IR_ENABLE) {
        demand_bits(d, i->a, 1);
        return;
    }
    if (!temporary || bits == 0 || !(is_low_bits(i) || i->op == IR_WIDEN)) {
        demand_operands(d, i);
        return;
    }
    bits = least_bits(i, bits);
    if (bits < i->type.bits) {
        i->type.bits = (uint8_t)bits;
        d->code->vregs.data[i->dst].type.bits = (uint8_t)bits;
        if (is_index(i))
            i->width = (uint8_t)bits;
        if (i->op == IR_CONST)
            i->imm &= UINT64_MAX >> (64 - bits);
    }
    if (i->op == IR_WIDEN) {
        narrow_widen(d, i, i->type.bits);
        return;
    }
    demand_bits(d, i->a, i->type.bits);
    demand_bits(d, i->b, i->type.bits);
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
