/* SPDX-License-Identifier: MIT
 * When there are more variables than registers: those that are not needed at the same time share.
 * A variable is needed from the first statement of main that names it to the last one; inputs from
 * the beginning, they (but for those that are consumed) and outputs to the end; what a loop names,
 * during the whole loop. */
#include "ezpim/ez/move.h"
#include "ezpim/ez/spill.h"
#include "ezpim/ez/walk.h"
#include "ezpim/ir.h"

#include <stdlib.h>

struct loop {
    uint32_t begin, end;
};

struct times {
    struct unit *u;
    VEC(struct loop) loops; /* those inside before those around them */
    uint32_t now;
    bool unknown;    /* there is a statement of which nothing is known here */
    bool role;       /* in an `on` */
    uint64_t weight; /* of a statement here */
};

static void make_room(struct unit *u, struct ez_symbol *s) {
    struct ez_window *before = s->windows;
    if (s->window_count < s->window_room)
        return;
    s->window_room = 2 * s->window_room + 4;
    s->windows = ARENA_ARRAY(&u->arena, s->window_room, struct ez_window);
    for (uint32_t i = 0; i < s->window_count; i++)
        s->windows[i] = before[i];
}

/* Most come in order: a run of reductions names what its first one does, again and again. */
static void add_window(struct unit *u, struct ez_symbol *s, struct ez_window w) {
    uint32_t at = s->window_count;
    while (at && s->windows[at - 1].time > w.time)
        at--;
    if (s->brief && at && s->windows[at - 1].time == w.time)
        return;
    make_room(u, s);
    for (uint32_t i = s->window_count++; i > at; i--)
        s->windows[i] = s->windows[i - 1];
    s->windows[at] = w;
}

static void touch_at(const struct times *t, struct ez_symbol *s, uint32_t time) {
    if (!s || s->kind != SYMBOL_EZ_VARIABLE || s->home)
        return;
    if (s->brief) {
        add_window(t->u, s, (struct ez_window){.time = time});
        return;
    }
    if (!s->named || time < s->first_named)
        s->first_named = time;
    if (!s->named || time > s->last_named)
        s->last_named = time;
    s->named = true;
}

static void touch_expr(void *context, struct expr *e) {
    const struct times *t = context;
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX)
        touch_at(t, e->symbol, t->now);
    if (e->kind == EXPR_CALL && e->function == FUNCTION_SUB)
        vec_push(&t->u->call_times, t->now);
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

/* What a loop names is needed in all of it, from begin to end, but for what no statement outside of
 * it names and every lap writes before it reads. */
static void stretch(const struct times *t, struct loop loop) {
    for (size_t i = 0; i < t->u->variables.items.len; i++) {
        struct ez_symbol *s = t->u->variables.items.data[i];
        bool inside = s->first_named >= loop.begin && s->last_named <= loop.end;
        if (ez_has_windows(s) || !s->named || s->last_named < loop.begin ||
            s->first_named > loop.end || (inside && !s->carried && !s->partly))
            continue;
        touch_at(t, s, loop.begin);
        touch_at(t, s, loop.end);
    }
}

static void touch_reduction(struct times *t, const struct ez_reduction *r) {
    struct walker w = {t, NULL, touch_expr};
    walk_expr(&w, r->value);
    for (unsigned i = 0; i < 2; i++) {
        touch_at(t, r->own[i], t->now);
        touch_at(t, r->other[i], t->now);
    }
    touch_at(t, r->left, t->now);
    touch_at(t, r->target, t->now);
}

/* What is folded together is folded where the first of it stands. */
static void visit_reduction(struct times *t, struct ez_reduction *r) {
    uint32_t own = r->time = t->now;
    t->now = ez_fold_first(t->u, r)->time;
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
        vec_push(&t->loops, ((struct loop){begin, t->now}));
}

/* It writes some of the elements, so that others may be of a lap before. */
static void carry(struct ez_symbol *s) {
    if (s)
        s->carried = true;
}

static void touch_collective(const struct times *t, const struct ez_collective *x) {
    struct ez_symbol *const all[] = {x->to, x->from, x->own, x->other, x->aside};
    carry(x->to);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        touch_at(t, all[i], t->now);
        keep(all[i]);
    }
}

