/* SPDX-License-Identifier: MIT
 * Subroutines that are called.  Small ones, and those that are called once, are put in where they
 * are called (lower_flow.c). */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/walk.h"

/* Nodes of the tree up to which a body is put in wherever it is called; at -O2. */
enum { SMALL_BODY = 40, SMALL_BODY_AT_O2 = 400, LARGEST_BODY = 4000 };

static void count_stmt(void *context, struct stmt *stmt) {
    uint32_t *nodes = context;
    (void)stmt;
    ++*nodes;
}

/* A call of what is put in counts as what is put in. */
static void count_expr(void *context, struct expr *expr) {
    uint32_t *nodes = context;
    bool put_in =
        expr->kind == EXPR_CALL && expr->function == FUNCTION_SUB && !expr->symbol->sub.callee;
    uint64_t sum = (uint64_t)*nodes + 1 + (put_in ? expr->symbol->sub.nodes : 0);
    *nodes = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static void count_call(void *context, struct expr *expr);

/* Calls from what main reaches. */
static void count_from(struct stmt *stmt) {
    const struct walker w = {NULL, NULL, count_call};
    ez_walk_stmts(&w, stmt);
}

static void count_call(void *context, struct expr *expr) {
    (void)context;
    if (expr->kind == EXPR_CALL && expr->function == FUNCTION_SUB && expr->symbol->sub.calls++ == 0)
        count_from(expr->symbol->decl->body);
}

/* Those that it calls have been asked before. */
static bool is_worth_a_call(const struct lowering *lowering, struct ez_symbol *symbol) {
    const struct walker w = {&symbol->sub.nodes, count_stmt, count_expr};
    int level = lowering->options.level;
    uint32_t small = lowering->options.put_in ? LARGEST_BODY
                     : level >= 2             ? SMALL_BODY_AT_O2
                                              : SMALL_BODY;
    ez_walk_stmts(&w, symbol->decl->body);
    if (symbol->sub.exported)
        return true;
    if (symbol->sub.instead_of || symbol->sub.external)
        return symbol->sub.calls > 0;
    return symbol->sub.calls && ((level == 0 && !lowering->options.put_in) ||
                                 (symbol->sub.calls > 1 && symbol->sub.nodes > small));
}

static void push_registers(uint32_t *list, uint32_t *count, uint32_t first, uint32_t more) {
    for (uint32_t k = 0; k < more; k++)
        list[(*count)++] = first + k;
}

static void declare_params(struct lowering *lowering, struct ez_symbol *symbol,
                           struct ir_sub *sub) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < symbol->sub.param_count; i++)
        most += symbol->sub.params[i]->count;
    sub->in = ARENA_ARRAY(lowering->b.p->arena, most, uint32_t);
    sub->out = ARENA_ARRAY(lowering->b.p->arena, most, uint32_t);
    sub->in_registers = ARENA_ARRAY(lowering->b.p->arena, most, uint8_t);
    sub->out_registers = ARENA_ARRAY(lowering->b.p->arena, most, uint8_t);
    for (uint32_t i = 0; i < symbol->sub.param_count; i++) {
        struct ez_symbol *p = symbol->sub.params[i];
        uint32_t first = ez_lower_declare(lowering, p);
        if (p->var.direction & VAR_IN)
            push_registers(sub->in, &sub->in_count, first, p->count);
        if (p->var.direction & VAR_OUT)
            push_registers(sub->out, &sub->out_count, first, p->count);
    }
    if (symbol->sub.result)
        push_registers(sub->out, &sub->out_count, ez_lower_declare(lowering, symbol->sub.result),
                       1);
}

