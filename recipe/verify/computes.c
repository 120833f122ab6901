/* SPDX-License-Identifier: MIT
 * Contracts: type and width are checked when a recipe is read, the value is computed lane by lane.
 */
#include "recipe/verify/computes.h"

#include "isa-spec/golden.h"
#include "recipe/verify/published_float.h"

#include <string.h>

/* --- names --- */

static uint8_t field_of_name(const struct recipe *recipe, const char *name, bool out) {
    struct signature s;
    notation_signature(recipe->op, &s);
    const struct param *list = out ? recipe->unit.out : recipe->unit.in;
    const uint8_t *fields = out ? s.out : s.in;
    unsigned count = out ? s.out_count : s.in_count;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return fields[i];
    return FIELD_NONE;
}

uint8_t recipe_computes_operand(const struct recipe *recipe, const char *name) {
    uint8_t field = field_of_name(recipe, name, false);
    if (field != FIELD_NONE)
        return field;
    return strcmp(name, "w") == 0       ? OPERAND_W
           : strcmp(name, "valid") == 0 ? OPERAND_VALID
                                        : FIELD_NONE;
}

uint8_t recipe_computes_result(const struct recipe *recipe, const struct recipe_expr *contract) {
    return field_of_name(recipe, contract->args[0]->name, true);
}

static const struct {
    const char *name;
    unsigned count;
} functions[FUNCTION_COUNT] = {{"s", 1},        {"s", 2},       {"min", 2},    {"max", 2},
                               {"popc", 1},     {"flip", 1},    {"select", 3}, {"floordiv", 2},
                               {"floormod", 2}, {"convert", 2}, {"product", 3}};

/* Those of two operands give a float or a truth value; those of one, a float or a truth value. */
static const struct {
    const char *name;
    unsigned count;
    uint64_t (*two)(struct ieee_format format, uint64_t left, uint64_t right);
    bool (*compare)(struct ieee_format format, uint64_t left, uint64_t right);
    uint64_t (*one)(struct ieee_format format, uint64_t value);
    bool (*test)(struct ieee_format format, uint64_t value);
} floats[FLOAT_COUNT] = {
    [FLOAT_ADD] = {"fadd", 2, .two = ieee_add},
    [FLOAT_SUB] = {"fsub", 2, .two = ieee_sub},
    [FLOAT_MUL] = {"fmul", 2, .two = ieee_mul},
    [FLOAT_DIV] = {"fdiv", 2, .two = ieee_div},
    [FLOAT_SQRT] = {"fsqrt", 1, .one = ieee_sqrt},
    [FLOAT_EQ] = {"feq", 2, .compare = ieee_equal},
    [FLOAT_LT] = {"flt", 2, .compare = ieee_less},
    [FLOAT_LE] = {"fle", 2, .compare = ieee_less_equal},
    [FLOAT_UN] = {"fun", 2, .compare = ieee_unordered},
    [FLOAT_MIN] = {"fmin", 2, .two = ieee_min},
    [FLOAT_MAX] = {"fmax", 2, .two = ieee_max},
    [FLOAT_ZERO] = {"fzero", 1, .test = ieee_is_zero},
    [FLOAT_PUBLISHED_ADD] = {"padd", 2, .two = recipe_published_add},
    [FLOAT_PUBLISHED_SUB] = {"psub", 2, .two = recipe_published_sub},
    [FLOAT_PUBLISHED_MUL] = {"pmul", 2, .two = recipe_published_mul},
    [FLOAT_PUBLISHED_DIV] = {"pdiv", 2, .two = recipe_published_div},
};

enum computes_float recipe_computes_float(const struct recipe_expr *call, bool *bfloat) {
    *bfloat = call->name[0] == 'b';
    const char *name = call->name + *bfloat;
    int i = 0;
    while (i < FLOAT_COUNT && (strcmp(floats[i].name, name) != 0 || floats[i].count != call->count))
        i++;
    return (enum computes_float)i;
}

enum computes_function recipe_computes_function(const struct recipe_expr *call) {
    int i = 0;
    while (i < FUNCTION_COUNT &&
           (!functions[i].name || strcmp(functions[i].name, call->name) != 0 ||
            functions[i].count != call->count))
        i++;
    bool bfloat;
    if (i == FUNCTION_COUNT && recipe_computes_float(call, &bfloat) != FLOAT_COUNT)
        return FUNCTION_FLOAT;
    return (enum computes_function)i;
}

