/* SPDX-License-Identifier: MIT
 * Control flow of a lane, and which variables have a value where its ways join. */
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/walk.h"
#include "ezpim/ir/ir.h"

void ez_way_begin(struct checker *checker, struct flow_way *way) {
    *way = (struct flow_way){.mark = checker->changes.len, .unreached = checker->unreachable};
}

void ez_way_end(struct checker *checker, struct flow_way *way) {
    way->ends = checker->unreachable;
    for (size_t i = way->mark; i < checker->changes.len; i++) {
        struct ez_symbol *s = checker->changes.data[i].symbol;
        struct flow_change after = {s, s->var.written, s->var.maybe};
        vec_push(&way->after, after);
    }
    while (checker->changes.len > way->mark) {
        const struct flow_change *old = &checker->changes.data[--checker->changes.len];
        old->symbol->var.written = old->written;
        old->symbol->var.maybe = old->maybe;
    }
    checker->unreachable = way->unreached;
}

void ez_way_free(struct flow_way *way) {
    vec_free(&way->after);
}

static void gather(struct checker *checker, const struct flow_way *way, unsigned side) {
    for (size_t i = 0; i < way->after.len; i++) {
        struct ez_symbol *s = way->after.data[i].symbol;
        if (s->var.flow_stamp != checker->flow_stamp) {
            s->var.flow_stamp = checker->flow_stamp;
            s->var.flow[0] = s->var.flow[1] = s->var.written;
        }
        s->var.flow[side] = way->after.data[i].written;
    }
}

static void settle(struct checker *checker, const struct flow_way *way, bool first_ends,
                   bool second_ends) {
    for (size_t i = 0; i < way->after.len; i++) {
        struct ez_symbol *s = way->after.data[i].symbol;
        uint64_t both = first_ends    ? s->var.flow[1]
                        : second_ends ? s->var.flow[0]
                                      : s->var.flow[0] & s->var.flow[1];
        ez_note_written(checker, s, both);
        s->var.maybe |= way->after.data[i].maybe;
    }
}

void ez_way_join(struct checker *checker, const struct flow_way *left,
                 const struct flow_way *right) {
    checker->flow_stamp++;
    gather(checker, left, 0);
    gather(checker, right, 1);
    settle(checker, left, left->ends, right->ends);
    settle(checker, right, left->ends, right->ends);
    checker->unreachable = left->ends && right->ends;
}

void ez_way_join_loop(struct checker *checker, const struct flow_way *way, bool surely_run) {
    for (size_t i = 0; i < way->after.len; i++) {
        struct ez_symbol *s = way->after.data[i].symbol;
        ez_note_written(checker, s, surely_run ? way->after.data[i].written : s->var.written);
        s->var.maybe |= way->after.data[i].maybe;
    }
}

static bool check_condition(struct checker *checker, struct expr *expr, const char *what) {
    ez_check_expr(checker, expr);
    ez_condition_overwritten(checker, expr->at);
    return ez_check_bool(checker, expr, what);
}

static void check_if(struct checker *checker, struct stmt *stmt) {
    struct flow_way yes, no;
    bool good = check_condition(checker, stmt->value, "the condition of `if`");
    if (good && stmt->value->is_constant) {
        ez_check_block(checker, stmt->value->value ? stmt->body : stmt->otherwise, false);
        return;
    }
    checker->divergent += stmt->value->varies;
    ez_way_begin(checker, &yes);
    ez_check_block(checker, stmt->body, false);
    ez_way_end(checker, &yes);
    ez_way_begin(checker, &no);
    ez_check_block(checker, stmt->otherwise, false);
    ez_way_end(checker, &no);
    checker->divergent -= stmt->value->varies;
    ez_way_join(checker, &yes, &no);
    ez_way_free(&yes);
    ez_way_free(&no);
}

