/* SPDX-License-Identifier: MIT */
#include "ezpim/ez/spill.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/walk.h"
#include "ezpim/ir.h"

#include <string.h>

static void add_use(struct ez_uses *uses, struct ez_symbol *s, bool writes) {
    if (!s || s->kind != SYMBOL_EZ_VARIABLE)
        return;
    for (size_t i = 0; i < uses->items.len; i++)
        if (uses->items.data[i].symbol == s) {
            uses->items.data[i].writes |= writes;
            return;
        }
    struct ez_use use = {s, writes};
    vec_push(&uses->items, use);
}

static bool is_variable(const struct expr *e) {
    return e && (e->kind == EXPR_NAME || e->kind == EXPR_INDEX);
}

/* A subroutine may write what it is given. */
static void use_expr(void *context, struct expr *e) {
    if (is_variable(e))
        add_use(context, e->symbol, false);
    if (e->kind != EXPR_CALL || e->function != FUNCTION_SUB)
        return;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (is_variable(e->args[i]))
            add_use(context, e->args[i]->symbol, true);
}

/* Instructions may write any of their operands. */
static void use_stmt(void *context, struct stmt *s) {
    if (s->kind == STMT_ASSIGN && is_variable(s->target))
        add_use(context, s->target->symbol, true);
    for (uint32_t i = 0; i < s->operand_count; i++)
        if (is_variable(s->operands[i]))
            add_use(context, s->operands[i]->symbol, true);
}

void ez_statement_uses(const struct stmt *s, struct ez_uses *uses) {
    struct walker w = {uses, use_stmt, use_expr};
    if (s->kind == STMT_COMPUTE) {
        walk_stmts(&w, s->body);
    } else if (s->kind == STMT_ASSIGN && s->reduction) {
        walk_expr(&w, s->reduction->value);
        add_use(uses, s->reduction->target, true);
    } else if (s->kind == STMT_IF) {
        walk_expr(&w, s->value);
    }
}

/* A group of the same extents as g, in VRFs of its own. */
static struct ez_symbol *new_group(struct unit *u, const struct ez_symbol *g, uint32_t number) {
    struct ez_symbol *s = ARENA_NEW(&u->arena, struct ez_symbol);
    *s = *g;
    s->name.text = number == 1 ? arena_printf(&u->arena, "%s.spill", g->name.text)
                               : arena_printf(&u->arena, "%s.spill%u", g->name.text, number);
    s->like = NULL;
    s->at_rfh = s->at_vrf = NO_INDEX;
    s->index = s->place = (uint32_t)u->groups.items.len;
    s->spilled_of = g;
    vec_push(&u->groups.items, s);
    return s;
}

/* Registers and bits that something has in the group's VRFs. */
static struct ez_limits taken_in(const struct unit *u, const struct ez_symbol *g) {
    struct ez_limits taken = {.registers = (unsigned)__builtin_popcountll(u->bare)};
    for (size_t i = 0; i < u->variables.items.len; i++) {
        const struct ez_symbol *s = u->variables.items.data[i];
        if (s->group && s->group != g)
            continue;
        taken.registers += s->count;
        taken.bits += s->count * s->type.type.bits;
    }
    return taken;
}

static struct ez_symbol *group_for(struct unit *u, const struct ez_symbol *s,
                                   struct ez_limits limits) {
    uint32_t number = 1;
    for (size_t i = 0; i < u->groups.items.len; i++) {
        struct ez_symbol *g = u->groups.items.data[i];
        if (g->spilled_of != s->group)
            continue;
        struct ez_limits taken = taken_in(u, g);
        if (taken.registers + s->count <= IR_REGISTERS &&
            taken.bits + s->count * s->type.type.bits <= limits.home_bits)
            return g;
        number++;
    }
    return new_group(u, s->group, number);
}

/* The home is what the program knows by the variable's name; it takes its place in the list, and
 * the variable goes on as one that is not seen from outside. */
static void move_home(struct unit *u, struct ez_symbol *s, struct ez_limits limits) {
    struct ez_symbol *home = ARENA_NEW(&u->arena, struct ez_symbol);
    *home = *s;
    home->group = group_for(u, s, limits);
    for (size_t i = 0; i < u->variables.items.len; i++)
        if (u->variables.items.data[i] == s)
            u->variables.items.data[i] = home;
    s->home = home;
    s->hidden = true;
    s->direction = 0;
    vec_push(&u->variables.items, s);
}

static bool may_move(const struct ez_symbol *s) {
    return s->group && !s->group->spilled_of && !s->hidden && !s->home && !s->stays && !s->length &&
           s->named;
}

/* Transfers per register, loops counted as if they had eight laps; of equals the one that has its
 * register longest. */
static bool is_better(const struct ez_symbol *a, const struct ez_symbol *b) {
    if (!b || a->transfers != b->transfers)
        return !b || a->transfers < b->transfers;
    return a->last_named - a->first_named > b->last_named - b->first_named;
}

static struct ez_symbol *choose(const struct unit *u, const struct ez_symbol *lacks) {
    struct ez_symbol *best = NULL;
    for (size_t i = 0; i < u->variables.items.len; i++) {
        struct ez_symbol *s = u->variables.items.data[i];
        bool helps = s == lacks || ez_needed_together(s, lacks);
        if (helps && may_move(s) && is_better(s, best))
            best = s;
    }
    return best;
}

/* Pairs of variables that are looked at before giving up, some ten seconds of work: a thousand
 * variables that are moved stay far below. */
static const uint64_t MOST_PAIRS = (uint64_t)1 << 33;

static bool is_too_long(struct unit *u) {
    uint64_t n = u->variables.items.len;
    u->pairs += n * n;
    return u->pairs > MOST_PAIRS;
}

bool ez_spill(struct unit *u, struct ez_limits limits) {
    u->gives_inputs = u->puts_in = false;
    ez_fold_runs(u, 1); /* a variable is brought where it stands */
    while (ez_find_times(u)) {
        struct ez_symbol *lacks = ez_share_registers(u, limits);
        struct ez_symbol *moved = lacks ? choose(u, lacks) : NULL;
        if (!lacks)
            return true;
        if (!moved || is_too_long(u))
            return false;
        move_home(u, moved, limits);
    }
    return false;
}

/* Transfers of the statement at hand and of its like: a loop may have been written out. */
static uint32_t note_statement(struct unit *u, const struct ez_symbol *s, uint32_t i) {
    const struct ez_window *w = &s->windows[i];
    uint32_t times = 1;
    while (i + times < s->window_count &&
           memcmp(&s->windows[i + times].at, &w->at, sizeof w->at) == 0)
        times++;
    diag_note(u->diag, w->at, "%s %s",
              w->writes ? "2 transfers: it is brought here and taken back"
                        : "1 transfer: it is brought here",
              times > 1 ? "in each lap" : "each time");
    return times;
}

static void report_spill(struct unit *u, const struct ez_symbol *s) {
    enum { NOTES = 20 };
    uint32_t notes = 0, i = 0;
    diag_warning(u->diag, W_SPILL, s->name.at,
                 "`%s` has no register for good: it lies in VRFs of its own, group `%s`",
                 s->name.text, s->home->group->name.text);
    for (; i < s->window_count && notes < NOTES; notes++)
        i += note_statement(u, s, i);
    if (i < s->window_count)
        diag_note(u->diag, s->windows[i].at, "and so on, in %u more statements",
                  s->window_count - i);
}

void ez_report_spills(struct unit *u) {
    for (size_t i = 0; i < u->variables.items.len; i++)
        if (u->variables.items.data[i]->home)
            report_spill(u, u->variables.items.data[i]);
}
