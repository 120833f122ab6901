/* SPDX-License-Identifier: MIT
 * When there are more variables than registers: those that are not needed at the same time share.
 * A variable is needed from the first statement of main that names it to the last one; inputs from
 * the beginning, outputs to the end; what a loop names, during the whole loop. */
#include "ezpim/ez/move.h"
#include "ezpim/ez/sharing.h"
#include "ezpim/ez/walk.h"
#include "ezpim/ir.h"

#include <stdlib.h>

struct times {
    struct unit *u;
    uint32_t now;
    bool unknown; /* there is a statement of which nothing is known here */
};

static void touch_at(struct ez_symbol *s, uint32_t time) {
    if (!s || s->kind != SYMBOL_EZ_VARIABLE)
        return;
    if (!s->named || time < s->first_named)
        s->first_named = time;
    if (!s->named || time > s->last_named)
        s->last_named = time;
    s->named = true;
}

static void touch_expr(void *context, struct expr *e) {
    const struct times *t = context;
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX)
        touch_at(e->symbol, t->now);
}

static void visit_list(struct times *t, struct stmt *s);

/* What a loop names is needed from its beginning to its end. */
static void stretch(struct times *t, uint32_t begin) {
    for (size_t i = 0; i < t->u->variables.items.len; i++) {
        struct ez_symbol *s = t->u->variables.items.data[i];
        if (!s->named || s->last_named < begin)
            continue;
        touch_at(s, begin);
        touch_at(s, t->now);
    }
}

static void touch_reduction(struct times *t, const struct ez_reduction *r) {
    struct walker w = {t, NULL, touch_expr};
    walk_expr(&w, r->value);
    for (unsigned i = 0; i < 2; i++) {
        touch_at(r->own[i], t->now);
        touch_at(r->other[i], t->now);
    }
    touch_at(r->left, t->now);
    touch_at(r->target, t->now);
}

/* A run of reductions is folded where its first one stands. */
static void visit_reduction(struct times *t, struct ez_reduction *r) {
    uint32_t own = t->now;
    if (r->first == r)
        r->time = own;
    t->now = r->first->time;
    touch_reduction(t, r);
    t->now = own;
    touch_reduction(t, r);
}

static void visit_blocks(struct times *t, struct stmt *s) {
    uint32_t begin = t->now;
    bool laps = s->kind == STMT_REPEAT || s->kind == STMT_WHILE ||
                (s->kind == STMT_FOR && s->loop != FOR_UNROLLED);
    struct walker w = {t, NULL, touch_expr};
    if (s->kind == STMT_IF || s->kind == STMT_WHILE)
        walk_expr(&w, s->value);
    if (s->kind != STMT_FOR || s->loop != FOR_UNROLLED)
        visit_list(t, s->body);
    visit_list(t, s->otherwise);
    for (uint32_t i = 0; i < s->lap_count; i++)
        visit_list(t, s->laps[i]);
    if (laps)
        stretch(t, begin);
}

static void touch_collective(const struct times *t, const struct ez_collective *x) {
    struct ez_symbol *const all[] = {x->to, x->from, x->own, x->other, x->aside};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        touch_at(all[i], t->now);
}

static void touch_compact(struct times *t, const struct ez_compact *x) {
    struct walker w = {t, NULL, touch_expr};
    struct ez_symbol *const all[] = {
        x->to, x->from, x->places.own[0], x->places.other[0], x->places.left, x->chosen, x->other};
    walk_expr(&w, x->value);
    walk_expr(&w, x->where);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        touch_at(all[i], t->now);
}

static void visit(struct times *t, struct stmt *s) {
    struct walker w = {t, NULL, touch_expr};
    t->now++;
    switch (s->kind) {
    case STMT_COMPUTE:
        walk_stmts(&w, s->body);
        break;
    case STMT_MOVE:
        touch_at(s->move->to, t->now);
        touch_at(s->move->from, t->now);
        break;
    case STMT_ASSIGN:
        visit_reduction(t, s->reduction);
        break;
    case STMT_IF:
    case STMT_WHILE:
    case STMT_REPEAT:
    case STMT_FOR:
    case STMT_ON:
        visit_blocks(t, s);
        break;
    case STMT_COLLECTIVE:
        touch_collective(t, s->collective);
        break;
    case STMT_SEND: /* what it lands in is named by the recv */
    case STMT_RECV:
        touch_at(s->message->symbol, t->now);
        break;
    case STMT_COMPACT:
        touch_compact(t, s->compact);
        break;
    case STMT_MARK:
    case STMT_BARRIER:
    case STMT_SYNC:
        break;
    default:
        t->unknown = true;
        break;
    }
}

static void visit_list(struct times *t, struct stmt *s) {
    for (; s; s = s->next)
        visit(t, s);
}

/* Subroutines that are called see variables without a group: those are always needed. */
static void keep_shared(struct unit *u, uint32_t end) {
    for (size_t i = 0; i < u->variables.items.len; i++) {
        struct ez_symbol *s = u->variables.items.data[i];
        if (!s->group || (s->direction & VAR_IN))
            touch_at(s, 0);
        if (!s->group || (s->direction & VAR_OUT))
            touch_at(s, end);
    }
}

bool ez_find_times(struct unit *u) {
    struct times t = {.u = u};
    visit_list(&t, u->main->body);
    keep_shared(u, t.now + 1);
    return !t.unknown;
}

static bool meet(const struct ez_symbol *a, const struct ez_symbol *b) {
    bool same_place = !a->group || !b->group || a->group->place == b->group->place;
    return same_place && a->named && b->named && a->first_named <= b->last_named &&
           b->first_named <= a->last_named;
}

bool ez_share_registers(struct unit *u) {
    for (size_t i = 0; i < u->variables.items.len; i++) {
        struct ez_symbol *s = u->variables.items.data[i];
        uint64_t taken = u->bare, all = ez_all_elements(s);
        for (size_t k = 0; k < i; k++) {
            const struct ez_symbol *v = u->variables.items.data[k];
            if (meet(s, v))
                taken |= ez_all_elements(v) << v->reg;
        }
        uint32_t r = 0;
        while (r + s->count <= IR_REGISTERS && (taken & all << r))
            r++;
        if (r + s->count > IR_REGISTERS)
            return false;
        s->reg = (uint8_t)r;
    }
    u->shares_registers = true;
    return true;
}
