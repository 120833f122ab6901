/* SPDX-License-Identifier: MIT
 * Expressions: types, constants, and whether a value may differ between lanes. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_host.h"
#include "ezpim/ez/operations.h"
#include "ezpim/ez/walk.h"

static void set_number(struct expr *expr, ez_number value) {
    expr->type = TYPE_NUMBER;
    expr->is_constant = true;
    expr->value = value;
}

/* A number of floating point without a type is rounded wherever it is used, to the type there. */
static void use_real(struct checker *checker, struct expr *expr, const struct ez_symbol *symbol) {
    struct span at = expr->at;
    const struct expr *copy = ez_clone_expr(&checker->u->arena, symbol->real, &checker->clone_room);
    if (!copy) {
        diag_error(checker->u->diag, at, "`%s` stands for an expression that gets too large here",
                   symbol->name.text);
        ez_poison(expr);
        return;
    }
    *expr = *copy;
    expr->at = at;
    expr->parenthesized = true;
}

static void check_constant_name(struct checker *checker, struct expr *expr,
                                const struct ez_symbol *symbol) {
    if (symbol->table) {
        diag_error(checker->u->diag, expr->at, "`%s` is a table: write `%s[0]` to `%s[%u]`",
                   symbol->name.text, symbol->name.text, symbol->name.text, symbol->count - 1);
        ez_poison(expr);
        return;
    }
    if (symbol->real) {
        use_real(checker, expr, symbol);
        return;
    }
    expr->type = symbol->type;
    expr->is_constant = true;
    expr->value = symbol->value;
}

static void check_indexed(struct checker *checker, struct expr *expr) {
    struct ez_symbol *s = ez_find_symbol(checker, expr->name.text);
    if (s && s->kind == SYMBOL_EZ_CONST)
        ez_check_table(checker, expr, s);
    else if (s && s->kind == SYMBOL_EZ_HOST)
        ez_check_host(checker, expr, s);
    else
        ez_check_read(checker, expr);
}

static void check_name(struct checker *checker, struct expr *expr) {
    struct ez_symbol *s = ez_find_symbol(checker, expr->name.text);
    if (s && s->kind == SYMBOL_EZ_CONST) {
        s->read = true;
        check_constant_name(checker, expr, s);
    } else if (s && s->kind == SYMBOL_EZ_COUNTER && !ez_counter_read(checker, expr, s)) {
        ez_poison(expr);
    } else if (s && (s->kind == SYMBOL_EZ_SIZE || s->kind == SYMBOL_EZ_COUNTER)) {
        s->read = true;
        expr->symbol = s;
        expr->type = TYPE_NUMBER;
    } else if (s && s->kind == SYMBOL_EZ_HOST) {
        ez_check_host(checker, expr, s);
    } else if (s || !ez_check_real_name(checker, expr)) {
        ez_check_read(checker, expr);
    }
}

/* What both sides of an operator of that kind must be. */
static bool refuse_bool(struct checker *checker, struct expr *expr, const char *what) {
    if (!ez_type_is_bool(expr->type))
        return expr->type.state != STATE_ERROR;
    diag_error(checker->u->diag, expr->at, "%s takes numbers, not bool", what);
    ez_suggest_cast(checker, expr, (struct lane_type){TYPE_UINT, 8});
    return false;
}

bool ez_check_bool(struct checker *checker, struct expr *expr, const char *what) {
    if (ez_type_is_bool(expr->type))
        return true;
    if (expr->type.state == STATE_ERROR)
        return false;
    diag_error(checker->u->diag, expr->at, "%s takes bool, not %s", what,
               expr->type.state == STATE_NUMBER ? "a number"
                                                : ez_type_name(checker, expr->type.type));
    diag_note(checker->u->diag, expr->at, "write `%s != 0`", ez_source_text(checker, expr->at));
    return false;
}

static void check_not(struct checker *checker, struct expr *expr) {
    expr->type = ez_type_of(ez_type_bool);
    expr->operand_type = ez_type_bool;
    if (!ez_check_bool(checker, expr->args[0], "`!`"))
        ez_poison(expr);
    else if (expr->args[0]->is_constant)
        ez_set_constant(expr, !expr->args[0]->value, ez_type_bool);
}

/* ~ of an untyped constant has no value before it has a width: it is folded when it gets one. */
static void check_sign(struct checker *checker, struct expr *expr) {
    struct expr *a = expr->args[0];
    const char *what = expr->op == UNARY_NEG ? "`-`" : "`~`";
    if (expr->op == UNARY_INVERT && ez_type_is_bool(a->type)) {
        diag_error(checker->u->diag, expr->at, "`~` takes numbers; the opposite of a bool is `!`");
        ez_poison(expr);
        return;
    }
    expr->type = a->type;
    expr->operand_type = a->type.type;
    bool fits = expr->op != UNARY_INVERT || ez_refuse_float_bits(checker, a, "`~` takes integers");
    if (!refuse_bool(checker, a, what) || !fits)
        ez_poison(expr);
    else if (a->type.state == STATE_NUMBER && a->is_constant && expr->op == UNARY_NEG)
        set_number(expr, -a->value);
    else
        ez_fold_typed(expr);
}

