/* SPDX-License-Identifier: MIT
 * Nodes of the syntax tree, for the grammar's actions. */
#include "ezpim/np/parser.h"
#include "ezpim/np/value.h"
#include "support/str.h"

#include <string.h>

/* What stands in each other, and operators in a row: walking the tree needs no more stack than
 * there is. */
enum { MOST_DEPTH = 1000, MOST_HEIGHT = 5001 };

const char *np_operator_text(enum np_operator op) {
    static const char *const text[] = {[NP_OP_ADD] = "+",
                                       [NP_OP_SUB] = "-",
                                       [NP_OP_MUL] = "*",
                                       [NP_OP_DIV] = "/",
                                       [NP_OP_MOD] = "%",
                                       [NP_OP_POW] = "**",
                                       [NP_OP_FLOORDIV] = "//",
                                       [NP_OP_MATMUL] = "@",
                                       [NP_OP_AND] = "&",
                                       [NP_OP_OR] = "|",
                                       [NP_OP_XOR] = "^",
                                       [NP_OP_SHL] = "<<",
                                       [NP_OP_SHR] = ">>",
                                       [NP_OP_EQ] = "==",
                                       [NP_OP_NE] = "!=",
                                       [NP_OP_LT] = "<",
                                       [NP_OP_LE] = "<=",
                                       [NP_OP_GT] = ">",
                                       [NP_OP_GE] = ">=",
                                       [NP_OP_NEG] = "-",
                                       [NP_OP_PLUS] = "+",
                                       [NP_OP_INVERT] = "~",
                                       [NP_OP_MIN] = "minimum",
                                       [NP_OP_MAX] = "maximum",
                                       [NP_OP_ABS] = "abs",
                                       [NP_OP_SIGN] = "sign",
                                       [NP_OP_CAST] = "astype",
                                       [NP_OP_WHERE] = "where",
                                       [NP_OP_SQRT] = "sqrt",
                                       [NP_OP_FLOOR] = "floor",
                                       [NP_OP_CEIL] = "ceil",
                                       [NP_OP_TRUNC] = "trunc",
                                       [NP_OP_RINT] = "rint",
                                       [NP_OP_FMIN] = "fmin",
                                       [NP_OP_FMAX] = "fmax",
                                       [NP_OP_COPYSIGN] = "copysign",
                                       [NP_OP_ISNAN] = "isnan",
                                       [NP_OP_ISINF] = "isinf",
                                       [NP_OP_ISFINITE] = "isfinite",
                                       [NP_OP_SIGNBIT] = "signbit",
                                       [NP_OP_IN] = "in",
                                       [NP_OP_NOT_IN] = "not in",
                                       [NP_OP_IS] = "is",
                                       [NP_OP_IS_NOT] = "is not"};
    const struct array_op_info *info = array_op_info(op);
    return info && !text[op] ? info->name : text[op];
}

struct span np_join(struct span left, struct span right) {
    left.end = right.end > left.end ? right.end : left.end;
    return left;
}

const char *np_word(struct np_parser *parser, struct span at) {
    return arena_strndup(parser->arena, parser->text + at.begin, at.end - at.begin);
}

static void check_bounds(struct np_parser *parser, struct np_expr *expr) {
    if (expr->depth <= MOST_DEPTH && expr->height <= MOST_HEIGHT)
        return;
    if (expr->depth > MOST_DEPTH)
        np_scan_error(parser, expr->at, "the expression is nested more than %d levels deep",
                      MOST_DEPTH);
    else
        np_scan_error(parser, expr->at, "the expression has more than %d operators in a row",
                      MOST_HEIGHT - 1);
    *expr = (struct np_expr){.kind = NP_EXPR_ERROR, .at = expr->at, .height = 1};
}

/* Operators between two operands are no level of their own. */
static void above(struct np_parser *parser, struct np_expr *expr, const struct np_expr *part) {
    uint16_t deeper =
        expr->kind != NP_EXPR_BINARY && expr->kind != NP_EXPR_AND && expr->kind != NP_EXPR_OR;
    if (part && part->depth + deeper > expr->depth)
        expr->depth = (uint16_t)(part->depth + deeper);
    if (part && part->height >= expr->height)
        expr->height = (uint16_t)(part->height + 1);
    check_bounds(parser, expr);
}