static void note_assigned(void *context, struct stmt *stmt) {
    struct checker *c = context;
    struct ez_symbol *v = stmt->kind == STMT_ASSIGN && stmt->target->name.text
                              ? ez_find_symbol(c, stmt->target->name.text)
                              : NULL;
    if (v && v->kind == SYMBOL_EZ_LOCAL)
        v->var.varies = true;
}

/* What a loop assigns has another value when its next lap reads it. */
static void check_loop_body(struct checker *checker, struct stmt *stmt, struct stmt *body) {
    struct open_loop loop = {checker->loop, stmt};
    const struct walker w = {checker, note_assigned, NULL};
    ez_walk_stmts(&w, body);
    checker->loop = &loop;
    ez_check_block(checker, body, false);
    checker->loop = loop.outer;
    if (!checker->loop)
        ez_check_early_reads(checker);
}

/* do body while (value): what the body writes the condition reads. */
static void check_do(struct checker *checker, struct stmt *stmt) {
    struct flow_way w;
    checker->divergent++; /* lanes leave one by one */
    ez_way_begin(checker, &w);
    check_loop_body(checker, stmt, stmt->body);
    ez_way_end(checker, &w);
    checker->divergent--;
    ez_way_join_loop(checker, &w, !stmt->leaves && !stmt->again);
    ez_way_free(&w);
    check_condition(checker, stmt->value, "the condition of `while`");
}

static void check_while(struct checker *checker, struct stmt *stmt) {
    struct flow_way w;
    if (stmt->asks_last) {
        check_do(checker, stmt);
        return;
    }
    bool good = check_condition(checker, stmt->value, "the condition of `while`");
    if (good && stmt->value->is_constant && !stmt->value->value) {
        diag_warning(checker->u->diag, W_UNREACHABLE, stmt->value->at, "this loop is never run");
        return;
    }
    checker->divergent += stmt->value->varies;
    ez_way_begin(checker, &w);
    check_loop_body(checker, stmt, stmt->body);
    ez_way_end(checker, &w);
    checker->divergent -= stmt->value->varies;
    ez_way_join_loop(checker, &w, false);
    ez_way_free(&w);
    if (!good || !stmt->value->is_constant)
        return;
    checker->unreachable |= !stmt->leaves;
    if (!stmt->leaves)
        diag_warning(checker->u->diag, W_UNREACHABLE, stmt->at, "this loop has no end");
}

bool ez_counted_bounds(struct checker *checker, struct stmt *stmt) {
    struct expr *first = stmt->value, *last = stmt->last;
    bool numbers = first->type.state == STATE_NUMBER && last->type.state == STATE_NUMBER;
    if (!numbers || !first->is_constant)
        return false;
    if (last->is_constant)
        return true;
    if (first->value == 0)
        return ez_check_laps(checker, last);
    diag_error(checker->u->diag, first->at, "a loop up to a size begins at 0");
    return false;
}

static struct ez_symbol *declare_counter(struct checker *checker, struct stmt *stmt,
                                         enum ez_symbol_kind kind) {
    struct ez_symbol *k = ez_declare_local(checker, kind, stmt->name);
    if (!k)
        return NULL;
    k->type = TYPE_NUMBER;
    k->value = stmt->value->value;
    if (kind == SYMBOL_EZ_COUNTER)
        k->counter.last = ez_last_lap(stmt->last);
    k->read = true; /* a loop need not look at its counter */
    return k;
}

bool ez_report_too_large(struct checker *checker, const struct stmt *stmt) {
    diag_error(checker->u->diag, stmt->at, "unrolled, this loop gets too large");
    return false;
}

bool ez_count_laps(struct checker *checker, const struct stmt *stmt, ez_number limit,
                   uint64_t *laps) {
    ez_number n = stmt->last->value - stmt->value->value;
    *laps = n > 0 ? (uint64_t)n : 0;
    if (n <= limit)
        return true;
    diag_error(checker->u->diag, stmt->at,
               "this loop has %s iterations, and at most %s are possible",
               ez_number_text(checker, n), ez_number_text(checker, limit));
    return false;
}

