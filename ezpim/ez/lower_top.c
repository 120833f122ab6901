/* SPDX-License-Identifier: MIT
 * Statements at top level. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/lower_top.h"

#include <string.h>

struct ir_node *lower_node(struct lowering *l, enum ir_node_kind kind, struct span at) {
    return ir_append(&l->b, kind, at);
}

/* The nodes of a block. */
static struct ir_node *lower_block(struct lowering *l, const struct stmt *s) {
    struct ir_node *first, **outer = ir_open_list(&l->b, &first);
    lower_top(l, s);
    ir_close_list(&l->b, outer);
    return first;
}

void lower_begin_body(struct lowering *l) {
    l->body = l->b.stamp;
    memset(l->bare, 0xFF, sizeof l->bare);
}

void lower_begin_code(struct lowering *l, struct ir_node *n, const struct ez_symbol *group) {
    l->group = group;
    ir_begin_code(&l->b, n, group->index);
    lower_begin_body(l);
}

void lower_begin_ensemble(struct lowering *l, const struct ez_symbol *group, struct span at) {
    ir_begin_ensemble(&l->b, group->index, at);
    l->group = group;
    if (l->b.stamp != l->body)
        lower_begin_body(l);
}

static void lower_compute(struct lowering *l, const struct stmt *s) {
    lower_begin_ensemble(l, s->symbol, s->at);
    uint32_t front = lower_enter_front(l, &s->front, s->at);
    if (s->leaves)
        l->returns = ir_open(l->b.code, IR_BLOCK, IR_NONE, s->at);
    lower_body(l, s->body);
    if (s->leaves)
        ir_mark(l->b.code, IR_END, l->returns, IR_NONE, s->at);
    lower_leave_front(l, front, s->at);
}

static struct extent count_of(const struct expr *e) {
    if (!e->is_constant)
        return (struct extent){e->symbol->index, 0};
    return (struct extent){NO_INDEX, (uint64_t)e->value};
}

/* What a REPEAT repeats. */
static struct ir_node *lower_laps(struct lowering *l, const struct stmt *s) {
    l->b.repeats++;
    struct ir_node *first = lower_block(l, s);
    l->b.repeats--;
    return first;
}

static void lower_repeat(struct lowering *l, const struct stmt *s) {
    struct ir_node *n = lower_node(l, IR_NODE_REPEAT, s->at);
    n->count = count_of(s->value);
    n->body = lower_laps(l, s->body);
}

uint32_t lower_counter_value(struct lowering *l, const struct ez_symbol *k,
                             const struct counter_value *v) {
    enum { USE_COUNTER = 48 };
    return ir_element(
        &l->b,
        ir_hidden(&l->b, v->group->index, v->type, 1, USE_COUNTER + k->counter.counts->depth), 0);
}

static const struct counter_value *counters_of(const struct stmt *s) {
    return s->symbol ? s->symbol->counter.counts->values : NULL;
}

/* The counter starts in each group that reads it. */
static void set_counters(struct lowering *l, const struct stmt *s) {
    for (const struct counter_value *v = counters_of(s); v; v = v->next) {
        lower_begin_ensemble(l, v->group, s->at);
        lower_constant(l, v->type, ez_pattern(s->symbol->value, v->type),
                       lower_counter_value(l, s->symbol, v), s->at);
    }
}

/* The body, and one more for the counter. */
static struct ir_node *lower_lap(struct lowering *l, const struct stmt *s) {
    struct ir_node *first, **outer = ir_open_list(&l->b, &first);
    l->b.repeats++;
    lower_top(l, s->body);
    l->b.repeats--;
    for (const struct counter_value *v = counters_of(s); v; v = v->next) {
        lower_begin_ensemble(l, v->group, s->at);
        lower_increment(l, lower_counter_value(l, s->symbol, v), s->at);
    }
    ir_close_list(&l->b, outer);
    return first;
}

static void lower_top_for(struct lowering *l, const struct stmt *s) {
    if (s->loop == FOR_UNROLLED) {
        for (uint32_t i = 0; i < s->lap_count; i++)
            lower_top(l, s->laps[i]);
        return;
    }
    if (s->last->is_constant && s->last->value <= s->value->value)
        return;
    set_counters(l, s);
    struct ir_node *n = lower_node(l, IR_NODE_REPEAT, s->at);
    n->count = count_of(s->last);
    if (s->last->is_constant)
        n->count.value = (uint64_t)(s->last->value - s->value->value);
    n->body = lower_lap(l, s);
}

/* The ensemble that asks: its lanes in which the value holds (or does not) are enabled last. */
static void lower_question(struct lowering *l, struct ir_node *n, const struct stmt *s) {
    lower_begin_code(l, n, s->symbol);
    uint32_t v = lower_as(l, s->value, s->value->type.type, IR_NONE);
    if (s->whole) /* all have it, unless some element has it not */
        v = lower_not(l, v, s->value->at);
    if (s->front.count)
        v = lower_and(l, v, lower_in_front(l, &s->front, s->at), s->value->at);
    lower_operation(l, IR_ENABLE, s->value->type.type, IR_NONE, v, IR_NONE, 0, s->value->at);
}

