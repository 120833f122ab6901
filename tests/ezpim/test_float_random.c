/* SPDX-License-Identifier: MIT
 * Random programs with floating point: what they give in each lane is worked out here, over their
 * syntax and with support/ieee.h, and compared bit by bit, what is no number included. */
#include "support/bits.h"
#include "support/ieee.h"
#include "support/ieee_text.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum kind { KIND_BOOL, KIND_UINT, KIND_INT, KIND_FLOAT };
struct type {
    const char *name;
    enum kind kind;
    unsigned bits;
    struct ieee_format format;
    mpu_type array;
};
static const struct type types[] = {
    {"f16", KIND_FLOAT, 16, {5, 10, false, IEEE_NEAREST}, MPU_F16},
    {"f32", KIND_FLOAT, 32, {8, 23, false, IEEE_NEAREST}, MPU_F32},
    {"bf16", KIND_FLOAT, 16, {8, 7, false, IEEE_NEAREST}, MPU_BF16},
    {"u16", KIND_UINT, 16, {0, 0, false, IEEE_NEAREST}, MPU_U16},
    {"i32", KIND_INT, 32, {0, 0, false, IEEE_NEAREST}, MPU_I32},
    {"u8", KIND_UINT, 8, {0, 0, false, IEEE_NEAREST}, MPU_U8},
    {"i16", KIND_INT, 16, {0, 0, false, IEEE_NEAREST}, MPU_I16},
    {"bool", KIND_BOOL, 1, {0, 0, false, IEEE_NEAREST}, MPU_BOOL},
    {"f64", KIND_FLOAT, 64, {11, 52, false, IEEE_NEAREST}, MPU_F64},
    {"u64", KIND_UINT, 64, {0, 0, false, IEEE_NEAREST}, MPU_U64},
    {"i64", KIND_INT, 64, {0, 0, false, IEEE_NEAREST}, MPU_I64},
};
/* Those behind NARROW have no room on machines. */
enum { TYPES = sizeof types / sizeof *types, NARROW = 8, FLOATS = 3, INPUTS = 4, LANES = 40 };
static const struct type *const boolean = &types[NARROW - 1], *const double_precision =
                                                                  &types[NARROW];

/* ---- expressions ---- */

enum op {
    OP_LITERAL, /* text */
    OP_NAME,    /* variable */
    OP_CAST,
    OP_PATTERN,
    OP_NEGATE,
    OP_CALL, /* name: of one argument or two */
    OP_SELECT,
    OP_PLUS,
    OP_MINUS,
    OP_TIMES,
    OP_DIVIDE,
    OP_BOTH, /* & and && */
    OP_NOT_SO,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_AT_MOST,
    OP_MORE,
    OP_AT_LEAST,
};

struct node {
    enum op op;
    const struct type *type;
    const char *name; /* of a call; the text of a literal */
    uint32_t variable;
    struct node *args[3];
    uint32_t count;
};

/* Inputs, locals, outputs; each lane has a value of each. */
struct name {
    char text[8];
    const struct type *type;
};

struct generator {
    struct rng rng;
    struct arena arena;
    struct str text;
    struct name names[64];
    uint32_t name_count, depth;
    uint32_t types;
};

static struct node *make(struct generator *g, enum op op, const struct type *type) {
    struct node *n = ARENA_NEW(&g->arena, struct node);
    n->op = op;
    n->type = type;
    return n;
}

static struct node *parent(struct generator *g, enum op op, const struct type *type, struct node *a,
                           struct node *b) {
    struct node *n = make(g, op, type);
    n->args[n->count++] = a;
    if (b)
        n->args[n->count++] = b;
    return n;
}

static struct node *expression(struct generator *g, const struct type *type, unsigned depth);

static struct node *literal(struct generator *g, const struct type *type) {
    static const char *const reals[] = {"0.1", "1.5",     "2",    "3e-3", "0.0",
                                        "inf", "6.25e-5", "1e-7", "nan",  "255"};
    static const char *const whole[] = {"0", "1", "7", "100"};
    struct node *n = make(g, OP_LITERAL, type);
    n->name = type->kind == KIND_FLOAT  ? reals[rng_below(&g->rng, 10)]
              : type->kind == KIND_BOOL ? (rng_below(&g->rng, 2) ? "true" : "false")
                                        : whole[rng_below(&g->rng, 4)];
    return n;
}

