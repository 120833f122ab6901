/* SPDX-License-Identifier: MIT
 * When there are more variables than registers: those that are not needed at the same time share.
 * A variable is needed from the first statement of main that names it to the last one; inputs from
 * the beginning, outputs to the end; what a loop names, during the whole loop. */
#include "ezpim/ez/move.h"
#include "ezpim/ez/spill.h"
#include "ezpim/ez/walk.h"
#include "ezpim/ir.h"

#include <stdlib.h>

struct times {
    struct unit *u;
    uint32_t now;
    bool unknown;    /* there is a statement of which nothing is known here */
    bool role;       /* in an `on` */
    uint64_t weight; /* of a statement here */
};

static void touch_at(struct ez_symbol *s, uint32_t time) {
    if (!s || s->kind != SYMBOL_EZ_VARIABLE || s->home)
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

static void add_window(struct unit *u, struct ez_symbol *s, struct ez_window w) {
    if (s->window_count == s->window_room) {
        struct ez_window *before = s->windows;
        s->window_room = 2 * s->window_room + 4;
        s->windows = ARENA_ARRAY(&u->arena, s->window_room, struct ez_window);
        for (uint32_t i = 0; i < s->window_count; i++)
            s->windows[i] = before[i];
    }
    s->windows[s->window_count++] = w;
}

/* What -fspill asks: where a variable is used, and which ones cannot lie somewhere else. */
static void visit_uses(struct times *t, const struct stmt *s) {
    struct ez_uses uses = {0};
    ez_statement_uses(s, &uses);
    for (size_t i = 0; i < uses.items.len; i++) {
        struct ez_symbol *x = uses.items.data[i].symbol;
        bool writes = uses.items.data[i].writes;
        x->stays |= t->role || (writes && s->kind == STMT_IF);
        x->transfers += t->weight * (writes ? 2 : 1);
        if (x->home)
            add_window(t->u, x, (struct ez_window){t->now, writes, s->at});
    }
    vec_free(&uses.items);
}

static void visit_list(struct times *t, struct stmt *s);

/* What a loop names is needed from its beginning to its end. */
static void stretch(struct times *t, uint32_t begin) {
    for (size_t i = 0; i < t->u->variables.items.len; i++) {
        struct ez_symbol *s = t->u->variables.items.data[i];
        if (s->home || !s->named || s->last_named < begin)
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

static void keep(struct ez_symbol *s) {
    if (s)
        s->stays = true;
}

static void keep_expr(void *context, struct expr *e) {
    (void)context;
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX)
        keep(e->symbol);
}

/* A loop counts as so many laps. */
enum { LAPS = 8, MOST_WEIGHT = 1 << 20 };

static void visit_blocks(struct times *t, struct stmt *s) {
    uint32_t begin = t->now;
    bool laps = s->kind == STMT_REPEAT || s->kind == STMT_WHILE ||
                (s->kind == STMT_FOR && s->loop != FOR_UNROLLED);
    struct walker w = {t, NULL, touch_expr}, keep = {NULL, NULL, keep_expr};
    bool role = t->role;
    uint64_t weight = t->weight;
    if (s->kind == STMT_IF || s->kind == STMT_WHILE)
        walk_expr(&w, s->value);
    if (s->kind == STMT_IF)
        visit_uses(t, s);
    if (s->kind == STMT_WHILE)
        walk_expr(&keep, s->value);
    t->role |= s->kind == STMT_ON;
    t->weight = laps && weight < MOST_WEIGHT ? weight * LAPS : weight;
    if (s->kind != STMT_FOR || s->loop != FOR_UNROLLED)
        visit_list(t, s->body);
    visit_list(t, s->otherwise);
    for (uint32_t i = 0; i < s->lap_count; i++)
        visit_list(t, s->laps[i]);
    t->role = role;
    t->weight = weight;
    if (laps)
        stretch(t, begin);
}

static void touch_collective(const struct times *t, const struct ez_collective *x) {
    struct ez_symbol *const all[] = {x->to, x->from, x->own, x->other, x->aside};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        touch_at(all[i], t->now);
        keep(all[i]);
    }
}

static void touch_compact(struct times *t, const struct ez_compact *x) {
    struct walker w = {t, NULL, touch_expr};
    struct ez_symbol *const all[] = {
        x->to, x->from, x->places.own[0], x->places.other[0], x->places.left, x->chosen, x->other};
    walk_expr(&w, x->value);
    walk_expr(&w, x->where);
    struct walker stay = {NULL, NULL, keep_expr};
    walk_expr(&stay, x->value);
    walk_expr(&stay, x->where);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        touch_at(all[i], t->now);
        keep(all[i]);
    }
}

