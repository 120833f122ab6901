/* SPDX-License-Identifier: MIT */
#include "recipe/computes.h"

#include "isa-spec/golden.h"

#include <string.h>

/* --- names --- */

static uint8_t field_of_name(const struct recipe *c, const char *name, bool out) {
    struct signature s;
    notation_signature(c->op, &s);
    const struct param *list = out ? c->unit.out : c->unit.in;
    const uint8_t *fields = out ? s.out : s.in;
    unsigned count = out ? s.out_count : s.in_count;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return fields[i];
    return FIELD_NONE;
}

uint8_t recipe_computes_operand(const struct recipe *c, const char *name) {
    uint8_t field = field_of_name(c, name, false);
    if (field != FIELD_NONE)
        return field;
    return strcmp(name, "w") == 0       ? OPERAND_W
           : strcmp(name, "valid") == 0 ? OPERAND_VALID
                                        : FIELD_NONE;
}

uint8_t recipe_computes_result(const struct recipe *c, const struct recipe_expr *contract) {
    return field_of_name(c, contract->args[0]->name, true);
}

static const struct {
    const char *name;
    unsigned count;
} functions[FUNCTION_COUNT] = {{"s", 1},      {"s", 2},        {"min", 2},
                               {"max", 2},    {"popc", 1},     {"flip", 1},
                               {"select", 3}, {"floordiv", 2}, {"floormod", 2}};

enum computes_function recipe_computes_function(const struct recipe_expr *call) {
    int i = 0;
    while (i < FUNCTION_COUNT &&
           (strcmp(functions[i].name, call->name) != 0 || functions[i].count != call->count))
        i++;
    return (enum computes_function)i;
}

static bool complain(const struct recipe *c, struct span at, const char *text, const char *name,
                     struct diag *d) {
    recipe_error(d, c->unit.file, at, "%s '%s'", text, name);
    return false;
}

static bool check_name(const struct recipe *c, const struct recipe_expr *e, struct diag *d) {
    const char *known[MAX_PARAMS + 2] = {"w", "valid"};
    for (unsigned i = 0; i < c->unit.in_count; i++)
        known[i + 2] = c->unit.in[i].name;
    if (recipe_computes_operand(c, e->name) != FIELD_NONE)
        return true;
    complain(c, e->at, "no operand is called", e->name, d);
    if (d)
        diag_suggest(d, e->at, e->name, known, c->unit.in_count + 2);
    return false;
}

static enum number_kind kind_of(const struct recipe *c, const struct recipe_expr *e) {
    const struct golden_lane x = {.w = 1};
    return recipe_computes_value(c, e, &x).kind;
}

/* Operators and functions that read their operands' order. */
static bool reads_sign(const struct recipe_expr *e) {
    if (e->kind == EXPR_BINARY)
        return e->op == '<' || e->op == '>' || e->op == MARK2('<', '=') ||
               e->op == MARK2('>', '=') || e->op == '/' || e->op == '%';
    if (e->kind != EXPR_CALL)
        return false;
    enum computes_function f = recipe_computes_function(e);
    return f == FUNCTION_MIN || f == FUNCTION_MAX || f == FUNCTION_FLOORDIV ||
           f == FUNCTION_FLOORMOD;
}

/* As in ezpim, signed and unsigned do not mix. */
static bool check_signs(const struct recipe *c, const struct recipe_expr *e, struct diag *d) {
    if (!reads_sign(e))
        return true;
    enum number_kind a = kind_of(c, e->args[0]), b = kind_of(c, e->args[1]);
    if (a == b || a == NUMBER_CONSTANT || b == NUMBER_CONSTANT)
        return true;
    recipe_error(d, c->unit.file, e->at, "one side is signed, the other is not: s() on both?");
    return false;
}

static bool check_call(const struct recipe *c, const struct recipe_expr *e, struct diag *d) {
    enum computes_function f = recipe_computes_function(e);
    if (f == FUNCTION_COUNT)
        return complain(c, e->at,
                        "computes knows s(x), s(x, v), min, max, popc, flip, select(c, x, y), "
                        "floordiv and floormod, not",
                        e->name, d);
    if (f != FUNCTION_S_OF || kind_of(c, e->args[1]) == NUMBER_CONSTANT)
        return true;
    recipe_error(d, c->unit.file, e->args[1]->at, "s(x, v) takes a constant number of bits");
    return false;
}

static bool check_expr(const struct recipe *c, const struct recipe_expr *e, struct diag *d) {
    if (e->kind == EXPR_NAME)
        return check_name(c, e, d);
    if (e->kind == EXPR_AT || e->kind == EXPR_INDEX)
        return complain(c, e->at, "computes speaks of whole operands, not of bits of", e->name, d);
    if (e->kind == EXPR_CALL && recipe_computes_function(e) == FUNCTION_COUNT)
        return check_call(c, e, d);
    for (unsigned i = 0; i < e->count; i++)
        if (!check_expr(c, e->args[i], d))
            return false;
    return (e->kind != EXPR_CALL || check_call(c, e, d)) && check_signs(c, e, d);
}

