/* SPDX-License-Identifier: MIT
 * Laps of loops: those that count are known before they begin; what has plainly no end is refused.
 */
#include "stage/checker.h"

#include <inttypes.h>
#include <string.h>

/* ---- what happens in a statement ---- */

static bool assigns(const struct stage_stmt *s, const char *text) {
    for (; s; s = s->next) {
        if (s->kind == STAGE_ASSIGN && strcmp(s->target->text, text) == 0)
            return true;
        if (assigns(s->first, text) || assigns(s->body, text) || assigns(s->otherwise, text) ||
            assigns(s->step, text))
            return true;
    }
    return false;
}

/* Whether it may end the loop around it, or the body. */
static bool leaves(const struct stage_stmt *s, bool in_loop) {
    for (; s; s = s->next)
        if (s->kind == STAGE_RETURN || (s->kind == STAGE_BREAK && !in_loop) ||
            leaves(s->body, in_loop || s->kind == STAGE_LOOP) || leaves(s->otherwise, in_loop))
            return true;
    return false;
}

/* Whether the loop changes something of the expression. */
static bool changes(const struct stage_stmt *loop, const struct stage_expr *e) {
    if (!e)
        return false;
    if ((e->kind == STAGE_NAME || e->kind == STAGE_ELEMENT) &&
        (assigns(loop->body, e->text) || assigns(loop->step, e->text)))
        return true;
    if (e->kind == STAGE_NUMBER)
        return false;
    return changes(loop, e->args[0]) || changes(loop, e->args[1]) || changes(loop, e->args[2]);
}

/* ---- counting ---- */

struct counter {
    struct stage_name *name;
    enum stage_op op; /* name OP bound */
    const struct stage_expr *bound;
    int64_t by;
};

static enum stage_op turned(enum stage_op op) {
    return op == STAGE_LT   ? STAGE_GT
           : op == STAGE_GT ? STAGE_LT
           : op == STAGE_LE ? STAGE_GE
           : op == STAGE_GE ? STAGE_LE
                            : op;
}

/* The name under casts to wider types, which keep its value. */
static struct stage_name *name_of(const struct stage_expr *e) {
    while (e->kind == STAGE_CAST && stage_is_integer(e->type) &&
           e->type.kind == e->args[0]->type.kind && e->type.bits >= e->args[0]->type.bits)
        e = e->args[0];
    return e->kind == STAGE_NAME && e->of->kind == STAGE_LOCAL ? e->of : NULL;
}

/* name = name + by; as the checker leaves it. */
static bool step_of(const struct stage_stmt *step, struct counter *x) {
    if (!step || step->kind != STAGE_ASSIGN || step->target->kind != STAGE_NAME ||
        step->target->of != x->name || !stage_is_integer(x->name->type))
        return false;
    const struct stage_expr *sum = step->value;
    if (sum->kind != STAGE_BINARY || (sum->op != STAGE_ADD && sum->op != STAGE_SUB) ||
        sum->args[0]->kind != STAGE_NAME || sum->args[0]->of != x->name ||
        sum->args[1]->kind != STAGE_NUMBER || !sum->args[1]->range.known)
        return false;
    int64_t by = sum->args[1]->range.least;
    if (by == INT64_MIN)
        return false;
    x->by = sum->op == STAGE_ADD ? by : -by;
    return x->by != 0;
}

static bool leads_there(const struct counter *x) {
    return x->op == STAGE_NE                        ? x->by == 1 || x->by == -1
           : x->op == STAGE_LT || x->op == STAGE_LE ? x->by > 0
                                                    : x->by < 0;
}

static bool counter_of(const struct stage_stmt *loop, struct counter *x) {
    const struct stage_expr *v = loop->value;
    if (!v || v->kind != STAGE_BINARY || v->op < STAGE_NE || v->op > STAGE_GE || loop->body_first)
        return false;
    for (unsigned side = 0; side < 2; side++) {
        x->name = name_of(v->args[side]);
        x->bound = v->args[1 - side];
        x->op = side ? turned(v->op) : v->op;
        if (x->name && step_of(loop->step, x) && leads_there(x) && !changes(loop, x->bound) &&
            !assigns(loop->body, x->name->text))
            return true;
    }
    return false;
}

