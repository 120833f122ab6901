/* SPDX-License-Identifier: MIT
 * Nodes of the syntax tree, for the grammar's actions. */
#include "ezpim/ez/parser.h"
#include "ezpim/ez/walk.h"
#include "support/ieee_text.h"

#include <string.h>

struct span ez_span_join(struct span left, struct span right) {
    return (struct span){left.source, left.begin, right.end > left.end ? right.end : left.end};
}

struct expr **ez_pool_take(struct ez_parser *parser, size_t mark, uint32_t *count) {
    size_t n = parser->pool.len > mark ? parser->pool.len - mark
                                       : 0; /* less: an error inside emptied it */
    *count = (uint32_t)n;
    if (n == 0)
        return NULL;
    struct expr **items = ARENA_ARRAY(parser->arena, n, struct expr *);
    memcpy(items, parser->pool.data + mark, n * sizeof *items);
    parser->pool.len = mark;
    return items;
}

static struct expr *make_expr(struct ez_parser *parser, enum expr_kind kind, struct span at) {
    struct expr *e = ARENA_NEW(parser->arena, struct expr);
    e->kind = kind;
    e->at = at;
    e->height = 1;
    return e;
}

/* The node, or an error node when it is too deep. */
static struct expr *bounded(struct ez_parser *parser, struct expr *e) {
    if (e->depth <= EZ_MAX_DEPTH && e->height <= EZ_MAX_HEIGHT)
        return e;
    if (e->depth > EZ_MAX_DEPTH)
        ez_parser_error(parser, e->at,
                        "the expression is nested more than %d levels deep; `let` gives a part a "
                        "name",
                        EZ_MAX_DEPTH);
    else
        ez_parser_error(parser, e->at,
                        "the expression has more than %d operators in a row; `let` gives a part a "
                        "name",
                        EZ_MAX_HEIGHT - 1);
    return make_expr(parser, EXPR_ERROR, e->at);
}

/* A node above its arguments; an error node when that gets too deep. */
static struct expr *make_parent(struct ez_parser *parser, enum expr_kind kind, struct span at,
                                struct expr **args, uint32_t count) {
    struct expr *e = make_expr(parser, kind, at);
    uint16_t deeper = kind != EXPR_BINARY;
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->depth + deeper > e->depth)
            e->depth = (uint16_t)(args[i]->depth + deeper);
        if (args[i]->height >= e->height)
            e->height = (uint16_t)(args[i]->height + 1);
    }
    e->args = args;
    e->arg_count = count;
    return bounded(parser, e);
}

/* A number of floating point, without the _ between its digits; NULL: it is none. */
static const char *real_text(struct ez_parser *parser, const char *text, size_t n) {
    char *out = arena_strndup(parser->arena, text, n);
    size_t kept = 0;
    uint64_t value;
    for (size_t i = 0; i < n; i++)
        if (text[i] != '_')
            out[kept++] = text[i];
    out[kept] = '\0';
    return ieee_parse(ieee_binary(64), text, n, &value) == IEEE_NO_NUMBER ? NULL : out;
}

struct expr *ez_make_number(struct ez_parser *parser, struct span at) {
    struct expr *e = make_expr(parser, EXPR_NUMBER, at);
    const char *text = parser->text + at.begin, *real;
    size_t n = at.end - at.begin;
    uint64_t value;
    if (number_parse_u64(text, n, &value)) {
        e->number = value;
        return e;
    }
    if ((real = real_text(parser, text, n))) { /* so is a whole number from 2^64 on */
        e->kind = EXPR_REAL;
        e->name = (struct ez_name){real, at};
        return e;
    }
    bool broken = parser->broken; /* an error node stands in for it */
    ez_parser_error(parser, at, "`%.*s` is not a number below 2^64", (int)(at.end - at.begin),
                    parser->text + at.begin);
    parser->broken = broken;
    e->kind = EXPR_ERROR;
    return e;
}

struct expr *ez_make_bool(struct ez_parser *parser, struct span at, bool value) {
    struct expr *e = make_expr(parser, EXPR_BOOL, at);
    e->number = value;
    return e;
}

struct expr *ez_make_name(struct ez_parser *parser, struct ez_name name) {
    struct expr *e = make_expr(parser, EXPR_NAME, name.at);
    e->name = name;
    return e;
}

struct expr *ez_make_unary(struct ez_parser *parser, struct span at, enum unary_op op,
                           struct expr *expr) {
    struct expr **args = ARENA_ARRAY(parser->arena, 1, struct expr *);
    args[0] = expr;
    struct expr *u = make_parent(parser, EXPR_UNARY, at, args, 1);
    u->op = (uint8_t)op;
    return u;
}

