/* SPDX-License-Identifier: MIT
 * Branches on data: `if np.any(c):`, and loops that `break` or `continue` under such a condition.
 * They become loops that the machine has.  A branch is a `while` that ends after one iteration.
 * What stands behind a `break` in its block is a branch on the opposite, and a flag says whether
 * the loop goes on:
 *
 *     for k in r:                 flag = True
 *         a                       for k in r:
 *         if np.any(c):               once while flag:
 *             break                       a
 *         b                               flag = False
 *                                         once while not np.any(c):
 *                                             b
 *                                             flag = True
 */
#include "ezpim/np/loop.h"

#include <string.h>

/* ---- nodes ---- */

static struct np_expr *make_expr(struct np_unit *unit, enum np_expr_kind kind, struct np_expr *a,
                                 array_int number, struct span at) {
    struct np_expr *e = ARENA_NEW(&unit->arena, struct np_expr);
    e->kind = kind;
    e->at = e->op_at = at;
    e->a = a;
    e->number = number;
    return e;
}

static struct np_expr *make_name(struct np_unit *unit, const char *name, struct span at) {
    struct np_expr *e = make_expr(unit, NP_EXPR_NAME, NULL, 0, at);
    e->name = name;
    return e;
}

static struct np_stmt *make_stmt(struct np_unit *unit, enum np_stmt_kind kind,
                                 const struct np_stmt *like) {
    struct np_stmt *s = ARENA_NEW(&unit->arena, struct np_stmt);
    s->kind = kind;
    s->at = like->at;
    s->word = like->word;
    return s;
}

static struct np_stmt *assign_to(struct np_unit *unit, const char *name, struct np_expr *value,
                                 const struct np_stmt *like) {
    struct np_stmt *s = make_stmt(unit, NP_STMT_ASSIGN, like);
    s->target = make_name(unit, name, like->word);
    s->value = value;
    return s;
}

static struct np_stmt *flag_becomes(struct np_unit *unit, const char *name, bool truth,
                                    const struct np_stmt *like) {
    return assign_to(unit, name, make_expr(unit, NP_EXPR_FLAGS, NULL, truth, like->word), like);
}

/* `body` if the question is answered so; it ends after one iteration. */
static struct np_stmt *branch(struct np_unit *unit, struct np_expr *of, unsigned asked,
                              struct np_stmt *body, const struct np_stmt *like) {
    struct np_stmt *s = make_stmt(unit, NP_STMT_WHILE, like);
    s->value = make_expr(unit, NP_EXPR_ASKED, of, asked, like->word);
    s->body = body;
    s->once = true;
    return s;
}

struct list {
    struct np_stmt *first, **end;
};

static void append(struct list *list, struct np_stmt *stmt) {
    if (!list->end)
        list->end = &list->first;
    *list->end = stmt;
    list->end = &stmt->next;
}

/* ---- what depends on data ---- */

/* `np.any(c)` and the like; of other conditions that depend on data whether they hold. */
static bool asks(struct np_unit *unit, const struct np_stmt *stmt, struct np_question *q) {
    *q = (struct np_question){0};
    if (np_is_question(unit, stmt->value, q))
        return true;
    *q = (struct np_question){.of = stmt->value, .at = stmt->value->at};
    for (; q->of->kind == NP_EXPR_NOT; q->of = q->of->a)
        q->opposite = !q->opposite;
    return stmt->depends;
}

static unsigned asked_of(const struct np_question *q) {
    return (q->all ? NP_ASKED_ALL : NP_ASKED_ANY) | (q->opposite ? NP_ASKED_NOT : 0u);
}

static const struct np_stmt *last_of(const struct np_stmt *block) {
    while (block->next)
        block = block->next;
    return block;
}

/* An `if` on data that ends in `break` or `continue`. */
static bool leaves(struct np_unit *unit, const struct np_stmt *stmt, struct np_question *q) {
    if (stmt->kind != NP_STMT_IF || stmt->otherwise || !stmt->body)
        return false;
    enum np_stmt_kind last = last_of(stmt->body)->kind;
    return (last == NP_STMT_BREAK || last == NP_STMT_CONTINUE) && asks(unit, stmt, q);
}

static bool any_leaves(struct np_unit *unit, const struct np_stmt *block) {
    struct np_question q;
    for (; block; block = block->next)
        if (leaves(unit, block, &q))
            return true;
    return false;
}

/* ---- what stands for it ---- */

/* The statements of the block but the last one. */
static struct np_stmt *without_last(struct np_unit *unit, const struct np_stmt *block) {
    struct list made = {0};
    for (; block->next; block = block->next) {
        struct np_stmt *s = ARENA_NEW(&unit->arena, struct np_stmt);
        *s = *block;
        s->next = NULL;
        append(&made, s);
    }
    return made.first;
}

