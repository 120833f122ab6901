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

static struct recipe_stmt *parse_block(struct recipe_parser *parser);

static struct recipe_stmt *new_stmt(struct recipe_parser *parser, enum recipe_stmt_kind kind) {
    struct recipe_stmt *s = ARENA_NEW(parser->p.arena, struct recipe_stmt);
    s->kind = kind;
    s->id = parser->ast->next_id++;
    s->at = parser->p.lex.token.at;
    return s;
}

static struct recipe_stmt *done(struct recipe_parser *parser, struct recipe_stmt *stmt, bool fine) {
    if (!fine || parser->p.failed)
        return NULL;
    stmt->at = span_join(stmt->at, parser->p.lex.before.at);
    return stmt;
}

static struct recipe_expr *parse_new_name(struct recipe_parser *parser, const char *what) {
    struct span at;
    const char *name = notation_want_name(&parser->p, what, &at);
    if (!name)
        return NULL;
    struct recipe_expr *e = ARENA_NEW(parser->p.arena, struct recipe_expr);
    *e = (struct recipe_expr){.kind = EXPR_NAME, .name = name, .at = at, .name_at = at};
    return e;
}

/* par v in lo .. hi { }, par v in lo .. hi step s { } */
static struct recipe_stmt *parse_par(struct recipe_parser *parser) {
    struct recipe_stmt *s = new_stmt(parser, STMT_FOR);
    s->par = s->serial = true;
    if (parser->unit->generic) {
        diag_error(parser->p.diag, parser->p.lex.token.at,
                   "'par' stands in recipes of micro-ops: which parts of a generic one work at the "
                   "same time is the target's");
        parser->p.failed = true;
        return NULL;
    }
    notation_next(&parser->p);
    if (!(s->targets[0] = parse_new_name(parser, "the name of the loop's variable")) ||
        !notation_want_word(&parser->p, "in") || !(s->first = notation_parse_expr(&parser->p)) ||
        !notation_want_mark(&parser->p, MARK2('.', '.'), "'..'"))
        return NULL;
    s->target_count = 1;
    s->last = notation_parse_expr(&parser->p);
    if (s->last && notation_take_word(&parser->p, "step") &&
        !(s->step = notation_parse_expr(&parser->p)))
        return NULL;
    struct recipe_stmt *head = s->last ? done(parser, s, true) : NULL;
    if (head)
        s->body = parse_block(parser);
    return parser->p.failed ? NULL : head;
}

/* for v in lo .. hi { }, for v in hi downto lo { } */
static struct recipe_stmt *parse_for(struct recipe_parser *parser) {
    struct recipe_stmt *s = new_stmt(parser, STMT_FOR);
    s->serial = notation_take_word(&parser->p, "serial");
    if (!notation_want_word(&parser->p, "for") ||
        !(s->targets[0] = parse_new_name(parser, "the name of the loop's variable")) ||
        !notation_want_word(&parser->p, "in") || !(s->first = notation_parse_expr(&parser->p)))
        return NULL;
    s->target_count = 1;
    s->down = notation_take_word(&parser->p, "downto");
    if (!s->down && !notation_want_mark(&parser->p, MARK2('.', '.'), "'..' or 'downto'"))
        return NULL;
    s->last = notation_parse_expr(&parser->p);
    struct recipe_stmt *head = s->last ? done(parser, s, true) : NULL;
    if (head)
        s->body = parse_block(parser);
    return parser->p.failed ? NULL : head;
}

static struct recipe_stmt *parse_if(struct recipe_parser *parser) {
    struct recipe_stmt *s = new_stmt(parser, STMT_IF);
    notation_next(&parser->p);
    s->value = notation_parse_expr(&parser->p);
    if (!s->value)
        return NULL;
    s->body = parse_block(parser);
    if (!parser->p.failed && notation_take_word(&parser->p, "else"))
        s->otherwise = notation_at_word(&parser->p, "if") ? parse_if(parser) : parse_block(parser);
    return done(parser, s, true);
}

