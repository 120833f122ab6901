/* SPDX-License-Identifier: MIT */
#include "tests/ezpim/expr.h"

#include "support/ieee.h"

#include <stdio.h>
#include <string.h>

uint64_t rng_next(struct rng *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u); /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t rng_below(struct rng *r, uint32_t n) {
    return (uint32_t)(rng_next(r) % n);
}

void rtype_text(struct rtype t, struct str *s) {
    if (t.is_bool)
        str_append(s, "bool");
    else
        str_printf(s, "%c%u", t.is_float ? 'f' : t.is_signed ? 'i' : 'u', t.bits);
}

struct rtype rtype_random(struct rng *r) {
    static const unsigned usual[] = {8, 16, 32, 64};
    if (rng_below(r, 8) == 0)
        return (struct rtype){.is_bool = true, .bits = 1};
    bool is_signed = rng_below(r, 2);
    unsigned low = is_signed ? 2 : 1;
    unsigned bits = rng_below(r, 2) ? usual[rng_below(r, 4)] : low + rng_below(r, 65 - low);
    return (struct rtype){.is_signed = is_signed, .bits = bits};
}

/* Mostly a number whose size is near 1, so that sums and products stay numbers. */
static uint64_t float_pattern(struct rng *r, unsigned bits) {
    const struct ieee_format f = ieee_binary(bits);
    uint64_t v = rng_next(r), exponent = (1u << (f.exponent_bits - 1)) - 5 + rng_below(r, 10);
    if (rng_below(r, 12) == 0)
        return v & rtype_mask((struct rtype){.bits = bits});
    return (v & 1) << (bits - 1) | exponent << f.fraction_bits |
           (v >> 1 & (((uint64_t)1 << f.fraction_bits) - 1));
}

uint64_t rtype_pattern(struct rng *r, struct rtype t) {
    if (t.is_float)
        return float_pattern(r, t.bits);
    uint64_t v = rng_next(r);
    switch (rng_below(r, 4)) {
    case 0:
        v = rng_below(r, 4);
        break;
    case 1:
        v = UINT64_MAX - rng_below(r, 4);
        break;
    case 2:
        v = (uint64_t)1 << (t.bits - 1);
        break;
    default:
        break;
    }
    return v & rtype_mask(t);
}

mpu_type rtype_storage(struct rtype t, unsigned *bytes) {
    unsigned k = t.bits <= 8 ? 0 : t.bits <= 16 ? 1 : t.bits <= 32 ? 2 : 3;
    *bytes = 1u << k;
    if (t.is_float)
        return (mpu_type)(MPU_F16 + (int)k - 1);
    return t.is_bool ? MPU_BOOL : (mpu_type)((t.is_signed ? MPU_I8 : MPU_U8) + (int)k);
}

uint64_t rtype_mask(struct rtype t) {
    return t.bits == 64 ? UINT64_MAX : ((uint64_t)1 << t.bits) - 1;
}

int64_t rtype_signed(uint64_t v, unsigned bits) {
    if (bits < 64 && (v >> (bits - 1) & 1))
        v |= ~(uint64_t)0 << bits;
    return (int64_t)v;
}

uint64_t rtype_widen(uint64_t v, struct rtype from, struct rtype to) {
    if (from.is_signed)
        v = (uint64_t)rtype_signed(v, from.bits);
    return v & rtype_mask(to);
}

static struct rnode *new_node(struct rcontext *c, enum rkind kind, struct rtype t) {
    struct rnode *n = &c->pool[c->pool_used++];
    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->type = n->operand = t;
    return n;
}

/* A variable that may stand where a T is wanted: its type, or a narrower one of the same sign. */
static struct rnode *random_variable(struct rcontext *c, struct rtype t) {
    unsigned start = rng_below(c->rng, c->var_count);
    for (unsigned i = 0; i < c->var_count; i++) {
        unsigned v = (start + i) % c->var_count;
        struct rtype have = c->vars[v].type;
        if (!c->vars[v].known || have.is_bool != t.is_bool || have.is_signed != t.is_signed ||
            have.bits > t.bits)
            continue;
        struct rnode *n = new_node(c, R_VAR, have);
        n->var = v;
        return n;
    }
    return NULL;
}

