/* SPDX-License-Identifier: MIT
 * Subroutines that are called.  Small ones, and those that are called once, are put in where they
 * are called (lower_flow.c). */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/walk.h"

/* Nodes of the tree up to which a body is put in wherever it is called; at -O2. */
enum { SMALL_BODY = 40, SMALL_BODY_AT_O2 = 400, LARGEST_BODY = 4000 };

static void count_stmt(void *context, struct stmt *s) {
    uint32_t *nodes = context;
    (void)s;
    ++*nodes;
}

/* An entry of a table counts as its selections. */
static uint32_t selections(const struct expr *e) {
    const struct array_table t = ez_table(e->symbol);
    return array_select_size(&t, (struct array_index){e->args[0]->type.type, UINT64_MAX});
}

/* A call of what is put in counts as what is put in. */
static void count_expr(void *context, struct expr *e) {
    uint32_t *nodes = context;
    bool put_in = e->kind == EXPR_CALL && e->function == FUNCTION_SUB && !e->symbol->sub.callee;
    uint64_t sum = (uint64_t)*nodes + 1 + (put_in ? e->symbol->sub.nodes : 0);
    if (e->kind == EXPR_CALL && e->function == FUNCTION_TABLE)
        sum += selections(e);
    *nodes = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static void count_call(void *context, struct expr *e);

/* Calls from what main reaches. */
static void count_from(struct stmt *s) {
    const struct walker w = {NULL, NULL, count_call};
    walk_stmts(&w, s);
}

static void count_call(void *context, struct expr *e) {
    (void)context;
    if (e->kind == EXPR_CALL && e->function == FUNCTION_SUB && e->symbol->sub.calls++ == 0)
        count_from(e->symbol->decl->body);
}

/* Those that it calls have been asked before. */
static bool is_worth_a_call(const struct lowering *l, struct ez_symbol *s) {
    const struct walker w = {&s->sub.nodes, count_stmt, count_expr};
    int level = l->options.level;
    uint32_t small = l->options.put_in ? LARGEST_BODY : level >= 2 ? SMALL_BODY_AT_O2 : SMALL_BODY;
    walk_stmts(&w, s->decl->body);
    if (s->sub.instead_of || s->sub.external)
        return s->sub.calls > 0;
    return s->sub.calls &&
           ((level == 0 && !l->options.put_in) || (s->sub.calls > 1 && s->sub.nodes > small));
}

static void push_registers(uint32_t *list, uint32_t *count, uint32_t first, uint32_t more) {
    for (uint32_t k = 0; k < more; k++)
        list[(*count)++] = first + k;
}

static void declare_params(struct lowering *l, struct ez_symbol *s, struct ir_sub *sub) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < s->sub.param_count; i++)
        most += s->sub.params[i]->count;
    sub->in = ARENA_ARRAY(l->b.p->arena, most, uint32_t);
    sub->out = ARENA_ARRAY(l->b.p->arena, most, uint32_t);
    sub->in_registers = ARENA_ARRAY(l->b.p->arena, most, uint8_t);
    sub->out_registers = ARENA_ARRAY(l->b.p->arena, most, uint8_t);
    for (uint32_t i = 0; i < s->sub.param_count; i++) {
        struct ez_symbol *p = s->sub.params[i];
        uint32_t first = lower_declare(l, p);
        if (p->var.direction & VAR_IN)
            push_registers(sub->in, &sub->in_count, first, p->count);
        if (p->var.direction & VAR_OUT)
            push_registers(sub->out, &sub->out_count, first, p->count);
    }
    if (s->sub.result)
        push_registers(sub->out, &sub->out_count, lower_declare(l, s->sub.result), 1);
}

/* What stands in another object has registers from the beginning. */
static void place_external(const struct ez_symbol *s, struct ir_sub *sub) {
    uint32_t in = 0, out = 0;
    for (uint32_t i = 0; i < s->sub.param_count; i++)
        for (uint32_t k = 0; k < s->sub.params[i]->count; k++) {
            if (s->sub.params[i]->var.direction & VAR_IN)
                sub->in_registers[in++] = (uint8_t)(s->sub.params[i]->var.reg + k);
            if (s->sub.params[i]->var.direction & VAR_OUT)
                sub->out_registers[out++] = (uint8_t)(s->sub.params[i]->var.reg + k);
        }
    if (s->sub.result)
        sub->out_registers[out] = s->sub.result->var.reg;
    sub->writes = s->sub.clobbers;
}

static void lower_sub(struct lowering *l, struct ez_symbol *s);

static void lower_callee(void *context, struct expr *e) {
    if (e->kind == EXPR_CALL && e->function == FUNCTION_SUB)
        lower_sub(context, e->symbol);
}

