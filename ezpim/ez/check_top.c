/* SPDX-License-Identifier: MIT
 * Statements at top level: what all lanes do together. */
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/walk.h"

/* A block that is not simply run once. */
static void check_inner(struct checker *c, struct stmt *s, struct stmt *body) {
    struct open_loop around = {c->around, s};
    c->around = &around;
    ez_check_block(c, body, true);
    c->around = around.outer;
}

static bool surely_runs(const struct checker *c, const struct expr *laps) {
    return laps->is_constant || laps->kind != EXPR_NAME || !laps->symbol ||
           ez_size_range(c->u, laps->symbol->index).least > 0;
}

/* A given size is at least 1, and what is worked out of sizes may be 0. */
static void check_repeated(struct checker *c, struct stmt *s, const struct expr *laps) {
    struct flow_way w;
    bool sure = surely_runs(c, laps);
    if (!sure)
        ez_way_begin(c, &w);
    check_inner(c, s, s->body);
    if (!sure) {
        ez_way_end(c, &w);
        ez_way_join_loop(c, &w, false);
        ez_way_free(&w);
    }
    c->run = NULL;
    c->repeat_depth--;
}

static void check_top_repeat(struct checker *c, struct stmt *s) {
    uint64_t count;
    struct expr *e = s->value;
    ez_check_expr(c, e);
    if (!ez_check_laps(c, e))
        ez_check_integer(c, e, 1, MAX_REPEAT, "the number of repetitions", &count);
    if (c->repeat_depth == 0)
        c->repeat_stamp++;
    if (++c->repeat_depth > MAX_REPEAT_DEPTH)
        diag_error(c->u->diag, s->word, "`repeat` is nested more than %d deep", MAX_REPEAT_DEPTH);
    check_repeated(c, s, e);
}

static struct ez_symbol *declare_lap(struct checker *c, struct stmt *s, uint64_t lap) {
    struct ez_symbol *k = ez_declare(c, SYMBOL_EZ_CONST, s->name, NULL);
    if (!k)
        return NULL;
    k->type = TYPE_NUMBER;
    k->value = s->value->value + (ez_number)lap;
    k->read = true;
    return k;
}

static bool check_lap(struct checker *c, struct stmt *s, uint64_t lap) {
    s->laps[lap] = ez_clone_stmts(&c->u->arena, s->body, &c->clone_room);
    if (!c->clone_room)
        return ez_report_too_large(c, s);
    if (!declare_lap(c, s, lap))
        return false;
    ez_check_block(c, s->laps[lap], true);
    map_put(&c->u->names, s->name.text, 0);
    return diag_errors(c->u->diag) == c->u->errors_before;
}

static void unroll(struct checker *c, struct stmt *s) {
    uint64_t laps;
    if (!s->last->is_constant) {
        diag_error(c->u->diag, s->last->at, "a loop up to a size cannot be unrolled");
        return;
    }
    if (!ez_count_laps(c, s, MAX_LAPS, &laps))
        return;
    s->loop = FOR_UNROLLED;
    s->laps = ARENA_ARRAY(&c->u->arena, laps + 1, struct stmt *);
    for (uint64_t i = 0; i < laps && check_lap(c, s, i); i++)
        s->lap_count++;
}

/* Each lap has its own text where numbers are needed, and where they fold: a counter that is a
 * value in `compute`, or loops that are nested too deep for REPEAT.  So have few laps, whose moves
 * and ensembles then lie beside each other.  Up to a size there are no texts. */
static bool must_unroll(const struct checker *c, const struct stmt *s) {
    enum counter_use use = ez_counter_uses(s->body, s->name.text);
    bool deep = c->repeat_depth + 1 + ez_repeats_inside(s->body) > MAX_REPEAT_DEPTH;
    if (!s->last->is_constant || !use)
        return false;
    return use != COUNTER_MOVES || deep || s->last->value - s->value->value <= FEW_LAPS;
}

static void check_counted(struct checker *c, struct stmt *s) {
    bool used = ez_counter_uses(s->body, s->name.text) != COUNTER_UNUSED;
    s->loop = FOR_COUNTED;
    c->run = NULL;
    if (c->repeat_depth == 0)
        c->repeat_stamp++;
    if (++c->repeat_depth > MAX_REPEAT_DEPTH)
        diag_error(c->u->diag, s->word, "loops are nested more than %d deep", MAX_REPEAT_DEPTH);
    s->symbol = used ? ez_declare_top_counter(c, s) : NULL;
    if (!used || s->symbol)
        check_repeated(c, s, s->last);
    else
        c->repeat_depth--;
    if (s->symbol)
        map_put(&c->u->names, s->name.text, 0);
}