static bool number_fits(int64_t v, struct rtype t) {
    if (!t.is_signed)
        return v >= 0 && (uint64_t)v <= rtype_mask(t);
    return v == rtype_signed((uint64_t)v & rtype_mask(t), t.bits);
}

/* A loop's counter, or a sum with it, where its values fit. */
static bool random_counter(struct rcontext *c, struct rnode *n, struct rtype t) {
    if (!c->counter_count || t.is_bool || rng_below(c->rng, 3) == 0)
        return false;
    const struct rcounter *k = &c->counters[rng_below(c->rng, c->counter_count)];
    int more = (int)rng_below(c->rng, 4);
    if (!number_fits(k->low, t) || !number_fits(k->high + more, t) || !number_fits(more, t))
        return false;
    if (more)
        snprintf(n->counter, sizeof n->counter, "(%s + %d)", k->name, more);
    else
        snprintf(n->counter, sizeof n->counter, "%s", k->name);
    return true;
}

static struct rnode *random_literal(struct rcontext *c, struct rtype t) {
    struct rnode *n = new_node(c, R_LITERAL, t);
    if (random_counter(c, n, t))
        return n;
    unsigned shift = rng_below(c->rng, 64);
    uint64_t v = rng_next(c->rng) >> shift & rtype_mask(t) & INT64_MAX;
    n->literal = t.is_signed ? rtype_signed(v, t.bits) : (int64_t)v;
    return n;
}

/* A typed leaf: a variable, or any other variable or constant under a cast. */
static struct rnode *random_leaf(struct rcontext *c, struct rtype t) {
    struct rnode *n = random_variable(c, t);
    if (n && rng_below(c->rng, 4))
        return n;
    if (t.is_bool) {
        n = new_node(c, R_LITERAL, t);
        n->literal = rng_below(c->rng, 2);
        return n;
    }
    n = new_node(c, R_CAST, t);
    unsigned v = rng_below(c->rng, c->var_count);
    if (c->vars[v].known && rng_below(c->rng, 4)) {
        n->args[0] = new_node(c, R_VAR, c->vars[v].type);
        n->args[0]->var = v;
    } else {
        n->args[0] = random_literal(c, t);
    }
    return n;
}

static struct rtype narrower(struct rcontext *c, struct rtype t) {
    unsigned low = t.is_signed ? 2 : 1;
    if (!t.is_bool && rng_below(c->rng, 3) == 0 && t.bits > low)
        t.bits = low + rng_below(c->rng, t.bits - low + 1);
    return t;
}

/* Two operands of which at least one has the type t; the other may be narrower or a number. */
static void random_pair(struct rcontext *c, struct rnode *n, struct rtype t, unsigned depth) {
    unsigned full = rng_below(c->rng, 2);
    n->args[full] = new_node(c, R_CAST, t); /* a cast makes sure of the type */
    n->args[full]->args[0] = rnode_random(c, t, depth);
    if (n->args[full]->args[0]->kind != R_LITERAL && n->args[full]->args[0]->type.bits == t.bits)
        n->args[full] = n->args[full]->args[0];
    if (!t.is_bool && rng_below(c->rng, 4) == 0)
        n->args[!full] = random_literal(c, t);
    else
        n->args[!full] = rnode_random(c, narrower(c, t), depth);
}

static struct rnode *random_bool(struct rcontext *c, unsigned depth) {
    static const enum rkind logic[] = {R_ALL, R_ANY, R_AND, R_OR, R_XOR, R_EQ, R_NE};
    struct rtype b = {.is_bool = true, .bits = 1};
    unsigned choice = rng_below(c->rng, 8);
    if (choice == 0) {
        struct rnode *n = new_node(c, R_NOT, b);
        n->args[0] = rnode_random(c, b, depth);
        return n;
    }
    if (choice < 4) {
        struct rnode *n = new_node(c, logic[rng_below(c->rng, 7)], b);
        n->args[0] = rnode_random(c, b, depth);
        n->args[1] = rnode_random(c, b, depth);
        return n;
    }
    struct rtype t = rtype_random(c->rng);
    if (t.is_bool)
        t = (struct rtype){.is_signed = true, .bits = 12};
    struct rnode *n = new_node(c, (enum rkind)(R_EQ + rng_below(c->rng, 6)), b);
    n->operand = t;
    random_pair(c, n, t, depth);
    return n;
}

