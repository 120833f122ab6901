/* SPDX-License-Identifier: MIT
 * Types: how untyped numbers take one, and how two operands agree on one. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/move.h"
#include "ezpim/ir/ir.h"
#include "support/bits.h"

#include <string.h>

static const char *cast_text(struct checker *checker, const struct expr *expr,
                             struct lane_type to) {
    const char *text = ez_source_text(checker, expr->at);
    bool bare = expr->parenthesized && expr->kind == EXPR_BINARY;
    return arena_printf(&checker->u->arena, bare ? "%s%s" : "%s(%s)", ez_type_name(checker, to),
                        text);
}

void ez_suggest_cast(struct checker *checker, const struct expr *expr, struct lane_type to) {
    const char *fix = cast_text(checker, expr, to);
    diag_note(checker->u->diag, expr->at, "write `%s`", fix);
    diag_fixit(checker->u->diag, expr->at, fix);
}

static bool ez_number_fits(ez_number number, struct lane_type type) {
    ez_number one = 1;
    if (type.kind == TYPE_INT)
        return number >= -(one << (type.bits - 1)) && number < one << (type.bits - 1);
    return number >= 0 && number < one << type.bits;
}

static void coerce_constant(struct checker *checker, struct expr *expr, struct lane_type type,
                            bool silent) {
    if (!silent && !ez_number_fits(expr->value, type)) {
        ez_number last = ((ez_number)1 << (type.kind == TYPE_INT ? type.bits - 1 : type.bits)) - 1;
        ez_number first = type.kind == TYPE_INT ? -last - 1 : 0;
        diag_error(checker->u->diag, expr->at, "the constant %s does not fit %s",
                   ez_number_text(checker, expr->value), ez_type_name(checker, type));
        diag_note(checker->u->diag, expr->at,
                  "%s goes from %s to %s; `%s(%s)` drops the bits above",
                  ez_type_name(checker, type), ez_number_text(checker, first),
                  ez_number_text(checker, last), ez_type_name(checker, type),
                  ez_source_text(checker, expr->at));
    }
    ez_set_constant(expr, expr->value, type);
}

static void coerce_size(struct checker *checker, struct expr *expr, struct lane_type type,
                        bool silent) {
    unsigned bits = type.kind == TYPE_INT ? type.bits - 1u : type.bits;
    unsigned needed = ez_type_up_to(expr->symbol->bound, EZ_SIZE_BITS).bits;
    int64_t least = ez_size_range(checker->u, expr->symbol->index).least;
    if (!silent && least < 0 && !ez_number_fits(least, type)) {
        diag_warning(checker->u->diag, W_TRUNCATED, expr->at,
                     "the size `%s` may be %s and is cut to %s", expr->name.text,
                     ez_number_text(checker, least), ez_type_name(checker, type));
        ez_suggest_cast(checker, expr, type);
    } else if (!silent && bits < needed) {
        diag_warning(checker->u->diag, W_TRUNCATED, expr->at,
                     "the size `%s` may need %u bits and is cut to %s", expr->name.text, needed,
                     ez_type_name(checker, type));
        ez_suggest_cast(checker, expr, type);
    }
    expr->type = ez_type_of(type);
}

static void coerce_counter(struct checker *checker, struct expr *expr, struct lane_type type,
                           bool silent) {
    const struct ez_symbol *k = expr->symbol;
    if (!silent && (!ez_number_fits(k->value, type) || !ez_number_fits(k->counter.last, type)))
        diag_error(checker->u->diag, expr->at, "`%s` goes from %s to %s, which does not fit %s",
                   k->name.text, ez_number_text(checker, k->value),
                   ez_number_text(checker, k->counter.last), ez_type_name(checker, type));
    expr->type = ez_type_of(type);
}

static bool is_shift(const struct expr *expr) {
    return expr->kind == EXPR_BINARY && (expr->op == BINARY_SHL || expr->op == BINARY_SHR);
}

void ez_coerce_operands(struct checker *checker, struct expr *expr, struct lane_type type,
                        bool silent) {
    uint32_t first = expr->kind == EXPR_CALL && expr->function == FUNCTION_SELECT ? 1 : 0;
    uint32_t end = is_shift(expr) ? 1 : expr->arg_count;
    bool good = true;
    for (uint32_t i = first; i < end; i++) {
        ez_coerce(checker, expr->args[i], type, silent);
        good &= expr->args[i]->type.state != STATE_ERROR;
    }
    if (!good) {
        ez_poison(expr);
        return;
    }
    expr->type = ez_type_of(type);
    expr->operand_type = type;
    ez_fold_typed(expr);
}

void ez_coerce(struct checker *checker, struct expr *expr, struct lane_type type, bool silent) {
    if (expr->type.state != STATE_NUMBER)
        return;
    if (type.kind == TYPE_BOOL) {
        diag_error(checker->u->diag, expr->at,
                   "a number is no bool; write `true`, `false` or a comparison");
        ez_poison(expr);
    } else if (expr->type.real && !object_type_is_float(type)) {
        diag_error(checker->u->diag, expr->at, "`%s` is %s, and %s has integers",
                   ez_source_text(checker, expr->at), ez_what_it_is(checker, expr),
                   ez_type_name(checker, type));
        ez_poison(expr);
    } else if (object_type_is_float(type))
        ez_coerce_float(checker, expr, type, silent);
    else if (expr->is_constant)
        coerce_constant(checker, expr, type, silent);
    else if (expr->kind == EXPR_NAME && expr->symbol->kind == SYMBOL_EZ_COUNTER)
        coerce_counter(checker, expr, type, silent);
    else if (expr->kind == EXPR_NAME)
        coerce_size(checker, expr, type, silent);
    else
        ez_coerce_operands(checker, expr, type, silent);
}

static bool report_mixed_bool(struct checker *checker, const char *what, struct span at) {
    diag_error(checker->u->diag, at, "`%s` mixes bool and a number", what);
    diag_note(checker->u->diag, at, "a bool becomes a number by a cast, a number a bool by `!= 0`");
    return false;
}

/* What makes an operand fit one of the other sign: a signed type that holds all values of both,
 * where there is one, or an unsigned one as wide as both. */
