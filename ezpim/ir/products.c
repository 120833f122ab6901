/* SPDX-License-Identifier: MIT
 * Products by need.  Operands are known to be narrower values, extended, or of a range that fewer
 * bits hold: then only their bits are multiplied.  A shift right behind a product begins at a
 * higher bit of it instead, so that bits which it drops are never kept. */
#include "ezpim/ir/products.h"

#include "ezpim/ir/cost.h"
#include "ezpim/ir/touched.h"
#include "support/alloc.h"
#include "support/bits.h"

bool ir_product(const struct ir_insn *insn, struct isa_product *product) {
    return insn->op == IR_MACHINE && insn->machine == OP_MULP && !insn->kept &&
           isa_product_of((int32_t)insn->imm, insn->width, product);
}

static void to_product(struct ir_insn *insn, const struct isa_product *product, uint32_t left,
                       uint32_t right) {
    insn->op = IR_MACHINE;
    insn->machine = OP_MULP;
    insn->width = insn->type.bits = product->width;
    insn->imm = (uint64_t)isa_product_constant(product);
    insn->a = left;
    insn->b = right;
    insn->c = IR_NONE;
}

/* What is known of an operand; of a constant as well, which has a sign where it is negative. */
static struct ir_form factor(struct simplifier *simplifier, const struct ir_insn *insn,
                             uint32_t vreg) {
    struct ir_form form;
    struct lane_type type = insn->type;
    if (!simplifier->form(simplifier->context, vreg, type, &form))
        return (struct ir_form){.vreg = vreg, .from = type, .bits = type.bits};
    uint64_t constant;
    if (!form.is_constant || !simplifier->constant(simplifier->context, vreg, &constant))
        return form;
    constant &= low_bits(type.bits);
    bool negative = type.kind == TYPE_INT && constant >> (type.bits - 1);
    form.from = (struct lane_type){negative ? TYPE_INT : TYPE_UINT, form.bits};
    if (!negative)
        form.from.bits = (uint8_t)(constant ? 64 - __builtin_clzll(constant) : 1);
    return form;
}

/* Near-bank cores and DPUs clear the bits above an operand of an odd width, which MUL does not
 * need: a quarter less is what that takes there at most. */
void ir_product_by_need(struct simplifier *simplifier, struct ir_insn *insn) {
    if (!simplifier->products || insn->op != IR_MUL || insn->type.kind == TYPE_BOOL)
        return;
    struct ir_form a = factor(simplifier, insn, insn->a), b = factor(simplifier, insn, insn->b);
    uint64_t plain = ir_machine_cost(OP_MUL, insn->type.bits), constant;
    if (a.is_constant ||
        (b.is_constant && !simplifier->constant(simplifier->context, insn->b, &constant)))
        return;
    if (b.is_constant)
        plain = ir_constant_product_cost(constant, insn->type.bits);
    bool swap = a.from.bits < b.from.bits; /* the wider operand is the first */
    const struct ir_form *wide = swap ? &b : &a, *narrow = swap ? &a : &b;
    struct isa_product p = {
        .a = wide->from.bits < insn->type.bits ? wide->from.bits : insn->type.bits,
        .b = narrow->from.bits < insn->type.bits ? narrow->from.bits : insn->type.bits,
        .width = insn->type.bits,
        .signed_a = wide->from.kind == TYPE_INT,
        .signed_b = narrow->from.kind == TYPE_INT};
    if (4 * ir_product_cost(&p) <= 3 * plain)
        to_product(insn, &p, wide->vreg, narrow->vreg);
}

/* ---- shifts behind products ---- */

/* How often a virtual register is written and read, at most 2. */
struct product_use {
    uint8_t writes, reads;
};

static void count_use(void *context, uint32_t *vreg, bool writes) {
    struct product_use *uses = context;
    uint8_t *count = writes ? &uses[*vreg].writes : &uses[*vreg].reads;
    *count = *count < 2 ? *count + 1 : 2;
}

struct operands_written {
    uint32_t a, b;
    bool found;
};

static void note_write(void *context, uint32_t *vreg, bool writes) {
    struct operands_written *w = context;
    w->found |= writes && (*vreg == w->a || *vreg == w->b);
}

/* The product that makes `value`, up the straight code from `at`, whose operands are still there;
 * NULL: none. */
static const struct ir_insn *product_of(struct ir_code *code, size_t at, uint32_t value) {
    size_t k = at;
    while (k-- > 0 && !ir_is_mark(code->insns.data[k].op) && code->insns.data[k].op != IR_CALL)
        if (code->insns.data[k].dst == value)
            break;
    struct isa_product p;
    if (k >= at || code->insns.data[k].dst != value || !ir_product(&code->insns.data[k], &p))
        return NULL;
    struct operands_written w = {code->insns.data[k].a, code->insns.data[k].b, false};
    for (size_t i = k + 1; i < at; i++)
        ir_visit(&code->insns.data[i], note_write, &w);
    return w.found ? NULL : &code->insns.data[k];
}

/* Whether the product, from its bit lo on, fits the type. */
static bool fits(const struct isa_product *product, struct lane_type type) {
    bool has_sign = product->signed_a || product->signed_b;
    unsigned bits = (unsigned)product->a + product->b - product->lo;
    if (has_sign)
        return type.kind == TYPE_INT && bits <= type.bits;
    return bits + (type.kind == TYPE_INT) <= type.bits;
}

