/* SPDX-License-Identifier: MIT
 * The parser of recipe files, by recursive descent: the grammar needs one token of lookahead, and
 * messages say what was expected in the words of the notation. */
#include "recipe/notation/ast.h"

#include "support/alloc.h"

#include <string.h>

struct recipe_parser {
    struct notation_parser p;
    struct recipe_ast *ast;
    const struct recipe_file *file;
    const struct target *target;
    struct recipe *recipe;    /* NULL inside a sub */
    struct recipe_unit *unit; /* the one being read */
};

static struct recipe_stmt *parse_block(struct recipe_parser *r);

static struct recipe_stmt *new_stmt(struct recipe_parser *r, enum recipe_stmt_kind kind) {
    struct recipe_stmt *s = ARENA_NEW(r->p.arena, struct recipe_stmt);
    s->kind = kind;
    s->id = r->ast->next_id++;
    s->at = r->p.lex.token.at;
    return s;
}

static struct recipe_stmt *done(struct recipe_parser *r, struct recipe_stmt *s, bool fine) {
    if (!fine || r->p.failed)
        return NULL;
    s->at = span_join(s->at, r->p.lex.before.at);
    return s;
}

static struct recipe_expr *parse_new_name(struct recipe_parser *r, const char *what) {
    struct span at;
    const char *name = notation_want_name(&r->p, what, &at);
    if (!name)
        return NULL;
    struct recipe_expr *e = ARENA_NEW(r->p.arena, struct recipe_expr);
    *e = (struct recipe_expr){.kind = EXPR_NAME, .name = name, .at = at, .name_at = at};
    return e;
}

/* for v in lo .. hi { }, for v in hi downto lo { } */
static struct recipe_stmt *parse_for(struct recipe_parser *r) {
    struct recipe_stmt *s = new_stmt(r, STMT_FOR);
    s->serial = notation_take_word(&r->p, "serial");
    if (!notation_want_word(&r->p, "for") ||
        !(s->targets[0] = parse_new_name(r, "the name of the loop's variable")) ||
        !notation_want_word(&r->p, "in") || !(s->first = notation_parse_expr(&r->p)))
        return NULL;
    s->target_count = 1;
    s->down = notation_take_word(&r->p, "downto");
    if (!s->down && !notation_want_mark(&r->p, MARK2('.', '.'), "'..' or 'downto'"))
        return NULL;
    s->last = notation_parse_expr(&r->p);
    struct recipe_stmt *head = s->last ? done(r, s, true) : NULL;
    if (head)
        s->body = parse_block(r);
    return r->p.failed ? NULL : head;
}

static struct recipe_stmt *parse_if(struct recipe_parser *r) {
    struct recipe_stmt *s = new_stmt(r, STMT_IF);
    notation_next(&r->p);
    s->value = notation_parse_expr(&r->p);
    if (!s->value)
        return NULL;
    s->body = parse_block(r);
    if (!r->p.failed && notation_take_word(&r->p, "else"))
        s->otherwise = notation_at_word(&r->p, "if") ? parse_if(r) : parse_block(r);
    return done(r, s, true);
}

static struct recipe_stmt *parse_at(struct recipe_parser *r) {
    struct recipe_stmt *s = new_stmt(r, STMT_AT);
    notation_next(&r->p);
    s->first = notation_parse_expr(&r->p);
    if (s->first)
        s->body = parse_block(r);
    return done(r, s, s->first != NULL);
}

/* carry [down] c [@ section] [= operand or call; in a generic recipe logic] */
static struct recipe_stmt *parse_carry(struct recipe_parser *r) {
    struct recipe_stmt *s = new_stmt(r, STMT_CARRY);
    notation_next(&r->p);
    s->down = notation_take_word(&r->p, "down");
    s->target_count = 1;
    if (!(s->targets[0] = parse_new_name(r, "the name of the carry")))
        return NULL;
    if (notation_take_mark(&r->p, '@') && !(s->first = notation_parse_expr(&r->p)))
        return NULL;
    if (notation_take_mark(&r->p, '=') &&
        !(s->value = r->unit->generic ? notation_parse_expr(&r->p) : notation_parse_operand(&r->p)))
        return NULL;
    return done(r, s, true);
}

static struct recipe_stmt *parse_let(struct recipe_parser *r) {
    struct recipe_stmt *s = new_stmt(r, STMT_LET);
    notation_next(&r->p);
    s->target_count = 1;
    bool fine = (s->targets[0] = parse_new_name(r, "a name")) != NULL &&
                notation_want_mark(&r->p, '=', "'='") &&
                (s->value = notation_parse_expr(&r->p)) != NULL;
    return done(r, s, fine);
}

