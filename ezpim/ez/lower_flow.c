/* SPDX-License-Identifier: MIT
 * Control flow and calls of a lane.  Subroutines are put in where they are called. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/walk.h"

#include <string.h>

static void put_mark(struct lowering *lowering, enum ir_op op, uint32_t region, struct span at) {
    ir_mark(lowering->b.code, op, region, IR_NONE, at);
}

static const struct lane_type bit = {TYPE_BOOL, 1};

/* A register whose bit 0 says whether `expr` holds, or (*opposite changed) whether it does not. */
static uint32_t lower_condition(struct lowering *lowering, const struct expr *expr,
                                bool *opposite) {
    while (expr->kind == EXPR_UNARY && expr->op == UNARY_NOT && !expr->is_constant) {
        *opposite = !*opposite;
        expr = expr->args[0];
    }
    uint32_t tested = expr->is_constant ? IR_NONE : ez_lower_bit_test(lowering, expr, opposite);
    return tested != IR_NONE ? tested : ez_lower_as(lowering, expr, expr->type.type, IR_NONE);
}

/* Lanes in which `expr` does not hold (opposite: holds) leave the region.  Both sides of && narrow
 * one after the other, so that the second is asked only where the first holds. */
static void put_tests(struct lowering *lowering, const struct expr *expr, bool opposite,
                      uint32_t region) {
    bool narrows = expr->kind == EXPR_BINARY && !expr->is_constant &&
                   expr->op == (opposite ? BINARY_ANY : BINARY_ALL);
    if (expr->is_constant && (expr->value != 0) != opposite)
        return;
    if (narrows) {
        put_tests(lowering, expr->args[0], opposite, region);
        put_tests(lowering, expr->args[1], opposite, region);
    } else if (!expr->is_constant && expr->kind == EXPR_UNARY && expr->op == UNARY_NOT) {
        put_tests(lowering, expr->args[0], !opposite, region);
    } else {
        uint32_t a = lower_condition(lowering, expr, &opposite);
        ir_mark(lowering->b.code, IR_TEST, region, a, expr->at);
        vec_last(&lowering->b.code->insns).imm = opposite;
    }
}

uint32_t ez_lower_keep(struct lowering *lowering, uint32_t value, struct lane_type type,
                       struct span at) {
    if (!lowering->b.code->vregs.data[value].name)
        return value;
    uint32_t kept = ir_vreg(lowering->b.code, type, NULL, at);
    ez_lower_operation(lowering, IR_COPY, type, kept, value, IR_NONE, 0, at);
    return kept;
}

/* The region that a statement leaves, or IR_NONE if it is none that leaves. */
static uint32_t region_left(const struct lowering *lowering, const struct stmt *stmt) {
    if (stmt->kind == STMT_BREAK)
        return lowering->loop->leave;
    if (stmt->kind == STMT_CONTINUE)
        return lowering->loop->again;
    return stmt->kind == STMT_RETURN && !stmt->value ? lowering->returns : IR_NONE;
}

/* if (c) { break; }: lanes with c leave the region at hand, and nobody comes back before its end.
 */
static bool lower_leaving_if(struct lowering *lowering, const struct stmt *stmt) {
    const struct stmt *only = stmt->body;
    if (stmt->otherwise || !only || only->next || region_left(lowering, only) == IR_NONE ||
        region_left(lowering, only) != lowering->b.code->region)
        return false;
    put_tests(lowering, stmt->value, true, lowering->b.code->region);
    return true;
}

static void lower_if(struct lowering *lowering, const struct stmt *stmt) {
    if (lower_leaving_if(lowering, stmt))
        return;
    if (!stmt->otherwise) {
        uint32_t r = ir_open(lowering->b.code, IR_BLOCK, IR_NONE, stmt->at);
        put_tests(lowering, stmt->value, false, r);
        ez_lower_body(lowering, stmt->body);
        put_mark(lowering, IR_END, r, stmt->at);
        return;
    }
    bool opposite = false;
    uint32_t a = ez_lower_keep(lowering, lower_condition(lowering, stmt->value, &opposite), bit,
                               stmt->value->at);
    uint32_t r = ir_open(lowering->b.code, IR_IF, a, stmt->at);
    ez_lower_body(lowering, opposite ? stmt->otherwise : stmt->body);
    ir_mark(lowering->b.code, IR_ELSE, r, a, stmt->at);
    ez_lower_body(lowering, opposite ? stmt->body : stmt->otherwise);
    put_mark(lowering, IR_END, r, stmt->at);
}