struct expr *ez_make_binary(struct ez_parser *parser, enum binary_op op, struct expr *left,
                            struct expr *right) {
    struct expr **args = ARENA_ARRAY(parser->arena, 2, struct expr *);
    args[0] = left;
    args[1] = right;
    struct expr *e = make_parent(parser, EXPR_BINARY, ez_span_join(left->at, right->at), args, 2);
    e->op = (uint8_t)op;
    return e;
}

/* ---- characters ---- */

/* The byte at *cursor, which goes behind it; what stands behind `\\` is one of a few. */
static ez_number next_byte(struct ez_parser *parser, const char **cursor, struct span at) {
    static const char escapes[][2] = {{'n', '\n'},  {'r', '\r'},  {'t', '\t'}, {'0', '\0'},
                                      {'\\', '\\'}, {'\'', '\''}, {'"', '"'}};
    char c = *(*cursor)++;
    if (c != '\\')
        return (unsigned char)c;
    c = *(*cursor)++;
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i][0] == c)
            return (unsigned char)escapes[i][1];
    ez_parser_error(parser, at, "`\\%c` is no character; there are \\n \\r \\t \\0 \\\\ \\' \\\"",
                    c);
    return 0;
}

static struct expr *byte_of(struct ez_parser *parser, const char **cursor, struct span at) {
    struct expr *e = make_expr(parser, EXPR_NUMBER, at);
    e->number = next_byte(parser, cursor, at);
    return e;
}

struct expr *ez_make_character(struct ez_parser *parser, struct span at) {
    const char *cursor = parser->text + at.begin + 1;
    return byte_of(parser, &cursor, at);
}

struct expr *ez_make_characters(struct ez_parser *parser, struct span at) {
    const char *cursor = parser->text + at.begin + 1, *end = parser->text + at.end - 1;
    size_t mark = parser->pool.len;
    while (cursor < end)
        vec_push(&parser->pool, byte_of(parser, &cursor, at));
    struct expr *e = ez_make_list(parser, at, mark);
    e->name = (struct ez_name){"u8", at}; /* the type that a table of it has by itself */
    return e;
}

struct type_syntax *ez_text_type(struct ez_parser *parser, struct type_syntax *type,
                                 const struct expr *value) {
    if (type || value->kind != EXPR_LIST || !value->name.text)
        return type;
    struct expr *count = make_expr(parser, EXPR_NUMBER, value->at);
    count->number = value->arg_count;
    return ez_make_type(parser, value->at, value->name, count, (struct ez_name){0});
}

struct expr *ez_make_choice(struct ez_parser *parser, struct span at, struct expr *condition,
                            struct expr *yes, struct expr *no) {
    size_t mark = parser->pool.len;
    vec_push(&parser->pool, condition);
    vec_push(&parser->pool, yes);
    vec_push(&parser->pool, no);
    return ez_make_call(parser, EXPR_CALL, at, (struct ez_name){"select", at}, mark);
}

struct expr *ez_make_call(struct ez_parser *parser, enum expr_kind kind, struct span at,
                          struct ez_name name, size_t mark) {
    uint32_t count;
    struct expr **args = ez_pool_take(parser, mark, &count);
    struct expr *e = make_parent(parser, kind, at, args, count);
    e->name = name;
    return e;
}

struct expr *ez_make_list(struct ez_parser *parser, struct span at, size_t mark) {
    uint32_t count;
    struct expr **args = ez_pool_take(parser, mark, &count);
    return make_parent(parser, EXPR_LIST, at, args, count);
}

struct expr *ez_parenthesize(struct ez_parser *parser, struct expr *expr, struct span at) {
    expr->parenthesized = true;
    expr->at = at;
    expr->depth++;
    return bounded(parser, expr);
}

struct ez_name ez_make_identifier(struct ez_parser *parser, struct span at) {
    return (struct ez_name){
        arena_strndup(parser->arena, parser->text + at.begin, at.end - at.begin), at};
}

struct ez_name ez_make_text(struct ez_parser *parser, struct span at) {
    const char *text = parser->text + at.begin + 1;
    return (struct ez_name){arena_strndup(parser->arena, text, at.end - at.begin - 2), at};
}

struct type_syntax *ez_make_type(struct ez_parser *parser, struct span at, struct ez_name name,
                                 struct expr *count, struct ez_name group) {
    struct type_syntax *t = ARENA_NEW(parser->arena, struct type_syntax);
    *t = (struct type_syntax){.name = name, .count = count, .group = group, .at = at};
    return t;
}

struct stmt *ez_make_stmt(struct ez_parser *parser, enum stmt_kind kind, struct span at,
                          struct span word) {
    struct stmt *s = ARENA_NEW(parser->arena, struct stmt);
    s->kind = kind;
    s->at = at;
    s->word = word;
    return s;
}

