/* SPDX-License-Identifier: MIT
 * compact, and the lengths of the variables that it fills. */
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/walk.h"

#include <string.h>

/* A count of elements, or the distance between two. */
static struct lane_type count_type(const struct ez_unit *unit, const struct ez_symbol *group) {
    return ez_type_up_to(ez_most_elements(unit, group), EZ_SIZE_BITS);
}

/* Elements stand one behind the other in one dimension, which all MPUs share. */
static bool has_front(const struct ez_unit *unit, const struct ez_symbol *symbol) {
    return symbol->type.state == STATE_TYPED && symbol->var.group &&
           !symbol->var.group->layout.on_mpus && ez_group_dims(unit, symbol->var.group) == 1;
}

static void declare_length(void *context, struct stmt *stmt) {
    struct checker *c = context;
    struct ez_symbol *v =
        stmt->kind == STMT_COMPACT ? ez_find_symbol(c, stmt->target->name.text) : NULL;
    if (!v || v->kind != SYMBOL_EZ_VARIABLE || v->var.length || v->var.direction == VAR_IN ||
        v->var.counted_by || !has_front(c->u, v))
        return;
    struct ez_name name = {arena_printf(&c->u->arena, "%s.length", v->name.text), v->name.at};
    struct ez_symbol *length = ez_symbol_new(c, SYMBOL_EZ_VARIABLE, name);
    length->type = ez_type_of(count_type(c->u, v->var.group));
    length->read = length->var.assigned = true;
    v->var.length = length;
    vec_push(&c->u->variables.items, length);
}

void ez_declare_lengths(struct checker *checker) {
    const struct walker w = {checker, declare_length, NULL};
    ez_walk_stmts(&w, checker->u->main->body);
    for (size_t i = 0; i < checker->u->variables.items.len; i++) {
        struct ez_symbol *v = checker->u->variables.items.data[i];
        const struct ez_symbol *by = v->var.counted_by;
        if (by && !by->var.length)
            diag_error(checker->u->diag, v->name.at,
                       "`%s` has as many elements as `%s`, which no `compact` fills", v->name.text,
                       by->name.text);
        else if (by)
            v->var.length = by->var.length;
    }
}

struct front_search {
    struct checker *c;
    VEC(struct ez_symbol *) lengths;
    const struct expr *asked; /* the argument of length(...): it is not what the variable holds */
};

static void find_length(void *context, struct expr *expr) {
    struct front_search *s = context;
    if (ez_asks_length(expr))
        s->asked = expr->args[0];
    if ((expr->kind != EXPR_NAME && expr->kind != EXPR_INDEX) || expr == s->asked)
        return;
    const struct ez_symbol *v = ez_find_symbol(s->c, expr->name.text);
    if (!v || v->kind != SYMBOL_EZ_VARIABLE || !v->var.length)
        return;
    for (size_t i = 0; i < s->lengths.len; i++)
        if (s->lengths.data[i] == v->var.length)
            return;
    ez_note_length(v->var.length);
    vec_push(&s->lengths, v->var.length);
}

struct ez_front ez_check_front(struct checker *checker, struct expr *expr, struct expr *other,
                               struct stmt *stmt, const struct ez_symbol *counted_by) {
    struct front_search search = {.c = checker};
    const struct walker w = {&search, NULL, find_length};
    if (counted_by && counted_by->var.length) {
        ez_note_length(counted_by->var.length);
        vec_push(&search.lengths, counted_by->var.length);
    }
    ez_walk_expr(&w, expr);
    ez_walk_expr(&w, other);
    ez_walk_stmts(&w, stmt);
    struct ez_front f = {.count = (uint32_t)search.lengths.len};
    f.lengths = ARENA_ARRAY(&checker->u->arena, f.count + 1u, struct ez_symbol *);
    for (uint32_t i = 0; i < f.count; i++)
        f.lengths[i] = search.lengths.data[i];
    vec_free(&search.lengths);
    return f;
}

/* ---- compact ---- */