/* t = OP(x, y);  s, c = SUB(x);  in a mapped recipe also k = t */
static bool want_call(struct recipe_parser *r, struct recipe_stmt *s) {
    const struct recipe_expr *e = s->value;
    if (e->kind == EXPR_CALL)
        return true;
    if (r->unit->mapped && s->target_count == 1) {
        s->kind = STMT_PASS;
        return true;
    }
    diag_error(r->p.diag, e->at,
               "expected a micro-op or a sub, like OP(%s); 'let x = y' gives y a second name",
               e->name);
    r->p.failed = true;
    return false;
}

/* What stands on the right: a call, or in a generic recipe also logic. */
static bool parse_value(struct recipe_parser *r, struct recipe_stmt *s) {
    s->value = r->unit->generic ? notation_parse_expr(&r->p) : notation_parse_operand(&r->p);
    if (!s->value)
        return false;
    if (!r->unit->generic)
        return want_call(r, s);
    if (s->value->kind != EXPR_CALL || notation_function_named(s->value->name) != LOGIC_COUNT)
        s->kind = STMT_LOGIC;
    return true;
}

/* The two marks < and - side by side. */
static bool at_arrow(const struct recipe_parser *r) {
    const struct lexer *x = &r->p.lex;
    return notation_at_mark(&r->p, '<') && x->next < x->size && x->text[x->next] == '-';
}

/* AAP d[j] <- B13;  AP B15;  the cursor is behind the name of the command. */
static struct recipe_stmt *parse_arrow(struct recipe_parser *r, struct recipe_stmt *s,
                                       struct recipe_expr *name) {
    if (r->unit->generic) {
        diag_error(r->p.diag, name->at, "a generic recipe is logic, not micro-ops: '%s'",
                   name->name);
        r->p.failed = true;
        return NULL;
    }
    struct recipe_expr *first = notation_parse_operand(&r->p);
    s->kind = STMT_ARROW;
    if (first && at_arrow(r)) {
        s->targets[s->target_count++] = first;
        notation_next(&r->p);
        notation_next(&r->p);
        first = notation_parse_operand(&r->p);
    }
    if (!first)
        return NULL;
    if (first->kind == EXPR_CALL) {
        diag_error(r->p.diag, first->at, "expected '=', found '%s'", first->name);
        r->p.failed = true;
        return NULL;
    }
    s->value = name;
    name->kind = EXPR_CALL;
    name->height = (uint16_t)(first->height + 1);
    name->args = ARENA_ARRAY(r->p.arena, 1, struct recipe_expr *);
    name->args[name->count++] = first;
    return done(r, s, true);
}

/* t = OP(x, y);  s, c = SUB(x);  SUB(x);  t = a[j] & b[j];  AAP x <- y */
static struct recipe_stmt *parse_assignment(struct recipe_parser *r) {
    struct recipe_stmt *s = new_stmt(r, STMT_CALL);
    struct recipe_expr *e = notation_parse_operand(&r->p);
    if (!e)
        return NULL;
    if (e->kind == EXPR_CALL) {
        s->value = e;
        return done(r, s, true);
    }
    if (e->kind == EXPR_NAME && r->p.lex.token.kind == TOKEN_NAME)
        return parse_arrow(r, s, e);
    s->targets[s->target_count++] = e;
    while (notation_take_mark(&r->p, ',')) {
        if (s->target_count == OP_MAX_DESTS) {
            notation_expected(&r->p, "at most 6 destinations");
            return NULL;
        }
        if (!(e = notation_parse_operand(&r->p)))
            return NULL;
        s->targets[s->target_count++] = e;
    }
    return done(r, s, notation_want_mark(&r->p, '=', "'='") && parse_value(r, s));
}

/* result == expression { , result == expression } */
static bool parse_computes(struct recipe_parser *r) {
    struct recipe *c = r->recipe;
    do {
        struct recipe_expr *e = notation_parse_expr(&r->p);
        if (!e)
            return false;
        if (e->kind != EXPR_BINARY || e->op != MARK2('=', '=') || c->computes_count == MAX_PARAMS) {
            diag_error(r->p.diag, e->at, "computes says 'result == expression', once a result");
            r->p.failed = true;
            return false;
        }
        c->computes[c->computes_count++] = e;
    } while (notation_take_mark(&r->p, ','));
    return true;
}

static bool is_relation(const struct recipe_expr *e) {
    return e->kind == EXPR_BINARY && (e->op == MARK2('=', '=') || e->op == MARK2('<', '='));
}

