/* SPDX-License-Identifier: MIT
 * Expressions, in exact integers: a result is cut to its type when it has one. */
#include "tests/ezpim/interp_parts.h"

#include <string.h>

static const struct rtype bool_type = {.is_bool = true, .bits = 1};

struct interp_value interp_number(ez_number v) {
    return (struct interp_value){.is_number = true, .v = v};
}

struct interp_value interp_typed(uint64_t pattern, struct rtype t) {
    ez_number v = t.is_signed ? (ez_number)rtype_signed(pattern, t.bits) : (ez_number)pattern;
    return (struct interp_value){.type = t, .v = v};
}

static struct interp_value cut(ez_number v, struct rtype t) {
    return interp_typed((uint64_t)v & rtype_mask(t), t);
}

static struct interp_value boolean(bool b) {
    return (struct interp_value){.type = bool_type, .v = b};
}

uint64_t interp_as(struct interp *it, struct interp_value v, struct rtype t) {
    if (t.is_float && (v.is_number || v.real || v.type.is_float))
        return (uint64_t)interp_to_float(v, t).v;
    bool fits = v.is_number ? !t.is_bool
                            : v.type.is_bool == t.is_bool && v.type.is_signed == t.is_signed &&
                                  !v.type.is_float && v.type.bits <= t.bits;
    if (!fits)
        interp_fail(it, "a value of another type");
    return (uint64_t)v.v & rtype_mask(t);
}

/* The type at which two operands meet; false when both are numbers. */
static bool common(struct interp *it, struct interp_value a, struct interp_value b,
                   struct rtype *t) {
    a.is_number |= a.real != NULL;
    b.is_number |= b.real != NULL;
    if (a.is_number && b.is_number)
        return false;
    *t = a.is_number || (!b.is_number && b.type.bits > a.type.bits) ? b.type : a.type;
    bool good = a.is_number || b.is_number
                    ? !t->is_bool
                    : a.type.is_bool == b.type.is_bool && a.type.is_signed == b.type.is_signed &&
                          a.type.is_float == b.type.is_float;
    if (!good)
        interp_fail(it, "operands of different kinds");
    return true;
}

/* 0 and the sign come in from the side; nobody looks at bits beyond 64. */
static ez_number shifted(ez_number v, ez_number count, bool left) {
    int n = count < 0 || count > 100 ? 100 : (int)count;
    if (left)
        return n >= 64 ? 0 : (ez_number)((interp_unsigned)v << n);
    return v >> n;
}

static struct interp_value shift(struct interp_value a, struct interp_value b, bool left) {
    ez_number v = shifted(a.v, b.v, left);
    return a.is_number ? interp_number(v) : cut(v, a.type);
}