static struct lane_type type_beside(struct lane_type type, struct lane_type other) {
    unsigned bits = type.kind == TYPE_UINT && type.bits < 64 ? type.bits + 1u : type.bits;
    if (bits < other.bits)
        bits = other.bits;
    return (struct lane_type){other.kind, (uint8_t)bits};
}

static const char *what_it_holds(struct lane_type from) {
    return from.kind == TYPE_INT ? "for values from 0 on"
           : from.bits < 64      ? "which holds all values of both"
                                 : "for values below 2^63";
}

/* `x += y` keeps the bits of x, which depend on as many of y. */
static bool keeps_low_bits(const char *op) {
    return op[1] == '\0' && strchr("+-*&|^", op[0]);
}

/* A fix-it is what is meant whatever the value: others are notes. */
static void note_cast(struct checker *checker, const struct expr *expr, struct lane_type to,
                      bool same) {
    struct lane_type from = expr->type.type;
    const char *fix = cast_text(checker, expr, to);
    diag_note(checker->u->diag, expr->at, same ? "write `%s`" : "`%s`, %s", fix,
              what_it_holds(from));
    if (same || (from.kind == TYPE_UINT && from.bits < 64))
        diag_fixit(checker->u->diag, expr->at, fix);
}

/* Each operand may be cast, but for one that is assigned to. */
static bool report_mixed_sign(struct checker *checker, const char *what, struct span at,
                              struct expr *left, struct expr *right) {
    struct lane_type x = left->type.type, y = right->type.type;
    diag_error(checker->u->diag, at, "`%s` mixes %s and %s", what, ez_type_name(checker, x),
               ez_type_name(checker, y));
    if (object_type_is_float(x) || object_type_is_float(y)) {
        bool to_right = object_type_is_float(y) && x.kind != TYPE_FLOAT;
        ez_suggest_cast(checker, to_right ? left : right, to_right ? y : x);
        return false;
    }
    bool same = left->assigned && keeps_low_bits(what);
    note_cast(checker, right, same ? x : type_beside(y, x), same);
    if (!left->assigned)
        note_cast(checker, left, type_beside(x, y), false);
    return false;
}