static bool parse_expects(struct recipe_parser *r) {
    struct recipe *c = r->recipe;
    do {
        struct recipe_expr *e = notation_parse_expr(&r->p);
        if (!e)
            return false;
        if (!is_relation(e) || c->expect_count == MAX_EXPECTS) {
            diag_error(r->p.diag, e->at,
                       "expect takes up to %d relations 'count == expression' or "
                       "'count <= expression'",
                       MAX_EXPECTS);
            r->p.failed = true;
            return false;
        }
        if (!c->expects)
            c->expects = ARENA_ARRAY(r->p.arena, MAX_EXPECTS, struct recipe_expr *);
        c->expects[c->expect_count++] = e;
    } while (notation_take_mark(&r->p, ','));
    return true;
}

const char *const notation_gain_names[GAIN_FIGURES] = {"micro_ops", "latency", "interval"};

static bool want_number(struct recipe_parser *r, const char *what, int64_t most, int64_t *n) {
    const struct recipe_token *t = &r->p.lex.token;
    if (t->kind != TOKEN_NUMBER || t->number < 1 || t->number > most) {
        notation_expected(&r->p, what);
        return false;
    }
    *n = t->number;
    notation_next(&r->p);
    return true;
}

/* latency 30 % */
static bool parse_share(struct recipe_parser *r, bool costs, struct gain *g) {
    struct span at = r->p.lex.token.at;
    unsigned figure = 0;
    int64_t n;
    while (figure < GAIN_FIGURES &&
           (g->named[figure] || !notation_at_word(&r->p, notation_gain_names[figure])))
        figure++;
    if (figure == GAIN_FIGURES) {
        notation_expected(&r->p, "micro_ops, latency or interval, each once");
        return false;
    }
    notation_next(&r->p);
    if (!want_number(r, costs ? "a whole number of percents" : "a percentage from 1 to 100",
                     costs ? 1000000 : 100, &n) ||
        !notation_want_mark(&r->p, '%', "'%'"))
        return false;
    g->named[figure] = true;
    g->percent[figure] = costs ? -n : n;
    g->at[figure] = span_join(at, r->p.lex.before.at);
    return true;
}

/* gains latency 30 %, costs micro_ops 17 %, interval 34 % at 64 */
static bool parse_gains(struct recipe_parser *r) {
    struct recipe *c = r->recipe;
    struct gain g = {.width = 0};
    int64_t width;
    bool costs = false;
    for (unsigned i = 0; i < GAIN_FIGURES; i++)
        g.at[i] = r->p.lex.before.at;
    do {
        costs |= g.named[GAIN_MICRO_OPS] + g.named[GAIN_LATENCY] + g.named[GAIN_INTERVAL] &&
                 notation_take_word(&r->p, "costs");
        if (!parse_share(r, costs, &g))
            return false;
    } while (notation_take_mark(&r->p, ','));
    if (!notation_want_word(&r->p, "at") || !want_number(r, "a width from 1 to 64", 64, &width))
        return false;
    if (c->gain_count == MAX_GAINS) {
        notation_expected(&r->p, "at most 8 lines of 'gains'");
        return false;
    }
    if (!c->gains)
        c->gains = ARENA_ARRAY(r->p.arena, MAX_GAINS, struct gain);
    g.width = (unsigned)width;
    c->gains[c->gain_count++] = g;
    return true;
}

static bool at_contract(const struct recipe_parser *r) {
    return notation_at_word(&r->p, "computes") || notation_at_word(&r->p, "expect") ||
           notation_at_word(&r->p, "gains");
}

/* Contracts make no statement. */
static bool parse_contract(struct recipe_parser *r) {
    bool computes = notation_at_word(&r->p, "computes"), gains = notation_at_word(&r->p, "gains");
    if (!r->recipe) {
        notation_expected(&r->p, "a statement: a sub has no contract");
        return false;
    }
    notation_next(&r->p);
    return computes ? parse_computes(r) : gains ? parse_gains(r) : parse_expects(r);
}

/* A latch may be called 'carry': 'carry = ...' writes it, since a new carry has a name of its own.
 */
static bool writes_row(const struct recipe_parser *r) {
    const struct lexer *l = &r->p.lex;
    size_t next = l->next;
    bool row = false;
    for (uint32_t i = 0; i < plane_target(r->target)->row_class_count; i++)
        row |= notation_at_word(&r->p, plane_target(r->target)->row_classes[i].name);
    while (row && next < l->size && (l->text[next] == ' ' || l->text[next] == '\t'))
        next++;
    return row && next < l->size && (l->text[next] == '=' || l->text[next] == ',');
}

