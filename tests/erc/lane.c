/* SPDX-License-Identifier: MIT
 * What a tree does to one lane. */
#include "support/bits.h"
#include "tests/erc/tree.h"

#include <string.h>

enum { NOTHING = 64 };

struct lane {
    const struct tree *t;
    uint64_t r[TREE_DATA];
    bool condition;  /* T */
    bool on;         /* enabled */
    unsigned follow; /* the register that the mask follows, or NOTHING */
};

static uint64_t reverse(uint64_t x, unsigned w) {
    uint64_t r = 0;
    for (unsigned k = 0; k < w; k++)
        r |= (x >> k & 1) << (w - 1 - k);
    return r;
}

static bool holds(unsigned relation, uint64_t a, uint64_t b) {
    const bool results[] = {a > b, a < b, a == b, a >= b, a <= b, a != b};
    return results[relation];
}

static bool named(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

/* Those with a width in their name. */
static bool run_fixed(struct lane *l, const char *name, uint64_t *a, uint64_t *b, uint64_t *c) {
    unsigned w = l->t->width;
    unsigned fixed = strstr(name, "32") ? 32 : strstr(name, "16") ? 16 : strstr(name, "8") ? 8 : 0;
    unsigned n = fixed < w ? fixed : w, h = fixed / 2 < n ? fixed / 2 : n;
    if (!fixed)
        return false;
    uint64_t x = *a & low_bits(n), y = *b & low_bits(n), out = 0;
    uint64_t q = y ? x / y : low_bits(n), r = y ? x % y : x;
    if (named(name, "QRDIV8"))
        *b = r;
    if (name[0] == 'P' || name[0] == 'B')
        c = b; /* two operands: the second is written */
    if (strncmp(name, "MUL", 3) == 0)
        out = (x & low_bits(h)) * (y & low_bits(h));
    else if (named(name, "MAC8"))
        out = *c + (x & low_bits(h)) * (y & low_bits(h));
    else if (named(name, "RDIV8"))
        out = r;
    else if (named(name, "POPC8"))
        out = (uint64_t)__builtin_popcountll(x);
    else if (named(name, "BFLIP8"))
        out = reverse(x, n);
    else
        out = q;
    *c = out & low_bits(n);
    return true;
}

static bool run_condition(struct lane *l, const char *name, uint64_t *a, uint64_t *b, uint64_t *c) {
    if (named(name, "CMPEQ"))
        l->condition = *a == *b;
    else if (named(name, "CMPLT") || named(name, "CMPGT"))
        l->condition = *a > *b;
    else if (named(name, "CMPST"))
        l->condition = *a < *b;
    else if (named(name, "FUZZY"))
        l->condition = ((*a ^ *b) & ~*c) == 0;
    else if (named(name, "INV_TORUS"))
        l->condition = !l->condition;
    else if (named(name, "MSB_PRED"))
        l->condition = *a >> (l->t->width - 1) & 1;
    else
        return false;
    return true;
}

static void run_pair(const char *name, uint64_t *a, uint64_t *b, uint64_t *c) {
    uint64_t x = *a, y = *b;
    if (named(name, "CAS")) {
        *a = x < y ? x : y;
        *b = x < y ? y : x;
    } else if (named(name, "HalfADD")) {
        *c = x & y;
        *b = x ^ y;
    } else if (named(name, "DINV")) {
        *a = ~x;
    }
}

static uint64_t one_source(const struct lane *l, const char *name, uint64_t x) {
    return named(name, "INC")      ? x + 1
           : named(name, "DEC")    ? x - 1
           : named(name, "LSHIFT") ? x << 1
           : named(name, "INV")    ? ~x
           : named(name, "RELUv1") ? (l->condition ? x : 0)
                                   : x;
}

static uint64_t two_sources(const char *name, uint64_t x, uint64_t y, uint64_t z) {
    return named(name, "ADD")    ? x + y
           : named(name, "SUB")  ? x - y
           : named(name, "AND")  ? x & y
           : named(name, "OR")   ? x | y
           : named(name, "NAND") ? ~(x & y)
           : named(name, "NOR")  ? ~(x | y)
           : named(name, "XOR")  ? x ^ y
           : named(name, "XNOR") ? ~(x ^ y)
           : named(name, "MAX")  ? (x > y ? x : y)
           : named(name, "MIN")  ? (x < y ? x : y)
                                 : (x & z) | (y & ~z);
}

static void run_operation(struct lane *l, const struct operation *o, uint64_t *operand[3]) {
    uint64_t *a = operand[0], *b = operand[1], *c = operand[2];
    char first = o->operands[0], second = first ? o->operands[1] : '\0';
    bool pair = named(o->name, "CAS") || named(o->name, "HalfADD") || named(o->name, "DINV");
    if (run_fixed(l, o->name, a, second == 'c' ? c : b, c))
        return;
    if (run_condition(l, o->name, a, b, c))
        return;
    if (pair)
        run_pair(o->name, a, b, c);
    else if (first == 'c')
        *c = named(o->name, "INIT1");
    else if (second == 'c')
        *c = one_source(l, o->name, *a);
    else
        *c = two_sources(o->name, *a, *b, *c);
}

static void run_getmask(struct lane *l, unsigned reg) {
    bool was = l->condition;
    l->condition = false;
    if (reg < TREE_DATA)
        l->r[reg] = was ? low_bits(l->t->width) : 0;
    else if (reg == l->follow)
        l->on = was;
}

static void run_insn(struct lane *l, const struct node *n) {
    const struct operation *o = &operations[n->operation];
    uint64_t *operand[3];
    if (named(o->name, "GETMASK")) {
        run_getmask(l, n->operand[0]);
    } else {
        for (unsigned k = 0; k < 3; k++)
            operand[k] = &l->r[n->operand[k]];
        run_operation(l, o, operand);
        for (unsigned k = 0; k < TREE_DATA; k++)
            l->r[k] &= low_bits(l->t->width);
    }
    if (l->follow < TREE_DATA)
        l->on = l->r[l->follow] & 1;
}

static void run_list(struct lane *l, const struct node *n);

/* What a block changes of the mask ends with it. */
static void run_body(struct lane *l, const struct node *body, unsigned mask) {
    unsigned follow = l->follow;
    l->follow = mask;
    run_list(l, body);
    l->follow = follow;
}

static void run_if(struct lane *l, const struct node *n) {
    unsigned gm = 32 + 2 * n->depth, m = gm + 1;
    for (const struct part *p = n->parts; p; p = p->next) {
        if (!p->is_else)
            l->condition = false;
        if (p->is_else || holds(p->relation, l->r[p->a], l->r[p->b])) {
            /* GETMASK of `m` matters where the mask follows it: in the first part. */
            run_body(l, p->body, p == n->parts ? m : gm);
            break;
        }
    }
    l->on = true;
}

static void run_while(struct lane *l, const struct node *n) {
    unsigned m = 32 + 2 * n->depth + 1;
    for (uint64_t laps = l->r[n->operand[0]] & 3; laps > 0 && l->on; laps--) {
        l->condition = false;
        run_body(l, n->parts->body, m);
    }
    if (l->on)
        l->condition = false;
    l->on = true;
}

static void run_loop(struct lane *l, const struct node *n) {
    for (unsigned k = 1; k <= n->number; k++) {
        run_list(l, n->parts->body);
        if (l->on)
            l->condition = k == n->number;
    }
}

static void run_setmask(struct lane *l, unsigned reg) {
    if (l->on) {
        l->r[reg] = l->r[reg] & 1 ? low_bits(l->t->width) : 0;
        l->condition = false;
    }
    l->on = l->r[reg] & 1;
    l->follow = reg;
}

static void run_node(struct lane *l, const struct node *n) {
    if (n->kind == NODE_SETMASK)
        run_setmask(l, n->operand[0]);
    if (n->kind == NODE_UNMASK) {
        l->on = true;
        l->follow = NOTHING;
    }
    if (!l->on)
        return;
    if (n->kind == NODE_INSN)
        run_insn(l, n);
    else if (n->kind == NODE_IF)
        run_if(l, n);
    else if (n->kind == NODE_WHILE)
        run_while(l, n);
    else if (n->kind == NODE_LOOP)
        run_loop(l, n);
    else if (n->kind == NODE_CALL)
        run_body(l, l->t->subs[n->number], NOTHING);
}

static void run_list(struct lane *l, const struct node *n) {
    for (; n; n = n->next)
        run_node(l, n);
}

void tree_run(const struct tree *t, uint64_t data[TREE_DATA + 1]) {
    struct lane l = {.t = t, .on = true, .follow = NOTHING};
    memcpy(l.r, data, sizeof l.r);
    run_list(&l, t->main);
    memcpy(data, l.r, sizeof l.r);
    data[TREE_DATA] = l.condition ? low_bits(t->width) : 0;
}
