/* SPDX-License-Identifier: MIT
 * Expressions.  The operation at the root of an assignment writes the variable itself. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/operations.h"

static uint32_t lower_expr(struct lowering *l, const struct expr *e, uint32_t dst);

void lower_put(struct lowering *l, struct ir_insn insn) {
    vec_push(&l->b.code->insns, insn);
}

uint32_t lower_target(struct lowering *l, uint32_t dst, struct mpu_type type, struct span at) {
    return dst == IR_NONE ? ir_vreg(l->b.code, type, NULL, at) : dst;
}

void lower_operation(struct lowering *l, enum ir_op op, struct mpu_type type, uint32_t dst,
                     uint32_t a, uint32_t b, uint64_t imm, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op,
                        .type = type,
                        .dst = dst,
                        .a = a,
                        .b = b,
                        .c = IR_NONE,
                        .imm = imm,
                        .at = at};
    lower_put(l, i);
}

uint32_t lower_constant(struct lowering *l, struct mpu_type type, uint64_t pattern, uint32_t dst,
                        struct span at) {
    dst = lower_target(l, dst, type, at);
    lower_operation(l, IR_CONST, type, dst, IR_NONE, IR_NONE, pattern, at);
    return dst;
}

static uint32_t put(struct lowering *l, enum ir_op op, struct mpu_type type, uint32_t a, uint32_t b,
                    uint32_t c, uint32_t dst, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op, .type = type, .a = a, .b = b, .c = c, .at = at};
    i.dst = lower_target(l, dst, ir_result_type(&i), at);
    lower_put(l, i);
    return i.dst;
}

static uint32_t put_copy(struct lowering *l, uint32_t a, struct mpu_type type, uint32_t dst,
                         struct span at) {
    return dst == IR_NONE ? a : put(l, IR_COPY, type, a, IR_NONE, IR_NONE, dst, at);
}

static uint32_t put_widen(struct lowering *l, uint32_t a, struct mpu_type from,
                          struct mpu_type type, uint32_t dst, struct span at) {
    dst = lower_target(l, dst, type, at);
    lower_put(l, (struct ir_insn){.op = IR_WIDEN,
                                  .type = type,
                                  .from = from,
                                  .dst = dst,
                                  .a = a,
                                  .b = IR_NONE,
                                  .c = IR_NONE,
                                  .at = at});
    return dst;
}

uint32_t lower_as(struct lowering *l, const struct expr *e, struct mpu_type type, uint32_t dst) {
    if (e->is_constant)
        return lower_constant(l, type, ez_pattern(e->value, type), dst, e->at);
    if (e->type.type.bits >= type.bits)
        return lower_expr(l, e, dst);
    uint32_t a = lower_expr(l, e, IR_NONE);
    return put_widen(l, a, e->type.type, type, dst, e->at);
}

/* What holds a counter here: of a loop at top level a variable of the group. */
static uint32_t counter_in_group(struct lowering *l, struct ez_symbol *k) {
    const struct counter_value *v = k->counter.counts ? k->counter.counts->values : NULL;
    while (v && v->group != l->group)
        v = v->next;
    return v ? lower_counter_value(l, k, v) : lower_element(l, k, 0);
}

/* The counter has a type of its own, as narrow as its values; the name has that of its use. */
static uint32_t lower_counter(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct mpu_type type = e->type.type;
    uint32_t v = counter_in_group(l, e->symbol);
    struct mpu_type own = l->b.code->vregs.data[v].type;
    if (own.bits < type.bits)
        return put_widen(l, v, own, type, dst, e->at);
    return put_copy(l, v, type, dst, e->at);
}

uint32_t lower_size(struct lowering *l, struct mpu_type type, uint32_t size, uint32_t dst,
                    struct span at) {
    dst = lower_target(l, dst, type, at);
    lower_operation(l, IR_SIZE, type, dst, IR_NONE, IR_NONE, 0, at);
    vec_last(&l->b.code->insns).size = size;
    return dst;
}