static struct recipe_stmt *parse_stmt(struct recipe_parser *r) {
    struct notation_parser *p = &r->p;
    if (writes_row(r))
        return parse_assignment(r);
    if (notation_at_word(p, "for") || notation_at_word(p, "serial"))
        return parse_for(r);
    if (notation_at_word(p, "if"))
        return parse_if(r);
    if (notation_at_word(p, "at"))
        return parse_at(r);
    if (notation_at_word(p, "carry"))
        return parse_carry(r);
    if (notation_at_word(p, "let"))
        return parse_let(r);
    if (p->lex.token.kind == TOKEN_NAME)
        return parse_assignment(r);
    notation_expected(p, "a statement or '}'");
    return NULL;
}

/* What a generic recipe costs depends on the target. */
static bool may_have_contract(struct recipe_parser *r) {
    if (!r->unit->generic || notation_at_word(&r->p, "computes"))
        return true;
    diag_error(r->p.diag, r->p.lex.token.at,
               "a generic recipe has no '%s': counts differ from target to target",
               notation_at_word(&r->p, "gains") ? "gains" : "expect");
    r->p.failed = true;
    return false;
}

static struct recipe_stmt *parse_block(struct recipe_parser *r) {
    struct recipe_stmt *first = NULL, **tail = &first;
    if (r->p.failed || !notation_want_mark(&r->p, '{', "'{'") || !notation_enter(&r->p))
        return NULL;
    while (!r->p.failed && !notation_take_mark(&r->p, '}')) {
        if (notation_take_mark(&r->p, ';'))
            continue;
        if (at_contract(r)) {
            if (may_have_contract(r))
                parse_contract(r);
            continue;
        }
        struct recipe_stmt *s = parse_stmt(r);
        if (!s) {
            r->p.failed = true;
            break;
        }
        *tail = s;
        tail = &s->next;
    }
    r->p.depth--;
    return first;
}

/* --- heads --- */

static bool parse_param(struct recipe_parser *r, struct param *list, unsigned *count) {
    if (*count == MAX_PARAMS) {
        notation_expected(&r->p, "at most 8 operands");
        return false;
    }
    struct param *x = &list[(*count)++];
    x->name = notation_want_name(&r->p, "the name of an operand", &x->at);
    return x->name != NULL;
}

/* NAME(a, b) -> d, e */
static bool parse_signature(struct recipe_parser *r, struct recipe_unit *u) {
    if (!(u->name = notation_want_name(&r->p, "a name", &u->at)) ||
        !notation_want_mark(&r->p, '(', "'('"))
        return false;
    if (!notation_at_mark(&r->p, ')'))
        do
            if (!parse_param(r, u->in, &u->in_count))
                return false;
        while (notation_take_mark(&r->p, ','));
    if (!notation_want_mark(&r->p, ')', "',' or ')'"))
        return false;
    if (notation_take_mark(&r->p, MARK2('-', '>')))
        do
            if (!parse_param(r, u->out, &u->out_count))
                return false;
        while (notation_take_mark(&r->p, ','));
    return true;
}

static bool parse_needs(struct recipe_parser *r, struct recipe *c) {
    do {
        if (c->needs_count == MAX_NEEDS) {
            notation_expected(&r->p, "at most 16 names");
            return false;
        }
        unsigned i = c->needs_count;
        c->needs[i] = notation_want_name(&r->p, "a name", &c->needs_at[i]);
        if (!c->needs[i])
            return false;
        c->needs_count++;
        /* Names of targets have dashes. */
        while (c->choice == CHOICE_FOR && notation_take_mark(&r->p, '-')) {
            const char *more = notation_want_name(&r->p, "a name", NULL);
            if (!more)
                return false;
            c->needs[i] = arena_printf(r->p.arena, "%s-%s", c->needs[i], more);
        }
    } while (notation_take_mark(&r->p, ','));
    return true;
}

/* any w [needs A, B | [mapped] for T | generic] */
static bool parse_choice(struct recipe_parser *r, struct recipe *c) {
    if (!notation_want_word(&r->p, "any") || !notation_want_word(&r->p, "w"))
        return false;
    c->choice_at = r->p.lex.token.at;
    c->choice = CHOICE_NEEDS;
    if (notation_take_word(&r->p, "generic")) {
        c->choice = CHOICE_GENERIC;
        c->unit.generic = true;
        return true;
    }
    c->unit.mapped = notation_take_word(&r->p, "mapped");
    if (notation_take_word(&r->p, "for"))
        c->choice = CHOICE_FOR;
    else if (c->unit.mapped || !notation_take_word(&r->p, "needs")) {
        notation_expected(&r->p, c->unit.mapped ? "'for'" : "'needs', 'for' or 'generic'");
        return false;
    }
    return parse_needs(r, c);
}

