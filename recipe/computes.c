/* SPDX-License-Identifier: MIT */
#include "recipe/computes.h"

#include "support/bits.h"

#include <string.h>

/* --- names --- */

static uint8_t field_of_name(const struct recipe *c, const char *name, bool out) {
    struct signature s;
    recipe_signature(c->op, &s);
    const struct param *list = out ? c->unit.out : c->unit.in;
    const uint8_t *fields = out ? s.out : s.in;
    unsigned count = out ? s.out_count : s.in_count;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return fields[i];
    return FIELD_NONE;
}

enum function { FUNCTION_S, FUNCTION_MIN, FUNCTION_MAX, FUNCTION_POPC, FUNCTION_SELECT, FUNCTIONS };
static const struct {
    const char *name;
    unsigned count;
} functions[FUNCTIONS] = {{"s", 1}, {"min", 2}, {"max", 2}, {"popc", 1}, {"select", 3}};

static int find_function(const struct expr *e) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, e->name) == 0 && functions[i].count == e->count)
            return i;
    return -1;
}

static bool complain(const struct recipe *c, struct span at, const char *text, const char *name,
                     struct diag *d) {
    recipe_error(d, c->unit.file, at, "%s '%s'", text, name);
    return false;
}

static bool check_name(const struct recipe *c, const struct expr *e, struct diag *d) {
    const char *known[MAX_PARAMS + 1] = {"w"};
    for (unsigned i = 0; i < c->unit.in_count; i++)
        known[i + 1] = c->unit.in[i].name;
    if (strcmp(e->name, "w") == 0 || field_of_name(c, e->name, false) != FIELD_NONE)
        return true;
    complain(c, e->at, "no operand is called", e->name, d);
    if (d)
        diag_suggest(d, e->at, e->name, known, c->unit.in_count + 1);
    return false;
}

static bool check_expr(const struct recipe *c, const struct expr *e, struct diag *d) {
    if (e->kind == EXPR_NAME)
        return check_name(c, e, d);
    if (e->kind == EXPR_CALL && find_function(e) < 0)
        return complain(c, e->at, "computes knows s(x), min, max, popc and select(c, x, y), not",
                        e->name, d);
    if (e->kind == EXPR_AT || e->kind == EXPR_INDEX)
        return complain(c, e->at, "computes speaks of whole operands, not of bits of", e->name, d);
    for (unsigned i = 0; i < e->count; i++)
        if (!check_expr(c, e->args[i], d))
            return false;
    return true;
}

bool computes_check(const struct recipe *c, struct diag *d) {
    if (!c->computes)
        return true;
    const struct expr *result = c->computes->args[0];
    if (result->kind != EXPR_NAME || field_of_name(c, result->name, true) == FIELD_NONE) {
        recipe_error(d, c->unit.file, result->at, "the left side of computes names a result");
        return false;
    }
    return check_expr(c, c->computes->args[1], d);
}

/* --- values --- */

/* A pattern of w bits; `is_signed` when it is to be read so. */
struct number {
    uint64_t v;
    bool is_signed;
};

struct reader {
    const struct recipe *c;
    const struct golden_lane *x;
    unsigned w;
};

static struct number value_of(const struct reader *r, const struct expr *e);

static uint64_t operand(const struct reader *r, const char *name) {
    const struct golden_lane *x = r->x;
    switch (field_of_name(r->c, name, false)) {
    case FIELD_RS:
        return x->rs;
    case FIELD_RT:
        return x->rt;
    case FIELD_RD:
        return x->rd;
    case FIELD_C:
        return x->c;
    case FIELD_M:
        return x->m;
    case FIELD_IMM:
        return (uint64_t)x->imm;
    default:
        return r->w;
    }
}

/* -1, 0, 1 */
static int order(const struct reader *r, struct number a, struct number b) {
    if (a.is_signed && b.is_signed) {
        int64_t x = sign_extend(a.v, r->w), y = sign_extend(b.v, r->w);
        return (x > y) - (x < y);
    }
    return (a.v > b.v) - (a.v < b.v);
}

