/* SPDX-License-Identifier: MIT
 * Control flow of a lane, and which variables have a value where its ways join. */
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/walk.h"
#include "ezpim/ir.h"

void note_written(struct checker *c, struct ez_symbol *s, uint64_t bits) {
    struct flow_change change = {s, s->var.written, s->var.maybe};
    vec_push(&c->changes, change);
    s->var.written |= bits;
    s->var.maybe |= bits;
}

void way_begin(struct checker *c, struct way *w) {
    *w = (struct way){.mark = c->changes.len, .unreached = c->unreachable};
}

void way_end(struct checker *c, struct way *w) {
    w->ends = c->unreachable;
    for (size_t i = w->mark; i < c->changes.len; i++) {
        struct ez_symbol *s = c->changes.data[i].symbol;
        struct flow_change after = {s, s->var.written, s->var.maybe};
        vec_push(&w->after, after);
    }
    while (c->changes.len > w->mark) {
        const struct flow_change *old = &c->changes.data[--c->changes.len];
        old->symbol->var.written = old->written;
        old->symbol->var.maybe = old->maybe;
    }
    c->unreachable = w->unreached;
}

void way_free(struct way *w) {
    vec_free(&w->after);
}

static void gather(struct checker *c, const struct way *w, unsigned side) {
    for (size_t i = 0; i < w->after.len; i++) {
        struct ez_symbol *s = w->after.data[i].symbol;
        if (s->var.flow_stamp != c->flow_stamp) {
            s->var.flow_stamp = c->flow_stamp;
            s->var.flow[0] = s->var.flow[1] = s->var.written;
        }
        s->var.flow[side] = w->after.data[i].written;
    }
}

static void settle(struct checker *c, const struct way *w, bool first_ends, bool second_ends) {
    for (size_t i = 0; i < w->after.len; i++) {
        struct ez_symbol *s = w->after.data[i].symbol;
        uint64_t both = first_ends    ? s->var.flow[1]
                        : second_ends ? s->var.flow[0]
                                      : s->var.flow[0] & s->var.flow[1];
        note_written(c, s, both);
        s->var.maybe |= w->after.data[i].maybe;
    }
}

void way_join(struct checker *c, const struct way *a, const struct way *b) {
    c->flow_stamp++;
    gather(c, a, 0);
    gather(c, b, 1);
    settle(c, a, a->ends, b->ends);
    settle(c, b, a->ends, b->ends);
    c->unreachable = a->ends && b->ends;
}

void way_join_loop(struct checker *c, const struct way *w, bool surely_run) {
    for (size_t i = 0; i < w->after.len; i++) {
        struct ez_symbol *s = w->after.data[i].symbol;
        note_written(c, s, surely_run ? w->after.data[i].written : s->var.written);
        s->var.maybe |= w->after.data[i].maybe;
    }
}

static bool check_condition(struct checker *c, struct expr *e, const char *what) {
    check_expr(c, e);
    condition_overwritten(c, e->at);
    return check_bool(c, e, what);
}

static void check_if(struct checker *c, struct stmt *s) {
    struct way yes, no;
    bool good = check_condition(c, s->value, "the condition of `if`");
    if (good && s->value->is_constant) {
        check_block(c, s->value->value ? s->body : s->otherwise, false);
        return;
    }
    c->divergent += s->value->varies;
    way_begin(c, &yes);
    check_block(c, s->body, false);
    way_end(c, &yes);
    way_begin(c, &no);
    check_block(c, s->otherwise, false);
    way_end(c, &no);
    c->divergent -= s->value->varies;
    way_join(c, &yes, &no);
    way_free(&yes);
    way_free(&no);
}

static void note_assigned(void *context, struct stmt *s) {
    struct checker *c = context;
    struct ez_symbol *v = s->kind == STMT_ASSIGN && s->target->name.text
                              ? find_symbol(c, s->target->name.text)
                              : NULL;
    if (v && v->kind == SYMBOL_EZ_LOCAL)
        v->var.varies = true;
}

/* What a loop assigns has another value when its next lap reads it. */
static void check_loop_body(struct checker *c, struct stmt *s, struct stmt *body) {
    struct open_loop loop = {c->loop, s};
    const struct walker w = {c, note_assigned, NULL};
    walk_stmts(&w, body);
    c->loop = &loop;
    check_block(c, body, false);
    c->loop = loop.outer;
    if (!c->loop)
        check_early_reads(c);
}

