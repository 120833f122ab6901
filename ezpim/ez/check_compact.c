/* SPDX-License-Identifier: MIT
 * compact, and the lengths of the variables that it fills. */
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/walk.h"

#include <string.h>

/* A count of elements, or the distance between two. */
static struct mpu_type count_type(const struct unit *u, const struct ez_symbol *group) {
    return ez_type_up_to(ez_most_elements(u, group), EZ_SIZE_BITS);
}

/* Elements stand one behind the other in one dimension, which all MPUs share. */
static bool has_front(const struct unit *u, const struct ez_symbol *v) {
    return v->type.state == STATE_TYPED && v->var.group && !v->var.group->layout.on_mpus &&
           ez_group_dims(u, v->var.group) == 1;
}

static void declare_length(void *context, struct stmt *s) {
    struct checker *c = context;
    struct ez_symbol *v = s->kind == STMT_COMPACT ? find_symbol(c, s->target->name.text) : NULL;
    if (!v || v->kind != SYMBOL_EZ_VARIABLE || v->var.length || v->var.direction == VAR_IN ||
        !has_front(c->u, v))
        return;
    struct name name = {arena_printf(&c->u->arena, "%s.length", v->name.text), v->name.at};
    struct ez_symbol *length = symbol_new(c, SYMBOL_EZ_VARIABLE, name);
    length->type = type_of(count_type(c->u, v->var.group));
    length->read = length->var.assigned = true;
    v->var.length = length;
    vec_push(&c->u->variables.items, length);
}

void declare_lengths(struct checker *c) {
    const struct walker w = {c, declare_length, NULL};
    walk_stmts(&w, c->u->main->body);
}

/* Before any `compact` it has the number of all elements. */
static void read_length(struct ez_symbol *length) {
    if (!length->var.written)
        length->var.late_length = true;
}

bool asks_length(const struct expr *e) {
    return e->kind == EXPR_CALL && e->arg_count == 1 && strcmp(e->name.text, "length") == 0;
}

struct front_search {
    struct checker *c;
    VEC(struct ez_symbol *) lengths;
    const struct expr *asked; /* the argument of length(...): it is not what the variable holds */
};

static void find_length(void *context, struct expr *e) {
    struct front_search *s = context;
    if (asks_length(e))
        s->asked = e->args[0];
    if ((e->kind != EXPR_NAME && e->kind != EXPR_INDEX) || e == s->asked)
        return;
    const struct ez_symbol *v = find_symbol(s->c, e->name.text);
    if (!v || v->kind != SYMBOL_EZ_VARIABLE || !v->var.length)
        return;
    for (size_t i = 0; i < s->lengths.len; i++)
        if (s->lengths.data[i] == v->var.length)
            return;
    read_length(v->var.length);
    vec_push(&s->lengths, v->var.length);
}

struct ez_front check_front(struct checker *c, struct expr *e, struct expr *other, struct stmt *s) {
    struct front_search search = {.c = c};
    const struct walker w = {&search, NULL, find_length};
    walk_expr(&w, e);
    walk_expr(&w, other);
    walk_stmts(&w, s);
    struct ez_front f = {.count = (uint32_t)search.lengths.len};
    f.lengths = ARENA_ARRAY(&c->u->arena, f.count + 1u, struct ez_symbol *);
    for (uint32_t i = 0; i < f.count; i++)
        f.lengths[i] = search.lengths.data[i];
    vec_free(&search.lengths);
    return f;
}

bool check_length(struct checker *c, struct expr *e) {
    if (strcmp(e->name.text, "length") != 0 || find_symbol(c, "length"))
        return false;
    const struct expr *a = e->arg_count == 1 ? e->args[0] : NULL;
    const struct ez_symbol *v = a && a->kind == EXPR_NAME ? find_symbol(c, a->name.text) : NULL;
    poison(e);
    if (c->sub && v && v->var.group && v->kind == SYMBOL_EZ_VARIABLE) {
        diag_error(c->u->diag, e->at,
                   "a subroutine does not see the variables of groups: it gets `%s` as a parameter",
                   source_text(c, e->at));
        return true;
    }
    if (!v || v->kind != SYMBOL_EZ_VARIABLE || !v->var.length) {
        diag_error(c->u->diag, e->at,
                   "`length` is of a variable that `compact` fills, as in `length(y)`");
        return true;
    }
    read_length(v->var.length);
    e->function = FUNCTION_LENGTH;
    e->symbol = v->var.length;
    e->type = type_of((struct mpu_type){TYPE_UINT, 64});
    return true;
}

