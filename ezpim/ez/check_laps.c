/* SPDX-License-Identifier: MIT
 * Loops at top level that are repeated and use their counter: in indices of moves, which then step
 * from lap to lap, and as a value in `compute`. */
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/walk.h"

#include <string.h>

struct counter_uses {
    const char *name;
    enum counter_use found;
};

static void look_at(struct counter_uses *uses, struct stmt *stmt);

static void find_name(void *context, struct expr *expr) {
    struct counter_uses *u = context;
    if (expr->kind == EXPR_NAME && strcmp(expr->name.text, u->name) == 0)
        u->found |= COUNTER_OTHERWISE;
}

/* `use` if the name stands in the expression. */
static void look_in(struct counter_uses *uses, struct expr *expr, enum counter_use use) {
    struct counter_uses inside = {uses->name, COUNTER_UNUSED};
    const struct walker w = {&inside, NULL, find_name};
    ez_walk_expr(&w, expr);
    uses->found |= inside.found ? use : COUNTER_UNUSED;
}

static void look_at_move(struct counter_uses *uses, struct stmt *stmt) {
    look_in(uses, stmt->target, COUNTER_MOVES);
    look_in(uses, stmt->value, COUNTER_MOVES);
    look_in(uses, stmt->fill, COUNTER_OTHERWISE);
    for (uint32_t i = 0; i < stmt->operand_count; i++)
        look_in(uses, stmt->operands[i], COUNTER_MOVES);
}

/* In bounds of loops inside, and as an index, there must be a number. */
static void find_bound(void *context, struct stmt *stmt) {
    struct counter_uses *u = context;
    if (stmt->kind == STMT_FOR || stmt->kind == STMT_REPEAT) {
        look_in(u, stmt->value, COUNTER_OTHERWISE);
        look_in(u, stmt->last, COUNTER_OTHERWISE);
    }
}

static void look_at_compute(struct counter_uses *uses, struct stmt *stmt) {
    const struct walker bounds = {uses, find_bound, NULL};
    if (ez_indexes_by(stmt->body, uses->name))
        uses->found |= COUNTER_OTHERWISE;
    if (ez_mentions(stmt->body, uses->name))
        uses->found |= COUNTER_VALUE;
    ez_walk_stmts(&bounds, stmt->body);
}

static void look_at_others(struct counter_uses *uses, struct stmt *stmt) {
    look_in(uses, stmt->target, COUNTER_OTHERWISE);
    look_in(uses, stmt->value, COUNTER_OTHERWISE);
    look_in(uses, stmt->last, COUNTER_OTHERWISE);
    look_in(uses, stmt->fill, COUNTER_OTHERWISE);
    for (uint32_t i = 0; i < stmt->operand_count; i++)
        look_in(uses, stmt->operands[i], COUNTER_OTHERWISE);
    look_at(uses, stmt->body);
    look_at(uses, stmt->otherwise);
}

static void look_at(struct counter_uses *uses, struct stmt *stmt) {
    for (; stmt; stmt = stmt->next)
        if (stmt->kind == STMT_MOVE)
            look_at_move(uses, stmt);
        else if (stmt->kind == STMT_COMPUTE)
            look_at_compute(uses, stmt);
        else
            look_at_others(uses, stmt);
}

enum counter_use ez_counter_uses(struct stmt *body, const char *name) {
    struct counter_uses u = {name, COUNTER_UNUSED};
    look_at(&u, body);
    return u.found;
}

unsigned ez_repeats_inside(const struct stmt *stmt) {
    unsigned most = 0;
    for (; stmt; stmt = stmt->next) {
        bool loops =
            stmt->kind == STMT_REPEAT || stmt->kind == STMT_FOR || stmt->kind == STMT_WHILE;
        unsigned body = stmt->kind == STMT_COMPUTE ? 0 : ez_repeats_inside(stmt->body) + loops;
        unsigned otherwise = ez_repeats_inside(stmt->otherwise);
        most = body > most ? body : most;
        most = otherwise > most ? otherwise : most;
    }
    return most;
}

bool ez_counter_lap(const struct checker *checker, const struct ez_symbol *symbol, unsigned *lap) {
    const struct open_loop *o = checker->around;
    *lap = 0;
    for (; o && o->stmt->symbol != symbol; o = o->outer)
        *lap += o->stmt->kind == STMT_REPEAT || o->stmt->kind == STMT_FOR;
    return o && *lap < MOVE_MAX_LAPS;
}

/* The variable that holds the counter in the group at hand. */
bool ez_counter_read(struct checker *checker, const struct expr *expr, struct ez_symbol *symbol) {
    if (!symbol->counter.counts) /* of a loop in lane code */
        return true;
    if (!checker->lane || checker->sub) {
        diag_error(
            checker->u->diag, expr->at,
            "`%s` is the number of an iteration of a loop at top level: it stands in indices of "
            "moves, and "
            "in `compute`",
            symbol->name.text);
        return false;
    }
    for (const struct counter_value *v = symbol->counter.counts->values; v; v = v->next)
        if (v->group == checker->group)
            return true;
    struct counter_value *v = ARENA_NEW(&checker->u->arena, struct counter_value);
    v->group = checker->group;
    v->type = ez_counter_type(symbol);
    v->next = symbol->counter.counts->values;
    symbol->counter.counts->values = v;
    return true;
}

struct ez_symbol *ez_declare_top_counter(struct checker *checker, struct stmt *stmt) {
    struct ez_symbol *k = ez_declare(checker, SYMBOL_EZ_COUNTER, stmt->name, NULL);
    if (!k)
        return NULL;
    k->type = TYPE_NUMBER;
    k->value = stmt->value->value;
    k->counter.last = ez_last_lap(stmt->last);
    k->read = true;
    k->counter.counts = ARENA_NEW(&checker->u->arena, struct top_counter);
    k->counter.counts->depth = checker->repeat_depth;
    return k;
}
