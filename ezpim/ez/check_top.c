/* SPDX-License-Identifier: MIT
 * Statements at top level: what all lanes do together. */
#include "ezpim/ez/check_flow.h"
#include "ezpim/ez/check_kernel.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/check_top.h"
#include "ezpim/ez/walk.h"

/* A block that is not simply run once. */
static void check_inner(struct checker *checker, struct stmt *stmt, struct stmt *body) {
    struct open_loop around = {checker->around, stmt};
    checker->around = &around;
    ez_check_block(checker, body, true);
    checker->around = around.outer;
}

static bool surely_runs(const struct checker *checker, const struct expr *laps) {
    return laps->is_constant || laps->kind != EXPR_NAME || !laps->symbol ||
           ez_size_range(checker->u, laps->symbol->index).least > 0;
}

/* A given size is at least 1, and what is worked out of sizes may be 0. */
static void check_repeated(struct checker *checker, struct stmt *stmt, const struct expr *laps) {
    struct flow_way w;
    bool sure = surely_runs(checker, laps);
    if (!sure)
        ez_way_begin(checker, &w);
    check_inner(checker, stmt, stmt->body);
    if (!sure) {
        ez_way_end(checker, &w);
        ez_way_join_loop(checker, &w, false);
        ez_way_free(&w);
    }
    checker->run = NULL;
    checker->repeat_depth--;
}

static void check_top_repeat(struct checker *checker, struct stmt *stmt) {
    uint64_t count;
    struct expr *e = stmt->value;
    ez_check_expr(checker, e);
    if (!ez_check_laps(checker, e))
        ez_check_integer(checker, e, 1, MAX_REPEAT, "the number of repetitions", &count);
    if (checker->repeat_depth == 0)
        checker->repeat_stamp++;
    if (++checker->repeat_depth > MAX_REPEAT_DEPTH)
        diag_error(checker->u->diag, stmt->word, "`repeat` is nested more than %d deep",
                   MAX_REPEAT_DEPTH);
    check_repeated(checker, stmt, e);
}

static struct ez_symbol *declare_lap(struct checker *checker, struct stmt *stmt, uint64_t lap) {
    struct ez_symbol *k = ez_declare(checker, SYMBOL_EZ_CONST, stmt->name, NULL);
    if (!k)
        return NULL;
    k->type = TYPE_NUMBER;
    k->value = stmt->value->value + (ez_number)lap;
    k->read = true;
    return k;
}