static struct rnode *random_shift(struct rcontext *c, struct rtype t, unsigned depth) {
    struct rnode *n = new_node(c, rng_below(c->rng, 2) ? R_SHL : R_SHR, t);
    n->args[0] = rnode_random(c, t, depth);
    n->type = n->args[0]->type;
    if (n->args[0]->kind == R_LITERAL) { /* a bare number has no type of its own */
        n->args[0] = random_leaf(c, t);
        n->type = n->args[0]->type;
    }
    if (c->all_operations && rng_below(c->rng, 2)) {
        struct rtype count = {.bits = 1 + rng_below(c->rng, 12)};
        n->args[1] = new_node(c, R_CAST, count);
        n->args[1]->args[0] = rnode_random(c, count, depth);
    } else {
        n->args[1] = new_node(c, R_LITERAL, (struct rtype){.bits = 7});
        n->args[1]->literal =
            rng_below(c->rng, 4) ? rng_below(c->rng, t.bits + 1) : rng_below(c->rng, 100);
    }
    return n;
}

/* A subroutine whose value may stand where a T is wanted, or NULL. */
static struct rnode *random_function(struct rcontext *c, struct rtype t, unsigned depth) {
    unsigned start = c->function_count ? rng_below(c->rng, c->function_count) : 0;
    for (unsigned i = 0; c->calls && i < c->function_count; i++) {
        unsigned f = (start + i) % c->function_count;
        const struct rfunction *s = &c->functions[f];
        if (s->result.is_bool != t.is_bool || s->result.is_signed != t.is_signed ||
            s->result.bits > t.bits)
            continue;
        struct rnode *n = new_node(c, R_CALL, s->result);
        c->calls--;
        n->var = f;
        for (unsigned k = 0; k < s->param_count; k++)
            n->args[k] = rnode_random(c, s->params[k], depth);
        return n;
    }
    return NULL;
}

/* A variable that holds what no compiler knows: constants and elements of tables begin with a
 * capital letter. */
static unsigned random_unknown(struct rcontext *c) {
    unsigned start = rng_below(c->rng, c->var_count);
    for (unsigned i = 0; i < c->var_count; i++) {
        unsigned v = (start + i) % c->var_count;
        if (c->vars[v].known && c->vars[v].name[0] >= 'a')
            return v;
    }
    return R_MAX_VARS;
}

/* An entry of the table where a T is wanted, or NULL.  An index that is no constant may be any
 * number; two bits are always in the table. */
static struct rnode *random_table(struct rcontext *c, struct rtype t, unsigned depth) {
    static const struct rtype two = {.bits = 2};
    struct rtype x = rtype_random(c->rng), own = c->table.type;
    unsigned v = random_unknown(c);
    if (!c->table.name[0] || own.is_signed != t.is_signed || own.bits > t.bits)
        return NULL;
    struct rnode *n = new_node(c, R_TABLE, own);
    if (v == R_MAX_VARS || x.is_bool || rng_below(c->rng, 3) == 0) {
        n->args[0] = new_node(c, R_CAST, two);
        n->args[0]->args[0] = rnode_random(c, two, depth);
        return n;
    }
    n->args[0] = new_node(c, R_ADD, x);
    for (unsigned i = 0; i < 2; i++)
        n->args[0]->args[i] = new_node(c, R_CAST, x);
    n->args[0]->args[0]->args[0] = new_node(c, R_VAR, c->vars[v].type);
    n->args[0]->args[0]->args[0]->var = v;
    n->args[0]->args[1]->args[0] = rnode_random(c, x, depth);
    return n;
}

/* ipow, by a number or by data of a few bits. */
static struct rnode *random_power(struct rcontext *c, struct rtype t, unsigned depth) {
    static const struct rtype few = {.bits = 2};
    struct rnode *n = new_node(c, R_POW, t);
    n->args[0] = new_node(c, R_CAST, t);
    n->args[0]->args[0] = rnode_random(c, t, depth);
    n->literal = rng_below(c->rng, 6);
    if (rng_below(c->rng, 3) == 0) {
        n->args[1] = new_node(c, R_CAST, few);
        n->args[1]->args[0] = rnode_random(c, few, depth);
    }
    return n;
}

