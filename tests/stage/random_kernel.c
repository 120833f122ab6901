/* SPDX-License-Identifier: MIT
 * Chains of all patterns, all types, lengths from 0 on, windows with and without tails, memory in
 * one piece and in pieces; and what comes of them, by a straightforward evaluation of the same
 * trees.
 */
#include "support/alloc.h"
#include "support/bits.h"
#include "support/ieee.h"
#include "tests/stage/random_kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static bool is_float(struct lane_type t) {
    return t.kind == TYPE_FLOAT;
}

/* Modulo 2^bits, into the type's numbers. */
static random_wide wrapped(struct lane_type t, random_wide v) {
    random_wide n = (random_wide)1 << t.bits;
    v %= n;
    if (v < 0)
        v += n;
    return t.kind == TYPE_INT && v >= n / 2 ? v - n : v;
}

static double rounded(struct lane_type t, double v) {
    return t.bits == 32 ? (double)(float)v : v;
}

static random_wide shifted_right(random_wide v, random_wide count) {
    while (count-- > 0 && v != 0 && v != -1)
        v >>= 1;
    return v;
}

enum { MOST_NODES = 4096 };

/* ---- expressions ---- */

enum kind { LIT, LOCAL, SCALAR, LOAD, UNARY, BINARY, SHIFT, CHOICE };
struct node {
    enum kind kind;
    int op;
    int64_t number; /* LIT; of LOAD the index, if it is constant */
    unsigned array; /* of LOAD: an input of the stage; of LOCAL its number */
    struct node *a, *b, *c, *d;
};

static const char *const int_ops[] = {"+", "-", "*", "/", "%", "&", "|", "^", "min", "max"};
static const char *const float_ops[] = {"+", "-", "*", "/", "min", "max"};
static const char *const orders[] = {"<", "<=", ">", ">=", "==", "!="};

/* What a body is made for: its type, what it can load. */
struct body {
    uint64_t *seed;
    struct lane_type type;
    unsigned inputs, seen[3], locals;
    struct lane_type types[3];
    const char *names[3];
    struct node *pool;
    unsigned used;
};

static unsigned below(uint64_t *seed, unsigned n) {
    return (unsigned)(splitmix64(seed) % n);
}

static struct node *node(struct body *b, enum kind kind) {
    struct node *n = &b->pool[b->used++];
    *n = (struct node){.kind = kind};
    return n;
}

static struct node *leaf(struct body *b) {
    struct node *n = node(b, (enum kind)below(b->seed, 4));
    if (n->kind == LOCAL && !b->locals)
        n->kind = LOAD;
    if (n->kind == LIT)
        n->number = (int64_t)below(b->seed, 4) == 0 ? (int64_t)(splitmix64(b->seed) >> 40)
                                                    : (int64_t)below(b->seed, 40) - 20;
    n->array = below(b->seed, n->kind == LOCAL ? b->locals : b->inputs);
    if (n->kind == LOAD)
        n->number = below(b->seed, b->seen[n->array]);
    return n;
}

static struct node *tree(struct body *b, unsigned depth) {
    if (depth == 0 || below(b->seed, 5) == 0)
        return leaf(b);
    struct node *n = node(b, (enum kind)(UNARY + below(b->seed, 4)));
    if (n->kind == SHIFT && is_float(b->type))
        n->kind = BINARY;
    n->op = (int)below(b->seed, n->kind == UNARY    ? 3
                                : n->kind == BINARY ? (is_float(b->type) ? 6 : 10)
                                                    : 2);
    n->a = tree(b, depth - 1);
    if (n->kind != UNARY)
        n->b = tree(b, depth - 1);
    if (n->kind == CHOICE) {
        n->op = (int)below(b->seed, 6);
        n->c = tree(b, depth - 1);
        n->d = tree(b, depth - 1);
    }
    return n;
}

static void type_text(struct lane_type t, struct str *out) {
    char text[8];
    object_type_text(t, text);
    str_append(out, text);
}

