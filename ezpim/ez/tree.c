/* SPDX-License-Identifier: MIT
 * Nodes of the syntax tree, for the grammar's actions. */
#include "ezpim/ez/parser.h"

#include <string.h>

struct span span_join(struct span a, struct span b) {
    return (struct span){a.source, a.begin, b.end > a.end ? b.end : a.end};
}

struct expr **pool_take(struct parser *p, size_t mark, uint32_t *count) {
    size_t n = p->pool.len > mark ? p->pool.len - mark : 0; /* less: an error inside emptied it */
    *count = (uint32_t)n;
    if (n == 0)
        return NULL;
    struct expr **items = ARENA_ARRAY(p->arena, n, struct expr *);
    memcpy(items, p->pool.data + mark, n * sizeof *items);
    p->pool.len = mark;
    return items;
}

static struct expr *make_expr(struct parser *p, enum expr_kind kind, struct span at) {
    struct expr *e = ARENA_NEW(p->arena, struct expr);
    e->kind = kind;
    e->at = at;
    e->depth = 1;
    return e;
}

/* A node above its arguments; an error node when that gets too deep. */
static struct expr *make_parent(struct parser *p, enum expr_kind kind, struct span at,
                                struct expr **args, uint32_t count) {
    struct expr *e = make_expr(p, kind, at);
    for (uint32_t i = 0; i < count; i++)
        if (args[i]->depth >= e->depth)
            e->depth = args[i]->depth + 1;
    e->args = args;
    e->arg_count = count;
    if (e->depth <= EZ_MAX_DEPTH)
        return e;
    parser_error(p, at,
                 "the expression is nested more than %d levels deep; `let` gives a part a name",
                 EZ_MAX_DEPTH);
    return make_expr(p, EXPR_ERROR, at);
}

struct expr *make_number(struct parser *p, struct span at) {
    struct expr *e = make_expr(p, EXPR_NUMBER, at);
    uint64_t value;
    if (number_parse_u64(p->text + at.begin, at.end - at.begin, &value)) {
        e->number = value;
        return e;
    }
    bool broken = p->broken; /* an error node stands in for it */
    parser_error(p, at, "`%.*s` is not a number below 2^64", (int)(at.end - at.begin),
                 p->text + at.begin);
    p->broken = broken;
    e->kind = EXPR_ERROR;
    return e;
}

struct expr *make_bool(struct parser *p, struct span at, bool value) {
    struct expr *e = make_expr(p, EXPR_BOOL, at);
    e->number = value;
    return e;
}

struct expr *make_name(struct parser *p, struct name name) {
    struct expr *e = make_expr(p, EXPR_NAME, name.at);
    e->name = name;
    return e;
}

struct expr *make_unary(struct parser *p, struct span at, enum unary_op op, struct expr *e) {
    struct expr **args = ARENA_ARRAY(p->arena, 1, struct expr *);
    args[0] = e;
    struct expr *u = make_parent(p, EXPR_UNARY, at, args, 1);
    u->op = (uint8_t)op;
    return u;
}

struct expr *make_binary(struct parser *p, enum binary_op op, struct expr *a, struct expr *b) {
    struct expr **args = ARENA_ARRAY(p->arena, 2, struct expr *);
    args[0] = a;
    args[1] = b;
    struct expr *e = make_parent(p, EXPR_BINARY, span_join(a->at, b->at), args, 2);
    e->op = (uint8_t)op;
    return e;
}

struct expr *make_call(struct parser *p, enum expr_kind kind, struct span at, struct name name,
                       size_t mark) {
    uint32_t count;
    struct expr **args = pool_take(p, mark, &count);
    struct expr *e = make_parent(p, kind, at, args, count);
    e->name = name;
    return e;
}

struct expr *make_list(struct parser *p, struct span at, size_t mark) {
    uint32_t count;
    struct expr **args = pool_take(p, mark, &count);
    return make_parent(p, EXPR_LIST, at, args, count);
}

struct expr *parenthesize(struct expr *e, struct span at) {
    e->parenthesized = true;
    e->at = at;
    return e;
}

struct name make_identifier(struct parser *p, struct span at) {
    return (struct name){arena_strndup(p->arena, p->text + at.begin, at.end - at.begin), at};
}

struct name make_text(struct parser *p, struct span at) {
    const char *text = p->text + at.begin + 1;
    return (struct name){arena_strndup(p->arena, text, at.end - at.begin - 2), at};
}