static bool check_lap(struct checker *checker, struct stmt *stmt, uint64_t lap) {
    size_t mark = checker->local_list.items.len;
    bool unreached = checker->unreachable;
    struct ez_symbol *k = declare_counter(checker, stmt, SYMBOL_EZ_CONST);
    stmt->laps[lap] = ez_clone_stmts(&checker->u->arena, stmt->body, &checker->clone_room);
    if (!checker->clone_room)
        return ez_report_too_large(checker, stmt);
    if (!k)
        return false;
    k->value += (ez_number)lap;
    check_loop_body(checker, stmt, stmt->laps[lap]);
    for (size_t i = mark; lap && i < checker->local_list.items.len; i++)
        checker->local_list.items.data[i]->read = true; /* the first lap's are warned about */
    map_put(&checker->locals, stmt->name.text, 0);
    checker->unreachable = unreached;
    return diag_errors(checker->u->diag) == checker->u->errors_before;
}

static void unroll(struct checker *checker, struct stmt *stmt) {
    uint64_t laps;
    if (!stmt->last->is_constant) {
        diag_error(checker->u->diag, stmt->last->at, "a loop up to a size cannot be unrolled");
        return;
    }
    if (!ez_count_laps(checker, stmt, MAX_LAPS, &laps))
        return;
    stmt->loop = FOR_UNROLLED;
    stmt->laps = ARENA_ARRAY(&checker->u->arena, laps + 1, struct stmt *);
    for (uint64_t i = 0; i < laps && check_lap(checker, stmt, i); i++)
        stmt->lap_count++;
}

static void check_counted(struct checker *checker, struct stmt *stmt) {
    uint64_t laps = 1;
    struct flow_way w;
    if (stmt->last->is_constant && !ez_count_laps(checker, stmt, MAX_REPEAT, &laps))
        return;
    if (!laps)
        diag_warning(checker->u->diag, W_UNREACHABLE, stmt->at, "this loop has no iteration");
    stmt->loop = FOR_COUNTED;
    stmt->symbol = declare_counter(checker, stmt, SYMBOL_EZ_COUNTER);
    ez_way_begin(checker, &w);
    check_loop_body(checker, stmt, stmt->body);
    ez_way_end(checker, &w);
    ez_way_join_loop(checker, &w, laps && stmt->last->is_constant && !stmt->leaves && !stmt->again);
    ez_way_free(&w);
    map_put(&checker->locals, stmt->name.text, 0);
}

static void check_lanes_for(struct checker *checker, struct stmt *stmt) {
    struct value_type t;
    struct flow_way w;
    if (stmt->unroll) {
        diag_error(checker->u->diag, stmt->at, "only a loop with constant bounds can be unrolled");
        return;
    }
    if (stmt->steps) {
        diag_error(checker->u->diag, stmt->last->at, "a step is of a loop with constant bounds");
        diag_note(checker->u->diag, stmt->last->at, "`while` has any");
        return;
    }
    if (!ez_common_type(checker, "..", stmt->at, stmt->value, stmt->last, &t) ||
        t.state != STATE_TYPED)
        return;
    if (ez_type_is_bool(t)) {
        diag_error(checker->u->diag, stmt->value->at, "the bounds of a loop are numbers, not bool");
        return;
    }
    ez_coerce(checker, stmt->value, t.type, false);
    ez_coerce(checker, stmt->last, t.type, false);
    bool varies = stmt->value->varies || stmt->last->varies;
    stmt->loop = FOR_LANES;
    stmt->symbol = ez_declare_local(checker, SYMBOL_EZ_LOCAL, stmt->name);
    if (!stmt->symbol)
        return;
    stmt->symbol->type = t;
    stmt->symbol->var.fixed = stmt->symbol->read = stmt->symbol->var.varies = true;
    stmt->symbol->var.written = 1;
    checker->divergent += varies;
    ez_way_begin(checker, &w);
    check_loop_body(checker, stmt, stmt->body);
    ez_way_end(checker, &w);
    checker->divergent -= varies;
    ez_way_join_loop(checker, &w, false);
    ez_way_free(&w);
    map_put(&checker->locals, stmt->name.text, 0);
}

