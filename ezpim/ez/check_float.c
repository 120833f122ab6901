/* SPDX-License-Identifier: MIT
 * Floating point: numbers of the source that take such a type, and what takes no others or none.
 *
 * An untyped number that is no integer is a tree of constants.  It has no value before it meets a
 * type; then each of its constants is rounded once, and its operations are carried out at the type.
 */
#include "ezpim/ez/check.h"
#include "ezpim/ez/operations.h"
#include "support/bits.h"
#include "support/ieee_text.h"

#include <string.h>

const char *ez_what_it_is(struct checker *checker, const struct expr *expr) {
    const char *digits = expr->kind == EXPR_REAL ? expr->name.text : "1.5";
    if (expr->type.state == STATE_TYPED)
        return ez_type_name(checker, expr->type.type);
    return digits[strspn(digits, "0123456789")] == '\0' ? "a number of more than 64 bits"
                                                        : "a floating-point number";
}

bool ez_refuse_float(struct checker *checker, const struct expr *expr, const char *what) {
    if (!ez_type_is_float(expr->type))
        return true;
    diag_error(checker->u->diag, expr->at, "%s, not %s", what, ez_what_it_is(checker, expr));
    return false;
}

bool ez_refuse_float_bits(struct checker *checker, const struct expr *expr, const char *what) {
    if (ez_refuse_float(checker, expr, what))
        return true;
    if (expr->type.state == STATE_TYPED)
        diag_note(checker->u->diag, expr->at, "the bits of a number are `as_u%u(%s)`",
                  expr->type.type.bits, ez_source_text(checker, expr->at));
    return false;
}

bool ez_check_real_name(struct checker *checker, struct expr *expr) {
    (void)checker;
    if (strcmp(expr->name.text, "inf") != 0 && strcmp(expr->name.text, "nan") != 0)
        return false;
    expr->kind = EXPR_REAL;
    expr->type = (struct value_type){.state = STATE_NUMBER, .real = true};
    return true;
}

bool ez_is_real_constant(const struct expr *expr) {
    bool known = expr->type.state == STATE_NUMBER &&
                 (expr->kind == EXPR_REAL || expr->is_constant || expr->arg_count > 0);
    uint32_t first = expr->kind == EXPR_CALL && expr->function == FUNCTION_SELECT ? 1 : 0;
    if (first)
        known = known && expr->args[0]->is_constant;
    for (uint32_t i = first; known && !expr->is_constant && i < expr->arg_count; i++)
        known = ez_is_real_constant(expr->args[i]);
    return known;
}

/* ---- constants ---- */

static const char *pattern_text(struct checker *checker, struct lane_type type, uint64_t pattern) {
    struct str text = {0};
    object_pattern_text(type, pattern, &text);
    const char *kept = arena_strdup(&checker->u->arena, str_text(&text));
    str_free(&text);
    return kept;
}

/* The number nearest to an integer, which is larger than 64 bits hold by a few powers of two. */
static uint64_t nearest(ez_number number, struct lane_type type, bool *exact) {
    struct ieee_format format = object_type_format(type);
    uint64_t sign = number < 0 ? ieee_sign_bit(format) : 0, two = ieee_from_unsigned(format, 2);
    ez_number magnitude = number < 0 ? -number : number;
    unsigned shifted = 0;
    for (; magnitude >> 64 || (magnitude && !(magnitude & 1)); shifted++)
        magnitude = magnitude >> 1 | (magnitude & 1);
    uint64_t low = (uint64_t)magnitude, pattern = ieee_from_unsigned(format, low);
    *exact = !ieee_is_infinite(format, pattern) &&
             ieee_to_unsigned(format, pattern, 64, false) == low && !(low >> 63 && low & 1);
    for (; shifted; shifted--)
        pattern = ieee_mul(format, pattern, two);
    *exact = *exact && !ieee_is_infinite(format, pattern);
    return pattern | sign;
}

