/* SPDX-License-Identifier: MIT
 * Expressions: types, constants, and whether a value may differ between lanes. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_host.h"
#include "ezpim/ez/walk.h"

void ez_poison(struct expr *e) {
    e->type = TYPE_ERROR;
    e->is_constant = false;
}

static void set_number(struct expr *e, ez_number value) {
    e->type = TYPE_NUMBER;
    e->is_constant = true;
    e->value = value;
}

static void check_constant_name(struct checker *c, struct expr *e, const struct ez_symbol *s) {
    if (s->table) {
        diag_error(c->u->diag, e->at, "`%s` is a table: write `%s[0]` to `%s[%u]`", s->name.text,
                   s->name.text, s->name.text, s->count - 1);
        ez_poison(e);
        return;
    }
    e->type = s->type;
    e->is_constant = true;
    e->value = s->value;
}

static void check_indexed(struct checker *c, struct expr *e) {
    struct ez_symbol *s = ez_find_symbol(c, e->name.text);
    if (s && s->kind == SYMBOL_EZ_CONST)
        ez_check_table(c, e, s);
    else if (s && s->kind == SYMBOL_EZ_HOST)
        ez_check_host(c, e, s);
    else
        ez_check_read(c, e);
}

static void check_name(struct checker *c, struct expr *e) {
    struct ez_symbol *s = ez_find_symbol(c, e->name.text);
    if (s && s->kind == SYMBOL_EZ_CONST) {
        s->read = true;
        check_constant_name(c, e, s);
    } else if (s && s->kind == SYMBOL_EZ_COUNTER && !ez_counter_read(c, e, s)) {
        ez_poison(e);
    } else if (s && (s->kind == SYMBOL_EZ_SIZE || s->kind == SYMBOL_EZ_COUNTER)) {
        s->read = true;
        e->symbol = s;
        e->type = TYPE_NUMBER;
    } else if (s && s->kind == SYMBOL_EZ_HOST) {
        ez_check_host(c, e, s);
    } else {
        ez_check_read(c, e);
    }
}

/* What both sides of an operator of that kind must be. */
static bool refuse_bool(struct checker *c, struct expr *e, const char *what) {
    if (!ez_type_is_bool(e->type))
        return e->type.state != STATE_ERROR;
    diag_error(c->u->diag, e->at, "%s takes numbers, not bool", what);
    ez_suggest_cast(c, e, (struct mpu_type){TYPE_UINT, 8});
    return false;
}

bool ez_check_bool(struct checker *c, struct expr *e, const char *what) {
    if (ez_type_is_bool(e->type))
        return true;
    if (e->type.state == STATE_ERROR)
        return false;
    diag_error(c->u->diag, e->at, "%s takes bool, not %s", what,
               e->type.state == STATE_NUMBER ? "a number" : ez_type_name(c, e->type.type));
    diag_note(c->u->diag, e->at, "write `%s != 0`", ez_source_text(c, e->at));
    return false;
}

static void check_not(struct checker *c, struct expr *e) {
    e->type = ez_type_of(ez_type_bool);
    e->operand_type = ez_type_bool;
    if (!ez_check_bool(c, e->args[0], "`!`"))
        ez_poison(e);
    else if (e->args[0]->is_constant)
        ez_set_constant(e, !e->args[0]->value, ez_type_bool);
}

/* ~ of an untyped constant has no value before it has a width: it is folded when it gets one. */
static void check_sign(struct checker *c, struct expr *e) {
    struct expr *a = e->args[0];
    const char *what = e->op == UNARY_NEG ? "`-`" : "`~`";
    if (e->op == UNARY_INVERT && ez_type_is_bool(a->type)) {
        diag_error(c->u->diag, e->at, "`~` takes numbers; the opposite of a bool is `!`");
        ez_poison(e);
        return;
    }
    e->type = a->type;
    if (!refuse_bool(c, a, what))
        ez_poison(e);
    else if (a->type.state == STATE_NUMBER && a->is_constant && e->op == UNARY_NEG)
        set_number(e, -a->value);
    else
        ez_fold_typed(e);
}

static void check_unary(struct checker *c, struct expr *e) {
    ez_check_expr(c, e->args[0]);
    e->varies = e->args[0]->varies;
    e->writes = e->args[0]->writes;
    if (e->op == UNARY_NOT)
        check_not(c, e);
    else
        check_sign(c, e);
}