struct stmt *ez_make_assign(struct ez_parser *parser, struct span at, struct expr *target,
                            struct expr *value) {
    struct stmt *s = ez_make_stmt(parser, STMT_ASSIGN, at, target->at);
    s->target = target;
    s->value = value;
    return s;
}

struct stmt *ez_make_move(struct ez_parser *parser, struct span at, struct span word,
                          struct expr *target, struct expr *value, size_t bounds) {
    struct stmt *s = ez_make_stmt(parser, STMT_MOVE, at, word);
    s->operands = ez_pool_take(parser, bounds, &s->operand_count);
    s->target = target;
    s->value = value;
    return s;
}

struct stmt *ez_make_compact(struct ez_parser *parser, struct span at, struct span word,
                             struct expr *target, struct expr *value, struct expr *where) {
    struct stmt *s = ez_make_stmt(parser, STMT_COMPACT, at, word);
    s->target = target;
    s->value = value;
    s->last = where;
    return s;
}

struct stmt *ez_make_collective(struct ez_parser *parser, struct span at, struct span word,
                                enum collective_kind kind, struct expr *target,
                                struct expr *value) {
    struct stmt *s = ez_make_stmt(parser, STMT_COLLECTIVE, at, word);
    s->op = (uint8_t)kind;
    s->target = target;
    s->value = value;
    return s;
}

void ez_set_directions(struct ez_parser *parser, size_t mark, uint8_t direction) {
    for (size_t i = mark; i < parser->pool.len; i++)
        parser->pool.data[i]->op = direction;
}

void ez_set_root(struct ez_parser *parser, struct stmt *stmt, size_t mark) {
    stmt->operands = ez_pool_take(parser, mark, &stmt->operand_count);
}

/* False after reporting that it is another word. */
bool ez_expect_word(struct ez_parser *parser, struct ez_name name, const char *word) {
    if (strcmp(name.text, word) == 0)
        return true;
    ez_parser_error(parser, name.at, "expected `%s`, found `%s`", word, name.text);
    return false;
}

void ez_set_units(struct ez_parser *parser, struct stmt *stmt, size_t mark) {
    uint32_t count;
    struct expr **list = ez_pool_take(parser, mark, &count);
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        struct expr **part = strcmp(list[i]->name.text, "from") == 0 ? &stmt->last : &stmt->value;
        if (part == &stmt->value && !ez_expect_word(parser, list[i]->name, "units"))
            return;
        if (*part) {
            ez_parser_error(parser, list[i]->at, "`%s` is said twice", list[i]->name.text);
            return;
        }
        *part = list[i + 1];
    }
    if (stmt->last && !stmt->value)
        ez_parser_error(parser, stmt->last->at,
                        "`from` names the first of some `units`: how many "
                        "are they?");
}

void ez_push_bound(struct ez_parser *parser, struct ez_name name, struct expr *first,
                   struct expr *last) {
    vec_push(&parser->pool, ez_make_name(parser, name));
    vec_push(&parser->pool, first);
    vec_push(&parser->pool, last);
}

struct stmt *ez_make_for(struct ez_parser *parser, struct span at, struct span word,
                         struct ez_name name, struct expr *first, struct expr *last,
                         struct stmt *body) {
    struct stmt *s = ez_make_stmt(parser, STMT_FOR, at, word);
    s->name = name;
    s->value = first;
    s->last = last;
    s->body = body;
    return s;
}

/* ---- steps ---- */

/* A loop with a step counts its iterations; what its body calls the counter is worked out. */
struct stepping {
    struct ez_parser *parser;
    const char *name; /* of the counter, where it counts: told by its address */
    const char *written;
    const struct expr *first, *step;
    bool down;
};

static struct expr *copy_of(struct ez_parser *parser, const struct expr *expr) {
    uint64_t room = UINT64_MAX;
    return ez_clone_expr(parser->arena, expr, &room);
}

static void work_out(void *context, struct expr *expr) {
    const struct stepping *s = context;
    if (expr->kind != EXPR_NAME || expr->name.text == s->name ||
        strcmp(expr->name.text, s->written) != 0)
        return;
    struct expr *counter = make_expr(s->parser, EXPR_NAME, expr->at);
    counter->name = (struct ez_name){s->name, expr->at};
    struct expr *grown =
        ez_make_binary(s->parser, BINARY_MUL, copy_of(s->parser, s->step), counter);
    struct expr *value = ez_make_binary(s->parser, s->down ? BINARY_SUB : BINARY_ADD,
                                        copy_of(s->parser, s->first), grown);
    value->at = expr->at;
    value->parenthesized = true;
    *expr = *value;
}