/* The body of a loop, in a block of its own where lanes come back before the loop's end. */
static void lower_lap(struct lowering *lowering, const struct stmt *stmt, const struct stmt *body,
                      uint32_t leave, bool own_block) {
    struct loop_regions regions = {lowering->loop, leave, leave};
    if (own_block)
        regions.again = ir_open(lowering->b.code, IR_BLOCK, IR_NONE, stmt->at);
    lowering->loop = &regions;
    ez_lower_body(lowering, body);
    lowering->loop = regions.outer;
    if (own_block)
        put_mark(lowering, IR_END, regions.again, stmt->at);
}

static void lower_while(struct lowering *lowering, const struct stmt *stmt) {
    bool never = stmt->value->is_constant && !stmt->value->value;
    if (never && !stmt->asks_last)
        return;
    uint32_t r = ir_open(lowering->b.code, IR_LOOP, IR_NONE, stmt->at);
    lower_lap(lowering, stmt, stmt->body, r, stmt->again);
    put_mark(lowering, IR_NEXT, r, stmt->at);
    if (never) {
        put_mark(lowering, IR_EXIT, r, stmt->at);
    } else if (!stmt->value->is_constant) {
        if (!stmt->asks_last)
            put_mark(lowering, IR_ENTER, r, stmt->at);
        put_tests(lowering, stmt->value, false, r);
    }
    put_mark(lowering, IR_END, r, stmt->at);
}

void ez_lower_increment(struct lowering *lowering, uint32_t value, struct span at) {
    struct lane_type type = lowering->b.code->vregs.data[value].type;
    uint32_t one = ez_lower_constant(lowering, type, 1, IR_NONE, at);
    ez_lower_operation(lowering, IR_ADD, type, value, value, one, 0, at);
}

static uint32_t declare_counter(struct lowering *lowering, const struct stmt *stmt) {
    struct ez_symbol *k = stmt->symbol;
    k->type = (struct value_type){.state = STATE_TYPED, .type = ez_counter_type(k)};
    uint32_t v = ez_lower_declare(lowering, k);
    return ez_lower_constant(lowering, k->type.type, ez_pattern(k->value, k->type.type), v,
                             stmt->at);
}

enum { MAX_REPEATS = 4 }; /* REPEATs in each other, docs/isa.md */

static bool repeats_enough(const struct lowering *lowering) {
    unsigned n = 0;
    for (uint32_t r = lowering->b.code->region; r != IR_NONE;
         r = lowering->b.code->regions.data[r].parent)
        n += lowering->b.code->regions.data[r].op == IR_REPEAT;
    return n >= MAX_REPEATS;
}

/* The loop counts its laps in a register, and has one at least. */
static void lower_register_loop(struct lowering *lowering, const struct stmt *stmt, uint32_t size,
                                uint64_t count, uint32_t counter) {
    uint64_t most = size == IR_NONE ? count : lowering->u->sizes.items.data[size]->bound;
    const struct lane_type type = ez_type_up_to(most, EZ_SIZE_BITS);
    uint32_t laps = ez_lower_constant(lowering, type, 0, IR_NONE, stmt->at);
    uint32_t r = ir_open(lowering->b.code, IR_LOOP, IR_NONE, stmt->at);
    lower_lap(lowering, stmt, stmt->body, r, stmt->again);
    put_mark(lowering, IR_NEXT, r, stmt->at);
    if (counter != IR_NONE)
        ez_lower_increment(lowering, counter, stmt->at);
    ez_lower_increment(lowering, laps, stmt->at);
    uint32_t end = size == IR_NONE ? ez_lower_constant(lowering, type, count, IR_NONE, stmt->at)
                                   : ez_lower_size(lowering, type, size, IR_NONE, stmt->at);
    uint32_t differs = ir_vreg(lowering->b.code, bit, NULL, stmt->at);
    ez_lower_operation(lowering, IR_NE, type, differs, laps, end, 0, stmt->at);
    ir_mark(lowering->b.code, IR_TEST, r, differs, stmt->at);
    put_mark(lowering, IR_END, r, stmt->at);
}