static bool check_lap(struct checker *checker, struct stmt *stmt, uint64_t lap) {
    stmt->laps[lap] = ez_clone_stmts(&checker->u->arena, stmt->body, &checker->clone_room);
    if (!checker->clone_room)
        return ez_report_too_large(checker, stmt);
    if (!declare_lap(checker, stmt, lap))
        return false;
    ez_check_block(checker, stmt->laps[lap], true);
    map_put(&checker->u->names, stmt->name.text, 0);
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

/* Each lap has its own text where numbers are needed, and where they fold: a counter that is a
 * value in `compute`, or loops that are nested too deep for REPEAT.  So have few laps, whose moves
 * and ensembles then lie beside each other.  Up to a size there are no texts. */
static bool must_unroll(const struct checker *checker, const struct stmt *stmt) {
    enum counter_use use = ez_counter_uses(stmt->body, stmt->name.text);
    bool deep = checker->repeat_depth + 1 + ez_repeats_inside(stmt->body) > MAX_REPEAT_DEPTH;
    if (!stmt->last->is_constant || !use)
        return false;
    return use != COUNTER_MOVES || deep || stmt->last->value - stmt->value->value <= FEW_LAPS;
}

static void check_counted(struct checker *checker, struct stmt *stmt) {
    bool used = ez_counter_uses(stmt->body, stmt->name.text) != COUNTER_UNUSED;
    stmt->loop = FOR_COUNTED;
    checker->run = NULL;
    if (checker->repeat_depth == 0)
        checker->repeat_stamp++;
    if (++checker->repeat_depth > MAX_REPEAT_DEPTH)
        diag_error(checker->u->diag, stmt->word, "loops are nested more than %d deep",
                   MAX_REPEAT_DEPTH);
    stmt->symbol = used ? ez_declare_top_counter(checker, stmt) : NULL;
    if (!used || stmt->symbol)
        check_repeated(checker, stmt, stmt->last);
    else
        checker->repeat_depth--;
    if (stmt->symbol)
        map_put(&checker->u->names, stmt->name.text, 0);
}

/* A loop whose counter does nothing but count, or step moves, is a repetition. */
static void check_top_for(struct checker *checker, struct stmt *stmt) {
    uint64_t laps;
    uint32_t before = diag_errors(checker->u->diag);
    ez_check_expr(checker, stmt->value);
    ez_check_expr(checker, stmt->last);
    if (stmt->value->type.state == STATE_ERROR || stmt->last->type.state == STATE_ERROR)
        return;
    if (!ez_counted_bounds(checker, stmt)) {
        if (diag_errors(checker->u->diag) == before)
            diag_error(checker->u->diag, stmt->at,
                       "at top level the bounds of a loop are constants");
        return;
    }
    if (stmt->unroll || must_unroll(checker, stmt)) {
        unroll(checker, stmt);
        return;
    }
    if (stmt->last->is_constant && !ez_count_laps(checker, stmt, MAX_REPEAT, &laps))
        return;
    check_counted(checker, stmt);
}

static void report_condition(struct checker *checker, const struct stmt *stmt, const char *word) {
    diag_error(
        checker->u->diag, stmt->value->at,
        "at top level `%s` asks `any(...)` or `all(...)` of a group's elements, or variables "
        "without a group",
        word);
}

static void check_top_if(struct checker *checker, struct stmt *stmt) {
    struct flow_way yes, no;
    if (!ez_check_any(checker, stmt) && !ez_check_scalar_question(checker, stmt, "`if`")) {
        ez_check_expr(checker, stmt->value);
        if (stmt->value->type.state == STATE_ERROR || !ez_check_bool(checker, stmt->value, "`if`"))
            return;
        if (!stmt->value->is_constant)
            report_condition(checker, stmt, "if");
        else
            ez_check_block(checker, stmt->value->value ? stmt->body : stmt->otherwise, true);
        return;
    }
    ez_way_begin(checker, &yes);
    check_inner(checker, stmt, stmt->body);
    ez_way_end(checker, &yes);
    checker->run = NULL;
    ez_way_begin(checker, &no);
    check_inner(checker, stmt, stmt->otherwise);
    ez_way_end(checker, &no);
    checker->run = NULL;
    ez_way_join(checker, &yes, &no);
    ez_way_free(&yes);
    ez_way_free(&no);
}

/* do body while (value) is the body, and then the loop. */
static void split_do(struct checker *checker, struct stmt *stmt) {
    struct stmt *loop = ARENA_NEW(&checker->u->arena, struct stmt);
    struct expr *sure = ARENA_NEW(&checker->u->arena, struct expr);
    *loop = *stmt;
    loop->asks_last = false;
    loop->body = ez_clone_stmts(&checker->u->arena, stmt->body, &checker->clone_room);
    if (!checker->clone_room)
        ez_report_too_large(checker, stmt);
    *sure = (struct expr){.kind = EXPR_BOOL, .at = stmt->value->at, .number = 1};
    stmt->kind = STMT_IF;
    stmt->value = sure;
    stmt->next = loop;
}

static void check_top_while(struct checker *checker, struct stmt *stmt) {
    struct flow_way w;
    if (stmt->asks_last) {
        split_do(checker, stmt);
        check_top_if(checker, stmt);
        return;
    }
    if (!ez_check_any(checker, stmt) && !ez_check_scalar_question(checker, stmt, "`while`")) {
        report_condition(checker, stmt, "while");
        checker->incomplete = true;
        return;
    }
    ez_way_begin(checker, &w);
    if (checker->repeat_depth++ == 0)
        checker->repeat_stamp++;
    check_inner(checker, stmt, stmt->body);
    checker->run = NULL;
    checker->repeat_depth--;
    ez_way_end(checker, &w);
    ez_way_join_loop(checker, &w, false);
    ez_way_free(&w);
}

bool ez_check_mpu(struct checker *checker, const struct expr *expr, uint32_t *place) {
    struct ez_symbol *grid = ez_find_symbol(checker, expr->name.text);
    uint64_t at = 0;
    if (!grid || grid->kind != SYMBOL_EZ_MPUS) {
        diag_error(checker->u->diag, expr->name.at, "`%s` is no array of MPUs", expr->name.text);
        return false;
    }
    grid->read = true;
    if (expr->arg_count != checker->u->grid_dims) {
        diag_error(checker->u->diag, expr->at, "`%s` has %u ind%s", expr->name.text,
                   checker->u->grid_dims, checker->u->grid_dims == 1 ? "ex" : "ices");
        return false;
    }
    for (uint32_t d = 0; d < expr->arg_count; d++) {
        ez_check_expr(checker, expr->args[d]);
        if (!ez_check_integer(checker, expr->args[d], 0, checker->u->grid[d] - 1,
                              "the index of an MPU", &at))
            return false;
        place[d] = (uint32_t)at;
    }
    return true;
}

/* on ring[1] { } */
static void check_on(struct checker *checker, struct stmt *stmt) {
    const struct expr e = {.at = stmt->at,
                           .name = stmt->name,
                           .args = stmt->operands,
                           .arg_count = stmt->operand_count};
    uint32_t place[GRID_MAX_DIMS];
    if (checker->on) {
        diag_error(checker->u->diag, stmt->word, "`on` stands inside of `on`");
        return;
    }
    if (!ez_check_mpu(checker, &e, place))
        return;
    stmt->mpu = ez_mpu_number(checker->u, place);
    checker->on = stmt;
    ez_check_block(checker, stmt->body, true);
    checker->run = NULL;
    checker->on = NULL;
    checker->u->roles = true;
}

/* Variables that stand for buffers, by their numbers: where one `else` is done, all are. */
static uint64_t *stand_ins_written(const struct checker *checker) {
    const struct ez_symbols *all = &checker->u->variables;
    uint64_t *written = ARENA_ARRAY(&checker->u->arena, all->items.len + 1, uint64_t);
    for (size_t i = 0; i < all->items.len; i++)
        written[i] =
            ez_buffer_of(checker->u, all->items.data[i]) ? all->items.data[i]->var.written : 0;
    return written;
}

static void note_stand_ins(struct checker *checker, const uint64_t *written) {
    for (size_t i = 0; i < checker->u->variables.items.len; i++)
        if (written[i])
            ez_note_written(checker, checker->u->variables.items.data[i], written[i]);
}

/* Either the machine carries the kernel out, or the program what stands behind `else`. */
static void check_top_launch(struct checker *checker, struct stmt *stmt) {
    struct flow_way instead, kernel;
    ez_check_launch(checker, stmt);
    checker->run = NULL;
    if (checker->launch)
        return;
    checker->launch = stmt;
    ez_way_begin(checker, &instead);
    check_inner(checker, stmt, stmt->otherwise);
    const uint64_t *written = stand_ins_written(checker);
    ez_way_end(checker, &instead);
    checker->run = NULL;
    checker->launch = NULL;
    ez_way_begin(checker, &kernel);
    ez_way_end(checker, &kernel);
    ez_way_join(checker, &instead, &kernel);
    note_stand_ins(checker, written);
    ez_way_free(&instead);
    ez_way_free(&kernel);
}

bool ez_check_top_flow(struct checker *checker, struct stmt *stmt) {
    switch (stmt->kind) {
    case STMT_REPEAT:
        check_top_repeat(checker, stmt);
        return true;
    case STMT_FOR:
        check_top_for(checker, stmt);
        return true;
    case STMT_IF:
        check_top_if(checker, stmt);
        return true;
    case STMT_WHILE:
        check_top_while(checker, stmt);
        return true;
    case STMT_ON:
        check_on(checker, stmt);
        return true;
    case STMT_MOVE:
        ez_check_move(checker, stmt);
        return true;
    case STMT_COLLECTIVE:
        ez_check_collective(checker, stmt);
        return true;
    case STMT_SEND:
    case STMT_RECV:
        ez_check_message(checker, stmt);
        return true;
    case STMT_BARRIER:
        ez_check_barrier(checker, stmt);
        return true;
    case STMT_COMPACT:
        ez_check_compact(checker, stmt);
        return true;
    case STMT_LAUNCH:
        check_top_launch(checker, stmt);
        return true;
    case STMT_MARK:
    case STMT_SYNC:
        return true;
    default:
        return false;
    }
}
