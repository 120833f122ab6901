/* SPDX-License-Identifier: MIT
 * A recipe as text: generic, hand-written or mapped.  What is written reads back as the same
 * recipe. */
#include "recipe/map/map.h"

#include "recipe/set/set.h"

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

static int level_of_expr(const struct recipe_expr *expr) {
    return expr->kind == EXPR_BINARY  ? level_of(expr->op)
           : expr->kind == EXPR_UNARY ? UNARY
                                      : PRIMARY;
}

static void print_expr(const struct recipe_printer *printer, const struct recipe_expr *expr,
                       int level);

static void print_mark(const struct recipe_printer *printer, uint16_t op) {
    str_char(printer->out, (char)(op & 0xff));
    if (op >> 8)
        str_char(printer->out, (char)(op >> 8));
}

/* Sums inside of indices and bounds stand without blanks. */
static void print_binary(const struct recipe_printer *printer, const struct recipe_expr *expr) {
    int level = level_of(expr->op);
    bool tight = level >= SUM;
    print_expr(printer, expr->args[0], level == COMPARISON ? level + 1 : level);
    str_append(printer->out, tight ? "" : " ");
    print_mark(printer, expr->op);
    str_append(printer->out, tight ? "" : " ");
    print_expr(printer, expr->args[1], level + 1);
}

static void print_args(const struct recipe_printer *printer, const struct recipe_expr *expr) {
    for (unsigned i = 0; i < expr->count; i++) {
        str_append(printer->out, i ? ", " : "");
        print_expr(printer, expr->args[i], 0);
    }
}

static void print_position(const struct recipe_printer *printer, const struct recipe_expr *expr) {
    bool plain = expr->kind == EXPR_NAME || expr->kind == EXPR_NUMBER;
    str_append(printer->out, plain ? "@" : "@(");
    print_expr(printer, expr, 0);
    str_append(printer->out, plain ? "" : ")");
}

static void print_named(const struct recipe_printer *printer, const struct recipe_expr *expr) {
    str_append(printer->out, expr->name);
    if (expr->kind == EXPR_AT) {
        print_position(printer, expr->args[0]);
    } else if (expr->kind != EXPR_NAME) {
        str_char(printer->out, expr->kind == EXPR_CALL ? '(' : '[');
        print_args(printer, expr);
        str_char(printer->out, expr->kind == EXPR_CALL ? ')' : ']');
    }
}

static void print_expr(const struct recipe_printer *printer, const struct recipe_expr *expr,
                       int level) {
    bool inner = level_of_expr(expr) < level;
    str_append(printer->out, inner ? "(" : "");
    if (expr->kind == EXPR_NUMBER) {
        str_printf(printer->out, "%" PRId64, expr->number);
    } else if (expr->kind == EXPR_BINARY) {
        print_binary(printer, expr);
    } else if (expr->kind == EXPR_UNARY) {
        print_mark(printer, expr->op);
        print_expr(printer, expr->args[0], UNARY);
    } else {
        print_named(printer, expr);
    }
    str_append(printer->out, inner ? ")" : "");
}

/* --- statements --- */

static void print_list(const struct recipe_printer *printer, const struct recipe_stmt *stmt,
                       unsigned depth);

static void indent(const struct recipe_printer *printer, unsigned depth) {
    for (unsigned i = 0; i < depth; i++)
        str_append(printer->out, "  ");
}

static void print_block(const struct recipe_printer *printer, const struct recipe_stmt *stmt,
                        unsigned depth) {
    str_append(printer->out, " {\n");
    print_list(printer, stmt, depth + 1);
    indent(printer, depth);
    str_char(printer->out, '}');
}

