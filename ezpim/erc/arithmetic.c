/* SPDX-License-Identifier: MIT
 * Expressions in brackets, with the meaning that they have in Python: integers are exact (here up
 * to 63 bits), / gives a fraction, and the result is cut towards 0. */
#include "ezpim/erc/unit.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 1000 };

struct computed_value {
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

static struct computed_value of_int(int64_t index) {
    return (struct computed_value){false, index, 0};
}

static struct computed_value of_real(double d) {
    return (struct computed_value){true, 0, d};
}

static double real_of(struct computed_value value) {
    return value.real ? value.d : (double)value.i;
}

/* Reports once; everything is 0 from here on. */
static struct computed_value fail(struct computer *computer, uint32_t token, const char *what) {
    if (!computer->bad)
        erc_error(computer->u, token < computer->end ? token : computer->end - 1, "%s", what);
    computer->bad = true;
    return of_int(0);
}

static bool take(struct computer *computer, const char *text) {
    if (computer->bad || computer->at >= computer->end ||
        !erc_token_is(computer->u, computer->at, text))
        return false;
    computer->at++;
    return true;
}

static struct computed_value checked(struct computer *computer, uint32_t token, bool overflow,
                                     int64_t index) {
    return overflow ? fail(computer, token, "the number has more than 63 bits") : of_int(index);
}

bool erc_lookup(const struct erc_unit *unit, const struct erc_scope *scope, uint32_t token,
                int64_t *value) {
    size_t size;
    const char *text = erc_token_text(unit, token, &size);
    for (size_t i = scope->bindings.len; i-- > scope->base;) {
        const struct erc_binding *b = &scope->bindings.data[i];
        if (strlen(b->name) == size && memcmp(b->name, text, size) == 0) {
            *value = b->value;
            return true;
        }
    }
    const uint64_t *macro = map_get_n(&unit->macros, text, size);
    if (macro)
        *value = (int64_t)*macro;
    return macro != NULL;
}

static struct computed_value expression(struct computer *computer);
static struct computed_value unary(struct computer *computer);

static struct computed_value unknown_name(struct computer *computer, uint32_t token) {
    const char *names[64];
    size_t count = 0;
    for (size_t i = computer->scope->base; i < computer->scope->bindings.len && count < 64; i++)
        names[count++] = computer->scope->bindings.data[i].name;
    for (size_t i = 0; i < computer->u->macros.len && count < 64; i++)
        names[count++] = computer->u->macros.entries[i].key;
    const char *name = erc_token_name(computer->u, token);
    if (!computer->bad &&
        erc_error(computer->u, token, "'%s' is no macro, loop variable or parameter", name))
        diag_suggest(computer->u->diag, erc_token_span(computer->u, token), name, names, count);
    computer->bad = true;
    return of_int(0);
}

static struct computed_value number(struct computer *computer, uint32_t token) {
    size_t size;
    const char *text = erc_token_text(computer->u, token, &size);
    int64_t i;
    double d;
    if (number_parse_i64(text, size, &i))
        return of_int(i);
    if (memchr(text, '.', size) && number_parse_double(text, size, &d))
        return of_real(d);
    return fail(computer, token, "this is no number, or has more than 63 bits");
}

static bool less(struct computed_value left, struct computed_value right) {
    return left.real || right.real ? real_of(left) < real_of(right) : left.i < right.i;
}

static struct computed_value as_int(struct computer *computer, uint32_t token,
                                    struct computed_value value) {
    if (!value.real)
        return value;
    if (!(value.d > -9.2e18 && value.d < 9.2e18))
        return fail(computer, token, "the number has more than 63 bits");
    return of_int((int64_t)value.d);
}

/* int() abs() min() max(), the last two of any number of values. */
static struct computed_value call(struct computer *computer, uint32_t token) {
    bool to_int = erc_token_is(computer->u, token, "int"),
         absolute = erc_token_is(computer->u, token, "abs");
    bool least = erc_token_is(computer->u, token, "min");
    uint32_t count = 1;
    computer->at++;
    struct computed_value v = expression(computer);
    for (; take(computer, ","); count++) {
        struct computed_value w = expression(computer);
        if (least ? less(w, v) : less(v, w))
            v = w;
    }
    if (!take(computer, ")"))
        return fail(computer, computer->at, "expected ')'");
    if ((to_int || absolute) && count != 1)
        return fail(computer, token, "takes one value");
    if (to_int)
        return as_int(computer, token, v);
    if (!absolute || !less(v, of_int(0)))
        return v;
    return v.real ? of_real(-v.d)
                  : checked(computer, token, v.i == INT64_MIN, v.i == INT64_MIN ? 0 : -v.i);
}

static bool is_function(const struct computer *computer, uint32_t token) {
    static const char *const names[] = {"int", "abs", "min", "max"};
    if (token + 1 >= computer->end || !erc_token_is(computer->u, token + 1, "("))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (erc_token_is(computer->u, token, names[i]))
            return true;
    return false;
}

static struct computed_value primary(struct computer *computer) {
    uint32_t token = computer->at;
    int64_t i;
    if (computer->bad || token >= computer->end)
        return fail(computer, token, "an expression is missing behind this");
    bool bracket = erc_token_is(computer->u, token, "[");
    computer->at++;
    if (bracket || erc_token_is(computer->u, token, "(")) {
        struct computed_value v = expression(computer);
        return take(computer, bracket ? "]" : ")")
                   ? v
                   : fail(computer, computer->at, bracket ? "expected ']'" : "expected ')'");
    }
    if (is_function(computer, token))
        return call(computer, token);
    if (computer->u->tokens.data[token].kind == TOKEN_NUMBER)
        return number(computer, token);
    if (computer->u->tokens.data[token].kind == TOKEN_SIGN)
        return fail(computer, token, "expected a number, a name or '('");
    return erc_lookup(computer->u, computer->scope, token, &i) ? of_int(i)
                                                               : unknown_name(computer, token);
}

static struct computed_value power(struct computer *computer) {
    struct computed_value a = primary(computer);
    uint32_t token = computer->at;
    if (!take(computer, "**"))
        return a;
    struct computed_value b = unary(computer);
    if (a.real || b.real || b.i < 0)
        return of_real(pow(real_of(a), real_of(b)));
    int64_t r = 1;
    bool overflow = false;
    for (int64_t k = 0; k < b.i && !overflow && !(a.i >= -1 && a.i <= 1 && k > 2); k++)
        overflow = __builtin_mul_overflow(r, a.i, &r);
    if (a.i == -1 && b.i > 2)
        r = b.i % 2 ? -1 : 1;
    return checked(computer, token, overflow, r);
}

static struct computed_value unary(struct computer *computer) {
    uint32_t token = computer->at;
    struct computed_value v;
    if (++computer->depth > DEEPEST + 2) { /* the expression and its brackets are no level */
        computer->depth--;
        return fail(computer, token, "the expression is nested more than 1000 levels deep");
    }
    if (take(computer, "-")) {
        v = unary(computer);
        v = v.real ? of_real(-v.d)
                   : checked(computer, token, v.i == INT64_MIN, v.i == INT64_MIN ? 0 : -v.i);
    } else if (take(computer, "+")) {
        v = unary(computer);
    } else if (take(computer, "~")) {
        v = unary(computer);
        v = v.real ? fail(computer, token, "~ takes an integer") : of_int(~v.i);
    } else {
        v = power(computer);
    }
    computer->depth--;
    return v;
}

/* Quotient and remainder round down, as Python's do. */
static struct computed_value modulo(struct computer *computer, uint32_t token,
                                    struct computed_value left, struct computed_value right) {
    if (real_of(right) == 0)
        return fail(computer, token, "division by 0");
    if (left.real || right.real) {
        double r = fmod(real_of(left), real_of(right));
        return of_real(r != 0 && (r < 0) != (real_of(right) < 0) ? r + real_of(right) : r);
    }
    int64_t r = right.i == -1 ? 0 : left.i % right.i;
    return of_int(r != 0 && (r < 0) != (right.i < 0) ? r + right.i : r);
}

static struct computed_value arithmetic(struct computer *computer, uint32_t token, char op,
                                        struct computed_value left, struct computed_value right) {
    int64_t r = 0;
    bool real = left.real || right.real, overflow = false;
    double x = real_of(left), y = real_of(right);
    switch (op) {
    case '+':
        overflow = !real && __builtin_add_overflow(left.i, right.i, &r);
        return real ? of_real(x + y) : checked(computer, token, overflow, r);
    case '-':
        overflow = !real && __builtin_sub_overflow(left.i, right.i, &r);
        return real ? of_real(x - y) : checked(computer, token, overflow, r);
    case '*':
        overflow = !real && __builtin_mul_overflow(left.i, right.i, &r);
        return real ? of_real(x * y) : checked(computer, token, overflow, r);
    case '/':
        return y == 0 ? fail(computer, token, "division by 0") : of_real(x / y);
    default:
        return modulo(computer, token, left, right);
    }
}

static struct computed_value shift(struct computer *computer, uint32_t token, bool left, int64_t a,
                                   int64_t n) {
    if (n < 0)
        return fail(computer, token, "a shift by a negative count");
    if (!left)
        return of_int(a >> (n > 63 ? 63 : n));
    int64_t r = 0;
    bool overflow =
        a != 0 && (n > 62 || __builtin_mul_overflow(a, (int64_t)((uint64_t)1 << n), &r));
    return checked(computer, token, overflow, r);
}

static struct computed_value bitwise(struct computer *computer, uint32_t token,
                                     struct computed_value left, struct computed_value right) {
    if (left.real || right.real)
        return fail(computer, token, "takes integers");
    if (erc_token_is(computer->u, token, "&"))
        return of_int(left.i & right.i);
    if (erc_token_is(computer->u, token, "|"))
        return of_int(left.i | right.i);
    if (erc_token_is(computer->u, token, "^"))
        return of_int(left.i ^ right.i);
    return shift(computer, token, erc_token_is(computer->u, token, "<<"), left.i, right.i);
}

/* Python's levels, the loosest first. */
static const char *const levels[][3] = {
    {"|", NULL, NULL},  {"^", NULL, NULL}, {"&", NULL, NULL},
    {"<<", ">>", NULL}, {"+", "-", NULL},  {"*", "/", "%"},
};
enum { LEVELS = sizeof levels / sizeof *levels };

static bool take_operator(struct computer *computer, size_t level) {
    for (size_t k = 0; k < 3 && levels[level][k]; k++)
        if (take(computer, levels[level][k]))
            return true;
    return false;
}

static struct computed_value binary(struct computer *computer, size_t level) {
    if (level == LEVELS)
        return unary(computer);
    struct computed_value a = binary(computer, level + 1);
    for (uint32_t token = computer->at; take_operator(computer, level); token = computer->at) {
        struct computed_value b = binary(computer, level + 1);
        if (computer->bad)
            return a;
        a = level < 4 ? bitwise(computer, token, a, b)
                      : arithmetic(computer, token,
                                   computer->u->text[computer->u->tokens.data[token].begin], a, b);
    }
    return a;
}

static struct computed_value expression(struct computer *computer) {
    return binary(computer, 0);
}

bool erc_compute(struct erc_unit *unit, const struct erc_scope *scope, uint32_t *at, uint32_t end,
                 int64_t *value) {
    struct computer c = {.u = unit, .scope = scope, .at = *at, .end = end};
    struct computed_value v = as_int(&c, *at, expression(&c));
    *at = c.at;
    *value = v.i;
    return !c.bad;
}