static struct rnode *random_call(struct rcontext *c, struct rtype t, unsigned depth) {
    struct rnode *n = rng_below(c->rng, 2) ? random_function(c, t, depth) : NULL;
    if (!n && rng_below(c->rng, 3) == 0)
        n = random_table(c, t, depth);
    if (n)
        return n;
    switch (rng_below(c->rng, 9) / 2) {
    case 4:
        return random_power(c, t, depth);
    case 0:
        n = new_node(c, R_SELECT, t);
        n->args[2] = rnode_random(c, (struct rtype){.is_bool = true, .bits = 1}, depth);
        random_pair(c, n, t, depth);
        return n;
    case 1:
        n = new_node(c, R_POPC, t);
        n->args[0] = new_node(c, R_CAST, t);
        n->args[0]->args[0] = rnode_random(c, t, depth);
        return n;
    case 2: {
        struct rtype from = rtype_random(c->rng);
        n = new_node(c, R_CAST, t);
        n->args[0] = rnode_random(c, from, depth);
        return n;
    }
    default:
        n = new_node(c, rng_below(c->rng, 2) ? R_MIN : R_MAX, t);
        random_pair(c, n, t, depth);
        return n;
    }
}

static struct rnode *random_number(struct rcontext *c, struct rtype t, unsigned depth) {
    static const enum rkind usual[] = {R_ADD, R_SUB, R_MUL, R_AND, R_OR, R_XOR, R_DIV, R_REM};
    unsigned choice = rng_below(c->rng, 10);
    struct rnode *n;
    if (choice == 0) {
        n = new_node(c, rng_below(c->rng, 2) ? R_NEG : R_INVERT, t);
        n->args[0] = random_leaf(c, t);
        n->type = n->args[0]->type;
        return n;
    }
    if (choice <= 2)
        return random_shift(c, t, depth);
    if (choice <= 5)
        return random_call(c, t, depth);
    n = new_node(c, usual[rng_below(c->rng, c->all_operations ? 8 : 6)], t);
    random_pair(c, n, t, depth);
    return n;
}

struct rnode *rnode_random(struct rcontext *c, struct rtype t, unsigned depth) {
    if (depth == 0 || c->pool_used + 64 > c->pool_size || rng_below(c->rng, 6) == 0)
        return random_leaf(c, t);
    return t.is_bool ? random_bool(c, depth - 1) : random_number(c, t, depth - 1);
}

/* Python's levels, loosest first; && and || stand where `and` and `or` do. */
static unsigned level(enum rkind k) {
    switch (k) {
    case R_ANY:
        return 1;
    case R_ALL:
        return 2;
    case R_EQ:
    case R_NE:
    case R_LT:
    case R_LE:
    case R_GT:
    case R_GE:
        return 3;
    case R_OR:
        return 4;
    case R_XOR:
        return 5;
    case R_AND:
        return 6;
    case R_SHL:
    case R_SHR:
        return 7;
    case R_ADD:
    case R_SUB:
        return 8;
    case R_MUL:
    case R_DIV:
    case R_REM:
        return 9;
    case R_NEG:
    case R_INVERT:
    case R_NOT:
        return 10;
    default:
        return 11;
    }
}

static void child_text(const struct rcontext *c, const struct rnode *n, unsigned least,
                       struct str *s) {
    bool negative = n->kind == R_LITERAL && n->literal < 0;
    bool parens = (negative ? 10 : level(n->kind)) < least;
    if (parens)
        str_char(s, '(');
    rnode_text(c, n, s);
    if (parens)
        str_char(s, ')');
}

static void call_text(const struct rcontext *c, const char *name, struct rnode *const *args,
                      unsigned count, struct str *s) {
    str_printf(s, "%s(", name);
    for (unsigned i = 0; i < count; i++) {
        str_append(s, i ? ", " : "");
        rnode_text(c, args[i], s);
    }
    str_char(s, ')');
}