/* REPEAT cannot be nested deeper.  What is worked out of sizes may be 0. */
static void lower_by_register(struct lowering *lowering, const struct stmt *stmt, uint32_t size,
                              uint64_t count, uint32_t counter) {
    if (size == IR_NONE || ez_size_range(lowering->u, size).least > 0) {
        lower_register_loop(lowering, stmt, size, count, counter);
        return;
    }
    struct lane_type type = ez_type_up_to(lowering->u->sizes.items.data[size]->bound, EZ_SIZE_BITS);
    uint32_t some = ir_vreg(lowering->b.code, (struct lane_type){TYPE_BOOL, 1}, NULL, stmt->at);
    uint32_t zero = ez_lower_constant(lowering, type, 0, IR_NONE, stmt->at);
    ez_lower_operation(lowering, IR_NE, type, some,
                       ez_lower_size(lowering, type, size, IR_NONE, stmt->at), zero, 0, stmt->at);
    uint32_t r = ir_open(lowering->b.code, IR_BLOCK, IR_NONE, stmt->at);
    ir_mark(lowering->b.code, IR_TEST, r, some, stmt->at);
    lower_register_loop(lowering, stmt, size, count, counter);
    put_mark(lowering, IR_END, r, stmt->at);
}

/* As often as there are values, whether or not lanes are left. */
static void lower_repeated(struct lowering *lowering, const struct stmt *stmt, uint32_t size,
                           uint64_t count, uint32_t counter) {
    if (repeats_enough(lowering)) {
        lower_by_register(lowering, stmt, size, count, counter);
        return;
    }
    uint32_t r = ir_open(lowering->b.code, IR_REPEAT, IR_NONE, stmt->at);
    vec_last(&lowering->b.code->insns).size = size;
    vec_last(&lowering->b.code->insns).imm = count;
    lower_lap(lowering, stmt, stmt->body, r, stmt->leaves || stmt->again);
    put_mark(lowering, IR_NEXT, r, stmt->at);
    if (counter != IR_NONE)
        ez_lower_increment(lowering, counter, stmt->at);
    put_mark(lowering, IR_END, r, stmt->at);
}

static void find_counter(void *context, struct expr *expr) {
    struct ez_symbol **k = context;
    if (expr->kind == EXPR_NAME && expr->symbol == *k)
        *k = NULL;
}

static bool uses_counter(const struct stmt *stmt) {
    struct ez_symbol *k = stmt->symbol;
    struct walker w = {&k, NULL, find_counter};
    ez_walk_stmts(&w, stmt->body);
    return k == NULL;
}

/* Constant bounds, and lanes may leave before the last lap: the loop ends when all have. */
static void lower_left_early(struct lowering *lowering, const struct stmt *stmt) {
    uint32_t k = declare_counter(lowering, stmt),
             r = ir_open(lowering->b.code, IR_LOOP, IR_NONE, stmt->at);
    struct lane_type type = lowering->b.code->vregs.data[k].type;
    lower_lap(lowering, stmt, stmt->body, r, stmt->again);
    put_mark(lowering, IR_NEXT, r, stmt->at);
    ez_lower_increment(lowering, k, stmt->at);
    uint32_t end =
        ez_lower_constant(lowering, type, ez_pattern(stmt->last->value, type), IR_NONE, stmt->at);
    uint32_t differs = ir_vreg(lowering->b.code, (struct lane_type){TYPE_BOOL, 1}, NULL, stmt->at);
    ez_lower_operation(lowering, IR_NE, type, differs, k, end, 0, stmt->at);
    ir_mark(lowering->b.code, IR_TEST, r, differs, stmt->at);
    put_mark(lowering, IR_END, r, stmt->at);
}

