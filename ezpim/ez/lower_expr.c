/* SPDX-License-Identifier: MIT
 * Expressions.  The operation at the root of an assignment writes the variable itself. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/operations.h"
#include "ezpim/ir/element_numbers.h"

static uint32_t lower_expr(struct lowering *lowering, const struct expr *expr, uint32_t dst);

void ez_lower_put(struct lowering *lowering, struct ir_insn insn) {
    vec_push(&lowering->b.code->insns, insn);
}

uint32_t ez_lower_target(struct lowering *lowering, uint32_t dst, struct lane_type type,
                         struct span at) {
    return dst == IR_NONE ? ir_vreg(lowering->b.code, type, NULL, at) : dst;
}

void ez_lower_operation(struct lowering *lowering, enum ir_op op, struct lane_type type,
                        uint32_t dst, uint32_t left, uint32_t right, uint64_t imm, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op,
                        .type = type,
                        .dst = dst,
                        .a = left,
                        .b = right,
                        .c = IR_NONE,
                        .imm = imm,
                        .at = at};
    ez_lower_put(lowering, i);
}

uint32_t ez_lower_constant(struct lowering *lowering, struct lane_type type, uint64_t pattern,
                           uint32_t dst, struct span at) {
    dst = ez_lower_target(lowering, dst, type, at);
    ez_lower_operation(lowering, IR_CONST, type, dst, IR_NONE, IR_NONE, pattern, at);
    return dst;
}

static uint32_t put(struct lowering *lowering, enum ir_op op, struct lane_type type, uint32_t left,
                    uint32_t right, uint32_t c, uint32_t dst, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op, .type = type, .a = left, .b = right, .c = c, .at = at};
    i.dst = ez_lower_target(lowering, dst, ir_result_type(&i), at);
    ez_lower_put(lowering, i);
    return i.dst;
}

static uint32_t put_copy(struct lowering *lowering, uint32_t a, struct lane_type type, uint32_t dst,
                         struct span at) {
    return dst == IR_NONE ? a : put(lowering, IR_COPY, type, a, IR_NONE, IR_NONE, dst, at);
}

static uint32_t put_widen(struct lowering *lowering, uint32_t a, struct lane_type from,
                          struct lane_type type, uint32_t dst, struct span at) {
    if (object_type_is_float(type) || object_type_is_float(from))
        return ir_convert(&lowering->b, a, from, type, dst, at);
    dst = ez_lower_target(lowering, dst, type, at);
    ez_lower_put(lowering, (struct ir_insn){.op = IR_WIDEN,
                                            .type = type,
                                            .from = from,
                                            .dst = dst,
                                            .a = a,
                                            .b = IR_NONE,
                                            .c = IR_NONE,
                                            .at = at});
    return dst;
}

uint32_t ez_lower_as(struct lowering *lowering, const struct expr *expr, struct lane_type type,
                     uint32_t dst) {
    if (expr->is_constant)
        return ez_lower_constant(lowering, type, ez_pattern(expr->value, type), dst, expr->at);
    if (expr->type.type.bits >= type.bits)
        return lower_expr(lowering, expr, dst);
    uint32_t a = lower_expr(lowering, expr, IR_NONE);
    return put_widen(lowering, a, expr->type.type, type, dst, expr->at);
}

/* What holds a counter here: of a loop at top level a variable of the group. */
static uint32_t counter_in_group(struct lowering *lowering, struct ez_symbol *symbol) {
    const struct counter_value *v = symbol->counter.counts ? symbol->counter.counts->values : NULL;
    while (v && v->group != lowering->group)
        v = v->next;
    return v ? ez_lower_counter_value(lowering, symbol, v) : ez_lower_element(lowering, symbol, 0);
}

/* The counter has a type of its own, as narrow as its values; the name has that of its use. */
static uint32_t lower_counter(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->type.type;
    uint32_t v = counter_in_group(lowering, expr->symbol);
    struct lane_type own = lowering->b.code->vregs.data[v].type;
    if (own.bits < type.bits || object_type_is_float(type))
        return put_widen(lowering, v, own, type, dst, expr->at);
    return put_copy(lowering, v, type, dst, expr->at);
}