/* (c ? a : b) */
static void choice_text(const struct rcontext *c, struct rnode *const *select, struct str *s) {
    static const char *const between[] = {"((", ") ? ", " : "};
    for (unsigned i = 0; i < 3; i++) {
        str_append(s, between[i]);
        rnode_text(c, select[i], s);
    }
    str_char(s, ')');
}

/* Some of those that are characters. */
static void power_text(const struct rcontext *c, const struct rnode *n, struct str *s) {
    if (n->args[1]) {
        call_text(c, "ipow", n->args, 2, s);
        return;
    }
    str_append(s, "ipow(");
    rnode_text(c, n->args[0], s);
    str_printf(s, ", %llu)", (unsigned long long)n->literal);
}

static bool is_character(const struct rnode *n) {
    return n->literal > ' ' && n->literal < 127 && n->literal % 3 == 0 && n->literal != '\'' &&
           n->literal != '\\';
}

static void literal_text(const struct rnode *n, struct str *s) {
    if (n->counter[0])
        str_append(s, n->counter);
    else if (n->type.is_bool)
        str_append(s, n->literal ? "true" : "false");
    else if (n->literal < 0)
        str_printf(s, "-%llu", 0 - (unsigned long long)n->literal);
    else if (is_character(n))
        str_printf(s, "'%c'", (int)n->literal);
    else
        str_printf(s, "%llu", (unsigned long long)n->literal);
}

void rnode_text(const struct rcontext *c, const struct rnode *n, struct str *s) {
    static const char *const operators[] = {
        [R_NEG] = "-", [R_INVERT] = "~", [R_NOT] = "!",  [R_ADD] = "+", [R_SUB] = "-",
        [R_MUL] = "*", [R_DIV] = "/",    [R_REM] = "%",  [R_AND] = "&", [R_OR] = "|",
        [R_XOR] = "^", [R_SHL] = "<<",   [R_SHR] = ">>", [R_EQ] = "==", [R_NE] = "!=",
        [R_LT] = "<",  [R_LE] = "<=",    [R_GT] = ">",   [R_GE] = ">=", [R_ALL] = "&&",
        [R_ANY] = "||"};
    struct rnode *const select[] = {n->args[2], n->args[0], n->args[1]};
    struct rnode *const clamped[] = {n->args[0] ? n->args[0]->args[0] : NULL,
                                     n->args[0] ? n->args[0]->args[1] : NULL, n->args[1]};
    unsigned own = level(n->kind);
    switch (n->kind) {
    case R_VAR:
        str_append(s, c->vars[n->var].name);
        return;
    case R_LITERAL:
        literal_text(n, s);
        return;
    case R_CAST:
        rtype_text(n->type, s);
        call_text(c, "", n->args, 1, s);
        return;
    case R_POPC:
        call_text(c, "popc", n->args, 1, s);
        return;
    case R_MIN:
        if (n->args[0]->kind == R_MAX)
            call_text(c, "clamp", clamped, 3, s);
        else
            call_text(c, "min", n->args, 2, s);
        return;
    case R_MAX:
        call_text(c, "max", n->args, 2, s);
        return;
    case R_POW:
        power_text(c, n, s);
        return;
    case R_SELECT:
        if (n->args[0]->kind % 2)
            choice_text(c, select, s);
        else
            call_text(c, "select", select, 3, s);
        return;
    case R_CALL:
        call_text(c, c->functions[n->var].name, n->args, c->functions[n->var].param_count, s);
        return;
    case R_TABLE:
        str_printf(s, "%s[", c->table.name);
        rnode_text(c, n->args[0], s);
        str_char(s, ']');
        return;
    case R_NEG:
    case R_INVERT:
    case R_NOT:
        str_append(s, operators[n->kind]);
        child_text(c, n->args[0], 10, s);
        return;
    default:
        break;
    }
    bool compares = own == 3; /* comparisons do not chain */
    child_text(c, n->args[0], compares ? 4 : own, s);
    str_printf(s, " %s ", operators[n->kind]);
    child_text(c, n->args[1], own + 1, s);
}