static bool agree(struct checker *checker, const char *what, struct span at, struct expr *left,
                  struct expr *right, struct value_type *type) {
    struct lane_type x = left->type.type, y = right->type.type;
    if ((x.kind == TYPE_BOOL) != (y.kind == TYPE_BOOL))
        return report_mixed_bool(checker, what, at);
    if (x.kind != y.kind)
        return report_mixed_sign(checker, what, at, left, right);
    *type = ez_type_of(x.bits >= y.bits ? x : y);
    return true;
}

bool ez_common_type(struct checker *checker, const char *what, struct span at, struct expr *left,
                    struct expr *right, struct value_type *type) {
    if (left->type.state == STATE_ERROR || right->type.state == STATE_ERROR)
        return false;
    *type = TYPE_NUMBER;
    type->real = left->type.real || right->type.real;
    if (left->type.state == STATE_NUMBER && right->type.state == STATE_NUMBER)
        return true;
    if (left->type.state == STATE_NUMBER)
        ez_coerce(checker, left, right->type.type, false);
    else
        ez_coerce(checker, right, left->type.type, false);
    if (left->type.state == STATE_ERROR || right->type.state == STATE_ERROR)
        return false;
    return agree(checker, what, at, left, right, type);
}

static bool report_assign(struct checker *checker, struct expr *expr, struct lane_type type,
                          struct span name) {
    struct lane_type from = expr->type.type;
    bool narrows = from.kind == type.kind;
    diag_error(
        checker->u->diag, expr->at,
        narrows ? "%s does not fit into `%s` of type %s" : "%s cannot be stored in `%s` of type %s",
        ez_type_name(checker, from), ez_source_text(checker, name), ez_type_name(checker, type));
    if (type.kind == TYPE_BOOL)
        diag_note(checker->u->diag, expr->at, "write `%s != 0`", ez_source_text(checker, expr->at));
    else
        ez_suggest_cast(checker, expr, type);
    return false;
}

bool ez_check_assignable(struct checker *checker, struct expr *expr, struct lane_type type,
                         struct span name) {
    ez_coerce(checker, expr, type, false);
    if (expr->type.state != STATE_TYPED)
        return false;
    struct lane_type from = expr->type.type;
    if (from.kind != type.kind || from.bits > type.bits)
        return report_assign(checker, expr, type, name);
    return true;
}

bool ez_resolve_type(struct checker *checker, struct ez_name name, struct lane_type *type) {
    static const char *const common[] = {"bool", "u8",  "u16", "u32", "u64", "i8",  "i16",
                                         "i32",  "i64", "f16", "f32", "f64", "bf16"};
    if (!object_type_parse(name.text, strlen(name.text), type)) {
        diag_error(checker->u->diag, name.at, "`%s` is not a type", name.text);
        diag_suggest(checker->u->diag, name.at, name.text, common, sizeof common / sizeof *common);
        diag_note(checker->u->diag, name.at,
                  "types are bool, u1 to u64, i2 to i64, f16, f32, f64 and bf16");
        return false;
    }
    return true;
}

bool ez_resolve_count(struct checker *checker, struct expr *count, uint32_t *k) {
    uint64_t value = 1;
    ez_check_expr(checker, count);
    if (!ez_check_integer(checker, count, 1, IR_REGISTERS, "the number of registers", &value))
        return false;
    *k = (uint32_t)value;
    return true;
}