static struct recipe_stmt *parse_at(struct recipe_parser *parser) {
    struct recipe_stmt *s = new_stmt(parser, STMT_AT);
    notation_next(&parser->p);
    s->first = notation_parse_expr(&parser->p);
    if (s->first)
        s->body = parse_block(parser);
    return done(parser, s, s->first != NULL);
}

/* carry [down] c [@ section] [= operand or call; in a generic recipe logic] */
static struct recipe_stmt *parse_carry(struct recipe_parser *parser) {
    struct recipe_stmt *s = new_stmt(parser, STMT_CARRY);
    notation_next(&parser->p);
    s->down = notation_take_word(&parser->p, "down");
    s->target_count = 1;
    if (!(s->targets[0] = parse_new_name(parser, "the name of the carry")))
        return NULL;
    if (notation_take_mark(&parser->p, '@') && !(s->first = notation_parse_expr(&parser->p)))
        return NULL;
    if (notation_take_mark(&parser->p, '=') &&
        !(s->value = parser->unit->generic ? notation_parse_expr(&parser->p)
                                           : notation_parse_operand(&parser->p)))
        return NULL;
    return done(parser, s, true);
}

static struct recipe_stmt *parse_let(struct recipe_parser *parser) {
    struct recipe_stmt *s = new_stmt(parser, STMT_LET);
    notation_next(&parser->p);
    s->target_count = 1;
    bool fine = (s->targets[0] = parse_new_name(parser, "a name")) != NULL &&
                notation_want_mark(&parser->p, '=', "'='") &&
                (s->value = notation_parse_expr(&parser->p)) != NULL;
    return done(parser, s, fine);
}

/* t = OP(x, y);  stmt, c = SUB(x);  in a mapped recipe also k = t */
static bool want_call(struct recipe_parser *parser, struct recipe_stmt *stmt) {
    const struct recipe_expr *e = stmt->value;
    if (e->kind == EXPR_CALL)
        return true;
    if (parser->unit->mapped && stmt->target_count == 1) {
        stmt->kind = STMT_PASS;
        return true;
    }
    diag_error(parser->p.diag, e->at,
               "expected a micro-op or a sub, like OP(%s); 'let x = y' gives y a second name",
               e->name);
    parser->p.failed = true;
    return false;
}

/* What stands on the right: a call, or in a generic recipe also logic. */
static bool parse_value(struct recipe_parser *parser, struct recipe_stmt *stmt) {
    stmt->value = parser->unit->generic ? notation_parse_expr(&parser->p)
                                        : notation_parse_operand(&parser->p);
    if (!stmt->value)
        return false;
    if (!parser->unit->generic)
        return want_call(parser, stmt);
    if (stmt->value->kind != EXPR_CALL || notation_function_named(stmt->value->name) != LOGIC_COUNT)
        stmt->kind = STMT_LOGIC;
    return true;
}

/* The two marks < and - side by side. */
static bool at_arrow(const struct recipe_parser *parser) {
    const struct lexer *x = &parser->p.lex;
    return notation_at_mark(&parser->p, '<') && x->next < x->size && x->text[x->next] == '-';
}

