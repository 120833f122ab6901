/* SPDX-License-Identifier: MIT
 * Conditions at top level in which `any(...)` or `all(...)` of a group meets what has no group:
 * that goes into the question, `any(c) && s` is `any(c && s)`. */
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/walk.h"

#include <string.h>

static bool is_question(const struct expr *expr) {
    return expr->kind == EXPR_CALL && expr->arg_count == 1 &&
           (strcmp(expr->name.text, "any") == 0 || strcmp(expr->name.text, "all") == 0);
}

struct question_search {
    struct checker *c;
    bool found; /* a variable of a group, or a question */
};

static void look(void *context, struct expr *expr) {
    struct question_search *s = context;
    const struct ez_symbol *v = expr->kind == EXPR_NAME || expr->kind == EXPR_INDEX
                                    ? ez_find_symbol(s->c, expr->name.text)
                                    : NULL;
    s->found |= is_question(expr) || (v && v->kind == SYMBOL_EZ_VARIABLE && v->var.group);
}

static bool has_no_group(struct checker *checker, struct expr *expr) {
    struct question_search search = {checker, false};
    const struct walker w = {&search, NULL, look};
    ez_walk_expr(&w, expr);
    return !search.found;
}

static struct expr *made(struct checker *checker, enum expr_kind kind, uint8_t op,
                         struct expr *left, struct expr *right) {
    struct expr *e = ARENA_NEW(&checker->u->arena, struct expr);
    *e = *left;
    e->kind = kind;
    e->op = op;
    e->args = ARENA_ARRAY(&checker->u->arena, 2, struct expr *);
    e->args[0] = left;
    e->args[1] = right;
    e->arg_count = right ? 2 : 1;
    return e;
}

/* A question with `op other` inside of it. */
static struct expr *taken_in(struct checker *checker, struct expr *question, enum binary_op op,
                             struct expr *other) {
    struct expr *e = ARENA_NEW(&checker->u->arena, struct expr);
    *e = *question;
    e->args = ARENA_ARRAY(&checker->u->arena, 1, struct expr *);
    e->args[0] = made(checker, EXPR_BINARY, (uint8_t)op, question->args[0], other);
    return e;
}

/* Invariant: what comes back is a question, or the opposite of one, and means what the expression
 * does wherever the group has an element; *always: also where it has none. */
static struct expr *gathered(struct checker *checker, struct expr *expr, bool *always) {
    if (is_question(expr))
        return expr;
    if (expr->kind == EXPR_UNARY && expr->op == UNARY_NOT) {
        struct expr *q = gathered(checker, expr->args[0], always);
        bool twice = q && q->kind == EXPR_UNARY;
        return !q ? NULL : twice ? q->args[0] : made(checker, EXPR_UNARY, UNARY_NOT, q, NULL);
    }
    if (expr->kind != EXPR_BINARY || (expr->op != BINARY_ALL && expr->op != BINARY_ANY))
        return NULL;
    unsigned at = has_no_group(checker, expr->args[0]) ? 1 : 0;
    struct expr *other = expr->args[1 - at];
    struct expr *q =
        has_no_group(checker, other) ? gathered(checker, expr->args[at], always) : NULL;
    if (!q)
        return NULL;
    bool opposite = q->kind == EXPR_UNARY;
    enum binary_op op = (enum binary_op)expr->op;
    if (opposite) { /* !a && s is !(a || !s) */
        q = q->args[0];
        op = op == BINARY_ALL ? BINARY_ANY : BINARY_ALL;
        other = made(checker, EXPR_UNARY, UNARY_NOT, other, NULL);
    }
    *always &= (op == BINARY_ALL) == (strcmp(q->name.text, "any") == 0);
    q = taken_in(checker, q, op, other);
    return opposite ? made(checker, EXPR_UNARY, UNARY_NOT, q, NULL) : q;
}

struct expr *ez_gather_question(struct checker *checker, struct expr *expr, bool *always) {
    struct expr *q = gathered(checker, expr, always);
    return q ? q : expr;
}
