/* SPDX-License-Identifier: MIT
 * Nodes of the syntax tree, for the grammar's actions. */
#include "ezpim/np/parser.h"
#include "support/str.h"

/* Nodes above one another, so that walking the tree needs no more stack than there is. */
enum { MOST_DEPTH = 400 };

const char *np_operator_text(enum np_operator op) {
    static const char *const text[] = {
        [NP_OP_ADD] = "+",       [NP_OP_SUB] = "-",       [NP_OP_MUL] = "*",
        [NP_OP_DIV] = "/",       [NP_OP_MOD] = "%",       [NP_OP_POW] = "**",
        [NP_OP_FLOORDIV] = "//", [NP_OP_MATMUL] = "@",    [NP_OP_AND] = "&",
        [NP_OP_OR] = "|",        [NP_OP_XOR] = "^",       [NP_OP_SHL] = "<<",
        [NP_OP_SHR] = ">>",      [NP_OP_EQ] = "==",       [NP_OP_NE] = "!=",
        [NP_OP_LT] = "<",        [NP_OP_LE] = "<=",       [NP_OP_GT] = ">",
        [NP_OP_GE] = ">=",       [NP_OP_NEG] = "-",       [NP_OP_PLUS] = "+",
        [NP_OP_INVERT] = "~",    [NP_OP_MIN] = "minimum", [NP_OP_MAX] = "maximum",
        [NP_OP_ABS] = "abs",     [NP_OP_SIGN] = "sign",   [NP_OP_CAST] = "astype",
        [NP_OP_WHERE] = "where"};
    return text[op];
}

struct span np_join(struct span a, struct span b) {
    a.end = b.end > a.end ? b.end : a.end;
    return a;
}

const char *np_word(struct np_parser *p, struct span at) {
    return arena_strndup(p->arena, p->text + at.begin, at.end - at.begin);
}

static void above(struct np_parser *p, struct np_expr *e, const struct np_expr *part) {
    if (part && part->depth >= e->depth)
        e->depth = part->depth + 1;
    if (e->depth <= MOST_DEPTH)
        return;
    np_scan_error(p, e->at, "the expression is nested more than %d levels deep", MOST_DEPTH);
    *e = (struct np_expr){.kind = NP_EXPR_ERROR, .at = e->at, .depth = 1};
}

struct np_expr *np_make(struct np_parser *p, enum np_expr_kind kind, struct span at) {
    struct np_expr *e = ARENA_NEW(p->arena, struct np_expr);
    e->kind = kind;
    e->at = e->op_at = at;
    e->depth = 1;
    if (kind == NP_EXPR_REAL)
        number_parse_double(p->text + at.begin, at.end - at.begin, &e->real);
    if (kind == NP_EXPR_TEXT)
        e->name = np_word(p, at);
    return e;
}

struct np_expr *np_make_number(struct np_parser *p, struct span at) {
    struct np_expr *e = np_make(p, NP_EXPR_NUMBER, at);
    uint32_t n = at.end - at.begin;
    bool octal = n > 1 && p->text[at.begin] == '0' && p->text[at.begin + 1] >= '0' &&
                 p->text[at.begin + 1] <= '9';
    if (octal || !number_parse_u64(p->text + at.begin, n, &e->number)) {
        np_scan_error(p, at, "`%s` is not a number below 2^64", np_word(p, at));
        e->kind = NP_EXPR_ERROR;
    }
    return e;
}

struct np_expr *np_make_name(struct np_parser *p, struct span at) {
    struct np_expr *e = np_make(p, NP_EXPR_NAME, at);
    e->name = np_word(p, at);
    return e;
}

struct np_expr *np_make_over(struct np_parser *p, enum np_expr_kind kind, struct span at,
                             struct np_expr *a, struct np_expr *b, struct np_expr *c) {
    struct np_expr *e = np_make(p, kind, at);
    e->a = a;
    e->b = b;
    e->c = c;
    above(p, e, a);
    above(p, e, b);
    above(p, e, c);
    return e;
}

struct np_expr *np_make_binary(struct np_parser *p, enum np_operator op, struct span op_at,
                               struct np_expr *a, struct np_expr *b) {
    struct np_expr *e = np_make_over(p, NP_EXPR_BINARY, np_join(a->at, b->at), a, b, NULL);
    e->op = op;
    e->op_at = op_at;
    return e;
}

struct np_expr *np_make_compare(struct np_parser *p, enum np_operator op, struct span op_at,
                                struct np_expr *a, struct np_expr *b) {
    if (a->kind == NP_EXPR_BINARY && a->compares && !a->in_parentheses) {
        np_scan_error(p, op_at,
                      "comparisons in a row ask for one truth value; of arrays it is written "
                      "`(a < b) & (b < c)`");
        return np_make(p, NP_EXPR_ERROR, a->at);
    }
    struct np_expr *e = np_make_binary(p, op, op_at, a, b);
    e->compares = true;
    return e;
}

struct np_expr *np_make_items(struct np_parser *p, enum np_expr_kind kind, struct span at,
                              struct np_expr *a, struct np_expr_list items) {
    struct np_expr *e = np_make_over(p, kind, at, a, NULL, NULL);
    e->items = items.first;
    e->count = items.count;
    for (const struct np_expr *x = items.first; x; x = x->next)
        above(p, e, x);
    return e;
}

struct np_expr *np_make_tuple(struct np_parser *p, struct span at, struct np_expr_list items,
                              bool comma) {
    if (items.count == 1 && !comma)
        return items.first;
    return np_make_items(p, NP_EXPR_TUPLE, at, NULL, items);
}

struct np_expr *np_in_parentheses(struct np_expr *e, struct span at) {
    e->at = at;
    e->in_parentheses = true;
    return e;
}

struct np_expr_list np_append(struct np_expr_list list, struct np_expr *e) {
    if (list.last)
        list.last->next = e;
    else
        list.first = e;
    list.last = e;
    list.count++;
    return list;
}

struct np_stmt *np_make_stmt(struct np_parser *p, enum np_stmt_kind kind, struct span at,
                             struct span word) {
    struct np_stmt *s = ARENA_NEW(p->arena, struct np_stmt);
    s->kind = kind;
    s->at = at;
    s->word = word;
    return s;
}

struct np_stmt_list np_append_stmt(struct np_stmt_list list, struct np_stmt *s) {
    if (list.last)
        list.last->next = s;
    else
        list.first = s;
    list.last = s;
    return list;
}

struct np_param *np_make_param(struct np_parser *p, struct span at, struct np_expr *type) {
    struct np_param *x = ARENA_NEW(p->arena, struct np_param);
    x->name = np_word(p, at);
    x->at = at;
    x->type = type;
    return x;
}

struct np_param_list np_append_param(struct np_param_list list, struct np_param *x) {
    if (list.last)
        list.last->next = x;
    else
        list.first = x;
    list.last = x;
    return list;
}
