/* SPDX-License-Identifier: MIT
 * Loops at top level that are repeated and use their counter: in indices of moves, which then step
 * from lap to lap, and as a value in `compute`. */
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/walk.h"

#include <string.h>

struct uses {
    const char *name;
    enum counter_use found;
};

static void look_at(struct uses *u, struct stmt *s);

static void find_name(void *context, struct expr *e) {
    struct uses *u = context;
    if (e->kind == EXPR_NAME && strcmp(e->name.text, u->name) == 0)
        u->found |= COUNTER_OTHERWISE;
}

/* `use` if the name stands in the expression. */
static void look_in(struct uses *u, struct expr *e, enum counter_use use) {
    struct uses inside = {u->name, COUNTER_UNUSED};
    const struct walker w = {&inside, NULL, find_name};
    walk_expr(&w, e);
    u->found |= inside.found ? use : COUNTER_UNUSED;
}

static void look_at_move(struct uses *u, struct stmt *s) {
    look_in(u, s->target, COUNTER_MOVES);
    look_in(u, s->value, COUNTER_MOVES);
    look_in(u, s->fill, COUNTER_OTHERWISE);
    for (uint32_t i = 0; i < s->operand_count; i++)
        look_in(u, s->operands[i], COUNTER_MOVES);
}

/* In bounds of loops inside, and as an index, there must be a number. */
static void find_bound(void *context, struct stmt *s) {
    struct uses *u = context;
    if (s->kind == STMT_FOR || s->kind == STMT_REPEAT) {
        look_in(u, s->value, COUNTER_OTHERWISE);
        look_in(u, s->last, COUNTER_OTHERWISE);
    }
}

static void look_at_compute(struct uses *u, struct stmt *s) {
    const struct walker bounds = {u, find_bound, NULL};
    if (indexes_by(s->body, u->name))
        u->found |= COUNTER_OTHERWISE;
    if (mentions(s->body, u->name))
        u->found |= COUNTER_VALUE;
    walk_stmts(&bounds, s->body);
}

static void look_at_others(struct uses *u, struct stmt *s) {
    look_in(u, s->target, COUNTER_OTHERWISE);
    look_in(u, s->value, COUNTER_OTHERWISE);
    look_in(u, s->last, COUNTER_OTHERWISE);
    look_in(u, s->fill, COUNTER_OTHERWISE);
    for (uint32_t i = 0; i < s->operand_count; i++)
        look_in(u, s->operands[i], COUNTER_OTHERWISE);
    look_at(u, s->body);
    look_at(u, s->otherwise);
}

static void look_at(struct uses *u, struct stmt *s) {
    for (; s; s = s->next)
        if (s->kind == STMT_MOVE)
            look_at_move(u, s);
        else if (s->kind == STMT_COMPUTE)
            look_at_compute(u, s);
        else
            look_at_others(u, s);
}

enum counter_use counter_uses(struct stmt *body, const char *name) {
    struct uses u = {name, COUNTER_UNUSED};
    look_at(&u, body);
    return u.found;
}

unsigned repeats_inside(const struct stmt *s) {
    unsigned most = 0;
    for (; s; s = s->next) {
        bool loops = s->kind == STMT_REPEAT || s->kind == STMT_FOR || s->kind == STMT_WHILE;
        unsigned body = s->kind == STMT_COMPUTE ? 0 : repeats_inside(s->body) + loops;
        unsigned otherwise = repeats_inside(s->otherwise);
        most = body > most ? body : most;
        most = otherwise > most ? otherwise : most;
    }
    return most;
}

bool counter_lap(const struct checker *c, const struct ez_symbol *k, unsigned *lap) {
    const struct open_loop *o = c->around;
    *lap = 0;
    for (; o && o->stmt->symbol != k; o = o->outer)
        *lap += o->stmt->kind == STMT_REPEAT || o->stmt->kind == STMT_FOR;
    return o && *lap < MOVE_MAX_LAPS;
}

/* The variable that holds the counter in the group at hand. */
bool counter_read(struct checker *c, const struct expr *e, struct ez_symbol *k) {
    if (!k->counter.counts) /* of a loop in lane code */
        return true;
    if (!c->lane || c->sub) {
        diag_error(
            c->u->diag, e->at,
            "`%s` counts the laps of a loop at top level: it stands in indices of moves, and "
            "in `compute`",
            k->name.text);
        return false;
    }
    for (const struct counter_value *v = k->counter.counts->values; v; v = v->next)
        if (v->group == c->group)
            return true;
    struct counter_value *v = ARENA_NEW(&c->u->arena, struct counter_value);
    v->group = c->group;
    v->type = ez_counter_type(k);
    v->next = k->counter.counts->values;
    k->counter.counts->values = v;
    return true;
}

struct ez_symbol *declare_top_counter(struct checker *c, struct stmt *s) {
    struct ez_symbol *k = declare(c, SYMBOL_EZ_COUNTER, s->name, NULL);
    if (!k)
        return NULL;
    k->type = TYPE_NUMBER;
    k->value = s->value->value;
    k->counter.last = last_lap(s->last);
    k->read = true;
    k->counter.counts = ARENA_NEW(&c->u->arena, struct top_counter);
    k->counter.counts->depth = c->repeat_depth;
    return k;
}
