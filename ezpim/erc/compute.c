/* SPDX-License-Identifier: MIT
 * Expressions in brackets, with the meaning that they have in Python: integers are exact (here up
 * to 63 bits), / gives a fraction, and the result is cut towards 0. */
#include "ezpim/erc/unit.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 100 };

struct value {
    bool real;
    int64_t i;
    double d;
};

struct computer {
    struct erc_unit *u;
    const struct erc_scope *scope;
    uint32_t at, end, depth;
    bool bad;
};

static struct value of_int(int64_t i) {
    return (struct value){false, i, 0};
}

static struct value of_real(double d) {
    return (struct value){true, 0, d};
}

static double real_of(struct value v) {
    return v.real ? v.d : (double)v.i;
}

/* Reports once; everything is 0 from here on. */
static struct value fail(struct computer *c, uint32_t token, const char *what) {
    if (!c->bad)
        erc_error(c->u, token < c->end ? token : c->end - 1, "%s", what);
    c->bad = true;
    return of_int(0);
}

static bool take(struct computer *c, const char *text) {
    if (c->bad || c->at >= c->end || !erc_token_is(c->u, c->at, text))
        return false;
    c->at++;
    return true;
}

static struct value checked(struct computer *c, uint32_t token, bool overflow, int64_t i) {
    return overflow ? fail(c, token, "the number has more than 63 bits") : of_int(i);
}

bool erc_lookup(const struct erc_unit *u, const struct erc_scope *s, uint32_t token,
                int64_t *value) {
    size_t size;
    const char *text = erc_token_text(u, token, &size);
    for (size_t i = s->bindings.len; i-- > s->base;) {
        const struct erc_binding *b = &s->bindings.data[i];
        if (strlen(b->name) == size && memcmp(b->name, text, size) == 0) {
            *value = b->value;
            return true;
        }
    }
    const uint64_t *macro = map_get_n(&u->macros, text, size);
    if (macro)
        *value = (int64_t)*macro;
    return macro != NULL;
}

static struct value expression(struct computer *c);
static struct value unary(struct computer *c);

static struct value unknown_name(struct computer *c, uint32_t token) {
    const char *names[64];
    size_t count = 0;
    for (size_t i = c->scope->base; i < c->scope->bindings.len && count < 64; i++)
        names[count++] = c->scope->bindings.data[i].name;
    for (size_t i = 0; i < c->u->macros.len && count < 64; i++)
        names[count++] = c->u->macros.entries[i].key;
    const char *name = erc_token_name(c->u, token);
    if (!c->bad && erc_error(c->u, token, "'%s' is no macro, loop variable or parameter", name))
        diag_suggest(c->u->diag, erc_token_span(c->u, token), name, names, count);
    c->bad = true;
    return of_int(0);
}

static struct value number(struct computer *c, uint32_t token) {
    size_t size;
    const char *text = erc_token_text(c->u, token, &size);
    int64_t i;
    double d;
    if (number_parse_i64(text, size, &i))
        return of_int(i);
    if (memchr(text, '.', size) && number_parse_double(text, size, &d))
        return of_real(d);
    return fail(c, token, "this is no number, or has more than 63 bits");
}

static bool less(struct value a, struct value b) {
    return a.real || b.real ? real_of(a) < real_of(b) : a.i < b.i;
}

static struct value as_int(struct computer *c, uint32_t token, struct value v) {
    if (!v.real)
        return v;
    if (!(v.d > -9.2e18 && v.d < 9.2e18))
        return fail(c, token, "the number has more than 63 bits");
    return of_int((int64_t)v.d);
}

/* int() abs() min() max(), the last two of any number of values. */
static struct value call(struct computer *c, uint32_t token) {
    bool to_int = erc_token_is(c->u, token, "int"), absolute = erc_token_is(c->u, token, "abs");
    bool least = erc_token_is(c->u, token, "min");
    uint32_t count = 1;
    c->at++;
    struct value v = expression(c);
    for (; take(c, ","); count++) {
        struct value w = expression(c);
        if (least ? less(w, v) : less(v, w))
            v = w;
    }
    if (!take(c, ")"))
        return fail(c, c->at, "expected ')'");
    if ((to_int || absolute) && count != 1)
        return fail(c, token, "takes one value");
    if (to_int)
        return as_int(c, token, v);
    if (!absolute || !less(v, of_int(0)))
        return v;
    return v.real ? of_real(-v.d)
                  : checked(c, token, v.i == INT64_MIN, v.i == INT64_MIN ? 0 : -v.i);
}

static bool is_function(const struct computer *c, uint32_t token) {
    static const char *const names[] = {"int", "abs", "min", "max"};
    if (token + 1 >= c->end || !erc_token_is(c->u, token + 1, "("))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (erc_token_is(c->u, token, names[i]))
            return true;
    return false;
}

static struct value primary(struct computer *c) {
    uint32_t token = c->at;
    int64_t i;
    if (c->bad || token >= c->end)
        return fail(c, token, "an expression is missing behind this");
    bool bracket = erc_token_is(c->u, token, "[");
    c->at++;
    if (bracket || erc_token_is(c->u, token, "(")) {
        struct value v = expression(c);
        return take(c, bracket ? "]" : ")")
                   ? v
                   : fail(c, c->at, bracket ? "expected ']'" : "expected ')'");
    }
    if (is_function(c, token))
        return call(c, token);
    if (c->u->tokens.data[token].kind == TOKEN_NUMBER)
        return number(c, token);
    if (c->u->tokens.data[token].kind == TOKEN_SIGN)
        return fail(c, token, "expected a number, a name or '('");
    return erc_lookup(c->u, c->scope, token, &i) ? of_int(i) : unknown_name(c, token);
}