static void check_unary(struct checker *checker, struct expr *expr) {
    ez_check_expr(checker, expr->args[0]);
    expr->varies = expr->args[0]->varies;
    expr->writes = expr->args[0]->writes;
    if (expr->op == UNARY_NOT)
        check_not(checker, expr);
    else
        check_sign(checker, expr);
}

/* & | ^: what the table has for bool, but is no comparison. */
static bool is_bitwise(uint8_t op) {
    const struct array_op_info *info = array_op_info(ez_binary_operation(op));
    return (info->kinds & ARRAY_KIND_BOOL) && !info->gives_bool;
}

static void fold_number_node(struct checker *checker, struct expr *expr) {
    const struct expr *a = expr->args[0], *b = expr->args[1];
    ez_number r;
    if (!a->is_constant || !b->is_constant)
        return;
    bool fits = ez_fold_numbers(expr->op, a->value, b->value, &r);
    if (!fits && checker->idle) {
        r = 0;
    } else if (!fits) {
        bool zero = (expr->op == BINARY_DIV || expr->op == BINARY_REM) && b->value == 0;
        diag_error(checker->u->diag, expr->at,
                   zero ? "a constant is divided by zero" : "the constant is out of range");
        ez_poison(expr);
        return;
    }
    set_number(expr, r);
    if (ez_binary_compares(expr->op))
        ez_set_constant(expr, r, ez_type_bool);
}

static void check_compare(struct checker *checker, struct expr *expr, struct lane_type type);

static void find_counter(void *context, struct expr *expr) {
    const struct ez_symbol **found = context;
    if (expr->kind == EXPR_NAME && expr->symbol && expr->symbol->kind == SYMBOL_EZ_COUNTER &&
        (!*found || expr->symbol->value < (*found)->value))
        *found = expr->symbol;
}

/* The counter of a loop in an untyped expression, the lowest one, or NULL. */
static const struct ez_symbol *counter_in(struct expr *expr) {
    const struct ez_symbol *found = NULL;
    struct walker w = {&found, NULL, find_counter};
    ez_walk_expr(&w, expr);
    return found;
}

static bool has_counter(struct expr *expr) {
    return counter_in(expr) != NULL;
}

static bool counts_below_zero(struct expr *expr) {
    return counter_in(expr)->value < 0;
}

/* A comparison of two untyped operands that are not both constant has no width to work at. */
static void check_number_pair(struct checker *checker, struct expr *expr) {
    expr->type = TYPE_NUMBER;
    expr->type.real = expr->args[0]->type.real || expr->args[1]->type.real;
    fold_number_node(checker, expr);
    if (ez_binary_compares(expr->op) && expr->type.state == STATE_NUMBER && !expr->type.real &&
        has_counter(expr)) {
        struct lane_type t = counts_below_zero(expr) ? (struct lane_type){TYPE_INT, 32}
                                                     : (struct lane_type){TYPE_UINT, 32};
        ez_coerce(checker, expr->args[0], t, false);
        ez_coerce(checker, expr->args[1], t, false);
        check_compare(checker, expr, t);
    } else if (ez_binary_compares(expr->op) && expr->type.state == STATE_NUMBER) {
        diag_error(checker->u->diag, expr->at, "no operand of `%s` has a type",
                   ez_binary_text(expr->op));
        ez_suggest_cast(checker, expr->args[0],
                        (struct lane_type){expr->type.real ? TYPE_FLOAT : TYPE_UINT, 64});
        ez_poison(expr);
    }
}

/* In Python a < b < c means a < b and b < c, in C something else; here it is refused. */
static bool refuse_chain(struct checker *checker, struct expr *expr) {
    struct expr *a = expr->args[0];
    if (a->kind != EXPR_BINARY || !ez_binary_compares(a->op) || a->parenthesized)
        return true;
    diag_error(checker->u->diag, expr->at, "comparisons do not chain");
    diag_note(checker->u->diag, expr->at, "write `%s && %s %s %s`", ez_source_text(checker, a->at),
              ez_source_text(checker, a->args[1]->at), ez_binary_text(expr->op),
              ez_source_text(checker, expr->args[1]->at));
    return false;
}