/* `shift` takes bits of the product itself.  Where that has more of them than the type, what is
 * above the highest that the type had is its sign, or 0. */
static void shift_product(struct ir_code *code, const struct ir_insn *product,
                          const struct ir_insn *shift, struct isa_product p, struct ir_insn made[2],
                          size_t *count) {
    struct lane_type type = shift->type;
    bool whole = fits(&p, type);
    p.lo = (uint8_t)(p.lo + shift->imm);
    p.width = (uint8_t)(whole ? type.bits : type.bits - shift->imm);
    made[0] = *shift;
    to_product(&made[0], &p, product->a, product->b);
    *count = 1;
    if (whole)
        return;
    made[1] = *shift;
    made[1].op = IR_WIDEN;
    made[1].imm = 0;
    made[1].from = (struct lane_type){type.kind, p.width};
    made[0].dst = made[1].a = ir_vreg(code, made[1].from, NULL, shift->at);
    *count = 2;
}

void ir_products_shift(struct ir_code *code) {
    struct product_use *uses = xcalloc(code->vregs.len + 1, sizeof *uses);
    VEC(struct ir_insn) out = {0};
    for (size_t k = 0; k < code->insns.len; k++)
        ir_visit(&code->insns.data[k], count_use, uses);
    code->region = 0;
    for (size_t k = 0; k < code->insns.len; k++) {
        const struct ir_insn shift = code->insns.data[k];
        struct ir_insn made[2] = {shift};
        struct isa_product p;
        size_t count = 1;
        if (ir_is_mark(shift.op))
            code->region = ir_region_behind(code, &shift, code->region);
        bool wanted = shift.op == IR_SHR && shift.b == IR_NONE && shift.imm < shift.type.bits &&
                      uses[shift.a].writes == 1 && uses[shift.a].reads == 1 &&
                      code->vregs.data[shift.a].fixed < 0;
        const struct ir_insn *product = wanted ? product_of(code, k, shift.a) : NULL;
        if (product && ir_product(product, &p) && shift.type.bits <= p.width &&
            p.lo + shift.imm < (unsigned)p.a + p.b)
            shift_product(code, product, &shift, p, made, &count);
        for (size_t i = 0; i < count; i++)
            vec_push(&out, made[i]);
    }
    vec_free(&code->insns);
    code->insns.data = out.data;
    code->insns.len = out.len;
    code->insns.cap = out.cap;
    free(uses);
}

/* ---- more shapes than a program may have ---- */

static bool take_shape(struct ir_shapes *shapes, const struct isa_product *product) {
    for (uint32_t i = 0; i < shapes->count; i++)
        if (isa_product_same(&shapes->data[i], product))
            return true;
    if (shapes->count == ISA_MAX_PRODUCTS)
        return false;
    shapes->data[shapes->count++] = *product;
    return true;
}

/* The product by MUL at as many bits as it needs, which a MUL had before. */
static size_t multiply(struct ir_code *code, const struct ir_insn *insn,
                       const struct isa_product *p, struct ir_insn made[5]) {
    bool has_sign = p->signed_a || p->signed_b;
    unsigned last = (unsigned)p->lo + p->width;
    struct lane_type type = {has_sign ? TYPE_INT : TYPE_UINT, (uint8_t)(last < 64 ? last : 64)};
    struct lane_type froms[2] = {{p->signed_a ? TYPE_INT : TYPE_UINT, p->a},
                                 {p->signed_b ? TYPE_INT : TYPE_UINT, p->b}};
    for (unsigned i = 0; i < 2; i++) {
        made[i] = (struct ir_insn){.op = froms[i].bits < type.bits ? IR_WIDEN : IR_COPY,
                                   .type = type,
                                   .from = froms[i],
                                   .a = i ? insn->b : insn->a,
                                   .b = IR_NONE,
                                   .c = IR_NONE,
                                   .size = IR_NONE,
                                   .at = insn->at};
        made[i].dst = ir_vreg(code, type, NULL, insn->at);
    }
    made[2] = made[0];
    made[2].op = IR_MUL;
    made[2].a = made[0].dst;
    made[2].b = made[1].dst;
    made[2].dst = ir_vreg(code, type, NULL, insn->at);
    made[3] = made[0];
    made[3].op = p->lo ? IR_SHR : IR_COPY;
    made[3].imm = p->lo;
    made[3].a = made[2].dst;
    made[3].dst = ir_vreg(code, type, NULL, insn->at);
    made[4] = made[0];
    made[4].op = IR_COPY;
    made[4].type.bits = p->width;
    made[4].a = made[3].dst;
    made[4].dst = insn->dst;
    return 5;
}

void ir_products_limit(struct ir_code *code, struct ir_shapes *shapes) {
    VEC(struct ir_insn) out = {0};
    code->region = 0;
    for (size_t k = 0; k < code->insns.len; k++) {
        struct ir_insn made[5] = {code->insns.data[k]};
        struct isa_product p;
        size_t count = 1;
        if (ir_is_mark(made[0].op))
            code->region = ir_region_behind(code, &made[0], code->region);
        if (ir_product(&made[0], &p) && !take_shape(shapes, &p))
            count = multiply(code, &code->insns.data[k], &p, made);
        for (size_t i = 0; i < count; i++)
            vec_push(&out, made[i]);
    }
    vec_free(&code->insns);
    code->insns.data = out.data;
    code->insns.len = out.len;
    code->insns.cap = out.cap;
}
