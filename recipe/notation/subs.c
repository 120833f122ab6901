/* SPDX-License-Identifier: MIT
 * Which subs a body calls, and what it has by way of them. */
#include "recipe/notation/ast.h"

#include "support/alloc.h"

#include <stdlib.h>

void notation_called_subs(const struct recipe_ast *ast, const struct recipe_stmt *body,
                          bool *called) {
    for (const struct recipe_stmt *stmt = body; stmt; stmt = stmt->next) {
        const struct recipe_expr *e = stmt->value;
        bool call = stmt->kind == STMT_CALL && e->ref >= SUB_REF;
        if (call && !called[e->ref - SUB_REF]) {
            called[e->ref - SUB_REF] = true;
            notation_called_subs(ast, ast->subs.data[e->ref - SUB_REF]->unit.body, called);
        }
        notation_called_subs(ast, stmt->body, called);
        notation_called_subs(ast, stmt->otherwise, called);
    }
}

static bool has_par(const struct recipe_stmt *stmt) {
    for (; stmt; stmt = stmt->next)
        if (stmt->par || has_par(stmt->body) || has_par(stmt->otherwise))
            return true;
    return false;
}

bool notation_uses_par(const struct recipe_ast *ast, const struct recipe_unit *unit) {
    bool *called = xcalloc(ast->subs.len + 1, sizeof *called);
    notation_called_subs(ast, unit->body, called);
    bool found = has_par(unit->body);
    for (size_t i = 0; i < ast->subs.len && !found; i++)
        found = called[i] && has_par(ast->subs.data[i]->unit.body);
    free(called);
    return found;
}