static void print_for(const struct recipe_printer *printer, const struct recipe_stmt *stmt,
                      unsigned depth) {
    str_printf(printer->out, "%s %s in ",
               stmt->par      ? "par"
               : stmt->serial ? "serial for"
                              : "for",
               stmt->targets[0]->name);
    print_expr(printer, stmt->first, 0);
    str_append(printer->out, stmt->down ? " downto " : " .. ");
    print_expr(printer, stmt->last, 0);
    if (stmt->step) {
        str_append(printer->out, " step ");
        print_expr(printer, stmt->step, 0);
    }
    print_block(printer, stmt->body, depth);
}

static void print_if(const struct recipe_printer *printer, const struct recipe_stmt *stmt,
                     unsigned depth) {
    str_append(printer->out, "if ");
    print_expr(printer, stmt->value, 0);
    print_block(printer, stmt->body, depth);
    const struct recipe_stmt *other = stmt->otherwise;
    if (!other)
        return;
    str_append(printer->out, " else");
    if (other->kind == STMT_IF && !other->next) {
        str_char(printer->out, ' ');
        print_if(printer, other, depth);
    } else {
        print_block(printer, other, depth);
    }
}

static void print_carry(const struct recipe_printer *printer, const struct recipe_stmt *stmt) {
    str_printf(printer->out, "carry %s%s", stmt->down ? "down " : "", stmt->targets[0]->name);
    if (stmt->first) {
        str_append(printer->out, " @ ");
        print_expr(printer, stmt->first, 0);
    }
    if (stmt->value) {
        str_append(printer->out, " = ");
        print_expr(printer, stmt->value, 0);
    }
}

static void print_assignment(const struct recipe_printer *printer, const struct recipe_stmt *stmt) {
    for (unsigned i = 0; i < stmt->target_count; i++) {
        str_append(printer->out, i ? ", " : "");
        print_expr(printer, stmt->targets[i], 0);
    }
    str_append(printer->out, stmt->target_count ? " = " : "");
    print_expr(printer, stmt->value, 0);
}

static void print_arrow(const struct recipe_printer *printer, const struct recipe_stmt *stmt) {
    str_printf(printer->out, "%s ", stmt->value->name);
    if (stmt->target_count) {
        print_expr(printer, stmt->targets[0], 0);
        str_append(printer->out, " <- ");
    }
    print_expr(printer, stmt->value->args[0], 0);
}

static void print_stmt(const struct recipe_printer *printer, const struct recipe_stmt *stmt,
                       unsigned depth) {
    switch (stmt->kind) {
    case STMT_FOR:
        print_for(printer, stmt, depth);
        break;
    case STMT_IF:
        print_if(printer, stmt, depth);
        break;
    case STMT_AT:
        str_append(printer->out, "at ");
        print_expr(printer, stmt->first, 0);
        print_block(printer, stmt->body, depth);
        break;
    case STMT_CARRY:
        print_carry(printer, stmt);
        break;
    case STMT_LET:
        str_append(printer->out, "let ");
        print_assignment(printer, stmt);
        break;
    case STMT_ARROW:
        print_arrow(printer, stmt);
        break;
    case STMT_CALL:
    case STMT_LOGIC:
    case STMT_PASS:
        print_assignment(printer, stmt);
        break;
    }
}

static void print_list(const struct recipe_printer *printer, const struct recipe_stmt *stmt,
                       unsigned depth) {
    for (; stmt; stmt = stmt->next) {
        indent(printer, depth);
        print_stmt(printer, stmt, depth);
        str_char(printer->out, '\n');
    }
}

/* --- the whole --- */

static void print_params(const struct recipe_printer *printer, const struct param *list,
                         unsigned count) {
    for (unsigned i = 0; i < count; i++)
        str_printf(printer->out, "%s%s", i ? ", " : "", list[i].name);
}

static void print_signature(const struct recipe_printer *printer, const struct recipe_unit *unit) {
    str_printf(printer->out, "%s(", unit->name);
    print_params(printer, unit->in, unit->in_count);
    str_append(printer->out, unit->out_count ? ") -> " : ")");
    print_params(printer, unit->out, unit->out_count);
}