/* Behind those that it calls, or that what it puts in calls. */
static void lower_sub(struct lowering *l, struct ez_symbol *s) {
    const struct walker w = {l, NULL, lower_callee};
    if (s->sub.lowered)
        return;
    s->sub.lowered = true;
    walk_stmts(&w, s->decl->body);
    if (!is_worth_a_call(l, s))
        return;
    struct ir_sub *sub = ARENA_NEW(l->b.p->arena, struct ir_sub);
    sub->name = s->name.text;
    sub->at = s->decl->at;
    sub->instead_of = s->sub.instead_of;
    sub->width = s->sub.instead_of ? s->sub.result->type.type.bits : 0;
    sub->code = l->b.code = ir_code_new(l->b.p);
    sub->code->is_sub = true;
    ir_begin_body(&l->b, sub->code, IR_NONE);
    lower_begin_body(l);
    declare_params(l, s, sub);
    sub->external = s->sub.external;
    if (s->sub.external)
        place_external(s, sub);
    else
        lower_sub_body(l, s, sub->at);
    for (uint32_t k = 0; k < sub->in_count; k++)
        sub->code->vregs.data[sub->in[k]].given = true;
    for (uint32_t k = 0; k < sub->out_count; k++)
        sub->code->vregs.data[sub->out[k]].result = true;
    s->sub.callee = sub;
    vec_push(&l->b.p->subs, sub);
}

void lower_subs(struct lowering *l) {
    count_from(l->u->main->body);
    for (size_t i = 0; i < l->u->subs.items.len; i++)
        lower_sub(l, l->u->subs.items.data[i]);
}

static uint32_t new_pin(struct lowering *l, struct mpu_type type, struct span at) {
    uint32_t v = ir_vreg(l->b.code, type, NULL, at);
    l->b.code->vregs.data[v].fixed = 0; /* until the callee has registers */
    l->b.code->vregs.data[v].pinned = true;
    return v;
}

static void put_copy(struct lowering *l, uint32_t dst, uint32_t a, struct span at) {
    lower_operation(l, IR_COPY, l->b.code->vregs.data[dst].type, dst, a, IR_NONE, 0, at);
}

/* The registers with what goes in: looked at one after the other, before any is passed. */
static void lower_inputs(struct lowering *l, const struct ez_symbol *s, const struct expr *e,
                         uint32_t *values) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const struct ez_symbol *p = s->sub.params[i];
        struct expr *a = e->args[i];
        if (!(p->var.direction & VAR_IN))
            continue;
        if (p->has_k)
            push_registers(values, &n, lower_element(l, a->symbol, 0), p->count);
        else
            values[n++] = lower_keep(l, lower_as(l, a, p->type.type, IR_NONE), p->type.type, a->at);
    }
}

static void copy_outputs(struct lowering *l, const struct ez_symbol *s, const struct expr *e,
                         const struct ir_call *call) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const struct ez_symbol *p = s->sub.params[i];
        if (!(p->var.direction & VAR_OUT))
            continue;
        uint32_t first = lower_element(l, e->args[i]->symbol, e->args[i]->element);
        for (uint32_t k = 0; k < p->count; k++)
            put_copy(l, first + k, call->out[n++], e->at);
    }
}

uint32_t lower_real_call(struct lowering *l, const struct expr *e, uint32_t dst) {
    const struct ez_symbol *s = e->symbol;
    struct ir_sub *sub = s->sub.callee;
    struct ir_call *call = ARENA_NEW(l->b.p->arena, struct ir_call);
    uint32_t *values = ARENA_ARRAY(l->b.p->arena, sub->in_count + 1, uint32_t);
    call->sub = sub;
    call->in = ARENA_ARRAY(l->b.p->arena, sub->in_count + 1, uint32_t);
    call->out = ARENA_ARRAY(l->b.p->arena, sub->out_count + 1, uint32_t);
    lower_inputs(l, s, e, values);
    for (uint32_t k = 0; k < sub->in_count; k++) {
        call->in[k] = new_pin(l, sub->code->vregs.data[sub->in[k]].type, e->at);
        put_copy(l, call->in[k], values[k], e->at);
    }
    for (uint32_t k = 0; k < sub->out_count; k++)
        call->out[k] = new_pin(l, sub->code->vregs.data[sub->out[k]].type, e->at);
    vec_push(&l->b.code->calls, call);
    lower_put(l, (struct ir_insn){.op = IR_CALL,
                                  .a = IR_NONE,
                                  .b = IR_NONE,
                                  .c = IR_NONE,
                                  .dst = IR_NONE,
                                  .call = call,
                                  .at = e->at});
    copy_outputs(l, s, e, call);
    if (!s->sub.result)
        return IR_NONE;
    dst = lower_target(l, dst, s->sub.result->type.type, e->at);
    put_copy(l, dst, call->out[sub->out_count - 1], e->at);
    return dst;
}