static bool complain(const struct recipe *recipe, struct span at, const char *text,
                     const char *name, struct diag *diag) {
    recipe_error(diag, recipe->unit.file, at, "%s '%s'", text, name);
    return false;
}

static bool check_name(const struct recipe *recipe, const struct recipe_expr *expr,
                       struct diag *diag) {
    const char *known[MAX_PARAMS + 2] = {"w", "valid"};
    for (unsigned i = 0; i < recipe->unit.in_count; i++)
        known[i + 2] = recipe->unit.in[i].name;
    if (recipe_computes_operand(recipe, expr->name) != FIELD_NONE)
        return true;
    complain(recipe, expr->at, "no operand is called", expr->name, diag);
    if (diag)
        diag_suggest(diag, expr->at, expr->name, known, recipe->unit.in_count + 2);
    return false;
}

static enum number_kind kind_of(const struct recipe *recipe, const struct recipe_expr *expr) {
    const struct golden_lane x = {.w = 1};
    return recipe_computes_value(recipe, expr, &x).kind;
}

/* Operators and functions that read their operands' order. */
static bool reads_sign(const struct recipe_expr *expr) {
    if (expr->kind == EXPR_BINARY)
        return expr->op == '<' || expr->op == '>' || expr->op == MARK2('<', '=') ||
               expr->op == MARK2('>', '=') || expr->op == '/' || expr->op == '%';
    if (expr->kind != EXPR_CALL)
        return false;
    enum computes_function f = recipe_computes_function(expr);
    return f == FUNCTION_MIN || f == FUNCTION_MAX || f == FUNCTION_FLOORDIV ||
           f == FUNCTION_FLOORMOD;
}

/* As in ezpim, signed and unsigned do not mix. */
static bool check_signs(const struct recipe *recipe, const struct recipe_expr *expr,
                        struct diag *diag) {
    if (!reads_sign(expr))
        return true;
    enum number_kind a = kind_of(recipe, expr->args[0]), b = kind_of(recipe, expr->args[1]);
    if (a == b || a == NUMBER_CONSTANT || b == NUMBER_CONSTANT)
        return true;
    recipe_error(diag, recipe->unit.file, expr->at,
                 "one side is signed, the other is not: s() on both?");
    return false;
}

static bool check_call(const struct recipe *recipe, const struct recipe_expr *expr,
                       struct diag *diag) {
    enum computes_function f = recipe_computes_function(expr);
    if (f == FUNCTION_COUNT)
        return complain(recipe, expr->at,
                        "computes knows s(x), s(x, v), min, max, popc, flip, select(c, x, y), "
                        "floordiv, floormod and the functions of floats, not",
                        expr->name, diag);
    if (f != FUNCTION_S_OF || kind_of(recipe, expr->args[1]) == NUMBER_CONSTANT)
        return true;
    recipe_error(diag, recipe->unit.file, expr->args[1]->at,
                 "s(x, v) takes a constant number of bits");
    return false;
}

static bool check_expr(const struct recipe *recipe, const struct recipe_expr *expr,
                       struct diag *diag) {
    if (expr->kind == EXPR_NAME)
        return check_name(recipe, expr, diag);
    if (expr->kind == EXPR_AT || expr->kind == EXPR_INDEX)
        return complain(recipe, expr->at, "computes speaks of whole operands, not of bits of",
                        expr->name, diag);
    if (expr->kind == EXPR_CALL && recipe_computes_function(expr) == FUNCTION_COUNT)
        return check_call(recipe, expr, diag);
    for (unsigned i = 0; i < expr->count; i++)
        if (!check_expr(recipe, expr->args[i], diag))
            return false;
    return (expr->kind != EXPR_CALL || check_call(recipe, expr, diag)) &&
           check_signs(recipe, expr, diag);
}

static bool check_result(const struct recipe *recipe, const struct recipe_expr *expr,
                         const char *word, struct diag *diag) {
    const struct recipe_expr *result = expr->args[0];
    if (result->kind == EXPR_NAME && recipe_computes_result(recipe, expr) != FIELD_NONE)
        return true;
    recipe_error(diag, recipe->unit.file, result->at, "the left side of %s names a result", word);
    return false;
}

