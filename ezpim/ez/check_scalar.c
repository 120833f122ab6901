/* SPDX-License-Identifier: MIT
 * Statements and conditions at top level of variables without a group alone: one value for all
 * lanes is worked out in the lanes of one group, and taken to those of the others. */
#include "ezpim/ez/check_top.h"

#include <string.h>

struct scalar_search {
    struct checker *checker;
    bool found, lanes;       /* a variable without a group; what only lanes have */
    struct ez_symbol *group; /* in which one of them was assigned, or NULL */
};

static bool is_of_lanes(const struct expr *expr) {
    return expr->kind == EXPR_CALL &&
           (strcmp(expr->name.text, "index") == 0 || strcmp(expr->name.text, "any") == 0 ||
            strcmp(expr->name.text, "all") == 0);
}

/* A length is a variable without a group, whatever it is the length of. */
static void look_into(struct scalar_search *s, const struct expr *expr) {
    bool length = expr && expr->kind == EXPR_CALL && strcmp(expr->name.text, "length") == 0;
    if (!expr)
        return;
    s->found |= length;
    s->lanes |= is_of_lanes(expr);
    for (uint32_t i = 0; i < expr->arg_count && !length; i++)
        look_into(s, expr->args[i]);
    if (expr->kind != EXPR_NAME && expr->kind != EXPR_INDEX)
        return;
    struct ez_symbol *symbol = ez_find_symbol(s->checker, expr->name.text);
    if (!symbol || symbol->kind != SYMBOL_EZ_VARIABLE)
        return;
    s->lanes |= symbol->var.group != NULL;
    s->found |= !symbol->var.group;
    if (!s->group && symbol->var.assigned_in)
        s->group = (struct ez_symbol *)(uintptr_t)symbol->var.assigned_in;
}

/* The group in whose lanes such expressions are worked out; NULL: they are of lanes, or there is no
 * group. */
static struct ez_symbol *scalar_group(struct checker *checker, struct expr *first,
                                      struct expr *second) {
    struct scalar_search s = {.checker = checker};
    look_into(&s, first);
    look_into(&s, second);
    if (!s.found || s.lanes || ez_mentions_reduction(second) || !checker->u->groups.items.len)
        return NULL;
    return s.group ? s.group : checker->u->groups.items.data[0];
}

/* What MPUs have of their own is not the same in all. */
static bool stands_alone(struct checker *checker, const struct stmt *stmt) {
    if (!checker->on)
        return true;
    diag_error(checker->u->diag, stmt->at,
               "a variable without a group has one value in all MPUs: it is assigned and asked "
               "outside of `on`");
    checker->incomplete = true;
    return false;
}

bool ez_check_scalar(struct checker *checker, struct stmt *stmt) {
    struct ez_symbol *to = ez_find_symbol(checker, stmt->target->name.text),
                     *group = scalar_group(checker, stmt->target, stmt->value);
    bool several = checker->u->groups.items.len > 1;
    if (!to || to->kind != SYMBOL_EZ_VARIABLE || to->var.group || !group)
        return false;
    if (!stands_alone(checker, stmt))
        return true;
    struct stmt *inner = ARENA_NEW(&checker->u->arena, struct stmt);
    *inner = *stmt;
    inner->next = NULL;
    checker->run = NULL;
    checker->taken_out = several;
    ez_check_ensemble(checker, stmt, group, inner);
    checker->taken_out = false;
    stmt->kind = STMT_COMPUTE;
    stmt->body = inner;
    stmt->target = stmt->value = NULL;
    stmt->taken_out = several;
    return true;
}

bool ez_check_scalar_question(struct checker *checker, struct stmt *stmt, const char *name) {
    struct ez_symbol *group = scalar_group(checker, NULL, stmt->value);
    if (!group)
        return false;
    if (!stands_alone(checker, stmt))
        return true;
    checker->run = NULL;
    checker->group = group;
    checker->lane = true;
    ez_check_expr(checker, stmt->value);
    checker->lane = false;
    checker->group = NULL;
    stmt->opposite = stmt->whole = false;
    bool right =
        stmt->value->type.state != STATE_ERROR && ez_check_bool(checker, stmt->value, name);
    stmt->symbol = right ? group : NULL;
    checker->incomplete |= !right;
    return true;
}