/* A size with a bound has no more bits than that, extended. */
static uint32_t lower_size_name(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct mpu_type type = e->type.type, own = ez_type_up_to(e->symbol->bound, 64);
    if (own.bits >= type.bits || ez_size_range(l->u, e->symbol->index).least < 0)
        return lower_size(l, type, e->symbol->index, dst, e->at);
    return put_widen(l, lower_size(l, own, e->symbol->index, IR_NONE, e->at), own, type, dst,
                     e->at);
}

/* An element of a link-time value. */
static uint32_t lower_host(struct lowering *l, const struct expr *e, uint32_t dst) {
    dst = lower_target(l, dst, e->type.type, e->at);
    lower_operation(l, IR_VALUE, e->type.type, dst, IR_NONE, IR_NONE, e->element, e->at);
    vec_last(&l->b.code->insns).size = e->symbol->index;
    return dst;
}

static uint32_t lower_name(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct mpu_type type = e->type.type;
    if (e->symbol->kind == SYMBOL_EZ_COUNTER)
        return lower_counter(l, e, dst);
    if (e->symbol->kind == SYMBOL_EZ_SIZE)
        return lower_size_name(l, e, dst);
    if (e->symbol->kind == SYMBOL_EZ_HOST)
        return lower_host(l, e, dst);
    return put_copy(l, lower_element(l, e->symbol, e->element), type, dst, e->at);
}

/* ! is an inversion of one bit. */
static uint32_t lower_unary(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct mpu_type type = e->type.type;
    uint32_t a = lower_as(l, e->args[0], type, IR_NONE);
    return put(l, e->op == UNARY_NEG ? IR_NEG : IR_NOT, type, a, IR_NONE, IR_NONE, dst, e->at);
}

/* An operand; it keeps its value when what is worked out after it writes variables. */
static uint32_t lower_operand(struct lowering *l, const struct expr *e, struct mpu_type type,
                              bool kept) {
    uint32_t v = lower_as(l, e, type, IR_NONE);
    return kept ? lower_keep(l, v, type, e->at) : v;
}

/* Value and count may differ in width; at the wider one nothing of either is lost, and the low
 * bits of the result are right for the narrower one. */
static uint32_t lower_shift(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct mpu_type type = e->type.type, wide = type;
    enum ir_op op = ez_binary_operation(e->op);
    const struct expr *count = e->args[1];
    if (count->is_constant) {
        uint32_t a = lower_as(l, e->args[0], type, IR_NONE);
        uint32_t to = put(l, op, type, a, IR_NONE, IR_NONE, dst, e->at);
        vec_last(&l->b.code->insns).imm = count->value < 64 ? (uint64_t)count->value : 64;
        return to;
    }
    if (count->type.type.bits > wide.bits)
        wide.bits = count->type.type.bits;
    uint32_t a = lower_operand(l, e->args[0], wide, count->writes);
    uint32_t b = lower_as(l, count, (struct mpu_type){TYPE_UINT, wide.bits}, IR_NONE);
    bool direct = wide.bits == type.bits;
    uint32_t r = put(l, op, wide, a, b, IR_NONE, direct ? dst : IR_NONE, e->at);
    return direct ? r : put_copy(l, r, type, dst, e->at);
}

static unsigned type_bits(const struct expr *e) {
    return e->type.type.bits;
}

/* x & 2^k == 0, != 0, == 2^k: a bit of x, or its opposite. */
static bool is_bit_test(const struct expr *e, const struct expr **x, unsigned *k, bool *opposite) {
    if (e->kind != EXPR_BINARY || (e->op != BINARY_EQ && e->op != BINARY_NE))
        return false;
    const struct expr *and = e->args[0], *value = e->args[1];
    if (and->kind != EXPR_BINARY || and->op != BINARY_AND || and->is_constant ||
        !value->is_constant || type_bits(and) < type_bits(e->args[1]))
        return false;
    unsigned constant = and->args[1]->is_constant ? 1 : 0;
    const struct expr *mask = and->args[constant];
    if (!mask->is_constant || mask->value <= 0 || mask->value & (mask->value - 1) ||
        (value->value != 0 && value->value != mask->value))
        return false;
    *x = and->args[1 - constant];
    *k = 0;
    while (mask->value >> *k != 1)
        ++*k;
    *opposite ^= (value->value == 0) == (e->op == BINARY_EQ);
    return *k < type_bits(*x);
}

