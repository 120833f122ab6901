/* SPDX-License-Identifier: MIT
 * A recipe as text: generic, hand-written or mapped.  What is written reads back as the same
 * recipe. */
#include "recipe/map/map.h"

#include "recipe/set.h"

#include <inttypes.h>
#include <string.h>

struct recipe_printer {
    const struct recipe_set *set;
    const struct recipe *recipe;
    struct str *out;
};

/* --- expressions --- */

/* From loose to tight, as docs/recipes.md has them. */
static int level_of(uint16_t op) {
    static const uint16_t levels[][6] = {
        {MARK2('|', '|')},
        {MARK2('&', '&')},
        {MARK2('=', '='), MARK2('!', '='), '<', '>', MARK2('<', '='), MARK2('>', '=')},
        {'|'},
        {'^'},
        {'&'},
        {MARK2('<', '<'), MARK2('>', '>')},
        {'+', '-'},
        {'*', '/', '%'}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        for (size_t k = 0; k < 6; k++)
            if (levels[i][k] == op)
                return (int)i;
    return -1;
}

#define COMPARISON 2
#define SUM        7
#define UNARY      9
#define PRIMARY    10

static int level_of_expr(const struct recipe_expr *e) {
    return e->kind == EXPR_BINARY ? level_of(e->op) : e->kind == EXPR_UNARY ? UNARY : PRIMARY;
}

static void print_expr(const struct recipe_printer *p, const struct recipe_expr *e, int level);

static void print_mark(const struct recipe_printer *p, uint16_t op) {
    str_char(p->out, (char)(op & 0xff));
    if (op >> 8)
        str_char(p->out, (char)(op >> 8));
}

/* Sums inside of indices and bounds stand without blanks. */
static void print_binary(const struct recipe_printer *p, const struct recipe_expr *e) {
    int level = level_of(e->op);
    bool tight = level >= SUM;
    print_expr(p, e->args[0], level == COMPARISON ? level + 1 : level);
    str_append(p->out, tight ? "" : " ");
    print_mark(p, e->op);
    str_append(p->out, tight ? "" : " ");
    print_expr(p, e->args[1], level + 1);
}

static void print_args(const struct recipe_printer *p, const struct recipe_expr *e) {
    for (unsigned i = 0; i < e->count; i++) {
        str_append(p->out, i ? ", " : "");
        print_expr(p, e->args[i], 0);
    }
}

static void print_position(const struct recipe_printer *p, const struct recipe_expr *e) {
    bool plain = e->kind == EXPR_NAME || e->kind == EXPR_NUMBER;
    str_append(p->out, plain ? "@" : "@(");
    print_expr(p, e, 0);
    str_append(p->out, plain ? "" : ")");
}

static void print_named(const struct recipe_printer *p, const struct recipe_expr *e) {
    str_append(p->out, e->name);
    if (e->kind == EXPR_AT) {
        print_position(p, e->args[0]);
    } else if (e->kind != EXPR_NAME) {
        str_char(p->out, e->kind == EXPR_CALL ? '(' : '[');
        print_args(p, e);
        str_char(p->out, e->kind == EXPR_CALL ? ')' : ']');
    }
}

static void print_expr(const struct recipe_printer *p, const struct recipe_expr *e, int level) {
    bool inner = level_of_expr(e) < level;
    str_append(p->out, inner ? "(" : "");
    if (e->kind == EXPR_NUMBER) {
        str_printf(p->out, "%" PRId64, e->number);
    } else if (e->kind == EXPR_BINARY) {
        print_binary(p, e);
    } else if (e->kind == EXPR_UNARY) {
        print_mark(p, e->op);
        print_expr(p, e->args[0], UNARY);
    } else {
        print_named(p, e);
    }
    str_append(p->out, inner ? ")" : "");
}

/* --- statements --- */

static void print_list(const struct recipe_printer *p, const struct recipe_stmt *s, unsigned depth);

static void indent(const struct recipe_printer *p, unsigned depth) {
    for (unsigned i = 0; i < depth; i++)
        str_append(p->out, "  ");
}

static void print_block(const struct recipe_printer *p, const struct recipe_stmt *s,
                        unsigned depth) {
    str_append(p->out, " {\n");
    print_list(p, s, depth + 1);
    indent(p, depth);
    str_char(p->out, '}');
}

static void print_for(const struct recipe_printer *p, const struct recipe_stmt *s, unsigned depth) {
    str_printf(p->out, "%sfor %s in ", s->serial ? "serial " : "", s->targets[0]->name);
    print_expr(p, s->first, 0);
    str_append(p->out, s->down ? " downto " : " .. ");
    print_expr(p, s->last, 0);
    print_block(p, s->body, depth);
}

static void print_if(const struct recipe_printer *p, const struct recipe_stmt *s, unsigned depth) {
    str_append(p->out, "if ");
    print_expr(p, s->value, 0);
    print_block(p, s->body, depth);
    const struct recipe_stmt *other = s->otherwise;
    if (!other)
        return;
    str_append(p->out, " else");
    if (other->kind == STMT_IF && !other->next) {
        str_char(p->out, ' ');
        print_if(p, other, depth);
    } else {
        print_block(p, other, depth);
    }
}

static void print_carry(const struct recipe_printer *p, const struct recipe_stmt *s) {
    str_printf(p->out, "carry %s%s", s->down ? "down " : "", s->targets[0]->name);
    if (s->first) {
        str_append(p->out, " @ ");
        print_expr(p, s->first, 0);
    }
    if (s->value) {
        str_append(p->out, " = ");
        print_expr(p, s->value, 0);
    }
}

static void print_assignment(const struct recipe_printer *p, const struct recipe_stmt *s) {
    for (unsigned i = 0; i < s->target_count; i++) {
        str_append(p->out, i ? ", " : "");
        print_expr(p, s->targets[i], 0);
    }
    str_append(p->out, s->target_count ? " = " : "");
    print_expr(p, s->value, 0);
}

static void print_arrow(const struct recipe_printer *p, const struct recipe_stmt *s) {
    str_printf(p->out, "%s ", s->value->name);
    if (s->target_count) {
        print_expr(p, s->targets[0], 0);
        str_append(p->out, " <- ");
    }
    print_expr(p, s->value->args[0], 0);
}

static void print_stmt(const struct recipe_printer *p, const struct recipe_stmt *s,
                       unsigned depth) {
    switch (s->kind) {
    case STMT_FOR:
        print_for(p, s, depth);
        break;
    case STMT_IF:
        print_if(p, s, depth);
        break;
    case STMT_AT:
        str_append(p->out, "at ");
        print_expr(p, s->first, 0);
        print_block(p, s->body, depth);
        break;
    case STMT_CARRY:
        print_carry(p, s);
        break;
    case STMT_LET:
        str_append(p->out, "let ");
        print_assignment(p, s);
        break;
    case STMT_ARROW:
        print_arrow(p, s);
        break;
    case STMT_CALL:
    case STMT_LOGIC:
    case STMT_PASS:
        print_assignment(p, s);
        break;
    }
}

static void print_list(const struct recipe_printer *p, const struct recipe_stmt *s,
                       unsigned depth) {
    for (; s; s = s->next) {
        indent(p, depth);
        print_stmt(p, s, depth);
        str_char(p->out, '\n');
    }
}

/* --- the whole --- */

static void print_params(const struct recipe_printer *p, const struct param *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        str_printf(p->out, "%s%s", i ? ", " : "", list[i].name);
}

static void print_signature(const struct recipe_printer *p, const struct recipe_unit *u) {
    str_printf(p->out, "%s(", u->name);
    print_params(p, u->in, u->in_count);
    str_append(p->out, u->out_count ? ") -> " : ")");
    print_params(p, u->out, u->out_count);
}

static void print_choice(const struct recipe_printer *p) {
    const struct recipe *c = p->recipe;
    if (c->unit.mapped) {
        str_printf(p->out, "mapped for %s", p->set->target->name);
        return;
    }
    str_append(p->out, c->choice == CHOICE_GENERIC ? "generic"
                       : c->choice == CHOICE_FOR   ? "for "
                                                   : "needs ");
    for (unsigned i = 0; i < c->needs_count; i++)
        str_printf(p->out, "%s%s", i ? ", " : "", c->needs[i]);
}

/* Gains first, then costs. */
static void print_gain(struct str *out, const struct gain *g) {
    const char *before = "  gains ";
    for (int costs = 0; costs < 2; costs++) {
        for (unsigned i = 0; i < GAIN_FIGURES; i++) {
            if (!g->named[i] || (g->percent[i] < 0) != (costs == 1))
                continue;
            str_printf(out, "%s%s %lld %%", before, notation_gain_names[i],
                       (long long)(costs ? -g->percent[i] : g->percent[i]));
            before = ", ";
        }
        before = ", costs ";
    }
    str_printf(out, " at %u\n", g->width);
}

static void print_contract(const struct recipe_printer *p) {
    const struct recipe *c = p->recipe;
    for (unsigned i = 0; i < c->computes_count; i++) {
        str_append(p->out, "  computes ");
        print_expr(p, c->computes[i], 0);
        str_char(p->out, '\n');
    }
    for (unsigned i = 0; i < c->expect_count; i++) {
        str_append(p->out, i ? ", " : "  expect ");
        print_expr(p, c->expects[i], 0);
    }
    str_append(p->out, c->expect_count ? "\n" : "");
    for (unsigned i = 0; i < c->gain_count; i++)
        print_gain(p->out, &c->gains[i]);
}

/* --- subs that the body calls --- */

static void note_subs(const struct recipe_printer *p, const struct recipe_stmt *s, bool *called) {
    for (; s; s = s->next) {
        const struct recipe_expr *e = s->value;
        bool call = s->kind == STMT_CALL && e->ref >= SUB_REF;
        if (call && !called[e->ref - SUB_REF]) {
            called[e->ref - SUB_REF] = true;
            note_subs(p, p->set->ast.subs.data[e->ref - SUB_REF]->unit.body, called);
        }
        note_subs(p, s->body, called);
        note_subs(p, s->otherwise, called);
    }
}

static void print_subs(const struct recipe_printer *p) {
    size_t count = p->set->ast.subs.len;
    bool *called = xcalloc(count + 1, sizeof *called);
    note_subs(p, p->recipe->unit.body, called);
    for (size_t i = 0; i < count; i++) {
        if (!called[i])
            continue;
        const struct recipe_unit *u = &p->set->ast.subs.data[i]->unit;
        str_append(p->out, "sub ");
        print_signature(p, u);
        str_append(p->out, u->generic ? " generic {\n" : " {\n");
        print_list(p, u->body, 1);
        str_append(p->out, "}\n\n");
    }
    free(called);
}

void notation_print(const struct recipe_set *s, const struct recipe *c, struct str *out) {
    struct recipe_printer p = {s, c, out};
    print_subs(&p);
    str_append(out, "recipe ");
    print_signature(&p, &c->unit);
    str_append(out, "   any w   ");
    print_choice(&p);
    str_append(out, "\n{\n");
    print_list(&p, c->unit.body, 1);
    print_contract(&p);
    str_append(out, "}\n");
}