static void print(const struct body *b, const struct node *n, struct str *out) {
    char type[8];
    object_type_text(b->type, type);
    const char *op;
    switch (n->kind) {
    case LIT:
        str_printf(out, "(%s)%" PRId64, type, n->number);
        return;
    case LOCAL:
        str_printf(out, "v%u", n->array);
        return;
    case SCALAR:
        str_printf(out, "%s(a)", type);
        return;
    case LOAD:
        if (n->number == 0 && n->op % 2)
            str_printf(out, "%s(*%s)", type, b->names[n->array]);
        else
            str_printf(out, "(%s)%s[%" PRId64 "]", type, b->names[n->array], n->number);
        return;
    case UNARY:
        str_append(out, n->op == 0   ? "(-"
                        : n->op == 1 ? (is_float(b->type) ? "sqrt(" : "(~")
                                     : "abs(");
        print(b, n->a, out);
        str_char(out, ')');
        return;
    case SHIFT:
        str_char(out, '(');
        print(b, n->a, out);
        str_append(out, n->op ? " >> (u8)" : " << (u8)");
        print(b, n->b, out);
        str_char(out, ')');
        return;
    case CHOICE:
        str_char(out, '(');
        print(b, n->a, out);
        str_printf(out, " %s ", orders[n->op]);
        print(b, n->b, out);
        str_append(out, " ? ");
        print(b, n->c, out);
        str_append(out, " : ");
        print(b, n->d, out);
        str_char(out, ')');
        return;
    default:
        break;
    }
    op = is_float(b->type) ? float_ops[n->op] : int_ops[n->op];
    bool call = op[0] == 'm';
    str_printf(out, "%s(", call ? op : "");
    print(b, n->a, out);
    str_printf(out, call ? "%s " : " %s ", call ? "," : op);
    print(b, n->b, out);
    str_char(out, ')');
}

/* ---- evaluation ---- */

struct frame {
    const struct body *body;
    const struct random_array *inputs[3];
    const struct random_array *tails[3]; /* NULL: none */
    uint64_t first;                      /* element that index 0 is */
    random_wide scalar;
    union random_value locals[8];
};

/* Saturates, as conversions of floats do. */
static random_wide to_integer(struct lane_type t, double v) {
    random_wide least = t.kind == TYPE_INT ? -((random_wide)1 << (t.bits - 1)) : 0;
    random_wide most = ((random_wide)1 << (t.kind == TYPE_INT ? t.bits - 1 : t.bits)) - 1;
    if (isnan(v))
        return 0;
    if (v <= (double)least)
        return least;
    return v >= (double)most ? most : (random_wide)v;
}

static union random_value converted(struct lane_type from, struct lane_type to,
                                    union random_value v) {
    if (is_float(to))
        v.f = is_float(from)             ? rounded(to, v.f)
              : to.bits == 32 && v.i < 0 ? (double)(float)(int64_t)v.i
              : to.bits == 32            ? (double)(float)(uint64_t)v.i
              : v.i < 0                  ? (double)(int64_t)v.i
                                         : (double)(uint64_t)v.i;
    else
        v.i = is_float(from) ? to_integer(to, v.f) : wrapped(to, v.i);
    return v;
}

static union random_value loaded(const struct frame *f, unsigned input, uint64_t index) {
    const struct random_array *x = f->inputs[input];
    uint64_t at = f->first + index;
    union random_value v = at < x->count ? x->at[at] : f->tails[input]->at[at - x->count];
    return converted(x->type, f->body->type, v);
}

static bool ordered(bool real, int op, union random_value l, union random_value r) {
    switch (op) {
    case 0:
        return real ? l.f < r.f : l.i < r.i;
    case 1:
        return real ? l.f <= r.f : l.i <= r.i;
    case 2:
        return real ? l.f > r.f : l.i > r.i;
    case 3:
        return real ? l.f >= r.f : l.i >= r.i;
    case 4:
        return real ? l.f == r.f : l.i == r.i;
    default:
        return real ? l.f != r.f : l.i != r.i;
    }
}

static double least(double l, double r) {
    if (isnan(l) || isnan(r))
        return isnan(l) ? r : l;
    return l < r || (l == r && signbit(l)) ? l : r;
}

static double most(double l, double r) {
    if (isnan(l) || isnan(r))
        return isnan(l) ? r : l;
    return l > r || (l == r && signbit(r)) ? l : r;
}

