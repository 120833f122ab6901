/* SPDX-License-Identifier: MIT
 * Control flow and calls of a lane.  Subroutines are put in where they are called. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/move.h"
#include "ezpim/ez/walk.h"

#include <string.h>

static void put_mark(struct lowering *l, enum ir_op op, uint32_t region, struct span at) {
    ir_mark(l->b.code, op, region, IR_NONE, at);
}

static const struct mpu_type bit = {TYPE_BOOL, 1};

/* A register whose bit 0 says whether e holds, or (*opposite changed) whether it does not. */
static uint32_t lower_condition(struct lowering *l, const struct expr *e, bool *opposite) {
    while (e->kind == EXPR_UNARY && e->op == UNARY_NOT && !e->is_constant) {
        *opposite = !*opposite;
        e = e->args[0];
    }
    uint32_t tested = e->is_constant ? IR_NONE : lower_bit_test(l, e, opposite);
    return tested != IR_NONE ? tested : lower_as(l, e, e->type.type, IR_NONE);
}

/* Lanes in which e does not hold (opposite: holds) leave the region.  Both sides of && narrow one
 * after the other, so that the second is asked only where the first holds. */
static void put_tests(struct lowering *l, const struct expr *e, bool opposite, uint32_t region) {
    bool narrows =
        e->kind == EXPR_BINARY && !e->is_constant && e->op == (opposite ? BINARY_ANY : BINARY_ALL);
    if (e->is_constant && (e->value != 0) != opposite)
        return;
    if (narrows) {
        put_tests(l, e->args[0], opposite, region);
        put_tests(l, e->args[1], opposite, region);
    } else if (!e->is_constant && e->kind == EXPR_UNARY && e->op == UNARY_NOT) {
        put_tests(l, e->args[0], !opposite, region);
    } else {
        uint32_t a = lower_condition(l, e, &opposite);
        ir_mark(l->b.code, IR_TEST, region, a, e->at);
        vec_last(&l->b.code->insns).imm = opposite;
    }
}

uint32_t lower_keep(struct lowering *l, uint32_t v, struct mpu_type type, struct span at) {
    if (!l->b.code->vregs.data[v].name)
        return v;
    uint32_t kept = ir_vreg(l->b.code, type, NULL, at);
    lower_operation(l, IR_COPY, type, kept, v, IR_NONE, 0, at);
    return kept;
}

/* The region that a statement leaves, or IR_NONE if it is none that leaves. */
static uint32_t region_left(const struct lowering *l, const struct stmt *s) {
    if (s->kind == STMT_BREAK)
        return l->loop->leave;
    if (s->kind == STMT_CONTINUE)
        return l->loop->again;
    return s->kind == STMT_RETURN && !s->value ? l->returns : IR_NONE;
}

/* if (c) { break; }: lanes with c leave the region at hand, and nobody comes back before its end.
 */
static bool lower_leaving_if(struct lowering *l, const struct stmt *s) {
    const struct stmt *only = s->body;
    if (s->otherwise || !only || only->next || region_left(l, only) == IR_NONE ||
        region_left(l, only) != l->b.code->region)
        return false;
    put_tests(l, s->value, true, l->b.code->region);
    return true;
}

static void lower_if(struct lowering *l, const struct stmt *s) {
    if (lower_leaving_if(l, s))
        return;
    if (!s->otherwise) {
        uint32_t r = ir_open(l->b.code, IR_BLOCK, IR_NONE, s->at);
        put_tests(l, s->value, false, r);
        lower_body(l, s->body);
        put_mark(l, IR_END, r, s->at);
        return;
    }
    bool opposite = false;
    uint32_t a = lower_keep(l, lower_condition(l, s->value, &opposite), bit, s->value->at);
    uint32_t r = ir_open(l->b.code, IR_IF, a, s->at);
    lower_body(l, opposite ? s->otherwise : s->body);
    ir_mark(l->b.code, IR_ELSE, r, a, s->at);
    lower_body(l, opposite ? s->body : s->otherwise);
    put_mark(l, IR_END, r, s->at);
}