uint32_t ez_lower_size(struct lowering *lowering, struct lane_type type, uint32_t size,
                       uint32_t dst, struct span at) {
    dst = ez_lower_target(lowering, dst, type, at);
    ez_lower_operation(lowering, IR_SIZE, type, dst, IR_NONE, IR_NONE, 0, at);
    vec_last(&lowering->b.code->insns).size = size;
    return dst;
}

/* A size with a bound has no more bits than that, extended. */
static uint32_t lower_size_name(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->type.type, own = ez_type_up_to(expr->symbol->bound, 64);
    bool negative = ez_size_range(lowering->u, expr->symbol->index).least < 0;
    if (object_type_is_float(type) && (negative || !expr->symbol->bound))
        own = (struct lane_type){TYPE_INT, EZ_SIZE_BITS + 1};
    else if (own.bits >= type.bits || negative)
        return ez_lower_size(lowering, type, expr->symbol->index, dst, expr->at);
    return put_widen(lowering, ez_lower_size(lowering, own, expr->symbol->index, IR_NONE, expr->at),
                     own, type, dst, expr->at);
}

/* An element of a link-time value. */
static uint32_t lower_host(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    dst = ez_lower_target(lowering, dst, expr->type.type, expr->at);
    ez_lower_operation(lowering, IR_VALUE, expr->type.type, dst, IR_NONE, IR_NONE, expr->element,
                       expr->at);
    vec_last(&lowering->b.code->insns).size = expr->symbol->index;
    return dst;
}

static uint32_t lower_name(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->type.type;
    if (expr->symbol->kind == SYMBOL_EZ_COUNTER)
        return lower_counter(lowering, expr, dst);
    if (expr->symbol->kind == SYMBOL_EZ_SIZE)
        return lower_size_name(lowering, expr, dst);
    if (expr->symbol->kind == SYMBOL_EZ_HOST)
        return lower_host(lowering, expr, dst);
    return put_copy(lowering, ez_lower_element(lowering, expr->symbol, expr->element), type, dst,
                    expr->at);
}

/* ! is an inversion of one bit. */
static uint32_t lower_unary(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->type.type;
    uint32_t a = ez_lower_as(lowering, expr->args[0], type, IR_NONE);
    return ir_typed(&lowering->b, array_instruction(ez_unary_operation(expr->op)), type, dst, a,
                    IR_NONE, expr->at);
}

/* An operand; it keeps its value when what is worked out after it writes variables. */
static uint32_t lower_operand(struct lowering *lowering, const struct expr *expr,
                              struct lane_type type, bool kept) {
    uint32_t v = ez_lower_as(lowering, expr, type, IR_NONE);
    return kept ? ez_lower_keep(lowering, v, type, expr->at) : v;
}

/* Value and count may differ in width; at the wider one nothing of either is lost, and the low
 * bits of the result are right for the narrower one. */
static uint32_t lower_shift(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->type.type, wide = type;
    enum ir_op op = array_instruction(ez_binary_operation(expr->op));
    const struct expr *count = expr->args[1];
    if (count->is_constant) {
        uint32_t a = ez_lower_as(lowering, expr->args[0], type, IR_NONE);
        uint32_t to = put(lowering, op, type, a, IR_NONE, IR_NONE, dst, expr->at);
        vec_last(&lowering->b.code->insns).imm = count->value < 64 ? (uint64_t)count->value : 64;
        return to;
    }
    if (count->type.type.bits > wide.bits)
        wide.bits = count->type.type.bits;
    uint32_t a = lower_operand(lowering, expr->args[0], wide, count->writes);
    uint32_t b = ez_lower_as(lowering, count, (struct lane_type){TYPE_UINT, wide.bits}, IR_NONE);
    bool direct = wide.bits == type.bits;
    uint32_t r = put(lowering, op, wide, a, b, IR_NONE, direct ? dst : IR_NONE, expr->at);
    return direct ? r : put_copy(lowering, r, type, dst, expr->at);
}

