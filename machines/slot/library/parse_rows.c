/* SPDX-License-Identifier: MIT
 * The parser of row routines, by recursive descent on the tokens and expressions of recipes. */
#include "machines/slot/library/notation.h"

#include <string.h>

struct row_parser {
    struct notation_parser p;
    struct row_units *units;
};

static struct row_stmt *parse_block(struct row_parser *r);

static struct row_stmt *new_stmt(struct row_parser *r, enum row_stmt_kind kind) {
    struct row_stmt *s = ARENA_NEW(r->p.arena, struct row_stmt);
    s->kind = kind;
    s->at = r->p.lex.token.at;
    return s;
}

static bool parse_name(struct row_parser *r, const char *what, struct row_stmt *s) {
    if (s->name_count == ROW_MAX_NAMES) {
        notation_expected(&r->p, "at most 8 names");
        return false;
    }
    return (s->names[s->name_count++] = notation_want_name(&r->p, what, NULL)) != NULL;
}

/* x = value, x, y = value */
static struct row_stmt *parse_assign(struct row_parser *r) {
    struct row_stmt *s = new_stmt(r, ROW_ASSIGN);
    do
        if (!parse_name(r, "a statement", s))
            return NULL;
    while (notation_take_mark(&r->p, ','));
    if (!notation_want_mark(&r->p, '=', "'='") || !(s->value = notation_parse_expr(&r->p)))
        return NULL;
    return s;
}

static struct row_stmt *parse_let(struct row_parser *r) {
    struct row_stmt *s = new_stmt(r, ROW_LET);
    notation_next(&r->p);
    if (!parse_name(r, "a name", s) || !notation_want_mark(&r->p, '=', "'='") ||
        !(s->value = notation_parse_expr(&r->p)))
        return NULL;
    return s;
}

/* for v in lo .. hi { }, for v in hi downto lo { } */
static struct row_stmt *parse_for(struct row_parser *r) {
    struct row_stmt *s = new_stmt(r, ROW_FOR);
    notation_next(&r->p);
    if (!parse_name(r, "the name of the loop's variable", s) || !notation_want_word(&r->p, "in") ||
        !(s->first = notation_parse_expr(&r->p)))
        return NULL;
    s->down = notation_take_word(&r->p, "downto");
    if (!s->down && !notation_want_mark(&r->p, MARK2('.', '.'), "'..' or 'downto'"))
        return NULL;
    if (!(s->last = notation_parse_expr(&r->p)))
        return NULL;
    s->body = parse_block(r);
    return s;
}

static struct row_stmt *parse_if(struct row_parser *r) {
    struct row_stmt *s = new_stmt(r, ROW_IF);
    notation_next(&r->p);
    if (!(s->value = notation_parse_expr(&r->p)))
        return NULL;
    s->body = parse_block(r);
    if (!r->p.failed && notation_take_word(&r->p, "else"))
        s->otherwise = notation_at_word(&r->p, "if") ? parse_if(r) : parse_block(r);
    return s;
}

/* choose { } or { } ... */
static struct row_stmt *parse_choose(struct row_parser *r) {
    struct row_stmt *s = new_stmt(r, ROW_CHOOSE);
    notation_next(&r->p);
    s->body = parse_block(r);
    if (!r->p.failed && notation_at_word(&r->p, "or"))
        s->otherwise = parse_choose(r);
    return s;
}

/* table NAME = 1, 2, ... */
static struct row_stmt *parse_table(struct row_parser *r) {
    VEC(struct recipe_expr *) list = {0};
    struct row_stmt *s = new_stmt(r, ROW_TABLE);
    notation_next(&r->p);
    if (parse_name(r, "the name of the table", s) && notation_want_mark(&r->p, '=', "'='"))
        do {
            struct recipe_expr *e = notation_parse_expr(&r->p);
            vec_push(&list, e);
        } while (!r->p.failed && notation_take_mark(&r->p, ','));
    s->elements = ARENA_ARRAY(r->p.arena, list.len + 1, struct recipe_expr *);
    s->element_count = (uint32_t)list.len;
    if (list.len)
        memcpy(s->elements, list.data, list.len * sizeof *list.data);
    vec_free(&list);
    return s;
}