/* The body of a loop, in a block of its own where lanes come back before the loop's end. */
static void lower_lap(struct lowering *l, const struct stmt *s, const struct stmt *body,
                      uint32_t leave, bool own_block) {
    struct loop_regions regions = {l->loop, leave, leave};
    if (own_block)
        regions.again = ir_open(l->b.code, IR_BLOCK, IR_NONE, s->at);
    l->loop = &regions;
    lower_body(l, body);
    l->loop = regions.outer;
    if (own_block)
        put_mark(l, IR_END, regions.again, s->at);
}

static void lower_while(struct lowering *l, const struct stmt *s) {
    if (s->value->is_constant && !s->value->value)
        return;
    uint32_t r = ir_open(l->b.code, IR_LOOP, IR_NONE, s->at);
    lower_lap(l, s, s->body, r, s->again);
    put_mark(l, IR_NEXT, r, s->at);
    if (!s->value->is_constant) {
        put_mark(l, IR_ENTER, r, s->at);
        put_tests(l, s->value, false, r);
    }
    put_mark(l, IR_END, r, s->at);
}

void lower_increment(struct lowering *l, uint32_t v, struct span at) {
    struct mpu_type type = l->b.code->vregs.data[v].type;
    uint32_t one = lower_constant(l, type, 1, IR_NONE, at);
    lower_operation(l, IR_ADD, type, v, v, one, 0, at);
}

static uint32_t declare_counter(struct lowering *l, const struct stmt *s) {
    struct ez_symbol *k = s->symbol;
    k->type = (struct value_type){STATE_TYPED, ez_counter_type(k)};
    uint32_t v = lower_declare(l, k);
    return lower_constant(l, k->type.type, ez_pattern(k->value, k->type.type), v, s->at);
}

enum { MAX_REPEATS = 4 }; /* REPEATs in each other, docs/isa.md */

static bool repeats_enough(const struct lowering *l) {
    unsigned n = 0;
    for (uint32_t r = l->b.code->region; r != IR_NONE; r = l->b.code->regions.data[r].parent)
        n += l->b.code->regions.data[r].op == IR_REPEAT;
    return n >= MAX_REPEATS;
}

/* The loop counts its laps in a register, and has one at least. */
static void lower_register_loop(struct lowering *l, const struct stmt *s, uint32_t size,
                                uint64_t count, uint32_t counter) {
    uint64_t most = size == IR_NONE ? count : l->u->sizes.items.data[size]->bound;
    const struct mpu_type type = ez_type_up_to(most, EZ_SIZE_BITS);
    uint32_t laps = lower_constant(l, type, 0, IR_NONE, s->at);
    uint32_t r = ir_open(l->b.code, IR_LOOP, IR_NONE, s->at);
    lower_lap(l, s, s->body, r, s->again);
    put_mark(l, IR_NEXT, r, s->at);
    if (counter != IR_NONE)
        lower_increment(l, counter, s->at);
    lower_increment(l, laps, s->at);
    uint32_t end = size == IR_NONE ? lower_constant(l, type, count, IR_NONE, s->at)
                                   : lower_size(l, type, size, IR_NONE, s->at);
    uint32_t differs = ir_vreg(l->b.code, bit, NULL, s->at);
    lower_operation(l, IR_NE, type, differs, laps, end, 0, s->at);
    ir_mark(l->b.code, IR_TEST, r, differs, s->at);
    put_mark(l, IR_END, r, s->at);
}

/* REPEAT cannot be nested deeper.  What is worked out of sizes may be 0. */
static void lower_by_register(struct lowering *l, const struct stmt *s, uint32_t size,
                              uint64_t count, uint32_t counter) {
    if (size == IR_NONE || ez_size_range(l->u, size).least > 0) {
        lower_register_loop(l, s, size, count, counter);
        return;
    }
    struct mpu_type type = ez_type_up_to(l->u->sizes.items.data[size]->bound, EZ_SIZE_BITS);
    uint32_t some = ir_vreg(l->b.code, (struct mpu_type){TYPE_BOOL, 1}, NULL, s->at);
    uint32_t zero = lower_constant(l, type, 0, IR_NONE, s->at);
    lower_operation(l, IR_NE, type, some, lower_size(l, type, size, IR_NONE, s->at), zero, 0,
                    s->at);
    uint32_t r = ir_open(l->b.code, IR_BLOCK, IR_NONE, s->at);
    ir_mark(l->b.code, IR_TEST, r, some, s->at);
    lower_register_loop(l, s, size, count, counter);
    put_mark(l, IR_END, r, s->at);
}