uint32_t lower_bit_test(struct lowering *l, const struct expr *e, bool *opposite) {
    static const struct mpu_type bit = {TYPE_BOOL, 1};
    const struct expr *x;
    unsigned k;
    if (!is_bit_test(e, &x, &k, opposite))
        return IR_NONE;
    uint32_t v = lower_as(l, x, x->type.type, IR_NONE);
    if (k) {
        v = put(l, IR_SHR, x->type.type, v, IR_NONE, IR_NONE, IR_NONE, e->at);
        vec_last(&l->b.code->insns).imm = k;
    }
    return put(l, IR_COPY, bit, v, IR_NONE, IR_NONE, IR_NONE, e->at);
}

/* The second side of && or || runs only where it decides: what it writes is seen there. */
static uint32_t lower_in_turn(struct lowering *l, const struct expr *e, uint32_t dst) {
    uint32_t v = ir_vreg(l->b.code, e->type.type, NULL, e->at);
    lower_as(l, e->args[0], e->type.type, v);
    uint32_t r = ir_open(l->b.code, IR_BLOCK, IR_NONE, e->at);
    ir_mark(l->b.code, IR_TEST, r, v, e->at);
    vec_last(&l->b.code->insns).imm = e->op == BINARY_ANY;
    lower_as(l, e->args[1], e->type.type, v);
    ir_mark(l->b.code, IR_END, r, IR_NONE, e->at);
    return put_copy(l, v, e->type.type, dst, e->at);
}

static uint32_t lower_binary(struct lowering *l, const struct expr *e, uint32_t dst) {
    bool opposite = false;
    uint32_t tested = lower_bit_test(l, e, &opposite);
    if (tested != IR_NONE)
        return put(l, opposite ? IR_NOT : IR_COPY, e->type.type, tested, IR_NONE, IR_NONE, dst,
                   e->at);
    if (e->op == BINARY_SHL || e->op == BINARY_SHR)
        return lower_shift(l, e, dst);
    if ((e->op == BINARY_ALL || e->op == BINARY_ANY) && e->args[1]->writes)
        return lower_in_turn(l, e, dst);
    uint32_t a = lower_operand(l, e->args[0], e->operand_type, e->args[1]->writes);
    uint32_t b = lower_as(l, e->args[1], e->operand_type, IR_NONE);
    return put(l, ez_binary_operation(e->op), e->operand_type, a, b, IR_NONE, dst, e->at);
}

static uint32_t lower_cast(struct lowering *l, const struct expr *e, uint32_t dst) {
    const struct expr *a = e->args[0];
    struct mpu_type from = a->type.type, to = e->type.type;
    uint32_t v = lower_as(l, a, from, IR_NONE);
    if (from.bits < to.bits)
        return put_widen(l, v, from, to, dst, e->at);
    return put_copy(l, v, to, dst, e->at);
}

static uint32_t lower_select(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct mpu_type type = e->type.type;
    bool last = e->args[2]->writes;
    uint32_t a = lower_operand(l, e->args[0], e->args[0]->type.type, last || e->args[1]->writes);
    uint32_t b = lower_operand(l, e->args[1], type, last);
    uint32_t c = lower_as(l, e->args[2], type, IR_NONE);
    return put(l, IR_SELECT, type, a, b, c, dst, e->at);
}

/* Sources in the order rs, rt, rd; what rd holds before is copied, for rd is overwritten.  The
 * result goes to a fresh register: rd must not be that of a source that is still to be read. */