static bool check_contract(const struct recipe *recipe, const struct recipe_expr *expr,
                           struct diag *diag) {
    const struct recipe_expr *result = expr->args[0];
    if (!check_result(recipe, expr, "computes", diag))
        return false;
    if (recipe_computes_of(recipe, recipe_computes_result(recipe, expr)) != expr)
        return complain(recipe, expr->at, "a second 'computes' for", result->name, diag);
    return check_expr(recipe, expr->args[1], diag);
}

bool recipe_computes_check(const struct recipe *recipe, struct diag *diag) {
    for (unsigned i = 0; i < recipe->computes_count; i++)
        if (!check_contract(recipe, recipe->computes[i], diag))
            return false;
    for (unsigned i = 0; i < recipe->unlike_count; i++)
        if (!check_expr(recipe, recipe->unlikes[i].when, diag) ||
            !check_result(recipe, recipe->unlikes[i].result, "unlike", diag) ||
            !check_expr(recipe, recipe->unlikes[i].result->args[1], diag))
            return false;
    return true;
}

const struct recipe_expr *recipe_computes_of(const struct recipe *recipe, uint8_t field) {
    for (unsigned i = 0; i < recipe->computes_count; i++)
        if (recipe->computes[i]->args[0]->kind == EXPR_NAME &&
            recipe_computes_result(recipe, recipe->computes[i]) == field)
            return recipe->computes[i];
    return NULL;
}

const char *recipe_computes_missing(const struct recipe *recipe) {
    struct signature s;
    notation_signature(recipe->op, &s);
    for (unsigned i = 0; i < s.out_count; i++)
        if (!recipe_computes_of(recipe, s.out[i]))
            return recipe->unit.out[i].name;
    return NULL;
}

bool recipe_computes_is_complete(const struct recipe *recipe) {
    return !recipe_computes_missing(recipe);
}

/* --- values --- */

struct computes_reader {
    const struct recipe *c;
    const struct golden_lane *x;
};

static struct number value_of(const struct computes_reader *reader, const struct recipe_expr *expr);

static unsigned width_of(const struct computes_reader *reader, enum number_kind kind) {
    return kind == NUMBER_CONSTANT ? 64 : reader->x->w;
}

static struct number make(const struct computes_reader *reader, uint64_t value,
                          enum number_kind kind) {
    return (struct number){golden_low(value, width_of(reader, kind)), kind};
}

static struct number operand(const struct computes_reader *reader, const char *name) {
    const struct golden_lane *x = reader->x;
    switch (recipe_computes_operand(reader->c, name)) {
    case FIELD_RS:
        return make(reader, x->rs, NUMBER_UNSIGNED);
    case FIELD_RT:
        return make(reader, x->rt, NUMBER_UNSIGNED);
    case FIELD_RD:
        return make(reader, x->rd, NUMBER_UNSIGNED);
    case FIELD_C:
        return make(reader, x->c, NUMBER_UNSIGNED);
    case FIELD_M:
        return make(reader, x->m, NUMBER_UNSIGNED);
    case OPERAND_VALID:
        return make(reader, x->valid, NUMBER_UNSIGNED);
    case FIELD_IMM:
        return make(reader, (uint64_t)x->imm, NUMBER_CONSTANT);
    default:
        return make(reader, x->w, NUMBER_CONSTANT);
    }
}

/* Two numbers that meet: a constant takes after the other one; signed is what both are. */
static enum number_kind meet(struct number left, struct number right) {
    if (left.kind == NUMBER_CONSTANT)
        return right.kind;
    return right.kind == NUMBER_CONSTANT || left.kind == right.kind ? left.kind : NUMBER_UNSIGNED;
}

static bool is_signed(enum number_kind kind) {
    return kind != NUMBER_UNSIGNED;
}

/* -1, 0, 1; of numbers that have met */
static int order(const struct computes_reader *reader, enum number_kind kind, uint64_t left,
                 uint64_t right) {
    if (!is_signed(kind))
        return (left > right) - (left < right);
    int64_t x = sign_extend(left, width_of(reader, kind)),
            y = sign_extend(right, width_of(reader, kind));
    return (x > y) - (x < y);
}