void ez_set_step(struct ez_parser *parser, struct stmt *stmt, struct expr *step) {
    if (!step)
        return;
    bool down = step->kind == EXPR_UNARY && step->op == UNARY_NEG;
    struct stepping s = {.parser = parser,
                         .name = arena_strdup(parser->arena, stmt->name.text),
                         .written = stmt->name.text,
                         .first = stmt->value,
                         .step = down ? step->args[0] : step,
                         .down = down};
    const struct walker w = {&s, NULL, work_out};
    ez_walk_stmts(&w, stmt->body);
    struct expr *from = copy_of(parser, down ? stmt->value : stmt->last);
    struct expr *to = copy_of(parser, down ? stmt->last : stmt->value);
    struct expr *one = make_expr(parser, EXPR_NUMBER, step->at), *zero = one;
    zero = make_expr(parser, EXPR_NUMBER, stmt->value->at);
    one->number = 1;
    struct expr *rounded = ez_make_binary(
        parser, BINARY_SUB,
        ez_make_binary(parser, BINARY_ADD, ez_make_binary(parser, BINARY_SUB, from, to),
                       copy_of(parser, s.step)),
        one);
    stmt->value = zero;
    stmt->last = ez_make_binary(parser, BINARY_DIV, rounded, copy_of(parser, s.step));
    stmt->last->at = step->at;
    stmt->steps = true;
}

struct stmt_list ez_append_stmt(struct stmt_list list, struct stmt *stmt) {
    if (!list.first)
        return (struct stmt_list){stmt, stmt};
    list.last->next = stmt;
    return (struct stmt_list){list.first, stmt};
}

struct decl *ez_make_decl(struct ez_parser *parser, enum decl_kind kind, struct span at,
                          struct span word) {
    struct decl *d = ARENA_NEW(parser->arena, struct decl);
    d->kind = kind;
    d->at = at;
    d->word = word;
    return d;
}

struct decl *ez_make_param(struct ez_parser *parser, struct span at, uint8_t direction,
                           struct ez_name name, struct type_syntax *type) {
    struct decl *d = ez_make_decl(parser, DECL_VAR, at, name.at);
    ez_decl_name(parser, d, name);
    d->direction = direction;
    d->type = type;
    return d;
}

struct decl *ez_make_kernel_param(struct ez_parser *parser, struct span at, struct ez_name name,
                                  struct ez_name type) {
    return ez_make_param(parser, at, VAR_LOCAL, name,
                         ez_make_type(parser, type.at, type, NULL, (struct ez_name){0}));
}

struct form_text *ez_make_form_text(struct ez_parser *parser, struct span at) {
    struct form_text *own = ARENA_NEW(parser->arena, struct form_text);
    own->at = at;
    return own;
}

struct form_text *ez_make_form_file(struct ez_parser *parser, struct ez_name word,
                                    struct ez_name file) {
    struct form_text *own = ez_make_form_text(parser, NO_SPAN);
    ez_expect_word(parser, word, "from");
    own->file = file;
    return own;
}

void ez_decl_form(struct decl *decl, const struct form_text *own, struct ez_name form) {
    decl->own = *own;
    decl->own.form = form;
}

void ez_decl_entry(struct ez_parser *parser, struct decl *decl, struct ez_name module,
                   struct ez_name word, struct ez_name entry) {
    ez_expect_word(parser, word, "entry");
    decl->module = module;
    decl->entry = entry;
}

void ez_decl_name(struct ez_parser *parser, struct decl *decl, struct ez_name name) {
    decl->names = ARENA_NEW(parser->arena, struct ez_name);
    decl->names[0] = name;
    decl->name_count = 1;
}

void ez_decl_names(struct ez_parser *parser, struct decl *decl, size_t mark) {
    struct expr **items = ez_pool_take(parser, mark, &decl->name_count);
    decl->names = ARENA_ARRAY(parser->arena, decl->name_count, struct ez_name);
    for (uint32_t i = 0; i < decl->name_count; i++)
        decl->names[i] = items[i]->name;
}

uint8_t ez_consumed_direction(struct ez_parser *parser, uint8_t direction, struct span word) {
    if (direction == VAR_IN)
        return VAR_IN | VAR_CONSUMED;
    ez_parser_error(parser, word, "only an input can be consumed: `in consumed x: ...`");
    return direction;
}

void ez_decl_group(struct ez_parser *parser, struct decl *decl, struct ez_name name,
                   struct extent_list extents, struct ez_name like, struct ez_name on) {
    ez_decl_name(parser, decl, name);
    decl->extents = extents;
    decl->like = like;
    decl->on = on;
}

struct decl_list ez_append_decl(struct decl_list list, struct decl *decl) {
    if (!list.first)
        return (struct decl_list){decl, decl};
    list.last->next = decl;
    return (struct decl_list){list.first, decl};
}