/* AAP d[j] <- B13;  AP B15;  the cursor is behind the name of the command. */
static struct recipe_stmt *parse_arrow(struct recipe_parser *parser, struct recipe_stmt *stmt,
                                       struct recipe_expr *name) {
    if (parser->unit->generic) {
        diag_error(parser->p.diag, name->at, "a generic recipe is logic, not micro-ops: '%s'",
                   name->name);
        parser->p.failed = true;
        return NULL;
    }
    struct recipe_expr *first = notation_parse_operand(&parser->p);
    stmt->kind = STMT_ARROW;
    if (first && at_arrow(parser)) {
        stmt->targets[stmt->target_count++] = first;
        notation_next(&parser->p);
        notation_next(&parser->p);
        first = notation_parse_operand(&parser->p);
    }
    if (!first)
        return NULL;
    if (first->kind == EXPR_CALL) {
        diag_error(parser->p.diag, first->at, "expected '=', found '%s'", first->name);
        parser->p.failed = true;
        return NULL;
    }
    stmt->value = name;
    name->kind = EXPR_CALL;
    name->height = (uint16_t)(first->height + 1);
    name->args = ARENA_ARRAY(parser->p.arena, 1, struct recipe_expr *);
    name->args[name->count++] = first;
    return done(parser, stmt, true);
}

/* t = OP(x, y);  s, c = SUB(x);  SUB(x);  t = a[j] & b[j];  AAP x <- y */
static struct recipe_stmt *parse_assignment(struct recipe_parser *parser) {
    struct recipe_stmt *s = new_stmt(parser, STMT_CALL);
    struct recipe_expr *e = notation_parse_operand(&parser->p);
    if (!e)
        return NULL;
    if (e->kind == EXPR_CALL) {
        s->value = e;
        return done(parser, s, true);
    }
    if (e->kind == EXPR_NAME && parser->p.lex.token.kind == TOKEN_NAME)
        return parse_arrow(parser, s, e);
    s->targets[s->target_count++] = e;
    while (notation_take_mark(&parser->p, ',')) {
        if (s->target_count == OP_MAX_DESTS) {
            notation_expected(&parser->p, "at most 6 destinations");
            return NULL;
        }
        if (!(e = notation_parse_operand(&parser->p)))
            return NULL;
        s->targets[s->target_count++] = e;
    }
    return done(parser, s, notation_want_mark(&parser->p, '=', "'='") && parse_value(parser, s));
}

/* result == expression { , result == expression } */
static bool parse_computes(struct recipe_parser *parser) {
    struct recipe *c = parser->recipe;
    do {
        struct recipe_expr *e = notation_parse_expr(&parser->p);
        if (!e)
            return false;
        if (e->kind != EXPR_BINARY || e->op != MARK2('=', '=') || c->computes_count == MAX_PARAMS) {
            diag_error(parser->p.diag, e->at,
                       "computes says 'result == expression', once a result");
            parser->p.failed = true;
            return false;
        }
        c->computes[c->computes_count++] = e;
    } while (notation_take_mark(&parser->p, ','));
    return true;
}

/* unlike condition, result == expression */
static bool parse_unlike(struct recipe_parser *parser) {
    struct recipe *c = parser->recipe;
    struct unlike u = {.when = notation_parse_expr(&parser->p)};
    if (!u.when || !notation_want_mark(&parser->p, ',', "','") ||
        !(u.result = notation_parse_expr(&parser->p)))
        return false;
    const char *problem = u.result->kind != EXPR_BINARY || u.result->op != MARK2('=', '=')
                              ? "unlike says 'condition, result == expression'"
                          : c->ariths != ARITH_BIT(ARITH_COMPAT)
                              ? "only recipes of 'arith compat' may differ from the ISA"
                          : c->unlike_count == MAX_UNLIKES ? "too many of 'unlike'"
                                                           : NULL;
    if (problem) {
        diag_error(parser->p.diag, u.result->at, "%s", problem);
        parser->p.failed = true;
        return false;
    }
    c->unlikes[c->unlike_count++] = u;
    return true;
}

static bool is_relation(const struct recipe_expr *expr) {
    return expr->kind == EXPR_BINARY &&
           (expr->op == MARK2('=', '=') || expr->op == MARK2('<', '='));
}