static struct node *leaf(struct generator *g, const struct type *type) {
    for (unsigned tries = 0; tries < 12; tries++) {
        uint32_t k = rng_below(&g->rng, g->name_count);
        if (g->names[k].type != type)
            continue;
        struct node *n = make(g, OP_NAME, type);
        n->variable = k;
        return n;
    }
    return literal(g, type);
}

static const struct type *any_float(struct generator *g) {
    uint32_t k = rng_below(&g->rng, g->types == TYPES ? FLOATS + 1 : FLOATS);
    return k == FLOATS ? double_precision : &types[k];
}

static struct node *call(struct generator *g, const struct type *type, const char *name,
                         struct node *a, struct node *b) {
    struct node *n = parent(g, OP_CALL, type, a, b);
    n->name = name;
    return n;
}

static struct node *cast(struct generator *g, const struct type *to, unsigned depth) {
    const struct type *from = &types[rng_below(&g->rng, g->types)];
    bool same =
        from->kind == KIND_FLOAT && to->kind == KIND_FLOAT && from != to && from->bits == to->bits;
    if (from->bits == to->bits && from != to && !same && rng_below(&g->rng, 2) &&
        from->kind != KIND_BOOL && to->kind != KIND_BOOL)
        return parent(g, OP_PATTERN, to, expression(g, from, depth), NULL);
    return parent(g, OP_CAST, to, expression(g, from, depth), NULL);
}

static struct node *float_expression(struct generator *g, const struct type *type, unsigned depth) {
    static const char *const unary[] = {"abs", "sqrt", "floor", "ceil", "trunc", "rint"};
    unsigned k = rng_below(&g->rng, 12);
    struct node *a = expression(g, type, depth);
    if (k < 5)
        return parent(g, (enum op)(OP_PLUS + k % 4), type, a, expression(g, type, depth));
    if (k == 5)
        return parent(g, OP_NEGATE, type, a, NULL);
    if (k == 6)
        return call(g, type, rng_below(&g->rng, 2) ? "min" : "max", a, expression(g, type, depth));
    if (k < 9)
        return call(g, type, unary[rng_below(&g->rng, 6)], a, NULL);
    if (k == 9)
        return a;
    struct node *n = make(g, OP_SELECT, type);
    n->args[0] = expression(g, boolean, depth);
    n->args[1] = a;
    n->args[2] = expression(g, type, depth);
    n->count = 3;
    return n;
}

static struct node *bool_expression(struct generator *g, unsigned depth) {
    static const char *const classes[] = {"isnan", "isinf", "isfinite", "signbit"};
    const struct type *type = any_float(g);
    unsigned k = rng_below(&g->rng, 10);
    if (k < 6)
        return parent(g, OP_EQUAL + k, boolean, expression(g, type, depth),
                      expression(g, type, depth));
    if (k == 6)
        return parent(g, OP_NOT_SO, boolean, expression(g, boolean, depth), NULL);
    if (k == 7)
        return call(g, boolean, classes[rng_below(&g->rng, 4)], expression(g, type, depth), NULL);
    return parent(g, OP_BOTH, boolean, expression(g, boolean, depth),
                  expression(g, boolean, depth));
}

static struct node *expression(struct generator *g, const struct type *type, unsigned depth) {
    if (depth == 0 || !rng_below(&g->rng, 6))
        return leaf(g, type);
    depth--;
    if (type->kind != KIND_BOOL && !rng_below(&g->rng, 4))
        return cast(g, type, depth);
    if (type->kind == KIND_FLOAT)
        return float_expression(g, type, depth);
    if (type->kind == KIND_BOOL)
        return bool_expression(g, depth);
    static const uint8_t ops[] = {OP_PLUS, OP_MINUS, OP_TIMES, OP_BOTH};
    return parent(g, ops[rng_below(&g->rng, 4)], type, expression(g, type, depth),
                  expression(g, type, depth));
}

/* True if it has a type of its own. */
static bool is_typed(const struct node *n) {
    if (n->op == OP_LITERAL)
        return n->type->kind == KIND_BOOL;
    bool passes = n->op == OP_NEGATE || (n->op >= OP_PLUS && n->op <= OP_BOTH) ||
                  n->op == OP_SELECT || (n->op == OP_CALL && n->type->kind == KIND_FLOAT);
    bool typed = !passes;
    for (uint32_t i = n->op == OP_SELECT; passes && i < n->count; i++)
        typed |= is_typed(n->args[i]);
    return typed;
}

static void put(struct generator *g, const struct node *n, bool typed);