static bool check_group_shape(struct checker *checker, const struct stmt *stmt,
                              const struct ez_symbol *symbol) {
    const char *why = NULL;
    if (!symbol->var.group)
        why = "has no group: it is one value";
    else if (symbol->var.group->layout.on_mpus)
        why = "is of a group `on` an array of MPUs, of which each has its own elements";
    else if (ez_group_dims(checker->u, symbol->var.group) != 1)
        why = "is of a group of several dimensions";
    if (why)
        diag_error(checker->u->diag, stmt->target->at,
                   "`compact` goes along the elements of a group of one dimension: `%s` %s",
                   symbol->name.text, why);
    return !why;
}

/* What is filled: all of a variable. */
static struct ez_symbol *check_target(struct checker *checker, struct stmt *stmt) {
    struct ez_symbol *v = ez_find_variable(checker, stmt->target);
    if (!v || !check_group_shape(checker, stmt, v))
        return NULL;
    if (stmt->target->kind == EXPR_INDEX) {
        diag_error(checker->u->diag, stmt->target->at,
                   "all of `%s` is filled: it has no indices here", v->name.text);
        return NULL;
    }
    if (v->var.counted_by) {
        diag_error(checker->u->diag, stmt->target->at,
                   "`%s` has as many elements as `%s`, and is not filled", v->name.text,
                   v->var.counted_by->name.text);
        return NULL;
    }
    if (v->var.direction == VAR_IN) {
        diag_error(checker->u->diag, stmt->target->at, "`%s` is an input and cannot be assigned",
                   v->name.text);
        return NULL;
    }
    return v;
}

/* All registers of an array, which an expression cannot be. */
static bool check_array(struct checker *checker, struct stmt *stmt, struct ez_compact *compact) {
    struct expr *e = stmt->value;
    struct ez_symbol *from = e->kind == EXPR_NAME ? ez_find_symbol(checker, e->name.text) : NULL;
    bool good = from && from->kind == SYMBOL_EZ_VARIABLE && from->var.group == compact->group &&
                from->count == compact->to->count && from->has_k &&
                from->type.state == STATE_TYPED &&
                ez_type_same(from->type.type, compact->to->type.type);
    if (!good) {
        diag_error(checker->u->diag, e->at,
                   "`%s` has %u registers: it is filled from a variable of its group with as many "
                   "of %s",
                   compact->to->name.text, compact->to->count,
                   ez_type_name(checker, compact->to->type.type));
        return false;
    }
    ez_move_reads(checker, e, from);
    compact->from = from;
    return true;
}

static bool check_value(struct checker *checker, struct stmt *stmt, struct ez_compact *compact) {
    if (!stmt->value) {
        ez_move_reads(checker, stmt->target, compact->to);
        return true;
    }
    if (compact->to->has_k)
        return check_array(checker, stmt, compact);
    ez_check_expr(checker, stmt->value);
    compact->value = stmt->value;
    return ez_check_assignable(checker, stmt->value, compact->to->type.type, stmt->target->at);
}

/* In a lane of the group. */
static bool check_inside(struct checker *checker, struct stmt *stmt, struct ez_compact *compact) {
    checker->group = compact->group;
    checker->lane = true;
    ez_check_expr(checker, stmt->last);
    bool good =
        stmt->last->type.state != STATE_ERROR && ez_check_bool(checker, stmt->last, "`where`");
    good &= check_value(checker, stmt, compact);
    checker->lane = false;
    checker->group = NULL;
    return good;
}

void ez_check_compact(struct checker *checker, struct stmt *stmt) {
    struct ez_compact *x = ARENA_NEW(&checker->u->arena, struct ez_compact);
    *x = (struct ez_compact){.to = check_target(checker, stmt), .where = stmt->last};
    x->group = x->to ? x->to->var.group : NULL;
    if (!x->to || !check_inside(checker, stmt, x)) {
        checker->incomplete = true;
        return;
    }
    if (checker->on)
        diag_error(checker->u->diag, stmt->at,
                   "`compact` waits for all MPUs: it stands outside of `on`");
    x->front =
        ez_check_front(checker, stmt->value ? stmt->value : stmt->target, stmt->last, NULL, NULL);
    ez_move_writes(checker, x->to);
    ez_note_written(checker, x->to->var.length, 1);
    x->count = count_type(checker->u, x->group);
    stmt->compact = x;
}