static bool parse_expects(struct recipe_parser *parser) {
    struct recipe *c = parser->recipe;
    do {
        struct recipe_expr *e = notation_parse_expr(&parser->p);
        if (!e)
            return false;
        if (!is_relation(e) || c->expect_count == MAX_EXPECTS) {
            diag_error(parser->p.diag, e->at,
                       "expect takes up to %d relations 'count == expression' or "
                       "'count <= expression'",
                       MAX_EXPECTS);
            parser->p.failed = true;
            return false;
        }
        if (!c->expects)
            c->expects = ARENA_ARRAY(parser->p.arena, MAX_EXPECTS, struct recipe_expr *);
        c->expects[c->expect_count++] = e;
    } while (notation_take_mark(&parser->p, ','));
    return true;
}

const char *const notation_gain_names[GAIN_FIGURES] = {"micro_ops", "latency", "interval"};

static bool want_number(struct recipe_parser *parser, const char *what, int64_t most, int64_t *n) {
    const struct recipe_token *t = &parser->p.lex.token;
    if (t->kind != TOKEN_NUMBER || t->number < 1 || t->number > most) {
        notation_expected(&parser->p, what);
        return false;
    }
    *n = t->number;
    notation_next(&parser->p);
    return true;
}

/* latency 30 % */
static bool parse_share(struct recipe_parser *parser, bool costs, struct gain *gain) {
    struct span at = parser->p.lex.token.at;
    unsigned figure = 0;
    int64_t n;
    while (figure < GAIN_FIGURES &&
           (gain->named[figure] || !notation_at_word(&parser->p, notation_gain_names[figure])))
        figure++;
    if (figure == GAIN_FIGURES) {
        notation_expected(&parser->p, "micro_ops, latency or interval, each once");
        return false;
    }
    notation_next(&parser->p);
    if (!want_number(parser, costs ? "a whole number of percents" : "a percentage from 1 to 100",
                     costs ? 1000000 : 100, &n) ||
        !notation_want_mark(&parser->p, '%', "'%'"))
        return false;
    gain->named[figure] = true;
    gain->percent[figure] = costs ? -n : n;
    gain->at[figure] = span_join(at, parser->p.lex.before.at);
    return true;
}

/* gains latency 30 %, costs micro_ops 17 %, interval 34 % at 64 */
static bool parse_gains(struct recipe_parser *parser) {
    struct recipe *c = parser->recipe;
    struct gain g = {.width = 0};
    int64_t width;
    bool costs = false;
    for (unsigned i = 0; i < GAIN_FIGURES; i++)
        g.at[i] = parser->p.lex.before.at;
    do {
        costs |= g.named[GAIN_MICRO_OPS] + g.named[GAIN_LATENCY] + g.named[GAIN_INTERVAL] &&
                 notation_take_word(&parser->p, "costs");
        if (!parse_share(parser, costs, &g))
            return false;
    } while (notation_take_mark(&parser->p, ','));
    if (!notation_want_word(&parser->p, "at") ||
        !want_number(parser, "a width from 1 to 64", 64, &width))
        return false;
    if (c->gain_count == MAX_GAINS) {
        notation_expected(&parser->p, "at most 8 lines of 'gains'");
        return false;
    }
    if (!c->gains)
        c->gains = ARENA_ARRAY(parser->p.arena, MAX_GAINS, struct gain);
    g.width = (unsigned)width;
    c->gains[c->gain_count++] = g;
    return true;
}

static bool at_contract(const struct recipe_parser *parser) {
    return notation_at_word(&parser->p, "computes") || notation_at_word(&parser->p, "expect") ||
           notation_at_word(&parser->p, "gains") || notation_at_word(&parser->p, "unlike");
}

/* Contracts make no statement. */
static bool parse_contract(struct recipe_parser *parser) {
    bool computes = notation_at_word(&parser->p, "computes"),
         gains = notation_at_word(&parser->p, "gains"),
         unlike = notation_at_word(&parser->p, "unlike");
    if (!parser->recipe) {
        notation_expected(&parser->p, "a statement: a sub has no contract");
        return false;
    }
    notation_next(&parser->p);
    return computes ? parse_computes(parser)
           : gains  ? parse_gains(parser)
           : unlike ? parse_unlike(parser)
                    : parse_expects(parser);
}