/* As often as there are values, whether or not lanes are left. */
static void lower_repeated(struct lowering *l, const struct stmt *s, uint32_t size, uint64_t count,
                           uint32_t counter) {
    if (repeats_enough(l)) {
        lower_by_register(l, s, size, count, counter);
        return;
    }
    uint32_t r = ir_open(l->b.code, IR_REPEAT, IR_NONE, s->at);
    vec_last(&l->b.code->insns).size = size;
    vec_last(&l->b.code->insns).imm = count;
    lower_lap(l, s, s->body, r, s->leaves || s->again);
    put_mark(l, IR_NEXT, r, s->at);
    if (counter != IR_NONE)
        lower_increment(l, counter, s->at);
    put_mark(l, IR_END, r, s->at);
}

static void find_counter(void *context, struct expr *e) {
    struct ez_symbol **k = context;
    if (e->kind == EXPR_NAME && e->symbol == *k)
        *k = NULL;
}

static bool uses_counter(const struct stmt *s) {
    struct ez_symbol *k = s->symbol;
    struct walker w = {&k, NULL, find_counter};
    walk_stmts(&w, s->body);
    return k == NULL;
}

/* Constant bounds, and lanes may leave before the last lap: the loop ends when all have. */
static void lower_left_early(struct lowering *l, const struct stmt *s) {
    uint32_t k = declare_counter(l, s), r = ir_open(l->b.code, IR_LOOP, IR_NONE, s->at);
    struct mpu_type type = l->b.code->vregs.data[k].type;
    lower_lap(l, s, s->body, r, s->again);
    put_mark(l, IR_NEXT, r, s->at);
    lower_increment(l, k, s->at);
    uint32_t end = lower_constant(l, type, ez_pattern(s->last->value, type), IR_NONE, s->at);
    uint32_t differs = ir_vreg(l->b.code, (struct mpu_type){TYPE_BOOL, 1}, NULL, s->at);
    lower_operation(l, IR_NE, type, differs, k, end, 0, s->at);
    ir_mark(l->b.code, IR_TEST, r, differs, s->at);
    put_mark(l, IR_END, r, s->at);
}

static void lower_counted(struct lowering *l, const struct stmt *s) {
    ez_number laps = s->last->is_constant ? s->last->value - s->value->value : 1;
    uint32_t size = s->last->is_constant ? IR_NONE : s->last->symbol->index;
    if (laps <= 0)
        return;
    if (s->leaves && size == IR_NONE) {
        lower_left_early(l, s);
        return;
    }
    uint32_t k = uses_counter(s) ? declare_counter(l, s) : IR_NONE;
    lower_repeated(l, s, size, size == IR_NONE ? (uint64_t)laps : 0, k);
}

static void find_leaving(void *context, struct stmt *s) {
    bool *found = context;
    *found |= s->kind == STMT_BREAK || s->kind == STMT_RETURN;
}

/* True if a lap is left otherwise than by `if (c) { break; }` that is a statement of its own. */
static bool leaves_inside(struct stmt *s) {
    bool found = false;
    const struct walker w = {&found, find_leaving, NULL};
    for (; s && !found; s = s->next) {
        bool plain = s->kind == STMT_IF && !s->otherwise && s->body && !s->body->next &&
                     s->body->kind == STMT_BREAK && !s->value->is_constant;
        struct stmt alone = *s;
        alone.next = NULL;
        if (!plain)
            walk_stmts(&w, &alone);
    }
    return found;
}

