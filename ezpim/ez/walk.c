/* SPDX-License-Identifier: MIT
 * Ways over the syntax tree: what stands outside is visited before what is inside. */
#include "ezpim/ez/walk.h"

#include <string.h>

void ez_walk_expr(const struct walker *walker, struct expr *expr) {
    if (!expr)
        return;
    if (walker->expr)
        walker->expr(walker->context, expr);
    for (uint32_t i = 0; i < expr->arg_count; i++)
        ez_walk_expr(walker, expr->args[i]);
}

void ez_walk_stmts(const struct walker *walker, struct stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        if (walker->stmt)
            walker->stmt(walker->context, stmt);
        ez_walk_expr(walker, stmt->target);
        ez_walk_expr(walker, stmt->value);
        ez_walk_expr(walker, stmt->last);
        ez_walk_expr(walker, stmt->fill);
        for (uint32_t i = 0; i < stmt->operand_count; i++)
            ez_walk_expr(walker, stmt->operands[i]);
        ez_walk_stmts(walker, stmt->body);
        ez_walk_stmts(walker, stmt->otherwise);
        for (uint32_t i = 0; i < stmt->lap_count; i++)
            ez_walk_stmts(walker, stmt->laps[i]);
    }
}

struct name_search {
    const char *name;
    bool found;
};

static void find_name(void *context, struct expr *expr) {
    struct name_search *s = context;
    s->found |= expr->kind == EXPR_NAME && strcmp(expr->name.text, s->name) == 0;
}

static void find_index(void *context, struct expr *expr) {
    struct name_search *s = context;
    struct walker w = {s, NULL, find_name};
    if (expr->kind != EXPR_INDEX)
        return;
    for (uint32_t i = 0; i < expr->arg_count; i++)
        ez_walk_expr(&w, expr->args[i]);
}

bool ez_indexes_by(struct stmt *stmt, const char *name) {
    struct name_search search = {name, false};
    struct walker w = {&search, NULL, find_index};
    ez_walk_stmts(&w, stmt);
    return search.found;
}

static void find_bound(void *context, struct stmt *stmt) {
    const struct walker w = {context, NULL, find_name};
    if (stmt->kind != STMT_FOR)
        return;
    ez_walk_expr(&w, stmt->value);
    ez_walk_expr(&w, stmt->last);
}

bool ez_bounds_by(struct stmt *stmt, const char *name) {
    struct name_search search = {name, false};
    struct walker w = {&search, find_bound, NULL};
    ez_walk_stmts(&w, stmt);
    return search.found;
}

bool ez_mentions(struct stmt *stmt, const char *name) {
    struct name_search search = {name, false};
    struct walker w = {&search, NULL, find_name};
    ez_walk_stmts(&w, stmt);
    return search.found;
}

struct cloner {
    struct arena *arena;
    uint64_t *room;
    bool full;
};

static bool takes_room(struct cloner *cloner) {
    if (!*cloner->room)
        cloner->full = true;
    else
        --*cloner->room;
    return !cloner->full;
}

static struct expr *clone_expr(struct cloner *cloner, const struct expr *expr) {
    if (!expr || !takes_room(cloner))
        return NULL;
    struct expr *copy = ARENA_NEW(cloner->arena, struct expr);
    *copy = *expr;
    copy->args =
        expr->arg_count ? ARENA_ARRAY(cloner->arena, expr->arg_count, struct expr *) : NULL;
    for (uint32_t i = 0; i < expr->arg_count; i++)
        copy->args[i] = clone_expr(cloner, expr->args[i]);
    return copy;
}

static struct type_syntax *clone_type(struct cloner *cloner, const struct type_syntax *syntax) {
    if (!syntax)
        return NULL;
    struct type_syntax *copy = ARENA_NEW(cloner->arena, struct type_syntax);
    *copy = *syntax;
    copy->count = clone_expr(cloner, syntax->count);
    return copy;
}

static struct stmt *clone_list(struct cloner *cloner, const struct stmt *stmt);

static struct stmt *clone_stmt(struct cloner *cloner, const struct stmt *stmt) {
    struct stmt *copy = ARENA_NEW(cloner->arena, struct stmt);
    *copy = *stmt;
    copy->next = NULL;
    copy->type = clone_type(cloner, stmt->type);
    copy->target = clone_expr(cloner, stmt->target);
    copy->value = clone_expr(cloner, stmt->value);
    copy->last = clone_expr(cloner, stmt->last);
    copy->fill = clone_expr(cloner, stmt->fill);
    copy->width = clone_expr(cloner, stmt->width);
    copy->operands =
        stmt->operand_count ? ARENA_ARRAY(cloner->arena, stmt->operand_count, struct expr *) : NULL;
    for (uint32_t i = 0; i < stmt->operand_count; i++)
        copy->operands[i] = clone_expr(cloner, stmt->operands[i]);
    copy->body = clone_list(cloner, stmt->body);
    copy->otherwise = clone_list(cloner, stmt->otherwise);
    return copy;
}

static struct stmt *clone_list(struct cloner *cloner, const struct stmt *stmt) {
    struct stmt *first = NULL, **end = &first;
    for (; stmt && takes_room(cloner); stmt = stmt->next) {
        *end = clone_stmt(cloner, stmt);
        end = &(*end)->next;
    }
    return first;
}

struct expr *ez_clone_expr(struct arena *arena, const struct expr *expr, uint64_t *room) {
    struct cloner c = {arena, room, false};
    struct expr *copy = clone_expr(&c, expr);
    return c.full ? NULL : copy;
}

struct stmt *ez_clone_stmts(struct arena *arena, const struct stmt *stmt, uint64_t *room) {
    struct cloner c = {arena, room, false};
    struct stmt *copy = clone_list(&c, stmt);
    return c.full ? NULL : copy;
}