static void put_operands(struct generator *g, const struct node *n) {
    static const char *const signs[] = {
        [OP_PLUS] = "+",   [OP_MINUS] = "-",    [OP_TIMES] = "*", [OP_DIVIDE] = "/",
        [OP_EQUAL] = "==", [OP_UNEQUAL] = "!=", [OP_LESS] = "<",  [OP_AT_MOST] = "<=",
        [OP_MORE] = ">",   [OP_AT_LEAST] = ">="};
    const char *sign = n->op == OP_BOTH ? (n->type == boolean ? "&&" : "&") : signs[n->op];
    str_append(&g->text, "(");
    put(g, n->args[0], !is_typed(n->args[1]));
    str_printf(&g->text, " %s ", sign);
    put(g, n->args[1], false);
    str_append(&g->text, ")");
}

static void put_arguments(struct generator *g, const struct node *n) {
    static const char *const words[] = {[OP_CAST] = "", [OP_PATTERN] = "as_", [OP_SELECT] = ""};
    bool converts = n->op == OP_CAST || n->op == OP_PATTERN;
    if (converts)
        str_printf(&g->text, "%s%s(", words[n->op], n->type->name);
    else
        str_printf(&g->text, "%s(", n->op == OP_SELECT ? "select" : n->name);
    for (uint32_t i = 0; i < n->count; i++) {
        bool last_hope = i + 1 == n->count;
        for (uint32_t k = n->op == OP_SELECT; k < i && last_hope; k++)
            last_hope = !is_typed(n->args[k]);
        bool bare = (n->op == OP_CALL && n->type != boolean) || n->op == OP_SELECT;
        if (i)
            str_append(&g->text, ", ");
        put(g, n->args[i], !bare || last_hope);
    }
    str_append(&g->text, ")");
}

/* `typed`: nothing around says what an untyped one is. */
static void put(struct generator *g, const struct node *n, bool typed) {
    bool wraps = typed && n->op == OP_LITERAL && n->type != boolean;
    switch (n->op) {
    case OP_LITERAL:
        str_printf(&g->text, wraps ? "%s(%s)" : "%.0s%s", n->type->name, n->name);
        break;
    case OP_NAME:
        str_append(&g->text, g->names[n->variable].text);
        break;
    case OP_NEGATE:
    case OP_NOT_SO:
        str_append(&g->text, n->op == OP_NEGATE ? "(-" : "(!");
        put(g, n->args[0], typed);
        str_append(&g->text, ")");
        break;
    case OP_CAST:
    case OP_PATTERN:
    case OP_CALL:
    case OP_SELECT:
        put_arguments(g, n);
        break;
    default:
        put_operands(g, n);
        break;
    }
}

/* ---- what they are ---- */

static uint64_t value(const struct node *n, const uint64_t *lane);

static uint64_t literal_value(const struct node *n) {
    uint64_t v;
    if (n->type->kind == KIND_BOOL)
        return strcmp(n->name, "true") == 0;
    if (n->type->kind != KIND_FLOAT)
        return strtoull(n->name, NULL, 10);
    ieee_parse(n->type->format, n->name, strlen(n->name), &v);
    return v;
}

static uint64_t cast_value(const struct node *n, uint64_t a) {
    const struct type *from = n->args[0]->type, *to = n->type;
    bool exact = from->kind != KIND_FLOAT;
    uint64_t wide = from->kind == KIND_INT ? (uint64_t)sign_extend(a, from->bits) : a;
    if (exact && to->kind != KIND_FLOAT)
        return wide & low_bits(to->bits);
    if (exact)
        return from->kind == KIND_INT ? ieee_from_signed(to->format, (int64_t)wide)
                                      : ieee_from_unsigned(to->format, wide);
    if (to->kind == KIND_FLOAT)
        return from == to ? a : ieee_convert(from->format, to->format, a);
    return to->kind == KIND_INT ? ieee_to_signed(from->format, a, to->bits, false)
                                : ieee_to_unsigned(from->format, a, to->bits, false);
}

/* The integer beside a: 0 down, 1 up, 2 toward zero, 3 nearest. */
static uint64_t rounded(struct ieee_format f, unsigned way, uint64_t a) {
    uint64_t sign = a & ieee_sign_bit(f), magnitude = a ^ sign, whole;
    if (magnitude >= ieee_from_unsigned(f, (uint64_t)1 << f.fraction_bits))
        return a;
    whole = ieee_from_unsigned(f, ieee_to_unsigned(f, magnitude, 64, way == 3));
    if (way == (sign ? 0 : 1) && whole < magnitude)
        whole = ieee_add(f, whole, ieee_from_unsigned(f, 1));
    return whole | sign;
}