/* A latch may be called 'carry': 'carry = ...' writes it, since a new carry has a name of its own.
 */
static bool writes_row(const struct recipe_parser *parser) {
    const struct lexer *l = &parser->p.lex;
    size_t next = l->next;
    bool row = false;
    for (uint32_t i = 0; i < plane_target(parser->target)->row_class_count; i++)
        row |= notation_at_word(&parser->p, plane_target(parser->target)->row_classes[i].name);
    while (row && next < l->size && (l->text[next] == ' ' || l->text[next] == '\t'))
        next++;
    return row && next < l->size && (l->text[next] == '=' || l->text[next] == ',');
}

static struct recipe_stmt *parse_stmt(struct recipe_parser *parser) {
    struct notation_parser *p = &parser->p;
    if (writes_row(parser))
        return parse_assignment(parser);
    if (notation_at_word(p, "for") || notation_at_word(p, "serial"))
        return parse_for(parser);
    if (notation_at_word(p, "par"))
        return parse_par(parser);
    if (notation_at_word(p, "if"))
        return parse_if(parser);
    if (notation_at_word(p, "at"))
        return parse_at(parser);
    if (notation_at_word(p, "carry"))
        return parse_carry(parser);
    if (notation_at_word(p, "let"))
        return parse_let(parser);
    if (p->lex.token.kind == TOKEN_NAME)
        return parse_assignment(parser);
    notation_expected(p, "a statement or '}'");
    return NULL;
}

/* What a generic recipe costs depends on the target. */
static bool may_have_contract(struct recipe_parser *parser) {
    if (!parser->unit->generic || notation_at_word(&parser->p, "computes") ||
        notation_at_word(&parser->p, "unlike"))
        return true;
    diag_error(parser->p.diag, parser->p.lex.token.at,
               "a generic recipe has no '%s': counts differ from target to target",
               notation_at_word(&parser->p, "gains") ? "gains" : "expect");
    parser->p.failed = true;
    return false;
}

static struct recipe_stmt *parse_block(struct recipe_parser *parser) {
    struct recipe_stmt *first = NULL, **tail = &first;
    if (parser->p.failed || !notation_want_mark(&parser->p, '{', "'{'") ||
        !notation_enter(&parser->p))
        return NULL;
    while (!parser->p.failed && !notation_take_mark(&parser->p, '}')) {
        if (notation_take_mark(&parser->p, ';'))
            continue;
        if (at_contract(parser)) {
            if (may_have_contract(parser))
                parse_contract(parser);
            continue;
        }
        struct recipe_stmt *s = parse_stmt(parser);
        if (!s) {
            parser->p.failed = true;
            break;
        }
        *tail = s;
        tail = &s->next;
    }
    parser->p.depth--;
    return first;
}

/* --- heads --- */

static bool parse_param(struct recipe_parser *parser, struct param *list, unsigned *count) {
    if (*count == MAX_PARAMS) {
        notation_expected(&parser->p, "at most 8 operands");
        return false;
    }
    struct param *x = &list[(*count)++];
    x->name = notation_want_name(&parser->p, "the name of an operand", &x->at);
    return x->name != NULL;
}

/* NAME(a, b) -> d, e */
static bool parse_signature(struct recipe_parser *parser, struct recipe_unit *unit) {
    if (!(unit->name = notation_want_name(&parser->p, "a name", &unit->at)) ||
        !notation_want_mark(&parser->p, '(', "'('"))
        return false;
    if (!notation_at_mark(&parser->p, ')'))
        do
            if (!parse_param(parser, unit->in, &unit->in_count))
                return false;
        while (notation_take_mark(&parser->p, ','));
    if (!notation_want_mark(&parser->p, ')', "',' or ')'"))
        return false;
    if (notation_take_mark(&parser->p, MARK2('-', '>')))
        do
            if (!parse_param(parser, unit->out, &unit->out_count))
                return false;
        while (notation_take_mark(&parser->p, ','));
    return true;
}