static uint64_t divide(uint64_t a, uint64_t b, struct rtype t, bool remainder) {
    uint64_t mask = rtype_mask(t);
    if (b == 0)
        return remainder ? a : mask;
    if (!t.is_signed)
        return remainder ? a % b : a / b;
    int64_t x = rtype_signed(a, t.bits), y = rtype_signed(b, t.bits);
    if (y == -1)
        return remainder ? 0 : (0 - a) & mask;
    return (uint64_t)(remainder ? x % y : x / y) & mask;
}

static bool less(uint64_t a, uint64_t b, struct rtype t) {
    return t.is_signed ? rtype_signed(a, t.bits) < rtype_signed(b, t.bits) : a < b;
}

static uint64_t shift(enum rkind kind, uint64_t a, uint64_t count, struct rtype t) {
    if (kind == R_SHL)
        return count >= t.bits ? 0 : a << count & rtype_mask(t);
    if (t.is_signed)
        return (uint64_t)(rtype_signed(a, t.bits) >> (count >= t.bits ? t.bits - 1 : count)) &
               rtype_mask(t);
    return count >= t.bits ? 0 : a >> count;
}

static uint64_t binary(enum rkind kind, uint64_t a, uint64_t b, struct rtype t) {
    switch (kind) {
    case R_ADD:
        return a + b;
    case R_SUB:
        return a - b;
    case R_MUL:
        return a * b;
    case R_DIV:
        return divide(a, b, t, false);
    case R_REM:
        return divide(a, b, t, true);
    case R_AND:
    case R_ALL:
        return a & b;
    case R_OR:
    case R_ANY:
        return a | b;
    case R_XOR:
        return a ^ b;
    case R_EQ:
        return a == b;
    case R_NE:
        return a != b;
    case R_LT:
        return less(a, b, t);
    case R_LE:
        return !less(b, a, t);
    case R_GT:
        return less(b, a, t);
    case R_GE:
        return !less(a, b, t);
    case R_MIN:
        return less(a, b, t) ? a : b;
    default:
        return less(a, b, t) ? b : a; /* R_MAX */
    }
}

static uint64_t power(uint64_t x, uint64_t n) {
    uint64_t product = 1;
    while (n-- > 0)
        product *= x;
    return product;
}

static uint64_t popcount(uint64_t v) {
    uint64_t n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}

static uint64_t value_as(const struct rcontext *c, const struct rnode *n, struct rtype t,
                         const uint64_t *values) {
    uint64_t v = rnode_value(c, n, values);
    return n->kind == R_LITERAL ? v & rtype_mask(t) : rtype_widen(v, n->type, t);
}

static uint64_t cast(const struct rcontext *c, const struct rnode *n, const uint64_t *values) {
    const struct rnode *a = n->args[0];
    return value_as(c, a, n->type, values);
}

uint64_t rnode_value(const struct rcontext *c, const struct rnode *n, const uint64_t *values) {
    uint64_t mask = rtype_mask(n->type);
    switch (n->kind) {
    case R_VAR:
        return values[n->var];
    case R_LITERAL:
        return (uint64_t)n->literal; /* exact: reduced where it is used */
    case R_CAST:
        return cast(c, n, values);
    case R_NEG:
        return (0 - value_as(c, n->args[0], n->type, values)) & mask;
    case R_INVERT:
        return ~value_as(c, n->args[0], n->type, values) & mask;
    case R_NOT:
        return !value_as(c, n->args[0], n->type, values);
    case R_POW:
        return mask & power(value_as(c, n->args[0], n->type, values),
                            n->args[1] ? rnode_value(c, n->args[1], values) : (uint64_t)n->literal);
    case R_POPC:
        return popcount(value_as(c, n->args[0], n->type, values)) & mask;
    case R_SELECT: {
        bool first = value_as(c, n->args[2], (struct rtype){.is_bool = true, .bits = 1}, values);
        return value_as(c, n->args[first ? 0 : 1], n->type, values);
    }
    case R_SHL:
    case R_SHR:
        return shift(n->kind, value_as(c, n->args[0], n->type, values),
                     rnode_value(c, n->args[1], values), n->type);
    default:
        return binary(n->kind, value_as(c, n->args[0], n->operand, values),
                      value_as(c, n->args[1], n->operand, values), n->operand) &
               mask;
    }
}