static uint64_t call_value(const struct node *n, uint64_t a, uint64_t b) {
    static const char *const ways[] = {"floor", "ceil", "trunc", "rint"};
    struct ieee_format f = n->args[0]->type->format;
    if (strcmp(n->name, "min") == 0)
        return ieee_min(f, a, b);
    if (strcmp(n->name, "max") == 0)
        return ieee_max(f, a, b);
    if (strcmp(n->name, "abs") == 0)
        return a & ~ieee_sign_bit(f);
    if (strcmp(n->name, "sqrt") == 0)
        return ieee_sqrt(f, a);
    if (strcmp(n->name, "isnan") == 0)
        return ieee_is_nan(f, a);
    if (strcmp(n->name, "isinf") == 0)
        return ieee_is_infinite(f, a);
    if (strcmp(n->name, "isfinite") == 0)
        return !ieee_is_nan(f, a) && !ieee_is_infinite(f, a);
    for (unsigned way = 0; way < 4; way++)
        if (strcmp(n->name, ways[way]) == 0)
            return rounded(f, way, a);
    return (a & ieee_sign_bit(f)) != 0;
}

static uint64_t integer_value(const struct node *n, uint64_t a, uint64_t b) {
    uint64_t r = n->op == OP_PLUS    ? a + b
                 : n->op == OP_MINUS ? a - b
                 : n->op == OP_TIMES ? a * b
                                     : a & b;
    return r & low_bits(n->type->bits);
}

static uint64_t float_value(const struct node *n, uint64_t a, uint64_t b) {
    struct ieee_format f = n->args[0]->type->format;
    switch (n->op) {
    case OP_PLUS:
        return ieee_add(f, a, b);
    case OP_MINUS:
        return ieee_sub(f, a, b);
    case OP_TIMES:
        return ieee_mul(f, a, b);
    case OP_DIVIDE:
        return ieee_div(f, a, b);
    case OP_EQUAL:
    case OP_UNEQUAL:
        return ieee_equal(f, a, b) == (n->op == OP_EQUAL);
    case OP_LESS:
        return ieee_less(f, a, b);
    case OP_AT_MOST:
        return ieee_less_equal(f, a, b);
    case OP_MORE:
        return ieee_less(f, b, a);
    default:
        return ieee_less_equal(f, b, a);
    }
}

static uint64_t value(const struct node *n, const uint64_t *lane) {
    uint64_t v[3] = {0};
    for (uint32_t i = 0; i < n->count; i++)
        v[i] = value(n->args[i], lane);
    switch (n->op) {
    case OP_LITERAL:
        return literal_value(n);
    case OP_NAME:
        return lane[n->variable];
    case OP_CAST:
        return cast_value(n, v[0]);
    case OP_PATTERN:
        return v[0];
    case OP_NEGATE:
        return v[0] ^ ieee_sign_bit(n->type->format);
    case OP_NOT_SO:
        return !v[0];
    case OP_CALL:
        return call_value(n, v[0], v[1]);
    case OP_SELECT:
        return v[0] ? v[1] : v[2];
    default:
        return n->args[0]->type->kind == KIND_FLOAT ? float_value(n, v[0], v[1])
                                                    : integer_value(n, v[0], v[1]);
    }
}

/* ---- programs ---- */

/* lane[to] = from; if (from) first else second; so many laps of first. */
struct step {
    enum { STEP_ASSIGN, STEP_IF, STEP_REPEAT } kind;
    uint32_t to, laps;
    const struct node *from;
    struct step *first, *second, *next;
};

static void indent(struct generator *g) {
    for (uint32_t i = 0; i <= g->depth; i++)
        str_append(&g->text, "    ");
}

static struct step *steps(struct generator *g, uint32_t count);

static struct step *block(struct generator *g) {
    str_append(&g->text, " {\n");
    g->depth++;
    struct step *s = steps(g, 1 + rng_below(&g->rng, 2));
    g->depth--;
    indent(g);
    str_append(&g->text, "}");
    return s;
}