static void check_compare(struct checker *checker, struct expr *expr, struct lane_type type) {
    if (type.kind == TYPE_BOOL && expr->op != BINARY_EQ && expr->op != BINARY_NE) {
        diag_error(checker->u->diag, expr->at, "`%s` takes numbers; bool has `==` and `!=`",
                   ez_binary_text(expr->op));
        ez_poison(expr);
        return;
    }
    expr->operand_type = type;
    expr->type = ez_type_of(ez_type_bool);
    ez_fold_typed(expr);
}

static bool takes_floats(struct checker *checker, struct expr *expr) {
    const char *what =
        arena_printf(&checker->u->arena, "`%s` takes integers", ez_binary_text(expr->op));
    const struct expr *is = expr->args[ez_type_is_float(expr->args[0]->type) ? 0 : 1];
    if (!ez_is_of_integers(ez_binary_operation(expr->op)))
        return true;
    return is_bitwise(expr->op) ? ez_refuse_float_bits(checker, is, what)
                                : ez_refuse_float(checker, is, what);
}

static bool takes_type(struct checker *checker, struct expr *expr, struct value_type type) {
    if (!ez_type_is_bool(type) || is_bitwise(expr->op))
        return true;
    return refuse_bool(checker, expr->args[0],
                       arena_printf(&checker->u->arena, "`%s`", ez_binary_text(expr->op)));
}

static void check_arithmetic(struct checker *checker, struct expr *expr) {
    bool compares = ez_binary_compares(expr->op);
    struct value_type t;
    if ((compares && !refuse_chain(checker, expr)) || !takes_floats(checker, expr) ||
        !ez_common_type(checker, ez_binary_text(expr->op), expr->at, expr->args[0], expr->args[1],
                        &t)) {
        ez_poison(expr);
    } else if (t.state == STATE_NUMBER) {
        check_number_pair(checker, expr);
    } else if (compares) {
        check_compare(checker, expr, t.type);
    } else if (!takes_type(checker, expr, t)) {
        ez_poison(expr);
    } else {
        expr->type = t;
        expr->operand_type = t.type;
        ez_fold_typed(expr);
        if (expr->op == BINARY_DIV || expr->op == BINARY_REM)
            ez_warn_division(checker, expr, expr->op == BINARY_REM);
    }
}

static void check_logic(struct checker *checker, struct expr *expr) {
    const char *what = expr->op == BINARY_ALL ? "`&&`" : "`||`";
    bool a = ez_check_bool(checker, expr->args[0], what),
         b = ez_check_bool(checker, expr->args[1], what);
    expr->type = ez_type_of(ez_type_bool);
    expr->operand_type = ez_type_bool;
    if (!a || !b)
        ez_poison(expr);
    else
        ez_fold_typed(expr);
}

static bool check_shift_count(struct checker *checker, struct expr *count) {
    if (!ez_refuse_float(checker, count, "a shift count is an integer"))
        return false;
    if (count->type.state == STATE_NUMBER && count->is_constant) {
        if (count->value >= 0)
            return true;
        diag_error(checker->u->diag, count->at, "a shift count is not negative");
        return false;
    }
    ez_coerce(checker, count, (struct lane_type){TYPE_UINT, 64}, false);
    if (!refuse_bool(checker, count, "a shift count"))
        return false;
    if (count->type.type.kind == TYPE_UINT)
        return true;
    diag_error(checker->u->diag, count->at, "a shift count is unsigned, not %s",
               ez_type_name(checker, count->type.type));
    ez_suggest_cast(checker, count, (struct lane_type){TYPE_UINT, count->type.type.bits});
    return false;
}

static void find_lap(void *context, struct expr *expr) {
    bool *found = context;
    const struct ez_symbol *s = expr->kind == EXPR_NAME ? expr->symbol : NULL;
    *found |= s && (s->kind == SYMBOL_EZ_COUNTER || (s->kind == SYMBOL_EZ_CONST && !s->decl));
}

/* Not in a lap of a loop, of which others shift less. */
static void warn_shift(struct checker *checker, const struct expr *expr) {
    struct expr *count = expr->args[1];
    struct lane_type type = expr->type.type;
    bool in_lap = false;
    const struct walker w = {&in_lap, NULL, find_lap};
    ez_walk_expr(&w, count);
    if (expr->type.state != STATE_TYPED || !count->is_constant || count->value < type.bits ||
        in_lap || checker->idle)
        return;
    diag_warning(checker->u->diag, W_SHIFT, expr->at,
                 "all bits of %s are shifted out by %s: what is left is %s",
                 ez_type_name(checker, type), ez_number_text(checker, count->value),
                 expr->op == BINARY_SHR && type.kind == TYPE_INT ? "the sign" : "0");
}