/* What the counter begins with; false: not known before. */
static bool start_of(const struct stage_stmt *loop, const struct counter *x, int64_t *start) {
    const struct stage_stmt *s = loop->first;
    for (; s && s->next; s = s->next)
        ;
    const struct stage_expr *value = NULL;
    if (s && s->kind == STAGE_DECLARE && s->of == x->name)
        value = s->value;
    if (s && s->kind == STAGE_ASSIGN && s->target->kind == STAGE_NAME && s->target->of == x->name)
        value = s->value;
    if (!value || !value->range.known || value->range.least != value->range.most)
        return false;
    *start = value->range.least;
    return true;
}

/* Laps from `start` to where the comparison with `bound` is false; UINT64_MAX: the counter begins
 * anew at its other end first. */
static uint64_t laps_of(const struct counter *x, int64_t start, int64_t bound) {
    bool up = x->by > 0, and_bound = x->op == STAGE_LE || x->op == STAGE_GE;
    uint64_t by = up ? (uint64_t)x->by : 0 - (uint64_t)x->by;
    uint64_t from = up ? (uint64_t)bound - (uint64_t)start : (uint64_t)start - (uint64_t)bound;
    struct stage_range range = stage_type_range(x->name->type);
    int64_t last = range.known ? (up ? range.most : range.least) : up ? INT64_MAX : 0;
    bool none = up ? (and_bound ? start > bound : start >= bound)
                   : (and_bound ? start < bound : start <= bound);
    if (x->op == STAGE_NE)
        none = start == bound;
    if (x->op == STAGE_NE && (up ? start > bound : start < bound))
        return UINT64_MAX;
    if (none)
        return 0;
    uint64_t laps = and_bound ? from / by + 1 : (from - 1) / by + 1;
    uint64_t room = up ? (uint64_t)last - (uint64_t)start : (uint64_t)start - (uint64_t)last;
    return laps > room / by ? UINT64_MAX : laps;
}

static void set_range(const struct counter *x, struct stage_range start) {
    struct stage_range bound = x->bound->range, type = stage_type_range(x->name->type);
    bool up = x->by > 0, and_bound = x->op == STAGE_LE || x->op == STAGE_GE;
    struct stage_range r = type;
    if (!start.known)
        start = type;
    if (!start.known || !bound.known)
        return;
    r.known = true;
    r.least = up ? start.least : bound.least + !and_bound;
    r.most = up ? bound.most - !and_bound : start.most;
    if (r.least > r.most) /* no lap, or none that is known of */
        return;
    x->name->range = r;
    x->name->counts = true;
}

bool stage_check_laps(struct stage_checker *c, struct stage_stmt *loop) {
    struct counter x = {.by = 0};
    int64_t start = 0;
    struct stage_range from = {.known = false};
    bool always = !loop->value || (loop->value->kind == STAGE_NUMBER && loop->value->value);
    if (always && !leaves(loop->body, false))
        return stage_wrong(c, loop->at, "nothing ends this loop");
    if (always)
        return true;
    if (counter_of(loop, &x)) {
        bool starts = start_of(loop, &x, &start);
        struct stage_range bound = x.bound->range;
        loop->counted = true;
        loop->of = x.name;
        loop->by = x.by;
        if (starts)
            from = (struct stage_range){true, start, start};
        if (starts && bound.known && (bound.least == bound.most || x.op != STAGE_NE))
            loop->laps = laps_of(&x, start, x.by > 0 ? bound.most : bound.least);
        bool exact = bound.known && bound.least == bound.most;
        if (exact && loop->laps == UINT64_MAX)
            return stage_wrong(c, loop->at, "the counter of this loop never comes to its end");
        if (exact && loop->laps > STAGE_ELEMENT_STEPS)
            return stage_wrong(c, loop->at,
                               "this loop has %" PRIu64
                               " iterations, and an element at most %" PRIu64 " steps",
                               loop->laps, STAGE_ELEMENT_STEPS);
        if (loop->laps > STAGE_ELEMENT_STEPS)
            loop->laps = 0;
        /* one that wraps around has other values, too */
        if (x.op != STAGE_NE && (exact || loop->laps))
            set_range(&x, from);
        return true;
    }
    if (!changes(loop, loop->value) && !leaves(loop->body, false))
        return stage_wrong(c, loop->at, "nothing in this loop changes what it goes on for");
    return true;
}