static double float_result(int op, double l, double r) {
    switch (op) {
    case 0:
        return l + r;
    case 1:
        return l - r;
    case 2:
        return l * r;
    case 3:
        return l / r;
    case 4:
        return least(l, r);
    default:
        return most(l, r);
    }
}

static random_wide integer_result(int op, random_wide l, random_wide r) {
    switch (op) {
    case 0:
        return l + r;
    case 1:
        return l - r;
    case 2: /* modulo 2^64, which is enough */
        return (random_wide)((uint64_t)l * (uint64_t)r);
    case 3:
        return r == 0 ? -1 : l / r;
    case 4:
        return r == 0 ? l : l % r;
    case 5:
        return l & r;
    case 6:
        return l | r;
    case 7:
        return l ^ r;
    case 8:
        return l < r ? l : r;
    default:
        return l > r ? l : r;
    }
}

static union random_value value_of(const struct frame *f, const struct node *n) {
    struct lane_type t = f->body->type;
    union random_value l, r, v;
    v.i = 0;
    switch (n->kind) {
    case LIT:
        v.i = n->number;
        return converted((struct lane_type){TYPE_INT, 64}, t, v);
    case LOCAL:
        return f->locals[n->array];
    case SCALAR:
        v.i = f->scalar;
        return converted((struct lane_type){TYPE_INT, 16}, t, v);
    case LOAD:
        return loaded(f, n->array, (uint64_t)n->number);
    case CHOICE:
        l = value_of(f, n->a);
        r = value_of(f, n->b);
        return value_of(f, ordered(is_float(t), n->op, l, r) ? n->c : n->d);
    default:
        break;
    }
    l = value_of(f, n->a);
    if (n->kind == UNARY && is_float(t)) {
        v.f = n->op == 0 ? -l.f : n->op == 1 ? rounded(t, sqrt(l.f)) : fabs(l.f);
        return v;
    }
    if (n->kind == UNARY) {
        v.i = wrapped(t, n->op == 0 ? -l.i : n->op == 1 ? ~l.i : l.i < 0 ? -l.i : l.i);
        return v;
    }
    r = value_of(f, n->b);
    if (n->kind == SHIFT) {
        random_wide count = is_float(t) ? 0 : wrapped((struct lane_type){TYPE_UINT, 8}, r.i);
        v.i = n->op            ? shifted_right(l.i, count)
              : count < t.bits ? wrapped(t, (random_wide)((uint64_t)l.i << count))
                               : 0;
        return v;
    }
    if (is_float(t))
        v.f = rounded(t, float_result(n->op, l.f, r.f));
    else
        v.i = wrapped(t, integer_result(n->op, l.i, r.i));
    return v;
}

/* ---- kernels ---- */

static struct lane_type draw_type(struct random_kernel *m) {
    if (m->floats)
        return (struct lane_type){TYPE_FLOAT, (uint8_t)(32 << below(&m->seed, 2))};
    return (struct lane_type){below(&m->seed, 2) ? TYPE_INT : TYPE_UINT,
                              (uint8_t)(8 << below(&m->seed, 4))};
}

uint64_t random_bits(struct lane_type t, union random_value v) {
    if (!is_float(t))
        return (uint64_t)v.i & low_bits(t.bits);
    uint64_t bits = 0;
    if (t.bits == 32) {
        float f = (float)v.f;
        memcpy(&bits, &f, 4);
    } else {
        memcpy(&bits, &v.f, 8);
    }
    return isnan(v.f) ? ieee_nan(ieee_binary(t.bits)) : bits;
}

static union random_value value_from(struct lane_type t, uint64_t bits) {
    union random_value v;
    v.i = 0;
    if (!is_float(t)) {
        v.i = wrapped(t, (random_wide)(bits & low_bits(t.bits)));
    } else if (t.bits == 32) {
        float f;
        memcpy(&f, &bits, 4);
        v.f = (double)f;
    } else {
        memcpy(&v.f, &bits, 8);
    }
    return v;
}