static uint32_t lower_machine(struct lowering *l, const struct expr *e, uint32_t dst) {
    const struct isa_info *info = isa_info(e->machine);
    struct mpu_type type = e->operand_type;
    uint32_t field[3] = {IR_NONE, IR_NONE, IR_NONE}, next = 0;
    for (unsigned k = 0; k < 3; k++)
        if (info->flags & ((uint32_t)READS_RS << k))
            field[k] = lower_operand(l, e->args[next++], type, e->writes);
    if (field[2] != IR_NONE)
        field[2] = put_copy(l, field[2], type, ir_vreg(l->b.code, type, NULL, e->at), e->at);
    else if (info->flags & WRITES_RD)
        field[2] = lower_target(l, dst, type, e->at);
    lower_put(l, (struct ir_insn){.op = IR_MACHINE,
                                  .machine = (uint16_t)e->machine,
                                  .width = type.bits,
                                  .type = type,
                                  .a = field[0],
                                  .b = field[1],
                                  .dst = field[2],
                                  .c = IR_NONE,
                                  .at = e->at});
    if (info->flags & WRITES_C) {
        dst = lower_target(l, dst, e->type.type, e->at);
        lower_put(l, (struct ir_insn){.op = IR_MACHINE,
                                      .machine = OP_GETC,
                                      .width = 1,
                                      .type = e->type.type,
                                      .a = IR_NONE,
                                      .b = IR_NONE,
                                      .dst = dst,
                                      .c = IR_NONE,
                                      .at = e->at});
        return dst;
    }
    return field[2] == dst ? dst : put_copy(l, field[2], type, dst, e->at);
}

uint32_t lower_place_in_group(struct lowering *l, struct mpu_type type, uint32_t dst,
                              struct span at) {
    dst = lower_target(l, dst, type, at);
    lower_operation(l, IR_MACHINE, type, dst, IR_NONE, IR_NONE, 0, at);
    vec_last(&l->b.code->insns).machine = OP_INDEX;
    vec_last(&l->b.code->insns).width = type.bits;
    return dst;
}

/* No more bits are worked out than numbers of the group's elements can have. */
static uint32_t lower_index(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct mpu_type type = e->type.type, own = l->group ? ez_index_type(l->u, l->group) : type;
    if (own.bits >= type.bits)
        return lower_place_in_group(l, type, dst, e->at);
    return put_widen(l, lower_place_in_group(l, own, IR_NONE, e->at), own, type, dst, e->at);
}

static uint32_t lower_table(struct lowering *l, const struct expr *e, uint32_t dst) {
    const struct expr *x = e->args[0];
    struct array_table t = ez_table(e->symbol);
    uint32_t index = lower_as(l, x, x->type.type, IR_NONE);
    return array_select(&l->b, &t, ez_array_index(l->u, l->group, x), index, dst, e->at);
}

static uint32_t lower_call(struct lowering *l, const struct expr *e, uint32_t dst) {
    switch ((enum function_kind)e->function) {
    case FUNCTION_CAST:
        return lower_cast(l, e, dst);
    case FUNCTION_SELECT:
        return lower_select(l, e, dst);
    case FUNCTION_MACHINE:
        return lower_machine(l, e, dst);
    case FUNCTION_INDEX:
        return lower_index(l, e, dst);
    case FUNCTION_LENGTH:
        return put_widen(l, lower_element(l, e->symbol, 0), e->symbol->type.type, e->type.type, dst,
                         e->at);
    case FUNCTION_TABLE:
        return lower_table(l, e, dst);
    case FUNCTION_SUB:
        return lower_sub_call(l, e, dst);
    default:
        break;
    }
    uint32_t a = lower_operand(l, e->args[0], e->type.type, e->args[1]->writes);
    uint32_t b = lower_as(l, e->args[1], e->type.type, IR_NONE);
    return put(l, ez_function_operation(e->function), e->type.type, a, b, IR_NONE, dst, e->at);
}

static uint32_t lower_expr(struct lowering *l, const struct expr *e, uint32_t dst) {
    if (e->is_constant)
        return lower_constant(l, e->type.type, ez_pattern(e->value, e->type.type), dst, e->at);
    switch (e->kind) {
    case EXPR_UNARY:
        return lower_unary(l, e, dst);
    case EXPR_BINARY:
        return lower_binary(l, e, dst);
    case EXPR_CALL:
        return lower_call(l, e, dst);
    default:
        return lower_name(l, e, dst);
    }
}