/* A loop whose counter does nothing but count, or step moves, is a repetition. */
static void check_top_for(struct checker *c, struct stmt *s) {
    uint64_t laps;
    uint32_t before = diag_errors(c->u->diag);
    ez_check_expr(c, s->value);
    ez_check_expr(c, s->last);
    if (s->value->type.state == STATE_ERROR || s->last->type.state == STATE_ERROR)
        return;
    if (!ez_counted_bounds(c, s)) {
        if (diag_errors(c->u->diag) == before)
            diag_error(c->u->diag, s->at, "at top level the bounds of a loop are constants");
        return;
    }
    if (s->unroll || must_unroll(c, s)) {
        unroll(c, s);
        return;
    }
    if (s->last->is_constant && !ez_count_laps(c, s, MAX_REPEAT, &laps))
        return;
    check_counted(c, s);
}

static void report_condition(struct checker *c, const struct stmt *s, const char *word) {
    diag_error(c->u->diag, s->value->at,
               "at top level `%s` asks `any(...)` or `all(...)` of a group's elements", word);
}

static void check_top_if(struct checker *c, struct stmt *s) {
    struct flow_way yes, no;
    if (!ez_check_any(c, s)) {
        ez_check_expr(c, s->value);
        if (s->value->type.state == STATE_ERROR || !ez_check_bool(c, s->value, "`if`"))
            return;
        if (!s->value->is_constant)
            report_condition(c, s, "if");
        else
            ez_check_block(c, s->value->value ? s->body : s->otherwise, true);
        return;
    }
    ez_way_begin(c, &yes);
    check_inner(c, s, s->body);
    ez_way_end(c, &yes);
    c->run = NULL;
    ez_way_begin(c, &no);
    check_inner(c, s, s->otherwise);
    ez_way_end(c, &no);
    c->run = NULL;
    ez_way_join(c, &yes, &no);
    ez_way_free(&yes);
    ez_way_free(&no);
}

static void check_top_while(struct checker *c, struct stmt *s) {
    struct flow_way w;
    if (!ez_check_any(c, s)) {
        report_condition(c, s, "while");
        c->incomplete = true;
        return;
    }
    ez_way_begin(c, &w);
    if (c->repeat_depth++ == 0)
        c->repeat_stamp++;
    check_inner(c, s, s->body);
    c->run = NULL;
    c->repeat_depth--;
    ez_way_end(c, &w);
    ez_way_join_loop(c, &w, false);
    ez_way_free(&w);
}

bool ez_check_mpu(struct checker *c, const struct expr *e, uint32_t *place) {
    struct ez_symbol *grid = ez_find_symbol(c, e->name.text);
    uint64_t at = 0;
    if (!grid || grid->kind != SYMBOL_EZ_MPUS) {
        diag_error(c->u->diag, e->name.at, "`%s` is no array of MPUs", e->name.text);
        return false;
    }
    grid->read = true;
    if (e->arg_count != c->u->grid_dims) {
        diag_error(c->u->diag, e->at, "`%s` has %u ind%s", e->name.text, c->u->grid_dims,
                   c->u->grid_dims == 1 ? "ex" : "ices");
        return false;
    }
    for (uint32_t d = 0; d < e->arg_count; d++) {
        ez_check_expr(c, e->args[d]);
        if (!ez_check_integer(c, e->args[d], 0, c->u->grid[d] - 1, "the index of an MPU", &at))
            return false;
        place[d] = (uint32_t)at;
    }
    return true;
}

/* on ring[1] { } */
static void check_on(struct checker *c, struct stmt *s) {
    const struct expr e = {
        .at = s->at, .name = s->name, .args = s->operands, .arg_count = s->operand_count};
    uint32_t place[GRID_MAX_DIMS];
    if (c->on) {
        diag_error(c->u->diag, s->word, "`on` stands inside of `on`");
        return;
    }
    if (!ez_check_mpu(c, &e, place))
        return;
    s->mpu = ez_mpu_number(c->u, place);
    c->on = s;
    ez_check_block(c, s->body, true);
    c->run = NULL;
    c->on = NULL;
    c->u->roles = true;
}

bool ez_check_top_flow(struct checker *c, struct stmt *s) {
    switch (s->kind) {
    case STMT_REPEAT:
        check_top_repeat(c, s);
        return true;
    case STMT_FOR:
        check_top_for(c, s);
        return true;
    case STMT_IF:
        check_top_if(c, s);
        return true;
    case STMT_WHILE:
        check_top_while(c, s);
        return true;
    case STMT_ON:
        check_on(c, s);
        return true;
    case STMT_MOVE:
        ez_check_move(c, s);
        return true;
    case STMT_COLLECTIVE:
        ez_check_collective(c, s);
        return true;
    case STMT_SEND:
    case STMT_RECV:
        ez_check_message(c, s);
        return true;
    case STMT_BARRIER:
        ez_check_barrier(c, s);
        return true;
    case STMT_COMPACT:
        ez_check_compact(c, s);
        return true;
    case STMT_MARK:
    case STMT_SYNC:
        return true;
    default:
        return false;
    }
}