static bool is_bitwise(uint8_t op) {
    return op == BINARY_AND || op == BINARY_OR || op == BINARY_XOR;
}

static void fold_number_node(struct checker *c, struct expr *e) {
    const struct expr *a = e->args[0], *b = e->args[1];
    ez_number r;
    if (!a->is_constant || !b->is_constant)
        return;
    if (!ez_fold_numbers(e->op, a->value, b->value, &r)) {
        bool zero = (e->op == BINARY_DIV || e->op == BINARY_REM) && b->value == 0;
        diag_error(c->u->diag, e->at,
                   zero ? "a constant is divided by zero" : "the constant is out of range");
        ez_poison(e);
        return;
    }
    set_number(e, r);
    if (ez_binary_compares(e->op))
        ez_set_constant(e, r, ez_type_bool);
}

static void check_compare(struct checker *c, struct expr *e, struct mpu_type t);

static void find_counter(void *context, struct expr *e) {
    const struct ez_symbol **found = context;
    if (e->kind == EXPR_NAME && e->symbol && e->symbol->kind == SYMBOL_EZ_COUNTER &&
        (!*found || e->symbol->value < (*found)->value))
        *found = e->symbol;
}

/* The counter of a loop in an untyped expression, the lowest one, or NULL. */
static const struct ez_symbol *counter_in(struct expr *e) {
    const struct ez_symbol *found = NULL;
    struct walker w = {&found, NULL, find_counter};
    ez_walk_expr(&w, e);
    return found;
}

static bool has_counter(struct expr *e) {
    return counter_in(e) != NULL;
}

static bool counts_below_zero(struct expr *e) {
    return counter_in(e)->value < 0;
}

/* A comparison of two untyped operands that are not both constant has no width to work at. */
static void check_number_pair(struct checker *c, struct expr *e) {
    e->type = TYPE_NUMBER;
    fold_number_node(c, e);
    if (ez_binary_compares(e->op) && e->type.state == STATE_NUMBER && has_counter(e)) {
        struct mpu_type t = counts_below_zero(e) ? (struct mpu_type){TYPE_INT, 32}
                                                 : (struct mpu_type){TYPE_UINT, 32};
        ez_coerce(c, e->args[0], t, false);
        ez_coerce(c, e->args[1], t, false);
        check_compare(c, e, t);
    } else if (ez_binary_compares(e->op) && e->type.state == STATE_NUMBER) {
        diag_error(c->u->diag, e->at, "no operand of `%s` has a type", ez_binary_text(e->op));
        ez_suggest_cast(c, e->args[0], (struct mpu_type){TYPE_UINT, 64});
        ez_poison(e);
    }
}

/* In Python a < b < c means a < b and b < c, in C something else; here it is refused. */
static bool refuse_chain(struct checker *c, struct expr *e) {
    struct expr *a = e->args[0];
    if (a->kind != EXPR_BINARY || !ez_binary_compares(a->op) || a->parenthesized)
        return true;
    diag_error(c->u->diag, e->at, "comparisons do not chain");
    diag_note(c->u->diag, e->at, "write `%s && %s %s %s`", ez_source_text(c, a->at),
              ez_source_text(c, a->args[1]->at), ez_binary_text(e->op),
              ez_source_text(c, e->args[1]->at));
    return false;
}

static void check_compare(struct checker *c, struct expr *e, struct mpu_type t) {
    if (t.kind == TYPE_BOOL && e->op != BINARY_EQ && e->op != BINARY_NE) {
        diag_error(c->u->diag, e->at, "`%s` takes numbers; bool has `==` and `!=`",
                   ez_binary_text(e->op));
        ez_poison(e);
        return;
    }
    e->operand_type = t;
    e->type = ez_type_of(ez_type_bool);
    ez_fold_typed(e);
}

static bool takes_type(struct checker *c, struct expr *e, struct value_type t) {
    if (!ez_type_is_bool(t) || is_bitwise(e->op))
        return true;
    return refuse_bool(c, e->args[0], arena_printf(&c->u->arena, "`%s`", ez_binary_text(e->op)));
}