static struct value power(struct computer *c) {
    struct value a = primary(c);
    uint32_t token = c->at;
    if (!take(c, "**"))
        return a;
    struct value b = unary(c);
    if (a.real || b.real || b.i < 0)
        return of_real(pow(real_of(a), real_of(b)));
    int64_t r = 1;
    bool overflow = false;
    for (int64_t k = 0; k < b.i && !overflow && !(a.i >= -1 && a.i <= 1 && k > 2); k++)
        overflow = __builtin_mul_overflow(r, a.i, &r);
    if (a.i == -1 && b.i > 2)
        r = b.i % 2 ? -1 : 1;
    return checked(c, token, overflow, r);
}

static struct value unary(struct computer *c) {
    uint32_t token = c->at;
    struct value v;
    if (++c->depth > DEEPEST) {
        c->depth--;
        return fail(c, token, "the expression is nested too deep");
    }
    if (take(c, "-")) {
        v = unary(c);
        v = v.real ? of_real(-v.d)
                   : checked(c, token, v.i == INT64_MIN, v.i == INT64_MIN ? 0 : -v.i);
    } else if (take(c, "+")) {
        v = unary(c);
    } else if (take(c, "~")) {
        v = unary(c);
        v = v.real ? fail(c, token, "~ takes an integer") : of_int(~v.i);
    } else {
        v = power(c);
    }
    c->depth--;
    return v;
}

/* Quotient and remainder round down, as Python's do. */
static struct value modulo(struct computer *c, uint32_t token, struct value a, struct value b) {
    if (real_of(b) == 0)
        return fail(c, token, "division by 0");
    if (a.real || b.real) {
        double r = fmod(real_of(a), real_of(b));
        return of_real(r != 0 && (r < 0) != (real_of(b) < 0) ? r + real_of(b) : r);
    }
    int64_t r = b.i == -1 ? 0 : a.i % b.i;
    return of_int(r != 0 && (r < 0) != (b.i < 0) ? r + b.i : r);
}

static struct value arithmetic(struct computer *c, uint32_t token, char op, struct value a,
                               struct value b) {
    int64_t r = 0;
    bool real = a.real || b.real, overflow = false;
    double x = real_of(a), y = real_of(b);
    switch (op) {
    case '+':
        overflow = !real && __builtin_add_overflow(a.i, b.i, &r);
        return real ? of_real(x + y) : checked(c, token, overflow, r);
    case '-':
        overflow = !real && __builtin_sub_overflow(a.i, b.i, &r);
        return real ? of_real(x - y) : checked(c, token, overflow, r);
    case '*':
        overflow = !real && __builtin_mul_overflow(a.i, b.i, &r);
        return real ? of_real(x * y) : checked(c, token, overflow, r);
    case '/':
        return y == 0 ? fail(c, token, "division by 0") : of_real(x / y);
    default:
        return modulo(c, token, a, b);
    }
}

static struct value shift(struct computer *c, uint32_t token, bool left, int64_t a, int64_t n) {
    if (n < 0)
        return fail(c, token, "a shift by a negative count");
    if (!left)
        return of_int(a >> (n > 63 ? 63 : n));
    int64_t r = 0;
    bool overflow =
        a != 0 && (n > 62 || __builtin_mul_overflow(a, (int64_t)((uint64_t)1 << n), &r));
    return checked(c, token, overflow, r);
}

static struct value bitwise(struct computer *c, uint32_t token, struct value a, struct value b) {
    if (a.real || b.real)
        return fail(c, token, "takes integers");
    if (erc_token_is(c->u, token, "&"))
        return of_int(a.i & b.i);
    if (erc_token_is(c->u, token, "|"))
        return of_int(a.i | b.i);
    if (erc_token_is(c->u, token, "^"))
        return of_int(a.i ^ b.i);
    return shift(c, token, erc_token_is(c->u, token, "<<"), a.i, b.i);
}

/* Python's levels, the loosest first. */
static const char *const levels[][3] = {
    {"|", NULL, NULL},  {"^", NULL, NULL}, {"&", NULL, NULL},
    {"<<", ">>", NULL}, {"+", "-", NULL},  {"*", "/", "%"},
};
enum { LEVELS = sizeof levels / sizeof *levels };

static bool take_operator(struct computer *c, size_t level) {
    for (size_t k = 0; k < 3 && levels[level][k]; k++)
        if (take(c, levels[level][k]))
            return true;
    return false;
}

static struct value binary(struct computer *c, size_t level) {
    if (level == LEVELS)
        return unary(c);
    struct value a = binary(c, level + 1);
    for (uint32_t token = c->at; take_operator(c, level); token = c->at) {
        struct value b = binary(c, level + 1);
        if (c->bad)
            return a;
        a = level < 4 ? bitwise(c, token, a, b)
                      : arithmetic(c, token, c->u->text[c->u->tokens.data[token].begin], a, b);
    }
    return a;
}

static struct value expression(struct computer *c) {
    if (++c->depth > DEEPEST)
        return fail(c, c->at, "the expression is nested too deep");
    struct value v = binary(c, 0);
    c->depth--;
    return v;
}

bool erc_compute(struct erc_unit *u, const struct erc_scope *s, uint32_t *at, uint32_t end,
                 int64_t *value) {
    struct computer c = {.u = u, .scope = s, .at = *at, .end = end};
    struct value v = as_int(&c, *at, expression(&c));
    *at = c.at;
    *value = v.i;
    return !c.bad;
}