static void check_while(struct checker *c, struct stmt *s) {
    struct way w;
    bool good = check_condition(c, s->value, "the condition of `while`");
    if (good && s->value->is_constant && !s->value->value) {
        diag_warning(c->u->diag, W_UNREACHABLE, s->value->at, "this loop is never run");
        return;
    }
    c->divergent += s->value->varies;
    way_begin(c, &w);
    check_loop_body(c, s, s->body);
    way_end(c, &w);
    c->divergent -= s->value->varies;
    way_join_loop(c, &w, false);
    way_free(&w);
    if (!good || !s->value->is_constant)
        return;
    c->unreachable |= !s->leaves;
    if (!s->leaves)
        diag_warning(c->u->diag, W_UNREACHABLE, s->at, "this loop has no end");
}

bool is_bare_size(const struct expr *e) {
    return e->kind == EXPR_NAME && e->symbol && e->symbol->kind == SYMBOL_EZ_SIZE &&
           e->type.state == STATE_NUMBER;
}

bool counted_bounds(struct checker *c, struct stmt *s) {
    struct expr *first = s->value, *last = s->last;
    bool numbers = first->type.state == STATE_NUMBER && last->type.state == STATE_NUMBER;
    if (!numbers || !first->is_constant)
        return false;
    if (last->is_constant)
        return true;
    if (first->value == 0)
        return check_laps(c, last);
    diag_error(c->u->diag, first->at, "a loop up to a size begins at 0");
    return false;
}

ez_number last_lap(const struct expr *end) {
    if (end->is_constant)
        return end->value - 1;
    bool bounded = end->symbol && end->symbol->kind == SYMBOL_EZ_SIZE && end->symbol->bound;
    return bounded ? (ez_number)end->symbol->bound - 1 : (ez_number)OBJECT_MAX_EXTENT;
}

static struct ez_symbol *declare_counter(struct checker *c, struct stmt *s,
                                         enum ez_symbol_kind kind) {
    struct ez_symbol *k = declare_local(c, kind, s->name);
    if (!k)
        return NULL;
    k->type = TYPE_NUMBER;
    k->value = s->value->value;
    if (kind == SYMBOL_EZ_COUNTER)
        k->counter.last = last_lap(s->last);
    k->read = true; /* a loop need not look at its counter */
    return k;
}

bool report_too_large(struct checker *c, const struct stmt *s) {
    diag_error(c->u->diag, s->at, "unrolled, this loop gets too large");
    return false;
}

bool count_laps(struct checker *c, const struct stmt *s, ez_number limit, uint64_t *laps) {
    ez_number n = s->last->value - s->value->value;
    *laps = n > 0 ? (uint64_t)n : 0;
    if (n <= limit)
        return true;
    diag_error(c->u->diag, s->at, "this loop has %s laps, and at most %s are possible",
               number_text(c, n), number_text(c, limit));
    return false;
}

static bool check_lap(struct checker *c, struct stmt *s, uint64_t lap) {
    size_t mark = c->local_list.items.len;
    bool unreached = c->unreachable;
    struct ez_symbol *k = declare_counter(c, s, SYMBOL_EZ_CONST);
    s->laps[lap] = clone_stmts(&c->u->arena, s->body, &c->clone_room);
    if (!c->clone_room)
        return report_too_large(c, s);
    if (!k)
        return false;
    k->value += (ez_number)lap;
    check_loop_body(c, s, s->laps[lap]);
    for (size_t i = mark; lap && i < c->local_list.items.len; i++)
        c->local_list.items.data[i]->read = true; /* the first lap's are warned about */
    map_put(&c->locals, s->name.text, 0);
    c->unreachable = unreached;
    return diag_errors(c->u->diag) == c->u->errors_before;
}

static void unroll(struct checker *c, struct stmt *s) {
    uint64_t laps;
    if (!s->last->is_constant) {
        diag_error(c->u->diag, s->last->at, "a loop up to a size cannot be unrolled");
        return;
    }
    if (!count_laps(c, s, MAX_LAPS, &laps))
        return;
    s->loop = FOR_UNROLLED;
    s->laps = ARENA_ARRAY(&c->u->arena, laps + 1, struct stmt *);
    for (uint64_t i = 0; i < laps && check_lap(c, s, i); i++)
        s->lap_count++;
}