struct np_expr *np_make(struct np_parser *parser, enum np_expr_kind kind, struct span at) {
    struct np_expr *e = ARENA_NEW(parser->arena, struct np_expr);
    e->kind = kind;
    e->at = e->op_at = at;
    e->height = 1;
    if (kind == NP_EXPR_REAL)
        number_parse_double(parser->text + at.begin, at.end - at.begin, &e->real);
    if (kind == NP_EXPR_TEXT)
        e->name = np_word(parser, at);
    return e;
}

/* A whole number as the scanner takes it, too long for number_parse_u64: false where it is longer
 * than NP_BITS, or has a _ that stands between no digits. */
static bool parse_long(const char *text, uint32_t n, array_int *out) {
    bool based = n > 2 && text[0] == '0' && strchr("xXbBoO", text[1]);
    unsigned base = !based ? 10 : strchr("xX", text[1]) ? 16 : strchr("bB", text[1]) ? 2 : 8;
    array_int value = 0;
    uint64_t digit;
    for (uint32_t i = based ? 2 : 0; i < n; i++) {
        char hexadecimal[] = {'0', 'x', text[i], '\0'};
        if (text[i] == '_' && i + 1 < n && text[i + 1] != '_')
            continue;
        if (!number_parse_u64(hexadecimal, 3, &digit) || value > (((array_int)1 << NP_BITS) >> 4))
            return false;
        value = value * base + (array_int)digit;
    }
    *out = value;
    return true;
}

struct np_expr *np_make_number(struct np_parser *parser, struct span at) {
    struct np_expr *e = np_make(parser, NP_EXPR_NUMBER, at);
    uint32_t n = at.end - at.begin;
    bool octal = n > 1 && parser->text[at.begin] == '0' && parser->text[at.begin + 1] >= '0' &&
                 parser->text[at.begin + 1] <= '9';
    uint64_t number = 0;
    bool fits = number_parse_u64(parser->text + at.begin, n, &number);
    e->number = (array_int)number;
    if (octal || (!fits && !parse_long(parser->text + at.begin, n, &e->number))) {
        np_scan_error(parser, at, "`%s` is not a number below 2^%d", np_word(parser, at),
                      NP_BITS - 4);
        e->kind = NP_EXPR_ERROR;
    }
    return e;
}

struct np_expr *np_make_name(struct np_parser *parser, struct span at) {
    struct np_expr *e = np_make(parser, NP_EXPR_NAME, at);
    e->name = np_word(parser, at);
    return e;
}

struct np_expr *np_make_over(struct np_parser *parser, enum np_expr_kind kind, struct span at,
                             struct np_expr *left, struct np_expr *right, struct np_expr *clause) {
    struct np_expr *e = np_make(parser, kind, at);
    e->a = left;
    e->b = right;
    e->c = clause;
    above(parser, e, left);
    above(parser, e, right);
    above(parser, e, clause);
    return e;
}

struct np_expr *np_make_binary(struct np_parser *parser, enum np_operator op, struct span op_at,
                               struct np_expr *left, struct np_expr *right) {
    struct np_expr *e =
        np_make_over(parser, NP_EXPR_BINARY, np_join(left->at, right->at), left, right, NULL);
    e->op = op;
    e->op_at = op_at;
    return e;
}

/* `a < b < c` is `a < b and b < c`. */
struct np_expr *np_make_compare(struct np_parser *parser, enum np_operator op, struct span op_at,
                                struct np_expr *left, struct np_expr *right) {
    bool chain = left->compares && !left->in_parentheses;
    const struct np_expr *last = left->kind == NP_EXPR_AND ? left->b : left;
    struct np_expr *e = np_make_binary(parser, op, op_at, chain ? last->b : left, right);
    e->compares = true;
    if (!chain || e->kind == NP_EXPR_ERROR)
        return e;
    e = np_make_over(parser, NP_EXPR_AND, np_join(left->at, right->at), left, e, NULL);
    e->op_at = op_at;
    e->compares = true;
    return e;
}