static struct row_stmt *parse_stmt(struct row_parser *r) {
    static const struct {
        const char *word;
        struct row_stmt *(*parse)(struct row_parser *r);
    } words[] = {{"let", parse_let},
                 {"for", parse_for},
                 {"if", parse_if},
                 {"choose", parse_choose},
                 {"table", parse_table}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (notation_at_word(&r->p, words[i].word))
            return words[i].parse(r);
    return parse_assign(r);
}

static struct row_stmt *parse_block(struct row_parser *r) {
    struct row_stmt *first = NULL, **last = &first;
    if (!notation_enter(&r->p))
        return NULL;
    if (!notation_want_mark(&r->p, '{', "'{'"))
        return NULL;
    while (!r->p.failed && !notation_take_mark(&r->p, '}')) {
        if (notation_take_mark(&r->p, ';'))
            continue;
        struct row_stmt *s = parse_stmt(r);
        if (!s)
            return NULL;
        *last = s;
        last = &s->next;
    }
    r->p.depth--;
    return first;
}

static bool parse_names(struct row_parser *r, const char **names, unsigned *count) {
    do {
        if (*count == ROW_MAX_NAMES) {
            notation_expected(&r->p, "at most 8 operands");
            return false;
        }
        if (!(names[(*count)++] = notation_want_name(&r->p, "the name of an operand", NULL)))
            return false;
    } while (notation_take_mark(&r->p, ','));
    return true;
}

/* NAME(sources) [-> results] */
static bool parse_signature(struct row_parser *r, struct row_routine *unit) {
    if (!(unit->name = notation_want_name(&r->p, "a name", &unit->at)) ||
        !notation_want_mark(&r->p, '(', "'('"))
        return false;
    if (!notation_at_mark(&r->p, ')') && !parse_names(r, unit->in, &unit->in_count))
        return false;
    if (!notation_want_mark(&r->p, ')', "',' or ')'"))
        return false;
    return !notation_take_mark(&r->p, MARK2('-', '>')) ||
           parse_names(r, unit->out, &unit->out_count);
}

/* Up to behind the block that follows; what stands before it and in it is for others. */
static void skip_block(struct row_parser *r) {
    unsigned depth = 0;
    do {
        depth += notation_at_mark(&r->p, '{');
        if (r->p.lex.token.kind == TOKEN_END) {
            notation_expected(&r->p, "'}'");
            return;
        }
        bool closes = notation_at_mark(&r->p, '}');
        notation_next(&r->p);
        if (closes && (!depth || --depth == 0))
            return;
    } while (true);
}

/* recipe NAME(..) -> .. any w rows { }, sub NAME(..) -> .. rows { } */
static void parse_unit(struct row_parser *r, const char *origin) {
    struct row_routine *unit = ARENA_NEW(r->p.arena, struct row_routine);
    unit->sub = notation_at_word(&r->p, "sub");
    unit->text = r->p.lex.token.text;
    unit->origin = origin;
    notation_next(&r->p);
    if (!parse_signature(r, unit))
        return;
    if (!unit->sub && !(notation_take_word(&r->p, "any") && notation_take_word(&r->p, "w"))) {
        skip_block(r);
        return;
    }
    if (!notation_take_word(&r->p, "rows")) {
        skip_block(r);
        return;
    }
    unit->body = parse_block(r);
    unit->size = (size_t)(r->p.lex.before.text + r->p.lex.before.size - unit->text);
    if (!r->p.failed)
        vec_push(&r->units->list, unit);
}

static bool at_unit(const struct row_parser *r) {
    return notation_at_word(&r->p, "recipe") || notation_at_word(&r->p, "sub") ||
           notation_at_word(&r->p, "instruction");
}

/* After an error: on to the next unit. */
static void recover(struct row_parser *r) {
    r->p.failed = false;
    r->p.depth = 0;
    while (r->p.lex.token.kind != TOKEN_END && !at_unit(r))
        notation_next(&r->p);
}

bool row_notation_read(struct row_units *units, const struct user_file *file, bool own,
                       struct diag *diag) {
    struct row_parser r = {.units = units};
    const char *text = arena_copy(&units->arena, file->text, file->size);
    const char *name = arena_strdup(&units->arena, file->name), *origin = own ? name : NULL;
    struct span whole = {diag_source(diag, name, text, file->size), 0, (uint32_t)file->size};
    vec_push(&units->sources, ((struct row_source){whole.source, name, text, file->size}));
    uint32_t errors = diag_errors(diag);
    notation_start(&r.p, text, file->size, whole, true, &units->arena, diag);
    while (r.p.lex.token.kind != TOKEN_END && !diag_full(diag)) {
        if (notation_at_word(&r.p, "instruction"))
            skip_block(&r);
        else if (at_unit(&r))
            parse_unit(&r, origin);
        else
            notation_expected(&r.p, "'recipe', 'sub' or 'instruction'");
        if (r.p.failed)
            recover(&r);
    }
    return diag_errors(diag) == errors;
}