/* An array with room for so many elements; in_memory: it is a buffer. */
static unsigned new_array(struct random_kernel *m, const char *prefix, struct lane_type type,
                          uint64_t room, bool in_memory, bool filled) {
    unsigned i = m->data_count++;
    struct random_array *a = &m->data[i];
    snprintf(m->names[i], sizeof m->names[i], "%s%u", prefix, i);
    a->type = type;
    a->count = room;
    a->at = xcalloc((size_t)room + 1, sizeof *a->at);
    m->parameter[i] = in_memory ? (int)m->launched.count : -1;
    if (in_memory) {
        launched_buffer(&m->launched, m->names[i], type, room);
    } else {
        str_printf(&m->arrays, "array %s : ", m->names[i]);
        type_text(type, &m->arrays);
        str_append(&m->arrays, ";\n");
    }
    for (uint64_t e = 0; e < room && filled; e++) {
        uint64_t bits = splitmix64(&m->seed);
        if (below(&m->seed, 3) == 0 && !is_float(type))
            bits = (uint64_t)below(&m->seed, 7) - 3;
        if (is_float(type)) {
            double v = (double)below(&m->seed, 2000) / 16 - 60;
            union random_value u = {.f = below(&m->seed, 9) ? v : (double)value_from(type, bits).f};
            u.f = rounded(type, u.f);
            bits = random_bits(type, u);
        }
        a->at[e] = value_from(type, bits);
        launched_put(&m->launched, (uint32_t)m->parameter[i], e, bits & low_bits(type.bits));
    }
    return i;
}

/* A body: some locals, and what it comes to, which may be gathered in a loop. */
struct formed {
    struct body body;
    struct node *locals[4], *result, *lap;
    unsigned laps; /* of a loop that sums up lap, with input 0's elements */
    int op;
    /* A loop whose laps are data, or an array whose indices are. */
    enum { NO_TURNS, HALVES, COUNTS, AT_LEAST_ONE, ROOMS, TURNS } turns;
};

static void form(struct random_kernel *m, struct formed *x, unsigned input_count,
                 const unsigned *inputs, unsigned seen) {
    x->body = (struct body){.seed = &m->seed, .inputs = input_count};
    x->body.pool = xcalloc(MOST_NODES, sizeof *x->body.pool);
    x->body.type = draw_type(m);
    for (unsigned i = 0; i < input_count; i++) {
        x->body.seen[i] = seen;
        x->body.types[i] = m->data[inputs[i]].type;
        x->body.names[i] = m->names[inputs[i]];
    }
    unsigned locals = below(&m->seed, 4);
    for (unsigned i = 0; i < locals; i++) {
        x->locals[i] = tree(&x->body, 3);
        x->body.locals++;
    }
    x->laps = below(&m->seed, 2) ? 0 : seen;
    x->op = (int)below(&m->seed, m->floats ? 3 : 3);
    x->turns = below(&m->seed, 3) ? NO_TURNS : below(&m->seed, TURNS);
    x->result = tree(&x->body, 4);
}

static void print_turns(const struct formed *x, struct str *out) {
    char t[8];
    object_type_text(x->body.type, t);
    str_append(out, "    u64 q = (u64)s;\n");
    if (x->turns == HALVES)
        str_printf(out, "    while (q > 2) { if (q %% 7 == 3) break; q /= 3; s = s + (%s)q; }\n",
                   t);
    if (x->turns == COUNTS)
        str_printf(out,
                   "    u8 most = (u8)(q %% 9);\n    for (u8 k = 0; k < most; k++) { "
                   "if (k == 4) continue; s -= (%s)k; }\n",
                   t);
    if (x->turns == ROOMS)
        str_printf(out,
                   "    %s t[4];\n    t[q & 3] = s;\n    %s w = t[(q >> 2) & 3];\n"
                   "    t[(q >> 2) & 3] = (%s)9;\n    s = q %% 3 == 0 ? w : t[q & 3];\n"
                   "    for (u64 k = 0; k < q %% 5; k++) t[(q + k) & 3] = t[k & 3] - s;\n"
                   "    s = t[1];\n",
                   t, t, t);
    if (x->turns == AT_LEAST_ONE)
        str_printf(out, "    do { s = min(s, (%s)(q %% 50)); q >>= 5; } while (q != 0);\n", t);
}
static void print_body(const struct formed *x, struct str *out) {
    const struct body *b = &x->body;
    for (unsigned i = 0; i < b->locals; i++) {
        struct body before = *b;
        before.locals = i;
        str_append(out, "    ");
        type_text(b->type, out);
        str_printf(out, " v%u = ", i);
        print(&before, x->locals[i], out);
        str_append(out, ";\n");
    }
    str_append(out, "    ");
    type_text(b->type, out);
    str_append(out, " s = ");
    print(b, x->result, out);
    str_append(out, ";\n");
    if (x->laps) {
        str_printf(out, "    for (int k = 0; k < %u; k++) { if (k %% 3 == 1) continue; s %s= (",
                   x->laps, int_ops[x->op]);
        type_text(b->type, out);
        str_printf(out, ")%s[k]; }\n", b->names[0]);
    }
    if (x->turns)
        print_turns(x, out);
}

