/* SPDX-License-Identifier: MIT
 * Ways over the syntax tree. */
#ifndef EZPIM_EZ_WALK_H
#define EZPIM_EZ_WALK_H

#include "ezpim/ez/ast.h"

struct walker {
    void *context;
    /* Each may be NULL.  Called before what is inside. */
    void (*stmt)(void *context, struct stmt *s);
    void (*expr)(void *context, struct expr *e);
};
void ez_walk_stmts(const struct walker *walker, struct stmt *stmt);
void ez_walk_expr(const struct walker *walker, struct expr *expr);

/* A copy of an expression, with what was found out of it; or NULL, as below. */
struct expr *ez_clone_expr(struct arena *arena, const struct expr *expr, uint64_t *room);
/* A copy of a list of statements as the parser made it, or NULL when it would be larger than
 * *room nodes; what it has is taken from *room. */
struct stmt *ez_clone_stmts(struct arena *arena, const struct stmt *stmt, uint64_t *room);

/* True if `name` stands in the statements. */
bool ez_mentions(struct stmt *stmt, const char *name);
/* True if `name` stands in an index in the statements. */
/* Whether the name stands in the bounds of a loop. */
bool ez_bounds_by(struct stmt *stmt, const char *name);
bool ez_indexes_by(struct stmt *stmt, const char *name);

#endif