/* Up to behind the brace that closes the block under the cursor. */
static void skip_block(struct recipe_parser *r) {
    unsigned depth = 0;
    do {
        depth += notation_at_mark(&r->p, '{');
        depth -= depth > 0 && notation_at_mark(&r->p, '}');
        if (r->p.lex.token.kind == TOKEN_END) {
            notation_expected(&r->p, "'}'");
            return;
        }
        notation_next(&r->p);
    } while (depth > 0);
}

static bool is_foreign(const struct recipe_parser *r, const struct recipe *c) {
    for (unsigned i = 0; i < c->needs_count; i++)
        if (strcmp(c->needs[i], r->target->name) == 0)
            return false;
    return c->choice == CHOICE_FOR;
}

static void parse_recipe_unit(struct recipe_parser *r) {
    struct recipe *c = ARENA_NEW(r->p.arena, struct recipe);
    c->unit.file = r->file;
    r->recipe = c;
    r->unit = &c->unit;
    notation_next(&r->p);
    bool fine = parse_signature(r, &c->unit) && parse_choice(r, c);
    if (fine && is_foreign(r, c)) {
        skip_block(r);
        return;
    } else if (fine) {
        c->unit.body = parse_block(r);
    }
    c->unit.broken |= r->p.failed;
    vec_push(&r->ast->recipes, c);
}

/* instruction NAME(sources) -> results opcode 0xC0 { computes ... } */
static void parse_instruction_unit(struct recipe_parser *r) {
    struct recipe *c = ARENA_NEW(r->p.arena, struct recipe);
    c->unit.file = r->file;
    r->recipe = c;
    r->unit = &c->unit;
    notation_next(&r->p);
    if (parse_signature(r, &c->unit) && notation_want_word(&r->p, "opcode")) {
        c->opcode_at = r->p.lex.token.at;
        if (want_number(r, "an opcode from 0xC0 to 0xFF", INT32_MAX, &c->opcode))
            c->unit.body = parse_block(r);
    }
    if (!r->p.failed && (c->unit.body || c->expect_count || c->gain_count)) {
        diag_error(r->p.diag, c->unit.at, "an instruction has nothing but 'computes'");
        r->p.failed = true;
    }
    c->unit.broken |= r->p.failed;
    if (c->unit.name)
        vec_push(&r->ast->instructions, c);
}

static void parse_sub_unit(struct recipe_parser *r) {
    struct sub *s = ARENA_NEW(r->p.arena, struct sub);
    s->unit.file = r->file;
    r->recipe = NULL;
    r->unit = &s->unit;
    notation_next(&r->p);
    if (parse_signature(r, &s->unit)) {
        s->unit.generic = notation_take_word(&r->p, "generic");
        s->unit.body = parse_block(r);
    }
    s->unit.broken = r->p.failed;
    if (s->unit.name)
        vec_push(&r->ast->subs, s);
}

/* After an error: on to the next unit. */
static void recover(struct recipe_parser *r) {
    r->p.failed = false;
    r->p.depth = 0;
    while (r->p.lex.token.kind != TOKEN_END && !notation_at_word(&r->p, "recipe") &&
           !notation_at_word(&r->p, "sub") && !notation_at_word(&r->p, "instruction"))
        notation_next(&r->p);
}

bool notation_parse(struct recipe_ast *ast, const struct recipe_file *file, const struct target *t,
                    struct diag *d) {
    struct recipe_parser r = {.ast = ast, .file = file, .target = t};
    uint32_t errors = diag_errors(d);
    struct span whole = {file->source, 0, (uint32_t)file->size};
    notation_start(&r.p, file->text, file->size, whole, true, ast->arena, d);
    while (r.p.lex.token.kind != TOKEN_END && !diag_full(d)) {
        if (notation_at_word(&r.p, "recipe"))
            parse_recipe_unit(&r);
        else if (notation_at_word(&r.p, "sub"))
            parse_sub_unit(&r);
        else if (notation_at_word(&r.p, "instruction"))
            parse_instruction_unit(&r);
        else
            notation_expected(&r.p, "'recipe', 'sub' or 'instruction'");
        if (r.p.failed)
            recover(&r);
    }
    return diag_errors(d) == errors;
}