static void touch_compact(struct times *t, const struct ez_compact *x) {
    carry(x->to);
    struct walker w = {t, NULL, touch_expr};
    struct ez_symbol *const all[] = {
        x->to, x->from, x->places.own[0], x->places.other[0], x->places.left, x->chosen, x->other};
    walk_expr(&w, x->value);
    walk_expr(&w, x->where);
    struct walker stay = {NULL, NULL, keep_expr};
    walk_expr(&stay, x->value);
    walk_expr(&stay, x->where);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        touch_at(t, all[i], t->now);
        keep(all[i]);
    }
}

static void touch_move(const struct times *t, const struct ez_move *m) {
    if (m->record.bounded || m->record.outside == MOVE_KEEP)
        carry(m->to);
    touch_at(t, m->to, t->now);
    touch_at(t, m->from, t->now);
    if (!t->role)
        return;
    keep(m->to);
    keep(m->from);
}

static void visit(struct times *t, struct stmt *s) {
    struct walker w = {t, NULL, touch_expr};
    s->time = ++t->now;
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
        touch_at(t, s->message->symbol, t->now);
        carry(s->message->symbol);
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

static void touch_always(void *context, struct expr *e) {
    const struct times *t = context;
    if (e->kind != EXPR_NAME && e->kind != EXPR_INDEX)
        return;
    touch_at(t, e->symbol, 0);
    touch_at(t, e->symbol, t->now + 1);
}

/* Subroutines see variables without a group, and may be called wherever it is: what they name is
 * always needed.  So is what the program's user puts in or takes out. */
static void keep_shared(struct times *t) {
    struct walker w = {t, NULL, touch_always};
    for (size_t i = 0; i < t->u->subs.items.len; i++)
        if (t->u->subs.items.data[i]->decl)
            walk_stmts(&w, t->u->subs.items.data[i]->decl->body);
    for (size_t i = 0; i < t->u->variables.items.len; i++) {
        struct ez_symbol *s = t->u->variables.items.data[i];
        bool is_home = s->group && s->group->spilled_of;
        if (is_home || (s->direction & VAR_IN))
            touch_at(t, s, 0);
        if (is_home || s->direction & VAR_OUT || (s->direction == VAR_IN && !t->u->gives_inputs))
            touch_at(t, s, t->now + 1);
        touch_at(t, s->length, 0);
        touch_at(t, s->length, t->now + 1);
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
    vec_clear(&u->call_times);
    for (size_t i = 0; i < u->variables.items.len; i++)
        forget(u->variables.items.data[i]);
    visit_list(&t, u->main->body);
    keep_shared(&t);
    for (size_t i = 0; i < t.loops.len; i++)
        stretch(&t, t.loops.data[i]);
    vec_free(&t.loops);
    return !t.unknown;
}

/* Whether a is used in one of b's statements. */
static bool in_windows(const struct ez_symbol *a, const struct ez_symbol *b) {
    bool windows = ez_has_windows(a);
    for (uint32_t i = 0, k = 0; i < b->window_count; i++) {
        uint32_t time = b->windows[i].time;
        while (windows && k < a->window_count && a->windows[k].time < time)
            k++;
        if (windows ? k < a->window_count && a->windows[k].time == time
                    : a->first_named <= time && time <= a->last_named)
            return true;
    }
    return false;
}

static bool same_place(const struct ez_symbol *a, const struct ez_symbol *b) {
    return !a->group || !b->group || a->group->place == b->group->place;
}

bool ez_needed_together(const struct ez_symbol *a, const struct ez_symbol *b) {
    bool own = ez_has_windows(a), other = ez_has_windows(b);
    if (!same_place(a, b) || (!own && !a->named) || (!other && !b->named))
        return false;
    if (own || other)
        return other ? in_windows(a, b) : in_windows(b, a);
    return a->first_named <= b->last_named && b->first_named <= a->last_named;
}

bool ez_has_register(const struct unit *u, const struct ez_symbol *s, uint32_t time) {
    if (!u->shares_registers)
        return true;
    if (!ez_has_windows(s))
        return s->named && s->first_named <= time && time <= s->last_named;
    for (uint32_t i = 0; i < s->window_count; i++)
        if (s->windows[i].time == time)
            return true;
    return false;
}

bool ez_has_register_in_calls(const struct unit *u, const struct ez_symbol *s) {
    if (!u->shares_registers)
        return true;
    for (size_t i = 0; i < u->call_times.len; i++)
        if (ez_has_register(u, s, u->call_times.data[i]))
            return true;
    return false;
}

/* ---- registers ---- */

/* The wide ones first, so that those behind them find room in registers that are wide already. */
static int by_width(const void *a, const void *b) {
    const struct ez_symbol *x = *(const struct ez_symbol *const *)a,
                           *y = *(const struct ez_symbol *const *)b;
    if (x->type.type.bits != y->type.type.bits)
        return x->type.type.bits < y->type.type.bits ? 1 : -1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->rank < y->rank ? -1 : 1;
}

/* Bits that registers `first` .. get beside those that they have. */
static unsigned added_bits(const struct ez_symbol *s, uint32_t first, const uint8_t *widths) {
    unsigned bits = s->type.type.bits, added = 0;
    for (uint32_t r = first; r < first + s->count; r++)
        added += bits > widths[r] ? bits - widths[r] : 0;
    return added;
}

/* The stretch of registers below `limit` that are not taken which needs fewest new bits, the lowest
 * of equals; false if there is none. */
static bool find_stretch(struct ez_symbol *s, uint64_t taken, unsigned limit,
                         const uint8_t *widths) {
    uint64_t all = ez_all_elements(s);
    unsigned best = UINT32_MAX;
    for (uint32_t r = 0; r + s->count <= limit; r++) {
        unsigned added = added_bits(s, r, widths);
        if (taken & all << r || added >= best)
            continue;
        best = added;
        s->reg = (uint8_t)r;
    }
    return best != UINT32_MAX;
}

static unsigned widen(const struct ez_symbol *s, uint8_t *widths) {
    unsigned sum = 0;
    for (uint32_t r = s->reg; r < (uint32_t)s->reg + s->count; r++)
        if (widths[r] < s->type.type.bits)
            widths[r] = s->type.type.bits;
    for (unsigned r = 0; r < IR_REGISTERS; r++)
        sum += widths[r];
    return sum;
}

static struct ez_symbol *share(const struct unit *u, struct ez_symbol **sorted, size_t count,
                               struct ez_limits limits) {
    uint8_t widths[IR_REGISTERS] = {0};
    for (size_t i = 0; i < count; i++) {
        struct ez_symbol *s = sorted[i];
        bool is_home = s->group && s->group->spilled_of;
        uint64_t taken = u->bare | u->passed;
        for (size_t k = 0; k < i; k++)
            if (ez_needed_together(s, sorted[k]))
                taken |= ez_all_elements(sorted[k]) << sorted[k]->reg;
        if (!find_stretch(s, taken, is_home ? IR_REGISTERS : limits.registers, widths) ||
            (widen(s, widths) > limits.bits && !is_home))
            return s;
    }
    return NULL;
}

struct ez_symbol *ez_share_registers(struct unit *u, struct ez_limits limits) {
    size_t count = u->variables.items.len;
    struct ez_symbol **sorted = xcalloc(count + 1, sizeof(struct ez_symbol *));
    for (size_t i = 0; i < count; i++) {
        sorted[i] = u->variables.items.data[i];
        sorted[i]->rank = (uint32_t)i;
    }
    qsort(sorted, count, sizeof(struct ez_symbol *), by_width);
    struct ez_symbol *lacks = share(u, sorted, count, limits);
    free(sorted);
    u->shares_registers = !lacks;
    return lacks;
}

static bool overlaps(const struct ez_symbol *a, const struct ez_symbol *b) {
    return a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

const struct ez_symbol *ez_taken_by(const struct unit *u, const struct ez_symbol *s) {
    if (!u->shares_registers || !u->gives_inputs || s->direction != VAR_IN)
        return NULL;
    for (size_t i = 0; i < u->variables.items.len; i++) {
        const struct ez_symbol *v = u->variables.items.data[i];
        if (v != s && (v->named || ez_has_windows(v)) && same_place(s, v) && overlaps(s, v))
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