static void print_choice(const struct recipe_printer *printer) {
    const struct recipe *c = printer->recipe;
    if (c->unit.mapped) {
        str_printf(printer->out, "mapped for %s", printer->set->target->name);
        return;
    }
    str_append(printer->out, c->choice != CHOICE_GENERIC ? ""
                             : c->needs_count            ? "generic "
                                                         : "generic");
    if (c->needs_count)
        str_append(printer->out, c->choice == CHOICE_NEEDS ? "needs " : "for ");
    for (unsigned i = 0; i < c->needs_count; i++)
        str_printf(printer->out, "%s%s", i ? ", " : "", c->needs[i]);
}

static void print_ariths(const struct recipe_printer *printer) {
    const char *before = " arith ";
    for (unsigned i = 0; i < TARGET_ARITHS; i++)
        if (printer->recipe->ariths & ARITH_BIT(i)) {
            str_printf(printer->out, "%s%s", before, target_arith_word((enum target_arith)i));
            before = ", ";
        }
}

/* Gains first, then costs. */
static void print_gain(struct str *out, const struct gain *gain) {
    const char *before = "  gains ";
    for (int costs = 0; costs < 2; costs++) {
        for (unsigned i = 0; i < GAIN_FIGURES; i++) {
            if (!gain->named[i] || (gain->percent[i] < 0) != (costs == 1))
                continue;
            str_printf(out, "%s%s %lld %%", before, notation_gain_names[i],
                       (long long)(costs ? -gain->percent[i] : gain->percent[i]));
            before = ", ";
        }
        before = ", costs ";
    }
    str_printf(out, " at %u\n", gain->width);
}

static void print_contract(const struct recipe_printer *printer) {
    const struct recipe *c = printer->recipe;
    for (unsigned i = 0; i < c->computes_count; i++) {
        str_append(printer->out, "  computes ");
        print_expr(printer, c->computes[i], 0);
        str_char(printer->out, '\n');
    }
    for (unsigned i = 0; i < c->unlike_count; i++) {
        str_append(printer->out, "  unlike ");
        print_expr(printer, c->unlikes[i].when, 0);
        str_append(printer->out, ", ");
        print_expr(printer, c->unlikes[i].result, 0);
        str_char(printer->out, '\n');
    }
    for (unsigned i = 0; i < c->expect_count; i++) {
        str_append(printer->out, i ? ", " : "  expect ");
        print_expr(printer, c->expects[i], 0);
    }
    str_append(printer->out, c->expect_count ? "\n" : "");
    for (unsigned i = 0; i < c->gain_count; i++)
        print_gain(printer->out, &c->gains[i]);
}

/* --- subs that the body calls --- */

static void print_subs(const struct recipe_printer *printer) {
    size_t count = printer->set->ast.subs.len;
    bool *called = xcalloc(count + 1, sizeof *called);
    notation_called_subs(&printer->set->ast, printer->recipe->unit.body, called);
    for (size_t i = 0; i < count; i++) {
        if (!called[i])
            continue;
        const struct recipe_unit *u = &printer->set->ast.subs.data[i]->unit;
        str_append(printer->out, "sub ");
        print_signature(printer, u);
        str_append(printer->out, u->generic ? " generic {\n" : " {\n");
        print_list(printer, u->body, 1);
        str_append(printer->out, "}\n\n");
    }
    free(called);
}

void notation_print(const struct recipe_set *set, const struct recipe *recipe, struct str *out) {
    struct recipe_printer p = {set, recipe, out};
    print_subs(&p);
    str_append(out, "recipe ");
    print_signature(&p, &recipe->unit);
    if (recipe->in_sections)
        str_append(out, "   w <= sections   ");
    else if (recipe->widest)
        str_printf(out, "   w <= %u   ", recipe->widest);
    else
        str_append(out, "   any w   ");
    print_choice(&p);
    print_ariths(&p);
    str_append(out, "\n{\n");
    print_list(&p, recipe->unit.body, 1);
    print_contract(&p);
    str_append(out, "}\n");
}