static bool parse_needs(struct recipe_parser *parser, struct recipe *recipe) {
    do {
        if (recipe->needs_count == MAX_NEEDS) {
            notation_expected(&parser->p, "at most 16 names");
            return false;
        }
        unsigned i = recipe->needs_count;
        recipe->needs[i] = notation_want_name(&parser->p, "a name", &recipe->needs_at[i]);
        if (!recipe->needs[i])
            return false;
        recipe->needs_count++;
        /* Names of targets have dashes. */
        while (recipe->choice != CHOICE_NEEDS && notation_take_mark(&parser->p, '-')) {
            const char *more = notation_want_name(&parser->p, "a name", NULL);
            if (!more)
                return false;
            recipe->needs[i] = arena_printf(parser->p.arena, "%s-%s", recipe->needs[i], more);
        }
    } while (notation_take_mark(&parser->p, ','));
    return true;
}

/* any w | w <= N | w <= sections */
static bool parse_widths(struct recipe_parser *parser, struct recipe *recipe) {
    int64_t widest;
    if (notation_take_word(&parser->p, "any"))
        return notation_want_word(&parser->p, "w");
    if (!notation_take_word(&parser->p, "w")) {
        notation_expected(&parser->p, "'any w' or 'w <='");
        return false;
    }
    if (!notation_want_mark(&parser->p, MARK2('<', '='), "'<='"))
        return false;
    recipe->in_sections = notation_take_word(&parser->p, "sections");
    widest = plane_target(parser->target)->sections;
    if (!recipe->in_sections &&
        !want_number(parser, "'sections' or a width from 1 to 64", 64, &widest))
        return false;
    recipe->widest = (unsigned)widest;
    return true;
}

/* [arith WORD, WORD] */
static bool parse_ariths(struct recipe_parser *parser, struct recipe *recipe) {
    if (!notation_take_word(&parser->p, "arith"))
        return true;
    do {
        unsigned i = 0;
        while (i < TARGET_ARITHS &&
               !notation_take_word(&parser->p, target_arith_word((enum target_arith)i)))
            i++;
        if (i == TARGET_ARITHS) {
            notation_expected(&parser->p, "one of exact, flush, compat, serial");
            return false;
        }
        recipe->ariths |= ARITH_BIT(i);
    } while (notation_take_mark(&parser->p, ','));
    return true;
}

/* needs A, B | [mapped] for T | generic [for T] | rows */
static bool parse_choice(struct recipe_parser *parser, struct recipe *recipe) {
    recipe->choice_at = parser->p.lex.token.at;
    recipe->choice = CHOICE_NEEDS;
    if (!recipe->widest && notation_take_word(&parser->p, "generic")) {
        recipe->choice = CHOICE_GENERIC;
        recipe->unit.generic = true;
        return !notation_take_word(&parser->p, "for") || parse_needs(parser, recipe);
    }
    if (notation_take_word(&parser->p, "rows")) {
        recipe->choice = CHOICE_ROWS;
        return true;
    }
    recipe->unit.mapped = notation_take_word(&parser->p, "mapped");
    if (notation_take_word(&parser->p, "for"))
        recipe->choice = CHOICE_FOR;
    else if (recipe->unit.mapped || !notation_take_word(&parser->p, "needs")) {
        notation_expected(&parser->p, recipe->unit.mapped ? "'for'"
                                      : recipe->widest
                                          ? "'needs' or 'for': a generic recipe serves any width"
                                          : "'needs', 'for', 'generic' or 'rows'");
        return false;
    }
    return parse_needs(parser, recipe);
}

/* From the brace under the cursor up to behind the one that closes it, byte by byte: braces stand
 * nowhere but around blocks and in comments. */