static struct np_stmt *block_of(struct np_unit *unit, const struct np_stmt *block, const char *flag,
                                const struct np_stmt *loop);

/* What stands behind one that leaves, and how the flag is set. */
static void leave(struct np_unit *unit, struct list *made, const struct np_stmt *stmt,
                  const struct np_question *q, const char *flag, const struct np_stmt *loop) {
    struct np_expr *of = (struct np_expr *)(uintptr_t)q->of;
    if (stmt->body->next) { /* it does something before */
        const char *kept = arena_printf(&unit->arena, "%s at %u", flag, stmt->at.begin);
        append(made, assign_to(unit, kept, make_expr(unit, NP_EXPR_TRUTHS, of, 0, stmt->word), stmt));
        of = make_name(unit, kept, stmt->word);
        append(made, branch(unit, of, asked_of(q), without_last(unit, stmt->body), stmt));
    }
    bool goes_on = last_of(stmt->body)->kind == NP_STMT_CONTINUE;
    append(made, flag_becomes(unit, flag, goes_on, stmt));
    struct np_stmt *rest = block_of(unit, stmt->next, flag, loop);
    append(made, branch(unit, of, asked_of(q) ^ NP_ASKED_NOT, rest, stmt));
}

static struct np_stmt *block_of(struct np_unit *unit, const struct np_stmt *block, const char *flag,
                                const struct np_stmt *loop) {
    struct list made = {0};
    struct np_question q;
    for (; block; block = block->next) {
        if (leaves(unit, block, &q)) {
            leave(unit, &made, block, &q, flag, loop);
            return made.first;
        }
        struct np_stmt *s = ARENA_NEW(&unit->arena, struct np_stmt);
        *s = *block;
        s->next = NULL;
        append(&made, s);
    }
    append(&made, flag_becomes(unit, flag, true, loop));
    return made.first;
}

static bool is_true(const struct np_expr *expr) {
    return (expr->kind == NP_EXPR_NAME && strcmp(expr->name, "True") == 0) ||
           (expr->kind == NP_EXPR_NUMBER && expr->number != 0);
}

/* The loop with the flag. */
static struct np_stmt *loop_of(struct np_unit *unit, const struct np_stmt *stmt, const char *flag) {
    struct np_question q;
    struct np_stmt *loop = ARENA_NEW(&unit->arena, struct np_stmt);
    struct np_stmt *body = block_of(unit, stmt->body, flag, stmt);
    struct np_expr *on = make_name(unit, flag, stmt->word);
    struct list made = {0};
    bool data = stmt->kind == NP_STMT_WHILE && (is_true(stmt->value) || asks(unit, stmt, &q));
    *loop = *stmt;
    loop->next = NULL;
    if (!data) {
        loop->body = branch(unit, on, NP_ASKED_ANY, body, stmt);
        return loop;
    }
    loop->value = make_expr(unit, NP_EXPR_ASKED, on, NP_ASKED_ANY, stmt->word);
    append(&made, flag_becomes(unit, flag, false, stmt));
    if (is_true(stmt->value))
        *made.end = body;
    else
        append(&made, branch(unit, (struct np_expr *)(uintptr_t)q.of, asked_of(&q), body, stmt));
    loop->body = made.first;
    return loop;
}

struct np_stmt *np_left_early(struct np_unit *unit, struct np_stmt *stmt) {
    if (stmt->made || !any_leaves(unit, stmt->body))
        return stmt->made;
    const char *flag = arena_printf(&unit->arena, "break of %u", stmt->at.begin);
    struct list made = {0};
    append(&made, flag_becomes(unit, flag, true, stmt));
    append(&made, loop_of(unit, stmt, flag));
    return stmt->made = made.first;
}

struct np_stmt *np_branches(struct np_unit *unit, struct np_stmt *stmt) {
    struct np_question q;
    struct list made = {0};
    if (stmt->made || !asks(unit, stmt, &q))
        return stmt->made;
    struct np_expr *of = (struct np_expr *)(uintptr_t)q.of;
    if (stmt->otherwise) {
        const char *kept = arena_printf(&unit->arena, "if at %u", stmt->at.begin);
        append(&made, assign_to(unit, kept, make_expr(unit, NP_EXPR_TRUTHS, of, 0, stmt->word), stmt));
        of = make_name(unit, kept, stmt->word);
    }
    append(&made, branch(unit, of, asked_of(&q), stmt->body, stmt));
    if (stmt->otherwise)
        append(&made, branch(unit, of, asked_of(&q) ^ NP_ASKED_NOT, stmt->otherwise, stmt));
    for (struct np_stmt *s = made.first; s; s = s->next)
        s->depends = true;
    return stmt->made = made.first;
}
