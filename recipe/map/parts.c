/* SPDX-License-Identifier: MIT
 * Cuts a body into control statements and segments: straight runs of logic at one position. */
#include "recipe/map/mapping.h"

/* Where statements work: `position` is NULL outside of loops and `at`. */
struct context {
    const struct recipe_expr *position;
    unsigned depth;
};

static struct body_part *cut_list(struct mapping *m, const struct recipe_stmt *s,
                                  const struct context *c);

/* --- positions --- */

/* w-1 */
static const struct recipe_expr *highest_position(struct mapping *m, struct span at) {
    struct recipe_expr *e = mapping_number_expr(m, 0, at);
    e->kind = EXPR_BINARY;
    e->op = '-';
    e->count = 2;
    e->args = ARENA_ARRAY(&m->set->arena, 2, struct recipe_expr *);
    e->args[0] = mapping_name_expr(m, SYMBOL_W, at);
    e->args[1] = mapping_number_expr(m, 1, at);
    return e;
}

/* A carry that the expression reads, or NOTHING. */
static uint32_t carry_in(const struct mapping *m, const struct recipe_expr *e) {
    bool named = e->kind == EXPR_NAME || e->kind == EXPR_AT;
    if (named && m->names.data[e->ref].kind == NAME_CARRY)
        return e->ref;
    for (unsigned i = 0; i < e->count; i++) {
        uint32_t found = e->kind == EXPR_INDEX ? NOTHING : carry_in(m, e->args[i]);
        if (found != NOTHING)
            return found;
    }
    return NOTHING;
}

enum where_free { AT_FIRST, AT_LAST_UP, AT_LAST_DOWN };

/* Where a statement outside of loops and `at` works. */
static enum where_free free_position(const struct mapping *m, const struct recipe_stmt *s) {
    uint32_t carry = carry_in(m, s->value);
    return carry == NOTHING ? AT_FIRST : m->names.data[carry].down ? AT_LAST_DOWN : AT_LAST_UP;
}

/* --- segments --- */

static struct segment *new_segment(struct mapping *m, const struct context *c) {
    struct segment *s = ARENA_NEW(&m->scratch, struct segment);
    s->position = c->position;
    s->depth = c->depth;
    vec_push(&m->segments, s);
    return s;
}

static struct body_part *new_part(struct mapping *m, const struct recipe_stmt *s,
                                  struct segment *segment) {
    struct body_part *p = ARENA_NEW(&m->scratch, struct body_part);
    p->stmt = s;
    p->segment = segment;
    return p;
}

/* Logic statements from *s on that work at one position; *s is the one behind. */
static struct body_part *cut_segment(struct mapping *m, const struct recipe_stmt **s,
                                     const struct context *c) {
    struct segment *made = new_segment(m, c);
    const struct recipe_stmt *first = *s;
    bool open = !c->position;
    enum where_free where = open ? free_position(m, first) : AT_FIRST;
    for (; *s && (*s)->kind == STMT_LOGIC && (!open || free_position(m, *s) == where);
         *s = (*s)->next)
        made->stmt_count++;
    made->stmts = ARENA_ARRAY(&m->scratch, made->stmt_count, const struct recipe_stmt *);
    for (size_t i = 0; i < made->stmt_count; i++, first = first->next)
        made->stmts[i] = first;
    if (open) {
        made->position = where == AT_LAST_UP ? highest_position(m, made->stmts[0]->at)
                                             : mapping_number_expr(m, 0, made->stmts[0]->at);
        made->wrapped = where != AT_FIRST;
    }
    return new_part(m, NULL, made);
}

/* carry k [@ p] = logic */
static struct body_part *cut_carry(struct mapping *m, const struct recipe_stmt *s,
                                   const struct context *c) {
    struct segment *made = new_segment(m, c);
    made->carry = s;
    if (s->first)
        made->position = s->first;
    else if (!c->position)
        made->position = s->down ? highest_position(m, s->at) : mapping_number_expr(m, 0, s->at);
    made->wrapped = s->first || !c->position;
    return new_part(m, NULL, made);
}

static struct body_part *cut_control(struct mapping *m, const struct recipe_stmt *s,
                                     const struct context *c) {
    struct context inner = *c;
    if (s->kind == STMT_FOR) {
        inner.depth++;
        if (!s->serial)
            inner.position = s->targets[0];
    } else if (s->kind == STMT_AT) {
        inner.position = s->first;
    }
    struct body_part *p = new_part(m, s, NULL);
    p->body = cut_list(m, s->body, &inner);
    p->otherwise = cut_list(m, s->otherwise, &inner);
    return p;
}

static struct body_part *cut_list(struct mapping *m, const struct recipe_stmt *s,
                                  const struct context *c) {
    struct body_part *first = NULL, **tail = &first;
    while (s) {
        if (s->kind == STMT_LOGIC) {
            *tail = cut_segment(m, &s, c);
        } else {
            *tail = s->kind == STMT_CARRY && s->value ? cut_carry(m, s, c) : cut_control(m, s, c);
            s = s->next;
        }
        tail = &(*tail)->next;
    }
    return first;
}

/* --- which scratch names live between segments --- */

static void note_reads(struct mapping *m, const struct recipe_expr *e, const bool *written) {
    bool named = e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_AT;
    if (named && !written[e->ref])
        m->names.data[e->ref].exposed = true;
    for (unsigned i = 0; i < e->count; i++)
        note_reads(m, e->args[i], written);
}

static void note_segment(struct mapping *m, const struct segment *s) {
    struct arena local = {0};
    bool *written = ARENA_ARRAY(&local, m->names.len, bool);
    if (s->carry)
        note_reads(m, s->carry->value, written);
    for (size_t i = 0; i < s->stmt_count; i++) {
        note_reads(m, s->stmts[i]->value, written);
        for (unsigned k = 0; k < s->stmts[i]->target_count; k++) {
            uint32_t name = s->stmts[i]->targets[k]->ref;
            written[name] = m->names.data[name].written = true;
        }
    }
    arena_free(&local);
}

bool mapping_cut_parts(struct mapping *m) {
    struct context c = {NULL, 0};
    m->parts = cut_list(m, m->body, &c);
    for (size_t i = 0; i < m->segments.len; i++)
        note_segment(m, m->segments.data[i]);
    return true;
}