/* Lanes that leave the loop leave the block around all laps, those that go on that of a lap. */
static void lower_unrolled(struct lowering *l, const struct stmt *s) {
    uint32_t r = IR_NONE;
    if (s->leaves)
        r = ir_open(l->b.code, IR_BLOCK, IR_NONE, s->at);
    for (uint32_t i = 0; i < s->lap_count; i++)
        lower_lap(l, s, s->laps[i], r, s->again || (s->leaves && leaves_inside(s->laps[i])));
    if (s->leaves)
        put_mark(l, IR_END, r, s->at);
}

static void lower_lanes(struct lowering *l, const struct stmt *s) {
    struct mpu_type type = s->symbol->type.type;
    uint32_t k = lower_declare(l, s->symbol);
    lower_as(l, s->value, type, k);
    uint32_t end = lower_keep(l, lower_as(l, s->last, type, IR_NONE), type, s->last->at);
    uint32_t r = ir_open(l->b.code, IR_LOOP, IR_NONE, s->at);
    lower_lap(l, s, s->body, r, s->again);
    put_mark(l, IR_NEXT, r, s->at);
    lower_increment(l, k, s->at);
    put_mark(l, IR_ENTER, r, s->at);
    uint32_t less = ir_vreg(l->b.code, (struct mpu_type){TYPE_BOOL, 1}, NULL, s->at);
    lower_operation(l, IR_LT, type, less, k, end, 0, s->at);
    ir_mark(l->b.code, IR_TEST, r, less, s->at);
    put_mark(l, IR_END, r, s->at);
}

static void lower_for(struct lowering *l, const struct stmt *s) {
    switch ((enum for_kind)s->loop) {
    case FOR_COUNTED:
        lower_counted(l, s);
        break;
    case FOR_UNROLLED:
        lower_unrolled(l, s);
        break;
    case FOR_LANES:
        lower_lanes(l, s);
        break;
    }
}

static void lower_repeat(struct lowering *l, const struct stmt *s) {
    uint32_t size = s->value->is_constant ? IR_NONE : s->value->symbol->index;
    if (size != IR_NONE || s->value->value)
        lower_repeated(l, s, size, size == IR_NONE ? (uint64_t)s->value->value : 0, IR_NONE);
}

static void lower_return(struct lowering *l, const struct stmt *s) {
    if (s->value)
        lower_as(l, s->value, l->sub->sub.result->type.type,
                 lower_element(l, l->sub->sub.result, 0));
    if (l->returns != IR_NONE)
        put_mark(l, IR_EXIT, l->returns, s->at);
}

/* The register of an argument that is written: the parameter is the argument itself, unless it is
 * given twice or what stands beside it writes. */
static bool given_twice(const struct expr *e, uint32_t arg) {
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (i != arg && (e->args[i]->writes ||
                         (e->args[i]->symbol && e->args[i]->symbol == e->args[arg]->symbol)))
            return true;
    return false;
}

static bool in_place(const struct ez_symbol *sub, const struct expr *e, uint32_t arg) {
    return (sub->sub.params[arg]->var.direction & VAR_OUT) && !given_twice(e, arg);
}

static void copy_registers(struct lowering *l, uint32_t to, uint32_t from, uint32_t count,
                           struct span at) {
    for (uint32_t k = 0; k < count; k++)
        lower_operation(l, IR_COPY, l->b.code->vregs.data[to + k].type, to + k, from + k, IR_NONE,
                        0, at);
}

/* Registers for the parameter; bound to it only when all arguments have been looked at. */
static uint32_t pass(struct lowering *l, const struct ez_symbol *sub, const struct expr *e,
                     uint32_t arg) {
    struct ez_symbol *p = sub->sub.params[arg], local = *p;
    struct expr *a = e->args[arg];
    if (in_place(sub, e, arg))
        return lower_element(l, a->symbol, a->element);
    uint32_t v = lower_declare(l, &local);
    if (p->has_k && (p->var.direction & VAR_IN))
        copy_registers(l, v, lower_element(l, a->symbol, 0), p->count, a->at);
    else if (p->var.direction & VAR_IN)
        lower_as(l, a, p->type.type, v);
    return v;
}

