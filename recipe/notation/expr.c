/* SPDX-License-Identifier: MIT
 * Operators by precedence, and their values; what overflows has none. */
#include "recipe/notation/expr.h"

#define LEVELS 9

/* Level 0 is the loosest. */
static int level_of(uint16_t mark) {
    switch (mark) {
    case MARK2('|', '|'):
        return 0;
    case MARK2('&', '&'):
        return 1;
    case MARK2('=', '='):
    case MARK2('!', '='):
    case MARK2('<', '='):
    case MARK2('>', '='):
    case '<':
    case '>':
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case MARK2('<', '<'):
    case MARK2('>', '>'):
        return 6;
    case '+':
    case '-':
        return 7;
    case '*':
    case '/':
    case '%':
        return 8;
    default:
        return -1;
    }
}

static struct recipe_expr *new_expr(struct notation_parser *parser, enum recipe_expr_kind kind,
                                    struct span at) {
    struct recipe_expr *e = ARENA_NEW(parser->arena, struct recipe_expr);
    e->kind = kind;
    e->at = at;
    return e;
}

static bool grow(struct notation_parser *parser, struct recipe_expr *expr,
                 const struct recipe_expr *arg) {
    if (arg->height >= expr->height)
        expr->height = (uint16_t)(arg->height + 1);
    if (expr->height <= EXPR_MAX_HEIGHT)
        return true;
    diag_error(parser->diag, parser->lex.token.at,
               "an expression of more than %d operators in a row", EXPR_MAX_HEIGHT);
    parser->failed = true;
    return false;
}

static struct recipe_expr *with_args(struct notation_parser *parser, struct recipe_expr *expr,
                                     struct recipe_expr *left, struct recipe_expr *right) {
    if (!left || (expr->kind == EXPR_BINARY && !right))
        return NULL;
    expr->count = right ? 2 : 1;
    expr->args = ARENA_ARRAY(parser->arena, 2, struct recipe_expr *);
    expr->args[0] = left;
    expr->args[1] = right;
    return grow(parser, expr, left) && (!right || grow(parser, expr, right)) ? expr : NULL;
}

static bool parse_args(struct notation_parser *parser, struct recipe_expr *expr) {
    expr->args = ARENA_ARRAY(parser->arena, EXPR_MAX_ARGS, struct recipe_expr *);
    if (notation_take_mark(parser, ')'))
        return true;
    do {
        if (expr->count == EXPR_MAX_ARGS) {
            notation_expected(parser, "at most 8 operands");
            return false;
        }
        struct recipe_expr *arg = notation_parse_expr(parser);
        if (!arg || !grow(parser, expr, arg))
            return false;
        expr->args[expr->count++] = arg;
    } while (notation_take_mark(parser, ','));
    return notation_want_mark(parser, ')', "',' or ')'");
}

static struct recipe_expr *parse_suffix(struct notation_parser *parser, struct recipe_expr *expr) {
    if (notation_take_mark(parser, '(')) {
        expr->kind = EXPR_CALL;
        if (!parse_args(parser, expr))
            return NULL;
    } else if (notation_take_mark(parser, '[')) {
        expr->kind = EXPR_INDEX;
        if (!with_args(parser, expr, notation_parse_expr(parser), NULL) ||
            !notation_want_mark(parser, ']', "']'"))
            return NULL;
    } else if (notation_take_mark(parser, '@')) {
        expr->kind = EXPR_AT;
        bool open = notation_take_mark(parser, '(');
        struct recipe_expr *where = NULL;
        if (open) {
            where = notation_parse_expr(parser);
            if (!where || !notation_want_mark(parser, ')', "')'"))
                return NULL;
        } else if (parser->lex.token.kind == TOKEN_NUMBER) {
            where = new_expr(parser, EXPR_NUMBER, parser->lex.token.at);
            where->number = parser->lex.token.number;
            notation_next(parser);
        } else {
            struct span at;
            const char *name = notation_want_name(parser, "a section", &at);
            if (!name)
                return NULL;
            where = new_expr(parser, EXPR_NAME, at);
            where->name = name;
            where->name_at = at;
        }
        if (!with_args(parser, expr, where, NULL))
            return NULL;
    }
    expr->at = span_join(expr->at, parser->lex.before.at);
    return expr;
}

static struct recipe_expr *parse_name(struct notation_parser *parser) {
    struct span at = parser->lex.token.at;
    const char *name = notation_want_name(parser, "a name", &at);
    if (!name)
        return NULL;
    struct recipe_expr *e = new_expr(parser, EXPR_NAME, at);
    e->name = name;
    e->name_at = at;
    return parse_suffix(parser, e);
}