void ez_warn_division(struct checker *checker, const struct expr *expr, bool remainder) {
    const struct expr *by = expr->args[1];
    if (ez_is_integer_constant(by) && by->value == 0 && !checker->idle)
        diag_warning(checker->u->diag, W_DIVISION, expr->at, "a division by 0: %s",
                     remainder ? "the remainder is what is divided" : "the quotient is all ones");
}

static void check_shift(struct checker *checker, struct expr *expr) {
    struct expr *a = expr->args[0], *count = expr->args[1];
    bool good = refuse_bool(checker, a, "a shift") &&
                ez_refuse_float_bits(checker, a, "a shift is of integers");
    if (!check_shift_count(checker, count) || !good) {
        ez_poison(expr);
        return;
    }
    expr->type = a->type;
    if (a->type.state == STATE_NUMBER && count->type.state == STATE_NUMBER)
        fold_number_node(checker, expr);
    else
        ez_fold_typed(expr);
    warn_shift(checker, expr);
}

void ez_check_operand(struct checker *checker, struct expr *expr, bool counts) {
    checker->idle += !counts;
    ez_check_expr(checker, expr);
    checker->idle -= !counts;
}

/* Whether a constant on the left of && or || says it all. */
static bool is_decided(const struct expr *expr) {
    const struct expr *left = expr->args[0];
    bool all = expr->op == BINARY_ALL, any = expr->op == BINARY_ANY;
    return (all || any) && left->is_constant && (left->value != 0) == any;
}

static void check_binary(struct checker *checker, struct expr *expr) {
    ez_check_expr(checker, expr->args[0]);
    ez_check_operand(checker, expr->args[1], !is_decided(expr));
    expr->varies = expr->args[0]->varies || expr->args[1]->varies;
    expr->writes = expr->args[0]->writes || expr->args[1]->writes;
    if (expr->args[0]->type.state == STATE_ERROR || expr->args[1]->type.state == STATE_ERROR)
        ez_poison(expr);
    else if (expr->op == BINARY_SHL || expr->op == BINARY_SHR)
        check_shift(checker, expr);
    else if (expr->op == BINARY_ALL || expr->op == BINARY_ANY)
        check_logic(checker, expr);
    else
        check_arithmetic(checker, expr);
    if (ez_binary_compares(expr->op) && !expr->is_constant)
        ez_condition_overwritten(checker, expr->at);
}

/* Constants of floating point stand for their expressions, which are as high as they are. */
static void check_height(struct checker *checker, struct expr *expr) {
    for (uint32_t i = 0; i < expr->arg_count; i++)
        if (expr->args[i]->height >= expr->height)
            expr->height = (uint16_t)(expr->args[i]->height + 1);
    if (expr->height <= EZ_MAX_HEIGHT || expr->type.state == STATE_ERROR)
        return;
    diag_error(checker->u->diag, expr->at,
               "with the constants in it the expression has more than %d operators in a row",
               EZ_MAX_HEIGHT - 1);
    ez_poison(expr);
}

void ez_check_expr(struct checker *checker, struct expr *expr) {
    switch (expr->kind) {
    case EXPR_ERROR:
        ez_poison(expr);
        break;
    case EXPR_NUMBER:
        set_number(expr, expr->number);
        break;
    case EXPR_REAL:
        expr->type = (struct value_type){.state = STATE_NUMBER, .real = true};
        break;
    case EXPR_BOOL:
        ez_set_constant(expr, expr->number, ez_type_bool);
        break;
    case EXPR_NAME:
        check_name(checker, expr);
        break;
    case EXPR_INDEX:
        check_indexed(checker, expr);
        break;
    case EXPR_UNARY:
        check_unary(checker, expr);
        break;
    case EXPR_BINARY:
        check_binary(checker, expr);
        break;
    case EXPR_CALL:
        ez_check_call(checker, expr);
        break;
    case EXPR_LIST:
        diag_error(
            checker->u->diag, expr->at,
            "a list of values stands in the declaration of a table, or of an array by `let`");
        ez_poison(expr);
        break;
    }
    check_height(checker, expr);
}

bool ez_check_integer(struct checker *checker, struct expr *expr, ez_number first, ez_number last,
                      const char *what, uint64_t *value) {
    if (expr->type.state == STATE_ERROR)
        return false;
    if (!ez_is_integer_constant(expr)) {
        diag_error(checker->u->diag, expr->at, "%s must be a constant %s", what,
                   ez_type_is_float(expr->type) ? "integer" : "number");
        return false;
    }
    if (expr->value < first || expr->value > last) {
        diag_error(checker->u->diag, expr->at, "%s is %s, not %s..%s", what,
                   ez_number_text(checker, expr->value), ez_number_text(checker, first),
                   ez_number_text(checker, last));
        return false;
    }
    *value = (uint64_t)expr->value;
    return true;
}