static void coerce_integer(struct checker *checker, struct expr *expr, struct lane_type type,
                           bool silent) {
    bool exact;
    uint64_t pattern = nearest(expr->value, type, &exact);
    if (!exact && !silent) {
        diag_error(checker->u->diag, expr->at, "the constant %s is no number of %s",
                   ez_number_text(checker, expr->value), ez_type_name(checker, type));
        diag_note(checker->u->diag, expr->at, "`%s(%s)` takes the nearest one, %s",
                  ez_type_name(checker, type), ez_source_text(checker, expr->at),
                  pattern_text(checker, type, pattern));
    }
    ez_set_constant(expr, pattern, type);
}

static void coerce_real(struct checker *checker, struct expr *expr, struct lane_type type) {
    struct ieee_format format = object_type_format(type);
    const char *text = expr->name.text;
    uint64_t pattern = 0;
    if (ieee_parse(format, text, strlen(text), &pattern) == IEEE_TOO_LARGE) {
        diag_error(checker->u->diag, expr->at, "the constant %s is too large for %s", text,
                   ez_type_name(checker, type));
        diag_note(checker->u->diag, expr->at, "its largest number is %s; `inf` is larger",
                  pattern_text(checker, type, ieee_infinity(format, false) - 1));
    }
    ez_set_constant(expr, pattern, type);
}

/* Below this every integer is a number of the type. */
static ez_number all_up_to(struct lane_type type) {
    return (ez_number)1 << (object_type_format(type).fraction_bits + 1);
}

static void coerce_counter(struct checker *checker, struct expr *expr, struct lane_type type,
                           bool silent) {
    const struct ez_symbol *k = expr->symbol;
    ez_number all = all_up_to(type);
    if (!silent && (k->value < -all || k->counter.last > all)) {
        diag_error(checker->u->diag, expr->at,
                   "`%s` goes from %s to %s, and not all of these are "
                   "numbers of %s",
                   k->name.text, ez_number_text(checker, k->value),
                   ez_number_text(checker, k->counter.last), ez_type_name(checker, type));
        ez_suggest_cast(checker, expr, type);
    }
    expr->type = ez_type_of(type);
}

static void coerce_size(struct checker *checker, struct expr *expr, struct lane_type type,
                        bool silent) {
    struct size_range range = ez_size_range(checker->u, expr->symbol->index);
    bool known = expr->symbol->bound != 0 && range.least >= -all_up_to(type);
    if (!silent && (!known || expr->symbol->bound > (uint64_t)all_up_to(type))) {
        diag_warning(checker->u->diag, W_TRUNCATED, expr->at,
                     "the size `%s` may be no number of %s, and is rounded to the nearest one",
                     expr->name.text, ez_type_name(checker, type));
        ez_suggest_cast(checker, expr, type);
    }
    expr->type = ez_type_of(type);
}

/* Of integers that are not known yet: what floating point has not, or does in another way. */
static bool is_of_integers(const struct expr *expr) {
    if (expr->kind == EXPR_UNARY)
        return ez_is_of_integers(ez_unary_operation(expr->op));
    if (expr->kind == EXPR_CALL)
        return ez_is_of_integers(ez_function_operation(expr->function));
    return expr->kind == EXPR_BINARY &&
           (expr->op == BINARY_DIV ? !expr->type.real
                                   : ez_is_of_integers(ez_binary_operation(expr->op)));
}

void ez_coerce_float(struct checker *checker, struct expr *expr, struct lane_type type,
                     bool silent) {
    if (expr->is_constant) {
        coerce_integer(checker, expr, type, silent);
    } else if (expr->kind == EXPR_REAL) {
        coerce_real(checker, expr, type);
    } else if (expr->kind == EXPR_NAME && expr->symbol->kind == SYMBOL_EZ_COUNTER) {
        coerce_counter(checker, expr, type, silent);
    } else if (expr->kind == EXPR_NAME) {
        coerce_size(checker, expr, type, silent);
    } else if (is_of_integers(expr)) {
        const char *text = ez_source_text(checker, expr->at);
        diag_error(checker->u->diag, expr->at, "`%s` is worked out in integers, and %s is wanted",
                   text, ez_type_name(checker, type));
        diag_note(checker->u->diag, expr->at, "write `%s(i64(%s))`", ez_type_name(checker, type),
                  text);
        ez_poison(expr);
    } else {
        ez_coerce_operands(checker, expr, type, silent);
    }
}