static unsigned type_bits(const struct expr *expr) {
    return expr->type.type.bits;
}

/* x & 2^k == 0, != 0, == 2^k: a bit of x, or its opposite. */
static bool is_bit_test(const struct expr *expr, const struct expr **x, unsigned *k,
                        bool *opposite) {
    if (expr->kind != EXPR_BINARY || (expr->op != BINARY_EQ && expr->op != BINARY_NE))
        return false;
    const struct expr *and = expr->args[0], *value = expr->args[1];
    if (and->kind != EXPR_BINARY || and->op != BINARY_AND || and->is_constant ||
        !value->is_constant || type_bits(and) < type_bits(expr->args[1]))
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
    *opposite ^= (value->value == 0) == (expr->op == BINARY_EQ);
    return *k < type_bits(*x);
}

uint32_t ez_lower_bit_test(struct lowering *lowering, const struct expr *expr, bool *opposite) {
    static const struct lane_type bit = {TYPE_BOOL, 1};
    const struct expr *x;
    unsigned k;
    if (!is_bit_test(expr, &x, &k, opposite))
        return IR_NONE;
    uint32_t v = ez_lower_as(lowering, x, x->type.type, IR_NONE);
    if (k) {
        v = put(lowering, IR_SHR, x->type.type, v, IR_NONE, IR_NONE, IR_NONE, expr->at);
        vec_last(&lowering->b.code->insns).imm = k;
    }
    return put(lowering, IR_COPY, bit, v, IR_NONE, IR_NONE, IR_NONE, expr->at);
}

/* The second side of && or || runs only where it decides: what it writes is seen there. */
static uint32_t lower_in_turn(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    uint32_t v = ir_vreg(lowering->b.code, expr->type.type, NULL, expr->at);
    ez_lower_as(lowering, expr->args[0], expr->type.type, v);
    uint32_t r = ir_open(lowering->b.code, IR_BLOCK, IR_NONE, expr->at);
    ir_mark(lowering->b.code, IR_TEST, r, v, expr->at);
    vec_last(&lowering->b.code->insns).imm = expr->op == BINARY_ANY;
    ez_lower_as(lowering, expr->args[1], expr->type.type, v);
    ir_mark(lowering->b.code, IR_END, r, IR_NONE, expr->at);
    return put_copy(lowering, v, expr->type.type, dst, expr->at);
}

static uint32_t lower_binary(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    bool opposite = false;
    uint32_t tested = ez_lower_bit_test(lowering, expr, &opposite);
    if (tested != IR_NONE)
        return put(lowering, opposite ? IR_NOT : IR_COPY, expr->type.type, tested, IR_NONE, IR_NONE,
                   dst, expr->at);
    if (expr->op == BINARY_SHL || expr->op == BINARY_SHR)
        return lower_shift(lowering, expr, dst);
    if ((expr->op == BINARY_ALL || expr->op == BINARY_ANY) && expr->args[1]->writes)
        return lower_in_turn(lowering, expr, dst);
    uint32_t a = lower_operand(lowering, expr->args[0], expr->operand_type, expr->args[1]->writes);
    uint32_t b = ez_lower_as(lowering, expr->args[1], expr->operand_type, IR_NONE);
    return ir_typed(&lowering->b, array_instruction(ez_binary_operation(expr->op)),
                    expr->operand_type, dst, a, b, expr->at);
}

static uint32_t lower_cast(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    const struct expr *a = expr->args[0];
    struct lane_type from = a->type.type, to = expr->type.type;
    uint32_t v = ez_lower_as(lowering, a, from, IR_NONE);
    if (from.bits < to.bits || object_type_is_float(from) || object_type_is_float(to))
        return put_widen(lowering, v, from, to, dst, expr->at);
    return put_copy(lowering, v, to, dst, expr->at);
}

