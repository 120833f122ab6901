/* SPDX-License-Identifier: MIT */
#include "ezpim/ez/walk.h"

#include <string.h>

void ez_walk_expr(const struct walker *w, struct expr *e) {
    if (!e)
        return;
    if (w->expr)
        w->expr(w->context, e);
    for (uint32_t i = 0; i < e->arg_count; i++)
        ez_walk_expr(w, e->args[i]);
}

void ez_walk_stmts(const struct walker *w, struct stmt *s) {
    for (; s; s = s->next) {
        if (w->stmt)
            w->stmt(w->context, s);
        ez_walk_expr(w, s->target);
        ez_walk_expr(w, s->value);
        ez_walk_expr(w, s->last);
        ez_walk_expr(w, s->fill);
        for (uint32_t i = 0; i < s->operand_count; i++)
            ez_walk_expr(w, s->operands[i]);
        ez_walk_stmts(w, s->body);
        ez_walk_stmts(w, s->otherwise);
        for (uint32_t i = 0; i < s->lap_count; i++)
            ez_walk_stmts(w, s->laps[i]);
    }
}

struct name_search {
    const char *name;
    bool found;
};

static void find_name(void *context, struct expr *e) {
    struct name_search *s = context;
    s->found |= e->kind == EXPR_NAME && strcmp(e->name.text, s->name) == 0;
}

static void find_index(void *context, struct expr *e) {
    struct name_search *s = context;
    struct walker w = {s, NULL, find_name};
    if (e->kind != EXPR_INDEX)
        return;
    for (uint32_t i = 0; i < e->arg_count; i++)
        ez_walk_expr(&w, e->args[i]);
}

bool ez_indexes_by(struct stmt *s, const char *name) {
    struct name_search search = {name, false};
    struct walker w = {&search, NULL, find_index};
    ez_walk_stmts(&w, s);
    return search.found;
}

bool ez_mentions(struct stmt *s, const char *name) {
    struct name_search search = {name, false};
    struct walker w = {&search, NULL, find_name};
    ez_walk_stmts(&w, s);
    return search.found;
}

struct cloner {
    struct arena *arena;
    uint64_t *room;
    bool full;
};

static bool takes_room(struct cloner *c) {
    if (!*c->room)
        c->full = true;
    else
        --*c->room;
    return !c->full;
}

static struct expr *clone_expr(struct cloner *c, const struct expr *e) {
    if (!e || !takes_room(c))
        return NULL;
    struct expr *copy = ARENA_NEW(c->arena, struct expr);
    *copy = *e;
    copy->args = e->arg_count ? ARENA_ARRAY(c->arena, e->arg_count, struct expr *) : NULL;
    for (uint32_t i = 0; i < e->arg_count; i++)
        copy->args[i] = clone_expr(c, e->args[i]);
    return copy;
}

static struct type_syntax *clone_type(struct cloner *c, const struct type_syntax *t) {
    if (!t)
        return NULL;
    struct type_syntax *copy = ARENA_NEW(c->arena, struct type_syntax);
    *copy = *t;
    copy->count = clone_expr(c, t->count);
    return copy;
}

static struct stmt *clone_list(struct cloner *c, const struct stmt *s);

static struct stmt *clone_stmt(struct cloner *c, const struct stmt *s) {
    struct stmt *copy = ARENA_NEW(c->arena, struct stmt);
    *copy = *s;
    copy->next = NULL;
    copy->type = clone_type(c, s->type);
    copy->target = clone_expr(c, s->target);
    copy->value = clone_expr(c, s->value);
    copy->last = clone_expr(c, s->last);
    copy->fill = clone_expr(c, s->fill);
    copy->width = clone_expr(c, s->width);
    copy->operands =
        s->operand_count ? ARENA_ARRAY(c->arena, s->operand_count, struct expr *) : NULL;
    for (uint32_t i = 0; i < s->operand_count; i++)
        copy->operands[i] = clone_expr(c, s->operands[i]);
    copy->body = clone_list(c, s->body);
    copy->otherwise = clone_list(c, s->otherwise);
    return copy;
}

static struct stmt *clone_list(struct cloner *c, const struct stmt *s) {
    struct stmt *first = NULL, **end = &first;
    for (; s && takes_room(c); s = s->next) {
        *end = clone_stmt(c, s);
        end = &(*end)->next;
    }
    return first;
}

struct stmt *ez_clone_stmts(struct arena *arena, const struct stmt *s, uint64_t *room) {
    struct cloner c = {arena, room, false};
    struct stmt *copy = clone_list(&c, s);
    return c.full ? NULL : copy;
}
