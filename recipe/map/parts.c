/* SPDX-License-Identifier: MIT
 * Cuts a body into control statements and segments: straight runs of logic at one position. */
#include "recipe/map/mapping.h"

/* Where statements work: `position` is NULL outside of loops and `at`. */
struct context {
    const struct recipe_expr *position;
    unsigned depth;
};

static struct body_part *cut_list(struct mapping *mapping, const struct recipe_stmt *stmt,
                                  const struct context *context);

/* --- positions --- */

/* w-1 */
static const struct recipe_expr *highest_position(struct mapping *mapping, struct span at) {
    struct recipe_expr *e = mapping_number_expr(mapping, 0, at);
    e->kind = EXPR_BINARY;
    e->op = '-';
    e->count = 2;
    e->args = ARENA_ARRAY(&mapping->set->arena, 2, struct recipe_expr *);
    e->args[0] = mapping_name_expr(mapping, SYMBOL_W, at);
    e->args[1] = mapping_number_expr(mapping, 1, at);
    return e;
}

/* A carry that the expression reads, or NOTHING. */
static uint32_t carry_in(const struct mapping *mapping, const struct recipe_expr *expr) {
    bool named = expr->kind == EXPR_NAME || expr->kind == EXPR_AT;
    if (named && mapping->names.data[expr->ref].kind == NAME_CARRY)
        return expr->ref;
    for (unsigned i = 0; i < expr->count; i++) {
        uint32_t found = expr->kind == EXPR_INDEX ? NOTHING : carry_in(mapping, expr->args[i]);
        if (found != NOTHING)
            return found;
    }
    return NOTHING;
}

enum where_free { AT_FIRST, AT_LAST_UP, AT_LAST_DOWN };

/* Where a statement outside of loops and `at` works. */
static enum where_free free_position(const struct mapping *mapping,
                                     const struct recipe_stmt *stmt) {
    uint32_t carry = carry_in(mapping, stmt->value);
    return carry == NOTHING                  ? AT_FIRST
           : mapping->names.data[carry].down ? AT_LAST_DOWN
                                             : AT_LAST_UP;
}

/* --- segments --- */

static struct segment *new_segment(struct mapping *mapping, const struct context *context) {
    struct segment *s = ARENA_NEW(&mapping->scratch, struct segment);
    s->position = context->position;
    s->depth = context->depth;
    vec_push(&mapping->segments, s);
    return s;
}

static struct body_part *new_part(struct mapping *mapping, const struct recipe_stmt *stmt,
                                  struct segment *segment) {
    struct body_part *p = ARENA_NEW(&mapping->scratch, struct body_part);
    p->stmt = stmt;
    p->segment = segment;
    return p;
}

/* Logic statements from *stmt on that work at one position; *stmt is the one behind. */
static struct body_part *cut_segment(struct mapping *mapping, const struct recipe_stmt **stmt,
                                     const struct context *context) {
    struct segment *made = new_segment(mapping, context);
    const struct recipe_stmt *first = *stmt;
    bool open = !context->position;
    enum where_free where = open ? free_position(mapping, first) : AT_FIRST;
    for (;
         *stmt && (*stmt)->kind == STMT_LOGIC && (!open || free_position(mapping, *stmt) == where);
         *stmt = (*stmt)->next)
        made->stmt_count++;
    made->stmts = ARENA_ARRAY(&mapping->scratch, made->stmt_count, const struct recipe_stmt *);
    for (size_t i = 0; i < made->stmt_count; i++, first = first->next)
        made->stmts[i] = first;
    if (open) {
        made->position = where == AT_LAST_UP ? highest_position(mapping, made->stmts[0]->at)
                                             : mapping_number_expr(mapping, 0, made->stmts[0]->at);
        made->wrapped = where != AT_FIRST;
    }
    return new_part(mapping, NULL, made);
}

/* carry k [@ p] = logic */
static struct body_part *cut_carry(struct mapping *mapping, const struct recipe_stmt *stmt,
                                   const struct context *context) {
    struct segment *made = new_segment(mapping, context);
    made->carry = stmt;
    if (stmt->first)
        made->position = stmt->first;
    else if (!context->position)
        made->position = stmt->down ? highest_position(mapping, stmt->at)
                                    : mapping_number_expr(mapping, 0, stmt->at);
    made->wrapped = stmt->first || !context->position;
    return new_part(mapping, NULL, made);
}

static struct body_part *cut_control(struct mapping *mapping, const struct recipe_stmt *stmt,
                                     const struct context *context) {
    struct context inner = *context;
    if (stmt->kind == STMT_FOR) {
        inner.depth++;
        if (!stmt->serial)
            inner.position = stmt->targets[0];
    } else if (stmt->kind == STMT_AT) {
        inner.position = stmt->first;
    }
    struct body_part *p = new_part(mapping, stmt, NULL);
    p->body = cut_list(mapping, stmt->body, &inner);
    p->otherwise = cut_list(mapping, stmt->otherwise, &inner);
    return p;
}

static struct body_part *cut_list(struct mapping *mapping, const struct recipe_stmt *stmt,
                                  const struct context *context) {
    struct body_part *first = NULL, **tail = &first;
    while (stmt) {
        if (stmt->kind == STMT_LOGIC) {
            *tail = cut_segment(mapping, &stmt, context);
        } else {
            *tail = stmt->kind == STMT_CARRY && stmt->value ? cut_carry(mapping, stmt, context)
                                                            : cut_control(mapping, stmt, context);
            stmt = stmt->next;
        }
        tail = &(*tail)->next;
    }
    return first;
}

/* --- which scratch names live between segments --- */

static void note_reads(struct mapping *mapping, const struct recipe_expr *expr,
                       const bool *written) {
    bool named = expr->kind == EXPR_NAME || expr->kind == EXPR_INDEX || expr->kind == EXPR_AT;
    if (named && !written[expr->ref])
        mapping->names.data[expr->ref].exposed = true;
    for (unsigned i = 0; i < expr->count; i++)
        note_reads(mapping, expr->args[i], written);
}

static void note_segment(struct mapping *mapping, const struct segment *segment) {
    struct arena local = {0};
    bool *written = ARENA_ARRAY(&local, mapping->names.len, bool);
    if (segment->carry)
        note_reads(mapping, segment->carry->value, written);
    for (size_t i = 0; i < segment->stmt_count; i++) {
        note_reads(mapping, segment->stmts[i]->value, written);
        for (unsigned k = 0; k < segment->stmts[i]->target_count; k++) {
            uint32_t name = segment->stmts[i]->targets[k]->ref;
            written[name] = mapping->names.data[name].written = true;
        }
    }
    arena_free(&local);
}

bool mapping_cut_parts(struct mapping *mapping) {
    struct context c = {NULL, 0};
    mapping->parts = cut_list(mapping, mapping->body, &c);
    for (size_t i = 0; i < mapping->segments.len; i++)
        note_segment(mapping, mapping->segments.data[i]);
    return true;
}