static bool check_contract(const struct recipe *c, const struct recipe_expr *e, struct diag *d) {
    const struct recipe_expr *result = e->args[0];
    if (result->kind != EXPR_NAME || recipe_computes_result(c, e) == FIELD_NONE) {
        recipe_error(d, c->unit.file, result->at, "the left side of computes names a result");
        return false;
    }
    if (recipe_computes_of(c, recipe_computes_result(c, e)) != e)
        return complain(c, e->at, "a second 'computes' for", result->name, d);
    return check_expr(c, e->args[1], d);
}

bool recipe_computes_check(const struct recipe *c, struct diag *d) {
    for (unsigned i = 0; i < c->computes_count; i++)
        if (!check_contract(c, c->computes[i], d))
            return false;
    return true;
}

const struct recipe_expr *recipe_computes_of(const struct recipe *c, uint8_t field) {
    for (unsigned i = 0; i < c->computes_count; i++)
        if (c->computes[i]->args[0]->kind == EXPR_NAME &&
            recipe_computes_result(c, c->computes[i]) == field)
            return c->computes[i];
    return NULL;
}

const char *recipe_computes_missing(const struct recipe *c) {
    struct signature s;
    notation_signature(c->op, &s);
    for (unsigned i = 0; i < s.out_count; i++)
        if (!recipe_computes_of(c, s.out[i]))
            return c->unit.out[i].name;
    return NULL;
}

bool recipe_computes_is_complete(const struct recipe *c) {
    return !recipe_computes_missing(c);
}

/* --- values --- */

struct computes_reader {
    const struct recipe *c;
    const struct golden_lane *x;
};

static struct number value_of(const struct computes_reader *r, const struct recipe_expr *e);

static unsigned width_of(const struct computes_reader *r, enum number_kind kind) {
    return kind == NUMBER_CONSTANT ? 64 : r->x->w;
}

static struct number make(const struct computes_reader *r, uint64_t v, enum number_kind kind) {
    return (struct number){golden_low(v, width_of(r, kind)), kind};
}

static struct number operand(const struct computes_reader *r, const char *name) {
    const struct golden_lane *x = r->x;
    switch (recipe_computes_operand(r->c, name)) {
    case FIELD_RS:
        return make(r, x->rs, NUMBER_UNSIGNED);
    case FIELD_RT:
        return make(r, x->rt, NUMBER_UNSIGNED);
    case FIELD_RD:
        return make(r, x->rd, NUMBER_UNSIGNED);
    case FIELD_C:
        return make(r, x->c, NUMBER_UNSIGNED);
    case FIELD_M:
        return make(r, x->m, NUMBER_UNSIGNED);
    case OPERAND_VALID:
        return make(r, x->valid, NUMBER_UNSIGNED);
    case FIELD_IMM:
        return make(r, (uint64_t)x->imm, NUMBER_CONSTANT);
    default:
        return make(r, x->w, NUMBER_CONSTANT);
    }
}

/* Two numbers that meet: a constant takes after the other one; signed is what both are. */
static enum number_kind meet(struct number a, struct number b) {
    if (a.kind == NUMBER_CONSTANT)
        return b.kind;
    return b.kind == NUMBER_CONSTANT || a.kind == b.kind ? a.kind : NUMBER_UNSIGNED;
}

static bool is_signed(enum number_kind kind) {
    return kind != NUMBER_UNSIGNED;
}

/* -1, 0, 1; of numbers that have met */
static int order(const struct computes_reader *r, enum number_kind kind, uint64_t a, uint64_t b) {
    if (!is_signed(kind))
        return (a > b) - (a < b);
    int64_t x = sign_extend(a, width_of(r, kind)), y = sign_extend(b, width_of(r, kind));
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

static uint64_t quotient(uint16_t op, bool with_sign, uint64_t a, uint64_t b, unsigned w) {
    if (op == '/')
        return with_sign ? golden_sdiv(a, b, w) : golden_quotient(a, b);
    return with_sign ? golden_srem(a, b, w) : golden_remainder(a, b);
}

static uint64_t arithmetic(uint16_t op, uint64_t a, uint64_t b) {
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '&':
        return a & b;
    case '|':
        return a | b;
    default:
        return a ^ b;
    }
}

/* Counts of w and more give 0, or the sign; constants have their own w, and a negative one is a
 * large count. */
static struct number shift(const struct computes_reader *r, uint16_t op, struct number a,
                           struct number n) {
    enum number_kind kind =
        a.kind == NUMBER_CONSTANT && n.kind != NUMBER_CONSTANT ? NUMBER_UNSIGNED : a.kind;
    unsigned w = width_of(r, kind);
    uint64_t v = golden_low(a.v, w);
    v = op == MARK2('<', '<') ? golden_shl(v, n.v, w)
        : is_signed(kind)     ? golden_sar(v, n.v, w)
                              : golden_shr(v, n.v, w);
    return make(r, v, kind);
}