static void lower_counted(struct lowering *lowering, const struct stmt *stmt) {
    ez_number laps = stmt->last->is_constant ? stmt->last->value - stmt->value->value : 1;
    uint32_t size = stmt->last->is_constant ? IR_NONE : stmt->last->symbol->index;
    if (laps <= 0)
        return;
    if (stmt->leaves && size == IR_NONE) {
        lower_left_early(lowering, stmt);
        return;
    }
    uint32_t k = uses_counter(stmt) ? declare_counter(lowering, stmt) : IR_NONE;
    lower_repeated(lowering, stmt, size, size == IR_NONE ? (uint64_t)laps : 0, k);
}

static void find_leaving(void *context, struct stmt *stmt) {
    bool *found = context;
    *found |= stmt->kind == STMT_BREAK || stmt->kind == STMT_RETURN;
}

/* True if a lap is left otherwise than by `if (c) { break; }` that is a statement of its own. */
static bool leaves_inside(struct stmt *stmt) {
    bool found = false;
    const struct walker w = {&found, find_leaving, NULL};
    for (; stmt && !found; stmt = stmt->next) {
        bool plain = stmt->kind == STMT_IF && !stmt->otherwise && stmt->body && !stmt->body->next &&
                     stmt->body->kind == STMT_BREAK && !stmt->value->is_constant;
        struct stmt alone = *stmt;
        alone.next = NULL;
        if (!plain)
            ez_walk_stmts(&w, &alone);
    }
    return found;
}

/* Lanes that leave the loop leave the block around all laps, those that go on that of a lap. */
static void lower_unrolled(struct lowering *lowering, const struct stmt *stmt) {
    uint32_t r = IR_NONE;
    if (stmt->leaves)
        r = ir_open(lowering->b.code, IR_BLOCK, IR_NONE, stmt->at);
    for (uint32_t i = 0; i < stmt->lap_count; i++)
        lower_lap(lowering, stmt, stmt->laps[i], r,
                  stmt->again || (stmt->leaves && leaves_inside(stmt->laps[i])));
    if (stmt->leaves)
        put_mark(lowering, IR_END, r, stmt->at);
}

static void lower_lanes(struct lowering *lowering, const struct stmt *stmt) {
    struct lane_type type = stmt->symbol->type.type;
    uint32_t k = ez_lower_declare(lowering, stmt->symbol);
    ez_lower_as(lowering, stmt->value, type, k);
    uint32_t end = ez_lower_keep(lowering, ez_lower_as(lowering, stmt->last, type, IR_NONE), type,
                                 stmt->last->at);
    uint32_t r = ir_open(lowering->b.code, IR_LOOP, IR_NONE, stmt->at);
    lower_lap(lowering, stmt, stmt->body, r, stmt->again);
    put_mark(lowering, IR_NEXT, r, stmt->at);
    ez_lower_increment(lowering, k, stmt->at);
    put_mark(lowering, IR_ENTER, r, stmt->at);
    uint32_t less = ir_vreg(lowering->b.code, (struct lane_type){TYPE_BOOL, 1}, NULL, stmt->at);
    ez_lower_operation(lowering, IR_LT, type, less, k, end, 0, stmt->at);
    ir_mark(lowering->b.code, IR_TEST, r, less, stmt->at);
    put_mark(lowering, IR_END, r, stmt->at);
}

static void lower_for(struct lowering *lowering, const struct stmt *stmt) {
    switch ((enum for_kind)stmt->loop) {
    case FOR_COUNTED:
        lower_counted(lowering, stmt);
        break;
    case FOR_UNROLLED:
        lower_unrolled(lowering, stmt);
        break;
    case FOR_LANES:
        lower_lanes(lowering, stmt);
        break;
    }
}

static void lower_repeat(struct lowering *lowering, const struct stmt *stmt) {
    uint32_t size = stmt->value->is_constant ? IR_NONE : stmt->value->symbol->index;
    if (size != IR_NONE || stmt->value->value)
        lower_repeated(lowering, stmt, size, size == IR_NONE ? (uint64_t)stmt->value->value : 0,
                       IR_NONE);
}