struct np_expr *np_make_items(struct np_parser *parser, enum np_expr_kind kind, struct span at,
                              struct np_expr *expr, struct np_expr_list items) {
    struct np_expr *e = np_make_over(parser, kind, at, expr, NULL, NULL);
    e->items = items.first;
    e->count = items.count;
    for (const struct np_expr *x = items.first; x; x = x->next)
        above(parser, e, x);
    return e;
}

struct np_expr *np_make_tuple(struct np_parser *parser, struct span at, struct np_expr_list items,
                              bool comma) {
    if (items.count == 1 && !comma)
        return items.first;
    return np_make_items(parser, NP_EXPR_TUPLE, at, NULL, items);
}

struct np_expr *np_in_parentheses(struct np_parser *parser, struct np_expr *expr, struct span at) {
    expr->at = at;
    expr->in_parentheses = true;
    expr->depth++;
    check_bounds(parser, expr);
    return expr;
}

struct np_expr_list np_append(struct np_expr_list list, struct np_expr *expr) {
    if (list.last)
        list.last->next = expr;
    else
        list.first = expr;
    list.last = expr;
    list.count++;
    return list;
}

struct np_stmt *np_make_stmt(struct np_parser *parser, enum np_stmt_kind kind, struct span at,
                             struct span word) {
    struct np_stmt *s = ARENA_NEW(parser->arena, struct np_stmt);
    s->kind = kind;
    s->at = at;
    s->word = word;
    return s;
}

struct np_stmt_list np_append_stmt(struct np_stmt_list list, struct np_stmt *stmt) {
    if (list.last)
        list.last->next = stmt;
    else
        list.first = stmt;
    list.last = stmt;
    return list;
}

struct np_stmt_list np_join_stmts(struct np_stmt_list list, struct np_stmt_list behind) {
    list = np_append_stmt(list, behind.first);
    list.last = behind.last;
    return list;
}

struct np_stmt *np_make_assign(struct np_parser *parser, struct span at, struct span word,
                               struct np_expr *target, struct np_expr *value) {
    struct np_stmt *s = np_make_stmt(parser, NP_STMT_ASSIGN, at, word);
    s->target = target;
    s->value = value;
    return s;
}

struct np_stmt_list np_assign_again(struct np_parser *parser, struct span at, struct span word,
                                    struct np_expr *target, struct np_stmt_list list) {
    const struct np_expr *last = list.first->target;
    if (last->kind != NP_EXPR_NAME)
        np_scan_error(parser, last->at, "the last of several targets in a row is a name");
    return np_append_stmt(list,
                          np_make_assign(parser, at, word, target, np_make_name(parser, last->at)));
}

struct np_param *np_make_param(struct np_parser *parser, struct span at, struct np_expr *type,
                               struct np_expr *value) {
    struct np_param *x = ARENA_NEW(parser->arena, struct np_param);
    x->name = np_word(parser, at);
    x->at = at;
    x->type = type;
    x->value = value;
    return x;
}

struct np_param_list np_append_param(struct np_param_list list, struct np_param *param) {
    if (list.last)
        list.last->next = param;
    else
        list.first = param;
    list.last = param;
    return list;
}

struct np_expr *np_make_lambda(struct np_parser *parser, struct span at, struct span word,
                               struct np_param_list params, struct np_expr *value) {
    struct np_expr *e = np_make_over(parser, NP_EXPR_LAMBDA, at, value, NULL, NULL);
    e->function = np_make_stmt(parser, NP_STMT_DEF, at, word);
    e->function->name = "lambda";
    e->function->name_at = word;
    e->function->params = params.first;
    e->function->body = np_make_stmt(parser, NP_STMT_RETURN, value->at, value->at);
    e->function->body->value = value;
    return e;
}