static struct number truth(const struct computes_reader *r, struct number a, struct number b,
                           bool v) {
    bool constant = a.kind == NUMBER_CONSTANT && b.kind == NUMBER_CONSTANT;
    return make(r, v, constant ? NUMBER_CONSTANT : NUMBER_UNSIGNED);
}

static struct number binary(const struct computes_reader *r, uint16_t op, struct number a,
                            struct number b) {
    enum number_kind kind = meet(a, b);
    unsigned w = width_of(r, kind);
    uint64_t x = golden_low(a.v, w), y = golden_low(b.v, w);
    switch (op) {
    case MARK2('<', '<'):
    case MARK2('>', '>'):
        return shift(r, op, a, b);
    case MARK2('&', '&'):
        return truth(r, a, b, a.v && b.v);
    case MARK2('|', '|'):
        return truth(r, a, b, a.v || b.v);
    case '/':
    case '%':
        return make(r, quotient(op, is_signed(kind), x, y, w), kind);
    case '+':
    case '-':
    case '*':
    case '&':
    case '|':
    case '^':
        return make(r, arithmetic(op, x, y), kind);
    default:
        return truth(r, a, b, compare(op, order(r, kind, x, y)) != 0);
    }
}

static struct number unary(const struct computes_reader *r, uint16_t op, struct number a) {
    if (op == '!')
        return truth(r, a, a, !a.v);
    return make(r, op == '~' ? ~a.v : 0 - a.v, a.kind);
}

/* Out of range only in contracts that no legal instruction meets. */
static uint64_t extended(uint64_t a, uint64_t v, unsigned w) {
    return v < 1 ? 0 : v >= w ? a : (uint64_t)sign_extend(a, (unsigned)v);
}

static struct number call1(const struct computes_reader *r, enum computes_function f,
                           struct number a) {
    uint64_t x = golden_low(a.v, r->x->w);
    if (f == FUNCTION_S)
        return make(r, x, NUMBER_SIGNED);
    return make(r, f == FUNCTION_POPC ? golden_popcount(x) : golden_reverse(x, r->x->w),
                NUMBER_UNSIGNED);
}

static struct number call2(const struct computes_reader *r, enum computes_function f,
                           struct number a, struct number b) {
    if (f == FUNCTION_S_OF)
        return make(r, extended(golden_low(a.v, r->x->w), b.v, r->x->w), NUMBER_SIGNED);
    enum number_kind kind = meet(a, b);
    unsigned w = width_of(r, kind);
    uint64_t x = golden_low(a.v, w), y = golden_low(b.v, w);
    if (f == FUNCTION_MIN || f == FUNCTION_MAX)
        return make(r, (order(r, kind, x, y) < 0) == (f == FUNCTION_MIN) ? x : y, kind);
    if (!is_signed(kind))
        return make(r, quotient(f == FUNCTION_FLOORDIV ? '/' : '%', false, x, y, w), kind);
    return make(r, f == FUNCTION_FLOORDIV ? golden_fldiv(x, y, w) : golden_flmod(x, y, w), kind);
}

static struct number call(const struct computes_reader *r, const struct recipe_expr *e) {
    enum computes_function f = recipe_computes_function(e);
    struct number a = value_of(r, e->args[0]);
    if (e->count == 1)
        return call1(r, f, a);
    struct number b = value_of(r, e->args[1]);
    if (f != FUNCTION_SELECT)
        return call2(r, f, a, b);
    struct number c = value_of(r, e->args[2]);
    enum number_kind kind = meet(b, c);
    if (kind == NUMBER_CONSTANT && a.kind != NUMBER_CONSTANT)
        kind = NUMBER_UNSIGNED;
    return make(r, a.v ? b.v : c.v, kind);
}

static struct number value_of(const struct computes_reader *r, const struct recipe_expr *e) {
    switch (e->kind) {
    case EXPR_NUMBER:
        return make(r, (uint64_t)e->number, NUMBER_CONSTANT);
    case EXPR_NAME:
        return operand(r, e->name);
    case EXPR_CALL:
        return call(r, e);
    case EXPR_UNARY:
        return unary(r, e->op, value_of(r, e->args[0]));
    default:
        return binary(r, e->op, value_of(r, e->args[0]), value_of(r, e->args[1]));
    }
}

struct number recipe_computes_value(const struct recipe *c, const struct recipe_expr *e,
                                    const struct golden_lane *x) {
    return value_of(&(struct computes_reader){c, x}, e);
}

uint64_t recipe_computes_eval(const struct recipe *c, const struct recipe_expr *contract,
                              const struct golden_lane *x) {
    uint64_t v = recipe_computes_value(c, contract->args[1], x).v;
    uint8_t field = recipe_computes_result(c, contract);
    return golden_low(v, field == FIELD_C || field == FIELD_M ? 1 : x->w);
}

unsigned recipe_computes_source_width(const struct insn *insn) {
    const struct isa_info *info = recipe_info(insn->op);
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_SRCWIDTH)
            return (unsigned)insn->imm;
    return info->flags & ISA_WIDTH ? insn->width : 1;
}