static void lower_return(struct lowering *lowering, const struct stmt *stmt) {
    if (stmt->value)
        ez_lower_as(lowering, stmt->value, lowering->sub->sub.result->type.type,
                    ez_lower_element(lowering, lowering->sub->sub.result, 0));
    if (lowering->returns != IR_NONE)
        put_mark(lowering, IR_EXIT, lowering->returns, stmt->at);
}

/* The register of an argument that is written: the parameter is the argument itself, unless it is
 * given twice or what stands beside it writes. */
static bool given_twice(const struct expr *expr, uint32_t arg) {
    for (uint32_t i = 0; i < expr->arg_count; i++)
        if (i != arg &&
            (expr->args[i]->writes ||
             (expr->args[i]->symbol && expr->args[i]->symbol == expr->args[arg]->symbol)))
            return true;
    return false;
}

static bool in_place(const struct ez_symbol *sub, const struct expr *expr, uint32_t arg) {
    return (sub->sub.params[arg]->var.direction & VAR_OUT) && !given_twice(expr, arg);
}

static void copy_registers(struct lowering *lowering, uint32_t to, uint32_t from, uint32_t count,
                           struct span at) {
    for (uint32_t k = 0; k < count; k++)
        ez_lower_operation(lowering, IR_COPY, lowering->b.code->vregs.data[to + k].type, to + k,
                           from + k, IR_NONE, 0, at);
}

/* Registers for the parameter; bound to it only when all arguments have been looked at. */
static uint32_t pass(struct lowering *lowering, const struct ez_symbol *sub,
                     const struct expr *expr, uint32_t arg) {
    struct ez_symbol *p = sub->sub.params[arg], local = *p;
    struct expr *a = expr->args[arg];
    if (in_place(sub, expr, arg))
        return ez_lower_element(lowering, a->symbol, a->element);
    uint32_t v = ez_lower_declare(lowering, &local);
    if (p->has_k && (p->var.direction & VAR_IN))
        copy_registers(lowering, v, ez_lower_element(lowering, a->symbol, 0), p->count, a->at);
    else if (p->var.direction & VAR_IN)
        ez_lower_as(lowering, a, p->type.type, v);
    return v;
}

static void give_back(struct lowering *lowering, const struct ez_symbol *sub,
                      const struct expr *expr, const uint32_t *vregs) {
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        const struct ez_symbol *p = sub->sub.params[i];
        struct expr *a = expr->args[i];
        if ((p->var.direction & VAR_OUT) && !in_place(sub, expr, i))
            copy_registers(lowering, ez_lower_element(lowering, a->symbol, a->element), vregs[i],
                           p->count, a->at);
    }
}

/* True if lanes leave the body before its last statement. */
static bool leaves_early(const struct ez_symbol *sub) {
    const struct stmt *s = sub->decl->body;
    while (s && s->next)
        s = s->next;
    return sub->sub.leaves && !(s && s->kind == STMT_RETURN && sub->sub.returns == 1);
}

void ez_lower_sub_body(struct lowering *lowering, const struct ez_symbol *sub, struct span at) {
    struct lowering outer = *lowering;
    bool early = leaves_early(sub);
    lowering->sub = sub;
    lowering->loop = NULL;
    lowering->returns = early ? ir_open(lowering->b.code, IR_BLOCK, IR_NONE, at) : IR_NONE;
    ez_lower_body(lowering, sub->decl->body);
    if (early)
        put_mark(lowering, IR_END, lowering->returns, at);
    lowering->sub = outer.sub;
    lowering->loop = outer.loop;
    lowering->returns = outer.returns;
}

uint32_t ez_lower_sub_call(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    struct ez_symbol *sub = expr->symbol;
    if (sub->sub.callee)
        return ez_lower_real_call(lowering, expr, dst);
    uint32_t *vregs = ARENA_ARRAY(lowering->b.p->arena, expr->arg_count + 1, uint32_t);
    for (uint32_t i = 0; i < expr->arg_count; i++)
        vregs[i] = pass(lowering, sub, expr, i);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        sub->sub.params[i]->stamp = lowering->b.stamp;
        sub->sub.params[i]->first_vreg = vregs[i];
    }
    uint32_t result = sub->sub.result ? ez_lower_declare(lowering, sub->sub.result) : IR_NONE;
    ez_lower_sub_body(lowering, sub, expr->at);
    give_back(lowering, sub, expr, vregs);
    if (dst == IR_NONE || result == IR_NONE)
        return result;
    copy_registers(lowering, dst, result, 1, expr->at);
    return dst;
}