/* Counts of w and more give 0, or the sign. */
static uint64_t shifted(const struct reader *r, uint16_t op, struct number a, uint64_t n) {
    if (op == MARK2('<', '<'))
        return n < r->w ? a.v << n : 0;
    if (a.is_signed)
        return (uint64_t)(sign_extend(a.v, r->w) >> (n < r->w ? n : r->w - 1));
    return n < r->w ? a.v >> n : 0;
}

static uint64_t binary(const struct reader *r, uint16_t op, struct number a, struct number b) {
    switch (op) {
    case '+':
        return a.v + b.v;
    case '-':
        return a.v - b.v;
    case '*':
        return a.v * b.v;
    case '/':
        return b.v ? a.v / b.v : UINT64_MAX;
    case '%':
        return b.v ? a.v % b.v : a.v;
    case '&':
        return a.v & b.v;
    case '|':
        return a.v | b.v;
    case '^':
        return a.v ^ b.v;
    case '<':
        return order(r, a, b) < 0;
    case '>':
        return order(r, a, b) > 0;
    case MARK2('<', '='):
        return order(r, a, b) <= 0;
    case MARK2('>', '='):
        return order(r, a, b) >= 0;
    case MARK2('=', '='):
        return a.v == b.v;
    case MARK2('!', '='):
        return a.v != b.v;
    case MARK2('&', '&'):
        return a.v && b.v;
    case MARK2('|', '|'):
        return a.v || b.v;
    default:
        return 0;
    }
}

static struct number call(const struct reader *r, const struct expr *e) {
    struct number a = value_of(r, e->args[0]);
    int f = find_function(e);
    if (f == FUNCTION_S)
        return (struct number){a.v, true};
    if (f == FUNCTION_POPC)
        return (struct number){(uint64_t)__builtin_popcountll(a.v), false};
    struct number b = value_of(r, e->args[1]);
    if (f == FUNCTION_SELECT)
        return a.v ? b : value_of(r, e->args[2]);
    return (order(r, a, b) < 0) == (f == FUNCTION_MIN) ? a : b;
}

static struct number unary(const struct reader *r, const struct expr *e) {
    struct number a = value_of(r, e->args[0]);
    a.v = e->op == '!' ? !a.v : e->op == '~' ? ~a.v : 0 - a.v;
    return a;
}

/* A shift's count is not reduced to w bits. */
static struct number binary_of(const struct reader *r, const struct expr *e) {
    struct number a = value_of(r, e->args[0]), b;
    if (e->op == MARK2('<', '<') || e->op == MARK2('>', '>')) {
        struct reader wide = {r->c, r->x, 64};
        a.v = shifted(r, e->op, a, value_of(&wide, e->args[1]).v);
        return a;
    }
    b = value_of(r, e->args[1]);
    return (struct number){binary(r, e->op, a, b), a.is_signed && b.is_signed};
}

static struct number value_of(const struct reader *r, const struct expr *e) {
    struct number n = {0, false};
    if (e->kind == EXPR_NUMBER)
        n.v = (uint64_t)e->number;
    else if (e->kind == EXPR_NAME)
        n.v = operand(r, e->name);
    else
        n = e->kind == EXPR_CALL    ? call(r, e)
            : e->kind == EXPR_UNARY ? unary(r, e)
                                    : binary_of(r, e);
    n.v &= low_bits(r->w);
    return n;
}

bool computes_eval(const struct recipe *c, const struct golden_lane *x, uint8_t *field,
                   uint64_t *value) {
    if (!c->computes)
        return false;
    struct reader r = {c, x, x->w};
    *field = field_of_name(c, c->computes->args[0]->name, true);
    *value = value_of(&r, c->computes->args[1]).v;
    if (*field == FIELD_C || *field == FIELD_M)
        *value &= 1;
    return true;
}
