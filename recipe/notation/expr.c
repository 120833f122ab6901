/* SPDX-License-Identifier: MIT */
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

static struct recipe_expr *new_expr(struct notation_parser *p, enum recipe_expr_kind kind,
                                    struct span at) {
    struct recipe_expr *e = ARENA_NEW(p->arena, struct recipe_expr);
    e->kind = kind;
    e->at = at;
    return e;
}

static bool grow(struct notation_parser *p, struct recipe_expr *e, const struct recipe_expr *arg) {
    if (arg->height >= e->height)
        e->height = (uint16_t)(arg->height + 1);
    if (e->height <= EXPR_MAX_HEIGHT)
        return true;
    diag_error(p->diag, p->lex.token.at, "an expression of more than %d operators in a row",
               EXPR_MAX_HEIGHT);
    p->failed = true;
    return false;
}

static struct recipe_expr *with_args(struct notation_parser *p, struct recipe_expr *e,
                                     struct recipe_expr *a, struct recipe_expr *b) {
    if (!a || (e->kind == EXPR_BINARY && !b))
        return NULL;
    e->count = b ? 2 : 1;
    e->args = ARENA_ARRAY(p->arena, 2, struct recipe_expr *);
    e->args[0] = a;
    e->args[1] = b;
    return grow(p, e, a) && (!b || grow(p, e, b)) ? e : NULL;
}

static bool parse_args(struct notation_parser *p, struct recipe_expr *e) {
    e->args = ARENA_ARRAY(p->arena, EXPR_MAX_ARGS, struct recipe_expr *);
    if (notation_take_mark(p, ')'))
        return true;
    do {
        if (e->count == EXPR_MAX_ARGS) {
            notation_expected(p, "at most 8 operands");
            return false;
        }
        struct recipe_expr *arg = notation_parse_expr(p);
        if (!arg || !grow(p, e, arg))
            return false;
        e->args[e->count++] = arg;
    } while (notation_take_mark(p, ','));
    return notation_want_mark(p, ')', "',' or ')'");
}

static struct recipe_expr *parse_suffix(struct notation_parser *p, struct recipe_expr *e) {
    if (notation_take_mark(p, '(')) {
        e->kind = EXPR_CALL;
        if (!parse_args(p, e))
            return NULL;
    } else if (notation_take_mark(p, '[')) {
        e->kind = EXPR_INDEX;
        if (!with_args(p, e, notation_parse_expr(p), NULL) || !notation_want_mark(p, ']', "']'"))
            return NULL;
    } else if (notation_take_mark(p, '@')) {
        e->kind = EXPR_AT;
        bool open = notation_take_mark(p, '(');
        struct recipe_expr *where = NULL;
        if (open) {
            where = notation_parse_expr(p);
            if (!where || !notation_want_mark(p, ')', "')'"))
                return NULL;
        } else if (p->lex.token.kind == TOKEN_NUMBER) {
            where = new_expr(p, EXPR_NUMBER, p->lex.token.at);
            where->number = p->lex.token.number;
            notation_next(p);
        } else {
            struct span at;
            const char *name = notation_want_name(p, "a section", &at);
            if (!name)
                return NULL;
            where = new_expr(p, EXPR_NAME, at);
            where->name = name;
            where->name_at = at;
        }
        if (!with_args(p, e, where, NULL))
            return NULL;
    }
    e->at = span_join(e->at, p->lex.before.at);
    return e;
}

static struct recipe_expr *parse_name(struct notation_parser *p) {
    struct span at = p->lex.token.at;
    const char *name = notation_want_name(p, "a name", &at);
    if (!name)
        return NULL;
    struct recipe_expr *e = new_expr(p, EXPR_NAME, at);
    e->name = name;
    e->name_at = at;
    return parse_suffix(p, e);
}

struct recipe_expr *notation_parse_operand(struct notation_parser *p) {
    if (!notation_enter(p))
        return NULL;
    struct recipe_expr *e = parse_name(p);
    p->depth--;
    return e;
}