/* What stands in another object has registers from the beginning. */
static void place_external(const struct ez_symbol *symbol, struct ir_sub *sub) {
    uint32_t in = 0, out = 0;
    for (uint32_t i = 0; i < symbol->sub.param_count; i++)
        for (uint32_t k = 0; k < symbol->sub.params[i]->count; k++) {
            if (symbol->sub.params[i]->var.direction & VAR_IN)
                sub->in_registers[in++] = (uint8_t)(symbol->sub.params[i]->var.reg + k);
            if (symbol->sub.params[i]->var.direction & VAR_OUT)
                sub->out_registers[out++] = (uint8_t)(symbol->sub.params[i]->var.reg + k);
        }
    if (symbol->sub.result)
        sub->out_registers[out] = symbol->sub.result->var.reg;
    sub->writes = symbol->sub.clobbers;
}

/* Each virtual register of a list becomes one that is fixed; what was in it, or is to be, is
 * copied.
 */
static void pin_passed(struct lowering *lowering, uint32_t *vregs, const uint8_t *registers,
                       uint32_t count, bool in, struct span at) {
    struct ir_code *code = lowering->b.code;
    for (uint32_t k = 0; k < count; k++) {
        struct lane_type type = code->vregs.data[vregs[k]].type;
        uint32_t pin = ir_vreg(code, type, NULL, at);
        code->vregs.data[pin].fixed = (int8_t)registers[k];
        code->vregs.data[pin].pinned = true;
        ez_lower_operation(lowering, IR_COPY, type, in ? vregs[k] : pin, in ? pin : vregs[k],
                           IR_NONE, 0, at);
        vregs[k] = pin;
    }
}

/* Others call it: they find its values in registers that follow from its parameters alone. */
static void lower_exported(struct lowering *lowering, const struct ez_symbol *symbol,
                           struct ir_sub *sub) {
    place_external(symbol, sub);
    sub->writes = 0;
    sub->exported = true;
    pin_passed(lowering, sub->in, sub->in_registers, sub->in_count, true, sub->at);
    ez_lower_sub_body(lowering, symbol, sub->at);
    pin_passed(lowering, sub->out, sub->out_registers, sub->out_count, false, sub->at);
}

static void lower_sub(struct lowering *lowering, struct ez_symbol *symbol);

static void lower_callee(void *context, struct expr *expr) {
    if (expr->kind == EXPR_CALL && expr->function == FUNCTION_SUB)
        lower_sub(context, expr->symbol);
}

/* Behind those that it calls, or that what it puts in calls. */
static void lower_sub(struct lowering *lowering, struct ez_symbol *symbol) {
    const struct walker w = {lowering, NULL, lower_callee};
    if (symbol->sub.lowered)
        return;
    symbol->sub.lowered = true;
    ez_walk_stmts(&w, symbol->decl->body);
    if (!is_worth_a_call(lowering, symbol))
        return;
    struct ir_sub *sub = ARENA_NEW(lowering->b.p->arena, struct ir_sub);
    sub->name = symbol->name.text;
    sub->at = symbol->decl->at;
    sub->instead_of = symbol->sub.instead_of;
    sub->width = symbol->sub.instead_of ? symbol->sub.result->type.type.bits : 0;
    sub->code = lowering->b.code = ir_code_new(lowering->b.p);
    sub->code->is_sub = true;
    ir_begin_body(&lowering->b, sub->code, IR_NONE);
    ez_lower_begin_body(lowering);
    declare_params(lowering, symbol, sub);
    sub->external = symbol->sub.external;
    if (symbol->sub.external)
        place_external(symbol, sub);
    else if (symbol->sub.exported)
        lower_exported(lowering, symbol, sub);
    else
        ez_lower_sub_body(lowering, symbol, sub->at);
    for (uint32_t k = 0; k < sub->in_count; k++)
        sub->code->vregs.data[sub->in[k]].given = true;
    for (uint32_t k = 0; k < sub->out_count; k++)
        sub->code->vregs.data[sub->out[k]].result = true;
    symbol->sub.callee = sub;
    vec_push(&lowering->b.p->subs, sub);
}