struct recipe_expr *notation_parse_operand(struct notation_parser *parser) {
    if (!notation_enter(parser))
        return NULL;
    struct recipe_expr *e = parse_name(parser);
    parser->depth--;
    return e;
}

static struct recipe_expr *parse_primary(struct notation_parser *parser) {
    const struct recipe_token *t = &parser->lex.token;
    if (t->kind == TOKEN_NAME)
        return parse_name(parser);
    if (t->kind == TOKEN_NUMBER) {
        struct recipe_expr *e = new_expr(parser, EXPR_NUMBER, t->at);
        e->number = t->number;
        notation_next(parser);
        return e;
    }
    if (!notation_take_mark(parser, '(')) {
        notation_expected(parser, "an expression");
        return NULL;
    }
    struct recipe_expr *e = notation_parse_expr(parser);
    return e && notation_want_mark(parser, ')', "')'") ? e : NULL;
}

static struct recipe_expr *parse_unary(struct notation_parser *parser) {
    if (!notation_enter(parser))
        return NULL;
    struct recipe_expr *e;
    struct span at = parser->lex.token.at;
    uint16_t op = parser->lex.token.mark;
    if (notation_take_mark(parser, '!') || notation_take_mark(parser, '~') ||
        notation_take_mark(parser, '-')) {
        e = new_expr(parser, EXPR_UNARY, at);
        e->op = op;
        e = with_args(parser, e, parse_unary(parser), NULL);
        if (e)
            e->at = span_join(at, parser->lex.before.at);
    } else {
        e = parse_primary(parser);
    }
    parser->depth--;
    return e;
}

static struct recipe_expr *parse_level(struct notation_parser *parser, int level) {
    struct recipe_expr *left =
        level == LEVELS ? parse_unary(parser) : parse_level(parser, level + 1);
    while (left && parser->lex.token.kind == TOKEN_MARK &&
           level_of(parser->lex.token.mark) == level) {
        struct recipe_expr *e = new_expr(parser, EXPR_BINARY, left->at);
        e->op = parser->lex.token.mark;
        notation_next(parser);
        left = with_args(parser, e, left, parse_level(parser, level + 1));
        if (left)
            left->at = span_join(left->at, parser->lex.before.at);
        if (left && level == 2 && parser->lex.token.kind == TOKEN_MARK &&
            level_of(parser->lex.token.mark) == 2) {
            notation_expected(parser, "'&&' or '||': comparisons do not chain");
            return NULL;
        }
    }
    return left;
}

struct recipe_expr *notation_parse_expr(struct notation_parser *parser) {
    if (parser->failed || !notation_enter(parser))
        return NULL;
    struct recipe_expr *e = parse_level(parser, 0);
    parser->depth--;
    return e;
}

static bool shift(uint16_t op, int64_t left, int64_t right, int64_t *r) {
    if (right < 0 || right > 62)
        return false;
    if (op == MARK2('>', '>')) {
        *r = left >> right;
        return true;
    }
    return !__builtin_mul_overflow(left, (int64_t)1 << right, r);
}

static bool divide(uint16_t op, int64_t left, int64_t right, int64_t *r) {
    if (right == 0 || (left == INT64_MIN && right == -1))
        return false;
    *r = op == '/' ? left / right : left % right;
    return true;
}

bool notation_expr_binary(uint16_t op, int64_t left, int64_t right, int64_t *r) {
    switch (op) {
    case '+':
        return !__builtin_add_overflow(left, right, r);
    case '-':
        return !__builtin_sub_overflow(left, right, r);
    case '*':
        return !__builtin_mul_overflow(left, right, r);
    case '/':
    case '%':
        return divide(op, left, right, r);
    case MARK2('<', '<'):
    case MARK2('>', '>'):
        return shift(op, left, right, r);
    default:
        break;
    }
    *r = op == MARK2('|', '|')   ? (left || right)
         : op == MARK2('&', '&') ? (left && right)
         : op == MARK2('=', '=') ? left == right
         : op == MARK2('!', '=') ? left != right
         : op == MARK2('<', '=') ? left <= right
         : op == MARK2('>', '=') ? left >= right
         : op == '<'             ? left < right
         : op == '>'             ? left > right
         : op == '|'             ? (left | right)
         : op == '^'             ? (left ^ right)
                                 : (left & right);
    return true;
}