static void pass_block(struct recipe_parser *parser) {
    struct lexer *l = &parser->p.lex;
    for (unsigned depth = 1; depth > 0 && l->next < l->size; l->next++) {
        depth += l->text[l->next] == '{';
        depth -= l->text[l->next] == '}';
        if (l->text[l->next] == '#')
            while (l->next + 1 < l->size && l->text[l->next + 1] != '\n')
                l->next++;
    }
    notation_next(&parser->p);
}

/* Up to behind the brace that closes the block under the cursor. */
static void skip_block(struct recipe_parser *parser) {
    unsigned depth = 0;
    if (!parser->file->own && notation_at_mark(&parser->p, '{')) {
        pass_block(parser);
        return;
    }
    do {
        depth += notation_at_mark(&parser->p, '{');
        depth -= depth > 0 && notation_at_mark(&parser->p, '}');
        if (parser->p.lex.token.kind == TOKEN_END) {
            notation_expected(&parser->p, "'}'");
            return;
        }
        notation_next(&parser->p);
    } while (depth > 0);
}

/* WIDTHS CHOICE [arith WORDS] */
static bool parse_head(struct recipe_parser *parser, struct recipe *recipe) {
    return parse_signature(parser, &recipe->unit) && parse_widths(parser, recipe) &&
           parse_choice(parser, recipe) && parse_ariths(parser, recipe);
}

static bool names_target(const struct recipe *recipe, const char *target) {
    for (unsigned i = 0; target && i < recipe->needs_count; i++)
        if (strcmp(recipe->needs[i], target) == 0)
            return true;
    return false;
}

/* What is for a built-in target is for a user's that extends it, too: with nothing changed the two
 * are one machine. */
static bool is_inherited(const struct recipe_parser *parser, const struct recipe *recipe) {
    return recipe->choice != CHOICE_NEEDS && !parser->file->own && target_is_own(parser->target) &&
           !names_target(recipe, parser->target->name) &&
           names_target(recipe, parser->target->builtin);
}

static bool is_foreign(const struct recipe_parser *parser, const struct recipe *recipe) {
    if (recipe->choice == CHOICE_ROWS)
        return true;
    return recipe->choice != CHOICE_NEEDS && recipe->needs_count > 0 &&
           !names_target(recipe, parser->target->name) && !is_inherited(parser, recipe);
}

/* The block under the cursor, or its place where it is read later. */
static void parse_body(struct recipe_parser *parser) {
    struct lexer *l = &parser->p.lex;
    if (!parser->ast->read_later || parser->file->own || !notation_at_mark(&parser->p, '{')) {
        parser->unit->body = parse_block(parser);
        return;
    }
    parser->unit->body_at = l->next - 1;
    parser->unit->owner = parser->recipe;
    pass_block(parser);
}

/* Where the user's target lacks what the notation of that built-in target speaks of, the recipe is
 * not there; that is no fault of anybody's. */
static bool parse_inherited(struct recipe_parser *parser) {
    struct diag *loud = parser->p.diag;
    parser->p.diag = diag_new(NULL, NULL);
    parser->unit->body = parse_block(parser);
    diag_free(parser->p.diag);
    parser->p.diag = loud;
    return !parser->p.failed;
}

static void parse_recipe_unit(struct recipe_parser *parser) {
    struct recipe *c = ARENA_NEW(parser->p.arena, struct recipe);
    c->unit.file = parser->file;
    parser->recipe = c;
    parser->unit = &c->unit;
    notation_next(&parser->p);
    bool fine = parse_head(parser, c);
    if (fine && is_foreign(parser, c)) {
        skip_block(parser);
        return;
    } else if (fine && is_inherited(parser, c)) {
        if (!parse_inherited(parser))
            return;
    } else if (fine) {
        parse_body(parser);
    }
    c->unit.broken |= parser->p.failed;
    vec_push(&parser->ast->recipes, c);
}