static void touch_move(const struct times *t, const struct ez_move *m) {
    touch_at(m->to, t->now);
    touch_at(m->from, t->now);
    if (!t->role)
        return;
    keep(m->to);
    keep(m->from);
}

static void visit(struct times *t, struct stmt *s) {
    struct walker w = {t, NULL, touch_expr};
    t->now++;
    switch (s->kind) {
    case STMT_COMPUTE:
        walk_stmts(&w, s->body);
        visit_uses(t, s);
        break;
    case STMT_MOVE:
        touch_move(t, s->move);
        break;
    case STMT_ASSIGN:
        visit_reduction(t, s->reduction);
        visit_uses(t, s);
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
        keep(s->message->symbol);
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
        bool always = !s->group || s->group->spilled_of;
        if (always || (s->direction & VAR_IN))
            touch_at(s, 0);
        if (always || (s->direction & VAR_OUT))
            touch_at(s, end);
    }
}

/* What a pass over main found before. */
static void forget(struct ez_symbol *s) {
    s->named = s->stays = false;
    s->window_count = 0;
    s->transfers = 0;
}

bool ez_find_times(struct unit *u) {
    struct times t = {.u = u, .weight = 1};
    for (size_t i = 0; i < u->variables.items.len; i++)
        forget(u->variables.items.data[i]);
    visit_list(&t, u->main->body);
    keep_shared(u, t.now + 1);
    return !t.unknown;
}

/* Whether a is used in one of b's statements. */
static bool in_windows(const struct ez_symbol *a, const struct ez_symbol *b) {
    for (uint32_t i = 0, k = 0; i < b->window_count; i++) {
        uint32_t time = b->windows[i].time;
        while (a->home && k < a->window_count && a->windows[k].time < time)
            k++;
        if (a->home ? k < a->window_count && a->windows[k].time == time
                    : a->first_named <= time && time <= a->last_named)
            return true;
    }
    return false;
}

static bool same_place(const struct ez_symbol *a, const struct ez_symbol *b) {
    return !a->group || !b->group || a->group->place == b->group->place;
}

bool ez_needed_together(const struct ez_symbol *a, const struct ez_symbol *b) {
    if (!same_place(a, b) || (!a->home && !a->named) || (!b->home && !b->named))
        return false;
    if (a->home || b->home)
        return b->home ? in_windows(a, b) : in_windows(b, a);
    return a->first_named <= b->last_named && b->first_named <= a->last_named;
}

/* The lowest stretch of registers below `limit` that is not taken; false if there is none. */
static bool find_stretch(struct ez_symbol *s, uint64_t taken, unsigned limit) {
    uint64_t all = ez_all_elements(s);
    uint32_t r = 0;
    while (r + s->count <= limit && (taken & all << r))
        r++;
    s->reg = (uint8_t)r;
    return r + s->count <= limit;
}

struct ez_symbol *ez_share_registers(struct unit *u, unsigned limit) {
    for (size_t i = 0; i < u->variables.items.len; i++) {
        struct ez_symbol *s = u->variables.items.data[i];
        bool is_home = s->group && s->group->spilled_of;
        uint64_t taken = u->bare | u->passed;
        for (size_t k = 0; k < i; k++) {
            const struct ez_symbol *v = u->variables.items.data[k];
            if (ez_needed_together(s, v))
                taken |= ez_all_elements(v) << v->reg;
        }
        if (!find_stretch(s, taken, is_home ? IR_REGISTERS : limit))
            return s;
    }
    u->shares_registers = true;
    return NULL;
}

static bool overlaps(const struct ez_symbol *a, const struct ez_symbol *b) {
    return a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

const struct ez_symbol *ez_taken_by(const struct unit *u, const struct ez_symbol *s) {
    if (!u->shares_registers || s->direction != VAR_IN)
        return NULL;
    for (size_t i = 0; i < u->variables.items.len; i++) {
        const struct ez_symbol *v = u->variables.items.data[i];
        if (v != s && (v->named || v->home) && same_place(s, v) && overlaps(s, v))
            return v;
    }
    return NULL;
}

void ez_report_taken(struct unit *u) {
    const struct ez_symbol *first = NULL;
    unsigned count = 0;
    for (size_t i = 0; i < u->variables.items.len; i++) {
        const struct ez_symbol *s = u->variables.items.data[i];
        if (!ez_taken_by(u, s))
            continue;
        first = first ? first : s;
        count++;
    }
    if (!count)
        return;
    diag_warning(u->diag, W_CONSUMED, first->name.at,
                 "`%s` is consumed: there are more variables than registers, and behind its last "
                 "use `%s` has its own",
                 first->name.text, ez_taken_by(u, first)->name.text);
    if (count > 1)
        diag_note(u->diag, first->name.at, "the same goes for %u more", count - 1);
    diag_note(u->diag, first->name.at, "`in consumed` says that this is meant");
}