static void give_back(struct lowering *l, const struct ez_symbol *sub, const struct expr *e,
                      const uint32_t *vregs) {
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const struct ez_symbol *p = sub->sub.params[i];
        struct expr *a = e->args[i];
        if ((p->var.direction & VAR_OUT) && !in_place(sub, e, i))
            copy_registers(l, lower_element(l, a->symbol, a->element), vregs[i], p->count, a->at);
    }
}

/* True if lanes leave the body before its last statement. */
static bool leaves_early(const struct ez_symbol *sub) {
    const struct stmt *s = sub->decl->body;
    while (s && s->next)
        s = s->next;
    return sub->sub.leaves && !(s && s->kind == STMT_RETURN && sub->sub.returns == 1);
}

void lower_sub_body(struct lowering *l, const struct ez_symbol *sub, struct span at) {
    struct lowering outer = *l;
    bool early = leaves_early(sub);
    l->sub = sub;
    l->loop = NULL;
    l->returns = early ? ir_open(l->b.code, IR_BLOCK, IR_NONE, at) : IR_NONE;
    lower_body(l, sub->decl->body);
    if (early)
        put_mark(l, IR_END, l->returns, at);
    l->sub = outer.sub;
    l->loop = outer.loop;
    l->returns = outer.returns;
}

uint32_t lower_sub_call(struct lowering *l, const struct expr *e, uint32_t dst) {
    struct ez_symbol *sub = e->symbol;
    if (sub->sub.callee)
        return lower_real_call(l, e, dst);
    uint32_t *vregs = ARENA_ARRAY(l->b.p->arena, e->arg_count + 1, uint32_t);
    for (uint32_t i = 0; i < e->arg_count; i++)
        vregs[i] = pass(l, sub, e, i);
    for (uint32_t i = 0; i < e->arg_count; i++) {
        sub->sub.params[i]->stamp = l->b.stamp;
        sub->sub.params[i]->first_vreg = vregs[i];
    }
    uint32_t result = sub->sub.result ? lower_declare(l, sub->sub.result) : IR_NONE;
    lower_sub_body(l, sub, e->at);
    give_back(l, sub, e, vregs);
    if (dst == IR_NONE || result == IR_NONE)
        return result;
    copy_registers(l, dst, result, 1, e->at);
    return dst;
}

/* ASSERT looks at C, PRINT at a register, in the lanes that are enabled. */
static void lower_debug(struct lowering *l, const struct stmt *s) {
    struct mpu_type type = s->value->type.type;
    bool asserts = s->kind == STMT_ASSERT;
    struct debug_record r = {.kind = asserts ? DEBUG_ASSERT : DEBUG_PRINT,
                             .text = s->text.text,
                             .type = asserts ? (struct mpu_type){0} : type};
    uint32_t v = lower_as(l, s->value, type, IR_NONE);
    lower_operation(l, asserts ? IR_ASSERT : IR_PRINT, type, IR_NONE, v, IR_NONE,
                    l->b.p->debugs.len, s->at);
    vec_push(&l->b.p->debugs, r);
}

bool lower_flow(struct lowering *l, const struct stmt *s) {
    switch (s->kind) {
    case STMT_IF:
        if (s->value->is_constant)
            return lower_body(l, s->value->value ? s->body : s->otherwise);
        lower_if(l, s);
        break;
    case STMT_WHILE:
        lower_while(l, s);
        break;
    case STMT_FOR:
        lower_for(l, s);
        break;
    case STMT_REPEAT:
        lower_repeat(l, s);
        break;
    case STMT_BREAK:
        put_mark(l, IR_EXIT, l->loop->leave, s->at);
        return true;
    case STMT_CONTINUE:
        put_mark(l, IR_EXIT, l->loop->again, s->at);
        return true;
    case STMT_RETURN:
        lower_return(l, s);
        return true;
    case STMT_CALL:
        lower_sub_call(l, s->value, IR_NONE);
        break;
    case STMT_ASSERT:
    case STMT_PRINT:
        lower_debug(l, s);
        break;
    default:
        break;
    }
    return false;
}