static uint64_t compare(uint16_t op, int order) {
    switch (op) {
    case '<':
        return order < 0;
    case '>':
        return order > 0;
    case MARK2('<', '='):
        return order <= 0;
    case MARK2('>', '='):
        return order >= 0;
    case MARK2('=', '='):
        return order == 0;
    default:
        return order != 0;
    }
}

static uint64_t quotient(uint16_t op, bool with_sign, uint64_t left, uint64_t right, unsigned w) {
    if (op == '/')
        return with_sign ? golden_sdiv(left, right, w) : golden_quotient(left, right);
    return with_sign ? golden_srem(left, right, w) : golden_remainder(left, right);
}

static uint64_t arithmetic(uint16_t op, uint64_t left, uint64_t right) {
    switch (op) {
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    case '&':
        return left & right;
    case '|':
        return left | right;
    default:
        return left ^ right;
    }
}

/* Counts of w and more give 0, or the sign; constants have their own w, and a negative one is a
 * large count. */
static struct number shift(const struct computes_reader *reader, uint16_t op, struct number a,
                           struct number n) {
    enum number_kind kind =
        a.kind == NUMBER_CONSTANT && n.kind != NUMBER_CONSTANT ? NUMBER_UNSIGNED : a.kind;
    unsigned w = width_of(reader, kind);
    uint64_t v = golden_low(a.v, w);
    v = op == MARK2('<', '<') ? golden_shl(v, n.v, w)
        : is_signed(kind)     ? golden_sar(v, n.v, w)
                              : golden_shr(v, n.v, w);
    return make(reader, v, kind);
}

static struct number truth(const struct computes_reader *reader, struct number left,
                           struct number right, bool v) {
    bool constant = left.kind == NUMBER_CONSTANT && right.kind == NUMBER_CONSTANT;
    return make(reader, v, constant ? NUMBER_CONSTANT : NUMBER_UNSIGNED);
}

static struct number binary(const struct computes_reader *reader, uint16_t op, struct number left,
                            struct number right) {
    enum number_kind kind = meet(left, right);
    unsigned w = width_of(reader, kind);
    uint64_t x = golden_low(left.v, w), y = golden_low(right.v, w);
    switch (op) {
    case MARK2('<', '<'):
    case MARK2('>', '>'):
        return shift(reader, op, left, right);
    case MARK2('&', '&'):
        return truth(reader, left, right, left.v && right.v);
    case MARK2('|', '|'):
        return truth(reader, left, right, left.v || right.v);
    case '/':
    case '%':
        return make(reader, quotient(op, is_signed(kind), x, y, w), kind);
    case '+':
    case '-':
    case '*':
    case '&':
    case '|':
    case '^':
        return make(reader, arithmetic(op, x, y), kind);
    default:
        return truth(reader, left, right, compare(op, order(reader, kind, x, y)) != 0);
    }
}

static struct number unary(const struct computes_reader *reader, uint16_t op,
                           struct number number) {
    if (op == '!')
        return truth(reader, number, number, !number.v);
    return make(reader, op == '~' ? ~number.v : 0 - number.v, number.kind);
}

/* Out of range only in contracts that no legal instruction meets. */
static uint64_t extended(uint64_t a, uint64_t value, unsigned w) {
    return value < 1 ? 0 : value >= w ? a : (uint64_t)sign_extend(a, (unsigned)value);
}

static struct number call1(const struct computes_reader *reader, enum computes_function function,
                           struct number number) {
    uint64_t x = golden_low(number.v, reader->x->w);
    if (function == FUNCTION_S)
        return make(reader, x, NUMBER_SIGNED);
    return make(reader,
                function == FUNCTION_POPC ? golden_popcount(x) : golden_reverse(x, reader->x->w),
                NUMBER_UNSIGNED);
}

static struct number call2(const struct computes_reader *reader, enum computes_function function,
                           struct number left, struct number right) {
    if (function == FUNCTION_S_OF)
        return make(reader, extended(golden_low(left.v, reader->x->w), right.v, reader->x->w),
                    NUMBER_SIGNED);
    enum number_kind kind = meet(left, right);
    unsigned w = width_of(reader, kind);
    uint64_t x = golden_low(left.v, w), y = golden_low(right.v, w);
    if (function == FUNCTION_MIN || function == FUNCTION_MAX)
        return make(reader, (order(reader, kind, x, y) < 0) == (function == FUNCTION_MIN) ? x : y,
                    kind);
    if (!is_signed(kind))
        return make(reader, quotient(function == FUNCTION_FLOORDIV ? '/' : '%', false, x, y, w),
                    kind);
    return make(reader,
                function == FUNCTION_FLOORDIV ? golden_fldiv(x, y, w) : golden_flmod(x, y, w),
                kind);
}