/* ---- functions ---- */

void ez_check_float_function(struct checker *checker, struct expr *expr, uint8_t function) {
    const struct expr *a = expr->args[0];
    bool classifies = array_op_info(ez_function_operation(function))->gives_bool;
    expr->function = function;
    ez_poison(expr);
    if (a->type.state == STATE_TYPED && !ez_type_is_float(a->type)) {
        diag_error(checker->u->diag, a->at, "`%s` takes floating-point numbers, not %s",
                   expr->name.text, ez_type_name(checker, a->type.type));
        ez_suggest_cast(checker, a, (struct lane_type){TYPE_FLOAT, 32});
    } else if (a->type.state == STATE_NUMBER && classifies) {
        diag_error(checker->u->diag, expr->at, "no argument of `%s` has a type", expr->name.text);
        ez_suggest_cast(checker, a, (struct lane_type){TYPE_FLOAT, 32});
    } else if (a->type.state == STATE_NUMBER) {
        expr->type = (struct value_type){.state = STATE_NUMBER, .real = true};
    } else {
        expr->operand_type = a->type.type;
        expr->type = classifies ? ez_type_of(ez_type_bool) : a->type;
        ez_fold_typed(expr);
    }
}

bool ez_check_pattern(struct checker *checker, struct expr *expr) {
    const char *name = expr->name.text;
    struct lane_type to;
    if (strncmp(name, "as_", 3) != 0 || !object_type_parse(name + 3, strlen(name + 3), &to))
        return false;
    ez_poison(expr);
    expr->function = FUNCTION_PATTERN;
    if (expr->arg_count != 1) {
        diag_error(checker->u->diag, expr->at, "`%s` takes 1 argument, not %u", name,
                   expr->arg_count);
        return true;
    }
    struct expr *a = expr->args[0];
    ez_check_expr(checker, a);
    expr->varies = a->varies;
    expr->writes = a->writes;
    if (a->type.state == STATE_NUMBER) {
        diag_error(checker->u->diag, expr->at, "no argument of `%s` has a type", name);
        ez_suggest_cast(checker, a,
                        (struct lane_type){a->type.real ? TYPE_FLOAT : TYPE_UINT, to.bits});
    } else if (a->type.state == STATE_TYPED && a->type.type.bits != to.bits) {
        diag_error(checker->u->diag, expr->at, "%s has %u bits, and %s has %u",
                   ez_type_name(checker, a->type.type), a->type.type.bits,
                   ez_type_name(checker, to), to.bits);
    } else if (a->type.state == STATE_TYPED) {
        expr->type = ez_type_of(to);
        if (a->is_constant)
            ez_set_constant(expr, ez_value(ez_pattern(a->value, a->type.type), to), to);
    }
    return true;
}

bool ez_check_format(struct checker *checker, const struct expr *expr, enum isa_op op,
                     struct lane_type type) {
    uint32_t flags = isa_info(op)->flags;
    bool fits = flags & ISA_BFLOAT  ? type.kind == TYPE_BFLOAT
                : flags & ISA_FLOAT ? type.kind == TYPE_FLOAT
                                    : !object_type_is_float(type);
    if (fits)
        return true;
    diag_error(checker->u->diag, expr->at, "`%s` takes %s, not %s", expr->name.text,
               flags & ISA_BFLOAT  ? "bf16"
               : flags & ISA_FLOAT ? "f16, f32 or f64"
                                   : "integers",
               ez_type_name(checker, type));
    if (!(flags & (ISA_BFLOAT | ISA_FLOAT)))
        diag_note(checker->u->diag, expr->at, "the bits of a number are `as_u%u(%s)`", type.bits,
                  ez_source_text(checker, expr->args[0]->at));
    return false;
}