/* Inputs are not assigned. */
static struct step *assignment(struct generator *g) {
    struct step *s = ARENA_NEW(&g->arena, struct step);
    s->kind = STEP_ASSIGN;
    uint32_t outputs = g->name_count - INPUTS * FLOATS;
    bool real = outputs > FLOATS && rng_below(&g->rng, 2);
    s->to = INPUTS * FLOATS + rng_below(&g->rng, real ? FLOATS : outputs);
    s->from = expression(g, g->names[s->to].type, 3);
    str_printf(&g->text, "%s = ", g->names[s->to].text);
    put(g, s->from, false);
    str_append(&g->text, ";\n");
    return s;
}

static struct step *choice(struct generator *g) {
    struct step *s = ARENA_NEW(&g->arena, struct step);
    s->kind = STEP_IF;
    s->from = expression(g, boolean, 2);
    str_append(&g->text, "if (");
    put(g, s->from, false);
    str_append(&g->text, ")");
    s->first = block(g);
    if (rng_below(&g->rng, 2)) {
        str_append(&g->text, " else");
        s->second = block(g);
    }
    str_append(&g->text, "\n");
    return s;
}

static struct step *loop(struct generator *g) {
    struct step *s = ARENA_NEW(&g->arena, struct step);
    s->kind = STEP_REPEAT;
    s->laps = 1 + rng_below(&g->rng, 3);
    str_printf(&g->text, "repeat (%u)", s->laps);
    s->first = block(g);
    str_append(&g->text, "\n");
    return s;
}

static struct step *steps(struct generator *g, uint32_t count) {
    struct step *first = NULL, **end = &first;
    for (; count; count--) {
        unsigned k = g->depth < 3 ? rng_below(&g->rng, 6) : 5;
        indent(g);
        *end = k == 0 ? choice(g) : k == 1 ? loop(g) : assignment(g);
        end = &(*end)->next;
    }
    return first;
}

static void carry_out(const struct step *s, uint64_t *lane) {
    for (; s; s = s->next) {
        if (s->kind == STEP_ASSIGN)
            lane[s->to] = value(s->from, lane);
        else if (s->kind == STEP_IF)
            carry_out(value(s->from, lane) ? s->first : s->second, lane);
        for (uint32_t i = 0; s->kind == STEP_REPEAT && i < s->laps; i++)
            carry_out(s->first, lane);
    }
}

static uint32_t name(struct generator *g, const char *word, const struct type *type) {
    struct name *n = &g->names[g->name_count];
    snprintf(n->text, sizeof n->text, "%s%u", word, g->name_count);
    n->type = type;
    return g->name_count++;
}

/* Inputs of the formats, an output of each type; those begin with what an expression gives. */
static struct step *program(struct generator *g) {
    struct step *first = NULL, **end = &first;
    str_printf(&g->text, "group g[%u];\n", LANES);
    for (unsigned i = 0; i < INPUTS * FLOATS; i++) {
        uint32_t k = name(g, "x", &types[i % FLOATS]);
        str_printf(&g->text, "in %s: %s @ g;\n", g->names[k].text, g->names[k].type->name);
    }
    for (unsigned t = 0; t < g->types; t++)
        str_printf(&g->text, "out z%u: %s @ g;\n", g->name_count + t, types[t].name);
    str_append(&g->text, "main {\n    compute g {\n");
    g->depth = 1;
    for (unsigned t = 0; t < g->types; t++) {
        struct step *s = *end = ARENA_NEW(&g->arena, struct step);
        s->from = expression(g, &types[t], 2);
        s->to = name(g, "z", &types[t]);
        indent(g);
        str_printf(&g->text, "%s = ", g->names[s->to].text);
        put(g, s->from, false);
        str_append(&g->text, ";\n");
        end = &s->next;
    }
    *end = steps(g, 4);
    str_append(&g->text, "    }\n}\n");
    return first;
}

/* ---- running ---- */

static uint64_t input(struct rng *rng, struct ieee_format f) {
    const uint64_t special[] = {0,
                                ieee_infinity(f, false),
                                ieee_nan(f),
                                ieee_infinity(f, false) + 1,
                                1,
                                (uint64_t)1 << f.fraction_bits,
                                ieee_infinity(f, false) - 1,
                                ieee_from_unsigned(f, 1)};
    uint64_t sign = rng_below(rng, 2) ? ieee_sign_bit(f) : 0;
    switch (rng_below(rng, 3)) {
    case 0:
        return special[rng_below(rng, 8)] | sign;
    case 1: /* near 1 */
        return (ieee_from_unsigned(f, 1) + (rng_next(rng) & low_bits(f.fraction_bits + 2u)) -
                ((uint64_t)1 << f.fraction_bits)) |
               sign;
    default:
        return rng_next(rng) & low_bits(ieee_width(f));
    }
}