static uint32_t lower_select(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->type.type;
    bool last = expr->args[2]->writes;
    uint32_t a = lower_operand(lowering, expr->args[0], expr->args[0]->type.type,
                               last || expr->args[1]->writes);
    uint32_t b = lower_operand(lowering, expr->args[1], type, last);
    uint32_t c = ez_lower_as(lowering, expr->args[2], type, IR_NONE);
    return put(lowering, IR_SELECT, type, a, b, c, dst, expr->at);
}

/* Sources in the order rs, rt, rd; what rd holds before is copied, for rd is overwritten.  The
 * result goes to a fresh register: rd must not be that of a source that is still to be read. */
static uint32_t lower_machine(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    const struct isa_info *info = isa_info(expr->machine);
    struct lane_type type = expr->operand_type;
    uint32_t field[3] = {IR_NONE, IR_NONE, IR_NONE}, next = 0;
    for (unsigned k = 0; k < 3; k++)
        if (info->flags & ((uint32_t)READS_RS << k))
            field[k] = lower_operand(lowering, expr->args[next++], type, expr->writes);
    if (field[2] != IR_NONE)
        field[2] = put_copy(lowering, field[2], type,
                            ir_vreg(lowering->b.code, type, NULL, expr->at), expr->at);
    else if (info->flags & WRITES_RD)
        field[2] = ez_lower_target(lowering, dst, type, expr->at);
    ez_lower_put(lowering, (struct ir_insn){.op = IR_MACHINE,
                                            .machine = (uint16_t)expr->machine,
                                            .width = type.bits,
                                            .type = type,
                                            .a = field[0],
                                            .b = field[1],
                                            .dst = field[2],
                                            .c = IR_NONE,
                                            .at = expr->at});
    if (info->flags & WRITES_C) {
        dst = ez_lower_target(lowering, dst, expr->type.type, expr->at);
        ez_lower_put(lowering, (struct ir_insn){.op = IR_MACHINE,
                                                .machine = OP_GETC,
                                                .width = 1,
                                                .type = expr->type.type,
                                                .a = IR_NONE,
                                                .b = IR_NONE,
                                                .dst = dst,
                                                .c = IR_NONE,
                                                .at = expr->at});
        return dst;
    }
    return field[2] == dst ? dst : put_copy(lowering, field[2], type, dst, expr->at);
}

uint32_t ez_lower_place_in_group(struct lowering *lowering, struct lane_type type, uint32_t dst,
                                 struct span at) {
    dst = ez_lower_target(lowering, dst, type, at);
    ez_lower_operation(lowering, IR_MACHINE, type, dst, IR_NONE, IR_NONE, 0, at);
    vec_last(&lowering->b.code->insns).machine = OP_INDEX;
    vec_last(&lowering->b.code->insns).width = type.bits;
    return dst;
}

/* Which numbers index(d) counts: those of the elements of a line behind d, as far as d goes; 0: of
 * all elements. */
static uint32_t coordinate(struct lowering *lowering, const struct ez_symbol *group, uint32_t dim) {
    const struct ez_layout *layout = &group->layout;
    struct extent every = {NO_INDEX, 1}, below = {NO_INDEX, 0};
    for (uint32_t d = layout->ndim; d-- > dim + 1;)
        every = ir_extent(&lowering->b, DERIVE_MUL, layout->extents[d], every);
    if (dim || layout->on_mpus)
        below = layout->extents[dim];
    if (every.size == NO_INDEX && every.value == 1 && below.size == NO_INDEX && below.value == 0)
        return 0;
    return ir_numbering(lowering->b.p, every, below);
}