static union random_value plus(struct lane_type t, union random_value s, uint64_t n, int sign) {
    union random_value v = {.i = (random_wide)n};
    v = converted((struct lane_type){TYPE_UINT, 64}, t, v);
    if (is_float(t))
        s.f = rounded(t, s.f + sign * v.f);
    else
        s.i = wrapped(t, s.i + sign * v.i);
    return s;
}
static union random_value roomed(struct lane_type t, union random_value s, uint64_t q) {
    const union random_value nine = {.i = 9};
    union random_value at[4], w;
    for (unsigned i = 0; i < 4; i++)
        at[i] = converted((struct lane_type){TYPE_UINT, 64}, t, (union random_value){.i = 0});
    at[q & 3] = s;
    w = at[(q >> 2) & 3];
    at[(q >> 2) & 3] = converted((struct lane_type){TYPE_UINT, 64}, t, nine);
    s = q % 3 == 0 ? w : at[q & 3];
    for (uint64_t k = 0; k < q % 5; k++) {
        const union random_value v = at[k & 3];
        if (is_float(t))
            at[(q + k) & 3].f = rounded(t, v.f - s.f);
        else
            at[(q + k) & 3].i = wrapped(t, v.i - s.i);
    }
    return at[1];
}
static union random_value turned(const struct formed *x, union random_value s) {
    const struct lane_type t = x->body.type, u64 = {TYPE_UINT, 64};
    uint64_t q = (uint64_t)converted(t, u64, s).i;
    switch (x->turns) {
    case HALVES:
        while (q > 2 && q % 7 != 3)
            s = plus(t, s, q /= 3, 1);
        return s;
    case COUNTS:
        for (uint64_t k = 0; k < q % 9; k++)
            s = k == 4 ? s : plus(t, s, k, -1);
        return s;
    case AT_LEAST_ONE:
        do {
            union random_value v = {.i = (random_wide)(q % 50)};
            v = converted(u64, t, v);
            if (is_float(t))
                s.f = least(s.f, v.f);
            else
                s.i = s.i < v.i ? s.i : v.i;
            q >>= 5;
        } while (q);
        return s;
    case ROOMS:
        return roomed(t, s, q);
    default:
        return s;
    }
}

static union random_value body_value(const struct formed *x, struct frame *f) {
    struct lane_type t = x->body.type;
    f->body = &x->body;
    for (unsigned i = 0; i < x->body.locals; i++)
        f->locals[i] = value_of(f, x->locals[i]);
    union random_value s = value_of(f, x->result);
    for (unsigned k = 0; k < x->laps; k++) {
        union random_value v = loaded(f, 0, k);
        if (k % 3 == 1)
            continue;
        if (is_float(t))
            s.f = rounded(t, float_result(x->op, s.f, v.f));
        else
            s.i = wrapped(t, integer_result(x->op, s.i, v.i));
    }
    return turned(x, s);
}

/* Whether a body's value keeps an element. */
static bool kept(const struct formed *x, union random_value v) {
    return is_float(x->body.type) ? v.f > 3 : v.i % 3 != 0;
}

static uint64_t units_of(uint64_t n, unsigned unit, unsigned beyond, bool tail) {
    uint64_t units = 0;
    while ((units + 1) * unit + (tail ? 0 : beyond) <= n)
        units++;
    return units;
}