struct type_syntax *make_type(struct parser *p, struct span at, struct name name,
                              struct expr *count, struct name group) {
    struct type_syntax *t = ARENA_NEW(p->arena, struct type_syntax);
    *t = (struct type_syntax){.name = name, .count = count, .group = group, .at = at};
    return t;
}

struct stmt *make_stmt(struct parser *p, enum stmt_kind kind, struct span at, struct span word) {
    struct stmt *s = ARENA_NEW(p->arena, struct stmt);
    s->kind = kind;
    s->at = at;
    s->word = word;
    return s;
}

struct stmt *make_assign(struct parser *p, struct span at, struct expr *target,
                         struct expr *value) {
    struct stmt *s = make_stmt(p, STMT_ASSIGN, at, target->at);
    s->target = target;
    s->value = value;
    return s;
}

struct stmt *make_move(struct parser *p, struct span at, struct span word, struct expr *target,
                       struct expr *value, size_t bounds) {
    struct stmt *s = make_stmt(p, STMT_MOVE, at, word);
    s->operands = pool_take(p, bounds, &s->operand_count);
    s->target = target;
    s->value = value;
    return s;
}

struct stmt *make_compact(struct parser *p, struct span at, struct span word, struct expr *target,
                          struct expr *value, struct expr *where) {
    struct stmt *s = make_stmt(p, STMT_COMPACT, at, word);
    s->target = target;
    s->value = value;
    s->last = where;
    return s;
}

struct stmt *make_collective(struct parser *p, struct span at, struct span word,
                             enum collective_kind kind, struct expr *target, struct expr *value) {
    struct stmt *s = make_stmt(p, STMT_COLLECTIVE, at, word);
    s->op = (uint8_t)kind;
    s->target = target;
    s->value = value;
    return s;
}

void set_directions(struct parser *p, size_t mark, uint8_t direction) {
    for (size_t i = mark; i < p->pool.len; i++)
        p->pool.data[i]->op = direction;
}

void set_root(struct parser *p, struct stmt *s, size_t mark) {
    s->operands = pool_take(p, mark, &s->operand_count);
}

void push_bound(struct parser *p, struct name name, struct expr *first, struct expr *last) {
    vec_push(&p->pool, make_name(p, name));
    vec_push(&p->pool, first);
    vec_push(&p->pool, last);
}

struct stmt *make_for(struct parser *p, struct span at, struct span word, struct name name,
                      struct expr *first, struct expr *last, struct stmt *body) {
    struct stmt *s = make_stmt(p, STMT_FOR, at, word);
    s->name = name;
    s->value = first;
    s->last = last;
    s->body = body;
    return s;
}

struct stmt_list append_stmt(struct stmt_list list, struct stmt *s) {
    if (!list.first)
        return (struct stmt_list){s, s};
    list.last->next = s;
    return (struct stmt_list){list.first, s};
}

struct decl *make_decl(struct parser *p, enum decl_kind kind, struct span at, struct span word) {
    struct decl *d = ARENA_NEW(p->arena, struct decl);
    d->kind = kind;
    d->at = at;
    d->word = word;
    return d;
}

struct decl *make_param(struct parser *p, struct span at, uint8_t direction, struct name name,
                        struct type_syntax *type) {
    struct decl *d = make_decl(p, DECL_VAR, at, name.at);
    decl_name(p, d, name);
    d->direction = direction;
    d->type = type;
    return d;
}

void decl_name(struct parser *p, struct decl *d, struct name name) {
    d->names = ARENA_NEW(p->arena, struct name);
    d->names[0] = name;
    d->name_count = 1;
}

void decl_names(struct parser *p, struct decl *d, size_t mark) {
    struct expr **items = pool_take(p, mark, &d->name_count);
    d->names = ARENA_ARRAY(p->arena, d->name_count, struct name);
    for (uint32_t i = 0; i < d->name_count; i++)
        d->names[i] = items[i]->name;
}

uint8_t consumed_direction(struct parser *p, uint8_t direction, struct span word) {
    if (direction == VAR_IN)
        return VAR_IN | VAR_CONSUMED;
    parser_error(p, word, "only an input can be consumed: `in consumed x: ...`");
    return direction;
}

void decl_group(struct parser *p, struct decl *d, struct name name, struct extent_list extents,
                struct name like, struct name on) {
    decl_name(p, d, name);
    d->extents = extents;
    d->like = like;
    d->on = on;
}

struct decl_list append_decl(struct decl_list list, struct decl *d) {
    if (!list.first)
        return (struct decl_list){d, d};
    list.last->next = d;
    return (struct decl_list){list.first, d};
}