static void check_arithmetic(struct checker *c, struct expr *e) {
    bool compares = ez_binary_compares(e->op);
    struct value_type t;
    if ((compares && !refuse_chain(c, e)) ||
        !ez_common_type(c, ez_binary_text(e->op), e->at, e->args[0], e->args[1], &t)) {
        ez_poison(e);
    } else if (t.state == STATE_NUMBER) {
        check_number_pair(c, e);
    } else if (compares) {
        check_compare(c, e, t.type);
    } else if (!takes_type(c, e, t)) {
        ez_poison(e);
    } else {
        e->type = t;
        e->operand_type = t.type;
        ez_fold_typed(e);
    }
}

static void check_logic(struct checker *c, struct expr *e) {
    const char *what = e->op == BINARY_ALL ? "`&&`" : "`||`";
    bool a = ez_check_bool(c, e->args[0], what), b = ez_check_bool(c, e->args[1], what);
    e->type = ez_type_of(ez_type_bool);
    e->operand_type = ez_type_bool;
    if (!a || !b)
        ez_poison(e);
    else
        ez_fold_typed(e);
}

static bool check_shift_count(struct checker *c, struct expr *count) {
    if (count->type.state == STATE_NUMBER && count->is_constant) {
        if (count->value >= 0)
            return true;
        diag_error(c->u->diag, count->at, "a shift count is not negative");
        return false;
    }
    ez_coerce(c, count, (struct mpu_type){TYPE_UINT, 64}, false);
    if (!refuse_bool(c, count, "a shift count"))
        return false;
    if (count->type.type.kind == TYPE_UINT)
        return true;
    diag_error(c->u->diag, count->at, "a shift count is unsigned, not %s",
               ez_type_name(c, count->type.type));
    ez_suggest_cast(c, count, (struct mpu_type){TYPE_UINT, count->type.type.bits});
    return false;
}

static void check_shift(struct checker *c, struct expr *e) {
    struct expr *a = e->args[0], *count = e->args[1];
    bool good = refuse_bool(c, a, "a shift");
    if (!check_shift_count(c, count) || !good) {
        ez_poison(e);
        return;
    }
    e->type = a->type;
    if (a->type.state == STATE_NUMBER && count->type.state == STATE_NUMBER)
        fold_number_node(c, e);
    else
        ez_fold_typed(e);
}

static void check_binary(struct checker *c, struct expr *e) {
    ez_check_expr(c, e->args[0]);
    ez_check_expr(c, e->args[1]);
    e->varies = e->args[0]->varies || e->args[1]->varies;
    e->writes = e->args[0]->writes || e->args[1]->writes;
    if (e->args[0]->type.state == STATE_ERROR || e->args[1]->type.state == STATE_ERROR)
        ez_poison(e);
    else if (e->op == BINARY_SHL || e->op == BINARY_SHR)
        check_shift(c, e);
    else if (e->op == BINARY_ALL || e->op == BINARY_ANY)
        check_logic(c, e);
    else
        check_arithmetic(c, e);
    if (ez_binary_compares(e->op) && !e->is_constant)
        ez_condition_overwritten(c, e->at);
}

void ez_check_expr(struct checker *c, struct expr *e) {
    switch (e->kind) {
    case EXPR_ERROR:
        ez_poison(e);
        break;
    case EXPR_NUMBER:
        set_number(e, e->number);
        break;
    case EXPR_BOOL:
        ez_set_constant(e, e->number, ez_type_bool);
        break;
    case EXPR_NAME:
        check_name(c, e);
        break;
    case EXPR_INDEX:
        check_indexed(c, e);
        break;
    case EXPR_UNARY:
        check_unary(c, e);
        break;
    case EXPR_BINARY:
        check_binary(c, e);
        break;
    case EXPR_CALL:
        ez_check_call(c, e);
        break;
    case EXPR_LIST:
        diag_error(
            c->u->diag, e->at,
            "a list of values stands in the declaration of a table, or of an array by `let`");
        ez_poison(e);
        break;
    }
}

bool ez_check_integer(struct checker *c, struct expr *e, ez_number first, ez_number last,
                      const char *what, uint64_t *value) {
    if (e->type.state == STATE_ERROR)
        return false;
    if (!e->is_constant || ez_type_is_bool(e->type)) {
        diag_error(c->u->diag, e->at, "%s must be a constant number", what);
        return false;
    }
    if (e->value < first || e->value > last) {
        diag_error(c->u->diag, e->at, "%s is %s, not %s..%s", what, ez_number_text(c, e->value),
                   ez_number_text(c, first), ez_number_text(c, last));
        return false;
    }
    *value = (uint64_t)e->value;
    return true;
}