/* One stage behind array `from`; the array that it makes, or -1. */
static int add_stage(struct random_kernel *m, unsigned from, bool filtered, bool last) {
    struct formed x;
    unsigned which = below(&m->seed, 4), inputs[3] = {from}, input_count = 1, unit = 1, beyond = 0;
    bool window = !filtered && below(&m->seed, 3) == 0,
         group = !filtered && below(&m->seed, 3) == 0;
    bool reduce = last && which == 0, filter = !reduce && (filtered || which == 1);
    bool inout = false;
    if (reduce)
        window = group = false;
    unsigned w = 1 + below(&m->seed, 5), g = 1 + below(&m->seed, 6);
    unit = group ? g : 1;
    beyond = group ? (window ? w : 0) : window ? w - 1 : 0;
    struct random_array *source = &m->data[from];
    uint64_t n = source->count;
    bool tail = beyond && below(&m->seed, 2);
    if (below(&m->seed, 2) && n == m->length && !filtered)
        inputs[input_count++] = new_array(m, "z", draw_type(m), n, true, true);
    struct frame f = {.scalar = m->scalar};
    for (unsigned i = 0; i < input_count; i++)
        f.inputs[i] = &m->data[inputs[i]];
    if (window)
        str_printf(&m->stages, "window %u ", w);
    if (group)
        str_printf(&m->stages, "group %u ", g);
    str_append(&m->stages, filter ? "filter" : reduce ? "reduce" : window || group ? "" : "map");
    str_append(&m->stages, " (");
    for (unsigned i = 0; i < input_count; i++) {
        str_printf(&m->stages, "%sin %s", i ? ", " : "", m->names[inputs[i]]);
        if (tail) {
            unsigned t = new_array(m, "t", m->data[inputs[i]].type, beyond, true, true);
            f.tails[i] = &m->data[t];
            str_printf(&m->stages, " tail %s", m->names[t]);
        }
    }
    form(m, &x, input_count, inputs, unit + beyond);
    uint64_t units = units_of(n, unit, beyond, tail);
    struct lane_type type = draw_type(m);
    if (reduce) {
        static const char *const folds[] = {"+=", "^=", "min", "max", "combined"};
        unsigned bins = 1 + below(&m->seed, 5), fold = below(&m->seed, 5);
        if (m->floats && fold < 2)
            fold = 2; /* sums of floats have no one value */
        type = x.body.type;
        unsigned r = new_array(m, "acc", type, bins, true, true);
        bool starts = below(&m->seed, 2);
        if (fold == 4 && type.kind != TYPE_UINT)
            starts = true; /* a part's 0 would be more than a negative number that was there */
        str_printf(&m->stages, ", acc %s[%u]", m->names[r], bins);
        if (starts)
            str_append(&m->stages, fold == 4 ? " = 0" : " = 7");
        str_append(&m->stages, ") {\n");
        print_body(&x, &m->stages);
        str_printf(&m->stages, "    u64 b = (u64)s %% %u;\n    ", bins);
        if (fold == 0 || fold == 1)
            str_printf(&m->stages, "%s[b] %s s;\n}\n", m->names[r], folds[fold]);
        else if (fold < 4)
            str_printf(&m->stages, "%s[b] = %s(s, %s[b]);\n}\n", m->names[r], folds[fold],
                       m->names[r]);
        else
            str_printf(
                &m->stages,
                "if (s > %s[b]) %s[b] = s;\n} combine (o) {\n    for (int k = 0; k < %u; k++) "
                "if (o[k] > %s[k]) %s[k] = o[k];\n}\n",
                m->names[r], m->names[r], bins, m->names[r], m->names[r]);
        for (unsigned b = 0; b < bins && starts; b++) {
            union random_value seven = {.i = fold == 4 ? 0 : 7};
            m->data[r].at[b] = converted((struct lane_type){TYPE_INT, 64}, type, seven);
        }
        for (uint64_t u = 0; u < units; u++) {
            f.first = u;
            union random_value v = body_value(&x, &f), *acc;
            struct lane_type u64 = {TYPE_UINT, 64};
            acc = &m->data[r].at[(uint64_t)converted(type, u64, v).i % bins];
            if (fold == 0)
                acc->i = wrapped(type, acc->i + v.i);
            else if (fold == 1)
                acc->i = wrapped(type, acc->i ^ v.i);
            else if (is_float(type) && fold < 4)
                acc->f = fold == 2 ? least(v.f, acc->f) : most(v.f, acc->f);
            else if (is_float(type))
                acc->f = v.f > acc->f ? v.f : acc->f;
            else
                acc->i = (fold == 2 ? v.i < acc->i : v.i > acc->i) ? v.i : acc->i;
        }
        free(x.body.pool);
        return -1;
    }
    bool whole = filter && below(&m->seed, 2);
    if (whole)
        type = source->type;
    uint64_t room = whole ? units * unit : units;
    inout = !filter && !window && !group && m->parameter[from] >= 0 && input_count == 1 &&
            below(&m->seed, 4) == 0 && m->data[from].count;
    unsigned out = from;
    if (inout) { /* the head is written anew, as a map of one array */
        while (m->stages.len && m->stages.text[m->stages.len - 1] != '(')
            m->stages.len--;
        str_printf(&m->stages, "inout %s) {\n", m->names[from]);
    } else {
        out = new_array(m, "y", type, room, last || below(&m->seed, 2), false);
        str_printf(&m->stages, ", out %s", m->names[out]);
        if (whole)
            str_printf(&m->stages, " from %s", m->names[from]);
    }
    int counter = -1;
    if (filter && below(&m->seed, 2)) {
        counter = (int)new_array(m, "c", (struct lane_type){TYPE_UINT, 32}, 1, true, false);
        str_printf(&m->stages, ", count %s", m->names[counter]);
    }
    if (!inout)
        str_append(&m->stages, ") {\n");
    print_body(&x, &m->stages);
    if (!whole) {
        str_printf(&m->stages, "    %s[0] = (", m->names[out]);
        type_text(m->data[out].type, &m->stages);
        str_append(&m->stages, ")s;\n");
    }
    if (filter)
        str_append(&m->stages,
                   is_float(x.body.type) ? "    return s > 3.0;\n" : "    return s % 3;\n");
    str_append(&m->stages, "}\n");
    struct random_array *y = &m->data[out];
    uint64_t to = 0;
    for (uint64_t u = 0; u < units; u++) {
        f.first = u * unit;
        union random_value v = body_value(&x, &f);
        if (filter && !kept(&x, v))
            continue;
        for (unsigned k = 0; k < unit && whole; k++)
            y->at[to * unit + k] = converted(source->type, source->type,
                                             f.first + k < source->count
                                                 ? source->at[f.first + k]
                                                 : f.tails[0]->at[f.first + k - source->count]);
        if (!whole)
            y->at[to] = converted(x.body.type, y->type, v);
        to++;
    }
    if (filter)
        y->count = whole ? to * unit : to;
    if (counter >= 0)
        m->data[counter].at[0].i = (random_wide)to;
    free(x.body.pool);
    return (int)out;
}