static void check_for(struct checker *checker, struct stmt *stmt) {
    uint32_t before = diag_errors(checker->u->diag);
    ez_check_expr(checker, stmt->value);
    ez_check_expr(checker, stmt->last);
    ez_condition_overwritten(checker, stmt->at);
    if (stmt->value->type.state == STATE_ERROR || stmt->last->type.state == STATE_ERROR ||
        !ez_refuse_float(checker, stmt->value, "the counter of a loop is an integer") ||
        !ez_refuse_float(checker, stmt->last, "the counter of a loop is an integer"))
        return;
    bool counted = ez_counted_bounds(checker, stmt);
    if (diag_errors(checker->u->diag) != before)
        return;
    if (!counted)
        check_lanes_for(checker, stmt);
    else if (stmt->unroll || ez_indexes_by(stmt->body, stmt->name.text) ||
             (stmt->last->is_constant && ez_bounds_by(stmt->body, stmt->name.text)))
        unroll(checker, stmt);
    else
        check_counted(checker, stmt);
}

static void ez_check_lane_repeat(struct checker *checker, struct stmt *stmt) {
    struct flow_way w;
    uint64_t count;
    ez_check_expr(checker, stmt->value);
    if (!ez_check_laps(checker, stmt->value))
        ez_check_integer(checker, stmt->value, 0, MAX_REPEAT, "the number of repetitions", &count);
    ez_way_begin(checker, &w);
    check_loop_body(checker, stmt, stmt->body);
    ez_way_end(checker, &w);
    ez_way_join_loop(checker, &w, false);
    ez_way_free(&w);
}

static void check_leave(struct checker *checker, struct stmt *stmt) {
    if (!checker->loop) {
        diag_error(checker->u->diag, stmt->at, "`%s` stands outside of a loop",
                   ez_source_text(checker, stmt->word));
        return;
    }
    if (stmt->kind == STMT_BREAK)
        checker->loop->stmt->leaves = true;
    else
        checker->loop->stmt->again = true;
    checker->unreachable = true;
}

static void check_return_value(struct checker *checker, struct stmt *stmt) {
    const struct ez_symbol *result = checker->sub ? checker->sub->sub.result : NULL;
    if (stmt->value)
        ez_check_expr(checker, stmt->value);
    if (result && !stmt->value)
        diag_error(checker->u->diag, stmt->at, "`%s` returns a value", checker->sub->name.text);
    else if (!result && stmt->value)
        diag_error(checker->u->diag, stmt->value->at, "nothing is returned here");
    else if (result && result->type.state == STATE_TYPED)
        ez_check_assignable(checker, stmt->value, result->type.type, result->name.at);
}

static void check_return(struct checker *checker, struct stmt *stmt) {
    check_return_value(checker, stmt);
    for (struct open_loop *l = checker->loop; l; l = l->outer)
        l->stmt->leaves = true;
    if (checker->sub) {
        checker->sub->sub.leaves = true;
        checker->sub->sub.returns++;
    } else
        checker->compute->leaves = true;
    checker->unreachable = true;
}

void ez_check_flow_stmt(struct checker *checker, struct stmt *stmt) {
    switch (stmt->kind) {
    case STMT_IF:
        check_if(checker, stmt);
        break;
    case STMT_WHILE:
        check_while(checker, stmt);
        break;
    case STMT_FOR:
        check_for(checker, stmt);
        break;
    case STMT_REPEAT:
        ez_check_lane_repeat(checker, stmt);
        break;
    case STMT_RETURN:
        check_return(checker, stmt);
        break;
    default:
        check_leave(checker, stmt);
        break;
    }
}