struct run {
    struct generator g;
    struct step *steps;
    uint64_t lanes[LANES][64], before[LANES][64];
};

static void make_run(struct run *r, uint64_t seed, uint32_t type_count) {
    memset(&r->g, 0, sizeof r->g);
    r->g.rng.state = seed;
    r->g.types = type_count;
    r->steps = program(&r->g);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < INPUTS * FLOATS; i++)
            r->lanes[lane][i] = r->before[lane][i] = input(&r->g.rng, r->g.names[i].type->format);
        carry_out(r->steps, r->lanes[lane]);
    }
}

static void end_run(struct run *r) {
    str_free(&r->g.text);
    arena_free(&r->g.arena);
}

static unsigned bytes_of(const struct type *t) {
    return (t->bits + 7) / 8;
}

static void put_input(mpu_session *s, const struct run *r, unsigned i) {
    const struct type *t = r->g.names[i].type;
    uint8_t data[8 * LANES];
    mpu_error *e = NULL;
    mpu_array a = {.type = t->array, .ndim = 1, .shape = {LANES}, .data = data};
    for (unsigned lane = 0; lane < LANES; lane++)
        memcpy(data + lane * bytes_of(t), &r->before[lane][i], bytes_of(t));
    if (mpu_session_put(s, r->g.names[i].text, &a, &e) != MPU_OK)
        fail_with("put", e);
}

static void expect_output(mpu_session *s, const struct run *r, unsigned i, const char *where) {
    const struct type *t = r->g.names[i].type;
    mpu_error *e = NULL;
    mpu_array a;
    if (mpu_session_get(s, r->g.names[i].text, &a, &e) != MPU_OK)
        fail_with("get", e);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t got = 0;
        memcpy(&got, (const char *)a.data + lane * bytes_of(t), bytes_of(t));
        if (got != r->lanes[lane][i])
            fail_msg("%s: %s[%u] is 0x%llx, not 0x%llx, in\n%s", where, r->g.names[i].text, lane,
                     (unsigned long long)got, (unsigned long long)r->lanes[lane][i],
                     str_text(&r->g.text));
    }
    mpu_array_free(&a);
}

/* False if the target has no room for it. */
static bool run_on(const struct run *r, const mpu_program *p, mpu_target *target,
                   const char *where) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, target, NULL, &e);
    if (s && mpu_session_prepare(s, &e) != MPU_OK) {
        mpu_session_free(s);
        s = NULL;
    }
    if (!s) {
        mpu_error_free(e);
        return false;
    }
    for (unsigned i = 0; i < INPUTS * FLOATS; i++)
        put_input(s, r, i);
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with("run", e);
    for (unsigned i = INPUTS * FLOATS; i < r->g.name_count; i++)
        expect_output(s, r, i, where);
    mpu_session_free(s);
    return true;
}

static mpu_target *open_target(const char *target) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(target, NULL, &e);
    if (!t)
        fail_with(target, e);
    return t;
}

static unsigned run_programs(const char *target, uint64_t first, uint64_t count) {
    mpu_target *t = open_target(target);
    struct run *r = calloc(1, sizeof *r);
    unsigned ran = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct str messages = {0};
        make_run(r, seed * 0x9e3779b97f4a7c15, strcmp(target, "golden") ? NARROW : TYPES);
        mpu_program *p = try_program(str_text(&r->g.text), (int)(seed % 3), &messages);
        if (!p)
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&messages),
                     str_text(&r->g.text));
        ran += run_on(r, p, t, target);
        mpu_program_free(p);
        str_free(&messages);
        end_run(r);
    }
    free(r);
    mpu_target_close(t);
    return ran;
}

/* Programs on golden; on machines, which take longer, there are fewer. */
static uint64_t first_seed = 1, programs = 300;

static void on_golden(void **state) {
    (void)state;
    assert_int_equal(run_programs("golden", first_seed, programs), programs);
}

static void on_machines(void **state) {
    static const char *const names[] = {"racer", "mimdram", "duality-cache", "upmem", "simt"};
    uint64_t count = programs / 20 + 1;
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned ran = run_programs(names[i], first_seed + 1000, count);
        print_message("%s: %u of %llu had room\n", names[i], ran, (unsigned long long)count);
        assert_true(ran >= count * 3 / 4);
    }
}

/* test_ezpim_float_random [SEED COUNT] */
int main(int argc, char **argv) {
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        programs = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_golden),
        cmocka_unit_test(on_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