/* instruction NAME(sources) -> results opcode 0xC0 { computes ... } */
static void parse_instruction_unit(struct recipe_parser *parser) {
    struct recipe *c = ARENA_NEW(parser->p.arena, struct recipe);
    c->unit.file = parser->file;
    parser->recipe = c;
    parser->unit = &c->unit;
    notation_next(&parser->p);
    if (parse_signature(parser, &c->unit) && notation_want_word(&parser->p, "opcode")) {
        c->opcode_at = parser->p.lex.token.at;
        if (want_number(parser, "an opcode from 0xC0 to 0xFF", INT32_MAX, &c->opcode))
            c->unit.body = parse_block(parser);
    }
    if (!parser->p.failed && (c->unit.body || c->expect_count || c->gain_count)) {
        diag_error(parser->p.diag, c->unit.at, "an instruction has nothing but 'computes'");
        parser->p.failed = true;
    }
    c->unit.broken |= parser->p.failed;
    if (c->unit.name)
        vec_push(&parser->ast->instructions, c);
}

static void parse_sub_unit(struct recipe_parser *parser) {
    struct sub *s = ARENA_NEW(parser->p.arena, struct sub);
    s->unit.file = parser->file;
    parser->recipe = NULL;
    parser->unit = &s->unit;
    notation_next(&parser->p);
    if (parse_signature(parser, &s->unit)) {
        s->unit.generic = notation_take_word(&parser->p, "generic");
        if (!s->unit.generic && notation_take_word(&parser->p, "rows")) {
            skip_block(parser);
            return;
        }
        parse_body(parser);
    }
    s->unit.broken = parser->p.failed;
    if (s->unit.name)
        vec_push(&parser->ast->subs, s);
}

void notation_read_body(struct recipe_ast *ast, struct recipe_unit *unit,
                        const struct target *target, struct diag *diag) {
    const struct recipe_file *f = unit->file;
    struct recipe_parser r = {
        .ast = ast, .file = f, .target = target, .recipe = unit->owner, .unit = unit};
    struct span whole = {f->source, 0, (uint32_t)f->size};
    if (!unit->body_at)
        return;
    notation_start(&r.p, f->text, f->size, whole, true, ast->arena, diag);
    r.p.lex.next = unit->body_at;
    notation_next(&r.p);
    unit->body_at = 0;
    unit->body = parse_block(&r);
    unit->broken |= r.p.failed;
}

/* After an error: on to the next unit. */
static void recover(struct recipe_parser *parser) {
    parser->p.failed = false;
    parser->p.depth = 0;
    while (parser->p.lex.token.kind != TOKEN_END && !notation_at_word(&parser->p, "recipe") &&
           !notation_at_word(&parser->p, "sub") && !notation_at_word(&parser->p, "instruction"))
        notation_next(&parser->p);
}

void notation_warn_if_empty(const struct recipe_file *file, struct arena *arena,
                            struct diag *diag) {
    struct notation_parser p;
    struct span whole = {file->source, 0, (uint32_t)file->size};
    notation_start(&p, file->text, file->size, whole, true, arena, diag);
    if (file->size && p.lex.token.kind == TOKEN_END)
        diag_warning(diag, W_EMPTY, (struct span){file->source, 0, 0},
                     "nothing stands here but blanks and comments");
}

bool notation_parse(struct recipe_ast *ast, const struct recipe_file *file,
                    const struct target *target, struct diag *diag) {
    struct recipe_parser r = {.ast = ast, .file = file, .target = target};
    uint32_t errors = diag_errors(diag);
    struct span whole = {file->source, 0, (uint32_t)file->size};
    notation_start(&r.p, file->text, file->size, whole, true, ast->arena, diag);
    while (r.p.lex.token.kind != TOKEN_END && !diag_full(diag)) {
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
    return diag_errors(diag) == errors;
}
