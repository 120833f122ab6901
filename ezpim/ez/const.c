/* SPDX-License-Identifier: MIT
 * Constants: untyped ones are exact, typed ones are what the instructions would give. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/operations.h"

static const ez_number LIMIT = (ez_number)1 << 100;

static bool within(ez_number v, ez_number *r) {
    *r = v;
    return v <= LIMIT && v >= -LIMIT;
}

static bool multiply(ez_number a, ez_number b, ez_number *r) {
    return !__builtin_mul_overflow(a, b, r) && within(*r, r);
}

/* Counts beyond any register give what they do there; a left shift must stay within the limit. */
static bool shift(enum binary_op op, ez_number a, ez_number b, ez_number *r) {
    if (b < 0)
        return false;
    if (op == BINARY_SHR)
        return within(a >> (b < 120 ? b : 120), r);
    return a == 0 ? within(0, r) : b <= 100 && multiply(a, (ez_number)1 << b, r);
}

static bool compare(enum binary_op op, ez_number a, ez_number b) {
    switch (op) {
    case BINARY_EQ:
        return a == b;
    case BINARY_NE:
        return a != b;
    case BINARY_LT:
        return a < b;
    case BINARY_LE:
        return a <= b;
    case BINARY_GT:
        return a > b;
    default:
        return a >= b;
    }
}

bool ez_fold_numbers(enum binary_op op, ez_number a, ez_number b, ez_number *r) {
    switch (op) {
    case BINARY_ADD:
        return within(a + b, r);
    case BINARY_SUB:
        return within(a - b, r);
    case BINARY_MUL:
        return multiply(a, b, r);
    case BINARY_DIV:
        return b != 0 && within(a / b, r);
    case BINARY_REM:
        return b != 0 && within(a % b, r);
    case BINARY_SHL:
    case BINARY_SHR:
        return shift(op, a, b, r);
    case BINARY_AND:
        return within(a & b, r);
    case BINARY_OR:
        return within(a | b, r);
    case BINARY_XOR:
        return within(a ^ b, r);
    default:
        return within(compare(op, a, b), r);
    }
}

static uint64_t pattern_as(const struct expr *e, struct mpu_type t) {
    return ez_pattern(e->value, t);
}

static void fold_operation(struct expr *e, enum ir_op op, struct mpu_type at, struct mpu_type to) {
    uint64_t a = pattern_as(e->args[0], at);
    uint64_t b = e->arg_count > 1 ? pattern_as(e->args[1], at) : 0;
    ez_set_constant(e, ez_value(ir_fold(op, at, a, b, 0), to), to);
}

/* The count keeps its own type: it may not fit the shifted one. */
static void fold_shift(struct expr *e) {
    struct mpu_type t = e->type.type;
    ez_number count = e->args[1]->value;
    unsigned n = count < 0 || count > 64 ? 64 : (unsigned)count;
    uint64_t a = pattern_as(e->args[0], t);
    if (e->op == BINARY_SHL)
        ez_set_constant(e, n < 64 ? (ez_number)(a << n) : 0, t);
    else
        ez_set_constant(e, ez_value(a, t) >> n, t);
}

static void fold_select(struct expr *e) {
    struct expr *chosen = e->args[0]->value ? e->args[1] : e->args[2];
    if (chosen->is_constant)
        ez_set_constant(e, chosen->value, e->type.type);
}

static bool all_constant(const struct expr *e) {
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!e->args[i]->is_constant)
            return false;
    return e->arg_count > 0;
}

void ez_fold_typed(struct expr *e) {
    if (e->type.state != STATE_TYPED || !all_constant(e))
        return;
    struct mpu_type t = e->type.type;
    if (e->kind == EXPR_UNARY)
        fold_operation(e, e->op == UNARY_NEG ? IR_NEG : IR_NOT, t, t);
    else if (e->kind == EXPR_BINARY && (e->op == BINARY_SHL || e->op == BINARY_SHR))
        fold_shift(e);
    else if (e->kind == EXPR_BINARY)
        fold_operation(e, ez_binary_operation(e->op), e->operand_type, t);
    else if (e->kind == EXPR_CALL && e->function == FUNCTION_SELECT)
        fold_select(e);
    else if (e->kind == EXPR_CALL && ez_function_operation(e->function) != IR_OPERATION_COUNT)
        fold_operation(e, ez_function_operation(e->function), t, t);
}