static void lower_choice(struct lowering *l, const struct stmt *s) {
    if (!s->symbol) {
        lower_top(l, s->value->value ? s->body : s->otherwise);
        return;
    }
    struct ir_node *n = lower_node(l, IR_NODE_IF, s->at);
    lower_question(l, n, s);
    n->opposite = s->opposite;
    n->body = lower_block(l, s->body);
    n->otherwise = lower_block(l, s->otherwise);
}

static void lower_top_while(struct lowering *l, const struct stmt *s) {
    struct ir_node *n = lower_node(l, IR_NODE_WHILE, s->at);
    n->body = lower_block(l, s->body);
    lower_question(l, n, s);
    n->opposite = s->opposite;
}

static void lower_mark(struct lowering *l, const struct stmt *s) {
    struct debug_record r = {.kind = DEBUG_MARK, .text = s->text.text};
    lower_node(l, IR_NODE_MARK, s->at)->debug = (uint32_t)l->b.p->debugs.len;
    vec_push(&l->b.p->debugs, r);
}

struct ir_node *lower_gmove(struct lowering *l, const struct ez_move *m, struct span at) {
    struct ir_move move = {.record = m->record,
                           .to = m->to->var.number,
                           .to_element = m->element,
                           .from = m->from->var.number,
                           .to_view = IR_NONE,
                           .from_view = IR_NONE,
                           .index = m->index ? m->index->var.number : 0,
                           .index_element = m->record.index.reg};
    return ir_put_move(&l->b, &move, at);
}

static void lower_move(struct lowering *l, const struct stmt *s) {
    lower_gmove(l, s->move, s->at);
}

/* What one MPU does alone. */
static void lower_on(struct lowering *l, const struct stmt *s) {
    bool outer = l->b.own;
    if (s->mpu != l->mpu)
        return;
    l->b.own = true;
    lower_top(l, s->body);
    l->b.own = outer;
}

/* What is assigned at top level is made of all elements. */
static void lower_whole(struct lowering *l, const struct stmt *s) {
    if (s->product)
        lower_product(l, s);
    else if (s->sort)
        lower_sort(l, s);
    else
        lower_reduction(l, s);
}

static void lower_stmt(struct lowering *l, const struct stmt *s) {
    switch (s->kind) {
    case STMT_COMPUTE:
        lower_compute(l, s);
        break;
    case STMT_REPEAT:
        lower_repeat(l, s);
        break;
    case STMT_FOR:
        lower_top_for(l, s);
        break;
    case STMT_IF:
        lower_choice(l, s);
        break;
    case STMT_WHILE:
        lower_top_while(l, s);
        break;
    case STMT_MARK:
        lower_mark(l, s);
        break;
    case STMT_SYNC:
        lower_node(l, IR_NODE_SYNC, s->at);
        break;
    case STMT_MOVE:
        lower_move(l, s);
        break;
    case STMT_ASSIGN:
        lower_whole(l, s);
        break;
    case STMT_COLLECTIVE:
        lower_collective(l, s);
        break;
    case STMT_SEND:
    case STMT_RECV:
        lower_message(l, s);
        break;
    case STMT_COMPACT:
        lower_compact(l, s);
        break;
    case STMT_BARRIER:
        lower_node(l, IR_NODE_BARRIER, s->at);
        break;
    case STMT_ON:
        lower_on(l, s);
        break;
    default:
        break;
    }
}

void lower_top(struct lowering *l, const struct stmt *s) {
    for (; s; s = s->next)
        lower_stmt(l, s);
}

/* Which MPUs have an `on` of their own, anywhere in the statements. */
static void find_roles(const struct stmt *s, uint8_t *own) {
    for (; s; s = s->next) {
        if (s->kind == STMT_ON)
            own[s->mpu] = 1;
        find_roles(s->body, own);
        find_roles(s->otherwise, own);
        for (uint32_t i = 0; i < s->lap_count; i++)
            find_roles(s->laps[i], own);
    }
}

static void add_image(struct lowering *l, uint32_t first, uint32_t count) {
    struct ir_image image = {.first_mpu = first, .mpu_count = count};
    struct ir_node **outer = l->b.end;
    l->mpu = first;
    l->b.end = &image.nodes;
    lower_late_lengths(l);
    lower_top(l, l->u->main->body);
    l->b.end = outer;
    vec_push(&l->b.p->images, image);
}

/* MPUs without an `on` of their own run one text, each of the others one of its own. */
void lower_images(struct lowering *l) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < l->u->grid_dims; d++)
        count *= l->u->grid[d];
    if (!l->u->roles) {
        add_image(l, 0, count);
        l->b.p->images.data[0].shared = l->u->grid_dims > 0;
        return;
    }
    uint8_t *own = xcalloc(count, 1);
    find_roles(l->u->main->body, own);
    for (uint32_t m = 0; m < count;) {
        uint32_t next = m + 1;
        while (!own[m] && next < count && !own[next])
            next++;
        add_image(l, m, next - m);
        m = next;
    }
    free(own);
}