static bool compare(enum binary_op op, ez_number a, ez_number b) {
    switch (op) {
    case BINARY_EQ:
        return a == b;
    case BINARY_NE:
        return a != b;
    case BINARY_LT:
        return a < b;
    case BINARY_LE:
        return a <= b;
    case BINARY_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* Towards zero, as C does.  Of a division by zero all bits are ones, and the rest is a. */
static ez_number quotient(ez_number a, ez_number b) {
    return b ? a / b : -1;
}

static ez_number arithmetic(struct interp *it, enum binary_op op, ez_number a, ez_number b) {
    interp_unsigned x = (interp_unsigned)a, y = (interp_unsigned)b;
    switch (op) {
    case BINARY_ADD:
        return (ez_number)(x + y);
    case BINARY_SUB:
        return (ez_number)(x - y);
    case BINARY_MUL:
        return (ez_number)(x * y);
    case BINARY_DIV:
        return quotient(a, b);
    case BINARY_REM:
        return b ? a % b : a;
    case BINARY_AND:
    case BINARY_ALL:
        return a & b;
    case BINARY_OR:
    case BINARY_ANY:
        return a | b;
    case BINARY_XOR:
        return a ^ b;
    default:
        interp_fail(it, "no arithmetic");
        return 0;
    }
}

struct interp_value interp_binary(struct interp *it, enum binary_op op, struct interp_value a,
                                  struct interp_value b) {
    struct rtype t;
    if (op == BINARY_SHL || op == BINARY_SHR)
        return shift(a, b, op == BINARY_SHL);
    if (!common(it, a, b, &t)) {
        if (ez_binary_compares(op))
            return boolean(compare(op, a.v, b.v));
        return interp_number(arithmetic(it, op, a.v, b.v));
    }
    if (t.is_float)
        return interp_float_binary(it, op, interp_to_float(a, t), interp_to_float(b, t));
    a = interp_typed((uint64_t)a.v & rtype_mask(t), t);
    b = interp_typed((uint64_t)b.v & rtype_mask(t), t);
    if (ez_binary_compares(op))
        return boolean(compare(op, a.v, b.v));
    return cut(arithmetic(it, op, a.v, b.v), t);
}

/* The right side of && and || is asked only where it decides. */
static struct interp_value eval_binary(struct interp *it, const struct expr *e) {
    struct interp_value a = interp_eval(it, e->args[0]);
    if ((e->op == BINARY_ALL && !a.v) || (e->op == BINARY_ANY && a.v))
        return a;
    return interp_binary(it, (enum binary_op)e->op, a, interp_eval(it, e->args[1]));
}

static struct interp_value eval_unary(struct interp *it, const struct expr *e) {
    struct interp_value a = interp_eval(it, e->args[0]);
    if (e->op == UNARY_NOT)
        return boolean(!a.v);
    ez_number v = e->op == UNARY_NEG ? -a.v : ~a.v;
    return a.is_number ? interp_number(v) : cut(v, a.type);
}

static struct interp_value eval_cast(struct interp *it, const struct expr *e, struct rtype t) {
    if (e->arg_count == 1) {
        struct interp_value v = interp_eval(it, e->args[0]);
        if (t.is_float)
            return interp_to_float(v, t);
        return cut(!v.is_number && v.type.is_float ? interp_from_float(v, t) : v.v, t);
    }
    interp_fail(it, "a cast takes one value");
    return interp_number(0);
}

static struct interp_value eval_popc(struct interp *it, const struct expr *e) {
    struct interp_value a = interp_eval(it, e->args[0]);
    ez_number n = 0;
    for (uint64_t v = (uint64_t)a.v & rtype_mask(a.type); v; v &= v - 1)
        n++;
    return cut(n, a.type);
}

static ez_number floor_quotient(ez_number a, ez_number b) {
    return quotient(a, b) - (b && a % b && (a < 0) != (b < 0));
}

/* floordiv(a, b) and floormod(a, b); a number of the two takes the other's type. */
static struct interp_value eval_floor(struct interp *it, struct interp_value a,
                                      struct interp_value b, bool remainder) {
    struct rtype t;
    if (!common(it, a, b, &t)) {
        interp_fail(it, "no type for a division");
        return interp_number(0);
    }
    a = cut(a.v, t);
    b = cut(b.v, t);
    ez_number q = floor_quotient(a.v, b.v);
    return cut(remainder ? (b.v ? a.v - q * b.v : a.v) : q, t);
}

static struct interp_value choose(struct interp *it, struct interp_value a, struct interp_value b,
                                  bool first) {
    struct rtype t;
    if (!common(it, a, b, &t))
        return first ? a : b;
    if (t.is_float)
        return interp_to_float(first ? a : b, t);
    return cut(first ? a.v : b.v, t);
}

/* min and max compare at the common type; a number fits it. */
static struct interp_value eval_pair(struct interp *it, const struct expr *e) {
    struct interp_value a = interp_eval(it, e->args[0]), b = interp_eval(it, e->args[1]);
    if (strcmp(e->name.text, "floordiv") == 0)
        return eval_floor(it, a, b, false);
    if (strcmp(e->name.text, "floormod") == 0)
        return eval_floor(it, a, b, true);
    struct rtype t = a.type.is_float ? a.type : b.type;
    if (t.is_float)
        return interp_float_extreme(interp_to_float(a, t), interp_to_float(b, t),
                                    strcmp(e->name.text, "min") == 0);
    return choose(it, a, b, (strcmp(e->name.text, "min") == 0) == (a.v < b.v));
}

static struct interp_value eval_select(struct interp *it, const struct expr *e) {
    bool first = interp_eval(it, e->args[0]).v != 0;
    struct interp_value a = interp_eval(it, e->args[1]);
    return choose(it, a, interp_eval(it, e->args[2]), first);
}

/* clamp(x, low, high) is min(max(x, low), high). */
static struct interp_value eval_clamp(struct interp *it, const struct expr *e) {
    struct interp_value a = interp_eval(it, e->args[0]), b = interp_eval(it, e->args[1]);
    a = choose(it, a, b, a.v > b.v);
    b = interp_eval(it, e->args[2]);
    return choose(it, a, b, a.v < b.v);
}

static struct interp_value eval_power(struct interp *it, const struct expr *e) {
    struct interp_value x = interp_eval(it, e->args[0]), n = interp_eval(it, e->args[1]);
    uint64_t product = 1, square = (uint64_t)x.v;
    for (uint64_t k = (uint64_t)n.v; k; k >>= 1, square *= square)
        product = k & 1 ? product * square : product;
    return interp_typed(product & rtype_mask(x.type), x.type);
}

static bool is_pair(const char *name) {
    static const char *const pairs[] = {"min", "max", "floordiv", "floormod"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(name, pairs[i]) == 0)
            return true;
    return false;
}

/* index(d): the place along a dimension of the group's own. */
static struct interp_value eval_place(struct interp *it, const struct expr *e) {
    const struct interp_group *g = it->group;
    uint32_t d = (uint32_t)interp_eval(it, e->args[0]).v + (g && g->on_grid ? it->grid.ndim : 0);
    uint64_t place = it->element;
    if (!g || d >= g->ndim)
        interp_fail(it, "there is no dimension to count");
    for (uint32_t k = g ? g->ndim : 0; k-- > d + 1;)
        place /= g->shape[k];
    return cut(g && d < g->ndim ? (ez_number)(place % g->shape[d]) : 0, (struct rtype){.bits = 64});
}

static struct interp_value eval_call(struct interp *it, const struct expr *e) {
    struct rtype t;
    if (interp_type(it, e->name.text, &t))
        return eval_cast(it, e, t);
    if (is_pair(e->name.text) && e->arg_count == 2)
        return eval_pair(it, e);
    if (strcmp(e->name.text, "select") == 0 && e->arg_count == 3)
        return eval_select(it, e);
    if (strcmp(e->name.text, "clamp") == 0 && e->arg_count == 3)
        return eval_clamp(it, e);
    if (strcmp(e->name.text, "ipow") == 0 && e->arg_count == 2)
        return eval_power(it, e);
    if (strcmp(e->name.text, "popc") == 0 && e->arg_count == 1)
        return eval_popc(it, e);
    if (strcmp(e->name.text, "index") == 0 && e->arg_count == 0)
        return cut((ez_number)it->element, (struct rtype){.bits = 64});
    if (strcmp(e->name.text, "index") == 0 && e->arg_count == 1)
        return eval_place(it, e);
    if (strcmp(e->name.text, "count") == 0 && e->arg_count == 1 && it->grid.name &&
        e->args[0]->name.text == it->grid.name)
        return interp_number((ez_number)it->grid.elements);
    struct interp_value length;
    if (interp_length(it, e, &length))
        return length;
    const struct interp_binding *b = interp_find(it, e->name.text);
    if (b && b->kind == BOUND_SUB)
        return interp_call(it, b->sub, e);
    interp_fail(it, "`%s` is no function", e->name.text);
    return interp_number(0);
}

static struct interp_value read_cell(struct interp *it, const struct expr *e) {
    struct rtype t;
    const struct interp_cell *c = interp_place(it, e, &t);
    if (!c)
        return interp_number(0);
    if (!c->written)
        interp_fail(it, "`%s` is read before it is written", e->name.text);
    return interp_typed(c->pattern, t);
}

/* Entry i mod 2^k; beyond the table 0. */
static struct interp_value eval_table(struct interp *it, const struct interp_binding *b,
                                      const struct expr *e) {
    struct interp_value i = interp_eval(it, e->args[0]);
    struct rtype t = b->number.type;
    ez_number size = 1;
    while (size < b->count)
        size *= 2;
    i.v &= size - 1;
    if (i.v >= b->count)
        return interp_typed(0, t);
    struct interp_value v = interp_eval(it, b->table->args[i.v]);
    return interp_typed(interp_as(it, v, t), t);
}

static struct interp_value eval_name(struct interp *it, const struct expr *e) {
    const struct interp_binding *b = interp_find(it, e->name.text);
    if (b && b->kind == BOUND_NUMBER)
        return b->number;
    if (b && b->kind == BOUND_TABLE && e->kind == EXPR_INDEX)
        return eval_table(it, b, e);
    return read_cell(it, e);
}

struct interp_value interp_eval(struct interp *it, const struct expr *e) {
    if (!interp_step(it))
        return interp_number(0);
    switch (e->kind) {
    case EXPR_NUMBER:
        return interp_number(e->number);
    case EXPR_REAL:
        return (struct interp_value){.real = e->name.text};
    case EXPR_BOOL:
        return boolean(e->number != 0);
    case EXPR_NAME:
    case EXPR_INDEX:
        return eval_name(it, e);
    case EXPR_UNARY:
        return eval_unary(it, e);
    case EXPR_BINARY:
        return eval_binary(it, e);
    case EXPR_CALL:
        return eval_call(it, e);
    default:
        interp_fail(it, "no expression");
        return interp_number(0);
    }
}

bool interp_true(struct interp *it, const struct expr *e) {
    struct interp_value v = interp_eval(it, e);
    if (v.is_number || !v.type.is_bool)
        interp_fail(it, "a condition is no bool");
    return v.v != 0;
}