static struct number call_float(const struct computes_reader *reader,
                                const struct recipe_expr *expr) {
    bool bfloat;
    enum computes_float f = recipe_computes_float(expr, &bfloat);
    struct ieee_format format = bfloat ? golden_bfloat(reader->x) : golden_float(reader->x);
    uint64_t x = value_of(reader, expr->args[0]).v;
    if (floats[f].one)
        return make(reader, floats[f].one(format, x), NUMBER_UNSIGNED);
    if (floats[f].test)
        return make(reader, floats[f].test(format, x), NUMBER_UNSIGNED);
    uint64_t y = value_of(reader, expr->args[1]).v;
    return make(reader,
                floats[f].two ? floats[f].two(format, x, y) : floats[f].compare(format, x, y),
                NUMBER_UNSIGNED);
}

static struct number call(const struct computes_reader *reader, const struct recipe_expr *expr) {
    enum computes_function f = recipe_computes_function(expr);
    if (f == FUNCTION_FLOAT)
        return call_float(reader, expr);
    if (f == FUNCTION_CONVERT)
        return make(
            reader,
            golden_convert(reader->x, reader->x->rs, (int64_t)value_of(reader, expr->args[1]).v),
            NUMBER_UNSIGNED);
    if (f == FUNCTION_PRODUCT)
        return make(reader,
                    golden_product(reader->x->rs, reader->x->rt,
                                   (int64_t)value_of(reader, expr->args[2]).v, reader->x->w),
                    NUMBER_UNSIGNED);
    struct number a = value_of(reader, expr->args[0]);
    if (expr->count == 1)
        return call1(reader, f, a);
    struct number b = value_of(reader, expr->args[1]);
    if (f != FUNCTION_SELECT)
        return call2(reader, f, a, b);
    struct number c = value_of(reader, expr->args[2]);
    enum number_kind kind = meet(b, c);
    if (kind == NUMBER_CONSTANT && a.kind != NUMBER_CONSTANT)
        kind = NUMBER_UNSIGNED;
    return make(reader, a.v ? b.v : c.v, kind);
}

static struct number value_of(const struct computes_reader *reader,
                              const struct recipe_expr *expr) {
    switch (expr->kind) {
    case EXPR_NUMBER:
        return make(reader, (uint64_t)expr->number, NUMBER_CONSTANT);
    case EXPR_NAME:
        return operand(reader, expr->name);
    case EXPR_CALL:
        return call(reader, expr);
    case EXPR_UNARY:
        return unary(reader, expr->op, value_of(reader, expr->args[0]));
    default:
        return binary(reader, expr->op, value_of(reader, expr->args[0]),
                      value_of(reader, expr->args[1]));
    }
}

struct number recipe_computes_value(const struct recipe *recipe, const struct recipe_expr *expr,
                                    const struct golden_lane *lane) {
    return value_of(&(struct computes_reader){recipe, lane}, expr);
}

uint64_t recipe_computes_eval(const struct recipe *recipe, const struct recipe_expr *contract,
                              const struct golden_lane *lane) {
    uint64_t v = recipe_computes_value(recipe, contract->args[1], lane).v;
    uint8_t field = recipe_computes_result(recipe, contract);
    return golden_low(v, field == FIELD_C || field == FIELD_M ? 1 : lane->w);
}

const struct recipe_expr *recipe_computes_unlike(const struct recipe *recipe,
                                                 const struct golden_lane *lane) {
    for (unsigned i = 0; i < recipe->unlike_count; i++)
        if (recipe_computes_value(recipe, recipe->unlikes[i].when, lane).v)
            return recipe->unlikes[i].result;
    return NULL;
}

unsigned recipe_computes_bits(const struct insn *insn, enum operand_role role) {
    return insn->op == OP_MASKED ? insn->width : isa_operand_bits(insn, role);
}