void random_kernel(struct random_kernel *m, uint64_t seed) {
    static const uint64_t lengths[] = {0, 1, 2, 7, 33, 64, 100};
    *m = (struct random_kernel){.seed = seed};
    m->floats = below(&m->seed, 4) == 0;
    m->length = lengths[below(&m->seed, 7)];
    m->scalar = (random_wide)below(&m->seed, 65536) - 32768;
    m->launched.in_pieces = below(&m->seed, 2);
    launched_number(&m->launched, "a", (struct lane_type){TYPE_INT, 16}, (uint64_t)m->scalar);
    launched_number(&m->launched, "n", (struct lane_type){TYPE_UINT, 32}, m->length);
    unsigned at = new_array(m, "x", draw_type(m), m->length, true, true);
    unsigned stages = 1 + below(&m->seed, RANDOM_STAGES);
    bool filtered = false;
    for (unsigned i = 0; i < stages; i++) {
        size_t before = m->stages.len;
        int made = add_stage(m, at, filtered, i + 1 == stages);
        filtered |= m->stages.text && strstr(m->stages.text + before, "filter (") != NULL;
        if (made < 0)
            break;
        at = (unsigned)made;
    }
    str_printf(&m->launched.text, "length n;\n%s%s", str_text(&m->arrays), str_text(&m->stages));
}

void random_kernel_free(struct random_kernel *m) {
    for (unsigned i = 0; i < m->data_count; i++)
        free(m->data[i].at);
    str_free(&m->stages);
    str_free(&m->arrays);
    launched_free(&m->launched);
}
