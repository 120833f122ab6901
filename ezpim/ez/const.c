/* SPDX-License-Identifier: MIT
 * Constants: untyped ones are exact, typed ones are what the instructions would give. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/operations.h"
#include "ezpim/ir/float.h"

static const ez_number LIMIT = (ez_number)1 << 100;

static bool within(ez_number number, ez_number *of) {
    *of = number;
    return number <= LIMIT && number >= -LIMIT;
}

static bool multiply(ez_number left, ez_number right, ez_number *number) {
    return !__builtin_mul_overflow(left, right, number) && within(*number, number);
}

/* Counts beyond any register give what they do there; a left shift must stay within the limit. */
static bool shift(enum binary_op op, ez_number left, ez_number right, ez_number *number) {
    if (right < 0)
        return false;
    if (op == BINARY_SHR)
        return within(left >> (right < 120 ? right : 120), number);
    return left == 0 ? within(0, number)
                     : right <= 100 && multiply(left, (ez_number)1 << right, number);
}

static bool compare(enum binary_op op, ez_number left, ez_number right) {
    switch (op) {
    case BINARY_EQ:
        return left == right;
    case BINARY_NE:
        return left != right;
    case BINARY_LT:
        return left < right;
    case BINARY_LE:
        return left <= right;
    case BINARY_GT:
        return left > right;
    default:
        return left >= right;
    }
}

bool ez_fold_numbers(enum binary_op op, ez_number left, ez_number right, ez_number *number) {
    switch (op) {
    case BINARY_ADD:
        return within(left + right, number);
    case BINARY_SUB:
        return within(left - right, number);
    case BINARY_MUL:
        return multiply(left, right, number);
    case BINARY_DIV:
        return right != 0 && within(left / right, number);
    case BINARY_REM:
        return right != 0 && within(left % right, number);
    case BINARY_SHL:
    case BINARY_SHR:
        return shift(op, left, right, number);
    case BINARY_AND:
        return within(left & right, number);
    case BINARY_OR:
        return within(left | right, number);
    case BINARY_XOR:
        return within(left ^ right, number);
    default:
        return within(compare(op, left, right), number);
    }
}

static uint64_t pattern_as(const struct expr *expr, struct lane_type type) {
    return ez_pattern(expr->value, type);
}

static void fold_operation(struct expr *expr, enum array_op op, struct lane_type at,
                           struct lane_type to) {
    uint64_t a = pattern_as(expr->args[0], at);
    uint64_t b = expr->arg_count > 1 ? pattern_as(expr->args[1], at) : 0;
    ez_set_constant(expr, ez_value(ir_fold_typed(array_instruction(op), at, a, b), to), to);
}

/* The count keeps its own type: it may not fit the shifted one. */
static void fold_shift(struct expr *expr) {
    struct lane_type t = expr->type.type;
    ez_number count = expr->args[1]->value;
    unsigned n = count < 0 || count > 64 ? 64 : (unsigned)count;
    uint64_t a = pattern_as(expr->args[0], t);
    if (expr->op == BINARY_SHL)
        ez_set_constant(expr, n < 64 ? (ez_number)(a << n) : 0, t);
    else
        ez_set_constant(expr, ez_value(a, t) >> n, t);
}

static void fold_select(struct expr *expr) {
    struct expr *chosen = expr->args[0]->value ? expr->args[1] : expr->args[2];
    if (chosen->is_constant)
        ez_set_constant(expr, chosen->value, expr->type.type);
}

/* Of one argument, and what it gives has its type, or bool. */
static void fold_float(struct expr *expr) {
    struct lane_type at = expr->operand_type, to = expr->type.type;
    uint64_t a = pattern_as(expr->args[0], at), magnitude, infinity;
    struct ieee_format format = object_type_format(at);
    enum array_op op = ez_function_operation(expr->function);
    magnitude = a & ~ieee_sign_bit(format);
    infinity = ieee_infinity(format, false);
    switch ((enum function_kind)expr->function) {
    case FUNCTION_ABS:
        ez_set_constant(expr, magnitude, to);
        break;
    case FUNCTION_SQRT:
        ez_set_constant(expr, ieee_sqrt(format, a), to);
        break;
    case FUNCTION_FLOOR:
    case FUNCTION_CEIL:
    case FUNCTION_TRUNC:
    case FUNCTION_RINT:
        ez_set_constant(expr, ir_fold_round(array_rounding(op), at, a), to);
        break;
    case FUNCTION_ISNAN:
        ez_set_constant(expr, magnitude > infinity, to);
        break;
    case FUNCTION_ISINF:
        ez_set_constant(expr, magnitude == infinity, to);
        break;
    case FUNCTION_ISFINITE:
        ez_set_constant(expr, magnitude < infinity, to);
        break;
    default:
        ez_set_constant(expr, magnitude != a, to);
        break;
    }
}

static bool all_constant(const struct expr *expr) {
    for (uint32_t i = 0; i < expr->arg_count; i++)
        if (!expr->args[i]->is_constant)
            return false;
    return expr->arg_count > 0;
}

void ez_fold_typed(struct expr *expr) {
    if (expr->type.state != STATE_TYPED || !all_constant(expr))
        return;
    struct lane_type t = expr->type.type;
    if (expr->kind == EXPR_UNARY)
        fold_operation(expr, ez_unary_operation(expr->op), t, t);
    else if (expr->kind == EXPR_BINARY && (expr->op == BINARY_SHL || expr->op == BINARY_SHR))
        fold_shift(expr);
    else if (expr->kind == EXPR_BINARY)
        fold_operation(expr, ez_binary_operation(expr->op), expr->operand_type, t);
    else if (expr->kind == EXPR_CALL && expr->function == FUNCTION_SELECT)
        fold_select(expr);
    else if (expr->kind == EXPR_CALL && ez_function_is_float(expr->function))
        fold_float(expr);
    else if (expr->kind == EXPR_CALL && ez_function_operation(expr->function) != ARRAY_OPS)
        fold_operation(expr, ez_function_operation(expr->function), t, t);
}