static void check_counted(struct checker *c, struct stmt *s) {
    uint64_t laps = 1;
    struct way w;
    if (s->last->is_constant && !count_laps(c, s, MAX_REPEAT, &laps))
        return;
    if (!laps)
        diag_warning(c->u->diag, W_UNREACHABLE, s->at, "this loop has no lap");
    s->loop = FOR_COUNTED;
    s->symbol = declare_counter(c, s, SYMBOL_EZ_COUNTER);
    way_begin(c, &w);
    check_loop_body(c, s, s->body);
    way_end(c, &w);
    way_join_loop(c, &w, laps && s->last->is_constant && !s->leaves && !s->again);
    way_free(&w);
    map_put(&c->locals, s->name.text, 0);
}

static void check_lanes_for(struct checker *c, struct stmt *s) {
    struct value_type t;
    struct way w;
    if (s->unroll) {
        diag_error(c->u->diag, s->at, "only a loop with constant bounds can be unrolled");
        return;
    }
    if (!common_type(c, "..", s->at, s->value, s->last, &t) || t.state != STATE_TYPED)
        return;
    if (type_is_bool(t)) {
        diag_error(c->u->diag, s->value->at, "the bounds of a loop are numbers, not bool");
        return;
    }
    coerce(c, s->value, t.type, false);
    coerce(c, s->last, t.type, false);
    bool varies = s->value->varies || s->last->varies;
    s->loop = FOR_LANES;
    s->symbol = declare_local(c, SYMBOL_EZ_LOCAL, s->name);
    if (!s->symbol)
        return;
    s->symbol->type = t;
    s->symbol->var.fixed = s->symbol->read = s->symbol->var.varies = true;
    s->symbol->var.written = 1;
    c->divergent += varies;
    way_begin(c, &w);
    check_loop_body(c, s, s->body);
    way_end(c, &w);
    c->divergent -= varies;
    way_join_loop(c, &w, false);
    way_free(&w);
    map_put(&c->locals, s->name.text, 0);
}

static void check_for(struct checker *c, struct stmt *s) {
    uint32_t before = diag_errors(c->u->diag);
    check_expr(c, s->value);
    check_expr(c, s->last);
    condition_overwritten(c, s->at);
    if (s->value->type.state == STATE_ERROR || s->last->type.state == STATE_ERROR)
        return;
    bool counted = counted_bounds(c, s);
    if (diag_errors(c->u->diag) != before)
        return;
    if (!counted)
        check_lanes_for(c, s);
    else if (s->unroll || indexes_by(s->body, s->name.text))
        unroll(c, s);
    else
        check_counted(c, s);
}

void check_lane_repeat(struct checker *c, struct stmt *s) {
    struct way w;
    uint64_t count;
    check_expr(c, s->value);
    if (!check_laps(c, s->value))
        check_integer(c, s->value, 0, MAX_REPEAT, "the number of repetitions", &count);
    way_begin(c, &w);
    check_loop_body(c, s, s->body);
    way_end(c, &w);
    way_join_loop(c, &w, false);
    way_free(&w);
}

static void check_leave(struct checker *c, struct stmt *s) {
    if (!c->loop) {
        diag_error(c->u->diag, s->at, "`%s` stands outside of a loop", source_text(c, s->word));
        return;
    }
    if (s->kind == STMT_BREAK)
        c->loop->stmt->leaves = true;
    else
        c->loop->stmt->again = true;
    c->unreachable = true;
}

static void check_return_value(struct checker *c, struct stmt *s) {
    const struct ez_symbol *result = c->sub ? c->sub->sub.result : NULL;
    if (s->value)
        check_expr(c, s->value);
    if (result && !s->value)
        diag_error(c->u->diag, s->at, "`%s` returns a value", c->sub->name.text);
    else if (!result && s->value)
        diag_error(c->u->diag, s->value->at, "nothing is returned here");
    else if (result && result->type.state == STATE_TYPED)
        check_assignable(c, s->value, result->type.type, result->name.at);
}

static void check_return(struct checker *c, struct stmt *s) {
    check_return_value(c, s);
    for (struct open_loop *l = c->loop; l; l = l->outer)
        l->stmt->leaves = true;
    if (c->sub) {
        c->sub->sub.leaves = true;
        c->sub->sub.returns++;
    } else
        c->compute->leaves = true;
    c->unreachable = true;
}

void check_flow_stmt(struct checker *c, struct stmt *s) {
    switch (s->kind) {
    case STMT_IF:
        check_if(c, s);
        break;
    case STMT_WHILE:
        check_while(c, s);
        break;
    case STMT_FOR:
        check_for(c, s);
        break;
    case STMT_REPEAT:
        check_lane_repeat(c, s);
        break;
    case STMT_RETURN:
        check_return(c, s);
        break;
    default:
        check_leave(c, s);
        break;
    }
}