void ez_lower_subs(struct lowering *lowering) {
    if (lowering->u->main)
        count_from(lowering->u->main->body);
    for (size_t i = 0; i < lowering->u->subs.items.len; i++)
        if (lowering->u->subs.items.data[i]->sub.exported)
            count_from(lowering->u->subs.items.data[i]->decl->body);
    for (size_t i = 0; i < lowering->u->subs.items.len; i++)
        lower_sub(lowering, lowering->u->subs.items.data[i]);
}

static uint32_t new_pin(struct lowering *lowering, struct lane_type type, struct span at) {
    uint32_t v = ir_vreg(lowering->b.code, type, NULL, at);
    lowering->b.code->vregs.data[v].fixed = 0; /* until the callee has registers */
    lowering->b.code->vregs.data[v].pinned = true;
    return v;
}

static void put_copy(struct lowering *lowering, uint32_t dst, uint32_t a, struct span at) {
    ez_lower_operation(lowering, IR_COPY, lowering->b.code->vregs.data[dst].type, dst, a, IR_NONE,
                       0, at);
}

/* The registers with what goes in: looked at one after the other, before any is passed. */
static void lower_inputs(struct lowering *lowering, const struct ez_symbol *symbol,
                         const struct expr *expr, uint32_t *values) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        const struct ez_symbol *p = symbol->sub.params[i];
        struct expr *a = expr->args[i];
        if (!(p->var.direction & VAR_IN))
            continue;
        if (p->has_k)
            push_registers(values, &n, ez_lower_element(lowering, a->symbol, 0), p->count);
        else
            values[n++] = ez_lower_keep(lowering, ez_lower_as(lowering, a, p->type.type, IR_NONE),
                                        p->type.type, a->at);
    }
}

static void copy_outputs(struct lowering *lowering, const struct ez_symbol *symbol,
                         const struct expr *expr, const struct ir_call *call) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        const struct ez_symbol *p = symbol->sub.params[i];
        if (!(p->var.direction & VAR_OUT))
            continue;
        uint32_t first = ez_lower_element(lowering, expr->args[i]->symbol, expr->args[i]->element);
        for (uint32_t k = 0; k < p->count; k++)
            put_copy(lowering, first + k, call->out[n++], expr->at);
    }
}

uint32_t ez_lower_real_call(struct lowering *lowering, const struct expr *expr, uint32_t dst) {
    const struct ez_symbol *s = expr->symbol;
    struct ir_sub *sub = s->sub.callee;
    struct ir_call *call = ARENA_NEW(lowering->b.p->arena, struct ir_call);
    uint32_t *values = ARENA_ARRAY(lowering->b.p->arena, sub->in_count + 1, uint32_t);
    call->sub = sub;
    call->in = ARENA_ARRAY(lowering->b.p->arena, sub->in_count + 1, uint32_t);
    call->out = ARENA_ARRAY(lowering->b.p->arena, sub->out_count + 1, uint32_t);
    lower_inputs(lowering, s, expr, values);
    for (uint32_t k = 0; k < sub->in_count; k++) {
        call->in[k] = new_pin(lowering, sub->code->vregs.data[sub->in[k]].type, expr->at);
        put_copy(lowering, call->in[k], values[k], expr->at);
    }
    for (uint32_t k = 0; k < sub->out_count; k++)
        call->out[k] = new_pin(lowering, sub->code->vregs.data[sub->out[k]].type, expr->at);
    vec_push(&lowering->b.code->calls, call);
    ez_lower_put(lowering, (struct ir_insn){.op = IR_CALL,
                                            .a = IR_NONE,
                                            .b = IR_NONE,
                                            .c = IR_NONE,
                                            .dst = IR_NONE,
                                            .call = call,
                                            .at = expr->at});
    copy_outputs(lowering, s, expr, call);
    if (!s->sub.result)
        return IR_NONE;
    dst = ez_lower_target(lowering, dst, s->sub.result->type.type, expr->at);
    put_copy(lowering, dst, call->out[sub->out_count - 1], expr->at);
    return dst;
}