static void put_debug(struct lowering *lowering, enum ir_op op, struct debug_record record,
                      uint32_t vreg, struct span at) {
    ez_lower_operation(lowering, op, record.type, IR_NONE, vreg, IR_NONE, lowering->b.p->debugs.len,
                       at);
    vec_push(&lowering->b.p->debugs, record);
}

/* Variables of a condition, each once. */
#define MOST_SHOWN 4
struct shown {
    struct expr *list[MOST_SHOWN];
    uint32_t count;
};

static void find_shown(void *context, struct expr *expr) {
    struct shown *shown = context;
    const struct ez_symbol *symbol = expr->kind == EXPR_NAME ? expr->symbol : NULL;
    bool in_lanes =
        symbol && (symbol->kind == SYMBOL_EZ_VARIABLE || symbol->kind == SYMBOL_EZ_LOCAL);
    if (!in_lanes || expr->is_constant || symbol->has_k || shown->count == MOST_SHOWN)
        return;
    for (uint32_t i = 0; i < shown->count; i++)
        if (shown->list[i]->symbol == symbol)
            return;
    shown->list[shown->count++] = expr;
}

/* The condition first: what it is computed from stands there still, and nothing comes between the
 * values and the assertion. */
static void lower_assert(struct lowering *lowering, const struct stmt *stmt) {
    struct lane_type type = stmt->value->type.type;
    uint32_t holds = ez_lower_as(lowering, stmt->value, type, IR_NONE), values[MOST_SHOWN];
    struct shown shown = {.count = 0};
    ez_walk_expr(&(struct walker){.context = &shown, .expr = find_shown}, stmt->value);
    for (uint32_t i = 0; i < shown.count; i++)
        values[i] = ez_lower_as(lowering, shown.list[i], shown.list[i]->type.type, IR_NONE);
    for (uint32_t i = 0; i < shown.count; i++)
        put_debug(lowering, IR_SHOW,
                  (struct debug_record){.kind = DEBUG_SHOW,
                                        .text = shown.list[i]->name.text,
                                        .type = shown.list[i]->type.type},
                  values[i], shown.list[i]->at);
    put_debug(lowering, IR_ASSERT, (struct debug_record){.kind = DEBUG_ASSERT, .text = stmt->shown},
              holds, stmt->at);
}

/* In the lanes that are enabled. */
static void lower_print(struct lowering *lowering, const struct stmt *stmt) {
    struct lane_type type = stmt->value->type.type;
    put_debug(lowering, IR_PRINT,
              (struct debug_record){.kind = DEBUG_PRINT, .text = stmt->shown, .type = type},
              ez_lower_as(lowering, stmt->value, type, IR_NONE), stmt->at);
}

bool ez_lower_flow(struct lowering *lowering, const struct stmt *stmt) {
    switch (stmt->kind) {
    case STMT_IF:
        if (stmt->value->is_constant)
            return ez_lower_body(lowering, stmt->value->value ? stmt->body : stmt->otherwise);
        lower_if(lowering, stmt);
        break;
    case STMT_WHILE:
        lower_while(lowering, stmt);
        break;
    case STMT_FOR:
        lower_for(lowering, stmt);
        break;
    case STMT_REPEAT:
        lower_repeat(lowering, stmt);
        break;
    case STMT_BREAK:
        put_mark(lowering, IR_EXIT, lowering->loop->leave, stmt->at);
        return true;
    case STMT_CONTINUE:
        put_mark(lowering, IR_EXIT, lowering->loop->again, stmt->at);
        return true;
    case STMT_RETURN:
        lower_return(lowering, stmt);
        return true;
    case STMT_CALL:
        ez_lower_sub_call(lowering, stmt->value, IR_NONE);
        break;
    case STMT_ASSERT:
        lower_assert(lowering, stmt);
        break;
    case STMT_PRINT:
        lower_print(lowering, stmt);
        break;
    default:
        break;
    }
    return false;
}