static struct recipe_expr *parse_primary(struct notation_parser *p) {
    const struct recipe_token *t = &p->lex.token;
    if (t->kind == TOKEN_NAME)
        return parse_name(p);
    if (t->kind == TOKEN_NUMBER) {
        struct recipe_expr *e = new_expr(p, EXPR_NUMBER, t->at);
        e->number = t->number;
        notation_next(p);
        return e;
    }
    if (!notation_take_mark(p, '(')) {
        notation_expected(p, "an expression");
        return NULL;
    }
    struct recipe_expr *e = notation_parse_expr(p);
    return e && notation_want_mark(p, ')', "')'") ? e : NULL;
}

static struct recipe_expr *parse_unary(struct notation_parser *p) {
    if (!notation_enter(p))
        return NULL;
    struct recipe_expr *e;
    struct span at = p->lex.token.at;
    uint16_t op = p->lex.token.mark;
    if (notation_take_mark(p, '!') || notation_take_mark(p, '~') || notation_take_mark(p, '-')) {
        e = new_expr(p, EXPR_UNARY, at);
        e->op = op;
        e = with_args(p, e, parse_unary(p), NULL);
        if (e)
            e->at = span_join(at, p->lex.before.at);
    } else {
        e = parse_primary(p);
    }
    p->depth--;
    return e;
}

static struct recipe_expr *parse_level(struct notation_parser *p, int level) {
    struct recipe_expr *left = level == LEVELS ? parse_unary(p) : parse_level(p, level + 1);
    while (left && p->lex.token.kind == TOKEN_MARK && level_of(p->lex.token.mark) == level) {
        struct recipe_expr *e = new_expr(p, EXPR_BINARY, left->at);
        e->op = p->lex.token.mark;
        notation_next(p);
        left = with_args(p, e, left, parse_level(p, level + 1));
        if (left)
            left->at = span_join(left->at, p->lex.before.at);
        if (left && level == 2 && p->lex.token.kind == TOKEN_MARK &&
            level_of(p->lex.token.mark) == 2) {
            notation_expected(p, "'&&' or '||': comparisons do not chain");
            return NULL;
        }
    }
    return left;
}

struct recipe_expr *notation_parse_expr(struct notation_parser *p) {
    if (p->failed || !notation_enter(p))
        return NULL;
    struct recipe_expr *e = parse_level(p, 0);
    p->depth--;
    return e;
}

static bool shift(uint16_t op, int64_t a, int64_t b, int64_t *r) {
    if (b < 0 || b > 62)
        return false;
    if (op == MARK2('>', '>')) {
        *r = a >> b;
        return true;
    }
    return !__builtin_mul_overflow(a, (int64_t)1 << b, r);
}

static bool divide(uint16_t op, int64_t a, int64_t b, int64_t *r) {
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *r = op == '/' ? a / b : a % b;
    return true;
}

bool notation_expr_binary(uint16_t op, int64_t a, int64_t b, int64_t *r) {
    switch (op) {
    case '+':
        return !__builtin_add_overflow(a, b, r);
    case '-':
        return !__builtin_sub_overflow(a, b, r);
    case '*':
        return !__builtin_mul_overflow(a, b, r);
    case '/':
    case '%':
        return divide(op, a, b, r);
    case MARK2('<', '<'):
    case MARK2('>', '>'):
        return shift(op, a, b, r);
    default:
        break;
    }
    *r = op == MARK2('|', '|')   ? (a || b)
         : op == MARK2('&', '&') ? (a && b)
         : op == MARK2('=', '=') ? a == b
         : op == MARK2('!', '=') ? a != b
         : op == MARK2('<', '=') ? a <= b
         : op == MARK2('>', '=') ? a >= b
         : op == '<'             ? a < b
         : op == '>'             ? a > b
         : op == '|'             ? (a | b)
         : op == '^'             ? (a ^ b)
                                 : (a & b);
    return true;
}