/* ---- compact ---- */

static bool check_group_shape(struct checker *c, const struct stmt *s, const struct ez_symbol *v) {
    const char *why = NULL;
    if (!v->var.group)
        why = "has no group: it is one value";
    else if (v->var.group->layout.on_mpus)
        why = "is of a group `on` an array of MPUs, of which each has its own elements";
    else if (ez_group_dims(c->u, v->var.group) != 1)
        why = "is of a group of several dimensions";
    if (why)
        diag_error(c->u->diag, s->target->at,
                   "`compact` goes along the elements of a group of one dimension: `%s` %s",
                   v->name.text, why);
    return !why;
}

/* What is filled: all of a variable. */
static struct ez_symbol *check_target(struct checker *c, struct stmt *s) {
    struct ez_symbol *v = find_variable(c, s->target);
    if (!v || !check_group_shape(c, s, v))
        return NULL;
    if (s->target->kind == EXPR_INDEX) {
        diag_error(c->u->diag, s->target->at, "all of `%s` is filled: it has no indices here",
                   v->name.text);
        return NULL;
    }
    if (v->var.direction == VAR_IN) {
        diag_error(c->u->diag, s->target->at, "`%s` is an input and cannot be assigned",
                   v->name.text);
        return NULL;
    }
    return v;
}

/* All registers of an array, which an expression cannot be. */
static bool check_array(struct checker *c, struct stmt *s, struct ez_compact *x) {
    struct expr *e = s->value;
    struct ez_symbol *from = e->kind == EXPR_NAME ? find_symbol(c, e->name.text) : NULL;
    bool good = from && from->kind == SYMBOL_EZ_VARIABLE && from->var.group == x->group &&
                from->count == x->to->count && from->has_k && from->type.state == STATE_TYPED &&
                type_same(from->type.type, x->to->type.type);
    if (!good) {
        diag_error(c->u->diag, e->at,
                   "`%s` has %u registers: it is filled from a variable of its group with as many "
                   "of %s",
                   x->to->name.text, x->to->count, type_name(c, x->to->type.type));
        return false;
    }
    move_reads(c, e, from);
    x->from = from;
    return true;
}

static bool check_value(struct checker *c, struct stmt *s, struct ez_compact *x) {
    if (!s->value) {
        move_reads(c, s->target, x->to);
        return true;
    }
    if (x->to->has_k)
        return check_array(c, s, x);
    check_expr(c, s->value);
    x->value = s->value;
    return check_assignable(c, s->value, x->to->type.type, s->target->at);
}

/* In a lane of the group. */
static bool check_inside(struct checker *c, struct stmt *s, struct ez_compact *x) {
    c->group = x->group;
    c->lane = true;
    check_expr(c, s->last);
    bool good = s->last->type.state != STATE_ERROR && check_bool(c, s->last, "`where`");
    good &= check_value(c, s, x);
    c->lane = false;
    c->group = NULL;
    return good;
}

void check_compact(struct checker *c, struct stmt *s) {
    struct ez_compact *x = ARENA_NEW(&c->u->arena, struct ez_compact);
    *x = (struct ez_compact){.to = check_target(c, s), .where = s->last};
    x->group = x->to ? x->to->var.group : NULL;
    if (!x->to || !check_inside(c, s, x)) {
        c->incomplete = true;
        return;
    }
    if (c->on)
        diag_error(c->u->diag, s->at, "`compact` waits for all MPUs: it stands outside of `on`");
    x->front = check_front(c, s->value ? s->value : s->target, s->last, NULL);
    move_writes(c, x->to);
    note_written(c, x->to->var.length, 1);
    x->count = count_type(c->u, x->group);
    s->compact = x;
}