/* No more bits are worked out than numbers of the group's elements can have. */
static uint32_t lower_index(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->type.type, own = type;
    uint32_t numbering = 0;
    if (expr->arg_count)
        numbering = coordinate(lowering, lowering->group, expr->element);
    if (lowering->group)
        own = ez_place_type(lowering->u, lowering->group, expr);
    bool widens = own.bits < type.bits;
    uint32_t v =
        ez_lower_place_in_group(lowering, widens ? own : type, widens ? IR_NONE : dst, expr->at);
    vec_last(&lowering->b.code->insns).imm = numbering;
    return widens ? put_widen(lowering, v, own, type, dst, expr->at) : v;
}

static uint32_t lower_table(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    const struct expr *x = expr->args[0];
    struct array_table t = ez_table(expr->symbol);
    uint32_t index = ez_lower_as(lowering, x, x->type.type, IR_NONE);
    return array_entry(&lowering->b, &t, ez_array_index(lowering->u, lowering->group, x), index,
                       dst, expr->at);
}

/* sqrt, floor and so on. */
static uint32_t lower_float(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct lane_type type = expr->operand_type;
    uint32_t a = ez_lower_as(lowering, expr->args[0], type, IR_NONE);
    return array_emit_float(&lowering->b, ez_function_operation(expr->function), type,
                            expr->type.type, &a, 0, dst, expr->at);
}

static uint32_t lower_power(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    const struct expr *n = expr->args[1];
    struct lane_type type = expr->type.type, by = n->type.type;
    uint32_t x = lower_operand(lowering, expr->args[0], type, n->writes);
    if (n->is_constant && n->type.state == STATE_NUMBER)
        return array_emit_power(&lowering->b, type, x, (uint64_t)n->value, dst, expr->at);
    const uint32_t args[] = {x, ez_lower_as(lowering, n, by, IR_NONE)};
    return array_emit_power_of(&lowering->b, type, by, args, by.bits, dst, expr->at);
}

static uint32_t lower_pattern(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    const struct expr *a = expr->args[0];
    uint32_t v = ez_lower_as(lowering, a, a->type.type, IR_NONE);
    return put_copy(lowering, v, expr->type.type, dst, expr->at);
}

static uint32_t lower_call(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    switch ((enum function_kind)expr->function) {
    case FUNCTION_CAST:
        return lower_cast(lowering, expr, dst);
    case FUNCTION_SELECT:
        return lower_select(lowering, expr, dst);
    case FUNCTION_MACHINE:
        return lower_machine(lowering, expr, dst);
    case FUNCTION_INDEX:
        return lower_index(lowering, expr, dst);
    case FUNCTION_LENGTH:
        return put_widen(lowering, ez_lower_element(lowering, expr->symbol, 0),
                         expr->symbol->type.type, expr->type.type, dst, expr->at);
    case FUNCTION_TABLE:
        return lower_table(lowering, expr, dst);
    case FUNCTION_SUB:
        return ez_lower_sub_call(lowering, expr, dst);
    case FUNCTION_POWER:
        return lower_power(lowering, expr, dst);
    case FUNCTION_PATTERN:
        return lower_pattern(lowering, expr, dst);
    default:
        break;
    }
    if (ez_function_is_float(expr->function))
        return lower_float(lowering, expr, dst);
    uint32_t a = lower_operand(lowering, expr->args[0], expr->type.type, expr->args[1]->writes);
    uint32_t b = ez_lower_as(lowering, expr->args[1], expr->type.type, IR_NONE);
    return ir_typed(&lowering->b, array_instruction(ez_function_operation(expr->function)),
                    expr->type.type, dst, a, b, expr->at);
}

static uint32_t lower_expr(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    if (expr->is_constant)
        return ez_lower_constant(lowering, expr->type.type,
                                 ez_pattern(expr->value, expr->type.type), dst, expr->at);
    switch (expr->kind) {
    case EXPR_UNARY:
        return lower_unary(lowering, expr, dst);
    case EXPR_BINARY:
        return lower_binary(lowering, expr, dst);
    case EXPR_CALL:
        return lower_call(lowering, expr, dst);
    default:
        return lower_name(lowering, expr, dst);
    }
}
